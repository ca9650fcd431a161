/** Two wide OBB trees against each other: by the kernel where there is one. */
import { adoptPlacement, allocateFor, kernels, place, placementOf, whileBusy } from '../../../kernels/memory.ts';
import type { Pose } from '../../../math/pose.ts';
import { relativePose } from '../../../query/relative-pose.ts';
import { ContactList, type Outcome, type Query } from '../../../query/report.ts';
import type { PairKernel } from '../../../query/representation.ts';
import type { ObbTree } from '../tree/obb-tree.ts';
import { reachOfObbTree } from '../tree/unfold.ts';
import { decodeWideBox, WIDE_BYTES, WIDE_DECODED, wideViews } from '../tree/wide-node.ts';
import { type WideTree, type WideWalk, walkWide } from './twin.ts';

/** Bytes of a tree's record: see kernel.as.ts. */
const RECORD_BYTES = 64;
// Places in the workspace, in doubles and (CONTACTS) in bytes: kernel.as.ts.
const POSE_NUMBERS = 16;
const RESULT = 448 / 8;
const WORKSPACE_NUMBERS = 64;
const CONTACTS = 720896;
/** Contacts that the workspace holds. */
const CAPACITY = 40960;
/** Where somebody may end the search at any contact, no more than two leaves' are found ahead. */
const SMALL_CAPACITY = 16;

/** Copies the tree into the kernels' memory, once; 0 where it has no room or there are no kernels. */
export function placeWideTree(tree: ObbTree): number {
  const known = placementOf(tree);
  if (known !== undefined) return known;
  const own = kernels();
  if (!own) return 0;
  const { nodes, positions, triangles } = tree;
  const order = tree.order as Uint32Array;
  const sizes = [RECORD_BYTES, nodes.byteLength, positions.byteLength, triangles.byteLength, order.byteLength];
  const offsets = [0];
  for (const size of sizes) offsets.push(Math.ceil((offsets.at(-1)! + size) / 64) * 64);
  const record = allocateFor(tree, offsets.at(-1)!);
  adoptPlacement(tree, record);
  if (record === 0) return 0;
  const [, atNodes, atPositions, atCorners, atOrder] = offsets.map((offset) => record + offset);
  place(atNodes, nodes);
  place(atPositions, positions);
  place(atOrder, order);
  // In the order of the leaves, so that what a query reads lies together.
  const corners = new Uint32Array(own.memory.buffer, atCorners, triangles.length);
  for (let i = 0; i < order.length; i++) {
    const t = 3 * order[i];
    corners[3 * i] = triangles[t];
    corners[3 * i + 1] = triangles[t + 1];
    corners[3 * i + 2] = triangles[t + 2];
  }
  const words = new Uint32Array(own.memory.buffer, record, 6);
  words.set([atNodes, atCorners, atPositions, positions instanceof Float32Array ? 1 : 0, atOrder, order.length]);
  const numbers = new Float64Array(own.memory.buffer, record + 24, 5);
  numbers.set(tree.origin);
  numbers[3] = reachOfObbTree(tree);
  numbers[4] = localReach(tree);
  return record;
}

/** At least how far any node reaches from the tree's origin. */
function localReach({ nodes }: ObbTree): number {
  const views = wideViews(nodes);
  const box = new Float64Array(WIDE_DECODED);
  let reach = 0;
  for (let node = 0; node < nodes.byteLength / WIDE_BYTES; node++) {
    decodeWideBox(views, node, box, 0);
    let sum = 0;
    for (let k = 9; k < WIDE_DECODED; k++) sum += Math.abs(box[k]);
    if (sum > reach) reach = sum;
  }
  return 1.01 * reach;
}

type Add = (triangleA: number, triangleB: number) => boolean;

/** Two wide trees, placed; undefined where there are no kernels or no memory. */
export function kernelOfWideTrees(a: ObbTree, b: ObbTree): PairKernel | undefined {
  const recordA = placeWideTree(a);
  const recordB = placeWideTree(b);
  const own = kernels();
  if (!own || recordA === 0 || recordB === 0) return undefined;
  const { wideQuery, wideResume } = own.functions;
  const { workspace } = own;
  // Views of a shared memory stay good when that grows.
  const numbers = new Float64Array(own.memory.buffer, workspace, WORKSPACE_NUMBERS);
  const contacts = new Uint32Array(own.memory.buffer, workspace + CONTACTS, 2 * CAPACITY);
  return {
    verdict(poseA, poseB) {
      // Called from the middle of another query; or the trees, which must outlive their records: this keeps them.
      if (kernels() === null) return searchWideTrees(a, b, firstContactOf(poseA, poseB)).verdict;
      for (let i = 0; i < POSE_NUMBERS; i++) {
        numbers[i] = poseA[i];
        numbers[POSE_NUMBERS + i] = poseB[i];
      }
      if (wideQuery(recordA, recordB, workspace, 0, SMALL_CAPACITY) < 0)
        return searchWideTrees(a, b, firstContactOf(poseA, poseB)).verdict;
      return numbers[RESULT] > 0 ? 'contact' : 'clear';
    },
    search(query) {
      if (query.level !== null || kernels() === null) return undefined;
      numbers.set(query.poseA);
      numbers.set(query.poseB, POSE_NUMBERS);
      const capacity = query.onContact ? SMALL_CAPACITY : CAPACITY;
      let isDone = wideQuery(recordA, recordB, workspace, Number(query.all), capacity);
      if (isDone < 0) return undefined;
      return outcomeOf(query, (add) => {
        for (;;) {
          const areWanted = numbers[RESULT] === 0 || whileBusy(() => addAll(contacts, numbers[RESULT], add));
          if (isDone || !areWanted) break;
          isDone = wideResume(workspace);
        }
        return { bounds: numbers[RESULT + 1], hulls: numbers[RESULT + 2], level: numbers[RESULT + 3] };
      });
    },
  };
}

const firstContactOf = (poseA: Pose, poseB: Pose): Query => ({ poseA, poseB, all: false, maxContacts: 1, level: null });

/** Checks two wide trees in their poses, level or not: a walk of them goes to their leaves. */
export function searchWideTrees(a: ObbTree, b: ObbTree, query: Query): Outcome {
  const { poseA, poseB, all: isAll } = query;
  const relative = relativePose(poseA, poseB, reachOfObbTree(a), reachOfObbTree(b));
  return outcomeOf(query, (add) => walkWide(wideTreeOf(a), wideTreeOf(b), { poseA, poseB, ...relative, isAll }, add));
}

const wideTreeOf = (tree: ObbTree): WideTree => ({ ...tree, order: tree.order as Uint32Array });

function addAll(contacts: Uint32Array, count: number, add: Add): boolean {
  for (let i = 0; i < 2 * count; i += 2) if (!add(contacts[i], contacts[i + 1])) return false;
  return true;
}

function outcomeOf(query: Query, walkWith: (add: Add) => WideWalk): Outcome {
  const contacts = new ContactList(query.onContact);
  let isCut = false;
  const { bounds, hulls, level } = walkWith((i, j) => {
    isCut = contacts.count === query.maxContacts || !contacts.add(i, j);
    return !isCut;
  });
  return {
    verdict: contacts.count > 0 ? 'contact' : 'clear',
    contacts: {
      count: contacts.count,
      complete: !isCut && (query.all || contacts.count === 0),
      pairs: contacts.sorted(),
    },
    level,
    tests: { bounds, hulls },
  };
}
