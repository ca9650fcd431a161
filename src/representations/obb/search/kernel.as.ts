/**
 * Two wide OBB trees (../tree/wide-node.ts) against each other, a whole query per call; the
 * readable twin is test/kernels/twins/obb.ts.
 *
 * S. Gottschalk, M. Lin, D. Manocha, "OBBTree", SIGGRAPH 1996. Departures, each measured: four children a node, as boxes in the frame of
 * their parent, so that one composition of frames serves sixteen pairs of boxes; own boxes on their six face axes only.
 *
 * Letters: a node has the frame F (columns are its axes) and the centre c, its box is |u| <= h with u = F^T (p - c). M x + m takes b's local
 * coordinates into a's; d = M c_b + m - c_a, R = F_a^T M F_b, t = F_a^T d. u = 2^-24, the unit roundoff of float32. |x| of a vector is its
 * length, S(h) the sum of the three half extents; e = FRAME_SKEW bounds the entries of F^T F - I, and `skew` that of M (relative-pose.ts).
 *
 * THE BOX FILTER misses nothing. Let p be in a's box and, as p = M q + m (to within `mapped`, the slack of relative-pose.ts), q in b's.
 * (1) In real arithmetic. q - c_b = F_b^-T u_b = F_b u_b - F_b^-T D u_b with D = F_b^T F_b - I, whose last term is shorter than
 *     sqrt(3) e S(h_b) (1 + 2 e). So along a's axes, u_a = t + R u_b within 1.8 e S(h_b): |t_i| <= h_a,i + sum_j |R_ij| h_b,j + 1.8 e S(h_b), and the
 *     same of a box of b's child, lo <= u_b <= hi, in place of b's own, and of one of a's child in place of a's own.
 *     Along b's: t = u_a - F_a^T M F_b^-T u_b, so R^T t = R^T u_a - F_b^T (M^T F_a F_a^T M) F_b^-T u_b, and the bracket is I but for
 *     3 e + skew in norm (1.01 of it with the factors around): |R^T t|_j <= h_b,j + sum_i |R_ij| h_a,i + (3.1 e + 1.1 skew) S(h_b).
 * (2) In float32. Entries of F are q/32767 within 2.1 u, M's and m's within u. Column 3, the centres: a product of M [F_b | c_b] passes its own
 *     rounding and three sums, so d's coordinate k is within 5.1 u (|row k| |c_b| + |m_k| + |c_a,k|), d within 5.1 u (1.74 |c_b| + |m| + |c_a|) < 8.9 u L
 *     with L = |c_a| + |c_b| + |m|. t = F_a^T d adds per coordinate 5.2 u |column| |d|, in norm 9.1 u L: t is within 18.1 u L of true, and so is
 *     R^T t for that reason: LENGTH_ERROR has 20 u. Entries of M F_b are within 6.1 u (Cauchy-Schwarz: both factors' lines are shorter than
 *     1.0001), those of R within 6.1 sqrt(3) u + 5.1 u < 16 u. So |R| h and R times a child's centre are within 20 u S(h), boxes out of bytes
 *     within 5 u h. Sums that t takes part in round by u |t|, products of R and t are within 20 u |t_1| + ..: near contact, which is all
 *     that matters, and always where b's axes are asked, since none of a's separated, |t_i| <= h_a,i + sum_j |R_ij| h_b,j + spare, in sum at most 1.8 (S(h_a)
 *     + S(h_b)) + 3 spare. All these together stay below 100 u (S(h_a) + S(h_b)): EXTENT_ERROR has 128 u. What is below the normal range adds
 *     less than TINY.
 * (3) Comparisons are written so that a NaN (there is none in files that decode) would keep the pair.
 *
 * At leaves the vertices are moved in doubles by each tree's own pose, in the defining order, and the exact test decides (triangle-pair.as.ts).
 *
 * Memory. A tree's record is filled by kernel.ts; the workspace is read by
 * ../../../query/pair-kernel.ts.
 */
import {
  at, m0, m1, m2, mapped, movesA, movesB, relatePoses, skewOfPoses, t00, t01, t02, t10, t11, t12, t20, t21, t22,
} from '../../../kernels/relative-pose.as';
import { setTriangleScratch, trianglesMeet } from '../../../kernels/triangle-pair.as';

// The record of a tree.
const NODES: usize = 0;
const CORNERS: usize = 4;
const POSITIONS: usize = 8;
const IS_FLOAT: usize = 12;
const ORDER: usize = 16;
const ORIGIN: usize = 24; // f64 x 3
const REACH: usize = 48; // f64, of all that the tree holds, from the model's origin
const LOCAL_REACH: usize = 56; // f64, from the tree's own

// The workspace.
const POSE_A: usize = 0; // f64 x 16
const POSE_B: usize = 128;
const MAP: usize = 256; // f32x4 x 12: M's entries, nine vectors of one number each, and (0, 0, 0, m_k)
const RESULT: usize = 448; // f64: contacts in the list, pairs of nodes, pairs of triangles, levels
const STATE: usize = 512; // u32: tree a, tree b, pending bytes, isAll, capacity; f32: slack, skew
const TRIANGLES_A: usize = 576; // f64 x 9 x 4
const TRIANGLES_B: usize = 864;
const OVERLAPS: usize = 1152; // f32 x 16
const SCRATCH: usize = 2048;
const STACK: usize = 65536;
const CONTACTS: usize = 720896; // u32 x 2 each

const FRAME_SKEW: f64 = 1.0 / 16384.0;
const LENGTH_ERROR: f64 = 20.0 / 16777216.0;
const EXTENT_ERROR: f64 = 1.0 / 131072.0;
const TINY: f64 = 1e-36;

/** A node this many times as large as the other is opened alone. */
const MUCH_LARGER: f32 = 6;

// --------------------------------------------------------------------------------------------------- poses

/** Lengths beyond which sums of them could leave float32's range. */
const LARGEST_LENGTHS: f64 = 1e37;

/** The whole query's map, in float32, and its slack: relative-pose.ts in place. False where lengths are too large for float32. */
function relate(workspace: usize, treeA: usize, treeB: usize): bool {
  relatePoses(workspace + POSE_A, workspace + POSE_B, load<f64>(treeA + REACH), load<f64>(treeB + REACH));
  const map = workspace + MAP;
  v128.store(map, f32x4.splat(f32(t00)));
  v128.store(map, f32x4.splat(f32(t01)), 16);
  v128.store(map, f32x4.splat(f32(t02)), 32);
  v128.store(map, f32x4.splat(f32(t10)), 48);
  v128.store(map, f32x4.splat(f32(t11)), 64);
  v128.store(map, f32x4.splat(f32(t12)), 80);
  v128.store(map, f32x4.splat(f32(t20)), 96);
  v128.store(map, f32x4.splat(f32(t21)), 112);
  v128.store(map, f32x4.splat(f32(t22)), 128);
  // m, for the trees' own origins.
  const ox = load<f64>(treeB + ORIGIN);
  const oy = load<f64>(treeB + ORIGIN + 8);
  const oz = load<f64>(treeB + ORIGIN + 16);
  const x = m0 + t00 * ox + t01 * oy + t02 * oz - load<f64>(treeA + ORIGIN);
  const y = m1 + t10 * ox + t11 * oy + t12 * oz - load<f64>(treeA + ORIGIN + 8);
  const z = m2 + t20 * ox + t21 * oy + t22 * oz - load<f64>(treeA + ORIGIN + 16);
  const zero = f32x4.splat(0);
  v128.store(map, f32x4.replace_lane(zero, 3, f32(x)), 144);
  v128.store(map, f32x4.replace_lane(zero, 3, f32(y)), 160);
  v128.store(map, f32x4.replace_lane(zero, 3, f32(z)), 176);
  const lengths = load<f64>(treeA + LOCAL_REACH) + load<f64>(treeB + LOCAL_REACH) + abs(x) + abs(y) + abs(z);
  if (!(lengths < LARGEST_LENGTHS)) return false;
  // Rounded up by the last factors, as float32 rounds to nearest.
  slack = f32((1.01 * mapped + lengths * LENGTH_ERROR) * 1.00001 + TINY);
  skew = f32((3.1 * FRAME_SKEW + 1.1 * skewOfPoses + EXTENT_ERROR) * 1.00001);
  return true;
}

let slack: f32 = 0;
let skew: f32 = 0;

// ------------------------------------------------------------------------------------------------ triangles

/** Moves triangle `place`, counted in the order of the leaves, to nine doubles. */
function loadTriangle(tree: usize, place: u32, pose: usize, moves: bool, to: usize): void {
  const corners = <usize>load<u32>(tree + CORNERS) + 12 * place;
  const positions = <usize>load<u32>(tree + POSITIONS);
  const isFloat = load<u32>(tree + IS_FLOAT) != 0;
  for (let k: usize = 0; k < 3; k++) {
    const v = <usize>load<u32>(corners + (k << 2));
    let x: f64;
    let y: f64;
    let z: f64;
    if (isFloat) {
      const p = positions + 12 * v;
      x = load<f32>(p);
      y = load<f32>(p + 4);
      z = load<f32>(p + 8);
    } else {
      const p = positions + 24 * v;
      x = load<f64>(p);
      y = load<f64>(p + 8);
      z = load<f64>(p + 16);
    }
    const out = to + 24 * k;
    if (moves) {
      store<f64>(out, at(pose, 0) * x + at(pose, 1) * y + at(pose, 2) * z + at(pose, 3));
      store<f64>(out + 8, at(pose, 4) * x + at(pose, 5) * y + at(pose, 6) * z + at(pose, 7));
      store<f64>(out + 16, at(pose, 8) * x + at(pose, 9) * y + at(pose, 10) * z + at(pose, 11));
    } else {
      store<f64>(out, x);
      store<f64>(out + 8, y);
      store<f64>(out + 16, z);
    }
  }
}

// ---------------------------------------------------------------------------------------------------- nodes

// @ts-ignore: decorator
@inline
function row(node: usize, k: usize): v128 {
  const integers = v128.load_ext<i16>(node + (k << 3));
  const scaled = f32x4.mul(f32x4.convert_i32x4_s(integers), f32x4.splat(<f32>(1.0 / 32767.0)));
  return f32x4.replace_lane(scaled, 3, load<f32>(node + 24 + (k << 2)));
}

// @ts-ignore: decorator
@inline
function half(node: usize, k: usize): f32 {
  return reinterpret<f32>(<u32>load<u16>(node + 6 + (k << 3)) << 16);
}

/** The four children's bytes along an axis and one side (0 low, 1 high), as float32. */
// @ts-ignore: decorator
@inline
function bytesOf(node: usize, axis: usize, side: usize): v128 {
  return f32x4.convert_i32x4_u(
    i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(node + 40 + 12 * side + (axis << 2)))),
  );
}

/**
 * Starts a query of two trees in the workspace's poses: 1 where it came to an end, 0 where the list of contacts is full: `wideResume`; -1
 * where float32 cannot hold the lengths, and the search must answer.
 */
export function wideQuery(treeA: usize, treeB: usize, workspace: usize, isAll: i32, capacity: i32): i32 {
  if (!relate(workspace, treeA, treeB)) return -1;
  const state = workspace + STATE;
  store<u32>(state, <u32>treeA);
  store<u32>(state + 4, <u32>treeB);
  store<u32>(state + 8, 16);
  store<u32>(state + 12, isAll);
  store<u32>(state + 16, capacity);
  store<f64>(workspace + RESULT + 8, 0);
  store<f64>(workspace + RESULT + 16, 0);
  store<f64>(workspace + RESULT + 24, 0);
  v128.store(workspace + STACK, i32x4.splat(0));
  return wideResume(workspace);
}

/** Goes on, with an empty list. */
export function wideResume(workspace: usize): i32 {
  setTriangleScratch(workspace + SCRATCH);
  const state = workspace + STATE;
  const treeA = <usize>load<u32>(state);
  const treeB = <usize>load<u32>(state + 4);
  const isAll = load<u32>(state + 12) != 0;
  const capacity = load<u32>(state + 16);
  const nodesA = <usize>load<u32>(treeA + NODES);
  const nodesB = <usize>load<u32>(treeB + NODES);
  const orderA = <usize>load<u32>(treeA + ORDER);
  const orderB = <usize>load<u32>(treeB + ORDER);
  const map = workspace + MAP;
  const overlaps = workspace + OVERLAPS;
  const stack = workspace + STACK;
  const contacts = workspace + CONTACTS;
  let top = stack + <usize>load<u32>(state + 8);
  let found: u32 = 0;
  let bounds: u64 = 0;
  let hulls: u64 = 0;
  let deepest: u32 = <u32>load<f64>(workspace + RESULT + 24);
  let isDone: i32 = 1;

  while (top > stack) {
    if (found + 16 > capacity) {
      isDone = 0;
      break;
    }
    top -= 16;
    const indexA = load<u32>(top);
    const indexB = load<u32>(top + 4);
    const levels = load<u32>(top + 8);
    const nodeA = nodesA + (<usize>indexA << 6);
    const nodeB = nodesB + (<usize>indexB << 6);
    bounds++;

    // The frame of b's node in that of a's: columns of R, and t; lanes are a's axes.
    const b0 = row(nodeB, 0);
    const b1 = row(nodeB, 1);
    const b2 = row(nodeB, 2);
    const a0 = row(nodeA, 0);
    const a1 = row(nodeA, 1);
    const a2 = row(nodeA, 2);
    const centreLane = i32x4(0, 0, 0, -1);
    const x0 = f32x4.sub(
      f32x4.add(
        f32x4.add(f32x4.mul(v128.load(map), b0), f32x4.mul(v128.load(map, 16), b1)),
        f32x4.add(f32x4.mul(v128.load(map, 32), b2), v128.load(map, 144)),
      ),
      v128.and(a0, centreLane),
    );
    const x1 = f32x4.sub(
      f32x4.add(
        f32x4.add(f32x4.mul(v128.load(map, 48), b0), f32x4.mul(v128.load(map, 64), b1)),
        f32x4.add(f32x4.mul(v128.load(map, 80), b2), v128.load(map, 160)),
      ),
      v128.and(a1, centreLane),
    );
    const x2 = f32x4.sub(
      f32x4.add(
        f32x4.add(f32x4.mul(v128.load(map, 96), b0), f32x4.mul(v128.load(map, 112), b1)),
        f32x4.add(f32x4.mul(v128.load(map, 128), b2), v128.load(map, 176)),
      ),
      v128.and(a2, centreLane),
    );
    const c0 = f32x4.add(
      f32x4.add(f32x4.mul(a0, splat0(x0)), f32x4.mul(a1, splat0(x1))),
      f32x4.mul(a2, splat0(x2)),
    );
    const c1 = f32x4.add(
      f32x4.add(f32x4.mul(a0, splat1(x0)), f32x4.mul(a1, splat1(x1))),
      f32x4.mul(a2, splat1(x2)),
    );
    const c2 = f32x4.add(
      f32x4.add(f32x4.mul(a0, splat2(x0)), f32x4.mul(a1, splat2(x1))),
      f32x4.mul(a2, splat2(x2)),
    );
    const t = f32x4.add(
      f32x4.add(f32x4.mul(a0, splat3(x0)), f32x4.mul(a1, splat3(x1))),
      f32x4.mul(a2, splat3(x2)),
    );
    const ha0 = half(nodeA, 0);
    const ha1 = half(nodeA, 1);
    const ha2 = half(nodeA, 2);
    const hb0 = half(nodeB, 0);
    const hb1 = half(nodeB, 1);
    const hb2 = half(nodeB, 2);
    const sumA = ha0 + ha1 + ha2;
    const sumB = hb0 + hb1 + hb2;
    const spare = slack + skew * (sumA + sumB);

    // Own boxes: a's axes.
    const n0 = f32x4.abs(c0);
    const n1 = f32x4.abs(c1);
    const n2 = f32x4.abs(c2);
    const extentB = f32x4.add(
      f32x4.add(f32x4.mul(n0, f32x4.splat(hb0)), f32x4.mul(n1, f32x4.splat(hb1))),
      f32x4.mul(n2, f32x4.splat(hb2)),
    );
    const own = f32x4.add(f32x4(ha0, ha1, ha2, 0), f32x4.splat(spare));
    const apartA = i32x4.bitmask(f32x4.gt(f32x4.abs(t), f32x4.add(own, extentB))) & 7;
    if (apartA) continue;
    // b's axes: rows of R, by transposition.
    const low01 = i8x16.shuffle(c0, c1, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
    const high01 = i8x16.shuffle(c0, c1, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31);
    const r0 = i8x16.shuffle(low01, c2, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 16, 17, 18, 19);
    const r1 = i8x16.shuffle(low01, c2, 8, 9, 10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 20, 21, 22, 23);
    const r2 = i8x16.shuffle(high01, c2, 0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 26, 27, 24, 25, 26, 27);
    const t0 = splat0(t);
    const t1 = splat1(t);
    const t2 = splat2(t);
    const alongB = f32x4.add(f32x4.add(f32x4.mul(r0, t0), f32x4.mul(r1, t1)), f32x4.mul(r2, t2));
    const extentA = f32x4.add(
      f32x4.add(f32x4.mul(f32x4.abs(r0), f32x4.splat(ha0)), f32x4.mul(f32x4.abs(r1), f32x4.splat(ha1))),
      f32x4.mul(f32x4.abs(r2), f32x4.splat(ha2)),
    );
    const other = f32x4.add(f32x4(hb0, hb1, hb2, 0), f32x4.splat(spare));
    const apartB = i32x4.bitmask(f32x4.gt(f32x4.abs(alongB), f32x4.add(other, extentA))) & 7;
    if (apartB) continue;

    const linkA = load<u32>(nodeA + 36);
    const linkB = load<u32>(nodeB + 36);
    const isLeafA = (linkA & 1) != 0;
    const isLeafB = (linkB & 1) != 0;
    const isLeafPair = isLeafA && isLeafB;
    const opensA = isLeafPair || (!isLeafA && (isLeafB || sumB <= MUCH_LARGER * sumA));
    const opensB = isLeafPair || (!isLeafB && (isLeafA || sumA <= MUCH_LARGER * sumB));

    // b's boxes, lanes, in a's frame, widened by all slack.
    let minX: v128;
    let minY: v128;
    let minZ: v128;
    let maxX: v128;
    let maxY: v128;
    let maxZ: v128;
    let columns: u32;
    if (opensB) {
      const s0 = f32x4.splat(hb0 * <f32>(1.0 / 255.0));
      const s1 = f32x4.splat(hb1 * <f32>(1.0 / 255.0));
      const s2 = f32x4.splat(hb2 * <f32>(1.0 / 255.0));
      const lowX = bytesOf(nodeB, 0, 0);
      const lowY = bytesOf(nodeB, 1, 0);
      const lowZ = bytesOf(nodeB, 2, 0);
      const highX = bytesOf(nodeB, 0, 1);
      const highY = bytesOf(nodeB, 1, 1);
      const highZ = bytesOf(nodeB, 2, 1);
      const cx = f32x4.sub(f32x4.mul(f32x4.add(lowX, highX), s0), f32x4.splat(hb0));
      const cy = f32x4.sub(f32x4.mul(f32x4.add(lowY, highY), s1), f32x4.splat(hb1));
      const cz = f32x4.sub(f32x4.mul(f32x4.add(lowZ, highZ), s2), f32x4.splat(hb2));
      const ex = f32x4.mul(f32x4.sub(highX, lowX), s0);
      const ey = f32x4.mul(f32x4.sub(highY, lowY), s1);
      const ez = f32x4.mul(f32x4.sub(highZ, lowZ), s2);
      const widened = f32x4.splat(spare);
      const mx = f32x4.add(
        f32x4.add(f32x4.mul(splat0(c0), cx), f32x4.mul(splat0(c1), cy)),
        f32x4.add(f32x4.mul(splat0(c2), cz), t0),
      );
      const wx = f32x4.add(
        f32x4.add(f32x4.mul(splat0(n0), ex), f32x4.mul(splat0(n1), ey)),
        f32x4.add(f32x4.mul(splat0(n2), ez), widened),
      );
      const my = f32x4.add(
        f32x4.add(f32x4.mul(splat1(c0), cx), f32x4.mul(splat1(c1), cy)),
        f32x4.add(f32x4.mul(splat1(c2), cz), t1),
      );
      const wy = f32x4.add(
        f32x4.add(f32x4.mul(splat1(n0), ex), f32x4.mul(splat1(n1), ey)),
        f32x4.add(f32x4.mul(splat1(n2), ez), widened),
      );
      const mz = f32x4.add(
        f32x4.add(f32x4.mul(splat2(c0), cx), f32x4.mul(splat2(c1), cy)),
        f32x4.add(f32x4.mul(splat2(c2), cz), t2),
      );
      const wz = f32x4.add(
        f32x4.add(f32x4.mul(splat2(n0), ex), f32x4.mul(splat2(n1), ey)),
        f32x4.add(f32x4.mul(splat2(n2), ez), widened),
      );
      minX = f32x4.sub(mx, wx);
      maxX = f32x4.add(mx, wx);
      minY = f32x4.sub(my, wy);
      maxY = f32x4.add(my, wy);
      minZ = f32x4.sub(mz, wz);
      maxZ = f32x4.add(mz, wz);
      columns = (2 << ((linkB >> 1) & 3)) - 1;
    } else {
      const reach = f32x4.add(extentB, f32x4.splat(spare));
      const low = f32x4.sub(t, reach);
      const high = f32x4.add(t, reach);
      minX = splat0(low);
      minY = splat1(low);
      minZ = splat2(low);
      maxX = splat0(high);
      maxY = splat1(high);
      maxZ = splat2(high);
      columns = 1;
    }

    // a's boxes against them: a row of four pairs at a time.
    let mask: u32;
    if (opensA) {
      const s0 = f32x4.splat(ha0 * <f32>(2.0 / 255.0));
      const s1 = f32x4.splat(ha1 * <f32>(2.0 / 255.0));
      const s2 = f32x4.splat(ha2 * <f32>(2.0 / 255.0));
      const lowX = f32x4.sub(f32x4.mul(bytesOf(nodeA, 0, 0), s0), f32x4.splat(ha0));
      const lowY = f32x4.sub(f32x4.mul(bytesOf(nodeA, 1, 0), s1), f32x4.splat(ha1));
      const lowZ = f32x4.sub(f32x4.mul(bytesOf(nodeA, 2, 0), s2), f32x4.splat(ha2));
      const highX = f32x4.sub(f32x4.mul(bytesOf(nodeA, 0, 1), s0), f32x4.splat(ha0));
      const highY = f32x4.sub(f32x4.mul(bytesOf(nodeA, 1, 1), s1), f32x4.splat(ha1));
      const highZ = f32x4.sub(f32x4.mul(bytesOf(nodeA, 2, 1), s2), f32x4.splat(ha2));
      const o0 = overlap(splat0(lowX), splat0(lowY), splat0(lowZ), splat0(highX), splat0(highY), splat0(highZ), minX, minY, minZ, maxX, maxY, maxZ);
      const o1 = overlap(splat1(lowX), splat1(lowY), splat1(lowZ), splat1(highX), splat1(highY), splat1(highZ), minX, minY, minZ, maxX, maxY, maxZ);
      const o2 = overlap(splat2(lowX), splat2(lowY), splat2(lowZ), splat2(highX), splat2(highY), splat2(highZ), minX, minY, minZ, maxX, maxY, maxZ);
      const o3 = overlap(splat3(lowX), splat3(lowY), splat3(lowZ), splat3(highX), splat3(highY), splat3(highZ), minX, minY, minZ, maxX, maxY, maxZ);
      mask =
        columns * ((0x1111 >> 0) & ((1 << (((linkA >> 1) & 3) * 4 + 4)) - 1)) &
        ~(i32x4.bitmask(o0) | (i32x4.bitmask(o1) << 4) | (i32x4.bitmask(o2) << 8) | (i32x4.bitmask(o3) << 12));
      if (!isAll) {
        v128.store(overlaps, o0);
        v128.store(overlaps, o1, 16);
        v128.store(overlaps, o2, 32);
        v128.store(overlaps, o3, 48);
      }
    } else {
      const o0 = overlap(
        f32x4.splat(-ha0),
        f32x4.splat(-ha1),
        f32x4.splat(-ha2),
        f32x4.splat(ha0),
        f32x4.splat(ha1),
        f32x4.splat(ha2),
        minX,
        minY,
        minZ,
        maxX,
        maxY,
        maxZ,
      );
      mask = columns & ~i32x4.bitmask(o0);
      if (!isAll) v128.store(overlaps, o0);
    }

    if (isLeafPair) {
      const firstA = linkA >> 3;
      const firstB = linkB >> 3;
      let loaded: u32 = 0;
      while (mask) {
        const k = ctz(mask);
        mask &= mask - 1;
        const i = k >> 2;
        const j = k & 3;
        const triangleA = workspace + TRIANGLES_A + 72 * <usize>i;
        const triangleB = workspace + TRIANGLES_B + 72 * <usize>j;
        if (!(loaded & (1 << i))) {
          loaded |= 1 << i;
          loadTriangle(treeA, firstA + i, workspace + POSE_A, movesA, triangleA);
        }
        if (!(loaded & (16 << j))) {
          loaded |= 16 << j;
          loadTriangle(treeB, firstB + j, workspace + POSE_B, movesB, triangleB);
        }
        hulls++;
        if (trianglesMeet(triangleA, triangleB)) {
          store<u32>(contacts + (<usize>found << 3), load<u32>(orderA + (<usize>(firstA + i) << 2)));
          store<u32>(contacts + (<usize>found << 3), load<u32>(orderB + (<usize>(firstB + j) << 2)), 4);
          found++;
          if (!isAll) {
            top = stack;
            break;
          }
        }
      }
      continue;
    }
    if (!mask) continue;
    const childA = opensA ? linkA >> 3 : indexA;
    const childB = opensB ? linkB >> 3 : indexB;
    const nextLevels = levels + (opensA ? 1 : 0) + (opensB ? 65536 : 0);
    deepest = max(deepest, max(nextLevels & 65535, nextLevels >> 16));
    if (!isAll) {
      // Sorted by overlap, the largest last: it is popped first.
      const first = top;
      while (mask) {
        const k = ctz(mask);
        mask &= mask - 1;
        const key = load<f32>(overlaps + (<usize>k << 2));
        let place = top;
        while (place > first && load<f32>(place - 16, 12) > key) {
          v128.store(place, v128.load(place - 16));
          place -= 16;
        }
        push(place, childA + (k >> 2), childB + (k & 3), nextLevels);
        store<f32>(place, key, 12);
        top += 16;
      }
      continue;
    }
    while (mask) {
      const k = ctz(mask);
      mask &= mask - 1;
      push(top, childA + (k >> 2), childB + (k & 3), nextLevels);
      top += 16;
    }
  }
  store<u32>(state + 8, <u32>(top - stack));
  const result = workspace + RESULT;
  store<f64>(result, found);
  store<f64>(result + 8, load<f64>(result + 8) + <f64>bounds);
  store<f64>(result + 16, load<f64>(result + 16) + <f64>hulls);
  store<f64>(result + 24, deepest);
  return isDone;
}

// @ts-ignore: decorator
@inline
function push(address: usize, a: u32, b: u32, levels: u32): void {
  store<u32>(address, a);
  store<u32>(address + 4, b);
  store<u32>(address + 8, levels);
}

/** Per lane the volume that two boxes share; below 0 where they are apart. Its sign is that of the least overlap along an axis: exact, since a
 * difference of two floats is 0 only where they are equal. */
// @ts-ignore: decorator
@inline
function overlap(
  lowX: v128, lowY: v128, lowZ: v128, highX: v128, highY: v128, highZ: v128,
  minX: v128, minY: v128, minZ: v128, maxX: v128, maxY: v128, maxZ: v128,
): v128 {
  const x = f32x4.sub(f32x4.pmin(highX, maxX), f32x4.pmax(lowX, minX));
  const y = f32x4.sub(f32x4.pmin(highY, maxY), f32x4.pmax(lowY, minY));
  const z = f32x4.sub(f32x4.pmin(highZ, maxZ), f32x4.pmax(lowZ, minZ));
  const least = f32x4.pmin(x, f32x4.pmin(y, z));
  // 0 times an overflow is no number: pmax takes the 0.
  const volume = f32x4.pmax(f32x4.splat(0), f32x4.mul(x, f32x4.mul(y, z)));
  return v128.bitselect(volume, least, f32x4.ge(least, f32x4.splat(0)));
}

// @ts-ignore: decorator
@inline
function splat0(v: v128): v128 {
  return i8x16.shuffle(v, v, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
}
// @ts-ignore: decorator
@inline
function splat1(v: v128): v128 {
  return i8x16.shuffle(v, v, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7);
}
// @ts-ignore: decorator
@inline
function splat2(v: v128): v128 {
  return i8x16.shuffle(v, v, 8, 9, 10, 11, 8, 9, 10, 11, 8, 9, 10, 11, 8, 9, 10, 11);
}
// @ts-ignore: decorator
@inline
function splat3(v: v128): v128 {
  return i8x16.shuffle(v, v, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15);
}
