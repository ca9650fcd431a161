/** Answers questions about one asset: its nearest point, a point's position, and its volume. */

import { OptionError } from '../base/errors.ts';
import { requireOptionTypes } from '../base/require.ts';
import { derived } from '../engine/asset-cache.ts';
import { findClosest } from '../engine/closest.ts';
import { hullLoader } from '../engine/narrow-phase.ts';
import { isOfTriangles, operandOf } from '../engine/operand.ts';
import type { Bracket } from '../engine/records.ts';
import type { Asset } from '../engine/representation.ts';
import { type Operand, traverse } from '../engine/traverse.ts';
import { pointAt } from '../geometry/exact-point.ts';
import type { Pose } from '../math/pose.ts';
import { shellVolumes } from '../mesh/volumes.ts';
import { representationOf } from '../representations/kinds.ts';
import { cubesOf, type VoxelSet } from '../representations/voxel/tree/cube-set.ts';
import { NearestTriangle } from './nearest-triangle.ts';
import { bodyOf, lone, openEdgeOf } from './solid.ts';
import {
  type Placed,
  requireInMemory,
  requirePlaced,
  requireThree,
  requireThrees,
  targetIn,
  UNMOVED,
} from './targets.ts';
import { windingAbout } from './winding.ts';

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

/** The point of an asset nearest to a given one. */
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
  requireThree(point, 'point');
  const [x, y, z] = [point[0], point[1], point[2]];
  if (!isNear(point, 0)) throw new OptionError(`point: expected coordinates up to ${FARTHEST}, found ${x} ${y} ${z}`);
  const target = targetIn(asset, pose);
  if (target) {
    findNearest(target, x, y, z, target.search.isReady(asset, target, 1));
    const { lower, upper, triangle, at } = nearest;
    return { point: [at[0], at[1], at[2]], distance: { lower, upper }, triangle };
  }
  const alone = lone(Float64Array.of(x, y, z, x, y, z, x, y, z));
  const query = { poseA: UNMOVED, poseB: pose, all: false, maxContacts: 1, level: null };
  const { lower, upper, b, onB } = findClosest(alone, closedOperand(asset, pose), query, exactly);
  const isFound = b >= 0;
  return {
    point: isFound ? Array.from(onB) : null,
    distance: { lower, upper },
    triangle: isFound ? b : null,
  };
}

const nearest = /* @__PURE__ */ new NearestTriangle();

/** Leaves the triangle nearest to a point in `nearest`; a kernel finds those to measure. */
function findNearest(target: Placed, x: number, y: number, z: number, isReady: boolean): void {
  const { search } = target;
  nearest.begin(x, y, z);
  const count = isReady ? search.nearest(x, y, z) : -1;
  if (count < 0) nearest.search(target);
  else for (let i = 0; i < count; i++) nearest.measure(target, search.candidate(i));
}

const isNear = (points: ArrayLike<number>, i: number): boolean =>
  Math.abs(points[i]) <= FARTHEST && Math.abs(points[i + 1]) <= FARTHEST && Math.abs(points[i + 2]) <= FARTHEST;

/** The answers of `closestPoint` for many points, a number or three for each. */
export interface ClosestPoints {
  /** x, y, z each, in the common frame, within rounding; NaN if there is none. */
  points: Float64Array;
  /** The distance, proved, from `lower` to `upper`. */
  lower: Float64Array;
  upper: Float64Array;
  /** The number of the triangle or the cube; 0 for an F-rep; -1 if there is none. */
  triangles: Int32Array;
}

/**
 * Returns the point of an asset nearest to each of many points: the same answers as `closestPoint`
 * gives for one, in typed arrays.
 *
 * @param points x, y, z each, of the common frame, in the asset's units
 * @throws OptionError for an invalid point, pose or option, and for a point farther than 1e150
 * @example const { lower } = closestPoints(bunny, [2, 0, 0, 0, 3, 0]);
 *          lower[1] === closestPoint(bunny, [0, 3, 0]).distance.lower // true
 */
export function closestPoints(
  asset: Asset,
  points: ArrayLike<number>,
  options: ClosestPointOptions = {},
): ClosestPoints {
  requireOptionTypes(options, CLOSEST_POINT_OPTIONS);
  const pose = requirePlaced(asset, options.pose);
  const count = requireThrees(points, 'points');
  for (let i = 0; i < count; i++) {
    if (isNear(points, 3 * i)) continue;
    throw new OptionError(`points: expected coordinates up to ${FARTHEST}, found a larger one at point ${i}`);
  }
  const found: ClosestPoints = {
    points: new Float64Array(3 * count).fill(Number.NaN),
    lower: new Float64Array(count),
    upper: new Float64Array(count),
    triangles: new Int32Array(count).fill(-1),
  };
  const target = targetIn(asset, pose);
  const isReady = target?.search.isReady(asset, target, count) ?? false;
  for (let i = 0; i < count; i++) {
    const [x, y, z] = [points[3 * i], points[3 * i + 1], points[3 * i + 2]];
    if (target) {
      findNearest(target, x, y, z, isReady);
      found.points.set(nearest.at, 3 * i);
      found.lower[i] = nearest.lower;
      found.upper[i] = nearest.upper;
      found.triangles[i] = nearest.triangle;
      continue;
    }
    const { point, distance, triangle } = closestPoint(asset, [x, y, z], { pose });
    if (point) found.points.set(point, 3 * i);
    found.lower[i] = distance.lower;
    found.upper[i] = distance.upper;
    found.triangles[i] = triangle ?? -1;
  }
  return found;
}

/** The position of a point; `undecided` for F-reps only. */
export type Containment = 'inside' | 'outside' | 'border' | 'undecided';

/**
 * Places a point of the common frame in an asset, exactly.
 *
 * For triangles, a point on any of them is on the `border`, even if others cross it or coincide
 * with it. A point is `inside` if the surface's winding number about it is not 0. So inside-out
 * shells hold their inside, and cavities are outside. Vertices are moved in doubles, as in `check`.
 * Triangles without area do not count.
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
  requireThree(point, 'point');
  const corner = Float64Array.of(point[0], point[1], point[2]);
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

/** The volume of an asset: a proved bracket, in its own cubed units. */
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
    throw new OptionError(`volumeOf: expected triangles or cubes, found ${asset.representation}`);
  const set = asset as VoxelSet;
  const volume = cubesOf(set) * set.precision * set.precision * set.precision;
  // Possible loss of a product to underflow.
  const lost = Number.MIN_VALUE;
  const lower = Math.min(Number.MAX_VALUE, Math.max(0, volume * DOWN - lost));
  return { lower, upper: volume * UP + lost, inverted: false };
}
