/**
 * A geometry image in memory: charts (squares of samples), each with normals and a sphere tree.
 *
 * A closed surface of genus 0 is one chart with folded sides. Any other is an atlas of several (P.
 * Sander, Z. Wood, S. Gortler, J. Snyder, H. Hoppe, "Multi-Chart Geometry Images", SGP 2003).
 * Charts of one size are consecutive in one array, so that a hundred thousand loose triangles are
 * three arrays instead of as many objects.
 */

import { requireThat } from '../../../base/require.ts';
import type { Tolerance } from '../../../engine/records.ts';
import { buildChartTree, type ChartTree } from './chart-tree.ts';
import type { StoredSize } from './grid.ts';
import { type Grid, type SphereTree, sizeOf, treePixels } from './grid.ts';

/** For an image of one square; charts of an atlas may be smaller. */
const SMALLEST_EXPONENT = 4;
export const LARGEST_EXPONENT = 13;

export interface Chart extends Grid {
  /** n: the chart has 2^n + 1 samples per side, and its tree has levels 0 to n. */
  exponent: number;
  /** Three numbers per vertex, rows from the top: (row, column) at 3 * (row * size + column). */
  geometry: Uint16Array;
  /** Unit normals in the same layout, (q - 32768) / 32767; null if the file had none. */
  normals: Uint16Array | null;
  tree: SphereTree;
}

/** Charts of one size: consecutive samples, normals and trees, each as in a chart. */
export interface ChartGroup {
  exponent: number;
  count: number;
  geometry: Uint16Array;
  normals: Uint16Array | null;
  /** `page` holds the charts' trees consecutively; `radiusSteps` is common to all. */
  tree: SphereTree;
  /** The source's distance from each node's content, in the trees' layout; null if unknown. */
  deviation: Deviation | null;
}

/** A bound per node: its value times `step`, model units. */
export interface Deviation {
  page: Uint16Array;
  step: number;
}

/** The source's triangles as in the file, even degenerate ones, listed for each quad. */
export interface EmbeddedSource {
  /** x, y, z per vertex, model units. */
  positions: Float64Array;
  /** Three vertices each. */
  triangles: Uint32Array;
  /** Triangles of quad k: items[offsets[k]] to items[offsets[k + 1] - 1]. */
  offsets: Uint32Array;
  items: Uint32Array;
}

/** A group with the image's numbers of its first chart, quad and node. */
export interface PlacedGroup extends ChartGroup {
  firstChart: number;
  firstQuad: number;
  firstNode: number;
}

/** A geometry image, as `build` makes it with format `gi`, and `read` reads it. */
export interface GeometryImage extends Grid {
  representation: 'gi';
  /** Largest charts first. */
  groups: PlacedGroup[];
  charts: number;
  quads: number;
  /** Spheres over the charts, made with the image. */
  roots: ChartTree;
  /** Bounds on the distance from source to surface and from surface to source; null if unknown. */
  tolerance: Tolerance;
  source: EmbeddedSource | null;
  /** For one padded chart, its size without padding; its other quads hold nothing. */
  stored: StoredSize | null;
  header: GiHeader;
}

/** Data of a file beside its pixels. */
export interface GiHeader {
  tool: string;
  source: { name: string; sha256: string } | null;
  units: string | null;
  /** The build options, as given or by default. */
  options: Record<string, string | number>;
}

export function exponentOf(size: number): number {
  for (let n = SMALLEST_EXPONENT; n <= LARGEST_EXPONENT; n++) if (sizeOf(n) === size) return n;
  return -1;
}

export function assembleImage(
  grid: Grid,
  groups: readonly ChartGroup[],
  header: GiHeader,
  known: { tolerance?: Tolerance; source?: EmbeddedSource | null; stored?: StoredSize | null } = {},
): GeometryImage {
  let [firstChart, firstQuad, firstNode] = [0, 0, 0];
  const placed = groups.map((group): PlacedGroup => {
    const at = { ...group, firstChart, firstQuad, firstNode };
    firstChart += group.count;
    firstQuad += group.count << (2 * group.exponent);
    firstNode += group.count * treePixels(group.exponent);
    return at;
  });
  const { origin, step } = grid;
  const roots = buildChartTree(placed, grid, firstNode);
  const { tolerance = null, source = null, stored = null } = known;
  return {
    representation: 'gi',
    origin,
    step,
    groups: placed,
    charts: firstChart,
    quads: firstQuad,
    roots,
    tolerance,
    source,
    stored,
    header,
  };
}

/** The group that chart `index` is in. */
export function groupOf<G extends { firstChart: number }>({ groups }: { groups: readonly G[] }, chart: number): G {
  let g = groups.length - 1;
  while (groups[g].firstChart > chart) g--;
  return groups[g];
}

export function groupOfQuad({ groups }: GeometryImage, quad: number): PlacedGroup {
  let g = groups.length - 1;
  while (groups[g].firstQuad > quad) g--;
  return groups[g];
}

export function chartOf(image: GeometryImage, index: number): Chart {
  const group = groupOf(image, index);
  const { exponent, geometry, normals, tree } = group;
  const slot = index - group.firstChart;
  const samples = 3 * sizeOf(exponent) * sizeOf(exponent);
  const values = 4 * treePixels(exponent);
  const of = (array: Uint16Array, length: number): Uint16Array =>
    group.count === 1 ? array : array.subarray(slot * length, (slot + 1) * length);
  return {
    origin: image.origin,
    step: image.step,
    exponent,
    geometry: of(geometry, samples),
    normals: normals && of(normals, samples),
    tree: {
      page: of(tree.page, values),
      radiusSteps: tree.radiusSteps,
      ...(tree.slabs && { slabs: of(tree.slabs, values) }),
    },
  };
}

export function* chartsOf(image: GeometryImage): Generator<Chart> {
  for (let index = 0; index < image.charts; index++) yield chartOf(image, index);
}

/**
 * True if quad (row, column) is cut from (row, column) to (row + 1, column + 1): if that diagonal
 * is shorter or equal. Exact on integers: at most 3 * 65535^2 < 2^34.
 */
export function cutsDown(geometry: Uint16Array, size: number, row: number, column: number): boolean {
  return cutsDownAt(geometry, size, row * size + column);
}

/** The same for the quad whose corner (row, column) is number `vertex`. */
export function cutsDownAt(geometry: Uint16Array, size: number, vertex: number): boolean {
  const a = 3 * vertex;
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
 * The stored surface as a mesh. Vertex (row, column) of a chart has number row * size + column,
 * after the vertices of earlier charts. A triangle has number quad * 2 + half; half 0 holds the
 * corner (row + 1, column). Closed components face outward, and cavities inward.
 *
 * @example const { triangles } = toMesh(build(readObj(bytes), { size: 33 }));
 *          triangles.length // 6144: 2 triangles a quad, 32 x 32 quads
 */
export function toMesh(
  image: Pick<GeometryImage, 'quads' | 'origin' | 'step'> & {
    groups: readonly Pick<ChartGroup, 'exponent' | 'count' | 'geometry'>[];
  },
): {
  positions: Float64Array;
  triangles: Uint32Array;
} {
  requireThat(Array.isArray((image as GeometryImage | null)?.groups), 'image', 'a geometry image', image);
  const { origin, step, groups } = image;
  const positions = new Float64Array(groups.reduce((sum, { geometry }) => sum + geometry.length, 0));
  const triangles = new Uint32Array(6 * image.quads);
  let coordinate = 0;
  let corner = 0;
  for (const { exponent, count, geometry } of groups) {
    const samples = 3 * sizeOf(exponent) * sizeOf(exponent);
    for (let slot = 0; slot < count; slot++) {
      const own = count === 1 ? geometry : geometry.subarray(slot * samples, (slot + 1) * samples);
      corner = writeTriangles(
        { geometry: own, exponent, first: coordinate / 3 },
        { from: 0, to: 1 << exponent },
        triangles,
        corner,
      );
      for (let i = 0; i < samples; i++) positions[coordinate++] = origin[i % 3] + own[i] * step;
    }
  }
  return { positions, triangles };
}

/** Writes triangles of some rows of a chart with vertices from `first`. Returns the next offset. */
export function writeTriangles(
  { geometry, exponent, first }: { geometry: Uint16Array; exponent: number; first: number },
  rows: { from: number; to: number },
  triangles: Uint32Array,
  at: number,
): number {
  const size = sizeOf(exponent);
  let t = at;
  for (let row = rows.from; row < rows.to; row++) {
    for (let column = 0; column < size - 1; column++) {
      const a = first + row * size + column;
      const down = cutsDown(geometry, size, row, column);
      triangles[t] = a;
      triangles[t + 1] = down ? a + size + 1 : a + 1;
      triangles[t + 2] = a + size;
      triangles[t + 3] = down ? a : a + 1;
      triangles[t + 4] = down ? a + 1 : a + size + 1;
      triangles[t + 5] = down ? a + size + 1 : a + size;
      t += 6;
    }
  }
  return t;
}

/**
 * Counts triangles that face away from the source; null without normals. Features smaller than the
 * sample distance can cause some.
 *
 * Stored normals are those of the source's faces that the samples are on. A triangle counts if its
 * normal opposes the sum of its corners' normals, and is not near that of any sample around its
 * quad. The second condition is for sharp edges: a sample there has the normal of one face, and a
 * triangle may lie in the other. A triangle whose height is within the rounding of its corners does
 * not count.
 */
export function countReversed(image: GeometryImage): number | null {
  let reversed = 0;
  for (const { exponent, geometry, normals } of chartsOf(image)) {
    if (!normals) return null;
    const size = sizeOf(exponent);
    for (let row = 0; row < size - 1; row++) {
      for (let column = 0; column < size - 1; column++) reversed += reversedIn(geometry, normals, size, row, column);
    }
  }
  return reversed;
}

export function reversedIn(
  geometry: Uint16Array,
  normals: Uint16Array,
  size: number,
  row: number,
  column: number,
): number {
  const a = 3 * (row * size + column);
  const b = a + 3;
  const c = a + 3 * size;
  const d = c + 3;
  const isDown = cutsDown(geometry, size, row, column);
  const around = { normals, size, row, column };
  const first = isReversed(geometry, a, isDown ? d : b, c, around);
  const second = isReversed(geometry, isDown ? a : b, isDown ? b : d, isDown ? d : c, around);
  return (first ? 1 : 0) + (second ? 1 : 0);
}

/** Rounding moves a corner by up to sqrt(3) / 2 steps: the square of twice that. */
const ROUNDED = 3;
/** Cosine of 45 degrees. */
const AGREES = 0.7;

function isReversed(
  q: Uint16Array,
  a: number,
  b: number,
  c: number,
  { normals, size, row, column }: { normals: Uint16Array; size: number; row: number; column: number },
): boolean {
  const ux = q[b] - q[a];
  const uy = q[b + 1] - q[a + 1];
  const uz = q[b + 2] - q[a + 2];
  const vx = q[c] - q[a];
  const vy = q[c + 1] - q[a + 1];
  const vz = q[c + 2] - q[a + 2];
  const x = uy * vz - uz * vy;
  const y = uz * vx - ux * vz;
  const z = ux * vy - uy * vx;
  const along = (i: number): number =>
    x * (normals[i] - 32768) + y * (normals[i + 1] - 32768) + z * (normals[i + 2] - 32768);
  if (!(along(a) + along(b) + along(c) < 0)) return false;
  const square = x * x + y * y + z * z;
  const [wx, wy, wz] = [vx - ux, vy - uy, vz - uz];
  const longest = Math.max(ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, wx * wx + wy * wy + wz * wz);
  if (square <= ROUNDED * longest) return false;
  const agreeing = AGREES * 32767 * Math.sqrt(square);
  for (let r = Math.max(0, row - 1); r <= Math.min(size - 1, row + 2); r++) {
    for (let s = Math.max(0, column - 1); s <= Math.min(size - 1, column + 2); s++) {
      if (along(3 * (r * size + s)) >= agreeing) return false;
    }
  }
  return true;
}

export function countsOf({ groups, quads, stored }: Pick<GeometryImage, 'groups' | 'quads' | 'stored'>): {
  vertices: number;
  triangles: number;
} {
  if (stored)
    return { vertices: stored.width * stored.height, triangles: 2 * (stored.width - 1) * (stored.height - 1) };
  return { vertices: groups.reduce((sum, { geometry }) => sum + geometry.length / 3, 0), triangles: 2 * quads };
}
