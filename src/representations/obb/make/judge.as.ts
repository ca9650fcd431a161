/**
 * Judges axes for ranges of triangles by the area of their box, in single precision. Areas only
 * choose; stored numbers are projected in doubles.
 *
 * Up to JUDGES triangles of a range, evenly picked, are stored relative to a corner of the first,
 * in units of the model's reach. A block has four triangles, and a corner of each is a vector of x,
 * of y and of z. If a triangle is missing, a corner replaces it. Or the caller gives points
 * instead. A turn about one of the axes turns the projections along the other two. In ranges of up
 * to WIDTH triangles, one per lane, the areas of the triangles' boxes count, too.
 *
 * S. Gottschalk, M. Lin, D. Manocha, "OBBTree", SIGGRAPH 1996, section 4: principal axes of the
 * surface.
 */

import { dot, least4, most4 } from '../../../kernels/lanes.as';
import { axesOfMoments, copyFrame, turnAbout } from './axes.as';
import { WIDTH } from '../tree/wide-layout.as';

const JUDGES: i32 = 64;
export const MOST_POINTS: i32 = 3 * JUDGES;

const POINTS: usize = 0;
const PROJECTED: usize = POINTS + 36 * <usize>JUDGES;
const SUMS: usize = PROJECTED + 36 * <usize>JUDGES; // 10 doubles
const WORK: usize = SUMS + 80;
const TURNED: usize = WORK + 80;
export const JUDGE_SCRATCH: usize = TURNED + 80;

/** Bytes of a corner of four triangles. */
const CORNER: usize = 48;
const BLOCK: usize = 144;

/** Turns to try: by a quarter, a half and three quarters of 90 degrees. */
const COSINE: f64 = 0.9238795325112867;
const SINE: f64 = 0.3826834323650898;
const DIAGONAL: f64 = 0.7071067811865476;

/** Axes are better only if their area is below this share: rounding hides smaller gains. */
const LESS: f32 = 0.9999;

let scratch: usize = 0;
let unit: f64 = 1;
let points: usize = 0;
let pointsEnd: usize = 0;
let isSmall: bool = false;
let present: v128 = i32x4.splat(0);
let least: f32 = 0;
let chosen: usize = 0;
let bestRows: usize = 0;
let bestAxis: i32 = -1;
let bestTurn: i32 = 0;

/** Extents along the projected axes: of all, and of each triangle of a small range. */
let w0: f32 = 0;
let w1: f32 = 0;
let w2: f32 = 0;
let t0: v128 = f32x4.splat(0);
let t1: v128 = f32x4.splat(0);
let t2: v128 = f32x4.splat(0);

/**
 * @param toScratch address of JUDGE_SCRATCH bytes
 * @param toUnit the factor for coordinates
 */
export function beginJudge(toScratch: usize, toUnit: f64): void {
  scratch = toScratch;
  unit = toUnit;
  points = toScratch + POINTS;
}

/**
 * Takes the triangles of a range.
 *
 * @param corners 9 doubles for each triangle of the mesh
 * @param places the numbers of the triangles, a word each
 */
export function judgeThese(corners: usize, places: usize, size: i32): void {
  const base = corners + <usize>load<u32>(places) * 72;
  const x = load<f64>(base);
  const y = load<f64>(base, 8);
  const z = load<f64>(base, 16);
  const picks = size < JUDGES ? size : JUDGES;
  isSmall = size <= WIDTH;
  present = i32x4.gt_s(i32x4.splat(size), i32x4(0, 1, 2, 3));
  least = Infinity;
  let to = points;
  for (let i = 0; i < picks; i++) {
    const at = size == picks ? i : <i32>((<u64>i * <u64>size) / <u64>picks);
    let p = corners + <usize>load<u32>(places + (<usize>at << 2)) * 72;
    for (let c = to; c < to + BLOCK; c += CORNER) {
      store<f32>(c, <f32>((load<f64>(p) - x) * unit));
      store<f32>(c, <f32>((load<f64>(p, 8) - y) * unit), 16);
      store<f32>(c, <f32>((load<f64>(p, 16) - z) * unit), 32);
      p += 24;
    }
    to += (i & 3) == 3 ? BLOCK - 12 : 4;
  }
  // All corners are the first triangle's first corner: 0.
  for (let i = picks; i & 3; i++) {
    for (let c = to; c < to + BLOCK; c += 16) store<f32>(c, 0);
    to += (i & 3) == 3 ? BLOCK - 12 : 4;
  }
  pointsEnd = to;
}

/** The address of points to judge by, as vectors of four x, four y, four z; up to MOST_POINTS. */
@inline
export function judgePoints(): usize {
  return points;
}

/** Uses points up to an address; one of them is 0. */
export function judgeUpTo(end: usize): void {
  pointsEnd = end;
  isSmall = false;
  least = Infinity;
}

@inline
function lanesOf(v: v128): f64 {
  return (
    <f64>f32x4.extract_lane(v, 0) +
    <f64>f32x4.extract_lane(v, 1) +
    (<f64>f32x4.extract_lane(v, 2) + <f64>f32x4.extract_lane(v, 3))
  );
}

@inline
function fourSquares(w: v128, a: v128, b: v128, c: v128, d: v128, e: v128, f: v128, g: v128, h: v128): v128 {
  const first = f32x4.add(f32x4.mul(a, b), f32x4.mul(c, d));
  return f32x4.mul(w, f32x4.add(first, f32x4.add(f32x4.mul(e, f), f32x4.mul(g, h))));
}

/** Writes the principal axes of the surface; false without area. */
export function principalAxesOfThese(axes: usize): bool {
  let m0 = f32x4.splat(0);
  let mx = m0;
  let my = m0;
  let mz = m0;
  let xx = m0;
  let xy = m0;
  let xz = m0;
  let yy = m0;
  let yz = m0;
  let zz = m0;
  for (let p = points; p < pointsEnd; p += BLOCK) {
    const ax = v128.load(p);
    const ay = v128.load(p, 16);
    const az = v128.load(p, 32);
    const bx = v128.load(p, 48);
    const by = v128.load(p, 64);
    const bz = v128.load(p, 80);
    const cx = v128.load(p, 96);
    const cy = v128.load(p, 112);
    const cz = v128.load(p, 128);
    const ux = f32x4.sub(bx, ax);
    const uy = f32x4.sub(by, ay);
    const uz = f32x4.sub(bz, az);
    const vx = f32x4.sub(cx, ax);
    const vy = f32x4.sub(cy, ay);
    const vz = f32x4.sub(cz, az);
    const nx = f32x4.sub(f32x4.mul(uy, vz), f32x4.mul(uz, vy));
    const ny = f32x4.sub(f32x4.mul(uz, vx), f32x4.mul(ux, vz));
    const nz = f32x4.sub(f32x4.mul(ux, vy), f32x4.mul(uy, vx));
    const w = f32x4.sqrt(dot(nx, ny, nz, nx, ny, nz));
    const sx = f32x4.add(f32x4.add(ax, bx), cx);
    const sy = f32x4.add(f32x4.add(ay, by), cy);
    const sz = f32x4.add(f32x4.add(az, bz), cz);
    m0 = f32x4.add(m0, w);
    mx = f32x4.add(mx, f32x4.mul(w, sx));
    my = f32x4.add(my, f32x4.mul(w, sy));
    mz = f32x4.add(mz, f32x4.mul(w, sz));
    xx = f32x4.add(xx, fourSquares(w, sx, sx, ax, ax, bx, bx, cx, cx));
    xy = f32x4.add(xy, fourSquares(w, sx, sy, ax, ay, bx, by, cx, cy));
    xz = f32x4.add(xz, fourSquares(w, sx, sz, ax, az, bx, bz, cx, cz));
    yy = f32x4.add(yy, fourSquares(w, sy, sy, ay, ay, by, by, cy, cy));
    yz = f32x4.add(yz, fourSquares(w, sy, sz, ay, az, by, bz, cy, cz));
    zz = f32x4.add(zz, fourSquares(w, sz, sz, az, az, bz, bz, cz, cz));
  }
  const sums = scratch + SUMS;
  store<f64>(sums, lanesOf(m0));
  store<f64>(sums, lanesOf(mx) / 3.0, 8);
  store<f64>(sums, lanesOf(my) / 3.0, 16);
  store<f64>(sums, lanesOf(mz) / 3.0, 24);
  store<f64>(sums, lanesOf(xx) / 12.0, 32);
  store<f64>(sums, lanesOf(xy) / 12.0, 40);
  store<f64>(sums, lanesOf(xz) / 12.0, 48);
  store<f64>(sums, lanesOf(yy) / 12.0, 56);
  store<f64>(sums, lanesOf(yz) / 12.0, 64);
  store<f64>(sums, lanesOf(zz) / 12.0, 72);
  return axesOfMoments(sums, scratch + WORK, axes);
}

// ---------------------------------------------------------------------------- projections

@inline
function halfArea(x: f32, y: f32, z: f32): f32 {
  return x * y + y * z + z * x;
}

@inline
function halfAreas(x: v128, y: v128, z: v128): v128 {
  return f32x4.add(f32x4.mul(x, y), f32x4.mul(f32x4.add(x, y), z));
}

@inline
function sumOf(v: v128): f32 {
  return (
    f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3))
  );
}

@inline
function splatOf(p: usize): v128 {
  return f32x4.splat(<f32>load<f64>(p));
}

/** Projects all triangles along axes. Returns the cost. */
function project(rows: usize): f32 {
  const a0 = splatOf(rows);
  const a1 = splatOf(rows + 8);
  const a2 = splatOf(rows + 16);
  const b0 = splatOf(rows + 24);
  const b1 = splatOf(rows + 32);
  const b2 = splatOf(rows + 40);
  const c0 = splatOf(rows + 48);
  const c1 = splatOf(rows + 56);
  const c2 = splatOf(rows + 64);
  let l0 = f32x4.splat(Infinity);
  let l1 = l0;
  let l2 = l0;
  let h0 = f32x4.splat(-Infinity);
  let h1 = h0;
  let h2 = h0;
  for (let p = points; p < pointsEnd; p += CORNER) {
    const x = v128.load(p);
    const y = v128.load(p, 16);
    const z = v128.load(p, 32);
    const u = dot(a0, a1, a2, x, y, z);
    const v = dot(b0, b1, b2, x, y, z);
    const w = dot(c0, c1, c2, x, y, z);
    v128.store(p, u, PROJECTED - POINTS);
    v128.store(p, v, PROJECTED - POINTS + 16);
    v128.store(p, w, PROJECTED - POINTS + 32);
    l0 = f32x4.pmin(l0, u);
    l1 = f32x4.pmin(l1, v);
    l2 = f32x4.pmin(l2, w);
    h0 = f32x4.pmax(h0, u);
    h1 = f32x4.pmax(h1, v);
    h2 = f32x4.pmax(h2, w);
  }
  const w = f32x4.sub(most4(h0, h1, h2, h2), least4(l0, l1, l2, l2));
  w0 = f32x4.extract_lane(w, 0);
  w1 = f32x4.extract_lane(w, 1);
  w2 = f32x4.extract_lane(w, 2);
  if (!isSmall) return halfArea(w0, w1, w2);
  t0 = f32x4.sub(h0, l0);
  t1 = f32x4.sub(h1, l1);
  t2 = f32x4.sub(h2, l2);
  return halfArea(w0, w1, w2) + sumOf(v128.and(halfAreas(t0, t1, t2), present));
}

/**
 * Measures turns of the projections along two axes, forward and back. With `halves`, it considers
 * them for the axes at `rows`, and also a turn by half of 90 degrees. Otherwise it adopts a better
 * one.
 */
@inline
function measureTurns(
  rows: usize,
  axis: i32,
  first: usize,
  second: usize,
  cosine: f64,
  sine: f64,
  halves: bool,
): void {
  const vc = f32x4.splat(<f32>cosine);
  const vs = f32x4.splat(<f32>sine);
  let la = f32x4.splat(Infinity);
  let lb = la;
  let lc = la;
  let ld = la;
  let le = la;
  let lf = la;
  let ha = f32x4.splat(-Infinity);
  let hb = ha;
  let hc = ha;
  let hd = ha;
  let he = ha;
  let hf = ha;
  const end = pointsEnd + PROJECTED - POINTS;
  for (let p = scratch + PROJECTED; p < end; p += CORNER) {
    const u = v128.load(p + first);
    const v = v128.load(p + second);
    const cu = f32x4.mul(vc, u);
    const su = f32x4.mul(vs, u);
    const cv = f32x4.mul(vc, v);
    const sv = f32x4.mul(vs, v);
    const a = f32x4.add(cu, sv);
    const b = f32x4.sub(cv, su);
    const c = f32x4.sub(cu, sv);
    const d = f32x4.add(cv, su);
    la = f32x4.pmin(la, a);
    ha = f32x4.pmax(ha, a);
    lb = f32x4.pmin(lb, b);
    hb = f32x4.pmax(hb, b);
    lc = f32x4.pmin(lc, c);
    hc = f32x4.pmax(hc, c);
    ld = f32x4.pmin(ld, d);
    hd = f32x4.pmax(hd, d);
    if (!halves) continue;
    const e = f32x4.add(u, v);
    const f = f32x4.sub(v, u);
    le = f32x4.pmin(le, e);
    he = f32x4.pmax(he, e);
    lf = f32x4.pmin(lf, f);
    hf = f32x4.pmax(hf, f);
  }
  const widths = f32x4.sub(most4(ha, hb, hc, hd), least4(la, lb, lc, ld));
  if (halves) {
    considerWidths(rows, axis, widths, f32x4.sub(most4(he, hf, he, hf), least4(le, lf, le, lf)));
    return;
  }
  const w = widthOf(axis);
  const x = f32x4.extract_lane(widths, 0);
  const y = f32x4.extract_lane(widths, 1);
  const s = f32x4.extract_lane(widths, 2);
  const t = f32x4.extract_lane(widths, 3);
  let plus = halfArea(x, y, w);
  let minus = halfArea(s, t, w);
  if (isSmall) {
    const own = axis == 0 ? t0 : axis == 1 ? t1 : t2;
    plus += sumOf(v128.and(halfAreas(f32x4.sub(ha, la), f32x4.sub(hb, lb), own), present));
    minus += sumOf(v128.and(halfAreas(f32x4.sub(hc, lc), f32x4.sub(hd, ld), own), present));
  }
  if (plus < least && plus <= minus) {
    if (isSmall) setTriangles(axis, f32x4.sub(ha, la), f32x4.sub(hb, lb));
    turn(axis, first, second, cosine, sine, plus, x, y);
  } else if (minus < least) {
    if (isSmall) setTriangles(axis, f32x4.sub(hc, lc), f32x4.sub(hd, ld));
    turn(axis, first, second, cosine, -sine, minus, s, t);
  }
}

@inline
function widthOf(axis: i32): f32 {
  return axis == 0 ? w0 : axis == 1 ? w1 : w2;
}

// ---------------------------------------------------------------------------- choices

/** Chooses axes if they are the best so far. They stay where they are until `choose`. */
export function consider(rows: usize): void {
  const cost = project(rows);
  // If areas are infinite, the first axes count.
  if (cost < LESS * least || least == Infinity) {
    least = cost;
    bestRows = rows;
    bestAxis = -1;
  }
}

/** Considers axes and, for a range that is not small, turns by quarters of a right angle. */
export function considerTurns(rows: usize): void {
  consider(rows);
  if (isSmall) return;
  considerTurnsAbout(rows, 0, 16, 32);
  considerTurnsAbout(rows, 1, 32, 0);
  considerTurnsAbout(rows, 2, 0, 16);
}

function considerTurnsAbout(rows: usize, axis: i32, first: usize, second: usize): void {
  measureTurns(rows, axis, first, second, COSINE, SINE, true);
}

/** Three quarters are a quarter back: the same widths in the opposite order. */
@inline
function considerWidths(rows: usize, axis: i32, widths: v128, halves: v128): void {
  const diagonals = f32x4.mul(f32x4.splat(<f32>DIAGONAL), halves);
  const x = v128.shuffle<i32>(widths, diagonals, 0, 4, 3, 3);
  const y = v128.shuffle<i32>(widths, diagonals, 1, 5, 2, 2);
  const costs = halfAreas(x, y, f32x4.splat(widthOf(axis)));
  takeTurn(rows, axis, 0, f32x4.extract_lane(costs, 0));
  takeTurn(rows, axis, 1, f32x4.extract_lane(costs, 1));
  takeTurn(rows, axis, 2, f32x4.extract_lane(costs, 2));
}

@inline
function takeTurn(rows: usize, axis: i32, turn: i32, cost: f32): void {
  if (!(cost < least)) return;
  least = cost;
  bestRows = rows;
  bestAxis = axis;
  bestTurn = turn;
}

/** Writes the best of the axes considered. */
export function choose(to: usize): void {
  if (bestAxis < 0) copyFrame(to, bestRows);
  else if (bestTurn == 0) turnAbout(bestRows, bestAxis, COSINE, SINE, to);
  else if (bestTurn == 1) turnAbout(bestRows, bestAxis, DIAGONAL, DIAGONAL, to);
  else turnAbout(bestRows, bestAxis, SINE, COSINE, to);
}

/** Turns axes while that makes the box smaller: in large steps, then in small ones. */
export function refine(axes: usize): void {
  refineOnce(axes);
  refineBy(0.9951847266721969, 0.0980171403295606);
}

/** Like refine, in large steps. */
export function refineOnce(axes: usize): void {
  least = project(axes);
  chosen = axes;
  refineBy(0.9807852804032304, 0.19509032201612828);
}

function refineBy(cosine: f64, sine: f64): void {
  refineAbout(0, 16, 32, cosine, sine);
  refineAbout(1, 32, 0, cosine, sine);
  refineAbout(2, 0, 16, cosine, sine);
}

function refineAbout(axis: i32, first: usize, second: usize, cosine: f64, sine: f64): void {
  measureTurns(0, axis, first, second, cosine, sine, false);
}

@inline
function setTriangles(axis: i32, u: v128, v: v128): void {
  if (axis == 0) {
    t1 = u;
    t2 = v;
  } else if (axis == 1) {
    t2 = u;
    t0 = v;
  } else {
    t0 = u;
    t1 = v;
  }
}

function turn(
  axis: i32,
  first: usize,
  second: usize,
  cosine: f64,
  sine: f64,
  cost: f32,
  x: f32,
  y: f32,
): void {
  least = cost;
  if (axis == 0) {
    w1 = x;
    w2 = y;
  } else if (axis == 1) {
    w2 = x;
    w0 = y;
  } else {
    w0 = x;
    w1 = y;
  }
  turnAbout(chosen, axis, cosine, sine, scratch + TURNED);
  copyFrame(chosen, scratch + TURNED);
  const vc = f32x4.splat(<f32>cosine);
  const vs = f32x4.splat(<f32>sine);
  const end = pointsEnd + PROJECTED - POINTS;
  for (let p = scratch + PROJECTED; p < end; p += CORNER) {
    const u = v128.load(p + first);
    const v = v128.load(p + second);
    v128.store(p + first, f32x4.add(f32x4.mul(vc, u), f32x4.mul(vs, v)));
    v128.store(p + second, f32x4.sub(f32x4.mul(vc, v), f32x4.mul(vs, u)));
  }
}
