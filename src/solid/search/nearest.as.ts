/**
 * Finds the triangles that may be nearest to a point: all but those that are proved to be farther
 * than another.
 *
 * C. Ericson, "Real-Time Collision Detection", 2005, section 5.1.5: the nearest point c of a
 * triangle. No proof depends on how it was found. With p as the origin, |c| is an upper bound.
 * Since n . v >= min n . vi for every point v of the triangle, a lower bound is, for n = c:
 *   min n . vi / |n|
 * Let M be the greatest of the corners' numbers, seen from p, and e = 2^-53. Differences, weights
 * and sums are off by less than 20 e M, and products with n / |n| by 10 e M. ERROR M is more: 256 e
 * M. The asset is 2^-200 to 2^200 long (kernel.ts); SHORT outweighs squares that are subnormal. If
 * c is poor, as for a sliver, the lower bound is low, and the triangle remains a candidate. The
 * caller measures candidates with proof (geometry/triangle-distance.ts).
 *
 * Boxes (build.as.ts) are compared in float32, in the nodes' unit. Let P be the greatest of 1 and
 * p's numbers, at most 1,024 there. p is off by `error`, at most 2^-24, and by 2^-24 P; a
 * difference is off by 2^-23 P. So distances are too long by at most 2^-21 P, and by 2^-22 of
 * themselves, 2^-20 P in all. `limit` has 2^-19 P more. For lengths of the two frames see
 * solid/nearest-triangle.ts.
 */
import { STACK, STEP } from '../../kernels/layout.as';
import {
  CANDIDATES, CENTRE, CORNERS, HIGH, LOW, MOST_CANDIDATES, MOVES, NODE_BYTES, NODES, NORM, ORDER, SCALE, SHORTEST, SIZES, SLACK,
  TO_OWN,
} from './layout.as';
import { ENTRY_BYTES, move, pushSorted } from './rays.as';

const ERROR: f64 = 1.0 / 35184372088832.0; // 2^-45
const SPARE: f64 = 1.0 / 17592186044416.0; // 2^-44
/** 2^-48, 32 e: sides are up to 3.5 M long, so the point is within 112 e M of the triangle. */
const BEYOND: f64 = 1.0 / 281474976710656.0;
const CLOSE: f64 = 1.0 / 16777216.0; // 2^-24
const FARTHEST: f64 = 1024;
const SPREAD: f64 = 1.0 / 524288.0; // 2^-19
const UP: f64 = 1.0 + 1.0 / 1048576.0;

/** 2^-480: squares of shorter lengths may be subnormal. */
const SHORT: f64 = reinterpret<f64>(<u64>(1023 - 480) << 52);

const MOVED: usize = STEP;
const KEYS: usize = STEP + 80;

let upper: f64 = 0;
let lower: f64 = 0;
let x: f64 = 0;
let y: f64 = 0;
let z: f64 = 0;
let moves: bool = false;
/** The point in the nodes' unit, in which distances are at most `toUnit` times it, and `more`. */
let px: f64 = 0;
let py: f64 = 0;
let pz: f64 = 0;
let toUnit: f64 = 0;
let more: f64 = 0;

/** Leaves bounds of a triangle's distance from the point. */
@inline
function measure(at: usize): void {
  const ax = load<f64>(at) - x;
  const ay = load<f64>(at, 8) - y;
  const az = load<f64>(at, 16) - z;
  const bx = load<f64>(at, 24) - x;
  const by = load<f64>(at, 32) - y;
  const bz = load<f64>(at, 40) - z;
  const cx = load<f64>(at, 48) - x;
  const cy = load<f64>(at, 56) - y;
  const cz = load<f64>(at, 64) - z;
  const ux = bx - ax;
  const uy = by - ay;
  const uz = bz - az;
  const vx = cx - ax;
  const vy = cy - ay;
  const vz = cz - az;
  const d1 = -(ux * ax + uy * ay + uz * az);
  const d2 = -(vx * ax + vy * ay + vz * az);
  const d3 = -(ux * bx + uy * by + uz * bz);
  const d4 = -(vx * bx + vy * by + vz * bz);
  const d5 = -(ux * cx + uy * cy + uz * cz);
  const d6 = -(vx * cx + vy * cy + vz * cz);
  let s: f64 = 0;
  let t: f64 = 0;
  if (!(d1 <= 0 && d2 <= 0)) {
    const vc = d1 * d4 - d3 * d2;
    const vb = d5 * d2 - d1 * d6;
    const va = d3 * d6 - d5 * d4;
    if (d3 >= 0 && d4 <= d3) {
      s = 1;
    } else if (d6 >= 0 && d5 <= d6) {
      t = 1;
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
      s = d1 / (d1 - d3);
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
      t = d2 / (d2 - d6);
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
      t = (d4 - d3) / (d4 - d3 + (d5 - d6));
      s = 1 - t;
    } else {
      const sum = 1 / (va + vb + vc);
      s = vb * sum;
      t = vc * sum;
    }
  }
  // Not in the triangle, or NaN. Any point of the triangle is an upper bound.
  if (!(s >= 0 && t >= 0 && s + t <= 1 + BEYOND)) {
    s = 0;
    t = 0;
  }
  const nx = ax + s * ux + t * vx;
  const ny = ay + s * uy + t * vy;
  const nz = az + s * uz + t * vz;
  const m = max(
    max(max(abs(ax), abs(ay)), max(abs(az), abs(bx))),
    max(max(max(abs(by), abs(bz)), abs(cx)), max(abs(cy), abs(cz))),
  );
  const length = Math.sqrt(nx * nx + ny * ny + nz * nz);
  const least = Math.min(Math.min(nx * ax + ny * ay + nz * az, nx * bx + ny * by + nz * bz), nx * cx + ny * cy + nz * cz);
  const error = ERROR * m + SHORT;
  upper = length + error;
  lower = length > SHORT ? least / length - error : 0;
  if (!(lower > 0)) lower = 0;
}

/** Leaves the point in the nodes' unit; false if it is not known well enough there. */
@inline
function takeIn(record: usize): bool {
  moves = load<u32>(record + MOVES) != 0;
  px = x;
  py = y;
  pz = z;
  if (moves) {
    const m = record + TO_OWN;
    px = load<f64>(m) * x + load<f64>(m, 8) * y + load<f64>(m, 16) * z + load<f64>(m, 24);
    py = load<f64>(m, 32) * x + load<f64>(m, 40) * y + load<f64>(m, 48) * z + load<f64>(m, 56);
    pz = load<f64>(m, 64) * x + load<f64>(m, 72) * y + load<f64>(m, 80) * z + load<f64>(m, 88);
  }
  const scale = load<f64>(record + SCALE);
  const sizes = load<f64>(record + SIZES) + Math.abs(x) + Math.abs(y) + Math.abs(z);
  const spare = load<f64>(record + SLACK) + load<f64>(record + NORM) * SPARE * sizes;
  px = (px - load<f64>(record + CENTRE)) * scale;
  py = (py - load<f64>(record + CENTRE, 8)) * scale;
  pz = (pz - load<f64>(record + CENTRE, 16)) * scale;
  const reach = Math.max(Math.max(Math.abs(px), Math.abs(py)), Math.max(Math.abs(pz), 1));
  toUnit = (scale / load<f64>(record + SHORTEST)) * UP;
  more = spare * scale + SPREAD * reach;
  return spare * scale <= CLOSE && reach <= FARTHEST;
}

/**
 * Returns the number of candidates in the workspace, or -1 if the caller must search in doubles.
 *
 * @param atX, atY, atZ up to 1e150, not checked here
 */
export function searchNearest(record: usize, workspace: usize, atX: f64, atY: f64, atZ: f64): i32 {
  x = atX;
  y = atY;
  z = atZ;
  if (!takeIn(record)) return -1;
  const ux = f32x4.splat(<f32>px);
  const uy = f32x4.splat(<f32>py);
  const uz = f32x4.splat(<f32>pz);
  const zero = f32x4.splat(0);
  let best: f64 = Infinity;
  let limit: f32 = Infinity;
  let count: i32 = 0;
  const list = workspace + CANDIDATES;
  const nodes = <usize>load<u32>(record + NODES);
  const corners = <usize>load<u32>(record + CORNERS);
  const order = <usize>load<u32>(record + ORDER);
  const bottom = workspace + STACK;
  let top = bottom;
  let link: u32 = 0;
  while (true) {
    if (link & 1) {
      let triangle: u32 = link >> 3;
      const end = triangle + ((link >> 1) & 3) + 1;
      for (; triangle < end; triangle++) {
        let at = corners + 72 * <usize>triangle;
        if (moves) {
          move(record, at, workspace + MOVED);
          at = workspace + MOVED;
        }
        measure(at);
        if (lower > best) continue;
        if (upper < best) {
          best = upper;
          const length = best * toUnit + more;
          limit = <f32>(length * length * UP);
        }
        if (count == MOST_CANDIDATES) count = keepNear(list, count, best);
        if (count == MOST_CANDIDATES) return -1;
        const place = list + (<usize>count << 4);
        store<f64>(place, lower);
        store<u32>(place, load<u32>(order + (<usize>triangle << 2)), 8);
        count++;
      }
    } else {
      const node = nodes + <usize>(link >> 1) * NODE_BYTES;
      const gx = f32x4.pmax(f32x4.pmax(f32x4.sub(v128.load(node, LOW), ux), f32x4.sub(ux, v128.load(node, HIGH))), zero);
      const gy = f32x4.pmax(f32x4.pmax(f32x4.sub(v128.load(node, LOW + 16), uy), f32x4.sub(uy, v128.load(node, HIGH + 16))), zero);
      const gz = f32x4.pmax(f32x4.pmax(f32x4.sub(v128.load(node, LOW + 32), uz), f32x4.sub(uz, v128.load(node, HIGH + 32))), zero);
      const keys = f32x4.add(f32x4.add(f32x4.mul(gx, gx), f32x4.mul(gy, gy)), f32x4.mul(gz, gz));
      // Also leaves out missing children: they are infinitely far.
      const mask = i32x4.bitmask(f32x4.le(keys, f32x4.splat(min(limit, f32.MAX_VALUE))));
      v128.store(workspace + KEYS, keys);
      top = pushSorted(top, mask, node, workspace + KEYS);
    }
    do {
      if (top == bottom) return keepNear(list, count, best);
      top -= ENTRY_BYTES;
    } while (load<f32>(top, 4) > limit);
    link = load<u32>(top);
  }
}

function keepNear(list: usize, count: i32, best: f64): i32 {
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const from = list + (<usize>i << 4);
    if (load<f64>(from) > best) continue;
    v128.store(list + (<usize>kept << 4), v128.load(from));
    kept++;
  }
  return kept;
}
