/** Images of several charts: what the image of one square says, an atlas of pieces of it says as well. */
import { describe, expect, test } from 'vitest';
import '../../../src/representations/everything.ts';
import { OptionError } from '../../../src/base/errors.ts';
import { sharpCodec } from '../../../src/containers/pixels-sharp.ts';
import { utifCodec } from '../../../src/containers/pixels-utif.ts';
import { readDirectories } from '../../../src/containers/tiff-directory.ts';
import { check } from '../../../src/engine/prepared.ts';
import { compose, translation } from '../../../src/math/pose.ts';
import { decodeGeometryImage, encodeGeometryImage } from '../../../src/representations/gi/format/codec.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import {
  assembleImage,
  type ChartGroup,
  countReversed,
  type GeometryImage,
  toMesh,
} from '../../../src/representations/gi/tree/geometry-image.ts';
import { sizeOf } from '../../../src/representations/gi/tree/grid.ts';
import { depthOf, spheresOfLevel } from '../../../src/representations/gi/tree/levels.ts';
import { buildSphereTrees } from '../../../src/representations/gi/tree/sphere-tree.ts';
import { subsample } from '../../../src/representations/gi/tree/subsample.ts';
import { hullOfGeometryImage } from '../../../src/representations/gi/tree/unfold.ts';
import { verifyGeometryImage } from '../../../src/representations/gi/tree/verify.ts';
import { randomRotation } from '../../support/agreement.ts';
import { squareOf } from '../../support/gi.ts';
import { long, some } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';
import { bumpySphere, torus } from '../../support/shapes.ts';

/** The squares of `exponent` at these corners of a square image. */
function cutOut(image: GeometryImage, exponent: number, corners: number[][]): ChartGroup {
  const square = squareOf(image);
  const [whole, size] = [sizeOf(square.exponent), sizeOf(exponent)];
  const cut = (samples: Uint16Array): Uint16Array => {
    const out = new Uint16Array(3 * size * size * corners.length);
    corners.forEach(([top, left], slot) => {
      for (let row = 0; row < size; row++) {
        const from = 3 * ((top + row) * whole + left);
        out.set(samples.subarray(from, from + 3 * size), 3 * (slot * size + row) * size);
      }
    });
    return out;
  };
  const geometry = cut(square.geometry);
  const tree = buildSphereTrees(geometry, exponent, corners.length, image);
  return { exponent, count: corners.length, geometry, normals: cut(square.normals!), tree, deviation: null };
}

const whole = buildGeometryImage(bumpySphere(4, long ? 3 : 1), { size: 65 });

/** The image in pieces: three quarters whole, of one quad's chart to the 33s' every size that there can be. */
function tear(image: GeometryImage): GeometryImage {
  const groups = [
    cutOut(image, 5, [
      [0, 32],
      [32, 0],
      [0, 0],
    ]),
  ];
  // The last quarter: three quarters of it in the next size, and so on, down to charts of one quad.
  let corner = 32;
  for (let exponent = 4; exponent >= 0; exponent--) {
    const side = 1 << exponent;
    const next = corner + side;
    const corners = [
      [corner, corner],
      [corner, next],
      [next, corner],
    ];
    if (exponent === 0) corners.push([next, next]);
    groups.push(cutOut(image, exponent, corners));
    corner = next;
  }
  return assembleImage(image, groups, image.header);
}

const atlas = tear(whole);

/** A triangle by its corners, wherever it is numbered. */
function nameOf(image: GeometryImage, triangle: number): string {
  const corners = new Float64Array(9);
  hullOfGeometryImage(image, triangle, corners);
  return [0, 3, 6]
    .map((k) => corners.subarray(k, k + 3).join())
    .sort()
    .join(' ');
}

const namesOf = (image: GeometryImage) => Array.from({ length: 2 * image.quads }, (_, t) => nameOf(image, t));

test('an atlas has every triangle of its pieces, in the hulls’ order', { tags: ['quick', 'long'] }, () => {
  expect(atlas.charts).toBe(3 + 3 * 4 + 4);
  expect(atlas.quads).toBe(64 * 64);
  const names = namesOf(atlas);
  expect(names.slice().sort()).toEqual(namesOf(whole).sort());
  const { positions, triangles } = toMesh(atlas);
  const fromMesh = names.map((_, t) =>
    [0, 1, 2]
      .map((k) => positions.subarray(3 * triangles[3 * t + k], 3 * triangles[3 * t + k] + 3).join())
      .sort()
      .join(' '),
  );
  expect(fromMesh).toEqual(names);
  expect(countReversed(atlas)).toBe(countReversed(whole));
});

test.each(some(1, [1, 2, 3]))(
  'verdicts and lists are those of the whole image, native and common, seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = seeded(seed);
    const names = new Map([whole, atlas].map((image) => [image, namesOf(image)]));
    for (let i = 0; i < (long ? 4 : 2); i++) {
      const poseA = i % 2 === 0 ? translation(0, 0, 0) : randomRotation(random);
      const poseB = compose(
        translation(...([0, 1, 2].map(() => random.between(-1.3, 1.3)) as [number, number, number])),
        randomRotation(random),
      );
      const lists = [];
      for (const [a, b] of [
        [whole, whole],
        [atlas, whole],
        [whole, atlas],
        [atlas, atlas],
      ]) {
        for (const path of [{}, { path: 'common' } as const]) {
          const all = check(a, b, { poseA, poseB, all: true, maxContacts: 1e7, ...path });
          const first = check(a, b, { poseA, poseB, ...path });
          expect(first.verdict).toBe(all.verdict);
          lists.push(all.contacts.pairs.map(([p, q]) => `${names.get(a)![p]} | ${names.get(b)![q]}`).sort());
          const cut = check(a, b, { poseA, poseB, level: 3, ...path });
          expect([all.verdict, 'undecided']).toContain(cut.verdict);
        }
      }
      for (const list of lists) expect(list).toEqual(lists[0]);
    }
  },
);

test('lists end at the most contacts that are asked for', { tags: ['quick', 'long'] }, () => {
  const poseB = translation(0.4, 0.1, 0);
  const count = check(atlas, atlas, { poseB, all: true, maxContacts: 1e7 }).contacts.count;
  expect(count).toBeGreaterThan(20);
  const { contacts } = check(atlas, atlas, { poseB, all: true, maxContacts: 20 });
  expect([contacts.count, contacts.complete]).toEqual([20, false]);
  const exactly = check(atlas, atlas, { poseB, all: true, maxContacts: count }).contacts;
  expect([exactly.count, exactly.complete]).toEqual([count, true]);
});

describe('levels', { tags: ['quick', 'long'] }, () => {
  test('the spheres of every level hold every vertex', () => {
    const { positions } = toMesh(atlas);
    for (let level = 0; level <= depthOf(atlas); level += long ? 1 : 3) {
      const spheres = spheresOfLevel(atlas, level);
      const lost: number[] = [];
      for (let v = 0; v < positions.length; v += 3) {
        let held = false;
        for (let s = 0; s < spheres.length && !held; s += 4) {
          const x = positions[v] - (atlas.origin[0] + spheres[s] * atlas.step);
          const y = positions[v + 1] - (atlas.origin[1] + spheres[s + 1] * atlas.step);
          const z = positions[v + 2] - (atlas.origin[2] + spheres[s + 2] * atlas.step);
          held = Math.sqrt(x ** 2 + y ** 2 + z ** 2) <= spheres[s + 3] * (1 + 1e-12);
        }
        if (!held) lost.push(v / 3);
      }
      expect(lost, `level ${level}`).toEqual([]);
    }
    expect(spheresOfLevel(atlas, 0)).toHaveLength(4);
    expect(spheresOfLevel(atlas, depthOf(atlas)).length / 4).toBe(atlas.quads);
    expect(() => spheresOfLevel(atlas, depthOf(atlas) + 1)).toThrow(OptionError);
  });

  test('verify proves the spheres over the charts, and sees one that is too small', () => {
    const { problems, checked } = verifyGeometryImage(atlas);
    expect(problems).toEqual([]);
    // Of every chart all of its levels; over them one less than there are charts.
    const own = atlas.groups.reduce((sum, { count, exponent }) => sum + (count * (4 ** (exponent + 1) - 1)) / 3, 0);
    expect(checked).toBe(own + atlas.charts - 1);
    const torn = tear(whole);
    torn.roots.spheres[3] *= 0.9;
    expect(verifyGeometryImage(torn).problems.join()).toMatch(/sphere 0 over the charts does not hold chart/);
    const shrunk = tear(whole);
    shrunk.groups[1].tree.page[4 * 24 * 16 + 3] >>= 1;
    expect(verifyGeometryImage(shrunk).problems.join()).toMatch(/chart 4: the sphere of level 4, row 0, column 0/);
  });
});

describe('files', () => {
  test.each(some(1, ['deflate', 'lzw', 'none'] as const))(
    '%s: what is written is read, by both codecs',
    { tags: ['all', 'long'] },
    async (compression) => {
      const bytes = await encodeGeometryImage(atlas, sharpCodec, { compression });
      expect(readDirectories(bytes)).toHaveLength(4 * 6);
      for (const codec of [sharpCodec, utifCodec]) {
        const { asset, warnings } = await decodeGeometryImage(bytes, codec);
        expect(warnings).toEqual([]);
        expect({ ...asset, header: null }).toEqual({ ...atlas, header: null });
      }
    },
  );

  test('charts of one size stand side by side', { tags: ['quick', 'long'] }, async () => {
    const pages = readDirectories(await encodeGeometryImage(atlas, sharpCodec));
    const shapes = pages.map(({ width, height, channels }) => `${width} x ${height} x ${channels}`);
    expect(shapes.slice(0, 3)).toEqual(['66 x 66 x 3', '66 x 66 x 3', '96 x 64 x 4']);
    expect(shapes.slice(-4)).toEqual(['4 x 4 x 3', '4 x 4 x 3', '2 x 2 x 4', '2 x 2 x 4']);
  });
});

test('subsampled, the charts that had more samples are of one size', { tags: ['quick', 'long'] }, () => {
  const coarse = subsample(atlas, 3);
  expect(coarse.groups.map(({ exponent, count }) => [exponent, count])).toEqual([
    [3, 9],
    [2, 3],
    [1, 3],
    [0, 4],
  ]);
  expect(verifyGeometryImage(coarse).problems).toEqual([]);
  expect(subsample(atlas, 5)).toBe(atlas);
});

describe('verify of an embedded source', () => {
  const image = buildGeometryImage(torus(), { size: 33, embedSource: true });
  const about = (change: (copy: GeometryImage) => void): string => {
    const copy = structuredClone(image);
    change(copy);
    return verifyGeometryImage(copy).problems.join('\n');
  };

  test('finds every corner in the spheres of its quads', () => {
    expect(about(() => undefined)).toBe('');
  });

  test('sees bounds that are too small, and a triangle that no quad lists', () => {
    const shrunken = about(({ groups }) => {
      for (const { deviation } of groups) deviation!.page.fill(0);
    });
    expect(shrunken).toMatch(/^triangle \d+ of the embedded source is not within the spheres of its quads/);
    const unlisted = image.source!.items[0];
    const other = (unlisted + 1) % (image.source!.triangles.length / 3);
    expect(
      about((copy) => {
        copy.source!.items = copy.source!.items.map((t) => (t === unlisted ? other : t));
      }),
    ).toContain(`triangle ${unlisted} of the embedded source`);
    expect(about(({ source }) => (source!.positions[0] += 1))).toMatch(/^triangle \d+ of the embedded source/);
  });
});
