/** What stands in Redis: the names of keys, jobs, and the answers to them. */
import * as z from 'zod/mini';
import type { Fault } from '../../pair/threads/faults.ts';
import { VERSION } from '../../version.ts';
import { packed, unpacked } from './wire.ts';

/** Before all keys. */
export const PREFIX = 'gicollide';
/** The queue of this version: no two versions answer each other. */
export const QUEUE = VERSION;
/** Times that a job is begun, at most, if it ends its worker or throws. */
export const TRIES = 3;
/** Who asks says as often as that, and for that long, that the answers are still wanted. */
export const LEASE_MS = 30_000;
/** How long answers lie that nobody takes. */
export const ANSWERS_MS = 600_000;

/** Keys of somebody who asks: whether he is there, and where answers go. */
export const keysOf = (asker: string): { lease: string; answers: string } => ({
  lease: `${PREFIX}:asker:${asker}:lease`,
  answers: `${PREFIX}:asker:${asker}:answers`,
});

/** A job: a task of a run, and whom to answer. */
export interface Job {
  /** The digest of the run. */
  run: string;
  asker: string;
  /** `packed`, as base64. */
  task: string;
  tries: number;
}

const jobSchema = z.object({
  run: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  asker: z.string().check(z.regex(/^[0-9a-f]{16}$/)),
  task: z.string(),
  tries: z.int().check(z.gte(1), z.lte(TRIES)),
});

/** @throws Error for what is no job */
export const jobOf = (data: unknown): Job => jobSchema.parse(data);

/** An answer, or why there is none: the run could not be opened at all, or this task not be done. */
export type Reply = { id: string } & ({ ms: number; answer: unknown } | { of: 'run' | 'task'; fault: Fault });

export const faultSchema = z.object({
  name: z.string(),
  message: z.string(),
  stack: z.optional(z.string()),
  isInput: z.boolean(),
});
const replySchema = z.union([
  z.object({ id: z.string(), of: z.enum(['run', 'task']), fault: faultSchema }),
  z.object({ id: z.string(), ms: z.number().check(z.gte(0)), answer: z.unknown() }),
]);

export const packedReply = (reply: Reply): Buffer => Buffer.from(packed(reply));

/** @throws Error for what is no reply */
export const replyOf = (bytes: Uint8Array): Reply => replySchema.parse(unpacked(bytes)) as Reply;
