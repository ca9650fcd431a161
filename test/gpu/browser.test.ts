/** Cubes on the GPU of a browser: the bundle, in Chromium, beside the library in Node. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Random } from '../../src/math/random.ts';
import { type Collisions, collideAllPairs, collideSorted } from '../../src/representations/voxel/bulk/collide.ts';
import { partitionAll } from '../../src/representations/voxel/bulk/partition-all.ts';
import { chromiumProgram, type OpenPage, openPage } from '../support/chromium.ts';
import { torus } from '../support/shapes.ts';
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

  test('the words that Node gives, by sorted bricks and by all two-tuples, seed 41', async () => {
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

  test('the cubes that Node makes', async () => {
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

  test('without a GPU the error is a GpuError', async () => {
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
