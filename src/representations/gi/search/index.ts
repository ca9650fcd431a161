/**
 * Chooses the engine for two geometry images:
 *
 *   | Images                                       | Query    | Kernel    | Search     |
 *   |----------------------------------------------|----------|-----------|------------|
 *   | in memory, no more than 1.5 GiB placed       | no level | kernel.ts | descent.ts |
 *   | scales or distances that float32 cannot hold | no level |           | descent.ts |
 *   | in memory                                    | a level  |           | descent.ts |
 *
 * descent.ts also answers queries by spheres alone, without making slabs.
 *
 * If sources are not kept, descent.ts decides if they are apart, also down to a level. Without a
 * level, the kernel sources/nearest.ts also gives their distance.
 *
 * Opened images are searched by their tiles (on-demand.ts).
 */
export { checkGeometryImages as search, checkSources as searchSources, requireBounds } from './descent.ts';
export { kernelOfGeometryImages as kernel, placeImage as place } from './kernel.ts';
export { nearestSources } from './sources/nearest.ts';
