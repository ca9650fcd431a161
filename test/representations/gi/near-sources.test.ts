/** What the kernel says of the sources of two images: no false clear, and brackets that hold the distance that the sources' own triangles have. */
import { describe, expect, test } from 'vitest';
import '../../../src/representations/everything.ts';
import { check } from '../../../src/engine/prepared.ts';
import type { Goal, Nearest } from '../../../src/engine/records.ts';
import { kernelMemory, whileBusy } from '../../../src/kernels/memory.ts';
import { compose, identity, type Pose, translation } from '../../../src/math/pose.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import { checkSources } from '../../../src/representations/gi/search/descent.ts';
import { nearestSources } from '../../../src/representations/gi/search/sources/nearest.ts';
import { assembleImage, type GeometryImage } from '../../../src/representations/gi/tree/geometry-image.ts';
import { subsample } from '../../../src/representations/gi/tree/subsample.ts';
import { buildObbTree } from '../../../src/representations/obb/make/index.ts';
import { nearContact, randomDirection, randomRotation, shifted } from '../../support/agreement.ts';
import { long, some } from '../../support/long.ts';
import { bruteForce } from '../../support/oracle.ts';
import { seeded } from '../../support/random.ts';
import {
  box,
  bumpySphere,
  mapped,
  octasphere,
  randomTriangles,
  thornyBall,
  together,
  torus,
} from '../../support/shapes.ts';

const VERDICT: Goal = { distance: false, clearance: 0, deadline: Number.POSITIVE_INFINITY };
const DISTANCE: Goal = { ...VERDICT, distance: true };

/** A mesh, its image of so many samples a side, and the tree of its own triangles. */
function bodyOf(mesh: Mesh, size: number) {
  return { mesh, image: buildGeometryImage(mesh, { size }), tree: buildObbTree(mesh) };
}

type Body = ReturnType<typeof bodyOf>;

function ask(a: GeometryImage, b: GeometryImage, poseA: Pose, poseB: Pose, goal: Goal): Nearest {
  const found = nearestSources(a, b)?.(poseA, poseB, goal);
  if (!found) throw new Error('expected the kernel to answer');
  return found;
}

/** The same without what the pages say of each node. */
function withoutPage({ origin, step, groups, header, tolerance }: GeometryImage): GeometryImage {
  const bare = groups.map((group) => ({ ...group, deviation: null }));
  return assembleImage({ origin, step }, bare, header, { tolerance });
}

const isClear = ({ lower }: Nearest): boolean => lower > 0;

/** Holds the answers in one pose to the sources' own triangles; says whether they were told apart. */
function expectTrue(a: Body, b: Body, poseA: Pose, poseB: Pose): boolean {
  const truth = check(a.tree, b.tree, { poseA, poseB, distance: true }).bracket!;
  const [p, q] = [a.image, b.image];
  const [verdict, found] = [VERDICT, DISTANCE].map((goal) => ask(p, q, poseA, poseB, goal));
  for (const { lower, upper } of [verdict, found]) {
    expect(lower).toBeLessThanOrEqual(truth.upper);
    expect(upper).toBeGreaterThanOrEqual(truth.lower);
  }
  expect(isClear(found)).toBe(isClear(verdict));
  const clearance = 1.5 * truth.upper;
  expect(ask(p, q, poseA, poseB, { ...VERDICT, clearance }).lower).toBeLessThanOrEqual(clearance);
  return isClear(verdict);
}

/** Poses of b from deep in a to far away, most of them as near to contact as the images can tell. */
function posesOf(a: Body, b: Body, poseA: Pose, seed: number): Pose[] {
  const random = seeded(seed);
  const start = compose(translation(poseA[3], poseA[7], poseA[11]), randomRotation(random));
  const direction = randomDirection(random);
  const [inside, outside] = nearContact(a.tree, b.tree, poseA, start, direction);
  const missing = a.image.tolerance!.missing + b.image.tolerance!.missing;
  const away = [0.05, 0.1, 0.2, 0.4, 0.7, 1, 2, 8].map((part) => shifted(outside, direction, part * missing));
  return [start, shifted(inside, direction, -0.1 * missing), inside, outside, ...away];
}

test('there are kernels here', () => expect(kernelMemory()).not.toBeNull());

const couples = (seed: number): [Mesh, number, Mesh, number][] => [
  [bumpySphere(seed, 2), 33, bumpySphere(seed + 50, 2), 17],
  [thornyBall(seed), 17, box(3, 3, 0.2), 17],
  [thornyBall(seed), 33, thornyBall(seed + 1), 17],
  [torus(10, 6), 33, randomTriangles(seed, 20), 17],
  [
    together(
      box(1.5),
      mapped(octasphere(1), (x, y, z) => [0.6 * x, 0.6 * y, 0.6 * z]),
    ),
    17,
    torus(8, 5),
    17,
  ],
];

describe('held to the sources', () => {
  test.each(some(1, [15, 42, 1, 2, 3, 4, 5, 6]))(
    'verdicts, brackets and clearances, seed %i',
    { tags: ['long'] },
    (seed) => {
      const random = seeded(seed);
      let told = 0;
      let untold = 0;
      for (const [meshA, sizeA, meshB, sizeB] of couples(seed)) {
        const [a, b] = [bodyOf(meshA, sizeA), bodyOf(meshB, sizeB)];
        for (let i = 0; i < (long ? 6 : 3); i++) {
          const poseA = i % 2 === 0 ? identity() : compose(translation(5, -2, 1), randomRotation(random));
          for (const poseB of posesOf(a, b, poseA, seed + 1000 * i)) {
            if (expectTrue(a, b, poseA, poseB)) told++;
            else untold++;
          }
        }
      }
      expect(told).toBeGreaterThan(20);
      expect(untold).toBeGreaterThan(20);
    },
  );

  test.each(some(1, [7, 8, 9]))('contact by brute force is never clear, seed %i', { tags: ['all', 'long'] }, (seed) => {
    const [a, b] = [bodyOf(thornyBall(seed), 17), bodyOf(box(3, 3, 0.2), 17)];
    const random = seeded(seed);
    for (let i = 0; i < (long ? 24 : 12); i++) {
      const direction = randomDirection(random);
      const [inside] = nearContact(a.tree, b.tree, identity(), randomRotation(random), direction);
      expect(bruteForce(a.mesh, identity(), b.mesh, inside).length).toBeGreaterThan(0);
      for (const goal of [VERDICT, DISTANCE, { ...VERDICT, clearance: 1e-3 }])
        expect(ask(a.image, b.image, identity(), inside, goal).lower, `pose ${i}`).toBe(0);
    }
  });

  test.each(some(1, [21, 22]))(
    'by the whole bound of images subsampled, or without the page, seed %i',
    { tags: ['all', 'long'] },
    (seed) => {
      const a = bodyOf(bumpySphere(seed, 2), 33);
      const b = bodyOf(torus(10, 6), 33);
      let told = 0;
      for (const image of [subsample(a.image, 3), withoutPage(a.image)]) {
        for (const poseB of posesOf({ ...a, image }, b, identity(), seed))
          if (expectTrue({ ...a, image }, b, identity(), poseB)) told++;
      }
      expect(told).toBeGreaterThan(2);
    },
  );
});

describe('beside the search', () => {
  test.each(some(1, [31, 32, 33]))('tells as many apart, seed %i', { tags: ['all', 'long'] }, (seed) => {
    const [a, b] = [bodyOf(bumpySphere(seed, 2), 65), bodyOf(torus(40, 20), 33)];
    let bySearch = 0;
    let byKernel = 0;
    for (let i = 0; i < (long ? 8 : 4); i++) {
      for (const poseB of posesOf(a, b, identity(), seed + 1000 * i)) {
        const query = { poseA: identity(), poseB, all: false, maxContacts: 1, level: null };
        if (checkSources(a.image, b.image, query)?.verdict === 'clear') bySearch++;
        if (isClear(ask(a.image, b.image, identity(), poseB, VERDICT))) byKernel++;
      }
    }
    expect(bySearch).toBeGreaterThan(8);
    expect(byKernel).toBe(bySearch);
  });

  test('the report says who answered, and a deadline that has passed leaves a bracket', { tags: ['long'] }, () => {
    const [a, b] = [bodyOf(bumpySphere(3, 2), 33), bodyOf(bumpySphere(4, 2), 33)];
    const poseB = translation(2.6, 0.1, 0);
    expect(check(a.image, b.image, { poseB, source: true }).engine).toBe('search');
    const far = check(a.image, b.image, { poseB, source: true, distance: true });
    const truth = check(a.tree, b.tree, { poseB, distance: true }).distance!;
    expect(far).toMatchObject({ verdict: 'clear', engine: 'kernel', path: 'native', distance: null });
    const { missing, excess } = far.tolerance!;
    expect(far.bracket!.lower).toBeGreaterThan(truth - 2 * missing - excess);
    expect(far.bracket!.upper).toBeLessThan(truth + missing + 2 * excess);
    expect(far.witness).not.toBeNull();
    const late = check(a.image, b.image, { poseB, source: true, budget: 0 });
    expect(late.bracket!.lower).toBeLessThanOrEqual(truth);
    expect(late.bracket!.upper).toBeGreaterThanOrEqual(truth);
    const often = check(a.image, b.image, { poseB, source: true });
    expect(often).toMatchObject({ verdict: 'clear', engine: 'kernel', witness: null });
    expect(often.bracket!.lower).toBeLessThanOrEqual(truth);
    expect(often.bracket!.upper).toBeGreaterThanOrEqual(truth);
  });

  test('while another query uses the workspace the common engine answers', () => {
    const { image } = bodyOf(bumpySphere(5, 1), 17);
    const near = nearestSources(image, image)!;
    const poseB = translation(3, 0, 0);
    expect(whileBusy(() => near(identity(), poseB, DISTANCE))).toBeUndefined();
    expect(near(identity(), poseB, DISTANCE)?.lower).toBeGreaterThan(0);
  });
});
