/** Keeps a worker's most recent runs open, within a memory limit. */

import { InputError } from '../../base/errors.ts';
import { TOOL } from '../../version.ts';
import type { Pool, Timed } from '../../work/pool.ts';
import type { Session } from '../session.ts';
import type { AssetStore } from './asset-store.ts';
import { kindNamed } from './kinds.ts';
import { readRun } from './run-file.ts';

const MOST_RUNS = 4;
/** Bytes of their files. */
const MOST_BYTES = 2 ** 30;

export type Runs = Pick<OpenRuns, 'size' | 'run' | 'close'>;

interface Entry {
  opening: Promise<Pool<unknown, unknown>>;
  /** Known once its files are read. */
  bytes: number;
  /** Tasks in progress. */
  users: number;
}

export class OpenRuns {
  /** Most recently used last. */
  private readonly entries = new Map<string, Entry>();

  constructor(
    private readonly store: AssetStore,
    private readonly threads: number,
    private readonly session: Session,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  /** @throws RunFault if the run cannot be opened; errors of the task */
  async run(digest: string, task: unknown): Promise<Timed<unknown>> {
    const entry = this.entries.get(digest) ?? this.open(digest);
    this.entries.delete(digest);
    this.entries.set(digest, entry);
    entry.users++;
    try {
      const pool = await entry.opening.catch((error) => {
        if (this.forget(digest, entry))
          this.session.log.warn(`run ${digest.slice(0, 12)}: ${(error as Error).message}`);
        throw new RunFault(error as Error);
      });
      await this.closeOldest();
      return await pool.run(task).catch(async (error) => {
        // A pool that has lost a thread is useless.
        if (pool.isLost && this.forget(digest, entry)) await pool.close();
        throw error;
      });
    } finally {
      entry.users--;
    }
  }

  async close(): Promise<void> {
    const all = [...this.entries.values()];
    this.entries.clear();
    for (const { opening } of all) await opening.then((pool) => pool.close()).catch(() => {});
  }

  private forget(digest: string, entry: Entry): boolean {
    return this.entries.get(digest) === entry && this.entries.delete(digest);
  }

  private open(digest: string): Entry {
    const openPool = async (): Promise<Pool<unknown, unknown>> => {
      const { run, assets, bytes } = await readRun(this.store, digest, this.session);
      entry.bytes = bytes;
      const kind = await kindNamed(run.kind);
      if (!kind) throw new InputError(`${TOOL} knows no run of kind ${JSON.stringify(run.kind)}`);
      const pool = await kind.open(this.threads, assets, run.data, this.store);
      this.session.log.info(`run ${digest.slice(0, 12)}: ${run.kind}, ${assets.length} assets, ${bytes} bytes`);
      return pool;
    };
    const entry: Entry = { opening: openPool(), bytes: 0, users: 0 };
    return entry;
  }

  private async closeOldest(): Promise<void> {
    const all = [...this.entries];
    let bytes = all.reduce((sum, [, entry]) => sum + entry.bytes, 0);
    let count = all.length;
    for (const [digest, entry] of all) {
      if ((count <= MOST_RUNS && bytes <= MOST_BYTES) || count === 1) return;
      if (entry.users > 0) continue;
      this.entries.delete(digest);
      count--;
      bytes -= entry.bytes;
      await (await entry.opening).close();
    }
  }
}

export class RunFault extends Error {
  constructor(readonly reason: Error) {
    super(reason.message);
  }
}
