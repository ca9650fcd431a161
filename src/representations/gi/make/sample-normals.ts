/**
 * Normals of samples: those of the corners of the source's triangles (corner-normals.ts),
 * interpolated. A sample on a seam gets one from each chart, of the triangle on that chart's side.
 */
import { cornerNormals } from '../../../mesh/corner-normals.ts';
import type { ManifoldMesh } from '../../../mesh/manifold.ts';
import { nextInTriangle as next } from '../../../mesh/topology.ts';
import { triangleDistanceSquared } from '../../../mesh/triangle-tree.ts';
import type { DiskChart } from './charts/arcs.ts';
import type { SurfaceSamples } from './resample.ts';

/** Positions and triangles of a surface, and the normals of its corners: see cornerNormals. */
export interface NormalSource extends Pick<ManifoldMesh, 'positions' | 'triangles'> {
  normals: Float32Array;
}

export const withNormals = ({ positions, triangles }: Pick<ManifoldMesh, 'positions' | 'triangles'>): NormalSource => ({
  positions,
  triangles,
  normals: cornerNormals(positions, triangles),
});

const weights = new Float64Array(3);

/** Unit normals at samples, x, y, z each. `source` maps their triangles to those of `from`. */
export function normalsOfSamples(
  from: NormalSource,
  source: ArrayLike<number>,
  { positions, triangle }: Pick<SurfaceSamples, 'positions' | 'triangle'>,
): Float64Array {
  const out = new Float64Array(positions.length);
  for (let g = 0; g < triangle.length; g++) {
    const t = source[triangle[g]];
    setWeights(from, t, positions, 3 * g);
    blend(from.normals, 9 * t, 9 * t + 3, 9 * t + 6, out, 3 * g);
  }
  return out;
}

/** A chart whose samples moved. `fine` has a whole number of intervals in each of its own. */
export interface MovedChart {
  size: number;
  fine: SurfaceSamples;
  folded: boolean;
  source: ArrayLike<number>;
  positions: Float64Array;
  /** Positions before, and normals of these. */
  before: Float64Array;
  normals: Float64Array;
}

/**
 * Sets the normals of moved samples: those of the nearest triangle of their chart, up to a quad
 * away. Samples that fold together have one normal.
 */
export function renewNormals(from: NormalSource, chart: MovedChart): void {
  const { size, fine, folded, source, positions, before, normals } = chart;
  const last = size - 1;
  const around = (fine.size - 1) / last;
  const seen = new Int32Array(source.length).fill(-1);
  const corners = new Float64Array(9);
  const isOuter = (g: number): boolean => g <= last || g >= size * last || g % size === 0 || g % size === last;
  for (let g = 0; g < size * size; g++) {
    const at = 3 * g;
    const [x, y, z] = [positions[at], positions[at + 1], positions[at + 2]];
    if (x === before[at] && y === before[at + 1] && z === before[at + 2]) continue;
    let least = Number.POSITIVE_INFINITY;
    let nearest = -1;
    const visit = (v: number): void => {
      const [row, column] = [Math.floor(v / size) * around, (v % size) * around];
      for (let r = Math.max(0, row - around); r <= Math.min(fine.size - 1, row + around); r++) {
        for (let c = Math.max(0, column - around); c <= Math.min(fine.size - 1, column + around); c++) {
          const t = fine.triangle[r * fine.size + c];
          if (seen[t] === g) continue;
          seen[t] = g;
          for (let k = 0; k < 9; k++)
            corners[k] = from.positions[3 * from.triangles[3 * source[t] + Math.floor(k / 3)] + (k % 3)];
          const distance = triangleDistanceSquared(corners, 0, x, y, z);
          if (distance > least || (distance === least && source[t] >= nearest)) continue;
          least = distance;
          nearest = source[t];
        }
      }
    };
    visit(g);
    if (folded && isOuter(g)) for (const v of foldedOnto(g, size)) visit(v);
    setWeights(from, nearest, positions, at);
    blend(from.normals, 9 * nearest, 9 * nearest + 3, 9 * nearest + 6, normals, at);
  }
}

/** The other samples that an outer one of a pillowcase is equal to. */
function foldedOnto(g: number, size: number): number[] {
  const last = size - 1;
  const [row, column] = [Math.floor(g / size), g % size];
  if (row % last === 0 && column % last === 0) return [0, last, last * size, last * size + last];
  return [row % last === 0 ? row * size + last - column : (last - row) * size + column];
}

/** Sets a chart's normals along the edge from boundary vertex `first`, at `part` of its length. */
export type BoundaryNormal = (first: number, part: number, out: Float64Array, at: number) => void;

export function boundaryNormals(
  { normals }: NormalSource,
  { triangles, corners, boundary }: DiskChart,
): BoundaryNormal {
  const count = boundary.length;
  const follows = new Int32Array(corners.length).fill(-1);
  boundary.forEach((v, i) => {
    follows[v] = boundary[(i + 1) % count];
  });
  const sideAt = new Int32Array(corners.length);
  for (let h = 0; h < corners.length; h++) if (follows[corners[h]] === corners[next(h)]) sideAt[corners[h]] = h;
  const cornerAt = (h: number): number => 9 * triangles[(h / 3) | 0] + 3 * (h % 3);
  return (first, part, out, at) => {
    const h = sideAt[boundary[first % count]];
    weights[0] = 1 - part;
    weights[1] = part;
    weights[2] = 0;
    blend(normals, cornerAt(h), cornerAt(next(h)), cornerAt(h), out, at);
  };
}

/** Sets a unit normal from three, by `weights`; the heaviest one if they cancel out. */
function blend(normals: Float32Array, a: number, b: number, c: number, out: Float64Array, at: number): void {
  for (let k = 0; k < 3; k++)
    out[at + k] = weights[0] * normals[a + k] + weights[1] * normals[b + k] + weights[2] * normals[c + k];
  const length = Math.sqrt(out[at] * out[at] + out[at + 1] * out[at + 1] + out[at + 2] * out[at + 2]);
  const heaviest = weights[0] >= weights[1] && weights[0] >= weights[2] ? a : weights[1] >= weights[2] ? b : c;
  for (let k = 0; k < 3; k++) out[at + k] = length > 0 ? out[at + k] / length : normals[heaviest + k];
}

/** The weights of a triangle's corners at a point of it; without an area, along a long side. */
function setWeights({ positions: p, triangles }: NormalSource, t: number, q: Float64Array, at: number): void {
  const [a, b, c] = [3 * triangles[3 * t], 3 * triangles[3 * t + 1], 3 * triangles[3 * t + 2]];
  const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
  const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
  const [dx, dy, dz] = [q[at] - p[a], q[at + 1] - p[a + 1], q[at + 2] - p[a + 2]];
  const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
  const square = x * x + y * y + z * z;
  let second = 0;
  let third = 0;
  if (square > 0) {
    second = (x * (dy * vz - dz * vy) + y * (dz * vx - dx * vz) + z * (dx * vy - dy * vx)) / square;
    third = (x * (uy * dz - uz * dy) + y * (uz * dx - ux * dz) + z * (ux * dy - uy * dx)) / square;
  } else {
    const uu = ux * ux + uy * uy + uz * uz;
    const vv = vx * vx + vy * vy + vz * vz;
    if (uu >= vv && uu > 0) second = (ux * dx + uy * dy + uz * dz) / uu;
    else if (vv > 0) third = (vx * dx + vy * dy + vz * dz) / vv;
  }
  second = Math.min(1, Math.max(0, second));
  third = Math.min(1 - second, Math.max(0, third));
  weights[0] = 1 - second - third;
  weights[1] = second;
  weights[2] = third;
}
