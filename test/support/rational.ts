/** Exact arithmetic for tests: finite doubles as integers over one common power of two. */

const view = new DataView(new ArrayBuffer(8));

/** Integers q with x[i] = q[i] * 2^e for one e, as small as they can be. Their common sign and order are those of x. */
export function commonIntegers(x: ArrayLike<number>): bigint[] {
  const odd: bigint[] = [];
  const exponents: number[] = [];
  let least = Infinity;
  for (let i = 0; i < x.length; i++) {
    let [mantissa, exponent] = split(x[i]!);
    while (mantissa !== 0 && mantissa % 2 === 0) {
      mantissa /= 2;
      exponent++;
    }
    if (mantissa !== 0) least = Math.min(least, exponent);
    odd.push(BigInt(mantissa));
    exponents.push(exponent);
  }
  return odd.map((m, i) => (m === 0n ? 0n : m << BigInt(exponents[i]! - least)));
}

/** x = mantissa * 2^exponent, both whole, |mantissa| < 2^53. */
function split(x: number): [number, number] {
  if (!Number.isFinite(x)) throw new RangeError(`${x} is not rational`);
  view.setFloat64(0, x);
  const high = view.getUint32(0);
  const biased = (high >>> 20) & 0x7ff;
  const size = (high & 0xfffff) * 2 ** 32 + view.getUint32(4) + (biased === 0 ? 0 : 2 ** 52);
  return [x < 0 ? -size : size, Math.max(biased, 1) - 1075];
}
