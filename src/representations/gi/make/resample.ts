/**
 * Samples an embedded surface at the (2^n + 1)^2 grid points of the pillowcase's square.
 *
 * Every image of every triangle under the group p2 that meets the square is rasterized. Grid points
 * are dyadic and corners are snapped (distortion.ts), so differences in the edge functions are
 * exact. An edge function seen from the two triangles of an edge, or from two charts, differs in
 * sign alone. So no grid point falls between two triangles. A boundary sample and its copy across
 * the fold come from the same triangle with the same weights: equal to the bit. If several
 * triangles hold a point, the first in file order gives it.
 */
import type { Embedding } from './parameterize/embed.ts';

export interface SurfaceSamples {
  size: number;
  /** Sample (row, column) at 3 * (row * size + column); row 0 is y = -1, column 0 is x = -1. */
  positions: Float64Array;
  /** The triangle that each sample lies in. */
  triangle: Int32Array;
}

/** The embedding is in the pillowcase or, unless it is `folded`, fills the square. */
export function resample(
  positions: Float64Array,
  triangles: ArrayLike<number>,
  { corners, folded = true }: Pick<Embedding, 'corners'> & { folded?: boolean },
  size: number,
): SurfaceSamples {
  const out: SurfaceSamples = {
    size,
    positions: new Float64Array(3 * size * size),
    triangle: new Int32Array(size * size).fill(-1),
  };
  const intervals = size - 1;
  const images = createSquareImages();
  for (let t = 0; t < triangles.length / 3; t++) {
    if (folded) {
      findSquareImages(corners, 6 * t, images);
    } else {
      images.count = 1;
      for (let k = 0; k < 6; k++) images.corners[k] = corners[6 * t + k];
    }
    for (let k = 0; k < images.count; k++) {
      rasterise(images.corners, 6 * k, t, intervals, positions, triangles, out);
    }
  }
  const missed = out.triangle.indexOf(-1);
  if (missed >= 0) throw new Error(`grid point ${missed} lies in no triangle`);
  return out;
}

/** Boxes this wide first get a row's own columns. */
const WIDE = 8;
const span = new Int32Array(2);

/** Finds a row's columns in a triangle, with one more per side, far more than the rounding. */
function findSpan(images: Float64Array, at: number, y: number, half: number, left: number, right: number): void {
  span[0] = left;
  span[1] = right;
  if (right - left < WIDE) return;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < 6; k += 2) {
    const next = k === 4 ? 0 : k + 2;
    const px = images[at + k];
    const py = images[at + k + 1];
    const qx = images[at + next];
    const qy = images[at + next + 1];
    if ((py < y && qy < y) || (py > y && qy > y)) continue;
    const from = py === qy ? px : px + ((y - py) / (qy - py)) * (qx - px);
    const to = py === qy ? qx : from;
    low = Math.min(low, from, to);
    high = Math.max(high, from, to);
  }
  span[0] = Math.max(left, Math.ceil((low + 1) * half) - 1);
  span[1] = Math.min(right, Math.floor((high + 1) * half) + 1);
}

function rasterise(
  images: Float64Array,
  at: number,
  t: number,
  intervals: number,
  positions: Float64Array,
  triangles: ArrayLike<number>,
  out: SurfaceSamples,
): void {
  const ax = images[at];
  const ay = images[at + 1];
  const bx = images[at + 2];
  const by = images[at + 3];
  const cx = images[at + 4];
  const cy = images[at + 5];
  const half = intervals / 2;
  const left = Math.max(0, Math.ceil((Math.min(ax, bx, cx) + 1) * half));
  const right = Math.min(intervals, Math.floor((Math.max(ax, bx, cx) + 1) * half));
  const top = Math.max(0, Math.ceil((Math.min(ay, by, cy) + 1) * half));
  const bottom = Math.min(intervals, Math.floor((Math.max(ay, by, cy) + 1) * half));
  const a = 3 * triangles[3 * t];
  const b = 3 * triangles[3 * t + 1];
  const c = 3 * triangles[3 * t + 2];
  const { size, positions: to, triangle } = out;
  for (let row = top; row <= bottom; row++) {
    const y = row / half - 1;
    const fromA = ay - y;
    const fromB = by - y;
    const fromC = cy - y;
    findSpan(images, at, y, half, left, right);
    const last = row * size + span[1];
    for (let g = row * size + span[0]; g <= last; g++) {
      if (triangle[g] >= 0) continue;
      const x = (g - row * size) / half - 1;
      const ea = (bx - x) * fromC - fromB * (cx - x);
      const eb = (cx - x) * fromA - fromC * (ax - x);
      const ec = (ax - x) * fromB - fromA * (bx - x);
      if (ea < 0 || eb < 0 || ec < 0) continue;
      // From the nearest corner: corners, and planes x = constant, are exact to the bit.
      let base = a;
      let second = b;
      let third = c;
      let v = eb;
      let w = ec;
      if (eb > ea && eb >= ec) {
        base = b;
        second = c;
        third = a;
        v = ec;
        w = ea;
      } else if (ec > ea) {
        base = c;
        second = a;
        third = b;
        v = ea;
        w = eb;
      }
      const sum = ea + eb + ec;
      v /= sum;
      w /= sum;
      triangle[g] = t;
      for (let k = 0; k < 3; k++) {
        const p = positions[base + k];
        to[3 * g + k] = p + v * (positions[second + k] - p) + w * (positions[third + k] - p);
      }
    }
  }
}

/** Image k of a triangle: x, y of its three corners at 6k. Grows if needed. */
export interface SquareImages {
  count: number;
  corners: Float64Array;
}

export const createSquareImages = (): SquareImages => ({ count: 0, corners: new Float64Array(6 * 16) });

/**
 * Finds every image of a triangle whose box meets [-1,1]^2, with i + j of the parity of the sign:
 *   p -> sign p + 2 (i, j)
 * Corners, six numbers at `at`, are multiples of 2^-46 below 32 in size (distortion.ts), so images
 * are exact and keep their orientation. Even elements come first.
 */
export function findSquareImages(corners: Float64Array, at: number, out: SquareImages): void {
  const lowX = Math.min(corners[at], corners[at + 2], corners[at + 4]);
  const highX = Math.max(corners[at], corners[at + 2], corners[at + 4]);
  const lowY = Math.min(corners[at + 1], corners[at + 3], corners[at + 5]);
  const highY = Math.max(corners[at + 1], corners[at + 3], corners[at + 5]);
  out.count = 0;
  for (let sign = 1; sign >= -1; sign -= 2) {
    const iLow = Math.ceil((-1 - (sign > 0 ? highX : -lowX)) / 2);
    const iHigh = Math.floor((1 - (sign > 0 ? lowX : -highX)) / 2);
    const jLow = Math.ceil((-1 - (sign > 0 ? highY : -lowY)) / 2);
    const jHigh = Math.floor((1 - (sign > 0 ? lowY : -highY)) / 2);
    for (let i = iLow; i <= iHigh; i++) {
      for (let j = jLow; j <= jHigh; j++) {
        if (((i + j) & 1) !== (sign > 0 ? 0 : 1)) continue;
        const to = 6 * out.count++;
        if (to === out.corners.length) {
          const grown = new Float64Array(2 * to);
          grown.set(out.corners);
          out.corners = grown;
        }
        for (let k = 0; k < 6; k += 2) {
          out.corners[to + k] = sign * corners[at + k] + 2 * i;
          out.corners[to + k + 1] = sign * corners[at + k + 1] + 2 * j;
        }
      }
    }
  }
}

/*
 * Evaluates an embedded surface at any place of its square, near chosen quads. Triangles are listed
 * by quad, so a place looks at the few that meet its own quad.
 */

interface Embedded extends Pick<Embedding, 'corners'> {
  positions: Float64Array;
  triangles: ArrayLike<number>;
  folded: boolean;
}

export interface SurfaceAt {
  /**
   * Writes x, y, z of a place to `out` at `to`. Rows and columns are in quads, multiples of 2^-20.
   * False if the place is in no chosen quad.
   */
  at(row: number, column: number, out: Float64Array, to: number): boolean;
  /** Triangles looked at so far. */
  readonly looked: number;
}

/** `isChosen` has a number other than 0 for each chosen quad, row by row. */
export function surfaceAt(source: Embedded, quads: number, isChosen: Uint8Array): SurfaceAt {
  const half = quads / 2;
  const { before, chosen } = chosenBefore(isChosen);
  const images = createSquareImages();
  const corners: number[] = [];
  const triangle: number[] = [];
  const cells: number[] = [];
  const members: number[] = [];
  const last = quads - 1;
  const quadOf = (x: number): number => Math.max(0, Math.min(last, Math.floor((x + 1) * half)));
  for (let t = 0; t < source.triangles.length / 3; t++) {
    if (source.folded) findSquareImages(source.corners, 6 * t, images);
    else {
      images.count = 1;
      for (let k = 0; k < 6; k++) images.corners[k] = source.corners[6 * t + k];
    }
    for (let i = 0; i < images.count; i++) {
      const [ax, ay, bx, by, cx, cy] = images.corners.subarray(6 * i, 6 * i + 6);
      const left = quadOf(Math.min(ax, bx, cx));
      const right = quadOf(Math.max(ax, bx, cx));
      const bottom = quadOf(Math.max(ay, by, cy));
      let isKept = false;
      for (let row = quadOf(Math.min(ay, by, cy)); row <= bottom; row++) {
        const end = before[row * quads + right + 1];
        for (let k = before[row * quads + left]; k < end; k++) {
          if (!isKept) corners.push(ax, ay, bx, by, cx, cy);
          if (!isKept) triangle.push(t);
          isKept = true;
          cells.push(chosen[k]);
          members.push(triangle.length - 1);
        }
      }
    }
  }
  const { first, items } = listed(cells, members, quads * quads);
  const { positions, triangles } = source;
  let looked = 0;
  return {
    get looked() {
      return looked;
    },
    at(row, column, out, to) {
      const cell = Math.min(last, Math.floor(row)) * quads + Math.min(last, Math.floor(column));
      const x = column / half - 1;
      const y = row / half - 1;
      for (let k = first[cell]; k < first[cell + 1]; k++) {
        looked++;
        const o = 6 * items[k];
        const [ax, ay, bx, by, cx, cy] = [
          corners[o] - x,
          corners[o + 1] - y,
          corners[o + 2] - x,
          corners[o + 3] - y,
          corners[o + 4] - x,
          corners[o + 5] - y,
        ];
        const ea = bx * cy - by * cx;
        const eb = cx * ay - cy * ax;
        const ec = ax * by - ay * bx;
        if (ea < 0 || eb < 0 || ec < 0) continue;
        const t = 3 * triangle[items[k]];
        let [base, second, third, v, w] = [0, 1, 2, eb, ec];
        if (eb > ea && eb >= ec) [base, second, third, v, w] = [1, 2, 0, ec, ea];
        else if (ec > ea) [base, second, third, v, w] = [2, 0, 1, ea, eb];
        const sum = ea + eb + ec;
        v /= sum;
        w /= sum;
        base = 3 * triangles[t + base];
        second = 3 * triangles[t + second];
        third = 3 * triangles[t + third];
        for (let axis = 0; axis < 3; axis++) {
          const p = positions[base + axis];
          out[to + axis] = p + v * (positions[second + axis] - p) + w * (positions[third + axis] - p);
        }
        return true;
      }
      return false;
    },
  };
}

/** How many chosen quads come before each quad, and their numbers. */
function chosenBefore(isChosen: Uint8Array) {
  const before = new Int32Array(isChosen.length + 1);
  const chosen: number[] = [];
  for (let quad = 0; quad < isChosen.length; quad++) {
    if (isChosen[quad] !== 0) chosen.push(quad);
    before[quad + 1] = chosen.length;
  }
  return { before, chosen };
}

/** Members of each cell, in their order: items[first[cell]] to items[first[cell + 1] - 1]. */
function listed(cells: readonly number[], members: readonly number[], count: number) {
  const first = new Int32Array(count + 1);
  for (const cell of cells) first[cell + 1]++;
  for (let cell = 0; cell < count; cell++) first[cell + 1] += first[cell];
  const next = first.slice();
  const items = new Int32Array(members.length);
  for (let i = 0; i < members.length; i++) items[next[cells[i]]++] = members[i];
  return { first, items };
}
