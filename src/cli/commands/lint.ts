/** `gicollide lint`: finds defects of meshes. */
import { sep } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { InputError } from '../../base/errors.ts';
import { Exclusion } from '../../base/patterns.ts';
import type { Asset } from '../../engine/representation.ts';
import { lint, severitiesOf } from '../../lint/lint.ts';
import { type LintRule, type LintSummary, RULE_NAMES, RULES, SEVERITIES, type Severity } from '../../lint/report.ts';
import type { Mesh } from '../../mesh/mesh.ts';
import { withoutElements } from '../../readers/elements.ts';
import { MESH_ENDINGS } from '../../readers/formats.ts';
import type { ReaderNote } from '../../readers/mesh-file.ts';
import type { BaselineEntry } from '../../report/baseline.ts';
import { cover, elementsTold, fileTold, sumOf, type ToldElements } from '../../scene/coverage.ts';
import type { IncompleteAllowance } from '../../scene/rules.ts';
import {
  addExclude,
  addIncomplete,
  addName,
  addOutside,
  addReading,
  addStrict,
  addWeld,
  notes,
  parseWhole,
} from '../arguments.ts';
import { EXIT } from '../exit-codes.ts';
import { addBaselineOptions, type BaselineFlags } from '../findings/baseline-file.ts';
import { FindingLog } from '../findings/finding-log.ts';
import { addReportOptions, type ReportFlags } from '../findings/report-flags.ts';
import { inputsOf, loadAsset, readInput } from '../inputs/load.ts';
import { readOrNotes, trianglesOf, unitsOf } from '../inputs/mesh.ts';
import { nameOf, prefixes } from '../inputs/name.ts';
import { accountText, type FileReport, Problems, printReport, type Totals } from '../print-lint.ts';
import { lineOfUnchecked, listOf, sayUnchecked } from '../scene/print-scene.ts';
import { about, keepingWarnings, requireInputs, type Session, saySkipped } from '../session.ts';
import { createProgress, print, printError } from '../terminal.ts';
import { parseUnits } from '../units.ts';

interface LintFlags extends ReportFlags, BaselineFlags {
  severity?: Partial<Record<LintRule, Severity>>;
  maxFindings: number;
  whole?: boolean;
  allowIncomplete?: IncompleteAllowance[];
  exclude?: string[];
  units?: string;
  strict?: boolean;
  json?: boolean;
}

const ENDINGS = [...MESH_ENDINGS, '.obb', '.kdop', '.tiff'];

export function defineLint(command: Command, session: (command: Command) => Session): void {
  addReading(addWeld(addIncomplete(addExclude(addOutside(addStrict(addName(command)))))))
    .option(
      '--severity <rule=level>',
      'level of a rule: error (exit code 1), warning or off; repeatable, or separated by commas; all=level sets every rule',
      parseSeverity,
    )
    .option(
      '--max-findings <n>',
      'maximum length of the list of a rule and a file; counts and exit code include all findings',
      parseWhole(0),
      10_000,
    )
    .option('--whole', 'check a file as one mesh instead of element by element')
    .option(
      '--units <name>',
      'unit of the coordinates for the rule scale (m, cm, mm, in, ...) [default: the unit of the file]',
      parseUnits,
    )
    .option('--json', 'print one JSON object a line for each finding, then a summary');
  addBaselineOptions(addReportOptions(command))
    .addHelpText(
      'after',
      notes(
        `Reads meshes (docs/meshes.md) and assets with triangles: OBB trees, k-DOP trees, geometry images. Decisions are exact
(docs/lint.md).
Levels by default: error: ${namesOf('error')};
warning: ${namesOf('warning')}; off: ${namesOf('off')}.
Connected open edges are one finding: a hole. The end says how to mend each kind of problem. To find where two objects of a file
meet, use gicollide scene.
Exit code 0: no error; 1: errors; 2: something could not be read; 3: the search for self-contacts ended early.
With --baseline, 1 and 3 are only for new or worse findings (docs/baseline.md).`,
        `  $ gicollide lint assets/bunny.obj assets/blob.obj --severity self-touch=warning
  2 files, 8,794 triangles in 2 elements
  no problems in 2 files`,
      ),
    )
    .action(async (files: string[], flags: LintFlags, command: Command) => {
      process.exitCode = await runLint(files, flags, session(command));
    });
}

const namesOf = (severity: Severity): string => RULE_NAMES.filter((rule) => RULES[rule] === severity).join(', ');

function parseSeverity(text: string, before: LintFlags['severity'] = {}): LintFlags['severity'] {
  const asked = { ...before };
  for (const part of text.split(',')) {
    const [rule, level, ...rest] = part.split('=').map((word) => word.trim());
    if (level === undefined || rest.length > 0)
      throw new InvalidArgumentError(`Expected rule=level, as in open-edge=warning.`);
    if (rule === 'all' && (SEVERITIES as readonly string[]).includes(level))
      for (const name of RULE_NAMES) asked[name] = level as Severity;
    else asked[rule as LintRule] = level as Severity;
  }
  return asked;
}

async function runLint(args: string[], flags: LintFlags, asking: Session): Promise<number> {
  const session = keepingWarnings(asking);
  const severity = severitiesOf(flags.severity); // refused before anything is read
  requireInputs(args, session);
  const { files, problems: refused, skipped } = await inputsOf(args, ENDINGS, session);
  const log = await FindingLog.open(flags, files);
  const problems = new Problems(severity, log);
  const failures = refused.map((problem) => log.fail(problem.split(':')[0], problem));
  for (const problem of refused) printError(problem, session.global);
  const isIncomplete = saySkipped(skipped, flags, session);
  const totals: Totals = {
    ...{
      type: 'summary',
      files: 0,
      unread: refused.length,
      skipped: [...skipped.values()].reduce((sum, n) => sum + n, 0),
    },
    ...{ triangles: 0, elements: 0, shells: 0, counts: {}, errors: 0, warnings: 0, unlisted: 0, complete: true },
    coverage: sumOf([]),
  };
  const prefixOf = prefixes(files, session);
  const told: ToldElements = { incomplete: [], leftOut: [] };
  const exclusion = new Exclusion(flags.exclude);
  const unseen = new Set<string>();
  const looked = new Set<string>();
  const progress = createProgress('lint', session.global);
  try {
    for (const [i, file] of files.entries()) {
      const report = await lintFile(file, { told, prefixOf, exclusion, unseen }, flags, session);
      progress.update('files', (i + 1) / files.length);
      if (report === null) continue;
      if (typeof report === 'string') {
        totals.unread++;
        failures.push(log.fail(file, report));
      } else {
        add(totals, report.summary);
        if (report.summary.complete && report.summary.unlisted === 0) looked.add(plainName(nameOf(file, session)));
        totals.unlisted += await printReport(report, { log, problems, ...flags }, session);
      }
    }
  } finally {
    progress.stop();
  }
  exclusion.requireMatched();
  if (session.global.verbose) for (const line of exclusion.lines()) session.log.info(line);
  const covered = cover({ made: totals.elements, ...told, unread: [] }, { allow: flags.allowIncomplete ?? [] });
  sayUnchecked(covered, told.leftOut, session);
  const { coverage, allowed, findings } = covered;
  const warnings = [...session.warnings.values()];
  const { warnings: lines } = listOf(warnings);
  Object.assign(totals, {
    ...exclusion.facts(),
    coverage,
    ...(allowed.length > 0 && { incomplete: allowed }),
    ...(lines && { fileWarnings: lines }),
  });
  const beside = [...warnings, ...findings];
  log.note(beside);
  const lacking = new Set(told.incomplete.flatMap(({ file, element }) => [file, JSON.stringify([file, element])]));
  const isWhole = ([file, element]: readonly string[]): boolean =>
    [lacking, unseen].every((names) => !names.has(element === undefined ? file : JSON.stringify([file, element])));
  const wasAsked = ({ rule, names }: BaselineEntry): boolean =>
    looked.has(names[0]) && isWhole(names) && severity[rule as LintRule] !== 'off';
  const missing = await log.end(totals, wasAsked, { command: 'lint' });
  if (flags.json)
    await print([...failures, ...beside, ...missing, totals].map((record) => `${JSON.stringify(record)}\n`).join(''));
  else {
    const { quiet } = session.global;
    const above = quiet ? [] : [...findings.map(lineOfUnchecked), ...problems.mends()];
    const ending = [accountText(totals), ...log.states(missing), ...(quiet ? [] : log.written)];
    await print(`${[...above, ...ending, problems.lastLine(totals)].join('\n')}\n`);
  }
  if (totals.unread > 0 || isIncomplete || coverage.unchecked > 0) return EXIT.failed;
  if (!totals.complete) return EXIT.undecided;
  // A truncated list changes no exit code.
  const errors = flags.baseline === undefined ? totals.errors : log.errors;
  return errors > 0 || log.failsOnGone ? EXIT.other : EXIT.expected;
}

interface Looking {
  told: ToldElements;
  prefixOf(file: string): string;
  exclusion: Exclusion;
  /** Elements that were left out: a file, or JSON of a file and an element. */
  unseen: Set<string>;
}

/** Returns the reason if the file could not be read, after reporting it; null if excluded. */
async function lintFile(
  file: string,
  { told, prefixOf, exclusion, unseen }: Looking,
  flags: LintFlags,
  session: Session,
): Promise<FileReport | string | null> {
  const { severity, baseline, whole } = flags;
  // The baseline must be compared with all findings.
  const maxFindings = baseline === undefined ? flags.maxFindings : Number.MAX_SAFE_INTEGER;
  const name = nameOf(file, session);
  const prefix = prefixOf(file);
  const plain = plainName(name);
  // A baseline's findings of them are not gone.
  const isOut = (element: string): boolean => {
    const isOf = exclusion.leavesOut(prefix + element);
    if (isOf) unseen.add(JSON.stringify([plain, element]));
    return isOf;
  };
  try {
    if (prefix !== '' && exclusion.leavesOut(prefix.slice(0, -1))) return null;
    const { source, units, notes } = await sourceOf(file, { flags, isOut }, session);
    const own = whole
      ? fileTold(notes, plain, { name: plain, isMade: source !== null })
      : elementsTold(notes, plain, (element) => prefix + element);
    told.incomplete.push(...own.incomplete);
    told.leftOut.push(...own.leftOut);
    if (source === null) return NOTHING;
    const report = await about(name, () =>
      lint(source, {
        ...{ file: plain, maxFindings, whole: whole ?? false },
        ...(severity && { severity }),
        ...(units !== undefined && { units }),
        ...(session.global.weld && { weld: session.global.weld }),
        ...(flags.exclude && { isWanted: (element) => !isOut(element) }),
      }),
    );
    return { ...report, groups: 'groups' in source ? source.groups : [] };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    printError(error.message, session.global);
    return error.message;
  }
}

const NOTHING: FileReport = {
  ...{ findings: [], groups: [] },
  summary: {
    ...{ type: 'summary', triangles: 0, elements: 0, shells: 0, counts: {}, errors: 0, warnings: 0, unlisted: 0 },
    complete: true,
  },
};

/** Returns the surface to check; null if the file has none and its notes say why. */
async function sourceOf(
  file: string,
  { flags: { units, whole, exclude }, isOut }: { flags: LintFlags; isOut(element: string): boolean },
  session: Session,
): Promise<{ source: Mesh | Asset | null; units: string | undefined; notes: readonly ReaderNote[] }> {
  const input = await readInput(file, session);
  const { name, bytes, content } = input;
  if (content === 'asset') return { source: (await loadAsset(input, session)).asset, units, notes: [] };
  if (content === 'model')
    throw new InputError(`${name}: expected a mesh, found functions (F-rep), which have no triangles`);
  const read = await readOrNotes(file, bytes, session);
  const notes = ('meshes' in read ? read.notes : read).filter((note) => note.element === null || !isOut(note.element));
  if (!('meshes' in read)) return { source: null, units, notes };
  const left = whole && exclude ? withoutElements(read, isOut) : read;
  if (!left) return { source: null, units, notes };
  const mesh = await about(name, () => trianglesOf(left));
  const own = await about(name, () => unitsOf(read.units, { ...(units !== undefined && { units }) }));
  return { source: mesh, units: own, notes };
}

/** Normalizes a file's name: the same on all systems, with or without a leading `./`. */
const plainName = (file: string): string =>
  file
    .split(sep)
    .join('/')
    .replace(/^(\.\/+)+/, '');

function add(totals: Totals, summary: LintSummary): void {
  totals.files++;
  for (const key of ['triangles', 'elements', 'shells', 'errors', 'warnings', 'unlisted'] as const)
    totals[key] += summary[key];
  totals.complete &&= summary.complete;
  for (const [rule, count] of Object.entries(summary.counts) as [LintRule, number][])
    totals.counts[rule] = (totals.counts[rule] ?? 0) + count;
}
