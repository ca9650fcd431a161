/** A build's progress never falls, ends at 1, and moves while it goes on. */
import { expect, test } from 'vitest';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import { buildGeometryImage, createStages, type GiBuildOptions } from '../../../src/representations/gi/make/index.ts';
import { some } from '../../support/long.ts';
import { icosphere, mapped, torus } from '../../support/shapes.ts';

/** A sphere with five thin limbs: charts are compared with its square. */
const limbs = (): Mesh =>
  mapped(icosphere(3), (x, y, z) => {
    const r = 1 + 8 * Math.max(0, Math.sin(5 * Math.atan2(y, x)) - 0.9) * Math.exp(-9 * z * z);
    return [r * x, r * y, r * z];
  });

const BUILDS: [string, () => Mesh, GiBuildOptions][] = [
  ['one square', () => icosphere(2), { size: 33 }],
  ['charts', () => torus(), { size: 33 }],
  ['a square and the charts that it is compared with', limbs, { size: 33, charts: 'best' }],
  ['sizes that are tried', () => torus(), { size: 'auto', psnr: 55 }],
];

test.each(some(2, BUILDS))('%s', { tags: ['all', 'long'] }, (_, shape, options) => {
  const heard: number[] = [];
  buildGeometryImage(shape(), { ...options, onProgress: (_stage, fraction) => heard.push(fraction) });
  for (let i = 1; i < heard.length; i++) expect(heard[i]).toBeGreaterThanOrEqual(heard[i - 1]);
  expect(heard[heard.length - 1]).toBeCloseTo(1, 9);
  expect(heard.length).toBeGreaterThan(5);
});

test('a stage that comes late moves yet, and leaves room for those behind it', () => {
  const heard: number[] = [];
  const tell = createStages((_, fraction) => heard.push(fraction));
  tell('embed', 1);
  tell('plan', 0);
  tell('plan', 0.5);
  tell('plan', 1);
  tell('charts', 1);
  tell('deviation', 1);
  expect(heard.map((fraction) => Math.round(1000 * fraction))).toEqual([750, 750, 813, 875, 938, 1000]);
});
