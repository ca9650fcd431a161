/** What waves.ts says of its errors, held to sines in whole numbers, 300 bits behind the point. */
import { describe, expect, test } from 'vitest';
import { LARGEST_ANGLE } from '../../../src/math/sine.ts';
import {
  evaluateWaves,
  evaluationErrorOfWaves,
  gradientOfWaves,
  halveWaves,
  modelWaves,
  substituteWaves,
} from '../../../src/representations/frep/tree/waves.ts';
import { leafOf } from '../../support/frep-programs.ts';
import { type Random, seeded } from '../../support/random.ts';

/** m 2^e, m whole. */
interface Dyadic {
  m: bigint;
  e: number;
}

function dyadic(x: number): Dyadic {
  let e = 0;
  let y = x;
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
const ZERO = dyadic(0);
const numberOf = (a: Dyadic): number => {
  const cut = Math.max(0, a.m.toString(2).length - 60);
  return Number(a.m >> BigInt(cut)) * 2 ** (a.e + cut);
};

const BITS = 300;
const ONE = 1n << BigInt(BITS);
function arcTangentOfInverse(n: bigint): bigint {
  let sum = 0n;
  for (let [power, k] = [ONE / n, 1n]; power !== 0n; power /= -n * n, k += 2n) sum += power / k;
  return sum;
}
/** John Machin's. */
const PI = 16n * arcTangentOfInverse(5n) - 4n * arcTangentOfInverse(239n);

/** Within 2^-270 of the sine: of phases below 2^21, cut to 300 bits, less a multiple of pi. */
function sineOf(phase: Dyadic): Dyadic {
  const shift = BigInt(BITS + phase.e);
  const x = shift >= 0n ? phase.m << shift : phase.m >> -shift;
  const k = (2n * x + (x < 0n ? -PI : PI)) / (2n * PI);
  const r = x - k * PI;
  let sum = 0n;
  for (let [term, n] = [r, 1n]; term !== 0n; n += 2n, term = (-term * r * r) / (ONE * ONE * (n - 1n) * n)) sum += term;
  return { m: k % 2n === 0n ? sum : -sum, e: -BITS };
}

function phaseOf(f: Float64Array, i: number, x: Dyadic[]): Dyadic {
  return x.reduce((sum, c, k) => plus(sum, times(dyadic(f[i + 1 + k]), c)), dyadic(f[i + 4]));
}

/** Off by less than 2^-270 the sum of |a|. */
function exactly(f: Float64Array, x: Dyadic[]): Dyadic {
  let value = ZERO;
  for (let i = 0; i < f.length; i += 5) value = plus(value, times(dyadic(f[i]), sineOf(phaseOf(f, i, x))));
  return value;
}

/** |a| <= bound, but for what the oracle may be off. */
function isWithin(a: Dyadic, bound: Dyadic, f: Float64Array): boolean {
  const allowed = plus(bound, times(dyadic(sizesOf(f)), { m: 1n, e: -260 }));
  return minus(a.m < 0n ? { m: -a.m, e: a.e } : a, allowed).m <= 0n;
}

const sizesOf = (f: Float64Array): number => f.reduce((sum, a, n) => (n % 5 === 0 ? sum + Math.abs(a) : sum), 0);
const sign = (random: Random): number => (random.below(2) === 0 ? -1 : 1);
const within = (random: Random): number => (random.below(2) === 0 ? sign(random) : random.between(-1, 1));

const SCALES = [1, 1e60, 1e-300, 3e-9];

/** `widest` bounds p, q, r; phases s are multiples of pi / 2, nearly, for every third. */
function randomWaves(random: Random, count: number, scale: number, widest: number, farthest: number): Float64Array {
  const f = new Float64Array(5 * count);
  for (let i = 0; i < f.length; i += 5) {
    f[i] = scale * random.between(-1, 1);
    for (let k = 1; k < 4; k++) f[i + k] = widest * random.between(-1, 1) * random.pick([0, 1, 1]);
    f[i + 4] = random.below(3) === 0 ? (Math.PI / 2) * random.below(5) : farthest * random.between(-1, 1);
  }
  return f;
}

function randomMap(random: Random): Float64Array {
  const factor = random.pick([1, 0.01]);
  return Float64Array.from({ length: 12 }, () => (factor * random.between(-1, 1)) / 2);
}

const BEFORE = 3;
function framed(content: ArrayLike<number>): Float64Array {
  const out = new Float64Array(content.length + 2 * BEFORE).fill(-7);
  out.set(content, BEFORE);
  return out;
}
function unframed(out: Float64Array): Float64Array {
  for (let n = 0; n < BEFORE; n++) expect([out[n], out[out.length - 1 - n]]).toEqual([-7, -7]);
  return out.slice(BEFORE, -BEFORE);
}

test('the oracle agrees with Math.sin', () => {
  for (const x of [0, 0.5, 1, -2, 3, 4, 10, -100000.25])
    expect(numberOf(sineOf(dyadic(x)))).toBeCloseTo(Math.sin(x), 14);
});

describe.each([1, 2])('seed %i', (seed) => {
  test('substitution', () => {
    const random = seeded(seed);
    for (let trial = 0; trial < 120; trial++) {
      const count = 1 + random.below(4);
      const widest = random.pick([1, 30, 2 ** 16]);
      const f = randomWaves(random, count, SCALES[trial % 4], widest, widest);
      const map = randomMap(random);
      const slack = [0, 0, 2 ** -45, 2 ** -20, 0.125][trial % 5];
      const out = framed(f);
      const error = substituteWaves(leafOf(framed(f), BEFORE, count), map, slack, out, BEFORE);
      const g = unframed(out);
      let sensible = 2 ** -990;
      for (let i = 0; i < f.length; i += 5) {
        const rates = [1, 2, 3].map((k) => Math.abs(f[i + k]));
        const rows = [0, 4, 8].map((r) => [0, 1, 2, 3].reduce((sum, k) => sum + Math.abs(map[r + k]), 0));
        const phase = rows.reduce((sum, r, k) => sum + r * rates[k], Math.abs(f[i + 4]));
        const shift = slack * (rates[0] + rates[1] + rates[2]);
        sensible += Math.abs(f[i]) * (1000 * 2 ** -53 * phase + Math.min(2, 1.01 * shift));
      }
      expect(error).toBeLessThanOrEqual(sensible);
      for (let sample = 0; sample < 4; sample++) {
        const u = [0, 0, 0].map(() => dyadic(within(random)));
        const shifts = [0, 1, 2].map((k) => slack * (sample === 0 ? Math.sign(f[1 + k]) : within(random)));
        const x = [0, 4, 8].map((r, axis) => {
          const linear = u.reduce((sum, c, k) => plus(sum, times(dyadic(map[r + k]), c)), dyadic(map[r + 3]));
          return plus(linear, dyadic(shifts[axis]));
        });
        expect(isWithin(minus(exactly(f, x), exactly(g, u)), dyadic(error), f)).toBe(true);
      }
    }
  });

  test('30 halvings one after another', { tags: ['all'] }, () => {
    const random = seeded(seed + 100);
    for (let trial = 0; trial < 60; trial++) {
      const count = 1 + random.below(3);
      const first = randomWaves(random, count, SCALES[trial % 4], random.pick([3, 2 ** 16]), 2 ** 16);
      let g = first;
      let total = ZERO;
      const u = [0, 0, 0].map(() => dyadic(within(random)));
      const steps: { axis: number; side: number }[] = [];
      for (let n = 0; n < 30; n++) {
        const axis = random.below(3);
        const side = sign(random);
        steps.push({ axis, side });
        const out = framed(g);
        const error = halveWaves(leafOf(framed(g), BEFORE, count), axis, side, out, BEFORE);
        const half = unframed(out);
        const most = g.reduce((sum, a, i) => (i % 5 === 0 ? sum + Math.abs(a) * Math.abs(half[i + 4]) : sum), 0);
        expect(error).toBeLessThanOrEqual(1.001 * 2 ** -53 * most + 2 ** -990);
        const v = u.map((c, k) => (k === axis ? halved(c, side) : c));
        if (n % 6 === 0) expect(isWithin(minus(exactly(g, v), exactly(half, u)), dyadic(error), g)).toBe(true);
        total = plus(total, dyadic(error));
        g = half;
      }
      let x = u;
      for (const { axis, side } of steps.toReversed()) x = x.map((c, k) => (k === axis ? halved(c, side) : c));
      expect(isWithin(minus(exactly(first, x), exactly(g, u)), total, first)).toBe(true);
    }
  });

  test('a quadric and what it leaves', () => {
    const random = seeded(seed + 200);
    for (let trial = 0; trial < 400; trial++) {
      const count = 1 + random.below(3);
      // Small cells too, where rounding is all.
      const widest = random.pick([1, 0.5, 2, 0.1, 1e-3, 1e-6, 1e-9]);
      const g = randomWaves(random, count, SCALES[trial % 4], widest, random.pick([2, 1e5]));
      const out = framed(new Float64Array(10));
      const error = modelWaves(leafOf(framed(g), BEFORE, count), out, BEFORE);
      const q = unframed(out);
      let sensible = 2 ** -990;
      for (let i = 0; i < g.length; i += 5) {
        const t = Math.abs(g[i + 1]) + Math.abs(g[i + 2]) + Math.abs(g[i + 3]);
        sensible += Math.abs(g[i]) * (Math.min(1, t ** 3 / 6) + 1000 * 2 ** -53);
      }
      expect(error).toBeLessThanOrEqual(sensible);
      for (let sample = 0; sample < 4; sample++) {
        // The corner where t is the largest, at first.
        const u = [1, 2, 3].map((k) => dyadic(sample === 0 ? Math.sign(g[k]) : within(random)));
        expect(isWithin(minus(exactly(g, u), quadric(q, u)), dyadic(error), g)).toBe(true);
      }
    }
  });

  test('values and gradients in doubles', () => {
    const random = seeded(seed + 300);
    for (let trial = 0; trial < 150; trial++) {
      const count = 1 + random.below(4);
      const f = randomWaves(random, count, SCALES[trial % 4], random.pick([1, 30, 2 ** 16]), 2 ** 16);
      const x = [0, 0, 0].map(() => random.between(-1, 1));
      const value = evaluateWaves(leafOf(f, 0, count), x[0], x[1], x[2]);
      const error = evaluationErrorOfWaves(leafOf(f, 0, count), x[0], x[1], x[2]);
      expect(error).toBeLessThanOrEqual(1000 * 2 ** -53 * 2 ** 18 * sizesOf(f) + 2 ** -990);
      expect(isWithin(minus(dyadic(value), exactly(f, x.map(dyadic))), dyadic(error), f)).toBe(true);

      const out = new Float64Array(3);
      expect(gradientOfWaves(leafOf(f, 0, count), x[0], x[1], x[2], out)).toBe(value);
      out.forEach((slope, axis) => {
        let sum = 0;
        let most = 0;
        for (let i = 0; i < f.length; i += 5) {
          // cos y = sin(y + pi / 2), pi / 2 to 300 bits.
          const turned = plus(phaseOf(f, i, x.map(dyadic)), { m: PI, e: -BITS - 1 });
          sum += f[i] * f[i + 1 + axis] * numberOf(sineOf(turned));
          most += Math.abs(f[i] * f[i + 1 + axis]);
        }
        expect(Math.abs(slope - sum)).toBeLessThanOrEqual(2 ** -30 * most + 2 ** -1000);
      });
    }
  });
});

/** (c + side) / 2 */
function halved(c: Dyadic, side: number): Dyadic {
  return times(plus(c, dyadic(side)), dyadic(0.5));
}

function quadric(q: Float64Array, [u, v, w]: Dyadic[]): Dyadic {
  const one = dyadic(1);
  const products = [
    ...[times(u, u), times(v, v), times(w, w)],
    ...[times(u, v), times(u, w), times(v, w)],
    ...[u, v, w, one],
  ];
  return products.reduce((sum, x, n) => plus(sum, times(x, dyadic(q[n]))), ZERO);
}

describe('one wave', () => {
  const out = new Float64Array(10);

  test('what is left of sin t is a quarter of T^3 / 6, of cos t an eighth of T^4 / 24', () => {
    for (const t of [1e-3, 1e-2, 0.1, 0.5]) {
      expect(modelWaves(leafOf(Float64Array.of(1, t, 0, 0, 0), 0, 1), out, 0)).toBeLessThan(t ** 3 / 24 + 2 ** -45);
      const cosine = Float64Array.of(1, t, 0, 0, Math.PI / 2);
      expect(modelWaves(leafOf(cosine, 0, 1), out, 0)).toBeLessThan(t ** 4 / 192 + 2 ** -45);
    }
    // What was cut is reached: sin t is off by it at the end of the cell.
    const error = modelWaves(leafOf(Float64Array.of(1, 0.5, 0, 0, 0), 0, 1), out, 0);
    expect(Math.abs(Math.sin(0.5) - out[6])).toBeGreaterThan(0.9 * error);
  });

  test('at every width, sin and cos: along the whole cell within the bound, which is 1 at most', () => {
    for (let t = 0.05; t < 5; t += 0.05) {
      for (let phase = 0; phase < 6.3; phase += 0.1) {
        const error = modelWaves(leafOf(Float64Array.of(1, 0, t, 0, phase), 0, 1), out, 0);
        expect(error).toBeLessThan(1 + 2 ** -40);
        let worst = 0;
        for (let v = -1; v <= 1; v += 1 / 16) {
          const value = Math.sin(phase + t * v);
          worst = Math.max(worst, Math.abs(value - (out[9] + v * (out[7] + v * out[1]))));
        }
        expect(worst).toBeLessThanOrEqual(error + 2 ** -45);
        if (t < 2) expect(error).toBeLessThan(0.5);
      }
    }
  });

  test('wide ones are 0 within |a|', () => {
    const error = modelWaves(leafOf(Float64Array.of(-2, 3, 3, 3, 1), 0, 1), out, 0);
    expect([...out]).toEqual(new Array(10).fill(0));
    expect(error).toBeGreaterThanOrEqual(2);
    expect(error).toBeLessThan(2 + 2 ** -40);
  });
});

test('phases out of range and sums that overflow are Infinity and zeros, never NaN', () => {
  const map = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0);
  const out = new Float64Array(5);
  for (const f of [
    [1, LARGEST_ANGLE, 0, 0, 0],
    [1, 0, 0, 0, -LARGEST_ANGLE],
    [1, 1, 0, 0, Number.NaN],
    [1e308, 1, 0, 0, 0],
  ]) {
    expect(substituteWaves(leafOf(Float64Array.from(f), 0, 1), map, 0, out.fill(5), 0)).toBe(Number.POSITIVE_INFINITY);
    expect([...out]).toEqual([0, 0, 0, 0, 0]);
  }
  expect(substituteWaves(leafOf(Float64Array.of(1, 1, 1, 1, 1), 0, 1), map, LARGEST_ANGLE, out, 0)).toBe(Infinity);
  expect(evaluationErrorOfWaves(leafOf(Float64Array.of(1, LARGEST_ANGLE, 0, 0, 0), 0, 1), 1, 0, 0)).toBe(Infinity);
  const ten = new Float64Array(10).fill(5);
  expect(modelWaves(leafOf(Float64Array.of(1e308, 1, 0, 0, 0, 1e308, 1, 0, 0, 0), 0, 2), ten, 0)).toBe(Infinity);
  expect([...ten]).toEqual(new Array(10).fill(0));
});
