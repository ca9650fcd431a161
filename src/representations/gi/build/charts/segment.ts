/**
 * Cuts a surface into charts: regions of triangles that are disks, few, compact, with smooth seams.
 *
 * Cells are grown from seeds by Dijkstra over the dual graph, seeds as far apart as they get (T. Gonzalez, "Clustering to
 * minimize the maximum intercluster distance", TCS 38, 1985), then moved to their cells' middles (S. Lloyd, "Least squares
 * quantization in PCM", 1982), as charts are in P. Sander et al., "Multi-Chart Geometry Images", SGP 2003. Cells that are
 * neither disks nor tubes are cut again; then regions are merged, the best pair first, as long as the union is a disk or a
 * tube and its shape worth it; tubes are cut lengthwise in two; and seams are smoothed by moves that keep every region's
 * topology. Merging disks only was tried first: it gets stuck with twice to five times as many charts (fertility 43, knot
 * 54), since around a tube no two disks are left that meet in one arc. Disks longer than 1 to 8 are halved at last.
 *
 * A region is what its triangles are when glued across the edges that two of them share, and across nothing else: a vertex
 * that it meets in two fans counts twice. It is a manifold with border then. With F triangles, b border edges and I inner
 * vertices, it has as many border vertices as border edges, so
 *
 *   V - E + F = (I + b) - (3 F + b) / 2 + F = I + (b - F) / 2,
 *
 * and V - E + F = 2 - 2 genus - loops if it is connected: a connected region is a disk exactly where that is 1.
 *
 * Two disks that share s edges, and j vertices that become inner ones when both are one region, have a union with
 * V - E + F = 2 - s + j: b sinks by 2 s, I grows by j. So disks merge to a disk exactly where j = s - 1, and to a tube where
 * j = s - 2; with other numbers than 1 + 1 for the 2, so do disks and tubes. Where the sum is 0 the union is a tube if it has
 * a rim: 2 genus + loops = 2.
 *
 * A triangle moves from region A to region B, and both stay what they were, if it has
 * - one edge in A; or two, and the vertex between them was an inner one of A; and
 * - one edge in B; or two, and the vertex between them becomes an inner one of B.
 * For by the formula neither number changes: F, b and I change by 1, 1, 0 or by 1, -1, 1 and the like; and A stays
 * connected, since the triangles round an inner vertex of A are a cycle, which without one of them is a path.
 */

import type { ManifoldMesh } from '../../../../mesh/manifold.ts';
import { nextInTriangle, previousInTriangle } from '../../../../mesh/topology.ts';

/** What kind of surface a connected region is. */
export interface RegionTopology {
  /** V - E + F, every fan of the region a vertex of its own: 2 - 2 genus - boundaryLoops. */
  eulerCharacteristic: number;
  boundaryLoops: number;
  genus: number;
}

export interface Component extends RegionTopology {
  /** Triangle numbers, ascending. */
  triangles: Int32Array;
}

/** A region with numbers of its own, from 0: triangles ascend as in the mesh, half-edge 3t + k as there. */
interface Patch {
  /** The mesh's number of each triangle. */
  source: Int32Array;
  /** The other half-edge of the edge, or -1 where the region ends. */
  twin: Int32Array;
  /** The number of the fan that each corner is in. */
  fan: Int32Array;
  /** Whether the fan goes all the way round. */
  isInner: Uint8Array;
  /** Length of each half-edge; lengths and areas are those of the patch at about unit size. */
  length: Float64Array;
  /** What the way across each edge is longer by, for its crease. */
  crease: Float64Array;
  area: Float64Array;
  /** x, y, z of triangle t's centroid at 3t. */
  middle: Float64Array;
  /** See `grow`; not 0. */
  bucketWidth: number;
}

/** A crease of an angle a makes the way across longer by this times (1 - cos a), so that cells end at it. */
const CREASE = 4;

/** Triangle of the mesh -> triangle of the patch, -1 outside; all -1 between calls. */
let localOf = new Int32Array(0);

function claimLocal(count: number): void {
  if (localOf.length < count) localOf = new Int32Array(count).fill(-1);
}

/** The region's twins, in its own numbers. */
function localTwins(mesh: ManifoldMesh, source: Int32Array): Int32Array {
  claimLocal(mesh.triangles.length / 3);
  for (let t = 0; t < source.length; t++) localOf[source[t]] = t;
  const twin = new Int32Array(3 * source.length);
  for (let t = 0; t < source.length; t++) {
    for (let k = 0; k < 3; k++) {
      const g = mesh.twin[3 * source[t] + k];
      if (g < 0) {
        twin[3 * t + k] = -1;
        continue;
      }
      const triangle = (g / 3) | 0;
      const neighbour = localOf[triangle];
      twin[3 * t + k] = neighbour < 0 ? -1 : 3 * neighbour + (g - 3 * triangle);
    }
  }
  for (let t = 0; t < source.length; t++) localOf[source[t]] = -1;
  return twin;
}

/** Numbers the fans of a region: `fan` for every corner, and whether each goes all the way round. */
function numberFans(twin: Int32Array): { fan: Int32Array; isInner: Uint8Array; inner: number } {
  const fan = new Int32Array(twin.length).fill(-1);
  const isInner = new Uint8Array(twin.length);
  let fans = 0;
  let inner = 0;
  for (let corner = 0; corner < twin.length; corner++) {
    if (fan[corner] >= 0) continue;
    let h = corner;
    do {
      fan[h] = fans;
      h = twin[previousInTriangle(h)];
    } while (h >= 0 && h !== corner);
    if (h === corner) {
      isInner[fans] = 1;
      inner++;
    } else {
      for (h = twin[corner]; h >= 0; h = twin[h]) {
        h = nextInTriangle(h);
        fan[h] = fans;
      }
    }
    fans++;
  }
  return { fan, isInner: isInner.slice(0, fans), inner };
}

/** Loops of half-edges without a twin, each going on with the next one round its end. */
function countLoops(twin: Int32Array): { border: number; loops: number } {
  const seen = new Uint8Array(twin.length);
  let border = 0;
  let loops = 0;
  for (let start = 0; start < twin.length; start++) {
    if (twin[start] >= 0 || seen[start] !== 0) continue;
    loops++;
    for (let h = start; seen[h] === 0; ) {
      seen[h] = 1;
      border++;
      h = nextInTriangle(h);
      while (twin[h] >= 0) h = nextInTriangle(twin[h]);
    }
  }
  return { border, loops };
}

/**
 * What kind of surface the region is that these triangles form, which must be connected.
 *
 * @param triangles triangle numbers, each once
 * @example topologyOf(mesh, Int32Array.of(0)) // { eulerCharacteristic: 1, boundaryLoops: 1, genus: 0 }
 */
export function topologyOf(mesh: ManifoldMesh, triangles: Int32Array): RegionTopology {
  const { eulerCharacteristic, boundaryLoops, genus } = measureTopology(mesh, triangles);
  return { eulerCharacteristic, boundaryLoops, genus };
}

function measureTopology(mesh: ManifoldMesh, triangles: Int32Array): RegionTopology & { border: number } {
  const twin = localTwins(mesh, triangles);
  const { inner } = numberFans(twin);
  const { border, loops } = countLoops(twin);
  const eulerCharacteristic = inner + (border - triangles.length) / 2;
  return { eulerCharacteristic, boundaryLoops: loops, genus: (2 - loops - eulerCharacteristic) / 2, border };
}

/**
 * The pieces of a surface that hang together across edges, in the order of their first triangles. Linear.
 *
 * @example components(torus)[0].genus // 1
 */
export function components(mesh: ManifoldMesh): Component[] {
  const { twin } = mesh;
  const count = twin.length / 3;
  const number = new Int32Array(count).fill(-1);
  const queue = new Int32Array(count);
  const sizes: number[] = [];
  for (let start = 0, tail = 0; start < count; start++) {
    if (number[start] >= 0) continue;
    const first = tail;
    number[start] = sizes.length;
    queue[tail++] = start;
    for (let head = first; head < tail; head++) {
      for (let h = 3 * queue[head]; h < 3 * queue[head] + 3; h++) {
        if (twin[h] < 0) continue;
        const neighbour = (twin[h] / 3) | 0;
        if (number[neighbour] >= 0) continue;
        number[neighbour] = sizes.length;
        queue[tail++] = neighbour;
      }
    }
    sizes.push(tail - first);
  }
  return gather(number, null, sizes).map((triangles) => ({ triangles, ...topologyOf(mesh, triangles) }));
}

/** The triangles of each label, ascending. */
function gather(label: Int32Array, source: Int32Array | null, sizes: ArrayLike<number>): Int32Array[] {
  const parts = Array.from(sizes, (size) => new Int32Array(size));
  const filled = new Int32Array(parts.length);
  for (let t = 0; t < label.length; t++) parts[label[t]][filled[label[t]]++] = source === null ? t : source[t];
  return parts;
}

function split(patch: Patch, label: Int32Array, count: number): Int32Array[] {
  const sizes = new Int32Array(count);
  for (let t = 0; t < label.length; t++) sizes[label[t]]++;
  return gather(label, patch.source, sizes);
}

function createPatch(mesh: ManifoldMesh, triangles: Int32Array): Patch {
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

/** The corners of each triangle, 9 numbers, of a size that can be squared: the largest is 1 unless all are 0. */
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

/** A heap of fans, the nearest on top, ties to the lowest number; binary, with everyone's place in it. */
interface Front {
  heap: Int32Array;
  /** WAITING outside the heap, DONE after it. */
  place: Int32Array;
  size: number;
}

const WAITING = -1;
const DONE = -2;

function createFront(count: number): Front {
  return { heap: new Int32Array(count), place: new Int32Array(count).fill(WAITING), size: 0 };
}

/** Adds t, or moves it up after its distance sank. */
function raise(front: Front, distance: Float64Array, t: number): void {
  const { heap, place } = front;
  let at = place[t];
  if (at < 0) at = front.size++;
  const key = distance[t];
  while (at > 0) {
    const above = (at - 1) >> 1;
    const other = heap[above];
    if (distance[other] < key || (distance[other] === key && other < t)) break;
    heap[at] = other;
    place[other] = at;
    at = above;
  }
  heap[at] = t;
  place[t] = at;
}

function takeNearest(front: Front, distance: Float64Array): number {
  const { heap, place } = front;
  const top = heap[0];
  place[top] = DONE;
  const last = heap[--front.size];
  const { size } = front;
  if (size === 0) return top;
  const key = distance[last];
  let at = 0;
  for (;;) {
    let below = 2 * at + 1;
    if (below >= size) break;
    let other = heap[below];
    if (below + 1 < size) {
      const right = heap[below + 1];
      if (distance[right] < distance[other] || (distance[right] === distance[other] && right < other)) {
        below++;
        other = right;
      }
    }
    if (key < distance[other] || (key === distance[other] && last < other)) break;
    heap[at] = other;
    place[other] = at;
    at = below;
  }
  heap[at] = last;
  place[last] = at;
  return top;
}

/** Ways are measured along chords of this many steps: from middle to middle they would zigzag. */
const CHORD = 8;
/** Distances of triangles in one bucket differ by less than this times the mean edge. */
const BUCKET = 0.25;
/** Buckets ahead of the front; what is further ahead waits in a list. A power of two. */
const BUCKETS = 1024;

/**
 * Lets seeds grow: every triangle gets the label of the one it is reached from, and its distance. Each label's triangles are
 * connected then, if its seeds are: no triangle gets another way or label after others were reached from it.
 *
 * Dijkstra with buckets (R. Dial, "Algorithm 360", CACM 12(11), 1969), in one of which the order is that of arrival: a heap,
 * which knows the order exactly, took twice as long.
 *
 * @param distance of the seeds, infinite for all other triangles
 */
function grow(patch: Patch, distance: Float64Array, label: Int32Array): void {
  const { twin, crease, middle, bucketWidth } = patch;
  const n = distance.length;
  // The way to a triangle is that to its anchor, and a straight line on.
  const anchor = new Int32Array(n);
  const toAnchor = new Float64Array(n);
  const steps = new Uint8Array(n);
  const isDone = new Uint8Array(n);
  // Entries: a triangle and the next entry of its bucket. A triangle comes in once at first, and once for each neighbour.
  const triangle = new Int32Array(4 * n);
  const link = new Int32Array(4 * n);
  const head = new Int32Array(BUCKETS).fill(-1);
  const tail = new Int32Array(BUCKETS);
  let entries = 0;
  let waiting = -1;
  let inBuckets = 0;
  let nearest = Number.POSITIVE_INFINITY;
  for (let t = n - 1; t >= 0; t--) {
    if (distance[t] === Number.POSITIVE_INFINITY) continue;
    anchor[t] = t;
    toAnchor[t] = distance[t];
    if (distance[t] < nearest) nearest = distance[t];
    triangle[entries] = t;
    link[entries] = waiting;
    waiting = entries++;
  }
  for (let current = 0; waiting >= 0 || inBuckets > 0; current++) {
    if (inBuckets === 0) {
      // On to the nearest one of those that wait.
      nearest = Number.POSITIVE_INFINITY;
      for (let e = waiting; e >= 0; e = link[e]) nearest = Math.min(nearest, distance[triangle[e]]);
      current = Math.floor(nearest / bucketWidth);
    }
    if (waiting >= 0 && (inBuckets === 0 || current % BUCKETS === 0)) {
      let rest = -1;
      for (let e = waiting, after = 0; e >= 0; e = after) {
        after = link[e];
        const bucket = Math.max(current, Math.floor(distance[triangle[e]] / bucketWidth));
        if (isDone[triangle[e]] === 1) continue;
        if (bucket >= current + BUCKETS - 1) {
          link[e] = rest;
          rest = e;
          continue;
        }
        const slot = bucket & (BUCKETS - 1);
        link[e] = -1;
        if (head[slot] < 0) head[slot] = e;
        else link[tail[slot]] = e;
        tail[slot] = e;
        inBuckets++;
      }
      waiting = rest;
    }
    const slot = current & (BUCKETS - 1);
    while (head[slot] >= 0) {
      const entry = head[slot];
      head[slot] = link[entry];
      inBuckets--;
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
        triangle[entries] = neighbour;
        const bucket = Math.max(current, Math.floor(further / bucketWidth));
        if (bucket >= current + BUCKETS - 1) {
          link[entries] = waiting;
          waiting = entries++;
          continue;
        }
        const other = bucket & (BUCKETS - 1);
        link[entries] = -1;
        if (head[other] < 0) head[other] = entries;
        else link[tail[other]] = entries;
        tail[other] = entries++;
        inBuckets++;
      }
    }
  }
}

/** The triangle of the largest distance; the lowest number first. */
function furthest(distance: Float64Array): number {
  let best = 0;
  for (let t = 1; t < distance.length; t++) if (distance[t] > distance[best]) best = t;
  return best;
}

/** Labels a connected patch with `count` cells, at most one a triangle, each connected. */
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

/** How often seeds are moved. */
const CELL_ROUNDS = 2;

/** Triangles as far apart in space as they get, one after the other, starting with the one furthest from the first. */
function spreadSeeds(middle: Float64Array, count: number): Int32Array {
  const n = middle.length / 3;
  const nearest = new Float64Array(n).fill(Number.POSITIVE_INFINITY);
  const seeds = new Int32Array(count);
  for (let i = -1, seed = 0; i < count - 1; i++) {
    if (i === 0) nearest.fill(Number.POSITIVE_INFINITY);
    let next = -1;
    let furthest = -1;
    for (let t = 0; t < n; t++) {
      const dx = middle[3 * t] - middle[3 * seed];
      const dy = middle[3 * t + 1] - middle[3 * seed + 1];
      const dz = middle[3 * t + 2] - middle[3 * seed + 2];
      const d2 = dx * dx + dy * dy + dz * dz;
      if (d2 < nearest[t]) nearest[t] = d2;
      if (t === seed && i >= 0) nearest[t] = -1;
      if (nearest[t] <= furthest) continue;
      furthest = nearest[t];
      next = t;
    }
    seed = seeds[i + 1] = next;
  }
  return seeds;
}

/** Each cell's seed becomes its triangle nearest to the centroid of its area. */
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

/**
 * Cuts a connected region into two connected parts of about equal area, with a short and smooth seam.
 *
 * @param triangles triangle numbers, each once, two at least
 * @returns the triangles of both parts, ascending; the first part holds the lowest
 * @throws RangeError for a region of fewer than two triangles
 * @example const [left, right] = bisect(mesh, components(mesh)[0].triangles);
 */
export function bisect(mesh: ManifoldMesh, triangles: Int32Array): [Int32Array, Int32Array] {
  if (triangles.length < 2) throw new RangeError('one triangle cannot be cut in two');
  const patch = createPatch(mesh, triangles);
  const label = halves(patch);
  smooth(patch, label, 2);
  if (label[0] === 1) for (let t = 0; t < label.length; t++) label[t] = 1 - label[t];
  const [first, second] = split(patch, label, 2);
  return [first, second];
}

/**
 * Labels a connected patch with two cells of about equal area, each connected: of several pairs of seeds the one with the
 * parts of the best shape: a seam as short as can be, but no socks. Pairs lie opposite to each other on the longest rim, or as far apart as they get if there is none.
 *
 * The difference of the distances to two seeds, cut at a value of equal areas, gives cells of seeds of which one has a head
 * start. Of a disk both parts are disks, since both seeds are on the rim: were one part no disk, a closed path in it would
 * keep some of the other part from the rim; but that is connected and has its seed there.
 */
function halves(patch: Patch): Int32Array {
  const n = patch.area.length;
  const label = new Int32Array(n);
  const one = new Float64Array(n);
  const two = new Float64Array(n);
  let bestOne = 0;
  let bestTwo = 1;
  let bestStart = 0;
  let best = Number.POSITIVE_INFINITY;
  for (const [a, b] of opposites(patch)) {
    growFrom(patch, one, label, a);
    growFrom(patch, two, label, b);
    const apart = one[b];
    for (let t = 0; t < n; t++) one[t] -= two[t];
    const middle = weightedMedian(one, patch.area);
    const headStart = Math.max(-0.98 * apart, Math.min(0.98 * apart, middle));
    let areaBelow = 0;
    let area = 0;
    let rimBelow = 0;
    let rim = 0;
    let seam = 0;
    for (let h = 0; h < 3 * n; h++) {
      const g = patch.twin[h];
      const isBelow = one[(h / 3) | 0] < headStart;
      if (h % 3 === 0) {
        area += patch.area[(h / 3) | 0];
        if (isBelow) areaBelow += patch.area[(h / 3) | 0];
      }
      if (g < 0) {
        rim += patch.length[h];
        if (isBelow) rimBelow += patch.length[h];
      } else if (g > h && isBelow !== one[(g / 3) | 0] < headStart) seam += ZIGZAG * patch.length[h];
    }
    const cost = shapeCost(areaBelow, rimBelow + seam) + shapeCost(area - areaBelow, rim - rimBelow + seam);
    if (cost >= best && best < Number.POSITIVE_INFINITY) continue;
    best = cost;
    bestOne = a;
    bestTwo = b;
    bestStart = headStart;
  }
  // Both on the front from the beginning, neither can be taken by the other one: its head start is less than the way.
  one.fill(Number.POSITIVE_INFINITY);
  one[bestOne] = Math.max(0, -bestStart);
  one[bestTwo] = Math.max(0, bestStart);
  label[bestOne] = 0;
  label[bestTwo] = 1;
  grow(patch, one, label);
  return label;
}

function growFrom(patch: Patch, distance: Float64Array, label: Int32Array, seed: number): void {
  distance.fill(Number.POSITIVE_INFINITY);
  distance[seed] = 0;
  grow(patch, distance, label);
}

/** About how much shorter a seam is when it is smooth. */
const ZIGZAG = 0.8;
/** How many pairs on a rim are tried, and in regions of more than MANY triangles. */
const PAIRS = 4;
const PAIRS_OF_MANY = 2;

/** Pairs of different triangles that lie opposite to each other. */
function opposites(patch: Patch): [number, number][] {
  const n = patch.area.length;
  const label = new Int32Array(n);
  const distance = new Float64Array(n);
  const pairs: [number, number][] = [];
  const rim = longestRim(patch);
  growFrom(patch, distance, label, 0);
  if (rim.length === 0) {
    const a = furthest(distance);
    growFrom(patch, distance, label, a);
    const b = furthest(distance);
    const sum = distance.slice();
    pairs.push([a, b]);
    // And two that are far from both, and from each other.
    growFrom(patch, distance, label, b);
    for (let t = 0; t < n; t++) sum[t] = Math.min(sum[t], distance[t]);
    const c = furthest(sum);
    growFrom(patch, distance, label, c);
    const d = furthest(distance);
    pairs.push([c, d]);
    for (let t = 0; t < n; t++) sum[t] = Math.min(sum[t], distance[t]);
    growFrom(patch, distance, label, d);
    for (let t = 0; t < n; t++) sum[t] = Math.min(sum[t], distance[t]);
    const e = furthest(sum);
    growFrom(patch, distance, label, e);
    pairs.push([e, furthest(distance)]);
  } else {
    // From a far corner on, in steps of equal length.
    let total = 0;
    let start = 0;
    for (let i = 0; i < rim.length; i++) {
      total += patch.length[rim[i]];
      if (distance[(rim[i] / 3) | 0] > distance[(rim[start] / 3) | 0]) start = i;
    }
    const count = 2 * (n > MANY ? PAIRS_OF_MANY : PAIRS);
    const at = new Int32Array(count);
    let passed = 0;
    for (let i = 0, k = 0; k < count; i++) {
      const h = rim[(i + start) % rim.length];
      passed += patch.length[h];
      while (k < count && (passed * count > k * total || i >= rim.length)) at[k++] = (h / 3) | 0;
    }
    for (let k = 0; 2 * k < count; k++) pairs.push([at[k], at[k + count / 2]]);
  }
  const different = pairs.filter(([a, b]) => a !== b);
  return different.length > 0 ? different : [rimPair(rim, n)];
}

/** Two different triangles, of the rim if it has two. */
function rimPair(rim: number[], count: number): [number, number] {
  const first = rim.length > 0 ? (rim[0] / 3) | 0 : 0;
  for (const h of rim) if (((h / 3) | 0) !== first) return [first, (h / 3) | 0];
  return [first, first === 0 ? count - 1 : 0];
}

/** The half-edges of the longest loop of those without a twin, in their order. */
function longestRim({ twin, length }: Patch): number[] {
  const seen = new Uint8Array(twin.length);
  let longest: number[] = [];
  let most = -1;
  for (let start = 0; start < twin.length; start++) {
    if (twin[start] >= 0 || seen[start] !== 0) continue;
    const loop: number[] = [];
    let total = 0;
    for (let h = start; seen[h] === 0; ) {
      seen[h] = 1;
      loop.push(h);
      total += length[h];
      h = nextInTriangle(h);
      while (twin[h] >= 0) h = nextInTriangle(twin[h]);
    }
    if (total <= most) continue;
    most = total;
    longest = loop;
  }
  return longest;
}

/** A value with about half the weight on values below it. */
function weightedMedian(values: Float64Array, weights: Float64Array): number {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  let total = 0;
  for (let i = 0; i < values.length; i++) {
    if (values[i] < low) low = values[i];
    if (values[i] > high) high = values[i];
    total += weights[i];
  }
  for (let round = 0; round < 24; round++) {
    const value = (low + high) / 2;
    let below = 0;
    for (let i = 0; i < values.length; i++) if (values[i] < value) below += weights[i];
    if (2 * below < total) low = value;
    else high = value;
  }
  return (low + high) / 2;
}

/**
 * Cuts a connected region into disks, few and compact.
 *
 * @param triangles triangle numbers, each once, one at least
 * @returns the triangles of each disk, ascending, in the order of their first ones; the region itself where it is a disk.
 *          No disk's boundary is of two edges only
 * @example const charts = components(mesh).flatMap(({ triangles }) => cutIntoDisks(mesh, triangles));
 */
export function cutIntoDisks(mesh: ManifoldMesh, triangles: Int32Array): Int32Array[] {
  const { eulerCharacteristic, genus, boundaryLoops, border } = measureTopology(mesh, triangles);
  // A sphere: nothing to be decided but where the halves are. And one with a cut of one edge is a disk, but one that
  // cannot be laid flat: its boundary goes there and back.
  if (eulerCharacteristic === 2 || (eulerCharacteristic === 1 && border === 2)) return bisect(mesh, triangles);
  if (eulerCharacteristic === 1) return [Int32Array.from(triangles).sort()];
  const patch = createPatch(mesh, triangles);
  const wanted = Math.max(2, 4 * genus + boundaryLoops);
  let best: Int32Array | null = null;
  let bestCount = 0;
  let bestCost = Number.POSITIVE_INFINITY;
  const isLarge = triangles.length > MANY;
  // A region that is one tube is halved, and that is that.
  const isTube = eulerCharacteristic === 0 && boundaryLoops === 2;
  for (const density of isLarge || isTube ? [2] : DENSITIES) {
    const label = new Int32Array(patch.area.length);
    const euler = isTube
      ? [0]
      : merge(patch, label, fragments(mesh, patch, eulerCharacteristic, label, 0, density), wanted);
    smooth(patch, label, euler.length);
    let cost = totalCost(patch, label, euler, wanted);
    for (let round = 0; euler.length > 1 && round < (isLarge ? 1 : BALANCE_ROUNDS); round++) {
      const balanced = label.slice();
      balance(patch, balanced, euler.length);
      smooth(patch, balanced, euler.length);
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
  return split(patch, best!, bestCount).sort((one, other) => one[0] - other[0]);
}

/** Regions of more triangles are tried with one density only, and moved less. */
const MANY = 50_000;
/** Perimeter squared over area beyond which a chart is cut across: a rectangle of 1 to 8. */
const LONG_RATIO = 40;

/** Halves what came out too long, once or twice; returns the number of labels then. */
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

/** Smaller regions are long because their triangles are. */
const LONG_TRIANGLES = 64;

/** How many cells to start from, for each that is needed. */
const DENSITIES = [1, 2, 4];
const BALANCE_ROUNDS = 4;
/** The part of a region that is its core: what is deeper than this, for the deepest 1. */
const CORE = 0.8;

/**
 * Moves seams half way between the cores of the regions beside them, as far as regions stay what they are. A tube's core
 * is a ring.
 */
function balance(patch: Patch, label: Int32Array, count: number): void {
  const { twin } = patch;
  const n = label.length;
  const distance = new Float64Array(n).fill(Number.POSITIVE_INFINITY);
  for (let h = 0; h < 3 * n; h++) {
    const t = (h / 3) | 0;
    if (twin[h] >= 0 && label[(twin[h] / 3) | 0] === label[t]) continue;
    distance[t] = 0;
  }
  const target = label.slice();
  grow(patch, distance, target);
  const deepest = new Float64Array(count);
  for (let t = 0; t < n; t++) if (distance[t] > deepest[label[t]]) deepest[label[t]] = distance[t];
  for (let t = 0; t < n; t++) {
    target[t] = label[t];
    distance[t] = distance[t] >= CORE * deepest[label[t]] ? 0 : Number.POSITIVE_INFINITY;
  }
  grow(patch, distance, target);
  const spare = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
  moveTowards(patch, label, target, spare);
}

/** What a segmentation costs: see `regionCost`. */
function totalCost(patch: Patch, label: Int32Array, euler: number[], wanted: number): number {
  const { area, perimeter } = measure(patch, label, euler.length);
  let total = 0;
  for (let i = 0; i < euler.length; i++) total += area[i];
  let cost = 0;
  for (let i = 0; i < euler.length; i++) cost += regionCost(euler[i], area[i], perimeter[i], total / wanted);
  return cost;
}

function measure({ twin, length, area: areas }: Patch, label: Int32Array, count: number) {
  const area = new Float64Array(count);
  const perimeter = new Float64Array(count);
  for (let h = 0; h < twin.length; h++) {
    const own = label[(h / 3) | 0];
    if (twin[h] < 0 || label[(twin[h] / 3) | 0] !== own) perimeter[own] += length[h];
  }
  for (let t = 0; t < label.length; t++) area[label[t]] += areas[t];
  return { area, perimeter };
}

/**
 * Labels a patch with cells whose V - E + F is 1 or, if `least` is 0, 0: disks and tubes, for no cell is without a rim.
 *
 * @returns V - E + F of each
 */
function fragments(
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
  // Regions to cut, with what they are within `patch`.
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

function partOf(mesh: ManifoldMesh, patch: Patch, part: Int32Array): Patch {
  return createPatch(
    mesh,
    Int32Array.from(part, (t) => patch.source[t]),
  );
}

/** Cuts every tube lengthwise in two; returns the number of labels then. */
function halveTubes(mesh: ManifoldMesh, patch: Patch, label: Int32Array, euler: number[]): number {
  let count = euler.length;
  if (!euler.includes(0)) return count;
  const sizes = new Int32Array(count);
  for (let t = 0; t < label.length; t++) sizes[label[t]]++;
  const parts = gather(label, null, sizes);
  for (let i = 0; i < euler.length; i++) {
    if (euler[i] !== 0) continue;
    const tube = partOf(mesh, patch, parts[i]);
    const own = new Int32Array(parts[i].length);
    let pieces = cutLengthwise(tube, own);
    if (pieces === 0) pieces = fragments(mesh, tube, 0, own, 1, 1).length;
    for (let t = 0; t < own.length; t++) if (own[t] > 0) label[parts[i][t]] = count + own[t] - 1;
    count += pieces - 1;
  }
  return count;
}

/**
 * Cuts a tube in two along its shortest way from rim to rim and along the line between the two banks of that way, moved so
 * that the parts are of equal area: between two disks then, four sides each.
 *
 * @returns 2, with `label` 0 and 1; or 0 where the mesh is too coarse for that
 */
function cutLengthwise(patch: Patch, label: Int32Array): number {
  const n = label.length;
  const cutTwin = patch.twin.slice();
  const left = new Float64Array(n).fill(Number.POSITIVE_INFINITY);
  const right = left.slice();
  for (const h of shortestWayAcross(patch)) {
    left[(h / 3) | 0] = 0;
    right[(patch.twin[h] / 3) | 0] = 0;
    cutTwin[patch.twin[h]] = cutTwin[h] = -1;
  }
  const disk: Patch = { ...patch, twin: cutTwin };
  const isLeft = left.map((start) => (start === 0 ? 1 : 0));
  const isRight = right.map((start) => (start === 0 ? 1 : 0));
  grow(disk, left, label);
  grow(disk, right, label);
  const order = left.map((distance, t) => distance - right[t]);
  let headStart = weightedMedian(order, patch.area);
  for (let attempt = 0; attempt < 3; attempt++, headStart = attempt === 1 ? headStart / 2 : 0) {
    for (let t = 0; t < n; t++) {
      left[t] = Number.POSITIVE_INFINITY;
      if (isRight[t] === 1) left[t] = Math.max(0, headStart);
      if (isLeft[t] === 1) left[t] = Math.max(0, -headStart);
      label[t] = isLeft[t] === 1 ? 0 : 1;
    }
    grow(disk, left, label);
    if (isConnected(patch.twin, label, 2) && eulerOfCells(patch, label, 2).every((euler) => euler === 1)) return 2;
  }
  return 0;
}

/** Whether each of the labels from 0 on is on one connected set of triangles; each must be on one at least. */
function isConnected(twin: Int32Array, label: Int32Array, count: number): boolean {
  const reached = new Uint8Array(label.length);
  const queue = new Int32Array(label.length);
  let pieces = 0;
  for (let start = 0, tail = 0; start < label.length; start++) {
    if (reached[start] !== 0) continue;
    if (++pieces > count) return false;
    reached[start] = 1;
    queue[tail++] = start;
    for (let head = tail - 1; head < tail; head++) {
      const t = queue[head];
      for (let h = 3 * t; h < 3 * t + 3; h++) {
        const neighbour = (twin[h] / 3) | 0;
        if (twin[h] < 0 || reached[neighbour] !== 0 || label[neighbour] !== label[t]) continue;
        reached[neighbour] = 1;
        queue[tail++] = neighbour;
      }
    }
  }
  return pieces === count;
}

/** The half-edges of the shortest way along edges from one rim of a tube to the other, that run that way. */
function shortestWayAcross({ twin, fan, isInner, length }: Patch): number[] {
  const fans = isInner.length;
  const distance = new Float64Array(fans).fill(Number.POSITIVE_INFINITY);
  const front = createFront(fans);
  let start = 0;
  while (twin[start] >= 0) start++;
  for (let h = start; distance[fan[h]] !== 0; ) {
    distance[fan[h]] = 0;
    raise(front, distance, fan[h]);
    h = nextInTriangle(h);
    while (twin[h] >= 0) h = nextInTriangle(twin[h]);
  }
  // A half-edge that leaves each fan; of one that ends at a rim, the one without a triangle on its right.
  const outgoing = new Int32Array(fans);
  const isRim = new Uint8Array(fans);
  for (let h = 0; h < twin.length; h++) if (isRim[fan[h]] === 0) outgoing[fan[h]] = h;
  for (let h = 0; h < twin.length; h++) {
    if (twin[h] >= 0) continue;
    isRim[fan[h]] = 1;
    outgoing[fan[h]] = h;
  }
  const cameBy = new Int32Array(fans).fill(-1);
  while (front.size > 0) {
    const v = takeNearest(front, distance);
    if (isRim[v] === 1 && distance[v] > 0) {
      const way: number[] = [];
      for (let at = v; cameBy[at] >= 0; at = fan[cameBy[at]]) way.push(cameBy[at]);
      return way;
    }
    let h = outgoing[v];
    do {
      // Edges of the rim are of no use: half-edges without a triangle on the other side are left out.
      const to = fan[nextInTriangle(h)];
      const further = distance[v] + length[h];
      if (twin[h] >= 0 && front.place[to] !== DONE && further < distance[to]) {
        distance[to] = further;
        cameBy[to] = h;
        raise(front, distance, to);
      }
      h = twin[previousInTriangle(h)];
    } while (h >= 0 && h !== outgoing[v]);
  }
  return [];
}

/** V - E + F of every cell. */
function eulerOfCells({ twin, fan, isInner }: Patch, label: Int32Array, count: number): Float64Array {
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

/** Perimeter squared over area: 12.6 for a flat disk, 16 for a square, 6.3 for half a sphere, little for a sock. */
const BEST_RATIO = 14;
/** What a chart costs beside its shape, for all charts that a region should need. */
const COUNT_WEIGHT = 0.7;

/**
 * What a chart of this shape costs: its area, times how far it is from the best ratio; long ones more than socks, which
 * have short seams at least.
 */
function shapeCost(area: number, perimeter: number): number {
  const square = perimeter * perimeter;
  const ratio = square / BEST_RATIO;
  return ratio > area ? (ratio * ratio) / (area + 1e-6 * ratio) : (area * area) / ratio;
}

/**
 * What a disk (V - E + F = 1) or a tube (0) costs. A tube is about as long as its area over half its two rims, and gives
 * two charts of that length.
 *
 * @param share the area of a chart if there were just as many as wanted
 */
function regionCost(euler: number, area: number, perimeter: number, share: number): number {
  if (euler === 1) return COUNT_WEIGHT * share + shapeCost(area, perimeter);
  return 2 * (COUNT_WEIGHT * share + shapeCost(area / 2, perimeter / 2 + (4 * area) / perimeter));
}

/** What two neighbouring charts share. */
interface Seam {
  edges: number;
  /** Vertices that would be inner ones of the union. */
  vertices: number;
  length: number;
}

/**
 * Merges regions as long as their unions are disks or tubes and it pays, the best ones first; relabels from 0.
 *
 * @param pieces V - E + F of every region, 1 or 0
 * @returns V - E + F of those that are left
 */
function merge(patch: Patch, label: Int32Array, pieces: number[], wanted: number): number[] {
  const count = pieces.length;
  const { twin, fan, isInner, length } = patch;
  const area = new Float64Array(count);
  const perimeter = new Float64Array(count);
  const rimEdges = new Int32Array(count);
  const seams: Map<number, Seam>[] = Array.from({ length: count }, () => new Map());
  const seamOf = (i: number, j: number): Seam => {
    let seam = seams[i].get(j);
    if (seam === undefined) {
      seam = { edges: 0, vertices: 0, length: 0 };
      seams[i].set(j, seam);
      seams[j].set(i, seam);
    }
    return seam;
  };
  for (let t = 0; t < label.length; t++) area[label[t]] += patch.area[t];
  const meeting: Set<number>[] = [];
  const meetingOf = new Int32Array(isInner.length).fill(-1);
  for (let h = 0; h < twin.length; h++) {
    const own = label[(h / 3) | 0];
    const other = twin[h] < 0 ? -1 : label[(twin[h] / 3) | 0];
    if (own === other) continue;
    perimeter[own] += length[h];
    rimEdges[own]++;
    if (other < 0) continue;
    if (h < twin[h]) {
      const seam = seamOf(own, other);
      seam.edges++;
      seam.length += length[h];
    }
    const f = fan[h];
    if (isInner[f] === 0) continue;
    if (meetingOf[f] < 0) meetingOf[f] = meeting.push(new Set()) - 1;
    meeting[meetingOf[f]].add(own).add(other);
  }
  const junctions = meeting.filter((labels) => {
    if (labels.size > 2) return true;
    const [i, j] = labels;
    seamOf(i, j).vertices++;
    return false;
  });
  const junctionsOf: Set<Set<number>>[] = Array.from({ length: count }, () => new Set());
  for (const junction of junctions) for (const i of junction) junctionsOf[i].add(junction);

  let total = 0;
  for (let i = 0; i < count; i++) total += area[i];
  const share = total / wanted;
  const cost = new Float64Array(count);
  const euler = pieces.slice();
  for (let i = 0; i < count; i++) cost[i] = regionCost(euler[i], area[i], perimeter[i], share);
  const into = new Int32Array(count);
  for (let i = 0; i < count; i++) into[i] = i;
  for (;;) {
    let best = 0;
    let left = -1;
    let right = -1;
    for (let i = 0; i < count; i++) {
      if (into[i] !== i) continue;
      for (const [j, seam] of seams[i]) {
        const kind = euler[i] + euler[j] - seam.edges + seam.vertices;
        const rim = perimeter[i] + perimeter[j] - 2 * seam.length;
        // Neither a sphere nor a torus: those have no rim.
        if (j < i || kind < 0 || kind > 1 || rimEdges[i] + rimEdges[j] === 2 * seam.edges) continue;
        const score = regionCost(kind, area[i] + area[j], rim, share) - cost[i] - cost[j];
        if (score < best) {
          best = score;
          left = i;
          right = j;
        }
      }
    }
    if (left < 0) break;
    into[right] = left;
    area[left] += area[right];
    perimeter[left] += perimeter[right] - 2 * seams[left].get(right)!.length;
    const between = seams[left].get(right)!;
    euler[left] += euler[right] - between.edges + between.vertices;
    cost[left] = regionCost(euler[left], area[left], perimeter[left], share);
    rimEdges[left] += rimEdges[right] - 2 * between.edges;
    seams[left].delete(right);
    for (const [j, seam] of seams[right]) {
      if (j === left) continue;
      seams[j].delete(right);
      const joined = seamOf(left, j);
      joined.edges += seam.edges;
      joined.vertices += seam.vertices;
      joined.length += seam.length;
    }
    for (const junction of junctionsOf[right]) {
      junction.delete(right);
      junction.add(left);
      if (junction.size > 2) {
        junctionsOf[left].add(junction);
        continue;
      }
      const [i, j] = junction;
      seamOf(i, j).vertices++;
      junctionsOf[i].delete(junction);
      junctionsOf[j].delete(junction);
    }
  }
  const number = new Int32Array(count).fill(-1);
  let kept = 0;
  for (let i = 0; i < count; i++) if (into[i] === i) number[i] = kept++;
  for (let i = 0; i < count; i++) {
    let root = i;
    while (into[root] !== root) root = into[root];
    number[i] = number[root];
  }
  for (let t = 0; t < label.length; t++) label[t] = number[label[t]];
  return euler.filter((_, i) => into[i] === i);
}

/** How many steps a label spreads before every triangle takes the strongest one. */
const SPREAD = 24;
const SPREAD_ROUNDS = 2;
/** The part of its area that a chart may lose to smoother seams. */
const SPARE = 0.2;

/**
 * Straightens seams: labels spread like heat for a while, then every triangle takes the strongest one (B. Merriman,
 * J. Bence, S. Osher, "Diffusion generated motion by mean curvature", 1992), as far as the moves in the file's head
 * allow; then triangles change sides one by one where that shortens a seam.
 */
function smooth(patch: Patch, label: Int32Array, count: number): void {
  if (count < 2) return;
  // What a chart may lose yet.
  const spare = new Float64Array(count);
  for (let t = 0; t < label.length; t++) spare[label[t]] += SPARE * patch.area[t];
  for (let round = 0; round < SPREAD_ROUNDS; round++) straighten(patch, label, spare);
  shorten(patch, label, spare);
}

function straighten(patch: Patch, label: Int32Array, spare: Float64Array): void {
  const { twin } = patch;
  const count = spare.length;
  const n = label.length;
  const nearest = new Int32Array(n).fill(-1);
  const band: number[] = [];
  for (let t = 0; t < n; t++) {
    for (let h = 3 * t; h < 3 * t + 3; h++) {
      if (twin[h] < 0 || label[(twin[h] / 3) | 0] === label[t]) continue;
      nearest[t] = 0;
      band.push(t);
      break;
    }
  }
  for (let head = 0; head < band.length; head++) {
    const t = band[head];
    if (nearest[t] === SPREAD) break;
    for (let h = 3 * t; h < 3 * t + 3; h++) {
      if (twin[h] < 0) continue;
      const neighbour = (twin[h] / 3) | 0;
      if (nearest[neighbour] >= 0) continue;
      nearest[neighbour] = nearest[t] + 1;
      band.push(neighbour);
    }
  }
  const target = label.slice();
  const strongest = new Float64Array(n);
  // The triangles near one label's seams get numbers of their own, in `place`; -1 for others.
  const place = new Int32Array(n).fill(-1);
  const reach = new Int32Array(n);
  const seamStart = new Int32Array(count + 1);
  const onSeam: number[] = [];
  for (const t of band) {
    if (nearest[t] !== 0) break;
    seamStart[label[t] + 1]++;
    onSeam.push(t);
  }
  for (let i = 0; i < count; i++) seamStart[i + 1] += seamStart[i];
  const seam = new Int32Array(onSeam.length);
  const filled = seamStart.slice();
  for (const t of onSeam) seam[filled[label[t]]++] = t;
  for (let i = 0; i < count; i++) {
    let size = 0;
    for (let s = seamStart[i]; s < seamStart[i + 1]; s++) {
      place[seam[s]] = size;
      reach[size++] = seam[s];
    }
    for (let head = 0, hops = 0; hops < SPREAD; hops++) {
      for (const end = size; head < end; head++) {
        for (let h = 3 * reach[head]; h < 3 * reach[head] + 3; h++) {
          if (twin[h] < 0) continue;
          const neighbour = (twin[h] / 3) | 0;
          if (place[neighbour] >= 0) continue;
          place[neighbour] = size;
          reach[size++] = neighbour;
        }
      }
    }
    spread(twin, label, i, reach, size, place, strongest, target);
    for (let r = 0; r < size; r++) place[reach[r]] = -1;
  }
  moveTowards(patch, label, target, spare);
}

/** Spreads one label over the triangles that it reaches, and makes it the target where it is the strongest so far. */
function spread(
  twin: Int32Array,
  label: Int32Array,
  own: number,
  reach: Int32Array,
  size: number,
  place: Int32Array,
  strongest: Float64Array,
  target: Int32Array,
): void {
  // Two places after the last: all of the label, and nothing of it. A side without a neighbour gives what is there.
  let value = new Float64Array(size + 2);
  let next = new Float64Array(size + 2);
  const across = new Int32Array(3 * size);
  value[size] = next[size] = 1;
  for (let r = 0; r < size; r++) {
    const t = reach[r];
    value[r] = label[t] === own ? 1 : 0;
    for (let k = 0; k < 3; k++) {
      const g = twin[3 * t + k];
      const neighbour = (g / 3) | 0;
      if (g < 0) across[3 * r + k] = r;
      else if (place[neighbour] >= 0) across[3 * r + k] = place[neighbour];
      else across[3 * r + k] = label[neighbour] === own ? size : size + 1;
    }
  }
  for (let pass = 0; pass < SPREAD; pass++) {
    for (let r = 0; r < size; r++)
      next[r] = 0.25 * (value[r] + value[across[3 * r]] + value[across[3 * r + 1]] + value[across[3 * r + 2]]);
    const old = value;
    value = next;
    next = old;
  }
  for (let r = 0; r < size; r++) {
    const t = reach[r];
    if (value[r] < strongest[t] || (value[r] === strongest[t] && label[t] !== own)) continue;
    strongest[t] = value[r];
    target[t] = own;
  }
}

/** Moves triangles to the regions wanted for them, as far as these moves keep every region's topology and `spare`. */
function moveTowards(patch: Patch, label: Int32Array, target: Int32Array, spare: Float64Array): void {
  const { twin, area } = patch;
  const queue: number[] = [];
  for (let t = 0; t < label.length; t++) if (target[t] !== label[t]) queue.push(t);
  for (let head = 0; head < queue.length; head++) {
    const t = queue[head];
    if (target[t] === label[t] || area[t] > spare[label[t]] || !canMove(patch, label, t, target[t])) continue;
    spare[label[t]] -= area[t];
    label[t] = target[t];
    spare[label[t]] += area[t];
    for (let h = 3 * t; h < 3 * t + 3; h++) {
      if (twin[h] < 0) continue;
      const neighbour = (twin[h] / 3) | 0;
      if (target[neighbour] !== label[neighbour]) queue.push(neighbour);
    }
  }
}

function shorten(patch: Patch, label: Int32Array, spare: Float64Array): void {
  const { twin, length, area } = patch;
  const queue: number[] = [];
  for (let t = 0; t < label.length; t++) {
    for (let h = 3 * t; h < 3 * t + 3; h++) {
      if (twin[h] < 0 || label[(twin[h] / 3) | 0] === label[t]) continue;
      queue.push(t);
      break;
    }
  }
  const most = queue.length + 8 * label.length;
  for (let head = 0; head < queue.length && queue.length < most; head++) {
    const t = queue[head];
    const own = label[t];
    if (area[t] > spare[own]) continue;
    let best = own;
    let bestGain = 0;
    for (let h = 3 * t; h < 3 * t + 3; h++) {
      const other = twin[h] < 0 ? own : label[(twin[h] / 3) | 0];
      if (other === own) continue;
      let gain = 0;
      for (let g = 3 * t; g < 3 * t + 3; g++) {
        if (twin[g] < 0) continue;
        const across = label[(twin[g] / 3) | 0];
        if (across === other) gain += length[g];
        else if (across === own) gain -= length[g];
      }
      if (gain > bestGain + 1e-9 * length[h] && canMove(patch, label, t, other)) {
        bestGain = gain;
        best = other;
      }
    }
    if (best === own) continue;
    spare[own] -= area[t];
    spare[best] += area[t];
    label[t] = best;
    for (let h = 3 * t; h < 3 * t + 3; h++) if (twin[h] >= 0) queue.push((twin[h] / 3) | 0);
  }
}

/** Whether triangle t can go over to region `to`, and both regions stay what they are: see the file's head. */
function canMove({ twin }: Patch, label: Int32Array, t: number, to: number): boolean {
  const own = label[t];
  let ownEdges = 0;
  let toEdges = 0;
  let lastOther = -1;
  let lastNotOwn = -1;
  for (let h = 3 * t; h < 3 * t + 3; h++) {
    const across = twin[h] < 0 ? -1 : label[(twin[h] / 3) | 0];
    if (across === own) ownEdges++;
    else lastNotOwn = h;
    if (across === to) toEdges++;
    else lastOther = h;
  }
  if (ownEdges === 0 || toEdges === 0) return false;
  // The vertex between two edges of one side is opposite to the third edge.
  if (ownEdges === 2 && !allRound(twin, label, previousInTriangle(lastNotOwn), own)) return false;
  if (toEdges === 2) return allRound(twin, label, previousInTriangle(lastOther), to);
  // With one edge only, the vertex opposite to it would be one that region `to` passes twice, if it is there already.
  let only = 3 * t;
  while (twin[only] < 0 || label[(twin[only] / 3) | 0] !== to) only++;
  return !touches(twin, label, previousInTriangle(only), to);
}

/** Whether the vertex at this corner is an inner one and all triangles round it, but the corner's own, have the label. */
function allRound(twin: Int32Array, label: Int32Array, corner: number, wanted: number): boolean {
  let h = corner;
  for (;;) {
    h = twin[previousInTriangle(h)];
    if (h < 0) return false;
    if (h === corner) return true;
    if (label[(h / 3) | 0] !== wanted) return false;
  }
}

/** Whether any triangle round the vertex at this corner has the label. */
function touches(twin: Int32Array, label: Int32Array, corner: number, wanted: number): boolean {
  let h = corner;
  do {
    h = twin[previousInTriangle(h)];
    if (h < 0) break;
    if (label[(h / 3) | 0] === wanted) return true;
  } while (h !== corner);
  if (h === corner) return false;
  for (h = twin[corner]; h >= 0; h = twin[h]) {
    if (label[(h / 3) | 0] === wanted) return true;
    h = nextInTriangle(h);
  }
  return false;
}
