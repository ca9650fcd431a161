/** `--shard`, `--report blob` and `gicollide merge`: shards together are the one run without; what is none is refused. */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeBuilding } from '../../scripts/make-building.mjs';
import { makeSchema } from '../../scripts/make-schema.mjs';
import { schemaNotes } from '../../src/base/schema-notes.ts';
import { runOf, shardSchema } from '../../src/cli/shards/shard-file.ts';
import { expectFailure, listFiles, makeFolder, run } from '../support/cli.ts';
import { long, some } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { boxText } from '../support/shapes.ts';

/** Those that show pictures have a test of their own: drawing takes longer than finding. */
const REPORTS = ['junit', 'sarif', 'gitlab', 'github', 'github-summary', 'markdown', 'csv'];
const DRAWN = ['bcf', 'html'];
const reportsTo = (folder: string): string[] => ['--report', ...REPORTS.map((name) => `${name}=${folder}/${name}`)];

/** Runs every shard; what they leave lies in `found`. */
async function runShards(cwd: string, args: string[], count: number, folder = 'found'): Promise<void> {
  for (let index = 1; index <= count; index++) {
    const outcome = await run([...args, '--shard', `${index}/${count}`, '--report', `blob=${folder}`], { cwd });
    expect(outcome.stderr.replaceAll(/.*unchecked: .*\n/g, '')).toBe('');
  }
}

/** Without what no two runs have: how long they took. */
const untimed = (text: string): string =>
  text.replaceAll(/"ms":(\{[^}]*\}|\d+)/g, '"ms":0').replaceAll(/, \d+\.\d s$/gm, '');

/** Holds a merge to the run that it is of: text, --json, every report, the baseline, the exit code. */
async function expectMerged(cwd: string, args: string[], more: string[] = [], folder = 'found'): Promise<string> {
  const file = join(cwd, 'changing.json');
  const asked = more.map((each) => each.replace('BASE', 'changing.json'));
  /** A run, on a fresh copy of the baseline, and what becomes of that. */
  const runOn = async (command: string[]) => {
    if (more.includes('BASE')) copyFileSync(join(cwd, 'base.json'), file);
    const outcome = await run([...command, ...asked], { cwd });
    return { ...outcome, base: more.includes('BASE') ? readFileSync(file, 'utf8') : '' };
  };
  for (const name of ['one', 'merged']) mkdirSync(join(cwd, name), { recursive: true });
  const one = await runOn([...args, '--json', ...reportsTo('one')]);
  const merged = await runOn(['merge', folder, '--json', ...reportsTo('merged')]);
  expect({ ...merged, stdout: untimed(merged.stdout) }).toEqual({ ...one, stdout: untimed(one.stdout) });
  for (const name of REPORTS)
    expect(readFileSync(join(cwd, 'merged', name)).equals(readFileSync(join(cwd, 'one', name))), name).toBe(true);
  const text = await runOn(args);
  const mergedText = await runOn(['merge', folder]);
  expect({ ...mergedText, stdout: untimed(mergedText.stdout) }).toEqual({ ...text, stdout: untimed(text.stdout) });
  return text.stdout;
}

/** Boxes of many assets, with rules, allowances, a file that is none, one against others. */
function writeBoxes(cwd: string): void {
  const random = seeded(7);
  const row = (n: number): string =>
    Array.from({ length: n }, (_, i) => boxText(`box-${i}`, i === 0 ? 0 : i * 0.75 + (i % 3) * 0.25, 8 * i)).join('');
  writeFileSync(join(cwd, 'row.obj'), row(6));
  writeFileSync(join(cwd, 'one.obj'), boxText('one', 0));
  writeFileSync(join(cwd, 'leaf.obj'), 'o leaf\nv 0 0 0\nv 1 0 0.5\nv 0 1 0\nf 1 2 3\n');
  writeFileSync(join(cwd, 'broken.obj'), 'v 0 0 zero\n');
  const spread = (): number[] => [0, 1, 2].map(() => random.between(0, 2.5));
  const instances = [
    { name: 'row', asset: 'row' },
    ...Array.from({ length: 8 }, (_, i) => ({ name: `part-${i}`, asset: 'one', translate: spread() })),
    { name: 'leaf', asset: 'leaf', translate: [0.5, 0.5, 0.25] },
    { name: 'lost-1', asset: 'broken' },
    { name: 'lost-2', asset: 'broken' },
  ];
  const scene = {
    gicollide: 'scene/1',
    assets: { row: { file: 'row.obj', split: 'groups' }, one: 'one.obj', leaf: 'leaf.obj', broken: 'broken.obj' },
    instances,
    groups: { parts: ['part-*'] },
    rules: [
      { id: 'parts', a: 'parts', b: 'row/*', clearance: 0.25, tolerance: 0.05 },
      { id: 'all', a: '*', b: '*', fail: ['overlap', 'inside'], severity: 'warning' },
    ],
    allow: [{ a: 'row/box-1', b: 'row/box-2', reason: 'they are one' }],
  };
  writeFileSync(join(cwd, 'room.scene.json'), JSON.stringify(scene));
  const { rules: _, allow: __, groups: ___, ...plain } = scene;
  const sound = { ...plain, instances: instances.filter(({ asset }) => asset !== 'broken') };
  writeFileSync(join(cwd, 'plain.scene.json'), JSON.stringify(sound));
}

describe('five shards of a building', () => {
  const cwd = makeFolder();
  beforeAll(async () => {
    writeFileSync(join(cwd, 'b.obj'), makeBuilding({ storeys: long ? 2 : 1, seed: 1 }).obj);
    await runShards(cwd, ['scene', 'b.obj', '--quiet'], 5);
  }, 600_000);

  test('each has its own pairs, and all together have all', async () => {
    const summaries = listFiles(join(cwd, 'found')).map((file) => {
      const lines = readFileSync(join(cwd, 'found', file), 'utf8')
        .trim()
        .split('\n');
      return JSON.parse(lines[lines.length - 1]);
    });
    const whole = JSON.parse((await run(['scene', 'b.obj', '--json'], { cwd })).stdout.trim().split('\n').at(-1)!);
    expect(summaries.map(({ shard }) => `${shard.index}/${shard.count}`)).toEqual(['1/5', '2/5', '3/5', '4/5', '5/5']);
    expect(summaries.reduce((sum, { checked }) => sum + checked, 0)).toBe(whole.checked);
    for (const { apart, checked, shard } of summaries) {
      expect(apart).toBe(whole.apart);
      expect(checked + shard.others).toBe(whole.checked);
    }
  });

  test('merge prints what one run prints, as text and --json', async () => {
    for (const more of [[], ['--json'], ['--verbose']]) {
      const one = await run(['scene', 'b.obj', ...more], { cwd });
      const merged = await run(['merge', 'found', ...more], { cwd });
      expect(merged.code).toBe(one.code);
      expect(untimed(merged.stdout)).toBe(untimed(one.stdout));
    }
    expect((await run(['merge', 'found'], { cwd })).stdout).toMatch(/^overlap /m);
  });

  test('a line of each kind is of the schema', () => {
    const holds = new Ajv2020({ strict: false }).compile(JSON.parse(makeSchema(shardSchema, schemaNotes)));
    for (const line of readFileSync(join(cwd, 'found/shard-3-of-5.ndjson'), 'utf8').trim().split('\n'))
      expect(holds(JSON.parse(line)), line.slice(0, 200)).toBe(true);
  });
});

describe('shards of a scene are the one run', () => {
  const cwd = makeFolder();
  writeBoxes(cwd);
  const base = (): Promise<unknown> =>
    run(['scene', 'plain.scene.json', '--baseline', 'base.json', '--update-baseline'], { cwd });

  test.each([
    ['rules, allowances, and a file that is none', ['scene', 'room.scene.json'], 4],
    ['all that touches', ['scene', 'plain.scene.json', '--all', '--distance', '--max-contacts', '5'], 3],
    ['one against another, and more shards than pairs', ['scene', 'one.obj', '--against', 'row.obj'], 9],
    [
      'clearance, and classes that fail',
      ['scene', 'row.obj', 'leaf.obj', '--clearance', '0.5', '--fail-on', 'touch'],
      2,
    ],
    ['surfaces', ['scene', 'plain.scene.json', '--solid', 'off', '--patches'], 2],
  ])('%s', async (_, args, count) => {
    await runShards(cwd, args, count, `found-${count}`);
    const text = await expectMerged(cwd, args, [], `found-${count}`);
    expect(text).toMatch(/checked/);
    rmSync(join(cwd, `found-${count}`), { recursive: true });
  });

  test('a baseline: new, known, gone, and not looked for', { tags: ['long'] }, async () => {
    await base();
    const known = JSON.parse(readFileSync(join(cwd, 'base.json'), 'utf8'));
    const [first, second, third] = known.findings.filter((each: object | null) => each);
    const other = { ...second, id: '00000000000000aa', names: ['nobody', 'noone'] };
    const gone = { ...third, id: '00000000000000bb', names: ['part-0', 'row/box-5'], class: 'overlap' };
    const worse = { ...third, size: { kind: 'thickness', lower: 0.0001, upper: 0.0001 } };
    const kept = known.findings.filter((each: { id: string } | null) => each?.id !== first.id && each?.id !== third.id);
    known.findings = [other, gone, worse, ...kept];
    writeFileSync(join(cwd, 'base.json'), JSON.stringify(known));
    const args = ['scene', 'plain.scene.json'];
    await runShards(cwd, args, 3);
    for (const more of [
      [],
      ['--prune-baseline'],
      ['--update-baseline', '--note', `${third.id}=seen`],
      ['--fail-on-gone'],
    ])
      expect(await expectMerged(cwd, args, ['--baseline', 'BASE', ...more])).toMatch(/1 new, .*1 gone.*, 1 unchecked/);
    // A share says of what others look at that nobody has looked.
    const shares = [1, 2, 3].map((n) => run([...args, '--baseline', 'base.json', '--shard', `${n}/3`], { cwd }));
    const texts = (await Promise.all(shares)).map(({ stdout }) => stdout);
    for (const text of texts) expect(text).toMatch(/ unchecked\n/);
    expect(texts.filter((text) => / 1 gone/.test(text)).length).toBeGreaterThan(0);
    rmSync(join(cwd, 'found'), { recursive: true });
  });

  test('pictures, of the files as they lie there', { tags: ['long'] }, async () => {
    const args = ['scene', 'one.obj', '--against', 'leaf.obj', 'row.obj'];
    await runShards(cwd, args, 2);
    const drawnTo = (folder: string): string[] => ['--report', ...DRAWN.map((name) => `${name}=${folder}.${name}`)];
    await run([...args, ...drawnTo('one')], { cwd });
    await run(['merge', 'found', ...drawnTo('merged')], { cwd });
    for (const name of DRAWN)
      expect(readFileSync(join(cwd, `merged.${name}`)).equals(readFileSync(join(cwd, `one.${name}`))), name).toBe(true);
    rmSync(join(cwd, 'found'), { recursive: true });
  });

  test('without --shard the blob is the whole', async () => {
    const args = ['scene', 'plain.scene.json'];
    expect(await run([...args, '--report', 'blob=whole', 'csv=one.csv'], { cwd })).toMatchObject({ stderr: '' });
    expect(listFiles(join(cwd, 'whole'))).toEqual(['shard-1-of-1.ndjson']);
    await expectMerged(cwd, args, [], 'whole');
  });
});

describe('shards of cubes are the one run', () => {
  const cwd = makeFolder();
  writeBoxes(cwd);

  const questions: [string, string[], number][] = [
    ['surfaces', [], 3],
    ['filled', ['--fill'], 2],
    ['all pairs, contact expected', ['--all-pairs', '--expect', 'contact', '--device', 'cpu'], 4],
  ];
  test.each(some(2, questions))('%s', { tags: ['quick', 'long'] }, async (_, flags, count) => {
    const args = ['cubes', 'row.obj', '--precision', '0.03', ...flags];
    await runShards(cwd, args, count);
    expect(await expectMerged(cwd, args)).toMatch(/ of 15 pairs of 6 models collide/);
    rmSync(join(cwd, 'found'), { recursive: true });
  });

  test('cubes that are stored, with a baseline', async () => {
    await run(['build', 'one.obj', 'leaf.obj', 'row.obj', '-f', 'voxel', '--precision', '0.05', '-o', 'v'], { cwd });
    const args = ['cubes', 'v'];
    const known = await run([...args, '--baseline', 'base.json', '--update-baseline'], { cwd });
    expect(known.stdout).toContain('base.json: 3 new');
    await runShards(cwd, args, 3);
    await expectMerged(cwd, args, ['--baseline', 'BASE']);
  });

  test('--obj is of the whole', async () => {
    const line = '--obj: needs all of space, and a shard has a part; leave out --shard';
    expectFailure(
      await run(['cubes', 'row.obj', '--precision', '1', '--obj', 'x.obj', '--shard', '1/2'], { cwd }),
      line,
    );
  });
});

describe('refused in a line', () => {
  const cwd = makeFolder();
  const file = (n: number, folder = 'found'): string => join(cwd, folder, `shard-${n}-of-3.ndjson`);
  const merge = (...args: string[]) => run(['merge', ...args], { cwd });
  beforeAll(async () => {
    writeBoxes(cwd);
    await runShards(cwd, ['scene', 'plain.scene.json'], 3);
    await runShards(cwd, ['scene', 'plain.scene.json', '--clearance', '0.1'], 3, 'wider');
    await runShards(cwd, ['scene', 'row.obj'], 3, 'row');
    await runShards(cwd, ['cubes', 'row.obj', '--precision', '0.1'], 3, 'cubes');
    await runShards(cwd, ['scene', 'plain.scene.json'], 4, 'four');
  }, 600_000);
  /** The first shard, changed, in a folder of its own. */
  const changed = (change: (lines: string[]) => string[]): string => {
    const folder = makeFolder();
    const lines = readFileSync(file(1), 'utf8').split('\n');
    writeFileSync(join(folder, 'shard.ndjson'), change(lines).join('\n'));
    return join(folder, 'shard.ndjson');
  };
  const withHeader = (change: (header: Record<string, unknown>) => object): string =>
    changed(([first, ...rest]) => {
      const header = { ...JSON.parse(first), ...change(JSON.parse(first)) };
      return [JSON.stringify({ ...header, run: runOf(header) }), ...rest];
    });

  test('missing, twice, of another number', async () => {
    expectFailure(
      await merge(file(1), file(3)),
      /shard-1-of-3\.ndjson: expected all shards of its run, missing: 2\/3$/,
    );
    expectFailure(
      await merge(file(1), file(2), file(1)),
      /shard-1-of-3\.ndjson: shard 1\/3 comes twice: it is also in .*ndjson$/,
    );
    expectFailure(
      await merge('found', 'four'),
      /expected a shard of the run of .*: it has another number of shards, expected 3, found 4$/,
    );
  });

  test('of another scene, other options, another command, another version', async () => {
    expectFailure(
      await merge(file(1), file(2, 'row')),
      /: it has other objects \(names, poses, files, or readable elements\)$/,
    );
    expectFailure(await merge(file(1), file(2, 'wider')), /: it has other options: clearance$/);
    expectFailure(
      await merge(file(1), file(2, 'cubes')),
      /: it is of another command, expected "scene", found "cubes"$/,
    );
    const older = withHeader(() => ({ tool: 'gicollide 0.0.9' }));
    expectFailure(
      await merge(file(2), older),
      /: it has another version of the tool, expected "gicollide .*, found "gicollide 0\.0\.9"$/,
    );
    const newer = changed(([first, ...rest]) => [first.replace('shard/1', 'shard/2'), ...rest]);
    expectFailure(
      await merge(newer),
      /:1: expected shard\/1, which this version of gicollide knows, found "shard\/2"$/,
    );
  });

  test('cubes whose counts by model are others, and none, as files of 0.1 have', async () => {
    const cubes = (change: (summary: Record<string, unknown>) => unknown): string => {
      const lines = readFileSync(file(1, 'cubes'), 'utf8').trim().split('\n');
      const path = join(makeFolder(), 'shard.ndjson');
      const last = JSON.parse(lines[lines.length - 1]);
      change(last);
      writeFileSync(path, [...lines.slice(0, -1), JSON.stringify(last), ''].join('\n'));
      return path;
    };
    const others = [file(2, 'cubes'), file(3, 'cubes')];
    const one = cubes((summary) => ++(summary.counts as number[])[0]);
    expectFailure(await merge(one, ...others), /: expected counts of \d+ cubes, as the summary says, found \d+$/);
    const few = cubes((summary) => (summary.counts as number[]).pop());
    expectFailure(await merge(few, ...others), /: expected counts of 6 models, found 5$/);
    const { code, stdout } = await merge(
      cubes((summary) => delete summary.counts),
      ...others,
    );
    expect([code, stdout]).toEqual([1, expect.not.stringContaining('TotalPairCount')]);
  });

  test('cut, changed, empty, no shard', async () => {
    expectFailure(
      await merge(changed((lines) => lines.slice(0, -2))),
      /: expected a summary as the last line, found none: the file is incomplete$/,
    );
    expectFailure(
      await merge(changed((lines) => [lines[0], ...lines.slice(2)])),
      /: expected \d+ findings of class \w+, as the file says, found \d+$/,
    );
    expectFailure(
      await merge(changed((lines) => [...lines, lines[1]])),
      /: expected nothing after the summary, found another line$/,
    );
    expectFailure(
      await merge(changed(([a, b, c, ...rest]) => [a, c, b, ...rest])),
      /: expected pairs of two numbers, ascending, found \d+$/,
    );
    expectFailure(
      await merge(changed(([a, ...rest]) => [a.replace('"all":false', '"all":true'), ...rest])),
      /: expected run: [0-9a-f]{64}, computed from this line, found [0-9a-f]{64}$/,
    );
    mkdirSync(join(cwd, 'empty'));
    expectFailure(
      await merge('empty'),
      'empty: expected a folder with shards, which --report blob=dir writes, found none',
    );
    expectFailure(
      await merge('row.obj'),
      'row.obj: expected a shard, which --report blob=dir writes, found another file',
    );
    copyFileSync(new URL('../golden/manifest-v1.json', import.meta.url), join(cwd, 'manifest.json'));
    expectFailure(
      await merge('manifest.json'),
      /^manifest\.json: expected a shard, .*, found a manifest: --manifest <file> says where the merged one goes$/,
    );
    expectFailure(await merge('nowhere'), /^nowhere: no such file/);
  });

  test('what else lies in the folder is skipped with a warning', async () => {
    writeFileSync(join(cwd, 'found/notes.txt'), 'nothing');
    const { code, stderr } = await merge('found');
    expect(code).toBe(1);
    expect(stderr).toMatch(/found\/notes\.txt: not a shard; skipped\n$/);
    rmSync(join(cwd, 'found/notes.txt'));
  });

  test('shares of what cannot be shared', async () => {
    const frames = {
      gicollide: 'scene/1',
      assets: { a: 'one.obj' },
      instances: [
        { name: 'a', asset: 'a' },
        { name: 'b', asset: 'a' },
      ],
      frames: [{ poses: {} }],
    };
    writeFileSync(join(cwd, 'frames.scene.json'), JSON.stringify(frames));
    const shard = (...args: string[]) => run(['scene', ...args], { cwd });
    expectFailure(
      await shard('row.obj', '--shard', '1/2', '--budget', '5'),
      '--shard needs the same pairs on each machine, and --budget depends on its speed: leave out --budget',
    );
    expectFailure(
      await shard('frames.scene.json', '--shard', '1/2'),
      '--shard cannot split frames, which follow from each other: leave it out',
    );
    expectFailure(
      await shard('frames.scene.json', '--continuous', '--report', 'blob=x'),
      /^--report blob cannot split a motion/,
    );
    expectFailure(await shard('row.obj', '--shard', '3/2'), /shard "3\/2": expected i\/n, such as 2\/5/);
    expectFailure(
      await shard('row.obj', '--report', 'blob=row.obj'),
      'row.obj: expected a folder for --report blob, found a file',
    );
    expectFailure(await merge('found', '--report', 'blob=x'), /Expected junit, /);
  });
});

describe('files', () => {
  test('docs/shard.schema.json is that of the code', () => {
    const text = readFileSync(new URL('../../docs/shard.schema.json', import.meta.url), 'utf8');
    expect(text).toBe(makeSchema(shardSchema, schemaNotes));
  });
});
