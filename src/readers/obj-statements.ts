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
import type { MeshGroup } from '../mesh/mesh.ts';
import type { FaceList } from './faces.ts';
import { quote } from './text.ts';

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
export interface ObjRecord extends FaceList {
  positions: Float64Array;
  groups: MeshGroup[];
  skipped: ObjSkipped;
}

export const fewCoordinates = (line: number, count: number) => new FormatError({ line }, '3 coordinates', `${count}`);
export const badCorner = (line: number, token: string) =>
  new FormatError({ line }, 'a vertex as in 7, 7/1, 7//3 or 7/1/3', quote(token));
export const zeroCorner = (line: number, token: string) =>
  new FormatError({ line }, 'vertex numbers that count from 1', quote(token));
export const gluedKeyword = (line: number, token: string) =>
  new FormatError({ line }, `a blank after "${token[0]}"`, quote(token));

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
