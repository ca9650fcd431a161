/** Many poses of one pair on all processors, for Node. */
import { OptionError } from '../../math/errors.ts';
import { requireOptions } from '../../math/require.ts';
import { hold } from '../../query/derived.ts';
import type { Asset } from '../../query/representation.ts';
import { answeringPair } from '../mixture.ts';
import { answerOnDevice } from '../on-device.ts';
import { answerRange, type ManyPosesOptions, prepare, requirePoses } from '../pair.ts';
import { type Crew, openCrew } from './crew.ts';
import { threadsFor } from './jobs.ts';
import { openSchedule } from './schedule.ts';
import { shareAssets } from './shared-assets.ts';

export interface CheckPosesOptions extends ManyPosesOptions {
  /** Up to four times the processors. Default: one per processor. 1: this thread alone. */
  jobs?: number;
}

export interface PosesData {
  poses: Float64Array;
  verdicts: Uint8Array;
}
export type Range = [first: number, end: number];

/**
 * Tests two assets for contact, for many poses of b in a's frame. It starts threads when that is
 * faster. Results do not depend on their number, nor on a `device`.
 *
 * A `device` from `openGpu` answers two k-DOP trees of up to 16 bits. This thread answers the poses
 * that it cannot decide, and all other pairs.
 *
 * @param poses 16 numbers each, row-major 4x4, rigid; leave them unchanged until the answers arrive
 * @returns a number each: 0 clear, 1 contact, 2 undecided (F-reps only); see VERDICTS
 * @throws OptionError for an invalid pose, before anything is checked, and for an invalid number of
 *   jobs; GpuError if the device fails
 * @example const verdicts = await checkPoses(bunny, blob, Float64Array.of(...translation(2, 0, 0), ...translation(0.4, 0, 0)));
 *          verdicts // [0, 1]
 */
export async function checkPoses(
  a: Asset,
  b: Asset,
  poses: Float64Array,
  options: CheckPosesOptions = {},
): Promise<Uint8Array> {
  requireOptions(options);
  const { jobs, device } = options;
  if (jobs !== undefined && (!Number.isInteger(jobs) || jobs < 1))
    throw new OptionError(`jobs: a whole number from 1, not ${jobs}`);
  const count = requirePoses(poses);
  const checker = prepare(a, b);
  if (device) {
    const told = new Uint8Array(count);
    if (await answerOnDevice(a, b, poses, device, told, checker.verdict)) return told;
  }
  const verdicts = new Uint8Array(new SharedArrayBuffer(count));
  const schedule = openSchedule<Range, null>(threadsFor(jobs), {
    answer([first, end]) {
      answerRange(checker, poses, verdicts, first, end);
      return null;
    },
    async open(threads): Promise<Crew<Range, null>> {
      const data: PosesData = { poses: inSharedMemory(poses), verdicts };
      return openCrew(
        threads,
        new URL('./check-poses-worker.js', import.meta.url),
        shareAssets(...answeringPair(a, b)),
        data,
      );
    },
  });
  let next = 0;
  const ranges = schedule.run({
    async next(most) {
      const first = next;
      next = Math.min(count, next + Math.ceil(most));
      return next > first ? [first, next] : null;
    },
    unitsOf: ([first, end]) => end - first,
    hasMore: ([, end]) => end < count,
    left: () => count - next,
  });
  const letGo = hold(a, b);
  try {
    for await (const _ of ranges);
  } finally {
    await schedule.close();
    letGo();
  }
  return new Uint8Array(verdicts);
}

function inSharedMemory(numbers: Float64Array): Float64Array {
  if (numbers.buffer instanceof SharedArrayBuffer) return numbers;
  const copy = new Float64Array(new SharedArrayBuffer(numbers.byteLength));
  copy.set(numbers);
  return copy;
}
