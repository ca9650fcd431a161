/**
 * A direction along which two surfaces are apart: it answers for all hulls below two nodes at once.
 *
 * If thousands of triangles share the nearest point of one surface, as in a fan, and thousands that
 * of the other, all pairs are equally far apart. No box distinguishes these distances from smaller
 * ones, so a search measures every pair. But nearest points p and q of two convex sets separate
 * them: the one lies beyond the plane through p across p - q, the other behind the plane through q.
 * If that holds for every hull below two nodes, none of their pairs is nearer, and each side was
 * examined by itself: a sum of hulls instead of a product. Branch and bound finds the reach of the
 * hulls below a node.
 *
 * Rounding. e = 2^-53, c = x - p as computed for a vertex x, T = sum |n_k c_k|. The computed n.c is
 * off by at most (1 + 3) e T: the difference, then a product and two sums. 6 e T are subtracted,
 * and LEAST for underflow, since the largest |n_k| is 1. A sum, |n| and a quotient cost 5 e: times
 * 1 - 8 e. A node's bound is in its own frame:
 *   n . (M y + t - p) = (M^T n) . y + n . (t - p)
 * That is computed with fewer than 100 roundings of terms no larger than 2 |n| times the sum S of
 * the reach, |t| and |p|; 2^-45 |n| S and a moved vertex's error are subtracted.
 */
import { BOX_NUMBERS } from '../geometry/rounded-box.ts';
import { moveErrorBound, type Pose } from '../math/pose.ts';
import type { BoundTree } from './bound-tree.ts';
import type { LeafSide } from './leaves.ts';

const E = 2 ** -53;
const LEAST = 2 ** -1000;
/** Result for nodes whose hulls were not all examined. */
const UNKNOWN = Number.NEGATIVE_INFINITY;
const DEEPEST = 256;

interface PlaneSide extends LeafSide {
  tree: BoundTree;
  /** Bound of the distance of any vertex or bound from its own origin. */
  reach: number;
}

interface Side {
  hulls: LeafSide;
  tree: BoundTree;
  reach: number;
  pose: Pose;
  /** 1 if the hulls lie along the normal, -1 if against it. */
  sign: number;
  /** M^T n and its length, n . (t - p), and the bounds' rounding. */
  own: Float64Array;
  size: number;
  offset: number;
  error: number;
  /** By node: lower bound of all hulls below along its side; valid if `known` is this turn. */
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
  private credit = 0;

  constructor(a: PlaneSide, b: PlaneSide, { poseA, poseB }: { poseA: Pose; poseB: Pose }) {
    this.sideA = sideOf(a, poseA, 1);
    this.sideB = sideOf(b, poseB, -1);
  }

  /**
   * Turns the plane to two points of the common frame, about the nearest of a and of b.
   *
   * @param credit nodes and hulls that may be examined until the next turn
   */
  aim(onA: Float64Array, onB: Float64Array, credit: number): void {
    const { normal, origin } = this;
    let largest = 0;
    for (let k = 0; k < 3; k++) {
      origin[k] = onA[k];
      normal[k] = onA[k] - onB[k];
      largest = Math.max(largest, Math.abs(normal[k]));
    }
    // Equal points leave NaN, which is more than nothing and separates no pair.
    for (let k = 0; k < 3; k++) normal[k] /= largest;
    this.length = Math.hypot(normal[0], normal[1], normal[2]);
    this.turn++;
    this.credit = credit;
    this.place(this.sideA);
    this.place(this.sideB);
  }

  private place(side: Side): void {
    const { normal: n, origin: p } = this;
    const { pose, own, reach } = side;
    let sizes = reach;
    side.offset = 0;
    for (let k = 0; k < 3; k++) {
      own[k] = n[0] * pose[k] + n[1] * pose[4 + k] + n[2] * pose[8 + k];
      side.offset += n[k] * (pose[4 * k + 3] - p[k]);
      sizes += Math.abs(pose[4 * k + 3]) + Math.abs(p[k]);
    }
    side.size = Math.sqrt(own[0] * own[0] + own[1] * own[1] + own[2] * own[2]) * (1 + 2 ** -40);
    side.error = this.length * (moveErrorBound(pose, reach) + 2 ** -45 * sizes) + LEAST;
  }

  /** Lower bound of the distance of hulls below i of a and below j of b; UNKNOWN or NaN if none. */
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
    let least = Number.POSITIVE_INFINITY;
    this.credit--;
    if (!tree.isLeaf(node)) least = this.leastOfChildren(side, node, depth);
    else {
      const first = ~tree.link[node];
      for (let k = first; k < first + tree.count[node]; k++) least = Math.min(least, this.leastOfHull(side, k));
    }
    if (least === UNKNOWN) return UNKNOWN;
    side.least[node] = least;
    side.known[node] = this.turn;
    return least;
  }

  /** The child that reaches farthest comes first; the others seldom reach as far. */
  private leastOfChildren(side: Side, node: number, depth: number): number {
    const { tree } = side;
    const first = tree.firstChild(node);
    const end = first + tree.count[node];
    let least = Number.POSITIVE_INFINITY;
    let lastBound = Number.NEGATIVE_INFINITY;
    let last = -1;
    for (let done = first; done < end; done++) {
      // The next in the order of bounds, or of numbers if these are equal.
      let next = -1;
      let nextBound = Number.POSITIVE_INFINITY;
      for (let child = first; child < end; child++) {
        const bound = this.boundOf(side, child);
        const isNext = bound > lastBound || (bound === lastBound && child > last);
        if (!isNext || (next >= 0 && bound >= nextBound)) continue;
        next = child;
        nextBound = bound;
      }
      if (next < 0) return UNKNOWN;
      if (nextBound >= least) return Math.min(least, nextBound);
      const below = this.leastOf(side, next, depth + 1);
      if (below === UNKNOWN) return UNKNOWN;
      least = Math.min(least, below);
      last = next;
      lastBound = nextBound;
    }
    return least;
  }

  private boundOf({ tree, own, offset, sign, error, size }: Side, node: number): number {
    const box = tree.bounds;
    const at = BOX_NUMBERS * node;
    let reach = box[at + 3] * size;
    for (let k = at + 4; k < at + 16; k += 4) {
      reach += box[k + 3] * Math.abs(own[0] * box[k] + own[1] * box[k + 1] + own[2] * box[k + 2]);
    }
    const along = own[0] * box[at] + own[1] * box[at + 1] + own[2] * box[at + 2] + offset;
    return sign * along - reach - error;
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

function sideOf(hulls: PlaneSide, pose: Pose, sign: number): Side {
  const { tree, reach } = hulls;
  const unaimed = { own: new Float64Array(3), size: 0, offset: 0, error: 0 };
  return { hulls, tree, reach, pose, sign, ...unaimed, least: new Float64Array(0), known: new Int32Array(0) };
}

function growTo(side: Side, nodes: number): void {
  const least = new Float64Array(nodes);
  const known = new Int32Array(nodes);
  least.set(side.least);
  known.set(side.known);
  side.least = least;
  side.known = known;
}
