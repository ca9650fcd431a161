/**
 * Reads OFF, the Object File Format of Geomview ("Geomview Manual", chapter 4), as text.
 *
 * - Letters before `OFF` are for further data of each vertex: ST (texture), C (color), N (normal).
 *   They are ignored, and so are a face's colors, up to the line's end.
 * - Each vertex and each face has a line of its own. Empty lines and lines that begin with `#` may
 *   be anywhere. The number of edges may be missing, and is ignored.
 * - Polygons are cut as for OBJ. Faces of one or two vertices are points and lines: they are
 *   ignored, with a warning.
 * - Refused by name: 4OFF and nOFF, whose vertices have other than three coordinates, and the rare
 *   binary kind.
 */
import { grouped } from '../base/printable.ts';
import { FaceGatherer, triangulate } from './faces.ts';
import { fileOf, type MeshFile, warning } from './mesh-file.ts';
import { MAX_ELEMENTS, noFaces, quote, tooMany } from './text.ts';
import { TextCursor } from './text-cursor.ts';

/** @throws FormatError with the line: also for counts beyond the file, and for no faces */
export function readOff(bytes: Uint8Array): MeshFile {
  const cursor = new TextCursor(bytes, { comments: true });
  readKeyword(cursor);
  if (!cursor.toWord()) throw cursor.wrong('how many vertices, faces and edges there are');
  const { line } = cursor;
  const vertexCount = readCount(cursor, 'how many vertices there are');
  const faceCount = readCount(cursor, 'how many faces there are');
  if (cursor.toWordInLine()) readCount(cursor, 'how many edges there are');
  if (cursor.toWordInLine()) throw cursor.wrong('three counts');
  // Before memory is allocated: a line has at least three, or two, digits and blanks.
  const left = bytes.length - cursor.at + 1;
  if (6 * vertexCount + 4 * faceCount > left) {
    const found = `${grouped(left - 1)} bytes behind line ${line}`;
    throw cursor.wrong(`${grouped(vertexCount)} vertices and ${grouped(faceCount)} faces`, found);
  }
  if (3 * vertexCount > MAX_ELEMENTS) throw tooMany({ line });
  const positions = readVertices(cursor, vertexCount);
  const { faces, skipped } = readFaces(cursor, vertexCount, faceCount);
  if (cursor.toWord()) throw cursor.wrong(`the end of the file after ${grouped(faceCount)} faces`);
  const list = faces.list();
  if (list.triangleCount === 0) throw noFaces();
  const text = `${grouped(skipped)} faces of fewer than 3 vertices are no surface and were skipped`;
  const notes = skipped > 0 ? [warning(text)] : [];
  return fileOf({ positions, triangles: triangulate(positions, list), groups: [] }, '', notes);
}

/** Skips the first word, but not a count attached to it. */
function readKeyword(cursor: TextCursor): void {
  cursor.toWord();
  const start = cursor.at;
  const known = /^(?:(?:ST)?C?N?(4?n?)OFF|off)/.exec(cursor.word());
  if (known === null) throw cursor.wrong('OFF');
  if (known[1]) throw cursor.wrong('OFF, with three coordinates a vertex', quote(known[0]));
  cursor.at = start + known[0].length;
  if (cursor.toWordInLine() && cursor.word().toUpperCase() === 'BINARY')
    throw cursor.wrong('OFF as text', 'OFF BINARY');
}

function readCount(cursor: TextCursor, what: string): number {
  if (!cursor.toWordInLine()) throw cursor.wrong(what);
  const word = cursor.word();
  if (!/^\d{1,15}$/.test(word)) throw cursor.wrong(what);
  cursor.passWord();
  return Number(word);
}

function readVertices(cursor: TextCursor, count: number): Float64Array {
  const positions = new Float64Array(3 * count);
  for (let vertex = 0; vertex < count; vertex++) {
    if (!cursor.toWord()) throw cursor.wrong(`${grouped(count)} vertices`, grouped(vertex));
    for (let k = 0; k < 3; k++) {
      if (!cursor.toWordInLine()) throw cursor.wrong(`3 coordinates of vertex ${vertex}`, `${k}`);
      positions[3 * vertex + k] = cursor.number();
    }
    cursor.passLine();
  }
  return positions;
}

function readFaces(
  cursor: TextCursor,
  vertexCount: number,
  faceCount: number,
): { faces: FaceGatherer; skipped: number } {
  const faces = new FaceGatherer();
  const range = vertexCount === 0 ? 'at least one vertex' : `a vertex number from 0 to ${vertexCount - 1}`;
  let skipped = 0;
  for (let face = 0; face < faceCount; face++) {
    if (!cursor.toWord()) throw cursor.wrong(`${grouped(faceCount)} faces`, grouped(face));
    const size = cursor.number();
    if (!(size >= 1 && Number.isInteger(size))) throw cursor.wrong('how many vertices the face has', `${size}`);
    for (let k = 0; k < size; k++) {
      if (!cursor.toWordInLine()) throw cursor.wrong(`${grouped(size)} vertices of face ${face}`, grouped(k));
      const at = cursor.at;
      const vertex = cursor.number();
      if (!(vertex >= 0 && vertex < vertexCount && Number.isInteger(vertex))) {
        cursor.at = at;
        throw cursor.wrong(range);
      }
      if (size >= 3) faces.add(vertex);
    }
    if (size >= 3) faces.endFace();
    else skipped++;
    cursor.passLine();
  }
  return { faces, skipped };
}
