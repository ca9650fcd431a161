/**
 * The table of what builds assets of meshes, a name for each kind that meshes can become.
 *
 * It stands apart from kinds.ts since nobody who asks about assets needs it: of all code that a
 * page would load for `check` and `read`, a sixth. What answers and still makes a tree over another
 * asset's surface asks Representation.over. In the command line's bundle
 * (scripts/bundle-program.mjs) builders are loaded when they are needed, as kinds are.
 */
import type { Builder } from '../query/representation.ts';
import { giBuilder } from './gi/build/index.ts';
import { kdopBuilder } from './kdop/build.ts';
import { obbBuilder } from './obb/build/index.ts';
import { voxelBuilder } from './voxel/build/index.ts';

/** The builder of each kind by the kind's name: at once, or a promise of it. */
export const BUILDERS: Record<string, () => Builder | Promise<Builder>> = {
  gi: () => giBuilder,
  kdop: () => kdopBuilder,
  obb: () => obbBuilder,
  voxel: () => voxelBuilder,
};

const loaded = new Map<string, Builder>();

/** Loads builders by the names of their kinds; all of them without one. */
export async function loadBuilders(...names: string[]): Promise<void> {
  const known = Object.keys(BUILDERS).filter((name) => names.length === 0 || names.includes(name));
  const missing = known.filter((name) => !loaded.has(name));
  const found = await Promise.all(missing.map((name) => BUILDERS[name]()));
  for (const [i, name] of missing.entries()) loaded.set(name, found[i]);
}

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
