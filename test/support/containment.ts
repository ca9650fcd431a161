/** By the definition, on rationals: does a rounded box hold a point? */
import { commonIntegers } from './rational.ts';

/**
 * A test of points against the rounded box at `bounds[at]`, sixteen numbers as src/geometry/rounded-box.ts lists them, or of a box
 * without radius. Exact for a box (Cramer's rule) and for a ball; for a box with a ball, which no representation has, sufficient.
 *
 * @example containment(bounds, 0)([1, 2, 3, 4, 5, 6]) // the first of two points outside, or -1
 */
export function containment(bounds: ArrayLike<number>, at = 0): (points: ArrayLike<number>) => number {
  const numbers = Array.from({ length: 16 }, (_, i) => bounds[at + i]);
  const radius = numbers[3];
  const half = [7, 11, 15].map((k) => numbers[k]);
  if (![radius, ...half].every((h) => h >= 0)) throw new Error(`radius or half extents ${radius}, ${half}`);
  if (half.every((h) => h === 0)) return (points) => firstOutsideBall(numbers, points);
  const [one, ...axes] = commonIntegers([1, ...[4, 8, 12].flatMap((k) => numbers.slice(k, k + 3))]);
  const columns = [axes.slice(0, 3), axes.slice(3, 6), axes.slice(6, 9)];
  // Rows of the inverse, times the determinant: what Cramer's rule expands to.
  const adjugate = [0, 1, 2].map((k) => cross(columns[(k + 1) % 3], columns[(k + 2) % 3]));
  const determinant = dot(columns[0], adjugate[0]);
  if (determinant <= 0n) throw new Error('axes are no right-handed frame');
  return (points) => {
    // The radius alone is not enough for a witness below: its direction would be.
    const [cx, cy, cz, h0, h1, h2, ...p] = commonIntegers([...numbers.slice(0, 3), ...half, ...Array.from(points)]);
    const limit = [h0, h1, h2].map((h) => h * determinant);
    for (let v = 0; v < p.length; v += 3) {
      const d = [p[v] - cx, p[v + 1] - cy, p[v + 2] - cz];
      for (let k = 0; k < 3; k++) {
        const s = dot(adjugate[k], d) * one;
        if (s > limit[k] || -s > limit[k]) return v / 3;
      }
    }
    return -1;
  };
}

function firstOutsideBall(numbers: number[], points: ArrayLike<number>): number {
  const [x, y, z, radius, ...p] = commonIntegers([...numbers.slice(0, 4), ...Array.from(points)]);
  for (let v = 0; v < p.length; v += 3) {
    const d = [p[v] - x, p[v + 1] - y, p[v + 2] - z];
    if (dot(d, d) > radius * radius) return v / 3;
  }
  return -1;
}

const dot = (a: bigint[], b: bigint[]): bigint => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

const cross = (a: bigint[], b: bigint[]): bigint[] => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
