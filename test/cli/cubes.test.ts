/** `gicollide cubes`, run as a process: elements of one file, assets of one precision, the truth of a building, refusals. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeBuilding } from '../../scripts/make-building.mjs';
import { build, write } from '../../src/index.ts';
import { splitByGroups } from '../../src/mesh/split.ts';
import { readObj } from '../../src/readers/obj/obj.ts';
import { makeFolder, run } from '../support/cli.ts';
import { gpu, softwareGpu } from '../support/gpu.ts';
import { long, some } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { boxText as box } from '../support/shapes.ts';

function workspace(): string {
  const cwd = makeFolder();
  // Two that overlap, one that touches the second, one apart.
  const text = box('one', 0, 0) + box('two', 0.5, 8) + box('three', 1.5, 16) + box('four', 4, 24);
  writeFileSync(join(cwd, 'boxes.obj'), text);
  for (const [name, x] of [
    ['a', 0],
    ['b', 0.5],
  ] as const)
    writeFileSync(join(cwd, `${name}.obj`), box(name, x, 0));
  return cwd;
}

describe.concurrent('the objects of one file', () => {
  test('which collide, and in how many cubes; the same in every way', { tags: ['quick', 'long'] }, async () => {
    const cwd = workspace();
    const { code, stdout } = await run(['cubes', 'boxes.obj', '--precision', '0.25'], { cwd });
    expect(code).toBe(1);
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => line.split(/ {2}/).slice(0, 2).join('+'))).toEqual([
      'one+two',
      'two+three',
      expect.stringMatching(/^2 of 6 pairs of 4 models collide, in \d+ cubes of 0\.25/),
    ]);
    for (const more of some(1, [
      ['--jobs', '3', '--all-pairs'],
      ['--workers', '0'],
      ['--jobs', '1'],
      ['--jobs', '3'],
      ['--all-pairs'],
    ])) {
      expect((await run(['cubes', 'boxes.obj', '--precision', '0.25', ...more], { cwd })).stdout).toBe(stdout);
    }
    const json = JSON.parse((await run(['cubes', 'boxes.obj', '--precision', '0.25', '--json'], { cwd })).stdout);
    expect(json).toMatchObject({ verdict: 'contact', models: 4, pairs: 6, colliding: { pairs: 2 }, method: 'sorted' });
    // The faces at x = 1.5 are in one layer of cells: five by five, since 1 is the lower end of a cell.
    expect(json.collisions[1]).toMatchObject({
      a: 'two',
      b: 'three',
      cubes: 25,
      low: [1.5, 0, 0],
      high: [1.75, 1.25, 1.25],
    });
  });

  test.skipIf(!gpu)('the same on a GPU, and without one, which one warning says', { tags: ['long'] }, async () => {
    const cwd = workspace();
    const boxes = ['cubes', 'boxes.obj', '--precision', '0.25'];
    const { stdout } = await run(boxes, { cwd });
    for (const more of some(1, [[], ['--all-pairs']])) {
      const onGpu = await run([...boxes, ...more, '--device', 'gpu'], { cwd, env: softwareGpu() });
      expect(onGpu).toMatchObject({ code: 1, stdout });
      expect(onGpu.stderr).not.toContain('warning');
    }
    const none = { ...softwareGpu(), VK_DRIVER_FILES: '/nowhere.json', VK_ICD_FILENAMES: '/nowhere.json' };
    const without = await run([...boxes, '--device', 'gpu'], { cwd, env: none });
    expect(without).toMatchObject({ code: 1, stdout });
    // The package of the GPU has lines of its own.
    const warnings = without.stderr.split('\n').filter((line) => line.startsWith('warning'));
    expect(warnings).toEqual([
      expect.stringMatching(/^warning: --device gpu: no adapter: [^\n]+; the processor does all the work$/),
    ]);
  });

  test('--obj: the cubes themselves, an object a pair', async () => {
    const cwd = workspace();
    const { code } = await run(['cubes', 'boxes.obj', '--precision', '0.25', '--obj', 'clash.obj'], { cwd });
    expect(code).toBe(1);
    const elements = splitByGroups(readObj(readFileSync(join(cwd, 'clash.obj'))));
    expect(elements.map(({ name }) => name)).toEqual(['one+two', 'two+three']);
    // A plate of 5 x 5 cubes: 25 faces on either side, 5 on each edge.
    expect(elements[1].mesh.triangles.length / 6).toBe(70);
  });

  test('none: exit code 0', async () => {
    const cwd = workspace();
    writeFileSync(join(cwd, 'far.obj'), box('one', 0, 0) + box('four', 4, 8));
    const { code, stdout } = await run(['cubes', 'far.obj', '--precision', '0.25'], { cwd });
    // Shells of 5 x 5 x 5 cells without the 3 x 3 x 3 inside, since 1 is the lower end of a cell.
    const text = '0 of 1 pairs of 2 models collide, in 0 cubes of 0.25\n';
    expect([code, stdout]).toEqual([0, text]);
    const told = await run(['cubes', 'far.obj', '--precision', '0.25', '--verbose'], { cwd });
    expect(told.stdout).toContain('; --all-pairs compares 9,604 pairs of cubes (TotalPairCount)\n');
    expect((await run(['cubes', 'far.obj', '--precision', '0.25', '--expect', 'contact'], { cwd })).code).toBe(1);
  });
});

test.concurrent('assets, meshes and folders of them', { tags: ['quick', 'long'] }, async () => {
  const cwd = workspace();
  const built = await run(['build', 'a.obj', 'b.obj', '-f', 'voxel', '--precision', '0.25', '-q'], { cwd });
  expect(built.code).toBe(0);
  const expected = /a\.\w+ {2}b\.\w+ {2}\d+ common cubes/;
  for (const args of some(2, [
    ['out'],
    ['out/a.voxel', 'b.obj', '--precision', '0.25'],
    ['a.obj', 'b.obj', '--precision', '0.25'],
  ])) {
    const { code, stdout } = await run(['cubes', ...args], { cwd });
    expect(code).toBe(1);
    expect(stdout).toMatch(expected);
  }
});

/** The cells of the surface of a box, by its corners: floor(x / edge) on each axis, in strings. */
function cellsOfSurface(low: number[], high: number[], edge: number): Set<string> {
  const [from, to] = [low, high].map((corner) => corner.map((x) => Math.floor(x / edge)));
  const cells = new Set<string>();
  for (let i = from[0]; i <= to[0]; i++) {
    for (let j = from[1]; j <= to[1]; j++) {
      for (let k = from[2]; k <= to[2]; k++) {
        if ([i, j, k].some((x, axis) => x === from[axis] || x === to[axis])) cells.add(`${i} ${j} ${k}`);
      }
    }
  }
  return cells;
}

test.concurrent('TotalPairCount is the pairs of cells of different boxes, counted one by one', {
  tags: ['all'],
}, async () => {
  const cwd = workspace();
  const edge = 0.25;
  const at = { one: 0, two: 0.5, three: 1.5, four: 4 };
  const cells = Object.values(at).map((x) => [...cellsOfSurface([x, 0, 0], [x + 1, 1, 1], edge)]);
  let [pairs, shared] = [0, 0];
  for (const [i, own] of cells.entries()) {
    for (const other of cells.slice(i + 1)) {
      for (const a of own) {
        for (const b of other) {
          pairs++;
          if (a === b) shared++;
        }
      }
    }
  }
  const args = ['cubes', 'boxes.obj', '--precision', String(edge), '--json'];
  for (const more of [[], ['--all-pairs', '--device', 'cpu']]) {
    const { stdout } = await run([...args, ...more], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ totalPairCount: pairs, colliding: { cubes: shared } });
  }
});

test.concurrent('a building: with small cubes what touches or clashes, by construction', {
  tags: ['long'],
}, async () => {
  const { obj, clashes, touches } = makeBuilding({ storeys: 1, seed: 3 });
  const precision = long ? '10' : '20';
  const cwd = makeFolder();
  writeFileSync(join(cwd, 'building.obj'), obj);
  const { stdout } = await run(['cubes', 'building.obj', '--precision', precision, '--json'], { cwd });
  const found = JSON.parse(stdout).collisions.map(({ a, b }: { a: string; b: string }) => [a, b].sort().join('+'));
  const known = [...clashes, ...touches].map(({ a, b }) => [a, b].sort().join('+'));
  // All that meet; beyond them only what comes within a cube's diagonal.
  expect(known.filter((pair) => !found.includes(pair))).toEqual([]);
  expect(found.length).toBeLessThan(1.1 * known.length);
});

const refused: [string[], RegExp][] = [
  [['boxes.obj'], /boxes\.obj: expected --precision, the edge of the cubes/],
  [['a.obj', '--precision', '1'], /a\.obj: expected two models or more, found one/],
  [['boxes.obj', '--precision', '1', '--obj', 'boxes.obj'], /would overwrite the input/],
  [['boxes.obj', '--precision', '1e-9'], /beyond 2097152 cubes/],
  [['nothing.obj', '--precision', '1'], /nothing\.obj: no such file/],
  [
    ['boxes.obj', '--precision', '1', '--jobs', '1000'],
    /'--jobs <n>' argument '1000' is invalid. Expected at most 256/,
  ],
  [['boxes.obj', '--precision', '1', '--workers', '1000'], /'--workers <n>' argument '1000' is invalid/],
  [['boxes.obj', '--precision', '0'], /--precision/],
  [
    ['boxes.obj', '--precision', '1e200'],
    /^error: precision: expected the edge of a cube, a number from 1e-100 to 1e100, found 1e\+200/,
  ],
  [['model.obj', 'broken.obj', '--precision', '1'], /model\.obj: expected a mesh \(.*\), found JSON/],
  // Everything below is told before the first file is read: `broken.obj` never is.
  [['broken.obj', 'a.obj'], /broken\.obj: expected --precision, the edge of the cubes/],
  [['broken.obj', 'k.voxel', '--precision', '1'], /k\.voxel: expected cubes \(build -f voxel\) or a mesh, found kdop/],
  [['broken.obj', 'c.voxel', '--precision', '1', '--fill'], /--fill: expected meshes, found stored cubes/],
  [
    ['broken.obj', 'a.obj', '--precision', '1', '--obj', 'a.obj/clash.obj'],
    /a\.obj\/clash\.obj: a part of its path is not a folder/,
  ],
  [['broken.obj', 'a.obj', '--precision', '1', '--obj', `${'x'.repeat(300)}.obj`], /x\.obj: the name is too long/],
  [
    ['broken.obj', 'a.obj', '--precision', '1', '--obj', 'new/'],
    /new\/: expected a name for the OBJ file, found a folder/,
  ],
];

test.concurrent.each(long ? refused : [...refused.slice(0, 3), ...refused.slice(-7)])(
  '%j: one line, exit code 2',
  { tags: ['quick', 'long'] },
  async (args, message) => {
    const cwd = workspace();
    const magic = (kind: string) => `gicollid${kind}`;
    writeFileSync(join(cwd, 'broken.obj'), 'v 0 0 0\nf 1 2 3\n');
    writeFileSync(join(cwd, 'model.obj'), '  {"version": 1}');
    writeFileSync(join(cwd, 'k.voxel'), magic('kdop'));
    writeFileSync(join(cwd, 'c.voxel'), magic('voxl'));
    const { code, stdout, stderr } = await run(['cubes', ...args], { cwd });
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(message);
  },
);

test.concurrent('other assets, and cubes of another precision: one line, exit code 2', {
  tags: ['quick', 'long'],
}, async () => {
  const cwd = workspace();
  if (long) {
    const built = await run(['build', 'a.obj', 'b.obj', '-f', 'obb,voxel', '--precision', '0.25', '-q'], { cwd });
    expect(built.code).toBe(0);
  } else {
    mkdirSync(join(cwd, 'out'));
    for (const name of ['a', 'b']) {
      const mesh = readObj(readFileSync(join(cwd, `${name}.obj`)));
      writeFileSync(join(cwd, `out/${name}.obb`), await write(build(mesh, { format: 'obb' })));
      writeFileSync(join(cwd, `out/${name}.voxel`), await write(build(mesh, { format: 'voxel', precision: 0.25 })));
    }
  }
  const other = await run(['cubes', 'out/a.obb', 'out/b.obb'], { cwd });
  expect([other.code, other.stderr]).toEqual([2, expect.stringMatching(/out\/a\.obb: expected cubes .* found obb/)]);
  const precision = await run(['cubes', 'out/a.voxel', 'b.obj', '--precision', '0.5'], { cwd });
  expect([precision.code, precision.stderr]).toEqual([
    2,
    expect.stringMatching(/--precision 0\.5: out\/a\.voxel has cubes of 0\.25/),
  ]);
  const mesh = readObj(readFileSync(join(cwd, 'a.obj')));
  writeFileSync(join(cwd, 'c.voxel'), await write(build(mesh, { format: 'voxel', precision: 0.5 })));
  const mixed = await run(['cubes', 'out/a.voxel', 'out/b.voxel', 'c.voxel'], { cwd });
  expect([mixed.code, mixed.stderr]).toEqual([
    2,
    expect.stringMatching(/c\.voxel: expected cubes of 0\.25, as in out\/a\.voxel, found cubes of 0\.5/),
  ]);
});

/** Boxes along the axes, an object each; low and high corners lie on no cell's border. */
interface Corners {
  name: string;
  low: number[];
  high: number[];
}

function boxesText(boxes: readonly Corners[]): string {
  const faces = ['1 3 4 2', '5 6 8 7', '1 2 6 5', '3 7 8 4', '1 5 7 3', '2 4 8 6'];
  return boxes
    .map(({ name, low, high }, n) => {
      const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [0, 1, 2].map((k) => ((i >> k) & 1 ? high : low)[k]));
      const lines = corners.map((corner) => `v ${corner.join(' ')}`);
      const numbered = faces.map((face) => `f ${face.replaceAll(/\d/g, (i) => String(8 * n + Number(i)))}`);
      return `${[`o ${name}`, ...lines, ...numbered].join('\n')}\n`;
    })
    .join('');
}

/** The cells of a box's surface: those of its outermost layers. */
function surfaceCells({ low, high }: Corners, edge: number): Set<string> {
  const [from, to] = [low, high].map((corner) => corner.map((x) => Math.floor(x / edge)));
  const cells = new Set<string>();
  for (let x = from[0]; x <= to[0]; x++)
    for (let y = from[1]; y <= to[1]; y++)
      for (let z = from[2]; z <= to[2]; z++)
        if ([x, y, z].some((c, k) => c === from[k] || c === to[k])) cells.add(`${x} ${y} ${z}`);
  return cells;
}

describe.concurrent('--split: the objects of one file against those of another', () => {
  const boxesOf = (name: string, count: number, random: () => number): Corners[] =>
    Array.from({ length: count }, (_, n) => {
      const low = [0, 1, 2].map(() => Math.floor(16 * random()) + 0.375);
      return { name: `${name}${n}`, low, high: low.map((x) => x + 1 + Math.floor(4 * random())) };
    });

  test.each(some(1, [1, 2, 3, 4, 5]))(
    'the pairs of two files, and no others, with their cubes; seed %i',
    { tags: ['quick', 'long'] },
    async (seed) => {
      const cwd = makeFolder();
      const random = seeded(seed).next;
      const [a, b] = [boxesOf('p', 12, random), boxesOf('w', 9, random)];
      writeFileSync(join(cwd, 'pipes.obj'), boxesText(a));
      writeFileSync(join(cwd, 'walls.obj'), boxesText(b));
      const [cellsA, cellsB] = [a, b].map((boxes) => boxes.map((one) => surfaceCells(one, 1)));
      const expected = cellsA.flatMap((p, i) =>
        cellsB.flatMap((w, j) => {
          const cubes = [...p].filter((cell) => w.has(cell)).length;
          return cubes > 0 ? [[`pipes/p${i}`, `walls/w${j}`, cubes]] : [];
        }),
      );
      expect(expected.length).toBeGreaterThan(0);
      const args = ['cubes', 'pipes.obj', 'walls.obj', '--split', 'groups', '--precision', '1', '--json'];
      const line = JSON.parse((await run(args, { cwd })).stdout);
      expect(line.collisions.map(({ a, b, cubes }: Record<string, unknown>) => [a, b, cubes])).toEqual(expected);
      expect(line).toMatchObject({
        verdict: 'contact',
        models: 21,
        pairs: 12 * 9,
        totalPairCount: cellsA.reduce((sum, p) => sum + cellsB.reduce((all, w) => all + p.size * w.size, 0), 0),
        colliding: { pairs: expected.length },
      });
    },
  );

  test('what touches within a file alone is clear, and its baseline knows nothing of it', async () => {
    const cwd = workspace();
    writeFileSync(join(cwd, 'far.obj'), box('far', 20, 0));
    const args = ['cubes', 'boxes.obj', 'far.obj', '--precision', '0.25'];
    const { code, stdout } = await run([...args, '--split', 'elements', '--obj', 'clash.obj', '-v'], { cwd });
    const counted = '--all-pairs compares 38,416 pairs of cubes (TotalPairCount)';
    expect([code, stdout]).toEqual([0, `0 of 4 pairs of 5 models collide, in 0 cubes of 0.25; ${counted}\n`]);
    expect(readFileSync(join(cwd, 'clash.obj'), 'utf8')).not.toContain('\no ');
  });

  test('refused: one file, a share, names that two files have', async () => {
    const cwd = workspace();
    writeFileSync(join(cwd, 'a.off'), readFileSync(join(cwd, 'a.obj')));
    const refused = async (...more: string[]) =>
      (await run(['cubes', ...more, '--split', 'groups', '--precision', '1'], { cwd })).stderr;
    expect(await refused('a.obj')).toMatch(/^error: --split: expected two files or more/);
    expect(await refused('a.obj', 'b.obj', '--shard', '1/2', '--report', 'blob=found')).toMatch(/leave out --shard\n$/);
    expect(await refused('a.obj', 'a.off')).toMatch(
      /^error: a\.off: expected names of its own, found a\/a, as in a\.obj\n$/,
    );
  });
});
