/** Defines the data in Redis (names of keys, jobs, and answers), and encodes it. */

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod/mini';
import { VERSION } from '../../version.ts';
import type { Fault } from '../../work/pool.ts';

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

/*
 * Encodes values for other machines: compressed JSON, with marks for values that JSON lacks, so
 * that an answer prints the same bytes everywhere.
 *
 * An object {"$": kind, "of": ...} is a mark. It has a typed array as base64, a set or a map as a
 * list, and -0 or a non-finite number as a word. An object that has a key "$" itself becomes a list
 * of its entries.
 */

/** Maximum bytes of a value before compression. */
const MOST_BYTES = 2 ** 28;

const ARRAYS = { u8: Uint8Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array } as const;
const NUMBERS = new Map([
  ['-0', -0],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['NaN', Number.NaN],
]);

/** @throws RangeError if it does not fit in a string */
export const packed = (value: unknown): Uint8Array => deflateRawSync(JSON.stringify(value, mark), { level: 1 });

export const unpacked = (bytes: Uint8Array): unknown =>
  JSON.parse(inflateRawSync(bytes, { maxOutputLength: MOST_BYTES }).toString('utf8'), unmark);

/** Returns the replacement of a key's value, taken before any toJSON. */
function mark(this: Record<string, unknown>, key: string, written: unknown): unknown {
  const value = this[key];
  if (typeof value === 'number') {
    if (Object.is(value, -0)) return { $: 'number', of: '-0' };
    return Number.isFinite(value) ? value : { $: 'number', of: String(value) };
  }
  if (typeof value !== 'object' || value === null) return written;
  if (value instanceof Set) return { $: 'set', of: [...value] };
  if (value instanceof Map) return { $: 'map', of: [...value] };
  for (const [kind, array] of Object.entries(ARRAYS)) {
    if (value instanceof array)
      return { $: kind, of: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') };
  }
  return Object.hasOwn(value, '$') ? { $: 'object', of: Object.entries(value) } : value;
}

function unmark(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, '$')) return value;
  const { $: kind, of } = value as { $: unknown; of: unknown };
  if (kind === 'number' && NUMBERS.has(of as string)) return NUMBERS.get(of as string);
  if (kind === 'set' && Array.isArray(of)) return new Set(of);
  if (kind === 'map' && Array.isArray(of)) return new Map(of);
  if (kind === 'object' && Array.isArray(of)) return Object.fromEntries(of);
  if (typeof of === 'string' && typeof kind === 'string' && Object.hasOwn(ARRAYS, kind))
    return arrayOf(kind as keyof typeof ARRAYS, of);
  throw new Error(`expected a mark, found ${JSON.stringify(kind)}`);
}

function arrayOf(kind: keyof typeof ARRAYS, text: string): Uint8Array | Uint32Array | Float32Array | Float64Array {
  // An own buffer, aligned for every type of array.
  const { buffer, byteLength } = Uint8Array.from(Buffer.from(text, 'base64'));
  const array = ARRAYS[kind];
  if (byteLength % array.BYTES_PER_ELEMENT !== 0)
    throw new Error(`expected an array of ${kind}, found ${byteLength} bytes`);
  return new array(buffer);
}
