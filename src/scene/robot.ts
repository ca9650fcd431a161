/**
 * A robot in a scene: shapes of links are objects, joints give their poses, some pairs may touch.
 */
import { OptionError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { quoted } from '../base/printable.ts';
import { compose, type Pose } from '../math/pose.ts';
import { follow, isDriven, isMovable, linkPoses, type Robot, restValues } from '../readers/robot/robot.ts';
import type { LinkPair, NamedState, RobotSemantics } from '../readers/robot/srdf.ts';
import { partNames } from '../readers/robot/urdf.ts';
import type { Allowance } from './rules.ts';

interface Part {
  name: string;
  link: number;
  /** From the shape's frame to the link's. */
  origin: Pose;
}

/** Smaller violations of a limit are ignored: printed limits are rounded. */
const LIMIT_SLACK = 1e-9;

const MOST_ALLOWANCES = 1_000_000;

export class MovingRobot {
  readonly parts: readonly Part[];
  readonly values: Float64Array;

  /**
   * @param prefix of the names of its objects
   * @param absent names of objects that could not be made
   */
  constructor(
    readonly robot: Robot,
    prefix = '',
    absent: ReadonlySet<string> = new Set(),
  ) {
    const names = partNames(robot);
    const shapes = robot.links.flatMap(({ shapes }, link) => shapes.map(({ origin }) => ({ link, origin })));
    const parts = shapes.map((shape, n) => ({ name: prefix + names[n], ...shape }));
    this.parts = parts.filter(({ name }) => !absent.has(name));
    this.values = restValues(robot);
    follow(robot, this.values);
  }

  /**
   * @param values by joint number, for driven joints; the others stay
   * @throws OptionError for a value that is too large
   */
  move(values: ReadonlyMap<number, number>): void {
    for (const [k, value] of values) this.values[k] = value;
    follow(this.robot, this.values);
  }

  poses(): Record<string, Pose> {
    const links = linkPoses(this.robot, this.values);
    // A link may be called __proto__.
    return Object.fromEntries(this.parts.map(({ name, link, origin }) => [name, compose(links[link], origin)]));
  }

  beyondLimits(): string | null {
    for (const [k, { name, type, lower, upper }] of this.robot.joints.entries()) {
      const value = this.values[k];
      if (!isMovable(type) || (value >= lower - LIMIT_SLACK && value <= upper + LIMIT_SLACK)) continue;
      return `joint ${name}: ${value} is beyond its limits, ${lower} to ${upper}`;
    }
    return null;
  }
}

/**
 * Reads names of states and joint=value, separated by commas and applied in turn.
 *
 * @param states a name in several groups means all of them; group/name means one
 * @throws OptionError for unknown names, invalid numbers, and a name by which two groups mean
 *   different values of a joint
 */
export function parseState(text: string, robot: Robot, states: readonly NamedState[]): Map<number, number> {
  const values = new Map<number, number>();
  for (const item of text.split(',').map((part) => part.trim())) {
    const equals = item.lastIndexOf('=');
    const some = equals < 0 ? namedValues(item, robot, states) : [jointValue(item, equals, robot)];
    for (const [k, value] of some) values.set(k, value);
  }
  return values;
}

function namedValues(name: string, { joints }: Robot, states: readonly NamedState[]): Map<number, number> {
  const found = states.filter((state) => state.name === name || `${state.group}/${state.name}` === name);
  if (found.length === 0) {
    const known = states.map((state) => state.name);
    const near = nearest(name, known);
    const rest =
      near !== null
        ? `did you mean ${near}?`
        : known.length > 0
          ? `known: ${[...new Set(known)].join(', ')}`
          : 'no --srdf names one';
    throw new OptionError(`--state: no state ${quoted(name)}; ${rest}`);
  }
  const values = new Map<number, number>();
  for (const state of found) {
    for (const [k, value] of state.values) {
      if ((values.get(k) ?? value) !== value)
        throw new OptionError(
          `--state: groups have different values of joint ${quoted(joints[k].name)} as ${quoted(name)}; say ${state.group}/${name}`,
        );
      values.set(k, value);
    }
  }
  return values;
}

function jointValue(item: string, equals: number, { joints }: Robot): [number, number] {
  const [name, text] = [item.slice(0, equals).trim(), item.slice(equals + 1).trim()];
  const k = joints.findIndex((joint) => joint.name === name);
  const driven = joints.filter(isDriven).map((joint) => joint.name);
  if (k < 0 || !isDriven(joints[k])) {
    const near = k < 0 ? nearest(name, driven) : null;
    const problem = k < 0 ? `no joint ${quoted(name)}` : `joint ${quoted(name)} is moved by no state`;
    throw new OptionError(`--state: ${problem}${near === null ? '' : `; did you mean ${near}?`}`);
  }
  const value = text === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value))
    throw new OptionError(`--state: expected a number for joint ${name}, found ${quoted(text)}`);
  return [k, value];
}

/** Each link with shapes, and the nearest such link above it. */
export function adjacentLinks({ links, joints }: Robot): LinkPair[] {
  const pairs: LinkPair[] = [];
  /** For each link: itself or the nearest above it that has shapes; -1 if none has. */
  const shaped: number[] = [];
  for (const [b, { shapes }] of links.entries()) {
    const above = b === 0 ? -1 : shaped[joints[b - 1].parent];
    if (shapes.length > 0 && above >= 0) pairs.push({ a: above, b, reason: 'adjacent' });
    shaped.push(shapes.length > 0 ? b : above);
  }
  return pairs;
}

/**
 * Pairs of one link, and of links by the SRDF, or else adjacent ones.
 *
 * @throws OptionError for an object's name that contains wildcards
 */
export function allowancesOf({ robot, parts }: MovingRobot, semantics: RobotSemantics | null): Allowance[] {
  const ofLink: string[][] = robot.links.map(() => []);
  for (const { name, link } of parts) {
    if (/[*?]/.test(name)) throw new OptionError(`${name}: a robot's name has no * and no ?`);
    ofLink[link].push(name);
  }
  const pairs: LinkPair[] = semantics?.mayTouch ?? adjacentLinks(robot);
  const own = ofLink.map((names) => (names.length * (names.length - 1)) / 2);
  const count = [...own, ...pairs.map(({ a, b }) => ofLink[a].length * ofLink[b].length)].reduce((n, m) => n + m, 0);
  if (count > MOST_ALLOWANCES)
    throw new OptionError(`expected at most ${MOST_ALLOWANCES} pairs of shapes that may touch, found ${count}`);
  const allowed: Allowance[] = [];
  for (const names of ofLink) {
    for (const [n, a] of names.entries())
      for (const b of names.slice(n + 1)) allowed.push({ a, b, reason: 'one link' });
  }
  for (const { a, b, reason } of pairs) {
    for (const first of ofLink[a]) for (const second of ofLink[b]) allowed.push({ a: first, b: second, reason });
  }
  return allowed;
}
