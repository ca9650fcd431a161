/** Files in, and the names of those that go out. */
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, extname, isAbsolute, join, resolve, sep } from 'node:path';
import { InputError, OptionError } from '../math/errors.ts';

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
};

/** An error of the operating system as one line about `path`. */
export function explain(path: string, error: unknown): Error {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (typeof code !== 'string') return error instanceof Error ? error : new Error(String(error));
  return new InputError(`${path}: ${CAUSES[code] ?? code}`);
}

/** The ending of files that hold the model of an F-rep. */
export const MODEL = '.frep.json';

/** The ending of a file's name, with the dot, in small letters; MODEL is one. */
export function extensionOf(path: string): string {
  const name = path.toLowerCase();
  return name.endsWith(MODEL) ? MODEL : extname(name);
}

/**
 * The files that arguments name: a file as it is, a folder's files with one of the endings, a
 * glob's matches, sorted within each; one twice counts once. An argument that names none is a
 * problem, a line each, and no hindrance to the others.
 */
export async function expandFiles(
  args: readonly string[],
  endings: readonly string[] = ['.obj'],
): Promise<{ files: string[]; problems: string[] }> {
  const { convertPathToPattern, glob, isDynamicPattern } = await import('tinyglobby');
  const files = new Map<string, string>();
  const problems: string[] = [];
  for (const arg of args) {
    const options = { expandDirectories: false, absolute: isAbsolute(arg) };
    const kind = kindOf(arg);
    let found = [arg];
    if (kind === 'folder') {
      const all = (await glob(`${convertPathToPattern(arg)}/*`, options)).sort();
      found = all.filter((file) => endings.includes(extensionOf(file)));
      if (found.length === 0) problems.push(`${arg}: the folder holds no ${endings.join(' or ')} file`);
    } else if (kind === null && isDynamicPattern(arg)) {
      found = (await glob(sep === '\\' ? arg.replaceAll(sep, '/') : arg, options)).sort();
      if (found.length === 0) problems.push(`${arg}: no file matches`);
    } else if (kind === null) {
      found = [];
      problems.push(`${arg}: no such file`);
    }
    for (const file of found) if (!files.has(resolve(file))) files.set(resolve(file), file);
  }
  return { files: [...files.values()], problems };
}

/**
 * All files of a folder and of the folders in it, sorted; links to folders are not followed, and
 * names that begin with a dot are left out.
 */
export function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith('.'))
      .flatMap((entry) => {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return filesBelow(path);
        return kindOf(path) === 'folder' ? [] : [path];
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

/** Whether two names are of one file, pipe or device, by links or otherwise. */
export function isSameFile(a: string, b: string): boolean {
  if (a === b) return true;
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

/**
 * Where each input's asset goes: into `out` where that is a folder, or to be one, else `out` itself
 * for a single input.
 */
export function planOutputs(inputs: readonly string[], out: string, extension: string, several: boolean): string[] {
  if (out === '') throw new OptionError('--out: expected a path, found nothing');
  const kind = kindOf(out);
  const namesFile =
    kind === 'file' || kind === 'device' || (kind === null && !/[\\/]$/.test(out) && extname(out) !== '');
  if (several && (kind === 'file' || kind === 'device' || (namesFile && extname(out) === extension))) {
    throw new InputError(`${out}: expected a folder for several outputs, found a file's name`);
  }
  const single = namesFile && !several;
  const outputs = inputs.map((input) =>
    single ? out : join(out, basename(input).slice(0, -extensionOf(input).length || undefined) + extension),
  );
  const sources = new Set(inputs.map(identityOf));
  const owner = new Map<string, string>();
  outputs.forEach((output, i) => {
    const key = identityOf(output);
    const other = owner.get(key);
    if (other !== undefined) throw new InputError(`${inputs[i]} and ${other} would both become ${output}`);
    if (sources.has(key)) throw new InputError(`${output}: would overwrite an input`);
    owner.set(key, inputs[i]);
  });
  if (single && (extensionOf(out) === '.obj' || extensionOf(out) === MODEL)) {
    throw new InputError(
      `${out}: expected a name that ends with ${extension}, found one of ${extensionOf(out) === MODEL ? 'a model' : 'a mesh'}`,
    );
  }
  return outputs;
}

/**
 * Characters that Windows forbids in names, and those that nobody sees: control, format, lone
 * surrogates, line separators.
 */
const UNSAFE = /[\\/:*?"<>|\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** Devices on Windows, whatever follows the first dot. */
const RESERVED = /^(con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])(\.|$)/i;
/** Bytes of a file's name that every system takes, less some for a number. */
const LONGEST_NAME = 255 - 30;
const LONGEST_ELEMENT = 100;

/**
 * A file for every element of a mesh beside the one that `output` would be of the whole:
 * `out/a.obb` gives `out/a.<element>.obb`. Names are safe on every platform, in composed Unicode;
 * where two are the same, but for the case of letters maybe, the later ones are numbered:
 * `a.wall~2.obb`. `taken`: what is planned already, and then these too.
 */
export function planElementOutputs(output: string, names: readonly string[], taken: Set<string>): string[] {
  const extension = extname(output);
  const stem = output.slice(0, output.length - extension.length);
  const room = LONGEST_NAME - Buffer.byteLength(`${basename(stem)}.${extension}`);
  const safe = names.map((name) => safeName(name, Math.max(8, Math.min(LONGEST_ELEMENT, room))));
  const claim = (path: string): boolean => {
    const key = folded(path);
    if (taken.has(key)) return false;
    taken.add(key);
    return true;
  };
  const plain = safe.map((name) => `${stem}.${name}${extension}`);
  const isFree = plain.map(claim);
  const numbers = new Map<string, number>();
  return plain.map((path, i) => {
    if (isFree[i]) return path;
    const key = folded(safe[i]);
    for (let number = numbers.get(key) ?? 2; ; number++) {
      const numbered = `${stem}.${safe[i]}~${number}${extension}`;
      if (!claim(numbered)) continue;
      numbers.set(key, number + 1);
      return numbered;
    }
  });
}

function safeName(name: string, room: number): string {
  let safe = '';
  let bytes = 0;
  for (const character of name.normalize('NFC').replaceAll(UNSAFE, '_').trim()) {
    bytes += Buffer.byteLength(character);
    if (bytes > room) break;
    safe += character;
  }
  return safe === '' || RESERVED.test(safe) ? `_${safe}` : safe;
}

/** Equal for names that some file system takes for one. */
const folded = (name: string): string => name.normalize('NFC').toUpperCase().toLowerCase();

/**
 * Writes to stdout, waiting where a pipe is full. Where nothing can be written any more, `main`
 * ends the program.
 */
export async function print(text: string | Uint8Array): Promise<void> {
  await new Promise<void>((done) => {
    process.stdout.write(text, (error) => {
      if (!error) done();
    });
  });
}
