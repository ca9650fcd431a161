/** Answers many poses of one pair on a device; this thread answers the poses that it leaves. */

import { requireThat } from '../base/require.ts';
import type { Pose } from '../math/pose.ts';
import { representationOf } from '../representations/kinds.ts';
import { hold } from './asset-cache.ts';
import { type AssetsOnDevice, DEVICE_LEFT, DEVICE_WORDS, type PoseDevice } from './pose-device.ts';
import type { Verdict } from './records.ts';
import type { Asset } from './representation.ts';

const POSE_NUMBERS = 16;

export function requireDevice(device: PoseDevice): void {
  requireThat(typeof device?.kdopTrees === 'function', 'device', 'the result of openGpu', device);
}

/** Null if the asset suits the device; undefined if its kind never does. */
export const whyNotForDevice = (asset: Asset): string | null | undefined =>
  representationOf(asset).kernel?.onDevice?.whyNot(asset);

export const isForDevice = (asset: Asset): boolean => whyNotForDevice(asset) === null;

export const areForDevice = (a: Asset, b: Asset): boolean =>
  a.representation === b.representation && isForDevice(a) && isForDevice(b);

/** Null if this thread cannot. The assets are of one kind and suitable. Throws GpuError. */
export const placeOnDevice = (assets: readonly Asset[], device: PoseDevice): AssetsOnDevice | null =>
  representationOf(assets[0]).kernel?.onDevice?.place(assets, device) ?? null;

export const placePair = (a: Asset, b: Asset, device: PoseDevice): AssetsOnDevice | null =>
  placeOnDevice([a, b], device);

/** Answers batches; prepares the next one while the device answers. Throws GpuError. */
export async function* answersOf(placed: AssetsOnDevice, poses: Float64Array): AsyncGenerator<Uint32Array> {
  const count = poses.length / POSE_NUMBERS;
  const both = Uint32Array.from({ length: 2 * Math.min(count, placed.most) }, (_, n) => n % 2);
  let running: Promise<Uint32Array> | undefined;
  for (let first = 0; first < count; first += placed.most) {
    const end = Math.min(count, first + placed.most);
    const posesB = poses.subarray(POSE_NUMBERS * first, POSE_NUMBERS * end);
    const next = placed.answer({ assets: both.subarray(0, 2 * (end - first)), posesA: null, posesB });
    // The batch may fail before the reader of the answers awaits it.
    next.catch(() => {});
    if (running) yield await running;
    running = next;
  }
  if (running) yield await running;
}

/**
 * Writes the verdicts of validated poses, as numbers of VERDICTS.
 *
 * @param verdict answers the poses that the device leaves, each in an array that is overwritten
 * @returns false if no device can answer for the pair
 * @throws OptionError if `device` is not one; GpuError
 */
export async function answerOnDevice(
  a: Asset,
  b: Asset,
  poses: Float64Array,
  device: PoseDevice,
  verdicts: Uint8Array,
  verdict: (pose: Pose) => Verdict,
): Promise<boolean> {
  requireDevice(device);
  const placed = areForDevice(a, b) ? placePair(a, b, device) : null;
  if (!placed) return false;
  const pose = new Float64Array(POSE_NUMBERS);
  const letGo = hold(a, b);
  let n = 0;
  try {
    for await (const answers of answersOf(placed, poses)) {
      for (let at = 0; at < answers.length; at += DEVICE_WORDS, n++) {
        verdicts[n] = answers[at];
        if (answers[at] !== DEVICE_LEFT) continue;
        pose.set(poses.subarray(POSE_NUMBERS * n, POSE_NUMBERS * (n + 1)));
        verdicts[n] = Number(verdict(pose) === 'contact');
      }
    }
  } finally {
    letGo();
    placed.close();
  }
  return true;
}
