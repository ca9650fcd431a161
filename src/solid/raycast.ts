/**
 * Finds the first intersection of a ray with an asset's triangles, or all of them.
 *
 * Intersection is exact (ray-triangle.ts), so a ray through an edge or a vertex of a closed surface
 * meets it, and a miss is a proof. The distance is a bracket. If brackets of two hits overlap,
 * ratios of whole numbers order them exactly. Triangles met at one point are one hit.
 */

import { OptionError } from '../base/errors.ts';
import { requireOptionTypes, requireThat } from '../base/require.ts';
import type { Bracket } from '../engine/records.ts';
import type { Asset } from '../engine/representation.ts';
import {
  compareDistances,
  type ExactDistance,
  isBeyond,
  meetExactly,
  meetTriangle,
  Ray,
  type RayBracket,
} from '../geometry/ray-triangle.ts';
import { triangleNormal } from '../geometry/triangle.ts';
import type { Pose } from '../math/pose.ts';
import { requirePlaced, requireThree, targetIn } from './door.ts';
import { alongRay, type Target } from './ray-walk.ts';

export interface RaycastOptions {
  /** The asset's pose: 16 numbers, row-major 4x4, rigid. */
  pose?: Pose;
  /** The ray's end: a length, compared exactly. */
  maxDistance?: number;
  /** True to return all hits, in order. */
  all?: boolean;
}

export interface RayHit {
  /** The asset's triangle; of several at one point the lowest number. */
  triangle: number;
  /** Proved, in the asset's units, for any length of the direction. */
  distance: Bracket;
  /** x, y, z in the common frame, within rounding. */
  point: number[];
  /** The triangle's normal, of length 1, within rounding. */
  normal: number[];
  /**
   * `enters`: against the normal, from outside to inside. `leaves`: along it. `grazes`: in the
   * plane of a triangle, or if triangles that meet at the point disagree, as at a silhouette's
   * edge.
   */
  side: 'enters' | 'leaves' | 'grazes';
}

interface Found extends RayBracket {
  triangle: number;
  /** 1 along the normal, -1 against it, 0 if undecided. */
  side: number;
  exact: ExactDistance | undefined;
}

/**
 * Returns the first point of an asset's triangles on a ray, or null; with `all` a list of all
 * points. The origin belongs to the ray, and borders belong to triangles; triangles without area
 * are never hit. Vertices are moved in doubles, as in `check`.
 *
 * @param origin x, y, z of the common frame, in the asset's units
 * @param direction of any length but 0
 * @throws OptionError for cubes and F-reps, and for an invalid point, direction, pose or option
 * @example const hit = raycast(bunny, [2, 0.1, 0], [-1, 0, 0]);
 *          hit?.side // 'enters'
 *          raycast(bunny, [2, 0.1, 0], [1, 0, 0]) // null
 */
export function raycast(
  asset: Asset,
  origin: ArrayLike<number>,
  direction: ArrayLike<number>,
  options: RaycastOptions & { all: true },
): RayHit[];
export function raycast(
  asset: Asset,
  origin: ArrayLike<number>,
  direction: ArrayLike<number>,
  options?: RaycastOptions & { all?: false },
): RayHit | null;
export function raycast(
  asset: Asset,
  origin: ArrayLike<number>,
  direction: ArrayLike<number>,
  options: RaycastOptions = {},
): RayHit | RayHit[] | null {
  requireOptionTypes(options, OPTIONS);
  const pose = requirePlaced(asset, options.pose);
  const { maxDistance = Number.POSITIVE_INFINITY, all = false } = options;
  requireThat(maxDistance >= 0, 'maxDistance', 'a length', maxDistance);
  const along = requireThree(direction, 'direction');
  const isDirection = along[0] !== 0 || along[1] !== 0 || along[2] !== 0;
  requireThat(isDirection, 'direction', 'one that is not 0', direction);
  const ray = new Ray(requireThree(origin, 'origin'), along);
  const target = targetIn(asset, pose);
  if (!target) throw new OptionError(`raycast: of triangles only, found ${asset.representation}`);
  const found = new Search(target, ray, maxDistance, all).run();
  return all ? found.map((hit) => shown(target, ray, hit)) : found.length > 0 ? shown(target, ray, found[0]) : null;
}

const OPTIONS = { pose: 'numbers', maxDistance: 'number', all: 'boolean' } as const;

const bracket: RayBracket = { lower: 0, upper: 0 };

class Search {
  private readonly found: Found[] = [];
  private readonly most: number;

  constructor(
    private readonly target: Target,
    private readonly ray: Ray,
    private readonly maxDistance: number,
    private readonly all: boolean,
  ) {
    // In lengths of r.
    this.most = (maxDistance / ray.length) * (1 + 2 ** -49) + Number.MIN_VALUE;
  }

  run(): Found[] {
    const { target, ray } = this;
    alongRay(target, ray.origin, ray.r, (id) => this.meet(id), this.most);
    if (!this.all) return this.found;
    this.found.sort((p, q) => this.order(p, q) || p.triangle - q.triangle);
    const points: Found[] = [];
    for (const hit of this.found) {
      const last = points.at(-1);
      if (last && this.order(last, hit) === 0) join(last, hit);
      else points.push(hit);
    }
    return points;
  }

  /** Returns how far along to search. */
  private meet(triangle: number): number {
    const { found, ray } = this;
    const { points } = this.target.operand.load(triangle);
    const side = meetTriangle(ray, points, 0, bracket);
    const least = this.all ? undefined : found[0];
    const { lower, upper } = bracket;
    if (side === undefined || lower > this.most || (least && lower > least.upper)) return least?.upper ?? this.most;
    const hit: Found = { triangle, side, lower, upper, exact: undefined };
    if (!this.isWithin(hit)) return least?.upper ?? this.most;
    const order = least ? this.order(hit, least) : -1;
    if (!least) found.push(hit);
    else if (order < 0) found[0] = hit;
    else if (order === 0) join(least, hit);
    return this.all ? this.most : found[0].upper;
  }

  private isWithin(hit: Found): boolean {
    const length = this.ray.length;
    if (hit.upper * length * (1 + 2 ** -49) <= this.maxDistance) return true;
    return !isBeyond(this.ray, this.exactOf(hit), this.maxDistance);
  }

  /** Exact sign of the difference of distances, p minus q. */
  private order(p: Found, q: Found): number {
    if (p.upper < q.lower) return -1;
    if (q.upper < p.lower) return 1;
    return compareDistances(this.exactOf(p), this.exactOf(q));
  }

  private exactOf(hit: Found): ExactDistance {
    hit.exact ??= meetExactly(this.ray, this.target.operand.load(hit.triangle).points, 0)!;
    return hit.exact;
  }
}

function join(hit: Found, other: Found): void {
  hit.triangle = Math.min(hit.triangle, other.triangle);
  if (hit.side !== other.side) hit.side = 0;
}

/** Possible loss of lengths to underflow. */
const LOST = 4 * Number.MIN_VALUE;

function shown({ operand }: Target, ray: Ray, { triangle, side, lower, upper }: Found): RayHit {
  const length = ray.length;
  const t = lower / 2 + upper / 2;
  const { x, y, z } = ray.origin;
  return {
    triangle,
    distance: {
      lower: Math.max(0, lower * length * (1 - 2 ** -49) - LOST),
      upper: upper === 0 ? 0 : upper * length * (1 + 2 ** -49) + LOST,
    },
    point: [x + t * ray.r[0], y + t * ray.r[1], z + t * ray.r[2]],
    normal: triangleNormal(operand.load(triangle).points)!,
    side: side > 0 ? 'leaves' : side < 0 ? 'enters' : 'grazes',
  };
}
