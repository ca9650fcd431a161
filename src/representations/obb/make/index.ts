/**
 * Builds an OBB tree top down over the triangles of a mesh, and stores every box as the numbers
 * that a reader will decode; trees of wide nodes are built in kernel.ts.
 *
 * S. Gottschalk, M. Lin, D. Manocha, "OBBTree", SIGGRAPH 1996, section 4: orientation by the
 * principal axes of the surface, split along the box's axes. Departures: the orientation is the one
 * of least box area among the principal axes of the surface, those of its hull, the model's and the
 * parent's; the split is that of least surface-area cost along the three axes
 * (surface-area-split.ts), instead of the mean on the longest.
 */

import { MeshError, OptionError } from '../../../base/errors.ts';
import { ownMesh } from '../../../containers/mesh-sections.ts';
import type { Builder, OwnNames, Provenance } from '../../../engine/representation.ts';
import { assetHeader } from '../../../engine/representation.ts';
import { MOMENTS, principalAxes, triangleAxes, triangleMoments } from '../../../geometry/fit-obb.ts';
import { splitRange } from '../../../geometry/surface-area-split.ts';
import { convexHull } from '../../../mesh/hull.ts';
import type { Mesh } from '../../../mesh/mesh.ts';
import { LARGEST_COUNTED, type NodeBytes } from '../tree/node.ts';
import type { ObbTree } from '../tree/obb-tree.ts';
import { knowReach, localReaches, reachOfObbTree } from '../tree/unfold.ts';
import { WIDE_BYTES } from '../tree/wide-node.ts';
import { BoxWriter } from './box-writer.ts';
import { buildBinaryTree as kernelBinary, buildWideTree, noWideTree, type WideBuildOptions } from './kernel.ts';

export interface ObbBuildOptions extends Provenance {
  /**
   * 40 (default), the seed's node with leaf boxes; 20, without; or 64, four children and their
   * boxes in a node, which WebAssembly alone builds.
   */
  nodeBytes?: number;
}

/** Larger nodes choose axes by a sample of this size: a third of the time, the same tests. */
const SAMPLE = 1024;
/**
 * Nodes of 16 to 256 triangles also try the axes of their hull. Bound tests (all contacts,
 * geometric mean over nine pairs of meshes) and build time of 82k triangles: none 1308, 0.98 s; 32
 * to 256 1298, 1.12 s; 16 to 256 1295, 1.23 s; 4 to 256 1288, 1.75 s; 64 to 4,096 1304.
 */
const SMALLEST_HULL = 16;
const LARGEST_HULL = 256;
/** Below this level, nodes are split in halves. So the depth stays below this plus 32. */
const DEEPEST_SEARCH = 64;

/**
 * Builds the tree of every triangle of the mesh, degenerate ones too.
 *
 * @throws MeshError for a mesh without triangles, or too large or too far from its origin for
 *   float32 nodes
 * @throws OptionError for node sizes that do not exist, and for 64 without WebAssembly
 * @example const tree = buildObbTree(readObj(bytes), { nodeBytes: 20 });
 */
export function buildObbTree(mesh: Mesh, options: ObbBuildOptions = {}): ObbTree {
  const nodeBytes = options.nodeBytes ?? 40;
  if (nodeBytes !== 40 && nodeBytes !== 20 && nodeBytes !== WIDE_BYTES) {
    throw new OptionError(`node bytes ${nodeBytes}: expected 40, 20 or 64`);
  }
  if (nodeBytes !== WIDE_BYTES) return buildBinaryTree(mesh, nodeBytes, options);
  const tree = buildWide(mesh, options);
  if (!tree) throw noWideTree();
  return tree;
}

/**
 * The tree that answers soonest, to be asked and not to be stored: of 64 bytes a node, or of 40
 * where these cannot be built.
 *
 * @throws MeshError as buildObbTree
 */
export const buildQueryTree = (mesh: Mesh, options: QueryTreeOptions = {}): ObbTree =>
  buildWide(mesh, options) ?? buildBinaryTree(mesh, 40, options);

type QueryTreeOptions = Omit<ObbBuildOptions, 'nodeBytes'> & Pick<WideBuildOptions, 'isHasty'>;

function buildWide(mesh: Mesh, options: QueryTreeOptions): ObbTree | undefined {
  const nodes = buildWideTree(mesh.positions, mesh.triangles, options);
  if (!nodes) return undefined;
  const { order, origin, reach, localReach } = nodes;
  const tree = createTree(
    mesh,
    WIDE_BYTES,
    { nodes: nodes.nodes, order, origin, scale: Float64Array.of(1, 1) },
    options,
  );
  if (options.isHasty) {
    const beyond = Math.max(Math.abs(origin[0]), Math.abs(origin[1]), Math.abs(origin[2]));
    knowReach(tree, 4 * (beyond + 1.01 * Math.max(reach, localReach)));
    localReaches.set(tree, 1.01 * localReach);
  } else reachOfObbTree(tree);
  return tree;
}

function buildBinaryTree(mesh: Mesh, nodeBytes: 40 | 20, options: ObbBuildOptions): ObbTree {
  const count = mesh.triangles.length / 3;
  if (count === 0) throw new MeshError('expected triangles, found none');
  if (count > 2 ** 30) throw new MeshError(`expected at most 2^30 triangles, found ${count}`);
  const made = process.env.OLDB ? undefined : kernelBinary(mesh.positions, mesh.triangles, nodeBytes, options.onProgress);
  if (made) {
    const { nodes, order, origin, scale, reach } = made;
    const tree = createTree(mesh, nodeBytes, { nodes, order: nodeBytes === 20 ? order : null, origin, scale }, options);
    knowReach(tree, 4 * reach);
    return tree;
  }
  const tree = createTree(mesh, nodeBytes, buildNodes(mesh, nodeBytes, options), options);
  reachOfObbTree(tree); // once, so that no query has to
  return tree;
}

type Nodes = Pick<ObbTree, 'nodes' | 'origin' | 'scale' | 'order'>;

const createTree = (mesh: Mesh, nodeBytes: NodeBytes, nodes: Nodes, options: ObbBuildOptions): ObbTree => ({
  representation: 'obb',
  ...ownMesh(mesh, options),
  nodeBytes,
  ...nodes,
  header: assetHeader(options, { nodeBytes }),
});

function buildNodes(mesh: Mesh, nodeBytes: 40 | 20, { onProgress }: ObbBuildOptions): Nodes {
  const builder = new NodeBuilder(mesh, nodeBytes);
  builder.run(onProgress);
  const { nodes, order } = builder;
  const { origin, scale } = builder.boxes;
  return { nodes, origin, scale, order: nodeBytes === 20 ? order : null };
}

interface Task {
  start: number;
  end: number;
  node: number;
  depth: number;
  parentAxes: Float64Array;
}

class NodeBuilder {
  readonly nodes: Uint8Array;
  readonly order: Uint32Array;
  private readonly local: Float64Array;
  readonly boxes: BoxWriter;
  private readonly moments: Float64Array;
  private readonly words: Uint32Array;
  private readonly unsigned: Uint16Array;
  private nodeCount = 0;
  private readonly stamps: Int32Array;
  private stamp = 0;
  private readonly spans: Float64Array;

  constructor(
    private readonly mesh: Mesh,
    private readonly nodeBytes: 40 | 20,
  ) {
    const { positions, triangles } = mesh;
    const count = triangles.length / 3;
    this.order = Uint32Array.from({ length: count }, (_, t) => t);
    const nodes = nodeBytes === 40 ? 2 * count - 1 : Math.max(1, count - 1);
    this.nodes = new Uint8Array(nodeBytes * nodes);
    this.boxes = new BoxWriter(mesh, nodeBytes, this.nodes, this.order);
    this.local = this.boxes.local;
    this.moments = triangleMoments(this.local, triangles);
    this.spans = new Float64Array(6 * count);
    this.stamps = new Int32Array(positions.length / 3);
    this.words = new Uint32Array(this.nodes.buffer, 0, this.nodes.length >> 2);
    this.unsigned = new Uint16Array(this.nodes.buffer);
  }

  run(onProgress?: (stage: string, fraction: number) => void): void {
    const count = this.order.length;
    const model = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
    const tasks: Task[] = [{ start: 0, end: count, node: 0, depth: 0, parentAxes: model }];
    this.nodeCount = 1;
    let leaves = 0;
    for (let task = tasks.pop(); task; task = tasks.pop()) {
      const { start, end, node, depth } = task;
      const size = end - start;
      const axes = this.fit(task);
      if (this.nodeBytes === 40 && size === 1) {
        this.words[10 * node + 9] = ((this.order[start] << 1) | 1) >>> 0;
        if (onProgress && (++leaves & 4095) === 0) onProgress('boxes', leaves / count);
        continue;
      }
      const middle = size === 1 ? end : this.split(start, end, axes, depth);
      const counted = middle - start;
      if (this.nodeBytes === 40) {
        const positive = this.nodeCount;
        this.nodeCount += 2;
        this.words[10 * node + 9] = (positive << 1) >>> 0;
        tasks.push({ start: middle, end, node: positive + 1, depth: depth + 1, parentAxes: axes });
        tasks.push({ start, end: middle, node: positive, depth: depth + 1, parentAxes: axes });
      } else {
        this.unsigned[10 * node + 9] = size > LARGEST_COUNTED ? 0 : counted;
        if (end - middle > 1) {
          tasks.push({ start: middle, end, node: node + counted, depth: depth + 1, parentAxes: axes });
        }
        if (counted > 1) tasks.push({ start, end: middle, node: node + 1, depth: depth + 1, parentAxes: axes });
      }
    }
  }

  private fit({ start, end, node, parentAxes }: Task): Float64Array {
    const { moments, order } = this;
    const step = Math.max(1, Math.floor((end - start) / SAMPLE));
    const candidate = new Float64Array(9);
    let best = new Float64Array(9);
    let least = Number.POSITIVE_INFINITY;
    const consider = () => {
      const area = this.areaAlong(start, end, step, candidate);
      if (area < least) {
        least = area;
        best = candidate.slice();
      }
    };
    candidate.set(parentAxes);
    consider();
    candidate.fill(0);
    candidate[0] = candidate[4] = candidate[8] = 1;
    consider();
    if (end - start === 1) {
      const t = 3 * order[start];
      const { triangles } = this.mesh;
      if (triangleAxes(this.local, triangles[t], triangles[t + 1], triangles[t + 2], candidate)) consider();
    } else {
      sum.fill(0);
      for (let i = start; i < end; i += step) {
        const m = MOMENTS * order[i];
        for (let k = 0; k < MOMENTS; k++) sum[k] += moments[m + k];
      }
      if (principalAxes(sum, candidate)) consider();
      const size = end - start;
      if (size >= SMALLEST_HULL && size <= LARGEST_HULL && this.hullAxes(start, end, candidate)) consider();
    }
    this.boxes.setAxes(node, best);
    this.boxes.fit(node, start, end, best);
    return best;
  }

  /** Finds principal axes of the convex hull of a range's vertices; false if it has no volume. */
  private hullAxes(start: number, end: number, axes: Float64Array): boolean {
    const { local, order, stamps } = this;
    const { triangles } = this.mesh;
    this.stamp++;
    let count = 0;
    for (let i = start; i < end; i++) {
      for (let c = 3 * order[i]; c < 3 * order[i] + 3; c++) {
        const v = triangles[c];
        if (stamps[v] === this.stamp) continue;
        stamps[v] = this.stamp;
        for (let k = 0; k < 3; k++) hullPoints[count++] = local[3 * v + k];
      }
    }
    const points = hullPoints.subarray(0, count);
    const hull = convexHull(points);
    if (hull.dimension !== 3) return false;
    const moments = triangleMoments(points, hull.triangles);
    sum.fill(0);
    for (let m = 0; m < moments.length; m++) sum[m % MOMENTS] += moments[m];
    return principalAxes(sum, axes);
  }

  private areaAlong(start: number, end: number, step: number, axes: Float64Array): number {
    this.boxes.extentsAlong(start, end, step, axes);
    const { low, high } = this.boxes;
    const x = high[0] - low[0];
    const y = high[1] - low[1];
    const z = high[2] - low[2];
    return x * y + y * z + z * x;
  }

  private split(start: number, end: number, axes: Float64Array, depth: number): number {
    const { local, order, spans } = this;
    const { triangles } = this.mesh;
    const size = end - start;
    const [ax, ay, az, bx, by, bz, cx, cy, cz] = axes;
    for (let i = start; i < end; i++) {
      const t = 3 * order[i];
      const s = 6 * order[i];
      for (let k = 0; k < 3; k++) {
        const v = 3 * triangles[t + k];
        const x = local[v];
        const y = local[v + 1];
        const z = local[v + 2];
        const p = ax * x + ay * y + az * z;
        const q = bx * x + by * y + bz * z;
        const r = cx * x + cy * y + cz * z;
        if (k === 0) {
          spans[s] = spans[s + 3] = p;
          spans[s + 1] = spans[s + 4] = q;
          spans[s + 2] = spans[s + 5] = r;
          continue;
        }
        if (p < spans[s]) spans[s] = p;
        if (p > spans[s + 3]) spans[s + 3] = p;
        if (q < spans[s + 1]) spans[s + 1] = q;
        if (q > spans[s + 4]) spans[s + 4] = q;
        if (r < spans[s + 2]) spans[s + 2] = r;
        if (r > spans[s + 5]) spans[s + 5] = r;
      }
    }
    // Halve if the 16-bit word of a 20-byte node cannot hold the count.
    const mustHalve = (this.nodeBytes === 20 && size > LARGEST_COUNTED) || depth > DEEPEST_SEARCH;
    return splitRange(order, spans, start, end, mustHalve ? 'median' : 'area');
  }
}

const sum = new Float64Array(MOMENTS);
const hullPoints = new Float64Array(9 * LARGEST_HULL);

export const obbBuilder: Builder<ObbTree> = {
  build: buildObbTree,
  options: { nodeBytes: true } satisfies OwnNames<ObbBuildOptions>,
};
