/** Makes vertices of triangles' corners that have only coordinates. */
import { emptyTable, hashPosition } from '../mesh/clean.ts';

/**
 * Merges corners whose coordinates are equal as numbers (0 and -0 are), in the order of first use;
 * the first one's coordinates are kept. The table keeps only the first corner of each vertex and
 * loads its coordinates again, so that a file of a gigabyte needs no copy.
 *
 * @param load puts x, y, z of a corner into `out`
 * @returns x, y, z of vertex v at 3v; three vertex numbers a triangle
 */
export function joinCorners(
  count: number,
  load: (corner: number, out: Float64Array) => void,
): { positions: Float64Array; triangles: Uint32Array } {
  const triangles = new Uint32Array(count);
  const vertexCount = numberCorners(triangles, load);
  const positions = new Float64Array(3 * vertexCount);
  const point = new Float64Array(3);
  for (let corner = 0, vertex = 0; vertex < vertexCount; corner++) {
    if (triangles[corner] !== vertex) continue;
    load(corner, point);
    for (let k = 0; k < 3; k++) positions[3 * vertex + k] = point[k];
    vertex++;
  }
  return { positions, triangles };
}

function numberCorners(triangles: Uint32Array, load: (corner: number, out: Float64Array) => void): number {
  const point = new Float64Array(3);
  const other = new Float64Array(3);
  // A closed surface has half as many vertices as triangles.
  let table = emptyTable(triangles.length / 6);
  let vertexCount = 0;
  for (let corner = 0; corner < triangles.length; corner++) {
    load(corner, point);
    const mask = table.length - 1;
    let slot = hashPosition(point[0], point[1], point[2]) & mask;
    for (; table[slot] >= 0; slot = (slot + 1) & mask) {
      load(table[slot], other);
      if (other[0] === point[0] && other[1] === point[1] && other[2] === point[2]) break;
    }
    if (table[slot] >= 0) {
      triangles[corner] = triangles[table[slot]];
      continue;
    }
    table[slot] = corner;
    triangles[corner] = vertexCount++;
    if (2 * vertexCount > table.length) table = enlarged(table, load);
  }
  return vertexCount;
}

function enlarged(table: Int32Array, load: (corner: number, out: Float64Array) => void): Int32Array {
  const point = new Float64Array(3);
  const larger = new Int32Array(2 * table.length).fill(-1);
  const mask = larger.length - 1;
  for (const corner of table) {
    if (corner < 0) continue;
    load(corner, point);
    let slot = hashPosition(point[0], point[1], point[2]) & mask;
    while (larger[slot] >= 0) slot = (slot + 1) & mask;
    larger[slot] = corner;
  }
  return larger;
}
