/** `check --finding`: a finding of a scene is asked again from itself alone. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { assets, expectFailure, makeFolder, run } from '../support/cli.ts';

interface Found {
  id: string;
  class: string;
  thickness: { lower: number; upper: number } | null;
}

test.each(['room', 'building'])(
  'all findings of the sample %s: the same class, and as thick',
  { tags: ['all'] },
  async (name) => {
    const cwd = makeFolder();
    const { stdout } = await run(['scene', join(assets, `${name}.scene.json`), '--json'], { cwd });
    writeFileSync(join(cwd, 'f.ndjson'), stdout);
    const records = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const findings: Found[] = records.filter(({ type }) => type === 'finding');
    expect(findings.length).toBeGreaterThan(5);
    for (const { id, class: found, thickness } of findings.slice(0, 12)) {
      const again = await run(['check', '--finding', `f.ndjson#${id}`, '--json', '--allow-outside'], { cwd });
      const report = JSON.parse(again.stdout);
      expect({ id, class: report.class }).toEqual({ id, class: found });
      if (thickness) expect(report.thickness.lower).toBeLessThanOrEqual(thickness.upper);
      if (thickness) expect(report.thickness.upper).toBeGreaterThanOrEqual(thickness.lower);
      expect(again.code).toBe(found === 'touch' ? 0 : 1);
    }
  },
);

test('scaled, mirrored and converted assets are made again', async () => {
  const cwd = makeFolder();
  const tetrahedron = 'o t\nv 0 0 0\nv 10 0 0\nv 0 10 0\nv 0 0 10\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n';
  writeFileSync(join(cwd, 't.obj'), tetrahedron);
  const scene = {
    ...{ gicollide: 'scene/1', units: 'm' },
    assets: { mm: { file: 't.obj', units: 'mm', split: 'groups' }, m: 't.obj' },
    instances: [
      { name: 'small', asset: 'mm', scale: [100, 100, -100], translate: [0.1, 0.1, 0.2] },
      { name: 'large', asset: 'm', rotate: { axis: [0, 0, 1], degrees: 10 } },
    ],
  };
  writeFileSync(join(cwd, 's.scene.json'), JSON.stringify(scene));
  const { stdout } = await run(['scene', 's.scene.json', '--json'], { cwd });
  writeFileSync(join(cwd, 'f.ndjson'), stdout);
  const [finding] = stdout.split('\n').map((line) => line && JSON.parse(line));
  expect(finding).toMatchObject({
    class: 'overlap',
    b: { name: 'small/t', element: 't', units: { file: 'mm', scene: 'm' } },
  });
  const again = await run(['check', '--finding', `f.ndjson#${finding.id}`, '--json'], { cwd });
  expect(again.stderr).toBe('');
  const report = JSON.parse(again.stdout);
  expect(report).toMatchObject({ class: 'overlap', closed: [true, true] });
  expect(report.thickness.upper).toBeGreaterThanOrEqual(finding.thickness.lower);
  expect(report.thickness.lower).toBeLessThanOrEqual(finding.thickness.upper);

  writeFileSync(join(cwd, 't.obj'), readFileSync(join(cwd, 't.obj'), 'utf8').replace('0 0 10', '0 0 11'));
  const changed = await run(['check', '--finding', `f.ndjson#${finding.id}`], { cwd });
  expect(changed.code).toBe(1);
  expect(changed.stderr).toContain('t.obj: has changed since it was found');

  const { id } = finding;
  expect((await run(['check', '--finding', `f.ndjson#${id.slice(0, 6)}`], { cwd })).code).toBe(1);
  const other = { ...finding, id: `${id.slice(0, 8)}00000000` };
  writeFileSync(join(cwd, 'two.ndjson'), `${JSON.stringify(finding)}\n${JSON.stringify(other)}\n`);
  const names = `${finding.a.name}, ${finding.b.name}`;
  expectFailure(
    await run(['check', '--finding', `two.ndjson#${id.slice(0, 7)}`], { cwd }),
    `--finding: ${id.slice(0, 7)}: 2 findings have ids that begin so: ${id} (${names}), ${other.id} (${names})`,
  );

  const refused = (place: string, ...args: string[]) => run(['check', ...args, '--finding', place], { cwd });
  expectFailure(await refused('f.ndjson#0'), 'f.ndjson: no finding has the id 0');
  expectFailure(await refused('f.ndjson'), '--finding: expected a file, # and an id, found "f.ndjson"');
  expectFailure(await refused('none#1'), 'none: no such file');
  expectFailure(await refused(`f.ndjson#${finding.id}`, 't.obj'), '--finding names both objects: leave out a and b');
  expectFailure(
    await refused(`f.ndjson#${finding.id}`, '--translate-b', '1,0,0'),
    '--finding: the finding has both poses: leave out --translate-b',
  );
  expectFailure(await run(['check', 't.obj'], { cwd }), "missing required argument 'b'");
});

test('what check printed is asked again: the same files, poses and options', async () => {
  const cwd = makeFolder();
  const [bunny, blob] = ['bunny', 'blob'].map((name) => join(assets, `${name}.obj`));
  const args = ['check', bunny, blob, '--translate-b', '0.4,0,0', '--all', '--max-contacts', '50', '--solid', 'auto'];
  const first = await run([...args, '--json'], { cwd });
  expect(first.code).toBe(3); // the list is cut
  writeFileSync(join(cwd, 'f.ndjson'), first.stdout);
  const report = JSON.parse(first.stdout);
  expect(report.run).toMatchObject({ asked: { all: true, maxContacts: 50, solid: 'auto', expect: 'clear' } });
  expect(report.run.poses[1].slice(0, 4)).toEqual([1, 0, 0, 0.4]);
  const again = await run(['check', '--finding', `f.ndjson#${report.run.id}`, '--json', '--allow-outside'], { cwd });
  expect(again).toMatchObject({ code: 3, stderr: '' });
  const { ms: _, ...answer } = JSON.parse(again.stdout);
  const { ms: __, ...expected } = report;
  expect(answer).toEqual(expected);
  const made = await run(['report', 'f.ndjson', '--report', 'csv=f.csv'], { cwd });
  expect(made.stdout).toBe('check: 1 pair: 1 error, 0 warnings, 0 notes\n');
  expect(readFileSync(join(cwd, 'f.csv'), 'utf8')).toContain(report.run.id);

  writeFileSync(join(cwd, 'bad.ndjson'), first.stdout.replace('"maxContacts":50', '"maxContacts":"50"'));
  expectFailure(
    await run(['check', '--finding', `bad.ndjson#${report.run.id}`], { cwd }),
    'bad.ndjson:1: expected what gicollide check --json prints, found another record',
  );
});

test('a baseline has no findings to check', async () => {
  const cwd = makeFolder();
  writeFileSync(join(cwd, 'known.json'), '{\n  "gicollide": "baseline/1",\n  "findings": []\n}\n');
  expectFailure(
    await run(['check', '--finding', 'known.json#0123456789abcdef'], { cwd }),
    'known.json: expected findings, found a baseline; gicollide scene --json prints findings',
  );
});
