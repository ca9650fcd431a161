/**
 * Checks two OBB trees: S. Gottschalk, M. Lin, D. Manocha, "OBBTree", SIGGRAPH 1996. Fifteen axes
 * in the frame of one box, the exact triangle test at the leaves. Boxes are decoded on demand
 * (cursor.ts).
 *
 * The descent runs in a's model frame; b's boxes are mapped (pair-kernel.ts proves that mapped
 * bounds miss nothing). Letters of a box test: A are the axes of a's box (orthonormal to 2^-49), B
 * those of b's as mapped, R = A^T B, t the difference of the centers in A.
 *
 * - Along A_i, b reaches sum_j h_j |R_ij|, whatever B is. The same holds along B_j for a, projected
 *   on the mapped B_j. There b itself reaches sum_k h_k |B_k . B_j|. This differs from h_j by
 *   `skew` times its extents, which is 0 except for rounding if the poses are orthonormal.
 * - Along A_i x B_j, B_k . (A_i x B_j) = A_i . (B_j x B_k), and B_j x B_k differs from the third
 *   axis by `skew` too.
 * - A projection takes fewer than 40 roundings of terms no larger than the sizes S in `slack`,
 *   which has 2^-45 S: `slack` once for the map and twice for these. No axis is scaled to length 1,
 *   so short ones (nearly parallel edges) never separate by rounding.
 *
 * The pair with the nearer centers is opened first: half the tests at first contact of either order
 * (bunny against itself, median).
 */

import { derived } from '../../../engine/asset-cache.ts';
import { requirePairs } from '../../../engine/bound-tree.ts';
import { beginQuery, createMovedTriangle, loadTriangle } from '../../../engine/narrow-phase.ts';
import { relativePose } from '../../../engine/pair-kernel.ts';
import type { OnVisit, Outcome, Query } from '../../../engine/records.ts';
import { ContactList, isLate } from '../../../engine/records.ts';
import { trianglesIntersectAt } from '../../../geometry/triangle-triangle.ts';
import { movePoint } from '../../../math/pose.ts';
import { boxOf, type Cursor, child, childrenOf, createCursor, mostItems, triangleOf } from '../tree/cursor.ts';
import { DECODED } from '../tree/node.ts';
import type { ObbTree } from '../tree/obb-tree.ts';
import { reachOfObbTree } from '../tree/unfold.ts';
import { WIDTH } from '../tree/wide-node.ts';

const PAIR = 8;
let stack = new Int32Array(PAIR * 128);

/** Cursors with their caches, kept with their assets; two each, for an asset that meets itself. */
const cursorsAsA = /* @__PURE__ */ derived<ObbTree, Cursor>();
const cursorsAsB = /* @__PURE__ */ derived<ObbTree, Cursor>();

/** Room for the boxes of a first query, 15 kB; making a megabyte would take longer than it. */
const FIRST_SLOTS = 128;

function cursorOf(tree: ObbTree, cursors: WeakMap<ObbTree, Cursor>): Cursor {
  const cursor = cursors.get(tree);
  const isSmall = cursor?.held.length === FIRST_SLOTS && cursor.reader.count > FIRST_SLOTS;
  if (cursor && !(isSmall && cursor.decoded > 2 * FIRST_SLOTS)) return cursor;
  const made = cursor ? createCursor(tree) : createCursor(tree, FIRST_SLOTS);
  cursors.set(tree, made);
  return made;
}

const loadedA = createMovedTriangle();
const loadedB = createMovedTriangle();

const boxB = new Float64Array(DECODED);
const triangle = new Float64Array(9);

/**
 * Below this, products of two edges' coordinates come near the smallest doubles. Their rounding is
 * not relative, so no slack times them covers it.
 */
const SMALLEST_SCALE = 2 ** -400;

let distance2 = 0;

interface Search {
  a: ObbTree;
  b: ObbTree;
  cursorA: Cursor;
  cursorB: Cursor;
  /** B's frame in a's, the error of its axes, and the widening of all bounds. */
  map: Float64Array;
  skew: number;
  slack: number;
  onVisit: OnVisit | undefined;
}

export function checkObbTrees(
  a: ObbTree,
  b: ObbTree,
  query: Query,
  cursorA = cursorOf(a, cursorsAsA),
  cursorB = cursorOf(b, cursorsAsB),
): Outcome {
  const { poseA, poseB, onVisit } = query;
  const { map, skew, slack: mapped } = relativePose(poseA, poseB, reachOfObbTree(a), reachOfObbTree(b));
  const search: Search = { a, b, cursorA, cursorB, map, skew, slack: 3 * mapped, onVisit };
  const limit = query.level ?? 0x7fffffff;
  const [itemsA, itemsB] = [mostItems(cursorA), mostItems(cursorB)];
  beginQuery(loadedA, poseA);
  beginQuery(loadedB, poseB);
  const contacts = new ContactList(query);
  let bounds = 1;
  let hulls = 0;
  let deepest = 0;
  let isUndecided = false;
  let top = beginStack(search);
  for (let steps = 0; top > 0; steps++) {
    if (isLate(query.deadline, steps)) {
      isUndecided = true;
      break;
    }
    top -= PAIR;
    const nodeA = stack[top];
    const firstA = stack[top + 1];
    const countA = stack[top + 2];
    const levelA = stack[top + 3];
    const nodeB = stack[top + 4];
    const firstB = stack[top + 5];
    const countB = stack[top + 6];
    const levelB = stack[top + 7];
    const triangleA = triangleOf(cursorA, nodeA, firstA, countA);
    const triangleB = triangleOf(cursorB, nodeB, firstB, countB);
    if (triangleA >= 0 && triangleB >= 0) {
      hulls++;
      if (onVisit !== undefined) onVisit({ kind: 'hulls', a: triangleA, b: triangleB });
      loadTriangle(loadedA, a, triangleA);
      loadTriangle(loadedB, b, triangleB);
      if (!trianglesIntersectAt(loadedA.corners, 0, loadedB.corners, 0)) continue;
      if (!contacts.add(triangleA, triangleB)) break;
      continue;
    }
    const opensA = triangleA < 0 && levelA < limit;
    const opensB = triangleB < 0 && levelB < limit;
    if (!opensA && !opensB) {
      isUndecided = true;
      break;
    }
    requirePairs(bounds, itemsA, itemsB);
    const atA = nodeA >= 0 ? boxOf(cursorA, nodeA) : -1;
    const atB = nodeB >= 0 ? boxOf(cursorB, nodeB) : -1;
    // Open the larger of two boxes; an item without a box is a triangle, which cannot be opened.
    const takesA = opensA && (!opensB || sizeOf(cursorA.boxes, atA) >= sizeOf(cursorB.boxes, atB));
    if (takesA) {
      const count = childrenOf(cursorA, nodeA, firstA, countA);
      bounds += count;
      if (levelA >= deepest) deepest = levelA + 1;
      if (atB >= 0) mapBox(map, cursorB.boxes, atB, boxB);
      else loadMapped(b, triangleB, map, triangle);
      keepOfA(search, count, atB >= 0, levelA + 1, nodeB, levelB);
      for (let i = 0; i < kept; i++) {
        const k = order[i];
        top = push(top, child.node[k], child.first[k], child.count[k], levelA + 1, nodeB, firstB, countB, levelB);
      }
    } else {
      const count = childrenOf(cursorB, nodeB, firstB, countB);
      bounds += count;
      if (levelB >= deepest) deepest = levelB + 1;
      if (atA < 0) loadMapped(a, triangleA, null, triangle);
      keepOfB(search, count, atA, levelB + 1, nodeA, levelA);
      for (let i = 0; i < kept; i++) {
        const k = order[i];
        top = push(top, nodeA, firstA, countA, levelA, child.node[k], child.first[k], child.count[k], levelB + 1);
      }
    }
  }
  return contacts.outcome({ level: deepest, bounds, hulls, isUndecided });
}

function beginStack({ a, b, cursorA, cursorB, map, slack, skew, onVisit }: Search): number {
  mapBox(map, cursorB.boxes, boxOf(cursorB, 0), boxB);
  const isApart = boxesDisjoint(cursorA.boxes, boxOf(cursorA, 0), boxB, slack, skew);
  if (onVisit !== undefined) onVisit({ kind: 'nodes', a: 0, b: 0, levelA: 0, levelB: 0, isApart });
  if (isApart) return 0;
  return push(0, 0, 0, a.triangles.length / 3, 0, 0, 0, b.triangles.length / 3, 0);
}

function push(
  top: number,
  nodeA: number,
  firstA: number,
  countA: number,
  levelA: number,
  nodeB: number,
  firstB: number,
  countB: number,
  levelB: number,
): number {
  if (top + PAIR > stack.length) {
    const bigger = new Int32Array(2 * stack.length);
    bigger.set(stack);
    stack = bigger;
  }
  stack[top] = nodeA;
  stack[top + 1] = firstA;
  stack[top + 2] = countA;
  stack[top + 3] = levelA;
  stack[top + 4] = nodeB;
  stack[top + 5] = firstB;
  stack[top + 6] = countB;
  stack[top + 7] = levelB;
  return top + PAIR;
}

/** Children that may touch the other item; the nearest is last, to be popped first. */
const order = new Int32Array(WIDTH);
const distances = new Float64Array(WIDTH);
let kept = 0;

function keep(k: number): void {
  let i = kept++;
  for (; i > 0 && !(distances[i - 1] > distance2); i--) {
    order[i] = order[i - 1];
    distances[i] = distances[i - 1];
  }
  order[i] = k;
  distances[i] = distance2;
}

/**
 * Keeps the children of a's item, on levelA, that may touch b's. Its mapped box is in `boxB`, or
 * its mapped triangle in `triangle`.
 */
function keepOfA(
  { a, cursorA: { boxes }, cursorA, slack, skew, onVisit }: Search,
  count: number,
  isBoxB: boolean,
  levelA: number,
  nodeB: number,
  levelB: number,
): void {
  kept = 0;
  for (let k = 0; k < count; k++) {
    const node = child.node[k];
    distance2 = 0;
    let isApart = false;
    if (node >= 0) {
      const at = boxOf(cursorA, node);
      isApart = isBoxB ? boxesDisjoint(boxes, at, boxB, slack, skew) : boxMissesTriangle(boxes, at, triangle, slack);
    } else if (isBoxB) {
      loadMapped(a, ~node, null, triangle);
      isApart = mappedBoxMissesTriangle(boxB, triangle, slack, skew);
    }
    if (onVisit !== undefined) onVisit({ kind: 'nodes', a: node, b: nodeB, levelA, levelB, isApart });
    if (!isApart) keep(k);
  }
}

/**
 * Keeps the children of b's item, on levelB, that may touch a's. Its box is at `boxesA[atA]`, or if
 * that is below 0, its triangle in `triangle`.
 */
function keepOfB(
  { b, cursorA, cursorB, map, slack, skew, onVisit }: Search,
  count: number,
  atA: number,
  levelB: number,
  nodeA: number,
  levelA: number,
): void {
  kept = 0;
  for (let k = 0; k < count; k++) {
    const node = child.node[k];
    distance2 = 0;
    let isApart = false;
    if (node >= 0) {
      mapBox(map, cursorB.boxes, boxOf(cursorB, node), boxB);
      isApart =
        atA >= 0
          ? boxesDisjoint(cursorA.boxes, atA, boxB, slack, skew)
          : mappedBoxMissesTriangle(boxB, triangle, slack, skew);
    } else if (atA >= 0) {
      loadMapped(b, ~node, map, triangle);
      isApart = boxMissesTriangle(cursorA.boxes, atA, triangle, slack);
    }
    if (onVisit !== undefined) onVisit({ kind: 'nodes', a: nodeA, b: node, levelA, levelB, isApart });
    if (!isApart) keep(k);
  }
}

function sizeOf(boxes: Float64Array, at: number): number {
  const x = boxes[at + 12];
  const y = boxes[at + 13];
  const z = boxes[at + 14];
  return x > y ? (x > z ? x : z) : y > z ? y : z;
}

export function mapBox(map: Float64Array, from: Float64Array, at: number, to: Float64Array): void {
  const r0 = from[at];
  const r1 = from[at + 1];
  const r2 = from[at + 2];
  const r3 = from[at + 3];
  const r4 = from[at + 4];
  const r5 = from[at + 5];
  const r6 = from[at + 6];
  const r7 = from[at + 7];
  const r8 = from[at + 8];
  const c0 = from[at + 9];
  const c1 = from[at + 10];
  const c2 = from[at + 11];
  for (let row = 0; row < 3; row++) {
    const x = map[4 * row];
    const y = map[4 * row + 1];
    const z = map[4 * row + 2];
    to[3 * row] = x * r0 + y * r3 + z * r6;
    to[3 * row + 1] = x * r1 + y * r4 + z * r7;
    to[3 * row + 2] = x * r2 + y * r5 + z * r8;
    to[9 + row] = x * c0 + y * c1 + z * c2 + map[4 * row + 3];
  }
  to[12] = from[at + 12];
  to[13] = from[at + 13];
  to[14] = from[at + 14];
}

/** Loads a triangle in a's model frame, for bounds only: the poses have not moved it. */
function loadMapped(tree: ObbTree, t: number, map: Float64Array | null, out: Float64Array): void {
  const { positions, triangles } = tree;
  for (let k = 0; k < 3; k++) {
    const v = 3 * triangles[3 * t + k];
    if (map) movePoint(map, positions[v], positions[v + 1], positions[v + 2], out, 3 * k);
    else {
      out[3 * k] = positions[v];
      out[3 * k + 1] = positions[v + 1];
      out[3 * k + 2] = positions[v + 2];
    }
  }
}

export function boxesDisjoint(a: Float64Array, i: number, b: Float64Array, slack: number, skew: number): boolean {
  const dx = b[9] - a[i + 9];
  const dy = b[10] - a[i + 10];
  const dz = b[11] - a[i + 11];
  distance2 = dx * dx + dy * dy + dz * dz;
  const ha0 = a[i + 12];
  const ha1 = a[i + 13];
  const ha2 = a[i + 14];
  const hb0 = b[12];
  const hb1 = b[13];
  const hb2 = b[14];
  const spare = slack + skew * (hb0 + hb1 + hb2);
  const a00 = a[i];
  const a10 = a[i + 3];
  const a20 = a[i + 6];
  const t0 = a00 * dx + a10 * dy + a20 * dz;
  const r00 = a00 * b[0] + a10 * b[3] + a20 * b[6];
  const r01 = a00 * b[1] + a10 * b[4] + a20 * b[7];
  const r02 = a00 * b[2] + a10 * b[5] + a20 * b[8];
  const s00 = Math.abs(r00);
  const s01 = Math.abs(r01);
  const s02 = Math.abs(r02);
  if (Math.abs(t0) > ha0 + hb0 * s00 + hb1 * s01 + hb2 * s02 + spare) return true;
  const a01 = a[i + 1];
  const a11 = a[i + 4];
  const a21 = a[i + 7];
  const t1 = a01 * dx + a11 * dy + a21 * dz;
  const r10 = a01 * b[0] + a11 * b[3] + a21 * b[6];
  const r11 = a01 * b[1] + a11 * b[4] + a21 * b[7];
  const r12 = a01 * b[2] + a11 * b[5] + a21 * b[8];
  const s10 = Math.abs(r10);
  const s11 = Math.abs(r11);
  const s12 = Math.abs(r12);
  if (Math.abs(t1) > ha1 + hb0 * s10 + hb1 * s11 + hb2 * s12 + spare) return true;
  const a02 = a[i + 2];
  const a12 = a[i + 5];
  const a22 = a[i + 8];
  const t2 = a02 * dx + a12 * dy + a22 * dz;
  const r20 = a02 * b[0] + a12 * b[3] + a22 * b[6];
  const r21 = a02 * b[1] + a12 * b[4] + a22 * b[7];
  const r22 = a02 * b[2] + a12 * b[5] + a22 * b[8];
  const s20 = Math.abs(r20);
  const s21 = Math.abs(r21);
  const s22 = Math.abs(r22);
  if (Math.abs(t2) > ha2 + hb0 * s20 + hb1 * s21 + hb2 * s22 + spare) return true;
  if (Math.abs(t0 * r00 + t1 * r10 + t2 * r20) > hb0 + ha0 * s00 + ha1 * s10 + ha2 * s20 + spare) return true;
  if (Math.abs(t0 * r01 + t1 * r11 + t2 * r21) > hb1 + ha0 * s01 + ha1 * s11 + ha2 * s21 + spare) return true;
  if (Math.abs(t0 * r02 + t1 * r12 + t2 * r22) > hb2 + ha0 * s02 + ha1 * s12 + ha2 * s22 + spare) return true;
  if (Math.abs(t2 * r10 - t1 * r20) > ha1 * s20 + ha2 * s10 + hb1 * s02 + hb2 * s01 + spare) return true;
  if (Math.abs(t2 * r11 - t1 * r21) > ha1 * s21 + ha2 * s11 + hb0 * s02 + hb2 * s00 + spare) return true;
  if (Math.abs(t2 * r12 - t1 * r22) > ha1 * s22 + ha2 * s12 + hb0 * s01 + hb1 * s00 + spare) return true;
  if (Math.abs(t0 * r20 - t2 * r00) > ha0 * s20 + ha2 * s00 + hb1 * s12 + hb2 * s11 + spare) return true;
  if (Math.abs(t0 * r21 - t2 * r01) > ha0 * s21 + ha2 * s01 + hb0 * s12 + hb2 * s10 + spare) return true;
  if (Math.abs(t0 * r22 - t2 * r02) > ha0 * s22 + ha2 * s02 + hb0 * s11 + hb1 * s10 + spare) return true;
  if (Math.abs(t1 * r00 - t0 * r10) > ha0 * s10 + ha1 * s00 + hb1 * s22 + hb2 * s21 + spare) return true;
  if (Math.abs(t1 * r01 - t0 * r11) > ha0 * s11 + ha1 * s01 + hb0 * s22 + hb2 * s20 + spare) return true;
  return Math.abs(t1 * r02 - t0 * r12) > ha0 * s12 + ha1 * s02 + hb0 * s21 + hb1 * s20 + spare;
}

/**
 * True if a's box at `a[i]` and a triangle are certainly disjoint along the box's axes or the
 * triangle's normal. The normal's length scales its projections, whose rounding `slack` covers on a
 * unit normal.
 */
function boxMissesTriangle(a: Float64Array, i: number, t: Float64Array, slack: number): boolean {
  for (let k = 0; k < 3; k++) {
    const x = a[i + k];
    const y = a[i + 3 + k];
    const z = a[i + 6 + k];
    const c = x * a[i + 9] + y * a[i + 10] + z * a[i + 11];
    const p = x * t[0] + y * t[1] + z * t[2] - c;
    const q = x * t[3] + y * t[4] + z * t[5] - c;
    const r = x * t[6] + y * t[7] + z * t[8] - c;
    const h = a[i + 12 + k] + slack;
    if ((p > h && q > h && r > h) || (p < -h && q < -h && r < -h)) return true;
  }
  const ux = t[3] - t[0];
  const uy = t[4] - t[1];
  const uz = t[5] - t[2];
  const vx = t[6] - t[0];
  const vy = t[7] - t[1];
  const vz = t[8] - t[2];
  const x = uy * vz - uz * vy;
  const y = uz * vx - ux * vz;
  const z = ux * vy - uy * vx;
  const d = x * (a[i + 9] - t[0]) + y * (a[i + 10] - t[1]) + z * (a[i + 11] - t[2]);
  const reach =
    a[i + 12] * Math.abs(x * a[i] + y * a[i + 3] + z * a[i + 6]) +
    a[i + 13] * Math.abs(x * a[i + 1] + y * a[i + 4] + z * a[i + 7]) +
    a[i + 14] * Math.abs(x * a[i + 2] + y * a[i + 5] + z * a[i + 8]);
  // Rounding gives the triangle a width along its normal: below slack |u| |v|.
  const scale = Math.sqrt((ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz));
  return scale > SMALLEST_SCALE && Math.abs(d) > reach + slack * scale;
}

/** The same for b's mapped box, whose axes may be off by `skew`. */
function mappedBoxMissesTriangle(b: Float64Array, t: Float64Array, slack: number, skew: number): boolean {
  return boxMissesTriangle(b, 0, t, slack + skew * (b[12] + b[13] + b[14]));
}
