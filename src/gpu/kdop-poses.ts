/**
 * k-DOP trees in many pairs of poses, on a GPU: kdop-axes.wgsl prepares the axes of a batch of
 * queries, kdop-poses.wgsl answers them. A. Raabe, S. Hochguertel, J. K. Anlauf, G. Zachmann,
 * "Hardware-Accelerated Collision Detection using Bounded-Error Fixed-Point Arithmetic", Journal of
 * WSCG 14, 2006.
 */
import { GpuError } from '../math/errors.ts';
import { type Gpu, MOST_GROUPS } from './gpu.ts';
import { Room } from './room.ts';
import type { GpuBuffer } from './webgpu.ts';

/** Bytes of an axis and of a query, words of an answer and of a tree: kdop-trees.wgsl. */
const AXIS_BYTES = 32;
const QUERY_BYTES = 176;
const ANSWER_WORDS = 4;
const TREE_WORDS = 8;
const AXES_A_GROUP = 64;
const LEAF_NUMBERS = 9;

/** Queries of a batch: they fill a device, and others are prepared meanwhile. */
const MOST_QUERIES = 2 ** 14;
/** Of a query: 500,000 pairs of nodes at most, since systems end what takes seconds. */
const MOST_STEPS = 2 ** 13;

/** A tree as the shaders read it. */
export interface KdopOnGpu {
  /** groups.ts of representations/kdop/search says what they are; `groupBytes` each. */
  groups: Uint8Array;
  groupBytes: number;
  /** Nine numbers a leaf: the corners of its triangle about the origin, over 2^15 quanta. */
  leaves: Float32Array;
  k: number;
  /** The record of the directions, the same of all trees of one k: layout.as.ts beside groups.ts. */
  directions: Uint8Array;
  /** The quantum is two to this power. */
  quantumExponent: number;
  /** At least how far any corner is from the origin. */
  radius: number;
}

/** For tests. */
export interface KdopLimits {
  /** Queries of a batch, at most; 2^14 unless given. */
  most?: number;
  /** Steps of a query, of four pairs of groups each, beyond which it is left; 2^13 unless given. */
  steps?: number;
}

/** Trees on a device. */
export interface KdopSearch {
  /** Queries of a batch, at most. */
  readonly most: number;
  /**
   * Answers so many queries, 176 bytes each, which for-device.as.ts of representations/kdop/search
   * writes: four words a query, its verdict (0 clear, 1 contact, 2 left to somebody else), and of a
   * clear one how many pairs of nodes and of triangles were tested, and the deepest level. They are
   * read before it returns.
   *
   * @throws GpuError
   */
  answer(queries: Uint8Array): Promise<Uint32Array>;
  close(): void;
}

/** @throws GpuError for trees that the device has no room for */
export function openKdopSearch(
  gpu: Gpu,
  trees: readonly KdopOnGpu[],
  { most = MOST_QUERIES, steps = MOST_STEPS }: KdopLimits = {},
): KdopSearch {
  const axes = trees.reduce((sum, { k }) => Math.max(sum, k), 0);
  const bytes = Math.max(AXIS_BYTES * axes, QUERY_BYTES);
  const size = Math.min(most, MOST_GROUPS, Math.floor(gpu.mostBytes / bytes));
  if (size < 1) throw new GpuError(`a buffer of ${bytes} bytes: the device has ${gpu.mostBytes}`);
  const kept = new Room(gpu);
  let buffers: Record<'constants' | 'trees' | 'groups' | 'leaves' | 'tables', GpuBuffer>;
  try {
    const { words, groups, leaves, tables } = joined(trees);
    buffers = {
      constants: kept.uniform([axes, steps]),
      trees: kept.storage(words),
      groups: kept.storage(groups),
      leaves: kept.storage(leaves),
      tables: kept.storage(tables),
    };
  } catch (error) {
    kept.close();
    throw error;
  }
  const { constants } = buffers;
  return {
    most: size,
    async answer(queries) {
      const room = new Room(gpu);
      try {
        const count = queries.length / QUERY_BYTES;
        const words = ANSWER_WORDS * count;
        const asked = room.storage(queries);
        const ofAxes = room.storage(AXIS_BYTES * axes * count);
        const answers = room.storage(4 * words);
        const common = { 0: constants, 1: ofAxes, 2: buffers.trees, 5: asked };
        const prepare = {
          shader: 'kdop-axes',
          entry: 'prepare',
          groups: Math.ceil((axes * count) / AXES_A_GROUP),
          buffers: { ...common, 7: buffers.tables },
        } as const;
        const descend = {
          shader: 'kdop-poses',
          entry: 'descend',
          groups: count,
          buffers: { ...common, 3: buffers.groups, 4: buffers.leaves, 6: answers },
        } as const;
        const [output] = await gpu.run([prepare, descend], [{ buffer: answers, words }]);
        return output;
      } finally {
        room.close();
      }
    },
    close: () => kept.close(),
  };
}

/** All trees, one behind the other, and where each begins. */
function joined(trees: readonly KdopOnGpu[]) {
  const words = new Int32Array(TREE_WORDS * trees.length);
  const radii = new Float64Array(words.buffer);
  const tables: Uint8Array[] = [];
  const tableAt = new Map<number, number>();
  let [groupWords, leafCount, tableWords] = [0, 0, 0];
  for (const [n, { groups, groupBytes, leaves, k, directions, quantumExponent, radius }] of trees.entries()) {
    if (!tableAt.has(k)) {
      tableAt.set(k, tableWords);
      tables.push(directions);
      tableWords += directions.length / 4;
    }
    const places = [groupWords, groupBytes / 4, leafCount, k / 2, tableAt.get(k) as number, quantumExponent];
    words.set(places, TREE_WORDS * n);
    radii[(TREE_WORDS * n + 6) / 2] = radius;
    groupWords += groups.length / 4;
    leafCount += leaves.length / LEAF_NUMBERS;
  }
  const groups = new Uint8Array(4 * groupWords);
  const corners = new Float32Array(LEAF_NUMBERS * leafCount);
  for (const [n, tree] of trees.entries()) {
    groups.set(tree.groups, 4 * words[TREE_WORDS * n]);
    corners.set(tree.leaves, LEAF_NUMBERS * words[TREE_WORDS * n + 2]);
  }
  return { words, groups, leaves: corners, tables: bytesOf(tables) };
}

function bytesOf(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
