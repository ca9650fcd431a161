// Merges bricks of one key and one model into one, whose mask has all their cells. radix-sort.wgsl
// has sorted them by key. Bricks of one key are in the order of their models.
//
// include scan.wgsl

struct Row {
  bricks: u32,
}

@group(0) @binding(0) var<uniform> row: Row;
@group(0) @binding(1) var<storage, read> records: array<u32>; // both words of the key, the item
@group(0) @binding(2) var<storage, read> items: array<u32>; // both words of the mask, the model
@group(0) @binding(3) var<storage, read_write> counts: array<u32>; // a workgroup; then places
@group(0) @binding(4) var<storage, read_write> merged: array<atomic<u32>>;

const EACH = 8u; // bricks of a thread

fn modelOf(place: u32) -> u32 {
  return items[3 * records[3 * place + 2] + 2];
}

fn isFirst(p: u32) -> bool {
  if (p == 0) { return true; }
  let isSame = records[3 * p] == records[3 * p - 3] && records[3 * p + 1] == records[3 * p - 2];
  return !isSame || modelOf(p) != modelOf(p - 1);
}

fn firstsOf(begin: u32, end: u32) -> u32 {
  var firsts = 0u;
  for (var p = begin; p < end; p++) { firsts += u32(isFirst(p)); }
  return firsts;
}

@compute @workgroup_size(THREADS)
fn countFirsts(
  @builtin(global_invocation_id) global: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  let begin = min(EACH * global.x, row.bricks);
  _ = scan(firstsOf(begin, min(begin + EACH, row.bricks)), thread);
  if (thread == THREADS - 1) { counts[group.x] = sums[thread]; }
}

@compute @workgroup_size(THREADS)
fn merge(
  @builtin(global_invocation_id) global: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  let begin = min(EACH * global.x, row.bricks);
  let end = min(begin + EACH, row.bricks);
  // The brick before may belong to another thread.
  var at = 5 * (counts[group.x] + scan(firstsOf(begin, end), thread)) - 5;
  for (var p = begin; p < end; p++) {
    if (isFirst(p)) {
      at += 5;
      atomicStore(&merged[at], records[3 * p]);
      atomicStore(&merged[at + 1], records[3 * p + 1]);
      atomicStore(&merged[at + 4], modelOf(p));
    }
    let item = 3 * records[3 * p + 2];
    atomicOr(&merged[at + 2], items[item]);
    atomicOr(&merged[at + 3], items[item + 1]);
  }
}
