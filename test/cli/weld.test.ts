/** --weld: build, check, scene and lint join close vertices first. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectFailure, infoOf, makeFolder, run } from '../support/cli.ts';
import { boxText } from '../support/shapes.ts';

/** A unit cube from 0 whose lid is higher by `gap`. */
function lidded(gap: number): string {
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [k & 1, (k >> 1) & 1, k >> 2]);
  const faces = ['1 3 4 2', '1 2 6 5', '2 4 8 6', '4 3 7 8', '3 1 5 7', '9 10 12 11'];
  const lid = corners.slice(4).map(([x, y, z]) => [x, y, z + gap]);
  return [...[...corners, ...lid].map((p) => `v ${p.join(' ')}`), ...faces.map((f) => `f ${f}`), ''].join('\n');
}

const GAP = 2 ** -10;

function folder(): string {
  const cwd = makeFolder();
  writeFileSync(join(cwd, 'lid.obj'), lidded(GAP));
  const small = boxText('small', 0).replaceAll(
    /^v (.*)$/gm,
    (_, p: string) =>
      `v ${p
        .split(' ')
        .map((x) => 0.5 + Number(x) / 8)
        .join(' ')}`,
  );
  writeFileSync(join(cwd, 'small.obj'), small);
  return cwd;
}

test('build records the distance; the whole is closed; another one is another request', async () => {
  const cwd = folder();
  const build = (...more: string[]) => run(['build', 'lid.obj', '-f', 'obb', '-o', 'lid.obb', ...more], { cwd });
  expect((await build()).code).toBe(0);
  expect(await infoOf(cwd, 'lid.obb')).toMatchObject({ closed: false, tolerance: { missing: 0, excess: 0 } });
  expect((await build('--weld', '0.001')).stdout).toMatch(/^lid\.obb {2}OBB tree/);
  const { closed, volume, tolerance, options } = (await infoOf(cwd, 'lid.obb')) as Record<string, never>;
  expect([closed, volume, options]).toMatchObject([true, 1, { weld: 0.001, welded: expect.closeTo(GAP, 15) }]);
  expect(tolerance).toEqual({ missing: expect.closeTo(GAP, 15), excess: expect.closeTo(GAP, 15) });
  expect((await build('--weld', '0.001')).stdout).toContain('fresh');
  expect((await build('--weld', '0.002')).stdout).not.toContain('fresh');
});

test('scene, check and lint see the closed solid', async () => {
  const cwd = folder();
  const scene = await run(['scene', 'lid.obj', 'small.obj'], { cwd });
  expect([scene.code, scene.stdout.includes('1 object open')]).toEqual([0, true]);
  const closed = await run(['scene', 'lid.obj', 'small.obj', '--weld', '0.001'], { cwd });
  expect([closed.code, closed.stdout]).toEqual([1, expect.stringMatching(/^inside {2}small\/small {2}lid\/unnamed/)]);
  const check = await run(['check', 'lid.obj', 'small.obj', '--weld', '0.001', '--solid', 'auto', '--json'], { cwd });
  expect(JSON.parse(check.stdout)).toMatchObject({ class: 'inside', tolerance: { missing: expect.closeTo(GAP, 15) } });
  const lint = await run(['lint', 'lid.obj'], { cwd });
  expect(lint.stdout).toMatch(/open-edge .* 4 open edges, all within 0\.000977: --weld 0\.00098 closes them; /);
  expect(lint.stdout).toContain('\n  8 open edges, all within 0.000977: --weld 0.00098\n');
  expect((await run(['lint', 'lid.obj', '--weld', '0.00098'], { cwd })).code).toBe(0);
});

test.each(['build', 'check', 'scene', 'lint'])('%s --weld 0 is refused', { tags: ['all'] }, async (command) => {
  expectFailure(
    await run([command, 'lid.obj', 'small.obj', '--weld', '0'], { cwd: folder() }),
    /option '--weld <len>' argument '0' is invalid/,
  );
});
