/**
 * Writes parametric profiles as closed polylines if web-ifc gives them another shape, or too few
 * corners on their circles.
 *
 * Source: ISO 16739-1:2018, IfcProfileResource. A sloped face has its nominal thickness halfway
 * along its leg; in I and T profiles, halfway along half a flange.
 */
import { sineCosine } from '../../../math/sine.ts';
import { isRef, wordOf } from '../step-records.ts';
import { arcPoints, cornersOf, type Fineness } from './arcs.ts';
import { angleOf, curveOf, flatten } from './curves.ts';
import { real, reals } from './draft.ts';
import { lowerExtrusion } from './frames.ts';
import { type Lowering, numberIn } from './step.ts';

type Point = readonly number[];

/** A closed outline and its holes, in 2D, without a repeated point. */
export interface Outline {
  outer: Point[];
  holes: Point[][];
}

/** A corner of a polygon: x, y, and the radius that rounds it. */
type Corner = readonly [x: number, y: number, radius?: number | undefined];

/** Attributes behind the type, the name and the position; NaN for a missing one. */
type Numbers = readonly number[];

/** web-ifc's corners of every circle. */
const WEB_IFC_CORNERS = 32;

/** Ends of arcs that are closer than this fraction of the longest side are one point. */
const SAME = 1e-12;

interface Shape {
  /** The outer polygon, then holes, counter-clockwise. */
  polygons: Corner[][];
  /** True if web-ifc makes this profile right, except for round corners. */
  isKnown?: boolean;
}

const SHAPES: Readonly<Record<string, (n: Numbers, radians: number) => Shape>> = {
  IFCRECTANGLEPROFILEDEF: ([x, y]) => ({ polygons: [rectangle(x, y)], isKnown: true }),
  IFCROUNDEDRECTANGLEPROFILEDEF: ([x, y, r]) => ({ polygons: [rectangle(x, y, r)], isKnown: true }),
  IFCRECTANGLEHOLLOWPROFILEDEF: ([x, y, wall, inner, outer]) => ({
    polygons: [rectangle(x, y, outer), rectangle(x - 2 * wall, y - 2 * wall, inner)],
    isKnown: true,
  }),
  IFCTRAPEZIUMPROFILEDEF: ([bottom, top, height, offset]) => {
    const [left, y] = [-bottom / 2, height / 2];
    const outline: Corner[] = [
      [left, -y],
      [-left, -y],
      [left + offset + top, y],
      [left + offset, y],
    ];
    return { polygons: [outline], isKnown: true };
  },
  IFCISHAPEPROFILEDEF: ([width, depth, web, flange, fillet, edge, slope], radians) => ({
    polygons: [iShape({ depth, web }, ...twice({ width, flange, fillet, edge, slope: slope * radians }))],
    isKnown: !slope,
  }),
  IFCASYMMETRICISHAPEPROFILEDEF: (n, radians) => {
    // In IFC 2x3, the center of gravity follows the first eight attributes, and nothing else.
    const [width, depth, web, flange, fillet, topWidth, topFlange = NaN, topFillet, ...rest] = n;
    const [bottomEdge, bottomSlope, topEdge, topSlope] = rest.length > 1 ? rest : [];
    const bottom = { width, flange, fillet, edge: bottomEdge, slope: bottomSlope * radians };
    const top = {
      ...{ width: topWidth, flange: or(topFlange, flange), fillet: topFillet },
      ...{ edge: topEdge, slope: topSlope * radians },
    };
    return { polygons: [iShape({ depth, web }, bottom, top)] };
  },
  IFCLSHAPEPROFILEDEF: (n, radians) => ({ polygons: [lShape(n, radians)] }),
  IFCTSHAPEPROFILEDEF: (n, radians) => ({ polygons: [tShape(n, radians)], isKnown: !n[7] && !n[8] }),
  IFCUSHAPEPROFILEDEF: (n, radians) => ({ polygons: [uShape(n, radians)], isKnown: !n[6] }),
  IFCZSHAPEPROFILEDEF: (n) => ({ polygons: [zShape(n)] }),
  IFCCSHAPEPROFILEDEF: (n) => ({ polygons: [cShape(n)], isKnown: true }),
};

const or = (x: number, otherwise: number): number => (Number.isNaN(x) ? otherwise : x);
const twice = <T>(one: T): [T, T] => [one, one];

function rectangle(width: number, height: number, r = NaN): Corner[] {
  const [x, y] = [width / 2, height / 2];
  return [
    [-x, -y, r],
    [x, -y, r],
    [x, y, r],
    [-x, y, r],
  ];
}

interface Flange {
  width: number;
  flange: number;
  fillet: number;
  edge: number;
  /** Radians. */
  slope: number;
}

/** The bottom flange is wider or narrower than the top one; both are centered on the web. */
function iShape({ depth, web }: { depth: number; web: number }, bottom: Flange, top: Flange): Corner[] {
  const [y, w] = [depth / 2, web / 2];
  const half = ({ width, flange, fillet, edge, slope }: Flange, up: number): Corner[] => {
    const x = width / 2;
    const inner = (at: number): number => up * (y - flange + (at - x / 2) * tangent(slope));
    return [
      [w, inner(w), fillet],
      [x, inner(x), edge],
      [x, up * y],
    ];
  };
  const right = [...half(bottom, -1).reverse(), ...half(top, 1)];
  return [...right, ...right.map(([a, b, r]): Corner => [-a, b, r]).reverse()];
}

function lShape([depth, widthOrNone, thickness, fillet, edge, slope]: Numbers, radians: number): Corner[] {
  const [x, y] = [or(widthOrNone, depth) / 2, depth / 2];
  const k = tangent(slope * radians);
  // Inner faces: v = t - y - k u along the bottom leg, u = t - x - k v along the upright one.
  const [a, b] = [thickness - x, thickness - y];
  const u = (a - k * b) / (1 - k * k);
  const root: Corner = [u, b - k * u, fillet];
  return [[-x, -y], [x, -y], [x, b - k * x, edge], root, [a - k * y, y, edge], [-x, y]];
}

function tShape(n: Numbers, radians: number): Corner[] {
  const [depth, width, web, flange, fillet, flangeEdge, webEdge, webSlope, flangeSlope] = n;
  const [x, y, w] = [width / 2, depth / 2, web / 2];
  const [k, m] = [tangent(webSlope * radians), tangent(flangeSlope * radians)];
  // The web's face: u = w + k v; the flange's: v = y - flange + m (u - x / 2).
  const v = (y - flange + m * (w - x / 2)) / (1 - m * k);
  const right: Corner[] = [
    [w - k * y, -y, webEdge],
    [w + k * v, v, fillet],
    [x, y - flange + (m * x) / 2, flangeEdge],
    [x, y],
  ];
  return [...right, ...right.map(([a, b, r]): Corner => [-a, b, r]).reverse()];
}

function uShape([depth, width, web, flange, fillet, edge, slope]: Numbers, radians: number): Corner[] {
  const [x, y] = [width / 2, depth / 2];
  const k = tangent(slope * radians);
  const inner = (at: number): number => y - flange + k * at;
  const top: Corner[] = [
    [web - x, inner(web - x), fillet],
    [x, inner(x), edge],
    [x, y],
    [-x, y],
  ];
  return [...top.map(([a, b, r]): Corner => [a, -b, r]).reverse(), ...top];
}

/** The flange at the bottom points to the right, the one at the top to the left. */
function zShape([depth, width, web, flange, fillet, edge]: Numbers): Corner[] {
  const [x, y, w] = [width - web / 2, depth / 2, web / 2];
  const half: Corner[] = [
    [-w, -y],
    [x, -y],
    [x, flange - y, edge],
    [w, flange - y, fillet],
  ];
  return [...half, ...half.map(([a, b, r]): Corner => [-a, -b, r])];
}

function cShape([depth, width, wall, girth, fillet]: Numbers): Corner[] {
  const [x, y, outer] = [width / 2, depth / 2, fillet + wall];
  const top: Corner[] = [
    ...([
      [wall - x, y - wall, fillet],
      [x - wall, y - wall, fillet],
      [x - wall, y - girth],
    ] as Corner[]),
    ...([
      [x, y - girth],
      [x, y, outer],
      [-x, y, outer],
    ] as Corner[]),
  ];
  return [...top.map(([a, b, r]): Corner => [a, -b, r]).reverse(), ...top];
}

/** The tangent of an angle in radians; 0 for a missing slope. */
function tangent(slope: number): number {
  if (!(Math.abs(slope) < 1.5)) return 0;
  const out = new Float64Array(2);
  sineCosine(slope, out);
  return out[0] / out[1];
}

/** Circles and ellipses by their half axes, of the outline and of a hole. */
const ROUND: Readonly<Record<string, (n: Numbers) => [x: number, y: number][]>> = {
  IFCCIRCLEPROFILEDEF: ([r]) => [[r, r]],
  IFCCIRCLEHOLLOWPROFILEDEF: ([r, wall]) => [
    [r, r],
    [r - wall, r - wall],
  ],
  IFCELLIPSEPROFILEDEF: ([a, b]) => [[a, b]],
};

export const PARAMETRIC = [...Object.keys(SHAPES), ...Object.keys(ROUND)];

/** The outline of a parametric profile, placed in its plane; null for another record. */
export function outlineOf(lowering: Lowering, record: number): Outline | null {
  const shape = shapeOf(lowering, record);
  return shape && placed(lowering, record, shape);
}

/** Replaces a parametric profile by its outline, unless web-ifc has the same one. */
export function lowerProfile(lowering: Lowering, record: number): void {
  const shape = shapeOf(lowering, record);
  if (shape && !shape.isKnown) writeProfile(lowering, record, placed(lowering, record, shape));
}

function placed({ step }: Lowering, record: number, { loops, radius }: Known): Outline {
  const isRound = radius > 0;
  if (isRound) step.budget.spend(0);
  const made = loops();
  if (isRound) step.budget.spend(made.reduce((sum, { length }) => sum + length, 0));
  const { origin, x, y } = step.frame(step.args(record, 3)[2]);
  const [outer, ...holes] = made.map((loop) =>
    loop.map(([a, b]) => [0, 1].map((k) => origin[k] + a * x[k] + b * y[k])),
  );
  return { outer, holes };
}

export const isRoundProfile = (lowering: Lowering, record: number): boolean =>
  (shapeOf(lowering, record)?.radius ?? 0) > 0;

/** Replaces a profile by one of polylines, of the same type: an area or a curve. */
export function writeProfile(lowering: Lowering, record: number, outline: Outline): void {
  lowering.draft.replace(record, profileText(lowering, record, outline));
}

export function profileText({ step, draft }: Lowering, record: number, { outer, holes }: Outline): string {
  const [curve, ...inner] = [outer, ...holes].map((loop) => {
    const points = draft.add(`IFCCARTESIANPOINTLIST2D((${[...loop, loop[0]].map(reals).join()}))`);
    return draft.add(`IFCINDEXEDPOLYCURVE(${points},$,.F.)`);
  });
  const type = wordOf(step.args(record, 1)[0]) ?? 'AREA';
  return inner.length === 0
    ? `IFCARBITRARYCLOSEDPROFILEDEF(.${type}.,$,${curve})`
    : `IFCARBITRARYPROFILEDEFWITHVOIDS(.${type}.,$,${curve},(${inner.join()}))`;
}

/**
 * IfcCenterLineProfileDef: a band of one thickness about a curve, mitered at corners, with square
 * ends. A closed curve gives a ring.
 */
export function lowerCenterLine(lowering: Lowering, record: number): void {
  const [, , line, thickness] = lowering.step.args(record);
  const [curve, half] = [curveOf(lowering, lowering.step.follow(line)), (numberIn(thickness) ?? 0) / 2];
  if (!curve || !Number.isFinite(curve.domain[0]) || !(half > 0)) return;
  const points = flatten(curve, ...curve.domain);
  if (curve.isClosed) points.pop();
  const side = (offset: number): Point[] | null => {
    const loop = points.map((p, k) => {
      const before = points[k - 1] ?? (curve.isClosed ? points[points.length - 1] : null);
      const after = points[k + 1] ?? (curve.isClosed ? points[0] : null);
      return mitered([before, p, after], offset);
    });
    return loop.every((p) => p !== null) ? loop : null;
  };
  const [left, right] = [side(half), side(-half)];
  if (!left || !right || points.length < 2) {
    lowering.unread.set(record, 'its center line turns back on itself');
    return;
  }
  const isInner = areaOf(left) ** 2 < areaOf(right) ** 2;
  if (!curve.isClosed) writeProfile(lowering, record, { outer: [...left, ...right.reverse()], holes: [] });
  else writeProfile(lowering, record, { outer: isInner ? right : left, holes: [isInner ? left : right] });
}

/** A point moved to the left, to the same distance from the sides before and after it. */
function mitered([before, at, after]: readonly (Point | null)[], offset: number): Point | null {
  const sides = [before && along(before, at!), after && along(at!, after)].filter((one) => one !== null);
  const [a, b = a] = sides.map(({ direction: [x, y] }) => [-y, x]);
  // The sum of the normals over 1 plus their product: each normal's part of it is 1.
  const scale = 1 + a[0] * b[0] + a[1] * b[1];
  if (!(scale > 1e-3)) return null;
  return [at![0] + (offset * (a[0] + b[0])) / scale, at![1] + (offset * (a[1] + b[1])) / scale];
}

const areaOf = (loop: readonly Point[]): number =>
  loop.reduce((sum, [x, y], k) => {
    const [a, b] = loop[(k + 1) % loop.length];
    return sum + (x * b - y * a) / 2;
  }, 0);

/** The profiles of a tapered solid have the same number of corners, which web-ifc requires. */
export function lowerTaper(lowering: Lowering, record: number): void {
  lowerExtrusion(lowering, record);
  const { step, draft } = lowering;
  const values = step.args(record);
  const ends = [values[0], values[4]].map((value) => step.follow(value));
  const shapes = ends.map((end) => shapeOf(lowering, end));
  if (shapes.some((shape) => shape === null) || shapes.every((shape) => shape!.isKnown)) return;
  const corners = Math.max(...shapes.map((shape) => cornersOf(lowering, shape!.radius)));
  const [bottom, top] = ends.map((end) => {
    const outline = outlineOf({ ...lowering, chord: Infinity, corners }, end);
    return draft.add(profileText(lowering, end, outline!));
  });
  const [position, along] = [values[1], values[2]].map((value) => (isRef(value) ? `#${value.ref}` : '$'));
  const depth = real(numberIn(values[3]) ?? 0);
  draft.replace(record, `IFCEXTRUDEDAREASOLIDTAPERED(${bottom},${position},${along},${depth},${top})`);
}

/** Loops in the profile's own frame, and the largest radius in them. */
interface Known {
  loops: () => Point[][];
  radius: number;
  isKnown: boolean;
}

function shapeOf(lowering: Lowering, record: number): Known | null {
  const { step } = lowering;
  const type = step.type(record);
  const [, , position, ...rest] = step.args(record);
  const numbers = rest.map((value) => numberIn(value) ?? NaN);
  // IFC4 has profiles without a position; web-ifc complains about them.
  const isPlaced = step.follow(position) >= 0;
  if (Object.hasOwn(ROUND, type)) {
    const axes = ROUND[type](numbers);
    if (!axes.every(([a, b]) => a > 0 && b > 0)) return null;
    const isFine = axes.every(([a, b]) => cornersOf(lowering, Math.max(a, b)) === WEB_IFC_CORNERS);
    const radius = Math.max(...axes.flat());
    return { loops: () => axes.map(([a, b]) => ellipse(lowering, a, b)), radius, isKnown: isPlaced && isFine };
  }
  if (!Object.hasOwn(SHAPES, type)) return null;
  const { polygons, isKnown = false } = SHAPES[type](numbers, step.radians);
  if (polygons.some((polygon) => polygon.some(([x, y]) => !Number.isFinite(x + y)))) return null;
  const radii = polygons.flatMap((polygon) => polygon.map(([, , r = 0]) => r || 0));
  const radius = Math.max(0, ...radii);
  const loops = (): Point[][] => polygons.map((polygon) => rounded(lowering, polygon));
  return { loops, radius, isKnown: isPlaced && isKnown && radius === 0 };
}

function ellipse(fineness: Fineness, a: number, b: number): Point[] {
  const unit = { center: [0, 0], radius: 1, from: [1, 0], turn: 2 * Math.PI };
  const radius = Math.max(a, b);
  const circle = arcPoints({ ...fineness, chord: fineness.chord / radius }, unit);
  return circle.slice(0, -1).map(([x, y]) => [a * x, b * y]);
}

/** Rounds the corners of a polygon that have a radius; a radius that does not fit is reduced. */
function rounded(fineness: Fineness, polygon: readonly Corner[]): Point[] {
  const at = (k: number): Corner => polygon[(k + polygon.length) % polygon.length];
  const sides = polygon.map(([x, y], k) => along([x, y], [at(k + 1)[0], at(k + 1)[1]]));
  const corners = polygon.map(([, , r = 0], k) => {
    const [before, after] = [sides[(k + sides.length - 1) % sides.length], sides[k]];
    const [u, v] = [before.direction.map((c) => -c), after.direction];
    const cosine = u[0] * v[0] + u[1] * v[1];
    // Lengths of tangents per radius: 1 at a right angle.
    const tangent = Math.sqrt((1 + cosine) / (1 - cosine));
    return { u, v, cosine, tangent, radius: r > 0 && tangent > 0 && tangent < 1e6 ? r : 0 };
  });
  const fits = sides.map(({ length }, k) => {
    const [a, b] = [corners[k], corners[(k + 1) % corners.length]];
    const used = a.radius * a.tangent + b.radius * b.tangent;
    return used > length ? length / used : 1;
  });
  const points = polygon.flatMap(([x, y], k): Point[] => {
    const { u, v, cosine, tangent, radius: wanted } = corners[k];
    const radius = wanted * Math.min(fits[k], fits[(k + fits.length - 1) % fits.length]);
    if (!(radius > 0)) return [[x, y]];
    const reach = radius / Math.sqrt(1 - cosine * cosine);
    const center = [x + (u[0] + v[0]) * reach, y + (u[1] + v[1]) * reach];
    const end = (w: Point): Point => [x + w[0] * radius * tangent, y + w[1] * radius * tangent];
    const turn = Math.PI - angleOf(cosine, Math.sqrt(1 - cosine * cosine));
    const steps = Math.ceil((cornersOf(fineness, radius) * turn) / (2 * Math.PI) - 1e-9);
    return bisected({ center, radius, ends: [end(u), end(v)] }, steps);
  });
  // If two arcs use up a side, their ends meet.
  const apart = SAME * Math.max(...sides.map(({ length }) => length));
  return points.filter(([x, y], k) => along([x, y], points[(k + 1) % points.length]).length > apart);
}

interface Arc {
  center: Point;
  radius: number;
  ends: [Point, Point];
}

/** Points on an arc below half a turn, ends included, at a power of two of equal steps. */
function bisected({ center, radius, ends: [a, b] }: Arc, steps: number): Point[] {
  if (steps <= 1) return [a, b];
  const sum = [a[0] - center[0] + (b[0] - center[0]), a[1] - center[1] + (b[1] - center[1])];
  const length = Math.sqrt(sum[0] * sum[0] + sum[1] * sum[1]);
  const middle: Point = [center[0] + (radius * sum[0]) / length, center[1] + (radius * sum[1]) / length];
  const half = (from: Point, to: Point): Point[] => bisected({ center, radius, ends: [from, to] }, steps / 2);
  return [...half(a, middle).slice(0, -1), ...half(middle, b)];
}

function along([x, y]: Point, [a, b]: Point): { direction: Point; length: number } {
  const length = Math.sqrt((a - x) ** 2 + (b - y) ** 2);
  return { direction: [(a - x) / length, (b - y) / length], length };
}
