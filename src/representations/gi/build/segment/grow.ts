/** Distances over a patch: each triangle goes to its nearest seed. */
import type { Patch } from './patch.ts';

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

/** The number of the largest distance; the lowest of equals. */
export function furthest(distance: Float64Array): number {
  let best = 0;
  for (let t = 1; t < distance.length; t++) if (distance[t] > distance[best]) best = t;
  return best;
}
