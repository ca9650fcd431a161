/**
 * When do two moving objects first touch? A best-first search in time.
 *
 * Pairs of bounds wait in a heap by the earliest time at which they may touch. The earliest is
 * taken: where its motion is bent by more than its size, its span of time is halved, else its larger
 * bound is opened, and pairs of hulls go on along the line of their nearest points, until they
 * touch. Nothing below a pair touches before the pair's time (swept-gap.ts proves each step), so
 * before the least time in the heap nothing touches at all: that is t0. So the search looks at what
 * may meet first, as closely as it must, and at nothing later: "no tunnelling" is no question of a
 * step's size.
 *
 * (After B. Mirtich, "Timewarp Rigid Body Simulation", SIGGRAPH 2000, a heap of times of impact, and
 * M. Tang, Y. Kim, D. Manocha, "C2A", ICRA 2009. Those advance whole objects by their distance; here
 * each pair of nodes has a time of its own, which takes no distance query at all.)
 *
 * What is proved. Let the objects stand where their motions say in real arithmetic. `clear`: they
 * share no point at any time. Otherwise they share none before `first.from`, strictly. `contact`: at
 * `first.to`, computed as it is, the exact test of `check` in the poses that `poseAt` gives says so.
 * Times in the heap are whole steps of a timeline, rounded down.
 *
 * Where two are too close to be told apart, by rounding or since they graze, all that waits is put
 * off by a resolution, then by two, four, ...: so a search ends that slides along a surface. The
 * piece is undecided, and if later contact is proved, `first` reaches from before to after it.
 */
import type { DistanceBracket } from '../geometry/distance-bracket.ts';
import { BOX_NUMBERS, reachOfBox } from '../geometry/rounded-box.ts';
import { requireOptionTypes, requireThat } from '../math/require.ts';
import { openPair } from '../pair/pair.ts';
import type { BoundTree } from '../query/bound-tree.ts';
import { HULL_NUMBERS, hullDistanceTo, hullsMeet } from '../query/narrow-phase.ts';
import type { ContactPair, Verdict } from '../query/report.ts';
import type { Asset, Representation } from '../query/representation.ts';
import { sideOf } from '../representations/operand.ts';
import { representationOf } from '../representations/registry.ts';
import type { Impact, ImpactOptions } from './impact.ts';
import type { RigidMotion } from './motion.ts';
import { MovingSolid } from './moving-solid.ts';
import { bend, bendOf, clearPart, clearPartOfHulls, mostOfHull, moveHull, sweptHull } from './swept-gap.ts';
import { TimeHeap } from './time-heap.ts';
import { type Placement, Timeline } from './timeline.ts';

const TIME_RESOLUTION = 2 ** -20;
/** Steps of the timeline in a resolution, and the level of spans that are so long. */
const FINEST = 2;
const RESOLUTION = 2 ** FINEST;
/** A span is halved where its bend is more than this part of the two bounds' sizes. */
const MOST_BEND = 0.5;
/** Roots are taken so much too soon. */
const DOWN = 1 - 2 ** -30;
/** Pairs at one time are taken by their depth, the deepest first; hulls are deeper than any. */
const DEPTHS = 64;
const HULLS = DEPTHS - 1;
/** Set in a note where nothing is known of the pair's span yet. */
const FRESH = 64;
const LEVEL = 63;
/** The clock is read once in so many steps. */
const STEPS_A_LOOK = 64;
/** Halvings by which a contact that was found late is taken nearer to what is clear. */
const MOST_HALVINGS = 40;
/** Of solids that functions define, where one look takes milliseconds. */
const MOST_HALVINGS_OF_SOLIDS = 8;

const a3 = () => new Float64Array(3);
const bracket: DistanceBracket = { lower: 0, upper: 0, onA: a3(), onB: a3() };
const hullA = sweptHull(HULL_NUMBERS);
const hullB = sweptHull(HULL_NUMBERS);

/**
 * The first time at which two moving objects touch, or come as close as the clearance.
 *
 * @throws OptionError for options that make no sense, motions that have no time in common, assets in
 *   different recorded units
 */
export function impactOf(
  a: Asset,
  b: Asset,
  motionA: RigidMotion,
  motionB: RigidMotion,
  options: ImpactOptions = {},
): Impact {
  requireOptionTypes(options, {
    timeResolution: 'number',
    clearance: 'number',
    allIntervals: 'boolean',
    distance: 'boolean',
    budget: 'number',
  });
  const { timeResolution = TIME_RESOLUTION, clearance = 0, budget = Number.POSITIVE_INFINITY } = options;
  requireThat(timeResolution > 0 && timeResolution <= 1, 'timeResolution', 'above 0, up to 1', timeResolution);
  requireThat(clearance >= 0 && clearance <= 1e150, 'clearance', 'a length from 0 to 1e150', clearance);
  requireThat(budget >= 0, 'budget', 'milliseconds', budget);
  const common = Math.max(motionA.begin, motionB.begin) <= Math.min(motionA.end, motionB.end);
  requireThat(common, 'motions', 'some time in common', `${motionA.begin}..${motionA.end}`);
  return new Search(a, b, motionA, motionB, timeResolution, clearance, performance.now() + budget).run();
}

class Search {
  private readonly ofA: Representation<Asset>;
  private readonly ofB: Representation<Asset>;
  private readonly treeA: BoundTree;
  private readonly treeB: BoundTree;
  private readonly timeline: Timeline;
  private readonly heap = new TimeHeap();
  private readonly tests = { bounds: 0, hulls: 0, times: 0 };
  /** Where contact is proved, the earliest that is known; Infinity while there is none. */
  private touching = Number.POSITIVE_INFINITY;
  private pair: ContactPair | null = null;
  /** The undecided piece: where it begins, what is put off until when, and by how much. */
  private unsureFrom = Number.POSITIVE_INFINITY;
  private putOff = 0;
  private stride = RESOLUTION;
  private readonly solidA: MovingSolid | undefined;
  private readonly solidB: MovingSolid | undefined;
  /** Of one solid and what is none: the other's hulls that wait with all of the solid. */
  private readonly asked = new Set<number>();

  constructor(
    private readonly a: Asset,
    private readonly b: Asset,
    motionA: RigidMotion,
    motionB: RigidMotion,
    resolution: number,
    private readonly clearance: number,
    private readonly deadline: number,
  ) {
    this.ofA = representationOf(a);
    this.ofB = representationOf(b);
    const sideA = sideOf(a);
    const sideB = sideOf(b);
    this.treeA = sideA.tree;
    this.treeB = sideB.tree;
    if (this.ofA.refine) this.solidA = new MovingSolid(a, true);
    if (this.ofB.refine) this.solidB = new MovingSolid(b, false);
    this.timeline = new Timeline(motionA, motionB, sideA.reach, sideB.reach, resolution, RESOLUTION);
  }

  run(): Impact {
    const { heap, timeline } = this;
    const least = this.search();
    this.tests.times = timeline.asked;
    const nothing = { intervals: null, distance: null, tests: this.tests };
    if (this.touching < Number.POSITIVE_INFINITY) {
      const from = timeline.timeOf(Math.min(least, this.unsureFrom, this.touching));
      return { verdict: 'contact', first: { from, to: timeline.timeOf(this.touching) }, pair: this.pair, ...nothing };
    }
    if (heap.size === 0 && this.unsureFrom === Number.POSITIVE_INFINITY) {
      return { verdict: 'clear', first: null, pair: null, ...nothing };
    }
    const first = {
      from: timeline.timeOf(Math.min(least, this.unsureFrom)),
      to: heap.size > 0 ? timeline.end : timeline.timeOf(this.putOff),
    };
    return { verdict: 'undecided', first, pair: null, ...nothing };
  }

  /** The number of the time before which nothing that is left may touch. */
  private search(): number {
    const { heap, timeline } = this;
    if (this.touchesAt(0)) return 0;
    if (timeline.last === 0) return 0;
    this.advanceNodes(0, 0, 0, timeline.levels);
    for (let steps = 1; heap.size > 0; steps++) {
      const least = Math.floor(heap.least / DEPTHS);
      if (this.touching - least <= RESOLUTION) return least;
      if (steps % STEPS_A_LOOK === 0 && performance.now() >= this.deadline) return least;
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

  /** Puts a pair into the heap unless its time is beyond the motion's, or what is known. */
  private push(i: number, j: number, time: number, note: number): void {
    if (time >= this.timeline.last || time >= this.touching) return;
    const depth = i < 0 ? HULLS : Math.min(HULLS - 1, this.treeA.level[i] + this.treeB.level[j]);
    this.heap.push(DEPTHS * time + (HULLS - depth), i, j, note);
  }

  /**
   * Finds the time before which two nodes do not touch, within the span of 2^level steps that `time`
   * is in.
   */
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
    const reachA = reachOfBox(boundsA, BOX_NUMBERS * i);
    const reachB = reachOfBox(boundsB, BOX_NUMBERS * j);
    const span = this.timeline.span(start, level);
    return clearPart(span, boundsA, BOX_NUMBERS * i, reachA, boundsB, BOX_NUMBERS * j, reachB, this.clearance);
  }

  /** The last step of which a span that is clear for a part of it is surely clear before. */
  private reached(start: number, steps: number, part: number): number {
    if (part >= 1) return Math.min(this.timeline.last, start + steps);
    return Math.max(start, Math.floor(start + part * DOWN * steps - 0.5));
  }

  /** Halves the span of a pair, or replaces the pair by those of its children. */
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

  /** Whether a solid's cell is small beside a leaf of the other side, whose hulls it is asked about. */
  private isSmallCell(opensA: boolean, sizeA: number, opensB: boolean, sizeB: number): boolean {
    return this.solidA ? !opensB && sizeA <= 2 * sizeB : !opensA && sizeB <= 2 * sizeA;
  }

  private bendWithin(i: number, j: number, time: number, level: number): number {
    const steps = 2 ** level;
    this.clearNodes(i, j, Math.floor(time / steps) * steps, level);
    return bendOf(bend);
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

  /**
   * Every hull of the leaf waits with all of the solid, once: from this time on, before which
   * nothing touches.
   */
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

  /** Whether one of the two, and not the other, is a solid that a function defines. */
  private get isLone(): boolean {
    return (this.solidA === undefined) !== (this.solidB === undefined);
  }

  private advance(p: number, q: number, time: number, level: number): void {
    const { solidA, solidB } = this;
    if (solidA && solidB) this.advanceCells(solidA, solidB, p, q, time, level);
    else if (solidA) this.advanceSolid(solidA, p, q, time, level);
    else if (solidB) this.advanceSolid(solidB, p, q, time, level);
    else this.advanceHulls(p, q, time, level);
  }

  /** As advanceHulls, all of a solid and a hull of the other side. */
  private advanceSolid(solid: MovingSolid, p: number, q: number, time: number, level: number): void {
    const { timeline, clearance, solidA } = this;
    this.tests.hulls++;
    const hull = solidA ? hullB : hullA;
    hull.count = solidA ? this.ofB.hull(this.b, q, hull.own) : this.ofA.hull(this.a, p, hull.own);
    const span = timeline.span(time, level);
    const end = Math.min(timeline.last, time + 2 ** level);
    const middle = timeline.at(Math.floor((time + end) / 2));
    const poseAt = (placement: Placement) => (solidA ? placement.poseB : placement.poseA);
    const speed = mostOfHull(solidA ? span.speedB : span.speedA, hull);
    if (solid.isClear(moveHull(hull, poseAt(middle), hull.start), speed, middle, span, clearance, level <= FINEST)) {
      this.push(~p, ~q, end, Math.min(timeline.levels, level + 1));
      return;
    }
    if (level > FINEST) {
      this.push(~p, ~q, time, level - 1);
      return;
    }
    const isMet = clearance === 0 && solid.touches(moveHull(hull, poseAt(span.to), hull.end), span.to);
    if (isMet) this.found(end, p, q);
    else this.cannotTell(time);
    this.push(~p, ~q, time, level);
  }

  /** As advanceHulls, cells of two solids. */
  private advanceCells(a: MovingSolid, b: MovingSolid, p: number, q: number, time: number, level: number): void {
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
    if (
      a.isClear(ofB, mostOfHull(span.speedB, hullB), middle, span, clearance, level <= FINEST) ||
      b.isClear(ofA, mostOfHull(span.speedA, hullA), middle, span, clearance, level <= FINEST)
    ) {
      this.push(~p, ~q, end, Math.min(timeline.levels, level + 1));
      return;
    }
    if (level <= FINEST) this.cannotTell(time);
    this.push(~p, ~q, time, Math.max(FINEST, level - 2));
  }

  /** Takes two hulls on from a time at which they are known to be clear of each other before. */
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
    const part = clearPartOfHulls(span, hullA, hullB, bracket, clearance);
    const reached = this.reached(time, Math.min(2 ** level, timeline.last - time), part);
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
    else if (level <= FINEST && steps === 0) this.cannotTell(time);
    this.push(~p, ~q, reached, Math.max(FINEST, level - 3));
  }

  /** Whether the hulls that were loaded last touch at a time. */
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

  /** What is too close at the least time of all is left for a while. */
  private cannotTell(time: number): void {
    const { timeline } = this;
    this.stride = time > this.putOff ? RESOLUTION : 2 * this.stride;
    this.unsureFrom = Math.min(this.unsureFrom, time);
    this.putOff = Math.min(timeline.last, time + this.stride);
    if (this.putOff >= this.touching || !this.touchesAt(this.putOff)) return;
    // Nearer to the times that are not told.
    let clear = time;
    const most = this.solidA || this.solidB ? MOST_HALVINGS_OF_SOLIDS : MOST_HALVINGS;
    for (let halvings = 0; halvings < most && this.touching - clear > RESOLUTION; halvings++) {
      const middle = Math.floor((clear + this.touching) / 2);
      if (!this.touchesAt(middle)) clear = middle;
    }
  }

  /** Asks `check`, and takes down what it finds. */
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
