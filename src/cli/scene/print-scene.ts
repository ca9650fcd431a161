/**
 * Prints the findings of a scene, for a run or for a merge of its shards: the failing ones first,
 * then an account of objects and pairs, hints, and the outcome as the last line.
 */
import { InputError } from '../../base/errors.ts';
import { excludedText } from '../../base/patterns.ts';
import { counted, grouped, printable, quoted } from '../../base/printable.ts';
import { someOf } from '../../readers/mesh-file.ts';
import type { BaselineEntry } from '../../report/baseline.ts';
import type { Level } from '../../report/finding.ts';
import type { ReportOptions } from '../../report/report.ts';
import {
  type Coverage,
  type Covered,
  coverageText,
  type ElementNote,
  type UncheckedFinding,
} from '../../scene/coverage.ts';
import type { Finding, SceneSummary } from '../../scene/records.ts';
import type { RelatedPair } from '../../scene/rules.ts';
import { EXIT } from '../exit-codes.ts';
import { type FindingLog, isRed } from '../findings/finding-log.ts';
import type { SceneRun as RunRecord } from '../findings/scene-run.ts';
import type { OutputCounts } from '../make/used-outputs.ts';
import type { Session, WarningRecord } from '../session.ts';
import { print } from '../terminal.ts';
import { FindingLines, rowOf, rowOfUnchecked } from './finding-lines.ts';
import { isShown, Slivers, Tally } from './tally.ts';

export interface SceneRun {
  inputs: readonly string[];
  covered: Pick<Covered, 'findings' | 'failures' | 'open'>;
  facts: Omit<Facts, 'seconds' | 'warnings'>;
  warnings(): readonly WarningRecord[];
  /** Objects that bound no solid, with reasons; called after the findings. */
  openObjects?(): { name: string; reason: string }[];
  /** Pairs that are allowed because they belong together. */
  related: readonly RelatedPair[];
  find(take: (finding: Finding, level: Level) => unknown): Promise<SceneSummary>;
  /** True if the run would report two objects of these names if they touched. */
  looksAt(a: string, b: string, rule: string | null): boolean;
  /** True if an object has this name. */
  isThere(name: string): boolean;
  snapshot?: ReportOptions['snapshot'];
  seconds(): number;
  /** Lines about files of the run itself, and hints; called after the findings. */
  written?: readonly string[];
  hints?(): string[];
}

/** Lines per write: a long report may not fit in a string. */
const LINES_A_WRITE = 1000;

export async function tellScene(
  run: SceneRun,
  log: FindingLog,
  { json }: { json: boolean },
  session: Session,
): Promise<number> {
  const { covered, snapshot } = run;
  const { global } = session;
  const lines: string[] = [];
  const flush = (): Promise<void> => print(`${lines.splice(0).join('\n')}\n`);
  const write = (line: string): Promise<void> | undefined => (lines.push(line) === LINES_A_WRITE ? flush() : undefined);
  const unit = unitText(run.facts);
  const shown = new FindingLines(write);
  const tally = new Tally(run.facts.unchecked);
  const slivers = new Slivers();
  let isCut = false;
  if (!json) for (const finding of covered.findings) await shown.add(rowOfUnchecked(finding));
  const summary = await run.find((finding, level) => {
    const marked = log.mark(finding, level);
    if (isRed(marked)) isCut ||= finding.contacts?.complete === false;
    if (json) return write(JSON.stringify(marked));
    tally.add(marked);
    slivers.add(marked);
    return isShown(marked, global) ? shown.add(rowOf(marked, unit)) : undefined;
  });
  await shown.end();
  const warnings = run.warnings();
  const facts = { ...run.facts, ...listOf(warnings) };
  const beside = [...warnings, ...covered.findings];
  log.note(beside);
  const failures = covered.failures.map(({ names, problem }) => log.fail(names.join(', '), problem));
  const wasAsked = ({ rule, names: [a, b] }: BaselineEntry): boolean =>
    b !== undefined && !covered.open.has(a) && !covered.open.has(b) && run.looksAt(a, b, rule);
  const options = { command: 'scene', ...(snapshot && { snapshot }) };
  const missing = await log.end({ ...summary, ...facts }, wasAsked, options);
  const timed: Facts = { ...facts, seconds: run.seconds() };
  if (json) {
    for (const record of [...beside, ...failures, ...missing]) await write(JSON.stringify(record));
    lines.push(jsonOf(summary, timed));
  } else if (!global.quiet) {
    if (shown.count > 0) lines.push('');
    if (global.verbose) sayMore(run, summary, session);
    else lines.push(...tally.hidden());
    const hints = [...slivers.hint(unit), ...(summary.shard ? [] : log.hints()), ...(run.hints?.() ?? [])];
    lines.push(
      ...accountOf(summary, timed),
      ...log.states(missing, run.isThere),
      ...(run.written ?? []),
      ...log.written,
    );
    lines.push(...hints.map((hint) => `hint: ${hint}`), tally.outcome(summary.allowed));
  }
  if (lines.length > 0) await flush();
  if (summary.pairs + summary.allowed === 0)
    throw new InputError(
      `${run.inputs.join(' ')}: no pair is asked: no rule, or no other side, is of two of the objects`,
    );
  log.requireBaseline();
  if (facts.unchecked > 0) return EXIT.failed;
  if (log.undecided > 0 || isCut) return EXIT.undecided;
  return log.errors > 0 || log.failsOnGone ? EXIT.other : EXIT.expected;
}

/** Logs the pairs of each rule and allowance, and why objects bound no solid. */
function sayMore(run: SceneRun, summary: SceneSummary, { log }: Session): void {
  for (const text of matchesOf(summary, run.facts.incomplete)) log.info(text);
  for (const line of linesOfRelated(run.related)) log.info(line);
  for (const { name, reason } of run.openObjects?.() ?? []) log.info(`open: ${printable(name)} ${reason}`);
}

const unitText = ({ units }: Pick<Facts, 'units'>): string => (units === null ? '' : ` ${printable(units)}`);

export function matchesOf({ rules = [], allow = [] }: SceneSummary, incomplete: Covered['allowed'] = []): string[] {
  return [
    ...rules.map(({ id, pairs }) => `rule ${quoted(id)}: ${counted(pairs, 'pair')}`),
    ...allow.map(({ a, b, reason, pairs }) => {
      return `allowed ${quoted(a)} ${quoted(b)}: ${counted(pairs, 'pair')}${reason === null ? '' : `: ${reason}`}`;
    }),
    ...incomplete.map(({ a, reason, elements }) => {
      return `incomplete ${quoted(a)}: ${counted(elements, 'object')}${reason === null ? '' : `: ${reason}`}`;
    }),
  ];
}

export function* linesOfRelated(related: readonly RelatedPair[]): Generator<string> {
  for (const { a, b, why } of related) yield `allowed  ${printable(a)}  ${printable(b)}: ${printable(why)}`;
}

export const relatedFact = ({ length }: readonly RelatedPair[]): Pick<Facts, 'related'> =>
  length === 0 ? {} : { related: length };

export interface Facts {
  /** Elements that are incomplete without permission. */
  unchecked: number;
  /** Counts of elements; absent from shards of 0.1. */
  coverage?: Coverage;
  incomplete?: Covered['allowed'];
  /** Warnings of readers, one line each. */
  warnings?: string[];
  baked: number;
  converted: number;
  /** Meshes without a unit, assumed to be in `units`. */
  unitless: number;
  skipped: number;
  /** Objects left out by --exclude, if it is given. */
  excluded?: number;
  units: string | null;
  /** For robots. */
  adjacent?: number;
  beyondLimits?: number;
  /** Allowed pairs that belong together in IFC, such as a whole and its part. */
  related?: number;
  outputs?: OutputCounts;
  /** Enough to open the scene again; absent if an input was a pipe. */
  run?: RunRecord;
  seconds: number;
}

/** Describes outputs that are not known to be fresh. */
export const outputsInWords = ({ outputs }: Pick<Facts, 'outputs'>): string[] => [
  ...(outputs?.stale ? [`${counted(outputs.stale, 'stale output')}`] : []),
  ...(outputs?.unknown ? [`${counted(outputs.unknown, 'output')} unknown, without their sources`] : []),
];

/** Classes of solids that share a point. */
const MEETING = ['overlap', 'inside', 'same', 'touch'] as const;

/** Accounts for all objects and all pairs, a line each; with the time if `facts` has it. */
export function accountOf(summary: SceneSummary, facts: Omit<Facts, 'seconds'> & Partial<Facts>): string[] {
  return [objectsText(summary, facts), pairsText(summary, facts)];
}

function objectsText({ objects, open = 0 }: SceneSummary, facts: Omit<Facts, 'seconds'>): string {
  const { unchecked, coverage, baked, converted, unitless, skipped, units } = facts;
  const isWhole = !coverage || coverage.checked === coverage.elements;
  const more = [
    ...(unchecked > 0 && !coverage ? [`${counted(unchecked, 'object')} unchecked`] : []),
    ...(open > 0 ? [`${counted(open, 'object')} open`] : []),
    ...(baked > 0 ? [`${counted(baked, 'asset')} scaled`] : []),
    ...(converted > 0 ? [`${counted(converted, 'asset')} converted to ${printable(units ?? '')}`] : []),
    ...(unitless > 0 ? [`${grouped(unitless)} without units taken in ${printable(units ?? '')}`] : []),
    ...excludedText(facts),
    ...(skipped > 0 ? [`${counted(skipped, 'file')} skipped`] : []),
    ...outputsInWords(facts),
  ];
  const all = isWhole ? counted(objects, 'object') : coverageText(coverage, 'object');
  return more.length === 0 ? all : `${all}${isWhole ? ':' : ';'} ${more.join(', ')}`;
}

function pairsText(summary: SceneSummary, { adjacent, beyondLimits, related, seconds }: Partial<Facts>): string {
  const { pairs, apart, checked, near, undecided, unasked, uncovered = 0, shard } = summary;
  const meeting = MEETING.flatMap((found) => (summary[found] > 0 ? [`${grouped(summary[found])} ${found}`] : []));
  const contacts = MEETING.reduce((sum, found) => sum + summary[found], summary.contact);
  const surfaces = summary.contact > 0 ? [`${grouped(summary.contact)} of surfaces`] : [];
  const parts = [
    `${grouped(apart)} apart by their boxes`,
    `${grouped(checked)} checked`,
    `${grouped(contacts)} in contact${meeting.length === 0 ? '' : ` (${[...meeting, ...surfaces].join(', ')})`}`,
    ...(near > 0 ? [`${grouped(near)} near`] : []),
    `${grouped(undecided)} undecided`,
    ...(unasked > 0 ? [`of these ${counted(unasked, 'pair')} not checked within --budget`] : []),
    ...(uncovered > 0 ? [`${counted(uncovered, 'pair')} that no rule covers`] : []),
    ...(adjacent ? [`${counted(adjacent, 'pair')} of adjacent links allowed`] : []),
    ...(related ? [`${counted(related, 'pair')} of IFC elements that belong together allowed`] : []),
    ...(beyondLimits ? ['result of a joint value beyond its limits'] : []),
    ...(shard ? [`shard ${shard.index}/${shard.count}: ${counted(shard.others, 'pair')} left to others`] : []),
    ...(seconds === undefined ? [] : [`${seconds.toFixed(1)} s`]),
  ];
  return `${counted(pairs, 'pair')}: ${parts.join(', ')}`;
}

const jsonOf = (summary: SceneSummary, { seconds, ...facts }: Facts): string =>
  JSON.stringify({ ...summary, ...facts, ms: { ...summary.ms, all: Math.round(1000 * seconds) } });

/** Prints one line per unreadable asset, and per reason of incomplete elements. */
export function sayUnchecked(
  { failures, findings }: Pick<Covered, 'failures' | 'findings'>,
  leftOut: readonly ElementNote[],
  { log }: Session,
): void {
  for (const { names, problem } of failures) log.error(`${problem}; unchecked: ${someOf(names)}`);
  const reasons = new Map<string, string[]>();
  for (const { a, reason } of findings) {
    const key = `${a.file ?? ''}: ${reason}`;
    const names = reasons.get(key) ?? [];
    names.push(a.name);
    reasons.set(key, names);
  }
  for (const [reason, names] of reasons) log.error(`${reason}; unchecked: ${someOf(names)}`);
  for (const { name, file, text } of leftOut) log.info(`${file}: left out by rule: ${printable(name)} (${text})`);
}

/** Lists missing elements with reasons, in words. */
export function notThere({ findings, failures, allowed, open }: Covered, leftOut: readonly ElementNote[]): string[] {
  const lost = [...findings.map(({ a }) => a.name), ...failures.flatMap(({ names }) => names)];
  const excused = allowed.length > 0 ? [...open].filter((name) => !lost.includes(name)) : [];
  return [
    ...(leftOut.length > 0 ? [`left out by rule: ${someOf(leftOut.map((own) => own.name))}`] : []),
    ...(excused.length > 0 ? [`allowed to be incomplete: ${someOf(excused)}`] : []),
    ...(lost.length > 0 ? [`not readable: ${someOf(lost)}`] : []),
  ];
}

export const lineOfUnchecked = ({ a: { name, file }, reason }: UncheckedFinding): string =>
  `unchecked  ${printable(name)}  ${file === null ? '' : `${printable(file)}: `}${reason}`;

export const listOf = (warnings: readonly WarningRecord[]): { warnings?: string[] } =>
  warnings.length === 0 ? {} : { warnings: warnings.map(({ subject, message }) => `${subject}: ${message}`) };
