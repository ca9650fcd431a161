/**
 * Makes OBB trees from meshes. WebAssembly builds the nodes: binary.as.ts the binary ones,
 * wide.as.ts the wide ones. If it is missing, portable.ts builds binary ones.
 */

import { OptionError } from '../../../base/errors.ts';
import { ownMesh } from '../../../containers/mesh-sections.ts';
import type { Builder, OwnNames, Provenance } from '../../../engine/representation.ts';
import { assetHeader } from '../../../engine/representation.ts';
import type { Mesh } from '../../../mesh/mesh.ts';
import type { NodeBytes } from '../tree/node.ts';
import type { ObbTree } from '../tree/obb-tree.ts';
import { requireReadTree } from '../tree/reading.ts';
import { knowReach, localReaches, reachOfObbTree, reachWithin } from '../tree/unfold.ts';
import { WIDE_BYTES } from '../tree/wide-node.ts';
import { type BinaryTree, buildBinaryTree, buildWideTree, noWideTree, type WideBuildOptions } from './kernel.ts';
import { portableNodes } from './portable.ts';

export interface ObbBuildOptions extends Provenance {
  /**
   * Bytes per node: 40 (default), the seed's node with leaf boxes; 20, without leaf boxes; or 64,
   * four children and their boxes in a node, which only WebAssembly builds.
   */
  nodeBytes?: number;
}

/**
 * Builds the tree of every triangle of the mesh, including degenerate ones.
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
  if (nodeBytes !== WIDE_BYTES) return buildBinary(mesh, nodeBytes, options);
  const tree = buildWide(mesh, options);
  if (!tree) throw noWideTree();
  // Once, so that no query has to.
  reachWithin(tree, requireReadTree(tree), Number.POSITIVE_INFINITY);
  return tree;
}

/**
 * The tree that answers soonest, for queries and not for storage: of 64 bytes a node, or of 40 if
 * wide trees cannot be built.
 *
 * @throws MeshError like buildObbTree
 */
export function buildQueryTree(mesh: Mesh, options: QueryTreeOptions = {}): ObbTree {
  // If no wide tree can be built, WebAssembly is missing, so no binary tree can use it either.
  const tree = buildWide(mesh, options) ?? buildPortable(mesh, 40, options);
  reachOfObbTree(tree);
  return tree;
}

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
  }
  return tree;
}

function buildBinary(mesh: Mesh, nodeBytes: 40 | 20, options: ObbBuildOptions): ObbTree {
  const made = buildBinaryTree(mesh.positions, mesh.triangles, nodeBytes, options.onProgress);
  return made ? binaryTree(mesh, nodeBytes, made, options) : buildPortable(mesh, nodeBytes, options);
}

function buildPortable(mesh: Mesh, nodeBytes: 40 | 20, options: ObbBuildOptions): ObbTree {
  const tree = createTree(mesh, nodeBytes, portableNodes(mesh, nodeBytes), options);
  reachOfObbTree(tree); // once, so that no query has to
  return tree;
}

/** Makes a tree of the nodes from buildBinaryTree. */
export function binaryTree(
  mesh: Mesh,
  nodeBytes: 40 | 20,
  { reach, ...nodes }: BinaryTree,
  options: ObbBuildOptions,
): ObbTree {
  const tree = createTree(mesh, nodeBytes, nodes, options);
  knowReach(tree, 4 * reach);
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

export const obbBuilder: Builder<ObbTree> = {
  build: buildObbTree,
  options: { nodeBytes: true } satisfies OwnNames<ObbBuildOptions>,
};
