/** Talk to the person: logs by pino and a progress bar, both on stderr, so that stdout holds results alone. */
import { SingleBar } from 'cli-progress';
import pino from 'pino';
import pretty from 'pino-pretty';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export interface GlobalOptions {
  quiet?: boolean;
  verbose?: boolean;
  logLevel?: (typeof LOG_LEVELS)[number];
  logFormat?: 'text' | 'json';
}

/** One line a message on stderr, readable, or as JSON with `--log-format json`; NO_COLOR is honoured. */
export function createLog(options: GlobalOptions): pino.Logger {
  const level = options.logLevel ?? (options.quiet ? 'error' : options.verbose ? 'debug' : 'warn');
  const destination =
    options.logFormat === 'json'
      ? pino.destination({ dest: 2, sync: true })
      : pretty({
          destination: 2,
          sync: true,
          singleLine: true,
          colorize: process.stderr.isTTY === true && !process.env.NO_COLOR,
          ignore: 'pid,hostname,time',
          messageFormat: '{msg}',
        });
  return pino({ level, base: null }, destination);
}

/** One line on stderr that says why nothing, or not everything, was done. */
export function printError(message: string): void {
  process.stderr.write(`gicollide: ${message.replaceAll(/\s*\n\s*/g, ' ').trim()}\n`);
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
  const bar = new SingleBar({
    format: `${title} {bar} {percentage}% {stage}`,
    stream: process.stderr,
    barsize: 24,
    hideCursor: true,
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
