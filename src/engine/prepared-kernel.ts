/**
 * Two assets made of triangles, whatever their kinds, as two that have a kernel: wide OBB trees
 * over what they store, or an image as it is and a wide tree. The exact test at the leaves is of
 * the same triangles in the same poses, under the same numbers, so the answers are the same.
 */

import { MeshError } from '../base/errors.ts';
import { kernels } from '../kernels/memory.ts';
import { representationNamed, representationOf } from '../representations/kinds.ts';
import { changesSoFar, hasChangedSince } from './asset-cache.ts';
import { kernelOfImageAndTree } from './image-and-boxes.ts';
import { isOfTriangles } from './operand.ts';
import type { Asset, PairKernel } from './representation.ts';
import { updateInPlace } from './update.ts';

/** A second or two, 300 MB. */
const MOST_TRIANGLES = 2 ** 21;

interface Wide {
  tree: Asset | null;
  isHasty: boolean;
  changes: number;
}

/** Survives a change of the asset in place: its tree is then refitted, not rebuilt. */
const wideTrees = new WeakMap<Asset, Wide>();

/** Their kind's own kernel, an image and a tree's, or wide trees'; may be undefined. */
export const kernelOf = (a: Asset, b: Asset): PairKernel | undefined => answering(a, b).kernel;

/** Undefined if the kind has none, or it does not read these two. */
export const ownKernel = (a: Asset, b: Asset): PairKernel | undefined =>
  a.representation === b.representation ? representationOf(a).kernel?.pair?.(a, b) : undefined;

/** The two assets whose trees the kernel reads: the given ones, or wide trees over them. */
export const answeringPair = (a: Asset, b: Asset): [Asset, Asset] => answering(a, b).pair;

interface Answering {
  kernel: PairKernel | undefined;
  pair: [Asset, Asset];
}

function answering(a: Asset, b: Asset): Answering {
  const own = ownKernel(a, b);
  if (own) return { kernel: own, pair: [a, b] };
  return (isImageBesideOther(a, b) && withImage(a, b)) || withWideTrees(a, b) || { kernel: undefined, pair: [a, b] };
}

/** Hasty trees of these are made in about the time that placing the two for a kernel would take. */
export const areKdops = (a: Asset, b: Asset): boolean => a.representation === 'kdop' && b.representation === 'kdop';

const isImage = ({ representation }: Asset): boolean => representation === 'gi';
const isImageBesideOther = (a: Asset, b: Asset): boolean => isImage(a) !== isImage(b);

function withImage(a: Asset, b: Asset): Answering | undefined {
  const [p, q] = [isImage(a) ? a : wideOf(a), isImage(b) ? b : wideOf(b)];
  const kernel = p && q ? kernelOfImageAndTree(p, q) : undefined;
  return kernel && p && q ? { kernel, pair: [p, q] } : undefined;
}

function withWideTrees(a: Asset, b: Asset): Answering | undefined {
  const isHasty = areKdops(a, b);
  const [p, q] = [wideOf(a, isHasty), wideOf(b, isHasty)];
  const kernel = p && q ? ownKernel(p, q) : undefined;
  return kernel && p && q ? { kernel, pair: [p, q] } : undefined;
}

export function nearestKernelOf(a: Asset, b: Asset): PairKernel | undefined {
  const own = ownKernel(a, b);
  if (own?.nearest) return own;
  const [wideA, wideB] = [wideOf(a), wideOf(b)];
  return wideA && wideB ? ownKernel(wideA, wideB) : undefined;
}

/** Triangles to build a wide tree over for contact; 0 if the kernel reads the asset itself. */
export const trianglesToBuild = (asset: Asset, other: Asset): number =>
  isImage(asset) && isImageBesideOther(asset, other) ? 0 : trianglesOfWide(asset);

/** The same for the nearest triangles, which need wide trees. */
export const trianglesOfWide = (asset: Asset): number =>
  isWide(asset) ? 0 : representationOf(asset).surface(asset).triangles.length / 3;

const isWide = (asset: Asset): boolean => asset.representation === 'obb' && ownKernel(asset, asset) !== undefined;

/** The trees that kernels read instead of the assets of these pairs. */
export function wideTreesOf(pairs: Iterable<readonly [Asset, Asset]>): Map<Asset, Asset> {
  const wide = new Map<Asset, Asset>();
  for (const pair of pairs)
    for (const [n, tree] of answeringPair(...pair).entries()) if (tree !== pair[n]) wide.set(pair[n], tree);
  return wide;
}

/** Takes over, in a thread, what `wideTreesOf` has given. */
export function adoptWide(wide: ReadonlyMap<Asset, Asset>): void {
  for (const [asset, tree] of wide) wideTrees.set(asset, { tree, isHasty: false, changes: changesSoFar() });
}

function wideOf(asset: Asset, isHasty = false): Asset | null {
  // Nothing would ask the tree: there is no WebAssembly, or its kernels are in use.
  if (!kernels()) return null;
  const wide = wideTrees.get(asset);
  const isGood = wide && (isHasty || !wide.isHasty);
  if (isGood && !hasChangedSince(asset, wide.changes)) return wide.tree;
  const tree = makeWide(asset, isGood ? wide.tree : null, isHasty);
  wideTrees.set(asset, { tree, isHasty: isGood ? wide.isHasty : isHasty, changes: changesSoFar() });
  return tree;
}

/** @param old the tree of the asset before it changed; refitted if the triangles are the same */
function makeWide(asset: Asset, old: Asset | null, isHasty: boolean): Asset | null {
  if (!isOfTriangles(asset)) return null;
  if (isWide(asset)) return asset;
  const { positions, triangles } = representationOf(asset).surface(asset);
  try {
    if (old && old !== asset && areEqual(representationOf(old).surface(old).triangles, triangles)) {
      return updateInPlace(old, positions);
    }
    if (triangles.length > 3 * MOST_TRIANGLES) return null;
    return representationNamed('obb')?.own?.over?.({ positions, triangles }, { take: true, isHasty }) ?? null;
  } catch (error) {
    // The coordinates are beyond the range of the tree's boxes; k-DOP trees may have such.
    if (error instanceof MeshError) return null;
    throw error;
  }
}

/** The quads of an image that moves may be split along their other diagonals. */
const areEqual = (a: Uint32Array, b: Uint32Array): boolean => a.length === b.length && a.every((v, i) => v === b[i]);
