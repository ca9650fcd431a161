/**
 * The parts of a moving object, each an asset in its displayed size and a pose. Collects the rigid
 * pieces below an object: meshes, instances, and assets that replace either.
 */
import type { BufferGeometry, InstancedMesh, Mesh, Object3D } from 'three';
import { InputError } from '../base/errors.ts';
import { changesSoFar } from '../engine/asset-cache.ts';
import type { Asset } from '../engine/representation.ts';
import { identity, isRigid } from '../math/pose.ts';
import { scalesOf, unscaled } from '../mesh/mesh.ts';
import { type GeometryTree, type GeometryTrees, sizedOf } from './geometry-trees.ts';
import { isCurrent } from './geometry-versions.ts';
import { elementsOf, isTransposed, nameOf, ofObject, transpose, WHOLE } from './pose-of.ts';
import { storedFor } from './stored-trees.ts';

/** The asset of a part that has not been placed yet. */
const NONE = {} as Asset;

export interface PartOptions {
  /** In the object's own frame; replaces the object and everything below it. */
  asset?: Asset;
  /** Not checked against other still objects. */
  still?: boolean;
  /** Use the rest shape of meshes that morph targets or bones change. */
  atRest?: boolean;
}

/** A class, since objects of many spread fields are slow to read. */
export class Part {
  asset: Asset = NONE;
  readonly pose = identity();
  scales: readonly number[] = [1, 1, 1];
  /** True if the asset is a tree that was built here from a geometry. */
  isBuilt = false;
  /** Its number in the set of parts that moves it. */
  place = 0;
  /** True if the last read has found another pose. */
  hasMoved = false;
  /** The matrix of the pose and the scales; NaN before there is one. */
  readonly matrix = new Float64Array(16).fill(Number.NaN);
  /** The tree of its geometry. */
  built: GeometryTree | null = null;
  /** The asset and scales that the part's asset was made from, and the count of changes then. */
  unsized: Asset = NONE;
  sizedBy: readonly number[] = [];
  changes = 0;

  constructor(readonly name: string) {}
}

export class LiveObject {
  parts: readonly Part[] = [];
  /** True if the last read has found another pose of a part. */
  hasMoved = false;
  /** Its topmost ancestor when matrices were updated. */
  root: Object3D | null = null;
  private readonly pieces: Piece[] = [];
  /** The number of pieces that the walk has found so far, and if they differ from before. */
  private found = 0;
  private isOther = true;

  /** @param number prefix of its parts' names */
  constructor(
    readonly object: Object3D,
    readonly number: number,
    readonly options: PartOptions,
  ) {}

  /**
   * Returns true if parts or their assets have changed.
   *
   * @param own objects that are not parts of others
   * @throws OptionError and MeshError, with an object's name, if it has no tree or no pose
   */
  read(trees: GeometryTrees, own: Owned): boolean {
    const { pieces, options } = this;
    this.collect(own);
    let isChanged = this.isOther;
    if (isChanged) this.parts = pieces.map((_, n) => new Part(`${this.number}/${n}`));
    this.isOther = false;
    this.hasMoved = false;
    for (let n = 0; n < pieces.length; n++) {
      if (this.place(this.parts[n], pieces[n], trees, options)) isChanged = true;
      if (this.parts[n].hasMoved) this.hasMoved = true;
    }
    return isChanged;
  }

  private collect(own: Owned): void {
    const { object, pieces, options } = this;
    const wasOther = this.isOther;
    // Stays set if the walk throws.
    this.isOther = true;
    this.found = 0;
    let isOther = wasOther;
    if (options.asset ? this.put(object, options.asset) : this.visit(object, own)) isOther = true;
    if (this.found < pieces.length) {
      isOther = true;
      pieces.length = this.found;
    }
    this.isOther = isOther;
  }

  /** Finds the pieces below an object; returns true if any of them is new. */
  private visit(object: Object3D, own: Owned): boolean {
    const { atRest } = this.options;
    const stored = storedFor(object);
    const members = stored?.members;
    let isOther = false;
    if (members) {
      if (!atRest) for (const member of members) requireStiff(member);
      isOther = this.put(object, stored.tree);
    } else if ('isMesh' in object) {
      if (!atRest) requireStiff(object as Mesh);
      isOther = this.put(object, (object as Mesh).geometry);
    }
    const { children } = object;
    for (let n = 0; n < children.length; n++) {
      const child = children[n];
      if (own.has(child) || members?.includes(child as Mesh)) continue;
      if (this.visit(child, own)) isOther = true;
    }
    return isOther;
  }

  /** Adds a piece for each place in which an object is drawn. */
  private put(object: Object3D, source: Piece['source']): boolean {
    if ('isBatchedMesh' in object) throw ofObject(object, 'a BatchedMesh has many geometries; pass an asset');
    if (!('isInstancedMesh' in object)) return this.putOne(object, WHOLE, source);
    const { count } = object as InstancedMesh;
    let isOther = false;
    for (let instance = 0; instance < count; instance++) if (this.putOne(object, instance, source)) isOther = true;
    return isOther;
  }

  private putOne(object: Object3D, instance: number, source: Piece['source']): boolean {
    const known = this.pieces[this.found++];
    if (known?.object === object && known.instance === instance && known.source === source) return false;
    this.pieces[this.found - 1] = { object, instance, source };
    return true;
  }

  /** Updates a part; returns true if its asset has changed. */
  private place(part: Part, piece: Piece, trees: GeometryTrees, { atRest = false }: PartOptions): boolean {
    const before = part.asset;
    try {
      this.placePose(part, piece);
      const { source } = piece;
      let asset: Asset;
      if (isGeometry(source)) {
        if (!part.built || !isCurrent(part.built.seen, source)) part.built = trees.of(source, { atRest });
        asset = part.built.tree;
      } else asset = source;
      if (asset !== part.unsized || part.scales !== part.sizedBy || part.changes !== changesSoFar()) {
        part.asset = sizedOf(asset, part.scales);
        part.isBuilt = isGeometry(source);
        part.unsized = asset;
        part.sizedBy = part.scales;
        part.changes = changesSoFar();
      }
    } catch (error) {
      throw error instanceof InputError ? named(piece.object, error) : error;
    }
    return part.asset !== before;
  }

  /** Keeps the scales while they still fit, since another size needs another asset. */
  private placePose(part: Part, { object, instance }: Piece): void {
    const elements = elementsOf(object, instance);
    const { matrix } = part;
    part.hasMoved = !isTransposed(elements, matrix);
    if (!part.hasMoved) return;
    transpose(elements, matrix);
    if (isRigid(unscaled(matrix, part.scales, part.pose))) return;
    const found = scalesOf(matrix);
    if (!found) {
      matrix.fill(Number.NaN);
      throw ofObject(object, 'expected a motion and scales, found a matrix that shears, flattens or is not finite');
    }
    const rounded = found.map((scale) => Number(scale.toPrecision(DIGITS)));
    part.scales = isRigid(unscaled(matrix, rounded)) ? rounded : found;
    unscaled(matrix, part.scales, part.pose);
  }
}

/** The objects of a checker. */
export type Owned = ReadonlyMap<Object3D, unknown>;

/** Digits of scales, so that objects of one size share an asset; poses contain the rest. */
const DIGITS = 6;

const isGeometry = (source: Piece['source']): source is BufferGeometry => 'isBufferGeometry' in source;

function named(object: Object3D, error: InputError): InputError {
  return error.message.startsWith(`${nameOf(object)}: `) ? error : ofObject(object, error.message);
}

/** A rigid piece, in the frame of its object. */
interface Piece {
  object: Object3D;
  /** Index in an InstancedMesh; otherwise WHOLE. */
  instance: number;
  /** Its own asset, or the geometry to build one from. */
  source: Asset | BufferGeometry;
}

/** @throws OptionError, with the mesh's name, if bones or morph targets move its vertices */
function requireStiff(mesh: Mesh): void {
  const isMorphing = (mesh.geometry.morphAttributes.position?.length ?? 0) > 0;
  const way = isMorphing ? 'morph targets' : 'isSkinnedMesh' in mesh ? 'bones' : null;
  if (way) throw ofObject(mesh, `${way} change its shape; pass an asset, or set atRest to use the shape without them`);
}
