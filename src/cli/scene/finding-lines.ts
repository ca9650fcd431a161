/**
 * The lines of a scene's findings for people: the most severe first, in columns.
 *
 * Findings arrive in the order of their pairs, and there may be millions. Up to BLOCK of them are
 * held, each with one flat string and four fields. More are printed block by block, and each block
 * is sorted.
 */
import { idsInShort, lengthText, pointText, printable, short } from '../../base/printable.ts';
import type { Contacts } from '../../engine/records.ts';
import { patchesTogether } from '../../report/check-details.ts';
import { bySeverity, longestEdge, type Severity, severityOf } from '../../report/severity.ts';
import type { UncheckedFinding } from '../../scene/coverage.ts';
import type { Finding } from '../../scene/records.ts';
import { isRed, type Marks } from '../findings/finding-log.ts';
import { begunBy, type Colour } from '../terminal.ts';

const BLOCK = 100_000;
/** Class, two names, measure, place, contacts, rule. */
const COLUMNS = 7;
/** Longer texts are not aligned. */
const WIDEST = 40;

export interface Row extends Severity {
  color: Colour | null;
  /** Joined by SEPARATOR: the id, the end of the line, which is not aligned, and the columns. */
  text: string;
}

/** A character that `printable` escapes. Arrays of columns would need three times the memory. */
const SEPARATOR = '\t';

const boundsOf = ({ bracket, distance }: Pick<Finding, 'bracket' | 'distance'>) =>
  bracket ?? (distance === undefined || distance === null ? null : { lower: distance, upper: distance });

function markedBy(marks: Marks & { class: string }, excess: number, size: number): Omit<Row, 'text'> {
  const { class: found, level } = marks;
  const isHarmless = !isRed(marks) || level === 'note';
  return {
    ...severityOf({ class: found, level, isHarmless, excess, size }),
    color: isHarmless ? null : level === 'error' ? 'red' : 'yellow',
  };
}

/** How much a finding exceeds what is allowed: its thickness, or how much it is too near. */
function excessOf({ class: found, thickness, asked, ...far }: Finding): number {
  return found === 'near' ? asked.clearance - (boundsOf(far)?.lower ?? 0) : (thickness?.lower ?? 0);
}

const pairsOf = ({ count, complete }: Contacts): string => `${count}${complete ? '' : ' or more'} pairs of triangles`;

/** The thickness; or the distance, and how much was required. */
function measureText(finding: Finding, unit: string): string {
  const { class: found, thickness, bracket, distance, asked } = finding;
  const far = boundsOf(finding);
  if (found === 'near') {
    return `${far ? `${lengthText(far)} of` : 'within'} ${short(asked.clearance)}${unit}`;
  }
  // A touching primitive's thickness that may be 0 is rounding.
  const isDeep = thickness && thickness.upper > 0 && !(found === 'touch' && bracket && thickness.lower === 0);
  return [
    ...(isDeep ? [`${lengthText(thickness)}${unit} thick`] : []),
    ...(far && distance !== undefined ? [`distance ${lengthText(far)}${unit}`] : []),
  ].join(', ');
}

/** @param unit with a space before it, or nothing */
export function rowOf(finding: Finding & Marks, unit: string): Row {
  const { class: found, id, inner, rule, a, b, point, box, contacts, state, note, reason } = finding;
  // The first is inside the second.
  const names = inner === 'b' ? [b.name, a.name] : [a.name, b.name];
  const common = contacts && (patchesTogether(contacts.patches) || pairsOf(contacts));
  const cells = [
    ...[found, ...names.map(printable), measureText(finding, unit), point ? `at ${pointText(point)}` : ''],
    ...[common ?? '', rule === null ? '' : printable(rule)],
  ];
  const end = [
    ...(state ? [`${state}${note ? `: ${printable(note)}` : ''}`] : []),
    ...(found === 'undecided' && reason ? [printable(reason)] : []),
  ];
  const text = [id, end.join('  '), ...cells].join(SEPARATOR);
  return { ...markedBy(finding, excessOf(finding), longestEdge(box)), text };
}

/** A row about two objects, without a measure. @param what the class, and words before it */
export function rowOfPair(
  marks: Marks & { class: string },
  { what, names, when, id }: { what: string; names: readonly string[]; when: string; id: string },
): Row {
  const text = [id, marks.state ?? '', what, ...names.map(printable), when].join(SEPARATOR);
  return { ...markedBy(marks, 0, 0), text };
}

export function rowOfUnchecked({ id, a: { name, file }, reason }: UncheckedFinding): Row {
  const end = printable(`${file === null ? '' : `${file}: `}${reason}`);
  const text = [id, end, 'unchecked', printable(name)].join(SEPARATOR);
  const severity = severityOf({ class: 'unchecked', level: 'error', isHarmless: false, excess: 0, size: 0 });
  return { ...severity, color: 'red', text };
}

/** Sorts rows by severity; rows that are as severe keep their order. */
export function* alignedLines(rows: Row[]): Generator<string, void> {
  rows.sort(bySeverity);
  const ids = idsInShort(rows.map(({ text }) => text.slice(0, text.indexOf(SEPARATOR))));
  const widths = new Array<number>(COLUMNS).fill(0);
  for (const { text } of rows)
    for (const [k, cell] of text.split(SEPARATOR).slice(2).entries())
      widths[k] = Math.max(widths[k], Math.min(WIDEST, cell.length));
  for (const [n, { text, color }] of rows.entries()) {
    const [, end, ...cells] = text.split(SEPARATOR);
    const padded = cells.flatMap((cell, k) => (widths[k] > 0 ? [cell.padEnd(widths[k])] : []));
    const line = [...padded, ids[n], ...(end === '' ? [] : [end])].join('  ');
    yield color === null ? line : begunBy(color, line);
  }
}

export class FindingLines {
  count = 0;
  private rows: Row[] = [];

  constructor(private readonly write: (line: string) => Promise<void> | undefined) {}

  add(row: Row): Promise<void> | undefined {
    this.count++;
    return this.rows.push(row) < BLOCK ? undefined : this.end();
  }

  async end(): Promise<void> {
    for (const line of alignedLines(this.rows.splice(0))) await this.write(line);
  }
}
