/**
 * What both OBJ readers share: the record they fill, its limits, and the words for what is wrong
 * with a file. Wavefront, "Object Files (.obj)", Advanced Visualizer Manual, appendix B1.
 *
 * The two readers (obj-scanner.ts and obj-front-end.ts) cut a file into statements each in its own
 * way, so that each can be held against the other. What they agree on:
 *
 * - A line ends with LF, CRLF or CR, and counts from 1. A UTF-8 byte order mark is skipped.
 * - Blanks are space, tab, vertical tab and form feed; a backslash before a line end, or at the
 *   file's, is a blank too.
 * - `#` where a token could start opens a comment up to the line's end; no backslash continues a
 *   comment. Elsewhere it is part of the token, so that the `1.#INF` of old C libraries is junk and
 *   never 1.
 * - Keywords are read in either case. `v`: three finite decimal numbers; further ones (weight,
 *   colour) must be numbers and are ignored. `f`, and its old name `fo`: three or more of v, v/vt,
 *   v//vn, v/vt/vn; vt and vn must be integers or missing, and are ignored. Vertex numbers may
 *   point ahead in the file; negative ones count back from the line.
 * - `o` and `g` name what follows, by the rest of the statement; nameless ones are called
 *   `default`. `l` and `p` elements and free-form curves and surfaces are counted, everything else
 *   is skipped. No other file is ever opened.
 * - A zero byte outside of tokens that are refused anyway says that the file is no text.
 *
 * Of several things wrong the first one in the file is reported, but for a vertex number beyond the
 * file's last vertex, which shows at the end.
 */
import { FormatError } from '../math/errors.ts';
import { printable } from '../math/printable.ts';
import type { MeshGroup } from '../mesh/mesh.ts';

/** Elements of a file that are no triangles and that a mesh does not keep. */
export interface ObjSkipped {
  /** `l` elements. */
  lines: number;
  /** `p` elements. */
  points: number;
  /** Free-form curves and surfaces: curv, curv2, surf, and the superseded bsp, bzp, cdc and cdp. */
  freeForm: number;
}

/** An OBJ file before its polygons are triangulated. */
export interface ObjRecord {
  positions: Float64Array;
  /** The faces' vertex numbers, from 0, one face after the other. */
  corners: Uint32Array;
  /**
   * First corner and number of corners of each face that has more than three; all other faces are
   * triangles.
   */
  polygons: Uint32Array;
  /** Sum of n - 2 over all faces. */
  triangleCount: number;
  groups: MeshGroup[];
  skipped: ObjSkipped;
}

/** Elements that a typed array can have in every engine that has the memory. */
export const MAX_ELEMENTS = 2 ** 32 - 1;
/** UTF-16 units of a name. */
export const MAX_NAME = 65_536;
/** Characters of a coordinate; the longest exact double has 1,077. */
export const MAX_NUMBER = 65_536;
/** Runs under one name; more than that is no mesh but an attack on memory. */
const MAX_RUNS = 2 ** 22;

/** The runs of triangles under one name, as far as they are read. */
export interface Runs {
  list: MeshGroup[];
  open: { object: MeshGroup | null; group: MeshGroup | null };
}

/**
 * Ends the run of this kind at triangle `first` and begins another one; call it when a face comes,
 * not at the name.
 */
export function openRun(runs: Runs, kind: MeshGroup['kind'], name: string, first: number, line: number): void {
  if (runs.list.length >= MAX_RUNS) throw new FormatError({ line }, `at most ${MAX_RUNS} named runs of faces`, 'more');
  closeRun(runs.open[kind], first);
  runs.open[kind] = { kind, name, first, count: 0 };
  runs.list.push(runs.open[kind]);
}

/** Ends what is open at the end of the file. */
export function closeRuns(runs: Runs, triangleCount: number): MeshGroup[] {
  closeRun(runs.open.object, triangleCount);
  closeRun(runs.open.group, triangleCount);
  return runs.list;
}

function closeRun(run: MeshGroup | null, end: number): void {
  if (run !== null) run.count = end - run.first;
}

/** Offset of the first character after a byte order mark. Throws FormatError on UTF-16. */
export function textStart(bytes: Uint8Array): number {
  const utf16 =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'FF FE' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'FE FF' : '';
  if (utf16 !== '') throw new FormatError({ line: 1 }, 'UTF-8 text', `UTF-16 (byte order mark ${utf16})`);
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

const QUOTED = 40;
/** More bytes than the quoted part of a token can have. */
export const QUOTED_BYTES = 4 * (QUOTED + 1);

/**
 * A token as an error shows it: quoted, cut to 40 characters, with nothing in it that moves a
 * terminal's cursor.
 */
function quote(token: string): string {
  const characters = Array.from(token.slice(0, 2 * QUOTED + 2));
  const cut = characters.length > QUOTED ? '...' : '';
  return `"${printable(characters.slice(0, QUOTED).join(''))}${cut}"`;
}

export const badNumber = (line: number, token: string) => new FormatError({ line }, 'a finite number', quote(token));
export const longNumber = (line: number) =>
  new FormatError({ line }, `a number of at most ${MAX_NUMBER} characters`, 'a longer one');
export const longName = (line: number) =>
  new FormatError({ line }, `a name of at most ${MAX_NAME} characters`, 'a longer one');
export const fewCoordinates = (line: number, count: number) => new FormatError({ line }, '3 coordinates', `${count}`);
export const fewVertices = (line: number, count: number) =>
  new FormatError({ line }, 'at least 3 vertices in a face', `${count}`);
export const badCorner = (line: number, token: string) =>
  new FormatError({ line }, 'a vertex as in 7, 7/1, 7//3 or 7/1/3', quote(token));
export const zeroCorner = (line: number, token: string) =>
  new FormatError({ line }, 'vertex numbers that count from 1', quote(token));
export const gluedKeyword = (line: number, token: string) =>
  new FormatError({ line }, `a blank after "${token[0]}"`, quote(token));
export const nulByte = (line: number) => new FormatError({ line }, 'text', 'a zero byte');
export const tooMany = (line: number | null) =>
  new FormatError(
    line === null ? null : { line },
    `no more than ${MAX_ELEMENTS} coordinates or corners in all`,
    'more',
  );
export const noFaces = () => new FormatError(null, 'at least one face', 'none');

/** `count`: vertices before the line. */
export function relativeOutOfRange(line: number, count: number, token: string): FormatError {
  const expected = count === 0 ? 'a vertex before a relative number' : `a relative vertex number from -${count} to -1`;
  return new FormatError({ line }, expected, quote(token));
}

/** `count`: vertices in the whole file. */
export function outOfRange(line: number, count: number, token: string): FormatError {
  const expected = count === 0 ? 'at least one vertex in the file' : `a vertex number from 1 to ${count}`;
  return new FormatError({ line }, expected, quote(token));
}
