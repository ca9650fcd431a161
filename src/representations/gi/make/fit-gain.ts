/**
 * Decides whether a fit has gained enough decibels, if possible without a search for nearest points
 * of the image, which takes as long as the fit.
 *
 * Decibels are measured on the larger of two root mean square distances: from image to source,
 * and from source to image. The first is measured on the source's own tree, which is small. A
 * source's point is at most as far from the image as from the triangles about its place in the
 * square. So for each image there is a lower and an upper bound of the decibels. These
 * decide unless they are near the limit. There both images are measured as in `build`.
 */
import { MeshError } from '../../../base/errors.ts';
import { measureRms } from '../../../mesh/deviation.ts';
import type { Mesh } from '../../../mesh/mesh.ts';
import { TriangleTree, triangleDistanceSquared } from '../../../mesh/triangle-tree.ts';
import { toMesh } from '../tree/geometry-image.ts';
import type { FittedChart } from './fit.ts';
import { decibelsOf, MEASURED_SAMPLES, type Samples, stored } from './quantise.ts';

/** Bounds of this many decibels from the limit decide: more than the samples are off. */
const MARGIN = 0.5;
const BOUND_SAMPLES = MEASURED_SAMPLES / 4;

export interface FitState {
  samples: readonly Samples[];
  fitted: readonly FittedChart[];
}

/** True if `after` is at least `least` decibels nearer to the mesh than `before`. */
export function gains(mesh: Mesh, before: FitState, after: FitState, least: number): boolean {
  const tree = new TriangleTree(mesh);
  const [low, high] = [least - MARGIN, least + MARGIN].map((decibels) => 10 ** (decibels / 20));
  const first = boundsOf(before, tree);
  const then = boundsOf(after, tree);
  if (first.least > 0 && first.least >= high * then.most) return true;
  if (first.most < low * then.least) return false;
  return decibelsOf(mesh, after.samples) - decibelsOf(mesh, before.samples) >= least;
}

/** Bounds of the larger root mean square distance; trivial for an image without area. */
function boundsOf({ samples, fitted }: FitState, tree: TriangleTree): { least: number; most: number } {
  try {
    const excess = measureRms(toMesh(stored(samples)), tree, BOUND_SAMPLES);
    return { least: excess, most: Math.max(excess, missingAtPlaces(fitted)) };
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    return { least: 0, most: Number.POSITIVE_INFINITY };
  }
}

/** Root mean square distance from points of the source to the quads about their places. */
function missingAtPlaces(charts: readonly FittedChart[]): number {
  const quads = charts.reduce((sum, { fine, size }) => sum + (fine ? (size - 1) ** 2 : 0), 0);
  // Odd, so that strides visit all columns.
  const stride = Math.floor(quads / BOUND_SAMPLES) | 1;
  let squares = 0;
  let area = 0;
  let count = 0;
  let next = 0;
  for (const { size, positions, fine } of charts) {
    if (!fine) continue;
    const cells = size - 1;
    const parts = (fine.size - 1) / cells;
    for (; next < cells * cells; next += stride) {
      const row = Math.floor(next / cells);
      const column = next % cells;
      const most = Math.min(parts * parts, Math.ceil(BOUND_SAMPLES / quads));
      for (let k = 0; k < most; k++) {
        const point = (7 * count++) % (parts * parts);
        const v = (row * parts + Math.floor(point / parts)) * fine.size + column * parts + (point % parts);
        const weight = parts * parts * areaAt(fine.positions, fine.size, v);
        squares +=
          weight * squaredDistanceAbout(positions, size, row, column, fine.positions.subarray(3 * v, 3 * v + 3));
        area += weight;
      }
    }
    next -= cells * cells;
  }
  return area > 0 ? Math.sqrt(squares / area) : 0;
}

/** From a quad and its eight neighbors: a fit moves samples along the surface. */
function squaredDistanceAbout(p: Float64Array, size: number, row: number, column: number, to: Float64Array): number {
  let least = Number.POSITIVE_INFINITY;
  for (let r = Math.max(0, row - 1); r <= Math.min(size - 2, row + 1); r++) {
    for (let c = Math.max(0, column - 1); c <= Math.min(size - 2, column + 1); c++) {
      setTriangles(p, size, r * size + c);
      for (let at = 0; at <= 9; at += 9) {
        least = Math.min(least, triangleDistanceSquared(corners, at, to[0], to[1], to[2]));
      }
    }
  }
  return least;
}

const corners = new Float64Array(18);

/** Sets the triangles of a quad by its first sample. */
function setTriangles(p: Float64Array, size: number, g: number): void {
  const [a, b, c, d] = [3 * g, 3 * (g + 1), 3 * (g + size), 3 * (g + size + 1)];
  const isMain = squaredDistance(p, a, d) <= squaredDistance(p, b, c);
  const vertices = isMain ? [a, d, c, a, b, d] : [a, b, c, b, d, c];
  for (let i = 0; i < 18; i++) corners[i] = p[vertices[Math.floor(i / 3)] + (i % 3)];
}

function squaredDistance(p: Float64Array, a: number, b: number): number {
  const x = p[a] - p[b];
  const y = p[a + 1] - p[b + 1];
  const z = p[a + 2] - p[b + 2];
  return x * x + y * y + z * z;
}

/** Area of the cell below and right of a fine point. */
function areaAt(p: Float64Array, size: number, v: number): number {
  const [a, b, c] = [3 * v, 3 * (v + 1), 3 * (v + size)];
  const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
  const [wx, wy, wz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
  const [x, y, z] = [uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx];
  return Math.sqrt(x * x + y * y + z * z);
}
