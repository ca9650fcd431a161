/** The levels of an image's hierarchy: those over its charts, and below them each chart's own. */
import { OptionError } from '../../../base/errors.ts';
import { requireChartTree } from './chart-tree.ts';
import { type GeometryImage, groupOf } from './geometry-image.ts';
import { levelOfPixel, nodeOffset, type SphereTree, treePixels } from './tree-page.ts';

export const depthOf = (image: GeometryImage): number => image.roots.height + image.groups[0].exponent;

/**
 * Nodes of a level as `unfold` numbers them; short branches give their last. Throws OptionError.
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

/** A node's tree and its offset on the page; null for a node over the charts. */
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

/** Four numbers per sphere: center x, y, z in grid steps and radius in model units. */
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

export const spheresOfLevel = (image: GeometryImage, level: number): Float64Array =>
  spheresOfNodes(image, nodesOfLevel(image, level));
