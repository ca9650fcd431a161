/**
 * The formats of mesh files that are read, each by its own file of this folder, which is loaded
 * when a file of that format is met. Content tells the format; a name alone tells nothing.
 */
import { FormatError, InputError } from '../math/errors.ts';
import { brief } from '../math/printable.ts';
import { requireBytes, requireOptionTypes } from '../math/require.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { looksLikeGltf } from './gltf-sniff.ts';
import { isIfc } from './ifc-mark.ts';
import { fileOf, type MeshFile, type Surroundings, wholeMesh } from './mesh-file.ts';
import { readObj } from './obj.ts';
import { HEAD, isOff, isPly, stlKind } from './signatures.ts';

/** A format of mesh files. */
export interface MeshFormat {
  /** As people write it. */
  name: string;
  /** How names of such files end, in small letters, with the dot; the usual one first. */
  endings: readonly string[];
  /**
   * Raise it whenever the triangles, names or places that are read of some file change: what was
   * built of such files is then stale (CONTRIBUTING.md, "When geometry changes").
   */
  geometry: number;
  /** Whether its files name others. */
  namesOthers?: boolean;
  /** Whether these are mesh files of any format. */
  namesMeshes?: boolean;
  /**
   * Whether a file begins as this format does.
   *
   * @param head its first HEAD bytes, or all
   * @param size bytes of the whole file
   */
  sniff(head: Uint8Array, size: number): boolean;
  /** @throws FormatError with the line or byte on what is not of the format */
  read(bytes: Uint8Array, around: Surroundings): MeshFile | Promise<MeshFile>;
}

/** Asked in this order; OBJ, which has no mark, takes what is left over. */
const MESH_FORMATS: readonly MeshFormat[] = [
  {
    name: 'IFC',
    endings: ['.ifc'],
    geometry: 1,
    sniff: isIfc,
    async read(bytes) {
      const { readIfc } = await import('./ifc.ts');
      return readIfc(bytes);
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
    geometry: 1,
    sniff: (head, size) => stlKind(head, size) !== null,
    read: async (bytes) => (await import('./stl.ts')).readStl(bytes),
  },
  {
    name: 'glTF',
    endings: ['.glb', '.gltf'],
    geometry: 1,
    namesOthers: true,
    sniff: looksLikeGltf,
    async read(bytes, around) {
      const { readGltf } = await import('./gltf.ts');
      return readGltf(bytes, around);
    },
  },
  {
    name: 'URDF',
    endings: ['.urdf'],
    geometry: 1,
    namesOthers: true,
    namesMeshes: true,
    sniff: isRobot,
    async read(bytes, around) {
      const { readRobotFile } = await import('./robot-file.ts');
      return readRobotFile(bytes, around, readPart);
    },
  },
  {
    name: 'OBJ',
    endings: ['.obj'],
    geometry: 1,
    sniff: () => true,
    // At once, as the public readObj: pages would else bundle it for whatever they import.
    async read(bytes) {
      const mesh = readObj(bytes);
      const { lines, points } = mesh.skipped;
      const some = lines + points > 0;
      return fileOf(mesh, '', some ? [`${lines} lines and ${points} points are no surface and were skipped`] : []);
    },
  },
];

/**
 * Whether a text is XML whose first element is a robot; or whose first element is not seen yet,
 * since long remarks stand before it.
 */
export function isRobot(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes.subarray(0, HEAD)).trimStart();
  if (!text.startsWith('<')) return false;
  const first = /<([^?!\s/>]+)/.exec(text.replaceAll(/<!--[\s\S]*?(-->|$)/g, ''));
  return first ? first[1] === 'robot' : /^<(\?xml\s|!--)/.test(text);
}

/**
 * Reads a file that a robot names; which is none that names files as robots do: they could go in
 * rings.
 */
async function readPart(bytes: Uint8Array, around: Surroundings): Promise<MeshFile> {
  if (isRobot(bytes)) throw new FormatError(null, 'a mesh', 'a robot');
  return readMeshFile(bytes, around);
}

/**
 * The readers that a file of this format is read by, with the revision of each: 'OBJ 1'. A format
 * whose files name meshes has those of all readers.
 */
export const readersOf = (format: string): string =>
  MESH_FORMATS.filter(({ name }) => name === format)
    .flatMap((own) => [own, ...(own.namesMeshes ? MESH_FORMATS.filter((other) => other !== own) : [])])
    .map(({ name, geometry }) => `${name} ${geometry}`)
    .join(', ');

/** How names of mesh files end. */
export const MESH_ENDINGS: readonly string[] = /* @__PURE__ */ MESH_FORMATS.flatMap(({ endings }) => endings);

/** What a message expects: 'a mesh (OBJ, STL, ...)'. */
export const A_MESH: string = /* @__PURE__ */ `a mesh (${MESH_FORMATS.map(({ name }) => name).join(', ')})`;

/** The format that bytes are of; OBJ where they have no mark. */
export function meshFormatOf(bytes: Uint8Array): MeshFormat {
  const head = bytes.subarray(0, HEAD);
  return MESH_FORMATS.find(({ sniff }) => sniff(head, bytes.length))!;
}

/** Whether bytes have the mark of a mesh file, so that they can be nothing else. */
export const isMarkedMesh = (bytes: Uint8Array): boolean => meshFormatOf(bytes) !== MESH_FORMATS.at(-1);

/** What reading a mesh file may take beside its bytes. */
export interface ReadMeshOptions extends Partial<Omit<Surroundings, 'open'>> {
  /** The bytes of a file that the file names, by the path that stands there. */
  open?(path: string): Uint8Array | Promise<Uint8Array>;
}

/** A file of meshes, and its format. */
export interface ReadMeshFile extends MeshFile {
  /** 'OBJ', ... */
  format: string;
}

/** All triangles of a file, and what is known of them. */
export interface ReadMesh extends Mesh, Pick<ReadMeshFile, 'format' | 'units' | 'warnings'> {}

/**
 * Reads a mesh file of any format that is known (docs/meshes.md): its meshes, each in its own
 * frame, and the nodes that place them. The content tells the format.
 *
 * @throws FormatError with the line or byte on what is not of its format, and where nothing is a
 *   surface; InputError for a file beside it that cannot be read
 * @example const { format, meshes, nodes } = await readMeshFile(bytes);
 *          [format, meshes.length, nodes.length] // ['OBJ', 1, 1]
 */
export async function readMeshFile(bytes: Uint8Array, options: ReadMeshOptions = {}): Promise<ReadMeshFile> {
  requireBytes(bytes);
  requireOptionTypes(options, { open: 'function', name: 'string' });
  const file = await read(bytes, options);
  const isSolid = file.nodes.some(({ mesh, primitive }) => primitive ?? (mesh !== null && hasTriangles(file, mesh)));
  if (!isSolid) throw new FormatError(null, 'at least one triangle', 'none');
  const warnings = file.warnings.map((warning) => brief(warning, LONGEST_WARNING));
  return { ...file, warnings, format: meshFormatOf(bytes).name };
}

/**
 * Reads a mesh file of any format that is known as one mesh: every node's triangles where the node
 * places them, each node an object (`o`) of the mesh.
 *
 * @throws FormatError with the line or byte on what is not of its format, where nothing is a
 *   surface, and for solids that are no triangles (`readMeshFile` gives those); InputError for a
 *   file beside it that cannot be read
 * @example const { triangles, units } = await readMesh(bytes);
 *          [triangles.length / 3, units] // [3674, null]
 */
export async function readMesh(bytes: Uint8Array, options: ReadMeshOptions = {}): Promise<ReadMesh> {
  const file = await readMeshFile(bytes, options);
  const { format, units, warnings } = file;
  return { ...wholeMesh(file), format, units, warnings };
}

/** Characters of a warning, at most: it may quote a name. */
const LONGEST_WARNING = 600;

const hasTriangles = ({ meshes }: MeshFile, mesh: number): boolean => meshes[mesh].mesh.triangles.length > 0;

async function read(bytes: Uint8Array, options: ReadMeshOptions): Promise<MeshFile> {
  try {
    return await readWaiting(bytes, options);
  } catch (error) {
    if (isMarkedMesh(bytes) || !(error instanceof FormatError)) throw error;
    const { foreignFile } = await import('./foreign.ts');
    // Only who calls a file OBJ wants to know what OBJ lacks in it.
    const isNone = error.place === null && options.name !== undefined && !/\.obj$/i.test(options.name);
    const found = foreignFile(bytes, options.name) ?? (isNone ? 'none of these' : null);
    throw found === null ? error : new FormatError(null, A_MESH, found);
  }
}

/** Files that come later, of one mesh file. */
const MOST_LATER = 1000;

const readWaiting = (bytes: Uint8Array, { open = refuseOthers, ...options }: ReadMeshOptions): Promise<MeshFile> =>
  withOthers(open, async (openNow) => meshFormatOf(bytes).read(bytes, { ...options, open: openNow }));

/**
 * Readers want other files at once: where one comes later, the file is read again once it is there.
 *
 * @param read of the file, by what opens others now
 */
export async function withOthers<T>(
  open: NonNullable<ReadMeshOptions['open']>,
  read: (open: Surroundings['open']) => Promise<T>,
): Promise<T> {
  const came = new Map<string, Uint8Array>();
  for (;;) {
    const later: [string, Promise<Uint8Array>][] = [];
    const openNow = (path: string): Uint8Array => {
      const found = came.get(path) ?? open(path);
      if (!('then' in found)) return found;
      later.push([path, found]);
      found.catch(() => {}); // is told below
      throw new InputError(`${path}: is not there yet`);
    };
    try {
      const file = await read(openNow);
      if (later.length === 0) return file;
    } catch (error) {
      if (later.length === 0) throw error;
    }
    for (const [path, promised] of later) came.set(path, await promised);
    if (came.size > MOST_LATER) throw new InputError(`expected at most ${MOST_LATER} other files, found more`);
  }
}

function refuseOthers(path: string): never {
  throw new InputError(`expected a file that names no other, found ${JSON.stringify(path.slice(0, 80))} in it`);
}
