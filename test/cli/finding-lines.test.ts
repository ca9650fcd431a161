/** The lines of a scene's findings: their order, their columns, their places and short ids. */
import { expect, test } from 'vitest';
import { pointText } from '../../src/base/printable.ts';
import { alignedLines, FindingLines, rowOf } from '../../src/cli/scene/finding-lines.ts';
import { Slivers, Tally } from '../../src/cli/scene/tally.ts';
import type { Level } from '../../src/report/finding.ts';
import type { Finding } from '../../src/scene/records.ts';
import { seeded } from '../support/random.ts';

const party = (name: string) => ({ name, asset: null, sha256: null, pose: [] });

let count = 0;
const finding = (found: string, level: Level, more: Partial<Finding> = {}) =>
  ({
    ...{ type: 'finding', id: `${String(++count).padStart(8, '0')}00000000`, rule: null, class: found, level },
    ...{ a: party('a'), b: party('b'), point: null, tool: '', box: { low: [0, 0, 0], high: [1, 1, 1] } },
    asked: { clearance: 0.5, tolerance: 0, touchGap: 0, solid: 'auto' },
    ...more,
  }) as Finding & { level: Level };

const thick = (length: number) => ({ thickness: { lower: length, upper: length } });
const far = (length: number) => ({ distance: length, bracket: null });

test('the most severe first: errors by thickness, near by what lacks, then warnings, then the harmless', () => {
  const rows = [
    finding('touch', 'note'),
    finding('overlap', 'warning', thick(9)),
    finding('undecided', 'warning', { reason: 'too close' }),
    finding('near', 'error', far(0.4)),
    finding('near', 'error', far(0.1)),
    finding('contact', 'error'),
    finding('overlap', 'error', thick(0.5)),
    finding('inside', 'error', { ...thick(2), inner: 'b' }),
  ].map((own) => rowOf(own, ' m'));
  expect([...alignedLines(rows)]).toEqual([
    'inside     b  a  2 m thick     00000008',
    'overlap    a  b  0.5 m thick   00000007',
    'contact    a  b                00000006',
    'near       a  b  0.1 of 0.5 m  00000005',
    'near       a  b  0.4 of 0.5 m  00000004',
    'undecided  a  b                00000003  too close',
    'overlap    a  b  9 m thick     00000002',
    'touch      a  b                00000001',
  ]);
});

test('what a baseline knows comes last, with its note; ids that begin alike are whole', () => {
  const ids = ['0123456789abcdef', '01234567ffffffff'];
  const rows = [
    rowOf({ ...finding('overlap', 'error', { id: ids[0], ...thick(9) }), state: 'known', note: 'so be it' }, ''),
    rowOf({ ...finding('near', 'error', { id: ids[1], rule: 'r' }), state: 'worse' }, ''),
  ];
  expect([...alignedLines(rows)]).toEqual([
    'near     a  b  within 0.5  r  01234567ffffffff  worse',
    'overlap  a  b  9 thick        0123456789abcdef  known: so be it',
  ]);
});

test('a long name does not widen the column of others', () => {
  const long = 'n'.repeat(60);
  const rows = [finding('contact', 'error'), finding('contact', 'error', { a: party(long) })];
  const [first, second] = alignedLines(rows.map((own) => rowOf(own, '')));
  expect(first).toMatch(/^contact {2}a {41}b {2}\d{8}$/);
  expect(second).toMatch(/^contact {2}n{60} {2}b {2}\d{8}$/);
});

test('places, seed 7: at most six digits, and whole units from a million on', () => {
  const { next } = seeded(7);
  for (let n = 0; n < 1000; n++) {
    const size = 10 ** Math.floor(12 * next() - 6);
    const point = [0, 0, 0].map(() => (next() - 0.5) * size);
    const largest = Math.max(...point.map(Math.abs));
    const shown = pointText(point).slice(1, -1).split(' ');
    for (const [k, text] of shown.entries()) {
      const digits = text.replace(/e.*/, '').replace(/[-.]/g, '').replace(/^0+/, '');
      if (largest < 1e6) expect(digits.length, text).toBeLessThanOrEqual(6);
      expect(Math.abs(Number(text) - point[k])).toBeLessThanOrEqual(largest * 1e-5 + (largest < 1e6 ? 0 : 0.5));
    }
  }
  expect(pointText([2.4072161, 1e-17, -0.91632749])).toBe('(2.40722 0 -0.91633)');
  expect(pointText([5500123.25, 8, 0])).toBe('(5500123 8 0)');
  expect(pointText([0, -0, 0])).toBe('(0 0 0)');
});

test('more findings than are held at once are printed in blocks, none lost', async () => {
  const lines: string[] = [];
  const all = new FindingLines((line) => {
    lines.push(line);
    return undefined;
  });
  const row = rowOf(finding('near', 'error', far(0.1)), '');
  for (let n = 0; n < 100_001; n++) await all.add(row);
  expect(lines.length).toBe(100_000);
  await all.end();
  expect([lines.length, all.count]).toEqual([100_001, 100_001]);
});

test('the last line counts as eslint does, and what is hidden is said', () => {
  const tally = new Tally(1);
  for (const [found, level, state] of [
    ...(['overlap', 'near'] as const).map((found) => [found, 'error'] as const),
    ['undecided', 'warning'],
    ...Array.from({ length: 12 }, () => ['touch', 'note'] as const),
    ['overlap', 'error', 'known'],
  ] as const)
    tally.add({ class: found, level, ...(state && { state }) });
  expect(tally.outcome(5)).toBe('4 problems (3 errors, 1 warning), 12 touching, 1 known, 5 allowed');
  expect(tally.hidden()).toEqual(['12 touch, 1 known; --verbose lists them']);
  expect(new Tally(0).outcome(0)).toBe('0 problems');
  expect(new Tally(0).hidden()).toEqual([]);
});

test('overlaps as thin as rounding get a tolerance that fits the size; thicker ones do not', () => {
  const box = (size: number) => ({ box: { low: [0, 0, 0], high: [size, 1e-9, size] } });
  const slivers = new Slivers();
  slivers.add(finding('overlap', 'error', { ...thick(2.59807e-7), ...box(6) }));
  slivers.add(finding('overlap', 'error', { ...thick(0.02), ...box(1) }));
  slivers.add(finding('inside', 'error', { ...thick(1e-9), ...box(1) }));
  expect(slivers.hint(' m')).toEqual([
    '1 overlap is at most 2.59807e-7 m thick, as thin as rounding: --tolerance 1e-6 counts it as touching',
  ]);
  const large = new Slivers();
  large.add(finding('overlap', 'error', { ...thick(0.005), ...box(28760) }));
  large.add(finding('overlap', 'error', { ...thick(1e-7), ...box(28760) }));
  expect(large.hint('')).toEqual([
    '2 overlaps are at most 0.005 thick, as thin as rounding: --tolerance 0.01 counts them as touching',
  ]);
  const thicker = new Slivers();
  thicker.add(finding('overlap', 'error', { ...thick(0.5), ...box(6) }));
  expect([thicker.hint(''), new Slivers().hint('')]).toEqual([[], []]);
});
