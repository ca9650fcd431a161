/** Tracks a watch's builds: jobs to repeat, and outputs without a source. */
import { resolve } from 'node:path';
import type { BuildCache } from '../cache/cache.ts';
import { kindOf, nameOf } from '../inputs/name.ts';
import type { BuildJob, BuildRecord, BuildRun } from '../make/job.ts';
import { runBuilds } from '../make/run-builds.ts';
import type { Session } from '../session.ts';
import { type FileDigests, FileRecorder, type Held, stampOf } from './digests.ts';

interface Done {
  job: BuildJob;
  read: FileRecorder;
  /** Outputs with their stamps when written, and their sources. */
  outputs: Map<string, { stamp: string | null; source: string }>;
  failures: Set<string>;
}

export interface BuildSetting {
  run: BuildRun;
  jobs?: number | undefined;
  cache: BuildCache | null;
}

export class Built {
  /** Absolute paths of all outputs so far. */
  readonly outputs = new Set<string>();
  /** Outputs that the last run no longer made, each with its source. */
  stale: [output: string, source: string][] = [];
  private done = new Map<string, Done>();

  constructor(private readonly digests: FileDigests) {}

  /** Number of jobs whose last run failed. */
  get failed(): number {
    return [...this.done.values()].filter(({ failures }) => failures.size > 0).length;
  }

  get files(): string[] {
    return [...this.done.values()].flatMap(({ read }) => [...read.held.keys()]);
  }

  /**
   * Runs the jobs of a plan that are not up to date. Failed jobs run again. A failure is reported
   * again if its message or its files changed: a person who saves a file wants an answer.
   *
   * @param changed absolute paths with events
   */
  async *run(
    jobs: readonly BuildJob[],
    changed: ReadonlySet<string>,
    setting: BuildSetting,
    session: Session,
  ): AsyncGenerator<BuildRecord, void> {
    const before = this.done;
    const made = this.made();
    this.done = new Map();
    const left: Done[] = [];
    for (const job of jobs) {
      const key = JSON.stringify(job);
      const known = before.get(key);
      const isDone = known && this.isStill(known, changed);
      const done = isDone ? known : this.begin(job);
      this.done.set(key, done);
      if (!isDone) left.push(done);
    }
    // Threads do not report the files they read, and a single job uses no thread.
    const own = left.length === 1 ? { ...session, opened: left[0].read.opened } : session;
    const asked = left.map(({ job }) => job);
    for await (const record of runBuilds(asked, setting, own)) {
      const done = this.ownerOf(record, left, session);
      this.note(record, done);
      const known = before.get(JSON.stringify(done.job));
      const isSame = known && holdSame(known.read.held, done.read.held);
      if (record.status !== 'failed' || !isSame || !known.failures.has(record.message)) yield record;
    }
    // A failed job keeps its earlier outputs.
    for (const [key, { failures, outputs }] of this.done) {
      if (failures.size === 0) continue;
      for (const [file, known] of before.get(key)?.outputs ?? []) if (!outputs.has(file)) outputs.set(file, known);
    }
    const now = this.made();
    this.stale = [...made].filter(([file]) => !now.has(file) && kindOf(file) !== null);
  }

  private begin(job: BuildJob): Done {
    const read = new FileRecorder(this.digests);
    for (const { file, outputs } of job.inputs) {
      read.opened(file);
      for (const output of outputs) this.outputs.add(resolve(output));
    }
    return { job, read, outputs: new Map(), failures: new Set() };
  }

  private note(record: BuildRecord, { read, outputs, failures }: Done): void {
    if (record.status === 'excluded') return;
    if (record.status === 'failed') {
      failures.add(record.message);
      return;
    }
    const { output, source, beside } = record;
    for (const path of beside) if (!read.held.has(path)) read.opened(path);
    this.outputs.add(resolve(output));
    outputs.set(output, { stamp: stampOf(output), source });
  }

  /** Returns the record's job: it names the output, or may have it as an element. */
  private ownerOf(record: BuildRecord, left: readonly Done[], session: Session): Done {
    const ofSource = left.filter(({ job }) => job.inputs.some(({ file }) => nameOf(file, session) === record.source));
    const names = ({ job }: Done): boolean =>
      'output' in record && job.inputs.some(({ outputs }) => outputs.includes(record.output));
    return ofSource.find(names) ?? ofSource.find(({ job }) => job.flags.split !== undefined) ?? ofSource[0];
  }

  private isStill({ read, outputs, failures }: Done, changed: ReadonlySet<string>): boolean {
    if (failures.size > 0) return false;
    // A file that changed while it was read may have the digest of its new content.
    for (const path of read.held.keys()) if (changed.has(resolve(path))) return false;
    for (const [file, { stamp }] of outputs) if (stampOf(file) !== stamp) return false;
    return this.digests.areStill(read.held);
  }

  private made(): Map<string, string> {
    const done = [...this.done.values()];
    return new Map(done.flatMap(({ outputs }) => [...outputs].map(([file, { source }]) => [file, source])));
  }
}

function holdSame(before: Held, now: Held): boolean {
  return before.size === now.size && [...now].every(([path, digest]) => before.get(path) === digest);
}
