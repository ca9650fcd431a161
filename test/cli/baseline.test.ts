/** `scene --baseline`: red only for what is new, and how the file changes. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { changeBaseline } from '../../src/cli/findings/baseline-file.ts';
import { writeBaseline } from '../../src/report/baseline.ts';
import type { ReportFinding } from '../../src/report/finding.ts';
import { readBaseline } from '../../src/report/read-baseline.ts';
import { expectFailure, makeFolder, run } from '../support/cli.ts';

/** Boxes along x, each 1 wide, by their names and left ends. */
function writeBoxes(folder: string, boxes: Record<string, number>): void {
  let text = '';
  let vertex = 1;
  for (const [name, x] of Object.entries(boxes)) {
    text += `o ${name}\n`;
    for (let i = 0; i < 8; i++) text += `v ${x + (i & 1)} ${(i >> 1) & 1} ${i >> 2}\n`;
    const faces = ['0 2 3 1', '4 5 7 6', '0 1 5 4', '2 6 7 3', '0 4 6 2', '1 3 7 5'];
    for (const face of faces) text += `f ${face.replaceAll(/\d/g, (i) => String(vertex + Number(i)))}\n`;
    vertex += 8;
  }
  writeFileSync(join(folder, 'boxes.obj'), text);
}

/** A folder with three boxes of which the first two overlap by 0.5, and a baseline that knows it. */
async function known() {
  const cwd = makeFolder();
  writeBoxes(cwd, { a: 0, b: 0.5, c: 3 });
  const first = await run(['scene', 'boxes.obj', '--baseline', 'base.json', '--update-baseline'], { cwd });
  expect(first).toMatchObject({ code: 1, stderr: '' });
  expect(first.stdout).toContain('base.json: 1 new\n');
  const scene = (...args: string[]) => run(['scene', 'boxes.obj', '--baseline', 'base.json', ...args], { cwd });
  return { cwd, scene, file: join(cwd, 'base.json'), text: () => readFileSync(join(cwd, 'base.json'), 'utf8') };
}

const SCHEMA = 'node_modules/gicollide/docs/baseline.schema.json';

const idIn = (text: string): string => /"id":"([0-9a-f]{16})"/.exec(text)![1];

describe('a scene whose clash is known', () => {
  test('passes, and says so; --verbose shows the clash', async () => {
    const { scene } = await known();
    const plain = await scene();
    expect(plain).toMatchObject({ code: 0, stderr: '' });
    expect(plain.stdout).not.toContain('overlap  a  b');
    expect(plain.stdout).toContain('base.json: 0 new, 1 known\n');
    expect((await scene('--verbose')).stdout).toMatch(/^overlap {2}a {2}b .* known$/m);
  });

  test('fails for a new one, and prints that one alone', async () => {
    const { cwd, scene } = await known();
    writeBoxes(cwd, { a: 0, b: 0.5, c: 1.25 });
    const outcome = await scene();
    expect(outcome.code).toBe(1);
    expect(outcome.stdout).toMatch(/^overlap {2}b {2}c .* new$/m);
    expect(outcome.stdout).not.toContain('overlap  a  b');
    expect(outcome.stdout).toContain('base.json: 1 new, 1 known\n');
  });

  test('is judged alike whatever the depth, also by a merge of shards, and off prints no thickness', async () => {
    const { cwd, scene } = await known();
    for (const [x, code] of [
      [0.5, 0],
      [0.46, 0],
      [0.44, 1],
    ]) {
      writeBoxes(cwd, { a: 0, b: x, c: 3 });
      for (const depth of ['off', 'coarse', 'fine']) {
        const outcome = await scene('--json', '--depth', depth);
        expect([depth, x, outcome.code]).toEqual([depth, x, code]);
        expect(outcome.stdout.includes('thickness')).toBe(depth !== 'off');
        for (const part of ['1/2', '2/2'])
          await run(['scene', 'boxes.obj', '--depth', depth, '--shard', part, '--report', 'blob=found'], { cwd });
        const merged = await run(['merge', 'found', '--baseline', 'base.json', '--json'], { cwd });
        expect([depth, x, merged.code, merged.stderr]).toEqual([depth, x, code, '']);
        rmSync(join(cwd, 'found'), { recursive: true });
      }
    }
    expectFailure(await scene('--depth', 'deep'), /--depth.*Allowed choices are off, coarse, fine/);
    expectFailure(
      await scene('--depth', 'fine', '--solid', 'off'),
      '--depth: it applies to solids, and this run checks surfaces',
    );
  });

  test('fails where it gets worse, but not by a tenth', async () => {
    const { cwd, scene } = await known();
    writeBoxes(cwd, { a: 0, b: 0.46, c: 3 });
    expect(await scene()).toMatchObject({ code: 0 });
    expect(await scene('--worse', '5%')).toMatchObject({ code: 1 });
    writeBoxes(cwd, { a: 0, b: 0.25, c: 3 });
    const outcome = await scene();
    expect(outcome.code).toBe(1);
    expect(outcome.stdout).toMatch(/^overlap {2}a {2}b .* worse$/m);
    expect(await scene('--worse', '0.6')).toMatchObject({ code: 0 });
  });

  test('says that it is gone, and fails for that only when told to; --prune-baseline forgets it', async () => {
    const { cwd, scene, text } = await known();
    writeBoxes(cwd, { a: 0, b: 1.5, c: 3 });
    const outcome = await scene();
    expect(outcome.code).toBe(0);
    expect(outcome.stdout).toContain('base.json: 0 new, 1 gone (--prune-baseline forgets them)\n');
    expect(await scene('--fail-on-gone')).toMatchObject({ code: 1 });
    expect(text()).toContain('"names":["a","b"]');
    expect(await scene('--prune-baseline')).toMatchObject({ code: 0 });
    expect(text()).toBe(`{"$schema":"./${SCHEMA}","gicollide":"baseline/1","findings":[\nnull]}\n`);
  });

  test('a new baseline names its schema, from its own folder; an update keeps what the file says', async () => {
    const { cwd, scene, file, text } = await known();
    const parsed = JSON.parse(text());
    expect(parsed.$schema).toBe(`./${SCHEMA}`);
    const schema = JSON.parse(readFileSync(new URL('../../docs/baseline.schema.json', import.meta.url), 'utf8'));
    expect(new Ajv2020().compile(schema)(parsed)).toBe(true);
    mkdirSync(join(cwd, 'a/b'), { recursive: true });
    const schemaOf = async (path: string) => {
      await run(['scene', 'boxes.obj', '--baseline', path, '--update-baseline'], { cwd });
      return JSON.parse(readFileSync(isAbsolute(path) ? path : join(cwd, path), 'utf8')).$schema;
    };
    expect(await schemaOf('a/b/base.json')).toBe(`../../${SCHEMA}`);
    // Outside, the path of the run would tell of this machine.
    expect(await schemaOf(join(makeFolder(), 'base.json'))).toBe(`./${SCHEMA}`);
    // A package nearer to the file.
    mkdirSync(join(cwd, 'a', dirname(SCHEMA)), { recursive: true });
    writeFileSync(join(cwd, 'a', SCHEMA), '{}');
    expect(await schemaOf('a/b/own.json')).toBe(`../${SCHEMA}`);
    for (const head of ['{"$schema":"https://x.org/s.json","gicollide"', '{"gicollide"']) {
      writeFileSync(file, text().replace(/^\{.*?"gicollide"/, head));
      const before = text();
      expect(await scene('--update-baseline')).toMatchObject({ code: 0 });
      expect(text()).toBe(before);
    }
  });

  test('does not say so of what is not in this run: pruning keeps it', async () => {
    const { cwd, scene, text } = await known();
    const before = text();
    writeBoxes(cwd, { a: 0, c: 3 });
    const outcome = await scene('--prune-baseline', '--fail-on-gone');
    expect(outcome.code).toBe(0);
    expect(outcome.stdout).toMatch(
      /base\.json: 0 new, 1 unchecked\n {2}not looked for in this run: a and b \([0-9a-f]{8}\)\n {2}no object: b; after a rename, /,
    );
    expect(text()).toBe(before);
    const json = await scene('--json');
    expect(json.stdout.split('\n').map((line) => line && JSON.parse(line).type)).toEqual(['unchecked', 'summary', '']);
  });

  test('does not say so of what --against leaves out', async () => {
    const { cwd, scene } = await known();
    writeBoxes(cwd, { a: 0, b: 1.5, c: 3 });
    writeFileSync(join(cwd, 'other.obj'), 'o x\nv 9 9 9\nv 8 9 9\nv 9 8 9\nf 1 2 3\n');
    expect((await scene('--against', 'other.obj')).stdout).toContain('0 new, 1 unchecked\n');
  });

  test('notes and what is accepted survive updates', async () => {
    const { cwd, scene, text } = await known();
    const id = idIn(text());
    await scene('--note', `${id}=a door, "so be it"`, '--accept', id);
    writeBoxes(cwd, { a: 0, b: 0.25, c: 1.1 });
    await scene('--update-baseline');
    const entry = JSON.parse(text()).findings.find((found: { id: string } | null) => found?.id === id);
    expect(entry).toMatchObject({ note: 'a door, "so be it"', accepted: true });
    expect(entry.size.lower).toBeCloseTo(0.75, 12);
    expect(text().split('\n').length).toBe(2 + 2 + 1);
    const [line] = (await scene('--json')).stdout.split('\n');
    expect(JSON.parse(line)).toMatchObject({ state: 'known', note: 'a door, "so be it"', accepted: true });
  });

  test('ids may be cut to six digits or more; the run says what it wrote, and --quiet does not', async () => {
    const { scene, text } = await known();
    const id = idIn(text());
    const { stdout } = await scene('--note', `${id.slice(0, 8)}=a door`, '--accept', id.slice(0, 6));
    expect(stdout.split('\n').filter((line) => line.startsWith('wrote'))).toEqual([
      `wrote base.json: a note on ${id.slice(0, 8)} (a, b)`,
      `wrote base.json: ${id.slice(0, 8)} (a, b) accepted`,
    ]);
    expect(text()).toContain('"accepted":true,"note":"a door"');
    const again = await scene('--update-baseline', '--report', 'junit=r.xml');
    expect(again.stdout).toContain('\nwrote r.xml (junit)\nwrote base.json: 0 findings added, 1 unchanged\n');
    expect(await scene('--quiet', '--update-baseline', '--report', 'junit=r.xml')).toEqual({
      ...{ code: 0, signal: null, stdout: '', stderr: '' },
    });
    const short = await scene('--accept', id.slice(0, 5));
    expectFailure(short, new RegExp(`^--accept ${id.slice(0, 5)}: .* has this id; an id needs its first 6 digits$`));
  });

  test('an id that begins two findings is refused, with both', async () => {
    const { scene, text, file } = await known();
    const id = idIn(text());
    const other = `${id.slice(0, 15)}${id.endsWith('0') ? '1' : '0'}`;
    writeFileSync(
      file,
      text().replace('null]', `{"id":"${other}","rule":"r","names":["p","q"],"class":"overlap"},\nnull]`),
    );
    const outcome = await scene('--accept', id.slice(0, 7));
    expectFailure(outcome, /^--accept \w{7}: 2 findings have ids that begin so: \w{16} \(\w, \w\), \w{16} \(\w, \w\)$/);
    expect(outcome.stderr).toContain(`${other} (p, q)`);
  });

  test('an update of what has not changed changes no byte', async () => {
    const { scene, text } = await known();
    const before = text();
    await scene('--update-baseline');
    expect(text()).toBe(before);
  });
});

describe('--accept and --note of a finding that the baseline does not have', () => {
  const idsOf = (text: string): string[] => [...text.matchAll(/ {2}([0-9a-f]{8}) {2}new$/gm)].map(([, id]) => id!);
  const namesIn = (file: string) =>
    JSON.parse(readFileSync(file, 'utf8')).findings.flatMap((found: { names: string[] } | null) => found?.names ?? []);

  test('record that one alone, and the run counts it as known; a red run says how', async () => {
    const { cwd, scene, file, text } = await known();
    writeBoxes(cwd, { a: 0, b: 0.5, c: 1.25, d: 2 });
    const red = await scene();
    const [first, second] = idsOf(red.stdout);
    const hint = /^hint: --accept (\w{8}) --note "(\w{8})=why" accepts a finding$/m.exec(red.stdout)!;
    expect([first, second]).toContain(hint[1]);
    expect(hint[2]).toBe(hint[1]);
    const one = await scene('--accept', first!, '--note', `${first}=so be it`);
    expect(one.code).toBe(1);
    expect(one.stdout).toMatch(/^wrote base\.json: 1 finding added, 1 unchanged$/m);
    expect(one.stdout).toMatch(new RegExp(`^wrote base\\.json: a note on ${first} \\(\\w, \\w\\)$`, 'm'));
    expect(idsOf(one.stdout)).toEqual([second]);
    expect(text()).toContain('"accepted":true,"note":"so be it"');
    expect(namesIn(file)).toHaveLength(4);
    const both = await scene('--accept', second!, '--report', 'sarif=r.sarif', '--json');
    expect(both.code).toBe(0);
    expect(both.stdout).toContain('"state":"known","accepted":true');
    expect((await scene()).code).toBe(0);
  });

  test('make the file; a worse finding is recorded anew', async () => {
    const { cwd, scene, text } = await known();
    const id = idIn(text());
    writeBoxes(cwd, { a: 0, b: 0.25, c: 3 });
    expect((await scene('--note', `${id}=thicker`)).code).toBe(1);
    expect((await scene('--accept', id)).code).toBe(0);
    expect(JSON.parse(text()).findings[0].size.lower).toBeCloseTo(0.75, 12);
    const made = await scene('--baseline', 'new.json', '--accept', id);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(namesIn(join(cwd, 'new.json'))).toEqual(['a', 'b']);
  });

  test('in a project they are looked up in all scenes', async () => {
    const cwd = makeFolder();
    for (const [name, boxes] of Object.entries({ one: { a: 0, b: 0.5 }, two: { c: 3, d: 3.5 } })) {
      writeBoxes(cwd, boxes);
      renameSync(join(cwd, 'boxes.obj'), join(cwd, `${name}.obj`));
    }
    const files = ['one', 'two'].map((name) => ({ files: `${name}.obj`, baseline: `${name}.json` }));
    writeFileSync(join(cwd, 'gicollide.json'), JSON.stringify({ gicollide: 'project/1', scenes: files }));
    for (const name of ['one', 'two'])
      writeFileSync(join(cwd, `${name}.json`), '{"gicollide":"baseline/1","findings":[\nnull]}\n');
    const check = (...args: string[]) => run(['scene', ...args], { cwd });
    const red = await check();
    const [first, second] = idsOf(red.stdout);
    expect(red.stdout).toContain(`hint: gicollide scene --accept ${first} --note "${first}=why" accepts a finding\n`);
    const one = await check('--accept', second!, '--note', `${second}=later`);
    expect(one.code).toBe(1);
    expect(one.stdout).toContain(`wrote two.json: ${second} (c, d) accepted\n`);
    expect(['one.json', 'two.json'].map((file) => namesIn(join(cwd, file)).length)).toEqual([0, 2]);
    expect((await check('--accept', first!)).code).toBe(0);
    const lost = await check('--accept', '01234567');
    expect(lost).toMatchObject({ code: 2 });
    expect(lost.stderr).toBe('error: --accept 01234567: no finding of this run or of its baseline has this id\n');
    expectFailure(await run(['scene', '--accept', first!], { cwd, env: { CI: '1' } }), /^--accept: a run under CI/);
  });
});

describe('many writers', () => {
  test('six runs that note at once', { tags: ['long'] }, async () => {
    const cwd = makeFolder();
    writeBoxes(cwd, Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`box-${n}`, 3 * (n >> 1) + (n % 2) / 2])));
    const scene = (...args: string[]) => run(['scene', 'boxes.obj', '--baseline', 'base.json', ...args], { cwd });
    await scene('--update-baseline');
    const entries = () => JSON.parse(readFileSync(join(cwd, 'base.json'), 'utf8')).findings.slice(0, -1);
    const ids: string[] = entries().map(({ id }: { id: string }) => id);
    expect(ids).toHaveLength(6);
    await Promise.all(ids.map((id, n) => scene(...(n % 2 ? ['--accept', id] : ['--note', `${id}=${n}`]))));
    expect(entries()).toMatchObject(ids.map((id, n) => ({ id, ...(n % 2 ? { accepted: true } : { note: `${n}` }) })));
    expect(readdirSync(cwd).sort()).toEqual(['base.json', 'boxes.obj']);
  });

  const entry = { id: '0123456789abcdef', rule: 'overlap', names: ['a', 'b'], class: 'overlap' };
  const finding = {
    ...entry,
    subjects: [
      { name: 'a', file: null },
      { name: 'b', file: null },
    ],
    size: null,
  };

  test.each([
    ['forgets what is as it was when the run began', { pruneBaseline: true }, []],
    ['keeps what somebody has noted since', { pruneBaseline: true }, [{ ...entry, note: 'since' }]],
    ['takes up what it found, and keeps that note', { updateBaseline: true }, [{ ...entry, note: 'since' }]],
  ])('a run %s', async (_, flags, after) => {
    const file = join(makeFolder(), 'base.json');
    const now = after[0] ?? entry;
    writeFileSync(file, writeBaseline(new Map([[now.id, now]])));
    await changeBaseline([finding as unknown as ReportFinding], [entry], { baseline: file, ...flags }, null);
    expect([...readBaseline(readFileSync(file)).values()]).toEqual(after);
  });
});

describe('refusals', () => {
  test('a run under CI changes no baseline without --force', { tags: ['long'] }, async () => {
    const { cwd, text, file } = await known();
    rmSync(file);
    const args = ['scene', 'boxes.obj', '--baseline', 'base.json', '--update-baseline'];
    const env = { CI: 'true' };
    expectFailure(
      await run(args, { cwd, env }),
      '--update-baseline: a run under CI changes no baseline; --force does it all the same',
    );
    expect(existsSync(file)).toBe(false);
    expect(await run([...args, '--force'], { cwd, env })).toMatchObject({ code: 1 });
    expect(text()).toContain('"names":["a","b"]');
  });

  test.each([
    ['no such file, and output for a program', ['--json'], /^none\.json: no such file; --update-baseline makes it$/],
    ['a note on nobody', ['--note', '0123456789abcdef=x'], /^--note 0123456789abcdef: no finding of this run /],
  ])('%s', async (_, args, line) => {
    const { scene } = await known();
    expectFailure(await scene('--baseline', 'none.json', ...args), line);
  });

  test('a first run without its file shows the findings, says how to record them, and fails', async () => {
    const { scene } = await known();
    const { code, stdout, stderr } = await scene('--baseline', 'none.json');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: none.json: no such file; --update-baseline makes it\n',
    });
    expect(stdout).toMatch(/^overlap {2}a {2}b .* new$/m);
    expect(stdout).toMatch(/^hint: --baseline none\.json --update-baseline records these findings; /m);
    expect((await scene()).stdout).not.toContain('hint:');
  });

  test('what is no baseline, options without one, a note on what it does not have', async () => {
    const { cwd, scene } = await known();
    writeFileSync(join(cwd, 'bad.json'), '{"gicollide":"baseline/1",\n"findings":[}');
    expectFailure(await scene('--baseline', 'bad.json'), 'bad.json:2: expected a value or ], found "}"');
    expectFailure(
      await run(['scene', 'boxes.obj', '--prune-baseline'], { cwd }),
      '--prune-baseline needs a baseline: add --baseline known.json',
    );
    expect((await scene('--note', '01234567=x', '--accept', '01234567', 'fedcba98')).stderr).toBe(
      'error: --accept 01234567, --accept fedcba98: no finding of this run or of its baseline has these ids\n',
    );
  });
});

describe('the other commands that find something', () => {
  test('lint: what is known passes, what is new fails, what a fixed file had is gone', async () => {
    const cwd = makeFolder();
    const open = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';
    writeFileSync(join(cwd, 'a.obj'), open);
    const lint = (...args: string[]) => run(['lint', 'a.obj', 'b.obj', '--baseline', 'base.json', ...args], { cwd });
    writeBoxes(cwd, { box: 0 });
    const box = readFileSync(join(cwd, 'boxes.obj'), 'utf8');
    writeFileSync(join(cwd, 'b.obj'), box);
    expect(await lint('--update-baseline')).toMatchObject({ code: 1 });
    const known = await lint();
    expect(known.code).toBe(0);
    expect(known.stdout).toContain('base.json: 0 new, 1 known\n');
    expect(known.stdout).not.toContain('open-edge  a.obj');
    writeFileSync(join(cwd, 'b.obj'), open);
    const fresh = await lint();
    expect(fresh.code).toBe(1);
    expect(fresh.stdout).toMatch(/^error {4}open-edge {2}b\.obj .* new$/m);
    writeFileSync(join(cwd, 'a.obj'), box);
    expect((await lint()).stdout).toContain('base.json: 1 new, 1 gone');
    expect((await lint('--severity', 'open-edge=off')).stdout).toContain('base.json: 0 new, 1 unchecked\n');
    rmSync(join(cwd, 'a.obj'));
    const unread = await lint('--json');
    expect(unread.code).toBe(2);
    const records = unread.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.map(({ type }) => type)).toEqual(['finding', 'error', 'unchecked', 'summary']);
  });

  test('frames: a pair is known by its class, whatever the frame', async () => {
    const cwd = makeFolder();
    writeBoxes(cwd, { box: 0 });
    const at = (a: number, b: number) => ({ poses: { a: { translate: [a, 0, 0] }, b: { translate: [b, 0, 0] } } });
    const scene = (...frames: object[]) => {
      const instances = ['a', 'b', 'c'].map((name, n) => ({ name, asset: 'box', translate: [0, 5 * n, 0] }));
      const model = { gicollide: 'scene/1', assets: { box: 'boxes.obj' }, instances, frames };
      writeFileSync(join(cwd, 's.scene.json'), JSON.stringify(model));
    };
    const check = (...args: string[]) => run(['scene', 's.scene.json', '--baseline', 'base.json', ...args], { cwd });
    scene(at(0, 3), at(0, 0.5));
    expect(await check('--update-baseline')).toMatchObject({ code: 1 });
    scene(at(0, 3), at(0, 2), at(0, 0.7));
    const known = await check();
    expect(known.code).toBe(0);
    expect(known.stdout).toContain('base.json: 0 new, 1 known\n');
    expect(known.stdout).not.toContain('first contact');
    scene(at(0, 3));
    expect((await check()).stdout).toContain('base.json: 0 new, 1 gone');
    writeFileSync(join(cwd, 'base.json'), '{"gicollide":"baseline/1","findings":[null]}');
    scene(at(0, 3), at(0, 0.5));
    const fresh = await check('--report', 'junit=r.xml');
    expect(fresh.code).toBe(1);
    expect(fresh.stdout).toMatch(/^first contact {2}a {2}b {2}in frame 1 {2}[0-9a-f]{8} {2}new$/m);
    expect(readFileSync(join(cwd, 'r.xml'), 'utf8')).toContain('first in frame 1');
  });

  test('cubes: pairs are known by their names', async () => {
    const cwd = makeFolder();
    writeBoxes(cwd, { a: 0, b: 0.5, c: 3 });
    const cubes = (...args: string[]) =>
      run(['cubes', 'boxes.obj', '--precision', '0.1', '--baseline', 'base.json', ...args], { cwd });
    expect(await cubes('--update-baseline')).toMatchObject({ code: 1 });
    expect(await cubes()).toMatchObject({ code: 0 });
    writeBoxes(cwd, { a: 0, b: 0.5, c: 1.2 });
    const outcome = await cubes();
    expect(outcome.code).toBe(1);
    expect(outcome.stdout).toMatch(/^b {2}c {2}.* new$/m);
    expect(outcome.stdout).not.toMatch(/^a {2}b/m);
  });
});
