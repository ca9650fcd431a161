/** The number of threads for `--jobs` and `jobs`, the same everywhere. */
import { availableParallelism } from 'node:os';

export const MOST_JOBS = 256;

/** Returns the number of threads: one per processor by default, and at most four per processor. */
export const threadsFor = (jobs = availableParallelism()): number =>
  Math.min(jobs, 4 * availableParallelism(), MOST_JOBS);
