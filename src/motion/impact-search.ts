/**
 * A best-first search in time for the first contact of two moving objects.
 *
 * Pairs of bounds wait in a heap by the earliest time at which they may touch. If the earliest
 * pair's motion is curved by more than its size, its span of time is halved; otherwise its larger
 * bound is opened. Pairs of hulls advance along the line of their nearest points until they touch.
 * A pair's time is a lower bound for everything below it (swept-gap.ts proves each step), so
 * nothing touches before the least time in the heap: that is t0. No step size can cause tunneling.
 *
 * After B. Mirtich, "Timewarp Rigid Body Simulation", SIGGRAPH 2000, a heap of times of impact, and
 * M. Tang, Y. Kim, D. Manocha, "C2A", ICRA 2009. These advance whole objects by their distance;
 * here each pair of nodes has its own time and needs no distance query.
 *
 * Motions are those of real arithmetic. `clear`: the objects share no point at any time. Otherwise
 * they share none before `first.from`, strictly. `contact`: the exact test of `check` finds it at
 * `first.to`, as computed, in the poses of `poseAt`. Times in the heap are whole steps of a
 * timeline, rounded down.
 *
 * If two are too close to decide, everything in the heap is put off by a resolution, then by two,
 * four, ...: so a search that slides along a surface ends. The piece is undecided, and if later
 * contact is proved, `first` reaches from before to after it.
 */

import type { BoundTree } from '../engine/bound-tree.ts';
import { PairHeap } from '../engine/bound-tree.ts';
import { HULL_NUMBERS, hullDistanceTo, hullsMeet } from '../engine/narrow-phase.ts';
import { sideOf } from '../engine/operand.ts';
import { openPair } from '../engine/prepared.ts';
import type { ContactPair, Verdict } from '../engine/records.ts';
import type { Asset, Representation } from '../engine/representation.ts';
import { BOX_NUMBERS, reachOfBox } from '../geometry/rounded-box.ts';
import type { DistanceBracket } from '../geometry/triangle-distance.ts';
import { representationOf } from '../representations/kinds.ts';
import {
  bendOfBounds,
  clearPart,
  clearPartByEdges,
  clearPartOfHulls,
  MovingSolid,
  mostOfHull,
  moveHull,
  sweptHull,
} from './swept-gap.ts';
import type { Moment, Timeline } from './timeline.ts';

/**
 * Tried: 4 steps to a resolution in place of 16. One answer in 15 was wider than a resolution,
 * since pairs with known speeds only were given up too soon, for as many tests.
 */
export const FINEST = 4;
export const RESOLUTION = 2 ** FINEST;
/** A span is halved if its bend is more than this part of the two bounds' sizes. */
const MOST_BEND = 0.03;
/** Factor that rounds roots down. */
const DOWN = 1 - 2 ** -30;
/** At one time the deepest pairs come first; hulls are deeper than any node. */
const DEPTHS = 64;
const HULLS = DEPTHS - 1;
/** Flag of a note: the pair's span was not tested yet. */
const FRESH = 64;
const LEVEL = 63;
const STEPS_A_LOOK = 64;
/** Cap on short steps, which sliding without a known acceleration would take without end. */
const MOST_CREPT = 2 ** 12;
/** Halvings that take a contact found late nearer to the clear times. */
const MOST_HALVINGS = 40;
const MOST_HALVINGS_OF_SOLIDS = 8;

const a3 = () => new Float64Array(3);
const bracket: DistanceBracket = { lower: 0, upper: 0, onA: a3(), onB: a3() };
const hullA = sweptHull(HULL_NUMBERS);
const hullB = sweptHull(HULL_NUMBERS);

type Steps = readonly [number, number];

/** The result of a search from a step on, in steps. */
export interface Found {
  /** Nothing touches before it; Infinity if nothing touches at all. */
  apart: number;
  /** A step of proved contact, or Infinity. */
  touching: number;
  pair: ContactPair | null;
  /** Undecided pieces between the two, in order; elsewhere between they are apart. */
  unsure: readonly Steps[];
}

export interface MovingPair {
  a: Asset;
  b: Asset;
  timeline: Timeline;
  clearance: number;
  /** `performance.now()` at which the search ends. */
  deadline: number;
  tests: { bounds: number; hulls: number };
}

export class ImpactSearch {
  private readonly ofA: Representation<Asset>;
  private readonly ofB: Representation<Asset>;
  private readonly treeA: BoundTree;
  private readonly treeB: BoundTree;
  private readonly heap = new PairHeap();
  private touching = Number.POSITIVE_INFINITY;
  private pair: ContactPair | null = null;
  /** Undecided pieces; the step until which everything is put off, and by how much. */
  private unsure: Steps[] = [];
  private putOff = 0;
  private stride = RESOLUTION;
  private crept = 0;
  private readonly solidA: MovingSolid | undefined;
  private readonly solidB: MovingSolid | undefined;
  /** Hulls of the other side that already wait with all of a lone solid. */
  private readonly asked = new Set<number>();

  private readonly a: Asset;
  private readonly b: Asset;
  private readonly timeline: Timeline;
  private readonly clearance: number;
  private readonly tests: MovingPair['tests'];

  constructor(private readonly moving: MovingPair) {
    const { a, b } = moving;
    this.a = a;
    this.b = b;
    this.timeline = moving.timeline;
    this.clearance = moving.clearance;
    this.tests = moving.tests;
    this.ofA = representationOf(a);
    this.ofB = representationOf(b);
    this.treeA = sideOf(a).tree;
    this.treeB = sideOf(b).tree;
    if (this.ofA.solid) this.solidA = new MovingSolid(a, 'a');
    if (this.ofB.solid) this.solidB = new MovingSolid(b, 'b');
  }

  from(begin: number): Found {
    const { timeline, heap } = this;
    this.touching = Number.POSITIVE_INFINITY;
    this.pair = null;
    this.unsure = [];
    this.putOff = begin;
    heap.size = 0;
    this.asked.clear();
    this.crept = 0;
    let least = begin;
    if (!this.touchesAt(begin) && begin < timeline.last) {
      this.advanceNodes(0, 0, begin, timeline.levels);
      least = this.search();
    }
    const { touching, pair } = this;
    const unsure = this.unsure.map(([from, to]): Steps => [from, Math.min(to, touching)]);
    if (least < Math.min(touching, timeline.last)) unsure.push([least, Math.min(touching, timeline.last)]);
    return { apart: unsure.length > 0 ? unsure[0][0] : touching, touching, pair, unsure };
  }

  /** Returns the step before which no waiting pair may touch. */
  private search(): number {
    const { heap } = this;
    for (let steps = 1; heap.size > 0; steps++) {
      const least = Math.floor(heap.least / DEPTHS);
      if (this.touching - least <= RESOLUTION) return least;
      if (steps % STEPS_A_LOOK === 0 && performance.now() >= this.moving.deadline) return least;
      heap.pop();
      this.step(heap.i, heap.j, least, heap.note);
    }
    return Number.POSITIVE_INFINITY;
  }

  private step(i: number, j: number, time: number, note: number): void {
    const level = note & LEVEL;
    if (time < this.putOff) {
      this.push(i, j, this.putOff, level | FRESH);
    } else if (i < 0) {
      this.advance(~i, ~j, time, level);
    } else if (note & FRESH) {
      this.advanceNodes(i, j, time, level);
    } else {
      this.open(i, j, time, level);
    }
  }

  private push(i: number, j: number, time: number, note: number): void {
    if (time >= this.timeline.last || time >= this.touching) return;
    const depth = i < 0 ? HULLS : Math.min(HULLS - 1, this.treeA.level[i] + this.treeB.level[j]);
    this.heap.push(DEPTHS * time + (HULLS - depth), i, j, note);
  }

  /** Finds the earliest contact of two nodes within the span of 2^level steps around `time`. */
  private advanceNodes(i: number, j: number, time: number, level: number): void {
    const steps = 2 ** level;
    const start = Math.floor(time / steps) * steps;
    const part = this.clearNodes(i, j, start, level);
    const reached = this.reached(start, steps, part);
    if (part < 1) {
      this.push(i, j, Math.max(time, reached), level);
      return;
    }
    const isAligned = level < this.timeline.levels && reached % (2 * steps) === 0;
    this.push(i, j, reached, (isAligned ? level + 1 : level) | FRESH);
  }

  private clearNodes(i: number, j: number, start: number, level: number): number {
    const boundsA = this.treeA.bounds;
    const boundsB = this.treeB.bounds;
    this.tests.bounds++;
    const span = this.timeline.span(start, level);
    return clearPart(span, boundsA, BOX_NUMBERS * i, boundsB, BOX_NUMBERS * j, this.clearance);
  }

  /** The last step surely clear, if a part of a span is. */
  private reached(start: number, steps: number, part: number): number {
    if (part >= 1) return Math.min(this.timeline.last, start + steps);
    return Math.max(start, Math.floor(start + part * DOWN * steps - 0.5));
  }

  private open(i: number, j: number, time: number, level: number): void {
    const { treeA, treeB } = this;
    const sizeA = reachOfBox(treeA.bounds, BOX_NUMBERS * i);
    const sizeB = reachOfBox(treeB.bounds, BOX_NUMBERS * j);
    if (level > FINEST && this.bendWithin(i, j, time, level) > MOST_BEND * (sizeA + sizeB)) {
      this.advanceNodes(i, j, time, level - 1);
      return;
    }
    const opensA = !treeA.isLeaf(i);
    const opensB = !treeB.isLeaf(j);
    if (this.isLone && this.isSmallCell(opensA, sizeA, opensB, sizeB)) {
      this.openLeaves(i, j, time, level);
    } else if (opensA && (!opensB || sizeA >= sizeB)) {
      const first = treeA.firstChild(i);
      const count = treeA.count[i];
      for (let child = first; child < first + count; child++) this.advanceNodes(child, j, time, level);
    } else if (opensB) {
      const first = treeB.firstChild(j);
      const count = treeB.count[j];
      for (let child = first; child < first + count; child++) this.advanceNodes(i, child, time, level);
    } else {
      this.openLeaves(i, j, time, level);
    }
  }

  /** True if the cell is so small that the other side's hulls are tested. */
  private isSmallCell(opensA: boolean, sizeA: number, opensB: boolean, sizeB: number): boolean {
    return this.solidA ? !opensB && sizeA <= 2 * sizeB : !opensA && sizeB <= 2 * sizeA;
  }

  private bendWithin(i: number, j: number, time: number, level: number): number {
    const steps = 2 ** level;
    const span = this.timeline.span(Math.floor(time / steps) * steps, level);
    return bendOfBounds(span, this.treeA.bounds, BOX_NUMBERS * i, this.treeB.bounds, BOX_NUMBERS * j);
  }

  private openLeaves(i: number, j: number, time: number, level: number): void {
    if (this.isLone) {
      this.openBesideSolid(i, j, time, level);
      return;
    }
    const firstA = ~this.treeA.link[i];
    const firstB = ~this.treeB.link[j];
    for (let p = firstA; p < firstA + this.treeA.count[i]; p++) {
      for (let q = firstB; q < firstB + this.treeB.count[j]; q++) this.advance(p, q, time, level);
    }
  }

  /** Each hull of the leaf waits with all of the solid, once; nothing touches before this time. */
  private openBesideSolid(i: number, j: number, time: number, level: number): void {
    const tree = this.solidA ? this.treeB : this.treeA;
    const leaf = this.solidA ? j : i;
    const first = ~tree.link[leaf];
    for (let hull = first; hull < first + tree.count[leaf]; hull++) {
      if (this.asked.has(hull)) continue;
      this.asked.add(hull);
      this.advance(this.solidA ? 0 : hull, this.solidA ? hull : 0, time, level);
    }
  }

  /** True if exactly one of the two is a solid defined by a function. */
  private get isLone(): boolean {
    return (this.solidA === undefined) !== (this.solidB === undefined);
  }

  private advance(p: number, q: number, time: number, level: number): void {
    const { solidA, solidB } = this;
    if (!solidA && !solidB) this.advanceHulls(p, q, time, level);
    else if (solidA && this.isLone) this.advanceSolid(solidA, p, q, time, level);
    else if (solidB && this.isLone) this.advanceSolid(solidB, p, q, time, level);
    else this.advanceCells(p, q, time, level);
  }

  private advanceSolid(solid: MovingSolid, p: number, q: number, time: number, level: number): void {
    const { timeline, clearance, solidA } = this;
    this.tests.hulls++;
    const hull = solidA ? hullB : hullA;
    hull.count = solidA ? this.ofB.hull(this.b, q, hull.own) : this.ofA.hull(this.a, p, hull.own);
    const span = timeline.span(time, level);
    const end = Math.min(timeline.last, time + 2 ** level);
    const middle = timeline.at(Math.floor((time + end) / 2));
    const poseAt = ({ poseA, poseB }: Moment) => (solidA ? poseB : poseA);
    const speed = mostOfHull(solidA ? span.speedB : span.speedA, hull);
    const test = { clearance, isLast: level <= FINEST };
    if (solid.isClear(moveHull(hull, poseAt(middle), hull.start), speed, middle, span, test)) {
      this.push(~p, ~q, end, Math.min(timeline.levels, level + 1));
      return;
    }
    if (level > FINEST) {
      this.push(~p, ~q, time, level - 1);
      return;
    }
    const isMet = clearance === 0 && solid.isMet(moveHull(hull, poseAt(span.to), hull.end), span.to, 0);
    if (isMet) this.found(end, p, q);
    else this.cannotTell(time);
    this.push(~p, ~q, time, level);
  }

  private advanceCells(p: number, q: number, time: number, level: number): void {
    const { timeline, clearance } = this;
    const end = Math.min(timeline.last, time + 2 ** level);
    const span = timeline.span(time, level);
    this.tests.hulls++;
    hullA.count = this.ofA.hull(this.a, p, hullA.own);
    hullB.count = this.ofB.hull(this.b, q, hullB.own);
    const { poseA, poseB } = span.from;
    hullDistanceTo(moveHull(hullA, poseA, hullA.start), moveHull(hullB, poseB, hullB.start), bracket, Infinity);
    moveHull(hullA, span.to.poseA, hullA.end);
    moveHull(hullB, span.to.poseB, hullB.end);
    const part = bracket.lower > 0 ? clearPartOfHulls(span, hullA, hullB, bracket, clearance) : 0;
    const reached = this.reached(time, end - time, part);
    if (part >= 1 || reached > time + RESOLUTION) {
      this.push(~p, ~q, reached, part >= 1 ? Math.min(timeline.levels, level + 2) : level);
      return;
    }
    const middle = timeline.at(Math.floor((time + end) / 2));
    const ofA = moveHull(hullA, middle.poseA, hullA.start);
    const ofB = moveHull(hullB, middle.poseB, hullB.start);
    const test = { clearance, isLast: level <= FINEST };
    if (
      this.solidA?.isClear(ofB, mostOfHull(span.speedB, hullB), middle, span, test) ||
      this.solidB?.isClear(ofA, mostOfHull(span.speedA, hullA), middle, span, test)
    ) {
      this.push(~p, ~q, end, Math.min(timeline.levels, level + 1));
      return;
    }
    if (level <= FINEST) this.cannotTell(time);
    this.push(~p, ~q, time, Math.max(FINEST, level - 2));
  }

  /** Advances two hulls from a time before which they are clear. */
  private advanceHulls(p: number, q: number, time: number, level: number): void {
    const { timeline, clearance } = this;
    const span = timeline.span(time, level);
    this.tests.hulls++;
    hullA.count = this.ofA.hull(this.a, p, hullA.own);
    hullB.count = this.ofB.hull(this.b, q, hullB.own);
    const { poseA, poseB } = span.from;
    hullDistanceTo(moveHull(hullA, poseA, hullA.start), moveHull(hullB, poseB, hullB.start), bracket, Infinity);
    if (bracket.upper <= clearance) {
      this.found(time, p, q);
      return;
    }
    moveHull(hullA, span.to.poseA, hullA.end);
    moveHull(hullB, span.to.poseB, hullB.end);
    const most = Math.min(2 ** level, timeline.last - time);
    let part = clearPartOfHulls(span, hullA, hullB, bracket, clearance);
    if (this.reached(time, most, part) - time <= RESOLUTION) {
      part = Math.max(part, clearPartByEdges(span, hullA, hullB, clearance));
    }
    const reached = this.reached(time, most, part);
    if (part >= 1) {
      this.push(~p, ~q, reached, Math.min(timeline.levels, level + 2));
      return;
    }
    const steps = reached - time;
    if (steps > RESOLUTION) {
      this.push(~p, ~q, reached, Math.max(FINEST, Math.min(level, Math.floor(Math.log2(steps)))));
      return;
    }
    const soon = Math.min(timeline.last, reached + RESOLUTION);
    if (soon < this.touching && this.hullsTouchAt(soon)) this.found(soon, p, q);
    else if (level <= FINEST && (steps === 0 || ++this.crept > MOST_CREPT)) this.cannotTell(time);
    this.push(~p, ~q, reached, Math.max(FINEST, level - 3));
  }

  private hullsTouchAt(time: number): boolean {
    const { poseA, poseB } = this.timeline.at(time);
    moveHull(hullA, poseA, hullA.end);
    moveHull(hullB, poseB, hullB.end);
    if (this.clearance === 0) return hullsMeet(hullA.end, hullB.end);
    hullDistanceTo(hullA.end, hullB.end, bracket, this.clearance);
    return bracket.upper <= this.clearance;
  }

  private found(time: number, p: number, q: number): void {
    if (time >= this.touching) return;
    this.touching = time;
    this.pair = [p, q];
  }

  /** Puts off everything if the earliest pair is too close to decide. */
  private cannotTell(time: number): void {
    const { timeline } = this;
    this.stride = this.unsure.at(-1)?.[1] === time ? 2 * this.stride : RESOLUTION;
    this.putOff = Math.min(timeline.last, time + this.stride);
    this.unsure.push([time, this.putOff]);
    if (this.putOff >= this.touching || !this.touchesAt(this.putOff)) return;
    let clear = time;
    const most = this.solidA || this.solidB ? MOST_HALVINGS_OF_SOLIDS : MOST_HALVINGS;
    for (let halvings = 0; halvings < most && this.touching - clear > RESOLUTION; halvings++) {
      const middle = Math.floor((clear + this.touching) / 2);
      if (!this.touchesAt(middle)) clear = middle;
    }
  }

  private touchesAt(time: number): boolean {
    const { a, b, clearance, timeline } = this;
    const { poseA, poseB } = timeline.at(time);
    const pair = openPair(a, b);
    const verdict: Verdict = clearance === 0 ? pair.verdict(poseB, poseA) : pair.clearance(poseB, clearance, poseA);
    if (verdict !== 'contact') return false;
    const { contacts } = pair.report({ poseA, poseB, ...(clearance > 0 && { clearance }) });
    const [p, q] = contacts.pairs[0] ?? [0, 0];
    this.found(time, p, q);
    return true;
  }
}
