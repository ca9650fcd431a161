/** Builds the nodes of OBB trees in WebAssembly, as described in binary.as.ts and wide.as.ts. */

import { MeshError, OptionError } from '../../../base/errors.ts';
import { runBuild, type Workshop, whileBusy, whyNotBuilt, writeBytes } from '../../../kernels/memory.ts';
import { floatExtent } from '../../../mesh/extent.ts';
import { LARGEST_COUNTED } from '../tree/node.ts';
import { LARGEST_INDEX, WIDE_BYTES } from '../tree/wide-node.ts';
import { KERNEL as BINARY_KERNEL, type KernelName } from './binary-kernel.generated.ts';
import { KERNEL } from './kernel.generated.ts';

/** Memory and functions of one build of a binary tree. */
export type ObbWorkshop = Workshop<KernelName>;

export interface WideTree {
  nodes: Uint8Array;
  order: Uint32Array;
  /** Origin of the nodes' centers, in model units. */
  origin: Float64Array;
  /** Bounds the distances of vertices and of boxes from the origin. */
  reach: number;
  localReach: number;
}

export interface WideBuildOptions {
  onProgress?: ((stage: string, fraction: number) => void) | undefined;
  /** Takes 0.8 of the time to build; queries of the tree take up to 1.15 of the time. */
  isHasty?: boolean | undefined;
}

const STRIDE = 1 << 16;

/**
 * The tree of all triangles, including degenerate ones: on most surfaces 0.4 to 0.45 nodes per
 * triangle, at most 64 levels.
 *
 * @param positions x, y, z of each vertex, model units
 * @param triangles three vertex numbers each
 * @returns undefined without WebAssembly, or if its 4 GB of memory are not enough: for some 28
 *   million triangles
 * @throws MeshError for no triangles, or coordinates beyond 1e37
 * @example buildWideTree(Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), Uint32Array.of(0, 1,
 *   2)).nodes.length // 64
 */
export function buildWideTree(
  positions: Float64Array,
  triangles: Uint32Array,
  { onProgress, isHasty = false }: WideBuildOptions = {},
): WideTree | undefined {
  const count = triangles.length / 3;
  if (count === 0) throw new MeshError('expected triangles, found none');
  if (count > LARGEST_INDEX) throw new MeshError(`expected at most ${LARGEST_INDEX} triangles, found ${count}`);
  const { origin, reach } = floatExtent(positions, triangles);
  return runBuild(KERNEL, ({ memory, functions, hold, put, giveBack }): WideTree => {
    // In this order, the first release leaves room for the nodes.
    const order = hold(4 * count);
    const scratch = hold(functions.wideBuildScratch());
    const corners = hold(72 * count);
    const spans = hold(48 * count);
    const atPositions = put(positions);
    const atTriangles = put(triangles);
    const [x, y, z] = origin;
    const margin = marginOf(reach);
    const into = [corners, order, spans, scratch];
    functions.wideBuildBegin(atPositions, atTriangles, count, x, y, z, margin, ...into, Number(isHasty));
    giveBack(atTriangles);
    giveBack(atPositions);
    let capacity = likelyNodes(count);
    let nodes = hold(WIDE_BYTES * capacity);
    while (functions.wideBuildRun(nodes, capacity, functions.wideBuildDone() + STRIDE)) {
      const made = functions.wideBuildNodes();
      if (made + 4 > capacity) {
        const more = hold(2 * WIDE_BYTES * capacity);
        writeBytes(memory, more, new Uint8Array(memory.buffer, nodes, WIDE_BYTES * made));
        giveBack(nodes);
        nodes = more;
        capacity *= 2;
      }
      // The listener may build another tree.
      whileBusy(() => onProgress?.('boxes', functions.wideBuildDone() / count));
    }
    // Copies, since the memory is shared and will be reused.
    return {
      nodes: new Uint8Array(new Uint8Array(memory.buffer, nodes, WIDE_BYTES * functions.wideBuildNodes())),
      order: new Uint32Array(new Uint32Array(memory.buffer, order, count)),
      origin,
      reach,
      localReach: functions.wideBuildReach(),
    };
  });
}

export interface BinaryTree {
  nodes: Uint8Array;
  /** For 20 bytes a node. */
  order: Uint32Array | null;
  origin: Float64Array;
  scale: Float64Array;
  /** The largest coordinate of a vertex, and of a box with its half extents. */
  reach: number;
}

/**
 * The tree of all triangles, including degenerate ones, with 40 or 20 bytes a node and at most 97
 * levels.
 *
 * @param positions x, y, z of each vertex, model units
 * @param triangles three vertex numbers each
 * @returns undefined without WebAssembly, or if its memory is too small
 * @throws MeshError for no triangles, or coordinates beyond 1e37
 */
export function buildBinaryTree(
  positions: Float64Array,
  triangles: Uint32Array,
  nodeBytes: 40 | 20,
  onProgress?: (stage: string, fraction: number) => void,
): BinaryTree | undefined {
  const plan = planBinary(positions, triangles, nodeBytes);
  return runBuild(BINARY_KERNEL, (workshop: ObbWorkshop): BinaryTree => {
    const { functions } = workshop;
    const build = layBinary(plan, workshop);
    beginBinary(functions, build, workshop.hold);
    functions.binaryBuildRoot(plan.count);
    let done = 0;
    for (let found = functions.binaryBuildTop(build.most); found > 0; found = functions.binaryBuildTop(build.most)) {
      for (let task = 0; task < found; task++) {
        done += functions.binaryBuildTask(task);
        if (onProgress && (task & 63) === 63) whileBusy(() => onProgress('boxes', done / plan.count));
      }
    }
    return readBinary(plan, build, workshop.memory, functions.binaryBuildReach());
  });
}

/** Facts about a tree that are known before it is built. */
export interface BinaryPlan {
  readonly positions: Float64Array;
  readonly triangles: Uint32Array;
  readonly nodeBytes: 40 | 20;
  readonly count: number;
  readonly origin: Float64Array;
  readonly scale: Float64Array;
  readonly margin: number;
  readonly largest: number;
}

/** @throws MeshError like buildBinaryTree */
export function planBinary(positions: Float64Array, triangles: Uint32Array, nodeBytes: 40 | 20): BinaryPlan {
  const count = triangles.length / 3;
  if (count === 0) throw new MeshError('expected triangles, found none');
  if (count > 2 ** 30) throw new MeshError(`expected at most 2^30 triangles, found ${count}`);
  const { origin, reach, largest } = floatExtent(positions, triangles);
  const scale = nodeBytes === 40 ? Float64Array.of(1, 1) : Float64Array.of(reach / 32767, (2 * reach) / 65535);
  return { positions, triangles, nodeBytes, count, origin, scale, margin: binaryMargin(reach, largest), largest };
}

/** Addresses of the data that the threads of a build share. */
export interface BinaryBuild {
  readonly mesh: readonly [positions: number, triangles: number, settings: number];
  readonly nodes: number;
  readonly nodeBytes: number;
  readonly order: number;
  readonly spare: number;
  readonly tasks: number;
  /** The number of parts for which there is room. */
  readonly most: number;
  readonly vertices: number;
}

const nodesOf = ({ nodeBytes, count }: BinaryPlan): number =>
  nodeBytes === 40 ? 2 * count - 1 : Math.max(1, count - 1);

export function layBinary(
  plan: BinaryPlan,
  { functions, hold, put }: Pick<ObbWorkshop, 'functions' | 'hold' | 'put'>,
): BinaryBuild {
  const { positions, triangles, nodeBytes, count, origin, scale, margin } = plan;
  const settings = put(Float64Array.of(...origin, ...scale, margin));
  const most = 64 + Math.ceil((4 * count) / functions.binaryBuildPart());
  return {
    mesh: [put(positions), put(triangles), settings],
    nodes: hold(nodeBytes * nodesOf(plan)),
    nodeBytes,
    order: hold(4 * count),
    spare: hold((nodeBytes === 20 && count > LARGEST_COUNTED ? 8 : 4) * count),
    tasks: hold(functions.binaryBuildTaskBytes() * most),
    most,
    vertices: positions.length / 3,
  };
}

/** Begins a build in this thread, with memory of its own. */
export function beginBinary(
  functions: ObbWorkshop['functions'],
  { mesh, nodes, nodeBytes, order, spare, tasks, vertices }: BinaryBuild,
  hold: (bytes: number) => number,
): void {
  const slots = hold(4 * vertices);
  const scratch = hold(functions.binaryBuildScratch());
  functions.binaryBuildBegin(...mesh, nodes, nodeBytes, order, spare, slots, tasks, scratch);
}

/** @param reach largest of binaryBuildReach of the threads */
export function readBinary(
  plan: BinaryPlan,
  { nodes, order }: BinaryBuild,
  { buffer }: WebAssembly.Memory,
  reach: number,
): BinaryTree {
  const { nodeBytes, count, origin, scale, largest } = plan;
  // Copies, since the memory is shared and will be reused.
  return {
    nodes: new Uint8Array(new Uint8Array(buffer, nodes, nodeBytes * nodesOf(plan))),
    order: nodeBytes === 20 ? new Uint32Array(new Uint32Array(buffer, order, count)) : null,
    origin,
    scale,
    reach: Math.max(largest, reach),
  };
}

/** The margin by which box-writer.ts enlarges half extents. */
const binaryMargin = (reach: number, largest: number): number => 2 ** -46 * reach + 2 ** -50 * largest;

/** The problem if buildWideTree has returned nothing. */
export const noWideTree = (): OptionError =>
  new OptionError(
    `OBB trees of 64 bytes a node are built in WebAssembly, ${whyNotBuilt()}; trees of 40 bytes a node need none`,
  );

export const marginOf = (reach: number): number => 2 ** -45 * reach;

const likelyNodes = (count: number): number => 8 + Math.ceil(0.44 * count);
