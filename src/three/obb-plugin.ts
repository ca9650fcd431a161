/** Reads stored trees (GICOLLIDE_obb) of a GLB while three's GLTFLoader loads it. */
import type { BufferGeometry, Mesh, Object3D } from 'three';
import type { GLTFParser } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { FormatError } from '../base/errors.ts';
import { EXTENSION_NAME, readStored, type StoredTreeJson } from '../gltf-extension/stored-tree.ts';
import type { ObbTree } from '../representations/obb/tree/obb-tree.ts';
import { cornersOf } from './from-geometry.ts';
import { storeTree } from './stored-trees.ts';

export interface ObbPluginOptions {
  /** Receives one line for each mesh loaded without its tree; `console.warn` unless given. */
  onWarning?: (message: string) => void;
}

/**
 * A plugin of GLTFLoader. It compares each tree with the loaded triangles and attaches it to their
 * geometry, so that `storedTree` and `LiveChecker` find it. A mesh is loaded without its tree, with
 * a warning, if the tree is damaged, the mesh was edited since, or anything else fails.
 *
 * @example import { GicollideObbPlugin } from 'gicollide/three';
 *          import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
 *          const loader = new GLTFLoader();
 *          loader.register((parser) => new GicollideObbPlugin(parser, { onWarning: console.warn }));
 */
export class GicollideObbPlugin {
  readonly name = EXTENSION_NAME;

  constructor(
    private readonly parser: GLTFParser,
    private readonly options: ObbPluginOptions = {},
  ) {}

  /** GLTFLoader calls this when everything is loaded. */
  async afterRoot(): Promise<void> {
    const { meshes } = this.parser.json;
    if (!Array.isArray(meshes)) return;
    for (const [n, mesh] of meshes.entries()) {
      const stored = mesh?.extensions?.[EXTENSION_NAME];
      if (stored === undefined) continue;
      try {
        await this.take(n, stored as StoredTreeJson);
      } catch (error) {
        // The loader would lose the whole file for any error.
        const { message } = error instanceof Error ? error : new Error(String(error));
        this.warn(`meshes[${n}] ${JSON.stringify(mesh.name ?? '')}: ${message}`);
      }
    }
  }

  private warn(message: string): void {
    const { onWarning = (line: string) => globalThis.console?.warn(line) } = this.options;
    try {
      onWarning(message);
    } catch (error) {
      globalThis.console?.warn(message, error);
    }
  }

  private async take(n: number, stored: StoredTreeJson): Promise<void> {
    const { parser } = this;
    const views: unknown[] = parser.json.bufferViews ?? [];
    if (!views[stored?.bufferView]) throw new FormatError(null, 'the number of a view', String(stored?.bufferView));
    const object: Object3D = await parser.getDependency('mesh', n);
    const geometries = geometriesOf(object, parser.json.meshes[n].primitives.length);
    const bytes = new Uint8Array(await parser.getDependency('bufferView', stored.bufferView));
    const tree: ObbTree = await readStored(bytes, stored.sha256, geometries.map(cornersOf));
    storeTree(tree, geometries);
  }
}

/** The loader makes a group of several primitives. */
function geometriesOf(object: Object3D, primitives: number): BufferGeometry[] {
  // Later children are those of the node, which the loader has put on the group.
  const objects = primitives === 1 ? [object] : object.children.slice(0, primitives);
  return objects.filter((child): child is Mesh => 'isMesh' in child).map(({ geometry }) => geometry);
}
