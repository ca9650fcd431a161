/** The GPU of a browser: the bundle, in Chromium, beside the library in Node. */
// @module-tag browser
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build } from '../../src/api.ts';
import { createScene } from '../../src/browser.ts';
import { prepare } from '../../src/engine/prepared.ts';
import { Random } from '../../src/math/numbers.ts';
import { compose, translation } from '../../src/math/pose.ts';
import { type Collisions, collideAllPairs, collideSorted } from '../../src/representations/voxel/bulk/collide.ts';
import { partitionAll } from '../../src/representations/voxel/bulk/partition-all.ts';
import { randomRotation } from '../support/agreement.ts';
import { chromiumProgram, type OpenPage, openPage } from '../support/chromium.ts';
import { seeded } from '../support/random.ts';
import { bumpySphere, torus } from '../support/shapes.ts';
import { randomBricks } from './random-cubes.ts';

type Library = typeof import('../../src/browser.ts');

/** Numbers alone, which pages can take and give. */
const plain = ({ pairs, cubes, first, keys, masks }: Omit<Collisions, 'work'>) =>
  [pairs, cubes, first, keys, masks].map((words) => Array.from(words));

describe.skipIf(!chromiumProgram)('in Chromium', () => {
  let opened: OpenPage;
  beforeAll(async () => {
    opened = await openPage();
  });
  afterAll(() => opened?.close());

  test('the words that Node gives, by sorted bricks and by all two-tuples, seed 41', { tags: ['long'] }, async () => {
    const random = new Random(41);
    const sets = Array.from({ length: 12 }, () => randomBricks(random, 60, 0.4));
    const told = sets.map(({ precision, keys, masks }) => ({ precision, keys: [...keys], masks: [...masks] }));
    const found = await opened.page.evaluate(async (told) => {
      const { openGpu, collideSorted, collideAllPairs } = (globalThis as unknown as { gicollide: Library }).gicollide;
      const sets = told.map(({ precision, keys, masks }) => ({
        precision,
        keys: Uint32Array.from(keys),
        masks: Uint32Array.from(masks),
      }));
      const device = await openGpu();
      const answers = [];
      for (const collide of [collideSorted, collideAllPairs]) {
        const { pairs, cubes, first, keys, masks, work } = await collide(sets, undefined, { device });
        answers.push({ words: [pairs, cubes, first, keys, masks].map((each) => Array.from(each)), work });
      }
      device.close();
      return { isSoftware: device.isSoftware, answers };
    }, told);
    expect(found.isSoftware).toBe(true);
    for (const [n, collide] of [collideSorted, collideAllPairs].entries()) {
      const { work, ...answer } = await collide(sets);
      expect(found.answers[n].words).toEqual(plain(answer));
      expect({ ...found.answers[n].work, blocks: 0 }).toEqual({ ...work, blocks: 0 });
      expect(work.collided).toBeGreaterThan(50);
    }
  });

  test('the cubes that Node makes', { tags: ['long'] }, async () => {
    const mesh = torus(24, 12);
    const told = { positions: [...mesh.positions], triangles: [...mesh.triangles] };
    const found = await opened.page.evaluate(async ({ positions, triangles }) => {
      const { openGpu, partitionAll } = (globalThis as unknown as { gicollide: Library }).gicollide;
      const own = { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
      const device = await openGpu();
      const sets = await partitionAll([own, own], 0.03, undefined, { device });
      device.close();
      return sets.map(({ keys, masks }) => [Array.from(keys), Array.from(masks)]);
    }, told);
    const [{ keys, masks }] = await partitionAll([mesh], 0.03);
    const words = [Array.from(keys), Array.from(masks)];
    expect(found).toEqual([words, words]);
  });

  test('k-DOP trees in many poses, and frames of a scene, seed 42', { tags: ['long'] }, async () => {
    const random = seeded(42);
    const between = () => random.between(-1.5, 1.5);
    const [a, b] = [torus(9, 6), bumpySphere(2, 2)];
    const meshes = [a, b].map(({ positions, triangles }) => ({ positions: [...positions], triangles: [...triangles] }));
    const numbers = Array.from({ length: 40 }, () => [
      ...compose(translation(between(), between(), between()), randomRotation(random)),
    ]);
    const found = await opened.page.evaluate(
      async ({ meshes, numbers }) => {
        const { build, createScene, openGpu, openPair } = (globalThis as unknown as { gicollide: Library }).gicollide;
        const [a, b] = meshes.map(({ positions, triangles }) =>
          build(
            { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups: [] },
            { format: 'kdop', bits: 16 },
          ),
        );
        const device = await openGpu();
        const told = await openPair(a, b).verdicts(Float64Array.from(numbers.flat()), { device });
        const objects = [a, b, a].map((asset, i) => ({ name: `object-${i}`, asset }));
        const scene = createScene(objects);
        const frames = numbers.slice(2).map((_, n) => ({
          'object-0': numbers[n],
          'object-1': numbers[n + 1],
          'object-2': numbers[n + 2],
        }));
        const steps = [];
        for await (const { began, ended } of scene.steps(frames, { device })) steps.push({ began, ended });
        device.close();
        return { verdicts: Array.from(told), steps };
      },
      { meshes, numbers },
    );
    const [own, other] = [a, b].map((mesh) => build(mesh, { format: 'kdop', bits: 16 }));
    const poses = numbers.map((pose) => Float64Array.from(pose));
    const { contact } = prepare(own, other);
    expect(found.verdicts).toEqual(poses.map((pose) => Number(contact(pose))));
    expect(new Set(found.verdicts)).toEqual(new Set([0, 1]));
    const scene = createScene([own, other, own].map((asset, i) => ({ name: `object-${i}`, asset })));
    const frame = (n: number) => ({ 'object-0': poses[n], 'object-1': poses[n + 1], 'object-2': poses[n + 2] });
    expect(found.steps).toEqual(found.steps.map((_, n) => scene.step(frame(n))));
    expect(found.steps.length).toBe(38);
  });

  test('without a GPU the error is a GpuError', { tags: ['all'] }, async () => {
    const name = await opened.page.evaluate(async () => {
      const { openGpu } = (globalThis as unknown as { gicollide: Library }).gicollide;
      const { navigator } = globalThis as unknown as { navigator: object };
      Object.defineProperty(navigator, 'gpu', { value: undefined });
      return openGpu().then(
        () => 'a GPU',
        (error: Error) => `${error.name}: ${error.message}`,
      );
    });
    expect(name).toBe('GpuError: no WebGPU here: in Node, npm install webgpu');
  });
});
