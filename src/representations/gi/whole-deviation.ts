/**
 * From bounds per quad to the image's two tolerances; and what dropped source triangles add.
 *
 * The overlay bounds a source point's distance to its own quad, and a stored point's distance to the source triangle at its
 * own place. Over the whole image nearer triangles count too, so the greatest of those bounds are made smaller by a search
 * (deviation-bound.ts) until they are within 5 % of a distance that was found: on smooth models two to three times less.
 *
 * Triangles that cleaning dropped have no place in the square: those with two corners in one are segments or points of the
 * file all the same. Each is laid, piece by piece, on a stored triangle near it, whose quad answers for it. Duplicates need
 * nothing.
 */
import { boundDeviation, createTarget, type Target } from '../../mesh/deviation-bound.ts';
import type { Surface } from '../../mesh/topology.ts';
import { cutsDown, sizeOf } from './geometry-image.ts';
import type { Overlay, OverlayChart } from './overlay.ts';

/** The stored triangles of one or many charts, as something to be near to. */
export interface StoredSurface extends Target {
  /** Per two triangles: their chart and their quad in it. */
  chart: Int32Array;
  quad: Int32Array;
}

/** More quads are not searched: every second row and column is left out until there are fewer. Any triangle that is stored is a valid one. */
const MOST_QUADS = 1 << 20;
/** Quads with the greatest excess that are looked at again, at most. */
const MOST_REFINED = 1 << 18;
/** What is left of a search when bounds come as near as this to what was found. */
const WITHIN = 1.05;
/** Of one dropped triangle. */
const DROPPED_EFFORT = 1000;

/**
 * Gathers what is stored; about 500 bytes a quad, a million quads at most.
 *
 * @example const stored = createStoredSurface([image]);
 */
export function createStoredSurface(charts: readonly OverlayChart[]): StoredSurface {
  let stride = 1;
  const countAt = (s: number) => charts.reduce((sum, c) => sum + Math.ceil((1 << c.exponent) / s) ** 2, 0);
  while (countAt(stride) > MOST_QUADS) stride *= 2;
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
  return { ...createTarget(meshOf(charts, chart, quad)), chart, quad };
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
  source: Surface;
  overlay: Overlay;
}

/**
 * Bounds the distances between the whole source and all that is stored, both ways, in model units; at most the greatest bound of the overlays.
 *
 * @param stored of all charts, in their order
 * @example const { missing, excess } = wholeDeviation([{ chart: image, source: clean, overlay }], createStoredSurface([image]));
 */
export function wholeDeviation(
  charts: readonly OverlaidChart[],
  stored: StoredSurface,
): { missing: number; excess: number } {
  const missing = greatestOf(
    charts.map(({ overlay }) => greatest(overlay.bySource)),
    (i) => boundDeviation(charts[i].source, stored, { known: charts[i].overlay.bySource }).upper,
  );
  const sources = createTarget(together(charts.map(({ source }) => source)));
  const excess = greatestOf(
    charts.map(({ overlay }) => greatest(overlay.excess)),
    (i) => excessOf(charts[i].chart, charts[i].overlay.excess, sources),
  );
  return { missing, excess };
}

/**
 * The greatest of bounds that can each be made smaller: in the order of what is known of them, until those that are left are hardly above what was
 * found. Of a thousand charts that are equally near few are looked at.
 */
function greatestOf(known: readonly number[], improve: (index: number) => number): number {
  const order = known.map((_, i) => i).sort((i, j) => known[j] - known[i] || i - j);
  let found = 0;
  for (const i of order) {
    if (known[i] <= WITHIN * found) return Math.max(found, known[i]);
    found = Math.max(found, Math.min(known[i], improve(i)));
  }
  return found;
}

function greatest(bounds: Float64Array): number {
  let most = 0;
  for (let i = 0; i < bounds.length; i++) if (bounds[i] > most) most = bounds[i];
  return most;
}

/** Looks again at the quads whose bound is an eighth of the greatest or more; what is below needs no better one. */
function excessOf(chart: OverlayChart, bounds: Float64Array, sources: Target): number {
  let limit = greatest(bounds) / 8;
  let count = 0;
  for (;;) {
    count = 0;
    for (let i = 0; i < bounds.length; i++) if (bounds[i] > limit) count++;
    if (count <= MOST_REFINED) break;
    limit *= 1.25;
  }
  const quad = new Int32Array(count);
  const known = new Float64Array(2 * count);
  let rest = 0;
  let at = 0;
  for (let i = 0; i < bounds.length; i++) {
    if (bounds[i] > limit) {
      known[2 * at] = bounds[i];
      known[2 * at + 1] = bounds[i];
      quad[at++] = i;
    } else if (bounds[i] > rest) {
      rest = bounds[i];
    }
  }
  return Math.max(rest, boundDeviation(meshOf([chart], new Int32Array(count), quad), sources, { known }).upper);
}

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

/** A quad that answers for a part of a dropped triangle, and how far that part may be from its two triangles. */
export interface Charge {
  /** The triangle's number among those that were dropped. */
  triangle: number;
  chart: number;
  quad: number;
  length: number;
}

/**
 * Lays what cleaning dropped on what is stored: every point of a dropped triangle is within `length` of the two triangles of the quad of one of its
 * charges.
 *
 * @param dropped segments and points for the most part
 * @returns by triangle; the whole image's `missing` is at least the greatest length
 */
export function layDropped(dropped: Surface, stored: StoredSurface): Charge[] {
  const found: Charge[] = [];
  const charges = new Float64Array(stored.surface.triangles.length / 3).fill(-1);
  for (let t = 0; t < dropped.triangles.length; t += 3) {
    const one = { positions: dropped.positions, triangles: dropped.triangles.subarray(t, t + 3) };
    boundDeviation(one, stored, { within: 1.25, effort: DROPPED_EFFORT, charges });
    for (let s = 0; s < charges.length; s++) {
      if (charges[s] < 0) continue;
      found.push({ triangle: t / 3, chart: stored.chart[s >> 1], quad: stored.quad[s >> 1], length: charges[s] });
      charges[s] = -1;
    }
  }
  return found;
}
