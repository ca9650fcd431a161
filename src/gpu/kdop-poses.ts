/**
 * Two k-DOP trees in many poses, on a GPU: kdop-poses.wgsl, batch by batch. A. Raabe, S.
 * Hochguertel, J. K. Anlauf, G. Zachmann, "Hardware-Accelerated Collision Detection using
 * Bounded-Error Fixed-Point Arithmetic", Journal of WSCG 14, 2006.
 */
import { type Gpu, MOST_GROUPS } from './gpu.ts';
import type { GpuBuffer } from './webgpu.ts';

/** Bytes of an axis of a pose, and words of an answer. */
const AXIS_BYTES = 32;
const ANSWER_WORDS = 4;

/** Poses of a batch: they fill a device, and others are prepared meanwhile. */
const MOST_POSES = 2 ** 14;
/** Of a pose: 500,000 pairs of nodes at most, since systems end what takes seconds. */
const MOST_STEPS = 2 ** 13;

/** A tree as the shader reads it. */
export interface KdopSide {
  /** groups.ts of representations/kdop/search says what they are; `groupBytes` each. */
  groups: Uint8Array;
  groupBytes: number;
  /** Nine numbers a leaf: the corners of its triangle about the origin, over the larger scale. */
  leaves: Float32Array;
  /** By how many bits products are shifted, from 0 to 31. */
  shift: number;
  /** The quantum, in units of the larger one. */
  size: number;
}

export interface KdopPair {
  a: KdopSide;
  b: KdopSide;
  /** Axes of a pose; those of a's faces come first. */
  axes: number;
  axesOfA: number;
  /** Poses of a batch, at most; 2^14 unless given. */
  most?: number;
  /** Steps of a pose, of four pairs of groups each, beyond which it is left; 2^13 unless given. */
  steps?: number;
}

/** What is prepared of poses that follow one another. */
export interface KdopBatch {
  poses: number;
  /** 32 bytes for each axis of each pose: narrow-axes.as.ts says what they are. */
  axes: Uint8Array;
  /**
   * Sixteen numbers a pose: three rows of four, which take b's points to a's, how far a coordinate
   * may be from the true one then, and three that nobody reads.
   */
  motions: Float32Array;
}

/** Prepares so many poses from the first on; what it gives is read before the next call. */
export type PrepareKdop = (first: number, count: number) => KdopBatch;

/** Two trees on a device. */
export interface KdopSearch {
  /**
   * Answers so many poses, batch after batch: four words a pose, its verdict (0 clear, 1 contact, 2
   * left to somebody else), and of a clear one how many pairs of nodes and of triangles were
   * tested, and the deepest level. The next batch is prepared while one is answered.
   *
   * @throws GpuError as they come
   */
  answers(poses: number, prepare: PrepareKdop): AsyncIterable<Uint32Array>;
  close(): void;
}

/** @throws GpuError for trees that the device has no room for */
export function openKdopSearch(gpu: Gpu, pair: KdopPair): KdopSearch {
  const { a, b, axes, axesOfA, most = MOST_POSES, steps = MOST_STEPS } = pair;
  const size = Math.min(most, MOST_GROUPS, Math.floor(gpu.mostBytes / (AXIS_BYTES * axes)));
  const counts = [axes, axesOfA, a.groupBytes / 4, b.groupBytes / 4, a.shift, b.shift];
  const sizes = new Uint32Array(Float32Array.of(a.size, b.size).buffer);
  const kept: GpuBuffer[] = [gpu.uniform([...counts, ...sizes, steps])];
  const close = (): void => {
    for (const buffer of kept) buffer.destroy();
  };
  try {
    for (const data of [a.groups, b.groups, a.leaves, b.leaves]) kept.push(gpu.storage(data));
  } catch (error) {
    close();
    throw error;
  }
  const [constants, groupsA, groupsB, leavesA, leavesB] = kept;
  const common = { 0: constants, 2: groupsA, 3: groupsB, 4: leavesA, 5: leavesB };
  return {
    async *answers(poses, prepare) {
      let running: Promise<Uint32Array> | undefined;
      for (let first = 0; first < poses; first += size) {
        const next = searchBatch(gpu, common, prepare(first, Math.min(size, poses - first)));
        // It may fail while whoever reads the answers is busy.
        next.catch(() => {});
        if (running) yield await running;
        running = next;
      }
      if (running) yield await running;
    },
    close,
  };
}

async function searchBatch(
  gpu: Gpu,
  common: Record<number, GpuBuffer>,
  { poses, axes, motions }: KdopBatch,
): Promise<Uint32Array> {
  const kept: GpuBuffer[] = [];
  try {
    const words = ANSWER_WORDS * poses;
    kept.push(gpu.storage(axes));
    kept.push(gpu.storage(motions));
    kept.push(gpu.storage(4 * words));
    const [ofAxes, ofMotions, answers] = kept;
    const buffers = { ...common, 1: ofAxes, 6: ofMotions, 7: answers };
    const pass = { shader: 'kdop-poses', entry: 'descend', groups: poses, buffers } as const;
    const [output] = await gpu.run([pass], [{ buffer: answers, words }]);
    return output;
  } finally {
    for (const buffer of kept) buffer.destroy();
  }
}
