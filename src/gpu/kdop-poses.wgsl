// Checks pairs of k-DOP trees of up to 16 bits in many pairs of poses: touching, apart or
// undecided.
//
// A. Raabe, S. Hochguertel, J. K. Anlauf, G. Zachmann, "Hardware-Accelerated Collision Detection
// using Bounded-Error Fixed-Point Arithmetic", Journal of WSCG 14, 2006, sections 4 and 5.
// kdop-axes.wgsl prepares the axes, and says why 32 bits hold all sums. A twin in TypeScript
// (test/kernels/twins/kdop.ts) has the same sums to the bit, so the same pairs of nodes overlap. If
// two trees do not touch, bounds, hulls and level are the twin's, whatever the order.
//
// A workgroup answers a query. Its stack holds pairs of groups of up to four nodes. A step takes up
// to four of them, with 16 threads for the 16 pairs of nodes of each. An axis has 16 images too:
// two sides, two ends, four nodes. Each thread makes one on each of 12 axes, then compares those of
// its pair. Remaining pairs go back on the stack, the deepest on top. A queue per level over all
// queries finds the first contact last, since leaves are the last level.
//
// Triangles are decided in f32: surely apart, surely meeting, or LEFT. A query is clear if all
// pairs are apart, and a contact if one meets; otherwise it is LEFT.
//
// Letters: u = 2^-23 is the largest relative loss of an operation. WGSL only promises that a result
// is one of the two neighbors, and results below 2^-126 may be 0. D is the query's `error`: a
// coordinate moved in f32 is within D of the exact test's. Corners are relative to the first of
// a's; m is the largest of their coordinates. So each is within eps = 2 D + u m of the true one.
//
// Apart. L is any vector. A corner's image on it, three products and two sums, is wrong by less
// than
//   |L|_1 (eps + 4 u m),   |L|_1 the sum of its sizes.
// With e = 2 D + 2^-20 m that is less than |L|_1 e. So the triangles share no point if the images'
// gap is more than 2 |L|_1 e. The rounding of e, |L|_1 and the gap is far below the added 0.01;
// underflow is below TINY. L are the normals and the products of edges; for triangles in one plane,
// the products of normals and edges.
//
// Meeting. An edge pierces a triangle if its ends are on both open sides of the plane, and its line
// has the triangle's three edges on one open side. The sides are determinants of differences of
// corners, whose coordinates are wrong by 2 eps + 2 u m < 2 e. With the largest coordinates x, y, z
// of three vectors, each of the six products is wrong by less than
//   (x + 2 e)(y + 2 e)(z + 2 e) - x y z,
// and their five roundings lose less than 6 u x y z each. A sign counts beyond all of that.
//
// include kdop-trees.wgsl

struct Entry {
  a: u32, // numbers of groups
  b: u32,
  nodes: u32, // a bit for each node of a that counts, and 16 for the first of b
}

struct Answer {
  verdict: u32, // 0: clear, 1: contact, 2: left
  bounds: u32,
  hulls: u32,
  level: u32,
}

@group(0) @binding(0) var<uniform> constants: Constants;
@group(0) @binding(1) var<storage, read> axes: array<Axis>;
@group(0) @binding(2) var<storage, read> trees: array<Tree>;
@group(0) @binding(3) var<storage, read> groups: array<u32>;
@group(0) @binding(4) var<storage, read> leaves: array<f32>;
@group(0) @binding(5) var<storage, read> queries: array<Query>;
@group(0) @binding(6) var<storage, read_write> answers: array<Answer>;

const THREADS = 64u;
const TAKEN = 4u; // pairs of groups in a step
const BLOCK = 12u; // axes between two looks at what is left
const BLOCKS = 3u;
const FEW_PAIRS = 2u; // no more axes are tested after the first block for so many
const ROOM = 512u; // of the stack
const MUCH_WIDER = 6.0;
const MOST_SHIFT = 31;
const LEAST = -2147483647 - 1;

const WIDTHS = 4u;
const COUNT = 8u;
const LEVEL = 9u;

const APART = 0u;
const MEETING = 1u;
const LEFT = 2u;
const TINY = 7.9e-31; // 2^-100

var<private> treeA: Tree;
var<private> treeB: Tree;
var<private> shiftA: u32;
var<private> shiftB: u32;
var<private> sizeA: f32;
var<private> sizeB: f32;

var<workgroup> stack: array<Entry, ROOM>;
var<workgroup> top: u32;
var<workgroup> pending: u32;
var<workgroup> images: array<i32, THREADS * BLOCK>;
var<workgroup> masks: array<atomic<u32>, TAKEN * BLOCKS>; // pairs left after a block of axes
var<workgroup> pushed: array<atomic<u32>, TAKEN>;
var<workgroup> gaps: array<i32, THREADS>;
var<workgroup> hasMet: atomic<u32>;
var<workgroup> isLeft: atomic<u32>;
var<workgroup> bounds: atomic<u32>;
var<workgroup> hulls: atomic<u32>;
var<workgroup> level: atomic<u32>;

// ---- nodes

fn wordA(group: u32, word: u32) -> u32 {
  return groups[treeA.groups + group * treeA.words + word];
}

fn wordB(group: u32, word: u32) -> u32 {
  return groups[treeB.groups + group * treeB.words + word];
}

fn allOf(count: u32) -> u32 {
  return (1u << count) - 1u;
}

fn low(pair: u32) -> i32 {
  return extractBits(bitcast<i32>(pair), 0u, 16u);
}

fn high(pair: u32) -> i32 {
  return bitcast<i32>(pair) >> 16u;
}

fn coefficient(ofA: bool, group: u32, place: u32, node: u32) -> i32 {
  let word = (place >> 2u) + (node >> 1u);
  var pair = 0u;
  if (ofA) { pair = wordA(group, word); } else { pair = wordB(group, word); }
  return extractBits(bitcast<i32>(pair), 16u * (node & 1u), 16u);
}

// Returns one end of a node's image: by eq. 7, or with P' = -1 on the side that has the face.
fn image(axis: Axis, isOwn: bool, ofA: bool, group: u32, isUpper: bool, node: u32) -> i32 {
  let shift = select(shiftB, shiftA, ofA);
  if (isOwn) {
    let place = select(axis.own & 0xffffu, axis.own >> 16u, isUpper);
    return (-(coefficient(ofA, group, place, node) << 15u)) >> shift;
  }
  let place0 = select(axis.lower01 & 0xffffu, axis.lower2Upper0 >> 16u, isUpper);
  let place1 = select(axis.lower01 >> 16u, axis.upper12 & 0xffffu, isUpper);
  let place2 = select(axis.lower2Upper0 & 0xffffu, axis.upper12 >> 16u, isUpper);
  let sum = low(axis.pair) * coefficient(ofA, group, place0, node)
    + high(axis.pair) * coefficient(ofA, group, place1, node)
    + low(axis.third) * coefficient(ofA, group, place2, node);
  return sum >> shift;
}

fn opens(link: u32, other: u32, width: f32, widthOfOther: f32) -> bool {
  return (link & 1u) == 0u && ((other & 1u) != 0u || widthOfOther <= MUCH_WIDER * width);
}

// ---- triangles

alias Triangle = array<vec3<f32>, 3>;

fn largest(v: vec3<f32>) -> f32 {
  return max(max(abs(v.x), abs(v.y)), abs(v.z));
}

fn cornerOf(tree: Tree, leaf: u32, corner: u32) -> vec3<f32> {
  let at = 9u * (tree.leaves + leaf) + 3u * corner;
  return vec3(leaves[at], leaves[at + 1u], leaves[at + 2u]);
}

fn cornerA(leaf: u32, corner: u32) -> vec3<f32> {
  return sizeA * cornerOf(treeA, leaf, corner);
}

fn cornerB(leaf: u32, corner: u32, query: u32) -> vec3<f32> {
  let own = vec4(sizeB * cornerOf(treeB, leaf, corner), 1.0);
  return vec3(
    dot(queries[query].rows[0], own),
    dot(queries[query].rows[1], own),
    dot(queries[query].rows[2], own),
  );
}

fn areApartAlong(L: vec3<f32>, p: Triangle, q: Triangle, e: f32) -> bool {
  let p0 = dot(L, p[0]);
  let p1 = dot(L, p[1]);
  let p2 = dot(L, p[2]);
  let q0 = dot(L, q[0]);
  let q1 = dot(L, q[1]);
  let q2 = dot(L, q[2]);
  let gap = max(
    min(min(q0, q1), q2) - max(max(p0, p1), p2),
    min(min(p0, p1), p2) - max(max(q0, q1), q2),
  );
  return gap > 2.01 * e * (abs(L.x) + abs(L.y) + abs(L.z)) + TINY;
}

fn areApart(p: Triangle, q: Triangle, e: f32) -> bool {
  var edgesP = Triangle(p[1] - p[0], p[2] - p[1], p[0] - p[2]);
  var edgesQ = Triangle(q[1] - q[0], q[2] - q[1], q[0] - q[2]);
  let normalP = cross(edgesP[0], edgesP[1]);
  let normalQ = cross(edgesQ[0], edgesQ[1]);
  if (areApartAlong(normalP, p, q, e) || areApartAlong(normalQ, p, q, e)) { return true; }
  for (var i = 0u; i < 3u; i++) {
    for (var j = 0u; j < 3u; j++) {
      if (areApartAlong(cross(edgesP[i], edgesQ[j]), p, q, e)) { return true; }
    }
    if (areApartAlong(cross(normalP, edgesP[i]), p, q, e)) { return true; }
    if (areApartAlong(cross(normalQ, edgesQ[i]), p, q, e)) { return true; }
  }
  return false;
}

// Returns the sign of (a - d) . ((b - d) x (c - d)); 0 if it is not sure.
fn sureSide(a: vec3<f32>, b: vec3<f32>, c: vec3<f32>, d: vec3<f32>, e: f32) -> i32 {
  let x = largest(a - d);
  let y = largest(b - d);
  let z = largest(c - d);
  let w = 2.01 * e;
  let determinant = dot(a - d, cross(b - d, c - d));
  let bound = 6.1 * (w * (x * y + y * z + z * x + w * (x + y + z + w)) + 9.6e-7 * x * y * z) + TINY;
  return i32(determinant > bound) - i32(determinant < -bound);
}

fn pierces(p: vec3<f32>, q: vec3<f32>, t: Triangle, e: f32) -> bool {
  if (sureSide(p, t[0], t[1], t[2], e) * sureSide(q, t[0], t[1], t[2], e) >= 0) { return false; }
  let side = sureSide(p, q, t[0], t[1], e);
  return side != 0 && side == sureSide(p, q, t[1], t[2], e) && side == sureSide(p, q, t[2], t[0], e);
}

fn relation(leafA: u32, leafB: u32, query: u32) -> u32 {
  let origin = cornerA(leafA, 0u);
  let p = Triangle(vec3(0.0), cornerA(leafA, 1u) - origin, cornerA(leafA, 2u) - origin);
  let q = Triangle(
    cornerB(leafB, 0u, query) - origin,
    cornerB(leafB, 1u, query) - origin,
    cornerB(leafB, 2u, query) - origin,
  );
  let m = max(max(largest(p[1]), largest(p[2])), max(max(largest(q[0]), largest(q[1])), largest(q[2])));
  let e = 2.0 * queries[query].error + 9.6e-7 * m;
  if (areApart(p, q, e)) { return APART; }
  if (pierces(p[0], p[1], q, e) || pierces(p[1], p[2], q, e) || pierces(p[2], p[0], q, e)) { return MEETING; }
  if (pierces(q[0], q[1], p, e) || pierces(q[1], q[2], p, e) || pierces(q[2], q[0], p, e)) { return MEETING; }
  return LEFT;
}

// ---- the descent

@compute @workgroup_size(THREADS)
fn descend(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
  let query = workgroup.x;
  let row = thread >> 4u; // of the step's pairs of groups
  let lane = thread & 15u;
  relate(query);
  // Read from the buffers: WGSL cannot tell that treeA and treeB are uniform over the threads.
  let count = trees[queries[query].a].half + trees[queries[query].b].half;
  if (thread == 0u) {
    stack[0] = Entry(0u, 0u, allOf(wordA(0u, COUNT)) | (allOf(wordB(0u, COUNT)) << 4u));
    top = 1u - queries[query].isLeft;
    atomicStore(&isLeft, queries[query].isLeft);
  }
  for (var step = 0u; step <= constants.steps; step++) {
    let height = workgroupUniformLoad(&top);
    if (height == 0u) { break; }
    if (step == constants.steps) { atomicStore(&isLeft, 1u); break; }
    let taken = min(height, TAKEN);
    if (thread < TAKEN * BLOCKS) { atomicStore(&masks[thread], 0u); }
    if (thread < TAKEN) { atomicStore(&pushed[thread], 0u); }
    let isTaken = row < taken;
    var entry = Entry(0u, 0u, 0u);
    if (isTaken) { entry = stack[height - 1u - row]; }
    let gap = gapOf(entry, isTaken, taken, thread, query, count);
    let next = compare(entry, (gap < 0), lane >> 2u, lane & 3u, query);
    gaps[thread] = gap;
    if (next.nodes != 0u) { atomicOr(&pushed[row], 1u << lane); }
    if (isTaken && lane == 0u) {
      atomicAdd(&bounds, countOneBits(entry.nodes & 15u) * countOneBits(entry.nodes >> 4u));
      atomicMax(&level, max(wordA(entry.a, LEVEL), wordB(entry.b, LEVEL)));
    }
    workgroupBarrier();
    let below = height - taken;
    if (next.nodes != 0u) {
      let place = below + placeOf(row, lane);
      if (place < ROOM) { stack[place] = next; }
    }
    if (thread == 0u) {
      top = below;
      for (var r = 0u; r < TAKEN; r++) { top += countOneBits(atomicLoad(&pushed[r])); }
      if (top > ROOM) {
        atomicStore(&isLeft, 1u);
        top = 0u;
      }
      if (atomicLoad(&hasMet) != 0u) { top = 0u; }
    }
  }
  workgroupBarrier();
  if (thread == 0u) {
    let verdict = select(select(APART, LEFT, atomicLoad(&isLeft) != 0u), MEETING, atomicLoad(&hasMet) != 0u);
    answers[query] = Answer(verdict, atomicLoad(&bounds), atomicLoad(&hulls), atomicLoad(&level));
  }
}

fn relate(query: u32) {
  treeA = trees[queries[query].a];
  treeB = trees[queries[query].b];
  let coarser = max(treeA.exponent, treeB.exponent);
  let behindA = coarser - treeA.exponent;
  let behindB = coarser - treeB.exponent;
  shiftA = u32(min(MOST_SHIFT, SHIFT + behindA));
  shiftB = u32(min(MOST_SHIFT, SHIFT + behindB));
  sizeA = twoOver(behindA);
  sizeB = twoOver(behindB);
}

// Returns 2^-power, at least the smallest f32: widths have 17 bits, and corners larger errors.
fn twoOver(power: i32) -> f32 {
  return bitcast<f32>(u32(max(1, 127 - power)) << 23u);
}

// Returns the gap of this thread's pair of nodes over all axes; negative if none separates them.
// All threads of a step call this, since each makes images for others.
fn gapOf(entry: Entry, isTaken: bool, taken: u32, thread: u32, query: u32, count: u32) -> i32 {
  let row = thread >> 4u;
  let lane = thread & 15u;
  let i = lane >> 2u; // nodes of the pair
  let j = lane & 3u;
  let ofA = lane < 8u; // what this thread makes an image of
  let isUpper = (lane & 4u) != 0u;
  let node = lane & 3u;
  var gap = 0;
  if (((entry.nodes >> i) & (entry.nodes >> (4u + j)) & 1u) != 0u) { gap = LEAST; }
  var goesOn = isTaken;
  for (var block = 0u; block < BLOCKS; block++) {
    let first = block * BLOCK;
    if (first >= count) { break; }
    let end = min(count - first, BLOCK);
    if (goesOn) {
      for (var n = 0u; n < end; n++) {
        let isOwn = (first + n < treeA.half) == ofA;
        let axis = axes[query * constants.axes + first + n];
        var own = 0;
        if (ofA) { own = select(axis.first, axis.second, isUpper); }
        images[n * THREADS + thread] = own + image(axis, isOwn, ofA, select(entry.b, entry.a, ofA), isUpper, node);
      }
    }
    workgroupBarrier();
    if (goesOn) {
      for (var n = 0u; n < end; n++) {
        let at = n * THREADS + 16u * row;
        gap = max(gap, max(images[at + i] + images[at + 12u + j], images[at + 4u + i] + images[at + 8u + j]));
      }
      if (gap < 0) { atomicOr(&masks[block * TAKEN + row], 1u << lane); }
    }
    workgroupBarrier();
    goesOn = goesOn && doGoOn(block, row);
    if (thread == 0u) {
      pending = 0u;
      for (var r = 0u; r < taken; r++) { pending |= u32(doGoOn(block, r)); }
    }
    if (workgroupUniformLoad(&pending) == 0u) { break; }
  }
  return gap;
}

// True if a row with its remaining pairs tests more axes after a block.
fn doGoOn(block: u32, row: u32) -> bool {
  let left = countOneBits(atomicLoad(&masks[block * TAKEN + row]));
  return left > select(0u, FEW_PAIRS, block == 0u);
}

// Decides the triangles of overlapping leaves; for other pairs, returns the entry to push. The
// entry has no nodes if nothing follows.
fn compare(entry: Entry, overlap: bool, i: u32, j: u32, query: u32) -> Entry {
  if (!overlap) { return Entry(0u, 0u, 0u); }
  let linkA = wordA(entry.a, i);
  let linkB = wordB(entry.b, j);
  if ((linkA & linkB & 1u) != 0u) {
    atomicAdd(&hulls, 1u);
    let told = relation(linkA >> 1u, linkB >> 1u, query);
    if (told == MEETING) { atomicStore(&hasMet, 1u); }
    if (told == LEFT) { atomicStore(&isLeft, 1u); }
    return Entry(0u, 0u, 0u);
  }
  let widthA = sizeA * bitcast<f32>(wordA(entry.a, WIDTHS + i));
  let widthB = sizeB * bitcast<f32>(wordB(entry.b, WIDTHS + j));
  var next = Entry(entry.a, entry.b, 0u);
  var ofA = 1u << i;
  var ofB = 1u << j;
  if (opens(linkA, linkB, widthA, widthB)) {
    next.a = linkA >> 1u;
    ofA = allOf(wordA(next.a, COUNT));
  }
  if (opens(linkB, linkA, widthB, widthA)) {
    next.b = linkB >> 1u;
    ofB = allOf(wordB(next.b, COUNT));
  }
  next.nodes = ofA | (ofB << 4u);
  return next;
}

// Position among the pushed entries: the first row last, and the deepest of a row last.
fn placeOf(row: u32, lane: u32) -> u32 {
  let own = gaps[16u * row + lane];
  var place = 0u;
  for (var r = row + 1u; r < TAKEN; r++) { place += countOneBits(atomicLoad(&pushed[r])); }
  for (var other = 0u; other < 16u; other++) {
    let gap = gaps[16u * row + other];
    let isPushed = ((atomicLoad(&pushed[row]) >> other) & 1u) != 0u;
    if (isPushed && (gap > own || (gap == own && other > lane))) { place++; }
  }
  return place;
}
