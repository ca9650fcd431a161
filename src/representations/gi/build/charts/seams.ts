/**
 * Samples the sides of charts: both charts of an arc use one polyline, so seams are equal to the
 * bit.
 *
 * Every side of a chart has a whole number of the square's boundary intervals, so junctions are
 * samples. An arc's polyline has as many intervals as its side with the fewest; a side with more
 * repeats some points. So all sides of an arc hold the same points in the same order. The surface
 * has no cracks, at the price of a few triangles without area.
 */
import type { Arc } from './arcs.ts';

export interface SeamSamples {
  /** At least 1; there is one more sample. */
  intervals: number;
  positions: Float64Array;
  /** Unit normals, in the layout of `positions`: x, y, z per sample. */
  normals: Float64Array;
}

export function sampleArc(arc: Arc, intervals: number, positions: Float64Array, normals: Float64Array): SeamSamples {
  const { vertices, along, length } = arc;
  const samples = {
    intervals,
    positions: new Float64Array(3 * (intervals + 1)),
    normals: new Float64Array(3 * (intervals + 1)),
  };
  let edge = 0;
  for (let i = 0; i <= intervals; i++) {
    const at = (length * i) / intervals;
    while (edge < vertices.length - 2 && along[edge + 1] <= at) edge++;
    const span = along[edge + 1] - along[edge];
    const t = i === intervals ? 1 : span > 0 ? Math.min(1, (at - along[edge]) / span) : 0;
    const [a, b] = [3 * vertices[edge], 3 * vertices[edge + 1]];
    const n = [0, 0, 0];
    for (let k = 0; k < 3; k++) {
      samples.positions[3 * i + k] =
        t === 1 ? positions[b + k] : positions[a + k] + t * (positions[b + k] - positions[a + k]);
      n[k] = normals[a + k] + t * (normals[b + k] - normals[a + k]);
    }
    const size = Math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (size > 0) for (let k = 0; k < 3; k++) samples.normals[3 * i + k] = n[k] / size;
  }
  return samples;
}
