/**
 * Reads PLY, the Stanford triangle format: text and both binary encodings. Elements `vertex`,
 * `face` and `tristrips` may come in any order and among any others.
 *
 * - Coordinates are doubles: a number in text is read as the nearest double for any declared type.
 * - Faces have three vertices or more, in a list `vertex_indices` or `vertex_index`; polygons are
 *   cut as for OBJ.
 * - A strip of triangles ends with -1 or with its list; every other triangle is turned.
 * - Numbers in text are separated by any blanks and line ends, as other readers allow. A surplus
 *   number is an error: all after it may be shifted.
 * - Elements without a surface are ignored, with a warning.
 */
import { FormatError } from '../base/errors.ts';
import { grouped } from '../base/printable.ts';
import { FaceGatherer, triangulate } from './faces.ts';
import { fileOf, type MeshFile } from './mesh-file.ts';
import { warning } from './notes.ts';
import { isWhole, type PlyElement, type PlyProperty, readPlyHeader } from './ply-header.ts';
import { BinaryValues, type PlyValues, TextValues } from './ply-values.ts';
import { fewVertices, MAX_ELEMENTS, noFaces, quote, tooMany } from './text.ts';
import { TextCursor } from './text-cursor.ts';

/** @throws FormatError, with the line or byte if there is one */
export function readPly(bytes: Uint8Array): MeshFile {
  const { encoding, elements, body, line } = readPlyHeader(bytes);
  const values =
    encoding === 'ascii'
      ? new TextValues(new TextCursor(bytes, { at: body, line }))
      : new BinaryValues(bytes, body, encoding);
  const vertices = elements.find(({ name }) => name === 'vertex');
  if (vertices === undefined) throw new FormatError(null, 'an element vertex', 'none');
  const surfaces = elements.filter(({ name, count }) => SURFACES.has(name) && count > 0);
  if (surfaces.length === 0) {
    throw vertices.count === 0
      ? noFaces()
      : new FormatError(null, 'at least one face', `a cloud of ${grouped(vertices.count)} points`);
  }
  const faces = new FaceGatherer();
  const skipped: PlyElement[] = [];
  let positions: Float64Array | null = null;
  for (const element of elements) {
    values.requireElements(element);
    if (element === vertices) positions = readVertices(values, element);
    else if (element.name === 'face') readFaces(values, element, vertices.count, faces);
    else if (element.name === 'tristrips') readStrips(values, element, vertices.count, faces);
    else {
      skipElements(values, element);
      if (element.count > 0) skipped.push(element);
    }
  }
  const notes = skipped.length > 0 ? [warning(`no surface, and skipped: ${listOf(skipped)}`)] : [];
  const beyond = values.end();
  if (beyond !== null) notes.push(warning(beyond));
  const list = faces.list();
  if (positions === null || list.triangleCount === 0) throw noFaces();
  return fileOf({ positions, triangles: triangulate(positions, list), groups: [] }, '', notes);
}

function listOf(elements: readonly PlyElement[]): string {
  const shown = elements.slice(0, SHOWN).map(({ name, count }) => `${grouped(count)} ${quote(name)}`);
  const more = elements.length - shown.length;
  return shown.join(', ') + (more > 0 ? `, and ${grouped(more)} other kinds` : '');
}

const SHOWN = 8;
const SURFACES = new Set(['face', 'tristrips']);

function readVertices(values: PlyValues, { count, properties }: PlyElement): Float64Array {
  /** For each property: 0 to 2 for x, y, z, -1 for others. */
  const axes = properties.map(({ name, length }) => (length === null && name.length === 1 ? 'xyz'.indexOf(name) : -1));
  for (const [axis, name] of ['x', 'y', 'z'].entries()) {
    if (axes.filter((found) => found === axis).length === 1) continue;
    throw new FormatError(null, `one property ${name} of vertex`, axes.includes(axis) ? 'two' : 'none');
  }
  if (3 * count > MAX_ELEMENTS) throw tooMany(null);
  const positions = new Float64Array(3 * count);
  for (let vertex = 0; vertex < count; vertex++) {
    for (let k = 0; k < axes.length; k++) {
      if (axes[k] < 0) {
        skipProperty(values, properties[k]);
        continue;
      }
      const x = values.next(properties[k].type);
      if (!Number.isFinite(x)) throw new FormatError(values.place(), 'a finite coordinate', `${x} in vertex ${vertex}`);
      positions[3 * vertex + axes[k]] = x;
    }
  }
  return positions;
}

function readFaces(values: PlyValues, element: PlyElement, vertexCount: number, faces: FaceGatherer): void {
  eachList(values, element, (size, type) => {
    if (size < 3) throw fewVertices(values.place(), size);
    for (let k = 0; k < size; k++) {
      const vertex = values.next(type);
      requireVertex(values, vertex, vertexCount);
      faces.add(vertex);
    }
    faces.endFace();
  });
}

function readStrips(values: PlyValues, element: PlyElement, vertexCount: number, faces: FaceGatherer): void {
  eachList(values, element, (size, type) => {
    let [before, last] = [0, 0];
    let length = 0;
    for (let k = 0; k < size; k++) {
      const vertex = values.next(type);
      if (vertex === -1) {
        length = 0;
        continue;
      }
      requireVertex(values, vertex, vertexCount);
      if (++length >= 3) {
        const isTurned = length % 2 === 0;
        faces.add(isTurned ? last : before);
        faces.add(isTurned ? before : last);
        faces.add(vertex);
        faces.endFace();
      }
      before = last;
      last = vertex;
    }
  });
}

/** Calls `read` before each element's list of vertices, with its size and type. */
function eachList(
  values: PlyValues,
  { name, count, properties }: PlyElement,
  read: (size: number, type: number) => void,
): void {
  const indices = properties.find((property) => INDICES.has(property.name));
  if (count > 0 && (indices === undefined || indices.length === null || !isWhole(indices.type))) {
    throw new FormatError(null, `a list vertex_indices of whole numbers in ${name}`, indices ? 'another type' : 'none');
  }
  for (let n = 0; n < count; n++) {
    for (const property of properties) {
      if (property === indices) read(listSize(values, property), property.type);
      else skipProperty(values, property);
    }
  }
}

const INDICES = new Set(['vertex_indices', 'vertex_index']);

function requireVertex(values: PlyValues, vertex: number, count: number): void {
  if (vertex >= 0 && vertex < count && Number.isInteger(vertex)) return;
  const expected = count === 0 ? 'at least one vertex' : `a vertex number from 0 to ${count - 1}`;
  throw new FormatError(values.place(), expected, `${vertex}`);
}

function listSize(values: PlyValues, { length, type }: PlyProperty): number {
  const size = values.next(length!);
  if (!(size >= 0 && Number.isInteger(size))) throw new FormatError(values.place(), "a list's length", `${size}`);
  values.requireList(type, size);
  return size;
}

function skipProperty(values: PlyValues, property: PlyProperty): void {
  values.skip(property.type, property.length === null ? 1 : listSize(values, property));
}

function skipElements(values: PlyValues, { count, properties }: PlyElement): void {
  if (properties.length === 0) return;
  for (let n = 0; n < count; n++) for (const property of properties) skipProperty(values, property);
}
