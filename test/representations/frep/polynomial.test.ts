/** What polynomial.ts says of its errors, held to exact arithmetic: dyadic numbers m 2^e, m whole. */
import { describe, expect, test } from 'vitest';
import {
  coefficientAt,
  evaluatePolynomial,
  gradientOfPolynomial,
  halvePolynomial,
  majorantOfPolynomial,
  modelPolynomial,
  substitutePolynomial,
} from '../../../src/representations/frep/tree/polynomial.ts';
import { coefficientsOf, MOST_DEGREE } from '../../../src/representations/frep/tree/program.ts';
import { leafOf } from '../../support/frep-programs.ts';
import { type Random, seeded } from '../../support/random.ts';
import { commonIntegers } from '../../support/rational.ts';

interface Dyadic {
  m: bigint;
  e: number;
}

function dyadic(x: number): Dyadic {
  let e = 0;
  let y = x;
  // To a whole number, without rounding: numbers below 2^-1022 have no bits to lose by a factor.
  for (; !Number.isInteger(y); y *= 2 ** 53) e -= 53;
  return { m: BigInt(y), e };
}
const times = (a: Dyadic, b: Dyadic): Dyadic => ({ m: a.m * b.m, e: a.e + b.e });
function plus(a: Dyadic, b: Dyadic): Dyadic {
  if (a.m === 0n) return b;
  if (b.m === 0n) return a;
  const e = Math.min(a.e, b.e);
  return { m: (a.m << BigInt(a.e - e)) + (b.m << BigInt(b.e - e)), e };
}
const minus = (a: Dyadic, b: Dyadic): Dyadic => plus(a, { m: -b.m, e: b.e });
const size = (a: Dyadic): Dyadic => (a.m < 0n ? { m: -a.m, e: a.e } : a);
const isWithin = (a: Dyadic, bound: Dyadic): boolean => minus(size(a), bound).m <= 0n;
const ZERO = dyadic(0);

/** f at a point; absolute values of the coefficients where `isMajorant`. */
function exactly(f: Float64Array, d: number, x: Dyadic[], isMajorant = false): Dyadic {
  let value = ZERO;
  let next = f.length;
  for (let i = d; i >= 0; i--) {
    let inY = ZERO;
    for (let j = d - i; j >= 0; j--) {
      let inZ = ZERO;
      for (let k = d - i - j; k >= 0; k--) {
        const c = f[--next];
        inZ = plus(times(inZ, x[2]), dyadic(isMajorant ? Math.abs(c) : c));
      }
      inY = plus(times(inY, x[1]), inZ);
    }
    value = plus(times(value, x[0]), inY);
  }
  return value;
}

/** As few bits as keep it random: exact values stay short. */
const short = (x: number): number => Math.round(x * 2 ** 12) / 2 ** 12;
const sign = (random: Random): number => (random.below(2) === 0 ? -1 : 1);
/** In the cube, one in two coordinates at its end. */
const within = (random: Random): number => (random.below(2) === 0 ? sign(random) : short(random.between(-1, 1)));

/** Without normal doubles too. */
const SCALES = [1, 1e60, 1e-300, 3e-9, 1e-318];

function randomPolynomial(random: Random, d: number, scale: number): Float64Array {
  const isSparse = random.below(3) === 0;
  const spread = random.pick([0, 6]);
  return Float64Array.from({ length: coefficientsOf(d) }, () =>
    isSparse && random.below(4) > 0 ? 0 : scale * random.between(-1, 1) * 10 ** -random.between(0, spread),
  );
}

function randomMap(random: Random): Float64Array {
  const kind = random.below(4);
  const factor = [1, 0.01, 30, 1][kind];
  return Float64Array.from({ length: 12 }, (_, n) => {
    if (kind === 3 && n % 4 !== 3 && n % 5 !== 0) return 0;
    return factor * random.between(-1, 1);
  });
}

const rowsOf = (map: Float64Array): number[] =>
  [0, 4, 8].map((r) => Math.abs(map[r]) + Math.abs(map[r + 1]) + Math.abs(map[r + 2]) + Math.abs(map[r + 3]));

/** Sum of the partial derivatives of the polynomial of absolute values. */
function slopeOf(f: Float64Array, d: number, r: number[]): number {
  const gradient = new Float64Array(3);
  gradientOfPolynomial(leafOf(f.map(Math.abs), 0, d), r[0], r[1], r[2], gradient);
  return gradient[0] + gradient[1] + gradient[2];
}

/** Junk before and after, to see that nothing else is written. */
const BEFORE = 3;
function framed(length: number): Float64Array {
  return new Float64Array(length + 2 * BEFORE).fill(-7);
}
function unframed(out: Float64Array): Float64Array {
  for (let n = 0; n < BEFORE; n++) expect([out[n], out[out.length - 1 - n]]).toEqual([-7, -7]);
  return out.slice(BEFORE, -BEFORE);
}

const degrees = Array.from({ length: MOST_DEGREE }, (_, n) => n + 1);

test('dyadic numbers are those of rational.ts', () => {
  for (const x of [1, -0.375, 1e60, 1e-300, 2 ** -1074, 5e-324, 0.1]) {
    const [q, one] = commonIntegers([x, 1]);
    const { m, e } = dyadic(x);
    expect(m * one).toBe(q << BigInt(-e));
  }
});

test('the order is that of program.ts', () => {
  for (const d of degrees) {
    let next = 0;
    for (let i = 0; i <= d; i++)
      for (let j = 0; j <= d - i; j++)
        for (let k = 0; k <= d - i - j; k++) expect(coefficientAt(d, i, j, k)).toBe(next++);
    expect(next).toBe(coefficientsOf(d));
  }
});

describe.each(degrees)('degree %i', (d) => {
  const trials = d < 7 ? 24 : 8;
  const count = coefficientsOf(d);

  test(`substitution, seed ${d}`, () => {
    const random = seeded(d);
    for (let trial = 0; trial < trials; trial++) {
      const scale = SCALES[trial % SCALES.length];
      const f = randomPolynomial(random, d, scale);
      const map = randomMap(random);
      const slack = random.pick([0, 0, 2 ** -45, 2 ** -20, 0.125]);
      const numbers = framed(count);
      numbers.set(f, BEFORE);
      const out = framed(count);
      const error = substitutePolynomial(leafOf(numbers, BEFORE, d), map, slack, out, BEFORE);
      const g = unframed(out);
      const reach = rowsOf(map).map((r) => r + slack);
      const rounding = majorantOfPolynomial(leafOf(f, 0, d), reach[0], reach[1], reach[2]);
      const silly =
        1000 * 2 ** -53 * rounding + 2 * slack * slopeOf(f, d, reach) + 2 ** -990 * Math.max(1, ...reach) ** (d + 1);
      expect(error).toBeLessThanOrEqual(silly);
      for (let sample = 0; sample < 3; sample++) {
        const u = [0, 0, 0].map(() => dyadic(within(random)));
        const x = [0, 4, 8].map((r) => {
          const shift = slack * (sample === 0 ? 1 : within(random));
          const linear = u.reduce((sum, c, k) => plus(sum, times(dyadic(map[r + k]), c)), ZERO);
          return plus(plus(linear, dyadic(map[r + 3])), dyadic(shift));
        });
        expect(isWithin(minus(exactly(f, d, x), exactly(g, d, u)), dyadic(error))).toBe(true);
      }
    }
  });

  test(`30 halvings one after another, seed ${100 + d}`, () => {
    const random = seeded(100 + d);
    for (let trial = 0; trial < (d < 7 ? 8 : 4); trial++) {
      const first = randomPolynomial(random, d, SCALES[trial % SCALES.length]);
      const u = [0, 0, 0].map(() => dyadic(within(random)));
      // From the whole to the smallest cell, and the point back from that.
      const steps: { axis: number; side: number }[] = [];
      let g = first;
      let total = ZERO;
      for (let n = 0; n < 30; n++) {
        const axis = random.below(3);
        const side = sign(random);
        steps.push({ axis, side });
        const data = framed(count);
        data.set(g, BEFORE);
        const out = framed(count);
        const error = halvePolynomial(leafOf(data, BEFORE, d), axis, side, out, BEFORE);
        const half = unframed(out);
        const sum = g.reduce((a, c) => a + Math.abs(c), 0);
        expect(error).toBeLessThanOrEqual(1000 * 2 ** -53 * sum + 2 ** -990);
        if (n % 6 === 0) {
          const v = u.map((c, k) => (k === axis ? halved(c, side) : c));
          expect(isWithin(minus(exactly(g, d, v), exactly(half, d, u)), dyadic(error))).toBe(true);
        }
        total = plus(total, dyadic(error));
        g = half;
      }
      let x = u;
      for (const { axis, side } of steps.toReversed()) x = x.map((c, k) => (k === axis ? halved(c, side) : c));
      expect(isWithin(minus(exactly(first, d, x), exactly(g, d, u)), total)).toBe(true);
    }
  });

  test(`a quadric and what it leaves, seed ${200 + d}`, () => {
    const random = seeded(200 + d);
    for (let trial = 0; trial < 2 * trials; trial++) {
      const g = randomPolynomial(random, d, SCALES[trial % SCALES.length]);
      const isHigh = (n: number) => highTerms(d).includes(n);
      // Now and then terms so small that only the sum's rounding counts.
      if (trial % 3 === 0) for (let n = 0; n < count; n++) if (isHigh(n)) g[n] *= 2 ** -random.between(50, 56);
      if (trial % 3 === 1) for (let n = 0; n < count; n++) if (isHigh(n) && random.below(8) > 0) g[n] = 0;
      const data = framed(count);
      data.set(g, BEFORE);
      const out = framed(10);
      const error = modelPolynomial(leafOf(data, BEFORE, d), out, BEFORE);
      const q = unframed(out);
      const sum = g.reduce((a, c) => a + Math.abs(c), 0);
      const high = g.reduce((a, c, n) => (isHigh(n) ? a + Math.abs(c) : a), 0);
      expect(error).toBeLessThanOrEqual(high + 1000 * 2 ** -53 * sum + 2 ** -990);
      for (let sample = 0; sample < 4; sample++) {
        const u = [0, 0, 0].map(() => dyadic(within(random)));
        expect(isWithin(minus(exactly(g, d, u), exactly(asPolynomial(q), 2, u)), dyadic(error))).toBe(true);
      }
    }
  });

  test(`values and gradients in doubles, seed ${300 + d}`, () => {
    const random = seeded(300 + d);
    for (let trial = 0; trial < trials; trial++) {
      // Cut to 33 bits, so that derivatives' coefficients are doubles.
      const f = randomPolynomial(random, d, SCALES[trial % SCALES.length]).map(
        (c) => c * (2 ** 20 + 1) - (c * (2 ** 20 + 1) - c),
      );
      const x = [0, 0, 0].map(() => random.between(-1, 1));
      const at = x.map(dyadic);
      const sizes = x.map(Math.abs);
      const majorant = majorantOfPolynomial(leafOf(f, 0, d), sizes[0], sizes[1], sizes[2]);
      const exactMajorant = exactly(f, d, sizes.map(dyadic), true);
      expect(isWithin(exactMajorant, dyadic(majorant))).toBe(true);
      expect(isWithin(dyadic(majorant), plus(times(exactMajorant, dyadic(1.001)), dyadic(2 ** -990)))).toBe(true);
      const value = evaluatePolynomial(leafOf(f, 0, d), x[0], x[1], x[2]);
      const off = minus(dyadic(value), exactly(f, d, at));
      expect(isWithin(off, dyadic(2 ** -47 * majorant + 2 ** -1000))).toBe(true);

      const out = new Float64Array(3);
      expect(gradientOfPolynomial(leafOf(f, 0, d), x[0], x[1], x[2], out)).toBe(value);
      const slopes = slopeOf(f, d, sizes);
      out.forEach((slope, axis) => {
        const exact = exactly(derivative(f, d, axis), d, at);
        expect(isWithin(minus(dyadic(slope), exact), dyadic(2 ** -46 * slopes + 2 ** -1000))).toBe(true);
      });
    }
  });
});

/** (c + side) / 2 */
function halved(c: Dyadic, side: number): Dyadic {
  return times(plus(c, dyadic(side)), dyadic(0.5));
}

const HIGH: number[][] = [];
/** Where the terms of a degree above 2 are. */
function highTerms(d: number): number[] {
  if (HIGH[d]) return HIGH[d];
  const places: number[] = [];
  let next = 0;
  for (let i = 0; i <= d; i++)
    for (let j = 0; j <= d - i; j++) for (let k = 0; k <= d - i - j; k++, next++) if (i + j + k > 2) places.push(next);
  HIGH[d] = places;
  return places;
}

/** The ten numbers, in the order of a polynomial of degree 2: 1 w w2 v vw v2 u uw uv u2. */
function asPolynomial(q: Float64Array): Float64Array {
  return Float64Array.from([9, 8, 2, 7, 5, 1, 6, 4, 3, 0], (n) => q[n]);
}

/** Along an axis, of coefficients with bits to spare. */
function derivative(f: Float64Array, d: number, axis: number): Float64Array {
  const out = new Float64Array(f.length);
  let next = 0;
  for (let i = 0; i <= d; i++)
    for (let j = 0; j <= d - i; j++)
      for (let k = 0; k <= d - i - j; k++, next++) {
        const n = [i, j, k];
        const factor = n[axis]--;
        if (factor > 0) out[coefficientAt(d, n[0], n[1], n[2])] = factor * f[next];
      }
  return out;
}

describe('the remainder of the quadric', () => {
  test('single terms: a quarter of u^3, an eighth of u^4, no more than 1/2 where exponents are even', () => {
    const out = new Float64Array(10);
    const errorOf = (d: number, i: number, j: number, k: number): number => {
      const g = new Float64Array(coefficientsOf(d));
      g[coefficientAt(d, i, j, k)] = 1;
      return modelPolynomial(leafOf(g, 0, d), out, 0);
    };
    const rounding = 1 + 2 ** -30;
    expect(errorOf(3, 3, 0, 0)).toBeLessThan(0.25 * rounding);
    expect(errorOf(3, 0, 2, 1)).toBeLessThan(0.5 * rounding);
    expect(errorOf(4, 0, 4, 0)).toBeLessThan(0.125 * rounding);
    expect(errorOf(4, 2, 0, 2)).toBeLessThan(0.25 * rounding);
    for (let d = 3; d <= MOST_DEGREE; d++)
      for (let i = 0; i <= d; i++)
        for (let j = 0; j <= d - i; j++) {
          const n = [i, j, d - i - j];
          const error = errorOf(d, n[0], n[1], n[2]);
          expect(error).toBeGreaterThanOrEqual(0.125);
          expect(error).toBeLessThan((n.every((x) => x % 2 === 0) ? 0.5 : 1) * rounding);
          // On a grid that has the ends and the extremes of T_3 and T_4 in it, nearly.
          let worst = 0;
          for (const u of [-1, -0.7, -0.5, 0, 0.5, 0.7, 1])
            for (const v of [-1, -0.7, -0.5, 0, 0.5, 0.7, 1])
              for (const w of [-1, 0, 0.5, 1])
                worst = Math.max(
                  worst,
                  Math.abs(
                    u ** n[0] * v ** n[1] * w ** n[2] - evaluatePolynomial(leafOf(asPolynomial(out), 0, 2), u, v, w),
                  ),
                );
          expect(worst).toBeLessThanOrEqual(error);
          if (d < 5) expect(worst).toBeGreaterThan(0.95 * error);
        }
  });
});

test('a quadric whose numbers round what it is given away', () => {
  // c u^4 is replaced by c u^2 - c / 8, which is lost in 1 u^2 + 1; at u = 1 all of c is missing.
  for (const scale of [1, 1e60, 2 ** -900]) {
    const c = 2 ** -54 * scale;
    const g = new Float64Array(coefficientsOf(4));
    g[coefficientAt(4, 0, 0, 0)] = scale;
    g[coefficientAt(4, 2, 0, 0)] = scale;
    g[coefficientAt(4, 4, 0, 0)] = c;
    const out = new Float64Array(10);
    const error = modelPolynomial(leafOf(g, 0, 4), out, 0);
    expect([out[0], out[9]]).toEqual([scale, scale]);
    expect(error).toBeGreaterThanOrEqual(c);
    expect(error).toBeLessThan(16 * c);
  }
});

test('what overflows is Infinity and zeros, never NaN', () => {
  const huge = new Float64Array(coefficientsOf(12)).fill(1e300);
  const out = new Float64Array(coefficientsOf(12)).fill(5);
  const map = Float64Array.of(1e30, 0, 0, 0, 0, 1e30, 0, 0, 0, 0, 1e30, 0);
  expect(substitutePolynomial(leafOf(huge, 0, 12), map, 0, out, 0)).toBe(Number.POSITIVE_INFINITY);
  expect(out.every((x) => x === 0)).toBe(true);
  expect(halvePolynomial(leafOf(huge.fill(1e308), 0, 12), 0, 1, out.fill(5), 0)).toBe(Number.POSITIVE_INFINITY);
  expect(out.every((x) => x === 0)).toBe(true);
  const ten = new Float64Array(10).fill(5);
  expect(modelPolynomial(leafOf(huge, 0, 12), ten, 0)).toBe(Number.POSITIVE_INFINITY);
  expect(ten.every((x) => x === 0)).toBe(true);
  const ok = new Float64Array(coefficientsOf(4)).fill(1);
  const wide = map.map((x) => x * 1e80);
  expect(substitutePolynomial(leafOf(ok, 0, 4), wide, 0, out, 0)).toBe(Number.POSITIVE_INFINITY);
  expect(substitutePolynomial(leafOf(ok, 0, 4), map, Number.POSITIVE_INFINITY, out, 0)).toBe(Number.POSITIVE_INFINITY);
});
