// Computes prefix sums of a row of counts, in place; the total comes after them. G. E. Blelloch,
// "Prefix Sums and Their Applications", 1990: tiles are summed, the sums are scanned, and each tile
// is scanned from its sum. Precondition: the total is below 2^32, since sums wrap.
//
// Considered: D. Merrill, M. Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back"
// (2016). It reads the counts once, but a workgroup waits for earlier ones, and WebGPU does not
// promise that these make progress.
//
// include scan.wgsl

struct Row {
  items: u32,
  tiles: u32,
}

@group(0) @binding(0) var<uniform> row: Row;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>; // items + 1 of them
@group(0) @binding(2) var<storage, read_write> ofTiles: array<u32>;

const EACH = 8u; // counts of a thread
const TILE = EACH * THREADS;

fn countAt(k: u32) -> u32 {
  if (k < row.items) { return counts[k]; }
  return 0;
}

fn sumOf(begin: u32) -> u32 {
  var own = 0u;
  for (var k = begin; k < begin + EACH; k++) { own += countAt(k); }
  return own;
}

@compute @workgroup_size(THREADS)
fn addUp(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3<u32>) {
  _ = scan(sumOf(group.x * TILE + thread * EACH), thread);
  if (thread == 0) { ofTiles[group.x] = sums[THREADS - 1]; }
}

// Runs in one workgroup: each thread sums a part, then goes over it again.
@compute @workgroup_size(THREADS)
fn placeTiles(@builtin(local_invocation_index) thread: u32) {
  let part = (row.tiles + THREADS - 1) / THREADS;
  let begin = min(thread * part, row.tiles);
  let end = min(begin + part, row.tiles);
  var own = 0u;
  for (var k = begin; k < end; k++) { own += ofTiles[k]; }
  var place = scan(own, thread);
  for (var k = begin; k < end; k++) {
    let here = ofTiles[k];
    ofTiles[k] = place;
    place += here;
  }
}

@compute @workgroup_size(THREADS)
fn placeAll(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let begin = group.x * TILE + thread * EACH;
  var place = ofTiles[group.x] + scan(sumOf(begin), thread);
  for (var k = begin; k < min(begin + EACH, row.items + 1); k++) {
    let here = countAt(k);
    counts[k] = place;
    place += here;
  }
}
