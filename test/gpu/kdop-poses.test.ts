/**
 * Many poses of two k-DOP trees on a GPU: the verdicts of the readable search, and the twin's
 * counts where there is no contact, so that the same pairs of nodes overlap.
 */
import { describe, expect, test } from 'vitest';
import { build } from '../../src/api.ts';
import { GpuError } from '../../src/base/errors.ts';
import { answersOf, placePair } from '../../src/engine/on-device.ts';
import {
  DEVICE_CLEAR,
  DEVICE_CONTACT,
  DEVICE_LEFT,
  DEVICE_WORDS,
  type PoseDevice,
} from '../../src/engine/pose-device.ts';
import { openPair } from '../../src/engine/prepared.ts';
import { openGpu } from '../../src/gpu/open.ts';
import { compose, identity, type Pose, translation } from '../../src/math/pose.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { checkPoses } from '../../src/representations/check-poses.ts';
import { buildKdopTree } from '../../src/representations/kdop/make.ts';
import { checkKdopTrees } from '../../src/representations/kdop/search/descent.ts';
import { QUERY_BYTES } from '../../src/representations/kdop/search/layout.as.ts';
import type { DopSize } from '../../src/representations/kdop/tree/dop-directions.ts';
import type { KdopTree } from '../../src/representations/kdop/tree/kdop-tree.ts';
import { checkByTwin } from '../kernels/twins/kdop.ts';
import { nearContact, randomDirection, randomRotation, shifted } from '../support/agreement.ts';
import { type Faults, fakeDevice } from '../support/fake-gpu.ts';
import { gpu } from '../support/gpu.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { box, bumpySphere, mapped, soup, torus } from '../support/shapes.ts';

const firstContact = (poseB: Pose) => ({ poseA: identity(), poseB, all: false, maxContacts: 1, level: null });

function joined(poses: readonly Pose[]): Float64Array {
  const all = new Float64Array(16 * poses.length);
  for (const [n, pose] of poses.entries()) all.set(pose, 16 * n);
  return all;
}

/** How far poses are moved on from where contact ends. */
const STEPS = [0, 1e-7, 1e-5, 1e-3, 0.03];
/** In lengths of the pair, no pose farther from there than this is left to the processor. */
const SURELY_TOLD = 1e-3;

interface Asked {
  pose: Pose;
  mustTell: boolean;
}

/** Poses on both sides of where contact ends, and anywhere. */
function posesAround(a: KdopTree, b: KdopTree, random: Random, rounds: number): Asked[] {
  const asked: Asked[] = [];
  for (let n = 0; n < rounds; n++) {
    const start = randomRotation(random);
    const direction = randomDirection(random);
    const [inside, outside] = nearContact(a, b, identity(), start, direction);
    for (const step of STEPS) {
      asked.push({ pose: shifted(outside, direction, step), mustTell: step >= SURELY_TOLD });
      asked.push({ pose: shifted(inside, direction, -step), mustTell: false });
    }
    const anywhere = compose(translation(random.between(-2, 2), random.between(-2, 2), 0), randomRotation(random));
    asked.push({ pose: anywhere, mustTell: false });
    // As far from rigid as is accepted, and out of the way.
    asked.push({ pose: anywhere.map((x, i) => (i % 4 < 3 && i < 12 ? 1.0000049 * x : x)), mustTell: false });
    asked.push({ pose: translation(10 ** random.between(1, 149), 0, 0), mustTell: true });
  }
  return asked;
}

/** Returns how many poses had which verdict of the device. */
async function expectSame(
  a: KdopTree,
  b: KdopTree,
  asked: readonly Asked[],
  limits: { most?: number; steps?: number } = {},
): Promise<number[]> {
  const device: PoseDevice = { kdopTrees: (trees) => gpu!.kdopTrees(trees, limits) };
  const placed = placePair(a, b, device)!;
  const tally = [0, 0, 0];
  let n = 0;
  for await (const words of answersOf(placed, joined(asked.map(({ pose }) => pose)))) {
    for (let at = 0; at < words.length; at += DEVICE_WORDS, n++) {
      const [verdict, ...counts] = words.subarray(at, at + DEVICE_WORDS);
      const { pose, mustTell } = asked[n];
      const expected = checkKdopTrees(a, b, firstContact(pose))?.verdict;
      if (verdict !== DEVICE_LEFT) expect(verdict).toBe(expected === 'contact' ? DEVICE_CONTACT : DEVICE_CLEAR);
      else expect(mustTell).toBe(false);
      if (verdict === DEVICE_CLEAR) {
        const { tests, level } = checkByTwin(a, b, firstContact(pose));
        expect(counts).toEqual([tests.bounds, tests.hulls, level]);
      }
      tally[verdict]++;
    }
  }
  placed.close();
  expect(n).toBe(asked.length);
  return tally;
}

const scaled = (mesh: Mesh, s: number): Mesh => mapped(mesh, (x, y, z) => [s * x, s * y, s * z]);

/** Triangles in planes that are parallel to no face of a box, so that their boxes are nearly one. */
function parallelTriangles(count: number, half: number): Mesh {
  const positions = Float64Array.from({ length: 9 * count }, (_, n) => {
    const behind = (2 * Math.floor(n / 9) + half) / (4 * count);
    return behind + (n % 9 === 0 || n % 9 === 4 || n % 9 === 8 ? 1 : 0);
  });
  return { positions, triangles: Uint32Array.from({ length: 3 * count }, (_, n) => n), groups: [] };
}

/** A tree of which one of two nodes has sixteen triangles, and the other one all others. */
function spine(mesh: Mesh): KdopTree {
  const tree = buildKdopTree(mesh, { k: 6, bits: 16 });
  const { k, links, coefficients } = tree;
  const deep = { ...tree, links: new Uint32Array(links.length), coefficients: coefficients.slice() };
  let nodes = 1;
  const fill = (node: number, leaves: readonly number[]): void => {
    const [leaf] = leaves;
    if (leaves.length === 1) {
      deep.links[node] = links[leaf];
      for (let i = 0; i < k; i++) deep.coefficients[k * node + i] = coefficients[k * leaf + i];
      return;
    }
    const child = nodes;
    nodes += 2;
    const first = leaves.length > 16 ? 16 : leaves.length / 2;
    deep.links[node] = 2 * child;
    fill(child, leaves.slice(0, first));
    fill(child + 1, leaves.slice(first));
    for (let i = k * node; i < k * node + k; i++) {
      const below = k * (child - node);
      deep.coefficients[i] = Math.max(deep.coefficients[i + below], deep.coefficients[i + below + k]);
    }
  };
  fill(
    0,
    Array.from(links.keys()).filter((node) => (links[node] & 1) === 1),
  );
  return deep;
}

/** Meshes, k and bits of both. */
const PAIRS: Record<string, [Mesh, DopSize, number, Mesh, DopSize, number]> = {
  'spheres of 24 and 16 bits': [bumpySphere(1, 2), 24, 16, bumpySphere(2, 2), 24, 16],
  'a ring and a sphere, k 6 and 26, 16 and 9 bits': [torus(12, 8), 6, 16, bumpySphere(3, 2), 26, 9],
  'boxes, k 14 and 18, 8 bits': [box(1, 2, 0.5), 14, 8, box(), 18, 8],
  'a soup and a sphere 100 times smaller': [soup(torus(14, 9)), 18, 13, scaled(bumpySphere(4, 1), 0.01), 24, 16],
  'a sphere 1e30 times smaller': [bumpySphere(5, 1), 14, 16, scaled(torus(5, 4), 1e-30), 24, 12],
};

describe.skipIf(!gpu)('on a GPU', () => {
  test.each(
    some(
      5,
      Object.keys(PAIRS)
        .flatMap((name, n) => [1, 2, 3].map((seed) => [name, 10 * n + seed] as const))
        .sort((p, q) => (p[1] % 10) - (q[1] % 10)),
    ),
  )("%s: verdicts and counts are the processor's, seed %i", { tags: ['all', 'long'] }, async (name, seed) => {
    const [meshA, kA, bitsA, meshB, kB, bitsB] = PAIRS[name];
    const a = buildKdopTree(meshA, { k: kA, bits: bitsA });
    const b = buildKdopTree(meshB, { k: kB, bits: bitsB });
    const asked = posesAround(a, b, seeded(seed), 3);
    const [clear, contact] = await expectSame(a, b, asked);
    expect(clear).toBeGreaterThan(0);
    if (!name.includes('smaller')) expect(contact).toBeGreaterThan(0);
  });

  test('boxes that touch in faces, edges and corners exactly are left, and a hair apart they are told', {
    tags: ['all'],
  }, async () => {
    const tree = buildKdopTree(box(), { k: 18, bits: 16 });
    const at = [-1, -0.5, 0, 0.5, 1];
    const touching = at.flatMap((x) => at.map((y) => translation(x, y, 1)));
    expect(
      await expectSame(
        tree,
        tree,
        touching.map((pose) => ({ pose, mustTell: false })),
      ),
    ).toEqual([0, 0, 25]);
    const apart = at.flatMap((x) => at.map((y) => translation(x, y, 1.001)));
    expect(
      await expectSame(
        tree,
        tree,
        apart.map((pose) => ({ pose, mustTell: true })),
      ),
    ).toEqual([25, 0, 0]);
  });

  test('batches of few poses, seed 21', { tags: ['all'] }, async () => {
    const tree = buildKdopTree(torus(8, 6), { k: 24, bits: 16 });
    const asked = posesAround(tree, tree, seeded(21), 2);
    const whole = await expectSame(tree, tree, asked);
    for (const most of [1, 7]) expect(await expectSame(tree, tree, asked, { most })).toEqual(whole);
  });

  test('poses whose entries its doubles cannot hold are left, and others are not', { tags: ['all'] }, async () => {
    const tree = buildKdopTree(bumpySphere(3, 1), { k: 14, bits: 16 });
    const placed = placePair(tree, tree, gpu!)!;
    const entry = [0, 1e-300, 5e-324, -1e-40, 1e-30];
    const poses = entry.map((x) => Float64Array.of(1, x, 0, 9, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1));
    const words = await placed.answer({
      assets: Uint32Array.from(poses.flatMap(() => [0, 1])),
      posesA: null,
      posesB: Float64Array.from(poses.flatMap((pose) => Array.from(pose))),
    });
    placed.close();
    expect(poses.map((_, n) => words[4 * n] === DEVICE_LEFT)).toEqual([false, true, true, true, false]);
  });

  test('what takes more steps than are allowed is left, seed 24', { tags: ['all'] }, async () => {
    const tree = buildKdopTree(torus(8, 6), { k: 24, bits: 16 });
    const asked = posesAround(tree, tree, seeded(24), 2).map(({ pose }) => ({ pose, mustTell: false }));
    const [clear, contact, left] = await expectSame(tree, tree, asked);
    const cut = await expectSame(tree, tree, asked, { steps: 4 });
    expect(cut[0]).toBeGreaterThan(0);
    expect(cut[0]).toBeLessThan(clear);
    expect(cut[2]).toBe(clear + contact + left - cut[0] - cut[1]);
  });

  test('trees whose triangles are far outside of their bounds are left, beside larger ones, too', {
    tags: ['all'],
  }, async () => {
    const small = buildKdopTree(scaled(bumpySphere(6, 1), 0.001), { k: 14, bits: 16 });
    const wrong = { ...small, positions: small.positions.map((x) => 2000 * x) };
    const cube = box(20, 20, 20);
    const large = buildKdopTree(cube, { k: 14, bits: 16 });
    const [x, y, z] = [0, 1, 2].map((i) => cube.positions.filter((_, n) => n % 3 === i)).map((p) => Math.max(...p));
    // Within a hair of a face, which the triangles cross, and no longer their middle.
    const asked = [-5e-4, 5e-4].map((away) => ({ pose: translation(x + away, y - 9, z - 9), mustTell: false }));
    expect(await expectSame(large, wrong, asked)).toEqual([0, 0, 2]);
    for (const { pose } of asked) expect(checkKdopTrees(large, wrong, firstContact(pose))?.verdict).toBe('contact');
  });

  test('trees of which more is pending than the stack holds are left, and answered by the processor', {
    tags: ['all'],
  }, async () => {
    // No two planes meet, and all boxes do.
    const verdictsOf = async (count: number): Promise<number[]> => {
      const [a, b] = [0, 1].map((half) => spine(parallelTriangles(count, half)));
      const placed = placePair(a, b, { kdopTrees: (trees) => gpu!.kdopTrees(trees, { steps: 2 ** 20 }) })!;
      const [told] = await placed.answer({ assets: Uint32Array.of(0, 1), posesA: null, posesB: identity() });
      placed.close();
      const [verdict] = await checkPoses(a, b, identity(), { device: gpu! });
      expect(checkKdopTrees(a, b, firstContact(identity()))?.verdict).toBe('clear');
      return [told, verdict];
    };
    expect(await verdictsOf(16)).toEqual([DEVICE_CLEAR, 0]);
    expect(await verdictsOf(480)).toEqual([DEVICE_LEFT, 0]);
  });

  test('verdicts of pairs and of checkPoses, seed 22', { tags: ['all'] }, async () => {
    const a = build(bumpySphere(6, 2), { format: 'kdop', bits: 16 }) as KdopTree;
    const b = build(torus(9, 6), { format: 'kdop', bits: 12 }) as KdopTree;
    const poses = joined(posesAround(a, b, seeded(22), 3).map(({ pose }) => pose));
    const expected = await openPair(a, b).verdicts(poses);
    expect(await openPair(a, b).verdicts(poses, { device: gpu! })).toEqual(expected);
    expect(await checkPoses(a, b, poses, { device: gpu! })).toEqual(expected);
  });

  // Of a stand-in the test of the command line says so; a second device takes seconds.
  test('a device that is lost amid the poses is a GpuError', { tags: ['long'] }, async () => {
    const tree = buildKdopTree(torus(8, 6), { k: 24, bits: 16 });
    const own = await openGpu();
    let batches = 0;
    const asked = async (): Promise<void> => {
      const device: PoseDevice = { kdopTrees: (trees) => own.kdopTrees(trees, { most: 2 }) };
      const poses = joined(posesAround(tree, tree, seeded(23), 1).map(({ pose }) => pose));
      const placed = placePair(tree, tree, device)!;
      for await (const _ of answersOf(placed, poses)) if (++batches === 2) own.close();
    };
    await expect(asked()).rejects.toThrow(GpuError);
    expect(batches).toBeLessThan(6);
  });
});

/** Leaves all poses, or answers each with one verdict. */
const standIn = (verdict: number): PoseDevice => ({
  kdopTrees: () => ({
    most: 2,
    async answer({ length }) {
      const poses = length / QUERY_BYTES;
      return Uint32Array.from({ length: DEVICE_WORDS * poses }, (_, n) => (n % DEVICE_WORDS === 0 ? verdict : 0));
    },
    close: () => {},
  }),
});

const POSES = joined([translation(0.4, 0, 0), translation(9, 0, 0), translation(0, 0.3, 0)]);

test('what a device leaves is answered here, and what it tells is not asked again', async () => {
  const tree = build(bumpySphere(7, 2), { format: 'kdop', bits: 16 });
  for (const ask of [openPair(tree, tree).verdicts, checkPoses.bind(null, tree, tree)]) {
    expect(Array.from(await ask(POSES, { device: standIn(DEVICE_LEFT) }))).toEqual([1, 0, 1]);
    expect(Array.from(await ask(POSES, { device: standIn(DEVICE_CLEAR) }))).toEqual([0, 0, 0]);
  }
});

test.each<[string, Faults]>([
  ['is lost amid a run', { isLost: true }],
  ['has no memory', { scope: { filter: 'out-of-memory', message: 'no memory' } }],
  ['refuses the shader', { pipeline: 'no such thing' }],
  ['has too small buffers', { limits: { maxStorageBufferBindingSize: 4000 } }],
])('a device that %s is a GpuError, and no buffer stays', async (_, faults) => {
  const device = fakeDevice(faults);
  const tree = build(bumpySphere(7, 2), { format: 'kdop', bits: 16 });
  await expect(checkPoses(tree, tree, POSES, { device: await openGpu({ device }) })).rejects.toThrow(GpuError);
  expect(device.buffers).toBe(0);
});

test('pairs that are not for a device are answered without it', async () => {
  const mesh = bumpySphere(7, 2);
  const narrow = build(mesh, { format: 'kdop', bits: 16 });
  for (const other of [build(mesh, { format: 'kdop', bits: 20 }), build(mesh, { format: 'obb' })])
    for (const [a, b] of [
      [narrow, other],
      [other, other],
    ])
      expect(Array.from(await checkPoses(a, b, POSES, { device: standIn(DEVICE_CLEAR) }))).toEqual([1, 0, 1]);
});

test('what is no device is refused', async () => {
  const tree = build(box(), { format: 'kdop' });
  const device = {} as PoseDevice;
  await expect(openPair(tree, tree).verdicts(POSES, { device })).rejects.toThrow(
    'device: expected the result of openGpu, found an object',
  );
});
