/**
 * Keeps a worker's most recent runs open, within a memory limit, and defines the kinds of work that
 * a run may have.
 */

import * as z from 'zod/mini';
import { InputError } from '../../base/errors.ts';
import { answerBy, type Found, pairsOfScene, type SceneData, sceneData } from '../../scene/answer-pairs.ts';
import { FINDING_CLASSES } from '../../scene/classes.ts';
import type { AnswerPairs } from '../../scene/scene.ts';
import { TOOL } from '../../version.ts';
import type { Pool, Timed } from '../../work/pool.ts';
import { openSchedule, type Range } from '../../work/schedule.ts';
import { type Answers, NO_COUNTS, type PosesData, type PosesTask, posesOfPair } from '../poses/answers.ts';
import type { OpenOthers } from '../poses/many-poses.ts';
import type { Session } from '../session.ts';
import type { AssetStore } from './asset-store.ts';
import type { RunKind } from './bisect-failed-task.ts';
import { faultSchema } from './jobs.ts';
import { readRun } from './run-file.ts';
import { JOB_MS, type WorkQueue } from './work-queue.ts';

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
      if (!kind) throw new InputError(`${TOOL} does not support runs of kind ${JSON.stringify(run.kind)}`);
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

type AnyKind = RunKind<unknown, unknown, unknown>;

const KINDS: Record<string, () => AnyKind | Promise<AnyKind>> = {
  scene: () => sceneRun as unknown as AnyKind,
  build: async () => (await import('./builds.ts')).buildRun as unknown as AnyKind,
  poses: () => posesRun as unknown as AnyKind,
};

export const kindNamed = async (name: string): Promise<AnyKind | undefined> =>
  Object.hasOwn(KINDS, name) ? KINDS[name]() : undefined;

/** Answers may come from anyone, so the schemas here and below check their shapes. */
const party = z.looseObject({
  name: z.string(),
  asset: z.nullable(z.string()),
  sha256: z.nullable(z.string()),
  pose: z.array(z.number()).check(z.length(16)),
});
const vector = z.array(z.number()).check(z.length(3));
/** Infinity is a valid bound. */
const bound = z.custom<number>((value) => typeof value === 'number');
const bracket = z.nullable(z.object({ lower: bound, upper: bound }));

const foundSchema = z.object({
  asked: z.int(),
  findings: z.array(
    z.looseObject({
      type: z.literal('finding'),
      id: z.string(),
      rule: z.nullable(z.string()),
      class: z.enum(FINDING_CLASSES),
      ...{ a: party, b: party, point: z.nullable(vector), box: z.object({ low: vector, high: vector }) },
      asked: z.looseObject({ clearance: z.number(), tolerance: z.number(), touchGap: z.number(), solid: z.string() }),
      tool: z.string(),
      closed: z.optional(z.array(z.boolean()).check(z.length(2))),
      inner: z.optional(z.nullable(z.enum(['a', 'b']))),
      thickness: z.optional(bracket),
      distance: z.optional(z.nullable(z.number())),
      bracket: z.optional(bracket),
      reason: z.optional(z.string()),
      contacts: z.optional(z.looseObject({ count: z.int(), complete: z.boolean(), pairs: z.array(z.array(z.int())) })),
    }),
  ),
});

const sceneRun: RunKind<SceneData, Range, Found> = {
  ...pairsOfScene,
  accept(given, [first, end]) {
    const { asked } = foundSchema.parse(given);
    if (asked !== end - first)
      throw new Error(`expected the findings of ${end - first} pairs, found those of ${asked}`);
    // The original, since the schema's copy has its keys in the schema's order.
    return given as Found;
  },
};

/** Answers pairs by the workers of a queue; a pair that fails is undecided. */
export const answerOnQueue = (queue: WorkQueue): AnswerPairs =>
  answerBy((scene, pairs, options) =>
    openSchedule<Range, Found>(1, {
      targetMs: JOB_MS,
      open() {
        const { assets, data } = sceneData(scene, pairs, options);
        return queue.open(sceneRun, assets, data, ([first, end], { message }) => ({
          findings: scene.undecided(pairs.subarray(first, end), `no worker answers: ${message}`),
          asked: end - first,
        }));
      },
    }),
  );

const count = z.int().check(z.gte(0));
const answersSchema = z.object({
  output: z.instanceof(Uint8Array),
  poses: count,
  tally: z.object({ clear: count, contact: count, undecided: count }),
  code: z.int().check(z.gte(0), z.lte(3)),
  fault: z.nullable(faultSchema),
});

const posesRun: RunKind<PosesData, PosesTask, Answers> = {
  ...posesOfPair,
  accept(given) {
    const { output, poses } = answersSchema.parse(given);
    let lines = 0;
    for (const byte of output) {
      if (byte === 10) lines++;
      else if (byte < 32 || byte === 127) throw new Error('expected lines to print, found a control character');
    }
    if (lines < poses) throw new Error(`expected ${poses} lines or more, found ${lines}`);
    return given as Answers;
  },
};

/** Answers poses by the workers of a queue; a pose that fails ends the run. */
export const posesOnQueue =
  (queue: WorkQueue): OpenOthers =>
  (assets, data) =>
    openSchedule<PosesTask, Answers>(1, {
      targetMs: JOB_MS,
      open: () =>
        queue.open(posesRun, assets, data, ({ block }, { message }) => ({
          ...NO_COUNTS,
          output: new Uint8Array(),
          fault: {
            ...{ name: 'InputError', isInput: true, stack: undefined },
            message: `${block.name}: pose ${block.first}: no worker answers: ${message}`,
          },
        })),
    });
