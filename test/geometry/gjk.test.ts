/**
 * Brackets hold and overlaps are right, against exact duality by brute force: the distance of disjoint hulls is the
 * greatest gap over all directions, and the greatest is along one of: a point from a point, a perpendicular from a
 * point to an edge, the normal of three points of one hull, the normal of two edges, one of each. They overlap when no
 * such gap is above 0. Directions that doubles rule out by far, a billionth of the size, are not looked at again; all
 * others are, in integers.
 */
import { describe, expect, test } from 'vitest';
import { hullDistance, hullsOverlap } from '../../src/geometry/gjk.ts';
import type { DistanceBracket } from '../../src/geometry/triangle-distance.ts';
import { rotation } from '../../src/math/pose.ts';
import { long } from '../support/long.ts';
import { movePoints } from '../support/move-points.ts';
import { type Random, seeded } from '../support/random.ts';
import { commonIntegers } from '../support/rational.ts';

const SMALLEST = Number.MIN_VALUE;

/** Arithmetic on vectors of doubles or of integers. */
interface Vectors<T> {
  minus(a: T[], b: T[]): T[];
  cross(a: T[], b: T[]): T[];
  dot(a: T[], b: T[]): T;
  scaled(a: T[], by: T): T[];
}
const doubles: Vectors<number> = {
  minus: (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
  cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
  scaled: (a, by) => [a[0] * by, a[1] * by, a[2] * by],
};
const integers: Vectors<bigint> = {
  minus: (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
  cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
  scaled: (a, by) => [a[0] * by, a[1] * by, a[2] * by],
};

/** Calls `each` with a recipe for every candidate direction. */
function eachDirection(
  countA: number,
  countB: number,
  each: (make: <T>(v: Vectors<T>, a: T[][], b: T[][]) => T[]) => void,
) {
  const fromEdge = <T>(v: Vectors<T>, p: T[], q: T[], r: T[]): T[] => {
    const t = v.minus(q, p);
    const w = v.minus(r, p);
    return v.minus(v.scaled(w, v.dot(t, t)), v.scaled(t, v.dot(t, w)));
  };
  const normal = <T>(v: Vectors<T>, p: T[], q: T[], r: T[]): T[] => v.cross(v.minus(q, p), v.minus(r, p));
  for (let i = 0; i < countA; i++) for (let j = 0; j < countB; j++) each((v, a, b) => v.minus(a[i], b[j]));
  for (let i = 0; i < countA; i++) {
    for (let j = 0; j < i; j++) {
      for (let k = 0; k < countB; k++) each((v, a, b) => fromEdge(v, a[i], a[j], b[k]));
      for (let k = 0; k < j; k++) each((v, a) => normal(v, a[i], a[j], a[k]));
      for (let k = 0; k < countB; k++) {
        for (let l = 0; l < k; l++) each((v, a, b) => v.cross(v.minus(a[i], a[j]), v.minus(b[k], b[l])));
      }
    }
  }
  for (let i = 0; i < countB; i++) {
    for (let j = 0; j < i; j++) {
      for (let k = 0; k < countA; k++) each((v, a, b) => fromEdge(v, b[i], b[j], a[k]));
      for (let k = 0; k < j; k++) each((v, _, b) => normal(v, b[i], b[j], b[k]));
    }
  }
}

/** The greatest gap along d or -d, times |d|. */
function gapAlong<T extends number | bigint>(v: Vectors<T>, d: T[], a: T[][], b: T[][]): T {
  const range = (points: T[][]) => {
    let low = v.dot(d, points[0]);
    let high = low;
    for (const p of points) {
      const along = v.dot(d, p);
      if (along < low) low = along;
      if (along > high) high = along;
    }
    return [low, high];
  };
  const [lowA, highA] = range(a);
  const [lowB, highB] = range(b);
  const [first] = v.minus([lowA, lowA, lowA], [highB, highB, highB]);
  const [second] = v.minus([lowB, lowB, lowB], [highA, highA, highA]);
  return first > second ? first : second;
}

const triplets = <T>(x: readonly T[]): T[][] =>
  Array.from({ length: x.length / 3 }, (_, i) => x.slice(3 * i, 3 * i + 3));

/** The squared distance as numerator and denominator, 0 over 1 when the hulls meet, in units of the integers given. */
function squaredDistance(a: bigint[][], b: bigint[][]): [bigint, bigint] {
  const all = [...a, ...b];
  const near = all.map((p) => integers.minus(p, a[0]));
  let largest = 1n;
  for (const x of near.flat()) largest = x > largest ? x : -x > largest ? -x : largest;
  const shift = BigInt(Math.max(0, largest.toString(2).length - 60));
  const unit = Number(largest >> shift);
  const floats = near.map((p) => p.map((x) => Number(x >> shift) / unit));
  const floatA = floats.slice(0, a.length);
  const floatB = floats.slice(a.length);

  const candidates: { make: <T>(v: Vectors<T>, a: T[][], b: T[][]) => T[]; gap: number }[] = [];
  let greatest = 0;
  eachDirection(a.length, b.length, (make) => {
    const d = make(doubles, floatA, floatB);
    const length = Math.sqrt(doubles.dot(d, d));
    const gap = length > 1e-6 ? gapAlong(doubles, d, floatA, floatB) / length : Infinity;
    if (gap < greatest - 1e-9) return;
    if (gap !== Infinity) greatest = Math.max(greatest, gap);
    candidates.push({ make, gap });
  });

  let best: [bigint, bigint] = [0n, 1n];
  for (const { make, gap } of candidates) {
    if (gap < greatest - 1e-9) continue;
    const d = make(integers, a, b);
    const exact = gapAlong(integers, d, a, b);
    if (exact <= 0n) continue;
    const square = integers.dot(d, d);
    if (exact * exact * best[1] > best[0] * square) best = [exact * exact, square];
  }
  return best;
}

const bracket = (): DistanceBracket => ({ lower: NaN, upper: NaN, onA: new Float64Array(3), onB: new Float64Array(3) });

type Pair = [number[], number[]];

/** The largest extent of both hulls together. */
function extentOf([a, b]: Pair): number {
  let extent = 0;
  for (let k = 0; k < 3; k++) {
    const along = [...a, ...b].filter((_, i) => i % 3 === k);
    extent = Math.max(extent, Math.max(...along) / 2 - Math.min(...along) / 2);
  }
  return 2 * extent;
}

/**
 * Asserts everything about a pair; `tight` times the extent is how wide the bracket may be. Returns whether they
 * overlap.
 */
function check(pair: Pair, tight: number): boolean {
  const a = Float64Array.from(pair[0]);
  const b = Float64Array.from(pair[1]);
  const out = bracket();
  hullDistance(a, a.length / 3, b, b.length / 3, out);
  const { lower, upper } = out;
  const says = hullsOverlap(a, a.length / 3, b, b.length / 3);
  const message = JSON.stringify(pair);
  const whole = commonIntegers([...a, ...b, lower, upper === Infinity ? 0 : upper]);
  const [square, per] = squaredDistance(
    triplets(whole.slice(0, a.length)),
    triplets(whole.slice(a.length, a.length + b.length)),
  );
  const [low, high] = whole.slice(-2);
  expect(says, message).toBe(square === 0n ? 'overlap' : 'disjoint');
  expect(low >= 0n && low * low * per <= square, `lower ${lower} ${message}`).toBe(true);
  expect(upper === Infinity || square <= high * high * per, `upper ${upper} ${message}`).toBe(true);
  if (square === 0n) expect(upper, message).toBe(0);
  const extent = extentOf(pair);
  if (extent < 1e307) {
    expect(upper - lower, `${lower} ${upper} ${message}`).toBeLessThanOrEqual(tight * extent + 2 * SMALLEST);
    // The witnesses are about as far apart as the bracket says.
    const [p, q] = [out.onA, out.onB];
    const far = Math.max(...Array.from(p, (x, k) => Math.abs(x - q[k])));
    const coordinate = Math.max(...pair.flat().map(Math.abs));
    if (square !== 0n) expect(far, message).toBeLessThanOrEqual(upper + 2 ** -49 * coordinate + 8 * SMALLEST);
  }
  const swapped = bracket();
  hullDistance(b, b.length / 3, a, a.length / 3, swapped);
  expect(hullsOverlap(b, b.length / 3, a, a.length / 3), message).toBe(says);
  expect(swapped.lower <= upper && lower <= swapped.upper, message).toBe(true);
  return square === 0n;
}

const nudge = (r: Random, x: number): number => {
  const step = Math.max(Math.abs(x) * 2 ** -52, SMALLEST);
  return r.pick([x, x, x + step, x - step]);
};
const cloud = (count: number, coordinate: () => number): number[] => Array.from({ length: 3 * count }, coordinate);
const corners = (low: number[], high: number[]): number[] =>
  [0, 1, 2, 3, 4, 5, 6, 7].flatMap((bits) => [0, 1, 2].map((k) => ((bits >> k) & 1 ? high[k] : low[k])));
const three = (each: (k: number) => number): number[] => [0, 1, 2].map(each);
const shifted = (points: number[], by: number[]): number[] => points.map((x, i) => x + by[i % 3]);

function turned(r: Random, points: number[]): number[] {
  return moved(points, randomTurn(r));
}
function randomTurn(r: Random): Float64Array {
  return rotation(r.between(-1, 1), r.between(-1, 1), r.between(-1, 1) + 0.01, r.between(0, 360));
}
function moved(points: number[], pose: Float64Array): number[] {
  const out = new Float64Array(points.length);
  movePoints(pose, Float64Array.from(points), out);
  return Array.from(out);
}

/** Pushes b along the direction from its nearest point, until about `gap` away. */
function nearlyTouching(pair: Pair, gap: number): Pair {
  const out = bracket();
  const [a, b] = pair.map((points) => Float64Array.from(points));
  hullDistance(a, a.length / 3, b, b.length / 3, out);
  if (out.upper === 0) return pair;
  const by = three((k) => (out.onA[k] - out.onB[k]) * (1 - gap / out.upper));
  return [pair[0], shifted(pair[1], by)];
}

/** A cell of a grid. */
function cell(at: number[], step: number): number[] {
  return corners(
    at.map((n) => n * step),
    at.map((n) => (n + 1) * step),
  );
}

interface Family {
  make(r: Random): Pair;
  count: number;
  /** Width of the bracket allowed, in extents. */
  tight?: number;
}

const box = (r: Random): number[] =>
  corners(
    three(() => r.between(-1, 0)),
    three(() => r.between(0, 1)),
  );

const families: Record<string, Family> = {
  'random points': {
    count: 300,
    make: (r) => [
      cloud(1 + r.below(8), () => r.between(-1, 1)),
      shifted(
        cloud(1 + r.below(8), () => r.between(-1, 1)),
        three(() => r.between(-1, 1)),
      ),
    ],
  },
  'cells of a grid that touch, or miss by one unit': {
    count: 100,
    make: (r) => {
      const step = r.pick([1, 0.1, 1 / 3]);
      const at = three(() => r.below(9) - 4);
      const other = cell(
        at.map((n) => n + r.below(3) - 1),
        step,
      );
      const k = r.below(3);
      const up = r.pick([0, 2 ** -52, -(2 ** -52)]);
      return [cell(at, step), other.map((x, i) => (i % 3 === k ? x + up * Math.abs(x) : x))];
    },
  },
  'triangles on a grid against cells': {
    count: 200,
    make: (r) => [cloud(3, () => r.below(7) / 2 - 1), corners([0, 0, 0], [1, 1, 1])],
  },
  'triangles on a grid of tenths against cells': {
    count: 200,
    make: (r) => [cloud(3, () => (r.below(7) - 2) * 0.1), cell([1, 0, 2], 0.1)],
  },
  'turned boxes': {
    count: 80,
    make: (r) => [
      turned(r, box(r)),
      shifted(
        turned(r, box(r)),
        three(() => r.between(-1.5, 1.5)),
      ),
    ],
  },
  'turned boxes, nearly touching': {
    count: 120,
    make: (r) =>
      nearlyTouching(
        [
          turned(r, box(r)),
          shifted(
            turned(r, box(r)),
            three(() => r.between(-3, 3)),
          ),
        ],
        r.pick([0, 1e-17, 1e-16, 1e-15, 1e-12, 1e-9, 1e-5]),
      ),
  },
  'neighbouring cells, turned together': {
    count: 100,
    make: (r) => {
      const at = three(() => r.below(9) - 4);
      const pose = randomTurn(r);
      const other = cell(
        at.map((n) => n + r.below(3) - 1),
        0.1,
      );
      const nudged = r.pick([0, 1]);
      return [moved(cell(at, 0.1), pose), moved(other, pose).map((x) => (nudged ? nudge(r, x) : x))];
    },
  },
  'triangles against turned boxes': {
    count: 200,
    make: (r) => [cloud(3, () => r.between(-1.5, 1.5)), turned(r, box(r))],
  },
  'triangles against turned boxes, nearly touching': {
    count: 200,
    make: (r) =>
      nearlyTouching(
        [
          shifted(
            cloud(3, () => r.between(-1, 1)),
            three(() => r.pick([-3, 3])),
          ),
          turned(r, box(r)),
        ],
        r.pick([0, 1e-16, 1e-13, 1e-10, 1e-7]),
      ),
  },
  'points in and on turned boxes': {
    count: 300,
    make: (r) => {
      const turn = randomTurn(r);
      const b = box(r);
      const fraction = three(() => r.pick([0, 1, r.next()]));
      const point = three((k) => b[k] + fraction[k] * (b[21 + k] - b[k]));
      return [moved(point, turn).map((x) => nudge(r, x)), moved(b, turn)];
    },
  },
  'a segment or point against a triangle': {
    count: 300,
    make: (r) => [cloud(1 + r.below(2), () => r.between(-1, 1)), cloud(3, () => r.between(-1, 1))],
  },
  'points, segments and triangles on a coarse grid': {
    count: 400,
    make: (r) => [cloud(1 + r.below(4), () => r.below(4)), cloud(1 + r.below(4), () => r.below(4))],
  },
  'coarse grid, up to eight points': {
    count: 100,
    make: (r) => [cloud(1 + r.below(8), () => r.below(4)), cloud(1 + r.below(8), () => r.below(4) + 1)],
  },
  'coplanar in a skew plane, thirds, nudged': {
    count: 200,
    make: (r) => {
      const [p, q] = [three(() => r.below(9) - 4), three(() => r.below(9) - 4)];
      const on = (count: number) =>
        Array.from({ length: count }, () => {
          const [i, j] = [r.below(7) - 3, r.below(7) - 3];
          return three((k) => nudge(r, (i * p[k] + j * q[k]) / 3));
        }).flat();
      return [on(1 + r.below(4)), on(1 + r.below(4))];
    },
  },
  slivers: {
    count: 200,
    make: (r) => {
      const t = r.between(0, 1);
      const sliver = (count: number) =>
        Array.from({ length: count }, () => [
          t + r.below(5) * 2 ** -52,
          r.between(-1, 1),
          t * r.below(3) + r.below(3) * 2 ** -51,
        ]).flat();
      return [sliver(1 + r.below(5)), sliver(1 + r.below(5))];
    },
  },
  'far from the origin': {
    count: 200,
    make: (r) => {
      const by = three(() => r.pick([0, 1e6, 1e15, -1e9]));
      return [
        shifted(turned(r, box(r)), by),
        shifted(
          cloud(1 + r.below(4), () => r.between(-2, 2)),
          by,
        ),
      ];
    },
  },
  'all scales': {
    count: 300,
    make: (r) => {
      const scale = r.pick([1e-150, 1e-100, 1e-30, 1e30, 1e100, 1e150, 1e300, 1e-300, 1e-315, 1e307]);
      const points = () => cloud(1 + r.below(5), () => r.between(-1, 1) * scale);
      return [points(), points()];
    },
  },
  'the smallest doubles and the largest': {
    count: 200,
    make: (r) => {
      const unit = r.pick([SMALLEST, 2 ** -1022, 2 ** 1021]);
      return [cloud(1 + r.below(5), () => r.below(4) * unit), cloud(1 + r.below(5), () => (r.below(4) - 1) * unit)];
    },
  },
  'a grid and the smallest doubles': {
    count: 100,
    make: (r) => {
      const points = () => cloud(1 + r.below(4), () => r.below(2) + r.pick([0, 0, 1, -1, 3, -2]) * SMALLEST);
      return [points(), points()];
    },
  },
  'mixed magnitudes': {
    count: 100,
    tight: Infinity,
    make: (r) => {
      const points = () =>
        cloud(1 + r.below(4), () => r.between(-1, 1) * 2 ** r.pick([-1060, -600, -250, -1, 0, 1, 249, 600, 1020]));
      return [points(), points()];
    },
  },
};

describe('brackets and overlaps, against exact duality', () => {
  for (const [index, [name, { make, count, tight = 2 ** -44 }]] of Object.entries(families).entries()) {
    const seed = 500 + index;
    test(`${name}, seed ${seed}`, { tags: ['quick', 'long'] }, () => {
      const r = seeded(seed);
      let overlaps = 0;
      const pairs = long ? 8 * count : Math.max(40, count / 4);
      for (let n = 0; n < pairs; n++) if (check(make(r), tight)) overlaps++;
      expect(overlaps).toBeGreaterThan(0);
      expect(overlaps).toBeLessThan(pairs);
    });
  }
});

test('flat simplices whose weights were rounding: the bracket stays tight', () => {
  const pairs: Pair[] = [
    [
      [
        -4.999999999999999, -2.333333333333334, 1.333333333333333, 1.6666666666666672, 3.6666666666666665,
        -3.999999999999999,
      ].concat([0.6666666666666667, -1.9999999999999996, 2.6666666666666665]),
      [1.6666666666666667, -0.6666666666666667, 1.3333333333333333, 1, 1.3333333333333333, -1.333333333333333].concat([
        1.3333333333333333, 0.33333333333333326, -5e-324, 1.3333333333333335, 0.33333333333333326, 0,
      ]),
    ],
    [
      [1.3333333333333333, 1.3333333333333335, 1.6666666666666663, 0.33333333333333337, 0.33333333333333326].concat([
        -2.3333333333333335, 0.33333333333333337, 0.33333333333333337, 2.666666666666666,
      ]),
      [1.6666666666666663, 1.6666666666666672, 1.3333333333333335, 2, 2, 0.9999999999999998].concat([
        -1.6666666666666672, -1.6666666666666663, -0.3333333333333333,
      ]),
    ],
    [
      [-0.6076773306827519, 0.1193584724553228, 0.5652953345526638],
      [
        -1.1082599528362393, -0.6418789994215899, -0.19699658425254993, -0.015483736814415137, -0.9204707935764664,
      ].concat(
        [0.1125900339333595, -0.5648817084793776, 0.9716739099084504, -0.662999354682901, 0.5278945075424468],
        [0.693082115753574, -0.3534127364969916, -1.2635671385881673, -0.3572928245679001, 0.6072997166348062],
        [-0.1707909225663431, -0.6358846187227767, 0.9168863348207157, -0.7201888942313055, 1.2562600847621401],
        [0.1412969462044551, 0.37258732179051884, 0.9776682906072638, 0.4508835643903645],
      ),
    ],
  ];
  for (const pair of pairs) expect(check(pair, 2 ** -44)).toBe(false);
});

describe.each([1, 2, 3])('seed %i', { tags: ['quick', 'long'] }, (seed) => {
  test('points inside hulls, a hundred of them, change nothing', () => {
    const r = seeded(seed);
    for (let n = 0; n < (long ? 16 : 8); n++) {
      const pair: Pair = [
        cloud(4 + r.below(5), () => 16 * (r.below(9) - 4)),
        cloud(8, () => 16 * (r.below(9) + r.below(5))),
      ];
      // Midpoints, exact on multiples of 16.
      const crowded = pair.map((points) => {
        const original = triplets(points);
        const middles = Array.from({ length: 100 }, () => {
          const [p, q] = [r.pick(original), r.pick(original)];
          return doubles.scaled(doubles.minus(p, doubles.scaled(q, -1)), 0.5);
        });
        return Float64Array.from([...middles, ...original].flat());
      });
      const [a, b] = pair.map((points) => Float64Array.from(points));
      const few = bracket();
      const many = bracket();
      hullDistance(a, a.length / 3, b, b.length / 3, few);
      hullDistance(crowded[0], crowded[0].length / 3, crowded[1], crowded[1].length / 3, many);
      expect(hullsOverlap(crowded[0], crowded[0].length / 3, crowded[1], crowded[1].length / 3)).toBe(
        hullsOverlap(a, a.length / 3, b, b.length / 3),
      );
      expect(many.lower <= few.upper && few.lower <= many.upper).toBe(true);
      expect(many.upper - many.lower).toBeLessThanOrEqual(1e-11);
    }
  });

  test('many points on two balls: the bracket is tight', () => {
    const r = seeded(seed + 50);
    const ball = (centre: number[]) =>
      Float64Array.from(
        Array.from({ length: 300 }, () => {
          const p = three(() => r.between(-1, 1));
          const length = Math.sqrt(doubles.dot(p, p));
          return p.map((x, k) => centre[k] + x / length);
        }).flat(),
      );
    for (let n = 0; n < (long ? 30 : 20); n++) {
      const centre = three(() => r.between(-2, 2));
      const [a, b] = [ball([0, 0, 0]), ball(centre)];
      const out = bracket();
      hullDistance(a, 300, b, 300, out);
      expect(out.upper - out.lower).toBeLessThanOrEqual(1e-13);
      expect(hullsOverlap(a, 300, b, 300)).toBe(out.upper === 0 ? 'overlap' : 'disjoint');
      const far = Math.sqrt(doubles.dot(centre, centre));
      expect(out.lower).toBeLessThanOrEqual(Math.max(0, far - 2) + 0.2);
      expect(out.upper).toBeGreaterThanOrEqual(far - 2 - 1e-13);
    }
  });
});

test('coordinates that are not finite, or no points: unsure, and a bracket that says nothing', () => {
  for (const wild of [NaN, Infinity, -Infinity]) {
    for (let at = 0; at < 9; at++) {
      const a = Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0);
      const b = a.slice();
      a[at] = wild;
      for (const [p, q] of [
        [a, b],
        [b, a],
      ]) {
        const out = bracket();
        hullDistance(p, 3, q, 3, out);
        expect([out.lower, out.upper]).toEqual([0, Infinity]);
        expect(hullsOverlap(p, 3, q, 3)).toBe('unsure');
      }
    }
  }
  expect(hullsOverlap(new Float64Array(0), 0, new Float64Array(3), 1)).toBe('unsure');
});

test('a box and a point beside it, known to the last place', () => {
  const cube = Float64Array.from(corners([0, 0, 0], [1, 1, 1]));
  const out = bracket();
  hullDistance(Float64Array.of(1 + 2 ** -52, 0.5, 0.5), 1, cube, 8, out);
  expect(out.lower).toBeGreaterThan(0.9999 * 2 ** -52);
  hullDistance(Float64Array.of(4, 5, 0.5), 1, cube, 8, out);
  expect(out.lower).toBeLessThanOrEqual(5);
  expect(out.upper).toBeGreaterThanOrEqual(5);
  expect(Array.from(out.onA)).toEqual([4, 5, 0.5]);
  for (const [k, x] of [1, 1, 0.5].entries()) expect(out.onB[k]).toBeCloseTo(x, 14);
  hullDistance(Float64Array.of(1, 0.5, 0.5), 1, cube, 8, out);
  expect([out.lower, out.upper, ...out.onA, ...out.onB]).toEqual([0, 0, 1, 0.5, 0.5, 1, 0.5, 0.5]);
});
