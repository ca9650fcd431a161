/**
 * What two assets are to each other as solids: the class of a pair, beside the verdict on their
 * surfaces.
 *
 * Triangles that close are solids as they are. Filled cubes are the cubes: their faces are the
 * triangles, and those inside cancel. A solid that a function defines is one, and what is proved of
 * it says which class (functions.ts).
 */
import { MeshError, OptionError } from '../math/errors.ts';
import type { Pose } from '../math/pose.ts';
import { derived } from '../query/derived.ts';
import type { Bracket, ContactPair, Query, SolidClass, Solids, Verdict } from '../query/report.ts';
import type { Asset } from '../query/representation.ts';
import { representationNamed, representationOf } from '../representations/kinds.ts';
import { isOfTriangles } from '../representations/operand.ts';
import { haveOneSurface } from '../solid/chain.ts';
import { areParted, classify } from '../solid/classify.ts';
import { isNoThicker } from '../solid/erode.ts';
import { proveLie } from '../solid/functions.ts';
import { inscribedIn } from '../solid/inscribed.ts';
import { isFunction } from '../solid/located.ts';
import { lieOfPrimitives, type PrimitiveLie } from '../solid/primitives.ts';
import { bodyOf, openEdgeOf, type PlacedBody, placeBody, spanOf } from '../solid/solid.ts';
import { reachOf, type Thickness, thicknessOf } from '../solid/thickness.ts';

/** How solids are asked for. */
export type SolidMode = 'auto' | 'require' | 'off';

export interface SolidQuestion {
  mode: Exclude<SolidMode, 'off'>;
  /** Overlaps no thicker than this are `touch`. */
  tolerance: number;
  /** So are solids no farther apart than this. */
  touchGap: number;
  /** How near the ends of a bracket are, as a part of it; thickness alone, unless `reach`, too. */
  relative: number;
  reach: boolean;
  /** What errors call the two; `a` and `b` unless given. */
  names?: readonly [string, string];
}

/** What somebody who knows how asks of the surfaces of two. */
export interface SurfaceAnswers {
  /** Whether the surfaces share a point, or are no farther apart than a length. */
  verdict(clearance: number): Verdict;
  /** Pairs of triangles of the two that are in contact, or near it, as far as they were met already. */
  met: readonly ContactPair[];
  /** Every pair of triangles that share a point, of assets that stand for the two. */
  contacts(a: Asset, b: Asset): ContactPair[];
}

/**
 * The class of a pair.
 *
 * @param clearance what is no farther apart is `near`
 * @throws OptionError where the mode is `require` and one of the two is no solid
 */
export function classOf(
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
  // Cubes are half-open to a verdict: it says clear of what touches their upper faces.
  const areApart = touches === 'clear' && isOfTriangles(a) && isOfTriangles(b);
  const common = { inner: null, closed, reason: null };
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

/**
 * Of two of which one at least is a primitive. Lengths are compared as closely as their resolution
 * allows.
 */
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

/** Of two of which a function defines one at least: what can be proved. */
function classOfFunctions(
  sides: readonly [SolidSide, SolidSide],
  poses: readonly [Pose, Pose],
  touches: Verdict,
  tolerance: number,
  apart: () => SolidClass,
): Omit<Solids, 'closed'> {
  const unknown = { inner: null, thickness: null, deepest: null };
  const [a, b] = [sides[0].triangles!, sides[1].triangles!];
  // Two functions that share no point are clear: their verdict is that of solids.
  if (touches === 'clear' && isFunction(a) && isFunction(b)) return { class: apart(), ...unknown, reason: null };
  const close = 'they touch, or come closer than can be told';
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

/** Of two that share no point: by how far they are apart. */
function classOfGap(clearance: number, touchGap: number, verdict: SurfaceAnswers['verdict']): SolidClass {
  const isWithin = (length: number): Verdict => (length > 0 ? verdict(length) : 'clear');
  const touches = isWithin(touchGap);
  if (touches !== 'clear') return touches === 'contact' ? 'touch' : touches;
  const near = isWithin(clearance);
  return near === 'contact' ? 'near' : near;
}

/** How deep solids whose insides meet are in each other, and what overlap they are to be called for it. */
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
  const goal = { relative, absolute: relative * SLIVER * Math.min(...bodies.map(({ body }) => spanOf(body).fromMean)) };
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

/** Points to look at before it is tried whether one of the two, made smaller, is apart from the other. */
const FEW_LOOKS = 16;

/** Whether the thickness is more than a length: a bracket on one side of it, where that can be had. */
function thicknessUntil(bodies: readonly [PlacedBody, PlacedBody], length: number): Thickness {
  const first = thicknessOf(...bodies, { until: length, looks: FEW_LOOKS });
  if (first.lower > length || first.upper <= length) return first;
  if (isNoThicker(...bodies, length)) return { ...first, upper: length };
  return thicknessOf(...bodies, { until: length });
}

/**
 * What is thinner than this part of a body is not measured closer: moved vertices are rounded, and
 * faces that should meet overlap by some 1e-16 of their coordinates, over all of their area.
 */
const SLIVER = 1e-4;

/** An asset as triangles that bound a solid, or itself if a function defines it; or why neither. */
interface SolidSide {
  triangles: Asset | null;
  /** Reads on after the asset's name; null where it is a solid. */
  reason: string | null;
}

const solids = /* @__PURE__ */ derived<Asset, SolidSide>();

export function solidOf(asset: Asset): SolidSide {
  let side = solids.get(asset);
  if (!side) {
    side = findSolid(asset);
    solids.set(asset, side);
  }
  return side;
}

/** Why an asset bounds no solid, without making triangles of cubes; null for a solid. */
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

/** The cubes of a filled set, twelve triangles each; or why not. */
function cubesAsTriangles(asset: Asset): Asset | string {
  if (asset.representation !== 'voxel') return 'is of a kind that is not known to be a solid';
  if (!isFilled(asset)) return SURFACE_CUBES;
  try {
    return representationNamed('obb')!.own!.over!(representationOf(asset).surface(asset), {});
  } catch (error) {
    if (error instanceof MeshError) return `has cubes that are no triangles: ${error.message}`;
    throw error;
  }
}
