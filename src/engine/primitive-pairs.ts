/**
 * Answers about a primitive (a box, a cylinder, a capsule or a ball) and another primitive or an
 * asset of triangles: contact, distances, clearances, lists.
 *
 * Two primitives are convex bodies (common-ball.ts). A surface is as deep in a primitive as its
 * deepest point (deepest.ts); a negative depth is the distance. Both are brackets, some 1e-14 of
 * the sizes wide. Boxes are exact: if the bracket holds 0, gjk.ts compares the hulls of their
 * corners. A round primitive is in contact if it is no farther away than the resolution of the two,
 * 1e-12 of the size, and not proved to be apart. A clearance is compared as closely.
 */
import {
  type BallBracket,
  type BallGoal,
  commonBall,
  depthOfTriangle,
  NARROWEST,
  newBallBracket,
} from '../geometry/common-ball.ts';
import { type ConvexBody, CUT_NUMBERS, cutAt, DEPTH } from '../geometry/convex-body.ts';
import { hullsOverlap } from '../geometry/gjk.ts';
import { type Deepest, deepestIn, type PlacedSurface, trianglesIn } from './deepest.ts';
import { isOfTriangles, operandOf, primitiveOf } from './operand.ts';
import type { Question } from './options.ts';
import {
  cornersOf,
  gapOfBalls,
  type PrimitiveBody,
  placePrimitive,
  resolutionOf,
  sizeOfSurface,
} from './primitives.ts';
import type { Outcome, Query, Verdict } from './records.ts';
import { ContactList, type Nearest, nothingMeasured } from './records.ts';
import { type Answer, witnessIn } from './report.ts';

/** Undefined for other assets, with a level or `onVisit`, or if poses are too far from rigid. */
export function answerOfPrimitives(question: Question): Answer | undefined {
  const { a, b, query, isCommon } = question;
  if (isCommon || query.level !== null || query.onVisit || query.own) return undefined;
  const [p, q] = [primitiveOf(a), primitiveOf(b)];
  if (p && q) {
    if (!tellsNearest(question) && gapOfBalls(p, q, query.poseA, query.poseB) > (query.clearance ?? 0))
      return answerOf('clear', { ...nothingMeasured(), tests: { bounds: 1, hulls: 0 } }, question);
    return answerOfTwo(placePrimitive(p, query.poseA), placePrimitive(q, query.poseB), question);
  }
  if (p && isOfTriangles(b)) return answerBeside(placePrimitive(p, query.poseA), true, question);
  if (q && isOfTriangles(a)) return answerBeside(placePrimitive(q, query.poseB), false, question);
  return undefined;
}

const ball = newBallBracket();
const goal: BallGoal = { below: 0, above: 0 };

type Told = Exclude<Verdict, 'undecided'> | undefined;

/** @param exact decides contact exactly, if that is possible */
function tell(lower: number, upper: number, clearance: number, resolution: number, exact?: () => boolean): Told {
  if (lower > clearance) return 'clear';
  if (upper <= clearance) return 'contact';
  if (clearance === 0 && exact) return exact() ? 'contact' : 'clear';
  return upper <= clearance + resolution ? 'contact' : undefined;
}

const tellsNearest = ({ distance, budget }: Question): boolean => distance || budget !== undefined;

function goalOf(question: Question, times: number): BallGoal {
  if (tellsNearest(question)) return NARROWEST;
  goal.below = goal.above = -(question.query.clearance ?? 0) / times;
  return goal;
}

function answerOfTwo(a: PrimitiveBody, b: PrimitiveBody, question: Question): Answer | undefined {
  const { clearance = 0 } = question.query;
  commonBall(a.body, b.body, goalOf(question, 2), ball);
  const areBoxes = a.primitive.shape === 'box' && b.primitive.shape === 'box';
  const exact = areBoxes ? () => hullsOverlap(cornersOf(a)!, 8, cornersOf(b)!, 8) !== 'disjoint' : undefined;
  const verdict = tell(-2 * ball.upper, -2 * ball.lower, clearance, resolutionOf(a, b), exact);
  if (verdict === undefined) return undefined;
  const nearest: Nearest = {
    ...nearestOf(ball, 2, verdict, question, areBoxes),
    onA: nearestOn(a.body, ball.point),
    onB: nearestOn(b.body, ball.point),
    a: 0,
    b: 0,
    tests: { bounds: 0, hulls: 1 },
  };
  return answerOf(verdict, nearest, question);
}

function nearestOf(
  { lower, upper }: BallBracket,
  times: number,
  verdict: Verdict,
  { query }: Question,
  isExact: boolean,
): Nearest {
  const isShared = verdict === 'contact' && !query.clearance;
  const least = Math.max(0, -times * upper);
  const most = isShared && isExact ? 0 : Math.max(least, -times * lower);
  const isApart = least > 0 || (verdict === 'clear' && !query.clearance);
  return { ...nothingMeasured(), lower: least, upper: most, measured: most, isApart };
}

const cut = new Float64Array(CUT_NUMBERS);

/** Returns the point of a body nearest to a point outside; a point inside is its own nearest. */
function nearestOn(body: ConvexBody, point: Float64Array): Float64Array {
  const { pose } = body;
  cutAt(body, point[0] - pose[3], point[1] - pose[7], point[2] - pose[11], cut);
  return point.map((x, k) => x + Math.min(0, cut[DEPTH]) * cut[k]);
}

function answerOf(verdict: Verdict, nearest: Nearest, question: Question): Answer {
  const { query } = question;
  const { a, b, onA, level, tests } = nearest;
  const isContact = verdict === 'contact';
  if (isContact) query.onContact?.(a, b);
  const outcome: Outcome = {
    verdict,
    contacts: {
      count: isContact ? 1 : 0,
      complete: verdict === 'clear' || (isContact && query.all),
      pairs: isContact ? [[a, b]] : [],
    },
    ...(isContact && !query.clearance && { point: Array.from(onA) }),
    ...(isContact && query.findsWitness && { witness: witnessIn(nearest) }),
    level,
    tests,
  };
  return { outcome, engine: 'convex', nearest: tellsNearest(question) ? nearest : null };
}

function answerBeside(p: PrimitiveBody, isFirst: boolean, question: Question): Answer | undefined {
  const { a, b, query } = question;
  const { clearance = 0 } = query;
  const [asset, pose] = isFirst ? [b, query.poseB] : [a, query.poseA];
  const surface: PlacedSurface = { operand: operandOf(asset, pose), pose };
  const resolution = resolutionOf(p, sizeOfSurface(surface.operand, pose));
  const beside: Beside = { p, surface, corners: clearance === 0 ? cornersOf(p) : null, resolution, isFirst };
  const listed = query.all ? listOf(beside, query) : null;
  if (listed?.verdict === 'undecided') return undefined;
  if (listed && !tellsNearest(question)) return { outcome: listed, engine: 'convex', nearest: null };
  const depth = deepestIn(p.body, surface, goalOf(question, 1), query.deadline ?? Number.POSITIVE_INFINITY);
  const exact = beside.corners ? () => meetsExactly(beside, depth) : undefined;
  const told = tell(-depth.upper, -depth.lower, clearance, resolution, exact);
  const verdict = listed?.verdict ?? told ?? (depth.isComplete ? undefined : 'undecided');
  if (verdict === undefined) return undefined;
  const onPrimitive = nearestOn(p.body, depth.point);
  const [onA, onB] = isFirst ? [onPrimitive, depth.point] : [depth.point, onPrimitive];
  const nearest: Nearest = {
    ...nearestOf(depth, 1, verdict, question, exact !== undefined),
    ...{ onA, onB, isComplete: depth.isComplete, level: depth.level, tests: depth.tests },
    ...(isFirst ? { a: 0, b: depth.triangle } : { a: depth.triangle, b: 0 }),
  };
  if (listed) return { outcome: listed, engine: 'convex', nearest };
  return answerOf(verdict, nearest, question);
}

interface Beside {
  p: PrimitiveBody;
  surface: PlacedSurface;
  /** A box's corners, if the question is contact: their hull decides that exactly. */
  corners: Float64Array | null;
  resolution: number;
  isFirst: boolean;
}

/** The first triangle that meets the box becomes the nearest. */
function meetsExactly({ p, surface, corners, resolution }: Beside, nearest: Deepest): boolean {
  let meets = false;
  trianglesIn(p.body, surface, -resolution, (id, points) => {
    meets = hullsOverlap(corners!, 8, points, 3) !== 'disjoint';
    if (meets) nearest.triangle = id;
    return !meets;
  });
  return meets;
}

const bracket = newBallBracket();
const goalOfTriangle: BallGoal = { below: 0, above: 0 };

/** Lists every triangle in contact; `undecided` if one of them is. */
function listOf({ p, surface, corners, resolution, isFirst }: Beside, query: Query): Outcome {
  const { clearance = 0 } = query;
  const contacts = new ContactList(query);
  let isUndecided = false;
  goalOfTriangle.below = goalOfTriangle.above = -clearance;
  const { level, tests } = trianglesIn(p.body, surface, -clearance - resolution, (id, points) => {
    depthOfTriangle(p.body, points, goalOfTriangle, bracket);
    const exact = corners ? () => hullsOverlap(corners, 8, points, 3) !== 'disjoint' : undefined;
    const told = tell(-bracket.upper, -bracket.lower, clearance, resolution, exact);
    if (told === undefined) isUndecided = true;
    return told !== 'contact' || contacts.add(isFirst ? 0 : id, isFirst ? id : 0);
  });
  const outcome = contacts.outcome({ level, ...tests, isUndecided });
  return isUndecided ? { ...outcome, verdict: 'undecided' } : outcome;
}
