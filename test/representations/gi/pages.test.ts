/**
 * Files with some of an image's pages: what is made again is what was there, what is missing is
 * done without, and no other list is taken.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createLibrary } from '../../../src/api.ts';
import { OptionError } from '../../../src/base/errors.ts';
import { memorySource } from '../../../src/containers/byte-source.ts';
import { sha256 } from '../../../src/containers/hash.ts';
import { sharpCodec } from '../../../src/containers/pixels-sharp.ts';
import { utifCodec } from '../../../src/containers/pixels-utif.ts';
import { readDirectories } from '../../../src/containers/tiff-directory.ts';
import { asciiJson, isolatePage, joinPages } from '../../../src/containers/tiff-writer.ts';
import { check } from '../../../src/engine/prepared.ts';
import { compose, rotation, translation } from '../../../src/math/pose.ts';
import { decodeGeometryImage, encodeGeometryImage } from '../../../src/representations/gi/format/codec.ts';
import { oddRoles, PAGE_ROLES, type PageRole } from '../../../src/representations/gi/format/pages.ts';
import { gi } from '../../../src/representations/gi/index.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import { assembleImage, type GeometryImage } from '../../../src/representations/gi/tree/geometry-image.ts';
import { treePixels } from '../../../src/representations/gi/tree/grid.ts';
import { verifyGeometryImage } from '../../../src/representations/gi/tree/verify.ts';
import { long } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';
import { refusal } from '../../support/refusal.ts';
import { bumpySphere, torus } from '../../support/shapes.ts';
import { ballImage, tiledFile } from '../../support/tiles.ts';

const images: [string, GeometryImage][] = [
  ['one square', buildGeometryImage(bumpySphere(7, 3), { size: 33 })],
  ['the spheres of the seed', buildGeometryImage(bumpySphere(8, 2), { size: 17, spheres: 'seed' })],
  ['charts', buildGeometryImage(torus(8, 6), { size: 17 })],
];

/** Every list of pages that a file may have. */
const lists: PageRole[][] = Array.from({ length: 1 << PAGE_ROLES.length }, (_, bits) =>
  PAGE_ROLES.filter((_, i) => (bits >> i) & 1),
).filter((roles) => oddRoles(roles) === null);

const write = (image: GeometryImage, pages: readonly PageRole[], codec = sharpCodec) =>
  encodeGeometryImage(image, codec, { pages });
const decode = async (bytes: Uint8Array, codec = sharpCodec) => (await decodeGeometryImage(bytes, codec)).asset;

test('ten lists are files: geometry, with normals or without, and nothing of spheres without them', () => {
  expect(lists.length).toBe(10);
});

describe.each(images)('%s', (_, image) => {
  test.each(lists.map((roles) => [roles.join(',')]))('%s', { tags: ['all'] }, async (list) => {
    const roles = list.split(',') as PageRole[];
    const bytes = await write(image, roles);
    const found = await decode(bytes);
    const { origin, step, tolerance } = image;
    const groups = image.groups.map((group) => ({
      ...group,
      normals: roles.includes('normals') ? group.normals : null,
      deviation: roles.includes('deviation') ? group.deviation : null,
    }));
    const options = { ...image.header.options, compression: 'deflate', pages: list };
    expect(found).toEqual(assembleImage({ origin, step }, groups, { ...image.header, options }, { tolerance }));
    expect(verifyGeometryImage(found).problems).toEqual([]);
    expect(await decode(await write(image, [...roles].reverse(), utifCodec), utifCodec)).toEqual(found);
    const info = await gi.describe(found, bytes);
    expect((info.pages as { role: string }[]).map(({ role }) => role)).toEqual(image.groups.flatMap(() => roles));
    expect(info).toMatchObject({
      madeOnLoading: ['spheres', 'slabs'].filter((role) => !roles.includes(role as PageRole)),
      doneWithout: ['normals', 'deviation'].filter((role) => !roles.includes(role as PageRole)),
      bytesPerTriangle: bytes.length / (2 * image.quads),
    });
  });
});

test('verdicts, lists and counts are those of all pages, seeds from 1', { tags: ['quick', 'long'] }, async () => {
  const [, image] = images[0];
  const whole = await decode(await encodeGeometryImage(image, sharpCodec));
  const least = await decode(await write(image, ['geometry']));
  for (let seed = 1; seed <= (long ? 67 : 12); seed++) {
    const random = seeded(seed);
    const turn = rotation(random.between(-1, 1), random.between(-1, 1), 1, random.between(0, 360));
    const poseB = compose(translation(random.between(1.4, 2.2), random.between(-0.4, 0.4), 0), turn);
    const options = { poseB, all: seed % 2 === 0 };
    const [expected, found] = [check(whole, whole, options), check(least, least, options)];
    expect({ ...found, ms: 0 }).toEqual({ ...expected, ms: 0 });
  }
});

test('without deviations the bound of the whole answers for the sources, and is as cautious or more, seeds from 1', {
  tags: ['quick', 'long'],
}, async () => {
  const [, image] = images[0];
  const bounded = await decode(await write(image, ['geometry', 'spheres']));
  expect(bounded.tolerance).toEqual(image.tolerance);
  const verdicts = new Set<string>();
  for (let seed = 1; seed <= (long ? 67 : 12); seed++) {
    const random = seeded(seed);
    const poseB = translation(random.between(1.6, 5), random.between(-0.2, 0.2), 0);
    const { verdict, bracket } = check(bounded, bounded, { poseB, source: true });
    verdicts.add(verdict);
    expect(verdict).not.toBe('contact');
    const known = check(image, image, { poseB, source: true });
    if (verdict === 'clear') expect(known.verdict).toBe('clear');
    if (bracket && known.bracket) expect(bracket.lower).toBeLessThanOrEqual(known.bracket.upper);
  }
  expect([...verdicts].sort()).toEqual(['clear', 'undecided']);
});

test('what is written again has all that was read, and says so', async () => {
  const [, image] = images[0];
  const read = await decode(await write(image, ['geometry', 'normals']));
  const again = await decode(await encodeGeometryImage(read, sharpCodec));
  expect(again.header.options.pages).toBeUndefined();
  expect(again.groups).toEqual(read.groups);
  await expect(write(read, ['geometry', 'spheres', 'deviation'])).rejects.toThrow(
    new OptionError('pages geometry,spheres,deviation: the image has no deviation'),
  );
});

test.each<[unknown, string]>([
  [[], 'pages : expected geometry, which is the surface'],
  [['normals', 'spheres'], 'pages normals,spheres: expected geometry, which is the surface'],
  [['geometry', 'slabs'], 'pages geometry,slabs: expected spheres, which the page of slabs is measured from'],
  [
    ['geometry', 'deviation'],
    'pages geometry,deviation: expected spheres, which the page of deviation is measured from',
  ],
  [['geometry', 'geometry'], 'pages geometry,geometry: expected a list of '],
  [['geometry', 'radii'], 'pages geometry,radii: expected a list of '],
  ['geometry', 'pages geometry: expected a list of '],
  [null, 'pages null: expected a list of '],
])('pages %j are refused', async (pages, message) => {
  const refused = encodeGeometryImage(images[0][1], sharpCodec, { pages: pages as PageRole[] });
  await expect(refused).rejects.toThrow(OptionError);
  await expect(refused).rejects.toThrow(message);
});

test('an embedded source goes with deviations alone', async () => {
  const image = buildGeometryImage(torus(8, 6), { size: 17, embedSource: true });
  await expect(write(image, ['geometry', 'spheres'])).rejects.toThrow(
    'pages geometry,spheres: expected deviation, which the embedded source needs',
  );
  expect((await decode(await write(image, ['geometry', 'spheres', 'deviation']))).source).toEqual(image.source);
});

test('a sheet whose geometry is so few bytes that no reader takes it is not written without its spheres', {
  tags: ['all'],
}, async () => {
  const geometry = new Uint16Array(3 * 2049 * 2049).fill(7);
  const tree = { page: new Uint16Array(4 * treePixels(11)), radiusSteps: new Float64Array(12) };
  const grid = { origin: new Float64Array(3), step: 1 };
  const header = { tool: 'test', source: null, units: null, options: {} };
  const sheet = assembleImage(
    grid,
    [{ exponent: 11, count: 1, geometry, normals: null, tree, deviation: null }],
    header,
  );
  await expect(write(sheet, ['geometry'])).rejects.toThrow(OptionError);
  await expect(write(sheet, ['geometry'])).rejects.toThrow(
    /^pages geometry: expected at most \d+ bytes of spheres to build, .*: write more pages$/,
  );
});

type Json = Record<string, unknown>;

/** A file of these of its pages, in this order, with its header edited. */
async function pagesOf(bytes: Uint8Array, order: readonly number[], edit: (json: Json) => void): Promise<Uint8Array> {
  const pages = readDirectories(bytes);
  const { sha256: _, ...json } = JSON.parse(pages[0].description!);
  json.pages = order.map((i) => json.pages[i]);
  edit(json);
  return joinPages(
    order.map((i) => isolatePage(bytes, pages[i])),
    asciiJson({ ...json, sha256: await sha256(new TextEncoder().encode(JSON.stringify(json))) }),
  );
}

describe('pages that no writer of ours would write are refused', () => {
  const group = (json: Json) => (json.groups as Json[])[0];
  const asVersion = (version: number) => (json: Json) => {
    json.version = version;
  };
  test.each<[string, number[], (json: Json) => void, RegExp]>([
    ['in another order', [0, 2, 1, 3, 4], () => {}, /expected the pages geometry normals spheres deviation slabs/],
    ['geometry behind normals', [1, 0, 2, 3, 4], () => {}, /expected the pages geometry normals/],
    ['no geometry', [1, 2, 3, 4], () => {}, /expected the page of geometry, which is the surface/],
    ['geometry twice', [0, 0, 2, 3, 4], () => {}, /expected the pages geometry spheres deviation slabs/],
    ['slabs twice', [0, 1, 2, 3, 4, 4], () => {}, /expected the pages geometry/],
    [
      'slabs of no spheres',
      [0, 4],
      (json) => delete group(json).radiusSteps,
      /spheres, which the page of (slabs|deviation)/,
    ],
    ['deviationStep without its page', [0, 1, 2, 4], () => {}, /expected deviationStep with a page of deviations/],
    [
      'a page of deviations without its step',
      [0, 1, 2, 3],
      (json) => delete group(json).deviationStep,
      /deviationStep/,
    ],
    [
      'radiusSteps without spheres',
      [0, 1],
      (json) => delete group(json).deviationStep,
      /no radiusSteps, of no spheres/,
    ],
    ['no spheres in version 3', [0, 1], asVersion(3), /spheres before version 4|no radiusSteps/],
    ['slabs in version 2', [0, 1, 2, 3, 4], asVersion(2), /slabs from version 3 on/],
    ['no pages', [0], (json) => Object.assign(json, { pages: [] }), /expected/],
  ])('%s', async (_, order, edit, message) => {
    const bytes = await encodeGeometryImage(images[0][1], sharpCodec);
    expect((await refusal(decode(await pagesOf(bytes, order, edit)))).message).toMatch(message);
  });

  test('a small file that asks for the spheres of very many charts', async () => {
    const side = 1024;
    const samples = new Uint16Array(3 * 4 * side * side);
    const page = await sharpCodec.encode({ width: 2 * side, height: 2 * side, channels: 3, samples }, 'deflate');
    const digest = await sha256(new Uint8Array(samples.buffer));
    const json = {
      ...{ format: 'gicollide geometry image', version: 4, tool: 'test', source: null, units: null, options: {} },
      ...{ origin: [0, 0, 0], step: 1, tolerance: null, groups: [{ size: 2, charts: side * side }] },
      pages: [{ role: 'geometry', sha256: digest }],
    };
    const signed = { ...json, sha256: await sha256(new TextEncoder().encode(JSON.stringify(json))) };
    // Within what a file of this length may decode to, but for the trees.
    const bytes = joinPages([page], asciiJson(signed), new Uint8Array(80_000));
    expect((await refusal(decode(bytes))).message).toMatch(/expected at most \d+ bytes of spheres to build, found \d+/);
  });
});

test('a file of version 3 without slabs has none, as ever; of version 4 they are made', async () => {
  const [, image] = images[0];
  const bytes = await encodeGeometryImage(image, sharpCodec);
  const older = await decode(await pagesOf(bytes, [0, 1, 2, 3], (json) => Object.assign(json, { version: 3 })));
  expect(older.groups[0].tree).toEqual({ ...image.groups[0].tree, slabs: undefined });
  expect((await decode(await pagesOf(bytes, [0, 1, 2, 3], () => {}))).groups).toEqual(image.groups);
});

describe('opened in parts', () => {
  const { openImage } = createLibrary(sharpCodec);
  const ball = ballImage(7, 5);
  const pages = (roles: PageRole[]) => tiledFile(ball, 16, roles).then((bytes) => openImage(memorySource(bytes)));

  test('not without spheres; without slabs a level is answered as by the whole image, seeds from 1', {
    tags: ['long'],
  }, async () => {
    expect((await pages(['geometry'])).isOnDemand).toBe(false);
    const some = await pages(['geometry', 'spheres']);
    expect(some.isOnDemand).toBe(true);
    const whole = (await some.read()).asset;
    const engines = new Set<string>();
    for (let seed = 1; seed <= (long ? 20 : 8); seed++) {
      const poseB = translation(seeded(seed).between(1.4, 2), 0, 0);
      for (const more of [{}, { all: true }, { level: 3 }]) {
        const found = await (await pages(['geometry', 'spheres'])).check(some, { poseB, ...more });
        const expected = check(whole, whole, { poseB, ...more });
        engines.add(found.engine);
        expect(found.verdict).toBe(expected.verdict);
        // Which contact is met first is the engine's.
        if ('all' in more) expect(found.contacts).toEqual(expected.contacts);
      }
    }
    expect([...engines]).toContain('tiles');
  });
});

test('box-17-v4.tiff, of geometry and normals, is what FORMAT.md says of it', async () => {
  // Written by: gicollide build assets/box.obj --size 17 --compression lzw --pages geometry,normals
  const bytes = readFileSync(new URL('../../golden/box-17-v4.tiff', import.meta.url));
  const format = readFileSync(new URL('../../../src/representations/gi/FORMAT.md', import.meta.url), 'utf8');
  const section = format.slice(format.indexOf('## Pages that are left out'), format.indexOf('## Slabs'));
  const stated = [...section.matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)].slice(2).map(([, , value]) => value);
  for (const codec of [sharpCodec, utifCodec]) {
    const { asset, warnings } = await decodeGeometryImage(bytes, codec);
    expect(warnings).toEqual([]);
    expect(verifyGeometryImage(asset)).toMatchObject({ checked: 341, problems: [] });
    const { groups, tolerance, header } = asset;
    const digest = await sha256(new Uint8Array(groups[0].geometry.slice().buffer));
    const sizes = readDirectories(bytes).map((page) => `${page.width} x ${page.height} x ${page.channels}`);
    expect([sizes.join(', '), digest.slice(0, 16), `${tolerance!.missing}`, header.options.pages]).toEqual(stated);
  }
});
