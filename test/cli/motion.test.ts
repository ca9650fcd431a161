/** `gicollide check --motion` as scripts see it: verdicts, exit codes, text and JSON, refusals. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { intervalText } from '../../src/cli/units.ts';
import { build, write } from '../../src/index.ts';
import { expectFailure, makeFolder, type Outcome, run } from '../support/cli.ts';
import { box, icosphere } from '../support/shapes.ts';

const cwd = makeFolder();
const check = (args: readonly string[], input = ''): Promise<Outcome> =>
  run(['check', 'box.obb', 'ball.kdop', ...args], { cwd, input });
const motion = (b: unknown): string => JSON.stringify({ gicollide: 'motion/1', b });
const between = (x: number, y: number, end = 1): string =>
  motion({
    keys: [
      { time: 0, translate: [x, 0, 0] },
      { time: end, translate: [y, 0, 0] },
    ],
  });

beforeAll(async () => {
  writeFileSync(join(cwd, 'box.obb'), await write(build(box(), { format: 'obb' })));
  writeFileSync(join(cwd, 'ball.kdop'), await write(build(icosphere(1), { format: 'kdop' })));
  writeFileSync(join(cwd, 'meet.motion.json'), between(9, 1, 2));
  writeFileSync(
    join(cwd, 'pass.motion.json'),
    motion({
      keys: [
        { time: 0, translate: [9, 9, 0] },
        { time: 1, translate: [-9, 9, 0] },
      ],
    }),
  );
  writeFileSync(join(cwd, 'through.motion.json'), between(-4, 4));
  writeFileSync(join(cwd, 'wrong.motion.json'), motion({ keys: [{ time: 1 }, { time: 0 }] }));
});

describe.concurrent('answers', () => {
  test('contact, in a bracket of times: exit code 1, or 0 where it is expected', async () => {
    const { code, stdout } = await check(['--motion', 'meet.motion.json']);
    expect(stdout).toMatch(
      /^contact at \([-\d. ]+\), first between the times [\d.]+ and [\d.]+ {2}box\.obb {2}ball\.kdop\n {2}first contact: triangle \d+ of a, triangle \d+ of b\n$/,
    );
    expect(code).toBe(1);
    expect((await check(['--motion', 'meet.motion.json', '--expect', 'contact'])).code).toBe(0);
  });

  test('all times in contact, and the least distance', { tags: ['long'] }, async () => {
    const args = ['--motion', 'through.motion.json', '--all-intervals', '--distance'];
    const { stdout } = await check(args);
    expect(stdout).toMatch(/\n {2}contact between the times [\d.]+ and [\d.]+\n/);
    expect(stdout).toMatch(/\n {2}least distance between 0 and 0, the latter at time [\d.]+\n/);
    const { intervals } = JSON.parse((await check([...args, '--json'])).stdout);
    for (const { verdict } of intervals) expect(['contact', 'undecided']).toContain(verdict);
  });

  test('clear at all times: exit code 0', async () => {
    const { code, stdout } = await check(['--motion', 'pass.motion.json']);
    expect(stdout).toMatch(/^clear from time 0 to 1 {2}box\.obb {2}ball\.kdop\n$/);
    expect(code).toBe(0);
  });

  test('JSON is what the library gives, with the files and the time', async () => {
    const { stdout } = await check(['--motion', 'meet.motion.json', '--json', '--time-resolution', '1e-4']);
    const found = JSON.parse(stdout);
    expect(found).toMatchObject({
      verdict: 'contact',
      a: { file: 'box.obb', representation: 'obb' },
      time: { begin: 0, end: 2 },
    });
    expect(found.first.to - found.first.from).toBeLessThanOrEqual(2e-4);
  });

  test('reports of what was printed say when', { tags: ['long'] }, async () => {
    const { stdout } = await check(['--motion', 'meet.motion.json', '--json']);
    const { from, to } = JSON.parse(stdout).first;
    const distance = { lower: 0, upper: 0, time: 1 };
    const line = JSON.stringify({ ...JSON.parse(stdout), distance });
    await run(['report', '-', '--report', 'csv=found.csv'], { cwd, input: line });
    const found = readFileSync(join(cwd, 'found.csv'), 'utf8');
    expect(found).toContain(`contact, first between the times ${from} and ${to}`);
  });

  test('--clearance comes sooner, and a motion of stdin', { tags: ['long'] }, async () => {
    const first = async (args: string[]): Promise<number> =>
      JSON.parse((await check(['--motion', '-', '--json', ...args], between(9, 1))).stdout).first.from;
    expect(await first(['--clearance', '1'])).toBeCloseTo((await first([])) - 1 / 8, 5);
  });
});

describe.concurrent('refusals', () => {
  test.each([
    [
      ['--motion', 'wrong.motion.json'],
      'wrong.motion.json: b.keys[1].time: expected a later time than the key before, found 0',
    ],
    [['--motion', 'none.motion.json'], 'none.motion.json: no such file'],
    [
      ['--motion', 'meet.motion.json', '--poses', '-'],
      '--poses is for objects at rest, but --motion moves both: leave out one of the two',
    ],
    [
      ['--motion', 'meet.motion.json', '--translate-b', '1,0,0'],
      '--translate-b is for objects at rest, but --motion moves both: leave out one of the two',
    ],
    [
      ['--motion', 'meet.motion.json', '--all'],
      '--all is for objects at rest, but --motion moves both: leave out one of the two',
    ],
    [
      ['--motion', 'meet.motion.json', '--solid', 'auto'],
      '--solid is for objects at rest, but --motion moves both: leave out one of the two',
    ],
    [
      ['--motion', 'meet.motion.json', '--max-contacts', '3'],
      '--max-contacts is for objects at rest, but --motion moves both: leave out one of the two',
    ],
    [['--time-resolution', '0.1'], '--time-resolution needs a motion: name its file with --motion'],
    [['--all-intervals'], '--all-intervals needs a motion: name its file with --motion'],
    [['--motion', 'meet.motion.json', '--time-resolution', '2'], 'timeResolution: expected above 0, up to 1, found 2'],
  ])('%j', { tags: ['all'] }, async (args, message) => {
    expectFailure(await check(args), message);
  });
});

test('times are shown with the digits that tell them apart, rounded outward', () => {
  expect(intervalText({ from: 0.24999998, to: 0.25 })).toBe('[0.24999998, 0.25]');
  expect(intervalText({ from: 1 / 3, to: 1 / 3 + 2e-6 })).toBe('[0.3333333, 0.3333354]');
  expect(intervalText({ from: 1.8646, to: 2 })).toBe('[1.86, 2]');
  expect(intervalText({ from: 1.86461234, to: 2.00012345 }, 'inward')).toBe('[1.864613, 2.000123]');
  expect(intervalText({ from: 0.5, to: 0.5 })).toBe('[0.5, 0.5]');
  expect(intervalText({ from: -2, to: 1e9 })).toBe('[-2, 1000000000]');
});
