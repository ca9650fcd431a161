/** Plans glTF's primitives and their numbers, and makes the meshes. */
import { FormatError } from '../../base/errors.ts';
import { at } from '../../base/json-messages.ts';
import { grouped } from '../../base/printable.ts';
import type { Mesh } from '../../mesh/mesh.ts';
import {
  type Accessor,
  accessorOf,
  childOf,
  extensionOf,
  INDEX_TYPES,
  itemOf,
  listOf,
  type Part,
  POSITION_TYPES,
  partOf,
  referenceOf,
  refuse,
  textOf,
  type Views,
  viewOf,
  wholeOf,
} from './accessors.ts';
import type { Decoded, DracoRun } from './decode.ts';
import { dracoCounts } from './draco.ts';
import { cornersOf, meshOf, type Points, pointsOf, type Surface, TRIANGLES } from './mesh.ts';

export interface Primitive {
  path: Part['path'];
  mode: number;
  positions: Accessor;
  indices: Accessor | null;
  /** Set if only Draco has the numbers. */
  draco: DracoRun | null;
  /** The sets of four joints and weights of each point; empty if no skin places the mesh. */
  influences: readonly Influences[];
}

export interface Influences {
  joints: Accessor;
  weights: Accessor;
}

export interface MeshPlan {
  name: string;
  primitives: Primitive[];
}

export interface Plans {
  meshes: Map<number, MeshPlan>;
  /** Each run once, however many primitives share it. */
  dracos: Map<string, DracoRun>;
  skipped: number;
  morphing: number;
}

/** @param skinned the meshes that skins place */
export function planMeshes(views: Views, meshes: readonly number[], skinned: ReadonlySet<number>): Plans {
  const plans: Plans = { meshes: new Map(), dracos: new Map(), skipped: 0, morphing: 0 };
  for (const n of meshes) {
    const mesh = itemOf(views.root, 'meshes', n);
    const primitives: Primitive[] = [];
    let isMorphing = false;
    for (const [k, value] of listOf(mesh, 'primitives').entries()) {
      const part = partOf(value, [...mesh.path, 'primitives', k]);
      isMorphing ||= listOf(part, 'targets').length > 0;
      const mode = wholeOf(part, 'mode', 0, 6, TRIANGLES);
      if (mode < TRIANGLES) plans.skipped++;
      else primitives.push(primitiveOf(views, part, mode, plans, skinned.has(n)));
    }
    if (isMorphing) plans.morphing++;
    plans.meshes.set(n, { name: textOf(mesh, 'name'), primitives });
  }
  return plans;
}

function primitiveOf(views: Views, part: Part, mode: number, plans: Plans, isSkinned: boolean): Primitive {
  const { path } = part;
  const attributes = childOf(part, 'attributes');
  const n = attributes && referenceOf(views.root, attributes, 'POSITION', 'accessors');
  if (n === null) refuse('the attribute POSITION', path, part.value);
  const compressed = extensionOf(part, 'KHR_draco_mesh_compression');
  const isUnfolded = compressed !== null;
  const positions = accessorOf(views, n, 'VEC3', POSITION_TYPES, { isUnfolded });
  const i = referenceOf(views.root, part, 'indices', 'accessors');
  const indices = i === null ? null : accessorOf(views, i, 'SCALAR', INDEX_TYPES, { isUnfolded });
  // Uncompressed data are preferred, so that results do not depend on Draco being installed.
  const influences = isSkinned ? influencesOf(views, attributes!, positions, { isUnfolded }) : [];
  const all = [
    positions,
    ...(indices ? [indices] : []),
    ...influences.flatMap(({ joints, weights }) => [joints, weights]),
  ];
  const draco =
    compressed && !all.every(hasNumbers)
      ? dracoOf(views, compressed, { mode, positions, indices, influences }, plans)
      : null;
  const { count } = indices ?? positions;
  const isWhole = mode === TRIANGLES ? count % 3 === 0 : count >= 3;
  if (!isWhole) refuse(mode === TRIANGLES ? 'three corners for each triangle' : 'at least three corners', path, count);
  views.budget.take(8 * cornersOf(mode, count), `${grouped(count)} corners${at(path)}`);
  return { path, mode, positions, indices, draco, influences };
}

const JOINT_TYPES: readonly number[] = [5121, 5123, 5125, 5126];
const WEIGHT_TYPES: readonly number[] = [5126, 5121, 5123, 5130];

function influencesOf(
  views: Views,
  attributes: Part,
  positions: Accessor,
  unfolded: { isUnfolded: boolean },
): Influences[] {
  const sets: Influences[] = [];
  for (;;) {
    const [joints, weights] = (['JOINTS', 'WEIGHTS'] as const).map((key) => {
      const n = referenceOf(views.root, attributes, `${key}_${sets.length}`, 'accessors');
      if (n === null) return null;
      const accessor = accessorOf(views, n, 'VEC4', key === 'JOINTS' ? JOINT_TYPES : WEIGHT_TYPES, unfolded);
      if (accessor.count !== positions.count) refuse(`${positions.count} elements`, accessor.path, accessor.count);
      return accessor;
    });
    if (!joints && !weights) return sets;
    if (!joints || !weights) {
      refuse(`JOINTS_${sets.length} and WEIGHTS_${sets.length} together`, attributes.path, attributes.value);
    }
    sets.push({ joints, weights });
  }
}

const hasNumbers = ({ base, sparse }: Accessor): boolean => base !== null || sparse !== null;

function dracoOf(
  views: Views,
  compressed: Part,
  { mode, positions, indices, influences }: Omit<Primitive, 'path' | 'draco'>,
  plans: Plans,
): DracoRun {
  const { path } = compressed;
  if (mode !== TRIANGLES || !indices) refuse('triangles with indices, as Draco requires', path, mode);
  const view = referenceOf(views.root, compressed, 'bufferView', 'bufferViews');
  const attributes = childOf(compressed, 'attributes');
  if (view === null || !attributes) refuse('a bufferView and attributes', path, compressed.value);
  const attributeOf = (name: string): number => wholeOf(attributes, name, 0, 2 ** 31 - 1);
  const attribute = attributeOf('POSITION');
  const more = influences.flatMap(({ joints, weights }, k) => [
    { name: `JOINTS_${k}`, attribute: attributeOf(`JOINTS_${k}`), accessor: joints },
    { name: `WEIGHTS_${k}`, attribute: attributeOf(`WEIGHTS_${k}`), accessor: weights },
  ]);
  const kinds = more.flatMap(({ attribute, accessor }) => [attribute, accessor.componentType, accessor.divisor]);
  const counts = [positions.count, indices.count];
  const key = [view, attribute, positions.componentType, positions.divisor, ...counts, ...kinds].join();
  const known = plans.dracos.get(key);
  if (known) return known;
  requireCounts(views, view, positions, indices);
  if (positions.sparse || indices.sparse || more.some(({ accessor }) => accessor.sparse))
    refuse('no sparse accessors of primitives compressed with Draco', path, 'sparse');
  views.budget.take((12 + 16 * more.length) * positions.count + 4 * indices.count, 'what Draco compresses');
  const run = { view, attribute, positions, indices, more };
  plans.dracos.set(key, run);
  return run;
}

/** Counts of accessors must match the data, or these are not decoded. */
function requireCounts(views: Views, n: number, positions: Accessor, indices: Accessor): void {
  const view = viewOf(views, n);
  if (view.meshopt) refuse('data compressed with Draco only', ['bufferViews', n], 'data of meshopt');
  views.budget.take(view.stored, `bufferViews[${n}]`);
  const start = view.byteOffset;
  const { faces, points, isExact } = dracoCounts(views.buffer(view.buffer).subarray(start, start + view.stored));
  if (indices.count !== 3 * faces) {
    refuse(`${3 * faces} elements, like the Draco data,`, [...indices.path, 'count'], indices.count);
  }
  if (isExact ? positions.count !== points : positions.count < points) {
    const expected = isExact ? `${points} elements` : `${points} elements at least`;
    refuse(`${expected}, like the Draco data,`, [...positions.path, 'count'], positions.count);
  }
}

export function plainAccessors({ meshes }: Plans): Accessor[] {
  return [...meshes.values()]
    .flatMap(({ primitives }) => primitives)
    .filter(({ draco }) => !draco)
    .flatMap(({ positions, indices, influences }) => [
      positions,
      ...(indices ? [indices] : []),
      ...influences.flatMap(({ joints, weights }) => [joints, weights]),
    ]);
}

/** By number in the file. Throws FormatError for vertex numbers and coordinates out of range. */
export function makeMeshes(
  { meshes }: Plans,
  decoded: Decoded,
  isShown: (n: number) => boolean,
): Map<number, { name: string; mesh: Mesh }> {
  const known = new Map<Accessor | DracoRun, Points>();
  const made = new Map<number, { name: string; mesh: Mesh }>();
  for (const [n, { name, primitives }] of meshes) {
    if (primitives.length === 0 || !isShown(n)) continue;
    const corners = primitives.reduce((sum, { mode, indices, positions }) => {
      return sum + cornersOf(mode, (indices ?? positions).count);
    }, 0);
    if (corners >= 2 ** 32)
      throw new FormatError(null, `fewer than 2^32 corners${at(['meshes', n])}`, grouped(corners));
    const surfaces = surfacesOf(name, primitives, decoded, known);
    made.set(n, { name, mesh: meshOf(surfaces) });
  }
  return made;
}

export function surfacesOf(
  name: string,
  primitives: readonly Primitive[],
  decoded: Decoded,
  known: Map<Accessor | DracoRun, Points>,
): Surface[] {
  return primitives.map(({ path, mode, positions, indices, draco }) => {
    const run = draco && decoded.dracos.get(draco)!;
    const owner = draco ?? positions;
    const points =
      known.get(owner) ??
      pointsOf(positions.path, run ? run.positions : decoded.accessors.get(positions)!, positions.divisor);
    known.set(owner, points);
    const numbers = run ? run.indices : indices && decoded.accessors.get(indices)!;
    return { path, name, mode, points, indices: numbers };
  });
}
