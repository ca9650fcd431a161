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

export function fitting(findings: readonly ReportFinding[], filter: Filter): number[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (finding: ReportFinding): boolean =>
    (filter.rule === '' || finding.rule === filter.rule) &&
    (filter.class === '' || finding.class === filter.class) &&
    (filter.state === '' || stateOf(finding) === filter.state) &&
    (words.length === 0 || hasAll(finding, words));
  const numbers = findings.flatMap((finding, k) => (fits(finding) ? [k] : []));
  const compare = ORDERS[filter.order];
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

const ORDERS: Record<Order, Compare | null> = {
  found: null,
  size: (p, q) => bySize(p, q),
  class: (p, q) => byText(p.class, q.class),
  name: (p, q) => byText(namesOf(p), namesOf(q)),
};

function bySize(p: ReportFinding, q: ReportFinding): number {
  if (!p.size || !q.size || p.size.kind !== q.size.kind) return rankOf(q) - rankOf(p);
  return p.size.kind === 'thickness' ? q.size.upper - p.size.upper : p.size.lower - q.size.lower;
}

const rankOf = ({ size }: ReportFinding): number => (size ? (size.kind === 'thickness' ? 2 : 1) : 0);
