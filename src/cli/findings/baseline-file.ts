/** `--baseline`: reads the file of known findings before a run, and updates it afterwards. */
import { dirname, relative } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { InputError, OptionError } from '../../base/errors.ts';
import { ambiguousText, counted, grouped, idsMeant, printable } from '../../base/printable.ts';
import type { Baseline, BaselineEntry, Comparison, Refine } from '../../report/baseline.ts';
import type { ReportFinding } from '../../report/finding.ts';
import type { BaselineDocument } from '../../report/read-baseline.ts';
import { isMissing, type NamedPlace, withSlashes } from '../inputs/name.ts';
import { openInput, readNamed } from '../inputs/open.ts';
import { about } from '../session.ts';

export interface BaselineFlags {
  baseline?: string;
  baselinePlace?: NamedPlace;
  /** True if the file may be missing, since it is created later. */
  makesBaseline?: boolean;
  updateBaseline?: boolean;
  pruneBaseline?: boolean;
  note?: ReadonlyMap<string, string>;
  accept?: string[];
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
      'write a note to a finding of the baseline, by the first digits of its id',
      parseNote,
    )
    .option('--accept <id...>', 'mark findings of the baseline as accepted, by the first digits of their ids')
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

/** @throws OptionError for changes under CI without --force, and for options without --baseline */
export async function openBaseline(flags: BaselineFlags): Promise<Comparison | undefined> {
  const { baseline: file, worse } = flags;
  const [change] = changesOf(flags);
  if (file === undefined) {
    const other = change ?? (worse === undefined ? undefined : '--worse') ?? (flags.failOnGone && '--fail-on-gone');
    if (other) throw new OptionError(`${other}: of a baseline; --baseline says which`);
    return undefined;
  }
  if (change && process.env.CI && !flags.force)
    throw new OptionError(`${change}: a run under CI changes no baseline; --force does it all the same`);
  if (change) (await import('../atomic-write.ts')).requireWritable(file);
  const makes = flags.updateBaseline ?? (change === undefined && flags.makesBaseline) ?? false;
  const { Comparison } = await baselines();
  return new Comparison(await readBaselineFile({ file, makes, named: flags.baselinePlace }), worse);
}

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

/** The schema in the package of this folder; for a file outside, in that of its own folder. */
function schemaFor(file: string): string {
  const up = withSlashes(relative(dirname(file), '.'));
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
  const { Comparison, updateBaseline } = await baselines();
  let written: string[] = [];
  await rewriteBaseline({ file: flags.baseline!, makes: flags.updateBaseline }, (now) => {
    const comparison = new Comparison(now, flags.worse);
    for (const finding of found) comparison.add(finding, refine);
    const isAsBefore = (entry: BaselineEntry) => JSON.stringify(now.get(entry.id)) === JSON.stringify(entry);
    const names = new Map([
      ...found.map(({ id, subjects }) => [id, subjects.map(({ name }) => name)] as const),
      ...[...now].map(([id, entry]) => [id, entry.names] as const),
    ]);
    const notes = new Map([...(flags.note ?? [])].map(([text, note]) => [idIn(names, text, '--note'), note]));
    const accept = (flags.accept ?? []).map((text) => idIn(names, text, '--accept'));
    const changed = updateBaseline(comparison, {
      ...(flags.updateBaseline && { found }),
      ...(flags.pruneBaseline && { gone: gone.filter(isAsBefore) }),
      ...{ notes, accept },
    });
    const wordsOf = (id: string): string => `${id.slice(0, 8)} (${wordsFor(names, id)})`;
    written = [
      ...(flags.updateBaseline || flags.pruneBaseline ? [differenceText(now, changed)] : []),
      ...[...notes].map(([id, note]) => `${note === '' ? 'no note' : 'a note'} on ${wordsOf(id)}`),
      ...accept.map((id) => `${wordsOf(id)} accepted`),
    ];
    return changed;
  });
  return written.map((text) => `wrote ${printable(flags.baseline!)}: ${text}`);
}

type Names = ReadonlyMap<string, readonly string[]>;

const wordsFor = (names: Names, id: string): string => names.get(id)!.map(printable).join(', ');

/** @throws OptionError unless exactly one finding has an id that begins with a text */
function idIn(names: Names, text: string, option: string): string {
  const meant = idsMeant(text, names.keys());
  if (meant.length === 1) return meant[0];
  const none = `${printable(text)}: no finding of the baseline has this id; --update-baseline records those of this run`;
  const many = ambiguousText(text, meant, (id) => wordsFor(names, id));
  throw new OptionError(`${option} ${meant.length === 0 ? none : many}`);
}

/** `2 findings added, 1 changed, 12 unchanged, 1 removed`. */
function differenceText(before: Baseline, after: Baseline): string {
  const added = [...after.keys()].filter((id) => !before.has(id)).length;
  const removed = [...before.keys()].filter((id) => !after.has(id)).length;
  const isChanged = ([id, entry]: [string, BaselineEntry]): boolean =>
    before.has(id) && JSON.stringify(before.get(id)) !== JSON.stringify(entry);
  const changed = [...after].filter(isChanged).length;
  const unchanged = after.size - added - changed;
  return [
    `${counted(added, 'finding')} added`,
    ...(changed > 0 ? [`${grouped(changed)} changed`] : []),
    ...(unchanged > 0 ? [`${grouped(unchanged)} unchanged`] : []),
    ...(removed > 0 ? [`${grouped(removed)} removed`] : []),
  ].join(', ');
}
