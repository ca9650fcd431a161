/** Prints the findings of lint, a line each; then how to mend them, and how many there are. */
import { excludedText } from '../base/patterns.ts';
import { counted, grouped, pointText, printable } from '../base/printable.ts';
import {
  type LintFinding,
  type LintReport,
  type LintRule,
  type LintSummary,
  RULE_NAMES,
  type Severity,
  withinText,
} from '../lint/report.ts';
import type { MeshGroup } from '../mesh/mesh.ts';
import { type Coverage, type Covered, coverageText } from '../scene/coverage.ts';
import { type FindingLog, isRed, type Marks } from './findings/finding-log.ts';
import type { Session } from './session.ts';
import { begunBy, print } from './terminal.ts';

export interface Totals extends LintSummary {
  files: number;
  unread: number;
  skipped: number;
  coverage: Coverage;
  excluded?: number;
  incomplete?: Covered['allowed'];
  /** Warnings of readers, one line each; `warnings` counts findings. */
  fileWarnings?: string[];
}

type Mend = readonly [one: string, many: string, mend: string];

/** What a rule's findings are called, and how to mend them. */
const MENDS: Readonly<Record<LintRule, Mend>> = {
  'open-edge': [
    'open edge',
    'open edges',
    'close the holes, or delete extra faces (Blender: Face > Fill; MeshLab: Close Holes)',
  ],
  orientation: [
    ...(['edge where neighbors face opposite ways', 'edges where neighbors face opposite ways'] as const),
    'make the faces consistent (Blender: Mesh > Normals > Recalculate Outside)',
  ],
  'non-manifold-edge': [
    ...(['edge with more than two triangles', 'edges with more than two triangles'] as const),
    'delete the faces inside, or give each part its own edges (Blender: Select > All by Trait > Non Manifold)',
  ],
  'inverted-shell': [
    ...(['shell inside out', 'shells inside out'] as const),
    'turn its faces (Blender: Mesh > Normals > Flip); checks take it as it is, too',
  ],
  'self-intersection': [
    ...(['pair of triangles that cross', 'pairs of triangles that cross'] as const),
    'unite the parts (Blender: Boolean modifier, Union, with Self Intersection), or make them objects of their own',
  ],
  'self-touch': [
    ...(['pair of triangles that touch', 'pairs of triangles that touch'] as const),
    'leave it, or unite the parts',
  ],
  'coincident-face': [
    ...(['pair of triangles back to back', 'sets of triangles back to back'] as const),
    'delete both: there is nothing between them',
  ],
  'duplicate-face': [
    ...(['set of equal triangles', 'sets of equal triangles'] as const),
    'delete all but one (Blender: Mesh > Merge > By Distance; MeshLab: Remove Duplicate Faces)',
  ],
  'degenerate-face': [
    ...(['triangle without area', 'triangles without area'] as const),
    'delete it (Blender: Mesh > Clean Up > Degenerate Dissolve), or leave it: checks treat it as a line or a point',
  ],
  'stray-part': [
    ...(['part that looks left over', 'parts that look left over'] as const),
    'delete it; if it is meant, --severity stray-part=off',
  ],
  scale: [
    ...(['object of a suspicious size', 'objects of a suspicious size'] as const),
    'export it in the right unit, or name the unit (--units); build --scale converts',
  ],
};

/** Rules whose findings are runs of edges. */
const OF_EDGES: readonly LintRule[] = ['open-edge', 'orientation', 'non-manifold-edge'];

/** Counts what fails or warns, over all files; without what a baseline knows. */
export class Problems {
  private readonly findings: Partial<Record<LintRule, number>> = {};
  /** Edges of listed findings, by rule and distance that closes them. */
  private readonly edges = new Map<string, { rule: LintRule; edges: number; weld: number | null; gap: number }>();
  private filesWithAny = 0;

  constructor(
    private readonly severity: Readonly<Record<LintRule, Severity>>,
    private readonly log: Pick<FindingLog, 'compares'>,
  ) {}

  addFile(counts: Partial<Record<LintRule, number>>, listed: readonly LintFinding[]): void {
    let all = 0;
    for (const rule of RULE_NAMES) {
      all += counts[rule] ?? 0;
      this.findings[rule] = (this.findings[rule] ?? 0) + (counts[rule] ?? 0);
    }
    if (all > 0) this.filesWithAny++;
    for (const { rule, count, weld } of listed.filter((finding) => OF_EDGES.includes(finding.rule))) {
      const key = `${rule} ${weld?.distance}`;
      const group = this.edges.get(key) ?? { rule, edges: 0, weld: weld?.distance ?? null, gap: 0 };
      this.edges.set(key, { ...group, edges: group.edges + count, gap: Math.max(group.gap, weld?.gap ?? 0) });
    }
  }

  /** A line for each kind of problem. */
  mends(): string[] {
    const lines = RULE_NAMES.filter((rule) => (this.findings[rule] ?? 0) > 0).flatMap((rule) => {
      const groups = [...this.edges.values()].filter((group) => group.rule === rule);
      if (groups.length === 0) return [this.lineOf(rule, this.findings[rule]!)];
      return groups.map(({ edges, weld, gap }) => this.lineOf(rule, edges, weld === null ? null : { weld, gap }));
    });
    return lines.length > 0 ? ['', 'How to mend:', ...lines, ''] : [];
  }

  private lineOf(rule: LintRule, count: number, seam: { weld: number; gap: number } | null = null): string {
    const [one, many, mend] = MENDS[rule];
    const name = `${grouped(count)} ${count === 1 ? one : many}`;
    return seam
      ? `  ${name}, all within ${withinText(seam.gap, seam.weld)}: --weld ${seam.weld}`
      : `  ${name}: ${mend}`;
  }

  /** As eslint ends: 3 problems (1 error, 2 warnings) in 1 of 4 files. */
  lastLine({ files, unread, coverage, complete }: Totals): string {
    const countOf = (level: Severity): number =>
      RULE_NAMES.reduce((sum, rule) => sum + (this.severity[rule] === level ? (this.findings[rule] ?? 0) : 0), 0);
    const [errors, warnings] = [countOf('error'), countOf('warning')];
    const noun = this.log.compares ? 'new problem' : 'problem';
    const isWhole = unread === 0 && coverage.unchecked === 0 && complete;
    const rest = isWhole ? '' : '; not everything was checked';
    if (errors + warnings === 0) return `no ${noun}s in ${counted(files, 'file')}${rest}`;
    const levels = `${counted(errors, 'error')}, ${counted(warnings, 'warning')}`;
    return `${counted(errors + warnings, noun)} (${levels}) in ${grouped(this.filesWithAny)} of ${counted(files, 'file')}${rest}`;
  }
}

export interface FileReport extends LintReport {
  /** The groups of the file's mesh. */
  groups: readonly MeshGroup[];
}

export interface Printing {
  log: FindingLog;
  problems: Problems;
  maxFindings: number;
  json?: boolean;
}

/** Lines of text per rule and file; JSON has all. */
const SHOWN = 10;
const LINES_A_WRITE = 1000;

/** @returns the number of findings left out of the list */
export async function printReport(
  { findings, summary, groups }: FileReport,
  { log, problems, maxFindings, json }: Printing,
  { global }: Session,
): Promise<number> {
  const lines: string[] = [];
  const seen: Partial<Record<LintRule, number>> = {};
  const listed: (LintFinding & Marks)[] = [];
  const red: Partial<Record<LintRule, number>> = { ...summary.counts };
  for (const finding of findings) {
    const number = (seen[finding.rule] = (seen[finding.rule] ?? 0) + 1);
    const isListed = number <= maxFindings;
    const own = log.mark(finding, finding.severity, { isListed });
    if (isListed) listed.push(own);
    if (!isRed(own)) red[own.rule]!--;
  }
  problems.addFile(red, listed.filter(isRed));
  if (json) for (const finding of listed) lines.push(JSON.stringify(finding));
  else if (!global.quiet) {
    const shown: Partial<Record<LintRule, number>> = {};
    for (const finding of listed) {
      if (!isRed(finding) && !global.verbose) continue;
      const number = (shown[finding.rule] = (shown[finding.rule] ?? 0) + 1);
      if (number <= SHOWN) lines.push(lineOf(finding, groups));
    }
    for (const rule of RULE_NAMES) {
      const all = (global.verbose ? summary.counts[rule] : red[rule]) ?? 0;
      const more = all - Math.min(SHOWN, shown[rule] ?? 0);
      if (more > 0)
        lines.push(`  and ${grouped(more)} more of ${rule}${(shown[rule] ?? 0) > SHOWN ? '; --json lists more' : ''}`);
    }
    if (!summary.complete)
      lines.push('  there may be more triangles that cross: the search ended after a million pairs');
  }
  for (let i = 0; i < lines.length; i += LINES_A_WRITE)
    await print(`${lines.slice(i, i + LINES_A_WRITE).join('\n')}\n`);
  return findings.length - listed.length;
}

function lineOf(finding: LintFinding & Marks, groups: readonly MeshGroup[]): string {
  const { severity, rule, file, element, triangles, point, message, state } = finding;
  const group = groups.find(
    ({ kind, first, count }) => kind === 'group' && triangles[0] >= first && triangles[0] < first + count,
  );
  const names = [file ?? '', ...(element === null ? [] : [element]), ...(group ? [`group ${group.name}`] : [])];
  const numbers = `triangle${triangles.length === 1 ? '' : 's'} ${triangles.join(' ')}`;
  const where = point ? ` at ${pointText(point)}` : '';
  const line = `${severity.padEnd(7)}  ${rule}  ${names.map(printable).join('  ')}  ${message}; ${numbers}${where}`;
  return begunBy(severity === 'error' ? 'red' : 'yellow', `${line}${state ? `  ${state}` : ''}`);
}

/** Says what was looked at. */
export function accountText(totals: Totals): string {
  const { files, unread, skipped, triangles, coverage } = totals;
  const more = [
    ...excludedText(totals),
    ...(unread > 0 ? [`${grouped(unread)} not read`] : []),
    ...(skipped > 0 ? [`${counted(skipped, 'file')} skipped`] : []),
  ].join(', ');
  const isWhole = coverage.checked === coverage.elements;
  const separator = more === '' ? '' : isWhole ? ', ' : '; ';
  return `${counted(files, 'file')}, ${counted(triangles, 'triangle')} in ${coverageText(coverage, 'element')}${separator}${more}`;
}
