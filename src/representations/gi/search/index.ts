/**
 * Which engine answers for two geometry images:
 *
 * | Images                                       | Query    | Kernel    | Search     |
 * |----------------------------------------------|----------|-----------|------------|
 * | in memory, no more than 1.5 GiB placed       | no level | kernel.ts | descent.ts |
 * | scales or distances that float32 cannot hold | no level |           | descent.ts |
 * | in memory                                    | a level  |           | descent.ts |
 *
 * Of sources that are not kept descent.ts says whether they are apart, also down to a level;
 * sources/nearest.ts, a kernel, without one, and how far.
 *
 * Images that were opened and not read are searched by their tiles (on-demand-check.ts).
 */
export { checkGeometryImages as search, checkSources as searchSources } from './descent.ts';
export { kernelOfGeometryImages as kernel, placeImage as place } from './kernel.ts';
export { nearestSources } from './sources/nearest.ts';
