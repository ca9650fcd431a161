// Compares all two-tuples of cubes of all pairs of models: Z. Peng, B. Wu, "Collision Detection
// Algorithm Based on Data Parallelism", algorithms 2 to 5 (pre-generation, generation, detection,
// reduction).
//
// Letters: model i has n_i cubes, from places[i] to before places[i + 1]. A two-tuple (k, l) is
// cube k of model i and cube l of model j > i. Two-tuples are ordered by i, j, k, l. A block is a
// row of consecutive two-tuples; t is a number in it.
//
// The paper stores the number of two-tuples of each pair, and prefix sums. For one i these have a
// closed form: between (i, h) and (i, j) there are n_i (places[j] - places[h]). So a block is a few
// pieces: whole pairs of one i, or a part of one pair. The paper also stores all two-tuples and
// their results. Here each thread keeps 32 of them in registers, and writes 32 results as bits of
// one word.
//
// include scan.wgsl

struct Block {
  tuples: u32,
  pieces: u32,
  models: u32,
  begin: u32, // the first colliding two-tuple to write
  most: u32, // and the number of them
}

struct Piece {
  start: u32, // number of its first two-tuple
  i: u32,
  j: u32, // of its first pair
  k: u32, // of its first two-tuple, where it is a part of one pair; else WHOLE
  l: u32,
}

struct Tuple {
  j: u32,
  k: u32,
  l: u32,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read> pieces: array<Piece>;
@group(0) @binding(2) var<storage, read> places: array<u32>;
@group(0) @binding(3) var<storage, read> cells: array<i32>;
@group(0) @binding(4) var<storage, read_write> results: array<u32>; // 32 two-tuples a word
@group(0) @binding(5) var<storage, read_write> counts: array<u32>; // a workgroup; then places
@group(0) @binding(6) var<storage, read_write> found: array<u32>; // number of the pair, first, second

const WHOLE = 0xffffffffu;
const BITS = 32u;

fn count(model: u32) -> u32 {
  return places[model + 1] - places[model];
}

fn modelAt(place: u32, first: u32) -> u32 {
  var low = first;
  var high = block.models;
  while (high - low > 1) {
    let middle = (low + high) / 2;
    if (places[middle] <= place) { low = middle; } else { high = middle; }
  }
  return low;
}

fn pieceAt(t: u32) -> u32 {
  var low = 0u;
  var high = block.pieces;
  while (high - low > 1) {
    let middle = (low + high) / 2;
    if (pieces[middle].start <= t) { low = middle; } else { high = middle; }
  }
  return low;
}

fn tupleAt(t: u32, piece: Piece) -> Tuple {
  let left = t - piece.start;
  if (piece.k != WHOLE) {
    let at = piece.l + left;
    return Tuple(piece.j, piece.k + at / count(piece.j), at % count(piece.j));
  }
  let n = count(piece.i);
  let origin = places[piece.j];
  let j = modelAt(origin + left / n, piece.j);
  let inPair = left - n * (places[j] - origin);
  return Tuple(j, inPair / count(j), inPair % count(j));
}

// Returns the two-tuples left in its pair, this one included; if more than 32, at least 32.
fn leftInPair(tuple: Tuple, i: u32) -> u32 {
  let row = count(tuple.j);
  return row - tuple.l + min(count(i) - tuple.k - 1, BITS) * min(row, BITS);
}

// Generation and detection: bit b of results[thread] is two-tuple 32 thread + b.
@compute @workgroup_size(THREADS)
fn detect(
  @builtin(global_invocation_id) global: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  var t = BITS * global.x;
  let end = min(t + BITS, block.tuples);
  var bits = 0u;
  while (t < end) {
    let p = pieceAt(t);
    let piece = pieces[p];
    var pieceEnd = block.tuples;
    if (p + 1 < block.pieces) { pieceEnd = pieces[p + 1].start; }
    var tuple = tupleAt(t, piece);
    let n = count(tuple.j);
    let stop = min(min(end, pieceEnd), t + leftInPair(tuple, piece.i));
    let second = 3 * places[tuple.j];
    var first = 3 * (places[piece.i] + tuple.k);
    for (; t < stop; t++) {
      let other = second + 3 * tuple.l;
      let isSame = cells[first] == cells[other] && cells[first + 1] == cells[other + 1]
        && cells[first + 2] == cells[other + 2];
      bits |= u32(isSame) << (t % BITS);
      tuple.l++;
      if (tuple.l == n) {
        tuple.l = 0;
        first += 3;
      }
    }
  }
  results[global.x] = bits;
  _ = scan(countOneBits(bits), thread);
  if (thread == THREADS - 1) { counts[group.x] = sums[thread]; }
}

// Reduction: writes the colliding two-tuples of one batch to their places.
@compute @workgroup_size(THREADS)
fn reduce(
  @builtin(global_invocation_id) global: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  var bits = results[global.x];
  var place = counts[group.x] + scan(countOneBits(bits), thread);
  while (bits != 0) {
    let t = BITS * global.x + firstTrailingBit(bits);
    bits &= bits - 1;
    let at = 3 * (place - block.begin);
    place++;
    // Below `begin` the difference wraps, so it is beyond `most` too.
    if (place - 1 - block.begin >= block.most) { continue; }
    let piece = pieces[pieceAt(t)];
    let tuple = tupleAt(t, piece);
    let i = piece.i;
    found[at] = i * block.models - i * (i + 1) / 2 + tuple.j - i - 1;
    found[at + 1] = places[i] + tuple.k;
    found[at + 2] = places[tuple.j] + tuple.l;
  }
}
