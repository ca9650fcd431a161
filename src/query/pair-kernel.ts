/**
 * A kernel's calls as a `PairKernel`: poses into the workspace (kernels/layout.as.ts), contacts out of it, part by part, and what is not the
 * kernel's to the kind's own search.
 */
import { CONTACTS, ENDED, POSE_A, POSE_B, RESULT, UNSUITED, WORKSPACE_BYTES } from '../kernels/layout.as.ts';
import { type Kernels, kernels, whileBusy } from '../kernels/memory.ts';
import type { Pose } from '../math/pose.ts';
import { ContactList } from './outcome.ts';
import type { Outcome, Query } from './report.ts';
import type { PairKernel } from './representation.ts';

/** Contacts that the workspace has room for. */
const CAPACITY = (WORKSPACE_BYTES - CONTACTS) / 8;
/** Room for what a step finds at most: where somebody may end the search at any contact, no more is found ahead. */
const LEAST_CAPACITY = 16;

const POSE_NUMBERS = 16;
const FOUND = RESULT / 8;

/** A kernel on two placed assets. Whoever holds these calls keeps the assets, which must outlive what is placed. */
export interface KernelCalls {
  /** Starts a query in the poses that stand in the workspace: ENDED, FULL or UNSUITED. */
  start(poseA: Pose, poseB: Pose, isAll: number, capacity: number, own: Query['own']): number;
  /** Goes on with an empty list: ENDED or FULL. */
  resume(workspace: number): number;
  /** The kind's own search. */
  search(query: Query): Outcome | undefined;
}

export function pairKernel({ memory, workspace }: Kernels, { start, resume, search }: KernelCalls): PairKernel {
  // Views of a shared memory stay good when that grows.
  const numbers = new Float64Array(memory.buffer, workspace, FOUND + 4);
  const contacts = new Uint32Array(memory.buffer, workspace + CONTACTS, 2 * CAPACITY);
  const begin = (poseA: Pose, poseB: Pose, isAll: boolean, capacity: number, own: Query['own']): number => {
    // Called within `onContact`: the workspace is another query's.
    if (kernels() === null) return UNSUITED;
    for (let i = 0; i < POSE_NUMBERS; i++) {
      numbers[POSE_A / 8 + i] = poseA[i];
      numbers[POSE_B / 8 + i] = poseB[i];
    }
    return start(poseA, poseB, Number(isAll), capacity, own);
  };
  return {
    verdict(poseA, poseB) {
      if (begin(poseA, poseB, false, LEAST_CAPACITY, undefined) !== UNSUITED)
        return numbers[FOUND] > 0 ? 'contact' : 'clear';
      return search({ poseA, poseB, all: false, maxContacts: 1, level: null })!.verdict;
    },
    search(query) {
      if (query.level !== null) return undefined;
      const capacity = query.onContact ? LEAST_CAPACITY : CAPACITY;
      let state = begin(query.poseA, query.poseB, query.all, capacity, query.own);
      if (state === UNSUITED) return undefined;
      const list = new ContactList(query);
      while ((numbers[FOUND] === 0 || whileBusy(() => addAll(contacts, numbers[FOUND], list))) && state !== ENDED) {
        state = resume(workspace);
      }
      return list.outcome({ level: numbers[FOUND + 3], bounds: numbers[FOUND + 1], hulls: numbers[FOUND + 2] });
    },
  };
}

/** Whether the search goes on after all that the kernel has found. */
function addAll(found: Uint32Array, count: number, list: ContactList): boolean {
  for (let i = 0; i < 2 * count; i += 2) if (!list.add(found[i], found[i + 1])) return false;
  return true;
}
