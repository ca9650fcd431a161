/**
 * From bounds per quad to the image's two tolerances; and what dropped source triangles add.
 *
 * The overlay bounds a source point's distance to its own quad, and a stored point's distance to
 * the source triangle at its own place. Over the whole image nearer triangles count, too. So a
 * search (deviation-bound.ts) makes the greatest of those bounds smaller, until they are within 2 %
 * of a distance that was found, or of what rounding to the grid does anyway: on smooth models two
 * to three times less, on tangles up to ten times. Where that takes long, 2.5 times will do.
 *
 * A few parts with the greatest bounds are searched first. What they find tells which of the others
 * have to be looked at. The search for the source begins with the overlay's own pieces, each with
 * its bound and the stored triangle that gave it. (Not taken: whole source triangles, which are
 * halved many times before they are as small: a sphere of 5,000 at 257 took 2.9 s for 0.4. Nor what
 * is above an eighth of the greatest bound alone: one wide piece then hid all that could have been
 * made smaller.)
 *
 * Triangles that cleaning dropped have no place in the square: those with two corners in one are
 * segments or points of the file all the same. Each is laid, piece by piece, on a stored triangle
 * near it, whose quad answers for it. Duplicates need nothing.
 */
import { EDGE_1, EDGE_2, EDGES_SIZE, FACE, farthestSquared, finishFace } from '../../../geometry/face-bound.ts';
import { boundDeviation, createTarget, type Target } from '../../../mesh/deviation-bound.ts';
import { PieceList, type Pieces } from '../../../mesh/piece-list.ts';
import type { Surface } from '../../../mesh/topology.ts';
import { cutsDown } from '../tree/geometry-image.ts';
import { sizeOf } from '../tree/grid.ts';
import { addPieces, type Overlay, type OverlayChart, type OverlaySource } from './overlay.ts';

/** The stored triangles of one or many charts, as something to be near to. */
export interface StoredSurface extends Target {
  /** Per two triangles: their chart and their quad in it. */
  chart: Int32Array;
  quad: Int32Array;
  /** How far rounding to the grid may move a point: what is as near as this is near enough. */
  rounding: number;
}

/**
 * More quads are not searched: every second row and column is left out until there are fewer. Any
 * triangle that is stored is a valid one.
 */
const MOST_QUADS = 1 << 20;
/** Pieces after which no other triangle is added to those that are searched together. */
const ENOUGH_PIECES = 1 << 18;
/** Pieces that are searched together at most: of the others the overlay's bounds count. */
const MOST_PIECES = 1 << 20;
/** Parts of a surface, those with the greatest bounds, that are looked at before all others. */
const PROBED = 64;
const PROBE_EFFORT = 50_000;
/** A search ends when bounds are as near as this to what was found. */
const WITHIN = 1.02;
/** Triangles measured for each direction, at most: so many, and so many for each that is stored. */
const LEAST_EFFORT = 1_500_000;
const EFFORT = 60;
/**
 * Parts of that effort between which a search grows content with TIRED for WITHIN. A tangle of
 * 1,000 large triangles takes five times the effort to come from the one to the other; nearly all
 * bodies of bench/gi-bounds.mjs come to WITHIN before.
 */
const PATIENT = 0.17;
const IMPATIENT = 0.34;
const TIRED = 2.5;
/** Triangles measured for all dropped ones together, and for one at least and at most. */
const DROPPED_EFFORT = 10_000_000;
const LEAST_DROPPED = 500;
const MOST_DROPPED = 20_000;

/**
 * Gathers what is stored; about 500 bytes a quad, a million quads at most. Decoded when it is first
 * looked at.
 *
 * @example const stored = createStoredSurface([image]);
 */
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
  const made = () => (target ??= createTarget(meshOf(charts, chart, quad)));
  return {
    chart,
    quad,
    // Half a step in each coordinate.
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

/** The two triangles of each of these quads, decoded, four vertices a quad. */
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

/** A chart, the source triangles embedded in it, and their overlay. */
export interface OverlaidChart {
  chart: OverlayChart;
  source: OverlaySource;
  overlay: Overlay;
}

export interface WholeDeviation {
  missing: number;
  excess: number;
  /**
   * Quads that answer for source points whose place is in another quad, and how far these may be
   * from their triangles. All other points are within `missing` of their own quad's triangles.
   */
  moved: Answer[];
}

/**
 * Bounds the distances between the whole source and all that is stored, both ways, in model units;
 * at most the greatest bound of the overlays. What is within the grid's rounding by these is not
 * looked at again.
 *
 * All charts are searched together, so that what is found in one spares the others.
 *
 * @param stored of all charts, in their order
 * @example const { missing, excess } = wholeDeviation([{ chart: image, source: clean, overlay }], createStoredSurface([image]));
 */
export function wholeDeviation(charts: readonly OverlaidChart[], stored: StoredSurface): WholeDeviation {
  const sources = createTarget(together(charts.map(({ source }) => surfaceOf(source))));
  const { upper, moved } = missingOf(charts, sources.surface, stored);
  return { missing: upper, excess: excessOf(charts, sources, stored), moved };
}

/** How far the source may be from what is stored, and which quads answer for what was moved. */
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

/** How far what is stored may be from the source. */
function excessOf(charts: readonly OverlaidChart[], sources: Target, stored: StoredSurface): number {
  const bounds = charts.map(excessByQuad);
  const grids = charts.map(({ chart }) => chart);
  const few = greatestFew(bounds, PROBED);
  let [c, quad] = [0, 0];
  return greatestOf(bounds, meshOf(grids, few.chart, few.index), sources, stored, (limit) => {
    const chart: number[] = [];
    const index: number[] = [];
    let rest = 0;
    for (; c < charts.length && index.length < ENOUGH_PIECES; c++, quad = 0) {
      const own = bounds[c];
      for (; quad < own.length && index.length < ENOUGH_PIECES; quad++) {
        if (own[quad] > limit) {
          chart.push(c);
          index.push(quad);
        } else if (own[quad] > rest) rest = own[quad];
      }
      if (quad < own.length) break;
    }
    const known = Float64Array.from({ length: 2 * index.length }, (_, i) => bounds[chart[i >> 1]][index[i >> 1]]);
    return { from: meshOf(grids, chart, index), known, rest, isLast: c === charts.length };
  });
}

/** Some of what is looked at, and what is known of all that was passed over. */
interface Part {
  from: Surface;
  known?: Float64Array;
  pieces?: Pieces;
  charges?: Float64Array | undefined;
  rest: number;
  isLast: boolean;
}

/**
 * The greatest distance to a target, bounded, of what has these bounds. A few of them tell how far
 * the others have to be looked at: those that are above what is near enough, or near what was found.
 *
 * @param next the next part, of which only what is above a limit has to be looked at
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
/**
 * As in deviation-bound.ts, which has the proof; here the corners are doubles, and one rounding off
 * relative to P.
 */
const PAD = 64 * 2 ** -53;
const RELATIVE = 1 + 8 * 2 ** -53;
const LEAST = 2 ** -500;
/** Most source triangles that are tried one by one. */
const FEW = 4;

/**
 * What is known of a chart's quads. One quad over few source triangles is measured against each of
 * these in full, where the overlay knows places only: charts of one triangle, with two corners in
 * one sample, come out as near as they are.
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

/** Some of the bounds of all charts. */
interface Selection {
  chart: Int32Array;
  /** In the chart. */
  index: Int32Array;
}

/** Selects the greatest bounds, so many or fewer; ties as they come. */
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

/** The selected triangles of the sources, three vertices each. */
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

/** A quad that answers for a part of the source, and how far that may be from its two triangles. */
export interface Answer {
  chart: number;
  quad: number;
  length: number;
}

/** For a part of a dropped triangle. */
export interface Charge extends Answer {
  /** The triangle's number among those that were dropped. */
  triangle: number;
}

/**
 * Lays what cleaning dropped on what is stored: every point of a dropped triangle is within
 * `length` of the two triangles of the quad of one of its charges.
 *
 * @param dropped segments and points for the most part
 * @returns by triangle; the whole image's `missing` is at least the greatest length
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
