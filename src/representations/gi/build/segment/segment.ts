/**
 * Cuts a surface into charts: regions of triangles that are disks, few, compact, with smooth seams.
 *
 * A region is cut into cells (cells.ts), which are merged while that lowers the cost (merge.ts).
 * Tubes are cut lengthwise in two (tubes.ts). Moves that keep every region's topology smooth the
 * seams (smooth.ts). Disks longer than 1 to 8 are halved at last (halves.ts).
 */
import type { ManifoldMesh } from '../../../../mesh/manifold.ts';
import { fragments } from './cells.ts';
import { measure, totalCost } from './cost.ts';
import { bisect, halves } from './halves.ts';
import { merge } from './merge.ts';
import { createPatch, MANY, type Patch, partOf, split } from './patch.ts';
import { gather, measureTopology } from './regions.ts';
import { balance, smooth } from './smooth.ts';
import { halveTubes } from './tubes.ts';

/** Halve charts above this perimeter squared over area, that of a rectangle of 1 to 8. */
const LONG_RATIO = 40;

/** Smaller regions are long because their triangles are. */
const LONG_TRIANGLES = 64;

const DENSITIES = [1, 2, 4];

const BALANCE_ROUNDS = 4;

/** Cuts a connected region into few, compact, ascending disks, none with two boundary edges. */
export const cutIntoDisks = (mesh: ManifoldMesh, triangles: Int32Array, onStep?: () => void): Int32Array[] =>
  cutIntoFewDisks(mesh, triangles, Number.POSITIVE_INFINITY, onStep)!;

/** Returns null for more than `most`. If the fewest cells give more, no other density is tried. */
export function cutIntoFewDisks(
  mesh: ManifoldMesh,
  triangles: Int32Array,
  most: number,
  onStep?: () => void,
): Int32Array[] | null {
  const { eulerCharacteristic, genus, boundaryLoops, border } = measureTopology(mesh, triangles);
  // A sphere only needs halves. A disk with two boundary edges cannot be laid flat.
  if (eulerCharacteristic === 2 || (eulerCharacteristic === 1 && border === 2)) return bisect(mesh, triangles);
  if (eulerCharacteristic === 1) return [Int32Array.from(triangles).sort()];
  const patch = createPatch(mesh, triangles);
  const wanted = Math.max(2, 4 * genus + boundaryLoops);
  let best: Int32Array | null = null;
  let bestCount = 0;
  let bestCost = Number.POSITIVE_INFINITY;
  const isLarge = triangles.length > MANY;
  // A region that is one tube is only halved.
  const isTube = eulerCharacteristic === 0 && boundaryLoops === 2;
  for (const density of isLarge || isTube ? [2] : DENSITIES) {
    const label = new Int32Array(patch.area.length);
    const euler = isTube
      ? [0]
      : merge(patch, label, fragments(mesh, patch, eulerCharacteristic, label, 0, density), wanted);
    // A tube becomes two disks. Smoothing, the slowest step, leaves no fewer.
    if (best === null && euler.reduce((sum, kind) => sum + 2 - kind, 0) > most) return null;
    onStep?.();
    smooth(patch, label, euler.length);
    onStep?.();
    let cost = totalCost(patch, label, euler, wanted);
    for (let round = 0; euler.length > 1 && round < (isLarge ? 1 : BALANCE_ROUNDS); round++) {
      const balanced = label.slice();
      balance(patch, balanced, euler.length);
      smooth(patch, balanced, euler.length);
      onStep?.();
      const newCost = totalCost(patch, balanced, euler, wanted);
      if (newCost >= cost) break;
      cost = newCost;
      label.set(balanced);
    }
    let count = halveTubes(mesh, patch, label, euler);
    if (count > euler.length) smooth(patch, label, count);
    count = shortenLong(mesh, patch, label, count);
    cost = totalCost(patch, label, new Array(count).fill(1), wanted);
    if (cost >= bestCost) continue;
    bestCost = cost;
    best = label;
    bestCount = count;
  }
  if (bestCount > most) return null;
  return split(patch, best!, bestCount).sort((one, other) => one[0] - other[0]);
}

function shortenLong(mesh: ManifoldMesh, patch: Patch, label: Int32Array, labels: number): number {
  let count = labels;
  for (let round = 0; round < 2; round++) {
    const { area, perimeter } = measure(patch, label, count);
    const sizes = new Int32Array(count);
    for (let t = 0; t < label.length; t++) sizes[label[t]]++;
    const isLong = (i: number) => perimeter[i] * perimeter[i] > LONG_RATIO * area[i] && sizes[i] > LONG_TRIANGLES;
    const before = count;
    const parts = gather(label, null, sizes);
    for (let i = 0; i < before; i++) {
      if (!isLong(i)) continue;
      const part = partOf(mesh, patch, parts[i]);
      const half = halves(part);
      smooth(part, half, 2);
      for (let t = 0; t < half.length; t++) if (half[t] === 1) label[parts[i][t]] = count;
      count++;
    }
    if (count === before) break;
  }
  return count;
}
