/** The edges that people expect of a polyhedron: borders, and those between faces at an angle. */
import { triangleNormal } from '../geometry/triangle.ts';
import { weld } from './clean.ts';
import type { Surface } from './topology.ts';

/** Cosine of the least angle between two faces, 25 degrees: round shapes have no edges. */
export const SHARP = 0.9063;
/** With more triangles, edges would hide the surface. */
const MOST_TRIANGLES = 150_000;

/** Two numbers of vertices per edge; coincident vertices count as one. */
export function sharpEdges(surface: Surface): number[] {
  const { positions, triangles } = surface;
  if (triangles.length > 3 * MOST_TRIANGLES) return [];
  const vertices = weld(surface).representative;
  const normals = normalsOf(surface);
  const open = new Map<number, number>();
  const ends: number[] = [];
  const count = positions.length / 3;
  for (let t = 0; t < triangles.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      const p = vertices[triangles[t + k]];
      const q = vertices[triangles[t + ((k + 1) % 3)]];
      if (p === q) continue;
      const key = Math.min(p, q) * count + Math.max(p, q);
      const other = open.get(key);
      if (other === undefined) {
        open.set(key, t / 3);
        continue;
      }
      open.delete(key);
      const [m, n] = [normals[t / 3], normals[other]];
      if (m && n && Math.abs(m[0] * n[0] + m[1] * n[1] + m[2] * n[2]) < SHARP) ends.push(p, q);
    }
  }
  for (const key of open.keys()) ends.push(Math.floor(key / count), key % count);
  return ends;
}

/** The normal of each triangle, of length 1; undefined if it has no area. */
function normalsOf({ positions, triangles }: Surface): (number[] | undefined)[] {
  const corners = new Float64Array(9);
  return Array.from({ length: triangles.length / 3 }, (_, t) => {
    for (let i = 0; i < 9; i++) corners[i] = positions[3 * triangles[3 * t + ((i / 3) | 0)] + (i % 3)];
    return triangleNormal(corners);
  });
}
