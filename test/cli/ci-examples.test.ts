/**
 * The command lines of examples/ci and the script of action.yml, run as they stand: green for what is
 * known, red for what is new.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { listFiles, makeFolder, run } from '../support/cli.ts';
import { copyOfExample, installExample } from '../support/example-folder.ts';
import { some } from '../support/long.ts';

const folder = new URL('../../examples/ci/', import.meta.url);

/** The words of the first command line of gicollide in a file; a shell's variables by their names. */
function wordsOf(file: string, variables: Record<string, string>): string[] {
  const text = readFileSync(new URL(file, folder), 'utf8');
  const [line] = /npx --no-install gicollide scene [\s\S]*?(?=\n\s*(?:#|artifacts:|'''))/.exec(text) ?? [''];
  const words = line.replaceAll('\\\n', ' ').trim().split(/\s+/).slice(3);
  return words.map((word) => word.replaceAll(/"?\$(\w+)"?/g, (_, name) => variables[name]));
}

const cube = (name: string, x: number, first: number): string => {
  const corners = Array.from({ length: 8 }, (_, i) => `v ${x + (i & 1)} ${(i >> 1) & 1} ${i >> 2}\n`);
  const faces = ['0 2 3 1', '4 5 7 6', '0 1 5 4', '2 6 7 3', '0 4 6 2', '1 3 7 5'];
  const numbered = faces.map((face) => `f ${face.replaceAll(/\d/g, (i) => String(first + Number(i)))}\n`);
  return [`o ${name}\n`, ...corners, ...numbered].join('');
};

/** A scene with a clash that its baseline knows. */
async function makePlant(cwd: string): Promise<void> {
  const scene = {
    gicollide: 'scene/1',
    assets: { parts: { file: 'parts.obj', split: 'elements' } },
    instances: [{ name: 'plant', asset: 'parts' }],
  };
  writeFileSync(join(cwd, 'plant.scene.json'), JSON.stringify(scene));
  writeFileSync(join(cwd, 'parts.obj'), cube('a', 0, 1) + cube('b', 0.5, 9) + cube('c', 3, 17));
  const known = ['scene', 'plant.scene.json', '--baseline', 'gicollide-baseline.json', '--update-baseline'];
  expect((await run(known, { cwd })).code).toBe(1);
}

/** Brings a third part to the two that clash. */
const spoil = (cwd: string): void =>
  writeFileSync(join(cwd, 'parts.obj'), cube('a', 0, 1) + cube('b', 0.5, 9) + cube('c', 1.25, 17));

test.each(
  some(1, [
    ['github.yml', ['collisions.html', 'collisions.sarif', 'summary.md']],
    ['gitlab-ci.yml', ['collisions.html', 'collisions.json', 'collisions.xml']],
    ['Jenkinsfile', ['collisions.html', 'collisions.xml']],
  ] as [string, string[]][]),
)('%s', { tags: ['all', 'long'] }, async (file, reports) => {
  const cwd = copyOfExample('ci');
  await makePlant(cwd);
  expect(readFileSync(join(cwd, file), 'utf8')).toMatch(/^ *(?:- run: |- |sh ')npm ci\b/m);
  const options = { cwd, env: { CI: 'true' }, program: installExample(cwd) };
  const before = listFiles(cwd);
  const words = wordsOf(file, { GITHUB_STEP_SUMMARY: 'summary.md' });
  expect(words.length).toBeGreaterThan(5);
  const green = await run(words, options);
  expect(green).toMatchObject({ code: 0, stderr: '' });
  expect(listFiles(cwd).filter((path) => !before.includes(path))).toEqual(reports);
  spoil(cwd);
  const red = await run(words, options);
  expect(red).toMatchObject({ code: 1, stderr: '' });
  const told = [red.stdout, ...reports.map((report) => readFileSync(join(cwd, report), 'utf8'))].join('\n');
  expect(told).toContain('plant/c');
});

/** A step of an action or a workflow. */
interface Step {
  id?: string;
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const { runs, inputs }: { runs: { steps: Step[] }; inputs: Record<string, unknown> } = parse(
  readFileSync(join(root, 'action.yml'), 'utf8'),
);
const [, installStep, sceneStep] = runs.steps;

/** As GitHub runs a step whose shell is bash. */
const runStep = ({ run }: Step, cwd: string, env: Record<string, string>, folder = dirname(process.execPath)) =>
  spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run!], {
    cwd,
    env: { ...process.env, CI: 'true', ...env, PATH: folder + delimiter + process.env.PATH },
    encoding: 'utf8',
  });

test('action.yml pins Node and takes no version of gicollide but its own', { tags: ['all'] }, () => {
  const [node] = runs.steps;
  expect(node.uses).toMatch(/^actions\/setup-node@[0-9a-f]{40}$/);
  expect(node.with).toEqual({ 'node-version': expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  expect(Object.keys(inputs)).not.toContain('version');
  expect(runs.steps.length).toBe(3);
});

test.skipIf(process.platform === 'win32')('action.yml installs its own checkout', { tags: ['all'] }, () => {
  const [checkout, bin] = [makeFolder(), makeFolder()];
  writeFileSync(join(bin, 'npm'), '#!/bin/sh\necho "$PWD: npm $@"\n', { mode: 0o755 });
  const { status, stdout } = runStep(installStep, makeFolder(), { GITHUB_ACTION_PATH: checkout }, bin);
  expect({ status, stdout }).toEqual({ status: 0, stdout: `${checkout}: npm ci --include=dev\n` });
});

test.skipIf(process.platform === 'win32')('action.yml runs the scene', { tags: ['long'] }, async () => {
  const cwd = makeFolder();
  await makePlant(cwd);
  const folder = makeFolder();
  const step = (inputs: Record<string, string>) => {
    const [output, summary] = ['output', 'summary'].map((name) => join(folder, name));
    for (const file of [output, summary]) writeFileSync(file, '');
    const { status, stdout } = runStep(sceneStep, cwd, {
      ...{ SCENE: 'plant.scene.json\n', BASELINE: '', REPORTS: '', ARGUMENTS: '', ...inputs },
      ...{ GITHUB_ACTIONS: 'true', GITHUB_ACTION_PATH: root, GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary },
    });
    return { status, stdout, output: readFileSync(output, 'utf8'), summary: readFileSync(summary, 'utf8') };
  };
  const known = { BASELINE: 'gicollide-baseline.json' };
  expect(step(known)).toMatchObject({ status: 0, output: 'exit-code=0\n' });
  expect(step({})).toMatchObject({ status: 1, output: 'exit-code=1\n' });
  spoil(cwd);
  const red = step({ ...known, REPORTS: 'sarif=a b.sarif\nmarkdown=found.md', ARGUMENTS: '--clearance\n0.01\n' });
  expect(red).toMatchObject({ status: 1, output: 'exit-code=1\n' });
  expect(red.stdout).toMatch(/^::error .*plant\/c/m);
  expect(red.summary).toContain('plant/c');
  expect(listFiles(cwd)).toEqual(expect.arrayContaining(['a b.sarif', 'found.md']));
  // An input is no command.
  const hostile = step({ ...known, SCENE: '$(touch made); `touch made`' });
  expect(hostile).toMatchObject({ status: 2, output: 'exit-code=2\n' });
  expect(listFiles(cwd)).not.toContain('made');
});
