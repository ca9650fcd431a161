/** Collects rigid pieces below an object: meshes, instances, and assets that replace either. */
import type { BufferGeometry, InstancedMesh, Mesh, Object3D } from 'three';
import type { Asset } from '../query/representation.ts';
import { ofObject, WHOLE } from './pose-of.ts';
import { storedFor } from './stored-trees.ts';

/** A rigid piece, in the frame of its object. */
export interface Piece {
  object: Object3D;
  /** Index in an InstancedMesh; otherwise WHOLE. */
  instance: number;
  /** Its own asset, or the geometry to build one from. */
  source: Asset | BufferGeometry;
}

export const areSame = (a: readonly Piece[], b: readonly Piece[]): boolean =>
  a.length === b.length &&
  a.every(({ object, instance, source }, i) => {
    return object === b[i].object && instance === b[i].instance && source === b[i].source;
  });

/** @throws OptionError, with the object's name, if matrices alone do not place it */
export function piecesOf(
  root: Object3D,
  isOwn: (object: Object3D) => boolean,
  { atRest }: { atRest: boolean },
): Piece[] {
  const pieces: Piece[] = [];
  const visit = (object: Object3D): void => {
    const stored = storedFor(object);
    const members = stored?.members ?? ('isMesh' in object ? [object as Mesh] : []);
    if (!atRest) for (const member of members) requireStiff(member);
    if (members.length > 0) pieces.push(...instancesOf(object, stored?.tree ?? (object as Mesh).geometry));
    for (const child of object.children) if (!isOwn(child) && !members.includes(child as Mesh)) visit(child);
  };
  visit(root);
  return pieces;
}

/** Returns a piece for each place in which an object is drawn. */
export function instancesOf(object: Object3D, source: Piece['source']): Piece[] {
  if ('isBatchedMesh' in object)
    throw ofObject(object, 'a BatchedMesh is of many geometries; give it assets of its own');
  if (!('isInstancedMesh' in object)) return [{ object, instance: WHOLE, source }];
  return Array.from({ length: (object as InstancedMesh).count }, (_, instance) => ({ object, instance, source }));
}

/** @throws OptionError, with the mesh's name, if bones or morph targets move its vertices */
function requireStiff(mesh: Mesh): void {
  const isMorphing = (mesh.geometry.morphAttributes.position?.length ?? 0) > 0;
  const way = isMorphing ? 'morph targets' : 'isSkinnedMesh' in mesh ? 'bones' : null;
  if (way) throw ofObject(mesh, `${way} change its shape; give it an asset, or say atRest to take it as it is without`);
}
