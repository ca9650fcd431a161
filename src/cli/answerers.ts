/** Loads what commands hand to the engine and to scenes: solids, contacts and motions. */
import type { CheckOptions } from '../engine/options.ts';
import type { SceneParts } from '../scene/scene.ts';

/** Most checks need neither. Functions can't go to other threads, so each thread loads them. */
export async function answerersOf({
  solid = 'off',
  contactPoints,
  patches,
}: CheckOptions): Promise<Pick<CheckOptions, 'solids' | 'contacts'>> {
  return {
    ...(solid !== 'off' && { solids: (await import('../solid/class-of.ts')).solids }),
    ...((contactPoints || patches) && { contacts: (await import('../contacts/patches.ts')).contacts }),
  };
}

/** Loads what a scene needs to find contacts of objects that stand still. */
export async function partsOfStill(): Promise<SceneParts> {
  const [solids, { contacts }] = await Promise.all([import('../solid/class-of.ts'), import('../contacts/patches.ts')]);
  return { solids, contacts };
}

/** Loads what a scene needs to step from frame to frame. */
export const partsOfMoving = async ({ continuous }: { continuous?: boolean }): Promise<SceneParts> =>
  continuous ? { openWays: (await import('../scene/continuous.ts')).openWays } : {};
