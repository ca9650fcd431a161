/**
 * Places skinned meshes by their joints at rest.
 *
 * Khronos Group, "glTF 2.0 Specification", section 3.7.3: a point moves by the weighted mean of its
 * joints' matrices, each the joint's place in the file times its inverse bind matrix. The node that
 * shows the mesh, and those above it, place nothing. `skeleton` does not, either.
 *
 * Inverse bind matrices are float32. Joints whose matrices differ by no more than such roundings
 * move points alike, by the identity or by the first such joint's matrix. So a mesh in its bind
 * pose keeps its coordinates to the bit, and its seams stay closed.
 */
import { FormatError } from '../../base/errors.ts';
import { at } from '../../base/json-messages.ts';
import { compose, identity, movePoint, type Pose } from '../../math/pose.ts';
import { mirrors } from '../../mesh/mesh.ts';
import {
  type Accessor,
  accessorOf,
  itemOf,
  listOf,
  type Part,
  referenceAt,
  referenceOf,
  refuse,
  type Views,
} from './accessors.ts';
import type { Decoded, Numbers } from './decode.ts';
import { decodedNumber, pointsOf, type Surface } from './mesh.ts';
import { LARGEST, LAST_ROW_WITHIN, type NodePlaces, type TreeNode } from './nodes.ts';
import type { Influences, Plans, Primitive } from './primitives.ts';

/** Roundings of float32 in matrices that exporters invert and multiply, relative to the terms. */
const ROUNDING = 2 ** -20;

export interface SkinPlan {
  path: Part['path'];
  joints: number[];
  inverses: Accessor | null;
  /** Nodes of one key show the same points. */
  key: string;
}

/** How joints place a mesh. */
export interface Placement {
  key: string;
  /** From the mesh's frame to the file's if all points move alike, else null. */
  matrix: Pose | null;
  /** Writes the place in the file of a primitive's point, which is at x, y, z in the mesh. */
  move(p: number, point: number, xyz: Float64Array): void;
  /** For each primitive the first one with the same points, joints and weights. */
  like: readonly number[];
  /** True if triangles must be turned to face outward: the joints mirror. */
  isTurned: boolean;
}

/** Skins of nodes whose mesh has joints and weights. Throws FormatError for what is no joint. */
export function planSkins(views: Views, tree: readonly TreeNode[], { meshes }: Plans): Map<TreeNode, SkinPlan> {
  const skins = new Map<number, Omit<SkinPlan, 'key'>>();
  const plans = new Map<TreeNode, SkinPlan>();
  for (const node of tree) {
    const primitives = node.mesh === null || node.skin === null ? [] : meshes.get(node.mesh)!.primitives;
    const bound = primitives.filter(({ influences }) => influences.length > 0).length;
    if (bound === 0) continue;
    const skin = skins.get(node.skin!) ?? skinOf(views, node.skin!);
    skins.set(node.skin!, skin);
    // Primitives without joints are placed by the node.
    const key = `${node.mesh} ${node.skin}${bound < primitives.length ? ` ${node.index}` : ''}`;
    plans.set(node, { ...skin, key });
  }
  return plans;
}

function skinOf(views: Views, n: number): Omit<SkinPlan, 'key'> {
  const skin = itemOf(views.root, 'skins', n);
  const joints = listOf(skin, 'joints').map((value, k) => {
    return referenceAt(views.root, value, [...skin.path, 'joints', k], 'nodes');
  });
  if (joints.length === 0) refuse('at least one joint', skin.path, skin.value);
  const i = referenceOf(views.root, skin, 'inverseBindMatrices', 'accessors');
  const inverses = i === null ? null : accessorOf(views, i, 'MAT4', [5126, 5130]);
  if (inverses && inverses.count < joints.length)
    refuse(`${joints.length} matrices, one for each joint,`, inverses.path, inverses.count);
  return { path: skin.path, joints, inverses };
}

export const skinAccessors = (plans: Iterable<SkinPlan>): Accessor[] =>
  [...plans].flatMap(({ inverses }) => inverses ?? []);

/** By node; each key once. */
export function placeSkins(
  plans: ReadonlyMap<TreeNode, SkinPlan>,
  places: NodePlaces,
  { meshes }: Plans,
  decoded: Decoded,
): { placements: Map<TreeNode, Placement>; weightless: number } {
  const known = new Map<string, Placement>();
  const matrices = new Map<Part['path'], (JointMatrix | undefined)[]>();
  const placements = new Map<TreeNode, Placement>();
  let weightless = 0;
  for (const [node, plan] of plans) {
    let placement = known.get(plan.key);
    if (!placement) {
      const mats = matrices.get(plan.path) ?? [];
      matrices.set(plan.path, mats);
      const jointOf = (j: number): JointMatrix => (mats[j] ??= jointMatrix(plan, j, places, decoded));
      const primitives = boundOf(meshes.get(node.mesh!)!.primitives, decoded);
      const made = placementOf(plan, primitives, jointOf, node.world);
      weightless += made.weightless;
      placement = made.placement;
      known.set(plan.key, placement);
    }
    placements.set(node, placement);
  }
  return { placements, weightless };
}

interface JointMatrix {
  matrix: Pose;
  /** The bound of each number's error by roundings of float32. */
  doubt: Pose;
}

function jointMatrix(plan: SkinPlan, j: number, places: NodePlaces, decoded: Decoded): JointMatrix {
  const world = places.worldOf(plan.joints[j]);
  const inverse = plan.inverses ? inverseOf(plan.inverses, j, decoded) : identity();
  const matrix = compose(world, inverse);
  const size = compose(world.map(Math.abs), inverse.map(Math.abs));
  if (!size.every((x) => x <= LARGEST)) {
    const expected = `numbers of size at most ${LARGEST} in the matrix of joint ${j}${at([...plan.path])}`;
    throw new FormatError(null, expected, 'larger ones');
  }
  return { matrix, doubt: size.map((x) => ROUNDING * x) };
}

function inverseOf(inverses: Accessor, j: number, decoded: Decoded): Pose {
  const { path } = inverses;
  const columns = decoded.accessors.get(inverses)!;
  const matrix = new Float64Array(16);
  for (let k = 0; k < 16; k++) matrix[4 * (k % 4) + (k >> 2)] = columns[16 * j + k];
  const isOne = [0, 0, 0, 1].every((x, k) => Math.abs(matrix[12 + k] - x) <= LAST_ROW_WITHIN);
  if (!isOne || !matrix.every((x) => Math.abs(x) <= LARGEST)) {
    const expected = `a matrix of size at most ${LARGEST} with the last row 0, 0, 0, 1${at(path)}, element ${j}`;
    throw new FormatError(null, expected, isOne ? 'larger or missing numbers' : matrix.subarray(12).join(', '));
  }
  matrix.set([0, 0, 0, 1], 12);
  return matrix;
}

interface InfluenceSet {
  accessors: Influences;
  joints: Numbers;
  weights: Numbers;
}

interface BoundPrimitive {
  count: number;
  sets: InfluenceSet[];
  like: number;
}

function boundOf(primitives: readonly Primitive[], decoded: Decoded): BoundPrimitive[] {
  const ids = new Map<object, number>();
  const idOf = (owner: object): number => {
    const id = ids.get(owner) ?? ids.size;
    ids.set(owner, id);
    return id;
  };
  const first = new Map<string, number>();
  return primitives.map(({ positions, influences, draco }, p) => {
    const more = draco && decoded.dracos.get(draco)!.more;
    const sets = influences.map(({ joints, weights }, k) => ({
      joints: more ? more[2 * k] : decoded.accessors.get(joints)!,
      weights: more ? more[2 * k + 1] : decoded.accessors.get(weights)!,
      accessors: { joints, weights },
    }));
    const owners = [draco ?? positions, ...sets.flatMap(({ joints, weights }) => [joints, weights])];
    const key = owners.map(idOf).join();
    const like = first.get(key) ?? p;
    first.set(key, like);
    return { count: positions.count, sets, like };
  });
}

function placementOf(
  plan: SkinPlan,
  primitives: readonly BoundPrimitive[],
  jointOf: (j: number) => JointMatrix,
  world: Pose,
): { placement: Placement; weightless: number } {
  const point = new PointInfluences(plan.joints.length);
  const used = new Uint8Array(plan.joints.length);
  let weightless = 0;
  for (const [p, { count, sets, like }] of primitives.entries()) {
    for (let n = 0; n < count && sets.length > 0 && like === p; n++) {
      point.load(sets, n);
      if (point.isWeightless) weightless++;
      for (let k = 0; k < point.count; k++) used[point.joint[k]] = 1;
    }
  }
  const matrices: Pose[] = [];
  const alike: JointMatrix[] = [{ matrix: identity(), doubt: new Float64Array(16) }];
  for (let j = 0; j < used.length; j++) {
    if (used[j] === 0) continue;
    const own = jointOf(j);
    const found = alike.find((other) => agree(own, other));
    matrices[j] = (found ?? own).matrix;
    if (!found && alike.length === 1) alike.push(own);
  }
  const distinct = new Set(Object.values(matrices));
  const isWhole = primitives.every(({ sets }) => sets.length > 0);
  if (!isWhole) distinct.add(world);
  const move = (p: number, n: number, xyz: Float64Array): void => {
    const { sets } = primitives[p];
    const [x, y, z] = xyz;
    let alone: Pose | null = world;
    if (sets.length > 0) {
      point.load(sets, n);
      alone = matrices[point.joint[0]];
      for (let k = 1; k < point.count; k++) if (matrices[point.joint[k]] !== alone) alone = null;
    }
    if (alone) {
      movePoint(alone, x, y, z, xyz, 0);
      return;
    }
    let total = 0;
    xyz.fill(0);
    for (let k = 0; k < point.count; k++) {
      const weight = point.weight[k];
      movePoint(matrices[point.joint[k]], x, y, z, moved, 0);
      for (let axis = 0; axis < 3; axis++) xyz[axis] += weight * moved[axis];
      total += weight;
    }
    for (let axis = 0; axis < 3; axis++) xyz[axis] /= total;
  };
  const placement = {
    key: plan.key,
    matrix: distinct.size === 1 ? [...distinct][0] : null,
    move,
    like: primitives.map(({ like }) => like),
    isTurned: [...distinct].every(mirrors),
  };
  return { placement, weightless };
}

const moved = new Float64Array(3);

const agree = (a: JointMatrix, b: JointMatrix): boolean =>
  a.matrix.every((x, k) => Math.abs(x - b.matrix[k]) <= a.doubt[k] + b.doubt[k]);

/** The joints of a point in rising order, each once, so that equal influences give equal bits. */
class PointInfluences {
  readonly joint: number[] = [];
  readonly weight: number[] = [];
  count = 0;
  /** True if all weights are 0: the first joint moves the point alone, as in three. */
  isWeightless = false;

  constructor(private readonly joints: number) {}

  load(sets: readonly InfluenceSet[], point: number): void {
    this.count = 0;
    for (const { joints, weights, accessors } of sets) {
      for (let k = 4 * point; k < 4 * point + 4; k++) {
        const weight = decodedNumber(weights[k], accessors.weights.divisor);
        if (!Number.isFinite(weight)) refuse(`finite weights for point ${point}`, accessors.weights.path, weight);
        if (weight > 0) this.add(joints[k], weight, accessors.joints.path, point);
      }
    }
    this.isWeightless = this.count === 0;
    if (this.isWeightless) this.add(sets[0].joints[4 * point], 1, sets[0].accessors.joints.path, point);
  }

  private add(joint: number, weight: number, path: Part['path'], point: number): void {
    if (!(Number.isInteger(joint) && joint >= 0 && joint < this.joints))
      refuse(`joints below ${this.joints} for point ${point}`, path, joint);
    let place = this.count;
    while (place > 0 && this.joint[place - 1] > joint) place--;
    if (place > 0 && this.joint[place - 1] === joint) {
      this.weight[place - 1] += weight;
      return;
    }
    for (let k = this.count++; k > place; k--) {
      this.joint[k] = this.joint[k - 1];
      this.weight[k] = this.weight[k - 1];
    }
    this.joint[place] = joint;
    this.weight[place] = weight;
  }
}

/** The surfaces of a mesh's primitives, with their points as moved by the joints. */
export function movedSurfaces(surfaces: readonly Surface[], { move, like }: Placement, { budget }: Views): Surface[] {
  const xyz = new Float64Array(3);
  const moved: Surface[] = [];
  for (const [p, surface] of surfaces.entries()) {
    const { path, numbers, divisor } = surface.points;
    let { points } = moved[like[p]] ?? {};
    if (!points) {
      budget.take(16 * numbers.length, `points of a skin${at(surface.path)}`);
      const out = new Float64Array(numbers.length);
      for (let k = 0; k < out.length; k += 3) {
        for (let axis = 0; axis < 3; axis++) xyz[axis] = decodedNumber(numbers[k + axis], divisor);
        move(p, k / 3, xyz);
        out.set(xyz, k);
      }
      points = pointsOf(path, out, 0);
    }
    moved.push({ ...surface, points });
  }
  return moved;
}
