/**
 * Reads SRDF, the Semantic Robot Description Format (MoveIt): pairs of links that may touch, and
 * named states. Groups, end effectors and the like are ignored.
 */
import { FormatError } from '../../base/errors.ts';
import { quoted } from '../../base/printable.ts';
import { knownNumber, numbersIn, readXml, required, type XmlElement } from '../../base/xml.ts';
import { isDriven, type Robot } from './robot.ts';

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
  values: Map<number, number>;
}

export interface RobotSemantics {
  /** Each pair once, a < b. */
  mayTouch: LinkPair[];
  states: NamedState[];
  warnings: string[];
}

interface SrdfOptions {
  /** Receives unknown links and joints, which are errors otherwise. */
  onUnmatched?: (problem: string) => void;
}

/** @throws FormatError with the line, also for unknown links and joints */
export function readSrdf(bytes: Uint8Array, robot: Robot, options: SrdfOptions = {}): RobotSemantics {
  const root = readXml(bytes);
  if (root.name !== 'robot') throw new FormatError({ line: root.line }, '<robot> (SRDF)', `<${root.name}>`);
  const warnings: string[] = [];
  const name = root.attributes.get('name') ?? '';
  if (name !== robot.name) warnings.push(`it is of robot ${quoted(name)}, the other file of ${quoted(robot.name)}`);
  return { mayTouch: pairsIn(root, robot, options), states: statesIn(root, robot, options, warnings), warnings };
}

const numbersByName = (items: readonly { name: string }[]): Map<string, number> =>
  new Map(items.map(({ name }, n) => [name, n]));

function lookUp(
  element: XmlElement,
  attribute: string,
  known: ReadonlyMap<string, number>,
  { onUnmatched }: SrdfOptions,
): number | null {
  const name = required(element, attribute);
  if (!onUnmatched || known.has(name)) return knownNumber(element, attribute, known);
  onUnmatched(`line ${element.line}: the robot has no ${quoted(name)}`);
  return null;
}

/** Links with all collisions turned off, minus those turned on again, plus single pairs. */
function pairsIn(root: XmlElement, { links }: Robot, options: SrdfOptions): LinkPair[] {
  const known = numbersByName(links);
  const found = new Map<number, LinkPair>();
  const keyOf = (a: number, b: number): number => Math.min(a, b) * links.length + Math.max(a, b);
  const add = (a: number, b: number, reason: string): void => {
    if (a !== b) found.set(keyOf(a, b), { a: Math.min(a, b), b: Math.max(a, b), reason });
  };
  const named = (name: string): XmlElement[] => root.children.filter((child) => child.name === name);
  for (const element of named('disable_default_collisions')) {
    const link = lookUp(element, 'link', known, options);
    if (link !== null) for (const other of links.keys()) add(link, other, 'default');
    if (found.size > MOST_PAIRS)
      throw new FormatError({ line: element.line }, `at most ${MOST_PAIRS} pairs that may touch`, 'more');
  }
  const pairs = (name: string, take: (a: number, b: number, reason: string) => void): void => {
    for (const element of named(name)) {
      const a = lookUp(element, 'link1', known, options);
      const b = lookUp(element, 'link2', known, options);
      if (a !== null && b !== null) take(a, b, element.attributes.get('reason') ?? '');
    }
  };
  pairs('enable_collisions', (a, b) => found.delete(keyOf(a, b)));
  pairs('disable_collisions', add);
  return [...found].sort(([p], [q]) => p - q).map(([, pair]) => pair);
}

function statesIn(root: XmlElement, robot: Robot, options: SrdfOptions, warnings: string[]): NamedState[] {
  const { joints } = robot;
  const known = numbersByName(joints);
  const virtual = root.children
    .filter(({ name }) => name === 'virtual_joint')
    .map(({ attributes }) => attributes.get('name'));
  const states: NamedState[] = [];
  for (const element of root.children.filter(({ name }) => name === 'group_state')) {
    const values = new Map<number, number>();
    for (const joint of element.children.filter(({ name }) => name === 'joint')) {
      const name = required(joint, 'name');
      // A virtual joint places the robot in the world, and is not one of the robot's own.
      if (virtual.includes(name) && !known.has(name)) continue;
      const number = lookUp(joint, 'name', known, options);
      if (number === null) continue;
      required(joint, 'value');
      if (isDriven(joints[number])) values.set(number, numbersIn(joint, 'value', [0])[0]);
      else warnings.push(`line ${joint.line}: joint ${name} is moved by no state, and its value is left out`);
    }
    states.push({ name: required(element, 'name'), group: element.attributes.get('group') ?? '', values });
  }
  return states;
}
