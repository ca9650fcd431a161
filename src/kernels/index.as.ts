/**
 * Functions that the WebAssembly module itself exports; the kinds' kernels, every `kernel.as.ts`,
 * are entries beside this one.
 */

/** The first address beyond the constants. */
export function heapBase(): usize {
  return __heap_base;
}

export { orient2d, orient3d, setTriangleScratch } from './orient.as';
export { trianglesMeet } from './triangle-pair.as';
