/**
 * One descent for any two hierarchies: pop a pair of bounds that may overlap, open the larger, keep the children that may still
 * overlap, test hulls at the bottom. It knows rounded boxes and hulls, and nothing of what they stand for.
 */
import type { DistanceBracket } from '../geometry/distance-bracket.ts';
import { BOX_NUMBERS, disjoint, moveBox, reachOfBox } from '../geometry/rounded-box.ts';
import type { BoundTree } from './bound-tree.ts';
import { hullDistanceTo, hullsMeet, type MovedHull } from './narrow-phase.ts';
import { relativePose } from './relative-pose.ts';
import { ContactList, type Outcome, type Query } from './report.ts';

/** One side of a query: its tree, and its hulls as its pose moves them. */
export interface Operand {
  tree: BoundTree;
  /** At least how far any vertex or bound lies from the origin of the asset's own frame. */
  reach: number;
  /** Loads hull `id`, moved by the query's pose for this side; the answer is good until the next call. */
  load(id: number): MovedHull;
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
    const opensA = !treeA.isLeaf(i) && treeA.level[i] < limit;
    const opensB = !treeB.isLeaf(j) && treeB.level[j] < limit;
    if (!opensA && !opensB) {
      if (!treeA.isLeaf(i) || !treeB.isLeaf(j)) {
        undecided = true;
        break;
      }
      cut = testLeaves(a, i, b, j, query, contacts, tests);
      if (!query.all && contacts.count > 0) break;
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
      deepest = Math.max(deepest, treeA.level[first]);
    } else {
      const first = treeB.firstChild(j);
      const count = treeB.count[j];
      for (let child = first + count - 1; child >= first; child--) {
        tests.bounds++;
        moveBox(map, norm, treeB.bounds, BOX_NUMBERS * child, mapped, 0);
        if (!disjoint(treeA.bounds, BOX_NUMBERS * i, mapped, 0, slack)) push(i, child);
      }
      deepest = Math.max(deepest, treeB.level[first]);
    }
  }
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
