/** The axes that a GPU prepares are the kernel's to the bit, in any two poses. */
import { expect, test } from 'vitest';
import { openKdopSearch } from '../../src/gpu/kdop-poses.ts';
import { PREPARED } from '../../src/kernels/layout.as.ts';
import { kernels } from '../../src/kernels/memory.ts';
import { compose, identity, type Pose, translation } from '../../src/math/pose.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { placePair } from '../../src/pair/on-device.ts';
import type { PoseDevice } from '../../src/query/pose-device.ts';
import { buildKdopTree } from '../../src/representations/kdop/build.ts';
import { kernelOfKdopTrees } from '../../src/representations/kdop/search/kernel.ts';
import { DOP_SIZES } from '../../src/representations/kdop/tree/dop-directions.ts';
import type { KdopTree } from '../../src/representations/kdop/tree/kdop-tree.ts';
import { randomRotation } from '../support/agreement.ts';
import { gpu, newGpu } from '../support/gpu.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { bumpySphere, mapped, torus } from '../support/shapes.ts';

/** Of an axis. */
const WORDS = 8;
/** What no axis begins with: p - E, less 1, is more. */
const NOTHING = 0x80000000;

/** A device that makes axes alone, and keeps those of its last batch. */
function openWatched(): { device: PoseDevice; axes(): Uint32Array } {
  const watched = newGpu();
  const run = watched.run.bind(watched);
  let axes: Uint32Array = new Uint32Array();
  watched.run = async (passes, reads) => {
    const buffer = passes[0].buffers[1];
    // What is made of them is another shader's.
    const found = await run(passes.slice(0, 1), [...reads, { buffer, words: buffer.size / 4 }]);
    axes = found[reads.length];
    return found;
  };
  const device: PoseDevice = { kdopTrees: (trees) => openKdopSearch(watched, trees) };
  return { device, axes: () => axes };
}

/** The axes that the kernel has prepared for a query, and how many they are: those that it came to. */
function axesOfKernel(a: KdopTree, b: KdopTree, poseA: Pose, poseB: Pose): Uint32Array {
  const { memory, workspace } = kernels()!;
  const count = (a.k + b.k) / 2;
  const words = new Uint32Array(memory.buffer, workspace + PREPARED, WORDS * count);
  words.fill(NOTHING);
  kernelOfKdopTrees(a, b)!.search({ poseA, poseB, all: true, maxContacts: 1e6, level: null });
  const prepared = Array.from({ length: count }, (_, n) => n).filter((n) => words[WORDS * n] !== NOTHING);
  return words.slice(0, WORDS * prepared.length);
}

/** Near each other, far away, nearly rigid, along the axes, and with entries that are next to 0. */
function randomPose(random: Random, size: number): Pose {
  const shift = [0, 1, 2].map(() => size * random.between(-0.7, 0.7));
  const turned = compose(translation(shift[0], shift[1], shift[2]), randomRotation(random));
  const factor = 1 + random.between(-4.9e-6, 4.9e-6);
  return random.pick([
    () => turned,
    () => turned.map((x, i) => (i % 4 < 3 && i < 12 ? factor * x : x)),
    () => translation(shift[0], 0, -shift[2]),
    () => Float64Array.of(0, -1, 1e-17, shift[0], 1, 0, -1e-30, shift[1], 1e-9, 0, 1, 0, 0, 0, 0, 1),
    () => compose(translation(1e9 * size, 0, 0), turned),
  ])();
}

const scaled = (mesh: Mesh, s: number): Mesh => mapped(mesh, (x, y, z) => [s * x, s * y, s * z]);

test.skipIf(!gpu).each(some(1, [1, 2, 3]))(
  'axes of trees of all k, 8 to 16 bits and many sizes, seed %i',
  { tags: ['long'] },
  async (seed) => {
    const random = seeded(seed);
    const { device, axes } = openWatched();
    let compared = 0;
    for (const k of DOP_SIZES) {
      const size = random.pick([1, 1e-60, 300, 1e60]);
      const a = buildKdopTree(scaled(bumpySphere(seed, 1), size), { k, bits: 8 + random.below(9) });
      const ofB = { k: random.pick(DOP_SIZES), bits: 8 + random.below(9) };
      const b = buildKdopTree(scaled(torus(7, 5), random.pick([1, 0.01]) * size), ofB);
      const poses = Array.from({ length: 60 }, () => {
        const poseA = random.pick([identity(), randomPose(random, size)]);
        return [poseA, compose(poseA, randomPose(random, size))];
      });
      const flat = (n: number): Float64Array => Float64Array.from(poses.flatMap((both) => Array.from(both[n])));
      const placed = placePair(a, b, device)!;
      const assets = Uint32Array.from(poses.flatMap(() => [0, 1]));
      await placed.answer({ assets, posesA: flat(0), posesB: flat(1) });
      placed.close();
      const stride = axes().length / poses.length;
      for (const [n, [poseA, poseB]] of poses.entries()) {
        const expected = axesOfKernel(a, b, poseA, poseB);
        expect(axes().slice(stride * n, stride * n + expected.length)).toEqual(expected);
        compared += expected.length / WORDS;
      }
    }
    expect(compared).toBeGreaterThan(1000);
  },
);
