/** Samples that slide until no triangle of an image lies on its face. */
import { describe, expect, test } from 'vitest';
import { measureDeviation } from '../../../src/mesh/deviation.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import {
  type ChartSource,
  type SampledChart,
  sampleChart,
} from '../../../src/representations/gi/make/charts/sampled-chart.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import { quantise } from '../../../src/representations/gi/make/quantise.ts';
import { resample, surfaceAt } from '../../../src/representations/gi/make/resample.ts';
import { untangle } from '../../../src/representations/gi/make/untangle.ts';
import { toMesh } from '../../../src/representations/gi/tree/geometry-image.ts';
import { sizeOf } from '../../../src/representations/gi/tree/grid.ts';
import { verifyGeometryImage } from '../../../src/representations/gi/tree/verify.ts';
import { some } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';
import { bumpySphere, grid, mapped, type Point, thornyBall, torus } from '../../support/shapes.ts';

type Vector = [number, number, number];
const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = ([a, b, c]: Vector, [x, y, z]: Vector): Vector => [b * z - c * y, c * x - a * z, a * y - b * x];

/** Squared distance to a triangle: to its plane if the foot is inside, else to its nearest side. */
function distanceTo([a, b, c]: Vector[], p: Vector): number {
  const n = cross(minus(b, a), minus(c, a));
  const corners = [a, b, c];
  const isInside = corners.every((v, k) => dot(cross(minus(corners[(k + 1) % 3], v), minus(p, v)), n) >= 0);
  if (isInside && dot(n, n) > 0) return dot(n, minus(p, a)) ** 2 / dot(n, n);
  const sides = corners.map((v, k) => {
    const side = minus(corners[(k + 1) % 3], v);
    const t = Math.min(1, Math.max(0, dot(side, minus(p, v)) / (dot(side, side) || 1)));
    const rest = minus(p, [v[0] + t * side[0], v[1] + t * side[1], v[2] + t * side[2]]);
    return dot(rest, rest);
  });
  return Math.min(...sides);
}

const trianglesOf = ({ positions, triangles }: Pick<Mesh, 'positions' | 'triangles'>): Vector[][] =>
  Array.from({ length: triangles.length / 3 }, (_, t) =>
    [0, 1, 2].map((k) => Array.from(positions.slice(3 * triangles[3 * t + k], 3 * triangles[3 * t + k] + 3)) as Vector),
  );

/** Faces this near to the nearest one are as good as it. The shapes are 2 to 10 long. */
const AS_NEAR = 1e-7;

/** Part of the image whose triangles look away from the faces nearest to their centers, by area. */
function flippedPart(source: Pick<Mesh, 'positions' | 'triangles'>, image: Pick<Mesh, 'positions' | 'triangles'>) {
  const centerOf = ([a, b, c]: Vector[]) => [0, 1, 2].map((k) => (a[k] + b[k] + c[k]) / 3) as Vector;
  const length = (a: Vector) => Math.sqrt(dot(a, a));
  const faces = trianglesOf(source).map((corners) => {
    const center = centerOf(corners);
    const normal = cross(minus(corners[1], corners[0]), minus(corners[2], corners[0]));
    return { corners, center, normal, radius: Math.max(...corners.map((v) => length(minus(v, center)))) };
  });
  let [flipped, whole] = [0, 0];
  for (const triangle of trianglesOf(image)) {
    const [a, b, c] = triangle;
    const n = cross(minus(b, a), minus(c, a));
    whole += length(n);
    const p = centerOf(triangle);
    const beyond = faces.map(({ center, radius }) => length(minus(p, center)) - radius);
    let least = Number.POSITIVE_INFINITY;
    faces.forEach(({ corners }, f) => {
      if (beyond[f] < least) least = Math.min(least, Math.sqrt(distanceTo(corners, p)));
    });
    const isSeen = faces.some(
      ({ corners, normal }, f) =>
        beyond[f] <= least + AS_NEAR && dot(normal, n) >= 0 && Math.sqrt(distanceTo(corners, p)) <= least + AS_NEAR,
    );
    if (!isSeen) flipped += length(n);
  }
  return flipped / whole;
}

function sheet(n: number, place: (x: number, y: number) => Point): ChartSource {
  const { positions: flat, triangles } = grid(n);
  const places = Array.from({ length: flat.length / 3 }, (_, v) => [0, 1].map((k) => 2 * flat[3 * v + k] - 1));
  const positions = Float64Array.from(places.flatMap(([x, y]) => place(x, y)));
  const corners = Float64Array.from(Array.from(triangles).flatMap((v) => places[v]));
  const source = Int32Array.from({ length: triangles.length / 3 }, (_, t) => t);
  return { positions, triangles, corners, folded: false, source };
}

/** With the normal of the face that each sample lies on. */
function chartOf(source: ChartSource, exponent: number): SampledChart {
  const { positions, triangle } = sampleChart(source, sizeOf(exponent));
  const faces = trianglesOf({ positions: source.positions, triangles: Uint32Array.from(source.triangles) });
  const normals = Float64Array.from(
    Array.from(triangle).flatMap((t) => {
      const [a, b, c] = faces[t];
      const n = cross(minus(b, a), minus(c, a));
      return n.map((x) => x / Math.sqrt(dot(n, n)));
    }),
  );
  return { exponent, positions, normals, source };
}

function imageOf({ exponent, positions }: SampledChart) {
  const { geometry, origin, step } = quantise(positions);
  return toMesh({ groups: [{ exponent, count: 1, geometry }], quads: 4 ** exponent, origin, step } as never);
}

/**
 * A ring whose rows of samples lie close together in its middle, askew: chords of one row cut
 * through the row beside it.
 */
function askew(seed: number): ChartSource {
  const random = seeded(seed);
  const [slant, least, bend] = [random.between(0.1, 0.3), random.between(0.005, 0.02), random.between(0, 0.1)];
  return sheet(32, (x, y) => {
    const angle = -2.4 * (x + slant * y);
    const close = (1 - least) * Math.exp(-4 * x * x);
    const radius = 1 + 0.5 * ((1 - close) * y + close * y ** 3);
    return [radius * Math.cos(angle), radius * Math.sin(angle), bend * Math.cos(2 * angle) * radius];
  });
}

/** A ball with a thin arm along x; each seed has its own bumps and arm. */
function limb(seed: number): Mesh {
  const random = seeded(seed);
  const [length, width] = [random.between(2, 4), random.between(0.02, 0.05)];
  return mapped(bumpySphere(seed, 3), (x, y, z) => {
    const r = Math.sqrt(x * x + y * y + z * z);
    const arm = 1 + length * Math.exp((x / r - 1) / width);
    return [arm * x, y, z];
  });
}

const plate = (seed: number): Mesh => {
  const thin = seeded(seed).between(0.01, 0.03);
  return mapped(bumpySphere(seed, 3), (x, y, z) => [x, y, thin * z]);
};

describe('untangle', () => {
  test.each(some(2, [1, 2, 3, 4, 5, 6]))('turns back most of a ring, seed %i', { tags: ['all', 'long'] }, (seed) => {
    const source = askew(seed);
    const chart = chartOf(source, 4);
    const before = { ...chart, positions: chart.positions.slice() };
    untangle([chart]);
    const mesh = { positions: source.positions, triangles: Uint32Array.from(source.triangles) };
    const [was, is] = [before, chart].map((one) => flippedPart(mesh, imageOf(one)));
    expect(was).toBeGreaterThan(2e-4);
    expect(is).toBeLessThan(was / 2);
    for (let v = 0; v < 17 * 17; v++) {
      if (Math.floor(v / 17) % 16 !== 0 && (v % 17) % 16 !== 0) continue;
      expect(chart.positions.subarray(3 * v, 3 * v + 3)).toEqual(before.positions.subarray(3 * v, 3 * v + 3));
    }
    const again = { ...before, positions: before.positions.slice() };
    untangle([again]);
    expect(again.positions).toEqual(chart.positions);
  });

  test('moves nothing where nothing is flipped', () => {
    const chart = chartOf(
      sheet(16, (x, y) => [x, y, x * y]),
      5,
    );
    const before = chart.positions.slice();
    untangle([chart]);
    expect(chart.positions).toEqual(before);
  });

  test('finds samples at their places to the bit', () => {
    const source = askew(7);
    const { positions } = resample(source.positions, source.triangles, source, 33);
    const surface = surfaceAt(source, 32, new Uint8Array(32 * 32).fill(1));
    const found = new Float64Array(3);
    for (let v = 0; v < 33 * 33; v++) {
      expect(surface.at(Math.floor(v / 33), v % 33, found, 0)).toBe(true);
      expect(found).toEqual(positions.subarray(3 * v, 3 * v + 3));
    }
    expect(surfaceAt(source, 32, new Uint8Array(32 * 32)).at(1, 1, found, 0)).toBe(false);
  });

  const meshes: [string, number, (seed: number) => Mesh][] = [
    ['limb', 1, limb],
    ['plate', 2, plate],
    ['thorny ball', 3, thornyBall],
    ['limb', 4, limb],
    ['plate', 5, plate],
    ['thorny ball', 6, thornyBall],
  ];
  test.each(some(3, meshes))(
    '%s, seed %i: folds meet to the bit, bounds hold, hardly anything is flipped',
    { tags: ['all', 'long'] },
    (_, seed, make) => {
      const mesh = make(seed);
      const image = buildGeometryImage(mesh, { size: 65, charts: 'one' });
      const [{ geometry }] = image.groups;
      for (let j = 0; j <= 64; j++) {
        for (const [v, w] of [
          [j, 64 - j],
          [64 * 65 + j, 64 * 65 + 64 - j],
          [65 * j, 65 * (64 - j)],
          [65 * j + 64, 65 * (64 - j) + 64],
        ])
          expect(geometry.subarray(3 * v, 3 * v + 3)).toEqual(geometry.subarray(3 * w, 3 * w + 3));
      }
      expect(verifyGeometryImage(image).problems).toEqual([]);
      const { missing, excess } = image.tolerance as { missing: number; excess: number };
      const found = measureDeviation(mesh, toMesh(image), { samples: 10_000 });
      expect(found.maxAB).toBeLessThanOrEqual(missing);
      expect(found.maxBA).toBeLessThanOrEqual(excess);
      expect(flippedPart(mesh, toMesh(image))).toBeLessThan(2e-4);
    },
  );

  test('seams of several charts stay equal to the bit', { tags: ['all'] }, () => {
    const thin = mapped(torus(48, 24), (x, y, z) => [x, y, 0.02 * z]);
    const { groups, charts } = buildGeometryImage(thin, { size: 65, fit: 'off' });
    expect(charts).toBeGreaterThan(1);
    const edges = new Set<string>();
    for (const { geometry, exponent, count } of groups) {
      const last = 2 ** exponent;
      const sample = (chart: number, row: number, column: number): string => {
        const v = 3 * ((chart * (last + 1) + row) * (last + 1) + column);
        return geometry.subarray(v, v + 3).join(' ');
      };
      for (let chart = 0; chart < count; chart++) {
        const rim: string[] = [];
        for (let i = 0; i < last; i++) rim.push(sample(chart, 0, i));
        for (let i = 0; i < last; i++) rim.push(sample(chart, i, last));
        for (let i = 0; i < last; i++) rim.push(sample(chart, last, last - i));
        for (let i = 0; i < last; i++) rim.push(sample(chart, last - i, 0));
        rim.forEach((from, i) => {
          const to = rim[(i + 1) % rim.length];
          if (from !== to) edges.add(`${from}, ${to}`);
        });
      }
    }
    for (const edge of edges) expect(edges.has(edge.split(', ').reverse().join(', '))).toBe(true);
  });
});
