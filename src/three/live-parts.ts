/**
 * The parts of a moving object: each an asset in its displayed size, and a pose. Collects rigid
 * pieces below an object: meshes, instances, and assets that replace either.
 */
import type { BufferGeometry, InstancedMesh, Mesh, Object3D } from 'three';
import { InputError } from '../base/errors.ts';
import type { Asset } from '../engine/representation.ts';
import { identity, isRigid, type Pose } from '../math/pose.ts';
import { scalesOf, unscaled } from '../mesh/mesh.ts';
import { type GeometryTrees, sizedOf } from './geometry-trees.ts';
import { nameOf, ofObject, WHOLE, writeMatrix } from './pose-of.ts';
import { storedFor } from './stored-trees.ts';

export interface PartOptions {
  /** In the object's own frame; replaces the object and everything below it. */
  asset?: Asset;
  /** Not checked against other still objects. */
  still?: boolean;
  /** Use the rest shape of meshes that morph targets or bones change. */
  atRest?: boolean;
}

export interface Part {
  name: string;
  asset: Asset;
  pose: Pose;
  scales: readonly number[];
  /** True if the asset is a tree that was built here from a geometry. */
  isBuilt: boolean;
}

export class LiveObject {
  parts: readonly Part[] = [];
  private pieces: readonly Piece[] = [];
  private readonly matrix: Pose = new Float64Array(16);

  /** @param name prefix of its parts' names */
  constructor(
    readonly object: Object3D,
    readonly name: string,
    readonly options: PartOptions,
  ) {}

  /**
   * Returns true if parts or their assets have changed.
   * @throws OptionError and MeshError, with an object's name, if it has no tree or no pose
   */
  read(trees: GeometryTrees, isOwn: (object: Object3D) => boolean): boolean {
    const { object, name, options } = this;
    const { asset, atRest = false } = options;
    const pieces = asset ? instancesOf(object, asset) : piecesOf(object, isOwn, { atRest });
    const isKnown = areSame(pieces, this.pieces);
    const parts = isKnown ? this.parts : pieces.map((_, n) => newPart(`${name}/${n}`));
    let isOther = !isKnown;
    for (const [n, piece] of pieces.entries()) if (this.place(parts[n], piece, trees, { atRest })) isOther = true;
    this.pieces = pieces;
    this.parts = parts;
    return isOther;
  }

  /** Updates a part; returns true if its asset has changed. */
  private place(part: Part, piece: Piece, trees: GeometryTrees, options: { atRest: boolean }): boolean {
    const before = part.asset;
    try {
      this.placePose(part, piece);
      const { source } = piece;
      const asset = isGeometry(source) ? trees.treeOf(source, options) : source;
      part.asset = sizedOf(asset, part.scales);
      part.isBuilt = isGeometry(source);
    } catch (error) {
      throw error instanceof InputError ? named(piece.object, error) : error;
    }
    return part.asset !== before;
  }

  /** Keeps the scales while they still fit, since another size needs another asset. */
  private placePose(part: Part, { object, instance }: Piece): void {
    const { matrix } = this;
    writeMatrix(object, instance, matrix);
    if (isRigid(unscaled(matrix, part.scales, part.pose))) return;
    const found = scalesOf(matrix);
    if (!found)
      throw ofObject(object, 'expected a motion and scales, found a matrix that shears, flattens or is not finite');
    const rounded = found.map((scale) => Number(scale.toPrecision(DIGITS)));
    part.scales = isRigid(unscaled(matrix, rounded)) ? rounded : found;
    unscaled(matrix, part.scales, part.pose);
  }
}

/** Digits of scales, so that objects of one size share an asset; poses contain the rest. */
const DIGITS = 6;

const newPart = (name: string): Part => ({ name, asset: NONE, pose: identity(), scales: [1, 1, 1], isBuilt: false });

/** The asset of a part that has not been placed yet. */
const NONE = {} as Asset;

const isGeometry = (source: Piece['source']): source is BufferGeometry => 'isBufferGeometry' in source;

function named(object: Object3D, error: InputError): InputError {
  return error.message.startsWith(`${nameOf(object)}: `) ? error : ofObject(object, error.message);
}

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
