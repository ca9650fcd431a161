/**
 * The point of a triangle nearest to a point, and their distance, in doubles. The direction that a
 * triangle faces.
 *
 * C. Ericson, "Real-Time Collision Detection", 2005, section 5.1.5. Even after rounding, the
 * weights are those of a point of the triangle, except for 2^-52 of its size. So the result is
 * below the true distance by at most 2^-48 of the coordinates' sizes. For slivers it may be above
 * it by more.
 */
import { cross, ratio, shiftOfAll, toSteps } from './exact-point.ts';

const weights = new Float64Array(2);

/** Returns the distance of (x, y, z) from the triangle at `at`; writes the nearest point. */
export function pointTriangle(
  corners: Float64Array,
  at: number,
  x: number,
  y: number,
  z: number,
  out: Float64Array,
): number {
  const px = x - corners[at];
  const py = y - corners[at + 1];
  const pz = z - corners[at + 2];
  const bx = corners[at + 3] - corners[at];
  const by = corners[at + 4] - corners[at + 1];
  const bz = corners[at + 5] - corners[at + 2];
  const cx = corners[at + 6] - corners[at];
  const cy = corners[at + 7] - corners[at + 1];
  const cz = corners[at + 8] - corners[at + 2];
  const bp = bx * px + by * py + bz * pz;
  const cp = cx * px + cy * py + cz * pz;
  const bb = bx * bx + by * by + bz * bz;
  const bc = bx * cx + by * cy + bz * cz;
  const cc = cx * cx + cy * cy + cz * cz;
  weigh(bp, cp, bb, bc, cc);
  const v = weights[0];
  const w = weights[1];
  const qx = v * bx + w * cx;
  const qy = v * by + w * cy;
  const qz = v * bz + w * cz;
  out[0] = corners[at] + qx;
  out[1] = corners[at + 1] + qy;
  out[2] = corners[at + 2] + qz;
  const dx = px - qx;
  const dy = py - qy;
  const dz = pz - qz;
  return Math.sqrt(dx * dx + dy * dy + dz * dz);
}

/** Writes the nearest point's weights: never less than 0, their sum no more than 1. */
function weigh(bp: number, cp: number, bb: number, bc: number, cc: number): void {
  weights[0] = 0;
  weights[1] = 0;
  if (bp <= 0 && cp <= 0) return;
  if (bp >= bb && cp - bc <= bp - bb) {
    weights[0] = 1;
    return;
  }
  const vc = bb * cp - bc * bp;
  if (vc <= 0 && bp >= 0 && bp <= bb) {
    weights[0] = share(bp, bb);
    return;
  }
  if (cp >= cc && bp - bc <= cp - cc) {
    weights[1] = 1;
    return;
  }
  const vb = cc * bp - bc * cp;
  if (vb <= 0 && cp >= 0 && cp <= cc) {
    weights[1] = share(cp, cc);
    return;
  }
  const va = bb * cc - bc * bc - vc - vb;
  const fromB = cp - bc - (bp - bb);
  const fromC = bp - bc - (cp - cc);
  if (va <= 0 && fromB >= 0 && fromC >= 0) {
    weights[1] = share(fromB, fromB + fromC);
    weights[0] = 1 - weights[1];
    return;
  }
  const sum = va + vb + vc;
  weights[0] = share(vb, sum);
  weights[1] = Math.min(share(vc, sum), 1 - weights[0]);
}

/** Keeps the quotient between 0 and 1, even after rounding. */
const share = (part: number, whole: number): number => (part > 0 && whole > part ? part / whole : part > 0 ? 1 : 0);

/*
 * The direction that a triangle faces: in doubles, for slivers in whole numbers.
 *
 * Let the longest number of its sides from the first corner be 1. Differences and products are then
 * off by some 2^-52, and so are the numbers of the cross product. If the greatest of these is 2^-20
 * or more, they are right to 2^-31 of it.
 */

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
