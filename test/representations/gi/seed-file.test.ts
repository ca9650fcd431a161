/**
 * The file of the seed paper, `--spheres seed --pages geometry,normals,spheres`: an oracle reads it
 * by sharp and utif alone, and makes centers, alphas, layout and space of its geometry page by the
 * words of FORMAT.md.
 */
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import UTIF from 'utif';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/containers/byte-source.ts';
import { sharpCodec } from '../../../src/containers/pixels-sharp.ts';
import { check, openImage, read } from '../../../src/index.ts';
import { translation } from '../../../src/math/pose.ts';
import { decodeGeometryImage, encodeGeometryImage } from '../../../src/representations/gi/format/codec.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import { updateGeometryImage } from '../../../src/representations/gi/make/update.ts';
import { assembleImage, type GeometryImage, toMesh } from '../../../src/representations/gi/tree/geometry-image.ts';
import { buildTreesOfGroups } from '../../../src/representations/gi/tree/sphere-tree.ts';
import { verifyGeometryImage } from '../../../src/representations/gi/tree/verify.ts';
import { long, some } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';
import { bumpySphere, torus } from '../../support/shapes.ts';

const PAPER = ['geometry', 'normals', 'spheres'] as const;

interface Page {
  width: number;
  height: number;
  channels: number;
  samples: Uint16Array;
}

interface Header {
  origin: number[];
  step: number;
  options: Record<string, unknown>;
  groups: { size: number; charts: number; radiusSteps: number[] }[];
  pages: { role: string }[];
}

/** Pixels by sharp, the header's text by utif. */
async function readTiff(bytes: Uint8Array): Promise<{ header: Header; pages: Page[] }> {
  const directories = UTIF.decode(bytes.slice().buffer) as unknown as { t270?: string[] }[];
  const header: Header = JSON.parse(String(directories[0].t270));
  const pages: Page[] = [];
  for (let page = 0; page < directories.length; page++) {
    const { data, info } = await sharp(bytes, { page })
      .toColourspace('rgb16')
      .raw({ depth: 'ushort' })
      .toBuffer({ resolveWithObject: true });
    const samples = new Uint16Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.length));
    pages.push({ width: info.width, height: info.height, channels: info.channels, samples });
  }
  return { header, pages };
}

interface Pixel {
  centre: number[];
  alpha: number;
}

/** A chart's spheres by level, row and column, made of its samples alone. */
function expectedSpheres(at: (row: number, column: number) => number[], n: number, header: Header, S: number) {
  const { step, origin } = header;
  const e = 2 ** -51 * (Math.max(...origin.map(Math.abs)) + 131070 * step);
  const leastAlpha = (radius: number): number => {
    let alpha = Math.max(0, Math.floor(radius / S) - 2);
    while (alpha * S < radius) alpha++;
    return alpha;
  };
  const middle = (values: number[][], k: number): number =>
    Math.floor((Math.min(...values.map((v) => v[k])) + Math.max(...values.map((v) => v[k])) + 1) / 2);
  const levels: Pixel[][][] = [];
  const scale = S / step;
  for (let level = n; level >= 0; level--) {
    levels[level] = Array.from({ length: 2 ** level }, (_, r) =>
      Array.from({ length: 2 ** level }, (_, c): Pixel => {
        if (level === n) {
          const corners = [at(r, c), at(r, c + 1), at(r + 1, c), at(r + 1, c + 1)];
          const centre = [0, 1, 2].map((k) => middle(corners, k));
          const halves = centre.map((x, k) => Math.max(...corners.map((p) => Math.abs(p[k] - x))));
          const square = halves.reduce((sum, h) => sum + h * h, 0);
          return { centre, alpha: leastAlpha((step * Math.sqrt(square) + e) * (1 + 2 ** -50)) };
        }
        const below = [0, 1, 2, 3].map((i) => levels[level + 1][2 * r + (i >> 1)][2 * c + (i & 1)]);
        const ends = below.flatMap(({ centre, alpha }) => [
          centre.map((x) => x - alpha * scale),
          centre.map((x) => x + alpha * scale),
        ]);
        const centre = [0, 1, 2].map((k) => middle(ends, k));
        const radii = below.map((child) => {
          const square = child.centre.reduce((sum, x, k) => sum + (x - centre[k]) ** 2, 0);
          return (step * Math.sqrt(square) + e + child.alpha * S) * (1 + 2 ** -50);
        });
        return { centre, alpha: leastAlpha(Math.max(...radii)) };
      }),
    );
  }
  return levels;
}

/** Compares every pixel of every page of spheres; returns the header and the largest alpha. */
async function expectPaperFile(bytes: Uint8Array): Promise<{ header: Header; largest: number }> {
  const { header, pages } = await readTiff(bytes);
  const { groups, step } = header;
  const S = groups[0].radiusSteps[0];
  expect(Math.log2(S / step) % 1, 'a power of two').toBe(0);
  expect(S).toBeGreaterThanOrEqual(step);
  let largest = 0;
  let largestAtHalf = 0;
  groups.forEach(({ size, charts, radiusSteps }, g) => {
    const n = Math.log2(size - 1);
    expect(radiusSteps).toEqual(Array(n + 1).fill(S));
    const [geometry, normals, spheres] = pages.slice(3 * g, 3 * g + 3);
    const columns = Math.ceil(Math.sqrt(charts));
    const rows = Math.ceil(charts / columns);
    const [wide, high] = n === 0 ? [1, 1] : [1.5 * 2 ** n, 2 ** n];
    expect([geometry, normals, spheres].map((p) => [p.width, p.height, p.channels])).toEqual([
      [columns * size, rows * size, 3],
      [columns * size, rows * size, 3],
      [columns * wide, rows * high, 4],
    ]);
    const wanted = new Uint16Array(spheres.samples.length);
    for (let chart = 0; chart < charts; chart++) {
      const [down, across] = [Math.floor(chart / columns), chart % columns];
      const at = (row: number, column: number): number[] => {
        const v = 3 * ((down * size + row) * geometry.width + across * size + column);
        return [...geometry.samples.subarray(v, v + 3)];
      };
      const levels = expectedSpheres(at, n, header, S);
      if (S > step)
        for (const { alpha } of expectedSpheres(at, n, header, S / 2).flat(2))
          largestAtHalf = Math.max(largestAtHalf, alpha);
      let top = down * high;
      for (let level = n; level >= 0; level--) {
        // The deepest level at [0, 0]; the others shifted by its width, one below the other.
        const left = across * wide + (level === n ? 0 : 2 ** n);
        levels[level].forEach((line, r) => {
          line.forEach(({ centre, alpha }, c) => {
            wanted.set([...centre, alpha], 4 * ((top + r) * spheres.width + left + c));
            largest = Math.max(largest, alpha);
            // Brighter higher up.
            if (level > 0) expect(alpha).toBeLessThanOrEqual(levels[level - 1][r >> 1][c >> 1].alpha);
          });
        });
        if (level < n) top += 2 ** level;
      }
    }
    expect(spheres.samples).toEqual(wanted);
  });
  if (S > step) expect(largestAtHalf, 'the least scale').toBeGreaterThan(65535);
  return { header, largest };
}

const encode = (image: GeometryImage, compression: 'lzw' | 'deflate' = 'deflate') =>
  encodeGeometryImage(image, sharpCodec, { pages: PAPER, compression });

interface Grid {
  origin: Float64Array;
  step: number;
}

/** Charts of samples that no surface would have; of few values, many quads are points. */
function noise(seed: number, sizes: readonly [exponent: number, count: number][], grid: Grid, values = 65536) {
  const random = seeded(seed);
  const groups = sizes.map(([exponent, count]) => {
    const length = count * 3 * (2 ** exponent + 1) ** 2;
    const geometry = Uint16Array.from({ length }, () => random.below(values));
    return { exponent, count, geometry, normals: geometry.slice(), deviation: null };
  });
  const trees = buildTreesOfGroups(groups, grid, 'seed');
  const header = { tool: 'test', source: null, units: null, options: { spheres: 'seed' } };
  return assembleImage(
    grid,
    groups.map((group, g) => ({ ...group, tree: trees[g] })),
    header,
  );
}

const unit: Grid = { origin: new Float64Array(3), step: 1 / 65535 };
const far: Grid = { origin: Float64Array.of(1e6 + 0.1, -3e7, 1e3), step: 1e-7 };

describe('an oracle makes the page of spheres again', () => {
  test('one square, seed 3', { tags: ['all'] }, async () => {
    const image = buildGeometryImage(bumpySphere(3, 2), { size: 33, spheres: 'seed' });
    const { header, largest } = await expectPaperFile(await encode(image));
    expect(header.options.spheres).toBe('seed');
    expect(largest).toBeGreaterThan(32767);
    expect(verifyGeometryImage(image).problems).toEqual([]);
  });

  test('an atlas of charts, and one that was updated', { tags: ['all'] }, async () => {
    const image = buildGeometryImage(torus(8, 6), { size: 33, spheres: 'seed' });
    expect(image.charts).toBeGreaterThan(1);
    await expectPaperFile(await encode(image, 'lzw'));
    const moved = updateGeometryImage(
      image,
      toMesh(image).positions.map((x, i) => x * (1 + (i % 3))),
    );
    const { groups } = moved;
    const whole = { ...moved, groups: groups.map((group) => ({ ...group, normals: group.geometry })) };
    await expectPaperFile(await encode(whole));
    expect(verifyGeometryImage(moved).problems).toEqual([]);
  });

  test.each(some(2, long ? [11, 12, 13, 14, 15, 16] : [11, 12]))(
    'noise, seed %i',
    { tags: ['all', 'long'] },
    async (seed) => {
      const random = seeded(seed);
      const grid = seed % 2 === 0 ? unit : far;
      const sizes = [
        [4, 1],
        [2, 3],
        [0, 5],
      ] as [number, number][];
      for (const values of [65536, 1 + random.below(5)]) {
        const image = noise(seed, sizes, grid, values);
        const { header } = await expectPaperFile(await encode(image));
        // The spheres of noise need more than 16 bits of steps.
        expect(header.groups[0].radiusSteps[0] > header.step).toBe(values === 65536);
        expect(verifyGeometryImage(image).problems).toEqual([]);
      }
    },
  );
});

test('one page of one scale is made again when it is left out', { tags: ['all'] }, async () => {
  const image = noise(
    21,
    [
      [4, 1],
      [1, 2],
    ],
    unit,
  );
  const bytes = await encodeGeometryImage(image, sharpCodec, { pages: ['geometry'] });
  const { asset } = await decodeGeometryImage(bytes, sharpCodec);
  expect(asset.groups.map(({ tree }) => tree)).toEqual(image.groups.map(({ tree }) => tree));
});

test('coarser answers, whose error the largest radius of a level bounds: by the whole file, seed 4', {
  tags: ['all'],
}, async () => {
  const image = buildGeometryImage(bumpySphere(4, 2), { size: 33, spheres: 'seed' });
  const file = await encodeGeometryImage(image, sharpCodec);
  const { asset } = await read(file);
  const poseB = translation(1.3, 0.1, 0.05);
  const extent = 65535 * image.step;
  for (const options of [{}, { lod: 2 }, { lod: 4 }, { maxError: 0.4 * extent }, { maxError: 0 }]) {
    const opened = await openImage(memorySource(file));
    const asked = { poseB, all: true, maxContacts: 1e5, ...options };
    const [report, known] = [await opened.check(opened, asked), check(asset, asset, asked)];
    expect([report.contacts, report.tolerance]).toEqual([known.contacts, known.tolerance]);
    expect(report.engine === 'tiles').toBe(Object.keys(options).length === 0);
  }
  // The root's diameter would bound every level.
  const [fine, coarse] = [4, 2].map((lod) => check(asset, asset, { poseB, lod }).tolerance!.missing);
  expect(2 * fine).toBeLessThanOrEqual(coarse);
});

/** Section 3 counts s values of geometry, s of normals and 2 s of spheres. */
test.each([0, 1, 4, 5, 6, 7])('the space of the paper: 4 s less what its count takes too much, n = %i', async (n) => {
  const s = 3 * (2 ** n + 1) ** 2;
  const { pages } = await readTiff(await encode(noise(31, [[n, 1]], unit)));
  const [geometry, normals, spheres] = pages.map(({ width, height, channels }) => width * height * channels);
  expect([geometry, normals]).toEqual([s, s]);
  expect(spheres).toBe(n === 0 ? 4 : 4 * 1.5 * 4 ** n);
  expect(geometry + normals + spheres).toBe(n === 0 ? 28 : 4 * s - 12 * 2 ** n - 6);
  // 1.5 s of centers are no whole number of values from n = 1 on: s is odd.
  expect((1.5 * s) % 1).toBe(n === 0 ? 0 : 0.5);
});

test.each(some(1, [41, 42, 43]))(
  'verify names a sphere whose alpha is one too small, in one line, seed %i',
  { tags: ['quick', 'long'] },
  async (seed) => {
    const random = seeded(seed);
    const image = noise(
      seed,
      [
        [4, 1],
        [1, 2],
      ],
      unit,
      20000,
    );
    for (const [chart, n, slot] of [
      [0, 4, 0],
      [2, 1, 1],
    ]) {
      for (let level = 0; level <= n; level++) {
        const [row, column] = [random.below(1 << level), random.below(1 << level)];
        const groups = image.groups.map((group) => ({
          ...group,
          tree: { ...group.tree, page: group.tree.page.slice() },
        }));
        const side = 2 ** n;
        const [x, y] = level === n ? [column, row] : [side + column, side - 2 ** (level + 1) + row];
        const { page } = groups[chart > 0 ? 1 : 0].tree;
        page[4 * (slot * 1.5 * side * side + y * 1.5 * side + x) + 3]--;
        const bytes = await encode({ ...image, groups });
        const { problems } = verifyGeometryImage((await decodeGeometryImage(bytes, sharpCodec)).asset);
        const held = level === n ? 'the box of its corners' : 'the four spheres below it';
        expect(problems).toEqual([
          expect.stringMatching(
            `^chart ${chart}: the sphere of level ${level}, row ${row}, column ${column} does not hold (${held}, as the seed paper requires|all of its vertices)$`,
          ),
        ]);
      }
    }
  },
);

test('box-17-v4-seed.tiff is what FORMAT.md says of it', async () => {
  // gicollide build assets/box.obj --size 17 --charts one --spheres seed
  //   --pages geometry,normals,spheres --compression lzw
  const bytes = new Uint8Array(readFileSync(new URL('../../golden/box-17-v4-seed.tiff', import.meta.url)));
  const { header, largest } = await expectPaperFile(bytes);
  const { pages } = await readTiff(bytes);
  const pixelAt = (x: number, y: number) => [...pages[2].samples.subarray(4 * (24 * y + x), 4 * (24 * y + x) + 4)];
  const cornersOf = [0, 1, 17, 18].map((v) => [...pages[0].samples.subarray(3 * v, 3 * v + 3)].join(' ')).join(', ');
  const found = {
    'page sizes': pages.map((p) => `${p.width} x ${p.height} x ${p.channels}`).join(', '),
    'values, 4 s - 12 * 2^n - 6': `${pages.reduce((sum, { samples }) => sum + samples.length, 0)}`,
    'step, model units': `${header.step}`,
    'each of radiusSteps, in steps': `${header.groups[0].radiusSteps[0] / header.step}`,
    'corners of leaf (0, 0)': cornersOf,
    'leaf (0, 0), pixel 0 0': pixelAt(0, 0).join(' '),
    'leaves (0, 1), (1, 0), (1, 1)': [pixelAt(1, 0), pixelAt(0, 1), pixelAt(1, 1)].map((p) => p.join(' ')).join(', '),
    'node (0, 0) of level 3, pixel 16 0': pixelAt(16, 0).join(' '),
    'root, pixel 16 14': pixelAt(16, 14).join(' '),
  };
  expect(largest).toBe(pixelAt(16, 14)[3]);
  const format = readFileSync(new URL('../../../src/representations/gi/FORMAT.md', import.meta.url), 'utf8');
  const section = format.split('\n## ').find((text) => text.startsWith("The seed paper's file")) ?? '';
  const rows = [...section.matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)].slice(2);
  expect(found).toEqual(Object.fromEntries(rows.map(([, what, value]) => [what, value])));
});
