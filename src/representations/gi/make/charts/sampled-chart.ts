/**
 * Samples charts: disks, and the segments and points that cleaning drops. A disk lies in its
 * square: its sides are pinned, its triangles are embedded. It has its own samples inside, and
 * those of the seams on its sides.
 */

import { weld } from '../../../../mesh/clean.ts';
import { twiceArea } from '../../../../mesh/deviation.ts';
import type { ManifoldMesh } from '../../../../mesh/manifold.ts';
import type { Mesh } from '../../../../mesh/mesh.ts';
import { triangleDistanceSquared } from '../../../../mesh/triangle-tree.ts';
import { sampleOnSide, sizeOf } from '../../tree/grid.ts';
import { DEFAULT_DISK_OPTIONS, type EmbedDiskOptions, embedDisk } from '../parameterize/disk.ts';
import type { Disk } from '../parameterize/disk-mesh.ts';
import { resample, type SurfaceSamples } from '../resample.ts';
import { boundaryNormals, type NormalSource, normalsOfSamples } from '../sample-normals.ts';
import type { Arc, DiskChart } from './arcs.ts';
import { type Rim, samplesAlong } from './rims.ts';

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
  /** Fewest quads per side, as an exponent, for any error. */
  least?: number;
  /** True for a flat convex polygon. */
  isExact?: boolean;
  tried?: { exponent: number; far: number };
}

export interface Boundary {
  chart: DiskChart;
  pins: Pins;
}

/** Embeds a disk and samples it, its sides by the seams. `isBent`: lengths include bends. */
export function sampleDisk(
  mesh: ManifoldMesh,
  normals: NormalSource,
  arcs: Arc[],
  seams: SeamSamples[],
  { chart, pins }: Boundary,
  options: { isBent?: boolean } = {},
): SampledChart {
  const { exponent, intervals, start } = pins;
  if (chart.triangles.length === 1) return sampleTriangle(mesh, normals, chart, intervals);
  const source = embedChart(mesh, arcs, chart, pins, { ...options, seams });
  const samples = sampleChart(source, sizeOf(exponent));
  const own = normalsOfSamples(normals, source.source, samples);
  const normalAt = boundaryNormals(normals, chart);
  let from = start;
  chart.sides.forEach(({ arc, reversed, first }, s) => {
    const seam = seams[arc];
    const edges = arcs[arc].vertices.length - 1;
    for (let j = 0; j <= intervals[s]; j++) {
      const nearest = Math.round((j * seam.intervals) / intervals[s]);
      const i = reversed ? seam.intervals - nearest : nearest;
      const v = 3 * sampleOnSide((from + j) % (4 << exponent), sizeOf(exponent));
      for (let k = 0; k < 3; k++) samples.positions[v + k] = seam.positions[3 * i + k];
      const [edge, part] = [seam.edge[i], seam.part[i]];
      normalAt(first + (reversed ? edges - 1 - edge : edge), reversed ? 1 - part : part, own, v);
    }
    from += intervals[s];
  });
  return { exponent, positions: samples.positions, normals: own, source };
}

/**
 * One triangle as four samples: the first corner twice, since the square's fourth corner lies on
 * its side. One half is the whole triangle, the other a side of it. It needs no area.
 */
function sampleTriangle(
  mesh: ManifoldMesh,
  normals: NormalSource,
  chart: DiskChart,
  intervals: ArrayLike<number>,
): SampledChart {
  // The side with two intervals runs to the first corner.
  const doubled = Array.from(intervals).indexOf(2);
  const own = [1, 2, 3].map((k) => chart.boundary[(doubled + k) % 3]);
  const [a, b, c] = own.map((v) => chart.vertices[v]);
  const [i, j, k] = own.map((v) => 3 * chart.triangles[0] + chart.corners.indexOf(v));
  const positions = take(mesh.positions, a, b, c);
  return {
    exponent: 0,
    positions,
    normals: take(normals.normals, i, j, k),
    source: {
      positions,
      triangles: HALVES,
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

function take(from: Float64Array | Float32Array, a: number, b: number, c: number): Float64Array {
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

/*
 * A part of the surface and its place in the square: the origin of samples and the reference for
 * deviations.
 */

export interface ChartSource {
  positions: Float64Array;
  triangles: ArrayLike<number>;
  /** Place of each triangle's corners: x, y at 2h. */
  corners: Float64Array;
  /** True if the square is the pillowcase. */
  folded: boolean;
  /** The clean mesh's triangle that contains each triangle. */
  source: ArrayLike<number>;
}

export const sampleChart = (source: ChartSource, size: number): SurfaceSamples =>
  resample(source.positions, source.triangles, source, size);

const corners = new Float64Array(18);

/**
 * Integrates the squared distance of the surface from its samples at 2^exponent intervals per side
 * over the area. The samples of twice as many give the estimate.
 */
export function interpolationError(source: ChartSource, exponent: number): number {
  const { size, positions: p } = sampleChart(source, (2 << exponent) + 1);
  const down = 3 * size;
  let total = 0;
  for (let row = 0; row + 2 < size; row += 2) {
    for (let column = 0; column + 2 < size; column += 2) {
      const a = 3 * (row * size + column);
      const b = a + 6;
      const c = a + 2 * down;
      const d = c + 6;
      const middle = a + down + 3;
      const isDown = squaredDistance(p, a, d) <= squaredDistance(p, b, c);
      setFace(p, 0, a, isDown ? d : b, c);
      setFace(p, 9, isDown ? a : b, isDown ? b : d, isDown ? d : c);
      // Samples between quads count half in each.
      const error =
        2 * offset(p, middle) + offset(p, a + 3) + offset(p, a + down) + offset(p, c + 3) + offset(p, b + down);
      if (error === 0) continue;
      const area =
        (twiceArea(p, a, c, middle) +
          twiceArea(p, c, d, middle) +
          twiceArea(p, d, b, middle) +
          twiceArea(p, b, a, middle)) /
        2;
      total += (error / 8) * area;
    }
  }
  return total;
}

function setFace(p: Float64Array, at: number, i: number, j: number, k: number): void {
  for (let axis = 0; axis < 3; axis++) {
    corners[at + axis] = p[i + axis];
    corners[at + 3 + axis] = p[j + axis];
    corners[at + 6 + axis] = p[k + axis];
  }
}

function offset(p: Float64Array, v: number): number {
  const one = triangleDistanceSquared(corners, 0, p[v], p[v + 1], p[v + 2]);
  return one > 0 ? Math.min(one, triangleDistanceSquared(corners, 9, p[v], p[v + 1], p[v + 2])) : 0;
}

function squaredDistance(p: Float64Array, a: number, b: number): number {
  const x = p[a] - p[b];
  const y = p[a + 1] - p[b + 1];
  const z = p[a + 2] - p[b + 2];
  return x * x + y * y + z * z;
}

export interface Pins {
  /** 4 * 2^exponent in all; whole if there are samples. */
  intervals: ArrayLike<number>;
  start: number;
  exponent: number;
}

/** Moves vertices this far toward even spacing, relative to a side, so that none coincide. */
const EVENNESS = 2 ** -10;

/**
 * Options for more vertices than samples: details between samples don't matter, and the mesh
 * settles before all vertices are in. Measured on the rocker arm with 321k triangles at 257: 81.3
 * and 82.1 dB either way, 3.4 s less.
 */
const MANY_OPTIONS: EmbedDiskOptions = { ...DEFAULT_DISK_OPTIONS, sweeps: 2, finalSweeps: 2, growth: 2 };

export function embedChart(
  mesh: ManifoldMesh,
  arcs: Arc[],
  chart: DiskChart,
  pins: Pins,
  { isBent = false, seams }: { isBent?: boolean; seams?: readonly SeamSamples[] } = {},
): ChartSource {
  const disk = diskOf(mesh, chart);
  const perimeter = placesOf(chart, arcs, pins, seams);
  const hasMany = chart.vertices.length > 1 << (2 * pins.exponent);
  const options = hasMany ? MANY_OPTIONS : DEFAULT_DISK_OPTIONS;
  const embedded = embedDisk(disk, perimeter, { ...options, isBent });
  return {
    positions: embedded.positions,
    triangles: embedded.triangles,
    corners: embedded.corners,
    folded: false,
    source: embedded.source.map((t) => chart.triangles[t]),
  };
}

export function diskOf({ positions }: ManifoldMesh, { vertices, corners, boundary }: DiskChart): Disk {
  const own = new Float64Array(3 * vertices.length);
  vertices.forEach((v, i) => {
    for (let k = 0; k < 3; k++) own[3 * i + k] = positions[3 * v + k];
  });
  return { positions: own, triangles: corners, boundary };
}

/**
 * Places of boundary vertices around the square, 0 to 4: along each side by arc length, between
 * samples if they are given.
 */
export function placesOf(
  { boundary, sides }: DiskChart,
  arcs: readonly Arc[],
  { intervals, start, exponent }: Pins,
  seams?: readonly SeamSamples[],
): Float64Array {
  const perimeter = new Float64Array(boundary.length);
  let from = start;
  sides.forEach(({ arc, reversed, first }, s) => {
    const { along, length } = arcs[arc];
    const edges = along.length - 1;
    const samples = seams?.[arc].along;
    for (let j = 0; j < edges; j++) {
      const at = reversed ? edges - j : j;
      const passed = samples ? placeAmong(samples, along[at]) : length > 0 ? along[at] / length : at / edges;
      const part = reversed ? 1 - passed : passed;
      const mixed = part + EVENNESS * (j / edges - part);
      perimeter[first + j] = ((from + intervals[s] * mixed) / (1 << exponent)) % 4;
    }
    from += intervals[s];
  });
  return perimeter;
}

/** The place of a length among ascending ones, 0 at the first one, 1 at the last. */
function placeAmong(samples: Float64Array, at: number): number {
  let [low, high] = [0, samples.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (samples[middle] <= at) low = middle;
    else high = middle;
  }
  const run = samples[high] - samples[low];
  const part = run > 0 ? Math.min(1, Math.max(0, (at - samples[low]) / run)) : 0;
  return (low + part) / (samples.length - 1);
}

/*
 * Samples the sides of charts: both charts of an arc use one polyline, so seams are equal to the
 * bit.
 *
 * Every side of a chart has a whole number of the square's boundary intervals, so junctions are
 * samples. An arc's polyline has as many intervals as its side with the fewest; a side with more
 * repeats some points. So all sides of an arc hold the same points in the same order. The surface
 * has no cracks, at the price of a few triangles without area.
 */

export interface SeamSamples {
  /** At least 1; there is one more sample. */
  intervals: number;
  /** Length along a crease or rim of each sample; none where distances are even. */
  along?: Float64Array;
  positions: Float64Array;
  /** The arc's edge that each sample is on, and at which part of its length. */
  edge: Int32Array;
  part: Float64Array;
}

export function sampleArc(arc: Arc, rim: Rim | null, intervals: number, positions: Float64Array): SeamSamples {
  const { vertices, along } = arc;
  const places = samplesAlong(arc, rim, intervals);
  const samples = {
    intervals,
    ...(rim && { along: places }),
    positions: new Float64Array(3 * (intervals + 1)),
    edge: new Int32Array(intervals + 1),
    part: new Float64Array(intervals + 1),
  };
  let edge = 0;
  for (let i = 0; i <= intervals; i++) {
    const at = places[i];
    while (edge < vertices.length - 2 && along[edge + 1] <= at) edge++;
    const span = along[edge + 1] - along[edge];
    const t = i === intervals ? 1 : span > 0 ? Math.min(1, (at - along[edge]) / span) : 0;
    const [a, b] = [3 * vertices[edge], 3 * vertices[edge + 1]];
    samples.edge[i] = edge;
    samples.part[i] = t;
    for (let k = 0; k < 3; k++) {
      samples.positions[3 * i + k] =
        t === 1 ? positions[b + k] : positions[a + k] + t * (positions[b + k] - positions[a + k]);
    }
  }
  return samples;
}

/*
 * Charts for segments and points: triangles that cleaning drops because corners coincide, and that
 * no other triangle contains. Without them, the image would be far from those parts of its source.
 */

const NO_SOURCE = Int32Array.of(-1, -1);

/**
 * Returns a chart of one quad for each segment and each point, unless it is an edge or corner of a
 * kept triangle; none twice. `cleaned` is as in cleanMesh.
 */
export function chartsOfDropped(mesh: Mesh, cleaned: Int32Array): SampledChart[] {
  if (!cleaned.includes(-1)) return [];
  const { positions, triangles } = mesh;
  const { representative } = weld(mesh);
  const count = positions.length / 3;
  const isHeld = new Uint8Array(count);
  const segments = new Map<number, [number, number]>();
  const points = new Set<number>();
  const key = (v: number, w: number): number => Math.min(v, w) * count + Math.max(v, w);
  for (let t = 0; t < cleaned.length; t++) {
    const [a, b, c] = [0, 1, 2].map((k) => representative[triangles[3 * t + k]]);
    if (cleaned[t] >= 0) isHeld[a] = isHeld[b] = isHeld[c] = 1;
    else if (a === b && b === c) points.add(a);
    else segments.set(key(a, a === b ? c : b), [a, a === b ? c : b]);
  }
  for (let h = 0; h < triangles.length && segments.size > 0; h++) {
    const next = h % 3 === 2 ? h - 2 : h + 1;
    if (cleaned[(h / 3) | 0] >= 0) segments.delete(key(representative[triangles[h]], representative[triangles[next]]));
  }
  for (const [a, b] of segments.values()) isHeld[a] = isHeld[b] = 1;
  const left = Array.from(points).filter((v) => isHeld[v] === 0);
  return [...segments.values(), ...left.map((v) => [v, v])].map(([a, b]) => chartOf(positions, a, b));
}

function chartOf(from: Float64Array, a: number, b: number): SampledChart {
  const positions = new Float64Array(12);
  [a, b, a, b].forEach((v, i) => {
    positions.set(from.subarray(3 * v, 3 * v + 3), 3 * i);
  });
  const source = { positions, triangles: HALVES, corners: HALVES_CORNERS, folded: false, source: NO_SOURCE };
  return { exponent: 0, positions, normals: new Float64Array(12), source };
}
