/** What goes wrong with a GPU is one line, whatever it is, and the command line goes on by threads. */
import { describe, expect, test } from 'vitest';
import { GpuError } from '../../src/base/errors.ts';
import { onDevice } from '../../src/cli/gpu-device.ts';
import type { Session } from '../../src/cli/session.ts';
import { type OpenGpu, openGpu } from '../../src/gpu/open.ts';
import { Random } from '../../src/math/numbers.ts';
import { collideAllPairs, collideSorted } from '../../src/representations/voxel/bulk/collide.ts';
import { partitionAll } from '../../src/representations/voxel/bulk/partition-all.ts';
import { callingThread, type Workers } from '../../src/representations/voxel/bulk/stages.ts';
import type { CubeSet } from '../../src/representations/voxel/tree/cube-set.ts';
import { type Faults, fakeDevice, withNavigator } from '../support/fake-gpu.ts';
import { gpu, openDevice } from '../support/gpu.ts';
import { box, icosphere } from '../support/shapes.ts';
import { randomBricks } from './random-cubes.ts';

const random = new Random(31);
const sets = Array.from({ length: 5 }, () => randomBricks(random, 40, 0.5));
/** Two bodies, one with bricks that no device can tell. */
const meshes = [icosphere(1), box(2)];
type Way = (cubes: CubeSet[], workers?: Workers, options?: { device?: OpenGpu | undefined }) => Promise<object>;
const partitionModels: Way = (_, workers, options) => partitionAll(meshes, 0.125, workers, options);
const ways: Record<string, Way> = { collideSorted, collideAllPairs, partitionModels };

/** What a failure says: a GpuError of one line. */
async function failureOf(work: () => Promise<unknown>): Promise<string> {
  const error = await work().then(
    () => null,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(GpuError);
  expect((error as Error).message).toMatch(/^[^\n]+$/);
  return (error as Error).message;
}

/** A log that keeps what it is told. */
function sessionOf(): { session: Session; warnings: string[] } {
  const warnings: string[] = [];
  return {
    session: { log: { info() {}, warn: (text: string) => warnings.push(text) } } as unknown as Session,
    warnings,
  };
}

const FAULTS: [string, Faults, RegExp][] = [
  ['a device that is lost amid a run', { isLost: true }, /^the device is lost: it was unplugged/],
  ['no memory', { scope: { filter: 'out-of-memory', message: 'no memory\nfor it' } }, /^no memory$/],
  ['a refusal', { scope: { filter: 'validation', message: 'not so\nbut so' } }, /^not so$/],
  ['a shader that is refused', { pipeline: 'no such thing\nhere' }, /^[a-z-]+: \w+: no such thing$/],
  ['too small a buffer', { limits: { maxStorageBufferBindingSize: 40 } }, /: the device allows (40|3)$/],
  [
    'workgroups that are too small',
    { limits: { maxComputeInvocationsPerWorkgroup: 128 } },
    /^limits too small: expected /,
  ],
];

describe.each(Object.entries(ways))('%s', (_, collide) => {
  test.each(FAULTS)('%s', async (_, faults, line) => {
    const device = fakeDevice(faults);
    const failure = await failureOf(async () => collide(sets, undefined, { device: await openGpu({ device }) }));
    expect(failure).toMatch(line);
    expect(device.buffers).toBe(0);
  });

  test.each([
    ...FAULTS,
    ['no adapter', null, /^no adapter/],
    ['no device', 'none\nleft', /^no device: none$/],
  ] as const)('the command line warns once, and answers: %s', async (_, faults, line) => {
    const { session, warnings } = sessionOf();
    const device = faults === null || typeof faults === 'string' ? faults : fakeDevice(faults);
    const work = (device?: OpenGpu) => collide(sets, callingThread(), { device });
    expect(await withNavigator(device, () => onDevice({ name: 'gpu', isWorthIt: false }, session, work))).toEqual(
      await collide(sets),
    );
    expect(warnings.length).toBe(1);
    const [, cause] = /^--device gpu: (.*); the processor does all the work$/.exec(warnings[0]) ?? [];
    expect(cause).toMatch(line);
  });

  test.skipIf(!gpu)('a real device that is gone amid the work', { tags: ['all'] }, async () => {
    const own = await openDevice();
    const device = await openGpu({ device: own });
    const failure = failureOf(() => collide(sets, undefined, { device }));
    // While its shaders are compiled.
    own.destroy();
    expect(await failure).toMatch(/^the device is lost: /);
    // And stays so.
    expect(await failureOf(() => collide(sets, undefined, { device }))).toMatch(/^the device is lost: /);
  });
});

test('auto says nothing where there is no GPU, and asks for none where it does not pay', async () => {
  const { session, warnings } = sessionOf();
  const work = async (device?: unknown) => device === undefined;
  expect(await withNavigator(null, () => onDevice({ name: 'auto', isWorthIt: true }, session, work))).toBe(true);
  expect(await withNavigator(fakeDevice(), () => onDevice({ name: 'auto', isWorthIt: true }, session, work))).toBe(
    false,
  );
  expect(await withNavigator(fakeDevice(), () => onDevice({ name: 'auto', isWorthIt: false }, session, work))).toBe(
    true,
  );
  expect(await withNavigator(fakeDevice(), () => onDevice({ name: 'cpu', isWorthIt: true }, session, work))).toBe(true);
  expect(warnings).toEqual([]);
});

test('what is no fault of a GPU is not answered again', async () => {
  const { session, warnings } = sessionOf();
  const work = async () => {
    throw new RangeError('a fault of ours');
  };
  await expect(
    withNavigator(fakeDevice(), () => onDevice({ name: 'gpu', isWorthIt: true }, session, work)),
  ).rejects.toThrow(RangeError);
  expect(warnings).toEqual([]);
});
