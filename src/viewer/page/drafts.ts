/**
 * The user's unsaved changes to findings, beside the content of the baseline: other pages and
 * programs may change it meanwhile.
 */
import { type BaselineEntry, changedBaseline, isSame, type Said, writeBaseline } from '../../report/baseline.ts';
import type { ReportFinding, State } from '../../report/finding.ts';
import type { BaselineChange, BaselineNews } from '../document.ts';

export class Drafts {
  /** By the findings' ids. */
  readonly changes = new Map<string, BaselineChange>();
  private readonly known: Map<string, BaselineNews['findings'][number]>;
  private entries: readonly BaselineEntry[] = [];
  private $schema: string | undefined;

  /** @param findings of the document */
  constructor(private readonly findings: readonly ReportFinding[]) {
    this.known = new Map(findings.map((finding) => [finding.id, finding]));
  }

  /** Returns a finding with the user's changes, otherwise as the baseline has it now. */
  shown(finding: ReportFinding): ReportFinding {
    const known = this.known.get(finding.id);
    const { accepted, note } = this.changes.get(finding.id) ?? known ?? finding;
    // A search at other poses has the latest list of vanished findings.
    const isFound = finding.state !== 'gone' && finding.state !== 'unchecked';
    return { ...finding, accepted, note, state: known && isFound ? known.state : finding.state };
  }

  /** Changes that others made to a finding since the user saw and changed it; null if none. */
  theirs(id: string): Said | null {
    const [known, change] = [this.known.get(id), this.changes.get(id)];
    return known && change && !isSame(known, change.seen) ? known : null;
  }

  change(finding: ReportFinding, some: Partial<Said>): void {
    const { id } = finding;
    const known = this.known.get(id) ?? finding;
    const { accepted, note } = { ...this.shown(finding), ...some };
    const { accepted: wasAccepted, note: oldNote } = known;
    const seen = this.changes.get(id)?.seen ?? { accepted: wasAccepted, note: oldNote };
    if (isSame(known, { accepted, note })) this.changes.delete(id);
    else this.changes.set(id, { id, accepted, note, seen });
  }

  /** Settles a conflict after the user has seen the changes of others. */
  choose(id: string, whose: 'mine' | 'theirs'): void {
    const [theirs, change] = [this.theirs(id), this.changes.get(id)];
    if (whose === 'theirs') this.changes.delete(id);
    else if (theirs && change) this.see(change, theirs);
  }

  hear({ entries, findings, $schema }: BaselineNews): void {
    this.entries = entries;
    this.$schema = $schema;
    for (const finding of findings) {
      this.known.set(finding.id, finding);
      const change = this.changes.get(finding.id);
      if (change && isSame(change, finding)) this.changes.delete(finding.id);
    }
  }

  /** Applies the answer to a save. Changes that the user has made since then stay. */
  settle(sent: readonly BaselineChange[], news: BaselineNews): void {
    for (const said of sent) {
      const change = this.changes.get(said.id);
      if (change && !news.conflicts?.includes(said.id)) this.see(change, said);
    }
    this.hear(news);
  }

  private see(change: BaselineChange, { accepted, note }: Said): void {
    this.changes.set(change.id, { ...change, seen: { accepted, note } });
  }

  /** The baseline's file with the changes in it, as the server would have written it. */
  text(): string {
    const baseline = new Map(this.entries.map((entry) => [entry.id, entry]));
    const states = new Map<string, State>();
    for (const { id, state } of this.findings.map((finding) => this.shown(finding))) if (state) states.set(id, state);
    return writeBaseline(changedBaseline({ baseline, states }, this.findings, this.changes), this.$schema);
  }
}
