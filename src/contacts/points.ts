/** Contact points of listed pairs, for collision response. */

import { OptionError } from '../base/errors.ts';
import { hullDistanceTo } from '../engine/narrow-phase.ts';
import type { ContactPair, ContactPoint } from '../engine/records.ts';
import type { Operand } from '../engine/traverse.ts';
import { type ContactSegment, contactSegment } from '../geometry/contact-segment.ts';
import type { DistanceBracket } from '../geometry/triangle-distance.ts';

const segment: ContactSegment = {
  from: new Float64Array(3),
  to: new Float64Array(3),
  normal: new Float64Array(3),
  depth: 0,
};
const bracket: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };

/**
 * The segment and a normal of intersecting triangles, nearest points of pairs that only come close.
 * Throws OptionError for other primitives.
 */
export function contactPoints(a: Operand, b: Operand, pairs: readonly ContactPair[]): ContactPoint[] {
  return pairs.map(([p, q]) => {
    const hullA = a.load(p);
    const hullB = b.load(q);
    if (hullA.count !== 3 || hullB.count !== 3) throw new OptionError('contactPoints: expected triangles');
    hullDistanceTo(hullA, hullB, bracket, Number.POSITIVE_INFINITY);
    if (bracket.upper > 0) return nearestPoints();
    contactSegment(hullA.points, 0, hullB.points, 0, segment);
    return {
      from: Array.from(segment.from),
      to: Array.from(segment.to),
      normal: Array.from(segment.normal),
      triangleDepth: segment.depth,
      depth: segment.depth,
    };
  });
}

/** The middle of the common part of two intersecting triangles, nine numbers each. */
export function contactMiddle(a: Float64Array, b: Float64Array): number[] {
  contactSegment(a, 0, b, 0, segment);
  const { from, to } = segment;
  return [from[0] / 2 + to[0] / 2, from[1] / 2 + to[1] / 2, from[2] / 2 + to[2] / 2];
}

/** For a pair that is apart: nearest points, direction from b's to a's, minus the distance. */
function nearestPoints(): ContactPoint {
  const { onA, onB, upper } = bracket;
  const difference = Array.from(onA, (x, i) => x - onB[i]);
  // Scaled, so that squares do not underflow.
  const largest = Math.max(...difference.map(Math.abs));
  const scaled = difference.map((x) => (largest > 0 ? x / largest : 0));
  const length = Math.sqrt(scaled[0] * scaled[0] + scaled[1] * scaled[1] + scaled[2] * scaled[2]);
  const normal = length > 0 ? scaled.map((x) => x / length) : [1, 0, 0];
  return { from: Array.from(onA), to: Array.from(onB), normal, triangleDepth: -upper, depth: -upper };
}
