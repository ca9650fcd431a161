/**
 * Reads STL of both kinds. 3D Systems, "StereoLithography Interface Specification", 1989, extended:
 *
 * - Corners with equal coordinates become one vertex. Triangles stay in file order, degenerate ones
 *   too.
 * - Normals are ignored: the order of a triangle's corners defines its outside. So are colors in
 *   the last two bytes of a binary triangle and in the header.
 * - A binary file may be longer than its triangles, with a warning, but not shorter. If its count
 *   is 0 or too small, and its length is that of more triangles, these are read, with a warning.
 * - Words in text may be in capitals, several a line; a name ends with its line. Each `solid` is an
 *   object. One without an `endsolid` may lack triangles, with a note.
 */
import { FormatError } from '../base/errors.ts';
import { grouped } from '../base/printable.ts';
import { joinCorners } from '../mesh/weld.ts';
import { grown } from './faces.ts';
import { fileOf, leftOut, leftOutText, type MeshFile, missing, type ReaderNote, warning } from './mesh-file.ts';
import { areTriangles, STL_HEADER, STL_TRIANGLE, stlKind, stlTriangles, stlTrianglesBySize } from './signatures.ts';
import { closeRuns, noFaces, openRun, type Runs } from './text.ts';
import { keyword, TextCursor } from './text-cursor.ts';

/** For files that `stlKind` accepts. Throws FormatError, with the line or byte if there is one. */
export function readStl(bytes: Uint8Array): MeshFile {
  return stlKind(bytes, bytes.length) === 'binary' ? readBinary(bytes) : readText(bytes);
}

function readBinary(bytes: Uint8Array): MeshFile {
  const stated = stlTriangles(bytes);
  const fitting = stlTrianglesBySize(bytes.length);
  const isFew = fitting > stated && (stated === 0 || areTriangles(bytes, stated, fitting, { areSome: true }));
  const count = isFew ? fitting : stated;
  const end = STL_HEADER + STL_TRIANGLE * count;
  if (bytes.length < end) {
    const expected = `${STL_HEADER} + ${STL_TRIANGLE} x ${grouped(count)} bytes`;
    throw new FormatError(null, expected, grouped(bytes.length));
  }
  if (count === 0) throw noFaces();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const mesh = joinCorners(3 * count, (first, corners, out) => loadCorners(view, first / 3, corners / 3, out));
  const beyond = bytes.length - end;
  const notes = beyond > 0 ? [warning(`${grouped(beyond)} bytes after the last triangle were skipped`)] : [];
  if (isFew)
    notes.push(
      warning(
        `the header states ${grouped(stated)} triangles, but ${grouped(count - stated)} more are behind them; all ${grouped(count)} were read`,
      ),
    );
  return fileOf({ ...mesh, groups: [] }, '', notes);
}

/** The nine coordinates of `count` triangles; each follows its normal. */
function loadCorners(view: DataView, first: number, count: number, out: Float64Array): void {
  let at = STL_HEADER + STL_TRIANGLE * first + 12;
  for (let c = 0; c < 9 * count; c += 9, at += STL_TRIANGLE) {
    out[c] = view.getFloat32(at, true);
    out[c + 1] = view.getFloat32(at + 4, true);
    out[c + 2] = view.getFloat32(at + 8, true);
    out[c + 3] = view.getFloat32(at + 12, true);
    out[c + 4] = view.getFloat32(at + 16, true);
    out[c + 5] = view.getFloat32(at + 20, true);
    out[c + 6] = view.getFloat32(at + 24, true);
    out[c + 7] = view.getFloat32(at + 28, true);
    out[c + 8] = view.getFloat32(at + 32, true);
  }
  for (let c = 0; c < 9 * count; c++) {
    if (out[c] - out[c] === 0) continue;
    const triangle = first + Math.floor(c / 9);
    const byte = STL_HEADER + STL_TRIANGLE * triangle + 12 + 4 * (c % 9);
    throw new FormatError({ byte }, 'a finite coordinate', `${out[c]} in triangle ${triangle}`);
  }
}

const SOLID = keyword('solid');
const END_SOLID = keyword('endsolid');
const END = keyword('end');
const FACET = keyword('facet');
const OUTER = keyword('outer');
const LOOP = keyword('loop');
const VERTEX = keyword('vertex');
const END_LOOP = keyword('endloop');
const END_FACET = keyword('endfacet');

function readText(bytes: Uint8Array): MeshFile {
  const cursor = new TextCursor(bytes);
  const runs: Runs = { list: [], open: { object: null, group: null } };
  let coordinates: Float64Array = new Float64Array(9 << 8);
  let triangles = 0;
  let isOpen = false;
  let name: string | null = null;
  const solids = new Solids();
  while (cursor.toWord()) {
    if (cursor.passes(SOLID)) {
      isOpen = true;
      name = cursor.restOfLine();
      solids.begin(name || DEFAULT);
    } else if (isOpen && cursor.passes(FACET)) {
      if (name !== null) {
        openRun(runs, 'object', name || DEFAULT, triangles, cursor.line);
        solids.fill();
      }
      name = null;
      if (9 * triangles === coordinates.length) coordinates = grown(coordinates, { line: cursor.line });
      readFacet(cursor, coordinates, 9 * triangles++);
    } else if (isOpen && (cursor.passes(END_SOLID) || passesEndSolid(cursor))) {
      isOpen = false;
      solids.end();
      cursor.passLine();
    } else {
      throw cursor.wrong(isOpen ? 'facet or endsolid' : 'solid');
    }
  }
  if (triangles === 0) throw noFaces();
  const mesh = joinCorners(3 * triangles, (first, count, out) =>
    out.set(coordinates.subarray(3 * first, 3 * (first + count))),
  );
  const groups = closeRuns(runs, triangles);
  return fileOf({ ...mesh, groups }, '', solids.notes());
}

/** Some writers put two words. */
function passesEndSolid(cursor: TextCursor): boolean {
  const { at } = cursor;
  if (cursor.passes(END) && cursor.toWordInLine() && cursor.passes(SOLID)) return true;
  cursor.at = at;
  return false;
}

const DEFAULT = 'default';

class Solids {
  private readonly filled = new Set<string>();
  private readonly empty = new Set<string>();
  private readonly endless = new Set<string>();
  private open: string | null = null;

  begin(name: string): void {
    if (this.open !== null) this.endless.add(this.open);
    this.open = name;
    this.empty.add(name);
  }

  fill(): void {
    if (this.open !== null) this.filled.add(this.open);
  }

  end(): void {
    this.open = null;
  }

  notes(): ReaderNote[] {
    if (this.open !== null) this.endless.add(this.open);
    const empty = [...this.empty].filter((name) => !this.filled.has(name) && !this.endless.has(name));
    const texts = empty.length > 0 ? [warning(leftOutText(empty, 'solid'))] : [];
    return [
      ...[...this.endless].map((element) =>
        missing(element, 'no endsolid: triangles may be missing', { isPart: this.filled.has(element) }),
      ),
      ...empty.map((element) => leftOut(element, 'a solid without triangles')),
      ...texts,
    ];
  }
}

function readFacet(cursor: TextCursor, out: Float64Array, at: number): void {
  // The normal: a word and three numbers, perhaps invalid ones such as -nan(ind).
  for (let words = 0; !passesNext(cursor, OUTER); words++) {
    if (words === 4 || cursor.at >= cursor.bytes.length) throw cursor.wrong('outer loop');
    cursor.passWord();
  }
  pass(cursor, LOOP, 'loop');
  for (let corner = 0; corner < 3; corner++) {
    pass(cursor, VERTEX, 'vertex');
    for (let k = 0; k < 3; k++) {
      cursor.toWord();
      out[at++] = cursor.number();
    }
  }
  pass(cursor, END_LOOP, 'endloop after three vertices');
  pass(cursor, END_FACET, 'endfacet');
}

function passesNext(cursor: TextCursor, letters: Uint8Array): boolean {
  cursor.toWord();
  return cursor.passes(letters);
}

function pass(cursor: TextCursor, letters: Uint8Array, expected: string): void {
  if (!passesNext(cursor, letters)) throw cursor.wrong(expected);
}
