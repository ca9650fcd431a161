/**
 * Which of many moving boxes overlap: sweep and prune.
 *
 * J. Cohen, M. Lin, D. Manocha, M. Ponamgi, "I-COLLIDE: An Interactive and Exact Collision Detection
 * System for Large-Scale Environments", I3D 1995, section 4. The ends of all boxes stay sorted along
 * each axis; from frame to frame they move little, so that insertion sort takes about as many steps
 * as there are boxes, and every pair whose ends it swaps begins or ends to overlap along that axis.
 *
 * Departure: no counts of the axes along which a pair overlaps, which take n^2 numbers. Where two
 * begin to overlap along an axis, their boxes are compared; where they end, the pair is dropped. An
 * insertion sort swaps two ends once at most, so what it says is what has changed, and the pairs at
 * the end of a frame are those whose boxes overlap.
 *
 * Boxes are six numbers each: the lowest corner, then the highest. They are closed: two that share a
 * face overlap.
 */

import { BOX, forOverlaps, overlap } from './box-tree.ts';

/**
 * Swaps of a box's ends in a frame, beyond which all is sorted anew: what leaps takes as many as
 * there are boxes.
 */
const SWAPS_A_BOX = 64;

/** The pairs of moving boxes that overlap. */
export class SweepAndPrune {
  /** i * count + j for i < j. */
  readonly pairs = new Set<number>();
  private readonly count: number;
  /** Ends along each axis, lowest first: 2 i for the low end of box i, 2 i + 1 for the high one. */
  private readonly orders: Int32Array[];
  /** Where they are, in the same order. */
  private readonly values: Float64Array[];

  /** @param boxes may be written to between updates, not be replaced */
  constructor(private readonly boxes: Float64Array) {
    this.count = boxes.length / BOX;
    this.orders = [0, 1, 2].map(() => Int32Array.from({ length: 2 * this.count }, (_, end) => end));
    this.values = [0, 1, 2].map(() => new Float64Array(2 * this.count));
    this.begin();
  }

  /** Sorts all, as if there had been no frame before. */
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

  /** Follows boxes that have moved. */
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

  /** Returns how many of the swaps it may take are left: below 0 where it gave up. */
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

  /** Two begin or end to overlap along an axis. */
  private meet(i: number, j: number, begins: boolean): void {
    if (i === j) return;
    const key = i < j ? i * this.count + j : j * this.count + i;
    if (!begins) this.pairs.delete(key);
    else if (overlap(this.boxes, i, this.boxes, j)) this.pairs.add(key);
  }
}
