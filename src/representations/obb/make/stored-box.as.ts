/**
 * Writes boxes of 40 and of 20 bytes a node along given axes, like box-writer.ts, whose head has
 * the proof. Axes are stored and decoded first; extents belong to the decoded axes.
 *
 * Axes are 9 doubles, one axis after the other.
 */

/** As in tree/node.ts. */
const QUATERNION_STEP: f64 = 1.0 / 32767.0;

let nodes: usize = 0;
let isFloat: bool = true;
let originX: f64 = 0;
let originY: f64 = 0;
let originZ: f64 = 0;
let centreStep: f64 = 1;
let extentStep: f64 = 1;
let margin: f64 = 0;
let reach: f64 = 0;

/** @param settings 6 doubles: the origin, the two steps of the tree's scale, and the margin */
export function beginBoxes(toNodes: usize, nodeBytes: i32, settings: usize): void {
  nodes = toNodes;
  isFloat = nodeBytes == 40;
  originX = load<f64>(settings);
  originY = load<f64>(settings, 8);
  originZ = load<f64>(settings, 16);
  centreStep = load<f64>(settings, 24);
  extentStep = load<f64>(settings, 32);
  margin = load<f64>(settings, 40);
  reach = 0;
}

/** The largest coordinate of any box's center, with its half extents, since beginBoxes. */
export function reachOfBoxes(): f64 {
  return reach;
}

@inline
export function addressOf(node: i32): usize {
  return nodes + <usize>(isFloat ? 40 : 20) * <usize>node;
}

/**
 * Stores axes, and replaces them by the axes that a reader decodes: those of one of the box's 24
 * sides, rounded.
 */
export function setAxes(node: i32, axes: usize): void {
  turnToModel(axes);
  // The quaternion's last number is at least a half: no other is as long as 1.
  const scale = 0.5 / Math.sqrt(1.0 + load<f64>(axes) + load<f64>(axes, 32) + load<f64>(axes, 64));
  const x = (load<f64>(axes, 40) - load<f64>(axes, 56)) * scale;
  const y = (load<f64>(axes, 48) - load<f64>(axes, 16)) * scale;
  const z = (load<f64>(axes, 8) - load<f64>(axes, 24)) * scale;
  const at = addressOf(node);
  if (isFloat) {
    store<f32>(at, towardsZero(x));
    store<f32>(at, towardsZero(y), 4);
    store<f32>(at, towardsZero(z), 8);
  } else {
    store<i16>(at, <i16>(<i32>(x / QUATERNION_STEP)));
    store<i16>(at, <i16>(<i32>(y / QUATERNION_STEP)), 2);
    store<i16>(at, <i16>(<i32>(z / QUATERNION_STEP)), 4);
  }
  loadAxes(node, axes);
}

/** Replaces axes by those of the same box that are turned least from the model's. */
function turnToModel(axes: usize): void {
  // Within 45 degrees, no other axes are turned less.
  if (load<f64>(axes) + load<f64>(axes, 32) + load<f64>(axes, 64) > 2.4143) return;
  best = f32x4.splat(-Infinity);
  bestKey = i32x4.splat(0);
  tryOrder(axes, axes + 24, axes + 48, 0, false);
  tryOrder(axes + 24, axes + 48, axes, 4, false);
  tryOrder(axes + 48, axes, axes + 24, 8, false);
  tryOrder(axes, axes + 48, axes + 24, 12, true);
  tryOrder(axes + 24, axes, axes + 48, 16, true);
  tryOrder(axes + 48, axes + 24, axes, 20, true);
  let most = f32x4.pmax(best, v128.shuffle<i32>(best, best, 2, 3, 0, 1));
  most = f32x4.pmax(most, v128.shuffle<i32>(most, most, 1, 0, 3, 2));
  let keys = v128.and(bestKey, f32x4.eq(best, most));
  keys = i32x4.max_s(keys, v128.shuffle<i32>(keys, keys, 2, 3, 0, 1));
  const key = max(i32x4.extract_lane(keys, 0), i32x4.extract_lane(keys, 1));
  const order = key >> 2;
  const isOdd = order > 2;
  const first = order % 3;
  const second = (isOdd ? first + 2 : first + 1) % 3;
  const s = key & 2 ? -1.0 : 1.0;
  const t = key & 1 ? -1.0 : 1.0;
  takeAxes(axes, 24 * <usize>first, 24 * <usize>second, s, t, isOdd ? -s * t : s * t);
}

let best: v128 = f32x4.splat(0);
let bestKey: v128 = i32x4.splat(0);

/** Signs + +, + -, - + and - - of the first two axes, one a lane; the third makes a rotation. */
@inline
function tryOrder(first: usize, second: usize, third: usize, key: i32, isOdd: bool): void {
  const u = v128.xor(f32x4.splat(<f32>load<f64>(first)), i32x4(0, 0, 0x80000000, 0x80000000));
  const v = v128.xor(f32x4.splat(<f32>load<f64>(second, 8)), i32x4(0, 0x80000000, 0, 0x80000000));
  const signs = isOdd ? i32x4(0x80000000, 0, 0, 0x80000000) : i32x4(0, 0x80000000, 0x80000000, 0);
  const w = v128.xor(f32x4.splat(<f32>load<f64>(third, 16)), signs);
  const sums = f32x4.add(f32x4.add(u, v), w);
  const isMore = f32x4.gt(sums, best);
  best = v128.bitselect(sums, best, isMore);
  bestKey = v128.bitselect(i32x4(key, key + 1, key + 2, key + 3), bestKey, isMore);
}

@inline
function takeAxes(axes: usize, first: usize, second: usize, s: f64, t: f64, r: f64): void {
  const a = axes + first;
  const b = axes + second;
  const c = axes + 72 - first - second;
  const xy0 = f64x2.mul(v128.load(a), f64x2.splat(s));
  const xy1 = f64x2.mul(v128.load(b), f64x2.splat(t));
  const xy2 = f64x2.mul(v128.load(c), f64x2.splat(r));
  const z0 = s * load<f64>(a, 16);
  const z1 = t * load<f64>(b, 16);
  const z2 = r * load<f64>(c, 16);
  v128.store(axes, xy0);
  store<f64>(axes, z0, 16);
  v128.store(axes, xy1, 24);
  store<f64>(axes, z1, 40);
  v128.store(axes, xy2, 48);
  store<f64>(axes, z2, 64);
}

@inline
function towardsZero(x: f64): f32 {
  const rounded = <f32>x;
  return Math.abs(<f64>rounded) <= Math.abs(x) ? rounded : <f32>(x * (1.0 - 1.0 / 16777216.0));
}

/** Decodes a box's axes: the operations of NodeReader.decode and rotationOf (tree/node.ts). */
export function loadAxes(node: i32, axes: usize): void {
  const at = addressOf(node);
  let x: f64, y: f64, z: f64;
  if (isFloat) {
    x = <f64>load<f32>(at);
    y = <f64>load<f32>(at, 4);
    z = <f64>load<f32>(at, 8);
  } else {
    x = <f64>load<i16>(at) * QUATERNION_STEP;
    y = <f64>load<i16>(at, 2) * QUATERNION_STEP;
    z = <f64>load<i16>(at, 4) * QUATERNION_STEP;
  }
  const n = x * x + y * y + z * z;
  const w = n < 1.0 ? Math.sqrt(1.0 - n) : 0.0;
  store<f64>(axes, 1.0 - 2.0 * (y * y + z * z));
  store<f64>(axes, 2.0 * (x * y + z * w), 8);
  store<f64>(axes, 2.0 * (x * z - y * w), 16);
  store<f64>(axes, 2.0 * (x * y - z * w), 24);
  store<f64>(axes, 1.0 - 2.0 * (x * x + z * z), 32);
  store<f64>(axes, 2.0 * (y * z + x * w), 40);
  store<f64>(axes, 2.0 * (x * z + y * w), 48);
  store<f64>(axes, 2.0 * (y * z - x * w), 56);
  store<f64>(axes, 1.0 - 2.0 * (x * x + y * y), 64);
}

/**
 * Stores center and half extents.
 *
 * @param axes as decoded
 * @param box low0 low1 | -high0 -high1 | low2 -high2, of the corners relative to the origin
 */
export function storeExtents(node: i32, axes: usize, box: usize): void {
  const low0 = load<f64>(box);
  const low1 = load<f64>(box, 8);
  const high0 = -load<f64>(box, 16);
  const high1 = -load<f64>(box, 24);
  const low2 = load<f64>(box, 32);
  const high2 = -load<f64>(box, 40);
  const middle0 = (low0 + high0) / 2.0;
  const middle1 = (low1 + high1) / 2.0;
  const middle2 = (low2 + high2) / 2.0;
  const at = addressOf(node);
  const x = storeCentre(at, 0, middle0 * load<f64>(axes) + middle1 * load<f64>(axes, 24) + middle2 * load<f64>(axes, 48), originX);
  const y = storeCentre(at, 1, middle0 * load<f64>(axes, 8) + middle1 * load<f64>(axes, 32) + middle2 * load<f64>(axes, 56), originY);
  const z = storeCentre(at, 2, middle0 * load<f64>(axes, 16) + middle1 * load<f64>(axes, 40) + middle2 * load<f64>(axes, 64), originZ);
  const cx = x - originX;
  const cy = y - originY;
  const cz = z - originZ;
  const half =
    storeHalf(at, 0, low0, high0, load<f64>(axes) * cx + load<f64>(axes, 8) * cy + load<f64>(axes, 16) * cz) +
    storeHalf(at, 1, low1, high1, load<f64>(axes, 24) * cx + load<f64>(axes, 32) * cy + load<f64>(axes, 40) * cz) +
    storeHalf(at, 2, low2, high2, load<f64>(axes, 48) * cx + load<f64>(axes, 56) * cy + load<f64>(axes, 64) * cz);
  reach = Math.max(reach, Math.max(Math.abs(x), Math.max(Math.abs(y), Math.abs(z))) + half);
}

/** Returns the coordinate as decoded. */
@inline
function storeCentre(at: usize, axis: usize, x: f64, origin: f64): f64 {
  if (isFloat) {
    const stored = <f32>x;
    store<f32>(at + 4 * axis, stored, 12);
    return origin + <f64>stored;
  }
  const steps = Math.max(-32767.0, Math.min(32767.0, Math.floor(x / centreStep + 0.5)));
  store<i16>(at + 2 * axis, <i16>(<i32>steps), 6);
  return origin + steps * centreStep;
}

/** Returns the half extent as decoded. */
@inline
function storeHalf(at: usize, axis: usize, low: f64, high: f64, centre: f64): f64 {
  const half = Math.max(high - centre, centre - low) * (1.0 + 1.0 / 1099511627776.0) + margin;
  if (isFloat) {
    let stored = <f32>half;
    // 2^-23 and 2^-149.
    if (<f64>stored < half) stored = <f32>(half * (1.0 + 1.0 / 8388608.0) + 1.401298464324817e-45);
    store<f32>(at + 4 * axis, stored, 24);
    return <f64>stored;
  }
  let steps = Math.ceil(half / extentStep);
  if (steps * extentStep < half) steps += 1.0;
  store<u16>(at + 2 * axis, <u16>(<u32>steps), 12);
  return steps * extentStep;
}
