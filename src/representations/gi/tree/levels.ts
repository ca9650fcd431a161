/** The levels of an image's hierarchy: those over its charts, and below them each chart's own. */
import { OptionError } from '../../../math/errors.ts';
import { requireChartTree } from './chart-tree.ts';
import { type GeometryImage, groupOf } from './geometry-image.ts';
import { levelOfPixel, nodeOffset, type SphereTree, treePixels } from './tree-page.ts';

/** The number of the deepest level; the root's is 0. */
export const depthOf = (image: GeometryImage): number => image.roots.height + image.groups[0].exponent;

/**
 * The nodes of one level, which together hold the surface: where a branch ends above the level, its
 * last.
 *
 * @returns the numbers that `unfold` gives them; chart by chart, rows from the top
 * @throws OptionError when the image has no such level
 */
export function nodesOfLevel(image: GeometryImage, level: number): number[] {
  const deepest = depthOf(image);
  if (!Number.isInteger(level) || level < 0 || level > deepest) {
    throw new OptionError(`level ${level}: this image has the levels 0 to ${deepest}`);
  }
  const nodes: number[] = [];
  requireChartTree(image.roots, image.charts);
  const { children, firstNode } = image.roots;
  const descend = (node: number, height: number): void => {
    if (node < 0) listLevel(image, ~node, Math.max(0, level - height), nodes);
    else if (height === level) nodes.push(firstNode + node);
    else for (let k = 0; k < 2; k++) descend(children[2 * node + k], height + 1);
  };
  descend(image.charts === 1 ? ~0 : 0, 0);
  return nodes;
}

/** Appends the nodes of one level of one chart, or of its last. */
function listLevel(image: GeometryImage, chart: number, wanted: number, into: number[]): void {
  const { exponent, firstNode, firstChart } = groupOf(image, chart);
  const level = Math.min(wanted, exponent);
  const first = firstNode + (chart - firstChart) * treePixels(exponent);
  const across = 1 << level;
  for (let row = 0; row < across; row++) {
    for (let column = 0; column < across; column++) {
      into.push(first + nodeOffset(exponent, level, row, column) / 4);
    }
  }
}

/**
 * Where a node's sphere stands: in the tree of a group of charts, at an offset on its page; null of
 * a node over the charts.
 */
export function placeOfNode(
  { groups, roots }: GeometryImage,
  node: number,
): { tree: SphereTree; offset: number; level: number } | null {
  if (node >= roots.firstNode) return null;
  let g = groups.length - 1;
  while (groups[g].firstNode > node) g--;
  const { exponent, tree, firstNode } = groups[g];
  const level = levelOfPixel(exponent, (node - firstNode) % treePixels(exponent));
  return { tree, offset: 4 * (node - firstNode), level };
}

/**
 * The spheres of nodes: centre x, y, z in steps of the grid and radius in model units, four numbers
 * a sphere.
 */
export function spheresOfNodes(image: GeometryImage, nodes: readonly number[]): Float64Array {
  const { roots } = image;
  const spheres = new Float64Array(4 * nodes.length);
  for (const [i, node] of nodes.entries()) {
    const place = placeOfNode(image, node);
    const page = place ? place.tree.page : roots.spheres;
    const from = place ? place.offset : 4 * (node - roots.firstNode);
    for (let k = 0; k < 4; k++) spheres[4 * i + k] = page[from + k];
    if (place) spheres[4 * i + 3] *= place.tree.radiusSteps[place.level];
  }
  return spheres;
}

/** The spheres of one level, in the order of `nodesOfLevel`. */
export const spheresOfLevel = (image: GeometryImage, level: number): Float64Array =>
  spheresOfNodes(image, nodesOfLevel(image, level));
