/**
 * How two solids lie to each other, of which one is a primitive and the other one, too, or made of
 * triangles.
 *
 * Two primitives. The largest ball inside both, or their distance, is one bracket (common-ball.ts).
 * Where both ends are within the resolution of two primitives, they touch. If a ball fits into
 * both, their insides meet; how far each sticks out of the other (protrusion.ts) tells whether one
 * is in the other.
 *
 * A primitive and a surface of triangles. Let D be the greatest depth in the primitive of a point
 * of the surface. D < 0 is the distance. If D > 0, there are points of both solids beside that of
 * the surface, and points of the primitive alone. Else the primitive less its rim is in one cell of
 * the surface, and its middle tells in which. So a ball inside both is no larger than D where the
 * middle is outside. A convex body has more to say of the largest one: it is two convex bodies.
 */
import { type BallGoal, commonBall, NARROWEST, newBallBracket } from '../geometry/common-ball.ts';
import { type ConvexBody, polyhedronBody } from '../geometry/convex-body.ts';
import { pointAt } from '../geometry/exact-point.ts';
import { protrusion, protrusionOfPoints } from '../geometry/protrusion.ts';
import { moveErrorBound, movePoint, type Pose } from '../math/pose.ts';
import { deepestIn } from '../query/deepest.ts';
import {
  farthestOf,
  type PrimitiveBody,
  placePrimitive,
  radiusInside,
  resolutionOf,
  sizeOfPrimitive,
} from '../query/primitives.ts';
import type { Bracket } from '../query/report.ts';
import type { Asset } from '../query/representation.ts';
import { primitiveOf } from '../representations/operand.ts';
import type { Lie } from './classify.ts';
import { proveLie } from './functions.ts';
import { inscribedIn } from './inscribed.ts';
import { isFunction } from './located.ts';
import { type Polyhedron, polyhedronOf } from './polyhedron.ts';
import { isEmbedded, isFull, movedVertices, type PlacedBody, placeBody } from './solid.ts';
import { windingAbout } from './winding.ts';

/** How two solids lie, as far as the resolution tells them apart. */
export interface PrimitiveLie {
  lie: Lie;
  /** Which one is in the other, where one is. */
  inner: 'a' | 'b' | null;
  /**
   * The diameter of the largest ball inside both, and the middle of one as wide as the lower end.
   */
  thickness: Bracket;
  deepest: number[] | null;
  /** How far apart they are. */
  gap: Bracket;
  /** What is shorter is as good as nothing between the two. */
  resolution: number;
}

const NOTHING: Bracket = { lower: 0, upper: 0 };

/**
 * How two solids lie, of which one at least is a primitive.
 *
 * @param a, b primitives, or made of triangles that bound a solid; others are not told
 * @param far how far apart two are that are farther apart is not told
 * @returns null of two of which none is a primitive, or one is another function, and where the
 *   poses are so far from rigid that the brackets say nothing
 */
export function lieOfPrimitives(a: Asset, b: Asset, poseA: Pose, poseB: Pose, far: number): PrimitiveLie | null {
  const [p, q] = [primitiveOf(a), primitiveOf(b)];
  if (p && q) return lieOfTwo(placePrimitive(p, poseA), placePrimitive(q, poseB), far);
  if (p && !isFunction(b)) return lieBeside(a, placePrimitive(p, poseA), b, placeBody(b, poseB), far);
  if (!q || isFunction(a)) return null;
  const found = lieBeside(b, placePrimitive(q, poseB), a, placeBody(a, poseA), far);
  return found && { ...found, inner: found.inner && (found.inner === 'a' ? 'b' : 'a') };
}

const ball = newBallBracket();
const goal: BallGoal = { below: 0, above: Number.POSITIVE_INFINITY };

/** All that is known, unless two are farther apart than a length. */
function unlessApart(length: number, times: number): BallGoal {
  goal.below = -length / times;
  return goal;
}

const above0 = (x: number): number => (x > 0 ? x : 0);

function lieOfTwo(a: PrimitiveBody, b: PrimitiveBody, far: number): PrimitiveLie | null {
  const size = Math.max(sizeOfPrimitive(a.primitive), sizeOfPrimitive(b.primitive));
  const resolution = resolutionOf(size, Math.max(farthestOf(a), farthestOf(b)));
  commonBall(a.body, b.body, unlessApart(far + 2 * resolution, 2), ball);
  const found = {
    inner: null,
    thickness: { lower: above0(2 * ball.lower), upper: above0(2 * ball.upper) },
    deepest: ball.lower > 0 ? Array.from(ball.point) : null,
    gap: { lower: above0(-2 * ball.upper), upper: above0(-2 * ball.lower) },
    resolution,
  };
  if (found.gap.upper <= resolution && found.thickness.upper <= resolution) return { ...found, lie: 'touch' };
  if (ball.upper < 0) return { ...found, lie: 'clear' };
  if (!(ball.lower > 0)) return null;
  const isIn = (p: PrimitiveBody, q: PrimitiveBody): boolean =>
    protrusion(p.body, q.body, resolution, resolution / 4) <= resolution;
  return { ...found, ...lieOf(isIn(a, b), isIn(b, a)) };
}

/** Of two whose insides meet. */
function lieOf(isAInB: boolean, isBInA: boolean): Pick<PrimitiveLie, 'lie' | 'inner'> {
  if (isAInB && isBInA) return { lie: 'same', inner: null };
  return isAInB || isBInA ? { lie: 'inside', inner: isAInB ? 'a' : 'b' } : { lie: 'overlap', inner: null };
}

/** Of a primitive a and a body b of triangles. */
function lieBeside(a: Asset, p: PrimitiveBody, b: Asset, s: PlacedBody, far: number): PrimitiveLie | null {
  if (!isFull(s)) return null;
  const { primitive, body } = p;
  const { box } = s.body;
  const sizes = [0, 1, 2].map((k) => box[3 + k] - box[k]);
  const size = Math.max(sizeOfPrimitive(primitive), ...sizes);
  const farthest = s.operand.reach + Math.max(Math.abs(s.pose[3]), Math.abs(s.pose[7]), Math.abs(s.pose[11]));
  const resolution = resolutionOf(size, Math.max(farthestOf(p), farthest));
  const depth = deepestIn(body, s, unlessApart(far + 2 * resolution, 1), Number.POSITIVE_INFINITY);
  const gap = { lower: above0(-depth.upper), upper: above0(-depth.lower) };
  const found = { inner: null, thickness: NOTHING, deepest: null, gap, resolution };
  const middle = [3, 7, 11].map((k) => body.pose[k]);
  const around = windingAbout(s, pointAt(middle, 0));
  const isMiddleInside = around !== null && around.ahead !== 0;
  const isApart = gap.upper > resolution;
  // What is on the rim may have been rounded to either side, but for the middle.
  const isInside = depth.upper <= resolution && isMiddleInside;
  const width = 2 * radiusInside(primitive);
  if (isApart && !isInside) return depth.upper < 0 ? { ...found, lie: 'clear' } : null;
  if (depth.upper <= resolution && !isMiddleInside) {
    const upper = Math.min(2 * above0(depth.upper), width);
    return { ...found, thickness: { lower: 0, upper }, lie: 'touch' };
  }
  const isAround = !isApart && protrusionOfPoints(movedVertices(s), body) <= resolution;
  const lie = lieOf(isInside, isAround);
  if (isInside && isApart) return { ...found, ...lie, thickness: { lower: width, upper: width }, deepest: middle };
  if (lie.lie === 'overlap' && !(depth.lower > 0)) return null;
  const most = Math.min(width, ...sizes, isMiddleInside ? width : 2 * depth.upper);
  const polyhedron = polyhedronOf(b);
  if (!polyhedron) return beside(a, p, b, s, { ...found, ...lie, thickness: { lower: 0, upper: most } });
  commonBall(body, placePolyhedron(polyhedron, s), NARROWEST, ball);
  const thickness = { lower: above0(2 * ball.lower), upper: above0(2 * ball.upper) };
  // A corner may be less in the primitive than its depth tells.
  if (lie.lie === 'overlap' && thickness.upper <= resolution) return { ...found, thickness, lie: 'touch' };
  return { ...found, ...lie, thickness, deepest: ball.lower > 0 ? Array.from(ball.point) : null };
}

function placePolyhedron({ centre, planes, reach, rounding }: Polyhedron, { pose, operand }: PlacedBody): ConvexBody {
  const about = pose.slice();
  const moved = new Float64Array(3);
  movePoint(pose, centre[0], centre[1], centre[2], moved, 0);
  for (let k = 0; k < 3; k++) about[4 * k + 3] = moved[k];
  return polyhedronBody(planes, reach, about, rounding + 2 * moveErrorBound(pose, operand.reach));
}

/**
 * What can be told of the depth beside a body that is not convex: what is told of any function.
 * Where shells cross each other, or lie on each other, a point of the surface need not be on the
 * border of the solid, so that it proves no overlap.
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
