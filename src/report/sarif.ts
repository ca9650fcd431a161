/**
 * Writes SARIF 2.1.0 (OASIS, errata 01), which GitHub's code scanning and editors read. GitHub
 * shows 5,000 results per run and refuses more than 25,000. So the file has the worst 5,000, and a
 * notification counts the rest.
 */
import type { Location, Notification, ReportingDescriptor, Result, Run } from 'sarif';
import type { Level, Report, ReportFinding, ReportSummary, ReportWriter, State, Subject } from './finding.ts';
import { type Selection, worst } from './selection.ts';
import { clean, isOpen, lineOf, shownLevel, titleOf } from './text.ts';

const MOST_RESULTS = 5_000;
const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** `unchecked` maps to unchanged: the standard wants a state for all results or for none. */
const BASELINE_STATES: Readonly<Record<State, Result.baselineState>> = {
  new: 'new',
  known: 'unchanged',
  worse: 'updated',
  gone: 'absent',
  unchecked: 'unchanged',
};

export const sarif: ReportWriter = async function* (report) {
  const chosen = await worst(report, MOST_RESULTS);
  const { rules, hasStates, hasSuppressions } = await survey(chosen);
  const numbers = new Map([...rules.keys()].map((rule, k) => [rule, k]));
  const { results, ...run } = runOf(report, chosen.left, rules);
  const head = JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] });
  // Results are streamed into the end of the single run.
  yield `${head.slice(0, -3)},"results":[`;
  let separator = '\n';
  for await (const finding of chosen.findings()) {
    const result = resultOf(finding, report.summary, numbers.get(finding.rule)!);
    if (hasStates) result.baselineState = BASELINE_STATES[finding.state ?? 'new'];
    if (hasSuppressions) result.suppressions = suppressionsOf(finding);
    yield separator + JSON.stringify(result);
    separator = ',\n';
  }
  yield '\n]}]}\n';
};

interface Survey {
  /** By name, with the level of the rule's first finding. */
  rules: Map<string, Level>;
  hasStates: boolean;
  hasSuppressions: boolean;
}

/** Finds the properties that all results must have as soon as one has them. */
async function survey(chosen: Selection): Promise<Survey> {
  const found: Survey = { rules: new Map(), hasStates: false, hasSuppressions: false };
  for await (const { rule, level, state, accepted } of chosen.findings()) {
    if (!found.rules.has(rule)) found.rules.set(rule, level);
    found.hasStates ||= state !== null;
    found.hasSuppressions ||= accepted;
  }
  return found;
}

function runOf({ summary }: Report, left: number, rules: ReadonlyMap<string, Level>): Run {
  const descriptors = [...rules].map(
    ([rule, level]): ReportingDescriptor => ({
      id: clean(rule),
      shortDescription: { text: message(`Findings of the rule ${rule}`) },
      defaultConfiguration: { level },
    }),
  );
  const { tool, command, asked, units, counts, states, failures, incomplete } = summary;
  return {
    tool: { driver: { name: tool.name, version: tool.version, rules: descriptors } },
    invocations: [
      {
        executionSuccessful: failures.length === 0,
        toolExecutionNotifications: notificationsOf(summary, left),
      },
    ],
    properties: {
      command,
      asked: clean(asked),
      units,
      counts,
      states,
      complete: incomplete.length === 0 && left === 0,
    },
    results: [],
  };
}

function notificationsOf({ failures, incomplete, warnings }: ReportSummary, left: number): Notification[] {
  const cut = left > 0 ? [`${left} findings were left out: the worst ${MOST_RESULTS} are listed`] : [];
  return [
    ...failures.map(({ subject, message: text }) => notification('error', `${subject}: ${text}`)),
    ...[...incomplete, ...cut, ...warnings.map(lineOf)].map((text) => notification('warning', text)),
  ];
}

const notification = (level: Level, text: string): Notification => ({ level, message: { text: message(text) } });

function resultOf(finding: ReportFinding, summary: ReportSummary, ruleIndex: number): Result {
  const { id, class: what, note, state, point, box, size, again } = finding;
  // GitHub shows the first location, and needs a file there.
  const subjects = finding.subjects.toSorted((a, b) => Number(a.file === null) - Number(b.file === null));
  const [first, ...others] = subjects.map(locationOf);
  // The standard allows a level only for results that fail.
  const kind = state === 'gone' ? 'pass' : isOpen(finding) && state === 'unchecked' ? 'open' : 'fail';
  return {
    ruleId: clean(finding.rule),
    ruleIndex,
    kind,
    level: kind === 'fail' ? shownLevel(finding) : 'none',
    message: { text: message(titleOf(finding)) },
    locations: first ? [first] : [],
    ...(others.length > 0 && { relatedLocations: others.map((other, k) => ({ id: k + 1, ...other })) }),
    // GitHub tracks a finding by the second name.
    partialFingerprints: { 'gicollideFinding/v1': clean(id), primaryLocationLineHash: clean(id) },
    properties: {
      class: clean(what),
      ...(point && { point }),
      ...(box && { box }),
      ...(size && { [size.kind]: { lower: size.lower, upper: size.upper }, units: summary.units }),
      ...(note !== null && { note: clean(note) }),
      ...(again !== null && { again: clean(again) }),
    },
  };
}

function locationOf({ name, file, line, guid }: Subject): Location {
  return {
    ...(file !== null && {
      physicalLocation: {
        artifactLocation: { uri: uriOf(file) },
        ...(line !== null && line >= 1 && { region: { startLine: line } }),
      },
    }),
    logicalLocations: [
      { name: clean(name), kind: 'object', ...(guid !== null && { fullyQualifiedName: clean(guid) }) },
    ],
    message: { text: message(name) },
  };
}

const suppressionsOf = ({ accepted, note }: ReportFinding): Result['suppressions'] =>
  accepted ? [{ kind: 'external', status: 'accepted', ...(note !== null && { justification: clean(note) }) }] : [];

/** Relative paths stay relative, even if a folder's name looks like a scheme. */
function uriOf(path: string): string {
  const uri = path
    .replaceAll(/\p{Cs}/gu, '\ufffd')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
  if (path.startsWith('/')) return `file://${uri}`;
  return /^[A-Za-z]:\//.test(path) ? `file:///${path[0]}:${uri.slice(4)}` : uri;
}

/** Escapes braces, which stand for arguments, and brackets, which begin links (section 3.11). */
function message(text: string): string {
  const braced = clean(text).replaceAll(/[{}]/g, '$&$&');
  return braced.includes('](') ? braced.replaceAll(/[\\[\]]/g, '\\$&') : braced;
}
