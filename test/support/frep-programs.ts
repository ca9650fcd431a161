/**
 * Functionally defined objects for tests: written by hand, or at random, and their exact values. Numbers are dyadic, m 2^e with m whole; sines
 * are intervals of such, 2^-200 wide.
 */
import { depthAt, evaluateCube } from '../../src/representations/frep/tree/evaluate.ts';
import {
  coefficientsOf,
  type FrepObject,
  isFunction,
  isLeaf,
  OP,
  type Program,
} from '../../src/representations/frep/tree/program.ts';
import type { Waves } from '../../src/representations/frep/tree/waves.ts';
import type { Random } from './random.ts';

/** A leaf that does not depend on time. */
export const leafOf = (numbers: Float64Array, at: number, size: number): Waves => ({
  ...{ numbers, at, size },
  ...{ frequencies: numbers, from: 0 },
});

/** m 2^e. */
export interface Dyadic {
  m: bigint;
  e: number;
}

/** The very value of a finite double. */
export function dyadic(x: number): Dyadic {
  let e = 0;
  let y = x;
  for (; !Number.isInteger(y); y *= 2 ** 53) e -= 53;
  return { m: BigInt(y), e };
}

export const ZERO: Dyadic = { m: 0n, e: 0 };
export const times = (a: Dyadic, b: Dyadic): Dyadic => ({ m: a.m * b.m, e: a.e + b.e });
export const negated = (a: Dyadic): Dyadic => ({ m: -a.m, e: a.e });
export function plus(a: Dyadic, b: Dyadic): Dyadic {
  if (a.m === 0n) return b;
  if (b.m === 0n) return a;
  const e = Math.min(a.e, b.e);
  return { m: (a.m << BigInt(a.e - e)) + (b.m << BigInt(b.e - e)), e };
}
export const minus = (a: Dyadic, b: Dyadic): Dyadic => plus(a, negated(b));
export const size = (a: Dyadic): Dyadic => (a.m < 0n ? negated(a) : a);
/** a x, for a double x that is a power of two. */
export const scaled = (a: Dyadic, x: number): Dyadic => ({ m: a.m, e: a.e + Math.log2(x) });

/** a <= b; b may be infinite. Nothing is at most NaN. */
export function isAtMost(a: Dyadic, b: number): boolean {
  if (!Number.isFinite(b)) return b === Number.POSITIVE_INFINITY;
  return minus(a, dyadic(b)).m <= 0n;
}
/** a >= b; b may be infinite. */
export function isAtLeast(a: Dyadic, b: number): boolean {
  if (!Number.isFinite(b)) return b === Number.NEGATIVE_INFINITY;
  return minus(a, dyadic(b)).m >= 0n;
}

/** About a, for messages. */
export function numberOf(a: Dyadic): number {
  const cut = Math.max(0, size(a).m.toString(2).length - 60);
  return Number(a.m >> BigInt(cut)) * 2 ** (a.e + cut);
}

/** low <= value <= high. */
export interface Interval {
  low: Dyadic;
  high: Dyadic;
}

const BITS = 240;
const ONE = 1n << BigInt(BITS);
/** Within 2^-200 of the sine, as a dyadic number: J. Machin's pi, and Taylor's series. */
const PI = 16n * arcTangentOfInverse(5n) - 4n * arcTangentOfInverse(239n);

function arcTangentOfInverse(n: bigint): bigint {
  let sum = 0n;
  for (let [power, k] = [ONE / n, 1n]; power !== 0n; power /= -n * n, k += 2n) sum += power / k;
  return sum;
}

export function sineOf(phase: Dyadic): Dyadic {
  const shift = BigInt(BITS + phase.e);
  const x = shift >= 0n ? phase.m << shift : phase.m >> -shift;
  const k = (2n * x + (x < 0n ? -PI : PI)) / (2n * PI);
  const r = x - k * PI;
  const square = (r * r) >> BigInt(BITS);
  let sum = 0n;
  for (let [term, n] = [r, 1n]; term !== 0n && n < 200n; n += 2n) {
    sum += term;
    term = -((term * square) >> BigInt(BITS)) / ((n + 1n) * (n + 2n));
  }
  return { m: k % 2n === 0n ? sum : -sum, e: -BITS };
}

const SINE_WITHIN: Dyadic = { m: 1n, e: -200 };

/** A quadric's value. */
export function exactQuadric(q: ArrayLike<number>, at: number, [x, y, z]: Dyadic[]): Dyadic {
  const c = (k: number): Dyadic => dyadic(q[at + k]);
  const alongX = plus(plus(times(c(0), x), times(c(3), y)), plus(times(c(4), z), c(6)));
  const alongY = plus(plus(times(c(1), y), times(c(5), z)), c(7));
  const alongZ = plus(times(c(2), z), c(8));
  return plus(plus(times(alongX, x), times(alongY, y)), plus(times(alongZ, z), c(9)));
}

function exactPolynomial(f: ArrayLike<number>, at: number, d: number, [x, y, z]: Dyadic[]): Dyadic {
  let value = ZERO;
  let next = at + coefficientsOf(d);
  for (let i = d; i >= 0; i--) {
    let inY = ZERO;
    for (let j = d - i; j >= 0; j--) {
      let inZ = ZERO;
      for (let k = d - i - j; k >= 0; k--) inZ = plus(times(inZ, z), dyadic(f[--next]));
      inY = plus(times(inY, y), inZ);
    }
    value = plus(times(value, x), inY);
  }
  return value;
}

/** `from`: where what the phases have of the time `t` starts; 0 where they have nothing. */
function exactWaves(f: ArrayLike<number>, at: number, count: number, x: Dyadic[], from: number, t: Dyadic): Interval {
  let value = ZERO;
  let width = ZERO;
  for (let i = at; i < at + 5 * count; i += 5) {
    let phase = dyadic(f[i + 4]);
    for (let k = 0; k < 3; k++) phase = plus(phase, times(dyadic(f[i + 1 + k]), x[k]));
    if (from > 0) phase = plus(phase, times(dyadic(f[from + (i - at) / 5]), t));
    value = plus(value, times(dyadic(f[i]), sineOf(phase)));
    width = plus(width, times(dyadic(Math.abs(f[i])), SINE_WITHIN));
  }
  return { low: minus(value, width), high: plus(value, width) };
}

const least = (a: Dyadic, b: Dyadic): Dyadic => (minus(a, b).m <= 0n ? a : b);
const most = (a: Dyadic, b: Dyadic): Dyadic => (minus(a, b).m <= 0n ? b : a);
const squareAbove = (a: Dyadic): Dyadic => (a.m > 0n ? times(a, a) : ZERO);

/** The square of an interval. */
function squared({ low, high }: Interval): Interval {
  const [p, q] = [times(low, low), times(high, high)];
  return { low: low.m < 0n && high.m > 0n ? ZERO : least(p, q), high: most(p, q) };
}

/** Minimum number of binary digits of roots and ratios. */
const DIGITS = 300;

/** sqrt(x), cut to a whole number of 2^-n; Heron's way from above. */
function rootOf(x: Dyadic): Dyadic {
  if (x.m === 0n) return ZERO;
  const length = x.m.toString(2).length;
  let by = Math.max(0, 2 * DIGITS - length);
  if ((x.e - by) % 2 !== 0) by++;
  const whole = x.m << BigInt(by);
  let root = 1n << BigInt(Math.ceil((length + by) / 2) + 1);
  for (let next = (root + whole / root) / 2n; next < root; next = (root + whole / root) / 2n) root = next;
  return { m: root, e: (x.e - by) / 2 };
}

const upBy1 = ({ m, e }: Dyadic): Dyadic => ({ m: m + 1n, e });
const downBy1 = ({ m, e }: Dyadic): Dyadic => ({ m: m - 1n, e });

/** x / y, y above 0, within one unit of its last digit. */
function ratio(x: Dyadic, y: Dyadic): Dyadic {
  const by = DIGITS + y.m.toString(2).length;
  return { m: (x.m << BigInt(by)) / y.m, e: x.e - y.e - by };
}

/** f + g +- sqrt(f^2 + g^2) + a / (1 + (f/p)^2 + (g/q)^2), as an interval around it. */
function exactBlend(isJoin: boolean, [a, p, q]: Float64Array, f: Interval, g: Interval): Interval {
  const [ff, gg] = [squared(f), squared(g)];
  const root: Interval = { low: rootOf(plus(ff.low, gg.low)), high: upBy1(rootOf(plus(ff.high, gg.high))) };
  const [p2, q2] = [times(dyadic(p), dyadic(p)), times(dyadic(q), dyadic(q))];
  const both = times(p2, q2);
  const bellAt = (x: Dyadic, y: Dyadic): Dyadic => ratio(both, plus(both, plus(times(q2, x), times(p2, y))));
  const ends = [downBy1(bellAt(ff.high, gg.high)), upBy1(bellAt(ff.low, gg.low))].map((k) => times(dyadic(a), k));
  const sides = isJoin ? [root.low, root.high] : [negated(root.high), negated(root.low)];
  return {
    low: plus(plus(plus(f.low, g.low), sides[0]), least(ends[0], ends[1])),
    high: plus(plus(plus(f.high, g.high), sides[1]), most(ends[0], ends[1])),
  };
}

/** An unknown value, such as a logarithm of numbers that may be below 0. */
const ANYTHING: Interval = { low: { m: -1n, e: 4000 }, high: { m: 1n, e: 4000 } };
const isAnything = ({ low, high }: Interval): boolean => isLarge(low) || isLarge(high);

/** Cut to 400 binary digits, down, and to whole numbers of 2^-3000. */
function cut({ m, e }: Dyadic): Dyadic {
  const by = BigInt(Math.max(0, m.toString(16).length * 4 - 400, -3000 - e));
  return { m: m >> by, e: e + Number(by) };
}
const isLarge = ({ m, e }: Dyadic): boolean => e + m.toString(16).length * 4 > 3000;
const rounded = ({ low, high }: Interval): Interval =>
  isLarge(low) || isLarge(high) ? ANYTHING : { low: cut(low), high: negated(cut(negated(high))) };

function multiplied(f: Interval, g: Interval): Interval {
  if (isAnything(f) || isAnything(g)) return ANYTHING;
  const ends = [times(f.low, g.low), times(f.low, g.high), times(f.high, g.low), times(f.high, g.high)];
  return rounded({ low: ends.reduce(least), high: ends.reduce(most) });
}

const within = (x: Dyadic, by: Dyadic): Interval => ({ low: minus(x, by), high: plus(x, by) });
/** x in units of 2^-BITS, down. */
const fixed = ({ m, e }: Dyadic): bigint => {
  const shift = BigInt(BITS + e);
  return shift >= 0n ? m << shift : m >> -shift;
};

/** 2 artanh(s), s in units of 2^-BITS and at most 1/3 in size. */
function twiceArTanh(s: bigint): bigint {
  const square = (s * s) >> BigInt(BITS);
  let sum = 0n;
  for (let [term, n] = [s, 1n]; n < 300n; n += 2n) {
    sum += term / n;
    term = (term * square) >> BigInt(BITS);
  }
  return 2n * sum;
}
const LN2 = twiceArTanh(ONE / 3n);

/** Within 2^-200 of itself. */
export function exponentialOf(x: Dyadic): Interval {
  const whole = fixed(x);
  const k = whole / LN2;
  const r = whole - k * LN2;
  let sum = 0n;
  for (let [term, n] = [ONE, 1n]; term !== 0n && n < 300n; n++) {
    sum += term;
    term = ((term * r) >> BigInt(BITS)) / n;
  }
  const value = { m: sum, e: Number(k) - BITS };
  return within(value, times(size(value), SINE_WITHIN));
}

/** Within 2^-200 (1 + its size). */
export function logarithmOf({ m, e }: Dyadic): Interval {
  const length = m.toString(2).length;
  const mantissa = fixed({ m, e: 1 - length });
  const sum = twiceArTanh(((mantissa - ONE) << BigInt(BITS)) / (mantissa + ONE)) + BigInt(e + length - 1) * LN2;
  const value = { m: sum, e: -BITS };
  return within(value, times(plus(dyadic(1), size(value)), SINE_WITHIN));
}

function wholePowerOf(x: Dyadic, n: number): Interval {
  let value: Interval = { low: dyadic(1), high: dyadic(1) };
  for (let k = 0; k < n; k++) value = multiplied(value, { low: x, high: x });
  return value;
}

const inverseOf = ({ low, high }: Interval): Interval => {
  if (low.m <= 0n && high.m >= 0n) return ANYTHING;
  if (high.m < 0n) {
    const { low: p, high: q } = inverseOf({ low: negated(high), high: negated(low) });
    return { low: negated(q), high: negated(p) };
  }
  return { low: downBy1(ratio(dyadic(1), high)), high: upBy1(ratio(dyadic(1), low)) };
};

/** x^p, or the power of 0 if p is not whole and x below it. */
export function powerOf(x: Dyadic, p: number): Interval {
  if (Number.isInteger(p)) return p > 0 ? wholePowerOf(x, p) : inverseOf(wholePowerOf(x, -p));
  if (x.m <= 0n) return p > 0 ? { low: ZERO, high: ZERO } : ANYTHING;
  return functionOf(OP.EXPONENTIAL, 0, multiplied(logarithmOf(x), { low: dyadic(p), high: dyadic(p) }));
}

/** A function of arguments from low to high, by its values at both ends. */
export function functionOf(op: number, p: number, f: Interval): Interval {
  if (isAnything(f)) return ANYTHING;
  const { low, high } = f;
  const least20 = (x: Dyadic): boolean => minus(size(x), dyadic(2 ** 22)).m <= 0n;
  if (op === OP.SINE || op === OP.COSINE) {
    const turn = op === OP.SINE ? ZERO : { m: PI, e: -BITS - 1 };
    if (!least20(low) || !least20(high)) return { low: dyadic(-1), high: dyadic(1) };
    return rounded(within(sineOf(plus(low, turn)), plus(SINE_WITHIN, minus(high, low))));
  }
  if (op === OP.EXPONENTIAL && !(isAtMost(high, 1000) && isAtLeast(low, -1000)))
    return isAtMost(high, 1000) ? { low: ZERO, high: exponentialOf(cut(most(high, dyadic(-1000)))).high } : ANYTHING;
  if (op === OP.LOGARITHM && low.m <= 0n) return ANYTHING;
  const at = (x: Dyadic): Interval =>
    op === OP.EXPONENTIAL ? exponentialOf(x) : op === OP.LOGARITHM ? logarithmOf(x) : powerOf(x, p);
  const ends = [at(low), at(high)];
  const isThrough0 = op === OP.POWER && Number.isInteger(p) && low.m < 0n && high.m > 0n;
  if (isThrough0 && p < 0) return ANYTHING;
  if (isThrough0 && p % 2 === 0) ends.push({ low: ZERO, high: ZERO });
  return rounded({ low: ends.map((end) => end.low).reduce(least), high: ends.map((end) => end.high).reduce(most) });
}

/** An interval times t. */
const timesTime = (t: Dyadic, { low, high }: Interval): Interval =>
  t.m < 0n ? { low: times(t, high), high: times(t, low) } : { low: times(t, low), high: times(t, high) };

/**
 * F at a point and a time, exactly but for sines; restricted to `domain`, half extents, as min(F, d^2 - u^2, ...), unless it is
 * null.
 */
export function exactValue(program: Program, domain: ArrayLike<number> | null, x: Dyadic[], t = ZERO): Interval {
  const { ops, left, right, third, numbers } = program;
  const values: Interval[] = [];
  for (let i = 0; i < ops.length; i++) {
    const op = ops[i];
    if (isLeaf(op)) {
      if (op === OP.WAVES) {
        values.push(exactWaves(numbers, left[i], right[i], x, third[i], t));
        continue;
      }
      const value =
        op === OP.QUADRIC ? exactQuadric(numbers, left[i], x) : exactPolynomial(numbers, left[i], right[i], x);
      values.push({ low: value, high: value });
      continue;
    }
    const f = values[left[i]];
    const g = values[right[i]];
    if (isFunction(op)) {
      const own = functionOf(op, op === OP.POWER ? numbers[third[i] + 1] : 0, f);
      values.push(isAnything(own) ? ANYTHING : timesTime(dyadic(numbers[third[i]]), own));
    } else if (op === OP.PRODUCT) values.push(multiplied(f, g));
    else if (op === OP.TIMED) values.push(timesTime(t, f));
    else if (op === OP.SUM) values.push({ low: plus(f.low, g.low), high: plus(f.high, g.high) });
    else if (op === OP.PERTURBATION) {
      const amount = dyadic(numbers[third[i]]);
      const ends = [times(amount, squareAbove(g.low)), times(amount, squareAbove(g.high))];
      if (amount.m < 0n) ends.reverse();
      values.push({ low: plus(f.low, ends[0]), high: plus(f.high, ends[1]) });
    } else if (op === OP.JOIN || op === OP.MEET) {
      values.push(exactBlend(op === OP.JOIN, numbers.subarray(third[i], third[i] + 3), f, g));
    } else {
      const pick = op === OP.INTERSECTION ? least : most;
      values.push({ low: pick(f.low, g.low), high: pick(f.high, g.high) });
    }
  }
  let { low, high } = values[values.length - 1];
  for (let k = 0; domain && k < 3; k++) {
    const d = dyadic(domain[k]);
    const slab = minus(times(d, d), times(x[k], x[k]));
    low = least(low, slab);
    high = least(high, slab);
  }
  return { low, high };
}

/** A program that is being written; every function returns the number of its instruction. */
export interface Draft {
  ops: number[];
  left: number[];
  right: number[];
  third: number[];
  numbers: number[];
}

export const draft = (): Draft => ({ ops: [], left: [], right: [], third: [], numbers: [] });

function write(to: Draft, op: number, left: number, right: number, third = 0): number {
  to.ops.push(op);
  to.left.push(left);
  to.right.push(right);
  to.third.push(third);
  return to.ops.length - 1;
}

function leaf(to: Draft, op: number, right: number, numbers: readonly number[]): number {
  const at = to.numbers.length;
  to.numbers.push(...numbers);
  return write(to, op, at, right);
}

export const quadric = (to: Draft, ten: readonly number[]): number => leaf(to, OP.QUADRIC, 10, ten);
export const polynomial = (to: Draft, degree: number, f: readonly number[]): number =>
  leaf(to, OP.POLYNOMIAL, degree, f);
export const waves = (to: Draft, f: readonly number[]): number => leaf(to, OP.WAVES, f.length / 5, f);
/** Each with what its phase has of time. */
export function wavesInTime(to: Draft, f: readonly number[], frequencies: readonly number[]): number {
  const at = waves(to, f);
  to.third[at] = to.numbers.length;
  to.numbers.push(...frequencies);
  return at;
}
export const timed = (to: Draft, f: number): number => write(to, OP.TIMED, f, f);
export const sum = (to: Draft, f: number, g: number): number => write(to, OP.SUM, f, g);
export const both = (to: Draft, f: number, g: number): number => write(to, OP.INTERSECTION, f, g);
export const either = (to: Draft, f: number, g: number): number => write(to, OP.UNION, f, g);
export function perturbed(to: Draft, f: number, q: number, amount: number): number {
  to.numbers.push(amount);
  return write(to, OP.PERTURBATION, f, q, to.numbers.length - 1);
}
export const product = (to: Draft, f: number, g: number): number => write(to, OP.PRODUCT, f, g);
/** The amount times a function; of a power with its exponent. */
export function applied(to: Draft, op: number, f: number, amount: number, exponent = 0): number {
  to.numbers.push(amount, ...(op === OP.POWER ? [exponent] : []));
  return write(to, op, f, f, to.numbers.length - (op === OP.POWER ? 2 : 1));
}
/** c + a u + b v + d w. */
export function blended(to: Draft, isJoin: boolean, f: number, g: number, amount: number, widths: number[]): number {
  to.numbers.push(amount, ...widths);
  return write(to, isJoin ? OP.JOIN : OP.MEET, f, g, to.numbers.length - 3);
}
export const affine = (to: Draft, a: number, b: number, d: number, c: number): number =>
  quadric(to, [0, 0, 0, 0, 0, 0, a, b, d, c]);
export const constant = (to: Draft, c: number): number => affine(to, 0, 0, 0, c);
/** r^2 - |u - at|^2, rounded. */
export const ball = (to: Draft, r: number, [x, y, z]: readonly number[] = [0, 0, 0]): number =>
  quadric(to, [-1, -1, -1, 0, 0, 0, 2 * x, 2 * y, 2 * z, r * r - x * x - y * y - z * z]);

export const programOf = ({ ops, left, right, third, numbers }: Draft): Program => ({
  ops: Uint8Array.from(ops),
  left: Uint32Array.from(left),
  right: Uint32Array.from(right),
  third: Uint32Array.from(third),
  numbers: Float64Array.from(numbers),
});

/** An object as `build` would make one. */
export function objectOf(program: Program, options: Partial<FrepObject> = {}): FrepObject {
  return {
    representation: 'frep',
    center: [0, 0, 0],
    half: 1,
    domain: [1, 1, 1],
    program,
    names: Array.from(program.ops, () => ''),
    header: { tool: 'test', source: null, units: null, options: {} },
    resolution: 10,
    ...options,
  };
}

/** The object of what `build` writes last. */
export function objectFrom(build: (to: Draft) => void, options: Partial<FrepObject> = {}): FrepObject {
  const to = draft();
  build(to);
  return objectOf(programOf(to), options);
}

export interface RandomOptions {
  /** Instructions with arguments, so many at most. */
  operations?: number;
  leaves?: number;
  hasWaves?: boolean;
  hasPolynomials?: boolean;
  hasBlends?: boolean;
  hasTime?: boolean;
  hasFunctions?: boolean;
  /** The common factor of the coefficients. */
  scale?: number;
}

/** Coefficients that make surfaces of about the cube's size: constants and squares of opposite signs are frequent. */
function randomQuadric(random: Random, scale: number): number[] {
  const kind = random.below(4);
  const x = (): number => scale * random.between(-1, 1);
  if (kind === 0) return [0, 0, 0, 0, 0, 0, x(), x(), x(), x() / 2];
  const ten = Array.from({ length: 10 }, x);
  if (kind === 1) for (let k = 0; k < 3; k++) ten[k] = -Math.abs(ten[k]);
  if (kind === 1) ten[9] = Math.abs(ten[9]);
  if (kind === 2) for (let k = 3; k < 9; k++) ten[k] *= random.below(2);
  return ten;
}

/** A program of all operations, instructions being read several times, perturbations of either sign in perturbations, sets in functions. */
export function randomProgram(random: Random, options: RandomOptions = {}): Program {
  const {
    operations = 6,
    leaves = 5,
    hasWaves = true,
    hasPolynomials = true,
    hasBlends = false,
    hasTime = false,
    hasFunctions = false,
    scale = 1,
  } = options;
  const to = draft();
  /** Instructions that nothing reads yet. */
  const free = new Set<number>();
  const leafCount = 1 + random.below(leaves);
  for (let i = 0; i < leafCount; i++) {
    const kind = random.below(8);
    if (kind === 0 && hasPolynomials) {
      const degree = 3 + random.below(3);
      const f = Array.from({ length: coefficientsOf(degree) }, () =>
        random.below(3) === 0 ? scale * random.between(-1, 1) : 0,
      );
      free.add(polynomial(to, degree, f));
    } else if (kind === 1 && hasWaves) {
      const f = Array.from({ length: 1 + random.below(3) }, () => [
        scale * random.between(-1, 1),
        ...[3, 3, 3, 6].map((width) => width * random.between(-1, 1)),
      ]).flat();
      const frequencies = Array.from({ length: f.length / 5 }, () => (hasTime ? random.between(-4, 4) : 0));
      free.add(hasTime ? wavesInTime(to, f, frequencies) : waves(to, f));
    } else free.add(quadric(to, randomQuadric(random, scale)));
  }
  const most = 1 + random.below(operations);
  for (let i = 0; i < most || free.size > 1; i++) {
    const pick = (): number => {
      const unread = [...free];
      return unread.length > 0 && random.below(3) > 0 ? random.pick(unread) : random.below(to.ops.length);
    };
    const f = pick();
    free.delete(f);
    if (hasTime && random.below(3) === 0) {
      free.add(timed(to, f));
      continue;
    }
    if (hasFunctions && i < most && random.below(2) === 0) {
      const op = random.pick([OP.POWER, OP.POWER, OP.SINE, OP.COSINE, OP.EXPONENTIAL, OP.LOGARITHM]);
      const amount = (random.below(2) === 0 ? -1 : 1) * 10 ** random.between(-1, 1);
      free.add(applied(to, op, f, amount, random.pick([2, 3, 4, 7, -1, -2, -3, 0.5, -0.5, 1.5, 0.3, -0.7, 2.25])));
      continue;
    }
    const g = pick();
    free.delete(g);
    if (hasFunctions && random.below(3) === 0) {
      free.add(product(to, f, g));
      continue;
    }
    const op = random.below(6);
    if (hasBlends && random.below(2) === 0) {
      const amount = random.below(3) === 0 ? 0 : random.between(-2, 2);
      const widths = [0, 1].map(() => 10 ** random.between(-2, 1));
      free.add(blended(to, op < 3, f, g, amount, widths));
    } else if (op === 0) free.add(sum(to, f, g));
    else if (op <= 2) free.add(perturbed(to, f, g, (random.below(2) === 0 ? -1 : 1) * 10 ** random.between(-1, 1)));
    else free.add(op === 3 || (op === 5 && i % 2 === 0) ? both(to, f, g) : either(to, f, g));
  }
  return programOf(to);
}

/** The gradient of F, by `depthAt`: added to a constant, minima and maxima compare their values. */
export function gradientOf(program: Program, at: readonly [number, number, number], time = 0): number[] {
  const constant = evaluateCube(program, ...at, time) < 0 ? -1 : 1;
  const { length } = program.ops;
  const whole: Program = {
    ops: Uint8Array.of(...program.ops, OP.QUADRIC, OP.SUM),
    left: Uint32Array.of(...program.left, program.numbers.length, length - 1),
    right: Uint32Array.of(...program.right, 10, length),
    third: Uint32Array.of(...program.third, 0, 0),
    numbers: Float64Array.of(...program.numbers, ...new Array(9).fill(0), constant),
  };
  const normal = new Float64Array(3);
  const depth = depthAt(whole, [Infinity, Infinity, Infinity], Float64Array.of(...at), normal, time);
  const slope = evaluateCube(whole, ...at, time) / depth;
  return Array.from(normal, (x) => 0 - slope * x);
}
