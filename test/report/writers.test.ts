/** What holds of all writers: equal bytes, no character that breaks readers, and that they stream. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ReportFinding } from '../../src/report/finding.ts';
import { WRITERS } from '../../src/report/writers.ts';
import { bytesOf, manyFindings, oneOfEach, report, reportOf } from '../support/findings.ts';
import { long, some } from '../support/long.ts';

const names = WRITERS.map(({ name }) => name);

test.each(names)('%s: the same report gives the same bytes, and is not empty', async (name) => {
  const writer = await WRITERS.find((entry) => entry.name === name)!.load();
  const failures = [{ subject: 'a.obj', message: 'broken' }];
  const one = () => reportOf(structuredClone(oneOfEach), { failures, incomplete: ['cut'] });
  const [first, second] = [await bytesOf(writer, one()), await bytesOf(writer, one())];
  expect(first.equals(second)).toBe(true);
  expect(first.length).toBeGreaterThan(100);
});

test.each(names)('%s: what was not checked is said', async (name) => {
  const writer = await WRITERS.find((entry) => entry.name === name)!.load();
  const changes = { failures: [{ subject: 'a', message: 'brokenmesh' }], incomplete: ['budgetover'] };
  const [whole, cut] = [await bytesOf(writer, reportOf([])), await bytesOf(writer, reportOf([], changes))];
  expect(whole.equals(cut)).toBe(false);
  if (name === 'bcf') return;
  expect(cut.toString()).toContain('brokenmesh');
  expect(cut.toString()).toContain('budgetover');
});

test.each(names.filter((name) => name !== 'bcf'))(
  '%s: no NUL, no half of a character, seed 14',
  { tags: ['quick', 'long'] },
  async (name) => {
    const writer = await WRITERS.find((entry) => entry.name === name)!.load();
    await fc.assert(
      fc.asyncProperty(report, async (one) => {
        for await (const piece of writer(one, {}))
          expect(piece).not.toMatch(/(?![\t\n\r])\p{Cc}|\p{Cs}|\ufffe|\uffff/u);
      }),
      { seed: 14, numRuns: long ? 340 : 60 },
    );
  },
);

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Findings that a writer may keep: BCF makes topics of 10,000; GitHub shows 10 of a level. */
const KEPT: Record<string, number> = { bcf: 10_000, github: 20 };
/** More than may be kept. */
const manyFor = (name: string): number => (KEPT[name] ?? 0) + (long ? (name === 'junit' ? 20_000 : 100_000) : 2_000);

/** A writer that keeps nothing and one that keeps some come first; the long run has the others. */
const BY_COST = [...names].sort((a, b) => Number(/csv|sarif/.test(b)) - Number(/csv|sarif/.test(a)));

test.each(some(2, BY_COST))(
  '%s: a long list passes through, and is not kept',
  { tags: ['all', 'long'] },
  async (name) => {
    const writer = await WRITERS.find((entry) => entry.name === name)!.load();
    const count = manyFor(name);
    const step = count / (long ? 4 : 2);
    let kept = 0;
    async function* findings() {
      const given: WeakRef<ReportFinding>[] = [];
      for (const finding of manyFindings(count)) {
        given.push(new WeakRef(finding));
        yield finding;
        if (given.length % step > 0) continue;
        // What a WeakRef was made of stays until the end of the turn.
        await new Promise((turn) => setImmediate(turn));
        collectGarbage();
        kept = Math.max(kept, given.filter((reference) => reference.deref()).length);
      }
    }
    let pieces = 0;
    for await (const _ of writer({ ...reportOf([]), findings }, {})) pieces++;
    expect(pieces).toBeGreaterThan(0);
    expect(kept).toBeLessThanOrEqual((KEPT[name] ?? 0) + 10);
  },
);
