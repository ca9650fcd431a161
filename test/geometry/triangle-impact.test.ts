/** When moving triangles meet first: against rational arithmetic, at sampled times, and with contacts that are there by their making. */
// @module-tag all
// @module-tag long
import { describe, expect, test } from 'vitest';
import { movedTrianglesMeet } from '../../src/geometry/moved-triangles.ts';
import { rootlessUntil } from '../../src/geometry/tight-inclusion.ts';
import {
  type ImpactTimes,
  type MovingTriangles,
  movingTriangles,
  triangleImpact,
} from '../../src/geometry/triangle-impact.ts';
import { long } from '../support/long.ts';
import { trianglesMeet } from '../support/oracle.ts';
import { type Random, seeded } from '../support/random.ts';

const RESOLUTION = 2 ** -20;
const ZERO = { from: Infinity, to: Infinity, stretches: 0 };

function impactOf(pair: MovingTriangles, clearance = 0): ImpactTimes {
  const out = { ...ZERO };
  triangleImpact(pair, clearance, RESOLUTION, Infinity, out);
  return out;
}

/** Exact for coordinates and times of few bits. */
const placed = (from: Float64Array, to: Float64Array, t: number): Float64Array =>
  from.map((x, k) => x * (1 - t) + to[k] * t);

const meetAt = ({ a0, a1, b0, b1 }: MovingTriangles, t: number): boolean =>
  trianglesMeet(placed(a0, a1, t), placed(b0, b1, t));

/** Holds an answer to the oracle at times of few bits, and close before `from`. */
function expectTrue(pair: MovingTriangles, { from, to }: ImpactTimes, samples: number): void {
  if (to !== Infinity) {
    expect(from).toBeLessThanOrEqual(to);
    expect(meetAt(pair, to)).toBe(true);
  }
  for (let k = 0; k <= samples; k++) if (k / samples < from) expect(meetAt(pair, k / samples)).toBe(false);
  const before = from - RESOLUTION;
  if (from !== Infinity && before >= 0) expect(meetAt(pair, before)).toBe(false);
}

const KINDS: Record<string, (random: Random) => MovingTriangles> = {
  'far flights': (random) => filled(() => random.below(129) - 64),
  'few places': (random) => filled(() => random.below(5) - 2),
  'in one plane all the time': (random) => {
    const pair = filled(() => random.below(17) - 8);
    for (const p of Object.values(pair)) p[2] = p[5] = p[8] = 3;
    return pair;
  },
  'no motion': (random) => {
    const pair = filled(() => random.below(9) - 4);
    pair.a1.set(pair.a0);
    pair.b1.set(pair.b0);
    return pair;
  },
  'both move alike': (random) => {
    const pair = filled(() => random.below(9) - 4);
    const shift = [0, 1, 2].map(() => random.below(65) - 32);
    pair.a1.set(pair.a0.map((x, k) => x + shift[k % 3]));
    pair.b1.set(pair.b0.map((x, k) => x + shift[k % 3]));
    return pair;
  },
  'parallel edges that come closer': (random) => {
    const pair = filled(() => random.below(9) - 4);
    const side = [0, 1, 2].map(() => random.below(5) - 2);
    for (const p of Object.values(pair)) for (let k = 0; k < 3; k++) p[k + 3] = p[k] + side[k];
    return pair;
  },
  'a point, and a triangle': (random) => {
    const pair = filled(() => random.below(17) - 8);
    for (const p of [pair.a0, pair.a1]) for (let k = 3; k < 9; k++) p[k] = p[k % 3];
    return pair;
  },
  'segments that sweep': (random) => {
    const pair = filled(() => random.below(17) - 8);
    for (const p of Object.values(pair)) for (let k = 6; k < 9; k++) p[k] = p[k - 3];
    return pair;
  },
  'a vertex that grazes a face': (random) => {
    const pair = filled(() => random.below(9) - 4);
    for (let k = 2; k < 9; k += 3) {
      pair.b0[k] = pair.b1[k] = 0;
      pair.a0[k] = random.below(4);
      pair.a1[k] = pair.a0[k] === 0 ? random.below(4) : 0;
    }
    return pair;
  },
};

function filled(next: () => number): MovingTriangles {
  const pair = movingTriangles();
  for (const p of Object.values(pair)) for (let k = 0; k < 9; k++) p[k] = next();
  return pair;
}

describe.each(Object.keys(KINDS))('%s', (kind) => {
  test.each(long ? [1, 2, 3, 4] : [1])('nothing is clear that meets, seed %i', (seed) => {
    const random = seeded(seed);
    const counts = { clear: 0, contact: 0, undecided: 0 };
    for (let n = 0; n < (long ? 1000 : 120); n++) {
      const pair = KINDS[kind](random);
      const found = impactOf(pair);
      expectTrue(pair, found, long ? 8 : 32);
      counts[found.from === Infinity ? 'clear' : found.to === Infinity ? 'undecided' : 'contact']++;
      if (found.to !== Infinity && counts.undecided === 0) expect(found.to - found.from).toBeLessThan(1);
    }
    // Two segments cross at one time alone, which is no double as a rule.
    if (kind !== 'segments that sweep') expect(counts.contact).toBeGreaterThan(0);
    expect(counts.undecided).toBeLessThan(counts.contact + counts.clear);
  });

  test('within a clearance, seed 5', () => {
    const random = seeded(5);
    for (let n = 0; n < (long ? 170 : 60); n++) {
      const pair = KINDS[kind](random);
      const [plain, wide] = [impactOf(pair), impactOf(pair, 0.5)];
      expect(wide.from).toBeLessThanOrEqual(plain.to);
      expectTrue(pair, { ...wide, to: Infinity }, long ? 8 : 32);
    }
  });
});

test('at one time, exactly, seed 7', () => {
  const random = seeded(7);
  const t = [0, 1, 0.5, 0.375, 2 ** -20];
  let hits = 0;
  for (let n = 0; n < (long ? 3_000 : 600); n++) {
    const pair = filled(() => random.below(7) - 3);
    const at = random.pick(t);
    const meets = meetAt(pair, at);
    hits += Number(meets);
    expect(movedTrianglesMeet(pair.a0, pair.a1, pair.b0, pair.b1, at)).toBe(meets);
    const small = { ...pair };
    for (const key of ['a0', 'a1', 'b0', 'b1'] as const) small[key] = pair[key].map((x) => x * 2 ** -1070);
    expect(movedTrianglesMeet(small.a0, small.a1, small.b0, small.b1, at)).toBe(meets);
  }
  expect(hits).toBeGreaterThan(30);
});

test('a needle through a sheet, at any speed, seed 8', () => {
  const random = seeded(8);
  for (let n = 0; n < (long ? 3_000 : 1000); n++) {
    const fast = 2 ** random.below(30);
    const pair = movingTriangles();
    pair.b0.set([-9, -9, 0, 9, -9, 0, 0, 9, 0]);
    pair.b1.set(pair.b0);
    const x = random.below(3) - 1;
    // Its tip is at 0 at the time 1 / 4.
    pair.a0.set([x, 0, fast, x, 2 ** -10, fast + 1, x, -(2 ** -10), fast + 1]);
    pair.a1.set(pair.a0.map((c, k) => (k % 3 === 2 ? c - 4 * fast : c)));
    const { from, to } = impactOf(pair);
    expect(from).toBeLessThanOrEqual(1 / 4);
    expect(from).toBeGreaterThanOrEqual(1 / 4 - 2 * RESOLUTION);
    expect(to).toBeGreaterThanOrEqual(1 / 4);
    expect(to).toBeLessThanOrEqual(1 / 4 + 2 * RESOLUTION);
  }
});

describe('a vertex and a face, against polynomials of whole numbers', () => {
  type Polynomial = bigint[];
  const plus = (p: Polynomial, q: Polynomial): Polynomial =>
    Array.from({ length: Math.max(p.length, q.length) }, (_, k) => (p[k] ?? 0n) + (q[k] ?? 0n));
  const negative = (p: Polynomial): Polynomial => p.map((x) => -x);
  const times = (p: Polynomial, q: Polynomial): Polynomial => {
    const out: Polynomial = Array.from({ length: p.length + q.length - 1 }, () => 0n);
    for (const [i, x] of p.entries()) for (const [j, y] of q.entries()) out[i + j] += x * y;
    return out;
  };
  type Vector = Polynomial[];
  const minus = (p: Vector, q: Vector): Vector => p.map((x, k) => plus(x, negative(q[k])));
  const cross = (p: Vector, q: Vector): Vector =>
    [0, 1, 2].map((k) => {
      const [i, j] = [(k + 1) % 3, (k + 2) % 3];
      return plus(times(p[i], q[j]), negative(times(p[j], q[i])));
    });
  const dot = (p: Vector, q: Vector): Polynomial => [0, 1, 2].map((k) => times(p[k], q[k])).reduce(plus);

  /** Bernstein coefficients on [n, n + 1] / 2^depth, times a positive number. */
  function bernstein(p: Polynomial, n: bigint, depth: bigint): Polynomial {
    const degree = p.length - 1;
    // q(s) = 2^(depth degree) p((n + s) / 2^depth), by Horner's rule.
    let q: Polynomial = [0n];
    for (let k = degree; k >= 0; k--)
      q = plus(times(q, [n, 1n]), [p[k] << (depth * BigInt(degree - k))]).slice(0, degree + 1);
    const choose = (m: number, k: number): bigint => {
      let out = 1n;
      for (let i = 0; i < k; i++) out = (out * BigInt(m - i)) / BigInt(i + 1);
      return out;
    };
    const all = choose(degree, Math.floor(degree / 2)) * 12n;
    return Array.from({ length: degree + 1 }, (_, i) => {
      let sum = 0n;
      for (let k = 0; k <= i; k++) sum += (choose(i, k) * all * q[k]) / choose(degree, k);
      return sum;
    });
  }
  /** 1 or -1 where the polynomial surely has that sign all over the interval; else 0. */
  const signOver = (p: Polynomial, n: bigint, depth: bigint): number => {
    const b = bernstein(p, n, depth);
    return b.every((x) => x > 0n) ? 1 : b.every((x) => x < 0n) ? -1 : 0;
  };

  test.each(long ? [1, 2, 3] : [1])('no root before what is said, seed %i', (seed) => {
    const random = seeded(seed);
    const DEPTH = 24n;
    let roots = 0;
    let early = 0;
    for (let n = 0; n < (long ? 700 : 250); n++) {
      const next = (): number => random.below(33) - 16;
      const from = Float64Array.from({ length: 12 }, next);
      const to = Float64Array.from({ length: 12 }, next);
      const [p, a, b, c] = [0, 3, 6, 9].map(
        (at): Vector => [0, 1, 2].map((k) => [BigInt(from[at + k]), BigInt(to[at + k] - from[at + k])]),
      );
      const normal = cross(minus(b, a), minus(c, a));
      const height = dot(normal, minus(p, a));
      const inside = [
        [a, b],
        [b, c],
        [c, a],
      ].map(([q, r]) => dot(normal, cross(minus(r, q), minus(p, q))));
      // Where the plane's height surely changes its sign while the foot is surely inside: a root.
      let sure = Infinity;
      let possible = Infinity;
      const search = (at: bigint, depth: bigint): void => {
        const begin = Number(at) / 2 ** Number(depth);
        if (begin >= sure || signOver(height, at, depth) !== 0) return;
        const signs = inside.map((polynomial) => signOver(polynomial, at, depth));
        if (signs.includes(-1)) return;
        if (depth === DEPTH) {
          possible = Math.min(possible, begin);
          const ends = bernstein(height, at, depth);
          if (signs.every((s) => s === 1) && ends[0] * ends.at(-1)! <= 0n)
            sure = Math.min(sure, begin + 2 ** -Number(DEPTH));
          return;
        }
        search(2n * at, depth + 1n);
        search(2n * at + 1n, depth + 1n);
      };
      search(0n, 0n);
      const until = rootlessUntil({ from, to, isFace: true, largest: 16 }, 0, 1, RESOLUTION);
      if (sure !== Infinity) {
        roots++;
        expect(until).toBeLessThanOrEqual(sure);
      }
      // Earlier only where the boxes have run out.
      early += Number(until < (possible === Infinity ? Infinity : possible - 2 * RESOLUTION));
    }
    expect(early).toBeLessThan(roots / 2);
    expect(roots).toBeGreaterThan(10);
  });
});
