/**
 * Writes JUnit XML as Surefire does, which Jenkins, GitLab and most other CI systems read. A suite
 * is a rule, a case a finding. The first suite says whether everything was checked.
 *
 * - New errors fail.
 * - Findings known to the baseline are skipped.
 * - Undecided findings are errors of the run.
 * - Warnings and notes pass, with their text as output: JUnit has no such levels, and `gicollide`
 *   doesn't fail for them either.
 * - Gone findings pass.
 */
import type { Report, ReportFinding, ReportSummary, ReportWriter } from './finding.ts';
import { dateOf, detailsOf, element, isOld, isOpen, namesOf, startTag, text, titleOf, XML_HEAD } from './text.ts';

type Outcome = 'failures' | 'errors' | 'skipped' | 'passed';
type Counts = Record<Outcome | 'tests', number>;

/** Findings held in memory at once, to group them by rule. */
const HELD = 50_000;

export const junit: ReportWriter = async function* (report) {
  const { summary } = report;
  const rules = await countRules(report);
  const own = ownCases(summary);
  const all = [...rules.values(), own.counts];
  const sum = (key: keyof Counts): number => all.reduce((total, counts) => total + counts[key], 0);
  yield XML_HEAD;
  const totals = { tests: sum('tests'), failures: sum('failures'), errors: sum('errors') };
  yield startTag('testsuites', { name: own.name, ...totals, time: '0' });
  yield suiteTag(own.name, own.counts, summary);
  yield* own.cases;
  yield '</testsuite>\n';
  for (const batch of batches(rules)) {
    for await (const [rule, cases] of suites(report, batch)) {
      yield suiteTag(rule, rules.get(rule)!, summary);
      for await (const one of cases) yield one;
      yield '</testsuite>\n';
    }
  }
  yield '</testsuites>\n';
};

const noCounts = (): Counts => ({ tests: 0, failures: 0, errors: 0, skipped: 0, passed: 0 });

async function countRules(report: Report): Promise<Map<string, Counts>> {
  const rules = new Map<string, Counts>();
  for await (const finding of report.findings()) {
    let counts = rules.get(finding.rule);
    if (!counts) rules.set(finding.rule, (counts = noCounts()));
    counts.tests++;
    counts[outcomeOf(finding)]++;
  }
  return rules;
}

function outcomeOf(finding: ReportFinding): Outcome {
  if (isOpen(finding)) return 'errors';
  // The user may ask that gone findings fail; their level says so.
  const isGone = finding.state === 'gone' && !finding.accepted;
  if (isOld(finding) && !isGone) return 'skipped';
  return finding.level === 'error' ? 'failures' : 'passed';
}

/** Batches rules whose findings fit into memory together. A larger rule is alone. */
function* batches(rules: ReadonlyMap<string, Counts>): Generator<Set<string>> {
  let batch = new Set<string>();
  let held = 0;
  for (const [rule, { tests }] of rules) {
    if (held + tests > HELD && batch.size > 0) {
      yield batch;
      [batch, held] = [new Set(), 0];
    }
    batch.add(rule);
    held += tests;
  }
  if (batch.size > 0) yield batch;
}

type Cases = Iterable<string> | AsyncIterable<string>;

/** Returns the cases of each rule: gathered for several rules, streamed for one. */
async function* suites(report: Report, rules: ReadonlySet<string>): AsyncGenerator<[string, Cases]> {
  async function* cases(): AsyncGenerator<[string, string]> {
    for await (const finding of report.findings()) {
      if (rules.has(finding.rule)) yield [finding.rule, caseOf(finding, report.summary)];
    }
  }
  if (rules.size === 1) {
    const [rule] = rules;
    const alone = async function* () {
      for await (const [, one] of cases()) yield one;
    };
    yield [rule, alone()];
    return;
  }
  const gathered = new Map([...rules].map((rule): [string, string[]] => [rule, []]));
  for await (const [rule, one] of cases()) gathered.get(rule)!.push(one);
  yield* gathered;
}

function suiteTag(name: string, counts: Counts, summary: ReportSummary): string {
  const { tests, failures, errors, skipped } = counts;
  // Surefire's dates name no zone.
  const timestamp = dateOf(summary).slice(0, -1);
  return startTag('testsuite', { name, tests, failures, errors, skipped, time: '0', timestamp });
}

function caseOf(finding: ReportFinding, summary: ReportSummary): string {
  const message = titleOf(finding);
  const body = text(
    detailsOf(finding, summary)
      .map(([name, value]) => `${name}: ${value}\n`)
      .join(''),
  );
  const type = finding.class;
  const contents: Record<Outcome, () => string> = {
    failures: () => element('failure', { type, message }, body),
    errors: () => element('error', { type, message }, body),
    skipped: () => element('skipped', { type, message: finding.note ?? `${finding.state ?? 'accepted'}: ${message}` }),
    passed: () => element('system-out', {}, text(`${finding.state ?? finding.level}: ${message}\n`), body),
  };
  // The id gives two findings of the same objects separate histories.
  return testCase(`${namesOf(finding)} [${finding.id}]`, finding.rule, contents[outcomeOf(finding)]());
}

const testCase = (name: string, classname: string, content: string): string =>
  `${element('testcase', { name, classname, time: '0' }, content)}\n`;

/** Never returns an empty list: Jenkins treats a report without cases as a failure. */
function ownCases(summary: ReportSummary): { name: string; counts: Counts; cases: string[] } {
  const { tool, command, asked, incomplete, failures, warnings } = summary;
  const name = `${tool.name} ${command}`;
  const isWhole = incomplete.length === 0;
  const whole = isWhole
    ? element('system-out', {}, text(`${asked}\n`))
    : element('error', { type: 'incomplete', message: incomplete[0] }, text(incomplete.join('\n')));
  const cases = [
    testCase('everything was looked for', name, whole),
    ...failures.map(({ subject, message }) =>
      testCase(subject, name, element('error', { type: 'unchecked', message })),
    ),
    ...warnings.map(({ subject, message }) =>
      testCase(subject, name, element('system-out', {}, text(`warning: ${message}\n`))),
    ),
  ];
  const errors = failures.length + (isWhole ? 0 : 1);
  return { name, cases, counts: { ...noCounts(), tests: cases.length, errors, passed: cases.length - errors } };
}
