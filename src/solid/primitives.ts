/**
 * Decides how two solids lie, one a primitive, the other a primitive or made of triangles.
 *
 * Two primitives. The largest ball inside both, or their distance, is one bracket (common-ball.ts).
 * If both of its ends are within the resolution of the two, they touch. If a ball fits into both,
 * their insides meet; how far each sticks out of the other (convex-body.ts) decides `inside`.
 *
 * A primitive and a surface of triangles. Let D be the greatest depth in the primitive of a point
 * of the surface. D < 0 is the distance. If D > 0, there are points of both solids beside that
 * point of the surface, and points of the primitive alone. If D = 0, the primitive without its rim
 * is in one cell of the surface, the cell of its middle. A ball inside both, with the middle
 * outside, has no larger radius than D: points from the middle to the ball's are all as deep in the
 * primitive. For a convex mesh the bracket of two convex bodies is closer.
 */

import { deepestIn } from '../engine/deepest.ts';
import { primitiveOf } from '../engine/operand.ts';
import { gapOfBalls, type PrimitiveBody, placePrimitive, resolutionOf, sizeOfSurface } from '../engine/primitives.ts';
import type { Bracket } from '../engine/records.ts';
import type { Asset } from '../engine/representation.ts';
import { type BallGoal, commonBall, NARROWEST, newBallBracket } from '../geometry/common-ball.ts';
import { type Protrusion, protrusion, protrusionOfPoints } from '../geometry/convex-body.ts';
import { pointAt } from '../geometry/exact-point.ts';
import { moveErrorBound, normBound, type Pose } from '../math/pose.ts';
import type { Lie } from './classify.ts';
import { placePolyhedron } from './convex-pair.ts';
import { proveLie } from './freps.ts';
import { isFunction } from './point-location.ts';
import { polyhedronOf } from './polyhedron.ts';
import { isEmbedded, isFull, movedVertices, type PlacedBody, placeBody } from './solid.ts';
import { inscribedIn } from './thickness.ts';
import { windingAbout } from './winding.ts';

export interface PrimitiveLie {
  lie: Lie;
  inner: 'a' | 'b' | null;
  /** The diameter of the largest ball inside both, and the center of one as wide as `lower`. */
  thickness: Bracket;
  deepest: number[] | null;
  gap: Bracket;
  /** Shorter lengths count as 0 between the two. */
  resolution: number;
}

const NOTHING: Bracket = { lower: 0, upper: 0 };
const APART = { lie: 'clear', inner: null, thickness: NOTHING, deepest: null, resolution: 0 } as const;

/**
 * @param far larger gaps are not measured
 * @returns null if neither is a primitive, if one is another function, and if the poses are too far
 *   from rigid to decide
 */
export function lieOfPrimitives(a: Asset, b: Asset, poseA: Pose, poseB: Pose, far: number): PrimitiveLie | null {
  const [p, q] = [primitiveOf(a), primitiveOf(b)];
  if (p && q) {
    const lower = gapOfBalls(p, q, poseA, poseB);
    if (lower > far) return { ...APART, gap: { lower, upper: Number.POSITIVE_INFINITY } };
    return lieOfTwo(placePrimitive(p, poseA), placePrimitive(q, poseB), far);
  }
  if (p && !isFunction(b)) return lieBeside(a, placePrimitive(p, poseA), b, placeBody(b, poseB), far);
  if (!q || isFunction(a)) return null;
  const found = lieBeside(b, placePrimitive(q, poseB), a, placeBody(a, poseA), far);
  return found && { ...found, inner: found.inner && (found.inner === 'a' ? 'b' : 'a') };
}

const ball = newBallBracket();
const goal: BallGoal = { below: 0, above: Number.POSITIVE_INFINITY };

function unlessApart(length: number, times: number): BallGoal {
  goal.below = -length / times;
  return goal;
}

const above0 = (x: number): number => (x > 0 ? x : 0);

const bracketOf = ({ lower, upper }: Bracket, times: number): Bracket =>
  times > 0
    ? { lower: above0(times * lower), upper: above0(times * upper) }
    : { lower: above0(times * upper), upper: above0(times * lower) };

function lieOfTwo(a: PrimitiveBody, b: PrimitiveBody, far: number): PrimitiveLie | null {
  const resolution = resolutionOf(a, b);
  commonBall(a.body, b.body, unlessApart(far + 2 * resolution, 2), ball);
  const { lower, upper, point } = ball;
  const [thickness, gap] = [bracketOf(ball, 2), bracketOf(ball, -2)];
  const found = { inner: null, thickness, deepest: lower > 0 ? Array.from(point) : null, gap, resolution };
  if (gap.upper <= resolution && thickness.upper <= resolution) return { ...found, lie: 'touch' };
  if (upper < 0) return { ...found, lie: 'clear' };
  if (!(lower > 0)) return null;
  const isIn = (p: PrimitiveBody, q: PrimitiveBody): boolean | null =>
    isWithin(protrusion(p.body, q.body, resolution, resolution / 4), resolution);
  const how = lieOf(isIn(a, b), isIn(b, a));
  return how && { ...found, ...how };
}

/** True if a solid that sticks out so far is in the other one; null if undecided. */
const isWithin = ({ lower, upper }: Protrusion, resolution: number): boolean | null =>
  upper <= resolution || (lower > 0 ? false : null);

function lieOf(isAInB: boolean | null, isBInA: boolean | null): Pick<PrimitiveLie, 'lie' | 'inner'> | null {
  if (isAInB && isBInA) return { lie: 'same', inner: null };
  if (isAInB || isBInA) return { lie: 'inside', inner: isAInB ? 'a' : 'b' };
  return isAInB === null || isBInA === null ? null : { lie: 'overlap', inner: null };
}

function lieBeside(a: Asset, p: PrimitiveBody, b: Asset, s: PlacedBody, far: number): PrimitiveLie | null {
  if (!isFull(s)) return null;
  const { body } = p;
  const resolution = resolutionOf(p, sizeOfSurface(s.operand, s.pose));
  const depth = deepestIn(body, s, unlessApart(far + 2 * resolution, 1), Number.POSITIVE_INFINITY);
  const found = { inner: null, thickness: NOTHING, deepest: null, gap: bracketOf(depth, -1), resolution };
  const middle = [3, 7, 11].map((k) => body.pose[k]);
  const around = windingAbout(s, pointAt(middle, 0));
  const isMiddleInside = around !== null && around.ahead !== 0;
  const isApart = found.gap.upper > resolution;
  // Rounding may put the rim of the primitive on either side, but not its middle.
  const isInside = depth.upper <= resolution && isMiddleInside;
  const width = { lower: above0(p.width - 2 * body.slack), upper: p.width + 2 * body.slack };
  if (isApart && !isInside) return depth.upper < 0 ? { ...found, lie: 'clear' } : null;
  if (depth.upper <= resolution && !isMiddleInside) {
    const upper = Math.min(2 * above0(depth.upper), width.upper);
    return { ...found, thickness: { lower: 0, upper }, lie: 'touch' };
  }
  const isAround = !isApart && isWithin(protrusionOfPoints(movedVertices(s), body), resolution);
  const how = lieOf(isInside, isAround);
  if (!how || (how.lie === 'overlap' && !(depth.lower > 0))) return null;
  if (isInside && isApart) return { ...found, ...how, thickness: width, deepest: middle };
  const polyhedron = polyhedronOf(b);
  if (!polyhedron) {
    const { box } = s.body;
    const rounding = 2 * moveErrorBound(s.pose, s.operand.reach);
    const sizes = [0, 1, 2].map((k) => (box[3 + k] - box[k]) * normBound(s.pose) + rounding);
    const upper = Math.min(width.upper, ...sizes, isMiddleInside ? width.upper : 2 * depth.upper);
    return beside(a, p, b, s, { ...found, ...how, thickness: { lower: 0, upper } });
  }
  commonBall(body, placePolyhedron(polyhedron, s), NARROWEST, ball);
  const thickness = bracketOf(ball, 2);
  // A corner may be less deep in the primitive than its depth.
  if (how.lie === 'overlap' && thickness.upper <= resolution) return { ...found, thickness, lie: 'touch' };
  return { ...found, ...how, thickness, deepest: ball.lower > 0 ? Array.from(ball.point) : null };
}

/**
 * Measures thickness as for any function. If shells cross or coincide, a point of the surface need
 * not be on the border of the solid, and proves no overlap.
 */
function beside(a: Asset, { pose }: PrimitiveBody, b: Asset, s: PlacedBody, known: PrimitiveLie): PrimitiveLie | null {
  const { common, located, lie, inner } = proveLie(a, b, pose, s.pose);
  const { lower, upper, centre } = common ? inscribedIn(...located, common) : { ...known.thickness, centre: null };
  const thickness = { lower, upper: Math.max(lower, Math.min(upper, known.thickness.upper)) };
  const found = { ...known, thickness, deepest: centre };
  if (known.lie !== 'overlap' || lie === 'overlap') return found;
  if (lie === 'inside') return { ...found, lie, inner };
  return isEmbedded(s.body) ? found : null;
}
