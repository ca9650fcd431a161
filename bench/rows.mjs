// bench/results.jsonl: a row for each recorded run of a task, the newest last. Rows are only
// appended.
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = new URL('results.jsonl', import.meta.url);

/**
 * What every row begins with; what follows is the task's.
 *
 * @typedef {object} RowHead
 * @property {string} task as `npm run bench` knows it
 * @property {string} date of the day, as in 2026-11-22
 * @property {string} version of the package
 * @property {string | null} [commit] short, with a "+" where tracked files had been changed; null
 *   without git; rows before 2026-11-22 have none
 * @property {string} node its version
 * @property {string} cpu
 * @property {number} [load] of the machine, the mean of the last minute when the row was written
 */

/**
 * The commit that is checked out, short, with a "+" where a tracked file differs; null outside of
 * this project's own repository. Rows and what is made of rows do not count: recording two tasks
 * would make the second one's tree look changed.
 *
 * @returns {string | null}
 */
export function commitOf(folder = root) {
  /** @param {string[]} args */
  const git = (...args) => {
    const { status, stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
    return status === 0 ? stdout.trim() : null;
  };
  // An installed package may be inside of another repository.
  if (git('rev-parse', '--show-prefix') !== '') return null;
  const commit = git('rev-parse', '--short', 'HEAD');
  const made = [':!bench/results.jsonl', ':!docs/speed.md', ':!docs/experiments*', ':!docs/*.svg', ':!README.md'];
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', '.', ...made);
  return commit && `${commit}${changed ? '+' : ''}`;
}

/**
 * Appends a row.
 *
 * @param {string} task
 * @param {string | null} commit that was measured
 * @param {object} row
 */
export function appendRow(task, commit, row) {
  /** @type {RowHead} */
  const head = {
    task,
    date: new Date().toISOString().slice(0, 10),
    version: JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version,
    commit,
    node: process.version,
    cpu: cpus()[0].model,
    load: Number(loadavg()[0].toFixed(1)),
  };
  appendFileSync(file, `${JSON.stringify({ ...head, ...row })}\n`);
}

/**
 * Every row, the oldest first. Their shapes are their tasks', and change with them.
 *
 * @returns {(RowHead & Record<string, any>)[]}
 */
export const readRows = () =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
