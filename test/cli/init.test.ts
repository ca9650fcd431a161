/** `gicollide init`: its files pass, it overwrites nothing, and it leaves out unreadable files. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { makeFolder, run, runAlone, writeMesh } from '../support/cli.ts';
import { box, boxText, icosphere } from '../support/shapes.ts';

let cwd: string;
beforeEach(() => {
  cwd = makeFolder();
});

const textOf = (file: string): string => readFileSync(join(cwd, file), 'utf8');
const jsonOf = (file: string) => JSON.parse(textOf(file));
const WRITTEN = ['gicollide.json', '.github/workflows/gicollide.yml', 'gicollide-baseline.json'];

test('props around the origin stand in a row: the scene, the build and a second init pass', async () => {
  mkdirSync(join(cwd, 'props'));
  writeMesh(join(cwd, 'props/crate.obj'), box());
  writeMesh(join(cwd, 'props/ball.obj'), icosphere(1));
  const outcome = await runAlone(['init', 'props'], { cwd });
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  expect(outcome.stdout).toContain('2 meshes in a row, since all are around the origin');
  const scene = jsonOf('props/props.scene.json');
  expect(scene.$schema).toBe('./node_modules/gicollide/docs/scene.schema.json');
  expect(scene.instances.map(({ name }: { name: string }) => name)).toEqual(['ball', 'crate']);
  const inProps = { cwd: join(cwd, 'props') };
  const found = await run(['scene'], inProps);
  expect(found.code).toBe(0);
  expect(found.stdout).toContain('0 in contact');
  expect(await run(['build', '--check'], inProps)).toMatchObject({ code: 0 });
  const before = WRITTEN.map((file) => textOf(`props/${file}`));
  const again = await runAlone(['init'], inProps);
  expect(again.code).toBe(0);
  for (const file of WRITTEN) expect(again.stdout).toContain(`kept  ${file}`);
  expect(WRITTEN.map((file) => textOf(`props/${file}`))).toEqual(before);
});

test('meshes in their places: today’s findings are known, a new one fails', { tags: ['all', 'long'] }, async () => {
  writeFileSync(join(cwd, 'house.obj'), boxText('wall', 5) + boxText('floor', 5.5, 8));
  expect(await runAlone(['init'], { cwd })).toMatchObject({ code: 0 });
  const name = jsonOf('gicollide.json').scenes[0].files;
  expect(jsonOf(name).assets.house).toEqual({ file: 'house.obj', split: 'elements' });
  expect(textOf('gicollide-baseline.json')).toContain('"house/floor","house/wall"');
  const schema = './node_modules/gicollide/docs/baseline.schema.json';
  expect(jsonOf('gicollide-baseline.json').$schema).toBe(schema);
  expect((await run(['scene'], { cwd })).code).toBe(0);
  writeFileSync(join(cwd, 'house.obj'), boxText('wall', 5) + boxText('floor', 5.5, 8) + boxText('pipe', 6.2, 16));
  expect((await run(['scene'], { cwd })).code).toBe(1);
});

test('files that cannot be read are named and left out', async () => {
  writeMesh(join(cwd, 'good.obj'), box());
  writeFileSync(join(cwd, 'bad.obj'), 'no mesh\n');
  const outcome = await runAlone(['init'], { cwd });
  expect(outcome.code).toBe(0);
  expect(outcome.stderr).toMatch(/bad\.obj: left out: /);
  expect(jsonOf('gicollide.json').build[0].exclude).toEqual(['bad.obj']);
  // One object makes no scene.
  expect(jsonOf('gicollide.json').scenes).toEqual([]);
  expect(existsSync(join(cwd, 'gicollide-baseline.json'))).toBe(false);
});

test('--dry-run writes nothing; an empty folder is refused', async () => {
  expect(await runAlone(['init'], { cwd })).toMatchObject({ code: 2, stdout: '' });
  writeMesh(join(cwd, 'crate.obj'), box());
  const outcome = await runAlone(['init', '--dry-run'], { cwd });
  expect(outcome.code).toBe(0);
  expect(outcome.stdout).toContain('would write  gicollide.json');
  for (const file of WRITTEN) expect(existsSync(join(cwd, file))).toBe(false);
});
