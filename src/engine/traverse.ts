/**
 * One descent for any two hierarchies: pop a pair of bounds that may overlap, open the larger, keep
 * the children that may still overlap, test hulls at the bottom.
 *
 * It knows only rounded boxes and hulls. Hulls of a solid that a function defines may hold nothing;
 * narrow-phase.ts asks the solid itself, which answers for all of it. So opening its cells further
 * does not help against an ordinary hull.
 */

import { BOX_NUMBERS, disjoint, moveBox, reachOfBox } from '../geometry/rounded-box.ts';
import type { DistanceBracket } from '../geometry/triangle-distance.ts';
import { type MovedHull, type Operand, otherLeaves, type PairsOfSolids } from './leaves.ts';
import { hullDistanceTo, hullsMeet } from './narrow-phase.ts';
import { relativePose } from './pair-kernel.ts';
import type { Outcome, Query } from './records.ts';
import { ContactList, nodeTeller } from './records.ts';

export type { Operand };

let stack = new Int32Array(2 * 256);
const mapped = new Float64Array(BOX_NUMBERS);

/** Tests if two surfaces share a point, or come as close as the clearance. */
export function traverse(a: Operand, b: Operand, query: Query): Outcome {
  const { clearance = 0 } = query;
  const pose = relativePose(query.poseA, query.poseB, a.reach, b.reach);
  const { map, norm } = pose;
  // Clearance is no second algorithm: bounds must be that much farther apart, in a's frame.
  const slack = pose.slack + (clearance / pose.shortest) * (1 + 2 ** -40);
  const limit = query.level ?? Number.POSITIVE_INFINITY;
  const treeA = a.tree;
  const treeB = b.tree;
  const solids = a.solid || b.solid ? otherLeaves().solidPairs(a, b, clearance) : undefined;
  const wholeA = solids?.asksOnlyA ?? false;
  const wholeB = solids?.asksOnlyB ?? false;
  // Opening a pair, or testing two triangles, costs less than the edges' axes. The distance of two
  // hulls, or opening the cells of solids, costs more; and a level needs the sharpest test.
  const axes = solids !== undefined || clearance > 0 || limit !== Number.POSITIVE_INFINITY ? 'all' : 'faces';
  const contacts = new ContactList(query);
  const tests = { bounds: 0, hulls: 0 };
  const tell = nodeTeller(treeA, treeB, query.onVisit);
  unsure = false;
  let deepest = 0;
  let isUndecided = false;
  let top = 0;

  const push = (i: number, j: number): void => {
    if (top + 2 > stack.length) stack = doubled(stack);
    stack[top++] = i;
    stack[top++] = j;
  };

  tests.bounds++;
  moveBox(map, norm, treeB.bounds, 0, mapped, 0);
  const areRootsApart = disjoint(treeA.bounds, 0, mapped, 0, slack);
  if (tell !== undefined) tell(0, 0, areRootsApart);
  if (!areRootsApart) push(0, 0);
  while (top > 0) {
    const j = stack[--top];
    const i = stack[--top];
    if (clearance > 0 && solids && !solids.isOnePair && otherLeaves().cellGap(a, i, b, j, query) > clearance) continue;
    const endsA = treeA.isLeaf(i) || (wholeA && treeB.isLeaf(j));
    const endsB = treeB.isLeaf(j) || (wholeB && treeA.isLeaf(i));
    const opensA = !endsA && treeA.level[i] < limit;
    const opensB = !endsB && treeB.level[j] < limit;
    if (!opensA && !opensB) {
      if (!endsA || !endsB) {
        isUndecided = true;
        break;
      }
      const goesOn = solids
        ? testSolids(solids, a, i, b, j, query, contacts, tests)
        : testLeaves(a, i, b, j, query, contacts, tests);
      if (!goesOn) break;
      continue;
    }
    if (opensA && (!opensB || reachOfBox(treeA.bounds, BOX_NUMBERS * i) >= reachOfBox(treeB.bounds, BOX_NUMBERS * j))) {
      const first = treeA.firstChild(i);
      const count = treeA.count[i];
      moveBox(map, norm, treeB.bounds, BOX_NUMBERS * j, mapped, 0);
      for (let child = first + count - 1; child >= first; child--) {
        tests.bounds++;
        const isApart = disjoint(treeA.bounds, BOX_NUMBERS * child, mapped, 0, slack, axes);
        if (tell !== undefined) tell(child, j, isApart);
        if (!isApart) push(child, j);
      }
      if (count > 0) deepest = Math.max(deepest, treeA.level[first]);
    } else {
      const first = treeB.firstChild(j);
      const count = treeB.count[j];
      for (let child = first + count - 1; child >= first; child--) {
        tests.bounds++;
        moveBox(map, norm, treeB.bounds, BOX_NUMBERS * child, mapped, 0);
        const isApart = disjoint(treeA.bounds, BOX_NUMBERS * i, mapped, 0, slack, axes);
        if (tell !== undefined) tell(i, child, isApart);
        if (!isApart) push(i, child);
      }
      if (count > 0) deepest = Math.max(deepest, treeB.level[first]);
    }
  }
  if (unsure || (solids && solids.open > 0)) isUndecided = true;
  return contacts.outcome({ level: deepest, ...tests, isUndecided });
}

function doubled(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const bigger = new Int32Array(2 * numbers.length);
  bigger.set(numbers);
  return bigger;
}

/** True if the clearance was within the rounding of a distance. */
let unsure = false;
const bracket: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };

function touch(a: MovedHull, b: MovedHull, clearance: number): boolean {
  if (clearance === 0) return hullsMeet(a, b);
  hullDistanceTo(a, b, bracket, clearance);
  if (bracket.upper <= clearance) return true;
  if (bracket.lower <= clearance) unsure = true;
  return false;
}

function testLeaves(
  a: Operand,
  i: number,
  b: Operand,
  j: number,
  query: Query,
  contacts: ContactList,
  tests: { hulls: number },
): boolean {
  const firstA = ~a.tree.link[i];
  const firstB = ~b.tree.link[j];
  const { onVisit } = query;
  for (let p = firstA; p < firstA + a.tree.count[i]; p++) {
    for (let q = firstB; q < firstB + b.tree.count[j]; q++) {
      tests.hulls++;
      if (onVisit !== undefined) onVisit({ kind: 'hulls', a: p, b: q });
      if (!touch(a.load(p), b.load(q), query.clearance ?? 0)) continue;
      if (!contacts.add(p, q)) return false;
    }
  }
  return true;
}

/**
 * Like testLeaves, with one or two solids: nodes of one that is asked as a whole need not be
 * leaves, nor be tested more than once.
 */
function testSolids(
  solids: PairsOfSolids,
  a: Operand,
  i: number,
  b: Operand,
  j: number,
  { onVisit }: Query,
  contacts: ContactList,
  tests: { hulls: number },
): boolean {
  const firstA = solids.asksOnlyA ? 0 : ~a.tree.link[i];
  const firstB = solids.asksOnlyB ? 0 : ~b.tree.link[j];
  const countA = solids.asksOnlyA ? 1 : a.tree.count[i];
  const countB = solids.asksOnlyB ? 1 : b.tree.count[j];
  for (let p = firstA; p < firstA + countA; p++) {
    for (let q = firstB; q < firstB + countB; q++) {
      tests.hulls++;
      if (onVisit !== undefined) onVisit({ kind: 'hulls', a: p, b: q });
      if (!solids.areNewlyInContact(p, q)) continue;
      if (!contacts.add(a.solid ? 0 : p, b.solid ? 0 : q) || solids.isOnePair) return false;
    }
  }
  return true;
}
