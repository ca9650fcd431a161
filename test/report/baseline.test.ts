/** Baselines: what is new, known, worse, gone; files that git merges; notes that stay. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { type BaselineEntry, Comparison, updateBaseline, writeBaseline } from '../../src/report/baseline.ts';
import type { ReportFinding } from '../../src/report/finding.ts';
import { readBaseline } from '../../src/report/read-baseline.ts';

const folder = mkdtempSync(join(tmpdir(), 'gicollide-baseline-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const idOf = (n: number): string => n.toString(16).padStart(16, '0');

function finding(n: number, changes: Partial<ReportFinding> = {}): ReportFinding {
  const subject = (name: string) => ({ name, file: null, line: null, sha256: null, guid: null });
  return {
    ...{ id: idOf(n), rule: 'overlap', class: 'overlap', level: 'error', state: null, note: null, accepted: false },
    ...{ subjects: [subject(`a${n}`), subject(`b${n}`)], message: 'overlap', point: null, box: null, again: null },
    size: { kind: 'thickness', lower: 1, upper: 1 },
    ...changes,
  };
}

const thick = (lower: number, upper: number) => ({ kind: 'thickness' as const, lower, upper });
const recorded = (...findings: ReportFinding[]) => updateBaseline(new Comparison(new Map()), { found: findings });

describe('states', () => {
  const base = recorded(finding(1), finding(2));

  test('a finding that nobody has recorded is new, one that is recorded is known', () => {
    const comparison = new Comparison(base);
    expect(comparison.add(finding(3)).state).toBe('new');
    expect(comparison.add(finding(1)).state).toBe('known');
    const { gone, unchecked } = comparison.missing(() => true);
    expect(gone.map(({ id }) => id)).toEqual([idOf(2)]);
    expect(unchecked).toEqual([]);
  });

  test('what the run did not look for is never gone', () => {
    const comparison = new Comparison(base);
    const { gone, unchecked } = comparison.missing(({ names }) => names[0] === 'a1');
    expect(gone.map(({ id }) => id)).toEqual([idOf(1)]);
    expect(unchecked.map(({ id }) => id)).toEqual([idOf(2)]);
  });

  test.each([
    ['as thick as it was', {}, 'known'],
    ['a tenth thicker', { size: thick(1.1, 1.1) }, 'known'],
    ['more than a tenth thicker', { size: thick(1.11, 1.11) }, 'worse'],
    ['thicker maybe: its bounds are wide', { size: thick(0.5, 1.2) }, 'worse'],
    ['thinner', { size: thick(0.2, 0.2) }, 'known'],
    ['inside now', { class: 'inside', size: null }, 'worse'],
    ['a touch now', { class: 'touch', size: null }, 'known'],
    ['undecided now', { class: 'undecided', size: null }, 'known'],
  ] as const)('%s', (_, changes, state) => {
    expect(new Comparison(base).add(finding(1, changes)).state).toBe(state);
  });

  test('a bracket that leaves it open is refined, and counts as worse if that does not help', () => {
    const wide = finding(1, { size: thick(0.5, 1.2) });
    const limits: number[] = [];
    const stateOf = (lower: number, upper: number, found = wide) =>
      new Comparison(base).add(found, (_, limit) => {
        limits.push(limit);
        return { lower, upper };
      }).state;
    expect(stateOf(1.05, 1.1)).toBe('known');
    expect(stateOf(1.15, 1.2)).toBe('worse');
    expect(stateOf(1.05, 1.2)).toBe('worse');
    expect(limits).toEqual([1.1, 1.1, 1.1]);
    // Without a size, as a run with --depth off has it.
    expect(stateOf(1.05, 1.1, finding(1, { size: null }))).toBe('known');
    expect(stateOf(1.15, 1.2, finding(1, { size: null }))).toBe('worse');
    // Decided already.
    expect(stateOf(0, 9, finding(1, { size: thick(1, 1.05) }))).toBe('known');
    expect(stateOf(0, 0, finding(1, { size: thick(1.2, 1.4) }))).toBe('worse');
    expect(limits.length).toBe(5);
  });

  test('an end that only rounding has moved is not worse, even if nothing may grow', () => {
    const stateOf = (lower: number, upper: number) =>
      new Comparison(base, 0).add(finding(1, { size: thick(lower, upper) })).state;
    expect(stateOf(1 - 1e-13, 1 + 1e-13)).toBe('known');
    expect(stateOf(1 - 1e-6, 1 + 1e-6)).toBe('known');
    expect(stateOf(1 + 1e-13, 1 + 2e-13)).toBe('worse');
    expect(stateOf(0.999, 1.001)).toBe('worse');
  });

  test('what is near and comes nearer is worse', () => {
    const near = (distance: number) =>
      finding(1, { class: 'near', size: { kind: 'distance', lower: distance, upper: distance } });
    const comparison = new Comparison(recorded(near(0.1)));
    expect(comparison.add(near(0.091)).state).toBe('known');
    expect(comparison.add(near(0.089)).state).toBe('worse');
    expect(comparison.add(finding(1, { class: 'touch', size: null })).state).toBe('worse');
  });

  test('sizes that creep are worse in the end, however often the baseline is updated', () => {
    let base = recorded(finding(1));
    const states = [1.06, 1.09, 1.12].map((upper) => {
      const found = finding(1, { size: thick(upper, upper) });
      const comparison = new Comparison(base);
      const { state } = comparison.add(found);
      if (state === 'known') base = updateBaseline(comparison, { found: [found] });
      return state;
    });
    expect(states).toEqual(['known', 'known', 'worse']);
  });
});

describe('updates', () => {
  test('keep notes and what is accepted, and what was not looked at; forget what is gone when told to', () => {
    const base = updateBaseline(new Comparison(new Map()), {
      found: [finding(1), finding(2), finding(3)],
      notes: new Map([[idOf(1), 'a door']]),
      accept: [idOf(1)],
    });
    const comparison = new Comparison(base);
    comparison.add(finding(1, { size: thick(5, 5) }));
    const { gone, unchecked } = comparison.missing(({ names }) => names[0] === 'a2');
    expect([gone.length, unchecked.length]).toEqual([1, 1]);
    const updated = updateBaseline(comparison, { found: [finding(1, { size: thick(5, 5) })], gone });
    expect([...updated.keys()]).toEqual([idOf(1), idOf(3)]);
    expect(updated.get(idOf(1))).toMatchObject({ note: 'a door', accepted: true, size: { upper: 5 } });
    const withdrawn = updateBaseline(new Comparison(updated), { withdraw: [idOf(1)] }).get(idOf(1));
    expect(withdrawn).toMatchObject({ note: 'a door', size: { upper: 5 } });
    expect(withdrawn).not.toHaveProperty('accepted');
  });

  test('a size that is measured more coarsely changes no line; one that is surely smaller does', () => {
    const base = recorded(finding(1, { size: thick(0.99, 1) }));
    const after = (lower: number, upper: number) => {
      const found = finding(1, { size: thick(lower, upper) });
      const comparison = new Comparison(base);
      comparison.add(found);
      return writeBaseline(updateBaseline(comparison, { found: [found] }));
    };
    expect(after(0.95, 1.04)).toBe(writeBaseline(base));
    expect(after(0.92, 0.995)).toBe(writeBaseline(base));
    expect(after(0.9, 0.98)).not.toBe(writeBaseline(base));
  });

  test('an empty note takes the note away; a note on nobody is refused', () => {
    const noted = updateBaseline(new Comparison(recorded(finding(1))), { notes: new Map([[idOf(1), 'x']]) });
    const without = updateBaseline(new Comparison(noted), { notes: new Map([[idOf(1), '']]) });
    expect(without.get(idOf(1))).not.toHaveProperty('note');
    expect(() => updateBaseline(new Comparison(noted), { notes: new Map([[idOf(9), 'x']]) })).toThrow(
      'no finding of the baseline has this id',
    );
  });
});

describe('the file', () => {
  const entries = fc
    .uniqueArray(fc.nat(1000), { maxLength: 20 })
    .map((numbers) => recorded(...numbers.map((n) => finding(n))));

  test('is read as it was written, sorted, with a line a finding that ends with a comma (seed 24)', () => {
    fc.assert(
      fc.property(entries, fc.string({ unit: 'binary', maxLength: 20 }), (base, note) => {
        const noted = new Map([...base].map(([id, entry]) => [id, { ...entry, ...(note && { note }) }]));
        const text = writeBaseline(noted);
        expect(new Map([...readBaseline(text)].sort())).toEqual(new Map([...noted].sort()));
        const lines = text.split('\n').slice(1, -2);
        expect(lines.length).toBe(base.size);
        expect(lines.every((line) => line.endsWith('},'))).toBe(true);
        expect(lines).toEqual([...lines].sort());
      }),
      { seed: 24, numRuns: 100 },
    );
  });

  test.each([
    ['no JSON', '{"gicollide":', 'expected a value, found the end of the text'],
    [
      'another format',
      '{"gicollide":"baseline/2","findings":[]}',
      'expected "baseline/1" at gicollide, found "baseline/2"',
    ],
    [
      'a key that nobody knows',
      '{"gicollide":"baseline/1","findings":[],"extra":1}',
      'expected only known keys, found "extra"',
    ],
    [
      'an id that is none',
      '{"gicollide":"baseline/1","findings":[{"id":"x","rule":"r","names":["a"],"class":"c"},null]}',
      'expected an id: 16 hexadecimal digits at findings[0].id, found "x"',
    ],
  ])('%s is refused in one line', (_, text, message) => {
    expect(() => readBaseline(text)).toThrow(message);
  });

  test('two lines of one finding are joined, whichever stands first: the stricter size, all that people wrote', () => {
    const one: BaselineEntry = { id: idOf(1), rule: 'overlap', names: ['a', 'b'], class: 'overlap', size: thick(1, 1) };
    const other: BaselineEntry = { ...one, size: thick(2, 2), accepted: true, note: 'later' };
    const texts = [
      [one, other],
      [other, one],
    ].map((pair) => `{"gicollide":"baseline/1","findings":[${pair.map((entry) => JSON.stringify(entry)).join()}]}`);
    const [p, q] = texts.map((text) => readBaseline(text).get(idOf(1)));
    expect(p).toEqual(q);
    expect(p).toEqual({ ...one, accepted: true, note: 'later' });
  });
});

describe('git', () => {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=n', '-c', 'user.email=e@e', ...args], { encoding: 'utf8' });
  const file = join(folder, 'gicollide-baseline.json');
  const commit = (base: ReadonlyMap<string, BaselineEntry>, message: string): void => {
    writeFileSync(file, writeBaseline(base));
    git('commit', '-qam', message);
  };

  test("merges what two branches' runs have recorded, side by side in the file, and on one finding", () => {
    git('init', '-q', '-b', 'main');
    writeFileSync(join(folder, '.gitattributes'), 'gicollide-baseline.json merge=union\n');
    writeFileSync(file, writeBaseline(recorded(...[10, 20, 40, 50, 60].map((n) => finding(n)))));
    git('add', '.');
    git('commit', '-qm', 'base');
    git('checkout', '-qb', 'left');
    const base = readBaseline(readFileSync(file));
    const left = updateBaseline(new Comparison(base), {
      found: [finding(11), finding(30)],
      notes: new Map([[idOf(10), 'seen on the left']]),
    });
    commit(left, 'left');
    git('checkout', '-q', 'main');
    const right = updateBaseline(new Comparison(base), {
      found: [finding(12), finding(31)],
      accept: [idOf(10)],
      gone: [base.get(idOf(50))!],
    });
    commit(right, 'right');
    git('merge', '-q', 'left', '-m', 'both');
    const merged = readBaseline(readFileSync(file));
    expect([...merged.keys()].sort()).toEqual([10, 11, 12, 20, 30, 31, 40, 60].map(idOf));
    expect(merged.get(idOf(10))).toMatchObject({ accepted: true, note: 'seen on the left' });
    // The next update sorts it again.
    const sorted = writeBaseline(updateBaseline(new Comparison(merged), {}));
    expect(readBaseline(sorted)).toEqual(readBaseline(writeBaseline(merged)));
    expect(sorted.split('\n').length).toBe(merged.size + 3);
  });
});
