/**
 * Numbers points by their coordinates, in the order of first use. Equal points get the same number;
 * 0 and -0 are equal.
 *
 * An open-addressing table holds the numbers. Points are hashed some hundred at a time, in loops
 * over typed arrays, so that neither hashes nor misses of the cache wait for each other. That joins
 * the corners of 800 MB of binary STL a second in the second cache, and of 270 MB beyond the last
 * one. One at a time, through a callback, it was 330 and 170. So no WebAssembly kernel is needed.
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
 * @returns a hash for each, in which all bits are usable; valid until the next call
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

function firstOf(all: Float64Array, count: number): Float64Array {
  return all.length === 3 * count ? all : all.slice(0, 3 * count);
}

/** Points so far, each position once. */
export class PointNumbers {
  count = 0;
  private table: Int32Array;
  /** Makes engines keep the loads. */
  slots = 0;

  /**
   * @param expected positions, by which memory is sized; `most` bounds them
   * @param all holds them. It may be the array whose points are added, in their order: it then
   *   keeps each position's first point.
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
    return firstOf(this.all, this.count);
  }

  /** Writes the numbers of at most BATCH points to `out` from `at` on. */
  add(points: Float64Array, first: number, count: number, out: Uint32Array, at: number): void {
    // Room for all of them in the table, so that the loop need not check.
    while (8 * (this.count + count) > 5 * this.table.length) this.enlargeTable();
    const { table } = this;
    let { all } = this;
    const mask = table.length - 1;
    const hashed = hashPoints(points, first, count);
    // Loads that are independent of each other bring the slots into the cache: this takes a third
    // of the time.
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

/** Points of a part, about: their table and hashes are in the second cache. */
const PART = 4096;
const MOST_PARTS = 256;

/**
 * Numbers points as PointNumbers does, all at once: by parts of equal first bits of the hash, so
 * that each part's table is in the cache. A million distinct points take a third of the time.
 *
 * @param all x, y, z of at least `count` points; keeps each position's first point
 * @returns x, y, z of each number; the number of each point, or null if that is its own
 */
export function joinPoints(all: Float64Array, count: number): { positions: Float64Array; number: Uint32Array | null } {
  const earlier = findEarlier(all, count);
  if (!earlier) return { positions: firstOf(all, count), number: null };
  // In place: a number replaces what was read.
  const number = earlier;
  let next = 0;
  for (let p = 0; p < count; p++) {
    const first = earlier[p];
    if (first > 0) {
      number[p] = number[first - 1];
      continue;
    }
    all[3 * next] = all[3 * p];
    all[3 * next + 1] = all[3 * p + 1];
    all[3 * next + 2] = all[3 * p + 2];
    number[p] = next++;
  }
  return { positions: firstOf(all, next), number };
}

/** One more than the first point that is equal to each, 0 for a first one; null if all are. */
function findEarlier(points: Float64Array, count: number): Uint32Array | null {
  const { entries, ends } = partition(points, count);
  let [begin, longest] = [0, 0];
  for (const end of ends) {
    longest = Math.max(longest, end - begin);
    begin = end;
  }
  const table = emptyTable(longest);
  let earlier: Uint32Array | null = null;
  begin = 0;
  for (const end of ends) {
    earlier = findEqualHashes(entries.subarray(2 * begin, 2 * end), table, earlier, count);
    begin = end;
  }
  return earlier && compareEarlier(points, count, earlier) ? earlier : null;
}

/**
 * Groups points by the first bits of their hashes, in their order in each part.
 *
 * @returns `entries`: the hash and the number of each point; `ends`: that of each part
 */
function partition(points: Float64Array, count: number): { entries: Int32Array; ends: Uint32Array } {
  let bits = 0;
  while (2 ** bits < MOST_PARTS && PART * 2 ** bits < count) bits++;
  const hashes = new Int32Array(count);
  // First the size of each part, then where its next point goes. Two shifts: one by 32 is none.
  const ends = new Uint32Array(2 ** bits);
  for (let first = 0; first < count; first += BATCH) {
    const some = Math.min(BATCH, count - first);
    const hashed = hashPoints(points, first, some);
    for (let i = 0; i < some; i++) {
      const hash = hashed[i];
      hashes[first + i] = hash;
      ends[(hash >>> 1) >>> (31 - bits)]++;
    }
  }
  let sum = 0;
  for (let part = 0; part < ends.length; part++) {
    const own = ends[part];
    ends[part] = sum;
    sum += own;
  }
  const entries = new Int32Array(2 * count);
  for (let p = 0; p < count; p++) {
    const hash = hashes[p];
    const to = 2 * ends[(hash >>> 1) >>> (31 - bits)]++;
    entries[to] = hash;
    entries[to + 1] = p;
  }
  return { entries, ends };
}

/** Writes the first points of equal hashes to `earlier`, which is made when one is found. */
function findEqualHashes(entries: Int32Array, table: Int32Array, earlier: Uint32Array | null, count: number) {
  table.fill(-1);
  const mask = table.length - 1;
  let found = earlier;
  for (let e = 0; e < entries.length; e += 2) {
    const hash = entries[e];
    let slot = hash & mask;
    while (table[slot] >= 0 && entries[table[slot]] !== hash) slot = (slot + 1) & mask;
    if (table[slot] < 0) table[slot] = e;
    else {
      found ??= new Uint32Array(count);
      found[entries[e + 1]] = entries[table[slot] + 1] + 1;
    }
  }
  return found;
}

/**
 * Leaves to each point an earlier one that is equal. Coordinates are read in the order of the
 * points, not of their hashes.
 *
 * @param earlier as of findEarlier, but by equal hashes
 * @returns false if none is left
 */
function compareEarlier(points: Float64Array, count: number, earlier: Uint32Array): boolean {
  const odd: number[] = [];
  let equal = 0;
  for (let p = 0; p < count; p++) {
    if (earlier[p] === 0) continue;
    const [i, j] = [3 * p, 3 * (earlier[p] - 1)];
    if (points[i] === points[j] && points[i + 1] === points[j + 1] && points[i + 2] === points[j + 2]) equal++;
    else odd.push(p);
  }
  // They differ from the first with their hash, so from all but one another.
  const own = Float64Array.from({ length: 3 * odd.length }, (_, k) => points[3 * odd[Math.floor(k / 3)] + (k % 3)]);
  const numbers = new PointNumbers(odd.length, odd.length);
  const of = new Uint32Array(odd.length);
  for (let k = 0; k < odd.length; k += BATCH) numbers.add(own, k, Math.min(BATCH, odd.length - k), of, k);
  const firsts: number[] = [];
  for (const [k, p] of odd.entries()) {
    if (of[k] === firsts.length) firsts.push(p);
    else equal++;
    earlier[p] = firsts[of[k]] === p ? 0 : firsts[of[k]] + 1;
  }
  return equal > 0;
}
