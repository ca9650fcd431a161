/** Doubles as whole numbers, for arithmetic without rounding where the quick ways cannot tell. */

const double = new Float64Array(1);
const bits = new BigUint64Array(double.buffer);

/** Every finite double is a whole number of 2^-INTEGER_SHIFT. */
export const INTEGER_SHIFT = 1074;

/**
 * x * 2^1074, which every finite double makes a whole number.
 *
 * @example toInteger(1) === 1n << 1074n
 */
export function toInteger(x: number): bigint {
  double[0] = x;
  const word = bits[0];
  const exponent = (word >> 52n) & 0x7ffn;
  const fraction = word & 0xfffffffffffffn;
  const size = exponent === 0n ? fraction : (fraction | 0x10000000000000n) << (exponent - 1n);
  return word >> 63n === 0n ? size : -size;
}
