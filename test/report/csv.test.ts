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

test.each([',', ';', '\t'] as const)(
  'separator %j: cells that hold it are quoted, formulas stay text',
  async (csvSeparator) => {
    const finding = findingOf({ message: 'a,b;c\td', note: '=1;2', point: [-1.5, 0.25, 1e-7] });
    const source = await written(csv, reportOf([finding]), { csvSeparator });
    const [columns, cells] = parseCsv(source, csvSeparator);
    const record = Object.fromEntries(columns.map((name, k) => [name, cells[k]]));
    expect(cells.length).toBe(columns.length);
    expect(record).toMatchObject({ message: 'a,b;c\td', note: "'=1;2" });
    const expected = csvSeparator === ';' ? ['-1,5', '0,25', '1e-7'] : ['-1.5', '0.25', '1e-7'];
    expect([record.x, record.y, record.z]).toEqual(expected);
  },
);

test('a byte order mark stands first, once, if it is asked for', async () => {
  const source = await written(csv, reportOf([findingOf()]), { csvBom: true });
  expect(source).toBe(`\ufeff${await written(csv, reportOf([findingOf()]))}`);
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
