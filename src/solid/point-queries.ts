/**
 * Answers questions about one asset: its point nearest to a given one, the position of a point,
 * intersections with a ray, and its volume.
 */

import { OptionError } from '../base/errors.ts';
import { requireOptionTypes, requireThat } from '../base/require.ts';
import { derived } from '../engine/asset-cache.ts';
import { findClosest } from '../engine/closest.ts';
import { hullLoader } from '../engine/narrow-phase.ts';
import { isOfTriangles, operandOf } from '../engine/operand.ts';
import type { Bracket } from '../engine/records.ts';
import type { Asset } from '../engine/representation.ts';
import { type Operand, traverse } from '../engine/traverse.ts';
import { pointAt } from '../geometry/exact-point.ts';
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
import { identity, isSamePose, type Pose, validatePose } from '../math/pose.ts';
import { shellVolumes } from '../mesh/volumes.ts';
import { representationOf } from '../representations/kinds.ts';
import { cubesOf, type VoxelSet } from '../representations/voxel/tree/cube-set.ts';
import { bodyOf, lone, openEdgeOf } from './solid.ts';
import { alongRay, nearestTriangle, type Target, targetOf } from './walk.ts';
import { windingAbout } from './winding.ts';

const UNMOVED = identity();

/** @throws OptionError for an asset that is not in memory, and for an invalid pose */
function requirePlaced(asset: Asset, pose: ArrayLike<number> | undefined): Pose {
  requireInMemory(asset);
  return pose === undefined ? UNMOVED : validatePose(pose, 'pose');
}

export function requireInMemory(asset: Asset): void {
  const isAsset = typeof asset === 'object' && asset !== null && typeof asset.representation === 'string';
  requireThat(isAsset && !('isOnDemand' in asset), 'asset', 'one that was built or read', asset);
}

/** @throws OptionError unless it is three finite numbers */
function requireThree(numbers: ArrayLike<number>, what: string): Float64Array {
  const isThree = typeof numbers === 'object' && numbers !== null && numbers.length === 3;
  const areFinite =
    isThree && Number.isFinite(numbers[0]) && Number.isFinite(numbers[1]) && Number.isFinite(numbers[2]);
  requireThat(areFinite, what, 'three finite numbers', numbers);
  return Float64Array.of(numbers[0], numbers[1], numbers[2]);
}

/** Each asset in its last pose: most questions repeat it. */
const targets = /* @__PURE__ */ derived<Asset, Target>();

/** Null for assets without triangles. Keeps `pose`, which must be valid: don't write to it. */
function targetIn(asset: Asset, pose: Pose): Target | null {
  const known = targets.get(asset);
  if (known && isSamePose(known.pose, pose)) return known;
  if (!isOfTriangles(asset)) return null;
  const target = targetOf(operandOf(asset, pose), pose);
  targets.set(asset, target);
  return target;
}

/** For cubes: all faces, which a verdict takes half-open. */
function closedOperand(asset: Asset, pose: Pose): Operand {
  const operand = operandOf(asset, pose);
  const closedHull = representationOf(asset).own?.closedHull;
  return closedHull ? { ...operand, load: hullLoader((id, out) => closedHull(asset, id, out), pose) } : operand;
}

export interface ClosestPointOptions {
  /** The asset's pose, rigid: 16 numbers, row-major 4x4; 12; or x y z qx qy qz qw. */
  pose?: ArrayLike<number>;
}

export interface ClosestPoint {
  /** x, y, z in the common frame, within rounding; null if there is none, as for an empty F-rep. */
  point: number[] | null;
  /** Proved, from `lower` to `upper`; both 0 if the asset holds the point. */
  distance: Bracket;
  /** The number of the triangle or the cube; 0 for an F-rep. */
  triangle: number | null;
}

/** Squares of longer distances leave the range of doubles. */
const FARTHEST = 1e150;

const CLOSEST_POINT_OPTIONS = { pose: 'numbers' } as const;
const exactly = { distance: true, clearance: 0, deadline: Number.POSITIVE_INFINITY };

/**
 * Returns the point of an asset nearest to a given point, with a proved bracket of the distance, a
 * few roundings wide. For triangles it is on the surface, also for a point inside the solid. Cubes
 * and F-reps are solids: a point in them is at distance 0.
 *
 * @param point x, y, z of the common frame, in the asset's units
 * @throws OptionError for an invalid point, pose or option, and for a point farther than 1e150
 * @example const { distance } = closestPoint(bunny, [2, 0, 0]);
 *          distance.lower <= distance.upper // true
 */
export function closestPoint(asset: Asset, point: ArrayLike<number>, options: ClosestPointOptions = {}): ClosestPoint {
  requireOptionTypes(options, CLOSEST_POINT_OPTIONS);
  const pose = requirePlaced(asset, options.pose);
  const corner = requireThree(point, 'point');
  const isNear = corner.every((x) => Math.abs(x) <= FARTHEST);
  requireThat(isNear, 'point', `coordinates up to ${FARTHEST}`, Array.from(corner).join(' '));
  const target = targetIn(asset, pose);
  if (target) {
    const { lower, upper, triangle, point } = nearestTriangle(target, corner);
    return { point: Array.from(point), distance: { lower, upper }, triangle };
  }
  const alone = lone(Float64Array.of(...corner, ...corner, ...corner));
  const query = { poseA: UNMOVED, poseB: pose, all: false, maxContacts: 1, level: null };
  const { lower, upper, b, onB } = findClosest(alone, closedOperand(asset, pose), query, exactly);
  const isFound = b >= 0;
  return {
    point: isFound ? Array.from(onB) : null,
    distance: { lower, upper },
    triangle: isFound ? b : null,
  };
}

/** The position of a point; `undecided` for F-reps only. */
export type Containment = 'inside' | 'outside' | 'border' | 'undecided';

/**
 * Places a point of the common frame in an asset, exactly.
 *
 * Triangles: `border` on any triangle, even if others cross it or coincide with it. `inside` if the
 * surface's winding number about the point is not 0: inside-out shells hold their inside, and
 * cavities are outside. Vertices are moved in doubles, as in `check`. Triangles without area do not
 * count.
 *
 * Cubes hold all points of their cubes, filled or not, an F-rep all points that its function
 * includes; borders are `inside`. Unlike for a verdict, a cube's upper faces count. An F-rep is
 * `undecided` if rounding is more than the function.
 *
 * @param point x, y, z in the asset's units
 * @param pose the asset's pose, rigid: 16 numbers, row-major 4x4; 12; or x y z qx qy qz qw
 * @throws OptionError for triangles that bound no solid, with an edge that shows it, and for an
 *   invalid point or pose
 * @example containsPoint(bunny, [0, 0, 0]) // 'inside'
 *          containsPoint(bunny, [0, 0, 0], translation(2, 0, 0)) // 'outside'
 */
export function containsPoint(asset: Asset, point: ArrayLike<number>, pose?: ArrayLike<number>): Containment {
  const placed = requirePlaced(asset, pose);
  const corner = requireThree(point, 'point');
  const target = targetIn(asset, placed);
  if (!target) return holdsPoint(asset, corner, placed);
  const reason = openEdgeOf(bodyOf(asset));
  if (reason) throw new OptionError(`containsPoint: the asset ${reason}`);
  const winding = windingAbout(target, pointAt(corner, 0));
  if (!winding || winding.isOnTriangle) return 'border';
  return winding.ahead === 0 ? 'outside' : 'inside';
}

/** For cubes and functions: a shared point is inside. */
function holdsPoint(asset: Asset, point: Float64Array, pose: Pose): Containment {
  const alone = lone(Float64Array.of(...point, ...point, ...point));
  const query = { poseA: UNMOVED, poseB: pose, all: false, maxContacts: 1, level: null };
  const { verdict } = traverse(alone, closedOperand(asset, pose), query);
  return verdict === 'contact' ? 'inside' : verdict === 'clear' ? 'outside' : 'undecided';
}

/*
 * Finds the first intersection of a ray with an asset's triangles, or all of them.
 *
 * Intersection is exact (ray-triangle.ts), so a ray through an edge or a vertex of a closed surface
 * meets it, and a miss is a proof. The distance is a bracket. If brackets of two hits overlap,
 * ratios of whole numbers order them exactly. Triangles met at one point are one hit.
 */

export interface RaycastOptions {
  /** The asset's pose, rigid: 16 numbers, row-major 4x4; 12; or x y z qx qy qz qw. */
  pose?: ArrayLike<number>;
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
  requireOptionTypes(options, RAYCAST_OPTIONS);
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

const RAYCAST_OPTIONS = { pose: 'numbers', maxDistance: 'number', all: 'boolean' } as const;

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

export interface Volume extends Bracket {
  /** True if the surface is surely inside out: the signed volume is negative. */
  inverted: boolean;
}

const volumes = /* @__PURE__ */ derived<Asset, Volume>();

/**
 * Returns the volume of an asset, in its own cubed units: exact arithmetic gives a bracket from
 * `lower` to `upper`. Poses do not change it.
 *
 * For triangles it is the absolute signed volume (Gauss); `inverted` tells if the surface is inside
 * out. Each part counts as often as the surface winds about it: overlaps of shells count twice,
 * cavities not at all. For cubes it is that of the cubes, filled or not.
 *
 * @throws OptionError for triangles that bound no solid, with an edge that shows it, and for
 *   F-reps, for whose functions no volume is known
 * @example const { lower, upper } = volumeOf(build(readObj(await readFile('assets/box.obj')), { format: 'obb' }));
 *          upper - lower < 1e-9 * upper // true
 */
export function volumeOf(asset: Asset): Volume {
  requireInMemory(asset);
  let volume = volumes.get(asset);
  if (!volume) {
    volume = isOfTriangles(asset) ? ofTriangles(asset) : ofCubes(asset);
    volumes.set(asset, volume);
  }
  return { ...volume };
}

/** Rounding of a sum of two, and of a product. */
const DOWN = 1 - 2 ** -50;
const UP = 1 + 2 ** -50;

function ofTriangles(asset: Asset): Volume {
  const body = bodyOf(asset);
  const reason = openEdgeOf(body);
  if (reason) throw new OptionError(`volumeOf: the asset ${reason}`);
  const { volumes, errors } = shellVolumes(body.surface, body.shells);
  let volume = 0;
  let error = 0;
  let sizes = 0;
  for (let shell = 0; shell < volumes.length; shell++) {
    volume += volumes[shell];
    error += errors[shell];
    sizes += Math.abs(volumes[shell]);
  }
  // Two sums over the shells, each rounded.
  const spare = (error + sizes * volumes.length * 2 ** -52) * (1 + volumes.length * 2 ** -52) * UP;
  const size = Math.abs(volume);
  if (!(size + spare < Number.POSITIVE_INFINITY)) return { lower: 0, upper: Number.POSITIVE_INFINITY, inverted: false };
  return { lower: Math.max(0, (size - spare) * DOWN), upper: (size + spare) * UP, inverted: volume < -spare };
}

function ofCubes(asset: Asset): Volume {
  if (asset.representation !== 'voxel')
    throw new OptionError(`volumeOf: of triangles and cubes, found ${asset.representation}`);
  const set = asset as VoxelSet;
  const volume = cubesOf(set) * set.precision * set.precision * set.precision;
  // Possible loss of a product to underflow.
  const lost = Number.MIN_VALUE;
  const lower = Math.min(Number.MAX_VALUE, Math.max(0, volume * DOWN - lost));
  return { lower, upper: volume * UP + lost, inverted: false };
}
