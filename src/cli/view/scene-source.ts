/** Anything that `gicollide scene` takes. */
import { InputError } from '../../math/errors.ts';
import type { Session } from '../inputs.ts';
import { loadObjects, openScene, sayUnchecked } from '../open-scene.ts';
import { againOf } from './again.ts';
import { findMoving, findStill, place } from './find.ts';
import type { Source } from './source.ts';
import type { ViewFlags } from './view-flags.ts';

export async function openSceneSource(args: readonly string[], flags: ViewFlags, session: Session): Promise<Source> {
  const loaded = await loadObjects(args, flags, session);
  sayUnchecked(loaded.unchecked, session);
  if (loaded.objects.length === 0) throw new InputError(`${args.join(' ')}: no object`);
  const opened = await openScene(loaded, flags, session);
  const { objects, asked, frames, facts, robot } = opened;
  const scene = await place(args.join(' '), opened, session);
  return {
    ...{ objects, asked, units: facts.units, encoded: new Map() },
    again: againOf('scene', [...args, ...(flags.against ?? [])], flags, session),
    find: (log) =>
      frames
        ? findMoving(scene, { ...opened, frames }, log, flags)
        : findStill(scene, { ...facts, ...robot?.facts() }, log, flags, session),
  };
}
