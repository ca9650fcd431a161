/** Checks many poses of one pair on all processors, for Node. */
import { requireOptionTypes } from '../base/require.ts';
import { answerOnDevice } from '../engine/on-device.ts';
import { type ManyPosesOptions, type PosesChecker, prepareForPoses, requirePoses } from '../engine/prepared.ts';
import { answeringPair } from '../engine/prepared-kernel.ts';
import type { Asset } from '../engine/representation.ts';
import { type Begin, openPool } from '../work/pool.ts';
import { answerRanges, openSchedule, type Range, threadsFor } from '../work/schedule.ts';
import { loadKinds } from './kinds.ts';

export interface CheckPosesOptions extends ManyPosesOptions {
  /** Up to four times the processors. Default: one per processor. 1: this thread alone. */
  jobs?: number;
}

interface PosesData {
  poses: Float64Array;
  verdicts: Uint8Array;
}

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
  requireOptionTypes(options, { jobs: 'number', device: 'any' });
  const { jobs, device } = options;
  const threads = threadsFor(jobs);
  const count = requirePoses(poses);
  const checker = prepareForPoses(a, b);
  if (device) {
    const told = new Uint8Array(count);
    if (await answerOnDevice(a, b, poses, device, told, checker.verdict)) return told;
  }
  const verdicts = new Uint8Array(new SharedArrayBuffer(count));
  const schedule = openSchedule<Range, null>(threads, {
    answer: answerer(checker, { poses, verdicts }),
    async open(count) {
      // Threads share the whole buffer of an array.
      const own = poses.byteLength === poses.buffer.byteLength ? poses : poses.slice();
      const data: PosesData = { poses: own, verdicts };
      return openPool(count, {
        module: new URL('./check-poses.js', import.meta.url),
        assets: answeringPair(a, b),
        data,
      });
    },
  });
  for await (const _ of answerRanges(schedule, count, [a, b]));
  return new Uint8Array(verdicts);
}

export const begin: Begin<PosesData, Range, null> = async ([a, b], data) => {
  await loadKinds('obb', a.representation, b.representation);
  return answerer(prepareForPoses(a, b), data);
};

const answerer =
  (checker: PosesChecker, { poses, verdicts }: PosesData) =>
  ([first, end]: Range): null => {
    checker.answer(poses.subarray(16 * first, 16 * end), verdicts.subarray(first, end));
    return null;
  };
