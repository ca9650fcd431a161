/** The bounding box, diagonal and float32 range of a surface. */
import { MeshError } from '../base/errors.ts';
import type { Surface } from './topology.ts';

/** An axis-aligned box: x, y, z of its lowest corner, then of its highest. */
export type Box = Float64Array;

/** The least box of a surface's triangles; without any, its lowest corner is above its highest. */
export function boxOf(positions: ArrayLike<number>, triangles: Uint32Array): Box {
  let lowX = Infinity;
  let lowY = Infinity;
  let lowZ = Infinity;
  let highX = -Infinity;
  let highY = -Infinity;
  let highZ = -Infinity;
  for (let i = 0; i < triangles.length; i++) {
    const at = 3 * triangles[i];
    const x = positions[at];
    const y = positions[at + 1];
    const z = positions[at + 2];
    if (x < lowX) lowX = x;
    if (x > highX) highX = x;
    if (y < lowY) lowY = y;
    if (y > highY) highY = y;
    if (z < lowZ) lowZ = z;
    if (z > highZ) highZ = z;
  }
  return Float64Array.of(lowX, lowY, lowZ, highX, highY, highZ);
}

export function diagonalOf({ positions, triangles }: Surface): number {
  if (triangles.length === 0) return 0;
  const box = boxOf(positions, triangles);
  const edges = [0, 1, 2].map((k) => box[3 + k] - box[k]);
  return Math.sqrt(edges.reduce((sum, edge) => sum + edge * edge, 0));
}

/** Float32 nodes reach to 3.4e38. */
export const LARGEST_COORDINATE = 1e37;

/**
 * Returns, for trees of float32 nodes, the middle of the used vertices, a bound of their distance
 * from it, and the largest of their coordinates. The bound is never 0: a single point gets a box
 * with a size. Throws MeshError for coordinates beyond the range of float32 nodes.
 */
export function floatExtent(positions: Float64Array | Float32Array, triangles: Uint32Array) {
  // Unused vertices too, as they are stored.
  for (let i = 0; i < positions.length; i++) {
    if (!(Math.abs(positions[i]) <= LARGEST_COORDINATE)) {
      throw new MeshError(`expected coordinates up to ${LARGEST_COORDINATE}, found ${positions[i]}: scale the mesh`);
    }
  }
  const origin = new Float64Array(3);
  const reach = new Float64Array(3);
  const box = boxOf(positions, triangles);
  let largest = 0;
  for (let k = 0; k < 3; k++) {
    const least = box[k];
    const most = box[3 + k];
    // JSON has no -0.
    origin[k] = least / 2 + most / 2 + 0;
    reach[k] = Math.max(most - origin[k], origin[k] - least);
    largest = Math.max(largest, Math.abs(least), Math.abs(most));
  }
  const length = Math.sqrt(reach[0] * reach[0] + reach[1] * reach[1] + reach[2] * reach[2]);
  return { origin, reach: Math.max(length * (1 + 1e-12), largest * 2 ** -40, 1e-30), largest };
}
