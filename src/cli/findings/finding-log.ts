/** Passes a run's findings to stdout, a baseline and reports. */
import { InputError } from '../../base/errors.ts';
import { grouped, printable } from '../../base/printable.ts';
import { someOf } from '../../readers/mesh-file.ts';
import type { BaselineEntry, Comparison, Refine } from '../../report/baseline.ts';
import type { Level, ReportFinding, State } from '../../report/finding.ts';
import type { toldBy } from '../../report/records.ts';
import type { ReportOptions } from '../../report/report.ts';
import { isMissing, type NamedPlace } from '../inputs/name.ts';
import { type BaselineFlags, changeBaseline, openBaseline } from './baseline-file.ts';
import { Decisions } from './decisions.ts';
import { isDrawn, type ReportedRun, type ReportFlags, reportsWritten } from './report-flags.ts';

export interface Marks {
  level: Level;
  state?: State;
  note?: string;
  accepted?: true;
}

export type Missing = BaselineEntry & { type: 'gone' | 'unchecked' };

export class FindingLog {
  /** Findings that make the exit code 1, and 3: only new or worse ones if there is a baseline. */
  errors = 0;
  undecided = 0;
  /** Lines that say which files were written, after the end. */
  readonly written: string[] = [];
  private readonly records: object[] = [];
  private readonly found: ReportFinding[] = [];
  private gone = 0;
  /** The id of a finding that makes the run red. */
  private red: string | null = null;
  private readonly decisions: Decisions | null;
  /** Decides comparisons that a bracket leaves open, if the objects are at hand. */
  refine: Refine | null = null;

  private constructor(
    private readonly flags: ReportFlags & BaselineFlags,
    private readonly comparison: Comparison | undefined,
    private readonly named: NamedPlace | undefined,
    /** Loaded with a comparison. */
    private readonly read: typeof toldBy | undefined,
  ) {
    const { accept, note, decisions } = flags;
    this.decisions = decisions ?? (accept || note ? new Decisions(accept, note) : null);
  }

  /** @throws InputError before the work for anything that cannot be read, or written afterwards */
  static async open(
    flags: ReportFlags & BaselineFlags,
    inputs: readonly string[],
    named?: NamedPlace,
  ): Promise<FindingLog> {
    if (flags.report ?? flags.together) (await import('./report-files.ts')).requireReports(flags, inputs);
    const comparison = await openBaseline(flags);
    const read = comparison && (await import('../../report/records.ts')).toldBy;
    return new FindingLog(flags, comparison, named, read);
  }

  /** Adds the run's fields. @param options.isListed true if reports list the finding */
  mark<T extends object>(record: T, level: Level, { isListed = true }: { isListed?: boolean } = {}): T & Marks {
    const marked: T & Marks = { ...record, level };
    this.compare(marked, [marked]);
    if (isListed) this.keep(marked);
    return marked;
  }

  /** Marks the findings of one record, which are parts of it with their levels. */
  take(record: object, parts: readonly Marks[]): void {
    this.compare(record, parts);
    this.keep(record);
  }

  get compares(): boolean {
    return this.comparison !== undefined;
  }

  /** True if a record has a known finding of which its bracket leaves open if it is worse. */
  leavesOpen(record: object): boolean {
    return this.read?.(record).findings.some((finding) => this.comparison?.limitOf(finding) !== null) ?? false;
  }

  private compare(record: object, parts: readonly Marks[]): void {
    if (this.comparison && this.read) {
      for (const [n, finding] of this.read(record).findings.entries()) {
        const { id } = finding;
        const said = this.decisions?.of(id) ?? null;
        const { state, entry } = this.comparison.add(finding, this.refine, said);
        const note = said?.note ?? entry?.note;
        const accepted = said?.accepted || entry?.accepted;
        Object.assign(parts[n], { id, state, ...(note && { note }), ...(accepted && { accepted }) });
        if (this.flags.updateBaseline || said) this.found.push(finding);
        if (isRed(parts[n]) && parts[n].level === 'error') this.red ??= id;
      }
    }
    for (const part of parts.filter(isRed)) {
      if (part.level === 'error') this.errors++;
      if ((part as { class?: string }).class === 'undecided') this.undecided++;
    }
  }

  fail(subject: string, message: string): object {
    const record = { type: 'error', subject, message };
    this.keep(record);
    return record;
  }

  /** Adds records that no baseline has: warnings, and unchecked elements. */
  note(records: readonly object[]): void {
    for (const record of records) this.keep(record);
  }

  private keep(record: object): void {
    if (this.flags.report) this.records.push(record);
  }

  /** Returns known findings not found. @param wasAsked true if the run would have found it */
  async end(
    summary: object | null,
    wasAsked: (entry: BaselineEntry) => boolean,
    options: Omit<ReportOptions, 'epoch'>,
  ) {
    const { gone, unchecked } = this.comparison?.missing(wasAsked) ?? { gone: [], unchecked: [] };
    this.gone = gone.length;
    const missing: Missing[] = [
      ...gone.map((entry) => ({ type: 'gone' as const, ...entry })),
      ...unchecked.map((entry) => ({ type: 'unchecked' as const, ...entry })),
    ];
    for (const record of [...missing, summary]) if (record) this.keep(record);
    if (this.flags.report) {
      const { command, snapshot } = options;
      const own: ReportedRun = {
        records: this.records,
        ...(command !== undefined && { command }),
        // Drawing keeps all objects in memory.
        ...(snapshot && isDrawn(this.flags) && { snapshot }),
      };
      const { together } = this.flags;
      if (together) together.runs.push(own);
      else {
        await (await import('./report-files.ts')).reportRuns([own], this.flags, this.named);
        this.written.push(...reportsWritten(this.flags));
      }
    }
    if (this.comparison) this.written.push(...(await changeBaseline(this.found, gone, this.flags, this.refine)));
    return missing;
  }

  /**
   * Counts findings by state, and names unchecked ones; none without a baseline.
   *
   * @param isThere true for the name of an object of the run
   */
  states(missing: readonly Missing[], isThere: (name: string) => boolean = () => true): string[] {
    if (!this.comparison) return [];
    const counts: Record<State, number> = { new: 0, worse: 0, known: 0, gone: 0, unchecked: 0 };
    for (const state of this.comparison.states.values()) counts[state]++;
    for (const { type } of missing) counts[type]++;
    const told = Object.entries(counts).filter(([state, count]) => count > 0 || state === 'new');
    const prune = counts.gone > 0 && !this.flags.pruneBaseline ? ' (--prune-baseline forgets them)' : '';
    const counted = told.map(([state, count]) => `${grouped(count)} ${state}${state === 'gone' ? prune : ''}`);
    const lost = missing.filter(({ type }) => type === 'unchecked');
    const names = lost.map(({ id, names }) => `${names.join(' and ')} (${id.slice(0, 8)})`);
    const absent = new Set(lost.flatMap(({ names }) => names.filter((name) => !isThere(name))));
    return [
      `${this.flags.baseline}: ${counted.join(', ')}`,
      ...(lost.length > 0 ? [`  not looked for in this run: ${someOf(names)}`] : []),
      ...(absent.size > 0
        ? [
            `  no object: ${someOf([...absent])}; after a rename, --accept the new finding, and delete the old one's line`,
          ]
        : []),
    ];
  }

  /** Says how to record findings that fail, or how to accept one of a run with a baseline. */
  hints(): string[] {
    const { baseline = 'known.json', baselinePlace, updateBaseline } = this.flags;
    if (this.errors === 0 || updateBaseline) return [];
    if (!this.comparison || this.lacksBaseline)
      return [`--baseline ${printable(baseline)} --update-baseline records these findings; then only new ones fail`];
    const id = this.red?.slice(0, 8);
    const command = baselinePlace ? 'gicollide scene ' : '';
    return id === undefined ? [] : [`${command}--accept ${id} --note "${id}=why" accepts a finding`];
  }

  /** @throws InputError if a file was to be compared with that is not there */
  requireBaseline(): void {
    if (this.lacksBaseline) throw new InputError(`${this.flags.baseline}: no such file; --update-baseline makes it`);
  }

  private get lacksBaseline(): boolean {
    const { baseline, updateBaseline } = this.flags;
    return baseline !== undefined && !updateBaseline && isMissing(baseline);
  }

  get failsOnGone(): boolean {
    return (this.flags.failOnGone ?? false) && this.gone > 0;
  }
}

/** True unless a baseline knows the finding. */
export const isRed = ({ state }: Pick<Marks, 'state'>): boolean =>
  state === undefined || state === 'new' || state === 'worse';
