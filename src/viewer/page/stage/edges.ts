/**
 * The edges that the eye expects of a polyhedron: where two faces meet at an angle, and borders.
 */
import type { Shape } from '../../protocol.ts';

/** Cosine of the least angle between two faces: rounder shapes, such as spheres, have no edges. */
const SHARP = Math.cos((25 * Math.PI) / 180);
/** Beyond, edges would hide what they are edges of. */
const MOST_TRIANGLES = 150_000;

/** x, y, z of both ends each. */
export function sharpEdges({ positions, triangles }: Shape): Float32Array {
  if (triangles.length > 3 * MOST_TRIANGLES) return new Float32Array();
  const vertices = welded(positions);
  const normals = normalsOf(positions, triangles);
  /** By an edge, the first of its triangles, until its other one is met. */
  const open = new Map<number, number>();
  const out: number[] = [];
  const count = positions.length / 3;
  const add = (p: number, q: number): void => {
    for (const v of [p, q]) out.push(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]);
  };
  const hasNormal = (t: number): boolean => normals[t] !== 0 || normals[t + 1] !== 0 || normals[t + 2] !== 0;
  for (let t = 0; t < triangles.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      const p = vertices[triangles[t + k]];
      const q = vertices[triangles[t + ((k + 1) % 3)]];
      if (p === q) continue;
      const key = Math.min(p, q) * count + Math.max(p, q);
      const other = open.get(key);
      if (other === undefined) {
        open.set(key, t);
        continue;
      }
      open.delete(key);
      const cosine =
        normals[t] * normals[other] + normals[t + 1] * normals[other + 1] + normals[t + 2] * normals[other + 2];
      if (Math.abs(cosine) < SHARP && hasNormal(t) && hasNormal(other)) add(p, q);
    }
  }
  for (const key of open.keys()) add(Math.floor(key / count), key % count);
  return Float32Array.from(out);
}

/** For each vertex the first one at its place. */
function welded(positions: Float32Array): Uint32Array {
  const first = new Map<string, number>();
  const out = new Uint32Array(positions.length / 3);
  for (let v = 0; v < out.length; v++) {
    const place = `${positions[3 * v]},${positions[3 * v + 1]},${positions[3 * v + 2]}`;
    if (!first.has(place)) first.set(place, v);
    out[v] = first.get(place)!;
  }
  return out;
}

/** x, y, z a triangle, of length 1; 0 where it has no area. */
function normalsOf(positions: Float32Array, triangles: Uint32Array): Float32Array {
  const out = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const [p, q, r] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const [e0, e1, e2] = [0, 1, 2].map((k) => positions[q + k] - positions[p + k]);
    const [f0, f1, f2] = [0, 1, 2].map((k) => positions[r + k] - positions[p + k]);
    const normal = [e1 * f2 - e2 * f1, e2 * f0 - e0 * f2, e0 * f1 - e1 * f0];
    const length = Math.hypot(...normal) || 1;
    for (let k = 0; k < 3; k++) out[t + k] = normal[k] / length;
  }
  return out;
}
