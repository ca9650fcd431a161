/** Makes what one job asks for, in memory: whoever asked writes it. */

import { InputError, OptionError } from '../../base/errors.ts';
import type { BuildOptions } from '../../build.ts';
import { diagonalOf } from '../../mesh/extent.ts';
import type { Mesh } from '../../mesh/mesh.ts';
import { type GeometryImage, toMesh } from '../../representations/gi/tree/geometry-image.ts';
import type { BuildCache } from '../cache/cache.ts';
import { buildFrom, buildModel, encodeAsset, modelOf } from '../inputs/load.ts';
import { nameOf } from '../inputs/name.ts';
import { readWhole } from '../inputs/open.ts';
import { about, type Session } from '../session.ts';
import type { AssetFacts, BuildFlags, BuildJob, BuildRun, JobRecord, OutputFacts } from './job.ts';
import { knownOf } from './known.ts';
import { boundOf, inWords, layoutOf, measure, measuresOf, ownFields } from './lines.ts';
import { type MeshPiece, piecesOf, type SolidPiece } from './pieces.ts';
import { geometryOf, inHeader, ownFlags, type RequestElement, type RequestSource, requestDigest } from './request.ts';

/** Larger images are not measured: their search tree takes longer than the build. */
const MEASURE_UP_TO = 513;

interface Made {
  bytes: Uint8Array;
  facts: AssetFacts;
}

/** Yields one record per output. Skips fresh outputs; a failure stops nothing else. */
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
    try {
      for await (const { facts, make } of outputsOf(input, job, { taken, inputs: run.inputs }, run, session)) {
        try {
          yield await settle(facts, make, run, cache);
        } catch (error) {
          yield failed(error);
        }
      }
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
  names: { taken: Set<string>; inputs: ReadonlySet<string> },
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
  { source, element, units, sha256, mesh }: MeshPiece,
  format: string,
  request: string,
  flags: BuildFlags,
  { measures }: BuildRun,
  session: Session,
): Promise<Made> {
  const { name, files } = source;
  const options = {
    ...headerOf(source, element, format, request, flags.scale === 1 ? undefined : flags.scale),
    ...(files.length > 0 && { files: JSON.stringify(files.map(([path]) => path)) }),
  };
  const asset = await buildFrom(
    name,
    { mesh, sha256 },
    { ...ownOptions(format, flags, mesh), ...(units !== undefined && { units }), options },
    session,
  );
  const bytes = await about(name, () => encodeAsset(asset, writingOf(flags)));
  const image = format === 'gi' ? (asset as GeometryImage) : null;
  const isMeasured = measures && image !== null && image.quads <= (MEASURE_UP_TO - 1) ** 2;
  const measured = isMeasured ? measure(mesh, toMesh(image)) : null;
  const triangles = mesh.triangles.length / 3;
  return {
    bytes,
    facts: {
      fields: { ...ownFields(asset, flags, measured), triangles },
      what: inWords(asset, flags),
      of: `${triangles} triangle${triangles === 1 ? '' : 's'}`,
      ...(image && { why: layoutOf(image), bound: boundOf(image), measures: measuresOf(image, measured) }),
    },
  };
}

async function modelPiece(file: string, output: string, flags: BuildFlags, session: Session): Promise<SolidPiece> {
  const name = nameOf(file, session);
  if (flags.split !== undefined) throw new InputError(`${name}: --split takes meshes, a model has no elements`);
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
    facts: { fields: { instructions }, what: `${instructions} instruction${instructions === 1 ? '' : 's'}` },
  };
}

/** Parses a length, or a percentage of the diagonal of the mesh's box. */
function lengthOf(text: string, mesh: Mesh): number {
  const isPart = text.endsWith('%');
  const number = Number(isPart ? text.slice(0, -1) : text);
  if (text.trim() === '' || !(number > 0 && number < Number.POSITIVE_INFINITY)) {
    throw new OptionError(`--max-error ${text}: expected a length above 0, or a percentage of the diagonal`);
  }
  return isPart ? (number / 100) * diagonalOf(mesh) : number;
}
