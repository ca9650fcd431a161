/** Builds what one job asks for, and says what became of it. */
import type { BuildOptions } from '../../api.ts';
import { InputError, OptionError } from '../../math/errors.ts';
import { diagonalOf } from '../../mesh/extent.ts';
import type { Mesh } from '../../mesh/mesh.ts';
import { builderNamed } from '../../representations/builders.ts';
import type { GeometryImage } from '../../representations/gi/tree/geometry-image.ts';
import { representationOf } from '../../representations/registry.ts';
import { about, nameOf, readWhole, type Session } from '../inputs.ts';
import { buildFrom, buildModel, encodeAsset, modelOf } from '../session.ts';
import { writeWhole } from '../write-whole.ts';
import type { BuildFlags, BuildJob, BuildRecord, BuildRun, BuiltRecord } from './job.ts';
import { inWords, measure, ownFields, qualityOf, round, shown } from './lines.ts';
import { type MeshPiece, piecesOf, type SolidPiece } from './pieces.ts';

/**
 * Larger images are not measured: a search tree over their millions of triangles takes longer than
 * the build.
 */
const MEASURE_UP_TO = 513;

/**
 * Does a job, a record an output, as it is written. What fails is a record, too, and does not stop
 * the rest.
 */
export async function* runJob(job: BuildJob, run: BuildRun, session: Session): AsyncGenerator<BuildRecord, void> {
  const { kind, inputs, formats, flags } = job;
  const attempt = async function* (work: () => Promise<BuiltRecord>): AsyncGenerator<BuildRecord, void> {
    try {
      yield await work();
    } catch (error) {
      yield failed(error);
    }
  };
  const taken = new Set<string>();
  for (const { file, outputs, solids = '' } of inputs) {
    if (kind === 'model') {
      yield* attempt(() => buildOneModel(file, outputs[0], flags, session));
      continue;
    }
    let pieces: (MeshPiece | SolidPiece)[];
    try {
      pieces = await piecesOf(file, { meshes: outputs, solids }, flags, { taken, inputs: run.inputs }, session);
    } catch (error) {
      yield failed(error);
      continue;
    }
    for (const piece of pieces) {
      if ('model' in piece) yield* attempt(() => buildSolid(piece, flags));
      else
        for (const [k, format] of formats.entries())
          yield* attempt(() => buildOne(piece, format, piece.outputs[k], flags, run, session));
    }
  }
}

function failed(error: unknown): BuildRecord {
  if (!(error instanceof InputError)) throw error;
  return { status: 'failed', message: error.message };
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
  { measures }: BuildRun,
  session: Session,
): Promise<BuiltRecord> {
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
  const image = format === 'gi' ? (asset as GeometryImage) : null;
  const isMeasured = measures && image !== null && image.quads <= (MEASURE_UP_TO - 1) ** 2;
  const measured = isMeasured ? measure(loaded.mesh, representationOf(asset).surface(asset)) : null;
  const triangles = loaded.mesh.triangles.length / 3;
  const quality = image ? `${qualityOf(image, measured)}, ` : '';
  return {
    status: 'built',
    line: {
      file: output,
      source: name,
      ...(element !== undefined && { element }),
      representation: format,
      ...ownFields(asset, flags, measured),
      triangles,
      bytes: bytes.length,
      seconds: round(seconds, 3),
    },
    text:
      `${shown(output)}  ${inWords(asset, flags)} from ${shown(name)}, ${triangles} triangle${triangles === 1 ? '' : 's'}; ` +
      `${quality}${Math.ceil(bytes.length / 1000)} KB, ${seconds.toFixed(1)} s`,
  };
}

async function buildOneModel(file: string, output: string, flags: BuildFlags, session: Session): Promise<BuiltRecord> {
  const name = nameOf(file, session);
  if (flags.split !== undefined) throw new InputError(`${name}: --split takes meshes, a model has no elements`);
  const { units } = flags;
  const piece = { name, output, ...(units !== undefined && { units }) };
  const { model, sha256 } = await modelOf(name, readWhole(file, session));
  return buildSolid({ ...piece, sha256, model: () => model }, flags);
}

/** Writes what a model describes. */
async function buildSolid(
  { name, element, output, units, sha256, ...piece }: SolidPiece,
  flags: BuildFlags,
): Promise<BuiltRecord> {
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
  const instructions = asset.program.ops.length;
  return {
    status: 'built',
    line: {
      file: output,
      source: name,
      ...(element !== undefined && { element }),
      representation: asset.representation,
      instructions,
      bytes: bytes.length,
      seconds: round(seconds, 3),
    },
    text:
      `${shown(output)}  ${instructions} instruction${instructions === 1 ? '' : 's'} from ${shown(name)}; ` +
      `${Math.ceil(bytes.length / 1000)} KB, ${seconds.toFixed(1)} s`,
  };
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
