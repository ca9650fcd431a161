// A scene by workers on Redis, beside one thread without a queue: one worker process, and two, of
// one thread each. Wall-clock time, and figures that do not depend on other programs: processor
// time of all processes, and the part that the queue adds. A second run of each finds warm workers.
// It needs a redis-server, and says so if there is none.
//
//   npm run bench -- queue
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { seeded } from './inputs.mjs';
import { assetPath, PROGRAM, requireBundle } from './program.mjs';
import { printTable, round, sum } from './race.mjs';
import { startRedis } from './redis-server.mjs';

/** Clock ticks of /proc a second. */
const TICKS = 100;

/** @param {string} folder @param {number} count of objects, many of which overlap */
function writeScene(folder, count) {
  const random = seeded(27);
  const instances = Array.from({ length: count }, (_, i) => ({
    name: `object-${i}`,
    asset: ['bunny', 'blob'][i % 2],
    translate: [0, 1, 2].map(() => (2 * random() - 1) * Math.cbrt(count / 60)),
    rotate: { axis: [0, 0, 1], degrees: 360 * random() },
  }));
  for (const name of ['bunny', 'blob']) writeFileSync(join(folder, `${name}.obj`), readFileSync(assetPath(name)));
  const assets = { bunny: 'bunny.obj', blob: 'blob.obj' };
  writeFileSync(join(folder, 'many.scene.json'), JSON.stringify({ gicollide: 'scene/1', assets, instances }));
}

/** Seconds of the processor that a process has had so far. @param {number} pid */
function processorOf(pid) {
  const [, rest] = /\) (.*)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  const [user, system] = rest.split(' ').slice(11, 13).map(Number);
  return (user + system) / TICKS;
}

/**
 * Runs the scene; what it found, seconds of its narrow phase, and of its processor.
 *
 * @param {string} folder
 * @param {string[]} more
 */
async function runScene(folder, more) {
  const child = spawn(process.execPath, [PROGRAM, 'scene', 'many.scene.json', '--json', ...more], { cwd: folder });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text) => {
    stdout += text;
  });
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  let processor = 0;
  const look = setInterval(() => {
    try {
      processor = processorOf(/** @type {number} */ (child.pid));
    } catch {
      // It has ended.
    }
  }, 50);
  const code = await new Promise((done) => child.on('close', done));
  clearInterval(look);
  if (code !== 1) throw new Error(`scene ${more.join(' ')}: ${stderr}`);
  const lines = stdout.trim().split('\n');
  const { ms, checked } = JSON.parse(/** @type {string} */ (lines.pop()));
  return { findings: lines.join('\n'), pairs: checked, seconds: ms.narrow / 1000, processor };
}

/** @param {string} folder @param {string} url @param {number} count */
async function runWorkers(folder, url, count) {
  const queue = ['--queue', url, '--assets', 'store'];
  const workers = Array.from({ length: count }, () =>
    spawn(process.execPath, [PROGRAM, 'worker', ...queue, '--jobs', '1'], { cwd: folder, stdio: 'ignore' }),
  );
  const spent = () => workers.map(({ pid }) => processorOf(/** @type {number} */ (pid)));
  try {
    const runs = [];
    for (const state of ['cold', 'warm', 'warm again']) {
      const before = spent();
      const run = await runScene(folder, queue);
      const each = spent().map((seconds, i) => seconds - before[i]);
      runs.push({ state, ...run, workers: sum(each), most: Math.max(...each) });
    }
    return runs;
  } finally {
    for (const worker of workers) worker.kill('SIGTERM');
    await Promise.all(workers.map((worker) => new Promise((done) => worker.once('exit', done))));
  }
}

/** @param {import('./race.mjs').Run} run */
export default async function queue({ quick, keep }) {
  const redis = process.platform === 'linux' ? await startRedis() : null;
  if (!redis) {
    console.log('queue: takes Linux and a redis-server (apt-get install redis-server)');
    return;
  }
  if (!quick) requireBundle();
  const folder = mkdtempSync(join(tmpdir(), 'queue-'));
  try {
    writeScene(folder, quick ? 12 : 400);
    const plain = [await runScene(folder, ['--jobs', '1']), await runScene(folder, ['--jobs', '1'])];
    const [one, two] = [await runWorkers(folder, redis.url, 1), await runWorkers(folder, redis.url, 2)];
    for (const { findings } of [...one, ...two])
      if (findings !== plain[0].findings) throw new Error('queue: other findings than without');
    const all = [
      ...plain.map((run, i) => ({
        who: `no queue, one thread, ${['first', 'again'][i]}`,
        ...run,
        workers: 0,
        most: 0,
      })),
      ...one.map((run) => ({ who: `one worker, ${run.state}`, ...run })),
      ...two.map((run) => ({ who: `two workers, ${run.state}`, ...run })),
    ];
    const rows = Object.fromEntries(
      all.map(({ who, seconds, processor, workers, most }) => [
        who,
        { pairs: round(seconds, 2), asker: round(processor, 2), workers: round(workers, 2), busiest: round(most, 2) },
      ]),
    );
    console.log(`${plain[0].pairs} pairs; ${availableParallelism()} processors, load ${round(loadavg()[0])}; seconds`);
    printTable('wall clock of pairs; processor', rows);
    const [lone, pair] = [one, two].map((runs) => runs.slice(1));
    const least = (/** @type {number[]} */ values) => Math.min(...values);
    const wall = least(lone.map(({ seconds }) => seconds)) / least(pair.map(({ seconds }) => seconds));
    // As it would be, were there a processor for each of them.
    const busiest = least(lone.map(({ most }) => most)) / least(pair.map(({ most }) => most));
    const own = least(plain.map(({ processor }) => processor));
    const overhead = least(lone.map(({ processor, workers }) => processor + workers)) / own - 1;
    console.log(
      `two workers against one: ${round(wall, 2)} x by the wall clock, ${round(busiest, 2)} x by the busiest worker; ` +
        `one worker and who asks against no queue: ${round(100 * overhead)} % more processor time`,
    );
    keep({ pairs: plain[0].pairs, processors: availableParallelism(), rows, wall, busiest, overhead });
  } finally {
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
