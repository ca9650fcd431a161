/** Reads stored trees (GICOLLIDE_obb) of a GLB while three's GLTFLoader loads it. */
import type { BufferGeometry, Mesh, Object3D } from 'three';
import type { GLTFParser } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { FormatError } from '../base/errors.ts';
import { EXTENSION_NAME, readStored, type StoredTreeJson } from '../gltf-extension/stored-tree.ts';
import type { ObbTree } from '../representations/obb/tree/obb-tree.ts';
import { fromBufferGeometry } from './from-geometry.ts';
import { storeTree } from './stored-trees.ts';

export interface ObbPluginOptions {
  /**
   * Receives one line for each mesh that is loaded without its damaged or foreign tree;
   * `console.warn` unless given.
   */
  onWarning?: (message: string) => void;
}

/**
 * A plugin of GLTFLoader. It compares each tree with the loaded triangles and attaches it to their
 * geometry, so that `storedTree` and `LiveChecker` find it. A mesh that was edited since, or whose
 * tree cannot be read, is loaded without its tree, with a warning.
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
    const meshes: { name?: string; extensions?: Record<string, unknown> }[] = this.parser.json.meshes ?? [];
    for (const [n, { name = '', extensions }] of meshes.entries()) {
      const stored = extensions?.[EXTENSION_NAME];
      if (stored === undefined) continue;
      try {
        await this.take(n, stored as StoredTreeJson);
      } catch (error) {
        // Whatever it is, the model is worth more than the tree.
        const { onWarning = console.warn } = this.options;
        const reason = error instanceof Error ? error.message : String(error);
        onWarning(`meshes[${n}] ${JSON.stringify(name)}: ${reason}`);
      }
    }
  }

  private async take(n: number, stored: StoredTreeJson): Promise<void> {
    const { parser } = this;
    const views: unknown[] = parser.json.bufferViews ?? [];
    if (!views[stored?.bufferView]) throw new FormatError(null, 'the number of a view', String(stored?.bufferView));
    const object: Object3D = await parser.getDependency('mesh', n);
    const geometries = geometriesOf(object, parser.json.meshes[n].primitives.length);
    const bytes = new Uint8Array(await parser.getDependency('bufferView', stored.bufferView));
    const tree: ObbTree = await readStored(bytes, stored.sha256, geometries.map(drawn));
    storeTree(tree, geometries);
  }
}

const drawn = (geometry: BufferGeometry) => fromBufferGeometry(geometry, { weld: false, atRest: true });

/** The loader makes a group of several primitives. */
function geometriesOf(object: Object3D, primitives: number): BufferGeometry[] {
  // Later children are those of the node, which the loader has put on the group.
  const objects = primitives === 1 ? [object] : object.children.slice(0, primitives);
  return objects.filter((child): child is Mesh => 'isMesh' in child).map(({ geometry }) => geometry);
}
