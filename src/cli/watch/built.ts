/** What a watch has built: which jobs are to be done again, and which outputs nobody makes any more. */
import { resolve } from 'node:path';
import type { BuildJob, BuildRecord, BuildRun } from '../build/job.ts';
import { runJob } from '../build/run-job.ts';
import { kindOf } from '../files.ts';
import type { Session } from '../inputs.ts';
import { type FileDigests, type Held, stampOf } from './digests.ts';
import { FileRecorder } from './source-memory.ts';

/** A job that was done. */
interface Done {
  /** What was read for it. */
  held: Held;
  /** What was written, when it was, and of which file. */
  outputs: Map<string, { stamp: string | null; source: string }>;
  hasFailed: boolean;
}

export class Built {
  private done = new Map<string, Done>();
  private told = new Set<string>();

  constructor(private readonly digests: FileDigests) {}

  /** All outputs there were so far, by their absolute paths. */
  readonly outputs = new Set<string>();

  /** How many jobs have failed, and were not done again. */
  get failed(): number {
    return [...this.done.values()].filter(({ hasFailed }) => hasFailed).length;
  }

  /** All that the jobs have read. */
  get files(): string[] {
    return [...this.done.values()].flatMap(({ held }) => [...held.keys()]);
  }

  /** Does the jobs of a plan that are not done, a record an output. */
  async *run(jobs: readonly BuildJob[], run: BuildRun, session: Session): AsyncGenerator<BuildRecord, void> {
    const before = this.done;
    const keyed = jobs.map((job) => ({ key: JSON.stringify(job), job }));
    const made = (): Map<string, string> =>
      new Map(
        [...this.done.values()].flatMap(({ outputs }) => [...outputs].map(([file, { source }]) => [file, source])),
      );
    const lastMade = made();
    this.done = new Map();
    for (const { key, job } of keyed) {
      for (const { outputs } of job.inputs) for (const output of outputs) this.outputs.add(resolve(output));
      const known = before.get(key);
      if (known && this.isStill(known)) this.done.set(key, known);
      else yield* this.runOne(key, job, run, session);
    }
    const nowMade = made();
    this.stale = [...lastMade].filter(([file]) => !nowMade.has(file) && kindOf(file) !== null && !this.told.has(file));
    for (const [file] of this.stale) this.told.add(file);
    for (const file of nowMade.keys()) this.told.delete(file);
  }

  /** Outputs that were made before the last run, and are made no more, each with its source. */
  stale: [output: string, source: string][] = [];

  private async *runOne(
    key: string,
    job: BuildJob,
    run: BuildRun,
    session: Session,
  ): AsyncGenerator<BuildRecord, void> {
    const recorder = new FileRecorder(this.digests);
    const done: Done = { held: recorder.held, outputs: new Map(), hasFailed: false };
    for await (const record of runJob(job, run, { ...session, opened: recorder.opened })) {
      if (record.status === 'failed') done.hasFailed = true;
      else {
        const { file, source } = record.line as { file: string; source: string };
        this.outputs.add(resolve(file));
        done.outputs.set(file, { stamp: stampOf(file), source });
      }
      yield record;
    }
    this.done.set(key, done);
  }

  private isStill({ held, outputs }: Done): boolean {
    for (const [file, { stamp }] of outputs) if (stampOf(file) !== stamp) return false;
    return this.digests.areStill(held);
  }
}
