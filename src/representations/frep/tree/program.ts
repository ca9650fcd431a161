/**
 * A functionally defined object as it is stored: instructions over coefficients, in the model cube
 * M. Also its views at one time, or at all times of an interval.
 *
 * S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant
 * Time" (section 3.1: quadrics and perturbation functions; 3.2: set-theoretic operations; 3.3.1:
 * polynomials of higher degree).
 *
 * The model cube: a point x of the asset's frame is
 *   u = (x - center) / half,
 * and the domain is |u_k| <= domain_k with domain_k in (0, 1], the largest of them 1. All
 * coefficients are in u. The object is
 *   { x : |u_k| <= domain_k and F(u) >= 0 },
 * where F is the value of the last instruction in exact arithmetic of the stored coefficients.
 * These include transformations and sugar, so their rounding is part of the object's definition.
 *
 * Instruction i reads earlier instructions. With f, g the values of `left` and `right`:
 *
 *     QUADRIC        A11 u^2 + A22 v^2 + A33 w^2 + A12 uv + A13 uw + A23 vw + A14 u + A24 v + A34 w
 *                    + A44; its ten numbers, in this order, start at numbers[left]; right is 10
 *     POLYNOMIAL     of total degree d = right, 3 to MOST_DEGREE: the coefficients of u^i v^j w^k,
 *                    i + j + k <= d, start at numbers[left], ordered by i, then j, then k
 *                    (for d = 1: 1, w, v, u)
 *     WAVES          the sum of right waves a sin(p u + q v + r w + s), 1 or more; a, p, q, r, s of
 *                    each start at numbers[left]; where third is not 0, s + o t in the place of s:
 *                    the o of each start at numbers[third], behind the others
 *     SUM            f + g
 *     PERTURBATION   f + amount max(g, 0)^2, the amount is numbers[third], not 0
 *     INTERSECTION   min(f, g)
 *     UNION          max(f, g)
 *     JOIN, MEET     f + g + sqrt(f^2 + g^2) + a / (1 + (f/p)^2 + (g/q)^2), MEET with - sqrt: see
 *                    blend.ts; a, p and q start at numbers[third], p and q above 0
 *     TIMED          t f, with t the time; right is left again
 *     PRODUCT        f g
 *     POWER          a f^p; a and p start at numbers[third], neither is 0; right is left again. If
 *                    p is not whole, max(f, 0) replaces f
 *     SINE, COSINE, EXPONENTIAL, LOGARITHM
 *                    a sin f, a cos f, a exp f, a log f; a, not 0, is numbers[third]; right is left
 *
 * A POWER with p below 0 has no value where f is 0. One whose p is not whole has none where f is
 * below 0. A LOGARITHM has none where f is 0 or below. Such places must lie outside the domain.
 *
 * A program with a TIMED, or with waves that have an o, is an object for each time of its span.
 * Polynomials of the time are nested products, f + t (g + t h). Time has the model's unit, whatever
 * the cube. There is no complement or difference: negated objects have negated coefficients and
 * amounts, and minima for maxima.
 */
import { FormatError, OptionError } from '../../../base/errors.ts';
import { requireThat } from '../../../base/require.ts';
import type { AssetHeader } from '../../../engine/representation.ts';
import type { PlacedPrimitive } from '../../../readers/mesh-file.ts';
import { BLEND_NUMBERS } from './blend.ts';

export const OP = {
  QUADRIC: 0,
  POLYNOMIAL: 1,
  WAVES: 2,
  SUM: 3,
  PERTURBATION: 4,
  INTERSECTION: 5,
  UNION: 6,
  JOIN: 7,
  MEET: 8,
  TIMED: 9,
  PRODUCT: 10,
  POWER: 11,
  SINE: 12,
  COSINE: 13,
  EXPONENTIAL: 14,
  LOGARITHM: 15,
} as const;

export const OP_NAMES = [
  ...['quadric', 'polynomial', 'waves', 'sum', 'perturbation', 'intersection', 'union'],
  ...['blended union', 'blended intersection', 'times t'],
  ...['product', 'power', 'sine', 'cosine', 'exponential', 'logarithm'],
];

export const MOST_DEGREE = 12;
export const MOST_INSTRUCTIONS = 2 ** 16;
export const MOST_NUMBERS = 2 ** 22;
/** Limit of coefficients and amounts that prevents overflow. */
export const LARGEST_NUMBER = 1e60;
export const SMALLEST_WIDTH = 1e-60;
/** Limit of a wave's p, q, r and s. */
export const LARGEST_PHASE = 2 ** 16;
/** Limit of the size of a power's exponent. */
export const LARGEST_POWER = 1024;
/** Limit of the size of times. */
export const LARGEST_TIME = 2 ** 20;

export interface Program {
  /** OP code of every instruction. */
  ops: Uint8Array;
  left: Uint32Array;
  right: Uint32Array;
  /**
   * For a PERTURBATION, a JOIN, a MEET or a function: index of its amount in `numbers`; for WAVES
   * that depend on time: index of their o; otherwise 0.
   */
  third: Uint32Array;
  numbers: Float64Array;
}

/** An F-rep, as `build` compiles it from a model. */
export interface FrepObject {
  representation: 'frep';
  /** x, y, z of the point u = 0, in model units. */
  center: [number, number, number];
  /** Model units per unit of u; above 0. */
  half: number;
  /** The largest |u|, |v| and |w| of its points, in (0, 1]. */
  domain: [number, number, number];
  program: Program;
  /** The source's name of each instruction: 'sphere', 'torus', or the author's name; '' if none. */
  names: string[];
  header: AssetHeader;
  /** First and last time of an object that depends on time. */
  span?: readonly [number, number];
  /**
   * The requested times, from first to second, within the span; not stored. Default: the beginning
   * of the span. `out` then means: at none of them; `in`: at each of them.
   */
  during?: readonly [number, number];
  /** Searched to 2^resolution cells along an axis; not stored. */
  resolution: number;
  /** The mesh-file primitive that it was made of, which is more exact than the program. */
  primitive?: PlacedPrimitive;
  /** True if the space beyond the domain belongs to it, too; never stored (unfold.ts). */
  isOutside?: true;
}

export const DEFAULT_RESOLUTION = 10;
export const MOST_RESOLUTION = 20;

/** The numbers of a leaf: `size` is the degree of a polynomial, and the number of waves. */
export interface Leaf {
  numbers: Float64Array;
  at: number;
  size: number;
}

export const isLeaf = (op: number): boolean => op <= OP.WAVES;

export const coefficientsOf = (d: number): number => ((d + 1) * (d + 2) * (d + 3)) / 6;

export const isBlend = (op: number): boolean => op === OP.JOIN || op === OP.MEET;

/** True for what an expression adds to the language: products, powers, sines and so on. */
export const isAnalytic = (op: number): boolean => op >= OP.PRODUCT && op <= OP.LOGARITHM;

/** True for an amount times a function of one argument. */
export const isFunction = (op: number): boolean => op >= OP.POWER;

/** Numbers from `third` on. */
const numbersOfFunction = (op: number): number => (op === OP.POWER ? 2 : 1);

export function numbersOfLeaf(op: number, right: number): number {
  if (op === OP.QUADRIC) return 10;
  return op === OP.POLYNOMIAL ? coefficientsOf(right) : 5 * right;
}

const readsTime = ({ ops, third }: Program, i: number): boolean =>
  ops[i] === OP.TIMED || (ops[i] === OP.WAVES && third[i] !== 0);

export function dependsOnTime(program: Program): boolean {
  for (let i = 0; i < program.ops.length; i++) if (readsTime(program, i)) return true;
  return false;
}

const STILL: readonly [number, number] = [0, 0];

export const timesOf = ({ during, span }: FrepObject): readonly [number, number] =>
  during ?? (span ? [span[0], span[0]] : STILL);

/**
 * Throws unless the program is in its unique form. Instructions read earlier ones, and all but the
 * last are read. Numbers belong to leaves and amounts in the order of the instructions, without
 * gaps; unused fields are 0.
 *
 * @throws FormatError if not; takes linear time
 */
export function requireProgram({ ops, left, right, third, numbers }: Program): void {
  const isRead = new Uint8Array(ops.length);
  const last = ops.length - 1;
  let free = 0;
  for (let i = 0; i < ops.length; i++) {
    const op = ops[i];
    if (op >= OP_NAMES.length) {
      throw new FormatError(null, `instructions below ${OP_NAMES.length}`, `${op} at instruction ${i}`);
    }
    if (isLeaf(op)) {
      free = requireLeaf(op, i, left[i], right[i], free, numbers);
      if (op === OP.WAVES && third[i] !== 0) {
        free = requireFrequencies(i, third[i], right[i], free, numbers);
        continue;
      }
    } else {
      if (left[i] >= i || right[i] >= i) {
        const found = `${Math.max(left[i], right[i])} at instruction ${i}`;
        throw new FormatError(null, 'arguments before their instruction', found);
      }
      isRead[left[i]] = isRead[right[i]] = 1;
    }
    if ((op === OP.TIMED || isFunction(op)) && right[i] !== left[i]) {
      const what = op === OP.TIMED ? 'a product with the time' : 'a function';
      throw new FormatError(null, `equal left and right arguments of ${what}`, `${right[i]} at instruction ${i}`);
    }
    if (op === OP.PERTURBATION) {
      requireNext(i, third[i], free);
      requireNumbers(i, numbers, free, 1);
      if (numbers[free] === 0) throw new FormatError(null, 'amounts that are not 0', `0 at instruction ${i}`);
      free++;
    } else if (isBlend(op)) {
      free = requireBlend(i, third[i], free, numbers);
    } else if (isFunction(op)) {
      free = requireFunction(op, i, third[i], free, numbers);
    } else if (third[i] !== 0) {
      throw new FormatError(
        null,
        '0 as third number without a perturbation, blend, function or waves',
        `${third[i]} at instruction ${i}`,
      );
    }
  }
  for (let i = 0; i < last; i++) {
    if (isRead[i] === 0) throw new FormatError(null, 'every instruction but the last used', `instruction ${i} unused`);
  }
  if (free !== numbers.length) {
    throw new FormatError(null, `${free} numbers, as the instructions need`, `${numbers.length}`);
  }
}

function requireLeaf(op: number, i: number, left: number, right: number, free: number, numbers: Float64Array): number {
  if (op === OP.QUADRIC && right !== 10) {
    throw new FormatError(null, '10 as right of a quadric', `${right} at instruction ${i}`);
  }
  if (op === OP.POLYNOMIAL && (right < 3 || right > MOST_DEGREE)) {
    throw new FormatError(null, `polynomials of degree 3 to ${MOST_DEGREE}`, `${right} at instruction ${i}`);
  }
  if (op === OP.WAVES && right === 0) throw new FormatError(null, 'one wave or more', `none at instruction ${i}`);
  requireNext(i, left, free);
  const count = numbersOfLeaf(op, right);
  requireNumbers(i, numbers, free, count);
  if (op === OP.WAVES) {
    for (let at = free; at < free + count; at++) {
      // The first of five is the amplitude.
      if ((at - free) % 5 !== 0 && Math.abs(numbers[at]) > LARGEST_PHASE) {
        throw new FormatError(null, `phases up to ${LARGEST_PHASE}`, `${numbers[at]} at instruction ${i}`);
      }
    }
  }
  return free + count;
}

function requireFrequencies(i: number, third: number, count: number, free: number, numbers: Float64Array): number {
  requireNext(i, third, free);
  requireNumbers(i, numbers, free, count);
  for (let at = free; at < free + count; at++) {
    if (Math.abs(numbers[at]) > LARGEST_PHASE) {
      throw new FormatError(null, `phases up to ${LARGEST_PHASE}`, `${numbers[at]} at instruction ${i}`);
    }
  }
  return free + count;
}

function requireBlend(i: number, third: number, free: number, numbers: Float64Array): number {
  requireNext(i, third, free);
  requireNumbers(i, numbers, free, BLEND_NUMBERS);
  for (let k = free + 1; k < free + BLEND_NUMBERS; k++) {
    if (!(numbers[k] >= SMALLEST_WIDTH))
      throw new FormatError(null, `widths from ${SMALLEST_WIDTH}`, `${numbers[k]} at instruction ${i}`);
  }
  return free + BLEND_NUMBERS;
}

function requireFunction(op: number, i: number, third: number, free: number, numbers: Float64Array): number {
  const end = free + numbersOfFunction(op);
  requireNext(i, third, free);
  requireNumbers(i, numbers, free, end - free);
  if (numbers[free] === 0) throw new FormatError(null, 'amounts that are not 0', `0 at instruction ${i}`);
  if (op === OP.POWER && !(numbers[free + 1] !== 0 && Math.abs(numbers[free + 1]) <= LARGEST_POWER)) {
    const expected = `exponents up to ${LARGEST_POWER}, other than 0`;
    throw new FormatError(null, expected, `${numbers[free + 1]} at instruction ${i}`);
  }
  return end;
}

function requireNext(i: number, at: number, free: number): void {
  if (at !== free) throw new FormatError(null, `the numbers of instruction ${i} from number ${free} on`, `${at}`);
}

function requireNumbers(i: number, numbers: Float64Array, at: number, count: number): void {
  if (at + count > numbers.length) {
    throw new FormatError(null, `${at + count} numbers, as instruction ${i} needs`, `${numbers.length}`);
  }
  for (let k = at; k < at + count; k++) {
    // NaN fails the comparison.
    if (!(Math.abs(numbers[k]) <= LARGEST_NUMBER)) {
      throw new FormatError(null, `numbers up to ${LARGEST_NUMBER}`, `${numbers[k]} at instruction ${i}`);
    }
  }
}

/*
 * Views of an F-rep at one time, or at all times of an interval. They share the program, without
 * folding or rounding.
 *
 * For a view of an interval, `out` means that the object has no point there at any of the times.
 * `in` means that one point is in the object at each of them. So search results hold for all times:
 * `clear` at each, `contact` at each.
 */

/**
 * Returns the object at all times from `from` to `to`; itself if it does not depend on time.
 *
 * @throws OptionError for times beyond the object's span
 */
export function duringOf(object: FrepObject, from: number, to: number): FrepObject {
  const { span } = object;
  if (!span) return object;
  for (const time of [from, to]) {
    if (typeof time !== 'number' || !(span[0] <= time && time <= span[1]))
      throw new OptionError(`time ${time}: expected a time from ${span[0]} to ${span[1]}, as the model has`);
  }
  if (from > to) throw new OptionError(`times ${from} to ${to}: expected the later one last`);
  return { ...object, during: [from, to] };
}

/** The last view at one time, so that its unfolded trees are reused. */
const lastViews = new WeakMap<FrepObject, FrepObject>();

/**
 * Returns an F-rep at one time: a solid like others, to check and to draw. Its file would still
 * hold all times. An object that does not depend on time is returned unchanged.
 *
 * @throws OptionError for a time outside the model's span
 * @example const growing = build(readFrep(`{"domain": {"min": [-3, -3, -3], "max": [3, 3, 3]},
 *            "object": {"quadric": [-1, -1, -1, 0, 0, 0, 0, 0, 0, [1, 2, 1]]}}`)); // a ball of radius 1 + t
 *          const ball = build(readFrep('{"object": {"sphere": {"radius": 1}}}'));
 *          check(frozen(growing, 0), ball, { poseB: translation(2.5, 0, 0) }).verdict // 'clear'
 *          check(frozen(growing, 1), ball, { poseB: translation(2.5, 0, 0) }).verdict // 'contact'
 */
export function frozen(object: FrepObject, time: number): FrepObject {
  requireThat(object?.representation === 'frep', 'object', 'an F-rep', object);
  requireThat(object.span !== undefined || Number.isFinite(time), 'time', 'a finite number', time);
  const known = lastViews.get(object);
  if (known?.during?.[0] === time) return known;
  const view = duringOf(object, time, time);
  if (view !== object) lastViews.set(object, view);
  return view;
}
