import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import UTIF from 'utif';
import { describe, expect, test } from 'vitest';
import { FormatError, OptionError } from '../../src/base/errors.ts';
import type { Compression, PixelPage } from '../../src/containers/pixels.ts';
import { nodeCodec } from '../../src/containers/pixels-node.ts';
import { sharpCodec } from '../../src/containers/pixels-sharp.ts';
import { inflated, utifCodec } from '../../src/containers/pixels-utif.ts';
import { readDirectories } from '../../src/containers/tiff-directory.ts';
import { isolatePage } from '../../src/containers/tiff-writer.ts';
import { Random } from '../../src/math/numbers.ts';
import { long, some } from '../support/long.ts';
import { buildTiff, type Entry, makePage, pageEntries, patterns, sampleBytes } from './tiff-fixture.ts';

const COMPRESSIONS: Compression[] = ['none', 'lzw', 'deflate'];
const SIZES = long ? [17, 33, 129, 257] : [17, 65];

/** Equal, without vitest's slow walk over a million numbers. */
function expectSame(actual: PixelPage, expected: PixelPage): void {
  const { width, height, channels } = expected;
  expect({ ...actual, samples: null }).toEqual({ width, height, channels, samples: null });
  expect(Buffer.compare(viewOf(actual.samples), viewOf(expected.samples))).toBe(0);
}

function viewOf(samples: Uint16Array): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}

/** What sharp reads of the bytes as they are, without any of the project's code. */
async function sharpDirectly(bytes: Uint8Array, page = 0): Promise<PixelPage> {
  const image = sharp(bytes, { page }).toColourspace('rgb16').raw({ depth: 'ushort' });
  const { data, info } = await image.toBuffer({ resolveWithObject: true });
  const samples = new Uint16Array(Uint8Array.from(data).buffer);
  return { width: info.width, height: info.height, channels: info.channels as 3 | 4, samples };
}

describe.each(COMPRESSIONS)('%s', (compression) => {
  describe.each([3, 4] as const)('%i channels', (channels) => {
    test.each(Object.keys(patterns))(
      '%s pages come back bit for bit by sharp, utif and both of them directly',
      { tags: ['quick', 'long'] },
      async (pattern) => {
        for (const size of SIZES) {
          const [width, height] = channels === 3 ? [size, size] : [3 * ((size - 1) / 2), size - 1];
          const page = makePage(pattern, width, height, channels);
          const tiff = await sharpCodec.encode(page, compression);
          expectSame(await sharpCodec.decode(tiff), page);
          expectSame(await utifCodec.decode(tiff), page);
          const isolated = isolatePage(tiff, readDirectories(tiff)[0]);
          expectSame(await sharpDirectly(isolated), page);
          const buffer = isolated.buffer as ArrayBuffer;
          const [image] = UTIF.decode(buffer);
          UTIF.decodeImage(buffer, image);
          expect(Buffer.compare(image.data, sampleBytes(page, true))).toBe(0);
        }
      },
    );
  });

  test('the same pixels give the same bytes', async () => {
    const page = makePage('smooth', 129, 129, 3);
    const first = await sharpCodec.encode(page, compression);
    await sharpCodec.encode(makePage('random', 65, 65, 4), compression);
    expect(Buffer.compare(await sharpCodec.encode(page, compression), first)).toBe(0);
  });

  test.each([1, 2, 5])('pages %i wide or high', async (side) => {
    for (const [width, height] of [
      [side, 300],
      [300, side],
      [side, side],
    ]) {
      const page = makePage('random', width, height, 4);
      const tiff = await sharpCodec.encode(page, compression);
      expectSame(await sharpCodec.decode(tiff), page);
      expectSame(await utifCodec.decode(tiff), page);
    }
  });

  test('2049 x 129: several strips or tiles, one row in the last', { tags: ['all'] }, async () => {
    const page = makePage('smooth', 2049, 129, 4);
    const tiff = await sharpCodec.encode(page, compression);
    expect(readDirectories(tiff)[0].offsets.length).toBeGreaterThan(1);
    expectSame(await sharpCodec.decode(tiff), page);
    expectSame(await utifCodec.decode(tiff), page);
  });

  test.each(['horizontal', 'none'] as const)(
    'tiles, predictor %s: utif, which is wrong on them, gets them one by one',
    async (predictor) => {
      for (const channels of [3, 4] as const) {
        const page = makePage('smooth', 75, 101, channels);
        const tiled = await sharp(page.samples, { raw: page })
          .toColourspace('rgb16')
          .tiff({ compression, predictor, tile: true, tileWidth: 32, tileHeight: 16 })
          .toBuffer();
        const isolated = isolatePage(tiled, readDirectories(tiled)[0]);
        expectSame(await sharpCodec.decode(isolated), page);
        expectSame(await utifCodec.decode(isolated), page);
      }
    },
  );
});

describe('byte order', () => {
  test.each([
    ['little', 1, false],
    ['big', 1, false],
    ['big', 8, false],
    ['big', 8, true],
    ['little', 32946, true],
  ] as const)('%s-endian, compression %i, predictor %s, written by the test', async (order, code, predictor) => {
    for (const channels of [3, 4] as const) {
      const page = makePage('smooth', 61, 47, channels);
      const raw = sampleBytes(page, order === 'little', predictor);
      const data = code === 1 ? raw : deflateSync(raw);
      const changes: Record<number, Entry> = predictor ? { 317: [317, 3, [2]] } : {};
      const { bytes } = buildTiff([{ entries: pageEntries(page, code, changes), data }], order === 'little');
      const isolated = isolatePage(bytes, readDirectories(bytes)[0]);
      for (const codec of [sharpCodec, utifCodec]) {
        expectSame(await codec.decode(bytes), page);
        expectSame(await codec.decode(isolated), page);
      }
    }
  });
});

test.each(['strips', 'tiles'])('big-endian LZW in %s', async (cut) => {
  const page = makePage('smooth', 61, 47, 4);
  const swapped = new Uint16Array(Uint8Array.from(sampleBytes(page, false)).buffer);
  const lzw = await sharp(swapped, { raw: page })
    .toColourspace('rgb16')
    .tiff({ compression: 'lzw', predictor: 'none', tile: cut === 'tiles', tileWidth: 32, tileHeight: 16 })
    .toBuffer();
  const [little] = readDirectories(lzw);
  const tiff = isolatePage(lzw, { ...little, littleEndian: false });
  expect(readDirectories(tiff)[0]).toMatchObject({ littleEndian: false, tiled: cut === 'tiles' });
  expect(readDirectories(tiff)[0].offsets.length).toBeGreaterThan(1);
  for (const codec of [sharpCodec, utifCodec, nodeCodec]) expectSame(await codec.decode(tiff), page);
});

test.each(COMPRESSIONS)("%s in a Buffer's pool: read, and left as it is", async (compression) => {
  const page = makePage('smooth', 17, 17, 3);
  const cut = { compression, predictor: 'none', tileHeight: 4 } as const;
  const swapped = new Uint16Array(Uint8Array.from(sampleBytes(page, false)).buffer);
  const little = await sharp(swapped, { raw: page }).toColourspace('rgb16').tiff(cut).toBuffer();
  const tiff = isolatePage(little, { ...readDirectories(little)[0], littleEndian: false });
  const file = Buffer.from([0, ...tiff]).subarray(1);
  for (const codec of [sharpCodec, utifCodec, nodeCodec]) {
    expectSame(await codec.decode(file), page);
    expect(Buffer.compare(file, tiff)).toBe(0);
  }
});

describe('encode', () => {
  const shapes = [
    [17, 17, 3],
    [1, 300, 4],
    [300, 2, 3],
    [1025, long ? 260 : 130, 4],
    [513, 397, 3],
    [640, 512, 3],
  ] as const;

  test.each(some(5, shapes))(
    'what utif writes every reader reads, laid out as by sharp: %i x %i x %i',
    { tags: ['all', 'long'] },
    async (...shape) => {
      const patternsOf = shape[2] === 4 ? ['random', 'transparent'] : ['random', 'smooth'];
      // Of the large ones one is enough: tiles are cut alike.
      const isLarge = shape[0] * shape[1] > 100_000;
      for (const pattern of some(isLarge ? 1 : 2, patternsOf)) {
        const page = makePage(pattern, ...shape);
        for (const compression of ['none', 'deflate'] as const) {
          const tiff = await utifCodec.encode(page, compression);
          for (const codec of [utifCodec, sharpCodec, nodeCodec]) expectSame(await codec.decode(tiff), page);
          expectSame(await sharpDirectly(isolatePage(tiff, readDirectories(tiff)[0])), page);
          const layoutOf = (bytes: Uint8Array) => {
            const { offsets, byteCounts, ifd, ...layout } = readDirectories(bytes)[0];
            return { ...layout, blocks: offsets.length };
          };
          const sharps = layoutOf(await sharpCodec.encode(page, compression));
          // A lone strip may be taller than its page.
          expect(layoutOf(tiff)).toEqual({ ...sharps, blockHeight: layoutOf(tiff).blockHeight, littleEndian: true });
          expect(Buffer.compare(await utifCodec.encode(page, compression), tiff)).toBe(0);
        }
      }
    },
  );

  test('utif compresses: smooth pages take as many bytes as by sharp, to a tenth', {
    tags: ['quick', 'long'],
  }, async () => {
    const side = long ? 600 : 300;
    const page = makePage('smooth', side, side, 3);
    const [ours, sharps] = [await utifCodec.encode(page, 'deflate'), await sharpCodec.encode(page, 'deflate')];
    expect(ours.length).toBeLessThan(1.1 * sharps.length);
  });

  test('utif refuses lzw, whose bytes are those of one encoder', async () => {
    await expect(utifCodec.encode(makePage('zeros', 17, 17, 3), 'lzw')).rejects.toThrow(
      new OptionError('compression lzw needs sharp, which is not installed: choose deflate or none'),
    );
  });

  test.each([sharpCodec, utifCodec])('$name refuses samples that are not the page', async (codec) => {
    const samples = new Uint16Array(10);
    await expect(codec.encode({ width: 2, height: 2, channels: 3, samples }, 'none')).rejects.toThrow(OptionError);
    await expect(codec.encode({ width: 2.5, height: 2, channels: 4, samples }, 'none')).rejects.toThrow(OptionError);
    const none = new Uint16Array(0);
    await expect(codec.encode({ width: 0, height: 2, channels: 3, samples: none }, 'none')).rejects.toThrow(
      OptionError,
    );
  });

  test('samples that are a window of a larger array', async () => {
    const whole = makePage('random', 40, 40, 3).samples;
    const page: PixelPage = { width: 17, height: 17, channels: 3, samples: whole.subarray(101, 101 + 867) };
    for (const codec of [sharpCodec, utifCodec]) expectSame(await codec.decode(await codec.encode(page, 'none')), page);
  });
});

describe('what utif gets wrong by itself', () => {
  test('data that is as long as the samples is not taken for uncompressed, seed 5', async () => {
    // Half noise and half zeros, the share of noise tuned until the compressed length is that of the samples.
    const generator = new Random(5);
    let found = 0;
    for (let attempt = 0; attempt < 3000 && found < 2; attempt++) {
      const page = makePage('zeros', 17, 17, 3);
      const noisy = 867 - (attempt % 40);
      for (let i = 0; i < noisy; i++) page.samples[i] = generator.integer() >>> 16;
      const raw = sampleBytes(page, true);
      const data = deflateSync(raw);
      if (data.length !== raw.length) continue;
      found++;
      const { bytes } = buildTiff([{ entries: pageEntries(page, 8), data }]);
      expectSame(await utifCodec.decode(bytes), page);
      const buffer = bytes.buffer as ArrayBuffer;
      const [image] = UTIF.decode(buffer);
      UTIF.decodeImage(buffer, image);
      expect(Buffer.compare(image.data, raw)).not.toBe(0); // or the guard is no longer needed
    }
    expect(found).toBe(2);
  });

  test('LZW strings beyond its table are refused, and strips of ours never have them', {
    tags: ['all', 'long'],
  }, async () => {
    const page = makePage('zeros', 2049, long ? 1025 : 600, 3);
    page.samples.forEach((_, i) => {
      page.samples[i] = 770 * Math.floor(i / 3);
    });
    const oneStrip = await sharp(page.samples, { raw: page })
      .toColourspace('rgb16')
      .tiff({ compression: 'lzw', predictor: 'horizontal', tileHeight: 2048 })
      .toBuffer();
    expectSame(await sharpCodec.decode(oneStrip), page);
    await expect(utifCodec.decode(oneStrip)).rejects.toThrow(/bytes of strings, more than utif's table holds/);
    expectSame(await utifCodec.decode(await sharpCodec.encode(page, 'lzw')), page);
  });

  test('an inflating bomb behind a small page ends early', { tags: ['all'] }, async () => {
    const bomb = deflateSync(new Uint8Array(200_000_000), { level: 1 });
    const page = makePage('zeros', 17, 17, 3);
    const { bytes } = buildTiff([{ entries: pageEntries(page, 8), data: bomb }]);
    const memory = process.memoryUsage().rss;
    await expect(utifCodec.decode(bytes)).rejects.toThrow(/data of at least \d+ bytes/);
    expectSame(await sharpCodec.decode(bytes), page); // sharp stops behind the last row
    expect(process.memoryUsage().rss - memory).toBeLessThan(100e6);
  });
});

describe('damaged data', () => {
  test.each(['lzw', 'deflate'] as const)(
    '%s, flipped bits, seed 11: an error, or what sharp reads',
    { tags: ['quick', 'long'] },
    async (compression) => {
      const generator = new Random(11);
      const page = makePage('smooth', 33, 33, 3);
      const sound = await sharpCodec.encode(page, compression);
      const [{ offsets, byteCounts }] = readDirectories(sound);
      let refused = 0;
      for (let round = 0; round < (long ? 140 : 30); round++) {
        const bytes = sound.slice();
        bytes[offsets[0] + (generator.integer() % byteCounts[0])] ^= 1 << (generator.integer() & 7);
        const portable = await utifCodec.decode(bytes).catch((error: unknown) => error);
        const native = await sharpCodec.decode(bytes).catch((error: unknown) => error);
        for (const outcome of [portable, native]) {
          if (!('samples' in (outcome as object))) expect(outcome).toBeInstanceOf(FormatError);
        }
        if (portable instanceof FormatError) refused++;
        else expectSame(portable as PixelPage, compression === 'deflate' ? page : (native as PixelPage));
      }
      expect(refused).toBeGreaterThan((compression === 'deflate' ? 390 : 100) * (long ? 0.33 : 0.06));
    },
  );

  test.each(['lzw', 'deflate'] as const)('%s cut short anywhere is an error of one line', async (compression) => {
    const page = makePage('smooth', 33, 33, 4);
    const sound = await sharpCodec.encode(page, compression);
    const [{ offsets, byteCounts }] = readDirectories(sound);
    const whole = sound.subarray(offsets[0], offsets[0] + byteCounts[0]);
    const changes: Record<number, Entry> = { 317: [317, 3, [2]] };
    for (let length = whole.length >> 1; length < whole.length - 4; length += 37) {
      const code = compression === 'lzw' ? 5 : 8;
      const { bytes } = buildTiff([{ entries: pageEntries(page, code, changes), data: whole.subarray(0, length) }]);
      for (const codec of [sharpCodec, utifCodec]) {
        const error = await codec.decode(bytes).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(FormatError);
        expect((error as FormatError).message).not.toContain('\n');
      }
    }
  });

  /** Decodes a page of these LZW data and of 6 size^2 bytes. */
  const lzwPage = (data: Uint8Array, size: number): Promise<PixelPage> =>
    utifCodec.decode(buildTiff([{ entries: pageEntries(makePage('smooth', size, size, 3), 5), data }]).bytes);

  test('random bytes as LZW and Deflate data, seed 3: never accepted', { tags: ['quick', 'long'] }, async () => {
    const generator = new Random(3);
    for (let round = 0; round < (long ? 100 : 30); round++) {
      const data = Uint8Array.from({ length: generator.integer() % 3000 }, () => generator.integer() & 255);
      if (round % 2 === 0) data.set([0x80, 0]); // a clear code, so that the walk goes on
      await expect(lzwPage(data, 65)).rejects.toThrow(FormatError);
      expect(await inflated(data, 1e6)).toBeTypeOf('string');
    }
  });

  test('LZW codes by hand', async () => {
    const pack = (codes: number[]): Uint8Array => {
      const bits = codes.map((code) => code.toString(2).padStart(9, '0')).join('');
      return Uint8Array.from(bits.match(/.{1,8}/g) as string[], (byte) => Number.parseInt(byte.padEnd(8, '0'), 2));
    };
    const decoded = (codes: number[]): Promise<PixelPage> => lzwPage(pack(codes), 1);
    const damageOf = async (codes: number[]): Promise<string> =>
      decoded(codes).then(
        () => 'none',
        (error: FormatError) => error.found,
      );
    const growing = await decoded([256, 7, 258, 259, 257]); // 7, 77 (new), 777 (new)
    expect(viewOf(growing.samples)).toEqual(new Uint8Array(6).fill(7));
    const others = await decoded([256, 7, 8, 258, 7, 8, 257]); // 7, 8, 78, 7, 8
    expect(viewOf(others.samples)).toEqual(Uint8Array.of(7, 8, 7, 8, 7, 8));
    expect(await damageOf([256, 257])).toBe('data of 0 bytes');
    expect(await damageOf([256, 7, 258, 258, 257])).toBe('data of 5 bytes');
    expect(await damageOf([256, 7, 258, 259, 259, 257])).toBe('data of at least 9 bytes');
    expect(await damageOf([256, 7, 259, 257])).toBe('code 259 when the next new one is 258');
    expect(await damageOf([256, 256, 7, 257])).toBe('two clear codes in a row');
    expect(await damageOf([256, 258, 257])).toBe('code 258 right after a clear code');
    expect(await damageOf([7, 257])).toBe('code 7 where a clear code starts the data');
    expect(await damageOf([256, 7])).toBe('data that ends within a code, after 1 bytes');
  });
});
