/** Splits a mesh file into the pieces that `gicollide build` builds: the whole, or each element. */
import { InputError } from '../../base/errors.ts';
import type { Mesh } from '../../mesh/mesh.ts';
import { scaled, transformMesh } from '../../mesh/mesh.ts';
import { elementsOf, type FileElement, type Split } from '../../readers/elements.ts';
import type { FrepModel } from '../../representations/frep/make/model.ts';
import { modelOfPrimitive } from '../../representations/frep/make/primitive.ts';
import { loadMeshFile, placeBeside, trianglesOf, unitsOf } from '../inputs/mesh.ts';
import { identityOf, nameOf } from '../inputs/name.ts';
import { about, type Session } from '../session.ts';
import { planElementOutputs } from './outputs.ts';
import type { RequestElement, RequestSource } from './request.ts';

interface Piece {
  source: RequestSource;
  sha256: string;
  beside: readonly string[];
  element?: RequestElement;
  units?: string;
}

export interface MeshPiece extends Piece {
  mesh: Mesh;
  outputs: string[];
}

export interface SolidPiece extends Piece {
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
}

/** Returns a file's pieces; plans all outputs before the first is written. */
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
    // Files that came with a queue's task have no path here.
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
