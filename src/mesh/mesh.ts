/** An indexed triangle mesh as in a file: every triangle, in file order, nothing cleaned. */
import { requireMeshArrays, tagOf } from '../base/require.ts';

/** A run of consecutive triangles under one `o` or `g` name. */
export interface MeshGroup {
  kind: 'object' | 'group';
  name: string;
  /** First triangle of the run, from 0. */
  first: number;
  /** Number of triangles in the run. */
  count: number;
}

export interface Mesh {
  /** x, y, z of vertex v at 3v; model units, right-handed; finite. */
  positions: Float64Array;
  /** Three vertex numbers, from 0, of triangle t at 3t; counter-clockwise from outside. */
  triangles: Uint32Array;
  /** In file order. A triangle can lie in one object run and one group run. */
  groups: MeshGroup[];
}

/** A mesh as `build` accepts it. Coordinates may be in float32, as in graphics libraries. */
export interface SourceMesh extends Omit<Mesh, 'positions'> {
  positions: Float64Array | Float32Array;
}

/** Returns the same mesh in doubles, without loss. @throws MeshError for an invalid mesh */
export function meshInDoubles(source: SourceMesh): Mesh {
  const isSingle = tagOf(source?.positions) === 'Float32Array';
  const mesh = isSingle ? { ...source, positions: Float64Array.from(source.positions) } : source;
  requireMeshArrays(mesh);
  return mesh as Mesh;
}
