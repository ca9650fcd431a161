/** Finds triangles without area, and triangles with the same three corners as others. */
import { planarAxis } from '../geometry/adjacent-triangles.ts';
import { compareCorners } from '../mesh/clean.ts';
import type { Shells } from '../mesh/shells.ts';
import type { Surface } from '../mesh/topology.ts';
import { counted, type Findings } from './found.ts';

/** @param cleaned the result of `distinctTriangles` for the shells' corners */
export function lintFaces({ positions }: Surface, { corners }: Shells, cleaned: Int32Array, found: Findings): void {
  if (found.isOn('degenerate-face')) lintDegenerate(positions, corners, cleaned, found);
  if (found.isOn('duplicate-face') || found.isOn('coincident-face')) {
    lintRepeated(positions, corners, cleaned, found);
  }
}

function lintDegenerate(positions: Float64Array, corners: Uint32Array, cleaned: Int32Array, found: Findings): void {
  for (let t = 0; t < cleaned.length; t++) {
    const [a, b, c] = [3 * corners[3 * t], 3 * corners[3 * t + 1], 3 * corners[3 * t + 2]];
    if (cleaned[t] >= 0 && planarAxis(positions, a, b, c) >= 0) continue;
    const message =
      cleaned[t] >= 0
        ? 'a triangle without area: its corners are on one line'
        : a === b && b === c
          ? 'a triangle without area: its corners are one point'
          : 'a triangle without area: two of its corners are one point';
    found.add('degenerate-face', { triangles: [t], count: 1, point: pointAt(positions, a), message });
  }
}

function lintRepeated(positions: Float64Array, corners: Uint32Array, cleaned: Int32Array, found: Findings): void {
  const first = new Int32Array(cleaned.length).fill(-1);
  const sets = new Map<number, { same: number[]; opposite: number[] }>();
  for (let t = 0; t < cleaned.length; t++) {
    const number = cleaned[t];
    if (number < 0) continue;
    if (first[number] < 0) {
      first[number] = t;
      continue;
    }
    const set = sets.get(first[number]) ?? { same: [first[number]], opposite: [] };
    sets.set(first[number], set);
    const sense = compareCorners(corners, 3 * first[number], corners[3 * t], corners[3 * t + 1], corners[3 * t + 2]);
    (sense > 0 ? set.same : set.opposite).push(t);
  }
  for (const [t, { same, opposite }] of [...sets].sort(([a], [b]) => a - b)) {
    const point = pointAt(positions, 3 * corners[3 * t]);
    for (const triangles of [same, opposite]) {
      if (triangles.length < 2) continue;
      const message = `${counted(triangles.length, 'triangle')} on the same three corners, the same way round`;
      found.add('duplicate-face', { triangles, count: triangles.length, point, message });
    }
    if (opposite.length === 0) continue;
    const message = 'two triangles on the same three corners, back to back';
    const triangles = [same[0], opposite[0]];
    found.add('coincident-face', { triangles, count: same.length + opposite.length, point, message });
  }
}

const pointAt = (positions: Float64Array, at: number): number[] => Array.from(positions.subarray(at, at + 3));
