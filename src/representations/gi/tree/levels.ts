/**
 * The levels of an image's hierarchy: those over its charts, and below them each chart's own.
 * Renders the spheres of one level, or of any nodes, as a surface.
 */
import { OptionError } from '../../../base/errors.ts';
import type { Surface } from '../../../mesh/topology.ts';
import { requireChartTree } from './chart-tree.ts';
import { type GeometryImage, groupOf } from './geometry-image.ts';
import { levelOfPixel, nodeOffset, type SphereTree, treePixels } from './grid.ts';
import { discOf } from './slab-tree.ts';

export const depthOf = (image: GeometryImage): number => image.roots.height + image.groups[0].exponent;

/** A level's nodes as numbered by `unfold`; short branches give their last. Throws OptionError. */
function nodesOfLevel(image: GeometryImage, level: number): number[] {
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
function placeOfNode(
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
function spheresOfNodes(image: GeometryImage, nodes: readonly number[]): Float64Array {
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

/** More would be no picture: level 6 of a chart has 4,096 spheres, level 8 has 65,536. */
const DETAIL_LIMITS = [
  { upTo: 4 ** 2, subdivisions: 4 },
  { upTo: 4 ** 3, subdivisions: 3 },
  { upTo: 4 ** 5, subdivisions: 2 },
  { upTo: 4 ** 7, subdivisions: 1 },
];

/**
 * Every sphere of `level` as an inscribed subdivided octahedron, in one mesh; coarser if there are
 * many.
 *
 * @throws OptionError if the image has no such level
 */
export const sphereMesh = (image: GeometryImage, level: number): Surface => ballMesh(image, nodesOfLevel(image, level));

/**
 * Draws nodes as they are tested: the part of each sphere between its slab's planes, or the whole
 * sphere if only spheres are tested.
 */
export function discMesh(image: GeometryImage, nodes: readonly number[], bounds?: 'spheres'): Surface {
  const { positions, triangles } = ballMesh(image, nodes);
  if (bounds === 'spheres') return { positions, triangles };
  const each = positions.length / Math.max(1, nodes.length);
  for (const [i, node] of nodes.entries()) cut(image, node, positions.subarray(i * each, (i + 1) * each));
  return { positions, triangles };
}

function ballMesh(image: GeometryImage, nodes: readonly number[]): Surface {
  const spheres = spheresOfNodes(image, nodes);
  const count = nodes.length;
  const subdivisions = DETAIL_LIMITS.find(({ upTo }) => count <= upTo)?.subdivisions ?? 0;
  const unit = subdividedOctahedron(subdivisions);
  const positions = new Float64Array(count * unit.positions.length);
  const triangles = new Uint32Array(count * unit.triangles.length);
  for (let i = 0; i < count; i++) {
    const radius = spheres[4 * i + 3];
    const firstPosition = i * unit.positions.length;
    for (let k = 0; k < unit.positions.length; k++) {
      const centre = image.origin[k % 3] + spheres[4 * i + (k % 3)] * image.step;
      positions[firstPosition + k] = centre + radius * unit.positions[k];
    }
    const firstCorner = i * unit.triangles.length;
    for (let k = 0; k < unit.triangles.length; k++) {
      triangles[firstCorner + k] = unit.triangles[k] + firstPosition / 3;
    }
  }
  return { positions, triangles };
}

const disc = new Float64Array(8);

/** Moves points beyond a node's planes onto them; this keeps them in the ball. */
function cut(image: GeometryImage, node: number, positions: Float64Array): void {
  const place = placeOfNode(image, node);
  if (!place?.tree.slabs) return;
  const { origin, step } = image;
  const { tree, offset, level } = place;
  discOf(tree.page, tree.slabs, offset, (tree.page[offset + 3] * tree.radiusSteps[level]) / step, disc);
  const [x, y, z] = [0, 1, 2].map((k) => origin[k] + disc[k] * step);
  const half = disc[7] * step;
  for (let v = 0; v < positions.length; v += 3) {
    const along = (positions[v] - x) * disc[4] + (positions[v + 1] - y) * disc[5] + (positions[v + 2] - z) * disc[6];
    const back = along - Math.max(-half, Math.min(half, along));
    for (let k = 0; k < 3; k++) positions[v + k] -= back * disc[4 + k];
  }
}

function subdividedOctahedron(times: number): { positions: number[]; triangles: number[] } {
  const positions = [1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1];
  let triangles = [0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5];
  for (let round = 0; round < times; round++) {
    const middles = new Map<string, number>();
    const middle = (a: number, b: number): number => {
      const key = a < b ? `${a},${b}` : `${b},${a}`;
      let m = middles.get(key);
      if (m === undefined) {
        const v = [0, 1, 2].map((k) => positions[3 * a + k] + positions[3 * b + k]);
        const length = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        m = positions.length / 3;
        positions.push(v[0] / length, v[1] / length, v[2] / length);
        middles.set(key, m);
      }
      return m;
    };
    const finer: number[] = [];
    for (let t = 0; t < triangles.length; t += 3) {
      const [a, b, c] = triangles.slice(t, t + 3);
      const [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
      finer.push(a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca);
    }
    triangles = finer;
  }
  return { positions, triangles };
}
