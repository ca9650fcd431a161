/**
 * Surfaces of IFC (ISO 16739-1, IfcGeometryResource): points at parameters (u, v), and parameters
 * of points. u turns about the axis, or runs along the swept curve; v is the other parameter. The
 * code uses only + - * / and sqrt.
 */
import { failure, type StepValue } from '../step-records.ts';
import { cornersOf, type Fineness, turned } from './arcs.ts';
import { angleOf, type Curve, curveOf } from './curves.ts';
import { knotsOf, spanOf } from './splines.ts';
import { along, distance, dot, type Frame, frameOf, type Lowering, minus, numberIn, threeOf, unit } from './step.ts';

export type Uv = readonly [u: number, v: number];

export interface Surface {
  point(u: number, v: number): number[];
  /** Parameters of a point that is on the surface or near it; `near` is a guess. */
  invert(p: readonly number[], near: Uv | null): Uv | null;
  /** Periods of u and v; 0 for a parameter without one. */
  periods: Uv;
  /** Values of v at which all u are one point, ascending. */
  poles: readonly number[];
  /** Values of u or v between two, for cells within the tolerance; none for straight lines. */
  lines(axis: 0 | 1, from: number, to: number): number[];
  isPlane?: boolean;
  /** True if u, v and the normal are left-handed. */
  isMirrored?: boolean;
}

const TURN = 2 * Math.PI;

/** The parameters of a B-spline surface are searched on a grid of at most this many samples. */
const MOST_SAMPLES = 1 << 12;
const MOST_CONTROLS = 1 << 16;
const MOST_STEPS = 40;

/** Null for kinds that are not known, and for parameters that make no surface. */
export function surfaceOf(lowering: Lowering, record: number): Surface | null {
  const { step } = lowering;
  const args = step.args(record);
  const [place, a, b] = args;
  const [first, second] = [numberIn(a) ?? NaN, numberIn(b) ?? NaN];
  switch (step.type(record)) {
    case 'IFCPLANE':
      return planeOf(step.frame(place).origin, step.frame(place).z);
    case 'IFCCYLINDRICALSURFACE':
      return first > 0 && first < Infinity ? cylinder(lowering, step.frame(place), first) : null;
    case 'IFCSPHERICALSURFACE':
      return first > 0 && first < Infinity ? torus(lowering, step.frame(place), 0, first) : null;
    case 'IFCTOROIDALSURFACE':
      return second > 0 && first > second && first < Infinity
        ? torus(lowering, step.frame(place), first, second)
        : null;
    case 'IFCSURFACEOFLINEAREXTRUSION':
      return extruded(lowering, args);
    case 'IFCSURFACEOFREVOLUTION':
      return revolved(lowering, args);
    case 'IFCBSPLINESURFACEWITHKNOTS':
    case 'IFCRATIONALBSPLINESURFACEWITHKNOTS':
      return splineSurface(lowering, record, args);
    default:
      return null;
  }
}

/** True for types that curve in both directions, or may. */
export const isDoublyCurved = (type: string): boolean => /SPHERICAL|TOROIDAL|BSPLINESURFACE|REVOLUTION/.test(type);

/** Drops the coordinate along which the normal is longest; exact. */
export function planeOf(origin: readonly number[], normal: readonly number[]): Surface {
  const size = normal.map(Math.abs);
  const axis = size[2] >= size[0] && size[2] >= size[1] ? 2 : size[1] >= size[0] ? 1 : 0;
  const [i, j] = normal[axis] > 0 ? [(axis + 1) % 3, (axis + 2) % 3] : [(axis + 2) % 3, (axis + 1) % 3];
  return {
    isPlane: true,
    periods: [0, 0],
    poles: [],
    lines: () => [],
    invert: (p) => [p[i], p[j]],
    point(u, v) {
      const p = [0, 0, 0];
      [p[i], p[j]] = [u, v];
      p[axis] = origin[axis] - ((u - origin[i]) * normal[i] + (v - origin[j]) * normal[j]) / normal[axis];
      return p;
    },
  };
}

const inFrame = ({ origin, x, y, z }: Frame, p: readonly number[]): number[] => {
  const d = minus(p, origin);
  return [dot(d, x), dot(d, y), dot(d, z)];
};
const fromFrame = ({ origin, x, y, z }: Frame, [a, b, c]: readonly number[]): number[] =>
  along(along(along(origin, a, x), b, y), c, z);

/** Multiples of a step strictly between two values; an interval's ends do not count. */
function multiples(step: number, from: number, to: number): number[] {
  const first = Math.floor(from / step + 1e-6) + 1;
  const count = Math.ceil(to / step - 1e-6) - first;
  return count > 0 ? Array.from({ length: Math.min(count, 1 << 20) }, (_, k) => (first + k) * step) : [];
}

function cylinder(fineness: Fineness, frame: Frame, radius: number): Surface {
  const out = new Float64Array(2);
  const n = cornersOf(fineness, radius);
  return {
    periods: [TURN, 0],
    poles: [],
    lines: (axis, from, to) => (axis === 0 ? multiples(TURN / n, from, to) : []),
    point(u, v) {
      const [c, s] = turned(u, out);
      return fromFrame(frame, [radius * c, radius * s, v]);
    },
    invert(p) {
      const [x, y, z] = inFrame(frame, p);
      return [angleOf(x, y), z];
    },
  };
}

/** A sphere for a major radius of 0. */
function torus(fineness: Fineness, frame: Frame, major: number, minor: number): Surface {
  const out = new Float64Array(2);
  const counts = [major + minor, minor].map((r) => cornersOf(fineness, r));
  const isSphere = major === 0;
  return {
    periods: [TURN, isSphere ? 0 : TURN],
    poles: isSphere ? [-Math.PI / 2, Math.PI / 2] : [],
    lines: (axis, from, to) => multiples(TURN / counts[axis], from, to),
    point(u, v) {
      const [cv, sv] = turned(v, out);
      const [cu, su] = turned(u, out);
      const r = major + minor * cv;
      return fromFrame(frame, [r * cu, r * su, minor * sv]);
    },
    invert(p) {
      const [x, y, z] = inFrame(frame, p);
      const r = Math.sqrt(x * x + y * y) - major;
      const v = angleOf(r, z);
      return [angleOf(x, y), v > Math.PI ? v - TURN : v];
    },
  };
}

/** The curve of a profile, in the frame of the surface that sweeps it. */
function sweptCurve(lowering: Lowering, profile: StepValue): Curve | null {
  const { step } = lowering;
  const record = step.follow(profile);
  const isArbitrary = /^IFCARBITRARY(OPEN|CLOSED)PROFILEDEF$/.test(step.type(record));
  return isArbitrary ? curveOf(lowering, step.follow(step.args(record, 3)[2])) : null;
}

/** Interval of a curve with an end; a line's own has none. */
const cornersWithin = (curve: Curve, from: number, to: number): number[] => {
  const [a, b] = curve.domain;
  return curve.corners(Math.max(a, from), Math.min(b, to));
};

const turnsOf = (curve: Curve): number => (curve.isClosed ? curve.domain[1] - curve.domain[0] : 0);

const wrap = (t: number, first: number, period: number): number =>
  period > 0 ? t - period * Math.floor((t - first) / period) : t;

function extruded(lowering: Lowering, [profile, place, direction]: readonly StepValue[]): Surface | null {
  const { step } = lowering;
  const curve = sweptCurve(lowering, profile);
  const way = unit(threeOf(step.numbers(direction)));
  if (curve === null || way === null || !(Math.abs(way[2]) > 1e-6)) return null;
  const frame = step.frame(place);
  const period = turnsOf(curve);
  return {
    periods: [period, 0],
    poles: [],
    lines: (axis, from, to) => (axis === 0 ? cornersWithin(curve, from, to) : []),
    point: (u, v) => fromFrame(frame, along(curve.point(wrap(u, curve.domain[0], period)), v, way)),
    invert(p) {
      const q = inFrame(frame, p);
      const v = q[2] / way[2];
      const [x, y] = along(q, -v, way);
      return [curve.parameter([x, y, 0]), v];
    },
  };
}

function revolved(lowering: Lowering, [profile, place, axisAt]: readonly StepValue[]): Surface | null {
  const { step } = lowering;
  const curve = sweptCurve(lowering, profile);
  if (curve === null) return null;
  const frame = step.frame(place);
  const [at, direction] = step.args(step.follow(axisAt)).map((value) => threeOf(step.numbers(value)));
  // The axis is z; the curve lies in a plane with it, that of x and z.
  const up = unit(direction ?? [0, 0, 1]) ?? [0, 0, 1];
  const [first, last] = curve.domain;
  const isLine = !Number.isFinite(first);
  const samples = isLine ? [0, 1] : [first, ...curve.corners(first, last), last];
  const out = (t: number): number[] => {
    const d = minus(curve.point(t), at);
    return along(d, -dot(d, up), up);
  };
  const reach = samples.reduce((most, t) => Math.max(most, Math.sqrt(dot(out(t), out(t)))), 0);
  const farthest = samples.find((t) => Math.sqrt(dot(out(t), out(t))) === reach) ?? 0;
  const x = unit(out(farthest));
  if (x === null) return null;
  const about: Frame = frameOf(at, up, x);
  const planar = (t: number): number[] => inFrame(about, curve.point(t));
  if (samples.some((t) => Math.abs(planar(t)[1]) > 1e-6 * reach)) return null;
  const period = turnsOf(curve);
  const n = cornersOf(lowering, reach);
  const turn = new Float64Array(2);
  const poles: number[] = [];
  if (isLine) {
    const [r0, r1] = [planar(0)[0], planar(1)[0]];
    if (Math.abs(r1 - r0) > 1e-9 * Math.abs(r0)) poles.push(r0 / (r0 - r1));
  } else for (const t of [first, last]) if (Math.abs(planar(t)[0]) <= 1e-9 * reach) poles.push(t);
  return {
    periods: [TURN, period],
    poles,
    lines: (axis, from, to) =>
      axis === 0 ? multiples(TURN / n, from, to) : isLine ? [] : cornersWithin(curve, from, to),
    point(u, v) {
      const [r, , z] = planar(wrap(v, first, period));
      const [c, s] = turned(u, turn);
      return fromFrame(frame, fromFrame(about, [r * c, r * s, z]));
    },
    invert(p) {
      const [a, b, z] = inFrame(about, inFrame(frame, p));
      const r = Math.sqrt(a * a + b * b);
      // The curve may be on either side of the axis.
      const tries = [r, -r].map((q) => {
        const v = curve.parameter(fromFrame(about, [q, 0, z]));
        return { v, q, off: distance(planar(wrap(v, first, period)), [q, 0, z]) };
      });
      const { v, q } = tries[tries[1].off < tries[0].off ? 1 : 0];
      return [q < 0 ? angleOf(-a, -b) : angleOf(a, b), v];
    },
  };
}

interface Basis {
  degree: number;
  knots: readonly number[];
  from: number;
  to: number;
}

/** Values and derivatives of the basis functions at t; the first is that of the control `low`. */
function basisAt({ degree: p, knots }: Basis, t: number): { low: number; values: number[]; slopes: number[] } {
  const span = spanOf({ degree: p, knots }, t, 1);
  let row = [1];
  let before = row;
  for (let k = 1; k <= p; k++) {
    before = row;
    row = new Array<number>(k + 1).fill(0);
    before.forEach((value, i) => {
      const [a, b] = [knots[span - k + 1 + i], knots[span + 1 + i]];
      row[i] += (value * (b - t)) / (b - a);
      row[i + 1] += (value * (t - a)) / (b - a);
    });
  }
  const slopes = new Array<number>(p + 1).fill(0);
  before.forEach((value, i) => {
    const d = (p * value) / (knots[span + 1 + i] - knots[span - p + 1 + i]);
    slopes[i] -= d;
    slopes[i + 1] += d;
  });
  return { low: span - p, values: row, slopes };
}

/** An IfcBSplineSurfaceWithKnots or a rational one. */
function splineSurface(lowering: Lowering, record: number, args: readonly StepValue[]): Surface | null {
  const { step } = lowering;
  const refuse = (expected: string, found: string): never => {
    throw failure(step.file, record, expected, found);
  };
  const lists = (value: StepValue | undefined): StepValue[][] =>
    (Array.isArray(value) ? value : []).map((row) => (Array.isArray(row) ? row : []));
  const rows = lists(args[2]).map((row) => row.map((point) => threeOf(step.numbers(point))));
  const width = rows[0]?.length ?? 0;
  if (rows.some((row) => row.length !== width)) refuse('rows of the same length', 'rows of different lengths');
  if (rows.length * width > MOST_CONTROLS) refuse(`at most ${MOST_CONTROLS} control points`, 'more');
  const weights = args.length > 12 ? lists(args[12]).map((row) => row.map((w) => numberIn(w) ?? NaN)) : null;
  const net = rows.map((row, i) =>
    row.map((p, j) => {
      const w = weights ? (weights[i]?.[j] ?? NaN) : 1;
      if (!(w > 0 && w < Infinity)) refuse('weights above 0', `${w}`);
      if (!p.every(Number.isFinite)) refuse('finite control points', 'NaN or infinite ones');
      return [...p.map((c) => c * w), w];
    }),
  );
  const basis = (count: number, degree: StepValue, counts: StepValue, values: StepValue): Basis => {
    const d = numberIn(degree) ?? NaN;
    const knots = knotsOf({ degree: d, count, counts, values }, refuse);
    return { degree: d, knots, from: knots[d], to: knots[knots.length - d - 1] };
  };
  const [u, v] = [basis(rows.length, args[0], args[7], args[9]), basis(width, args[1], args[8], args[10])];
  const made = surfaceOfSpline(net, u, v);
  if (made.poles.length > 0) return made;
  const turned = surfaceOfSpline(
    net[0].map((_, j) => net.map((row) => row[j])),
    v,
    u,
  );
  return turned.poles.length > 0 ? { ...turned, isMirrored: true } : made;
}

const point3 = ([x, y, z, w]: readonly number[]): number[] => [x / w, y / w, z / w];

/** The point at (s, t) and its derivatives by u and v. */
function derivativesOfSpline(net: number[][][], u: Basis, v: Basis, s: number, t: number): number[][] {
  const [a, b] = [basisAt(u, s), basisAt(v, t)];
  const sums = [0, 1, 2].map(() => [0, 0, 0, 0]);
  a.values.forEach((x, i) => {
    b.values.forEach((y, j) => {
      const p = net[a.low + i][b.low + j];
      for (let k = 0; k < 4; k++) {
        sums[0][k] += x * y * p[k];
        sums[1][k] += a.slopes[i] * y * p[k];
        sums[2][k] += x * b.slopes[j] * p[k];
      }
    });
  });
  const w = sums[0][3];
  const p = point3(sums[0]);
  return [p, ...sums.slice(1).map((d) => [0, 1, 2].map((k) => (d[k] - d[3] * p[k]) / w))];
}

/** Knots, and parts between them, about `most` in all. */
function parametersOf(b: Basis, most: number): number[] {
  const knots = b.knots.filter((t, k) => t >= b.from && t <= b.to && t !== b.knots[k + 1]);
  const parts = Math.max(1, Math.min(2 * b.degree, Math.floor(most / knots.length)));
  return knots.flatMap((t, k) =>
    k + 1 < knots.length ? Array.from({ length: parts }, (_, i) => t + ((knots[k + 1] - t) * i) / parts) : [b.to],
  );
}

function surfaceOfSpline(net: number[][][], u: Basis, v: Basis): Surface {
  const all = net.flat().map(point3);
  const extent = all.reduce((most, p) => Math.max(most, distance(p, all[0])), 0);
  const at = (s: number, t: number): number[][] => derivativesOfSpline(net, u, v, s, t);
  const isSame = (p: readonly number[], q: readonly number[]): boolean => distance(p, q) <= 1e-9 * extent;
  const most = Math.sqrt(MOST_SAMPLES);
  const [us, vs] = [parametersOf(u, most), parametersOf(v, most)];
  const isClosed = (axis: 0 | 1): boolean => {
    const across = axis === 0 ? vs : us;
    const ends = axis === 0 ? [u.from, u.to] : [v.from, v.to];
    const [p, q] = ends.map((end) =>
      across.map((t) => at(...(axis === 0 ? ([end, t] as const) : ([t, end] as const)))[0]),
    );
    return p.every((x, k) => isSame(x, q[k])) && p.some((x) => !isSame(x, p[0]));
  };
  const periods: Uv = [isClosed(0) ? u.to - u.from : 0, isClosed(1) ? v.to - v.from : 0];
  const isPole = (j: number): boolean => net.every((row) => isSame(point3(row[j]), point3(net[0][j])));
  const poles = [...(isPole(0) ? [v.from] : []), ...(isPole(net[0].length - 1) ? [v.to] : [])];
  const clamp = (b: Basis, period: number, t: number): number =>
    Math.min(b.to, Math.max(b.from, wrap(t, b.from, period)));
  const samples: { uv: Uv; p: number[] }[] = [];
  const search = (p: readonly number[], start: Uv): { uv: Uv; off: number } => {
    let [s, t] = start;
    let best = { uv: start, off: Infinity };
    for (let k = 0; k < MOST_STEPS; k++) {
      const [q, du, dv] = at(s, t);
      const r = minus(p, q);
      const off = Math.sqrt(dot(r, r));
      if (off < best.off) best = { uv: [s, t], off };
      const [a, b, c] = [dot(du, du), dot(du, dv), dot(dv, dv)];
      const [e, f] = [dot(du, r), dot(dv, r)];
      // If there is no slope along one parameter, the other one continues alone.
      const det = a * c - b * b;
      const isFull = det > 1e-18 * a * c;
      const [x, y] = isFull
        ? [(c * e - b * f) / det, (a * f - b * e) / det]
        : [a >= c && a > 0 ? e / a : 0, c > a ? f / c : 0];
      const [s1, t1] = [clamp(u, periods[0], s + x), clamp(v, periods[1], t + y)];
      if ((s1 === s && t1 === t) || off <= 1e-14 * extent) break;
      [s, t] = [s1, t1];
    }
    return best;
  };
  return {
    periods,
    poles,
    // Refinement does the rest: knots and parts that no midpoint finds flat.
    lines: (axis, from, to) => {
      const [b, all] = axis === 0 ? [u, us] : [v, vs];
      const inside = all.filter((t) => t > from && t < to);
      if (periods[axis] === 0) return inside;
      const turns = Math.floor((from - b.from) / periods[axis]);
      return [0, 1, 2].flatMap((k) =>
        all
          .slice(1)
          .map((t) => t + (turns + k) * periods[axis])
          .filter((t) => t > from && t < to),
      );
    },
    point: (s, t) => at(clamp(u, periods[0], s), clamp(v, periods[1], t))[0],
    invert(p, near) {
      if (near) {
        const found = search(p, [clamp(u, periods[0], near[0]), clamp(v, periods[1], near[1])]);
        if (found.off <= 1e-9 * extent) return found.uv;
      }
      if (samples.length === 0) for (const s of us) for (const t of vs) samples.push({ uv: [s, t], p: at(s, t)[0] });
      const near3 = samples
        .map(({ uv, p: q }) => ({ uv, off: distance(p, q) }))
        .sort((a, b) => a.off - b.off)
        .slice(0, 4);
      return near3.map(({ uv }) => search(p, uv)).reduce((a, b) => (b.off < a.off ? b : a)).uv;
    },
  };
}
