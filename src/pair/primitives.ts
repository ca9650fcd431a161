/**
 * What is known of two of which one is a primitive (a box, a cylinder, a capsule or a ball) and the
 * other one, too, or made of triangles: contact, distances, clearances and lists.
 *
 * Two primitives are two convex bodies (common-ball.ts). A surface is as deep in a primitive as the
 * deepest of its points (deepest.ts); below 0 that is how far the two are apart. Either is a
 * bracket, some 1e-14 of the sizes wide. Boxes are exact, beside each other and beside triangles:
 * where the bracket holds 0, the hulls of corners are asked (gjk.ts). What is round touches what is
 * no farther from it than 1e-12 of the size, unless that is proved to be apart. Lengths are told
 * apart as closely.
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
import { type Deepest, deepestIn, type PlacedSurface, trianglesIn } from '../query/deepest.ts';
import { type Nearest, nothingMeasured } from '../query/nearest.ts';
import { ContactList } from '../query/outcome.ts';
import {
  cornersOf,
  farthestOf,
  type PrimitiveBody,
  placePrimitive,
  resolutionOf,
  sizeOfPrimitive,
} from '../query/primitives.ts';
import type { Outcome, Query, Verdict } from '../query/report.ts';
import type { Asset } from '../query/representation.ts';
import { isOfTriangles, operandOf, primitiveOf } from '../representations/operand.ts';
import { extentOf } from './bounds.ts';
import type { Question } from './options.ts';
import type { Answer } from './report.ts';

/**
 * The answer to a question about such two; undefined where others are to answer: of other assets,
 * to a level, to whoever is told of all tests, and where poses are so far from rigid that nothing
 * is told.
 */
export function answerOfPrimitives(question: Question): Answer | undefined {
  const { a, b, query, isCommon } = question;
  if (isCommon || query.level !== null || query.onVisit || query.own) return undefined;
  const [p, q] = [primitiveOf(a), primitiveOf(b)];
  if (p && q) return answerOfTwo(placePrimitive(p, query.poseA), placePrimitive(q, query.poseB), question);
  if (p && isOfTriangles(b)) return answerBeside(placePrimitive(p, query.poseA), true, question);
  if (q && isOfTriangles(a)) return answerBeside(placePrimitive(q, query.poseB), false, question);
  return undefined;
}

const ball = newBallBracket();
const goal: BallGoal = { below: 0, above: 0 };

/** A verdict, or undefined where the poses leave it open. */
type Told = Exclude<Verdict, 'undecided'> | undefined;

/**
 * What a bracket of the distance, below 0 where bodies are in each other, tells of a clearance.
 *
 * @param exact tells whether they share a point, where that can be told
 */
function tell(lower: number, upper: number, clearance: number, resolution: number, exact?: () => boolean): Told {
  if (lower > clearance) return 'clear';
  if (upper <= clearance) return 'contact';
  if (clearance === 0 && exact) return exact() ? 'contact' : 'clear';
  return upper <= clearance + resolution ? 'contact' : undefined;
}

/**
 * As far as is asked: whether the distance is on this or that side of the clearance, or the
 * distance.
 */
function goalOf({ query, distance, budget }: Question, times: number): BallGoal {
  if (distance || budget !== undefined) return NARROWEST;
  goal.below = goal.above = -(query.clearance ?? 0) / times;
  return goal;
}

function answerOfTwo(a: PrimitiveBody, b: PrimitiveBody, question: Question): Answer | undefined {
  const { query, distance, budget } = question;
  const { clearance = 0 } = query;
  const size = Math.max(sizeOfPrimitive(a.primitive), sizeOfPrimitive(b.primitive));
  const resolution = resolutionOf(size, Math.max(farthestOf(a), farthestOf(b)));
  commonBall(a.body, b.body, goalOf(question, 2), ball);
  const areBoxes = a.primitive.shape === 'box' && b.primitive.shape === 'box';
  const exact = areBoxes ? () => hullsOverlap(cornersOf(a)!, 8, cornersOf(b)!, 8) === 'overlap' : undefined;
  const verdict = tell(-2 * ball.upper, -2 * ball.lower, clearance, resolution, exact);
  if (verdict === undefined) return undefined;
  const nearest: Nearest = {
    ...nearestOf(ball, 2, verdict, question, areBoxes),
    onA: nearestOn(a.body, ball.point),
    onB: nearestOn(b.body, ball.point),
    a: 0,
    b: 0,
    tests: { bounds: 0, hulls: 1 },
  };
  return answerOf(verdict, nearest, question, distance || budget !== undefined);
}

/** The bracket of a distance: of boxes that share a point it is 0. */
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

/** The point of a body that is nearest to one outside; one inside is that itself. */
function nearestOn(body: ConvexBody, point: Float64Array): Float64Array {
  const { pose } = body;
  cutAt(body, point[0] - pose[3], point[1] - pose[7], point[2] - pose[11], cut);
  return point.map((x, k) => x + Math.min(0, cut[DEPTH]) * cut[k]);
}

/** The answer for one pair of nearest primitives. */
function answerOf(verdict: Verdict, nearest: Nearest, { query }: Question, tellsNearest: boolean): Answer {
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
    level,
    tests,
  };
  return { outcome, engine: 'convex', nearest: tellsNearest ? nearest : null };
}

/** @param isFirst whether the primitive is a */
function answerBeside(p: PrimitiveBody, isFirst: boolean, question: Question): Answer | undefined {
  const { a, b, query, distance, budget } = question;
  const { clearance = 0 } = query;
  const [asset, pose] = isFirst ? [b, query.poseB] : [a, query.poseA];
  const surface: PlacedSurface = { operand: operandOf(asset, pose), pose };
  const beside: Beside = { p, surface, corners: clearance === 0 ? cornersOf(p) : null, resolution: 0, isFirst };
  beside.resolution = resolutionBeside(p, asset, surface);
  const tellsNearest = distance || budget !== undefined;
  const listed = query.all ? listOf(beside, query) : null;
  if (listed?.verdict === 'undecided') return undefined;
  if (listed && !tellsNearest) return { outcome: listed, engine: 'convex', nearest: null };
  const depth = deepestIn(p.body, surface, goalOf(question, 1), query.deadline ?? Number.POSITIVE_INFINITY);
  const exact = beside.corners ? () => meetsExactly(beside, depth) : undefined;
  const told = tell(-depth.upper, -depth.lower, clearance, beside.resolution, exact);
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
  return answerOf(verdict, nearest, question, tellsNearest);
}

/** A primitive and a surface of triangles. */
interface Beside {
  p: PrimitiveBody;
  surface: PlacedSurface;
  /** Of a box that is asked for contact, where hulls tell that exactly. */
  corners: Float64Array | null;
  resolution: number;
  isFirst: boolean;
}

function resolutionBeside(p: PrimitiveBody, asset: Asset, { operand, pose }: PlacedSurface): number {
  const { own, root } = extentOf(asset);
  const sizes = [0, 1, 2].map((k) => (own ? own[3 + k] - own[k] : 2 * (root[3] + root[7 + 4 * k])));
  const far = operand.reach + Math.max(Math.abs(pose[3]), Math.abs(pose[7]), Math.abs(pose[11]));
  return resolutionOf(Math.max(sizeOfPrimitive(p.primitive), ...sizes), Math.max(farthestOf(p), far));
}

/** Whether the triangles share a point with the box; the first one that does is the nearest. */
function meetsExactly({ p, surface, corners, resolution }: Beside, nearest: Deepest): boolean {
  let meets = false;
  trianglesIn(p.body, surface, -resolution, (id, points) => {
    meets = hullsOverlap(corners!, 8, points, 3) === 'overlap';
    if (meets) nearest.triangle = id;
    return !meets;
  });
  return meets;
}

const bracket = newBallBracket();
const goalOfTriangle: BallGoal = { below: 0, above: 0 };

/** Every triangle in contact; `undecided` where one of them is not told. */
function listOf({ p, surface, corners, resolution, isFirst }: Beside, query: Query): Outcome {
  const { clearance = 0 } = query;
  const contacts = new ContactList(query);
  let isUndecided = false;
  goalOfTriangle.below = goalOfTriangle.above = -clearance;
  const { level, tests } = trianglesIn(p.body, surface, -clearance - resolution, (id, points) => {
    depthOfTriangle(p.body, points, goalOfTriangle, bracket);
    const exact = corners ? () => hullsOverlap(corners, 8, points, 3) === 'overlap' : undefined;
    const told = tell(-bracket.upper, -bracket.lower, clearance, resolution, exact);
    if (told === undefined) isUndecided = true;
    return told !== 'contact' || contacts.add(isFirst ? 0 : id, isFirst ? id : 0);
  });
  const outcome = contacts.outcome({ level, ...tests, isUndecided });
  return isUndecided ? { ...outcome, verdict: 'undecided' } : outcome;
}
