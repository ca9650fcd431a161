/**
 * Finds all times at which two moving objects touch.
 *
 * Primitives that cross deeply prove contact for a span about a time (proofs below). Spans
 * grow while the proof holds, and are halved otherwise. If it fails for the shortest span (grazing
 * surfaces, hulls that are not triangles), a piece is undecided and the search goes on behind it.
 */
import type { MovedHull } from '../engine/leaves.ts';
import { HULL_NUMBERS, hullDistanceTo } from '../engine/narrow-phase.ts';
import { sideOf } from '../engine/operand.ts';
import { openPair } from '../engine/prepared.ts';
import type { DistanceBracket } from '../geometry/triangle-distance.ts';
import type { Pose } from '../math/pose.ts';
import { representationOf } from '../representations/kinds.ts';
import { FINEST, type Found, type ImpactSearch, type MovingPair, RESOLUTION } from './impact-search.ts';
import type { Impact } from './motion.ts';
import { MovingSolid, mostOfHull, moveHull, sweptHull } from './swept-gap.ts';
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

  /** A step soon after the last contact after `low`. From there on they are clear until `high`. */
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

/*
 * Proofs that two moving objects touch all through a span of time, from the poses in its middle.
 *
 * W bounds how far the difference of any two tested points may change between the middle and the
 * ends, slack for rounding included.
 *
 * Triangles. An edge pq properly crosses a triangle abc if the first two of these have opposite
 * signs and the other three have the same sign:
 *   det(p, abc), det(q, abc); det(pq, ab), det(pq, bc), det(pq, ca)
 * Each is the determinant of three differences no longer than l, so it changes by no more than
 *   (l + W)^3 - l^3 = W (3 l^2 + 3 l W + W^2)
 * A larger determinant keeps its sign. For coordinates up to r it is computed within
 *   2^-44 (l + r)^3
 *
 * Boxes. If a ball of radius W about a point x of the other hull is in the box, x stays in the box
 * for all of the span. The box is that of the edges at the first of its eight corners, in the order
 * of their bits; the distance of the other corners from it is subtracted.
 *
 * Functions. A solid says `in` of a hull if every hull of points within W of it holds a point of
 * the solid. Two such solids share, for all of the span, a point with a ball of radius W in both.
 *
 * With a clearance: points at distance d in the middle are no more than d + W apart.
 */

const points = new Float64Array(18);

function crossAllThrough(a: MovedHull, b: MovedHull, change: number, reach: number): boolean {
  for (let k = 0; k < 9; k++) {
    points[k] = a.points[k];
    points[9 + k] = b.points[k];
  }
  let longest = 0;
  for (let i = 0; i < 18; i += 3) {
    for (let j = 0; j < i; j += 3) {
      const [x, y, z] = [points[i] - points[j], points[i + 1] - points[j + 1], points[i + 2] - points[j + 2]];
      longest = Math.max(longest, Math.sqrt(x * x + y * y + z * z));
    }
  }
  const l = longest * (1 + 2 ** -40);
  const least = change * (3 * l * l + 3 * l * change + change * change) + 2 ** -44 * (l + reach) ** 3;
  for (let k = 0; k < 3; k++) {
    const next = (k + 1) % 3;
    if (goesThrough(3 * k, 3 * next, 9, 12, 15, least) || goesThrough(9 + 3 * k, 9 + 3 * next, 0, 3, 6, least)) {
      return true;
    }
  }
  return false;
}

function goesThrough(p: number, q: number, a: number, b: number, c: number, least: number): boolean {
  const ofP = determinant(p, a, b, c);
  const ofQ = determinant(q, a, b, c);
  if (!(Math.min(ofP, -ofQ) > least || Math.min(-ofP, ofQ) > least)) return false;
  const ab = determinant(p, q, a, b);
  const bc = determinant(p, q, b, c);
  const ca = determinant(p, q, c, a);
  return Math.min(ab, bc, ca) > least || Math.max(ab, bc, ca) < -least;
}

function determinant(o: number, a: number, b: number, c: number): number {
  const ax = points[a] - points[o];
  const ay = points[a + 1] - points[o + 1];
  const az = points[a + 2] - points[o + 2];
  const bx = points[b] - points[o];
  const by = points[b + 1] - points[o + 1];
  const bz = points[b + 2] - points[o + 2];
  const cx = points[c] - points[o];
  const cy = points[c + 1] - points[o + 1];
  const cz = points[c + 2] - points[o + 2];
  return ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
}

const centre: MovedHull = { points: new Float64Array(HULL_NUMBERS), count: 1 };
const nearest: DistanceBracket = { lower: 0, upper: 0, onA: a3(), onB: a3() };
const edges = new Float64Array(9);
const normal = new Float64Array(3);

/** True if a box of eight corners surely keeps a point of the other hull that moves by `change`. */
function keepsAllThrough(box: MovedHull, other: MovedHull, change: number, reach: number): boolean {
  const { points: p } = box;
  for (let k = 0; k < 3; k++) {
    let sum = 0;
    for (let i = 0; i < 8; i++) sum += p[3 * i + k];
    centre.points[k] = sum / 8;
    for (let axis = 0; axis < 3; axis++) edges[3 * axis + k] = (p[3 * (1 << axis) + k] - p[k]) / 2;
  }
  hullDistanceTo(centre, other, nearest, Number.POSITIVE_INFINITY);
  const spare = change + farFromBox(p) + 2 ** -40 * reach;
  for (let axis = 0; axis < 3; axis++) {
    setNormal(3 * ((axis + 1) % 3), 3 * ((axis + 2) % 3));
    let along = 0;
    let half = 0;
    for (let k = 0; k < 3; k++) {
      along += normal[k] * (nearest.onB[k] - centre.points[k]);
      half += normal[k] * edges[3 * axis + k];
    }
    // A flat box has no normal: NaN fails here.
    if (!(Math.abs(along) + spare < Math.abs(half))) return false;
  }
  return true;
}

function setNormal(i: number, j: number): void {
  const x = edges[i + 1] * edges[j + 2] - edges[i + 2] * edges[j + 1];
  const y = edges[i + 2] * edges[j] - edges[i] * edges[j + 2];
  const z = edges[i] * edges[j + 1] - edges[i + 1] * edges[j];
  const length = Math.sqrt(x * x + y * y + z * z);
  normal[0] = x / length;
  normal[1] = y / length;
  normal[2] = z / length;
}

function farFromBox(p: Float64Array): number {
  let most = 0;
  for (let i = 0; i < 8; i++) {
    let far = 0;
    for (let k = 0; k < 3; k++) {
      let at = centre.points[k];
      for (let axis = 0; axis < 3; axis++) at += (i >> axis) & 1 ? edges[3 * axis + k] : -edges[3 * axis + k];
      far += Math.abs(p[3 * i + k] - at);
    }
    most = Math.max(most, far);
  }
  return most;
}
