/** --device: work that a GPU may take, and who takes it where there is none. */
import { type OpenGpu, openGpu } from '../gpu/open.ts';
import { GpuError } from '../math/errors.ts';
import type { Session } from './session.ts';

export const DEVICES = ['auto', 'cpu', 'gpu'] as const;
export type DeviceName = (typeof DEVICES)[number];

/**
 * Runs work on a GPU, or without one: the answer is the same. What goes wrong with a GPU is one
 * warning, and the work is done without; `auto` is silent where there is none.
 *
 * @param pays whether `auto` takes a GPU
 */
export async function onDevice<Answer>(
  name: DeviceName,
  pays: boolean,
  { log }: Session,
  work: (device?: OpenGpu) => Promise<Answer>,
): Promise<Answer> {
  if (name === 'cpu' || (name === 'auto' && !pays)) return work();
  let gpu: OpenGpu | undefined;
  try {
    gpu = await openGpu();
    if (name === 'auto' && gpu.isSoftware) return await work();
    log.info(`--device: ${gpu.name}`);
    return await work(gpu);
  } catch (error) {
    if (!(error instanceof GpuError)) throw error;
    if (gpu || name === 'gpu') log.warn(`--device ${name}: ${error.message}; the processor goes on alone`);
    return work();
  } finally {
    gpu?.close();
  }
}
