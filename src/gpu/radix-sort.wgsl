// One pass of a stable sort of three-word records by four bits of one word. N. Satish, M. Harris,
// M. Garland, "Designing Efficient Sorting Algorithms for Manycore GPUs", 2009. Each tile counts
// its digits. Prefix sums over (digit, tile) give every tile its places for every digit. A scan
// over the tile places each record among those of its digit.
//
// A tile's counts lie by digit and by thread, two digits of 16 bits in a word. A tile has 2^11
// records, so neither counts nor their sums overflow.
//
// include scan.wgsl

struct Digit {
  items: u32,
  word: u32, // of the three
  shift: u32,
  tiles: u32,
}

@group(0) @binding(0) var<uniform> digit: Digit;
@group(0) @binding(1) var<storage, read> records: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>; // digit by digit, tile by tile
@group(0) @binding(3) var<storage, read_write> sorted: array<u32>;

const EACH = 8u; // records of a thread, one behind the other
const TILE = EACH * THREADS;
const DIGITS = 16u;
const ROWS = DIGITS / 2; // row r: digits r and r + ROWS

var<workgroup> tally: array<u32, ROWS * THREADS>;
var<workgroup> rowStarts: array<u32, ROWS + 1>; // sums of the rows before

fn digitOf(record: u32) -> u32 {
  return (records[3 * record + digit.word] >> digit.shift) % DIGITS;
}

fn half(both: u32, d: u32) -> u32 {
  return (both >> (16 * (d / ROWS))) & 0xffffu;
}

// Counts the digits of a tile. Then each word of `tally` has the sum of all words before it.
fn count(begin: u32, end: u32, thread: u32) {
  for (var r = 0u; r < ROWS; r++) { tally[r * THREADS + thread] = 0; }
  for (var k = begin; k < end; k++) {
    let d = digitOf(k);
    tally[(d % ROWS) * THREADS + thread] += 1u << (16 * (d / ROWS));
  }
  workgroupBarrier();
  var own = 0u;
  for (var k = thread * ROWS; k < (thread + 1) * ROWS; k++) { own += tally[k]; }
  var before = scan(own, thread);
  for (var k = thread * ROWS; k < (thread + 1) * ROWS; k++) {
    let here = tally[k];
    tally[k] = before;
    before += here;
  }
  workgroupBarrier();
  if (thread < ROWS) { rowStarts[thread] = tally[thread * THREADS]; }
  if (thread == ROWS) { rowStarts[ROWS] = sums[THREADS - 1]; }
  workgroupBarrier();
}

@compute @workgroup_size(THREADS)
fn countDigits(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let begin = min(group.x * TILE + thread * EACH, digit.items);
  count(begin, min(begin + EACH, digit.items), thread);
  if (thread < DIGITS) {
    let row = thread % ROWS;
    counts[thread * digit.tiles + group.x] = half(rowStarts[row + 1], thread) - half(rowStarts[row], thread);
  }
}

@compute @workgroup_size(THREADS)
fn place(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let begin = min(group.x * TILE + thread * EACH, digit.items);
  let end = min(begin + EACH, digit.items);
  count(begin, end, thread);
  for (var k = begin; k < end; k++) {
    let d = digitOf(k);
    let row = d % ROWS;
    let at = row * THREADS + thread;
    let to = counts[d * digit.tiles + group.x] + half(tally[at], d) - half(rowStarts[row], d);
    tally[at] += 1u << (16 * (d / ROWS));
    sorted[3 * to] = records[3 * k];
    sorted[3 * to + 1] = records[3 * k + 1];
    sorted[3 * to + 2] = records[3 * k + 2];
  }
}
