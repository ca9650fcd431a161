/**
 * Caches builds by a digest of everything they depend on, in a folder that it locates and marks.
 * Any number of processes can share it, and its failures never stop a build.
 *
 * An entry is the file `ab/cdef...entry`, named by its key. It is written under a temporary name
 * and renamed, so readers see only whole entries. Its modification time is its last use, to a day,
 * for `prune`.
 */
import { constants, lstatSync, statSync } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, posix, win32 } from 'node:path';
import { FormatError, InputError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { replaceWhole } from '../atomic-write.ts';
import { codeOf, explain, identityOf, kindOf, placeIn } from '../inputs/name.ts';
import { CHUNK, readNamed } from '../inputs/open.ts';
import type { Log } from '../terminal.ts';
import { type Facts, FIXED, factsOf, headOf, partsOf } from './entry.ts';

interface CachedBuild {
  /** An own array, from the start of a buffer. */
  bytes: Uint8Array<ArrayBuffer>;
  facts: Facts;
}

export interface BuildCache {
  readonly folder: string;
  /** Returns null for a missing or damaged build. @param key 64 lower-case hexadecimal digits */
  get(key: string): Promise<CachedBuild | null>;
  put(key: string, bytes: Uint8Array, facts: Facts): Promise<void>;
}

/**
 * Opens the cache, and creates its folder if needed.
 *
 * @returns null if no cache is possible: one line says why, a warning if the folder was named
 */
export async function openCache(options: { folder?: string | undefined; log: Log }): Promise<BuildCache | null> {
  const { log } = options;
  const place = placeOf(options.folder);
  if (place === null) {
    log.info('no cache: this system names no folder for caches; --cache-dir names one');
    return null;
  }
  const { folder, isNamed } = place;
  try {
    if (!isCache(folder)) await begin(folder);
  } catch (error) {
    log[isNamed ? 'warn' : 'info'](`no cache: ${messageOf(folder, error)}`);
    return null;
  }
  const warned = new Set<string>();
  const warnOnce = (line: string, kind: string): void => {
    if (!warned.has(kind)) log.warn(line);
    warned.add(kind);
  };
  return { folder, get: reader(folder, log, warnOnce), put: writer(folder, warnOnce) };
}

/** Makes a folder a cache. A read-only folder is used as it is. */
async function begin(folder: string): Promise<void> {
  try {
    await replaceWhole(join(folder, MARKER), [Buffer.from(MARK)]);
  } catch (error) {
    if (kindOf(folder) !== 'folder') throw error;
  }
}

type WarnOnce = (line: string, kind: string) => void;

function pathOf(folder: string, key: string): string {
  if (!/^[0-9a-f]{64}$/.test(key))
    throw new RangeError(`a key of the cache: expected 64 hexadecimal digits, found ${key}`);
  return join(folder, key.slice(0, 2), `${key.slice(2)}.entry`);
}

const messageOf = (path: string, error: unknown): string => explain(path, error).message;
const errnoOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

// ------------------------------------------------------------------------------------------ get

/** Follows no link, and does not wait for a pipe's writer. Windows has neither flag. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

function reader(folder: string, log: Log, warnOnce: WarnOnce): BuildCache['get'] {
  return async (key) => {
    const path = pathOf(folder, key);
    try {
      requireOwnFolder(dirname(path));
      return await readEntry(path, key);
    } catch (error) {
      if (error instanceof FormatError) {
        log.warn(`${error.describe(path)}; it is built again`);
        await unlink(path).catch(() => {}); // of a cache that may be changed
      } else if (errnoOf(error) !== 'ENOENT') {
        warnOnce(`the cache cannot be read: ${messageOf(path, error)}`, `read ${errnoOf(error)}`);
      }
      return null;
    }
  };
}

async function readEntry(path: string, key: string): Promise<CachedBuild> {
  const file = await open(path, READ).catch((error) => {
    throw errnoOf(error) === 'ELOOP' ? new FormatError(null, 'an entry', 'a link') : error;
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new FormatError(null, 'an entry', stat.isDirectory() ? 'a folder' : 'a device');
    const fixed = await readPart(file, 0, Math.min(FIXED, stat.size));
    const { facts, payload } = partsOf(fixed, stat.size, key);
    const head = await readPart(file, 0, FIXED + facts);
    const bytes = await readPart(file, FIXED + facts, payload);
    const found = { bytes, facts: factsOf(head, bytes) };
    await markUse(file, stat.mtimeMs);
    return found;
  } finally {
    await file.close();
  }
}

async function readPart(file: FileHandle, offset: number, length: number): Promise<Buffer<ArrayBuffer>> {
  // Not from Node's pool: trees are typed arrays on these bytes, which must be aligned.
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(bytes, at, Math.min(CHUNK, length - at), offset + at);
    if (bytesRead === 0)
      throw new FormatError({ byte: offset + at }, `${length - at} more bytes`, 'the end of the file');
    at += bytesRead;
  }
  return bytes;
}

/** Milliseconds within which an entry's use is recorded once. */
const DAY = 24 * 3600 * 1000;

/** Records the use for `prune`, which removes the least recently used first. May fail. */
async function markUse(file: FileHandle, last: number): Promise<void> {
  const now = Date.now();
  if (Math.abs(now - last) < DAY) return;
  await file.utimes(new Date(now), new Date(now)).catch(() => {});
}

/** @throws if the folder of some entries is a link, since it would lead out of the cache */
function requireOwnFolder(folder: string): void {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (stat && !stat.isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
}

// ------------------------------------------------------------------------------------------ put

/** Errors after which nothing can be written. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);
/** Attempts to recreate a folder that a concurrent prune removed. */
const TRIES = 3;

function writer(folder: string, warnOnce: WarnOnce): BuildCache['put'] {
  let isFull = false;
  return async (key, bytes, facts) => {
    if (isFull) return;
    const path = pathOf(folder, key);
    const head = headOf(key, bytes, facts);
    for (let tries = TRIES; tries > 0; tries--) {
      try {
        requireOwnFolder(dirname(path));
        return await replaceWhole(path, [head, bytes]);
      } catch (error) {
        if (errnoOf(error) === 'ENOENT' && tries > 1) continue;
        isFull = FULL.has(errnoOf(error));
        return warnOnce(`the cache cannot be written: ${messageOf(path, error)}`, `write ${errnoOf(error)}`);
      }
    }
  };
}

/** A folder; `isNamed` if it was named for this program. */
export interface Place {
  folder: string;
  isNamed: boolean;
}

interface System {
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  home: string | null;
}

/** Returns the named folder, else GICOLLIDE_CACHE_DIR, else the user's; null if there is none. */
export function placeOf(asked: string | undefined, system = thisSystem()): Place | null {
  const { env, platform, home } = system;
  const named = asked ?? (env.GICOLLIDE_CACHE_DIR || undefined);
  if (named !== undefined) return { folder: identityOf(named), isNamed: true };
  const { isAbsolute, join } = platform === 'win32' ? win32 : posix;
  // XDG's own rule: ignore a path that is not absolute.
  const usable = (path: string | null | undefined): path is string => !!path && isAbsolute(path);
  const place = (...parts: string[]): Place => ({ folder: join(...parts), isNamed: false });
  if (usable(env.XDG_CACHE_HOME)) return place(env.XDG_CACHE_HOME, 'gicollide');
  if (platform === 'win32') return usable(env.LOCALAPPDATA) ? place(env.LOCALAPPDATA, 'gicollide', 'cache') : null;
  if (!usable(home)) return null;
  return platform === 'darwin' ? place(home, 'Library', 'Caches', 'gicollide') : place(home, '.cache', 'gicollide');
}

function thisSystem(): System {
  const { env, platform } = process;
  try {
    return { env, platform, home: homedir() };
  } catch {
    return { env, platform, home: null }; // a user whom the system does not know
  }
}

/** The file that marks a folder as a cache and names its layout. */
export const MARKER = 'gicollide-cache.json';
export const MARK = `${JSON.stringify({ gicollide: 'cache/1' })}\n`;

const LARGEST_MARKER = 4096;

/** @throws InputError for a marker of another layout, and if the folder cannot be read */
export function isCache(folder: string): boolean {
  const marker = join(folder, MARKER);
  let text: string;
  try {
    if (!statSync(folder).isDirectory()) throw new InputError(`${folder}: expected a folder, found a file`);
    text = new TextDecoder().decode(readNamed(marker, { ...placeIn(folder, 'its folder'), largest: LARGEST_MARKER }));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw explain(marker, error);
  }
  if (text.trim() === MARK.trim()) return true;
  throw new InputError(`${marker}: expected ${MARK.trim()}, found ${printable(JSON.stringify(text.slice(0, 60)))}`);
}
