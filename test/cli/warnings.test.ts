/** Every warning of every reader, in every command that reads; and what becomes of each element. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { WRITERS } from '../../src/report/writers.ts';
import { expectLine, makeFolder, type Outcome, run } from '../support/cli.ts';
import { BOX, cornersOf, stlBinary, stlText } from '../support/mesh-files.ts';
import { FILES, writeFiles } from '../support/readers-files.ts';
import { boxText } from '../support/shapes.ts';

/** Warnings may stand before the line that refuses. */
function expectRefused({ code, stdout, stderr }: Outcome, line: RegExp): void {
  expect([code, stdout]).toEqual([2, '']);
  const lines = stderr.split(/(?<=\n)/);
  for (const before of lines.slice(0, -1)) expect(before).toMatch(/^(warning|error): .*\n$/);
  expectLine(lines.at(-1)!, line);
}

interface Line {
  type?: string;
  class?: string;
  subject?: string;
  message?: string;
  [key: string]: unknown;
}

const linesOf = (stdout: string): Line[] =>
  stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

/** Warnings about a file, as records and as the summary lists them. */
const warnedOf = (lines: Line[], file: string): [records: string[], listed: string[]] => {
  const summary = lines.at(-1) as { warnings?: unknown; fileWarnings?: string[] };
  const list = (Array.isArray(summary.warnings) ? (summary.warnings as string[]) : summary.fileWarnings) ?? [];
  const of = (texts: string[]): string[] =>
    texts.filter((text) => text.startsWith(`${file}: `)).map((text) => text.slice(file.length + 2));
  return [
    of(lines.filter(({ type }) => type === 'warning').map(({ subject, message }) => `${subject}: ${message}`)),
    of(list),
  ];
};

describe('every warning of every reader arrives', { tags: ['all'] }, () => {
  const cwd = makeFolder();
  beforeAll(() => {
    writeFiles(cwd);
    writeFileSync(join(cwd, 'far.obj'), boxText('far', 1000));
  });

  const expectAll = (found: readonly string[], warnings: readonly RegExp[]): void => {
    for (const warning of warnings) expect(found).toContainEqual(expect.stringMatching(warning));
    expect(found.length).toBe(warnings.length);
  };
  const onStderr = (stderr: string, file: string): string[] =>
    stderr.split('\n').flatMap((line) => {
      const start = `warning: ${file}: `;
      return line.startsWith(start) ? [line.slice(start.length)] : [];
    });

  test.each(FILES)('scene: $name', async ({ name, warnings }) => {
    const { stdout, stderr } = await run(['scene', name, 'far.obj', '--units', 'm', '--json'], { cwd });
    expectAll(onStderr(stderr, name), warnings);
    for (const found of warnedOf(linesOf(stdout), name)) expectAll(found, warnings);
  });

  test.each(FILES)('scene of a scene file, frame by frame: $name', async ({ name, warnings }) => {
    const scene = {
      gicollide: 'scene/1',
      units: 'm',
      assets: { it: { file: name, split: 'elements' }, far: 'far.obj' },
      instances: ['it', 'far'].map((own) => ({ name: own, asset: own })),
      frames: [{ poses: {} }],
    };
    writeFileSync(join(cwd, 'moving.scene.json'), JSON.stringify(scene));
    const { stdout, stderr } = await run(['scene', 'moving.scene.json', '--json'], { cwd });
    expectAll(onStderr(stderr, name), warnings);
    for (const found of warnedOf(linesOf(stdout), name)) expectAll(found, warnings);
  });

  test.each(FILES.filter(({ name }) => name !== 'arm.urdf'))('lint, cubes: $name', async ({ name, warnings }) => {
    for (const command of [['lint'], ['cubes', '--precision', '0.25', '--units', 'm', 'far.obj']]) {
      const { stdout, stderr } = await run([...command, name, '--json'], { cwd });
      expectAll(onStderr(stderr, name), warnings);
      for (const found of warnedOf(linesOf(stdout), name)) expectAll(found, warnings);
    }
  });

  test.each(FILES)('view, info, check: $name', async ({ name, warnings }) => {
    const view = await run(['view', name, 'far.obj', '--units', 'm', '--html', 'page.html'], { cwd });
    expectAll(onStderr(view.stderr, name), warnings);
    const info = await run(['info', name], { cwd });
    expectAll(onStderr(info.stderr, name), warnings);
    if (name === 'arm.urdf') return;
    const check = await run(['check', name, name], { cwd });
    for (const warning of warnings) expect(onStderr(check.stderr, name)).toContainEqual(expect.stringMatching(warning));
  });

  test('stored images, SRDF and joint states, too', async () => {
    writeFileSync(join(cwd, 'r.srdf'), '<robot name="q"><group_state name="s" group="g"/></robot>');
    writeFileSync(join(cwd, 'states.csv'), 'time,to-tool\n0,0\n');
    const robot = ['scene', 'arm.urdf', '--srdf', 'r.srdf', '--states', 'states.csv', '--json'];
    const { stdout, stderr } = await run(robot, { cwd });
    expect(stderr).toMatch(/warning: r\.srdf: it describes robot "q"/);
    const lines = linesOf(stdout);
    expect(warnedOf(lines, 'r.srdf')).toEqual([[expect.stringMatching(/robot "q"/)], [expect.stringMatching(/"q"/)]]);
    expect(warnedOf(lines, 'states.csv')[0]).toEqual([expect.stringMatching(/joint to-tool/)]);
  });

  test.each(WRITERS.map(({ name }) => name))('a report: %s', async (format) => {
    const args = ['scene', 'behind.stl', 'empty.stl', '--report', `${format}=report`, '--bcf-version', '2.1'];
    await run(args, { cwd });
    const report = readFileSync(join(cwd, 'report'));
    if (format === 'bcf') return expect(report.length).toBeGreaterThan(500);
    expect(report.toString()).toMatch(/84 bytes after the last triangle were skipped/);
  });
});

/** A box, another one that has a free-form surface, too, and one that is nothing else; a wire. */
const PARTS = `${boxText('whole', 0)}${boxText('part', 5, 8)}surf 0 1 0 1 1 2 3 4\no gone\nsurf 0 1 0 1 1 2 3 4\no wire\nl 1 2\n`;

describe('what becomes of each element', () => {
  const cwd = makeFolder();
  beforeAll(() => {
    writeFileSync(join(cwd, 'parts.obj'), PARTS);
    writeFileSync(join(cwd, 'wire.obj'), `${boxText('box', 0)}o wire\nl 1 2\n`);
  });
  const coverageOf = (lines: Line[]): unknown => lines.at(-1)!.coverage;

  test('a missing surface is a finding, and the exit code is 2; a wire is left out by rule', async () => {
    const text = await run(['scene', 'parts.obj'], { cwd });
    expect([text.code, text.stdout.replace(/, [\d.]+ s\n/, '\n').replaceAll(/[0-9a-f]{8}/g, 'ID')]).toEqual([
      2,
      'unchecked  part  ID  parts.obj: free-form surfaces are not read\n' +
        'unchecked  gone  ID  parts.obj: free-form surfaces are not read\n\n' +
        '4 objects: 1 checked, 1 left out by rule, 2 not readable\n' +
        '1 pair: 1 apart by their boxes, 0 checked, 0 in contact, 0 undecided\n' +
        '2 problems (2 errors, 0 warnings)\n',
    ]);
    const { code, stdout } = await run(['scene', 'parts.obj', '--json'], { cwd });
    const lines = linesOf(stdout);
    expect([code, coverageOf(lines)]).toEqual([2, { elements: 4, checked: 1, leftOut: 1, allowed: 0, unchecked: 2 }]);
    expect(lines.filter(({ class: found }) => found === 'unchecked')).toMatchObject(
      [
        { type: 'finding', level: 'error', a: { name: 'part', file: 'parts.obj' }, reason: /free-form/ },
        { type: 'finding', level: 'error', a: { name: 'gone', file: 'parts.obj' } },
      ].map((each) => ({ ...each, reason: expect.stringMatching(/free-form/) })),
    );
  });

  test.each([['lint'], ['cubes', '--precision', '0.5'], ['view', '--html', 'page.html']])(
    '%s counts it, too',
    async (...command) => {
      const { code, stdout, stderr } = await run([...command, 'parts.obj'], { cwd });
      expect([code, stderr]).toEqual([2, expect.stringMatching(/parts\.obj: free-form .*; unchecked: part, gone\n/)]);
      if (command[0] !== 'view') expect(stdout).toMatch(/4 \w+: 1 checked, 1 left out by rule, 2 not readable[;\n]/);
      const allowed = await run([...command, 'parts.obj', '--allow-incomplete', 'part', '--allow-incomplete', 'g*'], {
        cwd,
      });
      expect([allowed.code, allowed.stderr.includes('unchecked')]).toEqual([0, false]);
    },
  );

  test('a missing endsolid is a missing part', async () => {
    const open = stlText('open', cornersOf(BOX)).replace(/endsolid.*\n/, '');
    writeFileSync(
      join(cwd, 'cut.stl'),
      stlText(
        'whole',
        cornersOf(BOX).map(([x, y, z]) => [x + 9, y, z]),
      ) + open,
    );
    const { code, stdout } = await run(['scene', 'cut.stl'], { cwd });
    expect([code, stdout]).toEqual([
      2,
      expect.stringMatching(/^unchecked {2}open {2}[0-9a-f]{8} {2}cut\.stl: no endsolid: /m),
    ]);
  });

  test('--allow-incomplete takes it back, is counted, and must match', async () => {
    const args = ['scene', 'parts.obj', '--allow-incomplete', 'part', '--json'];
    const one = await run(args, { cwd });
    expect([one.code, coverageOf(linesOf(one.stdout))]).toEqual([
      2,
      { elements: 4, checked: 1, leftOut: 1, allowed: 1, unchecked: 1 },
    ]);
    const both = await run([...args, '--allow-incomplete', 'g?ne'], { cwd });
    const lines = linesOf(both.stdout);
    expect([both.code, lines.at(-1)!.incomplete]).toEqual([
      0,
      ['part', 'g?ne'].map((a) => ({ a, reason: '--allow-incomplete', elements: 1 })),
    ]);
    expectRefused(
      await run(['scene', 'parts.obj', '--allow-incomplete', 'prat'], { cwd }),
      /incomplete: "prat" matches no incomplete object; did you mean "part"\?/,
    );
    expectRefused(await run(['scene', 'parts.obj', '--allow-incomplete', 'whole'], { cwd }), /matches no incomplete/);
  });

  test('so does "incomplete" of a scene file and of a project', async () => {
    const scene = {
      gicollide: 'scene/1',
      assets: { parts: { file: 'parts.obj', split: 'elements' }, broken: 'broken.obj' },
      instances: ['parts', 'broken'].map((name) => ({ name, asset: name })),
      groups: { lost: ['parts/gone', 'parts/part'] },
      incomplete: [{ a: 'lost', reason: 'drawn elsewhere' }],
    };
    writeFileSync(join(cwd, 'broken.obj'), 'v 0 0\n');
    writeFileSync(join(cwd, 'a.scene.json'), JSON.stringify(scene));
    const { code, stdout } = await run(['scene', 'a.scene.json', '--json'], { cwd });
    const summary = linesOf(stdout).at(-1)!;
    expect([code, summary.coverage, summary.incomplete]).toEqual([
      2,
      { elements: 5, checked: 1, leftOut: 1, allowed: 2, unchecked: 1 },
      [{ a: 'lost', reason: 'drawn elsewhere', elements: 2 }],
    ]);
    const allow = (incomplete: object[]): void =>
      writeFileSync(
        join(cwd, 'gicollide.json'),
        JSON.stringify({ gicollide: 'project/1', scenes: [{ files: 'a.scene.json', incomplete }] }),
      );
    allow([{ a: 'broken' }]);
    expect((await run(['scene'], { cwd })).code).toBe(0);
    allow([{ a: 'broken' }, { a: 'brokn' }]);
    expectRefused(await run(['scene'], { cwd }), /"brokn" matches no incomplete object/);
  });

  test('one object: the line names what is not there', async () =>
    expectRefused(
      await run(['scene', 'wire.obj'], { cwd }),
      /wire\.obj: 1 object, and pairs take two or more; left out by rule: wire$/m,
    ));

  test('a folder: a file of lines alone is left out by rule', async () => {
    const folder = makeFolder();
    for (const [name, x] of [
      ['a', 0],
      ['b', 5],
    ] as const)
      writeFileSync(join(folder, `${name}.obj`), boxText(name, x));
    writeFileSync(join(folder, 'wire.obj'), 'v 0 0 0\nv 1 0 0\nl 1 2\n');
    const { code, stdout } = await run(['scene', folder], { cwd: folder });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^3 objects: 2 checked, 1 left out by rule\n1 pair/)]);
  });

  test('no baseline records it, and nothing known is gone by it', async () => {
    const folder = makeFolder();
    const write = (more: string): void =>
      writeFileSync(join(folder, 'm.obj'), `${boxText('a', 0)}${boxText('b', 0.5, 8)}${more}`);
    write('');
    const args = ['scene', 'm.obj', '--baseline', 'base.json'];
    expect((await run([...args, '--update-baseline'], { cwd: folder })).code).toBe(1);
    const before = readFileSync(join(folder, 'base.json'), 'utf8');
    // The second box is gone, but for a surface that cannot be read.
    writeFileSync(join(folder, 'm.obj'), `${boxText('a', 0)}${boxText('c', 9, 8)}o b\nsurf 0 1 0 1 1 2 3 4\n`);
    const { code, stdout } = await run([...args, '--update-baseline', '--prune-baseline'], { cwd: folder });
    expect([code, stdout]).toEqual([2, expect.stringMatching(/base\.json: 0 new, 1 unchecked\n/)]);
    expect(readFileSync(join(folder, 'base.json'), 'utf8')).toBe(before);
    // It has moved away, and lacks a part, which may still touch; also if the part may be missing.
    writeFileSync(join(folder, 'm.obj'), `${boxText('a', 0)}${boxText('b', 9, 8)}surf 0 1 0 1 1 2 3 4\n`);
    for (const more of [[], ['--allow-incomplete', 'b']]) {
      const known = await run([...args, ...more, '--json'], { cwd: folder });
      const lines = linesOf(known.stdout);
      expect([known.code, lines.map(({ type }) => type)]).toEqual([
        more.length > 0 ? 0 : 2,
        [...(more.length > 0 ? [] : ['finding']), 'unchecked', 'summary'],
      ]);
      expect(lines.find(({ class: found }) => found === 'unchecked')?.state).toBeUndefined();
    }
    write('');
    expect((await run(args, { cwd: folder })).stdout).toMatch(/1 known/);
  });

  test('shards keep it, and merge tells it; so does view of the findings', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'm.obj'), `${PARTS}${boxText('third', 0.5, 16)}`);
    const one = await run(['scene', 'm.obj', '--json'], { cwd: folder });
    for (const shard of ['1/2', '2/2'])
      expect((await run(['scene', 'm.obj', '--shard', shard, '--report', 'blob=found'], { cwd: folder })).code).toBe(2);
    const merged = await run(['merge', 'found', '--json'], { cwd: folder });
    const untimed = (text: string): string => text.replace(/"ms":\{[^}]*\}/, '');
    expect({ ...merged, stdout: untimed(merged.stdout) }).toEqual({ ...one, stdout: untimed(one.stdout) });
    writeFileSync(join(folder, 'found.ndjson'), one.stdout);
    const view = await run(['view', 'found.ndjson', '--html', 'page.html'], { cwd: folder });
    expect([view.code, view.stdout]).toEqual([0, expect.stringMatching(/^wrote page\.html: 3 objects, 3 findings/)]);
  });

  test('files of shards that 0.1 wrote are still merged', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'm.obj'), `${boxText('a', 0)}${boxText('b', 0.5, 8)}`);
    await run(['scene', 'm.obj', '--shard', '1/1', '--report', 'blob=found'], { cwd: folder });
    const file = join(folder, 'found', 'shard-1-of-1.ndjson');
    const lines = linesOf(readFileSync(file, 'utf8'));
    const { partial: _, facts, ...header } = lines[0] as { partial: unknown; facts: { coverage?: unknown } };
    delete facts.coverage;
    const { open: __, ...summary } = lines.at(-1)!;
    const old = [{ ...header, facts }, ...lines.slice(1, -1), summary];
    writeFileSync(file, old.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const { code, stdout } = await run(['merge', 'found'], { cwd: folder });
    expect([code, stdout]).toEqual([1, expect.stringMatching(/\n2 objects\n1 pair: 0 apart/)]);
  });

  test('docs/scene.md shows the whole output of a scene', async () => {
    const folder = makeFolder();
    const wall = boxText('wall', 2, 8);
    const hall = `${boxText('floor', 0, 0, 2)}${wall}o dome\nsurf 0 1 0 1 1 2 3 4\no wire\nl 1 2\n`;
    writeFileSync(join(folder, 'hall.obj'), hall);
    const bolt = stlBinary(cornersOf(BOX).map(([x, y, z]) => [0.5 + x, 0.5 + y, 1.75 + z]));
    writeFileSync(join(folder, 'bolt.stl'), Uint8Array.from([...bolt, ...new Uint8Array(84)]));
    const { stdout, stderr } = await run(['scene', 'hall.obj', 'bolt.stl'], { cwd: folder });
    const page = readFileSync(new URL('../../docs/scene.md', import.meta.url), 'utf8');
    const sample = /```\n\$ gicollide scene hall\.obj bolt\.stl\n([\s\S]*?)```/.exec(page)![1];
    const untimed = (text: string): string => text.replace(/[\d.]+ s\n/, 's\n');
    expect(untimed(stderr + stdout)).toBe(untimed(sample));
  });

  test('open objects are counted, and --verbose names them', async () => {
    const folder = makeFolder();
    const lid = boxText('open', 5, 8).replace(/f 9 11 12 10\n/, '');
    writeFileSync(join(folder, 'm.obj'), `${boxText('a', 0)}${lid}`);
    const { stdout, stderr } = await run(['scene', 'm.obj', '--verbose'], { cwd: folder });
    expect(stdout).toMatch(/^2 objects: 1 object open$/m);
    expect(stderr).toMatch(/open: open is open at 4 edges/);
    expect((await run(['scene', 'm.obj', '--solid', 'off'], { cwd: folder })).stdout).not.toMatch(/ open/);
  });
});
