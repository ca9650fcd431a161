/**
 * The table of mesh formats. Content decides the format, never a name alone. Each reader's file is
 * loaded on demand.
 */
import { A_POINTER, FormatError, InputError, isPointer, OptionError } from '../base/errors.ts';
import { brief } from '../base/printable.ts';
import { requireBytes, requireOptionTypes, requireThat } from '../base/require.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { linesOfNotes, type MeshFile, NoSurfaceError, type Surroundings, wholeMesh } from './mesh-file.ts';
import { readObjFile } from './obj/obj.ts';
import { HEAD, isIfc, isOff, isPly, looksLikeGltf, stlKind } from './signatures.ts';
import { A_ZERO_BYTE } from './text.ts';

interface MeshFormat {
  name: string;
  /** Endings of file names, in lower case, with the dot; the usual one first. */
  endings: readonly string[];
  /**
   * Raise it whenever the triangles, names or places read from some file change: earlier builds of
   * such files are then stale (CONTRIBUTING.md, "When geometry changes").
   */
  geometry: number;
  namesOthers?: boolean;
  namesMeshes?: boolean;
  /** @param head the first HEAD bytes, or all; `size` is the whole file's */
  sniff(head: Uint8Array, size: number): boolean;
  /** @throws FormatError with the line or byte of an error */
  read(bytes: Uint8Array, around: Surroundings): MeshFile | Promise<MeshFile>;
}

/** In the order of detection; OBJ, which has no mark, comes last. */
const MESH_FORMATS: readonly MeshFormat[] = [
  {
    name: 'IFC',
    endings: ['.ifc'],
    geometry: 3,
    sniff: isIfc,
    async read(bytes, { include, chordTolerance }) {
      const { readIfc } = await import('./ifc/ifc.ts');
      return readIfc(bytes, { include, chordTolerance });
    },
  },
  {
    name: 'PLY',
    endings: ['.ply'],
    geometry: 1,
    sniff: isPly,
    read: async (bytes) => (await import('./ply.ts')).readPly(bytes),
  },
  {
    name: 'OFF',
    endings: ['.off'],
    geometry: 1,
    sniff: isOff,
    read: async (bytes) => (await import('./off.ts')).readOff(bytes),
  },
  {
    name: 'STL',
    endings: ['.stl'],
    geometry: 2,
    sniff: (head, size) => stlKind(head, size) !== null,
    read: async (bytes) => (await import('./stl.ts')).readStl(bytes),
  },
  {
    name: 'glTF',
    endings: ['.glb', '.gltf'],
    geometry: 2,
    namesOthers: true,
    sniff: looksLikeGltf,
    async read(bytes, around) {
      const { readGltf } = await import('./gltf/gltf.ts');
      return readGltf(bytes, around);
    },
  },
  {
    name: 'URDF',
    endings: ['.urdf'],
    geometry: 2,
    namesOthers: true,
    namesMeshes: true,
    sniff: isRobot,
    async read(bytes, around) {
      const { readRobotFile } = await import('./robot/urdf.ts');
      return readRobotFile(bytes, around, readPart);
    },
  },
  {
    name: 'COLLADA',
    endings: ['.dae'],
    geometry: 1,
    sniff: isCollada,
    read: async (bytes) => (await import('./collada/collada.ts')).readCollada(bytes),
  },
  {
    name: 'OBJ',
    endings: ['.obj'],
    geometry: 1,
    sniff: () => true,
    // Not on demand, like the public readObj; otherwise pages would bundle it for everything.
    read: async (bytes, { parser }) => readObjFile(bytes, { parser }),
  },
];

/** True if the first element of the XML is a robot, or is not in HEAD because of long comments. */
export function isRobot(bytes: Uint8Array): boolean {
  const first = firstElement(bytes);
  return first === 'robot' || first === '';
}

function isCollada(bytes: Uint8Array): boolean {
  return firstElement(bytes) === 'COLLADA';
}

/** The name of the first element in HEAD; empty for XML without one there, null for other files. */
function firstElement(bytes: Uint8Array): string | null {
  const text = new TextDecoder().decode(bytes.subarray(0, HEAD)).trimStart();
  if (!text.startsWith('<')) return null;
  const first = /<([^?!\s/>]+)/.exec(text.replaceAll(/<!--[\s\S]*?(-->|$)/g, ''));
  return first ? first[1] : /^<(\?xml\s|!--)/.test(text) ? '' : null;
}

/** A robot's files must not be robots or similar files: they could form rings. */
async function readPart(bytes: Uint8Array, around: Surroundings): Promise<MeshFile> {
  if (isRobot(bytes)) throw new FormatError(null, 'a mesh', 'a robot');
  return readMeshFile(bytes, around);
}

/** With revisions: 'OBJ 1'; all readers if a format's files name meshes. */
export const readersOf = (format: string): string =>
  MESH_FORMATS.filter(({ name }) => name === format)
    .flatMap((own) => [own, ...(own.namesMeshes ? MESH_FORMATS.filter((other) => other !== own) : [])])
    .map(({ name, geometry }) => `${name} ${geometry}`)
    .join(', ');

export const MESH_ENDINGS: readonly string[] = /* @__PURE__ */ MESH_FORMATS.flatMap(({ endings }) => endings);

export const A_MESH: string = /* @__PURE__ */ `a mesh (${MESH_FORMATS.map(({ name }) => name).join(', ')})`;

/** OBJ if the bytes have no mark. */
export function meshFormatOf(bytes: Uint8Array): MeshFormat {
  const head = bytes.subarray(0, HEAD);
  return MESH_FORMATS.find(({ sniff }) => sniff(head, bytes.length))!;
}

/** True if bytes have the mark of a mesh file, so that they can be nothing else. */
export const isMarkedMesh = (bytes: Uint8Array): boolean => meshFormatOf(bytes) !== MESH_FORMATS.at(-1);

/** Options of reading a mesh file. */
export interface ReadMeshOptions extends Partial<Omit<Surroundings, 'open'>> {
  /** Returns the bytes of a file that this file names, by the path in it. */
  open?(path: string): Uint8Array | Promise<Uint8Array>;
}

/** A file of meshes, and its format. */
export interface ReadMeshFile extends MeshFile {
  /** 'OBJ', ... */
  format: string;
  /** The notes as lines of text. */
  warnings: string[];
}

/** All triangles of a file, with its format, units and warnings. */
export interface ReadMesh extends Mesh, Pick<ReadMeshFile, 'format' | 'units' | 'warnings'> {}

/**
 * Reads a mesh file of any known format (docs/meshes.md): its meshes, each in its own frame, and
 * the nodes that place them. The content decides the format.
 *
 * @throws FormatError with the line or byte of an error, and if nothing is a surface; InputError
 *   for a further file that cannot be read
 * @example const { format, meshes, nodes } = await readMeshFile(bytes);
 *          [format, meshes.length, nodes.length] // ['OBJ', 1, 1]
 */
export async function readMeshFile(bytes: Uint8Array, options: ReadMeshOptions = {}): Promise<ReadMeshFile> {
  requireBytes(bytes);
  requireOptionTypes(options, {
    open: 'function',
    name: 'string',
    include: 'any',
    chordTolerance: 'any',
    parser: 'any',
  });
  const { include } = options;
  const areTexts = Array.isArray(include) && include.every((text) => typeof text === 'string');
  requireThat(include === undefined || areTexts, 'include', 'a list of classes of IFC', include);
  const file = await read(bytes, options);
  const isSolid = file.nodes.some(({ mesh, primitive }) => primitive ?? (mesh !== null && hasTriangles(file, mesh)));
  if (!isSolid) {
    const lost = file.notes.find(({ kind }) => kind === 'missing');
    throw new NoSurfaceError(file.notes, 'at least one triangle', lost ? `none: ${lost.text}` : 'none');
  }
  const notes = file.notes.map((note) => ({ ...note, text: brief(note.text, LONGEST_NOTE) }));
  return { ...file, notes, warnings: linesOfNotes(notes), format: meshFormatOf(bytes).name };
}

/**
 * For callers that cannot report that a link of a robot is missing.
 *
 * @throws InputError if a mesh that the file names could not be read
 */
export function requireAllMeshes({ format, notes }: ReadMeshFile): void {
  const lost = notes.find(({ kind, isPart }) => kind === 'missing' && !isPart);
  if (lost && MESH_FORMATS.find(({ name }) => name === format)?.namesMeshes) throw new InputError(lost.text);
}

/**
 * Reads a mesh file of any known format as one mesh: every node's triangles in their places, each
 * node an object (`o`) of the mesh.
 *
 * @throws FormatError with the line or byte of an error, if nothing is a surface, and for solids
 *   without triangles (use `readMeshFile`); InputError for a further file that cannot be read
 * @example const { triangles, units } = await readMesh(bytes);
 *          [triangles.length / 3, units] // [3674, null]
 */
export async function readMesh(bytes: Uint8Array, options: ReadMeshOptions = {}): Promise<ReadMesh> {
  const file = await readMeshFile(bytes, options);
  requireAllMeshes(file);
  const { format, units, warnings } = file;
  return { ...wholeMesh(file), format, units, warnings };
}

const LONGEST_NOTE = 600;

const hasTriangles = ({ meshes }: MeshFile, mesh: number): boolean => meshes[mesh].mesh.triangles.length > 0;

async function read(bytes: Uint8Array, options: ReadMeshOptions): Promise<MeshFile> {
  try {
    return await readWaiting(bytes, options);
  } catch (error) {
    if (isMarkedMesh(bytes) || !(error instanceof FormatError)) throw error;
    const { foreignFile } = await import('./foreign.ts');
    // Errors about OBJ interest only users who call the file OBJ.
    const isText = error.place !== null && error.found !== A_ZERO_BYTE;
    const isNone = !isText && options.name !== undefined && !/\.obj$/i.test(options.name);
    const found = foreignFile(bytes, options.name) ?? (isNone ? 'another format' : null);
    throw found === null ? error : new FormatError(null, A_MESH, found);
  }
}

const MOST_LATER = 1000;

function fileItself(path: string, bytes: Uint8Array): Uint8Array {
  if (isPointer(bytes)) throw new InputError(`${path}: expected the file, found ${A_POINTER}`);
  return bytes;
}

const readWaiting = (bytes: Uint8Array, { open = refuseOthers, ...options }: ReadMeshOptions): Promise<MeshFile> =>
  withOthers(open, async (openNow) => meshFormatOf(bytes).read(bytes, { ...options, open: openNow }));

/** Readers open other files at once. If one arrives later, `read` runs again with it. */
export async function withOthers<T>(
  open: NonNullable<ReadMeshOptions['open']>,
  read: (open: Surroundings['open']) => Promise<T>,
): Promise<T> {
  const came = new Map<string, Uint8Array | InputError>();
  for (;;) {
    const later: [string, Promise<Uint8Array>][] = [];
    const openNow = (path: string): Uint8Array => {
      const found = came.get(path) ?? open(path);
      if (found instanceof InputError) throw found;
      if (!('then' in found)) return fileItself(path, found);
      later.push([path, found]);
      found.catch(() => {}); // it is reported below
      throw new InputError(`${path}: is not there yet`);
    };
    try {
      const file = await read(openNow);
      if (later.length === 0) return file;
    } catch (error) {
      if (later.length === 0) throw error;
    }
    for (const [path, promised] of later) came.set(path, await promised.catch(refusalOf));
    if (came.size > MOST_LATER) throw new InputError(`expected at most ${MOST_LATER} other files, found more`);
  }
}

/** Returns the error if a reader can continue without the file that cannot be read. */
function refusalOf(error: unknown): InputError {
  if (error instanceof InputError) return error;
  throw error;
}

function refuseOthers(path: string): never {
  throw new OptionError(
    `expected a file without references to other files, found ${JSON.stringify(path.slice(0, 80))}`,
  );
}
