/**
 * Reads the arguments of one STEP record, whose syntax `scanStep` has checked, and checks the
 * references between records.
 */
import { FormatError } from '../../base/errors.ts';
import { lineOf, type StepFile } from './step-scanner.ts';

/** `$` and `*` are null. */
export type StepValue = null | number | StepText | StepRef | StepWord | StepTyped | StepValue[];
interface StepText {
  text: string;
}
interface StepRef {
  ref: number;
}
/** An enumeration: `.MILLI.` */
interface StepWord {
  word: string;
}
/** `IFCRATIOMEASURE(0.3048)` */
interface StepTyped {
  type: string;
  values: StepValue[];
}

export const isRef = (value: StepValue | undefined): value is StepRef =>
  typeof value === 'object' && value !== null && 'ref' in value;

export const isText = (value: StepValue | undefined): value is StepText =>
  typeof value === 'object' && value !== null && 'text' in value;

export const wordOf = (value: StepValue | undefined): string | null =>
  typeof value === 'object' && value !== null && 'word' in value ? value.word : null;

/** The type of a typed value, as `IFCRATIOMEASURE(0.3)`; null for another value. */
export const typeOf = (value: StepValue | undefined): string | null =>
  typeof value === 'object' && value !== null && 'type' in value ? value.type : null;

const [APOSTROPHE, OPEN, CLOSE] = [39, 40, 41];

export function stepArguments(bytes: Uint8Array, start: number, most = Infinity): StepValue[] {
  return new Arguments(bytes, start).list(most);
}

class Arguments {
  constructor(
    private readonly bytes: Uint8Array,
    private at: number,
  ) {}

  list(most = Infinity): StepValue[] {
    const values: StepValue[] = [];
    this.at++;
    while (values.length < most) {
      this.skip();
      if (this.bytes[this.at] === CLOSE) break;
      values.push(this.value());
    }
    this.at++;
    return values;
  }

  private value(): StepValue {
    const { bytes } = this;
    const c = bytes[this.at];
    if (c === OPEN) return this.list();
    if (c === APOSTROPHE) return { text: decodeStepText(this.string()) };
    const start = this.at;
    while (!ENDS.has(bytes[this.at])) this.at++;
    const token = ascii(bytes.subarray(start, this.at));
    this.skipBlanks();
    if (bytes[this.at] === OPEN) return { type: token.toUpperCase(), values: this.list() };
    if (token === '$' || token === '*') return null;
    if (token[0] === '#') return { ref: Number(token.slice(1)) };
    if (token[0] === '.') return { word: token.slice(1, -1).toUpperCase() };
    return token[0] === '"' ? { text: token.slice(1, -1) } : Number(token);
  }

  private string(): Uint8Array {
    const { bytes } = this;
    const start = ++this.at;
    for (; ; this.at++) {
      if (bytes[this.at] !== APOSTROPHE) continue;
      if (bytes[this.at + 1] !== APOSTROPHE) break;
      this.at++;
    }
    return bytes.subarray(start, this.at++);
  }

  private skip(): void {
    this.skipBlanks();
    if (this.bytes[this.at] === 44) this.at++;
    this.skipBlanks();
  }

  private skipBlanks(): void {
    const { bytes } = this;
    for (;;) {
      const c = bytes[this.at];
      if (c === 32 || c === 10 || c === 13 || c === 9) this.at++;
      else if (c === 47) {
        this.at += 2;
        while (bytes[this.at] !== 42 || bytes[this.at + 1] !== 47) this.at++;
        this.at += 2;
      } else if (c === 92) this.at += 3;
      else return;
    }
  }
}

/** End of words and numbers: blanks, brackets, commas, semicolons, and starts of comments. */
const ENDS = new Set([9, 10, 13, 32, 40, 41, 44, 47, 59, 92]);

const ascii = (bytes: Uint8Array): string => String.fromCharCode(...bytes.subarray(0, 4096));

/** `\S\` uses the alphabet chosen by `\P.\`: A to I are ISO 8859-1 to 9. */
const ALPHABET = 'iso-8859-';

/**
 * Decodes a STEP string (ISO 10303-21, 6.4.3). `''` is an apostrophe, and `\\` a backslash. `\S\`
 * sets the eighth bit of the next character. `\X\` has two hexadecimal digits. `\X2\` and `\X4\`
 * have UTF-16 and UTF-32 up to `\X0\`. Bytes above 127 are not STEP: they are read as UTF-8, or
 * else Latin-1. Invalid codes stay as they are.
 *
 * @example decodeStepText(new TextEncoder().encode('T\\X2\\00FC\\X0\\r')) // 'Tür'
 */
function decodeStepText(bytes: Uint8Array): string {
  const text = utf8OrLatin(bytes);
  let page = 1;
  return text.replaceAll(CODES, (code, letter, low, byte, wide, wider) => {
    if (letter !== undefined) {
      page = letter.charCodeAt(0) - 64;
      return '';
    }
    if (low !== undefined) return latin(page, low.charCodeAt(0) | 128);
    if (byte !== undefined) return String.fromCharCode(Number.parseInt(byte, 16));
    if (wide !== undefined) return fromHex(wide, 4);
    if (wider !== undefined) return fromHex(wider, 8);
    return code === "''" ? "'" : '\\';
  });
}

const CODES =
  /''|\\\\|\\P([A-I])\\|\\S\\([ -~])|\\X\\([0-9A-Fa-f]{2})|\\X2\\((?:[0-9A-Fa-f]{4})+)\\X0\\|\\X4\\((?:[0-9A-Fa-f]{8})+)\\X0\\/g;

const fromHex = (digits: string, size: number): string => {
  let text = '';
  for (let i = 0; i < digits.length; i += size) {
    const code = Number.parseInt(digits.slice(i, i + size), 16);
    text += code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  }
  return text;
};

/** Decoders use Windows' alphabets for two of these, which are the same from 160 on. */
const latin = (page: number, code: number): string =>
  page === 1 ? String.fromCharCode(code) : new TextDecoder(`${ALPHABET}${page}`).decode(Uint8Array.of(code));

function utf8OrLatin(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('latin1').decode(bytes);
  }
}

/*
 * Checks the references of STEP records from some roots on, for programs that follow them by
 * recursion. Each reference leads to a record, there are no cycles, and the expanded size is
 * bounded.
 */

export type RecordOf = (id: number) => number;

/** A table of all ids is used up to this ratio of the largest id to the number of records. */
const DENSE = 16;

export function indexRecords(file: StepFile): RecordOf {
  const { ids, count } = file;
  const most = ids.reduce((largest, id) => Math.max(largest, id), 0);
  const again = (record: number): never => {
    throw failure(file, record, 'a unique id', `#${ids[record]} a second time`);
  };
  if (most < DENSE * count + 1024) {
    const table = new Int32Array(most + 1).fill(-1);
    for (let r = 0; r < count; r++) {
      if (table[ids[r]] >= 0) again(r);
      table[ids[r]] = r;
    }
    return (id) => table[id] ?? -1;
  }
  const table = new Map<number, number>();
  for (let r = 0; r < count; r++) {
    if (table.has(ids[r])) again(r);
    table.set(ids[r], r);
  }
  return (id) => table.get(id) ?? -1;
}

export function failure(file: StepFile, record: number, expected: string, found: string): FormatError {
  return new FormatError({ line: lineOf(file.bytes, file.starts[record]) }, expected, found);
}

/** Records counted once per reference. A file of 2 kB can expand to 10^18, by maps of maps. */
const MOST_SPELT = 2 ** 32;

/** Longest path of references; real booleans and placements are nested less. */
const MOST_DEEP = 2000;

/**
 * @param extra further references of record r, as records
 * @throws FormatError with the line of dangling references, cycles, and too large expansions
 */
export function checkGraph(
  file: StepFile,
  recordOf: RecordOf,
  roots: readonly number[],
  extra: ReadonlyMap<number, readonly number[]>,
): void {
  const walk = new Walk(file, recordOf, extra);
  let total = 0;
  for (const root of roots) {
    total += walk.from(root);
    if (total > MOST_SPELT) throw failure(file, root, `at most ${MOST_SPELT} records, counted once per use`, 'more');
  }
}

class Walk {
  /** The expanded size of each record, itself included; 0 not seen, -1 in progress. */
  private readonly spelt: Float64Array;
  private readonly depth: Uint16Array;

  constructor(
    private readonly file: StepFile,
    private readonly recordOf: RecordOf,
    private readonly extra: ReadonlyMap<number, readonly number[]>,
  ) {
    this.spelt = new Float64Array(file.count);
    this.depth = new Uint16Array(file.count);
  }

  from(root: number): number {
    const { spelt, depth } = this;
    if (spelt[root] > 0) return spelt[root];
    const way = [root];
    const next = [0];
    spelt[root] = -1;
    while (way.length > 0) {
      const record = way[way.length - 1];
      const child = this.child(record, next[next.length - 1]++);
      if (child === null) {
        this.close(record);
        way.pop();
        next.pop();
      } else if (spelt[child] < 0) this.refuseRing(way, child);
      else if (spelt[child] === 0) {
        spelt[child] = -1;
        way.push(child);
        next.push(0);
      }
      if (way.length > MOST_DEEP) throw this.tooDeep(record);
    }
    if (depth[root] > MOST_DEEP) throw this.tooDeep(root);
    return spelt[root];
  }

  private child(record: number, k: number): number | null {
    const { file } = this;
    const at = file.firstRef[record] + k;
    if (at < file.firstRef[record + 1]) {
      const found = this.recordOf(file.refs[at]);
      if (found < 0) throw failure(file, record, `a record #${file.refs[at]}`, 'none');
      return found;
    }
    return this.extra.get(record)?.[at - file.firstRef[record + 1]] ?? null;
  }

  private close(record: number): void {
    let [sum, deepest] = [1, 0];
    for (let k = 0; ; k++) {
      const child = this.child(record, k);
      if (child === null) break;
      sum += this.spelt[child];
      deepest = Math.max(deepest, 1 + this.depth[child]);
    }
    if (deepest > MOST_DEEP) throw this.tooDeep(record);
    if (sum > MOST_SPELT)
      throw failure(this.file, record, `at most ${MOST_SPELT} records, counted once per use`, 'more');
    this.spelt[record] = sum;
    this.depth[record] = deepest;
  }

  private refuseRing(way: readonly number[], again: number): never {
    const ring = [...way.slice(way.lastIndexOf(again)), again].map((record) => `#${this.file.ids[record]}`);
    const shown = ring.length > 6 ? [...ring.slice(0, 4), '...', ring[ring.length - 1]] : ring;
    throw failure(this.file, again, 'references without a cycle', `a cycle: ${shown.join(' -> ')}`);
  }

  private tooDeep(record: number): FormatError {
    return failure(this.file, record, `references at most ${MOST_DEEP} levels deep`, 'deeper ones');
  }
}
