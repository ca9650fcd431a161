/**
 * Primitives as convex bodies in the common frame, and the resolution of lengths between them.
 *
 * A box is its eight corners, half of its size along each axis, moved in doubles by its frame and
 * then its pose, like vertices of meshes. A round primitive is the image of its definition under
 * frame and pose in real arithmetic.
 */
import { boxBody, type ConvexBody, capsuleBody, cylinderBody } from '../geometry/convex-body.ts';
import { compose, moveErrorBound, movePoint, type Pose } from '../math/pose.ts';
import type { PlacedPrimitive } from '../readers/mesh-file.ts';
import type { Operand } from './traverse.ts';

/** Length along the longest axis, and largest coordinate. */
interface Size {
  size: number;
  farthest: number;
}

export interface PrimitiveBody extends Size {
  primitive: PlacedPrimitive;
  body: ConvexBody;
  pose: Pose;
  /** Diameter of the largest ball inside. */
  width: number;
}

/** @param pose a validated one */
export function placePrimitive(primitive: PlacedPrimitive, pose: Pose): PrimitiveBody {
  const frame = primitive.frame && Float64Array.from(primitive.frame);
  const extents = extentsOf(primitive);
  const reach = (extents[0] + extents[1] + extents[2]) / 2;
  // Entries of the composed pose are off by 5 u of their rows, like moved points.
  const placed = frame ? compose(pose, frame) : pose;
  const frameReach = reach + (frame ? Math.abs(frame[3]) + Math.abs(frame[7]) + Math.abs(frame[11]) : 0);
  const composing = frame ? 2 * moveErrorBound(pose, frameReach) : 0;
  const moving = moveErrorBound(pose, frameReach) + (frame ? moveErrorBound(frame, reach) : 0);
  const body = bodyOf(primitive, placed, composing, composing + 1.0001 * moving);
  const farthest = body.reach + largest(placed);
  return { primitive, pose, body, size: Math.max(...extents), width: Math.min(...extents), farthest };
}

const middle = new Float64Array(6);

/** A quick lower bound of the gap between balls around two primitives; below 0 if they overlap. */
export function gapOfBalls(a: PlacedPrimitive, b: PlacedPrimitive, poseA: Pose, poseB: Pose): number {
  const reach = ballAround(a, poseA, 0) + ballAround(b, poseB, 3);
  let square = 0;
  for (let k = 0; k < 3; k++) square += (middle[3 + k] - middle[k]) * (middle[3 + k] - middle[k]);
  return Math.sqrt(square) * (1 - 2 ** -40) - reach;
}

/** Writes the middle of a primitive. Returns its reach from there, plus twice the rounding. */
function ballAround(primitive: PlacedPrimitive, pose: Pose, at: number): number {
  const [x, y, z] = [primitive.frame?.[3] ?? 0, primitive.frame?.[7] ?? 0, primitive.frame?.[11] ?? 0];
  movePoint(pose, x, y, z, middle, at);
  const [p, q, r] = extentsOf(primitive);
  const away = Math.abs(x) + Math.abs(y) + Math.abs(z) + Math.abs(pose[3]) + Math.abs(pose[7]) + Math.abs(pose[11]);
  return 0.5001 * Math.sqrt(p * p + q * q + r * r) + 2 ** -48 * away;
}

const largest = (pose: Pose): number => Math.max(Math.abs(pose[3]), Math.abs(pose[7]), Math.abs(pose[11]));

function bodyOf(primitive: PlacedPrimitive, pose: Pose, composing: number, moving: number): ConvexBody {
  switch (primitive.shape) {
    case 'box':
      return boxBody(
        Float64Array.from(primitive.size, (x) => x / 2),
        pose,
        moving,
      );
    case 'cylinder':
      return cylinderBody(primitive.radius, primitive.length / 2, pose, composing);
    case 'capsule':
      return capsuleBody(primitive.radius, primitive.length / 2, pose, composing);
    default:
      return capsuleBody(primitive.radius, 0, pose, composing);
  }
}

function extentsOf(primitive: PlacedPrimitive): readonly [number, number, number] {
  if (primitive.shape === 'box') return primitive.size;
  const width = 2 * primitive.radius;
  if (primitive.shape === 'sphere') return [width, width, width];
  return [width, width, primitive.shape === 'capsule' ? width + primitive.length : primitive.length];
}

/** The moved corners of a box; null for other shapes. */
export function cornersOf({ primitive, pose }: PrimitiveBody): Float64Array | null {
  if (primitive.shape !== 'box') return null;
  const corners = new Float64Array(24);
  const frame = primitive.frame && Float64Array.from(primitive.frame);
  for (let corner = 0; corner < 8; corner++) {
    const [x, y, z] = primitive.size.map((size, k) => ((corner >> k) & 1 ? size / 2 : -size / 2));
    const at = 3 * corner;
    corners.set([x, y, z], at);
    if (frame) movePoint(frame, x, y, z, corners, at);
    movePoint(pose, corners[at], corners[at + 1], corners[at + 2], corners, at);
  }
  return corners;
}

/** Resolution of lengths between primitives, relative to their size. */
const RESOLUTION = 1e-12;
/** Rounding of composed poses, relative to the coordinates. */
const COORDINATES = 2 ** -46;

/**
 * Shorter lengths count as 0 if one of the two is a primitive: 1e-12 of the larger one's size, and
 * the rounding of poses that are far from the origin.
 */
export const resolutionOf = (a: Size, b: Size): number =>
  RESOLUTION * Math.max(a.size, b.size) + COORDINATES * Math.max(a.farthest, b.farthest);

export function sizeOfSurface({ tree, reach }: Operand, pose: Pose): Size {
  const [, , , radius, ...axes] = tree.bounds.slice(0, 16);
  return { size: 2 * (radius + Math.max(axes[3], axes[7], axes[11])), farthest: reach + largest(pose) };
}
