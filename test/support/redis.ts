/**
 * A Redis for tests: Debian's redis-server, on loopback and a free port, with a folder of its own.
 * Without it, tests that need one are skipped, and the reason is printed.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import { makeFolder } from './cli.ts';

/** True if there is one. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis) console.log('tests of the queue are skipped: no redis-server; apt-get install redis-server brings it');

export interface TestRedis {
  url: string;
  /** A private one for a test. */
  client: Redis;
  /** All names of keys, sorted. */
  keys(): Promise<string[]>;
  /** Ends it as a machine ends that loses its power, or saves first. */
  kill(): Promise<void>;
  /** Starts it again, at its port. */
  start(): Promise<void>;
  close(): Promise<void>;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}

/** @param options of redis-server: `['--appendonly', 'yes']` */
export async function startRedis(options: readonly string[] = [], password?: string): Promise<TestRedis> {
  const port = await freePort();
  const folder = makeFolder();
  let server: ChildProcess | undefined;
  const client = new Redis({
    port,
    host: '127.0.0.1',
    lazyConnect: true,
    maxRetriesPerRequest: null,
    ...(password !== undefined && { password }),
  });
  client.on('error', () => {});
  const start = async (): Promise<void> => {
    const place = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
    server = spawn(
      'redis-server',
      [...place, ...options, ...(password === undefined ? [] : ['--requirepass', password])],
      { stdio: 'ignore' },
    );
    if (client.status === 'wait') await client.connect().catch(() => {});
    // Another process may have taken the port meanwhile: an error then, and no endless wait.
    const exit = once(server, 'exit').then(() => Promise.reject(new Error(`redis-server has ended at port ${port}`)));
    await Promise.race([client.ping(), exit]);
  };
  const kill = async (): Promise<void> => {
    const ended = new Promise((done) => server?.once('exit', done));
    server?.kill('SIGKILL');
    await ended;
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    client,
    keys: async () => (await client.keys('*')).sort(),
    kill,
    start,
    async close() {
      client.disconnect();
      await kill();
    },
  };
}
