/**
 * Charts for segments and points: triangles that cleaning drops because corners coincide, and that
 * no other triangle contains. Without them, the image would be far from those parts of its source.
 */
import { weld } from '../../../../mesh/clean.ts';
import type { Mesh } from '../../../../mesh/mesh.ts';
import type { SampledChart } from './sampled-chart.ts';

/** Two triangles without area that cover the square of samples a, b; a, b. */
const HALVES = Uint32Array.of(1, 3, 2, 1, 2, 0);
const HALVES_CORNERS = Float64Array.of(1, -1, 1, 1, -1, 1, 1, -1, -1, 1, -1, -1);
const NO_SOURCE = Int32Array.of(-1, -1);

/**
 * Returns a chart of one quad for each segment and each point, unless it is an edge or corner of a
 * kept triangle; none twice. `cleaned` is as in cleanMesh.
 */
export function chartsOfDropped(mesh: Mesh, cleaned: Int32Array): SampledChart[] {
  if (!cleaned.includes(-1)) return [];
  const { positions, triangles } = mesh;
  const { representative } = weld(mesh);
  const count = positions.length / 3;
  const isHeld = new Uint8Array(count);
  const segments = new Map<number, [number, number]>();
  const points = new Set<number>();
  const key = (v: number, w: number): number => Math.min(v, w) * count + Math.max(v, w);
  for (let t = 0; t < cleaned.length; t++) {
    const [a, b, c] = [0, 1, 2].map((k) => representative[triangles[3 * t + k]]);
    if (cleaned[t] >= 0) isHeld[a] = isHeld[b] = isHeld[c] = 1;
    else if (a === b && b === c) points.add(a);
    else segments.set(key(a, a === b ? c : b), [a, a === b ? c : b]);
  }
  for (let h = 0; h < triangles.length && segments.size > 0; h++) {
    const next = h % 3 === 2 ? h - 2 : h + 1;
    if (cleaned[(h / 3) | 0] >= 0) segments.delete(key(representative[triangles[h]], representative[triangles[next]]));
  }
  for (const [a, b] of segments.values()) isHeld[a] = isHeld[b] = 1;
  const left = Array.from(points).filter((v) => isHeld[v] === 0);
  return [...segments.values(), ...left.map((v) => [v, v])].map(([a, b]) => chartOf(positions, a, b));
}

function chartOf(from: Float64Array, a: number, b: number): SampledChart {
  const positions = new Float64Array(12);
  [a, b, a, b].forEach((v, i) => {
    positions.set(from.subarray(3 * v, 3 * v + 3), 3 * i);
  });
  const normals = new Float64Array(12);
  const source = { positions, triangles: HALVES, normals, corners: HALVES_CORNERS, folded: false, source: NO_SOURCE };
  return { exponent: 0, positions, normals, source };
}
