/**
 * Finds the cells of a mesh's surface. The method, its letters and its proof are in
 * surface-cells.ts; the operations here are on two doubles at a time.
 *
 * A brick's key and mask are adjacent. Sixteen consecutive keys have adjacent slots. The order is
 * that of a radix sort. If the table is full, the triangle is given up, and cut again when there is
 * room; setting a cell twice does no harm. A twin in TypeScript gives the same bytes
 * (test/kernels/twins/cubes.ts).
 */

const AXES: i32 = 10;
const BIAS: i32 = 524288;
const SLACK: f64 = 16.0 / 9007199254740992.0;
/** 2^-900. */
const TINY: f64 = 1.1830521861667747e-271;
const SPLITTER: f64 = 134217729.0;

const AX: usize = 0; // 10 doubles: the axes' x, y, z, and the triangle's extent along them
const AXIS_BYTES: usize = 80;
const AY: usize = 80;
const AZ: usize = 160;
const LEAST: usize = 240;
const GREATEST: usize = 320;
const CORNERS: usize = 400; // 9 doubles
const EDGES: usize = 472; // 9 doubles
const CENTRES: usize = 544; // 3 x 4 doubles
const FIRST: usize = 640; // 3 words, and 3 of LAST
const LAST: usize = 652;
const STACK: usize = 704; // 64 entries of 7 words
const ENTRY: usize = 28;
const COUNTS: usize = 2560; // 1,024 words

const BRICK_BYTES: usize = 16;

let scratch: usize = 0;
let precision: f64 = 0;
let scale: f64 = 0;
let a: f64 = 0;
let reachX: f64 = 0;
let reachY: f64 = 0;
let reachZ: f64 = 0;

/** Bricks: two words of key, two of mask. */
let bricks: usize = 0;
let capacity: u32 = 0;
let count: u32 = 0;
/** A brick's number plus 1, or 0. */
let slots: usize = 0;
let wrap: u32 = 0;
let isFull: bool = false;

/** `scaledBy` brings the precision to [1, 2); `at` has 8 KB. */
export function cubesBegin(at: usize, edge: f64, scaledBy: f64): void {
  scratch = at;
  precision = edge;
  scale = scaledBy;
  a = edge * scaledBy;
  count = 0;
}

export function cubesCount(): u32 {
  return count;
}

/** Sets the table after the bricks were copied; `slotCount` is a power of two >= 2 `room`. */
export function cubesTable(bricksAt: usize, room: u32, slotsAt: usize, slotCount: u32): void {
  bricks = bricksAt;
  capacity = room;
  slots = slotsAt;
  wrap = slotCount - 1;
  isFull = false;
  memory.fill(slotsAt, 0, (<usize>slotCount) << 2);
  for (let n: u32 = 0; n < count; n++) {
    const key = load<u64>(bricks + (<usize>n) * BRICK_BYTES);
    store<u32>(slotOf(key), n + 1);
  }
}

/** Address of this key's slot, or of the empty one where it belongs. */
function slotOf(key: u64): usize {
  const mixed = <u32>(((key >> 4) * 0x9e3779b97f4a7c15) >> 36);
  let slot = ((mixed << 4) | (<u32>key & 15)) & wrap;
  let number = load<u32>(slots + ((<usize>slot) << 2));
  while (number !== 0 && load<u64>(bricks + (<usize>(number - 1)) * BRICK_BYTES) !== key) {
    slot = (slot + 1) & wrap;
    number = load<u32>(slots + ((<usize>slot) << 2));
  }
  return slots + ((<usize>slot) << 2);
}

/** Puts two zeros after each of ten bits. */
// @ts-ignore: a decorator
@inline
function spread(x: u32): u32 {
  let s = x & 0x3ff;
  s = (s | (s << 16)) & 0x30000ff;
  s = (s | (s << 8)) & 0x300f00f;
  s = (s | (s << 4)) & 0x30c30c3;
  return (s | (s << 2)) & 0x9249249;
}

function addToBrick(x: i32, y: i32, z: i32, word0: u32, word1: u32): void {
  const i = <u32>(x + BIAS);
  const j = <u32>(y + BIAS);
  const k = <u32>(z + BIAS);
  const low = spread(i) | (spread(j) << 1) | (spread(k) << 2);
  const high = spread(i >> 10) | (spread(j >> 10) << 1) | (spread(k >> 10) << 2);
  const key = (<u64>low) | ((<u64>high) << 32);
  const slot = slotOf(key);
  let number = load<u32>(slot);
  if (number === 0) {
    if (count === capacity) {
      isFull = true;
      return;
    }
    number = ++count;
    store<u32>(slot, number);
    const at = bricks + (<usize>(number - 1)) * BRICK_BYTES;
    store<u64>(at, key);
    store<u64>(at, 0, 8);
  }
  const mask = bricks + (<usize>(number - 1)) * BRICK_BYTES;
  store<u64>(mask, load<u64>(mask, 8) | (<u64>word0) | ((<u64>word1) << 32), 8);
}

export function cubesAdd(x: i32, y: i32, z: i32, word0: u32, word1: u32): bool {
  addToBrick(x, y, z, word0, word1);
  return !isFull;
}

export function cubesCells(): f64 {
  let cells: u64 = 0;
  for (let n: u32 = 0; n < count; n++) cells += popcnt(load<u64>(bricks + (<usize>n) * BRICK_BYTES, 8));
  return <f64>cells;
}

/** The cell of x: k with fl(k a) <= x < fl((k+1) a). */
function cellOf(x: f64): i32 {
  let k = Math.floor(x / precision);
  while (k * precision > x) k -= 1.0;
  while ((k + 1.0) * precision <= x) k += 1.0;
  return <i32>k;
}

/** Adds triangles `from` to `to`; returns the next one, before `to` if the table is full. */
export function cubesSurface(positions: usize, triangles: usize, from: u32, to: u32): u32 {
  for (let t = from; t < to; t++) {
    const oneCell = placeTriangle(positions, triangles + (<usize>t) * 12);
    if (!oneCell) separatingAxes();
    addTriangle(oneCell);
    if (isFull) return t;
  }
  return to;
}

/**
 * Adds the cells that triangles set in single bricks of their range. `list` has four words for
 * each: the triangle, and the brick's x, y and z.
 *
 * @returns as cubesSurface: `to`, or the entry that found the table full
 */
export function cubesBricks(positions: usize, triangles: usize, list: usize, from: u32, to: u32): u32 {
  for (let n = from; n < to; n++) {
    const entry = list + ((<usize>n) << 4);
    placeTriangle(positions, triangles + (<usize>load<u32>(entry)) * 12);
    separatingAxes();
    addBrick(load<i32>(entry, 4), load<i32>(entry, 8), load<i32>(entry, 12));
    if (isFull) return n;
  }
  return to;
}

/** Scales a triangle, and finds its range of cells; true if it is a valid one. */
function placeTriangle(positions: usize, at: usize): bool {
  const p = positions + (<usize>load<u32>(at)) * 24;
  const q = positions + (<usize>load<u32>(at, 4)) * 24;
  const r = positions + (<usize>load<u32>(at, 8)) * 24;
  let oneCell = true;
  for (let axis: usize = 0; axis < 3; axis++) {
    const px = load<f64>(p + 8 * axis);
    const qx = load<f64>(q + 8 * axis);
    const rx = load<f64>(r + 8 * axis);
    const corner = scratch + 8 * axis;
    store<f64>(corner, px * scale, CORNERS);
    store<f64>(corner, qx * scale, CORNERS + 24);
    store<f64>(corner, rx * scale, CORNERS + 48);
    const low = cellOf(min(min(px, qx), rx));
    const high = cellOf(max(max(px, qx), rx));
    store<i32>(scratch + 4 * axis, low, FIRST);
    store<i32>(scratch + 4 * axis, high, LAST);
    oneCell = oneCell && low === high;
  }
  return oneCell;
}

/** Makes the triangle's range of bricks the block at `entry`; any axis may separate it. */
function takeRange(entry: usize): void {
  for (let axis: usize = 0; axis < 3; axis++) {
    store<i32>(entry + 4 * axis, load<i32>(scratch + 4 * axis, FIRST) >> 2);
    store<i32>(entry + 4 * axis, load<i32>(scratch + 4 * axis, LAST) >> 2, 12);
  }
  store<i32>(entry, (1 << AXES) - 1, 24);
}

// @ts-ignore: a decorator
@inline
function longestSide(wide: i32, deep: i32, tall: i32): usize {
  return wide >= deep && wide >= tall ? 0 : deep >= tall ? 1 : 2;
}

/**
 * Sets the cells of one brick in the triangle's range, by the blocks that hold the brick. A block
 * that an axis separates from the triangle excludes its cells.
 */
function addBrick(x: i32, y: i32, z: i32): void {
  const block = scratch + STACK;
  takeRange(block);
  for (;;) {
    const x0 = load<i32>(block);
    const y0 = load<i32>(block, 4);
    const z0 = load<i32>(block, 8);
    const x1 = load<i32>(block, 12);
    const y1 = load<i32>(block, 16);
    const z1 = load<i32>(block, 20);
    const active = separates(x0, y0, z0, x1, y1, z1, load<i32>(block, 24));
    if (active < 0) return;
    store<i32>(block, active, 24);
    if (x0 === x1 && y0 === y1 && z0 === z1) {
      cutBrick(x, y, z, active);
      return;
    }
    const axis = longestSide(x1 - x0, y1 - y0, z1 - z0);
    const side = block + 4 * axis;
    const middle = (load<i32>(side) + load<i32>(side, 12)) >> 1;
    if ((axis === 0 ? x : axis === 1 ? y : z) <= middle) store<i32>(side, middle, 12);
    else store<i32>(side, middle + 1);
  }
}

function addTriangle(oneCell: bool): void {
  const bottom = scratch + STACK;
  takeRange(bottom);
  if (oneCell) {
    cutBrick(load<i32>(bottom), load<i32>(bottom, 4), load<i32>(bottom, 8), 0);
    return;
  }
  let top = bottom + ENTRY;
  while (top > bottom && !isFull) {
    top -= ENTRY;
    const x0 = load<i32>(top);
    const y0 = load<i32>(top, 4);
    const z0 = load<i32>(top, 8);
    const x1 = load<i32>(top, 12);
    const y1 = load<i32>(top, 16);
    const z1 = load<i32>(top, 20);
    const active = separates(x0, y0, z0, x1, y1, z1, load<i32>(top, 24));
    if (active < 0) continue;
    const wide = x1 - x0;
    const deep = y1 - y0;
    const tall = z1 - z0;
    if ((wide | deep | tall) === 0) {
      cutBrick(x0, y0, z0, active);
      continue;
    }
    const axis = longestSide(wide, deep, tall);
    // Two copies, cut in the middle.
    memory.copy(top + ENTRY, top, 24);
    store<i32>(top, active, 24);
    store<i32>(top + ENTRY, active, 24);
    const middle = (load<i32>(top + 4 * axis) + load<i32>(top + 4 * axis, 12)) >> 1;
    store<i32>(top + 4 * axis, middle, 12);
    store<i32>(top + ENTRY + 4 * axis, middle + 1);
    top += 2 * ENTRY;
  }
}

/** -1 if an axis separates the block, else the axes that may separate a smaller one. */
function separates(x0: i32, y0: i32, z0: i32, x1: i32, y1: i32, z1: i32, axesLeft: i32): i32 {
  const lowX = <f64>(4 * x0) * a;
  const lowY = <f64>(4 * y0) * a;
  const lowZ = <f64>(4 * z0) * a;
  const highX = <f64>(4 * x1 + 4) * a;
  const highY = <f64>(4 * y1 + 4) * a;
  const highZ = <f64>(4 * z1 + 4) * a;
  const x = f64x2.splat((lowX + highX) / 2.0);
  const y = f64x2.splat((lowY + highY) / 2.0);
  const z = f64x2.splat((lowZ + highZ) / 2.0);
  const halfX = f64x2.splat((highX - lowX) / 2.0);
  const halfY = f64x2.splat((highY - lowY) / 2.0);
  const halfZ = f64x2.splat((highZ - lowZ) / 2.0);
  let active = 0;
  for (let n = 0; n < AXES; n += 2) {
    const mine = (axesLeft >> n) & 3;
    if (mine === 0) continue;
    const at = scratch + ((<usize>n) << 3);
    const lx = v128.load(at, AX);
    const ly = v128.load(at, AY);
    const lz = v128.load(at, AZ);
    const centre = f64x2.add(f64x2.add(f64x2.mul(lx, x), f64x2.mul(ly, y)), f64x2.mul(lz, z));
    const extent = f64x2.add(
      f64x2.add(f64x2.mul(f64x2.abs(lx), halfX), f64x2.mul(f64x2.abs(ly), halfY)),
      f64x2.mul(f64x2.abs(lz), halfZ),
    );
    const low = f64x2.sub(centre, extent);
    const high = f64x2.add(centre, extent);
    const least = v128.load(at, LEAST);
    const greatest = v128.load(at, GREATEST);
    if ((i64x2.bitmask(v128.or(f64x2.gt(low, greatest), f64x2.lt(high, least))) & mine) !== 0) return -1;
    active |= (i64x2.bitmask(v128.or(f64x2.gt(high, greatest), f64x2.lt(low, least))) & mine) << n;
  }
  return active;
}

/** Sets the brick's cells in the triangle's range that no axis separates from it. */
function cutBrick(x: i32, y: i32, z: i32, axesLeft: i32): void {
  const rows = fourBits(0, x) * spread4(fourBits(1, y));
  const layers = fourBits(2, z);
  let word0 = ((layers & 1) * rows) | (((layers >> 1) & 1) * (rows << 16));
  let word1 = (((layers >> 2) & 1) * rows) | (((layers >> 3) & 1) * (rows << 16));
  if (axesLeft !== 0) {
    for (let n: usize = 0; n < 4; n++) {
      const at = scratch + 8 * n;
      store<f64>(at, (<f64>(4 * x + <i32>n) + 0.5) * a, CENTRES);
      store<f64>(at, (<f64>(4 * y + <i32>n) + 0.5) * a, CENTRES + 32);
      store<f64>(at, (<f64>(4 * z + <i32>n) + 0.5) * a, CENTRES + 64);
    }
    for (let rest = axesLeft & ~1; rest !== 0; rest &= rest - 1) {
      const n = ctz(rest);
      const along = (n - 1) % 3;
      const bits = squareBits(n, along === 0 ? 1 : 0, along === 2 ? 1 : 2);
      if (along === 2) {
        word0 &= bits | (bits << 16);
        word1 &= bits | (bits << 16);
      } else if (along === 0) {
        word0 &= spread8(bits & 0xff) * 15;
        word1 &= spread8(bits >> 8) * 15;
      } else {
        word0 &= ((bits & 15) * 0x1111) | (((bits >> 4) & 15) * 0x11110000);
        word1 &= (((bits >> 8) & 15) * 0x1111) | ((bits >> 12) * 0x11110000);
      }
      if ((word0 | word1) === 0) return;
    }
    if ((axesLeft & 1) !== 0) {
      if (word0 !== 0) word0 &= planeBits(word0, CENTRES + 64);
      if (word1 !== 0) word1 &= planeBits(word1, CENTRES + 80);
    }
  }
  if ((word0 | word1) !== 0) addToBrick(x, y, z, word0, word1);
}

// @ts-ignore: a decorator
@inline
function fourBits(axis: usize, brick: i32): i32 {
  const from = max<i32>(load<i32>(scratch + 4 * axis, FIRST) - 4 * brick, 0);
  const to = min<i32>(load<i32>(scratch + 4 * axis, LAST) - 4 * brick, 3);
  return (2 << to) - (1 << from);
}

/** Bit n of four to bit 4 n. */
// @ts-ignore: a decorator
@inline
function spread4(bits: i32): i32 {
  return (bits & 1) | ((bits & 2) << 3) | ((bits & 4) << 6) | ((bits & 8) << 9);
}

/** Bit n of eight to bit 4 n. */
// @ts-ignore: a decorator
@inline
function spread8(bits: i32): i32 {
  return spread4(bits & 15) | (spread4(bits >> 4) << 16);
}

/** Bits of four centers between `low` and `high`. */
// @ts-ignore: a decorator
@inline
function within(c01: v128, c23: v128, low: v128, high: v128): i32 {
  const in01 = v128.and(f64x2.ge(c01, low), f64x2.le(c01, high));
  const in23 = v128.and(f64x2.ge(c23, low), f64x2.le(c23, high));
  return i64x2.bitmask(in01) | (i64x2.bitmask(in23) << 2);
}

/** Bits p + 4 q of columns that an axis, perpendicular to their direction, does not separate. */
function squareBits(n: i32, p: usize, q: usize): i32 {
  const at = scratch + ((<usize>n) << 3);
  const lp = load<f64>(at + AXIS_BYTES * p, AX);
  const lq = load<f64>(at + AXIS_BYTES * q, AX);
  const extent = (abs(lp) + abs(lq)) * (a / 2.0);
  const low = f64x2.splat(load<f64>(at, LEAST) - extent);
  const high = f64x2.splat(load<f64>(at, GREATEST) + extent);
  const part = f64x2.splat(lp);
  const c01 = f64x2.mul(part, v128.load(scratch + 32 * p, CENTRES));
  const c23 = f64x2.mul(part, v128.load(scratch + 32 * p, CENTRES + 16));
  let bits = 0;
  for (let j = 0; j < 4; j++) {
    const other = f64x2.splat(lq * load<f64>(scratch + 32 * q + ((<usize>j) << 3), CENTRES));
    bits |= within(f64x2.add(c01, other), f64x2.add(c23, other), low, high) << (4 * j);
  }
  return bits;
}

function planeBits(word: i32, layers: usize): i32 {
  const lx = load<f64>(scratch, AX);
  const ly = load<f64>(scratch, AY);
  const lz = load<f64>(scratch, AZ);
  const extent = (abs(lx) + abs(ly) + abs(lz)) * (a / 2.0);
  const low = f64x2.splat(load<f64>(scratch, LEAST) - extent);
  const high = f64x2.splat(load<f64>(scratch, GREATEST) + extent);
  const part = f64x2.splat(lx);
  const c01 = f64x2.mul(part, v128.load(scratch, CENTRES));
  const c23 = f64x2.mul(part, v128.load(scratch, CENTRES + 16));
  let bits = 0;
  for (let row: i32 = 0; row < 8; row++) {
    if (((word >>> (4 * row)) & 15) === 0) continue;
    const y = load<f64>(scratch + ((<usize>(row & 3)) << 3), CENTRES + 32);
    const z = load<f64>(scratch + layers + ((<usize>(row >> 2)) << 3));
    const other = f64x2.splat(ly * y + lz * z);
    bits |= within(f64x2.add(c01, other), f64x2.add(c23, other), low, high) << (4 * row);
  }
  return bits;
}

// @ts-ignore: a decorator
@inline
function edge(i: usize): f64 {
  return load<f64>(scratch + 8 * i, EDGES);
}

// @ts-ignore: a decorator
@inline
function corner(i: usize): f64 {
  return load<f64>(scratch + 8 * i, CORNERS);
}

// @ts-ignore: a decorator
@inline
function setAxis(n: usize, x: f64, y: f64, z: f64): void {
  store<f64>(scratch + 8 * n, x, AX);
  store<f64>(scratch + 8 * n, y, AY);
  store<f64>(scratch + 8 * n, z, AZ);
}

// @ts-ignore: a decorator
@inline
function reachOf(i: usize): f64 {
  return max(max(abs(corner(i)), abs(corner(3 + i))), abs(corner(6 + i))) + 8.0;
}

function separatingAxes(): void {
  for (let i: usize = 0; i < 3; i++) {
    const first = corner(3 + i) - corner(i);
    const second = corner(6 + i) - corner(i);
    store<f64>(scratch + 8 * i, first, EDGES);
    store<f64>(scratch + 8 * i, second, EDGES + 24);
    store<f64>(scratch + 8 * i, second - first, EDGES + 48);
  }
  reachX = reachOf(0);
  reachY = reachOf(1);
  reachZ = reachOf(2);
  setAxis(
    0,
    crossTerm(edge(1), edge(5), edge(2), edge(4)),
    crossTerm(edge(2), edge(3), edge(0), edge(5)),
    crossTerm(edge(0), edge(4), edge(1), edge(3)),
  );
  project(0, -1);
  for (let e: usize = 0; e < 3; e++) {
    const x = edge(3 * e);
    const y = edge(3 * e + 1);
    const z = edge(3 * e + 2);
    const n: usize = 1 + 3 * e;
    setAxis(n, 0, z, -y);
    setAxis(n + 1, -z, 0, x);
    setAxis(n + 2, y, -x, 0);
    // Edge e is opposite corner 2 - e.
    const opposite = 2 - <i32>e;
    project(n, opposite);
    project(n + 1, opposite);
    project(n + 2, opposite);
  }
}

/** `opposite` is the corner that is not on the axis's edge; -1 for the normal. */
function project(n: usize, opposite: i32): void {
  const at = scratch + 8 * n;
  const x = load<f64>(at, AX);
  const y = load<f64>(at, AY);
  const z = load<f64>(at, AZ);
  const p = x * corner(0) + y * corner(1) + z * corner(2);
  const q = x * corner(3) + y * corner(4) + z * corner(5);
  const r = x * corner(6) + y * corner(7) + z * corner(8);
  const slack = SLACK * (abs(x) * reachX + abs(y) * reachY + abs(z) * reachZ) + TINY;
  const low = min(min(p, q), r);
  const high = max(max(p, q), r);
  store<f64>(at, low - slack, LEAST);
  store<f64>(at, high + slack, GREATEST);
  if (opposite < 0 || high - low <= 4.0 * slack) return;
  const apex = opposite === 0 ? p : opposite === 1 ? q : r;
  if (apex === high) store<f64>(at, Infinity, GREATEST);
  else store<f64>(at, -Infinity, LEAST);
}

/** a b - c d, nearly exactly: see surface-cells.ts. */
function crossTerm(p: f64, q: f64, r: f64, s: f64): f64 {
  const pq = p * q;
  const rs = r * s;
  return pq - rs + (productError(p, q, pq) - productError(r, s, rs));
}

function productError(p: f64, q: f64, product: f64): f64 {
  const wideP = SPLITTER * p;
  const highP = wideP - (wideP - p);
  const lowP = p - highP;
  const wideQ = SPLITTER * q;
  const highQ = wideQ - (wideQ - q);
  const lowQ = q - highQ;
  return lowP * lowQ - (product - highP * highQ - lowP * highQ - highP * lowQ);
}

const DIGITS: u32 = 1024;

/**
 * Sorts bricks (M. Zagha, G. E. Blelloch, "Radix Sort for Vector Multiprocessors", 1991, on one),
 * without digits that all share; overwrites slots. Returns keys, then masks, as in a CubeSet.
 */
export function cubesOrder(spare: usize): usize {
  let from = bricks;
  let into = spare;
  const end = (<usize>count) * BRICK_BYTES;
  let differ: u64 = 0;
  for (let at: usize = 0; at < end; at += BRICK_BYTES) differ |= load<u64>(from + at) ^ load<u64>(from);
  for (let digit: u64 = 0; digit < 6; digit++) {
    const shift: u64 = digit < 3 ? 10 * digit : 10 * digit + 2;
    if (((differ >> shift) & (DIGITS - 1)) === 0) continue;
    moveByDigit(from, into, end, shift);
    const other = from;
    from = into;
    into = other;
  }
  const masks = into + ((<usize>count) << 3);
  for (let at: usize = 0; at < end; at += BRICK_BYTES) {
    const half = at >> 1;
    store<u64>(into + half, load<u64>(from + at));
    store<u32>(masks + half, interleaved(load<u32>(from + at, 8)));
    store<u32>(masks + half, interleaved(load<u32>(from + at, 12)), 4);
  }
  return into;
}

function moveByDigit(from: usize, into: usize, end: usize, shift: u64): void {
  const counts = scratch + COUNTS;
  memory.fill(counts, 0, DIGITS << 2);
  for (let at: usize = 0; at < end; at += BRICK_BYTES) {
    const cell = counts + ((<usize>((load<u64>(from + at) >> shift) & (DIGITS - 1))) << 2);
    store<u32>(cell, load<u32>(cell) + 1);
  }
  let place: u32 = 0;
  for (let digit: usize = 0; digit < DIGITS; digit++) {
    const here = load<u32>(counts + (digit << 2));
    store<u32>(counts + (digit << 2), place);
    place += here;
  }
  for (let at: usize = 0; at < end; at += BRICK_BYTES) {
    const cell = counts + ((<usize>((load<u64>(from + at) >> shift) & (DIGITS - 1))) << 2);
    const number = load<u32>(cell);
    store<u32>(cell, number + 1);
    v128.store(into + (<usize>number) * BRICK_BYTES, v128.load(from + at));
  }
}

function interleaved(word: u32): u32 {
  return swapped(swapped(swapped(word, 0x0c0c0c0c, 2), 0x0000ff00, 8), 0x00f000f0, 4);
}

// @ts-ignore: a decorator
@inline
function swapped(word: u32, mask: u32, by: u32): u32 {
  const change = (word ^ (word >> by)) & mask;
  return word ^ change ^ (change << by);
}
