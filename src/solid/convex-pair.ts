/**
 * Decides how two convex bodies of triangles lie if their insides meet, and how thick their common
 * space is, without examining which triangles touch.
 *
 * Both are planes (polyhedron.ts), so the largest ball inside both is one linear program
 * (common-ball.ts). If that ball is proved, the insides meet. A vertex beyond a plane of the other
 * body is outside of that; a body is inside if all of its vertices are behind all planes. Both are
 * proved with all rounding. Touches and bodies that share a face are left to classify.ts.
 */
import type { Bracket } from '../engine/records.ts';
import type { Asset } from '../engine/representation.ts';
import { type BallGoal, commonBall, NARROWEST, newBallBracket } from '../geometry/common-ball.ts';
import { type ConvexBody, polyhedronBody, protrusionOfPoints } from '../geometry/convex-body.ts';
import { movePoint } from '../math/pose.ts';
import { type Polyhedron, polyhedronOf } from './polyhedron.ts';
import { movedVertices, moveErrorOf, type PlacedBody } from './solid.ts';

export interface ConvexLie {
  lie: 'overlap' | 'inside';
  inner: 'a' | 'b' | null;
  thickness: Bracket;
  /** x, y, z of the center of a ball inside both with the diameter `lower`. */
  deepest: number[];
}

const ball = newBallBracket();
const SIGN: BallGoal = { below: 0, above: 0 };

/**
 * @param assets the assets of the two bodies; convexity is computed once for each
 * @param options.isMeasured false if the thickness may be a wide bracket
 * @returns null unless both are convex and the class is proved
 */
export function lieOfConvex(
  [a, b]: readonly [Asset, Asset],
  [placedA, placedB]: readonly [PlacedBody, PlacedBody],
  { isMeasured }: { isMeasured: boolean },
): ConvexLie | null {
  const p = polyhedronOf(a);
  const q = p && polyhedronOf(b);
  if (!q) return null;
  const [bodyA, bodyB] = [placePolyhedron(p, placedA), placePolyhedron(q, placedB)];
  commonBall(bodyA, bodyB, isMeasured ? NARROWEST : SIGN, ball);
  if (!(ball.lower > 0)) return null;
  const known = {
    thickness: { lower: 2 * ball.lower, upper: 2 * ball.upper },
    deepest: Array.from(ball.point),
  };
  const ofA = protrusionOfPoints(movedVertices(placedA), bodyB);
  const ofB = protrusionOfPoints(movedVertices(placedB), bodyA);
  if (ofA.lower > 0 && ofB.lower > 0) return { lie: 'overlap', inner: null, ...known };
  if (ofA.upper < 0 && ofB.lower > 0) return { lie: 'inside', inner: 'a', ...known };
  return ofB.upper < 0 && ofA.lower > 0 ? { lie: 'inside', inner: 'b', ...known } : null;
}

export function placePolyhedron({ centre, planes, reach, rounding }: Polyhedron, placed: PlacedBody): ConvexBody {
  const { pose } = placed;
  const about = pose.slice();
  const moved = new Float64Array(3);
  movePoint(pose, centre[0], centre[1], centre[2], moved, 0);
  for (let k = 0; k < 3; k++) about[4 * k + 3] = moved[k];
  return polyhedronBody(planes, reach, about, rounding + 2 * moveErrorOf(placed));
}
