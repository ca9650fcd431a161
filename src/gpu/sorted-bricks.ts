/**
 * The two-tuples of bricks with one key that have cubes in common, on a GPU: bricks are sorted by
 * radix-sort.wgsl, and compared by sorted-bricks.wgsl, block by block. Z. Peng, B. Wu, "Collision
 * Detection Algorithm Based on Data Parallelism", with the departure of brick-generation.ts.
 */
import type { Gpu, Pass } from './gpu.ts';
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
  /** Told how many two-tuples there are, before one is compared; what it throws ends the work. */
  onTuples?: (tuples: number) => void;
  /** Two-tuples in a block, at most; as many as a device can do at once unless given. */
  most?: number;
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

/**
 * @throws GpuError, also where the device has no buffer as large as the bricks or the answer: 12
 *   bytes for each brick and for each two-tuple that collides
 */
export async function collidingBricks(gpu: Gpu, input: SortedBricks): Promise<FoundBricks> {
  const bricks = input.modelOf.length;
  if (bricks === 0) {
    input.onTuples?.(0);
    return { tuples: 0, blocks: 0, found: new Uint32Array(0) };
  }
  const room = new Room(gpu);
  try {
    const { records, before, tiles } = await pregenerated(room, input, bricks);
    const ofTiles = tiles.reduce((sum, count) => sum + count, 0);
    input.onTuples?.(ofTiles);
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
    return { tuples: ofTiles, blocks: reductions.length, found };
  } finally {
    room.close();
  }
}

/** Bricks in the order of their keys, with how many each forms two-tuples, and how many each tile has. */
async function pregenerated(room: Room, { keys, models }: SortedBricks, bricks: number) {
  const groups = Math.ceil(bricks / TILE);
  const constants = room.uniform([0, 0, 0, 0, groups, bricks, models, 0]);
  const [unsorted, spare] = [room.storage(12 * bricks), room.storage(12 * bricks)];
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

/** In which bits of each word of a key bricks differ. */
function varyingBits(keys: Uint32Array): [number, number] {
  let [low, high] = [0, 0];
  for (let k = 2; k < keys.length; k += 2) {
    low |= keys[k] ^ keys[0];
    high |= keys[k + 1] ^ keys[1];
  }
  return [low, high];
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
  const [unsorted, spare] = [room.storage(12 * collided), room.storage(12 * collided)];
  const reduce = reductions.map((pass, block) => pass(bases[block], unsorted));
  const bits = 32 - Math.clz32((models * (models - 1)) / 2 - 1);
  const { passes, sorted } = radixSort(room, unsorted, spare, collided, digitsOf([2 ** bits - 1]));
  const [found] = await room.gpu.run([...reduce, ...passes], [{ buffer: sorted, words: 3 * collided }]);
  return found;
}
