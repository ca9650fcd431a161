/** Atlases with fewer samples: their seams are closed at every level, whatever sizes their charts have. */
import { describe, expect, test } from 'vitest';
import '../../../src/representations/everything.ts';
import { identity } from '../../../src/math/pose.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import type { Surface } from '../../../src/mesh/topology.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import { chartOf, type GeometryImage, toMesh } from '../../../src/representations/gi/tree/geometry-image.ts';
import { sizeOf } from '../../../src/representations/gi/tree/grid.ts';
import { stitchCharts } from '../../../src/representations/gi/tree/stitch.ts';
import { subsample, subsampleWithin } from '../../../src/representations/gi/tree/subsample.ts';
import { verifyGeometryImage } from '../../../src/representations/gi/tree/verify.ts';
import { expectAgreement, nearContact, randomDirection, randomRotation } from '../../support/agreement.ts';
import { long, some } from '../../support/long.ts';
import { type Random, seeded } from '../../support/random.ts';
import {
  bumpySphere,
  cubesSurface,
  grid,
  kleinBottle,
  mapped,
  openCylinder,
  piercedSphere,
  signedVolume,
  together,
  torus,
} from '../../support/shapes.ts';
import { openEdges } from '../../support/topology.ts';

/** A plate of cubes with holes, its rows of different widths: closed, of genus `holes`. */
function plate(seed: number, holes: number): Mesh {
  const random = seeded(seed);
  const cells: [number, number, number][] = [];
  for (let x = 0; x < 2 * holes + 1; x++) for (let y = 0; y < 3; y++) if (y !== 1 || x % 2 === 0) cells.push([x, y, 0]);
  const widths = Array.from({ length: 2 * holes + 2 }, () => random.between(0.1, 3));
  const places = widths.map((_, i) => widths.slice(0, i).reduce((a, b) => a + b, 0));
  return mapped(cubesSurface(cells), (x, y, z) => [places[x], y * (1 + 0.2 * places[x]), z * random.between(0.5, 2)]);
}

/** One that is smaller, and elsewhere. */
const apart = (mesh: Surface, scale: number, at: number): Mesh =>
  mapped(mesh, (x, y, z) => [at + scale * x, scale * y, scale * z]);

const sizesOf = ({ groups }: GeometryImage): number[] => groups.map(({ exponent }) => exponent);

/** The images of 2^m + 1 samples, for every m. */
const coarserOf = (image: GeometryImage): GeometryImage[] =>
  Array.from({ length: image.groups[0].exponent - 1 }, (_, i) => subsample(image, i + 1));

/** Its charts are of several sizes, and none is exact. */
const SEVERAL = together(torus(48, 24), apart(torus(40, 20), 0.3, -2), apart(bumpySphere(1, 3), 0.5, 3));

const closed: [string, number, Mesh][] = [
  ['genus 2 and 1, seed 3', 65, together(plate(3, 2), apart(torus(16, 8), 0.3, -2))],
  ['genus 1, seed 1', 33, plate(1, 1)],
  ['genus 0 twice and 1', 33, together(bumpySphere(1, 2), apart(bumpySphere(2, 1), 0.2, 3), apart(torus(), 0.5, -3))],
  ['genus 3, seed 4', 65, plate(4, 3)],
  ['genus 5, seed 5', 129, plate(5, 5)],
  ['a torus', 65, torus(48, 24)],
  ...Array.from({ length: 12 }, (_, i): [string, number, Mesh] => [
    `genus ${i % 6}, seed ${20 + i}`,
    i % 2 === 0 ? 65 : 33,
    plate(20 + i, i % 6),
  ]),
];

test.each(some(3, closed))('%s: closed at every level', { tags: ['all', 'long'] }, (_, size, mesh) => {
  const image = buildGeometryImage(mesh, { size });
  expect(openEdges(toMesh(image))).toBe(0);
  const levels = coarserOf(image);
  expect(levels.map((coarse) => openEdges(toMesh(coarse)))).toEqual(levels.map(() => 0));
  expect(levels.flatMap((coarse) => verifyGeometryImage(coarse).problems)).toEqual([]);
  for (const [i, coarse] of levels.entries()) {
    expect(coarse.charts).toBe(image.charts);
    expect(coarse.header.options.lod).toBe(i + 1);
    // Fewer samples, but where seams ask for them.
    expect(coarse.quads).toBeLessThan(image.quads);
    if (i > 0) expect(coarse.quads).toBeGreaterThanOrEqual(levels[i - 1].quads);
  }
});

test('the charts of this one are of several sizes, at coarser levels too', { tags: ['all'] }, () => {
  const image = buildGeometryImage(SEVERAL, { size: 65 });
  expect(sizesOf(image).length).toBeGreaterThan(2);
  expect(coarserOf(image).filter((coarse) => sizesOf(coarse).length > 1).length).toBeGreaterThan(0);
});

test('one sample of a coarse seam moved tears it', { tags: ['all'] }, () => {
  const image = subsample(buildGeometryImage(SEVERAL, { size: 65 }), 3);
  const [group, ...others] = image.groups;
  const geometry = group.geometry.slice();
  geometry[0] ^= 512;
  expect(openEdges(toMesh({ ...image, groups: [{ ...group, geometry }, ...others] }))).toBeGreaterThan(0);
});

/** The points, by their coordinates, of directed edges that are not met in the other direction. */
function rimOf({ positions, triangles }: Surface): Set<string> {
  const balance = new Map<string, number>();
  const place = (v: number) => positions.subarray(3 * v, 3 * v + 3).join();
  for (let h = 0; h < triangles.length; h++) {
    const [from, to] = [place(triangles[h]), place(triangles[h % 3 === 2 ? h - 2 : h + 1])];
    const [key, sign] = from < to ? [`${from} ${to}`, 1] : [`${to} ${from}`, -1];
    if (from !== to) balance.set(key, (balance.get(key) ?? 0) + sign);
  }
  return new Set([...balance].flatMap(([key, sum]) => (sum === 0 ? [] : key.split(' '))));
}

test.each(
  some(2, [
    ['a cylinder', together(openCylinder(24, 6), apart(torus(), 0.3, 3))],
    [
      'a sheet',
      together(
        mapped(grid(12), (x, y) => [3 * x, y, x * y]),
        apart(torus(), 0.3, 5),
      ),
    ],
    ['a sphere with holes', together(piercedSphere(), apart(torus(), 0.3, 5))],
  ] as [string, Mesh][]),
)('%s: what is open was open before', { tags: ['all', 'long'] }, (_, mesh) => {
  const image = buildGeometryImage(mesh, { size: 33 });
  const rim = rimOf(toMesh(image));
  expect(rim.size).toBeGreaterThan(8);
  for (const coarse of coarserOf(image)) {
    const coarseRim = rimOf(toMesh(coarse));
    expect([...coarseRim].filter((place) => !rim.has(place))).toEqual([]);
    expect(coarseRim.size).toBeGreaterThan(2);
  }
});

test('of one side: every edge is met an even number of times', () => {
  const image = buildGeometryImage(kleinBottle(), { size: 33 });
  for (const coarse of [image, ...coarserOf(image)]) {
    const { positions, triangles } = toMesh(coarse);
    const place = (v: number) => positions.subarray(3 * v, 3 * v + 3).join();
    const met = new Map<string, number>();
    for (let h = 0; h < triangles.length; h++) {
      const ends = [place(triangles[h]), place(triangles[h % 3 === 2 ? h - 2 : h + 1])].sort();
      if (ends[0] !== ends[1]) met.set(ends.join(' '), (met.get(ends.join(' ')) ?? 0) + 1);
    }
    expect([...met.values()].filter((count) => count % 2 === 1)).toEqual([]);
  }
});

test('squares among the charts keep every so-many-th sample, bit for bit', { tags: ['all'] }, () => {
  const image = buildGeometryImage(together(bumpySphere(1, 2), apart(bumpySphere(2, 2), 1, 4)), { size: 33 });
  expect(image.charts).toBe(2);
  for (const m of [1, 2, 3]) {
    const { charts } = stitchCharts(image, m);
    charts.forEach(({ exponent, geometry }, index) => {
      expect(exponent).toBe(m);
      const fine = chartOf(image, index);
      const stride = 1 << (fine.exponent - m);
      const size = sizeOf(m);
      const isOther = geometry.findIndex((sample, i) => {
        const [row, column] = [Math.floor(i / 3 / size), Math.floor(i / 3) % size];
        return sample !== fine.geometry[3 * stride * (row * sizeOf(fine.exponent) + column) + (i % 3)];
      });
      expect(isOther).toBe(-1);
    });
  }
});

test('the finer, the nearer to the volume', { tags: ['all'] }, () => {
  const image = buildGeometryImage(torus(48, 24), { size: 65 });
  const whole = signedVolume(toMesh(image));
  const off = coarserOf(image).map((coarse) => Math.abs(signedVolume(toMesh(coarse)) / whole - 1));
  expect(off).toEqual([...off].sort((p, q) => q - p));
  expect(off.at(-1)).toBeLessThan(0.02);
});

describe('how far it is', () => {
  /** Points of every triangle. */
  const spread = ({ positions, triangles }: Surface, random: Random): number[][] =>
    Array.from({ length: triangles.length / 3 }, (_, t) => {
      const [u, v] = [random.next(), random.next()];
      const weights = u + v > 1 ? [1 - u, 1 - v, u + v - 1] : [u, v, 1 - u - v];
      return [0, 1, 2].map((k) => weights.reduce((sum, w, i) => sum + w * positions[3 * triangles[3 * t + i] + k], 0));
    });

  /** How far the farthest of some points is from the nearest corner of a surface. */
  const farthest = (points: number[][], { positions }: Surface): number =>
    Math.sqrt(
      points.reduce((most, [x, y, z]) => {
        let least = Number.POSITIVE_INFINITY;
        for (let q = 0; q < positions.length; q += 3) {
          const [dx, dy, dz] = [positions[q] - x, positions[q + 1] - y, positions[q + 2] - z];
          least = Math.min(least, dx * dx + dy * dy + dz * dz);
        }
        return Math.max(most, least);
      }, 0),
    );

  test.each(some(1, [11, 12, 13]))(
    'no point of either is farther than the tolerance says, seed %i',
    { tags: ['all', 'long'] },
    (seed) => {
      const random = seeded(seed);
      const image = buildGeometryImage(together(torus(40, 24), apart(plate(seed, 2), 0.1, 3)), { size: 33 });
      const whole = toMesh(image);
      // From a point of a surface to its nearest corner.
      for (const coarse of coarserOf(image)) {
        const less = toMesh(coarse);
        const most = coarse.tolerance!.missing - image.tolerance!.missing;
        expect(coarse.tolerance!.excess - image.tolerance!.excess).toBeCloseTo(most, 12);
        expect(farthest(spread(less, random), whole)).toBeLessThanOrEqual(
          most + farthest(spread(whole, random), whole),
        );
        expect(farthest(spread(whole, random), less)).toBeLessThanOrEqual(most + farthest(spread(less, random), less));
      }
    },
  );

  test('a length chooses the least m that keeps it', { tags: ['all'] }, () => {
    const image = buildGeometryImage(torus(40, 24), { size: 65 });
    const off = (m: number): number => subsample(image, m).tolerance!.missing - image.tolerance!.missing;
    for (const length of [2, 1, 0.5, 0.2]) {
      const coarse = subsampleWithin(image, length);
      const m = coarse === image ? image.groups[0].exponent : Number(coarse.header.options.lod);
      expect(off(m)).toBeLessThanOrEqual(length);
      if (m > 1) expect(off(m - 1)).toBeGreaterThan(length);
    }
    expect(subsampleWithin(image, 0)).toBe(image);
  });
});

test.each(some(1, [21, 22, 23, 24]))(
  'checks agree with brute force on its triangles, seed %i',
  { tags: ['all', 'long'] },
  (seed) => {
    const random = seeded(seed);
    const image = buildGeometryImage(together(plate(seed, 1), apart(torus(), 0.5, -2)), { size: 33 });
    const other = buildGeometryImage(torus(24, 12), { size: 33 });
    for (const [m, k] of long
      ? [
          [1, 3],
          [2, 2],
          [3, 1],
        ]
      : [[2, 2]]) {
      const [a, b] = [subsample(image, m), subsample(other, k)];
      const direction = randomDirection(random);
      const [inside, outside] = nearContact(a, b, identity(), randomRotation(random), direction);
      expect(expectAgreement(a, b, identity(), inside).length).toBeGreaterThan(0);
      expect(expectAgreement(a, b, identity(), outside).length).toBe(0);
    }
  },
);
