/** The WebAssembly module: every function that JavaScript calls. */

/** The first address that holds no constants. */
export function heapBase(): usize {
  return __heap_base;
}

export { orient2d, orient3d, setTriangleScratch } from './orient.as';
export { trianglesMeet, trianglesMeetBatch } from './triangle-pair.as';
export { wideQuery, wideResume } from './wide-query.as';
export { slabQuery } from './slab-tree.as';
export { wideBuildBegin, wideBuildDone, wideBuildNodes, wideBuildRun, wideBuildScratch } from './wide-build.as';
export { kdopQuery, kdopResume } from './kdop-query.as';
