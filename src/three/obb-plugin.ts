/**
 * Takes the trees that a GLB has stored with its meshes, as GICOLLIDE_obb, while three's GLTFLoader
 * loads it.
 */
import type { BufferGeometry, Mesh, Object3D } from 'three';
import type { GLTFParser } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { EXTENSION_NAME, type StoredTreeJson } from '../gltf-extension/definition.ts';
import { readStored } from '../gltf-extension/read-stored.ts';
import { FormatError, InputError } from '../math/errors.ts';
import type { ObbTree } from '../representations/obb/tree/obb-tree.ts';
import { fromBufferGeometry } from './from-geometry.ts';
import { storeTree } from './stored-trees.ts';

export interface ObbPluginOptions {
  /** Hears of each mesh whose tree is not its own, or damaged, one line: it is loaded without. */
  onWarning?: (message: string) => void;
}

/**
 * A plugin of GLTFLoader. Each tree is held to the triangles that were loaded, hangs on their
 * geometry then, and is found by `storedTree` and by `LiveChecker`. A mesh that somebody has edited
 * since is loaded without its tree.
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

  /** GLTFLoader calls it when all is loaded. */
  async afterRoot(): Promise<void> {
    const meshes: { name?: string; extensions?: Record<string, unknown> }[] = this.parser.json.meshes ?? [];
    for (const [n, { name = '', extensions }] of meshes.entries()) {
      const stored = extensions?.[EXTENSION_NAME];
      if (stored === undefined) continue;
      try {
        await this.take(n, stored as StoredTreeJson);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        this.options.onWarning?.(`meshes[${n}] ${JSON.stringify(name)}: ${error.message}`);
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

/** The geometries of a mesh's primitives that have triangles: of several the loader makes a group. */
function geometriesOf(object: Object3D, primitives: number): BufferGeometry[] {
  // What comes after the primitives are children of a node that the loader has put on the group.
  const objects = primitives === 1 ? [object] : object.children.slice(0, primitives);
  return objects.filter((child): child is Mesh => 'isMesh' in child).map(({ geometry }) => geometry);
}
