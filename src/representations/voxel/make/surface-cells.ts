/**
 * Finds the cells of the world grid that hold a point of a triangle, and proves that none is
 * missing. kernel.as.ts finds them; the first steps are here, too, for triangles that a device
 * cuts.
 *
 * Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", section III A,
 * algorithm 1. The paper says no more than "uniform grid". Here every triangle's block of bricks is
 * halved along its longest side. Blocks that a separating axis parts from the triangle are dropped
 * (S. Gottschalk et al., "OBBTree", 1996; for boxes and triangles T. Akenine-Möller, "Fast 3D
 * Triangle-Box Overlap Testing", 2001). In a remaining brick, the remaining axes cut the 64 cells.
 * So the work grows with the surface, not with the volume.
 *
 * Letters: u = 2^-53, and a is the precision. All lengths are multiplied by a power of two that
 * brings a to [1, 2). R_i is the triangle's largest |coordinate| along axis i plus 8: no brick that
 * it touches reaches farther. R is the largest R_i. L is an axis, S = sum |L_i| R_i.
 *
 * Nothing is missing. A point of a triangle lies between its least and greatest vertex along x, y
 * and z, so the point's cell is in the range of the vertices' cells (cellOf is exact and monotone).
 * And the point lies in the cell's closed box, [fl(k a), fl((k+1) a)]. Therefore no axis L parts
 * this box from the triangle, provided that the projections are rounded outward. They are off by 3
 * u S for L.vertex; 2 u S for a rounded center and half extent instead of the corners; 3 u S for
 * L.center; 3 u S for |L|.half extent; and 3 u S for the last sums. SLACK is 16 u. Underflow loses
 * less than 2^-1070 a product, and so does scaling a coordinate down; TINY outweighs both. An axis
 * whose interval holds a block's is not tested again in that block: this can add cells, never lose
 * one.
 *
 * Few cells are superfluous: the closed cube of every other cell of the set is within 2^-45 R of
 * the triangle. Let T' have the vertices v, v + e1, v + e2 with e1, e2 the rounded edges; it is
 * within 4 u R. The box minus T' is a polytope whose facets' normals are the box's (the ranges
 * above), e x axis for T's edges, or e1 x e2. If the two are d > 0 apart, the direction w of the
 * shortest way is in the cone of the facets' normals at one vertex. That cone is in one octant, as
 * w is in a normal cone of the box. So w = sum l_i n_i, l_i >= 0, of three normals with n_i.n_j >=
 * 0. Then sum l_i^2 <= 1, sum l_i <= sqrt 3, and some facet parts the two by d / sqrt 3. The axes
 * are right to 4 u of their lengths. For an edge is rounded twice at most, and the normal is exact
 * to that (see `crossTerm`) unless e1 and e2 make an angle with a sine below u. In that case T' is
 * a segment but for u R, and segments need no normal. An unseen gap is below (16 + 14) u S / |L| +
 * 14 u R < 70 u R; sqrt 3 times that and 4 u R twice are less than 2^8 u R. On the side of e x axis
 * where the triangle has one vertex there is no facet, so if that is certain, the side is not
 * tested.
 */
import { cellOf } from '../tree/cube-set.ts';

/** Axis 0 is the normal; 1 + 3 e + i is edge e times coordinate axis i, with 0 along i. */
const AXES = 10;
const axes = new Float64Array(3 * AXES);
/** The triangle along each axis, slack included; infinite on a side that is skipped. */
const least = new Float64Array(AXES);
const greatest = new Float64Array(AXES);
const corners = new Float64Array(9);
const edges = new Float64Array(9);
const reach = new Float64Array(3);
const first = new Int32Array(3);
const last = new Int32Array(3);
/** A block of bricks: first and last, three each, and bits of axes that may separate its cells. */
const ENTRY = 7;
/** Halving three sides of up to 2^20 bricks is 60 levels; each leaves one block pending. */
const stack = new Int32Array(64 * ENTRY);
let top = 0;
export const block = new Int32Array(ENTRY);

export const placed = { corners, edges, normal: axes.subarray(0, 3), first, last };

const SLACK = 16 * 2 ** -53;
const TINY = 2 ** -900;

/** The power of two that brings x to [1, 2). */
export function toOne(x: number): number {
  let scale = 1;
  while (x * scale >= 2) scale /= 2;
  while (x * scale < 1) scale *= 2;
  return scale;
}

/** Places triangle `t`, scaled by toOne(precision); true if it is in one cell. */
export function placeTriangle(
  positions: Float64Array,
  triangles: Uint32Array,
  t: number,
  precision: number,
  scale: number,
): boolean {
  let oneCell = true;
  for (let axis = 0; axis < 3; axis++) {
    const p = positions[3 * triangles[t] + axis];
    const q = positions[3 * triangles[t + 1] + axis];
    const r = positions[3 * triangles[t + 2] + axis];
    corners[axis] = p * scale;
    corners[3 + axis] = q * scale;
    corners[6 + axis] = r * scale;
    first[axis] = cellOf(Math.min(p, q, r), precision);
    last[axis] = cellOf(Math.max(p, q, r), precision);
    oneCell &&= first[axis] === last[axis];
  }
  return oneCell;
}

/** Makes the triangle's range of bricks the one pending block; its axes are known. */
export function beginBlocks(): void {
  for (let axis = 0; axis < 3; axis++) {
    stack[axis] = first[axis] >> 2;
    stack[3 + axis] = last[axis] >> 2;
  }
  stack[6] = (1 << AXES) - 1;
  top = ENTRY;
}

/** Finds an unseparated block of at most `side` bricks along x, y and z, by halving. */
export function nextBlock(a: number, side: number): boolean {
  while (top > 0) {
    top -= ENTRY;
    const x0 = stack[top];
    const y0 = stack[top + 1];
    const z0 = stack[top + 2];
    const x1 = stack[top + 3];
    const y1 = stack[top + 4];
    const z1 = stack[top + 5];
    const active = separates(x0, y0, z0, x1, y1, z1, a, stack[top + 6]);
    if (active < 0) continue;
    const wide = x1 - x0;
    const deep = y1 - y0;
    const tall = z1 - z0;
    if (wide < side && deep < side && tall < side) {
      putBlock(block, 0, x0, y0, z0, x1, y1, z1, active);
      return true;
    }
    const axis = longestSide(wide, deep, tall);
    for (let half = 0; half < 2; half++) {
      putBlock(stack, top, x0, y0, z0, x1, y1, z1, active);
      const middle = (stack[top + axis] + stack[top + 3 + axis]) >> 1;
      if (half === 0) stack[top + 3 + axis] = middle;
      else stack[top + axis] = middle + 1;
      top += ENTRY;
    }
  }
  return false;
}

function putBlock(
  entries: Int32Array,
  at: number,
  x0: number,
  y0: number,
  z0: number,
  x1: number,
  y1: number,
  z1: number,
  axesLeft: number,
): void {
  entries[at] = x0;
  entries[at + 1] = y0;
  entries[at + 2] = z0;
  entries[at + 3] = x1;
  entries[at + 4] = y1;
  entries[at + 5] = z1;
  entries[at + 6] = axesLeft;
}

const longestSide = (wide: number, deep: number, tall: number): number =>
  wide >= deep && wide >= tall ? 0 : deep >= tall ? 1 : 2;

/** -1 if an axis separates the block, else the axes that may separate a smaller one. */
function separates(
  x0: number,
  y0: number,
  z0: number,
  x1: number,
  y1: number,
  z1: number,
  a: number,
  axesLeft: number,
): number {
  const lowX = 4 * x0 * a;
  const lowY = 4 * y0 * a;
  const lowZ = 4 * z0 * a;
  const highX = (4 * x1 + 4) * a;
  const highY = (4 * y1 + 4) * a;
  const highZ = (4 * z1 + 4) * a;
  const x = (lowX + highX) / 2;
  const y = (lowY + highY) / 2;
  const z = (lowZ + highZ) / 2;
  const halfX = (highX - lowX) / 2;
  const halfY = (highY - lowY) / 2;
  const halfZ = (highZ - lowZ) / 2;
  let active = 0;
  for (let rest = axesLeft; rest !== 0; rest &= rest - 1) {
    const n = 31 - Math.clz32(rest & -rest);
    const lx = axes[3 * n];
    const ly = axes[3 * n + 1];
    const lz = axes[3 * n + 2];
    const centre = lx * x + ly * y + lz * z;
    const extent = Math.abs(lx) * halfX + Math.abs(ly) * halfY + Math.abs(lz) * halfZ;
    const low = centre - extent;
    const high = centre + extent;
    if (low > greatest[n] || high < least[n]) return -1;
    if (high > greatest[n] || low < least[n]) active |= 1 << n;
  }
  return active;
}

export function takeEdges(): void {
  for (let i = 0; i < 3; i++) {
    edges[i] = corners[3 + i] - corners[i];
    edges[3 + i] = corners[6 + i] - corners[i];
    edges[6 + i] = edges[3 + i] - edges[i];
  }
  axes[0] = crossTerm(edges[1], edges[5], edges[2], edges[4]);
  axes[1] = crossTerm(edges[2], edges[3], edges[0], edges[5]);
  axes[2] = crossTerm(edges[0], edges[4], edges[1], edges[3]);
}

export function separatingAxes(): void {
  takeEdges();
  for (let i = 0; i < 3; i++) {
    reach[i] = Math.max(Math.abs(corners[i]), Math.abs(corners[3 + i]), Math.abs(corners[6 + i])) + 8;
  }
  project(0, -1);
  for (let e = 0; e < 3; e++) {
    const x = edges[3 * e];
    const y = edges[3 * e + 1];
    const z = edges[3 * e + 2];
    const at = 3 + 9 * e;
    axes[at] = 0;
    axes[at + 1] = z;
    axes[at + 2] = -y;
    axes[at + 3] = -z;
    axes[at + 4] = 0;
    axes[at + 5] = x;
    axes[at + 6] = y;
    axes[at + 7] = -x;
    axes[at + 8] = 0;
    // Edge e is opposite corner 2 - e.
    project(1 + 3 * e, 2 - e);
    project(2 + 3 * e, 2 - e);
    project(3 + 3 * e, 2 - e);
  }
}

/** `opposite` is the corner that is not on the axis's edge; -1 for the normal. */
function project(n: number, opposite: number): void {
  const x = axes[3 * n];
  const y = axes[3 * n + 1];
  const z = axes[3 * n + 2];
  const p = x * corners[0] + y * corners[1] + z * corners[2];
  const q = x * corners[3] + y * corners[4] + z * corners[5];
  const r = x * corners[6] + y * corners[7] + z * corners[8];
  const slack = SLACK * (Math.abs(x) * reach[0] + Math.abs(y) * reach[1] + Math.abs(z) * reach[2]) + TINY;
  const low = Math.min(p, q, r);
  const high = Math.max(p, q, r);
  least[n] = low - slack;
  greatest[n] = high + slack;
  if (opposite < 0 || high - low <= 4 * slack) return;
  const apex = opposite === 0 ? p : opposite === 1 ? q : r;
  if (apex === high) greatest[n] = Infinity;
  else least[n] = -Infinity;
}

const SPLITTER = 2 ** 27 + 1;

/**
 * a b - c d, wrong by 2u of itself and u^2 of the products: rounding errors of products are
 * computed exactly (T. Dekker, "A Floating-Point Technique for Extending the Available Precision",
 * 1971) and subtracted like the products.
 */
function crossTerm(a: number, b: number, c: number, d: number): number {
  const ab = a * b;
  const cd = c * d;
  return ab - cd + (productError(a, b, ab) - productError(c, d, cd));
}

function productError(a: number, b: number, product: number): number {
  const wideA = SPLITTER * a;
  const highA = wideA - (wideA - a);
  const lowA = a - highA;
  const wideB = SPLITTER * b;
  const highB = wideB - (wideB - b);
  const lowB = b - highB;
  return lowA * lowB - (product - highA * highB - lowA * highB - highA * lowB);
}
