/** The one list of representations; everything above asks it, nothing below knows it. */
import type { Asset, Representation } from '../query/representation.ts';
import { frep } from './frep/index.ts';
import { gi } from './gi/index.ts';
import { kdop } from './kdop/index.ts';
import { obb } from './obb/index.ts';
import { voxel } from './voxel/index.ts';

/** A record over one kind of asset stands here for all: `find` hands each asset to the record its own tag names. */
export const representations = [gi, kdop, obb, voxel, frep] as unknown as readonly Representation<Asset>[];

/** The representation of that name, or undefined. */
export function representationNamed(name: string): Representation<Asset> | undefined {
  return representations.find((representation) => representation.name === name);
}

/**
 * The representation of an asset, by its tag.
 *
 * @example representationOf(bunny).extension // '.obb'
 *          representationOf(bunny).verify(bunny).problems.length // 0: every bound is proved
 */
export function representationOf(asset: Asset): Representation<Asset> {
  const found = representationNamed(asset.representation);
  if (!found) throw new Error(`no representation is called ${asset.representation}`);
  return found;
}

/** The representation whose files start as these bytes do, or undefined. */
export function sniff(bytes: Uint8Array): Representation<Asset> | undefined {
  return representations.find((representation) => representation.sniff(bytes));
}
