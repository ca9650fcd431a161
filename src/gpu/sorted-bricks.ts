/**
 * The two-tuples of bricks with one key that have cubes in common, on a GPU: bricks are sorted by
 * radix-sort.wgsl, and compared by sorted-bricks.wgsl, block by block. Z. Peng, B. Wu, "Collision
 * Detection Algorithm Based on Data Parallelism", with the departure of brick-generation.ts.
 */
import type { Gpu, Pass } from './gpu.ts';
import { keyRanges, varyingBits } from './key-ranges.ts';
import { prefixSum } from './prefix-sum.ts';
import { digitsOf, radixSort } from './radix-sort.ts';
import { Room } from './room.ts';
import type { GpuBuffer } from './webgpu.ts';

/** Places of a workgroup. */
const TILE = 2048;
/** Two-tuples of a workgroup of 256 threads with 32 each. */
const GROUP = 256 * 32;
/** Two-tuples of a block: as many as 65,535 workgroups take. */
const MOST_IN_BLOCK = 2 ** 29 - GROUP;

export interface SortedBricks {
  models: number;
  /** Two words a brick; bricks by model, and no two of a model with one key. */
  keys: Uint32Array;
  masks: Uint32Array;
  /** The model of each brick. */
  modelOf: Uint32Array;
  /**
   * Told how many two-tuples there are so far, before one of the last is compared; what it throws ends
   * the work.
   */
  onTuples?: (tuples: number) => void;
  /** Two-tuples in a block, at most; as many as a device can do at once unless given. */
  most?: number;
  /** Bricks that are sorted at once, at most; as many as a buffer of the device holds unless given. */
  mostBricks?: number;
}

export interface FoundBricks {
  tuples: number;
  blocks: number;
  /**
   * Those that collide, by pair of models, then by key: three words each, the number of the pair and
   * both bricks.
   */
  found: Uint32Array;
}

/** What all blocks read, by its binding in sorted-bricks.wgsl. */
type Bricks = Readonly<Record<2 | 3 | 6 | 9, GpuBuffer>>;

/** Two-tuples that follow one another: those from `skip` on of the tiles from `first` on. */
export interface BrickBlock {
  tuples: number;
  skip: number;
  first: number;
  /** Two-tuples of the block's tiles before each, and of all of them. */
  starts: Uint32Array;
}

/** Bytes of a brick as it is sorted, and of what collides. */
const RECORD_BYTES = 12;

/**
 * Those that collide: of all bricks at once, or range by range of their keys where the device has no
 * buffer for all.
 *
 * @throws GpuError, also where it has none as large as the answer: 12 bytes for each two-tuple that
 *   collides
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

/** What ranges have found, sorted by pair of models, and so by key for each pair. */
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

/** Passes that sort what collides by the number of its pair of models. */
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

/** Bricks in the order of their keys, with how many each forms two-tuples, and how many each tile has. */
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

/**
 * Cuts all two-tuples, in order, into blocks of at most `most`.
 *
 * @param tiles how many two-tuples each tile has: below 2^28, since a brick has fewer than there are
 *   models
 */
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
    // The last tile may have some left.
    skip = tiles[end - 1] - (all - skip - tuples);
    first = end - 1;
  }
}

/** Detects a block: how many collide, and the pass that writes them from a place on. */
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

/** What collides of all blocks, sorted by pair of models. */
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
