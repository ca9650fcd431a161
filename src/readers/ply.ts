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
 * - Elements without a surface are ignored, with a warning. So is a line of the header that begins
 *   with no statement's word, if the elements then end where the file does.
 */
import { FormatError, type Place } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { grouped } from '../base/printable.ts';
import { FaceGatherer, triangulate } from './faces.ts';
import { fileOf, type MeshFile, warning } from './mesh-file.ts';
import { fewVertices, MAX_ELEMENTS, MAX_NAME, noFaces, quote, textOf, tooMany } from './text.ts';
import { TextCursor } from './text-cursor.ts';

/** @throws FormatError, with the line or byte if there is one */
export function readPly(bytes: Uint8Array): MeshFile {
  const { encoding, elements, body, line, banners } = readPlyHeader(bytes);
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
  if (beyond !== null) {
    // The banner may have been a statement.
    if (banners.length > 0) throw new FormatError(null, 'the end of the file after the last element', beyond);
    notes.push(warning(beyond));
  }
  if (banners.length > 0) {
    const others = banners.length > 1 ? `, and ${grouped(banners.length - 1)} more` : '';
    notes.push(warning(`no statement of a header, and skipped: ${banners[0]}${others}`));
  }
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

/*
 * The header of a PLY file: its elements and encoding. G. Turk, "The PLY Polygon File Format",
 * 1994.
 */

type PlyType = number;

const TYPES = ['int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'float32', 'float64'];
const OLD_TYPES = ['char', 'uchar', 'short', 'ushort', 'int', 'uint', 'float', 'double'];
const TYPE_BYTES = [1, 1, 2, 2, 4, 4, 4, 8];
const FLOAT = 6;

interface PlyProperty {
  name: string;
  type: PlyType;
  /** For a list: the type of its length; null for a single number. */
  length: PlyType | null;
}

interface PlyElement {
  name: string;
  count: number;
  properties: PlyProperty[];
}

interface PlyHeader {
  encoding: 'ascii' | 'little' | 'big';
  elements: PlyElement[];
  /** The start of the body: its offset, and its line. */
  body: number;
  line: number;
  /** Lines that are no statements. */
  banners: string[];
}

const ENCODINGS: Record<string, PlyHeader['encoding']> = {
  ascii: 'ascii',
  binary_little_endian: 'little',
  binary_big_endian: 'big',
};

const MAX_DECLARED = 65_536;

const STATEMENTS = ['ply', 'format', 'comment', 'obj_info', 'element', 'property', 'end_header', 'list', 'end'];

/**
 * True for a line of words that begins with no statement's keyword, not even a mistyped one, such
 * as a program's note about itself. Without `comment` before it, other readers skip it, too.
 */
function isBanner([first]: readonly string[]): boolean {
  const isOfHeader = [...TYPES, ...OLD_TYPES, 'vertex', 'face', 'tristrips', 'vertex_indices'].includes(first);
  return /^(?:\p{L}{2}|[#*/;=]|--)/u.test(first) && !isOfHeader && nearest(first, STATEMENTS) === null;
}

function readPlyHeader(bytes: Uint8Array): PlyHeader {
  const lines = new HeaderLines(bytes);
  const header: PlyHeader = { encoding: 'ascii', elements: [], body: 0, line: 0, banners: [] };
  const names = new Set<string>();
  let hasFormat = false;
  let declared = 0;
  lines.next(); // ply
  for (;;) {
    const words = lines.next();
    const wrong = (expected: string) => new FormatError({ line: lines.line }, expected, quote(words.join(' ')));
    const [keyword, ...rest] = words;
    if (keyword === '' || keyword === 'comment' || keyword === 'obj_info') continue;
    if (keyword === 'end_header') break;
    if (keyword === 'format') {
      if (!Object.hasOwn(ENCODINGS, rest[0]) || rest[1] !== '1.0') {
        throw wrong(`format ${Object.keys(ENCODINGS).join(', ')} of version 1.0`);
      }
      header.encoding = ENCODINGS[rest[0]];
      hasFormat = true;
      continue;
    }
    if (++declared > MAX_DECLARED)
      throw new FormatError({ line: lines.line }, `at most ${MAX_DECLARED} elements and properties`, 'more');
    if (keyword === 'element') {
      const count = /^\d{1,15}$/.test(rest[1] ?? '') ? Number(rest[1]) : Number.NaN;
      if (rest.length !== 2 || Number.isNaN(count)) throw wrong('element, a name and a count');
      if (names.has(rest[0])) throw wrong('each element once');
      names.add(rest[0]);
      header.elements.push({ name: rest[0], count, properties: [] });
      continue;
    }
    const element = header.elements.at(-1);
    if (keyword !== 'property' && isBanner(words)) {
      header.banners.push(`line ${lines.line}: ${quote(words.join(' '))}`);
      continue;
    }
    if (keyword !== 'property' || element === undefined) throw wrong('element, property or end_header');
    element.properties.push(propertyOf(rest, wrong));
  }
  if (!hasFormat) throw new FormatError({ line: lines.line }, 'format before end_header', 'none');
  return { ...header, body: lines.at, line: lines.line + 1 };
}

function propertyOf(words: string[], wrong: (expected: string) => FormatError): PlyProperty {
  const isList = words[0] === 'list';
  const [lengthType, type, name] = isList ? words.slice(1) : ['', ...words];
  if (name === undefined || words.length > (isList ? 4 : 2)) throw wrong('property, a type and a name');
  const known = (word: string): PlyType => {
    const found = Math.max(TYPES.indexOf(word), OLD_TYPES.indexOf(word));
    if (found < 0) throw wrong(`a type: ${[...OLD_TYPES, ...TYPES].join(', ')}`);
    return found;
  };
  const property = { name, type: known(type), length: isList ? known(lengthType) : null };
  if (property.length !== null && property.length >= FLOAT) throw wrong('a list with a whole number as its length');
  return property;
}

export const isWhole = (type: PlyType): boolean => type < FLOAT;

/** The words of a header, line by line. Lines end as the first one does. */
class HeaderLines {
  at = 0;
  line = 0;
  readonly #bytes: Uint8Array;
  /** True if CR alone ends a line, so that an LF after it belongs to the body. */
  readonly #isCr: boolean;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    const cr = bytes.subarray(0, HEADER_LINE).indexOf(CR);
    const lf = bytes.subarray(0, HEADER_LINE).indexOf(LF);
    this.#isCr = cr >= 0 && (lf < 0 || cr + 1 < lf);
  }

  next(): string[] {
    this.line++;
    const line = this.#bytes.subarray(this.at, this.at + HEADER_LINE);
    const length = line.indexOf(this.#isCr ? CR : LF);
    if (length < 0) {
      const found = line.length < HEADER_LINE ? 'the end of the file' : 'a longer one';
      throw new FormatError(
        { line: this.line },
        found === 'a longer one' ? `a line of at most ${HEADER_LINE} bytes` : 'end_header',
        found,
      );
    }
    this.at += length + 1;
    return textOf(line.subarray(0, length)).trim().split(/\s+/);
  }
}

const HEADER_LINE = MAX_NAME;
const LF = 10;
const CR = 13;

interface PlyValues {
  /** In a binary file the number may not be finite. */
  next(type: PlyType): number;
  skip(type: PlyType, count: number): void;
  /** Throws FormatError if the file is too short. */
  requireList(type: PlyType, count: number): void;
  /** Before memory is allocated; lists may be empty. Throws FormatError for a short file. */
  requireElements(element: PlyElement): void;
  place(): Place;
  /** Describes data after the last element; null if there are none. */
  end(): string | null;
}

class BinaryValues implements PlyValues {
  readonly #view: DataView;
  readonly #isLittle: boolean;
  #at: number;
  #last = 0;

  constructor(bytes: Uint8Array, at: number, encoding: 'little' | 'big') {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#at = at;
    this.#isLittle = encoding === 'little';
  }

  next(type: PlyType): number {
    const at = this.#at;
    this.#last = at;
    this.#at = at + TYPE_BYTES[type];
    if (this.#at > this.#view.byteLength) throw new FormatError({ byte: at }, 'a number', 'the end of the file');
    switch (type) {
      case 0:
        return this.#view.getInt8(at);
      case 1:
        return this.#view.getUint8(at);
      case 2:
        return this.#view.getInt16(at, this.#isLittle);
      case 3:
        return this.#view.getUint16(at, this.#isLittle);
      case 4:
        return this.#view.getInt32(at, this.#isLittle);
      case 5:
        return this.#view.getUint32(at, this.#isLittle);
      case 6:
        return this.#view.getFloat32(at, this.#isLittle);
      default:
        return this.#view.getFloat64(at, this.#isLittle);
    }
  }

  skip(type: PlyType, count: number): void {
    this.#last = this.#at;
    this.#at += TYPE_BYTES[type] * count;
    if (this.#at > this.#view.byteLength) throw new FormatError(this.place(), 'a number', 'the end of the file');
  }

  requireList(type: PlyType, count: number): void {
    const left = this.#view.byteLength - this.#at;
    if (count * TYPE_BYTES[type] > left) throw shortList(this.place(), count, `${grouped(left)} bytes`);
  }

  requireElements({ name, count, properties }: PlyElement): void {
    const least = properties.reduce((sum, { type, length }) => sum + TYPE_BYTES[length ?? type], 0);
    const left = this.#view.byteLength - this.#at;
    if (count * least > left) throw shortBody({ byte: this.#at }, name, count, least * count, left);
  }

  place(): Place {
    return { byte: this.#last };
  }

  end(): string | null {
    const left = this.#view.byteLength - this.#at;
    return left > 0 ? `${grouped(left)} bytes after the last element were skipped` : null;
  }
}

class TextValues implements PlyValues {
  readonly #cursor: TextCursor;

  constructor(cursor: TextCursor) {
    this.#cursor = cursor;
  }

  next(): number {
    this.#cursor.toWord();
    return this.#cursor.number();
  }

  skip(_: PlyType, count: number): void {
    for (let k = 0; k < count; k++) {
      if (!this.#cursor.toWord()) throw this.#cursor.wrong('a number');
      this.#cursor.passWord();
    }
  }

  requireList(_: PlyType, count: number): void {
    const left = this.#left();
    // A letter and a blank each, except for the last one.
    if (2 * count - 1 > left) throw shortList(this.place(), count, `${grouped(left)} bytes`);
  }

  requireElements({ name, count, properties }: PlyElement): void {
    const least = 2 * count * properties.length - 1;
    const left = this.#left();
    if (least > left) throw shortBody(this.place(), name, count, least, left);
  }

  place(): Place {
    return { line: this.#cursor.line };
  }

  end(): string | null {
    // An earlier element may have had the surplus number.
    if (this.#cursor.toWord()) throw this.#cursor.wrong('the end of the file after the last element');
    return null;
  }

  #left(): number {
    return this.#cursor.bytes.length - this.#cursor.at;
  }
}

const shortList = (place: Place, count: number, found: string) =>
  new FormatError(place, `a list of ${grouped(count)} numbers`, found);

const shortBody = (place: Place, name: string, count: number, least: number, left: number) =>
  new FormatError(place, `${grouped(least)} bytes or more for ${grouped(count)} ${quote(name)}`, grouped(left));
