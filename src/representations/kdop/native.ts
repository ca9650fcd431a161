/**
 * Two k-DOP trees against each other, in whole numbers.
 *
 * Raabe et al. 2006, sections 4.2 and 5: a stack of pairs of nodes; a pair is dropped when eq. 22 is positive on one of n axes, otherwise
 * the larger node is opened; pairs of leaves take the exact triangle test, and contacts are handed out as they are found. What is
 * tested on an axis was prepared once for the pose (projection.ts, where it is proved that nothing is missed).
 *
 * Departure: the image of a node on an axis depends on the pose but not on the other node, so it is computed once and kept while the query
 * lasts, axes in their fixed order, as many as were needed. IMAGES
 */
import { trianglesIntersectAt } from '../../geometry/triangle-triangle.ts';
import { beginQuery, createMovedTriangle, loadTriangle } from '../../query/moved-triangle.ts';
import { ContactList, type Outcome, type Query } from '../../query/report.ts';
import { isLeaf, type KdopTree, quantumOf, target } from './kdop-tree.ts';
import { type AxisSet, axisSet, prepareAxis, project, type Side } from './projection.ts';

/** The images that one side's nodes have had in this query. Node i can only be in slot i modulo SLOTS. */
interface Images {
  /** Lower end, and minus the upper end, of the image on each axis. */
  ends: Float64Array;
  /** Which node of which query a slot holds, and on how many axes. */
  node: Int32Array;
  query: Int32Array;
  count: Uint8Array;
  /** The largest width of the node, model units. */
  size: Float64Array;
}

const SLOTS = 1 << 12;
/** Numbers of a slot: room for 26 axes. */
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

function slotOf(images: Images, side: Side, quantum: number, node: number): number {
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
  images.size[slot] = size * quantum;
  return slot;
}

/** How far apart, or if negative how deep in each other at most, two nodes were on the axes last tested, in units u. */
let gap = 0;

/** Eq. 22 on the axes in order: whether one of them separates the nodes in the two slots. */
function separated(set: AxisSet, slotA: number, nodeA: number, slotB: number, nodeB: number): boolean {
  const endsA = imagesA.ends;
  const endsB = imagesB.ends;
  const { below, above, count } = set;
  const a = ENDS * slotA;
  const b = ENDS * slotB;
  gap = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    if (i === set.prepared) prepareAxis(set);
    if (i === imagesA.count[slotA]) {
      project(set.a, set.a.tree.k * nodeA, i, endsA, a + 2 * i);
      imagesA.count[slotA]++;
    }
    if (i === imagesB.count[slotB]) {
      project(set.b, set.b.tree.k * nodeB, i, endsB, b + 2 * i);
      imagesB.count[slotB]++;
    }
    const diff1 = endsA[a + 2 * i] + endsB[b + 2 * i + 1] + below[i];
    const diff2 = endsB[b + 2 * i] + endsA[a + 2 * i + 1] - above[i];
    const diff = diff1 > diff2 ? diff1 : diff2;
    if (diff > gap) gap = diff;
    if (diff > 0) return true;
  }
  return false;
}

const loadedA = createMovedTriangle();
const loadedB = createMovedTriangle();

/** Pending pairs: node of a, node of b, level of a's and of b's. */
const PAIR = 4;
let stack = new Int32Array(PAIR * 128);

/** Checks two k-DOP trees in their poses; undefined where their scales are too far apart for common units. */
export function checkKdopTrees(a: KdopTree, b: KdopTree, query: Query): Outcome | undefined {
  const { poseA, poseB, all, maxContacts } = query;
  const set = axisSet(a, b, poseA, poseB, query.axes ?? (a.k + b.k) / 2);
  if (set === null) return undefined;
  queries = (queries + 1) | 0;
  beginQuery(loadedA, poseA);
  beginQuery(loadedB, poseB);
  const limit = query.level ?? Number.POSITIVE_INFINITY;
  const quantumA = quantumOf(a);
  const quantumB = quantumOf(b);
  const linksA = a.links;
  const linksB = b.links;
  const contacts = new ContactList();
  let bounds = 1;
  let hulls = 0;
  let deepest = 0;
  let undecided = false;
  let cut = false;
  let top = 0;
  if (!separated(set, slotOf(imagesA, set.a, quantumA, 0), 0, slotOf(imagesB, set.b, quantumB, 0), 0)) {
    stack.fill(0, 0, PAIR);
    top = PAIR;
  }
  while (top > 0) {
    top -= PAIR;
    const nodeA = stack[top];
    const nodeB = stack[top + 1];
    const levelA = stack[top + 2];
    const levelB = stack[top + 3];
    const linkA = linksA[nodeA];
    const linkB = linksB[nodeB];
    if (isLeaf(linkA) && isLeaf(linkB)) {
      hulls++;
      loadTriangle(loadedA, a, target(linkA));
      loadTriangle(loadedB, b, target(linkB));
      if (!trianglesIntersectAt(loadedA.corners, 0, loadedB.corners, 0)) continue;
      if (contacts.count === maxContacts) {
        cut = true;
        break;
      }
      contacts.add(target(linkA), target(linkB));
      if (!all) break;
      continue;
    }
    const opensA = !isLeaf(linkA) && levelA < limit;
    const opensB = !isLeaf(linkB) && levelB < limit;
    if (!opensA && !opensB) {
      undecided = true;
      break;
    }
    if (top + 2 * PAIR > stack.length) {
      const bigger = new Int32Array(2 * stack.length);
      bigger.set(stack);
      stack = bigger;
    }
    bounds += 2;
    const slotA = slotOf(imagesA, set.a, quantumA, nodeA);
    const slotB = slotOf(imagesB, set.b, quantumB, nodeB);
    const isA = opensA && (!opensB || imagesA.size[slotA] >= imagesB.size[slotB]);
    const first = target(isA ? linkA : linkB);
    let misses0: boolean;
    let misses1: boolean;
    let gap0: number;
    if (isA) {
      misses0 = separated(set, slotOf(imagesA, set.a, quantumA, first), first, slotB, nodeB);
      gap0 = gap;
      misses1 = separated(set, slotOf(imagesA, set.a, quantumA, first + 1), first + 1, slotB, nodeB);
      if (levelA >= deepest) deepest = levelA + 1;
    } else {
      misses0 = separated(set, slotA, nodeA, slotOf(imagesB, set.b, quantumB, first), first);
      gap0 = gap;
      misses1 = separated(set, slotA, nodeA, slotOf(imagesB, set.b, quantumB, first + 1), first + 1);
      if (levelB >= deepest) deepest = levelB + 1;
    }
    // The deeper of two is popped first.
    const last = gap0 < gap ? 0 : 1;
    for (let turn = 0; turn < 2; turn++) {
      const child = turn === 0 ? 1 - last : last;
      if (child === 0 ? misses0 : misses1) continue;
      stack[top] = isA ? first + child : nodeA;
      stack[top + 1] = isA ? nodeB : first + child;
      stack[top + 2] = isA ? levelA + 1 : levelA;
      stack[top + 3] = isA ? levelB : levelB + 1;
      top += PAIR;
    }
  }
  return {
    verdict: contacts.count > 0 ? 'contact' : undecided ? 'undecided' : 'clear',
    contacts: {
      count: contacts.count,
      complete: !cut && !undecided && (all || contacts.count === 0),
      pairs: contacts.sorted(),
    },
    level: deepest,
    tests: { bounds, hulls },
  };
}
