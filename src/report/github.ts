/**
 * Writes GitHub Actions annotations, `::error file=..,line=..::...`, which a step prints.
 *
 * GitHub shows ten of each level per step, so the rest is only counted, in the last line. Findings
 * known to the baseline get no annotation.
 */
import { withoutMarks } from '../base/printable.ts';
import type { Level, ReportFinding, ReportWriter } from './finding.ts';
import { clean, isOld, lineOf, titleOf } from './text.ts';

const MOST_OF_A_LEVEL = 10;
const COMMANDS: Readonly<Record<Level, string>> = { error: 'error', warning: 'warning', note: 'notice' };

export const github: ReportWriter = async function* (report) {
  const { failures, incomplete, warnings } = report.summary;
  const problems = [...failures.map(({ subject, message }) => `${subject}: ${message}`), ...incomplete];
  const shownProblems = problems.slice(0, MOST_OF_A_LEVEL);
  for (const problem of shownProblems) yield annotation('error', { title: 'not checked' }, problem);
  const shownWarnings = warnings.slice(0, MOST_OF_A_LEVEL);
  for (const shown of shownWarnings) yield annotation('warning', { title: 'warning' }, lineOf(shown));
  // The line that counts the rest is also a notice.
  const room = {
    error: MOST_OF_A_LEVEL - shownProblems.length,
    warning: MOST_OF_A_LEVEL - shownWarnings.length,
    note: MOST_OF_A_LEVEL - 1,
  };
  let left = problems.length - shownProblems.length + warnings.length - shownWarnings.length;
  for await (const finding of report.findings()) {
    if (isOld(finding)) continue;
    if (room[finding.level]-- > 0) yield annotationOf(finding);
    else left++;
  }
  if (left > 0) yield annotation('note', {}, `${left} more: GitHub shows ${MOST_OF_A_LEVEL} of each level`);
};

function annotationOf(finding: ReportFinding): string {
  const place = finding.subjects.find(({ file }) => file !== null);
  const title = finding.state === null ? finding.rule : `${finding.rule} (${finding.state})`;
  return annotation(finding.level, { file: place?.file ?? null, line: place?.line ?? null, title }, titleOf(finding));
}

function annotation(level: Level, properties: Record<string, string | number | null>, message: string): string {
  const list = Object.entries(properties)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${name}=${percent(String(value), /[%\r\n:,]/g)}`)
    .join(',');
  return `::${COMMANDS[level]}${list && ` ${list}`}::${percent(message, /[%\r\n]/g)}\n`;
}

/** Encodes ends of properties and lines for GitHub, and removes other runners' marks. */
const percent = (text: string, special: RegExp): string =>
  withoutMarks(clean(text)).replaceAll(special, encodeURIComponent);
