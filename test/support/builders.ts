/** The builders of the table of kinds, by the kinds' names. */
import type { Builder } from '../../src/engine/representation.ts';
import { builtKinds, kindNamed } from '../../src/representations/kinds.ts';

export const BUILDERS: Readonly<Record<string, Builder>> = Object.fromEntries(
  await Promise.all(builtKinds().map(async (name) => [name, await kindNamed(name).builder!()])),
);
