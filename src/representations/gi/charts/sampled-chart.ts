/** The samples of a chart that is a disk: inside its own, on its sides the seams'. */
import type { ManifoldMesh } from '../../../mesh/manifold.ts';
import { sizeOf } from '../geometry-image.ts';
import type { Arc, DiskChart } from './arcs.ts';
import { type ChartSource, sampleChart } from './chart-source.ts';
import { embedChart, type Pins } from './disk-source.ts';
import { type SeamSamples, sampleOnSide } from './seams.ts';

/** A chart with its samples. */
export interface SampledChart {
  exponent: number;
  /** x, y, z of sample (row, column) at 3 * (row * size + column), and unit normals alike. */
  positions: Float64Array;
  normals: Float64Array;
  source: ChartSource;
}

/** A chart and the whole intervals of its sides. */
export interface Boundary {
  chart: DiskChart;
  pins: Pins;
}

/** Embeds a disk and takes its samples, those on its sides from the seams. Throws MeshError where it cannot be embedded. */
export function sampleDisk(
  mesh: ManifoldMesh,
  vertexNormals: Float64Array,
  arcs: Arc[],
  seams: SeamSamples[],
  { chart, pins }: Boundary,
): SampledChart {
  const { exponent, intervals, start } = pins;
  if (chart.triangles.length === 1) return sampleTriangle(mesh, vertexNormals, chart, intervals);
  const source = embedChart(mesh, vertexNormals, arcs, chart, pins);
  const samples = sampleChart(source, sizeOf(exponent));
  let from = start;
  chart.sides.forEach(({ arc, reversed }, s) => {
    const seam = seams[arc];
    for (let j = 0; j <= intervals[s]; j++) {
      const nearest = Math.round((j * seam.intervals) / intervals[s]);
      const i = 3 * (reversed ? seam.intervals - nearest : nearest);
      const v = 3 * sampleOnSide((from + j) % (4 << exponent), sizeOf(exponent));
      for (let k = 0; k < 3; k++) {
        samples.positions[v + k] = seam.positions[i + k];
        samples.normals[v + k] = seam.normals[i + k];
      }
    }
    from += intervals[s];
  });
  return { exponent, positions: samples.positions, normals: samples.normals, source };
}

/**
 * One triangle, four samples: the first corner, on whose side the square's fourth corner lies, twice. In the square its triangle is cut from that corner,
 * the middle of the side, to the opposite one. No more is needed, not even an area.
 */
function sampleTriangle(
  mesh: ManifoldMesh,
  vertexNormals: Float64Array,
  chart: DiskChart,
  intervals: ArrayLike<number>,
): SampledChart {
  // The side with two intervals runs to the first corner.
  const doubled = Array.from(intervals).indexOf(2);
  const [a, b, c] = [1, 2, 3].map((k) => chart.vertices[chart.boundary[(doubled + k) % 3]]);
  const pick = (from: Float64Array, order: number[]): Float64Array =>
    Float64Array.from(order.flatMap((v) => [from[3 * v], from[3 * v + 1], from[3 * v + 2]]));
  const positions = pick(mesh.positions, [a, b, c, c]);
  const normals = pick(vertexNormals, [a, b, c, c]);
  for (let k = 0; k < 3; k++) {
    positions[9 + k] = positions[6 + k] + (positions[k] - positions[6 + k]) / 2;
    normals[9 + k] = (normals[6 + k] + normals[k]) / 2;
  }
  return {
    exponent: 0,
    positions: pick(mesh.positions, [a, b, a, c]),
    normals: pick(vertexNormals, [a, b, a, c]),
    source: {
      positions,
      triangles: Uint32Array.of(1, 2, 3, 1, 3, 0),
      normals,
      corners: Float64Array.of(1, -1, 1, 1, -1, 1, 1, -1, -1, 1, -1, -1),
      folded: false,
      source: Int32Array.of(chart.triangles[0], chart.triangles[0]),
    },
  };
}
