/**
 * Talk to the person: logs by pino and a progress bar, both on stderr, so that stdout holds results
 * alone.
 */
import { createRequire } from 'node:module';
import { styleText } from 'node:util';
import type { SingleBar } from 'cli-progress';
import type pino from 'pino';
import { brief, printable, withoutMarks } from '../math/printable.ts';

/**
 * These packages take as long to load as the rest of the program, and most runs have nothing to log
 * and no bar to draw.
 */
const require = createRequire(import.meta.url);

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export interface GlobalOptions {
  quiet?: boolean;
  verbose?: boolean;
  logLevel?: (typeof LOG_LEVELS)[number];
  logFormat?: 'text' | 'json';
  /** Of a pipe, a device, or a file that another file names. */
  maxBytes?: number;
  /** What stdin is called. */
  name?: string;
  /** Folders of ROS packages, by the packages' names. */
  package?: ReadonlyMap<string, string>;
  /** Whether files that other files name may lie anywhere. */
  allowOutside?: boolean;
}

export type Log = Pick<pino.Logger, 'info' | 'warn' | 'error'>;

/**
 * One line a message on stderr, readable, or as JSON with `--log-format json`; NO_COLOR is
 * honoured. pino comes with the first of them.
 */
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

/**
 * One of pino's lines of JSON as a person reads it: its level, in colour on a terminal, and what it
 * says.
 */
function readableLine(json: string, labels: Record<number, string>): string {
  const { level, msg }: { level: number; msg: string } = JSON.parse(json);
  const label = labels[level].toUpperCase();
  const coloured = process.stderr.isTTY === true && !process.env.NO_COLOR;
  const colour = level >= 50 ? 'red' : level >= 40 ? 'yellow' : 'green';
  // Node 22 and later would ask whether stdout is a terminal; this line goes to stderr.
  const shown = coloured ? styleText(colour, label, { validateStream: false }) : label;
  return inert(`${shown}: ${printable(msg)}\n`);
}

/** Characters of a message, at most: it may quote a file. */
const LONGEST_LINE = 2000;

/**
 * Text without marks, and without lines that begin with `::`: no CI runner finds a command in it.
 *
 * @example inert('::error::x.obj  fresh\n') // '\\u003a:error::x.obj  fresh\n'
 */
export const inert = (text: string): string => withoutMarks(text.replace(/^([^\S\n]*):(?=:)/gm, '$1\\u003a'));

/**
 * One line on stderr, whatever the message quotes, that says why not everything was done; a stack
 * only under --verbose.
 */
export function printError(message: string, options: GlobalOptions, stack?: string): void {
  const shownStack = options.verbose ? stack : undefined;
  if (options.logFormat === 'json') createLog({ ...options, logLevel: 'error' }).error({ stack: shownStack }, message);
  else {
    const lines = [`gicollide: ${brief(message.trim(), LONGEST_LINE)}`, ...(shownStack?.split('\n') ?? [])];
    process.stderr.write(inert(lines.map((line) => `${printable(line)}\n`).join('')));
  }
}

export interface Progress {
  update(stage: string, fraction: number): void;
  stop(): void;
}

const SILENT: Progress = { update: () => {}, stop: () => {} };
/** Work that is done sooner shows no bar. */
const PATIENCE_MS = 300;

/** A bar for one piece of work; nothing where stderr is no terminal, under CI or with --quiet. */
export function createProgress(title: string, options: GlobalOptions): Progress {
  if (options.quiet || process.env.CI || !process.stderr.isTTY) return SILENT;
  const { SingleBar: Bar }: { SingleBar: typeof SingleBar } = require('cli-progress');
  const bar = new Bar({
    format: `${printable(title)} {bar} {percentage}% {stage}`,
    stream: process.stderr,
    barsize: 24,
    // An interrupt ends the program at once, with nobody left to give the terminal its cursor and
    // its wrapping back.
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
