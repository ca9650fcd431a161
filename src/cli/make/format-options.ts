/** The options of formats for `gicollide build`, and the folder of outputs. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { SPLITS } from '../../readers/elements.ts';
import { PAGE_ROLES } from '../../representations/gi/format/pages.ts';
import { DOP_SIZES } from '../../representations/kdop/tree/dop-directions.ts';
import { LARGEST_BITS, SMALLEST_BITS } from '../../representations/kdop/tree/kdop-tree.ts';
import { addExclude, addReading, addWeld, parsePositive, parseWhole } from '../arguments.ts';
import { parseUnits } from '../units.ts';
import { BUILD_DEFAULTS } from './job.ts';

const FITS = ['auto', 'on', 'off'];

/**
 * Takes `--fit` for `--fit=on` unless a value follows. An optional value would take a file's name.
 */
function allowBareFit(command: Command): Command {
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (args) => {
    const end = args.includes('--') ? args.indexOf('--') : args.length;
    const isBare = (i: number): boolean => args[i] === '--fit' && i < end && !FITS.includes(args[i + 1]);
    return parse(args.map((arg, i) => (isBare(i) ? '--fit=on' : arg)));
  };
  return command;
}

export const addFormatOptions = (command: Command): Command =>
  allowBareFit(addReading(addWeld(addExclude(command))))
    .option(
      '-f, --format <list>',
      'formats, separated by commas: gi (geometry image), obb (compressed OBB tree), kdop (k-DOP tree of whole numbers), voxel (cubes), or all',
      BUILD_DEFAULTS.format,
    )
    .option('-o, --out <path>', 'output folder, or the file for one mesh', BUILD_DEFAULTS.out)
    .addOption(
      new Option(
        '--split <what>',
        'elements (or groups): one asset for each object (o) or group (g) of an OBJ, solid, node or link, in its place; meshes: one for each mesh, in its own frame',
      ).choices(SPLITS),
    )
    .option('--flat', 'write all outputs into one folder, without mirroring subfolders')
    .option(
      '--units <name>',
      'unit of the coordinates, recorded in the asset (m, cm, mm, in, ...) [default: the unit of the file]',
      parseUnits,
    )
    .option('--scale <s>', 'multiply all coordinates by s', parsePositive)
    .addOption(
      new Option(
        '--size <n>',
        'samples along a side: 17 33 65 129 257 513 1025 2049 4097 8193. auto: the smallest size up to 257 that reaches 78 dB and is proved to be within 0.2% of the diagonal, or whose next size gains less than half a decibel',
      )
        .default(BUILD_DEFAULTS.size)
        .argParser(parseSize),
    )
    .option(
      '--psnr <dB>',
      'choose the smallest size that reaches this quality, up to 2049 samples along a side',
      parsePositive,
    )
    .addOption(
      new Option(
        '--fit <when>',
        'move samples to their least-squares best place, which gains 4 dB on smooth surfaces and 7 to 20 at edges. auto: if that gains a decibel; on (or --fit alone): unless it loses; off: never',
      )
        .choices(FITS)
        .default(BUILD_DEFAULTS.fit),
    )
    .option(
      '--max-error <len>',
      'maximum distance between mesh and image, in both directions: a length, or a percentage of the diagonal such as 0.2%. Without --size, uses the fewest samples that reach it',
    )
    .addOption(
      new Option(
        '--charts <which>',
        'one: a single square (closed meshes without handles). auto: flat faces exactly if they are few, then a single square if it reaches 72 dB at 257, otherwise several charts. best: several charts if they are better, in up to twice the time',
      )
        .choices(['one', 'auto', 'best'])
        .default('auto'),
    )
    .option('--embed-source', "store the source's triangles, too, so check --source is exact")
    .addOption(
      new Option('--compression <c>', 'compression of the pixels')
        .choices(['deflate', 'lzw', 'none'])
        .default(BUILD_DEFAULTS.compression),
    )
    .addOption(
      new Option(
        '--pages <list>',
        `pages to write, of ${PAGE_ROLES.join(',')}. Missing spheres and slabs are made on loading [default: all]`,
      ).argParser(parsePages),
    )
    .addOption(
      new Option(
        '--spheres <method>',
        'tight: the smallest spheres around their vertices. seed: those of the GI-COLLIDE paper, with the radius itself as alpha',
      )
        .choices(['tight', 'seed'])
        .default(BUILD_DEFAULTS.spheres),
    )
    .addOption(
      new Option('--k <k>', `number of directions of a k-DOP tree: ${DOP_SIZES.join(' ')}`)
        .default(BUILD_DEFAULTS.k)
        .argParser(parseK),
    )
    .addOption(
      new Option(
        '--bits <b>',
        `bits of a coefficient of a k-DOP tree, with its sign: ${SMALLEST_BITS} to ${LARGEST_BITS}`,
      )
        .default(BUILD_DEFAULTS.bits)
        .argParser(parseBits),
    )
    .addOption(
      new Option(
        '--node-bytes <n>',
        'bytes per node of an OBB tree: 20 (smallest file), 40 (the largest), 64 (fastest checks, four boxes a node)',
      )
        .default(BUILD_DEFAULTS.nodeBytes)
        .argParser(parseNodeBytes),
    )
    .option('--precision <len>', "edge of a cube [default: about a hundredth of the mesh's diagonal]", parsePositive)
    .option('--fill', 'add the cubes inside closed meshes');

function parseSize(text: string): number | 'auto' {
  return text === 'auto' ? 'auto' : parseWhole(1)(text);
}

const parsePages = (text: string): string[] => text.split(',').map((name) => name.trim());

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
