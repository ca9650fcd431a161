/** Directories and blocks of a file that is read in parts are those of the whole file. */
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { FormatError, InputError, OptionError } from '../../src/base/errors.ts';
import { BlockStore } from '../../src/containers/block-store.ts';
import { countReads, memorySource } from '../../src/containers/byte-source.ts';
import type { PixelPage } from '../../src/containers/pixels.ts';
import { nodeInflate } from '../../src/containers/pixels-node.ts';
import { sharpCodec } from '../../src/containers/pixels-sharp.ts';
import { inflate } from '../../src/containers/tiff-blocks.ts';
import { readDirectories, readDirectoriesOf, type TiffPage } from '../../src/containers/tiff-directory.ts';
import { isolatePage, joinPages } from '../../src/containers/tiff-writer.ts';
import { long } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { tiledCodec } from '../support/tiles.ts';
import { buildTiff, makePage, pageEntries, sampleBytes } from './tiff-fixture.ts';

const rgb = makePage('smooth', 70, 50, 3);
const rgba = makePage('random', 40, 33, 4);

const directoriesOf = (bytes: Uint8Array, readAhead?: number) => readDirectoriesOf(memorySource(bytes), {}, readAhead);

/** Blocks of a page put together, and the page as sharp has it. */
async function assembled(store: BlockStore, index: number): Promise<Uint16Array> {
  const { page, first, across } = store.pages[index];
  const { width, height, channels, blockWidth, blockHeight } = page;
  const ids = page.offsets.length;
  const needed = Array.from({ length: ids }, (_, i) => first + i);
  await store.load(needed);
  const samples = new Uint16Array(width * height * channels);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const id = first + Math.floor(y / blockHeight) * across + Math.floor(x / blockWidth);
      const o = channels * ((y % blockHeight) * blockWidth + (x % blockWidth));
      for (let k = 0; k < channels; k++) samples[(y * width + x) * channels + k] = store.blocks[id]![o + k];
    }
  }
  store.release(needed);
  return samples;
}

const encodings: [string, (page: PixelPage) => Promise<Uint8Array>][] = [
  ['strips', (page) => sharpCodec.encode(page, 'deflate')],
  ['tiles of 16', (page) => tiledCodec(16).encode(page, 'deflate')],
  ['tiles of 32 without predictor', (page) => tiledCodec(32, 'none').encode(page, 'deflate')],
  [
    'highest byte first',
    async (page) => {
      const data = deflateSync(sampleBytes(page, false));
      return buildTiff([{ entries: pageEntries(page, 8), data }], false).bytes;
    },
  ],
];

describe.each(encodings)('pages in %s', (_, encode) => {
  test.each([
    ['zlib', nodeInflate],
    ['streams', inflate],
  ])('are decoded as sharp does, by %s', { tags: ['all'] }, async (_name, by) => {
    for (const page of [rgb, rgba]) {
      const file = await encode(page);
      const source = memorySource(file);
      const pages = await readDirectoriesOf(source);
      const store = new BlockStore(source, pages, { inflate: by });
      expect(await assembled(store, 0)).toEqual((await sharpCodec.decode(isolatePage(file, pages[0]))).samples);
    }
  });
});

test('directories read in parts are those of the whole file, whatever a read brings along', async () => {
  const parts = await Promise.all([rgb, rgba].map((page) => tiledCodec(16).encode(page, 'deflate')));
  const attachment = new Uint8Array(100_000).fill(7);
  const file = joinPages(parts, 'x'.repeat(5000), attachment);
  const whole = readDirectories(file).map((page) => ({ ...page, attachment: null }));
  for (const readAhead of [0, 1, 100, 2 ** 16]) {
    const found = await directoriesOf(file, readAhead);
    expect(found.map((page) => ({ ...page, attachment: null }))).toEqual(whole);
  }
  const source = countReads(memorySource(file));
  await readDirectoriesOf(source, {}, 1000);
  // Neither the pixels nor the private tag.
  expect(source.counts.bytes).toBeLessThan(20_000);
});

test('a damaged file is refused in the words of the whole one, seeds 1 to 400', {
  tags: ['quick', 'long'],
}, async () => {
  const parts = await Promise.all([rgb, rgba].map((page) => tiledCodec(16).encode(page, 'deflate')));
  const file = joinPages(parts, '{"a": 1}');
  const head = Math.min(...readDirectories(file).flatMap((page) => [...page.offsets]));
  const outcome = async (read: () => TiffPage[] | Promise<TiffPage[]>): Promise<unknown> => {
    try {
      return await read();
    } catch (error) {
      expect(error).toBeInstanceOf(FormatError);
      return (error as FormatError).message;
    }
  };
  let refused = 0;
  for (let seed = 1; seed <= (long ? 6_700 : 400); seed++) {
    const random = seeded(seed);
    const bytes = random.below(8) === 0 ? file.slice(0, random.below(file.length)) : file.slice();
    for (let i = random.below(4); i >= 0; i--) bytes[random.below(Math.min(head, bytes.length))] = random.below(256);
    const whole = await outcome(() => readDirectories(bytes));
    expect(await outcome(() => directoriesOf(bytes, random.below(200)))).toEqual(whole);
    if (typeof whole === 'string') refused++;
  }
  expect(refused).toBeGreaterThan(100);
});

describe('a store', () => {
  const make = async (options: object = {}) => {
    const file = await tiledCodec(16).encode(rgb, 'deflate');
    const source = countReads(memorySource(file));
    const store = new BlockStore(source, await readDirectoriesOf(source), options);
    source.counts.bytes = source.counts.reads = 0;
    return { file, source, store };
  };
  const TILE = 16 * 16 * 3 * 2;

  test('keeps what is needed and as much else as it may, the latest', async () => {
    const { store } = await make({ cacheBytes: 3 * TILE });
    const there = () => store.blocks.flatMap((block, id) => (block ? [id] : []));
    await store.load([0, 1], [2, 3, 4]);
    expect(there()).toEqual([0, 1, 2]);
    store.release([0, 1]);
    store.used[1] = ++store.now;
    await store.load([5]);
    store.release([5]);
    expect(there()).toEqual([1, 2, 5]);
    await store.load([6, 7, 8, 9, 6]);
    expect(there()).toEqual([6, 7, 8, 9]);
    await store.load([10]);
    expect(there()).toEqual([6, 7, 8, 9, 10]);
    store.release([6, 7, 8, 9, 6]);
    await store.load([11]);
    expect(there()).toContain(10);
    expect(there()).toContain(11);
    expect(there()).toHaveLength(3);
  });

  test('reads a block once, whoever asks for it meanwhile', async () => {
    const { source, store } = await make();
    await Promise.all([store.load([3, 4]), store.load([4, 3]), store.load([4], [5])]);
    expect(store.counts.decoded).toBe(3);
    expect(source.counts.bytes).toBeLessThan(4 * TILE);
    await store.load([3, 4, 5]);
    expect(store.counts.decoded).toBe(3);
  });

  test('reads likely blocks along, and decodes them when they are needed', async () => {
    const { source, store } = await make();
    await store.load([0], [], [1, 2]);
    expect(store.counts.decoded).toBe(1);
    const { bytes } = source.counts;
    await store.load([2], [1]);
    expect(store.counts.decoded).toBe(3);
    expect(source.counts.bytes).toBe(bytes);
  });

  test.each([
    ['zlib', nodeInflate],
    ['streams', inflate],
  ])('refuses a damaged block, and no other, by %s', async (_, by) => {
    const { file } = await make();
    const [page] = readDirectories(file);
    for (let seed = 1; seed <= 60; seed++) {
      const random = seeded(seed);
      const bytes = file.slice();
      const tile = random.below(page.offsets.length);
      const at = page.offsets[tile] + random.below(page.byteCounts[tile]);
      bytes[at] ^= 1 << random.below(8);
      const store = new BlockStore(memorySource(bytes), [page], { inflate: by });
      const other = (tile + 1) % page.offsets.length;
      await store.load([other]);
      const error = await store.load([tile]).then(
        () => null,
        (reason) => reason,
      );
      // Bits that mean nothing to a stream there are: its level of compression.
      if (error === null) {
        const sound = new BlockStore(memorySource(file), [page]);
        await sound.load([tile]);
        expect(store.blocks[tile]).toEqual(sound.blocks[tile]);
        continue;
      }
      expect(error).toBeInstanceOf(FormatError);
      expect(error.message).toMatch(
        new RegExp(`^byte ${page.offsets[tile]}: expected deflate data of 1536 bytes in tile`),
      );
      expect(store.blocks[other]).toBeDefined();
      expect(store.blocks[tile]).toBeUndefined();
    }
  });

  test('names the file of a damaged block where it knows it', async () => {
    const { file } = await make();
    const [page] = readDirectories(file);
    const bytes = file.slice();
    bytes.fill(0, page.offsets[0], page.offsets[0] + page.byteCounts[0]);
    const store = new BlockStore(memorySource(bytes), [page], { name: 'a.tiff' });
    const error = await store.load([0]).catch((reason) => reason);
    expect(error).toBeInstanceOf(InputError);
    expect(error.message).toMatch(/^a\.tiff: byte \d+: expected deflate data of 1536 bytes in tile 0, found corrupt/);
  });

  test('refuses a block of more or fewer bytes than its page needs', async () => {
    const page = makePage('smooth', 16, 16, 3);
    const data = sampleBytes(page, true);
    for (const length of [data.length - 2, data.length + 2]) {
      const wrong = new Uint8Array(length);
      wrong.set(data.subarray(0, length));
      const file = buildTiff([{ entries: pageEntries(page, 8), data: deflateSync(wrong) }]).bytes;
      for (const by of [nodeInflate, inflate]) {
        const store = new BlockStore(memorySource(file), readDirectories(file), { inflate: by });
        await expect(store.load([0])).rejects.toThrow(FormatError);
      }
    }
  });

  test('takes no page whose blocks carry no checksum, and no limit that is none', async () => {
    const { file } = await make();
    const lzw = await sharpCodec.encode(rgb, 'lzw');
    expect(() => new BlockStore(memorySource(lzw), readDirectories(lzw))).toThrow(OptionError);
    expect(() => new BlockStore(memorySource(file), readDirectories(file), { cacheBytes: -1 })).toThrow(OptionError);
  });
});
