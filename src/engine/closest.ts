/**
 * The distance of two surfaces: one best-first descent for distance, clearance and answers within a
 * time.
 *
 * Pairs of bounds wait in a heap, the one that may be nearest on top (G. Hjaltason, H. Samet,
 * "Distance Browsing in Spatial Databases", ACM TODS 24, 1999; E. Larsen et al., "Fast Proximity
 * Queries with Swept Sphere Volumes", 1999). All unexamined pairs are in the heap, so the least
 * lower bound there and the nearest hulls found so far bracket the distance: stopping early is
 * always an answer.
 *
 * Order. Pairs that may overlap come before those that are apart. The deepest pair relative to its
 * own size comes first, because small boxes deep in each other are likely to hold a contact. A
 * best-first search reaches hulls late. So it follows the 1st, 2nd, 4th, 8th, ... pair from the
 * heap straight down, always to the nearer child, to one pair of hulls, which brings the upper
 * bound down early.
 *
 * Ties. Fans of n and m triangles that point at each other are n m pairs at one distance. A long
 * search asks whether the nearest points separate more than their own pair (witness-plane.ts): two
 * fans of 2,000 take 32,000 bounds instead of 8,000,000.
 *
 * Solids that a function defines. Their bounds and hulls may hold nothing. Distances from them
 * bound from below only, and hulls that meet are apart if the solid itself says so
 * (narrow-phase.ts). Cores of hulls bound from above, but the nearest hulls seldom have one. Going
 * on until no pair may hold a nearer core would measure every pair within a cell's size of the
 * nearest. So the search ends once its lower bound is found. It then looks in the solid's tree
 * alone for the core nearest to the hulls of that bound. If the bracket is wider than expected, the
 * search goes on.
 *
 * Bounds are compared in a's model frame, hulls in the common one; pair-kernel.ts converts
 * lengths.
 */

import { BOX_NUMBERS, moveBox, reachOfBox, separation } from '../geometry/rounded-box.ts';
import type { DistanceBracket } from '../geometry/triangle-distance.ts';
import type { Pose } from '../math/pose.ts';
import type { BoundTree } from './bound-tree.ts';
import { PairHeap } from './bound-tree.ts';
import { hullDistanceTo } from './narrow-phase.ts';
import { type RelativePose, relativePose } from './pair-kernel.ts';
import type { Bracket, Query } from './records.ts';
import { type Goal, type Nearest, type NodeTeller, nodeTeller, nothingMeasured } from './records.ts';
import type { Operand } from './traverse.ts';
import { WitnessPlane } from './witness-plane.ts';

/** Steps of a few microseconds between looks at the clock; uncompiled ones take longer. */
const STEPS_A_LOOK = 16;
const FIRST_STEPS = 128;

/**
 * Steps before the first use of the plane; the number doubles before each further use. Most
 * searches end sooner, with unchanged last digits: the plane leaves pairs unmeasured, and ties
 * differ in that digit.
 */
const FIRST_TURN = 2 ** 13;
/** Nodes and hulls that the plane examines a step, to take less time than the search. */
const HULLS_A_STEP = 4;

/** Covers the rounding of sums and differences with margins. */
const DOWN = 1 - 2 ** -50;
const UP = 1 + 2 ** -50;

const mapped = new Float64Array(BOX_NUMBERS);
export const bracket: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };

type SearchOf = new (a: Operand, b: Operand, query: Query, goal: Goal) => Search;

/** From kinds with solids that functions define (closest-solids.ts). */
let SearchOfSolids: SearchOf;

export function registerSearchOfSolids(search: SearchOf): void {
  SearchOfSolids = search;
}

export function findClosest(a: Operand, b: Operand, query: Query, goal: Goal): Nearest {
  return new (a.solid || b.solid ? SearchOfSolids : Search)(a, b, query, goal).run();
}

/** Upper bound of a box's reach from its center, without squares. */
const extentsOf = (box: Float64Array, at: number): number =>
  (box[at + 3] + box[at + 7] + box[at + 11] + box[at + 15]) * 1.0001;

/** Upper bound of the distance of surfaces with a point each in two bounds, b's in `mapped`. */
function farthest(bounds: Float64Array, at: number, reaches: number, { slack, longest }: RelativePose): number {
  const x = mapped[0] - bounds[at];
  const y = mapped[1] - bounds[at + 1];
  const z = mapped[2] - bounds[at + 2];
  const squares = x * x + y * y + z * z;
  // Squares of tiny lengths underflow, sums do not.
  const isTiny = squares < 2 ** -800;
  const apart = isTiny ? Math.abs(x) + Math.abs(y) + Math.abs(z) : Math.sqrt(squares);
  const reach = isTiny ? extentsOf(bounds, at) + extentsOf(mapped, 0) : reaches;
  return (apart + reach + slack) * longest * (1 + 2 ** -40);
}

const rootMap = new Float64Array(12);

/** The bracket that the roots give: the answer without any time for two surfaces of triangles. */
export function bracketOfRoots(a: Side, b: Side, poseA: Pose, poseB: Pose): Bracket {
  const pose = relativePose(poseA, poseB, a.reach, b.reach, rootMap);
  const { map, norm, slack, shortest } = pose;
  moveBox(map, norm, b.tree.bounds, 0, mapped, 0);
  const gap = separation(a.tree.bounds, 0, mapped, 0, slack, Math.max(1, norm) * (1 + 2 ** -40));
  const reaches = reachOfBox(a.tree.bounds, 0) + reachOfBox(mapped, 0);
  return {
    lower: gap > 0 ? gap * shortest * (1 - 2 ** -40) : 0,
    upper: farthest(a.tree.bounds, 0, reaches, pose),
  };
}

type Side = Pick<Operand, 'tree' | 'reach'>;

export class Search {
  protected readonly treeA: BoundTree;
  protected readonly treeB: BoundTree;
  private readonly pose: RelativePose;
  protected readonly limit: number;
  private readonly heap = new PairHeap();
  /** The last pair that a dive measured, which will be met again. */
  private divedA = -1;
  private divedB = -1;
  private closed = Number.POSITIVE_INFINITY;
  protected readonly nearest: Nearest = nothingMeasured();
  /** Lower bound of the nearest hulls, and the least of all measured. */
  private measuredLower = Number.POSITIVE_INFINITY;
  protected leastLower = Number.POSITIVE_INFINITY;
  /** Undefined if a level, a time or a margin limits the answer. */
  private readonly plane: WitnessPlane | undefined;
  protected isUnsure = false;
  private readonly tell: NodeTeller;
  /** Bound of the distance of both hulls' points from their surfaces. */
  protected readonly excess: number;
  /** Steps after which the search ends with what it has found. */
  protected mostSteps = Number.POSITIVE_INFINITY;
  /** True if each bound holds a point of its surface or hulls. */
  protected areBoundsFull = true;
  protected readonly isTimed: boolean;

  constructor(
    protected readonly a: Operand,
    protected readonly b: Operand,
    protected readonly query: Query,
    protected readonly goal: Goal,
  ) {
    this.treeA = a.tree;
    this.treeB = b.tree;
    this.tell = nodeTeller(a.tree, b.tree, query.onVisit);
    this.excess = (a.excess ?? 0) + (b.excess ?? 0);
    this.pose = relativePose(query.poseA, query.poseB, a.reach, b.reach);
    this.limit = query.level ?? Number.POSITIVE_INFINITY;
    this.isTimed = goal.deadline < Number.POSITIVE_INFINITY;
    const isLimited = this.isTimed || query.level !== null || [a, b].some(({ solid, margin }) => solid || margin);
    this.plane = isLimited ? undefined : new WitnessPlane(a, b, query);
  }

  run(): Nearest {
    const { heap, nearest, goal } = this;
    this.push(0, 0);
    let dive = 1;
    let turn = FIRST_TURN;
    let steps = 0;
    while (heap.size > 0 && !(this.isDone() && this.isSharp())) {
      const looks = steps < FIRST_STEPS || steps % STEPS_A_LOOK === 0 || !this.areBoundsFull;
      if (looks && performance.now() >= goal.deadline) {
        nearest.isComplete = false;
        break;
      }
      if (steps === this.mostSteps) break;
      heap.pop();
      steps++;
      if (steps === turn) {
        turn *= 2;
        if (nearest.a >= 0) this.plane?.aim(nearest.onA, nearest.onB, HULLS_A_STEP * steps);
        if (this.isBeyond(0, 0)) {
          heap.size = 0;
          break;
        }
      }
      if (this.isBeyond(heap.i, heap.j)) continue;
      if (steps === dive) {
        dive *= 2;
        this.descend(heap.i, heap.j);
        this.dig(heap.i, heap.j, steps);
      }
      this.open(heap.i, heap.j, heap.key);
    }
    this.sharpen();
    const remaining = Math.min(this.closed, heap.size > 0 ? heap.least : Number.POSITIVE_INFINITY);
    nearest.lower = Math.min(this.leastLower, Math.max(0, remaining), nearest.upper);
    nearest.isApart = remaining > 0 && nearest.upper > 0 && !this.isUnsure;
    if (this.closed < nearest.upper) nearest.isComplete = false;
    return nearest;
  }

  private isDone(): boolean {
    const { heap, goal, nearest } = this;
    if (nearest.upper === 0) return true;
    if (goal.distance) return heap.least > 0 && heap.least >= Math.min(nearest.upper, this.least());
    return heap.least > goal.clearance || nearest.measured <= goal.clearance;
  }

  private isSharp(): boolean {
    this.sharpen();
    return this.isDone();
  }

  /** Pairs no nearer than the nearest hulls' own lower bound cannot narrow the bracket. */
  protected least(): number {
    return this.measuredLower;
  }

  protected sharpen(): void {}

  /** Called for every pair that is followed down at once. */
  protected dig(_i: number, _j: number, _steps: number): void {}

  private push(i: number, j: number): number {
    const key = this.keyOfPair(i, j);
    if (key <= this.nearest.upper && !this.isBeyond(i, j)) this.heap.push(key, i, j);
    return key;
  }

  /** True if the plane proves that no pair below two nodes matters for distance or clearance. */
  private isBeyond(i: number, j: number): boolean {
    const gap = this.plane?.gap(i, j);
    if (gap === undefined || !(gap > this.goal.clearance)) return false;
    if (this.goal.distance && gap < this.measuredLower) return false;
    this.leastLower = Math.min(this.leastLower, gap);
    return true;
  }

  protected keyOfPair(i: number, j: number): number {
    return this.keyOf(i, j);
  }

  /** Lower bound of the distance in the common frame; below 0, an overlap's relative depth. */
  protected keyOf(i: number, j: number): number {
    const { map, norm, slack, shortest } = this.pose;
    const boundsA = this.treeA.bounds;
    this.nearest.tests.bounds++;
    moveBox(map, norm, this.treeB.bounds, BOX_NUMBERS * j, mapped, 0);
    const gap = separation(boundsA, BOX_NUMBERS * i, mapped, 0, slack, Math.max(1, norm) * (1 + 2 ** -40));
    if (this.tell !== undefined) this.tell(i, j, gap > 0);
    const reaches = reachOfBox(boundsA, BOX_NUMBERS * i) + reachOfBox(mapped, 0);
    // No two surfaces are farther apart than their bounds' farthest points.
    if (this.nearest.a < 0 && this.areBoundsFull) {
      const most = (farthest(boundsA, BOX_NUMBERS * i, reaches, this.pose) + this.excess) * (1 + 2 ** -40);
      if (most < this.nearest.upper) this.nearest.upper = most;
    }
    return gap > 0 ? gap * shortest * (1 - 2 ** -40) : Math.max(-1, gap / (reaches + slack));
  }

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
      if (treeA.count[i] > 0) nearest.level = Math.max(nearest.level, treeA.level[first]);
      for (let child = first; child < first + treeA.count[i]; child++) this.push(child, j);
    } else {
      const first = treeB.firstChild(j);
      if (treeB.count[j] > 0) nearest.level = Math.max(nearest.level, treeB.level[first]);
      for (let child = first; child < first + treeB.count[j]; child++) this.push(i, child);
    }
  }

  private isLarger(i: number, opensA: boolean, j: number, opensB: boolean): boolean {
    if (!opensA || !opensB) return opensA;
    return reachOfBox(this.treeA.bounds, BOX_NUMBERS * i) >= reachOfBox(this.treeB.bounds, BOX_NUMBERS * j);
  }

  /** Descends to nearest children and measures one pair of hulls. The pair itself stays. */
  private descend(i: number, j: number): void {
    const { treeA, treeB } = this;
    for (;;) {
      const opensA = !treeA.isLeaf(i) && treeA.level[i] < this.limit;
      const opensB = !treeB.isLeaf(j) && treeB.level[j] < this.limit;
      if (!opensA && !opensB) break;
      const opens = this.isLarger(i, opensA, j, opensB);
      const child = this.nearestChild(i, j, opens ? 'a' : 'b');
      if (child < 0) return;
      if (opens) i = child;
      else j = child;
    }
    if (!treeA.isLeaf(i) || !treeB.isLeaf(j)) return;
    this.measure(i, j);
    this.divedA = i;
    this.divedB = j;
  }

  protected nearestChild(i: number, j: number, side: 'a' | 'b'): number {
    const tree = side === 'a' ? this.treeA : this.treeB;
    const node = side === 'a' ? i : j;
    const first = tree.firstChild(node);
    let best = Number.POSITIVE_INFINITY;
    let found = -1;
    for (let child = first; child < first + tree.count[node]; child++) {
      const key = side === 'a' ? this.keyOf(child, j) : this.keyOf(i, child);
      if (key >= best) continue;
      best = key;
      found = child;
    }
    return found;
  }

  protected measure(i: number, j: number): void {
    const { a, b, treeA, treeB, nearest } = this;
    const firstA = ~treeA.link[i];
    const firstB = ~treeB.link[j];
    for (let p = firstA; p < firstA + treeA.count[i]; p++) {
      for (let q = firstB; q < firstB + treeB.count[j]; q++) {
        this.countHulls(p, q);
        const margin = (a.margin?.(p) ?? 0) + (b.margin?.(q) ?? 0);
        hullDistanceTo(a.load(p), b.load(q), bracket, nearest.upper + margin);
        if (margin > 0) bracket.lower = Math.max(0, bracket.lower - margin) * DOWN;
        if (this.excess > 0) bracket.upper = (bracket.upper + this.excess) * UP;
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

  protected countHulls(p: number, q: number): void {
    this.nearest.tests.hulls++;
    this.query.onVisit?.({ kind: 'hulls', a: p, b: q });
  }
}
