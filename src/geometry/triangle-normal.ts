/**
 * The direction that a triangle faces: in doubles, for slivers in whole numbers.
 *
 * Let the longest number of its sides from the first corner be 1. Differences and products are then
 * off by some 2^-52, and so are the numbers of the cross product. If the greatest of these is 2^-20
 * or more, they are right to 2^-31 of it.
 */
import { cross, ratio, shiftOfAll, toSteps } from './exact-point.ts';

const SLIVER = 2 ** -20;

/**
 * Returns the unit normal, on the side from which the corners turn counter-clockwise; undefined
 * without area.
 *
 * @param c nine finite coordinates at 0
 */
export function triangleNormal(c: Float64Array): number[] | undefined {
  let size = 0;
  for (let k = 3; k < 9; k++) size = Math.max(size, Math.abs(c[k] - c[k % 3]));
  const [bx, by, bz] = [(c[3] - c[0]) / size, (c[4] - c[1]) / size, (c[5] - c[2]) / size];
  const [cx, cy, cz] = [(c[6] - c[0]) / size, (c[7] - c[1]) / size, (c[8] - c[2]) / size];
  const normal = [by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx];
  if (Math.max(Math.abs(normal[0]), Math.abs(normal[1]), Math.abs(normal[2])) >= SLIVER) return ofLengthOne(normal);
  return normalOfSliver(c);
}

function normalOfSliver(c: Float64Array): number[] | undefined {
  const shift = shiftOfAll(c, 0, 9);
  const side = (to: number): bigint[] => [0, 1, 2].map((k) => toSteps(c[to + k], shift) - toSteps(c[k], shift));
  const normal = cross(side(3), side(6));
  const sizes = normal.map((x) => (x < 0n ? -x : x));
  const most = sizes.reduce((a, b) => (a > b ? a : b));
  // An unknown ratio is nearly 0.
  return most === 0n ? undefined : ofLengthOne(normal.map((x) => ratio(x, most) || 0));
}

function ofLengthOne(v: number[]): number[] {
  const length = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  return v.map((x) => x / length);
}
