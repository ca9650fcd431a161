/** Triangulation of polygons: always n - 2, always a partition of the outline, and the right area where there is one. */

import earcut from 'earcut';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { monotoneDiagonals } from '../../src/readers/monotone.ts';
import { triangulatePolygon } from '../../src/readers/polygon.ts';
import { long } from '../support/long.ts';
import { countsSteps, stepsOf } from '../support/steps.ts';

const SEED = 19740301;
const RUNS = long ? 34_000 : 1200;
/** Of what costs more. */
const FEW_RUNS = long ? 3000 : 200;

type Point = [number, number, number];

/** Triangles as corners' numbers within the polygon; vertices are numbered backwards, to tell the two apart. */
function triangulate(points: Point[]): number[] {
  const n = points.length;
  const positions = Float64Array.from([...points].reverse().flat());
  const corners = Uint32Array.from({ length: n + 2 }, (_, k) => (k < 2 ? 0 : n + 1 - k));
  const out = new Uint32Array(3 * (n - 2) + 2).fill(0xffffffff);
  triangulatePolygon(positions, corners, 2, n, out, 1);
  expect([out[0], out[out.length - 1]]).toEqual([0xffffffff, 0xffffffff]); // stays within its place
  return Array.from(out.subarray(1, -1), (v) => n - 1 - v);
}

const fan = (n: number) => Array.from({ length: n - 2 }, (_, k) => [0, k + 1, k + 2]).flat();

/**
 * n - 2 triangles are a triangulation of the cyclic polygon, in its direction, exactly if every directed side occurs
 * once and every other directed edge as often as its reverse.
 */
function expectPartition(triangles: number[], n: number): void {
  expect(triangles.length).toBe(3 * (n - 2));
  const count = new Map<number, number>();
  for (let t = 0; t < triangles.length; t += 3) {
    for (let e = 0; e < 3; e++) {
      const from = triangles[t + e];
      const to = triangles[t + ((e + 1) % 3)];
      count.set(from * n + to, (count.get(from * n + to) ?? 0) + 1);
      count.set(to * n + from, (count.get(to * n + from) ?? 0) - 1);
    }
  }
  for (let k = 0; k < n; k++) {
    const side = k * n + ((k + 1) % n);
    if (count.get(side) !== 1) expect.fail(`side ${k} occurs ${count.get(side)} times`);
    count.delete(side);
    count.delete(((k + 1) % n) * n + k);
  }
  for (const balance of count.values()) if (balance !== 0) expect.fail('an inner edge without its reverse');
}

const cross = ([ax, ay, az]: Point, [bx, by, bz]: Point): Point => [
  ay * bz - az * by,
  az * bx - ax * bz,
  ax * by - ay * bx,
];
const minus = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Point, b: Point) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** Of a plane polygon: least signed area of a triangle, and the sum of their absolute areas, relative to the polygon's. */
function areas(points: Point[], triangles: number[]): { least: number; sum: number } {
  let normal: Point = [0, 0, 0];
  points.forEach((p, k) => {
    const c = cross(minus(p, points[0]), minus(points[(k + 1) % points.length], points[0]));
    normal = [normal[0] + c[0], normal[1] + c[1], normal[2] + c[2]];
  });
  const square = dot(normal, normal);
  let least = Number.POSITIVE_INFINITY;
  let sum = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [points[triangles[t]], points[triangles[t + 1]], points[triangles[t + 2]]];
    const share = dot(normal, cross(minus(b, a), minus(c, a))) / square;
    least = Math.min(least, share);
    sum += Math.abs(share);
  }
  return { least, sum };
}

function expectCovers(points: Point[], triangles: number[]): void {
  expectPartition(triangles, points.length);
  const { least, sum } = areas(points, triangles);
  expect(least).toBeGreaterThan(-1e-9);
  expect(sum).toBeCloseTo(1, 8);
}

const flat = (...xy: number[]): Point[] =>
  Array.from({ length: xy.length / 2 }, (_, k) => [xy[2 * k], xy[2 * k + 1], 0]);

/** A plane in space: the image of (x, y), by an orthonormal frame from two angles, and an offset. */
const plane = fc
  .tuple(
    fc.double({ min: 0, max: 6, noNaN: true }),
    fc.double({ min: 0, max: 6, noNaN: true }),
    fc.integer({ min: -9, max: 9 }),
  )
  .map(([a, b, offset]) => ([x, y]: Point): Point => {
    const [c, s, d, t] = [Math.cos(a), Math.sin(a), Math.cos(b), Math.sin(b)];
    return [c * x - s * d * y + offset, s * x + c * d * y, t * y - offset];
  });

const ring = (n: number, radius: (k: number) => number): Point[] =>
  Array.from({ length: n }, (_, k) => {
    const angle = (2 * Math.PI * k) / n;
    return [radius(k) * Math.cos(angle), radius(k) * Math.sin(angle), 0];
  });

/** Teeth as high as the comb is long. */
const comb = (n: number): Point[] =>
  Array.from({ length: n }, (_, k): Point => [k < n - 2 ? k : k === n - 2 ? n : 0, k < n - 2 ? (k % 2) * n : -1, 0]);

describe('quads', () => {
  const square = flat(0, 0, 1, 0, 1, 1, 0, 1);
  test('convex: a fan from the first, whichever way round', () => {
    expect(triangulate(square)).toEqual([0, 1, 2, 0, 2, 3]);
    expect(triangulate([...square].reverse())).toEqual([0, 1, 2, 0, 2, 3]);
  });
  const arrow = flat(1, 1, 0, 4, 0, 0, 4, 0); // reflex at number 0
  test.each([
    [0, [0, 1, 2, 0, 2, 3]],
    [1, [1, 2, 3, 0, 1, 3]],
    [2, [0, 1, 2, 0, 2, 3]],
    [3, [1, 2, 3, 0, 1, 3]],
  ])('concave at number %i: cut through that corner', (reflex, expected) => {
    const quad = [...arrow.slice(4 - reflex), ...arrow.slice(0, 4 - reflex)];
    expect(triangulate(quad)).toEqual(expected);
    expectCovers(quad, expected);
    // Warped by 20 to either side of a slanted plane: along its normal it looks the same.
    const warped = quad.map(([x, y], k): Point => {
      const height = (k % 2 === 0 ? 20 : -20) / Math.sqrt(3);
      const [u, v] = [x / Math.sqrt(2), y / Math.sqrt(6)];
      return [u + v + height, v - u + height, height - 2 * v];
    });
    expect(triangulate(warped)).toEqual(expected);
  });
});

const rounding = fc.constantFrom(
  Math.fround,
  (x: number) => Number(x.toFixed(6)),
  (x: number) => x,
);

test(`convex polygons on any plane, rounded to six digits or to floats, fan (seed ${SEED})`, {
  tags: ['quick', 'long'],
}, () => {
  const degrees = fc.uniqueArray(fc.integer({ min: 0, max: 359 }), { minLength: 3, maxLength: 60 });
  fc.assert(
    fc.property(degrees, plane, rounding, (list, place, round) => {
      const points = list
        .sort((a, b) => a - b)
        .map((d): Point => [Math.cos((d * Math.PI) / 180), Math.sin((d * Math.PI) / 180), 0])
        .map((p) => place(p).map(round) as Point);
      expect(triangulate(points)).toEqual(fan(points.length));
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

test(`so do rectangles with a vertex on a side, which rounding pushes in or out (seed ${SEED})`, {
  tags: ['quick', 'long'],
}, () => {
  const along = fc.double({ min: 0.01, max: 0.99, noNaN: true });
  fc.assert(
    fc.property(along, fc.nat(4), plane, rounding, (x, turn, place, round) => {
      const points = flat(0, 0, x, 0, 1, 0, 1, 1, 0, 1).map((p) => place(p).map(round) as Point);
      expect(triangulate([...points.slice(turn), ...points.slice(0, turn)])).toEqual(fan(5));
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

test(`simple concave polygons on any plane are covered once (seed ${SEED})`, { tags: ['quick', 'long'] }, () => {
  const radii = fc.array(fc.double({ min: 0.1, max: 2, noNaN: true }), { minLength: 4, maxLength: 150 });
  fc.assert(
    fc.property(radii, plane, fc.boolean(), (list, place, backwards) => {
      const points = ring(list.length, (k) => list[k]).map(place);
      if (backwards) points.reverse();
      expectCovers(points, triangulate(points));
    }),
    { seed: SEED, numRuns: RUNS / 5 },
  );
});

test(`any vertices whatever, coincident, collinear and tangled ones (seed ${SEED})`, {
  tags: ['quick', 'long'],
}, () => {
  const lattice = fc.integer({ min: 0, max: 4 });
  const point = fc.oneof(
    fc.tuple(lattice, lattice, fc.constant(0)),
    fc.tuple(lattice, lattice, lattice),
  ) as fc.Arbitrary<Point>;
  fc.assert(
    fc.property(fc.array(point, { minLength: 3, maxLength: 90 }), (points) => {
      expectPartition(triangulate(points), points.length);
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

test.each<[string, Point[]]>([
  [
    'a notch of a millimetre in a plate of a metre',
    flat(0, 0, 0.5, 0, 0.5, 0.001, 0.501, 0.001, 0.501, 0, 1, 0, 1, 1, 0, 1),
  ],
  [
    'collinear vertices on every side of an L',
    flat(0, 0, 1, 0, 2, 0, 2, 0.5, 2, 1, 1.5, 1, 1, 1, 1, 1.5, 1, 2, 0.5, 2, 0, 2, 0, 1),
  ],
  ['a square hole joined by a bridge', flat(0, 0, 3, 0, 3, 3, 0, 3, 0, 0, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1)],
  ['every vertex twice', flat(0, 0, 0, 0, 4, 0, 4, 0, 1, 1, 1, 1, 0, 4, 0, 4)],
  [
    'a bay of so many vertices that no corner dents by itself',
    [
      ...ring(4_000, () => 1)
        .slice(0, 2_001)
        .reverse(),
      [1, 2, 0],
      [-1, 2, 0],
    ].reverse() as Point[],
  ],
])('%s', (_, points) => {
  for (const turn of [0, 1, 3]) {
    const turned = [...points.slice(turn), ...points.slice(0, turn)];
    expectCovers(turned, triangulate(turned));
  }
});

test.each([1e300, 1e150, 1e-150, 1e-300, 5e-324])('coordinates of the size of %d', (size) => {
  const arrow = flat(0, 0, 1, 1, 4, 0, 0, 4); // reflex at number 1
  expect(triangulate(arrow.map((p) => p.map((x) => x * size) as Point))).toEqual([1, 2, 3, 0, 1, 3]);
});

test('polygons without area fan', () => {
  expect(triangulate(flat(0, 0, 0, 0, 0, 0, 0, 0))).toEqual(fan(4));
  expect(triangulate(flat(0, 0, 2, 0, 1, 0, 3, 0, 5, 0))).toEqual(fan(5));
  expect(triangulate(flat(0, 0, 1, 1, 1, 0, 0, 1))).toEqual(fan(4)); // a bow tie of two equal halves
});

describe.skipIf(!countsSteps)('large polygons take steps by the square of their vertices at most', () => {
  const n = long ? 6_700 : 2500;
  let state = SEED;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const walk = (length: number, side: number): Point[] => {
    let x = 0;
    let y = 0;
    return Array.from({ length }, () => {
      const turn = Math.floor(4 * random());
      x = Math.max(0, Math.min(x + [1, -1, 0, 0][turn], side - 1));
      y = Math.max(0, Math.min(y + [0, 0, 1, -1][turn], side - 1));
      return [x, y, 0];
    });
  };
  test.each<[string, Point[], boolean]>([
    ['convex', ring(n, () => 1), true],
    ['a star', ring(n, (k) => (k % 2 === 0 ? 1 : 0.5)), true],
    ['a comb', comb(n), true],
    ['random vertices', Array.from({ length: n }, (): Point => [random(), random(), 0]), false],
    ['a random walk on a lattice', walk(n, 1000), false],
    ['a random walk on 16 points', walk(4 * n, 4), false],
    ['seven turns', ring(n, (k) => 1 + (k % 2)).map((_, k, all) => all[(7 * k) % n]), false],
    ['all on one line', Array.from({ length: n }, (): Point => [random(), 0, 0]), false],
  ])('%s', (_, points, simple) => {
    let triangles: number[] = [];
    const steps = stepsOf(() => {
      triangles = triangulate(points);
    });
    // earcut looks through the whole outline for each ear of a star.
    expect(steps).toBeLessThan(4 * points.length ** 2);
    if (simple) expectCovers(points, triangles);
    else expectPartition(triangles, points.length);
  });
});

/** A corridor along a spiral, whose walls have n/2 vertices each. */
const corridor = (n: number, turns: number): Point[] => {
  const wall = (width: number): Point[] =>
    Array.from({ length: n / 2 }, (_, k) => {
      const part = k / (n / 2 - 1);
      const [angle, radius] = [2 * Math.PI * turns * part, 1 + turns * part + width];
      return [radius * Math.cos(angle), radius * Math.sin(angle), 0];
    });
  return [...wall(0.5), ...wall(0).reverse()];
};

const outlineOf = (points: readonly Point[]): Float64Array =>
  Float64Array.from(points.flatMap((point) => point.slice(0, 2)));

const latticePoint = fc.tuple(fc.nat(9), fc.nat(9)).map(([x, y]): Point => [x, y, 0]);
const outlines = fc.oneof(
  fc.array(latticePoint, { minLength: 3, maxLength: 120 }),
  fc
    .array(fc.double({ min: 0.1, max: 2, noNaN: true }), { minLength: 4, maxLength: 300 })
    .map((radii) => ring(radii.length, (k) => radii[k])),
  fc
    .tuple(fc.integer({ min: 2, max: 150 }), fc.integer({ min: 1, max: 40 }))
    .map(([n, turns]) => corridor(2 * n, turns)),
);

/** Diagonals as numbers, sorted. */
const keysOf = (size: number, triangles: ArrayLike<number>): number[] => {
  const keys = new Set<number>();
  for (let t = 0; t < triangles.length; t++) {
    const ends = [triangles[t], triangles[t % 3 === 2 ? t - 2 : t + 1]];
    const [i, j] = [Math.min(...ends), Math.max(...ends)];
    if (j - i > 1 && j - i < size - 1) keys.add(i * size + j);
  }
  return [...keys].sort((a, b) => a - b);
};

test.each<[string, Point[]]>([
  ['20,000 vertices that wind little', ring(20_000, (k) => 1 + 0.1 * Math.sin(k / 500) + 0.001 * Math.sin(k / 3))],
  ['4,096 that wind 32 times', corridor(4096, 32)],
])('ears of %s are those of earcut', { tags: ['all'] }, (_, points) => {
  // It gets them with the first at the origin.
  const ears = earcut(outlineOf(points.map((point) => minus(point, points[0]))));
  expect(ears.length).toBe(3 * (points.length - 2));
  expect(keysOf(points.length, triangulate(points))).toEqual(keysOf(points.length, ears));
});

describe('the sweep', () => {
  const turned = ([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): number => (ax - x) * (by - y) - (ay - y) * (bx - x);

  /** The faces that diagonals cut a ring into. They must not cross. */
  function facesOf(size: number, diagonals: readonly number[]): number[][] {
    const pairs = new Map<number, [number, number]>();
    for (let k = 0; k < diagonals.length; k += 2) {
      const [i, j] = [diagonals[k], diagonals[k + 1]];
      expect(j - i).toBeGreaterThan(1);
      expect(j - i).toBeLessThan(size - 1);
      pairs.set(i * size + j, [i, j]);
    }
    const faces: number[][] = [];
    let left = Array.from({ length: size }, (_, k) => k);
    // The shortest first: each cuts off what lies between its ends.
    for (const [i, j] of [...pairs.values()].sort(([a, b], [c, d]) => b - a - (d - c))) {
      const [from, to] = [left.indexOf(i), left.indexOf(j)];
      if (from < 0 || to < 0) expect.fail(`${i} ${j} crosses another diagonal`);
      faces.push(left.slice(from, to + 1));
      left = [...left.slice(0, from + 1), ...left.slice(to)];
    }
    return [...faces, left];
  }

  /** Twice the area of a polygon; exact for whole numbers. */
  const areaOf = (points: readonly Point[]): number =>
    points.reduce((sum, p, k) => sum + turned([0, 0, 0], p, points[(k + 1) % points.length]), 0);

  /** The points in an order in which no two sides meet; null where one lies on a side. */
  function untangled(points: Point[]): Point[] | null {
    const n = points.length;
    const isBetween = (a: Point, b: Point, p: Point): boolean =>
      turned(a, b, p) === 0 &&
      Math.min(a[0], b[0]) <= p[0] &&
      p[0] <= Math.max(a[0], b[0]) &&
      Math.min(a[1], b[1]) <= p[1] &&
      p[1] <= Math.max(a[1], b[1]);
    let order = points;
    for (let i = 0; i < n; i++)
      for (let j = i + 2; j < n; j++) {
        const [a, b, c, d] = [order[i], order[i + 1], order[j], order[(j + 1) % n]];
        if (d === a) continue;
        if (isBetween(a, b, c) || isBetween(a, b, d) || isBetween(c, d, a) || isBetween(c, d, b)) return null;
        if (turned(a, b, c) * turned(a, b, d) >= 0 || turned(c, d, a) * turned(c, d, b) >= 0) continue;
        order = [...order.slice(0, i + 1), ...order.slice(i + 1, j + 1).reverse(), ...order.slice(j + 1)];
        [i, j] = [0, 1]; // each such exchange makes the outline shorter
      }
    return order;
  }

  function expectCoversExactly(points: Point[]): void {
    const faces = facesOf(points.length, monotoneDiagonals(outlineOf(points)));
    expect(faces.length).toBe(points.length - 2);
    const area = areaOf(points);
    const parts = faces.map((face) => areaOf(face.map((v) => points[v])));
    expect(parts.filter((part) => part * area < 0)).toEqual([]);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(area);
  }

  /** All that can be done to a sweep from left to right. */
  const moved = (points: Point[], way: number, first: number): Point[] => {
    const place = ([x, y]: Point): Point => {
      const [u, v] = way & 1 ? [y, x] : [x, y];
      return way & 2 ? [3 * u + v, v - 2 * u, 0] : [way & 4 ? -u : u, v, 0];
    };
    const all = points.map(place);
    if (way & 8) all.reverse();
    return [...all.slice(first % all.length), ...all.slice(0, first % all.length)];
  };

  test(`covers simple outlines of a lattice once (seed ${SEED})`, { tags: ['quick', 'long'] }, () => {
    let simple = 0;
    const points = fc.nat(2).chain((n) => {
      const coordinate = fc.nat([6, 20, 1000][n]);
      const point = fc.tuple(coordinate, coordinate, fc.constant(0)) as fc.Arbitrary<Point>;
      return fc.uniqueArray(point, { selector: String, minLength: 4, maxLength: 26 });
    });
    fc.assert(
      fc.property(points, (list) => {
        const outline = untangled(list);
        if (!outline || areaOf(outline) === 0) return;
        expectCoversExactly(outline);
        simple++;
      }),
      { seed: SEED, numRuns: FEW_RUNS },
    );
    expect(simple).toBeGreaterThan(FEW_RUNS / 4);
  });

  test(`covers plates whose holes are joined by bridges once (seed ${SEED})`, { tags: ['quick', 'long'] }, () => {
    const hole = fc.record({
      width: fc.integer({ min: 1, max: 4 }),
      up: fc.integer({ min: 1, max: 4 }),
      kind: fc.nat(3),
    });
    const rows = fc.array(fc.array(hole, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(rows, fc.nat(15), fc.nat(), (plate, way, first) => {
        const points: Point[] = [
          [0, 0, 0],
          [60, 0, 0],
          [60, 60, 0],
          [0, 60, 0],
        ];
        for (const [n, row] of plate.entries()) {
          const y = 50 - 10 * n;
          // From the left side to the first hole, from that to the next, and back below them.
          const back: Point[] = [];
          points.push([0, y, 0]);
          for (const [k, { width, up, kind }] of row.entries()) {
            const x = 10 * k + 5;
            const top: Point = [x + (kind & 1 ? width : 0), y + up, 0];
            const bottom: Point = [x + (kind & 2 ? width : 0), y - up, 0];
            points.push([x, y, 0], top, [x + width, y, 0]);
            back.unshift([x + width, y, 0], bottom, [x, y, 0]);
          }
          points.push(...back, [0, y, 0]);
        }
        expectCoversExactly(moved(points, way, first));
      }),
      { seed: SEED, numRuns: FEW_RUNS },
    );
  });

  test(`cuts any outline in n - 2 (seed ${SEED})`, { tags: ['quick', 'long'] }, () => {
    fc.assert(
      fc.property(outlines, (points) => {
        const faces = facesOf(points.length, monotoneDiagonals(outlineOf(points)));
        expect(faces.length).toBe(points.length - 2);
        expect(faces.filter(({ length }) => length !== 3)).toEqual([]);
      }),
      { seed: SEED, numRuns: FEW_RUNS },
    );
  });

  test.skipIf(!countsSteps).each<[string, Point[], boolean]>([
    ['a corridor that winds 2,500 times', corridor(50_000, 2500), true],
    ['a star', ring(50_000, (k) => (k % 2 === 0 ? 1 : 0.5)), true],
    ['a comb', comb(20_000), true],
    ['a crescent of a corridor', corridor(60_000, 0.5), true],
    ['a spiral that winds 500 times', corridor(100_000, 500).slice(0, 50_000), false],
  ])('takes over from earcut: %s', { tags: ['all'] }, (_, points, isSimple) => {
    let triangles: number[] = [];
    const steps = stepsOf(() => {
      triangles = triangulate(points);
    });
    // 1,000 pairs a side in search of a tangle; earcut would take billions.
    expect(steps).toBeLessThan(8000 * points.length);
    if (isSimple) expectCovers(points, triangles);
    else expectPartition(triangles, points.length);
  });
});
