/**
 * How long two moving bounds, or two moving hulls, surely stay apart; also a moving hull and a
 * moving solid of a function.
 *
 * Letters. s and e are the ends of a span, h = e - s; a direction n is fixed in the common frame
 * while both objects move. For points p of the one and q of the other, f(t) is the least
 *   n . (q(t) - p(t))
 * While f > 0 they are apart. `gs` and `ge` bound f(s) and f(e) from below, computed from the moved
 * bounds or points; |n| <= `long`.
 *
 * By speeds. No p - q changes faster than v, the sum of two speed bounds, so
 *   f(t) >= gs - long v (t - s),   f(t) >= ge - long v (e - t)
 * They are apart for gs / (long v). They are apart for all of the span if both are positive and
 *   gs + ge > long v h
 *
 * By accelerations. Let a be the sum of two bounds of acceleration. For one pair of points
 *   g(t) = n . (q(t) - p(t)), |g''| <= long a, t = s + L h
 *   g(t) >= (1 - L) g(s) + L g(e) - long a h^2 L (1 - L) / 2,   g(s) >= gs, g(e) >= ge
 *   f >= (1 - L) gs + L ge - k L (1 - L),   k = long a h^2 / 2
 * This parabola in L bounds when they may meet by its first root. A straight motion has k = 0: the
 * root is exact, and objects that pass each other are separated in one step. (Conservative
 * advancement, as in M. Tang, Y. Kim, D. Manocha, "C2A: Controlled Conservative Advancement for
 * Continuous Collision Detection of Polygonal Models", ICRA 2009, bounds speeds alone, and so
 * creeps past anything near.)
 *
 * Rounding. The errors of g(s) and g(e) are at most the span's slack, for n of length `long`, which
 * is subtracted from both. The rounding of sums of lengths up to S, and the slack's share for it:
 *   2^-47 S, 2^-44 S
 * The caller reduces the root by 2^-30 of itself.
 */
import type { MovedHull, Solid } from '../engine/leaves.ts';
import { sideOf, solidIn } from '../engine/operand.ts';
import type { Asset } from '../engine/representation.ts';
import { BOX_NUMBERS, moveBox, reachOfBox } from '../geometry/rounded-box.ts';
import type { DistanceBracket } from '../geometry/triangle-distance.ts';
import { movePoint, type Pose } from '../math/pose.ts';
import { representationOf } from '../representations/kinds.ts';
import type { SpeedBound } from './motion.ts';
import type { Moment, Span } from './timeline.ts';

/** Bound of moved axes: a unit vector 1e-5 too long, under a pose that lengthens by 1e-5. */
const LONGEST = 1.00004;
/** Bound of normalized directions. */
const UNIT = 1 + 2 ** -40;
/** Smaller squares have lost digits to underflow. */
const SMALLEST_SQUARE = 2 ** -800;

const startA = new Float64Array(BOX_NUMBERS);
const startB = new Float64Array(BOX_NUMBERS);
const endA = new Float64Array(BOX_NUMBERS);
const endB = new Float64Array(BOX_NUMBERS);

/** For the current pair: k of the head for |n| = 1, or Infinity if unknown, and v h. */
const bend = { curve: 0, way: 0 };

/** An upper bound of speeds in a ball about (x, y, z), in the object's frame. */
function mostWithin({ linear, angular, centre }: SpeedBound, x: number, y: number, z: number, reach: number): number {
  if (angular === 0) return linear;
  const dx = x - centre[0];
  const dy = y - centre[1];
  const dz = z - centre[2];
  const squares = dx * dx + dy * dy + dz * dz;
  const away = squares > SMALLEST_SQUARE ? Math.sqrt(squares) : Math.abs(dx) + Math.abs(dy) + Math.abs(dz);
  return (linear + angular * (away + reach)) * (1 + 2 ** -40);
}

function setBend(span: Span, way: number, curve: number): void {
  bend.way = way * span.length * (1 + 2 ** -40);
  bend.curve = 0.5 * curve * span.length * span.length * (1 + 2 ** -40);
}

/** The largest deviation from a straight path of points of two bounds; see `clearPart`. */
export function bendOfBounds(span: Span, boundsA: Float64Array, i: number, boundsB: Float64Array, j: number): number {
  const reachA = reachOfBox(boundsA, i);
  const reachB = reachOfBox(boundsB, j);
  const { speedA, speedB, accelerationA, accelerationB } = span;
  setBend(
    span,
    mostWithin(speedA, boundsA[i], boundsA[i + 1], boundsA[i + 2], reachA) +
      mostWithin(speedB, boundsB[j], boundsB[j + 1], boundsB[j + 2], reachB),
    accelerationA && accelerationB
      ? mostWithin(accelerationA, boundsA[i], boundsA[i + 1], boundsA[i + 2], reachA) +
          mostWithin(accelerationB, boundsB[j], boundsB[j + 1], boundsB[j + 2], reachB)
      : Number.POSITIVE_INFINITY,
  );
  return Math.min(bend.curve / 4, bend.way / 2);
}

/**
 * The part of a span, from 0 to 1 (end included), before which bounds come no nearer than
 * `clearance`.
 */
export function clearPart(
  span: Span,
  boundsA: Float64Array,
  i: number,
  boundsB: Float64Array,
  j: number,
  clearance: number,
): number {
  const { from, to } = span;
  bendOfBounds(span, boundsA, i, boundsB, j);
  const slack = span.slack + clearance * UNIT;
  moveBox(from.poseA, from.normA, boundsA, i, startA, 0);
  moveBox(from.poseB, from.normB, boundsB, j, startB, 0);
  moveBox(to.poseA, to.normA, boundsA, i, endA, 0);
  moveBox(to.poseB, to.normB, boundsB, j, endB, 0);
  const x = startB[0] - startA[0];
  const y = startB[1] - startA[1];
  const z = startB[2] - startA[2];
  // Directions: between the centers where a straight motion has them nearest, and at the start.
  const u = endB[0] - endA[0] - x;
  const v = endB[1] - endA[1] - y;
  const w = endB[2] - endA[2] - z;
  const along = -(u * x + v * y + w * z);
  let part = 0;
  if (along > 0) {
    const at = Math.min(1, along / (u * u + v * v + w * w));
    part = partAlongLine(x + at * u, y + at * v, z + at * w, slack);
  }
  if (part < 1) part = Math.max(part, partAlongLine(x, y, z, slack));
  const isBallA = isBall(startA);
  const isBallB = isBall(startB);
  for (let k = 4; k < 16 && part < 1; k += 4) {
    if (!isBallA) part = Math.max(part, partAlong(startA[k], startA[k + 1], startA[k + 2], LONGEST, slack));
    if (!isBallB && part < 1) {
      part = Math.max(part, partAlong(startB[k], startB[k + 1], startB[k + 2], LONGEST, slack));
    }
  }
  return part;
}

function partAlongLine(x: number, y: number, z: number, slack: number): number {
  const squares = x * x + y * y + z * z;
  if (!(squares > SMALLEST_SQUARE)) return 0;
  const d = Math.sqrt(squares);
  return partAlong(x / d, y / d, z / d, UNIT, slack);
}

const isBall = (box: Float64Array): boolean => box[7] === 0 && box[11] === 0 && box[15] === 0;

/** Half the width of a box, without its ball, along (x, y, z), times that vector's length. */
function spread(a: Float64Array, x: number, y: number, z: number): number {
  return (
    a[7] * Math.abs(a[4] * x + a[5] * y + a[6] * z) +
    a[11] * Math.abs(a[8] * x + a[9] * y + a[10] * z) +
    a[15] * Math.abs(a[12] * x + a[13] * y + a[14] * z)
  );
}

function partAlong(x: number, y: number, z: number, long: number, slack: number): number {
  const t = x * (startB[0] - startA[0]) + y * (startB[1] - startA[1]) + z * (startB[2] - startA[2]);
  const gs = Math.abs(t) - spread(startA, x, y, z) - spread(startB, x, y, z) - long * (startA[3] + startB[3] + slack);
  if (!(gs > 0)) return 0;
  const u = x * (endB[0] - endA[0]) + y * (endB[1] - endA[1]) + z * (endB[2] - endA[2]);
  const ge = (t < 0 ? -u : u) - spread(endA, x, y, z) - spread(endB, x, y, z) - long * (endA[3] + endB[3] + slack);
  return partOf(gs, ge, long);
}

function partOf(gs: number, ge: number, long: number): number {
  const way = long * bend.way;
  if (gs > way || (ge > 0 && gs + ge > way)) return 1;
  // NaN bounds prove nothing.
  const bySpeed = way < Number.POSITIVE_INFINITY ? gs / way : 0;
  const k = long * bend.curve;
  if (!(k < Number.POSITIVE_INFINITY)) return bySpeed;
  const fall = gs + k - ge;
  if (fall <= 0) return 1;
  // Quotients: products of small lengths could underflow, and the root would be too late.
  const discriminant = 1 - 4 * (k / fall) * (gs / fall);
  if (discriminant < 0) return 1;
  const root = (2 * (gs / fall)) / (Math.sqrt(discriminant) + 1);
  return root > bySpeed ? Math.min(1, root) : bySpeed;
}

interface SweptHull {
  count: number;
  own: Float64Array;
  start: MovedHull;
  end: MovedHull;
}

export const sweptHull = (numbers: number): SweptHull => ({
  count: 0,
  own: new Float64Array(numbers),
  start: { points: new Float64Array(numbers), count: 0 },
  end: { points: new Float64Array(numbers), count: 0 },
});

export function moveHull({ own, count }: SweptHull, pose: Pose, out: MovedHull): MovedHull {
  out.count = count;
  for (let k = 0; k < 3 * count; k += 3) movePoint(pose, own[k], own[k + 1], own[k + 2], out.points, k);
  return out;
}

export function mostOfHull(bound: SpeedBound, { own, count }: SweptHull): number {
  if (bound.angular === 0) return bound.linear;
  let most = 0;
  for (let k = 0; k < 3 * count; k += 3) most = Math.max(most, mostWithin(bound, own[k], own[k + 1], own[k + 2], 0));
  return most;
}

/** `clearPart` for two hulls, along the line of their nearest points at the span's start. */
export function clearPartOfHulls(
  span: Span,
  a: SweptHull,
  b: SweptHull,
  { onA, onB }: DistanceBracket,
  clearance: number,
): number {
  setBend(
    span,
    mostOfHull(span.speedA, a) + mostOfHull(span.speedB, b),
    span.accelerationA && span.accelerationB
      ? mostOfHull(span.accelerationA, a) + mostOfHull(span.accelerationB, b)
      : Number.POSITIVE_INFINITY,
  );
  return hullsAlong(a, b, onB[0] - onA[0], onB[1] - onA[1], onB[2] - onA[2], span.slack + clearance * UNIT);
}

/**
 * After `clearPartOfHulls`: along normals of two edges. For hulls nearly in contact rounding blurs
 * the line of nearest points.
 */
export function clearPartByEdges(span: Span, a: SweptHull, b: SweptHull, clearance: number): number {
  const slack = span.slack + clearance * UNIT;
  let part = Math.max(partByEdges(a, a, a, b, slack), partByEdges(b, b, a, b, slack));
  if (part < 1) part = Math.max(part, partByEdges(a, b, a, b, slack));
  return part;
}

const EDGES = 3;

function partByEdges(one: SweptHull, other: SweptHull, a: SweptHull, b: SweptHull, slack: number): number {
  let part = 0;
  for (let i = 0; i < EDGES && part < 1; i++) {
    setEdge(one.start, i, edgeP);
    for (let j = one === other ? i + 1 : 0; j < EDGES && part < 1; j++) {
      setEdge(other.start, j, edgeQ);
      let x = edgeP[1] * edgeQ[2] - edgeP[2] * edgeQ[1];
      let y = edgeP[2] * edgeQ[0] - edgeP[0] * edgeQ[2];
      let z = edgeP[0] * edgeQ[1] - edgeP[1] * edgeQ[0];
      const p = a.start.points;
      const q = b.start.points;
      if (x * (q[0] - p[0]) + y * (q[1] - p[1]) + z * (q[2] - p[2]) < 0) {
        x = -x;
        y = -y;
        z = -z;
      }
      part = Math.max(part, hullsAlong(a, b, x, y, z, slack));
    }
  }
  return part;
}

const edgeP = new Float64Array(3);
const edgeQ = new Float64Array(3);

function setEdge({ points, count }: MovedHull, i: number, out: Float64Array): void {
  const from = count === 3 ? 3 * ((i + 1) % 3) : 0;
  const to = count === 3 ? 3 * i : count === 8 ? 3 * (1 << i) : 3 * Math.min(i + 1, count - 1);
  for (let k = 0; k < 3; k++) out[k] = points[to + k] - points[from + k];
}

function hullsAlong(a: SweptHull, b: SweptHull, dx: number, dy: number, dz: number, room: number): number {
  const squares = dx * dx + dy * dy + dz * dz;
  if (!(squares > SMALLEST_SQUARE)) return 0;
  const d = Math.sqrt(squares);
  const x = dx / d;
  const y = dy / d;
  const z = dz / d;
  const slack = UNIT * room;
  const gs = leastAlong(b.start, x, y, z) + leastAlong(a.start, -x, -y, -z) - slack;
  if (!(gs > 0)) return 0;
  const ge = leastAlong(b.end, x, y, z) + leastAlong(a.end, -x, -y, -z) - slack;
  return partOf(gs, ge, UNIT);
}

function leastAlong({ points, count }: MovedHull, x: number, y: number, z: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let k = 0; k < 3 * count; k += 3) {
    const along = points[k] * x + points[k + 1] * y + points[k + 2] * z;
    if (along < least) least = along;
  }
  return least;
}

/*
 * A moving solid defined by a function, tested as a whole against hulls of the other object.
 *
 * An answer for one time holds for a span. Let dt be the longest from the middle time m to the
 * span's ends, and v at least the sum of the speeds of the hull's and the solid's points. If they
 * share a point at a time t of the span, the solid's point there was, at m, within v dt of the
 * hull's. So some hull of points within v dt of the hull's at m holds a point of the solid. The
 * solid says `out` if there is none. Slack covers rounding and the clearance.
 */

/** Parts of a hull to test: if points move by MUCH of its size, otherwise, and in short spans. */
const HURRIED = 2 ** 6;
const ORDINARY = 2 ** 9;
const EFFORT = 2 ** 12;
const MUCH = 1 / 16;

interface ClearTest {
  clearance: number;
  isLast: boolean;
}

export class MovingSolid {
  private readonly solids = new WeakMap<Pose, Solid>();

  constructor(
    private readonly asset: Asset,
    private readonly side: 'a' | 'b',
  ) {}

  private at(moment: Moment): Solid {
    const pose = this.side === 'a' ? moment.poseA : moment.poseB;
    let solid = this.solids.get(pose);
    if (!solid) {
      const { asset } = this;
      solid = solidIn(pose, asset, representationOf(asset).solid!);
      this.solids.set(pose, solid);
    }
    return solid;
  }

  speed(bound: SpeedBound): number {
    const { bounds } = sideOf(this.asset).tree;
    return mostWithin(bound, bounds[0], bounds[1], bounds[2], reachOfBox(bounds, 0));
  }

  /**
   * True if the solid stays farther than `clearance` from a hull, given at `middle`, during the
   * span.
   *
   * @param speed an upper bound of the hull's points' speed
   * @param test.isLast true if no shorter span will be tested
   */
  isClear(hull: MovedHull, speed: number, middle: Moment, span: Span, test: ClearTest): boolean {
    const { clearance, isLast } = test;
    const length = Math.max(middle.time - span.from.time, span.to.time - middle.time);
    const most = speed + this.speed(this.side === 'a' ? span.speedA : span.speedB);
    const slack = Math.max(span.slack, middle.slack);
    const within = (most * length + slack + clearance) * (1 + 2 ** -40);
    const effort = isLast ? EFFORT : most * length > MUCH * sizeOf(hull) ? HURRIED : ORDINARY;
    return this.at(middle).ask(hull, within, effort) === 'out';
  }

  /**
   * True if all hulls of points within `way` of these meet the solid. For a `way` of 0, the answer
   * is that of `check`.
   */
  isMet(hull: MovedHull, moment: Moment, way: number): boolean {
    return this.at(moment).ask(hull, way, EFFORT) === 'in';
  }
}

function sizeOf({ points, count }: MovedHull): number {
  const last = 3 * (count - 1);
  return Math.hypot(points[last] - points[0], points[last + 1] - points[1], points[last + 2] - points[2]);
}
