/** `gicollide scene` of frames: closed objects inside other ones, by an oracle of boxes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import '../../src/representations/everything.ts';
import { type FoundInFrame, Insides, keyOf } from '../../src/cli/scene/insides.ts';
import { translation } from '../../src/math/pose.ts';
import { buildObbTree } from '../../src/representations/obb/make/index.ts';
import { placeScene } from '../../src/scene/scene.ts';
import { makeFolder, run } from '../support/cli.ts';
import { long, some } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { box } from '../support/shapes.ts';

const FACES = [
  '1 3 2',
  '2 3 4',
  '5 6 7',
  '6 8 7',
  '1 2 5',
  '2 6 5',
  '3 7 4',
  '4 7 8',
  '1 5 3',
  '3 5 7',
  '2 4 6',
  '4 8 6',
];

/** A box about the origin. @param faces the first so many; 12 are closed */
function objOf(half: number, faces = 12): string {
  const corners = Array.from({ length: 8 }, (_, k) => [k & 1, k & 2, k & 4].map((bit) => (bit ? half : -half)));
  return [...corners.map((at) => `v ${at.join(' ')}`), ...FACES.slice(0, faces).map((face) => `f ${face}`), ''].join(
    '\n',
  );
}

type Place = readonly number[];

function workspace(frames: readonly Place[], { outer = objOf(4), more = {} } = {}): string {
  const cwd = makeFolder();
  writeFileSync(join(cwd, 'large.obj'), outer);
  writeFileSync(join(cwd, 'small.obj'), objOf(1));
  const scene = {
    ...{ gicollide: 'scene/1', assets: { large: 'large.obj', small: 'small.obj' }, ...more },
    instances: [
      { name: 'room', asset: 'large' },
      { name: 'crate', asset: 'small', translate: [50, 0, 0] },
    ],
    frames: frames.map((translate) => ({ poses: { crate: { translate } } })),
  };
  writeFileSync(join(cwd, 's.scene.json'), JSON.stringify(scene));
  return cwd;
}

const scene = (cwd: string, ...flags: string[]) => run(['scene', 's.scene.json', ...flags], { cwd });

/** In and out through a wall. */
const WAY: Place[] = [
  [6, 0, 0],
  [4, 0, 0],
  [2, 0.5, 0],
  [0, 0, 0],
  [-4, 0, 0],
  [-6, 0, 0],
];

describe('a closed object inside another one', () => {
  test.each(some(1, [1, 2, 3]))('as boxes tell, seed %i', { tags: ['quick', 'long'] }, async (seed) => {
    const random = seeded(seed);
    const places = Array.from({ length: long ? 400 : 80 }, () => [0, 1, 2].map(() => random.between(-4.5, 4.5)));
    const { stdout } = await scene(workspace(places), '--json');
    let before = 'start';
    const expected = places.map((at) => {
      const most = Math.max(...at.map(Math.abs));
      const lie = most > 5 ? 'clear' : most >= 3 ? 'contact' : 'inside';
      // An object that was apart before has jumped through the surface, as all meshes may.
      const isSeen = lie !== 'inside' || before !== 'clear';
      before = isSeen ? lie : 'clear';
      return before;
    });
    expect(new Set(expected).size).toBeGreaterThan(1);
    const lines = stdout.trim().split('\n').slice(0, places.length);
    const found = lines.map((line) => JSON.parse(line).pairs);
    const pair = { a: 'crate', b: 'room', class: 'contact' };
    const wanted = { clear: [], contact: [pair], inside: [{ ...pair, inner: 'a' }], start: [] };
    expect(found).toEqual(expected.map((lie) => wanted[lie as keyof typeof wanted]));
  });

  test('events and frames tell it from contact; one that parts has parted', async () => {
    const cwd = workspace(WAY);
    const events = await scene(cwd, '--events');
    expect(events.code).toBe(1);
    expect(events.stdout.split('\n').slice(0, 4)).toEqual([
      'frame 1  contact  crate  room',
      'frame 2  inside  crate  room',
      'frame 4  contact  crate  room',
      'frame 5  parted  crate  room',
    ]);
    const { stdout } = await scene(cwd, '--events', '--json');
    expect(JSON.parse(stdout.split('\n')[1])).toEqual({
      ...{ type: 'event', frame: 2, time: null, event: 'inside', a: 'crate', b: 'room', inner: 'a' },
    });
    expect((await scene(cwd)).stdout.split('\n').slice(2, 5)).toEqual([
      'frame 2  1 inside: crate room',
      'frame 3  1 inside: crate room',
      'frame 4  1 in contact: crate room',
    ]);
  });

  test('in the first frame: exit code 1, also if nothing touches', async () => {
    const cwd = workspace([[0, 0, 0]]);
    const { code, stdout } = await scene(cwd);
    expect([code, stdout.split('\n')[0]]).toEqual([1, 'frame 0  1 inside: crate room']);
    expect(stdout).toMatch(/^first contact {2}crate {2}room {2}in frame 0 {2}/m);
    expect((await scene(cwd, '--allow', 'crate,room')).code).toBe(0);
    const near = await scene(cwd, '--clearance', '4');
    expect(near.stdout.split('\n')[0]).toBe('frame 0  1 inside: crate room');
  });

  test('not in an open mesh, and not with --solid off', async () => {
    expect((await scene(workspace([[0, 0, 0]], { outer: objOf(4, 11) }))).code).toBe(0);
    expect((await scene(workspace([[0, 0, 0]]), '--solid', 'off')).code).toBe(0);
  });

  test('that jumps in between two frames: with --continuous', { tags: ['all', 'long'] }, async () => {
    const cwd = workspace([[9, 0, 0], [0, 0, 0], [0, 9, 0]]); // biome-ignore format: in a line
    expect((await scene(cwd)).code).toBe(0);
    const { code, stdout } = await scene(cwd, '--continuous', '--events');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^before frame 1 {2}contact.*\nframe 1 {2}inside {2}crate {2}room\nbefore frame 2 .*\nframe 2 {2}parted/,
    );
  });
});

const byKey = (pairs: readonly FoundInFrame[]) => new Map(pairs.map((pair) => [keyOf(pair), pair]));

test('only pairs with a box in the other one are tested, and again only if they move', async () => {
  const asset = buildObbTree(box(), { nodeBytes: 64 });
  const objects = Array.from({ length: 5 }, (_, k) => ({ name: `${k}`, asset, pose: translation(0.5 * k, 0, 0) }));
  const still = placeScene(objects);
  const insides = new Insides(still);
  const before = await insides.add({}, byKey(still.touching()), new Map(), []);
  expect([...before.values()]).toEqual(still.touching());
  for (let k = 0; k < 10; k++) {
    const moved = { 4: translation(2 + k, 0, 0) };
    still.step(moved);
    await insides.add(moved, byKey(still.touching()), before, []);
  }
  expect(insides.tests).toBe(0);

  const small = buildObbTree(box(0.25), { nodeBytes: 64 });
  const nested = placeScene([
    { name: 'a', asset },
    { name: 'b', asset: small, pose: translation(0.25, 0.25, 0.25) },
  ]);
  const other = new Insides(nested);
  const first = await other.add({}, byKey(nested.touching()), new Map(), []);
  expect([...first.values()]).toEqual([{ a: 'a', b: 'b', class: 'contact', inner: 'b' }]);
  for (let k = 0; k < 5; k++) expect(await other.add({}, new Map(), first, [])).toEqual(first);
  expect(other.tests).toBe(1);
  expect(await other.add({ b: translation(0.3, 0.25, 0.25) }, new Map(), first, [])).toEqual(first);
  expect(other.tests).toBe(2);
  expect(await other.add({ b: translation(9, 0, 0) }, new Map(), first, [])).toEqual(new Map());
  expect(other.tests).toBe(2);
});
