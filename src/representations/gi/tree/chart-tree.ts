/**
 * The tree over the charts of an atlas: spheres, two to a node, down to the charts' own roots.
 *
 * It is built with the image, from the roots that the file holds, in n log n steps. So a file has
 * nothing to verify. Charts are halved at the median of their centers along the axis with the
 * greatest extent.
 *
 * Rounding outward. Centers are whole numbers of the grid. Decoding moves a distance by at most
 * `decodeError` (grid.ts). So a node's radius is the largest of
 *   distance + slack + radius
 * over its charts' roots, enlarged for the relative errors of two sums and a product, below 2^-50.
 */
import { FormatError } from '../../../base/errors.ts';
import { childAfter } from '../../../engine/bound-tree.ts';
import { decodeError, type Grid, nodeOffset, type SphereTree, treePixels } from './grid.ts';

export interface ChartTree {
  /**
   * Node i at 4i: center x, y, z in grid steps, and radius in model units. Node 0 is the root.
   * Empty if the image has one chart.
   */
  spheres: Float64Array;
  /** The two children of node i at 2i: another node, or ~chart. */
  children: Int32Array;
  /** Levels above the charts' roots, the most of any chart. */
  height: number;
  /** Added to a node's number, to differ from the numbers of the charts' nodes. */
  firstNode: number;
}

interface ChartTrees {
  exponent: number;
  count: number;
  tree: SphereTree;
}

/** Child 0 or 1 of a node over the charts: a later node, or ~chart. */
export function childOver({ children }: ChartTree, node: number, k: number): number {
  const child = children[2 * node + k];
  return child < 0 ? child : childAfter(node, child);
}

/** Throws FormatError unless the tree is unchanged. Then walks end and meet every chart once. */
export function requireChartTree(tree: ChartTree, charts: number): void {
  const isSeen = new Uint8Array(2 * charts);
  for (let node = 0; node + 1 < charts; node++) {
    for (let k = 0; k < 2; k++) {
      const child = childOver(tree, node, k);
      const place = child < 0 ? charts + ~child : child;
      if (isSeen[place] !== 0)
        throw new FormatError(null, 'every chart and node over the charts once', `${child} twice`);
      isSeen[place] = 1;
    }
  }
}

const OUTWARD = 1 + 2 ** -48;

export function buildChartTree(groups: readonly ChartTrees[], grid: Grid, firstNode: number): ChartTree {
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  return treeOverRoots(count < 2 ? new Float64Array(0) : rootsOf(groups, count), count, grid, firstNode);
}

/** `roots`: center, in steps, and radius, in model units, per chart; unused below two charts. */
export function treeOverRoots(roots: Float64Array, count: number, grid: Grid, firstNode: number): ChartTree {
  const spheres = new Float64Array(4 * Math.max(0, count - 1));
  const children = new Int32Array(2 * Math.max(0, count - 1));
  const tree: ChartTree = { spheres, children, height: 0, firstNode };
  if (count < 2) return tree;
  const slack = decodeError(grid);
  const order = Int32Array.from({ length: count }, (_, chart) => chart);
  let made = 0;
  /** Makes the node over order[from..to), at least two charts. Halving keeps recursion shallow. */
  const grow = (from: number, to: number, depth: number): number => {
    const node = made++;
    const axis = bound(node, from, to);
    const own = order.subarray(from, to);
    own.sort((a, b) => roots[4 * a + axis] - roots[4 * b + axis] || a - b);
    const middle = (from + to) >> 1;
    if (depth + 1 > tree.height) tree.height = depth + 1;
    children[2 * node] = middle - from === 1 ? ~order[from] : grow(from, middle, depth + 1);
    children[2 * node + 1] = to - middle === 1 ? ~order[middle] : grow(middle, to, depth + 1);
    return node;
  };
  const bound = (node: number, from: number, to: number): number => {
    let axis = 0;
    let widest = -1;
    for (let k = 0; k < 3; k++) {
      let low = Number.POSITIVE_INFINITY;
      let high = Number.NEGATIVE_INFINITY;
      let left = low;
      let right = high;
      for (let i = from; i < to; i++) {
        const at = roots[4 * order[i] + k];
        const reach = roots[4 * order[i] + 3] / grid.step;
        low = Math.min(low, at - reach);
        high = Math.max(high, at + reach);
        left = Math.min(left, at);
        right = Math.max(right, at);
      }
      spheres[4 * node + k] = Math.round((low + high) / 2);
      if (right - left > widest) [axis, widest] = [k, right - left];
    }
    let radius = 0;
    for (let i = from; i < to; i++) {
      const r = 4 * order[i];
      const [x, y, z] = [0, 1, 2].map((k) => roots[r + k] - spheres[4 * node + k]);
      radius = Math.max(radius, grid.step * Math.sqrt(x * x + y * y + z * z) + slack + roots[r + 3]);
    }
    spheres[4 * node + 3] = radius * OUTWARD;
    return axis;
  };
  grow(0, count, 0);
  return tree;
}

function rootsOf(groups: readonly ChartTrees[], count: number): Float64Array {
  const roots = new Float64Array(4 * count);
  let chart = 0;
  for (const { exponent, count: charts, tree } of groups) {
    const values = 4 * treePixels(exponent);
    for (let slot = 0; slot < charts; slot++, chart++) {
      const o = slot * values + nodeOffset(exponent, 0, 0, 0);
      for (let k = 0; k < 3; k++) roots[4 * chart + k] = tree.page[o + k];
      roots[4 * chart + 3] = tree.page[o + 3] * tree.radiusSteps[0];
    }
  }
  return roots;
}

/** Proves that nodes hold the spheres of their charts' roots; returns the number of nodes. */
export function verifyChartTree(
  image: Grid & { groups: readonly ChartTrees[]; charts: number; roots: ChartTree },
  problems: string[],
): number {
  const { spheres, children } = image.roots;
  requireChartTree(image.roots, image.charts);
  const roots = rootsOf(image.groups, image.charts);
  const slack = decodeError(image);
  const nodes = spheres.length / 4;
  for (let node = 0; node < nodes; node++) {
    const pending = [children[2 * node], children[2 * node + 1]];
    while (pending.length > 0) {
      const child = pending.pop()!;
      if (child >= 0) {
        pending.push(children[2 * child], children[2 * child + 1]);
        continue;
      }
      const [x, y, z] = [0, 1, 2].map((k) => roots[4 * ~child + k] - spheres[4 * node + k]);
      const reach = image.step * Math.sqrt(x * x + y * y + z * z) + slack + roots[4 * ~child + 3];
      if (reach > spheres[4 * node + 3]) problems.push(`sphere ${node} over the charts does not hold chart ${~child}`);
    }
  }
  return nodes;
}
