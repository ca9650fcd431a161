/**
 * The command lines of examples/ci and the script of action.yml, run as they stand: green for what is
 * known, red for what is new.
 */
// @module-tag all
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { listFiles, makeFolder, program, run } from '../support/cli.ts';

const folder = new URL('../../examples/ci/', import.meta.url);

/** The words of the first command line of gicollide in a file; a shell's variables by their names. */
function wordsOf(file: string, variables: Record<string, string>): string[] {
  const text = readFileSync(new URL(file, folder), 'utf8');
  const [line] = /gicollide scene [\s\S]*?(?=\n\s*(?:#|artifacts:|'''))/.exec(text) ?? [''];
  const words = line.replaceAll('\\\n', ' ').trim().split(/\s+/).slice(1);
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

test.each([
  ['github.yml', ['collisions.html', 'collisions.sarif', 'summary.md']],
  ['gitlab-ci.yml', ['collisions.html', 'collisions.json', 'collisions.xml']],
  ['Jenkinsfile', ['collisions.html', 'collisions.xml']],
])('%s', async (file, reports) => {
  const cwd = makeFolder();
  await makePlant(cwd);
  const words = wordsOf(file, { GITHUB_STEP_SUMMARY: 'summary.md' });
  expect(words.length).toBeGreaterThan(5);
  const env = { CI: 'true' };
  const green = await run(words, { cwd, env });
  expect(green).toMatchObject({ code: 0, stderr: '' });
  expect(listFiles(cwd)).toEqual([...reports, 'gicollide-baseline.json', 'parts.obj', 'plant.scene.json'].sort());
  spoil(cwd);
  const red = await run(words, { cwd, env });
  expect(red).toMatchObject({ code: 1, stderr: '' });
  const told = [red.stdout, ...reports.map((report) => readFileSync(join(cwd, report), 'utf8'))].join('\n');
  expect(told).toContain('plant/c');
});

test.skipIf(process.platform === 'win32')('action.yml', async () => {
  const text = readFileSync(new URL('../../action.yml', import.meta.url), 'utf8');
  const script = text.split(/^ {6}run: \|\n/m)[1].replaceAll(/^ {8}/gm, '');
  const cwd = makeFolder();
  await makePlant(cwd);
  // npx takes the package of these sources.
  const folder = makeFolder();
  mkdirSync(join(folder, 'bin'));
  const npx = `#!/bin/sh\ntest "$1 $2" = "--yes gicollide@1.2.3" || exit 99\nshift 2\nexec "${process.execPath}" "${program}" "$@"\n`;
  writeFileSync(join(folder, 'bin/npx'), npx, { mode: 0o755 });
  const step = (inputs: Record<string, string>) => {
    const [output, summary] = ['output', 'summary'].map((name) => join(folder, name));
    for (const file of [output, summary]) writeFileSync(file, '');
    const all = { SCENE: 'plant.scene.json\n', BASELINE: '', REPORTS: '', ARGUMENTS: '', ...inputs };
    const files = { GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary };
    const PATH = join(folder, 'bin') + delimiter + process.env.PATH;
    const env = {
      ...process.env,
      PATH,
      GITHUB_ACTIONS: 'true',
      CI: 'true',
      GICOLLIDE_VERSION: '1.2.3',
      ...files,
      ...all,
    };
    // As GitHub runs a step whose shell is bash.
    const { status, stdout } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
      cwd,
      env,
      encoding: 'utf8',
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
