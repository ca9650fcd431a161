/**
 * The octree over a set's bricks, implied by their Morton order: every octant of every size is a
 * range of bricks, and of the 64 bits of a brick's mask. Nodes are made on demand. The common
 * engine sees this octree, down to single cubes.
 *
 * A node is a range of several bricks, a brick, or an eighth of one; nodes are numbered in the
 * order they are met.
 */
import { FormatError } from '../../../base/errors.ts';
import { derived } from '../../../engine/asset-cache.ts';
import { type NodeWriter, ROOT } from '../../../engine/bound-tree.ts';
import { BOX_NUMBERS } from '../../../geometry/rounded-box.ts';
import {
  bitCell,
  brickCell,
  cellOfCube,
  cubesOf,
  firstOf,
  greatestOf,
  lowestOf,
  popcount,
  type VoxelSet,
} from './cube-set.ts';

/** A child is a node, or below 0 the one cube ~number. */
export interface Octree {
  set: VoxelSet;
  first: Uint32Array;
  size: number;
  /** Bricks from..to-1; the eighth of the brick's mask, or -1 for all of it. */
  from: Int32Array;
  to: Int32Array;
  eighth: Int8Array;
  /** Lowest and highest cell in the node, six numbers per node. */
  cells: Int32Array;
  /** Start and length of the list in `children`; 0 while unknown. */
  firstChild: Int32Array;
  childCount: Uint8Array;
  children: Int32Array;
  listed: number;
}

const octrees = /* @__PURE__ */ derived<VoxelSet, Octree>();

export function octreeOf(set: VoxelSet): Octree {
  let tree = octrees.get(set);
  if (!tree) {
    tree = {
      set,
      first: firstOf(set),
      size: 0,
      from: new Int32Array(64),
      to: new Int32Array(64),
      eighth: new Int8Array(64),
      cells: new Int32Array(6 * 64),
      firstChild: new Int32Array(64),
      childCount: new Uint8Array(64),
      children: new Int32Array(256),
      listed: 1,
    };
    octrees.set(set, tree);
    addNode(tree, 0, set.keys.length / 2, -1);
  }
  return tree;
}

/** Finds children, nodes or ~cube, if unknown: `children[first .. first + count - 1]`. */
export function childrenOf(tree: Octree, node: number): number {
  if (tree.firstChild[node] !== 0) return tree.firstChild[node];
  const { set } = tree;
  const from = tree.from[node];
  const to = tree.to[node];
  const first = tree.listed;
  if (to - from > 1) splitRange(tree, from, to);
  else {
    const cubes = firstOf(set);
    const eighth = tree.eighth[node];
    let number = cubes[from];
    for (let e = 0; e < 8; e++) {
      const part = eighthOf(set.masks, from, e);
      const count = popcount(part);
      if (eighth < 0 && count === 1) list(tree, ~number);
      else if (eighth < 0 && count > 1) list(tree, addNode(tree, from, to, e));
      else if (e === eighth) for (let k = 0; k < count; k++) list(tree, ~(number + k));
      number += count;
    }
  }
  tree.firstChild[node] = first;
  tree.childCount[node] = tree.listed - first;
  return first;
}

const eighthOf = (masks: Uint32Array, brick: number, e: number): number =>
  (masks[2 * brick + (e >> 2)] >>> (8 * (e & 3))) & 0xff;

/** Splits where the highest differing three bits (one digit of the octree) change. */
function splitRange(tree: Octree, from: number, to: number): void {
  const { keys } = tree.set;
  const high = keys[2 * from + 1] ^ keys[2 * (to - 1) + 1];
  const low = keys[2 * from] ^ keys[2 * (to - 1)];
  const isHigh = high !== 0;
  const highest = 31 - Math.clz32(isHigh ? high : low);
  const shift = highest - (highest % 3);
  const digit = (brick: number): number => (keys[2 * brick + (isHigh ? 1 : 0)] >>> shift) & 7;
  let start = from;
  while (start < to) {
    const here = digit(start);
    let inside = start;
    let outside = to;
    while (outside - inside > 1) {
      const middle = (inside + outside) >>> 1;
      if (digit(middle) === here) inside = middle;
      else outside = middle;
    }
    if (outside - start === to - from) throw new FormatError(null, 'ascending keys', `bricks ${from} to ${to} alike`);
    list(tree, outside - start === 1 ? addBrick(tree, start) : addNode(tree, start, outside, -1));
    start = outside;
  }
}

/** A brick of one cube is that cube. */
function addBrick(tree: Octree, brick: number): number {
  const first = firstOf(tree.set);
  return first[brick + 1] - first[brick] === 1 ? ~first[brick] : addNode(tree, brick, brick + 1, -1);
}

function list(tree: Octree, child: number): void {
  if (tree.listed === tree.children.length) {
    const bigger = new Int32Array(2 * tree.listed);
    bigger.set(tree.children);
    tree.children = bigger;
  }
  tree.children[tree.listed++] = child;
}

function addNode(tree: Octree, from: number, to: number, eighth: number): number {
  if (tree.size === tree.from.length) grow(tree);
  const node = tree.size++;
  tree.from[node] = from;
  tree.to[node] = to;
  tree.eighth[node] = eighth;
  const { keys, masks } = tree.set;
  const box = tree.cells.subarray(6 * node, 6 * node + 6);
  for (let axis = 0; axis < 3; axis++) {
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (let brick = from; brick < to; brick++) {
      const base = brickCell(keys[2 * brick], keys[2 * brick + 1], axis);
      // A brick inside the known range adds nothing.
      if (base >= least && base + 3 <= most) continue;
      for (let word = 0; word < 2; word++) {
        let rest = masks[2 * brick + word];
        if (eighth >= 0) rest = eighth >> 2 === word ? rest & (0xff << (8 * (eighth & 3))) : 0;
        for (; rest !== 0; rest &= rest - 1) {
          const cell = base + bitCell(32 * word + 31 - Math.clz32(rest & -rest), axis);
          if (cell < least) least = cell;
          if (cell > most) most = cell;
        }
      }
    }
    box[axis] = least;
    box[3 + axis] = most;
  }
  return node;
}

function grow(tree: Octree): void {
  const twice = <T extends Int32Array | Int8Array | Uint8Array>(old: T, bigger: T): T => {
    bigger.set(old);
    return bigger;
  };
  const n = 2 * tree.from.length;
  tree.from = twice(tree.from, new Int32Array(n));
  tree.to = twice(tree.to, new Int32Array(n));
  tree.eighth = twice(tree.eighth, new Int8Array(n));
  tree.cells = twice(tree.cells, new Int32Array(6 * n));
  tree.firstChild = twice(tree.firstChild, new Int32Array(n));
  tree.childCount = twice(tree.childCount, new Uint8Array(n));
}

const cell = new Int32Array(3);
const corners = new Float64Array(6);

export function unfoldVoxels(set: VoxelSet, node: number, into: NodeWriter): void {
  const tree = octreeOf(set);
  if (node === ROOT) {
    if (cubesOf(set) === 1) writeCube(set, 0, into);
    else writeNode(set, 0, into);
    return;
  }
  const first = childrenOf(tree, node);
  for (let i = first; i < first + tree.childCount[node]; i++) {
    const child = tree.children[i];
    if (child < 0) writeCube(set, ~child, into);
    else writeNode(set, child, into);
  }
}

function writeNode(set: VoxelSet, node: number, into: NodeWriter): void {
  const { cells } = octreeOf(set);
  for (let axis = 0; axis < 3; axis++) {
    corners[axis] = lowestOf(cells[6 * node + axis], set.precision);
    corners[3 + axis] = greatestOf(cells[6 * node + 3 + axis], set.precision);
  }
  const at = into.branch(node);
  writeBox(into.bounds, at);
}

function writeCube(set: VoxelSet, id: number, into: NodeWriter): void {
  cellOfCube(set, id, cell);
  for (let axis = 0; axis < 3; axis++) {
    corners[axis] = lowestOf(cell[axis], set.precision);
    corners[3 + axis] = greatestOf(cell[axis], set.precision);
  }
  const at = into.leaf(id, 1);
  writeBox(into.bounds, at);
}

function writeBox(bounds: Float64Array, at: number): void {
  bounds.fill(0, at, at + BOX_NUMBERS);
  for (let k = 0; k < 3; k++) {
    const centre = corners[k] / 2 + corners[3 + k] / 2;
    bounds[at + k] = centre;
    bounds[at + 4 + 5 * k] = 1;
    bounds[at + 7 + 4 * k] = Math.max(centre - corners[k], corners[3 + k] - centre) * (1 + 2 ** -50);
  }
}

/** Writes eight corners of cube `id` with coordinates in its half-open cell. */
export function hullOfVoxels(set: VoxelSet, id: number, out: Float64Array): number {
  return writeCorners(set, id, greatestOf, out);
}

/** The same for the closed cube, whose upper faces are the next cells' lower ones. */
export function closedHullOfVoxels(set: VoxelSet, id: number, out: Float64Array): number {
  return writeCorners(set, id, (k, a) => lowestOf(k + 1, a), out);
}

function writeCorners(
  set: VoxelSet,
  id: number,
  upperOf: (cell: number, precision: number) => number,
  out: Float64Array,
): number {
  cellOfCube(set, id, cell);
  for (let corner = 0; corner < 8; corner++) {
    for (let axis = 0; axis < 3; axis++) {
      const isHigh = (corner >> axis) & 1;
      out[3 * corner + axis] = (isHigh ? upperOf : lowestOf)(cell[axis], set.precision);
    }
  }
  return 8;
}

/** Bound on the corners' distance from the origin of coordinates. */
export function reachOfVoxels(set: VoxelSet): number {
  const { cells } = octreeOf(set);
  let most = 0;
  for (let i = 0; i < 6; i++) most = Math.max(most, Math.abs(cells[i]) + 1);
  return 2 * most * set.precision;
}
