/**
 * How far a geometry image and its source can be apart: bounds in both directions, quad by quad,
 * from the overlay of the two.
 *
 * The source's triangles, laid out in the square, are cut by the grid's triangles. On a piece a
 * place determines a point S of the source and a point G of the stored surface, both affine. The
 * distance to a fixed triangle is a convex function. So over a piece the distance of S to the grid
 * triangle, and that of G to the source triangle, are greatest at a corner of the piece: finitely
 * many evaluations bound infinitely many points. (The argument by convexity: M. Tang, M. Lee, Y.
 * Kim, "Interactive Hausdorff Distance Computation for General Polygonal Models", SIGGRAPH 2009,
 * section 4; the common domain makes a walk through a grid of what is a search there.)
 *
 * What is proved, of the doubles that the samples decode to and the doubles of the source, in exact
 * arithmetic: Every source point whose place lies in a closed quad is within `missing` of that
 * quad's two triangles. Every point of these is within `excess` of the source. Assumed is that the
 * images of the source's triangles cover the square, which an embedding of certainly positive
 * triangles does; `area` tells where it is not so.
 *
 * Letters: u = 2^-53. A, B, C the source triangle's corners, b = B - A, c = C - A, S = A + v b + w
 * c; all is done relative to A. The grid's lines are at whole numbers: a place (x, y) of the square
 * is at ((x + 1) 2^(n-1), (y + 1) 2^(n-1)). A grid triangle has its right angle at P and the legs
 * e1 and e2; f1 and f2 are a place's coordinates along them: G = P + f1 e1 + f2 e2, and the
 * triangle is f1 >= 0, f2 >= 0, 1 - f1 - f2 >= 0.
 *
 * Lines. A line's function L is affine; its values l0, l1, l2 at the source's corners are exact:
 * these are multiples of 2^-46 below 66 in size (moved by the group, too), grid lines multiples of
 * 2^-12, so that all differences, and sums of two of them, are multiples of 2^-46 up to 2^7, and
 * the scale to quads is a power of two. Where l0, l1, l2 >= 0 nothing is cut off, where all are < 0
 * nothing is left: no rounding there, and a corner on a line is in the quads on both its sides.
 * Otherwise let M = max |lk|. At (v, w) in the triangle L = l0 + v (l1 - l0) + w (l2 - l0) is
 * computed within 7 u M: the products are at most 2 M, the sums at most M.
 *
 * The clip (I. Sutherland, G. Hodgman, "Reentrant polygon clipping", 1974) keeps the vertices with
 * a computed L >= -m, m = 128 u M, and puts a vertex at t = (Lp + m) / (Lp - Lq), computed, on
 * every edge from a kept p to a dropped q; rounding is monotone, so 0 <= t <= 1. Let R be an exact
 * convex polygon whose vertices r_k are within d, in v and in w, of the computed q_k, in the same
 * order: first the source triangle itself, d = 0. Take r_k for every q_k that is kept and r_p + t
 * (r_q - r_p) for every vertex that is put: points on R's boundary, in order, hence convex again,
 * and within d + 4 u of the computed (three roundings of numbers up to 1). What is cut off are
 * caps, each the hull of dropped r_k and of new vertices. A dropped r_k has L < -m + 7 u M + 4 M d;
 * a new one has, by the three roundings of t, L <= -m + 7 u M + 4 u M + 4 M d. There are five
 * lines, so d <= 16 u before the last, and both are below -m + 75 u M < 0: no point with L >= 0 is
 * cut off. In the end R holds the exact piece, and the computed vertices are within 20 u of R's in
 * v and in w. That moves S by no more than 20 u (|b| + |c|), however much the map stretches: which
 * is why the clip is in barycentric coordinates.
 *
 * The computed vertices' places, f1 and f2, are such functions L: off by 7 u M + 20 u 4 M < 128 u M
 * =: p, which puts G off by p (|e1| + |e2|) in each coordinate. With this no second clip is needed,
 * of the grid's triangle by the source's: p is 2^-46 of the source triangle's size in quads,
 * nothing beside the deviation even where one triangle covers the square.
 *
 * Distances are to feet on faces (face-bound.ts), weights there from 0 to 1. In each coordinate let
 * X be the greater of |b|,
 * |c| and Y the greatest of |P|, |P + e1|, |P + e2|. S is off by u X (b, c), 2 u X (products, sum)
 * and 40 u X (the clip); G by 10 u Y (as a foot is) and p; the foot by 12 u of its own X or Y; the
 * difference by u (X + Y). Together less than 56 u (X + Y), in all three coordinates: 64 u times
 * the sum over them is added, with room for second order. Square, sum and root are 4 u of the
 * distance, 8 u are given. Underflow loses less than 2^-530 of a length; 2^-500 is added.
 * Coordinates up to 2^202 leave no fourth power infinite.
 *
 * A piece may be measured against either triangle of its quad; the smaller bound counts.
 * Neighbouring quads' triangles would be as good for the whole image, but a quad's bound is there
 * to inflate the spheres over this quad; the whole image's is whole-deviation.ts. (Not taken: |S -
 * G| bounds both ways, so a piece where it is no more than the quad has already needs nothing else;
 * it saved no time.)
 *
 * `outside` is the same with a sphere's centre for the triangle. Inflated by it a node's sphere
 * holds all of the source in its quads, as if inflated by `missing`, but there is next to nothing
 * to inflate. Mean over a level, in % of the mean radius, tight spheres, bunny, blob and bolt at
 * 257: `outside` 0.005 to 0.4, `missing` 0.3 to 3.6.
 *
 * 0.6 us a piece: 327,000 pieces of 20,480 triangles at 257 take 0.2 s, with spheres 0.27 s.
 * Greatest bounds over what 200,000 samples find, at 129 and 257: bunny 1.00 and 1.10 (missing),
 * 1.9 and 2.0 (excess); smooth bodies up to 3.2, since a place's two points slide past each other
 * along the surface, over their quad's rim. For the whole image whole-deviation.ts mends that,
 * beginning with the pieces that `addPieces` finds by the same walk.
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
import type { PieceList } from '../../../mesh/piece-list.ts';
import { type Chart, cutsDown } from '../tree/geometry-image.ts';
import { sizeOf } from '../tree/grid.ts';
import { nodeOffset, type SphereTree, treeHeight, treeWidth } from '../tree/tree-page.ts';
import { createSquareImages, findSquareImages, type SquareImages } from './square-images.ts';

/** A square of samples: a whole geometry image, or one chart of many. */
export type OverlayChart = Pick<Chart, 'exponent' | 'geometry' | 'origin' | 'step'>;

export interface OverlaySource {
  /** x, y, z per vertex, model units. */
  positions: Float64Array;
  triangles: ArrayLike<number>;
  /**
   * Domain place of each corner, x, y at 2h for half-edge h: multiples of 2^-46 below 32 in size,
   * see Embedding.
   */
  corners: Float64Array;
  /**
   * Whether the square is the pillowcase, whose group brings triangles in from beyond its sides;
   * else they fill it exactly.
   */
  folded: boolean;
}

/**
 * The numbers of a quad's source triangles, ascending: items[offsets[quad]] to items[offsets[quad +
 * 1] - 1].
 */
export interface OverlayCells {
  offsets: Int32Array;
  items: Int32Array;
}

/** Lengths in model units, per quad, row by row. */
export interface Overlay {
  /** How far a source point with its place in the quad may be from the quad's two triangles. */
  missing: Float64Array;
  /** How far a point of these may be from the source. */
  excess: Float64Array;
  /** Per source triangle, how far a point of it may be from the stored surface. */
  bySource: Float64Array;
  /**
   * How many pieces were looked at, and their area: 4, what the square has, up to rounding. Else
   * something is not covered, or twice.
   */
  pieces: number;
  area: number;
  /**
   * Every source triangle that meets the closed quad in the domain; a few may only come within
   * rounding of it.
   */
  cells: OverlayCells | null;
  /**
   * Per node, at nodeOffset / 4: how far a source point whose place lies in the node's quads may be
   * outside the node's sphere, its centre and radius as decoded. Null where no spheres were given.
   */
  outside: Float64Array | null;
}

export interface OverlayOptions {
  /** Whether to list the source triangles of each quad. */
  cells?: boolean;
  /** The chart's spheres: whether, and how far, the source reaches out of them. */
  spheres?: SphereTree;
}

const U = 2 ** -53;
/** The m and the p of the head, of M. */
const MARGIN = 128 * U;
/** Of the coordinates' sizes. */
const PAD = 64 * U;
const RELATIVE = 1 + 8 * U;
const LEAST = 2 ** -500;
/** Wider than this, sums of differences would have 54 bits. */
const WIDEST = 60;

/**
 * Bounds the distance between a chart's stored surface and the source embedded in it, both ways:
 * see the head.
 *
 * @throws RangeError where coordinates are beyond 2^202 or not finite, or a triangle is wider than
 *   60 in the domain
 * @example const { missing, excess } = overlayDeviation(image, { ...clean, corners: embedding.corners, folded: true });
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
  for (let t = 0; t < source.triangles.length / 3; t++) walkTriangle(walk, source, t);
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

/** Where a chart's triangles stand among those of all charts. */
export interface Numbers {
  /** Of its first source triangle. */
  source: number;
  /** Of its first stored triangle, or -1: two a quad. */
  stored: number;
}

/**
 * Adds to a list the pieces of source triangles that may be farther from the stored surface than
 * the list's limit; all others are within what the list has as `rest`.
 *
 * @param from the source triangle to begin with
 * @param enough pieces in the list, after which no triangle is begun
 * @returns the source triangle to go on with
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
  /** Where pieces are wanted alone. */
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

/**
 * Relative to A: the source triangle, the quad's half 0 (with the corner (row + 1, column)) and
 * half 1.
 */
const faces = new Float64Array(3 * FACE);

/** A, the origin of all that follows. */
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

/** The two triangles of a quad, as faces 1 and 2, from their right-angled corners. */
function placeQuad(chart: OverlayChart, quads: number, row: number, column: number, isDown: number): void {
  const { geometry, step } = chart;
  const a = 3 * (row * (quads + 1) + column);
  const b = a + 3;
  const c = a + 3 * (quads + 1);
  const d = c + 3;
  for (let k = 0; k < 3; k++) {
    // Decoded as toMesh does, then relative: two roundings that define the surface, and one more.
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

/**
 * A polygon in v, w: vertex k at 2k. Each clip makes at most half as many again: 3 become 24 in
 * five.
 */
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

/**
 * The part of `from` where the line's function, l0, l1, l2 at the source triangle's corners, is not
 * negative, and a little more: `from` itself where that is all of it, otherwise `to`.
 */
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

/**
 * Cuts the image of triangle t at `at` by every grid triangle that it may meet, and measures the
 * pieces.
 */
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
  if (!(Math.max(highX - lowX, highY - lowY) <= WIDEST * half)) {
    throw new RangeError(`expected triangles up to ${WIDEST} wide in the domain`);
  }
  // A corner on a grid line lies in the quads on both its sides.
  const firstRow = Math.max(0, Math.ceil(lowY) - 1);
  const lastRow = Math.min(quads - 1, Math.floor(highY));
  const firstColumn = Math.max(0, Math.ceil(lowX) - 1);
  const lastColumn = Math.min(quads - 1, Math.floor(highX));
  const twiceArea = (x1 - x0) * (y2 - y0) - (y1 - y0) * (x2 - x0);
  const slack = 2 * MARGIN * Math.max(Math.abs(lowX), Math.abs(highX));
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
      if (walk.spheres && walk.outside) reachOut(walk.chart, walk.spheres, walk.outside, cell, row, column);
      const quad = row * quads + column;
      const down = isDown[quad];
      placeQuad(walk.chart, quads, row, column, down);
      let met = false;
      for (let side = 0; side < 2; side++) {
        // Places f1, f2 of the source's corners as the half's right-angled corner sees them.
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

/** f1 at the source triangle's corners, then f2. */
const place = new Float64Array(6);

/** Twice the area in v and w. */
function areaOf({ count, at }: Polygon): number {
  let area = 0;
  for (let k = 2; k + 2 < 2 * count; k += 2) {
    area += (at[k] - at[0]) * (at[k + 3] - at[1]) - (at[k + 1] - at[1]) * (at[k + 2] - at[0]);
  }
  return area;
}

/** The piece's corners on the source and on the stored triangle, relative to A. */
const onSource = new Float64Array(3 * 32);
const onGrid = new Float64Array(3 * 32);

/**
 * Raises what reaches out of the spheres over a quad to what this part of the source triangle does:
 * a distance to a point is convex, too.
 */
function reachOut(
  chart: OverlayChart,
  spheres: SphereTree,
  outside: Float64Array,
  { count, at }: Polygon,
  row: number,
  column: number,
): void {
  const { exponent, step } = chart;
  for (let k = 0; k < count; k++) {
    const v = at[2 * k];
    const w = at[2 * k + 1];
    onSource[3 * k] = v * faces[3] + w * faces[6];
    onSource[3 * k + 1] = v * faces[4] + w * faces[7];
    onSource[3 * k + 2] = v * faces[5] + w * faces[8];
  }
  for (let level = 0; level <= exponent; level++) {
    const node = nodeOffset(exponent, level, row >> (exponent - level), column >> (exponent - level));
    const x = chart.origin[0] + spheres.page[node] * step - origin[0];
    const y = chart.origin[1] + spheres.page[node + 1] * step - origin[1];
    const z = chart.origin[2] + spheres.page[node + 2] * step - origin[2];
    let most = 0;
    for (let k = 0; k < 3 * count; k += 3) {
      const dx = onSource[k] - x;
      const dy = onSource[k + 1] - y;
      const dz = onSource[k + 2] - z;
      const squared = dx * dx + dy * dy + dz * dz;
      if (squared > most) most = squared;
    }
    const pad = PAD * (faces[EDGES_SIZE] + Math.abs(x) + Math.abs(y) + Math.abs(z)) + LEAST;
    const reach = (Math.sqrt(most) + pad) * RELATIVE - spheres.page[node + 3] * spheres.radiusSteps[level];
    // The difference is one rounding off, the factor more.
    if (reach * RELATIVE > outside[node >> 2]) outside[node >> 2] = reach * RELATIVE;
  }
}

/** Bounds how far the piece's points of the source are from one of the quad's two triangles. */
function boundOnSource(count: number, face: number): number {
  const pad = PAD * (faces[EDGES_SIZE] + faces[face + CORNER_SIZE] + faces[face + EDGES_SIZE]) + LEAST;
  return (Math.sqrt(farthestSquared(onSource, count, faces, face)) + pad) * RELATIVE;
}

/** Adds a piece whose bound is above the list's limit. */
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

/** Raises the quad's two bounds to those of one piece, where they are less. */
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

/** Pairs of a quad and a triangle, in the order of the triangles, grown as they come. */
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

  /** By quads; a triangle that meets one through two of its images counts once. */
  sorted(quads: number): OverlayCells {
    const offsets = new Int32Array(quads + 1);
    for (let i = 0; i < this.#count; i += 2) offsets[this.#pairs[i] + 1]++;
    for (let q = 0; q < quads; q++) offsets[q + 1] += offsets[q];
    const items = new Int32Array(this.#count / 2);
    const next = offsets.slice(0, quads);
    for (let i = 0; i < this.#count; i += 2) items[next[this.#pairs[i]]++] = this.#pairs[i + 1];
    // Closed up over the repeats, which stand side by side.
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
