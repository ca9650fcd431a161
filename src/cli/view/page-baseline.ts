/**
 * The baseline of the pages of `gicollide view`: tells them when it has changed, and saves findings
 * that were accepted or annotated there.
 *
 * Several pages, other runs and people may change the file. Each change names the decision that its
 * page showed before. If the file has another one now, the change is not saved, and the page hears
 * of it. Changes of other findings are saved.
 */
import { statSync } from 'node:fs';
import * as z from 'zod/mini';
import { InputError } from '../../base/errors.ts';
import { sha256 } from '../../containers/hash.ts';
import {
  type Baseline,
  Comparison,
  changedBaseline,
  isSame,
  type Refine,
  saidOf,
  writeBaseline,
} from '../../report/baseline.ts';
import type { ReportFinding } from '../../report/finding.ts';
import type { BaselineDocument } from '../../report/read-baseline.ts';
import type { BaselineChange, BaselineNews } from '../../viewer/document.ts';
import { openBaselineFile, rewriteBaseline } from '../findings/baseline-file.ts';

const saidShape = { accepted: z.boolean(), note: z.nullable(z.string().check(z.maxLength(10_000))) };

const changesSchema = z
  .array(
    z.strictObject({
      id: z.string().check(z.regex(/^[0-9a-f]{16}$/)),
      ...saidShape,
      seen: z.strictObject(saidShape),
    }),
  )
  .check(z.maxLength(100_000));

/** True if this run found it, not only the baseline. Baselines have no unchecked elements. */
const isFound = ({ class: found, state }: ReportFinding): boolean =>
  found !== 'unchecked' && state !== 'gone' && state !== 'unchecked';

interface Compared {
  worse: number | undefined;
  refine: Refine | null;
}

export interface PageBaseline {
  /** Reads the file if it has changed. @throws InputError if it cannot be read */
  look(): Promise<BaselineNews>;
  /**
   * @param body sent by a page: a list of changes
   * @throws InputError for invalid changes, and if the file cannot be read or written
   */
  save(body: unknown): Promise<BaselineNews>;
  /** Waits for the last save. */
  end(): Promise<void>;
}

/** @param findings of the document; they get the new states */
export function openPageBaseline(file: string, how: Compared, findings: ReportFinding[]): PageBaseline {
  let news: BaselineNews | undefined;
  let read: string | null = null;
  // In turn: each begins with the file that the last one left.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
  const take = async (
    { entries: baseline, $schema }: BaselineDocument,
    stamp: string | null,
  ): Promise<BaselineNews> => {
    const { states } = compared(baseline, findings, how);
    for (const [n, finding] of findings.entries())
      findings[n] = { ...finding, ...saidOf(baseline.get(finding.id)), state: states.get(finding.id) ?? finding.state };
    read = stamp;
    news = {
      revision: await sha256(Buffer.from(writeBaseline(baseline))),
      ...($schema !== undefined && { $schema }),
      entries: [...baseline.values()],
      findings: findings.map(({ id, state, accepted, note }) => ({ id, state, accepted, note })),
    };
    return news;
  };
  return {
    look: () =>
      inTurn(async () => {
        const stamp = stampOf(file);
        return news && stamp !== null && stamp === read
          ? news
          : take(await openBaselineFile({ file, makes: true }), stamp);
      }),
    save: (body) =>
      inTurn(async () => {
        const changes = changesOf(body, findings);
        const conflicts: string[] = [];
        let after: BaselineDocument = { entries: new Map() };
        await rewriteBaseline({ file, makes: true }, (now, $schema) => {
          const free = new Map(changes);
          for (const [id, change] of changes) {
            const known = saidOf(now.get(id));
            if (isSame(known, change.seen) || isSame(known, change)) continue;
            conflicts.push(id);
            free.delete(id);
          }
          after = { $schema, entries: changedBaseline(compared(now, findings, how), findings, free) };
          return after.entries;
        });
        // Another run may write right after this one: the next look reads the file.
        return { ...(await take(after, null)), conflicts };
      }),
    end: async () => void (await last),
  };
}

/** Another one if the file has been replaced or edited; null if only reading it can tell. */
function stampOf(file: string): string | null {
  try {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stat ? [stat.dev, stat.ino, stat.size, stat.mtimeNs].join(' ') : 'missing';
  } catch {
    return null;
  }
}

function changesOf(body: unknown, findings: readonly ReportFinding[]): ReadonlyMap<string, BaselineChange> {
  const held = z.safeParse(changesSchema, body);
  if (!held.success) throw new InputError('expected a list of { id, accepted, note, seen: { accepted, note } }');
  const known = new Set(findings.map(({ id }) => id));
  const changes = new Map<string, BaselineChange>();
  for (const change of held.data) {
    if (!known.has(change.id)) throw new InputError(`${change.id}: no finding has this id`);
    changes.set(change.id, change);
  }
  return changes;
}

function compared(baseline: Baseline, findings: readonly ReportFinding[], { worse, refine }: Compared): Comparison {
  const comparison = new Comparison(baseline, worse);
  for (const finding of findings.filter(isFound)) comparison.add(finding, refine);
  return comparison;
}
