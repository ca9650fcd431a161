/**
 * B-spline curves, rational ones too: de Boor's algorithm (C. de Boor, "On calculating with
 * B-splines", Journal of Approximation Theory 6, 1972), as blossoms (L. Ramshaw, "Blossoms are
 * polar forms", Computer Aided Geometric Design 6, 1989).
 *
 * An interval between knots is a Bezier curve, whose control polygon bounds its distance from its
 * chord and its turn. It is halved until both are small enough.
 */
import { FormatError } from '../../../base/errors.ts';
import { failure, type StepValue } from '../step-records.ts';
import { along, distance, dot, type Lowering, minus, numberIn, threeOf, unit } from './step.ts';

export interface Curve {
  /** The first and the last parameter; infinite for a line. */
  readonly domain: readonly [number, number];
  /** True if the domain's ends are one point; then parameters wrap around. */
  readonly isClosed: boolean;
  /** The point at a parameter of the domain. */
  point(t: number): number[];
  /** The unit tangent, at a kink before it (-1) or after it (1); null if there is none. */
  tangent(t: number, side: -1 | 1): number[] | null;
  /** The parameter of a point of the curve, or of a point near it. */
  parameter(p: readonly number[]): number;
  /** Parameters of corners between a and b of the domain, a < b, ascending, without a and b. */
  corners(a: number, b: number): number[];
}

const MOST_DEGREE = 32;
/** An interval between knots has at most 2^12 chords. */
const MOST_HALVINGS = 12;
const MOST_CORNERS = 1 << 20;

/** Control points are x w, y w, z w, w. */
interface Spline {
  degree: number;
  controls: readonly number[][];
  /** Each knot as often as its multiplicity. */
  knots: readonly number[];
}

/** An IfcBSplineCurveWithKnots or a rational one. */
export function splineOf(lowering: Lowering, record: number, args: readonly StepValue[]): Curve {
  const { step } = lowering;
  const [degree, list, , , , counts, values, , weights] = args;
  const points = (Array.isArray(list) ? list : []).map((point) => threeOf(step.numbers(point)));
  const refuse = (expected: string, found: string): never => {
    throw failure(step.file, record, expected, found);
  };
  if (!points.every((p) => p.every(Number.isFinite))) refuse('finite control points', 'NaN or infinite ones');
  const w = Array.isArray(weights) ? weights.map((x) => numberIn(x) ?? NaN) : points.map(() => 1);
  if (w.length !== points.length) refuse(`${points.length} weights`, `${w.length}`);
  const bad = w.find((x) => !(x > 0 && x < Infinity));
  if (bad !== undefined) refuse('weights above 0', `${bad}`);
  const p = numberIn(degree) ?? NaN;
  const knots = knotsOf({ degree: p, count: points.length, counts, values }, refuse);
  const controls = points.map((point, k) => [...point.map((x) => x * w[k]), w[k]]);
  return curveOfSpline(lowering, { degree: p, controls, knots });
}

/** Checked knots of one direction of a B-spline, each as often as its multiplicity. */
export function knotsOf(
  given: { degree: number; count: number; counts: StepValue; values: StepValue },
  refuse: (expected: string, found: string) => never,
): number[] {
  const { degree, count } = given;
  const numbers = (value: StepValue): number[] => (Array.isArray(value) ? value.map((x) => numberIn(x) ?? NaN) : []);
  const [times, values] = [numbers(given.counts), numbers(given.values)];
  if (!(Number.isInteger(degree) && degree >= 1 && degree <= MOST_DEGREE))
    refuse(`a degree of 1 to ${MOST_DEGREE}`, `${degree}`);
  if (count <= degree) refuse(`at least ${degree + 1} control points`, `${count}`);
  if (times.length !== values.length) refuse(`${times.length} knots`, `${values.length}`);
  const knots: number[] = [];
  times.forEach((n, k) => {
    const isEnd = k === 0 || k === times.length - 1;
    const most = isEnd ? degree + 1 : degree;
    if (!(Number.isInteger(n) && n >= 1 && n <= most)) refuse(`multiplicities of 1 to ${most}`, `${n}`);
    if (!(Math.abs(values[k]) < Infinity && (k === 0 || values[k] > values[k - 1])))
      refuse('increasing knots', k === 0 ? `${values[0]}` : `${values[k]} after ${values[k - 1]}`);
    for (let i = 0; i < n; i++) knots.push(values[k]);
  });
  if (knots.length !== count + degree + 1)
    refuse(`${count + degree + 1} knots with their multiplicities`, `${knots.length}`);
  return knots;
}

/** The interval of knots that holds t, at a knot the one before (-1) or after (1). */
export function spanOf({ degree, knots }: Pick<Spline, 'degree' | 'knots'>, t: number, side: -1 | 1): number {
  let [low, high] = [degree, knots.length - degree - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (side > 0 ? knots[middle] <= t : knots[middle] < t) low = middle;
    else high = middle - 1;
  }
  // Intervals of no length hold nothing.
  while (side > 0 && low > degree && !(knots[low + 1] > knots[low])) low--;
  while (!(knots[low + 1] > knots[low])) low++;
  return low;
}

/**
 * Blossom of the piece between knots j and j + 1; arguments(r) is its r-th argument of 1 to degree.
 * Returns the last two points before the final step as well.
 */
function blossom({ degree, controls, knots }: Spline, j: number, argument: (r: number) => number): number[][] {
  const d = controls.slice(j - degree, j + 1);
  let before = d.slice(0, 2);
  for (let r = 1; r <= degree; r++) {
    if (r === degree) before = d.slice(degree - 1);
    for (let i = degree; i >= r; i--) {
      const low = knots[j - degree + i];
      const s = (argument(r) - low) / (knots[j + 1 + i - r] - low);
      d[i] = d[i].map((x, k) => (1 - s) * d[i - 1][k] + s * x);
    }
  }
  return [d[degree], ...before];
}

const projected = ([x, y, z, w]: readonly number[]): number[] => [x / w, y / w, z / w];

function curveOfSpline({ chord, corners }: Lowering, spline: Spline): Curve {
  const { degree, controls, knots } = spline;
  const [first, last] = [knots[degree], knots[knots.length - degree - 1]];
  const extent = controls.reduce((most, p) => Math.max(most, distance(projected(p), projected(controls[0]))), 0);
  const point = (t: number): number[] => projected(blossom(spline, spanOf(spline, t, 1), () => t)[0]);
  const tangent = (t: number, side: -1 | 1): number[] | null => {
    const [, a, b] = blossom(spline, spanOf(spline, t, side), () => t);
    const way = minus(projected(b), projected(a));
    if (dot(way, way) > 1e-24 * extent * extent) return unit(way);
    // Control points coincide here.
    const other = Math.min(last, Math.max(first, t + (side * (last - first)) / 2 ** 16));
    const chordOf = other === t ? null : minus(point(other), point(t));
    return chordOf && unit(chordOf.map((x) => side * x));
  };
  const isFine = (bezier: readonly number[][]): boolean => {
    const p = bezier.map(projected);
    const way = unit(minus(p[degree], p[0])) ?? [0, 0, 0];
    const length = distance(p[degree], p[0]);
    let [turn, previous] = [0, null as number[] | null];
    for (let k = 1; k <= degree; k++) {
      const d = minus(p[k], p[0]);
      const s = Math.min(length, Math.max(0, dot(d, way)));
      const off = along(d, -s, way);
      if (!(dot(off, off) <= chord * chord)) return false;
      const leg = minus(p[k], p[k - 1]);
      const next = dot(leg, leg) > 1e-18 * extent * extent ? unit(leg) : null;
      if (next && previous) turn += distance(next, previous);
      previous = next ?? previous;
    }
    return turn <= (2 * Math.PI) / corners;
  };
  const divide = (
    bezier: readonly number[][],
    [a, b]: readonly [number, number],
    depth: number,
    out: number[],
  ): void => {
    const middle = (a + b) / 2;
    if (depth === 0 || !(middle > a && middle < b) || isFine(bezier)) return;
    const [left, right] = halves(bezier);
    divide(left, [a, middle], depth - 1, out);
    out.push(middle);
    divide(right, [middle, b], depth - 1, out);
  };
  const cornersOf = (from: number, to: number): number[] => {
    const out: number[] = [];
    for (let j = spanOf(spline, from, 1); j < knots.length - degree - 1 && knots[j] < to; j++) {
      const [a, b] = [Math.max(from, knots[j]), Math.min(to, knots[j + 1])];
      if (!(b > a)) continue;
      if (a > from) out.push(a);
      const bezier = Array.from(
        { length: degree + 1 },
        (_, i) => blossom(spline, j, (r) => (r <= degree - i ? a : b))[0],
      );
      divide(bezier, [a, b], MOST_HALVINGS, out);
      if (out.length > MOST_CORNERS) throw new FormatError(null, `curves of at most ${MOST_CORNERS} corners`, 'more');
    }
    return out;
  };
  let grid: { t: number; p: number[] }[] | null = null;
  return {
    domain: [first, last],
    isClosed: distance(point(first), point(last)) <= 1e-9 * extent,
    point,
    tangent,
    corners: cornersOf,
    parameter(p) {
      grid ??= [first, ...cornersOf(first, last), last].map((t) => ({ t, p: point(t) }));
      return nearest({ point, tangent }, grid, p, chord);
    },
  };
}

/** Both halves of a Bezier curve (de Casteljau). */
function halves(bezier: readonly number[][]): [number[][], number[][]] {
  const n = bezier.length;
  let row = [...bezier];
  const [left, right] = [[row[0]], [row[n - 1]]];
  for (let k = 1; k < n; k++) {
    row = row.slice(1).map((b, i) => b.map((x, c) => (row[i][c] + x) / 2));
    left.push(row[0]);
    right.push(row[row.length - 1]);
  }
  return [left, right.reverse()];
}

/** The most chords to search: those that are nearly as close as the closest one. */
const MOST_SEARCHED = 8;

/** The nearest parameter, found by halving on the closest chords of a grid. */
function nearest(
  curve: Pick<Curve, 'point' | 'tangent'>,
  grid: readonly { t: number; p: number[] }[],
  p: readonly number[],
  chord: number,
): number {
  const far = grid.slice(1).map((end, k) => distanceToSegment(p, grid[k].p, end.p));
  const least = far.reduce((a, b) => Math.min(a, b), Infinity);
  const near = [...far.keys()].filter((k) => far[k] <= least + 2 * Math.min(chord, least + chord));
  near.sort((a, b) => far[a] - far[b] || a - b);
  // The ends come first, so that an end is found exactly.
  let [best, found] = [Infinity, grid[0].t];
  const offer = (t: number, at: readonly number[]): void => {
    const off = distance(at, p);
    if (off < best) [best, found] = [off, t];
  };
  for (const { t, p: at } of [grid[0], grid[grid.length - 1]]) offer(t, at);
  for (const k of near.slice(0, MOST_SEARCHED)) {
    let [low, high] = [grid[k].t, grid[k + 1].t];
    for (let i = 0; i < 64; i++) {
      const middle = (low + high) / 2;
      const way = curve.tangent(middle, 1);
      if (!(middle > low && middle < high)) break;
      if (way && dot(minus(curve.point(middle), p), way) > 0) high = middle;
      else low = middle;
    }
    for (const t of [grid[k].t, grid[k + 1].t, low, high]) offer(t, curve.point(t));
  }
  return found;
}

function distanceToSegment(p: readonly number[], a: readonly number[], b: readonly number[]): number {
  const [d, q] = [minus(b, a), minus(p, a)];
  const square = dot(d, d);
  const s = square > 0 ? Math.min(1, Math.max(0, dot(q, d) / square)) : 0;
  return distance(
    q,
    d.map((x) => s * x),
  );
}
