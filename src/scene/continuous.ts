/**
 * Finds contacts that frames miss: pairs that begin to touch on the way from one frame to the next.
 *
 * Each moved object follows a motion of its own, in a time from 0 to 1. Boxes of the ways separate
 * most pairs; for the others motion/moving-pair.ts proves when they first touch. A pair that
 * touched before is not tested: one that separates and touches again within one step is not
 * reported.
 *
 * A way's box. Let X(s) be a point of the object at s, v and a bounds of its speed and acceleration
 * (motion.ts) over all of the object. The hull of the boxes at both ends holds the straight way
 * from X(0) to X(1). The distance of X(s) from that way, and from X(0) or X(1), is at most
 *   a s (1 - s) / 2 <= a / 8,   v min(s, 1 - s) <= v / 2
 * So the hull, widened by the lesser, holds the way. The poses at the ends are exact to the bit;
 * the rounding of poses between is added, so that the box also holds what `check` finds.
 */

import { sideOf } from '../engine/operand.ts';
import type { Asset } from '../engine/representation.ts';
import { reachOfBox } from '../geometry/rounded-box.ts';
import type { Impact, RigidMotion, SpeedBound } from '../motion/motion.ts';
import { screw, still, straight } from '../motion/motions.ts';
import { impactOf } from '../motion/moving-pair.ts';
import { BOX, forOverlaps } from './broad-phase.ts';
import type { SurfaceClass } from './classes.ts';
import type { Placed } from './placed.ts';
import type { FrameImpact, StepsOptions } from './records.ts';
import type { Touches } from './touches.ts';

const POSE = 16;
/** Far more than the rounding of sums of lengths. */
const UP = 1 + 2 ** -40;

export const openWays = (placed: Placed, options: StepsOptions): Ways => new Ways(placed, options);

export class Ways {
  private readonly poses: Float64Array;
  private readonly boxes: Float64Array;
  private readonly swept: Float64Array;
  private readonly motions: (RigidMotion | null)[];

  constructor(
    private readonly placed: Placed,
    private readonly options: StepsOptions,
  ) {
    const count = placed.objects.length;
    this.poses = new Float64Array(POSE * count);
    this.boxes = new Float64Array(BOX * count);
    this.swept = new Float64Array(BOX * count);
    this.motions = new Array(count).fill(null);
  }

  leave(): void {
    this.boxes.set(this.placed.boxes);
    for (const [i, { pose }] of this.placed.objects.entries()) this.poses.set(pose, POSE * i);
  }

  arrive(touches: Touches): FrameImpact[] {
    const { placed, motions, swept } = this;
    const count = placed.objects.length;
    for (let i = 0; i < count; i++) this.sweep(i);
    const keys: number[] = [];
    forOverlaps(swept, (i, j) => {
      if ((motions[i] ?? motions[j]) && placed.asked.asks(i, j).length > 0) keys.push(i * count + j);
    });
    return keys.sort((p, q) => p - q).flatMap((key) => this.impactsOf(key, touches) ?? []);
  }

  private sweep(i: number): void {
    const { placed, swept, boxes, motions } = this;
    motions[i] = this.motionOf(i);
    const way = motions[i];
    const wider = way ? wideningOf(way, placed.objects[i].asset) : 0;
    for (let k = BOX * i; k < BOX * i + 3; k++) {
      swept[k] = Math.min(boxes[k], placed.boxes[k]);
      swept[k + 3] = Math.max(boxes[k + 3], placed.boxes[k + 3]);
      if (wider === 0) continue;
      swept[k] -= wider + Math.abs(swept[k]) * 2 ** -50;
      swept[k + 3] += wider + Math.abs(swept[k + 3]) * 2 ** -50;
    }
  }

  private motionOf(i: number): RigidMotion | null {
    const { name, pose } = this.placed.objects[i];
    const from = this.poses.subarray(POSE * i, POSE * i + POSE);
    if (pose.every((x, k) => x === from[k])) return null;
    if (this.options.between !== 'straight') return screw(from, pose);
    const about = this.options.about?.(name);
    return straight(from, pose, about && { about });
  }

  private impactsOf(key: number, touches: Touches): FrameImpact | null {
    const { placed } = this;
    const [before, now] = [touches.classBefore(key), touches.classOf(key)];
    if (before === 'contact' || before === 'undecided') return null;
    const [i, j] = [Math.floor(key / placed.objects.length), key % placed.objects.length];
    const widest = Math.max(...placed.asked.asks(i, j).map(({ clearance }) => clearance));
    let found: SurfaceClass = 'contact';
    let impact = this.ask(i, j, 0);
    if (impact.verdict === 'clear' && before === 'clear' && widest > 0) {
      found = 'near';
      impact = this.ask(i, j, widest);
    }
    const { verdict, first } = impact;
    if (!first) return null;
    const isSeen = now === found;
    if (verdict === 'undecided' && !isSeen) found = 'undecided';
    const [a, b] = placed.namesOf(key);
    const to = verdict === 'undecided' && isSeen ? 1 : first.to;
    return { a, b, class: found, from: first.from, to, isMissed: now !== found };
  }

  private ask(i: number, j: number, clearance: number): Impact {
    const { timeResolution } = this.options;
    const [a, b] = [this.placed.objects[i], this.placed.objects[j]];
    const own = (n: number): RigidMotion => this.motions[n] ?? still(this.placed.objects[n].pose);
    const asked = { clearance, ...(timeResolution !== undefined && { timeResolution }) };
    return impactOf(a.asset, b.asset, own(i), own(j), asked);
  }
}

/** The margin by which the hull of the boxes at both ends holds the way. */
function wideningOf(way: RigidMotion, asset: Asset): number {
  const { tree, reach } = sideOf(asset);
  const { bounds } = tree;
  const around = reachOfBox(bounds, 0);
  const most = ({ linear, angular, centre: [x, y, z] }: SpeedBound): number =>
    linear + angular * (Math.hypot(bounds[0] - x, bounds[1] - y, bounds[2] - z) + around);
  const bySpeed = most(way.speedWithin(0, 1)) / 2;
  const byAcceleration = way.accelerationWithin ? most(way.accelerationWithin(0, 1)) / 8 : Number.POSITIVE_INFINITY;
  return (Math.min(bySpeed, byAcceleration) + way.roundingAt(0.5, reach)) * UP;
}
