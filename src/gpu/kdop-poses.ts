/**
 * Checks k-DOP trees in many pairs of poses on a GPU, by kdop-axes.wgsl and kdop-poses.wgsl (A.
 * Raabe, S. Hochguertel, J. K. Anlauf, G. Zachmann, "Hardware-Accelerated Collision Detection using
 * Bounded-Error Fixed-Point Arithmetic", Journal of WSCG 14, 2006).
 */
import { GpuError } from '../base/errors.ts';
import { type Gpu, MOST_GROUPS, Room } from './gpu.ts';
import type { GpuBuffer } from './webgpu.ts';

const AXIS_BYTES = 32;
const QUERY_BYTES = 176;
const ANSWER_WORDS = 4;
const TREE_WORDS = 8;
const AXES_A_GROUP = 64;
const LEAF_NUMBERS = 9;

/** Queries per batch: enough to fill a device while the next ones are prepared. */
const MOST_QUERIES = 2 ** 14;
/** Steps per query, at most 500,000 pairs of nodes: systems end work that takes seconds. */
const MOST_STEPS = 2 ** 13;

export interface KdopOnGpu {
  /** Groups of `groupBytes` each (groups.ts of representations/kdop/search). */
  groups: Uint8Array;
  groupBytes: number;
  leaves: Float32Array;
  k: number;
  /** The record of the directions (layout.as.ts beside groups.ts), one object per k. */
  directions: Uint8Array;
  quantumExponent: number;
  /** Upper bound of the corners' distance from the origin. */
  radius: number;
}

export interface KdopLimits {
  /** Largest number of queries in a batch (default 2^14). */
  most?: number;
  /** Steps of four pairs of groups each, after which a query is left undecided (default 2^13). */
  steps?: number;
}

export interface KdopSearch {
  readonly most: number;
  /**
   * Answers queries of 176 bytes each, written by for-device.as.ts of representations/kdop/search.
   * They are read before this returns. The result has four words per query: the verdict (0 clear, 1
   * contact, 2 undecided), and for a clear one the tested pairs of nodes and of triangles, and the
   * deepest level.
   *
   * @throws GpuError
   */
  answer(queries: Uint8Array): Promise<Uint32Array>;
  close(): void;
}

/** @throws GpuError if the device has no room for the trees */
export function openKdopSearch(
  gpu: Gpu,
  trees: readonly KdopOnGpu[],
  { most = MOST_QUERIES, steps = MOST_STEPS }: KdopLimits = {},
): KdopSearch {
  const axes = trees.reduce((sum, { k }) => Math.max(sum, k), 0);
  const bytes = Math.max(AXIS_BYTES * axes, QUERY_BYTES);
  const size = Math.min(most, MOST_GROUPS, Math.floor(gpu.mostBytes / bytes));
  if (size < 1) throw new GpuError(`a buffer of ${bytes} bytes: the device allows ${gpu.mostBytes}`);
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
