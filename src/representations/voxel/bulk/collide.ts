/**
 * Finds the models that collide, and their common cubes.
 *
 * Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism": pre-generation,
 * generation, detection and reduction. They run for all two-tuples of cubes as in the paper, or for
 * the two-tuples of bricks with one key. Answer and order are the same for all block sizes and
 * numbers of workers.
 *
 * Streamed: the paper keeps all two-tuples at once, but N^2 |C|^2 of them don't fit in memory. A
 * block is generated, detected and reduced, and only collisions are kept. So memory is in
 * proportion to the cubes, the pairs of models (all pairs only), the block and the answer.
 */

import { OptionError } from '../../../base/errors.ts';
import { requireOptionTypes, requireThat } from '../../../base/require.ts';
import { bitOf, type CubeSet, cellsOf, cubesIn, highKey, lowKey, popcount } from '../tree/cube-set.ts';
import type { Tuples } from './algorithms.ts';
import { countsToPlaces, type Sharers, sharersOf, sortRecords } from './passes.ts';
import { firstModel, MOST_MODELS, pairCount, secondModel } from './pre-generation.ts';
import { basesOf } from './prefix-sum.ts';
import { callingThread, requireWorkers, type Workers } from './stages.ts';

/** Pairs of models with common cubes, ascending, and those cubes. */
export interface Collisions {
  precision: number;
  /** Pair p is models pairs[2p] < pairs[2p + 1]. */
  pairs: Uint32Array;
  /** Number of common cubes of pair p. */
  cubes: Uint32Array;
  /** Bricks of pair p: first[p] to first[p + 1]. */
  first: Uint32Array;
  /** Two words per brick, as in a CubeSet: `commonCubes` returns those of a pair. */
  keys: Uint32Array;
  masks: Uint32Array;
  /** Counts of the work; the only part that depends on the method. */
  work: Work;
}

export interface Work {
  /** N, and N(N - 1)/2. */
  models: number;
  pairs: number;
  /** Sums over all models. */
  bricks: number;
  cubes: number;
  /**
   * The paper's TotalPairCount: two-tuples of cubes of all pairs of models, whatever the method.
   * Exact below 2^53.
   */
  totalPairCount: number;
  /**
   * Two-tuples of cubes (TotalPairCount), or of bricks, that were detected; those that collided;
   * and the number of blocks.
   */
  tuples: number;
  collided: number;
  blocks: number;
}

/** A device that compares cubes: a GPU, passed in by the caller. */
export interface CubeDevice {
  /**
   * Returns the colliding two-tuples of all two-tuples of cubes, ordered by pairs of models. Three
   * words each: the number of the pair, and the numbers of both cubes.
   *
   * @param input cubes of model m are numbers firstCube[m] to firstCube[m + 1], three whole numbers
   *   each in `cells`
   */
  allTuples(input: { models: number; firstCube: Uint32Array; cells: Int32Array }): AsyncIterable<Uint32Array>;
  /**
   * Returns the two-tuples of bricks with one key and common cubes, by pair of models, then by key.
   * Three words each: the number of the pair, and both bricks.
   *
   * @param input bricks in the order of their models; `onTuples` receives the number of two-tuples
   *   so far, before one of the last is compared, and may throw
   */
  sortedBricks(input: {
    models: number;
    keys: Uint32Array;
    masks: Uint32Array;
    modelOf: Uint32Array;
    onTuples: (tuples: number) => void;
  }): Promise<{ tuples: number; blocks: number; found: Uint32Array }>;
}

interface CollideOptions {
  /** Two-tuples in memory at a time, 29 bytes each; 2^17 per useful worker by default. */
  block?: number;
  /** Names of the models in errors; default "model 0" and on. */
  names?: readonly string[];
  /** Compares the cubes instead of the workers; the answer is the same. */
  device?: CubeDevice | undefined;
}

const KEY_BITS = 30;
/** Per worker. 2^14 to 2^19 are alike, then caches end; below 2^15 posting tasks counts. */
const BLOCK = 2 ** 17;
const MOST_IN_BLOCK = 2 ** 26;
/** Nanoseconds in one thread: per two-tuple of cubes, sorted brick, two-tuple of bricks. */
const CUBES_COST = 8;
const SORT_COST = 400;
const BRICKS_COST = 30;
/** Over all models: places of three words each are below 2^31. */
export const MOST_BRICKS = 2 ** 26;
const MOST_CUBES = 2 ** 29;
const MOST_PAIRS = 2 ** 28;
const MOST_COLLIDED = 2 ** 27;

/**
 * Returns the cubes that a pair of models has in common.
 *
 * @example const cubes = build(readObj(bytes), { format: 'voxel', precision: 0.05 });
 *          const { masks } = commonCubes(await collideSorted([cubes, cubes]), 0);
 *          masks.length === cubes.masks.length // true
 */
export function commonCubes(collisions: Collisions, pair: number): CubeSet {
  requireThat(collisions?.cubes?.length >= 0, 'collisions', 'the result of collideSorted', collisions);
  const { precision, cubes, first, keys, masks } = collisions;
  const isPair = Number.isInteger(pair) && pair >= 0 && pair < cubes.length;
  requireThat(isPair, 'pair', `a whole number below ${cubes.length}`, pair);
  const [begin, end] = [2 * first[pair], 2 * first[pair + 1]];
  return { precision, keys: keys.subarray(begin, end), masks: masks.subarray(begin, end) };
}

/**
 * Compares all two-tuples of cubes of all pairs of models, like the paper. For comparison and for
 * few cubes; `collideSorted` gives the same answer sooner.
 *
 * @param sets sorted as in cube-set.ts, of one precision
 * @param most workers for the stages, used as far as they speed it up; by default the calling
 *   thread
 * @throws OptionError for fewer than two sets, different precisions; more than 2^29 cubes, 2^28
 *   pairs of models, 2^53 - 1 two-tuples or 2^27 that collide
 * @example const cubes = build(readObj(bytes), { format: 'voxel', precision: 0.05 });
 *          (await collideAllPairs([cubes, cubes])).pairs // 0 1
 */
export async function collideAllPairs(
  sets: readonly CubeSet[],
  most: Workers = callingThread(),
  options: CollideOptions = {},
): Promise<Collisions> {
  requireWorkers(most);
  requireOptionTypes(options, { block: 'number', names: 'any', device: 'any' });
  const { block, names = [], device } = options;
  checkSets(sets, block, names);
  requireFewModels(sets.length, { allPairs: true });
  const models = sets.length;
  const pairs = pairCount(models);
  const counts = sets.map(({ masks }) => cubesIn(masks));
  const places = basesOf(counts);
  const cubes = places[models];
  if (cubes > MOST_CUBES) throw new OptionError(`expected at most ${MOST_CUBES} cubes for all-pairs, found ${cubes}`);
  const tuples = totalPairCount(counts);
  const workers = most.paying(CUBES_COST * tuples);
  const firstCube = new Uint32Array(workers.memory(4 * (models + 1)));
  firstCube.set(places);
  const cells = new Int32Array(workers.memory(12 * cubes));
  for (let m = 0; m < models; m++) cells.set(cellsOf(sets[m]), 3 * firstCube[m]);

  const { output, collided, blocks } = device
    ? await gathered(device.allTuples({ models, firstCube, cells }))
    : await byWorkers(workers, { models, firstCube, cells }, block);

  const answer = answerFor(sets[0].precision, models, collided);
  for (let at = 0; at < 3 * collided; at += 3) {
    const cell = 3 * output[at + 1];
    const [x, y, z] = [cells[cell], cells[cell + 1], cells[cell + 2]];
    const bit = bitOf(x, y, z);
    append(answer, output[at], lowKey(x, y, z), highKey(x, y, z), bit < 32 ? 1 << bit : 0, bit < 32 ? 0 : 1 << bit);
  }
  const bricks = bricksIn(sets);
  return collisionsOf(answer, { models, pairs, bricks, cubes, totalPairCount: tuples, tuples, collided, blocks });
}

async function byWorkers(
  workers: Workers,
  { models, firstCube, cells }: { models: number; firstCube: Uint32Array; cells: Int32Array },
  block: number | undefined,
): Promise<Found> {
  const pairs = pairCount(models);
  const prefixPair = new Float64Array(workers.memory(8 * (pairs + 1)));
  await workers.run(['preGeneration'], { models, firstCube, pair: prefixPair.subarray(1) }, pairs);
  const total = await countsToPlaces(workers, prefixPair, pairs, 'two-tuples of cubes');
  return streamed(workers, total, block, (start, count, tuples, result) => {
    const data = { models, firstCube, prefixPair, start, tuples, cells, result, values: result };
    return workers.run(['generation', 'detection', 'sum'], data, count);
  });
}

async function gathered(blocks: AsyncIterable<Uint32Array>): Promise<Found> {
  const found: Found = { output: new Uint32Array(0), collided: 0, blocks: 0 };
  for await (const output of blocks) {
    found.blocks++;
    keep(found, output);
  }
  return found;
}

/**
 * Finds the answer of `collideAllPairs` from bricks sorted by key, using only bricks that may share
 * theirs. Time is in proportion to the bricks of all models and the answer, not to the pairs.
 *
 * @throws OptionError for fewer than two sets, more than 92,682, different precisions; more than
 *   2^26 bricks, or 2^27 that collide
 * @example const cubes = build(readObj(bytes), { format: 'voxel', precision: 0.05 });
 *          (await collideSorted([cubes, cubes, cubes])).pairs // 0 1 0 2 1 2
 */
export async function collideSorted(
  sets: readonly CubeSet[],
  most: Workers = callingThread(),
  options: CollideOptions = {},
): Promise<Collisions> {
  requireWorkers(most);
  requireOptionTypes(options, { block: 'number', names: 'any', device: 'any' });
  const { block, names = [], device } = options;
  checkSets(sets, block, names);
  requireFewModels(sets.length);
  const models = sets.length;
  const bricks = bricksIn(sets);
  const sharers = sharersOf(sets, bricks, most.memory);
  const { tuples, found, collided, blocks } = device
    ? await bricksByDevice(device, sharers, models)
    : await bricksByWorkers(most, sharers, models, block);
  const { keys, masks, cubes } = sharers;
  const answer = answerFor(sets[0].precision, models, collided);
  for (let at = 0; at < 3 * collided; at += 3) {
    const [a, b] = [2 * found[at + 1], 2 * found[at + 2]];
    append(answer, found[at], keys[a], keys[a + 1], masks[a] & masks[b], masks[a + 1] & masks[b + 1]);
  }
  const total = totalPairCount(sets.map((set) => cubesIn(set.masks)));
  const work = { models, pairs: pairCount(models), bricks, cubes, totalPairCount: total, tuples, collided, blocks };
  return collisionsOf(answer, work);
}

interface FoundBricks {
  tuples: number;
  found: Uint32Array;
  collided: number;
  blocks: number;
}

/** At least this many two-tuples of bricks collide: see algorithms.ts. */
function requireFewTuples(tuples: number, bricks: number): void {
  if ((tuples - 32 * bricks) / 64 > MOST_COLLIDED) throw tooManyCollide();
}

async function bricksByDevice(
  device: CubeDevice,
  { keys, masks, modelOf, count }: Sharers,
  models: number,
): Promise<FoundBricks> {
  const { tuples, blocks, found } = await device.sortedBricks({
    models,
    keys: keys.subarray(0, 2 * count),
    masks: masks.subarray(0, 2 * count),
    modelOf: modelOf.subarray(0, count),
    onTuples: (tuples) => requireFewTuples(tuples, count),
  });
  if (found.length > 3 * MOST_COLLIDED) throw tooManyCollide();
  return { tuples, found, collided: found.length / 3, blocks };
}

async function bricksByWorkers(
  most: Workers,
  { count, keys, masks, modelOf }: Sharers,
  models: number,
  block: number | undefined,
): Promise<FoundBricks> {
  let workers = most.paying(SORT_COST * count);
  const unsorted = new Uint32Array(workers.memory(12 * count));
  for (let brick = 0; brick < count; brick++) {
    unsorted[3 * brick] = keys[2 * brick];
    unsorted[3 * brick + 1] = keys[2 * brick + 1];
    unsorted[3 * brick + 2] = brick;
  }
  const spare = new Uint32Array(workers.memory(12 * count));
  const [records] = await sortRecords(workers, unsorted, spare, count, [0, 1], KEY_BITS);

  const prefixPair = new Float64Array(workers.memory(8 * (count + 1)));
  await workers.run(['brickPreGeneration'], { records, pair: prefixPair.subarray(1) }, count);
  const total = await countsToPlaces(workers, prefixPair, count, 'two-tuples of bricks');
  requireFewTuples(total, count);
  workers = most.paying(BRICKS_COST * total);
  const { output, collided, blocks } = await streamed(workers, total, block, (start, items, tuples, result) => {
    const data = { models, modelOf, records, prefixPair, start, tuples, masks, result, values: result };
    return workers.run(['brickGeneration', 'brickDetection', 'sum'], data, items);
  });

  // Sorted by key; sorting by pair of models keeps that order in each pair.
  const inKeyOrder = new Uint32Array(workers.memory(12 * collided));
  inKeyOrder.set(output.subarray(0, 3 * collided));
  const other = new Uint32Array(workers.memory(12 * collided));
  const bits = 32 - Math.clz32(pairCount(models) - 1);
  const [found] = await sortRecords(workers, inKeyOrder, other, collided, [0], bits);
  return { tuples: total, found, collided, blocks };
}

const tooManyCollide = (): OptionError =>
  new OptionError(`more than ${MOST_COLLIDED} two-tuples collide: compare fewer models at once, or coarser cubes`);

/** O of all blocks: three words per colliding two-tuple, in order, with spare room. */
interface Found {
  output: Uint32Array;
  collided: number;
  blocks: number;
}

/** Runs two-tuples block by block; `examine` returns the collisions of each part. */
async function streamed(
  workers: Workers,
  total: number,
  block: number | undefined,
  examine: (start: number, count: number, tuples: Tuples, result: Uint8Array) => Promise<number[]>,
): Promise<Found> {
  const size = Math.min(block ?? BLOCK * workers.count, total);
  const words = () => new Uint32Array(workers.memory(4 * size));
  const tuples = { u: words(), first: words(), second: words() };
  const result = new Uint8Array(workers.memory(size));
  const prefix = new Uint32Array(workers.memory(4 * (size + 1)));
  const output = new Uint32Array(workers.memory(12 * size));
  const found: Found = { output: new Uint32Array(0), collided: 0, blocks: 0 };
  for (let start = 0; start < total; start += size) {
    const count = Math.min(size, total - start);
    const bases = basesOf(await examine(start, count, tuples, result));
    const collided = bases[bases.length - 1];
    found.blocks++;
    if (collided === 0) continue;
    const data = { tuples, result, values: result, prefix, bases, output };
    await workers.run(['prefix', 'reduction'], data, count);
    keep(found, output.subarray(0, 3 * collided));
  }
  return found;
}

function keep(found: Found, more: Uint32Array): void {
  const end = 3 * found.collided;
  const needed = end + more.length;
  if (needed > 3 * MOST_COLLIDED) throw tooManyCollide();
  if (needed > found.output.length) {
    const larger = new Uint32Array(Math.max(needed, 2 * found.output.length));
    larger.set(found.output.subarray(0, end));
    found.output = larger;
  }
  found.output.set(more, end);
  found.collided += more.length / 3;
}

interface Answer extends Omit<Collisions, 'work'> {
  models: number;
  /** The last pair, or -1. */
  u: number;
  pairsFound: number;
  bricks: number;
}

function answerFor(precision: number, models: number, collided: number): Answer {
  const words = (each: number) => new Uint32Array(each * collided);
  const first = new Uint32Array(collided + 1);
  const arrays = { pairs: words(2), cubes: words(1), first, keys: words(2), masks: words(2) };
  return { precision, ...arrays, models, u: -1, pairsFound: 0, bricks: 0 };
}

function append(answer: Answer, u: number, low: number, high: number, mask0: number, mask1: number): void {
  const { keys, masks } = answer;
  const last = 2 * answer.bricks - 2;
  let at = last;
  if (u !== answer.u || keys[last] !== low || keys[last + 1] !== high) {
    at = last + 2;
    keys[at] = low;
    keys[at + 1] = high;
    answer.bricks++;
  }
  if (u !== answer.u) {
    const i = firstModel(answer.models, u);
    answer.pairs[2 * answer.pairsFound] = i;
    answer.pairs[2 * answer.pairsFound + 1] = secondModel(answer.models, u, i);
    answer.first[answer.pairsFound++] = at / 2;
    answer.u = u;
  }
  masks[at] |= mask0;
  masks[at + 1] |= mask1;
  answer.cubes[answer.pairsFound - 1] += popcount(mask0) + popcount(mask1);
}

function collisionsOf(
  { precision, pairs, cubes, first, keys, masks, pairsFound, bricks }: Answer,
  work: Work,
): Collisions {
  first[pairsFound] = bricks;
  return {
    precision,
    pairs: pairs.slice(0, 2 * pairsFound),
    cubes: cubes.slice(0, pairsFound),
    first: first.slice(0, pairsFound + 1),
    keys: keys.slice(0, 2 * bricks),
    masks: masks.slice(0, 2 * bricks),
    work,
  };
}

/** Throws OptionError for too many models: more than 92,682, or 23,170 for `collideAllPairs`. */
export function requireFewModels(models: number, { allPairs = false }: { allPairs?: boolean } = {}): void {
  const pairs = pairCount(models);
  if (allPairs && pairs > MOST_PAIRS)
    throw new OptionError(`expected at most ${MOST_PAIRS} pairs for all-pairs, found ${pairs} of ${models} models`);
  if (!allPairs && models > MOST_MODELS)
    throw new OptionError(`expected at most ${MOST_MODELS} models at once, found ${models}`);
}

function checkSets(sets: readonly CubeSet[], block: number | undefined, names: readonly string[]): void {
  requireThat(Array.isArray(sets), 'sets', 'an array of cubes', sets);
  for (const [m, set] of sets.entries()) {
    const areCubes = set?.keys?.length === set?.masks?.length && set?.keys?.length >= 0 && set.precision > 0;
    requireThat(areCubes, `sets[${m}]`, 'cubes', set);
  }
  requireThat(sets.length >= 2, 'sets', 'two or more, for cubes to collide between', sets);
  const name = (m: number) => names[m] ?? `model ${m}`;
  const other = sets.findIndex(({ precision }) => precision !== sets[0].precision);
  if (other > 0) {
    throw new OptionError(`precision: ${name(0)} has ${sets[0].precision}, ${name(other)} ${sets[other].precision}`);
  }
  const bricks = bricksIn(sets);
  if (bricks > MOST_BRICKS)
    throw new OptionError(`expected at most ${MOST_BRICKS} bricks of cubes at once, found ${bricks}`);
  if (block !== undefined && !(Number.isInteger(block) && block >= 1 && block <= MOST_IN_BLOCK)) {
    throw new OptionError(`block: expected a whole number of two-tuples from 1 to ${MOST_IN_BLOCK}, found ${block}`);
  }
}

const bricksIn = (sets: readonly CubeSet[]): number => sets.reduce((sum, { keys }) => sum + keys.length / 2, 0);

/**
 * Returns the number of two-tuples of cubes of all pairs of models, from the cubes of each model.
 * Every term and sum is a whole number, so the result is exact below 2^53.
 */
export function totalPairCount(cubes: readonly number[]): number {
  let total = 0;
  let before = 0;
  for (const own of cubes) {
    total += before * own;
    before += own;
  }
  return total;
}
