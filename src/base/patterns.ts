/** Matches names against patterns, leaves out what they match, and suggests what they may mean. */
import { OptionError } from './errors.ts';
import { nearest } from './nearest.ts';
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

/** Comparisons for all hints of one list; thousands of wrong names take less than a second. */
const MOST_COMPARED = 500_000;
/** Names in a hint; the others are counted. */
const MOST_MEANT = 3;
/** Characters of a name in a hint. */
const LONGEST_MEANT = 120;

/**
 * Suggests names for a name or a pattern that matches none of them: the same name behind another
 * prefix (`room/lamp` for `lamp`), without its prefix, or with another spelling.
 */
export class Suggestions {
  private readonly known: ReadonlySet<string>;
  /** The names by their last parts, made when it is needed. */
  private byLast: Map<string, string[]> | undefined;
  private compared = 0;

  constructor(known: Iterable<string>) {
    this.known = new Set(known);
  }

  /** The end of a message: `; did you mean "room/lamp"?`, or nothing. */
  hint(text: string): string {
    const meant = this.meant(text);
    if (meant.length === 0) return '';
    const left = meant.length > MOST_MEANT ? meant.length - (MOST_MEANT - 1) : 0;
    const shown = meant.slice(0, left > 0 ? MOST_MEANT - 1 : MOST_MEANT).map(inHint);
    const all = left > 0 ? [...shown, `${left} others`] : shown;
    return `; did you mean ${[...all.slice(0, -2), all.slice(-2).join(' or ')].join(', ')}?`;
  }

  private meant(text: string): readonly string[] {
    const found = this.prefixed(text);
    if (found.length > 0) return found;
    const patterns = /[*?[]/.test(text) ? this.patternsLike(text) : [];
    return patterns.length > 0 ? patterns : this.spelledLike(text);
  }

  /** Names with another prefix, or with none. */
  private prefixed(name: string): readonly string[] {
    const longer = this.endingIn(name).filter((known) => known.endsWith(`/${name}`));
    if (longer.length > 0) return longer;
    const shorter = tailsOf(name).find((tail) => this.known.has(tail));
    return shorter === undefined ? [] : [shorter];
  }

  /** A pattern for another prefix, or for none, that matches some name. */
  private patternsLike(pattern: string): readonly string[] {
    const tails = tailsOf(pattern).filter((tail) => /[^*?/]/.test(tail));
    const candidates = [`*/${pattern}`, ...tails, ...tails.map((tail) => `*/${tail}`)];
    const found = candidates.find((candidate) => this.matchesSome(candidate)) ?? this.respelled(pattern);
    return found === null ? [] : [found];
  }

  /** The pattern with its parts that have no wildcard spelled as in the names, if that helps. */
  private respelled(pattern: string): string | null {
    const parts = pattern.split('/').map((part, k) => {
      if (/[*?[]/.test(part) || !this.isWithin(this.known.size)) return part;
      return nearest(part, new Set(Array.from(this.known, (name) => name.split('/')[k] ?? ''))) ?? part;
    });
    const found = parts.join('/');
    return found !== pattern && this.matchesSome(found) ? found : null;
  }

  private matchesSome(pattern: string): boolean {
    if (!this.isWithin(this.known.size)) return false;
    for (const name of this.known) if (matches(pattern, name)) return true;
    return false;
  }

  private spelledLike(text: string): readonly string[] {
    if (!this.isWithin(this.known.size)) return [];
    const near = nearest(text, this.known);
    if (near !== null) return [near];
    const last = lastOf(text);
    if (last !== text) return this.endingIn(last);
    const other = this.isWithin(this.lasts().size) ? nearest(text, this.lasts().keys()) : null;
    return other === null ? [] : this.endingIn(other);
  }

  private endingIn(name: string): readonly string[] {
    return this.lasts().get(lastOf(name)) ?? [];
  }

  private lasts(): Map<string, string[]> {
    if (this.byLast) return this.byLast;
    this.byLast = new Map();
    for (const name of this.known) {
      const same = this.byLast.get(lastOf(name));
      if (same) same.push(name);
      else this.byLast.set(lastOf(name), [name]);
    }
    return this.byLast;
  }

  private isWithin(comparisons: number): boolean {
    this.compared += comparisons;
    return this.compared <= MOST_COMPARED;
  }
}

/** The end of a message about one name: see Suggestions. */
export const suggestion = (name: string, known: Iterable<string>): string => new Suggestions(known).hint(name);

const inHint = (name: string): string => (name.length > LONGEST_MEANT ? quoted(name) : `"${printable(name)}"`);

const lastOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

/** `b/c` and `c` for `a/b/c`. */
function tailsOf(name: string): string[] {
  const tails: string[] = [];
  for (let at = name.indexOf('/'); at >= 0 && tails.length < MOST_PARTS; at = name.indexOf('/', at + 1))
    tails.push(name.slice(at + 1));
  return tails;
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
  /** Every name that was asked about, for hints. */
  private readonly asked = new Set<string>();
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
    this.asked.add(name);
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
    const suggestions = new Suggestions(this.asked);
    for (const [n, pattern] of this.patterns.entries()) {
      if (this.counts[n] > 0) continue;
      const problem = `${this.option}: ${quoted(pattern)} matches no object${suggestions.hint(pattern)}`;
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
