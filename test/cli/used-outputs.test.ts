/** `gicollide scene` and the outputs of a project: no scene passes on assets that are stale. */
// @module-tag all
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectFailure, makeFolder, run, writeMesh } from '../support/cli.ts';
import { box } from '../support/shapes.ts';

const BUILD = [{ include: 'props/**/*.{obj,gltf}', format: 'obb', out: 'out/' }];

/** Where a scene places assets: two metres from each other. */
const sceneOf = (...files: string[]): string =>
  JSON.stringify({
    gicollide: 'scene/1',
    assets: Object.fromEntries(files.map((file, i) => [`a${i}`, file])),
    instances: files.map((_, i) => ({ name: `a${i}`, asset: `a${i}`, translate: [9 * i, 0, 0] })),
  });

/** A project with a crate and a barrel that stand apart, and its scene. */
function projectOf(model: object = {}): string {
  const cwd = makeFolder();
  mkdirSync(join(cwd, 'props'));
  const cache = { folder: '.cache' };
  const project = { gicollide: 'project/1', cache, build: BUILD, scenes: ['room.scene.json'], ...model };
  writeFileSync(join(cwd, 'gicollide.json'), JSON.stringify(project));
  for (const name of ['crate', 'barrel']) writeMesh(join(cwd, `props/${name}.obj`), box());
  writeFileSync(join(cwd, 'room.scene.json'), sceneOf('out/crate.obb', 'out/barrel.obb'));
  return cwd;
}

async function builtProject(model: object = {}): Promise<string> {
  const cwd = projectOf(model);
  expect((await run(['build'], { cwd })).code).toBe(0);
  return cwd;
}

/** Makes another mesh of a source, as an editor's save does. */
const edit = (cwd: string, file = 'props/crate.obj'): void => appendFileSync(join(cwd, file), '# edited\n');

const SCENE = ['scene', 'room.scene.json'];

async function summaryOf(cwd: string, ...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await run([...SCENE, ...args, '--json'], { cwd });
  return JSON.parse(stdout.trim().split('\n').at(-1)!);
}

describe.concurrent('a scene that uses outputs of a project', () => {
  test('edit a source and forget the build: exit code 2, and what to run', async () => {
    const cwd = await builtProject();
    expect((await run(SCENE, { cwd })).code).toBe(0);
    expect((await summaryOf(cwd)).outputs).toEqual({ fresh: 2, stale: 0, unknown: 0 });
    edit(cwd);
    for (const args of [SCENE, ['scene']])
      expectFailure(
        await run(args, { cwd }),
        'stale: out/crate.obb (another source): run gicollide build; --build does it first, --stale ok checks them as they are',
      );
    expect((await run(['build'], { cwd })).code).toBe(0);
    expect((await run(SCENE, { cwd })).code).toBe(0);
  });

  test('--stale ok checks it as it is, and the summary says so', async () => {
    const cwd = await builtProject();
    edit(cwd);
    const { code, stdout } = await run([...SCENE, '--stale', 'ok'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^2 objects: 1 stale output\n1 pair: .*, 0 undecided, [\d.]+ s\n/);
    expect(stdout).toMatch(/\nhint: 1 output stale or missing: --build builds it first\n0 problems\n$/);
    expect((await summaryOf(cwd, '--stale', 'ok')).outputs).toEqual({ fresh: 1, stale: 1, unknown: 0 });
    expect((await run(['scene', '--stale', 'ok'], { cwd })).code).toBe(0);
  });

  test('--build builds what is stale or missing, and nothing else', async () => {
    const cwd = await builtProject();
    edit(cwd);
    rmSync(join(cwd, 'out/barrel.obb'));
    writeFileSync(join(cwd, 'props/broken.obj'), 'f 1 2 3\n');
    const { code, stderr } = await run([...SCENE, '--build'], { cwd });
    expect([code, stderr]).toEqual([0, '']);
    expect(existsSync(join(cwd, 'out/broken.obb'))).toBe(false);
    expect((await summaryOf(cwd)).outputs).toEqual({ fresh: 2, stale: 0, unknown: 0 });
    edit(cwd);
    expect((await run(['scene', '--build'], { cwd })).code).toBe(0);
  });

  test('--build of a source that is broken: its line, and exit code 2', async () => {
    const cwd = await builtProject();
    writeFileSync(join(cwd, 'props/crate.obj'), 'f 1 2 3\n');
    const { code, stdout, stderr } = await run([...SCENE, '--build'], { cwd });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /^error: props\/crate\.obj:1: .*\nerror: stale: out\/crate\.obb \(another source\): they cannot be built\n$/,
    );
  });

  test('a source that is absent is unknown: counted, and the exit code is as it was', async () => {
    const cwd = await builtProject();
    rmSync(join(cwd, 'props'), { recursive: true });
    const { code, stdout, stderr } = await run(SCENE, { cwd });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^2 objects: 2 outputs unknown, without their sources$/m);
    expect((await summaryOf(cwd)).outputs).toEqual({ fresh: 0, stale: 0, unknown: 2 });
  });

  test('before the first build there is no folder of outputs: --build makes it', async () => {
    const cwd = await builtProject();
    rmSync(join(cwd, 'out'), { recursive: true });
    const { code, stderr } = await run(SCENE, { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('out/crate.obb: no such file: run gicollide build');
    expect((await run([...SCENE, '--build'], { cwd })).code).toBe(0);
  });

  test('a missing output names the build; one whose source is absent, too, does not', async () => {
    const cwd = await builtProject();
    rmSync(join(cwd, 'out/crate.obb'));
    const { code, stderr } = await run(SCENE, { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('out/crate.obb: no such file: run gicollide build');
    rmSync(join(cwd, 'props/crate.obj'));
    expect((await run(SCENE, { cwd })).stderr).toMatch(/out\/crate\.obb: no such file(?!: run)/);
  });

  test.each<[what: string, change: (cwd: string) => void, reason: string]>([
    [
      'an option of the project',
      (cwd) => {
        const file = join(cwd, 'gicollide.json');
        writeFileSync(file, readFileSync(file, 'utf8').replace('"obb"', '"obb","nodeBytes":20'));
      },
      'other options',
    ],
    [
      'another version',
      (cwd) => {
        const bytes = readFileSync(join(cwd, 'out/crate.obb'));
        bytes.write('gicollide 9', bytes.indexOf('gicollide 0'), 'latin1');
        writeFileSync(join(cwd, 'out/crate.obb'), bytes);
      },
      'another tool',
    ],
    [
      'another revision of the reader',
      (cwd) => {
        const bytes = readFileSync(join(cwd, 'out/crate.obb'));
        bytes.write('OBJ 9', bytes.indexOf('OBJ 1'), 'latin1');
        writeFileSync(join(cwd, 'out/crate.obb'), bytes);
      },
      'another revision of its reader or builder',
    ],
  ])('%s makes it stale', async (_, change, reason) => {
    const cwd = await builtProject();
    change(cwd);
    const { code, stderr } = await run(SCENE, { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(`out/crate.obb (${reason})`);
    expect(stderr).toContain('run gicollide build');
  });

  test('files that a source names count, too', async () => {
    const cwd = projectOf();
    const positions = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]);
    writeFileSync(join(cwd, 'props/tri.bin'), new Uint8Array(positions.buffer));
    writeFileSync(
      join(cwd, 'props/tri.gltf'),
      JSON.stringify({
        asset: { version: '2.0' },
        buffers: [{ uri: 'tri.bin', byteLength: 36 }],
        bufferViews: [{ buffer: 0, byteLength: 36 }],
        accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] }],
        meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
        nodes: [{ mesh: 0 }],
        scenes: [{ nodes: [0] }],
        scene: 0,
      }),
    );
    writeFileSync(
      join(cwd, 'room.scene.json'),
      sceneOf('out/tri.obb', 'out/barrel.obb').replace('"gicollide":', '"units":"m","gicollide":'),
    );
    expect((await run(['build'], { cwd })).code).toBe(0);
    expect((await run(SCENE, { cwd })).code).toBe(0);
    positions[3] = 2;
    writeFileSync(join(cwd, 'props/tri.bin'), new Uint8Array(positions.buffer));
    expect((await run(SCENE, { cwd })).stderr).toContain('out/tri.obb (other options or files beside)');
    rmSync(join(cwd, 'props/tri.bin'));
    expect((await summaryOf(cwd)).outputs).toEqual({ fresh: 1, stale: 0, unknown: 1 });
  });

  test('elements of a split file', async () => {
    const cwd = projectOf({ build: [{ include: 'props/*.obj', format: 'obb', split: 'elements' }] });
    const house = ['wall', 'roof'].map((name, i) => `o ${name}\nv ${i} 0 0\nv ${i} 1 0\nv ${i} 0 1\nf -3 -2 -1\n`);
    writeFileSync(join(cwd, 'props/house.obj'), house.join(''));
    expect((await run(['build'], { cwd })).code).toBe(0);
    writeFileSync(join(cwd, 'room.scene.json'), sceneOf('out/house.wall.obb', 'out/house.roof.obb'));
    expect((await summaryOf(cwd)).outputs).toEqual({ fresh: 2, stale: 0, unknown: 0 });
    edit(cwd, 'props/house.obj');
    expect((await run(SCENE, { cwd })).stderr).toContain('stale: out/house.wall.obb (another source)');
    expect((await run([...SCENE, '--build'], { cwd })).code).toBe(0);
    rmSync(join(cwd, 'out/house.roof.obb'));
    expect((await run(SCENE, { cwd })).stderr).toContain('out/house.roof.obb: no such file: run gicollide build');
  });

  test('the nearest project above the scene file counts, wherever the command runs', async () => {
    const cwd = await builtProject();
    mkdirSync(join(cwd, 'scenes/deep'), { recursive: true });
    writeFileSync(join(cwd, 'scenes/deep/room.scene.json'), sceneOf('../../out/crate.obb', '../../out/barrel.obb'));
    const args = ['scene', 'scenes/deep/room.scene.json', '--allow-outside'];
    edit(cwd);
    expect((await run(args, { cwd })).stderr).toContain('stale: out/crate.obb (another source): run gicollide build;');
    const inner = await run(['scene', 'deep/room.scene.json', '--allow-outside'], { cwd: join(cwd, 'scenes') });
    expect(inner.stderr).toContain(
      'stale: ../out/crate.obb (another source): run gicollide build --project ../gicollide.json;',
    );
    // A nearer project, which makes none of them.
    writeFileSync(join(cwd, 'scenes/gicollide.json'), '{"gicollide":"project/1"}');
    expect((await run(args, { cwd })).code).toBe(0);
  });

  test('without a project, and of files that no build made, nothing changes', async () => {
    const cwd = await builtProject();
    edit(cwd);
    renameSync(join(cwd, 'gicollide.json'), join(cwd, 'other.json'));
    expect((await run(SCENE, { cwd })).code).toBe(0);
    expect((await summaryOf(cwd)).outputs).toBeUndefined();
    const named = await run([...SCENE, '--project', 'other.json'], { cwd });
    expect(named.stderr).toContain('run gicollide build --project other.json');
  });

  test('a project that cannot be read: one line; with --stale ok a warning', async () => {
    const cwd = await builtProject();
    writeFileSync(join(cwd, 'gicollide.json'), '{"gicollide":"project/1","biuld":[]}');
    expectFailure(await run(SCENE, { cwd }), /^gicollide\.json: expected only known keys, found "biuld"/);
    const { code, stderr } = await run([...SCENE, '--stale', 'ok'], { cwd });
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('--stale ok: gicollide.json: expected only known keys'),
    ]);
    // A scene of meshes does not ask for it.
    writeFileSync(join(cwd, 'room.scene.json'), sceneOf('props/crate.obj', 'props/barrel.obj'));
    expect((await run(SCENE, { cwd })).code).toBe(0);
  });

  test('assets as arguments, folders of them, --with and --against', async () => {
    const cwd = await builtProject();
    edit(cwd);
    for (const args of [['out'], ['out/crate.obb', 'out/barrel.obb'], ['out/barrel.obb', '--against', 'out/crate.obb']])
      expect((await run(['scene', ...args], { cwd })).stderr).toContain('out/crate.obb (another source)');
  });

  test('frames count outputs, too', async () => {
    const cwd = await builtProject();
    const moving = { ...JSON.parse(sceneOf('out/crate.obb', 'out/barrel.obb')), frames: [{ poses: {} }] };
    writeFileSync(join(cwd, 'room.scene.json'), JSON.stringify(moving));
    edit(cwd);
    expect((await run(SCENE, { cwd })).code).toBe(2);
    expect((await run([...SCENE, '--stale', 'ok'], { cwd })).stdout).toMatch(
      /^2 objects: 1 stale output\n1 frame: .*\nhint: 1 output stale or missing: --build builds it first\n0 problems\n$/m,
    );
  });

  test('links to outputs, and to their folder, are outputs', async () => {
    const cwd = await builtProject();
    symlinkSync('out', join(cwd, 'made'));
    symlinkSync('out/barrel.obb', join(cwd, 'barrel.obb'));
    writeFileSync(join(cwd, 'room.scene.json'), sceneOf('made/crate.obb', 'barrel.obb'));
    expect((await summaryOf(cwd)).outputs).toEqual({ fresh: 2, stale: 0, unknown: 0 });
    edit(cwd);
    edit(cwd, 'props/barrel.obj');
    const { stderr } = await run(SCENE, { cwd });
    expect(stderr).toContain('stale: made/crate.obb (another source), barrel.obb (another source):');
  });

  test('a pointer of Git LFS has the digest of its file', async () => {
    const cwd = await builtProject();
    const crate = join(cwd, 'props/crate.obj');
    const bytes = readFileSync(crate);
    const pointer = (digest: string): string =>
      `version https://git-lfs.github.com/spec/v1\noid sha256:${digest}\nsize ${bytes.length}\n`;
    writeFileSync(crate, pointer(createHash('sha256').update(bytes).digest('hex')));
    expect((await summaryOf(cwd)).outputs).toEqual({ fresh: 2, stale: 0, unknown: 0 });
    writeFileSync(crate, pointer('0'.repeat(64)));
    expect((await run(SCENE, { cwd })).stderr).toContain('stale: out/crate.obb (another source)');
  });

  test('shards and merge agree, also where one machine has no sources', async () => {
    const cwd = await builtProject();
    const shard = (i: number) => run([...SCENE, '--shard', `${i}/2`, '--report', 'blob=found'], { cwd });
    expect((await shard(1)).code).toBe(0);
    renameSync(join(cwd, 'props'), join(cwd, 'away'));
    expect((await shard(2)).code).toBe(0);
    const merged = await run(['merge', 'found', '--json'], { cwd });
    expect(merged.code).toBe(0);
    expect(JSON.parse(merged.stdout.trim().split('\n').at(-1)!).outputs).toEqual({ fresh: 0, stale: 0, unknown: 2 });
    renameSync(join(cwd, 'away'), join(cwd, 'props'));
    edit(cwd);
    expect((await shard(1)).code).toBe(2);
  });
});
