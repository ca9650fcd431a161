/** Keeps a worker's most recent runs open, within a memory limit. */

import { InputError } from '../../math/errors.ts';
import type { Crew } from '../../pair/threads/crew.ts';
import { TOOL } from '../../version.ts';
import type { Session } from '../session.ts';
import type { AssetStore } from './asset-store.ts';
import { kindNamed } from './kinds.ts';
import { readRun } from './run-file.ts';

const MOST_RUNS = 4;
/** Bytes of their files. */
const MOST_BYTES = 2 ** 30;

export interface Runs {
  readonly size: number;
  /** @throws RunFault if the run cannot be opened; errors of the task */
  run(digest: string, task: unknown): Promise<{ answer: unknown; ms: number }>;
  close(): Promise<void>;
}

interface OpenRun {
  crew: Crew<unknown, unknown>;
  bytes: number;
}

interface Entry {
  opening: Promise<OpenRun>;
  /** Known once it is open. */
  bytes: number;
  /** Tasks in progress. */
  users: number;
}

export class OpenRuns implements Runs {
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
        // A crew that has lost a thread is useless.
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

export class RunFault extends Error {
  constructor(readonly reason: Error) {
    super(reason.message);
  }
}
