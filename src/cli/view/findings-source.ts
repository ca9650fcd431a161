/** Shows findings printed by `scene` or `check` with --json. */
import { InputError } from '../../base/errors.ts';
import type { ReportFinding } from '../../report/finding.ts';
import { toldBy } from '../../report/records.ts';
import type { SceneOptions } from '../../scene/records.ts';
import { type FindingFile, openFindingFile } from '../findings/finding-file.ts';
import type { FindingLog } from '../findings/finding-log.ts';
import type { Session } from '../session.ts';
import { againOf } from './again.ts';
import { missingFindings, place } from './find.ts';
import type { Found, Source } from './source.ts';
import type { ViewFlags } from './view-flags.ts';

/** @returns null if it is no file of findings */
export async function openFindingsSource(
  args: readonly string[],
  flags: ViewFlags,
  session: Session,
): Promise<Source | null> {
  if (args.length !== 1) return null;
  const file = await openFindingFile(args[0], session);
  if (!file) return null;
  const { objects, asked, pair, units } = file;
  if (objects.length === 0) throw new InputError(`${args[0]}: expected findings with their files, found none`);
  await place(args[0], file, session); // refuses what is no scene
  const unit = objects.map(({ origin }) => origin?.units?.scene ?? null)[0];
  return {
    ...{ objects, asked, units: unit, encoded: new Map() },
    again: againOf(pair ? 'check' : 'scene', pair ?? args, { ...withAsked(flags, asked), ...units }, session),
    find: (log) => findAgain(file, log),
  };
}

function withAsked(flags: ViewFlags, { clearance, solid, tolerance, touchGap }: SceneOptions): ViewFlags {
  return {
    ...flags,
    ...(clearance !== undefined && { clearance }),
    ...(solid !== undefined && { solid }),
    ...(tolerance !== undefined && { tolerance }),
    ...(touchGap !== undefined && { touchGap }),
  };
}

async function findAgain({ records }: FindingFile, log: FindingLog): Promise<Found> {
  const findings = records.flatMap(({ record, told, names }): ReportFinding[] => {
    const [first] = told.findings;
    if (!first || !names) return first && ['gone', 'unchecked'].includes(first.state ?? first.class) ? [first] : [];
    const [finding] = toldBy(log.mark(record, first.level)).findings;
    return [{ ...finding, subjects: finding.subjects.map((subject, n) => ({ ...subject, name: names[n] })) }];
  });
  const missing = await log.end(null, () => false, { command: 'scene' });
  return { findings: [...findings, ...missingFindings(missing)], summary: null, frames: [] };
}
