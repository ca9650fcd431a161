/**
 * Checks two k-DOP trees in integers that doubles hold exactly. kernel.ts replaces this for many
 * queries, unless a level is given.
 *
 * Source: Raabe et al. 2006, sections 4.2 and 5. A pair of nodes is dropped if eq. 22 is positive
 * on one of n axes; otherwise the larger node is opened. Pairs of leaves get the exact triangle
 * test. The axes are prepared once per pose in projection.ts, which proves that nothing is missed.
 *
 * Departure from the paper: the image of a node on an axis depends on the pose, but not on the
 * other node. So it is computed once per query and kept. On bunnies in contact a node's image is
 * used 6 times if all contacts are wanted, 3 times for the first. At its peak a stack holds 10
 * pairs, a queue 35 (medians; at most 15 and 149; bench/kdop-check.mjs).
 */

import { childAfter, requirePairs } from '../../../engine/bound-tree.ts';
import { beginQuery, createMovedTriangle, loadTriangle } from '../../../engine/narrow-phase.ts';
import type { OnVisit, Outcome, Query } from '../../../engine/records.ts';
import { ContactList, isLate } from '../../../engine/records.ts';
import { trianglesIntersectAt } from '../../../geometry/triangle-triangle.ts';
import { isLeaf, type KdopTree, target } from '../tree/kdop-tree.ts';
import { type AxisSet, axesFor, axisSet, createAxisSet, prepareAxis, project, type Side } from './projection.ts';

/** Images of one side's nodes in this query; node i can only be in slot i modulo SLOTS. */
interface Images {
  /** The lower end and the negated upper end of the image on each axis. */
  ends: Float64Array;
  node: Int32Array;
  query: Int32Array;
  count: Uint8Array;
  size: Float64Array;
}

const SLOTS = 1 << 12;
const BLOCK = 12;
/** Axes that order first contacts. Bound tests: 135 with 6, 134 with all, 170 unordered. */
const GAP_AXES = 6;
const ENDS = 52;

const createImages = (): Images => ({
  ends: new Float64Array(ENDS * SLOTS),
  node: new Int32Array(SLOTS),
  query: new Int32Array(SLOTS),
  count: new Uint8Array(SLOTS),
  size: new Float64Array(SLOTS),
});
const imagesA = createImages();
const imagesB = createImages();
let queries = 0;

function slotOf(images: Images, side: Side, node: number): number {
  const slot = node & (SLOTS - 1);
  if (images.node[slot] === node && images.query[slot] === queries) return slot;
  images.node[slot] = node;
  images.query[slot] = queries;
  images.count[slot] = 0;
  const { coefficients, k } = side.tree;
  const half = k / 2;
  let size = 0;
  for (let i = k * node; i < k * node + half; i++) {
    const width = coefficients[i] + coefficients[i + half];
    if (width > size) size = width;
  }
  images.size[slot] = size * side.quantum;
  return slot;
}

/** Gap of two nodes on the axes tested last, in units u; negative: greatest possible depth. */
let gap = 0;

/** Tests eq. 22 on the axes in order. True if one separates the nodes in the two slots. */
function separated(
  set: AxisSet,
  slotA: number,
  nodeA: number,
  slotB: number,
  nodeB: number,
  ordered: boolean,
): boolean {
  const endsA = imagesA.ends;
  const endsB = imagesB.ends;
  const a = ENDS * slotA;
  const b = ENDS * slotB;
  const { count } = set;
  for (let known = 0; known < count; ) {
    const end = known + BLOCK < count ? known + BLOCK : count;
    if (imagesA.count[slotA] < end) {
      while (set.prepared < end) prepareAxis(set);
      project(set.a, set.a.tree.k * nodeA, known, end, endsA, a);
      // a's images include p, so eq. 22 is one sum per side.
      for (let i = known; i < end; i++) {
        endsA[a + 2 * i] += set.below[i];
        endsA[a + 2 * i + 1] -= set.above[i];
      }
      imagesA.count[slotA] = end;
    }
    if (imagesB.count[slotB] < end) {
      project(set.b, set.b.tree.k * nodeB, known, end, endsB, b);
      imagesB.count[slotB] = end;
    }
    for (let i = 2 * known; i < 2 * end; i += 2) {
      const diff1 = endsA[a + i] + endsB[b + i + 1];
      const diff2 = endsA[a + i + 1] + endsB[b + i];
      if (diff1 > 0 || diff2 > 0) return true;
    }
    known = end;
  }
  if (!ordered) return false;
  let widest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < 2 * GAP_AXES && i < 2 * count; i += 2) {
    const diff1 = endsA[a + i] + endsB[b + i + 1];
    const diff2 = endsA[a + i + 1] + endsB[b + i];
    widest = Math.max(widest, diff1, diff2);
  }
  gap = widest;
  return false;
}

const loadedA = createMovedTriangle();
const loadedB = createMovedTriangle();

let axes: AxisSet | undefined;

/** Opens both nodes up to this ratio: 9 % faster than always the larger alone; 6 is no better. */
const RATIO = 2;

const PAIR = 4;
const gaps = new Float64Array(4);
let stack = new Int32Array(PAIR * 128);

export interface Trial {
  mappingBits?: number;
  isQueue?: boolean;
  peak?: number;
}

/** Relates the trees in the poses and forgets all images; null if the scales are too far apart. */
function begin(a: KdopTree, b: KdopTree, { poseA, poseB, own }: Query, trial: Trial): AxisSet | null {
  axes ??= createAxisSet(a, b);
  const set = axisSet(a, b, poseA, poseB, axesFor(a, b, own?.axes), trial.mappingBits, axes);
  queries = (queries + 1) | 0;
  beginQuery(loadedA, poseA);
  beginQuery(loadedB, poseB);
  return set;
}

/** Tests ranges of nodes, and pushes the pairs that overlap, if `ordered` the deepest last. */
function push(
  set: AxisSet,
  onVisit: OnVisit | undefined,
  top: number,
  firstA: number,
  lastA: number,
  firstB: number,
  lastB: number,
  levelA: number,
  levelB: number,
  ordered: boolean,
): number {
  if (top + 4 * PAIR > stack.length) {
    const bigger = new Int32Array(2 * stack.length);
    bigger.set(stack);
    stack = bigger;
  }
  let end = top;
  for (let i = firstA; i <= lastA; i++) {
    const slotI = slotOf(imagesA, set.a, i);
    for (let j = firstB; j <= lastB; j++) {
      const isApart = separated(set, slotI, i, slotOf(imagesB, set.b, j), j, ordered);
      if (onVisit !== undefined) onVisit({ kind: 'nodes', a: i, b: j, levelA, levelB, isApart });
      if (isApart) continue;
      let at = end;
      for (; ordered && at > top && gaps[(at - top) / PAIR - 1] < gap; at -= PAIR) {
        stack.copyWithin(at, at - PAIR, at);
        gaps[(at - top) / PAIR] = gaps[(at - top) / PAIR - 1];
      }
      gaps[(at - top) / PAIR] = gap;
      stack[at] = i;
      stack[at + 1] = j;
      stack[at + 2] = levelA;
      stack[at + 3] = levelB;
      end += PAIR;
    }
  }
  return end;
}

/** Checks two k-DOP trees in their poses. Returns undefined if no common unit fits both scales. */
export function checkKdopTrees(a: KdopTree, b: KdopTree, query: Query, trial: Trial = {}): Outcome | undefined {
  const set = begin(a, b, query, trial);
  if (set === null) return undefined;
  const isQueue = trial.isQueue ?? false;
  const { onVisit } = query;
  const ordered = !query.all;
  const limit = query.level ?? Number.POSITIVE_INFINITY;
  const linksA = a.links;
  const linksB = b.links;
  const contacts = new ContactList(query);
  let bounds = 1;
  let hulls = 0;
  let deepest = 0;
  let isUndecided = false;
  let head = 0;
  let top = push(set, onVisit, 0, 0, 0, 0, 0, 0, 0, ordered);
  let peak = 0;
  for (let steps = 0; top > head; steps++) {
    if (top - head > peak) peak = top - head;
    if (isLate(query.deadline, steps)) {
      isUndecided = true;
      break;
    }
    const at = isQueue ? head : top - PAIR;
    if (isQueue) head += PAIR;
    else top = at;
    const nodeA = stack[at];
    const nodeB = stack[at + 1];
    const levelA = stack[at + 2];
    const levelB = stack[at + 3];
    const linkA = linksA[nodeA];
    const linkB = linksB[nodeB];
    if (isLeaf(linkA) && isLeaf(linkB)) {
      hulls++;
      if (onVisit !== undefined) onVisit({ kind: 'hulls', a: target(linkA), b: target(linkB) });
      loadTriangle(loadedA, a, target(linkA));
      loadTriangle(loadedB, b, target(linkB));
      if (!trianglesIntersectAt(loadedA.corners, 0, loadedB.corners, 0)) continue;
      if (!contacts.add(target(linkA), target(linkB))) break;
      continue;
    }
    const opensA = !isLeaf(linkA) && levelA < limit;
    const opensB = !isLeaf(linkB) && levelB < limit;
    if (!opensA && !opensB) {
      isUndecided = true;
      break;
    }
    const sizeA = imagesA.size[slotOf(imagesA, set.a, nodeA)];
    const sizeB = imagesB.size[slotOf(imagesB, set.b, nodeB)];
    const takesA = opensA && (!opensB || RATIO * sizeA >= sizeB);
    const takesB = opensB && (!opensA || RATIO * sizeB >= sizeA);
    requirePairs(bounds, linksA.length, linksB.length);
    const firstA = takesA ? childAfter(nodeA, target(linkA)) : nodeA;
    const firstB = takesB ? childAfter(nodeB, target(linkB)) : nodeB;
    const nextA = takesA ? levelA + 1 : levelA;
    const nextB = takesB ? levelB + 1 : levelB;
    deepest = Math.max(deepest, nextA, nextB);
    bounds += (takesA ? 2 : 1) * (takesB ? 2 : 1);
    const lastA = firstA + Number(takesA);
    const lastB = firstB + Number(takesB);
    top = push(set, onVisit, top, firstA, lastA, firstB, lastB, nextA, nextB, ordered);
  }
  trial.peak = peak / PAIR;
  return contacts.outcome({ level: deepest, bounds, hulls, isUndecided });
}
