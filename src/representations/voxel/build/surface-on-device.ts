/**
 * The cells of many surfaces by a device, batch after batch, whatever the models' sizes: the bytes
 * that the kernel gives, which cuts what the device cannot tell, brick by brick.
 */
import type { SurfaceBatch, SurfaceBricks } from '../../../gpu/surface-bricks.ts';
import type { CubeSet } from '../tree/cube-set.ts';
import type { Model } from './brick-bound.ts';
import { cut } from './kernel.ts';
import { asDoubles } from './partition.ts';
import {
  addToBatch,
  type BatchLimits,
  type BatchModel,
  brickOfSeed,
  type GrowingBatch,
  newBatch,
  wordsOf,
} from './surface-batch.ts';
import { placeTriangle, toOne } from './surface-cells.ts';

/** A device that finds cells in f32: a GPU, passed in by the caller. `openGpu` returns one. */
export interface SurfaceDevice {
  /** @throws GpuError during iteration */
  surfaceBricks(batch: SurfaceBatch): AsyncIterable<SurfaceBricks>;
}

export interface SurfaceWork {
  triangles: number;
  /** Triangles that the device did not get. */
  ownTriangles: number;
  /** Bricks of triangles that the device cut; those that were cut here, too. */
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

/** Deals bricks that the device could not tell out to their models. */
function dealLeft(left: Uint32Array, batch: GrowingBatch, open: readonly Open[]): void {
  for (let n = 0; n < left.length; n += LEFT_WORDS) {
    const [triangle, ...brick] = brickOfSeed(batch, left[n], left[n + 1]);
    open[batch.modelOf(triangle)].left.push(batch.sources[triangle] / 3, ...brick);
  }
}

/** All that is known of a model, as one set. */
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
