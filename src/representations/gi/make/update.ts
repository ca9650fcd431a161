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
import { buildTreesOfGroups } from '../tree/sphere-tree.ts';
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
  let at = 0;
  const samples = image.groups.map(({ exponent, count, geometry: old }) => {
    const own = image.groups.length === 1 ? geometry : geometry.slice(at, at + old.length);
    at += old.length;
    return { exponent, count, geometry: own };
  });
  const trees = buildTreesOfGroups(samples, { origin, step }, spheres, kernelFitter);
  const groups = samples.map((group, g): ChartGroup => {
    return { ...group, normals: null, tree: trees[g], deviation: null };
  });
  makeSlabs(groups);
  return assembleImage({ origin, step }, groups, updatedHeader(image.header, ['size', 'spheres']));
}
