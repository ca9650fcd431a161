/** Groups findings into the topics of a BCF file. */
import type { ReportFinding, WriterOptions } from './model.ts';
import { namesOf, titleOf } from './text.ts';

export interface Group {
  /** Stable from run to run while the group's namesake exists. */
  key: string;
  title: string;
  /** At least one, in the report's order. */
  findings: ReportFinding[];
}

export type Grouping = NonNullable<WriterOptions['group']>;

/**
 * Returns groups in the order of their first findings.
 *
 * - `rule`: findings of one rule.
 * - `element`: findings of one object. For a pair it is the object with more findings, so that a
 *   duct through twenty beams is one topic.
 * - `cluster`: findings connected by boxes that meet.
 */
export function groupsOf(findings: readonly ReportFinding[], grouping: Grouping): Group[] {
  if (grouping === 'finding') return findings.map((one) => ({ key: one.id, title: titleOf(one), findings: [one] }));
  const keyOf = KEYS[grouping](findings);
  const groups = new Map<string, ReportFinding[]>();
  findings.forEach((finding, k) => {
    const key = keyOf(finding, k);
    const group = groups.get(key);
    if (group) group.push(finding);
    else groups.set(key, [finding]);
  });
  return [...groups].map(([key, members]) => ({
    key: `${grouping}:${key}`,
    title: members.length === 1 ? titleOf(members[0]) : `${TITLES[grouping](members, key)}: ${members.length} findings`,
    findings: members,
  }));
}

type KeyOf = (finding: ReportFinding, k: number) => string;

const KEYS: Readonly<Record<Exclude<Grouping, 'finding'>, (findings: readonly ReportFinding[]) => KeyOf>> = {
  rule: () => (finding) => finding.rule,
  element: (findings) => {
    const counts = new Map<string, number>();
    for (const { subjects } of findings) {
      for (const { name } of subjects) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return ({ subjects }) => {
      const [first, ...others] = subjects.map(({ name }) => name);
      return others.reduce((most, name) => (counts.get(name)! > counts.get(most)! ? name : most), first ?? '');
    };
  },
  cluster: (findings) => {
    const roots = clustersOf(findings);
    return (_, k) => findings[roots[k]].id;
  },
};

const TITLES: Readonly<
  Record<Exclude<Grouping, 'finding'>, (members: readonly ReportFinding[], key: string) => string>
> = {
  rule: (_, key) => key,
  element: (_, key) => key,
  cluster: (members) => `Around ${namesOf(members[0])}`,
};

/** Returns the first finding of each one's cluster. A finding without a box is alone. */
function clustersOf(findings: readonly ReportFinding[]): number[] {
  const parents = findings.map((_, k) => k);
  const rootOf = (k: number): number => {
    let root = k;
    while (parents[root] !== root) root = parents[root] = parents[parents[root]];
    return root;
  };
  const boxed = findings.flatMap(({ box }, k) => (box ? [{ k, ...box }] : []));
  boxed.sort((a, b) => a.low[0] - b.low[0] || a.k - b.k);
  let open: typeof boxed = [];
  for (const box of boxed) {
    open = open.filter(({ high }) => high[0] >= box.low[0]);
    for (const other of open) {
      const meet = [1, 2].every((axis) => other.low[axis] <= box.high[axis] && box.low[axis] <= other.high[axis]);
      if (!meet) continue;
      const [a, b] = [rootOf(box.k), rootOf(other.k)];
      parents[Math.max(a, b)] = Math.min(a, b);
    }
    open.push(box);
  }
  return findings.map((_, k) => rootOf(k));
}
