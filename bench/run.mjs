// npm run bench [-- task ...] [--quick] [--record]: the tasks by name, all without one; `papers`
// are those of the papers' experiments. Says which failed, and then ends with exit code 1.
//
// Several tasks run in a process each: none meets code that another one has made slower to call, or
// memory that another one left full, and the next one runs whatever becomes of it.
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

const { values, positionals } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    'no-native': { type: 'boolean' },
    sets: { type: 'string' },
    only: { type: 'string' },
    size: { type: 'string', multiple: true },
    sizes: { type: 'string' },
    images: { type: 'string' },
  },
  allowPositionals: true,
});
const { quick, record, ...options } = values;
const unknown = positionals.find((name) => ![...TASKS, 'papers', 'page'].includes(name));
if (unknown) {
  throw new Error(`${unknown}: the tasks are ${TASKS.join(', ')}; papers are the papers'; page writes the pages`);
}
if (quick && record) throw new Error('--quick figures say nothing: they are not recorded');

const named = positionals.flatMap((name) => (name === 'papers' ? PAPER_TASKS : [name]));
if (named.length === 1) await runOne(named[0]);
else runAll(named.length > 0 ? named : TASKS);

/** @param {string} name */
async function runOne(name) {
  if (name === 'page') return (await import('./page.mjs')).writePages();
  if (record) requireBuilt();
  const { appendRow, commitOf } = await import('./rows.mjs');
  const commit = commitOf(); // before the task: a long one may outlive a checkout
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
