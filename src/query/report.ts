/** What a check is asked and what it answers: the records that scripts and the library share. */
import type { Pose } from '../math/pose.ts';

export type Verdict = 'clear' | 'contact' | 'undecided';

export interface Query {
  /** Where each asset stands in the common frame. */
  poseA: Pose;
  poseB: Pose;
  /** Look for every contact, not only the first. */
  all: boolean;
  /** The most contacts to list; the search ends when one more is found. */
  maxContacts: number;
  /** Descend no deeper than this level of the hierarchies. */
  level: number | null;
  /** How many axes a pair of k-DOPs is tested on at most; null: all faces of both. */
  axes?: number | null;
}

/** Numbers of touching primitives: of a, of b. */
export type ContactPair = [number, number];

export interface Contacts {
  /** How many are listed. */
  count: number;
  /** Whether every contact was looked for and listed. */
  complete: boolean;
  /** Sorted by the number in a, then in b. */
  pairs: ContactPair[];
}

/** The answer of a traversal. */
export interface Outcome {
  verdict: Verdict;
  contacts: Contacts;
  /** Deepest level of either hierarchy that was reached. */
  level: number;
  /** Pairs of bounding volumes and pairs of leaf primitives that were tested. */
  tests: { bounds: number; hulls: number };
}

/**
 * Two lengths in model units: how far a point of the source may lie from the stored surface, and a stored point from the
 * source. Null where they were not computed.
 */
export type Tolerance = { missing: number; excess: number } | null;

/** The whole report, as `check --json` prints it. */
export interface Report extends Outcome {
  a: { file: string | null; representation: string };
  b: { file: string | null; representation: string };
  path: 'native' | 'common';
  tolerance: Tolerance;
  distance: null;
  witness: null;
  ms: { load: number; query: number };
}

const LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;
const HIGH_WORD = LITTLE_ENDIAN ? 1 : 0;

const NONE = new BigUint64Array(0);
const NO_WORDS = new Uint32Array(0);

/** Collects contact pairs as 64-bit keys, a above b, so that sorting millions of them takes no comparator. */
export class ContactList {
  private keys = NONE;
  private words = NO_WORDS;
  count = 0;

  add(a: number, b: number): void {
    if (this.count === this.keys.length) {
      const bigger = new BigUint64Array(Math.max(16, 2 * this.count));
      bigger.set(this.keys);
      this.keys = bigger;
      this.words = new Uint32Array(bigger.buffer);
    }
    this.words[2 * this.count + HIGH_WORD] = a;
    this.words[2 * this.count + 1 - HIGH_WORD] = b;
    this.count++;
  }

  /** The pairs, sorted by a, then by b. */
  sorted(): ContactPair[] {
    if (this.count === 0) return [];
    this.keys.subarray(0, this.count).sort();
    return Array.from({ length: this.count }, (_, i) => [
      this.words[2 * i + HIGH_WORD],
      this.words[2 * i + 1 - HIGH_WORD],
    ]);
  }
}
