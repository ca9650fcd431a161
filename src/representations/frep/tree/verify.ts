/**
 * Verifies the queries' bounds of cells against the object itself: F is evaluated independently,
 * exactly or nearly so, at points of cells.
 *
 * No bound is stored, so none can be proved once and for all. Instead, the arithmetic of the
 * queries is compared with an unrelated one. A value is an interval [low, high] 2^exponent of
 * integers. Polynomials of doubles at short dyadic points are exact, low = high, and so are sums,
 * products, minima and maxima of exact values up to MOST_BITS; longer ones are rounded outward to
 * KEPT_BITS. A sine is an interval 2^-312 wide; logarithms and exponentials are series in integers,
 * too. A bound is reported only if the whole interval lies
 * beyond it: a problem is a proof.
 */

import { once } from '../../../base/require.ts';
import { placePrimitive } from '../../../engine/primitives.ts';
import type { Verification } from '../../../engine/representation.ts';
import { CUT_NUMBERS, cutAt, DEPTH } from '../../../geometry/convex-body.ts';
import { Random } from '../../../math/numbers.ts';
import { identity } from '../../../math/pose.ts';
import { undefinedIn } from './defined.ts';
import { type FrepObject, isAnalytic, numbersOfLeaf, OP, timesOf } from './program.ts';

/**
 * Bounds F on the cell of the model cube with the center (u, v, w) and half extents h, ignoring the
 * domain. out[0] and out[1] receive a lower and an upper bound on the closed cell; out[2] and
 * out[3] receive bounds at its center. They may be infinite.
 */
export type BoundsOfCell = (
  object: FrepObject,
  u: number,
  v: number,
  w: number,
  h: readonly [number, number, number],
  out: Float64Array,
) => void;

const MAX_PROBLEMS = 20;
const DEEPEST = 4;
const MOST_CELLS = 5000;
const SEEDED_POINTS = 3;
const POINTS = 9 + SEEDED_POINTS;
const MOST_WORK = 2e7;
/** Cost of a wave in numbers: its sine has some forty terms. */
const WORK_OF_WAVE = 100;
/** Steps per half extent of the root: centers, corners and sixty-fourths are whole steps. */
const STEPS = 1024;
const STEP_BITS = 10;
/** The root's half extents are at least 2^-30, so that coordinates stay short. */
const SMALLEST_ROOT_BITS = 30;

const MOST_BITS = 4096;
const KEPT_BITS = 2048;
/** If exponents differ by more, the lower number is rounded. */
const MOST_SHIFT = 8192;
const ROOT_BITS = 256;
const LARGEST_EXPONENT = 2 ** 20;
const SINE_BITS = 320n;
const LARGEST_ANGLE = (1n << 18n) << SINE_BITS;
const SINE_ERROR = 128n;

/** The reals from low * 2^exponent to high * 2^exponent; |low| and |high| are below 2^bits. */
interface Value {
  low: bigint;
  high: bigint;
  exponent: number;
  bits: number;
}

/** A leaf's numbers as integers times powers of two: one for a polynomial, two per wave. */
interface Integers {
  whole: bigint[];
  exponents: number[];
}

type Evaluator = (x: bigint, y: bigint, z: bigint, bits: number) => Value | null;

/**
 * Verifies the bounds of an object whose program reading has checked. Halves the cells of an octree
 * over the domain that are not proved outside, down to level 4. The bounds of every cell must hold
 * the values at its center, its corners and a few points more. Programs that would take minutes
 * have fewer cells checked, of all levels.
 *
 * @example verifyFrep(object, boundsOfCell) // { checked: 585, what: 'cells', problems: [] }
 */
export function verifyFrep(object: FrepObject, boundsOfCell: BoundsOfCell): Verification {
  const problems: string[] = [];
  const out = new Float64Array(4);
  const grid = gridOf(object);
  let remaining = Math.min(MOST_CELLS, Math.max(1, Math.floor(MOST_WORK / (POINTS * workOf(object)))));
  let checked = 0;
  let level = [[0, 0, 0]];
  for (let depth = 0; depth <= DEEPEST; depth++) {
    const half = STEPS >> depth;
    const children: number[][] = [];
    for (const centre of spread(level, Math.ceil(remaining / (DEEPEST + 1 - depth)))) {
      if (problems.length >= MAX_PROBLEMS) break;
      remaining--;
      checked++;
      const [u, v, w] = grid.coordinates(centre);
      boundsOfCell(object, u, v, w, grid.coordinates([half, half, half]), out);
      problems.push(...problemsOfCell(grid, centre, half, out));
      // A NaN bound proves nothing.
      if (out[1] < 0) continue;
      for (let i = 0; i < 8; i++) children.push(cornerOf(centre, half / 2, i));
    }
    level = children;
  }
  problems.push(...problemsOfPrimitive(object, boundsOfCell), ...problemsOfDomain(object));
  return { checked, what: 'cells', problems: problems.slice(0, MAX_PROBLEMS) };
}

const POINTS_OF_PRIMITIVE = 500;
const ROUNDED = 1e-9;

function problemsOfPrimitive(object: FrepObject, boundsOfCell: BoundsOfCell): string[] {
  const { primitive, center, half } = object;
  if (!primitive) return [];
  const { body } = placePrimitive(primitive, identity());
  const out = new Float64Array(4);
  const cut = new Float64Array(CUT_NUMBERS);
  const random = new Random(1);
  const within = ROUNDED * (body.reach + Math.max(...center.map(Math.abs)));
  for (let n = 0; n < POINTS_OF_PRIMITIVE; n++) {
    const point = [0, 1, 2].map((k) => body.pose[4 * k + 3] + 1.2 * body.reach * (2 * random.unit() - 1));
    const [u, v, w] = point.map((x, k) => (x - center[k]) / half);
    cutAt(body, point[0] - body.pose[3], point[1] - body.pose[7], point[2] - body.pose[11], cut);
    boundsOfCell(object, u, v, w, [0, 0, 0], out);
    const isMissing = cut[DEPTH] > within && out[1] < 0;
    const isExcess = cut[DEPTH] < -within && out[0] > 0;
    if (isMissing || isExcess)
      return [`${point.join(' ')} is in the ${isMissing ? primitive.shape : 'program'}, and not in the other`];
  }
  return [];
}

function problemsOfDomain({ program, domain, center, half, span = [0, 0] }: FrepObject): string[] {
  const found = undefinedIn(program, domain, span);
  if (!found) return [];
  const place = found.place.map((u, k) => center[k] + half * u).join(' ');
  return [`instruction ${found.instruction} needs ${found.expected}, and has ${found.found} near ${place}`];
}

function spread<T>(items: T[], most: number): T[] {
  if (items.length <= most) return items;
  return Array.from({ length: most }, (_, i) => items[Math.floor((i * items.length) / most)]);
}

const cornerOf = (centre: number[], half: number, i: number): number[] =>
  centre.map((c, axis) => (((i >> axis) & 1) === 1 ? c + half : c - half));

function workOf({ program }: FrepObject): number {
  let work = program.ops.length + program.numbers.length;
  program.ops.forEach((op, i) => {
    if (op === OP.WAVES) work += WORK_OF_WAVE * program.right[i];
    if (isAnalytic(op)) work += WORK_OF_WAVE;
  });
  return work;
}

interface Grid {
  coordinates(steps: number[]): [number, number, number];
  valueAt(steps: number[]): Value | null;
  sharedValueAt(steps: number[]): Value | null;
  random: Random;
}

/** Creates the evaluation points; the root's half extents are powers of two for exact halving. */
function gridOf(object: FrepObject): Grid {
  const { domain } = object;
  const evaluate = evaluatorOf(object);
  const rootBits = domain.map((d) => {
    let n = 0;
    while (n < SMALLEST_ROOT_BITS && 2 ** -(n + 1) >= d) n++;
    return n;
  });
  const most = Math.max(...rootBits);
  const known = new Map<number, Value | null>();
  const coordinates = (steps: number[]) =>
    steps.map((n, axis) => n * 2 ** -(STEP_BITS + rootBits[axis])) as [number, number, number];
  const valueAt = ([x, y, z]: number[]): Value | null =>
    evaluate(
      BigInt(x) << BigInt(most - rootBits[0]),
      BigInt(y) << BigInt(most - rootBits[1]),
      BigInt(z) << BigInt(most - rootBits[2]),
      STEP_BITS + most,
    );
  const sharedValueAt = (steps: number[]): Value | null => {
    const key = steps.reduce((sum, n) => sum * (2 * STEPS + 1) + n + STEPS, 0);
    const before = known.get(key);
    if (before !== undefined) return before;
    const value = valueAt(steps);
    known.set(key, value);
    return value;
  };
  return { coordinates, valueAt, sharedValueAt, random: new Random(1) };
}

function problemsOfCell(grid: Grid, centre: number[], half: number, out: Float64Array): string[] {
  const extents = grid.coordinates([half, half, half]);
  const problems: string[] = [];
  const compare = (value: Value | null, bound: number, side: -1 | 1, where: string) => {
    const excess = excessOf(value, bound, side);
    if (excess === 0 || problems.length > 0) return;
    const cell = `cell ${grid.coordinates(centre).join(' ')} +- ${extents.join(' ')}`;
    const what = Number.isNaN(excess) ? 'is no number' : `is ${side < 0 ? 'above' : 'below'} the value at ${where}`;
    const by = excess > 0 && excess < Infinity ? ` by ${excess}` : '';
    problems.push(`${cell}: the ${side < 0 ? 'lower' : 'upper'} bound ${bound} ${what}${by}`);
  };
  for (let i = 0; i < POINTS && problems.length === 0; i++) {
    let steps = centre;
    if (i > 0 && i < 9) steps = cornerOf(centre, half, i - 1);
    else if (i >= 9) steps = centre.map((c) => c + (half / 64) * (Math.floor(129 * grid.random.unit()) - 64));
    const value = i < 9 ? grid.sharedValueAt(steps) : grid.valueAt(steps);
    const where = grid.coordinates(steps).join(' ');
    if (i === 0) {
      compare(value, out[2], -1, 'the centre, for which it was given,');
      compare(value, out[3], 1, 'the centre, for which it was given,');
    }
    compare(value, out[0], -1, where);
    compare(value, out[1], 1, where);
  }
  return problems;
}

/** How far a value surely lies beyond a bound (-1 below, 1 above); otherwise 0; NaN for NaN. */
function excessOf(value: Value | null, bound: number, side: -1 | 1): number {
  if (Number.isNaN(bound)) return Number.NaN;
  if (value === null || bound === side * Infinity) return 0;
  if (!Number.isFinite(bound)) return Infinity;
  const difference = sum(value, exactly(-bound));
  const beyond = difference === null ? 0n : side < 0 ? -difference.high : difference.low;
  return beyond > 0n ? Math.max(Number.MIN_VALUE, approximately(beyond, (difference as Value).exponent)) : 0;
}

function evaluatorOf(object: FrepObject): Evaluator {
  const { program } = object;
  // At the first requested time; bounds hold at each of them.
  const time = exactly(timesOf(object)[0]);
  const { ops, left, right, third, numbers } = program;
  const values = new Array<Value | null>(ops.length).fill(null);
  // The largest programs have few points, and caching all their integers would need much memory.
  const kept: Integers[] | null = numbers.length <= 2 ** 18 ? [] : null;
  return (x, y, z, bits) => {
    for (let i = 0; i < ops.length; i++) {
      const f = values[left[i]];
      const g = values[right[i]];
      switch (ops[i]) {
        case OP.SUM:
          values[i] = sum(f, g);
          break;
        case OP.TIMED:
          values[i] = product(time, f);
          break;
        case OP.INTERSECTION:
          values[i] = least(f, g);
          break;
        case OP.UNION:
          values[i] = negated(least(negated(f), negated(g)));
          break;
        case OP.PERTURBATION:
          values[i] = sum(f, product(exactly(numbers[third[i]]), squareOfPositive(g)));
          break;
        case OP.PRODUCT:
          values[i] = between(f, g);
          break;
        case OP.POWER:
        case OP.SINE:
        case OP.COSINE:
        case OP.EXPONENTIAL:
        case OP.LOGARITHM:
          values[i] = product(exactly(numbers[third[i]]), functionOf(ops[i], numbers[third[i] + 1], f));
          break;
        case OP.JOIN:
        case OP.MEET:
          values[i] = blended(ops[i] === OP.JOIN, numbers.subarray(third[i], third[i] + 3), f, g);
          break;
        default: {
          const integers = kept?.[i] ?? integersOf(ops[i], right[i], numbers, left[i]);
          if (kept !== null) kept[i] = integers;
          if (ops[i] === OP.QUADRIC) values[i] = quadricAt(integers, x, y, z, bits);
          else if (ops[i] === OP.WAVES) {
            const turns = third[i] > 0 ? turnsOf(numbers.subarray(third[i], third[i] + right[i]), time) : null;
            values[i] = wavesAt(integers, turns, x, y, z, bits);
          } else values[i] = polynomialAt(integers, right[i], x, y, z, bits);
        }
      }
    }
    return values[ops.length - 1];
  };
}

function quadricAt({ whole: c, exponents }: Integers, x: bigint, y: bigint, z: bigint, bits: number): Value | null {
  const square = x * (c[0] * x + c[3] * y + c[4] * z) + y * (c[1] * y + c[5] * z) + z * (c[2] * z);
  const linear = c[6] * x + c[7] * y + c[8] * z + (c[9] << BigInt(bits));
  return exactValue(square + (linear << BigInt(bits)), exponents[0] - 2 * bits);
}

/** Horner's scheme, in z, then y, then x. Values of degree n are over 2^(n bits). */
function polynomialAt(integers: Integers, degree: number, x: bigint, y: bigint, z: bigint, bits: number): Value | null {
  const { whole, exponents } = integers;
  let at = whole.length;
  let outer = 0n;
  for (let i = degree; i >= 0; i--) {
    let middle = 0n;
    for (let j = degree - i; j >= 0; j--) {
      let inner = 0n;
      for (let n = 0; n <= degree - i - j; n++) inner = inner * z + (whole[--at] << BigInt(n * bits));
      middle = middle * y + inner;
    }
    outer = outer * x + middle;
  }
  return exactValue(outer, exponents[0] - degree * bits);
}

const turnsOf = (frequencies: Float64Array, time: Value): bigint[] =>
  Array.from(frequencies, (frequency) => {
    const { low, exponent } = exactly(frequency);
    return shifted(low * time.low, exponent + time.exponent + Number(SINE_BITS));
  });

function wavesAt(
  { whole, exponents }: Integers,
  turns: bigint[] | null,
  x: bigint,
  y: bigint,
  z: bigint,
  bits: number,
): Value | null {
  let total: Value | null = exactValue(0n, 0);
  for (let at = 0, n = 0; at < whole.length; at += 5, n += 2) {
    const phase = whole[at + 1] * x + whole[at + 2] * y + whole[at + 3] * z + (whole[at + 4] << BigInt(bits));
    // Its sine is exactly 0.
    const turn = turns?.[n / 2] ?? 0n;
    if (phase === 0n && turn === 0n) continue;
    const angle = shifted(phase, exponents[n + 1] - bits + Number(SINE_BITS));
    if (angle + turn > LARGEST_ANGLE || angle + turn < -LARGEST_ANGLE) return null;
    // Both were rounded down: one unit more.
    const sine = sineOf(angle + turn);
    const value = {
      low: sine - SINE_ERROR - 1n,
      high: sine + SINE_ERROR + 1n,
      exponent: -Number(SINE_BITS),
      bits: 322,
    };
    total = sum(total, product(exactValue(whole[at], exponents[n]), value));
  }
  return total;
}

const shifted = (x: bigint, by: number): bigint => (by >= 0 ? x << BigInt(by) : x >> BigInt(-by));

const PI_BITS = SINE_BITS + 32n;
/** pi within 2 units of 2^-PI_BITS: 16 arctan(1/5) - 4 arctan(1/239), J. Machin, 1706. */
const pi = /* @__PURE__ */ once((): bigint => {
  // Fewer than 2^8 terms, each within 2 units of 2^-(PI_BITS + 16), 20 of these sums: within one
  // unit of 2^-PI_BITS, and rounding down.
  const one = 1n << (PI_BITS + 16n);
  const arctangent = (n: bigint): bigint => {
    let power = one / n;
    let total = power;
    for (let k = 3n; power !== 0n; k += 2n) {
      power /= n * n;
      total += k % 4n === 3n ? -(power / k) : power / k;
    }
    return total;
  };
  return (16n * arctangent(5n) - 4n * arctangent(239n)) >> 16n;
});

/**
 * The sine of angles from `angle` to `angle` + 1, within SINE_ERROR; all in units of 2^-SINE_BITS.
 *
 * For |angle| up to 2^18 units of 1: less than 2^17 times pi is subtracted, with an error below
 * 2^-13 units, and rounding down adds 1. The rest, r, is at most 1.6. The terms of its series are
 *   t_0 = r,   t_(n+1) = -t_n r^2 / ((2n + 2) (2n + 3)).
 * With r^2 <= 2.6 off by 1 unit and the quotient rounded by 1, the error of a term is at most
 *   (2.6 e + 1.6 + 1) / 6 + 1 <= 2.6
 * if e, the error of the one before, is. The series ends when a term is 0, so really below 2.6
 * units, and the rest sums to less than 2.6. There are fewer than 45 terms: |r|^89 / 89! < 2^-320.
 * Sines differ by no more than angles, so the error is below
 *   1 + 1 + 2.6 * 45 + 2.6 < 128 units.
 */
function sineOf(angle: bigint): bigint {
  const scaled = angle << 32n;
  const turns = floorOf(2n * scaled + pi(), 2n * pi());
  const rest = (scaled - turns * pi()) >> 32n;
  const square = (rest * rest) >> SINE_BITS;
  let term = rest;
  let total = rest;
  for (let n = 2n; term !== 0n; n += 2n) {
    term = -(term * square) / ((n * (n + 1n)) << SINE_BITS);
    total += term;
  }
  return turns % 2n === 0n ? total : -total;
}

function floorOf(x: bigint, y: bigint): bigint {
  const quotient = x / y;
  return x % y < 0n ? quotient - 1n : quotient;
}

function integersOf(op: number, size: number, numbers: Float64Array, at: number): Integers {
  const count = numbersOfLeaf(op, size);
  const integers: Integers = { whole: [], exponents: [] };
  if (op !== OP.WAVES) addIntegers(numbers, at, at + count, integers);
  else {
    for (let wave = at; wave < at + count; wave += 5) {
      addIntegers(numbers, wave, wave + 1, integers);
      addIntegers(numbers, wave + 1, wave + 5, integers);
    }
  }
  return integers;
}

function addIntegers(numbers: Float64Array, from: number, to: number, into: Integers): void {
  let least = Infinity;
  for (let i = from; i < to; i++) {
    const { low, exponent } = exactly(numbers[i]);
    if (low !== 0n) least = Math.min(least, exponent);
  }
  if (least === Infinity) least = 0;
  for (let i = from; i < to; i++) {
    const { low, exponent } = exactly(numbers[i]);
    into.whole.push(low === 0n ? 0n : low << BigInt(exponent - least));
  }
  into.exponents.push(least);
}

const double = new Float64Array(1);
const word = new BigUint64Array(double.buffer);

/** A finite double; trailing zero bits go to the exponent. */
function exactly(x: number): Value {
  double[0] = x;
  const biased = Number((word[0] >> 52n) & 0x7ffn);
  let mantissa = Number(word[0] & 0xfffffffffffffn) + (biased === 0 ? 0 : 2 ** 52);
  let exponent = Math.max(biased, 1) - 1075;
  if (mantissa === 0) exponent = 0;
  else {
    if (mantissa % 2 ** 32 === 0) {
      mantissa /= 2 ** 32;
      exponent += 32;
    }
    const low = (mantissa % 2 ** 32) | 0;
    const zeros = 31 - Math.clz32(low & -low);
    mantissa /= 2 ** zeros;
    exponent += zeros;
  }
  const whole = BigInt(x < 0 ? -mantissa : mantissa);
  return { low: whole, high: whole, exponent, bits: 53 };
}

const bitsOf = (x: bigint): number => 4 * (x < 0n ? -x : x).toString(16).length;

const SHORT_BITS = 512;
const SHORT = 1n << BigInt(SHORT_BITS);

const exactValue = (whole: bigint, exponent: number): Value | null =>
  settled({ low: whole, high: whole, exponent, bits: whole < SHORT && whole > -SHORT ? SHORT_BITS : bitsOf(whole) });

/** Rounds outward to KEPT_BITS if a value is too long; null if the exponent is too large. */
function settled(value: Value): Value | null {
  let result = value;
  if (value.bits > MOST_BITS) {
    const bits = Math.max(bitsOf(value.low), bitsOf(value.high));
    result = { ...value, bits };
    if (bits > MOST_BITS) result = moved(result, result.exponent + bits - KEPT_BITS);
  }
  if (result.exponent < -LARGEST_EXPONENT) result = moved(result, -LARGEST_EXPONENT);
  return result.exponent + result.bits > LARGEST_EXPONENT ? null : result;
}

function moved({ low, high, exponent, bits }: Value, to: number): Value {
  const by = exponent - to;
  if (by === 0) return { low, high, exponent, bits };
  if (by > 0) {
    const moved = low << BigInt(by);
    return { low: moved, high: low === high ? moved : high << BigInt(by), exponent: to, bits: bits + by };
  }
  return { low: low >> BigInt(-by), high: -(-high >> BigInt(-by)), exponent: to, bits: Math.max(1, bits + by + 1) };
}

function aligned(a: Value, b: Value): [Value, Value] {
  if (a.low === 0n && a.high === 0n) return [{ ...a, exponent: b.exponent }, b];
  if (b.low === 0n && b.high === 0n) return [a, { ...b, exponent: a.exponent }];
  const upper = Math.max(a.exponent, b.exponent);
  const lower = Math.min(a.exponent, b.exponent);
  const exponent = upper - lower <= MOST_SHIFT ? lower : upper - MOST_SHIFT / 2;
  return [moved(a, exponent), moved(b, exponent)];
}

function sum(a: Value | null, b: Value | null): Value | null {
  if (a === null || b === null) return null;
  const [f, g] = aligned(a, b);
  const bits = Math.max(f.bits, g.bits) + 1;
  return settled({ low: f.low + g.low, high: f.high + g.high, exponent: f.exponent, bits });
}

function least(a: Value | null, b: Value | null): Value | null {
  if (a === null || b === null) return null;
  const [f, g] = aligned(a, b);
  if (f.high <= g.low) return a;
  if (g.high <= f.low) return b;
  const low = f.low < g.low ? f.low : g.low;
  const high = f.high < g.high ? f.high : g.high;
  return settled({ low, high, exponent: f.exponent, bits: Math.max(f.bits, g.bits) });
}

const negated = (a: Value | null): Value | null => (a === null ? null : { ...a, low: -a.high, high: -a.low });

function squareOfPositive(a: Value | null): Value | null {
  if (a === null) return null;
  const low = a.low > 0n ? a.low * a.low : 0n;
  const high = a.high > 0n ? a.high * a.high : 0n;
  return settled({ low, high, exponent: 2 * a.exponent, bits: 2 * a.bits });
}

function blended(isJoin: boolean, [a, p, q]: Float64Array, f: Value | null, g: Value | null): Value | null {
  const squares = sum(square(f), square(g));
  const root = rootOf(squares);
  const base = sum(sum(f, g), isJoin ? root : negated(root));
  if (a === 0) return base;
  // a p^2 q^2 / (p^2 q^2 + q^2 f^2 + p^2 g^2)
  const [p2, q2] = [square(exactly(p)), square(exactly(q))];
  const whole = product(p2, q2);
  return sum(
    base,
    quotient(product(exactly(a), whole), sum(whole, sum(product(q2, square(f)), product(p2, square(g))))),
  );
}

function square(a: Value | null): Value | null {
  if (a === null) return null;
  const [p, q] = [a.low * a.low, a.high * a.high];
  const least = a.low <= 0n && a.high >= 0n ? 0n : p < q ? p : q;
  return settled({ low: least, high: p < q ? q : p, exponent: 2 * a.exponent, bits: 2 * a.bits });
}

function rootOf(a: Value | null): Value | null {
  if (a === null) return null;
  const by = ROOT_BITS + (Math.abs(a.exponent) % 2);
  const [low, high] = [a.low << BigInt(by), a.high << BigInt(by)];
  const bits = Math.ceil((a.bits + by) / 2) + 1;
  return settled({ low: floorRoot(low), high: floorRoot(high) + 1n, exponent: (a.exponent - by) / 2, bits });
}

/** floor(sqrt(x)) by Newton's method from above. */
function floorRoot(x: bigint): bigint {
  if (x === 0n) return 0n;
  let root = 1n << BigInt(Math.ceil(bitsOf(x) / 2) + 1);
  for (;;) {
    const next = (root + x / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

function quotient(a: Value | null, b: Value | null): Value | null {
  if (a === null || b === null || b.low <= 0n) return null;
  const by = Math.max(0, b.bits - a.bits) + ROOT_BITS;
  const whole = a.low << BigInt(by);
  const [p, q] = [whole / b.low, whole / b.high];
  const [low, high] = p < q ? [p, q] : [q, p];
  return settled({ low: low - 1n, high: high + 1n, exponent: a.exponent - b.exponent - by, bits: a.bits + by + 1 });
}

function product(factor: Value | null, a: Value | null): Value | null {
  if (factor === null || a === null) return null;
  const [p, q] = [factor.low * a.low, factor.low * a.high];
  const exponent = factor.exponent + a.exponent;
  return settled({ low: p < q ? p : q, high: p < q ? q : p, exponent, bits: factor.bits + a.bits });
}

function between(a: Value | null, b: Value | null): Value | null {
  if (a === null || b === null) return null;
  const ends = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
  const [low, high] = [ends.reduce((x, y) => (x < y ? x : y)), ends.reduce((x, y) => (x < y ? y : x))];
  return shortened({ low, high, exponent: a.exponent + b.exponent, bits: a.bits + b.bits });
}

/** Rounds outward, so that long chains of functions end soon. */
function shortened(a: Value | null): Value | null {
  if (a === null) return null;
  if (a.bits <= KEPT_BITS) return settled(a);
  const bits = Math.max(bitsOf(a.low), bitsOf(a.high));
  const own = { ...a, bits };
  return settled(bits > KEPT_BITS ? moved(own, own.exponent + bits - KEPT_BITS) : own);
}

const UNIT = Number(SINE_BITS);
/** Longer angles and exponents are unknown. */
const MOST_ANGLE_BITS = 24;
const ONE = 1n << SINE_BITS;

/** Returns lower and upper ends in units of 2^-SINE_BITS. */
const unitsOf = ({ low, high, exponent }: Value): [bigint, bigint] => [
  shifted(low, exponent + UNIT),
  -shifted(-high, exponent + UNIT),
];

const inUnits = (low: bigint, high: bigint, exponent = -UNIT): Value | null =>
  settled({ low, high, exponent, bits: Math.max(bitsOf(low), bitsOf(high)) });

/** `p` is read for powers only. Null if nothing is known, or if there is no value. */
function functionOf(op: number, p: number, f: Value | null): Value | null {
  if (f === null) return null;
  if (op === OP.POWER) return powerOf(f, p);
  if (op === OP.LOGARITHM) return logarithmOf(f);
  if (f.exponent + Math.max(bitsOf(f.low), bitsOf(f.high)) > MOST_ANGLE_BITS) return null;
  const [low, high] = unitsOf(f);
  if (op === OP.EXPONENTIAL) {
    const [from, to] = [exponentialOf(low), exponentialOf(high)];
    if (from === null || to === null) return null;
    const [least, most] = aligned(from, to);
    return settled({ ...least, high: most.high, bits: Math.max(least.bits, most.bits) });
  }
  // A sine moves no more than its angle.
  const quarter = op === OP.COSINE ? pi() >> 33n : 0n;
  if (high > LARGEST_ANGLE || low < -LARGEST_ANGLE) return null;
  const sine = sineOf(low + quarter);
  const error = SINE_ERROR + (high - low) + 2n;
  return inUnits(sine - error, sine + error);
}

/** Logarithms of x from 1 to 2 are 2 artanh((x - 1) / (x + 1)). Takes and gives units. */
function twiceArtanh(s: bigint): bigint {
  const square = (s * s) >> SINE_BITS;
  let power = s;
  let total = 0n;
  for (let n = 1n; power !== 0n && n < 450n; n += 2n) {
    total += power / n;
    power = (power * square) >> SINE_BITS;
  }
  return 2n * total;
}
const ln2 = /* @__PURE__ */ once((): bigint => twiceArtanh(ONE / 3n));
/** Up to 225 terms, each within 2 units, and 2^10 whole logarithms of 2. */
const LOGARITHM_ERROR = 1n << 20n;

/** e^x for x in units of 2^-SINE_BITS; within 2^-290 of itself. */
function exponentialOf(x: bigint): Value | null {
  const k = x / ln2();
  const r = x - k * ln2();
  let term = ONE;
  let total = 0n;
  for (let n = 1n; term !== 0n && n < 200n; n++) {
    total += term;
    term = (term * r) / (n << SINE_BITS);
  }
  // k has up to 25 bits, so k ln 2 is within 2^-287; the series has fewer than 100 terms.
  const error = (total >> 280n) + (1n << 40n);
  return inUnits(total - error, total + error, Number(k) - UNIT);
}

function logarithmOf(f: Value): Value | null {
  if (f.low <= 0n) return null;
  const of = (x: bigint): bigint => {
    const e = x.toString(2).length - 1;
    const mantissa = shifted(x, UNIT - e);
    return twiceArtanh(((mantissa - ONE) << SINE_BITS) / (mantissa + ONE)) + BigInt(e + f.exponent) * ln2();
  };
  return inUnits(of(f.low) - LOGARITHM_ERROR, of(f.high) + LOGARITHM_ERROR);
}

function powerOf(f: Value, p: number): Value | null {
  if (p === Math.floor(p)) {
    let value: Value | null = Math.abs(p) % 2 === 0 ? exactValue(1n, 0) : f;
    let squares = square(f);
    for (let n = Math.floor(Math.abs(p) / 2); n > 0; n = Math.floor(n / 2)) {
      if (n % 2 === 1) value = between(value, squares);
      if (n > 1) squares = shortened(squares && square(squares));
    }
    if (p > 0 || value === null) return value;
    const isBelow = value.high < 0n;
    const inverse = quotient(exactValue(1n, 0), isBelow ? negated(value) : value);
    return isBelow ? negated(inverse) : inverse;
  }
  if (f.high <= 0n) return p > 0 ? exactValue(0n, 0) : null;
  // The root of a range that begins at 0 or below begins at 0.
  const from = f.low > 0n ? f : { ...f, low: f.high };
  const logarithm = logarithmOf(from);
  const value = functionOf(OP.EXPONENTIAL, 0, product(exactly(p), logarithm));
  if (value === null || f.low > 0n) return value;
  return p > 0 ? { ...value, low: 0n } : null;
}

function approximately(x: bigint, exponent: number): number {
  const by = Math.max(0, bitsOf(x) - 64);
  // In two steps, as 2^exponent alone may underflow.
  const half = Math.floor((exponent + by) / 2);
  return Number(x >> BigInt(by)) * 2 ** half * 2 ** (exponent + by - half);
}
