/**
 * All kinds and all builders, at once: what the library's entries register in the package's
 * bundles, where an import that needs them is met (scripts/bundle-package.mjs).
 */
import type { Asset, Builder, Representation } from '../query/representation.ts';
import { BUILDERS } from './builder-code.ts';
import { registerBuilder } from './builders.ts';
import { type AnyRepresentation, CODE } from './code.ts';
import { isRegistered, loadedRepresentations, register } from './registry.ts';

/** Registers all kinds, once. */
export function registerKinds(): void {
  for (const [name, code] of Object.entries(CODE)) if (!isRegistered(name)) register(code() as AnyRepresentation);
}

/** Registers all builders. */
export function registerBuilders(): void {
  for (const [name, builder] of Object.entries(BUILDERS)) registerBuilder(name, builder() as Builder);
}

function allKinds(): Representation<Asset>[] {
  registerKinds();
  return loadedRepresentations();
}

/** All kinds: the functions of each. */
export const representations: readonly Representation<Asset>[] = /* @__PURE__ */ allKinds();
