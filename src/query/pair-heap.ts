/**
 * A binary heap of pairs of nodes by a number, the least on top, in arrays that grow.
 *
 * Each pair has a note for its next step.
 */
export class PairHeap {
  size = 0;
  /** The last popped pair, its number and its note. */
  i = 0;
  j = 0;
  key = 0;
  note = 0;
  private keys = new Float64Array(256);
  /** i, j and the note of each. */
  private rest = new Int32Array(3 * 256);

  get least(): number {
    return this.keys[0];
  }

  push(key: number, i: number, j: number, note = 0): void {
    if (this.size === this.keys.length) this.grow();
    let at = this.size++;
    const { keys, rest } = this;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (keys[parent] <= key) break;
      keys[at] = keys[parent];
      rest[3 * at] = rest[3 * parent];
      rest[3 * at + 1] = rest[3 * parent + 1];
      rest[3 * at + 2] = rest[3 * parent + 2];
      at = parent;
    }
    keys[at] = key;
    rest[3 * at] = i;
    rest[3 * at + 1] = j;
    rest[3 * at + 2] = note;
  }

  pop(): void {
    const { keys, rest } = this;
    this.key = keys[0];
    this.i = rest[0];
    this.j = rest[1];
    this.note = rest[2];
    const last = --this.size;
    const key = keys[last];
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= last) break;
      if (child + 1 < last && keys[child + 1] < keys[child]) child++;
      if (keys[child] >= key) break;
      keys[at] = keys[child];
      rest[3 * at] = rest[3 * child];
      rest[3 * at + 1] = rest[3 * child + 1];
      rest[3 * at + 2] = rest[3 * child + 2];
      at = child;
    }
    keys[at] = key;
    rest[3 * at] = rest[3 * last];
    rest[3 * at + 1] = rest[3 * last + 1];
    rest[3 * at + 2] = rest[3 * last + 2];
  }

  private grow(): void {
    const keys = new Float64Array(2 * this.keys.length);
    keys.set(this.keys);
    this.keys = keys;
    const rest = new Int32Array(2 * this.rest.length);
    rest.set(this.rest);
    this.rest = rest;
  }
}
