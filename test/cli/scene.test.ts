/** `gicollide scene`, run as a user runs it: a building against its truth, files of every kind, exit codes, refusals. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeBuilding } from '../../scripts/make-building.mjs';
import { expectFailure, makeFolder, run } from '../support/cli.ts';
import { long, some } from '../support/long.ts';
import { boxText as box } from '../support/shapes.ts';

function workspace(): string {
  const cwd = makeFolder();
  mkdirSync(join(cwd, 'props', 'deep'), { recursive: true });
  writeFileSync(join(cwd, 'boxes.obj'), box('one', 0) + box('two', 1, 8) + box('three', 4, 16));
  writeFileSync(join(cwd, 'props', 'a.obj'), box('a', 0));
  writeFileSync(join(cwd, 'props', 'deep', 'b.obj'), box('b', 0.5));
  writeFileSync(join(cwd, 'props', 'note.txt'), 'no mesh');
  writeFileSync(join(cwd, 'room.scene.json'), JSON.stringify(room()));
  return cwd;
}

const room = (more: object = {}): object => ({
  gicollide: 'scene/1',
  assets: { box: 'props/a.obj', boxes: { file: 'boxes.obj', split: 'groups' } },
  instances: [
    { name: 'left', asset: 'box', translate: [-1.5, 0, 0] },
    { name: 'row', asset: 'boxes' },
  ],
  ...more,
});

test.each(some(1, [1, 2, 3, 4, 5]))(
  'a building, seed %i: exactly its clashes overlap, its touches touch',
  { tags: ['quick', 'long'] },
  async (seed) => {
    const cwd = makeFolder();
    const { obj, elements, clashes, touches } = makeBuilding({ storeys: long ? 4 : 1, seed });
    writeFileSync(join(cwd, 'b.obj'), obj);
    const { code, stdout } = await run(['scene', 'b.obj', '--json'], { cwd });
    expect(code).toBe(1);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const summary = lines.pop();
    const named = (name: string): string[] =>
      lines.filter((line) => line.class === name).map(({ a, b }) => `${a.name} ${b.name}`);
    const planned = (pairs: typeof touches): string[] => pairs.map(({ a, b }) => [a, b].sort().join(' ')).sort();
    expect(named('overlap').sort()).toEqual(planned(clashes));
    expect(named('touch').sort()).toEqual(planned(touches));
    expect(summary).toMatchObject({
      ...{ type: 'summary', objects: elements.length, contact: 0, near: 0, undecided: 0 },
      ...{ overlap: clashes.length, touch: touches.length },
      pairs: (elements.length * (elements.length - 1)) / 2,
    });
  },
);

test.each(
  some(1, [
    [1, { axis: [0, 0, 1], degrees: 90 }, []],
    [2, { axis: [1, 2, 3], degrees: 30 }, ['--tolerance', '0.04', '--touch-gap', '0.04']],
    ...[3, 4, 5].map((seed) => [
      ...[seed, { axis: [seed, -1, 2], degrees: 17 * seed }, ['--tolerance', '0.04', '--touch-gap', '0.04']],
    ]),
  ] as [number, { axis: number[]; degrees: number }, string[]][]),
)(
  'a building that was turned, seed %i: likewise, exactly by a quarter turn, else within a millionth of its size',
  { tags: ['all', 'long'] },
  async (seed, rotate, flags) => {
    const cwd = makeFolder();
    const { obj, clashes, touches } = makeBuilding({ storeys: long ? 4 : 1, seed });
    writeFileSync(join(cwd, 'b.obj'), obj);
    const assets = { b: { file: 'b.obj', split: 'groups' } };
    const instances = [{ name: 'site', asset: 'b', rotate, translate: [512, -64, 0] }];
    writeFileSync(join(cwd, 'b.scene.json'), JSON.stringify({ gicollide: 'scene/1', assets, instances }));
    const { stdout, code } = await run(['scene', 'b.scene.json', '--json', ...flags], { cwd });
    expect(code).toBe(1);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.pop()).toMatchObject({ overlap: clashes.length, touch: touches.length, undecided: 0, contact: 0 });
    const overlaps = lines.filter((line) => line.class === 'overlap').map(({ a, b }) => `${a.name} ${b.name}`);
    expect(overlaps.sort()).toEqual(
      clashes
        .map(({ a, b }) =>
          [a, b]
            .sort()
            .map((name) => `site/${name}`)
            .join(' '),
        )
        .sort(),
    );
  },
);

describe('what it takes and says', () => {
  test('the objects of a file; what is near; the exit code', async () => {
    const cwd = workspace();
    const { code, stdout } = await run(['scene', 'boxes.obj'], { cwd });
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toEqual([
      '1 touch; --verbose lists it',
      '3 objects',
      expect.stringMatching(
        /^3 pairs: 2 apart by their boxes, 1 checked, 1 in contact \(1 touch\), 0 undecided, \d+\.\d s$/,
      ),
      '0 problems, 1 touching',
    ]);
    const near = await run(['scene', 'boxes.obj', '--clearance', '2.5', '--distance'], { cwd });
    expect(near.stdout).toMatch(/^near {2}three {2}two {2}2 of 2\.5 {2}at \(3 .*\) {2}[0-9a-f]{8}$/m);
    const surfaces = await run(['scene', 'boxes.obj', '--solid', 'off'], { cwd });
    expect(surfaces.code).toBe(1);
    expect(surfaces.stdout).toMatch(/^contact {2}one {2}two {2}at \(1 [\s\S]*1 checked, 1 in contact, 0 undecided/);
    expect((await run(['scene', 'boxes.obj', '--fail-on', 'touch'], { cwd })).code).toBe(1);
    for (const classes of ['near', 'none'])
      expect((await run(['scene', 'boxes.obj', '--fail-on', classes], { cwd })).code).toBe(0);
    expect((await run(['scene', 'boxes.obj', '--fail-on', 'near', '--clearance', '2.5'], { cwd })).code).toBe(1);
  });

  test('--solid require names an object that is open, wherever it stands', async () => {
    const cwd = workspace();
    expect((await run(['scene', 'boxes.obj', '--solid', 'require'], { cwd })).code).toBe(0);
    const open = 'o leaf\nv 99 0 0\nv 100 0 0\nv 99 1 0\nf -3 -2 -1\n';
    writeFileSync(join(cwd, 'open.obj'), box('one', 0) + open);
    const line = 'solid: leaf is open at 3 edges, one of them from (99 0 0) to (100 0 0), of triangle 0';
    expectFailure(await run(['scene', 'open.obj', '--solid', 'require'], { cwd }), line);
  });

  test('a folder and all below it, a scene file, one against another', async () => {
    const cwd = workspace();
    const folder = await run(['scene', 'props'], { cwd });
    expect(folder.stdout).toMatch(/^overlap {2}a {2}deep\/b {2}0.5 thick {2}at/);
    const scene = await run(['scene', 'room.scene.json', '--json', '--all'], { cwd });
    const [first, second] = scene.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({ class: 'touch', a: { name: 'row/one' }, b: { name: 'row/two' }, rule: null });
    expect(first.contacts).toMatchObject({ complete: true });
    expect(second.type).toBe('summary');
    const patches = await run(['scene', 'room.scene.json', '--patches', '--verbose'], { cwd });
    expect(patches.stdout).toMatch(/^touch {2}row\/one {2}row\/two {2}at \(.*\) {2}1 patch of area 1 {2}[0-9a-f]{8}\n/);
    const cut = await run(['scene', 'room.scene.json', '--patches', '--max-contacts', '1', '--verbose'], { cwd });
    expect(cut).toMatchObject({ code: 3, stdout: expect.stringContaining('1 or more pairs of triangles') });
    const against = await run(['scene', 'boxes.obj', '--against', 'props/a.obj', '--json'], { cwd });
    const lines = against.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.slice(0, -1).map(({ a, b }) => [a.name, b.name])).toEqual([
      ['a/a', 'boxes/one'],
      ['a/a', 'boxes/two'],
    ]);
    expect(lines.at(-1).pairs).toBe(3);
  });

  test('--budget: what is not asked in time is undecided, exit code 3; --jobs', async () => {
    const cwd = workspace();
    const late = await run(['scene', 'boxes.obj', '--budget', '0'], { cwd });
    expect(late.code).toBe(3);
    const [finding, _, objects, pairs, outcome] = late.stdout.split('\n');
    expect(finding).toMatch(/^undecided {2}one {2}two {2}[0-9a-f]{8} {2}not checked: the time limit came first$/);
    expect(objects).toBe('3 objects');
    expect(pairs).toMatch(/0 checked, .* 1 undecided, of these 1 pair not checked within --budget, \d/);
    expect(outcome).toBe('1 problem (0 errors, 1 warning)');
    const { stdout } = await run(['scene', 'boxes.obj', '--budget', '60000', '--json', '--jobs', '2'], { cwd });
    const [found, summary] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(found.class).toBe('touch');
    expect(summary).toMatchObject({ checked: 1, unasked: 0, undecided: 0 });
    expectFailure(await run(['scene', 'boxes.obj', '--jobs', '0'], { cwd }), /'--jobs <n>'.*whole number from 1/);
  });

  test('what cannot be read comes first; --quiet prints what fails, and nothing else', async () => {
    const cwd = workspace();
    writeFileSync(join(cwd, 'dome.obj'), `${box('hall', 0)}${box('bolt', 0.5, 8)}o dome\nsurf 0 1 0 1 1 2 3 4\n`);
    const rules = [{ id: 'stuck', a: 'x/hall', b: 'x/bolt', severity: 'warning' }];
    const assets = { x: { file: 'dome.obj', split: 'groups' } };
    const scene = { gicollide: 'scene/1', assets, instances: [{ name: 'x', asset: 'x' }] };
    writeFileSync(join(cwd, 'x.scene.json'), JSON.stringify({ ...scene, rules }));
    const all = await run(['scene', 'dome.obj'], { cwd });
    expect(all.code).toBe(2);
    expect(all.stdout).toMatch(
      /^unchecked {2}dome .*\noverlap +bolt {2}hall .*\n\n[\s\S]*\n2 problems \(2 errors, 0 warnings\)\n$/,
    );
    const quiet = await run(['scene', 'dome.obj', '--quiet'], { cwd });
    expect(quiet.stdout).toBe(all.stdout.slice(0, all.stdout.indexOf('\n\n') + 1));
    const warned = await run(['scene', 'x.scene.json', '--allow-incomplete', '*'], { cwd });
    expect(warned).toMatchObject({ code: 0, stdout: expect.stringMatching(/\n1 problem \(0 errors, 1 warning\)\n$/) });
    const none = await run(['scene', 'x.scene.json', '--allow-incomplete', '*', '--quiet'], { cwd });
    expect(none).toMatchObject({ code: 0, stdout: '' });
    expect((await run(['scene', 'boxes.obj', '--quiet'], { cwd })).stdout).toBe('');
  });

  test('hints: at most a line each, and none with --json', async () => {
    const cwd = workspace();
    writeFileSync(join(cwd, 'thin.obj'), box('p', 0) + box('q', 1 - 2 ** -22, 8));
    const { stdout } = await run(['scene', 'thin.obj'], { cwd });
    expect(stdout.match(/^hint: .*$/gm)).toEqual([
      'hint: 1 overlap is at most 2.38419e-7 thick, as thin as rounding: --tolerance 1e-6 counts it as touching',
      'hint: --baseline known.json --update-baseline records these findings; then only new ones fail',
    ]);
    expect((await run(['scene', 'thin.obj', '--tolerance', '1e-6'], { cwd })).stdout).toMatch(
      /\n0 problems, 1 touching\n$/,
    );
    expect((await run(['scene', 'thin.obj', '--json'], { cwd })).stdout).not.toContain('hint');
  });

  test('pairs that are undecided say why', async () => {
    const cwd = workspace();
    const reason = async (...args: string[]) =>
      / {2}[0-9a-f]{8} {2}(.*)$/m.exec((await run(['scene', ...args], { cwd })).stdout)?.[1];
    writeFileSync(join(cwd, 'two.obj'), box('p', 0) + box('q', 1.5, 8) + box('r', 2, 16));
    expect(await reason('two.obj', '--a', 'p', '--clearance', '0.5')).toBe(
      'the distance may be more or less than the clearance, 0.5',
    );
    expect(await reason('two.obj', '--a', 'p', '--touch-gap', '0.5')).toBe(
      'the distance may be more or less than the touch gap, 0.5',
    );
    expect(await reason('two.obj', '--a', 'q', '--b', 'r', '--tolerance', '0.5')).toBe(
      'the thickness may be more or less than the tolerance, 0.5',
    );
    const { stdout } = await run(['scene', 'two.obj', '--a', 'p', '--clearance', '0.6', '--json'], { cwd });
    expect(JSON.parse(stdout.split('\n')[0])).toMatchObject({ class: 'near', distance: expect.closeTo(0.5, 12) });
  });

  test('units: what was converted, and what was taken in those of the scene, is counted', async () => {
    const cwd = workspace();
    const assets = { box: 'props/a.obj', small: { file: 'boxes.obj', units: 'mm' } };
    const instances = Object.keys(assets).map((asset) => ({ name: asset, asset }));
    const write = (more: object) =>
      writeFileSync(join(cwd, 'u.scene.json'), JSON.stringify(room({ assets, instances, ...more })));
    write({ units: 'cm' });
    const text = await run(['scene', 'u.scene.json'], { cwd });
    expect(text.stdout).toMatch(/^\d objects: 1 asset converted to cm, 1 without units taken in cm$/m);
    const { stdout } = await run(['scene', 'u.scene.json', '--json'], { cwd });
    const summary = JSON.parse(stdout.trim().split('\n').at(-1) as string);
    expect(summary).toMatchObject({ units: 'cm', converted: 1, unitless: 1, baked: 0 });
    write({});
    expectFailure(
      await run(['scene', 'u.scene.json'], { cwd }),
      'u.scene.json: units: assets.small is in "mm", assets.box in an unknown unit: set the units of the scene',
    );
    write({ units: 'mm' });
    for (const others of [['boxes.obj'], ['--against', 'boxes.obj']]) {
      expectFailure(
        await run(['scene', 'u.scene.json', ...others], { cwd }),
        'units: u.scene.json is in "mm", boxes.obj in an unknown unit: set the unit with --units, or name the files as assets of a scene file',
      );
    }
  });

  test('stored assets of every kind, beside a mesh and a model', { tags: ['all'] }, async () => {
    const cwd = workspace();
    const kinds = ['gi', 'obb', 'kdop', 'voxel'];
    const flags = ['-f', 'all', '--size', '17', '--precision', '0.1', '-o', 'made/'];
    expect((await run(['build', 'props/a.obj', ...flags], { cwd })).code).toBe(0);
    writeFileSync(join(cwd, 'made', 'ball.frep.json'), '{"object": {"sphere": {"radius": 1}}}');
    writeFileSync(join(cwd, 'made', 'c.obj'), box('c', 0.5));
    const { code, stdout } = await run(['scene', 'made', '--json'], { cwd });
    expect(code).toBe(1);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const count = kinds.length + 2;
    expect(lines.at(-1)).toMatchObject({ objects: count, unchecked: 0, undecided: 0, near: 0 });
    expect(lines.length - 1).toBe((count * (count - 1)) / 2);
  });

  test('names of files stand in front where there are several, and of folders that look like patterns', async () => {
    const cwd = workspace();
    for (const folder of ['left [1]', 'right (2)!']) {
      mkdirSync(join(cwd, folder));
      writeFileSync(join(cwd, folder, 'part.obj'), box('unit', 0));
    }
    const { stdout } = await run(['scene', 'left [1]/part.obj', 'right (2)!/part.obj'], { cwd });
    expect(stdout).toMatch(/^\w+ {2}left \[1\]\/part\/unit {2}right \(2\)!\/part\/unit {2}/);
    const folders = await run(['scene', 'left [1]', '--against', 'right (2)!'], { cwd });
    expect(folders.stdout).toMatch(/^\w+ {2}left \[1\]\/part {2}right \(2\)!\/part {2}/);
    const ruled = await run(['scene', 'room.scene.json', 'boxes.obj', '--verbose'], { cwd });
    expect(ruled.stdout).toMatch(/^touch {2}boxes\/one +boxes\/two/m);
  });

  test('a place has six digits, and far from the origin whole units; --json has all', async () => {
    const cwd = workspace();
    writeFileSync(join(cwd, 'far.obj'), box('p', 5500123.25) + box('q', 5500124.25, 8));
    const shown = ['scene', 'far.obj', '--fail-on', 'touch'];
    expect((await run(shown, { cwd })).stdout).toMatch(/at \(5500124 [\d.]+ [\d.]+\)/);
    expect((await run([...shown, '--json'], { cwd })).stdout).toContain('"point":[5500124.25,');
  });

  test('a link that leads nowhere is a file that cannot be read; one that leads outside is not followed', async () => {
    const cwd = workspace();
    symlinkSync('nowhere.obj', join(cwd, 'props', 'dangling.obj'));
    const dangling = await run(['scene', 'props'], { cwd });
    expect(dangling.code).toBe(2);
    expect(dangling.stderr).toMatch(/props\/dangling\.obj: no such file; unchecked: dangling/);
    symlinkSync('../boxes.obj', join(cwd, 'props', 'link.obj'));
    const outside = await run(['scene', 'props'], { cwd });
    expect(outside.stderr).toMatch(/props\/link\.obj: is outside the scene's folder/);
  });

  test('what a folder holds beside meshes and assets is counted', async () => {
    const cwd = workspace();
    expect((await run(['scene', 'props'], { cwd })).stdout).toMatch(/^2 objects: 1 file skipped$/m);
  });

  test('one file that cannot be read: the others are checked, exit code 2', async () => {
    const cwd = workspace();
    writeFileSync(join(cwd, 'props', 'deep', 'broken.obj'), 'v 0 0\n');
    const { code, stdout, stderr } = await run(['scene', 'props'], { cwd });
    expect(code).toBe(2);
    expect(stdout).toMatch(/^overlap {2}a {2}deep\/b/);
    expect(stdout).toMatch(/^\d+ objects: \d+ checked, 1 not readable; .*\n.*1 in contact \(1 overlap\)/m);
    expect(stderr).toMatch(/deep\/broken\.obj:1: expected .*; unchecked: deep\/broken/);
  });
});

test.each([
  [
    {
      units: 'furlong',
      assets: { box: { file: 'props/a.obj', units: 'mm' } },
      instances: [
        { name: 'l', asset: 'box' },
        { name: 'm', asset: 'box' },
      ],
    },
    /expected a unit of length .*, found furlong/,
  ],
  [
    { assets: { box: '../x.obj', boxes: 'boxes.obj' } },
    /x\.obj: is outside the scene's folder; --allow-outside allows it/,
  ],
  [
    { rules: [{ id: 'r', a: 'lef', b: '*' }] },
    /^error: room\.scene\.json: rules\[0\]\.a: "lef" matches no object; did you mean "left"\?$/m,
  ],
  [{ instances: [{ name: 'l', asset: 'box' }] }, /1 object, and pairs take two or more/],
  [{ instances: [] }, /no object, and pairs take two or more/],
  [
    { instances: [1, 2].map(() => ({ name: 'l', asset: 'box' })) },
    /^error: room\.scene\.json: expected each name once at instances\[1\]\.name, found "l", as instances\[0\] has it$/m,
  ],
  [
    { instances: [{ name: 'l', asset: 'bxo' }] },
    /^error: room\.scene\.json: expected a name of assets at instances\[0\]\.asset, found "bxo": did you mean box\?$/m,
  ],
  [{ groups: { rows: ['rwo/*'] } }, /^error: room\.scene\.json: groups\.rows\[0\]: "rwo\/\*" matches no object/m],
  [
    { allow: [{ a: 'left', b: 'left' }] },
    /^error: room\.scene\.json: allow\[0\]: a and b are one object, which makes no pair$/m,
  ],
  [
    {
      instances: [
        { name: 'row/one', asset: 'box' },
        { name: 'row', asset: 'boxes' },
      ],
    },
    /^error: room\.scene\.json: objects: row\/one comes twice/m,
  ],
])('%j: one line, exit code 2', async (more, line) => {
  const cwd = workspace();
  writeFileSync(join(cwd, 'room.scene.json'), JSON.stringify(room(more)));
  const outcome = await run(['scene', 'room.scene.json'], { cwd });
  expect(outcome.code).toBe(2);
  expect(outcome.stderr).toMatch(line);
});

test('what is no class, and what is not there', async () => {
  const cwd = workspace();
  expectFailure(
    await run(['scene', 'boxes.obj', '--fail-on', 'clash'], { cwd }),
    /--fail-on: expected overlap, inside, same, contact, touch, near or none, found clash/,
  );
  expectFailure(await run(['scene', 'nothing.obj'], { cwd }), /nothing\.obj/);
});

test('what is asked of solids is refused where nobody speaks of them: it would pass in silence', async () => {
  const cwd = workspace();
  const off = async (...flags: string[]) => run(['scene', 'boxes.obj', '--solid', 'off', ...flags], { cwd });
  expectFailure(
    await off('--fail-on', 'overlap,inside'),
    /--fail-on overlap,inside: it applies to solids, .*; use contact/,
  );
  expectFailure(await off('--tolerance', '1'), /--tolerance: it applies to solids/);
  expectFailure(await off('--touch-gap', '1'), /--touch-gap: it applies to solids/);
  expect((await off('--fail-on', 'contact,overlap')).code).toBe(1);
  expect((await off('--fail-on', 'near')).code).toBe(0);
  writeFileSync(
    join(cwd, 'ruled.scene.json'),
    JSON.stringify({
      gicollide: 'scene/1',
      assets: { boxes: { file: 'boxes.obj', split: 'groups' } },
      instances: [{ name: 'A', asset: 'boxes' }],
      rules: [{ id: 'r', a: '*', b: '*', fail: ['overlap'] }],
    }),
  );
  const ruled = ['scene', 'ruled.scene.json'];
  expect((await run(ruled, { cwd })).code).toBe(0);
  expectFailure(await run([...ruled, '--solid', 'off'], { cwd }), /rule "r" fails on overlap: it applies to solids/);
});
