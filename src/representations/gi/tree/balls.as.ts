/**
 * Fits the balls of a geometry image's lowest levels with the method of sphere-tree.ts: the same
 * operations on doubles in the same order, so the same bytes.
 *
 * On these levels a node's vertices are tested directly. The caller's job holds the points for
 * pivoting, and the results.
 */

const U: f64 = 1.0 / 9007199254740992.0; // 2^-53
const LARGEST: f64 = 65535;
const SAMPLE_BYTES: usize = 6;
/** Rounds of pivoting; each adds a point to the corners. */
const MOST_ROUNDS: i32 = 16;
const POINT_BYTES: usize = 24;
/** Four points on a ball, before those inside it. */
const BOUNDARY_BYTES: usize = 96;
const MOST_POINTS: usize = 24;

let ballX: f64 = 0;
let ballY: f64 = 0;
let ballZ: f64 = 0;
let ballD2: f64 = 0;
let farX: f64 = 0;
let farY: f64 = 0;
let farZ: f64 = 0;
let farD2: f64 = 0;
let boundary: usize = 0;
let points: usize = 0;
let pointCount: i32 = 0;

export function ballScratch(): usize {
  return BOUNDARY_BYTES + MOST_POINTS * POINT_BYTES;
}

/**
 * Fits the balls of `rows` x `columns` nodes, each of `span` x `span` quads.
 *
 * @param samples of the first node's first vertex; `width` samples per row
 * @param centres receives four u16 per node: x, y, z, 0
 * @param radii receives a double per node, model units
 * @param scratch `ballScratch` bytes
 */
export function fitBalls(
  samples: usize,
  width: i32,
  span: i32,
  rows: i32,
  columns: i32,
  step: f64,
  slack: f64,
  centres: usize,
  radii: usize,
  scratch: usize,
): void {
  boundary = scratch;
  points = scratch + BOUNDARY_BYTES;
  const down = SAMPLE_BYTES * <usize>width;
  let node: usize = 0;
  for (let row = 0; row < rows; row++) {
    let first = samples + <usize>(row * span) * down;
    for (let column = 0; column < columns; column++, node++, first += SAMPLE_BYTES * <usize>span) {
      fitBall(first, down, span);
      const x = roundToGrid(ballX);
      const y = roundToGrid(ballY);
      const z = roundToGrid(ballZ);
      findFarthest(first, down, span, x, y, z);
      const to = centres + (node << 3);
      store<u16>(to, <u16>(<i32>x));
      store<u16>(to, <u16>(<i32>y), 2);
      store<u16>(to, <u16>(<i32>z), 4);
      store<u16>(to, 0, 6);
      store<f64>(radii + (node << 3), (step * sqrt(farD2) + slack) * (1 + 8 * U));
    }
  }
}

/** The smallest ball about a node's vertices, to a thousandth, by pivoting from its corners. */
function fitBall(first: usize, down: usize, span: i32): void {
  const across = SAMPLE_BYTES * <usize>span;
  pointCount = 0;
  addVertex(first);
  addVertex(first + across);
  addVertex(first + down * <usize>span);
  addVertex(first + down * <usize>span + across);
  welzl(pointCount, 0);
  for (let round = 0; ; round++) {
    findFarthest(first, down, span, ballX, ballY, ballZ);
    if (farD2 <= ballD2 * 1.002 + 0.5 || round == MOST_ROUNDS) return;
    addPoint(farX, farY, farZ);
    welzl(pointCount, 0);
  }
}

@inline
function sample(at: usize): f64 {
  return <f64>(<i32>load<u16>(at));
}

@inline
function addVertex(at: usize): void {
  addPoint(sample(at), sample(at + 2), sample(at + 4));
}

@inline
function addPoint(x: f64, y: f64, z: f64): void {
  const to = points + POINT_BYTES * <usize>pointCount;
  store<f64>(to, x);
  store<f64>(to, y, 8);
  store<f64>(to, z, 16);
  pointCount++;
}

function findFarthest(first: usize, down: usize, span: i32, x: f64, y: f64, z: f64): void {
  let most: f64 = -1;
  let best = first;
  for (let row = 0; row <= span; row++) {
    let at = first + down * <usize>row;
    for (let column = 0; column <= span; column++, at += SAMPLE_BYTES) {
      const dx = sample(at) - x;
      const dy = sample(at + 2) - y;
      const dz = sample(at + 4) - z;
      const d2 = dx * dx + dy * dy + dz * dz;
      if (d2 > most) {
        most = d2;
        best = at;
      }
    }
  }
  farD2 = most;
  farX = sample(best);
  farY = sample(best + 2);
  farZ = sample(best + 4);
}

/** Rounds halves up, like Math.round. */
@inline
function roundToGrid(x: f64): f64 {
  const below = floor(x);
  return min<f64>(LARGEST, max<f64>(0, x - below >= 0.5 ? below + 1 : below));
}

function welzl(count: i32, fixed: i32): void {
  ballThrough(fixed);
  if (fixed == 4) return;
  for (let i = 0; i < count; i++) {
    const p = points + POINT_BYTES * <usize>i;
    const x = load<f64>(p);
    const y = load<f64>(p, 8);
    const z = load<f64>(p, 16);
    const dx = x - ballX;
    const dy = y - ballY;
    const dz = z - ballZ;
    if (dx * dx + dy * dy + dz * dz <= ballD2 * (1 + 1e-9) + 1e-6) continue;
    const on = boundary + POINT_BYTES * <usize>fixed;
    store<f64>(on, x);
    store<f64>(on, y, 8);
    store<f64>(on, z, 16);
    welzl(i, fixed + 1);
    for (let k = p; k > points; k -= 8) store<f64>(k, load<f64>(k - 8), 16);
    store<f64>(points, x);
    store<f64>(points, y, 8);
    store<f64>(points, z, 16);
  }
}

@inline
function onBoundary(i: usize): f64 {
  return load<f64>(boundary + (i << 3));
}

function ballThrough(count: i32): void {
  if (count == 0) {
    ballD2 = -1;
    return;
  }
  ballX = onBoundary(0);
  ballY = onBoundary(1);
  ballZ = onBoundary(2);
  ballD2 = 0;
  if (count == 1) return;
  const ux = onBoundary(3) - onBoundary(0);
  const uy = onBoundary(4) - onBoundary(1);
  const uz = onBoundary(5) - onBoundary(2);
  if (count == 2) {
    setBall(ux / 2, uy / 2, uz / 2);
    return;
  }
  const uu = ux * ux + uy * uy + uz * uz;
  const vx = onBoundary(6) - onBoundary(0);
  const vy = onBoundary(7) - onBoundary(1);
  const vz = onBoundary(8) - onBoundary(2);
  const vv = vx * vx + vy * vy + vz * vz;
  const nx = uy * vz - uz * vy;
  const ny = uz * vx - ux * vz;
  const nz = ux * vy - uy * vx;
  const nn = nx * nx + ny * ny + nz * nz;
  if (count == 3) {
    if (!(nn > 1e-9 * uu * vv)) {
      if (uu > vv) setBall(ux / 2, uy / 2, uz / 2);
      else setBall(vx / 2, vy / 2, vz / 2);
      return;
    }
    const wx = uu * vx - vv * ux;
    const wy = uu * vy - vv * uy;
    const wz = uu * vz - vv * uz;
    const s = 1 / (2 * nn);
    setBall((wy * nz - wz * ny) * s, (wz * nx - wx * nz) * s, (wx * ny - wy * nx) * s);
    return;
  }
  const wx = onBoundary(9) - onBoundary(0);
  const wy = onBoundary(10) - onBoundary(1);
  const wz = onBoundary(11) - onBoundary(2);
  const ww = wx * wx + wy * wy + wz * wz;
  const det = nx * wx + ny * wy + nz * wz;
  if (!(det * det > 1e-9 * nn * ww)) {
    ballThrough(3);
    return;
  }
  const s = 1 / (2 * det);
  setBall(
    (ww * nx + vv * (wy * uz - wz * uy) + uu * (vy * wz - vz * wy)) * s,
    (ww * ny + vv * (wz * ux - wx * uz) + uu * (vz * wx - vx * wz)) * s,
    (ww * nz + vv * (wx * uy - wy * ux) + uu * (vx * wy - vy * wx)) * s,
  );
}

@inline
function setBall(x: f64, y: f64, z: f64): void {
  ballX = onBoundary(0) + x;
  ballY = onBoundary(1) + y;
  ballZ = onBoundary(2) + z;
  ballD2 = x * x + y * y + z * z;
}
