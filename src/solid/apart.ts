/**
 * Whether a plane has two bodies on its two sides: then their insides do not meet, however their
 * faces do. Most of what touches in buildings and machines is told so, in a hundredth of the time
 * that classify.ts takes.
 *
 * Planes of triangles in contact are tried, since faces that lie on each other are in one; of bodies
 * of few triangles all planes, which is quicker than to find what is in contact. Every moved vertex
 * is on its side or on the plane, by exact signs; a solid is in the hull of its vertices.
 */
import { orient3d } from '../geometry/orient.ts';
import { isIdentity, movePoint } from '../math/pose.ts';
import type { ContactPair } from '../query/report.ts';
import type { PlacedBody } from './solid.ts';

/** Bodies of more vertices are not tried: it is seldom that a plane parts them. */
const MOST_VERTICES = 512;
/** Planes that are tried, of triangles in contact. */
const MOST_PLANES = 16;
/** Of bodies of no more triangles than this all planes are tried. */
const FEW_TRIANGLES = 64;

/**
 * @param contacts pairs of triangles that share a point, of a and of b; without them the planes of
 *   a body of few triangles are tried
 * @returns false where no such plane was found
 */
export function arePartedByFace(a: PlacedBody, b: PlacedBody, contacts?: readonly ContactPair[]): boolean {
  const bodies = [a, b] as const;
  const sizes = bodies.map(({ body }) => body.surface.positions.length / 3);
  if (Math.max(...sizes) > MOST_VERTICES) return false;
  const vertices = [movedVertices(a), movedVertices(b)] as const;
  const plane = new Float64Array(9);
  for (const side of [0, 1] as const) {
    for (const triangle of contacts ? inContact(contacts, side) : fewTriangles(bodies[side])) {
      plane.set(bodies[side].operand.load(triangle).points.subarray(0, 9));
      const own = sideOf(plane, vertices[side]);
      if (own !== 0 && isOn(plane, vertices[1 - side], -own)) return true;
    }
  }
  return false;
}

/** The first triangles of one side that are in contact. */
function inContact(contacts: readonly ContactPair[], side: 0 | 1): Set<number> {
  const found = new Set<number>();
  for (const pair of contacts) {
    if (found.size >= MOST_PLANES / 2) break;
    found.add(pair[side]);
  }
  return found;
}

/** All triangles of a body that has few of them; none of others. */
function fewTriangles({ body }: PlacedBody): number[] {
  const count = body.surface.triangles.length / 3;
  return count > FEW_TRIANGLES ? [] : Array.from({ length: count }, (_, triangle) => triangle);
}

/** Where each vertex that a triangle has stands; others where they were read. */
export function movedVertices({ body, pose }: PlacedBody): Float64Array {
  const { positions } = body.surface;
  const moved = Float64Array.from(positions);
  if (!isIdentity(pose))
    for (let k = 0; k < moved.length; k += 3)
      movePoint(pose, positions[k], positions[k + 1], positions[k + 2], moved, k);
  return moved;
}

/** The side of a plane that points are on, 1 or -1; 0 where they are on both, or all on the plane. */
function sideOf(plane: Float64Array, points: Float64Array): number {
  let side = 0;
  for (let k = 0; k < points.length; k += 3) {
    const own = orient3d(points, k, plane, 0, plane, 3, plane, 6);
    if (own === 0) continue;
    if (side !== 0 && own !== side) return 0;
    side = own;
  }
  return side;
}

/** Whether points are on one side of a plane, or on it. */
function isOn(plane: Float64Array, points: Float64Array, side: number): boolean {
  for (let k = 0; k < points.length; k += 3)
    if (orient3d(points, k, plane, 0, plane, 3, plane, 6) === -side) return false;
  return true;
}
