/**
 * Primitives as convex bodies in the common frame, and how closely two of them are told apart.
 *
 * A box is its eight corners, half of its size along each axis: its frame and then its pose move
 * them in doubles, as vertices of meshes are moved. What is round is the image of what its numbers
 * say under frame and pose in real arithmetic.
 */
import { boxBody, type ConvexBody, capsuleBody, cylinderBody } from '../geometry/convex-body.ts';
import { compose, moveErrorBound, movePoint, type Pose } from '../math/pose.ts';
import type { PlacedPrimitive } from '../readers/mesh-file.ts';

/** A primitive in its pose. */
export interface PrimitiveBody {
  primitive: PlacedPrimitive;
  body: ConvexBody;
  pose: Pose;
}

/** @param pose a validated one */
export function placePrimitive(primitive: PlacedPrimitive, pose: Pose): PrimitiveBody {
  const { frame } = primitive;
  const reach = reachOf(primitive);
  // Entries of the composed pose are off by 5 u of their rows, as points that are moved are.
  const placed = frame ? compose(pose, Float64Array.from(frame)) : pose;
  const frameReach = frame ? reach + Math.abs(frame[3]) + Math.abs(frame[7]) + Math.abs(frame[11]) : reach;
  const composing = frame ? 2 * moveErrorBound(pose, frameReach) : 0;
  const moving = moveErrorBound(pose, frameReach) + (frame ? moveErrorBound(Float64Array.from(frame), reach) : 0);
  return { primitive, pose, body: bodyOf(primitive, placed, composing, composing + 1.0001 * moving) };
}

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

/** How far a primitive reaches from its middle, without squares. */
const reachOf = (primitive: PlacedPrimitive): number => extentsOf(primitive).reduce((sum, x) => sum + x / 2, 0);

/** How long a primitive is along its axes. */
function extentsOf(primitive: PlacedPrimitive): readonly number[] {
  switch (primitive.shape) {
    case 'box':
      return primitive.size;
    case 'cylinder':
      return [2 * primitive.radius, 2 * primitive.radius, primitive.length];
    case 'capsule':
      return [2 * primitive.radius, 2 * primitive.radius, 2 * primitive.radius + primitive.length];
    default:
      return [2 * primitive.radius, 2 * primitive.radius, 2 * primitive.radius];
  }
}

/** The longest of these. */
export const sizeOfPrimitive = (primitive: PlacedPrimitive): number => Math.max(...extentsOf(primitive));

/** The radius of the largest ball inside a primitive, which may be about its middle. */
export const radiusInside = (primitive: PlacedPrimitive): number => Math.min(...extentsOf(primitive)) / 2;

/** The eight corners of a box where it stands; null of what is round. */
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

/** Lengths of primitives are told apart by this part of their size. */
const RESOLUTION = 1e-12;
/** Poses have been composed: coordinates are as far apart as some roundings of them. */
const COORDINATES = 2 ** -48;

/**
 * What is shorter is as good as nothing between two of which one is a primitive: 1e-12 of the
 * larger one's size, and what rounding makes of poses that are far from the origin.
 *
 * @param sizes of both; `farthest`: no coordinate of either is larger
 */
export const resolutionOf = (sizes: number, farthest: number): number => RESOLUTION * sizes + COORDINATES * farthest;

/** No coordinate of the body is larger. */
export const farthestOf = ({ body }: PrimitiveBody): number =>
  body.reach + Math.max(Math.abs(body.pose[3]), Math.abs(body.pose[7]), Math.abs(body.pose[11]));
