/**
 * Computes exact winding numbers: the triangles that a ray from a point leaves through, minus those
 * that it enters through.
 *
 * The ray descends the asset's own tree (walk.ts) and tests triangles exactly, on their moved
 * coordinates (exact-point.ts). If it meets an edge, another ray is tried; the result is the same
 * for all, since the triangles are a cycle (shells.ts).
 */
import {
  ENTERS,
  type ExactPoint,
  GRAZES,
  LEAVES,
  ON_BORDER,
  rayMeets,
  STARTS_INWARD,
  STARTS_OUTWARD,
} from '../geometry/exact-point.ts';
import { Random } from '../math/numbers.ts';
import type { Surface } from '../mesh/topology.ts';
import { ALL, alongRay, ENOUGH, type Target } from './walk.ts';

/** Winding numbers about a point on or off a surface, on both sides of a ray's start. */
export interface Winding {
  /** Ahead of the point, along the ray. */
  ahead: number;
  /** Behind it; differs only on the surface, and not always on crossing or coincident triangles. */
  behind: number;
  isOnTriangle: boolean;
}

/** Whole numbers without a pattern: rays along axes often meet edges of drawn shapes. */
const FIRST_RAYS = [
  [137, 59, 83],
  [-71, 149, 97],
  [101, -67, 139],
  [-89, -127, 61],
  [53, 109, -151],
];
const LARGEST = 1000;

export function rayNumber(n: number): readonly number[] {
  if (n < FIRST_RAYS.length) return FIRST_RAYS[n];
  const random = new Random(n);
  const coordinate = (): number => 1 + (random.integer() % LARGEST);
  return [coordinate(), -coordinate(), coordinate()];
}

/** The chance that one of them meets an edge is one in thousands. */
export const MOST_RAYS = 1000;

/** @returns null if the point is on the border of one of its triangles */
export function windingAbout(target: Target, point: ExactPoint): Winding | null {
  for (let n = 0; n < MOST_RAYS; n++) {
    const winding = windingAlong(target, point, rayNumber(n));
    if (winding !== 'grazes') return winding;
  }
  throw new Error('every ray met an edge');
}

/** Along one ray of three whole numbers, which the sides of two surfaces can share. */
export function windingAlong(target: Target, point: ExactPoint, ray: readonly number[]): Winding | null | 'grazes' {
  const crossings = new Crossings(point, ray);
  alongRay(target, point, ray, (id) => {
    crossings.add(target.operand.load(id).points);
    return crossings.isOnBorder ? ENOUGH : ALL;
  });
  return crossings.winding;
}

/**
 * Tests each triangle: fast enough for a few points. The triangles of `lists` together are a cycle.
 *
 * @returns null if the point is on the border of one of them
 * @example const faces = [Uint32Array.of(0, 1, 2, 3)];
 *          windingOfTriangles(tetrahedron, faces, pointAt([9, 0, 0], 0)) // 0 ahead and behind
 */
export function windingOfTriangles(
  { positions, triangles: corners }: Surface,
  lists: readonly Uint32Array[],
  point: ExactPoint,
): Winding | null {
  for (let n = 0; n < MOST_RAYS; n++) {
    const crossings = new Crossings(point, rayNumber(n));
    for (const triangles of lists) {
      for (let i = 0; i < triangles.length; i++) {
        const at = 3 * triangles[i];
        for (let k = 0; k < 3; k++) {
          const vertex = 3 * corners[at + k];
          loaded[3 * k] = positions[vertex];
          loaded[3 * k + 1] = positions[vertex + 1];
          loaded[3 * k + 2] = positions[vertex + 2];
        }
        crossings.add(loaded);
      }
    }
    const { winding } = crossings;
    if (winding !== 'grazes') return winding;
  }
  throw new Error('every ray met an edge');
}

const loaded = new Float64Array(9);

class Crossings {
  isOnBorder = false;
  grazes = false;
  private isOnTriangle = false;
  private ahead = 0;
  private own = 0;

  constructor(
    private readonly point: ExactPoint,
    private readonly ray: readonly number[],
  ) {}

  add(corners: Float64Array): void {
    const meets = rayMeets(this.point, this.ray, corners, 0);
    if (meets === LEAVES || meets === ENTERS) this.ahead += meets;
    else if (meets === STARTS_OUTWARD || meets === STARTS_INWARD) {
      this.own += meets / 2;
      this.isOnTriangle = true;
    } else if (meets === ON_BORDER) this.isOnBorder = true;
    else if (meets === GRAZES) this.grazes = true;
  }

  get winding(): Winding | null | 'grazes' {
    if (this.isOnBorder) return null;
    if (this.grazes) return 'grazes';
    return { ahead: this.ahead, behind: this.ahead + this.own, isOnTriangle: this.isOnTriangle };
  }
}
