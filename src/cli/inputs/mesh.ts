/**
 * Reads mesh files of any format: content, units, and referenced files.
 *
 * A mesh file references files in its folder or below, or for robots in ROS packages. A package is
 * a folder with a package.xml. The package of the file itself is found automatically, and the file
 * may reference anything in it; --package adds others.
 */
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError } from '../../base/errors.ts';
import { printable, quoted } from '../../base/printable.ts';
import { sha256 } from '../../containers/hash.ts';
import { isOneUnit } from '../../engine/units.ts';
import type { Mesh } from '../../mesh/mesh.ts';
import { A_MESH, type ReadMeshFile, readMeshFile, requireAllMeshes } from '../../readers/formats.ts';
import { type MeshFile, NoSurfaceError, type ReaderNote, warningsIn, wholeMesh } from '../../readers/mesh-file.ts';
import { sniffKind } from '../../representations/kinds.ts';
import { about, type Session, warnOf } from '../session.ts';
import { isWithin, kindOf, type NamedPlace, nameOf, pathBelow, placeIn, requirePath, STDIN } from './name.ts';
import { MOST_NAMED, namedInput, readNamed, readWhole } from './open.ts';

type OnBeside = (path: string, bytes: Uint8Array) => void;

/**
 * @param onBeside called with the name of every referenced file
 * @throws InputError also for a robot with a mesh that cannot be read
 */
export const meshFileOf = (
  file: string,
  bytes: Uint8Array,
  session: Session,
  onBeside?: OnBeside,
): Promise<ReadMeshFile> => readAs(file, bytes, session, requireAllMeshes, onBeside);

async function readAs(
  file: string,
  bytes: Uint8Array,
  session: Session,
  check: (read: ReadMeshFile) => void,
  onBeside?: OnBeside,
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
    const { chordTolerance, parser } = session.global;
    const read = await readMeshFile(bytes, { name, open: told, parser, ...(chordTolerance && { chordTolerance }) });
    check(read);
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
    return await readAs(file, bytes, session, () => {});
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
    `expected only triangles, found ${solids === 1 ? 'a solid' : `${solids} solids`} of another kind ` +
      '(box, cylinder, sphere): use gicollide scene or build --split elements',
  );
}

interface LoadedMeshFile extends ReadMeshFile {
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
    throw new InputError(`expected --units ${own}, the unit of the file, found ${units}; --scale converts`);
  return units;
}

const PACKAGE = 'package://';
/** Folders searched for a package.xml, from a file's own upwards. */
const MOST_FOLDERS = 64;

const LARGEST_PACKAGE = 2 ** 20;

interface PlaceOptions {
  /** Folders by the names of packages. */
  package?: ReadonlyMap<string, string> | undefined;
  allowOutside?: boolean | undefined;
}

interface BesideFile {
  path: string;
  place: NamedPlace;
}

/** @throws InputError unless it is in an allowed place, also with links resolved */
export function placeBeside(path: string, file: string, options: PlaceOptions): BesideFile {
  const { allowOutside = false } = options;
  if (path.startsWith(PACKAGE)) return inPackage(path, file, options);
  const own = dirname(file);
  const asUrl = path.startsWith('file://');
  const isUp = asUrl || isAbsolute(path) || path.split(/[\\/]/).includes('..');
  if (!isUp) return beside(path, own, allowOutside);
  const found = asUrl ? pathOfUrl(path) : resolve(own, requirePath(path));
  const root = allowOutside ? own : (packageOf(file, options)?.folder ?? own);
  const place = placeIn(root, 'its folder', { allowOutside });
  if (!isWithin(found, place))
    throw new InputError(`expected a file below ${printable(root)}, found ${quoted(path)}; --allow-outside allows it`);
  return { path: found, place };
}

function beside(path: string, folder: string, allowOutside: boolean): BesideFile {
  const place = placeIn(folder, 'its folder', { allowOutside });
  requirePath(path);
  if (allowOutside) return { path: join(folder, path), place };
  try {
    return { path: pathBelow(path, folder), place };
  } catch (error) {
    throw new InputError(`${(error as Error).message}; --allow-outside allows it`);
  }
}

function pathOfUrl(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    throw new InputError(`expected the URL of a file, found ${quoted(url)}`);
  }
}

/** Resolves package://name/path: always below the package's folder, whatever is allowed. */
function inPackage(url: string, file: string, options: PlaceOptions): BesideFile {
  const [, name, path] = /^([^/]+)\/+(.+)$/.exec(url.slice(PACKAGE.length)) ?? [];
  if (!path) throw new InputError(`expected package://name/path, found ${quoted(url)}`);
  const given = options.package?.get(name);
  const own = given === undefined ? packageOf(file, options) : null;
  const folder = given ?? (own?.names.includes(name) ? own.folder : undefined);
  if (folder === undefined)
    throw new InputError(`the folder of package ${quoted(name)} is unknown; name it with --package name=dir`);
  return { path: pathBelow(path, folder), place: placeIn(folder, 'its package') };
}

/** Finds the nearest folder above a file with a package.xml. */
function packageOf(file: string, { allowOutside = false }: PlaceOptions): { folder: string; names: string[] } | null {
  let folder = dirname(resolve(file));
  for (let n = 0; n < MOST_FOLDERS; n++) {
    const about = join(folder, 'package.xml');
    if (kindOf(about) !== null) {
      const place = placeIn(folder, 'its folder', { allowOutside });
      const text = new TextDecoder().decode(readNamed(about, { ...place, largest: LARGEST_PACKAGE }));
      const [, own = ''] = /<name>([^<]*)<\/name>/.exec(text) ?? [];
      return { folder, names: [own.trim(), basename(folder)] };
    }
    if (dirname(folder) === folder) return null;
    folder = dirname(folder);
  }
  return null;
}

/** Returns a function that reads referenced files, whose total size has the limit of one file. */
export function openerBeside(file: string, { global, opened, beside }: Session): (path: string) => Uint8Array {
  if (beside) return (path) => heldBeside(path, beside);
  const { maxBytes = MOST_NAMED } = global;
  let left = maxBytes;
  return (path) => {
    if (file === STDIN)
      throw new InputError(
        `expected a file without references to other files, since stdin has no folder, found ${quoted(path)}`,
      );
    const { path: found, place } = placeBeside(path, file, global);
    opened?.(found);
    const { source, bytes } = namedInput(found, { ...place, maxBytes });
    left -= source.size;
    if (left < 0) {
      source.close?.();
      throw new InputError(
        `${found}: expected files of at most ${maxBytes} bytes together; --max-bytes raises the limit`,
      );
    }
    return bytes();
  };
}

function heldBeside(path: string, beside: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const bytes = beside.get(path);
  if (!bytes) throw new InputError(`expected a file that was sent, too, found ${quoted(path)}`);
  return bytes;
}
