/**
 * Bounds the distance between a geometry image and its source, in both directions and for each
 * quad, from their overlay.
 *
 * The grid's triangles cut the source's triangles, which are laid out in the square. On a piece, a
 * place determines a point S of the source and a point G of the stored surface, both affine. The
 * distance to a fixed triangle is a convex function. So over a piece the distances of S to the grid
 * triangle and of G to the source triangle are greatest at a corner. So finitely many evaluations
 * bound infinitely many points. (The argument by convexity: M. Tang, M. Lee, Y. Kim, "Interactive
 * Hausdorff Distance Computation for General Polygonal Models", SIGGRAPH 2009, section 4. The
 * common domain turns their search into a walk through a grid.)
 *
 * Proved in exact arithmetic, for the doubles of the decoded samples and of the source: Every
 * source point whose place lies in a closed quad is within `missing` of that quad's two triangles.
 * Every point of these is within `excess` of the source. The proof assumes that the images of the
 * source's triangles cover the square, as in an embedding of certainly positive triangles; `area`
 * tells if they don't.
 *
 * Letters: u = 2^-53. A, B, C are the source triangle's corners; everything is relative to A.
 *   b = B - A, c = C - A, S = A + v b + w c
 * Grid lines are at whole numbers. A place (x, y) of the square is at
 *   ((x + 1) 2^(n-1), (y + 1) 2^(n-1))
 * A grid triangle has its right angle at P and the legs e1 and e2. A place has coordinates f1 and
 * f2 along them; the triangle is f1 >= 0, f2 >= 0, 1 - f1 - f2 >= 0.
 *   G = P + f1 e1 + f2 e2
 *
 * Lines. A line's function L is affine; its values l0, l1, l2 at the source's corners are exact.
 * They are multiples of 2^-46 below 66 in size (moved by the group, too), and grid lines are
 * multiples of 2^-12. So all differences, and sums of two of them, are multiples of 2^-46 up to
 * 2^7, and the scale to quads is a power of two. If l0, l1, l2 >= 0, nothing is cut off; if all are
 * < 0, nothing is left. Neither case rounds, and a corner on a line is in the quads on both its
 * sides. Otherwise let M = max |lk|. At (v, w) in the triangle,
 *   L = l0 + v (l1 - l0) + w (l2 - l0)
 * is computed within 7 u M: the products are at most 2 M, the sums at most M.
 *
 * The clip (I. Sutherland, G. Hodgman, "Reentrant polygon clipping", 1974) keeps the vertices with
 * a computed L >= -m, m = 128 u M. On every edge from a kept p to a dropped q it puts a vertex at
 * the computed
 *   t = (Lp + m) / (Lp - Lq)
 * Rounding is monotone, so 0 <= t <= 1. Let R be an exact convex polygon whose vertices r_k are
 * within d, in v and in w, of the computed q_k, in the same order. At first it is the source
 * triangle itself, d = 0. Take r_k for every kept q_k, and for every new vertex
 *   r_p + t (r_q - r_p)
 * These points are on R's boundary, in order, hence convex again, and within d + 4 u of the
 * computed ones (three roundings of numbers up to 1). The parts cut off are caps, each the hull of
 * dropped r_k and of new vertices. A dropped r_k and, by the three roundings of t, a new vertex
 * have
 *   L < -m + 7 u M + 4 M d
 *   L <= -m + 7 u M + 4 u M + 4 M d
 * There are five lines, so d <= 16 u before the last, and both are below -m + 75 u M < 0: no point
 * with L >= 0 is cut off. At the end R holds the exact piece, and the computed vertices are within
 * 20 u of R's in v and in w. That moves S by at most 20 u (|b| + |c|), however much the map
 * stretches. This is why the clip uses barycentric coordinates.
 *
 * The computed vertices' places f1 and f2 are such functions L, off by
 *   7 u M + 20 u 4 M < 128 u M =: p
 * which puts G off by p (|e1| + |e2|) in each coordinate. So the grid's triangle need not be
 * clipped by the source's: p is 2^-46 of the source triangle's size in quads, negligible beside the
 * deviation even if one triangle covers the square.
 *
 * Distances are to feet on faces (face-bound.ts), with weights from 0 to 1. In each coordinate let
 *   X = max(|b|, |c|), Y = max(|P|, |P + e1|, |P + e2|)
 * S is off by u X (b, c), 2 u X (products, sum) and 40 u X (the clip); G by 10 u Y (like a foot)
 * and p; the foot by 12 u of its own X or Y; the difference by u (X + Y). Together this is less
 * than 56 u (X + Y), in all three coordinates. 64 u times the sum over them is added, with room for
 * second order. Square, sum and root are 4 u of the distance; 8 u are given. Underflow loses less
 * than 2^-530 of a length; 2^-500 is added. Coordinates up to 2^202 leave no fourth power infinite.
 *
 * A piece may be measured against either triangle of its quad; the smaller bound counts. For the
 * whole image, neighboring quads' triangles would do, but a quad's bound inflates the spheres over
 * this quad. The whole image's bound is whole-deviation.ts. (Not taken: |S - G| bounds both ways,
 * so a piece where it is within the quad's bound needs nothing else; it saved no time.)
 *
 * `outside` is the same with a sphere's center for the triangle. A node's sphere inflated by it
 * holds all of the source in its quads, as if inflated by `missing`, but is hardly larger. Mean
 * over a level, in % of the mean radius, tight spheres, bunny, blob and bolt at 257: `outside`
 * 0.005 to 0.4, `missing` 0.3 to 3.6.
 *
 * 0.6 us per piece: 327,000 pieces of 20,480 triangles at 257 take 0.2 s, with spheres 0.27 s.
 * Greatest bounds relative to those found by 200,000 samples, at 129 and 257: bunny 1.00 and 1.10
 * (missing), 1.9 and 2.0 (excess). Smooth bodies reach 3.2, since a place's two points slide past
 * each other along the surface, over their quad's rim. whole-deviation.ts fixes that for the whole
 * image, beginning with the pieces that `addPieces` finds by the same walk.
 */
import {
  CORNER_SIZE,
  EDGE_1,
  EDGE_2,
  EDGES_SIZE,
  FACE,
  farthestSquared,
  finishFace,
  LARGEST_COORDINATE,
} from '../../../geometry/face-bound.ts';
import type { PieceList } from '../../../mesh/deviation-bound.ts';
import { type Chart, cutsDown } from '../tree/geometry-image.ts';
import { nodeOffset, type SphereTree, sizeOf, treeHeight, treeWidth } from '../tree/grid.ts';
import { walkInKernel } from './kernel.ts';
import { createSquareImages, findSquareImages, type SquareImages } from './resample.ts';

export type OverlayChart = Pick<Chart, 'exponent' | 'geometry' | 'origin' | 'step'>;

export interface OverlaySource {
  /** x, y, z per vertex, model units. */
  positions: Float64Array;
  triangles: ArrayLike<number>;
  /** Place of each corner, x, y at 2h: multiples of 2^-46 below 32 in size, see Embedding. */
  corners: Float64Array;
  folded: boolean;
}

/** Source triangles of a quad, ascending: items[offsets[quad]] to items[offsets[quad + 1] - 1]. */
interface OverlayCells {
  offsets: Int32Array;
  items: Int32Array;
}

/** Lengths in model units, per quad, row by row. */
export interface Overlay {
  /** Distance of source points in the quad from the quad's two triangles. */
  missing: Float64Array;
  /** Distance of points of these triangles from the source. */
  excess: Float64Array;
  /** Distance from the stored surface, per source triangle. */
  bySource: Float64Array;
  /** The area is the square's, 4, up to rounding, unless places are not covered, or twice. */
  pieces: number;
  area: number;
  /** Source triangles that meet the closed quad; a few are only within rounding of it. */
  cells: OverlayCells | null;
  /** Distance of the source in the node's quads from its decoded sphere, at nodeOffset / 4. */
  outside: Float64Array | null;
}

interface OverlayOptions {
  cells?: boolean;
  spheres?: SphereTree;
}

const U = 2 ** -53;
/** m and p of the head, relative to M. */
const MARGIN = 128 * U;
/** Relative to the size of coordinates. */
const PAD = 64 * U;
const RELATIVE = 1 + 8 * U;
const LEAST = 2 ** -500;
/** For wider triangles, sums of differences would have 54 bits. */
const WIDEST = 60;

/**
 * Bounds both distances between a chart's surface and its embedded source.
 *
 * @throws RangeError for coordinates beyond 2^202 or not finite, or a triangle wider than 60 in the
 *   domain
 */
export function overlayDeviation(chart: OverlayChart, source: OverlaySource, options: OverlayOptions = {}): Overlay {
  const quads = sizeOf(chart.exponent) - 1;
  requireRange(chart, source.positions);
  const walk: Walk = {
    ...createWalk(chart, source),
    cells: options.cells ? new CellList() : null,
    spheres: options.spheres ?? null,
    outside: options.spheres ? new Float64Array(treeWidth(chart.exponent) * treeHeight(chart.exponent)) : null,
  };
  walkAll(walk, source);
  return {
    missing: walk.missing,
    excess: walk.excess,
    bySource: walk.bySource,
    pieces: walk.pieces,
    area: walk.area * (2 / quads) ** 2,
    cells: walk.cells?.sorted(quads * quads) ?? null,
    outside: walk.outside,
  };
}

function walkAll(walk: Walk, source: OverlaySource): void {
  const walked = walk.cells ? undefined : walkInKernel(walk, source);
  if (walked === null) throw tooWide();
  if (walked) {
    walk.pieces = walked.pieces;
    walk.area = walked.area;
    return;
  }
  for (let t = 0; t < source.triangles.length / 3; t++) walkTriangle(walk, source, t);
}

const tooWide = () => new RangeError(`expected triangles up to ${WIDEST} wide in the domain`);

export interface Numbers {
  /** First source triangle of a chart among those of all charts. */
  source: number;
  /** First stored triangle, or -1; a quad has two. */
  stored: number;
}

/**
 * Adds pieces that may be farther from the stored surface than the list's limit; raises `rest` to
 * the bound of the others. Begins no triangle after `enough` pieces, and returns the next one.
 */
export function addPieces(
  above: PieceList,
  { chart, source, overlay }: { chart: OverlayChart; source: OverlaySource; overlay: Overlay },
  numbers: Numbers,
  from: number,
  enough: number,
): number {
  const walk: Walk = { ...createWalk(chart, source), above, numbers };
  const { bySource } = overlay;
  let t = from;
  for (; t < bySource.length && above.count < enough; t++) {
    if (bySource[t] > above.limit) walkTriangle(walk, source, t);
    else above.rest = Math.max(above.rest, bySource[t]);
  }
  return t;
}

function createWalk(chart: OverlayChart, source: OverlaySource): Walk {
  const quads = sizeOf(chart.exponent) - 1;
  return {
    chart,
    quads,
    isDown: splitsOf(chart),
    missing: new Float64Array(quads * quads),
    excess: new Float64Array(quads * quads),
    bySource: new Float64Array(source.triangles.length / 3),
    pieces: 0,
    area: 0,
    cells: null,
    spheres: null,
    outside: null,
    images: createSquareImages(),
    above: null,
    numbers: { source: 0, stored: -1 },
  };
}

function walkTriangle(walk: Walk, source: OverlaySource, t: number): void {
  const { images } = walk;
  if (source.folded) {
    findSquareImages(source.corners, 6 * t, images);
  } else {
    images.count = 1;
    for (let k = 0; k < 6; k++) images.corners[k] = source.corners[6 * t + k];
  }
  if (images.count === 0) return;
  placeSource(source.positions, source.triangles, t);
  for (let k = 0; k < images.count; k++) cutByGrid(walk, images.corners, 6 * k, t);
}

interface Walk {
  chart: OverlayChart;
  quads: number;
  isDown: Uint8Array;
  missing: Float64Array;
  excess: Float64Array;
  bySource: Float64Array;
  pieces: number;
  /** In quads. */
  area: number;
  cells: CellList | null;
  spheres: SphereTree | null;
  outside: Float64Array | null;
  images: SquareImages;
  above: PieceList | null;
  numbers: Numbers;
}

function requireRange({ origin, step }: OverlayChart, positions: Float64Array): void {
  let largest = 65535 * step + Math.max(Math.abs(origin[0]), Math.abs(origin[1]), Math.abs(origin[2]));
  for (let i = 0; i < positions.length; i++) {
    const size = Math.abs(positions[i]);
    if (!(size <= largest)) largest = size;
  }
  if (!(largest <= LARGEST_COORDINATE))
    throw new RangeError(`expected coordinates up to ${LARGEST_COORDINATE}, found ${largest}`);
}

function splitsOf({ exponent, geometry }: OverlayChart): Uint8Array {
  const size = sizeOf(exponent);
  const isDown = new Uint8Array((size - 1) * (size - 1));
  for (let row = 0, quad = 0; row < size - 1; row++) {
    for (let column = 0; column < size - 1; column++, quad++) {
      isDown[quad] = cutsDown(geometry, size, row, column) ? 1 : 0;
    }
  }
  return isDown;
}

/** Relative to A: the source triangle; the quad's half 0, with (row + 1, column); half 1. */
const faces = new Float64Array(3 * FACE);

const origin = new Float64Array(3);

function placeSource(positions: Float64Array, triangles: ArrayLike<number>, t: number): void {
  const a = 3 * triangles[3 * t];
  const b = 3 * triangles[3 * t + 1];
  const c = 3 * triangles[3 * t + 2];
  for (let k = 0; k < 3; k++) {
    origin[k] = positions[a + k];
    faces[k] = 0;
    faces[EDGE_1 + k] = positions[b + k] - positions[a + k];
    faces[EDGE_2 + k] = positions[c + k] - positions[a + k];
  }
  finishFace(faces, 0);
}

function placeQuad(chart: OverlayChart, quads: number, row: number, column: number, isDown: number): void {
  const { geometry, step } = chart;
  const a = 3 * (row * (quads + 1) + column);
  const b = a + 3;
  const c = a + 3 * (quads + 1);
  const d = c + 3;
  for (let k = 0; k < 3; k++) {
    // Decoded as in toMesh, then relative: two roundings that define the surface, and one more.
    const base = chart.origin[k];
    const pa = base + geometry[a + k] * step;
    const pb = base + geometry[b + k] * step;
    const pc = base + geometry[c + k] * step;
    const pd = base + geometry[d + k] * step;
    if (isDown === 1) {
      faces[FACE + k] = pc - origin[k];
      faces[FACE + EDGE_1 + k] = pd - pc;
      faces[FACE + EDGE_2 + k] = pa - pc;
      faces[2 * FACE + k] = pb - origin[k];
      faces[2 * FACE + EDGE_1 + k] = pa - pb;
      faces[2 * FACE + EDGE_2 + k] = pd - pb;
    } else {
      faces[FACE + k] = pa - origin[k];
      faces[FACE + EDGE_1 + k] = pb - pa;
      faces[FACE + EDGE_2 + k] = pc - pa;
      faces[2 * FACE + k] = pd - origin[k];
      faces[2 * FACE + EDGE_1 + k] = pc - pd;
      faces[2 * FACE + EDGE_2 + k] = pb - pd;
    }
  }
  finishFace(faces, FACE);
  finishFace(faces, 2 * FACE);
}

/** A polygon in v, w. A clip adds at most half the vertices: 3 become 24 in five clips. */
interface Polygon {
  count: number;
  at: Float64Array;
}

const createPolygon = (): Polygon => ({ count: 0, at: new Float64Array(2 * 32) });
const whole: Polygon = { count: 3, at: Float64Array.of(0, 0, 1, 0, 0, 1) };
const aboveRow = createPolygon();
const inRow = createPolygon();
const rightOfLine = createPolygon();
const inQuad = createPolygon();
const inHalf = createPolygon();

/** Clips `from` to where the function of l0, l1, l2 is at least -m; may return `from` itself. */
function narrow(from: Polygon, to: Polygon, l0: number, l1: number, l2: number): Polygon {
  if (l0 >= 0 && l1 >= 0 && l2 >= 0) return from;
  to.count = 0;
  if (l0 < 0 && l1 < 0 && l2 < 0) return to;
  const margin = MARGIN * Math.max(Math.abs(l0), Math.abs(l1), Math.abs(l2));
  const dv = l1 - l0;
  const dw = l2 - l0;
  const p = from.at;
  const q = to.at;
  const last = 2 * from.count - 2;
  let n = 0;
  let pv = p[last];
  let pw = p[last + 1];
  let before = l0 + pv * dv + pw * dw;
  for (let k = 0; k <= last; k += 2) {
    const v = p[k];
    const w = p[k + 1];
    const value = l0 + v * dv + w * dw;
    if (value >= -margin) {
      if (before < -margin) {
        const t = (value + margin) / (value - before);
        q[n++] = v + t * (pv - v);
        q[n++] = w + t * (pw - w);
      }
      q[n++] = v;
      q[n++] = w;
    } else if (before >= -margin) {
      const t = (before + margin) / (before - value);
      q[n++] = pv + t * (v - pv);
      q[n++] = pw + t * (w - pw);
    }
    pv = v;
    pw = w;
    before = value;
  }
  to.count = n >> 1;
  return to;
}

function cutByGrid(walk: Walk, image: Float64Array, at: number, t: number): void {
  const { quads, isDown } = walk;
  const half = quads / 2;
  const x0 = (image[at] + 1) * half;
  const y0 = (image[at + 1] + 1) * half;
  const x1 = (image[at + 2] + 1) * half;
  const y1 = (image[at + 3] + 1) * half;
  const x2 = (image[at + 4] + 1) * half;
  const y2 = (image[at + 5] + 1) * half;
  const lowX = Math.min(x0, x1, x2);
  const highX = Math.max(x0, x1, x2);
  const lowY = Math.min(y0, y1, y2);
  const highY = Math.max(y0, y1, y2);
  if (!(Math.max(highX - lowX, highY - lowY) <= WIDEST * half)) throw tooWide();
  // A corner on a grid line lies in the quads on both its sides.
  const firstRow = Math.max(0, Math.ceil(lowY) - 1);
  const lastRow = Math.min(quads - 1, Math.floor(highY));
  const firstColumn = Math.max(0, Math.ceil(lowX) - 1);
  const lastColumn = Math.min(quads - 1, Math.floor(highX));
  const twiceArea = (x1 - x0) * (y2 - y0) - (y1 - y0) * (x2 - x0);
  const slack = 2 * MARGIN * Math.max(Math.abs(lowX), Math.abs(highX));
  const reached = walk.spheres && walk.outside;
  const levels = reached ? levelsOutside(walk, firstRow, lastRow, firstColumn, lastColumn) : 0;
  for (let row = firstRow; row <= lastRow; row++) {
    let strip = narrow(whole, aboveRow, y0 - row, y1 - row, y2 - row);
    strip = narrow(strip, inRow, row + 1 - y0, row + 1 - y1, row + 1 - y2);
    let left = firstColumn;
    let right = lastColumn;
    if (strip !== whole) {
      let low = Number.POSITIVE_INFINITY;
      let high = Number.NEGATIVE_INFINITY;
      for (let k = 0; k < strip.count; k++) {
        const x = x0 + strip.at[2 * k] * (x1 - x0) + strip.at[2 * k + 1] * (x2 - x0);
        low = Math.min(low, x);
        high = Math.max(high, x);
      }
      left = Math.max(left, Math.ceil(low - slack) - 1);
      right = Math.min(right, Math.floor(high + slack));
    }
    for (let column = left; column <= right; column++) {
      let cell = narrow(strip, rightOfLine, x0 - column, x1 - column, x2 - column);
      cell = narrow(cell, inQuad, column + 1 - x0, column + 1 - x1, column + 1 - x2);
      if (cell.count === 0) continue;
      if (levels !== 0) reachOut(walk, cell, row, column, levels);
      const quad = row * quads + column;
      const down = isDown[quad];
      placeQuad(walk.chart, quads, row, column, down);
      let met = false;
      for (let side = 0; side < 2; side++) {
        // f1, f2 of the source's corners, relative to the half's right-angled corner.
        const cornerX = column + (side === 1 ? 1 : 0);
        const cornerY = row + (side === down ? 0 : 1);
        const flipX = side === 1 ? -1 : 1;
        const flipY = side === down ? 1 : -1;
        place[0] = flipX * (x0 - cornerX);
        place[1] = flipX * (x1 - cornerX);
        place[2] = flipX * (x2 - cornerX);
        place[3] = flipY * (y0 - cornerY);
        place[4] = flipY * (y1 - cornerY);
        place[5] = flipY * (y2 - cornerY);
        const piece = narrow(cell, inHalf, 1 - place[0] - place[3], 1 - place[1] - place[4], 1 - place[2] - place[5]);
        if (piece.count === 0) continue;
        met = true;
        walk.pieces++;
        walk.area += (twiceArea * areaOf(piece)) / 2;
        if (walk.above) addAbove(walk.above, walk.numbers, piece, side, quad, t);
        else measure(walk, quad, piece, side, t);
      }
      if (met) walk.cells?.add(quad, t);
    }
  }
}

const place = new Float64Array(6);

function areaOf({ count, at }: Polygon): number {
  let area = 0;
  for (let k = 2; k + 2 < 2 * count; k += 2) {
    area += (at[k] - at[0]) * (at[k + 3] - at[1]) - (at[k + 1] - at[1]) * (at[k + 2] - at[0]);
  }
  return area;
}

const onSource = new Float64Array(3 * 32);
const onGrid = new Float64Array(3 * 32);

/** Room for the rounding of a triangle's own corners, far above the pads'. */
const LOOSE = 1 + 2 ** -40;
/** Nodes of a level that a triangle is compared with as a whole. */
const FEW_NODES = 16;

/**
 * Returns, as bits, the levels on which the source triangle may be farther outside of a sphere than
 * is known. On most levels it lies inside as a whole, and its pieces need not be examined.
 */
function levelsOutside(walk: Walk, firstRow: number, lastRow: number, firstColumn: number, lastColumn: number): number {
  const { exponent, origin: base, step } = walk.chart;
  const { page, radiusSteps } = walk.spheres!;
  const outside = walk.outside!;
  const bx = faces[3];
  const by = faces[4];
  const bz = faces[5];
  const cx = faces[6];
  const cy = faces[7];
  const cz = faces[8];
  const edges = faces[EDGES_SIZE];
  let levels = 0;
  for (let level = exponent; level >= 0; level--) {
    const shift = exponent - level;
    const top = firstRow >> shift;
    const bottom = lastRow >> shift;
    const left = firstColumn >> shift;
    const right = lastColumn >> shift;
    if ((bottom - top + 1) * (right - left + 1) > FEW_NODES) {
      levels |= 1 << level;
      continue;
    }
    const radiusStep = radiusSteps[level];
    rows: for (let row = top; row <= bottom; row++) {
      let node = nodeOffset(exponent, level, row, left);
      for (let column = left; column <= right; column++, node += 4) {
        const x = base[0] + page[node] * step - origin[0];
        const y = base[1] + page[node + 1] * step - origin[1];
        const z = base[2] + page[node + 2] * step - origin[2];
        const a = x * x + y * y + z * z;
        const b = (bx - x) * (bx - x) + (by - y) * (by - y) + (bz - z) * (bz - z);
        const c = (cx - x) * (cx - x) + (cy - y) * (cy - y) + (cz - z) * (cz - z);
        const most = a > b ? (a > c ? a : c) : b > c ? b : c;
        const pad = 4 * (PAD * (edges + Math.abs(x) + Math.abs(y) + Math.abs(z)) + LEAST);
        if ((Math.sqrt(most) + pad) * LOOSE <= page[node + 3] * radiusStep + outside[node >> 2]) continue;
        levels |= 1 << level;
        break rows;
      }
    }
  }
  return levels;
}

/** Raises `outside` over a quad by this piece; a distance to a point is convex, too. */
function reachOut(walk: Walk, { count, at }: Polygon, row: number, column: number, levels: number): void {
  const { exponent, origin: base, step } = walk.chart;
  const { page, radiusSteps } = walk.spheres!;
  const outside = walk.outside!;
  const last = 3 * count;
  for (let k = 0; k < count; k++) {
    const v = at[2 * k];
    const w = at[2 * k + 1];
    onSource[3 * k] = v * faces[3] + w * faces[6];
    onSource[3 * k + 1] = v * faces[4] + w * faces[7];
    onSource[3 * k + 2] = v * faces[5] + w * faces[8];
  }
  for (let level = 0; level <= exponent; level++) {
    if (((levels >> level) & 1) === 0) continue;
    const node = nodeOffset(exponent, level, row >> (exponent - level), column >> (exponent - level));
    const x = base[0] + page[node] * step - origin[0];
    const y = base[1] + page[node + 1] * step - origin[1];
    const z = base[2] + page[node + 2] * step - origin[2];
    let most = 0;
    for (let k = 0; k < last; k += 3) {
      const dx = onSource[k] - x;
      const dy = onSource[k + 1] - y;
      const dz = onSource[k + 2] - z;
      const squared = dx * dx + dy * dy + dz * dz;
      if (squared > most) most = squared;
    }
    const pad = PAD * (faces[EDGES_SIZE] + Math.abs(x) + Math.abs(y) + Math.abs(z)) + LEAST;
    const reach = (Math.sqrt(most) + pad) * RELATIVE - page[node + 3] * radiusSteps[level];
    // The difference is one rounding off; the factor covers it.
    if (reach * RELATIVE > outside[node >> 2]) outside[node >> 2] = reach * RELATIVE;
  }
}

function boundOnSource(count: number, face: number): number {
  const pad = PAD * (faces[EDGES_SIZE] + faces[face + CORNER_SIZE] + faces[face + EDGES_SIZE]) + LEAST;
  return (Math.sqrt(farthestSquared(onSource, count, faces, face)) + pad) * RELATIVE;
}

function addAbove(
  above: PieceList,
  { source, stored }: Numbers,
  { count, at }: Polygon,
  side: number,
  quad: number,
  t: number,
): void {
  for (let k = 0; k < count; k++) {
    const v = at[2 * k];
    const w = at[2 * k + 1];
    onSource[3 * k] = v * faces[3] + w * faces[6];
    onSource[3 * k + 1] = v * faces[4] + w * faces[7];
    onSource[3 * k + 2] = v * faces[5] + w * faces[8];
  }
  const own = boundOnSource(count, FACE * (1 + side));
  const other = own > above.limit ? boundOnSource(count, FACE * (2 - side)) : own;
  const half = other < own ? 1 - side : side;
  above.add(source + t, at, count, Math.min(own, other), stored < 0 ? -1 : stored + 2 * quad + half);
}

function measure(walk: Walk, quad: number, piece: Polygon, side: number, t: number): void {
  const { missing, excess, bySource } = walk;
  const own = FACE * (1 + side);
  const { count, at } = piece;
  const d1v = place[1] - place[0];
  const d1w = place[2] - place[0];
  const d2v = place[4] - place[3];
  const d2w = place[5] - place[3];
  for (let k = 0; k < count; k++) {
    const v = at[2 * k];
    const w = at[2 * k + 1];
    const f1 = place[0] + v * d1v + w * d1w;
    const f2 = place[3] + v * d2v + w * d2w;
    const sx = v * faces[3] + w * faces[6];
    const sy = v * faces[4] + w * faces[7];
    const sz = v * faces[5] + w * faces[8];
    const gx = faces[own] + f1 * faces[own + 3] + f2 * faces[own + 6];
    const gy = faces[own + 1] + f1 * faces[own + 4] + f2 * faces[own + 7];
    const gz = faces[own + 2] + f1 * faces[own + 5] + f2 * faces[own + 8];
    onSource[3 * k] = sx;
    onSource[3 * k + 1] = sy;
    onSource[3 * k + 2] = sz;
    onGrid[3 * k] = gx;
    onGrid[3 * k + 1] = gy;
    onGrid[3 * k + 2] = gz;
  }
  const largestPlace = Math.max(
    Math.max(Math.abs(place[0]), Math.abs(place[1]), Math.abs(place[2])),
    Math.max(Math.abs(place[3]), Math.abs(place[4]), Math.abs(place[5])),
  );
  const pad = PAD * (faces[EDGES_SIZE] + faces[own + CORNER_SIZE] + faces[own + EDGES_SIZE]) + LEAST;
  const misplaced = MARGIN * largestPlace * faces[own + EDGES_SIZE];
  let bound = boundOnSource(count, own);
  if (bound > missing[quad] || bound > bySource[t]) {
    bound = Math.min(bound, boundOnSource(count, FACE * (2 - side)));
    if (bound > missing[quad]) missing[quad] = bound;
    if (bound > bySource[t]) bySource[t] = bound;
  }
  bound = (Math.sqrt(farthestSquared(onGrid, count, faces, 0)) + pad + misplaced) * RELATIVE;
  if (bound > excess[quad]) excess[quad] = bound;
}

class CellList {
  #count = 0;
  #pairs = new Int32Array(1 << 16);

  add(quad: number, triangle: number): void {
    if (this.#count === this.#pairs.length) {
      const grown = new Int32Array(2 * this.#count);
      grown.set(this.#pairs);
      this.#pairs = grown;
    }
    this.#pairs[this.#count++] = quad;
    this.#pairs[this.#count++] = triangle;
  }

  /** A triangle that meets a quad through two of its images counts once. */
  sorted(quads: number): OverlayCells {
    const offsets = new Int32Array(quads + 1);
    for (let i = 0; i < this.#count; i += 2) offsets[this.#pairs[i] + 1]++;
    for (let q = 0; q < quads; q++) offsets[q + 1] += offsets[q];
    const items = new Int32Array(this.#count / 2);
    const next = offsets.slice(0, quads);
    for (let i = 0; i < this.#count; i += 2) items[next[this.#pairs[i]]++] = this.#pairs[i + 1];
    let to = 0;
    for (let q = 0, from = 0; q < quads; q++) {
      const end = offsets[q + 1];
      const first = to;
      for (; from < end; from++) if (to === first || items[to - 1] !== items[from]) items[to++] = items[from];
      offsets[q + 1] = to;
    }
    return { offsets, items: items.slice(0, to) };
  }
}
