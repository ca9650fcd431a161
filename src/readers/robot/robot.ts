/**
 * A robot: links, the joints between them, and the links' poses for values of the joints.
 *
 * Sines are those of math/sine.ts, the same on every machine, since a robot's asset has these
 * poses.
 */
import { OptionError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { compose, identity, type Pose } from '../../math/pose.ts';
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

/** `planar` and `floating` joints do not move here. */
export type JointType = 'fixed' | 'revolute' | 'continuous' | 'prismatic' | 'planar' | 'floating';

export interface RobotJoint {
  name: string;
  type: JointType;
  parent: number;
  /** From the joint's frame, which is the child's, to the parent's, at the value 0. */
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

/** True if states set the joint. */
export const isDriven = ({ type, mimic }: RobotJoint): boolean => isMovable(type) && mimic === null;

export const isMovable = (type: JointType): boolean =>
  type === 'revolute' || type === 'continuous' || type === 'prismatic';

/** Default values: 0, or the limit nearest to it. */
export function restValues({ joints }: Robot): Float64Array {
  return Float64Array.from(joints, ({ type, lower, upper }) => (isMovable(type) ? clamp(0, lower, upper) : 0));
}

const clamp = (x: number, lower: number, upper: number): number => Math.min(Math.max(x, lower), upper);

export const LARGEST_VALUE = LARGEST_ANGLE;

export function follow({ joints, followers }: Robot, values: Float64Array): void {
  for (const k of followers) {
    const { joint, multiplier, offset } = joints[k].mimic!;
    values[k] = multiplier * values[joint] + offset;
  }
  for (const [k, { name }] of joints.entries()) {
    if (Math.abs(values[k]) <= LARGEST_VALUE) continue;
    throw new OptionError(
      `joint ${printable(name)}: expected a value of size at most ${LARGEST_VALUE}, found ${values[k]}`,
    );
  }
}

/** From each joint's child to its parent, for values of all joints: see `follow`. */
export const jointPoses = ({ joints }: Robot, values: Float64Array): Pose[] =>
  joints.map(({ origin, type, axis }, k) => {
    if (!isMovable(type)) return origin;
    return compose(origin, type === 'prismatic' ? slide(axis, values[k]) : turn(axis, values[k]));
  });

/** In the frame of the root, which is at the origin. Values are as for `jointPoses`. */
export function linkPoses(robot: Robot, values: Float64Array): Pose[] {
  const poses = [identity()];
  for (const [k, pose] of jointPoses(robot, values).entries()) poses.push(compose(poses[robot.joints[k].parent], pose));
  return poses;
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
export function originOf([x, y, z]: readonly number[], [roll, pitch, yaw]: readonly number[]): Pose {
  const turned = compose(turn([0, 0, 1], yaw), compose(turn([0, 1, 0], pitch), turn([1, 0, 0], roll)));
  turned[3] = x;
  turned[7] = y;
  turned[11] = z;
  return turned;
}
