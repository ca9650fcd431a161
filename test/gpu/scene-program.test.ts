/** `gicollide scene --device` of frames: the lines that the processor prints, whoever says what touches. */
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
const NAMES = Array.from({ length: 8 }, (_, i) => `part-${i}`);

const random = seeded(16);
const frames = Array.from({ length: 40 }, (_, time) => {
  const place = () => ({
    translate: [0, 1, 2].map(() => random.between(-2.5, 2.5)),
    rotate: { axis: [1, 2, 3], degrees: random.between(0, 360) },
  });
  return { time, poses: Object.fromEntries(NAMES.map((name) => [name, place()])) };
});

/** Writes a scene of these two assets, in turns. */
function writeScene(name: string, assets: string[], more: object): void {
  const instances = NAMES.map((name, i) => ({ name, asset: assets[i % 2], translate: [9 * i, 0, 0] }));
  const scene = { gicollide: 'scene/1', assets: Object.fromEntries(assets.map((file) => [file, file])), instances };
  writeFileSync(join(cwd, `${name}.scene.json`), JSON.stringify({ ...scene, ...more }));
}

/** All but the times, which no two runs share. */
const untimed = ({ stdout }: Outcome): string => stdout.replaceAll(/"ms":\d+/g, '');

const ask = (name: string, args: string[], options = {}) =>
  run(['scene', `${name}.scene.json`, '--json', ...args], { cwd, ...options });

let alone: Outcome;
beforeAll(async () => {
  for (const [name, mesh] of [
    ['ring', torus(9, 6)],
    ['ball', bumpySphere(8, 1)],
  ] as const) {
    writeFileSync(join(cwd, `${name}.kdop`), await write(build(mesh, { format: 'kdop', bits: 16 })));
    writeFileSync(join(cwd, `${name}.obb`), await write(build(mesh, { format: 'obb' })));
  }
  writeFileSync(join(cwd, 'frames.ndjson'), frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''));
  writeScene('moving', ['ring.kdop', 'ball.kdop'], { frames: 'frames.ndjson' });
  writeScene('boxes', ['ring.obb', 'ball.obb'], { frames });
  writeScene('still', ['ring.kdop', 'ball.kdop'], {});
  alone = await ask('moving', []);
});

// The library's frames on a GPU are compared in scene-frames.test.ts; a program's own GPU takes seconds.
test.skipIf(!gpu)('a GPU finds the lines that the processor finds, seed 16', { tags: ['long'] }, async () => {
  expect(alone.stdout).toContain('"class":"contact"');
  const outcome = await ask('moving', ['--device', 'gpu'], { env: softwareGpu() });
  expect(outcome).toMatchObject({ code: alone.code, stderr: '' });
  expect(untimed(outcome)).toBe(untimed(alone));
});

test('a GPU that is lost amid the frames is one warning', { tags: ['long'] }, async () => {
  // More frames than are taken ahead.
  const more = frames.map((frame) => `${JSON.stringify(frame)}\n`).join('');
  writeFileSync(join(cwd, 'more.ndjson'), more.repeat(30));
  writeScene('longer', ['ring.kdop', 'ball.kdop'], { frames: 'more.ndjson' });
  const outcome = await ask('longer', ['--device', 'gpu', '--events'], { preload: LOST_GPU });
  expect(outcome.stderr).toBe('warning: --device gpu: it fell out; the processor does all the work\n');
  const own = await ask('longer', ['--events']);
  expect(outcome.code).toBe(own.code);
  expect(untimed(outcome)).toBe(untimed(own));
});

test.each([
  ['other assets', 'boxes', []],
  ['a clearance', 'moving', ['--clearance', '0.1']],
])('%s: not for it, which is one warning', async (_, name, args) => {
  const outcome = await ask(name, [...args, '--device', 'gpu']);
  const why = 'it only finds contact of k-DOP trees of up to 16 bits';
  expect(outcome.stderr).toBe(`warning: --device gpu: ${why}; the processor does all the work\n`);
  const own = await ask(name, [...args, '--device', 'auto']);
  expect(own.stderr).toBe('');
  expect(untimed(outcome)).toBe(untimed(own));
});

test.each<[string, object, RegExp]>([
  ['a name that nobody has', { poses: { nobody: {} } }, /^error: wrong\.ndjson:4: .*nobody/],
  ['a length out of range', { poses: { 'part-1': { translate: [1e200, 0, 0] } } }, /^error: wrong\.ndjson:4: /],
])(
  '%s, in a frame that was taken ahead: what comes before, and one line',
  { tags: ['all'] },
  async (_, frame, line) => {
    const lines = [...frames.slice(0, 3), frame, ...frames.slice(3)].map((each) => `${JSON.stringify(each)}\n`);
    writeFileSync(join(cwd, 'wrong.ndjson'), lines.join(''));
    writeScene('wrong', ['ring.kdop', 'ball.kdop'], { frames: 'wrong.ndjson' });
    const outcome = await ask('wrong', ['--device', 'gpu'], { preload: LOST_GPU });
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toMatch(line);
    expect(outcome.stderr.trim()).not.toContain('\n');
    expect(outcome.stdout.match(/"type":"frame"/g)).toHaveLength(3);
    const own = await ask('wrong', []);
    expect(own).toMatchObject({ code: 2, stderr: outcome.stderr, stdout: outcome.stdout });
  },
);

test('what stands still is not for a device', async () => {
  const outcome = await ask('still', ['--device', 'gpu']);
  expectFailure(outcome, '--device is for frames, and nothing moves here: leave it out');
});
