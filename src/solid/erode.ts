/**
 * Whether one solid is nowhere deeper in another than a length, where faces that should meet do not
 * quite: told by making the other smaller, and asking exactly whether the rest still meets the
 * first.
 *
 * Let every vertex of b move by less than r, those at one point together. A point of a triangle
 * moves with its corners, by less than r, too: so the moving surface sweeps nothing that is as far
 * as r from where it was, and b' that is left winds about all of that as often as b did. What is
 * deeper in b than r is in b', with a ball about it; and where the inside of b' does not meet that
 * of a, no point of a is.
 *
 * Vertices move into the solid, below the planes of all their triangles (inward.ts). So every face
 * draws back from what it should only touch, at a concave edge as at a convex one, whatever the
 * solid looks like. A vertex whose triangles leave no way in stays.
 *
 * The search for depths (depth-search.ts) measures such slivers too, but along an edge where two
 * faces of both bodies meet it takes thousands of boxes.
 *
 * Tried before: b as a whole, scaled about its middle. Faces that look towards the middle, as those
 * inside a channel, come nearer to what they touch.
 */
import { identity } from '../math/pose.ts';
import { traverse } from '../query/traverse.ts';
import { representationNamed } from '../representations/kinds.ts';
import { classify } from './classify.ts';
import { inwardAtVertices } from './inward.ts';
import { movedVertices, type PlacedBody, placeBody } from './solid.ts';

/** How much of the length vertices move by, so that roundings have room. */
const PART = 0.75;
/** Bodies of more triangles are not made smaller: a tree is built for each. */
const MOST_TRIANGLES = 2 ** 16;

/**
 * @param length the diameter of a ball
 * @returns true where no ball that is wider is inside both; false where that is not told so
 */
export function isNoThicker(a: PlacedBody, b: PlacedBody, length: number): boolean {
  return isNoDeeper(a, b, length / 2) || isNoDeeper(b, a, length / 2);
}

/**
 * @returns true where no point of `inner` is deeper in `outer` than a length; false where that is
 *   not told so
 */
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

/**
 * A body in its pose, whose vertices have moved inward by less than a length; undefined where it
 * cannot be.
 */
function smallerBody(placed: PlacedBody, length: number): PlacedBody | undefined {
  const { body, pose } = placed;
  const { triangles } = body.surface;
  if (triangles.length > 3 * MOST_TRIANGLES) return undefined;
  const inward = inwardAtVertices(body);
  const moved = movedVertices(placed);
  const positions = Float64Array.from(moved);
  let size = 0;
  // Of vertices at one point all move as the first one that is in use.
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
  // A pose lengthens by 1e-5 at most; that and what is rounded are far less than what PART leaves.
  if (!(2 ** -44 * size < (1 - PART) * length)) return undefined;
  const tree = representationNamed('obb')?.own?.over?.({ positions, triangles }, { take: true });
  return tree && placeBody(tree, identity());
}
