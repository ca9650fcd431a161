/**
 * Opens inputs: reads files, whole or in parts, and pipes and devices whole. Each is opened once.
 *
 * `openNamed` is the only function that opens a file which another file references. That file may
 * be anything, so test/floors.test.ts holds all of src to this. `openInput` is for files that the
 * user names.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, read, readSync, type Stats, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { A_POINTER, FormatError, InputError, isPointer, LONGEST_POINTER, pointedDigest } from '../../base/errors.ts';
import { type ByteSource, requireRange } from '../../containers/byte-source.ts';
import type { Session } from '../session.ts';
import {
  ANYWHERE,
  explain,
  identityOf,
  isMissing,
  isStream,
  isWithin,
  kindOf,
  type NamedPlace,
  nounOf,
  STDIN,
  STDIN_NAME,
} from './name.ts';

/** Bytes per read or write call: Node refuses 2 GiB and more. */
export const CHUNK = 1 << 30;

/** A page of the file system's cache is read faster than a call returns. */
const GAP = 2 ** 12;
/** Maximum bytes of a pipe or a device unless --max-bytes is given, since some never end. */
const MOST_STREAMED = 2 ** 31;
const FIRST_ROOM = 2 ** 16;

export interface Input {
  readonly path: string;
  /** Null unless a regular file. Pipes stay untouched until `bytes`: their writer would notice. */
  readonly source: ByteSource | null;
  /** Returns all bytes, once; then the input is closed. */
  bytes(): Uint8Array;
}

export interface OpenOptions {
  /** For pipes and devices only; regular files are read whole. */
  maxBytes?: number;
  name?: string;
}

export interface NamedOptions extends NamedPlace {
  /** Value of --max-bytes: the largest file that is opened, 2 GiB unless given. */
  maxBytes?: number | undefined;
  /** The largest file of its kind, whatever --max-bytes is. */
  largest?: number;
}

export const MOST_NAMED = 2 ** 31;
/** Refuses links, since paths are resolved; does not wait for pipes. Windows has neither flag. */
const READ_NAMED = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a referenced file.
 *
 * @returns its descriptor, which the caller closes
 * @throws InputError unless it is a regular file within the size limits and in its allowed place
 */
export function openNamed(path: string, options: NamedOptions): number {
  const { maxBytes = MOST_NAMED, largest = Number.POSITIVE_INFINITY } = options;
  // Links are resolved once, so the opened file is the checked one.
  const real = identityOf(path);
  if (!isWithin(real, options))
    throw new InputError(`${path}: is outside ${options.called}; --allow-outside allows it`);
  try {
    // Checked by the path, since pipes of a shell have no real one.
    requireRegular(path, statSync(path));
    const file = openSync(real, READ_NAMED);
    try {
      const stat = fstatSync(file);
      requireRegular(path, stat);
      if (stat.size > Math.min(maxBytes, largest)) {
        const advice = maxBytes < largest ? '; --max-bytes raises the limit' : '';
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

type FileInput = Input & { readonly source: ByteSource };

export const namedInput = (path: string, options: NamedOptions): FileInput =>
  inputOf(path, openNamed(path, options), () => new Uint8Array(0));

/** Refuses files that `openNamed` refuses, unless the file is missing. */
export function requireNamed(path: string, options: NamedOptions): void {
  if (!isMissing(path)) closeSync(openNamed(path, options));
}

export const readNamed = (path: string, options: NamedOptions): Uint8Array => namedInput(path, options).bytes();

/** Like `readNamed`, concurrently with other reads. */
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
 * Opens stdin or a regular file. The file stays the same if another one replaces it. A file that is
 * overwritten while its parts are read is refused.
 */
export function openInput(path: string, { maxBytes, name = STDIN_NAME }: OpenOptions = {}): Input {
  if (path === STDIN) return { path, source: null, bytes: () => readStream(name, 0, maxBytes) };
  if (kindOf(path) !== 'file') return { path, source: null, bytes: () => streamed(path, maxBytes) };
  // System files, as in /proc, have size 0 but contain bytes.
  return inputOf(path, descriptorOf(path), (file) => readStream(path, file, maxBytes));
}

/** @param ofNoSize reads a file whose size is 0 */
function inputOf(path: string, opened: number, ofNoSize: (file: number) => Uint8Array): FileInput {
  let file = opened;
  const close = (): void => {
    if (file >= 0) closeSync(file);
    file = -1;
  };
  const stat = fstatSync(file);
  const { size, mtimeMs } = stat;
  requireNoPointer(path, file, size);
  const source: ByteSource = {
    size,
    gap: GAP,
    isRemote: false,
    async read(offset, length) {
      requireRange({ offset, length }, size);
      const bytes = readPart(path, file, offset, length);
      const now = fstatSync(file);
      if (now.size !== size || now.mtimeMs !== mtimeMs) {
        throw new InputError(`${path}: the file has changed since it was opened`);
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

const pointerIn = (path: string): InputError => new InputError(`${path}: expected the file, found ${A_POINTER}`);

/** Closes and refuses an open file that is a Git LFS pointer. */
export function requireNoPointer(path: string, file: number, size: number): void {
  if (size >= LONGEST_POINTER || !isPointer(readPart(path, file, 0, size))) return;
  closeSync(file);
  throw pointerIn(path);
}

/** The SHA-256 that a Git LFS pointer gives of its file; null for other files. */
export function digestByPointer(path: string, options: NamedOptions): string | null {
  const file = openNamed(path, options);
  try {
    const { size } = fstatSync(file);
    return size < LONGEST_POINTER ? pointedDigest(readPart(path, file, 0, size)) : null;
  } finally {
    closeSync(file);
  }
}

function descriptorOf(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw explain(path, error);
  }
}

function streamed(path: string, maxBytes?: number): Uint8Array {
  // A socket, which some programs give their children as stdin, cannot be opened by this name.
  if (path === '/dev/stdin') return readStream(path, 0, maxBytes);
  const file = descriptorOf(path);
  try {
    return readStream(path, file, maxBytes);
  } finally {
    closeSync(file);
  }
}

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

/** Reads all bytes; allocates at most twice as many as have come. */
function readStream(path: string, file: number, most = MOST_STREAMED): Uint8Array {
  let bytes: Uint8Array = new Uint8Array(FIRST_ROOM);
  let at = 0;
  for (;;) {
    const read = readSome(path, file, bytes, at);
    if (read === 0) {
      if (at < LONGEST_POINTER && isPointer(bytes.subarray(0, at))) throw pointerIn(path);
      return bytes.subarray(0, at);
    }
    at += read;
    if (at > most) {
      throw new InputError(`${path}: expected at most ${most} bytes, found more; --max-bytes raises the limit`);
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
      // The pipe was opened in non-blocking mode, but this program waits.
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

/** Opens an input, which the user names, or another file if the session has `named`. */
export function openGiven(file: string, { global, named, held, opened }: Session): Input {
  opened?.(file);
  const bytes = held?.get(file);
  if (bytes) return { path: file, source: null, bytes: () => bytes };
  return named ? namedInput(file, { ...named, maxBytes: global.maxBytes }) : openInput(file, global);
}

export const readWhole = (file: string, session: Session): Uint8Array => openGiven(file, session).bytes();

/** Reads pipes now, once for all users. */
export function holding(files: readonly string[], session: Session): Session {
  const streams = [...new Set(files)].filter(isStream);
  return { ...session, held: new Map(streams.map((file) => [file, readWhole(file, session)])) };
}

const PIECE = 2 ** 20;

let piece: Uint8Array | undefined;

/** Returns a regular file's SHA-256 in hexadecimal digits. */
export function fileDigest(path: string, place: NamedPlace = ANYWHERE): string {
  piece ??= new Uint8Array(PIECE);
  const file = openNamed(path, { ...place, maxBytes: Number.POSITIVE_INFINITY });
  try {
    const hash = createHash('sha256');
    for (let read = 1; read > 0; hash.update(piece.subarray(0, read))) read = readSync(file, piece, 0, PIECE, null);
    return hash.digest('hex');
  } catch (error) {
    throw explain(path, error);
  } finally {
    closeSync(file);
  }
}
