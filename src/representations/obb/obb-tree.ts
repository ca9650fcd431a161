/** A compressed OBB tree in memory: triangles, and the tree in one of its two layouts, as the file holds it. */
import type { NodeBytes } from './node.ts';

export interface ObbTree {
  representation: 'obb';
  /** x, y, z of vertex v at 3v; float32 where that loses nothing. */
  positions: Float64Array | Float32Array;
  /** Three vertex numbers per triangle, triangles in file order. */
  triangles: Uint32Array;
  /** Bytes of a node: see node.ts. */
  nodeBytes: NodeBytes;
  nodes: Uint8Array;
  /** Nodes' centres are relative to this, model units. */
  origin: Float64Array;
  /** Model units of one step of centre and half extent; 1 for float nodes. */
  scale: Float64Array;
  /** Triangles in the order of the leaves: only the layout without leaf boxes needs it. */
  order: Uint32Array | null;
  header: ObbHeader;
}

export interface ObbHeader {
  tool: string;
  source: { name: string; sha256: string } | null;
  units: string | null;
  options: Record<string, string | number>;
}
