/**
 * Finds the cells of the world grid whose centers are inside a closed model, apart from those of
 * its surface.
 *
 * The inside needs no predicates. The model is moved to whole numbers of a/8, by at most a/16 (and
 * a rounding) along each axis. A center of a cell that is not of the surface is a/2 (less a
 * rounding) from it in the largest coordinate. So no triangle passes it on the way, and its winding
 * number is that in the moved model: whole numbers below 2^25, whose products doubles hold. A
 * column of centers, (8i+4, 8j+4), may hit edges and vertices. It is moved by (e, e^2) for an
 * infinitely small e > 0, which makes every triangle half-open by one rule. Only the heights of
 * crossings are rounded, by less than 2^-20. If the moved triangle is crossed at z, the true one
 * has a point in the same column within 1/2 + 2^-20 of z, and its cell is of the surface. Other
 * cells' centers are 4 - 1/2 - 2^-20 or more from z, on the right side of it.
 */
import { MOST_CELLS } from '../tree/cube-set.ts';

/** The kernel's table, in which bricks are set. */
export interface BrickTable {
  readonly count: number;
  add(x: number, y: number, z: number, word0: number, word1: number): void;
  cells(): number;
}

const CELL = 8;
const BRICK_BIAS = 2 ** 19;
/** Sortable number of a crossing: column, the first cell whose center is above, 1 if facing up. */
const HEIGHTS = 2 ** 23;

interface Sweep {
  /** The model's vertices in whole numbers of a/8. */
  units: Float64Array;
  triangles: Uint32Array;
  /** Triangles that some column crosses, by first row of bricks: row * 2^32 + triangle. */
  order: Float64Array;
  /** Crossings of one row of bricks, with spare room. */
  crossings: Float64Array;
  count: number;
}

/** Adds cells with centers inside. Above `most` bricks, stops and returns the estimated cells. */
export function addInside(
  bricks: BrickTable,
  most: number,
  positions: Float64Array,
  triangles: Uint32Array,
  precision: number,
  progress: (stage: string, fraction: number) => void,
): number | undefined {
  const units = positions.map((x) => Math.round((x / precision) * CELL));
  const sweep: Sweep = {
    units,
    triangles,
    order: beginnings(units, triangles),
    crossings: new Float64Array(1024),
    count: 0,
  };
  const surface = bricks.cells();
  // Cells / 64 is at most the number of bricks. A small enough box needs no counting.
  const count = () => sweepRows(sweep, null, most, () => {});
  if (boxBricks(units, triangles) > most) {
    const inside = count();
    if (inside > 64 * most) return inside + surface / 2;
  }
  sweepRows(sweep, bricks, most, progress);
  return bricks.count > most ? count() + surface / 2 : undefined;
}

function boxBricks(units: Float64Array, triangles: Uint32Array): number {
  let bricks = 1;
  for (let axis = 0; axis < 3; axis++) {
    let low = Infinity;
    let high = -Infinity;
    for (let corner = 0; corner < triangles.length; corner++) {
      const x = units[3 * triangles[corner] + axis];
      if (x < low) low = x;
      if (x > high) high = x;
    }
    bricks *= (high - low) / (4 * CELL) + 2;
  }
  return bricks;
}

/** The first i with 8 i + 4 >= x. */
const firstCentre = (x: number): number => Math.ceil((x - CELL / 2) / CELL);

function beginnings(units: Float64Array, triangles: Uint32Array): Float64Array {
  const order = new Float64Array(triangles.length / 3);
  let count = 0;
  for (let t = 0; 3 * t < triangles.length; t++) {
    const p = units[3 * triangles[3 * t] + 1];
    const q = units[3 * triangles[3 * t + 1] + 1];
    const r = units[3 * triangles[3 * t + 2] + 1];
    const row = firstCentre(Math.min(p, q, r));
    if (row < firstCentre(Math.max(p, q, r))) order[count++] = (row >> 2) * 2 ** 32 + t;
  }
  return order.subarray(0, count).sort();
}

function sweepRows(
  sweep: Sweep,
  bricks: BrickTable | null,
  most: number,
  progress: (stage: string, fraction: number) => void,
): number {
  const { order } = sweep;
  const present = new Uint32Array(order.length);
  let presentCount = 0;
  let cells = 0;
  for (let next = 0, row = 0; next < order.length || presentCount > 0; row++) {
    if (presentCount === 0) row = Math.floor(order[next] / 2 ** 32);
    while (next < order.length && Math.floor(order[next] / 2 ** 32) === row) {
      present[presentCount++] = order[next++] - row * 2 ** 32;
    }
    progress('inside', (next - presentCount) / order.length);
    sweep.count = 0;
    let kept = 0;
    for (let n = 0; n < presentCount; n++) {
      if (crossTriangle(sweep, present[n], row)) present[kept++] = present[n];
    }
    presentCount = kept;
    sweep.crossings.subarray(0, sweep.count).sort();
    for (let from = 0; from < sweep.count; ) {
      const column = columnOf(sweep.crossings[from]) >> 4;
      let to = from;
      while (to < sweep.count && columnOf(sweep.crossings[to]) >> 4 === column) to++;
      cells += fillColumns(sweep.crossings, from, to, bricks, column - BRICK_BIAS, row);
      if (bricks !== null && bricks.count > most) return cells;
      from = to;
    }
  }
  progress('inside', 1);
  return cells;
}

const columnOf = (crossing: number): number => Math.floor(crossing / (2 * HEIGHTS));
const heightOf = (crossing: number): number => (Math.floor(crossing / 2) % HEIGHTS) - MOST_CELLS;

/** Appends crossings of a row's columns with triangle t; true if it continues in the next row. */
function crossTriangle(sweep: Sweep, t: number, row: number): boolean {
  const { units, triangles } = sweep;
  const p = 3 * triangles[3 * t];
  let q = 3 * triangles[3 * t + 1];
  let r = 3 * triangles[3 * t + 2];
  const px = units[p];
  const py = units[p + 1];
  let area = (units[q] - px) * (units[r + 1] - py) - (units[q + 1] - py) * (units[r] - px);
  if (area === 0) return false;
  const up = area > 0 ? 1 : 0;
  if (up === 0) {
    const other = q;
    q = r;
    r = other;
    area = -area;
  }
  const pz = units[p + 2];
  const qx = units[q];
  const qy = units[q + 1];
  const qz = units[q + 2] - pz;
  const rx = units[r];
  const ry = units[r + 1];
  const rz = units[r + 2] - pz;
  const end = firstCentre(Math.max(py, qy, ry));
  const begin = Math.max(firstCentre(Math.min(py, qy, ry)), 4 * row);
  for (let j = begin; j < Math.min(end, 4 * row + 4); j++) {
    const y = CELL * j + CELL / 2;
    // Counterclockwise, descending edges bound the row on the left, ascending ones on the right.
    let from = -MOST_CELLS;
    let to = MOST_CELLS;
    if (qy < py) from = firstBeyond(px, py, qx, qy, y);
    if (ry < qy) from = Math.max(from, firstBeyond(qx, qy, rx, ry, y));
    if (py < ry) from = Math.max(from, firstBeyond(rx, ry, px, py, y));
    if (qy > py) to = firstBeyond(px, py, qx, qy, y);
    if (ry > qy) to = Math.min(to, firstBeyond(qx, qy, rx, ry, y));
    if (py > ry) to = Math.min(to, firstBeyond(rx, ry, px, py, y));
    if (sweep.count + to - from > sweep.crossings.length) {
      const grown = new Float64Array(2 * (sweep.count + to - from));
      grown.set(sweep.crossings);
      sweep.crossings = grown;
    }
    for (let i = from; i < to; i++) {
      const x = CELL * i + CELL / 2;
      const toQ = (px - rx) * (y - ry) - (py - ry) * (x - rx);
      const toR = (qx - px) * (y - py) - (qy - py) * (x - px);
      const z = pz + (toQ * qz + toR * rz) / area;
      const column = ((i >> 2) + BRICK_BIAS) * 16 + (i & 3) + 4 * (j & 3);
      sweep.crossings[sweep.count++] = 2 * (column * HEIGHTS + firstCentre(z) + MOST_CELLS) + up;
    }
  }
  return end > 4 * row + 4;
}

/** First column toward greater x with its center on the line or beyond; exact, y1 != y0. */
function firstBeyond(x0: number, y0: number, x1: number, y1: number, y: number): number {
  const dx = y1 > y0 ? x1 - x0 : x0 - x1;
  const dy = Math.abs(y1 - y0);
  const goal = dx * (y - y0);
  let i = firstCentre(x0 + goal / dy);
  while ((CELL * (i - 1) + CELL / 2 - x0) * dy >= goal) i--;
  while ((CELL * i + CELL / 2 - x0) * dy < goal) i++;
  return i;
}

/** Stacked bricks over a square of 4 x 4 columns; zero between calls. */
let tower = new Uint32Array(1024);

/** Counts and sets cells between crossings from..to of brick column x, y, if they are inside. */
function fillColumns(
  crossings: Float64Array,
  from: number,
  to: number,
  bricks: BrickTable | null,
  x: number,
  y: number,
): number {
  let bottom = Infinity;
  let top = -Infinity;
  for (let n = from; n < to; n++) {
    const k = heightOf(crossings[n]);
    if (k < bottom) bottom = k;
    if (k > top) top = k;
  }
  bottom >>= 2;
  top >>= 2;
  if (bricks !== null && tower.length < 2 * (top - bottom + 1)) tower = new Uint32Array(4 * (top - bottom + 1));
  let winding = 0;
  let cells = 0;
  for (let n = from; n < to; n++) {
    winding += crossings[n] % 2 === 1 ? 1 : -1;
    if (winding === 0) continue;
    // In a closed model, a nonzero winding number ends in the same column.
    const k = heightOf(crossings[n]);
    const end = heightOf(crossings[n + 1]);
    cells += end - k;
    if (bricks !== null) setRun(columnOf(crossings[n]) & 15, k - 4 * bottom, end - 4 * bottom);
  }
  if (bricks === null) return cells;
  for (let z = bottom; z <= top; z++) {
    const at = 2 * (z - bottom);
    if ((tower[at] | tower[at + 1]) === 0) continue;
    bricks.add(x, y, z, tower[at], tower[at + 1]);
    tower[at] = 0;
    tower[at + 1] = 0;
  }
  return cells;
}

function setRun(column: number, from: number, end: number): void {
  const pair = 0x10001 << column;
  let k = from;
  for (; k < end && (k & 1) !== 0; k++) tower[k >> 1] |= 0x10000 << column;
  for (; k + 1 < end; k += 2) tower[k >> 1] |= pair;
  if (k < end) tower[k >> 1] |= 1 << column;
}
