/**
 * Moves a point of two F-reps to one deeper in both, which stays in them for longer as they change.
 * Plain doubles: the caller has to prove the result.
 *
 * Two kinds of steps alternate: against the normal of the F-rep that the point is less deep in, and
 * against the sum of both. After one that helps, the next of its kind is twice as long, else half.
 */
import type { Pose } from '../math/pose.ts';
import { depthAt, timeOf } from '../representations/frep/tree/evaluate.ts';
import type { FrepObject } from '../representations/frep/tree/program.ts';

export interface Placed {
  object: FrepObject;
  pose: Pose;
}

const STEPS = 96;

const cube = new Float64Array(3);
const turned = new Float64Array(3);

/** Approximate depth of a common-frame point; `normal` receives the outward normal there. */
function depthIn({ object, pose: m }: Placed, [x, y, z]: readonly number[], normal: Float64Array): number {
  const { program, domain, center, half } = object;
  const [p, q, r] = [x - m[3], y - m[7], z - m[11]];
  for (let k = 0; k < 3; k++) cube[k] = (m[k] * p + m[4 + k] * q + m[8 + k] * r - center[k]) / half;
  const depth = half * depthAt(program, domain, cube, turned, timeOf(object));
  for (let k = 0; k < 3; k++) {
    normal[k] = m[4 * k] * turned[0] + m[4 * k + 1] * turned[1] + m[4 * k + 2] * turned[2];
  }
  return depth;
}

export function deepened(solids: readonly [Placed, Placed], from: readonly number[], size: number): number[] {
  const normals = [new Float64Array(3), new Float64Array(3)];
  const least = new Float64Array(3);
  const common = new Float64Array(3);
  const depthAtPoint = (point: readonly number[]): number => {
    const [inA, inB] = solids.map((solid, i) => depthIn(solid, point, normals[i]));
    for (let k = 0; k < 3; k++) {
      least[k] = normals[inA < inB ? 0 : 1][k];
      common[k] = normals[0][k] + normals[1][k];
    }
    return Math.min(inA, inB);
  };
  let best = [...from];
  let depth = depthAtPoint(best);
  const ways = [least.slice(), common.slice()];
  const steps = [size, size];
  for (let n = 0; n < STEPS; n++) {
    const kind = n & 1;
    const next = best.map((x, k) => x - steps[kind] * ways[kind][k]);
    const reached = depthAtPoint(next);
    if (reached > depth) {
      best = next;
      depth = reached;
      ways[0].set(least);
      ways[1].set(common);
      steps[kind] *= 2;
    } else steps[kind] /= 2;
  }
  return best;
}
