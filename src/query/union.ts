/**
 * Sets that are joined two at a time: union-find with path halving (R. E. Tarjan, J. van Leeuwen,
 * Journal of the ACM 31(2), 1984). The least number of a set stands for it, so that nothing depends
 * on the order of unions.
 */
export class Union {
  private readonly parent: Int32Array;

  constructor(count: number) {
    this.parent = new Int32Array(count);
    for (let i = 0; i < count; i++) this.parent[i] = i;
  }

  /** The number that stands for the set of i. */
  find(i: number): number {
    const { parent } = this;
    let at = i;
    while (parent[at] !== at) {
      parent[at] = parent[parent[at]];
      at = parent[at];
    }
    return at;
  }

  join(i: number, j: number): number {
    const p = this.find(i);
    const q = this.find(j);
    const low = Math.min(p, q);
    this.parent[Math.max(p, q)] = low;
    return low;
  }
}
