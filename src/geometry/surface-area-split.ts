/**
 * The cut of a set of boxes in two for a bounding volume hierarchy: the surface-area heuristic,
 * binned.
 *
 * J. Goldsmith, J. Salmon, "Automatic Creation of Object Hierarchies for Ray Tracing", 1987: the
 * cost of a node is its area times the number of items below it. I. Wald, "On fast Construction of
 * SAH-based Bounding Volume Hierarchies", 2007: 16 bins of the boxes' centers on each of the three
 * axes stand for all planes.
 */

const BINS = 16;
const binCount = new Int32Array(BINS);
const binLow = new Float64Array(3 * BINS);
const binHigh = new Float64Array(3 * BINS);
const rightCost = new Float64Array(BINS);
const rightCount = new Int32Array(BINS);
const low = new Float64Array(3);
const high = new Float64Array(3);
/** Minus the lowest, and the highest, so that both grow by a maximum. */
const accumulator = new Float64Array(6);

/**
 * Reorders the range of `order` into two parts that are not empty. Returns where the second begins.
 *
 * @param spans of item t at 6t: lowest ends along three axes, then highest; the axes at right
 *   angles
 * @param start, end the range, at least two items
 * @param method `median`: cuts at the median along the longest axis, which bounds a tree's depth
 */
export function splitRange(
  order: Uint32Array,
  spans: Float64Array,
  start: number,
  end: number,
  method: 'area' | 'median',
): number {
  const size = end - start;
  low.fill(Number.POSITIVE_INFINITY);
  high.fill(Number.NEGATIVE_INFINITY);
  for (let i = start; i < end; i++) {
    const s = 6 * order[i];
    for (let k = 0; k < 3; k++) {
      const centre = spans[s + k] + spans[s + 3 + k];
      if (centre < low[k]) low[k] = centre;
      if (centre > high[k]) high[k] = centre;
    }
  }
  if (method === 'area' && size > 2) {
    const middle = splitByArea(order, spans, start, end);
    if (middle > start && middle < end) return middle;
  }
  let longest = 0;
  for (let k = 1; k < 3; k++) if (high[k] - low[k] > high[longest] - low[longest]) longest = k;
  const middle = start + ((size + 1) >>> 1);
  selectNth(order, start, end, middle, (t) => spans[6 * t + longest] + spans[6 * t + 3 + longest]);
  return middle;
}

function splitByArea(order: Uint32Array, spans: Float64Array, start: number, end: number): number {
  let bestCost = Number.POSITIVE_INFINITY;
  let bestAxis = -1;
  let bestBin = 0;
  for (let axis = 0; axis < 3; axis++) {
    const width = high[axis] - low[axis];
    if (!(width > 0)) continue;
    const toBin = (BINS * (1 - 1e-12)) / width;
    binCount.fill(0);
    binLow.fill(Number.POSITIVE_INFINITY);
    binHigh.fill(Number.NEGATIVE_INFINITY);
    for (let i = start; i < end; i++) {
      const s = 6 * order[i];
      const bin = ((spans[s + axis] + spans[s + 3 + axis] - low[axis]) * toBin) | 0;
      binCount[bin]++;
      for (let k = 0; k < 3; k++) {
        if (spans[s + k] < binLow[3 * bin + k]) binLow[3 * bin + k] = spans[s + k];
        if (spans[s + 3 + k] > binHigh[3 * bin + k]) binHigh[3 * bin + k] = spans[s + 3 + k];
      }
    }
    // Costs right of each plane, then left of it.
    let count = 0;
    accumulator.fill(Number.NEGATIVE_INFINITY);
    for (let bin = BINS - 1; bin > 0; bin--) {
      count += binCount[bin];
      rightCost[bin] = count === 0 ? 0 : count * grownArea(bin);
      rightCount[bin] = count;
    }
    count = 0;
    accumulator.fill(Number.NEGATIVE_INFINITY);
    for (let bin = 0; bin < BINS - 1; bin++) {
      count += binCount[bin];
      const area = grownArea(bin);
      if (count === 0 || rightCount[bin + 1] === 0) continue;
      const cost = count * area + rightCost[bin + 1];
      if (cost < bestCost) {
        bestCost = cost;
        bestAxis = axis;
        bestBin = bin;
      }
    }
  }
  if (bestAxis < 0) return start;
  const toBin = (BINS * (1 - 1e-12)) / (high[bestAxis] - low[bestAxis]);
  let middle = start;
  for (let i = start; i < end; i++) {
    const t = order[i];
    const bin = ((spans[6 * t + bestAxis] + spans[6 * t + 3 + bestAxis] - low[bestAxis]) * toBin) | 0;
    if (bin > bestBin) continue;
    order[i] = order[middle];
    order[middle++] = t;
  }
  return middle;
}

/** Adds one bin to the accumulator's box. Returns half the area; 0 while it is empty. */
function grownArea(bin: number): number {
  for (let k = 0; k < 3; k++) {
    if (-binLow[3 * bin + k] > accumulator[k]) accumulator[k] = -binLow[3 * bin + k];
    if (binHigh[3 * bin + k] > accumulator[3 + k]) accumulator[3 + k] = binHigh[3 * bin + k];
  }
  const x = accumulator[3] + accumulator[0];
  const y = accumulator[4] + accumulator[1];
  const z = accumulator[5] + accumulator[2];
  return x < 0 ? 0 : x * y + y * z + z * x;
}

/** C. A. R. Hoare, "Find", 1961: no key before `nth` is larger than one from there on. */
function selectNth(order: Uint32Array, start: number, end: number, nth: number, key: (t: number) => number): void {
  let left = start;
  let right = end - 1;
  while (left < right) {
    const pivot = key(order[(left + right) >>> 1]);
    let i = left;
    let j = right;
    while (i <= j) {
      while (key(order[i]) < pivot) i++;
      while (key(order[j]) > pivot) j--;
      if (i <= j) {
        const t = order[i];
        order[i++] = order[j];
        order[j--] = t;
      }
    }
    if (nth <= j) right = j;
    else if (nth >= i) left = i;
    else break;
  }
}
