/**
 * Moves the samples of a geometry image so that its triangles come closest to the source, in least squares, instead of passing through it.
 *
 * Interpolating samples lie on the surface, and a convex surface lies outside of all of its chords: the error has one sign. Here the samples
 * minimise the integral over the source of |x(u) - s(u)|^2, s the source's point and x that of the image's triangle at the same place of
 * the square (H. Hoppe, T. DeRose, T. Duchamp, J. McDonald, W. Stuetzle, "Mesh Optimization", SIGGRAPH 1993, of a fixed parametrisation).
 *
 * The integral is a sum over a grid finer than the image, by the trapezoid rule, weighted with the source's area. A cell's points touch its four corners
 * alone, so that a cell is a symmetric 4 x 4 matrix and four right-hand sides, made once; the normal equations are solved by conjugate gradients
 * (M. Hestenes, E. Stiefel, 1952), from the interpolating samples on. Samples that the folds of the pillowcase make one are one unknown, so seams stay
 * equal to the bit. Where the source has almost no area a sample is held by a small weight to where it was.
 */
import type { SurfaceSamples } from './resample.ts';

/** Conjugate gradients' steps: the rms error has settled to a hundredth of a decibel well before. */
const STEPS = 40;
/** How strongly a sample is held to its place, in parts of the mean weight. */
const HOLD = 1e-3;

/** Numbers of a cell's symmetric matrix over its corners (r, c), (r, c + 1), (r + 1, c), (r + 1, c + 1). */
const MATRIX = 10;
/** Where the entry of corners i and j is. */
const ENTRY = [0, 1, 2, 3, 1, 4, 5, 6, 2, 5, 7, 8, 3, 6, 8, 9];

/**
 * Fits the samples of an image to the source.
 *
 * @param coarse samples of the image, (2^n + 1)^2; its positions are changed
 * @param fine samples of the same embedding, at 2^m times as many intervals along a side, m >= 1
 * @param splits for each quad, row by row, 1 where it is split along (r, c)-(r + 1, c + 1), 0 along the other diagonal
 * @example fitSamples(coarse, resample(positions, triangles, normals, embedding, 4 * 256 + 1), splits);
 */
export function fitSamples(coarse: SurfaceSamples, fine: SurfaceSamples, splits: Uint8Array): void {
  const cells = coarse.size - 1;
  const owner = ownersOf(coarse.size);
  const matrices = new Float64Array(MATRIX * cells * cells);
  const unknowns = 3 * coarse.size * coarse.size;
  const right = new Float64Array(unknowns);
  const hold = gather(coarse, fine, splits, owner, matrices, right);
  const x = coarse.positions;
  const apply = (from: Float64Array, to: Float64Array): void => multiply(matrices, owner, cells, hold, from, to);
  for (let g = 0; g < owner.length; g++) {
    // What holds a sample pulls it to where it is.
    if (owner[g] === g) for (let k = 0; k < 3; k++) right[3 * g + k] += hold * x[3 * g + k];
  }
  solve(apply, x, right);
  for (let g = 0; g < owner.length; g++) {
    for (let k = 0; k < 3; k++) x[3 * g + k] = x[3 * owner[g] + k];
  }
}

/** The first of the samples that the folds make one: sides are folded about their middles, and all four corners meet. */
export function ownersOf(size: number): Int32Array {
  const last = size - 1;
  const owner = Int32Array.from({ length: size * size }, (_, g) => g);
  for (let j = 0; j <= last; j++) {
    const near = Math.min(j, last - j);
    for (const [at, first] of [
      [j, near],
      [last * size + j, last * size + near],
      [j * size, near * size],
      [j * size + last, near * size + last],
    ]) {
      owner[at] = first;
    }
  }
  for (const corner of [0, last, last * size, last * size + last]) owner[corner] = 0;
  return owner;
}

/** Sums up the cells' matrices and the right-hand sides; returns the weight that holds a sample to its place. */
function gather(
  coarse: SurfaceSamples,
  fine: SurfaceSamples,
  splits: Uint8Array,
  owner: Int32Array,
  matrices: Float64Array,
  right: Float64Array,
): number {
  const cells = coarse.size - 1;
  const parts = (fine.size - 1) / cells;
  const weights = new Float64Array(4);
  const corners = new Int32Array(4);
  let total = 0;
  for (let row = 0; row < cells; row++) {
    for (let column = 0; column < cells; column++) {
      const cell = row * cells + column;
      const g = row * coarse.size + column;
      corners[0] = owner[g];
      corners[1] = owner[g + 1];
      corners[2] = owner[g + coarse.size];
      corners[3] = owner[g + coarse.size + 1];
      const at = MATRIX * cell;
      for (let i = 0; i <= parts; i++) {
        for (let j = 0; j <= parts; j++) {
          setWeights(splits[cell], i / parts, j / parts, weights);
          const ends = (i % parts === 0 ? 0.5 : 1) * (j % parts === 0 ? 0.5 : 1);
          const f = (row * parts + i) * fine.size + column * parts + j;
          const area = ends * areaAt(fine, row * parts + i, column * parts + j);
          total += area;
          for (let a = 0; a < 4; a++) {
            if (weights[a] === 0) continue;
            const weighed = area * weights[a];
            for (let b = a; b < 4; b++) matrices[at + ENTRY[4 * a + b]] += weighed * weights[b];
            for (let k = 0; k < 3; k++) right[3 * corners[a] + k] += weighed * fine.positions[3 * f + k];
          }
        }
      }
    }
  }
  return (HOLD * total) / (cells * cells);
}

/** Weights of a cell's corners at a point of it, `down` and `across` from 0 to 1: those of the triangle that it lies in. */
function setWeights(isMain: number, down: number, across: number, out: Float64Array): void {
  if (isMain) {
    out[0] = 1 - Math.max(down, across);
    out[1] = Math.max(0, across - down);
    out[2] = Math.max(0, down - across);
    out[3] = Math.min(down, across);
    return;
  }
  const past = Math.max(0, down + across - 1);
  out[0] = Math.max(0, 1 - down - across);
  out[1] = across - past;
  out[2] = down - past;
  out[3] = past;
}

/** The source's area for a point of the fine grid: of the parallelogram of central differences, one-sided at the border. */
function areaAt({ positions: p, size }: SurfaceSamples, row: number, column: number): number {
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
  const x = ay * bz - az * by;
  const y = az * bx - ax * bz;
  const z = ax * by - ay * bx;
  const steps = (row > 0 && row < last ? 2 : 1) * (column > 0 && column < last ? 2 : 1);
  return Math.sqrt(x * x + y * y + z * z) / steps;
}

/** to = the normal matrix times from, of samples that own themselves; the others are 0. */
function multiply(
  matrices: Float64Array,
  owner: Int32Array,
  cells: number,
  hold: number,
  from: Float64Array,
  to: Float64Array,
): void {
  const size = cells + 1;
  for (let g = 0; g < owner.length; g++) {
    const weight = owner[g] === g ? hold : 0;
    for (let k = 3 * g; k < 3 * g + 3; k++) to[k] = weight * from[k];
  }
  for (let row = 0, at = 0; row < cells; row++) {
    for (let column = 0; column < cells; column++, at += MATRIX) {
      const g = row * size + column;
      const a = 3 * owner[g];
      const b = 3 * owner[g + 1];
      const c = 3 * owner[g + size];
      const d = 3 * owner[g + size + 1];
      const m = matrices;
      for (let k = 0; k < 3; k++) {
        const x = from[a + k];
        const y = from[b + k];
        const z = from[c + k];
        const w = from[d + k];
        to[a + k] += m[at] * x + m[at + 1] * y + m[at + 2] * z + m[at + 3] * w;
        to[b + k] += m[at + 1] * x + m[at + 4] * y + m[at + 5] * z + m[at + 6] * w;
        to[c + k] += m[at + 2] * x + m[at + 5] * y + m[at + 7] * z + m[at + 8] * w;
        to[d + k] += m[at + 3] * x + m[at + 6] * y + m[at + 8] * z + m[at + 9] * w;
      }
    }
  }
}

/** Conjugate gradients from x on, which receives the solution. */
function solve(apply: (from: Float64Array, to: Float64Array) => void, x: Float64Array, right: Float64Array): void {
  const image = new Float64Array(x.length);
  apply(x, image);
  const residual = right.map((b, i) => b - image[i]);
  const direction = residual.slice();
  let squares = dot(residual, residual);
  for (let step = 0; step < STEPS && squares > 0; step++) {
    apply(direction, image);
    const length = squares / dot(direction, image);
    if (!(length > 0 && length < Number.POSITIVE_INFINITY)) return;
    for (let i = 0; i < x.length; i++) {
      x[i] += length * direction[i];
      residual[i] -= length * image[i];
    }
    const next = dot(residual, residual);
    const turn = next / squares;
    squares = next;
    for (let i = 0; i < x.length; i++) direction[i] = residual[i] + turn * direction[i];
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
