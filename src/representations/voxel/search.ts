/**
 * Tests two sets of cubes against each other.
 *
 * In their original poses, cubes of one precision touch if they are the same cell. Then the keys of
 * the two sorted lists are merged and the masks of equal bricks intersected (Peng, Wu, algorithm 4
 * without the pairs that cannot meet).
 *
 * In all other poses two octrees are descended. All boxes of a are parallel, and so are all of b,
 * so the fifteen separating axes are the same for all pairs (S. Gottschalk, M. Lin, D. Manocha,
 * "OBBTree", 1996). They are computed once, with the reach of each unit half extent along each. L,
 * in a's frame, is a row of the identity, a column of T's linear part, or a product of two. The
 * boxes' images are given, so no axis needs to be exact; see pair-kernel.ts for `slack`.
 *
 * Two cubes whose images overlap on all axes by more than `certain` share a point. The difference
 * of the two images is a polytope with faces across the fifteen axes and no others, b's normals
 * being T's columns but for `skew` times the extents. No axis is longer than 1.00004, so the
 * polytope contains a ball of radius `certain`, but for that, around 0. Corners that move by less
 * than the radius in all leave 0 in it. Moved corners are within pose.slack of the images.
 *
 * A product of two shorter than SHORTEST is left out. It comes from edges that are almost parallel,
 * as in a turn about one axis. Made parallel, they have no such face, and corners and gaps change
 * by less than 10 SHORTEST times the sizes, which is less than pose.slack. Everything between is
 * decided exactly on the moved corners.
 */

import { hullLoader } from '../../engine/narrow-phase.ts';
import { type RelativePose, relativePose } from '../../engine/pair-kernel.ts';
import type { OnVisit, Outcome, Query } from '../../engine/records.ts';
import { ContactList } from '../../engine/records.ts';
import { hullsOverlap } from '../../geometry/gjk.ts';
import { isIdentity, type Pose } from '../../math/pose.ts';
import { cellOfCube, cubesOf, firstOf, greatestOf, lowestOf, popcount, type VoxelSet } from './tree/cube-set.ts';
import { childrenOf, hullOfVoxels, type Octree, octreeOf, reachOfVoxels } from './tree/octree.ts';

export function checkVoxels(a: VoxelSet, b: VoxelSet, query: Query): Outcome {
  const keepsGrid = isIdentity(query.poseA) && isIdentity(query.poseB) && a.precision === b.precision;
  // Bricks are not nodes that a visitor could receive.
  const merges = keepsGrid && query.level === null && query.onVisit === undefined;
  return merges ? mergeKeys(a, b, query) : descend(a, b, query);
}

function mergeKeys(a: VoxelSet, b: VoxelSet, query: Query): Outcome {
  const contacts = new ContactList(query);
  const [firstA, firstB] = [firstOf(a), firstOf(b)];
  let bounds = 0;
  let goesOn = true;
  let i = 0;
  let j = 0;
  while (i < a.keys.length && j < b.keys.length && goesOn) {
    bounds++;
    const order = a.keys[i + 1] - b.keys[j + 1] || a.keys[i] - b.keys[j];
    if (order < 0) i += 2;
    else if (order > 0) j += 2;
    else {
      let numberA = firstA[i >> 1];
      let numberB = firstB[j >> 1];
      for (let word = 0; word < 2 && goesOn; word++) {
        const maskA = a.masks[i + word];
        const maskB = b.masks[j + word];
        for (let rest = maskA & maskB; rest !== 0 && goesOn; rest &= rest - 1) {
          const below = (rest & -rest) - 1;
          goesOn = contacts.add(numberA + popcount(maskA & below), numberB + popcount(maskB & below));
        }
        numberA += popcount(maskA);
        numberB += popcount(maskB);
      }
      i += 2;
      j += 2;
    }
  }
  return contacts.outcome({ level: 0, bounds, hulls: 0 });
}

const AXES = 15;
/** An axis with no larger coordinate is dropped. */
const SHORTEST = 2 ** -49;
let count = 0;
/** Per axis: L; the reach along it of a unit of each of a's half extents, and of b's. */
const axes = new Float64Array(3 * AXES);
const reachA = new Float64Array(3 * AXES);
const reachB = new Float64Array(3 * AXES);

function prepareAxes({ map }: RelativePose): void {
  const column = (j: number, r: number): number => map[4 * r + j];
  count = 0;
  for (let n = 0; n < AXES; n++) {
    let longest = 0;
    for (let r = 0; r < 3; r++) {
      let l: number;
      if (n < 3) l = n === r ? 1 : 0;
      else if (n < 6) l = column(n - 3, r);
      else {
        const i = Math.floor((n - 6) / 3);
        const j = (n - 6) % 3;
        if (r === i) l = 0;
        else l = (r - i + 3) % 3 === 1 ? -column(j, (i + 2) % 3) : column(j, (i + 1) % 3);
      }
      axes[count + r] = l;
      reachA[count + r] = Math.abs(l);
      longest = Math.max(longest, reachA[count + r]);
    }
    if (longest <= SHORTEST) continue;
    for (let j = 0; j < 3; j++) {
      const along = axes[count] * column(j, 0) + axes[count + 1] * column(j, 1) + axes[count + 2] * column(j, 2);
      reachB[count + j] = Math.abs(along);
    }
    count += 3;
  }
}

/** Center and half extents of an item of each side; b's center is mapped by T. */
const boxA = new Float64Array(6);
const boxB = new Float64Array(6);

function loadBox(tree: Octree, item: number, box: Float64Array): void {
  const { set, cells } = tree;
  if (item < 0) cellOfCube(set, ~item, cell, tree.first);
  for (let axis = 0; axis < 3; axis++) {
    const low = lowestOf(item < 0 ? cell[axis] : cells[6 * item + axis], set.precision);
    const high = greatestOf(item < 0 ? cell[axis] : cells[6 * item + 3 + axis], set.precision);
    box[axis] = low / 2 + high / 2;
    box[3 + axis] = high / 2 - low / 2;
  }
}

const cell = new Int32Array(3);

function mapCentre(map: Float64Array, box: Float64Array): void {
  const [x, y, z] = box;
  for (let r = 0; r < 3; r++) box[r] = map[4 * r] * x + map[4 * r + 1] * y + map[4 * r + 2] * z + map[4 * r + 3];
}

/** Largest gap of the two boxes, not divided by the axes' lengths; stops above `enough`. */
function widestGap(enough: number): number {
  const tx = boxB[0] - boxA[0];
  const ty = boxB[1] - boxA[1];
  const tz = boxB[2] - boxA[2];
  let widest = Number.NEGATIVE_INFINITY;
  for (let n = 0; n < count; n += 3) {
    const gap =
      Math.abs(tx * axes[n] + ty * axes[n + 1] + tz * axes[n + 2]) -
      (boxA[3] * reachA[n] + boxA[4] * reachA[n + 1] + boxA[5] * reachA[n + 2]) -
      (boxB[3] * reachB[n] + boxB[4] * reachB[n + 1] + boxB[5] * reachB[n + 2]);
    if (gap > widest) {
      widest = gap;
      if (gap > enough) return gap;
    }
  }
  return widest;
}

/** Pending pairs: item of a, item of b, level of each. */
const PAIR = 4;
let stack = new Int32Array(PAIR * 256);

interface Descent {
  treeA: Octree;
  treeB: Octree;
  map: Float64Array;
  /** Wider gaps prove that the boxes share no point. */
  slack: number;
  top: number;
  bounds: number;
  deepest: number;
  onVisit: OnVisit | undefined;
}

const loader = (set: VoxelSet, pose: Pose) => hullLoader((id, out) => hullOfVoxels(set, id, out), pose);

function descend(a: VoxelSet, b: VoxelSet, query: Query): Outcome {
  const { poseA, poseB, onVisit } = query;
  const pose = relativePose(poseA, poseB, reachOfVoxels(a), reachOfVoxels(b));
  const { map, skew } = pose;
  const slack = 2 * pose.slack;
  const certain = 2 * slack + 2 * skew * (reachOfVoxels(a) + reachOfVoxels(b));
  prepareAxes(pose);
  const [treeA, treeB] = [octreeOf(a), octreeOf(b)];
  const [loadA, loadB] = [loader(a, poseA), loader(b, poseB)];
  const limit = query.level ?? Number.POSITIVE_INFINITY;
  const contacts = new ContactList(query);
  const descent: Descent = { treeA, treeB, map, slack, top: 0, bounds: 0, deepest: 0, onVisit };
  let hulls = 0;
  let isUndecided = false;

  const rootA = cubesOf(a) === 1 ? ~0 : 0;
  const rootB = cubesOf(b) === 1 ? ~0 : 0;
  loadBox(treeA, rootA, boxA);
  loadBox(treeB, rootB, boxB);
  mapCentre(map, boxB);
  push(descent, rootA, rootB, 0, 0);
  while (descent.top > 0) {
    descent.top -= PAIR;
    const { top } = descent;
    const i = stack[top];
    const j = stack[top + 1];
    const levelA = stack[top + 2];
    const levelB = stack[top + 3];
    loadBox(treeA, i, boxA);
    loadBox(treeB, j, boxB);
    const isALarger = longestOf(boxA) >= longestOf(boxB);
    mapCentre(map, boxB);
    if (i < 0 && j < 0) {
      hulls++;
      if (onVisit !== undefined) onVisit({ kind: 'hulls', a: ~i, b: ~j });
      if (widestGap(-certain) > -certain) {
        const [p, q] = [loadA(~i), loadB(~j)];
        if (hullsOverlap(p.points, 8, q.points, 8) !== 'overlap') continue;
      }
      if (!contacts.add(~i, ~j)) break;
      continue;
    }
    const opensA = i >= 0 && levelA < limit;
    const opensB = j >= 0 && levelB < limit;
    if (!opensA && !opensB) {
      isUndecided = true;
      break;
    }
    if (opensA && (!opensB || isALarger)) openA(descent, i, j, levelA + 1, levelB);
    else openB(descent, i, j, levelA, levelB + 1);
  }
  return contacts.outcome({ level: descent.deepest, bounds: descent.bounds, hulls, isUndecided });
}

const longestOf = (box: Float64Array): number => Math.max(box[3], box[4], box[5]);

function openA(descent: Descent, i: number, j: number, levelA: number, levelB: number): void {
  const { treeA } = descent;
  const first = childrenOf(treeA, i);
  descent.deepest = Math.max(descent.deepest, levelA);
  for (let c = first + treeA.childCount[i] - 1; c >= first; c--) {
    loadBox(treeA, treeA.children[c], boxA);
    push(descent, treeA.children[c], j, levelA, levelB);
  }
}

function openB(descent: Descent, i: number, j: number, levelA: number, levelB: number): void {
  const { treeB, map } = descent;
  const first = childrenOf(treeB, j);
  descent.deepest = Math.max(descent.deepest, levelB);
  for (let c = first + treeB.childCount[j] - 1; c >= first; c--) {
    loadBox(treeB, treeB.children[c], boxB);
    mapCentre(map, boxB);
    push(descent, i, treeB.children[c], levelA, levelB);
  }
}

function push(descent: Descent, i: number, j: number, levelA: number, levelB: number): void {
  const { slack, top, onVisit } = descent;
  descent.bounds++;
  const isApart = widestGap(slack) > slack;
  if (onVisit !== undefined) onVisit({ kind: 'nodes', a: i, b: j, levelA, levelB, isApart });
  if (isApart) return;
  if (top + PAIR > stack.length) {
    const bigger = new Int32Array(2 * stack.length);
    bigger.set(stack);
    stack = bigger;
  }
  stack[top] = i;
  stack[top + 1] = j;
  stack[top + 2] = levelA;
  stack[top + 3] = levelB;
  descent.top += PAIR;
}
