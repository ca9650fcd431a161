/** Positions and normals as whole steps of 16 bits. */
import { cutsDown } from '../tree/geometry-image.ts';

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

export interface Quantised {
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
