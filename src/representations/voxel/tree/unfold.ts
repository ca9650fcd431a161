/** Adapts cubes to the common engine: the octree of their order, down to single cubes. */
import { BOX_NUMBERS } from '../../../geometry/rounded-box.ts';
import { type NodeWriter, ROOT } from '../../../query/bound-tree.ts';
import { childrenOf, octreeOf } from './octree.ts';
import { cellOfCube, cubesOf, greatestOf, lowestOf, type VoxelSet } from './voxel-set.ts';

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
