// The peer of F-rep collision: random search, as section 2 of S. Vyatkin, B. Dolgovesov, "Collision
// Detection of Functionally Defined Objects for Constant Time", describes that of its reference
// [14] (V. Savchenko, A. Pasko, "Collision Detection for Functionally Defined Deformable Objects",
// 1995): (1) the admissible domain D, in which the boxes of both objects overlap; (2) quasirandom
// LP-tau points in it, of which N are as close to any of its points as N^(-1/3) of its edges; (3)
// from each a spiral quadratic search for a value f >= 0 of the intersection. It ends with a point
// of both, after N trials, and each trial when its argument is found to the given accuracy.
//
// Plain doubles and no bounds: "not found" proves nothing.
//
// What the section leaves open, and what we took, always in favour of finding:
//   trial     one of the N points and the search from it; the 1000 points of the section's worst
//             case would else be 20 searches
//   f         the R-conjunction f1 + f2 - sqrt(f1^2 + f2^2), of the sign of min(f1, f2), and C1 but
//             where both are 0, as the search requires. On the minimum itself,
//             `{ isSmooth: false }`, searches along axes stop on the crest where f1 = f2
//   spiral    circles through the three axes, each half as large as the one before, the first of
//             the points' spacing. Along an axis: f at the point and a step either way, then at the top
//             of the parabola through them, two steps away at most; the best of the four is next
//   accuracy  10^-6 of D's edges, where the spiral ends
//   boxes     of the domains as they are posed; points outside of either are none of the solid
import { evaluateCube } from '#src/representations/frep/tree/evaluate';

/** @typedef {import('gicollide').FrepObject} FrepObject */
/** @typedef {import('gicollide').Pose} Pose */

/**
 * Sobol's sequence in three dimensions, without its first point, the corner: 3 `count` numbers in
 * (0, 1).
 *
 * I. Sobol, "On the Distribution of Points in a Cube and the Approximate Evaluation of Integrals"
 * (1967), in the order of Gray codes (I. Antonov, V. Saleev, 1979); direction numbers of S. Joe and
 * F. Kuo (2008): dimension 1 van der Corput's, 2 of x + 1 with m = 1, 3 of x^2 + x + 1 with m = 1,
 * 3.
 *
 * @param {number} count
 */
export function sobolPoints(count) {
  const directions = [new Uint32Array(32), new Uint32Array(32), new Uint32Array(32)];
  const m = [1, 3];
  let second = 1;
  for (let k = 0; k < 32; k++) {
    directions[0][k] = 2 ** (31 - k);
    // m_k = 2 m_(k-1) xor m_(k-1), and m_k = 2 m_(k-1) xor 4 m_(k-2) xor m_(k-2); as fractions,
    // shifted to the top.
    if (k > 0) second = (second * 2) ^ second;
    directions[1][k] = (second << (31 - k)) >>> 0;
    if (k >= 2) m.push((m[k - 1] * 2) ^ (m[k - 2] * 4) ^ m[k - 2]);
    directions[2][k] = (m[k] << (31 - k)) >>> 0;
  }
  const points = new Float64Array(3 * count);
  const state = new Uint32Array(3);
  for (let i = 0; i < count; i++) {
    // The lowest bit of i that is 0.
    const bit = 31 - Math.clz32(~i & (i + 1));
    for (let k = 0; k < 3; k++) {
      state[k] ^= directions[k][bit];
      points[3 * i + k] = state[k] / 2 ** 32;
    }
  }
  return points;
}

/** @type {Map<number, Float64Array>} */
const kept = new Map();

/** @param {number} count */
function startsOf(count) {
  const points = kept.get(count) ?? sobolPoints(count);
  kept.set(count, points);
  return points;
}

/**
 * From the common frame into an object's model cube: 12 numbers, row-major (M | t).
 *
 * @param {FrepObject} object
 * @param {Pose} pose
 */
function intoCube({ center, half }, pose) {
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

/**
 * The box, axis by axis, of an object's domain where `pose` moves it.
 *
 * @param {FrepObject} object
 * @param {Pose} pose
 */
function boxOf({ center, half, domain }, pose) {
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

// The search in progress.
/** @type {FrepObject[]} */
let objects = [];
/** @type {Float64Array[]} */
let maps = [];
let isSmooth = true;
let evaluations = 0;
const low = new Float64Array(3);
const high = new Float64Array(3);
const point = new Float64Array(3);

/** @param {number} k @param {number} x @param {number} y @param {number} z */
function cubeValue(k, x, y, z) {
  const m = maps[k];
  const { program, domain } = objects[k];
  const u = m[0] * x + m[1] * y + m[2] * z + m[3];
  const v = m[4] * x + m[5] * y + m[6] * z + m[7];
  const w = m[8] * x + m[9] * y + m[10] * z + m[11];
  const value = evaluateCube(program, u, v, w);
  const isOutside = Math.abs(u) > domain[0] || Math.abs(v) > domain[1] || Math.abs(w) > domain[2];
  return value >= 0 && isOutside ? -Number.MIN_VALUE : value;
}

/** At least 0 where both objects are. @param {number} x @param {number} y @param {number} z */
function valueAt(x, y, z) {
  evaluations++;
  const f = cubeValue(0, x, y, z);
  const g = cubeValue(1, x, y, z);
  const least = f < g ? f : g;
  if (!isSmooth || least >= 0) return least;
  const smooth = f + g - Math.sqrt(f * f + g * g);
  // Its sign is the minimum's; rounding would make a point of it.
  return smooth < 0 ? smooth : -Number.MIN_VALUE;
}

/**
 * The spiral from `point`, with steps of `size` of the domain's edges; true where it has come to a
 * point of both, left in `point`.
 *
 * @param {number} size
 * @param {number} accuracy
 */
function climb(size, accuracy) {
  let value = valueAt(point[0], point[1], point[2]);
  if (value >= 0) return true;
  for (let step = size; step > accuracy; step /= 2) {
    for (let axis = 0; axis < 3; axis++) {
      const h = step * (high[axis] - low[axis]);
      const from = point[axis];
      const after = valueOn(axis, from + h);
      if (after >= 0) return true;
      const before = valueOn(axis, from - h);
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
        const there = valueOn(axis, at);
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

/**
 * f at `point` but for one coordinate, which stays there where f >= 0; minus infinity outside of D.
 *
 * @param {number} axis
 * @param {number} at
 */
function valueOn(axis, at) {
  if (!(at >= low[axis] && at <= high[axis])) return Number.NEGATIVE_INFINITY;
  const was = point[axis];
  point[axis] = at;
  const value = valueAt(point[0], point[1], point[2]);
  if (value < 0) point[axis] = was;
  return value;
}

/**
 * Looks for a point of both objects.
 *
 * @param {FrepObject} a
 * @param {FrepObject} b
 * @param {{ poseA: Pose, poseB: Pose }} poses
 * @param {number} trials N
 * @param {{ isSmooth?: boolean, accuracy?: number }} options
 * @returns point, in the common frame, or null: not found; trials and evaluations of both functions
 *   that it took
 */
export function randomSearch(a, b, { poseA, poseB }, trials, options = {}) {
  isSmooth = options.isSmooth ?? true;
  const accuracy = options.accuracy ?? 1e-6;
  evaluations = 0;
  objects = [a, b];
  maps = [intoCube(a, poseA), intoCube(b, poseB)];
  const boxA = boxOf(a, poseA);
  const boxB = boxOf(b, poseB);
  for (let k = 0; k < 3; k++) {
    low[k] = Math.max(boxA.low[k], boxB.low[k]);
    high[k] = Math.min(boxA.high[k], boxB.high[k]);
    if (!(low[k] <= high[k])) return { point: null, trials: 0, evaluations };
  }
  const starts = startsOf(trials);
  const spacing = trials ** (-1 / 3);
  for (let i = 0; i < trials; i++) {
    for (let k = 0; k < 3; k++) point[k] = low[k] + (high[k] - low[k]) * starts[3 * i + k];
    if (climb(spacing, accuracy)) return { point: [...point], trials: i + 1, evaluations };
  }
  return { point: null, trials, evaluations };
}
