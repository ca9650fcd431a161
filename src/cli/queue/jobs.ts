/** Defines the data in Redis: names of keys, jobs, and answers. */
import * as z from 'zod/mini';
import { VERSION } from '../../version.ts';
import type { Fault } from '../../work/pool.ts';
import { packed, unpacked } from './wire.ts';

export const PREFIX = 'gicollide';
/** One queue per version, so that versions never answer each other. */
export const QUEUE = VERSION;
/** Attempts at a job that ends its worker or throws. */
export const TRIES = 3;
/** An asker renews its lease this often, and a lease lasts this long. */
export const LEASE_MS = 30_000;
/** Lifetime of answers that are not collected. */
export const ANSWERS_MS = 600_000;

export const keysOf = (asker: string): { lease: string; answers: string } => ({
  lease: `${PREFIX}:asker:${asker}:lease`,
  answers: `${PREFIX}:asker:${asker}:answers`,
});

export interface Job {
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

export const jobOf = (data: unknown): Job => jobSchema.parse(data);

/** An answer, or the reason for none: the run could not be opened, or this task failed. */
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

export const replyOf = (bytes: Uint8Array): Reply => replySchema.parse(unpacked(bytes)) as Reply;
