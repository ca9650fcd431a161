/**
 * Measures how deep two solids are in each other: the diameter of the largest ball inside both, and
 * how far each reaches into the other. These are proved brackets; see depth-search.ts. For
 * functions it finds a ball inside both.
 */
import { type Extent, writeBounds } from '../engine/extent.ts';
import { isIdentity } from '../math/pose.ts';
import { DepthSearch, MOST_LOOKS } from './depth-search.ts';
import { isNoDeeper } from './erode.ts';
import { hullOfBox, type Located } from './point-location.ts';
import { type PlacedBody, spanOf } from './solid.ts';

/** When a bracket is narrow enough. Lengths are in the common frame. */
export interface DepthGoal {
  /** `upper - lower` is at most this part of `upper`. Default: 0.01, or 1e-6 with `until`. */
  relative?: number | undefined;
  /** Or `upper` is at most this length, and then set to it. */
  absolute?: number | undefined;
  /** Or it is on one side of this length: `lower > until` or `upper <= until`. */
  until?: number | undefined;
  /** Or so many points were tested. Default: some thousands. */
  looks?: number | undefined;
}

interface Known {
  lower: number;
  upper: number;
  isNarrow: boolean;
}

export interface Thickness extends Known {
  /** x, y, z of the center of a ball inside both with the diameter `lower`; null if that is 0. */
  centre: number[] | null;
}

export interface Reach extends Known {
  /** x, y, z of a point as far as `lower` from the other's surface; null if that is 0. */
  point: number[] | null;
}

/**
 * Symmetric but for the bracket's width, and deterministic. If shells of one mesh cross, the
 * bracket may stay wider than the goal.
 *
 * @param a, b bodies whose triangles are cycles, in poses of one frame
 * @example thicknessOf(placeBody(box, identity()), placeBody(box, translation(0.25, 0, 0)),
 *   {}).upper
 */
export const thicknessOf = (a: PlacedBody, b: PlacedBody, goal: DepthGoal): Thickness =>
  new ThicknessSearch(a, b).refine(goal);

/**
 * The same, one goal after the other: each continues from the end of the last one.
 *
 * @example const search = new ThicknessSearch(a, b);
 *   search.refine({ relative: 0.1 });
 *   search.refine({ until: 2 }); // on one side of 2, if possible
 */
export class ThicknessSearch {
  private readonly search: DepthMeasure;

  constructor(a: PlacedBody, b: PlacedBody) {
    this.search = new DepthMeasure([a, b], [0, 1], 2, null);
  }

  refine(goal: DepthGoal): Thickness {
    const { point, ...known } = this.search.refine(goal);
    return { ...known, centre: point };
  }
}

/**
 * The greatest distance of a point of the intersection from the surface of `outer`. A known
 * thickness helps: its ball is as deep as it is large.
 */
export const reachOf = (inner: PlacedBody, outer: PlacedBody, goal: DepthGoal, known?: Thickness): Reach =>
  new DepthMeasure([inner, outer], [1], 1, known?.centre ?? null).refine(goal);

/** Points to test before checking if the whole intersection is a sliver. */
const FEW_LOOKS = 64;
/** Triangles that are shrunk for that in the time of a point. Brackets of `fine` keep FEW_LOOKS. */
const TRIANGLES_A_LOOK = 32;
/** Brackets that reach an absolute goal are at most this part of it, for reproducible results. */
const FINE = 2 ** -4;

const NOTHING: Reach = { lower: 0, upper: 0, point: null, isNarrow: true };

class DepthMeasure {
  /** Null if the boxes share nothing. */
  private readonly search: DepthSearch | null;
  private readonly finest: number;

  constructor(
    private readonly bodies: readonly [PlacedBody, PlacedBody],
    private readonly limits: readonly number[],
    private readonly times: number,
    start: readonly number[] | null,
  ) {
    // Slivers thinner than sheets count as nothing: the search would find them everywhere.
    this.finest = times * 2 ** -28 * Math.max(...bodies.map(fromOrigin));
    this.search = this.begin();
    if (start) this.search?.offer(Float64Array.from(start));
  }

  private get isCommon(): boolean {
    return this.limits.length === this.bodies.length;
  }

  private begin(): DepthSearch | null {
    const { bodies, limits, isCommon } = this;
    const boxes = bodies.map(boxOfPlaced);
    const low = Float64Array.from([0, 1, 2], (k) => Math.max(...boxes.map((box) => box[k])));
    const high = Float64Array.from([0, 1, 2], (k) => Math.min(...boxes.map((box) => box[3 + k])));
    let size = 0;
    for (const box of boxes) for (const x of box) size = Math.max(size, Math.abs(x));
    // No ball inside is wider than the common box, none in the outer one wider than its box.
    let widest = Number.POSITIVE_INFINITY;
    for (let k = 0; k < 3; k++) {
      if (!(low[k] < high[k])) return null;
      for (const limit of limits) widest = Math.min(widest, boxes[limit][3 + k] - boxes[limit][k]);
      if (isCommon) widest = Math.min(widest, high[k] - low[k]);
    }
    // Nothing beyond the common box is inside both, nothing beyond the outer one's inside that.
    const outer = boxes[limits[0]];
    const rim = isCommon ? { low, high } : { low: outer.slice(0, 3), high: outer.slice(3) };
    const search = new DepthSearch(bodies, limits, rim, 4 * size);
    search.begin({ low, high }, (widest / 2) * (1 + 2 ** -50));
    return search;
  }

  refine(goal: DepthGoal): Reach {
    const { search, bodies, finest, times } = this;
    if (!search) return NOTHING;
    const { until, relative = until === undefined ? 0.01 : 1e-6, looks = MOST_LOOKS } = goal;
    const absolute = Math.max(goal.absolute ?? 0, finest / FINE);
    search.aimFor({
      ...{ relative, absolute: Math.max(FINE * (goal.absolute ?? 0), finest) / times },
      until: until === undefined ? null : until / times,
    });
    const found = (looks: number): Reach => {
      const { lower, upper, point } = search.run(looks);
      const known = { lower: times * lower, upper: times * upper };
      const isRelative = known.upper - known.lower <= relative * known.upper;
      const isFine = known.upper <= absolute || known.upper - known.lower <= FINE * absolute;
      return {
        lower: known.lower,
        upper: isRelative ? known.upper : Math.max(known.upper, absolute),
        point: lower > 0 && point ? Array.from(point) : null,
        isNarrow: isRelative || isFine,
      };
    };
    if (until !== undefined) return found(looks);
    const triangles = bodies.reduce((sum, { body }) => sum + body.shells.corners.length / 3, 0);
    const few = relative > 0.01 ? Math.max(FEW_LOOKS, triangles / TRIANGLES_A_LOOK) : FEW_LOOKS;
    const first = found(Math.min(looks, few));
    if (first.isNarrow) return first;
    if (first.lower <= absolute) {
      const isSliver =
        isNoDeeper(bodies[0], bodies[1], absolute / times) ||
        (this.isCommon && isNoDeeper(bodies[1], bodies[0], absolute / times));
      if (isSliver) return { ...first, upper: absolute, isNarrow: true };
    }
    return found(looks);
  }
}

/** An upper bound of vertices' distances from the common origin; invariant to rotations. */
const fromOrigin = ({ body, pose }: PlacedBody): number =>
  spanOf(body).fromOrigin + Math.sqrt(pose[3] ** 2 + pose[7] ** 2 + pose[11] ** 2);

function boxOfPlaced(placed: PlacedBody): Float64Array {
  const { body, pose } = placed;
  if (isIdentity(pose)) return body.box;
  const { operand } = placed;
  const extent: Extent = { root: operand.tree.bounds, reach: operand.reach, own: body.box };
  const box = new Float64Array(6);
  writeBounds(extent, pose, box, 0);
  return box;
}

/*
 * Finds a ball inside two solids: a lower bound of the thickness of their intersection, for
 * functions whose surface is at an unknown distance.
 *
 * The ball is in a cube that is proved to be inside both. From there the cube moves along the axes
 * to where a larger one fits.
 */

const MOST_TRIES = 32;
const LARGER = 1.25;
const MOST_HALVINGS = 24;

/** Bounds it by a ball found and the narrower one's width; `start` is strictly inside both. */
export function inscribedIn(a: Located, b: Located, start: readonly number[]): Omit<Thickness, 'isNarrow'> {
  let upper = Math.min(a.width, b.width);
  for (let k = 0; k < 3; k++) {
    upper = Math.min(upper, Math.min(a.box[3 + k], b.box[3 + k]) - Math.max(a.box[k], b.box[k]));
  }
  upper *= 1 + 2 ** -50;
  let centre = [...start];
  const fits = (at: readonly number[], half: number): boolean => {
    const [low, high] = [at.map((x) => x - half), at.map((x) => x + half)];
    return a.place(hullOfBox(low, high)) === 'inside' && b.place(hullOfBox(low, high)) === 'inside';
  };
  let half = upper / 2;
  for (let n = 0; n <= MOST_HALVINGS && !fits(centre, half); n++) half = n < MOST_HALVINGS ? half / 2 : 0;
  let tries = 0;
  for (let step = half; step > half / 8 && tries < MOST_TRIES; ) {
    const larger = half * LARGER;
    const better = neighbours(centre, step).find((at) => tries++ < MOST_TRIES && fits(at, larger));
    if (better) {
      centre = better;
      half = larger;
      step = half;
    } else step /= 2;
  }
  // Corners were rounded, in proportion to their distance from the origin.
  const size = centre.reduce((most, x) => Math.max(most, Math.abs(x)), half);
  const lower = Math.max(0, 2 * half - 2 ** -50 * size);
  return { lower, upper: Math.max(lower, upper), centre: lower > 0 ? centre : null };
}

function neighbours(centre: readonly number[], step: number): number[][] {
  const all = [[...centre]];
  for (let k = 0; k < 3; k++) {
    for (const side of [-step, step]) all.push(centre.map((x, axis) => (axis === k ? x + side : x)));
  }
  return all;
}
