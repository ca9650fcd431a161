/** Reads mesh files of any format: content, units, and referenced files. */
import { sha256 } from '../../containers/hash.ts';
import { InputError } from '../../math/errors.ts';
import type { Mesh } from '../../mesh/mesh.ts';
import { isOneUnit } from '../../query/units.ts';
import { A_MESH, type ReadMeshFile, readMeshFile } from '../../readers/formats.ts';
import { type MeshFile, wholeMesh } from '../../readers/mesh-file.ts';
import { NoSurfaceError, type ReaderNote, warningsIn } from '../../readers/notes.ts';
import { sniffKind } from '../../representations/kinds.ts';
import { about, type Session, warnOf } from '../session.ts';
import { openerBeside } from './beside.ts';
import { nameOf } from './name.ts';
import { readWhole } from './open.ts';

/** @param onBeside called with the name of every referenced file */
export async function meshFileOf(
  file: string,
  bytes: Uint8Array,
  session: Session,
  onBeside?: (path: string, bytes: Uint8Array) => void,
): Promise<ReadMeshFile> {
  const name = nameOf(file, session);
  return about(name, async () => {
    const asset = sniffKind(bytes);
    if (asset) throw new InputError(`expected ${A_MESH}, found an asset (${asset.name})`);
    const open = openerBeside(file, session);
    const told = (path: string): Uint8Array => {
      const found = open(path);
      onBeside?.(path, found);
      return found;
    };
    const read = await readMeshFile(bytes, { name, open: told });
    for (const text of session.warnings ? warningsIn(read.notes) : read.warnings) warnOf(name, text, session);
    return read;
  });
}

/** Like `meshFileOf`; returns the notes alone if no element has a surface and they say why. */
export async function readOrNotes(
  file: string,
  bytes: Uint8Array,
  session: Session,
): Promise<ReadMeshFile | readonly ReaderNote[]> {
  try {
    return await meshFileOf(file, bytes, session);
  } catch (error) {
    const notes = error instanceof InputError ? notesOf(error.cause) : null;
    if (!notes) throw error;
    for (const text of warningsIn(notes)) warnOf(nameOf(file, session), text, session);
    return notes;
  }
}

/** Returns the notes about a file without a surface; null if none of its elements is known. */
const notesOf = (error: unknown): readonly ReaderNote[] | null =>
  error instanceof NoSurfaceError && error.notes.some(({ kind }) => kind !== 'warning') ? error.notes : null;

export function trianglesOf(read: MeshFile): Mesh {
  const solids = read.nodes.filter(({ primitive }) => primitive).length;
  if (solids === 0) return wholeMesh(read);
  throw new InputError(
    `expected triangles alone, found ${solids === 1 ? 'a solid that is' : `${solids} solids that are`} none ` +
      '(box, cylinder, sphere): gicollide scene takes it, and build --split elements',
  );
}

export interface LoadedMeshFile extends ReadMeshFile {
  sha256: string;
  files: (readonly [path: string, sha256: string])[];
}

export async function loadMeshFile(file: string, session: Session): Promise<LoadedMeshFile> {
  const bytes = readWhole(file, session);
  const digests = new Map<string, Promise<string>>();
  const read = await meshFileOf(file, bytes, session, (path, beside) => {
    // Digest now, since a reader may take over the bytes.
    if (!digests.has(path)) digests.set(path, sha256(beside));
  });
  const files = await Promise.all([...digests].map(async ([path, digest]) => [path, await digest] as const));
  return { ...read, sha256: await sha256(bytes), files: files.sort(([a], [b]) => (a < b ? -1 : 1)) };
}

/** Returns --units, else the file's own units. If they differ, --scale must convert. */
export function unitsOf(own: string | null, { units, scale }: { units?: string; scale?: number }): string | undefined {
  if (units === undefined) return own ?? undefined;
  if (own !== null && scale === undefined && !isOneUnit(own, units))
    throw new InputError(`expected --units ${own}, which the file is in, found ${units}; --scale converts`);
  return units;
}
