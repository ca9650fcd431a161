/** The command line's codec is sharp's, whether it loads sharp or not: pages of every shape, and damaged ones. */
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { FormatError } from '../../src/base/errors.ts';
import type { Compression, PixelPage } from '../../src/containers/pixels.ts';
import { nodeCodec } from '../../src/containers/pixels-node.ts';
import { sharpCodec } from '../../src/containers/pixels-sharp.ts';
import { readSinglePage } from '../../src/containers/tiff-directory.ts';
import { buildTiff, makePage, pageEntries, patterns, sampleBytes } from '../containers/tiff-fixture.ts';
import { long, some } from '../support/long.ts';
import { seeded } from '../support/random.ts';

const digits = ({ samples }: PixelPage): Buffer => Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);

async function outcomeOf(codec: typeof sharpCodec, tiff: Uint8Array): Promise<PixelPage | string> {
  try {
    return await codec.decode(tiff);
  } catch (error) {
    expect(error).toBeInstanceOf(FormatError);
    return String(error);
  }
}

/** Both decode to the same samples, or both refuse with the same words. */
async function expectAlike(tiff: Uint8Array): Promise<PixelPage | string> {
  const [ours, sharps] = [await outcomeOf(nodeCodec, tiff), await outcomeOf(sharpCodec, tiff)];
  if (typeof ours === 'string' || typeof sharps === 'string') expect(ours).toBe(sharps);
  else {
    expect({ ...ours, samples: null }).toEqual({ ...sharps, samples: null });
    expect(Buffer.compare(digits(ours), digits(sharps))).toBe(0);
  }
  return ours;
}

describe.each<Compression>(['deflate', 'none', 'lzw'])('%s', (compression) => {
  test.each(Object.keys(patterns))(
    '%s pages: one strip, several, tiles',
    { tags: ['all', 'long'] },
    async (pattern) => {
      for (const [width, height, channels] of some<[number, number, 3 | 4]>(3, [
        [17, 17, 3],
        [257, 257, 4],
        [513, 513, 4],
        [300, 41, 3],
        [513, 400, 3],
      ])) {
        const page = makePage(pattern, width, height, channels);
        const found = await expectAlike(await sharpCodec.encode(page, compression));
        expect(Buffer.compare(digits(found as PixelPage), digits(page))).toBe(0);
      }
    },
  );
});

/** A page in Deflate strips of so many rows. */
function inStrips(page: PixelPage, rows: number, littleEndian: boolean, predictor: boolean): Uint8Array {
  const rowSamples = page.width * page.channels;
  const strips: Buffer[] = [];
  const offsets: number[] = [];
  let end = 8;
  for (let y = 0; y < page.height; y += rows) {
    const samples = page.samples.subarray(y * rowSamples, (y + rows) * rowSamples);
    strips.push(deflateSync(sampleBytes({ ...page, samples }, littleEndian, predictor)));
    offsets.push(end);
    end += strips[strips.length - 1].length;
  }
  const entries = pageEntries(page, 8, {
    273: [273, 4, offsets],
    278: [278, 4, [rows]],
    279: [279, 4, strips.map((strip) => strip.length)],
    ...(predictor && { 317: [317, 3, [2]] }),
  });
  return buildTiff([{ entries, data: Buffer.concat(strips) }], littleEndian).bytes;
}

test.each([
  [true, true],
  [true, false],
  [false, true],
  [false, false],
])('strips of other writers: little-endian %s, differences %s', async (littleEndian, predictor) => {
  for (const rows of [1, 7, 29]) {
    const page = makePage('random', 33, 29, 4);
    const found = await expectAlike(inStrips(page, rows, littleEndian, predictor));
    expect(Buffer.compare(digits(found as PixelPage), digits(page))).toBe(0);
  }
});

test('bytes behind the end of a stream mean nothing', async () => {
  const page = makePage('smooth', 33, 29, 4);
  const data = Buffer.concat([deflateSync(sampleBytes(page, true)), Buffer.from('behind')]);
  const found = await expectAlike(buildTiff([{ entries: pageEntries(page, 8), data }]).bytes);
  expect(Buffer.compare(digits(found as PixelPage), digits(page))).toBe(0);
});

test('damaged pages, seed 7: the same samples or the same words', { tags: ['all', 'long'] }, async () => {
  const random = seeded(7);
  const outcomes = { read: 0, refused: 0 };
  for (let i = 0; i < (long ? 120 : 60); i++) {
    const page = makePage(random.pick(Object.keys(patterns)), 17 + random.below(40), 17 + random.below(40), 3);
    const tiff = await sharpCodec.encode(page, 'deflate');
    const { offsets, byteCounts } = readSinglePage(tiff);
    for (let hits = 1 + random.below(3); hits > 0; hits--) {
      tiff[offsets[0] + random.below(byteCounts[0])] ^= 1 << random.below(8);
    }
    outcomes[typeof (await expectAlike(tiff)) === 'string' ? 'refused' : 'read']++;
  }
  // A wrong checksum behind samples enough is no matter to libtiff, and so must not be to us.
  expect(outcomes.read).toBeGreaterThan(5);
  expect(outcomes.refused).toBeGreaterThan(5);
});
