/**
 * A moving solid defined by a function, tested as a whole against hulls of the other object.
 *
 * An answer for one time holds for a span. Let dt be the longest from the middle time m to the
 * span's ends, and v at least the sum of the speeds of the hull's and the solid's points. If they
 * share a point at a time t of the span, the solid's point there was, at m, within v dt of the
 * hull's. So some hull of points within v dt of the hull's at m holds a point of the solid. The
 * solid says `out` if there is none. Slack covers rounding and the clearance.
 */

import type { MovedHull, Solid } from '../engine/narrow-phase.ts';
import { sideOf, solidIn } from '../engine/operand.ts';
import type { Asset } from '../engine/representation.ts';
import { reachOfBox } from '../geometry/rounded-box.ts';
import type { Pose } from '../math/pose.ts';
import { representationOf } from '../representations/kinds.ts';
import type { SpeedBound } from './motion.ts';
import { mostWithin } from './swept-gap.ts';
import type { Moment, Span } from './timeline.ts';

/**
 * Parts of a hull to test: for points that move by MUCH of its size, for others, for short spans.
 */
const HURRIED = 2 ** 6;
const ORDINARY = 2 ** 9;
const EFFORT = 2 ** 12;
const MUCH = 1 / 16;

export interface ClearTest {
  clearance: number;
  isLast: boolean;
}

export class MovingSolid {
  private readonly solids = new WeakMap<Pose, Solid>();

  constructor(
    private readonly asset: Asset,
    private readonly side: 'a' | 'b',
  ) {}

  private at(moment: Moment): Solid {
    const pose = this.side === 'a' ? moment.poseA : moment.poseB;
    let solid = this.solids.get(pose);
    if (!solid) {
      const { asset } = this;
      solid = solidIn(pose, asset, representationOf(asset).solid!);
      this.solids.set(pose, solid);
    }
    return solid;
  }

  speed(bound: SpeedBound): number {
    const { bounds } = sideOf(this.asset).tree;
    return mostWithin(bound, bounds[0], bounds[1], bounds[2], reachOfBox(bounds, 0));
  }

  /**
   * True if the solid stays farther than `clearance` from a hull, given at `middle`, during the
   * span.
   *
   * @param speed an upper bound of the hull's points' speed
   * @param test.isLast true if no shorter span will be tested
   */
  isClear(hull: MovedHull, speed: number, middle: Moment, span: Span, test: ClearTest): boolean {
    const { clearance, isLast } = test;
    const length = Math.max(middle.time - span.from.time, span.to.time - middle.time);
    const most = speed + this.speed(this.side === 'a' ? span.speedA : span.speedB);
    const slack = Math.max(span.slack, middle.slack);
    const within = (most * length + slack + clearance) * (1 + 2 ** -40);
    const effort = isLast ? EFFORT : most * length > MUCH * sizeOf(hull) ? HURRIED : ORDINARY;
    return this.at(middle).ask(hull, within, effort) === 'out';
  }

  /** True if all hulls of points within `way` of these meet the solid; 0: as `check`. */
  isMet(hull: MovedHull, moment: Moment, way: number): boolean {
    return this.at(moment).ask(hull, way, EFFORT) === 'in';
  }
}

function sizeOf({ points, count }: MovedHull): number {
  const last = 3 * (count - 1);
  return Math.hypot(points[last] - points[0], points[last + 1] - points[1], points[last + 2] - points[2]);
}
