/**
 * The distance of two surfaces if a function defines one or both as solids (closest.ts, "Solids
 * that a function defines").
 */

import { reachOfBox } from '../geometry/rounded-box.ts';
import { PairHeap } from './bound-tree.ts';
import { bracket, Search } from './closest.ts';
import { type Operand, otherLeaves, type PairsOfSolids } from './leaves.ts';
import type { Goal, Query } from './records.ts';
import { cellGap } from './solid-pairs.ts';

/** Limit: flat faces of solids have millions of cells at one distance. */
const MOST_STEPS = 2 ** 15;

export class SearchOfSolids extends Search {
  private readonly solids: PairsOfSolids;
  /** The pair of leaves of the least bound, and hulls that may touch. */
  private leastA = -1;
  private leastB = -1;
  private soughtA = -1;
  private soughtB = -1;
  /** Distances that differ by less are equal. */
  private readonly rounding: number;

  constructor(a: Operand, b: Operand, query: Query, goal: Goal) {
    super(a, b, query, goal);
    this.areBoundsFull = false;
    this.mostSteps = MOST_STEPS;
    this.rounding = 2 ** -30 * (reachOfBox(a.tree.bounds, 0) + reachOfBox(b.tree.bounds, 0));
    // Looking closely at one hull of a solid may take longer than all of the time.
    this.solids = otherLeaves().solidPairs(a, b, goal.clearance, this.isTimed ? 0 : undefined);
  }

  /**
   * The least bound may be that of hulls that hold nothing. Flat faces have thousands of these at
   * one distance, up to rounding, so gains below a quarter of the bracket are ignored.
   */
  protected override least(): number {
    return this.leastLower - this.spare();
  }

  /** Looks for the nearest cores, once for every pair of leaves that bounds from below. */
  protected override sharpen(): void {
    const { leastA, leastB } = this;
    if (leastA < 0 || this.nearest.upper === 0) return;
    if (leastA === this.soughtA && leastB === this.soughtB) return;
    this.soughtA = leastA;
    this.soughtB = leastB;
    this.seekCores();
  }

  private spare(): number {
    const width = (this.nearest.upper - this.leastLower) / 4;
    return width > this.rounding && width < Number.POSITIVE_INFINITY ? width : this.rounding;
  }

  protected override keyOfPair(i: number, j: number): number {
    const key = this.keyOf(i, j);
    return this.solids.isOnePair ? key : this.keyOfCell(key, i, j);
  }

  /**
   * A bound on the distance of a solid's cell and an ordinary leaf. It uses the leaf's own hulls,
   * because a triangle's bound may hold any number of far smaller cells.
   */
  private keyOfCell(key: number, i: number, j: number): number {
    if (key > this.nearest.upper) return key;
    const gap = cellGap(this.a, i, this.b, j, this.query);
    return gap > 0 ? Math.max(key, gap) : key;
  }

  /**
   * Looks for a solid's core near a leaf of the other side's node. Descents to the nearest cells
   * seldom end at one, as many cells turn out to be empty.
   */
  protected override dig(i: number, j: number, most: number): void {
    if (this.solids.isOnePair || this.nearest.upper === 0) return;
    const seeksA = this.a.solid !== undefined;
    const tree = seeksA ? this.treeB : this.treeA;
    let leaf = seeksA ? j : i;
    while (!tree.isLeaf(leaf)) {
      if (tree.level[leaf] >= this.limit) return;
      leaf = seeksA ? this.nearestChild(i, leaf, 'b') : this.nearestChild(leaf, j, 'a');
      if (leaf < 0) return;
    }
    this.seekCore(seeksA, leaf, most);
  }

  protected override measure(i: number, j: number): void {
    const { solids, treeA, treeB, nearest } = this;
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

  private seekCores(): void {
    // For two solids: a's core nearest to b's leaf, then b's nearest to that.
    const i = this.a.solid ? this.seekCore(true, this.leastB) : this.leastA;
    if (i >= 0 && this.b.solid) this.seekCore(false, i);
  }

  private seekCore(seeksA: boolean, fixed: number, most = MOST_STEPS): number {
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
      // A solid without an inside has no core.
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
          if (!this.solids.coresApart(p, q, isBound ? 'core' : 'hull', bracket) || bracket.upper >= least) continue;
          least = bracket.upper;
          found = node;
          if (isBound) this.take(p, q);
        }
      }
    }
    return found;
  }
}
