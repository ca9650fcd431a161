/** Intervals that hold the exact distance of two triangles, against rational arithmetic over all pairs of features. */
import { describe, expect, test } from 'vitest';
import type { DistanceBracket } from '../../src/geometry/triangle-distance.ts';
import { triangleDistance } from '../../src/geometry/triangle-distance.ts';
import { long } from '../support/long.ts';
import { type Ratio, squaredDistance, trianglesMeet, type Vector } from '../support/oracle.ts';
import { type Random, seeded } from '../support/random.ts';
import { commonIntegers } from '../support/rational.ts';

const vectors = (q: bigint[]): Vector[] => [0, 3, 6].map((k) => [q[k], q[k + 1], q[k + 2]]);

/** Whether `size`, in the unit of the integers, is at least the distance. */
const atLeast = (size: bigint, squared: Ratio): boolean => size * size * squared[1] >= squared[0];
const atMost = (size: bigint, squared: Ratio): boolean => size * size * squared[1] <= squared[0];

const emptyBracket = (): DistanceBracket => ({
  lower: Number.NaN,
  upper: Number.NaN,
  onA: new Float64Array(3).fill(Number.NaN),
  onB: new Float64Array(3).fill(Number.NaN),
});

/** The S of the head of triangle-distance.ts. */
function extent(c: Float64Array, origin: number): number {
  const most = [0, 0, 0];
  for (let k = 0; k < 18; k++) most[k % 3] = Math.max(most[k % 3], Math.abs(c[k] - c[origin + (k % 3)]));
  return length(most);
}

/** No more than the greatest double. */
function length(d: number[]): number {
  const largest = Math.min(Math.max(...d.map(Math.abs)), Number.MAX_VALUE);
  return largest === 0 ? 0 : Math.min(Number.MAX_VALUE, largest * Math.hypot(...d.map((x) => x / largest)));
}

/** Checks an answer exactly; returns the width of the interval, in units of S. */
function checkBracket(c: Float64Array, i: number, j: number, out: DistanceBracket, meet: boolean): number {
  const { lower, upper } = out;
  const size = extent(c, i);
  const says = `[${[...c]}] at ${i}, ${j}: ${lower}, ${upper}`;
  if (!(lower >= 0 && lower <= upper)) expect.fail(`no interval ${says}`);
  if (meet !== (upper === 0)) expect.fail(`meet ${meet} ${says}`);
  if (!meet) {
    const q = commonIntegers([...c, lower, Math.min(upper, Number.MAX_VALUE)]);
    const squared = squaredDistance(vectors(q.slice(i, i + 9)), vectors(q.slice(j, j + 9)));
    if (!atMost(q[18], squared)) expect.fail(`lower is too high ${says}`);
    if (upper !== Number.POSITIVE_INFINITY && !atLeast(q[19], squared)) expect.fail(`upper is too low ${says}`);
    // No upper bound only where the distance is more than a double can say, but for rounding.
    const almost = q[19] - (q[19] >> 45n);
    if (upper === Number.POSITIVE_INFINITY && atLeast(almost, squared)) expect.fail(`no upper bound ${says}`);
  }
  const places = Math.max(...c.map(Math.abs)) * 2 ** -51 + size * 2 ** -50 + 2 * Number.MIN_VALUE;
  for (const [point, t] of [
    [out.onA, i],
    [out.onB, j],
  ] as const) {
    const q = commonIntegers([...c.subarray(t, t + 9), ...point, ...point, ...point, places]);
    const squared = squaredDistance(vectors(q.slice(0, 9)), vectors(q.slice(9, 18)));
    if (!atLeast(q[18], squared)) expect.fail(`witness ${[...point]} is off ${says}`);
  }
  const between = length([0, 1, 2].map((k) => out.onA[k] - out.onB[k]));
  const loose = 4 * places;
  if (!(between >= lower - loose && between <= upper + loose)) expect.fail(`witnesses ${between} apart ${says}`);
  if (size === 0 || upper === Number.POSITIVE_INFINITY) return 0;
  const width = Math.max(0, upper - lower - 3 * Number.MIN_VALUE);
  return size < 1e300
    ? width / size
    : width /
        8 /
        extent(
          c.map((x) => x / 8),
          i,
        );
}

const point = (r: Random, size = 1): number[] => [0, 0, 0].map(() => r.between(-size, size));
const six = (make: () => number[]): number[] => Array.from({ length: 6 }, make).flat();
const shift = (c: number[], by: number[], from = 9): number[] => c.map((x, k) => (k < from ? x : x + by[k % 3]));

function unit(r: Random): number[] {
  const d = point(r);
  const length = Math.hypot(...d);
  return d.map((x) => x / length);
}

/** The cross product of the first two edges at `at`, as a unit vector. */
function normal(c: number[], at: number): number[] {
  const [u, v] = [3, 6].map((to) => [0, 1, 2].map((k) => c[at + to + k] - c[at + k]));
  const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const length = Math.hypot(...n);
  return n.map((x) => x / length);
}

/** A point of the triangle at `at`: a vertex, of an edge, or of the face. */
function pointOf(r: Random, c: number[], at: number): number[] {
  const some = [r.pick([0, 0, r.next()]), r.pick([0, 0, r.next()])];
  const [s, t] = some[0] + some[1] > 1 ? [1 - some[0], 1 - some[1]] : some;
  const turn = r.below(3);
  const [p, q, o] = [0, 1, 2].map((k) => at + 3 * ((k + turn) % 3));
  return [0, 1, 2].map((k) => c[p + k] * (1 - s - t) + c[q + k] * s + c[o + k] * t);
}

/** Brings a point of the second triangle near one of the first, `gap` off in some direction. */
function bringNear(r: Random, c: number[], gap: number): number[] {
  const [p, q, d] = [pointOf(r, c, 0), pointOf(r, c, 9), r.pick([unit(r), normal(c, 0), normal(c, 9)])];
  return shift(
    c,
    [0, 1, 2].map((k) => p[k] - q[k] + gap * d[k]),
  );
}

function sliver(r: Random, width: number): number[] {
  const [p, u, v] = [point(r), unit(r), unit(r)];
  const along = r.pick([r.next(), 0, 1e-8]);
  return [p, p.map((x, k) => x + u[k]), p.map((x, k) => x + along * u[k] + width * v[k])].flat();
}

/** A segment or a point with its vertices in any order, some twice, or the third between. */
function degenerate(r: Random): number[] {
  const [p, q] = [point(r), point(r)];
  const middle = p.map((x, k) => (x + q[k]) / 2);
  return r
    .pick([
      [p, p, p],
      [p, q, p],
      [q, q, p],
      [p, middle, q],
      [middle, p, q],
    ])
    .flat();
}

/** Eighteen coordinates, two triangles, of each kind. */
const kinds: Record<string, (r: Random) => number[]> = {
  general: (r) =>
    shift(
      six(() => point(r)),
      point(r, r.pick([0, 1, 3, 30])),
    ),
  'far smaller': (r) => [
    ...point(r),
    ...point(r),
    ...point(r),
    ...shift(
      six(() => point(r, 1e-6)),
      point(r),
      0,
    ).slice(9),
  ],
  'parallel faces': (r) => {
    const c = six(() => [...point(r).slice(0, 2), 0]);
    const turned = r.next() < 0.5;
    const [u, v, n] = [unit(r), unit(r), unit(r)];
    const lifted = shift(c, [0, 0, r.pick([1, 0.1, 1e-3, 1e-9])]);
    if (!turned) return lifted;
    return six(() => [0, 0, 0]).map((_, k) => {
      const [s, t, h] = lifted.slice(k - (k % 3), k - (k % 3) + 3);
      return s * u[k % 3] + t * v[k % 3] + h * n[k % 3];
    });
  },
  'a triangle and its own copy': (r) => {
    const c = six(() => point(r));
    const n = r.pick([normal(c, 0), unit(r)]);
    const gap = r.pick([1, 1e-2, 1e-6, 1e-10, 1e-13]);
    return [...c.slice(0, 9), ...c.slice(0, 9).map((x, k) => x + gap * n[k % 3])];
  },
  'coplanar, z = 0': (r) =>
    shift(
      six(() => [...point(r).slice(0, 2), 0]),
      [r.between(0, 2), r.between(0, 2), 0],
    ),
  'coplanar, skew': (r) => {
    const [u, v] = [unit(r), unit(r)];
    return six(() => {
      const [s, t] = point(r);
      return u.map((x, k) => s * x + t * v[k]);
    });
  },
  'sharing a vertex': (r) => {
    const c = six(() => point(r));
    c.splice(9 + 3 * r.below(3), 3, ...c.slice(3, 6));
    return r.next() < 0.5
      ? c
      : shift(
          c,
          unit(r).map((x) => x * r.pick([1e-16, 1e-14, 1e-10, 1e-3])),
        );
  },
  'sharing an edge': (r) => {
    const c = six(() => point(r));
    c.splice(9, 6, ...c.slice(3, 9));
    return r.next() < 0.5
      ? c
      : shift(
          c,
          unit(r).map((x) => x * r.pick([1e-16, 1e-14, 1e-10, 1e-3])),
        );
  },
  'slivers of 1e-8': (r) =>
    shift([...sliver(r, 1e-8), ...r.pick([sliver(r, 1e-8), six(() => point(r)).slice(9)])], point(r, r.pick([0, 1]))),
  'slivers of 1e-8, tiny gaps': (r) =>
    bringNear(
      r,
      [...sliver(r, 1e-8), ...r.pick([sliver(r, 1e-8), six(() => point(r)).slice(9)])],
      r.pick([1e-12, 1e-8, 1e-4]),
    ),
  'slivers of 1e-14': (r) =>
    bringNear(r, [...sliver(r, 1e-14), ...sliver(r, r.pick([1e-14, 1]))], r.pick([1e-13, 1e-6, 1])),
  'segments and points': (r) =>
    shift([...degenerate(r), ...r.pick([degenerate(r), six(() => point(r)).slice(9)])], point(r)),
  'segments and points, tiny gaps': (r) =>
    bringNear(
      r,
      [...degenerate(r), ...r.pick([degenerate(r), six(() => point(r)).slice(9)])].map((x) => x + 1e-9 * r.next()),
      1e-12,
    ),
  'segments nearly parallel': (r) => {
    const [p, q] = [point(r), point(r)];
    const by = r.pick([1e-4, 1e-8, 1e-12, 1e-15]);
    const near = (x: number[]) => x.map((y) => y + by * r.between(-1, 1));
    return [p, q, r.pick([p, point(r)]), near(p), near(q), r.pick([near(p), point(r)])].flat();
  },
  'grid of 4': (r) => six(() => [r.below(4), r.below(4), r.below(4)]),
  'grid of 30': (r) => six(() => [r.below(30), r.below(30), r.below(3)]),
  'far from the origin': (r) =>
    shift(
      shift(
        six(() => point(r)),
        point(r, 2),
      ),
      [1e6, -2e6, 3e6],
      0,
    ),
  'far from the origin, tiny gaps': (r) =>
    shift(
      bringNear(
        r,
        six(() => point(r)),
        1e-8,
      ),
      [1e6, -2e6, 3e6],
      0,
    ),
  'gaps of 1e-12': (r) =>
    bringNear(
      r,
      six(() => point(r)),
      1e-12,
    ),
  'gaps of 1e-1 to 1e-16': (r) =>
    bringNear(
      r,
      six(() => point(r)),
      10 ** -(1 + r.below(16)),
    ),
  'close to a tie of features': (r) => {
    // Right angles everywhere: projections land on edges and vertices but for rounding.
    const c = six(() =>
      [r.below(3), r.below(3), r.below(3)].map((x) => x + r.pick([0, 0, 1e-16, 1e-12, 1e-8]) * r.between(-1, 1)),
    );
    return shift(c, [0, 0, r.pick([0, 1e-12, 1e-6, 2])]);
  },
  'scale 1e-100': (r) =>
    bringNear(
      r,
      six(() => point(r)),
      r.pick([1, 1e-6]),
    ).map((x) => x * 1e-100),
  'scale 1e100': (r) =>
    bringNear(
      r,
      six(() => point(r)),
      r.pick([1, 1e-6]),
    ).map((x) => x * 1e100),
  'scale 1e-300': (r) =>
    bringNear(
      r,
      six(() => point(r)),
      r.pick([1, 1e-6]),
    ).map((x) => x * 1e-300),
  'scale 1e300': (r) =>
    bringNear(
      r,
      six(() => point(r)),
      r.pick([1, 1e-6]),
    ).map((x) => x * 1e300),
  'the smallest doubles': (r) => six(() => [r.below(40), r.below(40), r.below(40)].map((x) => x * Number.MIN_VALUE)),
  'the greatest doubles': (r) => six(() => point(r).map((x) => x * Number.MAX_VALUE)),
  'a vertex far off': (r) => {
    const c = six(() => point(r, r.pick([1, 1e4])));
    const turned = (k: number) => (k % 3) + 3 * ((Math.floor(k / 3) + 1) % 3) + (k < 9 ? 0 : 9);
    const near = bringNear(r, c, 10 ** -r.below(14));
    return r.next() < 0.5 ? near : near.map((_, k) => near[turned(k)]);
  },
  'mixed magnitudes': (r) =>
    six(() => point(r).map((x) => x * 2 ** r.pick([-1070, -900, -500, -100, -30, 0, 0, 0, 10]))),
};
/** Numbers of thousands of bits take their time. */
const WIDE = /^scale|doubles|magnitudes/;
/** Where a good part of the pairs meet. */
const MEETING = /general|skew|sharing|1e-14|tiny gaps|grid|^gaps|close|^scale|doubles/;
/** What the head of triangle-distance.ts calls GOOD. */
const WIDTH = 48 * 2 ** -53;

describe('holds the exact distance', () => {
  for (const [index, [kind, make]] of Object.entries(kinds).entries()) {
    const seed = 300 + index;
    test(`${kind}, seed ${seed}`, { tags: ['quick', 'long'] }, () => {
      const r = seeded(seed);
      const out = emptyBracket();
      const swapped = emptyBracket();
      const pairs = (WIDE.test(kind) ? 25 : long ? 80 : 40) * (long ? 25 : 1);
      let widest = 0;
      let met = 0;
      for (let k = 0; k < pairs; k++) {
        const c = Float64Array.from(make(r));
        if (c.length !== 18) expect(c).toHaveLength(18);
        const meet = trianglesMeet(c.subarray(0, 9), c.subarray(9));
        triangleDistance(c, 0, c, 9, out);
        triangleDistance(c, 9, c, 0, swapped);
        widest = Math.max(widest, checkBracket(c, 0, 9, out, meet), checkBracket(c, 9, 0, swapped, meet));
        if (meet) met++;
      }
      expect(widest).toBeLessThanOrEqual(WIDTH);
      if (MEETING.test(kind)) expect(met).toBeGreaterThan(pairs / 20);
      expect(met).toBeLessThan(0.8 * pairs);
    });
  }
});

const at = (...points: number[][]): Float64Array => Float64Array.from(points.flat());

describe('by hand', () => {
  const face = [
    [0, 0, 0],
    [4, 0, 0],
    [0, 4, 0],
  ];
  test.each<[string, number[][], number, number[]]>([
    [
      'a vertex over the face',
      [
        [1, 1, 3],
        [1, 2, 7],
        [2, 1, 7],
      ],
      3,
      [1, 1, 0, 1, 1, 3],
    ],
    [
      'a vertex under the face',
      [
        [1, 1, -3],
        [1, 2, -7],
        [2, 1, -7],
      ],
      3,
      [1, 1, 0, 1, 1, -3],
    ],
    [
      'a vertex and an edge',
      [
        [1, -3, 4],
        [1, -9, 4],
        [2, -9, 9],
      ],
      5,
      [1, 0, 0, 1, -3, 4],
    ],
    [
      'two vertices',
      [
        [-2, -3, 6],
        [-9, -9, 6],
        [-9, -3, 9],
      ],
      7,
      [0, 0, 0, -2, -3, 6],
    ],
    [
      'crossing edges',
      [
        [1, -2, -5],
        [1, -2, 5],
        [1, -9, 0],
      ],
      2,
      [1, 0, 0, 1, -2, 0],
    ],
    [
      'a point over the face',
      [
        [1, 1, 2],
        [1, 1, 2],
        [1, 1, 2],
      ],
      2,
      [1, 1, 0, 1, 1, 2],
    ],
    [
      'a segment through the face',
      [
        [1, 1, -1],
        [1, 1, 1],
        [1, 1, 1],
      ],
      0,
      [1, 1, 0, 1, 1, 0],
    ],
    [
      'a vertex shared',
      [
        [4, 0, 0],
        [9, 0, 1],
        [9, 1, 0],
      ],
      0,
      [4, 0, 0, 4, 0, 0],
    ],
  ])('%s', (_, other, distance, witnesses) => {
    for (const scale of [1, 2 ** -10, 2 ** 60, 2 ** -600, 2 ** 900]) {
      for (let turn = 0; turn < 9; turn++) {
        const turned = (t: number[][], by: number) => [0, 1, 2].map((k) => t[(k + by) % 3]);
        const c = at(...turned(face, turn % 3), ...turned(other, Math.floor(turn / 3))).map((x) => x * scale);
        const out = emptyBracket();
        triangleDistance(c, 0, c, 9, out);
        const near = 1e-14 * scale;
        expect(out.lower).toBeLessThanOrEqual(distance * scale);
        expect(out.upper).toBeGreaterThanOrEqual(distance * scale);
        expect(out.upper - out.lower).toBeLessThan(near * 10);
        [...out.onA, ...out.onB].forEach((x, k) => {
          expect(Math.abs(x - witnesses[k] * scale)).toBeLessThan(near);
        });
      }
    }
  });

  test('one place for all six vertices', () => {
    const out = emptyBracket();
    triangleDistance(new Float64Array(18).fill(0.1), 0, new Float64Array(18).fill(0.1), 9, out);
    expect(out).toEqual({
      lower: 0,
      upper: 0,
      onA: Float64Array.of(0.1, 0.1, 0.1),
      onB: Float64Array.of(0.1, 0.1, 0.1),
    });
  });

  test('reads nine numbers each at its offsets and writes neither', () => {
    const r = seeded(1);
    const c = Float64Array.from({ length: 50 }, () => r.between(-1, 1));
    const a = c.slice(7, 16);
    const b = c.slice(21, 30);
    const before = c.slice();
    const [whole, parts] = [emptyBracket(), emptyBracket()];
    triangleDistance(c, 7, c, 21, whole);
    triangleDistance(a, 0, b, 0, parts);
    expect(whole).toEqual(parts);
    expect(c).toEqual(before);
  });
});

test('a vertex beside the end of an edge of a needle: the foot must keep its digits', () => {
  const c = at(
    [1.9999999945443176, 0, 1],
    [-4.123957308205599e-9, -2.180433992941091e-13, 2],
    [2, 0.9999999908864899, 2.000000000000838],
    [2.0000000029456872, 2.0000000015484494, 1.0000000000008638],
    [2, 2, 1.0000000000017923],
    [2.000000000000766, 0, 0.9999999944229845],
  );
  const out = emptyBracket();
  triangleDistance(c, 0, c, 9, out);
  expect(checkBracket(c, 0, 9, out, false)).toBeLessThanOrEqual(WIDTH);
});

test('products that underflow promise nothing, seed 4', () => {
  const r = seeded(4);
  const out = emptyBracket();
  for (let k = 0; k < 200; k++) {
    const s = 2 ** -r.between(60, 120);
    const x = r.next() * 2 ** -r.between(700, 900);
    const c = at([0, 0, 0], [0, s, 0], [0, 0, s], [x, s / 4, s / 4], [x, s / 3, s / 4], [x, s / 4, s / 3]);
    triangleDistance(c, 0, c, 9, out);
    expect(out.lower).toBeLessThanOrEqual(x);
    expect(out.upper).toBeGreaterThanOrEqual(x);
  }
});

describe('a gap of a unit in the last place', () => {
  test('along an axis nothing of it is lost', () => {
    const t = at([0, 0, 1], [1, 0, 1], [0, 1, 1]);
    const out = emptyBracket();
    triangleDistance(
      t,
      0,
      t.map((x, k) => (k % 3 === 2 ? x + 2 ** -52 : x)),
      0,
      out,
    );
    expect(out.lower).toBeGreaterThan(0.999 * 2 ** -52);
    expect(out.upper).toBeLessThan(1e-14);
  });

  test('askew it may be 0, but is no contact, seed 3', () => {
    const r = seeded(3);
    const out = emptyBracket();
    let none = 0;
    for (let k = 0; k < 200; k++) {
      const c = six(() => point(r)).slice(0, 9);
      const t = Float64Array.from([...c, ...c.map((x, axis) => (axis % 3 === 2 ? x + 2 ** -51 : x))]);
      triangleDistance(t, 0, t, 9, out);
      const meet = trianglesMeet(t.subarray(0, 9), t.subarray(9));
      checkBracket(t, 0, 9, out, meet);
      if (!meet && out.lower === 0) none++;
    }
    expect(none).toBeGreaterThan(50);
  });
});

test('beyond: true whether the triangles are looked at closely or not, seed 8', { tags: ['quick', 'long'] }, () => {
  const r = seeded(8);
  const [full, brief] = [emptyBracket(), emptyBracket()];
  let rejected = 0;
  let farther = 0;
  for (let k = 0; k < (long ? 800 : 400); k++) {
    const c = Float64Array.from(
      shift(
        six(() => point(r)),
        point(r, r.pick([1, 3, 10])),
      ),
    );
    const beyond = r.between(0, 3);
    triangleDistance(c, 0, c, 9, full);
    triangleDistance(c, 0, c, 9, brief, beyond);
    if (full.lower > beyond) farther++;
    if (brief.upper === Number.POSITIVE_INFINITY) {
      rejected++;
      expect(brief.lower).toBeGreaterThan(beyond);
      expect(brief.lower).toBeLessThanOrEqual(full.upper);
    } else {
      expect(brief.upper).toBe(full.upper);
      expect(brief.onA).toEqual(full.onA);
    }
  }
  expect(rejected).toBeGreaterThan(0.9 * farther);
});
