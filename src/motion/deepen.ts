/**
 * From a point of two F-reps to one that is deeper in both: it stays in them for longer while they
 * change. Plain doubles: a guess, which whoever uses it has to prove.
 *
 * Steps go against the normal of the one that the point is less deep in, and, where it is as deep in
 * both, against the sum of both normals; in turns. One is taken where it helps: then the next of its
 * kind is twice as far, else half as far.
 */
import type { Pose } from '../math/pose.ts';
import { depthAt, timeOf } from '../representations/frep/tree/evaluate.ts';
import type { FrepObject } from '../representations/frep/tree/program.ts';

/** An F-rep, and where it stands. */
export interface Placed {
  object: FrepObject;
  pose: Pose;
}

/** Of both kinds. */
const STEPS = 96;

const cube = new Float64Array(3);
const turned = new Float64Array(3);

/**
 * About how deep a point of the common frame is in a solid at its time; `normal` receives the
 * outward normal there.
 */
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

/** A point deeper in both, or the same; `size` is a length to begin with. */
export function deepened(solids: readonly [Placed, Placed], from: readonly number[], size: number): number[] {
  const normals = [new Float64Array(3), new Float64Array(3)];
  const least = new Float64Array(3);
  const common = new Float64Array(3);
  /** Sets both ways to go to those of the point. */
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
