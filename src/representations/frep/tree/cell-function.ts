/**
 * Evaluates a program on nested cells: bounds of its value on a cell, and at the cell's center.
 * Also keeps a solid's functions from query to query.
 *
 * S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant
 * Time", sections 3.3 and 3.3.1; T. Duff, "Interval Arithmetic and Recursive Subdivision for
 * Implicit Functions and Constructive Solid Geometry" (1992), for sets; M. Keeter, "Massively
 * Parallel Rendering of Complex Closed-Form Implicit Surfaces" (2020), for programs that become
 * shorter from cell to cell.
 *
 * A cell is an affine image of the cube |u'_k| <= 1. `start` sets depth 0; depth d + 1 is one half
 * of the cell of depth d. Each leaf is in the coordinates of the cell, with a bound on how far
 * rounding has moved its values there. A half moves no more than its cell, so bounds add up from
 * depth to depth. Kernels have three functions:
 *
 *     substitute(leaf, map, slack, out, outAt): e
 *         G with |F(M u' + t + d) - G(u')| <= e on the cube for every |d_k| <= slack;
 *         map is (M | t), row-major, 12 numbers
 *     halve(leaf, axis, side, out, outAt): e
 *         H with |G(.., (u'_axis + side) / 2, ..) - H(u')| <= e on the cube
 *     model(leaf, out, outAt): r
 *         a quadric within r of G on the cube
 *
 * So every function is a quadric and a remainder on its cell. The source's tests on sums of
 * absolute coefficients become tests on these:
 *
 *     sum             quadrics add, remainders add
 *     perturbation    f + a max(q, 0)^2. With q <= 0 on the cell it is f, there and in all cells
 *                     within (test 10, which as printed would drop a perturbation that is positive
 *                     throughout, too: it lacks A44 < 0). With q >= 0 it is f + a q^2, a quadric
 *                     again up to terms of third degree: with q = c + L + N, L of degree 1, N of
 *                     degree 2, q^2 = c^2 + 2c(L + N) + L^2 + N (2L + N). Else max(q, 0)^2 is in
 *                     [0, max q ^2]. Adding bounds, as the source does, loses half of an order: a
 *                     cell of edge h would stay undecided h from the surface, here h^2 from it. The
 *                     bounds are the better of both, for a of either sign.
 *     blends          the better of bounds by their arguments' and a line in the two arguments'
 *                     quadrics, see blend.ts. Without an amount, if only the sign matters, it is
 *                     that of the minimum or maximum, which replaces the blend in the cells within.
 *     products        of c_f + L_f + N_f and c_g + L_g + N_g, terms of third and fourth degree cut
 *     functions       an expansion k_0 + k_1 x + k_2 x^2 of the argument, see taylor.ts, with x a
 *                     quadric: as for a perturbation above 0. If its error exceeds half the range,
 *                     the range's middle replaces it.
 *     times t         see below
 *     set operations  bounds by minimum and maximum. If one argument cannot be the extreme, or
 *                     cannot change the sign of the whole, it is dropped for the cells within.
 *
 * Time. Let the requested times be m + h s with |s| <= 1. Then statements about a cell hold at each
 * of them, and s is one more coordinate: a model is q(u') + d s, q a quadric, d the drift, within r
 * of the function. So for approaching solids the bounds are off by products of lengths and times,
 * or of times. Cells are never halved along s; shorter times need a new start. For t f, with f
 * within r of q + d s, c the constant of q, |q| the sum of its ten sizes:
 *     t f = m q + (m d + h c) s + [h s (q - c) + h d s^2] + t (f - q - d s)
 * So its model is m q, its drift m d + h c, and it is within
 *     h (|q| - |c|) + h |d| + (|m| + h) r
 * of that. Rounding of m q, m d, h c and a sum is below 4 e (|m| |q| + |m d| + h |c|), that of
 * |q| - |c| below 11 e |q|. Bounds of f give others: the products of the ends.
 */
import { type Blend, boundBlend, lineOfBlend } from './blend.ts';
import {
  evaluatePolynomial,
  halvePolynomial,
  majorantOfPolynomial,
  modelPolynomial,
  substitutePolynomial,
} from './polynomial.ts';
import {
  type FrepObject,
  isBlend,
  isFunction,
  isLeaf,
  numbersOfLeaf,
  OP,
  type Program,
  requireProgram,
  timesOf,
} from './program.ts';
import { boundQuadric, halveQuadric, substituteQuadric } from './quadric.ts';
import { boundFunction, EXPANSION, EXPANSION_NUMBERS, expandFunction } from './taylor.ts';
import {
  evaluateWaves,
  evaluationErrorOfWaves,
  halveWaves,
  modelWaves,
  substituteWaves,
  type Waves,
  wavesDrift,
} from './waves.ts';

const EPSILON = 2 ** -53;
const OUTWARD = 1 + 2 ** -48;
/** Exceeds any underflow, times any amount. */
const TINY = 2 ** -700;

/** The rest of the program in a cell: `count` instructions, arguments first, the root last. */
interface Tape {
  count: number;
  op: Uint8Array;
  left: Int32Array;
  right: Int32Array;
  own: Int32Array;
  /** 1 if only the sign of its value matters: >= 0 or < 0. */
  isSign: Uint8Array;
  isModel: Uint8Array;
  /** Instructions whose intersection is the root: if one is negative, so is the root. */
  conjuncts: Int32Array;
  conjunctCount: number;
}

/** Most conjuncts: the last ones in the program, including the domain's. */
const MOST_CONJUNCTS = 12;
const MOST_STEPS = 64;

const line = new Float64Array(4);
const expansion = new Float64Array(EXPANSION_NUMBERS);
const ends = new Float64Array(2);

interface Frame {
  tape: Tape;
  room: Tape | null;
  /** Tape for the cells within, once `shorten` has been called. */
  next: Tape;
  data: Float64Array;
  error: Float64Array;
}

function newTape(capacity: number): Tape {
  return {
    count: 0,
    op: new Uint8Array(capacity),
    left: new Int32Array(capacity),
    right: new Int32Array(capacity),
    own: new Int32Array(capacity),
    isSign: new Uint8Array(capacity),
    isModel: new Uint8Array(capacity),
    conjuncts: new Int32Array(MOST_CONJUNCTS),
    conjunctCount: 0,
  };
}

export class CellFunction {
  /** Bounds of the value on the last cell of `bound`; of its sign alone, after a drop. */
  lower = 0;
  upper = 0;
  centreLower = 0;
  centreUpper = 0;

  private readonly whole: Tape;
  private readonly numbers: Float64Array;
  private readonly numbersAt: Int32Array;
  private readonly dataAt: Int32Array;
  private readonly size: Int32Array;
  private readonly amount: Float64Array;
  private readonly timeAt: Int32Array;
  /** By instruction; only those of blends are there. */
  private readonly blends: Blend[] = [];
  /** Filled by `leaf`, for one call. */
  private readonly current: Waves;
  private timeMiddle = 0;
  private timeHalf = 0;
  private timeFirst = 0;
  private timeLast = 0;
  private readonly dataLength: number;
  private readonly ownCount: number;
  private readonly frames: Frame[] = [];
  /** By slot at the last `bound`: a quadric, its distance from the function, value bounds. */
  readonly models: Float64Array;
  readonly remainder: Float64Array;
  readonly drift: Float64Array;
  readonly lowers: Float64Array;
  readonly uppers: Float64Array;
  private readonly centreLowers: Float64Array;
  private readonly centreUppers: Float64Array;
  private readonly alias: Int32Array;
  private readonly slotOf: Int32Array;

  /**
   * `domain`: half extents, at most 1, of the object's box in the program's coordinates; null: F
   * alone. `isOutside`: beyond that box is inside, too: the program is the closed complement's.
   */
  constructor(program: Program, domain: ArrayLike<number> | null, { isOutside = false }: { isOutside?: boolean } = {}) {
    const own = program.ops.length;
    const count = own + (domain ? 6 : 0);
    this.numbersAt = new Int32Array(count);
    this.dataAt = new Int32Array(count);
    this.size = new Int32Array(count);
    this.amount = new Float64Array(count);
    this.timeAt = new Int32Array(count);
    const tape = newTape(count);
    tape.count = count;
    let data = 0;
    for (let i = 0; i < own; i++) {
      const op = program.ops[i];
      tape.op[i] = op;
      tape.own[i] = i;
      this.dataAt[i] = data;
      if (isLeaf(op)) {
        this.numbersAt[i] = program.left[i];
        this.size[i] = program.right[i];
        this.timeAt[i] = program.third[i];
        data += numbersOfLeaf(op, program.right[i]);
      } else {
        tape.left[i] = program.left[i];
        tape.right[i] = program.right[i];
        if (op === OP.PERTURBATION || isBlend(op) || isFunction(op)) {
          this.amount[i] = program.numbers[program.third[i]];
          this.numbersAt[i] = program.third[i];
        }
        if (isBlend(op)) this.blends[i] = { isJoin: op === OP.JOIN, numbers: program.numbers, at: program.third[i] };
      }
    }
    // Three slabs d^2 - u^2, each intersected with the previous; outside, unions of negatives.
    const sign = isOutside ? -1 : 1;
    this.numbers = new Float64Array(program.numbers.length + (domain ? 30 : 0));
    this.numbers.set(program.numbers);
    for (let k = 0; domain && k < 3; k++) {
      const slab = own + 2 * k;
      const at = program.numbers.length + 10 * k;
      this.numbers[at + k] = -sign;
      this.numbers[at + 9] = sign * domain[k] * domain[k];
      this.numbersAt[slab] = at;
      this.dataAt[slab] = data;
      this.size[slab] = 10;
      data += 10;
      tape.op[slab] = OP.QUADRIC;
      tape.op[slab + 1] = isOutside ? OP.UNION : OP.INTERSECTION;
      tape.own[slab] = slab;
      tape.own[slab + 1] = slab + 1;
      tape.left[slab + 1] = slab - 1;
      tape.right[slab + 1] = slab;
    }
    this.current = { numbers: this.numbers, at: 0, size: 0, frequencies: this.numbers, from: 0 };
    this.ownCount = own;
    this.dataLength = data;
    this.whole = tape;
    markUses(tape);
    this.models = new Float64Array(10 * count);
    this.remainder = new Float64Array(count);
    this.drift = new Float64Array(count);
    this.lowers = new Float64Array(count);
    this.uppers = new Float64Array(count);
    this.centreLowers = new Float64Array(count);
    this.centreUppers = new Float64Array(count);
    this.alias = new Int32Array(count);
    this.slotOf = new Int32Array(count);
  }

  private leaf(numbers: Float64Array, at: number, i: number): Waves {
    const { current } = this;
    current.numbers = numbers;
    current.at = at;
    current.size = this.size[i];
    current.from = this.timeAt[i];
    return current;
  }

  /** Sets the times from `from` to `to`, for the next `start`. */
  during(from: number, to: number): void {
    // A single time is not rounded.
    const middle = from === to ? from : from / 2 + to / 2;
    this.timeMiddle = middle;
    this.timeHalf = from === to ? 0 : Math.max(middle - from, to - middle) * (1 + 2 ** -50) + TINY;
    this.timeFirst = from;
    this.timeLast = to;
  }

  /**
   * Sets the cell of depth 0: u = M u' + t, `map` being (M | t), row-major, twelve numbers. Results
   * hold for all u within `slack` in each coordinate.
   */
  start(map: Float64Array, slack: number): void {
    const frame = this.frame(0);
    const tape = this.whole;
    frame.tape = tape;
    frame.next = tape;
    for (let i = 0; i < tape.count; i++) {
      const op = tape.op[i];
      if (!isLeaf(op)) continue;
      const substitute =
        op === OP.QUADRIC ? substituteQuadric : op === OP.POLYNOMIAL ? substitutePolynomial : substituteWaves;
      let error = substitute(this.leaf(this.numbers, this.numbersAt[i], i), map, slack, frame.data, this.dataAt[i]);
      // The square of the domain's half extent was rounded: relative error, or underflow.
      if (i >= this.ownCount) error += 2 * EPSILON * Math.abs(this.numbers[this.numbersAt[i] + 9]) + TINY;
      frame.error[i] = error;
    }
  }

  /**
   * Sets the cell of depth + 1: a half of that of `depth`, on the negative (side -1) or positive
   * side (1) of its center along an axis.
   */
  halve(depth: number, axis: number, side: number): void {
    const from = this.frames[depth];
    const to = this.frame(depth + 1);
    const tape = from.next;
    to.tape = tape;
    to.next = tape;
    for (let s = 0; s < tape.count; s++) {
      const op = tape.op[s];
      if (op > OP.WAVES) continue;
      const i = tape.own[s];
      const at = this.dataAt[i];
      const leaf = this.leaf(from.data, at, i);
      const error =
        op === OP.QUADRIC
          ? halveQuadric(leaf, axis, side, to.data, at)
          : op === OP.POLYNOMIAL
            ? halvePolynomial(leaf, axis, side, to.data, at)
            : halveWaves(leaf, axis, side, to.data, at);
      to.error[i] = (from.error[i] + error) * OUTWARD;
    }
  }

  bound(depth: number): void {
    const { tape, data, error } = this.frames[depth];
    const { lowers, uppers, models, remainder, drift } = this;
    const { op, left, right, own, isModel } = tape;
    for (let s = 0; s < tape.count; s++) {
      const i = own[s];
      drift[s] = 0;
      switch (op[s]) {
        case OP.QUADRIC:
          remainder[s] = error[i];
          boundQuadric(data, this.dataAt[i], error[i], lowers, uppers, s);
          if (isModel[s]) {
            const at = this.dataAt[i];
            for (let k = 0; k < 10; k++) models[10 * s + k] = data[at + k];
          }
          break;
        case OP.POLYNOMIAL:
          remainder[s] = (modelPolynomial(this.leaf(data, this.dataAt[i], i), models, 10 * s) + error[i]) * OUTWARD;
          boundQuadric(models, 10 * s, remainder[s], lowers, uppers, s);
          break;
        case OP.WAVES:
          this.boundWaves(s, i, data, error[i]);
          break;
        case OP.TIMED:
          this.scaleByTime(s, left[s]);
          break;
        case OP.SUM:
          this.add(s, left[s], right[s]);
          break;
        case OP.PERTURBATION:
          this.perturb(s, left[s], right[s], this.amount[i], isModel[s]);
          break;
        case OP.JOIN:
        case OP.MEET:
          this.blend(s, left[s], right[s], this.blends[i]);
          break;
        case OP.PRODUCT:
          this.multiply(s, left[s], right[s]);
          break;
        case OP.POWER:
        case OP.SINE:
        case OP.COSINE:
        case OP.EXPONENTIAL:
        case OP.LOGARITHM:
          this.apply(s, left[s], op[s], i);
          break;
        default:
          this.combine(s, left[s], right[s], op[s], isModel[s]);
      }
    }
    this.lower = lowers[tape.count - 1];
    this.upper = uppers[tape.count - 1];
  }

  private boundWaves(s: number, i: number, data: Float64Array, error: number): void {
    const { models, remainder, lowers, uppers, drift } = this;
    const cut = modelWaves(this.leaf(data, this.dataAt[i], i), models, 10 * s, this.timeMiddle, this.timeHalf);
    remainder[s] = (cut + error) * OUTWARD;
    drift[s] = this.timeAt[i] > 0 ? wavesDrift[0] : 0;
    boundQuadric(models, 10 * s, remainder[s] + Math.abs(drift[s]), lowers, uppers, s);
  }

  private scaleByTime(s: number, f: number): void {
    const { models, remainder, lowers, uppers, drift, timeMiddle: m, timeHalf: h } = this;
    const to = 10 * s;
    if (m === 0 && h === 0) {
      // 0 for every f, even if f is unknown.
      models.fill(0, to, to + 10);
      remainder[s] = lowers[s] = uppers[s] = 0;
      return;
    }
    const constant = models[10 * f + 9];
    const d = drift[f];
    let size = 0;
    for (let k = 0; k < 10; k++) {
      size += Math.abs(models[10 * f + k]);
      models[to + k] = m * models[10 * f + k];
    }
    drift[s] = m * d + h * constant;
    const farthest = Math.abs(m) + h;
    const cut = h * (size - Math.abs(constant) + Math.abs(d)) + farthest * remainder[f];
    // The second sum includes the subtraction's rounding.
    const rounded = Math.abs(m) * size + Math.abs(m * d) + h * size;
    remainder[s] = (cut + 16 * EPSILON * rounded) * OUTWARD + TINY;
    const whole = remainder[s] + Math.abs(drift[s]);
    if (whole < Number.POSITIVE_INFINITY) boundQuadric(models, to, whole, lowers, uppers, s);
    else this.knowNothing(s);
    this.tightenProduct(s, lowers[f], uppers[f]);
  }

  private knowNothing(s: number): void {
    this.models.fill(0, 10 * s, 10 * s + 10);
    this.drift[s] = 0;
    this.remainder[s] = this.uppers[s] = Number.POSITIVE_INFINITY;
    this.lowers[s] = Number.NEGATIVE_INFINITY;
  }

  private tightenProduct(s: number, low: number, high: number): void {
    const { timeFirst: first, timeLast: last } = this;
    const least = Math.min(first * low, first * high, last * low, last * high);
    const most = Math.max(first * low, first * high, last * low, last * high);
    this.tighten(s, least, most);
  }

  private add(s: number, f: number, g: number): void {
    const { models, remainder, lowers, uppers, drift } = this;
    let size = 0;
    for (let k = 0; k < 10; k++) {
      const sum = models[10 * f + k] + models[10 * g + k];
      size += Math.abs(sum);
      models[10 * s + k] = sum;
    }
    drift[s] = drift[f] + drift[g];
    const moved = Math.abs(drift[s]);
    remainder[s] = (remainder[f] + remainder[g] + 2 * EPSILON * (size + moved)) * OUTWARD;
    boundQuadric(models, 10 * s, remainder[s] + moved, lowers, uppers, s);
    this.tighten(s, lowers[f] + lowers[g], uppers[f] + uppers[g]);
  }

  private tighten(s: number, lower: number, upper: number): void {
    const least = lower - 2 * EPSILON * Math.abs(lower) - TINY;
    const most = upper + 2 * EPSILON * Math.abs(upper) + TINY;
    if (least > this.lowers[s]) this.lowers[s] = least;
    if (most < this.uppers[s]) this.uppers[s] = most;
  }

  private perturb(s: number, f: number, q: number, amount: number, isModel: number): void {
    const { models, remainder, lowers, uppers, drift } = this;
    drift[s] = drift[f];
    const highest = uppers[q];
    const to = 10 * s;
    const base = 10 * f;
    if (highest <= 0) {
      lowers[s] = lowers[f];
      uppers[s] = uppers[f];
      if (isModel) for (let k = 0; k < 10; k++) models[to + k] = models[base + k];
      remainder[s] = remainder[f];
      return;
    }
    const lowest = lowers[q] > 0 ? lowers[q] : 0;
    const least = lowest * lowest * (1 - 2 ** -50);
    const most = highest * highest * (1 + 2 ** -50) + TINY;
    const strength = Math.abs(amount);
    if (!(most < Number.POSITIVE_INFINITY)) {
      this.knowNothing(s);
      this.tighten(s, amount > 0 ? lowers[f] : Number.NaN, amount > 0 ? Number.NaN : uppers[f]);
      return;
    }
    let size = 0;
    for (let k = 0; k < 10; k++) size += Math.abs(models[base + k]);
    if (lowers[q] >= 0) {
      const at = 10 * q;
      const q11 = models[at];
      const q22 = models[at + 1];
      const q33 = models[at + 2];
      const q12 = models[at + 3];
      const q13 = models[at + 4];
      const q23 = models[at + 5];
      const q14 = models[at + 6];
      const q24 = models[at + 7];
      const q34 = models[at + 8];
      const c = models[at + 9];
      const twice = 2 * c;
      models[to] = models[base] + amount * (twice * q11 + q14 * q14);
      models[to + 1] = models[base + 1] + amount * (twice * q22 + q24 * q24);
      models[to + 2] = models[base + 2] + amount * (twice * q33 + q34 * q34);
      models[to + 3] = models[base + 3] + amount * (twice * q12 + 2 * q14 * q24);
      models[to + 4] = models[base + 4] + amount * (twice * q13 + 2 * q14 * q34);
      models[to + 5] = models[base + 5] + amount * (twice * q23 + 2 * q24 * q34);
      models[to + 6] = models[base + 6] + amount * twice * q14;
      models[to + 7] = models[base + 7] + amount * twice * q24;
      models[to + 8] = models[base + 8] + amount * twice * q34;
      models[to + 9] = models[base + 9] + amount * c * c;
      const linear = Math.abs(q14) + Math.abs(q24) + Math.abs(q34);
      const second = Math.abs(q11) + Math.abs(q22) + Math.abs(q33) + Math.abs(q12) + Math.abs(q13) + Math.abs(q23);
      // (c + L + N + d s)^2 also has 2 c d s, and d s (2 (L + N) + d s), which is cut.
      const d = Math.abs(drift[q]);
      drift[s] = drift[f] + amount * twice * drift[q];
      const whole = Math.abs(c) + linear + second + d;
      const cut =
        second * (2 * linear + second) + d * (2 * (linear + second) + d) + remainder[q] * (2 * whole + remainder[q]);
      size += Math.abs(drift[f]);
      remainder[s] =
        (remainder[f] + strength * (cut + 8 * EPSILON * whole * whole) + 4 * EPSILON * size) * OUTWARD + TINY;
    } else {
      for (let k = 0; k < 9; k++) models[to + k] = models[base + k];
      models[to + 9] = models[base + 9] + (amount * most) / 2;
      remainder[s] = (remainder[f] + (strength * most) / 2 + 4 * EPSILON * (size + strength * most)) * OUTWARD + TINY;
    }
    boundQuadric(models, to, remainder[s] + Math.abs(drift[s]), lowers, uppers, s);
    const low = amount > 0 ? amount * least * (1 - 2 ** -50) : amount * most * (1 + 2 ** -50);
    const high = amount > 0 ? amount * most * (1 + 2 ** -50) : amount * least * (1 - 2 ** -50);
    this.tighten(s, lowers[f] + low - TINY, uppers[f] + high + TINY);
  }

  private blend(s: number, f: number, g: number, own: Blend): void {
    const { models, remainder, lowers, uppers, drift } = this;
    lineOfBlend(own, lowers[f], uppers[f], lowers[g], uppers[g], line);
    const [alongF, alongG, constant, rest] = line;
    let size = Math.abs(constant);
    for (let k = 0; k < 10; k++) {
      const x = alongF * models[10 * f + k];
      const y = alongG * models[10 * g + k];
      size += Math.abs(x) + Math.abs(y);
      models[10 * s + k] = x + y;
    }
    models[10 * s + 9] += constant;
    const [driftF, driftG] = [alongF * drift[f], alongG * drift[g]];
    drift[s] = driftF + driftG;
    size += Math.abs(driftF) + Math.abs(driftG);
    const cut = Math.abs(alongF) * remainder[f] + Math.abs(alongG) * remainder[g] + rest;
    remainder[s] = (cut + 8 * EPSILON * size) * OUTWARD + TINY;
    const whole = remainder[s] + Math.abs(drift[s]);
    if (whole < Number.POSITIVE_INFINITY) boundQuadric(models, 10 * s, whole, lowers, uppers, s);
    else this.knowNothing(s);
    boundBlend(own, lowers[f], uppers[f], lowers[g], uppers[g], ends);
    if (ends[0] > lowers[s]) lowers[s] = ends[0];
    if (ends[1] < uppers[s]) uppers[s] = ends[1];
  }

  /**
   * f g with f = p + rho_f, g = q + rho_g, p and q with their drifts:
   *   f g - p q = rho_f g + p rho_g
   */
  private multiply(s: number, f: number, g: number): void {
    const { models, remainder, lowers, uppers, drift } = this;
    const [p, q] = [10 * f, 10 * g];
    const to = 10 * s;
    const [constantF, constantG] = [models[p + 9], models[q + 9]];
    let [linearF, secondF, linearG, secondG] = [0, 0, 0, 0];
    for (let k = 0; k < 6; k++) {
      secondF += Math.abs(models[p + k]);
      secondG += Math.abs(models[q + k]);
    }
    for (let k = 6; k < 9; k++) {
      linearF += Math.abs(models[p + k]);
      linearG += Math.abs(models[q + k]);
    }
    for (let k = 0; k < 9; k++) models[to + k] = constantF * models[q + k] + constantG * models[p + k];
    for (let k = 0; k < 3; k++) models[to + k] += models[p + 6 + k] * models[q + 6 + k];
    models[to + 3] += models[p + 6] * models[q + 7] + models[p + 7] * models[q + 6];
    models[to + 4] += models[p + 6] * models[q + 8] + models[p + 8] * models[q + 6];
    models[to + 5] += models[p + 7] * models[q + 8] + models[p + 8] * models[q + 7];
    models[to + 9] = constantF * constantG;
    drift[s] = constantF * drift[g] + constantG * drift[f];
    const [driftF, driftG] = [Math.abs(drift[f]), Math.abs(drift[g])];
    const wholeF = Math.abs(constantF) + linearF + secondF + driftF;
    const wholeG = Math.abs(constantG) + linearG + secondG + driftG;
    const cut =
      linearF * secondG +
      secondF * (linearG + secondG) +
      driftF * (linearG + secondG) +
      driftG * (linearF + secondF) +
      driftF * driftG;
    const farthest = Math.min(wholeG + remainder[g], Math.max(-lowers[g], uppers[g]));
    const rest = cut + remainder[f] * farthest + wholeF * remainder[g];
    remainder[s] = (rest + 16 * EPSILON * wholeF * wholeG) * OUTWARD + TINY;
    boundProduct(lowers[f], uppers[f], lowers[g], uppers[g]);
    this.settle(s, ends[0], ends[1]);
  }

  /** Bounds a slot by its model, if it has one, and by its range; NaN if that is unknown. */
  private settle(s: number, least: number, most: number): void {
    const { models, remainder, lowers, uppers, drift } = this;
    const whole = remainder[s] + Math.abs(drift[s]);
    if (whole < Number.POSITIVE_INFINITY) boundQuadric(models, 10 * s, whole, lowers, uppers, s);
    else this.knowNothing(s);
    this.tighten(s, least, most);
    // Without a model, or with one that is worse, there is the range.
    const half = uppers[s] / 2 - lowers[s] / 2;
    if (!(half < Number.POSITIVE_INFINITY) || remainder[s] <= half) return;
    models.fill(0, 10 * s, 10 * s + 9);
    const middle = uppers[s] / 2 + lowers[s] / 2;
    models[10 * s + 9] = middle;
    drift[s] = 0;
    remainder[s] = Math.max(uppers[s] - middle, middle - lowers[s]) * OUTWARD + TINY;
  }

  /** The amount times k_0 + k_1 x + k_2 x^2, with x = g + L + N + d s + rho; g is `from`. */
  private apply(s: number, f: number, op: number, i: number): void {
    const { models, remainder, lowers, uppers, drift } = this;
    const amount = this.amount[i];
    const exponent = op === OP.POWER ? this.numbers[this.numbersAt[i] + 1] : 0;
    const at = 10 * f;
    const to = 10 * s;
    if (remainder[f] < Number.POSITIVE_INFINITY && expandFunction(op, exponent, lowers[f], uppers[f], expansion)) {
      const from = models[at + 9] - expansion[EXPANSION.MIDDLE];
      const constant = expansion[EXPANSION.CONSTANT];
      const first = expansion[EXPANSION.SLOPE];
      const bend = expansion[EXPANSION.BEND];
      const slope = first + 2 * bend * from;
      const [x, y, z] = [models[at + 6], models[at + 7], models[at + 8]];
      let second = 0;
      for (let k = 0; k < 6; k++) second += Math.abs(models[at + k]);
      const linear = Math.abs(x) + Math.abs(y) + Math.abs(z);
      const moved = Math.abs(drift[f]);
      const rest = linear + second + moved;
      const along = amount * slope;
      const curve = amount * bend;
      models[to] = along * models[at] + curve * x * x;
      models[to + 1] = along * models[at + 1] + curve * y * y;
      models[to + 2] = along * models[at + 2] + curve * z * z;
      models[to + 3] = along * models[at + 3] + 2 * curve * x * y;
      models[to + 4] = along * models[at + 4] + 2 * curve * x * z;
      models[to + 5] = along * models[at + 5] + 2 * curve * y * z;
      for (let k = 6; k < 9; k++) models[to + k] = along * models[at + k];
      models[to + 9] = amount * (constant + (first + bend * from) * from);
      drift[s] = along * drift[f];
      const cut = second * (2 * linear + second) + moved * (2 * (linear + second) + moved);
      const off = remainder[f];
      const size = Math.abs(from) + rest;
      const rounded = Math.abs(constant) + Math.abs(first) * size + 2 * Math.abs(bend) * size * size;
      remainder[s] =
        Math.abs(amount) *
          (expansion[EXPANSION.ERROR] +
            Math.abs(slope) * off +
            Math.abs(bend) * (cut + off * (2 * rest + off)) +
            16 * EPSILON * rounded) *
          OUTWARD +
        TINY;
    } else this.knowNothing(s);
    boundFunction(op, exponent, lowers[f], uppers[f], ends);
    const [least, most] = [amount * ends[amount > 0 ? 0 : 1], amount * ends[amount > 0 ? 1 : 0]];
    this.settle(s, least, most);
  }

  private combine(s: number, f: number, g: number, op: number, isModel: number): void {
    const { models, remainder, lowers, uppers } = this;
    const isMinimum = op === OP.INTERSECTION;
    lowers[s] = isMinimum ? Math.min(lowers[f], lowers[g]) : Math.max(lowers[f], lowers[g]);
    uppers[s] = isMinimum ? Math.min(uppers[f], uppers[g]) : Math.max(uppers[f], uppers[g]);
    if (!isModel) return;
    const above = lowers[f] >= uppers[g] ? f : lowers[g] >= uppers[f] ? g : -1;
    if (above >= 0) {
      const which = 10 * (isMinimum ? f + g - above : above);
      for (let k = 0; k < 10; k++) models[10 * s + k] = models[which + k];
      remainder[s] = remainder[which / 10];
      this.drift[s] = this.drift[which / 10];
      return;
    }
    const middle = lowers[s] / 2 + uppers[s] / 2;
    const isKnown = Math.abs(middle) < Number.POSITIVE_INFINITY;
    for (let k = 0; k < 9; k++) models[10 * s + k] = 0;
    models[10 * s + 9] = isKnown ? middle : 0;
    if (!isKnown) remainder[s] = Number.POSITIVE_INFINITY;
    else remainder[s] = Math.max(middle - lowers[s], uppers[s] - middle) * OUTWARD + TINY;
  }

  /**
   * Drops instructions that cannot matter within the cell of `depth`, by the last results of
   * `bound`, which must be for this depth. Later cells of `halve` have shorter programs.
   */
  shorten(depth: number): void {
    const frame = this.frames[depth];
    const { tape } = frame;
    const { alias, lowers, uppers } = this;
    const { op, left, right, isSign } = tape;
    let isChanged = false;
    for (let s = 0; s < tape.count; s++) {
      alias[s] = s;
      if (op[s] < OP.PERTURBATION || op[s] >= OP.TIMED) continue;
      const f = left[s];
      const g = right[s];
      let by = -1;
      if (op[s] > OP.UNION) {
        const set = this.setOf(tape, s);
        if (isBlend(set)) continue;
        // For a blend, the sign alone decides what can be dropped.
        isChanged = true;
        const isOut = (argument: number) => (set === OP.UNION ? uppers[argument] < 0 : lowers[argument] >= 0);
        by = isOut(g) ? f : isOut(f) ? g : -1;
      } else if (op[s] === OP.PERTURBATION) {
        if (uppers[g] <= 0) by = f;
      } else if (op[s] === OP.INTERSECTION) {
        if (lowers[f] >= uppers[g] || (isSign[s] && lowers[f] >= 0)) by = g;
        else if (lowers[g] >= uppers[f] || (isSign[s] && lowers[g] >= 0)) by = f;
      } else if (lowers[f] >= uppers[g] || (isSign[s] && uppers[g] < 0)) by = f;
      else if (lowers[g] >= uppers[f] || (isSign[s] && uppers[f] < 0)) by = g;
      if (by < 0) continue;
      alias[s] = alias[by];
      isChanged = true;
    }
    frame.next = tape;
    if (!isChanged) return;
    frame.room ??= newTape(this.whole.count);
    frame.next = frame.room;
    this.compact(tape, frame.room);
  }

  /** Returns the set operation with a blend's sign if only the sign matters and the amount is 0. */
  private setOf({ op, own, isSign }: Tape, s: number): number {
    if (!isBlend(op[s]) || !isSign[s] || this.amount[own[s]] !== 0) return op[s];
    return op[s] === OP.JOIN ? OP.UNION : OP.INTERSECTION;
  }

  /**
   * Shortens the cell of depth 0 itself, after its `bound`, and bounds it again. This drops the
   * outside parts of a union, so that the rest has conjuncts.
   */
  focus(): void {
    this.shorten(0);
    const frame = this.frames[0];
    if (frame.next === frame.tape) return;
    frame.tape = frame.next;
    this.bound(0);
  }

  private compact(tape: Tape, short: Tape): void {
    const { alias, slotOf } = this;
    slotOf.fill(-1, 0, tape.count);
    slotOf[alias[tape.count - 1]] = 0;
    for (let s = tape.count - 1; s >= 0; s--) {
      if (slotOf[s] < 0 || tape.op[s] <= OP.WAVES) continue;
      slotOf[alias[tape.left[s]]] = 0;
      slotOf[alias[tape.right[s]]] = 0;
    }
    let count = 0;
    for (let s = 0; s < tape.count; s++) {
      if (slotOf[s] < 0) continue;
      const isArgued = tape.op[s] > OP.WAVES;
      short.op[count] = tape.op[s] > OP.UNION ? this.setOf(tape, s) : tape.op[s];
      short.own[count] = tape.own[s];
      short.left[count] = isArgued ? slotOf[alias[tape.left[s]]] : 0;
      short.right[count] = isArgued ? slotOf[alias[tape.right[s]]] : 0;
      slotOf[s] = count++;
    }
    short.count = count;
    markUses(short);
  }

  centre(depth: number): void {
    const frame = this.frames[depth];
    const { tape, data, error } = frame;
    const { centreLowers: low, centreUppers: high } = this;
    const { op, own } = tape;
    for (let s = 0; s < tape.count; s++) {
      const i = own[s];
      switch (op[s]) {
        case OP.QUADRIC:
          this.setCentre(s, data[this.dataAt[i] + 9], error[i]);
          break;
        case OP.POLYNOMIAL:
          this.setCentre(s, data[this.dataAt[i]], error[i]);
          break;
        case OP.WAVES:
          this.setWaves(s, i, frame, 0, 0, 0);
          break;
        default:
          this.setFromArguments(s, tape);
      }
    }
    // NaN: unknown.
    const least = low[tape.count - 1];
    const most = high[tape.count - 1];
    this.centreLower = Number.isNaN(least) ? Number.NEGATIVE_INFINITY : least;
    this.centreUpper = Number.isNaN(most) ? Number.POSITIVE_INFINITY : most;
  }

  /** Slots of the conjuncts in the cell of `depth`; models belong to the last bounded cell. */
  conjuncts(depth: number): Int32Array {
    return this.frames[depth].tape.conjuncts;
  }

  conjunctCount(depth: number): number {
    return this.frames[depth].tape.conjunctCount;
  }

  /** A lower bound of the value at |u'_k| <= 1 in the cell of `depth`, after its `bound`. */
  valueAt(depth: number, x: number, y: number, z: number): number {
    const frame = this.frames[depth];
    const { tape, data, error } = frame;
    const { op, own } = tape;
    for (let s = 0; s < tape.count; s++) {
      const i = own[s];
      if (op[s] === OP.QUADRIC) this.setQuadric(s, i, frame, x, y, z);
      else if (op[s] === OP.POLYNOMIAL) {
        const leaf = this.leaf(data, this.dataAt[i], i);
        const rounding = 2 ** -47 * majorantOfPolynomial(leaf, Math.abs(x), Math.abs(y), Math.abs(z));
        this.setCentre(s, evaluatePolynomial(leaf, x, y, z), error[i] + rounding);
      } else if (op[s] === OP.WAVES) this.setWaves(s, i, frame, x, y, z);
      else this.setFromArguments(s, tape);
    }
    const low = this.centreLowers[tape.count - 1];
    return Number.isNaN(low) ? Number.NEGATIVE_INFINITY : low; // NaN: unknown
  }

  private setWaves(s: number, i: number, { data, error }: Frame, x: number, y: number, z: number): void {
    const waves = this.leaf(data, this.dataAt[i], i);
    const rounding = evaluationErrorOfWaves(waves, x, y, z, this.timeMiddle, this.timeHalf);
    this.setCentre(s, evaluateWaves(waves, x, y, z, this.timeMiddle), error[i] + rounding);
  }

  private setQuadric(s: number, i: number, { data: q, error }: Frame, x: number, y: number, z: number): void {
    const at = this.dataAt[i];
    const value =
      (q[at] * x + q[at + 3] * y + q[at + 4] * z + q[at + 6]) * x +
      (q[at + 1] * y + q[at + 5] * z + q[at + 7]) * y +
      (q[at + 2] * z + q[at + 8]) * z +
      q[at + 9];
    let size = 0;
    for (let k = 0; k < 10; k++) size += Math.abs(q[at + k]);
    this.setCentre(s, value, error[i] + 16 * EPSILON * size + TINY);
  }

  private setFromArguments(s: number, { op, left, right, own }: Tape): void {
    const { centreLowers: low, centreUppers: high } = this;
    const f = left[s];
    const g = right[s];
    switch (op[s]) {
      case OP.SUM:
        this.setCentreSum(s, low[f] + low[g], high[f] + high[g]);
        break;
      case OP.PERTURBATION: {
        const amount = this.amount[own[s]];
        const least = low[g] > 0 ? low[g] * low[g] * (1 - 2 ** -50) : 0;
        // Not `high[g] > 0`: NaN must not count as 0.
        const most = high[g] <= 0 ? 0 : high[g] * high[g] * (1 + 2 ** -50) + TINY;
        const from = amount > 0 ? amount * least * (1 - 2 ** -50) : amount * most * (1 + 2 ** -50);
        const to = amount > 0 ? amount * most * (1 + 2 ** -50) : amount * least * (1 - 2 ** -50);
        this.setCentreSum(s, low[f] + from - TINY, high[f] + to + TINY);
        break;
      }
      case OP.TIMED: {
        const { timeFirst: first, timeLast: last } = this;
        const least = Math.min(first * low[f], first * high[f], last * low[f], last * high[f]);
        const most = Math.max(first * low[f], first * high[f], last * low[f], last * high[f]);
        // 0 for every f, even if f is unknown.
        if (first === 0 && last === 0) low[s] = high[s] = 0;
        else this.setCentreSum(s, least, most);
        break;
      }
      case OP.JOIN:
      case OP.MEET:
        boundBlend(this.blends[own[s]], low[f], high[f], low[g], high[g], ends);
        low[s] = ends[0];
        high[s] = ends[1];
        break;
      case OP.PRODUCT:
        boundProduct(low[f], high[f], low[g], high[g]);
        this.setCentreSum(s, ends[0], ends[1]);
        break;
      case OP.POWER:
      case OP.SINE:
      case OP.COSINE:
      case OP.EXPONENTIAL:
      case OP.LOGARITHM: {
        const amount = this.amount[own[s]];
        const exponent = op[s] === OP.POWER ? this.numbers[this.numbersAt[own[s]] + 1] : 0;
        boundFunction(op[s], exponent, low[f], high[f], ends);
        this.setCentreSum(s, amount * ends[amount > 0 ? 0 : 1], amount * ends[amount > 0 ? 1 : 0]);
        break;
      }
      case OP.INTERSECTION:
        low[s] = Math.min(low[f], low[g]);
        high[s] = Math.min(high[f], high[g]);
        break;
      default:
        low[s] = Math.max(low[f], low[g]);
        high[s] = Math.max(high[f], high[g]);
    }
  }

  private setCentre(s: number, value: number, error: number): void {
    this.centreLowers[s] = value - error - 2 * EPSILON * Math.abs(value);
    this.centreUppers[s] = value + error + 2 * EPSILON * Math.abs(value);
  }

  private setCentreSum(s: number, low: number, high: number): void {
    this.centreLowers[s] = low - 2 * EPSILON * Math.abs(low) - TINY;
    this.centreUppers[s] = high + 2 * EPSILON * Math.abs(high) + TINY;
  }

  private frame(depth: number): Frame {
    this.frames[depth] ??= {
      tape: this.whole,
      room: null,
      next: this.whole,
      data: new Float64Array(this.dataLength),
      error: new Float64Array(this.whole.count),
    };
    return this.frames[depth];
  }
}

/** Writes the unrounded ends of a product to `ends`; NaN if they are unknown. */
function boundProduct(f1: number, f2: number, g1: number, g2: number): void {
  const [a, b, c, d] = [f1 * g1, f1 * g2, f2 * g1, f2 * g2];
  ends[0] = Math.min(a, b, c, d);
  ends[1] = Math.max(a, b, c, d);
}

const pending: number[] = [];

/** refine.ts needs their quadrics. Shared instructions may have very many paths to them. */
function findConjuncts(tape: Tape): void {
  tape.conjunctCount = 0;
  pending.length = 0;
  pending.push(tape.count - 1);
  for (let steps = 0; steps < MOST_STEPS && pending.length > 0 && tape.conjunctCount < MOST_CONJUNCTS; steps++) {
    const s = pending.pop() as number;
    if (tape.op[s] === OP.INTERSECTION) pending.push(tape.left[s], tape.right[s]);
    else if (tape.op[s] !== OP.UNION) {
      tape.conjuncts[tape.conjunctCount++] = s;
      tape.isModel[s] = 1;
    }
  }
}

/** Marks the use of each value: the root needs only its sign; minima and maxima pass that on. */
function markUses(tape: Tape): void {
  const { count, op, left, right, isSign, isModel } = tape;
  isSign.fill(1, 0, count);
  isModel.fill(0, 0, count);
  findConjuncts(tape);
  for (let s = count - 1; s >= 0; s--) {
    if (op[s] <= OP.WAVES) continue;
    for (let k = 0; k < 2; k++) {
      const argument = k === 0 ? left[s] : right[s];
      const isFunction = op[s] !== OP.INTERSECTION && op[s] !== OP.UNION;
      if (isFunction || !isSign[s]) isSign[argument] = 0;
      if (isFunction || isModel[s]) isModel[argument] = 1;
    }
  }
}

/** The functions of a solid for queries, with frames that are kept from query to query. */
const made = new WeakMap<Program, Partial<Record<'a' | 'b', CellFunction>>>();

/** F restricted to the domain, in the model cube, or the complement's; `side` of a pair. */
export function functionOf(object: FrepObject, side: 'a' | 'b' = 'a'): CellFunction {
  let both = made.get(object.program);
  if (!both) {
    requireProgram(object.program);
    both = {};
    made.set(object.program, both);
  }
  const solid = (both[side] ??= new CellFunction(object.program, object.domain, object));
  const [from, to] = timesOf(object);
  solid.during(from, to);
  return solid;
}

export function reachOfFrep({ center: [x, y, z], half }: FrepObject): number {
  return (Math.abs(x) + Math.abs(y) + Math.abs(z) + 1.75 * half) * (1 + 2 ** -40);
}
