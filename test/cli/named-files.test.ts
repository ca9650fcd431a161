/**
 * Files that other files name. One that is not regular, too large or elsewhere ends the run with
 * one line and exit code 2.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openFolder } from '../../src/cli/queue/asset-store.ts';
import { TOOL } from '../../src/version.ts';
import { expectFailure, makeFolder, run } from '../support/cli.ts';
import { some } from '../support/long.ts';
import { boxText } from '../support/shapes.ts';

const BOX = boxText('box', 0);
const SHA256 = createHash('sha256').update(BOX).digest('hex');

/** Writes files of text, of JSON or of lines of JSON. */
function put(cwd: string, files: Record<string, unknown>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    const json = (value: unknown): string =>
      Array.isArray(value) ? value.map((each) => JSON.stringify(each)).join('\n') : JSON.stringify(value);
    writeFileSync(join(cwd, path), typeof content === 'string' ? content : json(content));
  }
}

const sceneOf = (asset: string, more: object = {}, deform?: string) => ({
  gicollide: 'scene/1',
  assets: { a: asset, b: 'box.obj' },
  instances: [
    { name: 'p', asset: 'a', ...(deform && { deform }) },
    { name: 'q', asset: 'b' },
    { name: 'r', asset: 'b' },
  ],
  ...more,
});
const robot = (mesh: string): string =>
  `<robot name="r"><link name="l"><collision><geometry><mesh filename="${mesh}"/></geometry></collision></link></robot>`;
const rail = `<robot name="r"><link name="a"><collision><geometry><sphere radius="1"/></geometry></collision></link><link name="b"/>
<joint name="j" type="prismatic"><parent link="a"/><child link="b"/><limit lower="0" upper="1"/></joint></robot>`;
const project = (entry: object) => ({ gicollide: 'project/1', ...entry });
const buffered = {
  ...{ asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }] },
  meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
  accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] }],
  ...{ bufferViews: [{ buffer: 0, byteLength: 36 }], buffers: [{ uri: 'bad.bin', byteLength: 36 }] },
};
const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
const run0 = (file: string) => ({
  ...{ verdict: 'contact', a: { file, representation: 'obb' }, b: { file: 'box.obj', representation: 'obb' } },
  run: {
    id: '0123456789abcdef',
    tool: TOOL,
    sha256: [null, null],
    poses: [identity, identity],
    asked: {},
  },
});
const finding = (file: string) => {
  const side = (name: string, own: string) => ({
    ...{ name, file: own, asset: name, sha256: SHA256, element: 'box', split: 'elements', pose: identity },
    units: { file: null, scene: null },
  });
  return {
    ...{
      type: 'finding',
      id: 'fedcba9876543210',
      rule: null,
      class: 'contact',
      level: 'error',
      tool: TOOL,
    },
    ...{ a: side('a/box', file), b: side('b/box', 'box.obj'), point: null, box: { low: [0, 0, 0], high: [1, 1, 1] } },
    asked: { clearance: 0, tolerance: 0, touchGap: 0, solid: 'auto' },
  };
};

/**
 * Everything that follows a name in a file: the file `bad`, the files that name it, the command.
 * Streams may have any size.
 */
const READERS: [what: string, bad: string, files: Record<string, unknown>, line: string, isStream?: boolean][] = [
  ['an asset of a scene', 'bad.obj', { 's.json': sceneOf('bad.obj') }, 'scene s.json'],
  ['frames of a scene', 'bad.ndjson', { 's.json': sceneOf('box.obj', { frames: 'bad.ndjson' }) }, 'scene s.json', true],
  ['deform of a scene', 'bad.f64', { 's.json': sceneOf('box.obj', {}, 'bad.f64') }, 'scene s.json'],
  ['the buffer of a glTF', 'bad.bin', { 'm.gltf': buffered }, 'info m.gltf'],
  ['the buffer of a glTF in a scene', 'bad.bin', { 'm.gltf': buffered, 's.json': sceneOf('m.gltf') }, 'scene s.json'],
  ['the mesh of a robot', 'bad.obj', { 'r.urdf': robot('bad.obj') }, 'lint r.urdf'],
  [
    'the mesh of a robot, in its package',
    'ws/bad.obj',
    { 'ws/u/r.urdf': robot('../bad.obj'), 'ws/package.xml': '<package/>' },
    'info ws/u/r.urdf',
  ],
  ['package.xml', 'ws/package.xml', { 'ws/u/r.urdf': robot('../box.obj'), 'ws/box.obj': BOX }, 'info ws/u/r.urdf'],
  ['a scene of a project', 'bad.json', { 'gicollide.json': project({ scenes: ['bad.json'] }) }, 'scene'],
  [
    'the baseline of a project',
    'bad.json',
    { 'gicollide.json': project({ scenes: [{ files: 'two.obj', baseline: 'bad.json' }] }) },
    'scene',
  ],
  [
    'the SRDF of a project',
    'bad.srdf',
    {
      'r.urdf': rail,
      'gicollide.json': project({ scenes: [{ files: ['r.urdf', 'two.obj'], units: 'm', srdf: 'bad.srdf' }] }),
    },
    'scene',
  ],
  [
    'the states of a project',
    'bad.csv',
    {
      'r.urdf': rail,
      'gicollide.json': project({ scenes: [{ files: ['r.urdf', 'two.obj'], units: 'm', states: 'bad.csv' }] }),
    },
    'scene',
    true,
  ],
  [
    'a source of a project',
    'bad.obj',
    { 'gicollide.json': project({ build: [{ include: 'bad.obj', format: 'obb' }] }) },
    'build --no-cache',
  ],
  ['a project file, where it is looked for', 'gicollide.json', {}, 'build'],
  ['the mark of a cache', 'kept/gicollide-cache.json', {}, 'cache info --cache-dir kept'],
  ['a file of a finding', 'bad.obj', { 'f.ndjson': [finding('bad.obj')] }, 'check --finding f.ndjson#fedcba9876543210'],
  ['a file of a check', 'bad.obj', { 'f.ndjson': [run0('bad.obj')] }, 'check --finding f.ndjson#0123456789abcdef'],
  ['a file of findings, viewed', 'bad.obj', { 'f.ndjson': [finding('bad.obj')] }, 'view f.ndjson --html v.html'],
  ['a file of a check, drawn', 'bad.obj', { 'f.ndjson': [run0('bad.obj')] }, 'picture f.ndjson -o v.png'],
];

const root = makeFolder();
let server: Server;
beforeAll(async () => {
  put(root, { 'outer.obj': BOX });
  server = createServer();
  await new Promise<void>((done) => server.listen(join(root, 'socket'), done));
});
afterAll(() => new Promise((done) => server.close(done)));

/** What may stand where a file is named, and what is said of it. */
const BAD: Record<string, { make(path: string): void; says: RegExp }> = {
  'a pipe': { make: (path) => void spawnSync('mkfifo', [path]), says: /a pipe/ },
  'a folder': { make: (path) => mkdirSync(path), says: /it is a folder|no .*file|expected .* file/ },
  'a device': { make: (path) => symlinkSync('/dev/zero', path), says: /outside|same folder|device/ },
  'a socket': { make: (path) => symlinkSync(join(root, 'socket'), path), says: /outside|same folder|socket|device/ },
  'a link that leads out': {
    make: (path) => symlinkSync(join(root, 'outer.obj'), path),
    says: /outside|same folder|below/,
  },
  'a link to itself': { make: (path) => symlinkSync(path, path), says: /link|no (such )?file|project|below/ },
  // Of holes.
  'a file of a TiB': {
    make(path) {
      writeFileSync(path, '');
      truncateSync(path, 2 ** 40);
    },
    says: /expected at most \d+ bytes, found 1099511627776/,
  },
};

describe.skipIf(process.platform === 'win32')('a file that another file names', () => {
  test.each(some([1, 7], Object.entries(BAD)))(
    '%s: exit code 2, and one line',
    { tags: ['quick', 'all'] },
    async (kind, { make, says }) => {
      for (const [what, bad, files, line, isStream] of READERS) {
        if (isStream && kind === 'a file of a TiB') continue;
        // Nobody named these two: they may be links.
        if (/looked for/.test(what) && /out/.test(kind)) continue;
        const cwd = join(root, `${kind} ${what}`.replaceAll(/\W/g, '-'));
        put(cwd, { 'box.obj': BOX, 'two.obj': BOX + boxText('other', 3, 8), ...files });
        mkdirSync(dirname(join(cwd, bad)), { recursive: true });
        make(join(cwd, bad));
        const { code, stderr } = await run(line.split(' '), { cwd });
        const told = `${kind}, ${what}: ${stderr}`;
        expect(code, told).toBe(2);
        expect(stderr, told).toMatch(/^(gicollide|ERROR): [^\n]+\n$/);
        expect(stderr, told).toMatch(says);
        expect(stderr, told).not.toMatch(/internal fault|: E[A-Z]{3,}/);
      }
    },
  );

  test('a report looks for lines in regular files, wherever they are', async () => {
    const cwd = makeFolder();
    const outer = join(root, 'outer.obj');
    put(cwd, { 'f.ndjson': [finding(outer)], 'pipe.ndjson': [finding('pipe.obj')] });
    const report = (file: string) => run(['report', file, '--report', 'csv=r.csv'], { cwd });
    expect(await report('f.ndjson')).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(cwd, 'r.csv'), 'utf8')).toMatch(/outer\.obj.*--finding f\.ndjson#\w+ --allow-outside/);
    spawnSync('mkfifo', [join(cwd, 'pipe.obj')]);
    expectFailure(await report('pipe.ndjson'), 'pipe.ndjson:1: pipe.obj: expected a file, found a pipe');
  });

  test('outside of its folder with --allow-outside alone', { tags: ['all'] }, async () => {
    const cwd = join(root, 'outside');
    const file = join(root, 'outer.obj');
    put(cwd, { 'box.obj': BOX, 'u/box.obj': BOX, 'u/r.urdf': robot('../box.obj'), 'u/s.json': sceneOf(file) });
    put(cwd, { 'f.ndjson': [finding(file)], 'c.ndjson': [run0('../outer.obj')] });
    const lines = [
      ...[
        'info u/r.urdf',
        'lint u/r.urdf',
        'verify u/r.urdf',
        'export u/r.urdf -o e.obj',
        'check u/r.urdf box.obj --units-b m',
      ],
      ...[
        'build u/r.urdf -f obb -o r.obb',
        'cubes u/r.urdf box.obj --precision 1 --units m',
        'scene u/r.urdf box.obj --units m',
      ],
      ...['check --finding f.ndjson#fedcba9876543210', 'check --finding c.ndjson#0123456789abcdef'],
      ...['view f.ndjson --html v.html', 'view c.ndjson --html v.html', 'scene u/s.json'],
    ];
    for (const line of lines) {
      const refused = await run(line.split(' '), { cwd });
      expect(refused.code, line).toBe(2);
      expect(refused.stderr, line).toContain('--allow-outside');
      const { code, stderr } = await run([...line.split(' '), '--allow-outside'], { cwd });
      expect(code, `${line}: ${stderr}`).toBeLessThan(2);
    }
    // What was built of it is fresh then, too.
    const again = ['build', 'u/r.urdf', '-f', 'obb', '-o', 'r.obb', '--allow-outside'];
    expect((await run(again, { cwd })).stdout).toBe('r.obb  fresh\n');
  });

  test('an asset of a store is a regular file', async () => {
    const folder = makeFolder();
    const digest = 'ab'.repeat(32);
    mkdirSync(join(folder, 'ab'));
    spawnSync('mkfifo', [join(folder, 'ab', digest.slice(2))]);
    await expect(openFolder(folder).read(digest)).rejects.toThrow(/expected a file, found a pipe/);
  });

  test('a name of - is a file, never stdin', async () => {
    const cwd = makeFolder();
    put(cwd, { 'box.obj': BOX, 's.json': sceneOf('-') });
    expect((await run(['scene', 's.json'], { cwd })).stderr).toMatch(/^ERROR: -: no such file/);
  });
});
