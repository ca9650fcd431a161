/** Intersections of half-spaces, held to every triple of planes: closed, turned outward, with the right vertices. */
import { describe, expect, test } from 'vitest';
import { type Polytope, polytopeOf } from '../../src/mesh/polytope.ts';
import { DOP_SIZES, dopDirections } from '../../src/representations/kdop/tree/dop-directions.ts';
import { type Random, seeded } from '../support/random.ts';
import { signedVolume } from '../support/shapes.ts';
import { analyseTopology } from '../support/topology.ts';

type Point = number[];

const at = (flat: ArrayLike<number>, i: number): Point => [flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]];
const dot = (a: Point, b: Point): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Point, b: Point): Point => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** Where three planes meet and no half-space says no: the vertices, some of them several times. */
function bruteForce(normals: Float64Array, offsets: ArrayLike<number>, slack: number): Point[] {
  const found: Point[] = [];
  const count = normals.length / 3;
  for (let i = 0; i < count; i++) {
    for (let j = i + 1; j < count; j++) {
      for (let l = j + 1; l < count; l++) {
        const [a, b, c] = [at(normals, i), at(normals, j), at(normals, l)];
        const volume = dot(a, cross(b, c));
        if (Math.abs(volume) < 1e-6) continue;
        const rows = [cross(b, c), cross(c, a), cross(a, b)];
        const x = [0, 1, 2].map(
          (r) => (offsets[i] * rows[0][r] + offsets[j] * rows[1][r] + offsets[l] * rows[2][r]) / volume,
        );
        let holds = true;
        for (let m = 0; m < count && holds; m++) holds = dot(at(normals, m), x) <= offsets[m] + slack;
        if (holds) found.push(x);
      }
    }
  }
  return found;
}

function surfaceOf({ positions, triangles }: Polytope) {
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

/** Closed, outward, inside of all half-spaces, and as far as these let it in every direction. */
function expectRight(polytope: Polytope, normals: Float64Array, offsets: ArrayLike<number>, random: Random): void {
  const surface = surfaceOf(polytope);
  expect(analyseTopology(surface)).toMatchObject({
    components: 1,
    nonManifoldEdges: 0,
    nonManifoldVertices: 0,
    closed: true,
    consistentlyOriented: true,
    genus: 0,
    vertices: polytope.positions.length / 3,
  });
  expect(signedVolume(surface)).toBeGreaterThan(0);
  let size = 0;
  for (const x of polytope.positions) size = Math.max(size, Math.abs(x));
  const slack = 1e-12 * size;
  const vertices = Array.from({ length: polytope.positions.length / 3 }, (_, v) => at(polytope.positions, v));
  for (const vertex of vertices) {
    const distances = Array.from({ length: normals.length / 3 }, (_, i) => offsets[i] - dot(at(normals, i), vertex));
    expect(Math.min(...distances)).toBeGreaterThanOrEqual(-slack);
    // It lies in three faces.
    expect(distances.filter((d) => d <= slack).length).toBeGreaterThanOrEqual(3);
  }
  const expected = bruteForce(normals, offsets, slack);
  for (let i = 0; i < 30; i++) {
    const direction = [0, 0, 0].map(() => random.between(-1, 1));
    const most = (points: Point[]) => points.reduce((m, p) => Math.max(m, dot(p, direction)), Number.NEGATIVE_INFINITY);
    expect(Math.abs(most(vertices) - most(expected))).toBeLessThanOrEqual(4 * slack);
  }
}

const CUBE = dopDirections(6).vectors;

test('a cube: its eight corners, twelve triangles, to the bit', () => {
  const { positions, triangles } = polytopeOf(CUBE, Float64Array.of(1, 1, 1, 1, 1, 1), [0, 0, 0]);
  const corners = Array.from({ length: positions.length / 3 }, (_, v) => at(positions, v).join(' '));
  expect(corners.sort()).toEqual(
    [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => `${x} ${y} ${z}`))).sort(),
  );
  expect(triangles.length).toBe(36);
  expect(signedVolume(surfaceOf({ positions, triangles }))).toBe(8);
});

test('the 26-DOP round the unit ball: its vertices are the facets of the directions', () => {
  const { vectors, facets, rMax } = dopDirections(26);
  const offsets = new Float64Array(26).fill(1);
  const polytope = polytopeOf(vectors, offsets, [0, 0, 0]);
  expectRight(polytope, vectors, offsets, seeded(40));
  expect(polytope.positions.length).toBe(facets.length);
  const radii = Array.from({ length: polytope.positions.length / 3 }, (_, v) =>
    Math.hypot(...at(polytope.positions, v)),
  );
  expect(Math.max(...radii)).toBeCloseTo(rMax, 12);
  expect(Math.min(...radii)).toBeGreaterThan(1);
});

describe.each([...DOP_SIZES])('k = %i', (k) => {
  const { vectors } = dopDirections(k);

  test.each([41, 42, 43])('random offsets, some of them cut off by the others, seed %i', (seed) => {
    const random = seeded(seed + k);
    const inside = [0, 0, 0].map(() => random.between(-10, 10));
    const offsets = Float64Array.from(
      { length: k },
      (_, i) => dot(at(vectors, i), inside) + random.between(0.2, i < 6 ? 1 : 2),
    );
    expectRight(polytopeOf(vectors, offsets, inside), vectors, offsets, random);
  });

  test.each([44, 45])('planes that touch edges and corners of a box, seed %i', (seed) => {
    const random = seeded(seed + k);
    const half = [0, 0, 0].map(() => random.between(0.5, 1));
    const offsets = Float64Array.from({ length: k }, (_, i) => dot(at(vectors, i).map(Math.abs), half));
    const inside = half.map((h) => h * random.between(-0.9, 0.9));
    expectRight(polytopeOf(vectors, offsets, inside), vectors, offsets, random);
  });

  test.each([1e-3, 1e-6, 1e-9])('a slab %f thin', (thickness) => {
    const random = seeded(46 + k);
    for (let thin = 0; thin < k / 2; thin += 3) {
      const offsets = Float64Array.from({ length: k }, (_, i) =>
        i % (k / 2) === thin ? thickness : random.between(0.5, 1),
      );
      expectRight(polytopeOf(vectors, offsets, [0, 0, 0]), vectors, offsets, random);
    }
  });
});
