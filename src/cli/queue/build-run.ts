/**
 * Builds files as work of a queue: tasks name sources by digest, answers contain the assets.
 *
 * A worker reads only from the store, and writes nothing. Answers carry assets up to MOST_BYTES;
 * the asker builds larger ones itself. Answers follow the order of the requests, so none can name a
 * file.
 */
import * as z from 'zod/mini';
import { InputError } from '../../math/errors.ts';
import { openPool, type Pool } from '../../work/pool.ts';
import type { AssetFacts, BuildFlags, BuildJob } from '../build/job.ts';
import type { SaidRecord } from '../build/said.ts';
import { programDigest } from '../cache/program-digest.ts';
import type { AssetStore } from './asset-store.ts';
import type { RunKind } from './work-queue.ts';

export interface BuildsData {
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

export interface Source {
  task: SourceTask;
  bytes: Uint8Array;
  beside: readonly (readonly [path: string, bytes: Uint8Array])[];
}

/** Results of the formats, in order; a file that cannot be read fails once for all. */
export type OutputRow =
  | { status: 'built'; bytes: Uint8Array; facts: AssetFacts; seconds: number }
  | { status: 'large'; size: number }
  | { status: 'failed'; message: string };
export type Row = OutputRow | SaidRecord;

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
  z.object({ status: z.literal('said'), level: z.enum(['info', 'warn', 'error']), message: z.string() }),
]);
const answer = z.array(z.array(row));

export const buildRun: RunKind<BuildsData, SourceTask[], Row[][]> = {
  name: 'build',
  async open(threads, _, { measures, program }, store) {
    if (program !== programDigest())
      throw new InputError('expected the program of who asks, found another one of the same version');
    const module = new URL('./source-worker.js', import.meta.url);
    const pool = await openPool<boolean, Source, Row[]>(threads, { module, data: measures, isolates: true });
    return {
      size: pool.size,
      get isLost() {
        return pool.isLost;
      },
      run: (tasks) => buildAll(tasks, store, pool),
      close: () => pool.close(),
    };
  },
  accept(given, tasks) {
    const rows = answer.parse(given);
    if (rows.length !== tasks.length)
      throw new Error(`expected the outputs of ${tasks.length} files, found those of ${rows.length}`);
    for (const [i, { formats }] of tasks.entries()) {
      const outputs = rows[i].filter(({ status }) => status !== 'said');
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
  pool: Pool<Source, Row[]>,
): Promise<{ answer: Row[][]; ms: number }> {
  const all: Row[][] = [];
  let spent = 0;
  let left = MOST_BYTES;
  for (const task of tasks) {
    const bytes = await store.read(task.sha256);
    const beside: [string, Uint8Array][] = [];
    for (const [path, digest] of task.beside) beside.push([path, await store.read(digest)]);
    const { answer, ms } = await pool.run({ task, bytes, beside });
    spent += ms;
    const rows = answer.map((made): Row => {
      if (made.status !== 'built') return made;
      if (made.bytes.length > left) return { status: 'large', size: made.bytes.length };
      left -= made.bytes.length;
      return made;
    });
    all.push(rows);
  }
  return { answer: all, ms: spent };
}
