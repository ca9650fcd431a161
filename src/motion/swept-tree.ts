/**
 * A tree of boxes about moving triangles. A box holds its triangles throughout one step.
 *
 * Vertices move along straight lines, so the box of both ends holds everything between, without
 * rounding. The tree is built once (triangle-tree.ts); each step refits it, children before
 * parents.
 */
import { TriangleTree } from '../mesh/triangle-tree.ts';

/** Lowest x, y, z and highest x, y, z. */
const BOX = 6;
/**
 * Row `deform` of bench/results.jsonl, 58,784 triangles, a build in 48 ms: a tree whose areas have
 * grown 1.03, 1.21 and 3.1 times costs a build after 377, 123 and 7 frames of a pair nearly in
 * contact.
 */
const GROWTH = 2;
/** Splits leave a quarter on either side: 2^30 triangles are 73 levels of four pairs. */
const pairs = new Int32Array(2 * 4 * 2 * 80);

type OnBoxes = (t: number, u: number) => boolean;

export class SweptTree {
  readonly boxes: Float64Array;
  readonly child: Int32Array;
  readonly slotEnd: Int32Array;
  readonly order: Uint32Array;
  /** In the order in which slots first use them; a slot's places there. */
  readonly #vertices: Float64Array;
  readonly #corners: Uint32Array;
  /** The place of each vertex's box; unused vertices come last. */
  readonly #places: Uint32Array;
  /** Leaves in the order of their slots, and the places of each leaf's vertex boxes. */
  readonly #leaves: Uint32Array;
  readonly #leafStart: Uint32Array;
  readonly #leafVertices: Uint32Array;
  /** Areas of all boxes divided by the root's: after the build, and now; NaN before a sweep. */
  #areaThen = Number.NaN;
  #areaNow = Number.NaN;

  /** @param positions guide the build: the tree is good while triangles stay neighbors */
  constructor(triangles: Uint32Array, positions: Float64Array) {
    const { child, slotEnd, order } = new TriangleTree({ positions, triangles }).shape;
    this.child = child;
    this.slotEnd = slotEnd;
    this.order = order;
    this.boxes = new Float64Array(BOX * child.length);
    this.#places = placesOf(triangles, order, positions.length / 3);
    this.#vertices = new Float64Array(2 * positions.length);
    this.#corners = new Uint32Array(3 * order.length);
    for (let s = 0; s < order.length; s++)
      for (let k = 0; k < 3; k++) this.#corners[3 * s + k] = this.#places[triangles[3 * order[s] + k]];
    const nodes = leavesOf(child, order.length);
    this.#leaves = nodes;
    this.#leafStart = new Uint32Array(nodes.length + 1);
    this.#leafVertices = new Uint32Array(this.#corners.length);
    let count = 0;
    for (let l = 0; l < nodes.length; l++) {
      const start = count;
      for (let c = 3 * ~child[nodes[l]]; c < 3 * slotEnd[nodes[l]]; c++) {
        let known = start;
        while (known < count && this.#leafVertices[known] !== this.#corners[c]) known++;
        if (known === count) this.#leafVertices[count++] = this.#corners[c];
      }
      this.#leafStart[l + 1] = count;
    }
  }

  get area(): number {
    return this.#areaNow;
  }

  get hasGrown(): boolean {
    return this.#areaNow > GROWTH * this.#areaThen;
  }

  sweep(from: Float64Array, to: Float64Array): void {
    boundVertices(from, to, this.#places, this.#vertices);
    const { boxes, child } = this;
    boundLeaves(this.#vertices, this.#leaves, this.#leafStart, this.#leafVertices, boxes);
    this.#areaNow = boundNodes(child, boxes) / areaOf(boxes, 0);
    if (Number.isNaN(this.#areaThen)) this.#areaThen = this.#areaNow;
  }

  boundSlot(slot: number, out: Float64Array, at: number): void {
    const v = this.#vertices;
    const a = this.#corners[3 * slot];
    const b = this.#corners[3 * slot + 1];
    const c = this.#corners[3 * slot + 2];
    for (let k = 0; k < 3; k++) {
      const low = v[a + k] < v[b + k] ? v[a + k] : v[b + k];
      out[at + k] = low < v[c + k] ? low : v[c + k];
    }
    for (let k = 3; k < BOX; k++) {
      const high = v[a + k] > v[b + k] ? v[a + k] : v[b + k];
      out[at + k] = high > v[c + k] ? high : v[c + k];
    }
  }
}

/** Places boxes of vertices that are used together beside each other. */
function placesOf(triangles: Uint32Array, order: Uint32Array, count: number): Uint32Array {
  const places = new Uint32Array(count);
  const isPlaced = new Uint8Array(count);
  let next = 0;
  const place = (v: number): void => {
    if (isPlaced[v]) return;
    isPlaced[v] = 1;
    places[v] = BOX * next++;
  };
  for (const t of order) for (let k = 3 * t; k < 3 * t + 3; k++) place(triangles[k]);
  for (let v = 0; v < count; v++) place(v);
  return places;
}

function leavesOf(child: Int32Array, slots: number): Uint32Array {
  const leafAt = new Int32Array(slots).fill(-1);
  for (let n = 0; n < child.length; n++) if (child[n] < 0) leafAt[~child[n]] = n;
  return Uint32Array.from(leafAt.filter((n) => n >= 0));
}

// Unrolled, since they dominate a frame: loops over three axes take 1.6 times as long.

function boundVertices(from: Float64Array, to: Float64Array, places: Uint32Array, out: Float64Array): void {
  for (let v = 0, i = 0; v < places.length; v++, i += 3) {
    const o = places[v];
    const x = from[i];
    const y = from[i + 1];
    const z = from[i + 2];
    const p = to[i];
    const q = to[i + 1];
    const r = to[i + 2];
    out[o] = x < p ? x : p;
    out[o + 1] = y < q ? y : q;
    out[o + 2] = z < r ? z : r;
    out[o + 3] = x < p ? p : x;
    out[o + 4] = y < q ? q : y;
    out[o + 5] = z < r ? r : z;
  }
}

function boundLeaves(
  vertices: Float64Array,
  leaves: Uint32Array,
  starts: Uint32Array,
  of: Uint32Array,
  boxes: Float64Array,
): void {
  for (let l = 0; l < leaves.length; l++) {
    const end = starts[l + 1];
    let at = of[starts[l]];
    let x = vertices[at];
    let y = vertices[at + 1];
    let z = vertices[at + 2];
    let p = vertices[at + 3];
    let q = vertices[at + 4];
    let r = vertices[at + 5];
    for (let k = starts[l] + 1; k < end; k++) {
      at = of[k];
      x = Math.min(x, vertices[at]);
      y = Math.min(y, vertices[at + 1]);
      z = Math.min(z, vertices[at + 2]);
      p = Math.max(p, vertices[at + 3]);
      q = Math.max(q, vertices[at + 4]);
      r = Math.max(r, vertices[at + 5]);
    }
    const o = BOX * leaves[l];
    boxes[o] = x;
    boxes[o + 1] = y;
    boxes[o + 2] = z;
    boxes[o + 3] = p;
    boxes[o + 4] = q;
    boxes[o + 5] = r;
  }
}

function boundNodes(child: Int32Array, boxes: Float64Array): number {
  let area = 0;
  for (let n = child.length - 1; n >= 0; n--) {
    if (child[n] < 0) continue;
    const i = BOX * child[n];
    const o = BOX * n;
    const x = Math.min(boxes[i], boxes[i + 6]);
    const y = Math.min(boxes[i + 1], boxes[i + 7]);
    const z = Math.min(boxes[i + 2], boxes[i + 8]);
    const p = Math.max(boxes[i + 3], boxes[i + 9]);
    const q = Math.max(boxes[i + 4], boxes[i + 10]);
    const r = Math.max(boxes[i + 5], boxes[i + 11]);
    boxes[o] = x;
    boxes[o + 1] = y;
    boxes[o + 2] = z;
    boxes[o + 3] = p;
    boxes[o + 4] = q;
    boxes[o + 5] = r;
    area += (p - x) * (q - y) + (q - y) * (r - z) + (r - z) * (p - x);
  }
  return area;
}

function areaOf(boxes: Float64Array, at: number): number {
  const x = boxes[at + 3] - boxes[at];
  const y = boxes[at + 4] - boxes[at + 1];
  const z = boxes[at + 5] - boxes[at + 2];
  return x * y + y * z + z * x;
}

/**
 * Reports pairs of triangles whose boxes are no farther apart along any axis than `wide`, rounded
 * up. With one tree twice: each pair once, no triangle with itself. Counts compared boxes in
 * `count`.
 */
export function forSweptPairs(a: SweptTree, b: SweptTree, wide: number, count: { boxes: number }, on: OnBoxes): void {
  let compared = 0;
  const isNear = (i: number, j: number): boolean => {
    compared++;
    return areNear(a.boxes, BOX * i, b.boxes, BOX * j, wide);
  };
  let top = a === b || isNear(0, 0) ? push(0, 0, 0) : 0;
  while (top > 0) {
    const n = pairs[--top];
    const m = pairs[--top];
    const left = a.child[m];
    const right = b.child[n];
    const isItself = a === b && m === n;
    if (left < 0 && right < 0) {
      compared += (a.slotEnd[m] - ~left) * (b.slotEnd[n] - ~right);
      if (isItself ? pairsOfLeaf(a, m, wide, on) : pairsOfLeaves(a, m, b, n, wide, on)) break;
    } else if (isItself) {
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

function push(top: number, m: number, n: number): number {
  pairs[top] = m;
  pairs[top + 1] = n;
  return top + 2;
}

const slotsA = new Float64Array(BOX);
const slotsB = new Float64Array(BOX * 8);

function pairsOfLeaves(a: SweptTree, m: number, b: SweptTree, n: number, wide: number, on: OnBoxes): boolean {
  const first = ~b.child[n];
  const end = b.slotEnd[n];
  for (let r = first; r < end; r++) b.boundSlot(r, slotsB, BOX * (r - first));
  for (let s = ~a.child[m]; s < a.slotEnd[m]; s++) {
    a.boundSlot(s, slotsA, 0);
    if (!areNear(slotsA, 0, b.boxes, BOX * n, wide)) continue;
    for (let r = first; r < end; r++)
      if (areNear(slotsA, 0, slotsB, BOX * (r - first), wide) && on(a.order[s], b.order[r])) return true;
  }
  return false;
}

function pairsOfLeaf(tree: SweptTree, m: number, wide: number, on: OnBoxes): boolean {
  const first = ~tree.child[m];
  const end = tree.slotEnd[m];
  for (let r = first; r < end; r++) tree.boundSlot(r, slotsB, BOX * (r - first));
  for (let s = first; s < end; s++)
    for (let r = s + 1; r < end; r++)
      if (areNear(slotsB, BOX * (s - first), slotsB, BOX * (r - first), wide) && on(tree.order[s], tree.order[r]))
        return true;
  return false;
}

/**
 * Rounding a difference to nearest keeps its order to `wide`: boxes farther apart are never called
 * near. The reverse errs by at most one rounding, which `wide` includes.
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
