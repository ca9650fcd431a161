/** Many poses of one pair on a device, and what it leaves on this thread. */
import type { Pose } from '../math/pose.ts';
import { requireThat } from '../math/require.ts';
import { hold } from '../query/derived.ts';
import { ContactList, type Walk } from '../query/outcome.ts';
import { DEVICE_LEFT, DEVICE_WORDS, type PoseDevice } from '../query/pose-device.ts';
import type { Report, Verdict } from '../query/report.ts';
import type { Asset } from '../query/representation.ts';
import { representationOf } from '../representations/registry.ts';
import { ownKernel } from './mixture.ts';
import type { CheckOptions } from './options.ts';
import { addTolerances, reportOf } from './report.ts';

/**
 * Writes the verdicts of validated poses, numbers of VERDICTS.
 *
 * @param verdict answers the poses that the device leaves, each in an array that is written over
 * @returns false where no device can answer for the two
 * @throws OptionError for what is no device; GpuError
 */
export async function answerOnDevice(
  a: Asset,
  b: Asset,
  poses: Float64Array,
  device: PoseDevice,
  verdicts: Uint8Array,
  verdict: (pose: Pose) => Verdict,
): Promise<boolean> {
  requireThat(typeof device?.kdopPoses === 'function', 'device', 'what openGpu gives', device);
  const kernel = ownKernel(a, b);
  if (!kernel?.onDevice) return false;
  const pose = new Float64Array(16);
  const placed = kernel.onDevice(device);
  const letGo = hold(a, b);
  let n = 0;
  try {
    for await (const answers of placed.answers(poses)) {
      for (let at = 0; at < answers.length; at += DEVICE_WORDS, n++) {
        verdicts[n] = answers[at];
        if (answers[at] !== DEVICE_LEFT) continue;
        pose.set(poses.subarray(16 * n, 16 * n + 16));
        verdicts[n] = Number(verdict(pose) === 'contact');
      }
    }
  } finally {
    letGo();
    placed.close();
  }
  return true;
}

/** What a device has looked at of a clear pose, and how long it took. */
export interface Clear extends Walk {
  ms: number;
}

/** The kernel's report of a pose that a device has found clear. */
export function reportOfClear(a: Asset, b: Asset, options: CheckOptions, clear: Clear): Report {
  const { all = false, maxContacts = 0 } = options;
  const outcome = new ContactList({ all, maxContacts }).outcome(clear);
  const [ofA, ofB] = [a, b].map((asset) => representationOf(asset).tolerance(asset));
  const circumstances = { tolerance: addTolerances(ofA, ofB), distance: false, queryMs: clear.ms };
  return reportOf({ outcome, engine: 'kernel', nearest: null }, options, a, b, circumstances);
}
