/**
 * Runs the command line: parses it, runs one command, and turns every failure into one line on
 * stderr and exit code 2.
 */
import { Command, CommanderError, Option } from 'commander';
import { InputError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { VERSION } from '../version.ts';
import { addPackage, notes, parseWhole } from './arguments.ts';
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
const FINDINGS = 'Findings:';
const MACHINES = 'Many runs, many machines:';

const CHECK: Entry = {
  name: 'check',
  use: CHECKS,
  description: 'check whether two assets or meshes touch',
  operands: [
    ['[a]', 'an asset of gicollide build; or a mesh or a .frep.json, built in memory; - is stdin'],
    ['[b]', 'the same; --finding names both'],
  ],
  define: async () => (await import('./commands/check.ts')).defineCheck,
};

/** A module takes longer to load than Node to start, so only the command that runs is loaded. */
const COMMANDS: Entry[] = [
  {
    name: 'build',
    use: ASSETS,
    description: 'build collision assets from meshes and models',
    operands: [
      [
        '[mesh...]',
        'meshes, F-rep models (.frep.json), folders, or globs in quotes; - is stdin [default: those of gicollide.json]',
      ],
    ],
    define: async () => (await import('./commands/build.ts')).defineBuild,
  },
  CHECK,
  {
    name: 'scene',
    use: CHECKS,
    description: 'find placed objects that touch or are too close',
    operands: [
      [
        '[file...]',
        'scene files, meshes (their elements), folders, or assets; - is stdin [default: the scenes of gicollide.json]',
      ],
    ],
    define: async () => (await import('./commands/scene.ts')).defineScene,
  },
  {
    name: 'cubes',
    use: CHECKS,
    description: 'find models that share cubes of one grid',
    operands: [
      [
        '<model...>',
        'voxel assets of one precision, meshes, folders or globs; the elements of a single mesh file are models; - is stdin',
      ],
    ],
    define: async () => (await import('./commands/cubes.ts')).defineCubes,
  },
  {
    name: 'init',
    use: ASSETS,
    description: 'write a project, a scene, a baseline and a CI file for a folder',
    operands: [['[folder]', 'a folder with meshes, robots or scene files [default: .]']],
    define: async () => (await import('./commands/init.ts')).defineInit,
  },
  {
    name: 'info',
    use: ASSETS,
    description: 'show the content of an asset or a mesh file',
    operands: [['<file>', 'an asset or a mesh; - is stdin']],
    define: async () => (await import('./commands/info.ts')).defineInfo,
  },
  {
    name: 'verify',
    use: ASSETS,
    description: 'prove that every bound of an asset contains its content',
    operands: [['<file>', 'an asset from any source']],
    define: async () => (await import('./commands/verify.ts')).defineVerify,
  },
  {
    name: 'lint',
    use: CHECKS,
    description: 'find faults of meshes: open, inside out, self-intersecting, ...',
    operands: [['<mesh...>', 'meshes, assets of triangles, folders of them, or globs in quotes; - is stdin']],
    define: async () => (await import('./commands/lint.ts')).defineLint,
  },
  {
    name: 'merge',
    use: FINDINGS,
    description: 'join the shards of a scene or of cubes to one run',
    operands: [['<shards...>', 'folders or files of --shard with --report blob=dir']],
    define: async () => (await import('./commands/merge.ts')).defineMerge,
  },
  {
    name: 'report',
    use: FINDINGS,
    description: 'write findings as files for CI and other programs: JUnit, SARIF, BCF, HTML, ...',
    operands: [['<findings>', 'JSON output of scene, lint, check, cubes or verify; - is stdin']],
    define: async () => (await import('./commands/report.ts')).defineReport,
  },
  {
    name: 'view',
    use: FINDINGS,
    description: 'show a pair or a scene in a browser; the verdict follows as you move it',
    operands: [
      [
        '<input...>',
        'one or two assets or meshes; scene files, folders, robots; or the JSON output of scene or check; - is stdin',
      ],
    ],
    define: async () => (await import('./commands/view.ts')).defineView,
  },
  {
    name: 'picture',
    use: FINDINGS,
    description: 'draw a pair or a scene as PNG, like the page of gicollide view',
    operands: [['<input...>', 'the inputs of gicollide view: assets, meshes, scenes, findings; - is stdin']],
    define: async () => (await import('./commands/picture.ts')).definePicture,
  },
  {
    name: 'worker',
    use: MACHINES,
    description: 'answer jobs from a queue on Redis',
    operands: [],
    define: async () => (await import('./commands/worker.ts')).defineWorker,
  },
  {
    name: 'export',
    use: ASSETS,
    description: 'write the stored surface as OBJ, or the bounding volumes of one level',
    operands: [['<file>', 'an asset of gicollide build']],
    define: async () => (await import('./commands/export.ts')).defineExport,
  },
  {
    name: 'cache',
    use: MACHINES,
    description: 'show or shrink the cache of builds',
    operands: [],
    define: async () => (await import('./commands/cache.ts')).defineCache,
  },
];

const COMMAND_AT = 2;
const WHOLE_HELP = '--help-all';
const HELP_WORDS = ['-h', '--help', 'help', WHOLE_HELP];

/** Defines only the commands that occur in `argv`; `npm run reference` names all. */
export async function createProgram(argv: readonly string[]): Promise<Command> {
  const isForHelp = argv.length <= COMMAND_AT || argv.some((word) => HELP_WORDS.includes(word));
  const help = isForHelp ? await import('./help.ts') : undefined;
  const isWhole = argv.includes(WHOLE_HELP);
  const program = new Command('gicollide')
    .description('Build compact collision assets from meshes, and check them with proofs.')
    .version(VERSION)
    .option('-q, --quiet', 'print only verdicts, failing findings and errors')
    .option('-v, --verbose', 'print more on stderr, and a stack trace for internal faults')
    .addOption(new Option('--log-level <level>', 'level of the log on stderr').choices(LOG_LEVELS))
    .addOption(
      new Option('--log-format <format>', 'format of the log: text, or one JSON object a line').choices([
        'text',
        'json',
      ]),
    )
    .option(
      '--max-bytes <n>',
      'limit for pipes, devices, and files that another file names [default: 2147483648]',
      parseWhole(1),
    )
    .option('--package <name=dir>', 'folder of package://name/ in robot files (URDF); repeatable', addPackage)
    .configureHelp({ ...(isWhole ? help?.WHOLE : help?.SHORT) })
    .commandsGroup('Help:')
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  program.setOptionValue('helpAll', isWhole);
  program.addHelpText(
    'after',
    notes(
      'Exit code of a check: 0: the expected verdict; 1: the other one; 3: undecided. Any command exits with 2 if it fails.',
      `  $ gicollide build assets/bunny.obj assets/blob.obj
  $ gicollide check out/bunny.tiff out/blob.tiff --translate-b 0.4,0,0`,
    ),
  );
  if (!isWhole) help?.addRest(program);
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
      if (isWhole) help?.groupOptions(command);
      else help?.addRest(command);
    } else command.addOption(new Option('--any').hideHelp()); // the list of commands says which have options
  };
  for (const entry of COMMANDS) await add(program, entry);
  const cd = program.command('cd', { hidden: true }).helpGroup(CHECKS).description('another name: cd check is check');
  if (!isWhole) help?.addRest(cd);
  await add(cd, CHECK);
  return program;
}

export async function main(argv: readonly string[]): Promise<void> {
  const program = await createProgram(argv);
  const words = argv.slice(COMMAND_AT).map((word) => (word === WHOLE_HELP ? '--help' : word));
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
  // Commander would print the help of the program for `gicollide unknown --help`.
  const isUnknown =
    words[0] !== undefined &&
    !words[0].startsWith('-') &&
    !program.commands.some((command) => command.name() === words[0]) &&
    words[0] !== 'help';
  // Without arguments a person sees the help; for a script it is still an error.
  if (argv.length <= COMMAND_AT) program.outputHelp();
  try {
    await program.parseAsync([...argv.slice(0, COMMAND_AT), ...(isUnknown ? [words[0]] : words)]);
  } catch (error) {
    if (!(error instanceof CommanderError)) fail(error);
    else if (error.exitCode !== 0) fail(new InputError(usageOf(error)));
  }
}

/** Words that people try for commands of other names. */
const MEANT: Readonly<Record<string, string>> = {
  ...{ convert: 'build', compile: 'build', collide: 'check', compare: 'check', distance: 'check', clash: 'scene' },
  ...{ validate: 'verify', show: 'view', open: 'view', serve: 'view', page: 'view', render: 'picture', png: 'picture' },
  ...{ queue: 'worker', shard: 'merge', clean: 'cache' },
};

function usageOf(error: CommanderError): string {
  const names = COMMANDS.map(({ name }) => name).join(', ');
  if (error.code === 'commander.help') return `expected a command: ${names} (see --help)`;
  const [, unknown] = /^error: unknown command '(.*)'$/s.exec(error.message) ?? [];
  if (unknown !== undefined) {
    const meant = Object.hasOwn(MEANT, unknown) ? `did you mean ${MEANT[unknown]}?` : `expected ${names}`;
    return `unknown command ${printable(unknown)}: ${meant}`;
  }
  return error.message.replace(/^error: /, '').replace(/\n(?=\(Did you mean )/, ' ');
}
