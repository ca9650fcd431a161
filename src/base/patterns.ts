/** Matches names against patterns, and leaves out the matches. */
import { OptionError } from './errors.ts';
import { counted, printable, quoted } from './printable.ts';

/**
 * True if a name matches a pattern: `*` is any letters including slashes, `?` is one, `[1-9]` is
 * one of a class, `[!x]` one that is not in it. A bracket also matches itself, since names have
 * some. Takes at most as many steps as the product of both lengths.
 *
 * @example matches('house/*', 'house/wall-1') // true
 */
export const matches = (pattern: string, name: string): boolean =>
  fits(pattern, name) || (pattern.includes('[') && fits(pattern.match(TOKENS) ?? [], name));

/** A class, or a character; a class has no bracket inside. */
const TOKENS = /\[!?[^[\]]+\]|./gs;

function fits(tokens: ArrayLike<string>, name: string): boolean {
  let p = 0;
  let n = 0;
  /** After the last star: the pattern's place and the name's. */
  let afterStar = -1;
  let resume = 0;
  while (n < name.length) {
    if (tokens[p] === '*') {
      afterStar = ++p;
      resume = n;
    } else if (p < tokens.length && (tokens[p] === '?' || tokens[p] === name[n] || isOfClass(tokens[p], name[n]))) {
      p++;
      n++;
    } else if (afterStar >= 0) {
      p = afterStar;
      n = ++resume;
    } else return false;
  }
  while (tokens[p] === '*') p++;
  return p === tokens.length;
}

/** A number in brackets belongs to a name: `beam[12]`. */
const INDEX = /^\[\d+\]$/;

function isOfClass(token: string, letter: string): boolean {
  if (token.length < 4 || INDEX.test(token)) return false;
  const isNot = token[1] === '!' && token.length > 3;
  const end = token.length - 1;
  let isFound = false;
  for (let k = isNot ? 2 : 1; k < end; k++) {
    const last = token[k + 1] === '-' && k + 2 < end ? token[k + 2] : token[k];
    if (letter >= token[k] && letter <= last) isFound = true;
    if (last !== token[k]) k += 2;
  }
  return isFound !== isNot;
}

/** For longer paths, only the whole path and each part are tried. */
const MOST_PARTS = 8;

/**
 * Leaves out objects by patterns of their names: collision shapes, levels of detail. A pattern that
 * matches nothing is an error, so that a typing error leaves nothing in by accident.
 */
export class Exclusion {
  /** Names of the objects that were left out. */
  readonly names = new Set<string>();
  private readonly counts: number[];

  /** @param option its name for messages */
  constructor(
    readonly patterns: readonly string[] = [],
    private readonly option = '--exclude',
  ) {
    this.counts = patterns.map(() => 0);
  }

  /**
   * True if a pattern matches the name, or parts of it between slashes: `UCX_*` matches
   * `hall/UCX_1`, and `*_LOD1` all of `rock_LOD1/stone`.
   */
  has(name: string): boolean {
    if (this.patterns.length === 0) return false;
    const runs = runsOf(name);
    let isFound = false;
    for (const [n, pattern] of this.patterns.entries()) {
      if (!runs.some((run) => matches(pattern, run))) continue;
      this.counts[n]++;
      isFound = true;
    }
    return isFound;
  }

  /** Like `has`, and notes the name. */
  leavesOut(name: string): boolean {
    const isOut = this.has(name);
    if (isOut) this.names.add(name);
    return isOut;
  }

  /** @throws OptionError for a pattern that has matched nothing, unless `onUnmatched` takes it */
  requireMatched(onUnmatched?: (problem: string) => void): void {
    for (const [n, pattern] of this.patterns.entries()) {
      if (this.counts[n] > 0) continue;
      const problem = `${this.option}: ${quoted(pattern)} matches no object`;
      if (!onUnmatched) throw new OptionError(problem);
      onUnmatched(problem);
    }
  }

  /** For --verbose, a line each. */
  lines(): string[] {
    return [...this.names].map((name) => `excluded: ${printable(name)}`);
  }

  /** For summaries; nothing without patterns. */
  facts(): { excluded?: number } {
    return this.patterns.length === 0 ? {} : { excluded: this.names.size };
  }
}

function runsOf(name: string): string[] {
  const parts = name.split('/');
  if (parts.length > MOST_PARTS) return [name, ...parts];
  return parts.flatMap((_, from) => parts.slice(from).map((_, k) => parts.slice(from, from + k + 1).join('/')));
}

/** `3 objects excluded`, or nothing. */
export const excludedText = ({ excluded }: { excluded?: number }): string[] =>
  excluded === undefined ? [] : [`${counted(excluded, 'object')} excluded`];
