/**
 * Wavefront OBJ: bytes in, an indexed triangle mesh out, and back. What is read, and how leniently,
 * stands at the head of obj-statements.ts.
 */
import { OptionError } from '../math/errors.ts';
import { requireBytes, requireOptions } from '../math/require.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { triangulate } from './faces.ts';
import { fileOf, type MeshFile, UNNAMED } from './mesh-file.ts';
import { leftOut, NoSurfaceError } from './notes.ts';
import { readWithObjFileParser } from './obj-front-end.ts';
import { scanObj } from './obj-scanner.ts';
import type { ObjRecord, ObjSkipped } from './obj-statements.ts';
import { noFaces } from './text.ts';

export type { ObjSkipped } from './obj-statements.ts';
export { writeObj, writeObjPieces } from './obj-writer.ts';

/** A mesh, and what the file held beside triangles. */
export interface ObjMesh extends Mesh {
  skipped: ObjSkipped;
}

export interface ReadObjOptions {
  /**
   * `auto`: obj-file-parser up to OBJ_FILE_PARSER_BYTES, the scanner beyond. The mesh is the same,
   * to the bit.
   */
  parser?: 'auto' | 'obj-file-parser' | 'scanner';
}

/**
 * Up to here a file takes obj-file-parser a fraction of a second; it is some ten times slower than
 * the scanner.
 */
const OBJ_FILE_PARSER_BYTES = 2 ** 21;

/**
 * Above this, what obj-file-parser makes of a file does not fit in strings and records any more.
 */
const OBJ_FILE_PARSER_CEILING = 2 ** 28;

/**
 * Reads an OBJ file: every vertex and every face in file order, polygons cut into n - 2 triangles
 * (polygon.ts), vertex numbers from 0, coordinates as the doubles nearest to their text. Nothing is
 * cleaned. `o` and `g` names become runs of triangles, runs without triangles are dropped.
 *
 * @throws FormatError, with the line, on anything that is no OBJ file; without one, on a file that
 *   has no faces
 * @throws OptionError when obj-file-parser is asked for by name for more than 256 MiB
 * @example const bytes = new TextEncoder().encode('v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf -4 -3 -2 -1\n');
 *          readObj(bytes).triangles // [0, 1, 2, 0, 2, 3]
 */
export function readObj(bytes: Uint8Array, options: ReadObjOptions = {}): ObjMesh {
  requireBytes(bytes);
  requireOptions(options);
  const { parser = 'auto' } = options;
  if (parser === 'obj-file-parser' && bytes.length > OBJ_FILE_PARSER_CEILING) {
    throw new OptionError(
      `obj-file-parser reads at most ${OBJ_FILE_PARSER_CEILING} bytes, the file has ${bytes.length}`,
    );
  }
  const small = parser === 'auto' ? bytes.length <= OBJ_FILE_PARSER_BYTES : parser === 'obj-file-parser';
  const record = small ? readWithObjFileParser(bytes) : scanObj(bytes);
  if (record.triangleCount === 0) throw noFaces();
  return meshOf(record);
}

const meshOf = (record: ObjRecord): ObjMesh => ({
  positions: record.positions,
  triangles: triangulate(record.positions, record),
  groups: record.groups,
  skipped: record.skipped,
});

/**
 * The same as a file of meshes, with notes.
 *
 * @throws FormatError as `readObj`
 */
export function readObjFile(bytes: Uint8Array): MeshFile {
  const record = bytes.length <= OBJ_FILE_PARSER_BYTES ? readWithObjFileParser(bytes) : scanObj(bytes);
  const notes = record.contents.notes(record);
  if (record.triangleCount === 0) {
    const { lines, points, freeForm } = record.skipped;
    if (lines + points + freeForm === 0 || record.vertexCount === 0) throw noFaces();
    const isNamed = notes.some(({ kind }) => kind !== 'warning');
    const all = isNamed ? notes : [...notes, leftOut(UNNAMED, 'lines or points alone')];
    throw new NoSurfaceError(all, 'at least one face', 'none');
  }
  return fileOf(meshOf(record), '', notes);
}
