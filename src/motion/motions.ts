/**
 * The kinds of motion: still, straight, a screw, through keys, and any function with a bound of its
 * speed. The part about pieces defines the exact motion and proves the bounds.
 */
import { OptionError } from '../base/errors.ts';
import { type OptionTypes, requireOptionTypes, requireThat } from '../base/require.ts';
import { cross } from '../math/linear.ts';
import { moveErrorBound, movePoint, type Pose, validatePose } from '../math/pose.ts';
import type { RigidMotion, SpeedBound } from './motion.ts';
import { bezier, line, type Path, type Swing, swing } from './path.ts';
import { MOST_TURNS, type Turn, type TurnOptions, turnBetween, UP, type Vector, writeTurned } from './turn.ts';

/** Larger coordinates could overflow. */
const LARGEST = 1e150;

/**
 * Returns the motion of an object that stands still, at any time.
 *
 * @throws OptionError for an invalid pose
 * @example const motion = still(translation(1, 0, 0));
 *          motion.speedWithin(0, 1).linear // 0
 */
export function still(pose: ArrayLike<number>): RigidMotion {
  const own = validatePose(pose, 'pose');
  return {
    begin: Number.NEGATIVE_INFINITY,
    end: Number.POSITIVE_INFINITY,
    poseAt: () => own.slice(),
    roundingAt: () => 0,
    speedWithin: () => ({ linear: 0, angular: 0, centre: [0, 0, 0] }),
    accelerationWithin: () => ({ linear: 0, angular: 0, centre: [0, 0, 0] }),
  };
}

/** Times at which a motion begins and ends. Default: 0 and 1. */
export interface TimeOptions {
  begin?: number;
  end?: number;
}

/** Options of `straight`. */
export interface StraightOptions extends TurnOptions, TimeOptions {
  /** The point that moves straight, in the object's frame. Default: its origin. */
  about?: readonly number[];
}

const TIMES: OptionTypes = { begin: 'number', end: 'number', turns: 'number', axis: 'any' };

/**
 * Returns a motion from one pose to another. A point of the object moves straight, at constant
 * speed, while the object turns about it at constant angular velocity, the shortest way unless
 * `turns` is set.
 *
 * @throws OptionError for an invalid pose, point or time; for an axis about which the one pose does
 *   not turn into the other
 * @example const motion = straight(identity(), translation(4, 0, 0));
 *          motion.poseAt(0.25)[3] // 1
 * @example const spin = straight(identity(), identity(), { turns: 1, axis: [0, 0, 1] });
 *          Math.round(spin.poseAt(0.5)[0]) // -1
 */
export function straight(from: ArrayLike<number>, to: ArrayLike<number>, options: StraightOptions = {}): RigidMotion {
  requireOptionTypes(options, { ...TIMES, about: 'any' });
  const [first, last] = keysOf(from, to, options);
  const about = requireVector(options.about ?? [0, 0, 0], 'about');
  return motionOfPieces([straightPiece(first, last, about, turnOf(options, ''))]);
}

/**
 * Returns a screw from one pose to another: a turn about one axis of the common frame together with
 * a shift along it, at constant speed. M. Chasles found it for any two poses (1830). It goes the
 * shortest way unless `turns` is set. Between two poses of the same orientation the motion is
 * straight.
 *
 * @throws OptionError for an invalid pose or time; for an axis about which the one pose does not
 *   turn into the other
 * @example const motion = screw(translation(1, 0, 0), rotation(0, 0, 1, 90));
 *          motion.poseAt(1)[3] // 0
 */
export function screw(
  from: ArrayLike<number>,
  to: ArrayLike<number>,
  options: TurnOptions & TimeOptions = {},
): RigidMotion {
  requireOptionTypes(options, TIMES);
  const [first, last] = keysOf(from, to, options);
  return motionOfPieces([screwPiece(first, last, turnOf(options, ''))]);
}

/** Interpolation between keys. */
export type Between = 'screw' | 'straight' | 'bezier' | 'cubic';

/** An object's pose at a time, and its way on from there. */
export interface MotionKey extends TurnOptions {
  time: number;
  pose: ArrayLike<number>;
  /**
   * With `bezier`: the two control points of the path to the next key, in the common frame.
   * Default: a straight path.
   */
  control?: readonly (readonly number[])[];
}

export interface KeyedOptions {
  /**
   * Without a value, or with `screw`: a screw between consecutive keys. For the other three a point
   * of the object follows a path, while the object turns about it at constant angular velocity.
   *
   * - `straight`: a line
   * - `bezier`: a curve of two control points
   * - `cubic`: the curve of E. Catmull and R. Rom (1974). Its velocity at a key is that from the
   *   previous key to the next one; at the first and the last key, that of the line.
   */
  between?: Between;
  /** The point, in the object's frame. Default: its origin. */
  about?: readonly number[];
}

/**
 * Returns a motion through poses at times.
 *
 * @param keys two or more, each later than the one before
 * @throws OptionError as `straight`, and for keys that are not later than those before
 * @example const motion = keyed([
 *            { time: 0, pose: identity() },
 *            { time: 1, pose: translation(1, 0, 0) },
 *            { time: 3, pose: translation(1, 2, 0) },
 *          ], { between: 'straight' });
 *          motion.poseAt(2)[7] // 1
 */
export function keyed(keys: readonly MotionKey[], options: KeyedOptions = {}): RigidMotion {
  requireOptionTypes(options, { between: 'string', about: 'any' });
  const { between = 'screw' } = options;
  requireThat(between in PIECES, 'between', Object.keys(PIECES).join(', '), between);
  requireThat(between !== 'screw' || options.about === undefined, 'about', 'no about with screws', options.about);
  requireThat(Array.isArray(keys) && keys.length >= 2, 'keys', 'two or more', keys);
  const about = requireVector(options.about ?? [0, 0, 0], 'about');
  const all = keys.map(({ time, pose }, i) => keyOf(time, pose, `keys[${i}].`));
  for (const [i, { time }] of all.entries())
    requireThat(i === 0 || time > all[i - 1].time, `keys[${i}].time`, 'a later time than the key before', time);
  for (const [i, { control }] of keys.entries())
    requireThat(
      control === undefined || between === 'bezier',
      `keys[${i}].control`,
      'no control without bezier',
      control,
    );
  const joint: Joint = { keys, all, about };
  return motionOfPieces(all.slice(1).map((_, i) => PIECES[between](joint, i)));
}

interface Joint {
  keys: readonly MotionKey[];
  all: readonly Key[];
  about: Vector;
}

const PIECES: Record<Between, (joint: Joint, i: number) => Piece> = {
  screw: ({ keys, all }, i) => screwPiece(all[i], all[i + 1], turnOf(keys[i], `keys[${i}].`)),
  straight: ({ keys, all, about }, i) => straightPiece(all[i], all[i + 1], about, turnOf(keys[i], `keys[${i}].`)),
  bezier({ keys, all, about }, i) {
    const { control } = keys[i];
    const turn = turnOf(keys[i], `keys[${i}].`);
    if (control === undefined) return straightPiece(all[i], all[i + 1], about, turn);
    const name = `keys[${i}].control`;
    requireThat(Array.isArray(control) && control.length === 2, name, 'two points', control);
    const [b, c] = control.map((point, k) => requireVector(point, `${name}[${k}]`));
    const path = bezier(pointOf(all[i].pose, about), b, c, pointOf(all[i + 1].pose, about));
    return pieceAlong(all[i], all[i + 1], about, path, turn);
  },
  cubic({ keys, all, about }, i) {
    const path = cubicPath(all, about, i);
    return pieceAlong(all[i], all[i + 1], about, path, turnOf(keys[i], `keys[${i}].`));
  },
};

function straightPiece(from: Key, to: Key, about: Vector, turn: TurnOptions): Piece {
  return pieceAlong(from, to, about, line(pointOf(from.pose, about), pointOf(to.pose, about)), turn);
}

/** A Bezier curve: its control points are a third of the time along its end velocities. */
function cubicPath(all: readonly Key[], about: Vector, i: number): Path {
  const at = (k: number): Vector => pointOf(all[k].pose, about);
  const [start, end] = [at(i), at(i + 1)];
  const third = (all[i + 1].time - all[i].time) / 3;
  const beside = (k: number, sign: number): Vector => {
    const [before, after] = [Math.max(0, k - 1), Math.min(all.length - 1, k + 1)];
    const [p, q] = [at(before), at(after)];
    const f = (sign * third) / (all[after].time - all[before].time);
    const own = at(k);
    return [own[0] + f * (q[0] - p[0]), own[1] + f * (q[1] - p[1]), own[2] + f * (q[2] - p[2])];
  };
  return bezier(start, beside(i, 1), beside(i + 1, -1), end);
}

/** Options of `motionOf`. */
export interface MotionOfOptions extends TimeOptions {
  /** Trusted: proofs about the motion hold only if this bound does. */
  speed: SpeedBound | ((from: number, to: number) => SpeedBound);
  /** A bound of the acceleration, also trusted. With it a search needs a tenth of the steps. */
  acceleration?: SpeedBound | ((from: number, to: number) => SpeedBound);
  /**
   * A bound of the rounding of a pose, also trusted. It is the distance of a point from its exact
   * place, for points no farther than `reach` from the origin of the object's frame. Default: 2^-46
   * of `reach` and of the pose's numbers.
   */
  rounding?: (time: number, reach: number) => number;
}

/**
 * Returns the motion that a function gives. Its speed bound is trusted, not proved.
 *
 * @param poseAt the pose at any time from begin to end
 * @throws OptionError for an invalid bound; later, for an invalid pose
 * @example const swinging = (time) => rotation(0, 0, 1, 30 * Math.sin(time));
 *          const speed = { linear: 0, angular: Math.PI / 6, centre: [0, 0, 0] };
 *          const motion = motionOf(swinging, { speed, begin: 0, end: 10 });
 *          motion.poseAt(0)[0] // 1
 */
export function motionOf(poseAt: (time: number) => ArrayLike<number>, options: MotionOfOptions): RigidMotion {
  requireThat(typeof poseAt === 'function', 'poseAt', 'a function', poseAt);
  const types = { begin: 'number', end: 'number', speed: 'any', acceleration: 'any', rounding: 'function' } as const;
  requireThat(options !== undefined, 'options', 'an object with a bound of the speed', options);
  requireOptionTypes(options, types);
  const { speed, acceleration, rounding } = options;
  const [begin, end] = timesOf(options);
  const own = (time: number): Pose => validatePose(poseAt(time), `pose at time ${time}`);
  return {
    begin,
    end,
    poseAt: own,
    roundingAt(time, reach) {
      if (rounding) return rounding(time, reach);
      const pose = own(time);
      return 2 ** -46 * (reach + Math.abs(pose[3]) + Math.abs(pose[7]) + Math.abs(pose[11]));
    },
    speedWithin: boundedBy(speed, 'speed'),
    ...(acceleration !== undefined && { accelerationWithin: boundedBy(acceleration, 'acceleration') }),
  };
}

function boundedBy(bound: MotionOfOptions['speed'], what: string): (from: number, to: number) => SpeedBound {
  if (typeof bound === 'function') return (from, to) => requireBound(bound(from, to), what);
  const constant = requireBound(bound, what);
  return () => constant;
}

function requireBound(bound: SpeedBound, what: string): SpeedBound {
  const isBound = typeof bound === 'object' && bound !== null && bound.linear >= 0 && bound.angular >= 0;
  requireThat(isBound, what, 'linear and angular from 0, and a centre', bound);
  requireVector(bound.centre, `${what}.centre`);
  return bound;
}

function keysOf(from: ArrayLike<number>, to: ArrayLike<number>, options: TimeOptions): [Key, Key] {
  const [begin, end] = timesOf(options);
  return [
    { time: begin, pose: validatePose(from, 'from') },
    { time: end, pose: validatePose(to, 'to') },
  ];
}

function timesOf({ begin = 0, end = 1 }: TimeOptions): [number, number] {
  requireThat(Math.abs(begin) <= LARGEST, 'begin', 'a time', begin);
  requireThat(Math.abs(end) <= LARGEST && end > begin, 'end', 'a later time than begin', end);
  return [begin, end];
}

function keyOf(time: number, pose: ArrayLike<number>, where: string): Key {
  requireThat(typeof time === 'number' && Math.abs(time) <= LARGEST, `${where}time`, 'a time', time);
  requireThat(typeof pose === 'object' && pose !== null, `${where}pose`, '16, 12 or 7 numbers', pose);
  return { time, pose: validatePose(pose, `${where}pose`) };
}

function turnOf({ turns = 0, axis }: TurnOptions, where: string): TurnOptions {
  const isCount = Number.isInteger(turns) && Math.abs(turns) <= MOST_TURNS;
  requireThat(isCount, `${where}turns`, `a whole number up to ${MOST_TURNS}`, turns);
  if (axis === undefined) return { turns };
  const [x, y, z] = requireVector(axis, `${where}axis`);
  requireThat(x !== 0 || y !== 0 || z !== 0, `${where}axis`, 'a direction other than 0, 0, 0', axis);
  return { turns, axis: [x, y, z] };
}

function requireVector(given: readonly number[], what: string): Vector {
  const isVector = typeof given === 'object' && given !== null && given.length === 3;
  requireThat(isVector, what, 'three numbers', given);
  const [x, y, z] = given;
  for (const part of [x, y, z])
    requireThat(typeof part === 'number' && Math.abs(part) <= LARGEST, what, 'finite numbers up to 1e150', part);
  return [x, y, z];
}

function motionOfPieces(pieces: readonly Piece[]): RigidMotion {
  const begin = pieces[0].from.time;
  const end = pieces[pieces.length - 1].to.time;
  const at = (time: number): number => {
    if (!(time >= begin && time <= end)) throw new OptionError(`time: expected from ${begin} to ${end}, found ${time}`);
    let low = 0;
    let high = pieces.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pieces[middle].to.time < time) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  /** The pieces that share more than a moment with a span. */
  const range = (from: number, to: number): [number, number] => {
    const last = at(to);
    const first = at(from);
    return [pieces[first].to.time === from ? Math.min(last, first + 1) : first, last];
  };
  return {
    begin,
    end,
    poseAt: (time) => pieces[at(time)].poseAt(time),
    // At keys there is no rounding, but searches use this for the times between as well.
    roundingAt: (time, reach) => pieces[at(time)].rounding(reach),
    speedWithin(from, to) {
      const [first, last] = range(from, to);
      const bound = pieces[first].speedWithin(from, Math.min(to, pieces[first].to.time));
      for (let i = first + 1; i <= last; i++) {
        const { from: key, to: next, speedWithin } = pieces[i];
        widen(bound, speedWithin(key.time, Math.min(to, next.time)));
      }
      return bound;
    },
    accelerationWithin(from, to) {
      const [first, last] = range(from, to);
      return first < last ? JUMP : pieces[first].accelerationWithin(from, to);
    },
  };
}

const JUMP: SpeedBound = { linear: Number.POSITIVE_INFINITY, angular: 0, centre: [0, 0, 0] };

/** By |p - other's centre| <= |p - centre| + |both centres|. */
function widen(bound: SpeedBound, other: SpeedBound): void {
  const apart = Math.hypot(...bound.centre.map((x, k) => x - other.centre[k])) * UP;
  bound.linear = Math.max(bound.linear, (other.linear + other.angular * apart) * UP);
  bound.angular = Math.max(bound.angular, other.angular);
}

/*
 * An object's motion between two poses: one of its points follows a path, and it turns about it.
 *
 * Letters: the two poses are at the times T_0 < T_1; p is the point, in the object's frame; c(s)
 * its path, M(s) a turn (path.ts, turn.ts);
 *   P_k x = M_k x + t_k for k = 0, 1; s = (T - T_0) / (T_1 - T_0); e = 2^-53
 * The motion is
 *   X(s) = c(s) + (1 - s) f_0 + s f_1 + M(s) (x - p)
 *   f_k = (M_k p + t_k) - c(k)
 * So X(0) = P_0 x and X(1) = P_1 x, exactly. The poses of keys are met to the bit, pieces join
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

interface Key {
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
function pieceAlong(from: Key, to: Key, p: Vector, path: Path, options?: TurnOptions): Piece {
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

function screwPiece(from: Key, to: Key, options?: TurnOptions): Piece {
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
