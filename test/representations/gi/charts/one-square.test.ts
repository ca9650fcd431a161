/** Which surfaces become one square, which charts, and what is said of it. */

import { describe, expect, test } from 'vitest';
import { MeshError, OptionError } from '../../../../src/base/errors.ts';
import { measureDeviation } from '../../../../src/mesh/deviation.ts';
import type { Mesh } from '../../../../src/mesh/mesh.ts';
import { CHART_CHOICES, type ChartChoice } from '../../../../src/representations/gi/make/charts/one-square.ts';
import { buildGeometryImage } from '../../../../src/representations/gi/make/index.ts';
import { toMesh } from '../../../../src/representations/gi/tree/geometry-image.ts';
import {
  bumpySphere,
  doubleTorus,
  icosphere,
  mapped,
  octasphere,
  openCylinder,
  randomTriangles,
  torus,
  twoBoxes,
} from '../../../support/shapes.ts';

/** A sphere with thin limbs: closed, of genus 0, and poor as one square where they are many. */
function limbs(length: number, count = 24, sharpness = 150): Mesh {
  const tips = Array.from({ length: count }, (_, k) => {
    const z = (2 * k + 1) / count - 1;
    return [Math.sqrt(1 - z * z) * Math.cos(2.4 * k), Math.sqrt(1 - z * z) * Math.sin(2.4 * k), z];
  });
  return mapped(octasphere(5), (x, y, z) => {
    const near = tips.reduce((sum, [a, b, c]) => sum + Math.exp(sharpness * (a * x + b * y + c * z - 1)), 0);
    const r = 1 + length * near;
    return [r * x, r * y, r * z];
  });
}

const layoutOf = (mesh: Mesh, charts: ChartChoice, size = 33) => {
  const image = buildGeometryImage(mesh, { charts, size });
  return { charts: image.charts, ...image.header.options } as Record<string, number | string>;
};

describe('one', () => {
  test.each<[string, () => Mesh, string]>([
    ['a torus', () => torus(), '1 component, genus 1, no hole'],
    ['two handles', () => doubleTorus(), '1 component, genus 2, no hole'],
    ['an open cylinder', () => openCylinder(), '1 component, genus 0, 2 holes'],
    ['boxes', () => twoBoxes(), '2 components, genus 0, no hole'],
  ])('%s is refused by its topology', (_, shape, topology) => {
    const build = () => buildGeometryImage(shape(), { charts: 'one', size: 33 });
    expect(build).toThrow(MeshError);
    expect(build).toThrow(`expected a closed surface of genus 0 in one component, found ${topology}`);
  });

  test('however poor it is', { tags: ['all'] }, () => {
    expect(layoutOf(limbs(6, 200, 600), 'one').layout).toMatch(
      /^one square: closed, genus 0, \d\d\.\d dB as one at 257$/,
    );
  });
});

describe('auto', () => {
  test('one square from 72 dB on, charts below, whatever the size', { tags: ['long'] }, () => {
    for (const size of [17, 33]) {
      const good = layoutOf(limbs(0.3), 'auto', size);
      expect(good.layout).toMatch(/^one square: closed, genus 0($|, (7[2-9]|[89]\d)\.\d dB)/);
    }
    // Of 24 limbs one square has 78 dB, where it had less than 72 by lengths alone.
    expect(layoutOf(limbs(6), 'auto').layout).toMatch(/^one square: /);
    const poor = layoutOf(limbs(6, 200, 600), 'auto', 65);
    expect(poor.layout).toMatch(/^charts: (closed, genus 0, (6\d|7[01])\.\d dB|flat faces, exact)/);
  });

  test('any other surface says what it is, and the choice is recorded', () => {
    expect(layoutOf(torus(24, 12), 'auto')).toMatchObject({
      charts: 'auto',
      layout: 'charts: 1 component, genus 1, no hole',
    });
  });
});

test('best compares in every case, and is no worse than one square', { tags: ['long'] }, () => {
  const mesh = bumpySphere(3, 4);
  const [best, one] = (['best', 'one'] as const).map((charts) => buildGeometryImage(mesh, { charts, size: 65 }));
  const [psnr, least] = [best, one].map((image) => measureDeviation(mesh, toMesh(image)).psnr);
  expect(psnr).toBeGreaterThan(least - 0.1);
  expect(best.header.options.charts).toBe('best');
  expect(best.header.options.layout).toMatch(/^(one square|charts): closed, genus 0/);
});

test('samples go where the surface bends: 24 limbs in one square of 65', { tags: ['long'] }, () => {
  const mesh = limbs(6);
  const image = buildGeometryImage(mesh, { charts: 'one', size: 65 });
  const { psnr, maxAB, diagonal } = measureDeviation(mesh, toMesh(image), { samples: 10_000 });
  // Measured 57.1; 164 charts had 53.6, by lengths alone, and missed a tip by 4.5 % of the size.
  expect(psnr).toBeGreaterThan(56);
  expect(maxAB).toBeLessThan(0.03 * diagonal);
  expect(maxAB).toBeLessThanOrEqual(image.tolerance!.missing);
});

test.each(CHART_CHOICES)('%s: the same bytes twice', { tags: ['all'] }, (charts) => {
  const [one, two] = [0, 1].map(() => buildGeometryImage(bumpySphere(7, 3), { charts, size: 33 }));
  expect(two.groups.map(({ geometry }) => geometry)).toEqual(one.groups.map(({ geometry }) => geometry));
  expect(two.header).toEqual(one.header);
});

test('any other word is refused', () => {
  const charts = 'two' as ChartChoice;
  expect(() => buildGeometryImage(icosphere(1), { charts })).toThrow(
    new OptionError('charts two: expected one, auto or best'),
  );
});

test('segments and points that no triangle holds become charts: nothing is missing, seed 3', () => {
  const mesh = randomTriangles(3, 60, 30);
  const far = mesh.positions.length / 3;
  const positions = Float64Array.of(...mesh.positions, 5, 5, 5, 6, 5, 5, -4, 0, 0);
  const [a, b, c] = mesh.triangles;
  const lost = [far, far + 1, far + 1, far + 2, far + 2, far + 2, a, b, b, c, c, c];
  const image = buildGeometryImage(
    { ...mesh, positions, triangles: Uint32Array.of(...mesh.triangles, ...lost) },
    { size: 65 },
  );
  expect(image.tolerance!.missing).toBeLessThan(0.5);
  const without = buildGeometryImage(mesh, { size: 65 });
  expect(image.charts).toBe(without.charts + 2);
});
