/**
 * A growing set of bricks of cells: an open-addressing hash, until all are in and can be put in
 * order.
 */
import { type CubeSet, cubesIn, highKey, lowKey } from './cube-set.ts';

/** What bricks are set in: the table here, or the kernel's. */
export interface BrickTable {
  readonly count: number;
  /** Sets the bits of two words in brick (x, y, z), bricks counted as cells are. */
  add(x: number, y: number, z: number, word0: number, word1: number): void;
  /** Cells that are set. */
  cells(): number;
}

export interface Bricks extends BrickTable {
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

export function newBricks(): Bricks {
  const bricks: Bricks = {
    count: 0,
    keys: new Uint32Array(2048),
    masks: new Uint32Array(2048),
    slots: new Uint32Array(4096),
    add: (x, y, z, word0, word1) => addToBrick(bricks, x, y, z, word0, word1),
    cells: () => cubesIn(bricks.masks.subarray(0, 2 * bricks.count)),
  };
  return bricks;
}

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
export function addToBrick(bricks: Bricks, x: number, y: number, z: number, word0: number, word1: number): void {
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

export function inOrder(bricks: Bricks, precision: number): CubeSet {
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
