/** The baseline of a page: takes findings that were accepted or annotated there. */
import * as z from 'zod/mini';
import { InputError } from '../../base/errors.ts';
import { type Baseline, type BaselineEntry, Comparison, type Refine, updateBaseline } from '../../report/baseline.ts';
import type { ReportFinding } from '../../report/finding.ts';
import { rewriteBaseline } from '../findings/baseline-file.ts';

type SavedState = Pick<ReportFinding, 'id' | 'state' | 'note' | 'accepted'>;

const changesSchema = z
  .array(
    z.strictObject({
      id: z.string().check(z.regex(/^[0-9a-f]{16}$/)),
      accepted: z.boolean(),
      note: z.nullable(z.string().check(z.maxLength(10_000))),
    }),
  )
  .check(z.maxLength(100_000));

type Change = z.infer<typeof changesSchema>[number];

/** True if this run found it, rather than only the baseline. */
const isFound = ({ state }: ReportFinding): boolean => state !== 'gone' && state !== 'unchecked';

/**
 * Saves findings that were accepted or annotated on the page to the baseline.
 *
 * @param findings of the document; they get the new states
 * @param body sent by the page: [{ id, accepted, note }]
 * @throws InputError for invalid changes, and if the file cannot be read or written
 */
export async function saveBaseline(
  file: string,
  how: Compared,
  findings: ReportFinding[],
  body: unknown,
): Promise<SavedState[]> {
  const changes = changesOf(body, findings);
  let after: Baseline = new Map();
  await rewriteBaseline({ file, makes: true }, (now) => {
    after = changed(compared(now, findings, how), findings, changes);
    return after;
  });
  const { states } = compared(after, findings, how);
  for (const [n, finding] of findings.entries()) {
    const { note = null, accepted = false } = after.get(finding.id) ?? {};
    findings[n] = { ...finding, note, accepted, state: states.get(finding.id) ?? finding.state };
  }
  return findings.map(({ id, state, note, accepted }) => ({ id, state, note, accepted }));
}

function changesOf(body: unknown, findings: readonly ReportFinding[]): ReadonlyMap<string, Change> {
  const held = z.safeParse(changesSchema, body);
  if (!held.success) throw new InputError('expected a list of { id, accepted, note }');
  const known = new Set(findings.map(({ id }) => id));
  const changes = new Map<string, Change>();
  for (const change of held.data) {
    if (!known.has(change.id)) throw new InputError(`${change.id}: no finding has this id`);
    changes.set(change.id, change);
  }
  return changes;
}

interface Compared {
  worse: number | undefined;
  refine: Refine | null;
}

function compared(baseline: Baseline, findings: readonly ReportFinding[], { worse, refine }: Compared): Comparison {
  const comparison = new Comparison(baseline, worse);
  for (const finding of findings.filter(isFound)) comparison.add(finding, refine);
  return comparison;
}

/** New findings are added when they are accepted or noted; worse ones, when they are accepted. */
function changed(
  comparison: Comparison,
  findings: readonly ReportFinding[],
  changes: ReadonlyMap<string, Change>,
): Baseline {
  const { baseline, states } = comparison;
  const isTaken = ({ id }: ReportFinding): boolean => {
    const { accepted = false, note = null } = changes.get(id) ?? {};
    const state = states.get(id);
    return (state === 'new' && (accepted || !!note)) || (state === 'worse' && accepted);
  };
  const found = findings.filter(isTaken);
  const present = new Set([...baseline.keys(), ...found.map(({ id }) => id)]);
  const all = [...changes.values()].filter(({ id }) => present.has(id));
  const idsOf = (some: readonly Change[]): BaselineEntry['id'][] => some.map(({ id }) => id);
  return updateBaseline(comparison, {
    found,
    notes: new Map(all.map(({ id, note }) => [id, note ?? ''])),
    accept: idsOf(all.filter(({ accepted }) => accepted)),
    withdraw: idsOf(all.filter(({ accepted }) => !accepted)),
  });
}
