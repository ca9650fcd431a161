/**
 * Builds a k-DOP tree over the triangles of a mesh: a binary tree with one triangle per leaf.
 *
 * Source: Raabe et al. 2006, section 3.1. The tree is split top down by the surface-area heuristic
 * on the triangles' axis-aligned boxes (surface-area-split.ts), whatever k and the bits are.
 *
 * Bound tests for all contacts, geometric mean over five pairs of meshes:
 *   surface-area heuristic (used)                                              3970
 *   halves of equal count                                                      5167
 *   all twelve directions, squared sum of slab widths for the area (10x time)  3928
 *   the same sum on three axes                                                 3918
 *
 * Coefficients are relative to the tree's own origin. It is (0, 0, 0), unless a point near the
 * middle of the mesh gains a bit. Their unit is a power of two, so that |a'| < 1 as the paper
 * requires. fixed-point.ts rounds them towards +infinity exactly.
 */

import { MeshError, OptionError } from '../../base/errors.ts';
import { ownMesh } from '../../containers/mesh-sections.ts';
import type { Builder, OwnNames, Provenance } from '../../engine/representation.ts';
import { assetHeader } from '../../engine/representation.ts';
import { splitRange } from '../../geometry/surface-area-split.ts';
import type { Mesh } from '../../mesh/mesh.ts';
import { DOP_SIZES, type DopSize, dopDirections } from './tree/dop-directions.ts';
import { roundedHeights } from './tree/fixed-point.ts';
import {
  type Coefficients,
  coefficientArray,
  isLeaf,
  type KdopTree,
  LARGEST_BITS,
  LARGEST_COORDINATE,
  largestCoefficient,
  SMALLEST_BITS,
  SMALLEST_EXPONENT,
  target,
} from './tree/kdop-tree.ts';

export interface KdopBuildOptions extends Provenance {
  /** Number of directions: 6, 14, 18, 24 (default) or 26. */
  k?: number;
  /** Stored width of a coefficient, including its sign: 8 to 36 bits (default 16). */
  bits?: number;
}

/** Below this level, nodes are split in halves. So the depth stays below this plus 32. */
const DEEPEST_SEARCH = 64;

/**
 * Builds the tree of every triangle of the mesh, including degenerate ones.
 *
 * @throws MeshError for a mesh without triangles, or with coordinates beyond 1e100
 * @throws OptionError for k or bits that do not exist
 * @example const tree = buildKdopTree(readObj(bytes), { k: 18, bits: 12 });
 */
export function buildKdopTree(mesh: Mesh, options: KdopBuildOptions = {}): KdopTree {
  const k = (options.k ?? 24) as DopSize;
  if (!DOP_SIZES.includes(k))
    throw new OptionError(`k ${k}: expected ${DOP_SIZES.join(', ').replace(/, (?=\d+$)/, ' or ')}`);
  const bits = options.bits ?? 16;
  if (!Number.isInteger(bits) || bits < SMALLEST_BITS || bits > LARGEST_BITS) {
    throw new OptionError(`bits ${bits}: expected ${SMALLEST_BITS} to ${LARGEST_BITS}`);
  }
  const { positions, triangles } = mesh;
  const count = triangles.length / 3;
  if (count === 0) throw new MeshError('expected triangles, found none');
  if (count > 2 ** 30) throw new MeshError(`expected at most 2^30 triangles, found ${count}`);
  const wild = positions.find((x) => !(Math.abs(x) <= LARGEST_COORDINATE));
  if (wild !== undefined) {
    throw new MeshError(`expected coordinates up to ${LARGEST_COORDINATE}, found ${wild}: scale the mesh`);
  }
  const links = linksOf(mesh, options.onProgress);
  const { vectors } = dopDirections(k);
  const { origin, exponent, heights } = quantise(mesh, vectors, bits);
  return {
    representation: 'kdop',
    ...ownMesh(mesh, options),
    k,
    bits,
    coefficients: coefficientsOf(links, triangles, heights, k, bits),
    links,
    origin,
    exponent,
    header: assetHeader(options, { k, bits }),
  };
}

function linksOf({ positions, triangles }: Mesh, onProgress?: (stage: string, fraction: number) => void): Uint32Array {
  const count = triangles.length / 3;
  const spans = new Float64Array(6 * count);
  for (let t = 0; t < count; t++) {
    const [a, b, c] = [3 * triangles[3 * t], 3 * triangles[3 * t + 1], 3 * triangles[3 * t + 2]];
    for (let i = 0; i < 3; i++) {
      spans[6 * t + i] = Math.min(positions[a + i], positions[b + i], positions[c + i]);
      spans[6 * t + 3 + i] = Math.max(positions[a + i], positions[b + i], positions[c + i]);
    }
  }
  const order = Uint32Array.from({ length: count }, (_, t) => t);
  const links = new Uint32Array(2 * count - 1);
  const tasks = [{ start: 0, end: count, node: 0, depth: 0 }];
  let nodes = 1;
  let leaves = 0;
  for (let task = tasks.pop(); task; task = tasks.pop()) {
    const { start, end, node, depth } = task;
    if (end - start === 1) {
      links[node] = ((order[start] << 1) | 1) >>> 0;
      if (onProgress && (++leaves & 4095) === 0) onProgress('tree', leaves / count);
      continue;
    }
    const middle = splitRange(order, spans, start, end, depth > DEEPEST_SEARCH ? 'median' : 'area');
    links[node] = (nodes << 1) >>> 0;
    tasks.push({ start: middle, end, node: nodes + 1, depth: depth + 1 });
    tasks.push({ start, end: middle, node: nodes, depth: depth + 1 });
    nodes += 2;
  }
  return links;
}

export function quantise({ positions, triangles }: Omit<Mesh, 'groups'>, vectors: Float64Array, bits: number) {
  const k = vectors.length / 3;
  const vertices = positions.length / 3;
  const isUsed = new Uint8Array(vertices);
  for (const v of triangles) isUsed[v] = 1;
  const origin = originOf(positions, isUsed, vectors);
  const heights = bits <= 32 ? new Int32Array(k * vertices) : new Float64Array(k * vertices);
  // The largest coefficient is 1 - 2^(1 - bits) of the scale; a larger reach needs the next scale.
  for (let exponent = exponentAbove(reachFrom(origin, positions, isUsed, vectors)); ; exponent++) {
    if (fill(exponent)) return { origin, exponent, heights };
  }
  function fill(exponent: number): boolean {
    const most = largestCoefficient(bits);
    const row = new Float64Array(k);
    const frame = { origin, vectors, quantumExponent: exponent - bits + 1 };
    for (let v = 0; v < vertices; v++) {
      if (isUsed[v] === 0) continue;
      const [x, y, z] = [positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]];
      roundedHeights(x, y, z, frame, row, 0);
      for (let i = 0; i < k; i++) {
        if (row[i] > most || row[i] < -most) return false;
        heights[k * v + i] = row[i];
      }
    }
    return true;
  }
}

/** Returns (0, 0, 0), or a point near the mesh's middle if that makes the scale smaller. */
function originOf(positions: Float64Array, isUsed: Uint8Array, vectors: Float64Array): Float64Array {
  const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const most = least.map((x) => -x);
  for (let c = 0; c < positions.length; c++) {
    if (isUsed[Math.floor(c / 3)] === 0) continue;
    least[c % 3] = Math.min(least[c % 3], positions[c]);
    most[c % 3] = Math.max(most[c % 3], positions[c]);
  }
  const zero = new Float64Array(3);
  const middle = Float64Array.from(least, (x, i) => x / 2 + most[i] / 2);
  const exponent = exponentAbove(reachFrom(middle, positions, isUsed, vectors));
  // A number with few digits keeps differences from short coordinates exact.
  const grid = 2 ** (exponent - 10);
  for (let i = 0; i < 3; i++) middle[i] = Math.round(middle[i] / grid) * grid + 0;
  return exponentAbove(reachFrom(zero, positions, isUsed, vectors)) <= exponent ? zero : middle;
}

function reachFrom(origin: Float64Array, positions: Float64Array, isUsed: Uint8Array, vectors: Float64Array): number {
  let reach = 0;
  for (let v = 0; v < isUsed.length; v++) {
    if (isUsed[v] === 0) continue;
    const x = positions[3 * v] - origin[0];
    const y = positions[3 * v + 1] - origin[1];
    const z = positions[3 * v + 2] - origin[2];
    for (let i = 0; i < vectors.length / 2; i += 3) {
      reach = Math.max(reach, Math.abs(vectors[i] * x + vectors[i + 1] * y + vectors[i + 2] * z));
    }
  }
  return reach;
}

/** Returns the least e with reach < 2^e, at least SMALLEST_EXPONENT; 0 for a single point. */
function exponentAbove(reach: number): number {
  if (reach === 0) return 0;
  let exponent = SMALLEST_EXPONENT;
  for (let step = 1024; step >= 1; step /= 2) if (2 ** (exponent + step - 1) <= reach) exponent += step;
  return exponent;
}

export function coefficientsOf(
  links: Uint32Array,
  triangles: Uint32Array,
  heights: Int32Array | Float64Array,
  k: number,
  bits: number,
): Coefficients {
  const coefficients = coefficientArray(bits, k * links.length);
  for (let node = links.length - 1; node >= 0; node--) {
    const at = k * node;
    if (isLeaf(links[node])) {
      const t = 3 * target(links[node]);
      const [a, b, c] = [k * triangles[t], k * triangles[t + 1], k * triangles[t + 2]];
      for (let i = 0; i < k; i++) coefficients[at + i] = Math.max(heights[a + i], heights[b + i], heights[c + i]);
    } else {
      const child = k * target(links[node]);
      for (let i = 0; i < k; i++) coefficients[at + i] = Math.max(coefficients[child + i], coefficients[child + k + i]);
    }
  }
  return coefficients;
}

export const kdopBuilder: Builder<KdopTree> = {
  build: buildKdopTree,
  options: { k: true, bits: true } satisfies OwnNames<KdopBuildOptions>,
};
