/** Computes stored samples before an image exists, to judge its quality. */
import { MeshError } from '../../../base/errors.ts';
import { measureDeviation } from '../../../mesh/deviation.ts';
import type { Mesh } from '../../../mesh/mesh.ts';
import { reversedIn, toMesh } from '../tree/geometry-image.ts';
import { sizeOf } from '../tree/grid.ts';
import { quantise, quantiseNormals } from './quantise.ts';

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

function stored(charts: readonly Samples[]) {
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
    return measureDeviation(mesh, toMesh(stored(charts)), { samples: MEASURED_SAMPLES }).psnr;
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    return Number.NaN;
  }
}

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
