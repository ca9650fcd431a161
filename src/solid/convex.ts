/**
 * Whether two bodies, one of them convex, do not meet with their insides: what fills an opening, as
 * a window does in its wall, is told so, where no single plane has the two on its two sides.
 *
 * A convex body is what is inside of all planes of its faces. A triangle that a face's plane has on
 * its outer side, or in it, does not reach into that. Where this holds of every triangle of the other
 * body, the convex one's inside is in one cell of the other's surface. One point of it tells in
 * which: if the other does not wind about it, the insides do not meet. All signs are exact.
 */
import { pointAt } from '../geometry/exact-point.ts';
import { orient3d } from '../geometry/orient.ts';
import { movedVertices, type PlacedBody } from './solid.ts';
import { windingAbout } from './winding.ts';

/** A convex body of more triangles is not tried: it is its planes times the other's corners. */
const MOST_PLANES = 64;
/** Likewise of the other body. */
const MOST_TRIANGLES = 1024;

/** A convex body as it stands. */
interface Hull {
  /** Three corners a face, nine numbers each, all of them turned outward or all inward. */
  faces: Float64Array;
  /** The sign that orient3d gives for points inside of all faces. */
  inside: number;
  /** A point inside. */
  centre: Float64Array;
}

/**
 * Whether one of the two is convex and has nothing of the other inside, nor is inside of it.
 *
 * @param a it encloses something, as isFull knows; so does b
 * @returns false where it could not be told so
 */
export const arePartedByConvex = (a: PlacedBody, b: PlacedBody): boolean => isOutside(a, b) || isOutside(b, a);

/** Whether `other` is outside of a body that is convex. */
function isOutside(body: PlacedBody, other: PlacedBody): boolean {
  const triangles = other.body.surface.triangles.length / 3;
  const hull = triangles > MOST_TRIANGLES ? null : hullOf(body);
  if (!hull) return false;
  for (let id = 0; id < triangles; id++) if (!isBeyondFace(hull, other.operand.load(id).points)) return false;
  return windingAbout(other, pointAt(hull.centre, 0))?.ahead === 0;
}

/** Whether some face's plane has three points on it, or on the side where the hull is not. */
function isBeyondFace({ faces, inside }: Hull, points: Float64Array): boolean {
  for (let face = 0; face < faces.length; face += 9) {
    let isBeyond = true;
    for (let p = 0; p < 3 && isBeyond; p++)
      isBeyond = orient3d(points, 3 * p, faces, face, faces, face + 3, faces, face + 6) !== inside;
    if (isBeyond) return true;
  }
  return false;
}

/** A body as a hull; null where it is not convex, or is too large, or has a face without area. */
function hullOf(placed: PlacedBody): Hull | null {
  const { surface, shells } = placed.body;
  const triangles = surface.triangles.length / 3;
  if (triangles > MOST_PLANES || shells.count !== 1) return null;
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
