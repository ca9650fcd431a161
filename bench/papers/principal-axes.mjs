// Orientations for bounding boxes: the principal axes of the surface.
//
// S. Gottschalk, M. Lin, D. Manocha, "OBBTree: A Hierarchical Structure for Rapid Interference
// Detection", SIGGRAPH 1996, section 4. Area weights make the fineness of the triangulation
// irrelevant.
import { symmetricEigen } from '#src/math/linear';

/** Area, area times centroid (3), area-weighted second moments xx xy xz yy yz zz, a triangle. */
export const MOMENTS = 10;

/**
 * Moments of every triangle, which add up over sets. Positions around the origin are best.
 *
 * @param {Float64Array} positions
 * @param {Uint32Array} triangles
 */
export function triangleMoments(positions, triangles) {
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

/**
 * Writes the principal axes as rows, right-handed; false, with the model's axes, without area.
 *
 * @param {Float64Array} moments
 * @param {Float64Array} axes
 */
export function principalAxes(moments, axes) {
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

/** @param {readonly number[]} u @param {readonly number[]} v */
const cross = (u, v) => [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
/** @param {readonly number[]} v */
const lengthOf = (v) => Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);

/**
 * Writes a triangle's longest edge, the axis across it, and its normal; false without area.
 *
 * @param {Float64Array} positions
 * @param {readonly number[]} triangle
 * @param {Float64Array} axes
 */
export function triangleAxes(positions, [a, b, c], axes) {
  /** @param {number} from @param {number} to */
  const edge = (from, to) => [0, 1, 2].map((k) => positions[3 * to + k] - positions[3 * from + k]);
  const [u, v] = [edge(a, b), edge(a, c)];
  const [longest] = [u, edge(b, c), edge(c, a)].sort((p, q) => lengthOf(q) - lengthOf(p));
  const normal = cross(u, v);
  const [length, area] = [lengthOf(longest), lengthOf(normal)];
  if (!(area > 1e-12 * length * length)) return false;
  const [d, n] = [longest.map((x) => x / length), normal.map((x) => x / area)];
  axes.set([...d, ...cross(n, d), ...n]);
  return true;
}
