/** A compressed OBB tree in memory: triangles, and the tree in one of its file layouts. */
import type { StoredMesh } from '../../../containers/mesh-sections.ts';
import type { AssetHeader } from '../../../engine/representation.ts';
import type { NodeBytes } from './node.ts';

/** An OBB tree, as `build` makes it with format `obb`. */
export interface ObbTree extends StoredMesh {
  representation: 'obb';
  /** Bytes per node: 20, 40 or 64 (node.ts). */
  nodeBytes: NodeBytes;
  nodes: Uint8Array;
  /** Origin of the nodes' centers, in model units. */
  origin: Float64Array;
  /** Model units per step of center and half extent; 1 for float nodes. */
  scale: Float64Array;
  /** Triangles in leaf order, for nodes of 20 and 64 bytes; null for 40. */
  order: Uint32Array | null;
  header: AssetHeader;
}
