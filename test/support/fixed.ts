/** Numbers in whole numbers, 256 bits behind the point: an oracle for sines and what is made of them. */
import { commonIntegers } from './rational.ts';

const BITS = 256n;
export const ONE = 1n << BITS;

/** 1 / n's arc tangent, for John Machin's pi = 16 atan(1/5) - 4 atan(1/239). */
function arcTangentOfInverse(n: bigint): bigint {
  let sum = 0n;
  for (let [power, k] = [ONE / n, 1n]; power !== 0n; power /= -n * n, k += 2n) sum += power / k;
  return sum;
}
export const PI = 16n * arcTangentOfInverse(5n) - 4n * arcTangentOfInverse(239n);

/** x 2^256, exact or cut for doubles with bits beyond. */
export function fixed(x: number): bigint {
  const [q, one] = commonIntegers([x, 1]);
  return (q * ONE) / one;
}

/** To a double, to its last digits. */
export const toNumber = (x: bigint): number => Number(x) / 2 ** 256;

export const times = (x: bigint, y: bigint): bigint => (x * y) / ONE;

export function squareRoot(x: bigint): bigint {
  if (x <= 0n) return 0n;
  let root = fixed(Math.sqrt(toNumber(x)));
  for (let i = 0; i < 6 && root !== 0n; i++) root = (root + (x * ONE) / root) / 2n;
  return root;
}

/** Taylor's series; off by less than 2^-240. */
export function exactSineCosine(x: bigint): [bigint, bigint] {
  const quarter = PI / 2n;
  const k = (2n * x + (x < 0n ? -quarter : quarter)) / (2n * quarter);
  const r = x - (k * PI) / 2n;
  const sums = [0n, 0n];
  for (let [term, n] = [ONE, 0n]; term !== 0n; term = (term * r) / (ONE * ++n)) {
    sums[n % 2n === 0n ? 1 : 0] += n % 4n < 2n ? term : -term;
  }
  const [s, c] = sums;
  const turned: [bigint, bigint][] = [
    [s, c],
    [c, -s],
    [-s, -c],
    [-c, s],
  ];
  return turned[Number(((k % 4n) + 4n) % 4n)];
}
