/**
 * The header of a PLY file: its elements and encoding. G. Turk, "The PLY Polygon File Format",
 * 1994.
 */
import { FormatError } from '../base/errors.ts';
import { MAX_NAME, quote } from './text.ts';

export type PlyType = number;

const TYPES = ['int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'float32', 'float64'];
const OLD_TYPES = ['char', 'uchar', 'short', 'ushort', 'int', 'uint', 'float', 'double'];
export const TYPE_BYTES = [1, 1, 2, 2, 4, 4, 4, 8];
const FLOAT = 6;

export interface PlyProperty {
  name: string;
  type: PlyType;
  /** For a list: the type of its length; null for a single number. */
  length: PlyType | null;
}

export interface PlyElement {
  name: string;
  count: number;
  properties: PlyProperty[];
}

export interface PlyHeader {
  encoding: 'ascii' | 'little' | 'big';
  elements: PlyElement[];
  /** The start of the body: its offset, and its line. */
  body: number;
  line: number;
}

const ENCODINGS: Record<string, PlyHeader['encoding']> = {
  ascii: 'ascii',
  binary_little_endian: 'little',
  binary_big_endian: 'big',
};

const MAX_DECLARED = 65_536;

export function readPlyHeader(bytes: Uint8Array): PlyHeader {
  const lines = new HeaderLines(bytes);
  const header: PlyHeader = { encoding: 'ascii', elements: [], body: 0, line: 0 };
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
    return utf8.decode(line.subarray(0, length)).trim().split(/\s+/);
  }
}

const HEADER_LINE = MAX_NAME;
const LF = 10;
const CR = 13;
const utf8 = new TextDecoder();
