// Geometry images of surfaces that are grids already: no parametrisation, the samples are the image.
// Sphere trees and slabs are made as `build` makes them; there are no normals, which no check reads.
import { assembleImage } from '#src/representations/gi/tree/geometry-image';
import { buildSphereTrees } from '#src/representations/gi/tree/sphere-tree';

/** Steps along the longest side of the box. */
export const STEPS = 65535;

/**
 * @param {object} surface
 * @param {string} surface.name
 * @param {number} surface.exponent of a chart: it is 2^exponent + 1 samples square
 * @param {number} surface.charts
 * @param {Uint16Array} surface.samples x, y, z in steps, row by row, chart after chart
 * @param {Float64Array} surface.origin
 * @param {number} surface.step model units
 * @param {'tight' | 'seed'} [spheres] as `build` has them
 * @returns {import('gicollide').GeometryImage}
 */
export function gridImage({ name, exponent, charts, samples, origin, step }, spheres = 'tight') {
  const grid = { origin, step };
  const tree = buildSphereTrees(samples, exponent, charts, grid, spheres);
  const group = { exponent, count: charts, geometry: samples, normals: null, tree, deviation: null };
  const header = { tool: 'bench', source: null, units: null, options: { formula: name } };
  return assembleImage(grid, [group], header);
}
