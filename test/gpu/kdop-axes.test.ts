/** The axes that a GPU prepares are the twin's to the bit, in any pose of b. */
import { expect, test } from 'vitest';
import '../../src/representations/everything.ts';
import { placePair } from '../../src/engine/on-device.ts';
import type { PoseDevice } from '../../src/engine/pose-device.ts';
import { openKdopSearch } from '../../src/gpu/kdop-poses.ts';
import { compose, identity, type Pose, translation } from '../../src/math/pose.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { buildKdopTree } from '../../src/representations/kdop/make.ts';
import { DOP_SIZES } from '../../src/representations/kdop/tree/dop-directions.ts';
import { AXIS_WORDS, axisWordsByTwin } from '../kernels/twins/kdop.ts';
import { randomRotation } from '../support/agreement.ts';
import { gpu, newGpu } from '../support/gpu.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { bumpySphere, mapped, torus } from '../support/shapes.ts';

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

test.skipIf(!gpu).each(some(1, [1, 2, 3, 4, 5, 6, 7, 8]))(
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
        // Kernels relate two poses that both move without an inverse, unlike the twin.
        return [identity(), randomPose(random, size)];
      });
      const flat = (n: number): Float64Array => Float64Array.from(poses.flatMap((both) => Array.from(both[n])));
      const placed = placePair(a, b, device)!;
      const assets = Uint32Array.from(poses.flatMap(() => [0, 1]));
      await placed.answer({ assets, posesA: flat(0), posesB: flat(1) });
      placed.close();
      const stride = axes().length / poses.length;
      for (const [n, [poseA, poseB]] of poses.entries()) {
        const expected = axisWordsByTwin(a, b, poseA, poseB);
        expect(axes().slice(stride * n, stride * n + expected.length)).toEqual(expected);
        compared += expected.length / AXIS_WORDS;
      }
    }
    expect(compared).toBeGreaterThan(1000);
  },
);
