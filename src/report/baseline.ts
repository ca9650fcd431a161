/**
 * A baseline lists known findings, so that a run fails only for new ones.
 *
 * The JSON file has one finding per line, sorted by id, and `null` as the last one. Every finding's
 * line ends with a comma, so branches' files merge line by line. If both branches changed a
 * finding, a union merge leaves it twice; reading joins the two (read-baseline.ts).
 */
import { OptionError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import type { ReportFinding, State } from './finding.ts';

/** A known finding, as `baselineSchema` has it. */
export interface BaselineEntry {
  /** 16 hexadecimal digits. */
  id: string;
  rule: string;
  names: string[];
  class: string;
  size?: { kind: 'thickness' | 'distance'; lower: number; upper: number } | undefined;
  accepted?: true | undefined;
  note?: string | undefined;
}

export type Baseline = ReadonlyMap<string, BaselineEntry>;

/**
 * Joins two lines of one finding, in either order, as a union merge leaves them. The stricter
 * values win: the lesser class, the lesser thickness, the greater distance. Notes are kept.
 */
export function joined(a: BaselineEntry, b: BaselineEntry): BaselineEntry {
  const [first, second] = JSON.stringify(a) < JSON.stringify(b) ? [a, b] : [b, a];
  const sizes = [first, second].flatMap(({ size }) => (size ? [size] : []));
  const strict = rankOf(first.class) <= rankOf(second.class) ? first : second;
  const size = sizes.sort((p, q) => (p.kind === 'thickness' ? p.upper - q.upper : q.lower - p.lower))[0];
  const notes = [...new Set([first.note, second.note].filter((note) => note))];
  const { id, rule, names } = strict;
  return entryOf({ id, rule, names, class: strict.class }, size, first.accepted ?? second.accepted, notes.join('; '));
}

function entryOf(
  { id, rule, names, class: found }: Pick<BaselineEntry, 'id' | 'rule' | 'names' | 'class'>,
  size: BaselineEntry['size'] | null,
  accepted: true | undefined,
  note: string | undefined,
): BaselineEntry {
  return {
    ...{ id, rule, names, class: found },
    ...(size && { size }),
    ...(accepted && { accepted }),
    ...(note && { note }),
  };
}

/** @param $schema where editors find the schema of the file */
export function writeBaseline(baseline: Baseline, $schema?: string): string {
  const lines = [...baseline.values()]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((entry) => `${JSON.stringify(entry)},\n`);
  const schema = $schema === undefined ? '' : `"$schema":${JSON.stringify($schema)},`;
  return `{${schema}"gicollide":"baseline/1","findings":[\n${lines.join('')}null]}\n`;
}

/** Classes of pairs, from harmless to worst. A finding of a mesh has its rule as its class. */
const RANKS = ['clear', 'near', 'undecided', 'touch', 'contact', 'overlap', 'inside', 'same'];
const rankOf = (found: string): number => RANKS.indexOf(found);

export class Comparison {
  readonly states = new Map<string, State>();

  /** @param worse fraction by which a known size may grow */
  constructor(
    readonly baseline: Baseline,
    private readonly worse = 0.1,
  ) {}

  /** @param said a decision of this run, which may record the finding */
  add(
    finding: Pick<ReportFinding, 'id' | 'class' | 'size' | 'subjects'>,
    refine: Refine | null = null,
    said: Said | null = null,
  ): { state: State; entry: BaselineEntry | undefined } {
    const entry = this.baseline.get(finding.id);
    const limit = refine && this.limitOf(finding);
    const narrower = limit === null ? null : refine?.(finding, limit);
    const size = narrower ? { kind: 'thickness' as const, ...narrower } : finding.size;
    const found = !entry ? 'new' : isWorse(entry, { ...finding, size }, this.worse) ? 'worse' : 'known';
    this.states.set(finding.id, found);
    const state = said && isRecorded(this, finding.id, said) ? 'known' : found;
    this.states.set(finding.id, state);
    return { state, entry };
  }

  /** The greatest known thickness, if the finding's may be on either side of it; else null. */
  limitOf({ id, class: found, size }: Pick<ReportFinding, 'id' | 'class' | 'size'>): number | null {
    const entry = this.baseline.get(id);
    if (entry?.size?.kind !== 'thickness' || entry.class !== found) return null;
    const limit = entry.size.upper * (1 + this.worse);
    if (size) return size.kind === 'thickness' && size.lower <= limit && size.upper > limit ? limit : null;
    return OVERLAPS.includes(found) ? limit : null;
  }

  /** @param wasAsked true if the run would have found the entry if it still existed */
  missing(wasAsked: (entry: BaselineEntry) => boolean): { gone: BaselineEntry[]; unchecked: BaselineEntry[] } {
    const gone: BaselineEntry[] = [];
    const unchecked: BaselineEntry[] = [];
    for (const entry of this.baseline.values())
      if (!this.states.has(entry.id)) (wasAsked(entry) ? gone : unchecked).push(entry);
    return { gone, unchecked };
  }
}

/** Classes that have a thickness, although a run may not measure it. */
const OVERLAPS = ['overlap', 'inside', 'same'];

/** Narrows the bracket of a finding's thickness until it is on one side of a length. */
export type Refine = (
  finding: Pick<ReportFinding, 'subjects' | 'size'>,
  length: number,
) => { lower: number; upper: number } | null;

/** Relative width of a bracket that can't be narrowed: rounding moves its ends from run to run. */
const ROUNDING = 1e-5;

/**
 * Compares bounds so that an unchanged size is never worse, but growth beyond `worse` is. A
 * thickness that may be on either side counts as worse, unless rounding alone leaves it open.
 */
function isWorse(entry: BaselineEntry, { class: found, size }: Pick<ReportFinding, 'class' | 'size'>, worse: number) {
  if (found !== entry.class) return rankOf(found) > rankOf(entry.class);
  if (!size || !entry.size || size.kind !== entry.size.kind) return false;
  if (size.kind === 'thickness') {
    const limit = entry.size.upper * (1 + worse);
    return size.lower > limit || (size.upper > limit && size.upper - size.lower > ROUNDING * size.upper);
  }
  return size.lower < entry.size.lower * (1 - worse);
}

export interface UpdateOptions {
  /** Findings to add, with their current sizes. */
  found?: Iterable<ReportFinding>;
  gone?: Iterable<BaselineEntry>;
  /** Notes by id; an empty one removes the note. */
  notes?: ReadonlyMap<string, string>;
  accept?: Iterable<string>;
  withdraw?: Iterable<string>;
}

/** Returns names that make the line readable: both of a pair, or file and element of a mesh. */
function namesOf({ subjects }: ReportFinding): string[] {
  const [{ name, file }] = subjects;
  return subjects.length > 1 || file === null || file === name ? subjects.map((each) => each.name) : [file, name];
}

/** True for two brackets of what may be one thickness: runs measure it more or less finely. */
const mayBeOne = (now: ReportFinding['size'], old: BaselineEntry['size']): boolean =>
  now?.kind === 'thickness' && old?.kind === 'thickness' && now.upper >= old.lower;

/**
 * Returns the baseline after a run. A known size that has grown a little keeps its recorded value,
 * so that it cannot creep. Notes and entries that the run did not look for stay.
 *
 * @throws OptionError for a note on a finding that is not in the baseline
 */
export function updateBaseline(
  { baseline, states }: Pick<Comparison, 'baseline' | 'states'>,
  { found = [], gone = [], notes = new Map(), accept = [], withdraw = [] }: UpdateOptions,
): Baseline {
  const updated = new Map(baseline);
  for (const { id } of gone) updated.delete(id);
  for (const finding of found) {
    const { id, rule, class: kind, size } = finding;
    const old = baseline.get(id);
    const isKnown = old && states.get(id) === 'known';
    const told = isKnown && mayBeOne(size, old.size) ? old.size : size;
    const now = entryOf({ id, rule, names: namesOf(finding), class: kind }, told, old?.accepted, old?.note);
    updated.set(id, isKnown ? joined(old, now) : now);
  }
  for (const [id, note] of notes) {
    const entry = present(updated, id);
    updated.set(id, entryOf(entry, entry.size, entry.accepted, note));
  }
  for (const id of accept) {
    const entry = present(updated, id);
    updated.set(id, entryOf(entry, entry.size, true, entry.note));
  }
  for (const id of withdraw) {
    const entry = present(updated, id);
    updated.set(id, entryOf(entry, entry.size, undefined, entry.note));
  }
  return updated;
}

/** A person's decision about a finding. */
export type Said = Pick<ReportFinding, 'accepted' | 'note'>;

export const saidOf = (entry: BaselineEntry | undefined): Said => ({
  accepted: entry?.accepted ?? false,
  note: entry?.note ?? null,
});

export const isSame = (p: Said, q: Said): boolean => p.accepted === q.accepted && (p.note ?? '') === (q.note ?? '');

/** True if a decision records a finding: a new one in any case, a worse one if it is accepted. */
export function isRecorded(
  { baseline, states }: Pick<Comparison, 'baseline' | 'states'>,
  id: string,
  { accepted, note }: Said,
): boolean {
  return baseline.has(id) ? accepted && states.get(id) === 'worse' : accepted || !!note;
}

/** Returns the baseline after a person's changes, by id, and with the findings that they record. */
export function changedBaseline(
  comparison: Pick<Comparison, 'baseline' | 'states'>,
  findings: readonly ReportFinding[],
  changes: ReadonlyMap<string, Said>,
): Baseline {
  const found = findings.filter(({ id }) => {
    const said = changes.get(id);
    return said !== undefined && isRecorded(comparison, id, said);
  });
  const present = new Set([...comparison.baseline.keys(), ...found.map(({ id }) => id)]);
  const all = [...changes].filter(([id]) => present.has(id));
  const idsOf = (isAccepted: boolean): string[] =>
    all.flatMap(([id, { accepted }]) => (accepted === isAccepted ? [id] : []));
  return updateBaseline(comparison, {
    found,
    notes: new Map(all.map(([id, { note }]) => [id, note ?? ''])),
    accept: idsOf(true),
    withdraw: idsOf(false),
  });
}

function present(baseline: Baseline, id: string): BaselineEntry {
  const entry = baseline.get(id);
  if (!entry) throw new OptionError(`${printable(id)}: no finding of the baseline has this id`);
  return entry;
}
