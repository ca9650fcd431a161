/** How many threads: `--jobs` and `jobs` mean the same wherever they are given. */
import { availableParallelism } from 'node:os';

/** Threads that may be asked for. */
export const MOST_JOBS = 256;

/** Threads for so many jobs: one for each processor unless asked, and at most four. */
export const threadsFor = (jobs = availableParallelism()): number =>
  Math.min(jobs, 4 * availableParallelism(), MOST_JOBS);
