/**
 * Finds all times at which two moving objects touch.
 *
 * Primitives that cross deeply prove contact for a span about a time (lasting-contact.ts). Spans
 * grow while the proof holds, and are halved otherwise. If it fails for the shortest span (grazing
 * surfaces, hulls that are not triangles), a piece is undecided and the search goes on behind it.
 */

import { HULL_NUMBERS, hullDistanceTo } from '../engine/narrow-phase.ts';
import { sideOf } from '../engine/operand.ts';
import { openPair } from '../engine/prepared.ts';
import type { DistanceBracket } from '../geometry/triangle-distance.ts';
import type { Pose } from '../math/pose.ts';
import { representationOf } from '../representations/kinds.ts';
import type { Impact } from './impact.ts';
import { FINEST, type Found, type ImpactSearch, type MovingPair, RESOLUTION } from './impact-search.ts';
import { crossAllThrough, keepsAllThrough } from './lasting-contact.ts';
import { MovingSolid } from './moving-solid.ts';
import { mostOfHull, moveHull, sweptHull } from './swept-gap.ts';
import type { Moment, Span } from './timeline.ts';

type Interval = NonNullable<Impact['intervals']>[number];

interface Piece {
  from: number;
  to: number;
  verdict: Interval['verdict'];
}

const MOST_CONTACTS = 64;
/** The first span of a contact is the motion's length times 2^-FIRST. */
const FIRST = 5;

const hullA = sweptHull(HULL_NUMBERS);
const hullB = sweptHull(HULL_NUMBERS);
const a3 = () => new Float64Array(3);
const bracket: DistanceBracket = { lower: 0, upper: 0, onA: a3(), onB: a3() };

export function contactIntervals(moving: MovingPair, search: ImpactSearch, first: Found): Interval[] {
  return new Intervals(moving, search).run(first);
}

class Intervals {
  private readonly pieces: Piece[] = [];
  private p = -1;
  private q = -1;
  private readonly solidA: MovingSolid | undefined;
  private readonly solidB: MovingSolid | undefined;

  constructor(
    private readonly moving: MovingPair,
    private readonly search: ImpactSearch,
  ) {
    if (representationOf(moving.a).solid) this.solidA = new MovingSolid(moving.a, 'a');
    if (representationOf(moving.b).solid) this.solidB = new MovingSolid(moving.b, 'b');
  }

  run(first: Found): Interval[] {
    const { timeline } = this.moving;
    let found = first;
    let stride = RESOLUTION;
    while (found.apart < Number.POSITIVE_INFINITY) {
      for (const [from, to] of found.unsure) this.add(from, to, 'undecided');
      if (found.touching === Number.POSITIVE_INFINITY) break;
      const end = this.follow(found.touching);
      this.add(found.touching, end, 'contact');
      if (end === timeline.last) break;
      stride = end > found.touching ? RESOLUTION : 2 * stride;
      const next = performance.now() >= this.moving.deadline ? timeline.last : Math.min(timeline.last, end + stride);
      found = this.search.from(next);
      this.add(end, found.apart > next && stride > RESOLUTION ? this.endBetween(end, next) : next, 'undecided');
    }
    return this.joined().map(({ from, to, verdict }) => ({
      from: timeline.timeOf(from),
      to: timeline.timeOf(to),
      verdict,
    }));
  }

  /** A step soon after the last contact after `low`; from it on they are clear until `high`. */
  private endBetween(low: number, high: number): number {
    let clear = high;
    let touching = low;
    while (clear - touching > RESOLUTION && performance.now() < this.moving.deadline) {
      const middle = Math.floor((touching + clear) / 2);
      if (this.search.from(middle).apart >= clear) clear = middle;
      else touching = middle;
    }
    return clear;
  }

  /** Drops contacts of a single time beside an undecided piece, which covers them. */
  private joined(): Piece[] {
    const { pieces } = this;
    const isLone = (i: number) => pieces[i - 1]?.to !== pieces[i].from && pieces[i + 1]?.from !== pieces[i].to;
    const kept = pieces.filter(({ from, to }, i) => to > from || isLone(i));
    return kept.reduce<Piece[]>((list, piece) => {
      const last = list.at(-1);
      if (last && last.to === piece.from && last.verdict === piece.verdict) last.to = piece.to;
      else list.push({ ...piece });
      return list;
    }, []);
  }

  private add(from: number, to: number, verdict: Interval['verdict']): void {
    const last = this.pieces.at(-1);
    if (last && last.verdict === verdict && last.to >= from) last.to = Math.max(last.to, to);
    else if (last && verdict === 'undecided' && last.to >= to) return;
    else
      this.pieces.push({ from: last && last.verdict === 'undecided' ? Math.max(from, last.from) : from, to, verdict });
  }

  private follow(from: number): number {
    const { timeline, deadline } = this.moving;
    let at = from;
    let level = Math.max(FINEST, timeline.levels - FIRST);
    while (at < timeline.last && performance.now() < deadline) {
      const end = Math.min(timeline.last, at + 2 ** level);
      if (this.touchThrough(at, end, level)) {
        at = end;
        level = Math.min(timeline.levels, level + 1);
      } else if (level > FINEST) level--;
      else break;
    }
    return at;
  }

  private touchThrough(from: number, end: number, level: number): boolean {
    const { a, b, timeline, clearance } = this.moving;
    const span = timeline.span(from, level);
    const middle = timeline.at(Math.floor((from + end) / 2));
    const length = Math.max(middle.time - span.from.time, span.to.time - middle.time) * (1 + 2 ** -40);
    const slack = Math.max(span.slack, middle.slack);
    if (this.standStill(span)) return true;
    if (this.p >= 0 && this.pairTouches(this.p, this.q, span, middle, length, slack)) return true;
    const { poseA, poseB } = middle;
    const most = { all: true, maxContacts: MOST_CONTACTS, ...(clearance > 0 && { clearance }) };
    const report = openPair(a, b).report({ poseA, poseB, ...most });
    if (report.verdict !== 'contact') return false;
    for (const { point } of report.cells?.contacts ?? [])
      if (this.shareAll(point, span, middle, length, slack)) return true;
    for (const [p, q] of report.contacts.pairs) {
      if (!this.pairTouches(p, q, span, middle, length, slack)) continue;
      this.p = p;
      this.q = q;
      return true;
    }
    return false;
  }

  private standStill({ from, to, speedA, speedB }: Span): boolean {
    const isStill = [speedA, speedB].every(({ linear, angular }) => linear === 0 && angular === 0);
    const areSame = (a: Pose, b: Pose) => a.every((x, k) => x === b[k]);
    return isStill && areSame(from.poseA, to.poseA) && areSame(from.poseB, to.poseB);
  }

  private pairTouches(p: number, q: number, span: Span, middle: Moment, length: number, slack: number): boolean {
    const { a, b } = this.moving;
    const { solidA, solidB } = this;
    if (solidA && solidB) return false;
    if (!solidA) hullA.count = representationOf(a).hull(a, p, hullA.own);
    if (!solidB) hullB.count = representationOf(b).hull(b, q, hullB.own);
    const speedA = solidA ? solidA.speed(span.speedA) : mostOfHull(span.speedA, hullA);
    const speedB = solidB ? solidB.speed(span.speedB) : mostOfHull(span.speedB, hullB);
    const way = ((speedA + speedB) * length + slack) * (1 + 2 ** -40);
    if (!solidA) moveHull(hullA, middle.poseA, hullA.start);
    if (!solidB) moveHull(hullB, middle.poseB, hullB.start);
    if (solidA) return solidA.isMet(hullB.start, middle, way);
    if (solidB) return solidB.isMet(hullA.start, middle, way);
    if (this.moving.clearance > 0) {
      hullDistanceTo(hullA.start, hullB.start, bracket, Number.POSITIVE_INFINITY);
      if ((bracket.upper + way) * (1 + 2 ** -40) <= this.moving.clearance) return true;
    }
    const reach = this.reach(middle);
    if (hullA.count === 8 && keepsAllThrough(hullA.start, hullB.start, way, reach)) return true;
    if (hullB.count === 8 && keepsAllThrough(hullB.start, hullA.start, way, reach)) return true;
    if (hullA.count !== 3 || hullB.count !== 3) return false;
    // The difference of two points of one object changes by as much as both move.
    return crossAllThrough(hullA.start, hullB.start, 2 * way, reach);
  }

  private shareAll(point: readonly number[], span: Span, middle: Moment, length: number, slack: number): boolean {
    const { solidA, solidB } = this;
    if (!solidA || !solidB) return false;
    const way = ((solidA.speed(span.speedA) + solidB.speed(span.speedB)) * length + slack) * (1 + 2 ** -40);
    const hull = { points: Float64Array.from(point), count: 1 };
    return solidA.isMet(hull, middle, way) && solidB.isMet(hull, middle, way);
  }

  private reach({ poseA, poseB }: Moment): number {
    let most = 0;
    for (const k of [3, 7, 11]) most = Math.max(most, Math.abs(poseA[k]), Math.abs(poseB[k]));
    return 1.1 * (most + Math.max(sideOf(this.moving.a).reach, sideOf(this.moving.b).reach));
  }
}
