/** `gicollide build`: meshes become collision assets. */
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { SPLITS } from '../../readers/elements.ts';
import { loadBuilders } from '../../representations/builders.ts';
import { DOP_SIZES } from '../../representations/kdop/tree/dop-directions.ts';
import { LARGEST_BITS, SMALLEST_BITS } from '../../representations/kdop/tree/kdop-tree.ts';
import { loadKinds } from '../../representations/registry.ts';
import { addName, addStrict, parsePositive, parseWhole } from '../arguments.ts';
import { type PlanFlags, planBuild } from '../build/plan.ts';
import { runJob } from '../build/run-job.ts';
import { EXIT } from '../exit-codes.ts';
import { print } from '../files.ts';
import { requireInputs, type Session, saySkipped } from '../inputs.ts';
import { printError } from '../terminal.ts';

interface BuildCommandFlags extends PlanFlags {
  strict?: boolean;
  json?: boolean;
}

const HELP = `
gi takes any triangles and stores a remesh: a closed surface of genus 0 as one square, any other as charts with about as many samples together. dB
are how near the image comes to all of the source and the source to all of the image, measured; "within" is the farthest both ways, proved.
kdop and obb take any triangles and keep them as they are; voxel takes any and stores the cubes that hold them.
A .frep.json becomes a .frep, whatever -f says: quadrics, perturbations, polynomials and sets of them, docs/frep.schema.json.
Meshes are files of any format of docs/meshes.md, told by their content; a folder gives those below it, and - is stdin.
With --split, -o is a folder: out/building.wall-1.obb, ... An element of an OBJ is what comes under one name; without one, "unnamed".
One bad mesh or element does not stop the others; any failure makes the exit code 2.

  $ gicollide build assets/bunny.obj
  out/bunny.tiff  257 x 257 from assets/bunny.obj, 3674 triangles; 80.8 and 81.8 dB, within 0.00282, 14 of its triangles reversed, 1710 KB, 1.1 s`;

export function defineBuild(command: Command, session: (command: Command) => Session): void {
  addStrict(addName(command))
    .option(
      '-f, --format <list>',
      'of meshes; gi: geometry image; kdop: k-DOP tree of whole numbers; obb: compressed OBB tree; voxel: cubes; a comma list; all',
      'gi',
    )
    .option('-o, --out <path>', 'a file for one mesh, else a folder', 'out/')
    .addOption(
      new Option(
        '--split <what>',
        'elements (also: groups): an asset for each object (o) of an OBJ or group (g), solid, node or link, where it stands; meshes: for each mesh once, in its own frame',
      ).choices(SPLITS),
    )
    .option('--flat', 'all outputs in one folder, where -o mirrors the folders below a folder that is given')
    .option(
      '--units <name>',
      'unit of the coordinates, recorded in the asset (m, cm, mm, in, ...); that of the file unless given',
    )
    .option('--scale <s>', 'multiply the coordinates', parsePositive)
    .addOption(
      new Option(
        '--size <n>',
        'samples along a side: 17 33 65 129 257 513 1025 2049 4097 8193; auto: as few as --psnr needs',
      )
        .default(257)
        .argParser(parseSize),
    )
    .option(
      '--psnr <dB>',
      'with --size auto: the quality to come to, up to 2049 samples a side; 75 unless given',
      parsePositive,
    )
    .option(
      '--fit',
      'samples nearest to the source in least squares instead of on it: 4 dB better where it is smooth, 7 to 20 where it has edges; twice the time',
    )
    .option(
      '--max-error <len>',
      'no point of the source farther from the image, nor the other way: a length, or a part of the diagonal as 0.2%; takes a larger size where it must',
    )
    .option('--embed-source', "the source's triangles go along, so that check --source is exact")
    .addOption(new Option('--compression <c>', 'of the pixels').choices(['deflate', 'lzw', 'none']).default('deflate'))
    .addOption(
      new Option('--spheres <method>', 'tight, or as the seed paper makes them')
        .choices(['tight', 'seed'])
        .default('tight'),
    )
    .addOption(
      new Option('--k <k>', `directions of a k-DOP tree: ${DOP_SIZES.join(' ')}`).default(24).argParser(parseK),
    )
    .addOption(
      new Option('--bits <b>', `of a coefficient of a k-DOP tree, sign included: ${SMALLEST_BITS} to ${LARGEST_BITS}`)
        .default(16)
        .argParser(parseBits),
    )
    .addOption(
      new Option(
        '--node-bytes <n>',
        'of an OBB tree: 40, as the seed paper arrives at; 20, less than a third of its size; 64, half its size, for the fastest checks',
      )
        .default(40)
        .argParser(parseNodeBytes),
    )
    .option('--precision <len>', "edge of a cube; about a hundredth of the mesh's diagonal unless given", parsePositive)
    .option('--fill', 'of a closed mesh the cubes inside, too')
    .option('--json', 'one JSON object a mesh')
    .addHelpText('after', HELP)
    .action(async (meshes: string[], flags: BuildCommandFlags, command: Command) => {
      process.exitCode = await build(meshes, flags, session(command), givenOptions(command));
    });
}

/** The options that were written on the command line, as there, by their names in the library. */
function givenOptions(command: Command): Map<string, string> {
  const given = command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli');
  return new Map(given.map((option) => [option.attributeName(), option.long ?? option.flags]));
}

async function build(
  args: string[],
  flags: BuildCommandFlags,
  session: Session,
  given: ReadonlyMap<string, string>,
): Promise<number> {
  await Promise.all([loadKinds(), loadBuilders()]);
  requireInputs(args, session);
  const { jobs, problems, skipped, inputs } = await planBuild(args, flags, given, session);
  for (const problem of problems) printError(problem, session.global);
  const isIncomplete = saySkipped(skipped, flags.strict ?? false, session) || problems.length > 0;
  let code: number = isIncomplete ? EXIT.failed : EXIT.expected;
  const isSilent = (session.global.quiet ?? false) && !flags.json;
  for (const job of jobs) {
    for await (const record of runJob(job, { inputs, measures: !isSilent }, session)) {
      if (record.status === 'failed') {
        printError(record.message, session.global);
        code = EXIT.failed;
      } else if (!isSilent) await print(`${flags.json ? JSON.stringify(record.line) : record.text}\n`);
    }
  }
  return code;
}

function parseSize(text: string): number | 'auto' {
  return text === 'auto' ? 'auto' : parseWhole(1)(text);
}

function parseK(text: string): number {
  const k = DOP_SIZES.find((size) => String(size) === text);
  if (k === undefined)
    throw new InvalidArgumentError(`Expected ${DOP_SIZES.slice(0, -1).join(', ')} or ${DOP_SIZES.at(-1)}.`);
  return k;
}

function parseBits(text: string): number {
  const bits = Number(text);
  if (text.trim() === '' || !Number.isInteger(bits) || bits < SMALLEST_BITS || bits > LARGEST_BITS) {
    throw new InvalidArgumentError(`Expected a whole number from ${SMALLEST_BITS} to ${LARGEST_BITS}.`);
  }
  return bits;
}

function parseNodeBytes(text: string): number {
  if (text !== '40' && text !== '20' && text !== '64') throw new InvalidArgumentError('Expected 40, 20 or 64.');
  return Number(text);
}
