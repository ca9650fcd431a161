/** `scene --list`: the names that rules can use, with their files. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectFailure, makeFolder, run, writeMesh } from '../support/cli.ts';
import { box, boxText } from '../support/shapes.ts';

function workspace(): string {
  const cwd = makeFolder();
  mkdirSync(join(cwd, 'props'));
  writeMesh(join(cwd, 'props/crate.obj'), box());
  writeFileSync(join(cwd, 'house.obj'), boxText('wall', 5) + boxText('floor', 5.5, 8));
  const scene = {
    gicollide: 'scene/1',
    assets: { house: { file: 'house.obj', split: 'elements' }, crate: 'props/crate.obj' },
    instances: [
      { name: 'house', asset: 'house' },
      { name: 'crate-1', asset: 'crate' },
    ],
    groups: { fixed: ['house/*'] },
  };
  writeFileSync(join(cwd, 'room.scene.json'), JSON.stringify(scene));
  return cwd;
}

test('an object a line with its file, then the groups; each name is one that a rule can use', async () => {
  const cwd = workspace();
  const { code, stdout, stderr } = await run(['scene', 'room.scene.json', '--list'], { cwd });
  expect([code, stderr]).toEqual([0, '']);
  const lines = stdout.trim().split('\n');
  expect(lines.sort()).toEqual([
    ...['crate-1  props/crate.obj', 'fixed  group of 2 objects', 'house/floor  house.obj', 'house/wall  house.obj'],
  ]);
  for (const name of lines.map((line) => line.split('  ')[0])) {
    const allowed = await run(['scene', 'room.scene.json', '--allow', `${name},*`], { cwd });
    expect([name, allowed.stderr]).toEqual([name, '']);
  }
});

test('names begin with their files as in a run; one object is enough; --json', async () => {
  const cwd = workspace();
  const { stdout } = await run(['scene', 'house.obj', '--against', 'props', '--list'], { cwd });
  expect(stdout).toBe('house/wall  house.obj\nhouse/floor  house.obj\nprops/crate  props/crate.obj\n');
  const json = await run(
    ['scene', 'room.scene.json', '--list', '--json', '--exclude', 'wall', '--exclude', 'crate-1'],
    { cwd },
  );
  expect(
    json.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { type: 'object', name: 'house/floor', file: 'house.obj', element: 'floor' },
    { type: 'group', name: 'fixed', objects: ['house/floor'] },
  ]);
});

test('a file that cannot be read gives exit code 2, and options of a run are refused', async () => {
  const cwd = workspace();
  writeFileSync(join(cwd, 'props/bad.obj'), 'f 1 2 3\n');
  const outcome = await run(['scene', 'props', '--list'], { cwd });
  expect(outcome).toMatchObject({ code: 2, stdout: 'crate  props/crate.obj\n' });
  expect(outcome.stderr).toContain('bad.obj');
  const wrong = ['scene', 'house.obj', '--list', '--baseline', 'b.json', '--update-baseline'];
  expectFailure(await run(wrong, { cwd }), '--update-baseline: not with --list, which checks nothing');
});

test('a name that has no prefix yet is suggested with it', async () => {
  const cwd = workspace();
  const wrong = await run(['scene', 'room.scene.json', '--allow', 'wall,floor'], { cwd });
  expectFailure(wrong, 'allow[0].a: "wall" matches no object; did you mean "house/wall"?');
});
