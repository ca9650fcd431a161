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
 * These steps had not settled. Settled, in three rounds at 257, spot and bolt have 91.9 and 96.2 dB
 * at 0.01, 93.3 and 99.6 at 0.005 (taken), 94.2 and 100.7 at 0.003.
 * Normals of the source's triangles instead of the fine grid: 0.1 to 0.9 less.
 *
 * The integral is a sum over a grid finer than the image, by the trapezoid rule, weighted with the
 * source's area. n is the cross product of central differences on that grid. The unknowns are the
 * samples' moves, so digits do not depend on the origin. A point touches only the three samples of
 * its triangle. So the normal matrix has 3 x 3 blocks for samples and edges. Conjugate gradients
 * (M. Hestenes, E. Stiefel, 1952) solve the equations, starting at the samples' places. Samples
 * joined by folds and seams are one unknown (shared-samples.ts), so seams stay equal to the bit. A
 * small weight holds a sample in place if the source there has almost no area.
 */
import type { SurfaceSamples } from './resample.ts';
import { type SharedSamples, shareSamples } from './shared-samples.ts';

/** Steps of conjugate gradients. */
const STEPS = 8;
/** A round ends once the rest of the forces falls to this part, squared. */
const SETTLED = 1e-7;
/** T in the head: the weight of a distance along the surface relative to one off it. */
const TANGENTIAL = 0.005;
const HOLD = 1e-3;

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
  folded: boolean;
}

/** For each chart and each of its quads, row by row: 1 if split along (r, c)-(r + 1, c + 1). */
export type Splits = readonly Uint8Array[];

export interface FitOptions {
  /** Solves again for splits that have changed, at most this often in all; default 1. */
  rounds?: number;
  shared?: SharedSamples;
  /** No sample moves if the root mean square distance is at most this; default 0. */
  unseen?: number;
}

/**
 * Fits all charts together: a sample that several charts share is one unknown. `splitsNow` returns
 * the splits for the charts' positions. Returns false if there is nothing to gain.
 */
export function fitSamples(
  charts: readonly FittedChart[],
  splitsNow: () => Splits,
  { rounds = 1, shared = shareSamples(charts), unseen = 0 }: FitOptions = {},
): boolean {
  const { first, owner, stays } = shared;
  const copies = Int32Array.from(owner.keys()).filter((g) => owner[g] !== g);
  const matrices = new Float64Array(NUMBERS * owner.length);
  const right = new Float64Array(3 * owner.length);
  let splits: Splits | null = null;
  let settled = 0;
  for (let round = 0; round < rounds; round++) {
    const next = splitsNow();
    let isChanged = false;
    const error = { squares: 0, area: 0 };
    charts.forEach(({ size, positions, fine }, i) => {
      if (!fine) return;
      const parts = (fine.size - 1) / (size - 1);
      const own = { size, positions, fine, parts, first: first[i], matrices, right };
      if (gather(own, next[i], splits?.[i], error)) isChanged = true;
    });
    if (!isChanged) break;
    if (!splits && !(error.squares > unseen * unseen * error.area)) return false;
    splits = next;
    addToOwners(right, owner, copies);
    const inverses = invert(matrices, owner, stays);
    const equations: Equations = {
      apply: (from, to) => {
        to.fill(0);
        charts.forEach(({ size, fine }, i) => {
          if (fine) multiply(matrices, first[i], size, next[i], from, to);
        });
        addToOwners(to, owner, copies);
      },
      spread: (vector) => copyFromOwners(vector, owner, copies),
    };
    if (round === 0) settled = SETTLED * squaresOf(inverses, right);
    const moves = solve(equations, inverses, right, settled);
    charts.forEach(({ positions }, i) => {
      const from = 3 * first[i];
      for (let v = 0; v < positions.length; v++) positions[v] += moves[from + v];
    });
    copyOwners(charts, first, owner);
  }
  return true;
}

interface Equations {
  apply: (from: Float64Array, to: Float64Array) => void;
  /** Gives copies their owners' values. */
  spread: (vector: Float64Array) => void;
}

function addToOwners(vector: Float64Array, owner: Int32Array, copies: Int32Array): void {
  for (let i = 0; i < copies.length; i++) {
    const from = 3 * copies[i];
    const to = 3 * owner[copies[i]];
    for (let k = 0; k < 3; k++) {
      vector[to + k] += vector[from + k];
      vector[from + k] = 0;
    }
  }
}

function copyFromOwners(vector: Float64Array, owner: Int32Array, copies: Int32Array): void {
  for (let i = 0; i < copies.length; i++) {
    const to = 3 * copies[i];
    const from = 3 * owner[copies[i]];
    for (let k = 0; k < 3; k++) vector[to + k] = vector[from + k];
  }
}

export function copyOwners(charts: readonly FittedChart[], first: Int32Array, owner: Int32Array): void {
  const chartOf = new Int32Array(owner.length);
  charts.forEach((_, i) => {
    chartOf.fill(i, first[i], first[i + 1]);
  });
  for (let g = 0; g < owner.length; g++) {
    if (owner[g] === g) continue;
    const [from, to] = [chartOf[owner[g]], chartOf[g]];
    const at = 3 * (owner[g] - first[from]);
    for (let k = 0; k < 3; k++) charts[to].positions[3 * (g - first[to]) + k] = charts[from].positions[at + k];
  }
}

/**
 * The inverse of each owner's own matrix; zero for samples that stay, and for copies. Distances
 * along the surface weigh little, so a matrix is far from a multiple of the identity.
 */
function invert(matrices: Float64Array, owner: Int32Array, stays: Uint8Array): Float64Array {
  const own = new Float64Array(6 * owner.length);
  for (let g = 0; g < owner.length; g++) {
    for (let k = 0; k < 6; k++) own[6 * owner[g] + k] += matrices[NUMBERS * g + k];
  }
  for (let g = 0, m = 0; g < owner.length; g++, m += 6) {
    const scale = stays[g] === 1 ? 0 : own[m] + own[m + 3] + own[m + 5];
    const share = scale > 0 ? 1 / scale : 0;
    const xx = own[m] * share;
    const xy = own[m + 1] * share;
    const xz = own[m + 2] * share;
    const yy = own[m + 3] * share;
    const yz = own[m + 4] * share;
    const zz = own[m + 5] * share;
    const ax = yy * zz - yz * yz;
    const ay = xz * yz - xy * zz;
    const az = xy * yz - xz * yy;
    const determinant = xx * ax + xy * ay + xz * az;
    const factor = determinant > 0 ? share / determinant : 0;
    own[m] = factor * ax;
    own[m + 1] = factor * ay;
    own[m + 2] = factor * az;
    own[m + 3] = factor * (xx * zz - xz * xz);
    own[m + 4] = factor * (xy * xz - xx * yz);
    own[m + 5] = factor * (xx * yy - xy * xy);
  }
  return own;
}

/**
 * Corners of a quad (r, c), (r, c + 1), (r + 1, c), (r + 1, c + 1) are 0 to 3. A quad has a half at
 * its first or second corner, and one at the corner opposite.
 */
interface Half {
  /** The corners: the tip, and the ends of the diagonal. */
  corners: readonly [number, number, number];
  /**
   * Row and column of each point in the quad's fine grid; its weights of the corners, and its own.
   */
  rows: Int32Array;
  columns: Int32Array;
  weights: Float64Array;
}

const CORNERS = [
  [
    [0, 1, 2],
    [3, 1, 2],
  ],
  [
    [2, 0, 3],
    [1, 0, 3],
  ],
] as const;

/** Halves of a quad of parts x parts intervals. The diagonal's points are the first half's. */
function halvesOf(parts: number): readonly (readonly [Half, Half])[] {
  return CORNERS.map((pair, isMain) => {
    const halves = pair.map((corners) => ({
      corners,
      rows: [] as number[],
      columns: [] as number[],
      weights: [] as number[],
    }));
    for (let i = 0; i <= parts; i++) {
      for (let j = 0; j <= parts; j++) {
        const [down, across] = [i / parts, j / parts];
        const isFirst = isMain ? down >= across : down + across <= 1;
        const { rows, columns, weights } = halves[isFirst ? 0 : 1];
        rows.push(i);
        columns.push(j);
        if (isMain) weights.push(Math.abs(down - across), 1 - Math.max(down, across), Math.min(down, across));
        else weights.push(Math.abs(down + across - 1), isFirst ? across : 1 - down, isFirst ? down : 1 - across);
        weights.push((i % parts === 0 ? 0.5 : 1) * (j % parts === 0 ? 0.5 : 1));
      }
    }
    const [one, other] = halves.map(({ corners, rows, columns, weights }) => {
      return {
        corners,
        rows: Int32Array.from(rows),
        columns: Int32Array.from(columns),
        weights: Float64Array.from(weights),
      };
    });
    return [one, other] as const;
  });
}

interface Gathered {
  size: number;
  positions: Float64Array;
  fine: SurfaceSamples;
  /** Fine intervals in a quad's side. */
  parts: number;
  first: number;
  matrices: Float64Array;
  right: Float64Array;
}

/** Squared distances off the source, integrated over its area. */
interface SquaredError {
  squares: number;
  area: number;
}

/**
 * Adds a chart's matrices and forces. After the first time, it adds only those of quads whose split
 * is not the `old` one, and subtracts their former ones. Returns true if there is any such quad.
 */
function gather(chart: Gathered, splits: Uint8Array, old: Uint8Array | undefined, error: SquaredError): boolean {
  const { size, fine, parts, first, matrices } = chart;
  const cells = size - 1;
  const halves = halvesOf(parts);
  const planes = new Float64Array(4 * (parts + 1) * fine.size);
  let area = 0;
  let isAny = false;
  for (let row = 0, quad = 0; row < cells; row++) {
    const top = row * parts;
    const rows = { top, row: top, end: top + parts };
    if (!old) {
      if (row > 0) planes.copyWithin(0, 4 * parts * fine.size);
      findPlanes(fine, { ...rows, row: row > 0 ? top + 1 : 0, from: 0, to: cells * parts }, planes);
      for (let i = 4 * fine.size + 3; i < planes.length; i += 4) area += planes[i];
    }
    for (let column = 0; column < cells; column++, quad++) {
      if (old) {
        if (splits[quad] === old[quad]) continue;
        findPlanes(fine, { ...rows, from: column * parts, to: (column + 1) * parts }, planes);
        for (const half of halves[old[quad]]) addHalf(chart, half, row, column, planes, -1);
        const m = NUMBERS * (first + row * size + column) + DIAGONAL;
        matrices.fill(0, m, m + 6);
      }
      isAny = true;
      for (const half of halves[splits[quad]]) error.squares += addHalf(chart, half, row, column, planes, 1);
    }
  }
  error.area += area;
  if (!old) holdInPlace(chart, area);
  return isAny;
}

/**
 * Finds the source's normals at fine points of rows `row` to `end` and columns `from` to `to`, by
 * central differences (one-sided at the border). Writes x, y, z, as long as the root of the area
 * that a point stands for, and that area; the first row is `top`.
 */
function findPlanes(
  { positions: p, size }: SurfaceSamples,
  { top, row: start, end, from, to }: { top: number; row: number; end: number; from: number; to: number },
  planes: Float64Array,
): void {
  const last = size - 1;
  for (let row = start; row <= end; row++) {
    const above = 3 * size * Math.max(0, row - 1);
    const below = 3 * size * Math.min(last, row + 1);
    const here = 3 * size * row;
    const rows = row > 0 && row < last ? 0.5 : 1;
    for (let column = from; column <= to; column++) {
      const up = above + 3 * column;
      const down = below + 3 * column;
      const left = here + 3 * Math.max(0, column - 1);
      const right = here + 3 * Math.min(last, column + 1);
      const ax = p[down] - p[up];
      const ay = p[down + 1] - p[up + 1];
      const az = p[down + 2] - p[up + 2];
      const bx = p[right] - p[left];
      const by = p[right + 1] - p[left + 1];
      const bz = p[right + 2] - p[left + 2];
      const share = column > 0 && column < last ? 0.5 * rows : rows;
      const x = share * (ay * bz - az * by);
      const y = share * (az * bx - ax * bz);
      const z = share * (ax * by - ay * bx);
      const area = Math.sqrt(x * x + y * y + z * z);
      const root = area > 0 ? 1 / Math.sqrt(area) : 0;
      const at = 4 * ((row - top) * size + column);
      planes[at] = root * x;
      planes[at + 1] = root * y;
      planes[at + 2] = root * z;
      planes[at + 3] = area;
    }
  }
}

/**
 * Adds matrices and forces of a half of quad (row, column), or takes them away if `sign` is -1.
 * Returns its squared error.
 */
function addHalf(chart: Gathered, half: Half, row: number, column: number, planes: Float64Array, sign: number): number {
  const { size, fine, parts, positions: x, first, right } = chart;
  const { corners, rows, columns, weights } = half;
  const g = row * size + column;
  const ga = g + offsetOf(corners[0], size);
  const gb = g + offsetOf(corners[1], size);
  const gc = g + offsetOf(corners[2], size);
  const ax = x[3 * ga];
  const ay = x[3 * ga + 1];
  const az = x[3 * ga + 2];
  const bx = x[3 * gb];
  const by = x[3 * gb + 1];
  const bz = x[3 * gb + 2];
  const cx = x[3 * gc];
  const cy = x[3 * gc + 1];
  const cz = x[3 * gc + 2];
  const p = fine.positions;
  const corner = row * parts * fine.size + column * parts;
  let fax = 0;
  let fay = 0;
  let faz = 0;
  let fbx = 0;
  let fby = 0;
  let fbz = 0;
  let fcx = 0;
  let fcy = 0;
  let fcz = 0;
  let squares = 0;
  const sums = blocks;
  sums.fill(0);
  for (let i = 0; i < rows.length; i++) {
    const here = 4 * (rows[i] * fine.size + column * parts + columns[i]);
    const area = planes[here + 3];
    if (!(area > 0)) continue;
    const nx = planes[here];
    const ny = planes[here + 1];
    const nz = planes[here + 2];
    const a = weights[4 * i];
    const b = weights[4 * i + 1];
    const c = weights[4 * i + 2];
    const ends = sign * weights[4 * i + 3];
    const f = 3 * (corner + rows[i] * fine.size + columns[i]);
    const dx = p[f] - (a * ax + b * bx + c * cx);
    const dy = p[f + 1] - (a * ay + b * by + c * cy);
    const dz = p[f + 2] - (a * az + b * bz + c * cz);
    const distance = nx * dx + ny * dy + nz * dz;
    const off = ends * distance;
    squares += off * distance;
    const along = ends * TANGENTIAL * area;
    const fx = off * nx + along * dx;
    const fy = off * ny + along * dy;
    const fz = off * nz + along * dz;
    fax += a * fx;
    fay += a * fy;
    faz += a * fz;
    fbx += b * fx;
    fby += b * fy;
    fbz += b * fz;
    fcx += c * fx;
    fcy += c * fy;
    fcz += c * fz;
    const xx = ends * nx * nx + along;
    const xy = ends * nx * ny;
    const xz = ends * nx * nz;
    const yy = ends * ny * ny + along;
    const yz = ends * ny * nz;
    const zz = ends * nz * nz + along;
    addBlock(sums, 0, a * a, xx, xy, xz, yy, yz, zz);
    addBlock(sums, 6, b * b, xx, xy, xz, yy, yz, zz);
    addBlock(sums, 12, c * c, xx, xy, xz, yy, yz, zz);
    addBlock(sums, 18, a * b, xx, xy, xz, yy, yz, zz);
    addBlock(sums, 24, a * c, xx, xy, xz, yy, yz, zz);
    addBlock(sums, 30, b * c, xx, xy, xz, yy, yz, zz);
  }
  addForce(right, 3 * (first + ga), fax, fay, faz);
  addForce(right, 3 * (first + gb), fbx, fby, fbz);
  addForce(right, 3 * (first + gc), fcx, fcy, fcz);
  addMatrices(chart, corners, g);
  return squares;
}

/** Sums of a half: own matrices of its corners a, b and c, and those for ab, ac and bc. */
const blocks = new Float64Array(36);

/** Adds these sums for quad number g. */
function addMatrices({ matrices, first, size }: Gathered, corners: Half['corners'], g: number): void {
  addSums(matrices, 0, NUMBERS * (first + g + offsetOf(corners[0], size)));
  addSums(matrices, 6, NUMBERS * (first + g + offsetOf(corners[1], size)));
  addSums(matrices, 12, NUMBERS * (first + g + offsetOf(corners[2], size)));
  addSums(matrices, 18, edgeOf(corners[0], corners[1], first + g, size));
  addSums(matrices, 24, edgeOf(corners[0], corners[2], first + g, size));
  addSums(matrices, 30, edgeOf(corners[1], corners[2], first + g, size));
}

const offsetOf = (corner: number, size: number): number => (corner & 1) + size * (corner >> 1);

function addSums(matrices: Float64Array, from: number, to: number): void {
  for (let k = 0; k < 6; k++) matrices[to + k] += blocks[from + k];
}

function addBlock(
  to: Float64Array,
  at: number,
  weight: number,
  xx: number,
  xy: number,
  xz: number,
  yy: number,
  yz: number,
  zz: number,
): void {
  to[at] += weight * xx;
  to[at + 1] += weight * xy;
  to[at + 2] += weight * xz;
  to[at + 3] += weight * yy;
  to[at + 4] += weight * yz;
  to[at + 5] += weight * zz;
}

function addForce(right: Float64Array, at: number, x: number, y: number, z: number): void {
  right[at] += x;
  right[at + 1] += y;
  right[at + 2] += z;
}

/** Place of the matrix for an edge between two corners of the quad whose first sample is g. */
function edgeOf(one: number, other: number, g: number, size: number): number {
  switch ((1 << one) | (1 << other)) {
    case 3:
      return NUMBERS * g + ACROSS;
    case 5:
      return NUMBERS * g + DOWN;
    case 10:
      return NUMBERS * (g + 1) + DOWN;
    case 12:
      return NUMBERS * (g + size) + ACROSS;
    default:
      return NUMBERS * g + DIAGONAL;
  }
}

/** Holds a chart's samples with a small part of the mean weight. */
function holdInPlace({ size, first, matrices }: Gathered, area: number): void {
  const hold = (HOLD * area) / ((size - 1) * (size - 1));
  for (let g = first; g < first + size * size; g++) {
    matrices[NUMBERS * g] += hold;
    matrices[NUMBERS * g + 3] += hold;
    matrices[NUMBERS * g + 5] += hold;
  }
}

/** Adds a chart's matrices times `from` to `to`. Copies have the values of their owners. */
function multiply(
  matrices: Float64Array,
  first: number,
  size: number,
  splits: Uint8Array,
  from: Float64Array,
  to: Float64Array,
): void {
  const cells = size - 1;
  for (let row = 0, g = first, quad = 0; row <= cells; row++) {
    for (let column = 0; column <= cells; column++, g++) {
      const a = 3 * g;
      const m = NUMBERS * g;
      const x = from[a];
      const y = from[a + 1];
      const z = from[a + 2];
      to[a] += matrices[m] * x + matrices[m + 1] * y + matrices[m + 2] * z;
      to[a + 1] += matrices[m + 1] * x + matrices[m + 3] * y + matrices[m + 4] * z;
      to[a + 2] += matrices[m + 2] * x + matrices[m + 4] * y + matrices[m + 5] * z;
      if (column < cells) couple(matrices, m + ACROSS, a, a + 3, from, to);
      if (row === cells) continue;
      couple(matrices, m + DOWN, a, a + 3 * size, from, to);
      if (column === cells) continue;
      if (splits[quad++] === 1) couple(matrices, m + DIAGONAL, a, a + 3 * size + 3, from, to);
      else couple(matrices, m + DIAGONAL, a + 3, a + 3 * size, from, to);
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

/**
 * Solves apply(x) = right by conjugate gradients from 0, scaled by `inverses`; `right` becomes the
 * rest. Ends once its square is at most `settled`.
 */
function solve(
  { apply, spread }: Equations,
  inverses: Float64Array,
  right: Float64Array,
  settled: number,
): Float64Array {
  const x = new Float64Array(right.length);
  const image = new Float64Array(right.length);
  const scaled = new Float64Array(right.length);
  const direction = new Float64Array(right.length);
  scale(inverses, right, scaled);
  let squares = dot(right, scaled);
  for (let step = 0; step < STEPS && squares > settled; step++) {
    if (step === 0) direction.set(scaled);
    spread(direction);
    apply(direction, image);
    const length = squares / dot(direction, image);
    if (!(length > 0 && length < Number.POSITIVE_INFINITY)) break;
    for (let i = 0; i < x.length; i++) {
      x[i] += length * direction[i];
      right[i] -= length * image[i];
    }
    scale(inverses, right, scaled);
    const next = dot(right, scaled);
    const turn = next / squares;
    squares = next;
    for (let i = 0; i < x.length; i++) direction[i] = scaled[i] + turn * direction[i];
  }
  return x;
}

function squaresOf(inverses: Float64Array, right: Float64Array): number {
  const scaled = new Float64Array(right.length);
  scale(inverses, right, scaled);
  return dot(right, scaled);
}

function scale(inverses: Float64Array, from: Float64Array, to: Float64Array): void {
  for (let m = 0, v = 0; v < from.length; v += 3, m += 6) {
    const x = from[v];
    const y = from[v + 1];
    const z = from[v + 2];
    to[v] = inverses[m] * x + inverses[m + 1] * y + inverses[m + 2] * z;
    to[v + 1] = inverses[m + 1] * x + inverses[m + 3] * y + inverses[m + 4] * z;
    to[v + 2] = inverses[m + 2] * x + inverses[m + 4] * y + inverses[m + 5] * z;
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
