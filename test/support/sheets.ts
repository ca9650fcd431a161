/** Sheets, corners and domes that touch to the last bit, and crumbs far out: what every search of geometry images must find. */
import { expect } from 'vitest';
import { compose, identity, type Pose, rotation, translation } from '../../src/math/pose.ts';
import type { GeometryImage } from '../../src/representations/gi/tree/geometry-image.ts';
import { type Grid, sizeOf } from '../../src/representations/gi/tree/grid.ts';
import { buildSphereTree, type SphereMethod } from '../../src/representations/gi/tree/sphere-tree.ts';
import { randomDirection, randomRotation } from './agreement.ts';
import { squareImage } from './gi.ts';
import { seeded } from './random.ts';

const AT_ORIGIN = new Float64Array(3);

/** An image of one square, of 2^exponent quads a side, by a function of its rows and columns. */
export function sheetOf(
  grid: Grid,
  sample: (row: number, column: number) => number[],
  { exponent = 4, method = 'tight' as SphereMethod } = {},
): GeometryImage {
  const size = sizeOf(exponent);
  const geometry = new Uint16Array(3 * size * size);
  for (let v = 0; v < size * size; v++) geometry.set(sample(Math.floor(v / size), v % size), 3 * v);
  return squareImage({ exponent, ...grid, geometry, tree: buildSphereTree(geometry, exponent, grid, method) });
}

/** One unit a side, off the origin. */
export const unitSheet = (): GeometryImage =>
  sheetOf({ origin: Float64Array.of(0.5, -2, 1), step: 2 ** -12 }, (row, column) => [256 * column, 256 * row, 1000]);

/** How many contacts there are of what stands in two poses, after all ways to ask agreed. */
type CountContacts = (poseA: Pose, poseB: Pose) => number;

/** Two of `unitSheet` in an edge, a corner, across an edge, in one plane, and apart by the last bit. */
export function expectSheetsToMeet(count: CountContacts): void {
  const turn = rotation(1, 0, 0, 90);
  for (const [x, y] of [
    [1, 0],
    [1, 1],
    [0, -1],
    [1, 0.5],
    [0.3, 1],
  ]) {
    expect(count(identity(), translation(x, y, 0))).toBeGreaterThan(0);
    const beyond = 1 + 2 ** -48;
    expect(count(identity(), translation(x * beyond, y * beyond, 2 ** -48))).toBe(0);
    count(identity(), compose(translation(x, y, -2), turn));
    count(turn, compose(turn, translation(x, y, 0)));
  }
  expect(count(identity(), identity())).toBeGreaterThan(512);
}

/** Allowed error of a pose's length; its square is then off by 1e-5. */
const LIMIT = 4.9e-6;

/** By how much the poses of a and of b lengthen. */
export const LENGTHENINGS: [number, number][] = [
  [1, 1 + LIMIT],
  [1 - LIMIT, 1],
  [1 - LIMIT, 1 + LIMIT],
  [1 + LIMIT, 1 - LIMIT],
];

/** One unit a side, at the origin. */
export const flatSheet = (): GeometryImage =>
  sheetOf({ origin: AT_ORIGIN, step: 2 ** -12 }, (row, column) => [256 * column, 256 * row, 0]);

/** Two of `flatSheet` that touch in a corner, their spheres too. */
export function expectCornersToMeet([lengthA, lengthB]: [number, number], count: CountContacts): void {
  const lengthen = (by: number) => identity().map((x, i) => (i % 5 === 0 && i < 15 ? by * x : x));
  const poseB = compose(translation(lengthA, lengthA, 0), lengthen(lengthB));
  expect(count(lengthen(lengthA), poseB)).toBe(4);
}

/** A hill with one top. */
export const dome = (): GeometryImage =>
  sheetOf({ origin: AT_ORIGIN, step: 2 ** -10 }, (row, column) => [
    600 * column,
    600 * row,
    20000 - 40 * ((column - 8) ** 2 + (row - 8) ** 2),
  ]);

/**
 * Two of `dome`, one upside down and tilted, each pushed so that a vertex of one is, to the last
 * bits, a vertex of the other's: what rounding tells apart, doubles do not either.
 */
export function expectTopsToMeet(seed: number, count: CountContacts): void {
  const random = seeded(seed);
  const top = [4800, 4800, 20000].map((x) => x * 2 ** -10);
  let contacts = 0;
  for (let i = 0; i < 40; i++) {
    const tilt = rotation(...randomDirection(random), random.between(0, 20));
    const pose = compose(tilt, rotation(1, 0, 0, 180));
    const moved = [0, 1, 2].map((k) => pose[4 * k] * top[0] + pose[4 * k + 1] * top[1] + pose[4 * k + 2] * top[2]);
    const gap = i % 2 === 0 ? 0 : random.between(-1e-12, 1e-12);
    for (let k = 0; k < 3; k++) pose[4 * k + 3] = top[k] - moved[k] + (k === 2 ? gap : 0);
    if (count(identity(), pose) > 0) contacts++;
  }
  expect(contacts).toBeGreaterThan(5);
}

/** A slope far out, where float32 is coarser than a crumb. */
export const slope = (): GeometryImage =>
  sheetOf({ origin: AT_ORIGIN, step: 1 }, (row, column) => [50000 + 16 * column, 50000 + 16 * row, 50000 + 8 * column]);

/** Tiny quads; `farCorner`, steps, moves one corner away: an image of none but tiny quads is left to the descent. */
export const crumb = (farCorner = 0): GeometryImage =>
  sheetOf({ origin: AT_ORIGIN, step: 1e-3 }, (row, column) => [
    40000 + 2 * column + (row + column === 32 ? farCorner : 0),
    40000 + 2 * row,
    40000,
  ]);

/** Crumbs through the slope, in `rounds` poses; returns how many contacts there are. */
export function crumbsThroughSlope(seed: number, rounds: number, count: CountContacts): number {
  const random = seeded(seed);
  let contacts = 0;
  for (let i = 0; i < rounds; i++) {
    const pose = randomRotation(random);
    const across = random.between(20, 230);
    const to = [50000 + across, 50000 + random.between(20, 230), 50000 + across / 2];
    for (let k = 0; k < 3; k++) {
      pose[4 * k + 3] = to[k] - 40.016 * pose[4 * k] - 40.016 * pose[4 * k + 1] - 40 * pose[4 * k + 2];
    }
    contacts += count(identity(), pose);
  }
  return contacts;
}
