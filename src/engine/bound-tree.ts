/**
 * The hierarchy that a traversal walks: rounded boxes made from a representation's own bytes on
 * first use. Also a heap of pairs of its nodes.
 *
 * The representation's `unfold` decodes a node once, in doubles, rounded outward. Roads not taken:
 * cursors over the raw bytes (as fast on the first query, 1.3-1.7 times slower on later ones),
 * lowering or preallocating the whole tree (several times slower at first).
 */
import { FormatError } from '../base/errors.ts';
import { BOX_NUMBERS } from '../geometry/rounded-box.ts';

/** `link` of a node not unfolded yet: no child is node 0, the root. */
const FOLDED = 0;

/** The root itself, as an argument of `unfold`. */
export const ROOT = -1;

/**
 * Receives children from `unfold`. Each call appends one and returns the offset in `bounds` for its
 * sixteen numbers (see rounded-box.ts); `bounds` may be another array after each call.
 */
export interface NodeWriter {
  readonly size: number;
  readonly bounds: Float64Array;
  /** A child that can be unfolded; `node` is the representation's own number for it, from 0. */
  branch(node: number): number;
  /** A leaf with hulls `first` to `first + count - 1`; `node` as above, ~first if it has none. */
  leaf(first: number, count: number, node?: number): number;
}

/** @throws FormatError unless the child comes after the node, which prevents endless walks */
export function childAfter(node: number, child: number): number {
  if (child > node) return child;
  throw new FormatError(null, `children after node ${node}`, `node ${child}`);
}

/** @throws FormatError for more than `most` nodes: a changed asset repeats one */
export function requireNodes({ size }: NodeWriter, most: number): void {
  if (size > most) throw new FormatError(null, `every one of ${most} nodes once`, 'one of them twice');
}

/** @throws FormatError if more pairs are met than exist: a tree has changed */
export function requirePairs(met: number, nodesA: number, nodesB: number): void {
  if (met > nodesA * nodesB) throw new FormatError(null, 'trees as they were read, every node once', 'nodes met again');
}

/** Initial room for nodes: queries look only at the roots of thousands of small assets. */
const FIRST_ROOM = 8;

/** Nodes are numbered in the order they grew; siblings are adjacent. */
export class BoundTree implements NodeWriter {
  size = 0;
  bounds = new Float64Array(FIRST_ROOM * BOX_NUMBERS);
  /** FOLDED, the first child, or ~(first hull) of a leaf. */
  link = new Int32Array(FIRST_ROOM);
  /** The number of children, perhaps 0, or of a leaf's hulls; 0 while folded. */
  count = new Int32Array(FIRST_ROOM);
  own = new Int32Array(FIRST_ROOM);
  level = new Int32Array(FIRST_ROOM);
  private levelOfChildren = 0;

  constructor(private readonly unfold: (node: number, into: NodeWriter) => void) {
    unfold(ROOT, this);
    if (this.size !== 1) throw new Error(`a tree has one root, this one ${this.size}`);
  }

  branch(node: number): number {
    const i = this.append();
    this.link[i] = FOLDED;
    this.own[i] = node;
    return BOX_NUMBERS * i;
  }

  leaf(first: number, count: number, node = ~first): number {
    const i = this.append();
    this.own[i] = node;
    this.link[i] = ~first;
    this.count[i] = count;
    return BOX_NUMBERS * i;
  }

  isLeaf(i: number): boolean {
    return this.link[i] < 0;
  }

  /** Unfolds a branch if needed; returns its first child, invalid if `count` is then 0. */
  firstChild(i: number): number {
    if (this.link[i] === FOLDED) {
      const first = this.size;
      this.levelOfChildren = this.level[i] + 1;
      this.unfold(this.own[i], this);
      this.link[i] = first;
      this.count[i] = this.size - first;
    }
    return this.link[i];
  }

  private append(): number {
    if (this.size === this.link.length) this.grow();
    this.level[this.size] = this.levelOfChildren;
    return this.size++;
  }

  private grow(): void {
    const twice = <T extends Float64Array | Int32Array>(old: T, bigger: T): T => {
      bigger.set(old);
      return bigger;
    };
    this.bounds = twice(this.bounds, new Float64Array(2 * this.bounds.length));
    this.link = twice(this.link, new Int32Array(2 * this.link.length));
    this.count = twice(this.count, new Int32Array(2 * this.count.length));
    this.own = twice(this.own, new Int32Array(2 * this.own.length));
    this.level = twice(this.level, new Int32Array(2 * this.level.length));
  }
}

/**
 * A binary heap of pairs of nodes by a number, the least on top, in arrays that grow.
 *
 * Each pair has a note for its next step.
 */
export class PairHeap {
  size = 0;
  /** The last popped pair, its number and its note. */
  i = 0;
  j = 0;
  key = 0;
  note = 0;
  private keys = new Float64Array(256);
  private rest = new Int32Array(3 * 256);

  get least(): number {
    return this.keys[0];
  }

  push(key: number, i: number, j: number, note = 0): void {
    if (this.size === this.keys.length) this.grow();
    let at = this.size++;
    const { keys, rest } = this;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (keys[parent] <= key) break;
      keys[at] = keys[parent];
      rest[3 * at] = rest[3 * parent];
      rest[3 * at + 1] = rest[3 * parent + 1];
      rest[3 * at + 2] = rest[3 * parent + 2];
      at = parent;
    }
    keys[at] = key;
    rest[3 * at] = i;
    rest[3 * at + 1] = j;
    rest[3 * at + 2] = note;
  }

  pop(): void {
    const { keys, rest } = this;
    this.key = keys[0];
    this.i = rest[0];
    this.j = rest[1];
    this.note = rest[2];
    const last = --this.size;
    const key = keys[last];
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= last) break;
      if (child + 1 < last && keys[child + 1] < keys[child]) child++;
      if (keys[child] >= key) break;
      keys[at] = keys[child];
      rest[3 * at] = rest[3 * child];
      rest[3 * at + 1] = rest[3 * child + 1];
      rest[3 * at + 2] = rest[3 * child + 2];
      at = child;
    }
    keys[at] = key;
    rest[3 * at] = rest[3 * last];
    rest[3 * at + 1] = rest[3 * last + 1];
    rest[3 * at + 2] = rest[3 * last + 2];
  }

  private grow(): void {
    const keys = new Float64Array(2 * this.keys.length);
    keys.set(this.keys);
    this.keys = keys;
    const rest = new Int32Array(2 * this.rest.length);
    rest.set(this.rest);
    this.rest = rest;
  }
}
