/**
 * Walks the overlay of a chart and its source in WebAssembly. The operations on doubles are those
 * of overlay.ts, in the same order, so the bits are the same. overlay.ts has the proof and the
 * letters.
 */

import { dotTwo } from '../../../kernels/lanes.as';

const U: f64 = 1.0 / 9007199254740992.0; // 2^-53
const MARGIN: f64 = 128 * U;
const PAD: f64 = 64 * U;
const RELATIVE: f64 = 1 + 8 * U;
const LEAST: f64 = reinterpret<f64>(0x20b0000000000000); // 2^-500
const WIDEST: f64 = 60;
const LOOSE: f64 = 1 + 1.0 / 1099511627776.0; // 1 + 2^-40
const FEW_NODES: i32 = 16;
const THIN_SINE_2: f64 = 1e-10;
const INFINITE: f64 = f64.POSITIVE_INFINITY;

/** An image's six corners in the square, and nine coordinates of its triangle. */
const IMAGE_BYTES: usize = 8 * 15;

/**
 * Faces, as in face-bound.ts, two by two: number k of a pair's first face is at 16 k, of its second
 * at 16 k + 8. The source's triangle is a pair of its own.
 */
const PAIR: usize = 16 * 16;
const EDGE_1: usize = 48;
const EDGE_2: usize = 96;
const DOT_11: usize = 144;
const DOT_12: usize = 160;
const DOT_22: usize = 176;
const DETERMINANT: usize = 192;
const THIN: usize = 208;
const CORNER_SIZE: usize = 224;
const EDGES_SIZE: usize = 240;

/** A polygon: the number of its corners, and then v, w of up to 32. */
const CORNERS: usize = 16;
const POLYGON: usize = 16 + 8 * 64;
/** Points two by two: x of both, y, z. The last one of an odd number is there twice. */
const POINTS: usize = 8 * 96;
const TWO_POINTS: usize = 48;

let geometry: usize = 0;
let isDown: usize = 0;
let missing: usize = 0;
let excess: usize = 0;
let page: usize = 0;
let radiusSteps: usize = 0;
let outside: usize = 0;
let exponent: i32 = 0;
let quads: i32 = 0;
let step: f64 = 0;
let baseX: f64 = 0;
let baseY: f64 = 0;
let baseZ: f64 = 0;

let faces: usize = 0;
let quadFaces: usize = 0;
let whole: usize = 0;
let aboveRow: usize = 0;
let inRow: usize = 0;
let rightOfLine: usize = 0;
let inQuad: usize = 0;
let inHalf: usize = 0;
let onSource: usize = 0;
let onGrid: usize = 0;

/** The source triangle's corner A. */
let ax: f64 = 0;
let ay: f64 = 0;
let az: f64 = 0;
let bySource: f64 = 0;
let pieces: i32 = 0;
let area: f64 = 0;

export function overlayScratch(): usize {
  return 2 * PAIR + 6 * POLYGON + 2 * POINTS;
}

/**
 * Begins a chart. Arrays are those of overlay.ts; without spheres `spheres` is 0.
 *
 * @param scratch `overlayScratch` bytes, until the chart ends
 */
export function beginOverlay(
  samples: usize,
  splits: usize,
  missingOf: usize,
  excessOf: usize,
  spheres: usize,
  steps: usize,
  outsideOf: usize,
  exponentOf: i32,
  x: f64,
  y: f64,
  z: f64,
  stepOf: f64,
  scratch: usize,
): void {
  geometry = samples;
  isDown = splits;
  missing = missingOf;
  excess = excessOf;
  page = spheres;
  radiusSteps = steps;
  outside = outsideOf;
  exponent = exponentOf;
  quads = 1 << exponentOf;
  baseX = x;
  baseY = y;
  baseZ = z;
  step = stepOf;
  area = 0;
  pieces = 0;
  faces = scratch;
  quadFaces = faces + PAIR;
  whole = quadFaces + PAIR;
  aboveRow = whole + POLYGON;
  inRow = aboveRow + POLYGON;
  rightOfLine = inRow + POLYGON;
  inQuad = rightOfLine + POLYGON;
  inHalf = inQuad + POLYGON;
  onSource = inHalf + POLYGON;
  onGrid = onSource + POINTS;
  store<i32>(whole, 3);
  store<f64>(whole, 0, 16);
  store<f64>(whole, 0, 24);
  store<f64>(whole, 1, 32);
  store<f64>(whole, 0, 40);
  store<f64>(whole, 0, 48);
  store<f64>(whole, 1, 56);
}

export function overlayArea(): f64 {
  return area;
}

export function overlayPieces(): i32 {
  return pieces;
}

/**
 * Walks images of triangles.
 *
 * @param distances receives a double per image: the distance of its pieces from the stored surface
 * @returns 0 if an image is too wide
 */
export function walkOverlay(images: usize, count: i32, distances: usize): i32 {
  for (let i = 0; i < count; i++, images += IMAGE_BYTES, distances += 8) {
    placeSource(images + 48);
    bySource = 0;
    if (!cutByGrid(images)) return 0;
    store<f64>(distances, bySource);
  }
  return 1;
}

function placeSource(at: usize): void {
  ax = load<f64>(at);
  ay = load<f64>(at, 8);
  az = load<f64>(at, 16);
  placeFaces(
    faces,
    f64x2.splat(0),
    f64x2.splat(0),
    f64x2.splat(0),
    f64x2.splat(load<f64>(at, 24) - ax),
    f64x2.splat(load<f64>(at, 32) - ay),
    f64x2.splat(load<f64>(at, 40) - az),
    f64x2.splat(load<f64>(at, 48) - ax),
    f64x2.splat(load<f64>(at, 56) - ay),
    f64x2.splat(load<f64>(at, 64) - az),
  );
}

@inline
function sizeOf(x: v128, y: v128, z: v128): v128 {
  return f64x2.add(f64x2.add(f64x2.abs(x), f64x2.abs(y)), f64x2.abs(z));
}

function placeFaces(
  pair: usize,
  x: v128,
  y: v128,
  z: v128,
  ux: v128,
  uy: v128,
  uz: v128,
  vx: v128,
  vy: v128,
  vz: v128,
): void {
  v128.store(pair, x);
  v128.store(pair, y, 16);
  v128.store(pair, z, 32);
  v128.store(pair, ux, 48);
  v128.store(pair, uy, 64);
  v128.store(pair, uz, 80);
  v128.store(pair, vx, 96);
  v128.store(pair, vy, 112);
  v128.store(pair, vz, 128);
  const uu = dotTwo(ux, uy, uz, ux, uy, uz);
  const uv = dotTwo(ux, uy, uz, vx, vy, vz);
  const vv = dotTwo(vx, vy, vz, vx, vy, vz);
  const determinant = f64x2.sub(f64x2.mul(uu, vv), f64x2.mul(uv, uv));
  v128.store(pair, uu, DOT_11);
  v128.store(pair, uv, DOT_12);
  v128.store(pair, vv, DOT_22);
  v128.store(pair, determinant, DETERMINANT);
  const least = f64x2.mul(f64x2.mul(f64x2.splat(THIN_SINE_2), uu), vv);
  // All bits set for a thin face.
  v128.store(pair, v128.not(f64x2.gt(determinant, least)), THIN);
  v128.store(pair, sizeOf(x, y, z), CORNER_SIZE);
  const ofFirst = sizeOf(ux, uy, uz);
  const edges = f64x2.add(f64x2.add(f64x2.add(ofFirst, f64x2.abs(vx)), f64x2.abs(vy)), f64x2.abs(vz));
  v128.store(pair, edges, EDGES_SIZE);
}

@inline
function sample(at: usize): f64 {
  return <f64>(<i32>load<u16>(at));
}

@inline
function decoded(first: usize, second: usize, base: f64): v128 {
  const both = f64x2.replace_lane(f64x2.splat(sample(first)), 1, sample(second));
  return f64x2.add(f64x2.splat(base), f64x2.mul(both, f64x2.splat(step)));
}

@inline
function swapped(both: v128): v128 {
  return v128.shuffle<f64>(both, both, 1, 0);
}

/** Places both halves of a quad a, b (above), c, d (below); they share b, c if it cuts down. */
function placeQuad(row: i32, column: i32, down: bool): void {
  const a = geometry + 6 * <usize>(row * (quads + 1) + column);
  const b = a + 6;
  const c = a + 6 * <usize>(quads + 1);
  const d = c + 6;
  const adx = decoded(a, d, baseX);
  const ady = decoded(a + 2, d + 2, baseY);
  const adz = decoded(a + 4, d + 4, baseZ);
  const bcx = decoded(b, c, baseX);
  const bcy = decoded(b + 2, c + 2, baseY);
  const bcz = decoded(b + 4, c + 4, baseZ);
  const cbx = swapped(bcx);
  const cby = swapped(bcy);
  const cbz = swapped(bcz);
  const fromX = f64x2.splat(ax);
  const fromY = f64x2.splat(ay);
  const fromZ = f64x2.splat(az);
  if (down) {
    placeFaces(
      quadFaces,
      f64x2.sub(cbx, fromX),
      f64x2.sub(cby, fromY),
      f64x2.sub(cbz, fromZ),
      f64x2.sub(swapped(adx), cbx),
      f64x2.sub(swapped(ady), cby),
      f64x2.sub(swapped(adz), cbz),
      f64x2.sub(adx, cbx),
      f64x2.sub(ady, cby),
      f64x2.sub(adz, cbz),
    );
  } else {
    placeFaces(
      quadFaces,
      f64x2.sub(adx, fromX),
      f64x2.sub(ady, fromY),
      f64x2.sub(adz, fromZ),
      f64x2.sub(bcx, adx),
      f64x2.sub(bcy, ady),
      f64x2.sub(bcz, adz),
      f64x2.sub(cbx, adx),
      f64x2.sub(cby, ady),
      f64x2.sub(cbz, adz),
    );
  }
}

/** Clips `from` to where the function of l0, l1, l2 is at least -m; may return `from` itself. */
function narrow(from: usize, to: usize, l0: f64, l1: f64, l2: f64): usize {
  if (l0 >= 0 && l1 >= 0 && l2 >= 0) return from;
  store<i32>(to, 0);
  if (l0 < 0 && l1 < 0 && l2 < 0) return to;
  const margin = MARGIN * max(max(abs(l0), abs(l1)), abs(l2));
  const dv = l1 - l0;
  const dw = l2 - l0;
  const count = <usize>load<i32>(from);
  if (count == 0) return to;
  let p = from + CORNERS;
  const end = p + 16 * count;
  let q = to + CORNERS;
  let pv = load<f64>(end - 16);
  let pw = load<f64>(end - 8);
  let before = l0 + pv * dv + pw * dw;
  for (; p < end; p += 16) {
    const v = load<f64>(p);
    const w = load<f64>(p, 8);
    const value = l0 + v * dv + w * dw;
    if (value >= -margin) {
      if (before < -margin) {
        const t = (value + margin) / (value - before);
        store<f64>(q, v + t * (pv - v));
        store<f64>(q, w + t * (pw - w), 8);
        q += 16;
      }
      store<f64>(q, v);
      store<f64>(q, w, 8);
      q += 16;
    } else if (before >= -margin) {
      const t = (before + margin) / (before - value);
      store<f64>(q, pv + t * (v - pv));
      store<f64>(q, pw + t * (w - pw), 8);
      q += 16;
    }
    pv = v;
    pw = w;
    before = value;
  }
  store<i32>(to, <i32>((q - to - CORNERS) >> 4));
  return to;
}

function cutByGrid(image: usize): bool {
  const half = <f64>quads / 2;
  const x0 = (load<f64>(image) + 1) * half;
  const y0 = (load<f64>(image, 8) + 1) * half;
  const x1 = (load<f64>(image, 16) + 1) * half;
  const y1 = (load<f64>(image, 24) + 1) * half;
  const x2 = (load<f64>(image, 32) + 1) * half;
  const y2 = (load<f64>(image, 40) + 1) * half;
  const lowX = min(min(x0, x1), x2);
  const highX = max(max(x0, x1), x2);
  const lowY = min(min(y0, y1), y2);
  const highY = max(max(y0, y1), y2);
  if (!(max(highX - lowX, highY - lowY) <= WIDEST * half)) return false;
  const firstRow = max(0, <i32>ceil(lowY) - 1);
  const lastRow = min(quads - 1, <i32>floor(highY));
  const firstColumn = max(0, <i32>ceil(lowX) - 1);
  const lastColumn = min(quads - 1, <i32>floor(highX));
  const twiceArea = (x1 - x0) * (y2 - y0) - (y1 - y0) * (x2 - x0);
  const slack = 2 * MARGIN * max(abs(lowX), abs(highX));
  const levels = page == 0 ? 0 : levelsOutside(firstRow, lastRow, firstColumn, lastColumn);
  for (let row = firstRow; row <= lastRow; row++) {
    const y = <f64>row;
    let strip = narrow(whole, aboveRow, y0 - y, y1 - y, y2 - y);
    strip = narrow(strip, inRow, y + 1 - y0, y + 1 - y1, y + 1 - y2);
    let left = firstColumn;
    let right = lastColumn;
    if (strip != whole) {
      let low = INFINITE;
      let high = -INFINITE;
      const end = strip + CORNERS + 16 * <usize>load<i32>(strip);
      for (let k = strip + CORNERS; k < end; k += 16) {
        const x = x0 + load<f64>(k) * (x1 - x0) + load<f64>(k, 8) * (x2 - x0);
        if (x < low) low = x;
        if (x > high) high = x;
      }
      if (!(low <= high)) continue;
      left = max(left, <i32>ceil(low - slack) - 1);
      right = min(right, <i32>floor(high + slack));
    }
    for (let column = left; column <= right; column++) {
      const x = <f64>column;
      let cell = narrow(strip, rightOfLine, x0 - x, x1 - x, x2 - x);
      cell = narrow(cell, inQuad, x + 1 - x0, x + 1 - x1, x + 1 - x2);
      if (load<i32>(cell) == 0) continue;
      if (levels != 0) reachOut(cell, row, column, levels);
      const quad = row * quads + column;
      const down = load<u8>(isDown + <usize>quad) == 1;
      placeQuad(row, column, down);
      for (let side = 0; side < 2; side++) {
        const cornerX = <f64>(side == 1 ? column + 1 : column);
        const cornerY = <f64>((side == 1) == down ? row : row + 1);
        const flipX: f64 = side == 1 ? -1 : 1;
        const flipY: f64 = (side == 1) == down ? 1 : -1;
        const f0 = flipX * (x0 - cornerX);
        const f1 = flipX * (x1 - cornerX);
        const f2 = flipX * (x2 - cornerX);
        const g0 = flipY * (y0 - cornerY);
        const g1 = flipY * (y1 - cornerY);
        const g2 = flipY * (y2 - cornerY);
        const piece = narrow(cell, inHalf, 1 - f0 - g0, 1 - f1 - g1, 1 - f2 - g2);
        if (load<i32>(piece) == 0) continue;
        pieces++;
        area += (twiceArea * areaOf(piece)) / 2;
        measure(quad, piece, side, f0, f1, f2, g0, g1, g2);
      }
    }
  }
  return true;
}

function areaOf(polygon: usize): f64 {
  const at = polygon + CORNERS;
  const end = at + 16 * <usize>load<i32>(polygon);
  const v0 = load<f64>(at);
  const w0 = load<f64>(at, 8);
  let sum: f64 = 0;
  for (let k = at + 16; k + 16 < end; k += 16) {
    sum += (load<f64>(k) - v0) * (load<f64>(k, 24) - w0) - (load<f64>(k, 8) - w0) * (load<f64>(k, 16) - v0);
  }
  return sum;
}

function nodeOffset(level: i32, row: i32, column: i32): usize {
  const width = (1 << exponent) + ((1 << exponent) >> 1);
  return level == exponent
    ? 4 * <usize>(row * width + column)
    : 4 * <usize>(((1 << exponent) - (2 << level) + row) * width + (1 << exponent) + column);
}

function levelsOutside(firstRow: i32, lastRow: i32, firstColumn: i32, lastColumn: i32): i32 {
  const bx = load<f64>(faces, EDGE_1);
  const by = load<f64>(faces, EDGE_1 + 16);
  const bz = load<f64>(faces, EDGE_1 + 32);
  const cx = load<f64>(faces, EDGE_2);
  const cy = load<f64>(faces, EDGE_2 + 16);
  const cz = load<f64>(faces, EDGE_2 + 32);
  const edges = load<f64>(faces, EDGES_SIZE);
  let levels = 0;
  for (let level = exponent; level >= 0; level--) {
    const shift = exponent - level;
    const top = firstRow >> shift;
    const bottom = lastRow >> shift;
    const left = firstColumn >> shift;
    const right = lastColumn >> shift;
    if ((bottom - top + 1) * (right - left + 1) > FEW_NODES) {
      levels |= 1 << level;
      continue;
    }
    const radiusStep = load<f64>(radiusSteps + ((<usize>level) << 3));
    let isInside = true;
    for (let row = top; row <= bottom && isInside; row++) {
      let offset = nodeOffset(level, row, left);
      for (let column = left; column <= right; column++, offset += 4) {
        const node = page + 2 * offset;
        const x = baseX + sample(node) * step - ax;
        const y = baseY + sample(node + 2) * step - ay;
        const z = baseZ + sample(node + 4) * step - az;
        const a = x * x + y * y + z * z;
        const b = (bx - x) * (bx - x) + (by - y) * (by - y) + (bz - z) * (bz - z);
        const c = (cx - x) * (cx - x) + (cy - y) * (cy - y) + (cz - z) * (cz - z);
        const most = max(max(a, b), c);
        const pad = 4 * (PAD * (edges + abs(x) + abs(y) + abs(z)) + LEAST);
        const reach = sample(node + 6) * radiusStep + load<f64>(outside + 2 * offset);
        if ((sqrt(most) + pad) * LOOSE <= reach) continue;
        isInside = false;
        break;
      }
    }
    if (!isInside) levels |= 1 << level;
  }
  return levels;
}

@inline
function splatOf(pair: usize, offset: usize): v128 {
  return v128.load64_splat(pair + offset);
}

/** v, or w, of two corners; the second one again the first where a polygon ends. */
@inline
function ofBoth(k: usize, next: usize, offset: usize): v128 {
  return f64x2.replace_lane(f64x2.splat(load<f64>(k + offset)), 1, load<f64>(next + offset));
}

@inline
function combined(v: v128, b: v128, w: v128, c: v128): v128 {
  return f64x2.add(f64x2.mul(v, b), f64x2.mul(w, c));
}

/** Puts a polygon's points of the source triangle into `onSource`; returns their end. */
function placeOnSource(polygon: usize): usize {
  const bx = splatOf(faces, EDGE_1);
  const by = splatOf(faces, EDGE_1 + 16);
  const bz = splatOf(faces, EDGE_1 + 32);
  const cx = splatOf(faces, EDGE_2);
  const cy = splatOf(faces, EDGE_2 + 16);
  const cz = splatOf(faces, EDGE_2 + 32);
  const end = polygon + CORNERS + 16 * <usize>load<i32>(polygon);
  let to = onSource;
  for (let k = polygon + CORNERS; k < end; k += 32, to += TWO_POINTS) {
    const next = k + 16 < end ? k + 16 : k;
    const v = ofBoth(k, next, 0);
    const w = ofBoth(k, next, 8);
    v128.store(to, combined(v, bx, w, cx));
    v128.store(to, combined(v, by, w, cy), 16);
    v128.store(to, combined(v, bz, w, cz), 32);
  }
  return to;
}

@inline
function greaterLane(both: v128): f64 {
  const first = f64x2.extract_lane(both, 0);
  const second = f64x2.extract_lane(both, 1);
  return first > second ? first : second;
}

function reachOut(cell: usize, row: i32, column: i32, levels: i32): void {
  const end = placeOnSource(cell);
  const edges = load<f64>(faces, EDGES_SIZE);
  for (let level = 0; level <= exponent; level++) {
    if (((levels >> level) & 1) == 0) continue;
    const shift = exponent - level;
    const offset = nodeOffset(level, row >> shift, column >> shift);
    const node = page + 2 * offset;
    const x = baseX + sample(node) * step - ax;
    const y = baseY + sample(node + 2) * step - ay;
    const z = baseZ + sample(node + 4) * step - az;
    const fromX = f64x2.splat(x);
    const fromY = f64x2.splat(y);
    const fromZ = f64x2.splat(z);
    let most = f64x2.splat(0);
    for (let k = onSource; k < end; k += TWO_POINTS) {
      const dx = f64x2.sub(v128.load(k), fromX);
      const dy = f64x2.sub(v128.load(k, 16), fromY);
      const dz = f64x2.sub(v128.load(k, 32), fromZ);
      most = f64x2.pmax(most, dotTwo(dx, dy, dz, dx, dy, dz));
    }
    const pad = PAD * (edges + abs(x) + abs(y) + abs(z)) + LEAST;
    const radius = sample(node + 6) * load<f64>(radiusSteps + ((<usize>level) << 3));
    const reach = (sqrt(greaterLane(most)) + pad) * RELATIVE - radius;
    const to = outside + 2 * offset;
    if (reach * RELATIVE > load<f64>(to)) store<f64>(to, reach * RELATIVE);
  }
}

function boundOnSource(end: usize, face: usize): f64 {
  const pad = PAD * (load<f64>(faces, EDGES_SIZE) + load<f64>(face, CORNER_SIZE) + load<f64>(face, EDGES_SIZE)) + LEAST;
  return (sqrt(farthestSquared(onSource, end, face)) + pad) * RELATIVE;
}

function measure(
  quad: i32,
  piece: usize,
  side: i32,
  f0: f64,
  f1: f64,
  f2: f64,
  g0: f64,
  g1: f64,
  g2: f64,
): void {
  const own = quadFaces + 8 * <usize>side;
  const other = quadFaces + 8 * <usize>(1 - side);
  const endOnSource = placeOnSource(piece);
  const px = splatOf(own, 0);
  const py = splatOf(own, 16);
  const pz = splatOf(own, 32);
  const ux = splatOf(own, EDGE_1);
  const uy = splatOf(own, EDGE_1 + 16);
  const uz = splatOf(own, EDGE_1 + 32);
  const vx = splatOf(own, EDGE_2);
  const vy = splatOf(own, EDGE_2 + 16);
  const vz = splatOf(own, EDGE_2 + 32);
  const d1v = f64x2.splat(f1 - f0);
  const d1w = f64x2.splat(f2 - f0);
  const d2v = f64x2.splat(g1 - g0);
  const d2w = f64x2.splat(g2 - g0);
  const fromF = f64x2.splat(f0);
  const fromG = f64x2.splat(g0);
  const end = piece + CORNERS + 16 * <usize>load<i32>(piece);
  let to = onGrid;
  for (let k = piece + CORNERS; k < end; k += 32, to += TWO_POINTS) {
    const next = k + 16 < end ? k + 16 : k;
    const v = ofBoth(k, next, 0);
    const w = ofBoth(k, next, 8);
    const f = f64x2.add(f64x2.add(fromF, f64x2.mul(v, d1v)), f64x2.mul(w, d1w));
    const g = f64x2.add(f64x2.add(fromG, f64x2.mul(v, d2v)), f64x2.mul(w, d2w));
    v128.store(to, f64x2.add(f64x2.add(px, f64x2.mul(f, ux)), f64x2.mul(g, vx)));
    v128.store(to, f64x2.add(f64x2.add(py, f64x2.mul(f, uy)), f64x2.mul(g, vy)), 16);
    v128.store(to, f64x2.add(f64x2.add(pz, f64x2.mul(f, uz)), f64x2.mul(g, vz)), 32);
  }
  const largestPlace = max(max(max(abs(f0), abs(f1)), abs(f2)), max(max(abs(g0), abs(g1)), abs(g2)));
  const ownEdges = load<f64>(own, EDGES_SIZE);
  const pad = PAD * (load<f64>(faces, EDGES_SIZE) + load<f64>(own, CORNER_SIZE) + ownEdges) + LEAST;
  const misplaced = MARGIN * largestPlace * ownEdges;
  const ofQuad = missing + ((<usize>quad) << 3);
  let bound = boundOnSource(endOnSource, own);
  const known = load<f64>(ofQuad);
  if (bound > known || bound > bySource) {
    bound = min(bound, boundOnSource(endOnSource, other));
    if (bound > known) store<f64>(ofQuad, bound);
    if (bound > bySource) bySource = bound;
  }
  bound = (sqrt(farthestSquared(onGrid, to, faces)) + pad + misplaced) * RELATIVE;
  const toExcess = excess + ((<usize>quad) << 3);
  if (bound > load<f64>(toExcess)) store<f64>(toExcess, bound);
}

/** A side's foot: `along` over `length2`, from 0 to 1. */
@inline
function shareOf(along: v128, length2: v128): v128 {
  const one = f64x2.splat(1);
  const share = v128.bitselect(f64x2.div(along, length2), one, f64x2.lt(along, length2));
  return v128.and(share, f64x2.gt(along, f64x2.splat(0)));
}

/** The lesser of `least` and a squared distance, where `where` has all bits set. */
@inline
function lowered(least: v128, dx: v128, dy: v128, dz: v128, where: v128): v128 {
  const squared = dotTwo(dx, dy, dz, dx, dy, dz);
  return v128.bitselect(squared, least, v128.and(where, f64x2.lt(squared, least)));
}

/** As in face-bound.ts, two points at once. */
function farthestSquared(points: usize, end: usize, face: usize): f64 {
  const px = splatOf(face, 0);
  const py = splatOf(face, 16);
  const pz = splatOf(face, 32);
  const ux = splatOf(face, EDGE_1);
  const uy = splatOf(face, EDGE_1 + 16);
  const uz = splatOf(face, EDGE_1 + 32);
  const vx = splatOf(face, EDGE_2);
  const vy = splatOf(face, EDGE_2 + 16);
  const vz = splatOf(face, EDGE_2 + 32);
  const uu = splatOf(face, DOT_11);
  const uv = splatOf(face, DOT_12);
  const vv = splatOf(face, DOT_22);
  const determinant = splatOf(face, DETERMINANT);
  const thin = splatOf(face, THIN);
  const zero = f64x2.splat(0);
  const isPlane = f64x2.gt(determinant, zero);
  let most = zero;
  for (; points < end; points += TWO_POINTS) {
    const x = f64x2.sub(v128.load(points), px);
    const y = f64x2.sub(v128.load(points, 16), py);
    const z = f64x2.sub(v128.load(points, 32), pz);
    const xu = dotTwo(x, y, z, ux, uy, uz);
    const xv = dotTwo(x, y, z, vx, vy, vz);
    const s = f64x2.sub(f64x2.mul(vv, xu), f64x2.mul(uv, xv));
    const t = f64x2.sub(f64x2.mul(uu, xv), f64x2.mul(uv, xu));
    const sum = f64x2.add(s, t);
    const inQuarter = v128.and(f64x2.ge(s, zero), f64x2.ge(t, zero));
    const isInside = v128.and(v128.and(inQuarter, f64x2.le(sum, determinant)), isPlane);
    let least = f64x2.splat(INFINITE);
    if (v128.any_true(isInside)) {
      const i = f64x2.div(s, determinant);
      const j = f64x2.div(t, determinant);
      const dx = f64x2.sub(f64x2.sub(x, f64x2.mul(i, ux)), f64x2.mul(j, vx));
      const dy = f64x2.sub(f64x2.sub(y, f64x2.mul(i, uy)), f64x2.mul(j, vy));
      const dz = f64x2.sub(f64x2.sub(z, f64x2.mul(i, uz)), f64x2.mul(j, vz));
      least = v128.bitselect(dotTwo(dx, dy, dz, dx, dy, dz), least, isInside);
    }
    const belowFirst = v128.or(thin, f64x2.lt(t, zero));
    if (v128.any_true(belowFirst)) {
      const i = shareOf(xu, uu);
      least = lowered(
        least,
        f64x2.sub(x, f64x2.mul(i, ux)),
        f64x2.sub(y, f64x2.mul(i, uy)),
        f64x2.sub(z, f64x2.mul(i, uz)),
        belowFirst,
      );
    }
    const belowSecond = v128.or(thin, f64x2.lt(s, zero));
    if (v128.any_true(belowSecond)) {
      const j = shareOf(xv, vv);
      least = lowered(
        least,
        f64x2.sub(x, f64x2.mul(j, vx)),
        f64x2.sub(y, f64x2.mul(j, vy)),
        f64x2.sub(z, f64x2.mul(j, vz)),
        belowSecond,
      );
    }
    const beyondThird = v128.or(thin, f64x2.gt(sum, determinant));
    if (v128.any_true(beyondThird)) {
      const ww = f64x2.add(f64x2.sub(uu, f64x2.mul(f64x2.splat(2), uv)), vv);
      const along = f64x2.sub(f64x2.add(f64x2.sub(xv, xu), uu), uv);
      const j = shareOf(along, ww);
      const i = f64x2.sub(f64x2.splat(1), j);
      least = lowered(
        least,
        f64x2.sub(f64x2.sub(x, f64x2.mul(i, ux)), f64x2.mul(j, vx)),
        f64x2.sub(f64x2.sub(y, f64x2.mul(i, uy)), f64x2.mul(j, vy)),
        f64x2.sub(f64x2.sub(z, f64x2.mul(i, uz)), f64x2.mul(j, vz)),
        beyondThird,
      );
    }
    most = f64x2.pmax(most, least);
  }
  return greaterLane(most);
}
