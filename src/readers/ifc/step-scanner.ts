/**
 * Scans STEP files (ISO 10303-21, the clear text encoding) in linear time: the records, their
 * places, and their references. It checks all of the syntax for later readers. `step-records.ts`
 * reads the arguments of one record.
 */
import { FormatError } from '../../base/errors.ts';

/** Records in file order; record r has `ids[r]`, and so on. */
export interface StepFile {
  bytes: Uint8Array;
  /** The first name in FILE_SCHEMA, in capitals. */
  schema: string;
  count: number;
  /** The number after `#`. */
  ids: Uint32Array;
  types: Uint16Array;
  typeNames: string[];
  /** The byte of its `#`. */
  heads: Uint32Array;
  /** The byte of the bracket that opens its arguments. */
  starts: Uint32Array;
  /** Ids that record r refers to: `refs[firstRef[r]]` to `refs[firstRef[r + 1] - 1]`. */
  firstRef: Uint32Array;
  refs: Uint32Array;
  longStrings: [from: number, to: number][];
}

/** Most bytes: web-ifc has no memory for larger files. */
const MOST_STEP_BYTES = 2 ** 30;

/** Larger ids would overflow in readers with signed 32 bits. */
export const MOST_ID = 2 ** 31 - 1;

/** Most nested brackets. IFC itself needs five. */
const MOST_NESTED = 64;

const LONG_STRING = 65_535;

/** Most digits before the point, in records with a signature. */
const MOST_DIGITS = 30;

const [TAB, LINE_FEED, RETURN, SPACE, QUOTE, HASH, DOLLAR, APOSTROPHE] = [9, 10, 13, 32, 34, 35, 36, 39];
const [OPEN, CLOSE, STAR, PLUS, COMMA, MINUS, POINT, SLASH, ZERO, NINE] = [40, 41, 42, 43, 44, 45, 46, 47, 48, 57];
const [SEMICOLON, EQUALS, BACKSLASH, UNDERSCORE] = [59, 61, 92, 95];

const isDigit = (c: number): boolean => c >= ZERO && c <= NINE;
const isLetter = (c: number): boolean => (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === UNDERSCORE;

/** By lower-case letter: the depth of brackets, and the kind of value there. */
const LETTERS: Readonly<Record<string, [depth: number, kind: string, name: string]>> = {
  ...{ r: [1, 'r', 'a reference'], n: [1, 'n', 'a number'], s: [1, 's', 'a string'], e: [1, 'e', 'a word'] },
  ...{ l: [2, 'r', 'a list of references'], p: [2, 'n', 'a list of numbers'], t: [2, '', 'a list'] },
  ...{ k: [3, 'r', 'lists of references'], q: [3, 'n', 'lists of numbers'] },
};

/** True if a letter allows a value of a kind at a depth. */
function fits(letter: string, depth: number, kind: string): boolean {
  if (letter === '?') return true;
  const small = letter.toLowerCase();
  if (kind === '$') return depth === 1 ? letter !== small : small === 't';
  const [at, wanted] = LETTERS[small];
  if (kind === '(') return depth < at || wanted === '';
  return wanted === '' ? depth >= at : depth === at && kind === wanted;
}

class Growing {
  private array = new Uint32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.array.length) {
      const larger = new Uint32Array(2 * this.length);
      larger.set(this.array);
      this.array = larger;
    }
    this.array[this.length++] = value;
  }

  done(): Uint32Array {
    return this.array.subarray(0, this.length);
  }
}

/** From 1: `\n`, `\r\n` and `\r` end lines. */
export function lineOf(bytes: Uint8Array, at: number): number {
  let line = 1;
  for (let i = 0; i < at; i++) {
    if (bytes[i] === LINE_FEED || (bytes[i] === RETURN && bytes[i + 1] !== LINE_FEED)) line++;
  }
  return line;
}

/**
 * @param signatures by type name: LETTERS for the first arguments, capitals if optional; `?` for
 *   any
 * @throws FormatError with the line, also for arguments unlike the signature or too large
 */
export function scanStep(bytes: Uint8Array, signatures: Readonly<Record<string, string>> = {}): StepFile {
  if (bytes.length > MOST_STEP_BYTES)
    throw new FormatError(null, `at most ${MOST_STEP_BYTES} bytes of STEP`, `${bytes.length}`);
  return new Scanner(bytes, signatures).scan();
}

class Scanner {
  private at = 0;
  private readonly ids = new Growing();
  private readonly types = new Growing();
  private readonly heads = new Growing();
  private readonly starts = new Growing();
  private readonly firstRef = new Growing();
  private readonly refs = new Growing();
  private readonly numbers = new Map<string, number>();
  private readonly longStrings: [number, number][] = [];
  private schema = '';
  private type = '';
  private signature = '';
  private argument = 0;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly signatures: Readonly<Record<string, string>>,
  ) {}

  scan(): StepFile {
    const { bytes } = this;
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.at = 3;
    this.skipBlanks();
    this.expectMark('ISO-10303-21');
    this.scanStatements();
    this.firstRef.push(this.refs.length);
    const types = Uint16Array.from(this.types.done());
    return {
      ...{ bytes, schema: this.schema, count: types.length, types, typeNames: [...this.numbers.keys()] },
      ...{ ids: this.ids.done(), heads: this.heads.done(), starts: this.starts.done() },
      ...{ longStrings: this.longStrings },
      ...{ firstRef: this.firstRef.done(), refs: this.refs.done() },
    };
  }

  private scanStatements(): void {
    let section = '';
    for (;;) {
      this.skipBlanks();
      if (this.bytes[this.at] === HASH && section === 'DATA') {
        this.scanRecord();
        continue;
      }
      const start = this.at;
      if (start >= this.bytes.length) this.fail(start, 'END-ISO-10303-21', 'the end of the file');
      const word = this.word();
      if (word === 'END') {
        this.at = start;
        this.expectMark('END-ISO-10303-21');
        return;
      }
      const hasArguments = this.nextIs(OPEN);
      if (hasArguments && section === 'HEADER' && word === 'FILE_SCHEMA') this.readSchema();
      if (hasArguments) this.scanArguments();
      this.expect(SEMICOLON, 'a semicolon');
      if (word === 'HEADER' || word === 'DATA' || word === 'ENDSEC') section = word;
      else if (section !== 'HEADER')
        this.fail(start, section === 'DATA' ? 'a record, #1=...' : 'HEADER, DATA or END-ISO-10303-21', word);
    }
  }

  private scanRecord(): void {
    const { bytes } = this;
    const start = this.at++;
    this.heads.push(start);
    this.ids.push(this.id(start));
    this.skipBlanks();
    this.expect(EQUALS, 'an equals sign');
    this.skipBlanks();
    const word = this.word();
    let type = this.numbers.get(word);
    if (type === undefined) {
      type = this.numbers.size;
      if (type > 0xffff) this.fail(start, 'at most 65,536 types', 'more');
      this.numbers.set(word, type);
    }
    this.types.push(type);
    this.skipBlanks();
    if (bytes[this.at] !== OPEN) this.fail(this.at, 'a bracket', this.found());
    this.starts.push(this.at);
    this.firstRef.push(this.refs.length);
    this.type = word;
    this.signature = Object.hasOwn(this.signatures, word) ? this.signatures[word] : '';
    this.scanArguments();
    const missing = this.signature.slice(this.argument + 1);
    if (/[a-z]/.test(missing))
      this.fail(start, `${this.signature.length} arguments of ${word}`, `${this.argument + 1}`);
    this.signature = '';
    this.expect(SEMICOLON, 'a semicolon');
  }

  private scanArguments(): void {
    const { bytes } = this;
    const start = this.at++;
    let depth = 1;
    this.argument = 0;
    let next: 'value' | 'any' | 'comma' = 'any';
    while (depth > 0) {
      this.skipBlanks();
      if (this.at >= bytes.length) this.fail(start, 'a closing bracket', 'the end of the file');
      const c = bytes[this.at];
      if (c === CLOSE) {
        if (next === 'value') this.fail(this.at, 'a value', ')');
        if (next === 'any' && depth === 1) this.argument = -1;
        depth--;
        this.at++;
        next = 'comma';
      } else if (next === 'comma') {
        this.expect(COMMA, 'a comma or a bracket');
        if (depth === 1) this.argument++;
        next = 'value';
      } else if (c === OPEN) {
        this.require(depth, '(');
        this.deeper(++depth);
        this.at++;
        next = 'any';
      } else if (isLetter(c)) {
        this.require(depth, 'typed');
        this.word();
        if (!this.nextIs(OPEN)) this.fail(this.at, 'a bracket', this.found());
        this.deeper(++depth);
        this.at++;
        next = 'any';
      } else {
        this.scanValue(c, depth);
        next = 'comma';
      }
    }
    this.skipBlanks();
  }

  private deeper(depth: number): void {
    if (depth > MOST_NESTED) this.fail(this.at, `at most ${MOST_NESTED} nested brackets`, 'more');
  }

  private scanValue(c: number, depth: number): void {
    if (c === DOLLAR || c === STAR) {
      this.require(depth, '$');
      this.at++;
    } else if (c === HASH) {
      this.require(depth, 'r');
      const start = this.at++;
      this.refs.push(this.id(start));
    } else if (c === APOSTROPHE || c === QUOTE) {
      this.require(depth, 's');
      this.scanString(c);
    } else if (c === POINT) {
      this.require(depth, 'e');
      this.scanEnumeration();
    } else if (isDigit(c) || c === PLUS || c === MINUS) {
      this.require(depth, 'n');
      this.scanNumber();
    } else this.fail(this.at, 'a value', this.found());
  }

  private require(depth: number, kind: string): void {
    const letter = this.signature[this.argument];
    if (letter === undefined || fits(letter, depth, kind)) return;
    const expected = `${LETTERS[letter.toLowerCase()][2]} as argument ${this.argument + 1} of ${this.type}`;
    this.fail(this.at, expected, this.found());
  }

  /** Two apostrophes mean one. */
  private scanString(quote: number): void {
    const { bytes } = this;
    const start = this.at++;
    for (;;) {
      if (this.at >= bytes.length) this.fail(start, 'a closing quote', 'the end of the file');
      if (bytes[this.at++] !== quote) continue;
      if (quote === QUOTE || bytes[this.at] !== quote) break;
      this.at++;
    }
    if (this.at - start > LONG_STRING) this.longStrings.push([start, this.at]);
  }

  private scanEnumeration(): void {
    const start = this.at++;
    while (isLetter(this.bytes[this.at]) || isDigit(this.bytes[this.at])) this.at++;
    if (this.at === start + 1) this.fail(start, 'a value', '.');
    if (this.bytes[this.at] !== POINT) this.fail(this.at, 'a dot after the word', this.found());
    this.at++;
  }

  private scanNumber(): void {
    const { bytes } = this;
    const start = this.at;
    if (!isDigit(bytes[this.at])) this.at++;
    const whole = this.digits();
    let exponent = 0;
    let isNumber = whole > 0;
    if (isNumber && bytes[this.at] === POINT) {
      this.at++;
      this.digits();
      if ((bytes[this.at] | 32) === 101) {
        const isSmall = bytes[++this.at] === MINUS;
        if (isSmall || bytes[this.at] === PLUS) this.at++;
        const first = this.at;
        isNumber = this.digits() > 0;
        for (let i = first; i < this.at && exponent < 1000; i++) exponent = 10 * exponent + bytes[i] - ZERO;
        if (isSmall) exponent = -exponent;
      }
    }
    if (!isNumber) this.fail(start, 'a number', this.textFrom(start));
    // Fourth powers of larger numbers overflow, and faces would be dropped.
    if (this.signature !== '' && whole + exponent > MOST_DIGITS)
      this.fail(start, `a number below 1e${MOST_DIGITS} in ${this.type}`, this.textFrom(start));
  }

  private digits(): number {
    const first = this.at;
    while (isDigit(this.bytes[this.at])) this.at++;
    return this.at - first;
  }

  private id(start: number): number {
    let id = 0;
    const first = this.at;
    while (isDigit(this.bytes[this.at]) && id <= MOST_ID) id = 10 * id + this.bytes[this.at++] - ZERO;
    if (this.at === first) this.fail(start, 'a number after #', this.found());
    if (id > MOST_ID) this.fail(start, `a number up to ${MOST_ID} after #`, this.textFrom(first));
    return id;
  }

  private word(): string {
    const { bytes } = this;
    const start = this.at;
    while (isLetter(bytes[this.at]) || isDigit(bytes[this.at])) this.at++;
    if (this.at === start) this.fail(start, 'a name', this.found());
    if (this.at - start > 100) this.fail(start, 'a name of at most 100 characters', `${this.at - start}`);
    let word = '';
    for (let i = start; i < this.at; i++) word += String.fromCharCode(bytes[i]);
    return word.toUpperCase();
  }

  private readSchema(): void {
    const start = this.at;
    const end = this.bytes.indexOf(SEMICOLON, start);
    const text = new TextDecoder('latin1').decode(
      this.bytes.subarray(start, Math.min(end < 0 ? start : end, start + 1000)),
    );
    this.schema = /'([^']*)'/.exec(text)?.[1].trim().toUpperCase() ?? '';
  }

  private expectMark(mark: string): void {
    for (let i = 0; i < mark.length; i++) {
      if (this.bytes[this.at + i] !== mark.charCodeAt(i)) this.fail(this.at, mark, this.found());
    }
    this.at += mark.length;
    this.skipBlanks();
    this.expect(SEMICOLON, 'a semicolon');
  }

  private expect(character: number, name: string): void {
    if (this.bytes[this.at] !== character) this.fail(this.at, name, this.found());
    this.at++;
  }

  private nextIs(character: number): boolean {
    this.skipBlanks();
    return this.bytes[this.at] === character;
  }

  private skipBlanks(): void {
    const { bytes } = this;
    for (;;) {
      const c = bytes[this.at];
      if (c === SPACE || c === LINE_FEED || c === RETURN || c === TAB) this.at++;
      else if (c === SLASH && bytes[this.at + 1] === STAR) this.skipComment();
      else if (c === BACKSLASH && bytes[this.at + 2] === BACKSLASH) this.at += 3;
      else return;
    }
  }

  private skipComment(): void {
    const { bytes } = this;
    const start = this.at;
    this.at += 2;
    while (bytes[this.at] !== STAR || bytes[this.at + 1] !== SLASH) {
      if (++this.at >= bytes.length) this.fail(start, 'the end of the comment', 'the end of the file');
    }
    this.at += 2;
  }

  private found(): string {
    return this.at >= this.bytes.length ? 'the end of the file' : this.textFrom(this.at);
  }

  private textFrom(start: number): string {
    const text = new TextDecoder('latin1').decode(this.bytes.subarray(start, start + 24));
    return `"${/^([,()=]|[^,()=\r\n]+)/.exec(text)?.[0] ?? ''}"`;
  }

  private fail(at: number, expected: string, found: string): never {
    throw new FormatError({ line: lineOf(this.bytes, Math.min(at, this.bytes.length)) }, expected, found);
  }
}
