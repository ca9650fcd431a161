/**
 * The intersections of the listed pairs of triangles, in arrays: each is a point, a segment or a
 * polygon over shared nodes.
 *
 * Nodes are welded, since the ends of neighbors are computed apart. Each end is within 4 e of an
 * edge's length and half a unit in the last place of the exact one (contact-segment.ts; e = 2^-53).
 * Let D be the diagonal of the box about all listed triangles and S their greatest coordinate. Two
 * computed ends of one point differ by less than 8 e D + 2 e S along each axis. That is a 4th of
 * the tolerance:
 *   2^-48 D + 2^-50 S
 * So one point is never torn, and points farther apart than two tolerances are never joined.
 */

import type { ContactPair } from '../engine/records.ts';
import type { Operand } from '../engine/traverse.ts';
import { type CommonSet, type ContactSegment, contactSegment } from '../geometry/contact-segment.ts';
import { weldNear } from '../mesh/weld.ts';

export interface CommonSets {
  /** Pair i has nodes[start[i]] to before nodes[start[i] + count[i]]: 1, 2, or a loop of 3 to 6. */
  count: Uint8Array;
  start: Int32Array;
  nodes: Int32Array;
  /** x, y, z of each node, times `factor`. */
  points: Float64Array;
  nodeCount: number;
  /** A power of two that makes the greatest coordinate about 1. */
  factor: number;
  /** Points within this distance are one; times `factor`. */
  tolerance: number;
  /** Unit normals of each pair's triangles, six numbers; 0 for one without area. */
  normals: Float64Array;
  /** Positions of the triangles to each other's plane: see CommonSet.edgeOfA. */
  edges: Int8Array;
}

const common: CommonSet = {
  count: 0,
  vertices: new Float64Array(18),
  normals: new Float64Array(6),
  edgeOfA: 0,
  edgeOfB: 0,
};
const segment: ContactSegment = {
  from: new Float64Array(3),
  to: new Float64Array(3),
  normal: new Float64Array(3),
  depth: 0,
  common,
};

export function commonSetsOf(a: Operand, b: Operand, pairs: readonly ContactPair[]): CommonSets {
  const count = new Uint8Array(pairs.length);
  const start = new Int32Array(pairs.length);
  const normals = new Float64Array(6 * pairs.length);
  const edges = new Int8Array(2 * pairs.length);
  const extent = new Extent();
  let vertices = new Float64Array(6 * pairs.length + 18);
  let total = 0;
  for (let i = 0; i < pairs.length; i++) {
    const hullA = a.load(pairs[i][0]).points;
    const hullB = b.load(pairs[i][1]).points;
    extent.add(hullA);
    extent.add(hullB);
    contactSegment(hullA, 0, hullB, 0, segment);
    if (3 * total + 18 > vertices.length) {
      const bigger = new Float64Array(Math.ceil(1.5 * vertices.length));
      bigger.set(vertices);
      vertices = bigger;
    }
    count[i] = common.count;
    start[i] = total;
    for (let k = 0; k < 3 * common.count; k++) vertices[3 * total + k] = common.vertices[k];
    for (let k = 0; k < 6; k++) normals[6 * i + k] = common.normals[k];
    edges[2 * i] = common.edgeOfA;
    edges[2 * i + 1] = common.edgeOfB;
    total += common.count;
  }
  const factor = extent.factor();
  for (let k = 0; k < 3 * total; k++) vertices[k] *= factor;
  const tolerance = extent.tolerance(factor);
  const { of: nodes, first } = weldNear(vertices, total, tolerance);
  const points = new Float64Array(3 * first.length);
  for (let n = 0; n < first.length; n++) for (let k = 0; k < 3; k++) points[3 * n + k] = vertices[3 * first[n] + k];
  for (let i = 0; i < pairs.length; i++) count[i] = withoutRepeats(nodes, start[i], count[i]);
  return { count, start, nodes, points, nodeCount: first.length, factor, tolerance, normals, edges };
}

/** Drops repeated consecutive nodes of a loop. Returns the number left. */
function withoutRepeats(nodes: Int32Array, start: number, count: number): number {
  let left = 1;
  for (let k = 1; k < count; k++) {
    const node = nodes[start + k];
    if (node !== nodes[start + left - 1]) nodes[start + left++] = node;
  }
  return left > 1 && nodes[start] === nodes[start + left - 1] ? left - 1 : left;
}

class Extent {
  private readonly low = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  private readonly high = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];

  add(corners: Float64Array): void {
    for (let k = 0; k < 9; k++) {
      const axis = k % 3;
      if (corners[k] < this.low[axis]) this.low[axis] = corners[k];
      if (corners[k] > this.high[axis]) this.high[axis] = corners[k];
    }
  }

  private largest(): number {
    return Math.max(...this.low.map(Math.abs), ...this.high.map(Math.abs));
  }

  factor(): number {
    const largest = this.largest();
    let factor = 1;
    for (; largest * factor > 1 && factor > 2 ** -1000; ) factor /= 2;
    for (; largest * factor < 0.5 && factor < 2 ** 1000; ) factor *= 2;
    return factor;
  }

  tolerance(factor: number): number {
    const [x, y, z] = this.low.map((low, axis) => this.high[axis] * factor - low * factor);
    return 2 ** -48 * Math.sqrt(x * x + y * y + z * z) + 2 ** -50 * this.largest() * factor + 2 ** -1000;
  }
}
