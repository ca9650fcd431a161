/** `gicollide build`: meshes become collision assets. */

import { isAbsolute, relative } from 'node:path';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import type { BuildOptions } from '../../api.ts';
import type { Compression } from '../../containers/pixels.ts';
import { InputError, MeshError, OptionError } from '../../math/errors.ts';
import { printable } from '../../math/printable.ts';
import { type Deviation, measureDeviation } from '../../mesh/deviation.ts';
import { diagonalOf } from '../../mesh/extent.ts';
import type { Mesh } from '../../mesh/mesh.ts';
import { splitByGroups } from '../../mesh/split.ts';
import type { Surface } from '../../mesh/topology.ts';
import type { Asset, Representation } from '../../query/representation.ts';
import { frep } from '../../representations/frep/index.ts';
import { MEASURED_SAMPLES } from '../../representations/gi/build/index.ts';
import { countReversed, exponentOf, type GeometryImage } from '../../representations/gi/tree/geometry-image.ts';
import { sizeOf } from '../../representations/gi/tree/grid.ts';
import type { SphereMethod } from '../../representations/gi/tree/sphere-tree.ts';
import { DOP_SIZES } from '../../representations/kdop/tree/dop-directions.ts';
import { LARGEST_BITS, SMALLEST_BITS } from '../../representations/kdop/tree/kdop-tree.ts';
import {
  kindNamed,
  kindsWithOption,
  loadedRepresentations,
  loadKinds,
  representationNamed,
  representationNames,
} from '../../representations/registry.ts';
import { cubesOf, type VoxelSet } from '../../representations/voxel/tree/voxel-set.ts';
import { parsePositive, parseWhole } from '../arguments.ts';
import { EXIT } from '../exit-codes.ts';
import { expandFiles, extensionOf, identityOf, MODEL, planElementOutputs, planOutputs, print } from '../files.ts';
import { about, buildFrom, buildModel, encodeAsset, loadMesh, modelOf, readWhole, type Session } from '../session.ts';
import { printError } from '../terminal.ts';
import { writeWhole } from '../write-whole.ts';

interface BuildFlags {
  format: string;
  out: string;
  split?: 'groups';
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

/**
 * Larger images are not measured: a search tree over their millions of triangles takes longer than
 * the build.
 */
const MEASURE_UP_TO = 513;

export function defineBuild(command: Command, session: (command: Command) => Session): void {
  command
    .option(
      '-f, --format <list>',
      'of meshes; gi: geometry image; kdop: k-DOP tree of whole numbers; obb: compressed OBB tree; voxel: cubes; a comma list; all',
      'gi',
    )
    .option('-o, --out <path>', 'a file for one mesh, else a folder', 'out/')
    .addOption(
      new Option(
        '--split <what>',
        'groups: an asset for each object (o) of a mesh, or group (g) where it has none',
      ).choices(['groups']),
    )
    .option('--units <name>', 'unit of the coordinates, recorded in the asset (m, cm, mm, in, ...)')
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
    .addHelpText(
      'after',
      `
gi takes any triangles and stores a remesh: a closed surface of genus 0 as one square, any other as charts with about as many samples together. dB
are how near the image comes to all of the source and the source to all of the image, measured; "within" is the farthest both ways, proved.
kdop and obb take any triangles and keep them as they are; voxel takes any and stores the cubes that hold them.
A .frep.json becomes a .frep, whatever -f says: quadrics, perturbations, polynomials and sets of them, docs/frep.schema.json.
With --split, -o is a folder: out/building.wall-1.obb, ... An element is what comes under one name; without a name, "unnamed".
One bad mesh or element does not stop the others; any failure makes the exit code 2.

  $ gicollide build assets/bunny.obj
  out/bunny.tiff  257 x 257 from assets/bunny.obj, 3674 triangles; 80.8 and 81.8 dB, within 0.00282, 14 of its triangles reversed, 1710 KB, 1.1 s`,
    )
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

async function build(
  args: string[],
  flags: BuildFlags,
  session: Session,
  given: ReadonlyMap<string, string>,
): Promise<number> {
  await loadKinds();
  const formats = parseFormats(flags.format);
  if (flags.size !== 'auto' && exponentOf(flags.size) < 0) {
    throw new OptionError(`--size ${flags.size}: expected 17, 33, 65, 129, 257, 513, 1025, 2049, 4097, 8193 or auto`);
  }
  const { files: all, problems } = await expandFiles(args, ['.obj', MODEL]);
  const isModel = (file: string): boolean => extensionOf(file) === MODEL;
  const models = all.filter(isModel);
  const files = all.filter((file) => !isModel(file));
  if (files.length > 0 || models.length === 0) {
    refuseUnbuilt(
      given,
      formats.map(({ name }) => name),
      `-f ${flags.format}`,
    );
  } else refuseUnbuilt(given, [frep.name], 'a .frep.json becomes a .frep');
  const several =
    all.length + problems.length > 1 || (files.length > 0 && (formats.length > 1 || flags.split !== undefined));
  const plan = (inputs: string[], { name }: { name: string }): string[] =>
    inputs.length > 0 ? planOutputs(inputs, flags.out, kindNamed(name).extension, several) : [];
  const outputs = formats.map((format) => plan(files, format));
  const modelOutputs = plan(models, frep);
  for (const problem of problems) printError(problem, session.global);
  let code: number = problems.length > 0 ? EXIT.failed : EXIT.expected;
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
  for (let i = 0; i < files.length; i++) {
    const loaded = await attempt(() => loadMesh(files[i], session, flags.scale));
    if (!loaded) continue;
    const whole = { ...loaded, outputs: outputs.map((list) => list[i]) };
    const pieces = flags.split ? await attempt(() => splitPieces(whole, taken, inputs)) : [whole];
    for (const piece of pieces ?? []) {
      for (let k = 0; k < formats.length; k++) {
        await attempt(() => buildOne(files[i], piece, formats[k], piece.outputs[k], flags, session));
      }
    }
  }
  return code;
}

/** A mesh or an element of one, and where its asset goes in each format. */
interface Piece {
  mesh: Mesh;
  sha256: string;
  element?: string;
  outputs: string[];
}

/**
 * The elements of a mesh; all files are planned before the first is written. `taken`: those that
 * are planned already.
 */
async function splitPieces(whole: Piece, taken: Set<string>, inputs: ReadonlySet<string>): Promise<Piece[]> {
  const elements = splitByGroups(whole.mesh);
  const names = elements.map(({ name }) => name);
  const outputs = whole.outputs.map((output) => planElementOutputs(output, names, taken));
  for (const output of outputs.flat()) {
    if (inputs.has(identityOf(output))) throw new InputError(`${output}: would overwrite an input`);
  }
  return elements.map(({ name, mesh }, i) => {
    return { mesh, sha256: whole.sha256, element: name, outputs: outputs.map((list) => list[i]) };
  });
}

/** The representations that a comma list names; `all` names every one. */
function parseFormats(list: string): readonly Representation<Asset>[] {
  if (list === 'all') return loadedRepresentations().filter((representation) => representation.build);
  return [...new Set(list.split(','))].map((name) => {
    const found = representationNamed(name.trim());
    if (found === frep)
      throw new OptionError('--format frep: a mesh is no function; a .frep.json becomes one by itself');
    if (!found) throw new OptionError(`--format ${name}: expected ${representationNames()}, a list of them, or all`);
    return found;
  });
}

/** The format with those of the flags that are its own options. */
function ownOptions({ name, buildOptions = {} }: Representation<Asset>, flags: BuildFlags, mesh: Mesh): BuildOptions {
  const { maxError } = flags;
  const all = { ...flags, maxError: maxError === undefined ? undefined : lengthOf(maxError, mesh) };
  const own = Object.entries(all).filter(([key, value]) => Object.hasOwn(buildOptions, key) && value !== undefined);
  return { ...Object.fromEntries(own), format: name } as BuildOptions;
}

async function buildOne(
  input: string,
  piece: Piece,
  format: Representation<Asset>,
  output: string,
  flags: BuildFlags,
  session: Session,
): Promise<void> {
  const start = performance.now();
  const asset = await buildFrom(
    input,
    piece,
    {
      ...ownOptions(format, flags, piece.mesh),
      ...(flags.units !== undefined && { units: flags.units }),
      ...(flags.scale !== undefined && { scale: flags.scale }),
      ...(piece.element !== undefined && { element: piece.element }),
    },
    session,
  );
  const bytes = await about(input, () => encodeAsset(asset, { compression: flags.compression }));
  await writeWhole(output, bytes);
  const seconds = (performance.now() - start) / 1000;
  if (session.global.quiet && !flags.json) return;
  const image = format.name === 'gi' ? (asset as GeometryImage) : null;
  const isMeasured = image !== null && image.quads <= (MEASURE_UP_TO - 1) ** 2;
  const measured = isMeasured ? measure(piece.mesh, format.surface(asset)) : null;
  const triangles = piece.mesh.triangles.length / 3;
  if (flags.json) {
    const line = {
      file: output,
      source: input,
      ...(piece.element !== undefined && { element: piece.element }),
      representation: format.name,
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
    `${shown(output)}  ${inWords(asset, flags)} from ${shown(input)}, ${triangles} triangle${triangles === 1 ? '' : 's'}; ` +
      `${quality}${Math.ceil(bytes.length / 1000)} KB, ${seconds.toFixed(1)} s\n`,
  );
}

async function buildOneModel(input: string, output: string, flags: BuildFlags, session: Session): Promise<void> {
  const start = performance.now();
  if (flags.split !== undefined) throw new InputError(`${input}: --split takes meshes, a model has no groups`);
  const asset = await buildModel(input, await modelOf(input, readWhole(input, session)), {
    ...(flags.units !== undefined && { units: flags.units }),
    ...(flags.scale !== undefined && { scale: flags.scale }),
  });
  const bytes = await about(input, () => encodeAsset(asset));
  await writeWhole(output, bytes);
  const seconds = (performance.now() - start) / 1000;
  if (session.global.quiet && !flags.json) return;
  const instructions = asset.program.ops.length;
  const line = {
    file: output,
    source: input,
    representation: asset.representation,
    instructions,
    bytes: bytes.length,
    seconds: round(seconds, 3),
  };
  await print(
    flags.json
      ? `${JSON.stringify(line)}\n`
      : `${shown(output)}  ${instructions} instruction${instructions === 1 ? '' : 's'} from ${shown(input)}; ` +
          `${Math.ceil(bytes.length / 1000)} KB, ${seconds.toFixed(1)} s\n`,
  );
}

/** What a line of JSON says of one representation alone. */
function ownFields(asset: Asset, flags: BuildFlags, measured: Deviation | null): Record<string, number | null> {
  switch (asset.representation) {
    case 'gi':
      return {
        size: sizeOf((asset as GeometryImage).groups[0].exponent),
        charts: (asset as GeometryImage).charts,
        reversed: countReversed(asset as GeometryImage),
        missing: (asset as GeometryImage).tolerance?.missing ?? null,
        excess: (asset as GeometryImage).tolerance?.excess ?? null,
        psnr: round(measured?.psnr, 2),
        psnrFromSource: round(measured?.psnrAB, 2),
        psnrToSource: round(measured?.psnrBA, 2),
      };
    case 'kdop':
      return { k: flags.k, bits: flags.bits };
    case 'voxel':
      return { precision: (asset as VoxelSet).precision, cubes: cubesOf(asset as VoxelSet) };
    default:
      return { nodeBytes: flags.nodeBytes };
  }
}

function inWords(asset: Asset, flags: BuildFlags): string {
  switch (asset.representation) {
    case 'gi':
      return sizeInWords(asset as GeometryImage);
    case 'kdop':
      return `${flags.k}-DOPs of ${flags.bits} bits`;
    case 'voxel':
      return `${cubesOf(asset as VoxelSet)} cubes of ${Number((asset as VoxelSet).precision.toPrecision(6))}`;
    default:
      return `${flags.nodeBytes}-byte boxes`;
  }
}

/**
 * The charts of an image by their sizes: "257 x 257", or "4 charts, 3 of 129 x 129 and 1 of 65 x
 * 65".
 */
function sizeInWords({ groups, charts }: GeometryImage): string {
  const sizes = groups.map(({ exponent, count }) => ({ count, size: [0, 1].map(() => sizeOf(exponent)).join(' x ') }));
  if (charts === 1) return sizes[0].size;
  if (sizes.length === 1) return `${charts} charts of ${sizes[0].size}`;
  if (sizes.length > 3) return `${charts} charts of ${sizes[0].size} to ${sizes[sizes.length - 1].size}`;
  return `${charts} charts, ${sizes.map(({ count, size }) => `${count} of ${size}`).join(', ')}`;
}

/** Where nothing is off, more decibels than there are digits. */
const inDecibels = (psnr: number): string => (psnr < 300 ? psnr.toFixed(1) : 'over 300');

/**
 * How near the image comes to the source and the source to it, and what of it faces the wrong way.
 */
function qualityOf(image: GeometryImage, measured: Deviation | null): string {
  const reversed = countReversed(image) ?? 0;
  const decibels = measured
    ? `${inDecibels(measured.psnrAB)} and ${inDecibels(measured.psnrBA)} dB`
    : 'quality not measured';
  const { missing, excess } = image.tolerance ?? { missing: 0, excess: 0 };
  const quality = `${decibels}, within ${Number(Math.max(missing, excess).toPrecision(3))}`;
  return reversed > 0 ? `${quality}, ${reversed} of its triangles reversed` : quality;
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

/** Null where a surface is so thin that its samples leave it no area. */
function measure(mesh: Surface, stored: Surface): Deviation | null {
  try {
    return measureDeviation(mesh, stored, { samples: MEASURED_SAMPLES });
  } catch (error) {
    if (error instanceof MeshError) return null;
    throw error;
  }
}

function round(value: number | undefined, digits: number): number | null {
  return value !== undefined && Number.isFinite(value) ? Number(value.toFixed(digits)) : null;
}

function shown(path: string): string {
  const short = isAbsolute(path) ? relative(process.cwd(), path) : path;
  return printable(short.startsWith('..') ? path : short);
}
