// What section 7 leaves to the future: coefficients as their differences from the parent's.
//
// A node's are no larger than its parent's. Stored is d = (parent - own) >> s of a few bits, with
// the least shift s, one a node, for which all of them fit. Read is parent - (d << s), which is
// never less than the coefficient: what was in the DOP stays in it. The parent is the one that is
// read, so errors do not add up: each node is rounded once.

/** @typedef {number | bigint} Whole */

/**
 * The coefficients that a reader of differences gets; the root's are stored as they are.
 *
 * @param {ArrayLike<Whole>} coefficients k a node
 * @param {Uint32Array} links
 * @param {number} k
 * @param {number} deltaBits
 * @returns {Whole[]}
 */
export function compressed(coefficients, links, k, deltaBits) {
  const isWide = typeof coefficients[0] === 'bigint';
  const read = Array.from({ length: k * links.length }, (_, i) => BigInt(coefficients[i]));
  const most = 1n << BigInt(deltaBits);
  for (const [node, link] of links.entries()) {
    if (link & 1) continue;
    // Children come after their parents.
    for (const child of [link >>> 1, (link >>> 1) + 1]) {
      const differences = Array.from({ length: k }, (_, i) => read[k * node + i] - read[k * child + i]);
      let shift = 0n;
      while (differences.some((d) => d >> shift >= most)) shift++;
      for (const [i, d] of differences.entries()) read[k * child + i] = read[k * node + i] - ((d >> shift) << shift);
    }
  }
  return isWide ? read : read.map(Number);
}
