/** Patterns of names: groups, rules and allowances say by these which objects they speak of. */
import { nearest, quoted } from '../readers/json-messages.ts';

/**
 * Whether a name is one that a pattern stands for: `*` stands for any letters, slashes too, `?` for
 * one. Takes no more steps than both are long, one times the other, whatever the pattern.
 *
 * @example matches('house/*', 'house/wall-1') // true
 */
export function matches(pattern: string, name: string): boolean {
  let p = 0;
  let n = 0;
  /** After the last star, and where the name went on then. */
  let afterStar = -1;
  let resume = 0;
  while (n < name.length) {
    if (pattern[p] === '*') {
      afterStar = ++p;
      resume = n;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === name[n])) {
      p++;
      n++;
    } else if (afterStar >= 0) {
      p = afterStar;
      n = ++resume;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

/** Whether a pattern may stand for an object that is not there, or for one of its parts. */
export const mayMatch = (pattern: string, absent: string): boolean =>
  matches(pattern, absent) || pattern.startsWith(`${absent}/`);

/** What a name that is not there may have meant, as the end of a message. */
export function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === null ? '' : `; did you mean ${quoted(near)}?`;
}
