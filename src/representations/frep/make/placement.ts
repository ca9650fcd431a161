/**
 * Affine maps into and out of the shapes' own coordinates, and the geometry of boxes, cones and
 * triangles.
 *
 * Maps are composed before anything is re-expressed, and centers subtracted before squaring. So an
 * object far from the origin is as exact as its coordinates. Only + - * / and Math.sqrt are used.
 */
import { FormatError } from '../../../base/errors.ts';
import { type Path, pathText } from '../../../base/json-messages.ts';
import { cross } from '../../../math/linear.ts';
import { cosineSineOfDegrees } from '../../../math/sine.ts';
import type { Shape, Triangle, Turn } from './model.ts';

/**
 * Row-major 3x4, (M | t), then a velocity v, unknown to maps out of shapes. At time s:
 *   y = M x + t + s v
 */
export type Affine = Float64Array;
export type Axis = 'x' | 'y' | 'z';

const LENGTH = 15;

const rowOf = (i: number): number => (i < 12 ? i >> 2 : i - 12);

const affine = (...numbers: number[]): Affine => Float64Array.of(...numbers, 0, 0, 0);

export function minus(map: Affine, p: readonly number[] = [0, 0, 0]): Affine {
  const out = map.slice();
  for (let k = 0; k < 3; k++) out[4 * k + 3] -= p[k];
  return out;
}

export function divided(map: Affine, by: readonly number[]): Affine {
  return map.map((x, i) => x / by[rowOf(i)]);
}

function composed(outer: Affine, inner: Affine): Affine {
  const out = new Float64Array(LENGTH);
  for (let row = 0; row < 12; row += 4) {
    const [x, y, z] = inner.subarray(12);
    out[12 + (row >> 2)] = outer[row] * x + outer[row + 1] * y + outer[row + 2] * z + outer[12 + (row >> 2)];
    for (let column = 0; column < 4; column++) {
      out[row + column] =
        outer[row] * inner[column] + outer[row + 1] * inner[4 + column] + outer[row + 2] * inner[8 + column];
    }
    out[row + 3] += outer[row + 3];
  }
  return out;
}

export const IDENTITY: Affine = affine(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0);

/** Multiples of 90 degrees about a coordinate axis are exact. */
function rotationOf({ axis, degrees }: Turn): Affine {
  const [x, y, z] = unit(axis) as number[];
  const [c, s] = cosineSineOfDegrees(degrees);
  const d = 1 - c;
  // Rodrigues: c I + s [axis]x + (1 - c) axis axis^T.
  return affine(
    ...[c + d * x * x, d * x * y - s * z, d * x * z + s * y, 0],
    ...[d * y * x + s * z, c + d * y * y, d * y * z - s * x, 0],
    ...[d * z * x - s * y, d * z * y + s * x, c + d * z * z, 0],
  );
}

function transposed(turn: Affine): Affine {
  return turn.map((_, i) => (i >= 12 || i % 4 === 3 ? 0 : turn[4 * (i % 4) + (i >> 2)]));
}

const turnsOf = ({ rotate = [] }: Shape): Affine[] => (Array.isArray(rotate) ? rotate : [rotate]).map(rotationOf);

const scalesOf = ({ scale = 1 }: Shape): number[] => (typeof scale === 'number' ? [scale, scale, scale] : scale);

export const scaledBy = (scale: number, [x, y, z]: readonly number[]): Affine =>
  affine(scale, 0, 0, x, 0, scale, 0, y, 0, 0, scale, z);

export function velocityOf(map: Affine): Float64Array | null {
  const velocity = map.subarray(12);
  return velocity.some((x) => x !== 0) ? velocity : null;
}

export function intoShape(shape: Shape, map: Affine): Affine {
  let inner = minus(map, shape.translate);
  shape.velocity?.forEach((x, k) => {
    inner[12 + k] -= x;
  });
  for (const turn of turnsOf(shape).reverse()) inner = composed(transposed(turn), inner);
  return divided(inner, scalesOf(shape));
}

export function outOfShape(shape: Shape, map: Affine): Affine {
  const [sx, sy, sz] = scalesOf(shape);
  let own: Affine = affine(sx, 0, 0, 0, 0, sy, 0, 0, 0, 0, sz, 0);
  for (const turn of turnsOf(shape)) own = composed(turn, own);
  return composed(
    map,
    minus(
      own,
      shape.translate?.map((x) => -x),
    ),
  );
}

const CANONICAL: Record<Axis, readonly number[]> = { x: [1, 2, 0], y: [2, 0, 1], z: [0, 1, 2] };

/** Continues a map into a shape's coordinates to its canonical ones: about the origin, along z. */
export function intoCanonical(map: Affine, center: readonly number[] | undefined, axis: Axis = 'z'): Affine {
  const inner = minus(map, center);
  return inner.map((_, i) => {
    const row = CANONICAL[axis][rowOf(i)];
    return i < 12 ? inner[4 * row + (i & 3)] : inner[12 + row];
  });
}

export function outOfCanonical(map: Affine, center: readonly number[] = [0, 0, 0], axis: Axis = 'z'): Affine {
  const own = new Float64Array(LENGTH);
  CANONICAL[axis].forEach((k, i) => {
    own[4 * k + i] = 1;
  });
  return composed(
    map,
    minus(
      own,
      center.map((x) => -x),
    ),
  );
}

/** Normalizes; null for a zero vector. Divides by the largest first to avoid overflow. */
function unit(v: readonly number[]): number[] | null {
  const largest = Math.max(Math.abs(v[0]), Math.abs(v[1]), Math.abs(v[2]));
  if (!(largest > 0)) return null;
  const [x, y, z] = v.map((c) => c / largest);
  const length = Math.sqrt(x * x + y * y + z * z);
  return [x / length, y / length, z / length];
}

const difference = (a: readonly number[], b: readonly number[]): number[] => a.map((x, k) => x - b[k]);

export function boxOf(box: NonNullable<Shape['box']>): { middle: number[]; halves: number[] } {
  if ('size' in box) return { middle: box.center ?? [0, 0, 0], halves: box.size.map((x) => x / 2) };
  return {
    middle: box.min.map((x, k) => x + (box.max[k] - x) / 2),
    halves: box.min.map((x, k) => (box.max[k] - x) / 2),
  };
}

export function slopeOf({ angle, slope }: NonNullable<Shape['cone']>): number {
  if (slope !== undefined) return slope;
  const [cosine, sine] = cosineSineOfDegrees(angle ?? 45);
  return sine / cosine;
}

/** Returns a triangle's unit normal, and per edge the inward unit vector in its plane. */
export function frameOf({ vertices }: Triangle, path: Path): { normal: number[]; inward: number[][] } {
  const [a, b, c] = vertices;
  const edges = [difference(b, a), difference(c, b), difference(a, c)].map(unit);
  const normal = edges[0] && edges[1] && edges[2] ? unit(cross(edges[0], edges[1])) : null;
  if (normal === null) {
    throw new FormatError(null, `a triangle with an area above 0 at ${pathText(path)}`, 'vertices on one line');
  }
  return { normal, inward: edges.map((edge) => cross(normal, edge as number[])) };
}
