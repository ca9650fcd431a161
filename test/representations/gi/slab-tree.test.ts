/** Slabs: what a pixel decodes to, that every decoded vertex is between its nodes' planes in exact arithmetic, files with them and without, and lies. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import '../../../src/representations/everything.ts';
import { sharpCodec } from '../../../src/containers/pixels-sharp.ts';
import { utifCodec } from '../../../src/containers/pixels-utif.ts';
import { readDirectories } from '../../../src/containers/tiff-directory.ts';
import type { Outcome, Query } from '../../../src/engine/records.ts';
import { compose, identity, translation } from '../../../src/math/pose.ts';
import { decodeGeometryImage, encodeGeometryImage } from '../../../src/representations/gi/format/codec.ts';
import { gi } from '../../../src/representations/gi/index.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import { checkGeometryImages } from '../../../src/representations/gi/search/descent.ts';
import { kernelOfGeometryImages } from '../../../src/representations/gi/search/kernel.ts';
import { assembleImage, chartsOf, type GeometryImage } from '../../../src/representations/gi/tree/geometry-image.ts';
import { nodeOffset, sizeOf } from '../../../src/representations/gi/tree/grid.ts';
import { decodeNormal, decodeOffset, discOf, normal } from '../../../src/representations/gi/tree/slab-tree.ts';
import { buildSphereTree } from '../../../src/representations/gi/tree/sphere-tree.ts';
import { subsample } from '../../../src/representations/gi/tree/subsample.ts';
import { verifyGeometryImage } from '../../../src/representations/gi/tree/verify.ts';
import { randomRotation } from '../../support/agreement.ts';
import { squareImage, squareOf, withSquare } from '../../support/gi.ts';
import { long, some } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';
import { commonIntegers } from '../../support/rational.ts';
import { box, bumpySphere, torus } from '../../support/shapes.ts';

/** Slabs of all nodes by rational arithmetic: how many vertices are not between their planes. */
function countOutside(image: GeometryImage): number {
  let outside = 0;
  for (const { exponent, geometry, tree, origin, step } of chartsOf(image)) {
    const slabs = tree.slabs as Uint16Array;
    const at = (samples: Uint16Array, o: number) => [0, 1, 2].map((k) => origin[k] + samples[o + k] * step);
    for (let level = 0; level <= exponent; level++) {
      const span = 1 << (exponent - level);
      for (let node = 0; node < 4 ** level; node++) {
        const [row, column] = [node >> level, node & ((1 << level) - 1)];
        const o = nodeOffset(exponent, level, row, column);
        decodeNormal(slabs[o], slabs[o + 1]);
        const radius = tree.page[o + 3] * tree.radiusSteps[level];
        const planes = [decodeOffset(slabs[o + 2], radius), decodeOffset(slabs[o + 3], radius)];
        const n = Array.from(normal, BigInt);
        const square = n.reduce((sum, x) => sum + x * x, 0n);
        for (let k = 0; k < (span + 1) ** 2; k++) {
          const v = (row * span + Math.floor(k / (span + 1))) * sizeOf(exponent) + column * span + (k % (span + 1));
          const numbers = commonIntegers([...at(geometry, 3 * v), ...at(tree.page, o), ...planes]);
          const height = n.reduce((sum, x, i) => sum + x * (numbers[i] - numbers[3 + i]), 0n);
          // height / |n| against a plane: their squares with signs.
          const signed = (x: bigint) => (x < 0n ? -x * x : x * x);
          if (signed(height) < signed(numbers[6]) * square || signed(height) > signed(numbers[7]) * square) outside++;
        }
      }
    }
  }
  return outside;
}

test('every pixel decodes to whole numbers that are not all 0', { tags: ['all'] }, () => {
  const random = seeded(1);
  const codes = [0, 1, 16383, 32766, 32767, 32768, 49151, 65534, 65535];
  for (let i = 0; i < 2000; i++) {
    const [u, v] = [0, 1].map(() => (random.below(2) === 0 ? random.below(65536) : codes[random.below(codes.length)]));
    decodeNormal(u, v);
    expect(normal.every(Number.isInteger)).toBe(true);
    const sum = normal.reduce((all, x) => all + Math.abs(x), 0);
    expect(sum).toBeGreaterThanOrEqual(32767);
    expect(sum).toBeLessThan(3 * 32770);
  }
  for (const [u, v, expected] of [
    [32767, 32767, [0, 0, 1]],
    [65534, 32767, [1, 0, 0]],
    [0, 32767, [-1, 0, 0]],
    [32767, 65534, [0, 1, 0]],
    [65534, 65534, [0, 0, -1]],
    [0, 0, [0, 0, -1]],
  ] as const) {
    decodeNormal(u, v);
    expect(Array.from(normal, (x) => Math.sign(x))).toEqual([...expected].map((x) => Math.sign(x)));
  }
});

describe('every decoded vertex is between the planes of its nodes, by rational arithmetic', () => {
  test.each(some(1, [2, 3]))('bumpy sphere, seed %i', { tags: ['all', 'long'] }, (seed) => {
    const image = buildGeometryImage(bumpySphere(seed, long ? 3 : 1), {
      size: 17,
      spheres: seed % 2 === 0 ? 'tight' : 'seed',
    });
    expect(countOutside(image)).toBe(0);
    expect(countOutside(subsample(image, 2))).toBe(0);
  });

  test('charts', { tags: ['all'] }, () => {
    expect(countOutside(buildGeometryImage(torus(12, 6), { size: 17 }))).toBe(0);
  });

  test('flat, thin and far from the origin, where decoding rounds', { tags: ['all'] }, () => {
    const random = seeded(4);
    for (const [far, step] of [
      [0, 1],
      [1e6 + 0.1, 1e-7],
      [-3e9, 1e-3],
    ]) {
      const geometry = Uint16Array.from({ length: 3 * 17 * 17 }, (_, i) => (i % 3 === 2 ? 5 : random.below(40)));
      const grid = { origin: Float64Array.of(far, 1, -far), step };
      const image = squareImage({ exponent: 4, ...grid, geometry, tree: buildSphereTree(geometry, 4, grid) });
      expect(countOutside(image)).toBe(0);
      expect(verifyGeometryImage(image).problems).toEqual([]);
    }
  });

  test('a point, whose balls have no size', { tags: ['all'] }, () => {
    const geometry = new Uint16Array(3 * 17 * 17).fill(7);
    const grid = { origin: new Float64Array(3), step: 1 };
    const image = squareImage({ exponent: 4, ...grid, geometry, tree: buildSphereTree(geometry, 4, grid) });
    expect(countOutside(image)).toBe(0);
    expect(answerOf(image, image, queryOf(identity())).contacts.count).toBe(2 ** 18);
  });
});

test('slabs are thin: a box of flat faces', { tags: ['all'] }, () => {
  const image = buildGeometryImage(box(), { size: 65, charts: 'one' });
  const { slabs } = squareOf(image).tree;
  let thin = 0;
  for (let row = 0; row < 64; row++) {
    for (let column = 0; column < 64; column++) {
      const o = nodeOffset(6, 6, row, column);
      if ((slabs as Uint16Array)[o + 3] - (slabs as Uint16Array)[o + 2] < 200) thin++;
    }
  }
  expect(thin).toBeGreaterThan(0.8 * 64 * 64);
});

test.each(some(1, [11, 12]))(
  'a disc holds what its ball and its slab hold, seed %i',
  { tags: ['all', 'long'] },
  (seed) => {
    const random = seeded(seed);
    const disc = new Float64Array(8);
    for (let i = 0; i < 300; i++) {
      const page = Uint16Array.from({ length: 4 }, () => random.below(65536));
      const slabs = Uint16Array.from([random.below(65536), random.below(65536), 0, 0]);
      const [p, q] = [random.below(65536), random.below(65536)];
      slabs[2] = Math.min(p, q);
      slabs[3] = Math.max(p, q);
      discOf(page, slabs, 0, 10, disc);
      for (let k = 0; k < 50; k++) {
        const x = [0, 0, 0].map(() => random.between(-10, 10));
        decodeNormal(slabs[0], slabs[1]);
        const height = x.reduce((sum, y, a) => sum + y * normal[a], 0) / Math.hypot(...normal);
        const isIn =
          Math.hypot(...x) <= 10 && height >= decodeOffset(slabs[2], 10) && height <= decodeOffset(slabs[3], 10);
        if (!isIn) continue;
        const d = x.map((y, a) => y + page[a] - disc[a]);
        expect(Math.hypot(...d)).toBeLessThanOrEqual(disc[3] + 1e-9);
        expect(Math.abs(d.reduce((sum, y, a) => sum + y * disc[4 + a], 0))).toBeLessThanOrEqual(disc[7] + 1e-9);
      }
    }
  },
);

const answerOf = (a: GeometryImage, b: GeometryImage, query: Query): Outcome =>
  kernelOfGeometryImages(a, b)?.search(query) ?? checkGeometryImages(a, b, query);
const queryOf = (poseB: Float64Array, all = true) => ({ poseA: identity(), poseB, all, maxContacts: 1e6, level: null });

describe('files', { tags: ['all'] }, () => {
  const image = buildGeometryImage(bumpySphere(8, long ? 3 : 1), { size: 33 });
  const torn = buildGeometryImage(torus(12, 6), { size: 33 });

  test('hold the slabs and give them back', async () => {
    for (const asset of [image, torn]) {
      const bytes = await encodeGeometryImage(asset, sharpCodec);
      const read = (await decodeGeometryImage(bytes, sharpCodec)).asset;
      expect(read.groups.map(({ tree }) => tree.slabs)).toEqual(asset.groups.map(({ tree }) => tree.slabs));
      const { pages } = (await gi.describe(read, bytes)) as { pages: { role: string }[] };
      expect(pages.filter(({ role }) => role === 'slabs')).toHaveLength(asset.groups.length);
    }
  });

  test('without them have them made, and answer the same without any', async () => {
    const bytes = await encodeGeometryImage(without(image), sharpCodec);
    expect(readDirectories(bytes)).toHaveLength(4);
    const read = (await decodeGeometryImage(bytes, sharpCodec)).asset;
    expect(squareOf(read).tree).toEqual(squareOf(image).tree);
    const asset = without(read);
    expect(verifyGeometryImage(asset).problems).toEqual([]);
    const random = seeded(9);
    for (let i = 0; i < 4; i++) {
      const query = queryOf(compose(translation(1.2, random.between(-1, 1), 0), randomRotation(random)));
      const { contacts } = answerOf(image, image, query);
      for (const [a, b] of [
        [asset, asset],
        [asset, image],
        [image, asset],
      ]) {
        expect(answerOf(a, b, query).contacts).toEqual(contacts);
        expect(checkGeometryImages(a, b, query).contacts).toEqual(contacts);
      }
    }
  });
});

const without = (image: GeometryImage): GeometryImage =>
  assembleImage(
    image,
    image.groups.map(({ tree, ...group }) => ({ ...group, tree: { page: tree.page, radiusSteps: tree.radiusSteps } })),
    image.header,
    image,
  );

test('box-17-v3.tiff is what FORMAT.md says of its slabs', { tags: ['all'] }, async () => {
  // Written by version 0.1.0: gicollide build assets/box.obj --size 17 --compression lzw
  const bytes = readFileSync(new URL('../../golden/box-17-v3.tiff', import.meta.url));
  const format = readFileSync(new URL('../../../src/representations/gi/FORMAT.md', import.meta.url), 'utf8');
  const section = format.slice(format.indexOf('## Slabs'), format.indexOf('## Deviation'));
  const stated = [...section.matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)].slice(2).map(([, , value]) => value);
  for (const codec of [sharpCodec, utifCodec]) {
    const { asset, warnings } = await decodeGeometryImage(bytes, codec);
    expect(warnings).toEqual([]);
    expect(verifyGeometryImage(asset).problems).toEqual([]);
    const { page, radiusSteps, slabs = page } = squareOf(asset).tree;
    const found = [0, 4].flatMap((level) => {
      const o = nodeOffset(4, level, 0, 0);
      const [u, v, low, high] = slabs.subarray(o, o + 4);
      const radius = page[o + 3] * radiusSteps[level];
      decodeNormal(u, v);
      return [[u, v, low, high], [...normal], [decodeOffset(low, radius), decodeOffset(high, radius)]];
    });
    expect(found.map((numbers) => numbers.join(' '))).toEqual(stated);
  }
});

describe('lies', () => {
  const image = buildGeometryImage(bumpySphere(6, long ? 3 : 1), { size: 33 });

  test.each(some(1, [21, 22]))(
    'verify finds a plane that cuts its node, on any level, seed %i',
    { tags: ['all', 'long'] },
    (seed) => {
      const random = seeded(seed);
      for (let level = 0; level <= 5; level++) {
        for (const channel of [2, 3]) {
          const [row, column] = [random.below(1 << level), random.below(1 << level)];
          const slabs = (squareOf(image).tree.slabs as Uint16Array).slice();
          slabs[nodeOffset(5, level, row, column) + channel] += channel === 2 ? 3 : -3;
          const { problems } = verifyGeometryImage(withSquare(image, { tree: { ...squareOf(image).tree, slabs } }));
          expect(problems).toEqual([
            `the slab of level ${level}, row ${row}, column ${column} does not hold all of its vertices`,
          ]);
        }
      }
    },
  );

  test('verify finds them in charts', { tags: ['all'] }, () => {
    const torn = buildGeometryImage(torus(12, 6), { size: 33 });
    const groups = torn.groups.map((group) => {
      const slabs = (group.tree.slabs as Uint16Array).slice();
      slabs.fill(0);
      return { ...group, tree: { ...group.tree, slabs } };
    });
    const { problems } = verifyGeometryImage(assembleImage(torn, groups, torn.header));
    expect(problems[0]).toMatch(/^chart 0: the slab of level \d, row 0, column 0 does not hold all of its vertices$/);
  });

  test.each(some(1, [31, 32, 33]))(
    'any pixels are decoded and asked without a fault, seed %i',
    { tags: ['all', 'long'] },
    (seed) => {
      const random = seeded(seed);
      const slabs = (squareOf(image).tree.slabs as Uint16Array).map(() => random.below(65536));
      const lying = withSquare(image, { tree: { ...squareOf(image).tree, slabs } });
      for (const all of [true, false]) {
        const query = queryOf(compose(translation(1, 0.2, 0), randomRotation(random)), all);
        expect(['clear', 'contact']).toContain(answerOf(lying, image, query).verdict);
        expect(['clear', 'contact']).toContain(checkGeometryImages(image, lying, query).verdict);
      }
      expect(verifyGeometryImage(lying).problems.length).toBeGreaterThan(0);
    },
  );
});
