/** Filters and sorts the findings. */
import { printable } from '../../../base/printable.ts';
import type { ReportFinding } from '../../../report/finding.ts';

export type Order = 'found' | 'size' | 'class' | 'name';

export interface Filter {
  /** Each '' matches any. */
  rule: string;
  class: string;
  state: string;
  text: string;
  order: Order;
}

export const stateOf = ({ state, accepted }: ReportFinding): string => (accepted ? 'accepted' : (state ?? ''));

export const namesOf = ({ subjects }: ReportFinding): string =>
  subjects.map(({ name }) => printable(name)).join(' and ');

/** @param wordsOf gives the names by which findings are sorted */
export function fitting(findings: readonly ReportFinding[], filter: Filter, wordsOf = namesOf): number[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (finding: ReportFinding): boolean =>
    (filter.rule === '' || finding.rule === filter.rule) &&
    (filter.class === '' || finding.class === filter.class) &&
    (filter.state === '' || stateOf(finding) === filter.state) &&
    (words.length === 0 || hasAll(finding, words));
  const numbers = findings.flatMap((finding, k) => (fits(finding) ? [k] : []));
  const compare = filter.order === 'name' ? byName(findings, wordsOf) : ORDERS[filter.order];
  return compare ? numbers.sort((p, q) => compare(findings[p], findings[q]) || p - q) : numbers;
}

function hasAll(finding: ReportFinding, words: string[]): boolean {
  const { id, rule, message, note, subjects } = finding;
  const text = [id, rule, message, note ?? '', ...subjects.flatMap(({ name, file, guid }) => [name, file, guid])];
  const all = text.join('\n').toLowerCase();
  return words.every((word) => all.includes(word));
}

type Compare = (p: ReportFinding, q: ReportFinding) => number;
const byText = (p: string, q: string): number => (p < q ? -1 : p > q ? 1 : 0);

function byName(findings: readonly ReportFinding[], wordsOf: typeof namesOf): Compare {
  const words = new Map(findings.map((finding) => [finding, wordsOf(finding)]));
  return (p, q) => byText(words.get(p)!, words.get(q)!);
}

const ORDERS: Record<Exclude<Order, 'name'>, Compare | null> = {
  found: null,
  size: (p, q) => bySize(p, q),
  class: (p, q) => byText(p.class, q.class),
};

function bySize(p: ReportFinding, q: ReportFinding): number {
  if (!p.size || !q.size || p.size.kind !== q.size.kind) return rankOf(q) - rankOf(p);
  return p.size.kind === 'thickness' ? q.size.upper - p.size.upper : p.size.lower - q.size.lower;
}

const rankOf = ({ size }: ReportFinding): number => (size ? (size.kind === 'thickness' ? 2 : 1) : 0);

export type Selecting = 'tick' | 'add' | 'range' | 'all';

/** The ids of findings that are selected beside the chosen one. */
export function createSelection(listed: () => readonly string[]) {
  let ids = new Set<string>();
  /** The beginning of a range. */
  let from: string | null = null;
  return {
    has: (id: string): boolean => ids.has(id),
    isEmpty: (): boolean => ids.size === 0,
    clear: (): void => ids.clear(),
    /** @param how `add` begins with the chosen one, as in file lists; `all` twice selects none */
    change(how: Selecting, index: number, chosen: string | null): void {
      const all = listed();
      const id = all[index];
      if (ids.size === 0) {
        from = chosen;
        if (how === 'add' && chosen !== null) ids.add(chosen);
      }
      if (how === 'all') ids = new Set(all.every((each) => ids.has(each)) ? [] : all);
      else if (how === 'range') {
        const begin = Math.max(0, all.indexOf(from ?? ''));
        ids = new Set(all.slice(Math.min(begin, index), Math.max(begin, index) + 1));
      } else {
        if (!ids.delete(id)) ids.add(id);
        from = id;
      }
    },
  };
}
