/** Profiles as outlines of corners, and those with curves as polylines. */
import { isRef, type StepValue, wordOf } from '../step-records.ts';
import { cornersOf } from './arcs.ts';
import { curveOf, flatten } from './curves.ts';
import { real, reals } from './draft.ts';
import { movedBy } from './frames.ts';
import { lowerTaper, type Outline, outlineOf, profileText, writeProfile } from './profiles.ts';
import { BY_WEB_IFC, distance, type Lowering, numberIn } from './step.ts';

/** Maximum number of profiles derived from each other. */
const MOST_DERIVED = 100;

/** The outline of a profile; null for an unknown kind, or for several parts. */
export function regionOf(lowering: Lowering, record: number, depth = 0): Outline | null {
  const { step } = lowering;
  const type = step.type(record);
  if (type === 'IFCDERIVEDPROFILEDEF' || type === 'IFCMIRROREDPROFILEDEF') {
    const [, , parent, operator] = step.args(record);
    // Records that no element uses may form a ring.
    const region = depth < MOST_DERIVED ? regionOf(lowering, step.follow(parent), depth + 1) : null;
    const move =
      type === 'IFCMIRROREDPROFILEDEF'
        ? ([x, y]: readonly number[]): number[] => [-x, y]
        : movedBy(lowering, step.follow(operator));
    return region && { outer: region.outer.map(move), holes: region.holes.map((hole) => hole.map(move)) };
  }
  const loops = curvesOf(lowering, record)?.map((curve) => loopOf(lowering, curve));
  if (!loops) return outlineOf(lowering, record);
  if (loops.some((loop) => loop === null || loop.length < 3)) return null;
  const [outer, ...holes] = loops as number[][][];
  return { outer, holes };
}

/** The outer curve and inner ones of an IfcArbitraryClosedProfileDef, with voids or without. */
function curvesOf({ step }: Lowering, record: number): StepValue[] | null {
  if (!/^IFCARBITRARY(CLOSEDPROFILEDEF|PROFILEDEFWITHVOIDS)$/.test(step.type(record))) return null;
  const [, , outer, inner] = step.args(record);
  return [outer, ...(Array.isArray(inner) ? inner : [])];
}

function loopOf(lowering: Lowering, curve: StepValue): number[][] | null {
  const points = pointsOf(lowering, curve)?.map(([x, y]) => [x, y]) ?? null;
  if (points !== null && distance2(points[0], points[points.length - 1]) <= nearOf(points)) points.pop();
  return points;
}

const distance2 = (a: readonly number[], b: readonly number[]): number => distance([...a, 0], [...b, 0]);

/** Points closer than this are the same point. */
const nearOf = (points: readonly number[][]): number =>
  1e-9 * points.reduce((most, p) => Math.max(most, ...p.map((x, k) => Math.abs(x - points[0][k]))), 0);

/** Corners of a whole curve, none twice in succession; null for an unknown curve. */
function pointsOf(lowering: Lowering, value: StepValue): number[][] | null {
  const curve = curveOf(lowering, lowering.step.follow(value));
  if (curve === null || !curve.domain.every(Number.isFinite)) return null;
  const all = flatten(curve, ...curve.domain);
  const near = nearOf(all);
  return all.filter((p, k) => k === 0 || distance(p, all[k - 1]) > near);
}

/** True for polylines, in any combination. */
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
  const list = draft.add(`IFCCARTESIANPOINTLIST${points[0].length}D((${points.map(reals).join()}))`);
  return draft.add(`IFCINDEXEDPOLYCURVE(${list},$,.F.)`);
}

/** Replaces an arbitrary profile with curves by one of polylines. */
export function lowerArbitrary(lowering: Lowering, record: number): void {
  const { step } = lowering;
  if (curvesOf(lowering, record)!.every((curve) => isStraight(lowering, step.follow(curve)))) return;
  const region = regionOf(lowering, record);
  if (region) writeProfile(lowering, record, region);
  else lowering.doubtful.set(record, BY_WEB_IFC);
}

/** Replaces an IfcArbitraryOpenProfileDef of a curve by one of a polyline. */
export function lowerOpen(lowering: Lowering, record: number): void {
  const [kind, , curve] = lowering.step.args(record);
  if (isStraight(lowering, lowering.step.follow(curve))) return;
  const points = pointsOf(lowering, curve)?.map(([x, y]) => [x, y]) ?? [];
  if (points.length > 1)
    lowering.draft.replace(record, `IFCARBITRARYOPENPROFILEDEF(.${wordOf(kind)}.,$,${polylineOf(lowering, points)})`);
}

/** Replaces an IfcPolygonalBoundedHalfSpace with a curve as its boundary by one with a polyline. */
export function lowerHalfSpace(lowering: Lowering, record: number): void {
  const [surface, side, place, boundary] = lowering.step.args(record);
  if (isStraight(lowering, lowering.step.follow(boundary))) return;
  const loop = loopOf(lowering, boundary) ?? [];
  if (loop.length < 3) return;
  const [on, at] = [surface, place].map((value) => (isRef(value) ? `#${value.ref}` : '$'));
  const line = polylineOf(lowering, [...loop, loop[0]]);
  lowering.draft.replace(record, `IFCPOLYGONALBOUNDEDHALFSPACE(${on},.${wordOf(side)}.,${at},${line})`);
}

/** The outlines of two profiles with the same corners, as tapered solids need them, or null. */
export function alikeRegions(lowering: Lowering, profiles: readonly number[]): Outline[] | null {
  const made = profiles.map((profile) => regionOf(lowering, profile));
  if (made.every((one) => one !== null) && isAlike(made as Outline[])) return made as Outline[];
  // Arcs of the same angle have the same corners if all circles have.
  const reach = Math.max(0, ...made.flatMap((one) => (one?.outer ?? []).flat().map(Math.abs)));
  const coarse = { ...lowering, chord: Infinity, corners: cornersOf(lowering, reach) };
  const again = profiles.map((profile) => regionOf(coarse, profile));
  return again.every((one) => one !== null) && isAlike(again as Outline[]) ? (again as Outline[]) : null;
}

const isAlike = ([a, b]: readonly Outline[]): boolean =>
  a.outer.length === b.outer.length &&
  a.holes.length === b.holes.length &&
  a.holes.every((hole, k) => hole.length === b.holes[k].length);

/** A tapered extrusion whose profiles have curves needs as many corners at both ends. */
export function lowerTapered(lowering: Lowering, record: number): void {
  lowerTaper(lowering, record);
  const { step, draft } = lowering;
  const [first, place, along, depth, last] = step.args(record);
  const ends = [first, last].map((value) => step.follow(value));
  const curves = ends.flatMap((end) => curvesOf(lowering, end) ?? []);
  if (curves.every((curve) => isStraight(lowering, step.follow(curve)))) return;
  const made = alikeRegions(lowering, ends);
  if (made === null) {
    lowering.unread.set(record, 'its profiles have different corners');
    return;
  }
  const [bottom, top] = made.map((outline, k) => draft.add(profileText(lowering, ends[k], outline)));
  const [at, way] = [place, along].map((value) => (isRef(value) ? `#${value.ref}` : '$'));
  const values = [bottom, at, way, real(numberIn(depth) ?? 0), top];
  draft.replace(record, `IFCEXTRUDEDAREASOLIDTAPERED(${values.join()})`);
}
