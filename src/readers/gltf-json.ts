/** Members of glTF's JSON: each is of its kind, or is refused with the place where it stands. */
import { FormatError } from '../math/errors.ts';
import { at, describe, type Path } from './json-messages.ts';

/** An object of the file, and the keys that lead to it. */
export interface Part {
  value: Record<string, unknown>;
  path: Path;
}

/** @throws FormatError: `expected` at the path, and what stands there */
export function refuse(expected: string, path: Path, found: unknown): never {
  throw new FormatError(null, `${expected}${at(path)}`, describe(found));
}

/** The object that a value is. */
export function partOf(value: unknown, path: Path): Part {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse('an object', path, value);
  return { value: value as Record<string, unknown>, path };
}

/** A member that is an object; null where there is none. */
export function childOf({ value, path }: Part, key: string): Part | null {
  return value[key] === undefined ? null : partOf(value[key], [...path, key]);
}

/** An extension of a part; null where it has none of that name. */
export const extensionOf = (part: Part, name: string): Part | null => {
  const extensions = childOf(part, 'extensions');
  return extensions && childOf(extensions, name);
};

/** A member that is a list; an empty one where there is none. */
export function listOf({ value, path }: Part, key: string): unknown[] {
  const list = value[key] === undefined ? [] : value[key];
  if (!Array.isArray(list)) refuse('a list', [...path, key], list);
  return list;
}

/** An item, by its number, of a list of the whole file: a mesh, an accessor. */
export const itemOf = (root: Part, list: string, n: number): Part => partOf(listOf(root, list)[n], [list, n]);

/** A member that is text; '' where there is none. */
export function textOf({ value, path }: Part, key: string): string {
  const text = value[key] === undefined ? '' : value[key];
  if (typeof text !== 'string') refuse('text', [...path, key], text);
  return text;
}

/** A member that is true or false; false where there is none. */
export function flagOf({ value, path }: Part, key: string): boolean {
  const flag = value[key] === undefined ? false : value[key];
  if (typeof flag !== 'boolean') refuse('true or false', [...path, key], flag);
  return flag;
}

/** A whole number: a member, or `otherwise` where there is none. */
export function wholeOf({ value, path }: Part, key: string, least: number, most: number, otherwise?: number): number {
  if (value[key] === undefined && otherwise !== undefined) return otherwise;
  return wholeAt(value[key], [...path, key], least, most);
}

function wholeAt(value: unknown, path: Path, least: number, most: number): number {
  const isOne = typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
  if (!isOne) refuse(`a whole number from ${least} to ${most}`, path, value);
  return value;
}

/** The number of an item of a list of the whole file; null where there is none. */
export function referenceOf(root: Part, { value, path }: Part, key: string, list: string): number | null {
  return value[key] === undefined ? null : referenceAt(root, value[key], [...path, key], list);
}

export function referenceAt(root: Part, value: unknown, path: Path, list: string): number {
  const { length } = listOf(root, list);
  if (length === 0) refuse(`no number, since the file has no ${list}`, path, value);
  return wholeAt(value, path, 0, length - 1);
}

/** `count` numbers of size at most `largest`; null where there are none. */
export function numbersOf({ value, path }: Part, key: string, count: number, largest: number): number[] | null {
  const numbers = value[key];
  if (numbers === undefined) return null;
  const place = [...path, key];
  if (!Array.isArray(numbers) || numbers.length !== count) refuse(`a list of ${count} numbers`, place, numbers);
  for (const [k, x] of numbers.entries()) {
    if (typeof x !== 'number' || !(Math.abs(x) <= largest))
      refuse(`a number of size at most ${largest}`, [...place, k], x);
  }
  return numbers;
}
