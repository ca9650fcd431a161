/** Shared by readers of text: limits, named runs of triangles, quotes, and decimal numbers. */
import { FormatError, type Place } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import type { MeshGroup } from '../mesh/mesh.ts';

/** Made late, for hosts without it still import this module: React Native, jsdom. */
let decoder: InstanceType<typeof TextDecoder> | undefined;

/** UTF-8 as text, a byte order mark included. */
export function textOf(bytes: Uint8Array): string {
  decoder ??= new TextDecoder('utf-8', { ignoreBOM: true });
  return decoder.decode(bytes);
}

/** The longest typed array of all engines, given the memory. */
export const MAX_ELEMENTS = 2 ** 32 - 1;
/** UTF-16 units. */
export const MAX_NAME = 65_536;
/** Characters of a coordinate; the longest exact double has 1,077. */
export const MAX_NUMBER = 65_536;
/** More runs under one name are an attack on memory. */
const MAX_RUNS = 2 ** 22;

export interface Runs {
  list: MeshGroup[];
  open: { object: MeshGroup | null; group: MeshGroup | null };
}

/** Ends the last run of the kind at triangle `first`. Called at a face, not at the name. */
export function openRun(runs: Runs, kind: MeshGroup['kind'], name: string, first: number, line: number): void {
  if (runs.list.length >= MAX_RUNS) throw new FormatError({ line }, `at most ${MAX_RUNS} named runs of faces`, 'more');
  closeRun(runs.open[kind], first);
  runs.open[kind] = { kind, name, first, count: 0 };
  runs.list.push(runs.open[kind]);
}

export function closeRuns(runs: Runs, triangleCount: number): MeshGroup[] {
  closeRun(runs.open.object, triangleCount);
  closeRun(runs.open.group, triangleCount);
  return runs.list;
}

function closeRun(run: MeshGroup | null, end: number): void {
  if (run !== null) run.count = end - run.first;
}

/** The offset after a byte order mark. Throws FormatError for UTF-16. */
export function textStart(bytes: Uint8Array): number {
  const utf16 =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'FF FE' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'FE FF' : '';
  if (utf16 !== '') throw new FormatError({ line: 1 }, 'UTF-8 text', `UTF-16 (byte order mark ${utf16})`);
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

const QUOTED = 40;
export const QUOTED_BYTES = 4 * (QUOTED + 1);

/** Quoted, cut to 40 characters, without characters that move a terminal's cursor. */
export function quote(token: string): string {
  const characters = Array.from(token.slice(0, 2 * QUOTED + 2));
  const cut = characters.length > QUOTED ? '...' : '';
  return `"${printable(characters.slice(0, QUOTED).join(''))}${cut}"`;
}

export const badNumber = (line: number, token: string) => new FormatError({ line }, 'a finite number', quote(token));
export const longNumber = (line: number) =>
  new FormatError({ line }, `a number of at most ${MAX_NUMBER} characters`, 'a longer one');
export const longName = (line: number) =>
  new FormatError({ line }, `a name of at most ${MAX_NAME} characters`, 'a longer one');
export const fewVertices = (place: Place, count: number) =>
  new FormatError(place, 'at least 3 vertices in a face', `${count}`);
/** What files that are no text have. */
export const A_ZERO_BYTE = 'a zero byte';
export const nulByte = (line: number) => new FormatError({ line }, 'text', A_ZERO_BYTE);
export const tooMany = (place: Place) =>
  new FormatError(place, `no more than ${MAX_ELEMENTS} coordinates or corners in all`, 'more');
export const noFaces = () => new FormatError(null, 'at least one face', 'none');

/*
 * Reads decimal numbers from the bytes of a text, each as the nearest double.
 *
 * Digits up to 2^53 are an exact double, and so are the powers of ten up to 22. Then one
 * multiplication or division rounds once (Clinger, "How to Read Floating Point Numbers Accurately",
 * 1990, section 5). Up to six more digits correct the quotient, with the rounding test of Ziv,
 * "Fast Evaluation of Elementary Mathematical Functions with Correctly Rounded Last Bit", 1991,
 * which detects possible wrong roundings. Number() reads the rest; alone it would make files of 17
 * digits three times slower.
 */

const PLUS = 43;
const MINUS = 45;
const DOT = 46;
const ZERO = 48;
const LOWER = 32; // the bit that makes an ASCII letter lower-case
const E = 101;
const LF = 10;

/** Exact up to 10^22. */
const POWERS_OF_TEN = Float64Array.from({ length: 29 }, (_, k) => Number(`1e${k}`));
/** Up to here a mantissa plus another digit is an exact integer. */
const MANTISSA_LIMIT = (2 ** 53 - 10) / 10;
const TAIL_DIGITS = 6;

/** The end of the last number of `scanDecimal`. */
export let decimalEnd = 0;

/**
 * @returns the number, its end in `decimalEnd`; NaN if there is none, and `decimalEnd` is `start`,
 *   or for more than MAX_NUMBER characters; an infinity beyond all doubles
 */
export function scanDecimal(bytes: Uint8Array, start: number): number {
  let p = start;
  let c = bytes[p];
  const negative = c === MINUS;
  if (negative || c === PLUS) c = byteAt(bytes, ++p);
  const integer = p;
  let mantissa = 0;
  let tail = 0; // digits that the mantissa has no room for
  let tailDigits = 0;
  let dropped = false; // digits beyond those
  for (; isDigit(c); c = byteAt(bytes, ++p)) {
    if (mantissa <= MANTISSA_LIMIT) mantissa = mantissa * 10 + (c - ZERO);
    else if (tailDigits < TAIL_DIGITS) {
      tail = tail * 10 + (c - ZERO);
      tailDigits++;
    } else dropped = true;
  }
  let digits = p - integer;
  let exponent = 0;
  if (c === DOT) {
    const fraction = ++p;
    for (c = byteAt(bytes, p); isDigit(c); c = byteAt(bytes, ++p)) {
      if (mantissa <= MANTISSA_LIMIT) mantissa = mantissa * 10 + (c - ZERO);
      else if (tailDigits < TAIL_DIGITS) {
        tail = tail * 10 + (c - ZERO);
        tailDigits++;
      } else dropped = true;
    }
    digits += p - fraction;
    exponent = fraction - p;
  }
  decimalEnd = start;
  if (digits === 0) return Number.NaN;
  if ((c | LOWER) === E) {
    c = byteAt(bytes, ++p);
    const down = c === MINUS;
    if (down || c === PLUS) c = byteAt(bytes, ++p);
    const power = p;
    let shift = 0;
    for (; isDigit(c); c = byteAt(bytes, ++p)) if (shift < 1e6) shift = shift * 10 + (c - ZERO);
    if (p === power) return Number.NaN;
    exponent += down ? -shift : shift;
  }
  decimalEnd = p;
  if (p - start > MAX_NUMBER) return Number.NaN;

  let magnitude = Number.NaN;
  if (!dropped) {
    if (tailDigits > 0) magnitude = nearestQuotient(mantissa, tail, tailDigits, -exponent);
    else if (exponent <= 0 && exponent >= -22) magnitude = mantissa / POWERS_OF_TEN[-exponent];
    else if (exponent > 0 && exponent <= 22) magnitude = mantissa * POWERS_OF_TEN[exponent];
  }
  if (magnitude >= 0) return negative ? -magnitude : magnitude;
  return Number(textOf(bytes.subarray(start, p)));
}

// After the last byte there is an endless line end.
const byteAt = (bytes: Uint8Array, p: number): number => (p < bytes.length ? bytes[p] : LF);
const isDigit = (c: number): boolean => c >= ZERO && c < ZERO + 10;

/**
 * The double nearest to (mantissa 10^tailDigits + tail) / 10^places, or NaN if undecided. The
 * mantissa is above MANTISSA_LIMIT, so the tail adds less than 2^-49 of the whole.
 */
function nearestQuotient(mantissa: number, tail: number, tailDigits: number, places: number): number {
  const headPlaces = places - tailDigits;
  if (headPlaces < 0 || headPlaces > 22) return Number.NaN;
  // Exactly mantissa = quotient * divisor + remainder: such remainders are doubles.
  const divisor = POWERS_OF_TEN[headPlaces];
  const quotient = mantissa / divisor;
  const remainder = mantissa - quotient * divisor - productError(quotient, divisor);
  // Both summands are below 2^-49 of the whole and each of four roundings errs by 2^-53 of that:
  // 2^-100 in all.
  const correction = remainder / divisor + tail / POWERS_OF_TEN[places];
  const sum = quotient + correction;
  const rest = correction - (sum - quotient); // exact
  const doubt = sum * 2 ** -98;
  return sum + (rest + doubt) === sum && sum + (rest - doubt) === sum ? sum : Number.NaN;
}

/**
 * a b - fl(a b), exactly (Dekker, "A Floating-Point Technique for Extending the Available
 * Precision", 1971).
 */
function productError(a: number, b: number): number {
  const aSpread = a * 134217729;
  const bSpread = b * 134217729;
  const aHigh = aSpread - (aSpread - a);
  const bHigh = bSpread - (bSpread - b);
  const aLow = a - aHigh;
  const bLow = b - bHigh;
  return aLow * bLow - (a * b - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
}
