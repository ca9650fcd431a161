/** Subsampled images: their samples, seams, spheres and triangles, and checks of them against brute force. */
import { describe, expect, test } from 'vitest';
import '../../../src/representations/everything.ts';
import { OptionError } from '../../../src/base/errors.ts';
import { compose, identity, rotation, translation } from '../../../src/math/pose.ts';
import type { Surface } from '../../../src/mesh/topology.ts';
import { gi } from '../../../src/representations/gi/index.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import { type GeometryImage, toMesh } from '../../../src/representations/gi/tree/geometry-image.ts';
import { sizeOf, treePixels } from '../../../src/representations/gi/tree/grid.ts';
import { buildSphereTree } from '../../../src/representations/gi/tree/sphere-tree.ts';
import { lodWithin, subsample, toleranceOf } from '../../../src/representations/gi/tree/subsample.ts';
import { verifyGeometryImage } from '../../../src/representations/gi/tree/verify.ts';
import { expectAgreement, nearContact, randomDirection, randomRotation, shifted } from '../../support/agreement.ts';
import { squareImage, squareOf, withSquare } from '../../support/gi.ts';
import { long, some } from '../../support/long.ts';
import { bruteForce } from '../../support/oracle.ts';
import { type Random, seeded } from '../../support/random.ts';
import { bumpySphere, signedVolume, torus } from '../../support/shapes.ts';
import { countsSteps, stepsOf } from '../../support/steps.ts';
import { openEdges } from '../../support/topology.ts';

const fine = buildGeometryImage(bumpySphere(1, long ? 3 : 1), { size: 65, units: 'mm' });
const other = buildGeometryImage(bumpySphere(2, long ? 3 : 1), { size: 33, units: 'mm', spheres: 'seed' });

function noise(seed: number, exponent: number, values: number): GeometryImage {
  const random = seeded(seed);
  const geometry = Uint16Array.from({ length: 3 * sizeOf(exponent) ** 2 }, () => random.below(values));
  const grid = { origin: Float64Array.of(1e3 + 0.1, -7, 0), step: 1e-3 };
  const tree = buildSphereTree(geometry, exponent, grid);
  const header = { tool: 'test', source: null, units: null, options: {} };
  return squareImage({ exponent, ...grid, geometry, tree }, header);
}

/** The coarse surface straight from the fine one: every so-many-th vertex, each quad cut along its shorter diagonal. */
function coarseSurface(image: GeometryImage, m: number): Surface {
  const { positions } = toMesh(image);
  const { exponent, geometry } = squareOf(image);
  const size = sizeOf(exponent);
  const stride = (size - 1) / 2 ** m;
  const triangles: number[] = [];
  const between = (u: number, v: number) =>
    [0, 1, 2].reduce((sum, k) => sum + (geometry[3 * u + k] - geometry[3 * v + k]) ** 2, 0);
  for (let row = 0; row + stride < size; row += stride) {
    for (let column = 0; column + stride < size; column += stride) {
      const at = (r: number, c: number) => (row + r * stride) * size + column + c * stride;
      const [a, b, c, d] = [at(0, 0), at(0, 1), at(1, 0), at(1, 1)];
      triangles.push(...(between(a, d) <= between(b, c) ? [a, d, c, a, b, d] : [a, b, c, b, d, c]));
    }
  }
  return { positions, triangles: Uint32Array.from(triangles) };
}

/** Nine coordinates a triangle. */
const cornersOf = ({ positions, triangles }: Surface): number[] =>
  Array.from(triangles).flatMap((v) => Array.from(positions.subarray(3 * v, 3 * v + 3)));

/** Sample i of a side against sample size - 1 - i of the same side, on all four. */
function expectFolded(samples: Uint16Array, size: number): void {
  const last = size - 1;
  const sides = [
    (i: number) => i,
    (i: number) => last * size + i,
    (i: number) => i * size,
    (i: number) => i * size + last,
  ];
  const torn: number[] = [];
  for (const side of sides) {
    for (let i = 0; i < size; i++) {
      const [p, q] = [3 * side(i), 3 * side(last - i)];
      if ([0, 1, 2].some((k) => samples[p + k] !== samples[q + k])) torn.push(p / 3);
    }
  }
  expect(torn).toEqual([]);
  const corners = sides.flatMap((side) => [side(0), side(last)]).map((v) => samples.subarray(3 * v, 3 * v + 3).join());
  expect(new Set(corners).size).toBe(1);
}

describe.each([1, 2, 3, 4, 5])('of 65 samples to 2^%i + 1', (m) => {
  const coarse = subsample(fine, m);
  const square = squareOf(coarse);
  const size = sizeOf(m);

  test('samples are those of the fine image, bit for bit', { tags: ['all', 'long'] }, () => {
    expect(square.exponent).toBe(m);
    expect([coarse.origin, coarse.step]).toEqual([fine.origin, fine.step]);
    const stride = 64 / (size - 1);
    for (const role of ['geometry', 'normals'] as const) {
      const [from, to] = [squareOf(fine)[role] as Uint16Array, square[role] as Uint16Array];
      expect(to.length).toBe(3 * size * size);
      const isOther = to.findIndex((sample, i) => {
        const [v, k] = [Math.floor(i / 3), i % 3];
        return sample !== from[3 * (Math.floor(v / size) * stride * 65 + (v % size) * stride) + k];
      });
      expect(isOther).toBe(-1);
    }
    expect(cornersOf(toMesh(coarse))).toEqual(cornersOf(coarseSurface(fine, m)));
  });

  test('its seam is closed, and so is its surface', { tags: ['all'] }, () => {
    expectFolded(square.geometry, size);
    expectFolded(square.normals as Uint16Array, size);
    expect(openEdges(toMesh(coarse))).toBe(0);
    // One sample of the seam moved tears it.
    const torn = square.geometry.slice();
    torn[3] ^= 64;
    if (m > 1) expect(openEdges(toMesh(withSquare(coarse, { geometry: torn })))).toBeGreaterThan(0);
    // It still faces outward.
    expect(signedVolume(toMesh(coarse))).toBeGreaterThan(0);
  });

  test('its spheres hold its samples', { tags: ['all'] }, () => {
    const spheres = (4 ** (m + 1) - 1) / 3;
    expect(verifyGeometryImage(coarse)).toEqual({ checked: spheres, what: 'spheres', problems: [] });
    const page = square.tree.page.map((x, i) => (i % 4 === 3 ? Math.floor(0.97 * x) : x));
    const shrunken = withSquare(coarse, { tree: { ...square.tree, page } });
    expect(verifyGeometryImage(shrunken).problems.length).toBe(Math.min(20, spheres));
  });
});

test.each(some(1, [1, 2, 3]))('spheres hold samples of noise, seed %i', { tags: ['all', 'long'] }, (seed) => {
  for (const values of [65536, 9, 1]) {
    const image = noise(seed, 5, values);
    for (let m = 1; m < 5; m++) expect(verifyGeometryImage(subsample(image, m)).problems).toEqual([]);
  }
});

test('the finer, the nearer to the volume', { tags: ['all', 'long'] }, () => {
  const whole = signedVolume(toMesh(fine));
  const off = [1, 2, 3, 4, 5].map((m) => Math.abs(signedVolume(toMesh(subsample(fine, m))) / whole - 1));
  expect(off).toEqual([...off].sort((p, q) => q - p));
  expect(off[4]).toBeLessThan(0.01);
});

describe('checks of subsampled images', { tags: ['all', 'long'] }, () => {
  const seeds = Array.from({ length: long ? 14 : 1 }, (_, i) => 900 + i);
  test.each(seeds)('agree with brute force on the coarse triangles, seed %i', (seed) => {
    const random = seeded(seed);
    const levels = [
      [1, 1],
      [1, 4],
      [2, 3],
      [3, 9],
      [4, 2],
    ];
    for (const [m, k] of long ? levels : levels.slice(1, 3)) {
      const [a, b] = [subsample(fine, m), subsample(other, k)];
      const poseA = compose(translation(random.between(-9, 9), 2, -3), randomRotation(random));
      const start = compose(translation(poseA[3], poseA[7], poseA[11]), randomRotation(random));
      const direction = randomDirection(random);
      const [inside, outside] = nearContact(a, b, poseA, start, direction);
      const poses = [inside, outside, shifted(start, direction, random.between(0, 2))];
      const surfaces = [coarseSurface(fine, m), k < 5 ? coarseSurface(other, k) : toMesh(other)];
      const found = poses.map((poseB) => expectAgreement(a, b, poseA, poseB));
      expect(found).toEqual(poses.map((poseB) => bruteForce(surfaces[0], poseA, surfaces[1], poseB)));
      expect(found[0].length).toBeGreaterThan(0);
      expect(found[1].length).toBe(0);
    }
  });

  test('noise against noise, seed 5', () => {
    const [a, b] = [noise(5, 5, 3000), noise(6, 6, 3000)];
    const turn = compose(translation(1e3, -7, 0), compose(rotation(0, 0.6, 0.8, 40), translation(-1e3, 7, 0)));
    for (const [m, k] of [
      [2, 3],
      [3, 1],
    ].slice(0, long ? 2 : 1)) {
      expect(expectAgreement(subsample(a, m), subsample(b, k), identity(), turn).length).toBeGreaterThan(20);
    }
  });
});

describe('what is asked', { tags: ['all', 'long'] }, () => {
  test('m from the image on is the image itself', () => {
    for (const m of [6, 7, 13, 1e9]) expect(subsample(fine, m)).toBe(fine);
    expect(gi.own?.options?.lod?.instead?.(other, 5)).toBe(other);
    expect(gi.own?.options?.lod?.instead?.(other, 4)).toBe(subsample(other, 4));
  });

  test('the same image and m give the same object, others others', () => {
    expect(subsample(fine, 4)).toBe(subsample(fine, 4));
    expect(subsample(fine, 3)).not.toBe(subsample(fine, 4));
    const twin = { ...fine };
    expect(subsample(twin, 4)).not.toBe(subsample(fine, 4));
    expect(subsample(twin, 4)).toEqual(subsample(fine, 4));
  });

  test('in two steps as in one', () => {
    expect(squareOf(subsample(subsample(fine, 4), 2))).toEqual(squareOf(subsample(fine, 2)));
  });

  test('the fine image stays as it is; what its header says goes along', () => {
    const image = buildGeometryImage(bumpySphere(3, long ? 2 : 1), { size: 17, units: 'mm', spheres: 'seed' });
    const before = structuredClone(image);
    const coarse = subsample(image, 2);
    expect(image).toEqual(before);
    expect(gi.units(coarse)).toBe('mm');
    expect(coarse.header.options).toMatchObject({ size: 17, spheres: 'seed', lod: 2 });
    const { geometry, tree } = squareOf(coarse);
    expect(tree).toEqual(buildSphereTree(geometry, 2, coarse, 'seed'));
    expect(squareOf(subsample(withSquare(image, { normals: null }), 2)).normals).toBeNull();
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('m = %d is refused', (m) => {
    expect(() => subsample(fine, m)).toThrow(OptionError);
    expect(() => subsample(fine, m)).toThrow(`lod ${m}: expected a whole number from 1`);
  });
});

describe('how far a coarse image is from the whole one', { tags: ['all', 'long'] }, () => {
  const atlas = buildGeometryImage(torus(40, 24), { size: 33 });

  /** How far the farthest point of some is from the nearest of others. */
  const farthest = (some: Float64Array, others: Float64Array): number => {
    let most = 0;
    for (let p = 0; p < some.length; p += 3) {
      let least = Number.POSITIVE_INFINITY;
      for (let q = 0; q < others.length; q += 3) {
        const [x, y, z] = [0, 1, 2].map((k) => some[p + k] - others[q + k]);
        least = Math.min(least, x * x + y * y + z * z);
      }
      most = Math.max(most, least);
    }
    return Math.sqrt(most);
  };

  /** Points of every triangle: its corners, and some between. */
  const spread = ({ positions, triangles }: Surface, random: Random): Float64Array => {
    const points: number[] = [...positions];
    for (let t = 0; t < triangles.length; t += 3) {
      const [u, v] = [random.next(), random.next()];
      const weights = u + v > 1 ? [1 - u, 1 - v, u + v - 1] : [u, v, 1 - u - v];
      for (let k = 0; k < 3; k++)
        points.push(weights.reduce((sum, w, i) => sum + w * positions[3 * triangles[t + i] + k], 0));
    }
    return Float64Array.from(points);
  };

  test.each(
    some(1, [
      [other, 3, 7],
      [other, 1, 8],
      [other, 4, 9],
      [atlas, 3, 10],
      [atlas, 2, 11],
    ] as const),
  )('neither reaches farther than the tolerance says, image %#', (image, m, seed) => {
    const random = seeded(seed);
    const coarse = subsample(image, m);
    const most = coarse.tolerance!.missing - image.tolerance!.missing;
    expect(coarse.tolerance!.excess - image.tolerance!.excess).toBeCloseTo(most, 12);
    const [whole, less] = [toMesh(image), toMesh(coarse)];
    const apart = farthest(whole.positions, spread(less, random));
    expect(apart).toBeLessThanOrEqual(most);
    expect(farthest(spread(less, random), whole.positions)).toBeLessThanOrEqual(most);
    // No more than the spheres need: a few of what a vertex is off.
    expect(most).toBeLessThan(40 * apart);
  });

  test('a length chooses the least m that keeps it', () => {
    const spheres = { exponent: 5, radiusSteps: squareOf(other).tree.radiusSteps };
    const off = (m: number): number =>
      (toleranceOf(spheres, m, { missing: 0, excess: 0 }) as { missing: number }).missing;
    for (const length of [9, 0.5, 0.2, 0.1, 0.01, 0]) {
      const m = lodWithin(spheres, length);
      expect(off(m)).toBeLessThanOrEqual(length);
      if (m > 1) expect(off(m - 1)).toBeGreaterThan(length);
      expect(gi.own?.options?.maxError?.instead?.(other, length)).toBe(subsample(other, m));
    }
    expect(lodWithin(spheres, 0)).toBe(5);
    for (const wrong of [-1, Number.NaN, '1'])
      expect(() => lodWithin(spheres, wrong)).toThrow(/^maxError .*: expected a length from 0|^maxError/);
  });
});

test.skipIf(!countsSteps)(
  `${long ? 2049 : 1025} samples to 65 take the steps that 129 to 65 take`,
  { tags: ['all', 'long'] },
  () => {
    const ramp = (exponent: number): GeometryImage => {
      const size = sizeOf(exponent);
      const geometry = new Uint16Array(3 * size * size);
      for (let v = 0; v < size * size; v++) {
        const [row, column] = [Math.floor(v / size), v % size].map((x) => x << (11 - exponent));
        geometry[3 * v] = 31 * row;
        geometry[3 * v + 1] = 31 * column;
        geometry[3 * v + 2] = (row * column) >> 6;
      }
      // Its own tree is not looked at.
      const tree = { page: new Uint16Array(4 * treePixels(exponent)), radiusSteps: new Float64Array(exponent + 1) };
      return squareImage({ ...fine, exponent, geometry, tree });
    };
    const [small, large] = [ramp(7), ramp(long ? 11 : 10)];
    subsample(ramp(7), 6).groups; // what is made once
    const steps = stepsOf(() => subsample(small, 6).groups);
    expect(stepsOf(() => subsample(large, 6).groups)).toBeLessThan(1.1 * steps);
    expect(verifyGeometryImage(subsample(large, 6)).problems).toEqual([]);
  },
);
