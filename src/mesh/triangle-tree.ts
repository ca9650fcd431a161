/**
 * A binary tree of axis-aligned boxes over a mesh's triangles, for closest-point queries.
 *
 * The triangles are in the order of a space-filling curve, split where its leading bits change (C.
 * Lauterbach et al., "Fast BVH Construction on GPUs", Eurographics 2009, section 3), but never with
 * less than a quarter on one side. Triangles in one cell of the curve are split at the median
 * centroid along the longest side (Bentley, "Multidimensional binary search trees used for
 * associative searching", 1975). A query descends nearer child first and begins with the triangle
 * that answered last time, so queries in spatial order prune from their first box on. Against
 * medians all the way down, warm, 321k and 941k triangles: built in 140 for 250 and 320 for 750 ms,
 * near queries 10 to 20 % slower.
 *
 * Layout: node n has its box at boxes[6n ..] (lowest x, y, z, highest x, y, z). An inner node's
 * children are the neighbors child[n] and child[n] + 1, so their boxes are one read. A leaf has
 * child[n] = ~first slot, and slotEnd[n]. A slot is a triangle's nine coordinates, in leaf order.
 */

import type { Surface } from './topology.ts';

/** Most triangles in a leaf; 2 to 8 measured the same within the noise, 4 halves the nodes. */
const LEAF = 4;

/** Median splits halve: 2^32 triangles are 32 levels, one stack entry a level, two the last. */
const stackNode = new Int32Array(65);
const stackDistance = new Float64Array(64);
/**
 * Room for pairs of nodes. A split leaves at least a quarter on either side, so 2^30 triangles are
 * 73 levels. A step down to the next level leaves three pairs behind.
 */
export const PAIR_ROOM = 2 * 3 * 2 * 80;

function pushPair(pairs: Int32Array, top: number, a: number, b: number): number {
  pairs[top] = a;
  pairs[top + 1] = b;
  return top + 2;
}

/**
 * Needs O(n log n) to build and about 130 bytes a triangle. Not for coordinates beyond about 1e±70,
 * where fourth powers of lengths leave the doubles.
 */
export class TriangleTree {
  /** The mesh's triangle that was nearest in the last query; the tree's first one before any. */
  get closestTriangle(): number {
    return this.#order[this.#closest];
  }

  readonly #boxes: Float64Array;
  readonly #child: Int32Array;
  readonly #slotEnd: Int32Array;
  readonly #corners: Float64Array;
  readonly #order: Uint32Array;
  readonly #nodes: number;
  #slotOf: Uint32Array | null = null;
  #closest = 0;
  #measured = 0;

  get measured(): number {
    return this.#measured;
  }

  /** @param mesh with finite positions and at least one triangle (RangeError otherwise); copied */
  constructor({ positions, triangles }: Surface) {
    const count = triangles.length / 3;
    if (count === 0) throw new RangeError('a tree needs at least one triangle');
    const { order, child, slotEnd } = shapeOfTree(positions, triangles);
    this.#order = order;
    this.#child = child;
    this.#slotEnd = slotEnd;
    this.#nodes = child.length;
    this.#corners = cornersInOrder(positions, triangles, order);
    this.#boxes = boundNodes(child, slotEnd, this.#corners);
  }

  /** Nodes for other boxes about the same triangles, and the triangle of each slot. */
  get shape(): { child: Int32Array; slotEnd: Int32Array; order: Uint32Array } {
    return { child: this.#child.slice(), slotEnd: this.#slotEnd.slice(), order: this.#order };
  }

  /** Makes the next answers those of a new tree, including ties and the last digit. */
  forget(): void {
    this.#closest = 0;
  }

  /**
   * Reports each pair of triangles whose boxes share a point and that have no vertex in common;
   * once, in the same order every time. The tree is descended against itself. It skips two nodes
   * whose triangles all have a vertex in common: a fan of n triangles costs n, not n^2.
   *
   * @param vertices three vertex numbers a triangle
   * @param onPair receives triangle numbers; ends the search by returning true
   * @returns true if the search was ended
   */
  forPairs(vertices: Uint32Array, onPair: (t: number, u: number) => boolean): boolean {
    const boxes = this.#boxes;
    const child = this.#child;
    const own = this.#slotBoxes();
    const ids = this.#slotVertices(vertices);
    const common = this.#commonVertices(ids);
    const pairs = new Int32Array(PAIR_ROOM);
    let top = 0;
    pairs[top++] = 0;
    pairs[top++] = 0;
    while (top > 0) {
      const b = pairs[--top];
      const a = pairs[--top];
      if (shareVertex(common, 3 * a, common, 3 * b)) continue;
      const left = child[a];
      const right = child[b];
      if (left < 0 && right < 0) {
        if (this.#leafPairs(a, b, own, ids, onPair)) return true;
      } else if (a === b) {
        top = pushPair(pairs, top, left, left);
        top = pushPair(pairs, top, left + 1, left + 1);
        if (overlaps(boxes, 6 * left, boxes, 6 * left + 6)) top = pushPair(pairs, top, left, left + 1);
      } else if (right < 0) {
        for (let n = left; n < left + 2; n++)
          if (overlaps(boxes, 6 * n, boxes, 6 * b)) top = pushPair(pairs, top, n, b);
      } else if (left < 0) {
        for (let n = right; n < right + 2; n++)
          if (overlaps(boxes, 6 * a, boxes, 6 * n)) top = pushPair(pairs, top, a, n);
      } else {
        for (let m = left; m < left + 2; m++)
          for (let n = right; n < right + 2; n++)
            if (overlaps(boxes, 6 * m, boxes, 6 * n)) top = pushPair(pairs, top, m, n);
      }
    }
    return false;
  }

  #leafPairs(
    a: number,
    b: number,
    own: Float64Array,
    ids: Uint32Array,
    onPair: (t: number, u: number) => boolean,
  ): boolean {
    const first = ~this.#child[b];
    const end = this.#slotEnd[b];
    for (let s = ~this.#child[a]; s < this.#slotEnd[a]; s++) {
      if (!overlaps(own, 6 * s, this.#boxes, 6 * b)) continue;
      for (let r = a === b ? s + 1 : first; r < end; r++) {
        if (!overlaps(own, 6 * s, own, 6 * r) || shareVertex(ids, 3 * s, ids, 3 * r)) continue;
        if (onPair(this.#order[s], this.#order[r])) return true;
      }
    }
    return false;
  }

  #slotBoxes(): Float64Array {
    const corners = this.#corners;
    const own = new Float64Array(6 * this.#order.length);
    for (let slot = 0; slot < this.#order.length; slot++)
      for (let axis = 0; axis < 3; axis++) {
        const c = 9 * slot + axis;
        own[6 * slot + axis] = Math.min(corners[c], corners[c + 3], corners[c + 6]);
        own[6 * slot + axis + 3] = Math.max(corners[c], corners[c + 3], corners[c + 6]);
      }
    return own;
  }

  #slotVertices(vertices: Uint32Array): Uint32Array {
    const ids = new Uint32Array(vertices.length);
    for (let slot = 0; slot < this.#order.length; slot++)
      for (let k = 0; k < 3; k++) ids[3 * slot + k] = vertices[3 * this.#order[slot] + k];
    return ids;
  }

  /** Up to three vertices that all triangles of a node have, and -1 for none. */
  #commonVertices(ids: Uint32Array): Int32Array {
    const child = this.#child;
    const common = new Int32Array(3 * child.length).fill(-1);
    const keep = (node: number, from: Int32Array | Uint32Array, at: number): void => {
      for (let k = 3 * node; k < 3 * node + 3; k++) {
        const vertex = common[k];
        if (vertex !== from[at] && vertex !== from[at + 1] && vertex !== from[at + 2]) common[k] = -1;
      }
    };
    for (let node = this.#nodes - 1; node >= 0; node--) {
      if (child[node] >= 0) {
        for (let k = 0; k < 3; k++) common[3 * node + k] = common[3 * child[node] + k];
        keep(node, common, 3 * child[node] + 3);
        continue;
      }
      const first = ~child[node];
      for (let k = 0; k < 3; k++) common[3 * node + k] = ids[3 * first + k];
      for (let slot = first + 1; slot < this.#slotEnd[node]; slot++) keep(node, ids, 3 * slot);
    }
    return common;
  }

  /**
   * Visits the triangles whose leaf's box meets a box, far ones along a vector first; `visit` ends
   * the walk with false.
   *
   * @param box lowest and highest x, y, z
   * @param along x, y, z of the vector
   * @param least a node whose product with the vector is nowhere more than its first number is left
   *   out; `visit` may raise it
   * @param sides half-spaces, four numbers each: a vector, and the most that a product with it may
   *   be. A node whose box is outside of one is left out
   */
  overlap(
    box: Float64Array,
    along: Float64Array,
    least: Float64Array,
    sides: Float64Array,
    visit: (triangle: number) => boolean,
  ): void {
    const boxes = this.#boxes;
    const child = this.#child;
    let top = 0;
    stackNode[top++] = 0;
    while (top > 0) {
      const node = stackNode[--top];
      const at = 6 * node;
      if (boxes[at] > box[3] || boxes[at + 1] > box[4] || boxes[at + 2] > box[5]) continue;
      if (boxes[at + 3] < box[0] || boxes[at + 4] < box[1] || boxes[at + 5] < box[2]) continue;
      if (supportOf(boxes, at, along) <= least[0] || isBeyond(boxes, at, sides)) continue;
      if (child[node] < 0) {
        for (let slot = ~child[node]; slot < this.#slotEnd[node]; slot++) if (!visit(this.#order[slot])) return;
        continue;
      }
      const left = child[node];
      const leftFirst = supportOf(boxes, 6 * left, along) >= supportOf(boxes, 6 * left + 6, along);
      stackNode[top++] = leftFirst ? left + 1 : left;
      stackNode[top++] = leftFirst ? left : left + 1;
    }
  }

  beginWith(triangle: number): void {
    if (this.#slotOf === null) {
      this.#slotOf = new Uint32Array(this.#order.length);
      for (let slot = 0; slot < this.#order.length; slot++) this.#slotOf[this.#order[slot]] = slot;
    }
    this.#closest = this.#slotOf[triangle];
  }

  /**
   * Returns the squared distance from (x, y, z) to the surface, up to rounding; `closestTriangle`
   * then has the triangle. A point near the last query's is quicker.
   *
   * @param enough squared: the search may end at the first triangle this near
   */
  closestDistanceSquared(x: number, y: number, z: number, enough = 0): number {
    const boxes = this.#boxes;
    const child = this.#child;
    const corners = this.#corners;
    let best = triangleDistanceSquared(corners, 9 * this.#closest, x, y, z);
    let measured = 1;
    let top = 0;
    let node = 0;
    if (best <= enough) {
      this.#measured++;
      return best;
    }
    for (;;) {
      let next = -1;
      if (child[node] < 0) {
        measured += this.#slotEnd[node] - ~child[node];
        for (let slot = ~child[node]; slot < this.#slotEnd[node]; slot++) {
          if (isBeyondPlane(corners, 9 * slot, x, y, z, best)) continue;
          const distance = triangleDistanceSquared(corners, 9 * slot, x, y, z);
          if (distance < best) {
            best = distance;
            this.#closest = slot;
          }
        }
      } else {
        const left = child[node];
        const toLeft = boxDistanceSquared(boxes, 6 * left, x, y, z);
        const toRight = boxDistanceSquared(boxes, 6 * left + 6, x, y, z);
        const leftFirst = toLeft <= toRight;
        const near = leftFirst ? toLeft : toRight;
        const far = leftFirst ? toRight : toLeft;
        if (near < best) next = leftFirst ? left : left + 1;
        if (far < best) {
          stackNode[top] = leftFirst ? left + 1 : left;
          stackDistance[top++] = far;
        }
      }
      while (next < 0 && top > 0) if (stackDistance[--top] < best) next = stackNode[top];
      if (next < 0 || best <= enough) {
        this.#measured += measured;
        return best;
      }
      node = next;
    }
  }
}

/**
 * Makes a tree over boxes (lowest x, y, z, highest x, y, z; at least one): each becomes the
 * triangle of its two corners, which has that box.
 */
export function treeOfBoxes(boxes: Float64Array): TriangleTree {
  const triangles = new Uint32Array(boxes.length / 2);
  for (let i = 0; 3 * i < triangles.length; i++) triangles.set([2 * i, 2 * i + 1, 2 * i + 1], 3 * i);
  return new TriangleTree({ positions: boxes, triangles });
}

function overlaps(a: Float64Array, i: number, b: Float64Array, j: number): boolean {
  return (
    a[i] <= b[j + 3] &&
    b[j] <= a[i + 3] &&
    a[i + 1] <= b[j + 4] &&
    b[j + 1] <= a[i + 4] &&
    a[i + 2] <= b[j + 5] &&
    b[j + 2] <= a[i + 5]
  );
}

function shareVertex(a: Int32Array | Uint32Array, i: number, b: Int32Array | Uint32Array, j: number): boolean {
  for (let k = i; k < i + 3; k++) {
    const vertex = a[k];
    if (vertex >= 0 && (vertex === b[j] || vertex === b[j + 1] || vertex === b[j + 2])) return true;
  }
  return false;
}

function isBeyond(boxes: Float64Array, at: number, sides: Float64Array): boolean {
  for (let i = 0; i < sides.length; i += 4) {
    const x = sides[i];
    const y = sides[i + 1];
    const z = sides[i + 2];
    const least =
      x * (x > 0 ? boxes[at] : boxes[at + 3]) +
      y * (y > 0 ? boxes[at + 1] : boxes[at + 4]) +
      z * (z > 0 ? boxes[at + 2] : boxes[at + 5]);
    if (least > sides[i + 3]) return true;
  }
  return false;
}

function supportOf(boxes: Float64Array, at: number, along: Float64Array): number {
  const [x, y, z] = [along[0], along[1], along[2]];
  return (
    x * (x > 0 ? boxes[at + 3] : boxes[at]) +
    y * (y > 0 ? boxes[at + 4] : boxes[at + 1]) +
    z * (z > 0 ? boxes[at + 5] : boxes[at + 2])
  );
}

function cornersInOrder(positions: Float64Array, triangles: Uint32Array, order: Uint32Array): Float64Array {
  const corners = new Float64Array(9 * order.length);
  for (let slot = 0, to = 0; slot < order.length; slot++) {
    const t = 3 * order[slot];
    for (let c = t; c < t + 3; c++, to += 3) {
      const vertex = 3 * triangles[c];
      corners[to] = positions[vertex];
      corners[to + 1] = positions[vertex + 1];
      corners[to + 2] = positions[vertex + 2];
    }
  }
  return corners;
}

export interface TreeShape {
  /** The triangle of each slot. */
  order: Uint32Array;
  child: Int32Array;
  slotEnd: Int32Array;
}

/** Makes nodes, parents first, and orders the slots: a tree without boxes. */
export function shapeOfTree(positions: Float64Array, triangles: Uint32Array): TreeShape {
  const count = triangles.length / 3;
  const order = new Uint32Array(count);
  const centroids = centroidsTimesThree(positions, triangles);
  const codes = sortAlongCurve(centroids, order);
  // A leaf made by a split has LEAF / 2 triangles or more.
  const nodeLimit = Math.max(1, 2 * Math.floor(count / (LEAF / 2)) - 1);
  const child = new Int32Array(nodeLimit);
  const slotEnd = new Int32Array(nodeLimit);
  const slotStart = new Int32Array(nodeLimit);
  slotEnd[0] = count;
  let nodes = 1;
  for (let node = 0; node < nodes; node++) {
    const start = slotStart[node];
    const end = slotEnd[node];
    if (end - start <= LEAF) {
      child[node] = ~start;
      continue;
    }
    let middle = (start + end) >>> 1;
    if (codes[start] === codes[end - 1]) {
      selectMedian(order, centroids, longestAxis(order, centroids, start, end), start, end - 1, middle);
    } else {
      const least = Math.max(LEAF / 2, (end - start) >>> 2);
      middle = Math.min(end - least, Math.max(start + least, firstOfUpperHalf(codes, start, end - 1)));
    }
    child[node] = nodes;
    slotStart[nodes] = start;
    slotEnd[nodes] = middle;
    slotStart[nodes + 1] = middle;
    slotEnd[nodes + 1] = end;
    nodes += 2;
  }
  return { order, child: child.slice(0, nodes), slotEnd: slotEnd.slice(0, nodes) };
}

/** Makes boxes from the last node back, so that children come before their parents. */
function boundNodes(child: Int32Array, slotEnd: Int32Array, corners: Float64Array): Float64Array {
  const boxes = new Float64Array(6 * child.length);
  for (let node = child.length - 1; node >= 0; node--) {
    const to = 6 * node;
    const first = child[node];
    if (first >= 0) {
      const left = 6 * first;
      const right = left + 6;
      for (let k = 0; k < 3; k++) {
        boxes[to + k] = boxes[left + k] < boxes[right + k] ? boxes[left + k] : boxes[right + k];
        boxes[to + 3 + k] = boxes[left + 3 + k] > boxes[right + 3 + k] ? boxes[left + 3 + k] : boxes[right + 3 + k];
      }
      continue;
    }
    const end = 9 * slotEnd[node];
    let c = 9 * ~first;
    let lowX = corners[c];
    let lowY = corners[c + 1];
    let lowZ = corners[c + 2];
    let highX = lowX;
    let highY = lowY;
    let highZ = lowZ;
    for (c += 3; c < end; c += 3) {
      const x = corners[c];
      const y = corners[c + 1];
      const z = corners[c + 2];
      if (x < lowX) lowX = x;
      if (x > highX) highX = x;
      if (y < lowY) lowY = y;
      if (y > highY) highY = y;
      if (z < lowZ) lowZ = z;
      if (z > highZ) highZ = z;
    }
    boxes[to] = lowX;
    boxes[to + 1] = lowY;
    boxes[to + 2] = lowZ;
    boxes[to + 3] = highX;
    boxes[to + 4] = highY;
    boxes[to + 5] = highZ;
  }
  return boxes;
}

function centroidsTimesThree(positions: Float64Array, triangles: Uint32Array): Float64Array {
  const centroids = new Float64Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t];
    const b = 3 * triangles[t + 1];
    const c = 3 * triangles[t + 2];
    centroids[t] = positions[a] + positions[b] + positions[c];
    centroids[t + 1] = positions[a + 1] + positions[b + 1] + positions[c + 1];
    centroids[t + 2] = positions[a + 2] + positions[b + 2] + positions[c + 2];
  }
  return centroids;
}

/** Cells along each axis of the cube that holds all centroids, as a power of two. */
const CURVE_BITS = 10;
const CURVE_SHIFT = (3 * CURVE_BITS) / 2;
const BUCKETS = 1 << CURVE_SHIFT;
/** Up to this many triangles comparing is quicker than buckets. */
const FEW = 2048;

/**
 * Sorts triangles along G. Morton's curve ("A computer oriented geodetic data base", 1966), stably,
 * by two passes of counting. Returns the place on the curve of each slot.
 */
function sortAlongCurve(centroids: Float64Array, order: Uint32Array): Uint32Array {
  const count = order.length;
  const lowest = [0, 0, 0];
  let widest = 0;
  for (let axis = 0; axis < 3; axis++) {
    let low = Infinity;
    let high = -Infinity;
    for (let c = axis; c < centroids.length; c += 3) {
      const x = centroids[c];
      if (x < low) low = x;
      if (x > high) high = x;
    }
    lowest[axis] = low;
    widest = Math.max(widest, high - low);
  }
  const [x0, y0, z0] = lowest;
  const last = (1 << CURVE_BITS) - 1;
  const code = new Uint32Array(count);
  for (let t = 0; t < count; t++) {
    order[t] = t;
    const x = cellOf(centroids[3 * t] - x0, widest, last);
    const y = cellOf(centroids[3 * t + 1] - y0, widest, last);
    const z = cellOf(centroids[3 * t + 2] - z0, widest, last);
    code[t] = (spread(x) << 2) | (spread(y) << 1) | spread(z);
  }
  if (count < FEW) {
    order.sort((t, u) => code[t] - code[u] || t - u);
    return Uint32Array.from(order, (t) => code[t]);
  }
  const half = new Uint32Array(count);
  const starts = new Uint32Array(BUCKETS + 1);
  for (let t = 0; t < count; t++) starts[(code[t] & (BUCKETS - 1)) + 1]++;
  for (let b = 0; b < BUCKETS; b++) starts[b + 1] += starts[b];
  for (let t = 0; t < count; t++) half[starts[code[t] & (BUCKETS - 1)]++] = t;
  starts.fill(0);
  for (let t = 0; t < count; t++) starts[(code[t] >>> CURVE_SHIFT) + 1]++;
  for (let b = 0; b < BUCKETS; b++) starts[b + 1] += starts[b];
  for (let i = 0; i < count; i++) order[starts[code[half[i]] >>> CURVE_SHIFT]++] = half[i];
  for (let slot = 0; slot < count; slot++) half[slot] = code[order[slot]];
  return half;
}

const cellOf = (from: number, widest: number, last: number): number =>
  widest > 0 ? Math.min(last, Math.floor((from / widest) * (last + 1))) : 0;

/** Puts two zeros between the ten bits of a number. */
function spread(x: number): number {
  x = (x | (x << 16)) & 0x030000ff;
  x = (x | (x << 8)) & 0x0300f00f;
  x = (x | (x << 4)) & 0x030c30c3;
  return (x | (x << 2)) & 0x09249249;
}

/** The first ascending code that has the highest bit in which first and last differ; they must. */
function firstOfUpperHalf(codes: Uint32Array, first: number, last: number): number {
  const bit = 31 - Math.clz32(codes[first] ^ codes[last]);
  const border = ((codes[last] >>> bit) << bit) >>> 0;
  let low = first;
  let high = last;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (codes[middle] < border) low = middle + 1;
    else high = middle;
  }
  return low;
}

function longestAxis(order: Uint32Array, centroids: Float64Array, start: number, end: number): number {
  let longest = 0;
  let length = -1;
  for (let axis = 0; axis < 3; axis++) {
    let low = Infinity;
    let high = -Infinity;
    for (let slot = start; slot < end; slot++) {
      const c = centroids[3 * order[slot] + axis];
      if (c < low) low = c;
      if (c > high) high = c;
    }
    if (high - low > length) {
      length = high - low;
      longest = axis;
    }
  }
  return longest;
}

/**
 * Reorders slots first..last so that none before `middle` has a greater centroid than it, none
 * after a smaller one: Hoare's FIND ("Algorithm 65", 1961), its pivot the middle one of three.
 */
function selectMedian(
  order: Uint32Array,
  centroids: Float64Array,
  axis: number,
  first: number,
  last: number,
  middle: number,
): void {
  while (first < last) {
    const a = centroids[3 * order[first] + axis];
    const b = centroids[3 * order[(first + last) >>> 1] + axis];
    const c = centroids[3 * order[last] + axis];
    const pivot = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
    let i = first;
    let j = last;
    while (i <= j) {
      while (centroids[3 * order[i] + axis] < pivot) i++;
      while (centroids[3 * order[j] + axis] > pivot) j--;
      if (i > j) break;
      const moved = order[i];
      order[i++] = order[j];
      order[j--] = moved;
    }
    if (middle <= j) last = j;
    else if (middle >= i) first = i;
    else return;
  }
}

function boxDistanceSquared(boxes: Float64Array, at: number, x: number, y: number, z: number): number {
  const lowX = boxes[at] - x;
  const lowY = boxes[at + 1] - y;
  const lowZ = boxes[at + 2] - z;
  const dx = lowX > 0 ? lowX : x > boxes[at + 3] ? x - boxes[at + 3] : 0;
  const dy = lowY > 0 ? lowY : y > boxes[at + 4] ? y - boxes[at + 4] : 0;
  const dz = lowZ > 0 ? lowZ : z > boxes[at + 5] ? z - boxes[at + 5] : 0;
  return dx * dx + dy * dy + dz * dz;
}

/**
 * Sine of an angle below which a triangle's sides are more exact than its plane: half the digits of
 * a double. Largest error over 400,000 slivers with sides of about 1: 6e-9; with 1e-7 1.6e-8, with
 * 1e-9 5e-8, with 0 1.4e-4.
 */
const THIN = 1e-8;

/**
 * Measures from p to the triangle a, b, c: the plane's distance if p projects inside, otherwise the
 * nearest of the sides that p projects beyond. A sliver, a needle or a point has no trustworthy
 * plane: its sides count, which leaves out less than THIN times a side.
 *
 * @param corners nine coordinates at `at`
 * @returns the squared distance; finite for any finite triangle
 */
export function triangleDistanceSquared(corners: Float64Array, at: number, x: number, y: number, z: number): number {
  const px = x - corners[at];
  const py = y - corners[at + 1];
  const pz = z - corners[at + 2];
  const bx = corners[at + 3] - corners[at];
  const by = corners[at + 4] - corners[at + 1];
  const bz = corners[at + 5] - corners[at + 2];
  const cx = corners[at + 6] - corners[at];
  const cy = corners[at + 7] - corners[at + 1];
  const cz = corners[at + 8] - corners[at + 2];
  // n = b x c; p projects to u a + v b + w c, all of them times n.n
  const nx = by * cz - bz * cy;
  const ny = bz * cx - bx * cz;
  const nz = bx * cy - by * cx;
  const nn = nx * nx + ny * ny + nz * nz;
  const bb = bx * bx + by * by + bz * bz;
  const cc = cx * cx + cy * cy + cz * cz;
  const v = nx * (py * cz - pz * cy) + ny * (pz * cx - px * cz) + nz * (px * cy - py * cx);
  const w = nx * (by * pz - bz * py) + ny * (bz * px - bx * pz) + nz * (bx * py - by * px);
  const u = nn - v - w;
  const thin = !(nn > THIN * THIN * bb * cc);
  if (!thin && u >= 0 && v >= 0 && w >= 0) {
    const height = nx * px + ny * py + nz * pz;
    return (height / nn) * height;
  }
  let best = Infinity;
  if (thin || w < 0) best = sideDistanceSquared(px, py, pz, bx, by, bz, bb);
  if (thin || v < 0) best = Math.min(best, sideDistanceSquared(px, py, pz, cx, cy, cz, cc));
  if (thin || u < 0) {
    const ax = cx - bx;
    const ay = cy - by;
    const az = cz - bz;
    const aa = ax * ax + ay * ay + az * az;
    best = Math.min(best, sideDistanceSquared(px - bx, py - by, pz - bz, ax, ay, az, aa));
  }
  return best;
}

const BEYOND = 1 + 1e-6;

/**
 * True if a triangle's plane is certainly farther: rules out most large triangles of a tangle in a
 * third of the time of measuring them.
 */
function isBeyondPlane(c: Float64Array, at: number, x: number, y: number, z: number, squared: number): boolean {
  const ax = c[at];
  const ay = c[at + 1];
  const az = c[at + 2];
  const bx = c[at + 3] - ax;
  const by = c[at + 4] - ay;
  const bz = c[at + 5] - az;
  const cx = c[at + 6] - ax;
  const cy = c[at + 7] - ay;
  const cz = c[at + 8] - az;
  const nx = by * cz - bz * cy;
  const ny = bz * cx - bx * cz;
  const nz = bx * cy - by * cx;
  const nn = nx * nx + ny * ny + nz * nz;
  const height = nx * (x - ax) + ny * (y - ay) + nz * (z - az);
  if (!(height * height > BEYOND * squared * nn)) return false;
  const bb = bx * bx + by * by + bz * bz;
  const cc = cx * cx + cy * cy + cz * cz;
  return nn > THIN * THIN * bb * cc;
}

/** Measures from p to the segment from the origin to d, dd = d.d. */
function sideDistanceSquared(
  px: number,
  py: number,
  pz: number,
  dx: number,
  dy: number,
  dz: number,
  dd: number,
): number {
  const along = px * dx + py * dy + pz * dz;
  const s = along > 0 ? (along < dd ? along / dd : 1) : 0;
  const qx = px - s * dx;
  const qy = py - s * dy;
  const qz = pz - s * dz;
  return qx * qx + qy * qy + qz * qz;
}
