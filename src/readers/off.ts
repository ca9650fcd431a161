/**
 * Reads OFF, the Object File Format of Geomview ("Geomview Manual", chapter 4), as text.
 *
 * - Letters before `OFF` are for further data of each vertex: ST (texture), C (color), N (normal).
 *   They are ignored, and so are colors of faces.
 * - Empty lines and lines that begin with `#` may be anywhere. The number of edges may be missing,
 *   and is ignored.
 * - Each vertex and each face may have a line of its own. Then the line ends its data: a face may
 *   have a color or none. Otherwise line breaks mean nothing, as libigl writes. Then all faces have
 *   colors of the same number of numbers, or none, and only counts that use up all numbers of the
 *   file are right. If several do, and give other surfaces, the file is refused.
 * - Polygons are cut as for OBJ. Faces of one or two vertices are points and lines: they are
 *   ignored, with a warning.
 * - Refused by name: 4OFF and nOFF, whose vertices have other than three coordinates, and the rare
 *   binary kind.
 */
import { FormatError } from '../base/errors.ts';
import { counted, grouped } from '../base/printable.ts';
import { FaceGatherer, triangulate } from './faces.ts';
import { fileOf, type MeshFile, warning } from './mesh-file.ts';
import { MAX_ELEMENTS, noFaces, quote, tooMany } from './text.ts';
import { TextCursor } from './text-cursor.ts';

/** @throws FormatError with the line: also for counts beyond the file, and for no faces */
export function readOff(bytes: Uint8Array): MeshFile {
  const cursor = new TextCursor(bytes, { comments: true });
  const extra = readKeyword(cursor);
  const start = { at: cursor.at, line: cursor.line };
  const lines: Layout = { counts: 0, vertex: null, face: null, hasMore: false, isWhole: false };
  let body: Body | null = null;
  let problem: unknown = null;
  try {
    body = readFaces(cursor, readVertices(cursor, lines), lines);
  } catch (error) {
    problem = requireFormatError(error);
  }
  // More faces after all those with lines of their own are no colors.
  if (body ? lines.hasMore : !lines.isWhole) {
    const counts = body ? [lines.counts] : [3, 2];
    for (const other of streams(cursor, start, counts, extra)) {
      if (body && !isSame(other, body)) {
        const expected = 'each vertex and each face on a line of its own';
        throw new FormatError(null, expected, 'numbers that fit several surfaces');
      }
      body ??= other;
    }
  }
  if (!body) throw problem;
  const { positions, faces, skipped } = body;
  const list = faces.list();
  if (list.triangleCount === 0) throw noFaces();
  const text = `${counted(skipped, 'face')} skipped: fewer than 3 vertices`;
  const notes = skipped > 0 ? [warning(text)] : [];
  return fileOf({ positions, triangles: triangulate(positions, list), groups: [] }, '', notes);
}

/** The number of numbers in each part; null: all up to the line's end. */
interface Layout {
  /** Edges included; 0: all that are in the line, 2 or 3. */
  counts: number;
  /** After each vertex, and after each face. */
  vertex: number | null;
  face: number | null;
  /** Set if lines hold more than they must, and if all faces were read. */
  hasMore: boolean;
  isWhole: boolean;
}

interface Points {
  positions: Float64Array;
  faceCount: number;
}

interface Body {
  positions: Float64Array;
  faces: FaceGatherer;
  skipped: number;
}

/** Numbers in a face's color: none; red, green, blue; these and alpha; a number in a map. */
const COLORS = [0, 3, 4, 1];

/** The possible results of the numbers, independent of lines. */
function* streams(
  cursor: TextCursor,
  start: Pick<TextCursor, 'at' | 'line'>,
  countsOf: readonly number[],
  extra: readonly number[],
): Generator<Body> {
  for (const counts of countsOf) {
    for (const vertex of extra) {
      const layout = { counts, vertex, face: 0, hasMore: false, isWhole: false };
      Object.assign(cursor, start);
      const points = unlessWrong(() => readVertices(cursor, layout));
      const { at, line } = cursor;
      for (const face of points ? COLORS : []) {
        Object.assign(cursor, { at, line });
        const body = unlessWrong(() => readFaces(cursor, points!, { ...layout, face }));
        if (body) yield body;
      }
    }
  }
}

function unlessWrong<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    requireFormatError(error);
    return null;
  }
}

function requireFormatError(error: unknown): FormatError {
  if (error instanceof FormatError) return error;
  throw error;
}

function isSame(a: Body, b: Body): boolean {
  const [one, other] = [a.faces.list(), b.faces.list()];
  const equal = (x: ArrayLike<number>, y: ArrayLike<number>): boolean =>
    x.length === y.length && Array.prototype.every.call(x, (value, i) => value === y[i]);
  return equal(a.positions, b.positions) && equal(one.corners, other.corners) && equal(one.polygons, other.polygons);
}

function readCounts(cursor: TextCursor, layout: Layout) {
  if (!cursor.toWord()) throw cursor.wrong('the numbers of vertices, faces and edges');
  const { line } = cursor;
  const isInLine = layout.counts === 0;
  const toWord = (): boolean => (isInLine ? cursor.toWordInLine() : cursor.toWord());
  const vertexCount = readCount(cursor, 'the number of vertices');
  toWord();
  const faceCount = readCount(cursor, 'the number of faces');
  if (isInLine) layout.counts = toWord() ? 3 : 2;
  else toWord();
  if (layout.counts === 3) readCount(cursor, 'the number of edges');
  if (isInLine && toWord()) throw cursor.wrong('three counts');
  return { line, vertexCount, faceCount };
}

/**
 * Skips the first word, but not a count attached to it.
 *
 * @returns the number of numbers that each vertex may have after its coordinates
 */
function readKeyword(cursor: TextCursor): number[] {
  cursor.toWord();
  const start = cursor.at;
  const known = /^(?:(ST)?(C)?(N)?(4?n?)OFF|off)/.exec(cursor.word());
  if (known === null) throw cursor.wrong('OFF');
  const [word, texture, color, normal, dimensions] = known;
  if (dimensions) throw cursor.wrong('OFF, with three coordinates a vertex', quote(word));
  cursor.at = start + word.length;
  if (cursor.toWordInLine() && cursor.word().toUpperCase() === 'BINARY')
    throw cursor.wrong('OFF as text', 'OFF BINARY');
  const others = (texture ? 2 : 0) + (normal ? 3 : 0);
  return color ? [others + 4, others + 3] : [others];
}

function readCount(cursor: TextCursor, what: string): number {
  const word = cursor.word();
  if (!/^\d{1,15}$/.test(word)) throw cursor.wrong(what);
  cursor.passWord();
  return Number(word);
}

/** Skips the rest of a vertex or a face, perhaps a color. */
function passMore(cursor: TextCursor, count: number | null, layout: Layout, isColor = false): void {
  if (count === null) {
    layout.hasMore ||= cursor.toWordInLine();
    cursor.passLine();
    return;
  }
  for (let k = 0; k < count; k++) {
    if (!cursor.toWord()) throw cursor.wrong('a number');
    const x = cursor.number();
    if (isColor && !(x >= 0 && x <= 255)) throw cursor.wrong('a color', `${x}`);
  }
}

function readVertices(cursor: TextCursor, layout: Layout): Points {
  const { line, vertexCount, faceCount } = readCounts(cursor, layout);
  // Before memory is allocated: a vertex has at least three, a face two, digits and blanks.
  const left = cursor.bytes.length - cursor.at + 1;
  if (6 * vertexCount + 4 * faceCount > left) {
    const found = `${grouped(left - 1)} bytes after line ${line}`;
    throw cursor.wrong(`${grouped(vertexCount)} vertices and ${grouped(faceCount)} faces`, found);
  }
  if (3 * vertexCount > MAX_ELEMENTS) throw tooMany({ line });
  const positions = new Float64Array(3 * vertexCount);
  for (let vertex = 0; vertex < vertexCount; vertex++) {
    if (!cursor.toWord()) throw cursor.wrong(`${grouped(vertexCount)} vertices`, grouped(vertex));
    for (let k = 0; k < 3; k++) {
      const isThere = layout.vertex === null ? cursor.toWordInLine() : cursor.toWord();
      if (!isThere) throw cursor.wrong(`3 coordinates of vertex ${vertex}`, `${k}`);
      positions[3 * vertex + k] = cursor.number();
    }
    passMore(cursor, layout.vertex, layout);
  }
  return { positions, faceCount };
}

/** Throws FormatError if anything follows the faces, too. */
function readFaces(cursor: TextCursor, { positions, faceCount }: Points, layout: Layout): Body {
  const vertexCount = positions.length / 3;
  const faces = new FaceGatherer();
  const range = vertexCount === 0 ? 'at least one vertex' : `a vertex number from 0 to ${vertexCount - 1}`;
  let skipped = 0;
  for (let face = 0; face < faceCount; face++) {
    if (!cursor.toWord()) throw cursor.wrong(`${grouped(faceCount)} faces`, grouped(face));
    const size = cursor.number();
    if (!(size >= 1 && Number.isInteger(size))) throw cursor.wrong('the number of vertices of the face', `${size}`);
    for (let k = 0; k < size; k++) {
      const isThere = layout.face === null ? cursor.toWordInLine() : cursor.toWord();
      if (!isThere) throw cursor.wrong(`${grouped(size)} vertices of face ${face}`, grouped(k));
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
    passMore(cursor, layout.face, layout, true);
  }
  layout.isWhole = true;
  if (cursor.toWord()) throw cursor.wrong(`the end of the file after ${grouped(faceCount)} faces`);
  return { positions, faces, skipped };
}
