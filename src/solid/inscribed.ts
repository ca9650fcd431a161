/**
 * Finds a ball inside two solids: a lower bound of the thickness of their intersection, for
 * functions whose surface is at an unknown distance.
 *
 * The ball is in a cube that is proved to be inside both. From there the cube moves along the axes
 * to where a larger one fits.
 */
import { hullOfBox, type Located } from './located.ts';
import type { Thickness } from './thickness.ts';

const MOST_TRIES = 32;
const LARGER = 1.25;
const MOST_HALVINGS = 24;

/** Bounds it by a ball found and the narrower one's width; `start` is strictly inside both. */
export function inscribedIn(a: Located, b: Located, start: readonly number[]): Omit<Thickness, 'isNarrow'> {
  let upper = Math.min(a.width, b.width);
  for (let k = 0; k < 3; k++) {
    upper = Math.min(upper, Math.min(a.box[3 + k], b.box[3 + k]) - Math.max(a.box[k], b.box[k]));
  }
  upper *= 1 + 2 ** -50;
  let centre = [...start];
  const fits = (at: readonly number[], half: number): boolean => {
    const [low, high] = [at.map((x) => x - half), at.map((x) => x + half)];
    return a.place(hullOfBox(low, high)) === 'inside' && b.place(hullOfBox(low, high)) === 'inside';
  };
  let half = upper / 2;
  for (let n = 0; n <= MOST_HALVINGS && !fits(centre, half); n++) half = n < MOST_HALVINGS ? half / 2 : 0;
  let tries = 0;
  for (let step = half; step > half / 8 && tries < MOST_TRIES; ) {
    const larger = half * LARGER;
    const better = neighbours(centre, step).find((at) => tries++ < MOST_TRIES && fits(at, larger));
    if (better) {
      centre = better;
      half = larger;
      step = half;
    } else step /= 2;
  }
  // Corners were rounded, in proportion to their distance from the origin.
  const size = centre.reduce((most, x) => Math.max(most, Math.abs(x)), half);
  const lower = Math.max(0, 2 * half - 2 ** -50 * size);
  return { lower, upper: Math.max(lower, upper), centre: lower > 0 ? centre : null };
}

function neighbours(centre: readonly number[], step: number): number[][] {
  const all = [[...centre]];
  for (let k = 0; k < 3; k++) {
    for (const side of [-step, step]) all.push(centre.map((x, axis) => (axis === k ? x + side : x)));
  }
  return all;
}
