/** The kernel of geometry images against its twin, the descent in doubles, and brute force in rational arithmetic on the meshes they export. */
import { describe, expect, test } from 'vitest';
import '../../../src/representations/everything.ts';
import type { ContactPair, Query } from '../../../src/engine/records.ts';
import { QUERY } from '../../../src/kernels/layout.as.ts';
import { allocate, kernelMemory, release } from '../../../src/kernels/memory.ts';
import { compose, identity, type Pose, rotation, translation } from '../../../src/math/pose.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import { checkGeometryImages } from '../../../src/representations/gi/search/descent.ts';
import { kernelOfGeometryImages } from '../../../src/representations/gi/search/kernel.ts';
import { mapGrid } from '../../../src/representations/gi/search/pages.ts';
import { type GeometryImage, toMesh } from '../../../src/representations/gi/tree/geometry-image.ts';
import { buildSphereTree } from '../../../src/representations/gi/tree/sphere-tree.ts';
import { subsample } from '../../../src/representations/gi/tree/subsample.ts';
import { byKernelAndTwin } from '../../kernels/twins/gi.ts';
import { nearContact, randomDirection, randomRotation, shifted } from '../../support/agreement.ts';
import { squareImage } from '../../support/gi.ts';
import { long, some } from '../../support/long.ts';
import { bruteForce } from '../../support/oracle.ts';
import { seeded } from '../../support/random.ts';
import { bumpySphere, mapped, randomTriangles, torus } from '../../support/shapes.ts';
import {
  crumb,
  crumbsThroughSlope,
  dome,
  expectCornersToMeet,
  expectSheetsToMeet,
  expectTopsToMeet,
  flatSheet,
  LENGTHENINGS,
  sheetOf,
  slope,
  unitSheet,
} from '../../support/sheets.ts';

const queryOf = (poseA: Pose, poseB: Pose, rest: Partial<Query> = {}): Query => ({
  poseA,
  poseB,
  all: true,
  maxContacts: 1e6,
  level: null,
  ...rest,
});

const byKernel = (a: GeometryImage, b: GeometryImage, query: Query) => kernelOfGeometryImages(a, b)?.search(query);

/** Bumps of few triangles, which embed in a tenth of the time: what is compared are the images. */
const LEVELS = long ? 3 : 1;

/** Long lists are compared as text, which takes a tenth of the time; what differs is shown as it is. */
function expectSame(found: unknown, expected: unknown): void {
  if (found === undefined || JSON.stringify(found) !== JSON.stringify(expected)) expect(found).toEqual(expected);
}

/** Kernel and twin in every number; the descent in doubles in verdicts and lists. Returns how many contacts there are. */
function expectEqual(a: GeometryImage, b: GeometryImage, poseA: Pose, poseB: Pose): number {
  const all = byKernel(a, b, queryOf(poseA, poseB));
  const doubles = checkGeometryImages(a, b, queryOf(poseA, poseB));
  expectSame([all?.verdict, all?.contacts], [doubles.verdict, doubles.contacts]);
  for (const isAll of [true, false]) {
    const answers = byKernelAndTwin(a, b, queryOf(poseA, poseB, { all: isAll }));
    expectSame(answers?.[0], answers?.[1]);
  }
  const first = byKernel(a, b, queryOf(poseA, poseB, { all: false }));
  expect(first?.verdict).toBe(doubles.verdict);
  expect(first?.contacts.count).toBe(Math.min(1, doubles.contacts.count));
  if (first?.contacts.count) {
    const [p, q] = first.contacts.pairs[0];
    expect(doubles.contacts.pairs.some((pair) => pair[0] === p && pair[1] === q)).toBe(true);
  }
  expect(kernelOfGeometryImages(a, b)?.verdict(poseA, poseB)).toBe(doubles.verdict);
  return doubles.contacts.count;
}

test('there are kernels here', () => expect(kernelMemory()).not.toBeNull());

describe('kernel, twin and brute force agree', { tags: ['all', 'long'] }, () => {
  test.each(Array.from({ length: long ? 7 : 1 }, (_, i) => 40 + i))('bumpy spheres, seed %i', (seed) => {
    const random = seeded(seed);
    const a = buildGeometryImage(bumpySphere(seed, LEVELS), { size: 33 });
    const b = buildGeometryImage(bumpySphere(seed + 500, LEVELS), { size: 17 });
    const rounded = (pose: Pose) => pose.map((x, k) => (k % 4 === 3 ? x : Math.round(x * 1e6) / 1e6));
    let contacts = 0;
    for (let i = 0; i < 4; i++) {
      const poseA = i % 2 === 0 ? identity() : rounded(compose(translation(5, 2, -3), randomRotation(random)));
      const start = compose(translation(poseA[3], poseA[7], poseA[11]), randomRotation(random));
      const direction = randomDirection(random);
      const [inside, outside] = nearContact(a, b, poseA, start, direction);
      for (const pose of [inside, outside, rounded(inside), shifted(start, direction, random.between(0, 3))]) {
        contacts += expectEqual(a, b, poseA, pose) > 0 ? 1 : 0;
        expectEqual(b, a, pose, poseA);
      }
      if (i > 1) continue;
      const expected = bruteForce(toMesh(a), poseA, toMesh(b), inside);
      expect(byKernel(a, b, queryOf(poseA, inside))?.contacts.pairs).toEqual(expected);
    }
    expect(contacts).toBeGreaterThan(3);
    expect(contacts).toBeLessThan(16);
  });

  test.each(some(1, [60, 61]))('charts of many sizes, down to one quad, seed %i', (seed) => {
    const random = seeded(seed);
    const ring = buildGeometryImage(long ? torus(14, 7) : torus(8, 5), { size: long ? 65 : 33 });
    const loose = buildGeometryImage(randomTriangles(seed, 40), { size: 33 });
    const pieces = buildGeometryImage(randomTriangles(seed + 1, 9), { size: 17 });
    const ball = buildGeometryImage(bumpySphere(seed, LEVELS), { size: 33 });
    expect(Math.min(ring.charts, loose.charts, pieces.charts)).toBeGreaterThan(2);
    let contacts = 0;
    const couples = [
      [ring, ring],
      [ring, loose],
      [pieces, ball],
      [loose, pieces],
      [ball, subsample(ring, 2)],
    ];
    for (const [n, [a, b]] of couples.entries()) {
      for (const i of long ? [0, 1, 2] : [n % 2]) {
        const poseA = i === 0 ? identity() : randomRotation(random);
        contacts +=
          expectEqual(a, b, poseA, shifted(randomRotation(random), randomDirection(random), 0.6 * i)) > 0 ? 1 : 0;
      }
    }
    expect(contacts).toBeGreaterThan(long ? 3 : 1);
  });

  let unit: GeometryImage | undefined;
  test.each(some(3, [1e-9, 1e4, 1e12, 1e-4, 1]))(
    'sizes a factor %d apart; where that is too much descent.ts answers',
    (factor) => {
      unit ??= buildGeometryImage(bumpySphere(3, LEVELS), { size: 33 });
      const a = unit;
      const small = buildGeometryImage(
        mapped(bumpySphere(5, LEVELS), (x, y, z) => [factor * x, factor * y, factor * z]),
        { size: long ? 33 : 17 },
      );
      const isClose = factor > 1e-5 && factor < 1e5;
      for (const s of [0, 0.5, 1, 1.1, 2 * Math.max(1, factor)]) {
        const query = queryOf(identity(), translation(s, 0.1 * s, 0));
        const answer = byKernel(a, small, query);
        if (isClose) expect(answer).toBeDefined();
        const doubles = checkGeometryImages(a, small, query);
        if (answer) expect([answer.verdict, answer.contacts]).toEqual([doubles.verdict, doubles.contacts]);
        expect(kernelOfGeometryImages(a, small)?.verdict(query.poseA, query.poseB)).toBe(doubles.verdict);
      }
    },
  );
});

describe('at the edge: what touches is found', () => {
  const withItself =
    (image: GeometryImage) =>
    (...poses: [Pose, Pose]) =>
      expectEqual(image, image, ...poses);

  test('sheets in an edge, a corner, across an edge, in one plane, and apart by the last bit', () =>
    expectSheetsToMeet(withItself(unitSheet())));

  test.each(LENGTHENINGS)('corners, by poses that lengthen by %d and %d', (lengthA, lengthB) =>
    expectCornersToMeet([lengthA, lengthB], withItself(flatSheet())),
  );

  test('points of domes, turned and tilted, that touch in a vertex, seed 71', () =>
    expectTopsToMeet(71, withItself(dome())));

  test.each(some(1, [72, 73]))(
    'tiny quads through a face far out, where float32 is coarser than they, seed %i',
    { tags: ['quick', 'long'] },
    (seed) => {
      const [face, tiny] = [slope(), crumb(1500)];
      const contacts = crumbsThroughSlope(seed, long ? 40 : 20, (poseA, poseB) => {
        expectEqual(tiny, face, poseB, poseA);
        return expectEqual(face, tiny, poseA, poseB);
      });
      expect(contacts).toBeGreaterThan(long ? 300 : 150);
    },
  );

  test('the tip of a small one at the corner of a large one, whose pose shears as far as it may', () => {
    const large = sheetOf({ origin: Float64Array.of(-32, -32, 0), step: 2 ** -10 }, (row, column) => [
      4000 * column,
      4000 * row,
      0,
    ]);
    const small = sheetOf({ origin: new Float64Array(3), step: 2 ** -20 }, (row, column) => [
      2048 * column,
      0,
      2048 * row + 64 * column,
    ]);
    const sheared = identity();
    sheared[8] = 9.8e-6;
    let contacts = 0;
    for (const [x, y] of [
      [30.4, 30.4],
      [-31.95, 30.4],
      [-31.95, -31.9],
      [15, 1],
    ]) {
      const [inside, outside] = nearContact(small, large, translation(x, y, 0), sheared, [0, 0, 1]);
      contacts += expectEqual(small, large, translation(x, y, 0), inside);
      contacts += expectEqual(large, small, inside, translation(x, y, 0));
      expectEqual(small, large, translation(x, y, 0), outside);
    }
    expect(contacts).toBeGreaterThanOrEqual(8);
  });
});

describe('what the memory and the poses hold', () => {
  test.each(some(3, [0x7fc00000, 0xffffffff, 0x7f800000, 0x7fffffff, 0xff800000]))(
    'memory full of %i before',
    { tags: ['all', 'long'] },
    (word) => {
      const random = seeded(91);
      const meshes = [long ? torus(14, 7) : torus(6, 4), randomTriangles(92, 3)];
      for (const mesh of meshes) {
        const bytes = 1 << 22;
        const address = allocate(bytes);
        new Uint32Array(kernelMemory()?.memory.buffer as SharedArrayBuffer, address, bytes / 4).fill(word);
        release(address);
        const a = buildGeometryImage(mesh, { size: 17 });
        for (let i = 0; i < (long ? 8 : 4); i++) {
          expectEqual(
            a,
            a,
            identity(),
            compose(shifted(identity(), randomDirection(random), 0.3), randomRotation(random)),
          );
        }
      }
    },
  );

  let few: GeometryImage[] | undefined;
  test.each([12, 24, 33, 36, 45, 48, 60, 120])(
    'both images 1e%i away, and so together: the list is whole',
    { tags: ['quick', 'long'] },
    (exponent) => {
      const far = 10 ** exponent;
      const poseA = translation(0.3 * far, 0.7 * far, -0.2 * far);
      const poseB = compose(poseA, rotation(0, 0, 1, 30));
      few ??= [torus(6, 4), randomTriangles(93, 2)].map((mesh) => buildGeometryImage(mesh, { size: 17 }));
      for (const a of few) {
        const query = queryOf(poseA, poseB, { maxContacts: 1e7 });
        const found = byKernel(a, a, query);
        if (!found) expect(exponent).toBeGreaterThan(12);
        if (exponent > 12 && found) {
          // Every corner is rounded to one point: each triangle touches each.
          const count = toMesh(a).triangles.length / 3;
          expect(found).toMatchObject({ verdict: 'contact', contacts: { count: count * count, complete: true } });
          expect(found.contacts.pairs.findIndex(([p, q], i) => i !== p * count + q)).toBe(-1);
        }
        if (exponent > 12 && !long) continue;
        const expected = checkGeometryImages(a, a, query);
        if (found) expectSame([found.verdict, found.contacts], [expected.verdict, expected.contacts]);
      }
    },
  );
});

describe('lists', () => {
  const a = buildGeometryImage(bumpySphere(9, LEVELS), { size: 33 });
  const pose = compose(translation(0.3, 0.2, 0), rotation(1, 2, 3, 50));
  const { contacts } = checkGeometryImages(a, a, queryOf(identity(), pose));

  test('longer than the workspace holds', { tags: ['all'] }, () => {
    const all = byKernel(a, a, queryOf(identity(), identity(), { maxContacts: 1e9 }));
    const point = squareImage({
      ...{ exponent: 4, origin: new Float64Array(3), step: 1, geometry: new Uint16Array(3 * 17 * 17) },
      tree: buildSphereTree(
        new Uint16Array(3 * 17 * 17).map((_, i) => i % 2),
        4,
        { origin: new Float64Array(3), step: 1 },
      ),
    });
    expectSame(
      all?.contacts,
      checkGeometryImages(a, a, queryOf(identity(), identity(), { maxContacts: 1e9 })).contacts,
    );
    const many = byKernel(point, point, queryOf(identity(), identity()));
    expect([many?.contacts.count, many?.contacts.complete]).toEqual([2 ** 18, true]);
    expect(many?.contacts.pairs.every(([p, q], i) => p === i >> 9 && q === (i & 511))).toBe(true);
  });

  test.each([0, 1, 2, 3, 4, 5, 50])('cut after %i', (maxContacts) => {
    const cut = byKernel(a, a, queryOf(identity(), pose, { maxContacts }));
    expect([cut?.contacts.count, cut?.contacts.complete]).toEqual([maxContacts, false]);
    for (const pair of cut?.contacts.pairs ?? []) expect(contacts.pairs).toContainEqual(pair);
  });

  test('as long as there are contacts, they are complete', () => {
    const whole = byKernel(a, a, queryOf(identity(), pose, { maxContacts: contacts.count }));
    expect(whole?.contacts).toEqual(contacts);
    expect(byKernel(a, a, queryOf(identity(), pose, { maxContacts: contacts.count - 1 }))?.contacts.complete).toBe(
      false,
    );
  });

  test('handed over one by one, until somebody has had enough', { tags: ['quick', 'long'] }, () => {
    const met: ContactPair[] = [];
    const all = byKernel(a, a, queryOf(identity(), pose, { onContact: (p, q) => met.push([p, q]) }));
    expect(all?.contacts).toEqual(contacts);
    expect(met.sort((p, q) => p[0] - q[0] || p[1] - q[1])).toEqual(contacts.pairs);
    for (const enough of [1, 2, 7]) {
      let count = 0;
      const some = byKernel(a, a, queryOf(identity(), pose, { onContact: () => ++count < enough }));
      expect([count, some?.contacts.count, some?.contacts.complete]).toEqual([enough, enough, false]);
    }
  });

  test('a level is left to descent.ts', () => {
    expect(byKernel(a, a, queryOf(identity(), pose, { level: 2 }))).toBeUndefined();
    expect(checkGeometryImages(a, a, queryOf(identity(), pose, { level: 2 })).verdict).toBe('undecided');
  });

  test('levels and tests are told', { tags: ['quick', 'long'] }, () => {
    expect(byKernel(a, a, queryOf(identity(), pose))).toMatchObject({ level: 5 });
    const far = byKernel(a, a, queryOf(identity(), translation(100, 0, 0)));
    expect(far).toMatchObject({ verdict: 'clear', level: 0, tests: { bounds: 1, hulls: 0 } });
    const ring = buildGeometryImage(long ? torus(14, 7) : torus(8, 5), { size: 33 });
    const { level } = checkGeometryImages(ring, ring, queryOf(identity(), pose));
    expect(byKernel(ring, ring, queryOf(identity(), pose))?.level).toBe(level);
  });
});

test.each(some(1, [81, 82]))(
  "the kernel's map is mapGrid's in float32, and no narrower, seed %i",
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = seeded(seed);
    const a = buildGeometryImage(bumpySphere(1, long ? 2 : 1), { size: 17 });
    const b = buildGeometryImage(
      mapped(bumpySphere(2, long ? 2 : 1), (x, y, z) => [3 * x + 7, 3 * y, 3 * z]),
      { size: 17 },
    );
    const kernel = kernelOfGeometryImages(a, b);
    const { memory, workspace } = kernelMemory()!;
    const map = new Float32Array(memory.buffer, workspace + QUERY, 25);
    const somewhere = (): Pose => compose(translation(random.between(-3, 3), 1, 2), randomRotation(random));
    for (let i = 0; i < 50; i++) {
      const poseA = i % 3 === 0 ? identity() : somewhere();
      // Near, so that the roots overlap and the map is used.
      const poseB = compose(poseA, compose(randomRotation(random), translation(-7, 0, random.between(-1, 1))));
      kernel?.verdict(poseA, poseB);
      const { linear, shift, toUnit, scale, slack, skew } = mapGrid(a, b, poseA, poseB);
      const expected = [...linear, ...shift, ...linear.map((x) => x * toUnit)];
      const off = expected.filter((x, k) => Math.abs(map[k] - x) > 2 ** -23 * Math.abs(x) + 1e-12);
      expect(off).toEqual([]);
      expect(map[21]).toBeGreaterThan(scale);
      expect(map[22]).toBeGreaterThan(slack);
      expect(map[23]).toBeGreaterThan(2 * skew + 2 ** -18);
      expect(map[24]).toBeGreaterThan(1 + 2 * skew + 2 ** -18);
      expect(map[21]).toBeLessThan(1.00001 * scale);
      expect(map[22]).toBeLessThan(1);
    }
  },
);
