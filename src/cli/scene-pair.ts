/** `check --scene`: two objects of a scene, by their names. */
import { OptionError } from '../math/errors.ts';
import { nearest, quoted } from '../readers/json-messages.ts';
import type { Unchecked } from '../scene/load.ts';
import type { SceneObject } from '../scene/report.ts';
import { openFindingFile } from './findings/finding-file.ts';
import { holding, type Session } from './inputs.ts';
import { loadObjects } from './open-scene.ts';
import { moveRobots } from './robot-flags.ts';
import type { ScenePairFlags } from './scene-pair-flags.ts';

/** Which objects are made, and which there are. */
interface Choice {
  names: readonly [string, string];
  /** All names that were met. */
  known: string[];
  isWanted(name: string): boolean;
}

/**
 * Makes two objects of a scene, or of a file of findings, where that has them, and no others.
 *
 * @throws OptionError for a name that no object has; InputError where its file cannot be read
 */
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
  const findings = files.length === 1 ? await openFindingFile(files[0], own, isWanted) : null;
  const { objects, unchecked } = findings
    ? { ...findings, unchecked: [] }
    : await loadWanted(files, flags, { names, known, isWanted }, own);
  const objectNamed = (name: string): SceneObject => {
    const found = objects.find((object) => object.name === name);
    if (found) return found;
    const failed = unchecked.find((each) => each.names.includes(name));
    if (failed) throw new OptionError(failed.problem);
    const near = nearest(name, known);
    const meant = near === null ? '' : `: did you mean ${quoted(near)}?`;
    throw new OptionError(`${files.join(' ')}: no object ${quoted(name)}${meant}`);
  };
  return [objectNamed(names[0]), objectNamed(names[1])];
}

async function loadWanted(
  files: readonly string[],
  { units, srdf, state }: ScenePairFlags,
  { names, known, isWanted }: Choice,
  session: Session,
): Promise<{ objects: SceneObject[]; unchecked: Unchecked[] }> {
  const flags = {
    ...{ limits: 'warn' as const, ...(units !== undefined && { units }) },
    ...{ ...(srdf !== undefined && { srdf }), ...(state !== undefined && { state }) },
  };
  const { loaded, objects, unchecked } = await loadObjects(files, flags, session, isWanted);
  const missing = unchecked.flatMap((failed) => failed.names);
  const absent = new Set([...missing, ...known.filter((name) => !names.includes(name))]);
  await moveRobots(loaded.robots, objects, absent, flags, session);
  return { objects, unchecked };
}
