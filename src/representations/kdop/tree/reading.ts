/** Proves by WebAssembly what large k-DOP trees require: links, and coefficients of 16 bits. */
import { NOTES } from '../../../kernels/reading.as.ts';
import { inChunks, isProved } from '../../../kernels/reading.ts';

/** False where it is not proved: somebody else then finds what is wrong, or that nothing is. */
export function areLinksProved({ links, triangles }: Record<'links' | 'triangles', Uint32Array>): boolean {
  const total = triangles.length / 3;
  const nodes = links.length;
  if (nodes !== 2 * total - 1) return false;
  return isProved(links.byteLength, 2 * nodes + 2 * total + 2, (own) => {
    new Uint8Array(own.memory.buffer)[NOTES] = 1; // the root's level
    return inChunks(own, links, 4, (first, end) =>
      own.functions.kdopLinks(first, end, nodes, total, NOTES, NOTES + 2 * nodes),
    );
  });
}

export function areCoefficientsProved(coefficients: ArrayBufferView, k: number, largest: number): boolean {
  if (!(coefficients instanceof Int16Array) || coefficients.length % k !== 0) return false;
  return isProved(coefficients.byteLength, 0, (own) =>
    inChunks(own, coefficients, 2 * k, (first, end) => own.functions.kdopCoefficients(k * (end - first), k, largest)),
  );
}
