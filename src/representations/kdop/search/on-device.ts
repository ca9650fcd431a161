/**
 * Two k-DOP trees of up to 16 bits in many poses, on a device: what it needs of the trees and of
 * each pose. The kernel prepares the axes, so the node pairs that overlap are the same as there.
 *
 * Letters: U is the larger scale, in which the device has its points, about the trees' origins oA
 * and oB; B y + f is a corner y of b as the exact test sees it, moved by the pose B and rounded; u
 * = 2^-23 is the most that an operation of the device loses.
 *
 * A coordinate that the device has moved is a sum of four terms, M y' + t, with M of B, y' = (y -
 * oB) / U and t = (B oB - oA) / U. These are rounded to f32 here, which loses u / 2 each; a product
 * loses u there and three sums 3 u. So it is within 5.01 u (1.0001 |y'| + |t|) of the sum itself; a
 * corner of a is within u of its size. What doubles round beside, and f, is below the slack of
 * query/relative-pose.ts each: moveErrorBound and 2^-45 of all sizes. Nothing says that |t| is
 * small: beyond FARTHEST the roots are apart, and the error is set so that nothing is told.
 *
 * Preparing a pose takes one core 1.5 us, and answering it 7.8 (bunny and blob near contact, k =
 * 24): a device saves that core four fifths at most. In f32 the device could prepare axes itself,
 * with a looser E; the node pairs would then differ from the kernel's.
 */

import { PREPARED } from '../../../kernels/layout.as.ts';
import type { Kernels } from '../../../kernels/memory.ts';
import { OptionError } from '../../../math/errors.ts';
import { identity, moveErrorBound, movePoint } from '../../../math/pose.ts';
import { type Workspace, writePoses } from '../../../query/pair-kernel.ts';
import type { KdopBatch, KdopSide, PairOnDevice, PoseDevice } from '../../../query/pose-device.ts';
import type { KdopTree } from '../tree/kdop-tree.ts';
import { groupBytesOf, groupsOf } from './groups.ts';
import { axesFor, reachOfKdopTree } from './projection.ts';

/** Two trees that are placed for the kernel, with coefficients of 16 bits. */
export interface PlacedTrees {
  a: KdopTree;
  b: KdopTree;
  /** Their addresses. */
  recordA: number;
  recordB: number;
}

/** Bytes of an axis, see narrow-axes.as.ts, and numbers of a motion. */
const AXIS_BYTES = 32;
const MOTION_NUMBERS = 16;
/** Bits to the unit of all results: narrow-axes.as.ts. More than LARGEST_SHIFT give the same. */
const SHIFT = 2;
const LARGEST_SHIFT = 31;
/** Widths have 17 bits: a smaller factor between them decides nothing else. */
const LEAST_SIZE = -64;
/** In units of the larger scale. */
const FARTHEST = 1024;
/** An error beyond which nothing is told. */
const UNKNOWN = 2 ** 20;
const ERROR_OF_MOVED = 5.01 * 2 ** -23 * 1.0001;
const ERROR_OF_STORED = 1.01 * 2 ** -24;
const TINY = 2 ** -100;
const RAISED = 1 + 2 ** -20;

/** @throws GpuError where the device has no room for them */
export function placeOnDevice(
  device: PoseDevice,
  { functions, memory }: Kernels,
  workspace: Workspace,
  { a, b, recordA, recordB }: PlacedTrees,
): PairOnDevice {
  const axes = axesFor(a, b, undefined);
  const sides = sidesOf(a, b);
  const writeMotion = motionsOf(a, b, sides.a.leaves, sides.b.leaves);
  const { answers, close } = device.kdopPoses({ ...sides, axes, axesOfA: a.k / 2 });
  const bytes = AXIS_BYTES * axes;
  const prepared = new Uint8Array(memory.buffer, workspace.address + PREPARED, bytes);
  const still = identity();
  const prepare = (poses: Float64Array, first: number, count: number): KdopBatch => {
    const batch = {
      poses: count,
      axes: new Uint8Array(bytes * count),
      motions: new Float32Array(MOTION_NUMBERS * count),
    };
    for (let n = 0; n < count; n++) {
      const pose = poses.subarray(16 * (first + n), 16 * (first + n) + 16);
      if (!writePoses(workspace, still, pose)) throw busy();
      functions.kdopAxes(recordA, recordB, workspace.address, axes);
      batch.axes.set(prepared, bytes * n);
      writeMotion(pose, batch.motions, MOTION_NUMBERS * n);
    }
    return batch;
  };
  return {
    answers: (poses) => answers(poses.length / 16, (first, count) => prepare(poses, first, count)),
    close,
  };
}

const busy = (): OptionError => new OptionError('verdicts: called within onContact; ask when it has returned');

function sidesOf(a: KdopTree, b: KdopTree): { a: KdopSide; b: KdopSide } {
  const scale = Math.max(a.exponent, b.exponent);
  const exponentOf = ({ exponent, bits }: KdopTree): number => exponent - bits + 1;
  const common = Math.max(exponentOf(a), exponentOf(b));
  const sideOf = (tree: KdopTree): KdopSide => {
    const { groups, leaves, positions, origin } = groupsOf(tree, false);
    const corners = new Float32Array((9 * leaves.length) / 4);
    for (let n = 0; n < corners.length; n++) {
      const leaf = 4 * Math.floor(n / 9) + (Math.floor(n / 3) % 3);
      corners[n] = (positions[3 * leaves[leaf] + (n % 3)] - origin[n % 3]) * 2 ** -scale;
    }
    const behind = exponentOf(tree) - common;
    return {
      groups,
      groupBytes: groupBytesOf(tree.k),
      leaves: corners,
      shift: Math.min(LARGEST_SHIFT, SHIFT - behind),
      size: 2 ** Math.max(LEAST_SIZE, behind),
    };
  };
  return { a: sideOf(a), b: sideOf(b) };
}

/** Writes the motion of a pose of b in a's frame, and its error. */
function motionsOf(
  a: KdopTree,
  b: KdopTree,
  cornersA: Float32Array,
  cornersB: Float32Array,
): (pose: Float64Array, out: Float32Array, at: number) => void {
  const perUnit = 2 ** -Math.max(a.exponent, b.exponent);
  const sizes = reachOfKdopTree(a) + reachOfKdopTree(b);
  const farA = farthestOf(cornersA);
  const farB = farthestOf(cornersB);
  // So it is of files from anywhere alone, whose bounds do not hold what they should.
  const isBeyond = !(farA + farB <= FARTHEST);
  if (isBeyond) for (const corners of [cornersA, cornersB]) corners.fill(0);
  const [x, y, z] = b.origin;
  const moved = new Float64Array(3);
  return (pose, out, at) => {
    movePoint(pose, x, y, z, moved, 0);
    let most = 0;
    for (let i = 0; i < 3; i++) {
      moved[i] = (moved[i] - a.origin[i]) * perUnit;
      most = Math.max(most, Math.abs(moved[i]));
    }
    if (isBeyond || !(most <= FARTHEST)) {
      out[at + 12] = UNKNOWN;
      return;
    }
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) out[at + 4 * i + j] = pose[4 * i + j];
      out[at + 4 * i + 3] = moved[i];
    }
    const all = sizes + Math.abs(pose[3]) + Math.abs(pose[7]) + Math.abs(pose[11]);
    const slack = moveErrorBound(pose, reachOfKdopTree(b)) + 2 ** -45 * all;
    const error = ERROR_OF_MOVED * (farB + most) + ERROR_OF_STORED * farA + 2 * slack * perUnit + TINY;
    out[at + 12] = Math.min(UNKNOWN, error * RAISED);
  };
}

/** At least how far a corner is from the origin. */
function farthestOf(corners: Float32Array): number {
  let most = 0;
  for (let n = 0; n < corners.length; n += 3)
    most = Math.max(most, corners[n] ** 2 + corners[n + 1] ** 2 + corners[n + 2] ** 2);
  return Math.sqrt(most) * RAISED;
}
