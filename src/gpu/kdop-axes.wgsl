// Prepares the axes of two k-DOP trees in many pairs of poses, an axis per thread, for
// kdop-poses.wgsl.
//
// A. Raabe, S. Hochguertel, J. K. Anlauf, G. Zachmann, "Hardware-Accelerated Collision Detection
// using Bounded-Error Fixed-Point Arithmetic", Journal of WSCG 14, 2006, sections 4 and 5. Letters
// and proof are those of projection.ts of representations/kdop/search. The differences follow. A
// twin in TypeScript has the same bits (test/kernels/twins/kdop.ts), with the doubles of
// doubles.wgsl.
//
// Units. q is the larger quantum of the two. The unit of all results is
//   u = 2^-13 q.
// R is the distance of a tree's farthest vertex from its origin.
//
// Axes. L = D_j exactly for the faces of a, and L = T D_j, as rounded, for those of b. |L| and
// |T^T L| are below 1.00007. On the side that the face belongs to, the image is one product with
// P' = -1, and
//   r = v - D_j.
// It is 0 for a; for b it is the difference of T^T T from the identity, applied to D_j.
//
// Rounding. P' is -w rounded to the nearest multiple of 2^-15, cut to the range from -1 to 0. Then
//   r = v + P'_0 D_j0 + P'_1 D_j1 + P'_2 D_j2
// uses this P'. The bound on v . x^ needs only P' <= 0, so there is no sn(a'). For rigid poses |r|
// is at most 3/2 2^-15. That is 3/2 of a quantum, and it counts twice: E holds |r| R, and the image
// with P' is looser than one with w by as much. Eq. 21 becomes
//   0 <= err <= 1.7323 (qA + qB) + 3/2 q + 3 u + 2 E.
// (Triangle tests per query, bunny against bunny, all contacts: 47.82; with 36 bits of P' 47.79.)
//
// Widths. |a'| <= 32767. w >= 0 with sum w <= sqrt 3 |v|, except for rounding, since no two
// directions of a facet have an obtuse angle (dop-directions.ts). So a sum of three products, and
// each part of it, is at most
//   32767 (1.7321 * 1.00007 * 2^15 + 3/2 + 1) < 1.87e9 < 2^31,
// and a product with -1 is at most 2^30. The shift to units u is by two bits or more, rounded to
// -infinity. So two images together are less than 9.4e8. p -+ E is cut to 2^30, which is more than
// any two images, so a value that is cut decides alone. Three terms stay below 2.1e9 < 2^31. So 32
// bits hold everything, and 16 bits hold P' and a'. A shift by more than 31 bits gives the same as
// one by 31: -1 or 0.
//
// include doubles.wgsl
//
// include kdop-trees.wgsl

@group(0) @binding(0) var<uniform> constants: Constants;
@group(0) @binding(1) var<storage, read_write> axes: array<Axis>;
@group(0) @binding(2) var<storage, read> trees: array<Tree>;
@group(0) @binding(5) var<storage, read> queries: array<Query>;
@group(0) @binding(7) var<storage, read> tables: array<u32>;

const THREADS = 64u;

const VECTORS = 32u;
const FACETS = 192u;
const FACET_WORDS = 48u;
const NORMAL = 0u;
const WEIGHTS = 6u;
const DIRECTIONS_OF = 24u;
const PLACES = 42u;
const COEFFICIENTS = 48u;

const HALF = Double(0u, 0x3fe00000u);
const ROUNDING = Double(0u, 0x3d100000u); // 2^-46
const RAISED = Double(0x1000u, 0x3ff00000u); // 1 + 2^-40
const MAPPING_SCALE = 32768;
const MAPPING_BITS = 15;

fn vectorAt(word: u32) -> Vector {
  return Vector(
    Double(tables[word], tables[word + 1u]),
    Double(tables[word + 2u], tables[word + 3u]),
    Double(tables[word + 4u], tables[word + 5u]),
  );
}

fn columnAt(word: u32) -> Vector {
  return Vector(
    Double(tables[word], tables[word + 1u]),
    Double(tables[word + 6u], tables[word + 7u]),
    Double(tables[word + 12u], tables[word + 13u]),
  );
}

// Returns the facet whose cone holds a vector (facets.ts of representations/kdop/search).
fn facetOf(table: u32, v: Vector) -> u32 {
  let p = sizeOf(v[0]);
  let q = sizeOf(v[1]);
  let r = sizeOf(v[2]);
  let cell = u32(isNegative(v[0]))
    | (u32(isNegative(v[1])) << 1u)
    | (u32(isNegative(v[2])) << 2u)
    | (u32(isSmaller(p, q)) << 3u)
    | (u32(isSmaller(q, r)) << 4u)
    | (u32(isSmaller(p, r)) << 5u);
  let both = tables[table + (cell >> 1u)] >> (16u * (cell & 1u));
  var places = vec2(table + FACETS) + FACET_WORDS * vec2(both & 0xffu, (both >> 8u) & 0xffu);
  var along = array<Double, 2>();
  for (var n = 0u; n < 2u; n++) { along[n] = dotOf(vectorAt(places[n] + NORMAL), v); }
  return select(places[0], places[1], isLess(along[0], along[1]));
}

fn lengthOf(v: Vector) -> Double {
  return root(dotOf(v, v));
}

struct Mapping {
  weights: array<i32, 3>,
  places: array<u32, 3>,
  rest: Double,
}

fn mappingOf(table: u32, v: Vector) -> Mapping {
  let facet = facetOf(table, v);
  var found = Mapping();
  var signed = Vector();
  for (var m = 0u; m < 3u; m++) {
    let weight = dotOf(vectorAt(facet + WEIGHTS + 6u * m), v);
    let p = clamp(floorOf(plus(weight, HALF), 0), 0, MAPPING_SCALE);
    found.weights[m] = -p;
    found.places[m] = tables[facet + PLACES + m];
    signed[m] = negated(doubleOf(u32(p)));
  }
  var r = Vector();
  for (var k = 0u; k < 3u; k++) {
    r[k] = sumOf(v[k], signed, columnAt(facet + DIRECTIONS_OF + 2u * k));
  }
  found.rest = lengthOf(r);
  return found;
}

@compute @workgroup_size(THREADS)
fn prepare(@builtin(global_invocation_id) id: vec3<u32>) {
  let number = id.x / constants.axes;
  let n = id.x % constants.axes;
  if (number >= arrayLength(&queries) || queries[number].isLeft != 0u) { return; }
  let a = trees[queries[number].a];
  let b = trees[queries[number].b];
  if (n >= a.half + b.half) { return; }
  let turn = queries[number].turn;
  let ofA = n < a.half;
  let own = select(n - a.half, n, ofA);
  let face = vectorAt(select(b.table, a.table, ofA) + VECTORS + 6u * own);
  var inA = face;
  if (!ofA) {
    for (var k = 0u; k < 3u; k++) {
      inA[k] = dotOf(Vector(turn[3u * k], turn[3u * k + 1u], turn[3u * k + 2u]), face);
    }
  }
  var inB = Vector();
  for (var k = 0u; k < 3u; k++) { inB[k] = dotOf(Vector(turn[k], turn[k + 3u], turn[k + 6u]), inA); }
  let between = dotOf(inA, queries[number].apart);
  var other = inA;
  var r = inB;
  if (ofA) {
    other = inB;
    r = inA;
  }
  let mapping = mappingOf(select(a.table, b.table, ofA), other);
  for (var k = 0u; k < 3u; k++) { r[k] = plus(r[k], negated(face[k])); }
  let rest = lengthOf(r);
  var error = queries[number].slack;
  for (var n = 0u; n < 2u; n++) {
    let isOwn = (n == 0u) == ofA;
    let radius = select(b.radius, a.radius, n == 0u);
    error = plus(error, times(plus(select(mapping.rest, rest, isOwn), ROUNDING), radius));
  }
  error = times(error, RAISED);
  let power = MAPPING_BITS - SHIFT - max(a.exponent, b.exponent);
  let half = select(b.half, a.half, ofA);
  var axis = Axis();
  var ends = vec2(0, 0);
  for (var n = 0u; n < 2u; n++) {
    let middle = select(negated(between), between, n == 0u);
    ends[n] = floorOf(plus(middle, negated(error)), power) - 1;
  }
  axis.first = ends[0];
  axis.second = ends[1];
  axis.pair = (u32(mapping.weights[0]) & 0xffffu) | (u32(mapping.weights[1]) << 16u);
  axis.third = u32(mapping.weights[2]) & 0xffffu;
  axis.own = (COEFFICIENTS + ((own + half) << 3u)) | ((COEFFICIENTS + (own << 3u)) << 16u);
  axis.lower01 = mapping.places[0];
  axis.lower2Upper0 = mapping.places[1];
  axis.upper12 = mapping.places[2];
  axes[id.x] = axis;
}
