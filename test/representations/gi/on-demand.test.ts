/** Images of which tiles are read when a check enters them answer as those that are read whole. */
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { check, createLibrary } from '../../../src/api.ts';
import { FormatError, InputError, OptionError } from '../../../src/base/errors.ts';
import { type ByteSource, countReads, memorySource } from '../../../src/containers/byte-source.ts';
import { httpSource } from '../../../src/containers/http-source.ts';
import { nodeInflate } from '../../../src/containers/pixels-node.ts';
import { sharpCodec } from '../../../src/containers/pixels-sharp.ts';
import { readDirectories } from '../../../src/containers/tiff-directory.ts';
import type { Outcome, Query } from '../../../src/engine/records.ts';
import { compose, identity, type Pose, rotation, translation } from '../../../src/math/pose.ts';
import { encodeGeometryImage } from '../../../src/representations/gi/format/codec.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import { checkGeometryImages } from '../../../src/representations/gi/search/descent.ts';
import {
  checkOpenedImages,
  type OpenedImage,
  openGeometryImage,
} from '../../../src/representations/gi/search/on-demand.ts';
import { subsampledPages } from '../../../src/representations/gi/search/pages.ts';
import type { GeometryImage } from '../../../src/representations/gi/tree/geometry-image.ts';
import { subsample } from '../../../src/representations/gi/tree/subsample.ts';
import { buildObbTree } from '../../../src/representations/obb/make/index.ts';
import { long, some } from '../../support/long.ts';
import { bruteForce } from '../../support/oracle.ts';
import { type Random, seeded } from '../../support/random.ts';
import { type RangeServer, serveRanges } from '../../support/range-server.ts';
import { bumpySphere, torus } from '../../support/shapes.ts';
import { atlasImage, ballImage, tiledFile } from '../../support/tiles.ts';

const { openImage } = createLibrary(sharpCodec);

async function opened(source: ByteSource, options = {}): Promise<OpenedImage> {
  const image = await openGeometryImage(source, options);
  if (!image) throw new Error('expected an image that can be read in parts');
  return image;
}

const open = (file: Uint8Array, options = {}) => opened(memorySource(file), { inflate: nodeInflate, ...options });

const asked = (poseB: Pose, more: Partial<Query> = {}): Query => ({
  poseA: identity(),
  poseB,
  all: false,
  maxContacts: 10_000,
  level: null,
  ...more,
});

const poseOf = (random: Random, least: number, most: number): Pose => {
  const [x, y, z] = [0, 1, 2].map(() => random.between(-1, 1));
  const scale = random.between(least, most) / Math.sqrt(x * x + y * y + z * z);
  const turn = rotation(random.between(-1, 1), random.between(-1, 1), random.between(0.1, 1), random.between(0, 360));
  return compose(translation(scale * x, scale * y, scale * z), turn);
};

const withoutSlabs = (image: GeometryImage): GeometryImage => ({
  ...image,
  groups: image.groups.map((group) => ({ ...group, tree: { ...group.tree, slabs: undefined } })),
});

/** What the search of both images in memory says, first contact and all; without slabs, to the last count. */
function expectSame(found: Outcome, [a, b]: [GeometryImage, GeometryImage], query: Query): void {
  const { verdict, contacts } = checkGeometryImages(a, b, query);
  expect(found).toMatchObject({ verdict, contacts });
  expect(found).toEqual(checkGeometryImages(withoutSlabs(a), withoutSlabs(b), query));
}

const kinds: [string, () => [GeometryImage, GeometryImage], number][] = [
  ['129 x 129, tiles of 16', () => [ballImage(7, 5), ballImage(7, 7)], 16],
  ['atlases, tiles of 16', () => [atlasImage([5, 3, 1], 5), atlasImage([4, 2, 0], 7)], 16],
  ['an atlas and a ball, tiles of 48', () => [atlasImage([6, 4, 0], 5), ballImage(7, 6)], 48],
  ['257 x 257 and 65 x 65, tiles of 32', () => [ballImage(8, 5), ballImage(6, 3)], 32],
  ['513 x 513, tiles of 128', () => [ballImage(9, 9), ballImage(9, 4)], 128],
];

test('subsampled, by tiles and in memory: the verdict and list of an image of these samples, seeds from 1', {
  tags: ['all', 'long'],
}, async () => {
  const images: [GeometryImage, GeometryImage] = [ballImage(7, 5), ballImage(6, 3)];
  const files = [await tiledFile(images[0], 16), await tiledFile(images[1], 48)];
  const [a, b] = [await open(files[0]), await open(files[1])];
  const verdicts = new Set<string>();
  for (let seed = 1; seed <= (long ? 14 : 3); seed++) {
    const random = seeded(seed);
    const m = 1 + random.below(long ? 6 : 4);
    const [near, far] = seed % 3 === 0 ? [1.9, 2.1] : [0.1, 0.6];
    const query = asked(poseOf(random, near, far), { poseA: poseOf(random, 0, 0.01), all: seed % 2 === 0 });
    const views = images.map((image) => subsample(image, m)) as typeof images;
    const byTiles = await checkOpenedImages(subsampledPages(a, m), subsampledPages(b, m), query);
    const inMemory = checkGeometryImages(views[0], views[1], query);
    // A copy has its samples and a tree of its own, and nothing of the finer image.
    const own = checkGeometryImages({ ...views[0] }, { ...views[1] }, query);
    verdicts.add(own.verdict);
    for (const { verdict, contacts } of [byTiles.outcome, inMemory]) {
      expect(verdict).toBe(own.verdict);
      if (query.all) expect(contacts).toEqual(own.contacts);
    }
  }
  expect(verdicts.size).toBe(2);
});

describe.each(some(3, kinds))('%s', { tags: ['all', 'long'] }, (_, make, side) => {
  let images: [GeometryImage, GeometryImage];
  let files: [Uint8Array, Uint8Array];
  beforeAll(async () => {
    images = make();
    files = [await tiledFile(images[0], side), await tiledFile(images[1], side)];
  });

  test('verdicts and lists of the whole image, seeds from 1', async () => {
    const [a, b] = [await open(files[0]), await open(files[1])];
    const verdicts = new Set<string>();
    for (let seed = 1; seed <= (long ? 170 : 8); seed++) {
      const random = seeded(seed);
      const query = asked(poseOf(random, 1.4, 1.9), {
        all: seed % 2 === 0,
        ...(random.below(3) === 0 && { poseA: poseOf(random, 0, 0.01) }),
      });
      const { outcome } = await checkOpenedImages(a, b, query);
      verdicts.add(outcome.verdict);
      expectSame(outcome, images, query);
      const few = { ...query, all: true, maxContacts: 3 };
      expectSame((await checkOpenedImages(a, b, few)).outcome, images, few);
    }
    expect([...verdicts].sort()).toEqual(['clear', 'contact']);
  });

  test('whatever is in the cache and wherever the file is, the same to the last count, seeds from 1', async () => {
    const warm = [await open(files[0]), await open(files[1])];
    for (let seed = 1; seed <= (long ? 4 : 2); seed++) {
      const query = asked(poseOf(seeded(seed), 1.4, 1.9), { all: seed % 2 === 0 });
      const { outcome } = await checkOpenedImages(warm[0], warm[1], query);
      const far = (file: Uint8Array) => opened({ ...memorySource(file), isRemote: true, gap: 1000 });
      const tiny = { cacheBytes: query.all ? 24 * side * side * 8 : 0 };
      for (const [a, b] of [
        [await open(files[0]), await open(files[1])],
        [await open(files[0], tiny), await open(files[1], tiny)],
        [await far(files[0]), await far(files[1])],
      ]) {
        expect((await checkOpenedImages(a, b, query)).outcome).toEqual(outcome);
      }
    }
  });

  test('to a level: the outcome of the whole image, and a bound that the distance keeps, seeds from 1', async () => {
    const [a, b] = [await open(files[0]), await open(files[1])];
    const verdicts = new Set<string>();
    for (let seed = 1; seed <= (long ? 14 : 3); seed++) {
      const random = seeded(seed);
      const [poseA, poseB] = [poseOf(random, 0, 0.01), poseOf(random, 1.3, 2)];
      const distance = check(images[0], images[1], { poseA, poseB, distance: true }).distance as number;
      for (let level = 0; level <= 9; level += long ? 1 : 3) {
        const query = asked(poseB, { poseA, level, all: random.below(2) === 0 });
        const { outcome } = await checkOpenedImages(a, b, query);
        verdicts.add(outcome.verdict);
        expect(outcome).toEqual(checkGeometryImages(images[0], images[1], query));
        if (outcome.verdict === 'clear') expect(distance).toBeGreaterThan(0);
        if (outcome.verdict === 'undecided') expect(outcome.upper).toBeGreaterThanOrEqual(distance);
        expect(outcome.upper !== undefined).toBe(outcome.verdict === 'undecided');
      }
    }
    expect([...verdicts]).toEqual(expect.arrayContaining(['clear', 'undecided']));
  });

  test('within a time: never wrong, and a bracket that narrows as there is more of it, seeds from 1', async () => {
    const verdicts = new Set<string>();
    for (let seed = 1; seed <= (long ? 7 : 2); seed++) {
      const poseB = poseOf(seeded(seed), 1.5, 2);
      const distance = check(images[0], images[1], { poseB, distance: true }).distance as number;
      let least = Number.POSITIVE_INFINITY;
      // The clock stands still for so many looks.
      for (const looks of [0, 1, 2, 3, 5, 8, 13, 1e6]) {
        const [a, b] = [await open(files[0]), await open(files[1])];
        let reads = 0;
        const clock = vi.spyOn(performance, 'now').mockImplementation(() => (++reads > looks ? 1e12 : 0));
        const { outcome } = await checkOpenedImages(a, b, asked(poseB, { deadline: 1 })).finally(() =>
          clock.mockRestore(),
        );
        verdicts.add(outcome.verdict);
        if (looks === 1e6) expect(outcome.verdict).toBe(distance > 0 ? 'clear' : 'contact');
        if (outcome.verdict === 'contact') expect(distance).toBe(0);
        else {
          if (outcome.verdict === 'clear') expect(distance).toBeGreaterThan(0);
          expect(outcome.upper).toBeGreaterThanOrEqual(distance);
          expect(outcome.upper).toBeLessThanOrEqual(least);
          least = outcome.upper as number;
        }
      }
    }
    expect(verdicts.size).toBeGreaterThan(1);
  });

  test('an image with itself, and several checks at a time in a small cache, seeds 1 to 4', async () => {
    const cacheBytes = 24 * side * side * 8;
    const [a, b] = [await open(files[0], { cacheBytes }), await open(files[1], { cacheBytes })];
    const queries = Array.from({ length: 4 }, (_v, i) => asked(poseOf(seeded(i + 1), 1.4, 1.9), { all: i % 2 === 0 }));
    const answers = await Promise.all(queries.map((query) => checkOpenedImages(a, b, query)));
    for (const [i, { outcome }] of answers.entries()) {
      expectSame(outcome, images, queries[i]);
      const alone = await checkOpenedImages(await open(files[0]), await open(files[1]), queries[i]);
      expect(outcome).toEqual(alone.outcome);
    }
    const query = asked(translation(1.6, 0.1, 0.05), { all: true });
    expectSame((await checkOpenedImages(a, a, query)).outcome, [images[0], images[0]], query);
  });
});

describe('a file', () => {
  let image: GeometryImage;
  let file: Uint8Array;
  const near = asked(translation(1.55, 0.2, 0.1));
  beforeAll(async () => {
    image = ballImage(long ? 9 : 8, 5);
    file = await tiledFile(image, long ? 32 : 16);
  });

  test('is read at its top and where a search enters it', { tags: ['all'] }, async () => {
    const source = countReads(memorySource(file));
    const a = await opened(source);
    expect(a.store.counts.decoded).toBe(1);
    expect((await checkOpenedImages(a, a, asked(translation(3, 0, 0)))).outcome.verdict).toBe('clear');
    expect(a.store.counts.decoded).toBe(1);
    const { outcome } = await checkOpenedImages(a, a, near);
    expect(outcome.contacts.count).toBe(1);
    const tiles = a.store.blocks.length;
    expect(a.store.counts.decoded).toBeLessThan(tiles / 8);
    expect(source.counts.bytes).toBeLessThan(file.length / 4);
    // A second time it is all there.
    const { reads } = source.counts;
    await checkOpenedImages(a, a, near);
    expect(source.counts.reads).toBe(reads);
  });

  test('of four times the samples takes a few tiles more', { tags: ['all', 'long'] }, async () => {
    const tilesOf = async (exponent: number): Promise<number> => {
      const large = await open(await tiledFile(ballImage(exponent, 5), 32));
      await checkOpenedImages(large, large, near);
      return large.store.counts.decoded;
    };
    const [small, medium, large] = long
      ? [await tilesOf(7), await tilesOf(8), await tilesOf(9)]
      : [await tilesOf(6), await tilesOf(7), await tilesOf(8)];
    expect(medium - small).toBeLessThan(20);
    expect(large - medium).toBeLessThan(20);
  });

  test('with damaged tiles answers where it is sound, and refuses what it enters, seeds from 1', {
    tags: ['all', 'long'],
  }, async () => {
    const directories = readDirectories(file);
    const sound = (await checkOpenedImages(await open(file), await open(file), near)).outcome;
    const seen = { answered: 0, refused: 0 };
    for (let seed = 1; seed <= (long ? 24 : 12); seed++) {
      const random = seeded(seed);
      const bytes = file.slice();
      for (let k = 0; k < 12; k++) {
        const page = random.pick(directories);
        const tile = random.below(page.offsets.length);
        bytes[page.offsets[tile] + random.below(page.byteCounts[tile])] ^= 1 << random.below(8);
      }
      try {
        const a = await open(bytes);
        expect((await checkOpenedImages(a, a, near)).outcome).toEqual(sound);
        seen.answered++;
      } catch (error) {
        expect(error).toBeInstanceOf(FormatError);
        expect((error as FormatError).message).toMatch(
          /^byte \d+: expected deflate data of \d+ bytes in tile \d+, found /,
        );
        seen.refused++;
      }
    }
    expect(seen.answered).toBeGreaterThan(long ? 4 : 1);
    expect(seen.refused).toBeGreaterThan(long ? 4 : 1);
  });

  test('that is cut short, or whose tables lie, is refused before a tile is read', {
    tags: ['all', 'long'],
  }, async () => {
    for (let seed = 1; seed <= (long ? 32 : 16); seed++) {
      const random = seeded(seed);
      const bytes = seed % 2 === 0 ? file.slice(0, random.below(file.length)) : file.slice();
      if (seed % 2 === 1) {
        // A tile's offset or length, in the tables behind the first directory.
        const [{ offsets }] = readDirectories(file);
        const view = new DataView(bytes.buffer);
        let at = 8;
        while (view.getUint32(at, true) !== offsets[0]) at += 2;
        view.setUint32(at + 4 * random.below(offsets.length), file.length - random.below(20), true);
      }
      await expect(open(bytes)).rejects.toThrow(FormatError);
    }
  });

  test('whose header is damaged is refused', { tags: ['all'] }, async () => {
    const bytes = file.slice();
    const at = new TextDecoder('latin1').decode(bytes.subarray(0, 60_000)).indexOf('"step":');
    bytes[at + 8] ^= 1;
    await expect(open(bytes)).rejects.toThrow(/expected a header of format/);
  });

  test('that a source loses meanwhile gives that error, and the next check answers', { tags: ['all'] }, async () => {
    let isLost = false;
    const source: ByteSource = {
      ...memorySource(file),
      async read(offset, length) {
        if (isLost) throw new InputError('lost');
        return file.subarray(offset, offset + length);
      },
    };
    const a = await opened(source);
    isLost = true;
    await expect(checkOpenedImages(a, a, near)).rejects.toThrow('lost');
    isLost = false;
    expect((await checkOpenedImages(a, a, near)).outcome.verdict).toBe('contact');
  });
});

describe('openImage', () => {
  let server: RangeServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  test('gives the report of check, also for what takes the whole image', { tags: ['all', 'long'] }, async () => {
    const image = ballImage(long ? 8 : 6, 5);
    const file = await tiledFile(image, long ? 32 : 16);
    const [a, b] = [await openImage(memorySource(file)), await openImage(memorySource(file))];
    expect(a.isOnDemand).toBe(true);
    const whole = (await a.read()).asset;
    const fresh = await openImage(memorySource(file));
    for (const options of [
      { all: true },
      { level: 3 },
      { poseB: translation(2.5, 0, 0) },
      { distance: true, poseB: translation(2.5, 0, 0) },
      { clearance: 0.5, poseB: translation(1.8, 0, 0) },
      { lod: 4, all: true },
      { maxError: 0.3, all: true },
      { contactPoints: true, all: true },
      { path: 'common', all: true } as const,
    ]) {
      const wanted = { poseB: translation(1.57, 0.1, 0), fileA: 'a', fileB: 'b', maxContacts: 1e5, ...options };
      const known = check(whole, whole, wanted);
      for (const other of [b, whole]) {
        const report = await fresh.check(other, wanted);
        expect(Object.keys(report)).toEqual(Object.keys(known));
        expect({ ...report, engine: 0, ms: 0, tests: 0, level: 0 }).toEqual({
          ...known,
          engine: 0,
          ms: 0,
          tests: 0,
          level: 0,
        });
      }
    }
    for (const wrong of [{ axes: 3 }, { maxContacts: 0 }, { level: -1 }, { poseB: new Float64Array(16) }]) {
      await expect(a.check(b, wrong)).rejects.toThrow(OptionError);
    }
  });

  test('an atlas that loses samples is read whole, for its seams; one that keeps them is not', {
    tags: ['long'],
  }, async () => {
    const built = buildGeometryImage(torus(24, 12), { size: 65 });
    const file = await tiledFile(built, 16);
    const image = await openImage(memorySource(file));
    expect(image.isOnDemand).toBe(true);
    const poseB = translation(1.3, 0.1, 0.05);
    const most = built.groups[0].exponent;
    expect((await image.check(image, { poseB, lod: most })).engine).toBe('tiles');
    const { asset } = await image.read();
    for (const options of [{ lod: 2 }, { lod: most - 1 }, { maxError: 0.5 }, { maxError: 0 }]) {
      const fresh = await openImage(memorySource(file));
      const asked = { poseB, all: true, maxContacts: 1e5, ...options };
      const [report, known] = [await fresh.check(fresh, asked), check(asset, asset, asked)];
      expect(report.engine).not.toBe('tiles');
      expect([report.contacts, report.tolerance]).toEqual([known.contacts, known.tolerance]);
      expect(report.contacts.count).toBeGreaterThan(0);
    }
  });

  describe('of the sources', { tags: ['long'] }, () => {
    const meshes = [bumpySphere(1, 3), torus(24, 12)];
    const images = meshes.map((mesh, i) => buildGeometryImage(mesh, { size: i === 0 ? 65 : 33 }));

    const sources = meshes.map((mesh) => buildObbTree(mesh, { nodeBytes: 64 }));

    test.each(some(1, [31, 32, 33]))(
      'the verdict of the images that are read, true of the sources, seed %i',
      async (seed) => {
        const random = seeded(seed);
        const files = await Promise.all(images.map((image) => tiledFile(image, 16)));
        const verdicts = new Set<string>();
        for (let i = 0; i < (long ? 24 : 12); i++) {
          const poseB = poseOf(random, 1.5, 3);
          for (const [p, q] of [
            [0, 0],
            [0, 1],
            [1, 1],
          ]) {
            const [a, b] = [await openImage(memorySource(files[p])), await openImage(memorySource(files[q]))];
            for (const level of [0, 2, 4, 5, undefined]) {
              const options = { source: true, poseB, ...(level !== undefined && { level }) };
              const report = await a.check(b, options);
              expect(report.engine).toBe('tiles');
              const known = check(images[p], images[q], options);
              expect(report.verdict).toBe(known.verdict);
              verdicts.add(`${report.verdict} ${level}`);
              // The kernel, once it pays, has another bracket.
              if (known.engine === 'search') expect(report.bracket).toEqual(known.bracket);
              if (report.verdict === 'clear') expect(bruteForce(meshes[p], null, meshes[q], poseB)).toEqual([]);
              else expect(report.contacts.count).toBe(0);
              const distance = check(sources[p], sources[q], { distance: true, poseB }).distance!;
              const { lower, upper } = report.bracket!;
              expect(lower).toBeLessThanOrEqual(distance);
              expect(upper).toBeGreaterThanOrEqual(distance);
              expect(lower > 0).toBe(report.verdict === 'clear');
            }
          }
        }
        for (const known of [
          'clear 0',
          'undecided 0',
          'clear 4',
          'undecided 4',
          'clear undefined',
          'undecided undefined',
        ])
          expect(verdicts).toContain(known);
      },
    );

    test('where deviations stand in other blocks than the spheres, they are read whole; all else by tiles', async () => {
      // So writes what is small enough for one block: 513 x 513.
      const file = await encodeGeometryImage(buildGeometryImage(meshes[1], { size: 513 }), sharpCodec);
      const pages = readDirectories(file).filter(({ width }) => width === 768);
      expect(new Set(pages.map(({ blockWidth }) => blockWidth)).size).toBeGreaterThan(1);
      const image = await openImage(memorySource(file));
      expect(image.isOnDemand).toBe(true);
      const poseB = translation(2.5, 0.2, 0);
      expect((await image.check(image, { poseB, level: 3 })).engine).toBe('tiles');
      expect((await image.check(image, { poseB, level: 3, source: true })).engine).toBe('search');
    });

    test('an image that keeps its source is read for it; one without a tolerance is refused', async () => {
      const kept = await tiledFile(buildGeometryImage(meshes[0], { size: 33, embedSource: true }), 16);
      const image = await openImage(memorySource(kept));
      expect((await image.check(image, { source: true, level: 3 })).engine).not.toBe('tiles');
      const plain = await openImage(memorySource(await tiledFile(ballImage(5, 5), 16)));
      await expect(plain.check(plain, { source: true, level: 3 })).rejects.toThrow(
        /^source: an asset records no tolerance/,
      );
    });
  });

  test('reads ranges of a file on a server, in few rounds', { tags: ['all', 'long'] }, async () => {
    const file = await tiledFile(ballImage(long ? 9 : 8, 5), long ? 64 : 32);
    server = await serveRanges(file);
    const a = await openImage(await httpSource(server.url));
    const here = await openImage(memorySource(file));
    const wanted = { poseB: translation(1.6, 0.2, 0.1) };
    const report = await a.check(here, wanted);
    expect({ ...report, ms: 0 }).toEqual({ ...(await here.check(here, wanted)), ms: 0 });
    expect(server.bytes).toBeLessThan(file.length / 2);
    expect(a.counts.bytes).toBeLessThanOrEqual(file.length / 2);
    expect(server.requests.length).toBeLessThan(40);
    await a.close();
  });

  test('of a server that later ignores ranges or has another file says so', { tags: ['all', 'long'] }, async () => {
    const file = await tiledFile(ballImage(long ? 8 : 7, 5), 16);
    server = await serveRanges(file, ({ from, to }, response, count) => {
      if (count < 4) return false;
      response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${file.length}`, etag: '"other"' });
      response.end(file.subarray(from, to + 1));
      return true;
    });
    const a = await openImage(await httpSource(server.url));
    await expect(a.check(a, { poseB: translation(1.6, 0.2, 0.1) })).rejects.toThrow(/has changed while it was read/);
  });

  test('reads whole what it must: other compressions, and images by others', { tags: ['all'] }, async () => {
    const image = ballImage(6, 5);
    for (const compression of ['lzw', 'none'] as const) {
      const a = await openImage(memorySource(await encodeGeometryImage(image, sharpCodec, { compression })));
      expect(a.isOnDemand).toBe(false);
      expect((await a.check(a, { poseB: translation(1.6, 0, 0) })).verdict).toBe('contact');
      const b = await openImage(memorySource(await encodeGeometryImage(image, sharpCodec)));
      expect(b.isOnDemand).toBe(true);
      expect((await b.check(a, { poseB: translation(3, 0, 0) })).verdict).toBe('clear');
    }
    const { geometry } = image.groups[0];
    const foreign = await sharpCodec.encode({ width: 65, height: 65, channels: 3, samples: geometry }, 'deflate');
    const b = await openImage(memorySource(foreign));
    expect(b.isOnDemand).toBe(false);
    expect((await b.read()).warnings).toHaveLength(2);
    await expect(openImage(memorySource(new Uint8Array(100)))).rejects.toThrow(FormatError);
    await expect(openImage(memorySource(new Uint8Array(0)))).rejects.toThrow(FormatError);
  });
});
