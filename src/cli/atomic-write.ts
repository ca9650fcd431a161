/**
 * Writes files whole or not at all: readers, interrupts, full disks and power cuts never leave half
 * a file. `rewriteWhole` also serializes runs that change the same file.
 */
import { createHash } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { InputError } from '../base/errors.ts';
import { once } from '../base/require.ts';
import { explain, identityOf, kindOf } from './inputs/name.ts';
import { CHUNK } from './inputs/open.ts';

/** A file's content in pieces; text is UTF-8. */
type Pieces = AsyncIterable<string | Uint8Array>;

/**
 * Writes a file under a temporary name in the same folder, then renames it. Creates the folder, and
 * follows a link to its file. A device or a pipe is written directly, since a rename would replace
 * it by a file. The bytes are on the disk before the name points at them. Leftovers of killed runs
 * of this host in the folder are removed.
 *
 * An interrupt waits until bytes are written. It ends a file of pieces, since a piece may take
 * long.
 *
 * @param bytes the content, or pieces that are written as they come
 * @param requireStill called before the file gets its name: if it throws, the old file stays
 * @throws InputError if that fails; the old file is then unchanged
 */
export async function writeWhole(
  path: string,
  bytes: Uint8Array | Pieces,
  requireStill: () => void = () => {},
): Promise<void> {
  const target = identityOf(path);
  await holdInterrupts(async () => {
    try {
      const pieces = bytes instanceof Uint8Array ? [bytes] : bytes;
      if (kindOf(path) === 'device') {
        await writePieces(openSync(path, 'w'), pieces);
        return;
      }
      await replaceFile(target, pieces, (file) => {
        flush(file);
        requireStill();
      });
      flushFolder(dirname(target));
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ENOENT'
        ? new InputError(`${path}: ${NO_FOLDER}`, { cause: error })
        : explain(path, error);
    }
  });
}

/** Like `writeWhole`, for files to recreate: doesn't wait for the disk, and replaces a link. */
export const replaceWhole = (path: string, pieces: readonly Uint8Array[]): Promise<void> =>
  holdInterrupts(() => replaceFile(path, pieces));

/**
 * Reports errors of the name before the work, as far as possible without writing: no folder in the
 * path, a name that is too long, a read-only folder or device.
 */
export function requireWritable(path: string): void {
  const target = identityOf(path);
  try {
    if (kindOf(path) === 'device') {
      accessSync(path, constants.W_OK);
      return;
    }
    // Missing folders are created in the last existing one.
    statSync(target, { throwIfNoEntry: false });
    let folder = dirname(target);
    while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
    if (kindOf(folder) !== 'folder') throw Object.assign(new Error(), { code: 'ENOTDIR' });
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw explain(path, error);
  }
}

const NO_FOLDER = 'cannot be written there: its folder does not exist and cannot be made';

/** Refuses another format's extension. A device may have any name, and a name no extension. */
export function requireEnding(path: string, endings: readonly string[], format: string): void {
  const own = extname(path).toLowerCase();
  if (own === '' || endings.includes(own) || kindOf(path) === 'device') return;
  throw new InputError(`${path}: expected a name that ends with ${endings[0]} for ${format}, found ${own}`);
}

/** @param settle called with the file before it gets its name */
async function replaceFile(
  target: string,
  pieces: Iterable<Uint8Array> | Pieces,
  settle: (file: number) => void = () => {},
): Promise<void> {
  const folder = dirname(target);
  makeFolder(folder);
  removeLeftovers(folder);
  const temporary = join(folder, temporaryName());
  const file = openSync(temporary, 'wx');
  try {
    await writePieces(file, pieces, settle);
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

async function writePieces(
  file: number,
  pieces: Iterable<Uint8Array> | Pieces,
  settle: (file: number) => void = () => {},
): Promise<void> {
  try {
    for await (const piece of pieces) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, Math.min(CHUNK, bytes.length - at));
      if (Symbol.asyncIterator in pieces) await endOnInterrupt();
    }
    settle(file);
  } finally {
    closeSync(file);
  }
}

/** Some file systems refuse to flush a folder, or anything; some systems do not open folders. */
const CANNOT_FLUSH = new Set(['EINVAL', 'ENOTSUP', 'ENOSYS', 'EISDIR', 'EPERM', 'EACCES', 'EBADF']);

function flush(file: number): void {
  try {
    fsyncSync(file);
  } catch (error) {
    if (!CANNOT_FLUSH.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

function flushFolder(folder: string): void {
  const file = tried(() => openSync(folder, 'r'));
  if (file === undefined) return;
  try {
    flush(file);
  } finally {
    closeSync(file);
  }
}

// ------------------------------------------------------------------------------------- temporary files

/** Names of `temporaryName`: the writer's host and process, and a random number. */
const TEMPORARY = /^\.gicollide-([0-9a-f]{12})-(\d+)-[0-9a-f]{12}\.tmp$/;

export const isTemporary = (path: string): boolean => TEMPORARY.test(basename(path)) || LOCK.test(basename(path));

function temporaryName(): string {
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(6))).toString('hex');
  return `.gicollide-${host()}-${process.pid}-${random}.tmp`;
}

/**
 * Returns a digest of the scope of process numbers. Containers on one machine may share its name
 * and a folder, but number their processes separately, so the name space counts too.
 */
const host = once(() =>
  createHash('sha256')
    .update(hostname())
    .update(tried(() => readFileSync('/etc/machine-id', 'utf8')) ?? '')
    .update(tried(() => String(statSync('/proc/self/ns/pid').ino)) ?? '')
    .digest('hex')
    .slice(0, 12),
);

/** Returns the result of `work`; undefined if the system refuses. */
function tried<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

const cleared = new Set<string>();

/** Removes temporary files of this host's dead processes; once per run, as folders may be long. */
function removeLeftovers(folder: string): void {
  if (cleared.has(folder)) return;
  cleared.add(folder);
  for (const name of tried(() => readdirSync(folder)) ?? []) {
    if (isLeftover(name, 0)) tried(() => rmSync(join(folder, name), { force: true, recursive: true }));
  }
}

/** Age in milliseconds after which a temporary file of another host counts as abandoned. */
const LONGEST_WRITE = 24 * 3600 * 1000;

/** True for a temporary file whose writer is dead. @param age milliseconds since the last write */
export function isLeftover(name: string, age: number): boolean {
  const [, writer, id] = TEMPORARY.exec(name) ?? [];
  if (writer === undefined) return false;
  return writer === host() ? !isAlive(Number(id)) : age > LONGEST_WRITE;
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // Another user's process may not be signaled, and lives.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

// ------------------------------------------------------------------------------------------- locks

/** Names of locks, with a digest of the locked file's name. */
const LOCK = /^\.gicollide-[0-9a-f]{12}\.lock$/;

/** Milliseconds after which a lock whose owner may be on another host counts as abandoned. */
const LONGEST_HOLD = 5000;

/** Milliseconds to wait for one owner that is alive. */
const LONGEST_WAIT = 60_000;

/** Errors if the new name is a folder that contains a file. */
const IS_TAKEN = new Set(['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES', 'EBUSY']);

/**
 * Reads, changes and writes a file under a lock, like `writeWhole`.
 *
 * The lock is a folder beside the file that contains one file, named by its owner: host, process
 * and a random number. A folder can be renamed to that name only if no folder has it, or an empty
 * one. So a lock is never seen without its owner. A run that finds the owner dead removes the
 * owner's file by its name, and no later owner has the same name. So two runs that do this never
 * remove a new lock.
 *
 * Not used: proper-lockfile 4.1.2 lets two processes that find a lock abandoned both take it (its
 * issue 121), and a process that computes for long loses its own. The system's locks (flock) end
 * with the process, but Node needs native packages for them. os-lock compiles itself on
 * installation, and fs-native-extensions (460 KB) does not support musl.
 *
 * @param change reads the file, and returns its new content
 * @throws InputError if the file cannot be locked or written; errors of `change`
 */
export async function rewriteWhole(path: string, change: () => Promise<Uint8Array>): Promise<void> {
  if (kindOf(path) === 'device') return writeWhole(path, await change());
  const held = await takeLock(path);
  await holdInterrupts(async () => {
    try {
      await writeWhole(path, await change(), () => {
        if (!existsSync(held)) throw new InputError(`${path}: another run took over the lock; nothing was written`);
      });
    } finally {
      tried(() => rmSync(held, { force: true }));
      tried(() => rmdirSync(dirname(held)));
    }
  });
}

/** @returns the owner's file in the lock */
async function takeLock(path: string): Promise<string> {
  const target = identityOf(path);
  const folder = dirname(target);
  // Some systems identify two spellings of a name.
  const digest = createHash('sha256').update(basename(target).normalize().toLowerCase()).digest('hex');
  const lock = join(folder, `.gicollide-${digest.slice(0, 12)}.lock`);
  const name = temporaryName();
  const own = join(folder, name);
  try {
    makeFolder(folder);
    mkdirSync(own);
    writeFileSync(join(own, name), lifeOf(process.pid) ?? '');
    await renameToLock(path, own, lock);
    return join(lock, name);
  } catch (error) {
    tried(() => rmSync(own, { force: true, recursive: true }));
    throw explain(`${path}: the lock beside it`, error);
  }
}

async function renameToLock(path: string, own: string, lock: string): Promise<void> {
  let owner: string | undefined;
  let since = performance.now();
  for (let wait = 5; ; wait = Math.min(2 * wait, 50)) {
    let refusal: NodeJS.ErrnoException | undefined;
    try {
      renameSync(own, lock);
    } catch (error) {
      refusal = error as NodeJS.ErrnoException;
    }
    // A file server may rename the folder, and report for a repeated request that it is missing.
    if (!refusal || existsSync(join(lock, basename(own)))) return;
    if (!IS_TAKEN.has(refusal.code ?? '')) throw refusal;
    const found = tried(() => readdirSync(lock))?.[0];
    if (found !== owner) since = performance.now();
    owner = found;
    const waited = performance.now() - since;
    if (owner === undefined) {
      // Windows cannot rename to the name of an empty folder.
      tried(() => rmdirSync(lock));
      if (waited > LONGEST_HOLD) throw refusal;
    } else if (isAbandoned(join(lock, owner), waited)) {
      tried(() => rmSync(join(lock, owner!), { force: true }));
    } else if (waited > LONGEST_WAIT) {
      const holder = TEMPORARY.exec(owner)?.[2];
      throw new InputError(`${path}: process ${holder} has locked it for a minute (the lock is ${lock})`);
    }
    await pause(wait * (0.5 + Math.random()));
  }
}

/** @param waited milliseconds since this run first saw the owner */
function isAbandoned(held: string, waited: number): boolean {
  const [, writer, id] = TEMPORARY.exec(basename(held)) ?? [];
  const life = tried(() => readFileSync(held, 'utf8'));
  if (life === undefined) return false;
  const isHere = writer === host() && life.split(' ')[0] === boot();
  if (!isHere) return waited > LONGEST_HOLD;
  if (!isAlive(Number(id))) return true;
  // Linux may have reused the number for another process.
  const now = lifeOf(Number(id));
  return now !== undefined && now !== life;
}

/** Differs between two starts of this system, and between two copies of it. */
const boot = once(() => (tried(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')) ?? '').trim());

/**
 * Tells apart processes that reuse a number, by the start of the system and of the process. A
 * process that has ended, but that its parent has not waited for, has an id but no life.
 *
 * @returns undefined if the system says nothing about the process
 */
function lifeOf(id: number): string | undefined {
  const text = tried(() => readFileSync(`/proc/${id}/stat`, 'utf8'));
  // The name, in parentheses, may contain anything. The state follows, and the start is 19 fields
  // on.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields && `${boot()} ${/[ZX]/.test(fields[0]) ? 'ended' : fields[19]}`;
}

/** Creates one folder at a time: `recursive` never ends if folders are refused (/proc). */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another run may have created it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

let interrupt: NodeJS.Signals | undefined;
let holders = 0;

const note = (signal: NodeJS.Signals): void => {
  interrupt = signal;
};

/**
 * Waits until an arrived signal has reached its listeners, which happens between two rounds of
 * immediates. A listener removed earlier loses it.
 */
export async function signalsNoted(): Promise<void> {
  for (let round = 0; round < 2; round++) await new Promise((turn) => setImmediate(turn));
}

/** Ends an unfinished file after an interrupt: its holder obeys. */
async function endOnInterrupt(): Promise<void> {
  await signalsNoted();
  if (interrupt) throw new InputError(`ended by ${interrupt}`);
}

/** Obeys an interrupt once all is done, if it arrives during `work` or concurrent work. */
async function holdInterrupts(work: () => Promise<void>): Promise<void> {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  if (holders++ === 0) for (const signal of signals) process.on(signal, note);
  try {
    await work();
  } finally {
    await signalsNoted();
    if (--holders === 0) {
      for (const signal of signals) process.off(signal, note);
      if (interrupt) process.kill(process.pid, interrupt);
      interrupt = undefined;
    }
  }
}
