/**
 * All contacts of pairs of leaves: float32 decides four pairs of triangles at a time, and the exact
 * test those that it cannot, about 1 of 100. A query that lists all contacts meets the same leaf
 * several times, so list.as.ts keeps its moved triangles.
 *
 * Letters: u = 2^-24 is the unit roundoff of float32. p is a moved vertex, as in the exact test. o
 * and s are the query's point and power of two, and q = f32((p - o) s). a_k and b_k are the
 * vertices q of a triangle of each side.
 *   h_k = ((a_1 - a_0) x (a_2 - a_0)) . (b_k - a_0)
 * g_k is the same with the sides exchanged.
 *
 * THE ERROR. Let R be the greatest coordinate of the q, and M the greatest component of a
 * difference of two, as computed. A q is within 1.001 u R of (p - o) s, so a computed difference is
 * within
 *   n = u (2.01 R + M)
 * of the true one. A determinant of coordinates up to 1 is at most 4 (Hadamard). Replacing computed
 * differences by the true ones therefore changes a determinant by at most
 *   4 ((M + n)^3 - M^3) = 12 M^2 n + 12 M n^2 + 4 n^3,
 * and five roundings of each of its six products change it by less than 30.1 u M^3. Let
 *   E = u M^2 (50 M + 38 R) + TINY
 * A computed determinant is at most 4.01 M^3, and E more than 18 M^2 n, so that only pairs with
 *   n < 0.23 M
 * have sure signs. There the change is less than 15 M^2 n. Together with M's own rounding, that is
 * less than E. Underflow adds less than 2^-146 (1 + M), far below TINY, or below u M^3 for a great
 * M.
 * Nothing overflows: s keeps R below 2^40, and sums of products are at most 48 R^3 < 2^126.
 *
 * THE DECISION. A sign is sure if the determinant's magnitude is more than E.
 * - Apart: all h, or all g, have one sure sign.
 * - If all six are sure, the intervals in which both triangles cut the planes' common line decide,
 *   as in ../../../geometry/triangle-triangle.ts: two more determinants of differences. The
 *   triangles meet if both have the right sure sign, and do not if one has the wrong one.
 * - The exact test decides everything else.
 */
import { POSE_A, POSE_B, STEP } from '../../../kernels/layout.as';
import { addContactIf, countHulls } from '../../../kernels/pair-search.as';
import { at, mapped, movesA, movesB } from '../../../kernels/relative-pose.as';
import { trianglesMeet } from '../../../kernels/triangle-pair.as';
import { CORNERS, IS_FLOAT, LOCAL_REACH, ORDER, ORIGIN, POSITIONS } from './layout.as';
import { lengths, loadCorners, TRIANGLES_A, TRIANGLES_B } from './wide-boxes.as';

// A leaf's record: lanes are its triangles. x, y, z of three vertices; the planes' normals; the
// greatest component of an edge; the greatest coordinate, in all lanes.
const NORMALS: usize = 144;
const EDGES: usize = 192;
const REACHES: usize = 208;
export const LEAF_BYTES: usize = 224;

/**
 * For each of b's triangles, with a's in lanes: the signs of h_0 to g_2, four bits each, and if all
 * are sure; and E.
 */
const SIGNS: usize = STEP + 896;
const ERRORS: usize = 16;
const SIGNS_BYTES: usize = 32;

const OF_M: f32 = 50.0 / 16777216.0;
const OF_R: f32 = 38.0 / 16777216.0;
const TINY: f32 = reinterpret<f32>((127 - 120) << 23);

let originXY: v128 = f64x2.splat(0);
let originZ: f64 = 0;
let scale: f64 = 0;

/** Chooses o and s for a query, after `relate`. */
export function beginLeaves(workspace: usize, treeA: usize, treeB: usize): void {
  const isSmallerA = load<f64>(treeA + LOCAL_REACH) < load<f64>(treeB + LOCAL_REACH);
  const tree = isSmallerA ? treeA : treeB;
  const pose = workspace + (isSmallerA ? POSE_A : POSE_B);
  const x = load<f64>(tree + ORIGIN);
  const y = load<f64>(tree + ORIGIN + 8);
  const z = load<f64>(tree + ORIGIN + 16);
  originXY = f64x2.replace_lane(
    f64x2.splat(at(pose, 0) * x + at(pose, 1) * y + at(pose, 2) * z + at(pose, 3)), 1,
    at(pose, 4) * x + at(pose, 5) * y + at(pose, 6) * z + at(pose, 7),
  );
  originZ = at(pose, 8) * x + at(pose, 9) * y + at(pose, 10) * z + at(pose, 11);
  // The smaller tree extends to between 1 and 2, unless the other tree, or the roundings of poses,
  // would extend to 2^40. `lengths` and roundings bound |p - o| except for a factor of 1.0001.
  const power = min(2046 - exponentOf(load<f64>(tree + LOCAL_REACH)), 2084 - exponentOf(lengths + 3 * mapped));
  scale = reinterpret<f64>(power << 52);
}

@inline
function exponentOf(x: f64): u64 {
  return reinterpret<u64>(x) >> 52;
}

/**
 * Lists the contacts of the pairs of triangles in `mask` of two leaves.
 *
 * @param ofA, ofB their records
 * @param links of b's node, above that of a's
 */
export function listContacts(workspace: usize, treeA: usize, treeB: usize, ofA: usize, ofB: usize, links: u64, mask: u32): void {
  const firstA = <u32>links >> 3;
  const firstB = <u32>(links >> 35);
  countHulls(popcnt(mask));
  const orderA = <usize>load<u32>(treeA + ORDER);
  const orderB = <usize>load<u32>(treeB + ORDER);
  const signs = workspace + SIGNS;
  const reach = f32x4.mul(f32x4.pmax(v128.load(ofA, REACHES), v128.load(ofB, REACHES)), f32x4.splat(OF_R));
  // Bit 4 j + i of a pair that planes leave.
  let left: u32 = 0;
  for (let columns = (mask | (mask >> 4) | (mask >> 8) | (mask >> 12)) & 15; columns; columns &= columns - 1) {
    const j = ctz(columns);
    const column = (mask >> j) & 0x1111;
    const rows = (column | (column >> 3) | (column >> 6) | (column >> 9)) & 15;
    left |= (rows & ~areApart(signs + SIGNS_BYTES * <usize>j, ofA, ofB + (<usize>j << 2), reach)) << (j << 2);
  }
  // There are no branches for unpredictable results: every other pair meets.
  for (; left; left &= left - 1) {
    const k = ctz(left);
    const i = k & 3;
    const j = k >> 2;
    const sure = decide(
      signs + SIGNS_BYTES * <usize>j, i, ofA + (<usize>i << 2), ofB + (<usize>j << 2),
    );
    const meets = sure == UNSURE ? meetExactly(workspace, treeA, treeB, firstA + i, firstB + j) : sure == MEET;
    addContactIf(
      meets, workspace, load<u32>(orderA + (<usize>(firstA + i) << 2)), load<u32>(orderB + (<usize>(firstB + j) << 2)),
    );
  }
}

function meetExactly(workspace: usize, treeA: usize, treeB: usize, placeA: u32, placeB: u32): bool {
  loadCorners(treeA, placeA, workspace + POSE_A, movesA, workspace + TRIANGLES_A);
  loadCorners(treeB, placeB, workspace + POSE_B, movesB, workspace + TRIANGLES_B);
  return trianglesMeet(workspace + TRIANGLES_A, workspace + TRIANGLES_B);
}

/** Writes the record of a leaf. @param link of its node */
export function writeLeaf(record: usize, tree: usize, link: u32, pose: usize, moves: bool): void {
  const count = ((link >> 1) & 3) + 1;
  if (count < 4) memory.fill(record, 0, NORMALS);
  const corners = <usize>load<u32>(tree + CORNERS) + 12 * <usize>(link >> 3);
  if (moves) writeMoved(record, tree, corners, count, pose);
  else writeUnmoved(record, tree, corners, count);
  writePlanes(record);
}

/** Writes the vertices of triangles as the pose moves them: in the order of movePoint. */
function writeMoved(record: usize, tree: usize, corners: usize, count: u32, pose: usize): void {
  const c0 = columnOf(pose, 0);
  const c1 = columnOf(pose, 1);
  const c2 = columnOf(pose, 2);
  const c3 = columnOf(pose, 3);
  for (let t: u32 = 0; t < count; t++) {
    for (let k: usize = 0; k < 3; k++) {
      loadVertex(tree, load<u32>(corners + (k << 2)));
      const x = f64x2.splat(f64x2.extract_lane(vertexXY, 0));
      const y = f64x2.splat(f64x2.extract_lane(vertexXY, 1));
      const xy = f64x2.add(
        f64x2.add(f64x2.add(f64x2.mul(c0, x), f64x2.mul(c1, y)), f64x2.mul(c2, f64x2.splat(vertexZ))), c3,
      );
      const z =
        at(pose, 8) * f64x2.extract_lane(x, 0) + at(pose, 9) * f64x2.extract_lane(y, 0) + at(pose, 10) * vertexZ + at(pose, 11);
      writeVertex(record, t, k, xy, z);
    }
    corners += 12;
  }
}

function writeUnmoved(record: usize, tree: usize, corners: usize, count: u32): void {
  for (let t: u32 = 0; t < count; t++) {
    for (let k: usize = 0; k < 3; k++) {
      loadVertex(tree, load<u32>(corners + (k << 2)));
      writeVertex(record, t, k, vertexXY, vertexZ);
    }
    corners += 12;
  }
}

/** Entries of two rows of a pose. */
@inline
function columnOf(pose: usize, k: usize): v128 {
  return f64x2.replace_lane(f64x2.splat(at(pose, <i32>k)), 1, at(pose, <i32>k + 4));
}

let vertexXY: v128 = f64x2.splat(0);
let vertexZ: f64 = 0;

@inline
function loadVertex(tree: usize, vertex: u32): void {
  const positions = <usize>load<u32>(tree + POSITIONS);
  if (load<u32>(tree + IS_FLOAT) != 0) {
    const p = positions + 12 * <usize>vertex;
    vertexXY = f64x2.promote_low_f32x4(v128.load64_zero(p));
    vertexZ = load<f32>(p, 8);
  } else {
    const p = positions + 24 * <usize>vertex;
    vertexXY = v128.load(p);
    vertexZ = load<f64>(p, 16);
  }
}

@inline
function writeVertex(record: usize, t: u32, k: usize, xy: v128, z: f64): void {
  const q = f32x4.demote_f64x2_zero(f64x2.mul(f64x2.sub(xy, originXY), f64x2.splat(scale)));
  const last = f32((z - originZ) * scale);
  const lanes = record + (<usize>t << 2) + 48 * k;
  v128.store_lane<u32>(lanes, q, 0);
  v128.store_lane<u32>(lanes, q, 1, 16);
  store<f32>(lanes, last, 32);
}

function writePlanes(record: usize): void {
  const x0 = v128.load(record);
  const y0 = v128.load(record, 16);
  const z0 = v128.load(record, 32);
  const x1 = v128.load(record, 48);
  const y1 = v128.load(record, 64);
  const z1 = v128.load(record, 80);
  const x2 = v128.load(record, 96);
  const y2 = v128.load(record, 112);
  const z2 = v128.load(record, 128);
  const ux = f32x4.sub(x1, x0);
  const uy = f32x4.sub(y1, y0);
  const uz = f32x4.sub(z1, z0);
  const vx = f32x4.sub(x2, x0);
  const vy = f32x4.sub(y2, y0);
  const vz = f32x4.sub(z2, z0);
  v128.store(record, crossed(uy, vz, uz, vy), NORMALS);
  v128.store(record, crossed(uz, vx, ux, vz), NORMALS + 16);
  v128.store(record, crossed(ux, vy, uy, vx), NORMALS + 32);
  const edges = greatest(
    greatest(f32x4.abs(ux), f32x4.abs(uy), f32x4.abs(uz)),
    greatest(f32x4.abs(vx), f32x4.abs(vy), f32x4.abs(vz)),
    greatest(f32x4.abs(f32x4.sub(x2, x1)), f32x4.abs(f32x4.sub(y2, y1)), f32x4.abs(f32x4.sub(z2, z1))),
  );
  v128.store(record, edges, EDGES);
  const reaches = greatest(
    greatest(f32x4.abs(x0), f32x4.abs(y0), f32x4.abs(z0)),
    greatest(f32x4.abs(x1), f32x4.abs(y1), f32x4.abs(z1)),
    greatest(f32x4.abs(x2), f32x4.abs(y2), f32x4.abs(z2)),
  );
  const two = f32x4.pmax(reaches, v128.shuffle<i32>(reaches, reaches, 2, 3, 0, 1));
  v128.store(record, f32x4.pmax(two, v128.shuffle<i32>(two, two, 1, 0, 3, 2)), REACHES);
}

@inline
function greatest(x: v128, y: v128, z: v128): v128 {
  return f32x4.pmax(f32x4.pmax(x, y), z);
}

@inline
function crossed(p: v128, q: v128, r: v128, s: v128): v128 {
  return f32x4.sub(f32x4.mul(p, q), f32x4.mul(r, s));
}

@inline
function dot(ax: v128, ay: v128, az: v128, bx: v128, by: v128, bz: v128): v128 {
  return f32x4.add(f32x4.add(f32x4.mul(ax, bx), f32x4.mul(ay, by)), f32x4.mul(az, bz));
}

@inline
function splatAt(address: usize, offset: usize): v128 {
  return v128.load32_splat(address + offset);
}

/**
 * Returns a bit for each of a's triangles that is certainly apart from one of b's, whose lane is at
 * `b`, and stores signs.
 */
@inline
function areApart(signs: usize, a: usize, b: usize, reach: v128): u32 {
  const ax0 = v128.load(a);
  const ay0 = v128.load(a, 16);
  const az0 = v128.load(a, 32);
  const bx0 = splatAt(b, 0);
  const by0 = splatAt(b, 16);
  const bz0 = splatAt(b, 32);
  const dx = f32x4.sub(bx0, ax0);
  const dy = f32x4.sub(by0, ay0);
  const dz = f32x4.sub(bz0, az0);
  const m = f32x4.add(
    f32x4.add(v128.load(a, EDGES), splatAt(b, EDGES)), greatest(f32x4.abs(dx), f32x4.abs(dy), f32x4.abs(dz)),
  );
  const error = f32x4.add(
    f32x4.mul(f32x4.mul(m, m), f32x4.add(f32x4.mul(m, f32x4.splat(OF_M)), reach)), f32x4.splat(TINY),
  );
  const nx = v128.load(a, NORMALS);
  const ny = v128.load(a, NORMALS + 16);
  const nz = v128.load(a, NORMALS + 32);
  const h0 = dot(nx, ny, nz, dx, dy, dz);
  const h1 = dot(
    nx, ny, nz, f32x4.sub(splatAt(b, 48), ax0), f32x4.sub(splatAt(b, 64), ay0), f32x4.sub(splatAt(b, 80), az0),
  );
  const h2 = dot(
    nx, ny, nz, f32x4.sub(splatAt(b, 96), ax0), f32x4.sub(splatAt(b, 112), ay0), f32x4.sub(splatAt(b, 128), az0),
  );
  const mx = splatAt(b, NORMALS);
  const my = splatAt(b, NORMALS + 16);
  const mz = splatAt(b, NORMALS + 32);
  const g0 = f32x4.neg(dot(mx, my, mz, dx, dy, dz));
  const g1 = dot(
    mx, my, mz, f32x4.sub(v128.load(a, 48), bx0), f32x4.sub(v128.load(a, 64), by0), f32x4.sub(v128.load(a, 80), bz0),
  );
  const g2 = dot(
    mx, my, mz, f32x4.sub(v128.load(a, 96), bx0), f32x4.sub(v128.load(a, 112), by0), f32x4.sub(v128.load(a, 128), bz0),
  );
  const above = v128.or(
    f32x4.gt(f32x4.pmin(f32x4.pmin(h0, h1), h2), error), f32x4.gt(f32x4.pmin(f32x4.pmin(g0, g1), g2), error),
  );
  const less = f32x4.neg(error);
  const below = v128.or(f32x4.lt(greatest(h0, h1, h2), less), f32x4.lt(greatest(g0, g1, g2), less));
  const leastH = f32x4.pmin(f32x4.pmin(f32x4.abs(h0), f32x4.abs(h1)), f32x4.abs(h2));
  const leastG = f32x4.pmin(f32x4.pmin(f32x4.abs(g0), f32x4.abs(g1)), f32x4.abs(g2));
  const areSure = f32x4.gt(f32x4.pmin(leastH, leastG), error);
  v128.store(signs, error, ERRORS);
  store<u32>(
    signs,
    i32x4.bitmask(h0) | (i32x4.bitmask(h1) << 4) | (i32x4.bitmask(h2) << 8) | (i32x4.bitmask(g0) << 12) |
      (i32x4.bitmask(g1) << 16) | (i32x4.bitmask(g2) << 20) | (i32x4.bitmask(areSure) << 24),
  );
  return i32x4.bitmask(v128.or(above, below));
}

const MISS: i32 = 0;
const MEET: i32 = 1;
const UNSURE: i32 = 2;

/** By the signs of three vertices (bits, none 0): the single one, plus 4 if negative. */
const ALONE: u32 = 0x0162540;

/** @param i the lane of a's triangle; `a` and `b` are both triangles' lanes */
@inline
function decide(signs: usize, i: u32, a: usize, b: usize): i32 {
  const word = load<u32>(signs) >> i;
  if ((word & 0x1000000) == 0) return UNSURE;
  const error = load<f32>(signs + (<usize>i << 2), ERRORS);
  const aloneB = (ALONE >> (((word & 1) << 2) | ((word & 0x10) >> 1) | ((word & 0x100) >> 4))) & 15;
  const aloneA = (ALONE >> (((word & 0x1000) >> 10) | ((word & 0x10000) >> 13) | ((word & 0x100000) >> 16))) & 15;
  const p1 = a + 48 * <usize>(aloneA & 3);
  const p2 = b + 48 * <usize>(aloneB & 3);
  const afterA = a + after(aloneA & 3);
  const beforeA = a + before(aloneA & 3);
  const afterB = b + after(aloneB & 3);
  const beforeB = b + before(aloneB & 3);
  const isOverA = (aloneB & 4) != 0;
  const isOverB = (aloneA & 4) != 0;
  const q1 = isOverA ? beforeA : afterA;
  const r1 = isOverA ? afterA : beforeA;
  const q2 = isOverB ? beforeB : afterB;
  const r2 = isOverB ? afterB : beforeB;
  const x1 = splatAt(p1, 0);
  const y1 = splatAt(p1, 16);
  const z1 = splatAt(p1, 32);
  const x2 = splatAt(p2, 0);
  const y2 = splatAt(p2, 16);
  const z2 = splatAt(p2, 32);
  const ux = f32x4.sub(pairOf(q1, r1, 0), x1);
  const uy = f32x4.sub(pairOf(q1, r1, 16), y1);
  const uz = f32x4.sub(pairOf(q1, r1, 32), z1);
  const vx = f32x4.sub(pairOf(q2, r2, 0), x2);
  const vy = f32x4.sub(pairOf(q2, r2, 16), y2);
  const vz = f32x4.sub(pairOf(q2, r2, 32), z2);
  const values = dot(
    crossed(uy, vz, uz, vy), crossed(uz, vx, ux, vz), crossed(ux, vy, uy, vx), f32x4.sub(x2, x1), f32x4.sub(y2, y1), f32x4.sub(z2, z1),
  );
  const atQ = f32x4.extract_lane(values, 0);
  const atR = -f32x4.extract_lane(values, 1);
  const lower = min(atQ, atR);
  return lower > error ? MEET : lower < -error ? MISS : UNSURE;
}

@inline
function after(k: u32): usize {
  return <usize>select<u32>(0, 48 * k + 48, k == 2);
}

@inline
function before(k: u32): usize {
  return <usize>select<u32>(96, 48 * k - 48, k == 0);
}

@inline
function pairOf(q: usize, r: usize, offset: usize): v128 {
  return v128.load_lane<u32>(r + offset, v128.load32_zero(q + offset), 1);
}
