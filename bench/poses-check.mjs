// A million poses of one pair: how many a second `checker.contact` answers in one thread, `checkPoses` and the command line with --jobs 1, 2 and
// all processors, which reads and writes a line each; and how much memory the command line takes at most. Poses are seeded, half of them
// far, half near contact: those of nearContactPoses, shifted by up to a tenth of the way.
//
//   npm run bench -- poses [--record]
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, checkPoses, prepare, readObj, write } from 'gicollide';
import { direction, keep, nearContactPoses, seeded } from './race.mjs';

const COUNT = 1e6;
const ALL = availableParallelism();
const load = (name) => readObj(readFileSync(new URL(`../assets/${name}.obj`, import.meta.url)));
const [bunny, blob] = [load('bunny'), load('blob')];

/** Sixteen numbers each. */
function manyPoses(a, b) {
  const near = nearContactPoses(a, b, 500, 1996);
  const random = seeded(2024);
  const poses = new Float64Array(16 * COUNT);
  for (let i = 0; i < COUNT; i++) {
    const pose = near[i % near.length];
    const along = direction(random);
    const way = i % 2 === 0 ? 0.1 * random() : 1 + random();
    poses.set(pose, 16 * i);
    for (let k = 0; k < 3; k++) poses[16 * i + 4 * k + 3] += way * along[k];
  }
  return poses;
}

/** Lines of text, a million of them 230 MB, written by parts. */
function writeLines(path, poses) {
  const file = openSync(path, 'w');
  for (let at = 0; at < poses.length; ) {
    let text = '';
    for (let i = 0; i < 1000 && at < poses.length; i++, at += 16) text += `[${poses.subarray(at, at + 16).join()}]\n`;
    writeSync(file, text);
  }
  closeSync(file);
}

const program = fileURLToPath(new URL('../bin/gicollide.js', import.meta.url));

/** Seconds of a run, with its output in a file, and its memory at most as it says itself. */
function run(folder, args) {
  const preload = 'process.on("exit", () => process.stderr.write("rss " + process.resourceUsage().maxRSS))';
  const node = ['--import', `data:text/javascript,${encodeURIComponent(preload)}`];
  const output = openSync(join(folder, 'answers.ndjson'), 'w');
  const start = performance.now();
  const child = spawn(process.execPath, [...node, program, ...args], {
    cwd: folder,
    stdio: ['ignore', output, 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  return new Promise((done, failed) => {
    child.on('close', (code) => {
      closeSync(output);
      const rss = [...stderr.matchAll(/rss (\d+)/g)].map(([, kilobytes]) => Number(kilobytes));
      if (code > 1 || rss.length === 0) failed(new Error(`${args.join(' ')}: ${stderr}`));
      else done({ seconds: (performance.now() - start) / 1000, megabytes: Math.round(Math.max(...rss) / 1024) });
    });
  });
}

const perSecond = (seconds) => Number((COUNT / seconds).toPrecision(3));

async function timed(work) {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

console.log(`\npair: bunny x blob; ${cpus()[0].model}, ${ALL} processors, load ${loadavg()[0].toFixed(1)}`);
const folder = mkdtempSync(join(tmpdir(), 'gicollide-'));
const row = { poses: COUNT, processors: ALL, formats: {} };
try {
  for (const [name, options] of [
    ['OBB, 64 bytes a node', { format: 'obb', nodeBytes: 64 }],
    ['OBB, 40 bytes a node', { format: 'obb' }],
    ['k-DOP', { format: 'kdop' }],
  ]) {
    const [a, b] = [bunny, blob].map((mesh) => build(mesh, options));
    const poses = manyPoses(a, b);
    const checker = prepare(a, b);
    const pose = new Float64Array(16);
    let contacts = 0;
    const ask = (count) => {
      for (let i = 0; i < count; i++) {
        pose.set(poses.subarray(16 * i, 16 * i + 16));
        if (checker.contact(pose)) contacts++;
      }
    };
    ask(20_000);
    contacts = 0;
    const rates = { 'checker.contact, one thread': perSecond(await timed(() => ask(COUNT))) };
    let verdicts;
    for (const jobs of new Set([1, 2, ALL])) {
      rates[`checkPoses, ${jobs} threads`] = perSecond(
        await timed(async () => {
          verdicts = await checkPoses(a, b, poses, { jobs });
        }),
      );
    }
    if (verdicts.reduce((sum, verdict) => sum + verdict, 0) !== contacts) throw new Error('two numbers of contacts');
    const files = [`a.${options.format}`, `b.${options.format}`];
    writeFileSync(join(folder, files[0]), await write(a));
    writeFileSync(join(folder, files[1]), await write(b));
    writeLines(join(folder, 'poses.txt'), poses);
    writeFileSync(join(folder, 'poses.f64'), poses);
    const memory = {};
    for (const [file, jobs] of [
      ...[...new Set([1, 2, ALL])].map((count) => ['poses.txt', count]),
      ['poses.f64', ALL],
    ]) {
      const { seconds, megabytes } = await run(folder, [
        ...['check', ...files, '--json', '--poses', file, '--jobs', String(jobs)],
      ]);
      rates[`check --poses ${file} --jobs ${jobs}`] = perSecond(seconds);
      memory[`${file}, ${jobs}`] = megabytes;
    }
    const sizes = ['poses.txt', 'poses.f64', 'answers.ndjson'].map((file) => {
      return `${file} ${Math.round(statSync(join(folder, file)).size / 1e6)} MB`;
    });
    console.log(`\n${name}: ${COUNT} poses, ${contacts} in contact; ${sizes.join(', ')}`);
    for (const [what, rate] of Object.entries(rates))
      console.log(`  ${what.padEnd(38)}${String(rate).padStart(10)} poses/s`);
    for (const [what, megabytes] of Object.entries(memory)) {
      console.log(`  memory at most, ${what.padEnd(22)}${String(megabytes).padStart(10)} MB`);
    }
    row.formats[name] = { contacts, rates, memory };
  }
  keep('poses-check', row);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
