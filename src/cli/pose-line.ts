/**
 * Parses a pose from a line of text: JSON or CSV numbers in the form of `poseOfNumbers`. With a
 * header, columns may have any order.
 */
import { FormatError, OptionError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { quoted } from '../base/printable.ts';
import { type Pose, poseOfNumbers } from '../math/pose.ts';

/** Index of each column in position and quaternion; null for an ignored column. */
export type Columns = readonly (number | null)[];

const PLACE = ['x', 'y', 'z', 'qx', 'qy', 'qz', 'qw'];
/** Other names of the same columns. */
const ALSO: Record<string, string> = { tx: 'x', ty: 'y', tz: 'z', px: 'x', py: 'y', pz: 'z' };
const LEFT_OUT = ['time', 'timestamp', 't', 'name', 'id', 'frame'];

const EXPECTED = '16, 12, 8 or 7 numbers of a pose';

const COMMENT = '#';

/** True for blank lines and comments. */
export function isIdle(line: string): boolean {
  let i = 0;
  while (i < line.length && line.charCodeAt(i) <= 32) i++;
  return i === line.length || line[i] === COMMENT;
}

const cellsOf = (text: string): string[] => text.trim().split(/\s*[,;]\s*|\s+/);

/** Returns null if the line is no header. @throws FormatError for unknown or missing columns */
export function columnsOf(text: string, line: number): Columns | null {
  if (!/^\s*["']?[a-z]/i.test(text)) return null;
  const names = cellsOf(text).map((cell) => cell.replace(/^(["'])(.*)\1$/, '$2').toLowerCase());
  const columns = names.map((name) => {
    if (LEFT_OUT.includes(name)) return null;
    const number = PLACE.indexOf(ALSO[name] ?? name);
    if (number >= 0) return number;
    const near = nearest(name, PLACE);
    const meant = near === null ? '' : `: did you mean ${near}?`;
    throw new FormatError({ line }, `columns of ${PLACE.join(' ')}, and time`, quoted(name) + meant);
  });
  for (const [number, name] of PLACE.entries()) {
    const count = columns.filter((column) => column === number).length;
    if (count !== 1) throw new FormatError({ line }, `one column ${name}`, count === 0 ? 'none' : `${count} of them`);
  }
  return columns;
}

/** Parses the pose of a line into `out`; does not check that a matrix is rigid. */
export function readPoseLine(text: string, line: number, columns: Columns | undefined, out: Pose): void {
  const numbers = text.trimStart().startsWith('[') ? ofJson(text) : cellsOf(text).map(numberOf);
  if (numbers === null || numbers.some(Number.isNaN)) throw new FormatError({ line }, EXPECTED, shorten(text));
  if (columns === undefined) {
    setPose(out, numbers, line, text);
    return;
  }
  if (numbers.length !== columns.length)
    throw new FormatError({ line }, `${columns.length} numbers, as the header has names`, `${numbers.length}`);
  const place = new Float64Array(7);
  columns.forEach((column, i) => {
    if (column !== null) place[column] = numbers[i];
  });
  setPose(out, [...place], line, text);
}

function setPose(out: Pose, numbers: readonly number[], line: number, text: string): void {
  try {
    const pose = poseOfNumbers(numbers);
    if (pose === null) throw new FormatError({ line }, EXPECTED, shorten(text));
    out.set(pose);
  } catch (error) {
    throw error instanceof OptionError ? new FormatError({ line }, 'a quaternion of length 1', shorten(text)) : error;
  }
}

function ofJson(text: string): number[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((x) => typeof x === 'number') ? value : null;
  } catch {
    return null;
  }
}

const numberOf = (cell: string): number => (cell === '' ? Number.NaN : Number(cell));

export function shorten(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > 50 ? `${text.slice(0, 47)}...` : text;
}
