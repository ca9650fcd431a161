/** Frames of a scene with a device: what each frame changes is what the processor says, whoever is asked. */
import { describe, expect, test } from 'vitest';
import '../../src/representations/everything.ts';
import { GpuError } from '../../src/base/errors.ts';
import { createScene } from '../../src/browser.ts';
import { DEVICE_LEFT, DEVICE_WORDS, type PoseDevice } from '../../src/engine/pose-device.ts';
import { compose, identity, type Pose, translation } from '../../src/math/pose.ts';
import { buildKdopTree } from '../../src/representations/kdop/make.ts';
import { QUERY_BYTES } from '../../src/representations/kdop/search/layout.as.ts';
import { buildObbTree } from '../../src/representations/obb/make/index.ts';
import type { Frame, FramePoses, SceneObject, SceneOptions, Touching } from '../../src/scene/records.ts';
import { randomRotation } from '../support/agreement.ts';
import { gpu } from '../support/gpu.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { box, bumpySphere, torus } from '../support/shapes.ts';

const ASSETS = [
  buildKdopTree(torus(9, 6), { k: 24, bits: 16 }),
  buildKdopTree(bumpySphere(4, 1), { k: 18, bits: 10 }),
  buildKdopTree(box(0.6, 0.4, 1), { k: 6, bits: 8 }),
  // Not for a device.
  buildKdopTree(torus(7, 5), { k: 14, bits: 20 }),
  buildObbTree(torus(8, 5), { nodeBytes: 64 }),
];

const COUNT = 14;
const NAMES = Array.from({ length: COUNT }, (_, i) => `object-${i}`);
const OBJECTS: SceneObject[] = NAMES.map((name, i) => ({
  name,
  asset: ASSETS[i % ASSETS.length],
  pose: translation(40 * i, 0, 0),
}));

const SIDE = 4.5;

function randomPose(random: Random): Pose {
  const [x, y, z] = [0, 1, 2].map(() => random.between(-SIDE / 2, SIDE / 2));
  return compose(translation(x, y, z), randomRotation(random));
}

/** Half of the objects move in a frame, and now and then none. */
function randomFrames(random: Random, count: number): FramePoses[] {
  const everybody = () => Object.fromEntries(NAMES.map((name) => [name, randomPose(random)]));
  const some = () => Object.fromEntries(Object.entries(everybody()).filter(() => random.below(2) === 0));
  return Array.from({ length: count }, (_, n) => (n === 0 ? everybody() : random.below(6) === 0 ? {} : some()));
}

interface Told extends Frame {
  touching: Touching[];
}

/** Frame by frame, by this thread. */
function byProcessor(frames: readonly FramePoses[], options: SceneOptions = {}): Told[] {
  const scene = createScene(OBJECTS, options);
  return frames.map((poses) => ({ ...scene.step(poses), touching: scene.touching() }));
}

async function byDevice(frames: readonly FramePoses[], device: PoseDevice, options: SceneOptions = {}) {
  const scene = createScene(OBJECTS, options);
  const told: Told[] = [];
  const failures: string[] = [];
  const onAlone = ({ message }: Error) => failures.push(message);
  for await (const frame of scene.steps(frames, { device, onAlone }))
    told.push({ ...frame, touching: scene.touching() });
  return { scene, told, failures };
}

/** Leaves all; counts what it is asked, and fails after so many batches. */
function standIn(most: number, batches = Number.POSITIVE_INFINITY): PoseDevice & { asked: number; open: number } {
  const device = {
    asked: 0,
    open: 0,
    kdopTrees() {
      device.open++;
      return {
        most,
        async answer({ length }: Uint8Array) {
          await new Promise((turn) => setTimeout(turn, 0));
          if (batches-- <= 0) throw new GpuError('it fell out');
          expect(length / QUERY_BYTES).toBeLessThanOrEqual(most);
          device.asked += length / QUERY_BYTES;
          return new Uint32Array((DEVICE_WORDS * length) / QUERY_BYTES).fill(DEVICE_LEFT);
        },
        close() {
          device.open--;
        },
      };
    },
  };
  return device;
}

const RULES: SceneOptions = {
  rules: {
    rules: [{ id: 'some', a: 'object-1*', b: '*' }],
    allow: [{ a: 'object-1', b: 'object-0' }],
  },
};

describe.each(some(1, [1, 2, 3]))('seed %i', (seed) => {
  const frames = randomFrames(seeded(seed), 40);
  const expected = byProcessor(frames);

  test('there is something to tell', { tags: ['quick', 'long'] }, () => {
    expect(expected.filter(({ began, ended }) => began.length + ended.length > 0).length).toBeGreaterThan(20);
    expect(expected.some(({ touching }) => touching.length > 4)).toBe(true);
  });

  test.skipIf(!gpu)('a GPU tells what the processor tells', { tags: ['long'] }, async () => {
    expect((await byDevice(frames, gpu!)).told).toEqual(expected);
    const limited: PoseDevice = { kdopTrees: (trees) => gpu!.kdopTrees(trees, { most: 11 }) };
    expect((await byDevice(frames, limited)).told).toEqual(expected);
  });

  test.each([1, 5, 1000])('batches of %i', { tags: ['quick', 'long'] }, async (most) => {
    const device = standIn(most);
    expect((await byDevice(frames, device)).told).toEqual(expected);
    expect(device.asked).toBeGreaterThan(100);
    expect(device.open).toBe(0);
  });

  test('rules and allowances', { tags: ['quick', 'long'] }, async () => {
    const device = standIn(16);
    expect((await byDevice(frames, device, RULES)).told).toEqual(byProcessor(frames, RULES));
    expect(device.asked).toBeGreaterThan(0);
  });

  test.each([0, 1, 3])(
    'a device that fails after %i batches: one warning, and the same frames',
    { tags: ['quick', 'long'] },
    async (batches) => {
      const device = standIn(8, batches);
      const { told, failures } = await byDevice(frames, device);
      expect(told).toEqual(expected);
      expect(failures).toEqual(['it fell out']);
      expect(device.open).toBe(0);
    },
  );

  test('with nobody to hear of it a failure is thrown, and the scene can be asked on', {
    tags: ['quick', 'long'],
  }, async () => {
    const scene = createScene(OBJECTS);
    const steps = scene.steps(frames, { device: standIn(8, 2) });
    await expect(
      (async () => {
        for await (const _ of steps);
      })(),
    ).rejects.toThrow(GpuError);
    scene.step(frames[0]);
    expect(scene.touching()).toEqual(expected[0].touching);
  });

  test('who reads no further can ask on: nothing is taken for known that was not told', {
    tags: ['quick', 'long'],
  }, async () => {
    for (const end of [1, 4]) {
      const scene = createScene(OBJECTS);
      let given = 0;
      for await (const _ of scene.steps(frames, { device: standIn(30) })) {
        expect(() => scene.step({})).toThrow(/^step: frames are being checked/);
        if (++given === end) break;
      }
      const alone = createScene(scene.objects);
      scene.step({});
      expect(scene.touching()).toEqual(alone.touching());
    }
  });

  test('the frames before one that is wrong come first', { tags: ['quick', 'long'] }, async () => {
    const scene = createScene(OBJECTS);
    let given = 0;
    const ask = async (): Promise<void> => {
      const all = [...frames.slice(0, 7), { 'object-1': new Float64Array(16) }, ...frames.slice(7)];
      for await (const _ of scene.steps(all, { device: standIn(1000) })) given++;
    };
    await expect(ask()).rejects.toThrow(/^pose of object-1/);
    expect(given).toBe(7);
    expect(scene.touching()).toEqual(expected[6].touching);
  });
});

test('a device is not asked where a clearance is, nor about what is not for it', {
  tags: ['quick', 'long'],
}, async () => {
  const frames = randomFrames(seeded(9), 5);
  const device = standIn(8);
  expect((await byDevice(frames, device, { clearance: 0.1 })).told).toEqual(byProcessor(frames, { clearance: 0.1 }));
  const others = createScene(OBJECTS.filter(({ asset }) => asset === ASSETS[3] || asset === ASSETS[4]));
  for await (const _ of others.steps([{}], { device }));
  expect(device.asked).toBe(0);
});

test('what is no device is refused', async () => {
  const steps = createScene(OBJECTS).steps([{ 'object-1': identity() }], { device: {} as PoseDevice });
  await expect(steps.next()).rejects.toThrow('device: expected the result of openGpu, found an object');
});
