/**
 * Which pairs of a scene are asked about, and what: rules, allowances, groups of names.
 *
 * Objects that are in the same groups of every rule are of one sort; what is asked about two depends
 * on their sorts alone. There are few sorts, so pairs are counted, and asks found, by these.
 */
import { OptionError } from '../math/errors.ts';
import { requireClearance } from '../pair/options.ts';
import { quoted } from '../readers/json-messages.ts';
import { matches, suggestion } from './names.ts';

/** What is asked of every pair of one of `a` and one of `b`; each a group's name, or a pattern. */
export interface Rule {
  id: string;
  a: string;
  b: string;
  /** Also what is closer than this, or as close; that of the scene unless given. */
  clearance?: number | undefined;
}

/** Pairs that may touch; without `b`, `a` with anything. */
export interface Allowance {
  a: string;
  b?: string | undefined;
  reason?: string | undefined;
}

export interface Rules {
  /** Names of groups, and the patterns of their objects' names: `*` any letters, `?` one. */
  groups?: Readonly<Record<string, readonly string[]>> | undefined;
  /** With none, every pair is asked whether it touches. */
  rules?: readonly Rule[] | undefined;
  allow?: readonly Allowance[] | undefined;
}

/** One question about a pair. */
export interface Ask {
  rule: string | null;
  clearance: number;
}

export interface Asked {
  /** What is asked of objects i and j; an allowed pair is asked nothing. */
  asks(i: number, j: number): readonly Ask[];
  /** How many pairs are asked about, and how many more are allowed. */
  pairs: number;
  allowed: number;
  /** The largest clearance of all asks. */
  widest: number;
}

export interface AskOptions {
  rules?: Rules;
  clearance?: number;
  against?: ReadonlySet<string>;
  absent?: readonly string[];
  onUnmatched?: (problem: string) => void;
}

const NOTHING: readonly Ask[] = [];

/**
 * What is asked about the pairs of objects of these names.
 *
 * @throws OptionError for a pattern that no name has, a rule or an allowance that no pair is of, a
 *   rule's id that comes twice
 */
export function asksOf(names: readonly string[], options: AskOptions): Asked {
  const { groups = {}, rules = [], allow = [] } = options.rules ?? {};
  const clearance = options.clearance ?? 0;
  const selector = selectorOf(names, groups, options);
  const ids = new Set<string>();
  const ruleSets = rules.map((rule, r) => {
    const place = `rules[${r}]`;
    if (ids.has(rule.id)) throw new OptionError(`${place}.id: ${quoted(rule.id)} comes twice`);
    ids.add(rule.id);
    const own = requireClearance(rule.clearance ?? clearance);
    return {
      a: selector(rule.a, `${place}.a`),
      b: selector(rule.b, `${place}.b`),
      ask: { rule: rule.id, clearance: own },
    };
  });
  const allowSets = allow.map(({ a, b = '*' }, r) => ({
    a: selector(a, `allow[${r}].a`),
    b: selector(b, `allow[${r}].b`),
  }));
  const against = options.against && Uint8Array.from(names, (name) => Number(options.against!.has(name)));

  const columns = [...ruleSets, ...allowSets].flatMap(({ a, b }) => [a, b]);
  if (against) columns.push(against);
  const sorts = sortsOf(names.length, columns);
  const plain: Ask[] = [{ rule: null, clearance }];
  const askOfSorts = (p: number, q: number): { asks: readonly Ask[]; isAllowed: boolean } => {
    const [i, j] = [sorts.first[p], sorts.first[q]];
    const isOf = ({ a, b }: { a: Uint8Array; b: Uint8Array }) => Boolean((a[i] && b[j]) || (a[j] && b[i]));
    if (against && against[i] === against[j]) return { asks: NOTHING, isAllowed: false };
    const asks = rules.length === 0 ? plain : ruleSets.filter(isOf).map(({ ask }) => ask);
    const isAllowed = asks.length > 0 && allowSets.some(isOf);
    return { asks: isAllowed ? NOTHING : asks, isAllowed };
  };
  const { count } = sorts;
  const table = Array.from({ length: count * count }, (_, k) => askOfSorts(Math.floor(k / count), k % count));
  const pairsOfSorts = (p: number, q: number): number =>
    p === q ? (sorts.size[p] * (sorts.size[p] - 1)) / 2 : sorts.size[p] * sorts.size[q];
  const asked: Asked = {
    asks: (i, j) => table[sorts.of[i] * count + sorts.of[j]].asks,
    ...{ pairs: 0, allowed: 0, widest: 0 },
  };
  for (let p = 0; p < count; p++) {
    for (let q = p; q < count; q++) {
      const { asks, isAllowed } = table[p * count + q];
      if (asks.length > 0) asked.pairs += pairsOfSorts(p, q);
      if (isAllowed) asked.allowed += pairsOfSorts(p, q);
      for (const ask of asks) asked.widest = Math.max(asked.widest, ask.clearance);
    }
  }
  const hasPair = ({ a, b }: { a: Uint8Array; b: Uint8Array }): boolean => {
    // Of one object alone no pair can be made.
    const sum = (set: Uint8Array): number => set.reduce((total, x) => total + x, 0);
    const only = a.indexOf(1);
    return !(sum(a) === 1 && sum(b) === 1 && b[only] === 1);
  };
  const requirePairs = (sets: { a: Uint8Array; b: Uint8Array }[], place: string): void => {
    const r = sets.findIndex((set) => !hasPair(set));
    if (r >= 0) throw new OptionError(`${place}[${r}]: a and b are one object, which makes no pair`);
  };
  requirePairs(ruleSets, 'rules');
  requirePairs(allowSets, 'allow');
  return asked;
}

/** Which objects a group or a pattern stands for: a 1 each. */
function selectorOf(
  names: readonly string[],
  groups: Readonly<Record<string, readonly string[]>>,
  { absent = [], onUnmatched }: AskOptions,
): (text: string, place: string) => Uint8Array {
  const ofPattern = (pattern: string, place: string): Uint8Array => {
    const set = Uint8Array.from(names, (name) => Number(matches(pattern, name)));
    if (set.includes(1) || absent.some((name) => matches(pattern, name))) return set;
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
  return (text, place) => ofGroup.get(text) ?? ofPattern(text, place);
}

interface Sorts {
  count: number;
  /** The sort of each object. */
  of: Uint32Array;
  /** Of each sort, its first object and how many it has. */
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
