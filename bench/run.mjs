// npm run bench -- [task ...]: runs benchmarks. `npm run bench -- --help` lists tasks and options.
//
// Several tasks run in a process each, so that none slows down the next one by its memory or by the
// optimizer, and a failure doesn't end the run.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { staleBuild } from '../scripts/sources-digest.mjs';
import { PAPER_TASKS } from './papers/index.mjs';

const TASKS = [
  ...[
    'gi',
    'source',
    'layout',
    'structure',
    'kdop',
    'obb',
    'mixed',
    'distance',
    'solid',
    'queries',
    'motion',
    'cubes',
    'gpu',
    'frep',
  ],
  ...[
    'speed',
    'budget',
    'build',
    'refit',
    'deform',
    'start-up',
    'tiles',
    'poses',
    'scene',
    'robot',
    'lint',
    'readers',
    'view',
    'three',
    'queue',
    'scale',
    'watch',
  ],
  ...PAPER_TASKS.filter((task) => task.startsWith('papers/')),
];

const USAGE = `Usage: npm run bench -- [task ...] [options]

Without a task, all tasks run, each in a process of its own. That takes most of an hour.

Tasks:
  ${TASKS.filter((task) => !task.includes('/'))
    .join(' ')
    .replaceAll(/(.{1,90})(?: |$)/g, '$1\n  ')
    .trim()}
  papers, papers/NAME   the papers' experiments, all or one
  page                  write docs/speed.md, docs/experiments.md and README's figures from the rows

Options:
  --quick               tiny inputs, to see whether all tasks run
  --record              append the row to bench/results.jsonl
  --no-native           without FCL in C++
  --only <text>         speed, distance, motion, solid: only pairs whose name contains the text
  --sets <folder>       speed, distance, gi: your own meshes and poses
  --sizes <list>        tiles, papers/terrain: samples a side, such as 513,1025
  --size <n>            layout: one more size; repeatable
  --images <folder>     tiles: the folder of the images
  --help                this text

  $ npm run bench -- speed --only=bunny

bench/README.md describes what each task measures.`;

/** @param {string} message @returns {never} */
function refuse(message) {
  console.error(`error: ${message}`);
  process.exit(2);
}

function parsed() {
  try {
    return parseArgs({ options: OPTIONS, allowPositionals: true });
  } catch (error) {
    return refuse(/** @type {Error} */ (error).message);
  }
}

const OPTIONS = /** @type {const} */ ({
  help: { type: 'boolean', short: 'h' },
  quick: { type: 'boolean', default: false },
  record: { type: 'boolean', default: false },
  'no-native': { type: 'boolean' },
  sets: { type: 'string' },
  only: { type: 'string' },
  size: { type: 'string', multiple: true },
  sizes: { type: 'string' },
  images: { type: 'string' },
});

const { values, positionals } = parsed();
const { help, quick, record, ...options } = values;
if (help) {
  console.log(USAGE);
  process.exit();
}
const unknown = positionals.find((name) => ![...TASKS, 'papers', 'page'].includes(name));
if (unknown) {
  refuse(`unknown task ${unknown}: expected papers, page, ${TASKS.join(', ')}`);
}
if (quick && record) refuse('--quick and --record: figures of a quick run are not recorded');

const named = positionals.flatMap((name) => (name === 'papers' ? PAPER_TASKS : [name]));
if (named.length === 1) await runOne(named[0]);
else runAll(named.length > 0 ? named : TASKS);

/** @param {string} name */
async function runOne(name) {
  if (name === 'page') return (await import('./page.mjs')).writePages();
  if (record) requireBuilt();
  const { appendRow, commitOf } = await import('./rows.mjs');
  const commit = commitOf(); // before the task: another commit may be checked out during a long one
  /** @type {{ default: (run: import('./race.mjs').Run) => unknown }} */
  const task = await import(`./${name}-check.mjs`);
  await task.default({ quick, options, keep: (row) => record && appendRow(name, commit, row) });
}

/** Throws if dist/ is older than its sources: a row would name a commit that was not measured. */
function requireBuilt() {
  const stale = staleBuild(fileURLToPath(new URL('..', import.meta.url)));
  if (stale) throw new Error(stale);
}

/** @param {string[]} names */
function runAll(names) {
  const flags = process.argv.slice(2).filter((arg) => !positionals.includes(arg));
  const failed = names.filter((name) => {
    console.log(`\n=== ${name}`);
    const start = performance.now();
    const args = [fileURLToPath(import.meta.url), name, ...flags];
    const { status, signal, error } = spawnSync(process.execPath, args, { stdio: 'inherit' });
    console.log(`=== ${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
    if (status !== 0) console.log(`=== ${name} failed: ${error?.message ?? signal ?? `exit code ${status}`}`);
    return status !== 0;
  });
  if (failed.length === 0) return;
  console.log(`\nfailed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
