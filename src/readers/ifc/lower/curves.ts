/**
 * Curves of IFC (ISO 16739-1, IfcGeometryResource; ISO 10303-42): points at parameters, parameters
 * of points, and corners whose chords are within the tolerance.
 *
 * Points have three coordinates; the third is 0 for a curve in a plane. Parameters are those of the
 * standard, with angles in the file's unit. Corners depend only on the curve and its interval: a
 * walk back gives the same points, bit for bit. The code uses only + - * / and sqrt.
 */
import { FormatError } from '../../../base/errors.ts';
import { failure, isRef, type StepValue, wordOf } from '../step-records.ts';
import { cornersOf, type Fineness, turned } from './arcs.ts';
import { type Curve, splineOf } from './splines.ts';
import {
  along,
  cross,
  distance,
  dot,
  type Frame,
  frameOf,
  type Lowering,
  minus,
  numberIn,
  type Step,
  scaled,
  threeOf,
  unit,
} from './step.ts';

export type { Curve };

/** More corners of one curve are a fault of the file. */
const MOST_CORNERS = 1 << 20;

/** Parameters that differ by less than this part of the domain are the same. */
const SAME = 1e-9;

/**
 * Parameters of corners from one to the other, both included, in the order of the walk. Both may
 * lie beyond the domain of a closed curve, up to a turn apart.
 */
export function stops(curve: Curve, from: number, to: number): number[] {
  if (from > to) return stops(curve, to, from).reverse();
  const [first, last] = curve.domain;
  const inside: number[] = [];
  const turn = last - first;
  const turns = curve.isClosed ? Math.floor((from - first) / turn) : 0;
  for (let k = turns; k === turns || (curve.isClosed && first + k * turn < to); k++) {
    const [a, b] = [Math.max(from, first + k * turn), Math.min(to, last + k * turn)];
    if (k > turns) inside.push(a);
    for (const t of a < b ? curve.corners(a - k * turn || 0, b - k * turn) : []) inside.push(t + k * turn);
  }
  return [from, ...inside.filter((t) => t > from && t < to), to];
}

/** The parameter within the domain of a closed curve. */
export function wrapped({ domain: [first, last], isClosed }: Curve, t: number): number {
  if (!isClosed || (t >= first && t <= last)) return t;
  const turn = last - first;
  return Math.min(last, Math.max(first, t - turn * Math.floor((t - first) / turn)));
}

/** Points from one parameter to the other, both included, at the parameters of `stops`. */
export const flatten = (curve: Curve, from: number, to: number): number[][] =>
  stops(curve, from, to).map((t) => curve.point(wrapped(curve, t)));

/**
 * The walk from a to b, along the curve or against it. On a closed curve the second parameter moves
 * by a turn if needed, and equal ones are a whole turn apart.
 *
 * @example flatten(circle, ...trim(circle, 350, 10)) // 20 degrees
 */
export function trim(curve: Curve, a: number, b: number, { isForward = true } = {}): [from: number, to: number] {
  if (!curve.isClosed) return [a, b];
  const turn = curve.domain[1] - curve.domain[0];
  const way = isForward ? b - a : a - b;
  const rest = way - turn * Math.floor(way / turn);
  const length = rest < SAME * turn || rest > (1 - SAME) * turn ? turn : rest;
  return [a, isForward ? a + length : a - length];
}

/** Maximum number of nested curves, from the outermost to one that is based on no other. */
const MOST_NESTED = 64;

/** Each offset of an offset multiplies the work. */
const MOST_OFFSETS = 2;

interface Read {
  curve: Curve | null;
  /** The same curve if its corners count; otherwise null. */
  counted: Curve | null;
  offsets: number;
}

/** The curves of a file that have been read, and the state of the walk through them. */
interface Curves {
  read: Map<number, Read | 'open'>;
  depth: number;
  /** The number of nested offsets among the curves that are being read. */
  offsets: number;
}

/** The curve of a record; null for kinds that are not known, and for curves with gaps. */
export function curveOf(lowering: Lowering, record: number): Curve | null {
  const curves = CURVES.get(lowering) ?? { read: new Map(), depth: 0, offsets: 0 };
  CURVES.set(lowering, curves);
  const found = curves.read.get(record);
  if (found === 'open') throw failure(lowering.step.file, record, 'references without a cycle', 'a cycle');
  const known = found ?? readCurve(lowering, record, curves);
  curves.offsets = Math.max(curves.offsets, known.offsets);
  return curves.depth > 0 ? known.curve : known.counted;
}

function readCurve(lowering: Lowering, record: number, curves: Curves): Read {
  const { step, doubtful } = lowering;
  const type = step.type(record);
  const before = curves.offsets;
  if (curves.depth === MOST_NESTED) throw failure(step.file, record, `at most ${MOST_NESTED} nested curves`, 'more');
  curves.read.set(record, 'open');
  curves.depth++;
  curves.offsets = 0;
  let curve = READERS[type]?.(lowering, record, step.args(record)) ?? null;
  const offsets = curves.offsets + (type.startsWith('IFCOFFSETCURVE') ? 1 : 0);
  if (offsets > MOST_OFFSETS) {
    curve = null;
    doubtful.set(record, `it has a curve with more than ${MOST_OFFSETS} nested offsets`);
  }
  curves.depth--;
  curves.offsets = before;
  const read = { curve, counted: curve && counted(step.budget, curve), offsets };
  curves.read.set(record, read);
  return read;
}

const CURVES = new WeakMap<Lowering, Curves>();

function counted(budget: Step['budget'], curve: Curve): Curve {
  return {
    ...curve,
    corners(a, b) {
      budget.spend(0);
      const corners = curve.corners(a, b);
      budget.spend(corners.length);
      return corners;
    },
  };
}

type Reader = (lowering: Lowering, record: number, args: readonly StepValue[]) => Curve | null;

const composite: Reader = (lowering, record, [list]) => compositeOf(lowering, record, lowering.step.followAll(list));
const ofFirst: Reader = (lowering, _, [basis]) => curveOf(lowering, lowering.step.follow(basis));

const READERS: Readonly<Record<string, Reader | undefined>> = {
  IFCLINE: ({ step }, _, [at, along]) => {
    const [direction, length] = step.args(step.follow(along), 2);
    const way = unit(threeOf(step.numbers(direction)));
    return way && line(threeOf(step.numbers(at)), scaled(way, numberIn(length) ?? 0));
  },
  IFCPOLYLINE: ({ step }, _, [list]) =>
    polyline((Array.isArray(list) ? list : []).map((point) => threeOf(step.numbers(point)))),
  IFCCIRCLE: (lowering, record, [place, radius]) => conicOf(lowering, record, place, [radius, radius]),
  IFCELLIPSE: (lowering, record, [place, a, b]) => conicOf(lowering, record, place, [a, b]),
  IFCTRIMMEDCURVE: trimmedOf,
  IFCCOMPOSITECURVE: composite,
  IFC2DCOMPOSITECURVE: composite,
  IFCCOMPOSITECURVEONSURFACE: composite,
  IFCBOUNDARYCURVE: composite,
  IFCOUTERBOUNDARYCURVE: composite,
  IFCINDEXEDPOLYCURVE: indexedOf,
  IFCBSPLINECURVEWITHKNOTS: splineOf,
  IFCRATIONALBSPLINECURVEWITHKNOTS: splineOf,
  IFCOFFSETCURVE2D: (lowering, _, [basis, distance]) =>
    offsetOf(lowering, curveOf(lowering, lowering.step.follow(basis)), numberIn(distance) ?? 0, [0, 0, 1]),
  IFCOFFSETCURVE3D: (lowering, _, [basis, distance, , axis]) =>
    offsetOf(
      lowering,
      curveOf(lowering, lowering.step.follow(basis)),
      numberIn(distance) ?? 0,
      unit(threeOf(lowering.step.numbers(axis))),
    ),
  IFCSURFACECURVE: ofFirst,
  IFCSEAMCURVE: ofFirst,
  IFCINTERSECTIONCURVE: ofFirst,
};

function line(p: readonly number[], v: readonly number[]): Curve | null {
  const way = unit(v);
  if (way === null) return null;
  return {
    domain: [-Infinity, Infinity],
    isClosed: false,
    point: (t) => along(p, t, v),
    tangent: () => way,
    parameter: (q) => dot(minus(q, p), v) / dot(v, v),
    corners: () => [],
  };
}

/** Radians in the unit of angles; pi / 180 in full precision, even if it is rounded in the file. */
const radiansOf = (radians: number): number =>
  Math.abs((radians * 180) / Math.PI - 1) < 1e-6 ? Math.PI / 180 : radians;

function conicOf(lowering: Lowering, record: number, place: StepValue, radii: readonly StepValue[]): Curve {
  const [a, b] = radii.map((radius) => numberIn(radius) ?? NaN);
  if (!(a > 0 && b > 0 && a < Infinity && b < Infinity))
    throw failure(lowering.step.file, record, 'radii above 0', `${a} and ${b}`);
  return conic(lowering, lowering.step.frame(place), [a, b], radiansOf(lowering.step.radians));
}

/** A circle or an ellipse; `radians` is the unit of its parameters. */
export function conic(fineness: Fineness, frame: Frame, [a, b]: readonly number[], radians: number): Curve {
  const { origin, x, y } = frame;
  const out = new Float64Array(2);
  const turn = (2 * Math.PI) / radians;
  const steps = cornersOf(fineness, Math.max(a, b));
  const of = (c: number, s: number): number[] => [0, 1, 2].map((k) => a * c * x[k] + b * s * y[k]);
  return {
    domain: [0, turn],
    isClosed: true,
    point: (t) => along(origin, 1, of(...turned(t * radians, out))),
    tangent(t) {
      const [c, s] = turned(t * radians, out);
      return unit(of(-s, c));
    },
    parameter(p) {
      const d = minus(p, origin);
      return angleOf(dot(d, x) / a, dot(d, y) / b) / radians;
    },
    corners(from, to) {
      // Quadrants come first, so that boxes are exact; steps divide the arcs between them evenly.
      const ends = [from];
      for (let k = Math.floor((4 * from) / turn); (k * turn) / 4 < to; k++) {
        const t = (k * turn) / 4;
        if (t - from > 1e-6 * turn && to - t > 1e-6 * turn) ends.push(t);
      }
      ends.push(to);
      return ends.slice(1).flatMap((end, k) => {
        const start = ends[k];
        const parts = Math.max(1, Math.ceil((steps * (end - start)) / turn - 1e-6));
        const inner = Array.from({ length: parts - 1 }, (_, i) => start + ((end - start) * (i + 1)) / parts);
        return k + 2 < ends.length ? [...inner, end] : inner;
      });
    },
  };
}

/** The angle of (x, y) from 0 to below 2 pi; exact at quarter turns. */
export function angleOf(x: number, y: number): number {
  const [low, high] = [Math.min(Math.abs(x), Math.abs(y)), Math.max(Math.abs(x), Math.abs(y))];
  if (!(high > 0)) return 0;
  const small = arctangent(low / high);
  const first = Math.abs(x) >= Math.abs(y) ? small : Math.PI / 2 - small;
  const half = x >= 0 ? first : Math.PI - first;
  const angle = y >= 0 ? half : 2 * Math.PI - half;
  return angle >= 2 * Math.PI ? 0 : angle;
}

/** Arctangent of 0 to 1: the angle is halved three times; Taylor's rest is below 1e-17. */
function arctangent(x: number): number {
  let t = x;
  for (let k = 0; k < 3; k++) t /= 1 + Math.sqrt(1 + t * t);
  const z = t * t;
  let sum = 0;
  for (let k = 15; k >= 1; k -= 2) sum = 1 / k - z * sum;
  return 8 * t * sum;
}

/** A part of a chain: `span` of the chain's parameters are those `from` to `to` of a curve. */
export interface Piece {
  curve: Curve;
  from: number;
  to: number;
  span: number;
  /** Its end points, as the file has them. */
  ends: readonly [number[], number[]];
}

function pieceOf(curve: Curve, from: number, to: number, span = Math.abs(to - from)): Piece {
  const [a, b] = [from, to].map((t) => curve.point(wrapped(curve, t)));
  return { curve, from, to, span, ends: [a, b] };
}

/** Null if an end is not where the next piece starts, or nothing is left. */
export function chain(fineness: Fineness, pieces: readonly Piece[]): Curve | null {
  if (pieces.length === 0 || pieces.some(({ ends }) => ends.some((p) => !p.every(Number.isFinite)))) return null;
  const starts = [0];
  for (const { span } of pieces) starts.push(starts[starts.length - 1] + span);
  const total = starts[pieces.length];
  const gap = (k: number, next: number): number => distance(pieces[k].ends[1], pieces[next].ends[0]);
  if (!(total > 0 && total < Infinity) || pieces.some((_, k) => k > 0 && gap(k - 1, k) > fineness.chord)) return null;
  /** The piece that holds a parameter, at a joint the one before (-1) or after (1). */
  const find = (t: number, side: -1 | 1): number => {
    let [low, high] = [0, pieces.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (side > 0 ? starts[middle] <= t : starts[middle] < t) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const inner = (k: number, t: number): number => {
    const { from, to, span } = pieces[k];
    if (t <= starts[k]) return from;
    return t >= starts[k + 1] ? to : from + ((to - from) * (t - starts[k])) / span;
  };
  return {
    domain: [0, total],
    isClosed: gap(pieces.length - 1, 0) <= Math.min(fineness.chord, 1e-6 * sizeOf(pieces)),
    point(t) {
      const k = find(t, 1);
      const { curve, ends } = pieces[k];
      if (t <= starts[k]) return ends[0];
      return t >= starts[k + 1] ? ends[1] : curve.point(wrapped(curve, inner(k, t)));
    },
    tangent(t, side) {
      const k = find(t, side);
      const { curve, from, to } = pieces[k];
      const tangent = curve.tangent(wrapped(curve, inner(k, t)), to < from ? (-side as -1 | 1) : side);
      return tangent && (to < from ? scaled(tangent, -1) : tangent);
    },
    parameter(p) {
      let [best, found] = [Infinity, 0];
      pieces.forEach(({ curve, from, to, span, ends }, k) => {
        const u = nearestWithin(curve, curve.parameter(p), from, to);
        const t = from === to ? 0 : (span * (u - from)) / (to - from);
        const at = u === from ? ends[0] : u === to ? ends[1] : curve.point(wrapped(curve, u));
        const far = distance(at, p);
        if (far < best) [best, found] = [far, starts[k] + t];
      });
      return found;
    },
    corners(a, b) {
      const all: number[] = [];
      for (let k = find(a, 1); k < pieces.length && starts[k] < b; k++) {
        const { curve, from, to, span } = pieces[k];
        if (starts[k] > a) all.push(starts[k]);
        const inside = stops(curve, inner(k, a), inner(k, b)).slice(1, -1);
        for (const u of inside) all.push(starts[k] + (span * (u - from)) / (to - from));
        if (all.length > MOST_CORNERS) throw new FormatError(null, `curves of at most ${MOST_CORNERS} corners`, 'more');
      }
      return all.filter((t) => t > a && t < b);
    },
  };
}

const sizeOf = (pieces: readonly Piece[]): number =>
  pieces.reduce((most, { ends: [a, b], curve }) => {
    const middle = curve.isClosed ? curve.point((curve.domain[0] + curve.domain[1]) / 2) : b;
    return Math.max(most, distance(a, b), distance(a, middle));
  }, 0);

/** The parameter, or the nearer end; on a closed curve, possibly some turns away. */
function nearestWithin(curve: Curve, t: number, from: number, to: number): number {
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  if (!curve.isClosed) return Math.min(high, Math.max(low, t));
  const turn = curve.domain[1] - curve.domain[0];
  const u = t - turn * Math.floor((t - low) / turn);
  if (u <= high) return u;
  return u - high < low + turn - u ? high : low;
}

function polyline(points: readonly number[][]): Curve | null {
  const pieces = points.slice(1).map((p, k) => segment(points[k], p));
  return chain({ chord: Infinity, corners: 4 }, pieces);
}

export const segment = (a: number[], b: number[]): Piece => {
  const curve: Curve = {
    domain: [0, 1],
    isClosed: false,
    point: (t) => along(a, t, minus(b, a)),
    tangent: () => unit(minus(b, a)),
    parameter: (p) => {
      const [d, q] = [minus(b, a), minus(p, a)];
      const square = dot(d, d);
      return square > 0 ? dot(q, d) / square : 0;
    },
    corners: () => [],
  };
  return { curve, from: 0, to: 1, span: 1, ends: [a, b] };
};

function trimmedOf(lowering: Lowering, _: number, args: readonly StepValue[]): Curve | null {
  const [basis, first, second, sense, master] = args;
  const { step } = lowering;
  const curve = curveOf(lowering, step.follow(basis));
  if (curve === null) return null;
  const end = (value: StepValue): number => {
    const list = Array.isArray(value) ? value : [value];
    const point = list.find(isRef);
    const parameter = list.map(numberIn).find((x) => x !== null);
    const isPoint = point !== undefined && (wordOf(master) === 'CARTESIAN' || parameter === undefined);
    return isPoint ? curve.parameter(threeOf(step.numbers(point))) : (parameter ?? NaN);
  };
  const isForward = wordOf(sense) !== 'F';
  const [from, to] = trim(curve, end(first), end(second), { isForward });
  if (!Number.isFinite(from) || !Number.isFinite(to)) return null;
  const within = (t: number): number => (curve.isClosed ? t : Math.min(curve.domain[1], Math.max(curve.domain[0], t)));
  return chain(lowering, [pieceOf(curve, within(from), within(to))]);
}

function compositeOf(lowering: Lowering, _: number, segments: readonly number[]): Curve | null {
  const { step } = lowering;
  const pieces: Piece[] = [];
  for (const record of segments) {
    const [, sense, parent, length] = step.args(record);
    const curve = curveOf(lowering, step.follow(parent));
    if (curve === null || !curve.domain.every(Number.isFinite)) return null;
    const [first, last] = curve.domain;
    const span = numberIn(length) ?? last - first;
    if (wordOf(sense) === 'F') pieces.push(pieceOf(curve, last, first, span));
    else pieces.push(pieceOf(curve, first, last, span));
  }
  return chain(lowering, pieces);
}

function indexedOf(lowering: Lowering, _: number, [list, segments]: readonly StepValue[]): Curve | null {
  const { step } = lowering;
  const [rows] = step.args(step.follow(list), 1);
  const points = (Array.isArray(rows) ? rows : []).map((row) =>
    threeOf(Array.isArray(row) ? row.filter((x) => typeof x === 'number') : []),
  );
  if (!Array.isArray(segments)) return polyline(points);
  const pieces = segments.flatMap((each): Piece[] => {
    if (typeof each !== 'object' || each === null || !('type' in each)) return [];
    const [numbers] = each.values;
    const at = (Array.isArray(numbers) ? numbers : []).map((n) => points[(n as number) - 1]);
    if (at.some((p) => p === undefined)) return [];
    if (each.type === 'IFCARCINDEX' && at.length === 3) return arcThrough(lowering, at);
    return at.slice(1).map((p, k) => segment(at[k], p));
  });
  return chain(lowering, pieces);
}

/** The arc from a over b to c, with one parameter; two lines if the points are on one line. */
export function arcThrough(fineness: Fineness, [a, b, c]: readonly number[][]): Piece[] {
  const [u, v] = [minus(b, a), minus(c, a)];
  const n = cross(u, v);
  const [uu, vv, nn] = [dot(u, u), dot(v, v), dot(n, n)];
  if (!(nn > 1e-24 * uu * vv)) return [segment(a, b), segment(b, c)].map((piece) => ({ ...piece, span: 0.5 }));
  const [p, q] = [cross(n, u), cross(v, n)];
  const center = a.map((x, k) => x + (vv * p[k] + uu * q[k]) / (2 * nn));
  const radius = distance(center, a);
  const circle = conic(fineness, frameOf(center, n, null), [radius, radius], 1);
  const [from, to] = trim(circle, circle.parameter(a), circle.parameter(c));
  return [{ curve: circle, from, to, span: 1, ends: [a, c] }];
}

/** The curve at a distance to the left, as seen against the axis, with miters at kinks. */
function offsetOf(fineness: Fineness, basis: Curve | null, by: number, axis: readonly number[] | null): Curve | null {
  if (basis === null || axis === null) return null;
  const left = (t: number, side: -1 | 1): number[] | null => {
    const tangent = basis.tangent(t, side);
    return tangent && unit(cross(axis, tangent));
  };
  const point = (t: number): number[] => {
    const [a, b] = [left(t, -1), left(t, 1)];
    const [n, m] = [a ?? b ?? [0, 0, 0], b ?? a ?? [0, 0, 0]];
    const widen = 1 + dot(n, m);
    const way = widen > 0.1 ? scaled(along(n, 1, m), 1 / widen) : n;
    return along(basis.point(t), by, way);
  };
  /** Halves an interval while its chord is too far from its middle. */
  const halved = (a: number, b: number, depth: number): number[] => {
    const middle = (a + b) / 2;
    const [p, q] = [point(a), point(b)];
    const way = unit(minus(q, p)) ?? [0, 0, 0];
    const d = minus(point(middle), p);
    const off = along(d, -dot(d, way), way);
    if (depth === 0 || !(dot(off, off) > fineness.chord * fineness.chord)) return [];
    return [...halved(a, middle, depth - 1), middle, ...halved(middle, b, depth - 1)];
  };
  return {
    ...basis,
    point,
    parameter: (p) => basis.parameter(p),
    tangent: (t, side) => basis.tangent(t, side),
    corners(a, b) {
      const all = [a, ...basis.corners(a, b), b];
      return all
        .slice(1)
        .flatMap((t, k) => [...halved(all[k], t, 8), t])
        .slice(0, -1);
    },
  };
}
