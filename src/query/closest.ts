/**
 * How far apart are two surfaces? One best-first descent for distance, clearance and answers within a time.
 *
 * Pairs of bounds wait in a heap, the one that may be nearest on top (G. Hjaltason, H. Samet, "Distance Browsing in Spatial Databases", ACM TODS
 * 24, 1999; E. Larsen et al., "Fast Proximity Queries with Swept Sphere Volumes", 1999). At any time all that was not looked into is in the
 * heap, so the least lower bound there and the nearest hulls found so far bracket the distance: stopping early is always an answer.
 *
 * Order. Pairs that may overlap come before those that are apart, the deepest first in terms of their own size: small boxes deep in each
 * other are likely to hold a contact. A best-first search reaches hulls late; so the 1st, 2nd, 4th, 8th, ... pair that is taken from the heap
 * is followed straight down, always to the nearer child, to one pair of hulls, which brings the upper bound down early.
 *
 * Bounds are compared in a's model frame, hulls in the common one; relative-pose.ts says what a length in one is in the other.
 */
import type { DistanceBracket } from '../geometry/distance-bracket.ts';
import { BOX_NUMBERS, moveBox, reachOfBox, separation } from '../geometry/rounded-box.ts';
import type { BoundTree } from './bound-tree.ts';
import { hullDistanceTo } from './narrow-phase.ts';
import { PairHeap } from './pair-heap.ts';
import { type RelativePose, relativePose } from './relative-pose.ts';
import type { Query } from './report.ts';
import type { Operand } from './traverse.ts';

/** When a search has found enough. */
export interface Goal {
  /** Whether the distance itself is asked for; otherwise it is enough to know on which side of `clearance` it is. */
  distance: boolean;
  clearance: number;
  /** `performance.now()` when the search must end; Infinity for none. */
  deadline: number;
}

export interface Nearest {
  /** lower <= distance <= upper; both 0 when the surfaces share a point. */
  lower: number;
  upper: number;
  /** Upper bound of the distance of the nearest hulls that were found; that of the bounds, `upper`, may be less. */
  measured: number;
  /** Those hulls, -1 and -1 if none were found, and their nearest points in the common frame. */
  a: number;
  b: number;
  onA: Float64Array;
  onB: Float64Array;
  /** Whether it is proved that no point is shared: exactly, where `lower` may be 0 by rounding. */
  isApart: boolean;
  /** Whether the search ended by itself, not by its deadline or level. */
  isComplete: boolean;
  level: number;
  tests: { bounds: number; hulls: number };
}

/** The clock is read once in so many steps, which take a few microseconds each; the first, of code that is not compiled yet, take more. */
const STEPS_A_LOOK = 16;
const FIRST_STEPS = 128;

const mapped = new Float64Array(BOX_NUMBERS);
const bracket: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };

/** The distance of the two surfaces, as far as `goal` asks. */
export function findClosest(a: Operand, b: Operand, query: Query, goal: Goal): Nearest {
  return new Search(a, b, query, goal).run();
}

/** No less than how far a box reaches from its centre, without squares. */
const extentsOf = (box: Float64Array, at: number): number =>
  (box[at + 3] + box[at + 7] + box[at + 11] + box[at + 15]) * 1.0001;

class Search {
  private readonly treeA: BoundTree;
  private readonly treeB: BoundTree;
  private readonly pose: RelativePose;
  private readonly limit: number;
  private readonly heap = new PairHeap();
  /** The pair that was measured last by a dive, which will be met again. */
  private divedA = -1;
  private divedB = -1;
  /** Least key of the pairs that the level keeps closed. */
  private closed = Number.POSITIVE_INFINITY;
  private readonly nearest: Nearest = {
    lower: 0,
    upper: Number.POSITIVE_INFINITY,
    measured: Number.POSITIVE_INFINITY,
    a: -1,
    b: -1,
    onA: new Float64Array(3),
    onB: new Float64Array(3),
    isApart: false,
    isComplete: true,
    level: 0,
    tests: { bounds: 0, hulls: 0 },
  };
  /** Lower bound of the nearest hulls, and the least of all, that were measured. */
  private measuredLower = Number.POSITIVE_INFINITY;
  private leastLower = Number.POSITIVE_INFINITY;

  constructor(
    private readonly a: Operand,
    private readonly b: Operand,
    query: Query,
    private readonly goal: Goal,
  ) {
    this.treeA = a.tree;
    this.treeB = b.tree;
    this.pose = relativePose(query.poseA, query.poseB, a.reach, b.reach);
    this.limit = query.level ?? Number.POSITIVE_INFINITY;
  }

  run(): Nearest {
    const { heap, nearest, goal } = this;
    this.push(0, 0);
    let dive = 1;
    let steps = 0;
    while (heap.size > 0 && !this.isDone()) {
      if ((steps < FIRST_STEPS || steps % STEPS_A_LOOK === 0) && performance.now() >= goal.deadline) {
        nearest.isComplete = false;
        break;
      }
      heap.pop();
      steps++;
      if (steps === dive) {
        dive *= 2;
        this.descend(heap.i, heap.j);
      }
      this.open(heap.i, heap.j, heap.key);
    }
    const remaining = Math.min(this.closed, heap.size > 0 ? heap.least : Number.POSITIVE_INFINITY);
    nearest.lower = Math.min(this.leastLower, Math.max(0, remaining), nearest.upper);
    nearest.isApart = remaining > 0 && nearest.upper > 0;
    if (this.closed < nearest.upper) nearest.isComplete = false;
    return nearest;
  }

  /** Whether what is in the heap cannot change the answer. */
  private isDone(): boolean {
    const { heap, goal, nearest } = this;
    if (nearest.upper === 0) return true;
    // What is no nearer than the nearest hulls' own lower bound cannot narrow the bracket.
    if (goal.distance) return heap.least > 0 && heap.least >= Math.min(nearest.upper, this.measuredLower);
    return heap.least > goal.clearance || nearest.measured <= goal.clearance;
  }

  /** Puts a pair of nodes into the heap unless it is farther apart than what was found. */
  private push(i: number, j: number): number {
    const key = this.keyOf(i, j);
    if (key <= this.nearest.upper) this.heap.push(key, i, j);
    return key;
  }

  /** A lower bound of the distance in the common frame, or if that is 0 less than 0: how deep in each other, by their size. */
  private keyOf(i: number, j: number): number {
    const { map, norm, slack, shortest, longest } = this.pose;
    const boundsA = this.treeA.bounds;
    this.nearest.tests.bounds++;
    moveBox(map, norm, this.treeB.bounds, BOX_NUMBERS * j, mapped, 0);
    const gap = separation(boundsA, BOX_NUMBERS * i, mapped, 0, slack, Math.max(1, norm) * (1 + 2 ** -40));
    const reaches = reachOfBox(boundsA, BOX_NUMBERS * i) + reachOfBox(mapped, 0);
    // Each bound holds a point of its surface, so no two surfaces are farther apart than their bounds' farthest points.
    if (this.nearest.a < 0) {
      const at = BOX_NUMBERS * i;
      const x = mapped[0] - boundsA[at];
      const y = mapped[1] - boundsA[at + 1];
      const z = mapped[2] - boundsA[at + 2];
      const squares = x * x + y * y + z * z;
      // Squares of tiny lengths underflow, sums do not.
      const isTiny = squares < 2 ** -800;
      const apart = isTiny ? Math.abs(x) + Math.abs(y) + Math.abs(z) : Math.sqrt(squares);
      const reach = isTiny ? extentsOf(boundsA, at) + extentsOf(mapped, 0) : reaches;
      const most = (apart + reach + slack) * longest * (1 + 2 ** -40);
      if (most < this.nearest.upper) this.nearest.upper = most;
    }
    return gap > 0 ? gap * shortest * (1 - 2 ** -40) : Math.max(-1, gap / (reaches + slack));
  }

  /** Replaces a pair by those of its children, or measures its hulls. */
  private open(i: number, j: number, key: number): void {
    const { treeA, treeB, nearest } = this;
    const opensA = !treeA.isLeaf(i) && treeA.level[i] < this.limit;
    const opensB = !treeB.isLeaf(j) && treeB.level[j] < this.limit;
    if (!opensA && !opensB) {
      if (treeA.isLeaf(i) && treeB.isLeaf(j)) {
        if (i !== this.divedA || j !== this.divedB) this.measure(i, j);
      } else this.closed = Math.min(this.closed, key);
      return;
    }
    if (this.isLarger(i, opensA, j, opensB)) {
      const first = treeA.firstChild(i);
      nearest.level = Math.max(nearest.level, treeA.level[first]);
      for (let child = first; child < first + treeA.count[i]; child++) this.push(child, j);
    } else {
      const first = treeB.firstChild(j);
      nearest.level = Math.max(nearest.level, treeB.level[first]);
      for (let child = first; child < first + treeB.count[j]; child++) this.push(i, child);
    }
  }

  /** Whether a's node is the one to be opened. */
  private isLarger(i: number, opensA: boolean, j: number, opensB: boolean): boolean {
    if (!opensA || !opensB) return opensA;
    return reachOfBox(this.treeA.bounds, BOX_NUMBERS * i) >= reachOfBox(this.treeB.bounds, BOX_NUMBERS * j);
  }

  /** Goes down to one pair of hulls, always to the nearest child, and measures it. The pair itself stays to be opened. */
  private descend(i: number, j: number): void {
    const { treeA, treeB } = this;
    for (;;) {
      const opensA = !treeA.isLeaf(i) && treeA.level[i] < this.limit;
      const opensB = !treeB.isLeaf(j) && treeB.level[j] < this.limit;
      if (!opensA && !opensB) break;
      let best = Number.POSITIVE_INFINITY;
      if (this.isLarger(i, opensA, j, opensB)) {
        const first = treeA.firstChild(i);
        const last = first + treeA.count[i] - 1;
        for (let child = first; child <= last; child++) {
          const key = this.keyOf(child, j);
          if (key >= best) continue;
          best = key;
          i = child;
        }
      } else {
        const first = treeB.firstChild(j);
        const last = first + treeB.count[j] - 1;
        for (let child = first; child <= last; child++) {
          const key = this.keyOf(i, child);
          if (key >= best) continue;
          best = key;
          j = child;
        }
      }
    }
    if (!treeA.isLeaf(i) || !treeB.isLeaf(j)) return;
    this.measure(i, j);
    this.divedA = i;
    this.divedB = j;
  }

  private measure(i: number, j: number): void {
    const { a, b, treeA, treeB, nearest } = this;
    const firstA = ~treeA.link[i];
    const firstB = ~treeB.link[j];
    for (let p = firstA; p < firstA + treeA.count[i]; p++) {
      for (let q = firstB; q < firstB + treeB.count[j]; q++) {
        nearest.tests.hulls++;
        hullDistanceTo(a.load(p), b.load(q), bracket, nearest.upper);
        if (bracket.lower < this.leastLower) this.leastLower = bracket.lower;
        if (bracket.upper >= nearest.measured) continue;
        nearest.measured = bracket.upper;
        this.measuredLower = bracket.lower;
        nearest.upper = Math.min(nearest.upper, bracket.upper);
        nearest.a = p;
        nearest.b = q;
        nearest.onA.set(bracket.onA);
        nearest.onB.set(bracket.onB);
      }
    }
  }
}
