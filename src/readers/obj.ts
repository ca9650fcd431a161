/**
 * Reads Wavefront OBJ as an indexed triangle mesh, by the rules in obj-statements.ts.
 */
import { OptionError } from '../base/errors.ts';
import { requireBytes, requireOptions } from '../base/require.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { triangulate } from './faces.ts';
import { fileOf, type MeshFile, UNNAMED } from './mesh-file.ts';
import { leftOut, NoSurfaceError } from './notes.ts';
import { readWithObjFileParser } from './obj-front-end.ts';
import { scanObj } from './obj-scanner.ts';
import type { ObjRecord, ObjSkipped } from './obj-statements.ts';
import { noFaces } from './text.ts';

export interface ObjMesh extends Mesh {
  skipped: ObjSkipped;
}

export interface ReadObjOptions {
  /** `auto`: obj-file-parser up to OBJ_FILE_PARSER_BYTES, else the scanner, to the same bits. */
  parser?: 'auto' | 'obj-file-parser' | 'scanner';
}

/** Up to here obj-file-parser takes a fraction of a second; the scanner is ten times faster. */
const OBJ_FILE_PARSER_BYTES = 2 ** 21;

/** Above this the results of obj-file-parser do not fit in strings and records. */
const OBJ_FILE_PARSER_CEILING = 2 ** 28;

/**
 * Reads an OBJ file: every vertex and every face in file order, polygons cut into n - 2 triangles
 * (polygon.ts), vertex numbers from 0, coordinates as the doubles nearest to their text. Nothing is
 * cleaned. `o` and `g` names become runs of triangles; empty runs are dropped.
 *
 * @throws FormatError, with the line, for anything but an OBJ file; without one, for a file without
 *   faces
 * @throws OptionError if obj-file-parser is requested by name for more than 256 MiB
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
