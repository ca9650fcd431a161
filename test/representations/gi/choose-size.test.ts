/** The size that a build chooses: the smallest that is good enough, by building all of them. */
import { expect, test } from 'vitest';
import { measureDeviation } from '../../../src/mesh/deviation.ts';
import { diagonalOf } from '../../../src/mesh/extent.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import { buildGeometryImage, type GiBuildOptions } from '../../../src/representations/gi/make/index.ts';
import { type GeometryImage, toMesh } from '../../../src/representations/gi/tree/geometry-image.ts';
import { box, bumpySphere, collinearTriangles, icosphere, mapped, torus } from '../../support/shapes.ts';

const SIZES = [17, 33, 65, 129, 257];

interface Found {
  image: GeometryImage;
  decibels: number;
  part: number;
}

function at(mesh: Mesh, options: GiBuildOptions): Found {
  const image = buildGeometryImage(mesh, options);
  const { psnr } = measureDeviation(mesh, toMesh(image), { samples: 40_000, seed: 44 });
  const { missing, excess } = image.tolerance!;
  return { image, decibels: psnr, part: Math.max(missing, excess) / diagonalOf(mesh) };
}

/** The rule of the size auto, by images of all sizes. */
function smallest(found: readonly Found[]): number {
  const is = ({ decibels, part }: Found, i: number): boolean =>
    i === SIZES.length - 1 || (decibels >= 78 && part <= 0.002) || found[i + 1].decibels - decibels < 0.5;
  return SIZES[found.findIndex(is)];
}

const cases: [string, () => Mesh, GiBuildOptions][] = [
  ['a ball', () => icosphere(4), {}],
  ['a ball, not fitted', () => icosphere(4), { fit: 'off' }],
  ['a bumpy ball of seed 44, not fitted', () => bumpySphere(44), { fit: 'off' }],
  ['a torus, not fitted', () => torus(40, 24), { fit: 'off' }],
];

test.each(cases)(
  '%s: as the rule has it, and the image of that size',
  { tags: ['all'], timeout: 120_000 },
  (_, make, options) => {
    const mesh = make();
    const found = SIZES.map((size) => at(mesh, { ...options, size }));
    const chosen = buildGeometryImage(mesh, options);
    const size = smallest(found);
    expect(chosen.header.options).toMatchObject({ size: 'auto', chosen: size });
    const { image } = found[SIZES.indexOf(size)];
    expect(image.header.options).toMatchObject({ size });
    expect(image.header.options.chosen).toBeUndefined();
    // Plans of several charts depend on the size that is asked for.
    if (image.charts === 1) expect(toMesh(chosen).positions).toEqual(toMesh(image).positions);
  },
);

test.each<[string, () => Mesh]>([
  ['a wire thinner than a step', () => box(1, 1e-9, 1e-9)],
  ['a corner far away', () => mapped(box(), (x, y, z) => (x + y + z > 1 ? [1e40, 1e40, 1e40] : [x, y, z]))],
  ['collinear triangles', collinearTriangles],
])('%s has an image without area', (_, make) => {
  const image = buildGeometryImage(make());
  expect(image.header.options).toMatchObject({ size: 'auto' });
  expect(image.tolerance!.missing).toBeLessThan(3 * image.step);
});
