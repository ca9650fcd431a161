/**
 * Union-find with path halving (R. E. Tarjan, J. van Leeuwen, Journal of the ACM 31(2), 1984).
 *
 * The least number of a set stands for it, so that the order of unions does not matter.
 */
export class Union {
  private readonly parent: Int32Array;

  constructor(count: number) {
    this.parent = new Int32Array(count);
    for (let i = 0; i < count; i++) this.parent[i] = i;
  }

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
