/** A geometry image against an OBB tree: the kernel, the common engine and brute force give the same lists, and no tree is built over the image. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { answeringPair } from '../../src/engine/prepared-kernel.ts';
import type { ContactPair, Query } from '../../src/engine/records.ts';
import type { Asset } from '../../src/engine/representation.ts';
import { build, check, openPair, prepare, updateGeometry } from '../../src/index.ts';
import { allocate, kernelMemory, placementOf, release } from '../../src/kernels/memory.ts';
import { compose, identity, type Pose, rotation, translation } from '../../src/math/pose.ts';
import { buildGeometryImage } from '../../src/representations/gi/make/index.ts';
import type { GeometryImage } from '../../src/representations/gi/tree/geometry-image.ts';
import { buildSphereTree } from '../../src/representations/gi/tree/sphere-tree.ts';
import { kernelOfImageAndTree } from '../../src/representations/image-and-boxes/kernel.ts';
import { representationNamed } from '../../src/representations/kinds.ts';
import { nearContact, randomDirection, randomRotation, shifted, surfaceOf } from '../support/agreement.ts';
import { untilLook } from '../support/clock.ts';
import { squareImage } from '../support/gi.ts';
import { long, some } from '../support/long.ts';
import { bruteForce } from '../support/oracle.ts';
import { seeded } from '../support/random.ts';
import { box, bumpySphere, icosphere, mapped, randomTriangles, torus } from '../support/shapes.ts';
import {
  crumb,
  crumbsThroughSlope,
  dome,
  expectCornersToMeet,
  expectSheetsToMeet,
  expectTopsToMeet,
  flatSheet,
  LENGTHENINGS,
  slope,
  unitSheet,
} from '../support/sheets.ts';

const treeOf = (mesh: Parameters<typeof build>[0]): Asset => build(mesh, { format: 'obb', nodeBytes: 64 });

const queryOf = (poseA: Pose, poseB: Pose, rest: Partial<Query> = {}): Query => ({
  poseA,
  poseB,
  all: true,
  maxContacts: 1e6,
  level: null,
  ...rest,
});

const byKernel = (a: Asset, b: Asset, query: Query) => kernelOfImageAndTree(a, b)?.search(query);

/** Holds the kernel to the common engine; returns how many contacts there are. */
function expectEqual(a: Asset, b: Asset, poseA: Pose, poseB: Pose): number {
  const common = check(a, b, { poseA, poseB, all: true, maxContacts: 1e6, path: 'common' });
  const all = byKernel(a, b, queryOf(poseA, poseB));
  if (JSON.stringify(all?.contacts) !== JSON.stringify(common.contacts)) expect(all?.contacts).toEqual(common.contacts);
  const first = byKernel(a, b, queryOf(poseA, poseB, { all: false }));
  const found = first?.contacts.pairs ?? [];
  expect([all?.verdict, first?.verdict, found.length]).toEqual([
    common.verdict,
    common.verdict,
    Math.min(1, common.contacts.count),
  ]);
  for (const pair of found) expect(common.contacts.pairs).toContainEqual(pair);
  expect(kernelOfImageAndTree(a, b)?.verdict(poseA, poseB)).toBe(common.verdict);
  return common.contacts.count;
}

describe('the common engine and brute force', { tags: ['all', 'long'] }, () => {
  test.each(some(1, [301, 302, 303, 304]))('near contact and far, either first, seed %i', (seed) => {
    const random = seeded(seed);
    const image = build(bumpySphere(seed, long ? 3 : 1), { size: 33 });
    const tree = treeOf(bumpySphere(seed + 500, 2));
    let contacts = 0;
    for (let i = 0; i < 6; i++) {
      const poseA = i % 2 === 0 ? identity() : compose(translation(5, 2, -3), randomRotation(random));
      const start = compose(translation(poseA[3], poseA[7], poseA[11]), randomRotation(random));
      const direction = randomDirection(random);
      const [inside, outside] = nearContact(image, tree, poseA, start, direction);
      for (const pose of [inside, outside, shifted(start, direction, random.between(0, 3))]) {
        contacts += expectEqual(image, tree, poseA, pose) > 0 ? 1 : 0;
        expectEqual(tree, image, pose, poseA);
      }
      if (i > 1) continue;
      const expected = bruteForce(surfaceOf(image), poseA, surfaceOf(tree), inside);
      expect(byKernel(image, tree, queryOf(poseA, inside))?.contacts.pairs).toEqual(expected);
    }
    expect(contacts).toBeGreaterThan(5);
    expect(contacts).toBeLessThan(18);
  });

  test.each(some(1, [311, 312]))('charts of many sizes, loose triangles, spheres without slabs, seed %i', (seed) => {
    const random = seeded(seed);
    const ring = buildGeometryImage(torus(8, 5), { size: 33 });
    const loose = buildGeometryImage(randomTriangles(seed, 30), { size: 33 });
    expect(Math.min(ring.charts, loose.charts)).toBeGreaterThan(2);
    const plain = buildGeometryImage(bumpySphere(seed, 1), { size: 17 });
    const { page, radiusSteps } = plain.groups[0].tree;
    plain.groups[0].tree = { page, radiusSteps };
    const trees = [treeOf(torus(12, 7)), treeOf(randomTriangles(seed + 1, 40)), treeOf(box(0.5))];
    let contacts = 0;
    for (const image of [ring, loose, plain]) {
      for (const [i, tree] of trees.entries()) {
        const poseA = i === 0 ? identity() : randomRotation(random);
        const poseB = shifted(randomRotation(random), randomDirection(random), 0.5 * i);
        contacts += expectEqual(image, tree, poseA, poseB) > 0 ? 1 : 0;
        expectEqual(tree, image, poseA, poseB);
      }
    }
    expect(contacts).toBeGreaterThan(4);
  });

  test.each(some(4, [1e-30, 1e-4, 1e4, 1e30, 1, 1e-15, 1e-9, 1e12]))(
    'sizes a factor %d apart, and both so large; where that is too much another answers',
    (factor) => {
      const scaled = (x: number) =>
        mapped(bumpySphere(5, 1), (...p) => p.map((c) => x * c) as [number, number, number]);
      const image = build(bumpySphere(3, 1), { size: 17 });
      const large = build(scaled(factor), { size: 17 });
      const tree = treeOf(scaled(factor));
      const isClose = factor > 1e-5 && factor < 1e5;
      for (const [a, unit] of [
        [image, Math.max(1, factor)],
        [large, factor],
      ] as const) {
        for (const s of [0, 0.5, 1, 1.1, 2.5]) {
          const query = queryOf(identity(), translation(s * unit, 0.1 * s * unit, 0));
          const answer = byKernel(a, tree, query);
          if (isClose) expect(answer).toBeDefined();
          const { verdict, contacts } = check(a, tree, {
            poseA: query.poseA,
            poseB: query.poseB,
            all: true,
            maxContacts: 1e6,
            path: 'common',
          });
          if (answer) expect([answer.verdict, answer.contacts]).toEqual([verdict, contacts]);
          expect(kernelOfImageAndTree(a, tree)?.verdict(query.poseA, query.poseB)).toBe(verdict);
        }
      }
    },
  );
});

describe('at the edge: what touches is found', () => {
  /** The same triangles as an OBB tree. */
  const sameTree = (image: GeometryImage): Asset => treeOf({ ...surfaceOf(image), groups: [] });
  /** Counts the contacts of an image with the tree, either first. */
  const eitherFirst =
    (image: GeometryImage, tree = sameTree(image)) =>
    (poseA: Pose, poseB: Pose): number => {
      const count = expectEqual(image, tree, poseA, poseB);
      expect(expectEqual(tree, image, poseA, poseB) > 0).toBe(count > 0);
      return count;
    };

  test('sheets in an edge, a corner, across an edge, in one plane, and apart by the last bit', { tags: ['all'] }, () =>
    expectSheetsToMeet(eitherFirst(unitSheet())),
  );

  test.each(LENGTHENINGS)('corners, by poses that lengthen by %d and %d', { tags: ['all'] }, (lengthA, lengthB) =>
    expectCornersToMeet([lengthA, lengthB], eitherFirst(flatSheet())),
  );

  test.each(some(1, [321, 322]))(
    'points of domes, turned and tilted, that touch in a vertex, seed %i',
    { tags: ['all', 'long'] },
    (seed) => {
      const hill = dome();
      const tree = sameTree(hill);
      let i = 0;
      expectTopsToMeet(seed, (...poses) => {
        const [a, b] = i++ % 3 === 0 ? [tree, hill] : [hill, tree];
        return expectEqual(a, b, ...poses);
      });
    },
  );

  test.each(some(1, [331, 332]))(
    'tiny ones through a face far out, where float32 is coarse, seed %i',
    { tags: ['all', 'long'] },
    (seed) => {
      const [face, tiny] = [slope(), crumb()];
      const [faceTree, tinyTree] = [sameTree(face), sameTree(tiny)];
      const contacts = crumbsThroughSlope(seed, 20, (...poses) => {
        return expectEqual(face, tinyTree, ...poses) + expectEqual(faceTree, tiny, ...poses);
      });
      expect(contacts).toBeGreaterThan(300);
    },
  );
});

test('it tests fewer pairs of bounds than wide trees over the same triangles, seed 351', { tags: ['all'] }, () => {
  const random = seeded(351);
  const image = build(bumpySphere(11, 1), { size: 65 });
  const tree = treeOf(bumpySphere(12, 3));
  const unfolded = treeOf({ ...surfaceOf(image), groups: [] });
  let [own, wide] = [0, 0];
  for (let i = 0; i < 10; i++) {
    const [, outside] = nearContact(image, tree, identity(), randomRotation(random), randomDirection(random));
    own += byKernel(image, tree, queryOf(identity(), outside))?.tests.bounds ?? 0;
    wide += openPair(unfolded, tree, { questions: 1000 }).report({ poseB: outside, all: true }).tests.bounds;
  }
  // 1,316 and 2,144.
  expect(own).toBeLessThan(0.65 * wide);
});

describe('lists', () => {
  const image = build(bumpySphere(9, 1), { size: 33 });
  const tree = treeOf(bumpySphere(10, 2));
  const pose = compose(translation(0.3, 0.2, 0), rotation(1, 2, 3, 50));
  const { contacts } = check(image, tree, { poseB: pose, all: true, path: 'common' });

  test('longer than the workspace holds', { tags: ['all'] }, () => {
    // Every triangle is the same point.
    const point = squareImage({
      ...{ exponent: 4, origin: new Float64Array(3), step: 1, geometry: new Uint16Array(3 * 17 * 17) },
      tree: buildSphereTree(
        new Uint16Array(3 * 17 * 17).map((_, i) => i % 2),
        4,
        { origin: new Float64Array(3), step: 1 },
      ),
    });
    const points = treeOf({
      positions: new Float64Array(900),
      triangles: Uint32Array.from({ length: 900 }, (_, i) => i % 300),
      groups: [],
    });
    const many = byKernel(point, points, queryOf(identity(), identity()));
    expect([many?.contacts.count, many?.contacts.complete]).toEqual([512 * 300, true]);
    expect(many?.contacts.pairs.every(([p, q], i) => p === Math.floor(i / 300) && q === i % 300)).toBe(true);
  });

  test.each([1, 7, 8, 9, 17, 50])('cut after %i', { tags: ['all'] }, (maxContacts) => {
    const cut = byKernel(image, tree, queryOf(identity(), pose, { maxContacts }));
    expect([cut?.contacts.count, cut?.contacts.complete]).toEqual([maxContacts, false]);
    for (const pair of cut?.contacts.pairs ?? []) expect(contacts.pairs).toContainEqual(pair);
  });

  test('handed over one by one, until somebody has had enough', { tags: ['all', 'long'] }, () => {
    const met: ContactPair[] = [];
    const all = byKernel(image, tree, queryOf(identity(), pose, { onContact: (p, q) => met.push([p, q]) }));
    expect(all?.contacts).toEqual(contacts);
    expect(met.sort((p, q) => p[0] - q[0] || p[1] - q[1])).toEqual(contacts.pairs);
    for (const enough of [1, 2, 7]) {
      let count = 0;
      const some = byKernel(image, tree, queryOf(identity(), pose, { onContact: () => ++count < enough }));
      expect([count, some?.contacts.count, some?.contacts.complete]).toEqual([enough, enough, false]);
    }
  });

  test('levels and tests are told; a level is left to the common engine', { tags: ['all'] }, () => {
    expect(byKernel(image, tree, queryOf(identity(), pose))).toMatchObject({ level: 5 });
    const far = byKernel(image, tree, queryOf(identity(), translation(100, 0, 0)));
    expect(far).toMatchObject({ verdict: 'clear', level: 0, tests: { bounds: 1, hulls: 0 } });
    expect(byKernel(image, tree, queryOf(identity(), pose, { level: 2 }))).toBeUndefined();
  });

  test('it looks at the clock', { tags: ['all'] }, () => {
    const outer = treeOf(mapped(icosphere(3), (x, y, z) => [1.02 * x, 1.02 * y, 1.02 * z]));
    const pair = openPair(build(icosphere(2), { size: 33 }), outer, { questions: 1000 });
    const plain = pair.report();
    expect(plain).toMatchObject({ verdict: 'clear', engine: 'kernel' });
    expect(plain.tests.bounds).toBeGreaterThan(2048);
    expect(untilLook(1e6, () => pair.report({ budget: 1 })).result).toMatchObject({
      verdict: 'clear',
      tests: plain.tests,
    });
    expect(untilLook(2, () => pair.report({ budget: 1 })).result.verdict).toBe('undecided');
  });
});

describe('what is prepared', () => {
  afterEach(() => vi.restoreAllMocks());

  /** A dome; of 1025 x 1025 samples in the long run. */
  function dome(exponent: number): GeometryImage {
    const size = (1 << exponent) + 1;
    const geometry = new Uint16Array(3 * size * size);
    for (let v = 0; v < size * size; v++) {
      const [x, y] = [(v % size) / (size - 1) - 0.5, Math.floor(v / size) / (size - 1) - 0.5];
      geometry.set([32000 + 61440 * x, 32000 + 61440 * y, 60000 - 65536 * (x * x + y * y)], 3 * v);
    }
    const of = { origin: Float64Array.of(-32, -32, 0), step: 2 ** -10 };
    return squareImage({ exponent, ...of, geometry, tree: buildSphereTree(geometry, exponent, of) });
  }

  test.each(long ? [10] : [7])(
    'an image of 2^%i + 1 against an OBB tree, asked 1,000 times, is never unfolded',
    { tags: ['all', 'long'] },
    (exponent) => {
      const image = dome(exponent);
      const gi = representationNamed('gi')!;
      const [surface, place] = [vi.spyOn(gi, 'surface'), vi.spyOn(gi.kernel!, 'place')];
      for (const options of [{ nodeBytes: 64 }, { nodeBytes: 40 }]) {
        const tree = build(icosphere(3), { format: 'obb', ...options });
        const pair = openPair(image, tree);
        const engines = new Set<string>();
        for (let i = 0; i < 1000; i++) engines.add(pair.report({ poseB: translation(0, 0, 58 + i / 200) }).engine);
        expect([...engines]).toEqual(['common', 'kernel']);
        expect([image, tree].map((asset) => answeringPair(image, tree).includes(asset))).toEqual([
          true,
          options.nodeBytes === 64,
        ]);
      }
      expect(surface).not.toHaveBeenCalled();
      expect(place).toHaveBeenCalled();
      expect(placementOf(image)).toBeGreaterThan(0);
    },
  );

  test('an image that is updated in place is placed again', { tags: ['all'] }, () => {
    const image = buildGeometryImage(bumpySphere(4, 1), { size: 17 });
    const tree = treeOf(box(0.4));
    const checker = prepare(image, tree);
    const poseB = translation(3, 0, 0);
    expect(checker.verdict(poseB)).toBe('clear');
    const moved = surfaceOf(image).positions.map((x, i) => (i % 3 === 0 ? x + 2 : x));
    updateGeometry(image, moved, { inPlace: true });
    expect(checker.isFast).toBe(true);
    expect(checker.verdict(poseB)).toBe(check(image, tree, { poseB, path: 'common' }).verdict);
    expect(checker.verdict(poseB)).toBe('contact');
  });

  test.each(some(2, [0x7fc00000, 0xffffffff, 0x7f800000, 0xff800000]))(
    'memory full of %i before',
    { tags: ['all', 'long'] },
    (word) => {
      const random = seeded(341);
      const bytes = 1 << 22;
      const address = allocate(bytes);
      new Uint32Array(kernelMemory()?.memory.buffer as SharedArrayBuffer, address, bytes / 4).fill(word);
      release(address);
      const image = buildGeometryImage(torus(6, 4), { size: 17 });
      const tree = treeOf(randomTriangles(342, 9));
      for (let i = 0; i < 4; i++) {
        expectEqual(
          image,
          tree,
          identity(),
          compose(shifted(identity(), randomDirection(random), 0.3), randomRotation(random)),
        );
      }
    },
  );
});
