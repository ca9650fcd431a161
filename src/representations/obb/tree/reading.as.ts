// Checks chunks of nodes of 40 and of 64 bytes as requirements.ts does, node by node in the order
// of their numbers. False means not proved; then requirements.ts decides.
import { follow } from '../../../kernels/links.as';
import { CHUNK } from '../../../kernels/reading.as';

const DEEPEST: u32 = 256;
const LARGEST: f64 = 1e100;

let reach: f64 = 0;
let localReach: f64 = 0;

/** Returns the largest reach of boxes so far, and resets it. */
export function obbReach(): f64 {
  const found = reach;
  reach = 0;
  return found;
}

export function obbLocalReach(): f64 {
  const found = localReach;
  localReach = 0;
  return found;
}

export function obbFloatNodes(
  first: u32,
  end: u32,
  nodes: u32,
  total: u32,
  levels: usize,
  seen: usize,
  x: f64,
  y: f64,
  z: f64,
): bool {
  let most = reach;
  let at: usize = CHUNK;
  for (let node = first; node < end; node++, at += 40) {
    const level: u32 = load<u16>(levels + ((<usize>node) << 1));
    const qx: f64 = load<f32>(at);
    const qy: f64 = load<f32>(at, 4);
    const qz: f64 = load<f32>(at, 8);
    const half0: f64 = load<f32>(at, 24);
    const half1: f64 = load<f32>(at, 28);
    const half2: f64 = load<f32>(at, 32);
    const far =
      max(
        max(abs(x + <f64>load<f32>(at, 12)), abs(y + <f64>load<f32>(at, 16))),
        abs(z + <f64>load<f32>(at, 20)),
      ) +
      (half0 + half1 + half2);
    if (level == 0 || !(qx * qx + qy * qy + qz * qz <= 1)) return false;
    if (!(min(min(half0, half1), half2) >= 0 && far <= LARGEST)) return false;
    most = max(most, far);
    if (!follow(load<u32>(at, 36), node, level, DEEPEST, nodes, total, levels, seen)) return false;
  }
  reach = most;
  return true;
}

const STEPS: i32 = 32767 * 32767;
/** 2^-14 of that. */
const SKEW: i32 = 65531;
const LARGEST_HALF: f32 = reinterpret<f32>(0x7e800000);
const LARGEST_HALF_BITS: u32 = 0x7e80;
const WIDE_DEPTH: u32 = 64;
const WIDER: f64 = 1.0009765625;

/** @param seen u8 of each place in the order */
export function obbWideNodes(
  first: u32,
  end: u32,
  nodes: u32,
  total: u32,
  levels: usize,
  seen: usize,
  x: f64,
  y: f64,
  z: f64,
): bool {
  let most = reach;
  let mostLocal = localReach;
  let at: usize = CHUNK;
  for (let node = first; node < end; node++, at += 64) {
    const level: u32 = load<u16>(levels + ((<usize>node) << 1));
    const link = load<u32>(at, 36);
    const count = ((link >>> 1) & 3) + 1;
    if (level == 0 || !isFramed(at) || !hasNoMore(at, count)) return false;
    const half =
      <f64>reinterpret<f32>(<u32>load<u16>(at, 6) << 16) +
      <f64>reinterpret<f32>(<u32>load<u16>(at, 14) << 16) +
      <f64>reinterpret<f32>(<u32>load<u16>(at, 22) << 16);
    const c: f64 = load<f32>(at, 24);
    const d: f64 = load<f32>(at, 28);
    const e: f64 = load<f32>(at, 32);
    mostLocal = max(mostLocal, abs(c) + abs(d) + abs(e) + half);
    most = max(most, max(max(abs(x + c), abs(y + d)), abs(z + e)) + WIDER * half);
    const index = link >>> 3;
    if (link & 1) {
      if (index + count > total) return false;
      for (let place = seen + index; place < seen + index + count; place++) {
        if (load<u8>(place)) return false;
        store<u8>(place, 1);
      }
    } else {
      if (index <= node || index + count > nodes || level > WIDE_DEPTH) return false;
      for (let child = index; child < index + count; child++) {
        const note = levels + ((<usize>child) << 1);
        if (load<u16>(note)) return false;
        store<u16>(note, <u16>(level + 1));
      }
    }
  }
  reach = most;
  localReach = mostLocal;
  return true;
}

/** Axes are at right angles; center and half extents are numbers. */
@inline
function isFramed(at: usize): bool {
  const rows = v128.load(at);
  const last = v128.load64_zero(at, 16);
  // f0 f1 f2 g of each row, and the same as f1 f2 f0 g.
  const turned = i8x16.shuffle(rows, rows, 2, 3, 4, 5, 0, 1, 6, 7, 10, 11, 12, 13, 8, 9, 14, 15);
  const turnedLast = i8x16.shuffle(last, last, 2, 3, 4, 5, 0, 1, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const squares = i32x4.add(
    i32x4.add(i32x4.extmul_low_i16x8_s(rows, rows), i32x4.extmul_high_i16x8_s(rows, rows)),
    i32x4.extmul_low_i16x8_s(last, last),
  );
  const products = i32x4.add(
    i32x4.add(i32x4.extmul_low_i16x8_s(rows, turned), i32x4.extmul_high_i16x8_s(rows, turned)),
    i32x4.extmul_low_i16x8_s(last, turnedLast),
  );
  const long = i32x4.abs(i32x4.sub(squares, i32x4.splat(STEPS)));
  const askew = i32x4.abs(products);
  const limit = i32x4.splat(SKEW);
  const isOff = v128.or(i32x4.gt_u(long, limit), i32x4.gt_u(askew, limit));
  const isNear = f32x4.le(f32x4.abs(v128.load(at, 24)), f32x4.splat(LARGEST_HALF));
  if (i32x4.bitmask(isOff) & 7 || (i32x4.bitmask(isNear) & 7) != 7) return false;
  return (
    <u32>load<u16>(at, 6) <= LARGEST_HALF_BITS &&
    <u32>load<u16>(at, 14) <= LARGEST_HALF_BITS &&
    <u32>load<u16>(at, 22) <= LARGEST_HALF_BITS
  );
}

/** Low 255 and high 0 for missing children. */
@inline
function hasNoMore(at: usize, count: u32): bool {
  if (count == 4) return true;
  const rest: u32 = 0xffffffff << (8 * count);
  const low = load<u32>(at, 40) & load<u32>(at, 44) & load<u32>(at, 48);
  const high = load<u32>(at, 52) | load<u32>(at, 56) | load<u32>(at, 60);
  return (low & rest) == rest && (high & rest) == 0;
}

/** True if the chunk's numbers are below `total`, and none was met before. */
export function obbOrder(count: u32, total: u32, seen: usize): bool {
  const stop: usize = CHUNK + 4 * count;
  for (let at: usize = CHUNK; at < stop; at += 4) {
    const triangle = load<u32>(at);
    if (triangle >= total || load<u8>(seen + triangle)) return false;
    store<u8>(seen + triangle, 1);
  }
  return true;
}
