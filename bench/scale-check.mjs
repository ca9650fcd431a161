// A million assets and a billion pairs, simulated (scale-simulation.mjs): the time by the number of
// workers, and the busiest part. The cost of a job for Redis and for the client is measured here
// with empty jobs of the real queue, and so is the client's cost of an object.
//
//   npm run bench -- scale
import { build, createScene, translation } from 'gicollide';
import { openAsker } from '#src/cli/queue/queue-client';
import { addressOf, connect } from '#src/cli/queue/redis';
import { serveQueue } from '#src/cli/queue/serve-queue';
import { createLog } from '#src/cli/terminal';
import { sample, seeded } from './inputs.mjs';
import { collectGarbage, printTable, round } from './race.mjs';
import { startRedis } from './redis-server.mjs';
import { simulate } from './scale-simulation.mjs';

/** Number of all queries. */
const PAIRS = 1e9;
const OBJECTS = 1e6;
/** Seconds that a job takes, as src/cli/queue cuts them. */
const JOB = 0.5;
/** Jobs that are out for a thread (src/work/schedule.ts). */
const AHEAD = 3;
/** Locks of 15 s are renewed every half of that. */
const RENEW = 7.5;
/** Microseconds of a pair: small elements of a building; bodies with classes. */
const PAIR = { elements: 60e-6, bodies: 2e-3 };
/** A network of 10 Gbit/s; 100 kB an object, built for 20 us: of all objects in so many runs. */
const NETWORK = 1.25e9;
const OBJECT_BYTES = 1e5;
const OBJECT_OPEN = 20e-6;
const RUNS = [10, 100];
/** Threads of a machine. */
const THREADS = 16;
/** A pre-emptible machine: one end in a day; noticed after 15 to 20 s; another one after a minute. */
const DEATHS = { every: 86_400, noticed: 17.5, restart: 60 };

/**
 * Seconds of processor that an empty job costs Redis, and that it costs both ends together.
 *
 * @param {number} count
 */
async function costOfJobs(count) {
  const server = await startRedis();
  if (!server) return null;
  const address = addressOf(server.url);
  const global = { quiet: true };
  const session = { global, log: createLog(global) };
  const runs = { size: 1, run: async () => ({ answer: null, ms: 0 }), close: async () => {} };
  const serving = serveQueue(address, runs, { threads: 4, idleMs: 2000 }, session);
  const asker = await openAsker(address, '0'.repeat(64), session.log);
  const redis = await connect(address);
  /** @returns {Promise<number>} */
  const spent = async () => {
    const text = await redis.info('cpu');
    return ['used_cpu_sys', 'used_cpu_user'].reduce(
      (all, key) => all + Number(new RegExp(`${key}:([\\d.]+)`).exec(text)?.[1]),
      0,
    );
  };
  /** @param {number} jobs */
  const run = async (jobs) => {
    for (let first = 0; first < jobs; first += 12)
      await Promise.all(
        Array.from({ length: Math.min(12, jobs - first) }, (_, i) => asker.ask([first + i, first + i + 1], 1)),
      );
  };
  try {
    await run(Math.ceil(count / 4)); // functions are compiled
    const [before, own] = [await spent(), process.cpuUsage()];
    await run(count);
    const { user, system } = process.cpuUsage(own);
    return { redis: ((await spent()) - before) / count, ends: (user + system) / 1e6 / count };
  } finally {
    await asker.close();
    await serving;
    redis.disconnect();
    await server.stop();
  }
}

/**
 * Seconds of processor and bytes that an object costs who asks: its name, its pose, its boxes, and
 * the pairs whose boxes meet, about three an object.
 *
 * @param {number} count
 */
async function costOfObjects(count) {
  const asset = build(sample('box'), { format: 'obb' });
  const random = seeded(27);
  const edge = 1.1 * Math.cbrt(count);
  const objects = Array.from({ length: count }, (_, i) => {
    const [x, y, z] = [random(), random(), random()].map((part) => edge * part);
    return { name: `object-${i}`, asset, pose: translation(x, y, z) };
  });
  collectGarbage();
  const [memory, start] = [process.memoryUsage(), process.cpuUsage()];
  const scene = createScene(objects);
  let pairs = 0;
  const { summary } = await scene.findings({ budget: 0, onFinding: () => void pairs++ });
  const { user, system } = process.cpuUsage(start);
  collectGarbage();
  const now = process.memoryUsage();
  const bytes = now.heapUsed + now.arrayBuffers - memory.heapUsed - memory.arrayBuffers;
  return {
    seconds: (user + system) / 1e6 / count,
    bytes: Math.max(0, bytes) / count,
    near: (summary.pairs - summary.apart) / count,
  };
}

/**
 * One run of so many like it.
 *
 * @param {{ workers: number, work: number, runs: number, cost: { redis: number, ends: number } }} of
 */
function simulated({ workers, work, runs, cost }) {
  const random = seeded(2025);
  const jobs = Math.ceil(work / runs / JOB);
  // A job of half a second by its prediction takes from a quarter of that to four times as long.
  const times = Float64Array.from({ length: jobs }, () => 2 ** (4 * random() - 2));
  const mean = times.reduce((sum, time) => sum + time, 0) / jobs;
  const objects = OBJECTS / runs;
  return simulate({
    jobs,
    seconds: (job) => (times[job] * JOB) / mean,
    workers,
    threads: THREADS,
    window: AHEAD * workers,
    coordinator: { send: cost.ends / 4, take: cost.ends / 4 },
    redis: { operation: cost.redis / 3, add: 1, take: 1, end: 1, renewEvery: RENEW },
    store: { bytesPerSecond: NETWORK, runBytes: objects * OBJECT_BYTES, open: objects * OBJECT_OPEN },
    deaths: DEATHS,
    random,
  });
}

/** @param {import('./race.mjs').Run} run */
export default async function scale({ quick, keep }) {
  const cost = await costOfJobs(quick ? 50 : 5000);
  if (!cost) {
    console.log('scale: takes a redis-server, to measure what a job costs');
    return;
  }
  const object = await costOfObjects(quick ? 200 : 20_000);
  console.log(
    `an empty job: ${round(1e6 * cost.redis)} us of Redis, ${round(1e6 * cost.ends)} us of both ends; ` +
      `an object: ${round(1e6 * object.seconds)} us and ${round(object.bytes)} bytes of who asks, with ${round(object.near)} pairs near`,
  );
  /** @type {Record<string, Record<string, number>>} */
  const rows = {};
  const pairs = quick ? PAIRS / 1e5 : PAIRS;
  for (const [kind, seconds] of Object.entries(PAIR))
    for (const runs of RUNS)
      for (const workers of quick ? [16, 64] : [16, 64, 256, 1024, 4096]) {
        const work = pairs * seconds;
        const told = simulated({ workers, work, runs, cost });
        // The runs follow one another.
        rows[`${kind}, ${runs} runs, ${workers} threads`] = {
          'core hours': round(work / 3600),
          hours: round((runs * told.seconds) / 3600, 2),
          'times as fast': round(told.work / told.seconds),
          'of Redis': round(told.busy.redis, 3),
          'of who asks': round(told.busy.coordinator, 3),
          'of the store': round(told.busy.store, 3),
          'of workers': round(told.busy.workers, 3),
          again: told.repeated,
        };
      }
  printTable(`${pairs} pairs, simulated; parts of the time that each is busy`, rows);
  keep({ pairs, objects: OBJECTS, job: JOB, cost, object, rows });
}
