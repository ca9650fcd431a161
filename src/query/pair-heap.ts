/** A binary heap of pairs of nodes by a number, the least on top, in arrays that grow. */
export class PairHeap {
  size = 0;
  /** The pair that `pop` took last, and its number. */
  i = 0;
  j = 0;
  key = 0;
  private keys = new Float64Array(256);
  private pairs = new Int32Array(512);

  /** The number on top; only while the heap is not empty. */
  get least(): number {
    return this.keys[0];
  }

  push(key: number, i: number, j: number): void {
    if (this.size === this.keys.length) this.grow();
    let at = this.size++;
    const { keys, pairs } = this;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (keys[parent] <= key) break;
      keys[at] = keys[parent];
      pairs[2 * at] = pairs[2 * parent];
      pairs[2 * at + 1] = pairs[2 * parent + 1];
      at = parent;
    }
    keys[at] = key;
    pairs[2 * at] = i;
    pairs[2 * at + 1] = j;
  }

  /** Takes the least pair into `i`, `j` and `key`. */
  pop(): void {
    const { keys, pairs } = this;
    this.key = keys[0];
    this.i = pairs[0];
    this.j = pairs[1];
    const last = --this.size;
    const key = keys[last];
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= last) break;
      if (child + 1 < last && keys[child + 1] < keys[child]) child++;
      if (keys[child] >= key) break;
      keys[at] = keys[child];
      pairs[2 * at] = pairs[2 * child];
      pairs[2 * at + 1] = pairs[2 * child + 1];
      at = child;
    }
    keys[at] = key;
    pairs[2 * at] = pairs[2 * last];
    pairs[2 * at + 1] = pairs[2 * last + 1];
  }

  private grow(): void {
    const keys = new Float64Array(2 * this.keys.length);
    keys.set(this.keys);
    this.keys = keys;
    const pairs = new Int32Array(2 * this.pairs.length);
    pairs.set(this.pairs);
    this.pairs = pairs;
  }
}
