/**
 * A ball inside two solids, as large as a short search finds one: a lower bound of how thick their
 * common part is, where a function says what is inside and how far its surface is nobody knows.
 *
 * The ball stands in a cube that is proved to be inside both. From where it is, the cube moves
 * along the axes to where a larger one fits.
 */
import { hullOfBox, type Located } from './located.ts';
import type { Thickness } from './thickness.ts';

/** Cubes that are tried, and by how much the next one is larger. */
const MOST_TRIES = 32;
const LARGER = 1.25;
/** Halvings of half the least width until a first cube fits. */
const MOST_HALVINGS = 24;

/**
 * The diameter of the largest ball inside both: at least that of one that was found, at most the
 * width of the narrower of the two.
 *
 * @param start x, y, z of a point strictly inside both
 */
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
  // The corners were rounded, in proportion to how far they are from the origin.
  const size = centre.reduce((most, x) => Math.max(most, Math.abs(x)), half);
  const lower = Math.max(0, 2 * half - 2 ** -50 * size);
  return { lower, upper: Math.max(lower, upper), centre: lower > 0 ? centre : null };
}

/** The point itself, and those a step along each axis from it. */
function neighbours(centre: readonly number[], step: number): number[][] {
  const all = [[...centre]];
  for (let k = 0; k < 3; k++) {
    for (const side of [-step, step]) all.push(centre.map((x, axis) => (axis === k ? x + side : x)));
  }
  return all;
}
