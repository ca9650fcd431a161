/**
 * Reads robots in the Unified Robot Description Format (ROS, urdf/XML): links, their collision
 * shapes, and joints. A robot at rest becomes a file of meshes. Data for simulation and display are
 * ignored.
 */
import { FormatError, InputError, OptionError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { quoted } from '../../base/printable.ts';
import { knownNumber, meant, numbersIn, only, readXml, required, type XmlElement } from '../../base/xml.ts';
import { identity, type Pose } from '../../math/pose.ts';
import type { Mesh } from '../../mesh/mesh.ts';
import { transformMesh } from '../../mesh/mesh.ts';
import { besidePath } from '../beside.ts';
import {
  elementNames,
  type FileMesh,
  type FileNode,
  leftOut,
  type MeshFile,
  missing,
  type Primitive,
  type ReaderNote,
  type Surroundings,
  warning,
  warningsIn,
  wholeMesh,
} from '../mesh-file.ts';
import {
  follow,
  isOfOneValue,
  type JointType,
  jointPoses,
  LARGEST_VALUE,
  numberValues,
  originOf,
  placeOf,
  type Robot,
  type RobotJoint,
  type RobotLink,
  type RobotShape,
  restValues,
} from './robot.ts';

const MOST_LINKS = 10_000;

/** @throws FormatError with the line, also for macros of xacro, and links that make no tree */
export function readUrdf(bytes: Uint8Array): Robot {
  const root = readXml(bytes);
  if (root.name !== 'robot') throw new FormatError({ line: root.line }, '<robot> (URDF)', `<${root.name}>`);
  refuseMacros(root);
  const isNew = isFrom(root, 1, 1);
  const notes: ReaderNote[] = [];
  const elements = root.children.filter(({ name }) => name === 'link');
  if (elements.length === 0) throw new FormatError({ line: root.line }, 'a robot with links', 'none');
  if (elements.length > MOST_LINKS)
    throw new FormatError({ line: root.line }, `at most ${MOST_LINKS} links`, `${elements.length}`);
  const numbers = numbersOf(elements, 'link');
  const links = elements.map((element) => readLink(element, isNew, notes));
  tellOfVisuals(elements, notes);
  const joints = root.children.filter(({ name }) => name === 'joint');
  const jointNumbers = numbersOf(joints, 'joint');
  const read = joints.map((element) => readJoint(element, isNew, { links: numbers, joints: jointNumbers }, notes));
  return { name: root.attributes.get('name') ?? '', ...inOrder(elements, links, read), notes };
}

/** Before links are in order: numbers are the file's. */
interface FileJoint extends Omit<RobotJoint, 'first'> {
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

/** True if the robot's version, 1.0 unless given, is this one or newer. */
function isFrom({ attributes }: XmlElement, major: number, minor: number): boolean {
  const [, own = 0, part = 0] = /^\s*(\d+)\.(\d+)\s*$/.exec(attributes.get('version') ?? '') ?? [];
  return Number(own) > major || (Number(own) === major && Number(part) >= minor);
}

/** Refuses attributes and elements by name: ignoring one could give another pose or shape. */
function requireKnown(element: XmlElement, attributes: readonly string[]): void {
  const { line } = element;
  const known = attributes.join(', ');
  const named = `<${element.name}>`;
  for (const name of element.attributes.keys()) {
    if (attributes.includes(name) || /^xmlns(:|$)/.test(name)) continue;
    throw new FormatError({ line }, `no attribute of ${named} but ${known}`, quoted(name) + meant(name, attributes));
  }
  const [child] = element.children;
  if (child) throw new FormatError({ line: child.line }, `no element in ${named}`, `<${child.name}>`);
}

/** Refuses elements whose names are almost those of a pose or a shape; ROS ignores the others. */
function refuseMisspelled(element: XmlElement, names: readonly string[], harmless: readonly string[]): void {
  for (const { name, line } of element.children) {
    if (names.includes(name) || harmless.includes(name)) continue;
    const near = name === 'pose' ? 'origin' : nearest(name, [...harmless, ...names]);
    if (near === null || !names.includes(near)) continue;
    throw new FormatError({ line }, `<${near}> in <${element.name}>`, `<${name}>, which URDF does not have`);
  }
}

const ORIGIN = ['xyz', 'rpy', 'quat_xyzw'];

/** @param isNew the robot is of version 1.1 or newer: ROS ignores quaternions of older ones */
function readOrigin(element: XmlElement, isNew: boolean): Pose {
  const origin = only(element, 'origin');
  if (!origin) return identity();
  requireKnown(origin, ORIGIN);
  const { attributes, line } = origin;
  const xyz = numbersIn(origin, 'xyz', [0, 0, 0]);
  if (!attributes.has('quat_xyzw')) return originOf(xyz, numbersIn(origin, 'rpy', [0, 0, 0], LARGEST_VALUE));
  if (!isNew)
    throw new FormatError({ line }, '<robot version="1.1"> for quat_xyzw of <origin>', 'an older or no version');
  if (attributes.has('rpy')) throw new FormatError({ line }, 'rpy or quat_xyzw of <origin>', 'both');
  const quaternion = numbersIn(origin, 'quat_xyzw', [0, 0, 0, 1]);
  if (quaternion.every((x) => x === 0))
    throw new FormatError({ line }, 'a rotation as quat_xyzw of <origin>', quaternion.join(' '));
  return placeOf(xyz, quaternion);
}

function readLink(element: XmlElement, isNew: boolean, notes: ReaderNote[]): RobotLink {
  const name = required(element, 'name');
  const shapes: RobotShape[] = [];
  for (const collision of element.children.filter((child) => child.name === 'collision')) {
    const shape = readShape(collision, isNew);
    if (shape) shapes.push(shape);
    else
      notes.push(
        leftOut(name, 'a shape without a size'),
        warning(`line ${collision.line}: a shape of link ${name} has no size, and is left out`),
      );
  }
  return { name, shapes };
}

const SHAPES: Readonly<Record<string, readonly string[]>> = {
  box: ['size'],
  cylinder: ['radius', 'length'],
  capsule: ['radius', 'length'],
  sphere: ['radius'],
  mesh: ['filename', 'scale'],
};
const NAMES = Object.keys(SHAPES);

/** Null for a shape without any size. */
function readShape(collision: XmlElement, isNew: boolean): RobotShape | null {
  const { line } = collision;
  refuseMisspelled(collision, ['origin', 'geometry'], ['material', 'verbose']);
  const geometry = only(collision, 'geometry');
  const found = geometry?.children ?? [];
  const expected = `one of ${NAMES.map((name) => `<${name}>`).join(', ')} in the <geometry> of a <collision>`;
  if (found.length !== 1) throw new FormatError({ line: geometry?.line ?? line }, expected, `${found.length}`);
  const element = found[0];
  if (!NAMES.includes(element.name))
    throw new FormatError({ line: element.line }, expected, `<${element.name}>, which URDF does not have`);
  requireKnown(element, SHAPES[element.name]);
  requireKnown({ ...geometry!, children: [] }, ['name']);
  const origin = readOrigin(collision, isNew);
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

/** The axis of planar joints in MoveIt, independent of the file. */
const Z = [0, 0, 1] as const;

const TYPES: readonly JointType[] = ['fixed', 'revolute', 'continuous', 'prismatic', 'planar', 'floating'];

const JOINT = ['origin', 'parent', 'child', 'axis', 'limit', 'mimic'];

function readJoint(
  element: XmlElement,
  isNew: boolean,
  { links, joints }: Record<'links' | 'joints', ReadonlyMap<string, number>>,
  notes: ReaderNote[],
): FileJoint {
  const { line } = element;
  refuseMisspelled(element, JOINT, ['dynamics', 'calibration', 'safety_controller']);
  const name = required(element, 'name');
  const type = required(element, 'type') as JointType;
  if (!TYPES.includes(type))
    throw new FormatError({ line }, `a type of joint (${TYPES.join(', ')})`, quoted(type) + meant(type, TYPES));
  const linkOf = (end: 'parent' | 'child'): number => {
    const found = only(element, end);
    if (!found) throw new FormatError({ line }, `<${end} link="..."> in <joint>`, 'none');
    return knownNumber(found, 'link', links);
  };
  const origin = readOrigin(element, isNew);
  const joint = { name, type, parent: linkOf('parent'), child: linkOf('child'), origin, line };
  const mimic = only(element, 'mimic');
  if (!isOfOneValue(type)) {
    if (mimic && type !== 'fixed')
      throw new FormatError({ line: mimic.line }, 'a joint of one value to mimic another', `one that is ${type}`);
    const axis = type === 'planar' && only(element, 'axis') ? readAxis(element) : Z;
    if (axis.some((x, k) => x !== Z[k]))
      notes.push(
        warning(`line ${line}: joint ${name} is planar: it moves in x and y and turns about z, not ${axis.join(' ')}`),
      );
    return { ...joint, axis: Z, lower: 0, upper: 0, mimic: null };
  }
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

/** A joint without <limit> has none; a missing attribute in it means 0. */
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
      throw new FormatError({ line: joint.line }, 'a child link of one joint', twice);
    }
    above.set(joint.child, joint);
    below[joint.parent].push(k);
  }
  const roots = links.flatMap((_, n) => (above.has(n) ? [] : [n]));
  if (roots.length > 1) {
    const names = roots.slice(0, 3).map((n) => links[n].name);
    const found = `${roots.length}: ${names.join(', ')}${roots.length > 3 ? ', ...' : ''}`;
    throw new FormatError({ line: elements[roots[1]].line }, 'one root link', found);
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
    throw new FormatError({ line: above.get(left)!.line }, 'links that form a tree', 'joints that form a cycle');
  }
  const linkNumber = new Map(order.map(({ link }, n) => [link, n]));
  const jointNumber = new Map(order.slice(1).map(({ joint }, n) => [joint, n]));
  const sorted = order.slice(1).map(({ joint }) => {
    const { child: _, line: __, parent, mimic, ...rest } = joints[joint];
    const leader = mimic && { ...mimic, joint: jointNumber.get(mimic.joint)! };
    return { ...rest, parent: linkNumber.get(parent)!, mimic: leader };
  });
  const lines = order.slice(1).map(({ joint }) => joints[joint].line);
  return {
    links: order.map(({ link }) => links[link]),
    joints: numberValues(sorted),
    followers: followersOf(sorted, lines),
  };
}

function followersOf(joints: readonly Omit<RobotJoint, 'first'>[], lines: readonly number[]): number[] {
  const done = new Set<number>();
  for (const [k, { mimic }] of joints.entries()) {
    if (!mimic) continue;
    const chain: number[] = [];
    for (let at = k; joints[at].mimic && !done.has(at); at = joints[at].mimic!.joint) {
      if (chain.length > joints.length)
        throw new FormatError(
          { line: lines[k] },
          'a joint to mimic that mimics no other',
          'joints that mimic each other in a cycle',
        );
      chain.push(at);
    }
    for (const at of chain.reverse()) done.add(at);
    const { type, name } = joints[joints[k].mimic!.joint];
    if (!isOfOneValue(type))
      throw new FormatError(
        { line: lines[k] },
        'a joint to mimic that turns or slides',
        `${quoted(name)}, which is ${type}`,
      );
  }
  return [...done];
}

/** Reads a mesh, but no robot; passed in because the table of formats imports this file. */
type ReadMeshes = (bytes: Uint8Array, around: Surroundings) => Promise<MeshFile>;

/** Most coordinates of all meshes, once for each scale: 2 GiB. */
const MOST_COORDINATES = 2 ** 28;

/**
 * A shape whose mesh cannot be read is missing, with a note; the others are read.
 *
 * @param readMeshes reads the files that it names
 */
export async function readRobotFile(
  bytes: Uint8Array,
  around: Surroundings,
  readMeshes: ReadMeshes,
): Promise<MeshFile> {
  const robot = readUrdf(bytes);
  const shapes = robot.links.flatMap((link) => link.shapes);
  const notes = [...robot.notes];
  const lacking = new Map<string, string>();
  const surfaces = new Map<string, Mesh>();
  const lines = new Map<string, number>();
  for (const { mesh, line } of shapes) if (mesh && !lines.has(mesh.path)) lines.set(mesh.path, line);
  for (const [path, line] of lines) {
    try {
      const file = await readNamed(path, around, readMeshes);
      notes.push(...warningsIn(file.notes).map((text) => warning(`${path}: ${text}`)));
      const [lost] = file.notes.filter(({ kind }) => kind === 'missing');
      if (lost) lacking.set(path, `${path}: ${lost.element}: ${lost.text}`);
      // A link's mesh is one part, without groups.
      surfaces.set(path, { ...wholeMesh(file), groups: [] });
    } catch (error) {
      if (!(error instanceof InputError) || error instanceof OptionError) throw error;
      lacking.set(path, new FormatError({ line }, 'a mesh that can be read', problemOf(path, error)).message);
    }
  }
  const meshes: FileMesh[] = [];
  const known = new Map<string, number>();
  let coordinates = 0;
  const numbers = shapes.map(({ mesh, line }) => {
    if (!mesh || !surfaces.has(mesh.path)) return null;
    const key = `${mesh.scale} ${mesh.path}`;
    let number = known.get(key);
    if (number !== undefined) return number;
    const surface = surfaces.get(mesh.path)!;
    coordinates += surface.positions.length;
    if (coordinates > MOST_COORDINATES)
      throw new FormatError(
        { line },
        `meshes of at most ${MOST_COORDINATES} coordinates, with all their scales`,
        'more',
      );
    number = meshes.push({ name: mesh.path, mesh: scaled(surface, mesh.scale, line) }) - 1;
    known.set(key, number);
    return number;
  });
  const names = partNames(robot);
  for (const [n, { mesh }] of shapes.entries()) {
    const why = mesh && lacking.get(mesh.path);
    if (why) notes.push(missing(names[n], why, { isPart: surfaces.has(mesh.path) }));
  }
  return { meshes, nodes: nodesOf(robot, numbers, names), units: 'm', notes };
}

function scaled(surface: Mesh, [x, y, z]: readonly number[], line: number): Mesh {
  const mesh = transformMesh(surface, Float64Array.of(x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1));
  if (!mesh.positions.every(Number.isFinite))
    throw new FormatError({ line }, 'a scale that leaves coordinates finite', `${x} ${y} ${z}`);
  return mesh;
}

async function readNamed(path: string, around: Surroundings, readMeshes: ReadMeshes): Promise<MeshFile> {
  const open = (inner: string): Uint8Array => around.open(besidePath(path, inner));
  const file = await readMeshes(around.open(path), { name: path, open });
  if (file.units === null || file.units === 'm') return file;
  throw new InputError(`a mesh in ${file.units}, not in meters`);
}

function problemOf(path: string, error: InputError): string {
  if (error instanceof FormatError) return error.describe(path);
  return error.message.startsWith(`${path}:`) ? error.message : `${path}: ${error.message}`;
}

export function partNames(robot: Robot): string[] {
  const shapes = robot.links.flatMap((link) => link.shapes);
  // The mesh numbers do not matter.
  const nodes = nodesOf(robot, Array(shapes.length).fill(0));
  return elementNames({ meshes: [], nodes, units: null, notes: [] }).filter((_, n) => nodes[n].mesh !== null);
}

/**
 * A node for each link, and below it one for each shape; all joints are at rest.
 *
 * @param names of the shapes, which stay the same if some have no mesh
 */
function nodesOf(robot: Robot, meshes: readonly (number | null)[], names?: readonly string[]): FileNode[] {
  const { links, joints } = robot;
  const values = restValues(robot);
  follow(robot, values);
  const local = [identity(), ...jointPoses(robot, values)];
  const nodes: FileNode[] = [];
  const numbers: number[] = [];
  let shape = 0;
  for (const [n, { name, shapes }] of links.entries()) {
    const parent = n === 0 ? -1 : numbers[joints[n - 1].parent];
    numbers.push(nodes.push({ name, parent, matrix: local[n], mesh: null }) - 1);
    for (const [k, { origin, primitive }] of shapes.entries())
      nodes.push({
        name: names?.[shape] ?? (shapes.length === 1 ? name : `${name}/${k + 1}`),
        parent: numbers[n],
        matrix: origin,
        mesh: meshes[shape++],
        ...(primitive && { primitive }),
      });
  }
  return nodes;
}
