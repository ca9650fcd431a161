/** Reads typed members of glTF's JSON; errors name their place. */
import { FormatError } from '../base/errors.ts';
import { at, describe, type Path } from '../base/json-messages.ts';

export interface Part {
  value: Record<string, unknown>;
  path: Path;
}

export function refuse(expected: string, path: Path, found: unknown): never {
  throw new FormatError(null, `${expected}${at(path)}`, describe(found));
}

export function partOf(value: unknown, path: Path): Part {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse('an object', path, value);
  return { value: value as Record<string, unknown>, path };
}

export function childOf({ value, path }: Part, key: string): Part | null {
  return value[key] === undefined ? null : partOf(value[key], [...path, key]);
}

export const extensionOf = (part: Part, name: string): Part | null => {
  const extensions = childOf(part, 'extensions');
  return extensions && childOf(extensions, name);
};

export function listOf({ value, path }: Part, key: string): unknown[] {
  const list = value[key] === undefined ? [] : value[key];
  if (!Array.isArray(list)) refuse('a list', [...path, key], list);
  return list;
}

export const itemOf = (root: Part, list: string, n: number): Part => partOf(listOf(root, list)[n], [list, n]);

export function textOf({ value, path }: Part, key: string): string {
  const text = value[key] === undefined ? '' : value[key];
  if (typeof text !== 'string') refuse('text', [...path, key], text);
  return text;
}

export function flagOf({ value, path }: Part, key: string): boolean {
  const flag = value[key] === undefined ? false : value[key];
  if (typeof flag !== 'boolean') refuse('true or false', [...path, key], flag);
  return flag;
}

export function wholeOf({ value, path }: Part, key: string, least: number, most: number, otherwise?: number): number {
  if (value[key] === undefined && otherwise !== undefined) return otherwise;
  return wholeAt(value[key], [...path, key], least, most);
}

function wholeAt(value: unknown, path: Path, least: number, most: number): number {
  const isOne = typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
  if (!isOne) refuse(`a whole number from ${least} to ${most}`, path, value);
  return value;
}

/** The index into a list of the whole file, or null. */
export function referenceOf(root: Part, { value, path }: Part, key: string, list: string): number | null {
  return value[key] === undefined ? null : referenceAt(root, value[key], [...path, key], list);
}

export function referenceAt(root: Part, value: unknown, path: Path, list: string): number {
  const { length } = listOf(root, list);
  if (length === 0) refuse(`no number, since the file has no ${list}`, path, value);
  return wholeAt(value, path, 0, length - 1);
}

/** `count` numbers of size at most `largest`, or null. */
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
