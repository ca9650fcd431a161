/** The command line: parses, runs one command, and makes every failure one line on stderr and exit code 2. */
import { Command, CommanderError, Option } from 'commander';
import type { Logger } from 'pino';
import { InputError } from '../math/errors.ts';
import { VERSION } from '../version.ts';
import { addBuild } from './commands/build.ts';
import { addCheck } from './commands/check.ts';
import { addCubes } from './commands/cubes.ts';
import { addExport } from './commands/export.ts';
import { addInfo } from './commands/info.ts';
import { addVerify } from './commands/verify.ts';
import { EXIT } from './exit-codes.ts';
import { explain } from './files.ts';
import type { Session } from './session.ts';
import { createLog, type GlobalOptions, LOG_LEVELS, printError } from './terminal.ts';

function createProgram(): Command {
  const program = new Command('gicollide')
    .description('Compact collision assets out of meshes, and provably right checks between them.')
    .version(VERSION)
    .option('-q, --quiet', 'no progress, no results but verdicts, only errors')
    .option('-v, --verbose', 'say more on stderr; a stack with an internal fault')
    .addOption(new Option('--log-level <level>', 'of the log on stderr').choices(LOG_LEVELS))
    .addOption(
      new Option('--log-format <format>', 'of stderr: text, or one JSON object a line').choices(['text', 'json']),
    )
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .addHelpText(
      'after',
      `
Exit code of a check 0: the expected verdict; 1: the other one; 3: undecided. 2, of any command: it failed.

  $ gicollide build assets/bunny.obj assets/blob.obj
  $ gicollide check out/bunny.tiff out/blob.tiff --translate-b 0.4,0,0`,
    );
  const session = (command: Command): Session => {
    const global = command.optsWithGlobals<GlobalOptions>();
    let log: Logger | undefined;
    return {
      global,
      get log() {
        return (log ??= createLog(global));
      },
    };
  };
  // Until the command knows better: a program that ends too early has given no verdict.
  program.hook('preAction', () => {
    process.exitCode = EXIT.failed;
  });
  addBuild(program, session);
  addCheck(program, session);
  addCubes(program, session);
  addInfo(program, session);
  addVerify(program, session);
  addExport(program, session);
  addCheck(program.command('cd').description('collision detection: cd check is check'), session);
  return program;
}

/** Runs the command line; sets process.exitCode. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = createProgram();
  const fail = (error: unknown): void => {
    process.exitCode = EXIT.failed;
    const global = program.opts<GlobalOptions>();
    if (error instanceof InputError) printError(error.message, global);
    else {
      const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      const hint = global.verbose ? '' : ' (--verbose shows where)';
      printError(`internal fault: ${text}${hint}`, global, error instanceof Error ? error.stack : undefined);
    }
  };
  const leave = (error: unknown): never => {
    fail(error);
    process.exit(EXIT.failed);
  };
  // Node's own code for these is 1, which is a verdict.
  process.on('uncaughtException', leave);
  process.on('unhandledRejection', leave);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.failed); // the reader has gone, and knows it
    leave(explain('stdout', error));
  });
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) fail(error);
    else if (error.exitCode !== 0) fail(new InputError(usageOf(error)));
  }
}

function usageOf(error: CommanderError): string {
  if (error.code === 'commander.help') return 'expected a command: build, check, info, verify, export (see --help)';
  return error.message.replace(/^error: /, '');
}
