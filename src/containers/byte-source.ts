/**
 * A file that is read in parts: what of it is asked for, and nothing else.
 *
 * One interface for bytes in memory, a file (the command line's) and a server (http-source.ts), so
 * that what reads a tile here and there does not know where it is from. Reads that are close
 * together become one: what lies between is cheaper to read than another read is to make.
 */
import { FormatError, OptionError } from '../math/errors.ts';
import { requireBytes } from '../math/require.ts';

export interface ByteSource {
  /** Bytes in all. */
  readonly size: number;
  /** Up to how many bytes are read along with others, rather than left out for another read. */
  readonly gap: number;
  /**
   * Whether a read is mostly waiting: then what may be needed soon is read along with what is
   * needed.
   */
  readonly isRemote: boolean;
  /**
   * Exactly `length` bytes from `offset` on, which the caller does not write to. Rejects with
   * InputError when the file cannot be read, has become shorter or another one.
   */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Lets go of the file. */
  close?(): void | Promise<void>;
}

/** A part of a file. */
export interface ByteRange {
  offset: number;
  length: number;
}

/**
 * Bytes that are there already.
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

/** Throws OptionError for a range that is none, FormatError for one that reaches beyond `size`. */
export function requireRange({ offset, length }: ByteRange, size: number): void {
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length < 0) {
    throw new OptionError(`${length} bytes from ${offset}: expected whole numbers from 0`);
  }
  if (offset + length > size) {
    throw new FormatError({ byte: size }, `${length} bytes from byte ${offset}`, 'the end of the file');
  }
}

/** What a source was asked for so far. */
export interface CountedSource extends ByteSource {
  readonly counts: { reads: number; bytes: number };
}

/** The same source, whose reads are counted. */
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

/** No read is made longer than this for the sake of joining. */
const LONGEST_READ = 2 ** 24;
/** Of one batch: what browsers and servers allow. */
const AT_ONCE = 6;

/**
 * Reads several ranges, in their order, with as few reads as `gap` allows, some of them at once.
 *
 * @param ranges in any order; they may touch and overlap
 */
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
      // What is kept must not keep what lies between alive.
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
