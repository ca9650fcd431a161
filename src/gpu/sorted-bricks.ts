/**
 * Finds two-tuples of bricks with one key that have cubes in common, on a GPU. radix-sort.wgsl
 * sorts bricks, sorted-bricks.wgsl compares them, block by block. Z. Peng, B. Wu, "Collision
 * Detection Algorithm Based on Data Parallelism", with the departure of algorithms.ts.
 */
import type { Gpu, Pass } from './gpu.ts';
import { Room } from './gpu.ts';
import { keyRanges, varyingBits } from './key-ranges.ts';
import { digitsOf, prefixSum, radixSort } from './radix-sort.ts';
import type { GpuBuffer } from './webgpu.ts';

const TILE = 2048;
const GROUP = 256 * 32;
const MOST_IN_BLOCK = 2 ** 29 - GROUP;

export interface SortedBricks {
  models: number;
  /** Two words per brick. Bricks are ordered by model; a model has no key twice. */
  keys: Uint32Array;
  masks: Uint32Array;
  modelOf: Uint32Array;
  /** Receives the number of two-tuples, before the last of these is compared. May throw to end. */
  onTuples?: (tuples: number) => void;
  /** Largest number of two-tuples in a block; by default as many as the device can do at once. */
  most?: number;
  /** Largest number of bricks sorted at once; by default as many as a buffer holds. */
  mostBricks?: number;
}

export interface FoundBricks {
  tuples: number;
  blocks: number;
  /** Results by pair of models, then by key; three words each: pair and both bricks. */
  found: Uint32Array;
}

type Bricks = Readonly<Record<2 | 3 | 6 | 9, GpuBuffer>>;

/** Consecutive two-tuples: those from `skip` on of the tiles from `first` on. */
interface BrickBlock {
  tuples: number;
  skip: number;
  first: number;
  /** Per tile, the number of the block's two-tuples before it; then the total. */
  starts: Uint32Array;
}

const RECORD_BYTES = 12;

/**
 * Finds the colliding two-tuples, by ranges of keys if the device has no buffer for all bricks.
 *
 * @throws GpuError, also if no buffer is as large as the answer: 12 bytes per colliding two-tuple
 */
export async function collidingBricks(gpu: Gpu, input: SortedBricks): Promise<FoundBricks> {
  const { models, keys, masks, modelOf, mostBricks = Infinity } = input;
  const bricks = modelOf.length;
  const most = Math.min(mostBricks, Math.floor(gpu.mostBytes / RECORD_BYTES));
  if (bricks <= most) return collidingOfRange(gpu, input);
  const all = { tuples: 0, blocks: 0, found: [] as Uint32Array[] };
  for (const range of keyRanges(keys, most)) {
    const { tuples, blocks, found } = await collidingOfRange(gpu, {
      ...input,
      keys: pairsAt(keys, range),
      masks: pairsAt(masks, range),
      modelOf: range.map((brick) => modelOf[brick]),
      onTuples: (tuples) => input.onTuples?.(all.tuples + tuples),
    });
    for (let at = 0; at < found.length; at += 3) {
      found[at + 1] = range[found[at + 1]];
      found[at + 2] = range[found[at + 2]];
    }
    all.tuples += tuples;
    all.blocks += blocks;
    all.found.push(found);
  }
  return { ...all, found: await inPairOrder(gpu, all.found, models) };
}

const pairsAt = (words: Uint32Array, numbers: Uint32Array): Uint32Array => {
  const chosen = new Uint32Array(2 * numbers.length);
  for (let n = 0; n < numbers.length; n++) {
    chosen[2 * n] = words[2 * numbers[n]];
    chosen[2 * n + 1] = words[2 * numbers[n] + 1];
  }
  return chosen;
};

async function inPairOrder(gpu: Gpu, ranges: readonly Uint32Array[], models: number): Promise<Uint32Array> {
  const words = ranges.reduce((sum, { length }) => sum + length, 0);
  if (words === 0) return new Uint32Array(0);
  const all = new Uint32Array(words);
  let at = 0;
  for (const found of ranges) {
    all.set(found, at);
    at += found.length;
  }
  const room = new Room(gpu);
  try {
    const { passes, sorted } = byPair(room, room.storage(all), words / 3, models);
    const [found] = await gpu.run(passes, [{ buffer: sorted, words }]);
    return found;
  } finally {
    room.close();
  }
}

function byPair(room: Room, found: GpuBuffer, collided: number, models: number) {
  const bits = 32 - Math.clz32((models * (models - 1)) / 2 - 1);
  return radixSort(room, found, room.storage(RECORD_BYTES * collided), collided, digitsOf([2 ** bits - 1]));
}

async function collidingOfRange(gpu: Gpu, input: SortedBricks): Promise<FoundBricks> {
  const bricks = input.modelOf.length;
  if (bricks === 0) {
    input.onTuples?.(0);
    return { tuples: 0, blocks: 0, found: new Uint32Array(0) };
  }
  const room = new Room(gpu);
  try {
    const { records, before, tiles } = await pregenerated(room, input, bricks);
    const tuples = tiles.reduce((sum, count) => sum + count, 0);
    input.onTuples?.(tuples);
    const buffers = { 2: records, 3: before, 6: room.storage(input.masks), 9: room.storage(input.modelOf) };
    const reductions: ((base: number, found: GpuBuffer) => Pass)[] = [];
    const bases = [0];
    for (const block of blocksOf(tiles, Math.min(input.most ?? MOST_IN_BLOCK, MOST_IN_BLOCK))) {
      const { collided, reduce } = await detected(room, block, buffers, input, bricks);
      bases.push(bases[bases.length - 1] + collided);
      reductions.push(reduce);
    }
    const collided = bases[bases.length - 1];
    const found = await reduced(room, reductions, bases, collided, input.models);
    return { tuples, blocks: reductions.length, found };
  } finally {
    room.close();
  }
}

async function pregenerated(room: Room, { keys, models }: SortedBricks, bricks: number) {
  const groups = Math.ceil(bricks / TILE);
  const constants = room.uniform([0, 0, 0, 0, groups, bricks, models, 0]);
  const [unsorted, spare] = [room.storage(RECORD_BYTES * bricks), room.storage(RECORD_BYTES * bricks)];
  const { passes, sorted: records } = radixSort(room, unsorted, spare, bricks, digitsOf(varyingBits(keys)));
  const before = room.storage(4 * bricks);
  const starts = room.storage(4 * groups);
  const own = { 0: constants, 1: room.storage(keys), 2: unsorted };
  const [tiles] = await room.gpu.run(
    [
      { shader: 'sorted-bricks', entry: 'record', groups, buffers: own },
      ...passes,
      {
        shader: 'sorted-bricks',
        entry: 'pregenerate',
        groups,
        buffers: { 0: constants, 2: records, 3: before, 4: starts },
      },
    ],
    [{ buffer: starts, words: groups }],
  );
  return { records, before, tiles };
}

export function* blocksOf(tiles: Uint32Array, most: number): Generator<BrickBlock> {
  let skip = 0;
  for (let first = 0; first < tiles.length; ) {
    if (skip === tiles[first]) {
      first++;
      skip = 0;
      continue;
    }
    const starts = [0];
    let end = first;
    for (; end < tiles.length && starts[end - first] < skip + most; end++)
      starts.push(starts[end - first] + tiles[end]);
    const all = starts[end - first];
    const tuples = Math.min(most, all - skip);
    yield { tuples, skip, first: first * TILE, starts: Uint32Array.from(starts) };
    skip = tiles[end - 1] - (all - skip - tuples);
    first = end - 1;
  }
}

/** Detects a block. Returns its number of results, and the pass that writes them. */
async function detected(
  room: Room,
  { tuples, skip, first, starts }: BrickBlock,
  bricks: Bricks,
  { models }: SortedBricks,
  count: number,
) {
  const tiles = starts.length - 1;
  const places = Math.min(tiles * TILE, count - first);
  const groups = Math.ceil(tuples / GROUP);
  const constants = (base: number): GpuBuffer =>
    room.uniform([tuples, skip, first, places, tiles, count, models, base]);
  const prefix = room.storage(4 * (places + 1));
  const results = room.storage(groups * (GROUP / 8));
  const counts = room.storage(4 * (groups + 1));
  const common = { 0: constants(0), 5: prefix };
  const [[collided]] = await room.gpu.run(
    [
      {
        shader: 'sorted-bricks',
        entry: 'place',
        groups: tiles,
        buffers: { ...common, 3: bricks[3], 4: room.storage(starts) },
      },
      {
        shader: 'sorted-bricks',
        entry: 'detect',
        groups,
        buffers: { ...common, 2: bricks[2], 6: bricks[6], 7: results, 8: counts },
      },
      ...prefixSum(room, counts, groups),
    ],
    [{ buffer: counts, words: 1, from: groups }],
  );
  const reduce = (base: number, found: GpuBuffer): Pass => ({
    shader: 'sorted-bricks',
    entry: 'reduce',
    groups,
    buffers: { 0: constants(base), 2: bricks[2], 5: prefix, 7: results, 8: counts, 9: bricks[9], 10: found },
  });
  return { collided, reduce };
}

async function reduced(
  room: Room,
  reductions: readonly ((base: number, found: GpuBuffer) => Pass)[],
  bases: readonly number[],
  collided: number,
  models: number,
): Promise<Uint32Array> {
  if (collided === 0) return new Uint32Array(0);
  const unsorted = room.storage(RECORD_BYTES * collided);
  const reduce = reductions.map((pass, block) => pass(bases[block], unsorted));
  const { passes, sorted } = byPair(room, unsorted, collided, models);
  const [found] = await room.gpu.run([...reduce, ...passes], [{ buffer: sorted, words: 3 * collided }]);
  return found;
}
