// What shaders of 256 threads take in by a line `include scan.wgsl`: a scan over a workgroup.

const THREADS = 256u;

var<workgroup> sums: array<u32, THREADS>;

// Adds up a number of each thread: the sum of those before it, and in sums[THREADS - 1] of all.
// W. D. Hillis, G. L. Steele, "Data Parallel Algorithms", Communications of the ACM 29, 1986.
fn scan(own: u32, thread: u32) -> u32 {
  workgroupBarrier();
  sums[thread] = own;
  workgroupBarrier();
  for (var step = 1u; step < THREADS; step *= 2) {
    var other = 0u;
    if (thread >= step) { other = sums[thread - step]; }
    workgroupBarrier();
    sums[thread] += other;
    workgroupBarrier();
  }
  return sums[thread] - own;
}
