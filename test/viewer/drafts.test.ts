/** Decisions about findings on a page, while others change the baseline. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BaselineEntry, writeBaseline } from '../../src/report/baseline.ts';
import type { ReportFinding } from '../../src/report/finding.ts';
import { readBaseline } from '../../src/report/read-baseline.ts';
import type { BaselineNews } from '../../src/viewer/document.ts';
import { Drafts } from '../../src/viewer/page/drafts.ts';

const idOf = (n: number): string => n.toString(16).padStart(16, '0');

const findingOf = (n: number): ReportFinding => ({
  ...{ id: idOf(n), rule: 'overlap', class: 'overlap', level: 'error', state: 'new', note: null, accepted: false },
  subjects: [`p${n}`, `q${n}`].map((name) => ({ name, file: null, line: null, sha256: null, guid: null })),
  ...{ message: 'overlap', point: null, box: null, size: { kind: 'thickness', lower: 1, upper: 2 }, again: null },
});

const entryOf = (n: number, more: Partial<BaselineEntry> = {}): BaselineEntry => ({
  ...{ id: idOf(n), rule: 'overlap', names: [`p${n}`, `q${n}`], class: 'overlap' },
  ...{ size: { kind: 'thickness', lower: 1, upper: 2 }, ...more },
});

/** What the server says of a baseline that has these entries. */
const newsOf = (findings: readonly ReportFinding[], ...entries: BaselineEntry[]): BaselineNews => ({
  ...{ revision: JSON.stringify(entries), entries },
  findings: findings.map(({ id }) => {
    const { accepted = false, note = null } = entries.find((entry) => entry.id === id) ?? {};
    return { id, state: entries.some((entry) => entry.id === id) ? 'known' : 'new', accepted, note };
  }),
});

const [one, two] = [findingOf(1), findingOf(2)];
const NOTHING = { accepted: false, note: null };

describe('a finding that was changed here and elsewhere', () => {
  const conflict = () => {
    const drafts = new Drafts([one, two]);
    drafts.change(one, { note: 'mine' });
    drafts.change(two, { accepted: true });
    drafts.hear(newsOf([one, two], entryOf(1, { accepted: true, note: 'theirs' })));
    return drafts;
  };

  test('is told with both, and the other one is not', () => {
    const drafts = conflict();
    expect(drafts.theirs(one.id)).toMatchObject({ accepted: true, note: 'theirs' });
    expect(drafts.shown(one)).toMatchObject({ accepted: false, note: 'mine', state: 'known' });
    expect(drafts.theirs(two.id)).toBeNull();
  });

  test('is theirs or mine, as the user says', () => {
    const theirs = conflict();
    theirs.choose(one.id, 'theirs');
    expect(theirs.shown(one)).toMatchObject({ accepted: true, note: 'theirs' });
    expect([...theirs.changes.keys()]).toEqual([two.id]);
    const mine = conflict();
    mine.choose(one.id, 'mine');
    expect(mine.theirs(one.id)).toBeNull();
    expect(mine.changes.get(one.id)).toEqual({
      ...{ id: one.id, accepted: false, note: 'mine' },
      seen: { accepted: true, note: 'theirs' },
    });
  });

  test('is so again if others change it once more', () => {
    const drafts = conflict();
    drafts.choose(one.id, 'mine');
    drafts.hear(newsOf([one, two], entryOf(1, { note: 'later' })));
    expect(drafts.theirs(one.id)).toMatchObject({ note: 'later' });
  });

  test('is none if both have done the same, and while the user goes on writing', () => {
    const drafts = new Drafts([one]);
    drafts.change(one, { accepted: true });
    drafts.hear(newsOf([one], entryOf(1, { accepted: true })));
    expect(drafts.changes.size).toBe(0);
    drafts.change(one, { note: 'a' });
    const sent = [...drafts.changes.values()];
    drafts.change(one, { note: 'a b' });
    drafts.settle(sent, { ...newsOf([one], entryOf(1, { accepted: true, note: 'a' })), conflicts: [] });
    expect(drafts.theirs(one.id)).toBeNull();
    expect([...drafts.changes.values()]).toEqual([
      { id: one.id, accepted: true, note: 'a b', seen: { accepted: true, note: 'a' } },
    ]);
  });
});

test('what is put back as it was is no change', () => {
  const drafts = new Drafts([one]);
  // The list hands over findings as it shows them.
  drafts.change(one, { note: 'x' });
  drafts.change(drafts.shown(one), { accepted: true });
  drafts.change(drafts.shown(one), { accepted: false });
  expect(drafts.shown(one)).toMatchObject({ accepted: false, note: 'x' });
  drafts.change(one, { note: 'x' });
  drafts.change(one, { note: null });
  expect(drafts.changes.size).toBe(0);
  drafts.hear(newsOf([one], entryOf(1, { note: 'old' })));
  drafts.change(one, { note: 'x' });
  drafts.change(one, { note: 'old' });
  expect(drafts.changes.size).toBe(0);
  expect(drafts.shown({ ...one, state: 'gone' })).toMatchObject({ note: 'old', state: 'gone' });
});

const said = fc.record({ accepted: fc.boolean(), note: fc.constantFrom(null, 'p', 'q') });
const known = fc.option(said);

/** Random changes of both; the file has the others' entries, with the user's changes in them. */
test('the file to keep has all changes, and every other line as it was (seed 48)', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(known, fc.option(said)), { minLength: 1, maxLength: 6 }), (rows) => {
      const findings = rows.map((_, n) => findingOf(n));
      const entries = [
        entryOf(99, { note: 'of another run' }),
        ...rows.flatMap(([old], n) =>
          old ? [entryOf(n, { accepted: old.accepted || undefined, note: old.note ?? undefined })] : [],
        ),
      ];
      const drafts = new Drafts(findings);
      const $schema = './baseline.schema.json';
      drafts.hear({ ...newsOf(findings, ...entries), $schema });
      for (const [n, [, mine]] of rows.entries()) if (mine) drafts.change(findings[n], mine);
      const text = drafts.text();
      const read = readBaseline(text);
      expect(writeBaseline(read, $schema)).toBe(text);
      expect(read.get(idOf(99))).toEqual(entryOf(99, { note: 'of another run' }));
      for (const [n, [old, mine]] of rows.entries()) {
        const { accepted, note } = mine ?? old ?? NOTHING;
        const entry = read.get(idOf(n));
        expect([entry?.accepted ?? false, entry?.note ?? null]).toEqual([accepted, note]);
        if (entry) expect(entry).toMatchObject({ names: [`p${n}`, `q${n}`], size: { lower: 1, upper: 2 } });
      }
    }),
    { seed: 48, numRuns: 300 },
  );
});
