/**
 * Calls a kernel on two placed assets: poses into the workspace (kernels/layout.as.ts), contacts
 * out of it, part by part. Also maps B's frame into A's, for bounds.
 */
import {
  ANSWERS,
  CONTACTS,
  ENDED,
  POSE_A,
  POSE_B,
  POSES,
  POSES_A_CALL,
  RESULT,
  TURN,
  UNSUITED,
  WORKSPACE_BYTES,
} from '../kernels/layout.as.ts';
import { type KernelMemory, kernelMemory, whileBusy } from '../kernels/memory.ts';
import {
  copyPose,
  isIdentity,
  minNormBound,
  moveErrorBound,
  normBound,
  type Pose,
  rigidPose,
  UNMOVED,
} from '../math/pose.ts';
import { ContactList, type Outcome, type Query, type Verdict } from './records.ts';

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

export const workspaceOf = ({ memory, workspace }: KernelMemory): Workspace => ({
  address: workspace,
  numbers: new Float64Array(memory.buffer, workspace, TURN_OF_SEARCH + 1),
  contacts: new Uint32Array(memory.buffer, workspace + CONTACTS, 2 * CAPACITY),
});

/** The workspace whose pose of a is UNMOVED, or 0. Only `writePoses` writes that pose. */
let unmoved = 0;

/**
 * Writes a query's poses, 16 numbers each; the kernel tests that they are rigid. Returns false
 * within `onContact`, when another query uses the workspace.
 */
export function writePoses({ address, numbers }: Workspace, poseA: Pose, poseB: Pose, turn = WITHOUT_END): boolean {
  if (kernelMemory() === null) return false;
  numbers[TURN_OF_SEARCH] = turn;
  if (poseA !== UNMOVED || unmoved !== address) {
    unmoved = poseA === UNMOVED ? address : 0;
    copyPose(poseA, 0, numbers, FIRST_OF_A);
  }
  copyPose(poseB, 0, numbers, FIRST_OF_B);
  return true;
}

/**
 * Answers many poses of b, 16 numbers each, a few hundred in a call: see PairKernel.
 *
 * @param call answers the first so many poses of the workspace
 */
export function answerPoses(
  workspace: Workspace,
  poses: Float64Array,
  verdicts: Uint8Array,
  call: (count: number) => void,
): boolean {
  if (!writePoses(workspace, UNMOVED, UNMOVED)) return false;
  const { buffer } = workspace.numbers;
  const to = new Float64Array(buffer, workspace.address + POSES, POSE_NUMBERS * POSES_A_CALL);
  const answers = new Uint8Array(buffer, workspace.address + ANSWERS, POSES_A_CALL);
  for (let first = 0; first < verdicts.length; first += POSES_A_CALL) {
    const count = Math.min(POSES_A_CALL, verdicts.length - first);
    to.set(poses.subarray(POSE_NUMBERS * first, POSE_NUMBERS * (first + count)));
    call(count);
    verdicts.set(answers.subarray(0, count), first);
  }
  return true;
}

export const verdictIn = ({ numbers }: Workspace): Verdict => (numbers[FOUND] > 0 ? 'contact' : 'clear');

/**
 * The query for a first contact, for the kind's own search if the kernel does not answer.
 *
 * @throws OptionError for a pose that is not rigid
 */
export const firstContact = (poseA: ArrayLike<number>, poseB: ArrayLike<number>): Query => ({
  poseB: rigidPose(poseB, 'pose of b'),
  poseA: poseA === UNMOVED ? UNMOVED : rigidPose(poseA, 'pose of a'),
  all: false,
  maxContacts: 1,
  level: null,
});

/** A kernel's functions for a pair of placed assets. */
export interface PairSearch {
  /** Begins a query in the written poses: ENDED, FULL or UNSUITED. */
  start(isAll: number, capacity: number): number;
  /** Goes on with an empty list: ENDED or FULL. */
  resume(address: number): number;
  /** Sorts the first contacts of the list once no search continues. */
  sortContacts(address: number, count: number): number;
}

export function askKernel(workspace: Workspace, query: Query, search: PairSearch): Outcome | undefined {
  const { poseA, poseB, deadline, all, maxContacts, onContact } = query;
  const turn = deadline === undefined ? WITHOUT_END : PAIRS_A_LOOK;
  if (query.level !== null || !writePoses(workspace, poseA, poseB, turn)) return undefined;
  const wanted = onContact ? LEAST_CAPACITY : maxContacts + 1 + LEAST_CAPACITY;
  let state = search.start(Number(all), Math.min(CAPACITY, wanted));
  if (state === UNSUITED) return undefined;
  const { address, numbers, contacts } = workspace;
  const list = new ContactList(query);
  let isUndecided = false;
  const found = numbers[FOUND];
  if (!onContact && (state === ENDED || found > maxContacts)) {
    const count = Math.min(found, maxContacts);
    if (count > 1) search.sortContacts(address, count);
    list.take(contacts, count, found);
  } else {
    const add = (): boolean => list.addAll(contacts, numbers[FOUND]);
    while ((numbers[FOUND] === 0 || (onContact ? whileBusy(add) : add())) && state !== ENDED) {
      isUndecided = deadline !== undefined && performance.now() >= deadline;
      if (isUndecided) break;
      state = search.resume(address);
    }
  }
  const [bounds, hulls, level] = [numbers[FOUND + 1], numbers[FOUND + 2], numbers[FOUND + 3]];
  return list.outcome({ level, bounds, hulls, isUndecided });
}

/*
 * B's frame in A's, for bounds only: triangles are moved by their own poses.
 *
 * Mapped bounds can miss nothing. A shared point of two triangles moved by poses A, B is:
 *   A x + e = B y + f.
 * Here x and y are inside the bounds, e and f the rounding of moved vertices (moveErrorBound).
 * Hence, for T = A^-1 B:
 *   |x - T y| <= |A^-1| (|e| + |f|)
 * T's image of a bound is computed with fewer than 200 roundings of terms no larger than S, the sum
 * of |a|, |b| and |translations|. So it is within 2^-45 S of the true one. `slack` is the sum of
 * both, and 2^-1000 for underflow. Poses need not be orthonormal: T is a true inverse times a
 * matrix, and `norm` bounds how much it lengthens.
 *
 * The same holds for distances:
 *   |A x + e - (B y + f)| >= shortest |x - T y| - |e| - |f|.
 * So bounds whose images are farther apart than g + slack in A's frame hold no two moved points
 * nearer than shortest g. If two points are g apart, the moved ones are at most this far apart:
 *   longest (g + slack)
 */

export interface RelativePose {
  /** T, a row-major 3x4 map. */
  map: Float64Array;
  /** An upper bound of |T x| / |x|. */
  norm: number;
  /**
   * Distance of T's linear part from a rotation: with every singular value s, and 1, between m and
   * M, at least M^2 - m^2. So, for orthonormal x, y, z in a right-handed frame:
   *   | |T x|^2 - |x|^2 | <= skew |x|^2
   *   |T x x T y - T z| <= skew
   */
  skew: number;
  /** Bound, in A's frame, of the error of mapped bounds at a true point of contact. */
  slack: number;
  /** A's pose lengthens by at least `shortest` and by at most `longest`. */
  shortest: number;
  longest: number;
}

/**
 * @param reachA, reachB bounds of the distance of any vertex or bound of A and of B from its origin
 * @param map receives the 3x4 map
 */
export function relativePose(
  poseA: Pose,
  poseB: Pose,
  reachA: number,
  reachB: number,
  map = new Float64Array(12),
): RelativePose {
  const shortest = minNormBound(poseA);
  const longest = normBound(poseA);
  if (isIdentity(poseA)) {
    for (let i = 0; i < 12; i++) map[i] = poseB[i];
  } else {
    invertLinear(poseA);
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 4; j++) {
        let sum = 0;
        for (let k = 0; k < 3; k++) {
          sum += inverse[3 * i + k] * (j < 3 ? poseB[4 * k + j] : poseB[4 * k + 3] - poseA[4 * k + 3]);
        }
        map[4 * i + j] = sum;
      }
    }
  }
  const sizes = reachA + reachB + translationOf(poseA) + translationOf(poseB);
  const moved = (moveErrorBound(poseA, reachA) + moveErrorBound(poseB, reachB)) / shortest;
  const norm = normBound(poseB) / shortest;
  const most = Math.max(1, norm);
  const least = Math.min(1, minNormBound(poseB) / longest);
  return {
    map,
    norm,
    skew: most * most - least * least,
    slack: (moved + 2 ** -45 * sizes) * (1 + 2 ** -40) + 2 ** -1000,
    shortest,
    longest,
  };
}

/** An upper bound of how far a pose moves the origin. */
export const translationOf = (pose: Pose): number => Math.abs(pose[3]) + Math.abs(pose[7]) + Math.abs(pose[11]);

const inverse = new Float64Array(9);

/** Inverts the linear part into `inverse`, row-major 3x3; its determinant is within 2e-5 of 1. */
function invertLinear(m: Pose): void {
  const c00 = m[5] * m[10] - m[6] * m[9];
  const c01 = m[6] * m[8] - m[4] * m[10];
  const c02 = m[4] * m[9] - m[5] * m[8];
  const d = m[0] * c00 + m[1] * c01 + m[2] * c02;
  inverse[0] = c00 / d;
  inverse[1] = (m[2] * m[9] - m[1] * m[10]) / d;
  inverse[2] = (m[1] * m[6] - m[2] * m[5]) / d;
  inverse[3] = c01 / d;
  inverse[4] = (m[0] * m[10] - m[2] * m[8]) / d;
  inverse[5] = (m[2] * m[4] - m[0] * m[6]) / d;
  inverse[6] = c02 / d;
  inverse[7] = (m[1] * m[8] - m[0] * m[9]) / d;
  inverse[8] = (m[0] * m[5] - m[1] * m[4]) / d;
}
