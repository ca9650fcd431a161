/** Geometry images of one square, as most tests want them. */
import type { Surface } from '../../src/mesh/topology.ts';
import {
  assembleImage,
  type Chart,
  chartOf,
  type GeometryImage,
  type GiHeader,
  type PlacedGroup,
  toMesh,
} from '../../src/representations/gi/tree/geometry-image.ts';

const NO_HEADER: GiHeader = { tool: 'test', source: null, units: null, options: {} };

/** An image of one chart. */
export function squareImage(chart: Omit<Chart, 'normals'> & Partial<Chart>, header = NO_HEADER): GeometryImage {
  const { exponent, geometry, normals = null, tree, origin, step } = chart;
  return assembleImage({ origin, step }, [{ exponent, count: 1, geometry, normals, tree, deviation: null }], header);
}

/** The one chart of an image. */
export function squareOf(image: GeometryImage): Chart {
  if (image.charts !== 1) throw new Error(`expected one chart, found ${image.charts}`);
  return chartOf(image, 0);
}

/** The image with some of its one chart's fields changed. */
export const withSquare = (image: GeometryImage, changes: Partial<Chart>): GeometryImage =>
  squareImage({ ...squareOf(image), ...changes }, image.header);

/** The mesh of one chart alone. */
export function chartMesh({ exponent, geometry, origin, step }: Omit<Chart, 'normals' | 'tree'>): Surface {
  const group = { exponent, count: 1, geometry } as PlacedGroup;
  return toMesh({ groups: [group], quads: 1 << (2 * exponent), origin, step });
}
