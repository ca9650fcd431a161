/** Two k-DOP trees of 16 bits or fewer against each other: by the kernel where there is one, else by its twin. */

import {
  adoptPlacement,
  allocate,
  allocateFor,
  type Kernels,
  kernels,
  place,
  placementOf,
  whileBusy,
} from '../../../kernels/memory.ts';
import { relativePose } from '../../../query/relative-pose.ts';
import { ContactList, type Outcome, type Query } from '../../../query/report.ts';
import type { ContactTest } from '../../../query/representation.ts';
import { dopDirections } from '../tree/dop-directions.ts';
import type { KdopTree } from '../tree/kdop-tree.ts';
import { facetTable } from './facets.ts';
import { GROUP_COEFFICIENTS, GROUP_WIDTH, groupBytesOf, groupsOf, type KdopGroups, NARROW } from './groups.ts';
import { FARTHEST_SCALES, reachOfKdopTree } from './projection.ts';
import { type KdopWalk, walkKdop } from './twin.ts';

/** Bytes of a tree's record and of directions': see kernel.as.ts. */
const RECORD_BYTES = 128;
const DIRECTION_VECTORS = 128;
const DIRECTION_FACETS = 768;
const FACET_BYTES = 192;
// Where in the workspace results are, in doubles, and contacts, in bytes: kernel.as.ts.
const POSE_NUMBERS = 16;
const RESULT = 448 / 8;
const WORKSPACE_NUMBERS = 64;
const CONTACTS = 720896;
/** Contacts that the workspace holds. */
const CAPACITY = 40960;
/** Where somebody may end the search at any contact, no more than two groups' are found ahead. */
const SMALL_CAPACITY = 16;

/** Addresses of the directions' records, by k. */
const directionRecords = new Map<number, number>();

const roundUp = (bytes: number): number => Math.ceil(bytes / 64) * 64;

/** Whether the kernel, or its twin, takes the pair. */
const isNarrowPair = (a: KdopTree, b: KdopTree): boolean =>
  a.bits <= NARROW && b.bits <= NARROW && Math.abs(a.exponent - b.exponent) <= FARTHEST_SCALES;

/**
 * Copies a tree of 16 bits or fewer into the kernels' memory, once, for as long as it lives: the address of its record, for the export
 * `kdopQuery`; 0 where there is no room or there are no kernels.
 */
export function placeKdopTree(tree: KdopTree): number {
  const known = placementOf(tree);
  if (known !== undefined) return known;
  if (!kernels()) return 0;
  const record = placed(tree);
  adoptPlacement(tree, record);
  return record;
}

function placed(tree: KdopTree): number {
  const own = kernels();
  const directions = placeDirections(tree);
  if (!own || directions === 0) return 0;
  const { groups, leaves, positions, quantumExponent, radius } = groupsOf(tree);
  const sections = [groups, leaves, positions];
  const bytes = sections.reduce((sum, { byteLength }) => sum + roundUp(byteLength), RECORD_BYTES);
  const record = allocateFor(tree, bytes);
  if (record === 0) return 0;
  let end = record + RECORD_BYTES;
  const [atGroups, atLeaves, atPositions] = sections.map((section) => {
    const at = end;
    place(at, section);
    end += roundUp(section.byteLength);
    return at;
  });
  const isFloat = Number(positions instanceof Float32Array);
  const words = new Int32Array(own.memory.buffer, record, 8);
  words.set([atGroups, groupBytesOf(tree.k), atLeaves, atPositions, isFloat, tree.k / 2, directions, quantumExponent]);
  const numbers = new Float64Array(own.memory.buffer, record + 32, 5);
  numbers.set([...tree.origin, reachOfKdopTree(tree), radius]);
  return record;
}

/** The tables of dop-directions.ts and facets.ts as the kernel reads them, once for each k and for good: 10 KB at most. */
function placeDirections({ k }: KdopTree): number {
  const known = directionRecords.get(k);
  if (known !== undefined) return known;
  const own = kernels();
  const { vectors, facets, normals, weights } = dopDirections(k);
  const count = facets.length / 3;
  const record = allocate(DIRECTION_FACETS + FACET_BYTES * count);
  if (!own || record === 0) return 0;
  place(record, facetTable(k));
  place(record + DIRECTION_VECTORS, vectors);
  for (let f = 0; f < count; f++) {
    const numbers = new Float64Array(21);
    const places = new Uint16Array(6);
    numbers.set(normals.subarray(3 * f, 3 * f + 3));
    for (let m = 0; m < 3; m++) {
      const face = facets[3 * f + m];
      for (let i = 0; i < 3; i++) {
        numbers[3 + 3 * m + i] = weights[9 * f + 3 * m + i] * 2 ** 15;
        numbers[12 + 3 * m + i] = vectors[3 * face + i] / 2 ** 15;
      }
      places[m] = GROUP_COEFFICIENTS + 2 * GROUP_WIDTH * ((face + k / 2) % k);
      places[3 + m] = GROUP_COEFFICIENTS + 2 * GROUP_WIDTH * face;
    }
    const facet = record + DIRECTION_FACETS + FACET_BYTES * f;
    place(facet, numbers);
    place(facet + numbers.byteLength, places);
  }
  directionRecords.set(k, record);
  return record;
}

/** What the twin reads, where there are no kernels. */
const groupsOfTrees = new WeakMap<KdopTree, KdopGroups>();

function groupsOfTree(tree: KdopTree): KdopGroups {
  let groups = groupsOfTrees.get(tree);
  if (!groups) {
    groups = groupsOf(tree);
    groupsOfTrees.set(tree, groups);
  }
  return groups;
}

/** All, unless the query says how many. */
const axesFor = (a: KdopTree, b: KdopTree, axes: number | null | undefined): number => axes ?? (a.k + b.k) / 2;

/** The workspace of this thread's kernels, and of the contacts in it a's triangles and b's. */
interface Workspace {
  kernels: Kernels;
  numbers: Float64Array;
  contacts: Uint32Array;
}

let workspaceOfThread: Workspace | undefined;

/** Views of a shared memory stay good when that grows. */
function workspaceOf(own: Kernels): Workspace {
  if (workspaceOfThread?.kernels !== own) {
    const { buffer } = own.memory;
    workspaceOfThread = {
      kernels: own,
      numbers: new Float64Array(buffer, own.workspace, WORKSPACE_NUMBERS),
      contacts: new Uint32Array(buffer, own.workspace + CONTACTS, 2 * CAPACITY),
    };
  }
  return workspaceOfThread;
}

type Add = (triangleA: number, triangleB: number) => boolean;

/** Checks two trees in their poses; undefined for trees of more bits, and where a level is given. */
export function checkNarrowKdopTrees(a: KdopTree, b: KdopTree, query: Query): Outcome | undefined {
  if ((query.level ?? null) !== null || !isNarrowPair(a, b)) return undefined;
  return outcomeOf(query, (add) => walkByKernel(a, b, query, add) ?? walkByTwin(a, b, query, add));
}

/** The same without the kernel. */
export const checkByTwin = (a: KdopTree, b: KdopTree, query: Query): Outcome =>
  outcomeOf(query, (add) => walkByTwin(a, b, query, add));

function outcomeOf(query: Query, walkWith: (add: Add) => KdopWalk): Outcome {
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

function walkByKernel(a: KdopTree, b: KdopTree, query: Query, add: Add): KdopWalk | undefined {
  const recordA = placeKdopTree(a);
  const recordB = placeKdopTree(b);
  const own = kernels();
  if (!own || recordA === 0 || recordB === 0) return undefined;
  const { functions, workspace } = own;
  const { numbers, contacts } = workspaceOf(own);
  numbers.set(query.poseA);
  numbers.set(query.poseB, POSE_NUMBERS);
  const capacity = query.onContact ? SMALL_CAPACITY : CAPACITY;
  const axes = axesFor(a, b, query.axes);
  let isDone = functions.kdopQuery(recordA, recordB, workspace, Number(query.all), capacity, axes);
  for (;;) {
    const areWanted = numbers[RESULT] === 0 || whileBusy(() => addAll(contacts, numbers[RESULT], add));
    if (isDone || !areWanted) break;
    isDone = functions.kdopResume(workspace);
  }
  return { bounds: numbers[RESULT + 1], hulls: numbers[RESULT + 2], level: numbers[RESULT + 3] };
}

function addAll(contacts: Uint32Array, count: number, add: Add): boolean {
  for (let i = 0; i < 2 * count; i += 2) if (!add(contacts[i], contacts[i + 1])) return false;
  return true;
}

function walkByTwin(a: KdopTree, b: KdopTree, query: Query, add: Add): KdopWalk {
  const { poseA, poseB, all: isAll } = query;
  const { map, slack } = relativePose(poseA, poseB, reachOfKdopTree(a), reachOfKdopTree(b));
  const asked = { poseA, poseB, map, slack, isAll, axes: axesFor(a, b, query.axes) };
  return walkKdop(groupsOfTree(a), groupsOfTree(b), asked, add);
}

/**
 * Two trees' first contact, pose after pose, without an allocation; undefined where the kernel does not take them: more than 16 bits, scales
 * more than 2^500 apart, no kernels or no memory.
 *
 * @example prepareKdopTrees(a, b)?.(identity(), poseB) // 'contact' or 'clear'
 */
export function prepareKdopTrees(a: KdopTree, b: KdopTree): ContactTest | undefined {
  if (!isNarrowPair(a, b)) return undefined;
  const recordA = placeKdopTree(a);
  const recordB = placeKdopTree(b);
  const own = kernels();
  if (!own || recordA === 0 || recordB === 0) return undefined;
  const { kdopQuery } = own.functions;
  const { workspace } = own;
  const { numbers } = workspaceOf(own);
  const axes = axesFor(a, b, null);
  return (poseA, poseB) => {
    // Called from the middle of another query; besides, this keeps the trees, as long as which their records live.
    if (kernels() === null) return checkByTwin(a, b, { poseA, poseB, all: false, maxContacts: 1, level: null }).verdict;
    numbers.set(poseA);
    numbers.set(poseB, POSE_NUMBERS);
    kdopQuery(recordA, recordB, workspace, 0, SMALL_CAPACITY, axes);
    return numbers[RESULT] > 0 ? 'contact' : 'clear';
  };
}
