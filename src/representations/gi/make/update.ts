/**
 * Updates a geometry image to moved samples: charts and quads stay, samples are rounded to a new
 * grid, and spheres and slabs are fitted again.
 *
 * Data about the old surface is dropped: normals, deviations, and the source.
 */
import { requirePositions } from '../../../base/require.ts';
import { updatedHeader } from '../../../engine/representation.ts';
import { assembleImage, type ChartGroup, type GeometryImage } from '../tree/geometry-image.ts';
import { kernelFitter } from '../tree/kernel.ts';
import { makeSlabs } from '../tree/slab-tree.ts';
import { buildSphereTrees } from '../tree/sphere-tree.ts';
import { boundsOf, quantise } from './quantise.ts';

/** Outside, fourth powers of lengths leave the range of doubles, as in a build. */
const SMALLEST_EXTENT = 1e-60;
const LARGEST_COORDINATE = 1e60;

/** Vertices are as in `toMesh`. Throws MeshError beyond 1e60, OptionError for another count. */
export function updateGeometryImage(image: GeometryImage, positions: Float64Array | Float32Array): GeometryImage {
  const total = image.groups.reduce((sum, group) => sum + group.geometry.length, 0);
  requirePositions(positions, total, LARGEST_COORDINATE);
  // This surface may have collapsed, unlike in a build; steps must still differ where it is.
  const leastExtent = Math.max(SMALLEST_EXTENT, boundsOf(positions).largest * 2 ** -36);
  const { geometry, origin, step } = quantise(positions, leastExtent);
  const spheres = image.header.options.spheres === 'seed' ? 'seed' : 'tight';
  const groups: ChartGroup[] = [];
  let at = 0;
  for (const { exponent, count, geometry: old } of image.groups) {
    const own = image.groups.length === 1 ? geometry : geometry.slice(at, at + old.length);
    const tree = buildSphereTrees(own, exponent, count, { origin, step }, spheres, kernelFitter);
    groups.push({ exponent, count, geometry: own, normals: null, tree, deviation: null });
    at += old.length;
  }
  makeSlabs(groups);
  return assembleImage({ origin, step }, groups, updatedHeader(image.header, ['size', 'spheres']));
}
