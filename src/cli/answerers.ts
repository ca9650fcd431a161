/** Loads what commands hand to the engine and to scenes: solids, contacts and motions. */
import type { CheckOptions } from '../engine/options.ts';
import { identity } from '../math/pose.ts';
import type { Refine } from '../report/baseline.ts';
import type { SceneObject } from '../scene/records.ts';
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

/**
 * Refines the thickness of findings, by the names of their objects, for comparisons that a bracket
 * leaves open.
 */
export async function refinerOf(objects: readonly SceneObject[]): Promise<Refine> {
  const { refineThickness } = await import('../solid/class-of.ts');
  const byName = new Map(objects.map((object) => [object.name, object]));
  return ({ subjects, size }, length) => {
    const [a, b] = subjects.map(({ name }) => byName.get(name));
    const poses = { poseA: a?.pose ?? identity(), poseB: b?.pose ?? identity() };
    return a && b ? refineThickness([a.asset, b.asset], poses, length, size) : size;
  };
}

/** Loads what a scene needs to step from frame to frame. */
export const partsOfMoving = async ({ continuous }: { continuous?: boolean }): Promise<SceneParts> =>
  continuous ? { openWays: (await import('../scene/continuous.ts')).openWays } : {};
