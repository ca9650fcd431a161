/** `--queue`: a crew whose members are workers on other machines. */
import { InputError } from '../../math/errors.ts';
import type { Crew } from '../../pair/threads/crew.ts';
import type { Asset } from '../../query/representation.ts';
import type { Session } from '../session.ts';
import { openAsker } from './asker.ts';
import { type AssetFolder, openFolder } from './asset-store.ts';
import { byHalves } from './halving.ts';
import { type Address, addressOf, connect } from './redis.ts';
import { writeRun } from './run-file.ts';
import type { RunKind } from './run-kind.ts';

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
  ): Promise<Crew<Task, Answer>>;
  readonly store: AssetFolder;
  /** Describes the progress in words. @param units name of the counted things */
  stage(done: number, units: string): string;
}

/** @throws InputError if no Redis answers */
export async function openWorkQueue(
  { queue, assets }: { queue: string; assets?: string },
  session: Session,
): Promise<WorkQueue> {
  const address = addressOf(queue);
  if (assets === undefined) throw new InputError('--queue: --assets names the folder by which workers get assets');
  const store = openFolder(assets);
  (await connect(address)).disconnect();
  return new Workers(address, store, session);
}

class Workers implements WorkQueue {
  private workers = (): number => 0;
  private began = 0;

  constructor(
    private readonly address: Address,
    readonly store: AssetFolder,
    private readonly session: Session,
  ) {}

  async open<Data, Task, Answer>(
    kind: RunKind<Data, Task, Answer>,
    assets: readonly Asset[],
    data: Data,
    giveUp: (task: Task, error: Error) => Answer,
  ): Promise<Crew<Task, Answer>> {
    const digest = await writeRun(this.store, kind.name, assets, data);
    const asker = await openAsker(this.address, digest, this.session.log);
    const letGo = onInterrupt(() => asker.close());
    this.began = performance.now();
    this.workers = () => asker.workers;
    return {
      get size() {
        return Math.max(EXPECTED, asker.workers);
      },
      isLost: false,
      run: byHalves(kind, asker, giveUp, this.session.log),
      async close() {
        letGo();
        await asker.close();
      },
    };
  }

  stage(done: number, units: string): string {
    const spent = performance.now() - this.began;
    const left = done > 0 ? `, ${Math.ceil((spent * (1 - done)) / done / 1000)} s left` : '';
    const workers = this.workers();
    return `${units}, ${workers} worker thread${workers === 1 ? '' : 's'}${left}`;
  }
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
