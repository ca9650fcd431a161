/**
 * The descent for queries about one asset by a ray or a point: of a node's children the nearest
 * first, and nothing farther than the best so far.
 */

import type { BoundTree } from '../engine/bound-tree.ts';
import { BOX_NUMBERS } from '../geometry/rounded-box.ts';

/** Results of `visit`: continue everywhere, or stop. */
export const ALL = Number.POSITIVE_INFINITY;
export const ENOUGH = -1;
/** Result of `keyOf` for a bound of no interest. */
export const MISSED = Number.POSITIVE_INFINITY;

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
