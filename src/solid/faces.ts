/**
 * Finds exact points in all faces into which other triangles cut a triangle.
 *
 * The others share segments with the triangle's plane: their intersections with it, and the sides
 * of coplanar ones. The ends are ratios of whole numbers, in the two coordinates (u, v) in which
 * the plane is seen best. Every face of the arrangement of these segments and the triangle's own
 * sides has a lower border. So points just above every piece of every segment, halfway to the next
 * segment, reach every face. No segment is upright: u is sheared by v.
 *
 * Only the choice of a point between two others is rounded, and then verified.
 *
 * The arrangement follows M. de Berg, O. Cheong, M. van Kreveld, M. Overmars, "Computational
 * Geometry", 2008, chapter 2, without a sweep: dozens of triangles cut one, rarely thousands.
 * Doubles first exclude segments that cannot meet (`Columns`).
 */
import { type ExactPoint, exactPoint, middleOf, ratio, shiftOfAll, toSteps } from '../geometry/exact-point.ts';

/** A point of the plane, (U, V) / W, with W more than 0; in steps, u sheared. */
interface Planar {
  U: bigint;
  V: bigint;
  W: bigint;
}

const columnOf = ({ U, W }: Planar): Ratio => ratioOf(U, W);

/** From left to right, never upright, on the line l0 u + l1 v + l2 = 0 with l1 more than 0. */
interface Segment extends Boxed {
  left: Planar;
  right: Planar;
  from: Ratio;
  to: Ratio;
  line: readonly [bigint, bigint, bigint];
  /** 1 if given from left to right, else -1. */
  direction: number;
}

interface Ratio {
  over: bigint;
  under: bigint;
  /** A double within NEAR of its size; NaN or infinite if unknown. */
  about: number;
}

/** Far more than the rounding of a quotient of two doubles. */
const NEAR = 2 ** -48;

const ratioOf = (over: bigint, under: bigint): Ratio => ({ over, under, about: ratio(over, under) });

/** Points of a column to try, each on another border. */
const MOST_TRIES = 1000;

/** `on`: taken. `enough`: no more are wanted. `border`: it is on a border that cuts nothing. */
export type Taken = 'on' | 'enough' | 'border';

/** A triangle, or connected coplanar triangles of one orientation. */
export interface Flat {
  corners: Float64Array;
  /** Sides at which they end, in their direction: six coordinates each. */
  outline: Float64Array;
  /** The other sides, in either direction. */
  inner: Float64Array;
}

/** Keeps the corners. */
export function flatOfOne(corners: Float64Array): Flat {
  const [a, b, c] = [0, 3, 6].map((at) => corners.subarray(at, at + 3));
  return { corners, outline: Float64Array.of(...a, ...b, ...b, ...c, ...c, ...a), inner: new Float64Array(0) };
}

/**
 * Calls `visit` with a point inside every face of the flat, as `others` cut it; some faces get
 * several. A triangle without area has none. `others` are all triangles of closed surfaces that
 * touch it, nine coordinates each.
 *
 * A common side of two triangles that continue in the plane, as halves of a quad do, cuts nothing
 * and is left out; so are single points of contact. A point may be on the border of some triangle
 * only then; `border` asks for another one.
 */
export function forFaces(flat: Flat, others: Float64Array, visit: (point: ExactPoint) => Taken): void {
  const shift = Math.max(...[flat.corners, flat.outline, flat.inner, others].map((x) => shiftOfAll(x, 0, x.length)));
  const [a, b, c] = [0, 3, 6].map((at) => stepsOf(flat.corners, at, shift));
  const normal = cross(minus(b, a), minus(c, a));
  const k = longest(normal);
  if (normal[k] === 0n) return;
  const i = (k + 1) % 3;
  const j = (k + 2) % 3;
  const own = sidesIn(flat.outline, i, j, shift);
  const isConvex = own.length === 3;
  const met = meetingsOf(a, normal, others, shift)
    .map(({ ends, turn }) => ({ ends: ends.map((p) => planar(p, i, j)), turn }))
    .filter(({ ends }) => !isConvex || own.every((side) => isCrossedBy(side, ends, normal[k])));
  const [cuts, unseen] = withoutFlat(met);
  if (cuts.length === 0 && visit(middleOf(flat.corners)) !== 'border') return;
  const drawn = [...own, ...cuts.filter(([p, q]) => !isSame(p, q))];
  const shear = shearOf([...drawn, ...unseen, ...sidesIn(flat.inner, i, j, shift)]);
  const segments = drawn.map(([p, q]) => segmentOf(sheared(p, shear), sheared(q, shear)));
  const plane = dot(normal, a);
  forPointsAbove(segments, own.length, ({ over: u, under: uw }, { over: v, under: vw }) => {
    const W = uw * vw;
    const V = v * uw;
    const U = u * vw - shear * V;
    const K = plane * W - normal[i] * U - normal[j] * V;
    const lifted: bigint[] = [];
    lifted[i] = U * normal[k];
    lifted[j] = V * normal[k];
    lifted[k] = K;
    return visit(exactPoint(lifted[0], lifted[1], lifted[2], W * normal[k], shift));
  });
}

function sidesIn(sides: Float64Array, i: number, j: number, shift: number): Planar[][] {
  const found: Planar[][] = [];
  for (let at = 0; at < sides.length; at += 6)
    found.push([at, at + 3].map((end) => planar([stepsOf(sides, end, shift), 1n], i, j)));
  return found;
}

type Whole = readonly bigint[];

const stepsOf = (points: Float64Array, at: number, shift: number): Whole =>
  [0, 1, 2].map((k) => toSteps(points[at + k], shift));
const minus = (p: Whole, q: Whole): Whole => [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
const dot = (p: Whole, q: Whole): bigint => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
const cross = (p: Whole, q: Whole): Whole => [
  p[1] * q[2] - p[2] * q[1],
  p[2] * q[0] - p[0] * q[2],
  p[0] * q[1] - p[1] * q[0],
];
const size = (x: bigint): bigint => (x < 0n ? -x : x);

const longest = (x: Whole): number => {
  const k = size(x[0]) >= size(x[1]) ? 0 : 1;
  return size(x[k]) >= size(x[2]) ? k : 2;
};

type Spatial = readonly [Whole, bigint];

/** Its border and beyond cut nothing. `turn` is positive for a counterclockwise triangle. */
function isCrossedBy([p, q]: readonly Planar[], pair: readonly Planar[], turn: bigint): boolean {
  const isInner = ({ U, V, W }: Planar): boolean => {
    const height = (q.U - p.U) * (V - p.V * W) - (q.V - p.V) * (U - p.U * W);
    return turn > 0n ? height > 0n : height < 0n;
  };
  return pair.some(isInner);
}

interface Meeting<Point> {
  /** Two ends; equal for a point. */
  ends: Point[];
  /** For a coplanar triangle's side: 1 if that turns as the normal does, else -1. Otherwise 0. */
  turn: number;
}

function meetingsOf(corner: Whole, normal: Whole, others: Float64Array, shift: number): Meeting<Spatial>[] {
  const found: Meeting<Spatial>[] = [];
  const own = (p: Whole): Spatial => [p, 1n];
  for (let at = 0; at < others.length; at += 9) {
    const points = [0, 3, 6].map((k) => stepsOf(others, at + k, shift));
    const heights = points.map((p) => dot(normal, minus(p, corner)));
    const inPlane = heights.filter((h) => h === 0n).length;
    const area = inPlane === 3 ? dot(normal, cross(minus(points[1], points[0]), minus(points[2], points[0]))) : 0n;
    const turn = area > 0n ? 1 : area < 0n ? -1 : 0;
    const met: Spatial[] = [];
    for (let k = 0; k < 3; k++) {
      const next = (k + 1) % 3;
      const [h, g] = [heights[k], heights[next]];
      if (h === 0n) met.push(own(points[k]));
      if (h === 0n && g === 0n) found.push({ ends: [own(points[k]), own(points[next])], turn });
      if ((h > 0n && g < 0n) || (h < 0n && g > 0n)) met.push(between(points[k], h, points[next], g));
    }
    // Two corners in the plane are a side, which is already listed.
    if (met.length > 0 && inPlane < 2) found.push({ ends: [met[0], met[met.length - 1]], turn: 0 });
  }
  return found;
}

/**
 * Each segment once: cuts, and sides over which a surface continues in the plane. The latter belong
 * to exactly two coplanar triangles of one orientation, in opposite directions.
 */
function withoutFlat(met: readonly Meeting<Planar>[]): [cuts: Planar[][], flat: Planar[][]] {
  const sides = new Map<string, { ends: Planar[]; count: number; turns: number; balance: number }>();
  const cuts: Planar[][] = [];
  for (const { ends, turn } of met) {
    const [p, q] = ends;
    if (p.W !== 1n || q.W !== 1n) {
      cuts.push(ends);
      continue;
    }
    const isForward = p.U < q.U || (p.U === q.U && p.V < q.V);
    const [from, to] = isForward ? [p, q] : [q, p];
    const key = `${from.U} ${from.V} ${to.U} ${to.V}`;
    const side = sides.get(key) ?? { ends, count: 0, turns: 0, balance: 0 };
    side.count++;
    side.turns += turn;
    side.balance += isForward ? 1 : -1;
    sides.set(key, side);
  }
  const flat: Planar[][] = [];
  for (const { ends, count, turns, balance } of sides.values())
    (count === 2 && Math.abs(turns) === 2 && balance === 0 ? flat : cuts).push(ends);
  return [cuts, flat];
}

/** The point of a segment in the plane; its ends' heights have opposite signs. */
function between(p: Whole, h: bigint, q: Whole, g: bigint): Spatial {
  const under = h - g;
  const over = [0, 1, 2].map((k) => q[k] * h - p[k] * g);
  return under > 0n ? [over, under] : [over.map((x) => -x), -under];
}

const isSame = (p: Planar, q: Planar): boolean => p.U * q.W === q.U * p.W && p.V * q.W === q.V * p.W;
const planar = ([p, W]: Spatial, i: number, j: number): Planar => ({ U: p[i], V: p[j], W });
const sheared = ({ U, V, W }: Planar, shear: bigint): Planar => ({ U: U + shear * V, V, W });

function shearOf(ends: readonly Planar[][]): bigint {
  for (let n = 0n; ; n++) {
    const shear = n % 2n === 0n ? -n / 2n : (n + 1n) / 2n;
    const isUpright = ([p, q]: Planar[]): boolean => (p.U + shear * p.V) * q.W === (q.U + shear * q.V) * p.W;
    if (!ends.some(isUpright)) return shear;
  }
}

function segmentOf(p: Planar, q: Planar): Segment {
  const isForward = p.U * q.W < q.U * p.W;
  const [left, right] = isForward ? [p, q] : [q, p];
  // The cross product, whose sign makes above positive since it runs from left to right.
  const line = [
    left.V * right.W - left.W * right.V,
    left.W * right.U - left.U * right.W,
    left.U * right.V - left.V * right.U,
  ] as const;
  const [u0, u1] = [ratio(left.U, left.W), ratio(right.U, right.W)];
  const [v0, v1] = [ratio(left.V, left.W), ratio(right.V, right.W)];
  return {
    left,
    right,
    from: columnOf(left),
    to: columnOf(right),
    line,
    direction: isForward ? 1 : -1,
    low: [below(Math.min(u0, u1)), below(Math.min(v0, v1))],
    high: [above(Math.max(u0, u1)), above(Math.max(v0, v1))],
  };
}

const below = (x: number): number => (Number.isFinite(x) ? x - Math.abs(x) * 2 ** -40 : Number.NEGATIVE_INFINITY);
const above = (x: number): number => (Number.isFinite(x) ? x + Math.abs(x) * 2 ** -40 : Number.POSITIVE_INFINITY);

/** Positive above the segment's line. */
const heightAbove = ({ line: [l0, l1, l2] }: Segment, { U, V, W }: Planar): bigint => l0 * U + l1 * V + l2 * W;

/** Visits points above every piece of every segment, inside the outline: the first `sides`. */
function forPointsAbove(segments: readonly Segment[], sides: number, visit: (u: Ratio, v: Ratio) => Taken): void {
  const outline = new Columns(segments.slice(0, sides));
  const box = boxAbout(outline.segments);
  const drawing = new Columns(segments.filter((segment) => doMeet(segment, box)));
  for (const segment of drawing.segments) {
    const breaks = breaksOf(segment, drawing.beside(segment));
    for (let n = 1; n < breaks.length; n++) {
      const u = middle(breaks[n - 1], breaks[n]);
      const v = heightAt(segment, u);
      if (!isInside(outline.at(u.about), u, v)) continue;
      let next = nextAbove(drawing.at(u.about), u, v);
      if (!next) continue;
      // A border that is not drawn meets this column in one point; try nearer to the segment.
      let taken: Taken = 'border';
      for (let tries = 0; taken === 'border'; tries++) {
        if (tries === MOST_TRIES) throw new Error('every point of a column is on a border');
        next = middle(v, next);
        taken = visit(u, next);
      }
      if (taken === 'enough') return;
    }
  }
}

/** A segment's start, meetings with others, and end, from left to right; perhaps more. */
function breaksOf(segment: Segment, others: readonly Segment[]): Ratio[] {
  const { from, to } = segment;
  const breaks = [from, to];
  const add = (u: Ratio): void => {
    if (isLess(from, u) && isLess(u, to)) breaks.push(u);
  };
  for (const other of others) {
    const [h, g] = [heightAbove(segment, other.left), heightAbove(segment, other.right)];
    if (h === 0n) add(other.from);
    if (g === 0n) add(other.to);
    if ((h > 0n && g < 0n) || (h < 0n && g > 0n)) {
      const [k, l] = [segment.line, other.line];
      const over = k[1] * l[2] - k[2] * l[1];
      const under = k[0] * l[1] - k[1] * l[0];
      add(under > 0n ? ratioOf(over, under) : ratioOf(-over, -under));
    }
  }
  breaks.sort((p, q) => (isLess(p, q) ? -1 : 1));
  return breaks.filter((u, n) => n === 0 || isLess(breaks[n - 1], u));
}

function isLess(p: Ratio, q: Ratio): boolean {
  const spare = NEAR * (Math.abs(p.about) + Math.abs(q.about));
  if (p.about < q.about - spare) return true;
  if (p.about > q.about + spare) return false;
  return p.over * q.under < q.over * p.under;
}

/** The v of a segment's line at u. */
const heightAt = ({ line: [l0, l1, l2] }: Segment, { over, under }: Ratio): Ratio =>
  ratioOf(-(l0 * over + l2 * under), l1 * under);

/** True if the outline winds about the place just above a point. */
function isInside(outline: readonly Segment[], u: Ratio, v: Ratio): boolean {
  let winding = 0;
  for (const side of outline) {
    // Half-open: the left side's end is the next one's beginning.
    if (isLess(u, side.from) || !isLess(u, side.to) || v.about < side.low[1]) continue;
    if (v.about > side.high[1] || !isLess(v, heightAt(side, u))) winding += side.direction;
  }
  return winding !== 0;
}

function nextAbove(segments: readonly Segment[], u: Ratio, v: Ratio): Ratio | undefined {
  let next: Ratio | undefined;
  for (const segment of segments) {
    if (v.about > segment.high[1] || (next && next.about < segment.low[1])) continue;
    if (isLess(u, segment.from) || isLess(segment.to, u)) continue;
    const height = heightAt(segment, u);
    if (isLess(v, height) && (next === undefined || isLess(height, next))) next = height;
  }
  return next;
}

/** A ratio between two, with few digits if possible. */
function middle(p: Ratio, q: Ratio): Ratio {
  const about = Math.round((p.about + q.about) / 2);
  if (Number.isFinite(about)) {
    const whole = ratioOf(BigInt(about), 1n);
    if (isLess(p, whole) && isLess(whole, q)) return whole;
  }
  return ratioOf(p.over * q.under + q.over * p.under, 2n * p.under * q.under);
}

/*
 * Selects segments of a drawing that may be above or below a point, or meet a segment.
 *
 * The drawing is cut into upright columns of one width, and each segment is in all that its box
 * meets. Their number limits the entries to a few times the segments.
 */

/** A box; infinite if unknown. */
interface Boxed {
  low: readonly [number, number];
  high: readonly [number, number];
}

const doMeet = (p: Boxed, q: Boxed): boolean =>
  !(p.low[0] > q.high[0] || p.high[0] < q.low[0] || p.low[1] > q.high[1] || p.high[1] < q.low[1]);

function boxAbout(boxes: readonly Boxed[]): Boxed {
  const low = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as [number, number];
  const high = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY] as [number, number];
  for (const box of boxes) {
    for (const k of [0, 1]) {
      low[k] = Math.min(low[k], box.low[k]);
      high[k] = Math.max(high[k], box.high[k]);
    }
  }
  return { low, high };
}

const FEW = 16;
/** Average entries per segment, at most. */
const MOST_ENTRIES = 4;

export class Columns<Segment extends Boxed> {
  private readonly columns: Segment[][];
  private readonly left: number;
  private readonly perWidth: number;

  constructor(readonly segments: readonly Segment[]) {
    const { low, high } = boxAbout(segments);
    this.left = low[0];
    const width = high[0] - low[0];
    const sum = segments.reduce((total, s) => total + (s.high[0] - s.low[0]), 0);
    // n segments in c columns have n + c sum / width entries at most.
    const count = Math.min(segments.length, Math.floor((MOST_ENTRIES * segments.length * width) / sum));
    const isCut = segments.length > FEW && count > 1;
    this.perWidth = isCut ? count / width : 0;
    this.columns = Array.from({ length: isCut ? count : 1 }, () => []);
    for (const segment of segments) for (const column of this.over(segment)) column.push(segment);
  }

  /** A superset of the segments above or below a place; all segments for NaN. */
  at(u: number): readonly Segment[] {
    return Number.isNaN(u) ? this.segments : this.columns[this.columnOf(u)];
  }

  /** A superset of those that meet it, each once. */
  beside(segment: Segment): Segment[] {
    const found = new Set<Segment>();
    for (const column of this.over(segment)) for (const other of column) if (doMeet(other, segment)) found.add(other);
    found.delete(segment);
    return [...found];
  }

  private over({ low, high }: Boxed): Segment[][] {
    return this.columns.slice(this.columnOf(low[0]), this.columnOf(high[0]) + 1);
  }

  private columnOf(u: number): number {
    if (this.perWidth === 0) return 0;
    return Math.max(0, Math.min(this.columns.length - 1, Math.floor((u - this.left) * this.perWidth)));
  }
}
