/**
 * The rules of both OBJ readers: their common record, limits, and messages. Wavefront, "Object
 * Files (.obj)", Advanced Visualizer Manual, appendix B1.
 *
 * The two readers (obj-scanner.ts and obj-front-end.ts) split a file into statements in different
 * ways, so that they can be compared. Their common rules:
 *
 * - A line ends with LF, CRLF or CR, and counts from 1. A UTF-8 byte order mark is skipped.
 * - Blanks are space, tab, vertical tab and form feed; a backslash before a line end, or at the
 *   file's, is a blank too.
 * - `#` at the possible start of a token opens a comment up to the line's end; no backslash
 *   continues it. Elsewhere it is part of the token, so that the `1.#INF` of old C libraries is
 *   invalid, not 1.
 * - Keywords are in either case. `v`: three finite decimal numbers; further ones (weight, color)
 *   must be numbers and are ignored. `f`, and its old name `fo`: three or more of v, v/vt, v//vn,
 *   v/vt/vn; vt and vn must be integers or missing, and are ignored. Vertex numbers may point ahead
 *   in the file; negative ones count back from the line.
 * - `o` and `g` name the following faces by the rest of the statement; the default name is
 *   `default`. `l` and `p` elements and free-form curves and surfaces are counted, everything else
 *   is skipped. No other file is ever opened.
 * - A zero byte, outside of tokens that are refused anyway, means that the file is not text.
 *
 * The first error in the file is reported, but a vertex number beyond the file's last vertex only
 * at the end.
 */
import { FormatError } from '../base/errors.ts';
import type { MeshGroup } from '../mesh/mesh.ts';
import type { FaceList } from './faces.ts';
import { UNNAMED } from './mesh-file.ts';
import { leftOut, leftOutText, missing, type ReaderNote, warning } from './notes.ts';
import { quote } from './text.ts';

export interface ObjSkipped {
  lines: number;
  points: number;
  /** Free-form curves and surfaces: curv, curv2, surf, and the superseded bsp, bzp, cdc and cdp. */
  freeForm: number;
}

export interface ObjRecord extends FaceList {
  /** Vertices of the file; `positions` may lack them if there is no face. */
  vertexCount: number;
  positions: Float64Array;
  groups: MeshGroup[];
  skipped: ObjSkipped;
  contents: ObjContents;
}

/** Free-form statements that describe surfaces; the others describe curves. */
const FREE_FORM_SURFACE = /^(?:surf|bsp|bzp|cdp)$/i;

/** Most names without faces: more of them are an attack on memory. */
const MOST_NAMES = 2 ** 20;

/**
 * Content without faces. Lines and free-form statements belong to the open object, else to the
 * group.
 */
export class ObjContents {
  private readonly object = new NamesOfKind();
  private readonly group = new NamesOfKind();
  private curves = 0;

  /** @param name is called later, at most once */
  begin(kind: MeshGroup['kind'], line: number, name: () => string): void {
    this[kind].begin(line, name);
  }

  face(): void {
    this.object.hasFaces = true;
    this.group.hasFaces = true;
  }

  thin(): void {
    this.owner().isThin = true;
  }

  freeForm(keyword: string): void {
    if (FREE_FORM_SURFACE.test(keyword)) this.owner().isFreeForm = true;
    else {
      this.curves++;
      this.thin();
    }
  }

  notes({ groups, triangleCount, skipped: { lines, points } }: Omit<ObjRecord, 'contents'>): ReaderNote[] {
    const filled = { object: new Set<string>(), group: new Set<string>() };
    for (const { kind, name, count } of groups) if (count > 0) filled[kind].add(name);
    const [objects, named] = [this.object.end(), this.group.end()];
    const unread = new Set([...objects, ...named].flatMap(([name, { isFreeForm }]) => (isFreeForm ? [name] : [])));
    const withoutFaces = (found: typeof objects, kind: MeshGroup['kind'], isElement: (own: Content) => boolean) =>
      [...found].flatMap(([name, own]) =>
        name !== null && isElement(own) && !filled[kind].has(name) && !unread.has(name) ? [name] : [],
      );
    // Groups beside objects are not elements. Many programs write an empty group first.
    const isOfGroups = filled.object.size === 0;
    const empty = new Set([
      ...withoutFaces(objects, 'object', () => true),
      ...(isOfGroups ? withoutFaces(named, 'group', ({ isThin }) => isThin) : []),
    ]);
    const first = groups.find(({ kind, count }) => count > 0 && kind === (isOfGroups ? 'group' : 'object'))?.first;
    const hasNameless = (first ?? triangleCount) > 0;
    const isFilled = (name: string | null): boolean =>
      name === null ? hasNameless : filled[isOfGroups ? 'group' : 'object'].has(name);
    const skipped = `${lines} lines and ${points} points are no surface and were skipped`;
    return [
      ...[...unread].map((name) =>
        missing(name ?? UNNAMED, 'free-form surfaces are not read', { isPart: isFilled(name) }),
      ),
      ...[...empty].map((name) => leftOut(name, 'no faces')),
      ...(lines + points > 0 ? [warning(skipped)] : []),
      ...(this.curves > 0 ? [warning(`${this.curves} free-form curves are no surface and were skipped`)] : []),
      ...(empty.size > 0 ? [warning(leftOutText([...empty], 'object'))] : []),
    ];
  }

  private owner(): NamesOfKind {
    return this.object.isNamed ? this.object : this.group;
  }
}

interface Content {
  isThin: boolean;
  isFreeForm: boolean;
}

/** In their order: names without faces, and names with free-form surfaces. */
class NamesOfKind implements Content {
  isThin = false;
  isFreeForm = false;
  hasFaces = false;
  private readonly found = new Map<string | null, Content>();
  private name: (() => string) | null = null;
  private line = 1;

  get isNamed(): boolean {
    return this.name !== null;
  }

  begin(line: number, name: () => string): void {
    this.keep();
    this.line = line;
    this.name = name;
    this.isThin = false;
    this.isFreeForm = false;
    this.hasFaces = false;
  }

  end(): ReadonlyMap<string | null, Content> {
    this.keep();
    return this.found;
  }

  private keep(): void {
    const { isThin, isFreeForm, name } = this;
    if (!isFreeForm && (this.hasFaces || name === null)) return;
    const key = name === null ? null : name();
    const before = this.found.get(key);
    if (!before && this.found.size >= MOST_NAMES)
      throw new FormatError({ line: this.line }, `at most ${MOST_NAMES} names without faces`, 'more');
    this.found.set(key, {
      isThin: isThin || (before?.isThin ?? false),
      isFreeForm: isFreeForm || (before?.isFreeForm ?? false),
    });
  }
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
