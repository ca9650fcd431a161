/**
 * Models of mesh-file primitives as F-reps. Boxes, cylinders and spheres stay such, or become half
 * spaces and quadrics if they are turned or sheared. A capsule is a cylinder and two balls.
 *
 * Letters: L the linear part of a matrix, d its determinant, t its translation, n a row of the
 * inverse of L. Row k is cofactor row k over d.
 */
import { FormatError } from '../../../base/errors.ts';
import { isIdentity, isRigid, type Pose, translation } from '../../../math/pose.ts';
import { type PlacedPrimitive, type Primitive, resized } from '../../../readers/mesh-file.ts';
import type { FrepModel, Shape } from './model.ts';

/**
 * Returns a model of the primitive, placed by a matrix: exact for scaling and shifting, otherwise
 * up to the rounding of its coefficients. It records the primitive, unless the matrix leaves none.
 *
 * @param matrix row-major 4x4, last row 0, 0, 0, 1; it may turn, scale, mirror and shear
 * @throws FormatError for a size that is not above 0, and for a matrix that flattens
 * @example modelOfPrimitive({ shape: 'sphere', radius: 2 }).object // { sphere: { radius: 2 } }
 */
export function modelOfPrimitive(primitive: Primitive, matrix?: Pose): FrepModel {
  const own = shapeOf(primitive);
  if (!matrix) return { object: own, primitive };
  const placed = placedPrimitive(primitive, matrix);
  const known = placed && { primitive: placed };
  const translate = [matrix[3], matrix[7], matrix[11]];
  const moved = translate.some((x) => x !== 0) && { translate };
  const scale = [matrix[0], matrix[5], matrix[10]];
  if (isDiagonal(matrix) && scale.every((x) => x !== 0)) {
    return { object: { ...own, ...(scale.some((x) => x !== 1) && { scale }), ...moved }, ...known };
  }
  const domain = domainOf(matrix, halvesOf(primitive));
  return { object: { ...turnedShapeOf(primitive, matrix), ...moved }, domain, ...known };
}

function placedPrimitive(primitive: Primitive, matrix: Pose): PlacedPrimitive | null {
  if (!isDiagonal(matrix)) return isRigid(matrix) ? { ...primitive, frame: Array.from(matrix) } : null;
  const shift = translation(matrix[3], matrix[7], matrix[11]);
  const frame = !isIdentity(shift) && { frame: Array.from(shift) };
  // Mirroring does not change symmetric shapes.
  const [x, y, z] = [matrix[0], matrix[5], matrix[10]].map(Math.abs);
  switch (primitive.shape) {
    case 'box': {
      const [p, q, r] = primitive.size;
      return { shape: 'box', size: [p * x, q * y, r * z], ...frame };
    }
    case 'cylinder':
      return x === y ? { ...primitive, radius: primitive.radius * x, length: primitive.length * z, ...frame } : null;
    default:
      if (x !== y || y !== z) return null;
      return { ...resized(primitive, (length) => length * x), ...frame };
  }
}

function shapeOf(primitive: Primitive): Shape {
  switch (primitive.shape) {
    case 'box':
      return { box: { size: primitive.size.map((x) => above0(x, 'size')) } };
    case 'cylinder':
      return { cylinder: { radius: above0(primitive.radius, 'radius'), height: above0(primitive.length, 'length') } };
    case 'capsule': {
      const radius = above0(primitive.radius, 'radius');
      const height = above0(primitive.length, 'length');
      const end = (z: number): Shape => ({ sphere: { radius, center: [0, 0, z] } });
      return { union: [{ cylinder: { radius, height } }, end(height / 2), end(-height / 2)] };
    }
    default:
      return { sphere: { radius: above0(primitive.radius, 'radius') } };
  }
}

function above0(x: number, what: string): number {
  if (!(x > 0 && x < Number.POSITIVE_INFINITY)) throw new FormatError(null, `a ${what} above 0`, String(x));
  return x;
}

function halvesOf(primitive: Primitive): number[] {
  switch (primitive.shape) {
    case 'box':
      return primitive.size.map((x) => x / 2);
    case 'cylinder':
      return [primitive.radius, primitive.radius, primitive.length / 2];
    case 'capsule':
      return [primitive.radius, primitive.radius, primitive.radius + primitive.length / 2];
    default:
      return [primitive.radius, primitive.radius, primitive.radius];
  }
}

const isDiagonal = (m: Pose): boolean => [1, 2, 4, 6, 8, 9].every((i) => m[i] === 0);

function inverseRows(m: Pose): number[][] {
  const cofactors = [
    [m[5] * m[10] - m[6] * m[9], m[2] * m[9] - m[1] * m[10], m[1] * m[6] - m[2] * m[5]],
    [m[6] * m[8] - m[4] * m[10], m[0] * m[10] - m[2] * m[8], m[2] * m[4] - m[0] * m[6]],
    [m[4] * m[9] - m[5] * m[8], m[1] * m[8] - m[0] * m[9], m[0] * m[5] - m[1] * m[4]],
  ];
  const d = m[0] * cofactors[0][0] + m[1] * cofactors[1][0] + m[2] * cofactors[2][0];
  const rows = cofactors.map((row) => row.map((x) => x / d));
  if (d === 0 || !rows.flat().every(Number.isFinite))
    throw new FormatError(null, 'a matrix with a determinant other than 0', '0');
  return rows;
}

/** The primitive under L, about t, from sets |n . x| <= half and sum (n . x)^2 <= r^2. */
function turnedShapeOf(primitive: Primitive, matrix: Pose): Shape {
  const rows = inverseRows(matrix);
  const slab = (normal: readonly number[], half: number): Shape[] =>
    [1, -1].map((sign) => ({ halfSpace: { normal: normal.map((x) => sign * x), offset: half } }));
  const cylinder = (radius: number, length: number): Shape => ({
    intersection: [roundAbout(rows.slice(0, 2), radius), ...slab(rows[2], length / 2)],
  });
  switch (primitive.shape) {
    case 'box':
      return { intersection: primitive.size.flatMap((size, k) => slab(rows[k], size / 2)) };
    case 'cylinder':
      return cylinder(primitive.radius, primitive.length);
    case 'capsule': {
      const { radius, length } = primitive;
      const end = (z: number): Shape => ({
        ...roundAbout(rows, radius),
        translate: [matrix[2] * z, matrix[6] * z, matrix[10] * z],
      });
      return { union: [cylinder(radius, length), end(length / 2), end(-length / 2)] };
    }
    default:
      return { intersection: [roundAbout(rows, primitive.radius)] };
  }
}

function roundAbout(rows: readonly number[][], radius: number): Shape {
  const sum = (i: number, j: number): number => rows.reduce((all, row) => all - row[i] * row[j], 0);
  const mixed = [2 * sum(0, 1), 2 * sum(0, 2), 2 * sum(1, 2)];
  return { quadric: [sum(0, 0), sum(1, 1), sum(2, 2), ...mixed, 0, 0, 0, radius * radius] };
}

function domainOf(m: Pose, halves: readonly number[]): { min: number[]; max: number[] } {
  const reach = [0, 4, 8].map((row) => halves.reduce((sum, half, k) => sum + Math.abs(m[row + k]) * half, 0));
  const size = 1.02 * Math.max(...reach);
  const centre = [m[3], m[7], m[11]];
  return { min: centre.map((x) => x - size), max: centre.map((x) => x + size) };
}
