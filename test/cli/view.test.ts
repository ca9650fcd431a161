/** `gicollide view`: what it loads, the file it writes, and how its server begins and ends. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { grouped } from '../../src/base/printable.ts';
import { encodeAsset, leastBytesOf } from '../../src/cli/inputs/load.ts';
import { createLog } from '../../src/cli/terminal.ts';
import { loadView } from '../../src/cli/view/load-view.ts';
import { pageWith } from '../../src/cli/view/server.ts';
import { type BuildOptions, build, read } from '../../src/index.ts';
import type { ViewDocument } from '../../src/viewer/document.ts';
import { assets, ended, expectFailure, makeFolder, run, runAlone, start, writeMesh } from '../support/cli.ts';
import { box, torus as torusMesh } from '../support/shapes.ts';

const [bunny, blob, torus] = ['bunny.obj', 'blob.obj', 'torus.obj'].map((name) => join(assets, name));

/** What a page that was written holds. */
function held(file: string): { document: ViewDocument; files: Uint8Array[] } {
  const text = readFileSync(file, 'utf8');
  const [, json] = /<script type="application\/json" id="document">(.*?)<\/script>/s.exec(text)!;
  const blocks = [...text.matchAll(/<script type="application\/octet-stream" id="asset-(\d+)">([^<]*)<\/script>/g)];
  expect(blocks.map(([, n]) => n)).toEqual(blocks.map((_, n) => String(n)));
  return {
    document: JSON.parse(json),
    files: blocks.map(([, , data]) => Uint8Array.from(Buffer.from(data, 'base64'))),
  };
}

async function written(args: string[], cwd = makeFolder()): Promise<ReturnType<typeof held> & { stdout: string }> {
  const outcome = await run(['view', ...args, '--html', 'view.html'], { cwd });
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  return { ...held(join(cwd, 'view.html')), stdout: outcome.stdout };
}

describe('--html', () => {
  test('a pair: the objects of check, their bytes, what is found', async () => {
    const { document, files, stdout } = await written([bunny, blob, '--translate-b', '0.4,0,0', '--clearance', '0.5']);
    expect(stdout).toMatch(/^wrote view\.html: 2 objects, 1 finding, [\d,]+ bytes of assets; open it in a browser\n$/);
    expect(document).toMatchObject({
      ...{ gicollide: 'view/1', title: 'bunny.obj, blob.obj', units: null, summary: null, frames: [], baseline: null },
      objects: [
        { name: 'bunny.obj', asset: 0, file: bunny, element: null },
        { name: 'blob.obj', asset: 1, pose: [1, 0, 0, 0.4, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] },
      ],
      asked: { clearance: 0.5, solid: 'auto' },
      findings: [{ class: 'overlap', level: 'error', state: null }],
      again: { command: 'check', files: [bunny, blob], options: ['--solid', 'auto', '--clearance', '0.5'] },
    });
    expect(document.assets.map(({ bytes }) => bytes)).toEqual(files.map(({ length }) => length));
    for (const file of files) expect((await read(file)).asset).toBeDefined();
  });

  test('y is up for OBJ and glTF, z for other files, for mixed ones and scenes; --up says otherwise', async () => {
    const cwd = makeFolder();
    writeMesh(join(cwd, 'box.obj'), box(1));
    const scene = { gicollide: 'scene/1', assets: { box: 'box.obj' }, instances: [{ name: 'one', asset: 'box' }] };
    writeFileSync(join(cwd, 'one.scene.json'), JSON.stringify(scene));
    const upOf = async (...args: string[]) => (await written(args, cwd)).document.up;
    expect(await upOf('box.obj')).toBe('y');
    expect(await upOf('box.obj', join(assets, 'bowl.frep.json'))).toBe('z');
    expect(await upOf('one.scene.json')).toBe('z');
    expect(await upOf('one.scene.json', '--up', '-x')).toBe('-x');
    const { code, stderr } = await run(['view', 'box.obj', '--up', 'w', '--html', 'view.html'], { cwd });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--up') });
  });

  test('one asset; a file with itself; two of one name', async () => {
    const cwd = makeFolder();
    mkdirSync(join(cwd, 'other'));
    writeMesh(join(cwd, 'box.obj'), box(1, 1, 1));
    writeMesh(join(cwd, 'other/box.obj'), box(1, 1, 2));
    const alone = await written(['box.obj'], cwd);
    expect(alone.document).toMatchObject({
      objects: [{ name: 'box.obj' }],
      findings: [],
      again: { files: ['box.obj'] },
    });
    const twice = await written(['box.obj', './box.obj'], cwd);
    expect(twice.document.objects.map(({ name, asset }) => [name, asset])).toEqual([
      ['box.obj', 0],
      ['./box.obj', 0],
    ]);
    const same = await written(['box.obj', 'box.obj'], cwd);
    expect(same.document.objects.map(({ name }) => name)).toEqual(['box.obj a', 'box.obj b']);
    const two = await written(['box.obj', 'other/box.obj'], cwd);
    expect(two.document.objects.map(({ name }) => name)).toEqual(['box.obj', 'other/box.obj']);
  });

  test('stored assets of every kind, and a model', { tags: ['long'] }, async () => {
    const cwd = makeFolder();
    await run(['build', torus, '-f', 'all', '--size', '33', '--precision', '0.05', '-o', 'out/'], { cwd });
    const stored = readdirSync(join(cwd, 'out')).sort();
    expect(stored).toHaveLength(4);
    const model = join(assets, 'bowl.frep.json');
    for (const file of stored) {
      const { document, files } = await written([join('out', file), model], cwd);
      expect(Buffer.from(files[0]).equals(readFileSync(join(cwd, 'out', file)))).toBe(true);
      expect(document.assets[1].representation).toBe('frep');
    }
    const scene = await written(['out', '--solid', 'off'], cwd);
    expect(scene.document.objects).toHaveLength(4);
    expect(scene.document.assets.map(({ representation }) => representation).sort()).toEqual([
      'gi',
      'kdop',
      'obb',
      'voxel',
    ]);
    for (const file of scene.files) expect((await read(file)).asset).toBeDefined();
  });

  test('a scene: what scene finds, and its last line but for the time', async () => {
    const cwd = makeFolder();
    const input = join(assets, 'room.scene.json');
    const { document, files } = await written([input], cwd);
    const { stdout } = await run(['scene', input, '--json'], { cwd });
    const records = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const found = records.filter(({ type }) => type === 'finding');
    const told = (all: { id: string; class: string; level: string }[]) =>
      all.map(({ id, class: own, level }) => [id, own, level]).sort();
    expect(told(document.findings)).toEqual(told(found));
    const text = await run(['scene', input], { cwd });
    // In the order of the lines of scene.
    const printed = text.stdout.match(/\b[0-9a-f]{8}\b/g) ?? [];
    expect(printed.length).toBeGreaterThan(1);
    expect(document.findings.slice(0, printed.length).map(({ id }) => id.slice(0, 8))).toEqual(printed);
    const [objects, pairs] = text.stdout.split('\n').slice(7);
    expect(`${objects}; ${pairs.replace(/, [\d.]+ s$/, '')}, 5 allowed`).toBe(document.summary);
    expect(document.units).toBe('m');
    expect(document.asked.rules).toEqual({
      ...{ groups: expect.anything(), rules: expect.any(Array), allow: expect.any(Array) },
    });
    expect(document.again).toEqual({ command: 'scene', files: [input], options: ['--solid', 'auto'] });
    const used = new Set(document.objects.map(({ asset }) => asset));
    expect(used.size).toBe(files.length);
    expect(files.length).toBeLessThan(document.objects.length); // instances share
  });

  test('frames, robots, --with and --against', async () => {
    const cwd = makeFolder();
    const args = [join(assets, 'arm.urdf'), '--states', join(assets, 'arm-states.csv')];
    const { document } = await written(args, cwd);
    const frames = await run(['scene', ...args], { cwd });
    const last = frames.stdout.split('\n').findLast((line) => / frames: /.test(line))!;
    expect(document.summary).toBe(`8 objects; ${last.replace(/, [\d.]+ s$/, '')}`);
    expect(document.frames).toHaveLength(Number(/(\d+) frames/.exec(last)![1]));
    expect(document.frames[0].poses.hand).toHaveLength(16);
    expect(document.again).toMatchObject({ command: 'scene', files: [args[0]] });

    const { document: moving } = await written([...args, '--with', join(assets, 'arm-cell.scene.json')], cwd);
    const met = moving.frames.flatMap(({ found = [] }, frame) => found.map((id) => `${id} ${frame}`));
    const told = moving.findings.map(({ id, message }) => `${id} ${/in frame (\d+)/.exec(message)![1]}`);
    expect(new Set(met)).toEqual(new Set(told));
    expect(new Set(told).size).toBe(3);
    // The base, which does not move, stands on the floor in all frames; the others are marked.
    const each = await run(['scene', ...args, '--with', join(assets, 'arm-cell.scene.json'), '--json'], { cwd });
    const records = each.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const touching = records.filter(({ type }) => type === 'frame').map(({ pairs }) => pairs.length > 1);
    expect(touching.filter(Boolean).length).toBeGreaterThan(5);
    expect(moving.frames.map(({ touches }) => touches ?? false)).toEqual(touching);

    for (const name of ['a', 'b', 'c']) writeMesh(join(cwd, `${name}.obj`), box(1, 1, 1));
    const beside = await written(['a.obj', '--with', 'b.obj', '--against', 'c.obj'], cwd);
    const [a, b, c] = beside.document.objects.map(({ name }) => name);
    expect(beside.document).toMatchObject({ asked: { still: [b], against: [c] }, findings: [{}, {}] });
    expect(a).toMatch(/^a\//);
    expect(beside.document.again.files).toEqual(['a.obj', 'b.obj', 'c.obj']);
  });

  test('two runs give the same bytes', async () => {
    const cwd = makeFolder();
    const input = join(assets, 'robot-cell.scene.json');
    await written([input], cwd);
    const first = readFileSync(join(cwd, 'view.html'));
    // The page may ask its server, and a file nobody.
    expect(first.includes("content=\"default-src 'none';")).toBe(true);
    expect(first.includes("connect-src 'self'")).toBe(false);
    await written([input, '--jobs', '1'], cwd);
    expect(readFileSync(join(cwd, 'view.html')).equals(first)).toBe(true);
  });

  test('names that are markup are text in the page', async () => {
    const cwd = makeFolder();
    const name = '</script><script>alert(1)</script><!--\u202e';
    const [v, f] = ['v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n', (n: number) => `f ${n} ${n + 2} ${n + 1}\n`];
    writeFileSync(join(cwd, 'x.obj'), `o ${name}\n${v}${f(1)}o __proto__\n${v}${f(5)}`);
    const { document } = await written(['x.obj'], cwd);
    expect(document.objects.map((object) => object.name)).toEqual([name, '__proto__']);
    const text = readFileSync(join(cwd, 'view.html'), 'utf8');
    expect(text).not.toContain('<script>alert');
    expect(text).not.toContain('<!--\u202e');
  });

  test('a limit of data is found, and nothing is written', async () => {
    const cwd = makeFolder();
    const { document, files } = await written([bunny, blob], cwd);
    const page = '<p><!--data--></p>';
    const bytes = files.reduce((sum, { length }) => sum + length, 0);
    expect(() => pageWith(page, document, files, bytes)).toThrow(
      /^expected at most [\d,]+ bytes of data for one page, found [\d,]+; without --html, a server sends them$/,
    );
    const pieces: string[] = [];
    for await (const piece of pageWith(page, document, files, 2 * bytes)) pieces.push(piece);
    expect(pieces.join('')).toMatch(/^<p><script [\s\S]*<\/script><\/p>$/);
    expect(() => pageWith('<p></p>', document, files)).toThrow('0 places for data');
    const session = { global: {}, log: createLog({}) };
    await expect(loadView([bunny, blob], { limits: 'warn' }, session, { mostBytes: 1000 })).rejects.toThrow(
      /^expected at most 1,000 bytes of assets for one page, found [\d,]+ or more; without --html, a server sends them$/,
    );
  });

  test('the least bytes of trees are known before they are encoded, and are nearly all', {
    tags: ['long'],
  }, async () => {
    for (const options of [
      {},
      { bits: 11 },
      { bits: 32 },
      { nodeBytes: 20 },
      { nodeBytes: 40 },
      { nodeBytes: 64 },
    ] as const) {
      const format = 'nodeBytes' in options ? 'obb' : 'kdop';
      const asset = build(torusMesh(40, 20), { format, ...options } as BuildOptions);
      const { length } = await encodeAsset(asset);
      const least = leastBytesOf([{ asset }, { asset }]);
      expect(least).toBeLessThanOrEqual(length);
      expect(least).toBeGreaterThan(0.85 * length);
    }
    expect(leastBytesOf([{ asset: build(torusMesh(40, 20), { format: 'gi', size: 17 }) }])).toBe(0);
  });

  test('a scene beyond the limit is refused before anything in it is asked', async () => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'bunny.obj'), readFileSync(bunny));
    const scene = join(cwd, 'two.scene.json');
    const instances = ['x', 'y'].map((name) => ({ name, asset: 'bunny' }));
    writeFileSync(scene, JSON.stringify({ gicollide: 'scene/1', assets: { bunny: 'bunny.obj' }, instances }));
    const session = { global: {}, log: createLog({}) };
    const { files } = await loadView([scene], { limits: 'warn' }, session);
    const least = leastBytesOf([await read(files[0])]);
    expect(least).toBeLessThan(files[0].length);
    const refused = loadView([scene], { limits: 'warn' }, session, { mostBytes: least - 1 });
    await expect(refused).rejects.toThrow(`found ${grouped(least)} or more; without --html`);
    const encoded = loadView([scene], { limits: 'warn' }, session, { mostBytes: files[0].length - 1 });
    await expect(encoded).rejects.toThrow(`found ${grouped(files[0].length)} or more; without --html`);
  });

  test('never over an input, nor where nobody can write', async () => {
    const cwd = makeFolder();
    writeMesh(join(cwd, 'box.obj'), box(1, 1, 1));
    writeFileSync(
      join(cwd, 's.json'),
      JSON.stringify({ gicollide: 'scene/1', assets: { b: 'box.obj' }, instances: [{ name: 'b', asset: 'b' }] }),
    );
    const html = (file: string, ...args: string[]) => run(['view', ...args, '--html', file], { cwd });
    expectFailure(await html('box.obj', 'box.obj'), 'box.obj: would overwrite an input');
    expectFailure(await html('./s.json', 's.json'), './s.json: would overwrite an input');
    expectFailure(
      await html('box.obj', 's.json'),
      /^box\.obj: expected a name that ends with \.html for HTML, found \.obj/,
    );
    expectFailure(await html('box.obj/v.html', 's.json'), 'box.obj/v.html: a part of its path is not a folder');
    expectFailure(
      await html('v.html', 's.json', '--open'),
      '--open is for the server, but --html writes a file: leave out one of the two',
    );
    expectFailure(await html('v.html', 'none.obj'), 'none.obj: no such file');
    expectFailure(
      await html('v.html', 's.json', '--translate-b', '1,0,0'),
      /^--translate-b is for a pair of assets or meshes/,
    );
    expectFailure(await html('v.html', 'box.obj', '--port', '0'), /Expected a whole number from 1/);
    expect(readdirSync(cwd).sort()).toEqual(['box.obj', 's.json']);
  });

  test('what cannot be read is said, and the rest is shown', async () => {
    const cwd = makeFolder();
    writeMesh(join(cwd, 'box.obj'), box(1, 1, 1));
    const instances = ['box', 'none'].map((name) => ({ name, asset: name }));
    writeFileSync(
      join(cwd, 's.json'),
      JSON.stringify({ gicollide: 'scene/1', assets: { box: 'box.obj', none: 'none.obj' }, instances }),
    );
    const outcome = await run(['view', 's.json', '--html', 'v.html'], { cwd });
    expect(outcome).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('none.obj: no such file (assets.none of s.json); unchecked: none'),
    });
    expect(held(join(cwd, 'v.html')).document.objects).toHaveLength(1);
    writeFileSync(
      join(cwd, 's.json'),
      JSON.stringify({ gicollide: 'scene/1', assets: { none: 'none.obj' }, instances: [instances[1]] }),
    );
    expectFailure(
      await run(['view', 's.json', '--html', 'w.html'], { cwd }),
      'none.obj: no such file (assets.none of s.json)',
    );
  });
});

describe('findings', () => {
  test('of a scene: all its objects, where they stood, each asset once', { tags: ['long'] }, async () => {
    const cwd = makeFolder();
    const input = join(assets, 'room.scene.json');
    const { stdout } = await run(['scene', input, '--json'], { cwd });
    writeFileSync(join(cwd, 'f.ndjson'), stdout);
    const whole = await written([input], cwd);
    const { document, files } = await written(['f.ndjson', '--allow-outside'], cwd);
    expect(document.findings).toEqual(whole.document.findings);
    // Findings name fewer.
    expect(document.objects).toEqual(whole.document.objects);
    expect(document.asked).toEqual(whole.document.asked);
    expect(files.length).toBeLessThan(document.objects.length);
    expect(document.again).toMatchObject({ command: 'scene', files: ['f.ndjson'] });
    const piped = await runAlone(['view', '-', '--allow-outside', '--html', 'p.html'], { cwd, input: stdout });
    expect(piped).toMatchObject({ code: 0, stderr: '' });
    expect(held(join(cwd, 'p.html')).document.findings).toEqual(document.findings);
    const [first] = document.findings;
    const [a, b] = first.subjects.map(({ name }) => name);
    const again = await run(['check', '--scene', 'f.ndjson', '--allow-outside', a, b, '--solid', 'auto', '--json'], {
      cwd,
    });
    expect(JSON.parse(again.stdout).class).toBe(first.class);
  });

  /** Two boxes that meet, one apart from both, one left out, and a rule with its own clearance. */
  async function boxes() {
    const cwd = makeFolder();
    writeMesh(join(cwd, 'box.obj'), box(1, 1, 1));
    const instances = [0, 0.5, 5, 0].map((x, n) => ({ name: 'abcd'[n], asset: 'box', translate: [x, 0, 0] }));
    const rules = [{ id: 'wide', a: '*', b: '*', clearance: 0.25 }];
    const scene = { gicollide: 'scene/1', assets: { box: 'box.obj' }, instances, rules };
    writeFileSync(join(cwd, 's.scene.json'), JSON.stringify(scene));
    const { stdout } = await run(['scene', 's.scene.json', '--json', '--exclude', 'd*'], { cwd });
    const lines = stdout.trim().split('\n');
    const summary = JSON.parse(lines.at(-1)!);
    const save = (run: unknown): void =>
      writeFileSync(join(cwd, 'f.ndjson'), [...lines.slice(0, -1), JSON.stringify({ ...summary, run })].join('\n'));
    save(summary.run);
    return { cwd, summary, save };
  }

  test('of a scene: an object that no finding names is there, and is asked about', async () => {
    const { cwd, summary } = await boxes();
    expect(summary.run).toEqual({ files: ['s.scene.json'], asked: { exclude: ['d*'] } });
    const { document } = await written(['f.ndjson'], cwd);
    const direct = await written(['s.scene.json'], cwd);
    expect(document.objects).toEqual(direct.document.objects.filter(({ name }) => name !== 'd'));
    expect(document.objects).toHaveLength(3);
    expect(document).toMatchObject({ summary: null, findings: [{ asked: { clearance: 0.25 } }] });
    expect(document.asked.rules).toEqual(direct.document.asked.rules);
    const apart = await run(['check', '--scene', 'f.ndjson', 'a', 'c', '--distance', '--json'], { cwd });
    expect(JSON.parse(apart.stdout)).toMatchObject({ verdict: 'clear', distance: expect.closeTo(4) });
    // The box of a finding stays where it was found.
    const text = readFileSync(join(cwd, 's.scene.json'), 'utf8');
    writeFileSync(join(cwd, 's.scene.json'), text.replace('[0.5,0,0]', '[9,0,0]'));
    const moved = await written(['f.ndjson'], cwd);
    expect(moved.document.objects.map(({ pose }) => pose[3])).toEqual([0, 0.5, 5]);
  });

  test.each([
    ['no run', undefined, ''],
    ['another shape', { files: 's.scene.json', asked: {} }, ''],
    ['a file that is gone', { files: ['t.scene.json'], asked: {} }, 't.scene.json: no such file'],
    ['a file elsewhere', { files: ['/etc/passwd'], asked: {} }, '/etc/passwd: is outside this folder'],
    ['a folder elsewhere', { files: ['s.scene.json'], against: ['..'], asked: {} }, '..: is outside this folder'],
    ['an SRDF elsewhere', { files: ['s.scene.json'], asked: { srdf: '../x.srdf' } }, '../x.srdf: is outside'],
    ['a package elsewhere', { files: ['s.scene.json'], asked: { package: { p: '/etc' } } }, '/etc: is outside'],
  ])('of a scene, with %s: says that those that findings name are shown', async (_, other, warning) => {
    const { cwd, save } = await boxes();
    save(other);
    const outcome = await run(['view', 'f.ndjson', '--html', 'v.html'], { cwd });
    expect(outcome.code).toBe(0);
    expect(outcome.stderr).toContain(warning);
    if (warning === '') expect(outcome.stderr).toBe('');
    const { document } = held(join(cwd, 'v.html'));
    expect(document.summary).toBe('2 of 3 objects: those that findings name');
    expect(document.objects.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('of checks: one is a pair, several are a scene', async () => {
    const cwd = makeFolder();
    for (const name of ['a', 'b']) writeMesh(join(cwd, `${name}.obj`), box(1, 1, 1));
    const at = async (x: number) =>
      (await run(['check', 'a.obj', 'b.obj', '--translate-b', `${x},0,0`, '--json'], { cwd })).stdout;
    writeFileSync(join(cwd, 'one.ndjson'), await at(0.5));
    const one = await written(['one.ndjson'], cwd);
    expect(one.document).toMatchObject({
      objects: [{ name: 'a.obj' }, { name: 'b.obj', pose: [1, 0, 0, 0.5, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] }],
      ...{ findings: [{ class: 'contact' }], again: { command: 'check', files: ['a.obj', 'b.obj'] } },
    });
    writeFileSync(join(cwd, 'two.ndjson'), (await at(0.5)) + (await at(0.25)));
    const two = await written(['two.ndjson'], cwd);
    expect(two.document.objects.map(({ name }) => name)).toEqual(['a.obj', 'b.obj', 'b.obj (2)']);
    expect(two.document.findings.map(({ subjects }) => subjects.map(({ name }) => name))).toEqual([
      ['a.obj', 'b.obj'],
      ['a.obj', 'b.obj (2)'],
    ]);
    expect(two.files).toHaveLength(2);
  });

  test('what names no files is refused in one line, and so is a line that nobody printed', async () => {
    const cwd = makeFolder();
    const finding = { type: 'finding', id: 'x', rule: null, class: 'overlap', a: { name: 'a' }, b: { name: 'b' } };
    writeFileSync(join(cwd, 'f.ndjson'), `${JSON.stringify(finding)}\n`);
    const html = (file: string) => run(['view', file, '--html', 'v.html'], { cwd });
    const { code, stderr } = await html('f.ndjson');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('f.ndjson: expected findings with their files, found none'),
    });
    writeFileSync(join(cwd, 'g.ndjson'), `${JSON.stringify(finding)}\n{"type":"other"}\n`);
    expectFailure(await html('g.ndjson'), /^g\.ndjson:2: expected a finding, a report or a summary/);
  });
});

describe('the server', () => {
  /** Starts one, and gives its address when it has printed that. */
  async function serving(args: string[], cwd: string, env: Record<string, string> = {}) {
    const child = start(['view', ...args], { cwd, env });
    const outcome = ended(child);
    const address = await new Promise<string>((done, failed) => {
      let text = '';
      child.stdout.on('data', (piece) => {
        text += piece;
        if (text.endsWith('\n')) done(text.split('\n', 1)[0]);
      });
      child.on('close', () => failed(new Error('it ended before it served')));
    });
    const { origin, hash } = new URL(address);
    const headers = { 'x-gicollide-token': hash.slice('#token='.length) };
    return { child, outcome, address, origin, headers };
  }

  test('one line, the page, its data; Ctrl-C ends it with 0, whoever is connected', { tags: ['all'] }, async () => {
    const { child, outcome, address, origin, headers } = await serving([bunny, blob, '--quiet'], makeFolder());
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/);
    expect(await (await fetch(origin)).text()).toContain('<!--data-->');
    const document = (await (await fetch(`${origin}/data/document.json`, { headers })).json()) as ViewDocument;
    expect(document).toMatchObject({ baseline: null, objects: [{}, {}] });
    for (const [n, { bytes }] of document.assets.entries())
      expect((await (await fetch(`${origin}/data/asset/${n}`, { headers })).arrayBuffer()).byteLength).toBe(bytes);
    expect((await fetch(`${origin}/data/baseline`, { headers })).status).toBe(404);
    child.kill('SIGINT');
    expect(await outcome).toEqual({ code: 0, signal: null, stdout: `${address}\n`, stderr: '' });
  });

  test('a baseline is made, and says what is known the next time', { tags: ['all'] }, async () => {
    const cwd = makeFolder();
    const args = [bunny, blob, '--baseline', 'known.json'];
    const { child, outcome, origin, headers } = await serving(args, cwd);
    const document = (await (await fetch(`${origin}/data/document.json`, { headers })).json()) as ViewDocument;
    expect(document).toMatchObject({ baseline: 'known.json', findings: [{ state: 'new' }] });
    const [{ id }] = document.findings;
    const body = JSON.stringify([{ id, accepted: true, note: 'fine', seen: { accepted: false, note: null } }]);
    const more = { ...headers, origin, 'content-type': 'application/json' };
    const saved = await fetch(`${origin}/data/baseline`, { method: 'POST', headers: more, body });
    const known = { id, state: 'known', note: 'fine', accepted: true };
    expect(await saved.json()).toMatchObject({ conflicts: [], findings: [known] });
    child.kill('SIGTERM');
    expect((await outcome).code).toBe(0);
    const { document: next } = await written(args, cwd);
    expect(next).toMatchObject({ baseline: null, findings: [{ id, state: 'known', note: 'fine', accepted: true }] });
  });

  test.skipIf(process.platform !== 'linux')(
    '--open hands the address to the system, or says that it cannot',
    { tags: ['all'] },
    async () => {
      const cwd = makeFolder();
      const absent = await serving([torus, '--open'], cwd, { PATH: cwd });
      const warned = new Promise((done) => absent.child.stderr.once('data', done));
      await warned;
      absent.child.kill('SIGINT');
      const { code, stderr } = await absent.outcome;
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: 'warning: --open: xdg-open: no such program; the address opens it\n',
      });
      writeFileSync(join(cwd, 'xdg-open'), '#!/bin/sh\nprintf %s "$1" >part && /bin/mv part opened\n', { mode: 0o755 });
      const present = await serving([torus, '--open'], cwd, { PATH: cwd });
      while (!existsSync(join(cwd, 'opened'))) await new Promise((turn) => setTimeout(turn, 10));
      expect(readFileSync(join(cwd, 'opened'), 'utf8')).toBe(present.address);
      present.child.kill('SIGINT');
      expect(await present.outcome).toMatchObject({ code: 0, stderr: '' });
    },
  );

  test('a port that is taken, a baseline that cannot be written, inputs that are none', async () => {
    const cwd = makeFolder();
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    expectFailure(await run(['view', torus, '--port', `${port}`], { cwd }), `--port ${port}: the port is taken`);
    server.close();
    writeFileSync(join(cwd, 'file'), '');
    expectFailure(await run(['view', torus, 'file/x.obj'], { cwd }), /^file\/x\.obj: /);
    expectFailure(
      await run(['view', torus, '--baseline', 'file'], { cwd }),
      'file:1: expected a value, found the end of the text',
    );
    expectFailure(await run(['view'], { cwd }), /missing required argument/);
  });
});

test('check --scene: the objects of a finding, where they stand or elsewhere', async () => {
  const cwd = makeFolder();
  const input = join(assets, 'room.scene.json');
  const { document } = await written([input], cwd);
  const { command, files, options } = document.again;
  expect(command).toBe('scene');
  const ask = (...args: string[]) =>
    run(['check', ...files.flatMap((file) => ['--scene', file]), ...options, ...args], { cwd });
  for (const { class: found, subjects } of document.findings) {
    const report = JSON.parse((await ask(...subjects.map(({ name }) => name), '--json')).stdout);
    expect(report.a.file).toBe(subjects[0].name);
    if (found !== 'near') expect(report.class).toBe(found);
  }
  const [a, b] = document.findings[0].subjects.map(({ name }) => name);
  const far = ['--pose-b', '1,0,0,100,0,1,0,0,0,0,1,0,0,0,0,1'];
  const moved = await ask(a, b, ...far);
  expect(moved).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^clear {2}/) });
  expectFailure(await ask('bunnny', b), `${input}: no object "bunnny"; did you mean "bunny"?`);
  expectFailure(await ask(a, b, '--poses', '-'), '--scene checks one pose: leave out --poses');
  expectFailure(
    await run(['check', bunny, blob, '--srdf', 'm'], { cwd }),
    '--srdf needs a scene: name its file with --scene',
  );
  expectFailure(await ask(a, b, '--units-b', 'm'), '--units-b is for two files: use --units for a scene');
  expectFailure(await run(['check', '--scene', input, a], { cwd }), "missing required argument 'b'");
});

test('check --scene: names of several files, of a robot, of what cannot be read', { tags: ['all'] }, async () => {
  const cwd = makeFolder();
  for (const name of ['a', 'b']) writeMesh(join(cwd, `${name}.obj`), box(1, 1, 1));
  const { document } = await written(['a.obj', '--against', 'b.obj'], cwd);
  const [a, b] = document.objects.map(({ name }) => name);
  const scene = document.again.files.flatMap((file) => ['--scene', file]);
  expect(await run(['check', ...scene, a, b, '--expect', 'contact'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  const arm = ['check', '--scene', join(assets, 'arm.urdf')];
  const near = JSON.parse((await run([...arm, 'base', 'hand', '--distance', '--json'], { cwd })).stdout);
  const turned = await run([...arm, 'base', 'hand', '--distance', '--json', '--state', 'turn=1,bend=1'], { cwd });
  expect(turned.stderr).toBe('');
  expect(JSON.parse(turned.stdout).distance).not.toBe(near.distance);
  const assetsOf = { box: 'a.obj', none: 'none.obj' };
  const instances = ['box', 'none'].map((name) => ({ name, asset: name }));
  writeFileSync(join(cwd, 's.json'), JSON.stringify({ gicollide: 'scene/1', assets: assetsOf, instances }));
  expectFailure(
    await run(['check', '--scene', 's.json', 'box', 'none'], { cwd }),
    'none.obj: no such file (assets.none of s.json)',
  );
  expect(await run(['check', '--scene', 's.json', 'box', 'box'], { cwd })).toMatchObject({ code: 1, stderr: '' });
});
