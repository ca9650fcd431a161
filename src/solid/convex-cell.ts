/**
 * Convex cells of space, cut by a search: corners, and faces as rings of corners.
 *
 * A cut puts a new corner on every edge that it crosses; both halves share it. However these
 * corners are rounded along their edges, the two halves together hold the whole: anything beyond a
 * plane that has one half on its other side is a hull of corners and parts of edges of the other
 * half. Corners are off their edges by a rounding, as much as points of the halves are off the
 * whole.
 */

interface Face {
  /** Outward, with a length of about 1. */
  normal: readonly number[];
  ring: readonly number[];
}

export interface ConvexCell {
  corners: Float64Array;
  faces: readonly Face[];
}

/** A cell that would have more is not cut. */
export const MOST_CORNERS = 48;
const MOST_FACES = 28;

export function boxCell(low: ArrayLike<number>, high: ArrayLike<number>): ConvexCell {
  const corners = new Float64Array(24);
  for (let v = 0; v < 8; v++) for (let k = 0; k < 3; k++) corners[3 * v + k] = (v >> k) & 1 ? high[k] : low[k];
  const faces: Face[] = [];
  for (let k = 0; k < 3; k++) {
    const [p, q] = [1 << ((k + 1) % 3), 1 << ((k + 2) % 3)];
    for (const side of [0, 1]) {
      const first = side << k;
      const normal = [0, 0, 0];
      normal[k] = 2 * side - 1;
      // Counterclockwise as seen from outside.
      const ring = [first, first | p, first | p | q, first | q];
      faces.push({ normal, ring: side === 1 ? ring : ring.reverse() });
    }
  }
  return { corners, faces };
}

/**
 * The part whose product with `normal`, of length about 1, is at most `most`: the cell itself if it
 * all is or can't be cut, null if nothing is. Corners within `slight` of the plane count as on it.
 */
export function partBelow(
  cell: ConvexCell,
  normal: readonly number[],
  most: number,
  slight: number,
): ConvexCell | null {
  const heights = heightsOf(cell, normal, most, slight);
  let isCut = false;
  let isEmpty = true;
  for (const height of heights) {
    if (height > 0) isCut = true;
    else isEmpty = false;
  }
  if (!isCut) return cell;
  return isEmpty ? null : (cutAt(cell, heights, normal) ?? cell);
}

/** The parts below and above a plane; undefined if one is thinner than `least` or can't be cut. */
export function halves(
  cell: ConvexCell,
  normal: readonly number[],
  at: number,
  least: number,
  slight: number,
): [ConvexCell, ConvexCell] | undefined {
  const heights = heightsOf(cell, normal, at, slight);
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const height of heights) {
    low = Math.min(low, height);
    high = Math.max(high, height);
  }
  if (!(low < -least && high > least)) return undefined;
  const below = cutAt(cell, heights, normal);
  const above =
    below &&
    cutAt(
      cell,
      heights.map((height) => -height),
      normal.map((x) => -x),
    );
  return above && [below, above];
}

function heightsOf({ corners }: ConvexCell, normal: readonly number[], at: number, slight: number): Float64Array {
  const heights = new Float64Array(corners.length / 3);
  for (let v = 0; v < heights.length; v++) {
    const height = normal[0] * corners[3 * v] + normal[1] * corners[3 * v + 1] + normal[2] * corners[3 * v + 2] - at;
    heights[v] = Math.abs(height) > slight ? height : 0;
  }
  return heights;
}

/** The part of heights up to 0; undefined for inconsistent signs or too many corners. */
function cutAt(
  { corners, faces }: ConvexCell,
  heights: Float64Array,
  normal: readonly number[],
): ConvexCell | undefined {
  const kept = new Int32Array(heights.length).fill(-1);
  const points: number[] = [];
  for (let v = 0; v < heights.length; v++) {
    if (heights[v] > 0) continue;
    kept[v] = points.length / 3;
    points.push(corners[3 * v], corners[3 * v + 1], corners[3 * v + 2]);
  }
  const onEdges = new Map<number, number>();
  /** The same numbers in both halves. */
  const cross = (p: number, q: number): number => {
    const [from, to] = p < q ? [p, q] : [q, p];
    if (heights[from] === 0) return kept[from];
    if (heights[to] === 0) return kept[to];
    const key = heights.length * from + to;
    let corner = onEdges.get(key);
    if (corner === undefined) {
      corner = points.length / 3;
      const part = heights[from] / (heights[from] - heights[to]);
      for (let k = 0; k < 3; k++) {
        const x = corners[3 * from + k];
        points.push(x + part * (corners[3 * to + k] - x));
      }
      onEdges.set(key, corner);
    }
    return corner;
  };
  const left: Face[] = [];
  const next = new Map<number, number>();
  for (const { normal, ring } of faces) {
    const own: number[] = [];
    let entry = -1;
    let exit = -1;
    for (let i = 0; i < ring.length; i++) {
      const [v, w] = [ring[i], ring[(i + 1) % ring.length]];
      if (heights[v] <= 0) own.push(kept[v]);
      if (heights[v] <= 0 === heights[w] <= 0) continue;
      const corner = cross(v, w);
      if (heights[v] < 0 || heights[w] < 0) own.push(corner);
      if (heights[v] <= 0) {
        if (exit >= 0) return undefined;
        exit = corner;
      } else {
        if (entry >= 0) return undefined;
        entry = corner;
      }
    }
    if (own.length >= 3) left.push({ normal, ring: own });
    if (exit !== entry) {
      if (next.has(entry)) return undefined;
      next.set(entry, exit);
    }
  }
  const ring: number[] = [];
  const [first] = next.keys();
  for (let corner = first; corner !== undefined && ring.length <= next.size; ) {
    ring.push(corner);
    const after: number | undefined = next.get(corner);
    if (after === undefined) return undefined;
    corner = after;
    if (corner === first) break;
  }
  if (ring.length !== next.size || ring.length < 3) return undefined;
  left.push({ normal, ring });
  if (left.length > MOST_FACES || points.length > 3 * MOST_CORNERS) return undefined;
  return { corners: Float64Array.from(points), faces: left };
}
