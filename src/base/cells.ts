/** Splits a line of a table into its cells: between semicolons, else commas, else blanks. */
import { brief } from './printable.ts';

/** Maximum number of letters of a line in a message. */
const LONGEST = 80;

/**
 * A cell in double quotes may hold separators, as spreadsheets and pandas write it.
 *
 * @example cellsOf('1, "(2, 3)"') // ['1', '(2, 3)']
 */
export function cellsOf(text: string): string[] {
  const separator = text.includes(';') ? ';' : text.includes(',') ? ',' : null;
  if (separator === null) return text.trim().split(/\s+/).map(unquoted);
  if (!text.includes('"')) return text.split(separator).map((cell) => unquoted(cell.trim()));
  const cells: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let i = 0; i <= text.length; i++) {
    if (text[i] === '"') isQuoted = !isQuoted;
    if (i < text.length && (isQuoted || text[i] !== separator)) continue;
    cells.push(unquoted(text.slice(start, i).trim()));
    start = i + 1;
  }
  return cells;
}

/** A doubled quote within quotes is one quote. */
const unquoted = (cell: string): string =>
  cell.length > 1 && (cell[0] === '"' || cell[0] === "'") && cell[0] === cell.at(-1)
    ? cell.slice(1, -1).replaceAll('""', '"')
    : cell;

/**
 * The fault in the separators of a line of numbers: usually a decimal comma. Null if there is none.
 *
 * @example mixedSeparators('0,1;0') // ['numbers with a decimal point between semicolons', '0,1']
 */
export function mixedSeparators(text: string): [expected: string, found: string] | null {
  if (!text.includes(',')) return null;
  const isComma = (cell: string): boolean => /^[+-]?[\d.]*,[\d.]/.test(cell);
  const cell = cellsOf(text).find((cell) => (text.includes(';') ? isComma(cell) : /\d\s+[\d.+-]/.test(cell)));
  if (cell === undefined) return null;
  if (text.includes(';')) return ['numbers with a decimal point between semicolons', brief(cell, LONGEST)];
  return ['numbers with a decimal point, all between commas or all between blanks', brief(text.trim(), LONGEST)];
}
