/**
 * Files of every kind with anything in them and right digests: whatever the library is asked of them it answers, or refuses in one line. They are
 * met by another process, with little memory: what would hang there, or take it down, is a finding with the mutant's number.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { long } from '../support/long.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Of JavaScript's objects, in MB; and what a mutant may add to the process's peak. */
const HEAP = 600;
const GROWTH = 400;
/** Seconds that one call may take, on the busiest machine: most take less than a millisecond. */
const PATIENCE = 300;

/** What the child says: that it begins with a mutant, with a call, or what came of a mutant. */
interface Line {
  number?: number;
  base?: string;
  call?: string;
  done?: number;
  made: number;
  findings: { call: string; error: string }[];
  grown: number;
}

let folder: string;
let child: string;
let bases: string;

beforeAll(async () => {
  mkdirSync(join(root, 'dist'), { recursive: true });
  // Within the project, so that packages are found from there.
  folder = mkdtempSync(join(root, 'dist/hostile-'));
  child = join(folder, 'child.js');
  bases = join(folder, 'bases');
  await build({
    absWorkingDir: root,
    entryPoints: ['test/hostile/child.ts'],
    outfile: child,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['sharp', 'utif', 'pino', 'cli-progress', 'tinyglobby', 'tinypool', 'piscina'],
    banner: { js: "import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);" },
    logLevel: 'warning',
  });
  const { status, stderr } = spawnSync(process.execPath, [child, 'bases', bases, join(root, 'test/golden')], {
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Has the mutants `from` to `to` asked everything; a line for everything that is wrong, and how many calls were made. */
async function judge(
  command: string,
  seed: number,
  from: number,
  to: number,
): Promise<{ problems: string[]; calls: number }> {
  const problems: string[] = [];
  let calls = 0;
  for (let next = from; next < to; ) {
    let current = '';
    let call = '';
    let errors = '';
    let silence: NodeJS.Timeout | undefined;
    const node = spawn(
      process.execPath,
      [`--max-old-space-size=${HEAP}`, child, command, bases, String(seed), String(next), String(to)],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    node.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-500);
    });
    createInterface({ input: node.stdout }).on('line', (text) => {
      clearTimeout(silence);
      silence = setTimeout(() => node.kill('SIGKILL'), 1000 * PATIENCE);
      const line = JSON.parse(text) as Line;
      if (line.number !== undefined) {
        next = line.number;
        current = `${line.number}, of ${line.base}`;
      }
      if (line.call !== undefined) call = line.call;
      if (line.done === undefined) return;
      next = line.done + 1;
      calls += line.made;
      for (const finding of line.findings) problems.push(`${current}: ${finding.call}: ${finding.error}`);
      if (line.grown > GROWTH) problems.push(`${current}: ${Math.round(line.grown)} MB more`);
    });
    const [code, signal] = await new Promise<[number | null, string | null]>((done) =>
      node.on('close', (...how) => done(how)),
    );
    clearTimeout(silence);
    if (code === 0) break;
    problems.push(`${current}: ${call}: ended by ${signal ?? code}: ${errors}`);
    next++;
  }
  return { problems, calls };
}

test('files that are wrong inside are refused in one line or answered, seed 1', {
  tags: ['all', 'long'],
  timeout: 3_600_000,
}, async () => {
  // In the short run some of every kind, both ones that are refused and ones that answer.
  const ranges = long
    ? [[100, 150]]
    : [
        [28, 29],
        [38, 54],
      ];
  let calls = 0;
  for (const [from, to] of ranges) {
    const judged = await judge('run', 1, from, to);
    expect(judged.problems).toEqual([]);
    calls += judged.calls;
  }
  expect(calls).toBeGreaterThan(500);
});
