// Decides in f32 which cells of a brick a triangle occupies: surely, surely not, or undecided. The
// decisions are those of surface-cells.ts of representations/voxel/make in doubles: its axes, its
// sides, its slack.
//
// Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", algorithm 1 of section
// III A. A candidate is a brick of 4 x 4 x 4 cells in a triangle's block. Each thread of `find` has
// 32 of them, in the order of triangles. `cut` decides the 64 cells of the remaining ones.
// Candidates are not halved as in surface-cells.ts, so that threads keep in step.
//
// Letters: lengths are in cells. u = 2^-53. w = 2^-23 is the largest relative loss of an operation
// in f32: WGSL only promises that a result is one of the two neighbors. L is an axis of a triangle
// as in surface-cells.ts, in doubles, up to its length. |L| is the sum of the sizes of its parts. V
// is a corner of the edge that made the axis; for the normal, the first corner. d = C - V, where C
// is the center of a brick or cell, and h is half its edge. R is the largest coordinate of all
// triangles, plus 8.
//
// The doubles. A cell in the triangle's range of cells is occupied unless an axis separates it, or
// a block that holds it. An axis separates a cell on a tested side if L.d > h |L| there, except for
// slack, roundings, and the difference of an edge's corners along L: together less than
//   110 u |L| R.
// Without roundings, a block's interval holds those of its cells. Suppose L.d is beyond h |L| by
// more than
//   2048 u |L| R.
// Then no block is found within the triangle's interval, and the axis separates the cell or an
// earlier block. If L.d is as far below, neither the cell nor a block of it is separated. How
// blocks are halved changes nothing.
//
// The sides. For an axis of an edge and coordinate axis i, the third corner is N_i from the edge
// along L, N the normal. Its side is not tested if that is more than four slacks. If |N_i| is
// surely beyond that (surface-on-device.ts), so is the side. Otherwise either side may be tested,
// and the third corner may be 2048 u R m away, m the largest part of an edge. Then the axis removes
// no cell, but leaves cells beyond either side undecided.
//
// The axes. An axis that is parallel to x, y or z, or zero, is left out. It separates no cell in
// the triangle's range, since the cell's closed box meets the triangle along it. A triangle in one
// cell has none.
//
// The errors. A coordinate is an integer and a part, which is wrong by less than w/4 + 2^-31. So a
// brick's d is wrong by
//   w (|d| + 1/2),
// and a cell's, which is 1.5 from it at most, by
//   w (2 |d| + 2).
// An edge is the difference of integers plus that of parts: wrong by w (|e| + 2), including its
// rounding in doubles. A normal is a double rounded to f32, whose largest part is 1: each part is
// wrong by w/2 of it. With E for the error of L, L.d is wrong by
//   E.|d|, by w |L|(2 |d| + 2), and by 3 w |L||d| for products and sums;
// h |L|, where h is 2 at most, by
//   2 (E + 2 w |L|).
// Bounds are for a brick and its cells: 4 in place of 1.5 is added to |d|, which outweighs h |L|.
// The rounding of the bound itself is below the excess of W over w. Along the edge axes of exact
// triangles (surface-on-device.ts), there are no errors.
//
// include scan.wgsl

struct Batch {
  candidates: u32,
  seeds: u32,
  begin: u32, // of the candidates that are left, the first that is cut
  most: u32, // and how many are
  noise: f32, // 2048 u R
}

struct Vertex {
  cell: array<i32, 3>,
  part: array<f32, 3>, // of a cell beyond it
}

struct Triangle {
  corners: array<u32, 3>,
  flags: u32, // bits: 10 axes, 3 parts of N that are sure, 3 that are above 0, whether it is exact
  normal: array<f32, 3>,
  model: u32,
}

// A block of bricks for a triangle: candidates from `start` on, along x, then y, then z.
struct Seed {
  triangle: u32,
  brick: array<i32, 3>,
  sides: u32, // bricks along x, y and z, 8 bits each
  start: u32,
}

@group(0) @binding(0) var<uniform> batch: Batch;
@group(0) @binding(1) var<storage, read> vertices: array<Vertex>;
@group(0) @binding(2) var<storage, read> triangles: array<Triangle>;
@group(0) @binding(3) var<storage, read> seeds: array<Seed>;
@group(0) @binding(4) var<storage, read_write> results: array<u32>; // 32 candidates a word
@group(0) @binding(5) var<storage, read_write> counts: array<u32>; // a workgroup; then places
@group(0) @binding(6) var<storage, read_write> records: array<u32>; // both words of the key, the item
@group(0) @binding(7) var<storage, read_write> items: array<u32>; // both words of the mask, the model
// The number of undecided bricks; then for each its seed and its number there.
@group(0) @binding(8) var<storage, read_write> left: array<atomic<u32>>;

const BITS = 32u;
const W = 1.2e-7; // a little more than w
const HALF_BRICK = 2.0;
const HALF_CELL = 0.5;
const BIAS = 524288; // of a brick's coordinates in its key

struct Meeting {
  flags: u32,
  edges: array<vec3<f32>, 3>,
  away: array<vec3<f32>, 3>, // from a corner of each edge to the brick's centre
  normal: vec3<f32>,
  longest: f32, // part of an edge
}

fn edgeOf(v: Vertex, w: Vertex) -> vec3<f32> {
  var e: vec3<f32>;
  for (var i = 0; i < 3; i++) { e[i] = f32(w.cell[i] - v.cell[i]) + (w.part[i] - v.part[i]); }
  return e;
}

fn awayFrom(v: Vertex, brick: vec3<i32>) -> vec3<f32> {
  var d: vec3<f32>;
  for (var i = 0; i < 3; i++) { d[i] = f32(4 * brick[i] + 2 - v.cell[i]) - v.part[i]; }
  return d;
}

fn largest(v: vec3<f32>) -> f32 {
  return max(max(abs(v.x), abs(v.y)), abs(v.z));
}

fn meetingOf(triangle: u32, brick: vec3<i32>) -> Meeting {
  let t = triangles[triangle];
  let p = vertices[t.corners[0]];
  let q = vertices[t.corners[1]];
  let r = vertices[t.corners[2]];
  var m: Meeting;
  m.flags = t.flags;
  m.edges = array<vec3<f32>, 3>(edgeOf(p, q), edgeOf(p, r), edgeOf(q, r));
  let fromP = awayFrom(p, brick);
  m.away = array<vec3<f32>, 3>(fromP, fromP, awayFrom(q, brick));
  m.normal = vec3(t.normal[0], t.normal[1], t.normal[2]);
  m.longest = max(max(largest(m.edges[0]), largest(m.edges[1])), largest(m.edges[2]));
  return m;
}

struct Axis {
  p: u32,
  q: u32,
  lp: f32,
  lq: f32,
  isSure: bool, // which side is looked at
  side: f32, // and which that is, 1 or -1
  bound: f32,
}

fn axisOf(m: Meeting, e: u32, i: u32) -> Axis {
  var axis: Axis;
  axis.p = select(0u, 1u, i == 0u);
  axis.q = select(2u, 1u, i == 2u);
  let sign = select(1.0, -1.0, i == 1u);
  axis.lp = sign * m.edges[e][axis.q];
  axis.lq = -sign * m.edges[e][axis.p];
  axis.isSure = ((m.flags >> (10u + i)) & 1u) != 0u;
  axis.side = select(-1.0, 1.0, (((m.flags >> (13u + i)) & 1u) != 0u) != (e == 1u));
  let dp = abs(m.away[e][axis.p]);
  let dq = abs(m.away[e][axis.q]);
  let products = abs(axis.lp) * (dp + 4.0) + abs(axis.lq) * (dq + 4.0);
  let noise = batch.noise * (abs(axis.lp) + abs(axis.lq) + select(m.longest, 0.0, axis.isSure));
  let bound = W * (6.0 * products + 2.0 * (dp + dq + 8.0)) + noise;
  axis.bound = select(bound, 0.0, ((m.flags >> 16) & 1u) != 0u);
  return axis;
}

fn boundOfNormal(m: Meeting) -> f32 {
  let n = abs(m.normal);
  return W * 6.0 * dot(n, abs(m.away[0]) + vec3(4.0)) + batch.noise * (n.x + n.y + n.z);
}

fn isLookedAt(m: Meeting, n: u32) -> bool {
  return ((m.flags >> n) & 1u) != 0u;
}

fn isParted(m: Meeting) -> bool {
  let n = abs(m.normal);
  if (isLookedAt(m, 0u) && abs(dot(m.normal, m.away[0])) > HALF_BRICK * (n.x + n.y + n.z) + boundOfNormal(m)) {
    return true;
  }
  for (var e = 0u; e < 3u; e++) {
    for (var i = 0u; i < 3u; i++) {
      if (!isLookedAt(m, 1u + 3u * e + i)) { continue; }
      let axis = axisOf(m, e, i);
      let beyond = axis.side * (axis.lp * m.away[e][axis.p] + axis.lq * m.away[e][axis.q]);
      if (axis.isSure && beyond > HALF_BRICK * (abs(axis.lp) + abs(axis.lq)) + axis.bound) { return true; }
    }
  }
  return false;
}

fn seedAt(candidate: u32) -> u32 {
  var low = 0u;
  var high = batch.seeds;
  while (high - low > 1) {
    let middle = (low + high) / 2;
    if (seeds[middle].start <= candidate) { low = middle; } else { high = middle; }
  }
  return low;
}

fn brickOf(seed: Seed, number: u32) -> vec3<i32> {
  let wide = seed.sides & 0xffu;
  let deep = (seed.sides >> 8) & 0xffu;
  let at = vec3(number % wide, number / wide % deep, number / (wide * deep));
  return vec3(seed.brick[0], seed.brick[1], seed.brick[2]) + vec3<i32>(at);
}

// Bit b of results[thread] is set if candidate 32 thread + b remains.
@compute @workgroup_size(THREADS)
fn find(
  @builtin(global_invocation_id) global: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  let begin = BITS * global.x;
  let end = min(begin + BITS, batch.candidates);
  var bits = 0u;
  if (begin < end) {
    var s = seedAt(begin);
    for (var c = begin; c < end; c++) {
      while (s + 1 < batch.seeds && seeds[s + 1].start <= c) { s++; }
      let seed = seeds[s];
      let m = meetingOf(seed.triangle, brickOf(seed, c - seed.start));
      bits |= u32(!isParted(m)) << (c - begin);
    }
  }
  results[global.x] = bits;
  _ = scan(countOneBits(bits), thread);
  if (thread == THREADS - 1) { counts[group.x] = sums[thread]; }
}

// Two words of 32 cells: cell (x, y, z) is bit x + 4 y + 16 z.
alias Cells = vec2<u32>;

fn rowsOf(bits: u32) -> u32 {
  let two = (bits & 0xfu) | ((bits & 0xf0u) << 12u);
  let four = (two & 0x30003u) | ((two & 0xc000cu) << 6u);
  let eight = (four & 0x1010101u) | ((four & 0x2020202u) << 3u);
  return eight * 15u;
}

fn columnsOf(bits: u32, i: u32) -> Cells {
  if (i == 2u) { return vec2(bits | (bits << 16)); }
  if (i == 0u) { return vec2(rowsOf(bits & 0xffu), rowsOf(bits >> 8)); }
  return vec2(
    ((bits & 15u) * 0x1111u) | (((bits >> 4) & 15u) * 0x11110000u),
    (((bits >> 8) & 15u) * 0x1111u) | ((bits >> 12) * 0x11110000u),
  );
}

fn fourBits(isSet: vec4<bool>) -> u32 {
  return dot(select(vec4(0u), vec4(1u, 2u, 4u, 8u), isSet), vec4(1u));
}

struct Told {
  parted: Cells,
  doubted: Cells,
}

const OFFSETS = vec4(-1.5, -0.5, 0.5, 1.5); // of cells from a brick's centre

fn toldByEdges(m: Meeting) -> Told {
  var told: Told;
  for (var e = 0u; e < 3u; e++) {
    for (var i = 0u; i < 3u; i++) {
      if (!isLookedAt(m, 1u + 3u * e + i)) { continue; }
      let axis = axisOf(m, e, i);
      let extent = HALF_CELL * (abs(axis.lp) + abs(axis.lq));
      let parts = axis.lp * (m.away[e][axis.p] + OFFSETS);
      var parted = 0u;
      var doubted = 0u;
      for (var k = 0u; k < 4u; k++) {
        let along = parts + vec4(axis.lq * (m.away[e][axis.q] + OFFSETS[k]));
        let beyond = select(abs(along), axis.side * along, axis.isSure);
        doubted |= fourBits(beyond > vec4(extent - axis.bound)) << (4u * k);
        if (axis.isSure) { parted |= fourBits(beyond > vec4(extent + axis.bound)) << (4u * k); }
      }
      told.parted |= columnsOf(parted, i);
      told.doubted |= columnsOf(doubted, i);
    }
  }
  return told;
}

fn toldByNormal(m: Meeting) -> Told {
  var told: Told;
  if (!isLookedAt(m, 0u)) { return told; }
  let n = abs(m.normal);
  let extent = HALF_CELL * (n.x + n.y + n.z);
  let bound = boundOfNormal(m);
  let parts = m.normal.x * (m.away[0].x + OFFSETS);
  for (var z = 0u; z < 4u; z++) {
    for (var y = 0u; y < 4u; y++) {
      let rest = m.normal.y * (m.away[0].y + OFFSETS[y]) + m.normal.z * (m.away[0].z + OFFSETS[z]);
      let beyond = abs(parts + vec4(rest));
      let shift = 4u * (y + 4u * (z & 1u));
      told.parted[z >> 1u] |= fourBits(beyond > vec4(extent + bound)) << shift;
      told.doubted[z >> 1u] |= fourBits(beyond > vec4(extent - bound)) << shift;
    }
  }
  return told;
}

fn rangeOf(triangle: u32, brick: vec3<i32>) -> Cells {
  let t = triangles[triangle];
  var four: vec3<u32>;
  for (var i = 0; i < 3; i++) {
    let p = vertices[t.corners[0]].cell[i];
    let q = vertices[t.corners[1]].cell[i];
    let r = vertices[t.corners[2]].cell[i];
    let low = max(min(min(p, q), r) - 4 * brick[i], 0);
    let high = min(max(max(p, q), r) - 4 * brick[i], 3);
    four[i] = (2u << u32(high)) - (1u << u32(low));
  }
  let layer = four.x * (rowsOf(four.y) & 0x1111u);
  return vec2(
    ((four.z & 1u) * layer) | (((four.z >> 1) & 1u) * (layer << 16)),
    (((four.z >> 2) & 1u) * layer) | ((four.z >> 3) * (layer << 16)),
  );
}

fn swapped(cells: Cells, mask: u32, by: u32) -> Cells {
  let change = (cells ^ (cells >> vec2(by))) & vec2(mask);
  return cells ^ change ^ (change << vec2(by));
}

// Converts bits x + 4 y + 16 z to those of a CubeSet (cube-set.ts).
fn interleaved(cells: Cells) -> Cells {
  return swapped(swapped(swapped(cells, 0x0c0c0c0cu, 2u), 0x0000ff00u, 8u), 0x00f000f0u, 4u);
}

fn spread(x: u32) -> u32 {
  var s = x & 0x3ffu;
  s = (s | (s << 16)) & 0x30000ffu;
  s = (s | (s << 8)) & 0x300f00fu;
  s = (s | (s << 4)) & 0x30c30c3u;
  return (s | (s << 2)) & 0x9249249u;
}

fn keyOf(brick: vec3<i32>) -> vec2<u32> {
  let at = vec3<u32>(brick + vec3(BIAS));
  return vec2(
    spread(at.x) | (spread(at.y) << 1) | (spread(at.z) << 2),
    spread(at.x >> 10) | (spread(at.y >> 10) << 1) | (spread(at.z >> 10) << 2),
  );
}

@compute @workgroup_size(THREADS)
fn cut(
  @builtin(global_invocation_id) global: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  var bits = results[global.x];
  var place = counts[group.x] + scan(countOneBits(bits), thread);
  while (bits != 0) {
    let c = BITS * global.x + firstTrailingBit(bits);
    bits &= bits - 1;
    let item = place - batch.begin;
    place++;
    // Below `begin` the difference wraps, so it is beyond `most` too.
    if (item >= batch.most) { continue; }
    let s = seedAt(c);
    let seed = seeds[s];
    let brick = brickOf(seed, c - seed.start);
    let m = meetingOf(seed.triangle, brick);
    let range = rangeOf(seed.triangle, brick);
    let byEdges = toldByEdges(m);
    let byNormal = toldByNormal(m);
    let doubted = range & (byEdges.doubted | byNormal.doubted);
    let open = doubted & ~(byEdges.parted | byNormal.parted);
    if ((open.x | open.y) != 0u) {
      let at = 1u + 2u * atomicAdd(&left[0], 1u);
      atomicStore(&left[at], s);
      atomicStore(&left[at + 1u], c - seed.start);
    }
    let key = keyOf(brick);
    let mask = interleaved(range & ~doubted);
    records[3 * item] = key.x;
    records[3 * item + 1] = key.y;
    records[3 * item + 2] = item;
    items[3 * item] = mask.x;
    items[3 * item + 1] = mask.y;
    items[3 * item + 2] = triangles[seed.triangle].model;
  }
}
