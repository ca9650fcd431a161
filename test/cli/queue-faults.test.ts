/** What goes wrong on many machines: who is killed, what is poisoned, Redis restarted, bytes changed. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { VERSION } from '../../src/version.ts';
import { ended, expectFailure, listFiles, makeFolder, type Outcome, run, start } from '../support/cli.ts';
import { some } from '../support/long.ts';
import { beforePairs, startWorker, type TestWorker, timeless, until, untilFile, writeScene } from '../support/queue.ts';
import { hasRedis, startRedis, type TestRedis } from '../support/redis.ts';

/** The name of a key of the queue. */
const keyOf = (name: string): string => `gicollide:${VERSION}:${name}`;

describe.skipIf(!hasRedis)('faults of a queue', () => {
  const cwd = makeFolder();
  let plain: Outcome;
  /** Pairs that are asked exactly. */
  let pairs = 0;
  const running: { close(): unknown }[] = [];

  beforeAll(async () => {
    writeScene(cwd, 40, 4);
    plain = await run(['scene', 'many.scene.json', '--json'], { cwd });
    pairs = JSON.parse(plain.stdout.trim().split('\n').at(-1)!).checked;
  });

  afterEach(async () => {
    for (const each of running.splice(0).reverse()) await each.close();
  });

  async function redisFor(options: readonly string[] = []): Promise<TestRedis> {
    const redis = await startRedis(options);
    running.push(redis);
    return redis;
  }

  function worker(redis: TestRedis, preload?: string, args: readonly string[] = []): TestWorker {
    const started = startWorker(redis.url, cwd, preload, args);
    running.push({ close: () => started.kill('SIGKILL') });
    return started;
  }

  function ask(redis: TestRedis, store = 'store') {
    const args = ['scene', 'many.scene.json', '--json', '--queue', redis.url, '--assets', store];
    const child = start(args, { cwd });
    running.push({ close: () => child.kill('SIGKILL') });
    return { child, ended: ended(child) };
  }

  /** Where one more may find no job left, or the run may say that nobody works. */
  const allReady = (workers: TestWorker[]): Promise<unknown> => Promise.all(workers.map(({ ready }) => ready));

  /** Jobs that wait for a worker, and that have one. */
  const waiting = (redis: TestRedis): Promise<number> => redis.client.llen(keyOf('wait'));
  const active = (redis: TestRedis): Promise<number> => redis.client.llen(keyOf('active'));

  /** A worker may still do for nobody what another one has answered. */
  async function expectNothingLeft(redis: TestRedis): Promise<void> {
    const isLeft = (key: string): boolean => !/:(events|id|marker|meta|stalled-check|stalled)$/.test(key);
    await expect.poll(async () => (await redis.keys()).filter(isLeft), { timeout: 600_000 }).toEqual([]);
  }

  test('three workers, of whom one is killed in a job: nothing lost, nothing twice, seed 4', {
    tags: ['long'],
  }, async () => {
    const redis = await redisFor();
    const go = join(makeFolder(), 'go');
    const workers = [1, 2, 3].map(() => worker(redis, beforePairs(pairs, untilFile(go))));
    await allReady(workers);
    const { ended } = ask(redis);
    await until(async () => (await active(redis)) === 3);
    workers[0].kill('SIGKILL');
    writeFileSync(go, '');
    const { stdout, stderr, code } = await ended;
    expect(timeless(stdout)).toBe(timeless(plain.stdout));
    expect({ stderr, code }).toEqual({ stderr: '', code: 1 });
    await expectNothingLeft(redis);
  });

  test('SIGTERM: a worker ends its job, answers, and exits with 0', { tags: ['all'] }, async () => {
    const redis = await redisFor();
    const go = join(makeFolder(), 'go');
    const first = worker(redis, beforePairs(pairs, untilFile(go)));
    const { ended } = ask(redis);
    await until(async () => (await active(redis)) === 1);
    first.kill('SIGTERM');
    writeFileSync(go, '');
    expect(await first.ended).toMatchObject({ code: 0, stdout: '' });
    expect(first.text()).toMatch(/info: [1-9]\d* jobs answered\n$/);
    expect(await active(redis)).toBe(0);
    worker(redis);
    expect(timeless((await ended).stdout)).toBe(timeless(plain.stdout));
  });

  /** The run's findings but for one pair, which is undecided for this reason. */
  function expectOneUndecided({ stdout, code, stderr }: Outcome, reason: RegExp): void {
    const [expected, found] = [plain.stdout, stdout].map((text) => text.trim().split('\n'));
    const undecided = found.filter((line) => line.includes('"class":"undecided"'));
    expect(undecided.length).toBe(1);
    expect(JSON.parse(undecided[0]).reason).toMatch(reason);
    const { id } = JSON.parse(undecided[0]);
    const others = (lines: string[]): string[] => lines.slice(0, -1).filter((line) => JSON.parse(line).id !== id);
    expect(others(found)).toEqual(others(expected));
    expect(code).toBe(3);
    expect(stderr).toMatch(/^warning: --queue: a task failed: [^\n]+\n$/);
  }

  test('a pair that throws: it alone is undecided, exit code 3', { tags: ['long'] }, async () => {
    const redis = await redisFor();
    const poison = beforePairs(pairs, `if (first <= 17 && 17 < end) throw new Error('poisoned');`);
    await allReady([1, 2].map(() => worker(redis, poison)));
    expectOneUndecided(await ask(redis).ended, /^no worker answers: poisoned$/);
    await expectNothingLeft(redis);
  });

  test('a pair that ends its thread: it alone is undecided', { tags: ['long'] }, async () => {
    const redis = await redisFor();
    const poison = beforePairs(pairs, 'if (first <= 17 && 17 < end) process.exit(5);');
    await allReady([1, 2].map(() => worker(redis, poison)));
    expectOneUndecided(await ask(redis).ended, /^no worker answers: .*exit/);
  });

  test('a pair that ends its worker each time: it alone is undecided', { tags: ['long'] }, async () => {
    const redis = await redisFor();
    const poison = beforePairs(pairs, `if (first <= 17 && 17 < end) process.kill(process.pid, 'SIGKILL');`);
    let isOver = false;
    let deaths = 0;
    // As an orchestrator does: who ends is started again.
    const keep = async (): Promise<void> => {
      while (!isOver) {
        const { signal } = await worker(redis, poison).ended;
        if (signal === 'SIGKILL') deaths++;
      }
    };
    void keep();
    void keep();
    const outcome = await ask(redis).ended;
    isOver = true;
    expectOneUndecided(outcome, /^no worker answers: its worker ended/);
    expect(deaths).toBeGreaterThanOrEqual(3);
  });

  test.each(
    some(1, [
      ['without what it knew', []],
      ['with what it knew', ['--appendonly', 'yes']],
    ] as const),
  )('Redis is restarted %s: the same bytes', { tags: ['all', 'long'] }, async (_, options) => {
    const redis = await redisFor(options);
    const go = join(makeFolder(), 'go');
    const workers = [1, 2].map(() => worker(redis, beforePairs(pairs, untilFile(go))));
    await allReady(workers);
    const { ended } = ask(redis);
    await until(async () => (await active(redis)) === 2);
    await redis.kill();
    // Both have an answer that they cannot give.
    await until(() => workers.every(({ text }) => text().includes('has gone')));
    writeFileSync(go, '');
    await redis.start();
    const { stdout, code } = await ended;
    expect(timeless(stdout)).toBe(timeless(plain.stdout));
    expect(code).toBe(1);
    await expectNothingLeft(redis);
    // A worker may take up the run while it hears that Redis is gone.
    for (const { text } of workers)
      expect(text()).toMatch(/^warning: [^\n]+ has gone\n(?:info: [^\n]+\n)*warning: [^\n]+ is back$/m);
  });

  test('wrong bytes in the store: an error that names the digest, and never an answer', {
    tags: ['long'],
  }, async () => {
    const redis = await redisFor();
    const { ended } = ask(redis, 'changed');
    await until(async () => (await waiting(redis)) > 0);
    const [largest] = listFiles(join(cwd, 'changed'));
    appendFileSync(join(cwd, 'changed', largest), 'x');
    worker(redis, undefined, ['--assets', 'changed']);
    expectFailure(await ended, `--assets: ${largest}: expected bytes of this digest, found those of `);
  });

  test('wrong bytes that are made good meanwhile: the same answers', { tags: ['long'] }, async () => {
    const redis = await redisFor();
    const { ended } = ask(redis, 'mended');
    await until(async () => (await waiting(redis)) > 0);
    const files = listFiles(join(cwd, 'mended'));
    let served = 0;
    // The first answers are of no use, in two ways.
    const server = createServer((request, response) => {
      const bytes = readFileSync(join(cwd, 'mended', request.url!));
      served++;
      if (served === 1) response.writeHead(503).end();
      else response.end(served === 2 ? bytes.subarray(1) : bytes);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    running.push({ close: () => server.close() });
    worker(redis, undefined, ['--assets', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`]);
    expect(timeless((await ended).stdout)).toBe(timeless(plain.stdout));
    expect(served).toBeGreaterThan(files.length);
  });

  test.each(some(1, ['SIGINT', 'SIGTERM'] as const))(
    '%s: who asks takes back his jobs',
    { tags: ['all', 'long'] },
    async (signal) => {
      const redis = await redisFor();
      const { child, ended } = ask(redis);
      await until(async () => (await waiting(redis)) > 0);
      child.kill(signal);
      expect(await ended).toMatchObject({ signal, stdout: '' });
      await expectNothingLeft(redis);
    },
  );

  test('jobs of somebody who is killed are done for nobody', { tags: ['long'] }, async () => {
    const redis = await redisFor();
    const { child, ended } = ask(redis);
    await until(async () => (await waiting(redis)) > 0);
    child.kill('SIGKILL');
    await ended;
    for (const key of await redis.keys()) if (key.endsWith(':lease')) await redis.client.del(key);
    const idle = worker(redis, undefined, ['--idle', '0.5']);
    await idle.ended;
    expect(idle.text()).toMatch(/info: 0 jobs answered\n$/);
    await expectNothingLeft(redis);
  });

  test('what is no job and no run is refused, and the worker goes on', { tags: ['long'] }, async () => {
    const redis = await redisFor();
    const own = worker(redis);
    const { Queue } = await import('bullmq');
    const queue = new Queue(VERSION, { connection: redis.client, prefix: 'gicollide' });
    await queue.add('task', { run: '../../etc/passwd', asker: '0123456789abcdef', task: '', tries: 1 });
    await queue.add('task', { run: 'no', task: 7 });
    await queue.add('task', null);
    await until(async () => (await redis.client.zcard(keyOf('failed'))) === 3);
    await queue.obliterate({ force: true });
    expect(timeless((await ask(redis).ended).stdout)).toBe(timeless(plain.stdout));
    expect(own.text()).not.toMatch(/passwd/);
  });
});
