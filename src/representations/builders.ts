/**
 * What builds assets of meshes, by the names of kinds: as registry.ts for kinds.
 *
 * It stands apart since nobody who asks about assets needs it: of all code that a page would load
 * for `check` and `read`, a sixth. What answers and still makes a tree over another asset's surface
 * asks Representation.over.
 */
import type { Builder } from '../query/representation.ts';
import { BUILDERS } from './builder-code.ts';

const loaded = new Map<string, Builder>();

/** Makes a builder known. */
export function registerBuilder(name: string, builder: Builder): void {
  loaded.set(name, builder);
}

export const isBuilderKnown = (name: string): boolean => loaded.has(name);

/** Undefined where meshes become no kind of this name, or its builder is not loaded. */
export function builderNamed(name: string): Builder | undefined {
  const known = loaded.get(name);
  if (known) return known;
  const builder = Object.hasOwn(BUILDERS, name) ? BUILDERS[name]() : undefined;
  if (!builder || builder instanceof Promise) return undefined;
  loaded.set(name, builder);
  return builder;
}

/** What meshes can become. */
export const builtKinds = (): string[] => Object.keys(BUILDERS);

/** The same for messages: "gi, kdop or obb". */
export function builtKindsInWords(): string {
  const names = builtKinds();
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** The names of the kinds that an option of `build` or of `write` is of. */
export const kindsWithOption = (option: string): string[] =>
  builtKinds().filter((name) => {
    const { options, encodeOptions } = builderNamed(name) ?? {};
    return Object.hasOwn({ ...options, ...encodeOptions }, option);
  });
