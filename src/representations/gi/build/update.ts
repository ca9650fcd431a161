/**
 * A geometry image about samples that have moved: charts and quads stay, samples are rounded to a
 * grid about the new surface, and spheres and slabs are fitted to them.
 *
 * What is left out is what was true of the old surface: normals, how far the source may be, and the
 * source itself.
 */
import { requirePositions } from '../../../math/require.ts';
import { updatedHeader } from '../../../query/asset-header.ts';
import { assembleImage, type ChartGroup, type GeometryImage } from '../tree/geometry-image.ts';
import { kernelFitter } from '../tree/kernel.ts';
import { buildSphereTrees } from '../tree/sphere-tree.ts';
import { boundsOf, quantise } from './quantise.ts';

/** Outside, fourth powers of lengths leave the range of doubles: as of a build. */
const SMALLEST_EXTENT = 1e-60;
const LARGEST_COORDINATE = 1e60;

/**
 * See Representation.update. Vertices are the image's samples, those of each chart row by row,
 * charts in their order: what `toMesh` gives as positions.
 *
 * @throws MeshError for coordinates beyond 1e60; OptionError for another number of them
 */
export function updateGeometryImage(image: GeometryImage, positions: Float64Array | Float32Array): GeometryImage {
  const total = image.groups.reduce((sum, group) => sum + group.geometry.length, 0);
  requirePositions(positions, total, LARGEST_COORDINATE);
  // A build takes no smaller surfaces, but this one may have collapsed: its steps must still be told
  // apart where it lies.
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
  return assembleImage({ origin, step }, groups, updatedHeader(image.header, ['size', 'spheres']));
}
