/**
 * Proves that two bodies touch only from outside, by a plane that has them on its two sides.
 *
 * Most contacts in buildings are of this kind; it takes a hundredth of the time of classify.ts.
 * Planes of triangles in contact are tried, since faces that lie on each other share one; of small
 * bodies all planes. Every moved vertex is on its side or on the plane, by exact signs; a solid is
 * in the hull of its vertices.
 */

import type { ContactPair } from '../engine/records.ts';
import { orient3d } from '../geometry/orient.ts';
import { isIdentity, movePoint } from '../math/pose.ts';
import type { PlacedBody } from './solid.ts';

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
      plane.set(own.operand.load(triangle).points.subarray(0, 9));
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
