/**
 * How often a surface winds about a point, exactly: the number of its triangles that a ray from the
 * point leaves through, less those that it enters through.
 *
 * The ray runs through the asset's own tree, moved by its pose, and asks the triangles whose bounds
 * it may meet: exactly, on their moved coordinates (exact-point.ts). Where it meets an edge, another
 * ray is asked; the point's answer is the same for all, for the triangles are a cycle (shells.ts).
 *
 * A ray misses a bound that is apart from its line along one of two directions at right angles to
 * it, or behind its start. Both are whole numbers, so that they are at right angles exactly, however
 * long the ray is.
 */
import {
  ENTERS,
  type ExactPoint,
  GRAZES,
  LEAVES,
  ON_BORDER,
  rayMeets,
  STARTS_INWARD,
  STARTS_OUTWARD,
} from '../geometry/exact-point.ts';
import { BOX_NUMBERS, moveBox } from '../geometry/rounded-box.ts';
import { identity, isIdentity, type Pose } from '../math/pose.ts';
import { Random } from '../math/random.ts';
import { type RelativePose, relativePose } from '../query/relative-pose.ts';
import type { Operand } from '../query/traverse.ts';

/** How often a surface winds about a point of it, or off it, on the two sides of a ray's start. */
export interface Winding {
  /** Ahead of the point, along the ray. */
  ahead: number;
  /** Behind it: another number only where the point is on the surface. */
  behind: number;
}

/** An operand in its pose, whose surface rays may meet. */
export interface Target {
  operand: Operand;
  pose: Pose;
  /** Its frame in the common one. */
  toCommon: RelativePose;
}

const UNMOVED = identity();

/** @param pose a validated one */
export const targetOf = (operand: Operand, pose: Pose): Target => ({
  operand,
  pose,
  toCommon: relativePose(UNMOVED, pose, 0, operand.reach),
});

const moved = new Float64Array(BOX_NUMBERS);
let stack = new Int32Array(256);

/** Whole numbers without a pattern: rays along axes meet the edges of what people draw. */
const FIRST_RAYS = [
  [137, 59, 83],
  [-71, 149, 97],
  [101, -67, 139],
  [-89, -127, 61],
  [53, 109, -151],
];
const LARGEST = 1000;

/** The n-th direction to try. */
export function rayNumber(n: number): readonly number[] {
  if (n < FIRST_RAYS.length) return FIRST_RAYS[n];
  const random = new Random(n);
  const coordinate = (): number => 1 + (random.integer() % LARGEST);
  return [coordinate(), -coordinate(), coordinate()];
}

/** Directions that are tried: that one of them meets an edge is one chance in thousands. */
export const MOST_RAYS = 1000;

/**
 * How often a surface of triangles winds about a point.
 *
 * @returns null where the point is on the border of one of its triangles
 */
export function windingAbout(target: Target, point: ExactPoint): Winding | null {
  for (let n = 0; n < MOST_RAYS; n++) {
    const winding = windingAlong(target, point, rayNumber(n));
    if (winding !== 'grazes') return winding;
  }
  throw new Error('every ray met an edge');
}

/**
 * Likewise along one ray, so that the sides of two surfaces can be told by the same one.
 *
 * @param ray three whole numbers
 */
export function windingAlong(target: Target, point: ExactPoint, ray: readonly number[]): Winding | null | 'grazes' {
  let ahead = 0;
  let own = 0;
  let isOnBorder = false;
  let grazes = false;
  alongRay(target, point, ray, (id) => {
    const meets = rayMeets(point, ray, target.operand.load(id).points, 0);
    if (meets === LEAVES || meets === ENTERS) ahead += meets;
    else if (meets === STARTS_OUTWARD || meets === STARTS_INWARD) own += meets / 2;
    else if (meets === ON_BORDER) isOnBorder = true;
    else if (meets === GRAZES) grazes = true;
    return !isOnBorder;
  });
  if (isOnBorder) return null;
  return grazes ? 'grazes' : { ahead, behind: ahead + own };
}

/**
 * Hands over every triangle that a ray may meet, and others; `visit` ends the walk with false.
 *
 * @param ray three whole numbers, not all 0
 */
export function alongRay(
  { operand, pose, toCommon }: Target,
  point: ExactPoint,
  ray: readonly number[],
  visit: (id: number) => boolean,
): void {
  const { tree, reach } = operand;
  const [rx, ry, rz] = ray;
  // Across the ray: (ry, -rx, 0) and its product with the ray.
  const [ux, uy] = rx !== 0 || ry !== 0 ? [ry, -rx] : [1, 0];
  const [vx, vy, vz] = [uy * rz, -ux * rz, ux * ry - uy * rx];
  const { map, norm, slack } = toCommon;
  const isStill = isIdentity(pose);
  const sizes =
    reach +
    Math.abs(pose[3]) +
    Math.abs(pose[7]) +
    Math.abs(pose[11]) +
    Math.abs(point.x) +
    Math.abs(point.y) +
    Math.abs(point.z);
  const spare = slack + point.error + 2 ** -44 * sizes + 2 ** -900;
  const lengthOfRay = (Math.abs(rx) + Math.abs(ry) + Math.abs(rz)) * spare;
  const lengthOfU = (Math.abs(ux) + Math.abs(uy)) * spare;
  const lengthOfV = (Math.abs(vx) + Math.abs(vy) + Math.abs(vz)) * spare;
  let top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const node = stack[--top];
    let box = tree.bounds;
    let at = BOX_NUMBERS * node;
    if (!isStill) {
      moveBox(map, norm, box, at, moved, 0);
      box = moved;
      at = 0;
    }
    const x = box[at] - point.x;
    const y = box[at + 1] - point.y;
    const z = box[at + 2] - point.z;
    if (Math.abs(x * ux + y * uy) > spread(box, at, ux, uy, 0) + lengthOfU) continue;
    if (Math.abs(x * vx + y * vy + z * vz) > spread(box, at, vx, vy, vz) + lengthOfV) continue;
    if (x * rx + y * ry + z * rz < -spread(box, at, rx, ry, rz) - lengthOfRay) continue;
    if (tree.isLeaf(node)) {
      const first = ~tree.link[node];
      for (let id = first; id < first + tree.count[node]; id++) if (!visit(id)) return;
      continue;
    }
    const first = tree.firstChild(node);
    const count = tree.count[node];
    if (top + count > stack.length) {
      const bigger = new Int32Array(2 * stack.length + count);
      bigger.set(stack);
      stack = bigger;
    }
    for (let child = first + count - 1; child >= first; child--) stack[top++] = child;
  }
}

/** Half of what a rounded box spans along a vector, times its length; no less. */
function spread(box: Float64Array, at: number, x: number, y: number, z: number): number {
  return (
    box[at + 3] * (Math.abs(x) + Math.abs(y) + Math.abs(z)) +
    box[at + 7] * Math.abs(box[at + 4] * x + box[at + 5] * y + box[at + 6] * z) +
    box[at + 11] * Math.abs(box[at + 8] * x + box[at + 9] * y + box[at + 10] * z) +
    box[at + 15] * Math.abs(box[at + 12] * x + box[at + 13] * y + box[at + 14] * z)
  );
}
