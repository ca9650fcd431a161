/** Ways over a patch from seeds: each triangle goes to the seed that it is nearest to. */
import type { Patch } from './patch.ts';

/** Ways are measured along chords of this many steps: from middle to middle they would zigzag. */
const CHORD = 8;

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
export function grow(patch: Patch, distance: Float64Array, label: Int32Array): void {
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

export function growFrom(patch: Patch, distance: Float64Array, label: Int32Array, seed: number): void {
  distance.fill(Number.POSITIVE_INFINITY);
  distance[seed] = 0;
  grow(patch, distance, label);
}

/** The triangle of the largest distance; the lowest number first. */
export function furthest(distance: Float64Array): number {
  let best = 0;
  for (let t = 1; t < distance.length; t++) if (distance[t] > distance[best]) best = t;
  return best;
}
