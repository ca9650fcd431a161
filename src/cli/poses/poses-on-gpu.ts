/**
 * `check --poses --device`: a GPU finds clear poses of a block and counts its tests. These are
 * printed as they are. The processor answers the other poses, since a contact's report names the
 * triangles.
 */
import { GpuError, InputError } from '../../base/errors.ts';
import { answersOf, areForDevice, placePair } from '../../engine/on-device.ts';
import type { CheckOptions } from '../../engine/options.ts';
import { DEVICE_WORDS } from '../../engine/pose-device.ts';
import type { DeviceName } from '../arguments.ts';
import { openDevice, warnOfAssets, warnOfGpu } from '../gpu-device.ts';
import type { Asker } from '../inputs/pair.ts';
import type { Session } from '../session.ts';
import type { Told } from './answers.ts';
import { type Block, visitPoses } from './read-poses.ts';

export interface Teller {
  /** Returns null if the GPU has no results, now and later. */
  tell(block: Block): Promise<Told | null>;
  close(): void;
}

/** From this many poses on `auto` uses a GPU: a processor takes about a second for them. */
const MANY_POSES = 100_000;

/** Options that don't affect a clear pose's report. All others must be unset or false. */
const PLAIN = new Set(['all', 'maxContacts', 'witness', 'fileA', 'fileB', 'loadMs']);

/** Null for the processor alone. @param questions number of poses; Infinity if unknown */
export async function openTeller(
  name: DeviceName,
  asker: Asker,
  options: CheckOptions,
  questions: number,
  session: Session,
): Promise<Teller | null> {
  const isMany = questions >= MANY_POSES && Number.isFinite(questions);
  if (name === 'cpu' || (name === 'auto' && !isMany)) return null;
  const isPlain = Object.entries(options).every(([option, value]) => PLAIN.has(option) || value === false);
  const whole = isPlain ? asker.whole() : null;
  if (!whole || !areForDevice(whole.a, whole.b)) {
    warnOfAssets(name, whole ? [whole.a, whole.b] : [], session);
    return null;
  }
  const gpu = await openDevice({ name, isWorthIt: true }, session);
  if (!gpu) return null;
  let isGone = false;
  const failed = (error: unknown): null => {
    isGone = true;
    warnOfGpu(name, error, session);
    return null;
  };
  try {
    const placed = placePair(whole.a, whole.b, gpu);
    if (!placed) throw new GpuError('no kernels, which prepare what it is asked');
    return {
      async tell(block) {
        if (isGone) return null;
        const poses = await posesOf(block);
        const began = performance.now();
        const words = new Uint32Array((DEVICE_WORDS * poses.length) / 16);
        let at = 0;
        try {
          for await (const answers of answersOf(placed, poses)) {
            words.set(answers, at);
            at += answers.length;
          }
        } catch (error) {
          return failed(error);
        }
        return { words, ms: (16 * (performance.now() - began)) / Math.max(16, poses.length) };
      },
      close() {
        placed.close();
        gpu.close();
      },
    };
  } catch (error) {
    gpu.close();
    return failed(error);
  }
}

/** Returns the poses before the first invalid line, which is reported when it is answered. */
async function posesOf(block: Block): Promise<Float64Array> {
  const numbers: number[] = [];
  try {
    await visitPoses(block, (pose) => {
      for (const x of pose) numbers.push(x);
    });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
  }
  return Float64Array.from(numbers);
}
