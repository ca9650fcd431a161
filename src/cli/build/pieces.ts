/**
 * What `gicollide build` makes of one mesh file: an asset of the whole, or of each of its elements.
 */
import { InputError } from '../../math/errors.ts';
import type { Mesh } from '../../mesh/mesh.ts';
import { scaled, transformMesh } from '../../mesh/transform.ts';
import { elementsOf, type FileElement, type Split } from '../../readers/elements.ts';
import type { FrepModel } from '../../representations/frep/build/model.ts';
import { modelOfPrimitive } from '../../representations/frep/build/primitive.ts';
import { identityOf } from '../files.ts';
import { about, nameOf, type Session } from '../inputs.ts';
import { loadMeshFile, trianglesOf, unitsOf } from '../meshes.ts';
import { placeBeside } from '../packages.ts';
import { planElementOutputs } from './outputs.ts';
import type { RequestElement, RequestSource } from './request.ts';

/** What all pieces of a file know of it. */
interface Piece {
  source: RequestSource;
  sha256: string;
  /** Where the files are that the file names. */
  beside: readonly string[];
  element?: RequestElement;
  units?: string;
}

/** A mesh, and where its asset goes in each format. */
export interface MeshPiece extends Piece {
  mesh: Mesh;
  outputs: string[];
}

/** The model of a solid, and where its asset goes. */
export interface SolidPiece extends Piece {
  /** @throws InputError where no F-rep is this solid */
  model(): FrepModel;
  output: string;
}

/** Where the assets of a file go, of whichever the elements' are named after. */
interface Outputs {
  /** In each format. */
  meshes: string[];
  /** Of solids, which only elements are. */
  solids: string;
}

/** Names that outputs may not have. */
interface Taken {
  /** Outputs that are planned already, and then these too. */
  taken: Set<string>;
  inputs: ReadonlySet<string>;
}

/**
 * The pieces of a mesh file; where all of them go is planned before the first is written.
 *
 * @throws InputError where the file cannot be read, and where an output would overwrite an input
 */
export async function piecesOf(
  file: string,
  outputs: Outputs,
  flags: { split?: Split; units?: string; scale?: number },
  names: Taken,
  session: Session,
): Promise<(MeshPiece | SolidPiece)[]> {
  const name = nameOf(file, session);
  const read = await loadMeshFile(file, session);
  return about(name, () => {
    const units = unitsOf(read.units, flags);
    const { sha256, format: reader, files } = read;
    // What came along has no place here.
    const beside = session.beside ? [] : files.map(([path]) => placeBeside(path, file, session.global).path);
    const piece = { source: { name, sha256, reader, files }, sha256, beside, ...(units !== undefined && { units }) };
    const { split, scale = 1 } = flags;
    if (!split) return [{ ...piece, mesh: scaledBy(scale, trianglesOf(read)), outputs: outputs.meshes }];
    const elements = elementsOf(read, split);
    const all = [...outputs.meshes, outputs.solids];
    const planned = all.map((output, k) => planOf(elements, output, k === all.length - 1, names));
    return elements.map((element, i) => {
      const own = { ...piece, element: { name: element.name, index: i } };
      const paths = planned.map((list) => list[i]);
      return element.mesh
        ? { ...own, mesh: scaledBy(scale, transformMesh(element.mesh, element.matrix)), outputs: paths.slice(0, -1) }
        : {
            ...own,
            model: () => modelOfPrimitive(element.primitive!, element.matrix),
            output: paths[paths.length - 1],
          };
    });
  });
}

/**
 * Names of the outputs of elements in one format; of solids, or of meshes: those of the others are
 * empty.
 */
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
