/**
 * Proves that one solid is nowhere deeper in another than a length, for faces that should meet but
 * overlap slightly. It shrinks the other solid and tests exactly if the rest still meets the first.
 *
 * Let every vertex of b move by less than r, coincident ones together. A point of a triangle moves
 * with its corners, by less than r, too. So the moving surface sweeps nothing that is as far as r
 * from its old place, and the remaining b' winds about all of that as often as b did. Points deeper
 * in b than r are in b', with a ball about them. If the inside of b' does not meet that of a, none
 * of these points is in a.
 *
 * Vertices move into the solid, below the planes of all their triangles (inward.ts). So every face
 * retreats from faces that it should only touch, at concave and convex edges alike. A vertex whose
 * triangles leave no way in stays.
 *
 * The search for depths (depth-search.ts) measures such slivers too, but needs thousands of cells
 * along an edge where two faces of both bodies meet. Tried: b as a whole, scaled about its middle.
 * Faces that look toward the middle, as inside a channel, come nearer to what they touch.
 */

import { traverse } from '../engine/traverse.ts';
import { identity } from '../math/pose.ts';
import { representationNamed } from '../representations/kinds.ts';
import { classify } from './classify.ts';
import { inwardAtVertices } from './inward.ts';
import { movedVertices, type PlacedBody, placeBody } from './solid.ts';

/** Vertices move by this part of the length, to leave room for rounding. */
const PART = 0.75;
/** Larger bodies are not shrunk: a tree is built for each. */
const MOST_TRIANGLES = 2 ** 16;

/** True if no ball wider than `length` is inside both; false if undecided. */
export function isNoThicker(a: PlacedBody, b: PlacedBody, length: number): boolean {
  return isNoDeeper(a, b, length / 2) || isNoDeeper(b, a, length / 2);
}

/** True if no point of `inner` is deeper in `outer` than a length; false if undecided. */
export function isNoDeeper(inner: PlacedBody, outer: PlacedBody, length: number): boolean {
  const smaller = smallerBody(outer, length);
  if (!smaller) return false;
  const query = {
    poseA: inner.pose,
    poseB: smaller.pose,
    all: true,
    maxContacts: Number.POSITIVE_INFINITY,
    level: null,
  };
  const { contacts } = traverse(inner.operand, smaller.operand, query);
  const { lie } = classify(inner, smaller, contacts.pairs);
  return lie === 'clear' || lie === 'touch';
}

/** Moves vertices inward by less than a length; undefined if that is impossible. */
function smallerBody(placed: PlacedBody, length: number): PlacedBody | undefined {
  const { body, pose } = placed;
  const { triangles } = body.surface;
  if (triangles.length > 3 * MOST_TRIANGLES) return undefined;
  const inward = inwardAtVertices(body);
  const moved = movedVertices(placed);
  const positions = Float64Array.from(moved);
  let size = 0;
  // Coincident vertices move as the first one in use.
  const { corners } = body.shells;
  for (let c = 0; c < triangles.length; c++) {
    const v = 3 * corners[c];
    const to = 3 * triangles[c];
    for (let k = 0; k < 3; k++) {
      const by = pose[4 * k] * inward[v] + pose[4 * k + 1] * inward[v + 1] + pose[4 * k + 2] * inward[v + 2];
      positions[to + k] = moved[to + k] + PART * length * by;
      size = Math.max(size, Math.abs(moved[to + k]));
    }
  }
  // A pose lengthens by up to 1e-5; with rounding that is far less than PART leaves.
  if (!(2 ** -44 * size < (1 - PART) * length)) return undefined;
  const tree = representationNamed('obb')?.own?.over?.({ positions, triangles }, { take: true });
  return tree && placeBody(tree, identity());
}
