/** Errors in JSON values in a line each: places, mistyped keys, zod's issues in our words. */
import type * as z from 'zod/mini';
import { FormatError } from './errors.ts';
import { nearest } from './nearest.ts';
import { quoted } from './printable.ts';

/** Without the plus in its exponent: 1e60. */
export const shortNumber = (x: unknown): string => String(x).replace('e+', 'e');

export type Path = readonly PropertyKey[];

/**
 * Long paths lose their middle.
 *
 * @example pathText(['object', 'union', 1, 'sphere']) // 'object.union[1].sphere'
 */
export function pathText(path: Path): string {
  const step = (key: PropertyKey, i: number): string => {
    if (typeof key === 'number') return `[${key}]`;
    const text = String(key);
    return /^[\w$]{1,40}$/.test(text) ? `${i === 0 ? '' : '.'}${text}` : `[${quoted(text)}]`;
  };
  if (path.length <= 24) return path.map(step).join('');
  const start = path.slice(0, 6).map(step).join('');
  return `${start} ... ${path.slice(-10).map(step).join('').replace(/^\./, '')}`;
}

/** ' at object.union[1].sphere'; empty for the whole text. */
export const at = (path: Path): string => (path.length === 0 ? '' : ` at ${pathText(path)}`);

/** The first issue. If a key is missing and another is unknown: the latter, probably a typo. */
export function worst(issues: readonly z.core.$ZodIssue[], value: unknown): z.core.$ZodIssue {
  const first = issues[0];
  if (valueAt(value, first.path) !== undefined) return first;
  const around = JSON.stringify(first.path.slice(0, -1));
  const isThere = (issue: z.core.$ZodIssue) =>
    issue.code === 'unrecognized_keys' && JSON.stringify(issue.path) === around;
  return issues.find(isThere) ?? first;
}

export function valueAt(value: unknown, path: Path): unknown {
  let found = value;
  for (const key of path) found = (found as Record<PropertyKey, unknown> | undefined)?.[key];
  return found;
}

export interface Language {
  keysAt(path: Path): readonly string[];
  /** What keys are called elsewhere, with the key here. */
  synonyms?: Readonly<Record<string, string>>;
  /** Says how a value is written whose type alone says little; undefined for others. */
  formAt?(path: Path): string | undefined;
  /** The largest absolute value of numbers. */
  largest: number;
}

/** The line of an issue. For a union of two, that of the likely one: the second for an object. */
export function messageOf(issue: z.core.$ZodIssue, value: unknown, language: Language, path: Path = []): FormatError {
  const here = [...path, ...issue.path];
  const found = valueAt(value, issue.path);
  if (issue.code === 'invalid_union') {
    const inner = issue.errors[typeof found === 'object' && found !== null ? 1 : 0];
    if (inner?.length > 0) return messageOf(worst(inner, found), found, language, here);
  }
  if (issue.code === 'unrecognized_keys') {
    return unknownKey(issue.keys[0], language, here);
  }
  const expected = language.formAt?.(here) ?? expectedBy(issue, language.largest);
  return new FormatError(null, `${expected}${at(here)}`, describe(found, issue));
}

/** Names the key that was meant, or all that are known. */
function unknownKey(key: string, { keysAt, synonyms = {} }: Language, path: Path): FormatError {
  const known = keysAt(path);
  const other = Object.hasOwn(synonyms, key) ? synonyms[key] : null;
  const near = other !== null && known.includes(other) ? other : nearest(key, known);
  if (near !== null)
    return new FormatError(null, `only known keys${at(path)}`, `${quoted(key)}: did you mean ${near}?`);
  const isShort = known.length > 0 && known.length <= MOST_KEYS;
  return new FormatError(
    null,
    `${isShort ? `a key of ${known.join(', ')}` : 'only known keys'}${at(path)}`,
    quoted(key),
  );
}

/** Longer lists are left to the docs. */
const MOST_KEYS = 16;

export function expectedBy(issue: z.core.$ZodIssue, largest: number): string {
  switch (issue.code) {
    case 'invalid_type':
      return (
        {
          number: `a number of size at most ${shortNumber(largest)}`,
          int: 'a whole number',
          string: 'text',
          array: 'a list',
          tuple: 'a list',
          object: 'an object',
        }[issue.expected as string] ?? issue.expected
      );
    case 'too_small':
      if (issue.origin === 'array') return `a list of ${issue.exact ? '' : 'at least '}${issue.minimum}`;
      if (issue.origin === 'string') return 'text that is not empty';
      return `a number ${issue.inclusive ? 'of at least' : 'above'} ${shortNumber(issue.minimum)}`;
    case 'too_big':
      if (issue.origin === 'array') return `a list of ${issue.exact ? '' : 'at most '}${issue.maximum}`;
      if (issue.origin === 'string') return `text of at most ${issue.maximum} characters`;
      return `a number ${issue.inclusive ? 'of at most' : 'below'} ${shortNumber(issue.maximum)}`;
    case 'invalid_value':
      return issue.values.map((value) => JSON.stringify(value)).join(' or ');
    default:
      return issue.message;
  }
}

export function describe(value: unknown, issue?: z.core.$ZodIssue): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return issue?.code === 'too_big' ? `${value.length}` : quoted(value);
  if (typeof value === 'number') return shortNumber(value);
  if (Array.isArray(value)) {
    const isShort = value.length <= 4 && value.every((item) => typeof item === 'number');
    return isShort && issue?.code === 'custom' ? `[${value.map(shortNumber).join(', ')}]` : `a list of ${value.length}`;
  }
  if (typeof value !== 'object' || value === null) return String(value);
  const keys = Object.keys(value);
  const numbers = Object.entries(value).filter(([, item]) => typeof item === 'number' || Array.isArray(item));
  if (issue?.code === 'custom' && keys.length > 0 && keys.length <= 4 && numbers.length === keys.length) {
    return numbers.map(([key, item]) => `${key} ${describe(item, issue)}`).join(', ');
  }
  return keys.length === 0 ? 'an empty object' : `an object with ${quoted(keys[0])}`;
}
