/**
 * Finds near quads of two geometry images: a descent that keeps only pairs that may be nearer than
 * a limit, and hands out quads. The caller (nearest.ts) measures these and lowers the limit.
 *
 * E. Larsen, S. Gottschalk, M. Lin, D. Manocha, "Fast Proximity Queries with Swept Sphere Volumes",
 * UNC TR99-018, 1999: depth first, the nearer children first, while bounds are nearer than the best
 * distance. Departures: sixteen pairs of children at once, and disks instead of swept spheres.
 *
 * THE GAP. Letters, disks and the rounding of contact are those of ../kernel.as.ts. Let y of a's
 * node and z of b's be w = z - y apart. b's disk, moved by -w, shares y with a's. So, and the same
 * along m,
 *   |d - w| <= r_a + r_b', |n . (d - w)| <= h_a + |k| h_b' + sqrt(1 - k^2) r_b'
 * So |w| is at least |d| less the radii. |n| |w| and |m| |w| are at least the rest of |n . d| and
 * |m . d| between the planes. |n| is 1 within 2^-22, |m| within skew + 2^-21. Rounding is in
 * proportion to |d| <= r_a + r_b' + |w|: the radii's part is in the disks, as there, and |w|'s is
 * at most 2^-20 |w|. So
 *   |w| >= gap (1 - skew - 2^-18)
 * Squares below 2^-126 may make the root of |d|^2 too long by 2^-74 = 5.3e-23. r_b' holds 2^-19
 * `slack` more than it needs, and nearest.ts takes only `slack` >= LEAST_SQUARED, for which that is
 * 1.9e-22.
 */
import { dot, rowBy, splat } from '../../../../kernels/lanes.as';
import { CONTACTS, QUERY, RESULT, STACK, STEP } from '../../../../kernels/layout.as';
import { beginSearch, leaveSearch, resumeSearch } from '../../../../kernels/pair-search.as';
import { areQuadsBelow, block, childOf, isQuad, levelBelow, lookAt, nodeOf, quadOf, recordOf } from '../image-nodes.as';
import { BLOCKS, CENTRES, FIRST_QUAD, HALVES, NORMALS, OVER, RADII, ROOT_CHART } from '../layout.as';
import { DISCS_BYTES, LEFT, LINEAR, NEAR, PAIR_BYTES, PARALLEL, SCALE, SHIFT, SKEW, SLACK, TURN } from './layout.as';

// Written by a step: a block of b's nodes in a's grid, and 16 gaps in f32.
const MOVED: usize = STEP;
const GAPS: usize = STEP + 128;

const ENTRY_BYTES: usize = 24;
const GAP: usize = 16;

/** A node this many times larger than the other is opened alone. */
const MUCH_LARGER: f32 = 2;

let imageA: usize = 0;
let imageB: usize = 0;
let limit: f32 = Infinity;
let left: f32 = Infinity;
let near: f32 = Infinity;
let parallel: v128 = f32x4(0, 0, 0, 0);
/** Gap of the current nodes, if apart; a lower bound for all below them. */
let floor: f32 = -Infinity;

/** Starts a search with the map in the workspace, like `nearQuadsResume`. */
export function nearQuads(a: usize, b: usize, workspace: usize, beyond: f64, steps: i32): i32 {
  imageA = a;
  imageB = b;
  beginSearch(workspace, 1, 0, <u32>ENTRY_BYTES);
  store<f32>(workspace + RESULT, Infinity, LEFT);
  store<f32>(workspace + RESULT, Infinity, NEAR);
  const bottom = workspace + STACK;
  store<u64>(bottom, nodeOf(0, load<u32>(a + ROOT_CHART)));
  store<u64>(bottom, nodeOf(0, load<u32>(b + ROOT_CHART)), 8);
  moveNodes(workspace, <usize>load<u32>(b + BLOCKS));
  near = Infinity;
  floor = -Infinity;
  parallel = splat(workspace + QUERY + PARALLEL);
  gapsOf(workspace, 0, <usize>load<u32>(a + BLOCKS), workspace + MOVED, 1);
  store<f32>(workspace + RESULT, near, NEAR);
  store<f32>(bottom, load<f32>(workspace + GAPS), GAP);
  return nearQuadsResume(workspace, beyond, steps);
}

/**
 * Continues to the next quads nearer than `beyond`, or for `steps` steps. Returns ENDED if nothing
 * is left, else FULL.
 */
export function nearQuadsResume(w: usize, beyond: f64, steps: i32): i32 {
  const bottom = w + STACK;
  let top = resumeSearch(w);
  limit = f32(beyond + 1e-44);
  left = load<f32>(w + RESULT, LEFT);
  near = load<f32>(w + RESULT, NEAR);
  parallel = splat(w + QUERY + PARALLEL);
  const blocksA = <usize>load<u32>(imageA + BLOCKS);
  const blocksB = <usize>load<u32>(imageB + BLOCKS);
  const scale = load<f32>(w + QUERY, SCALE);
  let bounds: u64 = 0;
  let deepest: u32 = 0;
  let handed: u32 = 0;
  while (top > bottom && steps > 0 && handed == 0) {
    top -= ENTRY_BYTES;
    steps--;
    const gap = load<f32>(top, GAP);
    if (gap > 0 && gap >= limit) {
      left = min(left, gap);
      continue;
    }
    floor = gap > 0 ? gap : -Infinity;
    const nodeA = load<u64>(top);
    const nodeB = load<u64>(top, 8);
    lookAt(imageA, nodeA);
    const belowA = block;
    const isQuadA = isQuad;
    const areQuadsA = isQuad || areQuadsBelow;
    lookAt(imageB, nodeB);
    const belowB = block;
    const areQuadsB = isQuad || areQuadsBelow;
    let opensA = !isQuadA;
    let opensB = !isQuad;
    if (opensA && opensB) {
      const radiusA = load<f32>(laneOf(blocksA, <u32>nodeA), RADII);
      const radiusB = scale * load<f32>(laneOf(blocksB, <u32>nodeB), RADII);
      if (radiusA > MUCH_LARGER * radiusB) opensB = false;
      else if (radiusB > MUCH_LARGER * radiusA) opensA = false;
    }
    const firstA = opensA ? belowA << 2 : <u32>nodeA;
    const firstB = opensB ? belowB << 2 : <u32>nodeB;
    let pairs: u32 = 1;
    if (opensA || opensB) {
      if (opensA) deepest = max(deepest, levelBelow(imageA, nodeA, belowA));
      if (opensB) deepest = max(deepest, levelBelow(imageB, nodeB, belowB));
      bounds += opensA && opensB ? 16 : 4;
      pairs = gapsOfChildren(w, blocksA + <usize>(firstA >> 2) * DISCS_BYTES, blocksB + <usize>(firstB >> 2) * DISCS_BYTES, opensA, opensB, nodeA, nodeB);
    } else store<f32>(w + GAPS, gap);
    const opened = (opensA ? 1 : 0) | (opensB ? 2 : 0);
    if (areQuadsA && areQuadsB && opensA == !isQuadA && opensB == !isQuad) {
      handed = handOut(w, pairs, opened, firstA, firstB, nodeA, nodeB);
    } else {
      top = pushSorted(w, top, pairs, opened, firstA, firstB, nodeA, nodeB);
    }
  }
  store<f32>(w + RESULT, left, LEFT);
  store<f32>(w + RESULT, near, NEAR);
  const state = leaveSearch(w, top, bounds, deepest);
  store<f64>(w + RESULT, handed);
  return state;
}

// -------------------------------------------------------------------------------- nodes

@inline
function laneOf(blocks: usize, slot: u32): usize {
  return blocks + <usize>(slot >> 2) * DISCS_BYTES + ((slot & 3) << 2);
}

function moveNodes(w: usize, from: usize): void {
  const query = w + QUERY;
  const x = v128.load(from, CENTRES);
  const y = v128.load(from, CENTRES + 16);
  const z = v128.load(from, CENTRES + 32);
  const to = w + MOVED;
  v128.store(to, f32x4.add(rowBy(query + LINEAR, x, y, z), splat(query + SHIFT)), CENTRES);
  v128.store(to, f32x4.add(rowBy(query + LINEAR + 12, x, y, z), splat(query + SHIFT + 4)), CENTRES + 16);
  v128.store(to, f32x4.add(rowBy(query + LINEAR + 24, x, y, z), splat(query + SHIFT + 8)), CENTRES + 32);
  const nx = v128.load(from, NORMALS);
  const ny = v128.load(from, NORMALS + 16);
  const nz = v128.load(from, NORMALS + 32);
  v128.store(to, rowBy(query + TURN, nx, ny, nz), NORMALS);
  v128.store(to, rowBy(query + TURN + 12, nx, ny, nz), NORMALS + 16);
  v128.store(to, rowBy(query + TURN + 24, nx, ny, nz), NORMALS + 32);
  const slack = splat(query + SLACK);
  const r = f32x4.add(f32x4.mul(v128.load(from, RADII), splat(query + SCALE)), slack);
  const half = f32x4.add(f32x4.mul(v128.load(from, HALVES), splat(query + SCALE)), slack);
  v128.store(to, r, RADII);
  v128.store(to, f32x4.add(half, f32x4.mul(r, splat(query + SKEW))), HALVES);
}

/** Bits of pairs that may be near: a's lane x 4 + b's, or the opened one's lane; gaps in GAPS. */
function gapsOfChildren(w: usize, ofA: usize, ofB: usize, opensA: bool, opensB: bool, nodeA: u64, nodeB: u64): u32 {
  moveNodes(w, ofB);
  const moved = w + MOVED;
  if (!opensA) return gapsOf(w, 0, ofA + ((<usize>nodeA & 3) << 2), moved, 15);
  if (!opensB) return gapsOf(w, 0, moved + ((<usize>nodeB & 3) << 2), ofA, 15);
  let pairs: u32 = 0;
  for (let k: usize = 0; k < 16; k += 4) pairs |= gapsOf(w, k << 2, ofA + k, moved, 15) << <u32>k;
  return pairs;
}

/** The same for the node at `one` and the `asked` lanes of a block. */
function gapsOf(w: usize, place: usize, one: usize, four: usize, asked: u32): u32 {
  const x = f32x4.sub(v128.load(four, CENTRES), splat(one + CENTRES));
  const y = f32x4.sub(v128.load(four, CENTRES + 16), splat(one + CENTRES + 16));
  const z = f32x4.sub(v128.load(four, CENTRES + 32), splat(one + CENTRES + 32));
  const nx = v128.load(four, NORMALS);
  const ny = v128.load(four, NORMALS + 16);
  const nz = v128.load(four, NORMALS + 32);
  const r = v128.load(four, RADII);
  const h = v128.load(four, HALVES);
  const radius = splat(one + RADII);
  const half = splat(one + HALVES);
  const ox = splat(one + NORMALS);
  const oy = splat(one + NORMALS + 16);
  const oz = splat(one + NORMALS + 32);
  const cosine = dot(ox, oy, oz, nx, ny, nz);
  const sine = f32x4.sqrt(f32x4.sub(parallel, f32x4.mul(cosine, cosine)));
  const along = f32x4.abs(cosine);
  const first = f32x4.add(f32x4.add(half, f32x4.mul(along, h)), f32x4.mul(sine, r));
  const second = f32x4.add(f32x4.add(h, f32x4.mul(along, half)), f32x4.mul(sine, radius));
  const byPlanes = f32x4.pmax(
    f32x4.sub(f32x4.abs(dot(ox, oy, oz, x, y, z)), first),
    f32x4.sub(f32x4.abs(dot(nx, ny, nz, x, y, z)), second),
  );
  const apart = f32x4.sqrt(dot(x, y, z, x, y, z));
  const radii = f32x4.add(r, radius);
  const gap = f32x4.pmax(f32x4.pmax(byPlanes, f32x4.sub(apart, radii)), f32x4.splat(floor));
  const zero = f32x4.splat(0);
  // Overlapping disks have their relative depth, below 0; the deepest are opened first.
  const depth = f32x4.pmin(zero, f32x4.sub(f32x4.div(apart, radii), f32x4.splat(2)));
  const isApart = f32x4.gt(gap, zero);
  v128.store(w + GAPS + place, v128.bitselect(gap, depth, isApart));
  const isAsked = i32x4.ne(v128.and(i32x4.splat(asked), i32x4(1, 2, 4, 8)), i32x4.splat(0));
  // Lanes without a node have a negative thickness.
  const isThere = v128.and(isAsked, v128.and(f32x4.ge(h, zero), f32x4.ge(half, zero)));
  const none = f32x4.splat(Infinity);
  near = min(near, leastOf(v128.bitselect(f32x4.add(apart, radii), none, isThere)));
  const isLeft = v128.and(isThere, v128.and(isApart, f32x4.ge(gap, f32x4.splat(limit))));
  left = min(left, leastOf(v128.bitselect(gap, none, isLeft)));
  return <u32>i32x4.bitmask(v128.andnot(isThere, isLeft));
}

@inline
function leastOf(v: v128): f32 {
  return min(min(f32x4.extract_lane(v, 0), f32x4.extract_lane(v, 1)), min(f32x4.extract_lane(v, 2), f32x4.extract_lane(v, 3)));
}

// -------------------------------------------------------------------------------- pairs

@inline
function laneOfA(bit: u32, opened: i32): u32 {
  return opened == 3 ? bit >> 2 : opened & 1 ? bit : 0;
}

@inline
function laneOfB(bit: u32, opened: i32): u32 {
  return opened & 2 ? bit & 3 : 0;
}

function pushSorted(w: usize, from: usize, mask: u32, opened: i32, firstA: u32, firstB: u32, nodeA: u64, nodeB: u64): usize {
  let top = from;
  let pairs = mask;
  while (pairs != 0) {
    const bit = <u32>ctz(pairs);
    pairs &= pairs - 1;
    const gap = load<f32>(w + GAPS + (<usize>bit << 2));
    let place = top;
    while (place > from && load<f32>(place - ENTRY_BYTES, GAP) < gap) {
      memory.copy(place, place - ENTRY_BYTES, ENTRY_BYTES);
      place -= ENTRY_BYTES;
    }
    store<u64>(place, childOf(imageA, firstA + laneOfA(bit, opened), nodeA, (opened & 1) != 0));
    store<u64>(place, childOf(imageB, firstB + laneOfB(bit, opened), nodeB, (opened & 2) != 0), 8);
    store<f32>(place, gap, GAP);
    top += ENTRY_BYTES;
  }
  return top;
}

function handOut(w: usize, mask: u32, opened: i32, firstA: u32, firstB: u32, nodeA: u64, nodeB: u64): u32 {
  let to = w + CONTACTS;
  let pairs = mask;
  while (pairs != 0) {
    const bit = <u32>ctz(pairs);
    pairs &= pairs - 1;
    const a = childOf(imageA, firstA + laneOfA(bit, opened), nodeA, (opened & 1) != 0);
    const b = childOf(imageB, firstB + laneOfB(bit, opened), nodeB, (opened & 2) != 0);
    store<u32>(to, numberOf(imageA, a));
    store<u32>(to, numberOf(imageB, b), 4);
    store<f32>(to, load<f32>(w + GAPS + (<usize>bit << 2)), 8);
    to += PAIR_BYTES;
  }
  return <u32>((to - w - CONTACTS) / PAIR_BYTES);
}

function numberOf(image: usize, node: u64): u32 {
  const chart = recordOf(image, <u32>(node >> 32));
  return load<u32>(chart + FIRST_QUAD) + quadOf(chart, <u32>node, load<u32>(image + OVER));
}
