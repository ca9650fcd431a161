/** `check --scene`: selects two objects of a scene by name. */
import { OptionError } from '../../base/errors.ts';
import { suggestion } from '../../base/patterns.ts';
import { quoted } from '../../base/printable.ts';
import type { Unchecked } from '../../scene/coverage.ts';
import type { SceneObject } from '../../scene/records.ts';
import type { ScenePairFlags } from '../check-flags.ts';
import { type FindingFile, openFindingFile } from '../findings/finding-file.ts';
import { moveRobots } from '../flags.ts';
import { placeOfFindings } from '../inputs/name.ts';
import { holding } from '../inputs/open.ts';
import { type Session, warnOf } from '../session.ts';
import { openRun } from './open-run.ts';
import { loadObjects } from './open-scene.ts';

interface Choice {
  names: readonly [string, string];
  /** All names found so far. */
  known: string[];
  isWanted(name: string): boolean;
}

/** @throws OptionError for a name that no object has; InputError if its file cannot be read */
export async function openScenePair(
  files: readonly string[],
  names: readonly [string, string],
  flags: ScenePairFlags,
  session: Session,
): Promise<[SceneObject, SceneObject]> {
  const known: string[] = [];
  const isWanted = (name: string): boolean => {
    known.push(name);
    return names.includes(name);
  };
  const own = holding(files, session);
  const findings = files.length === 1 ? await openFindingFile(files[0], own, { isWanted }) : null;
  const choice = { names, known, isWanted };
  const { objects, gone } = findings
    ? await foundOrOpened(findings, files[0], choice, own)
    : await loadWanted(files, flags, choice, own);
  const objectNamed = (name: string): SceneObject => {
    const found = objects.find((object) => object.name === name);
    if (found) return found;
    const failed = gone.find((each) => each.names.includes(name));
    if (failed) throw new OptionError(failed.problem);
    throw new OptionError(`${files.join(' ')}: no object ${quoted(name)}${suggestion(name, known)}`);
  };
  return [objectNamed(names[0]), objectNamed(names[1])];
}

/** Objects that no finding names are those of the run that printed the findings. */
async function foundOrOpened(
  { objects, run }: FindingFile,
  file: string,
  { names }: Choice,
  session: Session,
): Promise<{ objects: readonly SceneObject[]; gone: Unchecked[] }> {
  const isThere = (name: string): boolean => objects.some((object) => object.name === name);
  if (!run || names.every(isThere)) return { objects, gone: [] };
  const named = placeOfFindings(file, session);
  const opened = await openRun(run, { ...session, named });
  return { objects: [...objects, ...opened.objects.filter(({ name }) => !isThere(name))], gone: [] };
}

async function loadWanted(
  files: readonly string[],
  { units, srdf, state }: ScenePairFlags,
  { names, known, isWanted }: Choice,
  session: Session,
): Promise<{ objects: SceneObject[]; gone: Unchecked[] }> {
  const flags = {
    // A name begins with its class, maybe after that of its file.
    include: names.flatMap((name) => name.split('/').filter((part) => /^(Ifc\w+|Clearance)$/.test(part))),
    ...{ limits: 'warn' as const, allowUnmatched: null, ...(units !== undefined && { units }) },
    ...{ ...(srdf !== undefined && { srdf }), ...(state !== undefined && { state }) },
  };
  const { loaded, objects, covered, gone } = await loadObjects(files, flags, session, isWanted);
  for (const { a, reason } of covered.findings)
    if (objects.some(({ name }) => name === a.name)) warnOf(a.file ?? '', `${a.name}: ${reason}`, session);
  const missing = gone.flatMap((failed) => failed.names);
  const absent = new Set([...missing, ...known.filter((name) => !names.includes(name))]);
  await moveRobots(loaded.robots, objects, absent, flags, session);
  return { objects, gone };
}
