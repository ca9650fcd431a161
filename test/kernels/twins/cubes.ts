/**
 * Cubes of a surface as voxel/build/kernel.as.ts finds them: the same operations in the same order,
 * one at a time, and so the same bytes. The method is that of surface-cells.ts.
 */
import type { Surface } from '../../../src/mesh/topology.ts';
import { type CubeSet, cellOf, highKey, lowKey } from '../../../src/representations/voxel/tree/cube-set.ts';

/**
 * Axis 0 is the triangle's normal; axis 1 + 3 e + i is edge e times coordinate axis i, and has no
 * part along i.
 */
const AXES = 10;
const axes = new Float64Array(3 * AXES);
/** The triangle along each axis, slack included; infinite on a side that need not be looked at. */
const least = new Float64Array(AXES);
const greatest = new Float64Array(AXES);
/** The triangle, scaled. */
const corners = new Float64Array(9);
const edges = new Float64Array(9);
const reach = new Float64Array(3);
/** The triangle's range of cells along x, y, z. */
const first = new Int32Array(3);
const last = new Int32Array(3);
/** Centres of a brick's cells: four along x, four along y, four along z. */
const centres = new Float64Array(12);
/**
 * A block of bricks: first and last, three each, and a bit for every axis that may part its cells
 * from the triangle.
 */
const ENTRY = 7;
/** Halving three sides of up to 2^20 bricks is 60 levels, and a level leaves one block waiting. */
const stack = new Int32Array(64 * ENTRY);
let top = 0;
/** The block that `nextBlock` has found. */
const block = new Int32Array(ENTRY);
const ALL_AXES = (1 << AXES) - 1;

const SLACK = 16 * 2 ** -53;
const TINY = 2 ** -900;
/** Adds the cells that hold a point of a triangle. */
function addSurface(bricks: Bricks, positions: Float64Array, triangles: Uint32Array, precision: number): void {
  const scale = toOne(precision);
  for (let t = 0; t < triangles.length; t += 3)
    addPlaced(bricks, precision * scale, placeTriangle(positions, triangles, t, precision, scale));
}

/** The power of two that brings x to [1, 2). */
function toOne(x: number): number {
  let scale = 1;
  while (x * scale >= 2) scale /= 2;
  while (x * scale < 1) scale *= 2;
  return scale;
}

/**
 * Scales a triangle, and finds its range of cells.
 *
 * @param t number of its first corner
 * @param scale toOne(precision)
 * @returns whether it is in one cell
 */
function placeTriangle(
  positions: Float64Array,
  triangles: Uint32Array,
  t: number,
  precision: number,
  scale: number,
): boolean {
  let oneCell = true;
  for (let axis = 0; axis < 3; axis++) {
    const p = positions[3 * triangles[t] + axis];
    const q = positions[3 * triangles[t + 1] + axis];
    const r = positions[3 * triangles[t + 2] + axis];
    corners[axis] = p * scale;
    corners[3 + axis] = q * scale;
    corners[6 + axis] = r * scale;
    first[axis] = cellOf(Math.min(p, q, r), precision);
    last[axis] = cellOf(Math.max(p, q, r), precision);
    oneCell &&= first[axis] === last[axis];
  }
  return oneCell;
}

/**
 * Adds the cells of the triangle that is placed.
 *
 * @param a the precision, scaled
 */
function addPlaced(bricks: Bricks, a: number, oneCell: boolean): void {
  if (oneCell) {
    cutBrick(bricks, first[0] >> 2, first[1] >> 2, first[2] >> 2, a, 0);
    return;
  }
  separatingAxes();
  beginBlocks();
  while (nextBlock(a)) cutBrick(bricks, block[0], block[1], block[2], a, block[6]);
}

/** Makes the triangle's range of bricks the one block that waits; its axes are there. */
function beginBlocks(): void {
  for (let axis = 0; axis < 3; axis++) {
    stack[axis] = first[axis] >> 2;
    stack[3 + axis] = last[axis] >> 2;
  }
  stack[6] = ALL_AXES;
  top = ENTRY;
}

/**
 * Halves blocks until one that no axis parts from the triangle is a brick.
 *
 * @returns whether there is one more; it is in `block`
 */
function nextBlock(a: number): boolean {
  while (top > 0) {
    top -= ENTRY;
    const x0 = stack[top];
    const y0 = stack[top + 1];
    const z0 = stack[top + 2];
    const x1 = stack[top + 3];
    const y1 = stack[top + 4];
    const z1 = stack[top + 5];
    const active = separates(x0, y0, z0, x1, y1, z1, a, stack[top + 6]);
    if (active < 0) continue;
    const wide = x1 - x0;
    const deep = y1 - y0;
    const tall = z1 - z0;
    if (wide === 0 && deep === 0 && tall === 0) {
      putBlock(block, 0, x0, y0, z0, x1, y1, z1, active);
      return true;
    }
    const axis = longestSide(wide, deep, tall);
    for (let half = 0; half < 2; half++) {
      putBlock(stack, top, x0, y0, z0, x1, y1, z1, active);
      const middle = (stack[top + axis] + stack[top + 3 + axis]) >> 1;
      if (half === 0) stack[top + 3 + axis] = middle;
      else stack[top + axis] = middle + 1;
      top += ENTRY;
    }
  }
  return false;
}

function putBlock(
  entries: Int32Array,
  at: number,
  x0: number,
  y0: number,
  z0: number,
  x1: number,
  y1: number,
  z1: number,
  axesLeft: number,
): void {
  entries[at] = x0;
  entries[at + 1] = y0;
  entries[at + 2] = z0;
  entries[at + 3] = x1;
  entries[at + 4] = y1;
  entries[at + 5] = z1;
  entries[at + 6] = axesLeft;
}

const longestSide = (wide: number, deep: number, tall: number): number =>
  wide >= deep && wide >= tall ? 0 : deep >= tall ? 1 : 2;

/**
 * -1 if one of the axes parts the block from the triangle; else those that may part a smaller one.
 */
function separates(
  x0: number,
  y0: number,
  z0: number,
  x1: number,
  y1: number,
  z1: number,
  a: number,
  axesLeft: number,
): number {
  const lowX = 4 * x0 * a;
  const lowY = 4 * y0 * a;
  const lowZ = 4 * z0 * a;
  const highX = (4 * x1 + 4) * a;
  const highY = (4 * y1 + 4) * a;
  const highZ = (4 * z1 + 4) * a;
  const x = (lowX + highX) / 2;
  const y = (lowY + highY) / 2;
  const z = (lowZ + highZ) / 2;
  const halfX = (highX - lowX) / 2;
  const halfY = (highY - lowY) / 2;
  const halfZ = (highZ - lowZ) / 2;
  let active = 0;
  for (let rest = axesLeft; rest !== 0; rest &= rest - 1) {
    const n = 31 - Math.clz32(rest & -rest);
    const lx = axes[3 * n];
    const ly = axes[3 * n + 1];
    const lz = axes[3 * n + 2];
    const centre = lx * x + ly * y + lz * z;
    const extent = Math.abs(lx) * halfX + Math.abs(ly) * halfY + Math.abs(lz) * halfZ;
    const low = centre - extent;
    const high = centre + extent;
    if (low > greatest[n] || high < least[n]) return -1;
    if (high > greatest[n] || low < least[n]) active |= 1 << n;
  }
  return active;
}

/**
 * Sets the cells of one brick that are in the triangle's range and that none of the axes parts from
 * it.
 */
function cutBrick(bricks: Bricks, x: number, y: number, z: number, a: number, axesLeft: number): void {
  const rows = fourBits(0, x) * spread4(fourBits(1, y));
  const layers = fourBits(2, z);
  let word0 = ((layers & 1) * rows) | (((layers >> 1) & 1) * (rows << 16));
  let word1 = (((layers >> 2) & 1) * rows) | (((layers >> 3) & 1) * (rows << 16));
  if (axesLeft !== 0) {
    for (let n = 0; n < 4; n++) {
      centres[n] = (4 * x + n + 0.5) * a;
      centres[4 + n] = (4 * y + n + 0.5) * a;
      centres[8 + n] = (4 * z + n + 0.5) * a;
    }
    for (let rest = axesLeft & ~1; rest !== 0; rest &= rest - 1) {
      const n = 31 - Math.clz32(rest & -rest);
      const along = (n - 1) % 3;
      const bits = squareBits(n, along === 0 ? 1 : 0, along === 2 ? 1 : 2, a);
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
    }
    if ((axesLeft & 1) !== 0) {
      if (word0 !== 0) word0 &= planeBits(word0, 8, a);
      if (word1 !== 0) word1 &= planeBits(word1, 10, a);
    }
  }
  if ((word0 | word1) !== 0) addToBrick(bricks, x, y, z, word0, word1);
}

/** Which of a brick's four cells along an axis are in the triangle's range: one bit each. */
function fourBits(axis: number, brick: number): number {
  const from = Math.max(first[axis] - 4 * brick, 0);
  const to = Math.min(last[axis] - 4 * brick, 3);
  return (2 << to) - (1 << from);
}

/** Bit n of four to bit 4 n. */
const spread4 = (bits: number): number => (bits & 1) | ((bits & 2) << 3) | ((bits & 4) << 6) | ((bits & 8) << 9);

/** Bit n of eight to bit 4 n. */
const spread8 = (bits: number): number => spread4(bits & 15) | (spread4(bits >> 4) << 16);

/**
 * An axis at a right angle to a coordinate axis: the columns, p + 4 q, of cells along that one that
 * it leaves.
 */
function squareBits(n: number, p: number, q: number, a: number): number {
  const lp = axes[3 * n + p];
  const lq = axes[3 * n + q];
  const extent = (Math.abs(lp) + Math.abs(lq)) * (a / 2);
  const low = least[n] - extent;
  const high = greatest[n] + extent;
  let bits = 0;
  for (let j = 0; j < 4; j++) {
    const part = lq * centres[4 * q + j];
    for (let i = 0; i < 4; i++) {
      const centre = lp * centres[4 * p + i] + part;
      if (centre >= low && centre <= high) bits |= 1 << (4 * j + i);
    }
  }
  return bits;
}

/** The normal: the cells of two layers that it leaves, of those in `word`. */
function planeBits(word: number, layer: number, a: number): number {
  const lx = axes[0];
  const ly = axes[1];
  const lz = axes[2];
  const extent = (Math.abs(lx) + Math.abs(ly) + Math.abs(lz)) * (a / 2);
  const low = least[0] - extent;
  const high = greatest[0] + extent;
  const part0 = lx * centres[0];
  const part1 = lx * centres[1];
  const part2 = lx * centres[2];
  const part3 = lx * centres[3];
  let bits = 0;
  for (let row = 0; row < 8; row++) {
    if (((word >>> (4 * row)) & 15) === 0) continue;
    const part = ly * centres[4 + (row & 3)] + lz * centres[layer + (row >> 2)];
    const c0 = part0 + part;
    const c1 = part1 + part;
    const c2 = part2 + part;
    const c3 = part3 + part;
    let four = 0;
    if (c0 >= low && c0 <= high) four = 1;
    if (c1 >= low && c1 <= high) four |= 2;
    if (c2 >= low && c2 <= high) four |= 4;
    if (c3 >= low && c3 <= high) four |= 8;
    bits |= four << (4 * row);
  }
  return bits;
}

/** The edges of `corners`, and their first two's product, the normal, into `axes`. */
function takeEdges(): void {
  for (let i = 0; i < 3; i++) {
    edges[i] = corners[3 + i] - corners[i];
    edges[3 + i] = corners[6 + i] - corners[i];
    edges[6 + i] = edges[3 + i] - edges[i];
  }
  axes[0] = crossTerm(edges[1], edges[5], edges[2], edges[4]);
  axes[1] = crossTerm(edges[2], edges[3], edges[0], edges[5]);
  axes[2] = crossTerm(edges[0], edges[4], edges[1], edges[3]);
}

/** The axes for the triangle `corners`, and its extent along them. */
function separatingAxes(): void {
  takeEdges();
  for (let i = 0; i < 3; i++) {
    reach[i] = Math.max(Math.abs(corners[i]), Math.abs(corners[3 + i]), Math.abs(corners[6 + i])) + 8;
  }
  project(0, -1);
  for (let e = 0; e < 3; e++) {
    const x = edges[3 * e];
    const y = edges[3 * e + 1];
    const z = edges[3 * e + 2];
    const at = 3 + 9 * e;
    axes[at] = 0;
    axes[at + 1] = z;
    axes[at + 2] = -y;
    axes[at + 3] = -z;
    axes[at + 4] = 0;
    axes[at + 5] = x;
    axes[at + 6] = y;
    axes[at + 7] = -x;
    axes[at + 8] = 0;
    // Edge 0 is opposite to corner 2, 1 to 1, 2 to 0.
    project(1 + 3 * e, 2 - e);
    project(2 + 3 * e, 2 - e);
    project(3 + 3 * e, 2 - e);
  }
}

/** @param opposite the corner that is not of the edge that made the axis; -1 for the normal */
function project(n: number, opposite: number): void {
  const x = axes[3 * n];
  const y = axes[3 * n + 1];
  const z = axes[3 * n + 2];
  const p = x * corners[0] + y * corners[1] + z * corners[2];
  const q = x * corners[3] + y * corners[4] + z * corners[5];
  const r = x * corners[6] + y * corners[7] + z * corners[8];
  const slack = SLACK * (Math.abs(x) * reach[0] + Math.abs(y) * reach[1] + Math.abs(z) * reach[2]) + TINY;
  const low = Math.min(p, q, r);
  const high = Math.max(p, q, r);
  least[n] = low - slack;
  greatest[n] = high + slack;
  if (opposite < 0 || high - low <= 4 * slack) return;
  const apex = opposite === 0 ? p : opposite === 1 ? q : r;
  if (apex === high) greatest[n] = Infinity;
  else least[n] = -Infinity;
}

const SPLITTER = 2 ** 27 + 1;

/**
 * a b - c d, wrong by 2u of itself and u^2 of the products: rounding errors of products are
 * computed exactly (T. Dekker, "A Floating-Point Technique for Extending the Available Precision",
 * 1971) and subtracted like the products.
 */
function crossTerm(a: number, b: number, c: number, d: number): number {
  const ab = a * b;
  const cd = c * d;
  return ab - cd + (productError(a, b, ab) - productError(c, d, cd));
}

function productError(a: number, b: number, product: number): number {
  const wideA = SPLITTER * a;
  const highA = wideA - (wideA - a);
  const lowA = a - highA;
  const wideB = SPLITTER * b;
  const highB = wideB - (wideB - b);
  const lowB = b - highB;
  return lowA * lowB - (product - highA * highB - lowA * highB - highA * lowB);
}

interface Bricks {
  count: number;
  /** As in CubeSet, but in the order in which they came, and with room for more. */
  keys: Uint32Array;
  /**
   * Cell (x, y, z) of a brick is bit x + 4 y + 16 z until all are in: rows and layers are what is
   * set here.
   */
  masks: Uint32Array;
  /** A brick's number plus 1, or 0; a power of two of them, at least twice as many as bricks. */
  slots: Uint32Array;
}

const newBricks = (): Bricks => ({
  count: 0,
  keys: new Uint32Array(2048),
  masks: new Uint32Array(2048),
  slots: new Uint32Array(4096),
});

/** The slot of the brick of this key, or the empty one where it belongs. */
function slotOf({ keys, slots }: Bricks, low: number, high: number): number {
  const wrap = slots.length - 1;
  let mixed = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35);
  let slot = (mixed ^ (mixed >>> 16)) & wrap;
  for (;;) {
    const at = 2 * slots[slot];
    if (at === 0 || (keys[at - 2] === low && keys[at - 1] === high)) return slot;
    slot = (slot + 1) & wrap;
  }
}

/** Sets the bits of two words in brick (x, y, z), bricks counted as cells are. */
function addToBrick(bricks: Bricks, x: number, y: number, z: number, word0: number, word1: number): void {
  const low = lowKey(4 * x, 4 * y, 4 * z);
  const high = highKey(4 * x, 4 * y, 4 * z);
  let slot = slotOf(bricks, low, high);
  if (bricks.slots[slot] === 0) {
    if (2 * bricks.count === bricks.keys.length) {
      grow(bricks);
      slot = slotOf(bricks, low, high);
    }
    bricks.keys[2 * bricks.count] = low;
    bricks.keys[2 * bricks.count + 1] = high;
    bricks.slots[slot] = ++bricks.count;
  }
  const at = 2 * bricks.slots[slot] - 2;
  bricks.masks[at] |= word0;
  bricks.masks[at + 1] |= word1;
}

function grow(bricks: Bricks): void {
  const { count } = bricks;
  const keys = new Uint32Array(4 * count);
  keys.set(bricks.keys);
  bricks.keys = keys;
  const masks = new Uint32Array(4 * count);
  masks.set(bricks.masks);
  bricks.masks = masks;
  bricks.slots = new Uint32Array(0); // the old ones can go before the new ones come
  bricks.slots = new Uint32Array(4 * count);
  for (let at = 0; at < 2 * count; at += 2) {
    bricks.slots[slotOf(bricks, keys[at], keys[at + 1])] = at / 2 + 1;
  }
}

function inOrder(bricks: Bricks, precision: number): CubeSet {
  const keys = bricks.keys.slice(0, 2 * bricks.count);
  // Low word first, and machines are little-endian: 64-bit numbers in the order of the codes.
  new BigUint64Array(keys.buffer).sort();
  const masks = new Uint32Array(keys.length);
  for (let at = 0; at < keys.length; at += 2) {
    const from = 2 * bricks.slots[slotOf(bricks, keys[at], keys[at + 1])] - 2;
    masks[at] = interleaved(bricks.masks[from]);
    masks[at + 1] = interleaved(bricks.masks[from + 1]);
  }
  return { precision, keys, masks };
}

/**
 * From bits x + 4 y + 16 z of a brick's half to CubeSet's: the digits of a bit's number change
 * places, z y y x x to y x z y x.
 */
function interleaved(word: number): number {
  return swapped(swapped(swapped(word, 0x0c0c0c0c, 2), 0x0000ff00, 8), 0x00f000f0, 4);
}

/** Bits of `mask` change places with those `by` above. */
function swapped(word: number, mask: number, by: number): number {
  const change = (word ^ (word >>> by)) & mask;
  return word ^ change ^ (change << by);
}

/** The cubes of a surface. */
export function surfaceByTwin({ positions, triangles }: Surface, precision: number): CubeSet {
  const bricks = newBricks();
  addSurface(bricks, positions, triangles, precision);
  return inOrder(bricks, precision);
}
