/**
 * Writes directions, axes and transformations out in full if web-ifc has no default for them, or
 * another one than the standard. Also replaces placements on grids by local ones.
 *
 * Source: ISO 16739-1:2018, IfcBaseAxis, IfcBuildAxes, IfcFirstProjAxis, IfcSecondProjAxis,
 * IfcVirtualGridIntersection, IfcGridPlacement.
 */

import { isRef, type StepValue, wordOf } from '../step-records.ts';
import { curveOf, flatten } from './curves.ts';
import { reals } from './draft.ts';
import { cross, dot, type Lowering, numberIn, type Step, unit } from './step.ts';

type Vector = readonly number[];

/** Squares of sines below this are those of parallel directions. */
const PARALLEL = 1e-24;

const direction = ({ draft }: Lowering, v: Vector): string => draft.add(`IFCDIRECTION(${reals(v)})`);

/** The length of an extrusion's direction does not count, but web-ifc multiplies by it. */
export function lowerExtrusion({ step, draft }: Lowering, record: number): void {
  const found = step.follow(step.args(record, 3)[2]);
  const ratios = step.numbers(step.args(record, 3)[2]);
  const along = ratios.length === 3 ? unit(ratios) : null;
  if (along !== null && Math.abs(dot(ratios, ratios) - 1) > 1e-15)
    draft.replace(found, `IFCDIRECTION(${reals(along)})`);
}

/** An axis along x needs another reference than x, which web-ifc does not choose. */
export function lowerAxes({ step, draft }: Lowering, record: number): void {
  const [location, axis, reference] = step.args(record, 3);
  if (step.follow(axis) < 0) return;
  const z = unit(step.numbers(axis));
  const x = step.follow(reference) < 0 ? [1, 0, 0] : unit(step.numbers(reference));
  if (z && x && isApart(z, x)) return;
  const frame = step.frame({ ref: step.file.ids[record] });
  const [first, second] = [frame.z, frame.x].map((v) => draft.add(`IFCDIRECTION(${reals(v)})`));
  draft.replace(record, `IFCAXIS2PLACEMENT3D(#${step.file.ids[step.follow(location)]},${first},${second})`);
}

function isApart(a: Vector, b: Vector): boolean {
  const c = cross(a, b);
  return dot(c, c) > PARALLEL;
}

/** Axes in full and at right angles, and a scale for each. */
export function lowerOperator3D(lowering: Lowering, record: number): void {
  const { step, draft } = lowering;
  const [axis1, axis2, origin, scale, axis3, scale2, scale3] = step.args(record);
  const given = [axis1, axis2, axis3].map((value) => (step.follow(value) < 0 ? null : step.numbers(value)));
  const uniform = numberIn(scale) ?? 1;
  const scales = [uniform, numberIn(scale2) ?? uniform, numberIn(scale3) ?? uniform];
  const isScaled = step.type(record).endsWith('NONUNIFORM');
  const isNamed = !isScaled || [scale, scale2, scale3].every((value) => numberIn(value) !== null);
  if (given.every((v) => v === null) && isNamed) return;
  const [x, y, z] = baseAxes(given).map((v) => direction(lowering, v));
  const start = `(${x},${y},#${step.file.ids[step.follow(origin)]},${real1(scales[0])},${z}`;
  draft.replace(
    record,
    isScaled
      ? `IFCCARTESIANTRANSFORMATIONOPERATOR3DNONUNIFORM${start},${real1(scales[1])},${real1(scales[2])})`
      : `IFCCARTESIANTRANSFORMATIONOPERATOR3D${start})`,
  );
}

export function lowerOperator2D(lowering: Lowering, record: number): void {
  const { step, draft } = lowering;
  const [axis1, axis2, origin, scale, scale2] = step.args(record);
  const given = [axis1, axis2].map((value) => (step.follow(value) < 0 ? null : unit(step.numbers(value))));
  const isScaled = step.type(record).endsWith('NONUNIFORM');
  const uniform = numberIn(scale) ?? 1;
  if (given.every((v) => v === null) && (!isScaled || numberIn(scale2) !== null)) return;
  const [x, y] = planeAxes(given[0], given[1]).map((v) => direction(lowering, v.slice(0, 2)));
  const start = `(${x},${y},#${step.file.ids[step.follow(origin)]},${real1(uniform)}`;
  draft.replace(
    record,
    isScaled
      ? `IFCCARTESIANTRANSFORMATIONOPERATOR2DNONUNIFORM${start},${real1(numberIn(scale2) ?? uniform)})`
      : `IFCCARTESIANTRANSFORMATIONOPERATOR2D${start})`,
  );
}

/** The place to which an IfcCartesianTransformationOperator2D moves a point. */
export function movedBy({ step }: Lowering, record: number): (p: Vector) => number[] {
  const [axis1, axis2, origin, scale, scale2] = step.args(record);
  const given = [axis1, axis2].map((value) => unit(step.numbers(value)));
  const [x, y] = planeAxes(given[0], given[1]);
  const at = step.numbers(origin);
  const s = numberIn(scale) ?? 1;
  const t = step.type(record).endsWith('NONUNIFORM') ? (numberIn(scale2) ?? s) : s;
  return ([a, b]) => [0, 1].map((k) => (at[k] ?? 0) + s * a * x[k] + t * b * y[k]);
}

const real1 = (x: number): string => reals([x]).slice(1, -1);

function planeAxes(x: Vector | null, y: Vector | null): [Vector, Vector] {
  if (x === null)
    return y === null
      ? [
          [1, 0],
          [0, 1],
        ]
      : [[y[1], -y[0]], y];
  const left = [-x[1], x[0]];
  return [x, y !== null && y[0] * left[0] + y[1] * left[1] < 0 ? [x[1], -x[0]] : left];
}

/** IfcBaseAxis. If an axis's projection is zero, it is the cross product of the others. */
function baseAxes([first, second, third]: readonly (Vector | null)[]): [Vector, Vector, Vector] {
  const z = (third && unit(third)) ?? [0, 0, 1];
  const isAlongX = !isApart(z, [1, 0, 0]);
  const y0 = second && projected(second, [z]);
  const x0 = projected(first ?? (isAlongX ? [0, 1, 0] : [1, 0, 0]), [z]);
  const isTaken = first === null && y0 !== null && x0 !== null && !isApart(x0, y0);
  const x = isTaken ? cross(y0, z) : (x0 ?? (y0 && cross(y0, z)) ?? projected([0, 0, 1], [z]) ?? [0, 1, 0]);
  const y = projected(second ?? cross(z, x), [z, x]) ?? cross(z, x);
  return [x, y, z];
}

/** A direction without its parts along others, scaled to length 1; null if nothing is left. */
function projected(v: Vector, others: readonly Vector[]): Vector | null {
  let rest: Vector = unit(v) ?? [0, 0, 0];
  for (const other of others) {
    const part = dot(rest, other);
    rest = rest.map((c, k) => c - part * other[k]);
  }
  return dot(rest, rest) > PARALLEL ? unit(rest) : null;
}

/** IfcMirroredProfileDef mirrors x. */
export function lowerMirrored(lowering: Lowering, record: number): void {
  const { step, draft } = lowering;
  const [type, , parent] = step.args(record, 3);
  const axes = [
    [-1, 0],
    [0, 1],
  ]
    .map((v) => direction(lowering, v))
    .join();
  const origin = draft.add('IFCCARTESIANPOINT((0.,0.))');
  const operator = draft.add(`IFCCARTESIANTRANSFORMATIONOPERATOR2D(${axes},${origin},1.)`);
  const word = wordOf(type) ?? 'AREA';
  draft.replace(record, `IFCDERIVEDPROFILEDEF(.${word}.,$,#${step.file.ids[step.follow(parent)]},${operator},$)`);
}

/**
 * Turns an IfcGridPlacement into a local one: the place where two straight axes, moved to the left
 * by their offsets, meet, in the frame of the grid.
 */
export function lowerGridPlacement(lowering: Lowering, record: number): void {
  const { step, draft, unread } = lowering;
  const values = step.args(record);
  const isPlace = (value: StepValue): boolean => step.type(step.follow(value)) === 'IFCVIRTUALGRIDINTERSECTION';
  const first = values.findIndex(isPlace);
  const place = first < 0 ? null : intersectionOf(lowering, step.follow(values[first]));
  if (place === null) {
    unread.set(record, 'its place on a grid is not that of two straight axes');
    return;
  }
  const x = referenceOf(lowering, values[first + 1], place);
  // In later schemas, the first attribute is the placement to which this one is relative; in
  // earlier ones, that is the grid's own.
  const above = first > 0 && isRef(values[0]) ? values[0] : step.args(place.grid, 6)[5];
  const origin = draft.add(`IFCCARTESIANPOINT(${reals(place.at)})`);
  const z = direction(lowering, [0, 0, 1]);
  const axes = draft.add(`IFCAXIS2PLACEMENT3D(${origin},${z},${direction(lowering, x)})`);
  draft.replace(record, `IFCLOCALPLACEMENT(${isRef(above) ? `#${above.ref}` : '$'},${axes})`);
}

interface GridPlace {
  at: Vector;
  /** The first axis's own direction. */
  x: Vector;
  grid: number;
}

function referenceOf(lowering: Lowering, value: StepValue | undefined, place: GridPlace): Vector {
  const { step } = lowering;
  const record = step.follow(value);
  const other = step.type(record) === 'IFCVIRTUALGRIDINTERSECTION' ? intersectionOf(lowering, record) : null;
  const given = other ? other.at.map((c, k) => c - place.at[k]) : record < 0 ? place.x : step.numbers(value);
  return unit([given[0] ?? 0, given[1] ?? 0]) ?? place.x;
}

function intersectionOf(lowering: Lowering, record: number): GridPlace | null {
  const { step } = lowering;
  const [list, offsets] = step.args(record, 2);
  const axes = step.followAll(list);
  const [a = 0, b = 0, z = 0] = Array.isArray(offsets) ? offsets.map((value) => numberIn(value) ?? 0) : [];
  const lines = axes.map((axis, k) => gridLine(lowering, axis, [a, b][k]));
  const [one, two] = lines;
  if (lines.length !== 2 || !one || !two) return null;
  const turn = one.x[0] * two.x[1] - one.x[1] * two.x[0];
  if (turn * turn < PARALLEL) return null;
  const [dx, dy] = [two.at[0] - one.at[0], two.at[1] - one.at[1]];
  const along = (dx * two.x[1] - dy * two.x[0]) / turn;
  const at = [one.at[0] + along * one.x[0], one.at[1] + along * one.x[1], z];
  const grid = gridOf(step, axes[0]);
  return grid < 0 ? null : { at, x: one.x, grid };
}

/** A straight grid axis, moved to the left of its own direction; null for another curve. */
function gridLine(lowering: Lowering, axis: number, offset: number): { at: Vector; x: Vector } | null {
  const { step } = lowering;
  const [, curve, sense] = step.args(axis, 3);
  const ends = straightOf(lowering, step.follow(curve));
  const forward = ends && unit([ends[1][0] - ends[0][0], ends[1][1] - ends[0][1], 0]);
  if (!ends || !forward) return null;
  const x = wordOf(sense) === 'F' ? forward.map((c) => -c) : forward;
  return { at: [ends[0][0] - offset * x[1], ends[0][1] + offset * x[0]], x };
}

/** Two points on a straight curve; null for another one. */
function straightOf(lowering: Lowering, record: number): [Vector, Vector] | null {
  const curve = curveOf(lowering, record);
  if (curve === null) return null;
  const [from, to] = curve.domain;
  if (from === -Infinity) return [curve.point(0), curve.point(1)];
  const points = flatten(curve, from, to);
  return areInLine(points) ? [points[0], points[points.length - 1]] : null;
}

function areInLine(points: readonly Vector[]): boolean {
  const [first, last] = [points[0], points[points.length - 1]];
  if (points.length < 2) return false;
  const along = unit([last[0] - first[0], last[1] - first[1], 0]);
  return (
    along !== null &&
    points.every(
      ([x, y]) =>
        Math.abs((x - first[0]) * along[1] - (y - first[1]) * along[0]) < 1e-9 * (1 + Math.abs(x) + Math.abs(y)),
    )
  );
}

const GRIDS = new WeakMap<Step, Map<number, number>>();

/** The first grid that an axis belongs to, or -1. */
function gridOf(step: Step, axis: number): number {
  const grids = GRIDS.get(step) ?? gridsByAxis(step);
  GRIDS.set(step, grids);
  return grids.get(axis) ?? -1;
}

function gridsByAxis(step: Step): Map<number, number> {
  const { types, typeNames, count } = step.file;
  const type = typeNames.indexOf('IFCGRID');
  const grids = new Map<number, number>();
  for (let r = 0; r < count; r++) {
    if (types[r] !== type) continue;
    const axes = step.args(r, 10).slice(7);
    for (const axis of axes.flatMap((list) => step.followAll(list))) if (!grids.has(axis)) grids.set(axis, r);
  }
  return grids;
}
