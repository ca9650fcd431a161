/** `--queue`: the same answers by workers on Redis, and what is refused. */
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { VERSION } from '../../src/version.ts';
import { expectFailure, listFiles, makeFolder, type Outcome, run, writeMesh } from '../support/cli.ts';
import { some } from '../support/long.ts';
import { startWorker, type TestWorker, timeless, writeScene } from '../support/queue.ts';
import { seeded } from '../support/random.ts';
import { hasRedis, startRedis, type TestRedis } from '../support/redis.ts';
import { bumpySphere, icosphere } from '../support/shapes.ts';

/** What BullMQ keeps of a queue itself. */
const OWN_KEYS = ['events', 'id', 'marker', 'meta', 'stalled-check'].map((name) => `gicollide:${VERSION}:${name}`);

describe.skipIf(!hasRedis)('with a Redis', () => {
  const cwd = makeFolder();
  let redis: TestRedis;
  let worker: TestWorker;

  beforeAll(async () => {
    redis = await startRedis();
    writeScene(cwd, 40, 1);
    worker = startWorker(redis.url, cwd);
    await worker.ready;
  });

  afterAll(async () => {
    worker?.kill('SIGTERM');
    try {
      expect(await worker?.ended).toMatchObject({ code: 0, stdout: '' });
    } finally {
      await redis?.close();
    }
  });

  /** A run, and the same by workers. */
  async function both(args: string[], input?: string): Promise<[Outcome, Outcome]> {
    const options = { cwd, ...(input !== undefined && { input }) };
    const plain = await run(args, options);
    return [plain, await run([...args, '--queue', redis.url, '--assets', 'store'], options)];
  }

  test('a scene: the same bytes and exit code; nothing stays in Redis but what expires, seed 1', async () => {
    const [plain, queued] = await both(['scene', 'many.scene.json', '--json', '--distance', '--all']);
    expect(plain.stdout.split('\n').length).toBeGreaterThan(50);
    expect(timeless(queued.stdout)).toBe(timeless(plain.stdout));
    expect(queued).toMatchObject({ code: 1, stderr: '' });
    // The worker may still do for nobody what was asked twice.
    const left = async () => (await redis.keys()).filter((key) => !OWN_KEYS.includes(key));
    await expect.poll(left, { timeout: 600_000 }).toEqual([]);
    for (const key of await redis.keys()) expect(await redis.client.pttl(key), key).toBeGreaterThan(0);
    expect(worker.text()).toMatch(/^info: run [0-9a-f]{12}: scene, 1 asset/m);
  });

  test('a stale output ends the run before anything is asked; without its source it is counted', async () => {
    const project = { gicollide: 'project/1', build: [{ include: 'src/*.obj', format: 'obb' }] };
    const [crate, room] = [join(cwd, 'stale/src/crate.obj'), join(cwd, 'stale/room.scene.json')];
    mkdirSync(join(cwd, 'stale/src'), { recursive: true });
    writeMesh(crate, icosphere(1));
    writeFileSync(join(cwd, 'stale/gicollide.json'), JSON.stringify(project));
    const instances = [0, 1].map((x) => ({ name: `crate-${x}`, asset: 'crate', translate: [x, 0, 0] }));
    writeFileSync(room, JSON.stringify({ gicollide: 'scene/1', assets: { crate: 'out/crate.obb' }, instances }));
    expect((await run(['build', '--no-cache'], { cwd: join(cwd, 'stale') })).code).toBe(0);
    appendFileSync(crate, '# edited\n');
    for (const outcome of await both(['scene', 'stale/room.scene.json']))
      expectFailure(outcome, /^stale: stale\/out\/crate\.obb \(another source\): run gicollide build --project /);
    rmSync(crate);
    const [plain, queued] = await both(['scene', 'stale/room.scene.json', '--json']);
    expect(timeless(queued.stdout)).toBe(timeless(plain.stdout));
    expect(queued.stdout).toContain('"outputs":{"fresh":0,"stale":0,"unknown":1}');
    expect(queued.code).toBe(plain.code);
  });

  test('a scene with rules, groups of any name, and an object inside another', { tags: ['long'] }, async () => {
    writeMesh(join(cwd, 'small.obj'), icosphere(1));
    const groups = { $: ['in-*'], __proto__: ['out-*'], plain: ['out-*'] };
    const rules = [{ id: 'mixed', a: '$', b: 'plain', fail: ['inside'], clearance: 0.5, tolerance: 0.01 }];
    const instances = [
      { name: 'out-1', asset: 'ball', translate: [0, 0, 0] },
      { name: 'in-1', asset: 'ball', translate: [0, 0, 0] },
      { name: 'in-2', asset: 'ball', translate: [-2.2, 0, 0] },
      { name: 'in-3', asset: 'small', translate: [-0.0, 1, 1] },
    ];
    const assets = { ball: 'ball.obj', small: 'small.obj' };
    writeFileSync(
      join(cwd, 'rules.scene.json'),
      JSON.stringify({ gicollide: 'scene/1', assets, instances, groups, rules }),
    );
    const [plain, queued] = await both(['scene', 'rules.scene.json', '--json', '--patches']);
    expect(plain.stdout).toMatch(/"class":"same"/);
    expect(timeless(queued.stdout)).toBe(timeless(plain.stdout));
    expect(queued.code).toBe(plain.code);
  });

  test.each(some(1, ['obb', 'tiff', 'kdop', 'voxel']))(
    'poses of a .%s: the same lines, seed 2',
    { tags: ['all', 'long'] },
    async (ending) => {
      const random = seeded(2);
      if (!existsSync(join(cwd, 'out'))) {
        writeMesh(join(cwd, 'rock.obj'), bumpySphere(2, 3));
        const build = ['build', 'rock.obj', '--format', 'all', '--size', '33', '--precision', '0.1'];
        expect(await run(build, { cwd })).toMatchObject({ code: 0 });
      }
      const lines = Array.from({ length: 300 }, () => {
        const [x, y, z] = [0, 1, 2].map(() => random.between(-2.2, 2.2));
        return JSON.stringify([1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z, 0, 0, 0, 1]);
      });
      const poses = `${lines.join('\n')}\n`;
      const args = [
        'check',
        `out/rock.${ending}`,
        `out/rock.${ending}`,
        '--poses',
        '-',
        '--summary',
        '--distance',
        '--json',
      ];
      const [plain, queued] = await both(args, poses);
      expect(plain.stdout.split('\n').length).toBe(302);
      expect(timeless(queued.stdout)).toBe(timeless(plain.stdout));
      expect(queued.code).toBe(plain.code);
    },
  );

  test('poses as text, of which one is none: the answers before it, then its line', { tags: ['long'] }, async () => {
    const pose = (x: number): string => JSON.stringify([1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    const poses = `${pose(0)}\n\n${pose(1)}\n[1, 2]\n${pose(2)}\n`;
    const [plain, queued] = await both(['check', 'ball.obj', 'ball.obj', '--poses', '-', '--distance'], poses);
    const numbers = (text: string): string => text.replaceAll(/[\d.]+ ms/g, 'ms');
    expect(plain.stdout).toMatch(/^pose 0: contact/);
    expect(numbers(queued.stdout)).toBe(numbers(plain.stdout));
    expect(queued).toMatchObject({ code: 2, stderr: plain.stderr });
  });

  test('two who ask at once do not meet', { tags: ['long'] }, async () => {
    const args = ['scene', 'many.scene.json', '--json'];
    const other = [...args, '--clearance', '0.2'];
    const queue = ['--queue', redis.url, '--assets', 'store'];
    const runs = await Promise.all(
      [args, [...args, ...queue], other, [...other, ...queue]].map((each) => run(each, { cwd })),
    );
    const [plain, queued, wide, queuedWide] = runs.map(({ stdout }) => timeless(stdout));
    expect(queued).toBe(plain);
    expect(queuedWide).toBe(wide);
    expect(wide).not.toBe(plain);
  });

  test('assets lie under their digests, and nothing else lies there', () => {
    const names = listFiles(join(cwd, 'store'));
    expect(names.length).toBeGreaterThan(1);
    for (const name of names) expect(name).toMatch(/^[0-9a-f]{2}\/[0-9a-f]{62}$/);
  });

  test('what does not go together is refused', { tags: ['all'] }, async () => {
    const queue = ['--queue', redis.url, '--assets', 'store'];
    const scene = ['scene', 'many.scene.json', ...queue];
    for (const own of ['--jobs', '--budget'])
      expectFailure(
        await run([...scene, own, '2'], { cwd }),
        new RegExp(`^--queue uses workers, but ${own} applies to this machine`),
      );
    expectFailure(
      await run(['check', 'ball.obj', 'ball.obj', ...queue], { cwd }),
      '--queue is for --poses: all other checks run here',
    );
    expectFailure(
      await run(['scene', 'many.scene.json', '--queue', redis.url], { cwd }),
      /^--queue needs --assets, the folder/,
    );
    expectFailure(await run(['scene', 'many.scene.json', '--assets', 'store'], { cwd }), /^--assets needs --queue; /);
    expectFailure(
      await run(['scene', 'many.scene.json', '--queue', redis.url, '--assets', 'http://localhost/'], { cwd }),
      /^--assets: expected a folder to write assets to/,
    );
    expectFailure(
      await run(['worker', '--queue', `${redis.url}/99`, '--assets', 'store'], { cwd }),
      /the server has no database 99$/,
    );
  });

  test('--idle: a worker ends when nothing comes', { tags: ['all'] }, async () => {
    const idle = startWorker(redis.url, cwd, undefined, ['--idle', '0.1']);
    onTestFinished(() => idle.kill('SIGKILL'));
    expect(await idle.ended).toMatchObject({ code: 0, stdout: '' });
  });
});

describe.skipIf(!hasRedis)('with a password', () => {
  const cwd = makeFolder();
  let redis: TestRedis;

  beforeAll(async () => {
    redis = await startRedis([], 'hunter2');
  });
  afterAll(() => redis?.close());

  const worker = (env: Record<string, string>): Promise<Outcome> =>
    run(['worker', '--queue', redis.url, '--assets', 'store', '--idle', '0.1', '--verbose'], { cwd, env });

  test('of the environment alone, and never printed', { tags: ['all'] }, async () => {
    const right = await worker({ GICOLLIDE_REDIS_PASSWORD: 'hunter2' });
    expect(right).toMatchObject({ code: 0, stdout: '' });
    const wrong = await worker({ GICOLLIDE_REDIS_PASSWORD: 'swordfish', GICOLLIDE_REDIS_USERNAME: 'somebody' });
    expectFailure(wrong, /: the server refuses this name and password; GICOLLIDE_REDIS_USERNAME and /);
    const none = await worker({});
    expectFailure(none, /: the server asks for a password; GICOLLIDE_REDIS_PASSWORD says it/);
    for (const { stderr } of [right, wrong, none]) expect(stderr).not.toMatch(/hunter2|swordfish|somebody/);
  });
});

test('names and passwords in --queue are refused, and not repeated', async () => {
  const cwd = makeFolder();
  writeScene(cwd, 2, 3);
  const urls = [
    ...['redis://me:hunter2@localhost', 'redis://:hunter2@localhost', 'rediss://hunter2@localhost:99999'],
    ...['redis://localhost/?password=hunter2', 'hunter2', 'redis://localhost/hunter2', 'http://localhost/#hunter2'],
  ];
  for (const url of urls) {
    for (const args of [['worker'], ['scene', 'many.scene.json']]) {
      const outcome = await run([...args, '--queue', url, '--assets', 'store', '--verbose'], { cwd });
      expectFailure(outcome, /^--queue: /);
      expect(outcome.stderr).not.toContain('hunter2');
    }
  }
});

test('names and passwords in --assets are refused, and not repeated', async () => {
  const args = ['worker', '--queue', 'redis://localhost:1', '--assets', 'https://me:hunter2@localhost/store'];
  const outcome = await run(args, { cwd: makeFolder() });
  expectFailure(outcome, /^--assets: expected a folder or http/);
  expect(outcome.stderr).not.toContain('hunter2');
});

test('no Redis: one line', async () => {
  const cwd = makeFolder();
  writeScene(cwd, 2, 3);
  const queue = ['--queue', 'redis://127.0.0.1:1', '--assets', 'store'];
  const line = 'redis://127.0.0.1:1: no Redis answers (ECONNREFUSED)';
  expectFailure(await run(['scene', 'many.scene.json', ...queue], { cwd }), line);
  expectFailure(await run(['worker', ...queue], { cwd }), line);
  expect(existsSync(join(cwd, 'store'))).toBe(false);
});
