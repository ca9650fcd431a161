/**
 * Cells around seeds that are far apart, each a disk or a tube: the pieces that regions are merged
 * from.
 *
 * Cells grow from seeds by Dijkstra over the dual graph, the seeds as far apart as possible
 * (spread-seeds.ts). Seeds then move to their cells' middles (S. Lloyd, "Least squares quantization
 * in PCM", 1982), as charts do in P. Sander et al., "Multi-Chart Geometry Images", SGP 2003. Cells
 * that are neither disks nor tubes are cut again.
 */
import type { ManifoldMesh } from '../../../../mesh/manifold.ts';
import { eulerOfCells, grow, MANY, type Patch, partOf } from './patch.ts';
import { gather } from './regions.ts';
import { spreadSeeds } from './spread-seeds.ts';

const CELL_ROUNDS = 2;

function cells(patch: Patch, count: number): Int32Array {
  const n = patch.area.length;
  const label = new Int32Array(n);
  const distance = new Float64Array(n);
  const seeds = spreadSeeds(patch.middle, count);
  for (let round = 0; ; round++) {
    distance.fill(Number.POSITIVE_INFINITY);
    for (let i = 0; i < count; i++) {
      distance[seeds[i]] = 0;
      label[seeds[i]] = i;
    }
    grow(patch, distance, label);
    if (round === (n > MANY ? 1 : CELL_ROUNDS)) return label;
    moveToMiddles(patch, label, seeds);
  }
}

function moveToMiddles(patch: Patch, label: Int32Array, seeds: Int32Array): void {
  const { area, middle } = patch;
  const centre = new Float64Array(3 * seeds.length);
  const weight = new Float64Array(seeds.length);
  for (let t = 0; t < area.length; t++) {
    const i = label[t];
    weight[i] += area[t];
    for (let k = 0; k < 3; k++) centre[3 * i + k] += area[t] * middle[3 * t + k];
  }
  const best = new Float64Array(seeds.length).fill(Number.POSITIVE_INFINITY);
  for (let t = 0; t < area.length; t++) {
    const i = label[t];
    if (weight[i] === 0) continue;
    const dx = middle[3 * t] - centre[3 * i] / weight[i];
    const dy = middle[3 * t + 1] - centre[3 * i + 1] / weight[i];
    const dz = middle[3 * t + 2] - centre[3 * i + 2] / weight[i];
    const d2 = dx * dx + dy * dy + dz * dz;
    if (d2 >= best[i]) continue;
    best[i] = d2;
    seeds[i] = t;
  }
}

/** Cuts a patch into disks and, if `least` is 0, tubes. Returns V - E + F of each. */
export function fragments(
  mesh: ManifoldMesh,
  patch: Patch,
  eulerCharacteristic: number,
  label: Int32Array,
  least: number,
  density: number,
): number[] {
  const found: number[] = [];
  const numbers = new Int32Array(patch.area.length);
  for (let t = 0; t < numbers.length; t++) numbers[t] = t;
  const waiting: { patch: Patch; within: Int32Array; euler: number }[] = [
    { patch, within: numbers, euler: eulerCharacteristic },
  ];
  for (let region = waiting.pop(); region !== undefined; region = waiting.pop()) {
    const n = region.within.length;
    const seeds = Math.min(n, density * (8 + 4 * Math.max(0, 1 - region.euler)));
    const cell = cells(region.patch, seeds);
    const euler = eulerOfCells(region.patch, cell, seeds);
    const sizes = new Int32Array(seeds);
    for (let t = 0; t < n; t++) sizes[cell[t]]++;
    const parts = gather(cell, region.within, sizes);
    for (let i = 0; i < seeds; i++) {
      if (euler[i] >= least) {
        for (const t of parts[i]) label[t] = found.length;
        found.push(euler[i]);
      } else waiting.push({ patch: partOf(mesh, patch, parts[i]), within: parts[i], euler: euler[i] });
    }
  }
  return found;
}
