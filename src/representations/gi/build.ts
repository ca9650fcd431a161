/** A closed genus-0 mesh becomes a geometry image: clean, embed, resample, quantise, bound. */
import { MeshError, OptionError } from '../../math/errors.ts';
import { cleanMesh, type MeshLosses } from '../../mesh/clean.ts';
import { measureDeviation } from '../../mesh/deviation.ts';
import type { Mesh } from '../../mesh/mesh.ts';
import { vertexNormals } from '../../mesh/normals.ts';
import { halfedges, requireClosedGenusZero } from '../../mesh/topology.ts';
import type { Provenance } from '../../query/representation.ts';
import { TOOL } from '../../version.ts';
import { fitSamples } from './fit.ts';
import { cutsDown, exponentOf, type GeometryImage, toMesh } from './geometry-image.ts';
import { limitAspect } from './parameterize/aspect.ts';
import { searchCones } from './parameterize/cones.ts';
import { DEFAULT_EMBED_OPTIONS, type Embedding, embed, normalise } from './parameterize/embed.ts';
import { resample } from './resample.ts';
import { buildSphereTree, type SphereMethod } from './sphere-tree.ts';

export interface GiBuildOptions extends Provenance {
  /** Samples along a side, 2^n + 1 with n from 4 to 13; 257 by default. 'auto': as few, up to 2049, as come to `psnr`. */
  size?: number | 'auto';
  /** With 'auto': the quality that the image shall have, measured as `build` prints it; 75 by default. */
  psnr?: number;
  /** How the bounding spheres are made: `tight` (default) or as the `seed` paper does. */
  spheres?: SphereMethod;
  /**
   * Samples that come closest to the source in least squares, instead of lying on it: 4 dB better where it is smooth, 7 to 20 where it has edges. Up
   * to 2049 samples a side; the search for places takes as much memory as an image of two or four times as many.
   */
  fit?: boolean;
  /** Told what cleaning dropped, before anything else is done. */
  onLosses?: (losses: MeshLosses) => void;
}

const DEFAULT_SIZE = 257;
const DEFAULT_PSNR = 75;
const MOST_PSNR = 200;
const SMALLEST_AUTOMATIC = 17;
/** Points that a quality is measured with: two digits of a dB for a tenth of a second at 257. */
export const MEASURED_SAMPLES = 20_000;
/** Images up to this size are fitted to 4 x 4 points a quad, larger ones to 2 x 2; beyond the second they are not. */
const FINELY_FITTED = 513;
const LARGEST_FITTED = 2049;
/** Quads whose shorter diagonal is another one after a fit are fitted again. */
const FIT_ROUNDS = 2;
/** Outside, fourth powers of lengths (squared areas, weights of normals) leave the range of doubles: (2^-53 1e-60)^4 = 2e-304. */
const SMALLEST_EXTENT = 1e-60;
const LARGEST_EXTENT = 1e60;

/** Shares of a build's time, measured on 70k triangles at 257; the progress bar runs evenly by them. */
const SHARES = {
  cones: { from: 0, share: 0.35 },
  simplify: { from: 0.35, share: 0.1 },
  embed: { from: 0.45, share: 0.4 },
  resample: { from: 0.85, share: 0.05 },
  spheres: { from: 0.9, share: 0.1 },
};

/** How long and thin a mesh may look to the embedding, first and where that fails: see aspect.ts. */
const ASPECTS = [2.5, 1];

/**
 * Remeshes a closed genus-0 surface into a geometry image. The same mesh and options give the same image on any engine.
 *
 * @throws MeshError when the mesh is not closed, not of genus 0, not in one piece or not manifold: the line says which
 * @throws OptionError for a size that is not 2^n + 1
 * @example const image = buildGeometryImage(readObj(bytes), { size: 129 });
 */
export function buildGeometryImage(mesh: Mesh, options: GiBuildOptions = {}): GeometryImage {
  const size = options.size ?? DEFAULT_SIZE;
  const spheres = options.spheres ?? 'tight';
  if (size !== 'auto' && exponentOf(size) < 0) {
    throw new OptionError(
      `size ${size}: expected 2^n + 1 from 17 to 8193 (17, 33, 65, 129, 257, 513, 1025, ...) or auto`,
    );
  }
  const { psnr = DEFAULT_PSNR } = options;
  if (!(psnr > 0 && psnr <= MOST_PSNR))
    throw new OptionError(`psnr ${psnr}: expected decibels above 0, up to ${MOST_PSNR}`);
  if (options.psnr !== undefined && size !== 'auto')
    throw new OptionError('psnr: it chooses a size, and needs size auto');
  if (spheres !== 'tight' && spheres !== 'seed') {
    throw new OptionError(`spheres ${String(spheres)}: expected tight or seed`);
  }
  if (options.fit && size !== 'auto' && size > LARGEST_FITTED) {
    throw new OptionError(`fit: images up to ${LARGEST_FITTED} x ${LARGEST_FITTED} are fitted, not ${size}`);
  }
  const { mesh: clean, losses } = cleanMesh(mesh);
  options.onLosses?.(losses);
  requireClosedGenusZero(clean);
  requireUsableExtent(clean.positions);
  const { positions, triangles } = clean;
  const progress = (stage: keyof typeof SHARES) => (fraction: number) =>
    options.onProgress?.(stage, SHARES[stage].from + SHARES[stage].share * fraction);
  const embedding = embedInPillowcase(positions, triangles, progress);
  const source = { positions, triangles, normals: vertexNormals(positions, triangles), embedding };
  const sampled =
    size === 'auto'
      ? sampleFor(mesh, source, psnr, options.fit ?? false)
      : sampleAt(source, size, options.fit ?? false);
  progress('resample')(1);
  const exponent = exponentOf(sampled.size);
  const { geometry, origin, step, normals } = sampled;
  const tree = buildSphereTree(geometry, exponent, { origin, step }, spheres);
  progress('spheres')(1);
  return {
    representation: 'gi',
    exponent,
    origin,
    step,
    geometry,
    normals: quantiseNormals(normals),
    tree,
    header: {
      tool: TOOL,
      source: options.source ?? null,
      units: options.units ?? null,
      options: { size: sampled.size, spheres, ...(options.fit && { fit: 'least squares' }), ...options.options },
    },
  };
}

/** A mesh and where its surface lies in the square. */
interface EmbeddedSource {
  positions: Float64Array;
  triangles: Uint32Array;
  normals: Float64Array;
  embedding: Embedding;
}

interface Sampled extends Quantised {
  size: number;
  normals: Float64Array;
}

/** The surface at (2^n + 1)^2 samples, on the surface or fitted to it, as whole steps. */
function sampleAt({ positions, triangles, normals, embedding }: EmbeddedSource, size: number, fits: boolean): Sampled {
  const samples = resample(positions, triangles, normals, embedding, size);
  if (fits) {
    const finer = (size <= FINELY_FITTED ? 4 : 2) * (size - 1) + 1;
    const fine = resample(positions, triangles, normals, embedding, finer);
    for (let round = 0; round < FIT_ROUNDS; round++) {
      fitSamples(samples, fine, splitsOf(quantise(samples.positions).geometry, size));
    }
  }
  return { size, normals: samples.normals, ...quantise(samples.positions) };
}

/** The fewest samples that come as near to the mesh as `psnr` asks, both ways; or the most that are tried. */
function sampleFor(mesh: Mesh, source: EmbeddedSource, psnr: number, fits: boolean): Sampled {
  for (let size = SMALLEST_AUTOMATIC; ; size = 2 * size - 1) {
    const sampled = sampleAt(source, size, fits);
    if (size === LARGEST_FITTED) return sampled;
    const surface = toMesh({ ...sampled, exponent: exponentOf(size) });
    if (measureDeviation(mesh, surface, { samples: MEASURED_SAMPLES }).psnr >= psnr) return sampled;
  }
}

/** Embeds a closed genus-0 mesh, its cones searched. Throws MeshError where it is too degenerate even as a round one. */
function embedInPillowcase(
  positions: Float64Array,
  triangles: Uint32Array,
  progress: (stage: keyof typeof SHARES) => (fraction: number) => void,
): Embedding {
  const twin = halfedges(triangles, positions.length / 3);
  let failure: unknown;
  for (const most of ASPECTS) {
    const closed = {
      positions: normalise(limitAspect(positions, triangles, most), triangles),
      triangles,
      twin,
    };
    try {
      const cones = searchCones(closed, progress('cones'));
      return embed(closed, {
        ...DEFAULT_EMBED_OPTIONS,
        cones,
        onProgress: (stage, fraction) => progress(stage)(fraction),
      });
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      failure = error;
    }
  }
  throw failure;
}

function requireUsableExtent(positions: Float64Array): void {
  const { extent, largest } = boundsOf(positions);
  if (!(extent >= SMALLEST_EXTENT && largest <= LARGEST_EXTENT)) {
    throw new MeshError(
      `expected an extent of at least ${SMALLEST_EXTENT} and coordinates up to ${LARGEST_EXTENT}, found ${extent} and ${largest}: scale the mesh`,
    );
  }
  if (extent < largest * 2 ** -36) {
    throw new MeshError(
      `expected a mesh near its origin, found an extent of ${extent} at coordinates of ${largest}: doubles cannot hold 65535 steps there, move the mesh`,
    );
  }
}

function boundsOf(positions: Float64Array) {
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

/** 1 for each quad that is cut from (row, column) to (row + 1, column + 1), row by row. */
function splitsOf(geometry: Uint16Array, size: number): Uint8Array {
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

/** One step for all axes, so that a sphere stays a sphere on the grid; half a step is the most a sample moves. */
function quantise(positions: Float64Array): Quantised {
  const { low, extent } = boundsOf(positions);
  const step = extent / 65535;
  const geometry = new Uint16Array(positions.length);
  for (let i = 0; i < positions.length; i += 3) {
    for (let k = 0; k < 3; k++) {
      geometry[i + k] = Math.min(65535, Math.round((positions[i + k] - low[k]) / step));
    }
  }
  return { geometry, origin: low, step };
}

/** Component = (q - 32768) / 32767, so that 0 and +-1 are exact. */
function quantiseNormals(normals: Float64Array): Uint16Array {
  const quantised = new Uint16Array(normals.length);
  for (let i = 0; i < normals.length; i++) quantised[i] = Math.round(normals[i] * 32767) + 32768;
  return quantised;
}
