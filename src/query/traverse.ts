/**
 * One descent for any two hierarchies: pop a pair of bounds that may overlap, open the larger, keep the children that may still
 * overlap, test hulls at the bottom. It knows rounded boxes and hulls, and nothing of what they stand for.
 *
 * Hulls of a solid that a function defines may hold nothing; narrow-phase.ts asks the solid itself, which answers for all of it. So against an
 * ordinary hull it is of no use to open its cells further.
 */
import type { DistanceBracket } from '../geometry/distance-bracket.ts';
import { BOX_NUMBERS, disjoint, moveBox, reachOfBox } from '../geometry/rounded-box.ts';
import type { BoundTree } from './bound-tree.ts';
import { hullDistanceTo, hullsMeet, type LeafSide, type MovedHull, SolidPairs } from './narrow-phase.ts';
import { relativePose } from './relative-pose.ts';
import { ContactList, type Outcome, type Query } from './report.ts';

/** One side of a query: its tree, and its hulls as its pose moves them. */
export interface Operand extends LeafSide {
  tree: BoundTree;
  /** At least how far any vertex or bound lies from the origin of the asset's own frame. */
  reach: number;
}

let stack = new Int32Array(2 * 256);
const mapped = new Float64Array(BOX_NUMBERS);

/** Do the two surfaces share a point, or come as close as the clearance? Answers as `query` asks. */
export function traverse(a: Operand, b: Operand, query: Query): Outcome {
  const { clearance = 0 } = query;
  const pose = relativePose(query.poseA, query.poseB, a.reach, b.reach);
  const { map, norm } = pose;
  // Clearance is no second algorithm: bounds must be so much farther apart, in a's frame.
  const slack = pose.slack + (clearance / pose.shortest) * (1 + 2 ** -40);
  const limit = query.level ?? Number.POSITIVE_INFINITY;
  const treeA = a.tree;
  const treeB = b.tree;
  const solids = a.solid || b.solid ? new SolidPairs(a, b, clearance) : undefined;
  const wholeA = solids?.asksOnlyA ?? false;
  const wholeB = solids?.asksOnlyB ?? false;
  const contacts = new ContactList(query.onContact);
  const tests = { bounds: 0, hulls: 0 };
  unsure = false;
  let deepest = 0;
  let undecided = false;
  let cut = false;
  let top = 0;

  /** Whether nodes i of a and j of b, the latter mapped already or not, may overlap. */
  const push = (i: number, j: number): void => {
    if (top + 2 > stack.length) {
      const bigger = new Int32Array(2 * stack.length);
      bigger.set(stack);
      stack = bigger;
    }
    stack[top++] = i;
    stack[top++] = j;
  };

  tests.bounds++;
  moveBox(map, norm, treeB.bounds, 0, mapped, 0);
  if (!disjoint(treeA.bounds, 0, mapped, 0, slack)) push(0, 0);
  while (top > 0 && !cut) {
    const j = stack[--top];
    const i = stack[--top];
    const endsA = treeA.isLeaf(i) || (wholeA && treeB.isLeaf(j));
    const endsB = treeB.isLeaf(j) || (wholeB && treeA.isLeaf(i));
    const opensA = !endsA && treeA.level[i] < limit;
    const opensB = !endsB && treeB.level[j] < limit;
    if (!opensA && !opensB) {
      if (!endsA || !endsB) {
        undecided = true;
        break;
      }
      cut = solids
        ? testSolids(solids, a, i, b, j, query, contacts, tests)
        : testLeaves(a, i, b, j, query, contacts, tests);
      if (contacts.count > 0 && (!query.all || solids?.isOnePair)) break;
      continue;
    }
    if (opensA && (!opensB || reachOfBox(treeA.bounds, BOX_NUMBERS * i) >= reachOfBox(treeB.bounds, BOX_NUMBERS * j))) {
      const first = treeA.firstChild(i);
      const count = treeA.count[i];
      moveBox(map, norm, treeB.bounds, BOX_NUMBERS * j, mapped, 0);
      for (let child = first + count - 1; child >= first; child--) {
        tests.bounds++;
        if (!disjoint(treeA.bounds, BOX_NUMBERS * child, mapped, 0, slack)) push(child, j);
      }
      if (count > 0) deepest = Math.max(deepest, treeA.level[first]);
    } else {
      const first = treeB.firstChild(j);
      const count = treeB.count[j];
      for (let child = first + count - 1; child >= first; child--) {
        tests.bounds++;
        moveBox(map, norm, treeB.bounds, BOX_NUMBERS * child, mapped, 0);
        if (!disjoint(treeA.bounds, BOX_NUMBERS * i, mapped, 0, slack)) push(i, child);
      }
      if (count > 0) deepest = Math.max(deepest, treeB.level[first]);
    }
  }
  if (solids && solids.open > 0) unsure = true;
  return {
    verdict: contacts.count > 0 ? 'contact' : undecided || unsure ? 'undecided' : 'clear',
    contacts: {
      count: contacts.count,
      complete: !cut && !undecided && !unsure && (query.all || contacts.count === 0),
      pairs: contacts.sorted(),
    },
    level: deepest,
    tests,
  };
}

/** Whether the clearance was within the rounding of a distance. */
let unsure = false;
const bracket: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };

function touch(a: MovedHull, b: MovedHull, clearance: number): boolean {
  if (clearance === 0) return hullsMeet(a, b);
  hullDistanceTo(a, b, bracket, clearance);
  if (bracket.upper <= clearance) return true;
  if (bracket.lower <= clearance) unsure = true;
  return false;
}

/** Every hull of one leaf against every one of the other; returns whether the list had to be cut. */
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
  for (let p = firstA; p < firstA + a.tree.count[i]; p++) {
    for (let q = firstB; q < firstB + b.tree.count[j]; q++) {
      tests.hulls++;
      if (!touch(a.load(p), b.load(q), query.clearance ?? 0)) continue;
      if (contacts.count === query.maxContacts) return true;
      if (!contacts.add(p, q)) return true;
      if (!query.all) return false;
    }
  }
  return false;
}

/** As testLeaves, where one or both are solids: nodes of one that is asked as a whole need not be leaves, nor be tested more than once. */
function testSolids(
  solids: SolidPairs,
  a: Operand,
  i: number,
  b: Operand,
  j: number,
  query: Query,
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
      if (!solids.areNewlyInContact(p, q)) continue;
      if (contacts.count === query.maxContacts) return true;
      if (!contacts.add(a.solid ? 0 : p, b.solid ? 0 : q)) return true;
      if (!query.all || solids.isOnePair) return false;
    }
  }
  return false;
}
