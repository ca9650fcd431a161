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
 * Vertices move into the solid, below the planes of all their triangles (`belowAll`). So every
 * face retreats from faces that it should only touch, at concave and convex edges alike. A vertex
 * whose triangles leave no way in stays.
 *
 * The search for depths (depth-search.ts) measures such slivers too, but needs thousands of cells
 * along an edge where two faces of both bodies meet. Tried: b as a whole, scaled about its middle.
 * Faces that look toward the middle, as inside a channel, come nearer to what they touch.
 */
import { traverse } from '../engine/traverse.ts';
import { triangleNormal } from '../geometry/triangle.ts';
import { identity } from '../math/pose.ts';
import { representationNamed } from '../representations/kinds.ts';
import { classify } from './classify.ts';
import { type Body, movedVertices, type PlacedBody, placeBody, trianglesAround, volumeIn } from './solid.ts';

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

/*
 * Finds steep ways into a solid from points of its surface, below the planes of all triangles
 * there. Their quality does not matter: results are proved afterwards.
 */

const MOST_STEPS = 32;
/** A hull of normals as near to 0 as this has no way in. */
const LEAST_SLOPE = 2 ** -16;

/**
 * Returns a unit direction below planes with these unit normals: from the point of their hull
 * nearest to 0, toward 0. Undefined if there is none. E. Gilbert, "An iterative procedure for
 * computing the minimum of a quadratic form on a convex set", 1966.
 *
 * @example belowAll([[0, 0, 1]]) // [0, 0, -1]
 */
export function belowAll(normals: readonly (readonly number[])[]): number[] | undefined {
  if (normals.length === 0) return undefined;
  const p = [0, 1, 2].map((k) => normals.reduce((sum, n) => sum + n[k], 0) / normals.length);
  for (let step = 0; step < MOST_STEPS; step++) {
    let least = Number.POSITIVE_INFINITY;
    let lowest = normals[0];
    for (const n of normals) {
      const along = dot(n, p);
      if (along >= least) continue;
      least = along;
      lowest = n;
    }
    const square = dot(p, p);
    if (square - least <= 0.01 * square) break;
    const by = lowest.map((x, k) => x - p[k]);
    const part = Math.min(1, (square - least) / dot(by, by));
    for (let k = 0; k < 3; k++) p[k] += part * by[k];
  }
  const length = Math.sqrt(dot(p, p));
  const isSteep = length > LEAST_SLOPE && normals.every((n) => dot(n, p) > LEAST_SLOPE * length);
  return isSteep ? p.map((x) => -x / length) : undefined;
}

const dot = (p: readonly number[], q: readonly number[]): number => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];

/** x, y, z for each joined vertex, in the asset's frame; 0 if there is no way in. */
function inwardAtVertices(body: Body): Float64Array {
  if (body.inward) return body.inward;
  const { surface } = body;
  const { firstAround, around } = trianglesAround(body);
  const normals = trianglesNormals(body);
  const inward = new Float64Array(surface.positions.length);
  for (let v = 0; v + 1 < firstAround.length; v++) {
    const own: number[][] = [];
    for (let i = firstAround[v]; i < firstAround[v + 1]; i++) {
      const normal = normals[around[i]];
      if (normal) own.push(normal);
    }
    const way = belowAll(own);
    if (way) inward.set(way, 3 * v);
  }
  body.inward = inward;
  return inward;
}

/** Directions away from the solid; undefined for triangles without area. */
function trianglesNormals(body: Body): (number[] | undefined)[] {
  const { positions, triangles } = body.surface;
  const isInsideOut = volumeIn(body) < 0;
  const corners = new Float64Array(9);
  return Array.from({ length: triangles.length / 3 }, (_, t) => {
    for (let c = 0; c < 9; c++) corners[c] = positions[3 * triangles[3 * t + Math.floor(c / 3)] + (c % 3)];
    const normal = triangleNormal(corners);
    return isInsideOut ? normal?.map((x) => -x) : normal;
  });
}
