/**
 * Cuts a surface into charts: regions of triangles that are disks, few, compact, with smooth seams.
 *
 * A region is cut into cells (cells.ts), which are merged while that lowers the cost (`merge`).
 * Tubes are cut lengthwise in two (tubes.ts). Moves that keep every region's topology smooth the
 * seams (smooth.ts). Disks longer than 1 to 8 are halved at last (halves.ts).
 */
import type { ManifoldMesh } from '../../../../mesh/manifold.ts';
import { fragments } from './cells.ts';
import { bisect, halves } from './halves.ts';
import { createPatch, MANY, measure, type Patch, partOf, regionCost, split, totalCost } from './patch.ts';
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

/*
 * Merges regions, the best pair first, while the union is a disk or a tube and the shape is better.
 *
 * Two disks share s edges, and j vertices that become inner ones in the union. By regions.ts, b
 * falls by 2 s and I grows by j, so the union has
 *   V - E + F = 2 - s + j
 * So disks merge to a disk exactly if j = s - 1, and to a tube if j = s - 2. The same holds for
 * disks and tubes, with other numbers than 1 + 1 for the 2. If the sum is 0, the union is a tube if
 * it has a rim:
 *   2 genus + loops = 2
 *
 * Merging only disks was tried first. It gets stuck with two to five times as many charts
 * (fertility 43, knot 54): around a tube, no two disks are left that meet in one arc.
 */

interface Seam {
  edges: number;
  /** Vertices that become inner ones of the union. */
  vertices: number;
  length: number;
}

interface Regions {
  euler: number[];
  area: Float64Array;
  perimeter: Float64Array;
  rimEdges: Int32Array;
  /** By neighbor; the same record on both sides. */
  seams: Map<number, Seam>[];
  /** Regions around each vertex where more than two meet. */
  junctions: Set<Set<number>>[];
  into: Int32Array;
}

function seamOf({ seams }: Regions, i: number, j: number): Seam {
  let seam = seams[i].get(j);
  if (seam === undefined) {
    seam = { edges: 0, vertices: 0, length: 0 };
    seams[i].set(j, seam);
    seams[j].set(i, seam);
  }
  return seam;
}

function regionsOf(patch: Patch, label: Int32Array, pieces: number[]): Regions {
  const { twin, fan, isInner, length } = patch;
  const count = pieces.length;
  const regions: Regions = {
    euler: pieces.slice(),
    area: new Float64Array(count),
    perimeter: new Float64Array(count),
    rimEdges: new Int32Array(count),
    seams: Array.from({ length: count }, () => new Map()),
    junctions: Array.from({ length: count }, () => new Set()),
    into: Int32Array.from(pieces, (_, i) => i),
  };
  for (let t = 0; t < label.length; t++) regions.area[label[t]] += patch.area[t];
  const meeting: Set<number>[] = [];
  const meetingOf = new Int32Array(isInner.length).fill(-1);
  for (let h = 0; h < twin.length; h++) {
    const own = label[(h / 3) | 0];
    const other = twin[h] < 0 ? -1 : label[(twin[h] / 3) | 0];
    if (own === other) continue;
    regions.perimeter[own] += length[h];
    regions.rimEdges[own]++;
    if (other < 0) continue;
    if (h < twin[h]) {
      const seam = seamOf(regions, own, other);
      seam.edges++;
      seam.length += length[h];
    }
    const f = fan[h];
    if (isInner[f] === 0) continue;
    if (meetingOf[f] < 0) meetingOf[f] = meeting.push(new Set()) - 1;
    meeting[meetingOf[f]].add(own).add(other);
  }
  for (const labels of meeting) {
    const [i, j] = labels;
    if (labels.size > 2) for (const region of labels) regions.junctions[region].add(labels);
    else seamOf(regions, i, j).vertices++;
  }
  return regions;
}

/**
 * Each region's best merge with a higher one. Only the union and its neighbors need updates:
 * checking all pairs took nine tenths of a build with thousands of regions.
 */
interface Offers {
  /** Savings of the union, below 0; 0 if there are none. */
  score: Float64Array;
  partner: Int32Array;
}

function offer(regions: Regions, cost: Float64Array, share: number, i: number, offers: Offers): void {
  const { euler, area, perimeter, rimEdges, seams } = regions;
  let best = 0;
  let partner = -1;
  for (const [j, seam] of seams[i]) {
    if (j < i) continue;
    const kind = euler[i] + euler[j] - seam.edges + seam.vertices;
    // Neither a sphere nor a torus: they have no rim.
    if (kind < 0 || kind > 1 || rimEdges[i] + rimEdges[j] === 2 * seam.edges) continue;
    const rim = perimeter[i] + perimeter[j] - 2 * seam.length;
    const score = regionCost(kind, area[i] + area[j], rim, share) - cost[i] - cost[j];
    if (score < best) {
      best = score;
      partner = j;
    }
  }
  offers.score[i] = best;
  offers.partner[i] = partner;
}

function bestOffer({ score }: Offers): number {
  let best = -1;
  let least = 0;
  for (let i = 0; i < score.length; i++) {
    if (score[i] >= least) continue;
    least = score[i];
    best = i;
  }
  return best;
}

function join(regions: Regions, left: number, right: number): void {
  const { euler, area, perimeter, rimEdges, seams, junctions, into } = regions;
  const between = seams[left].get(right)!;
  into[right] = left;
  area[left] += area[right];
  perimeter[left] += perimeter[right] - 2 * between.length;
  euler[left] += euler[right] - between.edges + between.vertices;
  rimEdges[left] += rimEdges[right] - 2 * between.edges;
  seams[left].delete(right);
  for (const [j, seam] of seams[right]) {
    if (j === left) continue;
    seams[j].delete(right);
    const joined = seamOf(regions, left, j);
    joined.edges += seam.edges;
    joined.vertices += seam.vertices;
    joined.length += seam.length;
  }
  for (const junction of junctions[right]) {
    junction.delete(right);
    junction.add(left);
    if (junction.size > 2) {
      junctions[left].add(junction);
      continue;
    }
    const [i, j] = junction;
    seamOf(regions, i, j).vertices++;
    junctions[i].delete(junction);
    junctions[j].delete(junction);
  }
}

function relabel(into: Int32Array, label: Int32Array): void {
  const number = new Int32Array(into.length).fill(-1);
  let kept = 0;
  for (let i = 0; i < into.length; i++) if (into[i] === i) number[i] = kept++;
  for (let i = 0; i < into.length; i++) {
    let root = i;
    while (into[root] !== root) root = into[root];
    number[i] = number[root];
  }
  for (let t = 0; t < label.length; t++) label[t] = number[label[t]];
}

/** Merges disks and tubes while that costs less, best first. `pieces` and result: V - E + F. */
export function merge(patch: Patch, label: Int32Array, pieces: number[], wanted: number): number[] {
  const regions = regionsOf(patch, label, pieces);
  const { euler, area, perimeter, into } = regions;
  let total = 0;
  for (let i = 0; i < area.length; i++) total += area[i];
  const share = total / wanted;
  const cost = new Float64Array(area.length);
  for (let i = 0; i < cost.length; i++) cost[i] = regionCost(euler[i], area[i], perimeter[i], share);
  const offers = { score: new Float64Array(cost.length), partner: new Int32Array(cost.length) };
  for (let i = 0; i < cost.length; i++) offer(regions, cost, share, i, offers);
  for (let left = bestOffer(offers); left >= 0; left = bestOffer(offers)) {
    const right = offers.partner[left];
    join(regions, left, right);
    cost[left] = regionCost(euler[left], area[left], perimeter[left], share);
    offers.score[right] = 0;
    offer(regions, cost, share, left, offers);
    for (const neighbour of regions.seams[left].keys()) offer(regions, cost, share, neighbour, offers);
  }
  relabel(into, label);
  return euler.filter((_, i) => into[i] === i);
}
