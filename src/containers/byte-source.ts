/**
 * A file that is read in parts.
 *
 * One interface for bytes in memory, a file (the command line's) and a server (http-source.ts).
 * Reads that are close together become one: reading the bytes between is cheaper than another read.
 */
import { FormatError, OptionError } from '../base/errors.ts';
import { requireBytes } from '../base/require.ts';

/** A file that is read in parts; `memorySource` and `httpSource` make some. */
export interface ByteSource {
  /** The file's size in bytes. */
  readonly size: number;
  /** Largest gap, in bytes, that is read along rather than left for another read. */
  readonly gap: number;
  /** True if a read is mostly waiting. Then bytes that may be needed soon are read, too. */
  readonly isRemote: boolean;
  /**
   * Reads exactly `length` bytes from `offset` on, which the caller must not change. Rejects with
   * InputError if the file cannot be read, has become shorter or another one.
   */
  read(offset: number, length: number): Promise<Uint8Array>;
  close?(): void | Promise<void>;
}

export interface ByteRange {
  offset: number;
  length: number;
}

/**
 * Makes a source of bytes in memory.
 *
 * @example const source = memorySource(Uint8Array.of(0x49, 0x49, 42, 0));
 *          (await source.read(2, 1))[0] // 42
 */
export function memorySource(bytes: Uint8Array): ByteSource {
  requireBytes(bytes);
  return {
    size: bytes.length,
    gap: 0,
    isRemote: false,
    async read(offset, length) {
      requireRange({ offset, length }, bytes.length);
      return bytes.subarray(offset, offset + length);
    },
  };
}

/** Throws OptionError for an invalid range, FormatError for one that reaches beyond `size`. */
export function requireRange({ offset, length }: ByteRange, size: number): void {
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length < 0) {
    throw new OptionError(`${length} bytes from ${offset}: expected whole numbers from 0`);
  }
  if (offset + length > size) {
    throw new FormatError({ byte: size }, `${length} bytes from byte ${offset}`, 'the end of the file');
  }
}

interface CountedSource extends ByteSource {
  readonly counts: { reads: number; bytes: number };
}

export function countReads(source: ByteSource): CountedSource {
  const counts = { reads: 0, bytes: 0 };
  return {
    size: source.size,
    gap: source.gap,
    isRemote: source.isRemote,
    counts,
    read(offset, length) {
      counts.reads++;
      counts.bytes += length;
      return source.read(offset, length);
    },
    close: () => source.close?.(),
  };
}

const LONGEST_READ = 2 ** 24;
/** Concurrent reads of one batch: the usual limit of browsers and servers. */
const AT_ONCE = 6;

/** Reads ranges, in any order, with as few reads as `gap` allows, some concurrently. */
export async function readRanges(source: ByteSource, ranges: readonly ByteRange[]): Promise<Uint8Array[]> {
  const order = ranges.map((_, i) => i).sort((i, k) => ranges[i].offset - ranges[k].offset);
  const reads: (ByteRange & { members: number[] })[] = [];
  for (const i of order) {
    const { offset, length } = ranges[i];
    const last = reads.at(-1);
    const end = offset + length;
    if (last && offset <= last.offset + last.length + source.gap && end - last.offset <= LONGEST_READ) {
      last.length = Math.max(last.length, end - last.offset);
      last.members.push(i);
    } else reads.push({ offset, length, members: [i] });
  }
  const parts = new Array<Uint8Array>(ranges.length);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < reads.length) {
      const { offset, length, members } = reads[next++];
      const bytes = await source.read(offset, length);
      // The kept bytes must not keep the gaps alive.
      for (const i of members) {
        const from = ranges[i].offset - offset;
        const part = bytes.subarray(from, from + ranges[i].length);
        parts[i] = members.length === 1 ? part : part.slice();
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, reads.length) }, work));
  return parts;
}
