/**
 * What is read: a file, whole or in parts, or all that a pipe or a device gives. Each is opened
 * once.
 *
 * `openNamed` is the only function that opens a file which another file names, and which may be
 * anything: test/floors.test.ts holds all of src to it. `openInput` is for what a person names.
 */
import { closeSync, constants, fstatSync, openSync, read, readSync, type Stats, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { type ByteSource, requireRange } from '../containers/byte-source.ts';
import { FormatError, InputError } from '../math/errors.ts';
import { CHUNK, explain, identityOf, isMissing, kindOf, liesBelow, nounOf, STDIN, STDIN_NAME } from './files.ts';

/** A page of the file system's cache is read in less time than a call takes. */
const GAP = 2 ** 12;
/** Bytes of a pipe or a device, unless --max-bytes says otherwise: some never end. */
const MOST_STREAMED = 2 ** 31;
/** Bytes that there is room for before any have come. */
const FIRST_ROOM = 2 ** 16;

/** An input that is opened once. */
export interface Input {
  readonly path: string;
  /**
   * A regular file's parts; null of anything else, which is not touched before `bytes`, since its
   * writer would notice.
   */
  readonly source: ByteSource | null;
  /** All bytes, once; then it is closed. */
  bytes(): Uint8Array;
}

export interface OpenOptions {
  /** Of a pipe or a device; a regular file has as many as it has. */
  maxBytes?: number;
  /** What stdin is called. */
  name?: string;
}

/** Where a file may lie that another file names. */
export interface NamedPlace {
  /** In one of these folders or below, also by where links lead; null: anywhere. */
  folders: readonly string[] | null;
  /** What these are called. */
  called: string;
}

export interface OutsideOption {
  /** True if files that other files name may lie anywhere. */
  allowOutside?: boolean | undefined;
}

/** For files that must be regular, and may lie anywhere. */
export const ANYWHERE: NamedPlace = { folders: null, called: '' };

/** One folder; any place if `allowOutside`. */
export const placeIn = (folder: string, called: string, { allowOutside }: OutsideOption = {}): NamedPlace => ({
  folders: allowOutside ? null : [folder],
  called,
});

/** Whether a file lies where it may, also by where links lead. */
export const isWithin = (path: string, { folders }: NamedPlace): boolean =>
  folders === null || folders.some((folder) => liesBelow(path, folder));

export interface NamedOptions extends NamedPlace {
  /** What --max-bytes says: the largest that is opened, 2 GiB unless given. */
  maxBytes?: number | undefined;
  /** The largest of its kind, whatever --max-bytes says. */
  largest?: number;
}

/** Bytes of a file that another file names, at most. */
export const MOST_NAMED = 2 ** 31;
/** Follows no link, since the path has none; waits for no writer of a pipe. Windows has neither. */
const READ_NAMED = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file that another file names.
 *
 * @returns its descriptor, which the caller closes
 * @throws InputError unless it is a regular file, of at most so many bytes, where it may lie
 */
export function openNamed(path: string, options: NamedOptions): number {
  const { maxBytes = MOST_NAMED, largest = Number.POSITIVE_INFINITY } = options;
  // Links are followed once: the file that is opened is the one that was looked at.
  const real = identityOf(path);
  if (!isWithin(real, options))
    throw new InputError(`${path}: lies outside ${options.called}; --allow-outside reads it`);
  try {
    // By the path: pipes of a shell have no real one.
    requireRegular(path, statSync(path));
    const file = openSync(real, READ_NAMED);
    try {
      const stat = fstatSync(file);
      requireRegular(path, stat);
      if (stat.size > Math.min(maxBytes, largest)) {
        const advice = maxBytes < largest ? ': --max-bytes takes another limit' : '';
        throw new InputError(
          `${path}: expected at most ${Math.min(maxBytes, largest)} bytes, found ${stat.size}${advice}`,
        );
      }
      return file;
    } catch (error) {
      closeSync(file);
      throw error;
    }
  } catch (error) {
    throw explain(path, error);
  }
}

function requireRegular(path: string, stat: Stats): void {
  if (stat.isDirectory()) throw new InputError(`${path}: it is a folder`);
  if (!stat.isFile()) throw new InputError(`${path}: expected a file, found ${nounOf(stat)}`);
}

/** A regular file that was opened. */
type FileInput = Input & { readonly source: ByteSource };

/** A file that another file names, as an input. @throws InputError as `openNamed` */
export const namedInput = (path: string, options: NamedOptions): FileInput =>
  inputOf(path, openNamed(path, options), () => new Uint8Array(0));

/** Refuses what `openNamed` refuses, unless nothing is there. @throws InputError as `openNamed` */
export function requireNamed(path: string, options: NamedOptions): void {
  if (!isMissing(path)) closeSync(openNamed(path, options));
}

/** All bytes of a file that another file names. @throws InputError as `openNamed` */
export const readNamed = (path: string, options: NamedOptions): Uint8Array => namedInput(path, options).bytes();

/** Likewise, while others are read. */
export async function readNamedLater(path: string, options: NamedOptions): Promise<Uint8Array> {
  const file = openNamed(path, options);
  try {
    const bytes = roomFor(path, fstatSync(file).size);
    let at = 0;
    while (at < bytes.length) {
      const { bytesRead } = await readLater(file, bytes, at, Math.min(CHUNK, bytes.length - at), at);
      if (bytesRead === 0) break;
      at += bytesRead;
    }
    return bytes.subarray(0, at);
  } catch (error) {
    throw explain(path, error);
  } finally {
    closeSync(file);
  }
}

const readLater = promisify(read);

/**
 * Opens stdin, or a regular file, which stays the same when another one takes its name. One that is written
 * over while its parts are read is refused.
 *
 * @throws InputError where it may not be read
 */
export function openInput(path: string, { maxBytes, name = STDIN_NAME }: OpenOptions = {}): Input {
  if (path === STDIN) return { path, source: null, bytes: () => readStream(name, 0, maxBytes) };
  if (kindOf(path) !== 'file') return { path, source: null, bytes: () => streamed(path, maxBytes) };
  // Files of the system's own, as in /proc, have no size and yet bytes.
  return inputOf(path, opened(path), (file) => readStream(path, file, maxBytes));
}

/** @param ofNoSize reads what a file without a size gives */
function inputOf(path: string, opened: number, ofNoSize: (file: number) => Uint8Array): FileInput {
  let file = opened;
  const close = (): void => {
    if (file >= 0) closeSync(file);
    file = -1;
  };
  const stat = fstatSync(file);
  const { size, mtimeMs } = stat;
  const source: ByteSource = {
    size,
    gap: GAP,
    isRemote: false,
    async read(offset, length) {
      requireRange({ offset, length }, size);
      const bytes = readPart(path, file, offset, length);
      const now = fstatSync(file);
      if (now.size !== size || now.mtimeMs !== mtimeMs) {
        throw new InputError(`${path}: expected the file that was opened, found that it has changed since`);
      }
      const missing = length - bytes.length;
      if (missing > 0)
        throw new FormatError({ byte: offset + bytes.length }, `${missing} more bytes`, 'the end of the file');
      return bytes;
    },
    close,
  };
  const bytes = (): Uint8Array => {
    try {
      return size === 0 ? ofNoSize(file) : readPart(path, file, 0, size);
    } finally {
      close();
    }
  };
  return { path, source, bytes };
}

function opened(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw explain(path, error);
  }
}

function streamed(path: string, maxBytes?: number): Uint8Array {
  // A socket, as some programs give their children, cannot be opened by this name.
  if (path === '/dev/stdin') return readStream(path, 0, maxBytes);
  const file = opened(path);
  try {
    return readStream(path, file, maxBytes);
  } finally {
    closeSync(file);
  }
}

/** `length` bytes from `offset` on, or as many as there are. */
function readPart(path: string, file: number, offset: number, length: number): Uint8Array {
  const bytes = roomFor(path, length);
  let at = 0;
  try {
    while (at < length) {
      const read = readSync(file, bytes, at, Math.min(CHUNK, length - at), offset + at);
      if (read === 0) break;
      at += read;
    }
  } catch (error) {
    throw explain(path, error);
  }
  return bytes.subarray(0, at);
}

/** All that comes; no room is made for more than twice as much as has come. */
function readStream(path: string, file: number, most = MOST_STREAMED): Uint8Array {
  let bytes: Uint8Array = new Uint8Array(FIRST_ROOM);
  let at = 0;
  for (;;) {
    const read = readSome(path, file, bytes, at);
    if (read === 0) return bytes.subarray(0, at);
    at += read;
    if (at > most) {
      throw new InputError(`${path}: expected at most ${most} bytes, found more: --max-bytes takes another limit`);
    }
    if (at < bytes.length) continue;
    const more = roomFor(path, Math.min(2 * at, most + 1));
    more.set(bytes);
    bytes = more;
  }
}

/** Waits for the next bytes; 0 at the end. */
function readSome(path: string, file: number, into: Uint8Array, at: number): number {
  for (;;) {
    try {
      return readSync(file, into, at, Math.min(CHUNK, into.length - at), null);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') return 0; // Windows, of a pipe
      if (code !== 'EAGAIN') throw explain(path, error);
      // Whoever gave us this end of the pipe does not want to wait; we do.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

function roomFor(path: string, length: number): Uint8Array {
  try {
    return new Uint8Array(length);
  } catch {
    throw new InputError(`${path}: expected a file that fits into memory, found ${length} bytes`);
  }
}
