/**
 * A device beside the processor that tests assets: a GPU, injected from above. Representations
 * import only this from src/gpu.
 */
import type { KdopOnGpu, KdopSearch } from '../gpu/kdop-poses.ts';

export type { KdopOnGpu };

/** Made by `openGpu`. */
export interface PoseDevice {
  /** k-DOP trees of up to 16 bits. Throws GpuError. */
  kdopTrees(trees: readonly KdopOnGpu[]): KdopSearch;
}

/** Pairs of assets, each in two validated poses. */
export interface PosedPairs {
  /** Two asset numbers each. */
  assets: Uint32Array;
  /** Sixteen numbers each; null if all first assets are at their own coordinates. */
  posesA: Float64Array | null;
  posesB: Float64Array;
}

export interface AssetsOnDevice {
  /** Most pairs in one question. */
  readonly most: number;
  /**
   * Returns DEVICE_WORDS a pair, in order. Reads the pairs before it returns. Throws OptionError
   * within `onContact`, and GpuError for the device.
   */
  answer(pairs: PosedPairs): Promise<Uint32Array>;
  close(): void;
}

export interface OnDevice<A> {
  /** Why an asset does not suit a device, or null. Any two suitable assets make a pair. */
  whyNot(asset: A): string | null;
  /** Null without a kernel or memory, which prepare questions. Throws GpuError without room. */
  place(assets: readonly A[], device: PoseDevice): AssetsOnDevice | null;
}

/**
 * The words of an answer: the verdict; and for clear pairs the tests of bounds and of triangles,
 * and the deepest level.
 */
export const DEVICE_WORDS = 4;
/** A device's verdicts. */
export const DEVICE_CLEAR = 0;
export const DEVICE_CONTACT = 1;
/** Left to the processor. */
export const DEVICE_LEFT = 2;
