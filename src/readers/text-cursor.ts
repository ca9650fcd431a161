/**
 * Words of a text, straight from its bytes, for the formats whose words blanks and line ends part.
 * A line ends with LF, CRLF or CR, and counts from 1; a UTF-8 byte order mark is skipped.
 */
import { FormatError } from '../math/errors.ts';
import { decimalEnd, scanDecimal } from './decimal.ts';
import { longName, longNumber, MAX_NAME, MAX_NUMBER, nulByte, QUOTED_BYTES, quote, textStart } from './text.ts';

const LF = 10;
const CR = 13;
const SPACE = 32;
const HASH = 35;
const LOWER = 32; // the bit that makes an ASCII letter lower-case
const A = 97;
const Z = 122;

const BLANK = 1;
const LINE_END = 2;
/** What parts words. */
const KINDS = new Uint8Array(256);
for (const byte of [9, 11, 12, SPACE]) KINDS[byte] = BLANK;
for (const byte of [LF, CR]) KINDS[byte] = LINE_END;

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Where a reader stands in a text. */
export class TextCursor {
  /** Offset of the next byte. */
  at: number;
  /** The line of that byte. */
  line: number;
  /** Begins a comment up to the line's end, where a word could begin. */
  readonly #comment: number;

  /**
   * @param at where to begin, instead of the text's first character; `line` is that place's
   * @param comments whether `#` begins one
   */
  constructor(
    readonly bytes: Uint8Array,
    { at = textStart(bytes), line = 1, comments = false } = {},
  ) {
    this.at = at;
    this.line = line;
    this.#comment = comments ? HASH : -1;
  }

  /** Goes to the next word. @returns false at the text's end */
  toWord(): boolean {
    while (!this.toWordInLine()) {
      if (this.at >= this.bytes.length) return false;
      this.#passLineEnd();
    }
    return true;
  }

  /** Goes to the next word of this line. @returns false at the line's end, and at the text's */
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

  /**
   * Passes a keyword, in either case.
   *
   * @param letters small ones, as `keyword` gives them
   * @returns false, and stays, where another word stands here
   */
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

  /** Passes any word. */
  passWord(): void {
    const { bytes } = this;
    let p = this.at;
    while (p < bytes.length && KINDS[bytes[p]] === 0) p++;
    this.at = p;
  }

  /** The word that begins here, as far as an error shows it. */
  word(): string {
    const { bytes, at } = this;
    let end = at;
    while (end < bytes.length && end - at < QUOTED_BYTES && KINDS[bytes[end]] === 0) end++;
    return this.#text(at, end);
  }

  /** Passes a finite decimal number. @throws FormatError on anything else */
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

  /**
   * Passes the rest of the line and its end.
   *
   * @returns what stood there, without blanks around it
   * @throws FormatError where that is no text or longer than a name may be
   */
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

  /** Passes the rest of the line and its end, whatever stands there. */
  passLine(): void {
    this.#toLineEnd();
    if (this.at < this.bytes.length) this.#passLineEnd();
  }

  /** An error at this line. @param found the next word, unless given */
  wrong(expected: string, found = this.#found()): FormatError {
    return new FormatError({ line: this.line }, expected, found);
  }

  #found(): string {
    if (this.at >= this.bytes.length) return 'the end of the file';
    return this.word() === '' ? 'the end of the line' : quote(this.word());
  }

  #text(start: number, end: number): string {
    return utf8.decode(this.bytes.subarray(start, end));
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

/** The bytes of a keyword for `TextCursor.passes`. @param word in small ASCII letters */
export const keyword = (word: string): Uint8Array => new TextEncoder().encode(word);
