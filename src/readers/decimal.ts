/**
 * Reads decimal numbers from the bytes of a text, each as the nearest double.
 *
 * Digits up to 2^53 are an exact double, and so are the powers of ten up to 22. Then one
 * multiplication or division rounds once (Clinger, "How to Read Floating Point Numbers Accurately",
 * 1990, section 5). Up to six more digits correct the quotient, with the rounding test of Ziv,
 * "Fast Evaluation of Elementary Mathematical Functions with Correctly Rounded Last Bit", 1991,
 * which detects possible wrong roundings. Number() reads the rest; alone it would make files of 17
 * digits three times slower.
 */
import { MAX_NUMBER } from './text.ts';

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

const ascii = new TextDecoder();

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
  return Number(ascii.decode(bytes.subarray(start, p)));
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
