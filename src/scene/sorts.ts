/**
 * Sorts of objects: objects of one sort are on the same sides of every rule.
 *
 * There are few sorts, so rules are looked up for two sorts, with a bit for each rule.
 */

/** The objects on one side of a rule. */
export interface Side {
  /** 1 for each object; or null if `only` is the single one. */
  set: Uint8Array | null;
  only: number | null;
}

export interface Sides {
  a: Side;
  b: Side;
}

const has = ({ set, only }: Side, i: number): boolean => (set ? set[i] === 1 : only === i);

export const isOf = ({ a, b }: Sides, i: number, j: number): boolean =>
  (has(a, i) && has(b, j)) || (has(a, j) && has(b, i));

export function unionOf(sides: readonly Side[], objects: number): Side {
  const set = new Uint8Array(objects);
  for (const side of sides) for (let i = 0; i < objects; i++) if (has(side, i)) set[i] = 1;
  return { set, only: null };
}

export class Sorts {
  /** The sort of each object. */
  readonly of: Uint32Array;
  /** The first object of each sort, and the number of its objects. */
  readonly first: number[] = [];
  readonly size: number[] = [];

  constructor(objects: number, sides: readonly Side[]) {
    this.of = new Uint32Array(objects);
    if (objects === 0) return;
    this.first.push(0);
    this.size.push(objects);
    const sets = new Set(sides.flatMap(({ set }) => (set ? [set] : [])));
    for (const set of sets) this.split(set);
    for (const only of new Set(sides.flatMap(({ only }) => (only === null ? [] : [only])))) this.single(only);
  }

  get count(): number {
    return this.first.length;
  }

  /** Parts each sort into its objects in the set and the others. */
  private split(set: Uint8Array): void {
    const parts = new Map<number, number>();
    const { of, first, size } = this;
    for (const [i, sort] of of.entries()) {
      if (set[i] === set[first[sort]]) continue;
      let part = parts.get(sort);
      if (part === undefined) {
        parts.set(sort, (part = first.length));
        first.push(i);
        size.push(0);
      }
      of[i] = part;
      size[part]++;
      size[sort]--;
    }
  }

  /** Gives an object a sort of its own. */
  private single(i: number): void {
    const { of, first, size } = this;
    const sort = of[i];
    if (size[sort] === 1) return;
    of[i] = first.length;
    first.push(i);
    size.push(1);
    size[sort]--;
    if (first[sort] === i) first[sort] = of.indexOf(sort);
  }

  /** Visits each two sorts that have pairs, with the number of these. */
  forPairs(visit: (p: number, q: number, pairs: number) => void): void {
    const { count, size } = this;
    for (let p = 0; p < count; p++) {
      for (let q = p; q < count; q++) {
        const pairs = p === q ? (size[p] * (size[p] - 1)) / 2 : size[p] * size[q];
        if (pairs > 0) visit(p, q, pairs);
      }
    }
  }
}

const BITS = 32;

/** Finds the rules of two sorts. */
export class SidesOfSorts {
  private readonly words: number;
  /** A bit for each rule, in the same number of words for each sort. */
  private readonly a: Uint32Array;
  private readonly b: Uint32Array;

  constructor(rules: readonly Sides[], { first, count }: Sorts) {
    this.words = Math.ceil(rules.length / BITS);
    this.a = new Uint32Array(this.words * count);
    this.b = new Uint32Array(this.words * count);
    for (const [r, { a, b }] of rules.entries()) {
      for (let sort = 0; sort < count; sort++) {
        const word = sort * this.words + Math.floor(r / BITS);
        if (has(a, first[sort])) this.a[word] |= 1 << (r % BITS);
        if (has(b, first[sort])) this.b[word] |= 1 << (r % BITS);
      }
    }
  }

  /** The numbers of the rules whose sides have the two sorts, ascending. */
  find(p: number, q: number): number[] {
    const { a, b, words } = this;
    const found: number[] = [];
    for (let word = 0; word < words; word++) {
      const [atP, atQ] = [p * words + word, q * words + word];
      let bits = (a[atP] & b[atQ]) | (a[atQ] & b[atP]);
      while (bits !== 0) {
        const bit = 31 - Math.clz32(bits & -bits);
        found.push(word * BITS + bit);
        bits &= bits - 1;
      }
    }
    return found;
  }
}
