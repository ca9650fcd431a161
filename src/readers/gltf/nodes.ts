/**
 * The tree of a glTF scene: its nodes depth first, with their matrices and instances.
 *
 * Matrices are in JSON's doubles. gltf-transform splits each into a translation, a rotation and a
 * scale, which loses shears and rounds. There is no recursion, since nodes may be nested as deeply
 * as a file is long.
 */
import { FormatError } from '../../base/errors.ts';
import { at } from '../../base/json-messages.ts';
import { counted, grouped } from '../../base/printable.ts';
import { compose, identity, type Pose, rotationOfQuaternion } from '../../math/pose.ts';
import { leftOut, type ReaderNote, UNNAMED, warning } from '../mesh-file.ts';
import {
  type Accessor,
  accessorOf,
  childOf,
  extensionOf,
  itemOf,
  listOf,
  numbersOf,
  type Part,
  POSITION_TYPES,
  partOf,
  referenceAt,
  referenceOf,
  refuse,
  textOf,
  type Views,
} from './accessors.ts';
import type { Decoded } from './decode.ts';
import { decodedNumber } from './mesh.ts';

export interface TreeNode {
  name: string;
  index: number;
  /** The parent's number in this list; -1 for a root. */
  parent: number;
  /** Row-major 4x4, to the parent's frame. */
  matrix: Pose;
  /** Row-major 4x4, to the file's frame. */
  world: Pose;
  mesh: number | null;
  /** The number of the skin that places the mesh, or null. */
  skin: number | null;
  /** EXT_mesh_gpu_instancing: one mesh for each entry, in place of one. */
  instancing: Part | null;
}

/** Keeps moved coordinates from overflowing: those of float32 end at 3.4e38. */
export const LARGEST = 1e150;

/** Allowed error of a matrix's last row 0, 0, 0, 1, after products in float32. */
export const LAST_ROW_WITHIN = 1e-5;

/** All nodes of a file, in the scene or not: their parents, and their places at rest. */
export class NodePlaces {
  /** The parent of each node, or -1. */
  readonly parents: Int32Array;
  private readonly own = new Map<number, { matrix: Pose; isUneven: boolean }>();
  private readonly world = new Map<number, Pose>();

  constructor(private readonly root: Part) {
    this.parents = parentsOf(root);
  }

  /** Row-major 4x4, to the parent's frame. */
  matrix(n: number): { matrix: Pose; isUneven: boolean } {
    const found = this.own.get(n) ?? matrixOf(itemOf(this.root, 'nodes', n));
    this.own.set(n, found);
    return found;
  }

  /** To the file's frame, by all nodes above it. Throws FormatError for a node below itself. */
  worldOf(n: number): Pose {
    const chain: number[] = [];
    let found: Pose | undefined;
    for (let k = n; k >= 0 && !found; k = this.parents[k]) {
      found = this.world.get(k);
      if (!found) chain.push(k);
      if (chain.length > this.parents.length) refuse('a node that is not below itself', ['nodes', n], n);
    }
    for (let k = chain.pop(); k !== undefined; k = chain.pop()) {
      const { matrix } = this.matrix(k);
      found = found ? compose(found, matrix) : matrix;
      requireSmall(found, k);
      this.world.set(k, found);
    }
    return found!;
  }
}

/**
 * The nodes of the default scene: the file's `scene`, else its first one, else all nodes. A root of
 * the scene that other nodes have as a child stays in its place below them.
 *
 * @throws FormatError for a node below two others or below itself, and for numbers out of range
 */
export function readTree(root: Part, places: NodePlaces, notes: ReaderNote[]): TreeNode[] {
  const { parents } = places;
  const found: TreeNode[] = [];
  let uneven = 0;
  const waiting = rootsOf(root, places, notes).reverse();
  const hangOn = waiting.map(() => -1);
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    const parent = hangOn.pop()!;
    const node = itemOf(root, 'nodes', index);
    const { matrix, isUneven } = places.matrix(index);
    if (isUneven) uneven++;
    const world = places.worldOf(index);
    const mesh = referenceOf(root, node, 'mesh', 'meshes');
    found.push({
      name: textOf(node, 'name'),
      index,
      parent,
      matrix: parent < 0 ? world : matrix,
      world,
      mesh,
      skin: mesh === null ? null : referenceOf(root, node, 'skin', 'skins'),
      instancing: extensionOf(node, 'EXT_mesh_gpu_instancing'),
    });
    const children = listOf(node, 'children') as number[];
    for (let k = children.length - 1; k >= 0; k--) {
      waiting.push(children[k]);
      hangOn.push(found.length - 1);
    }
  }
  if (uneven > 0)
    notes.push(warning(`${counted(uneven, 'transform')} with a last row close to 0, 0, 0, 1: read as 0, 0, 0, 1`));
  const outside = parents.length - found.length;
  if (outside > 0) notes.push(...notesOutside(root, new Set(found.map(({ index }) => index)), parents.length, outside));
  return found;
}

function notesOutside(root: Part, shown: ReadonlySet<number>, count: number, outside: number): ReaderNote[] {
  const notes = [warning(`${counted(outside, 'node')} left out: not in the scene`)];
  for (let n = 0; n < count; n++) {
    if (shown.has(n)) continue;
    const node = itemOf(root, 'nodes', n);
    const mesh = referenceOf(root, node, 'mesh', 'meshes');
    if (mesh !== null) notes.push(leftOut(nameOfNode(root, textOf(node, 'name'), mesh), 'not in the scene'));
  }
  return notes;
}

export const nameOfNode = (root: Part, own: string, mesh: number): string =>
  own || textOf(itemOf(root, 'meshes', mesh), 'name') || UNNAMED;

/** The parent of each node, or -1. */
function parentsOf(root: Part): Int32Array {
  const nodes = listOf(root, 'nodes');
  requireFew(nodes.length);
  const parents = new Int32Array(nodes.length).fill(-1);
  for (const [n, value] of nodes.entries()) {
    const node = partOf(value, ['nodes', n]);
    for (const [k, child] of listOf(node, 'children').entries()) {
      const path = [...node.path, 'children', k];
      const c = referenceAt(root, child, path, 'nodes');
      if (parents[c] >= 0) refuse(`a node with one parent (nodes[${parents[c]}] has it, too)`, path, c);
      parents[c] = n;
    }
  }
  return parents;
}

/** The roots of the scene. A listed node that is below another listed one comes with that one. */
function rootsOf(root: Part, places: NodePlaces, notes: ReaderNote[]): number[] {
  const { parents } = places;
  const scenes = listOf(root, 'scenes');
  if (scenes.length === 0) return Array.from(parents.keys()).filter((n) => parents[n] < 0);
  const scene = itemOf(root, 'scenes', referenceOf(root, root, 'scene', 'scenes') ?? 0);
  const listed = new Set<number>();
  for (const [k, value] of listOf(scene, 'nodes').entries()) {
    const path = [...scene.path, 'nodes', k];
    const n = referenceAt(root, value, path, 'nodes');
    if (listed.has(n)) refuse('each root once', path, n);
    listed.add(n);
    places.worldOf(n); // refuses rings
  }
  const below = [...listed].filter((n) => parents[n] >= 0).length;
  if (below === 0) return [...listed];
  notes.push(warning(`${counted(below, 'root')} of the scene below other nodes: placed by all nodes above`));
  const shown = new Map<number, boolean>();
  const hasListedAbove = (n: number): boolean => {
    const chain: number[] = [];
    let [k, isBelow] = [parents[n], false];
    for (; k >= 0 && !isBelow; k = parents[k]) {
      isBelow = shown.get(k) ?? listed.has(k);
      if (shown.has(k)) break;
      chain.push(k);
    }
    for (const each of chain) shown.set(each, isBelow);
    return isBelow;
  };
  return [...listed].filter((n) => parents[n] < 0 || !hasListedAbove(n));
}

function matrixOf(node: Part): { matrix: Pose; isUneven: boolean } {
  const columns = numbersOf(node, 'matrix', 16, LARGEST);
  const parts = (['translation', 'rotation', 'scale'] as const).map((key) =>
    numbersOf(node, key, key === 'rotation' ? 4 : 3, LARGEST),
  );
  if (!columns) {
    const [translation, rotation, scale] = parts;
    return { matrix: placed(translation, rotation, scale, [...node.path, 'rotation']), isUneven: false };
  }
  if (parts.some((part) => part !== null)) refuse('a matrix without other transforms', node.path, node.value);
  const matrix = new Float64Array(16);
  for (let k = 0; k < 16; k++) matrix[4 * (k % 4) + (k >> 2)] = columns[k];
  const away = [0, 0, 0, 1].map((x, k) => Math.abs(matrix[12 + k] - x));
  if (!away.every((x) => x <= LAST_ROW_WITHIN)) {
    const last = matrix.subarray(12).join(', ');
    throw new FormatError(null, `0, 0, 0, 1 as the last row${at([...node.path, 'matrix'])}`, last);
  }
  matrix.set([0, 0, 0, 1], 12);
  return { matrix, isUneven: away.some((x) => x > 0) };
}

type Numbers = readonly number[] | null;

/**
 * Scales, turns and moves, in this order. The path is that of the rotation, for errors.
 *
 * @param rotation a quaternion x, y, z, w; its length may be off by the rounding of eight bits a
 *   number
 */
export function placed(translation: Numbers, rotation: Numbers, scale: Numbers, path: Part['path']): Pose {
  const matrix = rotation ? rotationOfQuaternion(rotation) : identity();
  if (rotation) {
    const length = Math.sqrt(rotation.reduce((sum, x) => sum + x * x, 0));
    if (!(Math.abs(length - 1) <= 0.01)) {
      throw new FormatError(null, `a quaternion of length 1${at(path)}`, `length ${length}`);
    }
  }
  for (let row = 0; row < 3; row++) {
    if (scale) for (let column = 0; column < 3; column++) matrix[4 * row + column] *= scale[column];
    if (translation) matrix[4 * row + 3] = translation[row];
  }
  return matrix;
}

const MOST_NODES = 2 ** 20;

export function requireFew(count: number): void {
  if (count <= MOST_NODES) return;
  throw new FormatError(null, `at most ${grouped(MOST_NODES)} nodes and instances`, grouped(count));
}

function requireSmall(world: Pose, node: number): void {
  if (world.every((x) => Math.abs(x) <= LARGEST)) return;
  const expected = `numbers of size at most ${LARGEST} in the product of the matrices down to nodes[${node}]`;
  throw new FormatError(null, expected, 'larger ones');
}

/** A node's list of places (EXT_mesh_gpu_instancing); each place becomes a node. */
export interface Instances {
  path: Part['path'];
  count: number;
  translation: Accessor | null;
  rotation: Accessor | null;
  scale: Accessor | null;
}

export function planInstances(views: Views, tree: readonly TreeNode[]): Map<TreeNode, Instances> {
  const plans = new Map<TreeNode, Instances>();
  for (const node of tree) {
    const attributes = node.instancing && node.mesh !== null ? childOf(node.instancing, 'attributes') : null;
    const plan = attributes && instancesOf(views, attributes);
    if (plan) plans.set(node, plan);
  }
  return plans;
}

/** Null without places: then all instances coincide, and one shows them all. */
function instancesOf(views: Views, attributes: Part): Instances | null {
  const [translation, rotation, scale] = (['TRANSLATION', 'ROTATION', 'SCALE'] as const).map((key) => {
    const n = referenceOf(views.root, attributes, key, 'accessors');
    return n === null ? null : accessorOf(views, n, key === 'ROTATION' ? 'VEC4' : 'VEC3', POSITION_TYPES);
  });
  const given = [translation, rotation, scale].filter((accessor) => accessor !== null);
  if (given.length === 0) return null;
  const { count } = given[0];
  for (const other of given)
    if (other.count !== count) refuse(`${count} elements, as the other attributes have,`, other.path, other.count);
  return { path: attributes.path, count, translation, rotation, scale };
}

export const instanceAccessors = (plans: Iterable<Instances>): Accessor[] =>
  [...plans].flatMap(({ translation, rotation, scale }) => [translation, rotation, scale]).filter((a) => a !== null);

/** From the instances' frames to the node's. Throws FormatError if coordinates could overflow. */
export function instanceMatrices(instances: Instances, { index, world }: TreeNode, { accessors }: Decoded): Pose[] {
  const parts = [instances.translation, instances.rotation, instances.scale].map((accessor) => {
    if (!accessor) return () => null;
    const numbers = accessors.get(accessor)!;
    const components = numbers.length / accessor.count;
    return (n: number): number[] =>
      Array.from({ length: components }, (_, k) => {
        const x = decodedNumber(numbers[n * components + k], accessor.divisor);
        if (Math.abs(x) <= LARGEST) return x;
        throw new FormatError(null, `numbers of size at most ${LARGEST}${at(accessor.path)}, element ${n}`, `${x}`);
      });
  });
  return Array.from({ length: instances.count }, (_, n) => {
    const [translation, rotation, scale] = parts.map((part) => part(n));
    const matrix = placed(translation, rotation, scale, [...instances.path, 'ROTATION', n]);
    requireSmall(compose(world, matrix), index);
    return matrix;
  });
}
