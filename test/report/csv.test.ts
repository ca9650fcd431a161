/** CSV: rows and columns, text that comes back, and no formulas. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csv } from '../../src/report/csv.ts';
import type { ReportFinding } from '../../src/report/finding.ts';
import { parseCsv } from '../support/csv.ts';
import { asWritten, findingOf, report, reportOf, written } from '../support/findings.ts';
import { long } from '../support/long.ts';

const recordsOf = (source: string): Record<string, string>[] => {
  const [columns, ...rows] = parseCsv(source);
  return rows.map((cells) => {
    expect(cells.length).toBe(columns.length);
    return Object.fromEntries(cells.map((cell, k) => [columns[k], cell]));
  });
};

test('a finding is a line, and what could not be checked follows', async () => {
  const failures = [{ subject: 'a.obj', message: 'broken' }];
  const [finding, failure, reason, ...others] = recordsOf(
    await written(csv, reportOf([findingOf()], { failures, incomplete: ['cut'] })),
  );
  expect(finding).toMatchObject({
    ...{ type: 'finding', level: 'error', state: '', accepted: 'false', a_name: 'pipe-3', b_line: '70' },
    ...{ x: '1000', low_z: '2900', high_x: '1100', size_kind: 'thickness', size_upper: '20.1', units: 'mm' },
  });
  expect(failure).toMatchObject({ type: 'unchecked', a_name: 'a.obj', message: 'broken' });
  expect(reason).toMatchObject({ type: 'incomplete', a_name: '', message: 'cut' });
  expect(others).toEqual([]);
});

test.each(['=1+1', '+1', '-1', '@x', '\t=1', '\r=1', '\n=1', '＝1', "'=1", "''=1"])(
  '%j is no formula',
  async (name) => {
    const source = await written(csv, reportOf([findingOf({ message: name })]));
    const [{ message }] = recordsOf(source);
    expect(message).toBe(`'${name}`);
  },
);

test('a number below zero is a number', async () => {
  const [{ x }] = recordsOf(await written(csv, reportOf([findingOf({ point: [-1.5, 0, 0] })])));
  expect(x).toBe('-1.5');
});

/** What a reader makes of a cell: see the head of src/report/csv.ts. */
const readBack = (cell: string): string => (/^''*[=+\-@\t\r\n＝＋－＠]/.test(cell) ? cell.slice(1) : cell);

test('any text comes back, and no cell begins as a formula, seed 8', { tags: ['quick', 'long'] }, async () => {
  await fc.assert(
    fc.asyncProperty(report, async (one) => {
      const source = await written(csv, one);
      const findings = [...(one.findings() as Iterable<ReportFinding>)];
      const records = recordsOf(source);
      expect(
        records.slice(0, findings.length).map(({ rule, message, note }) => [rule, message, note].map(readBack)),
      ).toEqual(findings.map(({ rule, message, note }) => [rule, message, note ?? ''].map(asWritten)));
      for (const { rule, message, a_name } of records)
        for (const cell of [rule, message, a_name]) expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
    }),
    { seed: 8, numRuns: long ? 1000 : 200 },
  );
});

test('semicolons come with decimal commas, and tabs with points', async () => {
  const report = reportOf([findingOf({ message: 'a;b, c\td' })]);
  const lines = async (csvSeparator: ';' | '\t') => (await written(csv, report, { csvSeparator })).split('\r\n');
  const [head, row] = await lines(';');
  expect(head).toMatch(/^type;id;level;/);
  expect(row).toContain(';"a;b, c\td";');
  expect(row).toContain(';20,1;mm;');
  const [, tabbed] = await lines('\t');
  expect(tabbed).toContain('\t"a;b, c\td"\t');
  expect(tabbed).toContain('\t20.1\tmm\t');
});

test('a byte order mark stands once, in front', async () => {
  const source = await written(csv, reportOf([findingOf()]), { csvBom: true });
  expect(source.startsWith('\ufefftype,')).toBe(true);
  expect(source.lastIndexOf('\ufeff')).toBe(0);
});
