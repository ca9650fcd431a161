/**
 * `gicollide check --poses --device`: the lines that the processor prints, whoever finds them, and
 * one warning where a GPU fails.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { build, write } from '../../src/index.ts';
import { expectFailure, makeFolder, type Outcome, run } from '../support/cli.ts';
import { LOST_GPU } from '../support/fake-gpu.ts';
import { gpu, softwareGpu } from '../support/gpu.ts';
import { seeded } from '../support/random.ts';
import { bumpySphere, torus } from '../support/shapes.ts';

const cwd = makeFolder();
const ARGS = ['check', 'ring.kdop', 'ball.kdop', '--json', '--poses'];

/** Turned and shifted, near contact, seed 15: enough of them for the kernel. */
const random = seeded(15);
const text = Array.from({ length: 60 }, () => {
  const shift = [0, 1, 2].map(() => random.between(-1.4, 1.4));
  return `[${[0.6, -0.8, 0, shift[0], 0.8, 0.6, 0, shift[1], 0, 0, 1, shift[2], 0, 0, 0, 1]}]\n`;
}).join('');

/** All but the times, which no two runs share. */
const untimed = ({ stdout }: Outcome): string => stdout.replaceAll(/"ms":[^\n]*/g, '');

/** Nor the counts: a GPU walks k-DOP trees, the processor OBB trees of the same triangles. */
const uncounted = (outcome: Outcome): string => untimed(outcome).replaceAll(/"level":\d+,"tests":\{[^}]*\},/g, '');

let alone: Outcome;
beforeAll(async () => {
  for (const [name, mesh] of [
    ['ring', torus(12, 8)],
    ['ball', bumpySphere(8, 2)],
  ] as const) {
    writeFileSync(join(cwd, `${name}.kdop`), await write(build(mesh, { format: 'kdop', bits: 16 })));
    writeFileSync(join(cwd, `${name}.obb`), await write(build(mesh, { format: 'obb' })));
  }
  writeFileSync(join(cwd, 'poses.txt'), text);
  alone = await run([...ARGS, 'poses.txt', '--summary'], { cwd });
});

test.skipIf(!gpu)('a GPU finds the lines that the processor finds, seed 15', { tags: ['long'] }, async () => {
  expect(alone.stdout).toContain('"verdict":"clear"');
  expect(alone.stdout).toContain('"verdict":"contact"');
  const outcome = await run([...ARGS, 'poses.txt', '--summary', '--device', 'gpu'], { cwd, env: softwareGpu() });
  expect(outcome).toMatchObject({ code: alone.code, stderr: '' });
  expect(uncounted(outcome)).toBe(uncounted(alone));
});

test.each([
  ['poses.txt', ''],
  ['-', text],
])('a GPU that is lost amid the poses is one warning: %s', { tags: ['all'] }, async (file, input) => {
  const options = { cwd, preload: LOST_GPU, input };
  const outcome = await run([...ARGS, file, '--summary', '--device', 'gpu'], options);
  expect(outcome.stderr).toBe('warning: --device gpu: it fell out; the processor does all the work\n');
  expect(outcome.code).toBe(alone.code);
  expect(untimed(outcome)).toBe(untimed(alone));
});

const NOT_FOR_IT =
  'warning: --device gpu: it only finds contact of k-DOP trees of up to 16 bits; the processor does all the work\n';

test.each([
  ['other assets', ['check', 'ring.obb', 'ball.obb', '--json', '--poses', 'poses.txt']],
  ['another question', [...ARGS, 'poses.txt', '--distance']],
  ['a level', [...ARGS, 'poses.txt', '--level', '0']],
])('%s: not for it, which is one warning', async (_, args) => {
  const outcome = await run([...args, '--device', 'gpu'], { cwd });
  expect(outcome.stderr).toBe(NOT_FOR_IT);
  const own = await run([...args, '--device', 'auto'], { cwd });
  expect(own.stderr).toBe('');
  expect(untimed(outcome)).toBe(untimed(own));
});

test('trees of more bits are not for it, which says why', async () => {
  writeFileSync(join(cwd, 'wide.kdop'), await write(build(torus(12, 8), { format: 'kdop', bits: 20 })));
  const outcome = await run(['check', 'wide.kdop', 'ball.kdop', '--poses', 'poses.txt', '--device', 'gpu'], { cwd });
  const why = "trees of 20 bits: with more than 16, sums do not fit into a GPU's 32";
  expect(outcome.stderr).toBe(`warning: --device gpu: ${why}; the processor does all the work\n`);
});

test('one pose is not for a device', async () => {
  const outcome = await run(['check', 'ring.kdop', 'ball.kdop', '--device', 'gpu'], { cwd });
  expectFailure(outcome, '--device is for --poses: one pose is checked by the processor');
});
