/**
 * A moving solid that a function defines, beside hulls of the other object: it answers for all of
 * itself.
 *
 * Why an answer for one time is one for a span. Let dt be the longest from the middle time m to the
 * span's ends, and v no less than the sum of the speeds of the hull's points and of the solid's. If
 * they shared a point at a time t of the span, the solid's point there was, at m, within v dt of the
 * hull's: so some hull of points within v dt of the hull's at m holds a point of the solid. The
 * solid says `out` where there is none. With slack for what is rounded, and a clearance.
 */

import { reachOfBox } from '../geometry/rounded-box.ts';
import type { Pose } from '../math/pose.ts';
import type { MovedHull, Solid } from '../query/narrow-phase.ts';
import type { Asset } from '../query/representation.ts';
import { representationOf } from '../representations/kinds.ts';
import { sideOf, solidIn } from '../representations/operand.ts';
import type { SpeedBound } from './motion.ts';
import { mostWithin } from './swept-gap.ts';
import type { Moment, Span } from './timeline.ts';

/**
 * Parts of a hull that the solid looks at: while points move by much of the hull's size, while by
 * less, and in the shortest span.
 */
const HURRIED = 2 ** 6;
const ORDINARY = 2 ** 9;
const EFFORT = 2 ** 12;
/** Much of a hull's size. */
const MUCH = 1 / 16;

export class MovingSolid {
  private readonly solids = new WeakMap<Pose, Solid>();

  constructor(
    private readonly asset: Asset,
    private readonly isA: boolean,
  ) {}

  private at(moment: Moment): Solid {
    const pose = this.isA ? moment.poseA : moment.poseB;
    let solid = this.solids.get(pose);
    if (!solid) {
      const { asset } = this;
      solid = solidIn(pose, asset, representationOf(asset).solid!);
      this.solids.set(pose, solid);
    }
    return solid;
  }

  /** No less than how fast any point of the solid is. */
  speed(bound: SpeedBound): number {
    const { bounds } = sideOf(this.asset).tree;
    return mostWithin(bound, bounds[0], bounds[1], bounds[2], reachOfBox(bounds, 0));
  }

  /**
   * Whether no point of the solid comes as near as `clearance` to a hull while the span lasts.
   *
   * @param middle a time within it, at which the hull is as given
   * @param speed no less than how fast any point of the hull is
   * @param isLast whether a shorter span will not be asked about
   */
  isClear(hull: MovedHull, speed: number, middle: Moment, span: Span, clearance: number, isLast: boolean): boolean {
    const length = Math.max(middle.time - span.from.time, span.to.time - middle.time);
    const most = speed + this.speed(this.isA ? span.speedA : span.speedB);
    const slack = Math.max(span.slack, middle.slack);
    const within = (most * length + slack + clearance) * (1 + 2 ** -40);
    const effort = isLast ? EFFORT : most * length > MUCH * sizeOf(hull) ? HURRIED : ORDINARY;
    return this.at(middle).ask(hull, within, effort) === 'out';
  }

  /** Whether every hull of points within `way` of these surely has a point of it; 0: as `check` asks. */
  isMet(hull: MovedHull, moment: Moment, way: number): boolean {
    return this.at(moment).ask(hull, way, EFFORT) === 'in';
  }
}

/** From the first point of a hull to the last. */
function sizeOf({ points, count }: MovedHull): number {
  const last = 3 * (count - 1);
  return Math.hypot(points[last] - points[0], points[last + 1] - points[1], points[last + 2] - points[2]);
}
