/**
 * Trees that came with geometries from a file. A tree is attached to its geometries, so that clones
 * of a mesh have it, too. Objects would not do: three copies their `userData` through JSON, which
 * turns typed arrays into plain objects, but shares that of geometries.
 */
import type { BufferGeometry, Mesh, Object3D } from 'three';
import type { ObbTree } from '../representations/obb/tree/obb-tree.ts';
import { isCurrent, type Seen, seenOf } from './geometry-versions.ts';

/** A tree, and the geometries that have all its triangles, in their order. */
interface StoredTree {
  tree: ObbTree;
  geometries: readonly BufferGeometry[];
  /** The geometries' state when the tree was read. */
  seen: readonly Seen[];
}

const KEY = 'gicollide';

export function storeTree(tree: ObbTree, geometries: readonly BufferGeometry[]): void {
  const stored: StoredTree = { tree, geometries, seen: geometries.map(seenOf) };
  for (const geometry of geometries) {
    const value = [...storedOn(geometry), stored];
    // An enumerable property would be written into the JSON of a geometry.
    Object.defineProperty(geometry.userData, KEY, { value, enumerable: false, configurable: true });
  }
}

const storedOn = (geometry: BufferGeometry): readonly StoredTree[] => geometry.userData[KEY] ?? [];

/** Returns the tree and its meshes; null without a tree, or if the geometry has changed. */
export function storedFor(object: Object3D): { tree: ObbTree; members: readonly Mesh[] } | null {
  const first = isMesh(object) ? object : firstMesh(object.children);
  // Most objects have none, and nothing is allocated for them.
  if (first?.geometry.userData[KEY] === undefined) return null;
  const meshes = first === object ? [first] : object.children.filter(isMesh);
  for (const { tree, geometries, seen } of storedOn(first.geometry)) {
    const members = meshes.slice(0, geometries.length);
    const isWhole =
      members.length === geometries.length &&
      members.every(({ geometry }, i) => geometry === geometries[i] && isCurrent(seen[i], geometry));
    if (isWhole && members.every((member) => standsWith(member, object))) return { tree, members };
  }
  return null;
}

const isMesh = (object: Object3D): object is Mesh => 'isMesh' in object && 'geometry' in object;

function firstMesh(objects: readonly Object3D[]): Mesh | undefined {
  for (let n = 0; n < objects.length; n++) if (isMesh(objects[n])) return objects[n] as Mesh;
  return undefined;
}

/** True if two objects have the same transform, so that one pose serves both. */
const standsWith = (a: Object3D, b: Object3D): boolean =>
  a === b || a.matrixWorld.elements.every((x, i) => x === b.matrixWorld.elements[i]);

/**
 * Returns the tree that GicollideObbPlugin has read for an object: a mesh, a clone of it, or the
 * group of a mesh with several primitives. Null if the file has none, or if the geometry has
 * changed since.
 *
 * @example import { storedTree } from 'gicollide/three';
 *          import { Mesh } from 'three';
 *          storedTree(new Mesh()) // null
 */
export function storedTree(object: Object3D): ObbTree | null {
  return storedFor(object)?.tree ?? null;
}
