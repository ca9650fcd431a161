/**
 * Finds the bricks of cells that triangles occupy, on a GPU. surface-bricks.wgsl decides in f32,
 * and reports what it cannot decide. radix-sort.wgsl and merge-bricks.wgsl merge bricks with one
 * key. Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", section III A,
 * algorithm 1.
 */
import { GpuError } from '../base/errors.ts';
import { type Gpu, MOST_GROUPS, Room } from './gpu.ts';
import { digitsOf, prefixSum, radixSort } from './radix-sort.ts';
import type { GpuBuffer } from './webgpu.ts';

const GROUP = 256 * 32;
const TILE = 2048;
/** Bricks cut, sorted and merged at once, 64 bytes each. */
const MOST_CUT = 2 ** 22;
const RECORD_BYTES = 12;
const MERGED_WORDS = 5;
const LEFT_WORDS = 2;

export interface SurfaceBatch {
  /** Six words per vertex: its cell, and its offset from the cell's corner in cells, as f32. */
  vertices: Int32Array;
  /** Eight words per triangle, by model: three vertices, flags, normal as f32, model. */
  triangles: Uint32Array;
  /** Six words per block of bricks, by triangle: triangle, first brick, sides, start. */
  seeds: Uint32Array;
  candidates: number;
  /** 2^-42 of the largest coordinate, plus 8, in cells. */
  noise: number;
  /** The bits of each word in which keys may differ. */
  varying: readonly [number, number];
  /** Largest number of bricks cut at once; by default as many as the device has room for. */
  mostCut?: number;
}

export interface SurfaceBricks {
  cut: number;
  /** MERGED_WORDS each, by key, then by model. A mask may be empty. */
  bricks: Uint32Array;
  /** LEFT_WORDS each: bricks that may have more cells, undecided here. */
  left: Uint32Array;
}

/**
 * Yields the surely occupied cells, and the undecided bricks.
 *
 * @throws GpuError
 */
export async function* surfaceBricks(gpu: Gpu, batch: SurfaceBatch): AsyncGenerator<SurfaceBricks> {
  const { candidates, seeds, noise, mostCut = MOST_CUT } = batch;
  const groups = Math.ceil(candidates / GROUP);
  if (groups === 0) return;
  if (groups > MOST_GROUPS)
    throw new GpuError(`${candidates} bricks to look at: the device allows ${GROUP * MOST_GROUPS}`);
  const room = new Room(gpu);
  try {
    const [noiseWord] = new Uint32Array(Float32Array.of(noise).buffer);
    const constants = (begin: number, most: number): GpuBuffer =>
      room.uniform([candidates, seeds.length / 6, begin, most, noiseWord]);
    const common = {
      1: room.storage(batch.vertices),
      2: room.storage(batch.triangles),
      3: room.storage(seeds),
      4: room.storage(groups * (GROUP / 8)),
      5: room.storage(4 * (groups + 1)),
    };
    const [[found]] = await gpu.run(
      [
        { shader: 'surface-bricks', entry: 'find', groups, buffers: { ...common, 0: constants(0, 0) } },
        ...prefixSum(room, common[5], groups),
      ],
      [{ buffer: common[5], words: 1, from: groups }],
    );
    const size = Math.min(mostCut, MOST_CUT, Math.floor(gpu.mostBytes / (4 * MERGED_WORDS)));
    for (let begin = 0; begin < found; begin += size) {
      const count = Math.min(size, found - begin);
      yield await cutBricks(gpu, { ...common, 0: constants(begin, count) }, groups, count, batch.varying);
    }
  } finally {
    room.close();
  }
}

async function cutBricks(
  gpu: Gpu,
  common: Readonly<Record<number, GpuBuffer>>,
  groups: number,
  count: number,
  varying: readonly number[],
): Promise<SurfaceBricks> {
  const room = new Room(gpu);
  try {
    const records = room.storage(RECORD_BYTES * count);
    const items = room.storage(RECORD_BYTES * count);
    const left = room.storage(4 * (1 + LEFT_WORDS * count));
    const sort = radixSort(room, records, room.storage(RECORD_BYTES * count), count, digitsOf(varying));
    const tiles = Math.ceil(count / TILE);
    const counts = room.storage(4 * (tiles + 1));
    const sorted = { 0: room.uniform([count]), 1: sort.sorted, 2: items, 3: counts };
    const [[bricks], [unsure]] = await gpu.run(
      [
        { shader: 'surface-bricks', entry: 'cut', groups, buffers: { ...common, 6: records, 7: items, 8: left } },
        ...sort.passes,
        { shader: 'merge-bricks', entry: 'countFirsts', groups: tiles, buffers: sorted },
        ...prefixSum(room, counts, tiles),
      ],
      [
        { buffer: counts, words: 1, from: tiles },
        { buffer: left, words: 1 },
      ],
    );
    const merged = room.storage(4 * MERGED_WORDS * bricks);
    const reads = [{ buffer: merged, words: MERGED_WORDS * bricks }];
    if (unsure > 0) reads.push({ buffer: left, words: 1 + LEFT_WORDS * unsure });
    const [ofBricks, ofLeft = new Uint32Array(1)] = await gpu.run(
      [{ shader: 'merge-bricks', entry: 'merge', groups: tiles, buffers: { ...sorted, 4: merged } }],
      reads,
    );
    return { cut: count, bricks: ofBricks, left: ofLeft.subarray(1) };
  } finally {
    room.close();
  }
}
