/**
 * Runs the command line: parses it, runs one command, and turns every failure into one line on
 * stderr and exit code 2.
 */
import { Command, CommanderError, Option } from 'commander';
import { InputError } from '../base/errors.ts';
import { VERSION } from '../version.ts';
import { addPackage, parseWhole } from './arguments.ts';
import { EXIT } from './exit-codes.ts';
import { explain } from './inputs/name.ts';
import type { Session } from './session.ts';
import { createLog, type GlobalOptions, LOG_LEVELS, printError } from './terminal.ts';

type Define = (command: Command, session: (command: Command) => Session) => void;

interface Entry {
  name: string;
  /** Its heading in --help. */
  use: string;
  description: string;
  operands: [name: string, description: string][];
  define: () => Promise<Define>;
}

const ASSETS = 'Assets:';
const CHECKS = 'Checks:';
const FINDINGS = 'Findings, told and shown:';
const MACHINES = 'Many runs, many machines:';

const CHECK: Entry = {
  name: 'check',
  use: CHECKS,
  description: 'do two assets touch?',
  operands: [
    ['[a]', 'an asset that build wrote; or a mesh or a .frep.json, built in memory; - is stdin'],
    ['[b]', 'likewise; --finding names both'],
  ],
  define: async () => (await import('./commands/check.ts')).defineCheck,
};

/** A module takes longer to load than Node to start, so only the command that runs is loaded. */
const COMMANDS: Entry[] = [
  {
    name: 'build',
    use: ASSETS,
    description: 'turn meshes and models into collision assets',
    operands: [
      [
        '[mesh...]',
        'meshes, models of F-reps (.frep.json), folders of them, or globs in quotes; - is stdin; none: gicollide.json says it',
      ],
    ],
    define: async () => (await import('./commands/build.ts')).defineBuild,
  },
  CHECK,
  {
    name: 'scene',
    use: CHECKS,
    description: 'which of many placed objects touch, or come too close',
    operands: [
      [
        '[file...]',
        'scene files, meshes (their elements), folders, or assets; - is stdin; none: the scenes of gicollide.json',
      ],
    ],
    define: async () => (await import('./commands/scene.ts')).defineScene,
  },
  {
    name: 'cubes',
    use: CHECKS,
    description: 'which of many models collide, and in which cubes of one grid',
    operands: [
      [
        '<model...>',
        'voxel assets of one precision, meshes, folders or globs; the elements of one mesh file are models; - is stdin',
      ],
    ],
    define: async () => (await import('./commands/cubes.ts')).defineCubes,
  },
  {
    name: 'info',
    use: ASSETS,
    description: 'what an asset or a mesh file holds: sizes, bytes, levels, source',
    operands: [['<file>', 'an asset that build wrote, or a mesh; - is stdin']],
    define: async () => (await import('./commands/info.ts')).defineInfo,
  },
  {
    name: 'verify',
    use: ASSETS,
    description: 'prove that every bound contains what it bounds',
    operands: [['<file>', 'an asset, from anywhere']],
    define: async () => (await import('./commands/verify.ts')).defineVerify,
  },
  {
    name: 'lint',
    use: CHECKS,
    description: 'what is wrong with meshes: open, inside out, self-intersecting, ...',
    operands: [['<mesh...>', 'meshes, assets of triangles, folders of them, or globs in quotes; - is stdin']],
    define: async () => (await import('./commands/lint.ts')).defineLint,
  },
  {
    name: 'merge',
    use: FINDINGS,
    description: 'the shards of a scene or of cubes, told as one run',
    operands: [['<shards...>', 'folders or files that --shard with --report blob=dir has written']],
    define: async () => (await import('./commands/merge.ts')).defineMerge,
  },
  {
    name: 'report',
    use: FINDINGS,
    description: 'findings as files that CI and other programs open: JUnit, SARIF, BCF, HTML, ...',
    operands: [['<findings>', 'what scene, lint, check, cubes or verify printed with --json; - is stdin']],
    define: async () => (await import('./commands/report.ts')).defineReport,
  },
  {
    name: 'view',
    use: FINDINGS,
    description: 'see a pair or a scene in a browser, move it, and the verdict follows',
    operands: [
      [
        '<input...>',
        'one or two assets or meshes; scene files, meshes (their elements), folders, robots; findings of --json; - is stdin',
      ],
    ],
    define: async () => (await import('./commands/view.ts')).defineView,
  },
  {
    name: 'picture',
    use: FINDINGS,
    description: 'a view of a pair or a scene as PNG, as the page of gicollide view shows it',
    operands: [['<input...>', 'what gicollide view takes: assets, meshes, scenes, findings; - is stdin']],
    define: async () => (await import('./commands/picture.ts')).definePicture,
  },
  {
    name: 'worker',
    use: MACHINES,
    description: 'answer what others put into a queue on Redis, on any number of machines',
    operands: [],
    define: async () => (await import('./commands/worker.ts')).defineWorker,
  },
  {
    name: 'export',
    use: ASSETS,
    description: 'the stored surface as OBJ, or the bounding volumes of one level, to look at anywhere',
    operands: [['<file>', 'an asset that build wrote']],
    define: async () => (await import('./commands/export.ts')).defineExport,
  },
  {
    name: 'cache',
    use: MACHINES,
    description: 'the cache of what projects build: what it holds, and how it is kept small',
    operands: [],
    define: async () => (await import('./commands/cache.ts')).defineCache,
  },
];

const COMMAND_AT = 2;
const HELP_WORDS = ['-h', '--help', 'help'];

/** Defines only the commands that occur in `argv`; `npm run reference` names all. */
export async function createProgram(argv: readonly string[]): Promise<Command> {
  const isForHelp = argv.length <= COMMAND_AT || argv.some((word) => HELP_WORDS.includes(word));
  const help = isForHelp ? await import('./help.ts') : undefined;
  const program = new Command('gicollide')
    .description('Compact collision assets out of meshes, and provably right checks between them.')
    .version(VERSION)
    .option('-q, --quiet', 'no progress, no results but verdicts, only errors')
    .option('-v, --verbose', 'say more on stderr; a stack with an internal fault')
    .addOption(new Option('--log-level <level>', 'of the log on stderr').choices(LOG_LEVELS))
    .addOption(
      new Option('--log-format <format>', 'of stderr: text, or one JSON object a line').choices(['text', 'json']),
    )
    .option(
      '--max-bytes <n>',
      'most bytes of a pipe, a device, or a file that another file names; 2147483648 unless given',
      parseWhole(1),
    )
    .option('--package <name=dir>', 'where package://name/ of a robot (URDF) is; may come again', addPackage)
    .configureHelp({ showGlobalOptions: true, ...help?.ORDER })
    .commandsGroup('Help:')
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
    const log = createLog(global);
    // Warnings of the process: that sharp cannot be loaded, and Node's own, which Node would print
    // on two lines.
    process.removeAllListeners('warning').on('warning', ({ message }) => log.warn(message));
    return { global, log };
  };
  // Until the command sets it: a program that ends too early has given no verdict.
  program.hook('preAction', () => {
    process.exitCode = EXIT.failed;
  });
  const add = async (parent: Command, { name, use, description, operands, define }: Entry): Promise<void> => {
    const command = parent.command(name).helpGroup(use).description(description);
    for (const operand of operands) command.argument(...operand);
    if (argv.includes(name)) {
      (await define())(command, session);
      help?.groupOptions(command);
    } else command.addOption(new Option('--any').hideHelp()); // the list of commands says which have options
  };
  for (const entry of COMMANDS) await add(program, entry);
  await add(program.command('cd').helpGroup(CHECKS).description('collision detection: cd check is check'), CHECK);
  return program;
}

export async function main(argv: readonly string[]): Promise<void> {
  const program = await createProgram(argv);
  const fail = (error: unknown): void => {
    process.exitCode = EXIT.failed;
    const global = program.opts<GlobalOptions>();
    if (error instanceof InputError) printError(error.message, global);
    else {
      const text = error instanceof Error ? `${error.name}: ${error.message.replaceAll(/\s+/g, ' ')}` : String(error);
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
  // Without arguments a person sees the help; for a script it is still an error.
  if (argv.length <= COMMAND_AT) program.outputHelp();
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) fail(error);
    else if (error.exitCode !== 0) fail(new InputError(usageOf(error)));
  }
}

function usageOf(error: CommanderError): string {
  if (error.code === 'commander.help')
    return 'expected a command: build, check, scene, info, verify, lint, merge, report, view, picture, export, cubes, worker, cache (see --help)';
  return error.message.replace(/^error: /, '').replace(/\n(?=\(Did you mean )/, ' ');
}
