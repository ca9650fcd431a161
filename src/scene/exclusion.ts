/**
 * Leaves out objects by patterns of their names: collision shapes, levels of detail. A pattern that
 * matches nothing is an error, so that a typing error leaves nothing in by accident.
 */
import { OptionError } from '../base/errors.ts';
import { counted, printable, quoted } from '../base/printable.ts';
import { matches } from './rules.ts';

/** Of longer paths, only the whole and each part are tried. */
const MOST_PARTS = 8;

export class Exclusion {
  /** Names of what was left out. */
  readonly names = new Set<string>();
  private readonly counts: number[];

  constructor(readonly patterns: readonly string[] = []) {
    this.counts = patterns.map(() => 0);
  }

  /**
   * True if a pattern matches the name, or parts of it between slashes: `UCX_*` matches
   * `hall/UCX_1`, and `*_LOD1` all of `rock_LOD1/stone`.
   */
  has(name: string): boolean {
    if (this.patterns.length === 0) return false;
    const runs = runsOf(name);
    let isFound = false;
    for (const [n, pattern] of this.patterns.entries()) {
      if (!runs.some((run) => matches(pattern, run))) continue;
      this.counts[n]++;
      isFound = true;
    }
    return isFound;
  }

  /** Like `has`, and notes the name. */
  leavesOut(name: string): boolean {
    const isOut = this.has(name);
    if (isOut) this.names.add(name);
    return isOut;
  }

  /** @throws OptionError for a pattern that has matched nothing, unless `onUnmatched` takes it */
  requireMatched(onUnmatched?: (problem: string) => void): void {
    for (const [n, pattern] of this.patterns.entries()) {
      if (this.counts[n] > 0) continue;
      const problem = `--exclude: ${quoted(pattern)} matches no object`;
      if (!onUnmatched) throw new OptionError(problem);
      onUnmatched(problem);
    }
  }

  /** For --verbose, a line each. */
  lines(): string[] {
    return [...this.names].map((name) => `excluded: ${printable(name)}`);
  }

  /** For summaries; nothing without patterns. */
  facts(): { excluded?: number } {
    return this.patterns.length === 0 ? {} : { excluded: this.names.size };
  }
}

function runsOf(name: string): string[] {
  const parts = name.split('/');
  if (parts.length > MOST_PARTS) return [name, ...parts];
  return parts.flatMap((_, from) => parts.slice(from).map((_, k) => parts.slice(from, from + k + 1).join('/')));
}

/** `3 objects excluded`, or nothing. */
export const excludedText = ({ excluded }: { excluded?: number }): string[] =>
  excluded === undefined ? [] : [`${counted(excluded, 'object')} excluded`];
