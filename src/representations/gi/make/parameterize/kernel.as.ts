/**
 * Relaxes the vertices of an embedding by damped Newton steps: distortion.ts has the energy and its
 * letters. Two triangles at a time, one a lane: those of neighbors i, i + 1 and of i + 1, i + 2.
 * Sums of both lanes are added at the end, so their order is fixed.
 *
 * A caller's record (layout.as.ts) holds the addresses of the mesh. Half-edges are those of
 * simplify.ts.
 */
import {
  LENGTHS,
  MOVES,
  ORDER,
  ORDER_ENERGY,
  ORIGIN,
  OUTGOING,
  PINNED,
  PLACES,
  RING,
  RING_ROW,
  TWIN,
  VERTICES,
  WEIGHTS,
} from './layout.as';

const CERTAIN: f64 = 4.440892098500626e-16; // 2^-51
const SNAP: f64 = 96;
/** Vertices with more neighbors only relax in sweeps: growing a fan of n would cost n^2. */
const CROWDED: i32 = 96;

@inline
function at(record: usize, field: usize): usize {
  return <usize>load<u32>(record + field);
}

@inline
function next(h: i32): i32 {
  return <u32>h % 3 == 2 ? h - 2 : h + 1;
}

@inline
function previous(h: i32): i32 {
  return <u32>h % 3 == 0 ? h + 2 : h - 1;
}

/**
 * Gathers the neighbors of u: rows x, y, spokes, rims, stretchWeight, inverseWeight. The first two
 * follow the last once more, and the triangle between them without weight, to fill both lanes.
 */
export function gatherRing(record: usize, u: i32): i32 {
  const origin = at(record, ORIGIN);
  const twin = at(record, TWIN);
  const moves = at(record, MOVES);
  const lengths = at(record, LENGTHS);
  const weights = at(record, WEIGHTS);
  const places = at(record, PLACES);
  const row = at(record, RING_ROW);
  const ring = at(record, RING);
  const first = load<i32>(at(record, OUTGOING) + (<usize>u << 2));
  let e = first;
  let to = ring;
  do {
    const triangle = <usize>(<u32>e / 3);
    const corner = e - 3 * <i32>triangle;
    const rim = <usize>(corner == 2 ? e - 2 : e + 1);
    const back = corner == 0 ? e + 2 : e - 1;
    const place = places + (<usize>load<u32>(origin + (rim << 2)) << 4);
    let x = load<f64>(place);
    let y = load<f64>(place, 8);
    const move = load<i32>(moves + (<usize>e << 2));
    if (move != 0) {
      const shiftX = move >> 16;
      const shiftY = (move << 16) >> 16;
      if (((shiftX + shiftY) & 2) != 0) {
        x = -x;
        y = -y;
      }
      x += <f64>shiftX;
      y += <f64>shiftY;
    }
    const weight = weights + (triangle << 4);
    let cell = to;
    store<f64>(cell, x);
    cell += row;
    store<f64>(cell, y);
    cell += row;
    store<f64>(cell, load<f64>(lengths + (<usize>e << 3)));
    cell += row;
    store<f64>(cell, load<f64>(lengths + (rim << 3)));
    cell += row;
    store<f64>(cell, load<f64>(weight));
    cell += row;
    store<f64>(cell, load<f64>(weight, 8));
    to += 8;
    e = load<i32>(twin + (<usize>back << 2));
  } while (e != first);
  let from = ring;
  for (let k = 0; k < 3; k++) {
    store<f64>(to, load<f64>(from));
    store<f64>(to, load<f64>(from, 8), 8);
    to += row;
    from += row;
  }
  store<f64>(to, load<f64>(from));
  store<f64>(to + row, 0);
  store<f64>(to + 2 * row, 0);
  return <i32>((to - from) >> 3);
}

/** The scalar products of two pairs of vectors. */
@inline
function dotOf(ax: v128, ay: v128, bx: v128, by: v128): v128 {
  return f64x2.add(f64x2.mul(ax, bx), f64x2.mul(ay, by));
}

/** The energy with the center at (x, y); infinite unless all triangles certainly turn left. */
export function ringEnergy(record: usize, count: i32, x: f64, y: f64): f64 {
  return energyAt(at(record, RING), at(record, RING_ROW), count, x, y);
}

function energyAt(ring: usize, row: usize, count: i32, x: f64, y: f64): f64 {
  const end = ring + (<usize>count << 3);
  const centreX = f64x2.splat(x);
  const centreY = f64x2.splat(y);
  const certain = f64x2.splat(CERTAIN);
  let sum = f64x2.splat(0);
  for (let i = ring; i < end; i += 16) {
    const ax = f64x2.sub(v128.load(i), centreX);
    const bx = f64x2.sub(v128.load(i + 8), centreX);
    let cell = i + row;
    const ay = f64x2.sub(v128.load(cell), centreY);
    const by = f64x2.sub(v128.load(cell + 8), centreY);
    const p = f64x2.mul(ax, by);
    const q = f64x2.mul(ay, bx);
    const d = f64x2.sub(p, q);
    const turns = f64x2.gt(d, f64x2.mul(certain, f64x2.add(f64x2.abs(p), f64x2.abs(q))));
    if (!i64x2.all_true(turns)) return Infinity;
    cell += row;
    const la = v128.load(cell);
    const lb = v128.load(cell + 8);
    cell += row;
    const lc = v128.load(cell);
    cell += row;
    const stretchWeight = v128.load(cell);
    const inverseWeight = v128.load(cell + row);
    const cx = f64x2.sub(bx, ax);
    const cy = f64x2.sub(by, ay);
    const ab = dotOf(ax, ay, bx, by);
    const ac = dotOf(ax, ay, cx, cy);
    const bc = dotOf(bx, by, cx, cy);
    const n = f64x2.add(f64x2.sub(f64x2.mul(ab, lc), f64x2.mul(ac, lb)), f64x2.mul(bc, la));
    const ka = f64x2.sub(f64x2.add(lb, lc), la);
    const kb = f64x2.sub(f64x2.add(la, lc), lb);
    const kc = f64x2.sub(f64x2.add(la, lb), lc);
    const squares = dotOf(ka, kb, dotOf(ax, ay, ax, ay), dotOf(bx, by, bx, by));
    const inverse = f64x2.add(squares, f64x2.mul(kc, dotOf(cx, cy, cx, cy)));
    const stretch = f64x2.div(f64x2.mul(stretchWeight, n), f64x2.mul(d, d));
    sum = f64x2.add(sum, f64x2.add(stretch, f64x2.mul(inverseWeight, inverse)));
  }
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

@inline
function both(v: v128): f64 {
  return f64x2.extract_lane(v, 0) + f64x2.extract_lane(v, 1);
}

/** Two sums each: of the energies about a vertex, and of their derivatives by its place. */
let energies: v128 = f64x2.splat(0);
let gradientX: v128 = f64x2.splat(0);
let gradientY: v128 = f64x2.splat(0);
let curvatureXX: v128 = f64x2.splat(0);
let curvatureXY: v128 = f64x2.splat(0);
let curvatureYY: v128 = f64x2.splat(0);

/** Sums energies and their derivatives over a ring about (x, y). */
@inline
function deriveAt(ring: usize, row: usize, end: usize, x: f64, y: f64): void {
  const two = f64x2.splat(2);
  const three = f64x2.splat(3);
  const four = f64x2.splat(4);
  const one = f64x2.splat(1);
  const centreX = f64x2.splat(x);
  const centreY = f64x2.splat(y);
  let sum = f64x2.splat(0);
  let gx = sum;
  let gy = sum;
  let hxx = sum;
  let hxy = sum;
  let hyy = sum;
  for (let i = ring; i < end; i += 16) {
    const ax = f64x2.sub(v128.load(i), centreX);
    const bx = f64x2.sub(v128.load(i + 8), centreX);
    let cell = i + row;
    const ay = f64x2.sub(v128.load(cell), centreY);
    const by = f64x2.sub(v128.load(cell + 8), centreY);
    cell += row;
    const la = v128.load(cell);
    const lb = v128.load(cell + 8);
    cell += row;
    const lc = v128.load(cell);
    cell += row;
    const stretchWeight = v128.load(cell);
    const inverseWeight = v128.load(cell + row);
    const cx = f64x2.sub(bx, ax);
    const cy = f64x2.sub(by, ay);
    const ab = dotOf(ax, ay, bx, by);
    const ac = dotOf(ax, ay, cx, cy);
    const bc = dotOf(bx, by, cx, cy);
    const n = f64x2.add(f64x2.sub(f64x2.mul(ab, lc), f64x2.mul(ac, lb)), f64x2.mul(bc, la));
    const r = f64x2.div(one, f64x2.sub(f64x2.mul(ax, by), f64x2.mul(ay, bx)));
    const w = f64x2.mul(f64x2.mul(stretchWeight, r), r);
    // Gradients of D are (-cy, cx); those of N:
    const ba = f64x2.sub(lb, la);
    const nx = f64x2.sub(f64x2.mul(ba, cx), f64x2.mul(f64x2.add(ax, bx), lc));
    const ny = f64x2.sub(f64x2.mul(ba, cy), f64x2.mul(f64x2.add(ay, by), lc));
    const m = f64x2.mul(f64x2.mul(two, n), r);
    sum = f64x2.add(sum, f64x2.mul(w, n));
    gx = f64x2.add(gx, f64x2.mul(w, f64x2.add(nx, f64x2.mul(m, cy))));
    gy = f64x2.add(gy, f64x2.mul(w, f64x2.sub(ny, f64x2.mul(m, cx))));
    const bend = f64x2.mul(f64x2.mul(three, m), r);
    const r4 = f64x2.mul(four, r);
    const lc2 = f64x2.mul(two, lc);
    const bendY = f64x2.mul(bend, cy);
    const xx = f64x2.add(f64x2.add(lc2, f64x2.mul(f64x2.mul(r4, nx), cy)), f64x2.mul(bendY, cy));
    hxx = f64x2.add(hxx, f64x2.mul(w, xx));
    const yy = f64x2.add(f64x2.sub(lc2, f64x2.mul(f64x2.mul(r4, ny), cx)), f64x2.mul(f64x2.mul(bend, cx), cx));
    hyy = f64x2.add(hyy, f64x2.mul(w, yy));
    const across = f64x2.sub(f64x2.mul(ny, cy), f64x2.mul(nx, cx));
    const xy = f64x2.sub(f64x2.mul(f64x2.mul(two, r), across), f64x2.mul(bendY, cx));
    hxy = f64x2.add(hxy, f64x2.mul(w, xy));
    const ka = f64x2.mul(inverseWeight, f64x2.sub(f64x2.add(lb, lc), la));
    const kb = f64x2.mul(inverseWeight, f64x2.sub(f64x2.add(la, lc), lb));
    const kc = f64x2.mul(inverseWeight, f64x2.sub(f64x2.add(la, lb), lc));
    const squares = dotOf(ka, kb, dotOf(ax, ay, ax, ay), dotOf(bx, by, bx, by));
    sum = f64x2.add(sum, f64x2.add(squares, f64x2.mul(kc, dotOf(cx, cy, cx, cy))));
    gx = f64x2.sub(gx, f64x2.mul(two, dotOf(ka, kb, ax, bx)));
    gy = f64x2.sub(gy, f64x2.mul(two, dotOf(ka, kb, ay, by)));
    const inverse = f64x2.mul(two, f64x2.add(ka, kb));
    hxx = f64x2.add(hxx, inverse);
    hyy = f64x2.add(hyy, inverse);
  }
  energies = sum;
  gradientX = gx;
  gradientY = gy;
  curvatureXX = hxx;
  curvatureXY = hxy;
  curvatureYY = hyy;
}

/**
 * Makes up to `steps` damped Newton steps with u, without raising the energy or turning a triangle
 * over. u's place must have finite energy. Returns the energy before the last step.
 */
export function relaxVertex(record: usize, u: i32, steps: i32): f64 {
  if (load<u8>(at(record, PINNED) + <usize>u) != 0) return 0;
  const count = gatherRing(record, u);
  const ring = at(record, RING);
  const row = at(record, RING_ROW);
  const end = ring + (<usize>count << 3);
  const place = at(record, PLACES) + (<usize>u << 4);
  let x = load<f64>(place);
  let y = load<f64>(place, 8);
  let energy: f64 = 0;
  for (let step = 0; step < steps; step++) {
    deriveAt(ring, row, end, x, y);
    energy = both(energies);
    const gx = both(gradientX);
    const gy = both(gradientY);
    const hxx = both(curvatureXX);
    const hxy = both(curvatureXY);
    const hyy = both(curvatureYY);
    const det = hxx * hyy - hxy * hxy;
    let sx: f64;
    let sy: f64;
    if (hxx > 0 && det > 1e-12 * hxx * hyy) {
      sx = (hxy * gy - hyy * gx) / det;
      sy = (hxy * gx - hxx * gy) / det;
    } else {
      const scale = 1 / (abs(hxx) + abs(hyy));
      sx = -gx * scale;
      sy = -gy * scale;
    }
    let length: f64 = 1;
    let moved = false;
    for (let k = 0; k < 12; k++) {
      const px = x + length * sx + SNAP - SNAP;
      const py = y + length * sy + SNAP - SNAP;
      if (energyAt(ring, row, count, px, py) < energy) {
        moved = px != x || py != y;
        x = px;
        y = py;
        break;
      }
      length *= 0.4;
    }
    if (!moved) break;
  }
  store<f64>(place, x);
  store<f64>(place, y, 8);
  return energy;
}

/** Relaxes a new vertex, then its ring, then it again. */
export function relaxAround(record: usize, u: i32): void {
  const origin = at(record, ORIGIN);
  const twin = at(record, TWIN);
  const first = load<i32>(at(record, OUTGOING) + (<usize>u << 2));
  relaxVertex(record, u, 3);
  let e = first;
  do {
    const n = load<i32>(origin + (<usize>next(e) << 2));
    if (!isCrowded(record, n)) relaxVertex(record, n, 1);
    e = load<i32>(twin + (<usize>previous(e) << 2));
  } while (e != first);
  relaxVertex(record, u, 1);
}

function isCrowded(record: usize, u: i32): bool {
  const twin = at(record, TWIN);
  const first = load<i32>(at(record, OUTGOING) + (<usize>u << 2));
  let e = first;
  let count = 0;
  do {
    if (++count > CROWDED) return true;
    e = load<i32>(twin + (<usize>previous(e) << 2));
  } while (e != first);
  return false;
}

/**
 * Relaxes all vertices that are in and not pinned `times` times, in numeric order: neighbors in a
 * file are neighbors in memory. Leaves their numbers in the record's ORDER, and each one's energy
 * by the last sweep. Returns their count.
 */
export function relaxAll(record: usize, times: i32): i32 {
  const vertices = load<i32>(record + VERTICES);
  const outgoing = at(record, OUTGOING);
  const pinned = at(record, PINNED);
  const order = at(record, ORDER);
  const energy = at(record, ORDER_ENERGY);
  let count: usize = 0;
  for (let v = 0; v < vertices; v++) {
    if (load<i32>(outgoing + (<usize>v << 2)) < 0 || load<u8>(pinned + <usize>v) != 0) continue;
    store<i32>(order + (count << 2), v);
    count++;
  }
  for (let k = 0; k < times; k++) {
    for (let i: usize = 0; i < count; i++) {
      store<f64>(energy + (i << 3), relaxVertex(record, load<i32>(order + (i << 2)), 1));
    }
  }
  return <i32>count;
}
