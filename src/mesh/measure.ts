/** A surface's area, and whether it is closed. */
import { weld } from './clean.ts';
import { twiceArea } from './deviation.ts';
import { nextInTriangle, type Surface } from './topology.ts';

/** What `info` says of a surface beside its box. */
export interface Measures {
  area: number;
  /**
   * Edges with an odd number of triangles, where vertices at one point are one: there it is open.
   * Cubes that share an edge alone have four triangles there, and are closed.
   */
  openEdges: number;
}

/**
 * Measures a surface. Takes 8 bytes for each side of a triangle, and sorts these.
 *
 * @example measureSurface(readObj(bytes)).openEdges // 0
 */
export function measureSurface({ positions, triangles }: Surface): Measures {
  const { representative } = weld({ positions, triangles });
  const vertexCount = positions.length / 3;
  let area = 0;
  const edges = new Float64Array(triangles.length);
  let sides = 0;
  for (let h = 0; h < triangles.length; h++) {
    if (h % 3 === 0) area += twiceArea(positions, 3 * triangles[h], 3 * triangles[h + 1], 3 * triangles[h + 2]) / 2;
    const from = representative[triangles[h]];
    const to = representative[triangles[nextInTriangle(h)]];
    if (from !== to) edges[sides++] = Math.min(from, to) * vertexCount + Math.max(from, to);
  }
  const sorted = edges.subarray(0, sides).sort();
  let openEdges = 0;
  for (let i = 0, end = 0; i < sides; i = end) {
    while (end < sides && sorted[end] === sorted[i]) end++;
    if ((end - i) % 2 === 1) openEdges++;
  }
  return { area, openEdges };
}
