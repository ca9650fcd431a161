/** Convex hulls, held to whole-number arithmetic: no point above any facet, a closed surface, and the extreme points alone. */

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OptionError } from '../../src/base/errors.ts';
import { convexHull, type Hull } from '../../src/mesh/hull.ts';
import { halfedges, previousInTriangle } from '../../src/mesh/topology.ts';
import { readObj } from '../../src/readers/obj/obj.ts';
import { long } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { commonIntegers } from '../support/rational.ts';
import { signedVolume } from '../support/shapes.ts';
import { countsSteps, stepsOf } from '../support/steps.ts';
import { analyseTopology } from '../support/topology.ts';

type Whole = readonly [bigint, bigint, bigint];

/** Every coordinate as a whole number of one common unit. */
function wholePoints(points: Float64Array): Whole[] {
  const q = commonIntegers(points);
  return Array.from({ length: q.length / 3 }, (_, p) => [q[3 * p], q[3 * p + 1], q[3 * p + 2]] as const);
}

const minus = (p: Whole, q: Whole): Whole => [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
const cross = (p: Whole, q: Whole): Whole => [
  p[1] * q[2] - p[2] * q[1],
  p[2] * q[0] - p[0] * q[2],
  p[0] * q[1] - p[1] * q[0],
];
const dot = (p: Whole, q: Whole): bigint => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
const isZero = (p: Whole): boolean => p.every((x) => x === 0n);
const sign = (x: bigint): number => (x > 0n ? 1 : x < 0n ? -1 : 0);
const name = (p: Whole): string => p.join();

/**
 * Brute force: the dimension, the planes that touch all points from one side with three of them or more, by the points in them,
 * and the extreme points, as texts. A point on fewer than three such planes is inside of an edge, a face or the hull.
 */
function bruteForce(points: Float64Array) {
  const unique = [...new Map(wholePoints(points).map((p) => [name(p), p])).values()];
  const faces = new Map<string, Whole[]>();
  let dimension = Math.min(unique.length, 2) - 1;
  for (let i = 0; i < unique.length; i++) {
    for (let j = i + 1; j < unique.length; j++) {
      for (let k = j + 1; k < unique.length; k++) {
        const normal = cross(minus(unique[j], unique[i]), minus(unique[k], unique[i]));
        if (isZero(normal)) continue;
        dimension = Math.max(dimension, 2);
        const sides = unique.map((p) => sign(dot(normal, minus(p, unique[i]))));
        if (sides.some((s) => s !== 0)) dimension = 3;
        if (sides.includes(1) && sides.includes(-1)) continue;
        const face = unique.filter((_, p) => sides[p] === 0);
        faces.set(face.map(name).sort().join(' '), face);
      }
    }
  }
  const facesAt = new Map<string, number>();
  for (const face of faces.values()) for (const p of face) facesAt.set(name(p), (facesAt.get(name(p)) ?? 0) + 1);
  const extreme = unique.map(name).filter((p) => (facesAt.get(p) ?? 0) > 2);
  return { dimension, faces: [...faces.values()], extreme };
}

/** What a hull must be whatever the points: closed, of genus 0, with facets that have no point above and edges that do not dent. */
function expectSolidHull(points: Float64Array, hull: Hull, sampled = Infinity) {
  const { dimension, vertices, triangles } = hull;
  expect(dimension).toBe(3);
  expect(triangles.length).toBe(3 * (2 * vertices.length - 4));
  const topology = analyseTopology({ positions: points, triangles });
  expect(topology).toMatchObject({
    vertices: vertices.length,
    components: 1,
    nonManifoldEdges: 0,
    nonManifoldVertices: 0,
    closed: true,
    consistentlyOriented: true,
    genus: 0,
    eulerCharacteristic: 2,
  });
  expect([...new Set(triangles)].sort((a, b) => a - b)).toEqual([...vertices]);

  const whole = wholePoints(points);
  const corners = (t: number) => [0, 1, 2].map((k) => whole[triangles[3 * t + k]]);
  const twin = halfedges(triangles, whole.length);
  const facets = triangles.length / 3;
  const everyFacet = Math.max(1, Math.floor(facets / Math.sqrt(sampled)));
  const everyPoint = Math.max(1, Math.floor(whole.length / Math.sqrt(sampled)));
  let above = 0;
  let dents = 0;
  for (let t = 0; t < facets; t++) {
    const [a, b, c] = corners(t);
    const normal = cross(minus(b, a), minus(c, a));
    if (isZero(normal)) dents++;
    for (let h = 3 * t; h < 3 * t + 3; h++) {
      const apex = whole[triangles[previousInTriangle(twin[h])]];
      if (dot(normal, minus(apex, a)) > 0n) dents++;
    }
    if (t % everyFacet !== 0) continue;
    for (let p = t % everyPoint; p < whole.length; p += everyPoint) {
      if (dot(normal, minus(whole[p], a)) > 0n) above++;
    }
  }
  expect({ above, dents }).toEqual({ above: 0, dents: 0 });
}

/** Whether the hull is the brute force's: its dimension, its extreme points, and a fan for every face. */
function expectBruteForce(points: Float64Array) {
  const hull = convexHull(points);
  const { dimension, faces, extreme } = bruteForce(points);
  const whole = wholePoints(points);
  expect(hull.dimension).toBe(dimension);
  const vertices = [...hull.vertices].map((p) => name(whole[p]));
  if (dimension < 3) return hull;
  expectSolidHull(points, hull);
  expect(vertices.sort()).toEqual(extreme.sort());
  for (const face of faces) {
    const inFace = new Set(face.map(name));
    let triangles = 0;
    for (let c = 0; c < hull.triangles.length; c += 3) {
      if ([0, 1, 2].every((k) => inFace.has(name(whole[hull.triangles[c + k]])))) triangles++;
    }
    expect(triangles).toBe(face.filter((p) => extreme.includes(name(p))).length - 2);
  }
  return hull;
}

const flat = (rows: readonly (readonly number[])[]) => Float64Array.from(rows.flat());

function onSphere(count: number, random: Random, scale = 1): Float64Array {
  const points = new Float64Array(3 * count);
  for (let at = 0; at < points.length; ) {
    const p = [random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)];
    const length = Math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    if (length > 1 || length < 0.1) continue;
    for (const x of p) points[at++] = (scale * x) / length;
  }
  return points;
}

/** m^3 points, moved by a matrix of three rows. */
function lattice(m: number, rows = [1, 0, 0, 0, 1, 0, 0, 0, 1]): Float64Array {
  const points: number[] = [];
  for (let i = 0; i < m; i++)
    for (let j = 0; j < m; j++)
      for (let k = 0; k < m; k++)
        for (let row = 0; row < 9; row += 3) points.push(rows[row] * i + rows[row + 1] * j + rows[row + 2] * k);
  return Float64Array.from(points);
}

function shuffled(points: Float64Array, random: Random): Float64Array {
  const order = Array.from({ length: points.length / 3 }, (_, p) => p);
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return flat(order.map((p) => [...points.subarray(3 * p, 3 * p + 3)]));
}

describe('small sets against brute force', { tags: ['all', 'long'] }, () => {
  const runs = long ? 6_700 : 100;

  test('points of a tiny lattice, seed 31: coplanar, collinear, equal ones', () => {
    const coordinate = fc.integer({ min: -1, max: 2 });
    const points = fc.array(fc.tuple(coordinate, coordinate, coordinate), { minLength: 0, maxLength: 12 });
    const dimensions = new Set<number>();
    fc.assert(
      fc.property(points, (rows) => {
        dimensions.add(expectBruteForce(flat(rows)).dimension);
      }),
      { seed: 31, numRuns: runs },
    );
    expect([...dimensions].sort()).toEqual([-1, 0, 1, 2, 3]);
  });

  test('full lattices of 2 to 4 points a side with holes, seed 32', () => {
    const random = seeded(32);
    for (let run = 0; run < (long ? 12 : 6); run++) {
      const side = 2 + (run % 3);
      const all = lattice(side);
      const kept = Array.from({ length: all.length / 3 }, (_, p) => [...all.subarray(3 * p, 3 * p + 3)]);
      expectBruteForce(flat(kept.filter(() => random.below(4) > 0)));
    }
  });

  test('doubles of any size, zeros and subnormals too, seed 33', () => {
    const double = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(0, -0, 1, -1, 5e-324, -5e-324, 2 ** -1022, Number.MAX_VALUE, -Number.MAX_VALUE),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(double, double, double), { maxLength: 8 }), (rows) => {
        expectBruteForce(flat(rows));
      }),
      { seed: 33, numRuns: runs / 5 },
    );
  });

  test('points that are coplanar but for the last bit, seed 34', () => {
    const random = seeded(34);
    for (let run = 0; run < runs / 5; run++) {
      const [u, v] = [random.between(-1, 1), random.between(-1, 1)];
      const ulp = () => 1 + 2 ** -52 * (random.below(5) - 2);
      const rows = Array.from({ length: 4 + random.below(8) }, () => {
        const [x, y] = [random.below(4) - 1.5, random.below(4) - 1.5];
        return [x * ulp(), y * ulp(), (u * x + v * y) * ulp()];
      });
      expectBruteForce(flat(rows));
    }
  });

  test('far from the origin, where differences round, seed 35', () => {
    const random = seeded(35);
    for (let run = 0; run < runs / 5; run++) {
      const rows = Array.from({ length: 4 + random.below(7) }, () =>
        [1e7, -3e5, 0.1].map((offset) => offset + random.between(-1, 1) * 2 ** -random.below(30)),
      );
      expectBruteForce(flat(rows));
    }
  });
});

describe('fewer dimensions', () => {
  test('none', { tags: ['all'] }, () => {
    expect(convexHull(new Float64Array(0))).toEqual({
      dimension: -1,
      vertices: new Uint32Array(0),
      triangles: new Uint32Array(0),
    });
  });

  test('a point, many times, with both zeros', { tags: ['all'] }, () => {
    const { dimension, vertices, triangles } = convexHull(Float64Array.of(0, 1, 2, -0, 1, 2, 0, 1, 2));
    expect([dimension, vertices.length, triangles.length]).toEqual([0, 1, 0]);
  });

  test('a line: its two ends', { tags: ['all'] }, () => {
    const points = flat([3, 1, 7, 7, 1, 0.5].map((t) => [0.1 * t, 0, 5 - 0.25 * t]));
    // 0.1 t is rounded: collinear are only points that are so as doubles.
    expect(convexHull(points).dimension).toBe(2);
    const exact = flat([3, 1, 7, 7, 1, 0.5].map((t) => [0.125 * t, 0, 5 - 0.25 * t]));
    const { dimension, vertices, triangles } = convexHull(exact);
    expect([dimension, vertices[1], triangles.length]).toEqual([1, 5, 0]);
    expect([2, 3]).toContain(vertices[0]);
  });

  test('polygons in planes of any slope, seed 36: strictly convex, around all points', {
    tags: ['all', 'long'],
  }, () => {
    const random = seeded(36);
    for (let run = 0; run < (long ? 170 : 25); run++) {
      const slope = [random.below(3) - 1, random.below(3) - 1, random.below(5) - 2];
      const turn = random.below(3);
      const rows = Array.from({ length: 3 + random.below(20) }, () => {
        const [x, y] = [random.below(6), random.below(6)];
        const p = [x, y, slope[0] * x + slope[1] * y + slope[2]];
        return [0, 1, 2].map((k) => p[(k + turn) % 3]);
      });
      const points = flat(rows);
      const { dimension, vertices, triangles } = convexHull(points);
      expect(dimension).toBe(bruteForce(points).dimension);
      if (dimension !== 2) continue;
      expect(triangles.length).toBe(3 * (vertices.length - 2));
      expect(vertices[0]).toBe(Math.min(...vertices));
      const whole = wholePoints(points);
      const polygon = [...vertices].map((p) => whole[p]);
      const [a, b, c] = polygon;
      const normal = cross(minus(b, a), minus(c, a));
      polygon.forEach((p, i) => {
        const next = polygon[(i + 1) % polygon.length];
        const inward = cross(normal, minus(next, p));
        // Of all the points only the edge's own may touch its line outside of the edge's ends.
        expect(whole.every((q) => dot(inward, minus(q, p)) >= 0n)).toBe(true);
        for (const [j, q] of polygon.entries()) {
          if (j !== i && j !== (i + 1) % polygon.length) expect(dot(inward, minus(q, p)) > 0n).toBe(true);
        }
      });
      for (let t = 0; t < triangles.length; t += 3) {
        const [p, q, r] = [0, 1, 2].map((k) => whole[triangles[t + k]]);
        expect(dot(cross(minus(q, p), minus(r, p)), normal) > 0n).toBe(true);
      }
      // Counter-clockwise along some axis.
      expect(normal.some((x) => x > 0n)).toBe(true);
    }
  });
});

describe('larger sets', () => {
  test('a tetrahedron faces outward', { tags: ['all'] }, () => {
    const points = Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1);
    const { vertices, triangles } = convexHull(points);
    expect([...vertices]).toEqual([0, 1, 2, 3]);
    expect(signedVolume({ positions: points, triangles })).toBeCloseTo(1 / 6, 15);
    const rows = [0, 3, 6, 9].map((at) => triangles.slice(at, at + 3).join(' '));
    expect(rows.sort()).toEqual(['0 1 3', '0 2 1', '0 3 2', '1 2 3']);
  });

  test.each([
    ['lattice', lattice(12), 8],
    ['sheared lattice', lattice(9, [1, 0.5, 0.25, 0, 1, 0.5, 0, 0, 1]), 8],
    ['turned lattice, rounded', lattice(12, [0.6, -0.8, 0, 0.48, 0.36, -0.8, 0.64, 0.48, 0.6]), null],
    ['octahedron full of points', lattice(13).map((x) => x - 6), null],
  ])('%s', { tags: ['all'] }, (title, points, corners) => {
    if (title.startsWith('octahedron')) {
      const rows = Array.from({ length: points.length / 3 }, (_, p) => [...points.subarray(3 * p, 3 * p + 3)]);
      points = flat(rows.filter((p) => p.reduce((sum, x) => sum + Math.abs(x), 0) <= 6));
      corners = 6;
    }
    const hull = convexHull(points);
    expectSolidHull(points, hull);
    if (corners !== null) expect(hull.vertices.length).toBe(corners);
  });

  test('spheres and their rounded lattice, seed 37', { tags: ['all', 'long'] }, () => {
    const random = seeded(37);
    for (const points of [
      onSphere(long ? 300 : 150, random),
      onSphere(long ? 700 : 350, random, 12).map(Math.round),
      onSphere(long ? 400 : 200, random, 1000).map(Math.round),
      onSphere(60, random, 1e300),
      onSphere(60, random, 1e-300),
      onSphere(long ? 300 : 150, random).map((x, i) => (i % 3 === 2 ? x * 1e-12 : x)),
    ]) {
      expectSolidHull(points, convexHull(points));
    }
  });

  const sides = long ? 240 : 120;
  test(`prisms, antiprisms and cones of ${sides} sides`, { tags: ['all', 'long'] }, () => {
    const ring = (z: number, phase: number) =>
      Array.from({ length: sides }, (_, i) => {
        const angle = (2 * Math.PI * (i + phase)) / sides;
        return [Math.cos(angle), Math.sin(angle), z];
      });
    const prism = flat([...ring(0, 0), ...ring(1, 0)]);
    const antiprism = flat([...ring(0, 0), ...ring(1, 0.5)]);
    const cone = flat([...ring(0, 0), [0.1, 0.2, 1]]);
    for (const points of [prism, antiprism, cone]) {
      const hull = convexHull(points);
      expectSolidHull(points, hull);
      expect(hull.vertices.length).toBe(points.length / 3);
    }
  });

  test('the vertices of meshes', { tags: ['all', 'long'] }, () => {
    for (const file of ['bunny', 'torus']) {
      const { positions } = readObj(readFileSync(`assets/${file}.obj`));
      const hull = convexHull(positions);
      expectSolidHull(positions, hull, long ? 1e6 : 1e5);
      expect(convexHull(positions)).toEqual(hull);
    }
  });

  test('extreme points do not depend on the order of the points, nor the hull on repeated ones, seed 38', {
    tags: ['all', 'long'],
  }, () => {
    const random = seeded(38);
    for (const points of [lattice(5), onSphere(300, random, 9).map(Math.round), onSphere(200, random)]) {
      const textsOf = (given: Float64Array) => {
        const hull = convexHull(given);
        expectSolidHull(given, hull);
        return [...hull.vertices].map((p) => given.subarray(3 * p, 3 * p + 3).join()).sort();
      };
      const expected = textsOf(points);
      for (let run = 0; run < (long ? 5 : 1); run++) {
        const twice = new Float64Array(2 * points.length);
        twice.set(points);
        twice.set(points, points.length);
        expect(textsOf(shuffled(points, random))).toEqual(expected);
        expect(textsOf(shuffled(twice, random))).toEqual(expected);
      }
    }
  });

  test('a 26-DOP: the directions, of unit length, are all corners', { tags: ['all'] }, () => {
    const directions: number[] = [];
    for (let code = 0; code < 27; code++) {
      const d = [(code % 3) - 1, (Math.floor(code / 3) % 3) - 1, Math.floor(code / 9) - 1];
      const length = Math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
      if (length > 0) directions.push(...d.map((x) => x / length));
    }
    const points = Float64Array.from(directions);
    const hull = convexHull(points);
    expectSolidHull(points, hull);
    expect(hull.vertices.length).toBe(26);
  });

  const count = long ? 34_000 : 2500;
  test.skipIf(!countsSteps)(
    `${count} points on a sphere, and on two rings, seed 39: the steps of a sort`,
    { tags: ['all', 'long'] },
    () => {
      const sphere = onSphere(count, seeded(39));
      const rings = new Float64Array(3 * count);
      for (let i = 0; i < count; i++) {
        const angle = (2 * Math.PI * i) / count;
        rings.set([Math.cos(angle), Math.sin(angle), i % 2], 3 * i);
      }
      for (const points of [sphere, rings]) {
        let hull!: Hull;
        const steps = stepsOf(() => {
          hull = convexHull(points);
        });
        expect(steps).toBeLessThan(100 * count * Math.log2(count));
        expectSolidHull(points, hull, long ? 1e6 : 1e5);
        expect(hull.vertices.length).toBe(count);
      }
    },
  );
});

test.each([
  [Float64Array.of(0, 0, 0, 1), /three coordinates a point, found 4 in all/],
  [Float64Array.of(0, 0, 0, 1, Number.NaN, 0), /point 1: coordinate NaN/],
  [Float64Array.of(0, 0, -Infinity), /point 0: coordinate -Infinity/],
])('refuses %s', { tags: ['all'] }, (points, message) => {
  expect(() => convexHull(points)).toThrow(OptionError);
  expect(() => convexHull(points)).toThrow(message);
});
