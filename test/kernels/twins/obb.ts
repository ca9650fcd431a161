/**
 * Two wide OBB trees against each other: the readable twin of obb/search/kernel.as.ts, whose head has the letters and the proof of the
 * box filter, and where the two lists agree contact by contact. In doubles, one pair of boxes at a time.
 */

import { relativePose } from '../../../src/engine/pair-kernel.ts';
import type { Outcome, Query } from '../../../src/engine/records.ts';
import { ContactList } from '../../../src/engine/records.ts';
import { trianglesIntersectAt } from '../../../src/geometry/triangle-triangle.ts';
import { isIdentity, movePoint, type Pose } from '../../../src/math/pose.ts';
import type { ObbTree } from '../../../src/representations/obb/tree/obb-tree.ts';
import { reachOfObbTree } from '../../../src/representations/obb/tree/unfold.ts';
import {
  decodeWideBox,
  decodeWideChild,
  isWideLeaf,
  LARGEST_SKEW,
  linkOfNode,
  WIDE_DECODED,
  WIDTH,
  type WideViews,
  wideCount,
  wideIndex,
  wideViews,
} from '../../../src/representations/obb/tree/wide-node.ts';

/** A tree over triangles, as ../build/wide.ts makes it. */
interface WideTree {
  nodes: Uint8Array;
  /** Numbers of triangles, in the order of the leaves. */
  order: Uint32Array;
  /** Nodes' centres are relative to this. */
  origin: Float64Array;
  positions: Float32Array | Float64Array;
  triangles: Uint32Array;
}

interface WideQuery {
  poseA: Pose;
  poseB: Pose;
  /** What relativePose says of them. */
  map: Float64Array;
  skew: number;
  slack: number;
  /** Whether to go on after the first contact. */
  isAll: boolean;
}

/** What a walk has done: pairs of nodes and of triangles, and the deepest level of either tree. */
interface WideWalk {
  bounds: number;
  hulls: number;
  level: number;
}

/** A node this many times as large as the other is opened alone. */
const MUCH_LARGER = 6;
/** Two boxes are long whose half extents' sum is below so many times the longest. */
const LONG = 1.75;

const boxA = new Float64Array(WIDE_DECODED);
const boxB = new Float64Array(WIDE_DECODED);
/** R = F_a^T M F_b, row-major, and t. */
const turn = new Float64Array(9);
const shift = new Float64Array(3);
/** Of a's boxes and b's, four each, lowest and highest along the axes of a's node. */
const rows = new Float64Array(6 * WIDTH);
const columns = new Float64Array(6 * WIDTH);
const child = new Float64Array(6);
const across = new Float64Array(3);
const acrossB = new Float64Array(3);
const cornersA = new Float64Array(9 * WIDTH);
const cornersB = new Float64Array(9 * WIDTH);
/** Pairs of boxes that are not apart, WIDTH i + j of each, and the volumes they share. */
const order = new Uint8Array(WIDTH * WIDTH);
const overlaps = new Float64Array(WIDTH * WIDTH);

/** What the kernel answers, by its twin. */
export function checkByTwin(a: ObbTree, b: ObbTree, query: Query): Outcome {
  const { poseA, poseB, all: isAll } = query;
  const relative = relativePose(poseA, poseB, reachOfObbTree(a), reachOfObbTree(b));
  const [treeA, treeB] = [a, b].map((tree) => ({ ...tree, order: tree.order as Uint32Array }));
  const contacts = new ContactList(query);
  return contacts.outcome(walkWide(treeA, treeB, { poseA, poseB, ...relative, isAll }, (i, j) => contacts.add(i, j)));
}

/** Finds the contacts of two trees, each reported by the numbers of its triangles; stops where `onContact` returns false. */
function walkWide(
  a: WideTree,
  b: WideTree,
  query: WideQuery,
  onContact: (triangleA: number, triangleB: number) => unknown,
): WideWalk {
  const viewsA = wideViews(a.nodes);
  const viewsB = wideViews(b.nodes);
  // M's part for the trees' own origins.
  const map = Float64Array.from(query.map);
  for (let k = 0; k < 3; k++) {
    for (let j = 0; j < 3; j++) map[4 * k + 3] += map[4 * k + j] * b.origin[j];
    map[4 * k + 3] -= a.origin[k];
  }
  const walk: WideWalk = { bounds: 0, hulls: 0, level: 0 };
  // Node of a, node of b, their levels.
  const pending = [0, 0, 0, 0];
  while (pending.length > 0) {
    const levelB = pending.pop() as number;
    const levelA = pending.pop() as number;
    const nodeB = pending.pop() as number;
    const nodeA = pending.pop() as number;
    walk.bounds++;
    decodeWideBox(viewsA, nodeA, boxA, 0);
    decodeWideBox(viewsB, nodeB, boxB, 0);
    relate(map);
    const sizeA = boxA[12] + boxA[13] + boxA[14];
    const sizeB = boxB[12] + boxB[13] + boxB[14];
    const spare =
      query.slack + (3.1 * LARGEST_SKEW + 1.1 * query.skew) * sizeB + 2 ** -40 * (sizeA + sizeB + lengthOf(map));
    const areLong = isLong(boxA) && isLong(boxB);
    if (areApart(spare) || (areLong && areApartAcross(spare))) continue;

    const linkA = linkOfNode(viewsA, nodeA);
    const linkB = linkOfNode(viewsB, nodeB);
    const isLeafA = isWideLeaf(linkA);
    const isLeafB = isWideLeaf(linkB);
    const areLeaves = isLeafA && isLeafB;
    const opensA = areLeaves || (!isLeafA && (isLeafB || sizeB <= MUCH_LARGER * sizeA));
    const opensB = areLeaves || (!isLeafB && (isLeafA || sizeA <= MUCH_LARGER * sizeB));
    const countA = opensA ? wideCount(linkA) : 1;
    const countB = opensB ? wideCount(linkB) : 1;
    for (let i = 0; i < countA; i++) rowOf(viewsA, nodeA, opensA ? i : -1, rows, 6 * i);
    for (let j = 0; j < countB; j++) columnOf(viewsB, nodeB, opensB ? j : -1, spare, columns, 6 * j);

    const firstA = wideIndex(linkA);
    const firstB = wideIndex(linkB);
    if (areLeaves) {
      for (let i = 0; i < countA; i++) loadTriangle(a, firstA + i, query.poseA, cornersA, 9 * i);
      for (let j = 0; j < countB; j++) loadTriangle(b, firstB + j, query.poseB, cornersB, 9 * j);
    }
    let pairs = 0;
    for (let i = 0; i < countA; i++) {
      for (let j = 0; j < countB; j++) {
        const overlap = overlapOf(6 * i, 6 * j);
        if (overlap < 0) continue;
        if (!areLeaves) {
          // Sorted by the volume they share.
          let place = pairs++;
          for (; place > 0 && overlaps[place - 1] > overlap; place--) {
            overlaps[place] = overlaps[place - 1];
            order[place] = order[place - 1];
          }
          overlaps[place] = overlap;
          order[place] = WIDTH * i + j;
          continue;
        }
        if (areLong && childrenApartAcross(6 * i, viewsB, nodeB, j, spare)) continue;
        walk.hulls++;
        if (!trianglesIntersectAt(cornersA, 9 * i, cornersB, 9 * j)) continue;
        if (onContact(a.order[firstA + i], b.order[firstB + j]) === false || !query.isAll) return walk;
      }
    }
    if (pairs === 0) continue;
    const nextA = levelA + Number(opensA);
    const nextB = levelB + Number(opensB);
    walk.level = Math.max(walk.level, nextA, nextB);
    // The pair that shares most comes last, and is popped first.
    for (let k = 0; k < pairs; k++) {
      const [i, j] = [Math.floor(order[k] / WIDTH), order[k] % WIDTH];
      pending.push(opensA ? firstA + i : nodeA, opensB ? firstB + j : nodeB, nextA, nextB);
    }
  }
  return walk;
}

const lengthOf = (map: Float64Array): number => Math.abs(map[3]) + Math.abs(map[7]) + Math.abs(map[11]);

/** R and t of the two decoded boxes. */
function relate(map: Float64Array): void {
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 4; j++) {
      let sum = 0;
      for (let k = 0; k < 3; k++) {
        let x = j === 3 ? map[4 * k + 3] - boxA[9 + k] : 0;
        for (let l = 0; l < 3; l++) x += map[4 * k + l] * (j === 3 ? boxB[9 + l] : boxB[3 * l + j]);
        sum += boxA[3 * k + i] * x;
      }
      if (j === 3) shift[i] = sum;
      else turn[3 * i + j] = sum;
    }
  }
}

/** Whether the own boxes are certainly apart along one of their six axes. */
function areApart(spare: number): boolean {
  for (let i = 0; i < 3; i++) {
    let reach = boxA[12 + i] + spare;
    for (let j = 0; j < 3; j++) reach += Math.abs(turn[3 * i + j]) * boxB[12 + j];
    if (Math.abs(shift[i]) > reach) return true;
  }
  for (let j = 0; j < 3; j++) {
    let along = 0;
    let reach = boxB[12 + j] + spare;
    for (let i = 0; i < 3; i++) {
      along += turn[3 * i + j] * shift[i];
      reach += Math.abs(turn[3 * i + j]) * boxA[12 + i];
    }
    if (Math.abs(along) > reach) return true;
  }
  return false;
}

const isLong = (box: Float64Array): boolean => LONG * box[12 + longestOf(box)] > box[12] + box[13] + box[14];

function longestOf(box: Float64Array): number {
  const [x, y, z] = box.subarray(12, 15);
  return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

/** Sets the cross product of the longest axes: `across` in a's frame, `acrossB` in b's. */
function acrossLongest(): void {
  const [i, j] = [longestOf(boxA), longestOf(boxB)];
  across[i] = 0;
  across[(i + 1) % 3] = -turn[3 * ((i + 2) % 3) + j];
  across[(i + 2) % 3] = turn[3 * ((i + 1) % 3) + j];
  for (let k = 0; k < 3; k++) acrossB[k] = across[0] * turn[k] + across[1] * turn[3 + k] + across[2] * turn[6 + k];
}

/** Whether the own boxes are certainly apart across their longest axes. */
function areApartAcross(spare: number): boolean {
  acrossLongest();
  let along = 0;
  let reach = spare;
  for (let k = 0; k < 3; k++) {
    along += across[k] * shift[k];
    reach += Math.abs(across[k]) * boxA[12 + k] + Math.abs(acrossB[k]) * boxB[12 + k];
  }
  return Math.abs(along) > reach;
}

/** The same for a's child, whose row is at `i`, and b's child j; `across` is known. */
function childrenApartAcross(i: number, viewsB: WideViews, nodeB: number, j: number, spare: number): boolean {
  decodeWideChild(viewsB, nodeB, j, child, 0);
  let along = 0;
  let reach = spare;
  for (let k = 0; k < 3; k++) {
    along +=
      across[k] * (shift[k] - 0.5 * (rows[i + k] + rows[i + 3 + k])) + acrossB[k] * 0.5 * (child[k] + child[3 + k]);
    reach += Math.abs(across[k]) * 0.5 * (rows[i + 3 + k] - rows[i + k]);
    reach += Math.abs(acrossB[k]) * 0.5 * (child[3 + k] - child[k]);
  }
  return Math.abs(along) > reach;
}

/** The box of a's child j, or its own (j below 0), in its own frame. */
function rowOf(views: WideViews, node: number, j: number, out: Float64Array, at: number): void {
  if (j >= 0) {
    decodeWideChild(views, node, j, out, at);
    return;
  }
  for (let i = 0; i < 3; i++) {
    out[at + i] = -boxA[12 + i];
    out[at + 3 + i] = boxA[12 + i];
  }
}

/** What the box of b's child j, or its own, spans along the axes of a's node, widened by `spare`. */
function columnOf(views: WideViews, node: number, j: number, spare: number, out: Float64Array, at: number): void {
  if (j >= 0) decodeWideChild(views, node, j, child, 0);
  for (let i = 0; i < 3; i++) {
    let middle = shift[i];
    let reach = spare;
    for (let k = 0; k < 3; k++) {
      middle += j < 0 ? 0 : turn[3 * i + k] * 0.5 * (child[k] + child[3 + k]);
      reach += Math.abs(turn[3 * i + k]) * (j < 0 ? boxB[12 + k] : 0.5 * (child[3 + k] - child[k]));
    }
    out[at + i] = middle - reach;
    out[at + 3 + i] = middle + reach;
  }
}

/** The volume that a row's box and a column's share; below 0 where they are apart. */
function overlapOf(i: number, j: number): number {
  let volume = 1;
  for (let k = 0; k < 3; k++) {
    const overlap = Math.min(rows[i + 3 + k], columns[j + 3 + k]) - Math.max(rows[i + k], columns[j + k]);
    if (overlap < 0) return -1;
    volume *= overlap;
  }
  return volume;
}

/** Moves the triangle at `place` of the leaves' order. */
function loadTriangle(tree: WideTree, place: number, pose: Pose, out: Float64Array, at: number): void {
  const { positions, triangles } = tree;
  const moves = !isIdentity(pose);
  for (let k = 0; k < 3; k++) {
    const v = 3 * triangles[3 * tree.order[place] + k];
    if (moves) movePoint(pose, positions[v], positions[v + 1], positions[v + 2], out, at + 3 * k);
    else for (let i = 0; i < 3; i++) out[at + 3 * k + i] = positions[v + i];
  }
}
