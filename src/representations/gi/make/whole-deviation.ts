/**
 * Computes the image's two tolerances from bounds per quad, and the contribution of dropped
 * triangles.
 *
 * The overlay bounds a source point's distance to its own quad, and a stored point's distance to
 * the source triangle at its own place. In the whole image other triangles may be nearer. So a
 * search (deviation-bound.ts) lowers the greatest of those bounds until they are within 2 % of a
 * distance that was found, or of the grid's rounding. On smooth models they fall two to three
 * times, on tangles up to ten times. If that takes long, a factor of 2.5 is enough.
 *
 * The parts with the greatest bounds are searched first; their result tells which others must be
 * searched. The search for the source begins with the overlay's own pieces, each with its bound and
 * the stored triangle that gave it. (Not taken: whole source triangles, which are halved many times
 * before they are as small: a sphere of 5,000 at 257 took 2.9 s for 0.4. Nor only bounds above an
 * eighth of the greatest: one wide piece then hid all others.)
 *
 * Triangles that cleaning dropped have no place in the square, but segments or points belong to the
 * file. Each is laid, piece by piece, on a stored triangle near it, whose quad answers for it.
 * Duplicates need nothing.
 */
import { EDGE_1, EDGE_2, EDGES_SIZE, FACE, farthestSquared, finishFace } from '../../../geometry/face-bound.ts';
import { boundDeviation, createTarget, PieceList, type Pieces, type Target } from '../../../mesh/deviation-bound.ts';
import type { Surface } from '../../../mesh/topology.ts';
import { cutsDown } from '../tree/geometry-image.ts';
import { sizeOf } from '../tree/grid.ts';
import { addPieces, type Overlay, type OverlayChart, type OverlaySource } from './overlay.ts';

interface StoredSurface extends Target {
  /** For each quad (two triangles): its chart, and its number there. */
  chart: Int32Array;
  quad: Int32Array;
  /** Distances below this, the most that rounding to the grid moves a point, are not improved. */
  rounding: number;
}

/** With more quads, every second row and column is left out; any stored triangle is valid. */
const MOST_QUADS = 1 << 20;
/** Pieces after which no triangle is added to a search. */
const ENOUGH_PIECES = 1 << 18;
/** Most pieces in a search; the others keep the overlay's bounds. */
const MOST_PIECES = 1 << 20;
/** Parts with the greatest bounds, searched before all others. */
const PROBED = 64;
const PROBE_EFFORT = 50_000;
/** A search ends when bounds are this near to a distance that was found. */
const WITHIN = 1.02;
/** Most triangles measured per direction: in all, and per stored triangle. */
const LEAST_EFFORT = 1_500_000;
const EFFORT = 60;
/**
 * Relaxes WITHIN to TIRED between these parts of the effort: a tangle of 1,000 large triangles
 * needs five times the effort between the two. Nearly all bodies of bench/gi-bounds.mjs end
 * earlier.
 */
const PATIENT = 0.17;
const IMPATIENT = 0.34;
const TIRED = 2.5;
/** Triangles measured for all dropped ones together, and the least and most for one. */
const DROPPED_EFFORT = 10_000_000;
const LEAST_DROPPED = 500;
const MOST_DROPPED = 20_000;

/** Gathers at most a million quads, about 500 bytes each, decoded on first use. */
export function createStoredSurface(charts: readonly OverlayChart[]): StoredSurface {
  let stride = 1;
  const countAt = (s: number) => charts.reduce((sum, c) => sum + Math.ceil((1 << c.exponent) / s) ** 2, 0);
  while (countAt(stride) > MOST_QUADS && countAt(2 * stride) < countAt(stride)) stride *= 2;
  const count = countAt(stride);
  const chart = new Int32Array(count);
  const quad = new Int32Array(count);
  let at = 0;
  charts.forEach(({ exponent }, number) => {
    const quads = 1 << exponent;
    for (let row = 0; row < quads; row += stride) {
      for (let column = 0; column < quads; column += stride) {
        chart[at] = number;
        quad[at++] = row * quads + column;
      }
    }
  });
  let target: Target | null = null;
  const made = () => (target ??= createTarget(stride === 1 ? wholeMeshOf(charts, count) : meshOf(charts, chart, quad)));
  return {
    chart,
    quad,
    rounding: charts.reduce((most, { step }) => Math.max(most, (Math.sqrt(3) / 2) * step), 0),
    get surface() {
      return made().surface;
    },
    get tree() {
      return made().tree;
    },
    get scale() {
      return made().scale;
    },
  };
}

/** All quads of all charts in order, as meshOf has them, with shared vertices. */
function wholeMeshOf(charts: readonly OverlayChart[], count: number): Surface {
  const samples = charts.reduce((sum, { exponent }) => sum + sizeOf(exponent) ** 2, 0);
  const positions = new Float64Array(3 * samples);
  const triangles = new Uint32Array(6 * count);
  let [first, to] = [0, 0];
  for (const { exponent, geometry, origin, step } of charts) {
    const size = sizeOf(exponent);
    const [x, y, z] = origin;
    for (let v = 0; v < 3 * size * size; v += 3) {
      positions[3 * first + v] = x + geometry[v] * step;
      positions[3 * first + v + 1] = y + geometry[v + 1] * step;
      positions[3 * first + v + 2] = z + geometry[v + 2] * step;
    }
    for (let row = 0; row < size - 1; row++) {
      for (let column = 0; column < size - 1; column++, to += 6) {
        const isDown = cutsDown(geometry, size, row, column);
        const a = first + row * size + column;
        const c = a + size;
        triangles[to] = a;
        triangles[to + 1] = isDown ? c + 1 : a + 1;
        triangles[to + 2] = c;
        triangles[to + 3] = isDown ? a : a + 1;
        triangles[to + 4] = isDown ? a + 1 : c + 1;
        triangles[to + 5] = isDown ? c + 1 : c;
      }
    }
    first += size * size;
  }
  return { positions, triangles };
}

function meshOf(charts: readonly OverlayChart[], chart: ArrayLike<number>, quad: ArrayLike<number>): Surface {
  const positions = new Float64Array(12 * quad.length);
  const triangles = new Uint32Array(6 * quad.length);
  for (let i = 0; i < quad.length; i++) {
    const { exponent, geometry, origin, step } = charts[chart[i]];
    const size = sizeOf(exponent);
    const row = quad[i] >> exponent;
    const column = quad[i] & (size - 2);
    for (let k = 0; k < 12; k++) {
      const corner = k < 3 ? 0 : k < 6 ? 1 : k < 9 ? size : size + 1;
      const axis = k % 3;
      positions[12 * i + k] = origin[axis] + geometry[3 * (row * size + column + corner) + axis] * step;
    }
    const isDown = cutsDown(geometry, size, row, column);
    const [a, b, c, d] = [4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3];
    triangles.set(isDown ? [a, d, c, a, b, d] : [a, b, c, b, d, c], 6 * i);
  }
  return { positions, triangles };
}

interface OverlaidChart {
  chart: OverlayChart;
  source: OverlaySource;
  overlay: Overlay;
}

interface WholeDeviation {
  missing: number;
  excess: number;
  /** Quads that answer for moved points; others are within `missing` of their own triangles. */
  moved: Answer[];
}

/**
 * Bounds both distances between the whole source and all stored triangles, in model units. All
 * charts are searched together, so that a find in one saves work in others.
 *
 * @param options.empties true to empty `charts` before the last search, which needs memory and none
 *   of their sources
 */
export function wholeDeviation(
  charts: OverlaidChart[],
  stored: StoredSurface,
  options: { empties?: boolean } = {},
): WholeDeviation {
  const sources = createTarget(together(charts.map(({ source }) => surfaceOf(source))));
  const bounds = charts.map(excessByQuad);
  const grids = charts.map(({ chart }) => chart);
  const { upper, moved } = missingOf(charts, sources.surface, stored);
  if (options.empties) charts.length = 0;
  return { missing: upper, excess: excessOf(bounds, grids, sources, stored), moved };
}

/** Bounds the source's distance from the stored surface, and moves source points to other quads. */
function missingOf(
  charts: readonly OverlaidChart[],
  source: Surface,
  stored: StoredSurface,
): { upper: number; moved: Answer[] } {
  const bounds = charts.map(({ overlay }) => overlay.bySource);
  const few = trianglesOf(charts, greatestFew(bounds, PROBED));
  const isWhole = charts.reduce((sum, { chart }) => sum + (1 << (2 * chart.exponent)), 0) === stored.quad.length;
  const numbers = { source: 0, stored: isWhole ? 0 : -1 };
  const charges = isWhole ? new Float64Array(2 * stored.quad.length).fill(-1) : undefined;
  let [c, t] = [0, 0];
  const upper = greatestOf(bounds, few, stored, stored, (limit) => {
    const pieces = new PieceList(limit, MOST_PIECES);
    while (c < charts.length && pieces.count < ENOUGH_PIECES) {
      t = addPieces(pieces, charts[c], numbers, t, ENOUGH_PIECES);
      if (t < bounds[c].length) continue;
      numbers.source += t;
      if (isWhole) numbers.stored += 2 << (2 * charts[c].chart.exponent);
      c++;
      t = 0;
    }
    return { from: source, pieces, charges, rest: pieces.rest, isLast: c === charts.length };
  });
  const moved: Answer[] = [];
  charges?.forEach((length, s) => {
    if (length >= 0) moved.push({ chart: stored.chart[s >> 1], quad: stored.quad[s >> 1], length });
  });
  return { upper, moved };
}

function excessOf(
  bounds: readonly Float64Array[],
  grids: readonly OverlayChart[],
  sources: Target,
  stored: StoredSurface,
): number {
  const few = greatestFew(bounds, PROBED);
  let [c, quad] = [0, 0];
  return greatestOf(bounds, meshOf(grids, few.chart, few.index), sources, stored, (limit) => {
    const chart: number[] = [];
    const index: number[] = [];
    let rest = 0;
    for (; c < grids.length && index.length < ENOUGH_PIECES; c++, quad = 0) {
      const own = bounds[c];
      for (; quad < own.length && index.length < ENOUGH_PIECES; quad++) {
        if (own[quad] > limit) {
          chart.push(c);
          index.push(quad);
        } else if (own[quad] > rest) rest = own[quad];
      }
      if (quad < own.length) break;
    }
    const known = new Float64Array(2 * index.length);
    for (let i = 0; i < known.length; i++) known[i] = bounds[chart[i >> 1]][index[i >> 1]];
    return { from: meshOf(grids, chart, index), known, rest, isLast: c === grids.length };
  });
}

interface Part {
  from: Surface;
  known?: Float64Array;
  pieces?: Pieces;
  charges?: Float64Array | undefined;
  rest: number;
  isLast: boolean;
}

/**
 * Bounds the greatest distance to a target. A search of the greatest bounds tells which others must
 * be improved; `next` may leave out bounds up to its limit.
 */
function greatestOf(
  bounds: readonly Float64Array[],
  few: Surface,
  target: Target,
  { rounding, quad }: StoredSurface,
  next: (limit: number) => Part,
): number {
  let greatest = 0;
  for (const own of bounds) for (let i = 0; i < own.length; i++) if (own[i] > greatest) greatest = own[i];
  if (greatest <= rounding) return greatest;
  let effort = LEAST_EFFORT + EFFORT * 2 * quad.length;
  const patience = { from: PATIENT * effort, to: IMPATIENT * effort, within: TIRED };
  const options = { within: WITHIN, enough: rounding, patience };
  let { lower } = boundDeviation(few, target, { ...options, effort: PROBE_EFFORT });
  let upper = 0;
  for (let isLast = false; !isLast; ) {
    const part = next(Math.max(rounding, WITHIN * lower, upper));
    const { from, known, pieces, charges } = part;
    const bound = boundDeviation(from, target, { ...options, known, pieces, charges, found: lower, effort });
    effort -= bound.effort;
    lower = bound.lower;
    upper = Math.max(upper, bound.upper, part.rest);
    isLast = part.isLast;
  }
  return upper;
}

const corners = new Float64Array(12);
const face = new Float64Array(FACE);
/** As proved in deviation-bound.ts, but corners are doubles: one rounding off relative to P. */
const PAD = 64 * 2 ** -53;
const RELATIVE = 1 + 8 * 2 ** -53;
const LEAST = 2 ** -500;
const FEW = 4;

/**
 * Measures a single quad against each of its few source triangles. The overlay only compares equal
 * places, which is too coarse for charts of one triangle.
 */
function excessByQuad({ chart, source, overlay }: OverlaidChart): Float64Array {
  if (chart.exponent > 0 || source.triangles.length > 3 * FEW) return overlay.excess;
  const { origin, step, geometry } = chart;
  let least = overlay.excess[0];
  for (let t = 0; t < source.triangles.length; t += 3) {
    const [p, q, r] = [3 * source.triangles[t], 3 * source.triangles[t + 1], 3 * source.triangles[t + 2]];
    face.fill(0);
    let size = 0;
    for (let k = 0; k < 3; k++) {
      face[EDGE_1 + k] = source.positions[q + k] - source.positions[p + k];
      face[EDGE_2 + k] = source.positions[r + k] - source.positions[p + k];
      for (let c = k; c < 12; c += 3) {
        corners[c] = origin[k] + geometry[c] * step - source.positions[p + k];
        size = Math.max(size, Math.abs(corners[c]));
      }
    }
    finishFace(face, 0);
    const pad = PAD * (3 * size + face[EDGES_SIZE]) + LEAST;
    least = Math.min(least, (Math.sqrt(farthestSquared(corners, 4, face, 0)) + pad) * RELATIVE);
  }
  return Float64Array.of(least);
}

interface Selection {
  chart: Int32Array;
  index: Int32Array;
}

function greatestFew(bounds: readonly Float64Array[], most: number): Selection {
  const chart = new Int32Array(most);
  const index = new Int32Array(most);
  const known = new Float64Array(most);
  let count = 0;
  for (let c = 0; c < bounds.length; c++) {
    const own = bounds[c];
    for (let i = 0; i < own.length; i++) {
      if (count === most && !(own[i] > known[most - 1])) continue;
      let at = count < most ? count++ : most - 1;
      for (; at > 0 && own[i] > known[at - 1]; at--) {
        chart[at] = chart[at - 1];
        index[at] = index[at - 1];
        known[at] = known[at - 1];
      }
      chart[at] = c;
      index[at] = i;
      known[at] = own[i];
    }
  }
  return { chart: chart.subarray(0, count), index: index.subarray(0, count) };
}

function trianglesOf(charts: readonly OverlaidChart[], { chart, index }: Selection): Surface {
  const positions = new Float64Array(9 * index.length);
  const triangles = new Uint32Array(3 * index.length);
  for (let i = 0; i < triangles.length; i++) {
    const { source } = charts[chart[(i / 3) | 0]];
    const v = 3 * source.triangles[3 * index[(i / 3) | 0] + (i % 3)];
    for (let k = 0; k < 3; k++) positions[3 * i + k] = source.positions[v + k];
    triangles[i] = i;
  }
  return { positions, triangles };
}

const surfaceOf = ({ positions, triangles }: OverlaySource): Surface => ({
  positions,
  triangles: triangles instanceof Uint32Array ? triangles : Uint32Array.from(triangles),
});

function together(surfaces: readonly Surface[]): Surface {
  if (surfaces.length === 1) return surfaces[0];
  const positions = new Float64Array(surfaces.reduce((sum, s) => sum + s.positions.length, 0));
  const triangles = new Uint32Array(surfaces.reduce((sum, s) => sum + s.triangles.length, 0));
  let [p, t] = [0, 0];
  for (const surface of surfaces) {
    positions.set(surface.positions, p);
    for (let i = 0; i < surface.triangles.length; i++) triangles[t++] = surface.triangles[i] + p / 3;
    p += surface.positions.length;
  }
  return { positions, triangles };
}

/** A quad that answers for part of the source, and the distance from its two triangles. */
export interface Answer {
  chart: number;
  quad: number;
  length: number;
}

export interface Charge extends Answer {
  triangle: number;
}

/**
 * Lays dropped triangles on stored ones: every point is within `length` of the quad of a charge.
 * The image's `missing` is at least the greatest length.
 */
export function layDropped(dropped: Surface, stored: StoredSurface): Charge[] {
  const found: Charge[] = [];
  if (dropped.triangles.length === 0) return found;
  const charges = new Float64Array(stored.surface.triangles.length / 3).fill(-1);
  const share = (3 * DROPPED_EFFORT) / dropped.triangles.length;
  const effort = Math.max(LEAST_DROPPED, Math.min(MOST_DROPPED, share));
  const options = { within: 1.25, enough: stored.rounding, effort, charges };
  for (let t = 0; t < dropped.triangles.length; t += 3) {
    const one = { positions: dropped.positions, triangles: dropped.triangles.subarray(t, t + 3) };
    for (const s of boundDeviation(one, stored, options).charged!) {
      found.push({ triangle: t / 3, chart: stored.chart[s >> 1], quad: stored.quad[s >> 1], length: charges[s] });
      charges[s] = -1;
    }
  }
  return found;
}
