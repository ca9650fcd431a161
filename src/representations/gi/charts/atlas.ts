/**
 * Any surface becomes charts with samples: closed components of genus 0 a pillowcase each, everything else disks in squares.
 *
 * P. Sander, Z. Wood, S. Gortler, J. Snyder, H. Hoppe, "Multi-Chart Geometry Images", SGP 2003, with other charts (segment.ts), squares for all of them,
 * and seams that need no zippering, since both sides take their samples from one polyline (seams.ts).
 *
 * What cannot be embedded is cut in two, down to single triangles, which always can: so there is an image of any mesh.
 */
import { MeshError } from '../../../math/errors.ts';
import { diagonalOf } from '../../../mesh/extent.ts';
import type { ManifoldMesh } from '../../../mesh/manifold.ts';
import { vertexNormals } from '../../../mesh/normals.ts';
import { sizeOf } from '../geometry-image.ts';
import type { DiskEmbedding } from '../parameterize/disk.ts';
import { arcLength, coarsenDisk, estimateDisk } from '../parameterize/place-boundary.ts';
import { allocate, type Demand } from './allocate.ts';
import { type Arc, type DiskChart, layCharts } from './arcs.ts';
import { type ChartSource, interpolationError, sampleChart } from './chart-source.ts';
import { chooseCharts, cutFurther, type PricedChart } from './choose.ts';
import { diskOf, type Pins, placesOf } from './disk-source.ts';
import { type Boundary, type SampledChart, sampleDisk } from './sampled-chart.ts';
import { allotIntervals, type SeamSamples, sampleArc } from './seams.ts';
import { bisect, type Component, components, cutIntoDisks } from './segment.ts';

/** A surface cut into charts, before it is sampled. */
export interface Atlas {
  mesh: ManifoldMesh;
  /** Unit normals of its vertices. */
  normals: Float64Array;
  /** Closed components in pillowcases, each with its squared error times 16^n. */
  closed: { source: ChartSource; cost: number; area: number }[];
  disks: PricedChart[];
  /** Squared distances below this are nothing. */
  unseen: number;
}

/** Of the diagonal: a twentieth of a step of 16 bits. */
const UNSEEN = 0.05 / 65536;
/** Folded, a square of one quad would be a point. */
const SMALLEST_FOLDED = 2;
/** Errors are measured at no more intervals than this, 2^n a side. */
const FINEST_MEASURED = 8;
/** Ways round the square that are tried: where a chart's corners lie matters as much as where it is cut. */
const ROTATIONS = 4;

/**
 * Cuts a surface into charts.
 *
 * @param samples about how many there will be in all; errors are measured accordingly
 * @param embedClosed embeds a closed component of genus 0; null where it cannot be
 */
export function planAtlas(
  mesh: ManifoldMesh,
  samples: number,
  embedClosed: (triangles: Int32Array) => ChartSource | null,
): Atlas {
  const normals = vertexNormals(mesh.positions, mesh.triangles);
  const parts = components(mesh);
  const whole = parts.reduce((sum, { triangles }) => sum + areaOf(mesh, triangles), 0);
  /** At about as many intervals as the area's share of the samples will be. */
  const costOf = (source: ChartSource, area: number): number => {
    const exponent = Math.max(2, Math.min(FINEST_MEASURED, Math.round(Math.log2((samples * area) / whole) / 2)));
    return interpolationError(source, exponent) * 16 ** exponent;
  };
  const closed: Atlas['closed'] = [];
  const disks: Int32Array[] = [];
  for (const component of parts) {
    const { triangles } = component;
    const source = isClosedSphere(component) ? embedClosed(triangles) : null;
    const area = areaOf(mesh, triangles);
    if (source) closed.push({ source, area, cost: costOf(source, area) });
    else if (isClosedSphere(component)) disks.push(...bisect(mesh, triangles));
    else disks.push(...cutIntoDisks(mesh, triangles));
  }
  const price = (triangles: Int32Array): PricedChart => {
    const best: PricedChart = { triangles, cost: Number.POSITIVE_INFINITY, corner: { vertex: 0, place: 0 } };
    if (triangles.length === 1) return { ...best, cost: 0 };
    const { charts } = layCharts(mesh, [triangles]);
    const area = areaOf(mesh, triangles);
    try {
      const disk = diskOf(mesh, charts[0]);
      const coarse = coarsenDisk(disk);
      for (let k = 0; k < ROTATIONS; k++) {
        const perimeter = arcLength(disk).map((along) => (along + k / ROTATIONS) % 4);
        const cost = costOf(measurable(estimateDisk(coarse, perimeter)), area);
        if (cost < best.cost) {
          best.cost = cost;
          best.corner = { vertex: charts[0].vertices[charts[0].boundary[0]], place: k / ROTATIONS };
        }
      }
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
    }
    return best;
  };
  const unseen = (UNSEEN * diagonalOf(mesh)) ** 2;
  return { mesh, normals, closed, disks: chooseCharts(mesh, disks, price), unseen };
}

/** An embedded disk to be measured; its normals are not looked at. */
const measurable = ({ positions, triangles, corners, source }: DiskEmbedding): ChartSource => {
  return { positions, triangles, corners, source, normals: new Float64Array(positions.length), folded: false };
};

const isClosedSphere = ({ genus, boundaryLoops }: Component): boolean => genus === 0 && boundaryLoops === 0;

/**
 * Samples a surface. Charts of one size follow each other, the largest first.
 *
 * @param size samples a side of the one chart of a closed surface; of other surfaces about its square in all
 */
export function sampleAtlas(atlas: Atlas, size: number, onProgress?: (fraction: number) => void): SampledChart[] {
  const { mesh, normals, closed, unseen } = atlas;
  let { disks } = atlas;
  for (;;) {
    const { arcs, charts } = layCharts(
      mesh,
      disks.map(({ triangles }) => triangles),
    );
    const demands: Demand[] = [
      ...closed.map(({ cost, area }) => ({ cost, smallest: SMALLEST_FOLDED, negligible: area * unseen })),
      ...disks.map(({ cost, triangles }, i) => {
        return { cost, smallest: smallestFor(charts[i]), negligible: areaOf(mesh, triangles) * unseen };
      }),
    ];
    const isOne = closed.length === 1 && disks.length === 0;
    const exponents = isOne ? [Math.log2(size - 1)] : allocate(demands, size * size);
    const boundaries = charts.map((chart, i): Boundary => {
      return { chart, pins: pinsOf(chart, arcs, exponents[closed.length + i], disks[i].corner) };
    });
    const seams = sampleSeams(mesh, arcs, boundaries, normals);
    const sampled = closed.map(({ source }, i): SampledChart => {
      const exponent = exponents[i];
      const samples = sampleChart(source, sizeOf(exponent));
      return { exponent, positions: samples.positions, normals: samples.normals, source };
    });
    const failed = new Set<number>();
    boundaries.forEach((boundary, i) => {
      try {
        sampled.push(sampleDisk(mesh, normals, arcs, seams, boundary));
      } catch (error) {
        if (!(error instanceof MeshError) || boundary.chart.triangles.length < 2) throw error;
        failed.add(i);
      }
      onProgress?.((i + 1) / boundaries.length);
    });
    if (failed.size === 0) return sampled.sort((a, b) => b.exponent - a.exponent);
    disks = disks.flatMap((chart, i) => (failed.has(i) ? cutFurther(mesh, chart) : [chart]));
  }
}

/** Whole intervals for a chart's sides, turned so that its corners come nearest to where they were found best. */
function pinsOf(chart: DiskChart, arcs: Arc[], exponent: number, corner: PricedChart['corner']): Pins {
  const total = 4 << exponent;
  const lengths = chart.sides.map(({ arc }) => arcs[arc].length);
  const pins = { intervals: allotIntervals(lengths, total), start: 0, exponent };
  const at = chart.boundary.findIndex((v) => chart.vertices[v] === corner.vertex);
  if (at < 0 || chart.triangles.length === 1) return pins;
  const turn = Math.round((corner.place - placesOf(chart, arcs, pins)[at]) * (1 << exponent));
  return { ...pins, start: ((turn % total) + total) % total };
}

/** The fewest quads a side with an interval round the square for every side of the chart. */
function smallestFor({ sides }: DiskChart): number {
  let exponent = 0;
  while (4 << exponent < sides.length) exponent++;
  return exponent;
}

/** Samples every arc as finely as the side that has fewest intervals; sides of single triangles are straight and need one. */
function sampleSeams(mesh: ManifoldMesh, arcs: Arc[], boundaries: Boundary[], normals: Float64Array): SeamSamples[] {
  const fewest = new Int32Array(arcs.length).fill(2 ** 30);
  for (const { chart, pins } of boundaries) {
    chart.sides.forEach(({ arc }, s) => {
      fewest[arc] = Math.min(fewest[arc], chart.triangles.length === 1 ? 1 : pins.intervals[s]);
    });
  }
  return arcs.map((arc, i) => sampleArc(arc, fewest[i], mesh.positions, normals));
}

function areaOf({ positions: p, triangles }: ManifoldMesh, list: Int32Array): number {
  let twice = 0;
  for (const t of list) {
    const [a, b, c] = [3 * triangles[3 * t], 3 * triangles[3 * t + 1], 3 * triangles[3 * t + 2]];
    const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
    const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
    const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    twice += Math.sqrt(x * x + y * y + z * z);
  }
  return twice / 2;
}
