/**
 * Smooths and moves seams by triangles that change sides while every region keeps its topology.
 *
 * A triangle can move from region A to region B, without a change of topology, if it has
 * - one edge in A; or two, and the vertex between them was an inner one of A; and
 * - one edge in B; or two, and the vertex between them becomes an inner one of B.
 *
 * By the formula of regions.ts neither number changes: F, b and I change by 1, 1, 0 or by 1, -1, 1
 * and the like. A stays connected: the triangles around an inner vertex of A are a cycle, and a
 * cycle without one triangle is a path.
 */
import { nextInTriangle, previousInTriangle } from '../../../../mesh/topology.ts';
import type { Patch } from './patch.ts';
import { grow } from './patch.ts';

/** Steps that labels spread before every triangle takes the strongest one. */
const SPREAD = 24;

const SPREAD_ROUNDS = 2;

/** Part of its area that a chart may lose to smoother seams. */
const SPARE = 0.2;

/** Triangles deeper than this are a region's core; the deepest have 1. */
const CORE = 0.8;

/**
 * Straightens seams: labels spread like heat for a while, then every triangle takes the strongest
 * one (B. Merriman, J. Bence, S. Osher, "Diffusion generated motion by mean curvature", 1992), if
 * the head's moves allow. Then triangles change sides one by one where that shortens a seam.
 */
export function smooth(patch: Patch, label: Int32Array, count: number): void {
  if (count < 2) return;
  const spare = new Float64Array(count);
  for (let t = 0; t < label.length; t++) spare[label[t]] += SPARE * patch.area[t];
  for (let round = 0; round < SPREAD_ROUNDS; round++) straighten(patch, label, spare);
  shorten(patch, label, spare);
}

/** Moves seams halfway between regions' cores, keeping topology. A tube's core is a ring. */
export function balance(patch: Patch, label: Int32Array, count: number): void {
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
  // Two extra places: 1 and 0 of the label. A missing neighbor repeats the value.
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
  // The vertex between two edges of one side is opposite the third edge.
  if (ownEdges === 2 && !allRound(twin, label, previousInTriangle(lastNotOwn), own)) return false;
  if (toEdges === 2) return allRound(twin, label, previousInTriangle(lastOther), to);
  // With one edge only, `to` must not hold the opposite vertex: it would pass it twice.
  let only = 3 * t;
  while (twin[only] < 0 || label[(twin[only] / 3) | 0] !== to) only++;
  return !touches(twin, label, previousInTriangle(only), to);
}

/** True if the corner's vertex is inner and all other triangles around it have the label. */
function allRound(twin: Int32Array, label: Int32Array, corner: number, wanted: number): boolean {
  let h = corner;
  for (;;) {
    h = twin[previousInTriangle(h)];
    if (h < 0) return false;
    if (h === corner) return true;
    if (label[(h / 3) | 0] !== wanted) return false;
  }
}

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
