/**
 * Two geometry images' grids in two poses: b's in a's, for bounds (relative-pose.ts, where it is
 * proved that mapped bounds miss nothing).
 */
import type { Pose } from '../../../math/pose.ts';
import { relativePose } from '../../../query/relative-pose.ts';
import { decodeError, type Grid } from '../tree/grid.ts';
import { reachOfGeometryImage } from '../tree/unfold.ts';

/** What lengths are enlarged by, for the rounding of a few operations. */
export const OUTWARD = 1 + 2 ** -47;

/**
 * B's grid in a's: a centre q of b lies at `linear` q + `shift`, row-major; and the error and
 * lengthening bounds of that.
 */
export interface GridMap {
  linear: Float64Array;
  shift: Float64Array;
  norm: number;
  slack: number;
  /**
   * What normals of b are multiplied with besides `linear`: their length is 1 again, to within
   * `skew`.
   */
  toUnit: number;
  skew: number;
  /** What lengths of b's grid are in a's, at most. */
  scale: number;
  /** What lengths of a's grid are in the common frame, at least and at most. */
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
