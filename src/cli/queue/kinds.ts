/** The table of what a queue's work can be of. */
import type { AnyKind } from './run-kind.ts';

/** All kinds, each loaded by who meets it. */
const KINDS: Record<string, () => Promise<AnyKind>> = {
  scene: async () => (await import('./scene-run.ts')).sceneRun as AnyKind,
  build: async () => (await import('./build-run.ts')).buildRun as AnyKind,
  poses: async () => (await import('./poses-run.ts')).posesRun as AnyKind,
};

/** The kind of this name; undefined where this version has none. */
export const kindNamed = async (name: string): Promise<AnyKind | undefined> =>
  Object.hasOwn(KINDS, name) ? KINDS[name]() : undefined;
