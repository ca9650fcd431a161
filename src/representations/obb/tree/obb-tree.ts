/**
 * A compressed OBB tree in memory: triangles, and the tree in one of its layouts, as the file holds
 * it.
 */
import type { StoredMesh } from '../../../containers/mesh-sections.ts';
import type { AssetHeader } from '../../../query/asset-header.ts';
import type { NodeBytes } from './node.ts';

export interface ObbTree extends StoredMesh {
  representation: 'obb';
  /** Bytes of a node: see node.ts. */
  nodeBytes: NodeBytes;
  nodes: Uint8Array;
  /** Nodes' centres are relative to this, model units. */
  origin: Float64Array;
  /** Model units of one step of centre and half extent; 1 for float nodes. */
  scale: Float64Array;
  /**
   * Triangles in the order of the leaves: of the layouts without nodes for leaves, of 20 and 64
   * bytes.
   */
  order: Uint32Array | null;
  header: AssetHeader;
}
