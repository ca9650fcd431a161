/** `--queue`: a pool whose members are workers on other machines. */
import { InputError } from '../../base/errors.ts';
import type { Asset } from '../../engine/representation.ts';
import type { Pool } from '../../work/pool.ts';
import type { Session } from '../session.ts';
import { type AssetFolder, openFolder } from './asset-store.ts';
import { byHalves, type RunKind } from './bisect-failed-task.ts';
import { type Asker, openAsker } from './queue-client.ts';
import { addressOf, connect } from './redis.ts';
import { writeRun } from './run-file.ts';

/** Target milliseconds per job: much more than its transfer. */
export const JOB_MS = 500;
/** Number of workers assumed before one is seen. */
const EXPECTED = 2;

export interface WorkQueue {
  /** @param giveUp makes the answer of an indivisible task that failed */
  open<Data, Task, Answer>(
    kind: RunKind<Data, Task, Answer>,
    assets: readonly Asset[],
    data: Data,
    giveUp: (task: Task, error: Error) => Answer,
  ): Promise<Pool<Task, Answer>>;
  readonly store: AssetFolder;
  /** Describes the progress in words. @param units name of the counted things */
  stage(done: number, units: string): string;
}

/** @throws InputError if no Redis answers */
export async function openWorkQueue(
  { queue, assets }: { queue: string; assets?: string },
  { log }: Session,
): Promise<WorkQueue> {
  const address = addressOf(queue);
  if (assets === undefined) throw new InputError('--queue needs --assets, the folder from which workers read assets');
  const store = openFolder(assets);
  (await connect(address)).disconnect();
  let asker: Asker | undefined;
  let began = 0;
  return {
    store,
    async open(kind, assets, data, giveUp) {
      const own = await openAsker(address, await writeRun(store, kind.name, assets, data), log);
      const letGo = onInterrupt(() => own.close());
      began = performance.now();
      asker = own;
      return {
        get size() {
          return Math.max(EXPECTED, own.workers);
        },
        isLost: false,
        run: byHalves(kind, own, giveUp, log),
        async close() {
          letGo();
          await own.close();
        },
      };
    },
    stage(done, units) {
      const spent = performance.now() - began;
      const left = done > 0 ? `, ${Math.ceil((spent * (1 - done)) / done / 1000)} s left` : '';
      const workers = asker?.workers ?? 0;
      return `${units}, ${workers} worker thread${workers === 1 ? '' : 's'}${left}`;
    },
  };
}

/** Runs `work` before an interrupt ends the program. */
function onInterrupt(work: () => Promise<void>): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const letGo = (): void => {
    for (const signal of signals) process.off(signal, end);
  };
  const end = (signal: NodeJS.Signals): void => {
    void work().finally(() => {
      letGo();
      process.kill(process.pid, signal);
    });
  };
  for (const signal of signals) process.on(signal, end);
  return letGo;
}
