/**
 * Chooses the engine for two geometry images:
 *
 *   | Images                                       | Query    | Kernel    | Search     |
 *   |----------------------------------------------|----------|-----------|------------|
 *   | in memory, no more than 1.5 GiB placed       | no level | kernel.ts | descent.ts |
 *   | scales or distances that float32 cannot hold | no level |           | descent.ts |
 *   | in memory                                    | a level  |           | descent.ts |
 *
 * A query by spheres alone is descent.ts's, too, and makes no slabs.
 *
 * If sources are not kept, descent.ts tells if they are apart, also down to a level. Without a
 * level, sources/nearest.ts, a kernel, also gives their distance.
 *
 * Opened images are searched by their tiles (on-demand.ts).
 */
export { checkGeometryImages as search, checkSources as searchSources, requireBounds } from './descent.ts';
export { kernelOfGeometryImages as kernel, placeImage as place } from './kernel.ts';
export { nearestSources } from './sources/nearest.ts';
