/**
 * Writes GitHub Actions annotations, `::error file=..,line=..::...`, which a step prints.
 *
 * GitHub shows ten errors and ten warnings of a step, so the rest is only counted, in a notice.
 * Findings that don't fail, or that the baseline knows, get no annotation.
 */
import { counted, idsInShort, withoutMarks } from '../base/printable.ts';
import type { Level, ReportFinding, ReportWriter } from './finding.ts';
import { clean, isOld, lineOf, titleOf } from './text.ts';

const MOST_OF_A_LEVEL = 10;
const COMMANDS: Readonly<Record<Level, string>> = { error: 'error', warning: 'warning', note: 'notice' };

export const github: ReportWriter = async function* (report) {
  const { failures, incomplete, warnings } = report.summary;
  const problems = [...failures.map(lineOf), ...incomplete];
  const shownProblems = problems.slice(0, MOST_OF_A_LEVEL);
  for (const problem of shownProblems) yield annotation('error', { title: 'not checked' }, problem);
  const shownWarnings = warnings.slice(0, MOST_OF_A_LEVEL);
  for (const shown of shownWarnings) yield annotation('warning', { title: 'warning' }, lineOf(shown));
  const counts = { error: problems.length, warning: warnings.length };
  const annotated: ReportFinding[] = [];
  for await (const finding of report.findings()) {
    const { level } = finding;
    if (level === 'note' || isOld(finding)) continue;
    if (counts[level]++ < MOST_OF_A_LEVEL) annotated.push(finding);
  }
  const ids = idsInShort(annotated.map(({ id }) => id));
  for (const [n, finding] of annotated.entries()) yield annotationOf(finding, ids[n]);
  const left = (['error', 'warning'] as const).flatMap((level) =>
    counts[level] > MOST_OF_A_LEVEL ? [counted(counts[level] - MOST_OF_A_LEVEL, `more ${level}`)] : [],
  );
  if (left.length > 0)
    yield annotation('note', {}, `${left.join(', ')}: GitHub shows ${MOST_OF_A_LEVEL} of each level for a step`);
};

function annotationOf(finding: ReportFinding, id: string): string {
  const place = finding.subjects.find(({ file }) => file !== null);
  const title = finding.state === null ? finding.rule : `${finding.rule} (${finding.state})`;
  const properties = { file: place?.file ?? null, line: place?.line ?? null, title };
  return annotation(finding.level, properties, `${titleOf(finding)} (${id})`);
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
