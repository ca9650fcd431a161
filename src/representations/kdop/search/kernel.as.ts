/**
 * Checks two k-DOP trees (groups.ts), a whole query per call. narrow-axes.as.ts tests trees of up
 * to 16 bits, wide-axes.as.ts wider ones. Tests compare every number with a readable twin, and
 * verdicts and lists with descent.ts.
 *
 * A. Raabe, S. Hochguertel, J. K. Anlauf, G. Zachmann, "Hardware-Accelerated Collision Detection
 * using Bounded-Error Fixed-Point Arithmetic", Journal of WSCG 14, 2006, sections 4 and 5.
 *
 * Order. The stack holds pairs of groups, with a bit for each node that counts. All pairs of these
 * nodes are tested on all axes. Remaining pairs of leaves go to the triangle test at once. For
 * other pairs the wider node is opened, or both. If the first contact is wanted, the deepest pair
 * comes next.
 *
 * Measured, bunny against bunny, k = 24, all contacts: 24 axes need 613 bound tests and 11.8 us,
 * the first 12 of them 723 and 7.7. An axis takes 45 ns to prepare and 6 to test.
 *
 * Always opening only the wider node takes 1.7 times as long. Opening both unless one is 2 to 12
 * times as wide makes no difference there. Between needles, a factor of 6 takes 0.59 to 0.77 of the
 * time of 2.
 *
 * If the first 12 axes leave at most two pairs, the rest are not tested. Medians over four pairs of
 * meshes, needles among them, relative to all axes:
 *   first contact, in contact   0.86 to 0.94
 *   first contact, apart        0.80 to 0.88
 *   all contacts                0.80 to 0.84
 * With three pairs it is 0.02 less; with four, needles take 1.5 times as long.
 *
 * Roads not taken:
 *
 * - First the axis that separated last: a fifth of the pairs of groups end before the last axis,
 *   after 8.5 axes instead of 9.4. That is less than a hundredth of the work.
 * - Axes of edge x edge: all 144 of k = 24 leave 329 of 348 bound tests of a query, and 36.3 of
 *   38.6 triangle tests; every 37th of them 346 and 38.5. Preparing four costs more than it saves.
 * - The normal of a leaf's triangle against the nodes of the other group: 0.4 of the triangle tests
 *   between needles, with 0.97 of the time at the median; elsewhere 1.04 to 1.10.
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

const TRIANGLES_A: usize = STEP;
const TRIANGLES_B: usize = STEP + 288;
const TRIANGLE_BYTES: usize = 72;

const MUCH_WIDER: f64 = 6;

let isWide: bool = false;

const ENTRY_BYTES: i32 = 12;

/**
 * Starts a query of two trees in the workspace's poses. Returns ENDED or FULL; after FULL call
 * `kdopResume`.
 *
 * @param a address of a tree's record, whose coefficients are as wide as b's
 * @param axes number of axes to test, from 1 to (kA + kB) / 2
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

// @ts-ignore: decorator
@inline
function allOf(group: u32): u32 {
  return (1 << load<u32>(<usize>group + GROUP_COUNT)) - 1;
}

export function kdopResume(workspace: usize): i32 {
  const bottom = workspace + STACK;
  let top = resumeSearch(workspace);
  let bounds: u64 = 0;
  let deepest: u32 = 0;
  // A pair of groups finds at most sixteen contacts.
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

// @ts-ignore: decorator
@inline
function opens(link: u32, other: u32, width: f64, widthOfOther: f64): bool {
  return !(link & 1) && ((other & 1) != 0 || widthOfOther <= MUCH_WIDER * width);
}

// @ts-ignore: decorator
@inline
function widthOf(group: u32, node: u32): f64 {
  return <f64>load<f32>(<usize>group + GROUP_WIDTHS + (<usize>node << 2));
}

// @ts-ignore: decorator
@inline
function gapOf(workspace: usize, pair: u32): f64 {
  const gaps = workspace + GAPS;
  return isWide ? load<f64>(gaps + (<usize>pair << 3)) : <f64>load<i32>(gaps + (<usize>pair << 2));
}

/** Tests the triangles of two leaves, and lists them if they meet. Skips loads in `loaded`. */
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
