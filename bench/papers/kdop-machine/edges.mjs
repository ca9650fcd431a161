// Axes beyond those of faces: the directions of the edges of the DOP whose coefficients are all
// equal, for Figures 5 and 6. Two faces meet in an edge where their directions are joined in the
// hull of all (src/representations/kdop/tree/dop-directions.ts), and it runs along their cross.
import { dopDirections } from '#src/representations/kdop/tree/dop-directions';

/** @typedef {import('#src/representations/kdop/tree/dop-directions').DopSize} DopSize */

/** Two unit vectors whose product is larger are one direction. */
const SAME = 1 - 1e-9;

/**
 * Directions of edges, one of each pair of opposites.
 *
 * @param {number} k
 * @returns {number[][]}
 */
export function edgeDirections(k) {
  const { vectors, facets } = dopDirections(/** @type {DopSize} */ (k));
  /** @type {number[][]} */
  const found = [];
  for (let f = 0; f < facets.length; f += 3) {
    for (let m = 0; m < 3; m++) {
      const [p, q] = [facets[f + m], facets[f + ((m + 1) % 3)]].map((i) => vectors.subarray(3 * i, 3 * i + 3));
      const cross = [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
      const length = Math.hypot(...cross);
      const edge = cross.map((x) => x / length);
      const isKnown = found.some((e) => Math.abs(e[0] * edge[0] + e[1] * edge[1] + e[2] * edge[2]) > SAME);
      if (!isKnown) found.push(edge);
    }
  }
  return found;
}

/**
 * All pairs of an edge of a and one of b, in an order in which the first few differ much: a stride
 * near the golden section of their number.
 *
 * @param {number} kA
 * @param {number} kB
 * @returns {[number[], number[]][]}
 */
export function edgesOf(kA, kB) {
  const [ofA, ofB] = [edgeDirections(kA), edgeDirections(kB)];
  const count = ofA.length * ofB.length;
  let stride = Math.round(count * 0.618);
  while (divisor(stride, count) > 1) stride++;
  return Array.from({ length: count }, (_, i) => {
    const pair = (i * stride) % count;
    return [ofA[Math.floor(pair / ofB.length)], ofB[pair % ofB.length]];
  });
}

/** The greatest common one. @param {number} x @param {number} y @returns {number} */
const divisor = (x, y) => (y === 0 ? x : divisor(y, x % y));
