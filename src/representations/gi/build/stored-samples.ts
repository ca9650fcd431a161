/** What an image would store of its charts' samples, before there is one: to be judged by. */
import { MeshError } from '../../../math/errors.ts';
import { measureDeviation } from '../../../mesh/deviation.ts';
import type { Mesh } from '../../../mesh/mesh.ts';
import { reversedIn, toMesh } from '../tree/geometry-image.ts';
import { sizeOf } from '../tree/grid.ts';
import { quantise, quantiseNormals } from './quantise.ts';

/** Samples of a chart, (2^n + 1)^2. */
export interface Samples {
  /** n */
  exponent: number;
  positions: Float64Array;
  normals: Float64Array;
}

/** Points that a quality is measured with: two digits of a dB for a tenth of a second at 257. */
export const MEASURED_SAMPLES = 20_000;

/** All charts in one array. */
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

/** The charts' samples in one grid of 16 bits. */
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

/**
 * Decibels that an image of these charts would have, as `build` measures them; not a number where
 * it or the mesh has no area.
 */
export function decibelsOf(mesh: Mesh, charts: readonly Samples[]): number {
  try {
    return measureDeviation(mesh, toMesh(stored(charts)), { samples: MEASURED_SAMPLES }).psnr;
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    return Number.NaN;
  }
}

/** How many triangles of each quad would face the wrong way, chart by chart and row by row. */
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
