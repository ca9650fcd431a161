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
      'of meshes; gi: geometry image; kdop: k-DOP tree of whole numbers; obb: compressed OBB tree; voxel: cubes; a comma list; all',
      BUILD_DEFAULTS.format,
    )
    .option('-o, --out <path>', 'a file for one mesh, else a folder', BUILD_DEFAULTS.out)
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
      parseUnits,
    )
    .option('--scale <s>', 'multiply the coordinates', parsePositive)
    .addOption(
      new Option(
        '--size <n>',
        'samples along a side: 17 33 65 129 257 513 1025 2049 4097 8193; auto: the smallest up to 257 that reaches 78 dB and is proved to be within 0.2% of the diagonal, or whose next size gains less than half a decibel',
      )
        .default(BUILD_DEFAULTS.size)
        .argParser(parseSize),
    )
    .option(
      '--psnr <dB>',
      'quality to reach; it chooses the size, up to 2049 samples along a side, instead of the rule of --size auto',
      parsePositive,
    )
    .addOption(
      new Option(
        '--fit <when>',
        'samples nearest to the source in least squares instead of on it, 4 dB better where it is smooth, 7 to 20 where it has edges; auto: where that gains a decibel; on (also --fit alone): unless it loses; off: never',
      )
        .choices(FITS)
        .default(BUILD_DEFAULTS.fit),
    )
    .option(
      '--max-error <len>',
      'no point of the source farther from the image, nor the other way: a length, or a part of the diagonal as 0.2%; without --size, as few samples as reach it',
    )
    .addOption(
      new Option(
        '--charts <which>',
        'one: a single square (closed meshes without handles); auto: flat faces exactly if they are few, else a single square if it reaches 72 dB at 257, else several charts; best: several charts wherever they are better, in up to twice the time',
      )
        .choices(['one', 'auto', 'best'])
        .default('auto'),
    )
    .option('--embed-source', "the source's triangles go along, so that check --source is exact")
    .addOption(
      new Option('--compression <c>', 'of the pixels')
        .choices(['deflate', 'lzw', 'none'])
        .default(BUILD_DEFAULTS.compression),
    )
    .addOption(
      new Option(
        '--pages <list>',
        `those that are written, of ${PAGE_ROLES.join(',')}; all unless given. Spheres and slabs are made on loading where a file has none; without normals and deviation it is read without them`,
      ).argParser(parsePages),
    )
    .addOption(
      new Option(
        '--spheres <method>',
        'tight makes the smallest spheres around their vertices. seed makes those of the GI-COLLIDE paper, with the radius itself as alpha.',
      )
        .choices(['tight', 'seed'])
        .default(BUILD_DEFAULTS.spheres),
    )
    .addOption(
      new Option('--k <k>', `directions of a k-DOP tree: ${DOP_SIZES.join(' ')}`)
        .default(BUILD_DEFAULTS.k)
        .argParser(parseK),
    )
    .addOption(
      new Option('--bits <b>', `of a coefficient of a k-DOP tree, sign included: ${SMALLEST_BITS} to ${LARGEST_BITS}`)
        .default(BUILD_DEFAULTS.bits)
        .argParser(parseBits),
    )
    .addOption(
      new Option(
        '--node-bytes <n>',
        'of an OBB tree: 40, as the seed paper arrives at; 20, less than a third of its size; 64, half its size, for the fastest checks',
      )
        .default(BUILD_DEFAULTS.nodeBytes)
        .argParser(parseNodeBytes),
    )
    .option('--precision <len>', "edge of a cube; about a hundredth of the mesh's diagonal unless given", parsePositive)
    .option('--fill', 'of a closed mesh the cubes inside, too');

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
