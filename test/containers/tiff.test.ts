import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import sharp from 'sharp';
import UTIF from 'utif';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FormatError, OptionError } from '../../src/base/errors.ts';
import { isTiff } from '../../src/containers/is-tiff.ts';
import type { Compression, PixelPage } from '../../src/containers/pixels.ts';
import { sharpCodec } from '../../src/containers/pixels-sharp.ts';
import { utifCodec } from '../../src/containers/pixels-utif.ts';
import { readDirectories } from '../../src/containers/tiff-directory.ts';
import { asciiJson, isolatePage, joinPages, rowsPerStrip } from '../../src/containers/tiff-writer.ts';
import { long } from '../support/long.ts';
import { buildTiff, makePage, pageEntries, sampleBytes } from './tiff-fixture.ts';

const COMPRESSIONS: Compression[] = ['none', 'lzw', 'deflate'];

/** A geometry image's three pages for 2^n + 1 samples a side. */
function assetPages(n: number): PixelPage[] {
  const side = 2 ** n;
  return [
    makePage('smooth', side + 1, side + 1, 3),
    makePage('random', side + 1, side + 1, 3),
    makePage('transparent', 3 * (side / 2), side, 4),
  ];
}

async function joined(pages: PixelPage[], compression: Compression, description: string): Promise<Uint8Array> {
  return joinPages(await Promise.all(pages.map((page) => sharpCodec.encode(page, compression))), description);
}

const bytesOf = (samples: Uint16Array): Uint8Array =>
  new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);

const DESCRIPTION = asciiJson({
  source: 'häschen\u{1f407}.obj',
  origin: [-0.5, 1e-30, 2],
  step: 1 / 65535,
  note: 'a "b" \\ \n',
});

describe.each(COMPRESSIONS)('three pages of different sizes, %s', (compression) => {
  test.each([4, 6, 8])('n = %i: every reader reads every page exactly', async (n) => {
    const pages = assetPages(n);
    const file = await joined(pages, compression, DESCRIPTION);
    const directories = readDirectories(file);
    expect(directories.map((page) => page.description)).toEqual([DESCRIPTION, null, null]);
    const buffer = Uint8Array.from(file).buffer;
    const images = UTIF.decode(buffer);
    expect(images).toHaveLength(3);
    expect((images[0].t270 as unknown as string[])[0]).toBe(DESCRIPTION);
    for (let k = 0; k < 3; k++) {
      const { width, height, channels, samples } = pages[k];
      expect(directories[k]).toMatchObject({ width, height, channels, compression, tiled: false, littleEndian: true });
      const direct = await sharp(file, { page: k }).toColourspace('rgb16').raw({ depth: 'ushort' }).toBuffer();
      expect(Buffer.compare(direct, bytesOf(samples))).toBe(0);
      UTIF.decodeImage(buffer, images[k]);
      expect(Buffer.compare(images[k].data, sampleBytes(pages[k], true))).toBe(0);
      for (const codec of [sharpCodec, utifCodec]) {
        const decoded = await codec.decode(isolatePage(file, directories[k]));
        expect(Buffer.compare(bytesOf(decoded.samples), bytesOf(samples))).toBe(0);
      }
    }
  });

  test('the same pages give the same bytes', async () => {
    const [first, second] = [
      await joined(assetPages(5), compression, '{}'),
      await joined(assetPages(5), compression, '{}'),
    ];
    expect(Buffer.compare(first, second)).toBe(0);
  });

  test('what is isolated and joined again is the same file', async () => {
    const file = await joined(assetPages(5), compression, DESCRIPTION);
    const again = joinPages(
      readDirectories(file).map((page) => isolatePage(file, page)),
      DESCRIPTION,
    );
    expect(Buffer.compare(file, again)).toBe(0);
  });
});

test('tiles are joined as they are', async () => {
  const page = makePage('smooth', 75, 101, 4);
  const tiled = await sharp(page.samples, { raw: page })
    .toColourspace('rgb16')
    .tiff({ compression: 'deflate', predictor: 'horizontal', tile: true, tileWidth: 32, tileHeight: 16 })
    .toBuffer();
  const plain = makePage('random', 17, 17, 3);
  const file = joinPages([await sharpCodec.encode(plain, 'lzw'), tiled], '{}');
  expect(readDirectories(file)[1]).toMatchObject({ tiled: true, blockWidth: 32, blockHeight: 16 });
  for (const [k, { samples }] of [plain, page].entries()) {
    const direct = await sharp(file, { page: k }).toColourspace('rgb16').raw({ depth: 'ushort' }).toBuffer();
    expect(Buffer.compare(direct, bytesOf(samples))).toBe(0);
  }
});

test('directories out of order are read in the order of their chain', () => {
  const [a, b] = [makePage('random', 17, 17, 3), makePage('ramp', 33, 9, 4)];
  const built = buildTiff([a, b].map((page) => ({ entries: pageEntries(page, 1), data: sampleBytes(page, true) })));
  const view = new DataView(built.bytes.buffer);
  view.setUint32(4, built.ifds[1], true);
  view.setUint32(built.nexts[1], built.ifds[0], true);
  view.setUint32(built.nexts[0], 0, true);
  expect(readDirectories(built.bytes).map((page) => page.width)).toEqual([33, 17]);
});

describe('libtiff', () => {
  const installed = (() => {
    try {
      execFileSync('tiffcp', ['-h'], { stdio: 'ignore' });
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'ENOENT'; // some versions exit with 1 after their help
    }
  })();
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gicollide-tiff-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.skipIf(!installed).each(COMPRESSIONS)('tiffinfo, if installed, has no complaint, %s', async (compression) => {
    const path = join(folder, `${compression}.tiff`);
    writeFileSync(path, await joined(assetPages(6), compression, DESCRIPTION));
    // -D reads all the data; warnings go to stderr, joined here to what is looked at.
    const output = execFileSync('sh', ['-c', 'tiffinfo -D "$0" 2>&1', path], { encoding: 'utf8' });
    expect(output.match(/Image Width: \d+ Image Length: \d+/g)).toEqual([
      'Image Width: 65 Image Length: 65',
      'Image Width: 65 Image Length: 65',
      'Image Width: 96 Image Length: 64',
    ]);
    expect(output).toContain('Extra Samples: 1<unassoc-alpha>');
    expect(output).toContain('ImageDescription: {"source":"h');
    expect(output).not.toMatch(/warning|error|unknown/i);
  });

  // What libtiff writes of our files: other compressions, byte orders, predictors and blocks than ours.
  test
    .skipIf(!installed)
    .each([
      '-c none -B',
      '-c lzw:1 -B',
      '-c lzw:2 -B',
      '-c lzw:2 -L -r 1',
      '-c zip:2 -B -r 7',
      '-c zip:1 -L',
      '-c none -B -t -w 32 -l 16',
      '-c lzw:2 -B -t -w 32 -l 16',
      '-c zip:2 -L -t -w 128 -l 128',
    ])('tiffcp %s, if installed: copies are read exactly', { tags: ['all'] }, async (options) => {
    const pages = assetPages(6);
    const [from, to] = [join(folder, 'from.tiff'), join(folder, 'to.tiff')];
    writeFileSync(from, await joined(pages, 'deflate', DESCRIPTION));
    execFileSync('tiffcp', [...options.split(' '), from, to]);
    const copy = new Uint8Array(readFileSync(to));
    const directories = readDirectories(copy);
    expect(directories[0].description).toBe(DESCRIPTION);
    for (let k = 0; k < 3; k++) {
      for (const codec of [sharpCodec, utifCodec]) {
        const { samples } = await codec.decode(isolatePage(copy, directories[k]));
        expect(Buffer.compare(bytesOf(samples), bytesOf(pages[k].samples))).toBe(0);
      }
    }
  });
});

describe('joinPages refuses', () => {
  const page = makePage('random', 17, 17, 3);
  const order = (littleEndian: boolean): Uint8Array =>
    buildTiff([{ entries: pageEntries(page, 1), data: sampleBytes(page, littleEndian) }], littleEndian).bytes;

  test('no pages, text that is not ASCII, mixed byte orders, several pages in one', async () => {
    expect(() => joinPages([], '')).toThrow(RangeError);
    expect(() => joinPages([order(true)], 'häschen')).toThrow(RangeError);
    expect(() => joinPages([order(true)], 'a\0b')).toThrow(RangeError);
    expect(() => joinPages([order(true), order(false)], '')).toThrow(FormatError);
    expect(() => joinPages([joinPages([order(true), order(true)], '')], '')).toThrow('at most 1 page');
  });

  test('more than 4 GiB, before it allocates them', () => {
    // One page of 1.2e9 bytes, hardly any of which is ever touched, four times.
    const [width, height] = [20000, 10000];
    const size = width * height * 6;
    const { bytes: head } = buildTiff([
      {
        entries: [
          ...pageEntries({ width, height, channels: 3, samples: page.samples }, 1),
          [273, 4, [1024]],
          [279, 4, [size]],
        ],
        data: new Uint8Array(0),
      },
    ]);
    const bytes = new Uint8Array(1024 + size);
    bytes.set(head);
    expect(() => joinPages([bytes, bytes, bytes, bytes], '')).toThrow(OptionError);
    expect(() => joinPages([bytes, bytes, bytes, bytes], '')).toThrow(
      /less than 4 GiB, these pages take 48000\d+ bytes/,
    );
  });
});

test('isTiff: both byte orders, BigTIFF too, nothing else', () => {
  expect(isTiff(Uint8Array.of(0x49, 0x49, 42, 0))).toBe(true);
  expect(isTiff(Uint8Array.of(0x4d, 0x4d, 0, 42))).toBe(true);
  expect(isTiff(Uint8Array.of(0x4d, 0x4d, 0, 43, 0, 8))).toBe(true);
  expect(isTiff(Uint8Array.of(0x49, 0x4d, 42, 0))).toBe(false);
  expect(isTiff(Uint8Array.of(0x49, 0x49, 0, 42))).toBe(false);
  expect(isTiff(Uint8Array.of(0x49, 0x49, 42))).toBe(false);
  expect(isTiff(new TextEncoder().encode('v 1 2 3'))).toBe(false);
});

test('asciiJson is ASCII that parses back to the same, seed 1', { tags: ['long'] }, () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const json = asciiJson({ [text]: [text] });
      expect(json).toMatch(/^[ -~]*$/);
      expect(JSON.parse(json)).toEqual({ [text]: [text] });
    }),
    { seed: 1, numRuns: long ? 170 : 12 },
  );
});

test('strips: an even number of rows, a megabyte at most unless two rows are more', () => {
  for (const width of [1, 17, 257, 1025, 8193, 12288, 1e6]) {
    for (const channels of [3, 4]) {
      const rows = rowsPerStrip(width, channels);
      expect(rows % 2).toBe(0);
      expect(rows * width * channels * 2 <= 2 ** 20 || rows === 2).toBe(true);
    }
  }
  expect(rowsPerStrip(257, 3)).toBeGreaterThan(257);
  expect(rowsPerStrip(1025, 3)).toBe(128);
  expect(rowsPerStrip(12288, 4)).toBe(8);
});
