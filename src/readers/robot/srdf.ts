/**
 * Reads SRDF, the Semantic Robot Description Format (MoveIt): pairs of links that may touch, and
 * named states. Groups, end effectors and the like are ignored.
 */
import { FormatError } from '../../base/errors.ts';
import { suggestion } from '../../base/patterns.ts';
import { quoted } from '../../base/printable.ts';
import { meant, numbersIn, readXml, required, type XmlElement } from '../../base/xml.ts';
import { hang, isDriven, type JointType, namesOfValues, type Robot } from './robot.ts';

/** Most pairs that `disable_default_collisions` may turn off. */
const MOST_PAIRS = 1_000_000;

export interface LinkPair {
  a: number;
  b: number;
  reason: string;
}

export interface NamedState {
  name: string;
  group: string;
  /** By their numbers in the robot. */
  values: Map<number, number>;
}

export interface RobotSemantics {
  /** The robot below its virtual joint, if that moves. Numbers of links and values are its. */
  robot: Robot;
  /** Each pair once, a < b. */
  mayTouch: LinkPair[];
  enabled: LinkPair[];
  states: NamedState[];
  warnings: string[];
}

interface SrdfOptions {
  /** Receives unknown links and joints, which are errors otherwise. */
  onUnmatched?: (problem: string) => void;
  /** Follows the message about an unknown one: how to go on without it. */
  hint?: string;
}

/** @throws FormatError with the line, also for unknown links and joints */
export function readSrdf(bytes: Uint8Array, robot: Robot, options: SrdfOptions = {}): RobotSemantics {
  const root = readXml(bytes);
  if (root.name !== 'robot') throw new FormatError({ line: root.line }, '<robot> (SRDF)', `<${root.name}>`);
  const warnings: string[] = [];
  const name = root.attributes.get('name') ?? '';
  if (name !== robot.name)
    warnings.push(`it describes robot ${quoted(name)}, but the other file describes ${quoted(robot.name)}`);
  const hung = hangIn(root, robot, warnings);
  return {
    robot: hung,
    ...pairsIn(root, hung, options),
    states: statesIn(root, hung, options, warnings),
    warnings,
  };
}

const named = (root: XmlElement, name: string): XmlElement[] => root.children.filter((child) => child.name === name);

const VIRTUAL: readonly JointType[] = ['fixed', 'planar', 'floating'];

/** The robot on its virtual joint. As in MoveIt, one that does not lead to the root is left out. */
function hangIn(root: XmlElement, robot: Robot, warnings: string[]): Robot {
  let hung = robot;
  for (const element of named(root, 'virtual_joint')) {
    const { line } = element;
    const name = required(element, 'name');
    const type = required(element, 'type').toLowerCase() as JointType;
    const child = required(element, 'child_link');
    if (!VIRTUAL.includes(type))
      throw new FormatError(
        { line },
        `a type of virtual joint (${VIRTUAL.join(', ')})`,
        quoted(type) + meant(type, VIRTUAL),
      );
    if (type === 'fixed') continue;
    const why =
      child !== robot.links[0].name
        ? `leads to ${quoted(child)}, not to the root ${quoted(robot.links[0].name)}`
        : robot.joints.some((joint) => joint.name === name)
          ? 'has the name of a joint of the robot'
          : hung !== robot
            ? 'is the second one'
            : null;
    if (why === null) hung = hang(robot, { name, type }, element.attributes.get('parent_frame') ?? '');
    else warnings.push(`line ${line}: virtual joint ${name} ${why}, and is left out`);
  }
  return hung;
}

const numbersByName = (items: readonly { name: string }[]): Map<string, number> =>
  new Map(items.map(({ name }, n) => [name, n]));

function lookUp<T>(
  element: XmlElement,
  attribute: string,
  known: ReadonlyMap<string, T>,
  { onUnmatched, hint = '' }: SrdfOptions,
): T | null {
  const { name: tag, line } = element;
  const name = required(element, attribute);
  const found = known.get(name);
  if (found !== undefined) return found;
  if (!onUnmatched)
    throw new FormatError(
      { line },
      `a name of the robot as ${attribute} of <${tag}>`,
      quoted(name) + suggestion(name, known.keys()) + hint,
    );
  onUnmatched(
    `line ${line}: the robot has no ${quoted(name)}, and this <${tag}> is left out${suggestion(name, known.keys())}`,
  );
  return null;
}

/** Links with all collisions turned off, minus those turned on again, plus single pairs. */
function pairsIn(
  root: XmlElement,
  { links }: Robot,
  options: SrdfOptions,
): Pick<RobotSemantics, 'mayTouch' | 'enabled'> {
  const known = numbersByName(links);
  const found = new Map<number, LinkPair>();
  const keyOf = (a: number, b: number): number => Math.min(a, b) * links.length + Math.max(a, b);
  const add = (a: number, b: number, reason: string): void => {
    if (a !== b) found.set(keyOf(a, b), { a: Math.min(a, b), b: Math.max(a, b), reason });
  };
  for (const element of named(root, 'disable_default_collisions')) {
    const link = lookUp(element, 'link', known, options);
    if (link !== null) for (const other of links.keys()) add(link, other, 'default');
    if (found.size > MOST_PAIRS)
      throw new FormatError({ line: element.line }, `at most ${MOST_PAIRS} pairs that may touch`, 'more');
  }
  const pairs = (name: string, take: (a: number, b: number, reason: string) => void): void => {
    for (const element of named(root, name)) {
      const a = lookUp(element, 'link1', known, options);
      const b = lookUp(element, 'link2', known, options);
      if (a !== null && b !== null) take(a, b, element.attributes.get('reason') ?? '');
    }
  };
  const enabled: LinkPair[] = [];
  pairs('enable_collisions', (a, b, reason) => {
    found.delete(keyOf(a, b));
    enabled.push({ a: Math.min(a, b), b: Math.max(a, b), reason });
  });
  pairs('disable_collisions', add);
  return { mayTouch: [...found].sort(([p], [q]) => p - q).map(([, pair]) => pair), enabled };
}

function statesIn(root: XmlElement, robot: Robot, options: SrdfOptions, warnings: string[]): NamedState[] {
  const { joints } = robot;
  const names = namesOfValues(robot);
  // Virtual joints that move nothing: fixed ones, and those that are left out.
  const still = new Set(named(root, 'virtual_joint').map(({ attributes }) => attributes.get('name') ?? ''));
  const states: NamedState[] = [];
  for (const element of named(root, 'group_state')) {
    const values = new Map<number, number>();
    for (const joint of named(element, 'joint')) {
      const name = required(joint, 'name');
      if (!still.has(name) && lookUp(joint, 'name', names, options) === null) continue;
      const own = names.get(name);
      required(joint, 'value');
      if (own && isDriven(joints[own.joint])) {
        const numbers = numbersIn(joint, 'value', Array(own.count).fill(0));
        for (const [k, value] of numbers.entries()) values.set(own.first + k, value);
      } else warnings.push(`line ${joint.line}: joint ${name} is moved by no state, and its value is left out`);
    }
    states.push({ name: required(element, 'name'), group: element.attributes.get('group') ?? '', values });
  }
  return states;
}
