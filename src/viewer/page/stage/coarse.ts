/**
 * Simplifies a surface for small images: vertices in one grid cell merge at their mean, and
 * collapsed triangles vanish (Rossignac and Borrel, "Multi-resolution 3D approximations for
 * rendering complex scenes", 1993).
 */

import type { Box } from '../../camera.ts';
import type { Shape } from '../../protocol.ts';

const CELLS = 8;

/** Approximate result: the cells around a ball. Smaller surfaces are not simplified. */
export const FEW_TRIANGLES = 200;

/** Returns the shape itself if little would be gained. */
export function coarsened(shape: Shape): Shape {
  const { positions, triangles, origin } = shape;
  const box = boxOf(positions);
  const size = Math.max(...box.low.map((low, k) => box.high[k] - low));
  if (triangles.length < 3 * FEW_TRIANGLES || !(size > 0)) return shape;
  const cells = new Map<number, number>();
  const counts: number[] = [];
  const sums: number[] = [];
  const clustered = new Uint32Array(positions.length / 3);
  for (let v = 0; v < clustered.length; v++) {
    let cell = 0;
    for (let k = 0; k < 3; k++) {
      const at = Math.floor((CELLS * (positions[3 * v + k] - box.low[k])) / size);
      cell = cell * CELLS + Math.min(at, CELLS - 1);
    }
    const number = cells.get(cell) ?? cells.size;
    cells.set(cell, number);
    clustered[v] = number;
    counts[number] = (counts[number] ?? 0) + 1;
    for (let k = 0; k < 3; k++) sums[3 * number + k] = (sums[3 * number + k] ?? 0) + positions[3 * v + k];
  }
  const seen = new Set<string>();
  const kept: number[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    const corners = [clustered[triangles[t]], clustered[triangles[t + 1]], clustered[triangles[t + 2]]];
    if (corners[0] === corners[1] || corners[1] === corners[2] || corners[2] === corners[0]) continue;
    const key = [...corners].sort((one, other) => one - other).join();
    if (seen.has(key)) continue;
    seen.add(key);
    kept.push(...corners);
  }
  if (kept.length === 0) return shape;
  const middles = Float32Array.from(sums, (sum, i) => sum / counts[Math.floor(i / 3)]);
  return { positions: middles, triangles: Uint32Array.from(kept), origin };
}

function boxOf(positions: Float32Array): Box {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i++) {
    low[i % 3] = Math.min(low[i % 3], positions[i]);
    high[i % 3] = Math.max(high[i % 3], positions[i]);
  }
  return { low, high };
}
