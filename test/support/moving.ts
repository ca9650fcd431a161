/** A simple motion for tests: straight at constant speed, with rotation about a point at constant angular speed. */

import { compose, type Pose, rotation, translation } from '../../src/math/pose.ts';
import type { RigidMotion, SpeedBound } from '../../src/motion/motion.ts';

export interface Moving {
  from?: readonly number[];
  to?: readonly number[];
  axis?: readonly number[];
  degrees?: number;
  first?: number;
  about?: readonly [number, number, number];
  begin?: number;
  end?: number;
  /** Whether nothing is said of accelerations. */
  isRough?: boolean;
}

export function moving(options: Moving = {}): RigidMotion {
  const { from = [0, 0, 0], to = from, axis = [0, 0, 1], degrees = 0, first = 0, about = [0, 0, 0] } = options;
  const { begin = 0, end = 1, isRough = false } = options;
  const length = end - begin;
  const linear = (Math.hypot(...[0, 1, 2].map((k) => to[k] - from[k])) / length) * (1 + 1e-12);
  const angular = ((Math.abs(degrees) * Math.PI) / 180 / length) * (1 + 1e-12);
  const size = Math.max(...[...from, ...to, ...about].map(Math.abs));
  const poseAt = (time: number): Pose => {
    const part = (time - begin) / length;
    const at = [0, 1, 2].map((k) => from[k] + (to[k] - from[k]) * part + about[k]);
    const turn = compose(
      rotation(axis[0], axis[1], axis[2], first + degrees * part),
      translation(-about[0], -about[1], -about[2]),
    );
    return compose(translation(at[0], at[1], at[2]), turn);
  };
  return {
    begin,
    end,
    poseAt,
    roundingAt: (time, reach) =>
      2 ** -48 * (size + reach) * (1 + (Math.abs(degrees) * Math.PI) / 180) +
      (linear + angular * (reach + size)) * 2 ** -52 * Math.max(Math.abs(begin), Math.abs(time), Math.abs(end)),
    speedWithin: (): SpeedBound => ({ linear, angular, centre: about }),
    ...(!isRough && {
      accelerationWithin: (): SpeedBound => ({ linear: 0, angular: angular ** 2 * (1 + 1e-12), centre: about }),
    }),
  };
}
