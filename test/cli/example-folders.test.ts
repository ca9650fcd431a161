/**
 * A copy each of examples/game, robot and building: their READMEs tell what happens, and their CI
 * files are green, then red for the change. `npm ci` is npm's, and the program is the one that it
 * links.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { makeExamples } from '../../scripts/make-examples.mjs';
import { runAlone } from '../support/cli.ts';
import { copyOfExample, installExample, type Step, stepsOf, withoutTimes } from '../support/example-folder.ts';
import { some } from '../support/long.ts';

const examples = fileURLToPath(new URL('../../examples', import.meta.url));
const NAMES = readdirSync(examples).filter((name) => existsSync(join(examples, name, 'gicollide.json')));
const stepsIn = (name: string): Step[] => stepsOf(readFileSync(join(examples, name, 'README.md'), 'utf8'));

function edit(cwd: string, { file, from, to }: Step & { kind: 'edit' }): void {
  const text = readFileSync(join(cwd, file), 'utf8');
  expect(text.split(from).length, `${file} has once: ${from}`).toBe(2);
  writeFileSync(join(cwd, file), text.replace(from, to));
}

/** Runs a program of the example's own, with a cache of its own. */
const runIn = (cwd: string, program: string, words: string[], env: Record<string, string> = {}) =>
  runAlone(words, { cwd, program, env: { ...env, GICOLLIDE_CACHE_DIR: join(cwd, '..', 'cache') } });

interface WorkflowStep {
  uses?: string;
  run?: string;
  with?: { path?: string };
}

function workflowOf(name: string): WorkflowStep[] {
  const file = join(examples, name, '.github/workflows/collisions.yml');
  const { jobs } = parse(readFileSync(file, 'utf8'));
  return jobs.collisions.steps;
}

/** Runs the commands of gicollide in a CI file; the exit code of the last. */
async function runCommands(cwd: string, program: string, steps: readonly WorkflowStep[]): Promise<number | null> {
  let last: number | null = null;
  for (const { run = '' } of steps) {
    const words = run.trim().replaceAll('"$GITHUB_STEP_SUMMARY"', 'summary.md').split(/\s+/);
    if (words.splice(0, 3).join(' ') !== 'npx --no-install gicollide') continue;
    const { code, stderr } = await runIn(cwd, program, words, { CI: 'true' });
    expect(stderr).toBe('');
    last = code;
  }
  return last;
}

test('there are three', { tags: ['all'] }, () => expect(NAMES).toEqual(['building', 'game', 'robot']));

test.each(Object.entries(makeExamples()))(
  '%s is what scripts/make-examples.mjs makes, to the byte',
  { tags: ['all'] },
  (file, made) => {
    expect(readFileSync(join(examples, file)).equals(Buffer.from(made))).toBe(true);
  },
);

test.each(some(1, NAMES.toReversed()))(
  '%s: the README says what its commands print',
  { tags: ['all', 'long'] },
  async (name) => {
    const cwd = copyOfExample(name);
    const steps = stepsIn(name);
    expect(steps.map(({ kind }) => kind)).toEqual(['install', 'run', 'run', 'edit', 'run']);
    let program = '';
    for (const step of steps) {
      if (step.kind === 'install') program = installExample(cwd);
      if (step.kind === 'edit') edit(cwd, step);
      if (step.kind !== 'run') continue;
      const { code, stdout, stderr } = await runIn(cwd, program, step.words);
      expect(withoutTimes(stdout + stderr)).toBe(withoutTimes(step.printed));
      expect(code, step.words.join(' ')).toBe(step.code);
    }
  },
);

test.each(some(1, NAMES.toReversed()))(
  '%s: its CI file is green, and red for the change; it uploads what was written',
  { tags: ['all', 'long'] },
  async (name) => {
    const cwd = copyOfExample(name);
    const steps = workflowOf(name);
    expect(steps.flatMap(({ run }) => run ?? [])[0]).toBe('npm ci');
    const program = installExample(cwd);
    expect(await runCommands(cwd, program, steps)).toBe(0);
    const uploaded = steps.flatMap(({ with: inputs }) => inputs?.path?.trim().split(/\s+/) ?? []);
    expect(uploaded.length).toBeGreaterThan(0);
    for (const path of uploaded) expect(existsSync(join(cwd, path)), path).toBe(true);
    for (const step of stepsIn(name)) if (step.kind === 'edit') edit(cwd, step);
    expect(await runCommands(cwd, program, steps)).toBe(1);
  },
);

test.each(NAMES)('%s: its baseline is what --update-baseline keeps', { tags: ['all'] }, async (name) => {
  const cwd = copyOfExample(name);
  const program = join(cwd, '../../bin/gicollide.js');
  const baseline = join(cwd, 'gicollide-baseline.json');
  const before = readFileSync(baseline, 'utf8');
  if (name === 'game') await runIn(cwd, program, ['build']);
  expect((await runIn(cwd, program, ['scene', '--update-baseline'])).code).toBe(0);
  expect(readFileSync(baseline, 'utf8')).toBe(before);
});

test.each(NAMES)('%s: the table of its README has each of its files; they are small', { tags: ['all'] }, (name) => {
  const folder = copyOfExample(name);
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const names = readdirSync(folder).filter((file) => file !== 'README.md');
  expect(names.filter((file) => !readme.includes(`\`${file}`))).toEqual([]);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  const sizes = files.filter((file) => file.isFile()).map((file) => statSync(join(file.parentPath, file.name)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(50_000);
});
