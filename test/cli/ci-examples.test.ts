/** The command lines of examples/ci, run as they stand: green for what is known, red for what is new. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listFiles, makeFolder, run } from '../support/cli.ts';

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

test.each([
  ['github.yml', ['collisions.html', 'collisions.sarif', 'summary.md']],
  ['gitlab-ci.yml', ['collisions.html', 'collisions.json', 'collisions.xml']],
  ['Jenkinsfile', ['collisions.html', 'collisions.xml']],
])('%s', async (file, reports) => {
  const cwd = makeFolder();
  const scene = {
    gicollide: 'scene/1',
    assets: { parts: { file: 'parts.obj', split: 'elements' } },
    instances: [{ name: 'plant', asset: 'parts' }],
  };
  writeFileSync(join(cwd, 'plant.scene.json'), JSON.stringify(scene));
  writeFileSync(join(cwd, 'parts.obj'), cube('a', 0, 1) + cube('b', 0.5, 9) + cube('c', 3, 17));
  const known = ['scene', 'plant.scene.json', '--baseline', 'gicollide-baseline.json', '--update-baseline'];
  expect((await run(known, { cwd })).code).toBe(1);
  const words = wordsOf(file, { GITHUB_STEP_SUMMARY: 'summary.md' });
  expect(words.length).toBeGreaterThan(5);
  const env = { CI: 'true' };
  const green = await run(words, { cwd, env });
  expect(green).toMatchObject({ code: 0, stderr: '' });
  expect(listFiles(cwd)).toEqual([...reports, 'gicollide-baseline.json', 'parts.obj', 'plant.scene.json'].sort());
  writeFileSync(join(cwd, 'parts.obj'), cube('a', 0, 1) + cube('b', 0.5, 9) + cube('c', 1.25, 17));
  const red = await run(words, { cwd, env });
  expect(red).toMatchObject({ code: 1, stderr: '' });
  const told = [red.stdout, ...reports.map((report) => readFileSync(join(cwd, report), 'utf8'))].join('\n');
  expect(told).toContain('plant/c');
});
