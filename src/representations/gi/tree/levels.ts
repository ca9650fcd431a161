/** The levels of an image's hierarchy: those over its charts, and below them each chart's own. */
import { OptionError } from '../../../math/errors.ts';
import { requireChartTree } from './chart-tree.ts';
import { type GeometryImage, groupOf } from './geometry-image.ts';
import { nodeOffset, treePixels } from './tree-page.ts';

/** The number of the deepest level; the root's is 0. */
export const depthOf = (image: GeometryImage): number => image.roots.height + image.groups[0].exponent;

/**
 * The spheres of one level, which together hold the surface: where a branch ends above the level,
 * its last.
 *
 * @returns centre x, y, z in steps of the grid and radius in model units, four numbers a sphere;
 *   chart by chart, rows from the top
 * @throws OptionError when the image has no such level
 */
export function spheresOfLevel(image: GeometryImage, level: number): Float64Array {
  const deepest = depthOf(image);
  if (!Number.isInteger(level) || level < 0 || level > deepest) {
    throw new OptionError(`level ${level}: this image has the levels 0 to ${deepest}`);
  }
  const spheres: number[] = [];
  requireChartTree(image.roots, image.charts);
  const { children, spheres: over } = image.roots;
  const descend = (node: number, height: number): void => {
    if (node < 0) writeLevel(image, ~node, Math.max(0, level - height), spheres);
    else if (height === level) for (let k = 0; k < 4; k++) spheres.push(over[4 * node + k]);
    else for (let k = 0; k < 2; k++) descend(children[2 * node + k], height + 1);
  };
  descend(image.charts === 1 ? ~0 : 0, 0);
  return Float64Array.from(spheres);
}

/** Appends the spheres of one level of one chart, or of its last. */
function writeLevel(image: GeometryImage, chart: number, wanted: number, into: number[]): void {
  const group = groupOf(image, chart);
  const { exponent, tree } = group;
  const level = Math.min(wanted, exponent);
  const base = (chart - group.firstChart) * 4 * treePixels(exponent);
  const nodes = 1 << level;
  for (let row = 0; row < nodes; row++) {
    for (let column = 0; column < nodes; column++) {
      const o = base + nodeOffset(exponent, level, row, column);
      into.push(tree.page[o], tree.page[o + 1], tree.page[o + 2], tree.page[o + 3] * tree.radiusSteps[level]);
    }
  }
}
