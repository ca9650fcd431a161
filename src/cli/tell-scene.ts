/** Reports the findings of a scene, for a run or for a merge of its shards. */
import { InputError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import type { BaselineEntry } from '../report/baseline.ts';
import type { Level } from '../report/finding.ts';
import type { ReportOptions } from '../report/report.ts';
import type { Covered } from '../scene/coverage.ts';
import type { Finding, SceneSummary } from '../scene/records.ts';
import { begunBy } from './colours.ts';
import { EXIT } from './exit-codes.ts';
import { type FindingLog, isRed, type Marks } from './findings/finding-log.ts';
import { type Facts, jsonOf, lineOf, matchesOf, textOf } from './scene-lines.ts';
import type { Session, WarningRecord } from './session.ts';
import { lineOfUnchecked, listOf } from './tell-coverage.ts';
import { print } from './terminal.ts';

export interface SceneRun {
  inputs: readonly string[];
  covered: Pick<Covered, 'findings' | 'failures' | 'open'>;
  facts: Omit<Facts, 'seconds' | 'warnings'>;
  warnings(): readonly WarningRecord[];
  /** Objects that bound no solid, with reasons; called after the findings. */
  openObjects?(): { name: string; reason: string }[];
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
  const write = async (line: string): Promise<void> => {
    if (lines.push(line) === LINES_A_WRITE) await print(`${lines.splice(0).join('\n')}\n`);
  };
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
