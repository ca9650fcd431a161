/**
 * A k-DOP tree in memory: triangles, and k integers and one link per node. Also makes surfaces of
 * its k-DOPs for display: of one level, or of any nodes.
 */
import { FormatError, OptionError } from '../../../base/errors.ts';
import type { StoredMesh } from '../../../containers/mesh-sections.ts';
import { childAfter } from '../../../engine/bound-tree.ts';
import type { AssetHeader } from '../../../engine/representation.ts';
import { polytopeOf } from '../../../mesh/polytope.ts';
import type { Surface } from '../../../mesh/topology.ts';
import { type DopSize, dopDirections } from './dop-directions.ts';
import { areLinksProved } from './reading.ts';

export type Coefficients = Int8Array | Int16Array | Int32Array | Float64Array;

/** A k-DOP tree, as `build` makes it with format `kdop`. */
export interface KdopTree extends StoredMesh {
  representation: 'kdop';
  k: DopSize;
  /** Stored width of a coefficient in bits, including its sign. */
  bits: number;
  /**
   * Coefficient i of node n is at k n + i, in quanta, from -(2^(bits-1) - 1) to 2^(bits-1) - 1.
   * Every point x below the node has
   *   D_i . (x - origin) <= coefficient * quantumOf(tree).
   */
  coefficients: Coefficients;
  /** Per node: twice the first of its adjacent children; for a leaf, twice its triangle, plus 1. */
  links: Uint32Array;
  /** In model units; coefficients are relative to this point. */
  origin: Float64Array;
  /** The scale of the coefficients is 2^exponent model units, which is more than any of them. */
  exponent: number;
  header: AssetHeader;
}

export const SMALLEST_BITS = 8;
export const LARGEST_BITS = 36;
/** Above this, squares and products of coordinates approach the limit of doubles. */
export const LARGEST_COORDINATE = 1e100;
export const SMALLEST_EXPONENT = -900;
export const LARGEST_EXPONENT = 340;
/** Depth limit of the trees that `build` writes. */
const DEEPEST = 128;

/** Returns the model units per step of a coefficient, a power of two. */
export const quantumOf = (tree: Pick<KdopTree, 'exponent' | 'bits'>): number => 2 ** (tree.exponent - tree.bits + 1);

/** Returns the largest coefficient; the smallest is its negative. */
export const largestCoefficient = (bits: number): number => 2 ** (bits - 1) - 1;

export const isLeaf = (link: number): boolean => (link & 1) === 1;
export const target = (link: number): number => link >>> 1;

export const firstChild = (links: Uint32Array, node: number): number => childAfter(node, target(links[node]));

export function coefficientArray(bits: number, count: number): Coefficients {
  if (bits <= 8) return new Int8Array(count);
  if (bits <= 16) return new Int16Array(count);
  return bits <= 32 ? new Int32Array(count) : new Float64Array(count);
}

/**
 * Throws unless the nodes form one tree over all triangles. Every node but the root is a child
 * once, after its parent; every triangle is one leaf. Takes linear time.
 *
 * @throws FormatError if not
 */
export function requireKdopTree({ links, triangles }: KdopTree): void {
  if (areLinksProved(links, triangles.length / 3)) return;
  const total = triangles.length / 3;
  const nodes = links.length;
  const seenTriangle = new Uint8Array(total);
  const levels = new Uint8Array(nodes);
  levels[0] = 1;
  const wrong = (expected: string, found: string) => new FormatError(null, expected, found);
  for (let node = 0; node < nodes; node++) {
    if (levels[node] === 0) throw wrong(`a parent before node ${node}`, 'none');
    const aim = target(links[node]);
    if (isLeaf(links[node])) {
      if (aim >= total) throw wrong(`triangle numbers below ${total}`, `${aim} at node ${node}`);
      if (seenTriangle[aim] !== 0) throw wrong('every triangle once', `triangle ${aim} twice`);
      seenTriangle[aim] = 1;
      continue;
    }
    if (aim <= node || aim + 1 >= nodes) throw wrong(`children of node ${node} after it, below ${nodes}`, `${aim}`);
    if (levels[aim] !== 0 || levels[aim + 1] !== 0) throw wrong('every node once', `children ${aim} twice`);
    if (levels[node] > DEEPEST) throw wrong(`a tree of at most ${DEEPEST} levels`, 'a deeper one');
    levels[aim] = levels[aim + 1] = levels[node] + 1;
  }
  // Each of 2 total - 1 nodes but the root is a child once: so all triangles are leaves.
}

export function depthOfKdopTree({ links }: KdopTree): number {
  const level = new Uint8Array(links.length);
  let deepest = 0;
  for (let node = 0; node < links.length; node++) {
    deepest = Math.max(deepest, level[node]);
    if (isLeaf(links[node])) continue;
    const child = target(links[node]);
    level[child] = level[child + 1] = level[node] + 1;
  }
  return deepest;
}

/**
 * Required depth of a vertex inside every half-space of its k-DOP, in quanta. Drawing enlarges a
 * k-DOP by one quantum; rounding takes at most 2^-15.
 */
const INSIDE = 0.5;

/**
 * Returns the k-DOPs of `level` and of the leaves above it: together they hold the whole surface.
 * Each is drawn one quantum larger, so that flat ones have an inside.
 *
 * @throws OptionError if the tree has no such level; FormatError if a k-DOP does not hold the first
 *   vertex below it, so it may have no inside (foreign files only; `verify` refutes them)
 */
export function dopMesh(tree: KdopTree, level: number): Surface {
  const deepest = depthOfKdopTree(tree);
  if (!Number.isInteger(level) || level < 0 || level > deepest) {
    throw new OptionError(`level ${level}: this tree has the levels 0 to ${deepest}`);
  }
  const { links } = tree;
  let nodes = [0];
  const drawn: number[] = [];
  for (let l = 0; l < level; l++) {
    for (const node of nodes) if (isLeaf(links[node])) drawn.push(node);
    nodes = nodes
      .filter((node) => !isLeaf(links[node]))
      .flatMap((node) => [firstChild(links, node), firstChild(links, node) + 1]);
    if (nodes.length > links.length) throw new FormatError(null, `${links.length} nodes in all`, 'more on a level');
  }
  return dopsOf(tree, [...drawn, ...nodes]);
}

export function dopsOf(tree: KdopTree, nodes: readonly number[]): Surface {
  const { k, coefficients, origin } = tree;
  const { vectors } = dopDirections(k);
  const quantum = quantumOf(tree);
  const positions: number[] = [];
  const triangles: number[] = [];
  for (const node of nodes) {
    const offsets = Float64Array.from({ length: k }, (_, i) => coefficients[k * node + i] + 1);
    const inside = pointBelow(tree, node);
    requireInside(vectors, offsets, inside, node);
    const polytope = polytopeOf(vectors, offsets, inside);
    const first = positions.length / 3;
    for (const [i, x] of polytope.positions.entries()) positions.push(origin[i % 3] + x * quantum);
    for (const v of polytope.triangles) triangles.push(first + v);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

/** Throws unless the point is well inside. Then the polytope has an inside and its full size. */
function requireInside(vectors: Float64Array, offsets: Float64Array, point: number[], node: number): void {
  for (let i = 0; i < offsets.length; i++) {
    const along = vectors[3 * i] * point[0] + vectors[3 * i + 1] * point[1] + vectors[3 * i + 2] * point[2];
    if (!(offsets[i] - along >= INSIDE)) {
      throw new FormatError(null, `a k-DOP of node ${node} that holds the triangles below it`, 'one that does not');
    }
  }
}

function pointBelow(tree: KdopTree, node: number): number[] {
  const { links, triangles, positions, origin } = tree;
  let at = node;
  while (!isLeaf(links[at])) at = firstChild(links, at);
  const v = 3 * triangles[3 * target(links[at])];
  return [0, 1, 2].map((i) => (positions[v + i] - origin[i]) / quantumOf(tree));
}
