/** `gicollide build --queue`: the files and lines of one machine, whoever builds, dies or lies. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { buildRun, type Row, type SourceTask } from '../../src/cli/queue/builds.ts';
import { VERSION } from '../../src/version.ts';
import {
  assets,
  ended,
  expectFailure,
  listFiles,
  makeFolder,
  type Outcome,
  run,
  start,
  writeMesh,
} from '../support/cli.ts';
import { long } from '../support/long.ts';
import { startWorker, type TestWorker, until, untilFile } from '../support/queue.ts';
import { hasRedis, startRedis, type TestRedis } from '../support/redis.ts';
import { box, boxText, bumpySphere, icosphere } from '../support/shapes.ts';

/** A triangle in a glTF file whose coordinates are in another one, and in one that is not there. */
function writeTriangle(cwd: string): void {
  const positions = Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer);
  mkdirSync(join(cwd, 'buffers'));
  writeFileSync(join(cwd, 'buffers/tri.bin'), positions);
  const gltf = {
    asset: { version: '2.0' },
    ...{ scenes: [{ nodes: [0] }], scene: 0, nodes: [{ mesh: 0 }] },
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] }],
    bufferViews: [{ buffer: 0, byteLength: positions.length }],
    buffers: [{ uri: 'buffers/tri.bin', byteLength: positions.length }],
  };
  const text = JSON.stringify(gltf);
  writeFileSync(join(cwd, 'tri.gltf'), text);
  writeFileSync(join(cwd, 'lost.gltf'), text.replace('tri.bin', 'lost.bin'));
}

/** A robot of one mesh. */
const ROBOT = `<robot name="r"><link name="a"><collision><geometry><mesh filename="box.obj"/></geometry></collision></link></robot>`;

/** Meshes of several formats, a model, a mesh that loses a triangle, and two that cannot be read. */
function workspace(): string {
  const cwd = makeFolder();
  writeMesh(join(cwd, 'ball.obj'), icosphere(2));
  writeMesh(join(cwd, 'box.obj'), box());
  writeMesh(join(cwd, 'rock.obj'), bumpySphere(3, 3));
  writeFileSync(join(cwd, 'bad.obj'), 'v 0 0\n');
  writeFileSync(join(cwd, 'flat.obj'), `${readFileSync(join(cwd, 'box.obj'), 'utf8')}f 1 1 2\nl 1 2\n`);
  writeFileSync(join(cwd, 'robot.urdf'), ROBOT);
  writeTriangle(cwd);
  copyFileSync(join(assets, 'vase.frep.json'), join(cwd, 'vase.frep.json'));
  return cwd;
}

/** Text without what took how long. */
const plain = (text: string): string =>
  text.replaceAll(/[\d.]+ s(?=$|;)/gm, 'T s').replaceAll(/"seconds":[\d.]+/g, '"seconds":0');

/** What a run said, and what it wrote. */
function resultOf(cwd: string, { code, stdout, stderr }: Outcome) {
  const files = listFiles(join(cwd, 'out')).map((file) => [
    file,
    readFileSync(join(cwd, 'out', file)).toString('base64'),
  ]);
  return { code, stdout: plain(stdout), stderr, files };
}

/** A module by which the threads of workers do something before they take up a file with these words. */
const before = (words: string, action: string): string => `
import { isMainThread } from 'node:worker_threads';
if (!isMainThread) {
  const own = crypto.subtle.digest.bind(crypto.subtle);
  crypto.subtle.digest = async (name, bytes) => {
    if (Buffer.from(bytes).includes('${words}')) { ${action} }
    return own(name, bytes);
  };
}`;

const ALL = ['build', '.', '-f', 'all', '--size', '33', '--precision', '0.1'];

describe.skipIf(!hasRedis)('with a Redis', () => {
  const running: { close(): unknown }[] = [];

  afterEach(async () => {
    for (const each of running.splice(0).reverse()) await each.close();
  });

  async function redisFor(): Promise<TestRedis> {
    const redis = await startRedis();
    running.push(redis);
    return redis;
  }

  function worker(redis: TestRedis, cwd: string, preload?: string): TestWorker {
    const started = startWorker(redis.url, cwd, preload);
    running.push({ close: () => started.kill('SIGKILL') });
    return started;
  }

  /** Where the store is, which no folder of inputs holds. */
  const shop = (): { cwd: string; store: string } => {
    const cwd = makeFolder();
    return { cwd, store: join(cwd, 'store') };
  };

  test.each<string[][]>(long ? [[[]], [['--json']], [['--quiet']]] : [[['--json']]])(
    'meshes of all formats, models, a .bin, a robot, broken ones: the same bytes, lines and exit code %s',
    { tags: ['all', 'long'] },
    async (flags) => {
      const redis = await redisFor();
      const { cwd: place, store } = shop();
      const [one, other] = [workspace(), workspace()];
      const asked = worker(redis, place);
      await asked.ready;
      const expected = resultOf(one, await run([...ALL, ...flags], { cwd: one }));
      const args = [...ALL, ...flags, '--queue', redis.url, '--assets', store];
      const found = resultOf(other, await run(args, { cwd: other }));
      expect(expected.code).toBe(2);
      expect(expected.files.length).toBe(6 * 4 + 1);
      expect(expected.stderr).toMatch(/bad\.obj:1: /);
      expect(expected.stderr).toMatch(/lost\.bin: no such file/);
      if (!flags.includes('--quiet')) expect(expected.stderr).toMatch(/warning: flat\.obj: /);
      expect(found).toEqual(expected);
      // Workers write nothing.
      expect(listFiles(place).filter((file) => !file.startsWith('store/'))).toEqual([]);
      // The worker may still do for nobody what was asked twice.
      const isLeft = (key: string): boolean => !/:(events|id|marker|meta|stalled-check|stalled)$/.test(key);
      await expect.poll(async () => (await redis.keys()).filter(isLeft), { timeout: 600_000 }).toEqual([]);
      expect(asked.text()).toMatch(/: build, 0 assets, /);
      const again = await run([...ALL, '--json', '--queue', redis.url, '--assets', store], { cwd: other });
      expect(again.stdout.match(/"status":"fresh"/g)).toHaveLength(25);
    },
  );

  test('what is fresh or in the cache is not sent; what workers build is kept there', { tags: ['all'] }, async () => {
    const redis = await redisFor();
    const { cwd: place, store } = shop();
    const cwd = makeFolder();
    for (const name of ['a', 'b']) writeMesh(join(cwd, `${name}.obj`), icosphere(1));
    const args = ['build', 'a.obj', 'b.obj', '--cache-dir', 'cache', '--queue', redis.url, '--assets', store];
    // With nobody to build.
    expect(await run(['build', 'a.obj', '-f', 'obb'], { cwd })).toMatchObject({ code: 0 });
    expect(await run(['build', 'b.obj', '-f', 'obb', '--cache-dir', 'cache', '-o', 'other/'], { cwd })).toMatchObject({
      code: 0,
    });
    const first = await run([...args, '-f', 'obb'], { cwd });
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(/^out\/b\.obb {2}cached: .*\n1 cached, 1 fresh, /);
    await worker(redis, place).ready;
    const second = await run([...args, '-f', 'kdop,obb'], { cwd });
    expect(second.stdout.split('\n').map((line) => line.split(/ {2}|:/)[0])).toEqual([
      'out/a.kdop',
      'out/b.kdop',
      expect.stringContaining('2 built, 2 fresh'),
      '',
    ]);
    const third = await run(['build', 'a.obj', '-f', 'kdop', '--cache-dir', 'cache', '-o', 'again/'], { cwd });
    expect(third.stdout).toMatch(/^again\/a\.kdop {2}cached: /);
  });

  test('a file that throws, or ends its thread: it alone fails, exit code 2', { tags: ['long'] }, async () => {
    const redis = await redisFor();
    const { cwd: place, store } = shop();
    const cwd = makeFolder();
    for (const name of ['a', 'b', 'c', 'd']) writeMesh(join(cwd, `${name}.obj`), icosphere(1));
    writeFileSync(join(cwd, 'b.obj'), `# poison\n${readFileSync(join(cwd, 'b.obj'), 'utf8')}`);
    await worker(redis, place, before('poison', long ? 'process.exit(7)' : `throw new Error('poisoned')`)).ready;
    const args = ['build', '.', '-f', 'obb', '--queue', redis.url, '--assets', store];
    const { code, stdout, stderr } = await run(args, { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: b\.obj: no worker builds it: .*(poisoned|exit)[^\n]*$/m);
    expect(stdout).toMatch(/\n3 built, 1 failed, /);
    expect(listFiles(join(cwd, 'out'))).toEqual(['a.obb', 'c.obb', 'd.obb']);
  });

  test('of two workers one is killed while it builds: the same files', { tags: ['long'] }, async () => {
    const redis = await redisFor();
    const { cwd: place, store } = shop();
    const cwd = makeFolder();
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const [i, name] of names.entries()) writeMesh(join(cwd, `${name}.obj`), bumpySphere(i, 2));
    const go = join(place, 'go');
    const workers = [1, 2].map(() => worker(redis, place, before('made by a test', untilFile(go))));
    await Promise.all(workers.map(({ ready }) => ready));
    const args = ['build', '.', '--size', '65', '--queue', redis.url, '--assets', store];
    const child = start(args, { cwd });
    running.push({ close: () => child.kill('SIGKILL') });
    const asking = ended(child);
    await until(async () => (await redis.client.llen(`gicollide:${VERSION}:active`)) === 2);
    workers[0].kill('SIGKILL');
    writeFileSync(go, '');
    expect(await asking).toMatchObject({ code: 0, stderr: '' });
    const found = names.map((name) => readFileSync(join(cwd, `out/${name}.tiff`)));
    expect(await run(['build', '.', '--size', '65', '-o', 'plain/'], { cwd })).toMatchObject({ code: 0 });
    for (const [i, name] of names.entries())
      expect(found[i].equals(readFileSync(join(cwd, `plain/${name}.tiff`)))).toBe(true);
  });

  test('an asset of another source: this machine builds, and says so to who asks', { tags: ['long'] }, async () => {
    const redis = await redisFor();
    const { cwd: place, store } = shop();
    const [one, other] = [makeFolder(), makeFolder()];
    for (const cwd of [one, other]) writeMesh(join(cwd, 'a.obj'), icosphere(1));
    await worker(redis, place, before('made by a test', 'return new ArrayBuffer(32);')).ready;
    const expected = resultOf(one, await run(['build', 'a.obj', '-f', 'obb,voxel'], { cwd: one }));
    const args = ['build', 'a.obj', '-f', 'obb,voxel', '--verbose', '--queue', redis.url, '--assets', store];
    const found = resultOf(other, await run(args, { cwd: other }));
    expect(found).toEqual({
      ...expected,
      stderr: "info: a.obj: built on this machine, since the worker's result was another asset\n",
    });
  });

  test('an asset too large for an answer: this machine builds', { tags: ['long'] }, async () => {
    const redis = await redisFor();
    const { cwd: place, store } = shop();
    const cwd = makeFolder();
    writeMesh(join(cwd, 'a.obj'), icosphere(1));
    writeMesh(join(cwd, 'b.obj'), box());
    await worker(redis, place).ready;
    const args = ['build', 'a.obj', 'b.obj', '-f', 'voxel', '--precision', '0.0003'];
    const { code, stderr } = await run([...args, '--verbose', '--queue', redis.url, '--assets', store], { cwd });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^info: a\.obj: built on this machine, since the worker's result was too large$/m);
    expect(await run([...args, '-o', 'plain/'], { cwd })).toMatchObject({ code: 0 });
    for (const name of ['a', 'b'])
      expect(readFileSync(join(cwd, `out/${name}.voxel`)).equals(readFileSync(join(cwd, `plain/${name}.voxel`)))).toBe(
        true,
      );
  });

  test('elements of a project, and what stdin holds, are built by who asks', { tags: ['long'] }, async () => {
    const redis = await redisFor();
    const { store } = shop();
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'two.obj'), `${boxText('one', 0)}${boxText('two', 3, 8)}`);
    const build = [{ include: 'two.obj', format: 'obb', split: 'elements', out: 'out/' }];
    writeFileSync(join(cwd, 'gicollide.json'), JSON.stringify({ gicollide: 'project/1', build }));
    const queue = ['--queue', redis.url, '--assets', store];
    expect(await run(['build', '--no-cache', ...queue], { cwd })).toMatchObject({ code: 0, stderr: '' });
    const input = readFileSync(join(cwd, 'two.obj'), 'utf8');
    expect(await run(['build', '-', '-f', 'obb', ...queue], { cwd, input })).toMatchObject({ code: 0, stderr: '' });
    expect(listFiles(join(cwd, 'out'))).toEqual(['stdin.obb', 'two.one.obb', 'two.two.obb']);
  });

  test('what does not go together is one line', { tags: ['all'] }, async () => {
    const cwd = makeFolder();
    writeMesh(join(cwd, 'a.obj'), box());
    const args = ['build', 'a.obj', '--queue', 'redis://127.0.0.1:1', '--assets', 'store'];
    for (const own of [['--split', 'elements'], ['--jobs', '2'], ['--watch'], ['--check'], ['--dry-run']])
      expectFailure(
        await run([...args, ...own], { cwd }),
        new RegExp(`^--queue uses workers, but ${own[0]} applies to this machine`),
      );
    expectFailure(await run(args, { cwd }), /no Redis answers/);
    expectFailure(await run(args.slice(0, 4), { cwd }), /^--queue needs --assets, the folder/);
  });
});

describe('answers of others', { tags: ['all'] }, () => {
  const task = (formats: string[]): SourceTask => ({ formats, flags: {} }) as unknown as SourceTask;
  const built = (part: object = {}): Row =>
    ({
      status: 'built',
      bytes: new Uint8Array(3),
      facts: { fields: { k: 24 }, what: 'x' },
      seconds: 1,
      ...part,
    }) as Row;
  const failed: Row = { status: 'failed', message: 'no' };
  const said: Row = { status: 'said', level: 'warn', message: 'hm' };

  test('are one output for each that was asked for, by their order alone', () => {
    const two = [task(['gi', 'obb']), task(['gi'])];
    const given = [[said, built(), failed], [built()]];
    expect(buildRun.accept(given, two)).toBe(given);
    expect(buildRun.accept([[said, failed], [built()]], two)).toHaveLength(2);
    for (const none of [
      null,
      {},
      [],
      [[built(), built()]],
      [[built()], [built()]],
      [[built(), built(), built()], [built()]],
    ])
      expect(() => buildRun.accept(none, two)).toThrow();
  });

  test('print nothing but lines', () => {
    const bad: Row[] = [
      built({ bytes: 'x' }),
      built({ seconds: Number.NaN }),
      built({ facts: { fields: {}, what: '\u001b[2J' } }),
      built({ facts: { fields: { layout: '\u001b[2J' }, what: 'x' } }),
      built({ facts: { fields: { '\n': 1 }, what: 'x' } }),
      { status: 'fresh' } as unknown as Row,
    ];
    for (const row of bad) expect(() => buildRun.accept([[row]], [task(['gi'])])).toThrow();
  });
});
