/** What a command's inputs share: options, log, warnings, and messages that name their file. */
import { FormatError, InputError, OptionError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import type { LoadMemory } from '../scene/load.ts';
import { type NamedPlace, STDIN } from './inputs/name.ts';
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

/** Only stdin can be renamed by --name. */
export function requireInputs(args: readonly string[], { global }: Session): void {
  if (global.name === '') throw new OptionError('--name: expected a name, found nothing');
  if (global.name !== undefined && !args.includes(STDIN))
    throw new OptionError(`--name ${global.name} names stdin, but no input is -`);
}

const MOST_ENDINGS = 10;

/** @returns true if files were left out and `strict` makes that a failure */
export function saySkipped(
  skipped: ReadonlyMap<string, number>,
  { strict = false }: { strict?: boolean },
  { log, global }: Session,
): boolean {
  if (skipped.size === 0) return false;
  const counts = [...skipped].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const shown = counts.slice(0, MOST_ENDINGS).map(([ending, n]) => `${n} ${ending || 'without an ending'}`);
  const more = counts.slice(MOST_ENDINGS).reduce((sum, [, n]) => sum + n, 0);
  const line = `skipped: ${[...shown, ...(more > 0 ? [`${more} others`] : [])].join(', ')}`;
  if (strict) printError(`${line}; --strict makes this an error`, global);
  else log.warn(line);
  return strict;
}
