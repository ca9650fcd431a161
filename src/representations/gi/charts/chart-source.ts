/** A part of the surface and where it lies in its square: what samples are taken from, and what deviations are measured against. */
import { triangleDistanceSquared } from '../../../mesh/triangle-tree.ts';
import { resample, type SurfaceSamples } from '../resample.ts';

export interface ChartSource {
  positions: Float64Array;
  triangles: ArrayLike<number>;
  /** Unit normals per vertex. */
  normals: Float64Array;
  /** Place of each triangle's corners, x, y at 2h. */
  corners: Float64Array;
  /** Whether the square is the pillowcase. */
  folded: boolean;
  /** The clean mesh's triangle that each triangle is part of. */
  source: ArrayLike<number>;
}

export const sampleChart = (source: ChartSource, size: number): SurfaceSamples =>
  resample(source.positions, source.triangles, source.normals, source, size, source.folded);

const corners = new Float64Array(18);

/**
 * The squared distance of the surface to its samples' triangles, integrated over the area, at 2^exponent intervals a side: estimated at the samples of
 * twice as many.
 */
export function interpolationError(source: ChartSource, exponent: number): number {
  const fine = sampleChart(source, (2 << exponent) + 1);
  const { size, positions: p } = fine;
  const at = (row: number, column: number): number => 3 * (row * size + column);
  let total = 0;
  for (let row = 0; row + 2 < size; row += 2) {
    for (let column = 0; column + 2 < size; column += 2) {
      const [a, b, c, d] = [at(row, column), at(row, column + 2), at(row + 2, column), at(row + 2, column + 2)];
      const isDown = squaredDistance(p, a, d) <= squaredDistance(p, b, c);
      const order = isDown ? [a, d, c, a, b, d] : [a, b, c, b, d, c];
      order.forEach((v, i) => {
        for (let k = 0; k < 3; k++) corners[3 * i + k] = p[v + k];
      });
      const offset = (v: number): number =>
        Math.min(
          triangleDistanceSquared(corners, 0, p[v], p[v + 1], p[v + 2]),
          triangleDistanceSquared(corners, 9, p[v], p[v + 1], p[v + 2]),
        );
      const middle = at(row + 1, column + 1);
      // Samples between quads count half in each.
      const error =
        2 * offset(middle) +
        offset(at(row, column + 1)) +
        offset(at(row + 1, column)) +
        offset(at(row + 2, column + 1)) +
        offset(at(row + 1, column + 2));
      const area =
        areaOf(p, a, c, middle) + areaOf(p, c, d, middle) + areaOf(p, d, b, middle) + areaOf(p, b, a, middle);
      total += (error / 8) * area;
    }
  }
  return total;
}

function squaredDistance(p: Float64Array, a: number, b: number): number {
  const [x, y, z] = [p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2]];
  return x * x + y * y + z * z;
}

function areaOf(p: Float64Array, a: number, b: number, c: number): number {
  const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
  const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
  const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
  return Math.sqrt(x * x + y * y + z * z) / 2;
}
