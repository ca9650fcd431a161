/** What holds of all writers: equal bytes, no character that breaks readers, and that they stream. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WRITERS, writerNamed } from '../../src/report/writers.ts';
import { bytesOf, manyFindings, oneOfEach, report, reportOf } from '../support/findings.ts';
import { long } from '../support/long.ts';

const names = WRITERS.map(({ name }) => name);

test.each(names)('%s: the same report gives the same bytes, and is not empty', async (name) => {
  const writer = await writerNamed(name).load();
  const failures = [{ subject: 'a.obj', message: 'broken' }];
  const one = () => reportOf(structuredClone(oneOfEach), { failures, incomplete: ['cut'] });
  const [first, second] = [await bytesOf(writer, one()), await bytesOf(writer, one())];
  expect(first.equals(second)).toBe(true);
  expect(first.length).toBeGreaterThan(100);
});

test.each(names)('%s: what was not checked is said', async (name) => {
  const writer = await writerNamed(name).load();
  const changes = { failures: [{ subject: 'a', message: 'brokenmesh' }], incomplete: ['budgetover'] };
  const [whole, cut] = [await bytesOf(writer, reportOf([])), await bytesOf(writer, reportOf([], changes))];
  expect(whole.equals(cut)).toBe(false);
  if (name === 'bcf') return;
  expect(cut.toString()).toContain('brokenmesh');
  expect(cut.toString()).toContain('budgetover');
});

test.each(names.filter((name) => name !== 'bcf'))('%s: no NUL, no half of a character, seed 14', async (name) => {
  const writer = await writerNamed(name).load();
  await fc.assert(
    fc.asyncProperty(report, async (one) => {
      for await (const piece of writer(one, {})) expect(piece).not.toMatch(/(?![\t\n\r])\p{Cc}|\p{Cs}|\ufffe|\uffff/u);
    }),
    { seed: 14, numRuns: long ? 1000 : 60 },
  );
});

/** Findings that a writer has asked for since its last piece: what it holds at once, at most. */
const HELD: Record<string, number> = { bcf: 10_000, junit: 50_000 };

test.each(names)('%s: a long list passes through, and is not kept', async (name) => {
  const count = long ? 1_000_000 : 12_000;
  const writer = await writerNamed(name).load();
  let asked = 0;
  let held = 0;
  function* findings() {
    // Anew: what is counted in a pass before is not held.
    asked = 0;
    for (const finding of manyFindings(count)) {
      asked++;
      yield finding;
    }
  }
  let last = 0;
  let pieces = 0;
  for await (const _ of writer({ ...reportOf([]), findings }, {})) {
    pieces++;
    if (asked >= last && asked < count) held = Math.max(held, asked - last);
    last = asked;
  }
  expect(pieces).toBeGreaterThan(0);
  // Of three findings one is an error: others are passed over between two pieces.
  expect(held).toBeLessThanOrEqual(HELD[name] ?? 7);
});

test('a name that is no format is refused in one line', () => {
  expect(() => writerNamed('pdf\n')).toThrow(
    /^--report pdf\\u000a: no such format; expected one of junit, sarif, gitlab, github, .*, csv, bcf, html$/,
  );
});
