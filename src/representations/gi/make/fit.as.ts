/**
 * Gathers and solves the equations of a fit in WebAssembly: the operations of fit.ts on doubles in
 * the same order, so the same bits.
 */

const TANGENTIAL: f64 = 0.01;
/** Bytes of a sample's matrices, and of those after its own; see NUMBERS in fit.ts. */
const MATRICES: usize = 8 * 24;
const ACROSS: usize = 8 * 6;
const DOWN: usize = 8 * 12;
const DIAGONAL: usize = 8 * 18;
/** Bytes of x, y, z. */
const POINT: usize = 24;

let total: f64 = 0;
let normalX: f64 = 0;
let normalY: f64 = 0;
let normalZ: f64 = 0;
/** The metric's xx, xy; xz, yy; yz, zz. */
let metric0: v128 = f64x2.splat(0);
let metric1: v128 = f64x2.splat(0);
let metric2: v128 = f64x2.splat(0);

export function clearGather(): void {
  total = 0;
}

/** The area that was gathered since. */
export function gatherTotal(): f64 {
  return total;
}

/**
 * Gathers a row of quads.
 *
 * @param fine positions of the fine grid, from row `fineFirst` on: one more than the quads' on
 *   either side, if there is one
 * @param owner of the chart's samples
 */
export function gatherRow(
  fine: usize,
  fineFirst: i32,
  fineSize: i32,
  parts: i32,
  row: i32,
  size: i32,
  positions: usize,
  splits: usize,
  owner: usize,
  matrices: usize,
  right: usize,
  first: i32,
): void {
  const cells = size - 1;
  const steps = <f64>parts;
  for (let column = 0; column < cells; column++) {
    const g = row * size + column;
    const isMain = load<u8>(splits + <usize>(row * cells + column)) != 0;
    const m = matrices + MATRICES * <usize>(first + g);
    const below = m + MATRICES * <usize>size;
    for (let i = 0; i <= parts; i++) {
      for (let j = 0; j <= parts; j++) {
        const fineRow = row * parts + i;
        const fineColumn = column * parts + j;
        const area = measure(fine, fineFirst, fineSize, fineRow, fineColumn);
        if (!(area > 0)) continue;
        const ends: f64 = (i == 0 || i == parts ? 0.5 : 1) * (j == 0 || j == parts ? 0.5 : 1);
        total += ends * area;
        const down = <f64>i / steps;
        const across = <f64>j / steps;
        let a: f64;
        let b: f64;
        let c: f64;
        let ga = g;
        let gb = g;
        let gc = g + size + 1;
        let ab = m + ACROSS;
        let ac = m + MATRICES + DOWN;
        if (isMain) {
          a = abs(down - across);
          b = 1 - max(down, across);
          c = min(down, across);
          if (down >= across) {
            ga = g + size;
            ab = m + DOWN;
            ac = below + ACROSS;
          } else {
            ga = g + 1;
          }
        } else {
          const isFirst = down + across <= 1;
          a = abs(down + across - 1);
          b = isFirst ? across : 1 - down;
          c = isFirst ? down : 1 - across;
          gb = g + 1;
          gc = g + size;
          if (isFirst) {
            ac = m + DOWN;
          } else {
            ga = g + size + 1;
            ab = m + MATRICES + DOWN;
            ac = below + ACROSS;
          }
        }
        const f = fine + POINT * <usize>((fineRow - fineFirst) * fineSize + fineColumn);
        const xa = positions + POINT * <usize>ga;
        const xb = positions + POINT * <usize>gb;
        const xc = positions + POINT * <usize>gc;
        const dx = load<f64>(f) - (a * load<f64>(xa) + b * load<f64>(xb) + c * load<f64>(xc));
        const dy = load<f64>(f, 8) - (a * load<f64>(xa, 8) + b * load<f64>(xb, 8) + c * load<f64>(xc, 8));
        const dz = load<f64>(f, 16) - (a * load<f64>(xa, 16) + b * load<f64>(xb, 16) + c * load<f64>(xc, 16));
        setMetric(ends, area);
        const oa = <usize>load<i32>(owner + ((<usize>ga) << 2));
        const ob = <usize>load<i32>(owner + ((<usize>gb) << 2));
        const oc = <usize>load<i32>(owner + ((<usize>gc) << 2));
        addForces(right + POINT * oa, right + POINT * ob, right + POINT * oc, a, b, c, dx, dy, dz);
        addBlock(matrices + MATRICES * oa, a * a);
        addBlock(matrices + MATRICES * ob, b * b);
        addBlock(matrices + MATRICES * oc, c * c);
        addBlock(ab, a * b);
        addBlock(ac, a * c);
        addBlock(m + DIAGONAL, b * c);
      }
    }
  }
}

/** The source's area at a fine grid point, and its normal as long. */
// @ts-ignore: decorator
@inline
function measure(fine: usize, fineFirst: i32, size: i32, row: i32, column: i32): f64 {
  const last = size - 1;
  const up = fine + POINT * <usize>((max(0, row - 1) - fineFirst) * size + column);
  const down = fine + POINT * <usize>((min(last, row + 1) - fineFirst) * size + column);
  const left = fine + POINT * <usize>((row - fineFirst) * size + max(0, column - 1));
  const right = fine + POINT * <usize>((row - fineFirst) * size + min(last, column + 1));
  const ax = load<f64>(down) - load<f64>(up);
  const ay = load<f64>(down, 8) - load<f64>(up, 8);
  const az = load<f64>(down, 16) - load<f64>(up, 16);
  const bx = load<f64>(right) - load<f64>(left);
  const by = load<f64>(right, 8) - load<f64>(left, 8);
  const bz = load<f64>(right, 16) - load<f64>(left, 16);
  const sides: f64 = (row > 0 && row < last ? 2 : 1) * (column > 0 && column < last ? 2 : 1);
  const share = 1 / sides;
  normalX = share * (ay * bz - az * by);
  normalY = share * (az * bx - ax * bz);
  normalZ = share * (ax * by - ay * bx);
  return sqrt(normalX * normalX + normalY * normalY + normalZ * normalZ);
}

// @ts-ignore: decorator
@inline
function pair(first: f64, second: f64): v128 {
  return f64x2.replace_lane(f64x2.splat(first), 1, second);
}

// @ts-ignore: decorator
@inline
function setMetric(ends: f64, area: f64): void {
  const w = ends / area;
  const along = TANGENTIAL * ends * area;
  const wx = w * normalX;
  const wy = w * normalY;
  metric0 = pair(wx * normalX + along, wx * normalY);
  metric1 = pair(wx * normalZ, wy * normalY + along);
  metric2 = pair(wy * normalZ, w * normalZ * normalZ + along);
}

// @ts-ignore: decorator
@inline
function addForces(
  toA: usize,
  toB: usize,
  toC: usize,
  a: f64,
  b: f64,
  c: f64,
  dx: f64,
  dy: f64,
  dz: f64,
): void {
  const xx = f64x2.extract_lane(metric0, 0);
  const xy = f64x2.extract_lane(metric0, 1);
  const xz = f64x2.extract_lane(metric1, 0);
  const yy = f64x2.extract_lane(metric1, 1);
  const yz = f64x2.extract_lane(metric2, 0);
  const zz = f64x2.extract_lane(metric2, 1);
  const x = xx * dx + xy * dy + xz * dz;
  const y = xy * dx + yy * dy + yz * dz;
  const z = xz * dx + yz * dy + zz * dz;
  addPoint(toA, a * x, a * y, a * z);
  addPoint(toB, b * x, b * y, b * z);
  addPoint(toC, c * x, c * y, c * z);
}

// @ts-ignore: decorator
@inline
function addPoint(to: usize, x: f64, y: f64, z: f64): void {
  store<f64>(to, load<f64>(to) + x);
  store<f64>(to, load<f64>(to, 8) + y, 8);
  store<f64>(to, load<f64>(to, 16) + z, 16);
}

// @ts-ignore: decorator
@inline
function addBlock(to: usize, weight: f64): void {
  const both = f64x2.splat(weight);
  v128.store(to, f64x2.add(v128.load(to), f64x2.mul(both, metric0)));
  v128.store(to, f64x2.add(v128.load(to, 16), f64x2.mul(both, metric1)), 16);
  v128.store(to, f64x2.add(v128.load(to, 32), f64x2.mul(both, metric2)), 32);
}

/**
 * Solves the equations by conjugate gradients, from 0.
 *
 * @param charts three numbers each: the first sample, the size, and the first quad's split
 * @param residual the right side; changed
 * @param moves receives the solution; zeros
 * @param scratch three times as long as `moves`
 */
export function solveFit(
  matrices: usize,
  owner: usize,
  stays: usize,
  charts: usize,
  chartCount: i32,
  splits: usize,
  weights: usize,
  residual: usize,
  moves: usize,
  scratch: usize,
  samples: i32,
  steps: i32,
): void {
  const bytes = POINT * <usize>samples;
  const image = scratch;
  const scaled = image + bytes;
  const direction = scaled + bytes;
  let squares = scaleAndDot(residual, scaled, weights, samples);
  memory.copy(direction, scaled, bytes);
  for (let step = 0; step < steps && squares > 0; step++) {
    memory.fill(image, 0, bytes);
    for (let chart = 0; chart < chartCount; chart++) {
      const at = charts + 12 * <usize>chart;
      const ofChart = splits + <usize>load<i32>(at, 8);
      multiply(matrices, owner, load<i32>(at), load<i32>(at, 4), ofChart, direction, image);
    }
    for (let g: usize = 0; g < <usize>samples; g++) {
      if (load<u8>(stays + g) == 1) memory.fill(image + POINT * g, 0, POINT);
    }
    const length = squares / dot(direction, image, bytes);
    if (!(length > 0 && length < f64.POSITIVE_INFINITY)) break;
    const both = f64x2.splat(length);
    const evenBytes = bytes & ~15;
    for (let i: usize = 0; i < evenBytes; i += 16) {
      v128.store(moves + i, f64x2.add(v128.load(moves + i), f64x2.mul(both, v128.load(direction + i))));
      v128.store(residual + i, f64x2.sub(v128.load(residual + i), f64x2.mul(both, v128.load(image + i))));
    }
    if (evenBytes < bytes) {
      const i = evenBytes;
      store<f64>(moves + i, load<f64>(moves + i) + length * load<f64>(direction + i));
      store<f64>(residual + i, load<f64>(residual + i) - length * load<f64>(image + i));
    }
    const next = scaleAndDot(residual, scaled, weights, samples);
    const turn = next / squares;
    squares = next;
    for (let i: usize = 0; i < bytes; i += 8) {
      store<f64>(direction + i, load<f64>(scaled + i) + turn * load<f64>(direction + i));
    }
  }
}

/** Scales the residual by the weights, and returns its product with that. */
function scaleAndDot(residual: usize, scaled: usize, weights: usize, samples: i32): f64 {
  let sum: f64 = 0;
  for (let g: usize = 0; g < <usize>samples; g++) {
    const weight = load<f64>(weights + (g << 3));
    const at = POINT * g;
    for (let i = at; i < at + POINT; i += 8) {
      const own = load<f64>(residual + i);
      const other = weight > 0 ? own / weight : 0;
      store<f64>(scaled + i, other);
      sum += own * other;
    }
  }
  return sum;
}

function dot(a: usize, b: usize, bytes: usize): f64 {
  let sum: f64 = 0;
  for (let i: usize = 0; i < bytes; i += 8) sum += load<f64>(a + i) * load<f64>(b + i);
  return sum;
}

function multiply(
  matrices: usize,
  owner: usize,
  first: i32,
  size: i32,
  splits: usize,
  from: usize,
  to: usize,
): void {
  const cells = size - 1;
  const end = <usize>(first + size * size);
  for (let g = <usize>first; g < end; g++) {
    const m = matrices + MATRICES * g;
    const at = POINT * g;
    const x = load<f64>(from + at);
    const y = load<f64>(from + at, 8);
    const z = load<f64>(from + at, 16);
    addProduct(to + at, m, x, y, z);
  }
  let g = <usize>first;
  const down = <usize>size;
  for (let row = 0; row <= cells; row++) {
    for (let column = 0; column <= cells; column++, g++) {
      const m = matrices + MATRICES * g;
      const own = offsetOf(owner, g);
      if (column < cells) couple(m + ACROSS, own, offsetOf(owner, g + 1), from, to);
      if (row == cells) continue;
      couple(m + DOWN, own, offsetOf(owner, g + down), from, to);
      if (column == cells) continue;
      if (load<u8>(splits + <usize>(row * cells + column))) {
        couple(m + DIAGONAL, own, offsetOf(owner, g + down + 1), from, to);
      } else {
        couple(m + DIAGONAL, offsetOf(owner, g + 1), offsetOf(owner, g + down), from, to);
      }
    }
  }
}

// @ts-ignore: decorator
@inline
function offsetOf(owner: usize, g: usize): usize {
  return POINT * <usize>load<i32>(owner + (g << 2));
}

// @ts-ignore: decorator
@inline
function addProduct(to: usize, m: usize, x: f64, y: f64, z: f64): void {
  const xy = load<f64>(m, 8);
  const xz = load<f64>(m, 16);
  const yz = load<f64>(m, 32);
  addPoint(
    to,
    load<f64>(m) * x + xy * y + xz * z,
    xy * x + load<f64>(m, 24) * y + yz * z,
    xz * x + yz * y + load<f64>(m, 40) * z,
  );
}

// @ts-ignore: decorator
@inline
function couple(m: usize, a: usize, b: usize, from: usize, to: usize): void {
  const ax = load<f64>(from + a);
  const ay = load<f64>(from + a, 8);
  const az = load<f64>(from + a, 16);
  const bx = load<f64>(from + b);
  const by = load<f64>(from + b, 8);
  const bz = load<f64>(from + b, 16);
  addProduct(to + a, m, bx, by, bz);
  addProduct(to + b, m, ax, ay, az);
}
