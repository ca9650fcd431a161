/** Renders cubes, or the octants of a level, as a surface. */

import { OptionError } from '../../../base/errors.ts';
import type { Surface } from '../../../mesh/topology.ts';
import { type CubeSet, cellOfCube, cellsOf, cubesOf, firstCubes, type VoxelSet } from './cube-set.ts';
import { childrenOf, octreeOf } from './octree.ts';

/** Corner i is + along axis k if bit k is set. Two triangles each: -x, +x, -y, +y, -z, +z. */
const FACES = [
  [0, 4, 2, 2, 4, 6],
  [1, 3, 5, 3, 7, 5],
  [0, 1, 4, 1, 5, 4],
  [2, 6, 3, 3, 6, 7],
  [0, 2, 1, 1, 2, 3],
  [4, 5, 6, 5, 7, 6],
];

/** Larger files can't be opened, and a Map can't hold the corners. */
const MOST_DRAWN = 2 ** 22;

/** The faces of cubes that no other cube shares. Throws OptionError above 2^22 cubes. */
export function cubeSurface(set: CubeSet): Surface {
  const count = firstCubes(set)[set.keys.length / 2];
  if (count > MOST_DRAWN) throw new OptionError(`expected at most ${MOST_DRAWN} cubes for a surface, found ${count}`);
  const cells = cellsOf(set);
  const taken = new Set<string>();
  for (let i = 0; i < cells.length; i += 3) taken.add(`${cells[i]} ${cells[i + 1]} ${cells[i + 2]}`);
  const builder = new SurfaceBuilder(set.precision);
  for (let i = 0; i < cells.length; i += 3) {
    const [x, y, z] = [cells[i], cells[i + 1], cells[i + 2]];
    for (let face = 0; face < 6; face++) {
      const step = face & 1 ? 1 : -1;
      const axis = face >> 1;
      const beside = [x, y, z].map((k, a) => (a === axis ? k + step : k)).join(' ');
      if (!taken.has(beside)) builder.addFace([x, y, z, x, y, z], face);
    }
  }
  return builder.surface();
}

export function depthOfVoxels(set: VoxelSet): number {
  if (cubesOf(set) === 1) return 0;
  const tree = octreeOf(set);
  let deepest = 0;
  const pending = [0, 0];
  while (pending.length > 0) {
    const level = pending.pop() as number;
    const node = pending.pop() as number;
    const first = childrenOf(tree, node);
    deepest = Math.max(deepest, level + 1);
    for (let i = first; i < first + tree.childCount[node]; i++) {
      if (tree.children[i] >= 0) pending.push(tree.children[i], level + 1);
    }
  }
  return deepest;
}

/** Boxes of `level`, and cubes above it. Throws OptionError if there is no such level. */
export function octantMesh(set: VoxelSet, level: number): Surface {
  const deepest = depthOfVoxels(set);
  if (!Number.isInteger(level) || level < 0 || level > deepest) {
    throw new OptionError(`level ${level}: this octree has the levels 0 to ${deepest}`);
  }
  const tree = octreeOf(set);
  const nodes: number[] = [];
  const pending = cubesOf(set) === 1 ? [~0, 0] : [0, 0];
  while (pending.length > 0) {
    const at = pending.pop() as number;
    const node = pending.pop() as number;
    if (node < 0 || at === level) nodes.push(node);
    else {
      const first = childrenOf(tree, node);
      for (let i = first; i < first + tree.childCount[node]; i++) pending.push(tree.children[i], at + 1);
    }
  }
  return boxesOf(set, nodes);
}

export function boxesOf(set: VoxelSet, nodes: readonly number[]): Surface {
  const builder = new SurfaceBuilder(set.precision);
  const { cells } = octreeOf(set);
  const cell = new Int32Array(3);
  for (const node of nodes) {
    if (node < 0) cellOfCube(set, ~node, cell);
    const box = node < 0 ? [...cell, ...cell] : cells.subarray(6 * node, 6 * node + 6);
    for (let face = 0; face < 6; face++) builder.addFace(box, face);
  }
  return builder.surface();
}

/** Collects faces of boxes on the grid; coincident corners are merged. */
class SurfaceBuilder {
  private readonly positions: number[] = [];
  private readonly triangles: number[] = [];
  private readonly vertices = new Map<string, number>();

  constructor(private readonly precision: number) {}

  addFace(box: ArrayLike<number>, face: number): void {
    for (const corner of FACES[face]) {
      const at = [0, 1, 2].map((axis) => ((corner >> axis) & 1 ? box[3 + axis] + 1 : box[axis]));
      const key = at.join(' ');
      let vertex = this.vertices.get(key);
      if (vertex === undefined) {
        vertex = this.vertices.size;
        this.vertices.set(key, vertex);
        for (const k of at) this.positions.push(k * this.precision);
      }
      this.triangles.push(vertex);
    }
  }

  surface(): Surface {
    return { positions: Float64Array.from(this.positions), triangles: Uint32Array.from(this.triangles) };
  }
}
