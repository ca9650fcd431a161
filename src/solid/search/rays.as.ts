/**
 * Finds the first triangle on a ray exactly, or reports that whole numbers must decide.
 *
 * T. Kay, J. Kajiya, "Ray Tracing Complex Scenes", SIGGRAPH 1986: slabs; nearer boxes first. Four
 * boxes at a time: I. Wald, C. Benthin, S. Boulos, "Getting Rid of Packets", RT 2008. Triangles are
 * tested in doubles as in geometry/ray-triangle.ts, whose proofs hold here. The ray is o + t r,
 * where d is the given direction and r is d divided by its greatest number.
 *
 * No box is missed. In the asset's frame, the ray passes a triangle's moved point within `error`
 * (solid/walk.ts: SPARE). In the nodes' unit this is at most 2^-24, or the caller must search in
 * doubles. That bounds the origin, too: to 2^20 units. The ray is cut to the root's box in doubles,
 * with a thousandth to spare. So the rest starts at p, |p| < 1.002, and is at most 4 long, counted
 * in tau. A direction's number below 2^-30 counts as that: 2^-27 of a place. In float32, p is off
 * by 2^-24, a difference with a bound by 2^-23, and that times the reciprocal by 2^-22 of a place.
 * Together it is less than 2^-21, and the boxes' margin is 2^-19. So a bound's `near` is at most,
 * and its `far` at least, the tau of every point of the ray that its triangles may have.
 */
import { setTriangleScratch, copyPoint, prepare, triple } from '../../kernels/orient.as';
import { SCRATCH, STACK, STEP } from '../../kernels/layout.as';
import {
  CENTRE, CORNERS, ENTERS, HIGH, LEAVES, LENGTH, LINKS, LOW, LOWER, MISSED, MOVES, NODE_BYTES, NODES, ORDER, POSE, R, ROOT, SCALE, SIZES, SLACK,
  TO_OWN, TRIANGLE, UNSURE, UPPER,
} from './layout.as';

const E: f64 = 1.0 / 9007199254740992.0;
/** 2^-900, as in geometry/orient.ts. */
const TINY: f64 = reinterpret<f64>(<u64>(1023 - 900) << 52);
/** Above 1.25 x 2^-46 and 1.25 x 2^-45: geometry/exact-point.ts, for points without error. */
const SIDES: f64 = 1.3 / 70368744177664.0;
const VOLUME: f64 = 1.3 / 35184372088832.0;
const ULPS: f64 = 1.0 / 1125899906842624.0; // 2^-50
const ROUNDED: f64 = 1.0 / 562949953421312.0; // 2^-49
/** 2^-44. */
const SPARE: f64 = 1.0 / 17592186044416.0;
const LEAST: f64 = reinterpret<f64>(<u64>1);
const WIDEST: f64 = 1.0 / 4294967296.0;
const FAR_FROM_EXACT: f64 = 1.0 / 16777216.0;
/** 2^-30. */
const SLOWEST: f64 = 1.0 / 1073741824.0;
const NO_MOTION: f64 = reinterpret<f64>(<u64>(1023 - 200) << 52);
const LATER: f64 = 1.0 / 2097152.0;

/** f64 x 9, moved corners; f32 x 4. */
const MOVED: usize = STEP;
const NEARS: usize = STEP + 80;
/** A stack entry: where a child leads to, and where the ray enters it. */
export const ENTRY_BYTES: usize = 8;

let ox: f64 = 0;
let oy: f64 = 0;
let oz: f64 = 0;
let rx: f64 = 0;
let ry: f64 = 0;
let rz: f64 = 0;
let dx: f64 = 0;
let dy: f64 = 0;
let dz: f64 = 0;
/** The greatest of d's numbers. */
let size: f64 = 0;
let length: f64 = 0;
let scratch: usize = 0;
let isWritten: bool = false;
let moves: bool = false;

/** The ray in the nodes' unit, and the part of it in the root's box, in lengths of r there. */
let px: f64 = 0;
let py: f64 = 0;
let pz: f64 = 0;
let ux: f64 = 0;
let uy: f64 = 0;
let uz: f64 = 0;
let first: f64 = 0;
let last: f64 = 0;

/** The first hit so far, and how far along to search. */
let side: i32 = MISSED;
let found: u32 = 0;
let lower: f64 = 0;
let upper: f64 = 0;

/**
 * Searches from o along d, neither checked here, up to a length. Returns MISSED, LEAVES, ENTERS (as
 * the side of the triangle in the workspace) or UNSURE.
 */
export function searchRay(
  record: usize,
  workspace: usize,
  x: f64,
  y: f64,
  z: f64,
  alongX: f64,
  alongY: f64,
  alongZ: f64,
  longest: f64,
): i32 {
  ox = x;
  oy = y;
  oz = z;
  dx = alongX;
  dy = alongY;
  dz = alongZ;
  size = Math.max(Math.max(Math.abs(dx), Math.abs(dy)), Math.abs(dz));
  rx = dx / size;
  ry = dy / size;
  rz = dz / size;
  scratch = workspace + SCRATCH;
  isWritten = false;
  if (!takeIn(record)) return UNSURE;
  first = 0;
  last = Infinity;
  clip(px, ux, load<f64>(record + ROOT), load<f64>(record + ROOT, 24));
  clip(py, uy, load<f64>(record + ROOT, 8), load<f64>(record + ROOT, 32));
  clip(pz, uz, load<f64>(record + ROOT, 16), load<f64>(record + ROOT, 40));
  if (first > last) return MISSED;
  length = Math.sqrt(rx * rx + ry * ry + rz * rz);
  upper = (longest / length) * (1 + ROUNDED) + LEAST;
  lower = -1;
  side = MISSED;
  const state = descend(record, workspace, longest);
  if (state == MISSED || state == UNSURE) return state;
  store<f64>(workspace + LOWER, lower);
  store<f64>(workspace + UPPER, upper);
  store<f64>(workspace + R, rx);
  store<f64>(workspace + R, ry, 8);
  store<f64>(workspace + R, rz, 16);
  store<f64>(workspace + LENGTH, length);
  store<u32>(workspace + TRIANGLE, load<u32>(<usize>load<u32>(record + ORDER) + (<usize>found << 2)));
  return state;
}

/** Leaves the ray in the nodes' unit; false if it is not known well enough there. */
@inline
function takeIn(record: usize): bool {
  moves = load<u32>(record + MOVES) != 0;
  px = ox;
  py = oy;
  pz = oz;
  ux = rx;
  uy = ry;
  uz = rz;
  if (moves) {
    const m = record + TO_OWN;
    px = load<f64>(m) * ox + load<f64>(m, 8) * oy + load<f64>(m, 16) * oz + load<f64>(m, 24);
    py = load<f64>(m, 32) * ox + load<f64>(m, 40) * oy + load<f64>(m, 48) * oz + load<f64>(m, 56);
    pz = load<f64>(m, 64) * ox + load<f64>(m, 72) * oy + load<f64>(m, 80) * oz + load<f64>(m, 88);
    ux = load<f64>(m) * rx + load<f64>(m, 8) * ry + load<f64>(m, 16) * rz;
    uy = load<f64>(m, 32) * rx + load<f64>(m, 40) * ry + load<f64>(m, 48) * rz;
    uz = load<f64>(m, 64) * rx + load<f64>(m, 72) * ry + load<f64>(m, 80) * rz;
  }
  const scale = load<f64>(record + SCALE);
  const sizes = load<f64>(record + SIZES) + Math.abs(ox) + Math.abs(oy) + Math.abs(oz);
  px = (px - load<f64>(record + CENTRE)) * scale;
  py = (py - load<f64>(record + CENTRE, 8)) * scale;
  pz = (pz - load<f64>(record + CENTRE, 16)) * scale;
  return (load<f64>(record + SLACK) + SPARE * sizes) * scale <= FAR_FROM_EXACT;
}

@inline
function clip(origin: f64, along: f64, low: f64, high: f64): void {
  if (Math.abs(along) < NO_MOTION) {
    if (origin < low || origin > high) last = -1;
    return;
  }
  const inverse = 1 / along;
  const a = (low - origin) * inverse;
  const b = (high - origin) * inverse;
  first = Math.max(first, Math.min(a, b));
  last = Math.min(last, Math.max(a, b));
}

@inline
function inverseOf(along: f64): f32 {
  return <f32>(1 / (Math.abs(along) < SLOWEST ? (along < 0 ? -SLOWEST : SLOWEST) : along));
}

@inline
function limitOf(scale: f64): f32 {
  return <f32>(upper * scale - first + LATER);
}

@inline
function descend(record: usize, workspace: usize, longest: f64): i32 {
  const x = f32x4.splat(<f32>(px + first * ux));
  const y = f32x4.splat(<f32>(py + first * uy));
  const z = f32x4.splat(<f32>(pz + first * uz));
  const inverseX = inverseOf(ux);
  const inverseY = inverseOf(uy);
  const inverseZ = inverseOf(uz);
  const ix = f32x4.splat(inverseX);
  const iy = f32x4.splat(inverseY);
  const iz = f32x4.splat(inverseZ);
  const nearX: usize = inverseX > 0 ? LOW : HIGH;
  const nearY: usize = (inverseY > 0 ? LOW : HIGH) + 16;
  const nearZ: usize = (inverseZ > 0 ? LOW : HIGH) + 32;
  const farX: usize = LOW + HIGH - nearX;
  const farY: usize = LOW + HIGH + 32 - nearY;
  const farZ: usize = LOW + HIGH + 64 - nearZ;
  const zero = f32x4.splat(0);
  const scale = load<f64>(record + SCALE);
  const nodes = <usize>load<u32>(record + NODES);
  const bottom = workspace + STACK;
  let limit = limitOf(scale);
  let top = bottom;
  let link: u32 = 0;
  while (true) {
    if (link & 1) {
      if (!meetLeaf(record, workspace, link, longest)) return UNSURE;
      limit = limitOf(scale);
    } else {
      const node = nodes + <usize>(link >> 1) * NODE_BYTES;
      const n0 = f32x4.mul(f32x4.sub(v128.load(node + nearX), x), ix);
      const n1 = f32x4.mul(f32x4.sub(v128.load(node + nearY), y), iy);
      const n2 = f32x4.mul(f32x4.sub(v128.load(node + nearZ), z), iz);
      const f0 = f32x4.mul(f32x4.sub(v128.load(node + farX), x), ix);
      const f1 = f32x4.mul(f32x4.sub(v128.load(node + farY), y), iy);
      const f2 = f32x4.mul(f32x4.sub(v128.load(node + farZ), z), iz);
      const near = f32x4.pmax(f32x4.pmax(n0, n1), f32x4.pmax(n2, zero));
      const far = f32x4.pmin(f32x4.pmin(f0, f1), f32x4.pmin(f2, f32x4.splat(limit)));
      const mask = i32x4.bitmask(f32x4.le(near, far));
      // Most often it is one child.
      if (mask != 0 && (mask & (mask - 1)) == 0) {
        link = load<u32>(node + (<usize>ctz(mask) << 2), LINKS);
        continue;
      }
      v128.store(workspace + NEARS, near);
      top = pushSorted(top, mask, node, workspace + NEARS);
    }
    do {
      if (top == bottom) return side;
      top -= ENTRY_BYTES;
    } while (load<f32>(top, 4) > limit);
    link = load<u32>(top);
  }
}

/** Pushes the children in `mask`, of keys at `keys`, the least last: it is popped first. */
@inline
export function pushSorted(from: usize, children: i32, node: usize, keys: usize): usize {
  let top = from;
  let mask = children;
  while (mask) {
    const j = <usize>ctz(mask) << 2;
    mask &= mask - 1;
    const key = load<f32>(keys + j);
    let place = top;
    while (place > from && load<f32>(place - ENTRY_BYTES, 4) < key) {
      store<u64>(place, load<u64>(place - ENTRY_BYTES));
      place -= ENTRY_BYTES;
    }
    store<u32>(place, load<u32>(node + j, LINKS));
    store<f32>(place, key, 4);
    top += ENTRY_BYTES;
  }
  return top;
}

/** Meets the triangles of a leaf; false if whole numbers must decide. */
@inline
function meetLeaf(record: usize, workspace: usize, link: u32, longest: f64): bool {
  const corners = <usize>load<u32>(record + CORNERS);
  let triangle: u32 = link >> 3;
  const end = triangle + ((link >> 1) & 3) + 1;
  for (; triangle < end; triangle++) {
    let at = corners + 72 * <usize>triangle;
    if (moves) {
      move(record, at, workspace + MOVED);
      at = workspace + MOVED;
    }
    const meets = meet(at);
    if (meets == MISSED) continue;
    if (meets == UNSURE || !bracket(at)) return false;
    if (lowerEnd > upper) continue;
    // It may be farther than asked, or as far as the first.
    if (!(upperEnd * length * (1 + ROUNDED) <= longest)) return false;
    if (side != MISSED && !(upperEnd < lower)) return false;
    side = meets;
    found = triangle;
    lower = lowerEnd;
    upper = upperEnd;
  }
  return true;
}

/** Moves three corners by the record's pose, in the defining order (math/pose.ts). */
export function move(record: usize, from: usize, to: usize): void {
  const pose = record + POSE;
  for (let k: usize = 0; k < 72; k += 24) {
    const x = load<f64>(from + k);
    const y = load<f64>(from + k, 8);
    const z = load<f64>(from + k, 16);
    store<f64>(to + k, load<f64>(pose) * x + load<f64>(pose, 8) * y + load<f64>(pose, 16) * z + load<f64>(pose, 24));
    store<f64>(to + k, load<f64>(pose, 32) * x + load<f64>(pose, 40) * y + load<f64>(pose, 48) * z + load<f64>(pose, 56), 8);
    store<f64>(to + k, load<f64>(pose, 64) * x + load<f64>(pose, 72) * y + load<f64>(pose, 80) * z + load<f64>(pose, 88), 16);
  }
}

/** MISSED, LEAVES, ENTERS; UNSURE on a border or in a plane. The sides: exact-point.ts. */
@inline
function meet(at: usize): i32 {
  const ax = load<f64>(at) - ox;
  const ay = load<f64>(at, 8) - oy;
  const az = load<f64>(at, 16) - oz;
  const bx = load<f64>(at, 24) - ox;
  const by = load<f64>(at, 32) - oy;
  const bz = load<f64>(at, 40) - oz;
  const cx = load<f64>(at, 48) - ox;
  const cy = load<f64>(at, 56) - oy;
  const cz = load<f64>(at, 64) - oz;
  const m = max(
    max(max(abs(ax), abs(ay)), max(abs(az), abs(bx))),
    max(max(max(abs(by), abs(bz)), abs(cx)), max(abs(cy), abs(cz))),
  );
  const bound = SIDES * m * m + TINY;
  const nx = by * cz - bz * cy;
  const ny = bz * cx - bx * cz;
  const nz = bx * cy - by * cx;
  const ab = rx * (ay * bz - az * by) + ry * (az * bx - ax * bz) + rz * (ax * by - ay * bx);
  const bc = rx * nx + ry * ny + rz * nz;
  const ca = rx * (cy * az - cz * ay) + ry * (cz * ax - cx * az) + rz * (cx * ay - cy * ax);
  const isPositive = ab > bound || bc > bound || ca > bound;
  const isNegative = ab < -bound || bc < -bound || ca < -bound;
  if (isPositive && isNegative) return MISSED;
  const volume = ax * nx + ay * ny + az * nz;
  const boundOfVolume = VOLUME * m * m * m + TINY;
  if (isPositive || isNegative) {
    if (isPositive ? volume < -boundOfVolume : volume > boundOfVolume) return MISSED;
    const areSure = abs(ab) > bound && abs(bc) > bound && abs(ca) > bound;
    if (areSure && abs(volume) > boundOfVolume) return isPositive ? LEAVES : ENTERS;
  }
  return meetExactly(at, ab, bc, ca, bound, volume, boundOfVolume);
}

/** Decides by whole numbers if the filter does not. */
function meetExactly(
  at: usize,
  ab: f64,
  bc: f64,
  ca: f64,
  bound: f64,
  volume: f64,
  boundOfVolume: f64,
): i32 {
  setTriangleScratch(scratch);
  // Points for orient.as.ts.
  const d = scratch;
  const zero = scratch + 24;
  const o = scratch + 48;
  const a = scratch + 72;
  const b = scratch + 96;
  const c = scratch + 120;
  if (!isWritten) {
    isWritten = true;
    writePoint(d, dx, dy, dz);
    writePoint(zero, 0, 0, 0);
    writePoint(o, ox, oy, oz);
  }
  copyPoint(at, a);
  copyPoint(at + 24, b);
  copyPoint(at + 48, c);
  // For the direction as given; the factor outweighs the rounding of r.
  prepare(bound * size * 1.5);
  let isPositive = false;
  let isNegative = false;
  let isOnBorder = false;
  for (let k = 0; k < 3; k++) {
    const value = k == 0 ? ab : k == 1 ? bc : ca;
    let sign = i32(value > bound) - i32(value < -bound);
    if (sign == 0) sign = k == 0 ? triple(zero, d, o, a, o, b) : k == 1 ? triple(zero, d, o, b, o, c) : triple(zero, d, o, c, o, a);
    if (sign > 0) isPositive = true;
    else if (sign < 0) isNegative = true;
    else isOnBorder = true;
    if (isPositive && isNegative) return MISSED;
  }
  let sign = i32(volume > boundOfVolume) - i32(volume < -boundOfVolume);
  if (sign == 0) {
    prepare(boundOfVolume * 1.5);
    sign = triple(o, a, o, b, o, c);
  }
  if (!isPositive && !isNegative) return sign == 0 ? UNSURE : MISSED;
  if (sign == (isPositive ? -1 : 1)) return MISSED;
  return isOnBorder || sign == 0 ? UNSURE : isPositive ? LEAVES : ENTERS;
}

@inline
function writePoint(to: usize, x: f64, y: f64, z: f64): void {
  store<f64>(to, x);
  store<f64>(to, y, 8);
  store<f64>(to, z, 16);
}

let lowerEnd: f64 = 0;
let upperEnd: f64 = 0;

/** The distance along the ray, operation by operation that of geometry/ray-triangle.ts. */
@inline
function bracket(at: usize): bool {
  const bx = load<f64>(at, 24) - load<f64>(at);
  const by = load<f64>(at, 32) - load<f64>(at, 8);
  const bz = load<f64>(at, 40) - load<f64>(at, 16);
  const cx = load<f64>(at, 48) - load<f64>(at);
  const cy = load<f64>(at, 56) - load<f64>(at, 8);
  const cz = load<f64>(at, 64) - load<f64>(at, 16);
  const qx = load<f64>(at) - ox;
  const qy = load<f64>(at, 8) - oy;
  const qz = load<f64>(at, 16) - oz;
  const nx = by * cz - bz * cy;
  const ny = bz * cx - bx * cz;
  const nz = bx * cy - by * cx;
  const numerator = abs(nx * qx + ny * qy + nz * qz);
  const denominator = abs(nx * rx + ny * ry + nz * rz);
  const h = max(max(abs(bx), abs(by)), abs(bz));
  const k = max(max(abs(cx), abs(cy)), abs(cz));
  const m = max(max(abs(qx), abs(qy)), abs(qz));
  const wrong = 64 * E * (h * k + TINY) + TINY;
  if (!(denominator > 2 * wrong)) return false;
  const wrongAbove = wrong * m + TINY;
  const low = ((numerator - wrongAbove) / (denominator + wrong)) * (1 - ULPS);
  const high = ((numerator + wrongAbove) / (denominator - wrong)) * (1 + ULPS);
  if (!(high - low <= WIDEST * high && high < Infinity)) return false;
  lowerEnd = max(0.0, low);
  upperEnd = high;
  return true;
}
