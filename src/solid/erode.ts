/**
 * Whether two solids overlap by no more than a length, where faces that should meet do not quite:
 * told by making one of them smaller, and asking exactly whether the rest still meets the other.
 *
 * A ball of radius r inside b, about x, is in b after b was scaled by s < 1 about a point c, as far
 * as x is concerned: x is there if c + (x - c) / s is in b, which is no farther from x than
 * R (1 - s) / s, R the distance of b's farthest vertex from c. So where that is less than r, the
 * scaled b holds the centre of every such ball; and where its inside does not meet that of a, no such
 * ball is in both. Faces of b that face away from c draw back from what they should only touch.
 *
 * The search for depths (depth-search.ts) measures such slivers too, but along an edge where two
 * faces of both bodies meet it takes thousands of boxes.
 */
import { identity } from '../math/pose.ts';
import { traverse } from '../query/traverse.ts';
import { representationNamed } from '../representations/registry.ts';
import { classify } from './classify.ts';
import { movedVertices, type PlacedBody, placeBody } from './solid.ts';

/** How much of the radius is used, so that roundings have room. */
const PART = 0.75;
/** Bodies of more triangles are not scaled: a tree is built for each. */
const MOST_TRIANGLES = 2 ** 16;

/**
 * @param length the diameter of a ball
 * @returns true where no ball that is wider is inside both; false where that is not told so
 */
export function isNoThicker(a: PlacedBody, b: PlacedBody, length: number): boolean {
  return isApartFromScaled(a, b, length / 2) || isApartFromScaled(b, a, length / 2);
}

function isApartFromScaled(still: PlacedBody, other: PlacedBody, radius: number): boolean {
  const scaled = scaledBody(other, radius);
  if (!scaled) return false;
  const query = {
    poseA: still.pose,
    poseB: scaled.pose,
    all: true,
    maxContacts: Number.POSITIVE_INFINITY,
    level: null,
  };
  const { contacts } = traverse(still.operand, scaled.operand, query);
  const { lie } = classify(still, scaled, contacts.pairs);
  return lie === 'clear' || lie === 'touch';
}

/** A body in its pose, made smaller about the middle of its vertices' box; undefined where it cannot be. */
function scaledBody(placed: PlacedBody, radius: number): PlacedBody | undefined {
  const { triangles } = placed.body.surface;
  if (triangles.length > 3 * MOST_TRIANGLES) return undefined;
  const moved = Float64Array.from(movedVertices(placed));
  const low = [0, 1, 2].map(() => Number.POSITIVE_INFINITY);
  const high = [0, 1, 2].map(() => Number.NEGATIVE_INFINITY);
  for (const v of triangles) {
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k], moved[3 * v + k]);
      high[k] = Math.max(high[k], moved[3 * v + k]);
    }
  }
  const centre = low.map((x, k) => x / 2 + high[k] / 2);
  // Half of this is no less than half of the diagonal, and no vertex is farther than that.
  const far = low.reduce((sum, x, k) => sum + (high[k] - x), 0);
  const size = low.reduce((most, x, k) => Math.max(most, Math.abs(x), Math.abs(high[k])), 0);
  const scale = 1 / (1 + (PART * radius) / far);
  // What is rounded below is far less than what PART leaves.
  if (!(2 ** -44 * size < (1 - PART) * radius && scale > 0.5 && scale < 1)) return undefined;
  for (let k = 0; k < moved.length; k++) moved[k] = centre[k % 3] + scale * (moved[k] - centre[k % 3]);
  const tree = representationNamed('obb')?.over?.({ positions: moved, triangles }, { nodeBytes: 64, take: true });
  return tree && placeBody(tree, identity());
}
