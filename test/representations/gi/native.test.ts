/** The check of images against brute force in rational arithmetic on the meshes they export: verdicts and lists, pose by pose. */
import { describe, expect, test } from 'vitest';
import '../../../src/representations/everything.ts';
import { check } from '../../../src/engine/prepared.ts';
import { compose, identity, type Pose, rotation, translation } from '../../../src/math/pose.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import { checkGeometryImages } from '../../../src/representations/gi/search/descent.ts';
import { type GeometryImage, toMesh } from '../../../src/representations/gi/tree/geometry-image.ts';
import { nearContact, randomDirection, randomRotation } from '../../support/agreement.ts';
import { long, some } from '../../support/long.ts';
import { bruteForce } from '../../support/oracle.ts';
import { seeded } from '../../support/random.ts';
import { bumpySphere, mapped } from '../../support/shapes.ts';
import {
  expectCornersToMeet,
  expectSheetsToMeet,
  flatSheet,
  LENGTHENINGS,
  sheetOf,
  unitSheet,
} from '../../support/sheets.ts';

/** Bumps of few triangles, which embed in a tenth of the time: what is compared are the images. */
const LEVELS = long ? 3 : 1;

/** Quads a side of flat sheets, as a power of two. */
const EXPONENT = long ? 4 : 3;
const TRIANGLES = 2 << (2 * EXPONENT);

/** Verdict and list of the images against the oracle on their exports; returns how many contacts there are. */
function expectAgreement(a: GeometryImage, b: GeometryImage, poseA: Pose, poseB: Pose): number {
  const expected = bruteForce(toMesh(a), poseA, toMesh(b), poseB);
  const all = check(a, b, { poseA, poseB, all: true, maxContacts: 1e6 });
  expectSame(all.contacts, { count: expected.length, complete: true, pairs: expected });
  expect(all.verdict).toBe(expected.length > 0 ? 'contact' : 'clear');
  const common = check(a, b, { poseA, poseB, all: true, maxContacts: 1e6, path: 'common' });
  expectSame([common.path, common.verdict, common.contacts], ['common', all.verdict, all.contacts]);
  const first = check(a, b, { poseA, poseB });
  expect(first.verdict).toBe(all.verdict);
  if (expected.length > 0) {
    const [p, q] = first.contacts.pairs[0];
    expect(expected.some((pair) => pair[0] === p && pair[1] === q)).toBe(true);
  }
  const swapped = check(b, a, { poseA: poseB, poseB: poseA, all: true, maxContacts: 1e6 });
  expectSame(swapped.contacts.pairs.map(([p, q]) => [q, p]).sort(byNumbers), expected);
  return expected.length;
}

/** Long lists are compared as text, which takes a tenth of the time; what differs is shown as it is. */
function expectSame(found: unknown, expected: unknown): void {
  if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found).toEqual(expected);
}

const byNumbers = (p: number[], q: number[]): number => p[0] - q[0] || p[1] - q[1];

describe('images agree with the oracle on their exports', () => {
  const seeds = Array.from({ length: long ? 10 : 1 }, (_, i) => 100 + i);
  test.each(seeds)('bumpy spheres of different sizes, seed %i', { tags: ['all', 'long'] }, (seed) => {
    const random = seeded(seed);
    const a = buildGeometryImage(bumpySphere(seed, LEVELS), { size: 33, spheres: seed % 2 === 0 ? 'tight' : 'seed' });
    const b = buildGeometryImage(bumpySphere(seed + 1000, LEVELS), { size: 17 });
    let contacts = 0;
    let clear = 0;
    const rounds = long ? 4 : 2;
    for (let i = 0; i < rounds; i++) {
      const poseA =
        i % 2 === 0 ? identity() : compose(translation(random.between(-9, 9), 2, -3), randomRotation(random));
      const offset = translation(poseA[3], poseA[7], poseA[11]);
      const turn = compose(offset, randomRotation(random));
      const along = randomDirection(random);
      const at = (s: number) => compose(translation(...(along.map((x) => s * x) as [number, number, number])), turn);
      for (const pose of [...nearContact(a, b, poseA, turn, along), at(random.between(0, 3))]) {
        const count = expectAgreement(a, b, poseA, pose);
        if (count > 0) contacts++;
        else clear++;
      }
    }
    expect(contacts).toBeGreaterThanOrEqual(rounds);
    expect(clear).toBeGreaterThanOrEqual(rounds);
  });

  test.each(some(1, [7, 8, 9]))(
    'matrices printed with six digits, far from the origin, seed %i',
    { tags: ['all', 'long'] },
    (seed) => {
      const random = seeded(seed);
      const a = buildGeometryImage(bumpySphere(seed, long ? 2 : 1), { size: 17 });
      for (let i = 0; i < (long ? 4 : 2); i++) {
        const turnA = randomRotation(random);
        const turnB = randomRotation(random);
        const along = randomDirection(random);
        const far = [1e5, -3e4, 7e5].map((x) => x * (i % 2));
        const rounded = (pose: Pose) => pose.map((x, k) => (k % 4 === 3 ? x : Math.round(x * 1e6) / 1e6));
        const poseA = rounded(compose(translation(far[0], far[1], far[2]), turnA));
        for (const s of long ? [0.5, 1.5, 1.9, 1.95, 2, 2.05, 2.5] : [0.5, 1.9, 2, 2.05]) {
          const poseB = rounded(
            compose(translation(far[0] + s * along[0], far[1] + s * along[1], far[2] + s * along[2]), turnB),
          );
          expectAgreement(a, a, poseA, poseB);
        }
      }
    },
  );

  const withItself =
    (image: GeometryImage) =>
    (...poses: [Pose, Pose]) =>
      expectAgreement(image, image, ...poses);

  test(
    'sheets that meet exactly in an edge, in a corner, across an edge, and miss by the last bit',
    { tags: ['all'] },
    () => expectSheetsToMeet(withItself(unitSheet())),
  );

  test.each(LENGTHENINGS)(
    'sheets that touch in a corner, their spheres too, in poses that lengthen by %d and %d',
    (lengthA, lengthB) => expectCornersToMeet([lengthA, lengthB], withItself(flatSheet())),
  );

  test.each(['tight', 'seed'] as const)(
    '%s spheres: what a far pose rounds together touches, however far apart it was',
    { tags: ['quick', 'long'] },
    (method) => {
      const sheetAt = (z: number) =>
        sheetOf(
          { origin: Float64Array.of(0, 0, z), step: 2 ** -12 },
          (row, column) => [(column << 12) >> EXPONENT, (row << 12) >> EXPONENT, 0],
          { exponent: EXPONENT, method },
        );
      const far = translation(0, 0, 2 ** 52); // where doubles are whole numbers
      expect(check(sheetAt(0), sheetAt(0.4)).verdict).toBe('clear');
      expect(expectAgreement(sheetAt(0), sheetAt(0.4), far, far)).toBeGreaterThan(TRIANGLES);
      expect(expectAgreement(sheetAt(0), sheetAt(0.6), far, far)).toBe(0);
    },
  );

  test('an image against itself, moved by nothing: every triangle touches itself and its neighbours', {
    tags: ['all', 'long'],
  }, () => {
    const a = buildGeometryImage(bumpySphere(3, long ? 2 : 1), { size: 17 });
    expect(expectAgreement(a, a, identity(), identity())).toBeGreaterThan(512 * 7);
  });

  test("two planes laid one over another: the paper's worst case", { tags: ['quick', 'long'] }, () => {
    const grid = { origin: new Float64Array(3), step: 2 ** -16 };
    const plane = (height: number, n: number) =>
      sheetOf(
        grid,
        (row, column) => [(column * 32768) >> (n - 1), (row * 32768) >> (n - 1), height].map((x) => Math.min(x, 65535)),
        { exponent: n },
      );
    const [ground, above] = [plane(0, EXPONENT), plane(1, EXPONENT)];
    // Inside, each triangle touches 13.
    const least = (long ? 12 : 11) * TRIANGLES;
    expect(expectAgreement(ground, ground, identity(), identity())).toBeGreaterThan(least);
    expect(expectAgreement(ground, above, identity(), identity())).toBe(0);
    expectAgreement(ground, ground, identity(), rotation(0, 0, 1, 30));
    // The list of a large one is cut where it is told to be, and the first contact is there at once.
    const large = plane(0, long ? 8 : 6);
    const cut = check(large, large, { all: true });
    expect(cut.contacts).toMatchObject({ count: 10_000, complete: false });
    expect(cut.verdict).toBe('contact');
    expect(check(large, large).tests.hulls).toBeLessThan(10);
    expect(check(large, plane(1, long ? 8 : 6)).verdict).toBe('clear');
  });

  test.each(some(1, [1, 2, 3, 4]))('noise against noise, seed %i', { tags: ['quick', 'long'] }, (seed) => {
    const random = seeded(seed);
    const grid = { origin: Float64Array.of(-0.3, 0.1, 7), step: 1e-5 };
    const noise = (values: number, shift: number) =>
      sheetOf(grid, () => [0, 0, 0].map(() => shift + random.below(values)), {
        exponent: EXPONENT,
        method: seed % 2 === 0 ? 'seed' : 'tight',
      });
    expectAgreement(noise(9, 0), noise(9, 4), identity(), identity());
    expectAgreement(noise(3000, 0), noise(3000, 2900), identity(), identity());
  });
});

describe('what a check is asked', () => {
  const a = buildGeometryImage(bumpySphere(1, LEVELS), { size: 33 });
  const touching = { poseB: translation(1.2, 0, 0) };

  test('a level ends the descent undecided, or proves that all is clear', () => {
    expect(check(a, a, { ...touching, level: 2 })).toMatchObject({
      verdict: 'undecided',
      level: 2,
      contacts: { count: 0, complete: false },
    });
    expect(check(a, a, { ...touching, level: 5 }).verdict).toBe('contact');
    expect(check(a, a, { ...touching, all: true }).level).toBe(5);
    expect(check(a, a, { ...touching, level: 99 }).verdict).toBe('contact');
    expect(check(a, a, { poseB: translation(9, 0, 0), level: 0 }).verdict).toBe('clear');
  });

  test('a list is cut at its limit and no sooner', () => {
    const { count } = check(a, a, { ...touching, all: true }).contacts;
    expect(check(a, a, { ...touching, all: true, maxContacts: count }).contacts.complete).toBe(true);
    expect(check(a, a, { ...touching, all: true, maxContacts: count - 1 }).contacts).toMatchObject({
      count: count - 1,
      complete: false,
    });
  });

  test('onContact may ask for another pose of the same images', { tags: ['quick', 'long'] }, () => {
    const query = { poseA: identity(), ...touching, all: true, maxContacts: 1e6, level: null };
    const plain = checkGeometryImages(a, a, query);
    const poseB = translation(1.1, 0, 0);
    let calls = 0;
    const onContact = (): void => {
      if (long || calls++ < 20) checkGeometryImages(a, a, { ...query, poseB });
    };
    expect(plain.contacts.count).toBeGreaterThan(2);
    expect(checkGeometryImages(a, a, { ...query, onContact })).toEqual(plain);
  });

  test('one inside the other does not touch it', { tags: ['quick', 'long'] }, () => {
    const small = buildGeometryImage(
      mapped(bumpySphere(1, long ? 2 : 1), (x, y, z) => [x / 10, y / 10, z / 10]),
      { size: 17 },
    );
    expect(check(a, small).verdict).toBe('clear');
  });

  test('a pose that is not rigid is refused', () => {
    const scaled = identity().map((x, i) => (i % 5 === 0 && i < 15 ? 1.001 * x : x));
    expect(() => check(a, a, { poseB: scaled })).toThrow(/pose of b scales by 1.001/);
    expect(() => check(a, a, { poseA: identity().fill(Number.NaN) })).toThrow(/pose of a/);
    expect(() => check(a, a, { maxContacts: 0 })).toThrow(/maxContacts/);
    expect(() => check(a, a, { level: -1 })).toThrow(/level/);
  });

  test('the number of tests grows slowly with the image', { tags: ['quick', 'long'] }, () => {
    const tests = [17, long ? 129 : 65].map((size) => {
      const image = buildGeometryImage(bumpySphere(2, LEVELS), { size });
      return check(image, image, { poseB: translation(1.3, 0.2, 0) }).tests.bounds;
    });
    // 64 times the triangles, or 16 times; a search by area would take as many times the tests.
    expect(tests[1]).toBeLessThan((long ? 8 : 4) * tests[0]);
  });
});
