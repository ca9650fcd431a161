/** The outcome of a search: contacts up to the query's limit, cut or open parts, the verdict. */
import { LITTLE_ENDIAN } from '../math/byte-order.ts';
import type { ContactPair, Outcome, Query } from './report.ts';

const HIGH_WORD = LITTLE_ENDIAN ? 1 : 0;

const NONE = new BigUint64Array(0);
const NO_WORDS = new Uint32Array(0);

export interface Walk {
  /** Deepest level of either hierarchy, pairs of bounds, pairs of leaf primitives. */
  level: number;
  bounds: number;
  hulls: number;
  /** True if something was left open: below the level, or too near to tell. */
  isUndecided?: boolean;
}

/** Contacts as 64-bit keys, a above b: sorting needs no comparator, a single one no arrays. */
export class ContactList {
  private keys = NONE;
  private words = NO_WORDS;
  private firstA = 0;
  private firstB = 0;
  private isCut = false;
  count = 0;

  constructor(private readonly query: Pick<Query, 'all' | 'maxContacts' | 'onContact'>) {}

  /** Adds a contact, or finds the list full; true if the search goes on. */
  add(a: number, b: number): boolean {
    const { all, maxContacts, onContact } = this.query;
    if (this.count === maxContacts) {
      this.isCut = true;
      return false;
    }
    if (this.count === 0) {
      this.firstA = a;
      this.firstB = b;
    } else {
      if (this.count === 1) this.write(0, this.firstA, this.firstB);
      this.write(this.count, a, b);
    }
    this.count++;
    this.isCut = onContact?.(a, b) === false;
    return all && !this.isCut;
  }

  private write(i: number, a: number, b: number): void {
    if (i === this.keys.length) {
      const bigger = new BigUint64Array(Math.max(16, 2 * i));
      bigger.set(this.keys);
      this.keys = bigger;
      this.words = new Uint32Array(bigger.buffer);
    }
    this.words[2 * i + HIGH_WORD] = a;
    this.words[2 * i + 1 - HIGH_WORD] = b;
  }

  outcome({ level, bounds, hulls, isUndecided = false }: Walk): Outcome {
    const { count } = this;
    return {
      verdict: count > 0 ? 'contact' : isUndecided ? 'undecided' : 'clear',
      contacts: {
        count,
        complete: !this.isCut && !isUndecided && (this.query.all || count === 0),
        pairs: this.sorted(),
      },
      level,
      tests: { bounds, hulls },
    };
  }

  private sorted(): ContactPair[] {
    if (this.count === 0) return [];
    if (this.count === 1) return [[this.firstA, this.firstB]];
    this.keys.subarray(0, this.count).sort();
    return Array.from({ length: this.count }, (_, i) => [
      this.words[2 * i + HIGH_WORD],
      this.words[2 * i + 1 - HIGH_WORD],
    ]);
  }
}

/** Steps of a search, some 100 ns each, between two looks at the clock. */
const STEPS_A_LOOK = 256;

export const isLate = (deadline: number | undefined, steps: number): boolean =>
  deadline !== undefined && steps % STEPS_A_LOOK === 0 && performance.now() >= deadline;
