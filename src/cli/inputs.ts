/** Inputs of commands: files, folders and stdin, their names, and their kinds of content. */
import { dirname } from 'node:path';
import { FormatError, InputError, OptionError } from '../math/errors.ts';
import { printable } from '../math/printable.ts';
import { kindByExtension, sniffKind } from '../representations/kinds.ts';
import type { LoadMemory } from '../scene/load.ts';
import { type Input, type NamedPlace, namedInput, openInput } from './file-source.ts';
import { extensionOf, kindOf, MODEL, STDIN, STDIN_NAME } from './files.ts';
import { type GlobalOptions, type Log, printError } from './terminal.ts';

export interface Session {
  log: Log;
  global: GlobalOptions;
  /** Inputs read already: stdin gives its bytes once. */
  held?: ReadonlyMap<string, Uint8Array>;
  /** Files that the single input references, by their names there; then none is read from disk. */
  beside?: ReadonlyMap<string, Uint8Array>;
  /** Allowed places if another file, a project or a finding, names all inputs. */
  named?: NamedPlace | undefined;
  /** Called for each file and folder before it is read, also for a missing one. */
  opened?: (path: string) => void;
  /** Called with the files of a folder's scene before they are read. */
  uses?: (folder: string, paths: readonly string[]) => Promise<void>;
  memory?: LoadMemory;
  /** The warnings so far, if the run prints them with its findings. */
  warnings?: Map<string, WarningRecord>;
}

export interface WarningRecord {
  type: 'warning';
  subject: string;
  message: string;
}

export const keepingWarnings = <T extends Session>(session: T): T & { warnings: Map<string, WarningRecord> } => ({
  ...session,
  warnings: new Map(),
});

/** Logs a warning about an input, once. */
export function warnOf(subject: string, text: string, { log, warnings }: Session): void {
  const message = printable(text);
  const key = JSON.stringify([subject, message]);
  if (warnings?.has(key)) return;
  warnings?.set(key, { type: 'warning', subject, message });
  log.warn(`${subject}: ${message}`);
}

export type NamedSession = Session & { named: NamedPlace };

/** Runs `work`; errors about bytes then name their file. */
export async function about<T>(file: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FormatError) throw new InputError(error.describe(file), { cause: error });
    if (error instanceof InputError && !error.message.startsWith(`${file}:`)) {
      throw new InputError(`${file}: ${error.message}`);
    }
    throw error;
  }
}

export const nameOf = (file: string, { global }: Session): string =>
  file === STDIN ? (global.name ?? STDIN_NAME) : file;

/** Only stdin can be renamed by --name. */
export function requireInputs(args: readonly string[], { global }: Session): void {
  if (global.name === '') throw new OptionError('--name: expected a name, found nothing');
  if (global.name !== undefined && !args.includes(STDIN))
    throw new OptionError(`--name ${global.name}: says what stdin is called, and no input is -`);
}

const MOST_ENDINGS = 10;

/** @returns true if files were left out and `strict` makes that a failure */
export function saySkipped(skipped: ReadonlyMap<string, number>, strict: boolean, { log, global }: Session): boolean {
  if (skipped.size === 0) return false;
  const counts = [...skipped].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const shown = counts.slice(0, MOST_ENDINGS).map(([ending, n]) => `${n} ${ending || 'without an ending'}`);
  const more = counts.slice(MOST_ENDINGS).reduce((sum, [, n]) => sum + n, 0);
  const line = `skipped: ${[...shown, ...(more > 0 ? [`${more} others`] : [])].join(', ')}`;
  if (strict) printError(`${line}; with --strict that is a failure`, global);
  else log.warn(line);
  return strict;
}

/** True if the name says nothing about the content. */
const isStream = (file: string): boolean => file === STDIN || kindOf(file) === 'device';

/** Findings name files from the current folder; these may also be in the findings' own folder. */
export const placeOfFindings = (file: string, { global }: Session): NamedPlace => ({
  folders: global.allowOutside ? null : ['.', ...(file === STDIN ? [] : [dirname(file)])],
  called: 'this folder and that of the findings',
});

export const openGiven = (file: string, { global, named }: Session): Input =>
  named ? namedInput(file, { ...named, maxBytes: global.maxBytes }) : openInput(file, global);

export function readWhole(file: string, session: Session): Uint8Array {
  session.opened?.(file);
  return session.held?.get(file) ?? openGiven(file, session).bytes();
}

/** Reads pipes now, once for all users. */
export function holding(files: readonly string[], session: Session): Session {
  const streams = [...new Set(files)].filter(isStream);
  return { ...session, held: new Map(streams.map((file) => [file, readWhole(file, session)])) };
}

function startsAsJson(bytes: Uint8Array): boolean {
  const first = bytes.subarray(0, 64).find((byte) => byte > 0x20);
  return first === 0x7b;
}

/** Recognizes bytes by their mark, else by name. JSON of a stream is a model; the rest a mesh. */
export async function contentOf(
  file: string,
  bytes: Uint8Array,
  session: Session,
): Promise<'asset' | 'model' | 'mesh'> {
  if (sniffKind(bytes)) return 'asset';
  const ending = extensionOf(nameOf(file, session));
  if (ending === MODEL) return 'model';
  const { isMarkedMesh } = await import('../readers/formats.ts');
  if (isMarkedMesh(bytes)) return 'mesh';
  if (isStream(file)) return startsAsJson(bytes) ? 'model' : 'mesh';
  return kindByExtension(ending) ? 'asset' : 'mesh';
}
