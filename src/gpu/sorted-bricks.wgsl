// Compares two-tuples of bricks with one key; representations/voxel/bulk/algorithms.ts says
// why only these. Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism",
// algorithms 2 to 5, over bricks that radix-sort.wgsl has sorted by key.
//
// Letters: place p is a brick's position in the order of keys, equal keys by model. It forms
// before[p] two-tuples, with the bricks of its key at earlier places. Two-tuples are ordered by p,
// then by the other's place. A tile is 2^11 places. A block is a row of consecutive two-tuples:
// those from `skip` on of its tiles. Each thread keeps 32 in registers, and writes 32 results as
// bits of one word.
//
// include scan.wgsl

struct Block {
  tuples: u32,
  skip: u32,
  first: u32, // place of its first tile
  places: u32, // of its tiles
  tiles: u32,
  bricks: u32, // of all blocks
  models: u32,
  base: u32, // what collides in the blocks before it
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read> keys: array<u32>; // two words a brick
@group(0) @binding(2) var<storage, read_write> records: array<u32>; // both words, and the brick
@group(0) @binding(3) var<storage, read_write> before: array<u32>; // a place
@group(0) @binding(4) var<storage, read_write> starts: array<u32>; // a tile of the block, and its end
@group(0) @binding(5) var<storage, read_write> prefix: array<u32>; // a place of the block, and its end
@group(0) @binding(6) var<storage, read> masks: array<u32>; // two words a brick
@group(0) @binding(7) var<storage, read_write> results: array<u32>; // 32 two-tuples a word
@group(0) @binding(8) var<storage, read_write> counts: array<u32>; // a workgroup; then places
@group(0) @binding(9) var<storage, read> modelOf: array<u32>; // a brick
@group(0) @binding(10) var<storage, read_write> found: array<u32>; // number of the pair, lower, higher

const EACH = 8u; // places of a thread
const TILE = EACH * THREADS;
const BITS = 32u;

@compute @workgroup_size(THREADS)
fn record(@builtin(global_invocation_id) global: vec3<u32>) {
  for (var n = EACH * global.x; n < min(EACH * (global.x + 1), block.bricks); n++) {
    records[3 * n] = keys[2 * n];
    records[3 * n + 1] = keys[2 * n + 1];
    records[3 * n + 2] = n;
  }
}

fn isSame(p: u32, q: u32) -> bool {
  return records[3 * p] == records[3 * q] && records[3 * p + 1] == records[3 * q + 1];
}

// Returns the number of places before p with its key. J. L. Bentley, A. C. Yao, "An almost optimal
// algorithm for unbounded searching", 1976: steps double until they are too long, then halve.
fn sameBefore(p: u32) -> u32 {
  var low = 0u; // the same so far before
  var high = 1u; // another, or before the first
  while (high <= p && isSame(p, p - high)) {
    low = high;
    high *= 2;
  }
  high = min(high, p + 1);
  while (high - low > 1) {
    let middle = (low + high) / 2;
    if (isSame(p, p - middle)) { low = middle; } else { high = middle; }
  }
  return low;
}

// Pre-generation: starts[tile] becomes the tile's number of two-tuples.
@compute @workgroup_size(THREADS)
fn pregenerate(
  @builtin(global_invocation_id) global: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  var own = 0u;
  for (var p = EACH * global.x; p < min(EACH * (global.x + 1), block.bricks); p++) {
    let n = sameBefore(p);
    before[p] = n;
    own += n;
  }
  _ = scan(own, thread);
  if (thread == 0) { starts[group.x] = sums[THREADS - 1]; }
}

// Now starts[tile] is the number of two-tuples in the block's earlier tiles.
@compute @workgroup_size(THREADS)
fn place(
  @builtin(global_invocation_id) global: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  let begin = min(EACH * global.x, block.places);
  let end = min(begin + EACH, block.places);
  var own = 0u;
  for (var p = begin; p < end; p++) { own += before[block.first + p]; }
  var at = starts[group.x] + scan(own, thread);
  for (var p = begin; p < end; p++) {
    prefix[p] = at;
    at += before[block.first + p];
  }
  if (begin < end && end == block.places) { prefix[end] = at; }
}

fn placeAt(t: u32) -> u32 {
  var low = 0u;
  var high = block.places;
  while (high - low > 1) {
    let middle = (low + high) / 2;
    if (prefix[middle] <= t) { low = middle; } else { high = middle; }
  }
  return low;
}

fn brickAt(p: u32) -> u32 {
  return records[3 * p + 2];
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
  if (t < end) {
    var p = placeAt(block.skip + t);
    while (t < end) {
      let stop = min(end, prefix[p + 1] - block.skip);
      let place = block.first + p;
      var other = place - (prefix[p + 1] - block.skip - t);
      let own = 2 * brickAt(place);
      for (; t < stop; t++) {
        let lower = 2 * brickAt(other);
        let both = (masks[lower] & masks[own]) | (masks[lower + 1] & masks[own + 1]);
        bits |= u32(both != 0) << (t % BITS);
        other++;
      }
      p++;
    }
  }
  results[global.x] = bits;
  _ = scan(countOneBits(bits), thread);
  if (thread == 0) { counts[group.x] = sums[THREADS - 1]; }
}

// Returns the number of the pair of models i < j, below 2^32; a plain product would overflow.
fn pairNumber(i: u32, j: u32) -> u32 {
  let triangle = select((i + 1) / 2 * i, i / 2 * (i + 1), i % 2 == 0);
  return i * block.models - triangle + j - i - 1;
}

@compute @workgroup_size(THREADS)
fn reduce(
  @builtin(global_invocation_id) global: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  var bits = results[global.x];
  var at = block.base + counts[group.x] + scan(countOneBits(bits), thread);
  while (bits != 0) {
    let t = BITS * global.x + firstTrailingBit(bits);
    bits &= bits - 1;
    let p = placeAt(block.skip + t);
    let place = block.first + p;
    let lower = brickAt(place - (prefix[p + 1] - block.skip - t));
    let higher = brickAt(place);
    found[3 * at] = pairNumber(modelOf[lower], modelOf[higher]);
    found[3 * at + 1] = lower;
    found[3 * at + 2] = higher;
    at++;
  }
}
