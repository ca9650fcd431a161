/**
 * Motions by one formula, and what an answer about two of them must fulfil. They share no code with src/motion/, whose own motions
 * are tested apart.
 *
 * A point x of the object stands at p + t v + R(t) F (x - o) at time t: its point o runs straight from p with velocity v, and all
 * turns about it at `turn` radians a unit of time. With v along the axis this is a screw, without v a rotation, without `turn` a
 * translation.
 */
import { expect } from 'vitest';
import { check } from '../../src/engine/prepared.ts';
import type { Bracket, Verdict } from '../../src/engine/records.ts';
import type { Asset } from '../../src/engine/representation.ts';
import { compose, identity, type Pose, rotation, translation } from '../../src/math/pose.ts';
import type { Impact, ImpactOptions, RigidMotion } from '../../src/motion/motion.ts';
import { randomDirection, randomRotation } from './agreement.ts';
import type { Random } from './random.ts';

type Point = readonly [number, number, number];

export interface Formula {
  /** p: where the point o stands at time 0. */
  at?: Point;
  /** v. */
  velocity?: Point;
  /** Any length except 0. */
  axis?: Point;
  /** Radians a unit of time. */
  turn?: number;
  /** o, in the object's frame. */
  about?: Point;
  /** F, a rotation. */
  facing?: Pose;
  begin?: number;
  end?: number;
  /** That nothing is said of accelerations. */
  hasSpeedAlone?: boolean;
}

const length = (v: Point): number => Math.hypot(...v);

export function moving(formula: Formula = {}): RigidMotion {
  const { at = [0, 0, 0], velocity = [0, 0, 0], axis = [0, 0, 1], turn = 0, about = [0, 0, 0] } = formula;
  const { facing = identity(), begin = 0, end = 1 } = formula;
  const isStraight = turn === 0 && formula.facing === undefined && length(about) === 0;
  const latest = Math.max(Math.abs(begin), Math.abs(end));
  const centre = about as [number, number, number];
  return {
    begin,
    end,
    poseAt(time) {
      const place = translation(...(at.map((p, k) => p + time * velocity[k]) as [number, number, number]));
      if (isStraight) return place;
      const turned = turn === 0 ? facing : compose(rotation(...axis, ((turn * time) / Math.PI) * 180), facing);
      return compose(place, compose(turned, translation(-about[0], -about[1], -about[2])));
    },
    roundingAt(time, reach) {
      // Of a straight one two roundings a coordinate; else the angle is off by some units in its last place, and each product by one.
      if (isStraight) return 2 ** -51 * (length(at) + Math.abs(time) * length(velocity));
      const turns = 1 + Math.abs(turn) * latest;
      return 2 ** -47 * turns * (reach + length(about) + length(at) + latest * length(velocity));
    },
    speedWithin: () => ({
      linear: length(velocity) * (1 + 2 ** -40),
      angular: Math.abs(turn) * (1 + 2 ** -40),
      centre,
    }),
    // v is constant, and what turns is drawn to its axis.
    ...(!formula.hasSpeedAlone && {
      accelerationWithin: () => ({ linear: 0, angular: turn * turn * (1 + 2 ** -40), centre }),
    }),
  };
}

/** A motion without movement. */
export const still = (facing?: Pose): RigidMotion => moving(facing ? { facing } : {});

/** One from about there past the origin, in a unit of time, that turns up to some times round. */
export function randomMotion(random: Random, far = 3): RigidMotion {
  const from = randomDirection(random).map((x) => far * x) as unknown as Point;
  const towards = randomDirection(random).map((x) => random.between(0, 1.5) * x);
  const kind = random.below(5);
  const stretch = random.between(0.5, 2.5);
  const velocity = from.map((x, k) => (kind === 0 ? 0 : stretch * (towards[k] - x))) as unknown as Point;
  return moving({
    at: kind === 0 ? (towards as unknown as Point) : from,
    velocity,
    axis: kind === 1 && length(velocity) > 0 ? velocity : randomDirection(random),
    turn: kind === 2 ? 0 : random.between(-1, 1) * random.pick([0.1, 3, 3, 20]),
    about: random.below(2) === 0 ? [0, 0, 0] : (randomDirection(random) as Point),
    facing: randomRotation(random),
    hasSpeedAlone: random.below(4) === 0,
  });
}

/** The engine: src/motion/moving-pair.ts, or what stands in for it. */
export type ImpactOf = (
  a: Asset,
  b: Asset,
  motionA: RigidMotion,
  motionB: RigidMotion,
  options: ImpactOptions,
) => Impact;

const verdictAt = (a: Asset, b: Asset, moveA: RigidMotion, moveB: RigidMotion, time: number, clearance = 0): Verdict =>
  check(a, b, { poseA: moveA.poseAt(time), poseB: moveB.poseAt(time), ...(clearance > 0 && { clearance }) }).verdict;

/**
 * Holds an answer to what it says of itself and to `check` at times of its motion: no contact
 * before t0, contact at t1, and nothing ever where it is clear. Returns true if t0 and t1 are as
 * close as requested. If two objects graze each other, or are too close to decide, they need not
 * be.
 *
 * @param options `count`: times that are looked at, evenly; more stand just before t0
 */
export function expectImpact(
  impact: Impact,
  a: Asset,
  b: Asset,
  moveA: RigidMotion,
  moveB: RigidMotion,
  { count = 32, ...options }: ImpactOptions & { count?: number } = {},
): boolean {
  const begin = Math.max(moveA.begin, moveB.begin);
  const end = Math.min(moveA.end, moveB.end);
  const { verdict, first } = impact;
  const ask = (time: number): Verdict => verdictAt(a, b, moveA, moveB, time, options.clearance);
  if (verdict === 'clear' ? first !== null : first === null) expect({ verdict, first }).toBe('first');
  const until = first?.from ?? end;
  if (first) {
    if (!(begin <= first.from && first.from <= first.to && first.to <= end)) expect(first).toBe('in order');
    if (verdict === 'contact' && ask(first.to) !== 'contact') expect({ first, at: ask(first.to) }).toBe('contact');
  }
  const looked = Array.from({ length: count + 1 }, (_, k) => begin + ((end - begin) * k) / count);
  for (let near = 0.3; near > 1e-13; near /= 10) looked.push(until - near * (end - begin));
  for (const time of looked) {
    if (time < begin || (first ? time >= until : time > end)) continue;
    if (ask(time) === 'contact') expect({ impact, touchesAt: time }).toBe('apart');
  }
  // A clock far from 0 has no finer times.
  const most =
    (options.timeResolution ?? 2 ** -20) * (end - begin) + 2 ** -50 * Math.max(Math.abs(begin), Math.abs(end));
  return first === null || first.to - first.from <= most;
}

/** Holds the least distance over time to what `check` measures at many times, and at the time that is told. */
export function expectLeastDistance(
  impact: Impact,
  a: Asset,
  b: Asset,
  moveA: RigidMotion,
  moveB: RigidMotion,
  count = 24,
): void {
  const { distance } = impact;
  if (distance === null) {
    expect(distance).toBe('told');
    return;
  }
  const measure = (time: number) =>
    check(a, b, { poseA: moveA.poseAt(time), poseB: moveB.poseAt(time), distance: true }).bracket as Bracket;
  const { lower, upper, time } = distance;
  if (!(0 <= lower && lower <= upper)) expect(distance).toBe('in order');
  if (measure(time).lower > upper) expect({ distance, measured: measure(time) }).toBe('had at that time');
  const begin = Math.max(moveA.begin, moveB.begin);
  const end = Math.min(moveA.end, moveB.end);
  for (let k = 0; k <= count; k++) {
    const at = begin + ((end - begin) * k) / count;
    if (measure(at).upper < lower) expect({ distance, at, measured: measure(at) }).toBe('farther');
  }
}
