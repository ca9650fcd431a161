/** Reads the arguments of one STEP record, whose syntax `scanStep` has checked. */

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
 * Decodes a STEP string (ISO 10303-21, 6.4.3): `''` is an apostrophe, `\\` a backslash, `\S\` sets
 * the eighth bit of the next character, `\X\` has two hexadecimal digits, `\X2\` and `\X4\` have
 * UTF-16 and UTF-32 up to `\X0\`. Bytes above 127 are not STEP: they are read as UTF-8, or else
 * Latin-1. Invalid codes stay as they are.
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
