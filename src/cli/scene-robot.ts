/**
 * `gicollide scene` of a robot: where its joints are, which of its links may touch, and its states.
 */
import { InputError, OptionError } from '../math/errors.ts';
import { printable } from '../math/printable.ts';
import { type RobotSemantics, readSrdf } from '../readers/srdf.ts';
import { readUrdf } from '../readers/urdf.ts';
import { type JointState, JointStateReader } from '../scene/joint-states.ts';
import type { SceneObject } from '../scene/report.ts';
import { adjacentLinks, allowancesOf, MovingRobot, parseState } from '../scene/robot.ts';
import type { Allowance } from '../scene/rules.ts';
import { about, readWhole, type Session } from './inputs.ts';
import { inLine, linesOf } from './lines.ts';
import type { PlacedFrame, RobotFacts } from './scene-frames.ts';

/** What is asked of robots. */
export interface RobotFlags {
  srdf?: string;
  state?: string;
  states?: string;
  limits: 'warn' | 'error';
  allowUnmatched?: boolean;
}

/** A robot among the inputs. */
export interface RobotInput {
  /** Its file's name, for messages. */
  file: string;
  bytes: Uint8Array;
  /** What stands in front of the names of its objects. */
  prefix: string;
}

/** What robots add to a scene. */
export interface RobotScene {
  allow: Allowance[];
  frames: AsyncIterable<PlacedFrame> | null;
  facts: () => RobotFacts;
}

/**
 * Puts the objects of robots where a state has them.
 *
 * @param objects of the whole scene; those of robots get other poses
 * @param absent names of objects that could not be made
 * @throws OptionError where a flag is of one robot, and there is none or several
 */
export async function placeRobots(
  robots: readonly RobotInput[],
  objects: readonly SceneObject[],
  absent: ReadonlySet<string>,
  flags: RobotFlags,
  session: Session,
): Promise<RobotScene> {
  const flag = (['srdf', 'state', 'states'] as const).find((name) => flags[name] !== undefined);
  if (flag && robots.length !== 1) {
    const found = robots.length === 0 ? 'no input is a robot (URDF)' : `${robots.length} inputs are robots`;
    throw new OptionError(`--${flag}: it is of one robot, and ${found}`);
  }
  const byName = new Map(objects.map((object) => [object.name, object]));
  const allow: Allowance[] = [];
  let frames: RobotScene['frames'] = null;
  let adjacent = 0;
  let beyondLimits = 0;
  for (const { file, bytes, prefix } of robots) {
    const robot = await about(file, () => readUrdf(bytes));
    const moving = new MovingRobot(robot, prefix, absent);
    // One whose file could not be loaded is none of the scene.
    if (!moving.parts.some(({ name }) => byName.has(name))) continue;
    for (const warning of robot.warnings) session.log.warn(`${file}: ${printable(warning)}`);
    const semantics = flags.srdf === undefined ? null : await readSemantics(flags.srdf, moving, flags, session);
    const allowed = await about(file, () => allowancesOf(moving, semantics));
    for (const allowance of allowed) allow.push(allowance);
    if (semantics === null) adjacent += adjacentLinks(robot).length;
    if (flags.state !== undefined) moving.move(parseState(flags.state, robot, semantics?.states ?? []));
    const look = (state: string): void => {
      const problem = moving.beyondLimits();
      if (problem === null) return;
      if (flags.limits === 'error') throw new InputError(`${state}: ${printable(problem)}`);
      if (beyondLimits++ === 0) session.log.warn(`${state}: ${printable(problem)}`);
    };
    if (flags.states === undefined) look(flags.state === undefined ? file : '--state');
    else frames = framesOfStates(flags.states, moving, look, session);
    for (const [name, pose] of Object.entries(moving.poses())) byName.get(name)!.pose = pose;
  }
  return { allow, frames, facts: () => ({ adjacent, beyondLimits }) };
}

async function readSemantics(
  file: string,
  { robot }: MovingRobot,
  { allowUnmatched }: RobotFlags,
  session: Session,
): Promise<RobotSemantics> {
  const warn = (problem: string): void => session.log.warn(`${file}: ${printable(problem)}`);
  const semantics = await about(file, () =>
    readSrdf(readWhole(file, session), robot, allowUnmatched ? { onUnmatched: warn } : {}),
  );
  for (const warning of semantics.warnings) warn(warning);
  return semantics;
}

/** A frame a state; of a file of lines, as these come. */
async function* framesOfStates(
  file: string,
  robot: MovingRobot,
  look: (state: string) => void,
  { log, named }: Session,
): AsyncGenerator<PlacedFrame> {
  const reader = new JointStateReader(robot.robot, (problem) => log.warn(`${file}: ${printable(problem)}`));
  const frameOf = ({ time, values, line }: JointState, place: string): PlacedFrame => {
    const poses = inLine(file, line, () => {
      robot.move(values);
      look(place);
      return robot.poses();
    });
    return { time, poses: () => poses, file, line };
  };
  for await (const { text, line } of linesOf(file, named)) {
    const state = inLine(file, line, () => reader.read(text, line));
    if (state) yield frameOf(state, `${file}:${line}`);
  }
  const left = await about(file, () => reader.end());
  for (const [n, state] of left.entries()) yield frameOf(state, `${file}: state ${n}`);
}
