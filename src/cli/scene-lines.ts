/** What `gicollide scene` prints: a line a finding, and the last line. */
import { bracketText, counted, grouped, printable, quoted } from '../base/printable.ts';
import type { Contacts } from '../engine/records.ts';
import { patchesTogether } from '../engine/report.ts';
import { type Coverage, type Covered, coverageText } from '../scene/coverage.ts';
import type { Finding, SceneSummary } from '../scene/records.ts';
import type { OutputCounts } from './build/used-outputs.ts';
import type { Marks } from './findings/finding-log.ts';

/** Rounds a coordinate to about a millionth of the finding's box, wherever the box is. */
function placed(x: number, { low, high }: Finding['box']): number {
  const size = Math.max(...low.map((edge, k) => high[k] - edge));
  const digits = 6 + Math.ceil(Math.log10(Math.abs(x) / size));
  return Number(x.toPrecision(Math.min(17, Math.max(6, digits || 6))));
}

export function lineOf(finding: Finding & Marks): string {
  const { class: found, inner, thickness, rule, a, b, point, box, distance, bracket, contacts } = finding;
  // A touching primitive's thickness that may be 0 is rounding.
  const isDeep = thickness && thickness.upper > 0 && !(found === 'touch' && bracket && thickness.lower === 0);
  // The first is inside the second.
  const [first, second] = inner === 'b' ? [b, a] : [a, b];
  const deep = isDeep ? `  ${bracketText(thickness)} thick` : '';
  const where = point ? `  at (${point.map((x) => placed(x, box)).join(' ')})` : '';
  const far =
    distance === undefined || distance === null
      ? ''
      : `  distance ${bracketText(bracket ?? { lower: distance, upper: distance })}`;
  const common = contacts && (patchesTogether(contacts.patches) || pairsOf(contacts));
  const many = common ? `  ${common}` : '';
  const state = finding.state ? `  ${finding.state}${finding.note ? `: ${printable(finding.note)}` : ''}` : '';
  return `${found}  ${printable(first.name)}  ${printable(second.name)}${rule === null ? '' : `  (${printable(rule)})`}${deep}${where}${far}${many}${state}`;
}

const pairsOf = ({ count, complete }: Contacts): string => `${count}${complete ? '' : ' or more'} pairs of triangles`;

export function matchesOf({ rules = [], allow = [] }: SceneSummary, incomplete: Covered['allowed'] = []): string[] {
  return [
    ...rules.map(({ id, pairs }) => `rule ${quoted(id)}: ${counted(pairs, 'pair')}`),
    ...allow.map(({ a, b, reason, pairs }) => {
      return `allowed ${quoted(a)} ${quoted(b)}: ${counted(pairs, 'pair')}${reason === null ? '' : `: ${reason}`}`;
    }),
    ...incomplete.map(({ a, reason, elements }) => {
      return `incomplete ${quoted(a)}: ${counted(elements, 'object')}${reason === null ? '' : `: ${reason}`}`;
    }),
  ];
}

export interface Facts {
  /** Elements that are incomplete without permission. */
  unchecked: number;
  /** Counts of elements; absent from shards of 0.1. */
  coverage?: Coverage;
  incomplete?: Covered['allowed'];
  /** Warnings of readers, one line each. */
  warnings?: string[];
  baked: number;
  converted: number;
  /** Meshes without a unit, assumed to be in `units`. */
  unitless: number;
  skipped: number;
  units: string | null;
  /** For robots. */
  adjacent?: number;
  beyondLimits?: number;
  outputs?: OutputCounts;
  seconds: number;
}

/** Describes outputs that are not known to be fresh. */
export const outputsInWords = ({ outputs }: Pick<Facts, 'outputs'>): string[] => [
  ...(outputs?.stale ? [`${counted(outputs.stale, 'stale output')}`] : []),
  ...(outputs?.unknown ? [`${counted(outputs.unknown, 'output')} unknown, without their sources`] : []),
];

/** Classes of solids that share a point. */
const MEETING = ['overlap', 'inside', 'same', 'touch'] as const;

/** Returns the last line, with the duration if `facts` has seconds. */
export function textOf(summary: SceneSummary, facts: Omit<Facts, 'seconds'> & Partial<Facts>): string {
  const { unchecked, coverage, baked, converted, unitless, skipped, units, adjacent, beyondLimits, seconds } = facts;
  const isWhole = !coverage || coverage.checked === coverage.elements;
  const { objects, pairs, apart, checked, near, undecided, unasked, allowed, shard, open = 0 } = summary;
  const meeting = MEETING.flatMap((found) => (summary[found] > 0 ? [`${grouped(summary[found])} ${found}`] : []));
  const contacts = MEETING.reduce((sum, found) => sum + summary[found], summary.contact);
  const surfaces = summary.contact > 0 ? [`${grouped(summary.contact)} of surfaces`] : [];
  const which = meeting.length === 0 ? '' : ` (${[...meeting, ...surfaces].join(', ')})`;
  const more = [
    ...(near > 0 ? [`${grouped(near)} near`] : []),
    `${grouped(undecided)} undecided`,
    ...(unasked > 0 ? [`${counted(unasked, 'pair')} not asked in time`] : []),
    ...(allowed > 0 ? [`${grouped(allowed)} allowed`] : []),
    ...(adjacent ? [`of these ${counted(adjacent, 'pair')} of adjacent links`] : []),
    ...(beyondLimits ? ['a joint beyond its limits'] : []),
    ...(unchecked > 0 && !coverage ? [`${counted(unchecked, 'object')} unchecked`] : []),
    ...(open > 0 ? [`${counted(open, 'object')} open`] : []),
    ...(baked > 0 ? [`${counted(baked, 'asset')} scaled`] : []),
    ...(converted > 0 ? [`${counted(converted, 'asset')} converted to ${printable(units ?? '')}`] : []),
    ...(unitless > 0 ? [`${grouped(unitless)} without units taken in ${printable(units ?? '')}`] : []),
    ...(skipped > 0 ? [`${counted(skipped, 'file')} skipped`] : []),
    ...outputsInWords(facts),
    ...(shard ? [`shard ${shard.index}/${shard.count}: ${counted(shard.others, 'pair')} left to others`] : []),
    ...(seconds === undefined ? [] : [`${seconds.toFixed(1)} s`]),
  ];
  return (
    `${isWhole ? `${counted(objects, 'object')},` : `${coverageText(coverage, 'object')};`} ` +
    `${counted(pairs, 'pair')}: ${grouped(apart)} apart by their boxes, ` +
    `${grouped(checked)} checked, ${grouped(contacts)} in contact${which}, ${more.join(', ')}`
  );
}

export const jsonOf = (summary: SceneSummary, { seconds, ...facts }: Facts): string =>
  JSON.stringify({ ...summary, ...facts, ms: { ...summary.ms, all: Math.round(1000 * seconds) } });
