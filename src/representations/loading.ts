/** Loads kinds and builders by their names: in the package's bundles, when they are needed. */
import { BUILDERS } from './builder-code.ts';
import { isBuilderKnown, registerBuilder } from './builders.ts';
import { CODE } from './code.ts';
import { KINDS } from './kinds.ts';
import { isRegistered, register } from './registry.ts';

/** Loads kinds; all of them without a name. */
export async function loadKinds(...names: string[]): Promise<void> {
  const missing = KINDS.filter(({ name }) => (names.length === 0 || names.includes(name)) && !isRegistered(name));
  for (const code of await Promise.all(missing.map(({ name }) => CODE[name]()))) if (code) register(code);
}

/** Loads builders; all of them without a name. */
export async function loadBuilders(...names: string[]): Promise<void> {
  const known = Object.keys(BUILDERS).filter((name) => names.length === 0 || names.includes(name));
  const missing = known.filter((name) => !isBuilderKnown(name));
  const found = await Promise.all(missing.map((name) => BUILDERS[name]()));
  for (const [i, builder] of found.entries()) if (builder) registerBuilder(missing[i], builder);
}
