/** Cuts tubes lengthwise into two disks of four sides each. */
import type { ManifoldMesh } from '../../../../mesh/manifold.ts';
import { nextInTriangle, previousInTriangle } from '../../../../mesh/topology.ts';
import { fragments } from './cells.ts';
import { weightedMedian } from './halves.ts';
import { eulerOfCells, grow, type Patch, partOf } from './patch.ts';
import { gather } from './regions.ts';

export function halveTubes(mesh: ManifoldMesh, patch: Patch, label: Int32Array, euler: number[]): number {
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
 * Cuts a tube along its shortest path between rims, and along the line between that path's banks,
 * moved for equal areas: both parts have four sides. Returns 2, or 0 if the mesh is too coarse.
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

/** True if each label from 0 has exactly one connected set of triangles. */
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
  // A half-edge out of each fan; at a rim, the one without a triangle on its right.
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
      // Rim edges are skipped: half-edges without a triangle on the other side.
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

/** Binary heap of fans with their places, the nearest on top; ties go to the lowest number. */
interface Front {
  heap: Int32Array;
  place: Int32Array;
  size: number;
}

const WAITING = -1;

const DONE = -2;

function createFront(count: number): Front {
  return { heap: new Int32Array(count), place: new Int32Array(count).fill(WAITING), size: 0 };
}

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
