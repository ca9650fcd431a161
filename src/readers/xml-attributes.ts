/** Reads attributes of XML elements: numbers and known names; errors have the line. */
import { FormatError } from '../math/errors.ts';
import { nearest } from '../math/nearest.ts';
import { quoted } from '../math/printable.ts';
import type { XmlElement } from './xml.ts';

/** Default limit of numbers: products of a few stay in range. */
const LARGEST_NUMBER = 1e60;

export function required(element: XmlElement, attribute: string): string {
  const value = element.attributes.get(attribute);
  if (value === undefined || value === '')
    throw new FormatError({ line: element.line }, `<${element.name} ${attribute}="...">`, value === '' ? '""' : 'none');
  return value;
}

export function only(element: XmlElement, name: string): XmlElement | null {
  const found = element.children.filter((child) => child.name === name);
  if (found.length > 1)
    throw new FormatError({ line: found[1].line }, `one <${name}> in <${element.name}>`, `${found.length}`);
  return found[0] ?? null;
}

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** Numbers separated by spaces; `otherwise` if the attribute is missing. */
export function numbersIn(
  element: XmlElement | null,
  attribute: string,
  otherwise: readonly number[],
  largest: number = LARGEST_NUMBER,
): number[] {
  const text = element?.attributes.get(attribute);
  if (!element || text === undefined) return [...otherwise];
  const words = text.trim().split(/ +/);
  const numbers = words.map((word) => (NUMBER.test(word) ? Number(word) : Number.NaN));
  if (numbers.length === otherwise.length && numbers.every((x) => Math.abs(x) <= largest)) return numbers;
  const many = otherwise.length === 1 ? 'a number' : `${otherwise.length} numbers`;
  const macro = /\$[{(]/.test(text) ? ': run xacro first' : '';
  const limit = numbers.some((x) => Math.abs(x) > largest) ? ` of size at most ${largest}` : '';
  throw new FormatError(
    { line: element.line },
    `${many}${limit} as ${attribute} of <${element.name}>`,
    quoted(text) + macro,
  );
}

export function knownNumber(element: XmlElement, attribute: string, known: ReadonlyMap<string, number>): number {
  const name = required(element, attribute);
  const number = known.get(name);
  if (number === undefined)
    throw new FormatError(
      { line: element.line },
      `a name that the robot has as ${attribute} of <${element.name}>`,
      quoted(name) + meant(name, [...known.keys()]),
    );
  return number;
}

export function meant(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === null ? '' : `: did you mean ${near}?`;
}
