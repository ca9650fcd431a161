/**
 * Reads words separated by blanks and line ends, from the bytes of a text. A line ends with LF,
 * CRLF or CR, and counts from 1; a UTF-8 byte order mark is skipped.
 */
import { FormatError } from '../base/errors.ts';
import {
  decimalEnd,
  longName,
  longNumber,
  MAX_NAME,
  MAX_NUMBER,
  nulByte,
  QUOTED_BYTES,
  quote,
  scanDecimal,
  textOf,
  textStart,
} from './text.ts';

const LF = 10;
const CR = 13;
const SPACE = 32;
const HASH = 35;
const LOWER = 32; // the bit that makes an ASCII letter lower-case
const A = 97;
const Z = 122;

const BLANK = 1;
const LINE_END = 2;
const KINDS = kindsOfBytes();

function kindsOfBytes(): Uint8Array {
  const kinds = new Uint8Array(256);
  for (const byte of [9, 11, 12, SPACE]) kinds[byte] = BLANK;
  for (const byte of [LF, CR]) kinds[byte] = LINE_END;
  return kinds;
}

export class TextCursor {
  at: number;
  line: number;
  /** Begins a comment up to the line's end, at the start of a word. */
  readonly #comment: number;

  /** @param at the start, on `line`; default: the text's first character */
  constructor(
    readonly bytes: Uint8Array,
    { at = textStart(bytes), line = 1, comments = false } = {},
  ) {
    this.at = at;
    this.line = line;
    this.#comment = comments ? HASH : -1;
  }

  /** Goes to the next word; false at the text's end. */
  toWord(): boolean {
    while (!this.toWordInLine()) {
      if (this.at >= this.bytes.length) return false;
      this.#passLineEnd();
    }
    return true;
  }

  /** Goes to the next word of this line; false at its end. */
  toWordInLine(): boolean {
    const { bytes } = this;
    let p = this.at;
    while (p < bytes.length && KINDS[bytes[p]] === BLANK) p++;
    this.at = p;
    if (p >= bytes.length || KINDS[bytes[p]] === LINE_END) return false;
    if (bytes[p] !== this.#comment) return true;
    this.#toLineEnd();
    return false;
  }

  /** Skips a keyword in either case; `letters` are small. False, unmoved, for others. */
  passes(letters: Uint8Array): boolean {
    const { bytes, at } = this;
    const end = at + letters.length;
    if (end > bytes.length || (end < bytes.length && KINDS[bytes[end]] === 0)) return false;
    for (let k = 0; k < letters.length; k++) {
      const c = bytes[at + k];
      const lower = c | LOWER;
      if ((lower >= A && lower <= Z ? lower : c) !== letters[k]) return false;
    }
    this.at = end;
    return true;
  }

  passWord(): void {
    const { bytes } = this;
    let p = this.at;
    while (p < bytes.length && KINDS[bytes[p]] === 0) p++;
    this.at = p;
  }

  word(): string {
    const { bytes, at } = this;
    let end = at;
    while (end < bytes.length && end - at < QUOTED_BYTES && KINDS[bytes[end]] === 0) end++;
    return this.#text(at, end);
  }

  number(): number {
    const { bytes, at } = this;
    const value = scanDecimal(bytes, at);
    const end = decimalEnd;
    if (end === at || (end < bytes.length && KINDS[bytes[end]] === 0)) throw this.wrong('a finite number');
    if (end - at > MAX_NUMBER) throw longNumber(this.line);
    if (!Number.isFinite(value)) throw this.wrong('a finite number');
    this.at = end;
    return value;
  }

  /** Returns it without blanks around. Throws FormatError for anything but text, and long names. */
  restOfLine(): string {
    this.toWordInLine();
    const { at, line } = this;
    this.#toLineEnd();
    let end = this.at;
    while (end > at && KINDS[this.bytes[end - 1]] === BLANK) end--;
    if (this.at < this.bytes.length) this.#passLineEnd();
    // A character has at most four bytes.
    const text = end - at > 4 * MAX_NAME ? null : this.#text(at, end);
    if (text === null || text.length > MAX_NAME) throw longName(line);
    if (text.includes('\0')) throw nulByte(line);
    return text;
  }

  passLine(): void {
    this.#toLineEnd();
    if (this.at < this.bytes.length) this.#passLineEnd();
  }

  wrong(expected: string, found = this.#found()): FormatError {
    return new FormatError({ line: this.line }, expected, found);
  }

  #found(): string {
    if (this.at >= this.bytes.length) return 'the end of the file';
    return this.word() === '' ? 'the end of the line' : quote(this.word());
  }

  #text(start: number, end: number): string {
    return textOf(this.bytes.subarray(start, end));
  }

  #toLineEnd(): void {
    const { bytes } = this;
    let p = this.at;
    while (p < bytes.length && KINDS[bytes[p]] !== LINE_END) p++;
    this.at = p;
  }

  #passLineEnd(): void {
    const { bytes } = this;
    if (bytes[this.at++] === CR && bytes[this.at] === LF) this.at++;
    this.line++;
  }
}

export const keyword = (word: string): Uint8Array => Uint8Array.from(word, (letter) => letter.charCodeAt(0));
