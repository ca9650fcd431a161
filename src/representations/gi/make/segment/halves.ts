/** Cuts a region in two of about equal area: with a short seam, and no socks. */
import type { ManifoldMesh } from '../../../../mesh/manifold.ts';
import { nextInTriangle } from '../../../../mesh/topology.ts';
import { createPatch, furthest, grow, growFrom, MANY, type Patch, shapeCost, split } from './patch.ts';
import { smooth } from './smooth.ts';

/** Approximate factor by which smoothing shortens a seam. */
const ZIGZAG = 0.8;

/** Pairs tried on a rim; the second is for more than MANY triangles. */
const PAIRS = 4;

const PAIRS_OF_MANY = 2;

/** Cuts two or more triangles into connected halves, the lowest triangle in the first. */
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
 * Labels a connected patch with two connected cells of about equal area. It tries several pairs of
 * seeds and takes the one with the best shapes: a short seam, but no socks. Pairs are opposite each
 * other on the longest rim, or as far apart as possible if there is none.
 *
 * The difference of the distances to two seeds, cut at a value of equal areas, gives cells of two
 * seeds, one with a head start. Both parts of a disk are disks, since both seeds are on the rim. If
 * one part were not, a closed path in it would separate some of the other part from the rim; but
 * that is connected and has its seed there.
 */
export function halves(patch: Patch): Int32Array {
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
  // Both seeds start on the front; the head start is below the distance, so neither is taken.
  one.fill(Number.POSITIVE_INFINITY);
  one[bestOne] = Math.max(0, -bestStart);
  one[bestTwo] = Math.max(0, bestStart);
  label[bestOne] = 0;
  label[bestTwo] = 1;
  grow(patch, one, label);
  return label;
}

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
    // Two more, far from both and from each other.
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

function rimPair(rim: number[], count: number): [number, number] {
  const first = rim.length > 0 ? (rim[0] / 3) | 0 : 0;
  for (const h of rim) if (((h / 3) | 0) !== first) return [first, (h / 3) | 0];
  return [first, first === 0 ? count - 1 : 0];
}

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

export function weightedMedian(values: Float64Array, weights: Float64Array): number {
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
