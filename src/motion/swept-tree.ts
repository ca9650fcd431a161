/**
 * A tree of boxes about triangles that move: each box holds its triangles at all times from one set
 * of vertex positions to another.
 *
 * Vertices move along straight lines, so the box of both ends holds all that is between, and no
 * number of it is rounded. The tree is made once (triangle-tree.ts); for every further step its
 * boxes are fitted anew, children before their parents.
 */
import { TriangleTree } from '../mesh/triangle-tree.ts';

/** Lowest x, y, z and highest x, y, z. */
const BOX = 6;
/**
 * A tree is made anew where the areas of its boxes, over the root's, have grown so many times since
 * it was made.
 */
const GROWTH = 2;
/** A split leaves a quarter at least on either side: 2^30 triangles are 73 levels, four pairs each. */
const pairs = new Int32Array(2 * 4 * 2 * 80);

/** Is told the numbers of two triangles; ends the search where it returns true. */
export type OnBoxes = (t: number, u: number) => boolean;

export class SweptTree {
  /** The boxes of nodes, and of the triangles of slots. */
  readonly boxes: Float64Array;
  readonly slots: Float64Array;
  readonly child: Int32Array;
  readonly slotEnd: Int32Array;
  readonly order: Uint32Array;
  readonly #corners: Uint32Array;
  readonly #ofVertices: Float64Array;
  /** Of the boxes when the tree was made; NaN before it was swept. */
  #areaThen = Number.NaN;
  #areaNow = Number.NaN;

  /** @param positions about where the tree is made: it is good where triangles stay neighbours */
  constructor(triangles: Uint32Array, positions: Float64Array) {
    const { child, slotEnd, order } = new TriangleTree({ positions, triangles }).shape;
    this.child = child;
    this.slotEnd = slotEnd;
    this.order = order;
    this.boxes = new Float64Array(BOX * child.length);
    this.slots = new Float64Array(BOX * order.length);
    this.#ofVertices = new Float64Array(2 * positions.length);
    this.#corners = new Uint32Array(3 * order.length);
    for (let s = 0; s < order.length; s++)
      for (let k = 0; k < 3; k++) this.#corners[3 * s + k] = BOX * triangles[3 * order[s] + k];
  }

  /** Whether a tree made anew would be worth it: see GROWTH. */
  get hasGrown(): boolean {
    return this.#areaNow > GROWTH * this.#areaThen;
  }

  /** Fits the boxes to a step. */
  sweep(from: Float64Array, to: Float64Array): void {
    boundVertices(from, to, this.#ofVertices);
    const { slots, boxes, child } = this;
    boundSlots(this.#ofVertices, this.#corners, slots);
    let area = 0;
    for (let n = child.length - 1; n >= 0; n--) {
      if (child[n] >= 0) unite(boxes, BOX * child[n], boxes, BOX * child[n] + BOX, boxes, BOX * n);
      else {
        const first = ~child[n];
        for (let k = 0; k < BOX; k++) boxes[BOX * n + k] = slots[BOX * first + k];
        for (let s = first + 1; s < this.slotEnd[n]; s++) unite(boxes, BOX * n, slots, BOX * s, boxes, BOX * n);
      }
      area += areaOf(boxes, BOX * n);
    }
    this.#areaNow = area / areaOf(boxes, 0);
    if (Number.isNaN(this.#areaThen)) this.#areaThen = this.#areaNow;
  }
}

/** Half the area of a box. */
function areaOf(boxes: Float64Array, at: number): number {
  const x = boxes[at + 3] - boxes[at];
  const y = boxes[at + 4] - boxes[at + 1];
  const z = boxes[at + 5] - boxes[at + 2];
  return x * y + y * z + z * x;
}

function boundVertices(from: Float64Array, to: Float64Array, out: Float64Array): void {
  for (let i = 0, o = 0; i < from.length; i += 3, o += BOX)
    for (let k = 0; k < 3; k++) {
      const p = from[i + k];
      const q = to[i + k];
      out[o + k] = p < q ? p : q;
      out[o + k + 3] = p < q ? q : p;
    }
}

function boundSlots(ofVertices: Float64Array, corners: Uint32Array, out: Float64Array): void {
  for (let c = 0, o = 0; c < corners.length; c += 3, o += BOX) {
    const a = corners[c];
    const b = corners[c + 1];
    const d = corners[c + 2];
    for (let k = 0; k < 3; k++) {
      const x = ofVertices[a + k];
      const y = ofVertices[b + k];
      const z = ofVertices[d + k];
      const low = x < y ? x : y;
      out[o + k] = low < z ? low : z;
      const p = ofVertices[a + k + 3];
      const q = ofVertices[b + k + 3];
      const r = ofVertices[d + k + 3];
      const high = p > q ? p : q;
      out[o + k + 3] = high > r ? high : r;
    }
  }
}

function unite(a: Float64Array, i: number, b: Float64Array, j: number, out: Float64Array, o: number): void {
  for (let k = 0; k < 3; k++) {
    const x = a[i + k];
    const y = b[j + k];
    const p = a[i + k + 3];
    const q = b[j + k + 3];
    out[o + k] = x < y ? x : y;
    out[o + k + 3] = p > q ? p : q;
  }
}

/**
 * Hands over each pair of a triangle of a and one of b whose boxes are no farther apart along any
 * axis than `wide`, which is rounded up.
 *
 * @param count is written: how many pairs of boxes were compared
 */
export function forSweptPairs(a: SweptTree, b: SweptTree, wide: number, count: { boxes: number }, on: OnBoxes): void {
  pairs[0] = 0;
  pairs[1] = 0;
  let top = 2;
  let compared = 1;
  const isNear = (i: number, j: number): boolean => {
    compared++;
    return areNear(a.boxes, BOX * i, b.boxes, BOX * j, wide);
  };
  if (!areNear(a.boxes, 0, b.boxes, 0, wide)) top = 0;
  while (top > 0) {
    const n = pairs[--top];
    const m = pairs[--top];
    const left = a.child[m];
    const right = b.child[n];
    if (left < 0 && right < 0) {
      compared += (a.slotEnd[m] - ~left) * (b.slotEnd[n] - ~right);
      if (pairsOfLeaves(a, m, b, n, wide, on)) break;
    } else if (right < 0) {
      for (let i = left; i < left + 2; i++) if (isNear(i, n)) top = push(top, i, n);
    } else if (left < 0) {
      for (let j = right; j < right + 2; j++) if (isNear(m, j)) top = push(top, m, j);
    } else
      for (let i = left; i < left + 2; i++)
        for (let j = right; j < right + 2; j++) if (isNear(i, j)) top = push(top, i, j);
  }
  count.boxes += compared;
}

function push(top: number, m: number, n: number): number {
  pairs[top] = m;
  pairs[top + 1] = n;
  return top + 2;
}

function pairsOfLeaves(a: SweptTree, m: number, b: SweptTree, n: number, wide: number, on: OnBoxes): boolean {
  const first = ~b.child[n];
  const end = b.slotEnd[n];
  for (let s = ~a.child[m]; s < a.slotEnd[m]; s++) {
    if (!areNear(a.slots, BOX * s, b.boxes, BOX * n, wide)) continue;
    for (let r = first; r < end; r++)
      if (areNear(a.slots, BOX * s, b.slots, BOX * r, wide) && on(a.order[s], b.order[r])) return true;
  }
  return false;
}

/** The same of one tree: each pair once, no triangle beside itself. */
export function forSweptSelf(tree: SweptTree, wide: number, count: { boxes: number }, on: OnBoxes): void {
  pairs[0] = 0;
  pairs[1] = 0;
  let top = 2;
  let compared = 0;
  const { boxes, child } = tree;
  const isNear = (i: number, j: number): boolean => {
    compared++;
    return areNear(boxes, BOX * i, boxes, BOX * j, wide);
  };
  while (top > 0) {
    const n = pairs[--top];
    const m = pairs[--top];
    const left = child[m];
    const right = child[n];
    if (left < 0 && right < 0) {
      if (m === n ? pairsOfLeaf(tree, m, wide, on) : pairsOfLeaves(tree, m, tree, n, wide, on)) break;
    } else if (m === n) {
      if (isNear(left, left + 1)) top = push(top, left, left + 1);
      top = push(top, left, left);
      top = push(top, left + 1, left + 1);
    } else if (right < 0) {
      for (let i = left; i < left + 2; i++) if (isNear(i, n)) top = push(top, i, n);
    } else if (left < 0) {
      for (let j = right; j < right + 2; j++) if (isNear(m, j)) top = push(top, m, j);
    } else
      for (let i = left; i < left + 2; i++)
        for (let j = right; j < right + 2; j++) if (isNear(i, j)) top = push(top, i, j);
  }
  count.boxes += compared;
}

function pairsOfLeaf(tree: SweptTree, m: number, wide: number, on: OnBoxes): boolean {
  const { slots, order } = tree;
  for (let s = ~tree.child[m]; s < tree.slotEnd[m]; s++)
    for (let r = s + 1; r < tree.slotEnd[m]; r++)
      if (areNear(slots, BOX * s, slots, BOX * r, wide) && on(order[s], order[r])) return true;
  return false;
}

/**
 * Whether no axis has boxes apart by more than `wide`. A difference is rounded to the nearest, which
 * keeps its order to `wide`, so what is farther apart is never called near, nor the other way round
 * by more than one rounding: `wide` is larger than what it stands for by more than that.
 */
function areNear(a: Float64Array, i: number, b: Float64Array, j: number, wide: number): boolean {
  return (
    a[i] - b[j + 3] <= wide &&
    b[j] - a[i + 3] <= wide &&
    a[i + 1] - b[j + 4] <= wide &&
    b[j + 1] - a[i + 4] <= wide &&
    a[i + 2] - b[j + 5] <= wide &&
    b[j + 2] - a[i + 5] <= wide
  );
}
