/** Normals for drawing: round shapes are smooth, flat faces flat, and no triangle moves. */
import { expect, test } from 'vitest';
import { creased } from '../../src/mesh/crease-normals.ts';
import type { Surface } from '../../src/mesh/topology.ts';
import { seeded } from '../support/random.ts';
import { box, bumpySphere, octasphere, randomTriangles, together } from '../support/shapes.ts';
import { countsSteps, stepsOf } from '../support/steps.ts';

type Vector = readonly number[];
const dot = (p: Vector, q: Vector): number => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
const vectorAt = (from: ArrayLike<number>, v: number): number[] => [from[3 * v], from[3 * v + 1], from[3 * v + 2]];

/** The normal of each triangle, times twice its area. */
function facesOf({ positions, triangles }: Surface): number[][] {
  return Array.from({ length: triangles.length / 3 }, (_, t) => {
    const [a, b, c] = [0, 1, 2].map((k) => vectorAt(positions, triangles[3 * t + k]));
    const [u, v] = [b, c].map((p) => p.map((x, k) => x - a[k]));
    return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  });
}

/** Places of the corners, triangle by triangle. */
const cornersOf = ({ positions, triangles }: Surface): number[][] =>
  Array.from(triangles, (v) => vectorAt(positions, v));

test('a box has a vertex for each corner of a face, with the normal of that face', () => {
  const solid = box(2);
  const round = creased(solid);
  expect(round.positions.length).toBe(3 * 24);
  facesOf(solid).forEach((face, t) => {
    const length = Math.sqrt(dot(face, face));
    for (let k = 0; k < 3; k++)
      expect(dot(vectorAt(round.normals, round.triangles[3 * t + k]), face) / length).toBeCloseTo(1, 6);
  });
});

test('a ball keeps its vertices, and their normals are those of the sphere', () => {
  const ball = octasphere(3);
  const { positions, triangles, normals } = creased(ball);
  expect(triangles).toEqual(ball.triangles);
  expect(positions.length).toBe(ball.positions.length);
  for (let v = 0; v < positions.length / 3; v++)
    expect(dot(vectorAt(positions, v), vectorAt(normals, v))).toBeGreaterThan(0.995);
});

test.each([81, 82, 83])('no triangle moves, and each part of a fan has its mean, seed %i', (seed) => {
  const whole = together(bumpySphere(seed, 2), box(3), randomTriangles(seed, 40, 12));
  const round = creased(whole);
  expect(cornersOf(round)).toEqual(cornersOf(whole));
  const faces = facesOf(whole);
  const sums = Array.from({ length: round.normals.length / 3 }, () => [0, 0, 0]);
  round.triangles.forEach((v, c) => {
    for (let k = 0; k < 3; k++) sums[v][k] += faces[Math.floor(c / 3)][k];
  });
  sums.forEach((sum, v) => {
    const length = Math.sqrt(dot(sum, sum));
    if (length > 1e-9) expect(dot(sum, vectorAt(round.normals, v)) / length).toBeCloseTo(1, 5);
  });
});

test.each([84, 85])('triangles that share a gentle edge share its vertices, seed %i', (seed) => {
  const whole = bumpySphere(seed, 2);
  const round = creased(whole);
  const faces = facesOf(whole);
  const leaving = new Map<string, number>();
  const next = (c: number): number => (c % 3 === 2 ? c - 2 : c + 1);
  whole.triangles.forEach((v, c) => {
    leaving.set(`${v} ${whole.triangles[next(c)]}`, c);
  });
  let [gentle, sharp] = [0, 0];
  whole.triangles.forEach((v, c) => {
    const twin = leaving.get(`${whole.triangles[next(c)]} ${v}`)!;
    const [m, n] = [faces[Math.floor(c / 3)], faces[Math.floor(twin / 3)]];
    // Cosine of 25 degrees, with room for rounding.
    const isGentle = dot(m, n) > 0.9064 * Math.sqrt(dot(m, m) * dot(n, n));
    const isJoined = round.triangles[c] === round.triangles[next(twin)];
    if (isGentle) expect(isJoined).toBe(true);
    if (isGentle) gentle++;
    else if (!isJoined) sharp++;
  });
  expect(gentle).toBeGreaterThan(20);
  expect(sharp).toBeGreaterThan(20);
});

test.skipIf(!countsSteps)('thousands of faces around a vertex take a few steps each, seed 86', () => {
  const random = seeded(86);
  const count = 6000;
  const points = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    const angle = (2 * Math.PI * i) / count;
    points.push(Math.cos(angle), Math.sin(angle), random.between(-1, 1));
  }
  const triangles = Uint32Array.from({ length: 3 * count }, (_, c) => {
    const i = Math.floor(c / 3);
    return [0, i + 1, ((i + 1) % count) + 1][c % 3];
  });
  expect(stepsOf(() => creased({ positions: Float64Array.from(points), triangles }))).toBeLessThan(300 * 3 * count);
});

test('triangles without an area have no say, and nothing is not a number', () => {
  const positions = Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 0, 0);
  const { normals } = creased({ positions, triangles: Uint32Array.of(0, 1, 2, 0, 1, 3, 1, 1, 1) });
  expect([...normals].every((x) => Number.isFinite(x))).toBe(true);
  expect(vectorAt(normals, 2)).toEqual([0, 0, 1]);
});
