/**
 * Makes what one job asks for, in memory: whoever asked writes it. A mesh file's pieces are the
 * whole, or each element.
 */
import { basename } from 'node:path';
import { InputError, OptionError } from '../../base/errors.ts';
import { Exclusion } from '../../base/patterns.ts';
import { counted } from '../../base/printable.ts';
import type { BuildOptions } from '../../build.ts';
import type { Asset } from '../../engine/representation.ts';
import type { MeanDeviation } from '../../mesh/deviation.ts';
import { diagonalOf } from '../../mesh/extent.ts';
import { type Mesh, scaled, transformMesh } from '../../mesh/mesh.ts';
import { elementsOf, type FileElement, withoutElements } from '../../readers/elements.ts';
import type { FrepModel } from '../../representations/frep/make/model.ts';
import { modelOfPrimitive } from '../../representations/frep/make/primitive.ts';
import { type GeometryImage, toMesh } from '../../representations/gi/tree/geometry-image.ts';
import type { BuildCache } from '../cache/cache.ts';
import { buildFrom, buildModel, encodeAsset, modelOf } from '../inputs/load.ts';
import { loadMeshFile, placeBeside, trianglesOf, unitsOf } from '../inputs/mesh.ts';
import { identityOf, nameOf } from '../inputs/name.ts';
import { readWhole } from '../inputs/open.ts';
import { about, type Session } from '../session.ts';
import { createProgress } from '../terminal.ts';
import { geometryOf, inHeader, ownFlags, type RequestElement, type RequestSource, requestDigest } from './build-key.ts';
import { knownOf } from './existing-output.ts';
import type { AssetFacts, BuildFlags, BuildJob, BuildRun, JobRecord, OutputFacts } from './job.ts';
import { boundOf, inWords, layoutOf, measure, measuresOf, obbBytes, ownFields, qualityOf } from './lines.ts';
import { planElementOutputs } from './outputs.ts';

/** Larger images are not measured: their search tree takes longer than the build. */
const MEASURE_UP_TO = 513;

interface Made {
  bytes: Uint8Array;
  facts: AssetFacts;
}

/**
 * Yields one record per output, and one of what is excluded from a file. Skips fresh outputs; a
 * failure stops nothing else.
 */
export async function* makeJob(
  job: BuildJob,
  run: BuildRun,
  session: Session,
  cache: BuildCache | null,
): AsyncGenerator<JobRecord, void> {
  const taken = new Set<string>();
  for (const input of job.inputs) {
    const source = nameOf(input.file, session);
    const failed = (error: unknown): JobRecord => {
      if (!(error instanceof InputError)) throw error;
      return { status: 'failed', source, message: error.message };
    };
    const excluded: string[] = [];
    try {
      const names = { taken, inputs: run.inputs, excluded };
      for await (const { facts, make } of outputsOf(input, job, names, run, session)) {
        try {
          yield await settle(facts, make, run, cache);
        } catch (error) {
          yield failed(error);
        }
      }
      if (excluded.length > 0) yield { status: 'excluded', source, names: excluded };
    } catch (error) {
      yield failed(error);
    }
  }
}

interface Output {
  facts: OutputFacts;
  make(): Promise<Made>;
}

async function* outputsOf(
  { file, outputs, solids = '' }: BuildJob['inputs'][number],
  { kind, formats, flags }: BuildJob,
  names: Taken,
  run: BuildRun,
  session: Session,
): AsyncGenerator<Output, void> {
  if (kind === 'model') {
    const piece = await modelPiece(file, outputs[0], flags, session);
    yield { facts: factsOf(piece, 'frep', piece.output, flags), make: () => makeSolid(piece, flags) };
    return;
  }
  for (const piece of await piecesOf(file, { meshes: outputs, solids }, flags, names, session)) {
    if ('model' in piece) {
      yield { facts: factsOf(piece, 'frep', piece.output, flags), make: () => makeSolid(piece, flags) };
      continue;
    }
    for (const [k, format] of formats.entries()) {
      const facts = factsOf(piece, format, piece.outputs[k], flags);
      yield { facts, make: () => makeMesh(piece, format, facts.request, flags, run, session) };
    }
  }
}

function factsOf(
  { source, sha256, beside, element }: MeshPiece | SolidPiece,
  format: string,
  output: string,
  flags: BuildFlags,
): OutputFacts {
  return {
    ...{ output, source: source.name, sha256, beside, format },
    ...(element !== undefined && { element: element.name }),
    request: requestDigest(format, flags, source, element),
  };
}

async function settle(
  facts: OutputFacts,
  make: Output['make'],
  run: BuildRun,
  cache: BuildCache | null,
): Promise<JobRecord> {
  const known = await knownOf(facts, run, cache);
  if (known) return known;
  const start = performance.now();
  const made = await make();
  return { ...facts, status: 'built', ...made, seconds: (performance.now() - start) / 1000 };
}

function ownOptions(format: string, flags: BuildFlags, mesh: Mesh): BuildOptions {
  const { maxError, compression, pages, ...own } = ownFlags(format, flags);
  return { ...own, ...(maxError !== undefined && { maxError: lengthOf(maxError, mesh) }), format } as BuildOptions;
}

/** What an asset's header records of its build, which later runs compare (fresh.ts). */
const headerOf = (
  { reader }: RequestSource,
  element: RequestElement | undefined,
  format: string,
  request: string,
  scale: number | undefined,
): Record<string, string | number> => ({
  ...(scale !== undefined && { scale }),
  ...(element && { element: element.name, index: element.index }),
  geometry: geometryOf(reader, format),
  build: inHeader(request),
});

const writingOf = ({ compression, pages }: BuildFlags) => ({ compression, ...(pages && { pages }) });

async function makeMesh(
  { source, element, units, sha256, mesh, chord }: MeshPiece,
  format: string,
  request: string,
  flags: BuildFlags,
  { measures, threads }: BuildRun,
  session: Session,
): Promise<Made> {
  const { name, files } = source;
  const options = {
    ...headerOf(source, element, format, request, flags.scale === 1 ? undefined : flags.scale),
    ...(chord > 0 && { chord }),
    ...(files.length > 0 && { files: JSON.stringify(files.map(([path]) => path)) }),
  };
  const progress = createProgress(basename(name), session.global);
  try {
    const asset = await buildFrom(
      name,
      { mesh, sha256, progress, ...(threads && { threads }) },
      {
        ...ownOptions(format, flags, mesh),
        ...(units !== undefined && { units }),
        ...(flags.weld && { weld: flags.weld }),
        options,
      },
      session,
    );
    const image = format === 'gi' ? (asset as GeometryImage) : null;
    const isMeasured = measures && image !== null && image.quads <= (MEASURE_UP_TO - 1) ** 2;
    if (isMeasured) progress.update('measuring the quality', 1);
    const measured = isMeasured ? measure(mesh, toMesh(image)) : null;
    progress.update('writing', 1);
    const bytes = await about(name, () => encodeAsset(asset, writingOf(flags)));
    return { bytes, facts: factsOfMesh({ asset, bytes, mesh, measured }, flags) };
  } finally {
    progress.stop();
  }
}

interface MadeAsset {
  asset: Asset;
  bytes: Uint8Array;
  mesh: Mesh;
  measured: MeanDeviation | null;
}

function factsOfMesh({ asset, bytes, mesh, measured }: MadeAsset, flags: BuildFlags): AssetFacts {
  const image = asset.representation === 'gi' ? (asset as GeometryImage) : null;
  const triangles = mesh.triangles.length / 3;
  const obb = image ? obbBytes(mesh) : 0;
  return {
    fields: { ...ownFields(asset, flags, measured), triangles, ...(image && { obbBytes: obb }) },
    what: inWords(asset, flags),
    of: counted(triangles, 'triangle'),
    ...(image && {
      ...{ why: layoutOf(image), bound: boundOf(image, diagonalOf(mesh)) },
      ...(measured && { quality: qualityOf(measured) }),
      measures: measuresOf(image, measured),
    }),
    ...(obb < bytes.length && image && { exact: obb }),
  };
}

async function modelPiece(file: string, output: string, flags: BuildFlags, session: Session): Promise<SolidPiece> {
  const name = nameOf(file, session);
  if (flags.split !== undefined)
    throw new InputError(`${name}: expected a mesh for --split, found functions (F-rep), which have no elements`);
  const { units } = flags;
  const { model, sha256 } = await modelOf(name, readWhole(file, session));
  const source = { name, sha256, reader: null, files: [] };
  return { source, sha256, beside: [], output, model: () => model, ...(units !== undefined && { units }) };
}

async function makeSolid({ source, element, units, sha256, ...piece }: SolidPiece, flags: BuildFlags): Promise<Made> {
  const { name } = source;
  const model = await about(name, () => piece.model());
  const options = headerOf(source, element, 'frep', requestDigest('frep', flags, source, element), flags.scale);
  const asset = await buildModel(name, { model, sha256 }, { ...(units !== undefined && { units }), options });
  const bytes = await about(name, () => encodeAsset(asset));
  const instructions = asset.program.ops.length;
  return {
    bytes,
    facts: { fields: { instructions }, what: `solid of functions (${counted(instructions, 'instruction')})` },
  };
}

/** Parses a length, or a percentage of the diagonal of the mesh's box. */
function lengthOf(text: string, mesh: Mesh): number {
  const isPart = text.endsWith('%');
  const number = Number(isPart ? text.slice(0, -1) : text);
  if (text.trim() === '' || !(number > 0 && number < Number.POSITIVE_INFINITY)) {
    throw new OptionError(`--max-error ${text}: expected a length above 0, or a percentage of the diagonal, as 0.2%`);
  }
  return isPart ? (number / 100) * diagonalOf(mesh) : number;
}

/** A part of a file to build: the whole, or an element. */
interface Piece {
  source: RequestSource;
  sha256: string;
  beside: readonly string[];
  element?: RequestElement;
  units?: string;
}

interface MeshPiece extends Piece {
  mesh: Mesh;
  /** How far its chords may be from the file's curves. */
  chord: number;
  outputs: string[];
}

interface SolidPiece extends Piece {
  /** @throws InputError if no F-rep is this solid */
  model(): FrepModel;
  output: string;
}

interface Outputs {
  meshes: string[];
  solids: string;
}

interface Taken {
  taken: Set<string>;
  inputs: ReadonlySet<string>;
  /** Receives names of elements that are left out. */
  excluded: string[];
}

/** Returns a file's pieces; plans all outputs before the first is written. */
export async function piecesOf(
  file: string,
  outputs: Outputs,
  flags: Pick<BuildFlags, 'split' | 'units' | 'scale' | 'chordTolerance' | 'parser' | 'exclude'>,
  names: Taken,
  session: Session,
): Promise<(MeshPiece | SolidPiece)[]> {
  const name = nameOf(file, session);
  // A queue's worker has the flags of the task alone.
  const { chordTolerance, parser } = flags;
  const reading = { ...(chordTolerance && { chordTolerance }), ...(parser && { parser }) };
  const own = { ...session, global: { ...session.global, ...reading } };
  const read = await loadMeshFile(file, own);
  return about(name, () => {
    const units = unitsOf(read.units, flags);
    const { sha256, format: reader, files } = read;
    // Files that came with a queue's task have no path here.
    const beside = session.beside ? [] : files.map(([path]) => placeBeside(path, file, session.global).path);
    const piece = { source: { name, sha256, reader, files }, sha256, beside, ...(units !== undefined && { units }) };
    const { split, scale = 1, exclude } = flags;
    const exclusion = new Exclusion(exclude);
    const isOut = (element: string): boolean => {
      const isOf = exclusion.has(element);
      if (isOf) names.excluded.push(element);
      return isOf;
    };
    if (!split) {
      const left = exclude ? withoutElements(read, isOut) : read;
      if (!left) return [];
      const chord = scale * Math.max(0, ...left.nodes.map(chordOf));
      return [{ ...piece, mesh: scaledBy(scale, trianglesOf(left)), chord, outputs: outputs.meshes }];
    }
    const elements = elementsOf(read, split).filter((element) => !isOut(element.name));
    const all = [...outputs.meshes, outputs.solids];
    const planned = all.map((output, k) => planOf(elements, output, k === all.length - 1, names));
    return elements.map((element, i) => {
      const own = { ...piece, element: { name: element.name, index: i } };
      const paths = planned.map((list) => list[i]);
      return element.mesh
        ? {
            ...own,
            mesh: scaledBy(scale, transformMesh(element.mesh, element.matrix)),
            chord: scale * chordOf(element),
            outputs: paths.slice(0, -1),
          }
        : {
            ...own,
            model: () => modelOfPrimitive(element.primitive!, element.matrix),
            output: paths[paths.length - 1],
          };
    });
  });
}

const chordOf = ({ tolerance }: Pick<FileElement, 'tolerance'>): number => tolerance?.missing ?? 0;

/** Names elements' outputs in one format, for solids or for meshes; empty for the others. */
function planOf(
  elements: readonly FileElement[],
  output: string,
  ofSolids: boolean,
  { taken, inputs }: Taken,
): string[] {
  const isOwn = ({ mesh }: FileElement): boolean => (mesh === null) === ofSolids;
  const own = elements.filter(isOwn);
  const paths = planElementOutputs(
    output,
    own.map(({ name }) => name),
    taken,
  );
  for (const path of paths) if (inputs.has(identityOf(path))) throw new InputError(`${path}: would overwrite an input`);
  let next = 0;
  return elements.map((element) => (isOwn(element) ? paths[next++] : ''));
}

function scaledBy(scale: number, mesh: Mesh): Mesh {
  if (scale === 1) return mesh;
  const larger = scaled(mesh, scale);
  if (!larger.positions.every(Number.isFinite)) throw new InputError(`--scale ${scale} makes coordinates infinite`);
  return larger;
}
