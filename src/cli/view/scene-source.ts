/** Loads anything that `gicollide scene` accepts. */
import { InputError } from '../../base/errors.ts';
import { loadObjects, openScene } from '../open-scene.ts';
import { keepingWarnings, type Session } from '../session.ts';
import { againOf } from './again.ts';
import { findMoving, findStill, place } from './find.ts';
import type { Source } from './source.ts';
import type { ViewFlags } from './view-flags.ts';

export async function openSceneSource(args: readonly string[], flags: ViewFlags, asking: Session): Promise<Source> {
  const session = keepingWarnings(asking);
  const loaded = await loadObjects(args, flags, session);
  if (loaded.objects.length === 0) throw new InputError(`${args.join(' ')}: no object`);
  const opened = await openScene(loaded, flags, session);
  const { objects, asked, frames, covered, robot } = opened;
  const warnings = () => [...session.warnings.values()];
  const facts = { ...opened.facts, ...robot?.facts() };
  const scene = await place(args.join(' '), opened, session);
  return {
    ...{ objects, asked, units: facts.units, encoded: new Map() },
    again: againOf('scene', [...args, ...(flags.against ?? [])], flags, session),
    find: (log) =>
      frames
        ? findMoving(scene, { ...opened, frames }, { covered, warnings, facts: opened.facts }, log, flags)
        : findStill(scene, { covered, warnings, facts }, log, flags, session),
    unchecked: covered.coverage.unchecked,
  };
}
