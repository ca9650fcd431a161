/**
 * Decides which pairs of a scene are checked, and how: rules, allowances, groups of names. Patterns
 * of names select the objects.
 *
 * Objects in the same groups of every rule are of one sort. The question about two depends on their
 * sorts alone. There are few sorts, so pairs are counted, and questions found, by sorts.
 */
import { OptionError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { quoted } from '../base/printable.ts';
import { requireClearance, requireLength } from '../engine/options.ts';
import type { FindingClass } from './classes.ts';

/**
 * The question about every pair of an object of `a` and one of `b`; each a group's name or a
 * pattern.
 */
export interface Rule {
  id: string;
  a: string;
  b: string;
  /** Objects no farther apart than this are reported, too. Default: the scene's. */
  clearance?: number | undefined;
  /** Overlaps no thicker than this are `touch`. Default: the scene's. */
  tolerance?: number | undefined;
  /** The classes of findings that fail. Default: the caller's. */
  fail?: readonly FindingClass[] | undefined;
  /**
   * Severity of its failing findings: `error` (default), or `warning`, which does not set exit code
   * 1.
   */
  severity?: 'error' | 'warning' | undefined;
}

export interface IncompleteAllowance {
  a: string;
  reason?: string | undefined;
}

/** Pairs that may touch; without `b`, `a` with anything. */
export interface Allowance {
  a: string;
  b?: string | undefined;
  reason?: string | undefined;
}

export interface Rules {
  /** Names of groups, and patterns of their objects' names, as `matches` takes them. */
  groups?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Without rules, every pair is checked for contact. */
  rules?: readonly Rule[] | undefined;
  allow?: readonly Allowance[] | undefined;
  /** Objects whose surface may be missing, wholly or in part. */
  incomplete?: readonly IncompleteAllowance[] | undefined;
}

export interface Ask {
  rule: string | null;
  clearance: number;
  tolerance: number;
}

export interface Asked {
  /** Empty for an allowed pair. */
  asks(i: number, j: number): readonly Ask[];
  isAllowed(i: number, j: number): boolean;
  pairs: number;
  allowed: number;
  matched: { rules: number[]; allow: number[] };
  widest: number;
}

interface AskOptions {
  rules?: Rules;
  clearance?: number;
  tolerance?: number;
  touchGap?: number;
  against?: ReadonlySet<string>;
  still?: ReadonlySet<string>;
  absent?: readonly string[];
  onUnmatched?: (problem: string) => void;
}

const NOTHING: readonly Ask[] = [];

/**
 * @throws OptionError for a pattern that no name matches, a rule or an allowance without a pair,
 *   and a duplicate id of a rule
 */
export function asksOf(names: readonly string[], options: AskOptions): Asked {
  const { groups = {}, rules = [], allow = [] } = options.rules ?? {};
  const clearance = options.clearance ?? 0;
  const tolerance = requireLength(options.tolerance, 'tolerance');
  const touchGap = requireLength(options.touchGap, 'touchGap');
  const selector = selectorOf(names, groups, options);
  const ids = new Set<string>();
  const ruleSides = rules.map((rule, r) => {
    const place = `rules[${r}]`;
    if (ids.has(rule.id)) throw new OptionError(`${place}.id: ${quoted(rule.id)} comes twice`);
    ids.add(rule.id);
    const ask = {
      rule: rule.id,
      clearance: requireClearance(rule.clearance ?? clearance),
      tolerance: requireLength(rule.tolerance ?? tolerance, 'tolerance'),
    };
    return { a: selector(rule.a, `${place}.a`), b: selector(rule.b, `${place}.b`), ask, place };
  });
  const allowSides = allow.map(({ a, b = '*' }, r) => {
    const place = `allow[${r}]`;
    return { a: selector(a, `${place}.a`), b: selector(b, `${place}.b`), place };
  });
  for (const { a, b, place } of [...ruleSides, ...allowSides]) {
    if (a.only !== null && a.only === b.only)
      throw new OptionError(`${place}: a and b are one object, which makes no pair`);
  }
  const marksOf = (set: ReadonlySet<string> | undefined): Uint8Array | undefined =>
    set && Uint8Array.from(names, (name) => Number(set.has(name)));
  const [against, still] = [marksOf(options.against), marksOf(options.still)];
  const plain = { rule: null, clearance, tolerance };
  const table = new PairTable(names.length, ruleSides, allowSides, against, still, plain, touchGap);
  if (!options.absent?.length) {
    requireMatched(table.matched.rules, ruleSides, options.onUnmatched);
    requireMatched(table.matched.allow, allowSides, options.onUnmatched);
  }
  return table;
}

/** True if a contact of the two would be reported, also as allowed. Rule null: by any. */
export const wouldTell = (asked: Asked, i: number, j: number, rule: string | null): boolean =>
  asked.isAllowed(i, j) || asked.asks(i, j).some((ask) => rule === null || ask.rule === null || ask.rule === rule);

function requireMatched(
  counts: readonly number[],
  sides: readonly (Sides & { place: string })[],
  onUnmatched: AskOptions['onUnmatched'],
): void {
  const isEmpty = ({ set }: Side): boolean => set !== null && !set.includes(1);
  for (const [n, { a, b, place }] of sides.entries()) {
    if (counts[n] > 0 || isEmpty(a) || isEmpty(b)) continue;
    const problem = `${place}: no pair of objects is of both sides`;
    if (!onUnmatched) throw new OptionError(problem);
    onUnmatched(problem);
  }
}

interface Side {
  /** 1 for each object; or null if `only` is the single one. */
  set: Uint8Array | null;
  only: number | null;
}

const has = ({ set, only }: Side, i: number): boolean => (set ? set[i] === 1 : only === i);

function columnOf({ set, only }: Side, objects: number): Uint8Array {
  if (set) return set;
  const column = new Uint8Array(objects);
  column[only!] = 1;
  return column;
}

interface Sides {
  a: Side;
  b: Side;
}

const isNamed = ({ a, b }: Sides): boolean => a.only !== null && b.only !== null;

/**
 * Pairs of two named objects are in tables, since there may be thousands; other rules use sorts.
 */
class PairTable implements Asked {
  pairs = 0;
  allowed = 0;
  readonly matched: Asked['matched'];
  private readonly sorts: Sorts;
  private readonly table: (readonly Ask[] | undefined)[] = [];
  private readonly named = new Map<number, Ask[]>();
  private readonly excused = new Set<number>();
  private readonly plain: readonly Ask[];
  private readonly rules: readonly (Sides & { ask: Ask })[];
  private readonly allow: readonly Sides[];

  constructor(
    private readonly objects: number,
    rules: readonly (Sides & { ask: Ask })[],
    allow: readonly Sides[],
    private readonly against: Uint8Array | undefined,
    private readonly still: Uint8Array | undefined,
    plain: Ask,
    /** The largest length of all asks, for the boxes. */
    public widest: number,
  ) {
    this.plain = rules.length === 0 ? [plain] : NOTHING;
    this.rules = rules.filter((rule) => !isNamed(rule));
    this.allow = allow.filter((sides) => !isNamed(sides));
    for (const { a, b, ask } of rules.filter(isNamed)) {
      const key = this.keyOf(a.only!, b.only!);
      this.named.set(key, [...(this.named.get(key) ?? []), ask]);
    }
    for (const { a, b } of allow.filter(isNamed)) this.excused.add(this.keyOf(a.only!, b.only!));
    const columns = [...this.rules, ...this.allow].flatMap(({ a, b }) => [columnOf(a, objects), columnOf(b, objects)]);
    for (const column of [against, still]) if (column) columns.push(column);
    this.sorts = sortsOf(objects, columns);
    this.count();
    const matched = (sides: readonly Sides[]): number[] => sides.map((each) => this.pairsOf(each));
    this.matched = { rules: matched(rules), allow: matched(allow) };
  }

  asks(i: number, j: number): readonly Ask[] {
    if (this.named.size === 0 && this.excused.size === 0) return this.asksOfSorts(i, j);
    const key = this.keyOf(i, j);
    if (this.excused.has(key)) return NOTHING;
    const own = this.named.get(key);
    return own && this.isAskable(i, j) ? [...this.asksOfSorts(i, j), ...own] : this.asksOfSorts(i, j);
  }

  isAllowed(i: number, j: number): boolean {
    return this.excused.has(this.keyOf(i, j)) || this.allow.some((sides) => isOf(sides, i, j));
  }

  private keyOf(i: number, j: number): number {
    return i < j ? i * this.objects + j : j * this.objects + i;
  }

  /** True if the pair is on one side of `against`, or both are `still`. */
  private areUnasked(i: number, j: number): boolean {
    const { against, still } = this;
    return (against !== undefined && against[i] === against[j]) || (still !== undefined && still[i] + still[j] === 2);
  }

  private isAskable(i: number, j: number): boolean {
    if (this.areUnasked(i, j)) return false;
    return !this.allow.some((sides) => isOf(sides, i, j));
  }

  private asksOfSorts(i: number, j: number): readonly Ask[] {
    const { of, count, first } = this.sorts;
    const at = of[i] * count + of[j];
    let asks = this.table[at];
    if (!asks) {
      const [p, q] = [first[of[i]], first[of[j]]];
      asks = this.isAskable(p, q) ? this.rawAsks(p, q) : NOTHING;
      this.table[at] = asks;
    }
    return asks;
  }

  private rawAsks(i: number, j: number): readonly Ask[] {
    if (this.plain.length > 0) return this.plain;
    return this.rules.filter((rule) => isOf(rule, i, j)).map(({ ask }) => ask);
  }

  private count(): void {
    this.forSorts((i, j, pairs) => this.add(i, j, pairs, this.rawAsks(i, j), false));
    for (const key of new Set([...this.named.keys(), ...this.excused])) {
      const [i, j] = [Math.floor(key / this.objects), key % this.objects];
      const raw = this.rawAsks(i, j);
      this.add(i, j, -1, raw, false);
      this.add(i, j, 1, [...raw, ...(this.named.get(key) ?? [])], this.excused.has(key));
    }
  }

  private pairsOf(sides: Sides): number {
    if (isNamed(sides)) return Number(!this.areUnasked(sides.a.only!, sides.b.only!));
    let sum = 0;
    this.forSorts((i, j, pairs) => {
      if (isOf(sides, i, j) && !this.areUnasked(i, j)) sum += pairs;
    });
    return sum;
  }

  /** Visits two objects of each two sorts, with the number of such pairs. */
  private forSorts(visit: (i: number, j: number, pairs: number) => void): void {
    const { count, size, first } = this.sorts;
    for (let p = 0; p < count; p++) {
      for (let q = p; q < count; q++) {
        const pairs = p === q ? (size[p] * (size[p] - 1)) / 2 : size[p] * size[q];
        if (pairs > 0) visit(first[p], first[q], pairs);
      }
    }
  }

  private add(i: number, j: number, pairs: number, asks: readonly Ask[], isExcused: boolean): void {
    if (asks.length === 0 || this.areUnasked(i, j)) return;
    if (isExcused || !this.isAskable(i, j)) {
      this.allowed += pairs;
      return;
    }
    this.pairs += pairs;
    for (const ask of asks) this.widest = Math.max(this.widest, ask.clearance);
  }
}

const isOf = ({ a, b }: Sides, i: number, j: number): boolean => (has(a, i) && has(b, j)) || (has(a, j) && has(b, i));

function selectorOf(
  names: readonly string[],
  groups: Readonly<Record<string, readonly string[]>>,
  { absent = [], onUnmatched }: AskOptions,
): (text: string, place: string) => Side {
  const ofPattern = (pattern: string, place: string): Uint8Array => {
    const set = Uint8Array.from(names, (name) => Number(matches(pattern, name)));
    if (set.includes(1) || absent.some((name) => mayMatch(pattern, name))) return set;
    const known = [...Object.keys(groups), ...names];
    const problem = `${place}: ${quoted(pattern)} matches no object${suggestion(pattern, known)}`;
    if (!onUnmatched) throw new OptionError(problem);
    onUnmatched(problem);
    return set;
  };
  const ofGroup = new Map(
    Object.entries(groups).map(([group, patterns]) => {
      const sets = patterns.map((pattern, p) => ofPattern(pattern, `groups.${group}[${p}]`));
      return [group, Uint8Array.from(names, (_, i) => Number(sets.some((set) => set[i] === 1)))] as const;
    }),
  );
  const numbers = new Map(names.map((name, i) => [name, i]));
  return (text, place) => {
    const group = ofGroup.get(text);
    const own = group || /[*?]/.test(text) ? undefined : numbers.get(text);
    return own === undefined ? { set: group ?? ofPattern(text, place), only: null } : { set: null, only: own };
  };
}

interface Sorts {
  count: number;
  of: Uint32Array;
  first: number[];
  size: number[];
}

function sortsOf(objects: number, columns: readonly Uint8Array[]): Sorts {
  const known = new Map<string, number>();
  const sorts: Sorts = { count: 0, of: new Uint32Array(objects), first: [], size: [] };
  for (let i = 0; i < objects; i++) {
    const key = columns.map((column) => column[i]).join('');
    let sort = known.get(key);
    if (sort === undefined) {
      sort = known.size;
      known.set(key, sort);
      sorts.first.push(i);
      sorts.size.push(0);
    }
    sorts.of[i] = sort;
    sorts.size[sort]++;
  }
  sorts.count = known.size;
  return sorts;
}

/**
 * True if a name matches a pattern: `*` is any letters including slashes, `?` is one, `[1-9]` is
 * one of a class, `[!x]` one not of it. A bracket also matches itself, since names have some. Takes
 * at most as many steps as the product of both lengths.
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

function isOfClass(token: string, letter: string): boolean {
  if (token.length < 3) return false;
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

/** True if a pattern may select an absent object, or one of its parts. */
const mayMatch = (pattern: string, absent: string): boolean =>
  matches(pattern, absent) || pattern.startsWith(`${absent}/`);

/** The end of a message: a similar known name. */
export function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === null ? '' : `; did you mean ${quoted(near)}?`;
}
