/**
 * Two assets made of triangles, whatever their kinds, as two that have a kernel: wide OBB trees
 * over what they store, or an image as it is and a wide tree. The exact test at the leaves is of
 * the same triangles in the same poses, under the same numbers, so the answers are the same.
 */

import { kernels } from '../kernels/memory.ts';
import { MeshError } from '../math/errors.ts';
import { changesSoFar, hasChangedSince } from '../query/derived.ts';
import type { Asset, PairKernel } from '../query/representation.ts';
import { representationNamed, representationOf } from '../representations/kinds.ts';
import { isOfTriangles } from '../representations/operand.ts';
import { kernelOfImageAndTree } from './image-and-boxes/kernel.ts';
import { updateInPlace } from './update.ts';

/** The most triangles of an asset that a tree is built over: a second or two, 300 MB. */
const MOST_TRIANGLES = 2 ** 21;

/** A wide tree over stored triangles; null of what has none. */
interface Wide {
  tree: Asset | null;
  /** Changes of geometry that the tree knows of. */
  changes: number;
}

/**
 * As long as the assets live. Where one has changed in place its tree is fitted, not built anew, so
 * this is not forgotten then.
 */
const wideTrees = new WeakMap<Asset, Wide>();

/**
 * The kernel of two assets: their kind's own, that of an image and a tree, or that of wide trees
 * over their triangles; undefined where there is none.
 */
export const kernelOf = (a: Asset, b: Asset): PairKernel | undefined => answering(a, b).kernel;

/** The kernel of the kind of both; undefined where there is none, or it does not read these two. */
export const ownKernel = (a: Asset, b: Asset): PairKernel | undefined =>
  a.representation === b.representation ? representationOf(a).kernel?.pair(a, b) : undefined;

/**
 * The two whose trees the kernel reads: the assets themselves, or wide trees over their triangles.
 */
export const answeringPair = (a: Asset, b: Asset): [Asset, Asset] => answering(a, b).pair;

/** A kernel, and the two that it reads; the two that were asked about where there is none. */
interface Answering {
  kernel: PairKernel | undefined;
  pair: [Asset, Asset];
}

function answering(a: Asset, b: Asset): Answering {
  const own = ownKernel(a, b);
  if (own) return { kernel: own, pair: [a, b] };
  return (isImageBesideOther(a, b) && withImage(a, b)) || withWideTrees(a, b) || { kernel: undefined, pair: [a, b] };
}

const isImage = ({ representation }: Asset): boolean => representation === 'gi';
const isImageBesideOther = (a: Asset, b: Asset): boolean => isImage(a) !== isImage(b);

/** An image as it is, against a wide tree over the other's triangles. */
function withImage(a: Asset, b: Asset): Answering | undefined {
  const [p, q] = [isImage(a) ? a : wideOf(a), isImage(b) ? b : wideOf(b)];
  const kernel = p && q ? kernelOfImageAndTree(p, q) : undefined;
  return kernel && p && q ? { kernel, pair: [p, q] } : undefined;
}

function withWideTrees(a: Asset, b: Asset): Answering | undefined {
  const [p, q] = [wideOf(a), wideOf(b)];
  const kernel = p && q ? ownKernel(p, q) : undefined;
  return kernel && p && q ? { kernel, pair: [p, q] } : undefined;
}

/** What finds the nearest triangles of two assets; undefined where there is nothing that does. */
export function nearestKernelOf(a: Asset, b: Asset): PairKernel | undefined {
  const own = ownKernel(a, b);
  if (own?.nearest) return own;
  const [wideA, wideB] = [wideOf(a), wideOf(b)];
  return wideA && wideB ? ownKernel(wideA, wideB) : undefined;
}

/**
 * How many triangles of an asset a wide tree would be built over to ask about contact with another
 * one: none where it is one itself, or is an image that is read as it is.
 */
export const trianglesToBuild = (asset: Asset, other: Asset): number =>
  isImage(asset) && isImageBesideOther(asset, other) ? 0 : trianglesOfWide(asset);

/** The same to ask for the nearest, which is found by wide trees alone. */
export const trianglesOfWide = (asset: Asset): number =>
  isWide(asset) ? 0 : representationOf(asset).surface(asset).triangles.length / 3;

const isWide = (asset: Asset): boolean => asset.representation === 'obb' && ownKernel(asset, asset) !== undefined;

/** Remembers the wide tree that another thread has built over the same triangles. */
export function adoptWide(asset: Asset, wide: Asset): void {
  if (wide !== asset) wideTrees.set(asset, { tree: wide, changes: changesSoFar() });
}

function wideOf(asset: Asset): Asset | null {
  // Nothing would ask the tree: there is no WebAssembly, or its kernels are in use.
  if (!kernels()) return null;
  const wide = wideTrees.get(asset);
  if (wide && !hasChangedSince(asset, wide.changes)) return wide.tree;
  const tree = makeWide(asset, wide?.tree ?? null);
  wideTrees.set(asset, { tree, changes: changesSoFar() });
  return tree;
}

/** @param old the tree of the asset before it changed, which is fitted where its triangles stay */
function makeWide(asset: Asset, old: Asset | null): Asset | null {
  if (!isOfTriangles(asset)) return null;
  if (isWide(asset)) return asset;
  const { positions, triangles } = representationOf(asset).surface(asset);
  try {
    if (old && old !== asset && areEqual(representationOf(old).surface(old).triangles, triangles)) {
      return updateInPlace(old, positions);
    }
    if (triangles.length > 3 * MOST_TRIANGLES) return null;
    return representationNamed('obb')?.own?.over?.({ positions, triangles }, { take: true }) ?? null;
  } catch (error) {
    // Coordinates beyond the range of its boxes, which k-DOP trees may have.
    if (error instanceof MeshError) return null;
    throw error;
  }
}

/** The quads of an image that moves may be cut along their other diagonals. */
const areEqual = (a: Uint32Array, b: Uint32Array): boolean => a.length === b.length && a.every((v, i) => v === b[i]);
