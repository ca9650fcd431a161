/**
 * What answers many poses of a pair beside the processor: a GPU, handed in from above. The
 * representations name nothing of src/gpu but this.
 */
import type { KdopBatch, KdopPair, KdopSide, PrepareKdop } from '../gpu/kdop-poses.ts';

export type { KdopBatch, KdopPair, KdopSide };

/** `openGpu` gives one. */
export interface PoseDevice {
  /**
   * Two k-DOP trees of up to 16 bits: DEVICE_WORDS a pose, in order, batch after batch.
   *
   * @throws GpuError
   */
  kdopPoses(pair: KdopPair, poses: number, prepare: PrepareKdop): AsyncIterable<Uint32Array>;
}

/**
 * Words of an answer: its verdict, then of a clear pose how many pairs of bounds and of triangles
 * were tested, and the deepest level.
 */
export const DEVICE_WORDS = 4;
/** The verdicts of a device. */
export const DEVICE_CLEAR = 0;
export const DEVICE_CONTACT = 1;
/** Left to the processor. */
export const DEVICE_LEFT = 2;
