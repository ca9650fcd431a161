/**
 * Orientations for bounding boxes: the principal axes of the surface.
 *
 * S. Gottschalk, M. Lin, D. Manocha, "OBBTree: A Hierarchical Structure for Rapid Interference
 * Detection", SIGGRAPH 1996, section 4. Area weights make the fineness of the triangulation
 * irrelevant.
 */
import { symmetricEigen } from '../math/linear.ts';

/** Area, area times centroid (3), area-weighted second moments xx xy xz yy yz zz, a triangle. */
export const MOMENTS = 10;

/** Moments of every triangle, which add up over sets. Positions around the origin are best. */
export function triangleMoments(positions: Float64Array, triangles: Uint32Array): Float64Array {
  const count = triangles.length / 3;
  const moments = new Float64Array(MOMENTS * count);
  for (let t = 0; t < count; t++) {
    const a = 3 * triangles[3 * t];
    const b = 3 * triangles[3 * t + 1];
    const c = 3 * triangles[3 * t + 2];
    const ux = positions[b] - positions[a];
    const uy = positions[b + 1] - positions[a + 1];
    const uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a];
    const vy = positions[c + 1] - positions[a + 1];
    const vz = positions[c + 2] - positions[a + 2];
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    const area = 0.5 * Math.sqrt(nx * nx + ny * ny + nz * nz);
    const m = MOMENTS * t;
    const gx = (positions[a] + positions[b] + positions[c]) / 3;
    const gy = (positions[a + 1] + positions[b + 1] + positions[c + 1]) / 3;
    const gz = (positions[a + 2] + positions[b + 2] + positions[c + 2]) / 3;
    moments[m] = area;
    moments[m + 1] = area * gx;
    moments[m + 2] = area * gy;
    moments[m + 3] = area * gz;
    // Integral of x_i x_j over a triangle: area / 12 (9 g_i g_j + the sum over corners of p_i p_j).
    let k = m + 4;
    for (let i = 0; i < 3; i++) {
      for (let j = i; j < 3; j++) {
        const sum =
          positions[a + i] * positions[a + j] +
          positions[b + i] * positions[b + j] +
          positions[c + i] * positions[c + j];
        const g = (i === 0 ? gx : i === 1 ? gy : gz) * (j === 0 ? gx : j === 1 ? gy : gz);
        moments[k++] = (area / 12) * (9 * g + sum);
      }
    }
  }
  return moments;
}

const covariance = new Float64Array(9);
const values = new Float64Array(3);

/** Writes the principal axes as rows, right-handed; false, with the model's axes, without area. */
export function principalAxes(moments: Float64Array, axes: Float64Array): boolean {
  const area = moments[0];
  if (!(area > 0)) {
    axes.fill(0);
    axes[0] = axes[4] = axes[8] = 1;
    return false;
  }
  let k = 4;
  for (let i = 0; i < 3; i++) {
    for (let j = i; j < 3; j++) {
      const value = moments[k++] / area - (moments[1 + i] / area) * (moments[1 + j] / area);
      covariance[3 * i + j] = covariance[3 * j + i] = value;
    }
  }
  symmetricEigen(covariance, values, axes);
  return true;
}

/** Writes a triangle's longest edge, the axis across it, and its normal; false without area. */
export function triangleAxes(positions: Float64Array, a: number, b: number, c: number, axes: Float64Array): boolean {
  let longest = -1;
  let dx = 0;
  let dy = 0;
  let dz = 0;
  for (let k = 0; k < 3; k++) {
    const p = 3 * (k === 0 ? a : k === 1 ? b : c);
    const q = 3 * (k === 0 ? b : k === 1 ? c : a);
    const x = positions[q] - positions[p];
    const y = positions[q + 1] - positions[p + 1];
    const z = positions[q + 2] - positions[p + 2];
    const d2 = x * x + y * y + z * z;
    if (d2 > longest) {
      longest = d2;
      dx = x;
      dy = y;
      dz = z;
    }
  }
  const ux = positions[3 * b] - positions[3 * a];
  const uy = positions[3 * b + 1] - positions[3 * a + 1];
  const uz = positions[3 * b + 2] - positions[3 * a + 2];
  const vx = positions[3 * c] - positions[3 * a];
  const vy = positions[3 * c + 1] - positions[3 * a + 1];
  const vz = positions[3 * c + 2] - positions[3 * a + 2];
  const nx = uy * vz - uz * vy;
  const ny = uz * vx - ux * vz;
  const nz = ux * vy - uy * vx;
  const n = Math.sqrt(nx * nx + ny * ny + nz * nz);
  const d = Math.sqrt(longest);
  if (!(n > 1e-12 * longest)) return false;
  axes[0] = dx / d;
  axes[1] = dy / d;
  axes[2] = dz / d;
  axes[6] = nx / n;
  axes[7] = ny / n;
  axes[8] = nz / n;
  axes[3] = axes[7] * axes[2] - axes[8] * axes[1];
  axes[4] = axes[8] * axes[0] - axes[6] * axes[2];
  axes[5] = axes[6] * axes[1] - axes[7] * axes[0];
  return true;
}
