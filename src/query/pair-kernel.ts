/**
 * Calls a kernel on two placed assets: poses into the workspace (kernels/layout.as.ts), contacts
 * out of it, part by part.
 */
import { CONTACTS, ENDED, POSE_A, POSE_B, RESULT, TURN, UNSUITED, WORKSPACE_BYTES } from '../kernels/layout.as.ts';
import { type Kernels, kernels, whileBusy } from '../kernels/memory.ts';
import type { Pose } from '../math/pose.ts';
import { ContactList } from './outcome.ts';
import type { Outcome, Query, Verdict } from './report.ts';

const CAPACITY = (WORKSPACE_BYTES - CONTACTS) / 8;
/** Most contacts of a step: none is found ahead, as any contact may end the search. */
export const LEAST_CAPACITY = 16;

const POSE_NUMBERS = 16;
const FIRST_OF_A = POSE_A / 8;
const FIRST_OF_B = POSE_B / 8;
const FOUND = RESULT / 8;
const TURN_OF_SEARCH = TURN / 8;
/** Pairs of bounds, some 50 ns each, between two looks at the clock. */
const PAIRS_A_LOOK = 1024;
/** More than any search tests. */
const WITHOUT_END = 2 ** 52;

/** This thread's workspace. Its views stay valid when the shared memory grows. */
export interface Workspace {
  address: number;
  numbers: Float64Array;
  contacts: Uint32Array;
}

export const workspaceOf = ({ memory, workspace }: Kernels): Workspace => ({
  address: workspace,
  numbers: new Float64Array(memory.buffer, workspace, TURN_OF_SEARCH + 1),
  contacts: new Uint32Array(memory.buffer, workspace + CONTACTS, 2 * CAPACITY),
});

/** Writes a query's poses; false within `onContact`, when another query uses the workspace. */
export function writePoses({ numbers }: Workspace, poseA: Pose, poseB: Pose, turn = WITHOUT_END): boolean {
  if (kernels() === null) return false;
  numbers[TURN_OF_SEARCH] = turn;
  for (let i = 0; i < POSE_NUMBERS; i++) {
    numbers[FIRST_OF_A + i] = poseA[i];
    numbers[FIRST_OF_B + i] = poseB[i];
  }
  return true;
}

export const verdictIn = ({ numbers }: Workspace): Verdict => (numbers[FOUND] > 0 ? 'contact' : 'clear');

/** The query for a first contact, for the kind's own search if the kernel does not answer. */
export const firstContact = (poseA: Pose, poseB: Pose): Query => ({
  poseA,
  poseB,
  all: false,
  maxContacts: 1,
  level: null,
});

/**
 * @param start begins a query in the written poses: ENDED, FULL or UNSUITED
 * @param resume goes on with an empty list: ENDED or FULL
 */
export function askKernel(
  workspace: Workspace,
  query: Query,
  start: (isAll: number, capacity: number) => number,
  resume: (address: number) => number,
): Outcome | undefined {
  const { poseA, poseB, deadline } = query;
  const turn = deadline === undefined ? WITHOUT_END : PAIRS_A_LOOK;
  if (query.level !== null || !writePoses(workspace, poseA, poseB, turn)) return undefined;
  const wanted = query.onContact ? LEAST_CAPACITY : query.maxContacts + 1 + LEAST_CAPACITY;
  let state = start(Number(query.all), Math.min(CAPACITY, wanted));
  if (state === UNSUITED) return undefined;
  const { address, numbers, contacts } = workspace;
  const list = new ContactList(query);
  let isUndecided = false;
  while ((numbers[FOUND] === 0 || whileBusy(() => addAll(contacts, numbers[FOUND], list))) && state !== ENDED) {
    isUndecided = deadline !== undefined && performance.now() >= deadline;
    if (isUndecided) break;
    state = resume(address);
  }
  const [bounds, hulls, level] = [numbers[FOUND + 1], numbers[FOUND + 2], numbers[FOUND + 3]];
  return list.outcome({ level, bounds, hulls, isUndecided });
}

function addAll(found: Uint32Array, count: number, list: ContactList): boolean {
  for (let i = 0; i < 2 * count; i += 2) if (!list.add(found[i], found[i + 1])) return false;
  return true;
}
