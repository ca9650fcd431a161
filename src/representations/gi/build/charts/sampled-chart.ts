/** Samples a chart that is a disk: its own samples inside, those of the seams on its sides. */
import type { ManifoldMesh } from '../../../../mesh/manifold.ts';
import { sizeOf } from '../../tree/grid.ts';
import { sampleOnSide } from '../../tree/rim.ts';
import type { Arc, DiskChart } from './arcs.ts';
import { type ChartSource, sampleChart } from './chart-source.ts';
import { embedChart, type Pins } from './disk-source.ts';
import type { SeamSamples } from './seams.ts';

export interface SampledChart {
  exponent: number;
  /** x, y, z of sample (row, column) at 3 * (row * size + column); normals alike. */
  positions: Float64Array;
  normals: Float64Array;
  source: ChartSource;
  of?: PlannedChart | undefined;
}

export interface PlannedChart {
  triangles: Int32Array;
  /** Fewest quads per side, as an exponent, whatever the error is. */
  least?: number;
  tried?: { exponent: number; far: number };
}

export interface Boundary {
  chart: DiskChart;
  pins: Pins;
}

/** Embeds a disk and samples it, its sides by the seams. `isBent`: lengths include bends. */
export function sampleDisk(
  mesh: ManifoldMesh,
  vertexNormals: Float64Array,
  arcs: Arc[],
  seams: SeamSamples[],
  { chart, pins }: Boundary,
  options: { isBent?: boolean } = {},
): SampledChart {
  const { exponent, intervals, start } = pins;
  if (chart.triangles.length === 1) return sampleTriangle(mesh, vertexNormals, chart, intervals);
  const source = embedChart(mesh, vertexNormals, arcs, chart, pins, options);
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
 * One triangle as four samples: the first corner twice, since the square's fourth corner lies on
 * its side. One half is the whole triangle, the other a side of it. It needs no area.
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
  const positions = take(mesh.positions, a, b, c);
  const normals = take(vertexNormals, a, b, c);
  return {
    exponent: 0,
    positions,
    normals,
    source: {
      positions,
      triangles: HALVES,
      normals,
      corners: HALVES_CORNERS,
      folded: false,
      source: Int32Array.of(chart.triangles[0], chart.triangles[0]),
    },
  };
}

/** For the samples a, b; a, c: the whole triangle b, c, a, and the side b, a, a. */
const HALVES = Uint32Array.of(1, 3, 2, 1, 2, 0);
const HALVES_CORNERS = Float64Array.of(1, -1, 1, 1, -1, 1, 1, -1, -1, 1, -1, -1);

/** Room for the next triangles. A hundred thousand arrays are slow to allocate and collect. */
let room = new Float64Array(0);
let taken = 0;

function take(from: Float64Array, a: number, b: number, c: number): Float64Array {
  if (taken + 12 > room.length) {
    room = new Float64Array(12 * 256);
    taken = 0;
  }
  for (let k = 0; k < 3; k++) {
    room[taken + k] = room[taken + 6 + k] = from[3 * a + k];
    room[taken + 3 + k] = from[3 * b + k];
    room[taken + 9 + k] = from[3 * c + k];
  }
  taken += 12;
  return room.subarray(taken - 12, taken);
}
