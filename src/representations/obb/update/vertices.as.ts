/**
 * The vertices to which boxes are fitted, and their extent.
 *
 * A point is f32 x 4: x, y, z, and anything. A block is four points: x x x x y y y y z z z z.
 */

import { pair } from '../../../kernels/binned-split.as';
import { dot } from '../../../kernels/lanes.as';

let positions: usize = 0;
let isFloat: bool = false;
export let originX: f64 = 0;
export let originY: f64 = 0;
export let originZ: f64 = 0;
/** Bounds the vertices' distance from the origin. */
export let reach: f64 = 0;
/** The largest coordinate. */
export let largest: f64 = 0;

/** Result in the caller's doubles: the origin, the reach from it, the largest coordinate. */
const REACH: usize = 24;
const LARGEST: usize = 32;

export const BLOCK: usize = 48;

/** @param at address of the vertices, doubles or, if `floats`, float32 */
export function placePositions(at: usize, floats: bool): void {
  positions = at;
  isFloat = floats;
}

@inline
export function firstTwo(vertex: u32): v128 {
  const at = <usize>vertex * 12;
  return isFloat ? f64x2.promote_low_f32x4(v128.load64_zero(positions + at)) : v128.load(positions + (at << 1));
}
@inline
export function third(vertex: u32): f64 {
  const at = <usize>vertex * 12;
  return isFloat ? <f64>load<f32>(positions + at, 8) : load<f64>(positions + (at << 1), 16);
}

/**
 * Like floatExtent (../../../mesh/extent.ts) for the triangles' vertices; false if any is missing.
 *
 * @param corners address of `count` vertex numbers
 * @param used address of a byte a vertex, 0
 */
export function measure(corners: usize, count: u32, vertices: u32, used: usize, to: usize): bool {
  for (let c: u32 = 0; c < count; c++) {
    const v = load<u32>(corners + (<usize>c << 2));
    if (v >= vertices) return false;
    store<u8>(used + <usize>v, 1);
  }
  let xy0 = f64x2.splat(Infinity);
  let xy1 = f64x2.splat(-Infinity);
  let z = pair(Infinity, Infinity);
  for (let v: u32 = 0; v < vertices; v++) {
    if (!load<u8>(used + <usize>v)) continue;
    const xy = firstTwo(v);
    xy0 = f64x2.pmin(xy0, xy);
    xy1 = f64x2.pmax(xy1, xy);
    const height = third(v);
    z = f64x2.pmin(z, pair(height, -height));
  }
  const x0 = f64x2.extract_lane(xy0, 0);
  const x1 = f64x2.extract_lane(xy1, 0);
  const y0 = f64x2.extract_lane(xy0, 1);
  const y1 = f64x2.extract_lane(xy1, 1);
  const z0 = f64x2.extract_lane(z, 0);
  const z1 = -f64x2.extract_lane(z, 1);
  originX = x0 / 2.0 + x1 / 2.0 + 0.0;
  originY = y0 / 2.0 + y1 / 2.0 + 0.0;
  originZ = z0 / 2.0 + z1 / 2.0 + 0.0;
  const dx = max(x1 - originX, originX - x0);
  const dy = max(y1 - originY, originY - y0);
  const dz = max(z1 - originZ, originZ - z0);
  largest = max(max(max(abs(x0), abs(x1)), max(abs(y0), abs(y1))), max(abs(z0), abs(z1)));
  const length = Math.sqrt(dx * dx + dy * dy + dz * dz);
  reach = max(length * (1.0 + 1e-12), max(largest * (1.0 / 1099511627776.0), 1e-30));
  store<f64>(to, originX);
  store<f64>(to, originY, 8);
  store<f64>(to, originZ, 16);
  store<f64>(to, reach, REACH);
  store<f64>(to, largest, LARGEST);
  return true;
}

@inline
export function setBlock(to: usize, a: v128, b: v128, c: v128, d: v128): void {
  const xy = v128.shuffle<i32>(a, b, 0, 4, 1, 5);
  const xy2 = v128.shuffle<i32>(c, d, 0, 4, 1, 5);
  v128.store(to, v128.shuffle<i64>(xy, xy2, 0, 2));
  v128.store(to, v128.shuffle<i64>(xy, xy2, 1, 3), 16);
  v128.store(to, v128.shuffle<i32>(v128.shuffle<i32>(a, b, 2, 6, 2, 6), v128.shuffle<i32>(c, d, 2, 6, 2, 6), 0, 1, 4, 5), 32);
}

/** Turns points in place into blocks, which need less memory; returns their end. */
export function turnIntoBlocks(from: usize, end: usize): usize {
  let to = from;
  for (let at = from; at < end; at += 64) {
    setBlock(to, v128.load(at), v128.load(at, 16), v128.load(at, 32), v128.load(at, 48));
    to += BLOCK;
  }
  return to;
}

/** A point along three axes, whose coordinates are those of the model's axes along them. */
@inline
export function along(p: usize, gx: v128, gy: v128, gz: v128): v128 {
  return dot(gx, gy, gz, v128.load32_splat(p), v128.load32_splat(p, 4), v128.load32_splat(p, 8));
}
