/** Files in a known unit beside files in none: refused, until an option says the unit. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure, makeFolder, run, writeMesh } from '../support/cli.ts';
import { gltfDraft } from '../support/glb.ts';
import { box } from '../support/shapes.ts';
import { ballImage, tiledFile } from '../support/tiles.ts';

const cwd = makeFolder();
const ask = (...args: string[]) => run(args, { cwd });

/** A box with its lowest corner at x, 2 wide along all axes. */
function writeBox(name: string, x: number): void {
  const { positions, triangles } = box(2);
  writeMesh(join(cwd, name), { positions: positions.map((p, i) => (i % 3 === 0 ? p + x : p)), triangles });
}

/** The same in a glTF file, whose unit is the metre. */
function writeGlb(name: string, x: number): void {
  const { positions, triangles } = box(2);
  const draft = gltfDraft();
  const moved = Float32Array.from(positions, (p, i) => (i % 3 === 0 ? p + x : p));
  draft.mesh({
    attributes: { POSITION: draft.accessor(moved, 'VEC3') },
    indices: draft.accessor(Uint16Array.from(triangles), 'SCALAR'),
  });
  writeFileSync(join(cwd, name), draft.glb());
}

beforeAll(async () => {
  writeBox('none.obj', 0);
  writeBox('other.obj', 1);
  writeGlb('metres.glb', 1.5);
  writeFileSync(
    join(cwd, 'move.motion.json'),
    JSON.stringify({ gicollide: 'motion/1', b: { keys: [{ time: 0 }, { time: 1, translate: [9, 0, 0] }] } }),
  );
  const builds = ['obb', 'kdop', 'voxel', 'gi'].map((format) =>
    ask(
      'build',
      'none.obj',
      '-f',
      format,
      ...(format === 'voxel' ? ['--precision', '0.5'] : []),
      '-o',
      `none.${format}`,
    ),
  );
  for (const { code, stderr } of await Promise.all(builds)) expect([code, stderr]).toEqual([0, '']);
});

const REFUSED_A = 'units: none.obj is in an unknown unit, metres.glb in "m": set the unit of none.obj with --units-a';

describe.concurrent('check', () => {
  test('of one side in a known unit is refused, in either order, and names the option', { tags: ['all'] }, async () => {
    expectFailure(await ask('check', 'none.obj', 'metres.glb'), REFUSED_A);
    expectFailure(
      await ask('check', 'metres.glb', 'none.obj', '--distance'),
      'units: metres.glb is in "m", none.obj in an unknown unit: set the unit of none.obj with --units-b',
    );
  });

  test('of two sides in an unknown unit is answered as ever', { tags: ['all'] }, async () => {
    expect(await ask('check', 'none.obj', 'other.obj')).toMatchObject({ code: 1, stderr: '' });
  });

  test('sizes of files without a unit that differ by a factor of 500 are told once', async () => {
    writeMesh(join(cwd, 'millimetres.obj'), box(2000));
    writeMesh(join(cwd, 'large.obj'), box(998));
    const warning =
      /none\.obj is 2 across and millimetres\.obj is 2000, and neither has a unit: .*--scale 0\.001 --units m/;
    for (const command of ['check', 'scene']) {
      const { stderr } = await ask(command, 'none.obj', 'millimetres.obj');
      expect(stderr).toMatch(warning);
      expect(stderr.trimEnd()).not.toContain('\n');
      expect(await ask(command, 'none.obj', 'millimetres.obj', '--units', 'm')).toMatchObject({ stderr: '' });
      expect(await ask(command, 'none.obj', 'large.obj')).toMatchObject({ stderr: '' });
    }
  });

  test.each([
    [['none.obj', 'metres.glb', '--units-a', 'meters']],
    [['metres.glb', 'none.obj', '--units-b', 'm']],
    [['none.obj', 'metres.glb', '--units', 'm']],
    [['none.obj', 'other.obj', '--units', 'm']],
    [['none.obj', 'none.obj', '--units-b', 'm']],
  ])('%j', { tags: ['all'] }, async (args) => {
    expect(await ask('check', ...args)).toMatchObject({ code: 1, stderr: '' });
  });

  test.each([
    [
      ['none.obj', 'metres.glb', '--units-a', 'mm'],
      /^units: none\.obj is in "mm", metres\.glb in "m": convert one: gicollide build metres\.glb -o metres\.obb -f obb --scale 1000 --units mm$/,
    ],
    [
      ['none.obj', 'other.obj', '--units-b', 'mm'],
      /^units: none\.obj is in an unknown unit, other\.obj in "mm": set the unit of none\.obj with --units-a/,
    ],
    [
      ['none.obj', 'metres.glb', '--units', 'mm'],
      /^metres\.glb: expected --units "m", the unit of the file, found "mm"; n/,
    ],
    [
      ['none.obj', 'none.obj', '--units-a', 'm', '--units-b', 'mm'],
      /^units: expected one unit for one file, found --units-a m a/,
    ],
    [['none.obj', 'other.obj', '--units', 'milimeter'], /Did you mean millimeter\?$/],
  ])('refuses %j', { tags: ['all'] }, async (args, line) => {
    expectFailure(await ask('check', ...args), line);
  });

  test.each(['obb', 'kdop', 'voxel', 'gi'])('a stored %s takes the unit', { tags: ['all'] }, async (format) => {
    expectFailure(await ask('check', `none.${format}`, 'metres.glb'), /set the unit of none\.\w+ with --units-a$/);
    const { code, stdout } = await ask('check', `none.${format}`, 'metres.glb', '--units-a', 'm', '--json');
    expect([code, JSON.parse(stdout).verdict]).toEqual([1, 'contact']);
  });

  test('--poses, --source and --motion', { tags: ['long'] }, async () => {
    const input = '[1,0,0,0,0,1,0,0,0,0,1,0]\n';
    const poses = (...more: string[]) =>
      run(['check', 'none.obj', 'metres.glb', '--poses', '-', ...more], { cwd, input });
    expectFailure(await poses(), REFUSED_A);
    expect(await poses('--units-a', 'm')).toMatchObject({ code: 1, stderr: '' });
    for (const more of [['--source'], ['--motion', 'move.motion.json']]) {
      expectFailure(await ask('check', 'none.obj', 'metres.glb', ...more), REFUSED_A);
      expect(await ask('check', 'none.obj', 'metres.glb', ...more, '--units-a', 'm')).toMatchObject({ code: 1 });
    }
  });

  test('--finding and view ask again in the same units', { tags: ['all'] }, async () => {
    const { stdout } = await ask('check', 'none.obj', 'metres.glb', '--units-a', 'm', '--json');
    writeFileSync(join(cwd, 'found.ndjson'), stdout);
    const { id, asked } = JSON.parse(stdout).run;
    expect(asked).toMatchObject({ unitsA: 'm' });
    expect(await ask('check', '--finding', `found.ndjson#${id}`)).toMatchObject({ code: 1, stderr: '' });
    expect(await ask('view', 'found.ndjson', '--html', 'found.html')).toMatchObject({ code: 0, stderr: '' });
  });

  test('images of which tiles are read', { tags: ['long'] }, async () => {
    writeFileSync(join(cwd, 'a.tiff'), await tiledFile(ballImage(9, 5), 32));
    const known = ballImage(9, 4);
    writeFileSync(join(cwd, 'b.tiff'), await tiledFile({ ...known, header: { ...known.header, units: 'm' } }, 32));
    const pair = ['check', 'a.tiff', 'b.tiff', '--translate-b', '1.55,0.2,0.1', '--json'];
    expectFailure(
      await ask(...pair),
      'units: a.tiff is in an unknown unit, b.tiff in "m": set the unit of a.tiff with --units-a',
    );
    for (const more of [[], ['--clearance', '1'], ['--contact-points']]) {
      const { code, stdout } = await ask(...pair, '--units-a', 'm', ...more);
      expect([code, JSON.parse(stdout).engine === 'tiles']).toEqual([1, more.length === 0]);
    }
  });
});

describe.concurrent('the other commands', { tags: ['all'] }, () => {
  const BESIDE =
    'units: none.obj is in an unknown unit, metres.glb in "m": set the unit with --units, or name the files as assets of a scene file';

  test('scene: files beside each other, a stored asset, and --against', async () => {
    expectFailure(await ask('scene', 'none.obj', 'metres.glb'), BESIDE);
    expectFailure(await ask('scene', 'none.obj', '--against', 'metres.glb'), BESIDE);
    expect(await ask('scene', 'none.obj', 'metres.glb', '--units', 'm')).toMatchObject({ code: 1, stderr: '' });
    expectFailure(await ask('scene', 'none.obb', 'metres.glb'), /^units: none\.obb is in an unknown unit/);
    expect(await ask('scene', 'none.obb', 'metres.glb', '--units', 'm')).toMatchObject({ code: 1, stderr: '' });
  });

  test('scene files: a stored asset takes the unit that stands beside it', async () => {
    const instances = ['none', 'metres'].map((asset) => ({ name: asset, asset }));
    const write = (units: object, more: object) =>
      writeFileSync(
        join(cwd, 'pair.scene.json'),
        JSON.stringify({
          gicollide: 'scene/1',
          ...more,
          assets: { none: { file: 'none.obb', ...units }, metres: 'metres.glb' },
          instances,
        }),
      );
    write({}, {});
    expectFailure(
      await ask('scene', 'pair.scene.json'),
      /assets\.none in an unknown unit: set the units of the scene, or use --units$/,
    );
    expect(await ask('scene', 'pair.scene.json', '--units', 'm')).toMatchObject({ code: 1, stderr: '' });
    write({ units: 'm' }, {});
    expect(await ask('scene', 'pair.scene.json')).toMatchObject({ code: 1, stderr: '' });
    // Millimetres: 2 mm at the origin, far from the box at 1 m.
    write({ units: 'mm' }, { units: 'm' });
    expect(await ask('scene', 'pair.scene.json')).toMatchObject({ code: 0, stderr: '' });
    write({ units: 'milimeter' }, {});
    expectFailure(
      await ask('scene', 'pair.scene.json'),
      /expected a unit of length \(did you mean millimeter\?\) .*assets\.none\.units.*, found "milimeter"$/,
    );
  });

  test('cubes', async () => {
    const cubes = (...args: string[]) => ask('cubes', 'metres.glb', ...args, '--precision', '0.5');
    for (const file of ['none.obj', 'none.voxel'])
      expectFailure(
        await cubes(file),
        `units: metres.glb is in "m", ${file} in an unknown unit: set the unit with --units`,
      );
    expect(await cubes('none.obj', 'none.voxel', '--units', 'm')).toMatchObject({ code: 1, stderr: '' });
    expectFailure(await cubes('none.obj', '--units', 'mm'), /^metres\.glb: expected --units "m", the unit of the file/);
    expect(await ask('cubes', 'none.obj', 'other.obj', '--precision', '0.5')).toMatchObject({ code: 1, stderr: '' });
  });

  test('view: a pair, and what it says of asking again', async () => {
    const view = (...args: string[]) => ask('view', ...args, '--html', 'page.html');
    expectFailure(await view('none.obj', 'metres.glb'), REFUSED_A);
    expect(await view('none.obj', 'metres.glb', '--units-a', 'm')).toMatchObject({ code: 0, stderr: '' });
    expect(await view('none.obb', 'metres.glb', '--units-a', 'm')).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(cwd, 'page.html'), 'utf8')).toMatch(/"--units-a","m"/);
    expect(await view('none.obj', 'metres.glb', '--units', 'm')).toMatchObject({ code: 0, stderr: '' });
    expectFailure(
      await view('none.obj', 'other.obj', 'metres.glb', '--units-a', 'm'),
      '--units-a is for a pair of assets or meshes: use --units for a scene',
    );
  });

  test('build refuses what is nearly a unit, and takes what is near none', async () => {
    expectFailure(await ask('build', 'none.obj', '--units', 'milimeter'), /Did you mean millimeter\?$/);
    const { code } = await ask('build', 'none.obj', '-f', 'obb', '--units', 'us-ft', '-o', 'feet.obb');
    expect(code).toBe(0);
  });
});
