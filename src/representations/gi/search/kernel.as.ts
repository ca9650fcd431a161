/**
 * Two trees of slab-cut balls, those of geometry images, against each other, a whole query per
 * call; the readable twin is test/kernels/twins/gi.ts.
 *
 * T. Larsson, T. Akenine-Moller, "Bounding volume hierarchies of slab cut balls", Computer Graphics
 * Forum 28, 2009. Departures: both nodes are opened, so that the four children of one are tested
 * against each of the other's in lanes; a slab is tested against a disc (below) in place of the cut
 * ball itself, which costs no more than its volume's corners are worth; the pair whose balls
 * overlap most is looked at first.
 *
 * Letters: a node is the disc |p - c| <= r, |n . (p - c)| <= h, in steps of its image's grid; x = M
 * y + t takes b's grid into a's, M = s T with T a rotation but for `skew` (relative-pose.ts) and s
 * a length; m is b's normal, turned; d = c_b - c_a, k = n . m, u = 2^-24.
 *
 * THE TEST. Let z lie in both. n . (z - c_b): z - c_b is at most h_b along m and at most r_b long,
 * and n = k m + sqrt(1 - k^2) e with a unit e across m, so |n . d| <= h_a + |k| h_b + sqrt(1 - k^2)
 * r_b; the same with a and b exchanged; and |d| <= r_a + r_b. What breaks one of the three is
 * apart.
 *
 * ROUNDING. Whoever places a tree takes n, c as float32 and makes r, h as large as these want
 * (kernel.ts), and then r by 2^-20 r, h by 2^-20 r. Of a query:
 * - c_b is computed with M's entries and t rounded and 4 roundings more, so it is within 6 u S of
 *   true, S_i = sum |M_ij| |c_j| + |t_i|. `slack` holds 8 u |S|, besides how far mapped bounds may
 *   miss (relative-pose.ts) and the decoding of vertices.
 * - m = (M / s) n is within 1.74 * 4 u of T n, which has length 1 within skew. For w = y - c_b: m .
 *   M w = s (T n . T w) + s (m - T n) . T w, and T^T T = I but for skew, so it is at most s (h_b +
 *   (skew + 2^-21) r_b).
 * - `scale` is at least s (1 + skew) (1 + 2^-19), r_b' = scale r_b + slack, h_b' = scale h_b + (2
 *   skew + 2^-18) r_b' + slack.
 * - k as computed is within skew + 2^-21 of the cosine of the angle of n and m. So its square is
 *   too large by 2 skew + 3 * 2^-21 at most, |n|^2 by 2^-22: with `parallel` = 1 + 2 skew + 2^-18
 *   in place of 1 the root is no smaller than the sine, and its square is larger than the sine's by
 *   at least 1.5 * 2^-20, hence the root itself by 0.7 * 2^-20.
 * - n . d passes 4 roundings: within 2^-22 |d|, and |d| <= r_a + r_b' where z is in both. The sums
 *   on the other side pass 4 as well. Together that is at most 2^-21 r_a + 3.1 * 2^-22 r_b'. The
 *   first is in h_a (or, where it is b's plane, in the sine's excess times r_a), the other in the
 *   sine's excess times r_b' (or, where k is near 1 and it matters less, in 2^-18 r_b').
 * - (r_a + r_b')^2 and |d|^2 pass 6 roundings at most, and radii are larger by 2^-20.
 * Numbers stay below 2^100, so none is infinite or NaN: kernel.ts sees to that.
 *
 * Leaves are quads: their triangles' corners are decoded and moved in doubles in the defining
 * order, and the exact test decides.
 *
 * Pops, us of 400 poses of two bunnies at 257 near contact, medians of hits | misses: as here 45,
 * 2.8 | 156, 8.2. The pair nearest by its planes first: 65 | 156; in the order of lanes 67 | 156.
 * The rows of four written out rather than in a loop: 2.9 | 8.6, V8 keeps too much in registers.
 * Only one side's plane: 79 | 262. Not taken: boxes along the slab's plane, with axes to be found
 * when the image is placed, would halve the pops and cost twice as much each.
 *
 * Memory: kernel.ts fills and reads it.
 */
import { setTriangleScratch, trianglesMeet } from '../../../kernels/triangle-pair.as';

// The workspace. A query: float32.
const LINEAR: usize = 0; // M, 3 x 3
const SHIFT: usize = 36; // t
const TURN: usize = 48; // M / s
const SCALE: usize = 84;
const SLACK: usize = 88;
const SKEW: usize = 92; // 2 skew + 2^-18
const PARALLEL: usize = 96;
// Its sides, u32: addresses of blocks, links and charts; how many slots are over the charts or
// their roots.
const SIDE_A: usize = 128;
const SIDE_B: usize = 144;
const LINKS: usize = 4;
const CHARTS: usize = 8;
const OVER: usize = 12;
const ALL: usize = 160;
const CAPACITY: usize = 164;
/** Bytes on the stack: a search that was stopped goes on where it stood. */
const PENDING: usize = 168;
const BOUNDS: usize = 176;
const HULLS: usize = 180;
const DEEPEST: usize = 184;
// f64: origin x, y, z and step; three rows of four; u32: whether the poses move anything.
const GRID_A: usize = 192;
const GRID_B: usize = 224;
const POSE_A: usize = 256;
const POSE_B: usize = 352;
const MOVES_A: usize = 448;
const MOVES_B: usize = 452;
// What a step of the search writes.
const MOVED: usize = 512;
const OVERLAPS: usize = 640;
const QUADS_A: usize = 704;
const QUADS_B: usize = 1280;
const SCRATCH: usize = 2048;
/** Of 88 openings on a way down, each of which leaves 15 pairs, 1,320 are pending at most. */
const STACK: usize = 65536;
const CONTACTS: usize = 131072;

// A block: four nodes in lanes, 128 bytes; node `lane` of block i is slot 4 i + lane.
const BLOCK_SHIFT: usize = 7;
const RADIUS: usize = 48;
const NORMAL: usize = 64;
const HALF: usize = 112;

// A chart: its first block, how many of its blocks come before those over quads, its samples'
// address, exponent, first quad, levels above its root.
const CHART_BYTES: usize = 32;
const LEAVES: usize = 4;
const SAMPLES: usize = 8;
const EXPONENT: usize = 12;
const FIRST_QUAD: usize = 16;
const HEIGHT: usize = 20;

// What is known of a slot over the charts: the block of its children, the chart whose root it is,
// the deepest level of its children.
const LINK_SHIFT: usize = 4;
const CHART: usize = 4;
const DEPTH: usize = 8;

const QUAD_BYTES: usize = 144;
const TRIANGLE_BYTES: usize = 72;
const CORNER_BYTES: usize = 24;

/** The chart of a node over the charts. */
const NONE: u32 = 0xffffffff;
/** A node this many times as large as the other is opened alone. */
const MUCH_LARGER: f32 = 2;

// @ts-ignore: decorator
@inline
function splat(p: usize): v128 {
  return v128.load32_splat(p);
}

// @ts-ignore: decorator
@inline
function dot(ax: v128, ay: v128, az: v128, bx: v128, by: v128, bz: v128): v128 {
  return f32x4.add(f32x4.add(f32x4.mul(ax, bx), f32x4.mul(ay, by)), f32x4.mul(az, bz));
}

let parallel: v128 = f32x4(0, 0, 0, 0);

/**
 * Below 0 in the lanes of the nodes that are apart from the one whose first number is at `one`. How
 * far their balls overlap, by their size, is stored at `overlaps`.
 */
// @ts-ignore: decorator
@inline
function overlap(
  overlaps: usize,
  one: usize,
  x: v128,
  y: v128,
  z: v128,
  r: v128,
  nx: v128,
  ny: v128,
  nz: v128,
  h: v128,
): v128 {
  const dx = f32x4.sub(x, splat(one));
  const dy = f32x4.sub(y, splat(one + 16));
  const dz = f32x4.sub(z, splat(one + 32));
  const radius = splat(one + RADIUS);
  const ox = splat(one + NORMAL);
  const oy = splat(one + NORMAL + 16);
  const oz = splat(one + NORMAL + 32);
  const half = splat(one + HALF);
  const radii = f32x4.add(r, radius);
  const square = f32x4.mul(radii, radii);
  const ball = f32x4.sub(square, dot(dx, dy, dz, dx, dy, dz));
  v128.store(overlaps, f32x4.div(ball, square));
  const cosine = dot(ox, oy, oz, nx, ny, nz);
  const sine = f32x4.sqrt(f32x4.sub(parallel, f32x4.mul(cosine, cosine)));
  const along = f32x4.abs(cosine);
  const first = f32x4.add(f32x4.add(half, f32x4.mul(along, h)), f32x4.mul(sine, r));
  const second = f32x4.add(f32x4.add(h, f32x4.mul(along, half)), f32x4.mul(sine, radius));
  return f32x4.pmin(
    f32x4.pmin(
      f32x4.sub(first, f32x4.abs(dot(ox, oy, oz, dx, dy, dz))),
      f32x4.sub(second, f32x4.abs(dot(nx, ny, nz, dx, dy, dz))),
    ),
    ball,
  );
}

// @ts-ignore: decorator
@inline
function nodeOf(slot: u32, chart: u32): u64 {
  return <u64>slot | (<u64>chart << 32);
}

// Of the node looked at last.
let record: usize = 0;
let block: u32 = 0;
let isQuad: bool = false;
let areQuadsBelow: bool = false;

/** Finds what a node has below it. */
// @ts-ignore: decorator
@inline
function lookAt(slot: u32, chart: u32, links: usize, charts: usize, over: u32): void {
  if (chart == NONE) {
    block = load<u32>(links + (<usize>slot << LINK_SHIFT));
    isQuad = false;
    areQuadsBelow = false;
    return;
  }
  record = charts + <usize>chart * CHART_BYTES;
  const first = load<u32>(record);
  const leaves = load<u32>(record, LEAVES);
  if (slot < over) {
    block = first;
    isQuad = load<u32>(record, EXPONENT) == 0;
  } else {
    const own = (slot >> 2) - first;
    block = first + 4 * own + 1 + (slot & 3);
    isQuad = own >= leaves;
  }
  areQuadsBelow = !isQuad && block - first >= leaves;
}

/** The level of a node's children. */
// @ts-ignore: decorator
@inline
function levelBelow(slot: u32, chart: u32, links: usize, ofChart: usize, children: u32): u32 {
  if (chart == NONE) return load<u32>(links + (<usize>slot << LINK_SHIFT), DEPTH);
  // Blocks of level L + 1 begin at (4^L - 1) / 3.
  const number = 3 * (children - load<u32>(ofChart)) + 1;
  return load<u32>(ofChart, HEIGHT) + ((31 - <u32>clz(number)) >> 1) + 1;
}

// @ts-ignore: decorator
@inline
function chartOf(slot: u32, chart: u32, links: usize): u32 {
  return chart == NONE ? load<u32>(links + (<usize>slot << LINK_SHIFT), CHART) : chart;
}

let capacity: u32 = 0;
let isAll: bool = false;
let contacts: u32 = 0;
let hulls: u32 = 0;
/** Which quads are in the workspace, by their lanes' bits. */
let loadedA: u32 = 0;
let loadedB: u32 = 0;

/**
 * Goes on with the search in the workspace until it has ended or the list is full; returns how many
 * contacts are in the list.
 */
export function slabQuery(w: usize): u32 {
  setTriangleScratch(w + SCRATCH);
  const blocksA = <usize>load<u32>(w + SIDE_A);
  const blocksB = <usize>load<u32>(w + SIDE_B);
  const linksA = <usize>load<u32>(w + SIDE_A, LINKS);
  const linksB = <usize>load<u32>(w + SIDE_B, LINKS);
  const chartsA = <usize>load<u32>(w + SIDE_A, CHARTS);
  const chartsB = <usize>load<u32>(w + SIDE_B, CHARTS);
  const overA = load<u32>(w + SIDE_A, OVER);
  const overB = load<u32>(w + SIDE_B, OVER);
  const scale = load<f32>(w + SCALE);
  parallel = splat(w + PARALLEL);
  isAll = load<u32>(w + ALL) != 0;
  capacity = load<u32>(w + CAPACITY);
  contacts = 0;
  hulls = load<u32>(w + HULLS);
  let bounds = load<u32>(w + BOUNDS);
  let deepest = load<u32>(w + DEEPEST);
  const bottom = w + STACK;
  let top = bottom + <usize>load<u32>(w + PENDING);
  while (top > bottom) {
    top -= 16;
    const nodeA = load<u64>(top);
    const nodeB = load<u64>(top, 8);
    const slotA = <u32>nodeA;
    const chartA = <u32>(nodeA >> 32);
    const slotB = <u32>nodeB;
    const chartB = <u32>(nodeB >> 32);
    lookAt(slotA, chartA, linksA, chartsA, overA);
    const blockA = block;
    const isQuadA = isQuad;
    const areQuadsBelowA = areQuadsBelow;
    const recordA = record;
    lookAt(slotB, chartB, linksB, chartsB, overB);
    const blockB = block;
    const isQuadB = isQuad;
    const areQuadsBelowB = areQuadsBelow;
    const recordB = record;

    // Which of them are opened.
    let openA = !isQuadA;
    let openB = !isQuadB;
    if (openA && openB) {
      const radiusA = load<f32>(blocksA + (<usize>(slotA >> 2) << BLOCK_SHIFT) + ((slotA & 3) << 2), RADIUS);
      const radiusB = scale * load<f32>(blocksB + (<usize>(slotB >> 2) << BLOCK_SHIFT) + ((slotB & 3) << 2), RADIUS);
      if (radiusA > MUCH_LARGER * radiusB) openB = false;
      else if (radiusB > MUCH_LARGER * radiusA) openA = false;
    } else if (!openA && !openB) {
      if (isAll && capacity - contacts < 4) {
        top += 16;
        break;
      }
      loadedA = 0;
      loadedB = 0;
      if (meet(w, recordA, slotA, overA, recordB, slotB, overB)) break;
      continue;
    }
    if (openA) deepest = max(deepest, levelBelow(slotA, chartA, linksA, recordA, blockA));
    if (openB) deepest = max(deepest, levelBelow(slotB, chartB, linksB, recordB, blockB));

    // b's nodes in a's grid.
    const from = blocksB + (<usize>(openB ? blockB : slotB >> 2) << BLOCK_SHIFT);
    const cx = v128.load(from);
    const cy = v128.load(from, 16);
    const cz = v128.load(from, 32);
    const mx = v128.load(from, NORMAL);
    const my = v128.load(from, NORMAL + 16);
    const mz = v128.load(from, NORMAL + 32);
    const x = f32x4.add(dot(splat(w + LINEAR), splat(w + LINEAR + 4), splat(w + LINEAR + 8), cx, cy, cz), splat(w + SHIFT));
    const y = f32x4.add(dot(splat(w + LINEAR + 12), splat(w + LINEAR + 16), splat(w + LINEAR + 20), cx, cy, cz), splat(w + SHIFT + 4));
    const z = f32x4.add(dot(splat(w + LINEAR + 24), splat(w + LINEAR + 28), splat(w + LINEAR + 32), cx, cy, cz), splat(w + SHIFT + 8));
    const nx = dot(splat(w + TURN), splat(w + TURN + 4), splat(w + TURN + 8), mx, my, mz);
    const ny = dot(splat(w + TURN + 12), splat(w + TURN + 16), splat(w + TURN + 20), mx, my, mz);
    const nz = dot(splat(w + TURN + 24), splat(w + TURN + 28), splat(w + TURN + 32), mx, my, mz);
    const slack = splat(w + SLACK);
    const r = f32x4.add(f32x4.mul(v128.load(from, RADIUS), splat(w + SCALE)), slack);
    const thickness = f32x4.add(f32x4.mul(v128.load(from, HALF), splat(w + SCALE)), slack);
    const h = f32x4.add(thickness, f32x4.mul(r, splat(w + SKEW)));

    // Bits of pairs that overlap: a's lane, b's lane where both are opened, else the lane of the
    // one that is.
    const below = blocksA + (<usize>(openA ? blockA : slotA >> 2) << BLOCK_SHIFT);
    let found: u32 = 0;
    if (openA && openB) {
      for (let lane: usize = 0; lane < 16; lane += 4) {
        const row = overlap(w + OVERLAPS + (lane << 2), below + lane, x, y, z, r, nx, ny, nz, h);
        found |= <u32>i32x4.bitmask(row) << <u32>lane;
      }
      found ^= 0xffff;
      bounds += 16;
    } else if (openB) {
      const row = overlap(w + OVERLAPS, below + ((slotA & 3) << 2), x, y, z, r, nx, ny, nz, h);
      found = 15 ^ i32x4.bitmask(row);
      bounds += 4;
    } else {
      v128.store(w + MOVED, x);
      v128.store(w + MOVED, y, 16);
      v128.store(w + MOVED, z, 32);
      v128.store(w + MOVED, r, RADIUS);
      v128.store(w + MOVED, nx, NORMAL);
      v128.store(w + MOVED, ny, NORMAL + 16);
      v128.store(w + MOVED, nz, NORMAL + 32);
      v128.store(w + MOVED, h, HALF);
      const row = overlap(
        w + OVERLAPS,
        w + MOVED + ((slotB & 3) << 2),
        v128.load(below),
        v128.load(below, 16),
        v128.load(below, 32),
        v128.load(below, RADIUS),
        v128.load(below, NORMAL),
        v128.load(below, NORMAL + 16),
        v128.load(below, NORMAL + 32),
        v128.load(below, HALF),
      );
      found = 15 ^ i32x4.bitmask(row);
      bounds += 4;
    }
    if (found == 0) continue;

    const firstA = openA ? blockA << 2 : slotA;
    const firstB = openB ? blockB << 2 : slotB;
    const shiftA: u32 = openA && openB ? 2 : 0;
    const maskA: u32 = openA ? 3 : 0;
    const maskB: u32 = openB ? 3 : 0;
    if ((isQuadA || areQuadsBelowA) && (isQuadB || areQuadsBelowB) && openA == !isQuadA && openB == !isQuadB) {
      loadedA = 0;
      loadedB = 0;
      let isDone = false;
      while (found != 0) {
        const bit = <u32>ctz(found);
        const a = firstA + ((bit >> shiftA) & maskA);
        const b = firstB + (bit & maskB);
        if (isAll && capacity - contacts < 4) {
          // No room: these are looked at when the search goes on.
          store<u64>(top, nodeOf(a, chartA));
          store<u64>(top, nodeOf(b, chartB), 8);
          top += 16;
          isDone = true;
        } else if (meet(w, recordA, a, overA, recordB, b, overB)) {
          isDone = true;
          break;
        }
        found &= found - 1;
      }
      if (isDone) break;
      continue;
    }
    // The pair that overlaps most is to be on top.
    let most: f32 = -Infinity;
    let best = top;
    while (found != 0) {
      const bit = <u32>ctz(found);
      found &= found - 1;
      const a = firstA + ((bit >> shiftA) & maskA);
      const b = firstB + (bit & maskB);
      const by = load<f32>(w + OVERLAPS + (<usize>bit << 2));
      const isMore = by > most;
      best = select(top, best, isMore);
      most = select(by, most, isMore);
      store<u64>(top, nodeOf(a, openA ? chartOf(a, chartA, linksA) : chartA));
      store<u64>(top, nodeOf(b, openB ? chartOf(b, chartB, linksB) : chartB), 8);
      top += 16;
    }
    const lastA = load<u64>(top - 16);
    const lastB = load<u64>(top - 8);
    store<u64>(top - 16, load<u64>(best));
    store<u64>(top - 8, load<u64>(best, 8));
    store<u64>(best, lastA);
    store<u64>(best, lastB, 8);
  }
  // A first contact ends it all.
  store<u32>(w + PENDING, !isAll && contacts > 0 ? 0 : <u32>(top - bottom));
  store<u32>(w + BOUNDS, bounds);
  store<u32>(w + HULLS, hulls);
  store<u32>(w + DEEPEST, deepest);
  return contacts;
}

/**
 * Tests the triangles of two quads and lists those that meet; returns whether the search has ended.
 */
function meet(w: usize, recordA: usize, slotA: u32, overA: u32, recordB: usize, slotB: u32, overB: u32): bool {
  const laneA = slotA & 3;
  const laneB = slotB & 3;
  const a = w + QUADS_A + <usize>laneA * QUAD_BYTES;
  const b = w + QUADS_B + <usize>laneB * QUAD_BYTES;
  const quadA = quadOf(recordA, slotA, overA);
  const quadB = quadOf(recordB, slotB, overB);
  if (((loadedA >> laneA) & 1) == 0) {
    loadedA |= 1 << laneA;
    loadQuad(recordA, quadA, w + GRID_A, w + POSE_A, load<u32>(w + MOVES_A) != 0, a);
  }
  if (((loadedB >> laneB) & 1) == 0) {
    loadedB |= 1 << laneB;
    loadQuad(recordB, quadB, w + GRID_B, w + POSE_B, load<u32>(w + MOVES_B) != 0, b);
  }
  const triangleA = 2 * (load<u32>(recordA, FIRST_QUAD) + quadA);
  const triangleB = 2 * (load<u32>(recordB, FIRST_QUAD) + quadB);
  for (let i: u32 = 0; i < 4; i++) {
    hulls++;
    if (!trianglesMeet(a + (i >> 1) * TRIANGLE_BYTES, b + (i & 1) * TRIANGLE_BYTES)) continue;
    const at = w + CONTACTS + (<usize>contacts << 3);
    store<u32>(at, triangleA + (i >> 1));
    store<u32>(at, triangleB + (i & 1), 4);
    contacts++;
    if (!isAll) return true;
  }
  return false;
}

/** Number of a quad in its chart, row by row. */
function quadOf(ofChart: usize, slot: u32, over: u32): u32 {
  if (slot < over) return 0;
  // Quads are in Morton's order: bits of column and row in turns.
  const number = slot - ((load<u32>(ofChart) + load<u32>(ofChart, LEAVES)) << 2);
  return (everyOtherBit(number >> 1) << load<u32>(ofChart, EXPONENT)) | everyOtherBit(number);
}

// @ts-ignore: decorator
@inline
function everyOtherBit(bits: u32): u32 {
  let x = bits & 0x55555555;
  x = (x | (x >> 1)) & 0x33333333;
  x = (x | (x >> 2)) & 0x0f0f0f0f;
  x = (x | (x >> 4)) & 0x00ff00ff;
  return (x | (x >> 8)) & 0x0000ffff;
}

/** Decodes and moves a quad's two triangles. */
function loadQuad(ofChart: usize, quad: u32, grid: usize, pose: usize, moves: bool, to: usize): void {
  const exponent = load<u32>(ofChart, EXPONENT);
  const size: usize = (1 << exponent) + 1;
  const vertex = <usize>(quad >> exponent) * size + <usize>(quad & ((1 << exponent) - 1));
  const a = <usize>load<u32>(ofChart, SAMPLES) + 6 * vertex;
  const b = a + 6;
  const c = a + 6 * size;
  const d = c + 6;
  loadVertex(a, grid, pose, moves, to);
  loadVertex(c, grid, pose, moves, to + 2 * CORNER_BYTES);
  if (squareOf(a, d) <= squareOf(b, c)) {
    loadVertex(d, grid, pose, moves, to + CORNER_BYTES);
    copyVertex(to, to + 3 * CORNER_BYTES);
    loadVertex(b, grid, pose, moves, to + 4 * CORNER_BYTES);
    copyVertex(to + CORNER_BYTES, to + 5 * CORNER_BYTES);
  } else {
    loadVertex(b, grid, pose, moves, to + CORNER_BYTES);
    copyVertex(to + CORNER_BYTES, to + 3 * CORNER_BYTES);
    loadVertex(d, grid, pose, moves, to + 4 * CORNER_BYTES);
    copyVertex(to + 2 * CORNER_BYTES, to + 5 * CORNER_BYTES);
  }
}

// @ts-ignore: decorator
@inline
function sample(at: usize, k: usize): f64 {
  return <f64>load<u16>(at + k);
}

/** The squared distance of two samples, exact: below 2^34. */
// @ts-ignore: decorator
@inline
function squareOf(p: usize, q: usize): f64 {
  const x = sample(p, 0) - sample(q, 0);
  const y = sample(p, 2) - sample(q, 2);
  const z = sample(p, 4) - sample(q, 4);
  return x * x + y * y + z * z;
}

// @ts-ignore: decorator
@inline
function loadVertex(at: usize, grid: usize, pose: usize, moves: bool, to: usize): void {
  const step = load<f64>(grid, 24);
  const x = load<f64>(grid) + sample(at, 0) * step;
  const y = load<f64>(grid, 8) + sample(at, 2) * step;
  const z = load<f64>(grid, 16) + sample(at, 4) * step;
  if (moves) {
    store<f64>(to, load<f64>(pose) * x + load<f64>(pose, 8) * y + load<f64>(pose, 16) * z + load<f64>(pose, 24));
    store<f64>(to, load<f64>(pose, 32) * x + load<f64>(pose, 40) * y + load<f64>(pose, 48) * z + load<f64>(pose, 56), 8);
    store<f64>(to, load<f64>(pose, 64) * x + load<f64>(pose, 72) * y + load<f64>(pose, 80) * z + load<f64>(pose, 88), 16);
  } else {
    store<f64>(to, x);
    store<f64>(to, y, 8);
    store<f64>(to, z, 16);
  }
}

// @ts-ignore: decorator
@inline
function copyVertex(from: usize, to: usize): void {
  v128.store(to, v128.load(from));
  store<f64>(to, load<f64>(from, 16), 16);
}
