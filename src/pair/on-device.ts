/** Many poses of one pair on a device, and what it leaves on this thread. */
import type { Pose } from '../math/pose.ts';
import { requireThat } from '../math/require.ts';
import { hold } from '../query/derived.ts';
import { DEVICE_LEFT, DEVICE_WORDS, type PoseDevice } from '../query/pose-device.ts';
import type { Verdict } from '../query/report.ts';
import type { Asset } from '../query/representation.ts';
import { ownKernel } from './mixture.ts';

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
