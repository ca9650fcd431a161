/** Proves the requirements on large k-DOP trees in WebAssembly: links, 16-bit coefficients. */
import { NOTES } from '../../../kernels/reading.as.ts';
import { inChunks, isProved } from '../../../kernels/reading.ts';

/*
 * The proofs return false if they do not succeed. The callers then find the problem, or find that
 * there is none.
 */

/** @param total number of triangles */
export function areLinksProved(links: Uint32Array, total: number): boolean {
  const nodes = links.length;
  if (nodes !== 2 * total - 1) return false;
  return isProved(links.byteLength, 2 * nodes + 2 * total + 2, (own) => {
    new Uint8Array(own.memory.buffer)[NOTES] = 1; // the root's level
    return inChunks(own, links, 4, (first, end) =>
      own.functions.kdopLinks(first, end, nodes, total, NOTES, NOTES + 2 * nodes),
    );
  });
}

export function areCoefficientsProved(coefficients: ArrayLike<number>, k: number, largest: number): boolean {
  if (!(coefficients instanceof Int16Array) || coefficients.length % k !== 0) return false;
  return isProved(coefficients.byteLength, 0, (own) =>
    inChunks(own, coefficients, 2 * k, (first, end) => own.functions.kdopCoefficients(k * (end - first), k, largest)),
  );
}
