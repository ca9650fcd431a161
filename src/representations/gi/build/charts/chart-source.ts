/**
 * A part of the surface and where it lies in its square: what samples are taken from, and what
 * deviations are measured against.
 */
import { twiceArea } from '../../../../mesh/deviation.ts';
import { triangleDistanceSquared } from '../../../../mesh/triangle-tree.ts';
import { resample, type SurfaceSamples } from '../resample.ts';

export interface ChartSource {
  positions: Float64Array;
  triangles: ArrayLike<number>;
  normals: Float64Array;
  /** Place of each triangle's corners: x, y at 2h. */
  corners: Float64Array;
  /** True if the square is the pillowcase. */
  folded: boolean;
  /** The clean mesh's triangle that contains each triangle. */
  source: ArrayLike<number>;
}

export const sampleChart = (source: ChartSource, size: number): SurfaceSamples =>
  resample(source.positions, source.triangles, source.normals, source, size);

const corners = new Float64Array(18);

/**
 * Integrates the squared distance of the surface from its samples at 2^exponent intervals per side
 * over the area. The samples of twice as many give the estimate.
 */
export function interpolationError(source: ChartSource, exponent: number): number {
  const { size, positions: p } = sampleChart(source, (2 << exponent) + 1);
  const down = 3 * size;
  let total = 0;
  for (let row = 0; row + 2 < size; row += 2) {
    for (let column = 0; column + 2 < size; column += 2) {
      const a = 3 * (row * size + column);
      const b = a + 6;
      const c = a + 2 * down;
      const d = c + 6;
      const middle = a + down + 3;
      const isDown = squaredDistance(p, a, d) <= squaredDistance(p, b, c);
      setFace(p, 0, a, isDown ? d : b, c);
      setFace(p, 9, isDown ? a : b, isDown ? b : d, isDown ? d : c);
      // Samples between quads count half in each.
      const error =
        2 * offset(p, middle) + offset(p, a + 3) + offset(p, a + down) + offset(p, c + 3) + offset(p, b + down);
      const area =
        (twiceArea(p, a, c, middle) +
          twiceArea(p, c, d, middle) +
          twiceArea(p, d, b, middle) +
          twiceArea(p, b, a, middle)) /
        2;
      total += (error / 8) * area;
    }
  }
  return total;
}

function setFace(p: Float64Array, at: number, i: number, j: number, k: number): void {
  for (let axis = 0; axis < 3; axis++) {
    corners[at + axis] = p[i + axis];
    corners[at + 3 + axis] = p[j + axis];
    corners[at + 6 + axis] = p[k + axis];
  }
}

function offset(p: Float64Array, v: number): number {
  const one = triangleDistanceSquared(corners, 0, p[v], p[v + 1], p[v + 2]);
  return one > 0 ? Math.min(one, triangleDistanceSquared(corners, 9, p[v], p[v + 1], p[v + 2])) : 0;
}

function squaredDistance(p: Float64Array, a: number, b: number): number {
  const x = p[a] - p[b];
  const y = p[a + 1] - p[b + 1];
  const z = p[a + 2] - p[b + 2];
  return x * x + y * y + z * z;
}
