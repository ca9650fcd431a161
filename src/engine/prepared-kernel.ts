/**
 * Maps two assets made of triangles, of any kinds, to two assets that have a kernel: wide OBB trees
 * over the stored surfaces, or an image as it is and a wide tree. The exact test at the leaves sees
 * the same triangles in the same poses, under the same numbers. So the answers are the same.
 */

import { MeshError } from '../base/errors.ts';
import { requireMesh } from '../containers/mesh-sections.ts';
import { kernelMemory } from '../kernels/memory.ts';
import { kernelOfMixture, representationNamed, representationOf } from '../representations/kinds.ts';
import { changesSoFar, hasChangedSince } from './asset-cache.ts';
import { isOfTriangles } from './operand.ts';
import type { Asset, PairKernel } from './representation.ts';
import { updateInPlace } from './update.ts';

/** A second or two, 300 MB. */
const MOST_TRIANGLES = 2 ** 21;

interface Wide {
  tree: Asset | null;
  changes: number;
}

type WideTrees = WeakMap<Asset, Wide>;

/** Survive a change of the asset in place: its tree is then refitted, not rebuilt. */
const wideTrees: WideTrees = new WeakMap();
/** Kept apart from the others: an answer must not depend on earlier questions. */
const hastyTrees: WideTrees = new WeakMap();

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

const treesFor = (a: Asset, b: Asset): WideTrees => (areKdops(a, b) ? hastyTrees : wideTrees);

const isImage = ({ representation }: Asset): boolean => representation === 'gi';
const isImageBesideOther = (a: Asset, b: Asset): boolean => isImage(a) !== isImage(b);

function withImage(a: Asset, b: Asset): Answering | undefined {
  const [p, q] = [isImage(a) ? a : wideOf(a), isImage(b) ? b : wideOf(b)];
  const kernel = p && q ? kernelOfMixture(p, q) : undefined;
  return kernel && p && q ? { kernel, pair: [p, q] } : undefined;
}

function withWideTrees(a: Asset, b: Asset): Answering | undefined {
  const trees = treesFor(a, b);
  const [p, q] = [wideOf(a, trees), wideOf(b, trees)];
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

/** The trees that kernels read instead of assets, to be sent to threads. */
export interface SharedTrees {
  wide: Map<Asset, Asset>;
  hasty: Map<Asset, Asset>;
}

export function wideTreesOf(pairs: Iterable<readonly [Asset, Asset]>): SharedTrees {
  const shared: SharedTrees = { wide: new Map(), hasty: new Map() };
  for (const pair of pairs) {
    const to = areKdops(...pair) ? shared.hasty : shared.wide;
    for (const [n, tree] of answeringPair(...pair).entries()) if (tree !== pair[n]) to.set(pair[n], tree);
  }
  return shared;
}

/** Adopts, in a thread, the result of `wideTreesOf`. */
export function adoptWide({ wide, hasty }: SharedTrees): void {
  const changes = changesSoFar();
  for (const [asset, tree] of wide) wideTrees.set(asset, { tree, changes });
  for (const [asset, tree] of hasty) hastyTrees.set(asset, { tree, changes });
}

function wideOf(asset: Asset, trees = wideTrees): Asset | null {
  // A tree would never be asked: there is no WebAssembly, or its kernels are in use.
  if (!kernelMemory()) return null;
  const known = trees.get(asset);
  if (known && !hasChangedSince(asset, known.changes)) return known.tree;
  const tree = makeWide(asset, known?.tree ?? null, trees === hastyTrees);
  trees.set(asset, { tree, changes: changesSoFar() });
  return tree;
}

/** @param old the tree of the asset before it changed; refitted if the triangles are the same */
function makeWide(asset: Asset, old: Asset | null, isHasty: boolean): Asset | null {
  if (!isOfTriangles(asset)) return null;
  if (isWide(asset)) return asset;
  const { positions, triangles } = representationOf(asset).surface(asset);
  // A caller may have changed them, and the kernel that builds trusts them.
  requireMesh({ positions, triangles }, Number.MAX_VALUE);
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
