/** Meshes that become charts, by the command line: what is said of them, how far they may be from their source, and checks of the source. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { infoText } from '../../src/cli/print-info.ts';
import { readDirectories } from '../../src/containers/tiff-directory.ts';
import { build, write } from '../../src/index.ts';
import { diagonalOf } from '../../src/mesh/extent.ts';
import { infoOf, makeFolder, type Outcome, run, writeMesh } from '../support/cli.ts';
import { long, some } from '../support/long.ts';
import { box, moebiusStrip, together, torus } from '../support/shapes.ts';

const cwd = makeFolder();

beforeAll(() => {
  writeMesh(join(cwd, 'ring.obj'), torus());
  writeMesh(join(cwd, 'strip.obj'), moebiusStrip(12));
  writeMesh(join(cwd, 'many.obj'), together(torus(), box(0.2, 0.2, 0.2)));
  // Three sheets on an edge, a triangle twice, one that is a segment.
  writeFileSync(
    join(cwd, 'odd.obj'),
    'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 2 5\nf 1 2 3\nf 1 2 2\n',
  );
});

const SMALL = long ? '33' : '17';

/** In the short run with its source, and another mesh in the same process. */
let odd: Promise<Outcome> | undefined;
const oddBuilt = (): Promise<Outcome> => {
  const args = long ? ['odd.obj', '-o', 'odd.tiff'] : ['odd.obj', 'strip.obj', '--embed-source', '-o', 'exact/'];
  odd ??= run(['build', ...args, '--size', SMALL], { cwd });
  return odd;
};

const json = (stdout: string): Record<string, unknown> => JSON.parse(stdout);

describe.concurrent('charts', () => {
  test('a torus: how many, of which size; the same in JSON and in info', { tags: ['quick', 'long'] }, async () => {
    const [size, psnr] = long ? [65, 60] : [17, 40];
    const args = ['build', 'ring.obj', '--size', `${size}`, '-o', 'text.tiff', '--verbose'];
    const { code, stdout, stderr } = await run(args, { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^text\.tiff {2}geometry image of \d+ charts(?: of |, .*\d of )\d+ x \d+ \(charts: [\w ,]+\) from ring\.obj, .*; [\d.]+ KB, within 0\.\d+ of the mesh \([\d.]+ % of its size\), [\d.]+ and [\d.]+ dB, /,
    );
    const built = json(
      (await run(['build', 'ring.obj', '--size', `${size}`, '-o', 'ring.tiff', '--json'], { cwd })).stdout,
    );
    const info = await infoOf(cwd, 'ring.tiff');
    expect(built.charts).toBe(info.charts);
    expect(built.charts).toBeGreaterThan(1);
    expect(info.tolerance).toEqual({ missing: built.missing, excess: built.excess });
    expect(built.psnr).toBeGreaterThan(psnr);
    // Exact charts may take more.
    expect(info.vertices as number).toBeLessThanOrEqual(Math.max(1.3 * size * size, 4 * (info.charts as number)));
    expect(readFileSync(join(cwd, 'text.tiff')).equals(readFileSync(join(cwd, 'ring.tiff')))).toBe(true);
    const verified = await run(['verify', 'ring.tiff'], { cwd });
    expect(verified.code).toBe(0);
  });

  test('cuts are said', { tags: ['all', 'long'] }, async () => {
    const outcome = await oddBuilt();
    expect(outcome.code).toBe(0);
    expect(outcome.stderr).toMatch(/^warning: odd\.obj: dropped 1 degenerate and 1 duplicate triangles/);
    expect(outcome.stderr).toMatch(/\nwarning: odd\.obj: .*cut 1 edge of three triangles or more/);
    const { stderr } = long ? await run(['build', 'strip.obj', '--size', SMALL, '-o', 'strip.tiff'], { cwd }) : outcome;
    expect(stderr).toMatch(/^warning: strip\.obj: .*one side/m);
  });

  test('a picture of them', { tags: ['long'] }, async () => {
    const mesh = together(torus(), box(0.2, 0.2, 0.2));
    writeFileSync(join(cwd, 'many.tiff'), await write(build(mesh, { size: long ? 33 : 17 })));
    for (const [name, ...args] of some(1, [['spheres.png', '--level', '3'], ['many.png']])) {
      expect((await run(['info', 'many.tiff', '--png', name, ...args], { cwd })).code).toBe(0);
      expect(readFileSync(join(cwd, name)).subarray(1, 4).toString()).toBe('PNG');
    }
  });
});

test.each([10, 12])('info: %i pages, summed up by role if more than 10', { tags: ['quick'] }, (count) => {
  const roles = ['geometry', 'normals'];
  const pages = Array.from({ length: count }, (_, i) => ({ role: roles[i % 2], width: 3, storedBytes: 100 + i }));
  const text = infoText('ring.tiff', { pages }, null);
  if (count === 10)
    return expect(text).toMatch(/pages +role geometry, width 3, stored bytes 100\n(.*\n){8}.*bytes 109\n$/);
  expect(text).toMatch(
    /geometry, pages 6, stored bytes 630\n +role normals, pages 6, stored bytes 636\n +all 12, listed by --json\n/,
  );
});

describe.concurrent('--max-error', () => {
  test('takes a size that keeps within it, of the diagonal or as a length', { tags: ['long'] }, async () => {
    const name = long ? 'many' : 'ring';
    const farthest = async (flag: string): Promise<number> => {
      const args = ['build', `${name}.obj`, '--size', 'auto', '--max-error', flag, '-o', `${flag}.tiff`, '--json'];
      const { missing, excess } = json((await run(args, { cwd })).stdout);
      return Math.max(missing as number, excess as number);
    };
    const mesh = long ? together(torus(), box(0.2, 0.2, 0.2)) : torus();
    const percent = long ? 1 : 3;
    expect(await farthest(`${percent}%`)).toBeLessThanOrEqual((percent / 100) * diagonalOf(mesh));
    if (long) expect(await farthest('0.02')).toBeLessThanOrEqual(0.02);
  });

  test.each(some(1, ['0', '1e999', '-1', 'x', '%']))('%s is refused', { tags: ['all'] }, async (text) => {
    const { code, stderr } = await run(['build', 'ring.obj', `--max-error=${text}`], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^error: --max-error .*: expected a length above 0, or a percentage of the diagonal, as 0\.2%\n$/,
    );
  });
});

describe.concurrent('--embed-source', () => {
  test('check --source is exact, with the triangles’ numbers in the file', { tags: ['all', 'long'] }, async () => {
    if (!long) {
      expect((await oddBuilt()).code).toBe(0);
      copyFileSync(join(cwd, 'exact/odd.tiff'), join(cwd, 'odd-exact.tiff'));
    }
    for (const name of long ? ['odd', 'ring'] : []) {
      const args = ['build', `${name}.obj`, '--size', SMALL, '--embed-source', '-o', `${name}-exact.tiff`, '--quiet'];
      expect((await run(args, { cwd })).code).toBe(0);
    }
    const info = await infoOf(cwd, 'odd-exact.tiff');
    expect(info.embeddedSource).toMatchObject({ triangles: 5, vertices: 5 });
    const [page] = readDirectories(readFileSync(join(cwd, 'odd-exact.tiff')));
    expect(page.attachment?.length).toBeGreaterThan(100);
    for (const shift of some(2, ['0.2,0.1,0.05', '1.0001,0,0', '1,0,0', '0.5,-0.5,0'])) {
      const pose = ['--translate-b', shift, '--all', '--json'];
      const [images, meshes] = await Promise.all([
        run(['check', 'odd-exact.tiff', 'odd-exact.tiff', '--source', ...pose], { cwd }),
        run(['check', 'odd.obj', 'odd.obj', ...pose], { cwd }),
      ]);
      expect(images.code).toBe(meshes.code);
      const [a, b] = [images, meshes].map(({ stdout }) => json(stdout));
      expect(a.verdict).toBe(b.verdict);
      expect(a.contacts).toEqual(b.contacts);
    }
  });

  test('without it, clear is a proof and contact is not said', { tags: ['all'] }, async () => {
    const check = async (shift: string) =>
      json(
        (await run(['check', 'ring-far.tiff', 'ring-far.tiff', '--source', '--translate-b', shift, '--json'], { cwd }))
          .stdout,
      );
    writeFileSync(join(cwd, 'ring-far.tiff'), await write(build(torus(), { size: long ? 33 : 17 })));
    expect((await check('0,0,5')).verdict).toBe('clear');
    const near = await check('0.1,0,0');
    expect(near).toMatchObject({ verdict: 'undecided', bracket: { lower: 0 } });
  });
});
