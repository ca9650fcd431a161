/**
 * Divides many models' cubes among independent machines: slabs of space between two planes of
 * bricks. A share makes only the cubes of its slab, from the triangles that reach it, and compares
 * these. No cube is in two slabs, so the shares' results add up to that of one machine.
 *
 * Tried: Blocks of models against blocks, but then shares make every model's cubes up to n times,
 * which is most of the work. Ranges of Morton keys, but these are slabs of odd shape that more
 * triangles cross.
 *
 * Planes divide the likely work. A triangle counts half the surface of its box in bricks, and one;
 * an inside its box's volume; existing bricks one each. Only + - x / are used, so slabs are the
 * same on every machine.
 */
import type { Shard } from '../../../base/shares.ts';
import type { CutOptions, Model } from '../make/brick-bound.ts';
import { brickCell, type CubeSet, cellOf, MOST_CELLS } from '../tree/cube-set.ts';

export interface Slab {
  axis: number;
  first: number;
  end: number;
}

const CELLS = 4;
const MOST_BRICKS = (2 * MOST_CELLS) / CELLS;

const brickOf = (x: number, precision: number): number => Math.floor(cellOf(x, precision) / CELLS);

function rangeOf({ positions, triangles }: Model, t: number, axis: number, precision: number): void {
  const a = positions[3 * triangles[t] + axis];
  const b = positions[3 * triangles[t + 1] + axis];
  const c = positions[3 * triangles[t + 2] + axis];
  range[0] = brickOf(Math.min(a, b, c), precision);
  range[1] = brickOf(Math.max(a, b, c), precision);
}

const range = new Float64Array(2);

/** Work along one axis, per plane of bricks, stored as starts and ends. */
class Profile {
  private readonly changes = new Float64Array(MOST_BRICKS + 1);

  add(low: number, high: number, work: number): void {
    const part = work / (high - low + 1);
    this.changes[low + MOST_BRICKS / 2] += part;
    this.changes[high + 1 + MOST_BRICKS / 2] -= part;
  }

  /** For each of `parts`, ascending, the first brick with this part of all work before it. */
  quantiles(parts: readonly number[]): number[] {
    const sums = new Float64Array(MOST_BRICKS + 1);
    let here = 0;
    for (let brick = 0; brick < MOST_BRICKS; brick++) {
      here += this.changes[brick];
      // Rounding may leave a small negative number.
      sums[brick + 1] = sums[brick] + Math.max(0, here);
    }
    let brick = 0;
    return parts.map((part) => {
      while (brick < MOST_BRICKS && sums[brick] < part * sums[MOST_BRICKS]) brick++;
      return brick - MOST_BRICKS / 2;
    });
  }
}

/** The slab of one share; `sets` exist already. If `fill`, insides count. */
export function slabOf(
  meshes: readonly Model[],
  sets: readonly CubeSet[],
  { precision, fill }: CutOptions,
  { index, count }: Shard,
): Slab {
  const axis = longestAxis(meshes, sets, precision);
  const profile = new Profile();
  for (const mesh of meshes) addMesh(profile, mesh, axis, precision, fill);
  for (const { keys } of sets)
    for (let at = 0; at < keys.length; at += 2) {
      const brick = brickCell(keys[at], keys[at + 1], axis) / CELLS;
      profile.add(brick, brick, 1);
    }
  const [first, end] = profile.quantiles([(index - 1) / count, index / count]);
  return {
    axis,
    first: index === 1 ? Number.NEGATIVE_INFINITY : first,
    end: index === count ? Number.POSITIVE_INFINITY : end,
  };
}

function addMesh(profile: Profile, mesh: Model, axis: number, precision: number, fill: boolean): void {
  const [p, q] = [(axis + 1) % 3, (axis + 2) % 3];
  for (let t = 0; t < mesh.triangles.length; t += 3) {
    const u = widthOf(mesh, t, p, precision);
    const v = widthOf(mesh, t, q, precision);
    const w = widthOf(mesh, t, axis, precision);
    profile.add(range[0], range[1], 1 + u * v + v * w + w * u);
  }
  if (!fill) return;
  const box = [0, 1, 2].map((k) => boxOf(mesh, k, precision));
  const volume = box.reduce((product, [low, high]) => product * (high - low + 1), 1);
  profile.add(box[axis][0], box[axis][1], volume);
}

function widthOf(mesh: Model, t: number, axis: number, precision: number): number {
  rangeOf(mesh, t, axis, precision);
  return range[1] - range[0] + 1;
}

function boxOf({ positions, triangles }: Model, axis: number, precision: number): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const vertex of triangles) {
    low = Math.min(low, positions[3 * vertex + axis]);
    high = Math.max(high, positions[3 * vertex + axis]);
  }
  return [brickOf(low, precision), brickOf(high, precision)];
}

/** The axis along which all models together have most bricks; the first in a tie. */
function longestAxis(meshes: readonly Model[], sets: readonly CubeSet[], precision: number): number {
  let longest = 0;
  let most = -1;
  for (let axis = 0; axis < 3; axis++) {
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    const take = (first: number, last: number): void => {
      low = Math.min(low, first);
      high = Math.max(high, last);
    };
    for (const mesh of meshes) take(...boxOf(mesh, axis, precision));
    for (const { keys } of sets)
      for (let at = 0; at < keys.length; at += 2) {
        const brick = brickCell(keys[at], keys[at + 1], axis) / CELLS;
        take(brick, brick);
      }
    if (high - low <= most) continue;
    most = high - low;
    longest = axis;
  }
  return longest;
}

/** Triangles that may have cubes in a slab (all if insides count and any is in it), or null. */
export function meshInSlab(mesh: Model, { axis, first, end }: Slab, { precision, fill }: CutOptions): Model | null {
  if (fill) {
    const [low, high] = boxOf(mesh, axis, precision);
    return low < end && high >= first ? mesh : null;
  }
  const { positions, triangles } = mesh;
  const kept: number[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    rangeOf(mesh, t, axis, precision);
    if (range[0] < end && range[1] >= first) kept.push(triangles[t], triangles[t + 1], triangles[t + 2]);
  }
  if (kept.length === triangles.length) return mesh;
  return kept.length === 0 ? null : { positions, triangles: Uint32Array.from(kept) };
}

export function cubesInSlab({ precision, keys, masks }: CubeSet, { axis, first, end }: Slab): CubeSet {
  const kept = { precision, keys: new Uint32Array(keys.length), masks: new Uint32Array(keys.length) };
  let count = 0;
  for (let at = 0; at < keys.length; at += 2) {
    const brick = brickCell(keys[at], keys[at + 1], axis) / CELLS;
    if (!(brick >= first && brick < end)) continue;
    for (let word = 0; word < 2; word++, count++) {
      kept.keys[count] = keys[at + word];
      kept.masks[count] = masks[at + word];
    }
  }
  return { precision, keys: kept.keys.slice(0, count), masks: kept.masks.slice(0, count) };
}
