/**
 * All kinds at once: the entries of the library register them, and their functions answer at once
 * (scripts/library-entries.mjs).
 */
import type { Asset, Representation } from '../engine/representation.ts';
import { frep } from './frep/index.ts';
import { gi } from './gi/index.ts';
import { kernelOfImageAndTree } from './image-and-boxes/kernel.ts';
import { kdop } from './kdop/index.ts';
import { type AnyRepresentation, register, registerMixture } from './kinds.ts';
import { obb } from './obb/index.ts';
import { voxel } from './voxel/index.ts';

/** Registers all kinds, and returns them in the table's order. */
export function registerKinds(): readonly Representation<Asset>[] {
  const all: AnyRepresentation[] = [gi, kdop, obb, voxel, frep];
  for (const code of all) register(code);
  registerMixture('image-and-boxes', kernelOfImageAndTree);
  return all;
}

/** All kinds: the functions of each. */
export const representations: readonly Representation<Asset>[] = /* @__PURE__ */ registerKinds();
