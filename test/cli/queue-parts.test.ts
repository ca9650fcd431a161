/** What `--queue` is made of: values on their way, the store, and who asks. */
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { halveBlock } from '../../src/cli/poses/read-poses.ts';
import { openFolder, openStore } from '../../src/cli/queue/asset-store.ts';
import { byHalves } from '../../src/cli/queue/bisect-failed-task.ts';
import { keysOf, packed, packedReply, replyOf, unpacked } from '../../src/cli/queue/jobs.ts';
import type { Runs } from '../../src/cli/queue/open-runs.ts';
import { kindNamed } from '../../src/cli/queue/open-runs.ts';
import { openAsker, TaskFault } from '../../src/cli/queue/queue-client.ts';
import { addressOf, nameOfQueue } from '../../src/cli/queue/redis.ts';
import { serveQueue, type WorkerOptions } from '../../src/cli/queue/serve-queue.ts';
import { createLog, type Log } from '../../src/cli/terminal.ts';
import { VERSION } from '../../src/version.ts';
import type { Timed } from '../../src/work/pool.ts';
import { listening } from '../support/cache.ts';
import { makeFolder } from '../support/cli.ts';
import { long } from '../support/long.ts';
import { until } from '../support/queue.ts';
import { hasRedis, startRedis, type TestRedis } from '../support/redis.ts';

describe('values on their way', () => {
  test('come as they went: any JSON, keys of every name, -0 and what is not finite', { tags: ['all', 'long'] }, () => {
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.double(),
        fc.constantFrom(-0, Number.POSITIVE_INFINITY, null, true),
        fc.string(),
        fc.array(tie('value')),
        fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('$', 'of', '__proto__', 'toJSON')), tie('value')),
      ),
    })).value;
    fc.assert(
      fc.property(value, (given) => {
        expect(unpacked(packed(given))).toStrictEqual(structuredClone(given));
      }),
      { seed: 5, numRuns: long ? 1700 : 300 },
    );
  });

  test('arrays, sets and maps come with their kinds', { tags: ['all'] }, () => {
    const given = {
      bytes: Uint8Array.of(0, 255).subarray(1),
      words: Uint32Array.of(1, 2 ** 32 - 1),
      doubles: Float64Array.of(-0, Number.NaN, 1e-320).subarray(1),
      set: new Set(['a', -0]),
      map: new Map([['a', new Set([1])]]),
    };
    expect(unpacked(packed({ ...given, buffer: Buffer.from('ab') }))).toStrictEqual({
      ...given,
      bytes: Uint8Array.of(255),
      doubles: Float64Array.of(Number.NaN, 1e-320),
      buffer: Uint8Array.of(97, 98),
    });
  });

  test('what nobody packed is an error', { tags: ['all'] }, () => {
    const bytesOf = (text: string): Uint8Array => deflateRawSync(text);
    for (const text of ['', '{', '{"$":"f64","of":"AAA="}', '{"$":"hasOwn","of":""}', '{"$":1}', '{"$":"set","of":1}'])
      expect(() => unpacked(bytesOf(text)), text).toThrow();
    expect(() => unpacked(Uint8Array.of(1, 2, 3))).toThrow();
  });

  test('a bomb, 2^29 zeros in half a megabyte, is an error', { tags: ['long'] }, () => {
    expect(() => unpacked(deflateRawSync(new Uint8Array(2 ** 29)))).toThrow(/larger than/);
  });
});

describe('answers of others', { tags: ['all'] }, () => {
  const party = { name: 'a', asset: null, sha256: null, pose: new Array(16).fill(0) };
  const box = { low: [0, 0, 0], high: [1, 1, 1] };
  const finding = {
    ...{ type: 'finding', id: 'x', rule: null, class: 'overlap', a: party, b: party, point: [0, 0, 0], box },
    ...{ asked: { clearance: 0, tolerance: 0, touchGap: 0, solid: 'auto' }, tool: 'x' },
    thickness: { lower: 0, upper: Number.POSITIVE_INFINITY },
  };

  test('are held to the shape of findings', async () => {
    const sceneRun = (await kindNamed('scene'))!;
    const given = { findings: [finding], asked: 3 };
    expect(sceneRun.accept(given, [4, 7])).toBe(given);
    expect(() => sceneRun.accept(given, [4, 8])).toThrow('expected the findings of 4 pairs, found those of 3');
    const bad = [{ class: 'fine' }, { point: [0, 0] }, { a: null }, { box: {} }, { thickness: 3 }, { id: 7 }];
    for (const part of bad)
      expect(() => sceneRun.accept({ findings: [{ ...finding, ...part }], asked: 3 }, [4, 7])).toThrow();
    for (const none of [null, 3, {}, { findings: 'x', asked: 3 }])
      expect(() => sceneRun.accept(none, [4, 7])).toThrow();
  });

  test('print no control character, and as many lines as poses', async () => {
    const posesRun = (await kindNamed('poses'))!;
    const block = { kind: 'numbers', name: 'x', hasMore: false, first: 0, numbers: new Float64Array(32) } as const;
    const task = { block, questions: 2, told: null };
    const answers = (output: string, poses: number) => ({
      ...{ output: new TextEncoder().encode(output), poses, tally: { clear: 2, contact: 0, undecided: 0 } },
      ...{ code: 0, fault: null },
    });
    expect(posesRun.accept(answers('clear\nclear\n', 2), task)).toMatchObject({ poses: 2 });
    expect(() => posesRun.accept(answers('clear\n', 2), task)).toThrow('expected 2 lines or more, found 1');
    expect(() => posesRun.accept(answers('\u001b]0;x\u0007\nclear\n', 2), task)).toThrow(/control character/);
    expect(() => posesRun.accept({ ...answers('a\nb\n', 2), code: 7 }, task)).toThrow();
  });

  test('are replies, or nothing', () => {
    for (const value of [null, { id: 7, ms: 1, answer: 2 }, { id: 'x' }, { id: 'x', of: 'you', fault: {} }])
      expect(() => replyOf(packed(value))).toThrow();
    expect(() => replyOf(new Uint8Array(9))).toThrow();
  });
});

describe('tasks that fail', { tags: ['all'] }, () => {
  type Range = [number, number];
  const kind = {
    accept: (given: unknown) => given as number[],
    halve: ([a, b]: Range): [Range, Range] | null => {
      const middle = (a + b) >> 1;
      return b - a < 2
        ? null
        : [
            [a, middle],
            [middle, b],
          ];
    },
    join: (a: number[], b: number[]) => [...a, ...b],
  };
  const log = createLog({ quiet: true });
  const askerOf = (fails: (x: number) => boolean) => {
    const tries = new Map<string, number>();
    const ask = async (task: unknown, count: number) => {
      const [a, b] = task as Range;
      tries.set(`${a} ${b}`, count);
      const all = Array.from({ length: b - a }, (_, i) => a + i);
      if (all.some(fails)) throw new TaskFault('no');
      return { answer: all, ms: 1 };
    };
    return { ask, tries };
  };

  test('are halved until one piece fails; all others are answered, in their order', async () => {
    const { ask, tries } = askerOf((x) => x === 5 || x === 11);
    const run = byHalves(kind, { ask }, ([a]) => [-a], log);
    expect((await run([0, 16])).answer).toEqual([0, 1, 2, 3, 4, -5, 6, 7, 8, 9, 10, -11, 12, 13, 14, 15]);
    expect([tries.get('0 16'), tries.get('0 8'), tries.get('5 6')]).toEqual([3, 1, 3]);
    expect(tries.has('0 1')).toBe(false);
  });

  test('are no accident where they are many', async () => {
    const run = byHalves(
      kind,
      askerOf(() => true),
      ([a]) => [-a],
      log,
    );
    await expect(run([0, 500])).rejects.toThrow('--queue: more than 100 tasks failed: no');
  });
});

test('a block of poses in halves: all of them, once, in their order, under their numbers', { tags: ['all'] }, () => {
  const lines = ['[1]', '', '  ', '[2]\r', '[3]', '', '[4]'];
  const bytes = new TextEncoder().encode(`${lines.join('\n')}\n`);
  const whole = { kind: 'lines', name: 'x', hasMore: false, first: 10, line: 5, bytes } as const;
  const told: string[] = [];
  const cut = (block: Parameters<typeof halveBlock>[0]): void => {
    const halves = halveBlock(block);
    if (halves) for (const half of halves) cut(half);
    else if (block.kind === 'lines') {
      const text = new TextDecoder().decode(block.bytes).trim();
      if (text) told.push(`${text} ${block.first} ${block.line}`);
    }
  };
  cut(whole);
  expect(told).toEqual(['[1] 10 5', '[2] 11 8', '[3] 12 9', '[4] 13 11']);
  const numbers = Float64Array.from({ length: 48 }, (_, i) => i);
  const [first, second] = halveBlock({ kind: 'numbers', name: 'x', hasMore: false, first: 2, numbers })!;
  expect(first).toMatchObject({ first: 2, hasMore: true, numbers: numbers.slice(0, 16) });
  expect(second).toMatchObject({ first: 3, hasMore: false, numbers: numbers.slice(16) });
  expect(halveBlock(first)).toBeNull();
});

describe('the store', { tags: ['all'] }, () => {
  const bytes = new TextEncoder().encode('an asset');

  async function serve(answer: RequestListener): Promise<{ url: string; close(): void }> {
    const server = createServer(answer);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/below/`;
    return { url, close: () => server.close() };
  }

  test('gives what was put there, from a folder and from a server', async () => {
    const folder = openFolder(join(makeFolder(), 'made'));
    const digest = await folder.write(bytes);
    expect(await folder.write(bytes)).toBe(digest);
    expect(Buffer.from((await folder.read(digest))!)).toEqual(Buffer.from(bytes));
    const asked: string[] = [];
    const { url, close } = await serve((request, response) => {
      asked.push(request.url!);
      response.end(bytes);
    });
    expect(await openStore(url).read(digest)).toEqual(Buffer.from(bytes));
    close();
    expect(asked).toEqual([`/below/${digest.slice(0, 2)}/${digest.slice(2)}`]);
  });

  test('takes no name that is no digest', async () => {
    const store = openStore(makeFolder());
    for (const name of ['../../etc/passwd', 'a', `${'a'.repeat(63)}/`, 'A'.repeat(64), `${'a'.repeat(64)}\n`])
      await expect(store.read(name)).rejects.toThrow('expected a digest of 64 hexadecimal digits');
  });

  test('wrong bytes are no answer, and are mended where they are written again', async () => {
    const place = makeFolder();
    const folder = openFolder(place);
    const digest = await folder.write(bytes);
    const path = `${digest.slice(0, 2)}/${digest.slice(2)}`;
    writeFileSync(join(place, path), 'another');
    await expect(folder.read(digest)).rejects.toThrow(`--assets: ${path}: expected bytes of this digest, found those`);
    await folder.write(bytes);
    expect(Buffer.from((await folder.read(digest))!)).toEqual(Buffer.from(bytes));
  });

  test.each([
    ['status 404', (response) => response.writeHead(404).end('no')],
    ['no answer', (response) => response.destroy()],
    ['of this digest', (response) => response.end('something else')],
  ] satisfies [string, (response: Parameters<RequestListener>[1]) => unknown][])(
    'a server: %s',
    async (line, answer) => {
      const { url, close } = await serve((_, response) => void answer(response));
      await expect(openStore(url).read('0'.repeat(64))).rejects.toThrow(line);
      close();
    },
  );
});

test.each([
  ['redis://localhost', 'redis://localhost:6379'],
  ['redis://localhost:7000/', 'redis://localhost:7000'],
  ['rediss://cache.example/3', 'rediss://cache.example:6379/3'],
  ['redis://[::1]:7000/0', 'redis://[::1]:7000'],
])('the address %s', { tags: ['all'] }, (text, name) => {
  expect(nameOfQueue(addressOf(text))).toBe(name);
});

describe.skipIf(!hasRedis)('workers in this process', () => {
  const log = createLog({ quiet: true });
  const twice: Runs['run'] = async (_, task) => ({ answer: 2 * (task as number), ms: 0 });

  /** A Redis, an asker, and workers that end when idle. A test that fails leaves none behind. */
  async function begin(askerLog: Log = log) {
    const redis = await startRedis();
    onTestFinished(redis.close);
    const address = addressOf(redis.url);
    const asker = await openAsker(address, '0'.repeat(64), askerLog);
    // Without jobs, workers end by themselves.
    onTestFinished(() => asker.close());
    const serve = (run: Runs['run'], options: WorkerOptions): Promise<void> =>
      serveQueue(address, { size: 1, run, close: async () => {} }, options, { global: {}, log });
    return { redis, asker, serve };
  }

  /** What comes first: all answers, or the error of a worker that has left them alone. */
  const answersOf = (asked: Promise<Timed<unknown>>[], worker: Promise<void>): Promise<unknown[]> =>
    Promise.race([
      Promise.all(asked).then((all) => all.map(({ answer }) => answer)),
      worker.then(() => Promise.reject(new Error('the worker has left'))),
    ]);

  const waiting = (redis: TestRedis): Promise<number> => redis.client.llen(`gicollide:${VERSION}:wait`);

  test('an idle worker stays while jobs wait for it, however late they reach it', { tags: ['long'] }, async () => {
    const { redis, asker, serve } = await begin();
    const asked = [1, 2, 3].map((x) => asker.ask(x, 1));
    await until(async () => (await waiting(redis)) === 3);
    // Jobs are counted meanwhile, but none is handed out.
    await redis.client.call('CLIENT', 'PAUSE', '2000', 'WRITE');
    expect(await answersOf(asked, serve(twice, { threads: 1, idleMs: 1 }))).toEqual([2, 4, 6]);
  });

  test('an idle worker stays while a job waits for its second try', { tags: ['all'] }, async () => {
    const { redis, asker, serve } = await begin();
    const asked = [asker.ask(4, 3)];
    await until(async () => (await waiting(redis)) === 1);
    let tries = 0;
    const run: Runs['run'] = async (digest, task) => {
      if (++tries === 1) throw new Error('not yet');
      return twice(digest, task);
    };
    expect(await answersOf(asked, serve(run, { threads: 1, idleMs: 1 }))).toEqual([8]);
    expect(tries).toBe(2);
  });

  /** `begin`, and what has the asker look more often than every two seconds. */
  async function beginLooking(log?: Log) {
    const timers = vi.spyOn(globalThis, 'setInterval');
    const begun = await begin(log);
    const look = timers.mock.calls.find(([, ms]) => ms === 2000)![0] as () => void;
    timers.mockRestore();
    const lookUntil = (isSo: () => boolean | Promise<boolean>): Promise<void> =>
      until(() => {
        look();
        return isSo();
      });
    return { ...begun, lookUntil };
  }

  /** What is left in Redis but for BullMQ's own. */
  const leftIn = async (redis: TestRedis): Promise<string[]> =>
    (await redis.keys()).filter((key) => !/:(events|id|marker|meta|stalled-check)$/.test(key));

  test('a job that was put there again, and is answered by whoever had it first, does not stay', {
    tags: ['all'],
  }, async () => {
    const { redis, asker, lookUntil } = await beginLooking();
    const asked = asker.ask(7, 1);
    await until(async () => (await waiting(redis)) === 1);
    await redis.client.flushall();
    await lookUntil(async () => (await waiting(redis)) === 1);
    const [id] = await redis.client.lrange(`gicollide:${VERSION}:wait`, 0, 0);
    const reply = packedReply({ id, ms: 0, answer: 14 });
    await redis.client.rpush(keysOf(id.split('-')[0]).answers, reply);
    expect((await asked).answer).toBe(14);
    await asker.close();
    expect(await leftIn(redis)).toEqual([]);
  });

  test('who asks says so when the last worker has left', { tags: ['all'] }, async () => {
    const { log, lines } = listening();
    const { asker, serve, lookUntil } = await beginLooking(log);
    const run: Runs['run'] = async (digest, task) => {
      await lookUntil(() => asker.workers === 7);
      return twice(digest, task);
    };
    const worker = serve(run, { threads: 7, idleMs: 1 });
    expect((await asker.ask(5, 1)).answer).toBe(10);
    await worker;
    const before = lines.length;
    await lookUntil(() => lines.length > before);
    expect(lines.at(-1)).toMatch(
      /^warn: redis:[^ ]+: no worker of this version is running; start one with gicollide worker$/,
    );
  });

  test('a worker that has left lets signals end the process', { tags: ['all'] }, async () => {
    const { serve } = await begin();
    const listeners = () => process.listenerCount('SIGTERM') + process.listenerCount('SIGINT');
    const before = listeners();
    await serve(twice, { threads: 1, idleMs: 1 });
    expect(listeners()).toBe(before);
  });

  test(`${long ? 6_700 : 500} tiny jobs: every one is answered, once`, { tags: ['all', 'long'] }, async () => {
    const { redis, asker, serve } = await begin();
    const count = long ? 6_700 : 500;
    let next = 0;
    const wrong: number[] = [];
    const askOn = async (): Promise<void> => {
      for (let own = next++; own < count; own = next++)
        if ((await asker.ask(own, 1)).answer !== 2 * own) wrong.push(own);
    };
    const asking = Promise.all(Array.from({ length: 256 }, askOn));
    await until(async () => (await waiting(redis)) > 0);
    const workers = [1, 2].map(() => serve(twice, { threads: 16, idleMs: 1000 }));
    await asking;
    expect(wrong).toEqual([]);
    expect(asker.answered).toBe(count);
    await asker.close();
    await Promise.all(workers);
    expect(await leftIn(redis)).toEqual([]);
  });
});
