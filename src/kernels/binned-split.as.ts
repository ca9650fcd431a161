/**
 * Splits a range of boxes in two by surface area, in place: by every plane if it is small, by bins
 * if it is large.
 *
 * I. Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", 2007: the split of
 * least cost, areas times items, between bins of the boxes' middles along three axes. Ours: bins
 * along all axes are filled at once, and an axis along which nothing can be distinguished has none.
 *
 * Operations are on two doubles at a time. Minima and maxima are exact in any order, and the sign
 * of a zero does not affect the result. Boxes are stored as minima: the negated minimum of a
 * number's negative is its maximum.
 *
 * A box, or span, is six doubles (BOX bytes) for three axes: low0 low1 | -high0 -high1 | low2
 * -high2. The box of the item at place i of the order is the i-th of the spans.
 *
 * After a split by bins, `BIN_COUNTS` and `BIN_BOXES` of the scratch hold the number of items in
 * the 16 bins of each axis, and their boxes.
 */

export const BOX: usize = 48;
/** Ranges up to this size are split by every plane, larger ones by bins. */
export const LARGEST_SWEEP: i32 = 12;
export const BINS: i32 = 16;
/** So that the last bin holds the largest number, however it is rounded. */
const BINS_WIDE: f64 = 16.0 * (1.0 - 1.0 / 1099511627776.0);

export const BIN_COUNTS: usize = 0; // 3 x 16 words
export const BIN_BOXES: usize = BIN_COUNTS + 192; // 3 x 16 boxes
const KEYS: usize = BIN_BOXES + 2304; // 12 doubles
const RANKS: usize = KEYS + 96; // 12 words
const BEST_RANKS: usize = RANKS + 48;
const RIGHT_COSTS: usize = BEST_RANKS + 48; // 16 doubles
const RIGHT_COUNTS: usize = RIGHT_COSTS + 128; // 16 words
const SAVED_BOXES: usize = RIGHT_COUNTS + 64; // 12 boxes
const SAVED_ORDER: usize = SAVED_BOXES + 576; // 12 words
export const SPLIT_SCRATCH: usize = SAVED_ORDER + 64;

let scratch: usize = 0;
let order: usize = 0;
let spans: usize = 0;
let margin: f64 = 0;
let group: i32 = 1;
let knowsParts: bool = false;
let lowerA: v128 = f64x2.splat(0);
let lowerB: v128 = f64x2.splat(0);
let lowerC: v128 = f64x2.splat(0);
let upperA: v128 = f64x2.splat(0);
let upperB: v128 = f64x2.splat(0);
let upperC: v128 = f64x2.splat(0);

/**
 * @param toScratch address of SPLIT_SCRATCH bytes, a multiple of 64
 * @param toMargin the width within which middles along an axis count as one; they are sums of two
 *   ends
 * @param toGroup items of a leaf, a power of two: small ranges cost more if leaves are not full
 */
export function beginSplits(toScratch: usize, toMargin: f64, toGroup: i32): void {
  scratch = toScratch;
  margin = toMargin;
  group = toGroup;
}

/** Addresses of words, which move with the boxes, and of BOX bytes for each. */
export function splitThese(toOrder: usize, toSpans: usize): void {
  order = toOrder;
  spans = toSpans;
}

@inline
export function pair(x: f64, y: f64): v128 {
  return f64x2.replace_lane(f64x2.splat(x), 1, y);
}

@inline
export function areaOf(a: v128, b: v128, c: v128): f64 {
  const d = f64x2.sub(f64x2.neg(b), a);
  const x = f64x2.extract_lane(d, 0);
  const y = f64x2.extract_lane(d, 1);
  const z = -f64x2.extract_lane(c, 1) - f64x2.extract_lane(c, 0);
  return x * y + y * z + z * x;
}

@inline
export function areaAt(box: usize): f64 {
  return areaOf(v128.load(box), v128.load(box, 16), v128.load(box, 32));
}


/** Writes the box of the first part. */
@inline
export function storeLower(to: usize): void {
  v128.store(to, lowerA);
  v128.store(to, lowerB, 16);
  v128.store(to, lowerC, 32);
}
/** Writes the box of the second part. */
@inline
export function storeUpper(to: usize): void {
  v128.store(to, upperA);
  v128.store(to, upperB, 16);
  v128.store(to, upperC, 32);
}

function boundSpans(start: i32, end: i32): void {
  let a = f64x2.splat(Infinity);
  let b = a;
  let c = a;
  for (let s = spans + <usize>start * BOX; s < spans + <usize>end * BOX; s += BOX) {
    a = f64x2.pmin(a, v128.load(s));
    b = f64x2.pmin(b, v128.load(s, 16));
    c = f64x2.pmin(c, v128.load(s, 32));
  }
  lowerA = a;
  lowerB = b;
  lowerC = c;
}

/**
 * Reorders a range of at least two into two nonempty parts, whose boxes storeLower and storeUpper
 * then write. Returns the start of the second.
 *
 * @param halve halves by count, as if all middles were one
 */
export function split(start: i32, end: i32, halve: bool): i32 {
  const size = end - start;
  knowsParts = false;
  let middle = start;
  if (!halve) middle = size <= LARGEST_SWEEP ? splitByPlanes(start, end) : splitByBins(start, end);
  if (middle == start) middle = start + ((size + 1) >>> 1);
  if (knowsParts) return middle;
  boundSpans(start, middle);
  upperA = lowerA;
  upperB = lowerB;
  upperC = lowerC;
  boundSpans(middle, end);
  const a = lowerA;
  const b = lowerB;
  const c = lowerC;
  lowerA = upperA;
  lowerB = upperB;
  lowerC = upperC;
  upperA = a;
  upperB = b;
  upperC = c;
  return middle;
}

@inline
export function lowAt(axis: i32): usize {
  return axis == 0 ? 0 : axis == 1 ? 8 : 32;
}
@inline
export function stride(axis: i32): usize {
  return axis == 2 ? 8 : 16;
}

@inline
function weightOf(count: i32): f64 {
  return <f64>(count + ((count + group - 1) & -group));
}

function splitByPlanes(start: i32, end: i32): i32 {
  const size = end - start;
  const first = spans + <usize>start * BOX;
  const keys = scratch + KEYS;
  const ranks = scratch + RANKS;
  const rightCosts = scratch + RIGHT_COSTS;
  let least: f64 = Infinity;
  let best = 0;
  for (let axis = 0; axis < 3; axis++) {
    const low = first + lowAt(axis);
    const high = low + stride(axis);
    for (let i = 0; i < size; i++) {
      const middle = load<f64>(low + <usize>i * BOX) - load<f64>(high + <usize>i * BOX);
      let j = i;
      for (; j > 0 && load<f64>(keys + (<usize>(j - 1) << 3)) > middle; j--) {
        store<f64>(keys + (<usize>j << 3), load<f64>(keys + (<usize>(j - 1) << 3)));
        store<i32>(ranks + (<usize>j << 2), load<i32>(ranks + (<usize>(j - 1) << 2)));
      }
      store<f64>(keys + (<usize>j << 3), middle);
      store<i32>(ranks + (<usize>j << 2), i);
    }
    if (!(load<f64>(keys + (<usize>(size - 1) << 3)) - load<f64>(keys) > margin)) continue;
    let a = f64x2.splat(Infinity);
    let b = a;
    let c = a;
    for (let i = size - 1; i > 0; i--) {
      const s = first + <usize>load<u32>(ranks + (<usize>i << 2)) * BOX;
      a = f64x2.pmin(a, v128.load(s));
      b = f64x2.pmin(b, v128.load(s, 16));
      c = f64x2.pmin(c, v128.load(s, 32));
      store<f64>(rightCosts + (<usize>i << 3), areaOf(a, b, c) * weightOf(size - i));
    }
    a = f64x2.splat(Infinity);
    b = a;
    c = a;
    let isBetter = false;
    for (let i = 1; i < size; i++) {
      const s = first + <usize>load<u32>(ranks + (<usize>(i - 1) << 2)) * BOX;
      a = f64x2.pmin(a, v128.load(s));
      b = f64x2.pmin(b, v128.load(s, 16));
      c = f64x2.pmin(c, v128.load(s, 32));
      const cost = areaOf(a, b, c) * weightOf(i) + load<f64>(rightCosts + (<usize>i << 3));
      if (cost < least) {
        least = cost;
        best = i;
        isBetter = true;
      }
    }
    if (isBetter) memory.copy(scratch + BEST_RANKS, ranks, <usize>size << 2);
  }
  if (best == 0) return start;
  const places = order + (<usize>start << 2);
  memory.copy(scratch + SAVED_ORDER, places, <usize>size << 2);
  memory.copy(scratch + SAVED_BOXES, first, <usize>size * BOX);
  for (let i = 0; i < size; i++) {
    const from = <usize>load<u32>(scratch + BEST_RANKS + (<usize>i << 2));
    store<u32>(places + (<usize>i << 2), load<u32>(scratch + SAVED_ORDER + (from << 2)));
    copyBox(first + <usize>i * BOX, scratch + SAVED_BOXES + from * BOX);
  }
  return start + best;
}

@inline
function copyBox(to: usize, from: usize): void {
  v128.store(to, v128.load(from));
  v128.store(to, v128.load(from, 16), 16);
  v128.store(to, v128.load(from, 32), 32);
}

@inline
function growAt(box: usize, a: v128, b: v128, c: v128): void {
  v128.store(box, f64x2.pmin(v128.load(box), a));
  v128.store(box, f64x2.pmin(v128.load(box, 16), b), 16);
  v128.store(box, f64x2.pmin(v128.load(box, 32), c), 32);
}

@inline
function countAt(place: usize): void {
  store<i32>(place, load<i32>(place) + 1);
}

@inline
function fillBins(first: usize, last: usize, low: v128, low2: f64, scales: v128, scale2: f64): void {
  const counts = scratch + BIN_COUNTS;
  const boxes = scratch + BIN_BOXES;
  memory.fill(counts, 0, 192);
  const empty = f64x2.splat(Infinity);
  for (let box = boxes; box < boxes + 48 * BOX; box += 64) {
    v128.store(box, empty);
    v128.store(box, empty, 16);
    v128.store(box, empty, 32);
    v128.store(box, empty, 48);
  }
  for (let s = first; s < last; s += BOX) {
    const a = v128.load(s);
    const b = v128.load(s, 16);
    const c = v128.load(s, 32);
    const bins = i32x4.trunc_sat_f64x2_s_zero(f64x2.mul(f64x2.sub(f64x2.sub(a, b), low), scales));
    const bin0 = <usize>i32x4.extract_lane(bins, 0);
    const bin1 = <usize>i32x4.extract_lane(bins, 1) + 16;
    const bin2 = <usize>(<i32>((f64x2.extract_lane(c, 0) - f64x2.extract_lane(c, 1) - low2) * scale2)) + 32;
    countAt(counts + (bin0 << 2));
    countAt(counts + (bin1 << 2));
    countAt(counts + (bin2 << 2));
    growAt(boxes + bin0 * BOX, a, b, c);
    growAt(boxes + bin1 * BOX, a, b, c);
    growAt(boxes + bin2 * BOX, a, b, c);
  }
}

let leastOfBins: f64 = Infinity;
let bestAxis: i32 = -1;
let bestBin: i32 = 0;
let bestLow: f64 = 0;
let bestScale: f64 = 0;

function sweepBins(axis: i32): void {
  const axisCounts = scratch + BIN_COUNTS + (<usize>axis << 6);
  const axisBoxes = scratch + BIN_BOXES + <usize>axis * 16 * BOX;
  const rightCosts = scratch + RIGHT_COSTS;
  const rightCounts = scratch + RIGHT_COUNTS;
  const empty = f64x2.splat(Infinity);
  let a = empty;
  let b = empty;
  let c = empty;
  let count = 0;
  let cost = 0.0;
  for (let bin = BINS - 1; bin > 0; bin--) {
    const more = load<i32>(axisCounts + (<usize>bin << 2));
    if (more > 0) {
      const box = axisBoxes + <usize>bin * BOX;
      a = f64x2.pmin(a, v128.load(box));
      b = f64x2.pmin(b, v128.load(box, 16));
      c = f64x2.pmin(c, v128.load(box, 32));
      count += more;
      cost = areaOf(a, b, c) * <f64>count;
    }
    store<f64>(rightCosts + (<usize>bin << 3), cost);
    store<i32>(rightCounts + (<usize>bin << 2), count);
  }
  a = empty;
  b = empty;
  c = empty;
  count = 0;
  for (let bin = 0; bin < BINS - 1; bin++) {
    const more = load<i32>(axisCounts + (<usize>bin << 2));
    if (more == 0) continue;
    const box = axisBoxes + <usize>bin * BOX;
    a = f64x2.pmin(a, v128.load(box));
    b = f64x2.pmin(b, v128.load(box, 16));
    c = f64x2.pmin(c, v128.load(box, 32));
    count += more;
    if (load<i32>(rightCounts + (<usize>bin << 2), 4) == 0) break;
    cost = areaOf(a, b, c) * <f64>count + load<f64>(rightCosts + (<usize>bin << 3), 8);
    if (cost < leastOfBins) {
      leastOfBins = cost;
      bestAxis = axis;
      bestBin = bin;
      lowerA = a;
      lowerB = b;
      lowerC = c;
    }
  }
}

@inline
function writeUpper(): void {
  let a = f64x2.splat(Infinity);
  let b = a;
  let c = a;
  for (let bin = bestBin + 1; bin < BINS; bin++) {
    const box = scratch + BIN_BOXES + <usize>(bestAxis * BINS + bin) * BOX;
    a = f64x2.pmin(a, v128.load(box));
    b = f64x2.pmin(b, v128.load(box, 16));
    c = f64x2.pmin(c, v128.load(box, 32));
  }
  upperA = a;
  upperB = b;
  upperC = c;
}

function splitByBins(start: i32, end: i32): i32 {
  const first = spans + <usize>start * BOX;
  const last = spans + <usize>end * BOX;
  let low = f64x2.splat(Infinity);
  let high = f64x2.splat(-Infinity);
  let third = low;
  for (let s = first; s < last; s += BOX) {
    const middles = f64x2.sub(v128.load(s), v128.load(s, 16));
    low = f64x2.pmin(low, middles);
    high = f64x2.pmax(high, middles);
    const c = v128.load(s, 32);
    third = f64x2.pmin(third, f64x2.sub(c, v128.shuffle<f64>(c, c, 1, 0)));
  }
  const low0 = f64x2.extract_lane(low, 0);
  const low1 = f64x2.extract_lane(low, 1);
  const low2 = f64x2.extract_lane(third, 0);
  const width0 = f64x2.extract_lane(high, 0) - low0;
  const width1 = f64x2.extract_lane(high, 1) - low1;
  const width2 = -f64x2.extract_lane(third, 1) - low2;
  const scale0 = width0 > margin ? BINS_WIDE / width0 : 0.0;
  const scale1 = width1 > margin ? BINS_WIDE / width1 : 0.0;
  const scale2 = width2 > margin ? BINS_WIDE / width2 : 0.0;
  bestAxis = -1;
  if (scale0 + scale1 + scale2 == 0) return start;

  fillBins(first, last, low, low2, pair(scale0, scale1), scale2);
  leastOfBins = Infinity;
  if (scale0 != 0) sweepBins(0);
  if (scale1 != 0) sweepBins(1);
  if (scale2 != 0) sweepBins(2);
  if (bestAxis < 0) return start;
  writeUpper();
  knowsParts = true;
  bestLow = bestAxis == 0 ? low0 : bestAxis == 1 ? low1 : low2;
  bestScale = bestAxis == 0 ? scale0 : bestAxis == 1 ? scale1 : scale2;
  return divide(start, end, lowAt(bestAxis), stride(bestAxis), bestBin, bestLow, bestScale);
}

// The result of a split by bins, for items of which the split has seen a sample.

/** The axis of the plane; -1 if all middles are one. */
export function cutAxis(): i32 {
  return bestAxis;
}
/** Items whose cutPlace is below this are before the plane. */
export function cutEnd(): f64 {
  return <f64>(bestBin + 1);
}
/** @param middle sum of an item's ends along that axis */
@inline
export function cutPlace(middle: f64): f64 {
  return (middle - bestLow) * bestScale;
}

function divide(start: i32, end: i32, at: usize, behind: usize, bin: i32, low: f64, scale: f64): i32 {
  let i = start;
  let j = end - 1;
  let s = spans + <usize>i * BOX;
  let t = spans + <usize>j * BOX;
  for (;;) {
    while (i <= j && <i32>((load<f64>(s + at) - load<f64>(s + at + behind) - low) * scale) <= bin) {
      i++;
      s += BOX;
    }
    while (i <= j && <i32>((load<f64>(t + at) - load<f64>(t + at + behind) - low) * scale) > bin) {
      j--;
      t -= BOX;
    }
    if (i > j) break;
    const p = order + (<usize>i << 2);
    const q = order + (<usize>j << 2);
    const triangle = load<u32>(p);
    store<u32>(p, load<u32>(q));
    store<u32>(q, triangle);
    for (let k: usize = 0; k < BOX; k += 16) {
      const u = v128.load(s + k);
      v128.store(s + k, v128.load(t + k));
      v128.store(t + k, u);
    }
    i++;
    s += BOX;
    j--;
    t -= BOX;
  }
  return i;
}
