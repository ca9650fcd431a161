/** `--queue` and `--assets` of commands that can use workers. */
import type { Command } from 'commander';
import { OptionError } from '../../base/errors.ts';
import type { Session } from '../session.ts';
import type { WorkQueue } from './work-queue.ts';

export interface QueueFlags {
  queue?: string;
  assets?: string;
}

export const addQueueOptions = (command: Command): Command =>
  command
    .option('--queue <url>', 'workers on any number of machines answer: the Redis of gicollide worker (docs/queue.md)')
    .option('--assets <folder>', 'with --queue: where workers get assets from');

/** @param own options for work on this machine, which exclude a queue */
export async function openQueueOf(
  { queue, assets }: QueueFlags,
  own: Readonly<Record<string, unknown>>,
  session: Session,
): Promise<WorkQueue | undefined> {
  if (queue === undefined) {
    if (assets !== undefined)
      throw new OptionError('--assets: where workers get assets from; --queue says which workers');
    return undefined;
  }
  const clashing = Object.keys(own).find((option) => own[option] !== undefined && own[option] !== false);
  if (clashing !== undefined)
    throw new OptionError(`--queue: workers answer, and ${clashing} is of this machine; leave one out`);
  const { openWorkQueue } = await import('./work-queue.ts');
  return openWorkQueue({ queue, ...(assets !== undefined && { assets }) }, session);
}
