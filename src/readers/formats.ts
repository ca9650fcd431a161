/**
 * The formats of mesh files that are read, each by its own file of this folder, which is loaded when
 * a file of that format is met. Content tells the format; a name alone tells nothing.
 */
import { FormatError } from '../math/errors.ts';
import { isIfc } from './ifc-mark.ts';
import { fileOf, type MeshFile, type Surroundings } from './mesh-file.ts';

/** A format of mesh files. */
export interface MeshFormat {
  /** As people write it. */
  name: string;
  /** How names of such files end, in small letters, with the dot; the usual one first. */
  endings: readonly string[];
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

/** Bytes that `sniff` looks at, at most. */
export const HEAD = 512;

/** Asked in this order; OBJ, which has no mark, takes what is left over. */
export const MESH_FORMATS: readonly MeshFormat[] = [
  {
    name: 'IFC',
    endings: ['.ifc'],
    sniff: isIfc,
    async read(bytes) {
      const { readIfc } = await import('./ifc.ts');
      return readIfc(bytes);
    },
  },
  {
    name: 'OBJ',
    endings: ['.obj'],
    sniff: () => true,
    async read(bytes) {
      const { readObj } = await import('./obj.ts');
      const mesh = readObj(bytes);
      const { lines, points } = mesh.skipped;
      const some = lines + points > 0;
      return fileOf(mesh, '', some ? [`${lines} lines and ${points} points are no surface and were skipped`] : []);
    },
  },
];

/** How names of mesh files end. */
export const MESH_ENDINGS: readonly string[] = MESH_FORMATS.flatMap(({ endings }) => endings);

/** The format that bytes are of. */
export function meshFormatOf(bytes: Uint8Array): MeshFormat {
  const head = bytes.subarray(0, HEAD);
  const format = MESH_FORMATS.find(({ sniff }) => sniff(head, bytes.length));
  if (!format) throw new FormatError(null, `a mesh (${MESH_FORMATS.map(({ name }) => name).join(', ')})`, 'none');
  return format;
}

/**
 * Reads a mesh file of any format that is known.
 *
 * @param around what it may ask for beside its bytes
 * @throws FormatError with the line or byte on what is not of its format
 */
export async function readMeshFile(bytes: Uint8Array, around: Surroundings): Promise<MeshFile> {
  return meshFormatOf(bytes).read(bytes, around);
}
