/** GICOLLIDE_obb for gltf-transform: reads, keeps and writes the trees of a document's meshes. */
import {
  type Buffer,
  Extension,
  ExtensionProperty,
  type IProperty,
  type Nullable,
  PropertyType,
  type ReaderContext,
  type WriterContext,
} from '@gltf-transform/core';
import { FormatError } from '../base/errors.ts';
import { EXTENSION_NAME, type StoredTreeJson } from './stored-tree.ts';

interface ITree extends IProperty {
  bytes: Uint8Array;
  sha256: string;
}

/** The stored tree of a mesh: its bytes, and the digest of its triangles. */
export class StoredObb extends ExtensionProperty<ITree> {
  static override readonly EXTENSION_NAME = EXTENSION_NAME;
  declare extensionName: typeof EXTENSION_NAME;
  declare propertyType: 'StoredObb';
  declare parentTypes: [PropertyType.MESH];

  protected override init(): void {
    this.extensionName = EXTENSION_NAME;
    this.propertyType = 'StoredObb';
    this.parentTypes = [PropertyType.MESH];
  }

  protected override getDefaults(): Nullable<ITree> {
    return Object.assign(super.getDefaults() as IProperty, { bytes: new Uint8Array(0), sha256: '' });
  }

  /** The bytes of an `.obb` file. */
  getBytes(): Uint8Array {
    return this.get('bytes');
  }

  setBytes(bytes: Uint8Array): this {
    return this.set('bytes', bytes);
  }

  /** The digest of the tree's triangles. */
  getSha256(): string {
    return this.get('sha256');
  }

  setSha256(digest: string): this {
    return this.set('sha256', digest);
  }
}

/**
 * Keeps stored trees from file to file once it is registered with an IO of gltf-transform.
 *
 * @example import { NodeIO } from '@gltf-transform/core';
 *          import { GicollideObb } from 'gicollide/gltf-transform';
 *          const io = new NodeIO().registerExtensions([GicollideObb]);
 */
export class GicollideObb extends Extension {
  static override readonly EXTENSION_NAME = EXTENSION_NAME;
  override readonly extensionName = EXTENSION_NAME;
  override readonly prewriteTypes = [PropertyType.BUFFER];

  /** Creates a tree that belongs to no mesh yet. */
  createTree(): StoredObb {
    return new StoredObb(this.document.getGraph());
  }

  /** A mesh whose members violate the specification is read without its tree, with a warning. */
  read({ jsonDoc, meshes }: ReaderContext): this {
    for (const [n, { extensions }] of (jsonDoc.json.meshes ?? []).entries()) {
      const stored = extensions?.[EXTENSION_NAME] as StoredTreeJson | undefined;
      if (stored === undefined) continue;
      try {
        const bytes = bytesOf(jsonDoc, stored, `meshes[${n}].extensions.${EXTENSION_NAME}`);
        meshes[n].setExtension(EXTENSION_NAME, this.createTree().setBytes(bytes).setSha256(stored.sha256));
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        this.document.getLogger().warn(`gicollide: ${error.message}`);
      }
    }
    return this;
  }

  /** Hands the bytes to the writer, which makes views of them. */
  override prewrite(context: WriterContext): this {
    const buffer = this.document.getRoot().listBuffers()[0] as Buffer | undefined;
    if (!buffer) return this;
    const views = context.otherBufferViews.get(buffer) ?? [];
    for (const tree of this.storedTrees()) if (!views.includes(tree.getBytes())) views.push(tree.getBytes());
    context.otherBufferViews.set(buffer, views);
    return this;
  }

  write(context: WriterContext): this {
    for (const mesh of this.document.getRoot().listMeshes()) {
      const tree = mesh.getExtension<StoredObb>(EXTENSION_NAME);
      const view = tree && context.otherBufferViewsIndexMap.get(tree.getBytes());
      if (view === null || view === undefined) continue;
      const json = context.jsonDoc.json.meshes![context.meshIndexMap.get(mesh)!];
      const stored: StoredTreeJson = { bufferView: view, sha256: tree!.getSha256() };
      json.extensions = { ...json.extensions, [EXTENSION_NAME]: stored };
    }
    return this;
  }

  private storedTrees(): StoredObb[] {
    const { document } = this;
    return document
      .getRoot()
      .listMeshes()
      .flatMap((mesh) => mesh.getExtension<StoredObb>(EXTENSION_NAME) ?? []);
  }
}

function bytesOf({ json, resources }: ReaderContext['jsonDoc'], stored: StoredTreeJson, place: string): Uint8Array {
  const view = json.bufferViews?.[stored?.bufferView];
  if (!view) throw new FormatError(null, `the number of a view at ${place}.bufferView`, String(stored?.bufferView));
  if (typeof stored.sha256 !== 'string') throw new FormatError(null, `text at ${place}.sha256`, typeof stored.sha256);
  const { uri } = json.buffers?.[view.buffer] ?? {};
  const all = resources[uri ?? GLB_BUFFER];
  const from = view.byteOffset ?? 0;
  if (!all || all.byteLength < from + view.byteLength)
    throw new FormatError(null, `${view.byteLength} bytes of the view at ${place}`, `${all?.byteLength ?? 0}`);
  return all.slice(from, from + view.byteLength);
}

/** gltf-transform's name for the binary chunk of a GLB. */
const GLB_BUFFER = '@glb.bin';
