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

/** Planes that are tried, of triangles in contact: each is done with at vertices on its two sides. */
const MOST_PLANES = 16;
/** Of bodies of no more triangles than this all planes are tried. */
const FEW_TRIANGLES = 64;

/** The sides of a plane. */
const ABOVE = 1;
const BELOW = 2;
const BOTH = 3;

/**
 * @param contacts pairs of triangles that share a point, of a and of b; without them the planes of
 *   a body of few triangles are tried
 * @returns false where no such plane was found
 */
export function arePartedByFace(a: PlacedBody, b: PlacedBody, contacts?: readonly ContactPair[]): boolean {
  const bodies = [a, b] as const;
  const plane = new Float64Array(9);
  for (const side of [0, 1] as const) {
    const [own, other] = [bodies[side], bodies[1 - side]];
    for (const triangle of contacts ? inContact(contacts, side) : fewTriangles(own)) {
      plane.set(own.operand.load(triangle).points.subarray(0, 9));
      const sides = sidesOf(plane, own, BOTH);
      if (sides !== BOTH && sides !== 0 && (sidesOf(plane, other, sides) & sides) === 0) return true;
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

const vertex = new Float64Array(3);

/**
 * The sides of a plane that a body's vertices are on, not on it; no others are looked for once
 * `enough` are found.
 */
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
