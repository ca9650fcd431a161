/** The query by spheres alone (`bounds: 'spheres'`): verdicts, lists, and tests counted by hand. */
import { describe, expect, test } from 'vitest';
import { check } from '../../../src/api.ts';
import type { ReadOptions } from '../../../src/containers/blob.ts';
import { memorySource } from '../../../src/containers/byte-source.ts';
import { nodeInflate } from '../../../src/containers/pixels-node.ts';
import { sharpCodec } from '../../../src/containers/pixels-sharp.ts';
import type { CheckOptions } from '../../../src/engine/options.ts';
import { openPair } from '../../../src/engine/prepared.ts';
import type { Report, Visit } from '../../../src/engine/records.ts';
import { compose, identity, type Pose, rotation, translation } from '../../../src/math/pose.ts';
import { decodeGeometryImage, encodeGeometryImage } from '../../../src/representations/gi/format/codec.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import { type GeometryImage, toMesh } from '../../../src/representations/gi/tree/geometry-image.ts';
import { buildObbTree } from '../../../src/representations/obb/make/index.ts';
import { openImageBy } from '../../../src/representations/opened.ts';
import { nearContact, randomDirection, randomRotation } from '../../support/agreement.ts';
import { untilLook } from '../../support/clock.ts';
import { long, some } from '../../support/long.ts';
import { bruteForce } from '../../support/oracle.ts';
import { seeded } from '../../support/random.ts';
import { box, bumpySphere } from '../../support/shapes.ts';
import {
  dome,
  expectCornersToMeet,
  expectSheetsToMeet,
  expectTopsToMeet,
  flatSheet,
  LENGTHENINGS,
  sheetOf,
  unitSheet,
} from '../../support/sheets.ts';
import { atlasImage, ballImage, tiledFile } from '../../support/tiles.ts';

const METHODS = ['tight', 'seed'] as const;

const bySpheres = (a: GeometryImage, b: GeometryImage, options: CheckOptions = {}): Report =>
  check(a, b, { ...options, bounds: 'spheres' });

/** The image with slabs that must not be asked for. */
const withoutSlabs = (image: GeometryImage): GeometryImage => ({
  ...image,
  groups: image.groups.map((group) => ({
    ...group,
    tree: {
      page: group.tree.page,
      radiusSteps: group.tree.radiusSteps,
      get slabs(): Uint16Array {
        throw new Error('slabs were made');
      },
    },
  })),
});

/** Every contact, by spheres alone and by the oracle on the stored surfaces; returns how many. */
function expectOracle(a: GeometryImage, b: GeometryImage, poseA: Pose, poseB: Pose): number {
  const expected = bruteForce(toMesh(a), poseA, toMesh(b), poseB);
  const all = bySpheres(a, b, { poseA, poseB, all: true, maxContacts: 1e6 });
  expect(all.contacts).toEqual({ count: expected.length, complete: true, pairs: expected });
  const first = bySpheres(a, b, { poseA, poseB });
  for (const { verdict } of [all, first]) expect(verdict).toBe(expected.length > 0 ? 'contact' : 'clear');
  if (expected.length > 0) expect(expected).toContainEqual(first.contacts.pairs[0]);
  return expected.length;
}

/** Hills of random heights over a square of 2 by 2, 8 by 8 quads by default. */
function hills(seed: number, method: (typeof METHODS)[number], exponent = 3): GeometryImage {
  const random = seeded(seed);
  const grid = { origin: Float64Array.of(-1, -1, 0), step: 2 ** -14 };
  const wide = 32768 >> exponent;
  return sheetOf(grid, (row, column) => [wide * column, wide * row, random.below(9000)], { exponent, method });
}

describe('verdicts and lists', () => {
  const seeds = some(1, [11, 12, 13, 14]);
  test.each(seeds)('hundreds of poses of hills: the default search, and the oracle, seed %i', (seed) => {
    const random = seeded(seed);
    const counts = { contact: 0, clear: 0, listed: 0 };
    for (const method of METHODS) {
      const [a, b] = [hills(seed, method), hills(seed + 100, method)];
      for (let i = 0; i < 150; i++) {
        const poseA =
          i % 3 === 0 ? identity() : compose(translation(random.between(-9, 9), 2, -3), randomRotation(random));
        const apart = randomDirection(random).map((x) => x * random.between(0, 1.6)) as [number, number, number];
        const poseB = compose(compose(poseA, translation(...apart)), randomRotation(random));
        const { verdict } = check(a, b, { poseA, poseB });
        expect(bySpheres(a, b, { poseA, poseB }).verdict).toBe(verdict);
        counts[verdict as 'contact' | 'clear']++;
        if (i % 50 === 0) counts.listed += expectOracle(a, b, poseA, poseB);
      }
    }
    expect(Math.min(counts.contact, counts.clear)).toBeGreaterThan(30);
    expect(counts.listed).toBeGreaterThan(0);
  });

  test.each(some(1, [21, 22, 23]))(
    'closed images of two sizes, at the last contact and just beyond, seed %i',
    { tags: ['all', 'long'] },
    (seed) => {
      const random = seeded(seed);
      const a = buildGeometryImage(bumpySphere(seed, 1), { size: 33, spheres: METHODS[seed % 2] });
      const b = buildGeometryImage(bumpySphere(seed + 1000, 1), { size: 17, spheres: 'seed' });
      for (let i = 0; i < (long ? 6 : 2); i++) {
        const turn = randomRotation(random);
        const [inside, outside] = nearContact(a, b, identity(), turn, randomDirection(random));
        expect(expectOracle(a, b, identity(), inside)).toBeGreaterThan(0);
        expect(expectOracle(a, b, identity(), outside)).toBe(0);
        // The same, far out and turned: bounds are rounded once more.
        const far = compose(translation(1e5, -3e4, 7e5), randomRotation(random));
        expectOracle(a, b, far, compose(far, inside));
        expectOracle(a, b, far, compose(far, outside));
      }
    },
  );

  const withItself =
    (image: GeometryImage) =>
    (...poses: [Pose, Pose]) =>
      expectOracle(image, image, ...poses);

  test.each(LENGTHENINGS)(
    'sheets that touch in a corner, their spheres too, in poses that lengthen by %d and %d',
    { tags: ['all'] },
    (lengthA, lengthB) => expectCornersToMeet([lengthA, lengthB], withItself(flatSheet())),
  );

  test('sheets in an edge, in a corner, and apart by the last bit', { tags: ['all', 'long'] }, () =>
    expectSheetsToMeet(withItself(unitSheet())),
  );

  test('tops of domes that meet to the last bits, seed 5', { tags: ['all', 'long'] }, () =>
    expectTopsToMeet(5, withItself(dome())),
  );
});

describe('what is tested', () => {
  /** Two by two quads, 2 wide each, in the plane z = 0. Radii are rounded up to steps of 1/1024. */
  const quads = (exponent: number, method: (typeof METHODS)[number] = 'seed') =>
    sheetOf({ origin: new Float64Array(3), step: 1 / 1024 }, (row, column) => [2048 * column, 2048 * row, 0], {
      exponent,
      method,
    });

  /**
   * By hand: a root's radius is sqrt(8) about (2, 2), a quad's sqrt(2) about (1 or 3, 1 or 3). At a
   * height h the roots overlap up to h = sqrt(32), b's root and a's quads, sqrt(2) aside, up to 4,
   * quads and the one above up to sqrt(8), and the four beside it, 2 aside, up to 2.
   */
  test.each([
    [6, 1, 0],
    [5, 1 + 4, 0],
    [3, 1 + 4 + 4 * 4, 0],
    [2.5, 1 + 4 + 4 * 4, 4 * 4],
    [1, 1 + 4 + 4 * 4, 4 * 3 * 4],
  ])('two flat sheets of four quads, %d apart: %i spheres and %i triangles', (height, bounds, hulls) => {
    for (const method of METHODS) {
      const report = bySpheres(quads(1), quads(1, method), { poseB: translation(0, 0, height) });
      expect(report).toMatchObject({ verdict: 'clear', bounds: 'spheres', tests: { bounds, hulls } });
      expect(report.engine).toBe('search');
    }
  });

  test('the first contact ends the descent; all contacts test all 16 pairs of quads', () => {
    expect(bySpheres(quads(1), quads(1))).toMatchObject({ verdict: 'contact', tests: { bounds: 9, hulls: 1 } });
    const all = bySpheres(quads(1), quads(1), { all: true });
    expect(all).toMatchObject({ tests: { bounds: 21, hulls: 64 }, contacts: { complete: true } });
  });

  test('a root against four, in turns, a first; the deeper image goes on alone', () => {
    const visited: Visit[] = [];
    const [a, b] = [quads(3), quads(1)];
    const { tests } = bySpheres(a, b, { poseB: translation(0, 0, 0.5), onVisit: (visit) => visited.push(visit) });
    const nodes = visited.flatMap((visit) => (visit.kind === 'nodes' ? [`${visit.levelA}-${visit.levelB}`] : []));
    expect(nodes).toHaveLength(tests.bounds);
    expect(visited).toHaveLength(tests.bounds + tests.hulls);
    expect(nodes.slice(0, 6)).toEqual(['0-0', '1-0', '1-0', '1-0', '1-0', '1-1']);
    expect([...new Set(nodes)]).toEqual(['0-0', '1-0', '1-1', '2-1', '3-1']);
  });

  test('no slab is made, in memory or by tiles', async () => {
    const [made, other] = [hills(3, 'seed'), hills(4, 'tight')].map(withoutSlabs);
    expect(() => check(made, other)).toThrow('slabs were made');
    for (const options of [{}, { all: true }, { level: 2 }, { budget: 1e9 }, { lod: 2 }])
      bySpheres(made, other, options);
    const file = await encodeGeometryImage(
      buildGeometryImage(bumpySphere(6, 1), { size: 17, spheres: 'seed' }),
      sharpCodec,
      {
        pages: ['geometry', 'normals', 'spheres'],
      },
    );
    // Reading makes them, unless only spheres will be asked; then the first other question does.
    const slabsOf = async (options: ReadOptions, isFlattened: boolean) => {
      const { asset } = await decodeGeometryImage(file, sharpCodec, options);
      expect(bySpheres(asset, asset, { poseB: translation(0.5, 0, 0) }).verdict).toBe('contact');
      // Slabs that are there do not change with the samples.
      if (isFlattened) asset.groups[0].geometry.fill(0);
      return asset.groups[0].tree.slabs;
    };
    const whole = await slabsOf({}, false);
    expect(await slabsOf({}, true)).toEqual(whole);
    expect(await slabsOf({ bounds: 'spheres' }, false)).toEqual(whole);
    expect(await slabsOf({ bounds: 'spheres' }, true)).not.toEqual(whole);
  });

  test('an atlas, and opened images, have the same lists; tiles test the same', { tags: ['all', 'long'] }, async () => {
    const pose = compose(translation(1.3, 0.2, 0.1), rotation(1, 2, 3, 40));
    for (const image of [ballImage(5, 5), atlasImage([4, 3, 2], 5)]) {
      const opened = await openImageBy(sharpCodec, memorySource(await tiledFile(image, 16)), { inflate: nodeInflate });
      for (const options of [{}, { all: true }, { level: 3 }]) {
        const asked: CheckOptions = { ...options, poseB: pose, bounds: 'spheres' };
        const expected = check(image, image, asked);
        const { engine, bounds, tests, verdict, contacts } = await opened.check(opened, asked);
        expect({ engine, bounds, tests, verdict, contacts }).toEqual({
          ...{ engine: 'tiles', bounds: 'spheres', tests: expected.tests },
          ...{ verdict: expected.verdict, contacts: expected.contacts },
        });
        if (!('level' in options)) {
          expect(expected.verdict).toBe('contact');
          expect(expected.contacts.count).toBe(check(image, image, { ...options, poseB: pose }).contacts.count);
        }
      }
    }
  });
});

describe('within a time', () => {
  const [a, b] = [hills(7, 'seed', 5), hills(8, 'seed', 5)];
  const near: CheckOptions = { poseB: translation(0, 0, 0.57), bounds: 'spheres', budget: 5 };

  test('too little of it leaves it undecided, with a bracket that holds the distance', () => {
    const { distance } = check(a, b, { poseB: near.poseB!, distance: true });
    const pair = openPair(a, b);
    for (const looks of [2, 3, 5]) {
      const { verdict, bracket, bounds } = untilLook(looks, () => pair.report(near)).result;
      expect([verdict, bounds]).toEqual(['undecided', 'spheres']);
      expect(bracket!.lower).toBe(0);
      expect(bracket!.upper).toBeGreaterThanOrEqual(distance!);
    }
  });

  test('enough of it gives the verdict, and what bounds the distance', () => {
    const { distance } = check(a, b, { poseB: near.poseB!, distance: true });
    expect(distance).toBeGreaterThan(0);
    const { verdict, bracket, engine } = untilLook(1e9, () => check(a, b, near)).result;
    expect([verdict, engine]).toEqual(['clear', 'search']);
    expect(bracket!.lower).toBeLessThanOrEqual(distance!);
    expect(bracket!.upper).toBeGreaterThanOrEqual(distance!);
    const touching = untilLook(1e9, () => check(a, a, { ...near, poseB: identity() })).result;
    expect(touching).toMatchObject({ verdict: 'contact', bracket: { lower: 0, upper: 0 } });
  });
});

describe('what makes no sense is refused in one line', () => {
  const image = hills(9, 'tight');
  test.each([
    [{ bounds: 'cubes' }, 'bounds: expected "spheres", found "cubes"'],
    [{ bounds: '' }, 'bounds: expected "spheres", found ""'],
    [{ bounds: 'spheres', distance: true }, 'bounds: "spheres" decides only contact; leave out distance'],
    [{ bounds: 'spheres', clearance: 1 }, 'bounds: "spheres" decides only contact; leave out clearance'],
    [{ bounds: 'spheres', source: true }, 'bounds: "spheres" decides only contact; leave out source'],
    [{ bounds: 'spheres', path: 'common' }, 'bounds: "spheres" decides only contact; leave out path'],
    [{ bounds: 'spheres', solid: 'auto' }, 'bounds: "spheres" decides only contact; leave out solid'],
  ])('%j', (options, message) => {
    expect(() => check(image, image, options as CheckOptions)).toThrow(message);
  });

  test('kinds without spheres', () => {
    const tree = buildObbTree(box());
    for (const [p, q] of [
      [tree, tree],
      [image, tree],
    ])
      expect(() => check(p, q, { bounds: 'spheres' })).toThrow('bounds: both must be geometry images, found obb');
  });
});
