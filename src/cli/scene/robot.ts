/** `gicollide scene` for robots: joint positions, links that may touch, and states. */
import { InputError, OptionError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import type { Robot } from '../../readers/robot/robot.ts';
import { type RobotSemantics, readSrdf } from '../../readers/robot/srdf.ts';
import { partNames, readUrdf } from '../../readers/robot/urdf.ts';
import type { SceneObject } from '../../scene/records.ts';
import {
  adjacentLinks,
  allowancesOf,
  type JointState,
  JointStateReader,
  MovingRobot,
  parseState,
} from '../../scene/robot.ts';
import type { Allowance } from '../../scene/rules.ts';
import { readWhole } from '../inputs/open.ts';
import { inLine, linesOf } from '../lines.ts';
import { about, type Session, warnOf } from '../session.ts';
import type { PlacedFrame, RobotFacts } from './frames.ts';

export interface RobotFlags {
  srdf?: string;
  state?: string;
  states?: string;
  limits: 'warn' | 'error';
  /** Null if the command has no such option. */
  allowUnmatched?: boolean | null;
}

export interface RobotInput {
  file: string;
  bytes: Uint8Array;
  /** Prefix of the names of its objects. */
  prefix: string;
}

export interface RobotScene {
  /** Of each robot: how it moves, and what its SRDF says. */
  robots: { file: string; moving: MovingRobot; semantics: RobotSemantics | null; srdf: Uint8Array | null }[];
  allow: Allowance[];
  frames: AsyncIterable<PlacedFrame> | null;
  facts: () => RobotFacts;
}

/** @throws OptionError for a flag of one robot if there is none or several */
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
    throw new OptionError(`--${flag} is for one robot, and ${found}`);
  }
  const byName = new Map(objects.map((object) => [object.name, object]));
  const known: RobotScene['robots'] = [];
  const allow: Allowance[] = [];
  let frames: RobotScene['frames'] = null;
  let adjacent = 0;
  let beyondLimits = 0;
  for (const { file, bytes, prefix } of robots) {
    const own = await about(file, () => readUrdf(bytes));
    // The robot's file could not be loaded, so it is not in the scene.
    if (!new MovingRobot(own, prefix, absent).parts.some(({ name }) => byName.has(name))) continue;
    const srdf = flags.srdf === undefined ? null : await about(flags.srdf, () => readWhole(flags.srdf!, session));
    const semantics = srdf && (await readSemantics(srdf, own, flags, session));
    const robot = semantics?.robot ?? own;
    const moving = new MovingRobot(robot, prefix, absent, partNames(own));
    known.push({ file, moving, semantics, srdf });
    const allowed = await about(file, () => allowancesOf(moving, semantics));
    for (const allowance of allowed) allow.push(allowance);
    if (semantics === null) {
      const made = new Set(moving.parts.map(({ link }) => link));
      adjacent += adjacentLinks(robot).filter(({ a, b }) => made.has(a) && made.has(b)).length;
    }
    if (flags.state !== undefined) moving.move(parseState(flags.state, robot, semantics?.states ?? []));
    const look = (state: string): void => {
      const problem = moving.beyondLimits();
      if (problem === null) return;
      if (flags.limits === 'error') throw new InputError(`${state}: ${printable(problem)}`);
      if (beyondLimits++ === 0) warnOf(state, problem, session);
    };
    if (flags.states === undefined) look(flags.state === undefined ? file : '--state');
    else frames = framesOfStates(flags.states, moving, look, session);
    for (const [name, pose] of Object.entries(moving.poses())) byName.get(name)!.pose = pose;
  }
  return { robots: known, allow, frames, facts: () => ({ adjacent, beyondLimits }) };
}

async function readSemantics(
  bytes: Uint8Array,
  robot: Robot,
  { srdf: file = '', allowUnmatched }: RobotFlags,
  session: Session,
): Promise<RobotSemantics> {
  const warn = (problem: string): void => warnOf(file, problem, session);
  const semantics = await about(file, () =>
    readSrdf(bytes, robot, {
      ...(allowUnmatched && { onUnmatched: warn }),
      hint: allowUnmatched === null ? '' : ' (--allow-unmatched leaves it out)',
    }),
  );
  for (const warning of semantics.warnings) warn(warning);
  return semantics;
}

/** Yields a frame per state; states of a file of lines are streamed. */
async function* framesOfStates(
  file: string,
  robot: MovingRobot,
  look: (state: string) => void,
  session: Session,
): AsyncGenerator<PlacedFrame> {
  const reader = new JointStateReader(robot.robot, (problem) => warnOf(file, problem, session));
  const frameOf = ({ time, values, line }: JointState, place: string): PlacedFrame => {
    const poses = inLine(file, line, () => {
      robot.move(values);
      look(place);
      return robot.poses();
    });
    return { time, poses: () => poses, file, line };
  };
  for await (const { text, line } of linesOf(file, session.named)) {
    for (const state of await about(file, () => reader.read(text, line)))
      yield frameOf(state, `${file}:${state.line ?? line}`);
    if (reader.isWaiting) await reader.prepare();
  }
  const left = await about(file, () => reader.end());
  for (const [n, state] of left.entries())
    yield frameOf(state, state.line === null ? `${file}: state ${n}` : `${file}:${state.line}`);
}
