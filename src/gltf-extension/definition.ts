/** The glTF extension that stores an OBB tree with a mesh; docs/gltf-extension.md specifies it. */

export const EXTENSION_NAME = 'GICOLLIDE_obb';

/** The JSON object under the extension's name at a mesh. */
export interface StoredTreeJson {
  /** The buffer view with the bytes of an `.obb` file. */
  bufferView: number;
  /** Digest of the tree's triangles; see triangles-digest.ts. */
  sha256: string;
}
