/**
 * The hierarchy that a traversal walks: rounded boxes that grow out of a representation's own bytes
 * as they are asked for.
 *
 * A node is decoded once, in doubles, rounded outward, by the representation's `unfold`; further
 * queries find it decoded. Tried before: cursors over the raw bytes (as fast on the first query,
 * 1.3-1.7 times slower on later ones), lowering the whole tree (several times slower at first),
 * preallocating it (likewise). So it grows.
 */
import { BOX_NUMBERS } from '../geometry/rounded-box.ts';
import { FormatError } from '../math/errors.ts';

/** Where a node has not been unfolded yet: no child is node 0, the root. */
const FOLDED = 0;

/** The `node` that `unfold` is called with for the root itself. */
export const ROOT = -1;

/**
 * What `unfold` writes children to. Each call appends one child and returns the offset in `bounds`
 * where its sixteen numbers (see rounded-box.ts) are to be written; `bounds` may be another array
 * after each call.
 */
export interface NodeWriter {
  /** Nodes so far. */
  readonly size: number;
  readonly bounds: Float64Array;
  /**
   * A child that can be unfolded itself; `node` is the representation's own number for it, from 0.
   */
  branch(node: number): number;
  /**
   * A child that holds the hulls `first` to `first + count - 1`; `node` is the representation's own
   * number for it, ~first where it has none.
   */
  leaf(first: number, count: number, node?: number): number;
}

/**
 * The child of a node, of a tree whose children come after their parents. Assets are plain records,
 * and somebody may have changed one since it was checked: an error then, so that no walk goes round
 * for ever.
 *
 * @throws FormatError where the child does not come after the node
 */
export function childAfter(node: number, child: number): number {
  if (child > node) return child;
  throw new FormatError(null, `children after node ${node}`, `node ${child}`);
}

/**
 * For `unfold`: the tree has no more nodes than its asset has, unless somebody has changed that and
 * a node is met twice.
 *
 * @throws FormatError where it has more than `most`
 */
export function requireNodes({ size }: NodeWriter, most: number): void {
  if (size > most) throw new FormatError(null, `every one of ${most} nodes once`, 'one of them twice');
}

/**
 * For descents over two trees: every pair of nodes is met once at most, unless somebody has changed
 * one of the trees.
 *
 * @throws FormatError where more pairs were met than there are
 */
export function requirePairs(met: number, nodesA: number, nodesB: number): void {
  if (met > nodesA * nodesB) throw new FormatError(null, 'trees as they were read, every node once', 'nodes met again');
}

/** Nodes that a tree has room for at first: of thousands of small assets only the roots are asked. */
const FIRST_ROOM = 8;

/** A grown tree. Nodes are numbered in the order they grew; siblings are adjacent. */
export class BoundTree implements NodeWriter {
  size = 0;
  bounds = new Float64Array(FIRST_ROOM * BOX_NUMBERS);
  /** FOLDED, the first child, or ~(first hull) of a leaf. */
  link = new Int32Array(FIRST_ROOM);
  /** Children, which may be none, or hulls of a leaf; 0 while folded. */
  count = new Int32Array(FIRST_ROOM);
  /** The representation's own number of a node. */
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

  /**
   * The first child of a branch, unfolded now if it was not before; where `count` is then 0 there
   * are none, and no such node.
   */
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
