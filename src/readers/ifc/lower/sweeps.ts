/**
 * Sweeps that web-ifc drops or makes wrong: disks along curves with parameters, rounded polylines,
 * profiles that keep a reference direction, and revolutions that need more corners than web-ifc's.
 *
 * A sweep has a section at each corner of its path. At a smooth bend, the section is at right
 * angles to the path; at a kink, both sides meet in a miter.
 */
import { triangulatePolygon } from '../../polygon.ts';
import { type StepValue, typeOf } from '../step-records.ts';
import { cornersOf } from './arcs.ts';
import { angleOf, arcThrough, type Curve, chain, conic, curveOf, flatten, segment, stops, wrapped } from './curves.ts';
import { cutRegion } from './delaunay.ts';
import { faceSet, real } from './draft.ts';
import { alikeRegions, isStraight, polylineOf, regionOf } from './outlines.ts';
import type { Outline } from './profiles.ts';
import {
  along,
  BY_WEB_IFC,
  cross,
  distance,
  dot,
  type Frame,
  frameOf,
  type Lowering,
  minus,
  numberIn,
  scaled,
  threeOf,
  unit,
} from './step.ts';

/** Corners that web-ifc gives a circle. */
const OF_ENGINE = 32;

/** Paths of more sections are left out. */
const MOST_STATIONS = 1 << 13;

/** Below this cosine of its turn, a kink has two square ends instead of a miter. */
const SHARP = -0.9;

/** A corner of a path, with the unit tangents before and after it. */
interface Station {
  p: number[];
  before: number[];
  after: number[];
}

interface Path {
  stations: Station[];
  /** The last station is followed by the first one. */
  isClosed: boolean;
}

/** IfcSweptDiskSolid: directrix, radius, inner radius, first and last parameter; fillet radius. */
export function lowerDisk(lowering: Lowering, record: number): void {
  const { step, draft } = lowering;
  const [directrix, ...numbers] = step.args(record);
  const [radius, inner, start, end, fillet] = numbers.map(numberIn);
  const given = step.follow(directrix);
  const isPolygonal = step.type(record) === 'IFCSWEPTDISKSOLIDPOLYGONAL';
  const isWhole = start === null && end === null;
  // web-ifc makes nothing if a parameter lies beyond the polyline's end.
  const isEasy = isStraight(lowering, given) && isWhole;
  const isThin = radius !== null && cornersOf(lowering, radius) <= OF_ENGINE;
  if (isThin && isEasy && !isPolygonal) return;
  const half = halfOf(lowering);
  const curve = curveOf(half, given);
  const range = curve && rangeOf(lowering, given, curve, [start, end]);
  if (!range || radius === null || !(radius > 0) || !((inner ?? 0) >= 0 && (inner ?? 0) < radius)) return;
  const rounded = isPolygonal && (fillet ?? 0) > 0 ? roundedCurve(half, flatten(curve, ...range), fillet!) : null;
  const path = pathOf(rounded ?? curve, rounded?.domain ?? range, radius, half.chord);
  if (path === null) {
    lowering.unread.set(record, 'its axis has no length, or too many corners');
    return;
  }
  const fineness = isBent(path) ? half : lowering;
  if (cornersOf(fineness, radius) <= OF_ENGINE && hasSquareEnds(path)) {
    const points = path.stations.map(({ p }) => p);
    const polyline = polylineOf(lowering, path.isClosed ? [...points, points[0]] : points);
    draft.replace(record, `IFCSWEPTDISKSOLID(${polyline},${real(radius)},${inner === null ? '$' : real(inner)},$,$)`);
    return;
  }
  step.budget.spend(0);
  const circle = (r: number): number[][] => {
    const c = conic(fineness, frameOf([0, 0, 0], null, null), [r, r], 1);
    return flatten(c, ...c.domain)
      .slice(1)
      .map(([x, y]) => [x, y]);
  };
  const outline = { outer: circle(radius), holes: inner ? [circle(inner)] : [] };
  writeSweep(lowering, record, { path, outline, reference: null, frame: null });
}

/** The path and the section of a bent sweep get half of the tolerance each. */
const halfOf = (lowering: Lowering): Lowering => ({ ...lowering, chord: lowering.chord / 2 });

/** True if a part of the path is no line. */
const isBent = ({ stations, isClosed }: Path): boolean =>
  stations.some(({ after }, k) => {
    const next = stations[k + 1] ?? (isClosed ? stations[0] : null);
    return next !== null && dot(after, next.before) < 1 - 1e-9;
  });

/** True if the first and last chord are tangents: the stations' polyline has square ends. */
function hasSquareEnds({ stations }: Path): boolean {
  const n = stations.length;
  const [first, last] = [stations[0], stations[n - 1]];
  const isAlong = (a: Station, b: Station, tangent: number[]): boolean =>
    dot(unit(minus(b.p, a.p)) ?? tangent, tangent) > 1 - 1e-9;
  return n < 2 || (isAlong(first, stations[1], first.after) && isAlong(stations[n - 2], last, last.before));
}

/** IfcFixedReferenceSweptAreaSolid: the profile's x keeps to the direction of the last argument. */
export function lowerFixedReference(lowering: Lowering, record: number): void {
  const reference = unit(lowering.step.numbers(lowering.step.args(record)[5]));
  if (reference !== null) lowerSwept(lowering, record, reference);
  // web-ifc makes a flat one.
  if (!lowering.draft.isReplaced(record)) lowering.unread.set(record, 'its profile or its axis is not read');
}

/** IfcSurfaceCurveSweptAreaSolid on a plane, whose normal is the direction; web-ifc does others. */
export function lowerOnSurface(lowering: Lowering, record: number): void {
  const { step } = lowering;
  const [, , directrix, , , surface] = step.args(record);
  const plane = step.follow(surface);
  if (isStraight(lowering, step.follow(directrix))) return;
  if (step.type(plane) !== 'IFCPLANE') {
    lowering.doubtful.set(record, BY_WEB_IFC);
    return;
  }
  lowerSwept(lowering, record, step.frame(step.args(plane)[0]).z);
}

function lowerSwept(lowering: Lowering, record: number, reference: readonly number[]): void {
  const { step } = lowering;
  const [profile, place, directrix, start, end] = step.args(record);
  const given = step.follow(directrix);
  const half = halfOf(lowering);
  const curve = curveOf(half, given);
  const outline = regionOf(half, step.follow(profile));
  const range =
    curve &&
    rangeOf(
      lowering,
      given,
      curve,
      [start, end].map((value) => parameterAt(curve, value)),
    );
  const reach = outline ? farthest(outline, ([x, y]) => [x, y, 0]) : 0;
  const path = range && pathOf(curve, range, reach, half.chord);
  if (path && outline) writeSweep(lowering, record, { path, outline, reference, frame: step.frame(place) });
}

/** A parameter, or the parameter at which a path of a given length ends. */
function parameterAt(curve: Curve, value: StepValue): number | null {
  const given = numberIn(value);
  if (given === null || !/LENGTH/.test(typeOf(value) ?? '') || !curve.domain.every(Number.isFinite)) return given;
  const ts = stops(curve, ...curve.domain);
  let left = given;
  for (let k = 1; k < ts.length; k++) {
    // Sixteen chords of a part are shorter than the part by less than 1e-5 of its length.
    const [a, b] = [ts[k - 1], ts[k]];
    const points = Array.from({ length: 17 }, (_, i) => curve.point(a + ((b - a) * i) / 16));
    const length = points.slice(1).reduce((sum, p, i) => sum + distance(p, points[i]), 0);
    if (left <= length) return a + ((b - a) * Math.max(0, left)) / length;
    left -= length;
  }
  return curve.domain[1];
}

/**
 * The interval of a curve that two parameters of a sweep mean. Null if it is empty or has no end.
 * Numbers of segments, as Revit counts them, also mean the whole curve, and so do the parameters of
 * the basis curve of a trimmed one.
 */
function rangeOf(
  { step }: Lowering,
  record: number,
  curve: Curve,
  [start, end]: readonly (number | null)[],
): readonly [number, number] | null {
  const [first, last] = curve.domain;
  const [a, b] = [start ?? first, end ?? last];
  if (!Number.isFinite(a) || !Number.isFinite(b)) return null;
  if (!Number.isFinite(first)) return a < b ? [a, b] : null;
  const isAt = (x: number, y: number): boolean => Math.abs(x - y) <= 1e-6 * (last - first);
  const [list, second, third] = step.args(record, 3);
  const type = step.type(record);
  if (type === 'IFCCIRCLE' || type === 'IFCELLIPSE') {
    const length = b > a ? b - a : b - a + (last - first);
    return isAt(length, last - first) || length > last - first ? curve.domain : [a, a + length];
  }
  let count = NaN;
  if (type === 'IFCTRIMMEDCURVE') {
    const at = (value: StepValue): number =>
      (Array.isArray(value) ? value : []).map(numberIn).find((x) => x !== null) ?? NaN;
    if (isAt(a, at(second)) && isAt(b, at(third))) return curve.domain;
    if (step.type(step.follow(list)) === 'IFCLINE') count = 1;
  } else if (type === 'IFCINDEXEDPOLYCURVE') count = Array.isArray(second) ? second.length : NaN;
  else if (Array.isArray(list)) count = list.length;
  const isAll = isAt(a, first) && (b >= last || isAt(b, last) || b === count);
  if (isAll) return curve.domain;
  const within = [Math.max(first, a), Math.min(last, b)] as const;
  return within[0] < within[1] ? within : null;
}

/**
 * The corners of an interval of a curve, close enough for a section that extends by the given
 * length to the side. Null for a curve without length or with too many corners.
 */
function pathOf(curve: Curve, [from, to]: readonly number[], reach: number, chord: number): Path | null {
  const ts = fineStops(curve, stops(curve, from, to), reach, chord);
  if (ts === null) return null;
  const points = ts.map((t) => curve.point(wrapped(curve, t)));
  const extent = points.reduce((most, p) => Math.max(most, distance(p, points[0])), 0);
  const stations: Station[] = [];
  ts.forEach((t, k) => {
    const p = points[k];
    const last = stations.at(-1);
    const [before, after] = tangentsAt(curve, t, k + 1 === ts.length);
    if (last && distance(p, last.p) <= 1e-9 * extent) last.after = after ?? last.after;
    else stations.push({ p, before: before ?? after ?? [], after: after ?? before ?? [] });
  });
  const isClosed = stations.length > 3 && distance(stations[0].p, stations[stations.length - 1].p) <= 1e-6 * extent;
  if (isClosed) stations[0].before = stations.pop()!.before;
  if (!(extent > 0) || stations.some(({ before, after }) => before.length + after.length < 6)) return null;
  return { stations: isClosed ? stations : squared(stations), isClosed };
}

/** At the seam of a closed curve, the second tangent is that of its start. */
function tangentsAt(curve: Curve, t: number, isLast: boolean): [number[] | null, number[] | null] {
  const u = wrapped(curve, t);
  const isSeam = curve.isClosed && u === curve.domain[1] && !isLast;
  return [curve.tangent(u, -1), curve.tangent(isSeam ? curve.domain[0] : u, 1)];
}

const MOST_HALVINGS = 8;

/**
 * Halves parts if the far side of a section would deviate from its arc by more than the tolerance.
 * For an arc of the angle a, the chord deviates by c tan(a / 4) / 2, and a point at r by r (1 -
 * cos(a / 2)).
 */
function fineStops(curve: Curve, ts: readonly number[], reach: number, chord: number): number[] | null {
  const fine = [ts[0]];
  const halve = (a: number, b: number, depth: number): void => {
    const [u, v] = [tangentsAt(curve, a, false)[1], tangentsAt(curve, b, true)[0]];
    const c = u && v ? Math.min(1, dot(u, v)) : 1;
    const half = Math.sqrt(Math.max(0, 1 + c) / 2);
    const length = distance(curve.point(wrapped(curve, a)), curve.point(wrapped(curve, b)));
    const off = c < 1 ? (length / 2) * ((1 - half) / Math.sqrt((1 - c) / 2)) + reach * (1 - half) : 0;
    const middle = (a + b) / 2;
    const isFine = depth === 0 || !(off > chord) || !(middle > a && middle < b);
    if (isFine || fine.length > MOST_STATIONS) {
      fine.push(b);
      return;
    }
    halve(a, middle, depth - 1);
    halve(middle, b, depth - 1);
  };
  for (let k = 1; k < ts.length && fine.length <= MOST_STATIONS; k++) halve(ts[k - 1], ts[k], MOST_HALVINGS);
  return fine.length > MOST_STATIONS ? null : fine;
}

/** The ends of an open path are square. */
function squared(stations: Station[]): Station[] {
  const [first, last] = [stations[0], stations[stations.length - 1]];
  first.before = first.after;
  last.after = last.before;
  return stations;
}

/** A polyline whose corners are arcs of a radius, or of a smaller one if a side is too short. */
function roundedCurve(lowering: Lowering, given: readonly number[][], radius: number): Curve | null {
  const points = given.filter((p, k) => k === 0 || distance(p, given[k - 1]) > 0);
  const isClosed = points.length > 3 && distance(points[0], points[points.length - 1]) === 0;
  if (isClosed) points.pop();
  const n = points.length;
  if (n < 2) return null;
  const at = (k: number): number[] => points[(k + n) % n];
  const arcs = points.map((p, k) => {
    const [u, v] = [unit(minus(p, at(k - 1))), unit(minus(at(k + 1), p))];
    if ((!isClosed && (k === 0 || k === n - 1)) || !u || !v) return [p, p, p];
    const c = dot(u, v);
    const room = Math.min(distance(at(k - 1), p), distance(at(k + 1), p)) / 2;
    if (c > 1 - 1e-12 || c < SHARP) return [p, p, p];
    // tan(a / 2) = sqrt((1 - c) / (1 + c)) of the turn a; its middle is on the bisector.
    const tangent = Math.sqrt((1 - c) / (1 + c));
    const reach = Math.min(radius * tangent, room);
    const inward = unit(minus(v, u))!;
    const far = (reach / tangent) * (Math.sqrt(1 + tangent * tangent) - 1);
    return [along(p, -reach, u), along(p, far, inward), along(p, reach, v)];
  });
  const pieces = arcs.flatMap(([a, b, c], k) => {
    const next = arcs[(k + 1) % n][0];
    const arc = distance(a, c) > 0 ? arcThrough(lowering, [a, b, c]) : [];
    const hasSide = (isClosed || k < n - 1) && distance(c, next) > 0;
    return [...arc, ...(hasSide ? [segment(c, next)] : [])];
  });
  return chain(lowering, pieces);
}

/** A vector at right angles to a, turned by the shortest turn from a to b. */
const turnedTo = (a: readonly number[], b: readonly number[], v: readonly number[]): number[] => {
  const c = 1 + dot(a, b);
  return c > 1e-9 ? along(v, -dot(v, b) / c, along(a, 1, b)) : [...v];
};

const rejected = (v: readonly number[], way: readonly number[]): number[] => along(v, -dot(v, way), way);

/** The unit vector at right angles to a tangent that is nearest to another vector, or null. */
const across = (v: readonly number[], tangent: readonly number[]): number[] | null => {
  const rest = rejected(v, tangent);
  return dot(rest, rest) > 1e-18 * dot(v, v) ? unit(rest) : null;
};

interface Sweep {
  path: Path;
  outline: Outline;
  /** The direction of the profile's x; null for a disk. */
  reference: readonly number[] | null;
  frame: Frame | null;
}

function writeSweep(lowering: Lowering, record: number, { path, outline, reference, frame }: Sweep): void {
  const loops = orderedLoops(outline);
  spendOn(lowering, loops, path.stations.length);
  const stations = path.stations.flatMap((station) =>
    dot(station.before, station.after) < SHARP
      ? [
          { ...station, after: station.before },
          { ...station, before: station.after },
        ]
      : [station],
  );
  let x = frameOf([0, 0, 0], stations[0].before, null).x as number[];
  const first = x;
  const rings = stations.map(({ p, before, after }, k) => {
    if (k > 0) x = turnedTo(stations[k - 1].after, before, x);
    if (reference) x = across(reference, before) ?? x;
    else x = across(x, before) ?? x;
    const [e, f] = [x, cross(before, x)];
    const normal = along(before, 1, after);
    const scale = dot(before, normal);
    const place = ([u, v]: readonly number[]): number[] => {
      const w = e.map((c, i) => u * c + v * f[i]);
      return placedIn(frame, along(along(p, 1, w), -dot(w, normal) / scale, before));
    };
    x = turnedTo(before, after, x);
    return loops.map((loop) => loop.map(place));
  });
  // Along a closed path in space, the last section is turned against the first one.
  const last = turnedTo(stations[stations.length - 1].after, stations[0].before, x);
  const turn = reference ? 0 : angleOf(dot(last, first), dot(last, cross(stations[0].before, first))) / (2 * Math.PI);
  writeSolid(lowering, record, { rings, loops, isClosed: path.isClosed, turn });
}

const placedIn = (frame: Frame | null, [a, b, c]: readonly number[]): number[] =>
  frame ? frame.origin.map((o, k) => o + a * frame.x[k] + b * frame.y[k] + c * frame.z[k]) : [a, b, c];

type Point = readonly number[];

/** The outline counter-clockwise, holes clockwise. */
function orderedLoops({ outer, holes }: Outline): Point[][] {
  const isLeft = (loop: readonly Point[]): boolean =>
    loop.reduce((sum, [x, y], k) => {
      const [a, b] = loop[(k + 1) % loop.length];
      const [ox, oy] = loop[0];
      return sum + (x - ox) * (b - oy) - (a - ox) * (y - oy);
    }, 0) > 0;
  return [outer, ...holes].map((loop, k) => (isLeft(loop) === (k === 0) ? loop : loop.toReversed()));
}

/** Reserves corners for a solid with this number of sections. */
const spendOn = ({ step }: Lowering, loops: readonly (readonly Point[])[], sections: number): void =>
  step.budget.spend(sections * loops.reduce((sum, loop) => sum + loop.length, 0));

interface Rings {
  /** Loops of points in space, a list for each section. */
  rings: readonly Point[][][];
  /** The loops in their plane, from which ends are cut. */
  loops: readonly (readonly Point[])[];
  isClosed: boolean;
  /** The part of a turn by which the last section of a closed disk is ahead of the first. */
  turn: number;
}

/** Triangles of an outline that crosses itself, which has no inside; null if it has holes. */
function tangled([outer, ...holes]: readonly (readonly Point[])[]): ArrayLike<number> | null {
  if (holes.length > 0) return null;
  const out = new Uint32Array(3 * (outer.length - 2));
  const flat = Float64Array.from(outer.flatMap(([x, y]) => [x, y, 0]));
  triangulatePolygon(flat, Uint32Array.from(outer.keys()), 0, outer.length, out, 0);
  return out;
}

/** Replaces the record by the triangles between sections, and of both ends. */
function writeSolid({ draft }: Lowering, record: number, { rings, loops, isClosed, turn }: Rings): void {
  const caps = isClosed ? [] : (cutRegion(loops) ?? tangled(loops));
  if (caps === null || rings.length < 2) return;
  const points: Point[] = [];
  const all: number[][][] = [];
  for (const ring of rings) {
    // Points on the axis of a revolution are in all sections.
    const isFirst = (p: Point, l: number, i: number): boolean =>
      all.length > 0 && p.every((x, k) => x === points[all[0][l][i]][k]);
    all.push(ring.map((loop, l) => loop.map((p, i) => (isFirst(p, l, i) ? all[0][l][i] : points.push(p) - 1))));
  }
  const triangles: number[][] = [];
  const add = (a: number, b: number, c: number): void => {
    if (a !== b && b !== c && c !== a) triangles.push([a, b, c]);
  };
  const square = (a: number, b: number): number => {
    const d = minus(points[a], points[b]);
    return dot(d, d);
  };
  for (let k = 0; k + (isClosed ? 0 : 1) < rings.length; k++) {
    const [near, next] = [all[k], all[(k + 1) % rings.length]];
    near.forEach((loop, l) => {
      const n = loop.length;
      const shift = k + 1 < rings.length ? 0 : Math.round(turn * n);
      loop.forEach((a, i) => {
        const [b, c, d] = [loop[(i + 1) % n], next[l][(i + 1 + shift) % n], next[l][(i + shift) % n]];
        if (square(a, c) <= square(b, d)) {
          add(a, b, c);
          add(a, c, d);
        } else {
          add(a, b, d);
          add(b, c, d);
        }
      });
    });
  }
  const [front, back] = [all[0].flat(), all[rings.length - 1].flat()];
  for (let t = 0; t < caps.length; t += 3) {
    const [a, b, c] = [caps[t], caps[t + 1], caps[t + 2]];
    add(front[c], front[b], front[a]);
    add(back[a], back[b], back[c]);
  }
  const volume = triangles.reduce((sum, [a, b, c]) => {
    const [u, v, w] = [a, b, c].map((n) => minus(points[n], points[0]));
    return sum + dot(u, cross(v, w));
  }, 0);
  if (volume < 0) for (const each of triangles) each.reverse();
  draft.replace(record, faceSet(draft, points, triangles));
}

/** web-ifc makes IfcSectionedSolidHorizontal. */
export function lowerSectioned(lowering: Lowering, record: number): void {
  const { step, doubtful } = lowering;
  if (!isStraight(lowering, step.follow(step.args(record, 1)[0]))) doubtful.set(record, BY_WEB_IFC);
}

/** IfcRevolvedAreaSolid: profile, place, axis, angle; the profile at the end of a tapered one. */
export function lowerRevolved(lowering: Lowering, record: number): void {
  const { step } = lowering;
  const [profile, place, axis, given, end] = step.args(record);
  const angle = (numberIn(given) ?? NaN) * step.radians;
  const isTapered = step.type(record) === 'IFCREVOLVEDAREASOLIDTAPERED';
  const pair = isTapered ? [profile, end] : [profile];
  const half = halfOf(lowering);
  const profiles = pair.map((value) => step.follow(value));
  const one = regionOf(half, profiles[0]);
  const outlines = isTapered ? alikeRegions(half, profiles) : one && [one];
  if (outlines === null && angle !== 0) lowering.doubtful.set(record, BY_WEB_IFC);
  if (outlines === null || !(Math.abs(angle) > 0)) return;
  const [at, direction] = step.args(step.follow(axis)).map((value) => threeOf(step.numbers(value)));
  const up = unit(direction ?? [0, 0, 1]) ?? [0, 0, 1];
  const reach = (p: readonly number[]): number[] => rejected(minus([p[0], p[1], 0], at), up);
  const most = Math.max(...outlines.map((outline) => farthest(outline, reach)));
  if (outlines.some((outline) => isOnBothSides(outline, at, up, half.chord))) {
    lowering.unread.set(record, 'its axis crosses its profile');
    return;
  }
  // Beyond a quarter turn, web-ifc's corners are not on the axes.
  const isRight = cornersOf(half, most) <= OF_ENGINE && Math.abs(angle) < Math.PI / 2 + 1e-6;
  if (isRight && !isTapered) return;
  const isFull = Math.abs(angle) > 2 * Math.PI - 1e-6;
  if (isFull && isTapered) return;
  const [loops, others] = [orderedLoops(outlines[0]), orderedLoops(outlines[outlines.length - 1])];
  const turn = isFull ? 2 * Math.PI : Math.abs(angle);
  const circle = conic(half, frameOf([0, 0, 0], null, null), [most, most], 1);
  const turns = [0, ...circle.corners(0, turn), ...(isFull ? [] : [turn])];
  spendOn(lowering, loops, turns.length);
  const frame = step.frame(place);
  const rings = turns.map((t) => {
    const [c, s] = circle.point(t).map((x) => x / most);
    const part = isTapered ? t / turn : 0;
    return loops.map((loop, l) =>
      loop.map(([x, y], k) => {
        const p = along([x, y, 0], part, minus([...others[l][k], 0], [x, y, 0]));
        const out = reach(p);
        const r = Math.sqrt(dot(out, out));
        const onAxis = minus(minus([p[0], p[1], 0], at), out);
        if (r <= 1e-9 * most) return placedIn(frame, along(at, 1, onAxis));
        const side = scaled(cross(up, out), angle < 0 ? -s : s);
        return placedIn(frame, along(along(along(at, 1, onAxis), c, out), 1, side));
      }),
    );
  });
  writeSolid(lowering, record, { rings, loops, isClosed: isFull, turn: 0 });
}

/** True if the halves of a profile would turn into each other, one of them inside out. */
function isOnBothSides({ outer }: Outline, at: Point, up: Point, chord: number): boolean {
  const sides = outer.map(([x, y]) => up[0] * (y - at[1]) - up[1] * (x - at[0]));
  return Math.min(...sides) < -chord && Math.max(...sides) > chord;
}

const farthest = ({ outer }: Outline, reach: (p: readonly number[]) => number[]): number =>
  outer.reduce((most, p) => Math.max(most, distance(reach(p), [0, 0, 0])), 0);
