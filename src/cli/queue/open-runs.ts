/** The runs that a worker has open: the last ones, within a limit of memory. */

import { InputError } from '../../math/errors.ts';
import type { Crew } from '../../pair/threads/crew.ts';
import { TOOL } from '../../version.ts';
import type { Session } from '../inputs.ts';
import type { AssetStore } from './asset-store.ts';
import { kindNamed } from './kinds.ts';
import { readRun } from './run-file.ts';

/** Runs whose threads stand ready. */
const MOST_RUNS = 4;
/** Bytes of their files. */
const MOST_BYTES = 2 ** 30;

/** What does tasks of runs. */
export interface Runs {
  /** How many are open. */
  readonly size: number;
  /**
   * Does a task of a run.
   *
   * @param digest the run's
   * @throws RunFault where the run cannot be opened; what the task throws
   */
  run(digest: string, task: unknown): Promise<{ answer: unknown; ms: number }>;
  close(): Promise<void>;
}

interface OpenRun {
  crew: Crew<unknown, unknown>;
  bytes: number;
}

interface Entry {
  opening: Promise<OpenRun>;
  /** Known when it is open. */
  bytes: number;
  /** Tasks that are being done. */
  users: number;
}

export class OpenRuns implements Runs {
  /** The one that was used last is the last. */
  private readonly entries = new Map<string, Entry>();

  constructor(
    private readonly store: AssetStore,
    private readonly threads: number,
    private readonly session: Session,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  async run(digest: string, task: unknown): Promise<{ answer: unknown; ms: number }> {
    const entry = this.entries.get(digest) ?? { opening: this.open(digest), bytes: 0, users: 0 };
    this.entries.delete(digest);
    this.entries.set(digest, entry);
    entry.users++;
    try {
      const { crew, bytes } = await entry.opening.catch((error) => {
        if (this.forget(digest, entry))
          this.session.log.warn(`run ${digest.slice(0, 12)}: ${(error as Error).message}`);
        throw new RunFault(error as Error);
      });
      entry.bytes = bytes;
      await this.closeOldest();
      return await crew.run(task).catch(async (error) => {
        // Of a crew that has lost a thread nothing more is to be had.
        if (crew.isLost && this.forget(digest, entry)) await crew.close();
        throw error;
      });
    } finally {
      entry.users--;
    }
  }

  async close(): Promise<void> {
    const all = [...this.entries.values()];
    this.entries.clear();
    for (const { opening } of all) await opening.then(({ crew }) => crew.close()).catch(() => {});
  }

  /** @returns whether it was known */
  private forget(digest: string, entry: Entry): boolean {
    return this.entries.get(digest) === entry && this.entries.delete(digest);
  }

  private async open(digest: string): Promise<OpenRun> {
    const { run, assets, bytes } = await readRun(this.store, digest, this.session);
    const kind = await kindNamed(run.kind);
    if (!kind) throw new InputError(`${TOOL} knows no run of kind ${JSON.stringify(run.kind)}`);
    const crew = await kind.open(this.threads, assets, run.data, this.store);
    this.session.log.info(`run ${digest.slice(0, 12)}: ${run.kind}, ${assets.length} assets, ${bytes} bytes`);
    return { crew, bytes };
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
      await (await entry.opening).crew.close();
    }
  }
}

/** Why a run cannot be opened. */
export class RunFault extends Error {
  constructor(readonly reason: Error) {
    super(reason.message);
  }
}
