/** What commands are given: files, folders and stdin, what they are called, and what they hold. */
import { dirname } from 'node:path';
import { FormatError, InputError, OptionError } from '../math/errors.ts';
import { printable } from '../math/printable.ts';
import { kindByExtension, sniffKind } from '../representations/kinds.ts';
import type { LoadMemory } from '../scene/load.ts';
import { type Input, type NamedPlace, namedInput, openInput } from './file-source.ts';
import { extensionOf, kindOf, MODEL, STDIN, STDIN_NAME } from './files.ts';
import { type GlobalOptions, type Log, printError } from './terminal.ts';

/** What a command has of its own: the global options, and who it talks to. */
export interface Session {
  log: Log;
  global: GlobalOptions;
  /** Inputs that were read already: stdin gives its bytes once. */
  held?: ReadonlyMap<string, Uint8Array>;
  /** The files that the one input names, by the paths that stand there: then none is opened on the disk. */
  beside?: ReadonlyMap<string, Uint8Array>;
  /** Where the inputs may lie, if another file names them all: a project, a finding. */
  named?: NamedPlace | undefined;
  /** Hears of each file and folder before it is read, also of one that is not there. */
  opened?: (path: string) => void;
  /** Hears of the files that a scene of this folder uses, before they are read. */
  uses?: (folder: string, paths: readonly string[]) => Promise<void>;
  /** What loads of scenes share. */
  memory?: LoadMemory;
  /** The warnings so far, if the run prints them with its findings. */
  warnings?: Map<string, WarningRecord>;
}

/** A warning about an input, as --json prints it. */
export interface WarningRecord {
  type: 'warning';
  subject: string;
  message: string;
}

/** The same session, whose warnings about inputs are kept. */
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

/** A session whose inputs another file names. */
export type NamedSession = Session & { named: NamedPlace };

/** Runs `work`, whose errors about bytes then name the file they came from. */
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

/** What an input is called in messages, headers and the names of outputs. */
export const nameOf = (file: string, { global }: Session): string =>
  file === STDIN ? (global.name ?? STDIN_NAME) : file;

/** Inputs as arguments name them: stdin has a name, and what has a name is stdin. */
export function requireInputs(args: readonly string[], { global }: Session): void {
  if (global.name === '') throw new OptionError('--name: expected a name, found nothing');
  if (global.name !== undefined && !args.includes(STDIN))
    throw new OptionError(`--name ${global.name}: says what stdin is called, and no input is -`);
}

/** Endings that a line shows. */
const MOST_ENDINGS = 10;

/**
 * Says what of folders was left out.
 *
 * @param strict whether that is a failure
 * @returns whether it is one
 */
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

/** Whether the name of an input tells nothing of what it holds. */
const isStream = (file: string): boolean => file === STDIN || kindOf(file) === 'device';

/** Findings may name files in the current folder, where their paths begin, and in their own. */
export const placeOfFindings = (file: string, { global }: Session): NamedPlace => ({
  folders: global.allowOutside ? null : ['.', ...(file === STDIN ? [] : [dirname(file)])],
  called: 'this folder and that of the findings',
});

/** Opens an input: whatever a person names, or a file that another file names. */
export const openGiven = (file: string, { global, named }: Session): Input =>
  named ? namedInput(file, { ...named, maxBytes: global.maxBytes }) : openInput(file, global);

/** All bytes of an input, which is opened and read once. */
export function readWhole(file: string, session: Session): Uint8Array {
  session.opened?.(file);
  return session.held?.get(file) ?? openGiven(file, session).bytes();
}

/** What pipes give is read now, once, for all who look at it. */
export function holding(files: readonly string[], session: Session): Session {
  const streams = [...new Set(files)].filter(isStream);
  return { ...session, held: new Map(streams.map((file) => [file, readWhole(file, session)])) };
}

/** Whether the first character that is no blank opens an object of JSON. */
function startsAsJson(bytes: Uint8Array): boolean {
  const first = bytes.subarray(0, 64).find((byte) => byte > 0x20);
  return first === 0x7b;
}

/**
 * What an input holds, by the mark that its bytes have; where they have none, by its name. JSON of
 * a stream is a model, and what nothing tells is a mesh, which may be OBJ.
 */
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
