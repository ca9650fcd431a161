/**
 * Finds triangles of an asset that a ray may meet. The descent visits the nearest of a node's
 * children first, and nothing farther than the best so far.
 */
import type { BoundTree } from '../engine/bound-tree.ts';
import { type RelativePose, relativePose } from '../engine/pair-kernel.ts';
import type { Operand } from '../engine/traverse.ts';
import { BOX_NUMBERS } from '../geometry/rounded-box.ts';
import { identity, isIdentity, type Pose } from '../math/pose.ts';

/** Results of `visit`: continue everywhere, or stop. */
export const ALL = Number.POSITIVE_INFINITY;
export const ENOUGH = -1;
/** Result of `keyOf` for a bound of no interest. */
const MISSED = Number.POSITIVE_INFINITY;

let nodes = new Int32Array(256);
let keys = new Float64Array(256);

/**
 * @param keyOf a lower bound of the distance of a bound at an offset, from 0
 * @param visit returns the distance up to which to continue
 */
export function walk(
  tree: BoundTree,
  keyOf: (bounds: Float64Array, at: number) => number,
  visit: (id: number) => number,
  farthest: number,
): void {
  let most = farthest;
  let top = 0;
  const ofRoot = keyOf(tree.bounds, 0);
  if (ofRoot !== MISSED && !(ofRoot > most)) {
    nodes[0] = 0;
    keys[0] = ofRoot;
    top = 1;
  }
  while (top > 0) {
    const node = nodes[--top];
    if (keys[top] > most) continue;
    if (tree.isLeaf(node)) {
      const first = ~tree.link[node];
      for (let id = first; id < first + tree.count[node]; id++) {
        most = Math.min(most, visit(id));
        if (most < 0) return;
      }
      continue;
    }
    const first = tree.firstChild(node);
    const end = first + tree.count[node];
    if (top + end - first > nodes.length) grow(top + end - first);
    const bottom = top;
    for (let child = first; child < end; child++) {
      const key = keyOf(tree.bounds, BOX_NUMBERS * child);
      if (key === MISSED || key > most) continue;
      // Insertion, the nearest on top.
      let place = top++;
      for (; place > bottom && keys[place - 1] < key; place--) {
        keys[place] = keys[place - 1];
        nodes[place] = nodes[place - 1];
      }
      keys[place] = key;
      nodes[place] = child;
    }
  }
}

function grow(room: number): void {
  const [oldNodes, oldKeys] = [nodes, keys];
  nodes = new Int32Array(2 * room);
  keys = new Float64Array(2 * room);
  nodes.set(oldNodes);
  keys.set(oldKeys);
}

/*
 * Finds triangles of an asset that a ray may meet, those of nearer bounds first.
 *
 * The ray is moved into the asset's frame once, and meets a bound as slabs along the bound's own
 * axes: T. Kay, J. Kajiya, "Ray Tracing Complex Scenes", SIGGRAPH 1986.
 *
 * Nothing is missed. A moved point y = A x + e on the ray o + t r has x within the slack of
 *   T o + t T r, T = A^-1 (engine/pair-kernel.ts)
 * For such t, t |T r| is no more than twice `sizes`: the distances of x and o from the frame's
 * origin. Products with an axis and with T r are off by some 2^-50 of that, which `spare` holds
 * many times; the quotients by less. So t is in the computed interval of every slab. Axes are of
 * length 1 and orthogonal but for 1e-5, which adds that part of all extents; SKEW is more.
 */

export interface Target {
  operand: Operand;
  pose: Pose;
  /** From the common frame to its own. */
  toOwn: RelativePose;
}

const UNMOVED = identity();

export const targetOf = (operand: Operand, pose: Pose): Target => ({
  operand,
  pose,
  toOwn: relativePose(pose, UNMOVED, operand.reach, 0),
});

/** Near (x, y, z), each within `error`. */
interface Start {
  x: number;
  y: number;
  z: number;
  error: number;
}

/** The part of the others' extents along an axis. */
export const SKEW = 2 ** -14;

const own = new Float64Array(7);
const SPARE = 6;

/**
 * Visits a superset of the triangles that a ray may meet, nearer bounds first.
 *
 * @param ray three numbers, a few thousands at most, not all 0; its length is the unit of the
 *   results of `visit`
 */
export function alongRay(
  target: Target,
  start: Start,
  ray: ArrayLike<number>,
  visit: (id: number) => number,
  farthest = ALL,
): void {
  takeIn(target, start, ray);
  walk(target.operand.tree, entry, visit, farthest);
}

function takeIn({ operand, pose, toOwn }: Target, { x, y, z, error }: Start, ray: ArrayLike<number>): void {
  const { map, slack } = toOwn;
  const isStill = isIdentity(pose);
  for (let k = 0; k < 3; k++) {
    const m = 4 * k;
    own[k] = isStill ? [x, y, z][k] : map[m] * x + map[m + 1] * y + map[m + 2] * z + map[m + 3];
    own[3 + k] = isStill ? ray[k] : map[m] * ray[0] + map[m + 1] * ray[1] + map[m + 2] * ray[2];
  }
  const moves = Math.abs(pose[3]) + Math.abs(pose[7]) + Math.abs(pose[11]);
  const sizes = operand.reach + moves + Math.abs(x) + Math.abs(y) + Math.abs(z);
  own[SPARE] = slack + 2 * error + 2 ** -44 * sizes + 2 ** -900;
}

/** A lower bound of where the ray enters a bound; MISSED if it does not. */
function entry(box: Float64Array, at: number): number {
  const x = box[at] - own[0];
  const y = box[at + 1] - own[1];
  const z = box[at + 2] - own[2];
  const u = own[3];
  const v = own[4];
  const w = own[5];
  const h0 = box[at + 7];
  const h1 = box[at + 11];
  const h2 = box[at + 15];
  const more = own[SPARE] + box[at + 3] + SKEW * (box[at + 3] + h0 + h1 + h2);
  let low = 0;
  let high = Number.POSITIVE_INFINITY;
  for (let k = at + 4; k < at + 16; k += 4) {
    const a = box[k];
    const b = box[k + 1];
    const c = box[k + 2];
    const away = a * x + b * y + c * z;
    const along = a * u + b * v + c * w;
    const reach = box[k + 3] + more;
    if (along === 0) {
      if (Math.abs(away) > reach) return MISSED;
      continue;
    }
    const inverse = 1 / along;
    const to = (away - reach) * inverse;
    const from = (away + reach) * inverse;
    const near = along > 0 ? to : from;
    const far = along > 0 ? from : to;
    if (near > low) low = near;
    if (far < high) high = far;
    if (low > high) return MISSED;
  }
  return low;
}
