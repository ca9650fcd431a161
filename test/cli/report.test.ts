/** `gicollide report`, and --report of the commands: the same files, whole or not at all. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { epochOf } from '../../src/cli/findings/report-files.ts';
import { assets, expectFailure, listFiles, makeFolder, run } from '../support/cli.ts';

const building = join(assets, 'building.scene.json');

/** A folder with the findings of a sample, as the command printed them. */
async function found() {
  const cwd = makeFolder();
  const outcome = await run(['scene', building, '--json'], { cwd });
  expect(outcome).toMatchObject({ code: 1, stderr: '' });
  writeFileSync(join(cwd, 'f.ndjson'), outcome.stdout);
  return { cwd, text: outcome.stdout, read: (file: string) => readFileSync(join(cwd, file), 'utf8') };
}

test('makes of what was printed what --report makes in the run, twice the same bytes', { tags: ['long'] }, async () => {
  const { cwd, text, read } = await found();
  await run(['scene', building, '--report', 'junit=run.xml', 'markdown=run.md'], { cwd });
  const outcome = await run(['report', '-', '--report', 'junit=one.xml', 'markdown=one.md'], { cwd, input: text });
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  expect(outcome.stdout).toMatch(/^scene: 143 objects, 4,026 pairs: 2 errors, 0 warnings, 12 notes\n$/);
  await run(['report', 'f.ndjson', '--report', 'junit=two.xml'], { cwd });
  await run(['report', 'f.ndjson', '--report', 'junit=three.xml'], { cwd });
  expect(read('one.xml')).toBe(read('run.xml'));
  expect(read('one.md')).toBe(read('run.md'));
  expect(read('two.xml')).toBe(read('three.xml'));
});

test('SOURCE_DATE_EPOCH is a date with a year of four digits, or one line', () => {
  const of = (text: string): number => {
    vi.stubEnv('SOURCE_DATE_EPOCH', text);
    try {
      return epochOf();
    } finally {
      vi.unstubAllEnvs();
    }
  };
  expect(of('0')).toBe(0);
  expect(of('253402300799')).toBe(253402300799);
  expect([of(''), epochOf()]).toEqual([315532800, 315532800]);
  for (const text of ['8640000000001', '253402300800', '-1', '1.5', 'today', '1e3'])
    expect(() => of(text)).toThrow(/^SOURCE_DATE_EPOCH: expected whole seconds from 0 to 253402300799, found "/);
});

test('SOURCE_DATE_EPOCH in milliseconds is named', async () => {
  const cwd = makeFolder();
  writeFileSync(join(cwd, 'a.obj'), 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
  const env = { SOURCE_DATE_EPOCH: '1700000000000' };
  const outcome = await run(['lint', 'a.obj', '--report', 'csv=r.csv'], { cwd, env });
  expectFailure(outcome, /^SOURCE_DATE_EPOCH: .*, found "1700000000000": milliseconds, perhaps\?$/);
});

test('CSV for Excel, and a separator that is refused', async () => {
  const cwd = makeFolder();
  writeFileSync(join(cwd, 'a.obj'), 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
  await run(['lint', 'a.obj', '--report', 'csv=r.csv', '--csv-separator', ';', '--csv-bom'], { cwd });
  expect(readFileSync(join(cwd, 'r.csv'), 'utf8')).toMatch(/^\ufefftype;id;level;/);
  const refused = await run(['lint', 'a.obj', '--report', 'csv=s.csv', '--csv-separator', '|'], { cwd });
  expectFailure(refused, /Expected , or ; or tab, found "\|"/);
});

test('GitLab: paths from CI_PROJECT_DIR, and one outside it', async () => {
  const cwd = makeFolder();
  mkdirSync(join(cwd, 'sub'));
  const text = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';
  for (const file of ['a.obj', 'sub/b.obj']) writeFileSync(join(cwd, file), text);
  const locations = async (root: string) => {
    const env = { CI_PROJECT_DIR: root };
    await run(['lint', 'b.obj', '../a.obj', '--report', 'gitlab=r.json'], { cwd: join(cwd, 'sub'), env });
    const entries: { description: string; location: { path: string } }[] = JSON.parse(
      readFileSync(join(cwd, 'sub/r.json'), 'utf8'),
    );
    return entries.map(
      ({ description, location }) => `${location.path}${/; .* is outside/.test(description) ? '!' : ''}`,
    );
  };
  expect(new Set(await locations(cwd))).toEqual(new Set(['sub/b.obj', 'a.obj']));
  expect(new Set(await locations(join(cwd, 'sub')))).toEqual(new Set(['b.obj', '../a.obj!']));
});

test('GitHub: paths of annotations from GITHUB_WORKSPACE', async () => {
  const cwd = makeFolder();
  mkdirSync(join(cwd, 'sub'));
  writeFileSync(join(cwd, 'sub/b.obj'), 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
  const annotated = async (env: Record<string, string>) =>
    (await run(['lint', 'b.obj', '--report', 'github'], { cwd: join(cwd, 'sub'), env })).stdout;
  expect(await annotated({ GITHUB_WORKSPACE: cwd })).toMatch(/^::\w+ file=sub\/b\.obj,/m);
  expect(await annotated({ GITHUB_WORKSPACE: '' })).toMatch(/^::\w+ file=b\.obj,/m);
});

test('a run that could not read a file writes its reports, with an error in them, and exits with 2', async () => {
  const cwd = makeFolder();
  writeFileSync(join(cwd, 'bad.obj'), 'v 0 0\n');
  writeFileSync(join(cwd, 'a.obj'), 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
  const instances = ['a', 'bad'].flatMap((asset) => [1, 2].map((n) => ({ name: `${asset}-${n}`, asset })));
  const scene = { gicollide: 'scene/1', assets: { a: 'a.obj', bad: 'bad.obj' }, instances };
  writeFileSync(join(cwd, 's.scene.json'), JSON.stringify(scene));
  const outcome = await run(['scene', 's.scene.json', '--json', '--report', 'junit=r.xml'], { cwd });
  expect(outcome.code).toBe(2);
  const records = outcome.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(records.find(({ type }) => type === 'error')).toMatchObject({ subject: 'bad-1, bad-2' });
  expect(readFileSync(join(cwd, 'r.xml'), 'utf8')).toContain('bad.obj:1');
});

test('a file of a folder, or of a scene, is no place for a report, by whatever name', async () => {
  const cwd = makeFolder();
  mkdirSync(join(cwd, 'parts'));
  const text = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';
  for (const name of ['a', 'b']) writeFileSync(join(cwd, 'parts', `${name}.obj`), text);
  symlinkSync(join(cwd, 'parts/a.obj'), join(cwd, 'link'));
  const refused = await run(['scene', 'parts', '--report', 'junit=link'], { cwd });
  expectFailure(refused, 'link: would overwrite an input');
  expectFailure(await run(['lint', 'parts', '--report', 'junit=parts/a.obj'], { cwd }), 'parts/a.obj: would overwrite');
  expect(readFileSync(join(cwd, 'parts/a.obj'), 'utf8')).toBe(text);
});

describe('refusals, before anything is written', () => {
  test.each([
    ['no report', [], '--report: expected a format and a file, such as junit=findings.xml'],
    ['an unknown format', ['--report', 'pdf=f'], /Expected .*junit.*, then = and a file/],
    ['a format without a file', ['--report', 'junit'], /Expected a file, as in junit=out/],
    ['one file twice', ['--report', 'junit=f', 'csv=f'], /Two reports would both become f/],
    ['the findings themselves', ['--report', 'junit=f.ndjson'], 'f.ndjson: would overwrite an input'],
    ['a folder that is a file', ['--report', 'junit=f.ndjson/x'], /^f\.ndjson\/x: a part of its path is not a folder$/],
  ])('%s', async (_, args, line) => {
    const { cwd } = await found();
    expectFailure(await run(['report', 'f.ndjson', ...args], { cwd }), line);
    expect(listFiles(cwd)).toEqual(['f.ndjson']);
  });

  test.each([
    ['no JSON', '{"type":"summary"}\nx\n', /^bad:2: expected a value, found "x"$/],
    ['a number', '5\n', /^bad:1: expected an object of JSON that gicollide printed, found another value$/],
    ['something else', '{"a":1}\n', /^bad:1: expected a finding, a report or a summary that gicollide printed/],
    [
      'a finding without a name',
      '{"type":"finding","id":"1","rule":null,"class":"touch","a":{},"b":{"name":"x"}}\n',
      /^bad:1: expected text at a\.name, found nothing$/,
    ],
    ['nothing', '', /^bad: expected findings that gicollide printed with --json, found none$/],
  ])('%s', async (_, text, line) => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'bad'), text);
    expectFailure(await run(['report', 'bad', '--report', 'junit=o.xml'], { cwd }), line);
    expect(existsSync(join(cwd, 'o.xml'))).toBe(false);
  });
});

test('an element that is not readable is in every report', async () => {
  const cwd = makeFolder();
  const lines = ['solid a', 'facet normal 0 0 1', 'outer loop', 'vertex 0 0 0', 'vertex 1 0 0', 'vertex 0 1 0'];
  writeFileSync(join(cwd, 'open.stl'), [...lines, 'endloop', 'endfacet', ''].join('\n'));
  const files = [
    'csv=a.csv',
    'sarif=a.sarif',
    'junit=a.xml',
    'gitlab=a.json',
    'markdown=a.md',
    'html=a.html',
    'bcf=a.bcf',
  ];
  const { code, stderr } = await run(['scene', 'open.stl', join(assets, 'box.obj'), '--report', ...files], { cwd });
  expect([code, stderr.split('\n').length]).toEqual([2, 2]);
  expect(listFiles(cwd)).toEqual(['a.bcf', 'a.csv', 'a.html', 'a.json', 'a.md', 'a.sarif', 'a.xml', 'open.stl']);
  expect(readFileSync(join(cwd, 'a.csv'), 'utf8')).toMatch(/,unchecked,unchecked,open\/a,open\.stl,/);
});
