/** Rays and points against a tree of boxes of one asset's triangles. */
export { searchBuild, searchBuildScratch, searchCorners } from './build.as';
export { searchNearest } from './nearest.as';
export { searchRay } from './rays.as';
