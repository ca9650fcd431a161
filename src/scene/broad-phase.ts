/**
 * Which of many boxes overlap: sweep and prune.
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

const BOX = 6;

/** Whether boxes i and j share a point. */
function overlap(boxes: Float64Array, i: number, j: number): boolean {
  const a = BOX * i;
  const b = BOX * j;
  return (
    boxes[a] <= boxes[b + 3] &&
    boxes[b] <= boxes[a + 3] &&
    boxes[a + 1] <= boxes[b + 4] &&
    boxes[b + 1] <= boxes[a + 4] &&
    boxes[a + 2] <= boxes[b + 5] &&
    boxes[b + 2] <= boxes[a + 5]
  );
}

/**
 * Hands over every pair of boxes that overlap, once: i < j, in no particular order.
 *
 * Sorts the boxes along the axis along which their middles spread most, and compares each with those
 * that begin before it ends.
 */
export function forOverlaps(boxes: Float64Array, onPair: (i: number, j: number) => void): void {
  const count = boxes.length / BOX;
  const axis = widestAxis(boxes);
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  order.sort((i, j) => boxes[BOX * i + axis] - boxes[BOX * j + axis] || i - j);
  const starts = Float64Array.from(order, (i) => boxes[BOX * i + axis]);
  for (let p = 0; p < count; p++) {
    const i = order[p];
    const end = boxes[BOX * i + axis + 3];
    for (let q = p + 1; q < count && starts[q] <= end; q++) {
      const j = order[q];
      if (overlap(boxes, i, j)) onPair(Math.min(i, j), Math.max(i, j));
    }
  }
}

function widestAxis(boxes: Float64Array): number {
  const count = boxes.length / BOX;
  let [widest, most] = [0, -1];
  for (let k = 0; k < 3; k++) {
    let sum = 0;
    let squares = 0;
    for (let i = 0; i < count; i++) {
      const middle = boxes[BOX * i + k] / 2 + boxes[BOX * i + k + 3] / 2;
      sum += middle / count;
      squares += (middle * middle) / count;
    }
    const spread = squares - sum * sum;
    if (spread > most) [widest, most] = [k, spread];
  }
  return widest;
}

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
    this.orders = [0, 1, 2].map((axis) => {
      const order = Int32Array.from({ length: 2 * this.count }, (_, end) => end);
      return order.sort((a, b) => this.valueOf(a, axis) - this.valueOf(b, axis) || (a & 1) - (b & 1));
    });
    this.values = this.orders.map((order, axis) => Float64Array.from(order, (end) => this.valueOf(end, axis)));
    forOverlaps(boxes, (i, j) => this.pairs.add(i * this.count + j));
  }

  private valueOf(end: number, axis: number): number {
    return this.boxes[BOX * (end >> 1) + axis + 3 * (end & 1)];
  }

  /** Follows boxes that have moved. */
  update(): void {
    for (let axis = 0; axis < 3; axis++) this.sort(axis);
  }

  private sort(axis: number): void {
    const { boxes } = this;
    const order = this.orders[axis];
    const values = this.values[axis];
    for (let p = 0; p < order.length; p++) values[p] = boxes[BOX * (order[p] >> 1) + axis + 3 * (order[p] & 1)];
    for (let p = 1; p < order.length; p++) {
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
    }
  }

  /** Two begin or end to overlap along an axis. */
  private meet(i: number, j: number, begins: boolean): void {
    if (i === j) return;
    const key = i < j ? i * this.count + j : j * this.count + i;
    if (!begins) this.pairs.delete(key);
    else if (overlap(this.boxes, i, j)) this.pairs.add(key);
  }
}
