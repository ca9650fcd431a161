/** The WebAssembly module: every function that JavaScript calls. */

/** The first address that holds no constants. */
export function heapBase(): usize {
  return __heap_base;
}
