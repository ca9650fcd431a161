/**
 * How far apart are two surfaces? One best-first descent for distance, clearance and answers within
 * a time.
 *
 * Pairs of bounds wait in a heap, the one that may be nearest on top (G. Hjaltason, H. Samet,
 * "Distance Browsing in Spatial Databases", ACM TODS 24, 1999; E. Larsen et al., "Fast Proximity
 * Queries with Swept Sphere Volumes", 1999). At any time all that was not looked into is in the
 * heap, so the least lower bound there and the nearest hulls found so far bracket the distance:
 * stopping early is always an answer.
 *
 * Order. Pairs that may overlap come before those that are apart, the deepest first in terms of
 * their own size: small boxes deep in each other are likely to hold a contact. A best-first search
 * reaches hulls late; so the 1st, 2nd, 4th, 8th, ... pair that is taken from the heap is followed
 * straight down, always to the nearer child, to one pair of hulls, which brings the upper bound
 * down early.
 *
 * Ties. Fans of n and m triangles that point at each other are n m pairs at one distance. A search
 * that goes on and on asks whether the nearest points part more than their own pair
 * (witness-plane.ts): two fans of 2,000 take 32,000 bounds where they took 8,000,000.
 *
 * Solids that a function defines. Their bounds and hulls may hold nothing: distances from them
 * bound from below only, and hulls that meet are apart where the solid itself says so
 * (narrow-phase.ts). From above bound the cores of their hulls, which the nearest hulls seldom
 * have; going on until no pair may hold a nearer core means to measure every pair that is within a
 * cell's size of the nearest. So the search ends once its lower bound is found, and the core that
 * is nearest to the hulls that gave it is looked for in the solid's tree alone.
 * Where the bracket turns out to be wider than it was thought to become, the search goes on.
 *
 * Bounds are compared in a's model frame, hulls in the common one; relative-pose.ts says what a
 * length in one is in the other.
 */
import type { DistanceBracket } from '../geometry/distance-bracket.ts';
import { BOX_NUMBERS, moveBox, reachOfBox, separation } from '../geometry/rounded-box.ts';
import type { Pose } from '../math/pose.ts';
import type { BoundTree } from './bound-tree.ts';
import { hullDistanceTo, SolidPairs } from './narrow-phase.ts';
import { type Goal, type Nearest, nothingMeasured } from './nearest.ts';
import { PairHeap } from './pair-heap.ts';
import { type RelativePose, relativePose } from './relative-pose.ts';
import type { Bracket, Query } from './report.ts';
import { cellGap, type Operand } from './traverse.ts';
import { type NodeTeller, nodeTeller } from './visit.ts';
import { WitnessPlane } from './witness-plane.ts';

/**
 * The clock is read once in so many steps, which take a few microseconds each; the first, of code
 * that is not compiled yet, take more.
 */
const STEPS_A_LOOK = 16;
const FIRST_STEPS = 128;

/**
 * Steps after which the nearest points are first asked what else they part; then after twice as
 * many, and so on. Most searches end sooner, with the last digit of their brackets as it always
 * was: what the plane parts is not measured, and ties differ in that digit.
 */
const FIRST_TURN = 2 ** 13;
/** Nodes and hulls that are looked at for it, a step: so it takes less time than the search. */
const HULLS_A_STEP = 4;

/**
 * Flat faces of solids have cells by the million at one distance: the search ends here with the
 * bracket that it has.
 */
const MOST_STEPS_OF_SOLIDS = 2 ** 15;

/** Rounding of the sums and differences with margins. */
const DOWN = 1 - 2 ** -50;
const UP = 1 + 2 ** -50;

const mapped = new Float64Array(BOX_NUMBERS);
const bracket: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };

/** The distance of the two surfaces, as far as `goal` asks. */
export function findClosest(a: Operand, b: Operand, query: Query, goal: Goal): Nearest {
  return new Search(a, b, query, goal).run();
}

/** No less than how far a box reaches from its centre, without squares. */
const extentsOf = (box: Float64Array, at: number): number =>
  (box[at + 3] + box[at + 7] + box[at + 11] + box[at + 15]) * 1.0001;

/**
 * No less than how far apart two surfaces can be that have a point each in two bounds, that of b in
 * `mapped`.
 *
 * @param reaches no less than how far both bounds reach from their centres
 */
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

/** What a search without any time says of two surfaces of triangles: its roots' bracket. */
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
  private readonly nearest: Nearest = nothingMeasured();
  /** Lower bound of the nearest hulls, and the least of all, that were measured. */
  private measuredLower = Number.POSITIVE_INFINITY;
  private leastLower = Number.POSITIVE_INFINITY;
  /**
   * Where one or both are solids: the pair of leaves that has the least, and whether hulls met that
   * may touch.
   */
  private readonly solids: SolidPairs | undefined;
  /** Undefined where a level, a time or a margin limits what may be said. */
  private readonly plane: WitnessPlane | undefined;
  private leastA = -1;
  private leastB = -1;
  /** The one whose neighbours were asked for cores. */
  private soughtA = -1;
  private soughtB = -1;
  private isUnsure = false;
  private readonly tell: NodeTeller;
  /** How far points of both sides' hulls may be from their surfaces. */
  private readonly excess: number;
  /** Distances to solids that differ by less are taken for one. */
  private readonly rounding: number;

  constructor(
    private readonly a: Operand,
    private readonly b: Operand,
    private readonly query: Query,
    private readonly goal: Goal,
  ) {
    this.treeA = a.tree;
    this.treeB = b.tree;
    this.tell = nodeTeller(a.tree, b.tree, query.onVisit);
    this.excess = (a.excess ?? 0) + (b.excess ?? 0);
    this.pose = relativePose(query.poseA, query.poseB, a.reach, b.reach);
    this.limit = query.level ?? Number.POSITIVE_INFINITY;
    // Looking closely at one hull of a solid may take longer than all of the time there is.
    const isTimed = goal.deadline < Number.POSITIVE_INFINITY;
    this.rounding = 2 ** -30 * (reachOfBox(a.tree.bounds, 0) + reachOfBox(b.tree.bounds, 0));
    const isLimited = isTimed || query.level !== null || [a, b].some(({ solid, margin }) => solid || margin);
    this.plane = isLimited ? undefined : new WitnessPlane(a, b, query);
    this.solids = a.solid || b.solid ? new SolidPairs(a, b, goal.clearance, isTimed ? 0 : undefined) : undefined;
  }

  run(): Nearest {
    const { heap, nearest, goal } = this;
    this.push(0, 0);
    let dive = 1;
    let turn = FIRST_TURN;
    let steps = 0;
    while (heap.size > 0 && !(this.isDone() && this.isSharp())) {
      const looks = steps < FIRST_STEPS || steps % STEPS_A_LOOK === 0 || this.solids !== undefined;
      if (looks && performance.now() >= goal.deadline) {
        nearest.isComplete = false;
        break;
      }
      if (this.solids && steps === MOST_STEPS_OF_SOLIDS) break;
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
        if (this.solids) this.dig(this.solids, heap.i, heap.j, steps);
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

  /** Whether what is in the heap cannot change the answer. */
  private isDone(): boolean {
    const { heap, goal, nearest } = this;
    if (nearest.upper === 0) return true;
    // What is no nearer than the nearest hulls' own lower bound cannot narrow the bracket. Of
    // solids it is that of hulls that may hold nothing, and flat faces have thousands of these at
    // one distance, but for rounding: what would narrow the bracket by less than a quarter is left.
    const lower = this.solids ? this.leastLower - this.spare() : this.measuredLower;
    if (goal.distance) return heap.least > 0 && heap.least >= Math.min(nearest.upper, lower);
    return heap.least > goal.clearance || nearest.measured <= goal.clearance;
  }

  /** Whether the search is done still when the nearest cores are known. */
  private isSharp(): boolean {
    this.sharpen();
    return this.isDone();
  }

  /** Looks for the nearest cores, once for every pair of leaves that bounds from below. */
  private sharpen(): void {
    const { leastA, leastB } = this;
    if (!this.solids || leastA < 0 || this.nearest.upper === 0) return;
    if (leastA === this.soughtA && leastB === this.soughtB) return;
    this.soughtA = leastA;
    this.soughtB = leastB;
    this.seekCores(this.solids);
  }

  private spare(): number {
    const width = (this.nearest.upper - this.leastLower) / 4;
    return width > this.rounding && width < Number.POSITIVE_INFINITY ? width : this.rounding;
  }

  /** Puts a pair of nodes into the heap unless it is farther apart than what was found. */
  private push(i: number, j: number): number {
    const key = this.keyOfPair(i, j);
    if (key <= this.nearest.upper && !this.isBeyond(i, j)) this.heap.push(key, i, j);
    return key;
  }

  /**
   * Whether the plane proves that nothing below two nodes is nearer than the nearest hulls, nor as
   * near as the clearance.
   */
  private isBeyond(i: number, j: number): boolean {
    const gap = this.plane?.gap(i, j);
    if (gap === undefined || !(gap > this.goal.clearance)) return false;
    if (this.goal.distance && gap < this.measuredLower) return false;
    this.leastLower = Math.min(this.leastLower, gap);
    return true;
  }

  /** A lower bound of the distance in the common frame, as good as is worth its price. */
  private keyOfPair(i: number, j: number): number {
    const key = this.keyOf(i, j);
    return this.solids && !this.solids.isOnePair ? this.keyOfCell(key, i, j) : key;
  }

  /**
   * The key of a solid's cell and an ordinary leaf by the leaf's hulls themselves. Cells become far
   * smaller than triangles, and in a triangle's bound there may be any number of them.
   */
  private keyOfCell(key: number, i: number, j: number): number {
    if (key > this.nearest.upper) return key;
    const gap = cellGap(this.a, i, this.b, j, this.query);
    return gap > 0 ? Math.max(key, gap) : key;
  }

  /**
   * A lower bound of the distance in the common frame, or if that is 0 less than 0: how deep in
   * each other, by their size.
   */
  private keyOf(i: number, j: number): number {
    const { map, norm, slack, shortest } = this.pose;
    const boundsA = this.treeA.bounds;
    this.nearest.tests.bounds++;
    moveBox(map, norm, this.treeB.bounds, BOX_NUMBERS * j, mapped, 0);
    const gap = separation(boundsA, BOX_NUMBERS * i, mapped, 0, slack, Math.max(1, norm) * (1 + 2 ** -40));
    if (this.tell !== undefined) this.tell(i, j, gap > 0);
    const reaches = reachOfBox(boundsA, BOX_NUMBERS * i) + reachOfBox(mapped, 0);
    // Each bound holds a point of its surface, or of its hulls, so no two surfaces are farther
    // apart than their bounds' farthest points; but for solids.
    if (this.nearest.a < 0 && !this.solids) {
      const most = (farthest(boundsA, BOX_NUMBERS * i, reaches, this.pose) + this.excess) * (1 + 2 ** -40);
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
      if (treeA.count[i] > 0) nearest.level = Math.max(nearest.level, treeA.level[first]);
      for (let child = first; child < first + treeA.count[i]; child++) this.push(child, j);
    } else {
      const first = treeB.firstChild(j);
      if (treeB.count[j] > 0) nearest.level = Math.max(nearest.level, treeB.level[first]);
      for (let child = first; child < first + treeB.count[j]; child++) this.push(i, child);
    }
  }

  /** Whether a's node is the one to be opened. */
  private isLarger(i: number, opensA: boolean, j: number, opensB: boolean): boolean {
    if (!opensA || !opensB) return opensA;
    return reachOfBox(this.treeA.bounds, BOX_NUMBERS * i) >= reachOfBox(this.treeB.bounds, BOX_NUMBERS * j);
  }

  /**
   * Goes down to one pair of hulls, always to the nearest child, and measures it. The pair itself
   * stays to be opened.
   */
  private descend(i: number, j: number): void {
    const { treeA, treeB } = this;
    for (;;) {
      const opensA = !treeA.isLeaf(i) && treeA.level[i] < this.limit;
      const opensB = !treeB.isLeaf(j) && treeB.level[j] < this.limit;
      if (!opensA && !opensB) break;
      const opens = this.isLarger(i, opensA, j, opensB);
      const child = this.nearestChild(i, j, opens);
      // Nothing was found in there.
      if (child < 0) return;
      if (opens) i = child;
      else j = child;
    }
    if (!treeA.isLeaf(i) || !treeB.isLeaf(j)) return;
    this.measure(i, j);
    this.divedA = i;
    this.divedB = j;
  }

  /** The child of a's node, or of b's, that is nearest to the other node; -1 where there is none. */
  private nearestChild(i: number, j: number, ofA: boolean): number {
    const tree = ofA ? this.treeA : this.treeB;
    const node = ofA ? i : j;
    const first = tree.firstChild(node);
    let best = Number.POSITIVE_INFINITY;
    let found = -1;
    for (let child = first; child < first + tree.count[node]; child++) {
      const key = ofA ? this.keyOf(child, j) : this.keyOf(i, child);
      if (key >= best) continue;
      best = key;
      found = child;
    }
    return found;
  }

  /**
   * Looks for a solid's core near a leaf of the other side's node. A descent to the nearest cells
   * seldom ends at one, where many of them turn out to be empty.
   */
  private dig(solids: SolidPairs, i: number, j: number, most: number): void {
    if (solids.isOnePair || this.nearest.upper === 0) return;
    const seeksA = this.a.solid !== undefined;
    const tree = seeksA ? this.treeB : this.treeA;
    let leaf = seeksA ? j : i;
    while (!tree.isLeaf(leaf)) {
      if (tree.level[leaf] >= this.limit) return;
      leaf = seeksA ? this.nearestChild(i, leaf, false) : this.nearestChild(leaf, j, true);
      if (leaf < 0) return;
    }
    this.seekCore(solids, seeksA, leaf, most);
  }

  private measure(i: number, j: number): void {
    if (this.solids) {
      this.measureSolids(this.solids, i, j);
      return;
    }
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

  private countHulls(p: number, q: number): void {
    this.nearest.tests.hulls++;
    this.query.onVisit?.({ kind: 'hulls', a: p, b: q });
  }

  private measureSolids(solids: SolidPairs, i: number, j: number): void {
    const { treeA, treeB, nearest } = this;
    const firstA = ~treeA.link[i];
    const firstB = ~treeB.link[j];
    for (let p = firstA; p < firstA + treeA.count[i]; p++) {
      for (let q = firstB; q < firstB + treeB.count[j]; q++) {
        this.countHulls(p, q);
        if (solids.bracket(p, q, bracket, nearest.upper) === 'unsure') this.isUnsure = true;
        if (bracket.lower < this.leastLower) {
          this.leastLower = bracket.lower;
          this.leastA = i;
          this.leastB = j;
        }
        this.take(p, q);
      }
    }
  }

  /** Keeps the pair whose distance is in `bracket`, if it is the nearest that was found. */
  private take(p: number, q: number): void {
    const { a, b, nearest } = this;
    if (bracket.upper >= nearest.measured) return;
    nearest.measured = bracket.upper;
    nearest.upper = bracket.upper;
    nearest.a = a.solid ? 0 : p;
    nearest.b = b.solid ? 0 : q;
    nearest.onA.set(bracket.onA);
    nearest.onB.set(bracket.onB);
  }

  /** Bounds the distance from above near the pair of leaves that bounds it from below. */
  private seekCores(solids: SolidPairs): void {
    // Of two solids: a's core that is nearest to b's leaf, then b's that is nearest to that.
    const i = this.a.solid ? this.seekCore(solids, true, this.leastB) : this.leastA;
    if (i >= 0 && this.b.solid) this.seekCore(solids, false, i);
  }

  /**
   * The leaf of one side, or -1, that has the core nearest to the other's node `fixed`, best first.
   */
  private seekCore(solids: SolidPairs, seeksA: boolean, fixed: number, most = MOST_STEPS_OF_SOLIDS): number {
    const { treeA, treeB, nearest, goal } = this;
    const tree = seeksA ? treeA : treeB;
    const heap = new PairHeap();
    const isBound = !seeksA || !this.b.solid;
    let least = isBound ? nearest.upper : Number.POSITIVE_INFINITY;
    let found = -1;
    const push = (node: number) => {
      const i = seeksA ? node : fixed;
      const j = seeksA ? fixed : node;
      const key = this.keyOfPair(i, j);
      if (key < least) heap.push(key, i, j);
    };
    push(0);
    for (let steps = 0; heap.size > 0 && heap.least < least; steps++) {
      // Of a solid without an inside there is no core to be found.
      if (steps === most) break;
      if (goal.deadline < Number.POSITIVE_INFINITY && performance.now() >= goal.deadline) break;
      heap.pop();
      const { i, j } = heap;
      const node = seeksA ? i : j;
      if (!tree.isLeaf(node)) {
        if (tree.level[node] >= this.limit) continue;
        const first = tree.firstChild(node);
        for (let child = first; child < first + tree.count[node]; child++) push(child);
        continue;
      }
      for (let p = ~treeA.link[i]; p < ~treeA.link[i] + treeA.count[i]; p++) {
        for (let q = ~treeB.link[j]; q < ~treeB.link[j] + treeB.count[j]; q++) {
          this.countHulls(p, q);
          if (!solids.coresApart(p, q, isBound, bracket) || bracket.upper >= least) continue;
          least = bracket.upper;
          found = node;
          if (isBound) this.take(p, q);
        }
      }
    }
    return found;
  }
}
