/**
 * Random search for a common point of two functionally defined solids: the method that the seed
 * paper compares itself with.
 *
 * S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant
 * Time", section 2, describes the search of its reference 14 (V. Savchenko, A. Pasko, "Collision
 * Detection for Functionally Defined Deformable Objects", 1995): (1) The admissible domain D is the
 * part where the boxes of both overlap. (2) N quasirandom LP-tau points in D are as close to any of
 * its points as N^(-1/3) of its edges. (3) A spiral quadratic search from each looks for a value f
 * >= 0 of the intersection. The search ends with such a point, or after N trials; a trial ends at
 * the given accuracy.
 *
 * Our reading, where the section leaves it open, always in favor of finding:
 *   trial     one of the N points and the search from it
 *   f         the R-conjunction f1 + f2 - sqrt(f1^2 + f2^2), of the sign of min(f1, f2), and C1 but
 *             where both are 0, as the search requires. On the minimum itself (`isSmooth: false`)
 *             searches along axes stop on the crest where f1 = f2
 *   spiral    circles through the three axes, each half as large as the one before, the first of
 *             the points' spacing. Along an axis: f at the point and a step either way, then at the
 *             top of the parabola through these three, two steps away at most; the best is next
 *   boxes     of the domains as they are posed; points outside of either are in neither solid
 *
 * Plain doubles and no bounds: `none` proves nothing, and `found` is proved apart.
 */
import type { Outcome, Query, RandomSearch } from '../../../engine/records.ts';
import type { Pose } from '../../../math/pose.ts';
import { evaluateCube, timeOf } from '../tree/evaluate.ts';
import type { FrepObject } from '../tree/program.ts';
import { holdsPoint } from './descent.ts';
import { provedBeside } from './seed.ts';

/** N of the paper's worst case. */
const DEFAULT_TRIALS = 1000;
export const MOST_TRIALS = 2 ** 20;

const directions: Uint32Array[] = [];

/**
 * Writes point `i` from 1 of Sobol's sequence in three dimensions, in (0, 1), from point i - 1.
 *
 * I. Sobol, "On the Distribution of Points in a Cube and the Approximate Evaluation of Integrals"
 * (1967), in the order of Gray codes (I. Antonov, V. Saleev, 1979). Direction numbers of S. Joe and
 * F. Kuo (2008): dimension 1 van der Corput's, 2 of x + 1 with m = 1, 3 of x^2 + x + 1 with m = 1,
 * 3.
 *
 * @param state three numbers of the point before; 0, 0, 0 before the first
 */
function nextSobol(i: number, state: Uint32Array, out: Float64Array): void {
  if (directions.length === 0) directions.push(...directionNumbers());
  // The lowest bit of i - 1 that is 0.
  const bit = 31 - Math.clz32(~(i - 1) & i);
  for (let k = 0; k < 3; k++) {
    state[k] ^= directions[k][bit];
    out[k] = state[k] / 2 ** 32;
  }
}

function directionNumbers(): Uint32Array[] {
  const numbers = [new Uint32Array(32), new Uint32Array(32), new Uint32Array(32)];
  const m = [1, 3];
  let second = 1;
  for (let k = 0; k < 32; k++) {
    numbers[0][k] = 2 ** (31 - k);
    // m_k = 2 m_(k-1) xor m_(k-1), and m_k = 2 m_(k-1) xor 4 m_(k-2) xor m_(k-2); as fractions,
    // shifted to the top.
    if (k > 0) second = (second * 2) ^ second;
    numbers[1][k] = (second << (31 - k)) >>> 0;
    if (k >= 2) m.push((m[k - 1] * 2) ^ (m[k - 2] * 4) ^ m[k - 2]);
    numbers[2][k] = (m[k] << (31 - k)) >>> 0;
  }
  return numbers;
}

/** Returns Sobol's first points, without the corner: 3 `count` numbers in (0, 1). */
export function sobolPoints(count: number): Float64Array {
  const points = new Float64Array(3 * count);
  const state = new Uint32Array(3);
  for (let i = 1; i <= count; i++) nextSobol(i, state, points.subarray(3 * i - 3, 3 * i));
  return points;
}

/** From the common frame into an object's model cube: 12 numbers, row-major (M | t). */
function intoCube({ center, half }: FrepObject, pose: Pose): Float64Array {
  const map = new Float64Array(12);
  for (let i = 0; i < 3; i++) {
    let at = -center[i];
    for (let j = 0; j < 3; j++) {
      map[4 * i + j] = pose[4 * j + i] / half;
      at -= pose[4 * j + i] * pose[4 * j + 3];
    }
    map[4 * i + 3] = at / half;
  }
  return map;
}

/** The box, axis by axis, of an object's domain where `pose` moves it. */
function boxOf({ center, half, domain }: FrepObject, pose: Pose): { low: number[]; high: number[] } {
  const low = [];
  const high = [];
  for (let i = 0; i < 3; i++) {
    let at = pose[4 * i + 3];
    let reach = 0;
    for (let j = 0; j < 3; j++) {
      at += pose[4 * i + j] * center[j];
      reach += Math.abs(pose[4 * i + j]) * half * domain[j];
    }
    low.push(at - reach);
    high.push(at + reach);
  }
  return { low, high };
}

interface Placed {
  object: FrepObject;
  map: Float64Array;
  time: number;
}

export interface RandomOptions {
  /** N. Default: 1000. */
  trials?: number;
  /** A trial ends at steps of this part of D's edges. */
  accuracy: number;
  /** False to search on the minimum of the two functions. */
  isSmooth?: boolean;
}

interface Search {
  sides: [Placed, Placed];
  isSmooth: boolean;
  accuracy: number;
  evaluations: number;
  low: number[];
  high: number[];
  /** The state of the search; at its end, the common point. */
  point: Float64Array;
}

const cube = new Float64Array(3);

function placeIn(map: Float64Array, x: number, y: number, z: number): Float64Array {
  for (let i = 0; i < 3; i++) cube[i] = map[4 * i] * x + map[4 * i + 1] * y + map[4 * i + 2] * z + map[4 * i + 3];
  return cube;
}

function cubeValue({ object, map, time }: Placed, x: number, y: number, z: number): number {
  placeIn(map, x, y, z);
  const u = cube[0];
  const v = cube[1];
  const w = cube[2];
  const { program, domain } = object;
  const value = evaluateCube(program, u, v, w, time);
  // The solid has no point where the function has no value.
  if (!Number.isFinite(value)) return Number.NEGATIVE_INFINITY;
  const isOutside = Math.abs(u) > domain[0] || Math.abs(v) > domain[1] || Math.abs(w) > domain[2];
  return value >= 0 && isOutside ? -Number.MIN_VALUE : value;
}

/** At least 0 where both objects are. */
function valueAt(search: Search, x: number, y: number, z: number): number {
  search.evaluations++;
  const f = cubeValue(search.sides[0], x, y, z);
  const g = cubeValue(search.sides[1], x, y, z);
  const least = f < g ? f : g;
  if (!search.isSmooth || least >= 0) return least;
  const smooth = f + g - Math.sqrt(f * f + g * g);
  // The sign is the minimum's; rounding would turn it into a point.
  return smooth < 0 ? smooth : -Number.MIN_VALUE;
}

/** Runs the spiral from `point`, with steps of `size` of D's edges. True at a point of both. */
function climb(search: Search, size: number): boolean {
  const { point, low, high, accuracy } = search;
  let value = valueAt(search, point[0], point[1], point[2]);
  if (value >= 0) return true;
  for (let step = size; step > accuracy; step /= 2) {
    for (let axis = 0; axis < 3; axis++) {
      const h = step * (high[axis] - low[axis]);
      const from = point[axis];
      const after = valueOn(search, axis, from + h);
      if (after >= 0) return true;
      const before = valueOn(search, axis, from - h);
      if (before >= 0) return true;
      let best = from;
      const start = value;
      if (after > value) {
        value = after;
        best = from + h;
      }
      if (before > value) {
        value = before;
        best = from - h;
      }
      const bend = before - 2 * start + after;
      if (bend < 0) {
        const top = (h * (before - after)) / (2 * bend);
        const at = from + (top > 2 * h ? 2 * h : top < -2 * h ? -2 * h : top);
        const there = valueOn(search, axis, at);
        if (there >= 0) return true;
        if (there > value) {
          value = there;
          best = at;
        }
      }
      point[axis] = best;
    }
  }
  return false;
}

/** f at `point` except one coordinate, which stays there if f >= 0; -Infinity outside of D. */
function valueOn(search: Search, axis: number, at: number): number {
  const { point, low, high } = search;
  if (!(at >= low[axis] && at <= high[axis])) return Number.NEGATIVE_INFINITY;
  const was = point[axis];
  point[axis] = at;
  const value = valueAt(search, point[0], point[1], point[2]);
  if (value < 0) point[axis] = was;
  return value;
}

/** By Newton's method, the same on every engine, for `n` from 1 to MOST_TRIALS. */
function cubeRoot(n: number): number {
  let root = n;
  for (let step = 0; step < 64; step++) root = (2 * root + n / (root * root)) / 3;
  return root;
}

/** Looks for a common point, in the common frame. The same input gives the same points. */
export function randomSearch(
  a: FrepObject,
  b: FrepObject,
  { poseA, poseB }: Pick<Query, 'poseA' | 'poseB'>,
  { trials = DEFAULT_TRIALS, accuracy, isSmooth = true }: RandomOptions,
): RandomSearch {
  const boxes = [boxOf(a, poseA), boxOf(b, poseB)];
  const low = [0, 1, 2].map((k) => Math.max(boxes[0].low[k], boxes[1].low[k]));
  const high = [0, 1, 2].map((k) => Math.min(boxes[0].high[k], boxes[1].high[k]));
  if (![0, 1, 2].every((k) => low[k] <= high[k])) return { answer: 'none', trials: 0, evaluations: 0, point: null };
  const search: Search = {
    sides: [
      { object: a, map: intoCube(a, poseA), time: timeOf(a) },
      { object: b, map: intoCube(b, poseB), time: timeOf(b) },
    ],
    ...{ isSmooth, accuracy, evaluations: 0, low, high, point: new Float64Array(3) },
  };
  const spacing = 1 / cubeRoot(trials);
  const state = new Uint32Array(3);
  const start = new Float64Array(3);
  for (let i = 1; i <= trials; i++) {
    nextSobol(i, state, start);
    for (let k = 0; k < 3; k++) search.point[k] = low[k] + (high[k] - low[k]) * start[k];
    if (!climb(search, spacing)) continue;
    return { answer: 'found', trials: i, evaluations: search.evaluations, point: [...search.point] };
  }
  return { answer: 'none', trials, evaluations: search.evaluations, point: null };
}

/** The answer of the random search, and the proved verdict. */
export function checkAtRandom(a: FrepObject, b: FrepObject, query: Query): Outcome {
  const finest = Math.max(a.resolution, b.resolution);
  const accuracy = 2 ** -Math.min(finest, query.level ?? finest);
  const trials = query.own?.trials as number | undefined;
  const random = randomSearch(a, b, query, { accuracy, ...(trials !== undefined && { trials }) });
  let proved: number[] | null = null;
  if (random.point) {
    const [x, y, z] = random.point;
    const at = [...placeIn(intoCube(a, query.poseA), x, y, z)];
    if (holdsPoint(a, b, query, at)) proved = at;
  }
  const effort = { ...random, proved, complete: random.answer === 'none', bounds: 0 };
  return { ...provedBeside(a, b, query, effort), random };
}
