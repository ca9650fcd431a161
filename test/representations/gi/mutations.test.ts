/**
 * Files from anywhere: valid ones, broken in every way that damage or malice would. Each gives the right image or an error of one
 * line; what a header of ours vouches for is right to the bit, and any other image has spheres that hold its vertices.
 *
 * The whole run, mutants and files that claim to be large, raises the peak of the process's memory by less than 256 MB, hence each
 * of them does.
 */
import { constants, deflateRawSync, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { InputError } from '../../../src/base/errors.ts';
import { sha256 } from '../../../src/containers/hash.ts';
import type { PixelPage } from '../../../src/containers/pixels.ts';
import { sharpCodec } from '../../../src/containers/pixels-sharp.ts';
import { utifCodec } from '../../../src/containers/pixels-utif.ts';
import { readDirectories } from '../../../src/containers/tiff-directory.ts';
import { asciiJson, isolatePage, joinPages } from '../../../src/containers/tiff-writer.ts';
import { Random } from '../../../src/math/numbers.ts';
import { decodeGeometryImage, encodeGeometryImage } from '../../../src/representations/gi/format/codec.ts';
import { gi } from '../../../src/representations/gi/index.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import type { ChartGroup, GeometryImage } from '../../../src/representations/gi/tree/geometry-image.ts';
import { nodeOffset } from '../../../src/representations/gi/tree/grid.ts';
import { verifyGeometryImage } from '../../../src/representations/gi/tree/verify.ts';
import { buildTiff, type Entry, makePage, pageEntries, sampleBytes } from '../../containers/tiff-fixture.ts';
import { squareOf } from '../../support/gi.ts';
import { long } from '../../support/long.ts';
import { bumpySphere, torus } from '../../support/shapes.ts';

const MEGABYTE = 2 ** 20;
const codecs = [sharpCodec, utifCodec];

/** A directory of a sound file: where it is, how many entries it has. */
interface Directory {
  at: number;
  count: number;
}

interface Seed {
  name: string;
  bytes: Uint8Array;
  littleEndian: boolean;
  directories: Directory[];
  /** What it decodes to; null where the file is not of our making. */
  image: GeometryImage | null;
}

/** How a mutant was made: `signed`, its header was edited and its digest computed anew. */
interface Mutant {
  bytes: Uint8Array;
  signed: boolean;
}

let seeds: Seed[];
/** Peak of the process's memory before the first file is read, in bytes. */
let peakBefore: number;
const peak = (): number => process.resourceUsage().maxRSS * 1024;

function seedOf(name: string, bytes: Uint8Array, image: GeometryImage | null): Seed {
  const littleEndian = bytes[0] === 0x49;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const directories: Directory[] = [];
  for (let at = view.getUint32(4, littleEndian); at !== 0; ) {
    const count = view.getUint16(at, littleEndian);
    directories.push({ at, count });
    at = view.getUint32(at + 2 + 12 * count, littleEndian);
  }
  return { name, bytes, littleEndian, directories, image };
}

async function makeSeeds(): Promise<Seed[]> {
  const made: Seed[] = [];
  const options = { units: 'mm', source: { name: 'bumpy.obj', sha256: 'ab'.repeat(32) } };
  for (const size of [17, 33]) {
    const image = buildGeometryImage(bumpySphere(size, long ? 2 : 1), { size, ...options });
    for (const compression of ['deflate', 'lzw', 'none'] as const) {
      const bytes = await encodeGeometryImage(image, sharpCodec, { compression });
      made.push(seedOf(`${size} ${compression}`, bytes, (await decodeGeometryImage(bytes, sharpCodec)).asset));
    }
  }
  const atlas = buildGeometryImage(torus(8, 6), { size: 17, embedSource: true, ...options });
  for (const compression of ['deflate', 'none'] as const) {
    const bytes = await encodeGeometryImage(atlas, sharpCodec, { compression });
    made.push(seedOf(`charts ${compression}`, bytes, (await decodeGeometryImage(bytes, sharpCodec)).asset));
  }
  const page = makePage('smooth', 17, 17, 3);
  for (const littleEndian of [true, false]) {
    for (const compression of [1, 8]) {
      const raw = sampleBytes(page, littleEndian);
      const data = compression === 1 ? raw : deflateSync(raw);
      const { bytes } = buildTiff([{ entries: pageEntries(page, compression), data }], littleEndian);
      made.push(seedOf(`foreign ${littleEndian ? 'II' : 'MM'} ${compression}`, bytes, null));
    }
  }
  const described = [...new TextEncoder().encode('{"origin":[1,-2,0.5],"step":0.25}'), 0];
  const entries = pageEntries(page, 1, { 270: [270, 2, described] });
  made.push(seedOf('foreign, described', buildTiff([{ entries, data: sampleBytes(page, true) }]).bytes, null));
  for (const compression of ['lzw', 'deflate'] as const) {
    const tiled = await sharp(makePage('smooth', 33, 33, 3).samples, { raw: { width: 33, height: 33, channels: 3 } })
      .toColourspace('rgb16')
      .tiff({ compression, predictor: 'horizontal', tile: true, tileWidth: 16, tileHeight: 16 })
      .toBuffer();
    made.push(seedOf(`foreign, tiles ${compression}`, Uint8Array.from(tiled), null));
  }
  made.push(seedOf('foreign, by utif', await utifCodec.encode(page, 'none'), null));
  return made;
}

const BYTES = [0, 1, 0x7f, 0x80, 0xff];
/** Sizes of images among them, so that a mutant may claim to be another one. */
const INTEGERS = [
  0,
  1,
  2,
  5,
  8,
  16,
  17,
  33,
  65,
  257,
  1025,
  8193,
  2 ** 15,
  2 ** 16 - 1,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
];

class Mutator {
  private readonly random: Random;
  constructor(seed: number) {
    this.random = new Random(seed);
  }

  private below(count: number): number {
    return this.random.integer() % Math.max(1, count);
  }

  private pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)];
  }

  /** Two places of a file in order, near each other half of the time. */
  private stretch(length: number): [number, number] {
    const from = this.below(length);
    const to = this.below(2) === 0 ? this.below(length + 1) : Math.min(length, from + 1 + this.below(64));
    return from <= to ? [from, to] : [to, from];
  }

  async mutant(): Promise<Mutant> {
    const seed = this.pick(seeds);
    if (seed.image !== null && this.below(12) === 0) return this.headerEdited(seed);
    let bytes: Uint8Array = seed.bytes.slice();
    for (let rounds = 1 + (this.below(4) === 0 ? 1 + this.below(3) : 0); rounds > 0; rounds--) {
      bytes = this.broken(bytes, seed);
    }
    return { bytes, signed: false };
  }

  private broken(bytes: Uint8Array, seed: Seed): Uint8Array {
    switch (this.below(10)) {
      case 0:
        for (let k = 1 + this.below(8); k > 0; k--) bytes[this.below(bytes.length)] ^= 1 << this.below(8);
        return bytes;
      case 1:
        for (let k = 1 + this.below(4); k > 0; k--) {
          bytes[this.below(bytes.length)] = this.below(2) === 0 ? this.pick(BYTES) : this.below(256);
        }
        return bytes;
      case 2:
      case 3:
        for (let k = 1 + this.below(2); k > 0; k--) this.writeInteger(bytes, seed);
        return bytes;
      case 4:
        return bytes.slice(0, this.below(bytes.length));
      case 5: {
        // A stretch removed, or twice.
        const [from, to] = this.stretch(bytes.length);
        return joined(
          bytes.subarray(0, this.below(2) === 0 ? from : to),
          bytes.subarray(this.below(2) === 0 ? to : from),
        );
      }
      case 6: {
        const [from, to] = this.stretch(bytes.length);
        const middle = from + this.below(to - from);
        const rest = [bytes.subarray(0, from), bytes.subarray(middle, to), bytes.subarray(from, middle)];
        return joined(...rest, bytes.subarray(to));
      }
      case 7: {
        const other = this.pick(seeds).bytes;
        if (this.below(2) === 0) {
          return joined(bytes.subarray(0, this.below(bytes.length)), other.subarray(this.below(other.length)));
        }
        const [from, to] = this.stretch(other.length);
        const at = this.below(bytes.length);
        bytes.set(other.subarray(from, to).subarray(0, bytes.length - at), at);
        return bytes;
      }
      case 8:
        this.shuffleEntries(bytes, this.pick(seed.directories));
        return bytes;
      default: {
        // Bytes of the first directory's neighbourhood: the header and its JSON stand there.
        const from = seed.directories[0].at;
        for (let k = 1 + this.below(2); k > 0; k--) {
          const at = Math.min(bytes.length - 1, from + this.below(1600));
          bytes[at] = this.below(2) === 0 ? 0x30 + this.below(10) : bytes[at] ^ (1 << this.below(8));
        }
        return bytes;
      }
    }
  }

  private writeInteger(bytes: Uint8Array, seed: Seed): void {
    const view = new DataView(bytes.buffer);
    const { at, count } = this.pick(seed.directories);
    const entry = at + 2 + 12 * this.below(count);
    const place = this.pick([4, at, entry, entry + 2, entry + 4, entry + 8, entry + 8, at + 2 + 12 * count]);
    const { length } = bytes;
    const value = this.pick([...INTEGERS, length - 1, length, length + 1, this.below(length), this.random.integer()]);
    if (place + 4 > length) return;
    if (this.below(2) === 0) view.setUint16(place, value & 0xffff, seed.littleEndian);
    else view.setUint32(place, value, seed.littleEndian);
  }

  private shuffleEntries(bytes: Uint8Array, { at, count }: Directory): void {
    if (at + 2 + 12 * count > bytes.length) return;
    for (let i = count - 1; i > 0; i--) {
      const first = at + 2 + 12 * i;
      const second = at + 2 + 12 * this.below(i + 1);
      const kept = bytes.slice(first, first + 12);
      bytes.copyWithin(first, second, second + 12);
      bytes.set(kept, second);
    }
  }

  /** A value of the header's JSON changed; half of them with a digest that is right again. */
  private async headerEdited({ bytes }: Seed): Promise<Mutant> {
    const pages = readDirectories(bytes);
    const { sha256: stated, ...json } = JSON.parse(pages[0].description as string);
    this.edit(json);
    const signed = this.below(2) === 0;
    const digest = signed ? await sha256(new TextEncoder().encode(JSON.stringify(json))) : stated;
    const isolated = pages.map((page) => isolatePage(bytes, page));
    return { bytes: joinPages(isolated, asciiJson({ ...json, sha256: digest })), signed };
  }

  private edit(json: Record<string, unknown> | unknown[]): void {
    const record = json as Record<string, unknown>;
    const key = this.pick(Object.keys(record));
    const value = record[key];
    if (typeof value === 'object' && value !== null && Object.keys(value).length > 0 && this.below(8) !== 0) {
      this.edit(value as Record<string, unknown>);
      return;
    }
    const strange = [null, true, [], {}, '', '\u0000\n\u2028gicollide', 1e308, -1, 2 ** 53, [[[]]], '__proto__'];
    const number = [0, -1, 0.5, 2, 1e-300, 1e300, 17, 33, this.random.unit(), 2 ** 31];
    if (this.below(8) === 0) delete record[key];
    else if (typeof value === 'number' && this.below(2) === 0)
      record[key] = value * this.pick([0.5, 2, -1, 1 + 2 ** -40]);
    else if (typeof value === 'number') record[key] = this.pick(number);
    else if (typeof value === 'string' && this.below(2) === 0) record[key] = value.slice(1) + String(this.below(10));
    else record[key] = this.pick(strange);
  }
}

function joined(...parts: Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const rootOf33 = nodeOffset(5, 0, 0, 0);

const viewOf = (samples: Uint16Array): Uint8Array =>
  new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
const same = (a: Uint16Array | null, b: Uint16Array | null): boolean =>
  a === null || b === null ? a === b : Buffer.compare(viewOf(a), viewOf(b)) === 0;
const sameSamples = (a: GeometryImage, b: GeometryImage): boolean =>
  a.groups.length === b.groups.length &&
  a.groups.every((p, i) => {
    const q = b.groups[i];
    return (
      same(p.geometry, q.geometry) &&
      same(p.normals, q.normals) &&
      same(p.tree.page, q.tree.page) &&
      same(p.deviation?.page ?? null, q.deviation?.page ?? null)
    );
  });

/** All that is not samples. */
const rest = (image: GeometryImage): string => {
  const { origin, step, groups, source, tolerance, header } = image;
  const sizes = groups.map(({ exponent, count, tree, deviation }) => {
    return [exponent, count, [...tree.radiusSteps], deviation?.step];
  });
  const kept = source && [source.positions, source.triangles, source.offsets, source.items].map((list) => [...list]);
  return JSON.stringify([[...origin], step, sizes, tolerance, header, kept]);
};

type Outcome = 'refused' | 'ours' | 'foreign';

/** Decodes by both codecs and holds what comes to the contract. */
async function judge({ bytes, signed }: Mutant): Promise<Outcome[]> {
  const results = await Promise.all(
    codecs.map((codec) => decodeGeometryImage(bytes, codec).catch((error: unknown) => error as Error)),
  );
  const images: GeometryImage[] = [];
  const outcomes = results.map((result): Outcome => {
    if (result instanceof Error) {
      if (!(result instanceof InputError)) throw result;
      if (!/^[^\p{Cc}\p{Zl}\p{Zp}]{10,400}$/u.test(result.message)) throw new Error(`message: ${result.message}`);
      return 'refused';
    }
    images.push(result.asset);
    const foreign = result.warnings.some((warning) => warning.includes('built on loading'));
    if (foreign) {
      if (verifyGeometryImage(result.asset).problems.length > 0) throw new Error('spheres that do not hold');
      return 'foreign';
    }
    const original = seeds.find(({ image }) => image !== null && sameSamples(image, result.asset));
    if (original === undefined) throw new Error('samples that are none');
    if (signed) verifyGeometryImage(result.asset);
    else if (!seeds.some(({ image }) => image !== null && rest(image) === rest(result.asset))) {
      throw new Error('a header that is none');
    }
    return 'ours';
  });
  if (images.length === 2 && !(sameSamples(images[0], images[1]) && rest(images[0]) === rest(images[1]))) {
    throw new Error('two codecs, two images');
  }
  if (images.length > 0) await gi.describe(images[0], bytes);
  return outcomes;
}

/** The hostile files are read before the mutants, whose memory would hide theirs. */
beforeAll(async () => {
  seeds = await makeSeeds();
  for (const seed of seeds) await judge({ bytes: seed.bytes, signed: false });
  peakBefore = peak();
});

test('the files that are broken below are sound', async () => {
  for (const { bytes, image } of seeds) {
    const outcomes = await judge({ bytes, signed: false });
    const expected = image === null ? 'foreign' : 'ours';
    expect(outcomes).toEqual([expected, expected]);
  }
});

/** A file of one page with a strip, or strips of a row, of `data`. */
function claim(side: number, compression: number, data: Uint8Array, changes: Record<number, Entry> = {}): Uint8Array {
  const page = { width: side, height: side, channels: 3, samples: new Uint16Array(0) } as PixelPage;
  return buildTiff([{ entries: pageEntries(page, compression, changes), data }]).bytes;
}

/** LZW that makes much of little: the strings of one byte's repetitions, each a byte longer than the one before. */
function lzwOfZeros(bytes: number): Uint8Array {
  const out: number[] = [];
  let held = 0;
  let bits = 0;
  let width = 9;
  const put = (code: number): void => {
    held = held * 2 ** width + code;
    bits += width;
    while (bits >= 8) {
      bits -= 8;
      out.push(Math.floor(held / 2 ** bits));
      held %= 2 ** bits;
    }
  };
  for (let made = 0; made < bytes; ) {
    put(256);
    width = 9;
    let free = 258;
    put(0);
    made++;
    for (let size = 2; free < 1900 && made + size <= bytes; size++) {
      put(free);
      free++;
      made += size;
      if (free + 1 === 2 ** width) width++;
    }
    while (made < bytes && bytes - made < 2000) {
      put(0);
      free++;
      made++;
      if (free + 1 === 2 ** width) width++;
    }
  }
  put(257);
  width = 8;
  put(0);
  return Uint8Array.from(out);
}

/** A zlib stream of so many zeros: the blocks of a megabyte again and again, which takes no memory to speak of and no time. */
function zeros(bytes: number): Uint8Array {
  const piece = new Uint8Array(MEGABYTE);
  const block = deflateRawSync(piece, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const blocks = Array.from({ length: Math.floor(bytes / MEGABYTE) }, () => block);
  const last = deflateRawSync(piece.subarray(0, bytes % MEGABYTE), { level: 9 });
  // Adler-32 of zeros: 1, and how many they are.
  const sum = Buffer.alloc(4);
  sum.writeUInt16BE(bytes % 65521, 0);
  sum.writeUInt16BE(1, 2);
  return joined(Uint8Array.of(0x78, 0xda), ...blocks, last, sum);
}

const hostile: [string, () => Uint8Array, RegExp][] = [
  ['8193 x 8193 of a few bytes', () => claim(8193, 8, zeros(1000)), /bytes of pixels in a file of/],
  ['8193 x 8193 that Deflate fills', () => claim(8193, 8, zeros(6 * 8193 ** 2)), /bytes of pixels/],
  ['2049 x 2049 that Deflate fills', () => claim(2049, 8, zeros(6 * 2049 ** 2)), /bytes of pixels/],
  ['2049 x 2049 that LZW fills', () => claim(2049, 5, lzwOfZeros(6 * 2049 ** 2)), /bytes of pixels/],
  ['1025 x 1025 that Deflate fills not quite', () => claim(1025, 8, zeros(6 * 1025 ** 2 - 6)), /deflate/],
  ['a byte count of 4 GB', () => claim(17, 1, new Uint8Array(1734), { 279: [279, 4, [0xffffffff]] }), /strip 0 within/],
  ['JSON of 100,000 levels for an origin', () => described(`{"origin":${nested(100_000)},"step":1}`), /64 levels/],
  [
    'JSON of 100,000 levels for a format',
    () => described(`{"format":${nested(100_000)},"by":"gicollide"}`),
    /64 levels/,
  ],
  ['a line that ends', () => described('{"format":"a\u2028\u0085b","by":"gicollide"}'), /found "a\\u2028\\u0085b"/],
];

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

function described(text: string): Uint8Array {
  const page = makePage('ramp', 17, 17, 3);
  const entries = pageEntries(page, 1, { 270: [270, 2, [...new TextEncoder().encode(text), 0]] });
  return buildTiff([{ entries, data: sampleBytes(page, true) }]).bytes;
}

test.each([
  ['100 MB of Deflate', 8, () => zeros(1e8)],
  ['10 MB of LZW', 5, () => lzwOfZeros(1e7)],
] as const)('17 x 17 pixels of %s: the first 1734 bytes, or refused', async (_, compression, make) => {
  const bytes = claim(17, compression, make());
  for (const codec of codecs) {
    const result = await decodeGeometryImage(bytes, codec).catch((error: unknown) => error as Error);
    if (result instanceof Error) expect(result).toBeInstanceOf(InputError);
    else expect(squareOf(result.asset).geometry).toEqual(new Uint16Array(867));
  }
});

test.each(hostile)('%s: refused', async (_, make, message) => {
  const bytes = make();
  for (const codec of codecs) {
    const result = await decodeGeometryImage(bytes, codec).catch((error: unknown) => error as Error);
    expect(result).toBeInstanceOf(InputError);
    expect((result as Error).message).toMatch(message);
  }
});

test.each<[string, (group: ChartGroup) => void, RegExp]>([
  ['no radii at all', ({ tree }) => tree.radiusSteps.fill(0), /^the sphere of level 5, row 0, column 0 does not hold/],
  ['a level of short radii', ({ tree }) => (tree.radiusSteps[2] *= 0.9), /^the sphere of level 2, row 0, column 0 /],
  [
    'a root that is elsewhere',
    ({ tree }) => (tree.page[rootOf33] ^= 0x8000),
    /^the sphere of level 0, row 0, column 0 /,
  ],
  [
    'a vertex that is elsewhere',
    ({ geometry }) => (geometry[3 * (32 * 33 + 32)] ^= 0x8000),
    /^the sphere of level 5, row 31, column 31 /,
  ],
])('a header may vouch for %s: the file is read, and verify refutes it', async (_, tamper, problem) => {
  const image = structuredClone(seeds.find(({ name }) => name === '33 lzw')?.image as GeometryImage);
  tamper(image.groups[0]);
  for (const codec of codecs) {
    const { asset, warnings } = await decodeGeometryImage(await encodeGeometryImage(image, sharpCodec), codec);
    expect(warnings).toEqual([]);
    expect(sameSamples(asset, image)).toBe(true);
    expect(verifyGeometryImage(asset).problems[0]).toMatch(problem);
  }
});

const batches = Array.from({ length: long ? 17 : 2 }, (_, i) => 1000 + i);
const perBatch = long ? 340 : 60;
const counts: Record<Outcome, number> = { refused: 0, ours: 0, foreign: 0 };

// The last test counts what those before it saw.
describe('mutants', { tags: ['all', 'long'], shuffle: false }, () => {
  test.each(batches)(`${perBatch} mutants, seed %i`, async (seed) => {
    const mutator = new Mutator(seed);
    for (let round = 0; round < perBatch; round++) {
      const mutant = await mutator.mutant();
      const outcomes = await judge(mutant).catch((cause: unknown) => {
        throw new Error(`mutant ${round} of seed ${seed}`, { cause });
      });
      for (const outcome of outcomes) counts[outcome]++;
    }
  });

  test('mutants ended in every way, and memory stayed low', () => {
    const decoded = 2 * batches.length * perBatch;
    expect(counts.refused).toBeGreaterThan(decoded / 10);
    expect(counts.ours).toBeGreaterThan(decoded / 100);
    expect(counts.foreign).toBeGreaterThan(decoded / 100);
    expect((peak() - peakBefore) / MEGABYTE).toBeLessThan(256);
  });
});
