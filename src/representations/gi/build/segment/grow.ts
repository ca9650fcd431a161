/** Ways over a patch from seeds: each triangle goes to the seed that it is nearest to. */
import type { Patch } from './patch.ts';

/** Ways are measured along chords of this many steps: from middle to middle they would zigzag. */
const CHORD = 8;

/** Buckets ahead of the front; what is further ahead waits in a list. A power of two. */
const BUCKETS = 1024;

/**
 * Triangles by distance: a ring of buckets, each in the order of arrival, and a list.
 */
interface Queue {
  /** Entries: a triangle, and the next entry of its bucket or of the list, or -1. */
  triangle: Int32Array;
  link: Int32Array;
  entries: number;
  /** First entry of each bucket, -1 where it is empty, and its last. */
  head: Int32Array;
  tail: Int32Array;
  inBuckets: number;
  /** First entry of the list. */
  waiting: number;
  /** The bucket at the front. */
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

/** Puts an entry into a bucket, or to those that wait. */
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

/**
 * Goes through those that wait; where the buckets are empty, the front goes on to the nearest of
 * them.
 */
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
 * Lets seeds grow: every triangle gets the label of the one it is reached from, and its distance.
 * Each label's triangles are connected then, if its seeds are: no triangle gets another way or
 * label after others were reached from it.
 *
 * Dijkstra with buckets (R. Dial, "Algorithm 360", CACM 12(11), 1969), each in the order of
 * arrival: a heap, which knows the order exactly, took twice as long.
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
  // A triangle comes in once at first, and once for each neighbour.
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
