/**
 * The depth of a surface of triangles in a convex body, and the deepest triangle.
 *
 * A plane in front of the body bounds the depth of everything in a node's box: the greatest value
 * of offset - n . x there. The code uses the plane nearest to the box's middle, so this bound is
 * close for nodes apart from the body. The node that may hold the deepest point comes first, as in
 * the search for distances (closest.ts), which are depths below 0.
 *
 * Rounding, u = 2^-53. A box's middle c goes through the pose and to the body's origin: off by 7 u
 * |c| and 2 u of the distance of the two origins. From there on, sums round by 8 u of the point's
 * distance from the body's origin.
 */
import { type BallBracket, type BallGoal, depthOfTriangle, newBallBracket } from '../geometry/common-ball.ts';
import { type ConvexBody, CUT_NUMBERS, cutAt, OFFSET } from '../geometry/convex-body.ts';
import { BOX_NUMBERS } from '../geometry/rounded-box.ts';
import { moveErrorBound, normBound, type Pose } from '../math/pose.ts';
import { PairHeap } from './bound-tree.ts';
import { isLate } from './records.ts';
import type { Operand } from './traverse.ts';

export interface PlacedSurface {
  operand: Operand;
  pose: Pose;
}

/** The depth of a surface's deepest point in a body. Below 0, it is minus the distance. */
export interface Deepest extends BallBracket {
  /** The triangle of the point, or -1. */
  triangle: number;
  /** True if the search ended by itself, not by its deadline. */
  isComplete: boolean;
  level: number;
  tests: { bounds: number; hulls: number };
}

const nothingWalked = (): Pick<Deepest, 'level' | 'tests'> => ({ level: 0, tests: { bounds: 0, hulls: 0 } });

const cut = new Float64Array(CUT_NUMBERS);
const bracket = newBallBracket();
const goalOfTriangle: BallGoal = { below: 0, above: 0 };

/** Enlarges a bound, relative to the point's distance from the body's origin. */
const ROUNDING = 2 ** -49;

class Bounds {
  private readonly norm: number;
  private readonly slack: number;

  constructor(
    private readonly body: ConvexBody,
    private readonly surface: PlacedSurface,
  ) {
    const { operand, pose } = surface;
    const t = body.pose;
    const apart = Math.abs(pose[3] - t[3]) + Math.abs(pose[7] - t[7]) + Math.abs(pose[11] - t[11]);
    this.norm = normBound(pose);
    this.slack = moveErrorBound(pose, operand.reach) + 2 ** -50 * operand.reach + 2 ** -51 * apart;
  }

  /** Closeness of the bounds for a surface that touches the body. */
  get resolution(): number {
    return 2 * (this.slack + this.body.slack + ROUNDING * this.body.reach);
  }

  deepest(node: number): number {
    const { bounds } = this.surface.operand.tree;
    const m = this.surface.pose;
    const t = this.body.pose;
    const at = BOX_NUMBERS * node;
    const cx = bounds[at];
    const cy = bounds[at + 1];
    const cz = bounds[at + 2];
    const x = m[0] * cx + m[1] * cy + m[2] * cz + (m[3] - t[3]);
    const y = m[4] * cx + m[5] * cy + m[6] * cz + (m[7] - t[7]);
    const z = m[8] * cx + m[9] * cy + m[10] * cz + (m[11] - t[11]);
    cutAt(this.body, x, y, z, cut);
    const [n0, n1, n2] = cut;
    const a = m[0] * n0 + m[4] * n1 + m[8] * n2;
    const b = m[1] * n0 + m[5] * n1 + m[9] * n2;
    const c = m[2] * n0 + m[6] * n1 + m[10] * n2;
    let reach = bounds[at + 3] * this.norm;
    for (let k = at + 4; k < at + 16; k += 4)
      reach += bounds[k + 3] * Math.abs(a * bounds[k] + b * bounds[k + 1] + c * bounds[k + 2]);
    const rounding = this.slack + ROUNDING * (Math.abs(x) + Math.abs(y) + Math.abs(z));
    const depth = cut[OFFSET] - (n0 * x + n1 * y + n2 * z) + reach * (1 + 2 ** -46) + rounding;
    return Number.isNaN(depth) ? Number.POSITIVE_INFINITY : depth;
  }

  deepestCorner(points: Float64Array): number {
    const t = this.body.pose;
    const x = (points[0] + points[3] + points[6]) / 3 - t[3];
    const y = (points[1] + points[4] + points[7]) / 3 - t[7];
    const z = (points[2] + points[5] + points[8]) / 3 - t[11];
    cutAt(this.body, x, y, z, cut);
    let most = Number.NEGATIVE_INFINITY;
    for (let p = 0; p < 9; p += 3) {
      const dx = points[p] - t[3];
      const dy = points[p + 1] - t[7];
      const dz = points[p + 2] - t[11];
      const rounding = ROUNDING * (Math.abs(dx) + Math.abs(dy) + Math.abs(dz));
      most = Math.max(most, cut[OFFSET] - (cut[0] * dx + cut[1] * dy + cut[2] * dz) + rounding);
    }
    return Number.isNaN(most) ? Number.POSITIVE_INFINITY : most;
  }
}

/** @param deadline `performance.now()` when the search must end; Infinity for none */
export function deepestIn(body: ConvexBody, surface: PlacedSurface, goal: BallGoal, deadline: number): Deepest {
  const { tree, load } = surface.operand;
  const bounds = new Bounds(body, surface);
  const found: Deepest = { ...newBallBracket(), triangle: -1, isComplete: true, ...nothingWalked() };
  const { tests } = found;
  tests.bounds = 1;
  const heap = new PairHeap();
  // Any number of faces may lie on the body's: their bounds are no closer.
  const enough = bounds.resolution;
  let measured = Number.NEGATIVE_INFINITY;
  heap.push(-bounds.deepest(0), 0, 0);
  goalOfTriangle.above = goal.above;
  for (let step = 1; heap.size > 0; step++) {
    const most = -heap.least;
    if (most <= found.lower + enough || found.lower > goal.above) break;
    if (most < goal.below && measured < goal.below) break;
    if (isLate(deadline, step)) {
      found.isComplete = false;
      break;
    }
    heap.pop();
    const node = heap.i;
    found.level = Math.max(found.level, tree.level[node]);
    if (!tree.isLeaf(node)) {
      const first = tree.firstChild(node);
      for (let child = first; child < first + tree.count[node]; child++) {
        tests.bounds++;
        const depth = Math.min(most, bounds.deepest(child));
        if (depth > found.lower) heap.push(-depth, child, 0);
      }
      continue;
    }
    const first = ~tree.link[node];
    for (let id = first; id < first + tree.count[node]; id++) {
      tests.hulls++;
      const { points } = load(id);
      const rough = bounds.deepestCorner(points);
      if (rough <= found.lower + enough) {
        measured = Math.max(measured, rough);
        continue;
      }
      goalOfTriangle.below = Math.max(goal.below, found.lower);
      depthOfTriangle(body, points, goalOfTriangle, bracket);
      measured = Math.max(measured, bracket.upper);
      if (bracket.lower <= found.lower) continue;
      found.lower = bracket.lower;
      found.point.set(bracket.point);
      found.triangle = id;
    }
  }
  found.upper = Math.max(found.lower, measured, heap.size > 0 ? -heap.least : Number.NEGATIVE_INFINITY);
  return found;
}

/** @param take receives each number and nine coordinates, valid in the call; false ends the walk */
export function trianglesIn(
  body: ConvexBody,
  surface: PlacedSurface,
  depth: number,
  take: (id: number, points: Float64Array) => boolean,
): Pick<Deepest, 'level' | 'tests'> {
  const { tree, load } = surface.operand;
  const bounds = new Bounds(body, surface);
  const walk = nothingWalked();
  const stack = [0];
  while (stack.length > 0) {
    const node = stack.pop()!;
    walk.tests.bounds++;
    if (bounds.deepest(node) < depth) continue;
    walk.level = Math.max(walk.level, tree.level[node]);
    if (!tree.isLeaf(node)) {
      const first = tree.firstChild(node);
      for (let child = first + tree.count[node] - 1; child >= first; child--) stack.push(child);
      continue;
    }
    const first = ~tree.link[node];
    for (let id = first; id < first + tree.count[node]; id++) {
      walk.tests.hulls++;
      const { points } = load(id);
      if (bounds.deepestCorner(points) < depth) continue;
      if (!take(id, points)) return walk;
    }
  }
  return walk;
}
