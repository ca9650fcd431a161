// Sweep and prune, the first level of I-COLLIDE: J. Cohen, M. Lin, D. Manocha, M. Ponamgi,
// "I-COLLIDE: An Interactive and Exact Collision Detection System for Large-Scale Environments",
// I3D 1995, section 4. The ends of all boxes stay sorted along each axis. From frame to frame they
// move little, so insertion sort takes about as many steps as there are boxes, and each swap begins
// or ends an overlap along that axis.
//
// Departure: no counts of a pair's overlapping axes, which take n^2 numbers. When an overlap along
// an axis begins, the boxes are compared; when one ends, the pair is dropped.
import { forOverlaps, overlap } from '#src/scene/broad-phase';

const BOX = 6;

export class SweepAndPrune {
  /** i * count + j for i < j. @type {Set<number>} */
  pairs = new Set();

  /** @param {Float64Array} boxes lowest corner, then highest; may be written between updates */
  constructor(boxes) {
    this.boxes = boxes;
    this.count = boxes.length / BOX;
    /** Ends along each axis, lowest first: 2 i is the low end of box i, 2 i + 1 the high one. */
    this.orders = [0, 1, 2].map((axis) =>
      Int32Array.from({ length: 2 * this.count }, (_, end) => end).sort(
        (a, b) => this.valueOf(a, axis) - this.valueOf(b, axis) || (a & 1) - (b & 1),
      ),
    );
    forOverlaps(boxes, (i, j) => this.pairs.add(i * this.count + j));
  }

  /** @param {number} end @param {number} axis */
  valueOf(end, axis) {
    return this.boxes[BOX * (end >> 1) + axis + 3 * (end & 1)];
  }

  update() {
    for (const [axis, order] of this.orders.entries()) {
      const values = Float64Array.from(order, (end) => this.valueOf(end, axis));
      for (let p = 1; p < order.length; p++) {
        const [end, value] = [order[p], values[p]];
        const isHigh = end & 1;
        let q = p - 1;
        // At one value low ends come first: boxes are closed.
        while (q >= 0 && (values[q] > value || (values[q] === value && isHigh < (order[q] & 1)))) {
          const other = order[q];
          if ((other & 1) !== isHigh) this.meet(end, other);
          order[q + 1] = other;
          values[q + 1] = values[q];
          q--;
        }
        order[q + 1] = end;
        values[q + 1] = value;
      }
    }
  }

  /** A low end that passes a high one begins. @param {number} end @param {number} other */
  meet(end, other) {
    const [i, j] = [end >> 1, other >> 1];
    if (i === j) return;
    const key = i < j ? i * this.count + j : j * this.count + i;
    if ((end & 1) === 1) this.pairs.delete(key);
    else if (overlap(this.boxes, i, this.boxes, j)) this.pairs.add(key);
  }
}
