/** What quadric.ts says of its errors and bounds, held to exact arithmetic. */
import { describe, expect, test } from 'vitest';
import { boundQuadric, halveQuadric, substituteQuadric } from '../../../src/representations/frep/tree/quadric.ts';
import {
  type Dyadic,
  dyadic,
  exactQuadric,
  isAtLeast,
  isAtMost,
  leafOf,
  minus,
  numberOf,
  plus,
  scaled,
  size,
  times,
} from '../../support/frep-programs.ts';
import { some } from '../../support/long.ts';
import { type Random, seeded } from '../../support/random.ts';
import { commonIntegers } from '../../support/rational.ts';

const EPSILON = 2 ** -53;
const SCALES = [1, 1e60, 1e-200, 1e-310, 3e-9];
const BEFORE = 3;

const sign = (random: Random): number => (random.below(2) === 0 ? -1 : 1);
/** In the cube, one in two coordinates at its end. */
const within = (random: Random): number =>
  random.below(2) === 0 ? sign(random) : Math.round(4096 * random.between(-1, 1)) / 4096;

function randomQuadric(random: Random, scale: number): Float64Array {
  const spread = random.pick([0, 0, 8, 150]);
  return Float64Array.from({ length: 10 }, () =>
    random.below(4) === 0 ? 0 : scale * random.between(-1, 1) * 10 ** -random.between(0, spread),
  );
}

function randomMap(random: Random): Float64Array {
  const kind = random.below(5);
  const factor = [1, 0.01, 30, 1, 1e-160][kind];
  return Float64Array.from({ length: 12 }, (_, n) => {
    if (kind === 3 && n % 4 !== 3 && n % 5 !== 0) return 0;
    return factor * random.between(-1, 1);
  });
}

function framed(content: ArrayLike<number>): Float64Array {
  const out = new Float64Array(content.length + 2 * BEFORE).fill(-7);
  out.set(content, BEFORE);
  return out;
}
function unframed(out: Float64Array): Float64Array {
  for (let n = 0; n < BEFORE; n++) expect([out[n], out[out.length - 1 - n]]).toEqual([-7, -7]);
  return out.slice(BEFORE, -BEFORE);
}

/** M u + t + d. */
const moved = (map: Float64Array, u: Dyadic[], d: number[]): Dyadic[] =>
  [0, 4, 8].map((row, k) =>
    u.reduce(
      (at, c, column) => plus(at, times(dyadic(map[row + column]), c)),
      plus(dyadic(map[row + 3]), dyadic(d[k])),
    ),
  );

const rowsOf = (map: Float64Array, slack: number): number[] =>
  [0, 4, 8].map((r) => slack + [0, 1, 2, 3].reduce((sum, k) => sum + Math.abs(map[r + k]), 0));

function majorantOf(f: Float64Array, [x, y, z]: number[]): number {
  const [a, b, c, d, e, g, h, i, j, k] = f.map(Math.abs);
  return x * (a * x + d * y + e * z + h) + y * (b * y + g * z + i) + z * (c * z + j) + k;
}

test('dyadic numbers are those of rational.ts', () => {
  for (const x of [1, -0.375, 1e60, 1e-300, 2 ** -1074, 0.1]) {
    const [q, one] = commonIntegers([x, 1]);
    const { m, e } = dyadic(x);
    expect(m * one).toBe(q << BigInt(-e));
  }
});

describe.each(some(1, [1, 2, 3]))('seed %i', (seed) => {
  test('substitution: the error holds with a shift at its most, and is not silly', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed);
    for (let trial = 0; trial < 150; trial++) {
      const f = randomQuadric(random, SCALES[trial % SCALES.length]);
      const map = randomMap(random);
      const slack = random.pick([0, 0, 2 ** -52, 2 ** -30, 0.125, 1]);
      const out = framed(new Float64Array(10));
      const error = substituteQuadric(leafOf(framed(f), BEFORE, 10), map, slack, out, BEFORE);
      const g = unframed(out);
      const reach = rowsOf(map, slack);
      const majorant = majorantOf(f, reach);
      const slope =
        2 *
        majorantOf(
          f,
          reach.map((r) => Math.max(1, r)),
        );
      expect(error).toBeLessThanOrEqual(
        20 * EPSILON * majorant + 2 * slack * slope + 2 ** -990 * (1 + Math.max(...reach)) ** 2,
      );
      for (let sample = 0; sample < 4; sample++) {
        const at = [0, 1, 2].map(() => (sample === 0 ? sign(random) : within(random)));
        const shift = [0, 1, 2].map(() => slack * (sample === 0 ? sign(random) : within(random)));
        const u = at.map(dyadic);
        const off = size(minus(exactQuadric(f, 0, moved(map, u, shift)), exactQuadric(g, 0, u)));
        expect(isAtMost(off, error), `${trial}`).toBe(true);
      }
    }
  });

  test('the shift is no more than what the slope and the slack make of it', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed + 100);
    for (let trial = 0; trial < 50; trial++) {
      // u along x alone: |F(u + d) - F(u)| is largest at the end, and there it is the bound, but for d^2.
      const a = random.between(0.5, 1);
      const f = Float64Array.of(0, 0, 0, 0, 0, 0, a, 0, 0, 0);
      const map = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0);
      const slack = 2 ** -20;
      const error = substituteQuadric(leafOf(f, 0, 10), map, slack, new Float64Array(10), 0);
      expect(error).toBeGreaterThanOrEqual(a * slack);
      expect(error).toBeLessThan(a * slack * 1.001);
    }
  });

  test('halving: the error holds along chains, and is not silly', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed + 200);
    for (let trial = 0; trial < 20; trial++) {
      const f = randomQuadric(random, SCALES[trial % SCALES.length]);
      let data = f;
      let total = 0;
      const steps: [number, number][] = [];
      const most = majorantOf(f, [1, 1, 1]);
      for (let depth = 0; depth < 30; depth++) {
        const axis = random.below(3);
        const side = sign(random);
        const out = framed(new Float64Array(10));
        const error = halveQuadric(leafOf(framed(data), BEFORE, 10), axis, side, out, BEFORE);
        const next = unframed(out);
        expect(error).toBeLessThanOrEqual(20 * EPSILON * most + 2 ** -990);
        for (let sample = 0; sample < 2; sample++) {
          const u = [0, 1, 2].map(() => dyadic(within(random)));
          const before = u.map((c, k) => (k === axis ? scaled(plus(c, dyadic(side)), 0.5) : c));
          const off = size(minus(exactQuadric(data, 0, before), exactQuadric(next, 0, u)));
          expect(isAtMost(off, error), `${trial} ${depth}`).toBe(true);
        }
        total += error;
        data = next;
        steps.push([axis, side]);
      }
      for (let sample = 0; sample < 3; sample++) {
        const u = [0, 1, 2].map(() => dyadic(within(random)));
        let x = u;
        for (const [axis, side] of [...steps].reverse())
          x = x.map((c, k) => (k === axis ? scaled(plus(c, dyadic(side)), 0.5) : c));
        const off = size(minus(exactQuadric(f, 0, x), exactQuadric(data, 0, u)));
        expect(isAtMost(off, total * (1 + 2 ** -40)), `${trial}`).toBe(true);
      }
    }
  });

  test('halving rounds where it says it does', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed + 250);
    const out = new Float64Array(10);
    for (let trial = 0; trial < 250; trial++) {
      // One coefficient far below the others' last place, so that a sum loses half of one.
      const axis = trial % 3;
      const f = new Float64Array(10);
      const k = random.below(10);
      f[k] = random.between(-1, 1);
      for (let n = 0; n < 10; n++) if (n !== k) f[n] = random.between(-1, 1) * 2 ** random.pick([0, -52, -53, -54]);
      const side = sign(random);
      const error = halveQuadric(leafOf(f, 0, 10), axis, side, out, 0);
      for (let corner = 0; corner < 8; corner++) {
        const u = [0, 1, 2].map((n) => dyadic((corner >> n) & 1 ? 1 : -1));
        const before = u.map((c, n) => (n === axis ? scaled(plus(c, dyadic(side)), 0.5) : c));
        const off = size(minus(exactQuadric(f, 0, before), exactQuadric(out, 0, u)));
        expect(isAtMost(off, error), `${trial}`).toBe(true);
      }
    }
  });

  test('bounds hold, with the remainder taken away and added, and are met where the quadric has no products', {
    tags: ['quick', 'long'],
  }, () => {
    const random = seeded(seed + 300);
    const lower = new Float64Array(3);
    const upper = new Float64Array(3);
    for (let trial = 0; trial < 250; trial++) {
      const f = randomQuadric(random, SCALES[trial % SCALES.length]);
      if (trial % 2 === 0) f.fill(0, 3, 6);
      const largest = Math.max(...f.map(Math.abs));
      const remainder = random.pick([0, 0, 1e-16, 0.5, 1e7, 1e30]) * largest * random.next();
      boundQuadric(framed(f), BEFORE, remainder, lower, upper, 1);
      expect([lower[0], lower[2], upper[0], upper[2]]).toEqual([0, 0, 0, 0]);
      // Corners, and the vertex of each parabola.
      const vertex = [0, 1, 2].map((k) => {
        const at = -f[6 + k] / (2 * f[k]);
        return Math.abs(at) <= 1 ? at : sign(random);
      });
      let least = Number.POSITIVE_INFINITY;
      let most = Number.NEGATIVE_INFINITY;
      for (let sample = 0; sample < 27; sample++) {
        const digits = [sample % 3, Math.floor(sample / 3) % 3, Math.floor(sample / 9)];
        const u = digits.map((d, k) => dyadic(d === 2 ? vertex[k] : 2 * d - 1));
        const value = exactQuadric(f, 0, u);
        const low = minus(value, dyadic(remainder));
        const high = plus(value, dyadic(remainder));
        expect(isAtLeast(low, lower[1]), `${trial}`).toBe(true);
        expect(isAtMost(high, upper[1]), `${trial}`).toBe(true);
        const about = numberOf(value);
        least = Math.min(least, about);
        most = Math.max(most, about);
      }
      if (trial % 2 > 0 || !Number.isFinite(least)) continue;
      const spare = 4e-14 * (largest + remainder) + 1e-290;
      expect(lower[1]).toBeGreaterThan(least - remainder - spare);
      expect(upper[1]).toBeLessThan(most + remainder + spare);
    }
  });

  test('a sum and what was rounded in it: bounds of constants whose value is lost', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed + 400);
    const lower = new Float64Array(1);
    const upper = new Float64Array(1);
    for (let trial = 0; trial < 300; trial++) {
      const f = Float64Array.from({ length: 10 }, () => random.between(-1, 1) * 2 ** random.pick([0, -51, -52, -53]));
      f.fill(0, 0, 6);
      boundQuadric(f, 0, 0, lower, upper, 0);
      for (let corner = 0; corner < 8; corner++) {
        const u = [0, 1, 2].map((n) => dyadic((corner >> n) & 1 ? 1 : -1));
        const value = exactQuadric(f, 0, u);
        expect(isAtLeast(value, lower[0])).toBe(true);
        expect(isAtMost(value, upper[0])).toBe(true);
      }
    }
  });
});

test('what is not finite is bounded by nothing, and never passes for a proof', () => {
  const out = new Float64Array(10);
  const lower = new Float64Array(1);
  const upper = new Float64Array(1);
  const f = Float64Array.of(1e60, -1, 1, 1, 0, 0, 1, 0, 0, 1);
  for (const wrong of [1e300, Number.POSITIVE_INFINITY, Number.NaN]) {
    for (let k = 0; k < 13; k++) {
      const map = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0);
      if (k < 12) map[k] = wrong;
      const error = substituteQuadric(leafOf(f, 0, 10), map, k < 12 ? 0 : wrong, out, 0);
      expect(error).not.toBeNaN();
      boundQuadric(out, 0, error, lower, upper, 0);
      const most = Number.isFinite(wrong) ? error : Number.POSITIVE_INFINITY;
      expect(error).toBe(most);
      if (error < Number.POSITIVE_INFINITY) continue;
      expect(lower[0] > -Number.MAX_VALUE || upper[0] < Number.MAX_VALUE).toBe(false);
    }
  }
});

test('a parabola near the largest double has its vertex', () => {
  const lower = new Float64Array(1);
  const upper = new Float64Array(1);
  for (const s of [1, -1]) {
    const f = Float64Array.of(s * 1e308, 0, 0, 0, 0, 0, 0.4e308, 0, 0, s * 0.02e308);
    boundQuadric(f, 0, 0, lower, upper, 0);
    // c - b^2 / 4a is -0.02e308, times s.
    if (s > 0) expect(lower[0]).toBeLessThanOrEqual(-0.0199e308);
    else expect(upper[0]).toBeGreaterThanOrEqual(0.0199e308);
  }
});
