/** Bytes that are damaged or made to do harm: each gives right pages or a FormatError, soon and in little memory. */

import { deflateSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { FormatError } from '../../src/base/errors.ts';
import type { PixelPage } from '../../src/containers/pixels.ts';
import { sharpCodec } from '../../src/containers/pixels-sharp.ts';
import { utifCodec } from '../../src/containers/pixels-utif.ts';
import { readDirectories, type TiffPage } from '../../src/containers/tiff-directory.ts';
import { isolatePage, joinPages } from '../../src/containers/tiff-writer.ts';
import { Random } from '../../src/math/numbers.ts';
import { long } from '../support/long.ts';
import { refusal } from '../support/refusal.ts';
import { countsSteps, stepsSoFar } from '../support/steps.ts';
import { type Built, buildTiff, type Entry, makePage, pageEntries, sampleBytes } from './tiff-fixture.ts';

// Steps of the files that ran before this one in the same process don't count.
beforeAll(() => void stepsSoFar());

const rgb = makePage('smooth', 17, 17, 3);
const rgba = makePage('transparent', 24, 16, 4);

/** One uncompressed page with some entries changed. */
function changed(changes: Record<number, Entry | null>, page = rgb, compression = 1): Built {
  const raw = sampleBytes(page, true);
  const data = compression === 1 ? raw : deflateSync(raw);
  return buildTiff([{ entries: pageEntries(page, compression, changes), data }]);
}

/** The error of reading, which must have a place inside the file. */
function refusedTiff(bytes: Uint8Array): FormatError {
  const error = refusal(() => readDirectories(bytes));
  const { place } = error;
  expect(place !== null && 'byte' in place && place.byte >= 0 && place.byte <= bytes.length).toBe(true);
  return error;
}

test('the pages that the cases below break are sound', async () => {
  for (const page of [rgb, rgba]) {
    const { bytes } = changed({}, page);
    const [directory] = readDirectories(bytes);
    for (const codec of [sharpCodec, utifCodec]) {
      expect(await codec.decode(isolatePage(bytes, directory))).toEqual(page);
    }
  }
});

describe('directories', () => {
  const short = (tag: number, ...values: number[]): Entry => [tag, 3, values];
  const long = (tag: number, ...values: number[]): Entry => [tag, 4, values];
  test.each<[string, Record<number, Entry | null>, RegExp]>([
    ['zero width', { 256: short(256, 0) }, /ImageWidth of at least 1, found 0/],
    ['zero height', { 257: short(257, 0) }, /ImageLength of at least 1, found 0/],
    ['no width', { 256: null }, /ImageWidth in the directory, found none/],
    ['two widths', { 256: short(256, 17, 17) }, /one value for ImageWidth, found 2/],
    [
      'an absurd width',
      { 256: long(256, 0xffffffff) },
      /at most 2147483648 more bytes of pixels in a file of \d+ bytes, found 4294967295 x 17 pixels/,
    ],
    ['absurd sides', { 256: long(256, 2 ** 31), 257: long(257, 2 ** 31) }, /more bytes of pixels/],
    [
      'a width that the data cannot fill',
      { 256: long(256, 60000) },
      /6120000 bytes uncompressed in strip 0, found 1734 stored/,
    ],
    ['a width that is a pixel short', { 256: short(256, 16) }, /1632 bytes uncompressed in strip 0, found 1734 stored/],
    ['8 bits', { 258: short(258, 8, 8, 8) }, /16 bits a sample, found BitsPerSample 8/],
    ['one of three bits', { 258: short(258, 16) }, /3 values for BitsPerSample, found 1/],
    ['unlike bits', { 258: short(258, 16, 16, 8) }, /16 bits a sample, found BitsPerSample 8/],
    ['JPEG', { 259: short(259, 7) }, /no compression \(1\), LZW \(5\) or Deflate \(8\), found Compression 7/],
    ['PackBits', { 259: short(259, 32773) }, /found Compression 32773/],
    ['a palette', { 262: short(262, 3) }, /RGB pixels .*, or grey ones .*, found PhotometricInterpretation 3/],
    ['grey of three samples', { 262: short(262, 1) }, /one sample a grey pixel, found SamplesPerPixel 3/],
    ['bits from the lowest up', { 266: short(266, 2) }, /FillOrder 1\), found FillOrder 2/],
    ['a description of another type', { 270: short(270, 1) }, /ImageDescription as ASCII, found type 3/],
    ['an empty description', { 270: [270, 2, []] }, /a value for ImageDescription, found none/],
    ['a turned page', { 274: short(274, 6) }, /Orientation 1\), found Orientation 6/],
    ['one sample a pixel', { 277: short(277, 1) }, /3 or 4 samples a pixel, found SamplesPerPixel 1/],
    ['65535 samples a pixel', { 277: short(277, 65535) }, /3 or 4 samples/],
    ['four samples, bits for three', { 277: short(277, 4) }, /4 values for BitsPerSample, found 3/],
    ['no strip offsets', { 273: [324, 4, [8]] }, /./],
    ['two offsets for one strip', { 273: long(273, 8, 8) }, /1 StripOffsets for the page's size, found 2/],
    ['two counts for one strip', { 279: long(279, 8, 8) }, /1 StripByteCounts for the page's size, found 2/],
    [
      'an offset behind the end',
      { 273: long(273, 0x7fffffff) },
      /strip 0 within bytes 8 to \d+, found bytes 2147483647 to 2147485381/,
    ],
    ['an offset in the header', { 273: long(273, 0) }, /strip 0 within bytes 8 to/],
    ['a byte count beyond the end', { 279: long(279, 0xffffffff) }, /strip 0 within bytes 8 to/],
    ['a byte count of zero', { 279: long(279, 0) }, /1734 bytes uncompressed in strip 0, found 0 stored/],
    ['no rows in a strip', { 278: long(278, 0) }, /RowsPerStrip of at least 1, found 0/],
    ['strips of a row, one offset', { 278: long(278, 1) }, /17 StripOffsets for the page's size, found 1/],
    ['separate planes', { 284: short(284, 2) }, /PlanarConfiguration 1\), found PlanarConfiguration 2/],
    ['differences that are not compressed', { 317: short(317, 2) }, /Predictor 1, found Predictor 2/],
    ['a floating-point predictor', { 317: short(317, 3) }, /Predictor 1, found Predictor 3/],
    [
      'tiles of no multiple of 16',
      { 322: short(322, 17), 323: short(323, 16) },
      /a multiple of 16 as TileWidth, found 17/,
    ],
    ['tiles without a height', { 322: short(322, 16) }, /TileLength in the directory, found none/],
    [
      'tiles of 16 GiB',
      { 322: long(322, 65536), 323: long(323, 65536), 324: long(324, 8), 325: long(325, 100) },
      /more bytes of pixels/,
    ],
    [
      'tiles beyond the page, not stored',
      { 322: short(322, 32), 323: short(323, 32), 324: long(324, 8), 325: long(325, 1734) },
      /6144 bytes uncompressed in tile 0/,
    ],
    ['an extra sample beside three', { 338: short(338, 2) }, /no ExtraSamples beside grey or RGB, found some/],
    ['signed samples', { 339: short(339, 2, 2, 2) }, /SampleFormat 1\), found SampleFormat 2/],
    ['floats', { 339: short(339, 3) }, /SampleFormat 1\), found SampleFormat 3/],
    ['width as a byte', { 256: [256, 2, [17]] }, /ImageWidth as SHORT or LONG, found type 2/],
  ])('%s', { tags: ['quick', 'long'] }, (_name, changes, message) => {
    expect(refusedTiff(changed(changes).bytes).message).toMatch(message);
  });

  test('premultiplied colours', () => {
    const { bytes } = changed({ 338: [338, 3, [1]] }, rgba);
    expect(refusedTiff(bytes).message).toMatch(/scales no colours \(ExtraSamples 0 or 2\), found ExtraSamples 1/);
  });

  test('rows per strip that overflow 32 bits are the whole page', async () => {
    const { bytes } = changed({ 278: [278, 4, [0xffffffff]] });
    const [directory] = readDirectories(bytes);
    expect(directory.blockHeight).toBe(17);
    for (const codec of [sharpCodec, utifCodec]) expect(await codec.decode(bytes)).toEqual(rgb);
  });

  test.each([5, 8])('a small strip cannot stand for a large page, compression %i', (compression) => {
    const { bytes } = changed({ 256: [256, 4, [16000]], 257: [257, 4, [16000]], 278: null }, rgb, compression);
    expect(refusedTiff(bytes).message).toMatch(/bytes from (lzw|deflate) in (strip|tile) \d+, found \d+ stored/);
  });

  test('an entry twice', () => {
    const built = changed({});
    const view = new DataView(built.bytes.buffer);
    view.setUint16(built.entry(0, 257), 256, true);
    expect(refusedTiff(built.bytes).message).toMatch(/ImageWidth once in a directory, found it twice/);
  });

  test('a count of 2^32 - 1 values', () => {
    const built = changed({});
    new DataView(built.bytes.buffer).setUint32(built.entry(0, 258) + 4, 0xffffffff, true);
    expect(refusedTiff(built.bytes).message).toMatch(/BitsPerSample's 4294967295 values within bytes 8 to/);
  });

  test('65535 entries in a file of two', () => {
    const built = changed({});
    new DataView(built.bytes.buffer).setUint16(built.ifds[0], 65535, true);
    expect(refusedTiff(built.bytes).message).toMatch(/a directory of 65535 entries within bytes 8 to/);
  });
});

/** Directories. */
const MANY = long ? 4_000 : 2000;

describe('chains', () => {
  const data = sampleBytes(rgb, true);
  const chain = (length: number): Built =>
    buildTiff(Array.from({ length }, () => ({ entries: pageEntries(rgb, 1), data })));
  const link = (built: Built, k: number, to: number): Built => {
    new DataView(built.bytes.buffer).setUint32(built.nexts[k], to, true);
    return built;
  };

  test('three sound pages, and none', () => {
    expect(readDirectories(chain(3).bytes)).toHaveLength(3);
    expect(refusedTiff(Uint8Array.of(0x49, 0x49, 42, 0, 0, 0, 0, 0)).message).toMatch(
      /the offset of a directory, found 0/,
    );
  });

  test.each([
    [0, 0],
    [2, 0],
    [2, 1],
    [1, 0],
  ])('directory %i followed by %i', (from, to) => {
    const built = chain(3);
    expect(refusedTiff(link(built, from, built.ifds[to]).bytes).message).toMatch(
      /chain of directories that ends, found the one at byte \d+ again/,
    );
  });

  test('a directory behind the end, and over it', () => {
    const built = chain(1);
    expect(refusedTiff(link(built, 0, 0xfffffff0).bytes).message).toMatch(/a directory within bytes 8 to/);
    expect(refusedTiff(link(built, 0, built.bytes.length - 1).bytes).message).toMatch(/a directory within bytes 8 to/);
    expect(refusedTiff(link(built, 0, 4).bytes).message).toMatch(/a directory within bytes 8 to/);
  });

  test(`${MANY} directories`, { tags: ['quick', 'long'] }, () => {
    const tiny = makePage('ramp', 1, 1, 3);
    const pages = Array.from({ length: MANY }, () => ({ entries: pageEntries(tiny, 1), data: new Uint8Array(6) }));
    const { bytes } = buildTiff(pages);
    expect(refusedTiff(bytes).message).toMatch(/at most 64 pages, found another one/);
    expect(readDirectories(bytes, { maxPages: MANY })).toHaveLength(MANY);
  });

  test(`${MANY} directories that share one large strip`, { tags: ['quick', 'long'] }, () => {
    const wide = { width: 200_000, height: 1, channels: 3, samples: rgb.samples } as PixelPage;
    const strip: Entry[] = [
      [273, 4, [8]],
      [279, 4, [1_200_000]],
    ];
    const pages = Array.from({ length: MANY }, (_, i) => ({
      entries: [...pageEntries(wide, 1), ...strip],
      data: new Uint8Array(i === 0 ? 1_200_000 : 0),
    }));
    const { bytes } = buildTiff(pages);
    // The file is as long as three or four strips: its directories and one strip.
    const error = (() => {
      try {
        return readDirectories(bytes, { maxPages: MANY, maxDecodedBytes: 2 ** 40 });
      } catch (thrown) {
        return thrown;
      }
    })();
    expect((error as FormatError).message).toMatch(
      /parts that do not overlap, found strip 0 beyond the file's \d+ bytes in all/,
    );
  });

  test('many strips at one place', { tags: ['quick', 'long'] }, () => {
    const count = long ? 400_000 : 200_000;
    const tall = { width: 1, height: count, channels: 3, samples: rgb.samples } as PixelPage;
    const table = (value: number): Uint32Array => new Uint32Array(count).fill(value);
    const { bytes } = buildTiff([
      {
        entries: pageEntries(tall, 8, { 273: [273, 4, table(8)], 278: [278, 3, [1]], 279: [279, 4, table(1000)] }),
        data: new Uint8Array(1000),
      },
    ]);
    expect(refusedTiff(bytes).message).toMatch(/parts that do not overlap, found strip \d+ beyond/);
  });

  test('decoded bytes of all pages count together', () => {
    const { bytes } = chain(3);
    expect(readDirectories(bytes, { maxDecodedBytes: 3 * 1734 })).toHaveLength(3);
    expect(() => readDirectories(bytes, { maxDecodedBytes: 3 * 1734 - 1 })).toThrow(
      /at most 1733 more bytes of pixels/,
    );
  });
});

test('headers', () => {
  expect(refusedTiff(new Uint8Array(0)).message).toBe('byte 0: expected a TIFF ("II*" or "MM*"), found an empty file');
  expect(refusedTiff(Uint8Array.of(0x89, 0x50, 0x4e, 0x47)).message).toMatch(/found 89 50 4e 47/);
  expect(refusedTiff(Uint8Array.of(0x49, 0x49, 42, 0)).message).toMatch(/8 bytes of header, found the end of the file/);
  expect(refusedTiff(Uint8Array.of(0x49, 0x49, 43, 0, 8, 0, 0, 0, 16, 0)).message).toBe(
    'byte 2: expected classic TIFF (version 42), found BigTIFF (version 43)',
  );
});

describe.each(['none', 'lzw', 'deflate'] as const)('damage to a file of ours, %s', (compression) => {
  let file: Uint8Array;
  /** Where the pixel data starts; all before it is header, directories and their values. */
  let dataStart: number;
  beforeAll(async () => {
    const tiffs = await Promise.all([rgb, rgb, rgba].map((page) => sharpCodec.encode(page, compression)));
    file = joinPages(tiffs, '{"origin":[0,0,0],"step":0.5}');
    dataStart = Math.min(...readDirectories(file).map((page) => page.offsets[0]));
  });

  test('cut short at any byte', () => {
    const accepted: number[] = [];
    for (let length = 0; length < file.length; length++) {
      // The last byte can be padding, which nobody misses.
      if (length === file.length - 1 && file[length] === 0) continue;
      try {
        readDirectories(file.subarray(0, length));
        accepted.push(length);
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
      }
    }
    expect(accepted).toEqual([]);
  });

  test('changes of directories and of data, seed 21: the readers agree or refuse', {
    tags: ['all', 'long'],
  }, async () => {
    const generator = new Random(21);
    const below = (count: number): number => generator.integer() % count;
    const interesting = [0, 1, 2, 4, 8, 127, 128, 255];
    let decoded = 0;
    const rounds = long ? 740 : 130;
    const ofData = long ? 67 : 30;
    for (let round = 0; round < rounds; round++) {
      const bytes = file.slice();
      const [from, to] = round < rounds - ofData ? [0, dataStart] : [dataStart, bytes.length];
      for (let k = 1 + below(3); k > 0; k--) {
        const at = from + below(to - from);
        bytes[at] = below(2) === 0 ? bytes[at] ^ (1 << below(8)) : interesting[below(interesting.length)];
      }
      let pages: TiffPage[] = [];
      try {
        pages = readDirectories(bytes);
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
      }
      for (const page of pages) {
        const isolated = isolatePage(bytes, page);
        expect(isolated.length).toBeLessThan(bytes.length + 1000);
        const [native, portable] = await Promise.all(
          [sharpCodec, utifCodec].map((codec) =>
            codec.decode(isolated).catch((error: unknown) => {
              if (!(error instanceof FormatError)) throw error;
              return null;
            }),
          ),
        );
        // utif refuses more than sharp; what both accept is the same.
        if (native !== null && portable !== null) {
          expect(Buffer.compare(Buffer.from(native.samples.buffer), Buffer.from(portable.samples.buffer))).toBe(0);
          decoded++;
        }
      }
    }
    expect(decoded).toBeGreaterThan(rounds / 5);
  });
});

test.skipIf(!countsSteps)('no count of a file is believed before it is checked: all of this took few steps', () => {
  expect(stepsSoFar()).toBeLessThan(1e8);
});
