/**
 * A direction along which two surfaces are apart: it answers for all hulls below two nodes at once.
 *
 * Where thousands of triangles share the nearest point of one surface, as in a fan, and thousands
 * that of the other, all pairs of them are equally far apart. No box tells that from nearer, so a
 * search measures every pair. But nearest points p and q of two convex sets part them: the one lies
 * beyond the plane through p across p - q, the other behind the plane through q. If that holds for
 * every hull below two nodes, none of their pairs is nearer, and one look at each hull finds it
 * out.
 *
 * Rounding. e = 2^-53, c = x - p as computed for a vertex x, T = sum |n_k c_k|. The computed n.c is
 * off by at most (1 + 3) e T: the difference, then a product and two sums. 6 e T are taken off, and
 * LEAST for underflow, since the largest |n_k| is 1. A sum, |n| and a quotient cost 5 e: times 1 -
 * 8 e.
 */
import type { BoundTree } from './bound-tree.ts';
import type { LeafSide } from './narrow-phase.ts';

const E = 2 ** -53;
const LEAST = 2 ** -1000;
/** What is said of nodes whose hulls were not all looked at. */
const UNKNOWN = Number.NEGATIVE_INFINITY;
/** Levels below a node that are looked into. */
const DEEPEST = 256;

interface Side {
  hulls: LeafSide;
  tree: BoundTree;
  /** 1 where the hulls lie along the normal, -1 where against it. */
  sign: number;
  /**
   * By node: how far along its own side all hulls below it lie, at least; good where `known` is the
   * plane's turn.
   */
  least: Float64Array;
  known: Int32Array;
}

export class WitnessPlane {
  private readonly sideA: Side;
  private readonly sideB: Side;
  private readonly normal = new Float64Array(3);
  private readonly origin = new Float64Array(3);
  private length = 0;
  private turn = 0;
  /** Hulls that may still be looked at. */
  private credit = 0;

  constructor(a: LeafSide & { tree: BoundTree }, b: LeafSide & { tree: BoundTree }) {
    this.sideA = sideOf(a, 1);
    this.sideB = sideOf(b, -1);
  }

  /**
   * Turns the plane to two points of the common frame, about the nearest of a and of b.
   *
   * @param credit how many hulls may be looked at until the next turn
   */
  aim(onA: Float64Array, onB: Float64Array, credit: number): void {
    const { normal, origin } = this;
    let largest = 0;
    for (let k = 0; k < 3; k++) {
      origin[k] = onA[k];
      normal[k] = onA[k] - onB[k];
      largest = Math.max(largest, Math.abs(normal[k]));
    }
    // Points that are one leave NaN, which is more than nothing and parts no pair.
    for (let k = 0; k < 3; k++) normal[k] /= largest;
    this.length = Math.hypot(normal[0], normal[1], normal[2]);
    this.turn++;
    this.credit = credit;
  }

  /**
   * No more than the distance of any hull below node i of a to any below node j of b; UNKNOWN or
   * NaN where nothing is known.
   */
  gap(i: number, j: number): number {
    if (this.turn === 0) return UNKNOWN;
    const least = this.leastOf(this.sideA, i, 0);
    if (least === UNKNOWN) return UNKNOWN;
    return ((least + this.leastOf(this.sideB, j, 0)) / this.length) * (1 - 8 * E);
  }

  private leastOf(side: Side, node: number, depth: number): number {
    if (node >= side.least.length) growTo(side, Math.max(side.tree.link.length, node + 1));
    if (side.known[node] === this.turn) return side.least[node];
    if (this.credit <= 0 || depth === DEEPEST) return UNKNOWN;
    const { tree } = side;
    const isLeaf = tree.isLeaf(node);
    const first = isLeaf ? ~tree.link[node] : tree.firstChild(node);
    let least = Number.POSITIVE_INFINITY;
    for (let k = first; k < first + tree.count[node]; k++) {
      const below = isLeaf ? this.leastOfHull(side, k) : this.leastOf(side, k, depth + 1);
      if (below === UNKNOWN) return UNKNOWN;
      least = Math.min(least, below);
    }
    side.least[node] = least;
    side.known[node] = this.turn;
    return least;
  }

  private leastOfHull({ hulls, sign }: Side, id: number): number {
    const { normal, origin } = this;
    const { points, count } = hulls.load(id);
    let least = Number.POSITIVE_INFINITY;
    for (let k = 0; k < 3 * count; k += 3) {
      const x = normal[0] * (points[k] - origin[0]);
      const y = normal[1] * (points[k + 1] - origin[1]);
      const z = normal[2] * (points[k + 2] - origin[2]);
      const error = 6 * E * (Math.abs(x) + Math.abs(y) + Math.abs(z)) + LEAST;
      least = Math.min(least, sign * (x + y + z) - error);
    }
    this.credit--;
    return least;
  }
}

function sideOf(hulls: LeafSide & { tree: BoundTree }, sign: number): Side {
  return { hulls, tree: hulls.tree, sign, least: new Float64Array(0), known: new Int32Array(0) };
}

/** Room for more nodes. */
function growTo(side: Side, nodes: number): void {
  const least = new Float64Array(nodes);
  const known = new Int32Array(nodes);
  least.set(side.least);
  known.set(side.known);
  side.least = least;
  side.known = known;
}
