// A scan over a workgroup, for shaders of 256 threads with a line `include scan.wgsl`.

const THREADS = 256u;

var<workgroup> sums: array<u32, THREADS>;

// Returns the sum of the numbers of all earlier threads; sums[THREADS - 1] has the total. W. D.
// Hillis, G. L. Steele, "Data Parallel Algorithms", Communications of the ACM 29, 1986.
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
