/**
 * What tells whether assets touch beside the processor: a GPU, handed in from above. The
 * representations name nothing of src/gpu but this.
 */
import type { KdopOnGpu, KdopSearch } from '../gpu/kdop-poses.ts';

export type { KdopOnGpu };

/** `openGpu` gives one. */
export interface PoseDevice {
  /**
   * k-DOP trees of up to 16 bits.
   *
   * @throws GpuError
   */
  kdopTrees(trees: readonly KdopOnGpu[]): KdopSearch;
}

/** Pairs of assets, each in two poses, validated. */
export interface PosedPairs {
  /** Two numbers of assets each. */
  assets: Uint32Array;
  /** Sixteen numbers each; null where none of the first stands but at its own coordinates. */
  posesA: Float64Array | null;
  posesB: Float64Array;
}

/** Assets on a device. */
export interface AssetsOnDevice {
  /** Pairs that are asked at once, at most. */
  readonly most: number;
  /**
   * DEVICE_WORDS a pair, in order. The pairs are read before it returns.
   *
   * @throws OptionError within `onContact`
   * @throws GpuError as they come
   */
  answer(pairs: PosedPairs): Promise<Uint32Array>;
  close(): void;
}

/** What a kind has that a device can answer for. */
export interface OnDevice<A> {
  /** Why an asset is not for a device, one line; null where it is, and so are any two of which both are. */
  whyNot(asset: A): string | null;
  /**
   * Null where there is no kernel or no memory, which prepare what a device is asked.
   *
   * @throws GpuError where the device has no room for them
   */
  place(assets: readonly A[], device: PoseDevice): AssetsOnDevice | null;
}

/**
 * Words of an answer: its verdict, then of a clear pair how many pairs of bounds and of triangles
 * were tested, and the deepest level.
 */
export const DEVICE_WORDS = 4;
/** The verdicts of a device. */
export const DEVICE_CLEAR = 0;
export const DEVICE_CONTACT = 1;
/** Left to the processor. */
export const DEVICE_LEFT = 2;
