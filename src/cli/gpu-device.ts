/** --device: work that a GPU may take, and who takes it where there is none. */
import type { OpenGpu } from '../gpu/open.ts';
import { GpuError } from '../math/errors.ts';
import { whyNotForDevice } from '../pair/on-device.ts';
import type { Asset } from '../query/representation.ts';
import type { DeviceName } from './arguments.ts';
import type { Session } from './inputs.ts';

/**
 * Opens a GPU; undefined where the processor is to go on alone. What goes wrong is one warning;
 * `auto` is silent where there is none, and takes no program that stands in for one.
 *
 * @param pays whether `auto` takes a GPU
 */
export async function openDevice(name: DeviceName, pays: boolean, session: Session): Promise<OpenGpu | undefined> {
  if (name === 'cpu' || (name === 'auto' && !pays)) return undefined;
  try {
    // Not at the program's start.
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

/**
 * Says that what is asked is not for a GPU, where one was asked for by name.
 *
 * @param assets of which one may say why
 */
export function warnOfAssets(name: DeviceName, assets: readonly Asset[], { log }: Session): void {
  const own = assets.map(whyNotForDevice).find((why) => typeof why === 'string');
  const what = own ?? 'it answers for contact alone, of k-DOP trees of up to 16 bits';
  if (name === 'gpu') log.warn(`--device gpu: ${what}; the processor goes on alone`);
}

/** Says that a GPU has failed; throws what is another error. */
export function warnOfGpu(name: DeviceName, error: unknown, { log }: Session): void {
  if (!(error instanceof GpuError)) throw error;
  log.warn(`--device ${name}: ${error.message}; the processor goes on alone`);
}

/** Runs work on a GPU, or without one: the answer is the same. */
export async function onDevice<Answer>(
  name: DeviceName,
  pays: boolean,
  session: Session,
  work: (device?: OpenGpu) => Promise<Answer>,
): Promise<Answer> {
  const gpu = await openDevice(name, pays, session);
  if (!gpu) return work();
  try {
    return await work(gpu);
  } catch (error) {
    warnOfGpu(name, error, session);
    return work();
  } finally {
    gpu.close();
  }
}
