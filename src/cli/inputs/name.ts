/**
 * Names of inputs: finds the files that arguments mean, resolves paths, says where a file may lie,
 * and explains why the system cannot open one.
 */
import { opendirSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import type { GlobOptions } from 'tinyglobby';
import { InputError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import type { GlobalOptions } from '../terminal.ts';

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
  ELOOP: 'a link that leads back to itself, or too many links',
  EFBIG: 'larger than the system allows',
  EIO: 'the device cannot be read or written',
  ENXIO: 'a socket, or a missing device',
  ERR_INVALID_ARG_VALUE: 'the name has a NUL character',
};

/** Returns a system error as one line about `path`, with the error as its cause. */
export function explain(path: string, error: unknown): Error {
  const { code, errno } = (error ?? {}) as NodeJS.ErrnoException;
  if (typeof code !== 'string') return error instanceof Error ? error : new Error(String(error));
  const own = errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1];
  const meant = code === 'ENOENT' ? meantBy(path) : '';
  return new InputError(`${path}: ${CAUSES[code] ?? own ?? code}${meant}`, { cause: error });
}

/** Entries of a folder that are compared with a missing file's name: a few milliseconds. */
const MOST_COMPARED = 10_000;

/** `; did you mean fandisk.obj?`, by the names in the folder of a missing file; or nothing. */
function meantBy(path: string): string {
  try {
    const name = basename(path);
    // A link that leads nowhere has this very name.
    const names = firstNames(dirname(path)).filter((other) => other !== name);
    // Two letters of the stem: in a folder of meshes all names end alike.
    const most = Math.min(2, Math.floor((name.length - extname(name).length) / 2.5));
    const near = nearest(name, names, most);
    return near === null ? '' : `; did you mean ${path.slice(0, path.length - name.length)}${near}?`;
  } catch {
    return '';
  }
}

function firstNames(folder: string): string[] {
  const names: string[] = [];
  const entries = opendirSync(folder);
  try {
    for (let entry = entries.readSync(); entry && names.length < MOST_COMPARED; entry = entries.readSync())
      names.push(entry.name);
  } finally {
    entries.closeSync();
  }
  // The system's order differs from machine to machine.
  return names.sort();
}

export const codeOf = (error: unknown): string | undefined =>
  ((error as { cause?: NodeJS.ErrnoException } | null)?.cause ?? (error as NodeJS.ErrnoException | null))?.code;

/** The argument for stdin, and the name of stdin unless --name is given. */
export const STDIN = '-';
export const STDIN_NAME = 'stdin';

/** The ending of files that hold the model of an F-rep. */
export const MODEL = '.frep.json';

export const PROJECT_FILE = 'gicollide.json';

/** Returns the extension with the dot, in lower case; MODEL counts as one. */
export function extensionOf(path: string): string {
  const name = path.toLowerCase();
  return name.endsWith(MODEL) ? MODEL : extname(name);
}

export interface Inputs {
  files: string[];
  /** Arguments that match nothing, one line each. */
  problems: string[];
  /** For files found in folders: paths from there. */
  below: ReadonlyMap<string, string>;
  /** Files in folders that are left out, counted by extension. */
  skipped: ReadonlyMap<string, number>;
}

/**
 * Expands arguments: files, stdin, folders (all files below with one of the extensions), and globs.
 * Matches of an argument are sorted, and duplicates count once. An argument that matches nothing is
 * a problem and does not stop the others.
 *
 * @param uncounted extensions of files in folders that are left out silently
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
      const { isDynamicPattern } = await import('tinyglobby');
      const isPattern = isDynamicPattern(arg);
      found = isPattern ? await matching(arg, { expandDirectories: false, absolute: isAbsolute(arg) }) : [];
      if (found.length === 0) problems.push(isPattern ? `${arg}: no file matches` : problemOf(arg));
    }
    for (const file of found) if (!files.has(resolve(file))) files.set(resolve(file), file);
  }
  const counts = new Map<string, number>();
  for (const [path, ending] of skipped)
    if (!files.has(path) && !uncounted.includes(ending)) counts.set(ending, (counts.get(ending) ?? 0) + 1);
  return { files: [...files.values()], problems, below, skipped: counts };
}

/** Returns the paths that match a pattern, sorted. */
export async function matching(pattern: string, options: GlobOptions): Promise<string[]> {
  const { glob } = await import('tinyglobby');
  return (await glob(withSlashes(pattern), options)).sort();
}

/** The folder and those above it, up to the last one. */
export function upwards(folder: string, last = resolve('/')): string[] {
  const above = dirname(folder);
  return folder === last || above === folder ? [folder] : [folder, ...upwards(above, last)];
}

export const withSlashes = (pattern: string): string => (sep === '\\' ? pattern.replaceAll(sep, '/') : pattern);

function problemOf(path: string): string {
  try {
    statSync(path);
    return `${path}: no such file`;
  } catch (error) {
    return explain(path, error).message;
  }
}

const listed = (endings: readonly string[]): string => `${endings.slice(0, -1).join(', ')} or ${endings.at(-1)}`;

const NOT_WALKED = 'node_modules';

/** Returns sorted regular files, without node_modules, dotted names, and folders behind links. */
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

export function isMissing(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return codeOf(error) === 'ENOENT';
  }
}

export function nounOf(stat: Stats): string {
  if (stat.isDirectory()) return 'a folder';
  return stat.isFIFO() ? 'a pipe' : stat.isSocket() ? 'a socket' : 'a device';
}

/** True if two names lead to the same file, pipe or device. */
export function isSameFile(a: string, b: string): boolean {
  if (a === b || a === STDIN || b === STDIN) return a === b;
  try {
    const [one, other] = [statSync(a), statSync(b)];
    return one.ino !== 0 && one.ino === other.ino && one.dev === other.dev;
  } catch {
    return false;
  }
}

/** Resolves the links of an existing file; returns the absolute path of a missing one. */
export function identityOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** True if a file is in a folder or below, with links resolved. */
function liesBelow(path: string, folder: string): boolean {
  const below = relative(identityOf(folder), identityOf(path));
  return below.split(sep)[0] !== '..' && !isAbsolute(below);
}

/** @throws InputError if it is no path of a file: a URL, empty, or with NUL */
export function requirePath(path: string): string {
  if (/^[a-z][a-z0-9+.-]+:/i.test(path))
    throw new InputError(`expected a path, found ${shortly(path)}; gicollide downloads nothing`);
  if (path === '' || path.includes('\0')) throw new InputError(`expected a path, found ${shortly(path)}`);
  return path;
}

const shortly = (path: string): string => JSON.stringify(path.slice(0, 80));

/** @throws InputError unless the file is in the folder or below, also with links resolved */
export function pathBelow(path: string, folder: string): string {
  requirePath(path);
  const isOutside = isAbsolute(path) || /^[\\/]/.test(path) || path.split(/[\\/]/).includes('..');
  if (isOutside || !liesBelow(join(folder, path), folder))
    throw new InputError(`expected a file in the same folder or below, found ${shortly(path)}`);
  return join(folder, path);
}

/** How a session calls stdin, and what it may read. */
interface WithGlobal {
  global: GlobalOptions;
}

export const nameOf = (file: string, { global }: WithGlobal): string =>
  file === STDIN ? (global.name ?? STDIN_NAME) : file;

/** True if it gives its bytes once, and its name says nothing about the content. */
export const isStream = (file: string): boolean => file === STDIN || kindOf(file) === 'device';

export interface NamedPlace {
  /** In one of these folders or below, also after links are resolved; null: anywhere. */
  folders: readonly string[] | null;
  /** Their name in messages. */
  called: string;
}

interface OutsideOption {
  allowOutside?: boolean | undefined;
}

/** For files that must be regular, at any place. */
export const ANYWHERE: NamedPlace = { folders: null, called: '' };

export const placeIn = (folder: string, called: string, { allowOutside }: OutsideOption = {}): NamedPlace => ({
  folders: allowOutside ? null : [folder],
  called,
});

/** True if a file is in its allowed place, also after links are resolved. */
export const isWithin = (path: string, { folders }: NamedPlace): boolean =>
  folders === null || folders.some((folder) => liesBelow(path, folder));

/** Findings name files from the current folder; these may also be in the findings' own folder. */
export const placeOfFindings = (file: string, { global }: WithGlobal): NamedPlace => ({
  folders: global.allowOutside ? null : ['.', ...(file === STDIN ? [] : [dirname(file)])],
  called: 'this folder and that of the findings',
});

const SCENE = '.scene.json';

/** Returns nothing for a single file, otherwise its name without extension or its whole path. */
export function prefixes(args: readonly string[], session: WithGlobal): (arg: string) => string {
  if (args.length === 1) return () => '';
  const stems = new Map(args.map((arg) => [arg, stemOf(nameOf(arg, session))]));
  const pathOf = (arg: string): string =>
    join(dirname(nameOf(arg, session)), stems.get(arg)!)
      .split(sep)
      .join('/');
  const isOnly = (arg: string): boolean => args.filter((other) => stems.get(other) === stems.get(arg)).length === 1;
  return (arg) => `${isOnly(arg) ? stems.get(arg) : pathOf(arg)}/`;
}

export function stemOf(file: string): string {
  const name = basename(resolve(file));
  const ending = name.toLowerCase().endsWith(SCENE) ? SCENE : extensionOf(name);
  return kindOf(file) === 'folder' ? name : name.slice(0, -ending.length || undefined);
}
