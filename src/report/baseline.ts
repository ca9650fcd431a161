/**
 * A baseline: the findings that somebody knows of, so that a run fails for what is new alone.
 *
 * A file of JSON with a finding a line, sorted by their ids, and `null` as the last one: every
 * finding's line ends with a comma, so that two branches' files can be merged line by line. Where
 * both have changed one finding, a union merge leaves it twice: reading joins the two.
 */
import * as z from 'zod/mini';
import { FormatError, OptionError } from '../math/errors.ts';
import { printable } from '../math/printable.ts';
import { at, describe, expectedBy, quoted, valueAt, worst } from '../readers/json-messages.ts';
import { parseJson } from '../readers/json-text.ts';
import { schemaNotes } from '../readers/schema-notes.ts';
import type { ReportFinding, State } from './model.ts';

const text = z.string().check(z.maxLength(10_000));
const name = z.string().check(z.minLength(1), z.maxLength(10_000));
const LARGEST = 1e300;
const length = z.number().check(z.gte(0), z.lte(LARGEST));

const SHAPES = {
  '': {
    $schema: z.optional(z.string()),
    gicollide: z.literal('baseline/1').register(schemaNotes, { description: 'The format and its version' }),
  },
  finding: {
    id: z.string().check(z.regex(/^[0-9a-f]{16}$/, { error: 'an id: 16 hexadecimal digits' })),
    rule: name,
    names: z.array(text).check(z.minLength(1), z.maxLength(3)).register(schemaNotes, {
      description: 'The two objects of a pair; the file and the element of a mesh',
    }),
    class: name,
    size: z
      .optional(z.strictObject({ kind: z.enum(['thickness', 'distance']), lower: length, upper: length }))
      .register(schemaNotes, { description: 'Proved bounds, when it was recorded' }),
    accepted: z.optional(z.literal(true)).register(schemaNotes, { description: 'Somebody lives with it' }),
    note: z.optional(text),
  },
};

const entrySchema = z.strictObject(SHAPES.finding);

export const baselineSchema = z
  .strictObject({ ...SHAPES[''], findings: z.array(z.nullable(entrySchema)) })
  .register(schemaNotes, { title: 'A baseline of gicollide (gicollide-baseline.json)' });

/** A finding that is known. */
export type BaselineEntry = z.infer<typeof entrySchema>;

/** By their ids. */
export type Baseline = ReadonlyMap<string, BaselineEntry>;

/**
 * Reads a baseline.
 *
 * @throws FormatError of one line, for what is no baseline
 */
export function readBaseline(source: string | Uint8Array): Baseline {
  const value = parseJson(source);
  const result = z.safeParse(baselineSchema, value);
  if (!result.success) {
    const issue = worst(result.error.issues, value);
    if (issue.code === 'unrecognized_keys')
      throw new FormatError(null, `only known keys${at(issue.path)}`, quoted(issue.keys[0]));
    throw new FormatError(
      null,
      `${expectedBy(issue, LARGEST)}${at(issue.path)}`,
      describe(valueAt(value, issue.path), issue),
    );
  }
  const entries = new Map<string, BaselineEntry>();
  for (const entry of result.data.findings) {
    if (!entry) continue;
    const other = entries.get(entry.id);
    entries.set(entry.id, other ? joined(other, entry) : entry);
  }
  return entries;
}

/**
 * Two lines of one finding, as a union merge leaves them, in whatever order. What fails sooner
 * counts: the lesser class, the lesser thickness, the greater distance. What people wrote is kept.
 */
function joined(a: BaselineEntry, b: BaselineEntry): BaselineEntry {
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

/** The text of a baseline. */
export function writeBaseline(baseline: Baseline): string {
  const lines = [...baseline.values()]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((entry) => `${JSON.stringify(entry)},\n`);
  return `{"gicollide":"baseline/1","findings":[\n${lines.join('')}null]}\n`;
}

/** Classes of pairs, from the least to the worst. A finding of a mesh has its rule as its class. */
const RANKS = ['clear', 'near', 'undecided', 'touch', 'contact', 'overlap', 'inside', 'same'];
const rankOf = (found: string): number => RANKS.indexOf(found);

/** Compares a run's findings with those that are known, one by one. */
export class Comparison {
  readonly states = new Map<string, State>();

  /** @param worse the part by which a size may grow and be the one that is known */
  constructor(
    readonly baseline: Baseline,
    private readonly worse = 0.1,
  ) {}

  /** What the baseline says of a finding. */
  add(finding: Pick<ReportFinding, 'id' | 'class' | 'size'>): { state: State; entry: BaselineEntry | undefined } {
    const entry = this.baseline.get(finding.id);
    const state = !entry ? 'new' : isWorse(entry, finding, this.worse) ? 'worse' : 'known';
    this.states.set(finding.id, state);
    return { state, entry };
  }

  /**
   * What is known and was not found.
   *
   * @param wasAsked whether the run would have found it, were it still there
   */
  missing(wasAsked: (entry: BaselineEntry) => boolean): { gone: BaselineEntry[]; unchecked: BaselineEntry[] } {
    const gone: BaselineEntry[] = [];
    const unchecked: BaselineEntry[] = [];
    for (const entry of this.baseline.values())
      if (!this.states.has(entry.id)) (wasAsked(entry) ? gone : unchecked).push(entry);
    return { gone, unchecked };
  }
}

/**
 * Whether a finding may be worse than it was. Bounds are compared on the side on which a thing that
 * has not changed is never worse, and one that has grown by more than `worse` always is.
 */
function isWorse(entry: BaselineEntry, { class: found, size }: Pick<ReportFinding, 'class' | 'size'>, worse: number) {
  if (found !== entry.class) return rankOf(found) > rankOf(entry.class);
  if (!size || !entry.size || size.kind !== entry.size.kind) return false;
  if (size.kind === 'thickness') return size.upper > entry.size.upper * (1 + worse);
  return size.lower < entry.size.lower * (1 - worse);
}

/** What is to become of a baseline. */
export interface UpdateOptions {
  /** Findings to take up, with the sizes that they have now. */
  found?: Iterable<ReportFinding>;
  /** Entries to forget. */
  gone?: Iterable<BaselineEntry>;
  /** Texts by ids; an empty one takes the note away. */
  notes?: ReadonlyMap<string, string>;
  /** Ids that are accepted from now on. */
  accept?: Iterable<string>;
  /** Ids that are accepted no longer. */
  withdraw?: Iterable<string>;
}

/** What a line of the file is read by: the two of a pair, or the file and the element of a mesh. */
function namesOf({ subjects }: ReportFinding): string[] {
  const [{ name, file }] = subjects;
  return subjects.length > 1 || file === null || file === name ? subjects.map((each) => each.name) : [file, name];
}

/**
 * The baseline after a run. What is known gets no worse by it: a size that has grown a little stays
 * as it was recorded. Notes stay, and so does what the run did not look at.
 *
 * @throws OptionError for a note on what the baseline does not have
 */
export function updateBaseline(
  { baseline, states }: Comparison,
  { found = [], gone = [], notes = new Map(), accept = [], withdraw = [] }: UpdateOptions,
): Baseline {
  const updated = new Map(baseline);
  for (const { id } of gone) updated.delete(id);
  for (const finding of found) {
    const { id, rule, class: kind, size } = finding;
    const old = baseline.get(id);
    const now = entryOf({ id, rule, names: namesOf(finding), class: kind }, size, old?.accepted, old?.note);
    updated.set(id, old && states.get(id) === 'known' ? joined(old, now) : now);
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

function present(baseline: Baseline, id: string): BaselineEntry {
  const entry = baseline.get(id);
  if (!entry) throw new OptionError(`${printable(id)}: no finding of the baseline has this id`);
  return entry;
}
