/**
 * Axes from which builders of OBB trees choose: a triangle's own axes, the principal axes of
 * surfaces, and turns of axes.
 *
 * S. Gottschalk, M. Lin, D. Manocha, "OBBTree", SIGGRAPH 1996, section 4: the principal axes are
 * those of the surface, whatever its triangulation, by cyclic rotations (C. Jacobi, 1846).
 *
 * Axes are 9 doubles, one axis after the other. Only + - x / and sqrt are used.
 */

import { pair } from '../../../kernels/binned-split.as';
import { dotTwo } from '../../../kernels/lanes.as';

/** Tolerance of principal axes: less than the rounding of frames. */
const AXES_TOLERANCE: f64 = 1.0 / 16777216.0;

@inline
export function copyFrame(to: usize, from: usize): void {
  v128.store(to, v128.load(from));
  v128.store(to, v128.load(from, 16), 16);
  v128.store(to, v128.load(from, 32), 32);
  v128.store(to, v128.load(from, 48), 48);
  store<f64>(to, load<f64>(from, 64), 64);
}

/** Writes the axes of the model. */
export function storeModel(to: usize): void {
  memory.fill(to, 0, 72);
  store<f64>(to, 1);
  store<f64>(to, 1, 32);
  store<f64>(to, 1, 64);
}

/** Turns a frame about one of its axes. */
export function turnAbout(rows: usize, axis: i32, cosine: f64, sine: f64, to: usize): void {
  const at = <usize>axis * 24;
  const u: usize = axis == 2 ? 0 : at + 24;
  const v: usize = axis == 0 ? 48 : at - 24;
  const c = f64x2.splat(cosine);
  const s = f64x2.splat(sine);
  v128.store(to + at, v128.load(rows + at));
  store<f64>(to + at, load<f64>(rows + at, 16), 16);
  const first = v128.load(rows + u);
  const second = v128.load(rows + v);
  v128.store(to + u, f64x2.add(f64x2.mul(c, first), f64x2.mul(s, second)));
  v128.store(to + v, f64x2.sub(f64x2.mul(c, second), f64x2.mul(s, first)));
  const x = load<f64>(rows + u, 16);
  const y = load<f64>(rows + v, 16);
  store<f64>(to + u, cosine * x + sine * y, 16);
  store<f64>(to + v, cosine * y - sine * x, 16);
}

/** The results of setNormal. */
export let normalX: f64 = 0;
export let normalY: f64 = 0;
export let normalZ: f64 = 0;

/** Sets the normal of the triangle whose 9 doubles are at p. Its length is twice the area. */
@inline
export function setNormal(p: usize): void {
  const ux = load<f64>(p, 24) - load<f64>(p);
  const uy = load<f64>(p, 32) - load<f64>(p, 8);
  const uz = load<f64>(p, 40) - load<f64>(p, 16);
  const vx = load<f64>(p, 48) - load<f64>(p);
  const vy = load<f64>(p, 56) - load<f64>(p, 8);
  const vz = load<f64>(p, 64) - load<f64>(p, 16);
  normalX = uy * vz - uz * vy;
  normalY = uz * vx - ux * vz;
  normalZ = ux * vy - uy * vx;
}

@inline
function lengthOfNormal(): f64 {
  return Math.sqrt(normalX * normalX + normalY * normalY + normalZ * normalZ);
}

@inline
export function areaOfTriangle(p: usize): f64 {
  setNormal(p);
  return 0.5 * lengthOfNormal();
}

/**
 * Writes the axes of the triangle whose 9 doubles are at p: its longest edge, the axis across it
 * and its normal. False without area.
 */
export function axesOfTriangle(p: usize, axes: usize): bool {
  let longest = -1.0;
  let dx = 0.0;
  let dy = 0.0;
  let dz = 0.0;
  for (let k: usize = 0; k < 72; k += 24) {
    const from = p + k;
    const to = k == 48 ? p : from + 24;
    const x = load<f64>(to) - load<f64>(from);
    const y = load<f64>(to, 8) - load<f64>(from, 8);
    const z = load<f64>(to, 16) - load<f64>(from, 16);
    const d2 = x * x + y * y + z * z;
    if (d2 > longest) {
      longest = d2;
      dx = x;
      dy = y;
      dz = z;
    }
  }
  setNormal(p);
  const n = lengthOfNormal();
  const d = Math.sqrt(longest);
  if (!(n > 1e-12 * longest)) return false;
  const ex = dx / d;
  const ey = dy / d;
  const ez = dz / d;
  const mx = normalX / n;
  const my = normalY / n;
  const mz = normalZ / n;
  store<f64>(axes, ex);
  store<f64>(axes, ey, 8);
  store<f64>(axes, ez, 16);
  store<f64>(axes, my * ez - mz * ey, 24);
  store<f64>(axes, mz * ex - mx * ez, 32);
  store<f64>(axes, mx * ey - my * ex, 40);
  store<f64>(axes, mx, 48);
  store<f64>(axes, my, 56);
  store<f64>(axes, mz, 64);
  return true;
}

/** Turns axes so that the third is the unit vector that replaced it; the first changes little. */
export function straighten(axes: usize): void {
  const nx = load<f64>(axes, 48);
  const ny = load<f64>(axes, 56);
  const nz = load<f64>(axes, 64);
  const along = load<f64>(axes) * nx + load<f64>(axes, 8) * ny + load<f64>(axes, 16) * nz;
  let x = load<f64>(axes) - along * nx;
  let y = load<f64>(axes, 8) - along * ny;
  let z = load<f64>(axes, 16) - along * nz;
  const length = Math.sqrt(x * x + y * y + z * z);
  x /= length;
  y /= length;
  z /= length;
  store<f64>(axes, x);
  store<f64>(axes, y, 8);
  store<f64>(axes, z, 16);
  store<f64>(axes, ny * z - nz * y, 24);
  store<f64>(axes, nz * x - nx * z, 32);
  store<f64>(axes, nx * y - ny * x, 40);
}

/**
 * Writes the span of the triangle whose 9 doubles are at t.
 *
 * @param r0, r1, r2 the entries of the first two axes
 * @param t0, t1, t2 those of the third one and of its opposite
 */
@inline
export function spanOfTriangle(
  t: usize,
  to: usize,
  r0: v128,
  r1: v128,
  r2: v128,
  t0: v128,
  t1: v128,
  t2: v128,
): void {
  let x = v128.load64_splat(t);
  let y = v128.load64_splat(t, 8);
  let z = v128.load64_splat(t, 16);
  const p = dotTwo(r0, r1, r2, x, y, z);
  let c = dotTwo(t0, t1, t2, x, y, z);
  x = v128.load64_splat(t, 24);
  y = v128.load64_splat(t, 32);
  z = v128.load64_splat(t, 40);
  const q = dotTwo(r0, r1, r2, x, y, z);
  c = f64x2.pmin(c, dotTwo(t0, t1, t2, x, y, z));
  x = v128.load64_splat(t, 48);
  y = v128.load64_splat(t, 56);
  z = v128.load64_splat(t, 64);
  const r = dotTwo(r0, r1, r2, x, y, z);
  c = f64x2.pmin(c, dotTwo(t0, t1, t2, x, y, z));
  v128.store(to, f64x2.pmin(f64x2.pmin(p, q), r));
  v128.store(to, f64x2.neg(f64x2.pmax(f64x2.pmax(p, q), r)), 16);
  v128.store(to, c, 32);
}

/** Bytes of the moments of triangles: area, times centroid, and second moments. */
export const MOMENT_BYTES: usize = 80;

/**
 * Adds the moments of the triangle whose 9 doubles are at p. These are the area, the area times x,
 * y, z of its centroid, and the integrals of xx, xy, xz, yy, yz and zz.
 */
export function addMoments(p: usize, to: usize): void {
  const ax = load<f64>(p);
  const ay = load<f64>(p, 8);
  const az = load<f64>(p, 16);
  const bx = load<f64>(p, 24);
  const by = load<f64>(p, 32);
  const bz = load<f64>(p, 40);
  const cx = load<f64>(p, 48);
  const cy = load<f64>(p, 56);
  const cz = load<f64>(p, 64);
  const area = areaOfTriangle(p);
  const gx = (ax + bx + cx) / 3.0;
  const gy = (ay + by + cy) / 3.0;
  const gz = (az + bz + cz) / 3.0;
  const w = f64x2.splat(area / 12.0);
  const nine = f64x2.splat(9.0);
  v128.store(to, f64x2.add(v128.load(to), pair(area, area * gx)));
  v128.store(to, f64x2.add(v128.load(to, 16), f64x2.mul(f64x2.splat(area), pair(gy, gz))), 16);
  const a0 = pair(ax, ay);
  const b0 = pair(bx, by);
  const c0 = pair(cx, cy);
  let sums = dotTwo(f64x2.splat(ax), f64x2.splat(bx), f64x2.splat(cx), a0, b0, c0);
  let g = f64x2.mul(f64x2.splat(gx), pair(gx, gy));
  v128.store(to, f64x2.add(v128.load(to, 32), f64x2.mul(w, f64x2.add(f64x2.mul(nine, g), sums))), 32);
  sums = dotTwo(a0, b0, c0, pair(az, ay), pair(bz, by), pair(cz, cy));
  g = f64x2.mul(pair(gx, gy), pair(gz, gy));
  v128.store(to, f64x2.add(v128.load(to, 48), f64x2.mul(w, f64x2.add(f64x2.mul(nine, g), sums))), 48);
  sums = dotTwo(pair(ay, az), pair(by, bz), pair(cy, cz), f64x2.splat(az), f64x2.splat(bz), f64x2.splat(cz));
  g = f64x2.mul(pair(gy, gz), f64x2.splat(gz));
  v128.store(to, f64x2.add(v128.load(to, 64), f64x2.mul(w, f64x2.add(f64x2.mul(nine, g), sums))), 64);
}

/** Writes the principal axes of moments; false without area. Overwrites 9 doubles at `work`. */
export function axesOfMoments(sums: usize, work: usize, axes: usize): bool {
  const area = load<f64>(sums);
  if (!(area > 0)) return false;
  const x = load<f64>(sums, 8) / area;
  const y = load<f64>(sums, 16) / area;
  const z = load<f64>(sums, 24) / area;
  store<f64>(work, load<f64>(sums, 32) / area - x * x);
  store<f64>(work, load<f64>(sums, 40) / area - x * y, 8);
  store<f64>(work, load<f64>(sums, 48) / area - x * z, 16);
  store<f64>(work, load<f64>(sums, 56) / area - y * y, 24);
  store<f64>(work, load<f64>(sums, 64) / area - y * z, 32);
  store<f64>(work, load<f64>(sums, 72) / area - z * z, 40);
  principalAxes(work, axes);
  return true;
}

/**
 * Writes the principal axes of the symmetric matrix of six numbers at `a`: xx, xy, xz, yy, yz, zz.
 * Its 9 doubles are overwritten.
 */
function principalAxes(a: usize, axes: usize): void {
  const xx = load<f64>(a);
  const xy = load<f64>(a, 8);
  const xz = load<f64>(a, 16);
  const yy = load<f64>(a, 24);
  const yz = load<f64>(a, 32);
  const zz = load<f64>(a, 40);
  store<f64>(a, xx);
  store<f64>(a, xy, 8);
  store<f64>(a, xz, 16);
  store<f64>(a, xy, 24);
  store<f64>(a, yy, 32);
  store<f64>(a, yz, 40);
  store<f64>(a, xz, 48);
  store<f64>(a, yz, 56);
  store<f64>(a, zz, 64);
  storeModel(axes);
  for (let sweep = 0; sweep < 30; sweep++) {
    const left = Math.abs(load<f64>(a, 8)) + Math.abs(load<f64>(a, 16)) + Math.abs(load<f64>(a, 40));
    if (left <= AXES_TOLERANCE * (Math.abs(load<f64>(a)) + Math.abs(load<f64>(a, 32)) + Math.abs(load<f64>(a, 64)))) break;
    rotate(a, axes, 0, 1);
    rotate(a, axes, 0, 2);
    rotate(a, axes, 1, 2);
  }
}

@inline
function rotate(a: usize, axes: usize, p: usize, q: usize): void {
  const apq = load<f64>(a + 24 * p + 8 * q);
  if (apq == 0) return;
  const theta = (load<f64>(a + 32 * q) - load<f64>(a + 32 * p)) / (2.0 * apq);
  const t = (theta < 0 ? -1.0 : 1.0) / (Math.abs(theta) + Math.sqrt(theta * theta + 1.0));
  const c = 1.0 / Math.sqrt(t * t + 1.0);
  const s = t * c;
  for (let k: usize = 0; k < 72; k += 24) {
    const x = load<f64>(a + k + 8 * p);
    const y = load<f64>(a + k + 8 * q);
    store<f64>(a + k + 8 * p, c * x - s * y);
    store<f64>(a + k + 8 * q, s * x + c * y);
  }
  for (let k: usize = 0; k < 24; k += 8) {
    const x = load<f64>(a + 24 * p + k);
    const y = load<f64>(a + 24 * q + k);
    store<f64>(a + 24 * p + k, c * x - s * y);
    store<f64>(a + 24 * q + k, s * x + c * y);
    const u = load<f64>(axes + 24 * p + k);
    const v = load<f64>(axes + 24 * q + k);
    store<f64>(axes + 24 * p + k, c * u - s * v);
    store<f64>(axes + 24 * q + k, s * u + c * v);
  }
  store<f64>(a + 24 * p + 8 * q, 0);
  store<f64>(a + 24 * q + 8 * p, 0);
}
