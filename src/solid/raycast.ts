/**
 * Finds the first intersection of a ray with an asset's triangles, or all of them.
 *
 * Intersection is exact (ray-triangle.ts), so a ray through an edge or a vertex of a closed surface
 * meets it, and a miss is a proof. The distance is a bracket. If brackets of two hits overlap,
 * ratios of whole numbers order them exactly. Triangles met at one point are one hit.
 *
 * A kernel (search/rays.as.ts) answers for a first hit, bit by bit as `Search` does, which takes
 * what the kernel leaves: borders, ties, and what is beyond its numbers.
 */

import { OptionError } from '../base/errors.ts';
import { type OptionTypes, requireOptionTypes, requireThat } from '../base/require.ts';
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
import type { RayFound } from './search/kernel.ts';
import { LEAVES, MISSED, UNSURE } from './search/layout.as.ts';
import { type Placed, requirePlaced, requireThree, requireThrees, targetIn } from './targets.ts';
import { alongRay, type Target } from './walk.ts';

export interface RaycastOptions {
  /** The asset's pose, rigid: 16 numbers, row-major 4x4; 12; or x y z qx qy qz qw. */
  pose?: ArrayLike<number>;
  /** The ray's end: a length, compared exactly. */
  maxDistance?: number;
  /** True to return all hits, in order. */
  all?: boolean;
}

/** A point in which a ray meets an asset. */
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
   * - `enters`: against the normal, from outside to inside
   * - `leaves`: along the normal
   * - `grazes`: in the plane of a triangle, or if triangles that meet at the point disagree, as at
   *   a silhouette's edge
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
  options: RaycastOptions = NO_OPTIONS,
): RayHit | RayHit[] | null {
  const { target, longest } = placedIn(asset, options, RAYCAST_OPTIONS);
  requireThree(direction, 'direction');
  const isDirection = direction[0] !== 0 || direction[1] !== 0 || direction[2] !== 0;
  requireThat(isDirection, 'direction', 'one that is not 0', direction);
  requireThree(origin, 'origin');
  if (!options.all && target.search.isReady(asset, target, 1)) {
    const state = target.search.ray(origin, direction, 0, longest, first);
    if (state === MISSED) return null;
    if (state !== UNSURE) return hitOf(target, origin, first, sideOf(state));
  }
  const ray = rayAt(origin, direction, 0);
  const found = new Search(target, ray, longest, options.all === true).run();
  const hits = found.map((hit) => shown(target, ray, hit));
  return options.all ? hits : (hits[0] ?? null);
}

const NO_OPTIONS = {};
const RAYCAST_OPTIONS = { pose: 'numbers', maxDistance: 'number', all: 'boolean' } as const;
const RAYCASTS_OPTIONS = { pose: 'numbers', maxDistance: 'number' } as const;

export interface RaycastsOptions {
  /** The asset's pose, rigid: 16 numbers, row-major 4x4; 12; or x y z qx qy qz qw. */
  pose?: ArrayLike<number>;
  /** The rays' end: a length, compared exactly. */
  maxDistance?: number;
}

/** The first hits of many rays, a number for each ray. */
export interface RayHits {
  /** The asset's triangle; of several at one point the lowest number; -1 for a miss. */
  triangles: Int32Array;
  /** The distance, proved, from `lower` to `upper`, in the asset's units; Infinity for a miss. */
  lower: Float64Array;
  upper: Float64Array;
  /** -1 where a ray `enters`, 1 where it `leaves`, 0 where it `grazes`, and for a miss. */
  sides: Int8Array;
}

/**
 * Returns the first hit of each of many rays: the same answers as `raycast` gives for one, in typed
 * arrays.
 *
 * @param origins x, y, z of each ray, of the common frame, in the asset's units
 * @param directions three numbers for each, of any length but 0
 * @throws OptionError for cubes and F-reps, and for an invalid point, direction, pose or option
 * @example const origins = [2, 0.1, 0, 2, 0.1, 0];
 *          const { triangles, lower } = raycasts(bunny, origins, [-1, 0, 0, 1, 0, 0]);
 *          lower[0] === raycast(bunny, [2, 0.1, 0], [-1, 0, 0]).distance.lower // true
 *          triangles[1] // -1
 */
export function raycasts(
  asset: Asset,
  origins: ArrayLike<number>,
  directions: ArrayLike<number>,
  options: RaycastsOptions = NO_OPTIONS,
): RayHits {
  const { target, longest } = placedIn(asset, options, RAYCASTS_OPTIONS);
  const count = requireRays(origins, directions);
  const hits: RayHits = {
    triangles: new Int32Array(count).fill(-1),
    lower: new Float64Array(count).fill(Number.POSITIVE_INFINITY),
    upper: new Float64Array(count).fill(Number.POSITIVE_INFINITY),
    sides: new Int8Array(count),
  };
  const isReady = target.search.isReady(asset, target, count);
  for (let i = 0; i < count; i++) {
    const state = isReady ? target.search.ray(origins, directions, 3 * i, longest, first) : UNSURE;
    if (state === MISSED) continue;
    const ray = state === UNSURE ? rayAt(origins, directions, 3 * i) : undefined;
    const hit = ray ? new Search(target, ray, longest, false).run()[0] : first;
    if (hit === undefined) continue;
    const length = ray ? ray.length : first.length;
    hits.triangles[i] = hit.triangle;
    hits.lower[i] = lowerLength(hit.lower, length);
    hits.upper[i] = upperLength(hit.upper, length);
    hits.sides[i] = ray ? (hit as Found).side : sideOf(state);
  }
  return hits;
}

/** Checks the arguments that both functions have. */
function placedIn(asset: Asset, options: RaycastOptions, types: OptionTypes): { target: Placed; longest: number } {
  if (options !== NO_OPTIONS) requireOptionTypes(options, types);
  const pose = requirePlaced(asset, options.pose);
  const { maxDistance = Number.POSITIVE_INFINITY } = options;
  requireThat(maxDistance >= 0, 'maxDistance', 'a length', maxDistance);
  const target = targetIn(asset, pose);
  if (!target) throw new OptionError(`raycast: expected triangles, found ${asset.representation}`);
  return { target, longest: maxDistance };
}

/** Returns the number of rays. */
function requireRays(origins: ArrayLike<number>, directions: ArrayLike<number>): number {
  const count = requireThrees(origins, 'origins');
  requireThrees(directions, 'directions');
  const expected = `${origins.length} numbers, as many as origins`;
  if (directions.length !== origins.length)
    throw new OptionError(`directions: expected ${expected}, found ${directions.length}`);
  for (let i = 0; i < count; i++) {
    if (directions[3 * i] !== 0 || directions[3 * i + 1] !== 0 || directions[3 * i + 2] !== 0) continue;
    throw new OptionError(`directions: expected ones that are not 0, found 0 0 0 in number ${i}`);
  }
  return count;
}

const rayAt = (origins: ArrayLike<number>, directions: ArrayLike<number>, i: number): Ray =>
  new Ray([origins[i], origins[i + 1], origins[i + 2]], [directions[i], directions[i + 1], directions[i + 2]]);

/** The kernel's last hit, and the ray's r. */
const first: RayFound = { triangle: 0, lower: 0, upper: 0, x: 0, y: 0, z: 0, length: 0 };

const sideOf = (state: number): number => (state === LEAVES ? 1 : -1);

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
  if (hit.side !== other.side) hit.side = 0;
  if (hit.triangle < other.triangle) return;
  hit.triangle = other.triangle;
  hit.lower = other.lower;
  hit.upper = other.upper;
}

/** Possible loss of lengths to underflow. */
const LOST = 4 * Number.MIN_VALUE;

/** Bounds of a length, of those of a distance in lengths of r. */
const lowerLength = (lower: number, length: number): number => Math.max(0, lower * length * (1 - 2 ** -49) - LOST);
const upperLength = (upper: number, length: number): number =>
  upper === 0 ? 0 : upper * length * (1 + 2 ** -49) + LOST;

function shown(target: Target, { origin: { x, y, z }, r, length }: Ray, hit: Found): RayHit {
  return hitOf(target, [x, y, z], { ...hit, x: r[0], y: r[1], z: r[2], length }, hit.side);
}

function hitOf({ operand }: Target, origin: ArrayLike<number>, found: RayFound, side: number): RayHit {
  const { triangle, lower, upper, x, y, z, length } = found;
  const t = lower / 2 + upper / 2;
  return {
    triangle,
    distance: { lower: lowerLength(lower, length), upper: upperLength(upper, length) },
    point: [origin[0] + t * x, origin[1] + t * y, origin[2] + t * z],
    normal: triangleNormal(operand.load(triangle).points)!,
    side: side > 0 ? 'leaves' : side < 0 ? 'enters' : 'grazes',
  };
}
