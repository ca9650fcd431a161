/** The scenes of assets/, as README and docs/scene.md run them: made by their script, small, and with the findings that were planned. */
// @module-tag all
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makeBuilding } from '../../scripts/make-building.mjs';
import { makeScenes } from '../../scripts/make-scenes.mjs';
import { run } from '../support/cli.ts';

const cwd = fileURLToPath(new URL('../..', import.meta.url));
const files = makeScenes();

test.each(Object.keys(files))('%s is what scripts/make-scenes.mjs makes, to the byte', (name) => {
  expect(readFileSync(new URL(`../../assets/${name}`, import.meta.url), 'utf8') === files[name]).toBe(true);
});

test('they take less than 300 KB', () => {
  expect(Object.values(files).reduce((sum, text) => sum + text.length, 0)).toBeLessThan(300_000);
});

/** "class a b" of every finding, and the summary. */
async function found(scene: string): Promise<{ lines: string[]; summary: Record<string, unknown> }> {
  const { code, stdout, stderr } = await run(['scene', `assets/${scene}.scene.json`, '--json'], { cwd });
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  const records = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const summary = records.pop();
  return { lines: records.map((record) => [record.class, record.a.name, record.b.name].join(', ')), summary };
}

test('a game room', async () => {
  const { lines, summary } = await found('room');
  expect(lines).toEqual([
    'overlap, bunny, left bunny',
    'overlap, bunny, ring',
    'overlap, crate-3, room/wall-east-2',
    'near, crate-4, room/table-leg-2',
    'near, crate-4, room/table-leg-4',
    'near, crate-4, room/table-top',
  ]);
  expect(summary).toMatchObject({ units: 'm', baked: 1, converted: 11, unitless: 4, allowed: 5, unchecked: 0 });
});

test('a robot cell', async () => {
  const { lines } = await found('robot-cell');
  expect(lines).toEqual([
    'overlap, cell/lamp, robot/forearm',
    'near, cell/lamp, robot/gripper/palm',
    'near, cell/lamp, robot/upper arm',
    'near, cell/post, robot/upper arm',
    'near, part-1, robot/gripper/finger-left',
    'near, part-1, robot/gripper/finger-right',
  ]);
});

test('a storey of a building: the pairs that touch or clash, as its generator has them', async () => {
  const { lines } = await found('building');
  const { clashes, touches } = makeBuilding({ storeys: 1, seed: 1 });
  const isService = (name: string): boolean => /^(pipe|duct|conduit)-/.test(name);
  const isStructure = (name: string): boolean => /^(column|beam|wall)-/.test(name) || /^slab-/.test(name);
  const isAllowed = (names: string[]): boolean =>
    names.some((name) => /^(pipe|conduit)-/.test(name)) && names.some((name) => /^slab-/.test(name));
  const isClash = (a: string, b: string): boolean =>
    clashes.some((clash) => [clash.a, clash.b].sort().join() === [a, b].join());
  const expected = [...clashes, ...touches]
    .map(({ a, b }) => [a, b].sort())
    .filter((names) => names.some(isService) && names.some(isStructure) && !isAllowed(names))
    .map(([a, b]) => `${isClash(a, b) ? 'overlap' : 'touch'}, A/${a}, A/${b}`);
  expect(expected.length).toBeGreaterThan(10);
  expect(lines.sort()).toEqual(expected.sort());
});

test('the last line of npm run demo ends well', async () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const line = scripts.demo.split(' && ').at(-1).split(' ').slice(2);
  expect(readFileSync(new URL('../../README.md', import.meta.url), 'utf8')).toContain(
    `npx --no-install gicollide ${line.join(' ')}\n`,
  );
  expect(await run(line, { cwd })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/3 in contact \(3 overlap\), 3 near/),
  });
});
