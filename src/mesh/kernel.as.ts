/**
 * Finds the pairs of triangles of one mesh that may meet: its tree descended against itself.
 *
 * The tree's shape is that of triangle-tree.ts, and pairs come in the order of its `forPairs`. Here
 * boxes are whole numbers of 31 bits: each coordinate x becomes the integer part of
 *   (x - low) * scale
 * Subtracting, multiplying by a number above 0 and cutting off never turn an order around. So boxes
 * that share a point still do, whatever the rounding.
 *
 * A pair is left out if all of one triangle is surely on one open side of the other one's plane, by
 * the filter of orient.ts. The caller decides the others exactly.
 *
 * Records of twelve i32. A node has the lowest x, y, z and its first child, or ~first slot for a
 * leaf; the highest x, y, z and the end of its slots; three vertices that all its triangles have,
 * or -1, and -1. A slot has the same data of its triangle, with the triangle's number in place of
 * the child.
 */

const RECORD: usize = 48;
const HIGH: usize = 16;
const VERTICES: usize = 32;
const ERROR: f64 = 9.0 / 9007199254740992.0;
/** Lanes x, y and z. */
const XYZ: i32 = 7;
const LAST_CELL: f64 = 2147483646.0;

let positions: usize = 0;
let nodes: usize = 0;
let slots: usize = 0;
let stack: usize = 0;
let top: usize = 0;
let tiny: f64 = 0;
let patience: f64 = 0;

/** Writes the slots' records. `quantum`: f64 x 6, low x, y, z and scales of x, y, z. */
export function selfPairsSlots(
  fromPositions: usize,
  triangles: usize,
  order: usize,
  count: i32,
  intoSlots: usize,
  quantum: usize,
): void {
  positions = fromPositions;
  slots = intoSlots;
  tiny = reinterpret<f64>(0x07b0000000000000); // 2^-900
  for (let slot: i32 = 0; slot < count; slot++) {
    const triangle = load<u32>(order + (<usize>slot << 2));
    const corners = triangles + 12 * <usize>triangle;
    const to = slots + RECORD * <usize>slot;
    const i = load<u32>(corners);
    const j = load<u32>(corners, 4);
    const k = load<u32>(corners, 8);
    const p = fromPositions + 24 * <usize>i;
    const q = fromPositions + 24 * <usize>j;
    const r = fromPositions + 24 * <usize>k;
    for (let axis: usize = 0; axis < 3; axis++) {
      const at = axis << 3;
      const x = load<f64>(p + at);
      const y = load<f64>(q + at);
      const z = load<f64>(r + at);
      const low = load<f64>(quantum + at);
      const scale = load<f64>(quantum + at, 24);
      store<i32>(to + (axis << 2), cellOf(min(min(x, y), z), low, scale));
      store<i32>(to + (axis << 2), cellOf(max(max(x, y), z), low, scale), HIGH);
    }
    store<u32>(to, triangle, 12);
    store<u32>(to, i, VERTICES);
    store<u32>(to, j, VERTICES + 4);
    store<u32>(to, k, VERTICES + 8);
    store<i32>(to, -1, VERTICES + 12);
  }
}

@inline
function cellOf(x: f64, low: f64, scale: f64): i32 {
  return <i32>min(LAST_CELL, (x - low) * scale);
}

/** Writes the nodes' records, from the last one back, and begins at the root. */
export function selfPairsNodes(child: usize, slotEnd: usize, count: i32, intoNodes: usize, intoStack: usize): void {
  nodes = intoNodes;
  stack = intoStack;
  for (let node: i32 = count - 1; node >= 0; node--) {
    const to = nodes + RECORD * <usize>node;
    const first = load<i32>(child + (<usize>node << 2));
    const end = load<i32>(slotEnd + (<usize>node << 2));
    let from: usize;
    let some: i32;
    if (first >= 0) {
      from = nodes + RECORD * <usize>first;
      some = 2;
    } else {
      from = slots + RECORD * <usize>~first;
      some = end - ~first;
    }
    let low = v128.load(from);
    let high = v128.load(from, HIGH);
    let common = v128.load(from, VERTICES);
    for (let i: i32 = 1; i < some; i++) {
      from += RECORD;
      low = i32x4.min_s(low, v128.load(from));
      high = i32x4.max_s(high, v128.load(from, HIGH));
      common = v128.bitselect(common, i32x4.splat(-1), equalToOneOf(common, v128.load(from, VERTICES)));
    }
    v128.store(to, i32x4.replace_lane(low, 3, first));
    v128.store(to, i32x4.replace_lane(high, 3, end), HIGH);
    v128.store(to, common, VERTICES);
  }
  top = stack + 8;
  store<u64>(stack, 0);
}

/** Lanes of a that one of the first three lanes of b has. */
@inline
function equalToOneOf(a: v128, b: v128): v128 {
  return v128.or(
    v128.or(i32x4.eq(a, v128.shuffle<i32>(b, b, 0, 0, 0, 0)), i32x4.eq(a, v128.shuffle<i32>(b, b, 1, 1, 1, 1))),
    i32x4.eq(a, v128.shuffle<i32>(b, b, 2, 2, 2, 2)),
  );
}

/** True if two records have a vertex in common; -1 is none. */
@inline
function shareVertex(a: usize, b: usize): bool {
  const own = v128.load(a, VERTICES);
  const equal = equalToOneOf(own, v128.load(b, VERTICES));
  return v128.any_true(v128.and(equal, i32x4.ge_s(own, i32x4.splat(0))));
}

@inline
function overlaps(a: usize, b: usize): bool {
  const isBelow = i32x4.le_s(v128.load(a), v128.load(b, HIGH));
  const isAbove = i32x4.le_s(v128.load(b), v128.load(a, HIGH));
  return (i32x4.bitmask(v128.and(isBelow, isAbove)) & XYZ) == XYZ;
}

@inline
function push(a: i32, b: i32): void {
  store<i32>(top, a);
  store<i32>(top, b, 4);
  top += 8;
}

/**
 * Writes further pairs of triangles, u32 x 2 each, that may meet.
 *
 * @param room for so many pairs, 16 at least
 * @param most maximum number of pairs of nodes to examine
 * @returns their number, which is below room - 15 at the end of the search; -1 after too many pairs
 *   of nodes
 */
export function selfPairsRun(out: usize, room: i32, most: f64): i32 {
  let found: i32 = 0;
  patience = most;
  while (found <= room - 16) {
    if (top == stack) return found;
    if (patience < 0) return -1;
    patience -= 1;
    top -= 8;
    const i = load<i32>(top);
    const j = load<i32>(top, 4);
    const a = nodes + RECORD * <usize>i;
    const b = nodes + RECORD * <usize>j;
    if (shareVertex(a, b)) continue;
    const left = load<i32>(a, 12);
    const right = load<i32>(b, 12);
    if (left < 0 && right < 0) {
      found = comparedLeaves(a, b, out, found);
    } else if (a == b) {
      push(left, left);
      push(left + 1, left + 1);
      const child = nodes + RECORD * <usize>left;
      if (overlaps(child, child + RECORD)) push(left, left + 1);
    } else if (right < 0) {
      const child = nodes + RECORD * <usize>left;
      if (overlaps(child, b)) push(left, j);
      if (overlaps(child + RECORD, b)) push(left + 1, j);
    } else if (left < 0) {
      const child = nodes + RECORD * <usize>right;
      if (overlaps(a, child)) push(i, right);
      if (overlaps(a, child + RECORD)) push(i, right + 1);
    } else {
      const m = nodes + RECORD * <usize>left;
      const n = nodes + RECORD * <usize>right;
      if (overlaps(m, n)) push(left, right);
      if (overlaps(m, n + RECORD)) push(left, right + 1);
      if (overlaps(m + RECORD, n)) push(left + 1, right);
      if (overlaps(m + RECORD, n + RECORD)) push(left + 1, right + 1);
    }
  }
  return found;
}

function comparedLeaves(a: usize, b: usize, out: usize, before: i32): i32 {
  let found = before;
  const endA = slots + RECORD * <usize>load<i32>(a, HIGH + 12);
  const endB = slots + RECORD * <usize>load<i32>(b, HIGH + 12);
  const firstB = slots + RECORD * <usize>~load<i32>(b, 12);
  for (let s = slots + RECORD * <usize>~load<i32>(a, 12); s < endA; s += RECORD) {
    if (!overlaps(s, b)) continue;
    for (let r = a == b ? s + RECORD : firstB; r < endB; r += RECORD) {
      if (!overlaps(s, r) || shareVertex(s, r)) continue;
      if (isBeside(s, r) || isBeside(r, s)) continue;
      const to = out + (<usize>found << 3);
      store<u32>(to, load<u32>(s, 12));
      store<u32>(to, load<u32>(r, 12), 4);
      found++;
    }
  }
  return found;
}

/** True if all of slot r's triangle is surely on one open side of the plane of slot s's. */
function isBeside(s: usize, r: usize): bool {
  const p = positions + 24 * <usize>load<u32>(s, VERTICES);
  const q = positions + 24 * <usize>load<u32>(s, VERTICES + 4);
  const o = positions + 24 * <usize>load<u32>(s, VERTICES + 8);
  const x = load<f64>(o);
  const y = load<f64>(o, 8);
  const z = load<f64>(o, 16);
  const ax = load<f64>(p) - x;
  const ay = load<f64>(p, 8) - y;
  const az = load<f64>(p, 16) - z;
  const bx = load<f64>(q) - x;
  const by = load<f64>(q, 8) - y;
  const bz = load<f64>(q, 16) - z;
  const yz = ay * bz;
  const zy = az * by;
  const zx = az * bx;
  const xz = ax * bz;
  const xy = ax * by;
  const yx = ay * bx;
  const nx = yz - zy;
  const ny = zx - xz;
  const nz = xy - yx;
  const ex = abs(yz) + abs(zy) + tiny;
  const ey = abs(zx) + abs(xz) + tiny;
  const ez = abs(xy) + abs(yx) + tiny;
  let side: i32 = 0;
  for (let k: usize = VERTICES; k < VERTICES + 12; k += 4) {
    const v = positions + 24 * <usize>load<u32>(r + k);
    const cx = load<f64>(v) - x;
    const cy = load<f64>(v, 8) - y;
    const cz = load<f64>(v, 16) - z;
    const det = nx * cx + ny * cy + nz * cz;
    // If a product overflows, so does the error.
    const error = ERROR * (ex * abs(cx) + ey * abs(cy) + ez * abs(cz)) + tiny;
    const own: i32 = det > error ? 1 : det < -error ? -1 : 0;
    if (own == 0 || own == -side) return false;
    side = own;
  }
  return true;
}
