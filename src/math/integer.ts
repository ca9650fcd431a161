/** Doubles as whole numbers, for exact arithmetic where quick ways cannot decide. */

const double = new Float64Array(1);
const bits = new BigUint64Array(double.buffer);

export const INTEGER_SHIFT = 1074;

/** Returns x * 2^1074, which is whole for every finite double. */
export function toInteger(x: number): bigint {
  double[0] = x;
  const word = bits[0];
  const exponent = (word >> 52n) & 0x7ffn;
  const fraction = word & 0xfffffffffffffn;
  const size = exponent === 0n ? fraction : (fraction | 0x10000000000000n) << (exponent - 1n);
  return word >> 63n === 0n ? size : -size;
}
