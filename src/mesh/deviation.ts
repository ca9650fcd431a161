/**
 * Estimates how far two meshes' surfaces are apart, by sampling: root mean square, greatest
 * distance and peak signal-to-noise ratio.
 *
 * It is no bound: the greatest distance may lie between the samples. The measure is Metro's
 * (Cignoni, Rocchini, Scopigno, "Metro: measuring error on simplified surfaces", 1998), with one
 * uniform sample in each of equal shares of the area, laid out triangle after triangle. Vertices
 * count for the greatest distance alone. PSNR follows Praun and Hoppe ("Spherical parametrization
 * and remeshing", 2003, section 7): the diagonal of the bounding box over the larger of the two
 * one-sided rms. That box is axis-aligned, so turning both meshes keeps the distances but changes
 * PSNR with the diagonal.
 */

import { MeshError, OptionError } from '../base/errors.ts';
import { requireMeshArrays, requireOptionTypes, requireThat } from '../base/require.ts';
import { Random } from '../math/numbers.ts';
import type { Surface } from './topology.ts';
import { TriangleTree } from './triangle-tree.ts';

export interface DeviationOptions {
  /** Samples on each surface; default 100,000. */
  samples?: number;
  /** Equal seeds give equal figures; default 1. */
  seed?: number;
}

/** Lengths in model units, ratios in decibels (infinite where the rms is exactly zero). */
export interface Deviation {
  /** Root mean square of the distance from a's surface to b's. */
  rmsAB: number;
  rmsBA: number;
  /** The greatest distance found from a's samples and vertices to b's surface. */
  maxAB: number;
  maxBA: number;
  /** 20 log10(diagonal / the larger rms). */
  psnr: number;
  psnrAB: number;
  psnrBA: number;
  /** Diagonal of the axis-aligned box around a's triangles. */
  diagonal: number;
}

/**
 * Measures the distance between two surfaces in both directions.
 *
 * @throws MeshError if one of the two has no area to sample, OptionError without a sample
 * @example const source = readObj(bytes);
 *          const remesh = toMesh(build(source, { size: 65 }));
 *          measureDeviation(source, remesh, { samples: 10_000, seed: 1 }).psnr // 73.0: decibels
 */
export function measureDeviation(a: Surface, b: Surface, options: DeviationOptions = {}): Deviation {
  requireMeshArrays(a, 'a');
  requireMeshArrays(b, 'b');
  requireOptionTypes(options, { samples: 'number', seed: 'number' });
  const { samples = 100_000, seed = 1 } = options;
  requireThat(typeof samples === 'number' && typeof seed === 'number', 'samples, seed', 'numbers', samples);
  if (!(samples >= 1)) throw new OptionError(`expected at least one sample, found ${samples}`);
  const { ab, ba, diagonal } = inBothDirections(prepare(a), prepare(b), { samples, seed, hasVertices: true });
  const { rmsAB, rmsBA, ...others } = meansOf(ab.rms, ba.rms, diagonal);
  return { rmsAB, rmsBA, maxAB: ab.max, maxBA: ba.max, ...others };
}

export type MeanDeviation = Omit<Deviation, 'maxAB' | 'maxBA'>;

/**
 * Like `measureDeviation` with seed 1, without greatest distances, which take four times as long.
 *
 * @param options.evenWithoutArea true to share the samples of a surface without area out among its
 *   triangles
 */
export function measureMeans(
  a: Surface,
  b: Surface,
  samples: number,
  options: { evenWithoutArea?: boolean } = {},
): MeanDeviation {
  const [from, to] = [a, b].map((surface) => prepare(surface, options));
  const { ab, ba, diagonal } = inBothDirections(from, to, { samples, seed: 1, hasVertices: false });
  return meansOf(ab.rms, ba.rms, diagonal);
}

export const measurePsnr = (a: Surface, b: Surface, samples: number): number => measureMeans(a, b, samples).psnr;

function meansOf(rmsAB: number, rmsBA: number, diagonal: number): MeanDeviation {
  const decibels = (rms: number) => 20 * Math.log10(diagonal / rms);
  const [psnr, psnrAB, psnrBA] = [Math.max(rmsAB, rmsBA), rmsAB, rmsBA].map(decibels);
  return { rmsAB, rmsBA, psnr, psnrAB, psnrBA, diagonal };
}

interface Sampling {
  samples: number;
  seed: number;
  /** True to measure vertices as well, for the greatest distances. */
  hasVertices: boolean;
}

function inBothDirections(a: Sampled, b: Sampled, { samples, seed, hasVertices }: Sampling) {
  const random = new Random(seed);
  const found = ([from, to]: Sampled[]): { rms: number; max: number } => {
    // One tree at a time: that of a large mesh takes as much memory as a build.
    const tree = new TriangleTree(to);
    const { rms, max } = oneSided(from, tree, samples, random);
    return { rms, max: hasVertices ? Math.max(max, farthestVertex(from, tree)) : max };
  };
  const [ab, ba] = [
    [a, b],
    [b, a],
  ].map(found);
  return { ab, ba, diagonal: boxDiagonal(a) };
}

/** Root mean square distance from a's surface to that of a tree. */
export const measureRms = (a: Surface, to: TriangleTree, samples: number): number =>
  oneSided(prepare(a), to, samples, new Random(1)).rms;

interface Sampled extends Surface {
  cumulative: Float64Array;
}

function prepare({ positions, triangles }: Surface, options: { evenWithoutArea?: boolean } = {}): Sampled {
  const cumulative = new Float64Array(triangles.length / 3);
  let area = 0;
  for (let t = 0; t < cumulative.length; t++) {
    area += twiceArea(positions, 3 * triangles[3 * t], 3 * triangles[3 * t + 1], 3 * triangles[3 * t + 2]);
    cumulative[t] = area;
  }
  if (!(area > 0) && options.evenWithoutArea) for (let t = 0; t < cumulative.length; t++) cumulative[t] = t + 1;
  else if (!(area > 0)) throw new MeshError('expected a surface with an area to sample; found none');
  return { positions, triangles, cumulative };
}

export function twiceArea(p: Float64Array, i: number, j: number, k: number): number {
  const bx = p[j] - p[i];
  const by = p[j + 1] - p[i + 1];
  const bz = p[j + 2] - p[i + 2];
  const cx = p[k] - p[i];
  const cy = p[k + 1] - p[i + 1];
  const cz = p[k + 2] - p[i + 2];
  const nx = by * cz - bz * cy;
  const ny = bz * cx - bx * cz;
  const nz = bx * cy - by * cx;
  return Math.sqrt(nx * nx + ny * ny + nz * nz);
}

function boxDiagonal({ positions, triangles }: Sampled): number {
  let squared = 0;
  for (let axis = 0; axis < 3; axis++) {
    let low = Infinity;
    let high = -Infinity;
    for (let c = 0; c < triangles.length; c++) {
      const x = positions[3 * triangles[c] + axis];
      if (x < low) low = x;
      if (x > high) high = x;
    }
    squared += (high - low) * (high - low);
  }
  return Math.sqrt(squared);
}

function oneSided(from: Sampled, to: TriangleTree, samples: number, random: Random): { rms: number; max: number } {
  const { positions, triangles, cumulative } = from;
  let sum = 0;
  let max = 0;
  const share = cumulative[cumulative.length - 1] / samples;
  let t = 0;
  for (let sample = 0; sample < samples; sample++) {
    const area = (sample + random.unit()) * share;
    while (cumulative[t] <= area && t < cumulative.length - 1) t++;
    // Uniform in a parallelogram, its far half folded back onto the triangle.
    let v = random.unit();
    let w = random.unit();
    if (v + w > 1) {
      v = 1 - v;
      w = 1 - w;
    }
    const u = 1 - v - w;
    const i = 3 * triangles[3 * t];
    const j = 3 * triangles[3 * t + 1];
    const k = 3 * triangles[3 * t + 2];
    const squared = to.closestDistanceSquared(
      u * positions[i] + v * positions[j] + w * positions[k],
      u * positions[i + 1] + v * positions[j + 1] + w * positions[k + 1],
      u * positions[i + 2] + v * positions[j + 2] + w * positions[k + 2],
    );
    sum += squared;
    if (squared > max) max = squared;
  }
  return { rms: Math.sqrt(sum / samples), max: Math.sqrt(max) };
}

function farthestVertex({ positions, triangles }: Sampled, to: TriangleTree): number {
  const isSeen = new Uint8Array(positions.length / 3);
  let max = 0;
  for (let c = 0; c < triangles.length; c++) {
    const v = triangles[c];
    if (isSeen[v] === 1) continue;
    isSeen[v] = 1;
    max = Math.max(max, to.closestDistanceSquared(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]));
  }
  return Math.sqrt(max);
}
