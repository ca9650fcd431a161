/**
 * Builds by the workers of a queue: the same files and lines, in the same order.
 *
 * Tasks name sources by digest, and answers contain the assets. A worker reads only from the store,
 * and writes nothing. Answers carry assets up to MOST_BYTES; the asker builds larger ones itself.
 * Answers follow the order of the requests, so none can name a file.
 *
 * The asker checks for fresh outputs and cache entries, and writes all files. It builds the
 * remaining jobs on a thread, so that it stays responsive to the queue.
 */
import * as z from 'zod/mini';
import { InputError } from '../../base/errors.ts';
import { inOrder } from '../../base/ordered-concurrency.ts';
import { sha256 } from '../../containers/hash.ts';
import { meshFormatOf } from '../../readers/formats.ts';
import type { Pool, Timed } from '../../work/pool.ts';
import type { BuildCache } from '../cache/cache.ts';
import { programDigest } from '../cache/program-digest.ts';
import { meshFileOf, placeBeside } from '../inputs/mesh.ts';
import { readWhole } from '../inputs/open.ts';
import { requestDigest } from '../make/build-key.ts';
import { knownOf } from '../make/existing-output.ts';
import { isOfRequest } from '../make/fresh.ts';
import type {
  AssetFacts,
  BuildFlags,
  BuildJob,
  BuildRecord,
  BuildRun,
  ExcludedRecord,
  JobRecord,
  OutputFacts,
} from '../make/job.ts';
import { isStream, landed, runJob } from '../make/run-job.ts';
import {
  type BuildAnswer,
  type BuildTask,
  openBuilders,
  openThreads,
  predict,
  type SaidRecord,
  tellSaid,
} from '../make/threads.ts';
import type { Session } from '../session.ts';
import { createProgress } from '../terminal.ts';
import type { AssetFolder, AssetStore } from './asset-store.ts';
import type { RunKind } from './bisect-failed-task.ts';
import { JOB_MS, type WorkQueue } from './work-queue.ts';

interface BuildsData {
  measures: boolean;
  /** The program's digest: caches keep builds of the asker's own program only. */
  program: string;
}

export interface SourceTask {
  kind: BuildJob['kind'];
  /** Its name for messages and headers; it is never opened. */
  name: string;
  sha256: string;
  beside: readonly (readonly [path: string, sha256: string])[];
  formats: readonly string[];
  flags: BuildFlags;
}

/** Results of the formats, in order; a file that cannot be read fails once for all. */
type OutputRow =
  | { status: 'built'; bytes: Uint8Array; facts: AssetFacts; seconds: number }
  | { status: 'large'; size: number }
  | { status: 'failed'; message: string };
export type Row = OutputRow | SaidRecord | Omit<ExcludedRecord, 'source'>;

/** Maximum bytes of assets in an answer. */
const MOST_BYTES = 2 ** 26;

/** Text to print: one line without control characters, which could move a terminal's cursor. */
const line = z.string().check(z.regex(/^\P{Cc}*$/u));
const size = z.number().check(z.gte(0));
const facts = z.object({
  fields: z.record(line, z.nullable(z.union([z.number(), line]))),
  what: line,
  of: z.optional(line),
  bound: z.optional(line),
  why: z.optional(line),
  measures: z.optional(line),
});
const row = z.discriminatedUnion('status', [
  z.object({ status: z.literal('built'), bytes: z.instanceof(Uint8Array), facts, seconds: size }),
  z.object({ status: z.literal('large'), size }),
  z.object({ status: z.literal('failed'), message: z.string() }),
  z.object({ status: z.literal('excluded'), names: z.array(z.string()) }),
  z.object({ status: z.literal('said'), level: z.enum(['info', 'warn', 'error']), message: z.string() }),
]);
const answer = z.array(z.array(row));

export const buildRun: RunKind<BuildsData, SourceTask[], Row[][]> = {
  name: 'build',
  async open(threads, _, { measures, program }, store) {
    if (program !== programDigest())
      throw new InputError('expected the same program as that of the client, found another one of the same version');
    const pool = await openBuilders(threads, { inputs: new Set(), measures, force: true }, { quiet: true });
    return {
      size: pool.size,
      get isLost() {
        return pool.isLost;
      },
      run: (tasks) => buildAll(tasks, store, pool),
      close: pool.close,
    };
  },
  accept(given, tasks) {
    const rows = answer.parse(given);
    if (rows.length !== tasks.length)
      throw new Error(`expected the outputs of ${tasks.length} files, found those of ${rows.length}`);
    for (const [i, { formats, flags }] of tasks.entries()) {
      const outputs = rows[i].filter(({ status }) => status !== 'said' && status !== 'excluded');
      // Nothing may be left of it.
      if (flags.exclude && outputs.length === 0 && rows[i].some(({ status }) => status === 'excluded')) continue;
      const isUnread = outputs.length === 1 && outputs[0].status === 'failed';
      if (outputs.length !== formats.length && !isUnread)
        throw new Error(`expected ${formats.length} outputs of a file, found ${outputs.length}`);
    }
    // The original, since the schema's copy has its keys in the schema's order.
    return given as Row[][];
  },
  halve(tasks) {
    const middle = tasks.length >> 1;
    return tasks.length < 2 ? null : [tasks.slice(0, middle), tasks.slice(middle)];
  },
  join: (first, second) => [...first, ...second],
};

/** Builds files one after the other: a worker has as many tasks as threads. */
async function buildAll(
  tasks: readonly SourceTask[],
  store: AssetStore,
  pool: Pool<BuildTask, BuildAnswer>,
): Promise<Timed<Row[][]>> {
  const all: Row[][] = [];
  let spent = 0;
  let left = MOST_BYTES;
  for (const { kind, name, sha256: digest, beside: others, formats, flags } of tasks) {
    const held = new Map([[name, await store.read(digest)]]);
    const beside = new Map<string, Uint8Array>();
    for (const [path, other] of others) beside.set(path, await store.read(other));
    // Elements are named after outputs, which a worker does not know.
    const { split: _, ...own } = flags;
    const job: BuildJob = { kind, inputs: [{ file: name, outputs: formats.map(() => '') }], formats, flags: own };
    const { answer, ms } = await pool.run({ job, held, beside });
    spent += ms;
    const rows = answer.flatMap((record): Row[] => {
      if (record.status === 'said') return [record];
      if (record.status === 'excluded') return [{ status: 'excluded', names: record.names }];
      if (record.status === 'failed') return [{ status: 'failed', message: record.message }];
      if (!('bytes' in record)) return [];
      const { bytes, facts, seconds } = record;
      if (bytes.length > left) return [{ status: 'large', size: bytes.length }];
      left -= bytes.length;
      return [{ status: 'built', bytes, facts, seconds }];
    });
    all.push(rows);
  }
  return { answer: all, ms: spent };
}

/** Open tasks per thread of a worker. */
const AHEAD = 3;
/** Maximum number of cheap jobs in a task. */
const MOST_JOBS = 64;

interface Item {
  job: BuildJob;
  sent: Sent | null;
}

/** Results of a job before they are written; null if this machine must build it. */
type Outcome = (JobRecord | SaidRecord)[] | null;

export async function openQueuedBuilds(queue: WorkQueue, run: BuildRun, session: Session, cache: BuildCache | null) {
  const data = { measures: run.measures, program: programDigest() };
  const pool = await queue.open(buildRun, [], data, ([{ name }], { message }): Row[][] => [
    [{ status: 'failed', message: `${name}: no worker builds it: ${message}` }],
  ]);
  let own: ReturnType<typeof openThreads> | undefined;

  const buildHere = async (job: BuildJob): Promise<Outcome> => {
    if (isStream(job)) return null;
    own ??= openThreads(1, run, session, cache);
    return (await own).answer(job);
  };
  const answer = async (items: Item[]): Promise<[BuildJob, Outcome][]> => {
    const tasks = items.flatMap(({ sent }) => (sent ? [sent.task] : []));
    const rows = tasks.length > 0 ? (await pool.run(tasks)).answer : [];
    return Promise.all(
      items.map(async ({ job, sent }): Promise<[BuildJob, Outcome]> => {
        const records = sent && (await recordsOf(sent, rows.shift()!, session));
        return [job, records ?? (await buildHere(job))];
      }),
    );
  };
  const settle = async (job: BuildJob, outcome: Outcome): Promise<BuildRecord[]> => {
    const records: BuildRecord[] = [];
    if (outcome === null) for await (const record of runJob(job, run, session, cache)) records.push(record);
    else for (const record of tellSaid(outcome, session.log)) records.push(await landed(record, cache));
    return records;
  };

  async function* runAll(jobs: readonly BuildJob[]): AsyncGenerator<BuildRecord[], void> {
    const progress = createProgress('build', session.global);
    const next = cutter(jobs, (job) => sendJob(job, run, { store: queue.store, cache }, session));
    const answers = inOrder(next, answer, () => AHEAD * pool.size);
    let done = 0;
    try {
      for await (const items of answers) {
        for (const [job, outcome] of items) {
          progress.update(queue.stage(done / jobs.length, 'files'), ++done / jobs.length);
          yield await settle(job, outcome);
        }
      }
    } finally {
      progress.stop();
    }
  }

  return {
    runAll,
    async close() {
      await pool.close();
      await (await own)?.close();
    },
  };
}

/** Cuts jobs, in order, into tasks of JOB_MS by predicted cost. */
function cutter(jobs: readonly BuildJob[], send: (job: BuildJob) => Promise<Sent | null>) {
  let next = 0;
  return async (): Promise<Item[] | null> => {
    const items: Item[] = [];
    for (let ms = 0; next < jobs.length && ms < JOB_MS && items.length < MOST_JOBS; next++) {
      const job = jobs[next];
      const sent = await send(job);
      items.push({ job, sent });
      if (sent) ms += predict(job).ms;
    }
    return items.length > 0 ? items : null;
  };
}

/** Returns a worker's records of a job; null if assets are missing or don't match. */
async function recordsOf({ outputs, task }: Sent, rows: readonly Row[], { log }: Session): Promise<Outcome> {
  const records: (JobRecord | SaidRecord)[] = [];
  const excluded: ExcludedRecord[] = [];
  const left = [...outputs];
  for (const row of rows) {
    if (row.status === 'said') {
      records.push(row);
      continue;
    }
    if (row.status === 'excluded') {
      excluded.push({ ...row, source: task.name });
      continue;
    }
    // Outputs that exist keep their places in the order.
    let output = left.shift();
    for (; output && output.status !== 'asked'; output = left.shift()) records.push(output);
    if (!output) throw new RangeError(`${task.name}: more outputs than requested`);
    const { facts } = output;
    if (row.status === 'failed') records.push({ status: 'failed', source: facts.source, message: row.message });
    else if (row.status === 'built' && (await isOfRequest(row.bytes, facts))) records.push({ ...facts, ...row });
    else {
      log.info(
        `${task.name}: built on this machine, since the worker's result was ${row.status === 'large' ? 'too large' : 'another asset'}`,
      );
      return null;
    }
  }
  for (const output of left) if (output.status !== 'asked') records.push(output);
  return [...records, ...excluded];
}

interface Sent {
  task: SourceTask;
  /** For each format the existing output, or the facts of the output to build. */
  outputs: (JobRecord | { status: 'asked'; facts: OutputFacts })[];
}

/**
 * Returns the task of a job; null if this machine must do it: elements, whose names are unknown
 * before, unreadable files, whose errors are reported here, and existing outputs.
 */
async function sendJob(
  job: BuildJob,
  run: BuildRun,
  { store, cache }: { store: AssetFolder; cache: BuildCache | null },
  session: Session,
): Promise<Sent | null> {
  if (job.flags.split !== undefined || job.inputs.length !== 1 || isStream(job)) return null;
  const read = await readAll(job, session);
  if (!read) return null;
  const { kind, formats, flags } = job;
  const [{ file, outputs: paths }] = job.inputs;
  const { bytes, digest, beside } = read;
  const reader = kind === 'mesh' ? meshFormatOf(bytes).name : null;
  const files = beside.map(({ path, digest }) => [path, digest] as const);
  const known = formats.map(async (format, k): Promise<Sent['outputs'][number]> => {
    const request = requestDigest(format, flags, { name: file, sha256: digest, reader, files });
    const places = beside.map(({ place }) => place);
    const facts = { output: paths[k], source: file, sha256: digest, beside: places, format, request };
    return (await knownOf(facts, run, cache)) ?? { status: 'asked', facts };
  });
  const outputs = await Promise.all(known);
  const asked = formats.filter((_, k) => outputs[k].status === 'asked');
  if (asked.length === 0) return null;
  for (const each of [bytes, ...beside.map((own) => own.bytes)]) await store.write(each);
  return { task: { kind, name: file, sha256: digest, beside: files, formats: asked, flags }, outputs };
}

interface Beside {
  path: string;
  place: string;
  bytes: Uint8Array;
  digest: string;
}

/** Reads a file and the files that it references, sorted; null if one cannot be read. */
async function readAll({ kind, inputs: [{ file }] }: BuildJob, session: Session) {
  try {
    const bytes = readWhole(file, session);
    const found = new Map<string, Uint8Array>();
    if (kind === 'mesh' && meshFormatOf(bytes).namesOthers) {
      // The builder logs the warnings. A reader may take over its input, hence the copy.
      const silent = { info() {}, warn() {}, error() {} };
      await meshFileOf(file, bytes, { ...session, log: silent }, (path, own) => found.set(path, own.slice()));
    }
    const beside = [...found]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(async ([path, own]): Promise<Beside> => {
        const { path: place } = placeBeside(path, file, session.global);
        return { path, place, bytes: own, digest: await sha256(own) };
      });
    return { bytes, digest: await sha256(bytes), beside: await Promise.all(beside) };
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}
