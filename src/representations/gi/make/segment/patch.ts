/**
 * A region of a surface with its own numbers, with the data for cutting it: fans, lengths, creases,
 * areas, and distances. Merging and halving compare the costs of charts by number and shape.
 */
import type { ManifoldMesh } from '../../../../mesh/manifold.ts';
import { gather, localTwins, numberFans } from './regions.ts';

/** Numbers start at 0: triangles ascend as in the mesh, with half-edge 3t + k. */
export interface Patch {
  source: Int32Array;
  twin: Int32Array;
  fan: Int32Array;
  isInner: Uint8Array;
  /** Per half-edge; lengths and areas are those of the patch at about unit size. */
  length: Float64Array;
  /** Extra distance across each edge, for its crease. */
  crease: Float64Array;
  area: Float64Array;
  middle: Float64Array;
  /** See `grow`; not 0. */
  bucketWidth: number;
}

/** Extra distance across a crease of angle a, times (1 - cos a), so that cells end there. */
const CREASE = 4;

/** Range of distances in a bucket, relative to the mean edge. */
const BUCKET = 0.25;

/** Larger regions are tried with one density only, and moved less. */
export const MANY = 50_000;

export function createPatch(mesh: ManifoldMesh, triangles: Int32Array): Patch {
  const source = Int32Array.from(triangles).sort();
  const twin = localTwins(mesh, source);
  const { fan, isInner } = numberFans(twin);
  const count = source.length;
  const length = new Float64Array(3 * count);
  const crease = new Float64Array(3 * count);
  const area = new Float64Array(count);
  const middle = new Float64Array(3 * count);
  const normal = new Float64Array(3 * count);
  const p = unitPositions(mesh, source);
  for (let t = 0; t < count; t++) {
    const a = 9 * t;
    const b = a + 3;
    const c = a + 6;
    const ux = p[b] - p[a];
    const uy = p[b + 1] - p[a + 1];
    const uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a];
    const vy = p[c + 1] - p[a + 1];
    const vz = p[c + 2] - p[a + 2];
    const wx = vx - ux;
    const wy = vy - uy;
    const wz = vz - uz;
    length[3 * t] = Math.sqrt(ux * ux + uy * uy + uz * uz);
    length[3 * t + 1] = Math.sqrt(wx * wx + wy * wy + wz * wz);
    length[3 * t + 2] = Math.sqrt(vx * vx + vy * vy + vz * vz);
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    const twice = Math.sqrt(nx * nx + ny * ny + nz * nz);
    area[t] = twice / 2;
    if (twice > 0) {
      normal[3 * t] = nx / twice;
      normal[3 * t + 1] = ny / twice;
      normal[3 * t + 2] = nz / twice;
    }
    for (let k = 0; k < 3; k++) middle[3 * t + k] = (p[a + k] + p[b + k] + p[c + k]) / 3;
  }
  for (let h = 0; h < 3 * count; h++) {
    const g = twin[h];
    if (g < h) continue;
    const i = 3 * ((h / 3) | 0);
    const j = 3 * ((g / 3) | 0);
    const dx = middle[i] - middle[j];
    const dy = middle[i + 1] - middle[j + 1];
    const dz = middle[i + 2] - middle[j + 2];
    const cosine = normal[i] * normal[j] + normal[i + 1] * normal[j + 1] + normal[i + 2] * normal[j + 2];
    const way = Math.sqrt(dx * dx + dy * dy + dz * dz);
    crease[h] = crease[g] = CREASE * (1 - Math.min(1, cosine)) * way;
  }
  let total = 0;
  for (let h = 0; h < 3 * count; h++) total += length[h];
  const bucketWidth = total > 0 ? (BUCKET * total) / (3 * count) : 1;
  return { source, twin, fan, isInner, length, crease, area, middle, bucketWidth };
}

/** Triangle corners, 9 numbers each, scaled to be squared: the largest is 1 unless all are 0. */
function unitPositions(mesh: ManifoldMesh, source: Int32Array): Float64Array {
  const corners = new Float64Array(9 * source.length);
  let largest = 0;
  for (let t = 0; t < source.length; t++) {
    for (let k = 0; k < 3; k++) {
      const v = 3 * mesh.triangles[3 * source[t] + k];
      for (let axis = 0; axis < 3; axis++) {
        const x = mesh.positions[v + axis];
        corners[9 * t + 3 * k + axis] = x;
        if (Math.abs(x) > largest) largest = Math.abs(x);
      }
    }
  }
  if (largest > 0) for (let i = 0; i < corners.length; i++) corners[i] /= largest;
  return corners;
}

export function partOf(mesh: ManifoldMesh, patch: Patch, part: Int32Array): Patch {
  return createPatch(
    mesh,
    Int32Array.from(part, (t) => patch.source[t]),
  );
}

export function split(patch: Patch, label: Int32Array, count: number): Int32Array[] {
  const sizes = new Int32Array(count);
  for (let t = 0; t < label.length; t++) sizes[label[t]]++;
  return gather(label, patch.source, sizes);
}

/** V - E + F of every cell. */
export function eulerOfCells({ twin, fan, isInner }: Patch, label: Int32Array, count: number): Float64Array {
  const euler = new Float64Array(count);
  const labelOf = new Int32Array(isInner.length).fill(-1);
  for (let h = 0; h < twin.length; h++) {
    const own = label[(h / 3) | 0];
    if (twin[h] < 0 || label[(twin[h] / 3) | 0] !== own) euler[own] += 0.5;
    const f = fan[h];
    if (labelOf[f] === -1) labelOf[f] = own;
    else if (labelOf[f] !== own) labelOf[f] = -2;
  }
  for (let t = 0; t < label.length; t++) euler[label[t]] -= 0.5;
  for (let f = 0; f < isInner.length; f++) if (isInner[f] === 1 && labelOf[f] >= 0) euler[labelOf[f]]++;
  return euler;
}

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
 * Cost of a disk (V - E + F = 1) or a tube (0). The length of a tube is about its area over half
 * its two rims, and it gives two charts of that length. `share` is the area of a chart if there
 * were as many as wanted.
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

/** Steps of a chord, along which distances are measured: between middles they would zigzag. */
const CHORD = 8;

/** Buckets ahead of the front, a power of two. Entries farther ahead wait in a list. */
const BUCKETS = 1024;

interface Queue {
  /** Entries: a triangle, and the next entry of its bucket or list, or -1. */
  triangle: Int32Array;
  link: Int32Array;
  entries: number;
  /** First entry of each bucket, -1 if empty, and its last. */
  head: Int32Array;
  tail: Int32Array;
  inBuckets: number;
  waiting: number;
  current: number;
}

const createQueue = (entries: number): Queue => ({
  triangle: new Int32Array(entries),
  link: new Int32Array(entries),
  entries: 0,
  head: new Int32Array(BUCKETS).fill(-1),
  tail: new Int32Array(BUCKETS),
  inBuckets: 0,
  waiting: -1,
  current: 0,
});

function enqueue(queue: Queue, entry: number, bucket: number): void {
  const { link, head, tail } = queue;
  if (bucket >= queue.current + BUCKETS - 1) {
    link[entry] = queue.waiting;
    queue.waiting = entry;
    return;
  }
  const slot = bucket & (BUCKETS - 1);
  link[entry] = -1;
  if (head[slot] < 0) head[slot] = entry;
  else link[tail[slot]] = entry;
  tail[slot] = entry;
  queue.inBuckets++;
}

function recall(queue: Queue, distance: Float64Array, isDone: Uint8Array, bucketWidth: number): void {
  const { triangle, link } = queue;
  if (queue.inBuckets === 0) {
    let nearest = Number.POSITIVE_INFINITY;
    for (let e = queue.waiting; e >= 0; e = link[e]) nearest = Math.min(nearest, distance[triangle[e]]);
    queue.current = Math.floor(nearest / bucketWidth);
  }
  let entry = queue.waiting;
  queue.waiting = -1;
  while (entry >= 0) {
    const after = link[entry];
    const t = triangle[entry];
    if (isDone[t] === 0) enqueue(queue, entry, Math.max(queue.current, Math.floor(distance[t] / bucketWidth)));
    entry = after;
  }
}

/**
 * Grows seeds: every triangle gets a distance, and the label of the seed that reaches it. Each
 * label stays connected if its seeds are: no triangle changes after others were reached from it.
 *
 * Dijkstra with buckets (R. Dial, "Algorithm 360", CACM 12(11), 1969), each in order of arrival. A
 * heap has the exact order, but took twice as long. `distance` is infinite except at seeds.
 */
export function grow(patch: Patch, distance: Float64Array, label: Int32Array): void {
  const { twin, crease, middle, bucketWidth } = patch;
  const n = distance.length;
  // The path to a triangle is that to its anchor plus a straight line.
  const anchor = new Int32Array(n);
  const toAnchor = new Float64Array(n);
  const steps = new Uint8Array(n);
  const isDone = new Uint8Array(n);
  // A triangle enters once at first, and once for each neighbor.
  const queue = createQueue(4 * n);
  const { triangle, link, head } = queue;
  for (let t = n - 1; t >= 0; t--) {
    if (distance[t] === Number.POSITIVE_INFINITY) continue;
    anchor[t] = t;
    toAnchor[t] = distance[t];
    triangle[queue.entries] = t;
    link[queue.entries] = queue.waiting;
    queue.waiting = queue.entries++;
  }
  for (; queue.waiting >= 0 || queue.inBuckets > 0; queue.current++) {
    if (queue.waiting >= 0 && (queue.inBuckets === 0 || queue.current % BUCKETS === 0)) {
      recall(queue, distance, isDone, bucketWidth);
    }
    const slot = queue.current & (BUCKETS - 1);
    while (head[slot] >= 0) {
      const entry = head[slot];
      head[slot] = link[entry];
      queue.inBuckets--;
      const t = triangle[entry];
      if (isDone[t] === 1) continue;
      isDone[t] = 1;
      if (steps[t] === CHORD) {
        steps[t] = 0;
        anchor[t] = t;
        toAnchor[t] = distance[t];
      }
      const a = 3 * anchor[t];
      for (let h = 3 * t; h < 3 * t + 3; h++) {
        const g = twin[h];
        if (g < 0) continue;
        const neighbour = (g / 3) | 0;
        if (isDone[neighbour] === 1) continue;
        const dx = middle[3 * neighbour] - middle[a];
        const dy = middle[3 * neighbour + 1] - middle[a + 1];
        const dz = middle[3 * neighbour + 2] - middle[a + 2];
        const before = toAnchor[t] + crease[h];
        const further = before + Math.sqrt(dx * dx + dy * dy + dz * dz);
        if (further >= distance[neighbour]) continue;
        distance[neighbour] = further;
        label[neighbour] = label[t];
        anchor[neighbour] = anchor[t];
        toAnchor[neighbour] = before;
        steps[neighbour] = steps[t] + 1;
        triangle[queue.entries] = neighbour;
        enqueue(queue, queue.entries++, Math.max(queue.current, Math.floor(further / bucketWidth)));
      }
    }
  }
}

export function growFrom(patch: Patch, distance: Float64Array, label: Int32Array, seed: number): void {
  distance.fill(Number.POSITIVE_INFINITY);
  distance[seed] = 0;
  grow(patch, distance, label);
}

/** The index of the largest distance; in a tie, the lowest. */
export function furthest(distance: Float64Array): number {
  let best = 0;
  for (let t = 1; t < distance.length; t++) if (distance[t] > distance[best]) best = t;
  return best;
}
