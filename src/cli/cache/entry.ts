/**
 * An entry of the cache as bytes: little-endian, what it is first, then facts, then what was built.
 *
 * | byte | holds |
 * |---|---|
 * | 0 | "GICE" |
 * | 4 | u32: the version, 1 |
 * | 8 | u64: bytes of the payload |
 * | 16 | u32: bytes of the facts |
 * | 20 | the key, 32 bytes |
 * | 52 | SHA-256 of bytes 0 to 51, the facts and the payload |
 * | 84 | the facts, an object of JSON; then the payload, up to the file's end |
 *
 * A reader refuses all other versions: an entry can be made anew.
 */
import { constants } from 'node:buffer';
import { createHash } from 'node:crypto';
import { FormatError } from '../../base/errors.ts';
import { parseJson } from '../../base/json-text.ts';
import { CHUNK } from '../inputs/open.ts';

export type Facts = Readonly<Record<string, unknown>>;

/** Bytes before the facts. */
export const FIXED = 84;
export const MAGIC = 'GICE';
const VERSION = 1;
const KEY = 20;
const DIGEST = 52;
const MOST_FACTS = 2 ** 20;

export function headOf(key: string, payload: Uint8Array, facts: Facts): Uint8Array {
  const text = Buffer.from(JSON.stringify(facts));
  if (text.length > MOST_FACTS) throw new RangeError(`facts of ${text.length} bytes: at most ${MOST_FACTS}`);
  const head = Buffer.concat([Buffer.alloc(FIXED), text]);
  head.write(MAGIC, 'latin1');
  head.writeUInt32LE(VERSION, 4);
  head.writeBigUInt64LE(BigInt(payload.length), 8);
  head.writeUInt32LE(text.length, 16);
  head.write(key, KEY, 'hex');
  digestOf(head, payload).copy(head, DIGEST);
  return head;
}

/** @throws FormatError unless it is an entry of this key and length */
export function partsOf(fixed: Buffer, size: number, key: string): { facts: number; payload: number } {
  const magic = fixed.toString('latin1', 0, 4);
  if (magic !== MAGIC) throw new FormatError({ byte: 0 }, JSON.stringify(MAGIC), JSON.stringify(magic));
  if (fixed.length < FIXED) throw new FormatError({ byte: fixed.length }, `${FIXED} bytes`, 'the end of the file');
  const version = fixed.readUInt32LE(4);
  if (version !== VERSION) throw new FormatError({ byte: 4 }, `version ${VERSION}`, String(version));
  const payload = Number(fixed.readBigUInt64LE(8));
  const facts = fixed.readUInt32LE(16);
  if (payload > constants.MAX_LENGTH)
    throw new FormatError({ byte: 8 }, `at most ${constants.MAX_LENGTH} bytes`, String(payload));
  if (facts > MOST_FACTS) throw new FormatError({ byte: 16 }, `at most ${MOST_FACTS} bytes of facts`, String(facts));
  const stated = fixed.toString('hex', KEY, DIGEST);
  if (stated !== key) throw new FormatError({ byte: KEY }, `the key ${key}`, stated);
  const expected = FIXED + facts + payload;
  if (size !== expected) throw new FormatError({ byte: 8 }, `a file of ${expected} bytes`, `${size}`);
  return { facts, payload };
}

/** @throws FormatError if the bytes have changed */
export function factsOf(head: Buffer, payload: Uint8Array): Facts {
  const stated = head.toString('hex', DIGEST, FIXED);
  const found = digestOf(head, payload).toString('hex');
  if (found !== stated) throw new FormatError({ byte: DIGEST }, `content of SHA-256 ${stated}`, found);
  const facts = parseJson(head.toString('utf8', FIXED));
  if (typeof facts === 'object' && facts !== null && !Array.isArray(facts)) return facts as Facts;
  throw new FormatError({ byte: FIXED }, 'an object of JSON', 'another value');
}

function digestOf(head: Buffer, payload: Uint8Array): Buffer {
  const hash = createHash('sha256').update(head.subarray(0, DIGEST)).update(head.subarray(FIXED));
  for (let at = 0; at < payload.length; at += CHUNK) hash.update(payload.subarray(at, at + CHUNK));
  return hash.digest();
}
