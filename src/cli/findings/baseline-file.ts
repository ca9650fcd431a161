/** `--baseline`: reads the file of known findings before a run, and updates it afterwards. */
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { InputError, OptionError } from '../../base/errors.ts';
import { counted, grouped, printable } from '../../base/printable.ts';
import type { Baseline, BaselineEntry, Comparison, Refine } from '../../report/baseline.ts';
import type { ReportFinding } from '../../report/finding.ts';
import type { BaselineDocument } from '../../report/read-baseline.ts';
import { isMissing, type NamedPlace, upwards, withSlashes } from '../inputs/name.ts';
import { openInput, readNamed } from '../inputs/open.ts';
import { about } from '../session.ts';
import { Decisions, wordsFor } from './decisions.ts';

export interface BaselineFlags {
  baseline?: string;
  baselinePlace?: NamedPlace;
  /** True if the file may be missing, since it is created later. */
  makesBaseline?: boolean;
  updateBaseline?: boolean;
  pruneBaseline?: boolean;
  note?: ReadonlyMap<string, string>;
  accept?: string[];
  /** What `note` and `accept` say, if several runs share them. */
  decisions?: Decisions;
  worse?: number;
  failOnGone?: boolean;
  force?: boolean;
}

export const addKnownOptions = (command: Command): Command =>
  command
    .option('--baseline <file>', 'file of known findings: only new or worse ones fail')
    .option('--worse <part>', 'growth that still counts as known, such as 10% or 0.1 [default: 10%]', parsePart);

export const addBaselineOptions = (command: Command): Command =>
  addKnownOptions(command)
    .option('--update-baseline', 'record the findings of this run in the baseline; in CI only with --force')
    .option('--prune-baseline', 'remove findings that are gone from the baseline')
    .option(
      '--note <id=text...>',
      'write a note to a finding, by the first digits of its id; records a new one in the baseline',
      parseNote,
    )
    .option('--accept <id...>', 'record findings as accepted in the baseline, by the first digits of their ids')
    .option('--fail-on-gone', 'also exit with code 1 if a known finding is gone')
    .option('--force', 'allow changes of the baseline in CI');

function parseNote(text: string, before: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Expected id=text.');
  return new Map(before).set(text.slice(0, at), text.slice(at + 1));
}

function parsePart(text: string): number {
  const part = text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text);
  if (text.trim() === '' || !(part >= 0) || part === Number.POSITIVE_INFINITY)
    throw new InvalidArgumentError('Expected a part, as 10% or 0.1.');
  return part;
}

const CHANGES = {
  updateBaseline: '--update-baseline',
  pruneBaseline: '--prune-baseline',
  note: '--note',
  accept: '--accept',
} as const;
const changesOf = (flags: BaselineFlags): string[] =>
  Object.entries(CHANGES).flatMap(([key, flag]) => (flags[key as keyof typeof CHANGES] ? [flag] : []));

/** Most runs have no baseline. */
const baselines = () => import('../../report/baseline.ts');

/** @throws OptionError for changes under CI without --force, and for options without a baseline */
export function requireBaselineFor(flags: BaselineFlags): void {
  const [change] = changesOf(flags);
  const { baseline, worse, failOnGone } = flags;
  const other = change ?? (worse === undefined ? undefined : '--worse') ?? (failOnGone && '--fail-on-gone');
  if (other && baseline === undefined) throw new OptionError(`${other} needs a baseline: add --baseline known.json`);
  if (change && process.env.CI && !flags.force)
    throw new OptionError(`${change}: a run under CI changes no baseline; --force does it all the same`);
}

export async function openBaseline(flags: BaselineFlags): Promise<Comparison | undefined> {
  const { baseline: file, worse } = flags;
  requireBaselineFor(flags);
  if (file === undefined) return undefined;
  const [change] = changesOf(flags);
  if (change) (await import('../atomic-write.ts')).requireWritable(file);
  const makes = makesFile(flags) || (change === undefined && (flags.makesBaseline ?? false));
  const { Comparison } = await baselines();
  return new Comparison(await readBaselineFile({ file, makes, named: flags.baselinePlace }), worse);
}

/** True if the run makes a missing file. */
const makesFile = ({ updateBaseline, note, accept }: BaselineFlags): boolean =>
  updateBaseline === true || note !== undefined || accept !== undefined;

interface ReadOptions {
  file: string;
  /** True if a missing file counts as an empty one. */
  makes?: boolean | undefined;
  named?: NamedPlace | undefined;
}

export const readBaselineFile = async (options: ReadOptions): Promise<Baseline> =>
  (await openBaselineFile(options)).entries;

/** Reads a baseline with its `$schema`, or makes a new one. */
export async function openBaselineFile({ file, makes = false, named }: ReadOptions): Promise<BaselineDocument> {
  if (isMissing(file)) {
    if (makes) return { $schema: schemaFor(file), entries: new Map() };
    throw new InputError(`${file}: no such file; --update-baseline makes it`);
  }
  const bytes = named ? readNamed(file, named) : openInput(file).bytes();
  const { readBaselineDocument } = await import('../../report/read-baseline.ts');
  return about(file, () => readBaselineDocument(bytes));
}

const SCHEMA = 'node_modules/gicollide/docs/baseline.schema.json';

/** The schema in the package above the file. If there is none: where this folder would have it. */
function schemaFor(file: string): string {
  const place = dirname(resolve(file));
  const found = upwards(place).find((at) => existsSync(join(at, SCHEMA)));
  const up = withSlashes(relative(place, found ?? '.'));
  return `${/^\.\.(\/\.\.)*$/.test(up) ? up : '.'}/${SCHEMA}`;
}

/** Changes the file under a lock. @param makes true if a missing file counts as an empty one */
export async function rewriteBaseline(
  { file, makes = false }: { file: string; makes?: boolean | undefined },
  change: (now: Baseline, $schema?: string) => Baseline,
): Promise<void> {
  const { rewriteWhole } = await import('../atomic-write.ts');
  const { writeBaseline } = await baselines();
  await rewriteWhole(file, async () => {
    const { entries, $schema } = await openBaselineFile({ file, makes });
    return Buffer.from(writeBaseline(change(entries, $schema), $schema));
  });
}

/**
 * Updates the file if requested. It is read again, since other runs may have changed it. Entries
 * that they changed are not removed.
 *
 * @returns lines that say what was written
 */
export async function changeBaseline(
  found: readonly ReportFinding[],
  gone: readonly BaselineEntry[],
  flags: BaselineFlags,
  refine: Refine | null,
): Promise<string[]> {
  if (changesOf(flags).length === 0) return [];
  const { updateBaseline: updates, pruneBaseline: prunes, decisions = new Decisions(flags.accept, flags.note) } = flags;
  // Another scene of the project may have the findings.
  if (flags.decisions && !updates && found.length === 0 && isMissing(flags.baseline!)) return [];
  const { Comparison, isRecorded, updateBaseline } = await baselines();
  let written: string[] = [];
  await rewriteBaseline({ file: flags.baseline!, makes: makesFile(flags) }, (now) => {
    const comparison = new Comparison(now, flags.worse);
    for (const finding of found) comparison.add(finding, refine);
    const isAsBefore = (entry: BaselineEntry) => textOf(now.get(entry.id)) === textOf(entry);
    const names = new Map([
      ...found.map(({ id, subjects }) => [id, subjects.map(({ name }) => name)] as const),
      ...[...now].map(([id, entry]) => [id, entry.names] as const),
    ]);
    const { notes, accept } = decisions.among(names);
    if (!flags.decisions) decisions.requireFound();
    const isNamed = ({ id }: ReportFinding): boolean => {
      const said = decisions.of(id);
      return said !== null && isRecorded(comparison, id, said);
    };
    const changed = updateBaseline(comparison, {
      found: updates ? found : found.filter(isNamed),
      ...(prunes && { gone: gone.filter(isAsBefore) }),
      ...{ notes, accept },
    });
    const wordsOf = (id: string): string => `${id.slice(0, 8)} (${wordsFor(names, id)})`;
    // Another scene with the same file may have written it.
    const isTold = (id: string): boolean => !flags.decisions || textOf(now.get(id)) !== textOf(changed.get(id));
    written = [
      ...(updates || prunes || changed.size > now.size ? [differenceText(now, changed)] : []),
      ...[...notes]
        .filter(([id]) => isTold(id))
        .map(([id, note]) => `${note === '' ? 'no note' : 'a note'} on ${wordsOf(id)}`),
      ...accept.filter(isTold).map((id) => `${wordsOf(id)} accepted`),
    ];
    return changed;
  });
  return written.map((text) => `wrote ${printable(flags.baseline!)}: ${text}`);
}

const textOf = (entry: BaselineEntry | undefined): string => JSON.stringify(entry) ?? '';

/** `2 findings added, 1 changed, 12 unchanged, 1 removed`. */
function differenceText(before: Baseline, after: Baseline): string {
  const added = [...after.keys()].filter((id) => !before.has(id)).length;
  const removed = [...before.keys()].filter((id) => !after.has(id)).length;
  const isChanged = ([id, entry]: [string, BaselineEntry]): boolean =>
    before.has(id) && textOf(before.get(id)) !== textOf(entry);
  const changed = [...after].filter(isChanged).length;
  const unchanged = after.size - added - changed;
  return [
    `${counted(added, 'finding')} added`,
    ...(changed > 0 ? [`${grouped(changed)} changed`] : []),
    ...(unchanged > 0 ? [`${grouped(unchanged)} unchanged`] : []),
    ...(removed > 0 ? [`${grouped(removed)} removed`] : []),
  ].join(', ');
}
