/** `gicollide worker`: answers jobs from a queue. */
import type { Command } from 'commander';
import { OptionError } from '../../base/errors.ts';
import { threadsFor } from '../../work/schedule.ts';
import { notes, parseJobs, parseLength } from '../arguments.ts';
import { EXIT } from '../exit-codes.ts';
import type { Session } from '../session.ts';
import { createLog } from '../terminal.ts';

interface WorkerFlags {
  queue?: string;
  assets?: string;
  jobs?: number;
  idle?: number;
}

export function defineWorker(command: Command, session: (command: Command) => Session): void {
  command
    .option('--queue <url>', 'Redis with the queue: redis://host:port/number, or rediss:// for TLS')
    .option('--assets <place>', "assets: the client's folder, or http(s):// of a server over it")
    .option('--jobs <n>', 'number of threads [default: number of processors]', parseJobs(1))
    .option('--idle <s>', 'end after this many seconds without a job [default: never]', parseLength)
    .addHelpText(
      'after',
      notes(
        `Answers jobs of scene, check and build with --queue, on any number of machines (docs/queue.md), until SIGTERM or SIGINT. Then it
finishes its job, answers, and exits with 0. It prints a line a run and a line a minute on stderr.
It needs the packages bullmq and ioredis: npm install bullmq ioredis.
It reads its name and password from GICOLLIDE_REDIS_USERNAME and GICOLLIDE_REDIS_PASSWORD.`,
        `  $ gicollide worker --queue redis://localhost --assets /srv/assets`,
      ),
    )
    .action(async (flags: WorkerFlags, command: Command) => {
      process.exitCode = await runWorker(flags, session(command));
    });
}

async function runWorker({ queue, assets, jobs, idle }: WorkerFlags, { global }: Session): Promise<number> {
  if (queue === undefined) throw new OptionError('--queue: expected the Redis that holds the queue, redis://host:port');
  if (assets === undefined)
    throw new OptionError('--assets: expected the folder or the URL from which assets are read');
  const [{ addressOf }, { openStore }, { OpenRuns }, { serveQueue }] = await Promise.all([
    import('../queue/redis.ts'),
    import('../queue/asset-store.ts'),
    import('../queue/open-runs.ts'),
    import('../queue/serve-queue.ts'),
  ]);
  // A worker's log is its only output.
  const log = createLog({ ...global, logLevel: global.logLevel ?? (global.quiet ? 'error' : 'info') });
  const [address, store, threads] = [addressOf(queue), openStore(assets), threadsFor(jobs)];
  const runs = new OpenRuns(store, threads, { global, log });
  await serveQueue(address, runs, { threads, ...(idle !== undefined && { idleMs: 1000 * idle }) }, { global, log });
  return EXIT.expected;
}
