/**
 * Compares all two-tuples of cubes on a GPU, block by block (all-tuples.wgsl). Source: Z. Peng, B.
 * Wu, "Collision Detection Algorithm Based on Data Parallelism".
 */
import { type Gpu, MOST_GROUPS, Room } from './gpu.ts';
import { prefixSum } from './radix-sort.ts';
import type { GpuBuffer } from './webgpu.ts';

const BITS = 32;
const GROUP = 256 * BITS;
/** Two-tuples per block: 2^29 have 64 MiB of results. */
const MOST_IN_BLOCK = 2 ** 29 - GROUP;
const MOST_PIECES = 2 ** 16;
const WHOLE = 0xffffffff;
const PIECE_WORDS = 5;
const FOUND_BYTES = 12;

export interface AllTuples {
  models: number;
  /** Cubes of model m: firstCube[m] to firstCube[m + 1]. */
  firstCube: Uint32Array;
  cells: Int32Array;
  /** Largest number of two-tuples in a block; by default as many as the device has room for. */
  most?: number;
  /** Largest number of results in one answer; by default as many as a buffer holds. */
  mostFound?: number;
}

interface Block {
  tuples: number;
  pieces: Uint32Array;
}

/**
 * Yields the colliding two-tuples in order, three words each: the number of the pair of models, and
 * both cubes.
 *
 * @throws GpuError
 */
export async function* collidingTuples(
  gpu: Gpu,
  { models, firstCube, cells, most = MOST_IN_BLOCK, mostFound = Infinity }: AllTuples,
): AsyncGenerator<Uint32Array> {
  const size = Math.min(most, MOST_IN_BLOCK, GROUP * MOST_GROUPS, 8 * gpu.mostBytes - GROUP);
  const inAnswer = Math.min(mostFound, Math.floor(gpu.mostBytes / FOUND_BYTES));
  const room = new Room(gpu);
  try {
    const places = room.storage(firstCube);
    const ofCells = room.storage(cells);
    const results = room.storage(Math.ceil(size / GROUP) * (GROUP / 8));
    const counts = room.storage(4 * (Math.ceil(size / GROUP) + 1));
    for (const block of blocksOf(models, firstCube, size))
      yield* collidingOf(gpu, block, models, inAnswer, [places, ofCells, results, counts]);
  } finally {
    room.close();
  }
}

async function* collidingOf(
  gpu: Gpu,
  { tuples, pieces }: Block,
  models: number,
  inAnswer: number,
  [places, cells, results, counts]: readonly GpuBuffer[],
): AsyncGenerator<Uint32Array> {
  const groups = Math.ceil(tuples / GROUP);
  const room = new Room(gpu);
  try {
    const constants = (from: number, most: number): GpuBuffer =>
      room.uniform([tuples, pieces.length / PIECE_WORDS, models, from, most]);
    const ofPieces = room.storage(pieces);
    const common = { 1: ofPieces, 2: places, 4: results, 5: counts };
    const [[collided]] = await gpu.run(
      [
        { shader: 'all-tuples', entry: 'detect', groups, buffers: { ...common, 0: constants(0, 0), 3: cells } },
        ...prefixSum(room, counts, groups),
      ],
      [{ buffer: counts, words: 1, from: groups }],
    );
    if (collided === 0) return;
    const size = Math.min(collided, inAnswer);
    const found = room.storage(FOUND_BYTES * size);
    for (let from = 0; from < collided; from += size) {
      const buffers = { ...common, 0: constants(from, size), 6: found };
      const words = 3 * Math.min(size, collided - from);
      const [output] = await gpu.run(
        [{ shader: 'all-tuples', entry: 'reduce', groups, buffers }],
        [{ buffer: found, words }],
      );
      yield output;
    }
  } finally {
    room.close();
  }
}

export function* blocksOf(models: number, firstCube: Uint32Array, most: number): Generator<Block> {
  const count = (m: number): number => firstCube[m + 1] - firstCube[m];
  let tuples = 0;
  let pieces: number[] = [];
  const block = (): Block => {
    const done = { tuples, pieces: Uint32Array.from(pieces) };
    tuples = 0;
    pieces = [];
    return done;
  };
  for (let i = 0; i + 1 < models; i++) {
    const n = count(i);
    if (n === 0) continue;
    for (let j = i + 1; j < models; ) {
      if (tuples === most || pieces.length === PIECE_WORDS * MOST_PIECES) yield block();
      const end = endOfWhole(firstCube, models, j, Math.floor((most - tuples) / n));
      if (firstCube[end] > firstCube[j]) {
        pieces.push(tuples, i, j, WHOLE, 0);
        tuples += n * (firstCube[end] - firstCube[j]);
      } else if (end === j && tuples > 0 && n * count(j) <= most) yield block();
      else if (end === j) {
        const all = n * count(j);
        for (let done = 0; done < all; ) {
          if (tuples === most) yield block();
          const part = Math.min(most - tuples, all - done);
          pieces.push(tuples, i, j, Math.floor(done / count(j)), done % count(j));
          tuples += part;
          done += part;
        }
        j++;
      }
      j = Math.max(j, end);
    }
  }
  if (tuples > 0) yield block();
}

function endOfWhole(firstCube: Uint32Array, models: number, j: number, room: number): number {
  let low = j;
  let high = models + 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (firstCube[middle] - firstCube[j] <= room) low = middle;
    else high = middle;
  }
  return low;
}
