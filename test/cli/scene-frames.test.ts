/** `gicollide scene` of frames: against check frame by frame, from a file and inline, events, first frames, refusals. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import '../../src/representations/everything.ts';
import { check } from '../../src/engine/prepared.ts';
import { compose, type Pose, rotation, translation } from '../../src/math/pose.ts';
import { buildObbTree } from '../../src/representations/obb/make/index.ts';
import { expectFailure, makeFolder, run } from '../support/cli.ts';
import { long, some } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { torus } from '../support/shapes.ts';

const mesh = torus(10, 6);
const ring = buildObbTree(mesh, { nodeBytes: 64 });

function objOf({ positions, triangles }: typeof mesh): string {
  const lines: string[] = ['o ring'];
  for (let v = 0; v < positions.length; v += 3) lines.push(`v ${positions.slice(v, v + 3).join(' ')}`);
  for (let t = 0; t < triangles.length; t += 3)
    lines.push(`f ${[...triangles.slice(t, t + 3)].map((v) => v + 1).join(' ')}`);
  return `${lines.join('\n')}\n`;
}

const NAMES = ['a', 'b', 'c'];

/** Rings in a row, too far apart to touch, and what `frames` says. */
function workspace(frames: unknown, more: object = {}): string {
  const cwd = makeFolder();
  mkdirSync(join(cwd, 'room'));
  writeFileSync(join(cwd, 'room', 'ring.obj'), objOf(mesh));
  const instances = NAMES.map((name, i) => ({ name, asset: 'ring', translate: [50 * i, 0, 0] }));
  const scene = { gicollide: 'scene/1', assets: { ring: 'ring.obj' }, instances, frames, ...more };
  writeFileSync(join(cwd, 'room', 'room.scene.json'), JSON.stringify(scene));
  return cwd;
}

const parsed = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

const scene = (cwd: string, ...flags: string[]) => run(['scene', 'room/room.scene.json', ...flags], { cwd });

/** To b and off again, by c. */
const FRAMES = [
  { time: 0, poses: { a: { translate: [20, 0, 0] } } },
  { time: 0.5, poses: { a: { translate: [50.1, 0, 0] } } },
  { time: 1, poses: { a: { translate: [50.2, 0, 0], rotate: { axis: [0, 0, 1], degrees: 30 } } } },
  { time: 1.5, poses: { a: { translate: [75, 0, 0] } } },
  { time: 2, poses: { a: { translate: [100, 0, 0.1] } } },
];

test.each(some(1, [1, 2, 3, 4]))(
  'random frames, seed %i: every frame as check has it, from a file and inline',
  { tags: ['quick', 'long'] },
  async (seed) => {
    const random = seeded(seed);
    const places: Pose[] = NAMES.map((_, i) => translation(50 * i, 0, 0));
    const expected: string[][] = [];
    const frames = Array.from({ length: long ? 67 : 30 }, () => {
      const poses: Record<string, object> = {};
      for (const [i, name] of NAMES.entries()) {
        if (random.below(4) === 0) continue;
        const translate = [0, 1, 2].map(() => random.between(-1.2, 1.2));
        const [x, y, z] = translate;
        const degrees = random.below(360);
        const pose = compose(translation(x, y, z), rotation(1, 2, 3, degrees));
        poses[name] =
          random.below(2) === 0 ? { matrix: [...pose] } : { translate, rotate: { axis: [1, 2, 3], degrees } };
        places[i] = pose;
      }
      const pairs = [
        [0, 1],
        [0, 2],
        [1, 2],
      ];
      expected.push(
        pairs.flatMap(([i, j]) =>
          check(ring, ring, { poseA: places[i], poseB: places[j] }).verdict === 'contact' ? [NAMES[i] + NAMES[j]] : [],
        ),
      );
      return { poses };
    });
    expect(new Set(expected.map(String)).size).toBeGreaterThan(3);
    const inline = workspace(frames);
    const byFile = workspace('poses.ndjson');
    writeFileSync(join(byFile, 'room', 'poses.ndjson'), frames.map((frame) => JSON.stringify(frame)).join('\n'));
    for (const cwd of [inline, byFile]) {
      const { code, stdout } = await scene(cwd, '--json');
      expect(code).toBe(1);
      const lines = parsed(stdout);
      const summary = lines.pop();
      expect(lines.map(({ pairs }) => pairs.map(({ a, b }: { a: string; b: string }) => a + b))).toEqual(expected);
      expect(lines.map(({ type, frame, time }) => [type, frame, time])).toEqual(
        frames.map((_, i) => ['frame', i, null]),
      );
      expect(summary).toMatchObject({ type: 'summary', objects: 3, frames: frames.length, undecided: 0 });
      const firstOf = (pair: string) => expected.findIndex((found) => found.includes(pair));
      expect(summary.pairs).toEqual(
        ['ab', 'ac', 'bc']
          .filter((pair) => firstOf(pair) >= 0)
          .map((pair) => ({ a: pair[0], b: pair[1], first: { contact: { frame: firstOf(pair), time: null } } })),
      );
    }
  },
);

describe('what it says', () => {
  test('text: a line a frame, when each pair first touched, and a last line', async () => {
    const { code, stdout } = await scene(workspace(FRAMES));
    expect(code).toBe(1);
    expect(stdout.trim().split('\n')).toEqual([
      'frame 0  time 0  clear',
      'frame 1  time 0.5  1 in contact: a b',
      'frame 2  time 1  1 in contact: a b',
      'frame 3  time 1.5  clear',
      'frame 4  time 2  1 in contact: a c',
      expect.stringMatching(/^first contact {2}a {2}b {2}in frame 1 {2}time 0\.5 {2}[0-9a-f]{8}$/),
      expect.stringMatching(/^first contact {2}a {2}c {2}in frame 4 {2}time 2 {4}[0-9a-f]{8}$/),
      '',
      '3 objects',
      expect.stringMatching(
        /^5 frames: 2 pairs in contact, the first in frame 1 {2}time 0\.5, 0 undecided, \d+\.\d s$/,
      ),
      expect.stringMatching(/^hint: --baseline known\.json --update-baseline /),
      '2 problems (2 errors, 0 warnings)',
    ]);
  });

  test('events: what changes alone; what is near is told from what touches', async () => {
    const cwd = workspace(FRAMES);
    const { stdout } = await scene(cwd, '--events', '--json');
    expect(parsed(stdout).slice(0, -1)).toEqual([
      { type: 'event', frame: 1, time: 0.5, event: 'contact', a: 'a', b: 'b' },
      { type: 'event', frame: 3, time: 1.5, event: 'parted', a: 'a', b: 'b' },
      { type: 'event', frame: 4, time: 2, event: 'contact', a: 'a', b: 'c' },
    ]);
    const near = await scene(cwd, '--events', '--clearance', '29');
    expect(near.stdout.split('\n')[0]).toBe('frame 0  time 0  near  a  b');
    expect(near.stdout).toMatch(
      /^first contact {2}a {2}b {2}in frame 1[\s\S]*^first near {5}a {2}b {2}in frame 0 {2}time 0/m,
    );
    expect((await scene(cwd, '--quiet')).stdout).toMatch(/^(?:first contact {2}a {2}[bc] {2}in frame \d[^\n]*\n){2}$/);
  });

  test('nothing that touches: exit code 0; an instance that was split moves as one', async () => {
    expect((await scene(workspace(FRAMES.slice(0, 1)))).code).toBe(0);
    const assets = { ring: { file: 'ring.obj', split: 'groups' } };
    const { stdout } = await scene(workspace(FRAMES, { assets }), '--events');
    expect(stdout).toMatch(/^frame 1 {2}time 0.5 {2}contact {2}a\/ring {2}b\/ring$/m);
  });

  test('many frames, lines that end as on Windows, a byte order mark', { tags: ['quick', 'long'] }, async () => {
    const cwd = workspace('poses.ndjson');
    const count = long ? 34_000 : 3000;
    const lines = Array.from(
      { length: count },
      (_, i) => `{"time": ${i}, "poses": {"a": {"translate": [${i % 60}, 0, 0]}}}`,
    );
    writeFileSync(join(cwd, 'room', 'poses.ndjson'), `\ufeff${lines.join('\r\n')}\r\n\r\n`);
    const { stdout } = await scene(cwd, '--events', '--json');
    const events = parsed(stdout);
    expect(events.pop()).toMatchObject({ frames: count, contact: 1 });
    expect(events.length).toBeGreaterThan(count / 40);
  });
});

test.each([
  [
    '{"poses": {"a": {}}}\n\n{"poses": {"bb": {}}}',
    /poses\.ndjson:3: expected names of instances at poses, found "bb"; did you mean "b"\?/,
  ],
  [
    '{"poses": {"a": {"tranlate": [1, 2, 3]}}}',
    /poses\.ndjson:1: expected only known keys at poses\.a, found "tranlate": did you mean translate\?/,
  ],
  ['{"pose": {}}', /poses\.ndjson:1: expected only known keys, found "pose": did you mean poses\?/],
  [
    '{"poses": {"a": {"translate": [1, 2]}}}',
    /poses\.ndjson:1: expected a list of 3 at poses\.a\.translate, found a list of 2/,
  ],
  ['{"poses": {}}\n{"poses": ', /poses\.ndjson:2: expected a value, found the end of the text/],
  [
    '{"poses": {"a": {"rotate": {"axis": [0, 0, 1], "degrees": 1}, "quaternion": [0, 0, 0, 1]}}}',
    /poses\.ndjson:1: expected rotate or quaternion at poses\.a, found both/,
  ],
  ['{"poses": {"a": {"matrix": [2,0,0,0,0,2,0,0,0,0,2,0,0,0,0,1]}}}', /poses\.ndjson:1: poses\.a: its matrix scales/],
  ['\n', /frames: there is none/],
])('the file %j: one line, exit code 2', async (text, message) => {
  const cwd = workspace('poses.ndjson');
  writeFileSync(join(cwd, 'room', 'poses.ndjson'), text);
  expectFailure(await scene(cwd, '--quiet'), message);
});

test.each([
  [[{ poses: { d: {} } }], [], /room\.scene\.json: expected names of instances at frames\[0\]\.poses, found "d"/],
  [
    [{ poses: {} }, { poses: { a: { quaternion: [1, 1, 0, 0] } } }],
    [],
    /expected a quaternion of length 1 at frames\[1\]\.poses\.a\.quaternion/,
  ],
  ['nothing.ndjson', [], /nothing\.ndjson/],
  ['../poses.ndjson', [], /is outside the scene's folder; --allow-outside allows it/],
  [FRAMES, ['--fail-on', 'overlap'], /--fail-on overlap: it applies to solids/],
  [FRAMES, ['--tolerance', '1'], /--tolerance: it applies to solids/],
  [FRAMES, ['--all'], /--all is for objects at rest: leave it out, or the frames of the scene file/],
  [FRAMES, ['--patches'], /--patches is for objects at rest: leave it out, or the frames of the scene file/],
  [undefined, ['--events'], /--events needs a motion: a scene file with frames/],
])('frames %j with %j: one line, exit code 2', async (frames, flags, message) => {
  expectFailure(await scene(workspace(frames), ...flags), message);
});

/** Past b within one step, and on. */
const LEAP = [
  { time: 0, poses: { a: { translate: [20, 0, 0] } } },
  { time: 2, poses: { a: { translate: [75, 0, 0] } } },
  { time: 3, poses: { a: { translate: [100, 0, 0.1] } } },
];

describe('--continuous', () => {
  const flags = ['--continuous'];

  test('what frames miss, and when: lines, the last line, exit code 1', async () => {
    const cwd = workspace(LEAP);
    expect((await scene(cwd)).stdout).toContain('1 pair in contact, the first in frame 2  time 3');
    const { stdout, code } = await scene(cwd, ...flags);
    const lines = stdout.trim().split('\n');
    expect(lines[1]).toMatch(/^before frame 1 {2}contact {2}a {2}b {2}in \[0\.\d+, 0\.\d+\]$/);
    const first = `first contact  a  b  ${lines[1].replace(/ {2}contact.* in /, ', in ')}`;
    expect(lines.some((line) => line.startsWith(first))).toBe(true);
    expect(lines.at(-3)).toMatch(
      /^3 frames: 2 pairs in contact, the first before frame 1, in \[.*\], 1 missed by the frames, 0 undecided/,
    );
    expect(code).toBe(1);
  });

  test('as JSON: an impact, and the summary', async () => {
    const { stdout } = await scene(
      workspace(LEAP, { between: 'straight' }),
      ...flags,
      '--json',
      '--time-resolution',
      '1e-3',
    );
    const records = parsed(stdout);
    const impact = records.find(({ type }) => type === 'impact');
    expect(impact).toMatchObject({ frame: 1, time: 2, class: 'contact', a: 'a', b: 'b', isMissed: true });
    expect(impact.to - impact.from).toBeLessThanOrEqual(2 * 1e-3);
    const { pairs, missed } = records.at(-1);
    expect(missed).toBe(1);
    expect(pairs[0]).toMatchObject({
      a: 'a',
      b: 'b',
      first: { contact: { frame: 1, from: impact.from, to: impact.to } },
    });
  });

  test('reports name the times', async () => {
    const cwd = workspace(LEAP);
    await scene(cwd, ...flags, '--report', 'csv=found.csv');
    expect(readFileSync(join(cwd, 'found.csv'), 'utf8')).toMatch(
      /contact, first before frame 1, between 0\.\d+ and 0\.\d+/,
    );
  });

  test.each([
    [
      ['--continuous', '--device', 'gpu'],
      '--device checks only the frames, and --continuous the time between them: leave out one of the two',
    ],
    [['--time-resolution', '0.5'], '--time-resolution is for the time between frames: add --continuous'],
    [['--continuous', '--time-resolution', '5'], '--time-resolution: expected a part, above 0 and up to 1, found 5'],
  ])('%j is refused', async (own, message) => {
    expectFailure(await scene(workspace(LEAP), ...own), message);
  });

  test('without frames it is refused', async () => {
    expectFailure(
      await scene(workspace(undefined), ...flags),
      '--continuous needs a motion: a scene file with frames, or a robot with --states',
    );
  });
});
