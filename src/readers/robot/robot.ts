/**
 * A robot: links, the joints between them, and the links' poses for values of the joints.
 *
 * Sines are those of math/sine.ts, the same on every machine, since a robot's asset has these
 * poses.
 */
import { OptionError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { compose, identity, type Pose, rotationOfQuaternion } from '../../math/pose.ts';
import { LARGEST_ANGLE, sineCosine } from '../../math/sine.ts';
import type { Primitive, ReaderNote } from '../mesh-file.ts';

export interface RobotShape {
  /** From the shape's frame to the link's. */
  origin: Pose;
  primitive: Primitive | null;
  /** The path in the file, and the factors along its axes. */
  mesh: { path: string; scale: readonly [number, number, number] } | null;
  line: number;
}

export interface RobotLink {
  name: string;
  shapes: RobotShape[];
}

export type JointType = 'fixed' | 'revolute' | 'continuous' | 'prismatic' | 'planar' | 'floating';

export interface RobotJoint {
  name: string;
  type: JointType;
  parent: number;
  /** The number of its first value. */
  first: number;
  /** From the joint's frame, which is the child's, to the parent's, at rest. */
  origin: Pose;
  /** A unit vector. */
  axis: readonly [number, number, number];
  /** Radians or meters; infinite without a limit. */
  lower: number;
  upper: number;
  /** Its value is multiplier x value + offset of another joint. */
  mimic: { joint: number; multiplier: number; offset: number } | null;
}

export interface Robot {
  name: string;
  /** Depth first: the root, then the links of its first joint, and so on. */
  links: RobotLink[];
  /** Joint k leads to link k + 1, so there is one less. */
  joints: RobotJoint[];
  /** Joints that mimic others, each after the one that it mimics. */
  followers: number[];
  notes: ReaderNote[];
}

/** Names of a joint's values, as in MoveIt: `base/x`; one value has the joint's own name. */
const VALUES: Readonly<Record<'planar' | 'floating', readonly string[]>> = {
  planar: ['x', 'y', 'theta'],
  floating: ['trans_x', 'trans_y', 'trans_z', 'rot_x', 'rot_y', 'rot_z', 'rot_w'],
};

const isOfMany = (type: JointType): type is keyof typeof VALUES => type === 'planar' || type === 'floating';

/** True for a joint that turns about its axis or slides along it. */
export const isOfOneValue = (type: JointType): boolean => !isOfMany(type) && type !== 'fixed';

/** A fixed joint has one too, unused: then most values have the number of their joint. */
const countOf = (type: JointType): number => (isOfMany(type) ? VALUES[type].length : 1);

/** Numbers the joints' values, in the joints' order. */
export function numberValues<J extends { type: JointType }>(joints: readonly J[]): (J & { first: number })[] {
  let next = 0;
  return joints.map((joint) => {
    const first = next;
    next += countOf(joint.type);
    return { ...joint, first };
  });
}

/** True if states set the joint. */
export const isDriven = ({ type, mimic }: RobotJoint): boolean => type !== 'fixed' && mimic === null;

/** The values that a name means: those of the joint, from `first`. */
export interface NamedValues {
  joint: number;
  first: number;
  count: number;
}

/** The meaning of each name: all values of a joint, driven or not, or one of several. */
export function namesOfValues({ joints }: Robot): Map<string, NamedValues> {
  const names = new Map<string, NamedValues>();
  for (const [joint, { name, type, first }] of joints.entries()) {
    if (!isOfMany(type)) continue;
    for (const [k, part] of VALUES[type].entries()) names.set(`${name}/${part}`, { joint, first: first + k, count: 1 });
  }
  for (const [joint, { name, type, first }] of joints.entries())
    names.set(name, { joint, first, count: countOf(type) });
  return names;
}

/** Default values: 0, or the limit nearest to it; for a rotation, none. */
export function restValues({ joints }: Robot): Float64Array {
  const values = joints.map(({ type, lower, upper }) => {
    if (isOfMany(type)) return VALUES[type].map((part) => (part === 'rot_w' ? 1 : 0));
    return [isOfOneValue(type) ? clamp(0, lower, upper) : 0];
  });
  return Float64Array.from(values.flat());
}

const clamp = (x: number, lower: number, upper: number): number => Math.min(Math.max(x, lower), upper);

export const LARGEST_VALUE = LARGEST_ANGLE;

/** @throws OptionError for a value that is too large, and for a quaternion of length 0 */
export function follow({ joints, followers }: Robot, values: Float64Array): void {
  for (const k of followers) {
    const { joint, multiplier, offset } = joints[k].mimic!;
    values[joints[k].first] = multiplier * values[joints[joint].first] + offset;
  }
  for (const { name, type, first } of joints) {
    const own = values.subarray(first, first + countOf(type));
    const large = own.find((value) => !(Math.abs(value) <= LARGEST_VALUE));
    if (large !== undefined)
      throw new OptionError(
        `joint ${printable(name)}: expected a value of size at most ${LARGEST_VALUE}, found ${large}`,
      );
    if (type === 'floating' && own.subarray(3).every((value) => value === 0))
      throw new OptionError(`joint ${printable(name)}: expected a rotation, found the quaternion 0 0 0 0`);
  }
}

/** From each joint's child to its parent, for all values: see `follow`. */
export const jointPoses = ({ joints }: Robot, values: Float64Array): Pose[] =>
  joints.map(({ origin, type, axis, first }) => {
    if (type === 'fixed') return origin;
    if (type === 'prismatic') return compose(origin, slide(axis, values[first]));
    if (!isOfMany(type)) return compose(origin, turn(axis, values[first]));
    const own = Array.from(values.subarray(first, first + countOf(type)));
    if (type === 'floating') return compose(origin, placeOf(own.slice(0, 3), own.slice(3)));
    const [x, y, theta] = own;
    return compose(origin, moved(turn(axis, theta), [x, y, 0]));
  });

/** In the frame of the root, which is at the origin. Values are as for `jointPoses`. */
export function linkPoses(robot: Robot, values: Float64Array): Pose[] {
  const poses = [identity()];
  for (const [k, pose] of jointPoses(robot, values).entries()) poses.push(compose(poses[robot.joints[k].parent], pose));
  return poses;
}

/**
 * Attaches the robot to a link without a shape: the joint moves all of it.
 *
 * @param joint one with a name that no other has
 */
export function hang(robot: Robot, joint: { name: string; type: JointType }, world: string): Robot {
  const added = { ...joint, parent: 0, origin: identity(), axis: [0, 0, 1] as const, lower: 0, upper: 0, mimic: null };
  const others = robot.joints.map(({ parent, mimic, ...rest }) => ({
    ...{ ...rest, parent: parent + 1 },
    mimic: mimic && { ...mimic, joint: mimic.joint + 1 },
  }));
  return {
    ...robot,
    links: [{ name: world, shapes: [] }, ...robot.links],
    joints: numberValues([added, ...others]),
    followers: robot.followers.map((k) => k + 1),
  };
}

const slide = ([x, y, z]: readonly number[], by: number): Pose =>
  Float64Array.of(1, 0, 0, x * by, 0, 1, 0, y * by, 0, 0, 1, z * by, 0, 0, 0, 1);

const sineAndCosine = new Float64Array(2);

/** The rotation about an axis of length 1, by radians (O. Rodrigues). */
function turn([x, y, z]: readonly number[], radians: number): Pose {
  sineCosine(radians, sineAndCosine);
  const [s, c] = sineAndCosine;
  const d = 1 - c;
  return Float64Array.of(
    ...[c + d * x * x, d * x * y - s * z, d * x * z + s * y, 0],
    ...[d * y * x + s * z, c + d * y * y, d * y * z - s * x, 0],
    ...[d * z * x - s * y, d * z * y + s * x, c + d * z * z, 0],
    ...[0, 0, 0, 1],
  );
}

/** `xyz` after `rpy`: roll about x, then pitch about y, then yaw about z of the parent's frame. */
export function originOf(xyz: readonly number[], [roll, pitch, yaw]: readonly number[]): Pose {
  return moved(compose(turn([0, 0, 1], yaw), compose(turn([0, 1, 0], pitch), turn([1, 0, 0], roll))), xyz);
}

/** Moves by `xyz` after a rotation by a quaternion x, y, z, w of any length but 0, as ROS does. */
export function placeOf(xyz: readonly number[], quaternion: readonly number[]): Pose {
  // Divided by the largest first, so that squares stay in range.
  const largest = Math.max(...quaternion.map(Math.abs));
  return moved(rotationOfQuaternion(quaternion.map((x) => x / largest)), xyz);
}

/** Writes a rotation's shift. */
function moved(rotation: Pose, [x, y, z]: readonly number[]): Pose {
  rotation[3] = x;
  rotation[7] = y;
  rotation[11] = z;
  return rotation;
}
