/**
 * What answers many poses of a pair beside the processor: a GPU, handed in from above. The
 * representations name nothing of src/gpu but this.
 */
import type { KdopBatch, KdopPair, KdopSearch, KdopSide } from '../gpu/kdop-poses.ts';

export type { KdopBatch, KdopSide };

/** `openGpu` gives one. */
export interface PoseDevice {
  /**
   * Two k-DOP trees of up to 16 bits.
   *
   * @throws GpuError
   */
  kdopPoses(pair: KdopPair): KdopSearch;
}

/** A pair of assets on a device. */
export interface PairOnDevice {
  /**
   * Answers validated poses of b in a's frame, 16 numbers each: DEVICE_WORDS a pose, in order, some
   * at a time.
   *
   * @throws GpuError as they come
   */
  answers(poses: Float64Array): AsyncIterable<Uint32Array>;
  close(): void;
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
