/**
 * Convex cells of space, cut by a search: corners, and faces as rings of corners. `Roof` bounds
 * heights over a cell.
 *
 * A cut puts a new corner on every edge that it crosses, and both halves share it. The corners may
 * be rounded along their edges in any way: the two halves together still hold the whole. For
 * anything beyond a plane that has one half on its other side is a hull of corners and parts of
 * edges of the other half. Corners are off their edges by a rounding, and points of the halves are
 * off the whole by as much.
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

/*
 * Bounds the height of points below several roofs, over a convex cell, by mixtures of its corners.
 *
 * A roof is a convex function of a point. Its value at a mixture of corners is no more than the
 * same mixture of its values at the corners. So with m[i][v], the height of roof i at corner v, no
 * point of the cell is below all roofs and higher than
 *
 *   greatest over mixtures x of corners  least over roofs i  sum x_v m[i][v]
 *
 * which is the value of a matrix game. It equals, over mixtures y of roofs,
 *
 *   the least of the greatest, over corners v, of  sum y_i m[i][v]
 *
 * J. von Neumann, "Zur Theorie der Gesellschaftsspiele", 1928; as a linear program by G. Dantzig,
 * 1951, in whose condensed tableau it is solved. Any mixture of roofs gives an upper bound,
 * computed from it with its rounding, so its quality is not critical.
 *
 * Tried: boxes as cells, and over each an affine function above every roof. It needs no corners,
 * but thin oblique cells took thousands of boxes.
 */

export const MOST_ROOFS = 16;

const WIDTH = MOST_ROOFS + 1;
/** Most steps, usually a few. The result is an upper bound even if it is not the least by then. */
const MOST_STEPS = 48;
/** Smaller gains, relative to 1, are not worth a step. */
const LITTLE = 2 ** -40;

/** A row for each corner and one for the gains; a column for each roof and the right side. */
const tableau = new Float64Array((MOST_CORNERS + 1) * WIDTH);
/** The variable of each row and column: a roof i, or ~v for the corner v. */
const rowOf = new Int32Array(MOST_CORNERS);
const columnOf = new Int32Array(MOST_ROOFS);

export class Roof {
  roofs = 0;
  corners = 0;
  /** m[i][v] at MOST_CORNERS i + v. */
  readonly heights = new Float64Array(MOST_ROOFS * MOST_CORNERS);
  /** Weights of the highest mixture of corners, in sum 1, and those of the roofs. */
  readonly ofCorners = new Float64Array(MOST_CORNERS);
  readonly ofRoofs = new Float64Array(MOST_ROOFS);

  /** Returns an upper bound of the value; Infinity without roofs. */
  solve(): number {
    const { roofs, corners, heights, ofCorners, ofRoofs } = this;
    ofCorners.fill(1 / corners, 0, corners);
    ofRoofs.fill(0);
    if (roofs === 0) return Number.POSITIVE_INFINITY;
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < roofs; i++) {
      for (let v = 0; v < corners; v++) {
        low = Math.min(low, heights[MOST_CORNERS * i + v]);
        high = Math.max(high, heights[MOST_CORNERS * i + v]);
      }
    }
    // Heights from 1 to 2 make the value positive: the y_i over it maximize their sum with corner
    // sums <= 1.
    const scale = high > low ? 1 / (high - low) : 0;
    for (let v = 0; v < corners; v++) {
      const row = WIDTH * v;
      for (let i = 0; i < roofs; i++) tableau[row + i] = 1 + (heights[MOST_CORNERS * i + v] - low) * scale;
      tableau[row + roofs] = 1;
      rowOf[v] = ~v;
    }
    tableau.fill(1, WIDTH * corners, WIDTH * corners + roofs);
    tableau[WIDTH * corners + roofs] = 0;
    for (let i = 0; i < roofs; i++) columnOf[i] = i;
    for (let step = 0; step < MOST_STEPS; step++) if (!this.step()) break;
    this.readMixtures();
    return this.bound(high - low);
  }

  private step(): boolean {
    const { roofs, corners } = this;
    const gains = WIDTH * corners;
    let column = -1;
    let most = LITTLE;
    for (let i = 0; i < roofs; i++) {
      if (tableau[gains + i] <= most) continue;
      most = tableau[gains + i];
      column = i;
    }
    if (column < 0) return false;
    let row = -1;
    let least = Number.POSITIVE_INFINITY;
    for (let v = 0; v < corners; v++) {
      const rate = tableau[WIDTH * v + column];
      if (rate <= LITTLE) continue;
      const ratio = tableau[WIDTH * v + roofs] / rate;
      if (ratio >= least) continue;
      least = ratio;
      row = v;
    }
    if (row < 0) return false;
    const at = WIDTH * row;
    const pivot = 1 / tableau[at + column];
    for (let i = 0; i <= roofs; i++) if (i !== column) tableau[at + i] *= pivot;
    for (let v = 0; v <= corners; v++) {
      const factor = tableau[WIDTH * v + column];
      if (v === row || factor === 0) continue;
      for (let i = 0; i <= roofs; i++) if (i !== column) tableau[WIDTH * v + i] -= factor * tableau[at + i];
      tableau[WIDTH * v + column] = -factor * pivot;
    }
    tableau[at + column] = pivot;
    [rowOf[row], columnOf[column]] = [columnOf[column], rowOf[row]];
    return true;
  }

  private readMixtures(): void {
    const { roofs, corners, ofCorners, ofRoofs } = this;
    let sum = 0;
    for (let v = 0; v < corners; v++) {
      const part = tableau[WIDTH * v + roofs];
      if (rowOf[v] < 0 || !(part > 0)) continue;
      ofRoofs[rowOf[v]] = part;
      sum += part;
    }
    for (let i = 0; i < roofs; i++) ofRoofs[i] /= sum;
    let total = 0;
    for (let i = 0; i < roofs; i++) total += partOf(i, corners);
    if (!(total > 0)) return;
    ofCorners.fill(0, 0, corners);
    for (let i = 0; i < roofs; i++) if (columnOf[i] < 0) ofCorners[~columnOf[i]] = partOf(i, corners) / total;
  }

  private bound(range: number): number {
    const { roofs, corners, heights, ofRoofs } = this;
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < roofs; i++) {
      let most = Number.NEGATIVE_INFINITY;
      for (let v = 0; v < corners; v++) most = Math.max(most, heights[MOST_CORNERS * i + v]);
      if (most < least) least = most;
    }
    let sum = 0;
    for (let i = 0; i < roofs; i++) sum += ofRoofs[i];
    let mixed = Number.NEGATIVE_INFINITY;
    let size = 0;
    for (let v = 0; v < corners; v++) {
      let height = 0;
      for (let i = 0; i < roofs; i++) {
        const part = ofRoofs[i] * heights[MOST_CORNERS * i + v];
        height += part;
        size = Math.max(size, Math.abs(part));
      }
      if (height > mixed) mixed = height;
    }
    const bound = (mixed + 2 ** -46 * (size + range)) / sum;
    return bound < least ? bound + Math.abs(bound) * 2 ** -50 : least;
  }
}

/** The weight of a column's corner: its reduced cost, negated. */
const partOf = (column: number, corners: number): number =>
  columnOf[column] < 0 ? Math.max(0, -tableau[WIDTH * corners + column]) : 0;
