/**
 * Fits the samples of a geometry image so that its triangles are closest to the source in least
 * squares.
 *
 * Interpolating samples lie on the surface, and a convex surface lies outside all of its chords:
 * the error has one sign. Here the samples minimize the integral over the source of
 *   ((x(u) - s(u)) . n(u))^2 + T |x(u) - s(u)|^2
 * where s is the source's point, n its normal, x the point of the image's triangle at the same
 * place u of the square, and T is small. After H. Hoppe, T. DeRose, T. Duchamp, J. McDonald, W.
 * Stuetzle, "Mesh Optimization", SIGGRAPH 1993, with a fixed parametrization. The distance is the
 * tangent plane's, the first order of the squared distance to a surface (H. Pottmann, M. Hofer,
 * "Geometry of the Squared Distance Function to Curves and Surfaces", 2003). Moving a sample along
 * a plain surface costs almost nothing, so rows of samples slide onto its edges.
 *
 * Measured at 257: gain in dB over interpolating samples on boulder, bunny, fandisk, star and a
 * smooth bumpy sphere; and reversed triangles of bunny, out of 131072 (49 without fit):
 *   T = 1      3.1,  3.4,  4.4,    -,   -
 *   T = 0.1    4.3,  4.8, 10.0,    -,   -
 *   T = 0.01   8.5,  8.6, 19.9,  6.8, 3.8   130
 *   T = 0.003 10.8, 10.8, 21.5,  8.9, 4.2   240
 *   T = 0.001 12.0, 11.2, 23.3, 10.5, 4.7   362, with greater greatest distances than 0.01
 *   without n  3.0,  3.1,  3.4,  3.7, 3.5   (equal places alone)
 * Normals of the source's triangles instead of the fine grid: 0.1 to 0.9 less. Four rounds instead
 * of two: 0.3 more for twice the time.
 *
 * The integral is a sum over a grid finer than the image, by the trapezoid rule, weighted with the
 * source's area; n is the cross product of central differences on that grid. The unknowns are the
 * samples' moves, so digits do not depend on the origin. A point touches only the three samples of
 * its triangle. So the normal matrix has 3 x 3 blocks for samples and edges. Conjugate gradients
 * (M. Hestenes, E. Stiefel, 1952) solve the equations, starting at the samples' places. Samples
 * joined by folds and seams are one unknown (shared-samples.ts), so seams stay equal to the bit. A
 * small weight holds a sample in place if the source there has almost no area.
 */
import { fitInKernel } from './kernel.ts';
import type { SurfaceSamples } from './resample.ts';
import { type SharedSamples, shareSamples } from './shared-samples.ts';

/** Steps of conjugate gradients: 20 lose 0.1 to 0.3 dB, 100 gain none. */
const STEPS = 40;
/** T in the head: the weight of a distance along the surface relative to one off it. */
const TANGENTIAL = 0.01;
const HOLD = 1e-3;
export const EQUATIONS = { hold: HOLD, steps: STEPS };

/**
 * Numbers per sample: four symmetric matrices xx, xy, xz, yy, yz, zz. The first is its own. The
 * others are for the edges to the next sample in its row and to the sample below, and for its
 * quad's diagonal.
 */
const NUMBERS = 24;
const [ACROSS, DOWN, DIAGONAL] = [6, 12, 18];

export interface FittedChart {
  /** (2^n + 1)^2 samples; the fit changes `positions`. */
  size: number;
  positions: Float64Array;
  /** The same embedding at 2^m times as many intervals, m >= 1; null keeps the chart. */
  fine: SurfaceSamples | null;
  /** For each quad, row by row: 1 if split along (r, c)-(r + 1, c + 1), else 0. */
  splits: Uint8Array;
  folded: boolean;
}

/** Fits all charts together: a sample that several charts share is one unknown. */
export function fitSamples(charts: readonly FittedChart[], shared: SharedSamples = shareSamples(charts)): void {
  const { first, owner } = shared;
  const moves = fitInKernel(charts, { shared, ...EQUATIONS }) ?? movesOf(charts, shared);
  charts.forEach(({ positions }, i) => {
    for (let g = first[i]; g < first[i + 1]; g++) {
      if (owner[g] !== g) continue;
      for (let k = 0; k < 3; k++) positions[3 * (g - first[i]) + k] += moves[3 * g + k];
    }
  });
  copyOwners(charts, first, owner);
}

/** The moves of all samples, 0 for those that stay or have another owner. */
export function movesOf(charts: readonly FittedChart[], { first, owner, stays }: SharedSamples): Float64Array {
  const matrices = new Float64Array(NUMBERS * owner.length);
  const right = new Float64Array(3 * owner.length);
  charts.forEach((chart, i) => {
    if (chart.fine) gather(chart, chart.fine, first[i], owner, matrices, right);
  });
  const stay = (moves: Float64Array): void => {
    for (let g = 0; g < stays.length; g++) if (stays[g] === 1) moves.fill(0, 3 * g, 3 * g + 3);
  };
  stay(right);
  return solve(
    (from, to) => {
      to.fill(0);
      charts.forEach(({ size, splits, fine }, i) => {
        if (fine) multiply(matrices, owner, first[i], size, splits, from, to);
      });
      stay(to);
    },
    weightsOf(matrices, owner.length),
    right,
  );
}

export function copyOwners(charts: readonly Omit<FittedChart, 'splits'>[], first: Int32Array, owner: Int32Array): void {
  const chartOf = new Int32Array(owner.length);
  charts.forEach((_, i) => {
    chartOf.fill(i, first[i], first[i + 1]);
  });
  for (let g = 0; g < owner.length; g++) {
    if (owner[g] === g) continue;
    const [from, to] = [chartOf[owner[g]], chartOf[g]];
    const at = 3 * (owner[g] - first[from]);
    charts[to].positions.set(charts[from].positions.subarray(at, at + 3), 3 * (g - first[to]));
  }
}

/** The trace of each sample's own matrix. It scales steps, as charts have any size. */
function weightsOf(matrices: Float64Array, count: number): Float64Array {
  const weights = new Float64Array(count);
  for (let g = 0; g < count; g++) {
    const m = NUMBERS * g;
    weights[g] = matrices[m] + matrices[m + 3] + matrices[m + 5];
  }
  return weights;
}

/**
 * Triangles of a quad by split and half; corners (r, c), (r, c + 1), (r + 1, c), (r + 1, c + 1) are
 * 0 to 3. The second and third are the diagonal's ends.
 */
const HALVES = [
  [0, 1, 2],
  [3, 1, 2],
  [2, 0, 3],
  [1, 0, 3],
];
const half = { triangle: 0, a: 0, b: 0, c: 0 };

/** Finds a quad's triangle at a point, and weights of corners; `down`, `across` from 0 to 1. */
function locate(isMain: number, down: number, across: number): void {
  if (isMain) {
    half.triangle = down >= across ? 2 : 3;
    half.a = Math.abs(down - across);
    half.b = 1 - Math.max(down, across);
    half.c = Math.min(down, across);
    return;
  }
  const isFirst = down + across <= 1;
  half.triangle = isFirst ? 0 : 1;
  half.a = Math.abs(down + across - 1);
  half.b = isFirst ? across : 1 - down;
  half.c = isFirst ? down : 1 - across;
}

function gather(
  { size, positions: x, splits }: FittedChart,
  fine: SurfaceSamples,
  first: number,
  owner: Int32Array,
  matrices: Float64Array,
  right: Float64Array,
): void {
  const cells = size - 1;
  const parts = (fine.size - 1) / cells;
  const corners = new Int32Array(4);
  const sides = new Int32Array(16);
  let total = 0;
  for (let row = 0; row < cells; row++) {
    for (let column = 0; column < cells; column++) {
      const g = row * size + column;
      const isMain = splits[row * cells + column];
      corners[0] = g;
      corners[1] = g + 1;
      corners[2] = g + size;
      corners[3] = g + size + 1;
      const m = NUMBERS * (first + g);
      sides[1] = sides[4] = m + ACROSS;
      sides[2] = sides[8] = m + DOWN;
      sides[3] = sides[12] = sides[6] = sides[9] = m + DIAGONAL;
      sides[7] = sides[13] = m + NUMBERS + DOWN;
      sides[11] = sides[14] = m + NUMBERS * size + ACROSS;
      for (let i = 0; i <= parts; i++) {
        for (let j = 0; j <= parts; j++) {
          const area = measure(fine, row * parts + i, column * parts + j);
          if (!(area > 0)) continue;
          const ends = (i % parts === 0 ? 0.5 : 1) * (j % parts === 0 ? 0.5 : 1);
          total += ends * area;
          locate(isMain, i / parts, j / parts);
          const { a, b, c } = half;
          const triangle = HALVES[half.triangle];
          const ga = corners[triangle[0]];
          const gb = corners[triangle[1]];
          const gc = corners[triangle[2]];
          const f = 3 * ((row * parts + i) * fine.size + column * parts + j);
          const dx = fine.positions[f] - (a * x[3 * ga] + b * x[3 * gb] + c * x[3 * gc]);
          const dy = fine.positions[f + 1] - (a * x[3 * ga + 1] + b * x[3 * gb + 1] + c * x[3 * gc + 1]);
          const dz = fine.positions[f + 2] - (a * x[3 * ga + 2] + b * x[3 * gb + 2] + c * x[3 * gc + 2]);
          setMetric(ends, area);
          const oa = owner[first + ga];
          const ob = owner[first + gb];
          const oc = owner[first + gc];
          addForce(right, 3 * oa, a, dx, dy, dz);
          addForce(right, 3 * ob, b, dx, dy, dz);
          addForce(right, 3 * oc, c, dx, dy, dz);
          addBlock(matrices, NUMBERS * oa, a * a);
          addBlock(matrices, NUMBERS * ob, b * b);
          addBlock(matrices, NUMBERS * oc, c * c);
          addBlock(matrices, sides[4 * triangle[0] + triangle[1]], a * b);
          addBlock(matrices, sides[4 * triangle[0] + triangle[2]], a * c);
          addBlock(matrices, sides[4 * triangle[1] + triangle[2]], b * c);
        }
      }
    }
  }
  const hold = (HOLD * total) / (cells * cells);
  for (let g = first; g < first + size * size; g++) {
    if (owner[g] !== g) continue;
    matrices[NUMBERS * g] += hold;
    matrices[NUMBERS * g + 3] += hold;
    matrices[NUMBERS * g + 5] += hold;
  }
}

/** Normal of the source at a point, as long as its area; and the cost matrix of a move there. */
const normal = { x: 0, y: 0, z: 0 };
const metric = { xx: 0, xy: 0, xz: 0, yy: 0, yz: 0, zz: 0 };

function setMetric(ends: number, area: number): void {
  const { x, y, z } = normal;
  const w = ends / area;
  const along = TANGENTIAL * ends * area;
  metric.xx = w * x * x + along;
  metric.xy = w * x * y;
  metric.xz = w * x * z;
  metric.yy = w * y * y + along;
  metric.yz = w * y * z;
  metric.zz = w * z * z + along;
}

function addForce(right: Float64Array, at: number, weight: number, dx: number, dy: number, dz: number): void {
  const { xx, xy, xz, yy, yz, zz } = metric;
  right[at] += weight * (xx * dx + xy * dy + xz * dz);
  right[at + 1] += weight * (xy * dx + yy * dy + yz * dz);
  right[at + 2] += weight * (xz * dx + yz * dy + zz * dz);
}

function addBlock(matrices: Float64Array, at: number, weight: number): void {
  matrices[at] += weight * metric.xx;
  matrices[at + 1] += weight * metric.xy;
  matrices[at + 2] += weight * metric.xz;
  matrices[at + 3] += weight * metric.yy;
  matrices[at + 4] += weight * metric.yz;
  matrices[at + 5] += weight * metric.zz;
}

/** The source's area at a fine grid point, by central differences (one-sided at the border). */
function measure({ positions: p, size }: SurfaceSamples, row: number, column: number): number {
  const last = size - 1;
  const up = 3 * (Math.max(0, row - 1) * size + column);
  const down = 3 * (Math.min(last, row + 1) * size + column);
  const left = 3 * (row * size + Math.max(0, column - 1));
  const right = 3 * (row * size + Math.min(last, column + 1));
  const ax = p[down] - p[up];
  const ay = p[down + 1] - p[up + 1];
  const az = p[down + 2] - p[up + 2];
  const bx = p[right] - p[left];
  const by = p[right + 1] - p[left + 1];
  const bz = p[right + 2] - p[left + 2];
  const share = 1 / ((row > 0 && row < last ? 2 : 1) * (column > 0 && column < last ? 2 : 1));
  const x = share * (ay * bz - az * by);
  const y = share * (az * bx - ax * bz);
  const z = share * (ax * by - ay * bx);
  normal.x = x;
  normal.y = y;
  normal.z = z;
  return Math.sqrt(x * x + y * y + z * z);
}

function multiply(
  matrices: Float64Array,
  owner: Int32Array,
  first: number,
  size: number,
  splits: Uint8Array,
  from: Float64Array,
  to: Float64Array,
): void {
  const cells = size - 1;
  for (let g = first; g < first + size * size; g++) {
    const a = 3 * g;
    const m = NUMBERS * g; // all zero where g has another owner
    const x = from[a];
    const y = from[a + 1];
    const z = from[a + 2];
    to[a] += matrices[m] * x + matrices[m + 1] * y + matrices[m + 2] * z;
    to[a + 1] += matrices[m + 1] * x + matrices[m + 3] * y + matrices[m + 4] * z;
    to[a + 2] += matrices[m + 2] * x + matrices[m + 4] * y + matrices[m + 5] * z;
  }
  for (let row = 0, g = first; row <= cells; row++) {
    for (let column = 0; column <= cells; column++, g++) {
      const m = NUMBERS * g;
      if (column < cells) couple(matrices, m + ACROSS, 3 * owner[g], 3 * owner[g + 1], from, to);
      if (row === cells) continue;
      couple(matrices, m + DOWN, 3 * owner[g], 3 * owner[g + size], from, to);
      if (column === cells) continue;
      if (splits[row * cells + column]) {
        couple(matrices, m + DIAGONAL, 3 * owner[g], 3 * owner[g + size + 1], from, to);
      } else {
        couple(matrices, m + DIAGONAL, 3 * owner[g + 1], 3 * owner[g + size], from, to);
      }
    }
  }
}

function couple(matrices: Float64Array, m: number, a: number, b: number, from: Float64Array, to: Float64Array): void {
  const xx = matrices[m];
  const xy = matrices[m + 1];
  const xz = matrices[m + 2];
  const yy = matrices[m + 3];
  const yz = matrices[m + 4];
  const zz = matrices[m + 5];
  const ax = from[a];
  const ay = from[a + 1];
  const az = from[a + 2];
  const bx = from[b];
  const by = from[b + 1];
  const bz = from[b + 2];
  to[a] += xx * bx + xy * by + xz * bz;
  to[a + 1] += xy * bx + yy * by + yz * bz;
  to[a + 2] += xz * bx + yz * by + zz * bz;
  to[b] += xx * ax + xy * ay + xz * az;
  to[b + 1] += xy * ax + yy * ay + yz * az;
  to[b + 2] += xz * ax + yz * ay + zz * az;
}

/** Solves apply(x) = right by conjugate gradients from 0, scaled by weights; changes `right`. */
function solve(
  apply: (from: Float64Array, to: Float64Array) => void,
  weights: Float64Array,
  right: Float64Array,
): Float64Array {
  const x = new Float64Array(right.length);
  const image = new Float64Array(right.length);
  const residual = right;
  const scaled = new Float64Array(right.length);
  const scale = (): void => {
    for (let i = 0, g = 0; g < weights.length; g++) {
      for (let k = 0; k < 3; k++, i++) scaled[i] = weights[g] > 0 ? residual[i] / weights[g] : 0;
    }
  };
  scale();
  const direction = scaled.slice();
  let squares = dot(residual, scaled);
  for (let step = 0; step < STEPS && squares > 0; step++) {
    apply(direction, image);
    const length = squares / dot(direction, image);
    if (!(length > 0 && length < Number.POSITIVE_INFINITY)) break;
    for (let i = 0; i < x.length; i++) {
      x[i] += length * direction[i];
      residual[i] -= length * image[i];
    }
    scale();
    const next = dot(residual, scaled);
    const turn = next / squares;
    squares = next;
    for (let i = 0; i < x.length; i++) direction[i] = scaled[i] + turn * direction[i];
  }
  return x;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
