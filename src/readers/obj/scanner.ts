/**
 * Reads OBJ files of any size from their bytes, and has the rules that both OBJ readers share. The
 * scanner takes one pass, makes no strings except names, and its memory is linear in the mesh. Only
 * a file with a vertex number beyond its last vertex is read again, for the line.
 */

import { FormatError } from '../../base/errors.ts';
import { counted } from '../../base/printable.ts';
import type { MeshGroup } from '../../mesh/mesh.ts';
import { type FaceList, grown } from '../faces.ts';
import { leftOut, leftOutText, missing, type ReaderNote, UNNAMED, warning } from '../mesh-file.ts';
import {
  badNumber,
  closeRuns,
  decimalEnd,
  fewVertices,
  longName,
  longNumber,
  MAX_NAME,
  MAX_NUMBER,
  nulByte,
  openRun,
  QUOTED_BYTES,
  quote,
  type Runs,
  scanDecimal,
  textOf,
  textStart,
} from '../text.ts';

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const HASH = 35;
const PLUS = 43;
const MINUS = 45;
const DOT = 46;
const SLASH = 47;
const ZERO = 48;
const BACKSLASH = 92;
const LOWER = 32; // the bit that makes an ASCII letter lower-case
const F = 102;
const G = 103;
const L = 108;
const O = 111;
const P = 112;
const V = 118;

const BLANKS = [TAB, 11, 12, SPACE];
/** 1 for bytes that end a token; a backslash does so too before a line end. */
const ENDS_TOKEN = new Uint8Array(256);
for (const byte of [...BLANKS, LF, CR]) ENDS_TOKEN[byte] = 1;

/** The place after the last token or statement. */
let stop = 0;
let line = 1;

export function scanObj(bytes: Uint8Array): ObjRecord {
  return scan(bytes, Number.POSITIVE_INFINITY);
}

interface Scan {
  readonly bytes: Uint8Array;
  /** Larger positive vertex numbers are refused. */
  readonly vertexLimit: number;
  positions: Float64Array;
  corners: Uint32Array;
  polygons: Uint32Array;
  vertexCount: number;
  cornerCount: number;
  polygonsEnd: number;
  triangleCount: number;
  /** The highest vertex number that points ahead. */
  furthest: number;
  readonly runs: Runs;
  /** Byte ranges of names since the last face, or -1. */
  objectStart: number;
  objectEnd: number;
  groupStart: number;
  groupEnd: number;
  readonly skipped: ObjRecord['skipped'];
  readonly contents: ObjContents;
}

const newScan = (bytes: Uint8Array, vertexLimit: number): Scan => ({
  bytes,
  vertexLimit,
  positions: new Float64Array(Math.min(1 << 12, bytes.length)),
  corners: new Uint32Array(Math.min(1 << 12, bytes.length)),
  polygons: new Uint32Array(1 << 6),
  vertexCount: 0,
  cornerCount: 0,
  polygonsEnd: 0,
  triangleCount: 0,
  furthest: 0,
  runs: { list: [], open: { object: null, group: null } },
  objectStart: -1,
  objectEnd: -1,
  groupStart: -1,
  groupEnd: -1,
  skipped: { lines: 0, points: 0, freeForm: 0 },
  contents: new ObjContents(),
});

/** A file with a vertex number beyond its last is read again, with the limit, for the line. */
function scan(bytes: Uint8Array, vertexLimit: number): ObjRecord {
  const read = newScan(bytes, vertexLimit);
  line = 1;
  let p = textStart(bytes);
  while (true) {
    p = skipBlanks(bytes, p);
    if (p >= bytes.length) break;
    const first = bytes[p];
    if (first === LF || first === CR) p = skipLineEnd(bytes, p);
    else if (first === HASH) p = skipComment(bytes, p);
    else p = readStatement(read, p);
  }
  const { vertexCount, triangleCount, runs, skipped, contents } = read;
  if (read.furthest > vertexCount) return scan(bytes, vertexCount);
  return {
    vertexCount,
    positions: read.positions.slice(0, 3 * vertexCount),
    corners: read.corners.slice(0, read.cornerCount),
    polygons: read.polygons.slice(0, read.polygonsEnd),
    triangleCount,
    groups: closeRuns(runs, triangleCount),
    skipped,
    contents,
  };
}

function readStatement(read: Scan, p: number): number {
  const { bytes, skipped, contents } = read;
  switch (endsToken(bytes, p + 1) ? bytes[p] | LOWER : longKeyword(bytes, p)) {
    case V:
      return readVertex(read, p);
    case F:
      return readFace(read, p);
    case O:
      read.objectStart = skipBlanks(bytes, p + 1);
      p = skipName(bytes, read.objectStart);
      read.objectEnd = stop;
      begin(read, 'object', read.objectStart, stop);
      return p;
    case G:
      read.groupStart = skipBlanks(bytes, p + 1);
      p = skipName(bytes, read.groupStart);
      read.groupEnd = stop;
      begin(read, 'group', read.groupStart, stop);
      return p;
    case L:
      skipped.lines++;
      contents.thin();
      break;
    case P:
      skipped.points++;
      contents.thin();
      break;
    case FREE_FORM:
      skipped.freeForm++;
      contents.freeForm(tokenAt(bytes, p));
  }
  return skipStatement(bytes, p);
}

const begin = ({ bytes, contents }: Scan, kind: 'object' | 'group', start: number, end: number): void =>
  contents.begin(kind, line, () => nameAt(bytes, start, end));

function readVertex(read: Scan, p: number): number {
  const { bytes } = read;
  const statementLine = line;
  const filled = 3 * read.vertexCount;
  if (filled + 3 > read.positions.length) read.positions = grown(read.positions, { line });
  const { positions } = read;
  let count = 0;
  p = skipBlanks(bytes, p + 1);
  while (!endsStatement(bytes, p)) {
    const value = readNumber(bytes, p);
    if (count < 3) positions[filled + count] = value;
    count++;
    p = skipBlanks(bytes, stop);
  }
  if (count < 3) throw fewCoordinates(statementLine, count);
  read.vertexCount++;
  return p;
}

function readFace(read: Scan, p: number): number {
  const { bytes, vertexLimit, vertexCount } = read;
  const statementLine = line;
  const start = read.cornerCount;
  let { corners, cornerCount } = read;
  p = skipBlanks(bytes, endsToken(bytes, p + 1) ? p + 1 : p + 2);
  while (!endsStatement(bytes, p)) {
    const value = readCorner(bytes, p);
    if (value > vertexCount) {
      if (value > vertexLimit) throw outOfRange(line, vertexLimit, tokenAt(bytes, p));
      if (value > read.furthest) read.furthest = value;
    } else if (value === 0) throw zeroCorner(line, tokenAt(bytes, p));
    else if (value < -vertexCount) throw relativeOutOfRange(line, vertexCount, tokenAt(bytes, p));
    if (cornerCount === corners.length) corners = grown(corners, { line });
    corners[cornerCount++] = value > 0 ? value - 1 : vertexCount + value;
    p = skipBlanks(bytes, stop);
  }
  const size = cornerCount - start;
  if (size < 3) throw fewVertices({ line: statementLine }, size);
  read.corners = corners;
  read.cornerCount = cornerCount;
  if (read.objectStart >= 0 || read.groupStart >= 0) openPendingRuns(read, statementLine);
  if (size > 3) {
    if (read.polygonsEnd === read.polygons.length) read.polygons = grown(read.polygons, { line });
    read.polygons[read.polygonsEnd++] = start;
    read.polygons[read.polygonsEnd++] = size;
  }
  read.triangleCount += size - 2;
  return p;
}

function openPendingRuns(read: Scan, statementLine: number): void {
  const { bytes, runs, triangleCount, objectStart, groupStart } = read;
  const object = () =>
    openRun(runs, 'object', nameAt(bytes, objectStart, read.objectEnd), triangleCount, statementLine);
  const group = () => openRun(runs, 'group', nameAt(bytes, groupStart, read.groupEnd), triangleCount, statementLine);
  if (objectStart >= 0 && objectStart < groupStart) object();
  if (groupStart >= 0) group();
  if (objectStart > groupStart) object();
  read.objectStart = read.groupStart = -1;
  read.contents.face();
}

// Characters. After the last byte there is an endless line end.

function byteAt(bytes: Uint8Array, p: number): number {
  return p < bytes.length ? bytes[p] : LF;
}

function endsToken(bytes: Uint8Array, p: number): boolean {
  const c = byteAt(bytes, p);
  return ENDS_TOKEN[c] === 1 || (c === BACKSLASH && continues(bytes, p));
}

function continues(bytes: Uint8Array, p: number): boolean {
  const next = byteAt(bytes, p + 1);
  return next === LF || next === CR;
}

function endsStatement(bytes: Uint8Array, p: number): boolean {
  const c = byteAt(bytes, p);
  return c === LF || c === CR || c === HASH;
}

function skipBlanks(bytes: Uint8Array, p: number): number {
  while (p < bytes.length) {
    const c = bytes[p];
    if (c === SPACE) p++;
    else if (c > BACKSLASH || (c > SPACE && c < BACKSLASH)) return p;
    else if (c === BACKSLASH && continues(bytes, p)) p = skipLineEnd(bytes, p + 1);
    else if (c === TAB || c === 11 || c === 12) p++;
    else return p;
  }
  return p;
}

function skipLineEnd(bytes: Uint8Array, p: number): number {
  if (p >= bytes.length) return p;
  line++;
  return bytes[p] === CR && byteAt(bytes, p + 1) === LF && p + 1 < bytes.length ? p + 2 : p + 1;
}

function skipComment(bytes: Uint8Array, p: number): number {
  for (; p < bytes.length; p++) {
    const c = bytes[p];
    if (c === LF || c === CR) break;
    if (c === 0) throw nulByte(line);
  }
  return p;
}

function skipStatement(bytes: Uint8Array, p: number): number {
  while (p < bytes.length) {
    const c = bytes[p];
    if (c > HASH && c !== BACKSLASH) p++;
    else if (c === LF || c === CR) break;
    else if (c === HASH && ENDS_TOKEN[bytes[p - 1]] === 1) return skipComment(bytes, p);
    else if (c === BACKSLASH && continues(bytes, p)) p = skipLineEnd(bytes, p + 1);
    else if (c === 0) throw nulByte(line);
    else p++;
  }
  return p;
}

function skipName(bytes: Uint8Array, start: number): number {
  const statementLine = line;
  let end = start;
  let p = start;
  while (!endsStatement(bytes, p)) {
    for (; !endsToken(bytes, p); p++) if (bytes[p] === 0) throw nulByte(line);
    end = p;
    p = skipBlanks(bytes, p);
  }
  stop = end;
  if (end - start > 4 * MAX_NAME || (end - start > MAX_NAME && nameAt(bytes, start, end).length > MAX_NAME)) {
    throw longName(statementLine);
  }
  return p;
}

function nameAt(bytes: Uint8Array, start: number, end: number): string {
  return textOf(bytes.subarray(start, end)).replace(/\\(?:\r\n|\r|\n)/g, ' ') || 'default';
}

function tokenAt(bytes: Uint8Array, start: number): string {
  let end = start;
  while (end - start < QUOTED_BYTES && !endsToken(bytes, end)) end++;
  return textOf(bytes.subarray(start, end));
}

const OTHER = 0;
const FREE_FORM = 1;

function longKeyword(bytes: Uint8Array, start: number): number {
  const first = bytes[start] | LOWER;
  const second = bytes[start + 1];
  if ((first === V || first === F) && (isDigit(second) || second === MINUS || second === PLUS || second === DOT)) {
    throw gluedKeyword(line, tokenAt(bytes, start));
  }
  if (first === V) return OTHER; // vt, vn, vp: the keywords that files are full of
  let word = '';
  for (let p = start; p - start <= 5 && !endsToken(bytes, p); p++) word += String.fromCharCode(bytes[p]);
  switch (word.toLowerCase()) {
    case 'fo':
      return F;
    case 'curv':
    case 'curv2':
    case 'surf':
    case 'bsp':
    case 'bzp':
    case 'cdc':
    case 'cdp':
      return FREE_FORM;
    default:
      return OTHER;
  }
}

function isDigit(c: number): boolean {
  return c >= ZERO && c < ZERO + 10;
}

function readNumber(bytes: Uint8Array, start: number): number {
  const value = scanDecimal(bytes, start);
  stop = decimalEnd;
  if (!endsToken(bytes, stop)) throw badNumber(line, tokenAt(bytes, start));
  if (stop - start > MAX_NUMBER) throw longNumber(line);
  if (!Number.isFinite(value)) throw badNumber(line, tokenAt(bytes, start));
  return value;
}

/** The signed vertex number of a face's corner. */
function readCorner(bytes: Uint8Array, start: number): number {
  let p = start;
  let c = bytes[p];
  const negative = c === MINUS;
  if (negative || c === PLUS) c = byteAt(bytes, ++p);
  const digits = p;
  let value = 0;
  for (; isDigit(c); c = byteAt(bytes, ++p)) if (value < 1e14) value = value * 10 + (c - ZERO);
  if (p === digits) throw badCorner(line, tokenAt(bytes, start));
  for (let slashes = 0; c === SLASH; c = byteAt(bytes, p)) {
    if (++slashes > 2) throw badCorner(line, tokenAt(bytes, start));
    c = byteAt(bytes, ++p);
    const signed = c === MINUS || c === PLUS;
    if (signed) c = byteAt(bytes, ++p);
    const attribute = p;
    while (isDigit(c)) c = byteAt(bytes, ++p);
    if (signed && p === attribute) throw badCorner(line, tokenAt(bytes, start));
  }
  if (!endsToken(bytes, p)) throw badCorner(line, tokenAt(bytes, start));
  stop = p;
  return negative ? -value : value;
}

/*
 * The rules of both OBJ readers: their common record, limits, and messages. Wavefront, "Object
 * Files (.obj)", Advanced Visualizer Manual, appendix B1.
 *
 * The two readers (the scanner above and the front end in obj.ts) split a file into statements in
 * different ways, so that they can be compared. Their common rules:
 *
 * - A line ends with LF, CRLF or CR, and counts from 1. A UTF-8 byte order mark is skipped.
 * - Blanks are space, tab, vertical tab and form feed; a backslash before a line end, or at the
 *   file's, is a blank too.
 * - `#` at the possible start of a token opens a comment up to the line's end; no backslash
 *   continues it. Elsewhere it is part of the token, so that the `1.#INF` of old C libraries is
 *   invalid, not 1.
 * - Keywords are in either case. `v` has three finite decimal numbers; further ones (weight, color)
 *   must be numbers and are ignored. `f`, and its old name `fo`, has three or more of v, v/vt,
 *   v//vn, v/vt/vn; vt and vn must be integers or missing, and are ignored. Vertex numbers may
 *   point ahead in the file; negative ones count back from the line.
 * - `o` and `g` name the following faces by the rest of the statement; the default name is
 *   `default`. `l` and `p` elements and free-form curves and surfaces are counted, everything else
 *   is skipped. No other file is ever opened.
 * - A zero byte, outside of tokens that are refused anyway, means that the file is not text.
 *
 * The first error in the file is reported, but a vertex number beyond the file's last vertex only
 * at the end.
 */

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

/** Content without faces. Lines and free-form statements belong to the open object or group. */
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
    const skipped = `${counted(lines, 'line')} and ${counted(points, 'point')} skipped: no surface`;
    return [
      ...[...unread].map((name) =>
        missing(name ?? UNNAMED, 'free-form surfaces are not read', { isPart: isFilled(name) }),
      ),
      ...[...empty].map((name) => leftOut(name, 'no faces')),
      ...(lines + points > 0 ? [warning(skipped)] : []),
      ...(this.curves > 0 ? [warning(`${counted(this.curves, 'free-form curve')} skipped: no surface`)] : []),
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
  new FormatError({ line }, 'a vertex such as 7, 7/1, 7//3 or 7/1/3', quote(token));
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
