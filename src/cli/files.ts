/** Files in: what arguments name, and what lies where. */
import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import { InputError } from '../math/errors.ts';
import { inert } from './terminal.ts';

/** Bytes that one read or write call is asked for: Node refuses 2 GiB and more. */
export const CHUNK = 1 << 30;

const CAUSES: Record<string, string> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on the device',
  ENAMETOOLONG: 'the name is too long',
  EEXIST: 'a part of its path is not a folder',
  EMFILE: 'too many open files',
  ELOOP: 'a link that leads to itself, or too many links',
  EFBIG: 'larger than the system lets a file be',
  EIO: 'the device cannot be read or written',
  ENXIO: 'a socket, or a device that is not there',
  ERR_INVALID_ARG_VALUE: 'a name with a NUL character, which no file has',
};

/** An error of the operating system as one line about `path`, with the error as its cause. */
export function explain(path: string, error: unknown): Error {
  const { code, errno } = (error ?? {}) as NodeJS.ErrnoException;
  if (typeof code !== 'string') return error instanceof Error ? error : new Error(String(error));
  const own = errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1];
  return new InputError(`${path}: ${CAUSES[code] ?? own ?? code}`, { cause: error });
}

/** The system's code behind an error that `explain` has made. */
export const codeOf = (error: unknown): string | undefined =>
  ((error as { cause?: NodeJS.ErrnoException } | null)?.cause ?? (error as NodeJS.ErrnoException | null))?.code;

/** The argument that stands for stdin, and what that is called unless --name says. */
export const STDIN = '-';
export const STDIN_NAME = 'stdin';

/** The ending of files that hold the model of an F-rep. */
export const MODEL = '.frep.json';

/** What a project is called where nobody says. */
export const PROJECT_FILE = 'gicollide.json';

/** The ending of a file's name, with the dot, in small letters; MODEL is one. */
export function extensionOf(path: string): string {
  const name = path.toLowerCase();
  return name.endsWith(MODEL) ? MODEL : extname(name);
}

/** What arguments name. */
export interface Inputs {
  files: string[];
  /** An argument that names nothing, a line each. */
  problems: string[];
  /** Of a folder's file its path from there; no others. */
  below: ReadonlyMap<string, string>;
  /** Files of folders that are left out: how many there are of each ending. */
  skipped: ReadonlyMap<string, number>;
}

/**
 * The files that arguments name: a file as it is, stdin, a folder's files with one of the endings,
 * also in the folders below, a glob's matches, sorted within each; one twice counts once. An
 * argument that names none is a problem, a line each, and no hindrance to the others.
 *
 * @param uncounted endings of files that are left out of folders without being counted
 */
export async function expandFiles(
  args: readonly string[],
  endings: readonly string[],
  uncounted: readonly string[] = [],
): Promise<Inputs> {
  const files = new Map<string, string>();
  const below = new Map<string, string>();
  const problems: string[] = [];
  const skipped = new Map<string, string>();
  for (const arg of args) {
    const kind = arg === STDIN ? 'device' : kindOf(arg);
    let found = [arg];
    if (kind === 'folder') {
      try {
        const all = filesBelow(arg);
        found = all.filter((file) => endings.includes(extensionOf(file)));
        if (found.length === 0) problems.push(`${arg}: the folder holds no ${listed(endings)} file`);
        for (const file of found) below.set(file, relative(arg, file));
        for (const file of all) skipped.set(resolve(file), extensionOf(file));
      } catch (error) {
        found = [];
        problems.push((error as Error).message);
      }
    } else if (kind === null) {
      const { glob, isDynamicPattern } = await import('tinyglobby');
      const isPattern = isDynamicPattern(arg);
      const pattern = sep === '\\' ? arg.replaceAll(sep, '/') : arg;
      found = isPattern ? (await glob(pattern, { expandDirectories: false, absolute: isAbsolute(arg) })).sort() : [];
      if (found.length === 0) problems.push(isPattern ? `${arg}: no file matches` : problemOf(arg));
    }
    for (const file of found) if (!files.has(resolve(file))) files.set(resolve(file), file);
  }
  const counts = new Map<string, number>();
  for (const [path, ending] of skipped)
    if (!files.has(path) && !uncounted.includes(ending)) counts.set(ending, (counts.get(ending) ?? 0) + 1);
  return { files: [...files.values()], problems, below, skipped: counts };
}

/** Why nothing can be found under a name. */
function problemOf(path: string): string {
  try {
    statSync(path);
    return `${path}: no such file`;
  } catch (error) {
    return explain(path, error).message;
  }
}

const listed = (endings: readonly string[]): string => `${endings.slice(0, -1).join(', ')} or ${endings.at(-1)}`;

/** Left out of every walk: a package's copies of what others own. */
const NOT_WALKED = 'node_modules';

/**
 * All files of a folder and of the folders in it, sorted; no pipes and devices, links to folders
 * are not followed, and node_modules and names that begin with a dot are left out.
 */
export function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith('.') && name !== NOT_WALKED)
      .flatMap((entry) => {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return filesBelow(path);
        const kind = kindOf(path);
        return kind === 'folder' || kind === 'device' ? [] : [path];
      })
      .sort();
  } catch (error) {
    throw explain(folder, error);
  }
}

export function kindOf(path: string): 'file' | 'folder' | 'device' | null {
  try {
    const stat = statSync(path);
    if (stat.isDirectory()) return 'folder';
    return stat.isFile() ? 'file' : 'device';
  } catch {
    return null;
  }
}

/** Whether there is nothing under a name. */
export function isMissing(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return codeOf(error) === 'ENOENT';
  }
}

/** What something is that is no regular file, in words. */
export function nounOf(stat: Stats): string {
  if (stat.isDirectory()) return 'a folder';
  return stat.isFIFO() ? 'a pipe' : stat.isSocket() ? 'a socket' : 'a device';
}

/** Whether two names are of one file, pipe or device, by links or otherwise. */
export function isSameFile(a: string, b: string): boolean {
  if (a === b || a === STDIN || b === STDIN) return a === b;
  try {
    const [one, other] = [statSync(a), statSync(b)];
    return one.ino !== 0 && one.ino === other.ino && one.dev === other.dev;
  } catch {
    return false;
  }
}

/**
 * One name for all names of an existing file: links followed. Of what does not exist, its absolute
 * path.
 */
export function identityOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** Whether a file lies in a folder or below, links followed. */
export function liesBelow(path: string, folder: string): boolean {
  const below = relative(identityOf(folder), identityOf(path));
  return below.split(sep)[0] !== '..' && !isAbsolute(below);
}

/** @throws InputError for what is no path of a file: a URL, nothing, NUL */
export function requirePath(path: string): string {
  if (/^[a-z][a-z0-9+.-]+:/i.test(path))
    throw new InputError(`expected a path, found ${shortly(path)}; nothing is fetched`);
  if (path === '' || path.includes('\0')) throw new InputError(`expected a path, found ${shortly(path)}`);
  return path;
}

const shortly = (path: string): string => JSON.stringify(path.slice(0, 80));

/**
 * Where a file lies that another one names, whose folder this is.
 *
 * @throws InputError unless it lies there or below, by the path and by where links lead
 */
export function pathBelow(path: string, folder: string): string {
  requirePath(path);
  const isOutside = isAbsolute(path) || /^[\\/]/.test(path) || path.split(/[\\/]/).includes('..');
  if (isOutside || !liesBelow(join(folder, path), folder))
    throw new InputError(`expected a file in the same folder or below, found ${shortly(path)}`);
  return join(folder, path);
}

/**
 * Writes to stdout, waiting where a pipe is full. Where nothing can be written any more, `main`
 * ends the program. No name or text of a file becomes a command of a CI runner.
 */
export function print(text: string | Uint8Array): Promise<void> {
  if (typeof text === 'string') return printCommands(inert(text));
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  return printCommands(bytes.includes('##') ? inert(bytes.toString('utf8')) : bytes);
}

/** Likewise, of text that is meant for a CI runner. */
export async function printCommands(text: string | Uint8Array): Promise<void> {
  await new Promise<void>((done) => {
    process.stdout.write(text, (error) => {
      if (!error) done();
    });
  });
}
