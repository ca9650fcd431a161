/** Steps through frames of poses, and reports by name which pairs begin or end to touch. */
import { OptionError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { requireThat } from '../base/require.ts';
import { copyPose, hasFrame, isRigid, isRigidAt, isSamePoseAt, type Pose, validatePose } from '../math/pose.ts';
import { forOverlaps } from './broad-phase.ts';
import { FramePairs, Motion } from './motion.ts';
import type { Placed } from './placed.ts';
import type { Frame, FramePoses, Touching } from './records.ts';
import type { Asks } from './rules.ts';
import type { PairClass, Touch, Touches } from './touches.ts';

export class Steps {
  private readonly motion: Motion;
  /** Copies of the poses to apply, as one may be a moved object's old pose; and their objects. */
  private readonly given: Pose[] = [];
  private readonly owners: Uint32Array;
  /** Poses of other lengths and arrays, as matrices. */
  private readonly made: Pose[] = [];
  private readonly labels: string[] = [];
  private readonly names: string[] = [];
  private readonly numbers: number[] = [];

  /** @param placed must not be moved by others */
  constructor(private readonly placed: Placed<Asks>) {
    this.motion = new Motion(placed, forOverlaps);
    this.owners = new Uint32Array(placed.objects.length);
  }

  get touches(): Touches {
    return this.motion.touches;
  }

  /** Follows changes of geometry in place. */
  renew(): void {
    this.motion.renew();
  }

  askAnew(): void {
    this.motion.askAnew();
  }

  step(poses: FramePoses): Frame {
    this.takePoses(poses);
    this.motion.settle();
    return this.changes();
  }

  /** Moves objects. Frames must be answered in their order. */
  advance(poses: FramePoses): FramePairs {
    this.takePoses(poses);
    return this.motion.collect(new FramePairs());
  }

  /** @param classes of the pairs in `asked`; by default computed here, at the current poses */
  answer(pairs: FramePairs, classes?: readonly PairClass[]): Frame {
    this.motion.answer(pairs, classes);
    return this.changes();
  }

  touching(): Touching[] {
    return [...this.touches.list].sort(byKey).map((touch) => {
      const [a, b] = this.placed.namesOf(touch.key);
      return { a, b, class: touch.class as Touching['class'] };
    });
  }

  private changes(): Frame {
    const { changed } = this.touches;
    const frame: Frame = { began: [], ended: [] };
    if (changed.length > 1) changed.sort(byKey);
    for (let n = 0; n < changed.length; n++) {
      const touch = changed[n];
      if (touch.before === 'clear') frame.began.push(this.placed.namesOf(touch.key));
      else if (touch.class === 'clear') frame.ended.push(this.placed.namesOf(touch.key));
    }
    return frame;
  }

  /** Validates all poses before it applies any. */
  private takePoses(poses: FramePoses): void {
    if (poses instanceof Float64Array) this.takeAll(poses);
    else {
      requireThat(!ArrayBuffer.isView(poses), 'poses', 'poses by name, or a Float64Array', 'another array');
      this.takeNamed(poses);
    }
  }

  private takeAll(poses: Float64Array): void {
    const { owners, placed, motion } = this;
    const { length } = placed.objects;
    if (poses.length !== POSE * length)
      throw new OptionError(`poses: expected ${POSE * length} numbers, ${POSE} an object, found ${poses.length}`);
    const now = placed.poses;
    let count = 0;
    // Objects that have left their places, or may have, are listed from the end.
    let far = length;
    for (let i = 0, at = 0; i < length; i++, at += POSE) {
      if (isSamePoseAt(poses, at, now, at) && hasFrame(poses, at)) continue;
      if (motion.isNearby(i, poses, at)) owners[count++] = i;
      else if (isRigidAt(poses, at)) owners[--far] = i;
      else this.refuse(poses.subarray(at, at + POSE), i);
    }
    if (count === length) motion.shiftAll(poses);
    else for (let n = 0; n < count; n++) motion.shift(owners[n], poses, POSE * owners[n]);
    for (let n = length - 1; n >= far; n--) motion.move(owners[n], poses, POSE * owners[n]);
  }

  private refuse(pose: Pose, i: number): void {
    validatePose(pose, `poses[${i}], of ${printable(this.placed.objects[i].name)}`);
  }

  private takeNamed(poses: Readonly<Record<string, Pose | readonly number[]>>): void {
    const { given, owners, placed } = this;
    let count = 0;
    const names = Object.keys(poses);
    for (let n = 0; n < names.length; n++) {
      const i = names[n] === this.names[n] ? this.numbers[n] : this.numberOf(names[n], n);
      const pose = poses[names[n]];
      const to = pose instanceof Float64Array && isRigid(pose) ? pose : this.validated(pose, i);
      if (isSamePoseAt(to, 0, placed.poses, POSE * i)) continue;
      given[count] ??= new Float64Array(16);
      copyPose(to, 0, given[count], 0);
      owners[count++] = i;
    }
    for (let n = 0; n < count; n++) this.motion.move(owners[n], given[n], 0);
  }

  private numberOf(name: string, n: number): number {
    const i = this.placed.numberNamed(name);
    if (i === undefined) throw new OptionError(`poses: the scene has no object ${name}`);
    this.names[n] = name;
    this.numbers[n] = i;
    return i;
  }

  private validated(pose: Pose | readonly number[], i: number): Pose {
    this.made[i] ??= new Float64Array(16);
    this.labels[i] ??= `pose of ${this.placed.objects[i].name}`;
    return validatePose(pose, this.labels[i], this.made[i]);
  }
}

const POSE = 16;
const byKey = (p: Touch, q: Touch): number => p.key - q.key;
