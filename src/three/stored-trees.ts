/**
 * Trees that came with geometries from a file. A tree hangs on the geometries that it is of, so that
 * clones of a mesh have it, too: three copies `userData` of objects through JSON, which would make
 * plain objects of typed arrays, and shares that of geometries.
 */
import type { BufferGeometry, Mesh, Object3D } from 'three';
import type { ObbTree } from '../representations/obb/tree/obb-tree.ts';
import { isSame, type Seen, seenOf } from './geometry-versions.ts';

/** A tree, and the geometries that are all of its triangles, in their order. */
interface StoredTree {
  tree: ObbTree;
  geometries: readonly BufferGeometry[];
  /** The geometries as they were when the tree was read. */
  seen: readonly Seen[];
}

const KEY = 'gicollide';

/** Hangs a tree on its geometries. */
export function storeTree(tree: ObbTree, geometries: readonly BufferGeometry[]): void {
  const stored: StoredTree = { tree, geometries, seen: geometries.map(seenOf) };
  for (const geometry of geometries) {
    const value = [...storedOn(geometry), stored];
    // What can be counted would be written into the JSON of a geometry.
    Object.defineProperty(geometry.userData, KEY, { value, enumerable: false, configurable: true });
  }
}

const storedOn = (geometry: BufferGeometry): readonly StoredTree[] => geometry.userData[KEY] ?? [];

/**
 * The tree that was read for an object: for a mesh, or for the group that GLTFLoader makes of a mesh
 * of several primitives. Null where there is none, and where the geometry has changed since.
 *
 * @returns the meshes that it stands for, too
 */
export function storedFor(object: Object3D): { tree: ObbTree; members: readonly Mesh[] } | null {
  const meshes = 'isMesh' in object ? [object as Mesh] : object.children.filter(isMesh);
  if (meshes.length === 0) return null;
  for (const { tree, geometries, seen } of storedOn(meshes[0].geometry)) {
    const members = meshes.slice(0, geometries.length);
    const isWhole =
      members.length === geometries.length &&
      members.every(({ geometry }, i) => geometry === geometries[i] && isSame(seen[i], seenOf(geometry)));
    if (isWhole && members.every((member) => standsWith(member, object))) return { tree, members };
  }
  return null;
}

const isMesh = (object: Object3D): object is Mesh => 'isMesh' in object && 'geometry' in object;

/** Whether two objects stand in the same place, so that one pose is both's. */
const standsWith = (a: Object3D, b: Object3D): boolean =>
  a === b || a.matrixWorld.elements.every((x, i) => x === b.matrixWorld.elements[i]);

/**
 * The tree that GLTFLoader has read for an object by GicollideObbPlugin: for a mesh, for a clone of
 * it, or for the group that stands for a mesh of several primitives. Null where the file has none,
 * and where the geometry has changed since.
 *
 * @example import { storedTree } from 'gicollide/three';
 *          import { Mesh } from 'three';
 *          storedTree(new Mesh()) // null
 */
export function storedTree(object: Object3D): ObbTree | null {
  return storedFor(object)?.tree ?? null;
}
