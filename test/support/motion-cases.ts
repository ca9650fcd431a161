/**
 * Pairs whose first impact is known in closed form: when it is, that there is none, or that they touch at one instant alone. Lengths
 * and times are of the order of 1 unless the name says otherwise.
 */
import { rotation } from '../../src/math/pose.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import type { ImpactOptions, RigidMotion } from '../../src/motion/motion.ts';
import { readFrep } from '../../src/representations/frep/make/model.ts';
import { moving, still } from './motions.ts';
import { box, grid, mapped } from './shapes.ts';

/** A mesh, or the model of a function. */
export type Shape = Mesh | { object: object };

export const isFunction = (shape: Shape): shape is { object: object } => 'object' in shape;
export const modelOf = ({ object }: { object: object }) => readFrep(JSON.stringify({ object }));

export interface MotionCase {
  name: string;
  a: Shape;
  b: Shape;
  motionA: RigidMotion;
  motionB: RigidMotion;
  options?: ImpactOptions;
  /**
   * When they touch first, and how far that number is off; where it is for an instant alone, no time of contact need be found,
   * and where they graze each other, that may be undecided from an earlier time on. `never`; or `hardly`: never, but they are so close
   * that bounds of speed alone cannot tell at the resolution.
   */
  truth: { at: number; within?: number; isInstant?: boolean; isGrazing?: boolean } | 'never' | 'hardly';
  /** How much sooner than that rounding alone may make it undecided. */
  early?: number;
}

/** The least coordinates are those of the first corner. */
const boxFrom = ([x, y, z]: number[], [w, h, d]: number[]): Mesh =>
  mapped(box(w, h, d), (p, q, r) => [p + x + w / 2, q + y + h / 2, r + z + d / 2]);
const triangles = (...corners: number[]): Mesh => ({
  positions: Float64Array.from(corners),
  triangles: Uint32Array.from({ length: corners.length / 3 }, (_, i) => i),
  groups: [],
});
/** A triangle without area. */
const segment = (from: number[], to: number[]): Mesh => triangles(...from, ...to, ...from);
const ball = (radius: number): Shape => ({ object: { sphere: { radius } } });
/** Ten by ten, at right angles to x, y or z. */
const plateX = (x: number): Mesh => mapped(grid(3), (u, v) => [x, 10 * u - 5, 10 * v - 5]);
const plateY = (y: number): Mesh => mapped(grid(3), (u, v) => [10 * u - 5, y, 10 * v - 5]);
const plateZ = (z: number): Mesh => mapped(grid(3), (u, v) => [10 * u - 5, 10 * v - 5, z]);

const { PI, SQRT1_2, SQRT2, acos, asin, atan2, cos, hypot, sqrt } = Math;
const SQRT3 = sqrt(3);

const straight: MotionCase[] = [
  {
    name: 'a cube meets another, face to face',
    a: box(2),
    b: box(1),
    motionA: still(),
    motionB: moving({ at: [4, 0.25, 0], velocity: [-16, 0, 0] }),
    truth: { at: 2.5 / 16 },
  },
  {
    name: 'both are carried along by what is common to them',
    a: box(2),
    b: box(1),
    motionA: moving({ at: [10, 20, -30], velocity: [100, -200, 300] }),
    motionB: moving({ at: [14, 20.25, -30], velocity: [84, -200, 300] }),
    truth: { at: 2.5 / 16, within: 1e-13 },
  },
  {
    name: 'an edge meets a face',
    a: box(2),
    b: box(1),
    motionA: still(),
    motionB: moving({ at: [4, 0, 0.125], velocity: [-16, 0, 0], facing: rotation(0, 0, 1, 45) }),
    truth: { at: (3 - SQRT1_2) / 16 },
  },
  {
    name: 'a corner meets a face',
    a: box(2),
    b: box(1),
    motionA: still(),
    // The cube's diagonal (1, 1, 1) is turned to -z.
    motionB: moving({
      at: [0.1, 0.2, 4],
      velocity: [0, 0, -8],
      facing: rotation(-1, 1, 0, 180 - (acos(1 / SQRT3) * 180) / PI),
    }),
    truth: { at: (3 - SQRT3 / 2) / 8 },
  },
  {
    name: 'edges cross',
    a: triangles(-1, 0, 0, 1, 0, 0, 0, 0, -1),
    b: triangles(0, -1, 0, 0, 1, 0, 0, 0, 1),
    motionA: still(),
    motionB: moving({ at: [0.25, 0.125, 1], velocity: [0, 0, -4] }),
    truth: { at: 0.25 },
  },
  {
    name: 'a cube slides along another in one plane with its face',
    a: box(2),
    b: box(2),
    motionA: still(),
    motionB: moving({ at: [8, 0, 2], velocity: [-16, 0, 0] }),
    truth: { at: 0.375 },
  },
  {
    name: 'a cube slides along another with an edge on its edge',
    a: box(2),
    b: box(2),
    motionA: still(),
    motionB: moving({ at: [8, 2, 2], velocity: [-16, 0, 0] }),
    truth: { at: 0.375 },
  },
  {
    name: 'two squares touch at one corner for an instant',
    a: box(2),
    b: box(2),
    motionA: still(),
    motionB: moving({ at: [4, 0, 0], velocity: [-8, 8, 0] }),
    truth: { at: 0.25, isInstant: true },
  },
  {
    name: 'a cube passes another 2^-30 apart',
    a: box(2),
    b: box(2),
    motionA: still(),
    motionB: moving({ at: [8, 0, 2 + 2 ** -30], velocity: [-16, 0, 0] }),
    truth: 'hardly',
  },
  {
    name: 'a sheet passes another 1e-6 apart',
    a: plateZ(0),
    b: plateZ(1e-6),
    motionA: still(),
    motionB: moving({ at: [20, 0, 0], velocity: [-40, 0, 0] }),
    truth: 'hardly',
  },
  {
    name: 'a cube goes away',
    a: box(2),
    b: box(1),
    motionA: still(),
    motionB: moving({ at: [1.5 + 2 ** -20, 0, 0], velocity: [5, 0, 0] }),
    truth: 'never',
  },
  {
    name: 'a cube stops just before another',
    a: box(2),
    b: box(1),
    motionA: still(),
    motionB: moving({ at: [3.5 + 2 ** -20, 0, 0], velocity: [-2, 0, 0] }),
    truth: 'never',
  },
  {
    name: 'a cube touches another at its last instant',
    a: box(2),
    b: box(1),
    motionA: still(),
    motionB: moving({ at: [3.5, 0, 0], velocity: [-2, 0, 0] }),
    truth: { at: 1, isInstant: true },
  },
  {
    name: 'they touch at the first instant',
    a: box(2),
    b: box(1),
    motionA: still(),
    motionB: moving({ at: [1.5, 0, 0], velocity: [2, 0, 0] }),
    truth: { at: 0 },
  },
  {
    name: 'nothing moves, apart',
    a: box(2),
    b: box(1),
    motionA: still(),
    motionB: moving({ at: [2, 0, 0] }),
    truth: 'never',
  },
  {
    name: 'with a clearance',
    a: box(2),
    b: box(1),
    motionA: still(),
    motionB: moving({ at: [4, 0.25, 0], velocity: [-16, 0, 0] }),
    options: { clearance: 0.5 },
    truth: { at: 2 / 16, within: 1e-12 },
  },
  {
    name: 'another clock',
    a: box(2),
    b: box(1),
    motionA: moving({ begin: 10, end: 14 }),
    motionB: moving({ at: [44, 0.25, 0], velocity: [-4, 0, 0], begin: 10, end: 14 }),
    truth: { at: 42.5 / 4, within: 1e-13 },
  },
];

/** Sizes, speeds and places that are far from 1. */
const extreme: MotionCase[] = [
  {
    name: 'a needle through a sheet at a speed of 1e6',
    a: plateZ(0),
    b: box(1e-3, 1e-3, 0.1),
    motionA: still(),
    motionB: moving({ at: [0.1, 0.2, 5e5], velocity: [0, 0, -1e6] }),
    truth: { at: (5e5 - 0.05) / 1e6, isInstant: true },
  },
  {
    name: 'a sheet across a sheet at a speed of 2^20',
    a: plateZ(0),
    b: plateZ(0),
    motionA: still(),
    motionB: moving({ at: [0, 0, 2 ** 18], velocity: [0, 0, -(2 ** 20)] }),
    truth: { at: 0.25, isInstant: true },
  },
  {
    name: 'a point through a sheet at a speed of 1e9',
    a: plateZ(0),
    b: segment([0, 0, 0], [0, 0, 0]),
    motionA: still(),
    motionB: moving({ at: [0.1, 0.3, 1e8], velocity: [0, 0, -1e9] }),
    truth: { at: 0.1, isInstant: true },
    early: 1e-5,
  },
  {
    name: 'a needle past the rim of a sheet at a speed of 1e6',
    a: plateZ(0),
    b: box(1e-3, 1e-3, 0.1),
    motionA: still(),
    motionB: moving({ at: [5.0006, 0.2, 5e5], velocity: [0, 0, -1e6] }),
    truth: 'hardly',
  },
  {
    name: 'a billionth apart, at a hundred-millionth a unit of time',
    a: box(2),
    b: box(2),
    motionA: still(),
    motionB: moving({ at: [2 + 2 ** -30, 0, 0], velocity: [-(2 ** -27), 0, 0] }),
    truth: { at: 0.125, within: 1e-7 },
    early: 1e-3,
  },
  {
    name: 'cubes of 1e-9',
    a: box(2e-9),
    b: box(1e-9),
    motionA: still(),
    motionB: moving({ at: [4e-9, 0.25e-9, 0], velocity: [-16e-9, 0, 0] }),
    truth: { at: 2.5 / 16, within: 1e-12 },
  },
  {
    name: 'cubes of 1e9',
    a: box(2e9),
    b: box(1e9),
    motionA: still(),
    motionB: moving({ at: [4e9, 0.25e9, 0], velocity: [-16e9, 0, 0] }),
    truth: { at: 2.5 / 16, within: 1e-12 },
  },
  {
    name: 'far from the origin',
    a: boxFrom([2 ** 30 - 1, -(2 ** 30), 0], [2, 2, 2]),
    b: boxFrom([2 ** 30 + 3.5, 0.5 - 2 ** 30, 0], [1, 1, 1]),
    motionA: still(),
    motionB: moving({ velocity: [-16, 0, 0] }),
    truth: { at: 2.5 / 16, within: 1e-7 },
    early: 1e-4,
  },
  {
    name: 'a wide sheet before a small cube',
    a: mapped(grid(1), (u, v) => [1e6 * u - 5e5, 1e6 * v - 5e5, 0]),
    b: box(1),
    motionA: still(),
    motionB: moving({ at: [0.1, 0.2, 4], velocity: [1, 1, -16] }),
    truth: { at: 3.5 / 16 },
    early: 1e-3,
  },
];

const rodPhase = atan2(0.05, 2);
const turning: MotionCase[] = [
  {
    name: 'a rod without thickness turns onto a plate',
    a: plateY(1),
    b: segment([0, 0, 0], [2, 0, 0]),
    motionA: still(),
    motionB: moving({ turn: PI / 2 }),
    truth: { at: 1 / 3, within: 1e-12 },
  },
  {
    name: 'a rod turns onto a plate',
    a: plateY(1),
    b: boxFrom([0, -0.05, -0.05], [2, 0.1, 0.1]),
    motionA: still(),
    motionB: moving({ turn: PI / 2 }),
    truth: { at: (asin(1 / hypot(2, 0.05)) - rodPhase) / (PI / 2), within: 1e-12 },
  },
  {
    name: 'a rod turns below a plate',
    a: plateY(2.002),
    b: boxFrom([0, -0.05, -0.05], [2, 0.1, 0.1]),
    motionA: still(),
    motionB: moving({ turn: 2 * PI }),
    truth: 'never',
  },
  {
    name: 'a square wheel in a tight place',
    a: plateX(0.6),
    b: box(1),
    motionA: still(),
    motionB: moving({ turn: 1 }),
    truth: { at: PI / 4 - acos(0.6 / SQRT1_2), within: 1e-12 },
  },
  {
    name: 'a square wheel reaches a wall by 1e-9',
    a: plateX(SQRT1_2 - 1e-9),
    b: box(1),
    motionA: still(),
    motionB: moving({ turn: 1 }),
    truth: { at: PI / 4 - acos((SQRT1_2 - 1e-9) / SQRT1_2), within: 1e-8, isGrazing: true },
  },
  {
    name: 'a square wheel misses a wall by 1e-6',
    a: plateX(SQRT1_2 + 1e-6),
    b: box(1),
    motionA: still(),
    motionB: moving({ turn: 5 }),
    truth: 'hardly',
  },
  {
    name: 'a square wheel turns a hundred times before it is there',
    a: plateX(2),
    b: box(1),
    motionA: still(),
    motionB: moving({ at: [1, 0, 0], velocity: [1.1483, 0, 0], turn: 200 * PI }),
    truth: wheel(1, 1.1483, 200 * PI, 2),
  },
  {
    name: 'a rod round a far point',
    a: plateY(0),
    b: boxFrom([99, -1, -1], [2, 2, 2]),
    motionA: still(),
    // It stands at the top first; of its corners (r, -1), r from 99, the nearest comes down first.
    motionB: moving({ at: [-100, 0, 0], turn: -PI / 2, facing: rotation(0, 0, 1, 90) }),
    truth: { at: 1 - atan2(1, 99) / (PI / 2), within: 1e-11 },
  },
];

/** A unit square that rolls towards a wall at x = wall: bisection of the first time at which a corner is there. */
function wheel(from: number, speed: number, turn: number, wall: number): Exclude<MotionCase['truth'], string> {
  const reach = (t: number): number => {
    const angle = (((turn * t) % (PI / 2)) + PI / 2) % (PI / 2);
    return from + speed * t + SQRT1_2 * cos(angle - PI / 4);
  };
  const steps = 4e5;
  let k = 0;
  while (reach(k / steps) < wall) k++;
  let [low, high] = [(k - 1) / steps, k / steps];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (reach(middle) < wall) low = middle;
    else high = middle;
  }
  return { at: high, within: 1e-10, isGrazing: true };
}

/** A window in the plane x = 0, from a radius of 0.5 to 1.5, that a point on a screw passes at a quarter turn. */
const window = (low: number, high: number): Mesh =>
  triangles(0, 0.5, low, 0, 1.5, low, 0, 1.5, high, 0, 0.5, low, 0, 1.5, high, 0, 0.5, high);
const radial = segment([0.9, 0, 0], [1.1, 0, 0]);

const screws: MotionCase[] = [
  {
    name: 'a screw onto a plate',
    a: plateZ(1),
    b: boxFrom([-1, -1, 0], [2, 2, 0.5]),
    motionA: still(),
    motionB: moving({ velocity: [0, 0, 1], turn: 7 }),
    truth: { at: 0.5, within: 1e-12 },
  },
  {
    name: 'a blade on a screw of ten turns meets a blade between two turns',
    a: window(0.41, 0.44),
    b: radial,
    motionA: still(),
    motionB: moving({ velocity: [0, 0, 1], turn: 20 * PI }),
    truth: { at: 0.425, within: 1e-12, isInstant: true },
  },
  {
    name: 'a blade on a screw of ten turns passes a blade between two turns',
    a: window(0.43, 0.52),
    b: radial,
    motionA: still(),
    motionB: moving({ velocity: [0, 0, 1], turn: 20 * PI }),
    truth: 'never',
  },
  {
    name: 'a thick blade on a screw of ten turns',
    a: window(0.4, 0.45),
    b: boxFrom([0.9, -0.01, -0.01], [0.2, 0.02, 0.02]),
    motionA: still(),
    motionB: moving({ velocity: [0, 0, 1], turn: 20 * PI }),
    // The leading edge at the greatest angle: its corner (0.9, 0.01).
    truth: { at: 0.425 - atan2(0.01, 0.9) / (20 * PI), within: 1e-12 },
  },
  {
    name: 'a screw carried along with what it screws into',
    a: plateZ(1),
    b: boxFrom([-1, -1, 0], [2, 2, 0.5]),
    motionA: moving({ velocity: [3, -2, 1] }),
    motionB: moving({ velocity: [3, -2, 2], turn: 7 }),
    truth: { at: 0.5, within: 1e-12 },
  },
];

const functions: MotionCase[] = [
  {
    name: 'a ball falls on a plate',
    a: plateZ(0),
    b: ball(0.5),
    motionA: still(),
    motionB: moving({ at: [0.1, 0.2, 3], velocity: [0, 0, -4] }),
    truth: { at: 2.5 / 4 },
  },
  {
    name: 'a ball meets a ball off its centre',
    a: ball(0.75),
    b: ball(0.5),
    motionA: still(),
    motionB: moving({ at: [3, 0.6, 0], velocity: [-5, 0, 0] }),
    truth: { at: (3 - sqrt(1.25 ** 2 - 0.36)) / 5 },
  },
  {
    name: 'a ball passes a ball',
    a: ball(0.75),
    b: ball(0.5),
    motionA: still(),
    motionB: moving({ at: [3, 1.3, 0], velocity: [-5, 0, 0] }),
    truth: 'never',
  },
  {
    name: 'a ball meets the edge of a cube',
    a: box(2),
    b: ball(0.5),
    motionA: still(),
    motionB: moving({ at: [4, 4, 0.3], velocity: [-4, -4, 0] }),
    truth: { at: (3 * SQRT2 - 0.5) / (4 * SQRT2) },
  },
  {
    name: 'a ball meets the corner of a cube',
    a: box(2),
    b: ball(0.5),
    motionA: still(),
    motionB: moving({ at: [4, 4, 4], velocity: [-4, -4, -4] }),
    truth: { at: (3 * SQRT3 - 0.5) / (4 * SQRT3) },
  },
  {
    name: 'a ball on a circle meets one on its way',
    a: ball(0.5),
    b: ball(0.5),
    motionA: moving({ at: [0, 5, 0] }),
    motionB: moving({ about: [-5, 0, 0], turn: PI }),
    truth: { at: (PI / 2 - 2 * asin(0.1)) / PI, within: 1e-12 },
  },
  {
    name: 'a turning box of a function meets a wall',
    a: plateX(0.6),
    b: { object: { box: { size: [1, 1, 1] } } },
    motionA: still(),
    motionB: moving({ turn: 1 }),
    // A function's cells take long at a finer one.
    options: { timeResolution: 2 ** -12 },
    truth: { at: PI / 4 - acos(0.6 / SQRT1_2), within: 1e-12 },
  },
];

export const MOTION_CASES: MotionCase[] = [...straight, ...extreme, ...turning, ...screws, ...functions];
