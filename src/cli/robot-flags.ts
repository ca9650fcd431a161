/** Options of `gicollide scene` for robots; their implementation is loaded only for a robot. */
import { type Command, Option } from 'commander';
import type { SceneObject } from '../scene/records.ts';
import type { RobotFlags, RobotInput, RobotScene } from './scene-robot.ts';
import type { Session } from './session.ts';

export const addRobotOptions = (command: Command): Command =>
  command
    .option('--srdf <file>', 'of a robot: which links may touch, states; else links that hang on each other may')
    .option('--state <list>', 'of a robot: where its joints are, joint=value or a state of the SRDF, commas between')
    .option('--states <file>', 'of a robot: one state after the other, CSV, NDJSON or JSON; a frame each')
    .addOption(new Option('--limits <mode>', 'a joint beyond its limits').choices(['warn', 'error']).default('warn'));

/** Loads and calls `placeRobots`; null without robot options. */
export async function moveRobots(
  robots: readonly RobotInput[],
  objects: readonly SceneObject[],
  absent: ReadonlySet<string>,
  flags: RobotFlags,
  session: Session,
): Promise<RobotScene | null> {
  const { srdf, state, states } = flags;
  if (robots.length === 0 && (srdf ?? state ?? states) === undefined) return null;
  const { placeRobots } = await import('./scene-robot.ts');
  return placeRobots(robots, objects, absent, flags, session);
}
