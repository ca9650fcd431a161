/** The table of kinds of work for a queue. */
import type { AnyKind } from './run-kind.ts';

const KINDS: Record<string, () => Promise<AnyKind>> = {
  scene: async () => (await import('./scene-run.ts')).sceneRun as AnyKind,
  build: async () => (await import('./build-run.ts')).buildRun as AnyKind,
  poses: async () => (await import('./poses-run.ts')).posesRun as AnyKind,
};

export const kindNamed = async (name: string): Promise<AnyKind | undefined> =>
  Object.hasOwn(KINDS, name) ? KINDS[name]() : undefined;
