/**
 * Maps b's grid into a's for two geometry images in poses (relative-pose.ts proves that mapped
 * bounds miss nothing).
 */
import type { Pose } from '../../../math/pose.ts';
import { relativePose } from '../../../query/relative-pose.ts';
import { decodeError, type Grid } from '../tree/grid.ts';
import { reachOfGeometryImage } from '../tree/unfold.ts';

export const OUTWARD = 1 + 2 ** -47;

/** Maps a center q of b to `linear` q + `shift`, row-major; with error and length bounds. */
export interface GridMap {
  linear: Float64Array;
  shift: Float64Array;
  norm: number;
  slack: number;
  /** Extra factor for normals of b after `linear`: their length is 1 to within `skew`. */
  toUnit: number;
  skew: number;
  /** Greatest length in a's grid of a unit of b's. */
  scale: number;
  /** Least and greatest length of a unit of a's grid in the common frame. */
  toCommonLeast: number;
  toCommon: number;
}

export function mapGrid(a: Grid, b: Grid, poseA: Pose, poseB: Pose): GridMap {
  const [reachA, reachB] = [reachOfGeometryImage(a), reachOfGeometryImage(b)];
  const { map, norm, skew, slack, shortest, longest } = relativePose(poseA, poseB, reachA, reachB);
  const linear = new Float64Array(9);
  const shift = new Float64Array(3);
  for (let i = 0; i < 3; i++) {
    let sum = map[4 * i + 3] - a.origin[i];
    for (let k = 0; k < 3; k++) {
      linear[3 * i + k] = (map[4 * i + k] * b.step) / a.step;
      sum += map[4 * i + k] * b.origin[k];
    }
    shift[i] = sum / a.step;
  }
  return {
    linear,
    shift,
    norm,
    slack: ((slack + decodeError(a) + 2 * decodeError(b)) / a.step) * (1 + 2 ** -40),
    toUnit: a.step / b.step,
    scale: ((norm * b.step) / a.step) * OUTWARD,
    skew: skew + 2 ** -44,
    toCommonLeast: (shortest * a.step) / OUTWARD,
    toCommon: longest * a.step * OUTWARD,
  };
}
