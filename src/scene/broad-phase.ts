/**
 * Finds overlapping boxes among many that move: sweep and prune.
 *
 * J. Cohen, M. Lin, D. Manocha, M. Ponamgi, "I-COLLIDE: An Interactive and Exact Collision
 * Detection System for Large-Scale Environments", I3D 1995, section 4. The ends of all boxes stay
 * sorted along each axis. From frame to frame they move little, so insertion sort takes about as
 * many steps as there are boxes, and each swap begins or ends an overlap along that axis.
 *
 * Departure: no counts of a pair's overlapping axes, which take n^2 numbers. When an overlap along
 * an axis begins, the boxes are compared; when one ends, the pair is dropped. Insertion sort swaps
 * two ends at most once, so after a frame `pairs` is exact. Boxes are closed.
 */

import { BOX, forOverlaps, overlap } from './box-tree.ts';

/** More swaps per box in a frame sort all anew: a box that leaps takes one per other box. */
const SWAPS_A_BOX = 64;

export class SweepAndPrune {
  /** i * count + j for i < j. */
  readonly pairs = new Set<number>();
  private readonly count: number;
  /** Ends along each axis, lowest first: 2 i for the low end of box i, 2 i + 1 for the high one. */
  private readonly orders: Int32Array[];
  private readonly values: Float64Array[];

  /** @param boxes lowest corner, then highest; may be written between updates, not replaced */
  constructor(private readonly boxes: Float64Array) {
    this.count = boxes.length / BOX;
    this.orders = [0, 1, 2].map(() => Int32Array.from({ length: 2 * this.count }, (_, end) => end));
    this.values = [0, 1, 2].map(() => new Float64Array(2 * this.count));
    this.begin();
  }

  private begin(): void {
    for (let axis = 0; axis < 3; axis++) {
      const order = this.orders[axis];
      order.sort((a, b) => this.valueOf(a, axis) - this.valueOf(b, axis) || (a & 1) - (b & 1));
      this.readValues(axis);
    }
    this.pairs.clear();
    forOverlaps(this.boxes, (i, j) => this.pairs.add(i * this.count + j));
  }

  private valueOf(end: number, axis: number): number {
    return this.boxes[BOX * (end >> 1) + axis + 3 * (end & 1)];
  }

  update(): void {
    let room = SWAPS_A_BOX * this.count;
    for (let axis = 0; axis < 3 && room >= 0; axis++) room = this.sort(axis, room);
    if (room < 0) this.begin();
  }

  private readValues(axis: number): void {
    const { boxes } = this;
    const order = this.orders[axis];
    const values = this.values[axis];
    for (let p = 0; p < order.length; p++) values[p] = boxes[BOX * (order[p] >> 1) + axis + 3 * (order[p] & 1)];
  }

  /** Returns the swaps left; negative if it gave up. */
  private sort(axis: number, swaps: number): number {
    this.readValues(axis);
    const order = this.orders[axis];
    const values = this.values[axis];
    let room = swaps;
    for (let p = 1; p < order.length && room >= 0; p++) {
      const end = order[p];
      const value = values[p];
      const isHigh = end & 1;
      let q = p - 1;
      // At one value low ends come first: boxes are closed.
      while (q >= 0 && (values[q] > value || (values[q] === value && isHigh < (order[q] & 1)))) {
        const other = order[q];
        if ((other & 1) !== isHigh) this.meet(end >> 1, other >> 1, isHigh === 0);
        order[q + 1] = other;
        values[q + 1] = values[q];
        q--;
      }
      order[q + 1] = end;
      values[q + 1] = value;
      room -= p - 1 - q;
    }
    return room;
  }

  private meet(i: number, j: number, begins: boolean): void {
    if (i === j) return;
    const key = i < j ? i * this.count + j : j * this.count + i;
    if (!begins) this.pairs.delete(key);
    else if (overlap(this.boxes, i, this.boxes, j)) this.pairs.add(key);
  }
}
