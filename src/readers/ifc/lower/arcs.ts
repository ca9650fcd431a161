/** Corners on circles and arcs, computed with + - * / and sqrt only: the same on every machine. */
import { sineCosine } from '../../../math/sine.ts';

/** How finely curves are cut: the chord tolerance in the file's unit, a circle's least corners. */
export interface Fineness {
  chord: number;
  corners: number;
}

/** More corners add nothing but triangles: the chord is below 5e-10 of the radius. */
const MOST_CORNERS = 1 << 16;

/**
 * Corners of a full circle, a multiple of 4: the fewest whose chords are within the tolerance of
 * the circle, and no fewer than `corners`.
 */
export function cornersOf({ chord, corners }: Fineness, radius: number): number {
  const [angle, most] = [new Float64Array(2), Math.max(corners, MOST_CORNERS)];
  // The sagitta r (1 - cos a) = 2 r sin(a / 2)^2, where a is half a chord's angle.
  const fits = (n: number): boolean => {
    sineCosine(Math.PI / (2 * n), angle);
    return 2 * radius * angle[0] * angle[0] <= chord;
  };
  let high = Math.ceil(corners / 4);
  if (fits(4 * high)) return 4 * high;
  let low = high;
  while (4 * high < most && !fits(4 * high)) [low, high] = [high, 2 * high];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fits(4 * middle)) high = middle;
    else low = middle;
  }
  return 4 * high;
}

/** Cosines and sines of a full turn in equal steps; those of quarters are exact. */
export const turnIn = (steps: number): [number, number][] => {
  const out = new Float64Array(2);
  return Array.from({ length: steps }, (_, k) => turned((2 * Math.PI * k) / steps, out));
};

/**
 * Points on an arc, both ends included: from the unit vector `from` by `turn` radians, in a plane.
 * Multiples of a quarter turn from an axis are exact.
 */
export function arcPoints(
  fineness: Fineness,
  arc: { center: readonly number[]; radius: number; from: readonly number[]; turn: number },
): number[][] {
  const { center, radius, from, turn } = arc;
  const circle = cornersOf(fineness, radius);
  const steps = Math.max(1, Math.ceil((circle * Math.abs(turn)) / (2 * Math.PI) - 1e-9));
  const out = new Float64Array(2);
  return Array.from({ length: steps + 1 }, (_, k) => {
    const [cosine, sine] = turned((turn * k) / steps, out);
    const [x, y] = [from[0] * cosine - from[1] * sine, from[1] * cosine + from[0] * sine];
    return [center[0] + radius * x, center[1] + radius * y];
  });
}

/** Cosine and sine; those of quarter turns are 0, 1 and -1. */
export function turned(angle: number, out: Float64Array): [number, number] {
  const quarters = angle / (Math.PI / 2);
  if (Math.abs(quarters - Math.round(quarters)) < 1e-12) {
    const k = ((Math.round(quarters) % 4) + 4) % 4;
    return [[1, 0, -1, 0][k], [0, 1, 0, -1][k]];
  }
  sineCosine(angle, out);
  return [out[1], out[0]];
}
