/**
 * Writes GitLab's code quality report: JSON whose differences a merge request shows. It has all
 * findings, since GitLab counts missing ones as solved; gone findings are left out for that reason.
 */
import { sha256 } from '../containers/hash.ts';
import type { Level, ReportWriter } from './finding.ts';
import { clean, shownLevel, titleOf } from './text.ts';

const SEVERITIES: Readonly<Record<Level, string>> = { error: 'critical', warning: 'minor', note: 'info' };

interface Entry {
  description: string;
  check_name: string;
  fingerprint: string;
  severity: string;
  location: { path: string; lines: { begin: number } };
}

interface Location {
  path: string;
  /** The end of the description. */
  outside: string;
}

export const gitlab: ReportWriter = async function* (report, { inRepository = (name) => name }) {
  /** GitLab shows only files of the repository. */
  const locationOf = (name: string, isFile: boolean): Location => {
    const path = inRepository(name, { isFile });
    return path === null ? { path: name, outside: `; ${name} is outside the repository` } : { path, outside: '' };
  };
  const { failures, incomplete, warnings, command, tool } = report.summary;
  let separator = '[\n';
  const whole = incomplete.map((reason) => ({ subject: `${tool.name} ${command}`, message: reason }));
  const others = [
    ...[...failures, ...whole].map((failure) => ({ ...failure, check: 'unchecked', severity: 'blocker' })),
    ...warnings.map((warning) => ({ ...warning, check: 'warning', severity: 'info' })),
  ];
  for (const { subject, message, check, severity } of others) {
    const fingerprint = await sha256(new TextEncoder().encode(JSON.stringify([subject, message])));
    const { path, outside } = locationOf(subject, false);
    yield separator + entry(`${subject}: ${message}${outside}`, check, fingerprint, severity, path, null);
    separator = ',\n';
  }
  for await (const finding of report.findings()) {
    if (finding.state === 'gone') continue;
    const { rule, subjects, id, note } = finding;
    const place = subjects.find(({ file }) => file !== null) ?? subjects[0];
    const { path, outside } = place?.file ? locationOf(place.file, true) : { path: place?.name ?? '', outside: '' };
    const description = `${titleOf(finding)}${note === null ? '' : ` (${note})`}${outside}`;
    yield separator + entry(description, rule, id, SEVERITIES[shownLevel(finding)], path, place?.line ?? null);
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
};

function entry(
  description: string,
  check: string,
  fingerprint: string,
  severity: string,
  path: string,
  line: number | null,
): string {
  const written: Entry = {
    description: clean(description),
    check_name: clean(check),
    fingerprint: clean(fingerprint),
    severity,
    // GitLab finds no file by a path that begins with a dot.
    location: { path: clean(path.replace(/^(\.\/)+/, '')), lines: { begin: line ?? 1 } },
  };
  return JSON.stringify(written);
}
