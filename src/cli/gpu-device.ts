/** --device: runs work on a GPU, or on the processor if there is none. */

import { GpuError } from '../base/errors.ts';
import { whyNotForDevice } from '../engine/on-device.ts';
import type { Asset } from '../engine/representation.ts';
import type { OpenGpu } from '../gpu/open.ts';
import type { DeviceName } from './arguments.ts';
import type { Session } from './session.ts';

interface DeviceWish {
  name: DeviceName;
  /** True if `auto` means a GPU: there is enough work. */
  isWorthIt: boolean;
}

/**
 * Opens a GPU; undefined to use the processor. A failure gives one warning. `auto` is silent
 * without a GPU, and rejects software that emulates one.
 */
export async function openDevice({ name, isWorthIt }: DeviceWish, session: Session): Promise<OpenGpu | undefined> {
  if (name === 'cpu' || (name === 'auto' && !isWorthIt)) return undefined;
  try {
    // Loaded only when needed.
    const { openGpu } = await import('../gpu/open.ts');
    const gpu = await openGpu();
    if (name === 'auto' && gpu.isSoftware) {
      gpu.close();
      return undefined;
    }
    session.log.info(`--device: ${gpu.name}`);
    return gpu;
  } catch (error) {
    if (name === 'gpu') warnOfGpu(name, error, session);
    else if (!(error instanceof GpuError)) throw error;
    return undefined;
  }
}

/** Warns that a GPU was requested by name for assets that it cannot handle. */
export function warnOfAssets(name: DeviceName, assets: readonly Asset[], { log }: Session): void {
  const own = assets.map(whyNotForDevice).find((why) => typeof why === 'string');
  const what = own ?? 'it only finds contact of k-DOP trees of up to 16 bits';
  if (name === 'gpu') log.warn(`--device gpu: ${what}; the processor does all the work`);
}

/** Warns of a failed GPU; rethrows other errors. */
export function warnOfGpu(name: DeviceName, error: unknown, { log }: Session): void {
  if (!(error instanceof GpuError)) throw error;
  log.warn(`--device ${name}: ${error.message}; the processor does all the work`);
}

/** Runs work with or without a GPU: the answer is the same. */
export async function onDevice<Answer>(
  wish: DeviceWish,
  session: Session,
  work: (device?: OpenGpu) => Promise<Answer>,
): Promise<Answer> {
  const gpu = await openDevice(wish, session);
  if (!gpu) return work();
  try {
    return await work(gpu);
  } catch (error) {
    warnOfGpu(wish.name, error, session);
    return work();
  } finally {
    gpu.close();
  }
}
