/**
 * Two k-DOP trees (groups.ts) against each other, a whole query per call: of 16 bits by
 * narrow-axes.as.ts, of more by wide-axes.as.ts. The tests hold it to a readable twin in every
 * number, and to descent.ts in verdicts and lists.
 *
 * A. Raabe, S. Hochguertel, J. K. Anlauf, G. Zachmann, "Hardware-Accelerated Collision Detection
 * using Bounded-Error Fixed-Point Arithmetic", Journal of WSCG 14, 2006, sections 4 and 5.
 *
 * The order. Pairs of groups are pending, with the nodes of each that count; all pairs of these are
 * tested on all axes. What is left of pairs of leaves goes to the triangle test at once. Of other
 * pairs the wider node is opened, or both; where the first contact is wanted, the pair that is
 * deepest in each other is taken up next.
 *
 * Measured, bunny against bunny, k = 24, all contacts: 24 axes 613 tests of bounds and 11.8 us, the
 * first 12 of them 723 and 7.7. One node opened at a time, the wider: 1.7 times as long; both
 * unless one is 2 to 12 times as wide: the same, but between needles 6 takes 0.59 to 0.77 of the
 * time of 2. An axis takes 45 ns to prepare, 6 to test on.
 *
 * Axes are not all tested: where 12 leave two pairs or one, these go on. Medians over four pairs of
 * meshes, needles among them, against all axes: the first contact takes 0.86 to 0.94 of the time
 * where there is one, 0.80 to 0.88 where there is none, all contacts 0.80 to 0.84. With three pairs
 * it is 0.02 less, with four needles take 1.5 times as long.
 *
 * Tried before. First the axis that separated last: a fifth of the pairs of groups have no pair
 * left before the last axis, after 9.4 axes, so after 8.5; that is less than a hundredth of the
 * work.
 * Axes of edge x edge: all 144 of k = 24 leave 329 of 348 tests of bounds of a query, 36.3 of 38.6
 * of triangles; every 37th of them 346 and 38.5. Four cost more to prepare than that saves. The
 * normal of a leaf's triangle against the nodes of the other group: 0.4 of the tests of triangles
 * between needles, 0.97 of the time at the median; 1.04 to 1.10 elsewhere.
 *
 * Memory: layout.as.ts; kernel.ts places the trees.
 */
import { POSE_A, POSE_B, STACK, STEP } from '../../../kernels/layout.as';
import {
  addContact, beginSearch, capacity, countHulls, found, isAll, leaveSearch, loadTriangle, resumeSearch, turn,
} from '../../../kernels/pair-search.as';
import { movesA, movesB } from '../../../kernels/relative-pose.as';
import { trianglesMeet } from '../../../kernels/triangle-pair.as';
import {
  GROUP_BYTES, GROUP_COUNT, GROUP_LEVEL, GROUP_WIDTHS, GROUPS, IS_FLOAT, IS_WIDE, LEAVES, POSITIONS,
} from './layout.as';
import { beginNarrow, overlapNarrow } from './narrow-axes.as';
import { GAPS, relateTrees, sizeA, sizeB, treeA, treeB } from './two-trees.as';
import { beginWide, overlapWide } from './wide-axes.as';

export { kdopRelate } from './for-device.as';

// What a step writes: corners, f64 x 9 x 4 a side, and GAPS.
const TRIANGLES_A: usize = STEP;
const TRIANGLES_B: usize = STEP + 288;
const TRIANGLE_BYTES: usize = 72;

/** A node this many times as wide as the other is opened alone. */
const MUCH_WIDER: f64 = 6;

/** Of the query in work: whether its trees' coefficients are doubles. */
let isWide: bool = false;

/** On the stack: addresses of the groups, the nodes of both that count as bits. */
const ENTRY_BYTES: i32 = 12;

/**
 * Starts a query of two trees in the workspace's poses: ENDED, or FULL: `kdopResume`.
 *
 * @param a address of a tree's record, placed with as wide coefficients as b
 * @param axes how many are tested, from 1 to (kA + kB) / 2
 */
export function kdopQuery(a: usize, b: usize, workspace: usize, wantsAll: i32, room: i32, axes: i32): i32 {
  relateTrees(a, b, workspace + POSE_A, workspace + POSE_B, axes);
  isWide = load<u32>(a + IS_WIDE) != 0;
  if (isWide) beginWide();
  else beginNarrow();
  beginSearch(workspace, wantsAll, room, ENTRY_BYTES);
  const rootA = load<u32>(a + GROUPS);
  const rootB = load<u32>(b + GROUPS);
  push(workspace + STACK, rootA, rootB, allOf(rootA) | (allOf(rootB) << 4));
  return kdopResume(workspace);
}

// @ts-ignore: decorator
@inline
function push(to: usize, groupA: u32, groupB: u32, nodes: u32): void {
  store<u32>(to, groupA);
  store<u32>(to + 4, groupB);
  store<u32>(to + 8, nodes);
}

/** All nodes of a group, as bits. */
// @ts-ignore: decorator
@inline
function allOf(group: u32): u32 {
  return (1 << load<u32>(<usize>group + GROUP_COUNT)) - 1;
}

/** Goes on, with an empty list. */
export function kdopResume(workspace: usize): i32 {
  const bottom = workspace + STACK;
  let top = resumeSearch(workspace);
  let bounds: u64 = 0;
  let deepest: u32 = 0;
  // A pair of groups finds sixteen contacts at most.
  while (top > bottom && found + 16 <= capacity && bounds < turn) {
    top -= ENTRY_BYTES;
    const groupA = load<u32>(top);
    const groupB = load<u32>(top, 4);
    const nodes = load<u32>(top, 8);
    bounds += popcnt(nodes & 15) * popcnt(nodes >> 4);
    deepest = max(deepest, max(load<u32>(<usize>groupA + GROUP_LEVEL), load<u32>(<usize>groupB + GROUP_LEVEL)));
    let mask = isWide
      ? overlapWide(workspace, <usize>groupA, <usize>groupB, nodes)
      : overlapNarrow(workspace, <usize>groupA, <usize>groupB, nodes);
    let loaded: u32 = 0;
    let isFirst = true;
    let least: f64 = 0;
    while (mask) {
      const pair = ctz(mask);
      mask &= mask - 1;
      const i = pair >> 2;
      const j = pair & 3;
      const linkA = load<u32>(<usize>groupA + (<usize>i << 2));
      const linkB = load<u32>(<usize>groupB + (<usize>j << 2));
      if (linkA & linkB & 1) {
        const doMeet = meet(workspace, linkA >> 1, linkB >> 1, i, j, loaded);
        loaded |= (1 << i) | (16 << j);
        if (!doMeet || isAll) continue;
        top = bottom;
        break;
      }
      const isA = opens(linkA, linkB, sizeA * widthOf(groupA, i), sizeB * widthOf(groupB, j));
      const isB = opens(linkB, linkA, sizeB * widthOf(groupB, j), sizeA * widthOf(groupA, i));
      const belowA = isA ? load<u32>(treeA + GROUPS) + (linkA >> 1) * load<u32>(treeA + GROUP_BYTES) : groupA;
      const belowB = isB ? load<u32>(treeB + GROUPS) + (linkB >> 1) * load<u32>(treeB + GROUP_BYTES) : groupB;
      const below = (isA ? allOf(belowA) : 1 << i) | ((isB ? allOf(belowB) : 1 << j) << 4);
      // The deepest in each other last, to be taken up next.
      const gap = gapOf(workspace, pair);
      const isNext = isAll || isFirst || gap < least;
      if (isNext) {
        push(top, belowA, belowB, below);
        least = gap;
        isFirst = false;
      } else {
        push(top, load<u32>(top - 12), load<u32>(top - 8), load<u32>(top - 4));
        push(top - ENTRY_BYTES, belowA, belowB, below);
      }
      top += ENTRY_BYTES;
    }
  }
  return leaveSearch(workspace, top, bounds, deepest);
}

/** Whether a node is opened, of a pair that are not both leaves. */
// @ts-ignore: decorator
@inline
function opens(link: u32, other: u32, width: f64, widthOfOther: f64): bool {
  return !(link & 1) && ((other & 1) != 0 || widthOfOther <= MUCH_WIDER * width);
}

/** Of a node of a group, quanta. */
// @ts-ignore: decorator
@inline
function widthOf(group: u32, node: u32): f64 {
  return <f64>load<f32>(<usize>group + GROUP_WIDTHS + (<usize>node << 2));
}

/** Of a pair that was left. */
// @ts-ignore: decorator
@inline
function gapOf(workspace: usize, pair: u32): f64 {
  const gaps = workspace + GAPS;
  return isWide ? load<f64>(gaps + (<usize>pair << 3)) : <f64>load<i32>(gaps + (<usize>pair << 2));
}

/**
 * Tests the triangles of two leaves, and lists them where they meet; those of `loaded` are there
 * already.
 */
// @ts-ignore: decorator
@inline
function meet(workspace: usize, leafA: u32, leafB: u32, i: u32, j: u32, loaded: u32): bool {
  const triangleA = workspace + TRIANGLES_A + TRIANGLE_BYTES * <usize>i;
  const triangleB = workspace + TRIANGLES_B + TRIANGLE_BYTES * <usize>j;
  const ofA = <usize>load<u32>(treeA + LEAVES) + (<usize>leafA << 4);
  const ofB = <usize>load<u32>(treeB + LEAVES) + (<usize>leafB << 4);
  if (!(loaded & (1 << i))) loadCorners(treeA, ofA, workspace + POSE_A, movesA, triangleA);
  if (!(loaded & (16 << j))) loadCorners(treeB, ofB, workspace + POSE_B, movesB, triangleB);
  countHulls();
  if (!trianglesMeet(triangleA, triangleB)) return false;
  addContact(workspace, load<u32>(ofA, 12), load<u32>(ofB, 12));
  return true;
}

// @ts-ignore: decorator
@inline
function loadCorners(tree: usize, leaf: usize, pose: usize, moves: bool, to: usize): void {
  loadTriangle(leaf, load<u32>(tree + POSITIONS), load<u32>(tree + IS_FLOAT) != 0, pose, moves, to);
}
