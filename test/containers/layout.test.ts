/** How sharp's pages are cut: one strip, or tiles whose padding repeats the page's edges; strips and tiles of others are read as well. */
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { PixelPage } from '../../src/containers/pixels.ts';
import { sharpCodec } from '../../src/containers/pixels-sharp.ts';
import { utifCodec } from '../../src/containers/pixels-utif.ts';
import { readDirectories } from '../../src/containers/tiff-directory.ts';
import { cutPage, inTiles, isolatePage, padToTiles, TILE_SIDE } from '../../src/containers/tiff-writer.ts';
import { long, some } from '../support/long.ts';
import { makePage } from './tiff-fixture.ts';

const viewOf = ({ samples }: PixelPage) => new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);

function expectSame(actual: PixelPage, expected: PixelPage): void {
  expect([actual.width, actual.height, actual.channels]).toEqual([expected.width, expected.height, expected.channels]);
  expect(Buffer.compare(viewOf(actual), viewOf(expected))).toBe(0);
}

describe.each(['deflate', 'lzw'] as const)('%s', (compression) => {
  const pages = [
    ['geometry of 257', 257, 257, 3, false],
    ['spheres of 257', 384, 256, 4, false],
    ['one column more than tiles', 641, 512, 3, true],
    ['a thin page', 9000, 30, 3, true],
    ['one row more than tiles', 512, 641, 3, true],
    ['spheres of 513', 768, 512, 4, true],
    ['geometry of 513', 513, 513, 3, true],
  ] as const;

  // The last two are large, and cut as others are; how they are cut hangs on no compression.
  test.each(some(compression === 'deflate' ? 5 : 3, pages))(
    '%s comes back from every reader',
    { tags: ['all', 'long'] },
    async (_, width, height, channels, tiled) => {
      const page = makePage('smooth', width, height, channels);
      const tiff = await sharpCodec.encode(page, compression);
      const [directory] = readDirectories(tiff);
      expect([directory.width, directory.height, directory.tiled]).toEqual([width, height, tiled]);
      if (tiled) expect([directory.blockWidth, directory.blockHeight]).toEqual([TILE_SIDE, TILE_SIDE]);
      else expect(directory.offsets.length).toBe(1);
      expectSame(await sharpCodec.decode(tiff), page);
      expectSame(await utifCodec.decode(tiff), page);
      const image = sharp(tiff).toColourspace('rgb16').raw({ depth: 'ushort' });
      const { data, info } = await image.toBuffer({ resolveWithObject: true });
      const samples = new Uint16Array(Uint8Array.from(data).buffer);
      expectSame({ width: info.width, height: info.height, channels, samples }, page);
    },
  );

  test('padding repeats the last column and row, and the bytes hang on nothing else', { tags: ['all'] }, async () => {
    const page = makePage('random', 641, 513, 3);
    const tiff = await sharpCodec.encode(page, compression);
    const [directory] = readDirectories(tiff);
    const whole = isolatePage(tiff, { ...directory, width: 768, height: 640 });
    const { samples } = await sharpCodec.decode(whole);
    for (const [x, y] of [
      [640, 7],
      [700, 512],
      [767, 639],
      [300, 600],
    ]) {
      const inside = 3 * (Math.min(y, 512) * 641 + Math.min(x, 640));
      const at = 3 * (y * 768 + x);
      expect([...samples.subarray(at, at + 3)]).toEqual([...page.samples.subarray(inside, inside + 3)]);
    }
    await sharpCodec.encode(makePage('random', 600, 600, 4), compression);
    expect(Buffer.compare(await sharpCodec.encode(page, compression), tiff)).toBe(0);
  });

  test.each([
    ['strips of 8 rows', { tileHeight: 8 }],
    ['one strip', { tileHeight: 2 ** 14 }],
    ['tiles of 256, padded by libvips', { tile: true, tileWidth: 256, tileHeight: 256 }],
  ])('pages of another cut are read: %s', { tags: ['all', 'long'] }, async (_, cut) => {
    const side = long ? 513 : 300;
    const page = makePage('smooth', side, side, 3);
    const encoder = sharp(page.samples, { raw: page }).toColourspace('rgb16');
    const tiff = await encoder.tiff({ compression, predictor: 'horizontal', ...cut }).toBuffer();
    const isolated = isolatePage(tiff, readDirectories(tiff)[0]);
    expectSame(await sharpCodec.decode(isolated), page);
    expectSame(await utifCodec.decode(isolated), page);
  });
});

test('uncompressed pages stay in strips', { tags: ['all'] }, async () => {
  const tiff = await sharpCodec.encode(makePage('smooth', 513, 513, 3), 'none');
  expect(readDirectories(tiff)[0].tiled).toBe(false);
});

test('tiles begin where a strip of 1 MiB ends', { tags: ['all'] }, () => {
  expect(inTiles(512, 256, 4)).toBe(false);
  expect(inTiles(512, 257, 4)).toBe(true);
});

test('a page of whole tiles is not copied', { tags: ['all'] }, () => {
  const page = makePage('smooth', 256, 128, 4);
  expect(padToTiles(page)).toBe(page);
});

test('only the last tiles can be cut, and only tiles', { tags: ['all'] }, async () => {
  const tiff = await sharpCodec.encode(makePage('smooth', 640, 512, 3), 'deflate');
  expect(readDirectories(cutPage(tiff, 513, 385))[0]).toMatchObject({ width: 513, height: 385 });
  for (const [width, height] of [
    [512, 512],
    [640, 384],
    [641, 512],
    [640, 513],
  ]) {
    expect(() => cutPage(tiff, width, height)).toThrow(RangeError);
  }
  const strips = await sharpCodec.encode(makePage('smooth', 64, 64, 3), 'deflate');
  expect(() => cutPage(strips, 63, 64)).toThrow(/cannot be cut/);
});
