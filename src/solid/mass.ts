/**
 * Mass, center and inertia of a solid of triangles, by its volume integrals (B. Mirtich, "Fast and
 * accurate computation of polyhedral mass properties", Journal of Graphics Tools 1(2), 1996).
 * Departure: sums over tetrahedra from the middle of the box replace his integrals over faces. They
 * need no case of a face's direction, and lose as few digits.
 *
 * Letters: p, q, r are a triangle's corners as seen from the middle, s their sum, d their
 * determinant. The tetrahedron of the middle and the triangle has
 *   volume d / 6,   first moments d s / 24,
 *   second moments d (s s^T + p p^T + q q^T + r r^T) / 120
 */

import { OptionError } from '../base/errors.ts';
import { requireOptionTypes, requireThat } from '../base/require.ts';
import { isOfTriangles } from '../engine/operand.ts';
import type { Asset } from '../engine/representation.ts';
import { volumeOf } from './point-queries.ts';
import { bodyOf, openEdgeOf } from './solid.ts';
import { requireInMemory } from './targets.ts';

export interface MassOptions {
  /** Mass per cubed unit of the asset. Default: 1. */
  density?: number;
  /** The whole mass, instead of a density. */
  mass?: number;
}

/** Mass, center of mass and inertia, in the asset's own frame and units. */
export interface MassProperties {
  mass: number;
  /** x, y, z of the center of mass. */
  centre: number[];
  /** Nine numbers, row-major, symmetric: the inertia about the center of mass. */
  inertia: number[];
}

/**
 * Returns the mass, the center of mass and the inertia of an asset of triangles that bound a solid
 * of one density. Within rounding; poses do not change it. Each part counts as often as the surface
 * winds about it, as in `volumeOf`; a surface that is inside out counts as its reverse.
 *
 * @throws OptionError for triangles that bound no solid, with an edge that shows it; if they
 *   enclose no volume; for cubes and F-reps; for an invalid option
 * @example const box = build(readObj(await readFile('assets/box.obj')), { format: 'obb' });
 *          const { mass, centre, inertia } = massOf(box);
 *          mass // 0.125: of edge 0.5
 *          Math.abs(inertia[0] - mass * 0.5 ** 2 / 6) < 1e-12 // true
 */
export function massOf(asset: Asset, options: MassOptions = {}): MassProperties {
  requireInMemory(asset);
  requireOptionTypes(options, { density: 'number', mass: 'number' });
  const { density, mass } = options;
  requireThat(density === undefined || mass === undefined, 'mass', 'no density, too', mass);
  for (const [name, value] of Object.entries({ density, mass }))
    requireThat(
      value === undefined || (value > 0 && value < Number.POSITIVE_INFINITY),
      name,
      'a finite number above 0',
      value,
    );
  if (!isOfTriangles(asset)) throw new OptionError(`massOf: expected triangles, found ${asset.representation}`);
  const reason = openEdgeOf(bodyOf(asset));
  if (reason) throw new OptionError(`massOf: the asset ${reason}`);
  const { volume, centre, inertia } = integralsOf(asset);
  const dense = density ?? (mass === undefined ? 1 : mass / volume);
  return { mass: mass ?? dense * volume, centre, inertia: inertia.map((x) => dense * x) };
}

/** The integrals for density 1. */
function integralsOf(asset: Asset): { volume: number; centre: number[]; inertia: number[] } {
  const { surface, box } = bodyOf(asset);
  const { positions, triangles } = surface;
  const middle = [0, 1, 2].map((k) => box[k] / 2 + box[3 + k] / 2);
  const first = new Float64Array(3);
  const second = new Float64Array(9);
  let sum = 0;
  const corners = new Float64Array(12);
  for (let t = 0; t < triangles.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      for (let c = 0; c < 3; c++) corners[3 * c + k] = positions[3 * triangles[t + c] + k] - middle[k];
      corners[9 + k] = corners[k] + corners[3 + k] + corners[6 + k];
    }
    const [px, py, pz, qx, qy, qz, rx, ry, rz] = corners;
    const d = px * (qy * rz - qz * ry) + py * (qz * rx - qx * rz) + pz * (qx * ry - qy * rx);
    sum += d;
    for (let i = 0; i < 3; i++) {
      first[i] += d * corners[9 + i];
      for (let j = i; j < 3; j++) {
        for (let c = 0; c < 12; c += 3) second[3 * i + j] += d * corners[c + i] * corners[c + j];
      }
    }
  }
  const sign = sum < 0 ? -1 : 1;
  const volume = (sign * sum) / 6;
  const from = Array.from(first, (x) => (sign * x) / 24 / volume);
  const moment = (i: number, j: number): number =>
    (sign * second[3 * Math.min(i, j) + Math.max(i, j)]) / 120 - from[i] * from[j] * volume;
  const trace = moment(0, 0) + moment(1, 1) + moment(2, 2);
  const inertia = Array.from({ length: 9 }, (_, n) => {
    const [i, j] = [Math.floor(n / 3), n % 3];
    return (i === j ? trace : 0) - moment(i, j) + 0; // no -0
  });
  if (!(volumeOf(asset).lower > 0 && isPositive(inertia)))
    throw new OptionError('massOf: the asset encloses no volume');
  return { volume, centre: from.map((x, k) => x + middle[k]), inertia };
}

/** True for nine finite numbers, a symmetric matrix with positive leading minors (Sylvester). */
export function isPositive(m: ArrayLike<number>): boolean {
  const minor = m[0] * m[4] - m[1] * m[1];
  const determinant =
    m[0] * (m[4] * m[8] - m[5] * m[5]) - m[1] * (m[1] * m[8] - m[5] * m[2]) + m[2] * (m[1] * m[5] - m[4] * m[2]);
  return m[0] > 0 && minor > 0 && determinant > 0 && determinant < Number.POSITIVE_INFINITY;
}
