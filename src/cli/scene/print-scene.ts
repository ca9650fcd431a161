/**
 * Prints the findings of a scene, for a run or for a merge of its shards: a line a finding,
 * unchecked elements, warnings, and the last line.
 */
import { InputError } from '../../base/errors.ts';
import { excludedText } from '../../base/patterns.ts';
import { bracketText, counted, grouped, printable, quoted } from '../../base/printable.ts';
import type { Contacts } from '../../engine/records.ts';
import { patchesTogether } from '../../engine/report.ts';
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
import { type FindingLog, isRed, type Marks } from '../findings/finding-log.ts';
import type { SceneRun as RunRecord } from '../findings/scene-run.ts';
import type { OutputCounts } from '../make/used-outputs.ts';
import type { Session, WarningRecord } from '../session.ts';
import { begunBy, print } from '../terminal.ts';

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
  snapshot?: ReportOptions['snapshot'];
  seconds(): number;
}

/** Lines per write: a long report may not fit in a string. */
const LINES_A_WRITE = 1000;

/** Colors a finding's line on a terminal: red for errors, yellow for warnings. */
function shaded(finding: Finding & Marks): string {
  const line = lineOf(finding);
  if (!isRed(finding)) return line;
  return begunBy(finding.level === 'error' ? 'red' : 'yellow', line);
}

export async function tellScene(
  run: SceneRun,
  log: FindingLog,
  { json }: { json: boolean },
  { global, log: talk }: Session,
): Promise<number> {
  const { covered, snapshot } = run;
  const lines: string[] = [];
  const write = (line: string): Promise<void> | undefined =>
    lines.push(line) === LINES_A_WRITE ? print(`${lines.splice(0).join('\n')}\n`) : undefined;
  let isCut = false;
  const summary = await run.find((finding, level) => {
    const marked = log.mark(finding, level);
    if (isRed(marked)) isCut ||= finding.contacts?.complete === false;
    if (json) return write(JSON.stringify(marked));
    return global.quiet || !(isRed(marked) || global.verbose) ? undefined : write(shaded(marked));
  });
  const warnings = run.warnings();
  const facts = { ...run.facts, ...listOf(warnings) };
  const beside = [...warnings, ...covered.findings];
  log.note(beside);
  const failures = covered.failures.map(({ names, problem }) => log.fail(names.join(', '), problem));
  const wasAsked = ({ rule, names: [a, b] }: BaselineEntry): boolean =>
    b !== undefined && !covered.open.has(a) && !covered.open.has(b) && run.looksAt(a, b, rule);
  const options = { command: 'scene', ...(snapshot && { snapshot }) };
  const missing = await log.end({ ...summary, ...facts }, wasAsked, options);
  if (json) for (const record of [...beside, ...failures, ...missing]) await write(JSON.stringify(record));
  else {
    if (!global.quiet) for (const finding of covered.findings) await write(lineOfUnchecked(finding));
    for (const text of matchesOf(summary, facts.incomplete)) talk.info(text);
    if (global.verbose) for (const line of linesOfRelated(run.related)) talk.info(line);
    if (global.verbose)
      for (const { name, reason } of run.openObjects?.() ?? []) talk.info(`open: ${printable(name)} ${reason}`);
  }
  const timed: Facts = { ...facts, seconds: run.seconds() };
  lines.push(json ? jsonOf(summary, timed) : textOf(summary, timed));
  const states = log.states(missing);
  if (states !== null && !json) lines.push(states);
  await print(`${lines.join('\n')}\n`);
  if (summary.pairs + summary.allowed === 0)
    throw new InputError(
      `${run.inputs.join(' ')}: no pair is asked: no rule, or no other side, is of two of the objects`,
    );
  if (facts.unchecked > 0) return EXIT.failed;
  if (log.undecided > 0 || isCut) return EXIT.undecided;
  return log.errors > 0 || log.failsOnGone ? EXIT.other : EXIT.expected;
}

/** Rounds a coordinate to about a millionth of the finding's box, wherever the box is. */
function placed(x: number, { low, high }: Finding['box']): number {
  const size = Math.max(...low.map((edge, k) => high[k] - edge));
  const digits = 6 + Math.ceil(Math.log10(Math.abs(x) / size));
  return Number(x.toPrecision(Math.min(17, Math.max(6, digits || 6))));
}

export function lineOf(finding: Finding & Marks): string {
  const { class: found, inner, thickness, rule, a, b, point, box, distance, bracket, contacts } = finding;
  // A touching primitive's thickness that may be 0 is rounding.
  const isDeep = thickness && thickness.upper > 0 && !(found === 'touch' && bracket && thickness.lower === 0);
  // The first is inside the second.
  const [first, second] = inner === 'b' ? [b, a] : [a, b];
  const deep = isDeep ? `  ${bracketText(thickness)} thick` : '';
  const where = point ? `  at (${point.map((x) => placed(x, box)).join(' ')})` : '';
  const far =
    distance === undefined || distance === null
      ? ''
      : `  distance ${bracketText(bracket ?? { lower: distance, upper: distance })}`;
  const common = contacts && (patchesTogether(contacts.patches) || pairsOf(contacts));
  const many = common ? `  ${common}` : '';
  const state = finding.state ? `  ${finding.state}${finding.note ? `: ${printable(finding.note)}` : ''}` : '';
  return `${found}  ${printable(first.name)}  ${printable(second.name)}${rule === null ? '' : `  (${printable(rule)})`}${deep}${where}${far}${many}${state}`;
}

const pairsOf = ({ count, complete }: Contacts): string => `${count}${complete ? '' : ' or more'} pairs of triangles`;

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

/** Returns the last line, with the duration if `facts` has seconds. */
export function textOf(summary: SceneSummary, facts: Omit<Facts, 'seconds'> & Partial<Facts>): string {
  const { unchecked, coverage, baked, converted, unitless, skipped, units, adjacent, beyondLimits, related } = facts;
  const { seconds } = facts;
  const isWhole = !coverage || coverage.checked === coverage.elements;
  const { objects, pairs, apart, checked, near, undecided, unasked, allowed, shard, open = 0 } = summary;
  const meeting = MEETING.flatMap((found) => (summary[found] > 0 ? [`${grouped(summary[found])} ${found}`] : []));
  const contacts = MEETING.reduce((sum, found) => sum + summary[found], summary.contact);
  const surfaces = summary.contact > 0 ? [`${grouped(summary.contact)} of surfaces`] : [];
  const which = meeting.length === 0 ? '' : ` (${[...meeting, ...surfaces].join(', ')})`;
  const more = [
    ...(near > 0 ? [`${grouped(near)} near`] : []),
    `${grouped(undecided)} undecided`,
    ...(unasked > 0 ? [`${counted(unasked, 'pair')} not asked in time`] : []),
    ...(allowed > 0 ? [`${grouped(allowed)} allowed`] : []),
    ...(adjacent ? [`of these ${counted(adjacent, 'pair')} of adjacent links`] : []),
    ...(related ? [`of these ${counted(related, 'pair')} of IFC elements that belong together`] : []),
    ...(beyondLimits ? ['result of a joint value beyond its limits'] : []),
    ...(unchecked > 0 && !coverage ? [`${counted(unchecked, 'object')} unchecked`] : []),
    ...(open > 0 ? [`${counted(open, 'object')} open`] : []),
    ...(baked > 0 ? [`${counted(baked, 'asset')} scaled`] : []),
    ...(converted > 0 ? [`${counted(converted, 'asset')} converted to ${printable(units ?? '')}`] : []),
    ...(unitless > 0 ? [`${grouped(unitless)} without units taken in ${printable(units ?? '')}`] : []),
    ...excludedText(facts),
    ...(skipped > 0 ? [`${counted(skipped, 'file')} skipped`] : []),
    ...outputsInWords(facts),
    ...(shard ? [`shard ${shard.index}/${shard.count}: ${counted(shard.others, 'pair')} left to others`] : []),
    ...(seconds === undefined ? [] : [`${seconds.toFixed(1)} s`]),
  ];
  return (
    `${isWhole ? `${counted(objects, 'object')},` : `${coverageText(coverage, 'object')};`} ` +
    `${counted(pairs, 'pair')}: ${grouped(apart)} apart by their boxes, ` +
    `${grouped(checked)} checked, ${grouped(contacts)} in contact${which}, ${more.join(', ')}`
  );
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
