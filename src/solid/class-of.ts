/**
 * The class of two assets as solids, in addition to the verdict on their surfaces.
 *
 * Closed triangles are solids. Filled cubes become their faces as triangles; inner faces cancel.
 * For a function the class is the one that can be proved (freps.ts).
 */
import { MeshError, OptionError } from '../base/errors.ts';
import { derived } from '../engine/asset-cache.ts';
import { isOfTriangles } from '../engine/operand.ts';
import { FINE, type SolidClassifier, type SolidQuestion, type SurfaceAnswers } from '../engine/options.ts';
import type { Bracket, Query, SolidClass, Solids, Verdict } from '../engine/records.ts';
import type { Asset } from '../engine/representation.ts';
import type { Pose } from '../math/pose.ts';
import { representationNamed, representationOf } from '../representations/kinds.ts';
import { areParted, classify } from './classify.ts';
import { lieOfConvex } from './convex-pair.ts';
import { isNoThicker } from './erode.ts';
import { proveLie } from './freps.ts';
import { isFunction } from './point-location.ts';
import { lieOfPrimitives, type PrimitiveLie } from './primitives.ts';
import { haveOneSurface } from './same-surface.ts';
import { bodyOf, openEdgeOf, type PlacedBody, placeBody, spanOf } from './solid.ts';
import { inscribedIn, reachOf, type Thickness, ThicknessSearch, thicknessOf } from './thickness.ts';

/**
 * @param clearance solids no farther apart than this are `near`
 * @throws OptionError if the mode is `require` and one of the two is no solid
 */
export function classOf(
  a: Asset,
  b: Asset,
  query: Pick<Query, 'poseA' | 'poseB' | 'clearance'>,
  asked: SolidQuestion,
  answers: SurfaceAnswers,
): Solids {
  const found = classAndDepth(a, b, query, asked, answers);
  if (asked.relative !== null) return found;
  const { thickness: _, ...others } = found;
  return others;
}

function classAndDepth(
  a: Asset,
  b: Asset,
  { poseA, poseB, clearance = 0 }: Pick<Query, 'poseA' | 'poseB' | 'clearance'>,
  asked: SolidQuestion,
  answers: SurfaceAnswers,
): Solids {
  const sides = [solidOf(a), solidOf(b)] as const;
  const closed: [boolean, boolean] = [sides[0].reason === null, sides[1].reason === null];
  const reasonsOf = (names: readonly string[]): string[] =>
    sides.flatMap(({ reason }, k) => (reason === null ? [] : [`${names[k]} ${reason}`]));
  const reasons = reasonsOf(['a', 'b']);
  const named = asked.names ?? ['a', 'b'];
  if (asked.mode === 'require' && reasons.length > 0) throw new OptionError(`solid: ${reasonsOf(named).join('; ')}`);
  const touches = answers.verdict(0);
  const apart = (): SolidClass => classOfGap(clearance, asked.touchGap, answers.verdict);
  const surfaces = (reason: string): Solids => {
    const found = touches === 'clear' ? apart() : touches;
    return { class: found, inner: null, closed, thickness: null, deepest: null, reason };
  };
  if (reasons.length > 0) return surfaces(reasons.join('; '));
  const far = Math.max(clearance, asked.touchGap);
  const known = lieOfPrimitives(sides[0].triangles!, sides[1].triangles!, poseA, poseB, far);
  if (known) return { ...classOfPrimitives(known, clearance, asked), closed, reason: null };
  if (isFunction(a) || isFunction(b)) {
    const { reason, ...found } = classOfFunctions(sides, [poseA, poseB], touches, asked.tolerance, apart);
    return { ...found, closed, reason };
  }
  const bodies = [placeBody(sides[0].triangles!, poseA), placeBody(sides[1].triangles!, poseB)] as const;
  // Cubes are half-open: to a verdict, touching their upper faces is `clear`.
  const areApart = touches === 'clear' && isOfTriangles(a) && isOfTriangles(b);
  const common = { inner: null, closed, reason: null };
  const assets = [sides[0].triangles!, sides[1].triangles!] as const;
  const convex = touches === 'contact' ? lieOfConvex(assets, bodies, { isMeasured: asked.relative !== null }) : null;
  const isThick = convex && !(asked.tolerance > 0 && convex.thickness.lower <= asked.tolerance);
  if (isThick && isMeasuredBy(convex.thickness, asked)) {
    const { lie, ...found } = convex;
    return { ...common, class: lie, ...found };
  }
  const met = sides[0].triangles === a && sides[1].triangles === b ? answers.met : [];
  const touching = { class: 'touch', ...common, thickness: { lower: 0, upper: 0 }, deepest: null } as const;
  if (touches === 'contact' && areParted(...bodies, met)) return touching;
  if (!areApart && haveOneSurface(...bodies)) return { ...common, ...depthOf(bodies, 'same', asked) };
  const contacts = areApart ? [] : answers.contacts(sides[0].triangles!, sides[1].triangles!);
  const { lie, inner, hollow } = classify(...bodies, contacts);
  if (hollow && asked.mode === 'require')
    throw new OptionError(`solid: ${named[hollow === 'a' ? 0 : 1]} encloses nothing`);
  if (hollow) return surfaces(`${hollow} encloses nothing: its surface folds back onto itself`);
  if (lie === 'clear') return { class: apart(), ...common, thickness: null, deepest: null };
  if (lie === 'touch') return touching;
  return { ...common, inner, ...depthOf(bodies, lie, asked) };
}

/** The option `solids` of `check`; the engine imports none of this. */
export const solids: SolidClassifier = { classOf };

/** Lengths are compared as closely as their resolution allows. */
function classOfPrimitives(
  { lie, inner, thickness, deepest, gap, resolution }: PrimitiveLie,
  clearance: number,
  { tolerance, touchGap }: SolidQuestion,
): Omit<Solids, 'closed' | 'reason'> {
  if (lie === 'clear') {
    const verdict = (length: number): Verdict =>
      gap.upper <= length + resolution ? 'contact' : gap.lower > length ? 'clear' : 'undecided';
    const found = classOfGap(clearance, touchGap, verdict);
    return { class: found, inner, thickness: null, deepest, ...(found === 'touch' && { bracket: gap }) };
  }
  const isThin = lie === 'overlap' && tolerance > 0 && thickness.lower <= tolerance;
  if (isThin && thickness.upper > tolerance + resolution) return { class: 'undecided', inner, thickness, deepest };
  const found = isThin ? 'touch' : lie;
  return { class: found, inner, thickness, deepest, ...(found === 'touch' && { bracket: gap }) };
}

function classOfFunctions(
  sides: readonly [SolidSide, SolidSide],
  poses: readonly [Pose, Pose],
  touches: Verdict,
  tolerance: number,
  apart: () => SolidClass,
): Omit<Solids, 'closed'> {
  const unknown = { inner: null, thickness: null, deepest: null };
  const [a, b] = [sides[0].triangles!, sides[1].triangles!];
  // For two functions the verdict is already that of solids.
  if (touches === 'clear' && isFunction(a) && isFunction(b)) return { class: apart(), ...unknown, reason: null };
  const close = 'they touch, or come closer than can be resolved';
  if (touches === 'undecided') return { class: touches, ...unknown, reason: close };
  const { lie, inner, common, reason, located } = proveLie(a, b, poses[0], poses[1]);
  if (lie === 'clear') return { class: apart(), ...unknown, reason: null };
  const { lower, upper, centre } = common ? inscribedIn(...located, common) : { lower: 0, upper: 0, centre: null };
  const depth = { thickness: common && { lower, upper }, deepest: centre };
  if (lie === null) return { class: touches === 'contact' ? touches : 'undecided', inner, ...depth, reason };
  if (lie === 'overlap' && tolerance > 0) {
    if (upper <= tolerance) return { class: 'touch', inner, ...depth, reason: null };
    if (lower <= tolerance) return { class: 'undecided', inner, ...depth, reason: null };
  }
  return { class: lie, inner, ...depth, reason: null };
}

function classOfGap(clearance: number, touchGap: number, verdict: SurfaceAnswers['verdict']): SolidClass {
  const isWithin = (length: number): Verdict => (length > 0 ? verdict(length) : 'clear');
  const touches = isWithin(touchGap);
  if (touches !== 'clear') return touches === 'contact' ? 'touch' : touches;
  const near = isWithin(clearance);
  return near === 'contact' ? 'near' : near;
}

/** True if a bracket is as narrow as asked for. Brackets of `fine` are those of all bodies. */
const isMeasuredBy = ({ lower, upper }: Bracket, { relative, reach }: SolidQuestion): boolean =>
  relative === null || (relative > FINE && !reach && upper - lower <= relative * upper);

function depthOf(
  bodies: readonly [PlacedBody, PlacedBody],
  lie: SolidClass,
  { tolerance, relative, reach }: SolidQuestion,
): Pick<Solids, 'class' | 'thickness' | 'deepest' | 'reach'> {
  if (lie === 'overlap' && tolerance > 0) {
    const { lower, upper, centre } = thicknessUntil(bodies, tolerance);
    const thin = { thickness: { lower, upper }, deepest: centre };
    if (upper <= tolerance) return { class: 'touch', ...thin };
    if (lower <= tolerance) return { class: 'undecided', ...thin };
  }
  if (relative === null) return { class: lie, deepest: null };
  const goal = goalOf(bodies, relative);
  const known = thicknessOf(...bodies, goal);
  const { lower, upper, centre } = known;
  const into = (inner: PlacedBody, outer: PlacedBody): Bracket => {
    const { lower, upper } = reachOf(inner, outer, goal, known);
    return { lower, upper };
  };
  return {
    class: lie,
    thickness: { lower, upper },
    deepest: centre,
    ...(reach && { reach: { a: into(bodies[0], bodies[1]), b: into(bodies[1], bodies[0]) } }),
  };
}

/** Overlaps thinner than this part of a body are not measured closer: rounding shifts faces. */
const SLIVER = 1e-4;

/** A coarse bracket ends at the same slivers as a fine one. */
function goalOf(bodies: readonly [PlacedBody, PlacedBody], relative: number) {
  const size = Math.min(...bodies.map(({ body }) => spanOf(body).fromMean));
  return { relative, absolute: Math.min(relative, FINE) * SLIVER * size };
}

/** Points to try before testing if one of the two, shrunk, is apart from the other. */
const FEW_LOOKS = 16;

/** Returns a bracket of the thickness on one side of a length, if possible. */
function thicknessUntil(bodies: readonly [PlacedBody, PlacedBody], length: number): Thickness {
  const first = thicknessOf(...bodies, { until: length, looks: FEW_LOOKS });
  if (first.lower > length || first.upper <= length) return first;
  if (isNoThicker(...bodies, length)) return { ...first, upper: length };
  return thicknessOf(...bodies, { until: length });
}

/**
 * Refines the thickness of two solids whose insides meet until it is on one side of a length, if
 * possible. On the way is the bracket of `fine`: a length that is its upper end is decided.
 *
 * @param known null if nothing is known yet
 * @returns the narrowest bracket found; null if the two are not made of triangles
 */
export function refineThickness(
  [a, b]: readonly [Asset, Asset],
  { poseA, poseB }: Pick<Query, 'poseA' | 'poseB'>,
  length: number,
  known: Bracket | null,
): Bracket | null {
  const sides = [solidOf(a), solidOf(b)] as const;
  if (sides.some(({ triangles, reason }) => reason !== null || isFunction(triangles!))) return known;
  const bodies = [placeBody(sides[0].triangles!, poseA), placeBody(sides[1].triangles!, poseB)] as const;
  const narrowest = { lower: 0, upper: Number.POSITIVE_INFINITY, ...known };
  const isDecided = (): boolean => narrowest.lower > length || narrowest.upper <= length;
  const narrow = ({ lower, upper }: Bracket): void => {
    narrowest.lower = Math.max(narrowest.lower, lower);
    narrowest.upper = Math.min(narrowest.upper, upper);
  };
  const search = new ThicknessSearch(...bodies);
  if (!isDecided()) narrow(search.refine({ until: length, relative: FINE }));
  if (!isDecided()) narrow(thicknessOf(...bodies, goalOf(bodies, FINE)));
  if (!isDecided()) narrow(search.refine({ until: length }));
  return narrowest;
}

interface SolidSide {
  triangles: Asset | null;
  /** Continues a sentence after the asset's name; null for a solid. */
  reason: string | null;
}

const knownSides = /* @__PURE__ */ derived<Asset, SolidSide>();

export function solidOf(asset: Asset): SolidSide {
  let side = knownSides.get(asset);
  if (!side) {
    side = findSolid(asset);
    knownSides.set(asset, side);
  }
  return side;
}

/** Makes no triangles of cubes. Null for a solid. */
export function openReasonOf(asset: Asset): string | null {
  if (isFunction(asset) || isOfTriangles(asset)) return solidOf(asset).reason;
  return isFilled(asset) ? null : SURFACE_CUBES;
}

const SURFACE_CUBES = 'is the cubes of a surface: build it with --fill for a solid';

const isFilled = (asset: Asset): boolean =>
  (asset as Asset & { header: { options?: Record<string, unknown> } }).header.options?.fill !== undefined;

function findSolid(asset: Asset): SolidSide {
  if (isFunction(asset)) return { triangles: asset, reason: null };
  const triangles = isOfTriangles(asset) ? asset : cubesAsTriangles(asset);
  if (typeof triangles === 'string') return { triangles: null, reason: triangles };
  return { triangles, reason: openEdgeOf(bodyOf(triangles)) };
}

/** Twelve triangles a cube; or the reason why not. */
function cubesAsTriangles(asset: Asset): Asset | string {
  if (asset.representation !== 'voxel') return 'is not known to be a solid';
  if (!isFilled(asset)) return SURFACE_CUBES;
  try {
    return representationNamed('obb')!.own!.over!(representationOf(asset).surface(asset), {});
  } catch (error) {
    if (error instanceof MeshError) return `has cubes without triangles: ${error.message}`;
    throw error;
  }
}
