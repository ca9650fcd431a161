/** Doubles as whole numbers, for exact arithmetic; and repeatable random numbers. */

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

/**
 * Repeatable random numbers from 32-bit integer arithmetic, the same on any engine.
 *
 * sfc32, "small fast counting", by Chris Doty-Humphrey (PractRand, 2010). For samples and tests;
 * not for secrets.
 */
export class Random {
  #a = 0;
  #b: number;
  #c = 0x2f8c41d5;
  #counter = 1;

  /** @param seed any finite number, taken modulo 2^32: equal seeds give equal sequences */
  constructor(seed: number) {
    this.#b = seed | 0;
    for (let round = 0; round < 15; round++) this.integer();
  }

  /** A whole number from 0 to 2^32 - 1. */
  integer(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** A multiple of 2^-32 from 0 (included) to 1 (excluded). */
  unit(): number {
    return this.integer() * 2 ** -32;
  }
}
