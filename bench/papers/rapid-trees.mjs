// The nodes of P. Terdiman's "RAPID Hack" (2000 to 2002), byte by byte: RAPID 2.01's box of 132
// bytes, and each step of the text down to 40. A tree lies in one ArrayBuffer, nodes first, then
// triangles of three indices; a pointer is the address in it, of 4 bytes as in the text.
//
// RAPID's boxes lie in their parents' frames. These lie in the model's, around an origin of the
// tree, so that no error grows on the way down; `throughParents` has RAPID's way.
//
// A box, decoded, is 15 doubles: a rotation in rows, its columns the axes, the centre and the half
// extents.
import { child, childrenOf, createCursor, triangleOf } from '#src/representations/obb/tree/cursor';
import { DECODED, isLeafWord, leafTriangle, positiveChild, quaternionOf } from '#src/representations/obb/tree/node';
import { MOMENTS, principalAxes, triangleAxes, triangleMoments } from './principal-axes.mjs';

/** @typedef {import('gicollide').ObbTree} ObbTree */
/**
 * How an orientation is stored: `w`: x, y, z of a quaternion with w >= 0 (S. Bacelle's trick);
 * `sign`: the same with the sign of w in the pointer's second bit; `newton1`, `newton2`: w from an
 * approximate root of so many steps.
 *
 * @typedef {'matrix' | 'quaternion' | 'w' | 'sign' | 'newton1' | 'newton2' | 'euler'} Orientation
 */
/**
 * A layout of nodes.
 *
 * @typedef {object} Layout
 * @property {Orientation} orientation
 * @property {4 | 8} real bytes a number
 * @property {1 | 2 | 3} pointers P; P, trp; P, N, trp
 * @property {boolean} [aligned] padded to a multiple of 8, as compilers may do it
 */

/** @type {Record<Orientation, number>} numbers that an orientation takes */
const NUMBERS = { matrix: 9, quaternion: 4, w: 3, sign: 3, newton1: 3, newton2: 3, euler: 3 };
const KINDS = /** @type {const} */ (['matrix', 'quaternion', 'w', 'sign', 'newton1', 'newton2', 'euler']);
const POINTER = 4;
const INDICES = 12;

/** Bytes of a node. @param {Layout} layout */
export const bytesOf = ({ orientation, real, pointers, aligned = false }) =>
  (NUMBERS[orientation] + 6) * real + POINTER * (pointers + (aligned && pointers % 2 === 1 ? 1 : 0));

/** The text's steps, in its order. @type {readonly (Layout & { step: string })[]} */
export const RUNGS = [
  { step: "RAPID 2.01's box", orientation: 'matrix', real: 8, pointers: 3 },
  { step: 'single precision', orientation: 'matrix', real: 4, pointers: 3 },
  { step: 'no negative pointer', orientation: 'matrix', real: 4, pointers: 2 },
  { step: 'no triangle pointer', orientation: 'matrix', real: 4, pointers: 1 },
  { step: 'quaternions', orientation: 'quaternion', real: 4, pointers: 1 },
  { step: 'no w', orientation: 'w', real: 4, pointers: 1 },
];

// The least boxes in doubles.

/**
 * A box for each node in doubles, without any margin, and the triangles below it.
 *
 * @typedef {object} Least
 * @property {Float64Array} boxes as decoded
 * @property {readonly Uint32Array[]} below
 */

/** The triangles below every node of a tree of 40 bytes. @param {ObbTree} tree */
function trianglesBelow(tree) {
  const cursor = createCursor(tree, 1);
  /** @type {Uint32Array[]} */
  const below = Array.from({ length: cursor.reader.count });
  /** @param {number} node @returns {Uint32Array} */
  const visit = (node) => {
    const triangle = triangleOf(cursor, node, 0, 0);
    if (triangle >= 0) below[node] = Uint32Array.of(triangle);
    else {
      childrenOf(cursor, node, 0, 0);
      const [first, second] = [...child.node.subarray(0, 2)].map(visit);
      below[node] = new Uint32Array(first.length + second.length);
      below[node].set(first);
      below[node].set(second, first.length);
    }
    return below[node];
  };
  visit(0);
  return below;
}

/**
 * Boxes along the principal axes of their triangles.
 *
 * @param {ObbTree} tree of 40 bytes a node
 * @param {{ renamed?: boolean }} [options] renamed (true): axes are called so that w is largest, as
 *   in the product; else they are as they come
 * @returns {Least}
 */
export function leastBoxes(tree, { renamed = true } = {}) {
  const below = trianglesBelow(tree);
  const { triangles, origin } = tree;
  const local = Float64Array.from(tree.positions, (x, i) => x - origin[i % 3]);
  const moments = triangleMoments(local, triangles);
  const boxes = new Float64Array(DECODED * below.length);
  const [axes, sum, unused] = [new Float64Array(9), new Float64Array(MOMENTS), new Float64Array(3)];
  for (const [node, under] of below.entries()) {
    sum.fill(0);
    for (const t of under) for (let k = 0; k < MOMENTS; k++) sum[k] += moments[MOMENTS * t + k];
    const triangle = [...triangles.subarray(3 * under[0], 3 * under[0] + 3)];
    if (under.length > 1 || !triangleAxes(local, triangle, axes)) principalAxes(sum, axes);
    if (renamed) quaternionOf(axes, unused);
    const box = boxes.subarray(DECODED * node, DECODED * (node + 1));
    for (let i = 0; i < 9; i++) box[i] = axes[3 * (i % 3) + Math.floor(i / 3)];
    spans(tree, local, under, axes);
    for (let i = 0; i < 3; i++) {
      for (let k = 0; k < 3; k++) box[9 + k] += ((low[i] + high[i]) / 2) * axes[3 * i + k];
      box[12 + i] = (high[i] - low[i]) / 2;
    }
    for (let k = 0; k < 3; k++) box[9 + k] += origin[k];
  }
  return { boxes, below };
}

const low = new Float64Array(3);
const high = new Float64Array(3);

/**
 * The lowest and the highest corner of triangles along three vectors: in `low` and `high`.
 *
 * @param {ObbTree} tree
 * @param {Float64Array} local its vertices
 * @param {Uint32Array} under triangles
 * @param {ArrayLike<number>} rows
 */
function spans({ triangles }, local, under, rows) {
  low.fill(Number.POSITIVE_INFINITY);
  high.fill(Number.NEGATIVE_INFINITY);
  for (let n = 0; n < under.length; n++) {
    for (let c = 3 * under[n]; c < 3 * under[n] + 3; c++) {
      const v = 3 * triangles[c];
      for (let i = 0; i < 3; i++) {
        const along = rows[3 * i] * local[v] + rows[3 * i + 1] * local[v + 1] + rows[3 * i + 2] * local[v + 2];
        if (along < low[i]) low[i] = along;
        if (along > high[i]) high[i] = along;
      }
    }
  }
}

/**
 * The boxes as RAPID places them, each in its parent's frame in single precision, and followed from
 * the root down in single precision.
 *
 * @param {ObbTree} tree of 40 bytes a node
 * @param {Float64Array} boxes
 */
export function throughParents(tree, boxes) {
  const cursor = createCursor(tree, 1);
  const { fround } = Math;
  const found = Float64Array.from(boxes);
  const box = (/** @type {Float64Array} */ of, /** @type {number} */ node) =>
    of.subarray(DECODED * node, DECODED * (node + 1));
  /**
   * R^T m, or R^T v.
   *
   * @param {Float64Array} r
   * @param {readonly number[]} m
   * @param {number} columns
   */
  const into = (r, m, columns) =>
    Array.from({ length: 3 * columns }, (_, i) => {
      const [row, column] = [Math.floor(i / columns), i % columns];
      return r[row] * m[column] + r[3 + row] * m[columns + column] + r[6 + row] * m[2 * columns + column];
    });
  /**
   * R m, every operation rounded.
   *
   * @param {Float64Array} r
   * @param {readonly number[]} m
   * @param {number} columns
   */
  const outOf = (r, m, columns) =>
    Array.from({ length: 3 * columns }, (_, i) => {
      const [row, column] = [Math.floor(i / columns), i % columns];
      const terms = [0, 1, 2].map((k) => fround(r[3 * row + k] * m[columns * k + column]));
      return fround(fround(terms[0] + terms[1]) + terms[2]);
    });
  const { origin } = tree;
  /** @param {number} node @param {number} parent */
  const visit = (node, parent) => {
    const [exact, own] = [box(boxes, node), box(found, node)];
    if (parent < 0) {
      for (let i = 0; i < 9; i++) own[i] = fround(exact[i]);
      for (let k = 0; k < 3; k++) own[9 + k] = origin[k] + fround(exact[9 + k] - origin[k]);
    } else {
      const [above, frame] = [box(boxes, parent), box(found, parent)];
      const apart = [9, 10, 11].map((k) => exact[k] - above[k]);
      own.set(outOf(frame, into(above, [...exact.subarray(0, 9)], 3).map(fround), 3));
      const moved = outOf(frame, into(above, apart, 1).map(fround), 1);
      for (let k = 0; k < 3; k++) own[9 + k] = origin[k] + fround(fround(frame[9 + k] - origin[k]) + moved[k]);
    }
    for (let k = 12; k < 15; k++) own[k] = fround(exact[k]);
    if (isLeafWord(cursor.reader.word(node))) return;
    const first = positiveChild(cursor.reader.word(node));
    visit(first, node);
    visit(first + 1, node);
  };
  visit(0, -1);
  return found;
}

// Orientations.

/**
 * The quaternion x, y, z, w of a rotation in rows; its largest part is positive.
 *
 * @param {Float64Array} m
 */
export function unitQuaternion(m) {
  const traces = [m[0] - m[4] - m[8], m[4] - m[0] - m[8], m[8] - m[0] - m[4], m[0] + m[4] + m[8]];
  const most = traces.indexOf(Math.max(...traces));
  const large = 0.5 * Math.sqrt(1 + traces[most]);
  const part = 1 / (4 * large);
  const [wx, wy, wz] = [m[7] - m[5], m[2] - m[6], m[3] - m[1]];
  const [xy, xz, yz] = [m[1] + m[3], m[2] + m[6], m[5] + m[7]];
  const rows = [
    [large, xy * part, xz * part, wx * part],
    [xy * part, large, yz * part, wy * part],
    [xz * part, yz * part, large, wz * part],
    [wx * part, wy * part, wz * part, large],
  ];
  const q = rows[most];
  const length = Math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  return q.map((x) => x / length);
}

/** Angles of turns around x, then y, then z, of a rotation in rows. @param {Float64Array} m */
const anglesOf = (m) => [Math.atan2(m[7], m[8]), Math.asin(Math.max(-1, Math.min(1, -m[6]))), Math.atan2(m[3], m[0])];

const bits = new DataView(new ArrayBuffer(4));

/**
 * The root of n as n / sqrt(n), and that from the bits of a float, by so many steps of Newton's
 * method. No step goes above 1 / sqrt(n).
 *
 * @param {number} n from 0 to 1
 * @param {number} steps
 */
export function approximateRoot(n, steps) {
  bits.setFloat32(0, n);
  bits.setInt32(0, 0x5f3759df - (bits.getInt32(0) >> 1));
  let inverse = bits.getFloat32(0);
  for (let step = 0; step < steps; step++) inverse *= 1.5 - 0.5 * n * inverse * inverse;
  return n * inverse;
}

/**
 * @param {Float64Array} out
 * @param {number} x
 * @param {number} y
 * @param {number} z
 * @param {number} w
 */
export function turnOfQuaternion(out, x, y, z, w) {
  out[0] = 1 - 2 * (y * y + z * z);
  out[1] = 2 * (x * y - z * w);
  out[2] = 2 * (x * z + y * w);
  out[3] = 2 * (x * y + z * w);
  out[4] = 1 - 2 * (x * x + z * z);
  out[5] = 2 * (y * z - x * w);
  out[6] = 2 * (x * z - y * w);
  out[7] = 2 * (y * z + x * w);
  out[8] = 1 - 2 * (x * x + y * y);
}

/** @param {Float64Array} out @param {number} a @param {number} b @param {number} c */
function turnOfAngles(out, a, b, c) {
  const sa = Math.sin(a);
  const ca = Math.cos(a);
  const sb = Math.sin(b);
  const cb = Math.cos(b);
  const sc = Math.sin(c);
  const cc = Math.cos(c);
  const e = cc * sb;
  const f = sc * sb;
  out[0] = cc * cb;
  out[1] = e * sa - sc * ca;
  out[2] = e * ca + sc * sa;
  out[3] = sc * cb;
  out[4] = f * sa + cc * ca;
  out[5] = f * ca - cc * sa;
  out[6] = -sb;
  out[7] = cb * sa;
  out[8] = cb * ca;
}

// Trees.

/** The least float that is not below. @param {number} x */
function upwards(x) {
  const rounded = Math.fround(x);
  return rounded >= x ? rounded : Math.fround(x * (1 + 2 ** -23) + 2 ** -149);
}

const inverse = new Float64Array(9);

/** Into `inverse`, of a matrix whose determinant is near 1. @param {Float64Array} m */
function invert(m) {
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) {
      const [a, b, c, d] = [(i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3];
      inverse[3 * j + i] = m[3 * a + c] * m[3 * b + d] - m[3 * a + d] * m[3 * b + c];
    }
  }
  const determinant = m[0] * inverse[0] + m[1] * inverse[3] + m[2] * inverse[6];
  for (let i = 0; i < 9; i++) inverse[i] /= determinant;
}

/** How far R^T R is from 1, by its entries' squares. @param {Float64Array} m in rows */
export function looseness(m) {
  let sum = 0;
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) {
      const dot = m[i] * m[j] + m[3 + i] * m[3 + j] + m[6 + i] * m[6 + j] - (i === j ? 1 : 0);
      sum += dot * dot;
    }
  }
  return Math.sqrt(sum);
}

// Written out: a loop would take longer than the arithmetic of a quaternion.

/** @param {Float32Array} f @param {number} i @param {Float64Array} out */
function readFloats(f, i, out) {
  out[0] = f[i];
  out[1] = f[i + 1];
  out[2] = f[i + 2];
  out[3] = f[i + 3];
  out[4] = f[i + 4];
  out[5] = f[i + 5];
  out[6] = f[i + 6];
  out[7] = f[i + 7];
  out[8] = f[i + 8];
}

/** @param {Float64Array} d @param {number} i @param {Float64Array} out */
function readDoubles(d, i, out) {
  out[0] = d[i];
  out[1] = d[i + 1];
  out[2] = d[i + 2];
  out[3] = d[i + 3];
  out[4] = d[i + 4];
  out[5] = d[i + 5];
  out[6] = d[i + 6];
  out[7] = d[i + 7];
  out[8] = d[i + 8];
  out[9] = d[i + 9];
  out[10] = d[i + 10];
  out[11] = d[i + 11];
  out[12] = d[i + 12];
  out[13] = d[i + 13];
  out[14] = d[i + 14];
}

/** @param {DataView} view @param {number} i @param {Float64Array} out */
function readUnaligned(view, i, out) {
  out[0] = view.getFloat64(i, true);
  out[1] = view.getFloat64(i + 8, true);
  out[2] = view.getFloat64(i + 16, true);
  out[3] = view.getFloat64(i + 24, true);
  out[4] = view.getFloat64(i + 32, true);
  out[5] = view.getFloat64(i + 40, true);
  out[6] = view.getFloat64(i + 48, true);
  out[7] = view.getFloat64(i + 56, true);
  out[8] = view.getFloat64(i + 64, true);
  out[9] = view.getFloat64(i + 72, true);
  out[10] = view.getFloat64(i + 80, true);
  out[11] = view.getFloat64(i + 88, true);
  out[12] = view.getFloat64(i + 96, true);
  out[13] = view.getFloat64(i + 104, true);
  out[14] = view.getFloat64(i + 112, true);
}

/**
 * A tree in the bytes of a layout. Extents are fitted to the axes and the centre that a node
 * decodes to, and rounded outward. For each corner v of the box's triangles, from its centre, the
 * search needs, F the decoded axes, near a rotation:
 *   |F^T v|_i <= h_i and |F^-1 v|_i <= h_i
 * The second says that the box is spanned by its axes, and the first that it lies between planes.
 */
export class RungTree {
  /**
   * @param {ObbTree} tree of 40 bytes a node
   * @param {Layout} layout
   * @param {Least} least
   * @param {{ fitted?: boolean }} [options] fitted (true); else each number of the least boxes is
   *   rounded to nearest by itself, as in the text
   */
  constructor(tree, layout, least, { fitted = true } = {}) {
    const { orientation, real, pointers, aligned = false } = layout;
    const { triangles, origin } = tree;
    this.tree = tree;
    this.kind = KINDS.indexOf(orientation);
    this.pointers = pointers;
    this.isDouble = real === 8;
    this.bytes = bytesOf(layout);
    this.numbers = NUMBERS[orientation];
    this.isAligned = aligned;
    /** The first pointer's place in a node. */
    this.link = (this.numbers + 6) * real;
    this.count = least.below.length;
    /** Address of the first triangle. */
    this.triangles = this.bytes * this.count;
    const buffer = new ArrayBuffer(this.triangles + 4 * triangles.length);
    this.view = new DataView(buffer);
    this.floats = new Float32Array(buffer);
    this.doubles = new Float64Array(buffer, 0, buffer.byteLength >> 3);
    this.words = new Uint32Array(buffer);
    this.words.set(triangles, this.triangles / 4);
    this.origin = origin;
    /** A bound of the looseness of all nodes' axes; the text takes them for a rotation. */
    this.loose = 0;
    /** A bound of the distance of boxes and vertices from the coordinate origin. */
    this.reach = 0;
    /** Nodes whose x^2 + y^2 + z^2 came out above 1: their w has no root. */
    this.rootless = 0;
    this.local = Float64Array.from(tree.positions, (x, i) => x - origin[i % 3]);
    const size = this.local.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    const largest = Float64Array.from(tree.positions).reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    // Rounding of F^-1 v, of coordinates around the origin, and of sums of both.
    this.margin = 2 ** -44 * size + 2 ** -49 * largest;
    const { reader } = createCursor(tree, 1);
    const box = new Float64Array(DECODED);
    for (let node = 0; node < this.count; node++) {
      this.setLink(node, reader.word(node));
      box.set(least.boxes.subarray(DECODED * node, DECODED * (node + 1)));
      this.setBox(this.bytes * node, box);
      if (fitted) this.fit(this.bytes * node, box, least.below[node]);
      this.decode(this.bytes * node, box);
      if (fitted) this.loose = Math.max(this.loose, looseness(box) + 2 ** -48);
      for (let k = 9; k < 12; k++) this.reach = Math.max(this.reach, Math.abs(box[k]) + box[12] + box[13] + box[14]);
    }
    this.reach = 4 * Math.max(this.reach, largest);
  }

  /** @param {number} at address of a node @param {number} k number of the box */
  number(at, k) {
    return this.isDouble ? this.view.getFloat64(at + 8 * k, true) : this.floats[(at >> 2) + k];
  }

  /** @param {number} at @param {number} k @param {number} x */
  setNumber(at, k, x) {
    if (this.isDouble) this.view.setFloat64(at + 8 * k, x, true);
    else this.floats[(at >> 2) + k] = x;
  }

  /**
   * Pointers as the text has them, of a word of 40 bytes.
   *
   * @param {number} node
   * @param {number} word
   */
  setLink(node, word) {
    const link = (this.bytes * node + this.link) >> 2;
    const triangle = this.triangles + INDICES * leafTriangle(word);
    const positive = this.bytes * positiveChild(word);
    if (this.pointers === 1) this.words[link] = isLeafWord(word) ? triangle | 1 : positive;
    else if (isLeafWord(word)) this.words[link + this.pointers - 1] = triangle;
    else {
      this.words[link] = positive;
      if (this.pointers === 3) this.words[link + 1] = positive + this.bytes;
    }
  }

  /** @param {number} at @param {Float64Array} box */
  setBox(at, box) {
    for (const [k, x] of this.coded(at, box).entries()) this.setNumber(at, k, x);
    for (let k = 0; k < 3; k++) {
      this.setNumber(at, this.numbers + k, box[9 + k] - this.origin[k]);
      this.setNumber(at, this.numbers + 3 + k, box[12 + k]);
    }
  }

  /**
   * The numbers of an orientation.
   *
   * @param {number} at
   * @param {Float64Array} box
   * @returns {readonly number[]}
   */
  coded(at, box) {
    if (this.kind === 0) return [...box.subarray(0, 9)];
    if (this.kind === 6) return anglesOf(box);
    const q = unitQuaternion(box);
    if (this.kind === 1) return q;
    const isNegative = q[3] < 0;
    if (this.kind === 3 && isNegative) this.words[(at + this.link) >> 2] |= 2;
    const xyz = q.slice(0, 3).map((x) => Math.fround(isNegative && this.kind !== 3 ? -x : x));
    if (xyz[0] * xyz[0] + xyz[1] * xyz[1] + xyz[2] * xyz[2] > 1) this.rootless++;
    return xyz;
  }

  /** @param {number} at @param {Float64Array} box is used up @param {Uint32Array} under */
  fit(at, box, under) {
    const half = [0, 0, 0];
    this.decode(at, box);
    invert(box);
    const centre = [0, 1, 2].map((k) => box[9 + k] - this.origin[k]);
    const columns = [0, 3, 6, 1, 4, 7, 2, 5, 8].map((i) => box[i]);
    for (const rows of [inverse, columns]) {
      spans(this.tree, this.local, under, rows);
      for (let i = 0; i < 3; i++) {
        const middle = rows[3 * i] * centre[0] + rows[3 * i + 1] * centre[1] + rows[3 * i + 2] * centre[2];
        half[i] = Math.max(half[i], high[i] - middle, middle - low[i]);
      }
    }
    for (let i = 0; i < 3; i++) {
      const least = half[i] * (1 + 2 ** -40) + this.margin;
      this.setNumber(at, this.numbers + 3 + i, this.isDouble ? least : upwards(least));
    }
  }

  /** @param {number} at address of a node */
  isLeaf(at) {
    const link = (at + this.link) >> 2;
    if (this.pointers === 1) return (this.words[link] & 1) === 1;
    return this.words[link] === 0 && (this.pointers === 2 || this.words[link + 1] === 0);
  }

  /** @param {number} at */
  triangle(at) {
    const address = this.words[((at + this.link) >> 2) + this.pointers - 1] & ~3;
    return (address - this.triangles) / INDICES;
  }

  /** @param {number} at */
  positive(at) {
    return this.words[(at + this.link) >> 2] & ~3;
  }

  /** N, or P + 1. @param {number} at */
  negative(at) {
    return this.pointers === 3 ? this.words[((at + this.link) >> 2) + 1] : this.positive(at) + this.bytes;
  }

  /** @param {number} at address of a node @param {Float64Array} out */
  decode(at, out) {
    if (this.isDouble) {
      if (this.isAligned) readDoubles(this.doubles, at >> 3, out);
      else readUnaligned(this.view, at, out);
      for (let k = 0; k < 3; k++) out[9 + k] += this.origin[k];
      return;
    }
    const f = this.floats;
    const i = at >> 2;
    const rest = i + this.numbers;
    for (let k = 0; k < 3; k++) {
      out[9 + k] = this.origin[k] + f[rest + k];
      out[12 + k] = f[rest + 3 + k];
    }
    if (this.kind === 0) {
      readFloats(f, i, out);
      return;
    }
    const x = f[i];
    const y = f[i + 1];
    const z = f[i + 2];
    if (this.kind === 6) {
      turnOfAngles(out, x, y, z);
      return;
    }
    turnOfQuaternion(out, x, y, z, this.kind === 1 ? f[i + 3] : this.lastPart(at, x, y, z));
  }

  /**
   * w of x, y, z; 0 where rounding has left none.
   *
   * @param {number} at
   * @param {number} x
   * @param {number} y
   * @param {number} z
   */
  lastPart(at, x, y, z) {
    const n = 1 - x * x - y * y - z * z;
    if (n <= 0) return 0;
    if (this.kind >= 4) return approximateRoot(n, this.kind - 3);
    const w = Math.sqrt(n);
    return this.kind === 3 && (this.words[(at + this.link) >> 2] & 2) !== 0 ? -w : w;
  }
}
