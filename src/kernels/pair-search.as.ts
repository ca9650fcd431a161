/**
 * Shared parts of the kernels that answer for pairs: beginning, pausing and resuming a search, and
 * corners moved by poses.
 *
 * Workspace: layout.as.ts.
 */
import {
  ANSWERS, CONTACTS, ENDED, FULL, LEFT_OVER, POSE_B, POSES, RESULT, SCRATCH, STACK, STATE, TURN, UNSUITED,
} from './layout.as';
import { at } from './relative-pose.as';
import { setTriangleScratch } from './triangle-pair.as';

const PENDING: usize = STATE;
const ALL: usize = STATE + 4;
const CAPACITY: usize = STATE + 8;

/** The current search: true if all contacts are wanted; the list's room and length. */
export let isAll: bool = false;
export let capacity: u32 = 0;
export let found: u32 = 0;
/** Pairs of triangles tested since it was resumed. */
export let hulls: u64 = 0;
/** Pairs of bounds to test before it pauses. */
export let turn: u64 = 0;

/** @param pending bytes that are on the stack already */
export function beginSearch(workspace: usize, wantsAll: i32, room: i32, pending: u32): void {
  store<u32>(workspace + PENDING, pending);
  store<u32>(workspace + ALL, wantsAll);
  store<u32>(workspace + CAPACITY, room);
  for (let i: usize = 0; i < 32; i += 8) store<f64>(workspace + RESULT + i, 0);
}

/** Starts with an empty list. Returns the stack's top. */
export function resumeSearch(workspace: usize): usize {
  setTriangleScratch(workspace + SCRATCH);
  isAll = load<u32>(workspace + ALL) != 0;
  capacity = load<u32>(workspace + CAPACITY);
  found = 0;
  hulls = 0;
  turn = <u64>load<f64>(workspace + TURN);
  return workspace + STACK + <usize>load<u32>(workspace + PENDING);
}

/** Stores results and pending pairs. Returns ENDED if none is pending. */
export function leaveSearch(workspace: usize, top: usize, bounds: u64, deepest: u32): i32 {
  const pending = <u32>(top - workspace - STACK);
  store<u32>(workspace + PENDING, pending);
  const result = workspace + RESULT;
  store<f64>(result, found);
  store<f64>(result, load<f64>(result, 8) + <f64>bounds, 8);
  store<f64>(result, load<f64>(result, 16) + <f64>hulls, 16);
  store<f64>(result, max(load<f64>(result, 24), <f64>deepest), 24);
  return pending == 0 ? ENDED : FULL;
}

/** Makes one of many poses the pose of b. */
export function takePose(workspace: usize, n: i32): void {
  const from = workspace + POSES + (<usize>n << 7);
  for (let i: usize = 0; i < 128; i += 16) v128.store(workspace + POSE_B + i, v128.load(from + i));
}

/** Stores the answer to one of many poses, whose query for a first contact has returned `state`. */
export function answerPose(workspace: usize, n: i32, state: i32): void {
  store<u8>(workspace + ANSWERS + n, state == UNSUITED ? LEFT_OVER : found > 0 ? 1 : 0);
}

@inline
export function countHulls(count: u64 = 1): void {
  hulls += count;
}

@inline
export function addContact(workspace: usize, a: u32, b: u32): void {
  addContactIf(true, workspace, a, b);
}

/** Without a branch, so the list must have room even for a contact that is not added. */
@inline
export function addContactIf(meets: bool, workspace: usize, a: u32, b: u32): void {
  const contact = workspace + CONTACTS + (<usize>found << 3);
  store<u32>(contact, b);
  store<u32>(contact, a, 4);
  found += <u32>meets;
}

/** Below this, passes over the digits' counters take longer than moving contacts one by one. */
const FEW: u32 = 24;

/**
 * Sorts the first contacts of the list by a, then b, after the search has ended: it works in the
 * memory of the stack. Digits of 8 bits, the least first; those that all contacts share are left
 * out.
 */
export function sortContacts(workspace: usize, count: u32): void {
  const list = workspace + CONTACTS;
  if (count < FEW) {
    insert(list, count);
    return;
  }
  const first = load<u64>(list);
  let varying: u64 = 0;
  const end = list + (<usize>count << 3);
  for (let at = list + 8; at < end; at += 8) varying |= load<u64>(at) ^ first;
  let from = list;
  let to = workspace + STACK;
  for (let shift: u64 = 0; shift < 64; shift += 8) {
    if (((varying >> shift) & 255) == 0) continue;
    sortByDigit(workspace + SCRATCH, from, to, count, shift);
    const other = from;
    from = to;
    to = other;
  }
  if (from != list) memory.copy(list, from, <usize>count << 3);
}

function insert(list: usize, count: u32): void {
  const end = list + (<usize>count << 3);
  for (let at = list + 8; at < end; at += 8) {
    const key = load<u64>(at);
    let place = at;
    for (; place > list && load<u64>(place - 8) > key; place -= 8) store<u64>(place, load<u64>(place - 8));
    store<u64>(place, key);
  }
}

/** @param counters address of 1,024 bytes */
function sortByDigit(counters: usize, from: usize, to: usize, count: u32, shift: u64): void {
  memory.fill(counters, 0, 1024);
  const end = from + (<usize>count << 3);
  for (let at = from; at < end; at += 8) {
    const counter = counters + (<usize>((load<u64>(at) >> shift) & 255) << 2);
    store<u32>(counter, load<u32>(counter) + 8);
  }
  let place = <u32>to;
  for (let counter = counters; counter < counters + 1024; counter += 4) {
    const bytes = load<u32>(counter);
    store<u32>(counter, place);
    place += bytes;
  }
  for (let at = from; at < end; at += 8) {
    const key = load<u64>(at);
    const counter = counters + (<usize>((key >> shift) & 255) << 2);
    const into = load<u32>(counter);
    store<u32>(counter, into + 8);
    store<u64>(into, key);
  }
}

/** Moves a point in the order of operations for which verdicts are exact, or copies it. */
@inline
export function storeMoved(pose: usize, moves: bool, x: f64, y: f64, z: f64, to: usize): void {
  if (moves) {
    store<f64>(to, at(pose, 0) * x + at(pose, 1) * y + at(pose, 2) * z + at(pose, 3));
    store<f64>(to, at(pose, 4) * x + at(pose, 5) * y + at(pose, 6) * z + at(pose, 7), 8);
    store<f64>(to, at(pose, 8) * x + at(pose, 9) * y + at(pose, 10) * z + at(pose, 11), 16);
  } else {
    store<f64>(to, x);
    store<f64>(to, y, 8);
    store<f64>(to, z, 16);
  }
}

export function loadTriangle(vertices: usize, positions: usize, isFloat: bool, pose: usize, moves: bool, to: usize): void {
  for (let k: usize = 0; k < 3; k++) {
    const v = <usize>load<u32>(vertices + (k << 2));
    if (isFloat) {
      const p = positions + 12 * v;
      storeMoved(pose, moves, load<f32>(p), load<f32>(p, 4), load<f32>(p, 8), to + 24 * k);
    } else {
      const p = positions + 24 * v;
      storeMoved(pose, moves, load<f64>(p), load<f64>(p, 8), load<f64>(p, 16), to + 24 * k);
    }
  }
}
