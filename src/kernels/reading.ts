/**
 * The WebAssembly module that reads files: checksums, and checks of stored data. It has 2 KB, and a
 * small memory of its own. Data passes through it in chunks, so it needs no room for a file, and
 * reading needs none of the kernels that answer questions.
 */
import { LITTLE_ENDIAN } from '../math/byte-order.ts';
import { bytesOfModule } from './module-text.ts';
import { CHUNK, CHUNK_BYTES, NOTES } from './reading.as.ts';
import { KERNEL } from './reading.generated.ts';

export interface Reading {
  readonly functions: Readonly<Record<string, (...numbers: number[]) => number>>;
  readonly memory: WebAssembly.Memory;
}

const PAGE = 65536;
/** Fewer bytes are not worth the module: it costs 0.4 ms in a process that reads one file. */
export const WORTH_A_MODULE = 2 ** 15;
/** A memory that has grown beyond this is released after use: it cannot shrink. */
const LARGEST_KEPT = 2 ** 24;
/** Vectors may begin in a chunk and end behind it. */
const MOST_A_CHUNK = CHUNK_BYTES - 16;

let readingOfThread: Reading | null | undefined;

/** This thread's module, compiled at the first call; null where the engine cannot. */
export function reading(): Reading | null {
  if (readingOfThread !== undefined) return readingOfThread;
  readingOfThread = null;
  if (!LITTLE_ENDIAN) return null;
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytesOfModule(KERNEL)), {});
    const { memory, ...functions } = exports as unknown as Reading['functions'] & Pick<Reading, 'memory'>;
    readingOfThread = { memory, functions };
  } catch {
    // Without WebAssembly or its SIMD.
  }
  return readingOfThread;
}

/**
 * Checks a large array by the module. False for a small one, without WebAssembly or memory, and if
 * the check has not proved it.
 *
 * @param noteBytes zeros that it needs from NOTES on
 */
export function isProved(bytes: number, noteBytes: number, check: (reading: Reading) => boolean): boolean {
  const own = bytes >= WORTH_A_MODULE ? reading() : null;
  if (!own) return false;
  const missing = NOTES + noteBytes - own.memory.buffer.byteLength;
  try {
    if (missing > 0) own.memory.grow(Math.ceil(missing / PAGE));
    new Uint8Array(own.memory.buffer, NOTES, noteBytes).fill(0);
    return check(own);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  } finally {
    if (own.memory.buffer.byteLength > LARGEST_KEPT) readingOfThread = undefined;
  }
}

/**
 * Puts an array's elements into the memory from CHUNK on, as many as fit at a time.
 *
 * @param unit bytes of an element
 * @param check is called with the number of the first element and the one after the last; 0 ends it
 */
export function inChunks(
  { memory }: Reading,
  from: ArrayBufferView,
  unit: number,
  check: (first: number, end: number) => number,
): boolean {
  const bytes = new Uint8Array(from.buffer, from.byteOffset, from.byteLength);
  const into = new Uint8Array(memory.buffer, CHUNK, CHUNK_BYTES);
  const count = bytes.length / unit;
  const most = Math.floor(MOST_A_CHUNK / unit);
  for (let first = 0; first < count; first += most) {
    const end = Math.min(count, first + most);
    into.set(bytes.subarray(unit * first, unit * end));
    if (check(first, end) === 0) return false;
  }
  return true;
}
