/**
 * Reads robots in the Unified Robot Description Format (ROS, urdf/XML): links, their collision
 * shapes, and joints. Data for simulation and display are ignored.
 */
import { FormatError } from '../base/errors.ts';
import { quoted } from '../base/printable.ts';
import { knownNumber, meant, numbersIn, only, readXml, required, type XmlElement } from '../base/xml.ts';
import { identity, type Pose } from '../math/pose.ts';
import type { Primitive } from './mesh-file.ts';
import { leftOut, type ReaderNote, warning } from './notes.ts';
import {
  isMovable,
  type JointType,
  LARGEST_VALUE,
  originOf,
  type Robot,
  type RobotJoint,
  type RobotLink,
  type RobotShape,
} from './robot.ts';

const MOST_LINKS = 10_000;

/** @throws FormatError with the line, also for macros of xacro, and links that make no tree */
export function readUrdf(bytes: Uint8Array): Robot {
  const root = readXml(bytes);
  if (root.name !== 'robot') throw new FormatError({ line: root.line }, '<robot> (URDF)', `<${root.name}>`);
  refuseMacros(root);
  const notes: ReaderNote[] = [];
  const elements = root.children.filter(({ name }) => name === 'link');
  if (elements.length === 0) throw new FormatError({ line: root.line }, 'a robot with links', 'none');
  if (elements.length > MOST_LINKS)
    throw new FormatError({ line: root.line }, `at most ${MOST_LINKS} links`, `${elements.length}`);
  const numbers = numbersOf(elements, 'link');
  const links = elements.map((element) => readLink(element, notes));
  tellOfVisuals(elements, notes);
  const joints = root.children.filter(({ name }) => name === 'joint');
  const jointNumbers = numbersOf(joints, 'joint');
  const read = joints.map((element) => readJoint(element, numbers, jointNumbers, notes));
  return { name: root.attributes.get('name') ?? '', ...inOrder(elements, links, read), notes };
}

/** Before links are in order: numbers are the file's. */
interface FileJoint extends RobotJoint {
  child: number;
  line: number;
}

function refuseMacros(element: XmlElement): void {
  if (element.name.startsWith('xacro:'))
    throw new FormatError({ line: element.line }, `URDF without macros (run xacro first)`, `<${element.name}>`);
  element.children.forEach(refuseMacros);
}

function numbersOf(elements: readonly XmlElement[], what: string): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const [n, element] of elements.entries()) {
    const name = required(element, 'name');
    const { line } = element;
    // Both are wildcards in patterns of names: a pair that may touch would become many.
    if (/[*?]/.test(name)) throw new FormatError({ line }, `a ${what}'s name without * and ?`, quoted(name));
    const first = numbers.get(name);
    if (first !== undefined)
      throw new FormatError({ line }, `each ${what} once`, `${quoted(name)} again, as in line ${elements[first].line}`);
    numbers.set(name, n);
  }
  return numbers;
}

function readOrigin(element: XmlElement): Pose {
  const origin = only(element, 'origin');
  if (!origin) return identity();
  return originOf(numbersIn(origin, 'xyz', [0, 0, 0]), numbersIn(origin, 'rpy', [0, 0, 0], LARGEST_VALUE));
}

function readLink(element: XmlElement, notes: ReaderNote[]): RobotLink {
  const name = required(element, 'name');
  const shapes: RobotShape[] = [];
  for (const collision of element.children.filter((child) => child.name === 'collision')) {
    const shape = readShape(collision);
    if (shape) shapes.push(shape);
    else
      notes.push(
        leftOut(name, 'a shape without a size'),
        warning(`line ${collision.line}: a shape of link ${name} has no size, and is left out`),
      );
  }
  return { name, shapes };
}

const SHAPES = ['box', 'cylinder', 'capsule', 'sphere', 'mesh'];

/** Null for a shape without any size. */
function readShape(collision: XmlElement): RobotShape | null {
  const { line } = collision;
  const geometry = only(collision, 'geometry');
  const found = geometry?.children ?? [];
  const expected = `one of ${SHAPES.map((name) => `<${name}>`).join(', ')} in the <geometry> of a <collision>`;
  if (found.length !== 1) throw new FormatError({ line: geometry?.line ?? line }, expected, `${found.length}`);
  const element = found[0];
  if (!SHAPES.includes(element.name))
    throw new FormatError({ line: element.line }, expected, `<${element.name}>, which URDF does not have`);
  const origin = readOrigin(collision);
  if (element.name === 'mesh') {
    const scale = numbersIn(element, 'scale', [1, 1, 1]) as [number, number, number];
    if (scale.includes(0))
      throw new FormatError({ line: element.line }, 'factors other than 0 as scale of <mesh>', scale.join(' '));
    return { origin, primitive: null, mesh: { path: required(element, 'filename').trim(), scale }, line };
  }
  const sizes = sizesOf(element);
  if (sizes.every((size) => size === 0)) return null;
  if (!sizes.every((size) => size > 0))
    throw new FormatError({ line: element.line }, `sizes above 0 of <${element.name}>`, sizes.join(' '));
  return { origin, primitive: primitiveOf(element.name, sizes), mesh: null, line };
}

function sizesOf(element: XmlElement): number[] {
  const length = (attribute: string): number => {
    required(element, attribute);
    return numbersIn(element, attribute, [0])[0];
  };
  if (element.name === 'sphere') return [length('radius')];
  if (element.name === 'cylinder' || element.name === 'capsule') return [length('radius'), length('length')];
  required(element, 'size');
  return numbersIn(element, 'size', [0, 0, 0]);
}

function primitiveOf(shape: string, [first, second, third]: readonly number[]): Primitive {
  if (shape === 'sphere') return { shape, radius: first };
  if (shape === 'cylinder' || shape === 'capsule') return { shape, radius: first, length: second };
  return { shape: 'box', size: [first, second, third] };
}

function tellOfVisuals(elements: readonly XmlElement[], notes: ReaderNote[]): void {
  const has = (element: XmlElement, name: string): boolean => element.children.some((child) => child.name === name);
  const shown = elements.filter((element) => has(element, 'visual') && !has(element, 'collision'));
  if (shown.length === 0) return;
  const names = shown.slice(0, 5).map((element) => element.attributes.get('name'));
  const links = shown.length === 1 ? '1 link has' : `${shown.length} links have`;
  const text = `${links} <visual> and no <collision>, and collides with nothing: ${names.join(', ')}`;
  notes.push(warning(`${text}${shown.length > 5 ? ', ...' : ''}`));
  for (const element of shown) notes.push(leftOut(element.attributes.get('name')!, '<visual> and no <collision>'));
}

const TYPES: readonly JointType[] = ['fixed', 'revolute', 'continuous', 'prismatic', 'planar', 'floating'];

function readJoint(
  element: XmlElement,
  links: ReadonlyMap<string, number>,
  joints: ReadonlyMap<string, number>,
  notes: ReaderNote[],
): FileJoint {
  const { line } = element;
  const name = required(element, 'name');
  const type = required(element, 'type') as JointType;
  if (!TYPES.includes(type))
    throw new FormatError({ line }, `a type of joint (${TYPES.join(', ')})`, quoted(type) + meant(type, TYPES));
  const linkOf = (end: 'parent' | 'child'): number => {
    const found = only(element, end);
    if (!found) throw new FormatError({ line }, `<${end} link="..."> in <joint>`, 'none');
    return knownNumber(found, 'link', links);
  };
  const joint = { name, type, parent: linkOf('parent'), child: linkOf('child'), origin: readOrigin(element), line };
  if (type === 'planar' || type === 'floating')
    notes.push(warning(`joint ${name} is ${type}, and is taken as fixed at 0`));
  if (!isMovable(type)) return { ...joint, axis: [1, 0, 0], lower: 0, upper: 0, mimic: null };
  const mimic = only(element, 'mimic');
  return {
    ...joint,
    axis: readAxis(element),
    ...readLimits(element, type),
    mimic: mimic && {
      joint: knownNumber(mimic, 'joint', joints),
      multiplier: numbersIn(mimic, 'multiplier', [1])[0],
      offset: numbersIn(mimic, 'offset', [0])[0],
    },
  };
}

function readAxis(joint: XmlElement): [number, number, number] {
  const element = only(joint, 'axis');
  const [x, y, z] = numbersIn(element, 'xyz', [1, 0, 0]);
  // Divided by the largest first, so that squares stay in range and a coordinate axis is exact.
  const largest = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  if (largest === 0) throw new FormatError({ line: element!.line }, 'an axis other than 0 0 0', '0 0 0');
  const [u, v, w] = [x / largest, y / largest, z / largest];
  const length = Math.sqrt(u * u + v * v + w * w);
  return [u / length, v / length, w / length];
}

/** A joint without <limit> has none; a missing attribute of it means 0. */
function readLimits(joint: XmlElement, type: JointType): { lower: number; upper: number } {
  const limit = type === 'continuous' ? null : only(joint, 'limit');
  if (!limit) return { lower: Number.NEGATIVE_INFINITY, upper: Number.POSITIVE_INFINITY };
  const [lower] = numbersIn(limit, 'lower', [0]);
  const [upper] = numbersIn(limit, 'upper', [0]);
  if (lower > upper)
    throw new FormatError({ line: limit.line }, 'lower up to upper of <limit>', `${lower} and ${upper}`);
  return { lower, upper };
}

function inOrder(
  elements: readonly XmlElement[],
  links: readonly RobotLink[],
  joints: readonly FileJoint[],
): Pick<Robot, 'links' | 'joints' | 'followers'> {
  const below: number[][] = links.map(() => []);
  const above = new Map<number, FileJoint>();
  for (const [k, joint] of joints.entries()) {
    const other = above.get(joint.child);
    if (other) {
      const twice = `${quoted(links[joint.child].name)}, which joint ${quoted(other.name)} leads to`;
      throw new FormatError({ line: joint.line }, 'a child that no other joint leads to', twice);
    }
    above.set(joint.child, joint);
    below[joint.parent].push(k);
  }
  const roots = links.flatMap((_, n) => (above.has(n) ? [] : [n]));
  if (roots.length > 1) {
    const names = roots.slice(0, 3).map((n) => links[n].name);
    const found = `${roots.length}: ${names.join(', ')}${roots.length > 3 ? ', ...' : ''}`;
    throw new FormatError({ line: elements[roots[1]].line }, 'one link that is no child', found);
  }
  const order: { link: number; joint: number }[] = [];
  const stack = roots.map((link) => ({ link, joint: -1 }));
  for (let next = stack.pop(); next; next = stack.pop()) {
    order.push(next);
    for (const k of below[next.link].toReversed()) stack.push({ link: joints[k].child, joint: k });
  }
  if (order.length < links.length) {
    const reached = new Set(order.map(({ link }) => link));
    const left = links.findIndex((_, n) => !reached.has(n));
    throw new FormatError({ line: above.get(left)!.line }, 'links that make a tree', 'joints that make a ring');
  }
  const linkNumber = new Map(order.map(({ link }, n) => [link, n]));
  const jointNumber = new Map(order.slice(1).map(({ joint }, n) => [joint, n]));
  const sorted = order.slice(1).map(({ joint }) => {
    const { child: _, line: __, parent, mimic, ...rest } = joints[joint];
    const leader = mimic && { ...mimic, joint: jointNumber.get(mimic.joint)! };
    return { ...rest, parent: linkNumber.get(parent)!, mimic: leader };
  });
  const lines = order.slice(1).map(({ joint }) => joints[joint].line);
  return { links: order.map(({ link }) => links[link]), joints: sorted, followers: followersOf(sorted, lines) };
}

function followersOf(joints: readonly RobotJoint[], lines: readonly number[]): number[] {
  const done = new Set<number>();
  for (const [k, { mimic }] of joints.entries()) {
    if (!mimic) continue;
    const chain: number[] = [];
    for (let at = k; joints[at].mimic && !done.has(at); at = joints[at].mimic!.joint) {
      if (chain.length > joints.length)
        throw new FormatError(
          { line: lines[k] },
          'a joint to mimic that stands by itself',
          'joints that mimic each other in a ring',
        );
      chain.push(at);
    }
    for (const at of chain.reverse()) done.add(at);
    const { type, name } = joints[joints[k].mimic!.joint];
    if (!isMovable(type))
      throw new FormatError({ line: lines[k] }, 'a joint to mimic that moves', `${quoted(name)}, which is ${type}`);
  }
  return [...done];
}
