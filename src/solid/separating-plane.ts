/**
 * Proves that two bodies touch only from outside, by a plane with the two on its two sides. Or
 * proves that their insides do not meet, by all planes of a convex body.
 *
 * Most contacts in buildings have such a plane; it takes a hundredth of the time of classify.ts.
 * Planes of triangles in contact are tried, since faces that lie on each other share one; of small
 * bodies all planes. Every moved vertex is on its side or on the plane, by exact signs; a solid is
 * in the hull of its vertices.
 */
import type { ContactPair } from '../engine/records.ts';
import { pointAt } from '../geometry/exact-point.ts';
import { orient3d } from '../geometry/orient.ts';
import { isIdentity, movePoint } from '../math/pose.ts';
import { movedVertices, type PlacedBody } from './solid.ts';
import { windingAbout } from './winding.ts';

/** Planes of triangles in contact; each ends at vertices on its two sides. */
const MOST_PLANES = 16;
/** Bodies of up to so many triangles: all planes are tried. */
const FEW_TRIANGLES = 64;

const ABOVE = 1;
const BELOW = 2;
const BOTH = 3;

/** @param contacts triangles that share a point; without them, planes of a small body */
export function arePartedByFace(a: PlacedBody, b: PlacedBody, contacts?: readonly ContactPair[]): boolean {
  const bodies = [a, b] as const;
  const plane = new Float64Array(9);
  for (const side of [0, 1] as const) {
    const [own, other] = [bodies[side], bodies[1 - side]];
    for (const triangle of contacts ? inContact(contacts, side) : fewTriangles(own)) {
      plane.set(own.load(triangle).points.subarray(0, 9));
      const sides = sidesOf(plane, own, BOTH);
      if (sides !== BOTH && sides !== 0 && (sidesOf(plane, other, sides) & sides) === 0) return true;
    }
  }
  return false;
}

function inContact(contacts: readonly ContactPair[], side: 0 | 1): Set<number> {
  const found = new Set<number>();
  for (const pair of contacts) {
    if (found.size >= MOST_PLANES / 2) break;
    found.add(pair[side]);
  }
  return found;
}

function fewTriangles({ body }: PlacedBody): number[] {
  const count = body.surface.triangles.length / 3;
  return count > FEW_TRIANGLES ? [] : Array.from({ length: count }, (_, triangle) => triangle);
}

const vertex = new Float64Array(3);

function sidesOf(plane: Float64Array, { body, pose }: PlacedBody, enough: number): number {
  const { positions } = body.surface;
  const isStill = isIdentity(pose);
  let sides = 0;
  for (let k = 0; k < positions.length; k += 3) {
    if (!isStill) movePoint(pose, positions[k], positions[k + 1], positions[k + 2], vertex, 0);
    const sign = orient3d(isStill ? positions : vertex, isStill ? k : 0, plane, 0, plane, 3, plane, 6);
    if (sign !== 0) sides |= sign > 0 ? ABOVE : BELOW;
    if ((sides & enough) === enough) return sides;
  }
  return sides;
}

/*
 * Proves that the insides of two bodies do not meet if one is convex, as for a window in its wall.
 *
 * A convex body is the inside of all planes of its faces. A triangle on the outer side of a face's
 * plane, or in it, does not reach into that. If this holds for every triangle of the other body,
 * the convex inside is in one cell of the other's surface. One of its points decides: if the other
 * does not wind about it, the insides do not meet. All signs are exact.
 */

/** Larger bodies are not tried: the cost is the planes times the other's corners. */
const MOST_FACE_PLANES = 64;
const MOST_TRIANGLES = 1024;

interface Hull {
  /** Three corners a face, nine numbers each, all turned outward or all inward. */
  faces: Float64Array;
  /** The sign of orient3d for points inside of all faces. */
  inside: number;
  centre: Float64Array;
}

export const arePartedByConvex = (a: PlacedBody, b: PlacedBody): boolean => isOutside(a, b) || isOutside(b, a);

function isOutside(body: PlacedBody, other: PlacedBody): boolean {
  const triangles = other.body.surface.triangles.length / 3;
  const hull = triangles > MOST_TRIANGLES ? null : hullOf(body);
  if (!hull) return false;
  for (let id = 0; id < triangles; id++) if (!isBeyondFace(hull, other.load(id).points)) return false;
  return windingAbout(other, pointAt(hull.centre, 0))?.ahead === 0;
}

function isBeyondFace({ faces, inside }: Hull, points: Float64Array): boolean {
  for (let face = 0; face < faces.length; face += 9) {
    let isBeyond = true;
    for (let p = 0; p < 3 && isBeyond; p++)
      isBeyond = orient3d(points, 3 * p, faces, face, faces, face + 3, faces, face + 6) !== inside;
    if (isBeyond) return true;
  }
  return false;
}

/** Null if the body is not convex, too large, or has a face without area. */
function hullOf(placed: PlacedBody): Hull | null {
  const { surface, shells } = placed.body;
  const triangles = surface.triangles.length / 3;
  if (triangles > MOST_FACE_PLANES || shells.count !== 1) return null;
  const moved = movedVertices(placed);
  const faces = new Float64Array(9 * triangles);
  const centre = new Float64Array(3);
  for (let c = 0; c < surface.triangles.length; c++) {
    for (let axis = 0; axis < 3; axis++) {
      const x = moved[3 * surface.triangles[c] + axis];
      faces[3 * c + axis] = x;
      centre[axis] += x / surface.triangles.length;
    }
  }
  let inside = 0;
  for (let face = 0; face < faces.length; face += 9) {
    const side = orient3d(centre, 0, faces, face, faces, face + 3, faces, face + 6);
    if (side === 0 || (inside !== 0 && side !== inside)) return null;
    inside = side;
    for (let corner = 0; corner < faces.length; corner += 3)
      if (orient3d(faces, corner, faces, face, faces, face + 3, faces, face + 6) === -inside) return null;
  }
  return { faces, inside, centre };
}
