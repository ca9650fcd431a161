/**
 * Fits the slabs of a geometry image's nodes as proved in slab-tree.ts: the same operations on
 * doubles, so the same bytes.
 *
 * N . q is below 2^15 2^16 = 2^31, since N's coordinates add up to 32767, whatever their signs:
 * 32-bit integers hold it. In large patches four vertices are tested per step.
 */

const U: f64 = 1.0 / 9007199254740992.0; // 2^-53
const OCTAHEDRON: i32 = 32767;
const ZERO: f64 = 32768;
const STEPS: f64 = 32766;
const MOST_ON_SIDE: i32 = 16;
const SAMPLE_BYTES: usize = 6;

// Current patch: first vertex, bytes per row of vertices, quads per side; its sphere's center.
let first: usize = 0;
let down: usize = 0;
let span: i32 = 0;
let centreX: i32 = 0;
let centreY: i32 = 0;
let centreZ: i32 = 0;

// Thinnest slab so far: code, N's length, and the least and largest N . (q - k).
let bestWidth: f64 = 0;
let bestU: i32 = 0;
let bestV: i32 = 0;
let bestLength: f64 = 0;
let bestLow: f64 = 0;
let bestHigh: f64 = 0;

/**
 * Fits the slabs of `rows` x `columns` nodes, each of `quads` x `quads` quads.
 *
 * @param samples of the first node's first vertex; `width` samples per row
 * @param spheres the nodes' pixels, four u16 each
 * @param slabs receives as many
 * @param error greatest decoding error of a distance, model units
 */
export function fitSlabs(
  samples: usize,
  width: i32,
  quads: i32,
  rows: i32,
  columns: i32,
  radiusStep: f64,
  step: f64,
  error: f64,
  spheres: usize,
  slabs: usize,
): void {
  down = SAMPLE_BYTES * <usize>width;
  span = quads;
  let node: usize = 0;
  for (let row = 0; row < rows; row++) {
    first = samples + <usize>(row * quads) * down;
    for (let column = 0; column < columns; column++, node += 8, first += SAMPLE_BYTES * <usize>quads) {
      const sphere = spheres + node;
      centreX = load<u16>(sphere);
      centreY = load<u16>(sphere, 2);
      centreZ = load<u16>(sphere, 4);
      choose();
      const low = (step * bestLow) / bestLength - error;
      const high = (step * bestHigh) / bestLength + error;
      const radius = <f64>(<i32>load<u16>(sphere, 6)) * radiusStep;
      store<u16>(slabs + node, <u16>bestU);
      store<u16>(slabs + node, <u16>bestV, 2);
      store<u16>(slabs + node, <u16>codeBelow(low - 8 * U * abs(low), radius), 4);
      store<u16>(slabs + node, <u16>(65536 - codeBelow(-(high + 8 * U * abs(high)), radius)), 6);
    }
  }
}

function choose(): void {
  const across = SAMPLE_BYTES * <usize>span;
  const a = first;
  const b = a + across;
  const c = a + down * <usize>span;
  const d = c + across;
  bestWidth = Infinity;
  tryNormal(d, a, b, c);
  if (span > 1) tryArea();
  if (span <= 2) {
    tryNormal(b, a, c, a);
    tryNormal(b, d, c, d);
    tryNormal(a, c, d, c);
    tryNormal(a, b, d, b);
  }
  if (bestWidth == Infinity) tryVector(0, 0, 1);
}

/** Largest code whose offset is at most `offset`, or 1. */
function codeBelow(offset: f64, radius: f64): i32 {
  if (!(radius > 0)) return <i32>ZERO;
  let code = max<f64>(1, min<f64>(ZERO, floor((offset / radius) * STEPS) + ZERO));
  while (code > 1 && ((code - ZERO) / STEPS) * radius > offset) code--;
  return <i32>code;
}

@inline
function sample(at: usize): i32 {
  return <i32>load<u16>(at);
}

function tryNormal(p: usize, q: usize, r: usize, s: usize): void {
  const ux = <f64>(sample(p) - sample(q));
  const uy = <f64>(sample(p + 2) - sample(q + 2));
  const uz = <f64>(sample(p + 4) - sample(q + 4));
  const vx = <f64>(sample(r) - sample(s));
  const vy = <f64>(sample(r + 2) - sample(s + 2));
  const vz = <f64>(sample(r + 4) - sample(s + 4));
  tryVector(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx);
}

/** Rounds halves up, like Math.round. */
@inline
function rounded(x: f64): i32 {
  const below = floor(x);
  return <i32>below + (x - below >= 0.5 ? 1 : 0);
}

function tryVector(x: f64, y: f64, z: f64): void {
  const sum = abs(x) + abs(y) + abs(z);
  if (sum == 0) return;
  const most = <f64>OCTAHEDRON;
  let u = (x / sum) * most;
  let v = (y / sum) * most;
  if (z < 0) {
    const folded = u < 0 ? abs(v) - most : most - abs(v);
    v = v < 0 ? abs(u) - most : most - abs(u);
    u = folded;
  }
  const codeU = rounded(u);
  const codeV = rounded(v);
  let nx = codeU;
  let ny = codeV;
  const nz = OCTAHEDRON - abs(codeU) - abs(codeV);
  if (nz < 0) {
    nx = codeU < 0 ? abs(codeV) - OCTAHEDRON : OCTAHEDRON - abs(codeV);
    ny = codeV < 0 ? abs(codeU) - OCTAHEDRON : OCTAHEDRON - abs(codeU);
  }
  findHeights(nx, ny, nz);
  const fx = <f64>nx;
  const fy = <f64>ny;
  const fz = <f64>nz;
  const length = sqrt(fx * fx + fy * fy + fz * fz);
  const width = (<f64>highest - <f64>lowest) / length;
  if (!(width < bestWidth)) return;
  const offset = <f64>(nx * centreX + ny * centreY + nz * centreZ);
  bestWidth = width;
  bestU = codeU + OCTAHEDRON;
  bestV = codeV + OCTAHEDRON;
  bestLength = length;
  bestLow = <f64>lowest - offset;
  bestHigh = <f64>highest - offset;
}

let lowest: i32 = 0;
let highest: i32 = 0;

function findHeights(nx: i32, ny: i32, nz: i32): void {
  let least = i32.MAX_VALUE;
  let most = i32.MIN_VALUE;
  for (let row = 0; row <= span; row++) {
    let at = first + down * <usize>row;
    for (let column = 0; column <= span; column++, at += SAMPLE_BYTES) {
      const height = nx * sample(at) + ny * sample(at + 2) + nz * sample(at + 4);
      least = min(least, height);
      most = max(most, height);
    }
  }
  lowest = least;
  highest = most;
}

function tryArea(): void {
  const stride = max(1, span / MOST_ON_SIDE);
  const px = sample(first);
  const py = sample(first + 2);
  const pz = sample(first + 4);
  let sx: f64 = 0;
  let sy: f64 = 0;
  let sz: f64 = 0;
  let x: f64 = 0;
  let y: f64 = 0;
  let z: f64 = 0;
  let at = first;
  for (let side = 0; side < 4; side++) {
    const by = <usize>stride * (side & 1 ? down : SAMPLE_BYTES);
    const move = side < 2 ? by : 0 - by;
    for (let i = 0; i < span; i += stride) {
      at += move;
      const dx = <f64>(sample(at) - px);
      const dy = <f64>(sample(at + 2) - py);
      const dz = <f64>(sample(at + 4) - pz);
      sx += y * dz - z * dy;
      sy += z * dx - x * dz;
      sz += x * dy - y * dx;
      x = dx;
      y = dy;
      z = dz;
    }
  }
  tryVector(sx, sy, sz);
}
