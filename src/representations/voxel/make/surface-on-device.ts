/**
 * Finds the cells of many surfaces by a device, batch after batch, for models of any size. The
 * bytes are those of the kernel, which cuts brick by brick what the device cannot decide. Also
 * prepares the triangles for the device.
 */
import type { SurfaceBatch, SurfaceBricks } from '../../../gpu/surface-bricks.ts';
import { type CubeSet, cellOf, highKey, lowKey, MOST_CELLS } from '../tree/cube-set.ts';
import type { Model } from './brick-bound.ts';
import { cut } from './kernel.ts';
import { asDoubles } from './partition.ts';
import {
  beginBlocks,
  block,
  nextBlock,
  placed,
  placeTriangle,
  separatingAxes,
  takeEdges,
  toOne,
} from './surface-cells.ts';

/** A device that finds cells in f32: a GPU, passed in by the caller. `openGpu` returns one. */
export interface SurfaceDevice {
  /** @throws GpuError during iteration */
  surfaceBricks(batch: SurfaceBatch): AsyncIterable<SurfaceBricks>;
}

export interface SurfaceWork {
  triangles: number;
  /** Triangles that the device did not get. */
  ownTriangles: number;
  /** Bricks of triangles that the device cut, and those of them that were cut here, too. */
  bricks: number;
  left: number;
}

export interface SurfaceOptions extends BatchLimits {
  work?: SurfaceWork;
}

interface Open extends BatchModel {
  parts: CubeSet[];
  /** For the kernel: corners of triangles; and a triangle, then a brick's x, y and z. */
  own: number[];
  left: number[];
}

const MERGED_WORDS = 5;
const LEFT_WORDS = 2;

/** Yields sets in order; models must pass requireCuttable. Throws the device's errors. */
export async function* surfacesOnDevice(
  device: SurfaceDevice,
  models: readonly Model[],
  precision: number,
  options: SurfaceOptions = {},
): AsyncGenerator<CubeSet> {
  const { work } = options;
  const scale = toOne(precision);
  let toCome = models.reduce((sum, { triangles }) => sum + triangles.length / 3, 0);
  if (work) work.triangles += toCome;
  let batch = newBatch(toCome, options);
  let open: Open[] = [];
  for (const { positions, triangles } of models) {
    let last = openModel(asDoubles(positions), triangles, open.length);
    open.push(last);
    for (let t = 0; t < triangles.length; t += 3, toCome--) {
      if (batch.isFull()) {
        await tell(device, batch, open, precision, options);
        for (const done of open.slice(0, -1)) yield setOf(done, precision);
        batch = newBatch(toCome, options);
        last = { ...last, model: 0, numbers: last.numbers.fill(0) };
        open = [last];
      }
      const isInOneCell = placeTriangle(last.positions, triangles, t, precision, scale);
      if (addToBatch(batch, last, t, { precision, scale, isInOneCell })) continue;
      last.own.push(triangles[t], triangles[t + 1], triangles[t + 2]);
      if (work) work.ownTriangles++;
    }
  }
  await tell(device, batch, open, precision, options);
  for (const done of open) yield setOf(done, precision);
}

const openModel = (positions: Float64Array, triangles: Uint32Array, model: number): Open => ({
  positions,
  triangles,
  model,
  numbers: new Uint32Array(positions.length / 3),
  parts: [],
  own: [],
  left: [],
});

async function tell(
  device: SurfaceDevice,
  batch: GrowingBatch,
  open: readonly Open[],
  precision: number,
  options: SurfaceOptions,
): Promise<void> {
  for await (const { cut, bricks, left } of device.surfaceBricks(wordsOf(batch, options))) {
    addParts(bricks, open, precision);
    dealLeft(left, batch, open);
    if (!options.work) continue;
    options.work.bricks += cut;
    options.work.left += left.length / LEFT_WORDS;
  }
}

function addParts(bricks: Uint32Array, open: readonly Open[], precision: number): void {
  const counts = new Uint32Array(open.length);
  const isEmpty = (at: number): boolean => (bricks[at + 2] | bricks[at + 3]) === 0;
  for (let at = 0; at < bricks.length; at += MERGED_WORDS) if (!isEmpty(at)) counts[bricks[at + 4]]++;
  const parts = Array.from(counts, (count) => ({
    precision,
    keys: new Uint32Array(2 * count),
    masks: new Uint32Array(2 * count),
  }));
  counts.fill(0);
  for (let at = 0; at < bricks.length; at += MERGED_WORDS) {
    if (isEmpty(at)) continue;
    const model = bricks[at + 4];
    const { keys, masks } = parts[model];
    const into = 2 * counts[model]++;
    keys[into] = bricks[at];
    keys[into + 1] = bricks[at + 1];
    masks[into] = bricks[at + 2];
    masks[into + 1] = bricks[at + 3];
  }
  for (const [model, part] of parts.entries()) if (part.keys.length > 0) open[model].parts.push(part);
}

/** Distributes bricks that the device could not decide to their models. */
function dealLeft(left: Uint32Array, batch: GrowingBatch, open: readonly Open[]): void {
  for (let n = 0; n < left.length; n += LEFT_WORDS) {
    const [triangle, ...brick] = brickOfSeed(batch, left[n], left[n + 1]);
    open[batch.modelOf(triangle)].left.push(batch.sources[triangle] / 3, ...brick);
  }
}

/** Joins all known parts of a model to one set. */
function setOf({ parts, own, left, positions, triangles }: Open, precision: number): CubeSet {
  let sets = [...parts];
  if (own.length + left.length > 0) {
    const bricks = { triangles, list: Uint32Array.from(left) };
    const likely = own.length + left.length;
    const { set } = cut({ positions, triangles: Uint32Array.from(own), precision, bricks, likely, most: Infinity });
    if (set) sets.push(set);
  }
  while (sets.length > 1)
    sets = Array.from({ length: Math.ceil(sets.length / 2) }, (_, n) => union(sets[2 * n], sets[2 * n + 1]));
  return sets[0];
}

function union(a: CubeSet, b: CubeSet | undefined): CubeSet {
  if (!b) return a;
  const keys = new Uint32Array(a.keys.length + b.keys.length);
  const masks = new Uint32Array(keys.length);
  let end = 0;
  for (let i = 0, j = 0; i < a.keys.length || j < b.keys.length; end += 2) {
    const order =
      i === a.keys.length ? 1 : j === b.keys.length ? -1 : a.keys[i + 1] - b.keys[j + 1] || a.keys[i] - b.keys[j];
    if (order <= 0) {
      keys[end] = a.keys[i];
      keys[end + 1] = a.keys[i + 1];
      masks[end] = a.masks[i++];
      masks[end + 1] = a.masks[i++];
    }
    if (order >= 0) {
      keys[end] = b.keys[j];
      keys[end + 1] = b.keys[j + 1];
      masks[end] |= b.masks[j++];
      masks[end + 1] |= b.masks[j++];
    }
  }
  return { precision: a.precision, keys: keys.slice(0, end), masks: masks.slice(0, end) };
}

/*
 * Prepares triangles for a device that finds cells in f32: src/gpu/surface-bricks.wgsl, which
 * defines the words and proves that the bounds here suffice.
 *
 * Letters: u = 2^-53; e is the largest part of an edge, N the normal, R the reach of the
 * coordinates, all scaled as in surface-cells.ts.
 *
 * A side of an edge axis is sure if
 *   |N_i| > 512 u e R
 * Along such an axis the third corner is off by at most 32 u e R: 12 for its image and that of the
 * edge, 16 for the rounded edges, and less for N_i. So it is 480 u e R from the edge then, and four
 * slacks are 128 u e R. If no side is sure, the triangle is a segment except for roundings, and is
 * cut here.
 *
 * A triangle whose edge or normal is nearly zero is cut here, too: slacks have an absolute part
 * that a device ignores.
 *
 * Models are made on a lattice, and their diagonals run through corners of cells, where a rounding
 * decides. A triangle is exact if its corners are whole quarters of cells, it has at most EXTENT
 * cells along x, y and z, and a has at most 8 bits. Then nothing is rounded along its edge axes. In
 * doubles: corners have 31 bits, parts of L 19, a product 50, sums 52. In f32: edges and d are
 * quarters below 2^8.7, their products sixteenths below 2^17.4, 23 bits with their sum. A
 * separation of a brick or a cell is then at least 1/32 of a cell; the slack is below 2^-18.
 */

const SIDE = 8;
const SURE = 2 ** -44;
/** Parts of axes below this are nearly zero: slacks have an absolute part of 2^-900. */
const NEARLY_ZERO = 2 ** -800;
const EXTENT = 400;
const IS_EXACT = 1 << 16;
const VERTEX_WORDS = 6;
const TRIANGLE_WORDS = 8;
const SEED_WORDS = 6;
/** Limits of the smallest device's buffers. */
const MOST_TRIANGLES = 2 ** 18;
const MOST_SEEDS = 2 ** 20;
const MOST_CANDIDATES = 2 ** 26;

interface BatchLimits {
  /** Triangles of a full batch. Default and most: 2^18. */
  triangles?: number;
  /** Bricks that a device cuts at once; by default as many as fit. */
  mostCut?: number;
}

interface GrowingBatch {
  vertices: Int32Array;
  triangles: Uint32Array;
  seeds: Uint32Array;
  vertexCount: number;
  triangleCount: number;
  seedCount: number;
  candidates: number;
  /** Views of `vertices` and `triangles`. */
  parts: Float32Array;
  normals: Float32Array;
  isWhole: Uint8Array;
  /** Index of each triangle's first corner in its model. */
  sources: Uint32Array;
  reach: number;
  low: Int32Array;
  high: Int32Array;
  modelOf(triangle: number): number;
  isFull(): boolean;
}

function newBatch(most: number, limits: BatchLimits): GrowingBatch {
  const room = Math.min(most, limits.triangles ?? MOST_TRIANGLES, MOST_TRIANGLES);
  const vertices = new Int32Array(3 * VERTEX_WORDS * room);
  const triangles = new Uint32Array(TRIANGLE_WORDS * room);
  const batch: GrowingBatch = {
    vertices,
    triangles,
    seeds: new Uint32Array(2 * SEED_WORDS * room),
    vertexCount: 0,
    triangleCount: 0,
    seedCount: 0,
    candidates: 0,
    parts: new Float32Array(vertices.buffer),
    normals: new Float32Array(triangles.buffer),
    isWhole: new Uint8Array(3 * room),
    sources: new Uint32Array(room),
    reach: 0,
    low: new Int32Array(3).fill(MOST_CELLS),
    high: new Int32Array(3).fill(-MOST_CELLS),
    modelOf: (triangle) => triangles[TRIANGLE_WORDS * triangle + 7],
    isFull: () => batch.triangleCount === room || batch.seedCount >= MOST_SEEDS || batch.candidates >= MOST_CANDIDATES,
  };
  return batch;
}

export function wordsOf(batch: GrowingBatch, { mostCut }: BatchLimits): SurfaceBatch {
  // Between two biased coordinates, the bits above their highest different one are constant.
  const [x, y, z] = Array.from(batch.low, (low, axis) => {
    const bias = MOST_CELLS / 4;
    return 4 * 2 ** (32 - Math.clz32((low + bias) ^ (batch.high[axis] + bias))) - 4 - MOST_CELLS;
  });
  return {
    vertices: batch.vertices.subarray(0, VERTEX_WORDS * batch.vertexCount),
    triangles: batch.triangles.subarray(0, TRIANGLE_WORDS * batch.triangleCount),
    seeds: batch.seeds.subarray(0, SEED_WORDS * batch.seedCount),
    candidates: batch.candidates,
    // Rounding to f32 may lower it by 2^-24 of it.
    noise: 1.01 * 2 ** -42 * (batch.reach + 8),
    varying: [lowKey(x, y, z), highKey(x, y, z)],
    ...(mostCut !== undefined && { mostCut }),
  };
}

function brickOfSeed({ seeds }: GrowingBatch, seed: number, number: number): [number, number, number, number] {
  const at = SEED_WORDS * seed;
  const wide = seeds[at + 4] & 0xff;
  const deep = (seeds[at + 4] >> 8) & 0xff;
  return [
    seeds[at],
    (seeds[at + 1] | 0) + (number % wide),
    (seeds[at + 2] | 0) + (Math.floor(number / wide) % deep),
    (seeds[at + 3] | 0) + Math.floor(number / (wide * deep)),
  ];
}

interface BatchModel {
  positions: Float64Array;
  triangles: Uint32Array;
  model: number;
  /** Number of each vertex in the batch plus 1, or 0. */
  numbers: Uint32Array;
}

/** Adds a triangle, first corner `t`; false, with the triangle placed, to cut it here. */
function addToBatch(
  batch: GrowingBatch,
  from: BatchModel,
  t: number,
  { precision, scale, isInOneCell }: { precision: number; scale: number; isInOneCell: boolean },
): boolean {
  const { triangles, numbers } = from;
  let flags = 0;
  if (!isInOneCell) {
    takeEdges();
    flags = flagsOf();
    if (flags < 0) return false;
  }
  const at = TRIANGLE_WORDS * batch.triangleCount;
  let isExact = hasFewBits(precision * scale);
  for (let corner = 0; corner < 3; corner++) {
    const vertex = triangles[t + corner];
    if (numbers[vertex] === 0) numbers[vertex] = addVertex(batch, from.positions, vertex, precision);
    batch.triangles[at + corner] = numbers[vertex] - 1;
    isExact &&= batch.isWhole[numbers[vertex] - 1] === 1;
  }
  const { normal, first, last } = placed;
  const largest = isInOneCell ? 0 : Math.max(Math.abs(normal[0]), Math.abs(normal[1]), Math.abs(normal[2]));
  for (let axis = 0; axis < 3; axis++) batch.normals[at + 4 + axis] = largest === 0 ? 0 : normal[axis] / largest;
  batch.triangles[at + 7] = from.model;
  batch.sources[batch.triangleCount] = t;
  let isLarge = false;
  for (let axis = 0; axis < 3; axis++) {
    batch.low[axis] = Math.min(batch.low[axis], first[axis] >> 2);
    batch.high[axis] = Math.max(batch.high[axis], last[axis] >> 2);
    isLarge ||= (last[axis] >> 2) - (first[axis] >> 2) >= SIDE;
    isExact &&= last[axis] - first[axis] < EXTENT;
  }
  batch.triangles[at + 3] = isExact ? flags | IS_EXACT : flags;
  if (!isLarge) addSeed(batch, first[0] >> 2, first[1] >> 2, first[2] >> 2, last[0] >> 2, last[1] >> 2, last[2] >> 2);
  else {
    separatingAxes();
    beginBlocks();
    const a = precision * scale;
    while (nextBlock(a, SIDE)) addSeed(batch, block[0], block[1], block[2], block[3], block[4], block[5]);
  }
  batch.triangleCount++;
  return true;
}

function addVertex(batch: GrowingBatch, positions: Float64Array, vertex: number, precision: number): number {
  const at = VERTEX_WORDS * batch.vertexCount;
  let isWhole = true;
  for (let axis = 0; axis < 3; axis++) {
    const x = positions[3 * vertex + axis];
    const cell = cellOf(x, precision);
    batch.vertices[at + axis] = cell;
    batch.parts[at + 3 + axis] = x / precision - cell;
    batch.reach = Math.max(batch.reach, Math.abs(cell) + 1);
    isWhole &&= (Math.round(4 * (x / precision)) / 4) * precision === x;
  }
  batch.isWhole[batch.vertexCount] = Number(isWhole);
  return ++batch.vertexCount;
}

const hasFewBits = (a: number): boolean => Number.isInteger(128 * a);

function addSeed(batch: GrowingBatch, x0: number, y0: number, z0: number, x1: number, y1: number, z1: number): void {
  const at = SEED_WORDS * batch.seedCount++;
  if (at === batch.seeds.length) {
    const seeds = new Uint32Array(2 * at);
    seeds.set(batch.seeds);
    batch.seeds = seeds;
  }
  const [wide, deep, tall] = [x1 - x0 + 1, y1 - y0 + 1, z1 - z0 + 1];
  batch.seeds[at] = batch.triangleCount;
  batch.seeds[at + 1] = x0;
  batch.seeds[at + 2] = y0;
  batch.seeds[at + 3] = z0;
  batch.seeds[at + 4] = wide | (deep << 8) | (tall << 16);
  batch.seeds[at + 5] = batch.candidates;
  batch.candidates += wide * deep * tall;
}

/** Flags axes that may separate a cell, and sure sides of edge axes; -1 to cut it here. */
function flagsOf(): number {
  const { corners, edges, normal } = placed;
  let reach = 0;
  for (let n = 0; n < 9; n++) reach = Math.max(reach, Math.abs(corners[n]));
  let longest = 0;
  for (let n = 0; n < 9; n++) longest = Math.max(longest, Math.abs(edges[n]));
  let flags = 0;
  let parts = 0;
  for (let i = 0; i < 3; i++) {
    const size = Math.abs(normal[i]);
    if (size !== 0) parts++;
    if (size > SURE * longest * (reach + 8) && size > NEARLY_ZERO) flags |= (normal[i] > 0 ? 0x2400 : 0x400) << i;
  }
  // A segment, but for roundings.
  if (flags === 0) return -1;
  if (parts > 1) flags |= 1;
  for (let e = 0; e < 3; e++) {
    const [x, y, z] = [Math.abs(edges[3 * e]), Math.abs(edges[3 * e + 1]), Math.abs(edges[3 * e + 2])];
    const size = Math.max(x, y, z);
    if (size !== 0 && size < NEARLY_ZERO) return -1;
    if (y !== 0 && z !== 0) flags |= 2 << (3 * e);
    if (x !== 0 && z !== 0) flags |= 4 << (3 * e);
    if (x !== 0 && y !== 0) flags |= 8 << (3 * e);
  }
  return flags;
}
