/**
 * Numbers points by their coordinates: equal ones, of which 0 and -0 are two, get the same number,
 * in the order of first use.
 *
 * An open-addressing table holds the numbers. Points are hashed some hundred at a time, in loops over
 * typed arrays, so that neither hashes nor misses of the cache wait for each other. It joins the
 * corners of 800 MB of binary STL a second in the second cache, and of 270 MB beyond the last one; 330
 * and 170 one at a time, through a callback. So no kernel in WebAssembly is needed.
 */

/** Most points in one call: their coordinates fit in the first cache. Whole triangles. */
export const BATCH = 768;

const keys = new Float64Array(3 * BATCH);
const words = new Uint32Array(keys.buffer);
const hashes = new Int32Array(BATCH);

/**
 * Hashes at most BATCH points.
 *
 * @param points x, y, z of each
 * @returns a hash for each, all bits of which may be used; valid until the next call
 */
export function hashPoints(points: Float64Array, first: number, count: number): Int32Array {
  const from = 3 * first;
  for (let i = 0; i < 3 * count; i++) keys[i] = points[from + i] + 0; // -0 + 0 is 0
  for (let i = 0, w = 0; i < count; i++, w += 6) {
    // Each coordinate's high bits are folded down first: small whole numbers have no others.
    const x = words[w] ^ Math.imul(words[w + 1], 0x9e3779b1);
    const y = words[w + 2] ^ Math.imul(words[w + 3], 0x9e3779b1);
    const z = words[w + 4] ^ Math.imul(words[w + 5], 0x9e3779b1);
    const sum =
      Math.imul(x ^ (x >>> 15), 0x85ebca6b) +
      Math.imul(y ^ (y >>> 15), 0xc2b2ae35) +
      Math.imul(z ^ (z >>> 15), 0x27d4eb2f);
    const product = Math.imul(sum ^ (sum >>> 15), 0x2c1b3c6d);
    hashes[i] = product ^ (product >>> 13);
  }
  return hashes;
}

/** An open-addressing table that `entries` fill at most half; -1 is free. */
export function emptyTable(entries: number): Int32Array {
  let size = 16;
  while (size < 2 * entries) size *= 2;
  return new Int32Array(size).fill(-1);
}

/** Points so far, each position once. */
export class PointNumbers {
  count = 0;
  private table: Int32Array;
  /** Makes engines keep the loads. */
  slots = 0;

  /**
   * @param expected positions, by which memory is sized; `most` bounds them
   * @param all holds them. It may be the array whose points are added, in their order: it then keeps
   *   each position's first point.
   */
  constructor(
    expected: number,
    private readonly most: number,
    private all: Float64Array = new Float64Array(3 * Math.min(most, expected + (expected >> 3) + 64)),
  ) {
    this.table = emptyTable(expected);
  }

  /** x, y, z of each number at three times it: the first point's that got it. */
  positions(): Float64Array {
    const { all, count } = this;
    return all.length === 3 * count ? all : all.slice(0, 3 * count);
  }

  /** Writes the numbers of at most BATCH points to `out` from `at` on. */
  add(points: Float64Array, first: number, count: number, out: Uint32Array, at: number): void {
    // Room for all of them in the table, so that the loop needs not look.
    while (8 * (this.count + count) > 5 * this.table.length) this.enlargeTable();
    const { table } = this;
    let { all } = this;
    const mask = table.length - 1;
    const hashed = hashPoints(points, first, count);
    // Loads that do not wait for each other bring the slots into the cache: a third of the time.
    let slots = 0;
    for (let i = 0; i < count; i++) slots ^= table[hashed[i] & mask];
    this.slots = slots;
    let next = this.count;
    for (let i = 0, p = 3 * first; i < count; i++, p += 3) {
      const x = points[p];
      const y = points[p + 1];
      const z = points[p + 2];
      let slot = hashed[i] & mask;
      let number = table[slot];
      while (number >= 0) {
        const q = 3 * number;
        if (all[q] === x && all[q + 1] === y && all[q + 2] === z) break;
        slot = (slot + 1) & mask;
        number = table[slot];
      }
      if (number < 0) {
        number = next++;
        if (3 * next > all.length) all = this.enlargePoints();
        table[slot] = number;
        all[3 * number] = x;
        all[3 * number + 1] = y;
        all[3 * number + 2] = z;
      }
      out[at + i] = number;
    }
    this.count = next;
  }

  private enlargePoints(): Float64Array {
    const larger = new Float64Array(Math.min(2 * this.all.length, 3 * this.most));
    larger.set(this.all);
    this.all = larger;
    return larger;
  }

  private enlargeTable(): void {
    const { all, count } = this;
    const table = new Int32Array(2 * this.table.length).fill(-1);
    const mask = table.length - 1;
    for (let first = 0; first < count; first += BATCH) {
      const some = Math.min(BATCH, count - first);
      const hashed = hashPoints(all, first, some);
      for (let i = 0; i < some; i++) {
        let slot = hashed[i] & mask;
        while (table[slot] >= 0) slot = (slot + 1) & mask;
        table[slot] = first + i;
      }
    }
    this.table = table;
  }
}
