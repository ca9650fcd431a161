// The rungs of P. Terdiman's "RAPID Hack" (2000 to 2002) that the product does not have, for
// measurements: nodes of 132 bytes (RAPID 2.01), 72, 68, 64 and 44. Each is a reader that the
// product's own descent walks over, so that rungs differ in what they store alone. And boxes that
// were rounded to a rung without being fitted again, which is what the text does.
//
// A box, decoded, is 15 doubles: a rotation in rows, its columns the axes, the centre and the half
// extents, in the model's frame.
import { MOMENTS, principalAxes, triangleAxes, triangleMoments } from '#src/geometry/fit-obb';
import { child, childrenOf, createCursor, triangleOf } from '#src/representations/obb/tree/cursor';
import { DECODED, isLeafWord, leafTriangle, QUATERNION_STEP, quaternionOf } from '#src/representations/obb/tree/node';

/** @typedef {import('gicollide').ObbTree} ObbTree */
/** @typedef {ReturnType<typeof createCursor>} Cursor */
/** @typedef {72 | 68 | 64 | 44} PlainBytes */

/** The boxes of all nodes as they decode. @param {ObbTree} tree */
export function decodedBoxes(tree) {
  const { reader } = createCursor(tree, 1);
  const boxes = new Float64Array(DECODED * reader.count);
  for (let node = 0; node < reader.count; node++) reader.decode(node, boxes, DECODED * node);
  return boxes;
}

/**
 * A cursor that holds all boxes and decodes none: 120 bytes of doubles a node, and three words.
 *
 * @param {ObbTree} tree
 * @param {Float64Array} boxes
 * @returns {Cursor}
 */
export function cursorHolding(tree, boxes) {
  const cursor = createCursor(tree, Number.POSITIVE_INFINITY);
  cursor.boxes.set(boxes);
  for (let node = 0; node < cursor.reader.count; node++) cursor.held[node] = node;
  return cursor;
}

/**
 * What half extents grow by where axes, quaternions and centres are rounded to float32: 2^-24 of 1
 * and of the centre each, several times over.
 */
const WIDER = 2 ** -20;

/** Nodes of single precision: matrices, or quaternions of four numbers. */
class PlainReader {
  wide = null;

  /** @param {ObbTree} tree of 40 bytes a node @param {PlainBytes} bytes */
  constructor(tree, bytes) {
    const boxes = decodedBoxes(tree);
    const { reader } = createCursor(tree, 1);
    this.count = reader.count;
    this.isMatrix = bytes !== 44;
    this.origin = tree.origin;
    this.stride = this.isMatrix ? DECODED : DECODED - 5;
    this.floats = new Float32Array(this.stride * this.count);
    const words = () => new Uint32Array(this.count);
    this.positive = words();
    this.negative = bytes >= 72 ? words() : null;
    this.triangle = bytes >= 68 ? words() : null;
    const stored = new Float32Array(tree.nodes.buffer, tree.nodes.byteOffset, tree.nodes.byteLength / 4);
    for (let node = 0; node < this.count; node++) {
      this.setBox(node, boxes.subarray(DECODED * node, DECODED * (node + 1)), stored.subarray(10 * node));
      this.setWord(node, reader.word(node));
    }
  }

  /** @param {number} node @param {Float64Array} box @param {Float32Array} stored x, y, z, ... */
  setBox(node, box, [x, y, z]) {
    const at = this.stride * node;
    const rest = at + this.stride - 6;
    if (this.isMatrix) this.floats.set(box.subarray(0, 9), at);
    else this.floats.set([x, y, z, Math.sqrt(Math.max(0, 1 - x * x - y * y - z * z))], at);
    let size = 0;
    for (let k = 0; k < 3; k++) {
      this.floats[rest + k] = box[9 + k] - this.origin[k];
      size += box[12 + k] + Math.abs(this.floats[rest + k]);
    }
    for (let k = 0; k < 3; k++) this.floats[rest + 3 + k] = box[12 + k] + WIDER * size;
  }

  /** @param {number} node @param {number} word */
  setWord(node, word) {
    if (!this.triangle) this.positive[node] = word;
    else if (isLeafWord(word)) this.triangle[node] = leafTriangle(word) + 1;
    else {
      this.positive[node] = word >>> 1;
      if (this.negative) this.negative[node] = (word >>> 1) + 1;
    }
  }

  /** As 40 bytes have it. @param {number} node */
  word(node) {
    if (!this.triangle) return this.positive[node];
    const triangle = this.triangle[node];
    return triangle > 0 ? ((triangle - 1) << 1) | 1 : this.positive[node] << 1;
  }

  /** @param {number} node @param {Float64Array} out @param {number} at */
  decode(node, out, at) {
    const f = this.floats;
    const i = this.stride * node;
    const rest = i + this.stride - 6;
    out[at + 9] = this.origin[0] + f[rest];
    out[at + 10] = this.origin[1] + f[rest + 1];
    out[at + 11] = this.origin[2] + f[rest + 2];
    out[at + 12] = f[rest + 3];
    out[at + 13] = f[rest + 4];
    out[at + 14] = f[rest + 5];
    if (this.isMatrix) {
      for (let k = 0; k < 9; k++) out[at + k] = f[i + k];
      return 0;
    }
    const x = f[i];
    const y = f[i + 1];
    const z = f[i + 2];
    const w = f[i + 3];
    out[at] = 1 - 2 * (y * y + z * z);
    out[at + 1] = 2 * (x * y - z * w);
    out[at + 2] = 2 * (x * z + y * w);
    out[at + 3] = 2 * (x * y + z * w);
    out[at + 4] = 1 - 2 * (x * x + z * z);
    out[at + 5] = 2 * (y * z - x * w);
    out[at + 6] = 2 * (x * z - y * w);
    out[at + 7] = 2 * (y * z + x * w);
    out[at + 8] = 1 - 2 * (x * x + y * y);
    return 0;
  }
}

/**
 * A cursor over nodes of so many bytes.
 *
 * @param {ObbTree} tree of 40 bytes a node
 * @param {PlainBytes} bytes
 * @param {number} [slots] of the cache
 * @returns {Cursor}
 */
export function plainCursor(tree, bytes, slots) {
  const reader = /** @type {any} */ (new PlainReader(tree, bytes));
  return { ...createCursor(tree, slots), reader };
}

// Boxes that are rounded and not fitted again.

/** The triangles below every node. @param {ObbTree} tree */
function trianglesBelow(tree) {
  const cursor = createCursor(tree, 1);
  /** @type {number[][]} */
  const below = Array.from({ length: cursor.reader.count }, () => []);
  /** @param {number} node @param {number} first @param {number} count @returns {number[]} */
  const visit = (node, first, count) => {
    const triangle = triangleOf(cursor, node, first, count);
    if (triangle >= 0) {
      if (node >= 0) below[node] = [triangle];
      return [triangle];
    }
    const children = childrenOf(cursor, node, first, count);
    const items = Array.from({ length: children }, (_, k) => [child.node[k], child.first[k], child.count[k]]);
    below[node] = items.flatMap(([n, f, c]) => visit(n, f, c));
    return below[node];
  };
  visit(0, 0, tree.triangles.length / 3);
  return below;
}

const sum = new Float64Array(MOMENTS);

/**
 * The least boxes of all nodes of a tree in doubles, without any margin, along the principal axes
 * of their triangles; and the quaternions x, y, z of these, with w >= 0.
 *
 * @param {ObbTree} tree of 40 or 20 bytes a node
 */
export function leastBoxes(tree) {
  const below = trianglesBelow(tree);
  const { triangles, origin } = tree;
  const local = Float64Array.from(tree.positions, (x, i) => x - origin[i % 3]);
  const moments = triangleMoments(local, triangles);
  const boxes = new Float64Array(DECODED * below.length);
  const quaternions = new Float64Array(3 * below.length);
  const axes = new Float64Array(9);
  for (const [node, under] of below.entries()) {
    sum.fill(0);
    for (const t of under) for (let k = 0; k < MOMENTS; k++) sum[k] += moments[MOMENTS * t + k];
    const [p, q, r] = triangles.subarray(3 * under[0]);
    if (under.length > 1 || !triangleAxes(local, p, q, r, axes)) principalAxes(sum, axes);
    // Axes are renamed so that w is largest: what they are called is no matter of rounding.
    quaternionOf(axes, quaternions.subarray(3 * node));
    const box = boxes.subarray(DECODED * node);
    box.set(origin, 9);
    for (let i = 0; i < 3; i++) {
      const [low, high] = spanOf(tree, local, under, axes.subarray(3 * i));
      for (let k = 0; k < 3; k++) {
        box[3 * k + i] = axes[3 * i + k];
        box[9 + k] += ((low + high) / 2) * axes[3 * i + k];
      }
      box[12 + i] = (high - low) / 2;
    }
  }
  return { boxes, quaternions };
}

/**
 * The lowest and the highest corner along an axis.
 *
 * @param {ObbTree} tree
 * @param {Float64Array} local its vertices
 * @param {readonly number[]} under triangles
 * @param {Float64Array} axis
 */
function spanOf({ triangles }, local, under, [x, y, z]) {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const t of under) {
    for (let c = 3 * t; c < 3 * t + 3; c++) {
      const v = 3 * triangles[c];
      const along = x * local[v] + y * local[v + 1] + z * local[v + 2];
      if (along < low) low = along;
      if (along > high) high = along;
    }
  }
  return [low, high];
}

/**
 * The tree with its least boxes rounded to nearest, each number by itself.
 *
 * @param {ObbTree} tree of 40 or 20 bytes a node
 * @param {ReturnType<typeof leastBoxes>} least
 * @returns {ObbTree}
 */
export function roundedTree(tree, { boxes, quaternions }) {
  const { nodeBytes, origin, scale } = tree;
  const nodes = tree.nodes.slice();
  const floats = new Float32Array(nodes.buffer);
  const [shorts, unsigned] = [new Int16Array(nodes.buffer), new Uint16Array(nodes.buffer)];
  for (let node = 0; node < nodes.length / nodeBytes; node++) {
    const at = 10 * node;
    for (let k = 0; k < 3; k++) {
      const [q, c] = [quaternions[3 * node + k], boxes[DECODED * node + 9 + k] - origin[k]];
      const half = boxes[DECODED * node + 12 + k];
      if (nodeBytes === 40) {
        floats[at + k] = q;
        floats[at + 3 + k] = c;
        floats[at + 6 + k] = half;
      } else {
        shorts[at + k] = Math.round(q / QUATERNION_STEP);
        shorts[at + 3 + k] = Math.round(c / scale[0]);
        unsigned[at + 6 + k] = Math.round(half / scale[1]);
      }
    }
  }
  return { ...tree, nodes };
}

/** Boxes of matrices in single precision, rounded to nearest. @param {Float64Array} boxes */
export const roundedBoxes = (boxes) => Float64Array.from(Float32Array.from(boxes));
