/** Profiles as outlines of corners, and those with curves as polylines. */
import { type StepValue, wordOf } from '../step-records.ts';
import { conic, curveOf, flatten } from './curves.ts';
import { reals } from './draft.ts';
import type { Lowering } from './lower.ts';
import { distance, type Frame, numberIn } from './step.ts';

/** Closed loops of points in the profile's plane; the first point does not come again. */
export interface Outline {
  outer: number[][];
  holes: number[][][];
}

/** The outline of a profile's area; null for a profile of an unknown kind, or without one. */
export function outlineOf(lowering: Lowering, record: number): Outline | null {
  const { step } = lowering;
  const args = step.args(record);
  const [x, y] = args.slice(3, 5).map((value) => numberIn(value) ?? NaN);
  const frame = (): Frame => step.frame(args[2]);
  switch (step.type(record)) {
    case 'IFCARBITRARYCLOSEDPROFILEDEF':
      return outlineOfLoops([loopOf(lowering, args[2])]);
    case 'IFCARBITRARYPROFILEDEFWITHVOIDS':
      return outlineOfLoops([args[2], ...(args[3] as StepValue[])].map((curve) => loopOf(lowering, curve)));
    case 'IFCRECTANGLEPROFILEDEF':
      return {
        outer: placed(
          frame(),
          [
            [-x, -y],
            [x, -y],
            [x, y],
            [-x, y],
          ].map(([a, b]) => [a / 2, b / 2]),
        ),
        holes: [],
      };
    case 'IFCCIRCLEPROFILEDEF':
      return { outer: circle(lowering, frame(), x), holes: [] };
    case 'IFCCIRCLEHOLLOWPROFILEDEF':
      return { outer: circle(lowering, frame(), x), holes: [circle(lowering, frame(), x - y)] };
  }
  return null;
}

const placed = ({ origin, x, y }: Frame, points: readonly number[][]): number[][] =>
  points.map(([a, b]) => [0, 1].map((k) => origin[k] + a * x[k] + b * y[k]));

function circle(lowering: Lowering, frame: Frame, radius: number): number[][] {
  if (!(radius > 0)) return [];
  const curve = conic(lowering, frame, [radius, radius], 1);
  return flatten(curve, ...curve.domain)
    .slice(0, -1)
    .map(([x, y]) => [x, y]);
}

function outlineOfLoops(loops: readonly (number[][] | null)[]): Outline | null {
  if (loops.some((loop) => loop === null || loop.length < 3)) return null;
  const [outer, ...holes] = loops as number[][][];
  return { outer, holes };
}

function loopOf(lowering: Lowering, curve: StepValue): number[][] | null {
  const points = pointsOf(lowering, curve)?.map(([x, y]) => [x, y]) ?? null;
  if (points !== null && distance2(points[0], points[points.length - 1]) <= nearOf(points)) points.pop();
  return points;
}

const distance2 = (a: readonly number[], b: readonly number[]): number => distance([...a, 0], [...b, 0]);

/** Points that are closer than this are one. */
const nearOf = (points: readonly number[][]): number =>
  1e-9 * points.reduce((most, p) => Math.max(most, ...p.map((x, k) => Math.abs(x - points[0][k]))), 0);

/** Corners of a whole curve, none twice in a row; null for an unknown curve. */
function pointsOf(lowering: Lowering, value: StepValue): number[][] | null {
  const curve = curveOf(lowering, lowering.step.follow(value));
  if (curve === null || !curve.domain.every(Number.isFinite)) return null;
  const all = flatten(curve, ...curve.domain);
  const near = nearOf(all);
  return all.filter((p, k) => k === 0 || distance(p, all[k - 1]) > near);
}

/** True for polylines, however they are put together. */
export function isStraight({ step }: Lowering, record: number): boolean {
  const [list, segments] = step.args(record, 2);
  switch (step.type(record)) {
    case 'IFCPOLYLINE':
      return true;
    case 'IFCINDEXEDPOLYCURVE':
      return !(Array.isArray(segments) ? segments : []).some(
        (each) => typeof each === 'object' && each !== null && 'type' in each && each.type !== 'IFCLINEINDEX',
      );
    case 'IFCCOMPOSITECURVE':
    case 'IFC2DCOMPOSITECURVE':
      return step.followAll(list).every((part) => step.type(step.follow(step.args(part)[2])) === 'IFCPOLYLINE');
  }
  return false;
}

/** A reference to a new polyline. */
export function polylineOf({ draft }: Lowering, points: readonly (readonly number[])[]): string {
  const list = points.map((p) => draft.add(`IFCCARTESIANPOINT(${reals(p)})`));
  return draft.add(`IFCPOLYLINE((${list.join()}))`);
}

/** The polyline of a curve in a plane: its reference, or null where the curve may stay. */
function straightened(lowering: Lowering, value: StepValue, isLoop: boolean): string | null {
  if (isStraight(lowering, lowering.step.follow(value))) return null;
  if (isLoop) {
    const loop = loopOf(lowering, value);
    return loop && loop.length > 2 ? polylineOf(lowering, [...loop, loop[0]]) : null;
  }
  const points = pointsOf(lowering, value)?.map(([x, y]) => [x, y]);
  return points && points.length > 1 ? polylineOf(lowering, points) : null;
}

const reference = (value: StepValue): string =>
  typeof value === 'object' && value !== null && 'ref' in value ? `#${value.ref}` : '$';

/** IfcArbitraryClosedProfileDef or one with voids: its type, name, outer curve, inner curves. */
export function lowerArbitrary(lowering: Lowering, record: number): void {
  const { step, draft } = lowering;
  const [kind, , outer, inner] = step.args(record);
  const curves = [outer, ...(Array.isArray(inner) ? inner : [])];
  const made = curves.map((curve) => straightened(lowering, curve, true));
  if (made.every((curve) => curve === null)) return;
  const [first, ...rest] = made.map((curve, k) => curve ?? reference(curves[k]));
  const voids = Array.isArray(inner) ? `,(${rest.join()})` : '';
  draft.replace(record, `${step.type(record)}(.${wordOf(kind)}.,$,${first}${voids})`);
}

/** IfcArbitraryOpenProfileDef: its type, name and curve. */
export function lowerOpen(lowering: Lowering, record: number): void {
  const [kind, , curve] = lowering.step.args(record);
  const made = straightened(lowering, curve, false);
  if (made !== null) lowering.draft.replace(record, `IFCARBITRARYOPENPROFILEDEF(.${wordOf(kind)}.,$,${made})`);
}

/** IfcPolygonalBoundedHalfSpace: its surface, side, placement and boundary. */
export function lowerHalfSpace(lowering: Lowering, record: number): void {
  const [surface, side, place, boundary] = lowering.step.args(record);
  const made = straightened(lowering, boundary, true);
  if (made === null) return;
  const values = [reference(surface), `.${wordOf(side)}.`, reference(place), made];
  lowering.draft.replace(record, `IFCPOLYGONALBOUNDEDHALFSPACE(${values.join()})`);
}
