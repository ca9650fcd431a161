/** Opens the scene of a run again, by the summary that `gicollide scene --json` printed. */
import { InputError } from '../../base/errors.ts';
import type { SceneRun } from '../findings/scene-run.ts';
import { isWithin } from '../inputs/name.ts';
import type { NamedSession } from '../session.ts';
import { loadObjects, type OpenedScene, type OpenFlags, openScene } from './open-scene.ts';

/**
 * Opens the objects and questions of a run.
 *
 * @throws InputError if an input cannot be read, or lies outside the places that findings may name
 */
export async function openRun(run: SceneRun, session: NamedSession): Promise<OpenedScene> {
  const { files, asked } = run;
  const { weld, chordTolerance, package: packages = {}, ...flags } = asked;
  const named = [...files, ...(run.against ?? []), ...(asked.srdf ? [asked.srdf] : []), ...Object.values(packages)];
  for (const path of named)
    if (!isWithin(path, session.named))
      throw new InputError(`${path}: is outside ${session.named.called}; --allow-outside allows it`);
  const all = {
    ...flags,
    ...(run.with && { with: run.with }),
    ...(run.against && { against: run.against }),
    // Files may have changed since.
    ...{ allowUnmatched: true, limits: 'warn' },
  } as OpenFlags;
  const reading = {
    ...session,
    global: {
      ...session.global,
      ...(weld !== undefined && { weld }),
      ...(chordTolerance !== undefined && { chordTolerance }),
      package: new Map([...(session.global.package ?? []), ...Object.entries(packages)]),
    },
  };
  return openScene(await loadObjects(files, all, reading), all, reading);
}
