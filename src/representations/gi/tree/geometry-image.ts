/**
 * A geometry image in memory: charts, squares of samples with normals and a sphere tree each, and
 * where things lie in them.
 *
 * A closed surface of genus 0 is one chart, whose sides are folded; any other is an atlas of
 * several (P. Sander, Z. Wood, S. Gortler, J. Snyder, H. Hoppe, "Multi-Chart Geometry Images", SGP
 * 2003). Charts of one size lie in one array, one after the other, so that a hundred thousand loose
 * triangles are three arrays and not as many objects.
 */

import { requireThat } from '../../../math/require.ts';
import type { Tolerance } from '../../../query/report.ts';
import { buildChartTree, type ChartTree } from './chart-tree.ts';
import { type Grid, sizeOf } from './grid.ts';
import type { StoredSize } from './padding.ts';
import { type SphereTree, treePixels } from './tree-page.ts';

/** Of an image that is one square; charts of an atlas may be smaller. */
const SMALLEST_EXPONENT = 4;
export const LARGEST_EXPONENT = 13;

/** One square of samples. */
export interface Chart extends Grid {
  /** n: the chart is 2^n + 1 samples square and its tree has levels 0 to n. */
  exponent: number;
  /**
   * Three samples per vertex, rows from the top: vertex (row, column) at 3 * (row * size + column).
   */
  geometry: Uint16Array;
  /**
   * Unit normals in the same layout, component = (q - 32768) / 32767; null where the file had none.
   */
  normals: Uint16Array | null;
  tree: SphereTree;
}

/**
 * The charts of one size: their samples, normals and trees, each as in a chart, one after the
 * other.
 */
export interface ChartGroup {
  exponent: number;
  count: number;
  geometry: Uint16Array;
  normals: Uint16Array | null;
  /** `page` holds the charts' trees one after the other; `radiusSteps` is common to all. */
  tree: SphereTree;
  /**
   * How far the source may lie from what each node holds, as the trees are laid out; null where
   * that was not computed.
   */
  deviation: Deviation | null;
}

/** A bound per node: its value times `step`, model units. */
export interface Deviation {
  page: Uint16Array;
  step: number;
}

/**
 * The source's triangles, as the file had them, degenerate ones too, and which of them lie in which
 * quad.
 */
export interface EmbeddedSource {
  /** x, y, z per vertex, model units. */
  positions: Float64Array;
  /** Three vertices each. */
  triangles: Uint32Array;
  /** Those of quad k are items[offsets[k]] to items[offsets[k + 1] - 1]. */
  offsets: Uint32Array;
  items: Uint32Array;
}

/** A group and where its first chart, quad and node stand among the image's. */
export interface PlacedGroup extends ChartGroup {
  firstChart: number;
  firstQuad: number;
  firstNode: number;
}

export interface GeometryImage extends Grid {
  representation: 'gi';
  /** Largest charts first. */
  groups: PlacedGroup[];
  charts: number;
  quads: number;
  /** Spheres over the charts, made when the image is. */
  roots: ChartTree;
  /**
   * How far the source may lie from the surface and the surface from the source; null where it is
   * not known.
   */
  tolerance: Tolerance;
  source: EmbeddedSource | null;
  /** Of one chart that was padded, what it was padded from: then its other quads hold nothing. */
  stored: StoredSize | null;
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

/** The exponent of a side of 2^n + 1 samples, or -1 where the side is no such size. */
export function exponentOf(size: number): number {
  for (let n = SMALLEST_EXPONENT; n <= LARGEST_EXPONENT; n++) if (sizeOf(n) === size) return n;
  return -1;
}

/**
 * Puts groups of charts together as an image.
 *
 * @param groups largest charts first
 */
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

/** The group that a quad of the whole image is in. */
export function groupOfQuad({ groups }: GeometryImage, quad: number): PlacedGroup {
  let g = groups.length - 1;
  while (groups[g].firstQuad > quad) g--;
  return groups[g];
}

/** Chart number `index`: views of its samples, nothing is copied. */
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

/** All charts in order, one at a time. */
export function* chartsOf(image: GeometryImage): Generator<Chart> {
  for (let index = 0; index < image.charts; index++) yield chartOf(image, index);
}

/**
 * Whether quad (row, column) is cut from its corner (row, column) to (row + 1, column + 1): along
 * its shorter diagonal, measured on the integers, which are exact (at most 3 * 65535^2 < 2^34);
 * ties go this way.
 */
export function cutsDown(geometry: Uint16Array, size: number, row: number, column: number): boolean {
  return cutsDownAt(geometry, size, row * size + column);
}

/** The same of the quad whose corner (row, column) is a vertex given by its number. */
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
 * The stored surface as a mesh. Vertex (row, column) of a chart has number row * size + column
 * after those of the charts before. A triangle has number quad * 2 + half; half 0 holds the corner
 * (row + 1, column). Outside is where the source's outside was.
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
      corner = writeTriangles(own, exponent, coordinate / 3, triangles, corner, 0, 1 << exponent);
      for (let i = 0; i < samples; i++) positions[coordinate++] = origin[i % 3] + own[i] * step;
    }
  }
  return { positions, triangles };
}

/**
 * The triangles of some rows of one chart, on vertices from `first` on; returns where the next ones
 * go.
 */
export function writeTriangles(
  geometry: Uint16Array,
  exponent: number,
  first: number,
  triangles: Uint32Array,
  at: number,
  fromRow: number,
  toRow: number,
): number {
  const size = sizeOf(exponent);
  let t = at;
  for (let row = fromRow; row < toRow; row++) {
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
 * How many triangles of the stored surface face away from the source's outside: those whose normal
 * opposes the sum of the stored normals of their corners. Where the source has features smaller
 * than the samples' distance some may; null where no normals are stored.
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

/** How many of a quad's two triangles are reversed. */
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
  const first = isReversed(geometry, normals, a, isDown ? d : b, c);
  const second = isReversed(geometry, normals, isDown ? a : b, isDown ? b : d, isDown ? d : c);
  return (first ? 1 : 0) + (second ? 1 : 0);
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

/** How many vertices and triangles it has, of what was stored alone. */
export function countsOf({ groups, quads, stored }: Pick<GeometryImage, 'groups' | 'quads' | 'stored'>): {
  vertices: number;
  triangles: number;
} {
  if (stored)
    return { vertices: stored.width * stored.height, triangles: 2 * (stored.width - 1) * (stored.height - 1) };
  return { vertices: groups.reduce((sum, { geometry }) => sum + geometry.length / 3, 0), triangles: 2 * quads };
}
