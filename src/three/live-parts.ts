/** The parts of an object that moves: each an asset in the size in which it is shown, and a pose. */
import type { BufferGeometry, Object3D } from 'three';
import { InputError } from '../math/errors.ts';
import { identity, isRigid, type Pose } from '../math/pose.ts';
import { scalesOf, unscaled } from '../mesh/transform.ts';
import type { Asset } from '../query/representation.ts';
import { type GeometryTrees, sizedOf } from './geometry-trees.ts';
import { areSame, instancesOf, type Piece, piecesOf } from './live-pieces.ts';
import { nameOf, ofObject, writeMatrix } from './pose-of.ts';

export interface PartOptions {
  /** In the object's own frame; stands for it and all below it. */
  asset?: Asset;
  /** Not asked about others that are still. */
  still?: boolean;
  /** Take meshes that morph targets or bones change as they are without these. */
  atRest?: boolean;
}

/** A rigid part of an object. */
export interface Part {
  name: string;
  asset: Asset;
  pose: Pose;
  scales: readonly number[];
  /** Whether the asset is a tree that was built here, of a geometry. */
  isBuilt: boolean;
}

/** An object, and what was seen of it last. */
export class LiveObject {
  parts: readonly Part[] = [];
  private pieces: readonly Piece[] = [];
  private readonly matrix: Pose = new Float64Array(16);

  /** @param name begins the names of its parts */
  constructor(
    readonly object: Object3D,
    readonly name: string,
    readonly options: PartOptions,
  ) {}

  /**
   * Reads matrices and geometries.
   *
   * @returns whether there are other parts than before, or other assets
   * @throws OptionError and MeshError, with an object's name, for what has no tree or no pose
   */
  read(trees: GeometryTrees, isOwn: (object: Object3D) => boolean): boolean {
    const { object, name, options } = this;
    const { asset, atRest = false } = options;
    const pieces = asset ? instancesOf(object, asset) : piecesOf(object, isOwn, atRest);
    const isKnown = areSame(pieces, this.pieces);
    const parts = isKnown ? this.parts : pieces.map((_, n) => newPart(`${name}/${n}`));
    let isOther = !isKnown;
    for (const [n, piece] of pieces.entries()) if (this.place(parts[n], piece, trees, atRest)) isOther = true;
    this.pieces = pieces;
    this.parts = parts;
    return isOther;
  }

  /** Brings a part up to date; returns whether it has another asset. */
  private place(part: Part, piece: Piece, trees: GeometryTrees, atRest: boolean): boolean {
    const before = part.asset;
    try {
      this.placePose(part, piece);
      const { source } = piece;
      const asset = isGeometry(source) ? trees.treeOf(source, atRest) : source;
      part.asset = sizedOf(asset, part.scales);
      part.isBuilt = isGeometry(source);
    } catch (error) {
      throw error instanceof InputError ? named(piece.object, error) : error;
    }
    return part.asset !== before;
  }

  /** The scales stay what they were where they still fit: an asset of another size is built. */
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

/**
 * Digits of scales, so that objects of one size share one asset though their matrices differ in the
 * last digits. What is left is in the poses.
 */
const DIGITS = 6;

const newPart = (name: string): Part => ({ name, asset: NONE, pose: identity(), scales: [1, 1, 1], isBuilt: false });

/** In a part until it is placed. */
const NONE = {} as Asset;

const isGeometry = (source: Piece['source']): source is BufferGeometry => 'isBufferGeometry' in source;

/** An error's line with the object's name in front, once. */
function named(object: Object3D, error: InputError): InputError {
  return error.message.startsWith(`${nameOf(object)}: `) ? error : ofObject(object, error.message);
}
