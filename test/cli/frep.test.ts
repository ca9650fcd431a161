/** F-reps on the command line: a model built, checked, looked at, drawn and refused, as a user would. */
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { readObj } from '../../src/index.ts';
import { assets, expectFailure, listFiles, makeFolder, run, writeMesh } from '../support/cli.ts';
import { long, some } from '../support/long.ts';
import { box } from '../support/shapes.ts';
import { analyseTopology } from '../support/topology.ts';

const cwd = makeFolder();

beforeAll(async () => {
  writeFileSync(join(cwd, 'ball.frep.json'), '{"object": {"name": "ball", "sphere": {"radius": 1}}}');
  writeFileSync(join(cwd, 'open.frep.json'), '{"object": {"cylinder": {"radius": 1}}}');
  writeFileSync(
    join(cwd, 'bad.frep.json'),
    '{\n  "object": {"union": [{"sphere": {"radius": 1}}, {"sphere": {"radius": -3}}]}\n}',
  );
  writeMesh(join(cwd, 'box.obj'), box());
  copyFileSync(join(assets, 'kidney.frep.json'), join(cwd, 'kidney.frep.json'));
  const { code } = await run(['build', 'ball.frep.json', 'kidney.frep.json', '--units', 'mm'], { cwd });
  expect(code).toBe(0);
});

describe('build', () => {
  test('a model becomes a .frep, whatever -f says; a line of JSON says what it holds', async () => {
    const { code, stdout, stderr } = await run(
      ['build', 'ball.frep.json', '-f', 'obb,kdop', '-o', 'one.frep', '--json', '--scale', '2'],
      { cwd },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      file: 'one.frep',
      source: 'ball.frep.json',
      representation: 'frep',
      instructions: 1,
      bytes: statSync(join(cwd, 'one.frep')).size,
    });
    const { stdout: info } = await run(['info', 'one.frep', '--json'], { cwd });
    const { domain, options } = JSON.parse(info);
    expect(options).toEqual({ scale: 2, geometry: 'frep 1', build: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(domain.max[0]).toBeCloseTo(2 * 1.02, 6);
  });

  test('a folder of meshes and models gives both kinds, and one bad model does not stop the others', {
    tags: ['quick', 'long'],
  }, async () => {
    const folder = makeFolder();
    writeMesh(join(folder, 'box.obj'), box());
    for (const name of ['ball', 'bad', 'open']) {
      copyFileSync(join(cwd, `${name}.frep.json`), join(folder, `${name}.frep.json`));
    }
    const { code, stderr } = await run(
      ['build', '.', '-f', long ? 'all' : 'obb,kdop', ...(long ? ['--size', '17'] : [])],
      {
        cwd: folder,
      },
    );
    expect(code).toBe(2);
    expect(listFiles(join(folder, 'out'))).toEqual([
      'ball.frep',
      'box.kdop',
      'box.obb',
      ...(long ? ['box.tiff', 'box.voxel'] : []),
    ]);
    const lines = stderr.trim().split('\n');
    expect(lines.length).toBe(2);
    expect(lines[0]).toMatch(/bad\.frep\.json: .*above 0.* at object\.union\[1\]\.sphere\.radius, found -3/);
    expect(lines[1]).toMatch(/open\.frep\.json: .*domain.*object\.cylinder/);
  });

  test('two builds give the same bytes', async () => {
    const build = async (out: string) => {
      await run(['build', 'kidney.frep.json', '-o', out, '--units', 'mm'], { cwd });
      return readFileSync(join(cwd, out));
    };
    expect(await build('again.frep')).toEqual(readFileSync(join(cwd, 'out/kidney.frep')));
  });

  test.each(
    some(2, [
      [['build', 'box.obj', '-f', 'frep'], /--format frep: a mesh is no function/],
      [['build', 'ball.frep.json', '--split', 'groups'], /ball\.frep\.json: expected a mesh for --split/],
      [['build', 'ball.frep.json', '-o', 'ball.frep.json'], /ball\.frep\.json: would overwrite an input/],
      [['build', 'missing.frep.json'], /missing\.frep\.json: no such file/],
      [['check', 'out/ball.frep', 'bad.frep.json'], /bad\.frep\.json: .*found -3/],
      [['check', 'out/ball.frep', 'out/ball.frep', '--resolution', '21'], /resolution 21: expected .* 1 to 20/],
      [['check', 'box.obj', 'box.obj', '--resolution', '5'], /resolution: one of the two must be an F-rep/],
      [['check', 'box.obj', 'out/ball.frep', '--units-a', 'mm', '--search', 'seed'], /search: both must be F-reps/],
      [
        ['check', 'box.obj', 'out/ball.frep', '--units-a', 'mm', '--contact-points'],
        /contactPoints: expected triangles, found frep/,
      ],
      [
        ['export', 'box.obj', '-o', 'x.obj', '--resolution', '5'],
        /--resolution is for F-reps, and this is an OBB tree/,
      ],
      [['export', 'out/ball.frep', '-o', 'x.obj', '--resolution', '11'], /--resolution 11: expected 1 to 10/],
      [['export', 'out/ball.frep', '-o', 'x.obj', '--level', '11'], /level 11: these cells have the levels 0 to 10/],
    ]),
  )('%j is refused in one line', { tags: ['quick', 'long'] }, async (args, message) => {
    expectFailure(await run(args, { cwd }), message);
    expect(existsSync(join(cwd, 'x.obj'))).toBe(false);
  });
});

describe('check', () => {
  test('two solids: verdicts, exit codes, a point of both', async () => {
    const at = (x: number, ...more: string[]) =>
      run(['check', 'out/ball.frep', 'ball.frep.json', '--units-b', 'mm', '--translate-b', `${x},0,0`, ...more], {
        cwd,
      });
    expect((await at(2.000001)).code).toBe(0);
    const contact = await at(1.999999, '--json');
    expect(contact.code).toBe(1);
    const { verdict, path, witness, contacts, cells } = JSON.parse(contact.stdout);
    expect({ verdict, path, pairs: contacts.pairs }).toEqual({ verdict: 'contact', path: 'native', pairs: [[0, 0]] });
    expect(Math.hypot(...witness.a)).toBeLessThanOrEqual(1);
    expect(Math.hypot(witness.b[0] - 1.999999, witness.b[1], witness.b[2])).toBeLessThanOrEqual(1 + 1e-12);
    expect(cells).toMatchObject({ resolution: 10, undecided: 0 });
    // They touch: no rounding can tell.
    const touching = await at(2);
    expect(touching.code).toBe(3);
    expect(touching.stdout).toMatch(
      /^undecided .*\n {2}they touch, or come closer than can be told: raise --resolution above 10\n {2}[\d,]+ cells of .* undecided\n$/,
    );
    // One inside the other: solids, not surfaces.
    expect((await at(0.1)).code).toBe(1);
  });

  test('--search seed and random say what those found, and are undecided where nothing is proved', async () => {
    const by = (search: string, x: number, ...more: string[]) =>
      run(['check', 'out/ball.frep', 'out/ball.frep', '--translate-b', `${x},0,0`, '--search', search, ...more], {
        cwd,
      });
    const contact = await by('seed', 1.5, '--resolution', '5');
    expect(contact.code).toBe(1);
    expect(contact.stdout).toMatch(
      /^contact at \(.*\) mm {2}.*\n {2}the seed paper's search: found, \d+ cells, \d+ slices, 1 point, the first at .*\n {2}its tests: \d+ of quadrics \(8\), 0 of perturbed ones \(9\), 0 of perturbations \(10\)\n$/,
    );
    const cut = await by('seed', 1.5, '--resolution', '5', '--all', '--max-contacts', '4');
    expect(cut.code).toBe(3);
    expect(cut.stdout).toMatch(/ 4 points, the first at .*; not every slice was searched\n/);
    const far = await by('seed', 3, '--json');
    expect(far.code).toBe(0);
    expect(JSON.parse(far.stdout)).toMatchObject({
      verdict: 'clear',
      seed: { answer: 'none' },
      run: { asked: { search: 'seed' } },
    });
    // Positive everywhere, by a perturbation that test 10 drops.
    const perturbed = {
      quadric: [0, 0, 0, 0, 0, 0, 0, 0, 0, -1],
      perturbations: [{ by: { halfSpace: { normal: [0, 0, 1], offset: 9 } } }],
    };
    const domain = { min: [-1, -1, -1], max: [1, 1, 1] };
    writeFileSync(join(cwd, 'missed.frep.json'), JSON.stringify({ domain, object: perturbed }));
    const missed = await run(['check', 'missed.frep.json', 'missed.frep.json', '--search', 'seed'], { cwd });
    expect(missed.code).toBe(3);
    expect(missed.stdout).toMatch(
      /^undecided .*\n {2}this search found no proof: leave out --search\n {2}the seed paper's search: none, 4 cells, 0 slices\n.*\n$/,
    );
    const random = await by('random', 1.999, '--trials', '3', '--json');
    const { verdict, random: found } = JSON.parse(random.stdout);
    expect(found.answer === 'found' ? verdict : 'undecided').toBe(verdict);
    expect(found.trials).toBeLessThanOrEqual(3);
    expectFailure(await by('seed', 1, '--distance'), /search seed: it decides only contact; leave out distance/);
    expectFailure(await by('octants', 1, '--trials', '3'), /trials: it applies to the random search/);
  });

  test('--all lists the cells of both, and says when the list was cut', async () => {
    const args = ['check', 'out/ball.frep', 'out/ball.frep', '--translate-b', '1.5,0,0', '--all', '--resolution', '4'];
    const whole = await run([...args, '--json'], { cwd });
    const report = JSON.parse(whole.stdout);
    expect(whole.code).toBe(1);
    expect(report.contacts).toEqual({ count: 1, complete: true, pairs: [[0, 0]] });
    expect(report.cells.contacts.length).toBeGreaterThan(20);
    const cut = await run([...args, '--max-contacts', '5'], { cwd });
    expect(cut.code).toBe(3);
    expect(cut.stdout).toMatch(/5 cells of both, and more: the list was cut; raise --max-contacts/);
  });

  test('a thousand poses in one call, in order, each without a rebuild', { tags: ['all'] }, async () => {
    const queries = Array.from({ length: 1000 }, (_, i) => {
      const x = i < 500 ? 1.99 : 2.01;
      const angle = i / 3;
      const [s, c] = [Math.sin(angle), Math.cos(angle)];
      return `[1,0,0,${x * c},0,1,0,${x * s},0,0,1,0,0,0,0,1]`;
    });
    const { code, stdout } = await run(['check', 'out/ball.frep', 'out/ball.frep', '--poses', '-', '--json'], {
      cwd,
      input: queries.join('\n'),
    });
    expect(code).toBe(1);
    const verdicts = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).verdict);
    expect(verdicts).toEqual(queries.map((_, i) => (i < 500 ? 'contact' : 'clear')));
  });

  test('a solid and a mesh: a triangle wholly inside it collides', async () => {
    writeFileSync(join(cwd, 'needle.obj'), 'v 0.1 0 0\nv 0.2 0 0\nv 0.1 0.01 0\nf 1 2 3\n');
    const inside = await run(['check', 'out/ball.frep', 'needle.obj', '--units-b', 'mm', '--all', '--json'], { cwd });
    expect(JSON.parse(inside.stdout)).toMatchObject({
      verdict: 'contact',
      path: 'common',
      contacts: { pairs: [[0, 0]] },
    });
    const apart = ['--translate-a', '0.95,0,0', '--distance', '--units-a', 'mm'];
    const outside = await run(['check', 'needle.obj', 'out/ball.frep', ...apart], { cwd });
    expect(outside.code).toBe(0);
    expect(outside.stdout).toMatch(/distance 0\.05/);
  });
});

describe('looking at it', () => {
  test('info prints the tree, a line an instruction, and draws it', { tags: ['long'] }, async () => {
    // To draw this one takes seconds: the short run draws another.
    const drawn = ['--png', 'drawn.png', '--level', long ? '4' : '2'];
    const { code, stdout } = await run(['info', 'out/kidney.frep', ...(long ? drawn : [])], { cwd });
    expect(code).toBe(0);
    if (!long) expect((await run(['info', 'out/ball.frep', ...drawn], { cwd })).code).toBe(0);
    expect(stdout).toMatch(/\n {2}tree\n {4}union of 4\n {6}kidney \(perturbation\)\n {8}ellipsoid/);
    expect(stdout).toMatch(/max\(\., 0\)\^2 of/);
    const { width = 0, height = 0 } = await sharp(join(cwd, 'drawn.png')).metadata();
    expect(width).toBeGreaterThan(2 * height);
  });

  test('export writes a closed surface, finer on request, and the cells of a level', async () => {
    const read = (name: string) => readObj(readFileSync(join(cwd, name)));
    expect((await run(['export', 'out/ball.frep', '-o', 'coarse.obj', '--resolution', '4'], { cwd })).code).toBe(0);
    expect((await run(['export', 'out/ball.frep', '-o', 'fine.obj', '--resolution', '5'], { cwd })).code).toBe(0);
    expect((await run(['export', 'out/ball.frep', '-o', 'cells.obj', '--level', '3'], { cwd })).code).toBe(0);
    const [coarse, fine, cells] = ['coarse.obj', 'fine.obj', 'cells.obj'].map(read);
    expect(analyseTopology(coarse)).toMatchObject({ closed: true });
    expect(fine.triangles.length).toBeGreaterThan(3 * coarse.triangles.length);
    let off = 0;
    for (let i = 0; i < fine.positions.length; i += 3) {
      off = Math.max(off, Math.abs(Math.hypot(...fine.positions.subarray(i, i + 3)) - 1));
    }
    expect(off).toBeLessThan(0.5e-5);
    expect(cells.triangles.length % 36).toBe(0);
  });

  test('verify holds the bounds to exact arithmetic', async () => {
    const { code, stdout } = await run(['verify', 'out/ball.frep'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^verified {2}out\/ball\.frep: each of its [\d,]+ cells is proved to contain the surface below it\n$/,
    );
  });
});

test('classes: check says them and --fail-on decides; a scene of models and a mesh has them in its findings', async () => {
  const inside = ['check', 'ball.frep.json', 'box.obj', '--solid', 'require', '--fail-on', 'inside'];
  const small = await run([...inside, '--json', '--translate-b', '0,0,0'], { cwd });
  expect(JSON.parse(small.stdout)).toMatchObject({ verdict: 'contact', class: 'inside', inner: 'b', reason: null });
  expect(small.code).toBe(1);
  const beside = await run([...inside, '--translate-b', '1.2,0,0'], { cwd });
  expect(beside.stdout).toMatch(/^contact[^\n]*\n {2}solids: overlap, /);
  expect(beside.code).toBe(0);
  const instances = [
    { name: 'one', asset: 'ball' },
    { name: 'same', asset: 'ball' },
    { name: 'beside', asset: 'ball', translate: [1.4, 0, 0] },
    { name: 'touching', asset: 'ball', translate: [0, 2, 0] },
    { name: 'far', asset: 'ball', translate: [0, 0, 5] },
    { name: 'crate', asset: 'box' },
  ];
  const scene = { gicollide: 'scene/1', assets: { ball: 'ball.frep.json', box: 'box.obj' }, instances };
  writeFileSync(join(cwd, 'balls.scene.json'), JSON.stringify(scene));
  const { stdout } = await run(['scene', 'balls.scene.json', '--json'], { cwd });
  const found = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'finding')
    .map(({ a, b, class: found }) => `${a.name} ${b.name} ${found}`);
  expect(found.toSorted()).toEqual([
    'beside crate overlap',
    'beside one overlap',
    'beside same overlap',
    'crate one inside',
    'crate same inside',
    'one same same',
    'one touching undecided',
    'same touching undecided',
  ]);
});
