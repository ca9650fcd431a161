// Coefficients of more bits than the format stores, for Figure 3: section 4.3 in integers of any
// length, a' = ceil(a).
import { INTEGER_SHIFT, toInteger } from '#src/math/numbers';
import { dopDirections } from '#src/representations/kdop/tree/dop-directions';

/** @typedef {import('gicollide').KdopTree} KdopTree */

/**
 * The coefficients of a tree's nodes anew, of so many bits, over the same origin and scale.
 *
 * @param {KdopTree} tree
 * @param {number} bits 37 to 64
 */
export function widened({ k, links, positions, triangles, origin, exponent }, bits) {
  const directions = Array.from(dopDirections(k).vectors, toInteger);
  const from = Array.from(origin, toInteger);
  const shift = BigInt(2 * INTEGER_SHIFT + exponent - bits + 1);
  const half = k / 2;
  const heights = new BigInt64Array((positions.length / 3) * k);
  for (let v = 0; v < positions.length / 3; v++) {
    const [x, y, z] = [0, 1, 2].map((c) => toInteger(positions[3 * v + c]) - from[c]);
    for (let i = 0; i < half; i++) {
      const height = directions[3 * i] * x + directions[3 * i + 1] * y + directions[3 * i + 2] * z;
      heights[k * v + i] = -(-height >> shift);
      heights[k * v + half + i] = -(height >> shift);
    }
  }
  const coefficients = new BigInt64Array(k * links.length);
  /** @param {bigint} x @param {bigint} y */
  const larger = (x, y) => (x > y ? x : y);
  for (let node = links.length - 1; node >= 0; node--) {
    const aim = links[node] >>> 1;
    for (let i = 0; i < k; i++) {
      const corners = [0, 1, 2].map((c) => heights[k * triangles[3 * aim + c] + i]);
      coefficients[k * node + i] =
        links[node] & 1 ? corners.reduce(larger) : larger(coefficients[k * aim + i], coefficients[k * aim + k + i]);
    }
  }
  return coefficients;
}
