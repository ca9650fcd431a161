/**
 * examples/game, robot and building, each copied to a folder of its own, as a reader does: what their
 * READMEs say is what happens, and their CI files are green, then red for the change.
 */
// @module-tag all
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { makeExamples } from '../../scripts/make-examples.mjs';
import { makeFolder, runAlone } from '../support/cli.ts';
import { type Step, stepsOf, withoutTimes } from '../support/example-folder.ts';

const examples = fileURLToPath(new URL('../../examples', import.meta.url));
const NAMES = readdirSync(examples).filter((name) => existsSync(join(examples, name, 'gicollide.json')));
const stepsIn = (name: string): Step[] => stepsOf(readFileSync(join(examples, name, 'README.md'), 'utf8'));

/** A copy of an example, in a folder where nothing else is. */
function copyOf(name: string): string {
  const cwd = join(makeFolder(), name);
  cpSync(join(examples, name), cwd, { recursive: true, filter: (path) => basename(path) !== 'out' });
  return cwd;
}

function edit(cwd: string, { file, from, to }: Step & { kind: 'edit' }): void {
  const text = readFileSync(join(cwd, file), 'utf8');
  expect(text.split(from).length, `${file} has once: ${from}`).toBe(2);
  writeFileSync(join(cwd, file), text.replace(from, to));
}

/** The program in a process of its own, with a cache that nobody else has. */
const runIn = (cwd: string, words: string[], env: Record<string, string> = {}) =>
  runAlone(words, { cwd, env: { ...env, GICOLLIDE_CACHE_DIR: join(cwd, '..', 'cache') } });

interface WorkflowStep {
  uses?: string;
  run?: string;
  with?: { path?: string };
}

/** The steps of an example's CI file that npm's and GitHub's own precede. */
function workflowOf(name: string): WorkflowStep[] {
  const file = join(examples, name, '.github/workflows/collisions.yml');
  const { jobs } = parse(readFileSync(file, 'utf8'));
  return jobs.collisions.steps;
}

/** Runs what the CI file runs of gicollide; the exit code of the last. */
async function runWorkflow(cwd: string, steps: readonly WorkflowStep[]): Promise<number | null> {
  let last: number | null = null;
  for (const { run = '' } of steps) {
    if (!run.startsWith('gicollide ')) continue;
    const words = run.trim().replaceAll('"$GITHUB_STEP_SUMMARY"', 'summary.md').split(/\s+/).slice(1);
    const { code, stderr } = await runIn(cwd, words, { CI: 'true' });
    expect(stderr).toBe('');
    last = code;
  }
  return last;
}

test('there are three', () => expect(NAMES).toEqual(['building', 'game', 'robot']));

test.each(Object.entries(makeExamples()))('%s is what scripts/make-examples.mjs makes, to the byte', (file, made) => {
  expect(readFileSync(join(examples, file)).equals(Buffer.from(made))).toBe(true);
});

test.each(NAMES)('%s: the README says what its commands print', async (name) => {
  const cwd = copyOf(name);
  const steps = stepsIn(name);
  expect(steps.filter(({ kind }) => kind === 'run').length).toBe(3);
  expect(steps.filter(({ kind }) => kind === 'edit').length).toBe(1);
  for (const step of steps) {
    if (step.kind === 'edit') {
      edit(cwd, step);
      continue;
    }
    const { code, stdout, stderr } = await runIn(cwd, step.words);
    expect(withoutTimes(stdout + stderr)).toBe(withoutTimes(step.printed));
    expect(code, step.words.join(' ')).toBe(step.code);
  }
});

test.each(NAMES)('%s: its CI file is green, and red for the change; it uploads what was written', async (name) => {
  const cwd = copyOf(name);
  const steps = workflowOf(name);
  expect(await runWorkflow(cwd, steps)).toBe(0);
  const uploaded = steps.flatMap(({ with: inputs }) => inputs?.path?.trim().split(/\s+/) ?? []);
  expect(uploaded.length).toBeGreaterThan(0);
  for (const path of uploaded) expect(existsSync(join(cwd, path)), path).toBe(true);
  for (const step of stepsIn(name)) if (step.kind === 'edit') edit(cwd, step);
  expect(await runWorkflow(cwd, steps)).toBe(1);
});

test.each(NAMES)('%s: its baseline is what --update-baseline keeps', async (name) => {
  const cwd = copyOf(name);
  const baseline = join(cwd, 'gicollide-baseline.json');
  const before = readFileSync(baseline, 'utf8');
  if (name === 'game') await runIn(cwd, ['build']);
  expect((await runIn(cwd, ['scene', '--update-baseline'])).code).toBe(0);
  expect(readFileSync(baseline, 'utf8')).toBe(before);
});

test.each(NAMES)('%s: what stands in it is in the table of its README, and small', (name) => {
  const readme = readFileSync(join(examples, name, 'README.md'), 'utf8');
  const names = readdirSync(join(examples, name)).filter((file) => file !== 'README.md' && file !== 'out');
  expect(names.filter((file) => !readme.includes(`\`${file}`))).toEqual([]);
  const files = readdirSync(join(examples, name), { recursive: true, withFileTypes: true });
  const sizes = files.filter((file) => file.isFile()).map((file) => statSync(join(file.parentPath, file.name)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(50_000);
});
