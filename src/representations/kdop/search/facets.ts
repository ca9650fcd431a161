/**
 * Finds the facet of a k-DOP's directions whose cone holds a vector, without a search. The signs of
 * the coordinates and the order of their sizes leave one facet or two.
 *
 * All directions of dop-directions.ts are axes, edges and corners of a cube. Three signs and one
 * order of sizes cut space into 48 cones. An axis, an edge and a corner span each cone. If all
 * three are among the directions (k = 26, and most of k = 24), the cone belongs to one facet.
 * Otherwise it holds parts of at most two facets, which a grid of its inner points finds. If one
 * were missed, the image on that axis would be looser, but never wrong.
 */
import { type DopSize, dopDirections } from '../tree/dop-directions.ts';

const CELLS = 64;
const GRID = 8;

const tables = new Map<DopSize, Uint8Array>();

export function facetTable(k: DopSize): Uint8Array {
  let table = tables.get(k);
  if (table) return table;
  table = new Uint8Array(2 * CELLS);
  const { normals } = dopDirections(k);
  for (let signs = 0; signs < 8; signs++) {
    for (const [i, j, l] of [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ]) {
      const found = new Set<number>();
      const v = [0, 0, 0];
      for (let corner = 1; corner <= GRID; corner++) {
        for (let edge = 1; edge <= GRID; edge++) {
          for (let axis = 1; axis <= GRID; axis++) {
            v[l] = corner;
            v[j] = corner + edge;
            v[i] = corner + edge + axis;
            for (let c = 0; c < 3; c++) if ((signs >> c) & 1) v[c] = -v[c];
            found.add(facetAlong(normals, v));
          }
        }
      }
      if (found.size > 2) throw new Error(`k ${k}: ${found.size} facets for one order of coordinates`);
      const cell = 2 * cellOf(v[0], v[1], v[2]);
      const [first, second = first] = [...found].sort((p, q) => p - q);
      table[cell] = first;
      table[cell + 1] = second;
    }
  }
  tables.set(k, table);
  return table;
}

function facetAlong(normals: Float64Array, v: readonly number[]): number {
  let most = Number.NEGATIVE_INFINITY;
  let facet = 0;
  for (let f = 0; f < normals.length / 3; f++) {
    const along = normals[3 * f] * v[0] + normals[3 * f + 1] * v[1] + normals[3 * f + 2] * v[2];
    if (along > most + 1e-9) {
      most = along;
      facet = f;
    }
  }
  return facet;
}

export function cellOf(x: number, y: number, z: number): number {
  const p = Math.abs(x);
  const q = Math.abs(y);
  const r = Math.abs(z);
  return (
    Number(x < 0) + 2 * Number(y < 0) + 4 * Number(z < 0) + 8 * Number(p < q) + 16 * Number(q < r) + 32 * Number(p < r)
  );
}
