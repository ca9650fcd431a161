/**
 * An object's motion between two poses: one of its points follows a path, and it turns about it.
 *
 * Letters: the two poses are at the times T_0 < T_1; p is the point, in the object's frame; c(s)
 * its path, M(s) a turn (path.ts, turn.ts);
 *   P_k x = M_k x + t_k for k = 0, 1; s = (T - T_0) / (T_1 - T_0); e = 2^-53
 * The motion is
 *   X(s) = c(s) + (1 - s) f_0 + s f_1 + M(s) (x - p)
 *   f_k = (M_k p + t_k) - c(k)
 * So X(0) = P_0 x and X(1) = P_1 x, exactly: the poses of keys are met to the bit, pieces join
 * without a jump, and `check` of a key's pose holds for the motion at that time. f_k is only
 * rounding, since c(k) is its first term as computed; it is 0 if p is 0.
 *
 * Error of a pose. s is computed by three roundings: within 3.1 e s. With M'(s) within m of M(s),
 * and c' within g of c, a pose's numbers are M' and
 *   t' = c'(s) - M'(s) p
 * So X and M' x + t' differ by no more than the sum of
 *   m (|x| + |p|), g, max |f_k| and, unless p is 0, the rounding of t'.
 * The latter is four roundings of numbers below the following, 4.1 e times that:
 *   |c| + sqrt(3) 1.0002 |p|
 *
 * Speed.
 *   dX/ds = c' + f_1 - f_0 + M' (x - p),   |M'| <= |t| |M_0 + s H| + |H| (turn.ts)
 * M_0 + s H lies between M_0 and Q^T M_1, so it lengthens no more than the poses do. In a screw p
 * is 0, and the point y of the object with M_0 y = n, about, moves along the axis. There, plus
 * terms of H:
 *   dX/ds = a + t (cos r (v + w x M_0 y) + sin r (n + w x (w x M_0 y)))
 *
 * Acceleration, and at y of a screw, plus terms of H:
 *   d2X/ds2 = c'' + M'' (x - p),   |M''| <= t^2 |M_0 + s H| + 2 |t| |H|
 *   t^2 (cos r (n + w x (w x M_0 y)) - sin r (v + w x M_0 y))
 */

import { cross } from '../math/linear.ts';
import { moveErrorBound, movePoint, type Pose } from '../math/pose.ts';
import type { SpeedBound } from './motion.ts';
import { type Path, type Swing, swing } from './path.ts';
import { type Turn, type TurnOptions, turnBetween, UP, type Vector, writeTurned } from './turn.ts';

export interface Key {
  time: number;
  pose: Pose;
}

export interface Piece {
  from: Key;
  to: Key;
  poseAt(time: number): Pose;
  rounding(reach: number): number;
  speedWithin(from: number, to: number): SpeedBound;
  accelerationWithin(from: number, to: number): SpeedBound;
}

const E = 2 ** -53;
/** Far more than the error of s. */
const OFF = 2 ** -50;
/** Below this angle the bound of a far axis is no tighter than that of the origin. */
const TELLING_ANGLE = 0.1;

export function pointOf(pose: Pose, [x, y, z]: Vector): Vector {
  const out = new Float64Array(3);
  movePoint(pose, x, y, z, out, 0);
  return [out[0], out[1], out[2]];
}

/** The piece whose point p follows a path; the path's ends are those of `pointOf`. */
export function pieceAlong(from: Key, to: Key, p: Vector, path: Path, options?: TurnOptions): Piece {
  const turn = turnBetween(from.pose, to.pose, options);
  const reach = Math.hypot(...p) * UP;
  const isCentred = reach === 0;
  const off = isCentred ? 0 : Math.max(moveErrorBound(from.pose, reach), moveErrorBound(to.pose, reach));
  const shifted = isCentred ? 0 : 4.1 * E * (path.size + 1.8 * reach);
  return pieceOf(
    from,
    to,
    { p, turn, path, error: (turn.error * reach + path.error + off + shifted) * UP },
    {
      centre: p,
      speed: (s0, s1) => path.speed(s0, s1) + 2 * off,
      acceleration: path.acceleration,
    },
  );
}

export function screwPiece(from: Key, to: Key, options?: TurnOptions): Piece {
  const turn = turnBetween(from.pose, to.pose, options);
  const path = swing(shiftOf(from.pose), shiftOf(to.pose), turn);
  const bounds = boundsAtAxis(turn, path) ?? { centre: ORIGIN, speed: path.speed, acceleration: path.acceleration };
  return pieceOf(from, to, { p: ORIGIN, turn, path, error: path.error * UP }, bounds);
}

const ORIGIN: Vector = [0, 0, 0];
const shiftOf = (pose: Pose): Vector => [pose[3], pose[7], pose[11]];

interface PointBounds {
  centre: Vector;
  speed(s0: number, s1: number): number;
  acceleration(s0: number, s1: number): number;
}

function boundsAtAxis(turn: Turn, { along, v, n }: Swing): PointBounds | null {
  const { axis, angle, from: m, restNorm } = turn;
  const arm = Math.hypot(...n);
  const t = Math.abs(angle);
  if (arm === 0 || (t < TELLING_ANGLE && along > (t * arm) / 4)) return null;
  const centre: Vector = [
    m[0] * n[0] + m[3] * n[1] + m[6] * n[2],
    m[1] * n[0] + m[4] * n[1] + m[7] * n[2],
    m[2] * n[0] + m[5] * n[1] + m[8] * n[2],
  ];
  const y: Vector = [
    m[0] * centre[0] + m[1] * centre[1] + m[2] * centre[2],
    m[3] * centre[0] + m[4] * centre[1] + m[5] * centre[2],
    m[6] * centre[0] + m[7] * centre[1] + m[8] * centre[2],
  ];
  const turned = cross(axis, y);
  const inward = cross(axis, turned);
  const slips = Math.hypot(v[0] + turned[0], v[1] + turned[1], v[2] + turned[2]);
  const strays = Math.hypot(n[0] + inward[0], n[1] + inward[1], n[2] + inward[2]);
  // y and both products round by less than 32 e of their operands; |axis| is within 4 e of 1.
  const rounding = 64 * E * (Math.hypot(...v) + arm + Math.hypot(...y));
  const off = slips + strays + rounding;
  const arms = restNorm * Math.hypot(...centre);
  const speed = (along + t * off + (t + 1) * arms) * UP;
  const acceleration = (t * t * off + t * (t + 2) * arms) * UP;
  return { centre, speed: () => speed, acceleration: () => acceleration };
}

/** Infinity if squares left the range of doubles. */
const upward = (bound: number): number => (bound >= 0 ? bound : Number.POSITIVE_INFINITY);

interface Parts {
  p: Vector;
  turn: Turn;
  path: Path;
  error: number;
}

function pieceOf(
  from: Key,
  to: Key,
  { p, turn, path, error }: Parts,
  { centre, speed, acceleration }: PointBounds,
): Piece {
  const span = to.time - from.time;
  const t = Math.abs(turn.angle);
  const turning = ((t * turn.norm + turn.restNorm) / span) * UP;
  const bending = ((t * (t * turn.norm + 2 * turn.restNorm)) / span / span) * UP;
  const least = (time: number): number => Math.max(0, ((time - from.time) / span) * (1 - OFF));
  const most = (time: number): number => Math.min(1, ((time - from.time) / span) * (1 + OFF));
  const isCentred = p[0] === 0 && p[1] === 0 && p[2] === 0;
  const point = new Float64Array(3);
  return {
    from,
    to,
    poseAt(time) {
      if (time === from.time) return from.pose.slice();
      if (time === to.time) return to.pose.slice();
      const s = (time - from.time) / span;
      const pose = new Float64Array(16);
      writeTurned(turn, s, pose);
      path.pointAt(s, point);
      for (let k = 0; k < 3; k++) {
        const r = 4 * k;
        pose[r + 3] = isCentred ? point[k] : point[k] - (pose[r] * p[0] + pose[r + 1] * p[1] + pose[r + 2] * p[2]);
      }
      pose[15] = 1;
      return pose;
    },
    rounding: (reach) => upward((error + turn.error * reach) * UP),
    speedWithin(begin, end) {
      return { linear: upward((speed(least(begin), most(end)) / span) * UP), angular: turning, centre };
    },
    accelerationWithin(begin, end) {
      return { linear: upward((acceleration(least(begin), most(end)) / span / span) * UP), angular: bending, centre };
    },
  };
}
