/**
 * Results on stdout, in color on a terminal only, so that scripts read plain lines; logs (pino) and
 * a progress bar on stderr.
 */
import { createRequire } from 'node:module';
import { styleText } from 'node:util';
import type { SingleBar } from 'cli-progress';
import type pino from 'pino';
import { brief, printable, withoutMarks } from '../base/printable.ts';
import type { ObjParser } from '../readers/mesh-file.ts';
import { EXIT } from './exit-codes.ts';

/** These packages take as long to load as the rest of the program, and most runs need neither. */
const require = createRequire(import.meta.url);

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export interface GlobalOptions {
  quiet?: boolean;
  verbose?: boolean;
  logLevel?: (typeof LOG_LEVELS)[number];
  logFormat?: 'text' | 'json';
  /** For a pipe, a device, or a referenced file. */
  maxBytes?: number;
  name?: string;
  /** Folders of ROS packages, by the packages' names. */
  package?: ReadonlyMap<string, string>;
  allowOutside?: boolean;
  /** How far chords may leave the curves of IFC; a number is in the file's unit. */
  chordTolerance?: string;
  /** How OBJ is parsed. */
  parser?: ObjParser | undefined;
  /** Distance below which vertices of meshes are joined. */
  weld?: number;
}

export type Log = Pick<pino.Logger, 'info' | 'warn' | 'error'>;

/** Logs one line per message on stderr, as text or JSON. pino is loaded with the first. */
export function createLog(options: GlobalOptions): Log {
  const level = options.logLevel ?? (options.quiet ? 'error' : options.verbose ? 'debug' : 'warn');
  let logger: pino.Logger | undefined;
  const at = (method: keyof Log): pino.LogFn =>
    LOG_LEVELS.indexOf(method) < LOG_LEVELS.indexOf(level)
      ? () => {}
      : (...message: Parameters<pino.LogFn>) => {
          logger ??= createPinoLog(options, level);
          const cut = message.map((part) => (typeof part === 'string' ? brief(part, LONGEST_LINE) : part));
          logger[method](...(cut as typeof message));
        };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

function createPinoLog(options: GlobalOptions, level: (typeof LOG_LEVELS)[number]): pino.Logger {
  const createPino: typeof pino = require('pino');
  const stderr = createPino.destination({ dest: 2, sync: true });
  if (options.logFormat === 'json')
    return createPino({ level, base: null }, { write: (json: string) => stderr.write(inert(json)) });
  const readable = { write: (json: string) => stderr.write(readableLine(json, createPino.levels.labels)) };
  return createPino({ level, base: null, timestamp: false }, readable);
}

/** Formats one of pino's JSON lines as text: level and message. */
function readableLine(json: string, labels: Record<number, string>): string {
  const { level, msg }: { level: number; msg: string } = JSON.parse(json);
  const label = labels[level];
  return inert(`${prefixOf(label === 'warn' ? 'warning' : label)}: ${printable(msg)}\n`);
}

/** The word that a line on stderr begins with; errors and warnings in color on a terminal. */
function prefixOf(word: string): string {
  const colour = word === 'error' ? 'red' : word === 'warning' ? 'yellow' : undefined;
  if (!colour || process.stderr.isTTY !== true || process.env.NO_COLOR) return word;
  // Node 22 and later would ask whether stdout is a terminal; this line goes to stderr.
  return styleText(colour, word, { validateStream: false });
}

/** Maximum length of a message, which may quote a file. */
const LONGEST_LINE = 2000;

/** Removes marks, and escapes lines that begin with `::`, so that no CI runner finds a command. */
const inert = (text: string): string =>
  withoutMarks(text.includes('::') ? text.replace(/^([^\S\n]*):(?=:)/gm, '$1\\u003a') : text);

/** Prints one line on stderr, whatever the message quotes; the stack only with --verbose. */
export function printError(message: string, options: GlobalOptions, stack?: string): void {
  const shownStack = options.verbose ? stack : undefined;
  if (options.logFormat === 'json') createLog({ ...options, logLevel: 'error' }).error({ stack: shownStack }, message);
  else {
    const lines = [brief(message.trim(), LONGEST_LINE), ...(shownStack?.split('\n') ?? [])];
    const text = lines.map((line) => `${printable(line)}\n`).join('');
    process.stderr.write(inert(`${prefixOf('error')}: ${text}`));
  }
}

export interface Progress {
  update(stage: string, fraction: number): void;
  stop(): void;
}

const SILENT: Progress = { update: () => {}, stop: () => {} };
/** Faster work shows no bar. */
const PATIENCE_MS = 300;

/** Creates a progress bar; silent without a terminal on stderr, under CI, or with --quiet. */
export function createProgress(title: string, options: GlobalOptions): Progress {
  if (options.quiet || process.env.CI || !process.stderr.isTTY) return SILENT;
  const { SingleBar: Bar }: { SingleBar: typeof SingleBar } = require('cli-progress');
  const bar = new Bar({
    format: `${printable(title)} {bar} {percentage}% {stage}`,
    stream: process.stderr,
    barsize: 24,
    // An interrupt ends the program at once, without restoring the terminal's cursor and wrapping.
    hideCursor: false,
    linewrap: true,
    clearOnComplete: true,
    noTTYOutput: false,
    barCompleteChar: '=',
    barIncompleteChar: '-',
    fps: 20,
  });
  const start = performance.now();
  let started = false;
  return {
    update(stage, fraction) {
      if (!started) {
        if (performance.now() - start < PATIENCE_MS) return;
        bar.start(100, 0, { stage });
        started = true;
      }
      bar.update(Math.round(100 * fraction), { stage });
      bar.render(); // the work is synchronous: no timer gets its turn
    },
    stop() {
      if (started) bar.stop();
    },
  };
}

/**
 * Writes to stdout, and waits while a pipe is full. Text of files cannot become a command of a CI
 * runner. If nothing can be written anymore, `main` ends the program.
 */
export function print(text: string | Uint8Array): Promise<void> {
  if (typeof text === 'string') return printCommands(inert(text));
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  return printCommands(bytes.includes('##') ? inert(bytes.toString('utf8')) : bytes);
}

/** Like `print`, but for text meant for a CI runner. */
export async function printCommands(text: string | Uint8Array): Promise<void> {
  await new Promise<void>((done) => {
    process.stdout.write(text, (error) => {
      if (!error) done();
    });
  });
}

export type Colour = 'green' | 'red' | 'yellow';

const COLOURS: Record<number, Colour> = {
  ...{ [EXIT.expected]: 'green', [EXIT.other]: 'red', [EXIT.undecided]: 'yellow', [EXIT.failed]: 'red' },
};

/** Colors the text if stdout is a terminal and NO_COLOR is not set. */
export function coloured(colour: Colour, text: string): string {
  const shows = process.stdout.isTTY === true && !process.env.NO_COLOR;
  return shows ? styleText(colour, text, { validateStream: false }) : text;
}

export const colouredBy = (code: number, text: string): string => coloured(COLOURS[code], text);

export const begunBy = (colour: Colour, line: string): string => line.replace(/^\S+/, (word) => coloured(colour, word));

export const begunByCode = (code: number, line: string): string => begunBy(COLOURS[code], line);
