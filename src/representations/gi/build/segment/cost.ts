/** Costs of charts by number and shape, compared in merging and halving. */
import type { Patch } from './patch.ts';

/** Perimeter squared over area: 12.6 for a flat disk, 16 for a square, 6.3 for half a sphere. */
const BEST_RATIO = 14;

const COUNT_WEIGHT = 0.7;

/** Area times the distance from the best ratio; long charts cost more than socks. */
export function shapeCost(area: number, perimeter: number): number {
  const square = perimeter * perimeter;
  const ratio = square / BEST_RATIO;
  return ratio > area ? (ratio * ratio) / (area + 1e-6 * ratio) : (area * area) / ratio;
}

/**
 * Cost of a disk (V - E + F = 1) or a tube (0). A tube is about as long as its area over half its
 * two rims, and gives two charts of that length. `share` is the area of a chart if there were as
 * many as wanted.
 */
export function regionCost(euler: number, area: number, perimeter: number, share: number): number {
  if (euler === 1) return COUNT_WEIGHT * share + shapeCost(area, perimeter);
  return 2 * (COUNT_WEIGHT * share + shapeCost(area / 2, perimeter / 2 + (4 * area) / perimeter));
}

export function measure({ twin, length, area: areas }: Patch, label: Int32Array, count: number) {
  const area = new Float64Array(count);
  const perimeter = new Float64Array(count);
  for (let h = 0; h < twin.length; h++) {
    const own = label[(h / 3) | 0];
    if (twin[h] < 0 || label[(twin[h] / 3) | 0] !== own) perimeter[own] += length[h];
  }
  for (let t = 0; t < label.length; t++) area[label[t]] += areas[t];
  return { area, perimeter };
}

export function totalCost(patch: Patch, label: Int32Array, euler: number[], wanted: number): number {
  const { area, perimeter } = measure(patch, label, euler.length);
  let total = 0;
  for (let i = 0; i < euler.length; i++) total += area[i];
  let cost = 0;
  for (let i = 0; i < euler.length; i++) cost += regionCost(euler[i], area[i], perimeter[i], total / wanted);
  return cost;
}
