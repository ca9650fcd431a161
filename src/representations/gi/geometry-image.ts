/** A geometry image in memory: its samples, its normals, its sphere tree, and where things lie in them. */
import type { SphereTree } from './sphere-tree.ts';

const SMALLEST_EXPONENT = 4;
const LARGEST_EXPONENT = 13;

/** Coordinate k of a sample q is `origin[k] + q * step`: two double operations. */
export interface Grid {
  origin: Float64Array;
  step: number;
}

export interface GeometryImage extends Grid {
  representation: 'gi';
  /** n: the image is 2^n + 1 samples square and its tree has levels 0 to n. */
  exponent: number;
  /** Three samples per vertex, rows from the top: vertex (row, column) at 3 * (row * size + column). */
  geometry: Uint16Array;
  /** Unit normals in the same layout, component = (q - 32768) / 32767; null where the file had none. */
  normals: Uint16Array | null;
  tree: SphereTree;
  header: GiHeader;
}

/** What a file says beside its pixels. */
export interface GiHeader {
  tool: string;
  source: { name: string; sha256: string } | null;
  units: string | null;
  /** The options that built it, as given or by default. */
  options: Record<string, string | number>;
}

export const sizeOf = (exponent: number): number => (1 << exponent) + 1;

/** The exponent of a side of 2^n + 1 samples, or -1 where the side is no such size. */
export function exponentOf(size: number): number {
  for (let n = SMALLEST_EXPONENT; n <= LARGEST_EXPONENT; n++) if (sizeOf(n) === size) return n;
  return -1;
}

/**
 * Whether quad (row, column) is cut from its corner (row, column) to (row + 1, column + 1): along its shorter diagonal,
 * measured on the integers, which are exact (at most 3 * 65535^2 < 2^34); ties go this way.
 */
export function cutsDown(geometry: Uint16Array, size: number, row: number, column: number): boolean {
  const a = 3 * (row * size + column);
  const b = a + 3;
  const c = a + 3 * size;
  const d = c + 3;
  const x = geometry[a] - geometry[d];
  const y = geometry[a + 1] - geometry[d + 1];
  const z = geometry[a + 2] - geometry[d + 2];
  const u = geometry[b] - geometry[c];
  const v = geometry[b + 1] - geometry[c + 1];
  const w = geometry[b + 2] - geometry[c + 2];
  return x * x + y * y + z * z <= u * u + v * v + w * w;
}

/**
 * The stored surface as a mesh: vertex (row, column) has number row * size + column, triangle number quad * 2 + half, and
 * half 0 holds the corner (row + 1, column). Outside is where the source's outside was.
 *
 * @example const { triangles } = toMesh(build(readObj(bytes), { size: 33 }));
 *          triangles.length // 6144: 2 triangles a quad, 32 x 32 quads
 */
export function toMesh(image: Pick<GeometryImage, 'exponent' | 'geometry' | 'origin' | 'step'>): {
  positions: Float64Array;
  triangles: Uint32Array;
} {
  const size = sizeOf(image.exponent);
  const { geometry, origin, step } = image;
  const positions = new Float64Array(geometry.length);
  for (let i = 0; i < geometry.length; i++) positions[i] = origin[i % 3] + geometry[i] * step;
  const quads = size - 1;
  const triangles = new Uint32Array(6 * quads * quads);
  let t = 0;
  for (let row = 0; row < quads; row++) {
    for (let column = 0; column < quads; column++) {
      const a = row * size + column;
      const b = a + 1;
      const c = a + size;
      const d = c + 1;
      if (cutsDown(geometry, size, row, column)) {
        triangles.set([a, d, c, a, b, d], t);
      } else {
        triangles.set([a, b, c, b, d, c], t);
      }
      t += 6;
    }
  }
  return { positions, triangles };
}

/**
 * How many triangles of the stored surface face away from the source's outside: those whose normal opposes the sum of the stored normals of their
 * corners. Where the source has features smaller than the samples' distance some may; null where no normals are stored.
 */
export function countReversed(image: GeometryImage): number | null {
  const { geometry, normals } = image;
  if (!normals) return null;
  const size = sizeOf(image.exponent);
  let reversed = 0;
  for (let row = 0; row < size - 1; row++) {
    for (let column = 0; column < size - 1; column++) {
      const a = 3 * (row * size + column);
      const b = a + 3;
      const c = a + 3 * size;
      const d = c + 3;
      if (cutsDown(geometry, size, row, column)) {
        if (isReversed(geometry, normals, a, d, c)) reversed++;
        if (isReversed(geometry, normals, a, b, d)) reversed++;
      } else {
        if (isReversed(geometry, normals, a, b, c)) reversed++;
        if (isReversed(geometry, normals, b, d, c)) reversed++;
      }
    }
  }
  return reversed;
}

/** Whether the normal of the triangle of the samples at a, b and c opposes the sum of theirs. */
function isReversed(q: Uint16Array, normals: Uint16Array, a: number, b: number, c: number): boolean {
  const ux = q[b] - q[a];
  const uy = q[b + 1] - q[a + 1];
  const uz = q[b + 2] - q[a + 2];
  const vx = q[c] - q[a];
  const vy = q[c + 1] - q[a + 1];
  const vz = q[c + 2] - q[a + 2];
  const nx = normals[a] + normals[b] + normals[c] - 3 * 32768;
  const ny = normals[a + 1] + normals[b + 1] + normals[c + 1] - 3 * 32768;
  const nz = normals[a + 2] + normals[b + 2] + normals[c + 2] - 3 * 32768;
  return (uy * vz - uz * vy) * nx + (uz * vx - ux * vz) * ny + (ux * vy - uy * vx) * nz < 0;
}
