/**
 * Algorithm 5, reduction: compacts the two-tuples that collide.
 *
 * Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", section III.C:
 * Prefix_R, the prefix sum of R, is the place of each.
 */
import type { Tuples } from './generation.ts';

export interface Reduction {
  tuples: Tuples;
  result: Uint8Array;
  prefix: Uint32Array;
  /** Out: O, three words per two-tuple: u, first, second. */
  output: Uint32Array;
}

export function reduction({ tuples, result, prefix, output }: Reduction, from: number, to: number): number {
  const { u, first, second } = tuples;
  for (let t = from; t < to; t++) {
    if (result[t] === 0) continue;
    // The sum up to and including this one, less 1. No part reads another part's output.
    const place = 3 * (prefix[t + 1] - 1);
    output[place] = u[t];
    output[place + 1] = first[t];
    output[place + 2] = second[t];
  }
  return 0;
}
