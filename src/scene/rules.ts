/**
 * Decides which pairs of a scene are checked, and how: rules, allowances, groups of names. Patterns
 * of names select the objects. Pairs are counted, and questions found, by sorts (sorts.ts).
 */
import { OptionError } from '../base/errors.ts';
import { matches, Suggestions, suggestion } from '../base/patterns.ts';
import { quoted } from '../base/printable.ts';
import { requireClearance, requireLength } from '../engine/options.ts';
import type { IfcFacts } from '../readers/mesh-file.ts';
import { type FindingClass, IFC_KEYS } from './classes.ts';
import { isOf, type Side, type Sides, SidesOfSorts, Sorts, unionOf } from './sorts.ts';

/**
 * Chooses objects of IFC by facts from their file. All given patterns must match. A class without
 * wildcards includes the classes below it.
 */
export interface IfcChoice {
  ifc: {
    class?: string | undefined;
    type?: string | undefined;
    storey?: string | undefined;
    material?: string | undefined;
  };
}

/** Objects by their full names, in which `*` and `?` mean nothing else. */
export interface NamedChoice {
  names: readonly string[];
}

/** Objects by a pattern of their names, by their facts in IFC, or by their full names. */
export type Choice = string | IfcChoice | NamedChoice;

/** Only pairs of one object of each side; a side that is not given has all objects. */
export interface ChosenSides {
  a?: readonly Choice[];
  b?: readonly Choice[];
}

/** The question about pairs of one object of `a` and one of `b`: each a group or a choice. */
export interface Rule {
  id: string;
  a: Choice;
  b: Choice;
  /** Objects no farther apart than this are reported, too. Default: the scene's. */
  clearance?: number | undefined;
  /** Overlaps no thicker than this are `touch`. Default: the scene's. */
  tolerance?: number | undefined;
  /** The classes of findings that fail. Default: the caller's. */
  fail?: readonly FindingClass[] | undefined;
  /** Severity of failing findings: `error` (default), or `warning`, which never fails a run. */
  severity?: 'error' | 'warning' | undefined;
}

export interface IncompleteAllowance {
  a: Choice;
  reason?: string | undefined;
}

/** Pairs that may touch; without `b`, `a` with anything. */
export interface Allowance {
  a: Choice;
  b?: Choice | undefined;
  reason?: string | undefined;
}

/** The rules of a scene: which pairs are checked, and how (docs/scene.md). */
export interface Rules {
  /** Groups of objects, by name. In patterns, `*` is any letters and `?` is one. */
  groups?: Readonly<Record<string, readonly Choice[]>> | undefined;
  /** Without rules, every pair is checked for contact. */
  rules?: readonly Rule[] | undefined;
  allow?: readonly Allowance[] | undefined;
  /** Objects whose surface may be missing, wholly or in part. */
  incomplete?: readonly IncompleteAllowance[] | undefined;
}

/** Two objects that belong together by their file, such as a whole and its part. */
export interface RelatedPair {
  a: string;
  b: string;
  why: string;
}

export interface Ask {
  rule: string | null;
  clearance: number;
  tolerance: number;
}

export interface Asks {
  /** Empty for an allowed pair, and for one that is not checked. */
  asks(i: number, j: number): readonly Ask[];
  /** At least the largest length of all asks. */
  widest: number;
}

export interface Asked extends Asks {
  isAllowed(i: number, j: number): boolean;
  pairs: number;
  allowed: number;
  /** Pairs that no rule covers, although rules are given. */
  uncovered: number;
  /** Pairs that are only allowed because they belong together. */
  related: readonly RelatedPair[];
  matched: { rules: number[]; allow: number[] };
}

interface AskOptions {
  rules?: Rules;
  clearance?: number;
  tolerance?: number;
  touchGap?: number;
  against?: ReadonlySet<string>;
  still?: ReadonlySet<string>;
  /** Only pairs of one of each. */
  sides?: ChosenSides;
  related?: readonly RelatedPair[];
  /** The facts of IFC about the objects, by their numbers. */
  ifc?: readonly (IfcFacts | undefined)[];
  /** Names of missing objects: unreadable, or left out by an option. */
  absent?: readonly string[];
  /** The names of `absent` that are left out by an option. */
  excluded?: readonly string[];
  absentIfc?: ReadonlyMap<string, IfcFacts>;
  onUnmatched?: (problem: string) => void;
}

const NOTHING: readonly Ask[] = [];

/**
 * @throws OptionError for a pattern that no name matches, for a rule or an allowance without a
 *   pair, and for a duplicate id of a rule
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
  const numbers = new Map(options.related?.length ? names.map((name, i) => [name, i] as const) : []);
  const { a = ['*'], b = ['*'] } = options.sides ?? {};
  const chosen = (choices: readonly Choice[], place: string): Side =>
    unionOf(
      choices.map((choice) => selector(choice, place)),
      names.length,
    );
  const table = new PairTable(names.length, {
    ...{ rules: ruleSides, allow: allowSides },
    ...{ against: marksOf(options.against), still: marksOf(options.still) },
    ...(options.sides && { sides: { a: chosen(a, 'a'), b: chosen(b, 'b') } }),
    related: (options.related ?? []).flatMap((pair): NumberedPair[] => {
      const [i, j] = [numbers.get(pair.a), numbers.get(pair.b)];
      return i === undefined || j === undefined || i === j ? [] : [{ i, j, pair }];
    }),
    ...{ plain: { rule: null, clearance, tolerance }, widest: touchGap },
  });
  // The missing pairs may belong to objects that could not be read.
  if ((options.absent?.length ?? 0) === (options.excluded?.length ?? 0)) {
    requireMatched(table.matched.rules, ruleSides, options.onUnmatched);
    requireMatched(table.matched.allow, allowSides, options.onUnmatched);
  }
  return table;
}

interface NumberedPair {
  i: number;
  j: number;
  pair: RelatedPair;
}

interface TableOptions {
  rules: readonly (Sides & { ask: Ask })[];
  allow: readonly Sides[];
  against: Uint8Array | undefined;
  still: Uint8Array | undefined;
  sides?: Sides;
  related: readonly NumberedPair[];
  plain: Ask;
  /** The largest length of all asks, for the boxes. */
  widest: number;
}

/** True if a contact of the two would be reported, even as allowed. Rule null: by any rule. */
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

const isNamed = ({ a, b }: Sides): boolean => a.only !== null && b.only !== null;

/** Pairs of two named objects are in tables, as there may be thousands; other rules use sorts. */
class PairTable implements Asked {
  pairs = 0;
  allowed = 0;
  uncovered = 0;
  widest: number;
  readonly related: readonly RelatedPair[];
  readonly matched: Asked['matched'];
  private readonly sorts: Sorts;
  private readonly table: (readonly Ask[] | undefined)[] = [];
  private readonly named = new Map<number, Ask[]>();
  private readonly excused = new Set<number>();
  private readonly plain: readonly Ask[];
  private readonly rules: readonly (Sides & { ask: Ask })[];
  private readonly ofRules: SidesOfSorts;
  private readonly ofAllow: SidesOfSorts;
  private readonly against: Uint8Array | undefined;
  private readonly still: Uint8Array | undefined;
  private readonly sides: Sides | undefined;
  /** Keys of pairs that belong together. */
  private readonly together = new Set<number>();

  constructor(
    private readonly objects: number,
    { rules, allow, against, still, sides, related, plain, widest }: TableOptions,
  ) {
    this.widest = widest;
    this.against = against;
    this.still = still;
    this.sides = sides;
    this.plain = rules.length === 0 ? [plain] : NOTHING;
    this.rules = rules.filter((rule) => !isNamed(rule));
    const broad = allow.filter((sides) => !isNamed(sides));
    for (const { a, b, ask } of rules.filter(isNamed)) {
      const key = this.keyOf(a.only!, b.only!);
      this.named.set(key, [...(this.named.get(key) ?? []), ask]);
    }
    for (const { a, b } of allow.filter(isNamed)) this.excused.add(this.keyOf(a.only!, b.only!));
    const all = [...this.rules, ...broad, ...(sides ? [sides] : [])].flatMap(({ a, b }) => [a, b]);
    for (const set of [against, still]) if (set) all.push({ set, only: null });
    this.sorts = new Sorts(objects, all);
    this.ofRules = new SidesOfSorts(this.rules, this.sorts);
    this.ofAllow = new SidesOfSorts(broad, this.sorts);
    this.related = related.flatMap(({ i, j, pair }) => {
      const key = this.keyOf(i, j);
      if (this.together.has(key)) return [];
      this.together.add(key);
      return this.asksApart(i, j).length > 0 ? [pair] : [];
    });
    const counts = this.count(broad.length);
    const matched = (sides: readonly Sides[], broad: Iterator<number>): number[] =>
      sides.map((each) => (isNamed(each) ? this.pairsOfNamed(each) : broad.next().value));
    this.matched = {
      rules: matched(rules, counts.rules.values()),
      allow: matched(allow, counts.allow.values()),
    };
  }

  asks(i: number, j: number): readonly Ask[] {
    const areTogether = this.together.size > 0 && this.together.has(this.keyOf(i, j));
    return areTogether ? NOTHING : this.asksApart(i, j);
  }

  /** The asks about two objects, whether or not they belong together. */
  private asksApart(i: number, j: number): readonly Ask[] {
    if (this.named.size === 0 && this.excused.size === 0) return this.asksOfSorts(i, j);
    const key = this.keyOf(i, j);
    if (this.excused.has(key)) return NOTHING;
    const own = this.named.get(key);
    return own && this.isAskable(i, j) ? [...this.asksOfSorts(i, j), ...own] : this.asksOfSorts(i, j);
  }

  isAllowed(i: number, j: number): boolean {
    const key = this.keyOf(i, j);
    return this.excused.has(key) || this.together.has(key) || this.isOfAllow(i, j);
  }

  private keyOf(i: number, j: number): number {
    return i < j ? i * this.objects + j : j * this.objects + i;
  }

  /** True if the pair is on one side of `against`, not of both `sides`, or both are `still`. */
  private areUnasked(i: number, j: number): boolean {
    const { against, still, sides } = this;
    if (sides && !isOf(sides, i, j)) return true;
    return (against !== undefined && against[i] === against[j]) || (still !== undefined && still[i] + still[j] === 2);
  }

  private isOfAllow(i: number, j: number): boolean {
    const { of } = this.sorts;
    return this.ofAllow.find(of[i], of[j]).length > 0;
  }

  private isAskable(i: number, j: number): boolean {
    return !this.areUnasked(i, j) && !this.isOfAllow(i, j);
  }

  private asksOfSorts(i: number, j: number): readonly Ask[] {
    const { of, count } = this.sorts;
    const at = of[i] * count + of[j];
    let asks = this.table[at];
    if (!asks) {
      asks = this.isAskable(i, j) ? this.rawAsks(of[i], of[j]) : NOTHING;
      this.table[at] = asks;
    }
    return asks;
  }

  /** The asks about two sorts, even if they are allowed. */
  private rawAsks(p: number, q: number): readonly Ask[] {
    return this.plain.length > 0 ? this.plain : this.ofRules.find(p, q).map((r) => this.rules[r].ask);
  }

  /** Counts all pairs; and those of each rule and allowance that has more than two names. */
  private count(allowances: number): { rules: number[]; allow: number[] } {
    const { first, of } = this.sorts;
    const rules = this.rules.map(() => 0);
    const allow = new Array<number>(allowances).fill(0);
    this.sorts.forPairs((p, q, pairs) => {
      if (this.areUnasked(first[p], first[q])) return;
      const found = this.ofRules.find(p, q);
      const allowing = this.ofAllow.find(p, q);
      for (const r of found) rules[r] += pairs;
      for (const r of allowing) allow[r] += pairs;
      const asks = this.plain.length > 0 ? this.plain : found.map((r) => this.rules[r].ask);
      this.add(pairs, asks, allowing.length > 0);
    });
    for (const key of new Set([...this.named.keys(), ...this.excused])) {
      const [i, j] = [Math.floor(key / this.objects), key % this.objects];
      if (this.areUnasked(i, j)) continue;
      const raw = this.rawAsks(of[i], of[j]);
      const isAllowed = this.isOfAllow(i, j);
      this.add(-1, raw, isAllowed);
      this.add(1, [...raw, ...(this.named.get(key) ?? [])], isAllowed || this.excused.has(key));
    }
    this.pairs -= this.related.length;
    this.allowed += this.related.length;
    return { rules, allow };
  }

  private pairsOfNamed({ a, b }: Sides): number {
    return Number(!this.areUnasked(a.only!, b.only!));
  }

  private add(pairs: number, asks: readonly Ask[], isAllowed: boolean): void {
    if (asks.length === 0) {
      if (!isAllowed) this.uncovered += pairs;
      return;
    }
    if (isAllowed) {
      this.allowed += pairs;
      return;
    }
    this.pairs += pairs;
    for (const ask of asks) this.widest = Math.max(this.widest, ask.clearance);
  }
}

function selectorOf(
  names: readonly string[],
  groups: Readonly<Record<string, readonly Choice[]>>,
  { absent = [], absentIfc, ifc, onUnmatched }: AskOptions,
): (choice: Choice, place: string) => Side {
  const isOfAbsent = (choice: Choice, name: string): boolean => {
    if (typeof choice === 'string') return mayMatch(choice, name);
    if ('names' in choice) return choice.names.includes(name);
    const facts = absentIfc?.get(name);
    // Nothing is known about the elements of a file that could not be read.
    return facts === undefined || matcherOf(choice)(facts);
  };
  let suggestions: Suggestions | undefined;
  const hintOf = (text: string): string => {
    suggestions ??= new Suggestions([...Object.keys(groups), ...names]);
    return suggestions.hint(text);
  };
  /** Thousands of rules may share some patterns. */
  const known = new Map<Choice, Uint8Array>();
  const setOf = (choice: Choice): Uint8Array => {
    let set = known.get(choice);
    if (!set) {
      const isChosen = testOf(choice);
      known.set(choice, (set = Uint8Array.from(names, (name, i) => Number(isChosen({ name, ifc: ifc?.[i] })))));
    }
    return set;
  };
  const ofChoice = (choice: Choice, place: string): Uint8Array => {
    const set = setOf(choice);
    if (set.includes(1) || absent.some((name) => isOfAbsent(choice, name))) return set;
    const isOfIfc = typeof choice === 'object' && 'ifc' in choice;
    const hint = isOfIfc ? ifcHint(choice, ifc) : hintOf(choiceText(choice));
    const problem = `${place}: ${quoted(choiceText(choice))} matches no object${hint}`;
    if (!onUnmatched) throw new OptionError(problem);
    onUnmatched(problem);
    return set;
  };
  const ofGroup = new Map(
    Object.entries(groups).map(([group, choices]) => {
      const sets = choices.map((choice, p) => ofChoice(choice, `groups.${group}[${p}]`));
      return [group, Uint8Array.from(names, (_, i) => Number(sets.some((set) => set[i] === 1)))] as const;
    }),
  );
  const numbers = new Map(names.map((name, i) => [name, i]));
  return (choice, place) => {
    if (typeof choice !== 'string') return { set: ofChoice(choice, place), only: null };
    const group = ofGroup.get(choice);
    const own = group || /[*?]/.test(choice) ? undefined : numbers.get(choice);
    return own === undefined ? { set: group ?? ofChoice(choice, place), only: null } : { set: null, only: own };
  };
}

/** True for objects of IFC that match all conditions of a choice. Each text is matched once. */
function matcherOf({ ifc }: IfcChoice): (facts: IfcFacts | undefined) => boolean {
  const tests = IFC_KEYS.flatMap((key) => {
    const pattern = ifc[key];
    if (pattern === undefined) return [];
    const known = new Map<unknown, boolean>();
    const test = (facts: IfcFacts): boolean => {
      const value = key === 'class' ? facts.kinds : facts[key];
      let found = known.get(value);
      if (found === undefined) known.set(value, (found = isMatch(key, pattern, facts)));
      return found;
    };
    return [test];
  });
  return (facts) => facts !== undefined && tests.every((test) => test(facts));
}

type IfcKey = (typeof IFC_KEYS)[number];

function isMatch(key: IfcKey, pattern: string, facts: IfcFacts): boolean {
  if (key === 'class') {
    // STEP only has capitals, so people write classes in any case.
    const upper = pattern.toUpperCase();
    const { own, above } = facts.kinds;
    const some = /[*?]/.test(pattern) ? own : [...own, ...above];
    return some.some((name) => matches(upper, name.toUpperCase()));
  }
  const value = facts[key];
  return typeof value === 'string' ? matches(pattern, value) : (value ?? []).some((name) => matches(pattern, name));
}

interface Named {
  name: string;
  ifc?: IfcFacts | undefined;
}

/** True for the objects of a choice that is no group. */
export function testOf(choice: Choice): (object: Named) => boolean {
  if (typeof choice === 'string') return ({ name }) => matches(choice, name);
  if ('ifc' in choice) {
    const isChosen = matcherOf(choice);
    return ({ ifc }) => isChosen(ifc);
  }
  const names = new Set(choice.names);
  return ({ name }) => names.has(name);
}

/** Rules and sides for code that has no facts of IFC: choices of IFC become names of objects. */
export function withoutIfc(
  { groups, rules, allow }: Rules,
  sides: ChosenSides | undefined,
  objects: readonly Named[],
): { rules: Rules; sides: ChosenSides | undefined } {
  const named = (choice: Choice): Choice =>
    typeof choice === 'object' && 'ifc' in choice
      ? { names: objects.filter(testOf(choice)).map(({ name }) => name) }
      : choice;
  return {
    rules: {
      groups: groups && Object.fromEntries(Object.entries(groups).map(([name, some]) => [name, some.map(named)])),
      rules: rules?.map((rule) => ({ ...rule, a: named(rule.a), b: named(rule.b) })),
      allow: allow?.map(({ a, b, ...rest }) => ({ a: named(a), ...(b !== undefined && { b: named(b) }), ...rest })),
    },
    sides: sides && { ...(sides.a && { a: sides.a.map(named) }), ...(sides.b && { b: sides.b.map(named) }) },
  };
}

/** A choice in one line, as the command line reads it: `ifc:class=IfcWall,storey=L2`. */
export function choiceText(choice: Choice): string {
  if (typeof choice === 'string') return choice;
  if ('names' in choice) return choice.names.join();
  return `ifc:${IFC_KEYS.flatMap((key) => (choice.ifc[key] === undefined ? [] : [`${key}=${choice.ifc[key]}`])).join()}`;
}

/** The end of a message: the part of a choice that matches nothing, and similar names. */
function ifcHint(choice: IfcChoice, all: AskOptions['ifc'] = []): string {
  const facts = [...new Set(all)].filter((each) => each !== undefined);
  if (facts.length === 0) return '; none is of IFC';
  for (const key of IFC_KEYS) {
    const pattern = choice.ifc[key];
    if (pattern === undefined || facts.some((each) => isMatch(key, pattern, each))) continue;
    const known = new Set(facts.flatMap((each) => (key === 'class' ? each.kinds.own : (each[key] ?? []))));
    return `: no object has such a ${key}${suggestion(pattern, known)}`;
  }
  return '; none has all of these';
}

/** True if a pattern may select an absent object, or one of its parts. */
const mayMatch = (pattern: string, absent: string): boolean =>
  matches(pattern, absent) || pattern.startsWith(`${absent}/`);
