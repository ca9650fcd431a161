/** The command line: parses, runs one command, and makes every failure one line on stderr and exit code 2. */
import { Command, CommanderError, Option } from 'commander';
import { InputError } from '../math/errors.ts';
import { VERSION } from '../version.ts';
import { addBuild } from './commands/build.ts';
import { addCheck } from './commands/check.ts';
import { addExport } from './commands/export.ts';
import { addInfo } from './commands/info.ts';
import { addVerify } from './commands/verify.ts';
import { EXIT } from './exit-codes.ts';
import type { Session } from './session.ts';
import { createLog, type GlobalOptions, LOG_LEVELS, printError } from './terminal.ts';

function createProgram(): Command {
  const program = new Command('gicollide')
    .description('Compact collision assets out of meshes, and provably right checks between them.')
    .version(VERSION)
    .option('-q, --quiet', 'no progress, no results but verdicts, only errors')
    .option('-v, --verbose', 'say more on stderr; a stack with an internal fault')
    .addOption(new Option('--log-level <level>', 'of the log on stderr').choices(LOG_LEVELS))
    .addOption(new Option('--log-format <format>', 'text, or one JSON object a line').choices(['text', 'json']))
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .addHelpText(
      'after',
      `
  $ gicollide build assets/bunny.obj assets/blob.obj
  $ gicollide check out/bunny.tiff out/blob.tiff --translate-b 0.4,0,0`,
    );
  const session = (command: Command): Session => {
    const global = command.optsWithGlobals<GlobalOptions>();
    return { global, log: createLog(global) };
  };
  addBuild(program, session);
  addCheck(program, session);
  addInfo(program, session);
  addVerify(program, session);
  addExport(program, session);
  for (const command of program.commands) {
    // Global options stand before or after the command's name.
    for (const option of program.options) if (option.long !== '--version') command.addOption(option);
    command.exitOverride().configureOutput({ writeErr: () => {} });
  }
  return program;
}

/** `gicollide cd check ...` is `gicollide check ...`: cd stands for collision detection. */
function dropPrefix(argv: readonly string[]): string[] {
  const [node, script, ...args] = argv;
  const first = args.findIndex((arg) => !arg.startsWith('-'));
  return [node, script, ...(args[first] === 'cd' ? args.filter((_, i) => i !== first) : args)];
}

/** Runs the command line; sets process.exitCode. */
export async function main(argv: readonly string[]): Promise<void> {
  const verbose = argv.includes('--verbose') || argv.includes('-v');
  const fail = (error: unknown): void => {
    process.exitCode = EXIT.failed;
    if (error instanceof InputError) printError(error.message);
    else {
      const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      printError(`internal fault: ${text}${verbose ? '' : ' (--verbose shows where)'}`);
      if (verbose && error instanceof Error && error.stack) process.stderr.write(`${error.stack}\n`);
    }
  };
  // Node's own code for these is 1, which is a verdict.
  process.on('uncaughtException', (error) => {
    fail(error);
    process.exit(EXIT.failed);
  });
  process.on('unhandledRejection', (error) => {
    fail(error);
    process.exit(EXIT.failed);
  });
  try {
    await createProgram().parseAsync(dropPrefix(argv));
  } catch (error) {
    if (!(error instanceof CommanderError)) fail(error);
    else if (error.exitCode !== 0) {
      process.exitCode = EXIT.failed;
      printError(
        error.code === 'commander.help'
          ? 'expected a command: build, check, info, verify, export (see --help)'
          : error.message,
      );
    }
  }
}
