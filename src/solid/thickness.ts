/**
 * How deep two solids are in each other: the diameter of the largest ball that is inside both, and
 * how far each reaches into the other. Both are proved brackets; depth-search.ts says how.
 */
import { type Extent, writeBounds } from '../query/extent.ts';
import { DepthSearch, MOST_LOOKS } from './depth-search.ts';
import { isNoDeeper } from './erode.ts';
import { type PlacedBody, spanOf } from './solid.ts';

/** When a bracket is narrow enough. Lengths are in the common frame. */
export interface DepthGoal {
  /**
   * `upper - lower` is no more than this part of `upper`; 0.01 where left out, 1e-6 with `until`.
   */
  relative?: number | undefined;
  /** Or `upper` is no more than this length, and then it is this length. */
  absolute?: number | undefined;
  /** Or wholly on one side of this length: `lower > until` or `upper <= until`. */
  until?: number | undefined;
  /** Or so many points were looked at; some thousands where left out. */
  looks?: number | undefined;
}

/** A length that is known to be from `lower` to `upper`. */
interface Known {
  lower: number;
  upper: number;
  /** Whether the goal was reached. */
  isNarrow: boolean;
}

export interface Thickness extends Known {
  /**
   * x, y, z of the middle of a ball inside both whose diameter is `lower`; null where that is 0.
   */
  centre: number[] | null;
}

export interface Reach extends Known {
  /**
   * x, y, z of a point that is as far as `lower` from the other's surface; null where that is 0.
   */
  point: number[] | null;
}

/**
 * The diameter of the largest ball inside both of two solids. Symmetric in the two but for the
 * bracket's width; the same for the same input, always. Where shells of one mesh cross each other,
 * the bracket may stay wider than the goal asks.
 *
 * @param a, b bodies whose triangles are cycles, in poses of one frame
 * @example thicknessOf(placeBody(box, identity()), placeBody(box, translation(0.25, 0, 0)),
 *   {}).upper
 */
export function thicknessOf(a: PlacedBody, b: PlacedBody, goal: DepthGoal): Thickness {
  const { point, ...known } = depthOf([a, b], [0, 1], goal, 2, null);
  return { ...known, centre: point };
}

/**
 * The greatest distance of a point of what two solids have in common from the surface of `outer`.
 *
 * @param inner, outer as of `thicknessOf`
 * @param known what is known of their thickness: a ball inside both is as deep as it is large
 */
export function reachOf(inner: PlacedBody, outer: PlacedBody, goal: DepthGoal, known?: Thickness): Reach {
  return depthOf([inner, outer], [1], goal, 1, known?.centre ?? null);
}

/** Points to look at before it is tried whether all that the two have in common is a sliver. */
const FEW_LOOKS = 64;
/**
 * A bracket that is no narrower than its goal, but as short, is narrower than this part of it. So
 * one that ends a little above the goal differs by no more when it is found another way.
 */
const FINE = 2 ** -4;

/** @param times how often the depth is the length that is asked for */
function depthOf(
  bodies: [PlacedBody, PlacedBody],
  limits: number[],
  goal: DepthGoal,
  times: number,
  start: readonly number[] | null,
): Reach {
  const { until, relative = until === undefined ? 0.01 : 1e-6, looks = MOST_LOOKS } = goal;
  const boxes = bodies.map(boxOfPlaced);
  const low = Float64Array.from([0, 1, 2], (k) => Math.max(...boxes.map((box) => box[k])));
  const high = Float64Array.from([0, 1, 2], (k) => Math.min(...boxes.map((box) => box[3 + k])));
  let size = 0;
  for (const box of boxes) for (const x of box) size = Math.max(size, Math.abs(x));
  // No ball inside is wider than the common box; none in the outer one wider than its box.
  let widest = Number.POSITIVE_INFINITY;
  for (let k = 0; k < 3; k++) {
    if (!(low[k] < high[k])) return { lower: 0, upper: 0, point: null, isNarrow: true };
    for (const limit of limits) widest = Math.min(widest, boxes[limit][3 + k] - boxes[limit][k]);
    if (limits.length === bodies.length) widest = Math.min(widest, high[k] - low[k]);
  }
  // What is thinner than sheets are thick is as good as nothing: it would be looked for everywhere.
  const finest = times * 2 ** -28 * Math.max(...bodies.map(fromOrigin));
  const absolute = Math.max(goal.absolute ?? 0, finest / FINE);
  const depthGoal = {
    ...{ relative, absolute: Math.max(FINE * (goal.absolute ?? 0), finest) / times },
    until: until === undefined ? null : until / times,
  };
  // Beyond the common box nothing is inside both; beyond its own nothing is inside the outer one.
  const isCommon = limits.length === bodies.length;
  const outer = boxes[limits[0]];
  const rim = isCommon ? { low, high } : { low: outer.slice(0, 3), high: outer.slice(3) };
  const search = new DepthSearch(bodies, limits, depthGoal, rim, 4 * size);
  search.begin({ low, high }, (widest / 2) * (1 + 2 ** -50));
  if (start) search.offer(Float64Array.from(start));
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
  const first = found(Math.min(looks, FEW_LOOKS));
  if (first.isNarrow) return first;
  if (first.lower <= absolute) {
    const isSliver =
      isNoDeeper(bodies[0], bodies[1], absolute / times) ||
      (isCommon && isNoDeeper(bodies[1], bodies[0], absolute / times));
    if (isSliver) return { ...first, upper: absolute, isNarrow: true };
  }
  return found(looks);
}

/**
 * No less than how far a body's vertices are from the common origin; the same however all is turned
 * about that.
 */
const fromOrigin = ({ body, pose }: PlacedBody): number =>
  spanOf(body).fromOrigin + Math.sqrt(pose[3] ** 2 + pose[7] ** 2 + pose[11] ** 2);

function boxOfPlaced({ body, operand, pose }: PlacedBody): Float64Array {
  const extent: Extent = { root: operand.tree.bounds, reach: operand.reach, own: body.box };
  const box = new Float64Array(6);
  writeBounds(extent, pose, box, 0);
  return box;
}
