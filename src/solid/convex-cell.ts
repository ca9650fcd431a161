/**
 * Convex cells of space, as a search cuts them: corners, and faces as rings of corners.
 *
 * A cut puts a new corner on every edge that it crosses, and both halves have the same ones.
 * Whatever these are rounded to along their edges, the two halves together hold the whole: what is
 * beyond a plane that has one of them on its other side is a hull of corners and parts of edges
 * that the other half has. They are off their edges by a rounding, as much as points of the halves
 * are off the whole.
 */

interface Face {
  /** Of length about 1, outward. */
  normal: readonly number[];
  ring: readonly number[];
}

export interface ConvexCell {
  /** x, y, z of each. */
  corners: Float64Array;
  faces: readonly Face[];
}

/** Corners and faces at most: a cell that would have more is left as it is. */
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
 * The part of a cell where the product with a vector is no more than `most`: the cell itself where
 * it all is or where it cannot be cut, null where nothing is.
 *
 * @param normal of length about 1
 * @param slight corners that are as near to the plane are taken to be on it
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

/**
 * Both parts of a cell, below a plane and above it; undefined where one of them is thinner than
 * `least` or it cannot be cut.
 */
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

/**
 * The part whose corners have no height above 0; undefined where signs about a face make no sense,
 * or it has too many.
 */
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
  /** The corner on an edge: the same numbers whichever half is made. */
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
  /** Of the face that the cut makes: which corner comes after which. */
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
