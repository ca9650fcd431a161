/**
 * Walks the overlay of a chart and its source in WebAssembly: the operations of overlay.ts on
 * doubles in the same order, so the same bits. The proof stands there, the letters too.
 */

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

/** Faces, as in face-bound.ts: bytes of each. */
const FACE: usize = 8 * 16;
const DOT_11: usize = 72;
const DOT_12: usize = 80;
const DOT_22: usize = 88;
const DETERMINANT: usize = 96;
const THIN: usize = 104;
const CORNER_SIZE: usize = 112;
const EDGES_SIZE: usize = 120;

/** A polygon: the number of its corners, and then v, w of up to 32. */
const CORNERS: usize = 8;
const POLYGON: usize = 8 + 8 * 64;
const POINTS: usize = 8 * 96;

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
  return 3 * FACE + 6 * POLYGON + 2 * POINTS;
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
  whole = faces + 3 * FACE;
  aboveRow = whole + POLYGON;
  inRow = aboveRow + POLYGON;
  rightOfLine = inRow + POLYGON;
  inQuad = rightOfLine + POLYGON;
  inHalf = inQuad + POLYGON;
  onSource = inHalf + POLYGON;
  onGrid = onSource + POINTS;
  store<i32>(whole, 3);
  store<f64>(whole, 0, 8);
  store<f64>(whole, 0, 16);
  store<f64>(whole, 1, 24);
  store<f64>(whole, 0, 32);
  store<f64>(whole, 0, 40);
  store<f64>(whole, 1, 48);
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
  placeFace(
    faces,
    0,
    0,
    0,
    load<f64>(at, 24) - ax,
    load<f64>(at, 32) - ay,
    load<f64>(at, 40) - az,
    load<f64>(at, 48) - ax,
    load<f64>(at, 56) - ay,
    load<f64>(at, 64) - az,
  );
}

function placeFace(
  face: usize,
  x: f64,
  y: f64,
  z: f64,
  ux: f64,
  uy: f64,
  uz: f64,
  vx: f64,
  vy: f64,
  vz: f64,
): void {
  store<f64>(face, x);
  store<f64>(face, y, 8);
  store<f64>(face, z, 16);
  store<f64>(face, ux, 24);
  store<f64>(face, uy, 32);
  store<f64>(face, uz, 40);
  store<f64>(face, vx, 48);
  store<f64>(face, vy, 56);
  store<f64>(face, vz, 64);
  const uu = ux * ux + uy * uy + uz * uz;
  const uv = ux * vx + uy * vy + uz * vz;
  const vv = vx * vx + vy * vy + vz * vz;
  const determinant = uu * vv - uv * uv;
  store<f64>(face, uu, DOT_11);
  store<f64>(face, uv, DOT_12);
  store<f64>(face, vv, DOT_22);
  store<f64>(face, determinant, DETERMINANT);
  store<f64>(face, determinant > THIN_SINE_2 * uu * vv ? 0 : 1, THIN);
  store<f64>(face, abs(x) + abs(y) + abs(z), CORNER_SIZE);
  store<f64>(face, abs(ux) + abs(uy) + abs(uz) + abs(vx) + abs(vy) + abs(vz), EDGES_SIZE);
}

// @ts-ignore: decorator
@inline
function sample(at: usize): f64 {
  return <f64>(<i32>load<u16>(at));
}

function placeQuad(row: i32, column: i32, down: bool): void {
  const a = geometry + 6 * <usize>(row * (quads + 1) + column);
  const c = a + 6 * <usize>(quads + 1);
  const pax = baseX + sample(a) * step;
  const pay = baseY + sample(a + 2) * step;
  const paz = baseZ + sample(a + 4) * step;
  const pbx = baseX + sample(a + 6) * step;
  const pby = baseY + sample(a + 8) * step;
  const pbz = baseZ + sample(a + 10) * step;
  const pcx = baseX + sample(c) * step;
  const pcy = baseY + sample(c + 2) * step;
  const pcz = baseZ + sample(c + 4) * step;
  const pdx = baseX + sample(c + 6) * step;
  const pdy = baseY + sample(c + 8) * step;
  const pdz = baseZ + sample(c + 10) * step;
  const first = faces + FACE;
  const second = first + FACE;
  if (down) {
    placeFace(first, pcx - ax, pcy - ay, pcz - az, pdx - pcx, pdy - pcy, pdz - pcz, pax - pcx, pay - pcy, paz - pcz);
    placeFace(second, pbx - ax, pby - ay, pbz - az, pax - pbx, pay - pby, paz - pbz, pdx - pbx, pdy - pby, pdz - pbz);
  } else {
    placeFace(first, pax - ax, pay - ay, paz - az, pbx - pax, pby - pay, pbz - paz, pcx - pax, pcy - pay, pcz - paz);
    placeFace(second, pdx - ax, pdy - ay, pdz - az, pcx - pdx, pcy - pdy, pcz - pdz, pbx - pdx, pby - pdy, pbz - pdz);
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
  const bx = load<f64>(faces, 24);
  const by = load<f64>(faces, 32);
  const bz = load<f64>(faces, 40);
  const cx = load<f64>(faces, 48);
  const cy = load<f64>(faces, 56);
  const cz = load<f64>(faces, 64);
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

/** Puts a polygon's points of the source triangle into `onSource`. */
function placeOnSource(polygon: usize): void {
  const bx = load<f64>(faces, 24);
  const by = load<f64>(faces, 32);
  const bz = load<f64>(faces, 40);
  const cx = load<f64>(faces, 48);
  const cy = load<f64>(faces, 56);
  const cz = load<f64>(faces, 64);
  const end = polygon + CORNERS + 16 * <usize>load<i32>(polygon);
  let to = onSource;
  for (let k = polygon + CORNERS; k < end; k += 16, to += 24) {
    const v = load<f64>(k);
    const w = load<f64>(k, 8);
    store<f64>(to, v * bx + w * cx);
    store<f64>(to, v * by + w * cy, 8);
    store<f64>(to, v * bz + w * cz, 16);
  }
}

function reachOut(cell: usize, row: i32, column: i32, levels: i32): void {
  placeOnSource(cell);
  const end = onSource + 24 * <usize>load<i32>(cell);
  const edges = load<f64>(faces, EDGES_SIZE);
  for (let level = 0; level <= exponent; level++) {
    if (((levels >> level) & 1) == 0) continue;
    const shift = exponent - level;
    const offset = nodeOffset(level, row >> shift, column >> shift);
    const node = page + 2 * offset;
    const x = baseX + sample(node) * step - ax;
    const y = baseY + sample(node + 2) * step - ay;
    const z = baseZ + sample(node + 4) * step - az;
    let most: f64 = 0;
    for (let k = onSource; k < end; k += 24) {
      const dx = load<f64>(k) - x;
      const dy = load<f64>(k, 8) - y;
      const dz = load<f64>(k, 16) - z;
      most = max(most, dx * dx + dy * dy + dz * dz);
    }
    const pad = PAD * (edges + abs(x) + abs(y) + abs(z)) + LEAST;
    const reach =
      (sqrt(most) + pad) * RELATIVE - sample(node + 6) * load<f64>(radiusSteps + ((<usize>level) << 3));
    const to = outside + 2 * offset;
    if (reach * RELATIVE > load<f64>(to)) store<f64>(to, reach * RELATIVE);
  }
}

function boundOnSource(count: i32, face: usize): f64 {
  const pad = PAD * (load<f64>(faces, EDGES_SIZE) + load<f64>(face, CORNER_SIZE) + load<f64>(face, EDGES_SIZE)) + LEAST;
  return (sqrt(farthestSquared(onSource, count, face)) + pad) * RELATIVE;
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
  const own = faces + FACE * <usize>(1 + side);
  const other = faces + FACE * <usize>(2 - side);
  const count = load<i32>(piece);
  const d1v = f1 - f0;
  const d1w = f2 - f0;
  const d2v = g1 - g0;
  const d2w = g2 - g0;
  placeOnSource(piece);
  const px = load<f64>(own);
  const py = load<f64>(own, 8);
  const pz = load<f64>(own, 16);
  const ux = load<f64>(own, 24);
  const uy = load<f64>(own, 32);
  const uz = load<f64>(own, 40);
  const vx = load<f64>(own, 48);
  const vy = load<f64>(own, 56);
  const vz = load<f64>(own, 64);
  const end = piece + CORNERS + 16 * <usize>count;
  let to = onGrid;
  for (let k = piece + CORNERS; k < end; k += 16, to += 24) {
    const v = load<f64>(k);
    const w = load<f64>(k, 8);
    const f = f0 + v * d1v + w * d1w;
    const g = g0 + v * d2v + w * d2w;
    store<f64>(to, px + f * ux + g * vx);
    store<f64>(to, py + f * uy + g * vy, 8);
    store<f64>(to, pz + f * uz + g * vz, 16);
  }
  const largestPlace = max(max(max(abs(f0), abs(f1)), abs(f2)), max(max(abs(g0), abs(g1)), abs(g2)));
  const ownEdges = load<f64>(own, EDGES_SIZE);
  const pad = PAD * (load<f64>(faces, EDGES_SIZE) + load<f64>(own, CORNER_SIZE) + ownEdges) + LEAST;
  const misplaced = MARGIN * largestPlace * ownEdges;
  const ofQuad = missing + ((<usize>quad) << 3);
  let bound = boundOnSource(count, own);
  const known = load<f64>(ofQuad);
  if (bound > known || bound > bySource) {
    bound = min(bound, boundOnSource(count, other));
    if (bound > known) store<f64>(ofQuad, bound);
    if (bound > bySource) bySource = bound;
  }
  bound = (sqrt(farthestSquared(onGrid, count, faces)) + pad + misplaced) * RELATIVE;
  const toExcess = excess + ((<usize>quad) << 3);
  if (bound > load<f64>(toExcess)) store<f64>(toExcess, bound);
}

/** As in face-bound.ts. */
function farthestSquared(points: usize, count: i32, face: usize): f64 {
  const px = load<f64>(face);
  const py = load<f64>(face, 8);
  const pz = load<f64>(face, 16);
  const ux = load<f64>(face, 24);
  const uy = load<f64>(face, 32);
  const uz = load<f64>(face, 40);
  const vx = load<f64>(face, 48);
  const vy = load<f64>(face, 56);
  const vz = load<f64>(face, 64);
  const uu = load<f64>(face, DOT_11);
  const uv = load<f64>(face, DOT_12);
  const vv = load<f64>(face, DOT_22);
  const determinant = load<f64>(face, DETERMINANT);
  const thin = load<f64>(face, THIN) == 1;
  const end = points + 24 * <usize>count;
  let most: f64 = 0;
  for (; points < end; points += 24) {
    const x = load<f64>(points) - px;
    const y = load<f64>(points, 8) - py;
    const z = load<f64>(points, 16) - pz;
    const xu = x * ux + y * uy + z * uz;
    const xv = x * vx + y * vy + z * vz;
    const s = vv * xu - uv * xv;
    const t = uu * xv - uv * xu;
    let least = INFINITE;
    if (determinant > 0 && s >= 0 && t >= 0 && s + t <= determinant) {
      const i = s / determinant;
      const j = t / determinant;
      const dx = x - i * ux - j * vx;
      const dy = y - i * uy - j * vy;
      const dz = z - i * uz - j * vz;
      least = dx * dx + dy * dy + dz * dz;
      if (!thin) {
        if (least > most) most = least;
        continue;
      }
    }
    if (thin || t < 0) {
      const i = xu > 0 ? (xu < uu ? xu / uu : 1) : 0;
      const dx = x - i * ux;
      const dy = y - i * uy;
      const dz = z - i * uz;
      least = min(least, dx * dx + dy * dy + dz * dz);
    }
    if (thin || s < 0) {
      const j = xv > 0 ? (xv < vv ? xv / vv : 1) : 0;
      const dx = x - j * vx;
      const dy = y - j * vy;
      const dz = z - j * vz;
      least = min(least, dx * dx + dy * dy + dz * dz);
    }
    if (thin || s + t > determinant) {
      const ww = uu - 2 * uv + vv;
      const along = xv - xu + uu - uv;
      const j = along > 0 ? (along < ww ? along / ww : 1) : 0;
      const i = 1 - j;
      const dx = x - i * ux - j * vx;
      const dy = y - i * uy - j * vy;
      const dz = z - i * uz - j * vz;
      least = min(least, dx * dx + dy * dy + dz * dz);
    }
    if (least > most) most = least;
  }
  return most;
}
