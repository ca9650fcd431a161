// The search that asks all layouts of rapid-trees.mjs: S. Gottschalk's descent, with the product's
// box test and its exact test of triangles. The larger of two boxes is opened, and the pair with
// the nearer centres is gone into first. A box is decoded whenever it is needed.
//
// Axes that are not quite orthonormal are still valid axes, so the test has the right extent of a's
// box along them (rapid-trees.mjs). Only b's reach along its own axes and along products of axes is
// taken from R = A^T B as if that were a rotation. With R^T R = 1 + E it is off by |R^T R - 1| <=
// |E| and |cof(R) - R| <= 1.6 |E| times b's extents. |E| is at most the looseness of both sides,
// and twice that is added to `skew`.
import { identity } from 'gicollide';
import { beginQuery, createMovedTriangle, loadTriangle } from '#src/engine/narrow-phase';
import { relativePose } from '#src/engine/pair-kernel';
import { trianglesIntersectAt } from '#src/geometry/triangle-triangle';
import { boxesDisjoint, mapBox } from '#src/representations/obb/search/descent';
import { DECODED } from '#src/representations/obb/tree/node';

/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {import('./rapid-trees.mjs').RungTree} RungTree */

const STILL = identity();
const stack = new Int32Array(1 << 12);
const [boxA, boxB, mappedB, own] = Array.from({ length: 4 }, () => new Float64Array(DECODED));
const [cornersA, cornersB] = [createMovedTriangle(), createMovedTriangle()];

/** @param {Float64Array} box */
const sizeOf = (box) => Math.max(box[12], box[13], box[14]);

/** @param {number} top @param {number} atA @param {number} atB */
function push(top, atA, atB) {
  if (top + 2 > stack.length) throw new Error('a tree deeper than any of these');
  stack[top] = atA;
  stack[top + 1] = atB;
  return top + 2;
}

/** @param {Float64Array} p @param {Float64Array} q */
function distance2(p, q) {
  const x = p[9] - q[9];
  const y = p[10] - q[10];
  const z = p[11] - q[11];
  return x * x + y * y + z * z;
}

/** First contact of two trees. */
export class RungSearch {
  /** Pairs of boxes, boxes decoded, and pairs of triangles of the last query. */
  tests = 0;
  decoded = 0;
  triangles = 0;
  /**
   * Called for each test of two boxes, with b's as mapped.
   *
   * @type {((a: Float64Array, b: Float64Array) => void) | null}
   */
  onTest = null;
  /**
   * Called with the addresses of their nodes.
   *
   * @type {((atA: number, atB: number) => void) | null}
   */
  onPair = null;

  /** @param {RungTree} a @param {RungTree} b */
  constructor(a, b) {
    this.a = a;
    this.b = b;
    /** @type {Float64Array} */
    this.map = new Float64Array(12);
    this.slack = 0;
    this.skew = 0;
  }

  /** Do they touch where b is? @param {Pose} pose */
  meets(pose) {
    const { a, b } = this;
    const relative = relativePose(STILL, pose, a.reach, b.reach);
    this.map = relative.map;
    this.slack = 3 * relative.slack;
    this.skew = relative.skew + 2 * (a.loose + b.loose);
    beginQuery(cornersA, STILL);
    beginQuery(cornersB, pose);
    this.tests = 0;
    this.decoded = 2;
    this.triangles = 0;
    a.decode(0, boxA);
    b.decode(0, own);
    mapBox(this.map, own, 0, mappedB);
    let top = 0;
    if (this.touch(0, boxA, 0)) {
      stack[0] = stack[1] = 0;
      top = 2;
    }
    while (top > 0) {
      top -= 2;
      const atA = stack[top];
      const atB = stack[top + 1];
      const isLeafA = a.isLeaf(atA);
      const isLeafB = b.isLeaf(atB);
      if (isLeafA && isLeafB) {
        this.triangles++;
        loadTriangle(cornersA, a.tree, a.triangle(atA));
        loadTriangle(cornersB, b.tree, b.triangle(atB));
        if (trianglesIntersectAt(cornersA.corners, 0, cornersB.corners, 0)) return true;
        continue;
      }
      this.decoded += 4;
      a.decode(atA, boxA);
      b.decode(atB, boxB);
      const opensA = !isLeafA && (isLeafB || sizeOf(boxA) >= sizeOf(boxB));
      top = opensA ? this.openA(atA, atB, top) : this.openB(atA, atB, top);
    }
    return false;
  }

  /** @param {number} atA @param {Float64Array} box of a; b's is in mappedB @param {number} atB */
  touch(atA, box, atB) {
    this.tests++;
    if (this.onPair !== null) this.onPair(atA, atB);
    if (this.onTest !== null) this.onTest(box, mappedB);
    return !boxesDisjoint(box, 0, mappedB, this.slack, this.skew);
  }

  /** @param {number} atA @param {number} atB @param {number} top */
  openA(atA, atB, top) {
    mapBox(this.map, boxB, 0, mappedB);
    const first = this.a.positive(atA);
    const second = this.a.negative(atA);
    this.a.decode(first, own);
    const isFirst = this.touch(first, own, atB);
    const near = distance2(own, mappedB);
    this.a.decode(second, own);
    const isSecond = this.touch(second, own, atB);
    const swaps = near <= distance2(own, mappedB);
    const p = swaps ? second : first;
    const q = swaps ? first : second;
    if (swaps ? isSecond : isFirst) top = push(top, p, atB);
    return (swaps ? isFirst : isSecond) ? push(top, q, atB) : top;
  }

  /** @param {number} atA @param {number} atB @param {number} top */
  openB(atA, atB, top) {
    const first = this.b.positive(atB);
    const second = this.b.negative(atB);
    this.b.decode(first, own);
    mapBox(this.map, own, 0, mappedB);
    const isFirst = this.touch(atA, boxA, first);
    const near = distance2(boxA, mappedB);
    this.b.decode(second, own);
    mapBox(this.map, own, 0, mappedB);
    const isSecond = this.touch(atA, boxA, second);
    const swaps = near <= distance2(boxA, mappedB);
    const p = swaps ? second : first;
    const q = swaps ? first : second;
    if (swaps ? isSecond : isFirst) top = push(top, atA, p);
    return (swaps ? isFirst : isSecond) ? push(top, atA, q) : top;
  }
}
