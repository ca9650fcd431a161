/** Files in and out: large ones, several of them, and never half of one. */
import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { convertPathToPattern, glob, isDynamicPattern } from 'tinyglobby';
import { InputError } from '../math/errors.ts';
import { EXIT } from './exit-codes.ts';

/** What one read or write call is asked for: Node refuses 2 GiB and more. */
const CHUNK = 1 << 30;

const CAUSES: Record<string, string> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on the device',
  ENAMETOOLONG: 'the name is too long',
  EEXIST: 'a file of that name is in the way',
  EMFILE: 'too many open files',
};

/** An error of the operating system as one line about `path`. */
export function explain(path: string, error: unknown): Error {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (typeof code !== 'string') return error instanceof Error ? error : new Error(String(error));
  return new InputError(`${path}: ${CAUSES[code] ?? code}`);
}

/** All bytes of a file, of any size that fits in memory. `path` '-' is not special here. */
export function readWhole(path: string): Uint8Array {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const { size, isFile } = ((stat) => ({ size: stat.size, isFile: stat.isFile() }))(fstatSync(file));
    if (!isFile) throw new InputError(`${path}: not a regular file`);
    const bytes = new Uint8Array(size);
    let at = 0;
    while (at < size) {
      const read = readSync(file, bytes, at, Math.min(CHUNK, size - at), at);
      if (read === 0) break;
      at += read;
    }
    return bytes.subarray(0, at);
  } catch (error) {
    throw explain(path, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Writes a file whole or not at all: under a temporary name in the same folder, then renamed. Makes the folder. An interrupt
 * that arrives meanwhile is obeyed when the temporary file is gone.
 */
export async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  let interrupted: NodeJS.Signals | undefined;
  const note = (signal: NodeJS.Signals) => {
    interrupted = signal;
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, note);
  try {
    await mkdir(folder, { recursive: true });
    const file = openSync(temporary, 'wx');
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, Math.min(CHUNK, bytes.length - at));
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw explain(path, error);
  } finally {
    await new Promise((turn) => setImmediate(turn)); // lets a pending signal be noted
    for (const signal of signals) process.off(signal, note);
    if (interrupted) process.kill(process.pid, interrupted);
  }
}

/** The mesh files that arguments name: a file as it is, a folder's .obj files, a glob's matches; sorted within each. */
export async function expandMeshes(args: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const arg of args) {
    const kind = kindOf(arg);
    if (kind === 'file') files.push(arg);
    else if (kind === 'folder') {
      const found = await glob(`${convertPathToPattern(arg)}/*.{obj,OBJ}`, { expandDirectories: false });
      if (found.length === 0) throw new InputError(`${arg}: the folder holds no .obj file`);
      files.push(...found.sort());
    } else if (isDynamicPattern(arg)) {
      const found = await glob(arg.replaceAll('\\', '/'), { expandDirectories: false });
      if (found.length === 0) throw new InputError(`${arg}: no file matches`);
      files.push(...found.sort());
    } else throw new InputError(`${arg}: no such file`);
  }
  return [...new Set(files)];
}

export function kindOf(path: string): 'file' | 'folder' | null {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch {
    return null;
  }
}

/** Where each input's asset goes: into `out` where that is a folder, else `out` itself for one input. */
export function planOutputs(inputs: readonly string[], out: string, extension: string): string[] {
  const single = inputs.length === 1 && kindOf(out) !== 'folder' && !/[\\/]$/.test(out) && extname(out) !== '';
  if (!single && kindOf(out) === 'file')
    throw new InputError(`${out}: expected a folder for several outputs, found a file`);
  const outputs = inputs.map((input) => (single ? out : join(out, basename(input, extname(input)) + extension)));
  const owner = new Map<string, string>();
  outputs.forEach((output, i) => {
    const key = resolve(output);
    const other = owner.get(key);
    if (other !== undefined) throw new InputError(`${inputs[i]} and ${other} would both become ${output}`);
    if (inputs.some((input) => resolve(input) === key)) throw new InputError(`${output}: would overwrite an input`);
    owner.set(key, inputs[i]);
  });
  return outputs;
}

/** Writes to stdout, waiting where a pipe is full; a reader that has gone ends the program, and not with a verdict. */
export async function print(text: string): Promise<void> {
  await new Promise<void>((done, failed) => {
    process.stdout.write(text, (error) => {
      if (!error) done();
      else if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(EXIT.failed);
      else failed(error);
    });
  });
}
