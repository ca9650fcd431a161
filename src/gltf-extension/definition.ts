/** The extension of glTF that stores an OBB tree with a mesh; docs/gltf-extension.md specifies it. */

export const EXTENSION_NAME = 'GICOLLIDE_obb';

/** What stands at a mesh under the extension's name. */
export interface StoredTreeJson {
  /** The view that holds the bytes of an `.obb` file. */
  bufferView: number;
  /** Of the triangles that the tree is of: see triangles-digest.ts. */
  sha256: string;
}
