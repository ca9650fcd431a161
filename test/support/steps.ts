/**
 * Counts what code of src/ does, so that a test can say "cheap" without a clock. V8 counts how
 * often each block of a function (a loop's body, a branch) is entered. The counts depend on the
 * input alone, not on the machine or on what else it does.
 * WebAssembly, and what Node itself does (sorting, regular expressions, inflating), is not counted.
 */
import { Session } from 'node:inspector';

/** False under `npm run coverage`, which has V8's one set of counters for itself: skip what counts. */
export const countsSteps = (import.meta as { env?: { MODE?: string } }).env?.MODE !== 'coverage';

const session = new Session();

// When this module is loaded, for functions that are compiled before have no blocks.
if (countsSteps) {
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
}

/** Blocks entered since the last count, or since this module was loaded. */
export function stepsSoFar(): number {
  let steps = 0;
  session.post('Profiler.takePreciseCoverage', (error, counts) => {
    if (error) throw error;
    for (const { url, functions } of counts.result) {
      if (!url.includes('/src/')) continue;
      // Not the first range, the whole function: calls of inlined functions are not counted.
      for (const { ranges } of functions) for (let i = 1; i < ranges.length; i++) steps += ranges[i].count;
    }
  });
  return steps;
}

/**
 * Blocks that `run` enters. The first run of a function may count some more, what it makes once for all.
 *
 * @example expect(stepsOf(() => convexHull(points))).toBeLessThan(200 * points.length);
 */
export function stepsOf(run: () => unknown): number {
  stepsSoFar();
  run();
  return stepsSoFar();
}
