/** `gicollide build`: meshes become collision assets. */

import { basename } from 'node:path';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import type { BuildOptions } from '../../api.ts';
import type { Compression } from '../../containers/pixels.ts';
import { InputError, OptionError } from '../../math/errors.ts';
import { diagonalOf } from '../../mesh/extent.ts';
import type { Mesh } from '../../mesh/mesh.ts';
import { SPLITS, type Split } from '../../readers/elements.ts';
import { MESH_ENDINGS } from '../../readers/formats.ts';
import {
  builderNamed,
  builtKinds,
  builtKindsInWords,
  kindsWithOption,
  loadBuilders,
} from '../../representations/builders.ts';
import { exponentOf, type GeometryImage } from '../../representations/gi/tree/geometry-image.ts';
import type { SphereMethod } from '../../representations/gi/tree/sphere-tree.ts';
import { DOP_SIZES } from '../../representations/kdop/tree/dop-directions.ts';
import { LARGEST_BITS, SMALLEST_BITS } from '../../representations/kdop/tree/kdop-tree.ts';
import { KINDS } from '../../representations/kinds.ts';
import { kindNamed, loadKinds, representationOf } from '../../representations/registry.ts';
import { addName, addStrict, parsePositive, parseWhole } from '../arguments.ts';
import { inWords, measure, ownFields, qualityOf, round, shown } from '../build-lines.ts';
import { type MeshPiece, piecesOf, type SolidPiece } from '../build-pieces.ts';
import { EXIT } from '../exit-codes.ts';
import { expandFiles, extensionOf, identityOf, MODEL, print } from '../files.ts';
import { about, nameOf, readWhole, requireInputs, type Session, saySkipped } from '../inputs.ts';
import { planOutputs } from '../outputs.ts';
import { buildFrom, buildModel, encodeAsset, modelOf } from '../session.ts';
import { printError } from '../terminal.ts';
import { writeWhole } from '../write-whole.ts';

interface BuildFlags {
  format: string;
  out: string;
  split?: Split;
  flat?: boolean;
  strict?: boolean;
  units?: string;
  scale?: number;
  size: number | 'auto';
  psnr?: number;
  fit?: boolean;
  maxError?: string;
  embedSource?: boolean;
  compression: Compression;
  spheres: SphereMethod;
  k: number;
  bits: number;
  nodeBytes: number;
  precision?: number;
  fill?: boolean;
  json?: boolean;
}

/** What models become, which no mesh does. */
const FREP = 'frep';

/**
 * Larger images are not measured: a search tree over their millions of triangles takes longer than
 * the build.
 */
const MEASURE_UP_TO = 513;

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
    .action(async (meshes: string[], flags: BuildFlags, command: Command) => {
      process.exitCode = await build(meshes, flags, session(command), givenOptions(command));
    });
}

/** The options that were written on the command line, as there, by their names in the library. */
function givenOptions(command: Command): Map<string, string> {
  const given = command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli');
  return new Map(given.map((option) => [option.attributeName(), option.long ?? option.flags]));
}

/** Throws OptionError for an option of kinds none of which is built. */
function refuseUnbuilt(given: ReadonlyMap<string, string>, built: readonly string[], asked: string): void {
  for (const [name, flag] of given) {
    const owners = kindsWithOption(name);
    if (owners.length === 0 || owners.some((owner) => built.includes(owner))) continue;
    throw new OptionError(`${flag}: an option of ${owners.join(' and ')}, which is not built (${asked})`);
  }
}

/**
 * Endings of what build writes: what an earlier run left in a folder is no file that was forgotten.
 */
const WRITTEN = KINDS.map(({ extension }) => extension);

async function build(
  args: string[],
  flags: BuildFlags,
  session: Session,
  given: ReadonlyMap<string, string>,
): Promise<number> {
  await Promise.all([loadKinds(), loadBuilders()]);
  const formats = parseFormats(flags.format);
  if (flags.size !== 'auto' && exponentOf(flags.size) < 0) {
    throw new OptionError(`--size ${flags.size}: expected 17, 33, 65, 129, 257, 513, 1025, 2049, 4097, 8193 or auto`);
  }
  requireInputs(args, session);
  const { files: all, problems, below, skipped } = await expandFiles(args, [...MESH_ENDINGS, MODEL], WRITTEN);
  const isModel = (file: string): boolean => extensionOf(nameOf(file, session)) === MODEL;
  const models = all.filter(isModel);
  const files = all.filter((file) => !isModel(file));
  if (files.length > 0 || models.length === 0) {
    refuseUnbuilt(given, formats, `-f ${flags.format}`);
  } else refuseUnbuilt(given, [FREP], 'a .frep.json becomes a .frep');
  const several =
    all.length + problems.length > 1 || (files.length > 0 && (formats.length > 1 || flags.split !== undefined));
  const plan = (inputs: string[], format: string): string[] => {
    const names = inputs.map((file) => (!flags.flat && below.get(file)) || basename(nameOf(file, session)));
    return inputs.length > 0 ? planOutputs(inputs, names, flags.out, kindNamed(format).extension, several) : [];
  };
  const outputs = formats.map((format) => plan(files, format));
  const modelOutputs = plan(models, FREP);
  const solidOutputs = flags.split === undefined ? [] : plan(files, FREP);
  for (const problem of problems) printError(problem, session.global);
  const isIncomplete = saySkipped(skipped, flags.strict ?? false, session) || problems.length > 0;
  let code: number = isIncomplete ? EXIT.failed : EXIT.expected;
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      printError(error.message, session.global);
      code = EXIT.failed;
      return undefined;
    }
  };
  for (let i = 0; i < models.length; i++)
    await attempt(() => buildOneModel(models[i], modelOutputs[i], flags, session));
  const taken = new Set<string>();
  const inputs = new Set(files.map(identityOf));
  for (const [i, file] of files.entries()) {
    const own = { meshes: outputs.map((list) => list[i]), solids: solidOutputs[i] };
    const pieces = await attempt(() => piecesOf(file, own, flags, { taken, inputs }, session));
    for (const piece of pieces ?? []) {
      if ('model' in piece) await attempt(() => buildSolid(piece, flags, session));
      else
        for (const [k, format] of formats.entries())
          await attempt(() => buildOne(piece, format, piece.outputs[k], flags, session));
    }
  }
  return code;
}

/** The kinds that a comma list names; `all` names every one that meshes can become. */
function parseFormats(list: string): readonly string[] {
  if (list === 'all') return builtKinds();
  return [...new Set(list.split(','))].map((name) => {
    const kind = name.trim();
    if (kind === FREP)
      throw new OptionError('--format frep: a mesh is no function; a .frep.json becomes one by itself');
    if (builtKinds().includes(kind)) return kind;
    throw new OptionError(`--format ${name}: expected ${builtKindsInWords()}, a list of them, or all`);
  });
}

/** The format with those of the flags that are its own options. */
function ownOptions(format: string, flags: BuildFlags, mesh: Mesh): BuildOptions {
  const { maxError } = flags;
  const { options } = builderNamed(format)!;
  const all = { ...flags, maxError: maxError === undefined ? undefined : lengthOf(maxError, mesh) };
  const own = Object.entries(all).filter(([key, value]) => Object.hasOwn(options, key) && value !== undefined);
  return { ...Object.fromEntries(own), format } as BuildOptions;
}

async function buildOne(
  { name, element, units, ...loaded }: MeshPiece,
  format: string,
  output: string,
  flags: BuildFlags,
  session: Session,
): Promise<void> {
  const start = performance.now();
  const asset = await buildFrom(
    name,
    loaded,
    {
      ...ownOptions(format, flags, loaded.mesh),
      ...(units !== undefined && { units }),
      ...(flags.scale !== undefined && { scale: flags.scale }),
      ...(element !== undefined && { element }),
    },
    session,
  );
  const bytes = await about(name, () => encodeAsset(asset, { compression: flags.compression }));
  await writeWhole(output, bytes);
  const seconds = (performance.now() - start) / 1000;
  if (session.global.quiet && !flags.json) return;
  const image = format === 'gi' ? (asset as GeometryImage) : null;
  const isMeasured = image !== null && image.quads <= (MEASURE_UP_TO - 1) ** 2;
  const measured = isMeasured ? measure(loaded.mesh, representationOf(asset).surface(asset)) : null;
  const triangles = loaded.mesh.triangles.length / 3;
  if (flags.json) {
    const line = {
      file: output,
      source: name,
      ...(element !== undefined && { element }),
      representation: format,
      ...ownFields(asset, flags, measured),
      triangles,
      bytes: bytes.length,
      seconds: round(seconds, 3),
    };
    await print(`${JSON.stringify(line)}\n`);
    return;
  }
  const quality = image ? `${qualityOf(image, measured)}, ` : '';
  await print(
    `${shown(output)}  ${inWords(asset, flags)} from ${shown(name)}, ${triangles} triangle${triangles === 1 ? '' : 's'}; ` +
      `${quality}${Math.ceil(bytes.length / 1000)} KB, ${seconds.toFixed(1)} s\n`,
  );
}

async function buildOneModel(file: string, output: string, flags: BuildFlags, session: Session): Promise<void> {
  const name = nameOf(file, session);
  if (flags.split !== undefined) throw new InputError(`${name}: --split takes meshes, a model has no elements`);
  const { units } = flags;
  const piece = { name, output, ...(units !== undefined && { units }) };
  const { model, sha256 } = await modelOf(name, readWhole(file, session));
  await buildSolid({ ...piece, sha256, model: () => model }, flags, session);
}

/** Writes what a model describes. */
async function buildSolid(
  { name, element, output, units, sha256, ...piece }: SolidPiece,
  flags: BuildFlags,
  session: Session,
): Promise<void> {
  const start = performance.now();
  const model = await about(name, () => piece.model());
  const asset = await buildModel(
    name,
    { model, sha256 },
    {
      ...(units !== undefined && { units }),
      ...(flags.scale !== undefined && { scale: flags.scale }),
      ...(element !== undefined && { element }),
    },
  );
  const bytes = await about(name, () => encodeAsset(asset));
  await writeWhole(output, bytes);
  const seconds = (performance.now() - start) / 1000;
  if (session.global.quiet && !flags.json) return;
  const instructions = asset.program.ops.length;
  const line = {
    file: output,
    source: name,
    ...(element !== undefined && { element }),
    representation: asset.representation,
    instructions,
    bytes: bytes.length,
    seconds: round(seconds, 3),
  };
  await print(
    flags.json
      ? `${JSON.stringify(line)}\n`
      : `${shown(output)}  ${instructions} instruction${instructions === 1 ? '' : 's'} from ${shown(name)}; ` +
          `${Math.ceil(bytes.length / 1000)} KB, ${seconds.toFixed(1)} s\n`,
  );
}

/** A length, or a percentage of the diagonal of the mesh's box. */
function lengthOf(text: string, mesh: Mesh): number {
  const isPart = text.endsWith('%');
  const number = Number(isPart ? text.slice(0, -1) : text);
  if (text.trim() === '' || !(number > 0 && number < Number.POSITIVE_INFINITY)) {
    throw new OptionError(`--max-error ${text}: expected a length above 0, or a percentage of the diagonal`);
  }
  return isPart ? (number / 100) * diagonalOf(mesh) : number;
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
