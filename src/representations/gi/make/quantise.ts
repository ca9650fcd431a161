/** Turns positions and normals into 16-bit steps, also before an image exists, to judge it. */

import { MeshError } from '../../../base/errors.ts';
import { measurePsnr } from '../../../mesh/deviation.ts';
import type { Mesh } from '../../../mesh/mesh.ts';
import { cutsDown, reversedIn, toMesh } from '../tree/geometry-image.ts';
import { sizeOf } from '../tree/grid.ts';

export function boundsOf(positions: Float64Array | Float32Array) {
  const low = new Float64Array(3).fill(Number.POSITIVE_INFINITY);
  const high = new Float64Array(3).fill(Number.NEGATIVE_INFINITY);
  for (let i = 0; i < positions.length; i += 3) {
    for (let k = 0; k < 3; k++) {
      if (positions[i + k] < low[k]) low[k] = positions[i + k];
      if (positions[i + k] > high[k]) high[k] = positions[i + k];
    }
  }
  const extent = Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  const largest = Math.max(...low.map(Math.abs), ...high.map(Math.abs));
  return { low, extent, largest };
}

/** 1 for each quad cut from (row, column) to (row + 1, column + 1), row by row. */
export function splitsOf(geometry: Uint16Array, size: number): Uint8Array {
  const quads = size - 1;
  const splits = new Uint8Array(quads * quads);
  for (let quad = 0, row = 0; row < quads; row++) {
    for (let column = 0; column < quads; column++, quad++) splits[quad] = cutsDown(geometry, size, row, column) ? 1 : 0;
  }
  return splits;
}

interface Quantised {
  geometry: Uint16Array;
  origin: Float64Array;
  step: number;
}

/** One step for all axes: spheres stay spheres. Above `leastExtent`, samples move half a step. */
export function quantise(positions: Float64Array | Float32Array, leastExtent = 0): Quantised {
  const { low, extent } = boundsOf(positions);
  const step = Math.max(extent, leastExtent) / 65535;
  const geometry = new Uint16Array(positions.length);
  for (let i = 0; i < positions.length; i += 3) {
    for (let k = 0; k < 3; k++) {
      geometry[i + k] = Math.min(65535, Math.round((positions[i + k] - low[k]) / step));
    }
  }
  return { geometry, origin: low, step };
}

/** Component = (q - 32768) / 32767, so that 0 and +-1 are exact. */
export function quantiseNormals(normals: Float64Array): Uint16Array {
  const quantised = new Uint16Array(normals.length);
  for (let i = 0; i < normals.length; i++) quantised[i] = Math.round(normals[i] * 32767) + 32768;
  return quantised;
}

/** Samples of a chart, (2^n + 1)^2, where n is `exponent`. */
export interface Samples {
  exponent: number;
  positions: Float64Array;
  normals: Float64Array;
}

/** Points for measuring quality: two digits of a dB for a tenth of a second at 257. */
export const MEASURED_SAMPLES = 20_000;

export function joined(parts: readonly Float64Array[]): Float64Array {
  if (parts.length === 1) return parts[0];
  const whole = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function stored(charts: readonly Samples[]) {
  const { geometry, origin, step } = quantise(joined(charts.map(({ positions }) => positions)));
  let at = 0;
  const groups = charts.map(({ exponent, positions }) => {
    const own = geometry.subarray(at, at + positions.length);
    at += own.length;
    return { exponent, count: 1, geometry: own };
  });
  const quads = charts.reduce((sum, { exponent }) => sum + 4 ** exponent, 0);
  return { groups, quads, origin, step };
}

/** Decibels of an image of these charts, measured as in `build`; NaN without area. */
export function decibelsOf(mesh: Mesh, charts: readonly Samples[]): number {
  try {
    return measurePsnr(mesh, toMesh(stored(charts)), MEASURED_SAMPLES);
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    return Number.NaN;
  }
}

export const splitsNow = (charts: readonly Samples[]): Uint8Array[] =>
  stored(charts).groups.map(({ exponent, geometry }) => splitsOf(geometry, sizeOf(exponent)));

/** Reversed triangles of each quad, chart by chart and row by row. */
export function reversedQuads(charts: readonly Samples[]): Uint8Array[] {
  const { groups } = stored(charts);
  return charts.map((chart, i) => {
    const size = sizeOf(chart.exponent);
    const quads = size - 1;
    const normals = quantiseNormals(chart.normals);
    const reversed = new Uint8Array(quads * quads);
    for (let row = 0, quad = 0; row < quads; row++) {
      for (let column = 0; column < quads; column++, quad++) {
        reversed[quad] = reversedIn(groups[i].geometry, normals, size, row, column);
      }
    }
    return reversed;
  });
}
